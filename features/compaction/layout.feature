Feature: Layout
  A compacted conversation holds, in this order: the harness text before the first turn and the pinned messages, the
  summary, and the messages that are kept word for word. A last message tells the model to continue where it was
  interrupted. The examples set what is
  kept to 33,600 tokens; the default is at most 25,000 (SEL_04).

  Background:
    Given a context window of 200,000 tokens with a keep target of 33,600 tokens

  @CMP_03
  Rule: The summary follows the pinned messages and precedes the kept ones
    Source: the comparison of OpenCode and Claude Code (S2, sections 2 and 7), where a summary takes the place of the
    history, and the windowing plan, which keeps recent messages behind it (S3).

    Scenario: Harness text and pinned messages come first, and the recent turns last
      Given a conversation of
        | speaker   | says       | mark      |
        | user      | Your file. | synthetic |
        | user      | First.     |           |
        | assistant | Done.      |           |
        | user      | Never lie. | pinned    |
        | user      | Second.    |           |
        | user      | Third.     |           |
        | user      | Fourth.    |           |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker | says                                                                     | mark               |
        | user    | Your file.                                                               | synthetic          |
        | user    | Never lie.                                                               | pinned             |
        | user    | [Summary of the earlier conversation, written by brim]\n\nAll went well. | synthetic, summary |
        | user    | Second.                                                                  |                    |
        | user    | Third.                                                                   |                    |
        | user    | Fourth.                                                                  |                    |

    Scenario: A pinned call and its result follow the summary if the conversation would begin with the assistant
      Given a conversation of
        | speaker   | says    | calls | answers | mark   |
        | user      | First.  |       |         |        |
        | assistant |         | A     |         | pinned |
        | tool      |         |       | A       |        |
        | user      | Second. |       |         |        |
        | user      | Third.  |       |         |        |
        | user      | Fourth. |       |         |        |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker   | says                                                                     | calls | answers |
        | user      | [Summary of the earlier conversation, written by brim]\n\nAll went well. |       |         |
        | assistant |                                                                          | A     |         |
        | tool      |                                                                          |       | A       |
        | user      | Second.                                                                  |       |         |
        | user      | Third.                                                                   |       |         |
        | user      | Fourth.                                                                  |       |         |

    Scenario: A pinned message after the user's last message stays after it
      Given a keep target of 200 tokens
      And a conversation of
        | speaker   | says   | tokens | mark   |
        | user      | First. |        |        |
        | user      | Go on. |        |        |
        | assistant | Noted. |        | pinned |
        | assistant |        | 300    |        |
        | assistant | Done.  |        |        |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker   | says                                                                     | mark               |
        | user      | [Summary of the earlier conversation, written by brim]\n\nAll went well. | synthetic, summary |
        | user      | Go on.                                                                   |                    |
        | assistant | Noted.                                                                   | pinned             |
        | assistant | Done.                                                                    |                    |

    Scenario: The new summary replaces an earlier one
      Given a conversation of
        | speaker   | says           | mark    |
        | user      | Earlier work.  | summary |
        | assistant | I went on.     |         |
        | user      | First.         |         |
        | user      | Second.        |         |
        | user      | Third.         |         |
        | user      | Fourth.        |         |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker | says                                                                     |
        | user    | [Summary of the earlier conversation, written by brim]\n\nAll went well. |
        | user    | Second.                                                                  |
        | user    | Third.                                                                   |
        | user    | Fourth.                                                                  |

    Scenario: In OpenCode's form the summary is the assistant's answer to a question, and replaces an earlier pair
      Given the profile opencode-2025
      And a conversation of
        | speaker   | says           | mark      |
        | user      | What was done? | synthetic |
        | assistant | This and that. | summary   |
        | user      | First.         |           |
        | user      | Second.        |           |
        | user      | Third.         |           |
        | user      | Fourth.        |           |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker   | says                                                                                           | mark               |
        | user      | [Continuation after compaction, written by brim]\n\nWhat happened in this conversation so far? | synthetic          |
        | assistant | [Summary of the earlier conversation, written by brim]\n\nAll went well.                       | synthetic, summary |
        | user      | Second.                                                                                        |                    |
        | user      | Third.                                                                                         |                    |
        | user      | Fourth.                                                                                        |                    |
      And its dictionaries hold the same

  @CMP_03
  Rule: After an automatic compaction in the middle of a tool loop, a final message tells the model to continue
    Source: OpenCode's message after an automatic compaction, as quoted in the comparison (S2, section 2), and the
    windowing plan's continuation (S3).

    Scenario Outline: Only an automatic compaction in a tool loop adds the message
      Given a conversation that ends <end>
      And a last response that reports 190,000 tokens
      When <kind> compaction writes the summary "All went well."
      Then the conversation <ends> with the message to continue

      Examples:
        | description                 | end                        | kind         | ends         |
        | automatic, in a tool loop   | with a tool result         | an automatic | ends         |
        | manual, in a tool loop      | with a tool result         | a manual     | does not end |
        | automatic, after an answer  | with an answer             | an automatic | does not end |
        | automatic, before a request | with a request of the user | an automatic | does not end |

    Scenario: A conversation that would end with the summary as the assistant's answer ends with the message instead
      Given the profile opencode-2025
      And a conversation of
        | speaker   | says     | tokens | mark   |
        | user      | Mend it. |        | pinned |
        | assistant | Mended.  | 90,000 |        |
      When a manual compaction writes the summary "All went well."
      Then the conversation ends with the message to continue

    Scenario: A message to continue that is kept is not repeated
      Given a conversation that ends with a tool result
      And a last response that reports 190,000 tokens
      And after it came
        | speaker | says                                             | mark      |
        | user    | [Continuation after compaction, written by brim]\n\nThe conversation was compacted in the middle of your work. Go on with the last request from where the summary and the messages after it leave off, without asking again for what they already tell. | synthetic |
      When an automatic compaction writes the summary "All went well."
      Then 1 message tells the model to continue

    Scenario Outline: If unfinished loops go into the summary, the message follows, also behind a pinned result
      Given unfinished tool loops go into the summary
      And a conversation of 4 turns
      And after it came
        | speaker   | thinks | calls | answers | mark  |
        | user      |        |       |         |       |
        | assistant | Hm.    | A     |         | <pin> |
        | tool      |        |       | A       |       |
        | assistant | Well.  | B     |         |       |
        | tool      |        |       | B       |       |
      When a manual compaction writes the summary "All went well."
      Then the conversation <ends> with the message to continue

      Examples:
        | description                | pin    | ends         |
        | a pinned result stays      | pinned | ends         |
        | no result stays            |        | ends         |

    Scenario Outline: If unfinished loops go into the summary, the results that the model has not seen stay in words
      Given unfinished tool loops go into the summary
      And a conversation of
        | speaker   | thinks | calls | answers | says     | output     | tokens |
        | user      |        |       |         | Start.   |            |        |
        | assistant |        |       |         |          |            | 30,000 |
        | user      |        |       |         | Mend it. |            |        |
        | assistant | Hm.    | A     |         |          |            |        |
        | user      |        |       | A       |          | one passed |        |
        | assistant | Hm.    | B     |         |          |            |        |
        | user      |        |       | B       | <words>  | two passed |        |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker | says                                                                     |
        | user    | [Summary of the earlier conversation, written by brim]\n\nAll went well. |
        | user    | <first>  |
        | user    | <second> |

      Examples:
        | description            | words    | first    | second |
        | nothing follows        |          | Mend it. | [Continuation after compaction, written by brim]\n\nThe conversation was compacted in the middle of your work. Go on with the last request from where the summary and the messages after it leave off, without asking again for what they already tell.\n\nThe results of your last calls, which you have not seen yet:\n\nBash returned:\ntwo passed |
        | words stand beside it  | No, two. | [Continuation after compaction, written by brim]\n\nThe conversation was compacted in the middle of your work. Go on with the last request from where the summary and the messages after it leave off, without asking again for what they already tell.\n\nThe results of your last calls, which you have not seen yet:\n\nBash returned:\ntwo passed | No, two. |

    Scenario: If unfinished loops go into the summary, a result that the model has not seen says that it failed
      Given unfinished tool loops go into the summary
      And a conversation of
        | speaker   | thinks | calls | fails | says     | output     | tokens |
        | user      |        |       |       | Start.   |            |        |
        | assistant |        |       |       |          |            | 30,000 |
        | user      |        |       |       | Mend it. |            |        |
        | assistant | Hm.    | A     |       |          |            |        |
        | user      |        |       | A     |          | one failed |        |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker | says                                                                     |
        | user    | [Summary of the earlier conversation, written by brim]\n\nAll went well. |
        | user    | Mend it. |
        | user    | [Continuation after compaction, written by brim]\n\nThe conversation was compacted in the middle of your work. Go on with the last request from where the summary and the messages after it leave off, without asking again for what they already tell.\n\nThe results of your last calls, which you have not seen yet:\n\nBash failed:\none failed |

    Scenario Outline: Calls of one response in several messages give the unseen results their names
      Given unfinished tool loops go into the summary
      And a conversation of
        | speaker   | thinks | asks   | answers | calls   | says     | output     | tokens | response |
        | user      |        |        |         |         | Start.   |            |        |          |
        | assistant |        |        |         |         |          |            | 30,000 |          |
        | user      |        |        |         |         | Mend it. |            |        |          |
        | assistant | Hm.    | <asks> |         | <first> |          |            |        | one      |
        | assistant |        |        | <found> | B Grep  |          |            |        | one      |
        | user      |        |        | <ids>   |         |          | two passed |        |          |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker | says                                                                     |
        | user    | [Summary of the earlier conversation, written by brim]\n\nAll went well. |
        | user    | Mend it. |
        | user    | [Continuation after compaction, written by brim]\n\nThe conversation was compacted in the middle of your work. Go on with the last request from where the summary and the messages after it leave off, without asking again for what they already tell.\n\nThe results of your last calls, which you have not seen yet:\n\n<told> |

      Examples:
        | description                            | asks | found | first  | ids  | told                                                 |
        | each message has a call                |      |       | A Read | A, B | Read returned:\ntwo passed\n\nGrep returned:\ntwo passed |
        | the model has seen the provider's result | S  | S     |        | B    | Grep returned:\ntwo passed                           |

    Scenario Outline: If unfinished loops go into the summary, unseen results count once, also with words beside them
      Given a model with a context window of 60,000 tokens
      And unfinished tool loops go into the summary
      And a conversation of
        | speaker   | thinks | calls | answers | says     | tokens |
        | user      |        |       |         | Start.   |        |
        | assistant |        |       |         |          | 6,000  |
        | user      |        |       |         | Mend it. |        |
        | assistant | Hm.    | A     |         |          |        |
        | user      |        |       | A       | <words>  | 15,000 |
      When a manual compaction writes the summary "All went well."
      Then the model reads the results of its last calls in words
      And the plan and the new conversation differ by at most 200 tokens

      Examples:
        | description           | words    |
        | nothing follows       |          |
        | words stand beside it | No, two. |

    Scenario: The user's text beside results that the model has not seen is kept with them
      Given a conversation of 4 turns
      And after it came
        | speaker   | thinks | calls | answers | says      |
        | user      |        |       |         | Mend it.  |
        | assistant | Hm.    | A     |         |           |
        | user      |        |       | A       | No, stop. |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker | says                                                                     | answers |
        | user    | [Summary of the earlier conversation, written by brim]\n\nAll went well. |         |
        | assistant |                                                                        |         |
        | user    | No, stop.                                                                | A       |
        | assistant | [Interruption for compaction, written by brim]                         |         |
        | user    | [Continuation after compaction, written by brim]\n\nThe conversation was compacted in the middle of your work. Go on with the last request from where the summary and the messages after it leave off, without asking again for what they already tell. | |

  @CMP_03
  Rule: An unfinished tool loop that loses its thinking is closed by a line of the assistant and resumed by the message to continue
    Source: a decision of this project (0115); a provider asks for the thinking of a loop while results are the last
    messages, and of a finished loop it does not. The field: anomalyco/opencode#50814.

    Scenario: The newest calls and results are kept as messages
      Given a conversation of
        | speaker   | thinks | says   | calls | answers | tokens |
        | user      |        |        |       |         | 9,000  |
        | user      |        | Go on. |       |         |        |
        | assistant | Hm.    |        | A     |         |        |
        | tool      |        |        |       | A       |        |
        | assistant | Well.  | More.  | B     |         |        |
        | tool      |        |        |       | B       |        |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker   | thinks | says                                                                     | calls | answers |
        | user      |        | [Summary of the earlier conversation, written by brim]\n\nAll went well. |       |         |
        | user      |        | Go on.                                                                   |       |         |
        | assistant |        |                                                                          | A     |         |
        | tool      |        |                                                                          |       | A       |
        | assistant |        | More.                                                                    | B     |         |
        | tool      |        |                                                                          |       | B       |
        | assistant |        | [Interruption for compaction, written by brim]                           |       |         |
        | user      |        | [Continuation after compaction, written by brim]\n\nThe conversation was compacted in the middle of your work. Go on with the last request from where the summary and the messages after it leave off, without asking again for what they already tell. | | |

    Scenario: The user's words behind the results resume the loop
      Given a conversation of
        | speaker   | thinks | says   | calls | answers | tokens |
        | user      |        |        |       |         | 9,000  |
        | user      |        | Go on. |       |         |        |
        | assistant | Hm.    |        | A     |         |        |
        | tool      |        |        |       | A       |        |
        | user      |        | Stop.  |       |         |        |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker   | thinks | says                                                                     | calls | answers |
        | user      |        | [Summary of the earlier conversation, written by brim]\n\nAll went well. |       |         |
        | user      |        | Go on.                                                                   |       |         |
        | assistant |        |                                                                          | A     |         |
        | tool      |        |                                                                          |       | A       |
        | assistant |        | [Interruption for compaction, written by brim]                           |       |         |
        | user      |        | Stop.                                                                    |       |         |

    Scenario: Compacting the result again does nothing
      Given a conversation that ends in an unfinished tool loop with thinking
      When a manual compaction writes the summary "All went well."
      Then a second manual compaction changes nothing

    Scenario: The lines leave with the next compaction in the same loop, and come once
      Given a conversation of
        | speaker   | thinks | says   | calls | answers | tokens |
        | user      |        |        |       |         | 9,000  |
        | user      |        | Go on. |       |         |        |
        | assistant | Hm.    |        | A     |         |        |
        | tool      |        |        |       | A       |        |
      And a manual compaction writes the summary "All went well."
      And after its result came
        | speaker   | thinks | calls | answers | tokens |
        | assistant | So.    | B     |         | 90,000 |
        | tool      |        |       | B       |        |
      When an automatic compaction of all that writes the summary "Still well."
      Then 1 message tells the model to continue
      And 1 message closes a tool loop

  @CMP_03
  Rule: Kept messages lose their thinking, because the history it is bound to is gone
    Source: newer Claude models answer a request that changed what precedes a thinking block with an error; see the rules
    on thinking.

    Scenario: A kept answer loses only its thinking
      Given a conversation of
        | speaker   | thinks | says    |
        | user      |        | First.  |
        | assistant | Hm.    | Done.   |
        | user      |        | Second. |
        | assistant | Well.  | Yes.    |
        | user      |        | Third.  |
        | user      |        | Fourth. |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker   | thinks | says                                                                     |
        | user      |        | [Summary of the earlier conversation, written by brim]\n\nAll went well. |
        | user      |        | Second.                                                                  |
        | assistant |        | Yes.                                                                     |
        | user      |        | Third.                                                                   |
        | user      |        | Fourth.                                                                  |

    Scenario: A pinned result without its thinking is closed too
      Given a conversation of
        | speaker   | thinks | says    | calls | answers | mark   |
        | user      |        | First.  |       |         |        |
        | assistant | Hm.    |         | A     |         | pinned |
        | tool      |        |         |       | A       |        |
        | assistant |        | Done.   |       |         |        |
        | user      |        | Second. |       |         |        |
        | user      |        | Third.  |       |         |        |
        | user      |        | Fourth. |       |         |        |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker   | says                                                                     | calls | answers |
        | user      | [Summary of the earlier conversation, written by brim]\n\nAll went well. |       |         |
        | assistant |                                                                          | A     |         |
        | tool      |                                                                          |       | A       |
        | assistant | [Interruption for compaction, written by brim]                           |       |         |
        | user      | Second.                                                                  |       |         |
        | user      | Third.                                                                   |       |         |
        | user      | Fourth.                                                                  |       |         |

    Scenario: A pinned result that was closed once is closed again by the next compaction
      Given a conversation of
        | speaker   | says                                                                      | thinks | calls | answers | mark               | tokens |
        | user      | [Summary of the earlier conversation, written by brim]\n\nAll went well. |        |       |         | synthetic, summary |        |
        | assistant |                                                                           |        | A     |         | pinned             |        |
        | tool      |                                                                           |        |       | A       | pinned             |        |
        | assistant | [Interruption for compaction, written by brim]                            |        |       |         | synthetic          |        |
        | user      | First.                                                                    |        |       |         |                    |        |
        | assistant |                                                                           |        |       |         |                    | 2,000  |
        | user      | Second.                                                                   |        |       |         |                    |        |
        | user      | Third.                                                                    |        |       |         |                    |        |
        | user      | Fourth.                                                                   |        |       |         |                    |        |
      When a manual compaction writes the summary "Still well."
      Then the new conversation is
        | speaker   | says                                                                  | calls | answers |
        | user      | [Summary of the earlier conversation, written by brim]\n\nStill well. |       |         |
        | assistant |                                                                       | A     |         |
        | tool      |                                                                       |       | A       |
        | assistant | [Interruption for compaction, written by brim]                        |       |         |
        | user      | Second.                                                               |       |         |
        | user      | Third.                                                                |       |         |
        | user      | Fourth.                                                               |       |         |
      And the next request is accepted, thinking with a budget

    Scenario Outline: Results that the model has not seen stand behind a pinned call and its result
      Given unfinished tool loops go into the summary
      And a conversation of
        | speaker   | thinks | calls | answers | says     | output     | tokens | mark     |
        | user      |        |       |         | Start.   |            |        |          |
        | assistant |        |       |         |          |            | 30,000 |          |
        | user      |        |       |         | Mend it. |            |        |          |
        | assistant | Hm.    | A     |         |          |            |        |          |
        | tool      |        |       | A       |          | one passed |        |          |
        | assistant | Hm.    | B     |         |          |            |        | <call>   |
        | tool      |        |       | B       |          | two passed |        | <result> |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker   | calls | answers |
        | user      |       |         |
        | user      |       |         |
        | assistant | B     |         |
        | tool      |       | B       |
        | assistant |       |         |
        | user      |       |         |
      And the model reads the results of its last calls in words
      And the next request is accepted, thinking with a budget

      Examples:
        | description          | call   | result |
        | the call is pinned   | pinned |        |
        | the result is pinned |        | pinned |

    Scenario: If the user's only message is pinned too, the pinned result precedes the summary, and in words it follows
      Given unfinished tool loops go into the summary
      And a conversation of
        | speaker   | thinks | calls | answers | says     | output     | tokens | mark   |
        | user      |        |       |         | Mend it. |            |        | pinned |
        | assistant | Hm.    | A     |         |          |            |        |        |
        | tool      |        |       | A       |          | one passed | 30,000 |        |
        | assistant | Hm.    | B     |         |          |            |        | pinned |
        | tool      |        |       | B       |          | two passed |        |        |
      When a manual compaction writes the summary "All went well."
      Then the new conversation is
        | speaker   | calls | answers | says                                                                     |
        | user      |       |         | Mend it.                                                                 |
        | assistant | B     |         |                                                                          |
        | tool      |       | B       |                                                                          |
        | assistant |       |         | [Interruption for compaction, written by brim]                           |
        | user      |       |         | [Summary of the earlier conversation, written by brim]\n\nAll went well. |
        | user      |       |         | [Continuation after compaction, written by brim]\n\nThe conversation was compacted in the middle of your work. Go on with the last request from where the summary and the messages after it leave off, without asking again for what they already tell.\n\nThe results of your last calls, which you have not seen yet:\n\nBash returned:\ntwo passed |
      And the next request is accepted, thinking with a budget

    Scenario Outline: A pinned result is closed unless the response before it begins with its thinking
      Given a conversation of
        | speaker   | thinks   | says    | calls | answers | mark   |
        | user      |          | First.  |       |         | pinned |
        | assistant | <before> | I look. |       |         | pinned |
        | assistant | Hm.      |         | A     |         | pinned |
        | tool      |          |         |       | A       |        |
        | assistant |          | Done.   |       |         |        |
        | user      |          | Second. |       |         |        |
        | user      |          | Third.  |       |         |        |
        | user      |          | Fourth. |       |         |        |
      When a manual compaction writes the summary "All went well."
      Then <count> message closes a tool loop

      Examples:
        | description      | before | count |
        | words come first |        | 1     |
        | it thought first | So.    | 0     |

    Scenario Outline: A tool loop that is answered by thinking alone is closed
      Given a conversation of
        | speaker   | thinks | says   | calls | answers | tokens |
        | user      |        | First. |       |         |        |
        | assistant |        | Done.  |       |         | 2,000  |
        | user      |        | Next.  |       |         |        |
        | user      |        | More.  |       |         |        |
        | user      |        | Go on. |       |         |        |
        | assistant | Hm.    |        | A     |         |        |
        | tool      |        |        |       | A       |        |
        | assistant | Well.  | <says> |       |         |        |
        | user      |        | <then> |       |         |        |
      When the compactor compacts it
      Then <count> message closes a tool loop
      And the next request is accepted, thinking with a budget

      Examples:
        | description                          | says  | then  | count |
        | thinking alone ends the conversation |       |       | 1     |
        | the user speaks after thinking alone |       | Stop. | 1     |
        | the model has answered               | Done. | Stop. | 0     |

    Scenario: Thinking before every removed message stays
      Given a conversation of
        | speaker   | thinks | says    | mark   |
        | user      |        | Rules.  | pinned |
        | assistant | Hm.    | Agreed. | pinned |
        | user      |        | First.  |        |
        | assistant | So.    | Noted.  | pinned |
        | user      |        | Second. |        |
        | user      |        | Third.  |        |
        | user      |        | Fourth. |        |
      When a manual compaction writes the summary "All went well."
      Then 1 message holds thinking

    Scenario: After a pruning, a message of brim's precedes a first message of the model
      Given a conversation of
        | speaker   | calls | answers | tokens |
        | assistant | A     |         |        |
        | tool      |       | A       | 60,000 |
        | user      |       |         | 50,000 |
        | user      |       |         |        |
        | user      |       |         |        |
      And a last response that reports 168,001 tokens
      When an automatic compaction writes the summary ""
      Then the new conversation is
        | speaker   | mark      |
        | user      | synthetic |
        | assistant |           |
        | tool      |           |
        | user      |           |
        | user      |           |
        | user      |           |

    Scenario: After a pruning, thinking before the first cleared output stays
      Given a conversation of 6 turns, each with thinking before a tool output of 30,000 tokens
      And a last response that reports 168,001 tokens
      When an automatic compaction writes the summary ""
      Then 1 message holds thinking
