Feature: Events
  A user who waits for a compaction wants to know what happens: a line in a terminal, a record in a log, a message that
  the conversation continues from a summary. Each step emits an event with its numbers, and a listener cannot disturb the
  work.

  Background:
    Given the conversation 6 turns of 200

  @CMP_06
  Rule: Each step of a compaction emits an event with its numbers
    Source: OpenCode's event after a compaction and the windowing plan's telemetry (S2, S3); a compaction that says
    nothing for half a minute looks like a fault (strands-agents/harness-sdk#1511).

    Scenario: A summary that is accepted at once
      When the model answers "All went well."
      Then the events are
        | started, by hand: 12 messages leave, of 1,236 tokens         |
        | summarizing: attempt 1 after 0 ms, warm prefix, 1,547 tokens |
        | writing: All                                                 |
        | writing: went                                                |
        | writing: well.                                               |
        | compacted: 636 tokens of 1,236, 48.5% saved, by model        |

    Scenario: An attempt is rejected, and the next one is made
      When the model answers "Overloaded", "All went well."
      Then the events are
        | started, by hand: 12 messages leave, of 1,236 tokens                    |
        | summarizing: attempt 1 after 0 ms, warm prefix, 1,547 tokens            |
        | writing: Overloaded                                                     |
        | rejected: attempt 1, error text: the whole text is an error: Overloaded |
        | summarizing: attempt 2 after 1,000 ms, warm prefix, 1,547 tokens        |
        | writing: All                                                            |
        | writing: went                                                           |
        | writing: well.                                                          |
        | compacted: 636 tokens of 1,236, 48.5% saved, by model                   |

    Scenario: No attempt succeeds
      When the model fails for good
      Then the events are
        | started, by hand: 12 messages leave, of 1,236 tokens                                                       |
        | summarizing: attempt 1 after 0 ms, warm prefix, 1,547 tokens                                               |
        | rejected: attempt 1, permanent: the key is not known                                                       |
        | failed: no summary after 1 attempt (warm prefix), the last: permanent: the key is not known; then template |
        | compacted: 662 tokens of 1,236, 46.4% saved, by template                                                   |

    Scenario Outline: If the summary is not used the last event says so, and a compaction that does nothing emits none
      Given the conversation <conversation>
      When the model answers "All went well."
      Then the last event is "<event>"

      Examples:
        | description     | conversation                                                 | event                                                                             |
        | it is not used  | user "First.", user "Second.", user "Third.", user "Fourth." | failed: a summary would save nothing, the conversation is as it was; then nothing |
        | nothing is done | 2 turns                                                      |                                                                                   |

  @CMP_06
  Rule: The event of a finished compaction holds the summary, which the new conversation holds too
    Source: the windowing plan's first open question, whether users see the summary (S3); they do.

    Scenario: The summary can be read in the event and in the conversation
      When the model answers "All went well."
      Then the summary of the last event is "All went well.…"
      And the text says "[Summary of the earlier conversation, written by brim]\n\nAll went well."

  @CMP_06
  Rule: A listener that fails does not stop a compaction
    Source: brim; hooks that fail or are blind are met in practice (anthropics/claude-code#44308).

    Scenario: The other listeners receive every event, and the compaction succeeds
      When the model answers "All went well.", and a listener fails
      Then it warns "a listener failed, and goes on receiving events:…"
      And the events are
        | started, by hand: 12 messages leave, of 1,236 tokens         |
        | summarizing: attempt 1 after 0 ms, warm prefix, 1,547 tokens |
        | writing: All                                                 |
        | writing: went                                                |
        | writing: well.                                               |
        | compacted: 636 tokens of 1,236, 48.5% saved, by model        |
      And the summary of the last event is "All went well.…"

  @CMP_06
  Rule: The event of a memory file states how many lines were added
    Source: the comparison's plan to offer what is to last to the memory file (S2, section 10.3).

    The listener that migrates into a memory file emits the event (MEM_05); no compactor does.

    Scenario: One line
      When 1 new lines are written to the memory file "CLAUDE.md"
      Then the text is "memory updated: 1 line in CLAUDE.md"

    Scenario: Several lines
      When 3 new lines are written to the memory file "CLAUDE.md"
      Then the text is "memory updated: 3 lines in CLAUDE.md"
