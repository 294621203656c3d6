Feature: Layout
  A compacted conversation holds, in this order: the harness text before the first turn and the pinned messages, the
  summary, and the messages that are kept word for word. A last message tells the model to continue where it was
  interrupted. The examples set what is kept to 33,600 tokens; the default is at most 15,000 (SEL_04).

  In a conversation `summary`, `interruption` and `continuation` are the messages that brim writes, each below a line by
  which it is known: the summary, the answer that closes a tool loop, and the request to continue. In every example the
  provider accepts the new conversation, also if the model thinks with a budget.

  Background:
    Given a model with window 200,000
    And the settings keep target 33,600

  @CMP_03
  Rule: The summary follows the pinned messages and precedes the kept ones
    Source: the comparison of OpenCode and Claude Code (S2, sections 2 and 7), where a summary takes the place of the
    history, and the windowing plan, which keeps recent messages behind it (S3).

    Scenario Outline: Harness text and pinned messages come first, and the recent turns last
      Given the conversation <before>, user "Second.", user "Third.", user "Fourth."
      When a compaction by hand writes "All went well."
      Then the conversation is <after>, user "Second.", user "Third.", user "Fourth."

      Examples:
        | description                                 | before                                          | after                                                    |
        | harness text and a pinned message           | harness, user, assistant, user "No lie." pinned | harness, user "No lie." pinned, summary "All went well." |
        | it would begin with a call of the assistant | user, call A pinned, result A                   | summary "All went well.", call A pinned, result A        |
        | the new summary replaces an earlier one     | user "Earlier work." summary, assistant, user   | summary "All went well."                                 |

    Scenario: A pinned message after the user's last message stays after it
      Given the settings keep target 200
      And the conversation user, user "Go on.", assistant "Noted." pinned, assistant 300, assistant "Done."
      When a compaction by hand writes "All went well."
      Then the conversation is summary "All went well.", user "Go on.", assistant "Noted." pinned, assistant "Done."

    Scenario Outline: In OpenCode's form the summary is the assistant's answer to a question
      Given the settings profile opencode-2025
      And the conversation <before>
      When a compaction by hand writes "All went well."
      Then the conversation is <after>

      Examples:
        | description                       | before                                                            | after                                                              |
        | it replaces an earlier pair       | harness, assistant summary, user, user "B.", user "C.", user "D." | question, answer "All went well.", user "B.", user "C.", user "D." |
        | the model continues from no other | user pinned, assistant 90,000                                     | user pinned, question, answer "All went well.", continuation       |

  @CMP_03
  Rule: After an automatic compaction in the middle of a tool loop, a final message tells the model to continue
    Source: OpenCode's message after an automatic compaction, as quoted in the comparison (S2, section 2), and the
    windowing plan's continuation (S3).

    Scenario Outline: Where the loop stays, only an automatic compaction adds the message, once
      Given the conversation 3 turns, <end>
      And a last response that reports 190,000 tokens
      When a compaction <how> writes "All went well."
      Then the layout is "…<new end>"

      Examples:
        | description                 | end                        | how           | new end                              |
        | automatic, in a tool loop   | user, A 1                  | automatically | user, call A, result A, continuation |
        | manual, in a tool loop      | user, A 1                  | by hand       | user, call A, result A               |
        | automatic, before a request | user, A 1, assistant, user | automatically | result A, assistant, user            |
        | it is there already         | user, A 1, continuation    | automatically | user, call A, result A, continuation |

    Scenario: The user's text beside results that the model has not seen is kept with them
      Given the conversation 4 turns, user "Mend it.", call A thinking, result A "one"+user "No, stop."
      When a compaction by hand writes "All went well."
      Then the conversation is summary "All went well.", call A, result A "one"+user "No, stop.", interruption, continuation

  @CMP_03
  Rule: An unfinished tool loop that loses its thinking is closed by a line of the assistant and resumed by the message to continue
    Source: a decision of this project (0211); a provider asks for the thinking of a loop while results are the last
    messages, and of a finished loop it does not. The field: anomalyco/opencode#50814.

    Scenario Outline: The newest calls and results are kept as messages, and words of the user behind them resume the loop
      Given the conversation user 9,000, user "Go on.", A thinking, <next>
      When a compaction by hand writes "All went well."
      Then the conversation is summary "All went well.", user "Go on.", A, <new>

      Examples:
        | description              | next                         | new                                             |
        | brim's message           | assistant "More." thinking+B | assistant "More."+B, interruption, continuation |
        | the user's words instead | user "Stop."                 | interruption, user "Stop."                      |

    Scenario: The lines leave with the next compaction in the same loop, and come once
      Given the conversation summary "So far.", user "Go on.", A, interruption, continuation, assistant 90,000 thinking+B
      And a last response that reports 190,000 tokens
      When a compaction automatically writes "All went well."
      Then the layout is "summary, user, call B, result B, interruption, continuation"

  @CMP_03
  Rule: Kept messages lose their thinking, because the history it is bound to is gone
    Source: newer Claude models answer a request that changed what precedes a thinking block with an error; see the rules
    on thinking.

    Scenario Outline: A pinned result without its thinking is closed, again by each compaction
      Given the conversation <before>, user "B.", user "C.", user "D."
      When a compaction by hand writes "All went well."
      Then the conversation is <after>, user "B.", user "C.", user "D."

      Examples:
        | description | before                                                                                 | after                                                                  |
        | it loses it | user, call A thinking pinned, result A, assistant                                      | summary "All went well.", call A pinned, result A, interruption        |
        | it lost it  | summary "So far.", call A pinned, result A pinned, interruption, user, assistant 2,000 | summary "All went well.", call A pinned, result A pinned, interruption |

    Scenario Outline: A tool loop that is answered by thinking alone is closed
      Given the conversation user, assistant 2,000, user, user, user "Go on.", A thinking, <end>
      When a compaction by hand writes "All went well."
      Then the layout is "summary, <turns>, call A, result A, <new end>"

      Examples:
        | description                          | end                      | turns            | new end                    |
        | thinking alone ends the conversation | thought                  | user, user, user | interruption, continuation |
        | the user speaks after thinking alone | thought, user            | user, user       | interruption, user         |

    Scenario: Thinking before every removed message stays
      Given the conversation
        | speaker   | thinks | says    | mark   |
        | user      |        | Rules.  | pinned |
        | assistant | Hm.    | Agreed. | pinned |
        | user      |        | First.  |        |
        | assistant | So.    | Noted.  | pinned |
        | user      |        | Second. |        |
        | user      |        | Third.  |        |
        | user      |        | Fourth. |        |
      When a compaction by hand writes "All went well."
      Then the layout is "user, assistant thinking, assistant, summary, user, user, user"

    Scenario Outline: After a pruning thinking before the first cleared output stays, and the user speaks first
      Given the conversation <conversation>
      And a last response that reports 168,001 tokens
      When a compaction automatically writes ""
      Then the layout is "<layout>"

      Examples:
        | description                 | conversation                      | layout                                                                                                                                                      |
        | the model spoke first       | A 60,000, user 50,000, user, user | opening, call A, result A, user, user, user                                                                                                                 |
        | thinking before each output | 4 turns of 60,000 thinking        | user, call A1 thinking, result A1, assistant, user, call A2, result A2, assistant, user, call A3, result A3, assistant, user, call A4, result A4, assistant |
