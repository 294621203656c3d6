Feature: Turns
  A turn is what the user asked and all that was done about it. Turns are the measure of what is recent: pruning spares
  the last two of them, selection keeps the last three. So it matters that nothing counts as the user's word that a
  harness or a tool put into the user's side of the conversation.

  A conversation stands in a line, a comma between two messages. "A" is a call of the model with the result in the next
  message, and "call A" or "result A" is one without the other. A plus joins the parts of one message: "result A+user" is
  a result with words of the user behind it. "harness" is a message in the user's name that no user wrote.

  @CNV_02
  Rule: A turn begins with a message that a user wrote
    Source: the user turns that pruning counts in the comparison of OpenCode and Claude Code (S2, section 2); recorded
    sessions hold many messages on the user's side that no user wrote.

    Scenario Outline: The user wrote a part of it
      Given the conversation
        | speaker | answers   | says   | holds   |
        | user    | <answers> | <says> | <holds> |
      When the turns are found
      Then the messages that begin turns are "<value>"

      Examples:
        | description               | answers | says   | holds    | value |
        | words                     |         | Go on. |          | 0     |
        | an image                  |         |        | image    | 0     |
        | what nobody knows         |         |        | hologram | 0     |
        | words after a result      | A       | Go on. |          | 0     |
        | an image, no visible word |         | \n     | image    | 0     |

      Examples: The user wrote nothing of it
        | description        | answers | says | holds      | value |
        | a result           | A       |      |            |       |
        | no visible word    |         | \n   |            |       |
        | a compaction alone |         |      | compaction |       |

    Scenario Outline: A message that the harness injected begins no turn
      Given the conversation <message>
      When the turns are found
      Then the messages that begin turns are "<begins>"

      Examples:
        | description                       | message         | begins |
        | written by the harness            | harness         |        |
        | a summary                         | user summary    |        |
        | written by the harness and pinned | harness pinned  |        |
        | pinned by the caller              | user pinned     | 0      |
        | the model's                       | assistant       |        |

    Scenario Outline: The request of a turn is the user's words
      Given the conversation user "<first>"+user "<second>"
      When the turns are found
      Then the result is
        | asks   | answers |
        | <asks> |         |

      Examples:
        | description       | first                                                                                                    | second                               | asks         |
        | words alone       | Go on.                                                                                                   | Now.                                 | Go on.\nNow. |
        | beside a reminder | <system-reminder>a</system-reminder>                                                                     | Go on.                               | Go on.       |
        | behind a command  | <command-message>do</command-message><command-name>/do</command-name><command-args>it all</command-args> | <system-reminder>a</system-reminder> | /do it all   |

  @CNV_02
  Rule: A message that brim wrote, or a summary of Claude Code, begins no turn; its opening identifies a summary, all of its words any other
    Source: a decision of this project; a conversation kept as plain messages has no other place for the mark. The summaries
    of Claude Code all begin with the same sentence; taken for the user's, one took all the room of the user's words. Some
    agents merge neighboring messages of one speaker, so such a text may have the user's words, or results, beside it.

    Scenario Outline: brim or Claude Code wrote it
      Given the conversation user "<lines>"
      When the messages are read
      Then the conversation is
        | mark   |
        | <mark> |

      Examples:
        | description              | lines                                                                                                                       | mark               |
        | a summary                | [Summary of the earlier conversation, written by brim]\nFixed                                                               | synthetic, summary |
        | a continuation           | [Continuation after compaction, written by brim]\n\nThe conversation goes on below.                                         | synthetic          |
        | a reminder behind it     | [Continuation after compaction, written by brim]\n\nThe conversation goes on below.\n\n<system-reminder>a</system-reminder> | synthetic          |
        | a summary of Claude Code | This session is being continued from a previous conversation that ran out of context. It follows.\nFixed                    | synthetic, summary |

    Scenario Outline: Neither wrote it
      Given the conversation <message>
      When the messages are read
      Then the conversation is
        | mark |
        |      |

      Examples:
        | description              | message                                                                                                                                           |
        | the assistant's text     | assistant "[Summary of the earlier conversation, written by brim]\nFixed"                                                                         |
        | the line goes on         | user "[Summary of the earlier conversation, written by brim] is what"                                                                             |
        | other words follow       | user "[Continuation after compaction, written by brim]\nNever touch it."                                                                          |
        | words follow its own     | user "[Continuation after compaction, written by brim]\n\nThe conversation goes on below. Never touch it."                                        |

    Scenario Outline: The summary in OpenCode's form answers a question of brim
      Given the conversation user "<lines>", assistant "[Summary of the earlier conversation, written by brim]\n\nFixed."
      When the messages are read
      Then the conversation is
        | speaker   | mark   |
        | user      | <user> |
        | assistant | <mark> |

      Examples:
        | description             | lines                                                                                          | user      | mark               |
        | behind brim's question  | [Continuation after compaction, written by brim]\n\nWhat happened in this conversation so far? | synthetic | synthetic, summary |
        | behind a continuation   | [Continuation after compaction, written by brim]\n\nGo on.                                     |           |                    |

    Scenario: A summary on the model's side is no answer of a turn
      Given the conversation user "Go on.", assistant summary "Fixed.", assistant "It is green."
      When the turns are found
      Then the result is
        | asks   | answers      |
        | Go on. | It is green. |

    Scenario Outline: Of a message that holds words of the user too, these alone are the user's
      Given the conversation user "<first>"+user "Never touch it."
      When the turns are found
      Then the result is
        | asks   | answers |
        | <asks> |         |

      Examples:
        | description              | first                                                                                 | asks                      |
        | a summary                | [Summary of the earlier conversation, written by brim]\nFixed                         | Never touch it.           |
        | a summary of Claude Code | This session is being continued from a previous conversation that ran out of context. | Never touch it.           |

    Scenario Outline: Several texts of brim's in one message, which some agents merge, begin no turn
      Given the conversation user "<first>"+user "<second>"
      When the messages are read
      Then the conversation is
        | mark   |
        | <mark> |

      Examples:
        | description                  | first                                                                               | second                                                                              | mark               |
        | a summary, a continuation    | [Summary of the earlier conversation, written by brim]\nFixed                       | [Continuation after compaction, written by brim]\n\nThe conversation goes on below. | synthetic, summary |
        | a continuation, a reminder   | [Continuation after compaction, written by brim]\n\nThe conversation goes on below. | <system-reminder>a</system-reminder>                                                | synthetic          |

  @CNV_03
  Rule: A turn ends where the next one begins
    Source: the turns that both codelets keep or summarize whole (S4, turn selection).

    Scenario: Two turns with tools
      Given the conversation user "Fix it.", A, assistant "Fixed.", user "Test it.", assistant "Tested."
      When the turns are found
      Then the result is
        | turn | first | end | asks     | answers |
        | 0    | 0     | 4   | Fix it.  | Fixed.  |
        | 1    | 4     | 6   | Test it. | Tested. |

    Scenario: The harness wrote in the middle of a turn
      Given the conversation user "Fix it.", assistant "Fixed.", harness "Be brief.", assistant "Done."
      When the turns are found
      Then the result is
        | turn | first | end | asks    | answers |
        | 0    | 0     | 4   | Fix it. | Done.   |

  @CNV_03
  Rule: Messages before the first message of a user belong to no turn
    Source: a decision of this project, as the codelets begin with the user's first message (S4). What a harness says there
    stays with the system prompt, an earlier summary and the work after it do not: decision 0209.

    Scenario: The conversation begins with a summary
      Given the conversation user "Summary." summary, assistant "Understood.", user "Fix it."
      When the turns are found
      Then the result is
        | turn | first | end | asks    | answers |
        | 0    | 2     | 3   | Fix it. |         |

  @CNV_03
  Rule: A turn lists its tool calls, each with its result
    Source: what the anchors of both codelets look at in a turn (S4, anchor detection).

    Scenario Outline: A call gets the nearest result after it, within its turn or beside the words that end it
      Given the conversation user, <work>
      When the turns are found
      Then the tools used first are "<used>"

      Examples:
        | description                  | work                                                                                                | used                                                            |
        | one well, one badly, one not | call A Read+call B Edit, result A "Its lines.", result B failed "No such file.", call C             | Read "Its lines.", Edit failed "No such file.", Bash unanswered |
        | the nearest                  | result A "early", call A, result A "first", result A "again", A "second"                            | Bash "first", Bash "second"                                     |
        | not that of another call     | call A, call A, result A "late"                                                                     | Bash unanswered, Bash "late"                                    |
        | not one in the next turn     | call A, user, result A                                                                              | Bash unanswered                                                 |
        | beside the user's next words | call A, result A failed "3 failed"+user "No, the lexer.", call A, result A "3 passed"+user "Go on." | Bash failed "3 failed"                                          |

    Scenario: The last text of the model is the turn's answer
      Given the conversation user "Fix it.", assistant "I look.", assistant "I see it."+A, call B
      When the turns are found
      Then the result is
        | turn | first | end | asks    | answers   |
        | 0    | 0     | 5   | Fix it. | I see it. |

    Scenario Outline: A turn is marked if the user marked one of its messages
      Given the conversation <first>, <second>, user
      When the turns are found
      Then the turns marked are "<marked>"

      Examples:
        | description  | first           | second               | marked |
        | its first    | user checkpoint | assistant            | 0      |
        | a later one  | user            | assistant checkpoint | 0      |
        | none         | user            | assistant            |        |
        | another mark | user pinned     | assistant            |        |
