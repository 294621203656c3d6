Feature: Events
  A user who waits for a compaction wants to know what happens: a line in a terminal, a record in a log, a message that
  the conversation continues from a summary. Each step emits an event with its numbers, and a listener cannot disturb the
  work.

  @CMP_06
  Rule: Each step of a compaction emits an event with its numbers
    Source: OpenCode's event after a compaction and the windowing plan's telemetry (S2, S3); a compaction that says
    nothing for half a minute looks like a fault (strands-agents/harness-sdk#1511).

    Scenario: A summary that is accepted at once
      Given a summarizer that answers "All went well."
      And the caller's prompt "Tell what happened so far."
      When the compactor compacts a conversation of 6 turns
      Then the events read
        | started, by hand: 12 messages leave, of 1,236 tokens         |
        | summarizing: attempt 1 after 0 ms, warm prefix, 1,547 tokens |
        | writing: All                                                 |
        | writing: went                                                |
        | writing: well.                                               |
        | compacted: 636 tokens of 1,236, 48.5% saved, by model        |

    Scenario: An attempt is rejected, and the next one is made
      Given a summarizer that answers "Overloaded" and then "All went well."
      And the caller's prompt "Tell what happened so far."
      When the compactor compacts a conversation of 6 turns
      Then the events read
        | started, by hand: 12 messages leave, of 1,236 tokens                       |
        | summarizing: attempt 1 after 0 ms, warm prefix, 1,547 tokens               |
        | writing: Overloaded                                                        |
        | rejected: attempt 1, error text: the whole text is an error: Overloaded    |
        | summarizing: attempt 2 after 1,000 ms, warm prefix, 1,547 tokens           |
        | writing: All                                                               |
        | writing: went                                                              |
        | writing: well.                                                             |
        | compacted: 636 tokens of 1,236, 48.5% saved, by model                      |

    Scenario: No attempt succeeds
      Given a summarizer that fails for good
      And the caller's prompt "Tell what happened so far."
      When the compactor compacts a conversation of 6 turns
      Then the events read
        | started, by hand: 12 messages leave, of 1,236 tokens                                                       |
        | summarizing: attempt 1 after 0 ms, warm prefix, 1,547 tokens                                               |
        | rejected: attempt 1, permanent: the key is not known                                                       |
        | failed: no summary after 1 attempt (warm prefix), the last: permanent: the key is not known; then template |
        | compacted: 665 tokens of 1,236, 46.2% saved, by template                                                   |

    Scenario Outline: The event of a failure counts the attempts
      Given a summarizer that <answers>
      When the compactor compacts a conversation of 6 turns
      Then the event of the failure counts <attempts> attempts

      Examples:
        | description    | answers        | attempts |
        | fails at once  | fails for good | 1        |
        | is asked again | is busy        | 3        |

    Scenario: If the policy raises the error, one event of a failure is the last
      Given a summarizer that fails for good
      And the caller's prompt "Tell what happened so far."
      And the answer to a failure is raise
      When the compactor compacts a conversation of 6 turns
      Then the events read
        | started, by hand: 12 messages leave, of 1,236 tokens                                                      |
        | summarizing: attempt 1 after 0 ms, warm prefix, 1,547 tokens                                              |
        | rejected: attempt 1, permanent: the key is not known                                                      |
        | failed: no summary after 1 attempt (warm prefix), the last: permanent: the key is not known; then nothing |

    Scenario: Old tool outputs are cleared
      Given a model with a context window of 200,000 tokens
      And a longest answer of 32,000 tokens
      And a conversation of 6 turns, each with a tool output of 30,000 tokens
      And a last response that reports 168,001 tokens
      When an automatic compaction runs
      Then the events read
        | started, automatic: 0 messages leave, of 180,036 tokens |
        | pruned: 3 outputs, 89,975 tokens; 90,056 cached tokens are read again                        |
        | compacted: 90,061 tokens of 180,036, 50.0% saved        |

    Scenario: If the summary is not used, the last event says so
      Given a conversation of
        | speaker | says    |
        | user    | First.  |
        | user    | Second. |
        | user    | Third.  |
        | user    | Fourth. |
      When the compactor compacts it
      Then the last event reads "failed: a summary would save nothing, the conversation is as it was; then nothing"

    Scenario: A compaction that does nothing emits no event
      Given a conversation of 2 turns
      When the compactor compacts it
      Then no event is emitted

  @CMP_06
  Rule: The event of a finished compaction holds the summary, which the new conversation holds too
    Source: the windowing plan's first open question, whether users see the summary (S3); they do.

    Scenario: The summary can be read in the event and in the conversation
      Given a summarizer that answers "All went well."
      When the compactor compacts a conversation of 6 turns
      Then the last event holds the summary that begins with "All went well."
      And the new conversation says "[Summary of the earlier conversation, written by brim]\n\nAll went well."

  @CMP_06
  Rule: A listener that fails does not stop a compaction
    Source: brim; hooks that fail or are blind are met in practice (anthropics/claude-code#44308).

    Scenario: The other listeners receive every event, and the compaction succeeds
      Given a summarizer that answers "All went well."
      And a listener that fails at every event
      When the compactor compacts a conversation of 6 turns, and warnings are recorded
      Then one warning names the failing listener
      And the last event holds the summary that begins with "All went well."

  @CMP_06
  Rule: The event of a memory file states how many lines were added
    Source: the comparison's plan to offer what is to last to the memory file (S2, section 10.3).

    The listener that migrates into a memory file emits the event (MEM_05); no compactor does.

    Scenario Outline: The file and the number of lines
      When an event reports <lines> new lines of the memory file "CLAUDE.md"
      Then its text is "memory updated: <text> in CLAUDE.md"

      Examples: One and several
        | lines | text    |
        | 1     | 1 line  |
        | 3     | 3 lines |
