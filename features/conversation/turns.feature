Feature: Turns
  A turn is what the user asked and all that was done about it. Turns are the measure of what is recent: pruning spares
  the last two of them, selection keeps the last three. So it matters that nothing counts as the user's word that a
  harness or a tool put into the user's side of the conversation.

  @CNV_02
  Rule: A turn begins with a message that a user wrote
    Source: the user turns that pruning counts in the comparison of OpenCode and Claude Code (S2, section 2); recorded
    sessions hold many messages on the user's side that no user wrote.

    Scenario Outline: The parts of a user's message decide whether it begins a turn
      Given a conversation of
        | speaker | answers   | says   | holds   |
        | user    | <answers> | <says> | <holds> |
      When its turns are found
      Then there are <turns> turns

      Examples: The user wrote it
        | description                 | answers | says   | holds                     | turns |
        | words                       |         | Go on. |                           | 1     |
        | an image                    |         |        | image                     | 1     |
        | a document                  |         |        | document                  | 1     |
        | a file                      |         |        | file                      | 1     |
        | a sub-task                  |         |        | sub-task                  | 1     |
        | what nobody knows           |         |        | hologram                  | 1     |
        | words after a result        | A       | Go on. |                           | 1     |
        | an image after a result     | A       |        | image                     | 1     |
        | words beside a compaction   |         | Go on. | compaction                | 1     |
        | an image, no visible word   |         | \n     | image                     | 1     |

      Examples: Nobody did
        | description                 | answers | says   | holds                     | turns |
        | a result                    | A       |        |                           | 0     |
        | two results                 | A, B    |        |                           | 0     |
        | no visible word             |         | \n     |                           | 0     |
        | a result, no visible word   | A       | \n     |                           | 0     |
        | a compaction alone          |         |        | compaction                | 0     |
        | nothing                     |         |        |                           | 0     |

    Scenario Outline: The request of a turn is the user's words
      Given a message of the user with the texts "<first>" and "<second>"
      When the turn that it begins is read
      Then the turn asks "<asks>" and answers ""

      Examples:
        | description         | first                                                                    | second                               | asks      |
        | words alone         | Go on.                                                                   | Now.                                 | Go on.\nNow. |
        | beside a reminder   | <system-reminder>a</system-reminder>                                     | Go on.                               | Go on.    |
        | behind a command    | <command-message>do</command-message><command-name>/do</command-name><command-args>it all</command-args> | <system-reminder>a</system-reminder> | /do it all |

    Scenario Outline: A message that the harness injected begins no turn
      Given a conversation of
        | speaker   | mark   |
        | <speaker> | <mark> |
      When its turns are found
      Then there are <turns> turns

      Examples:
        | description                       | speaker   | mark               | turns |
        | without a mark                    | user      |                    | 1     |
        | written by the harness            | user      | synthetic          | 0     |
        | a summary                         | user      | summary            | 0     |
        | written by the harness and pinned | user      | synthetic, pinned  | 0     |
        | pinned by the caller              | user      | pinned             | 1     |
        | a checkpoint of the user          | user      | checkpoint         | 1     |
        | the model's                       | assistant |                    | 0     |
        | the system's                      | system    |                    | 0     |

  @CNV_02
  Rule: A message that brim wrote, or a summary of Claude Code, begins no turn; its opening identifies a summary, all of its words any other
    Source: a decision of this project; a conversation kept as plain messages has no other place for the mark. The summaries
    of Claude Code all begin with the same sentence; taken for the user's, one took all the room of the user's words. Some
    agents merge neighboring messages of one speaker, so such a text may have the user's words, or results, beside it.

    Scenario Outline: The text of a message
      Given a message of the <speaker> with the lines "<lines>"
      When its marks are read
      Then it is marked "<marks>"

      Examples: brim wrote it
        | description          | speaker | lines                                                         | marks              |
        | a summary            | user    | [Summary of the earlier conversation, written by brim]\nFixed | synthetic, summary |
        | its first line alone | user    | [Summary of the earlier conversation, written by brim]        | synthetic, summary |
        | a continuation       | user    | [Continuation after compaction, written by brim]\n\nThe conversation goes on below. | synthetic |
        | a line break behind it | user  | [Continuation after compaction, written by brim]\n\nThe conversation goes on below.\n | synthetic |
        | a reminder behind it | user    | [Continuation after compaction, written by brim]\n\nThe conversation goes on below.\n\n<system-reminder>a</system-reminder> | synthetic |

      Examples: Claude Code wrote it
        | description          | speaker | lines                                                         | marks              |
        | a summary            | user    | This session is being continued from a previous conversation that ran out of context. It follows.\nFixed | synthetic, summary |

      Examples: brim did not
        | description              | speaker   | lines                                                          | marks |
        | the assistant's text     | assistant | [Summary of the earlier conversation, written by brim]\nFixed  | |
        | the line goes on         | user      | [Summary of the earlier conversation, written by brim] is what | |
        | the line stands second   | user      | See:\n[Summary of the earlier conversation, written by brim]   | |
        | another bracket          | user      | [Request]                                                      | |
        | a bracket left out       | user      | Continuation after compaction, written by brim                 | |
        | other words follow       | user      | [Continuation after compaction, written by brim]\nNever touch it. | |
        | words follow its own     | user      | [Continuation after compaction, written by brim]\n\nThe conversation goes on below. Never touch it. | |
        | words behind a reminder  | user      | [Continuation after compaction, written by brim]\n\nThe conversation goes on below.\n<system-reminder>a</system-reminder>\nNever touch it. | |

    Scenario Outline: The summary in OpenCode's form answers a question of brim
      Given a message of the user with the lines "<lines>"
      And an answer of the assistant in the form of a summary
      When both are read as a conversation
      Then the answer is marked "<marks>"

      Examples:
        | description             | lines                                                                                          | marks              |
        | behind brim's question  | [Continuation after compaction, written by brim]\n\nWhat happened in this conversation so far? | synthetic, summary |
        | behind a continuation   | [Continuation after compaction, written by brim]\n\nGo on.                                     | |
        | behind the user's words | What happened in this conversation so far?                                                     | |

    Scenario Outline: Of a message that holds words of the user too, these alone are the user's
      Given a message of the user with the texts "<first>" and "Never touch it."
      When the turn that it begins is read
      Then the turn asks "<asks>" and answers ""

      Examples:
        | description              | first | asks            |
        | a summary                | [Summary of the earlier conversation, written by brim]\nFixed | Never touch it. |
        | a continuation           | [Continuation after compaction, written by brim]\n\nThe conversation goes on below. | Never touch it. |
        | a summary of Claude Code | This session is being continued from a previous conversation that ran out of context. | Never touch it. |
        | other words of the user  | Mend it. | Mend it.\nNever touch it. |

    Scenario Outline: Several texts of brim's in one message, which some agents merge, begin no turn
      Given a message of the user with the texts "<first>" and "<second>"
      When its marks are read
      Then it is marked "<marks>"

      Examples:
        | description                 | first | second | marks |
        | a summary, a continuation   | [Summary of the earlier conversation, written by brim]\nFixed | [Continuation after compaction, written by brim]\n\nThe conversation goes on below. | synthetic, summary |
        | a continuation, a reminder  | [Continuation after compaction, written by brim]\n\nThe conversation goes on below. | <system-reminder>a</system-reminder> | synthetic |
        | a reminder, a continuation  | <system-reminder>a</system-reminder> | [Continuation after compaction, written by brim]\n\nThe conversation goes on below. | synthetic |
        | a continuation, a line break | [Continuation after compaction, written by brim]\n\nThe conversation goes on below. | \n | synthetic |

    Scenario: A continuation beside a tool result does not make it a message of the user's
      Given a conversation of
        | speaker   | calls | answers | says |
        | user      |       |         | Go.  |
        | assistant | A     |         |      |
        | user      |       | A       | [Continuation after compaction, written by brim]\n\nThe conversation goes on below. |
      When its turns are found
      Then there are 1 turns

    Scenario: The line is in a later part
      Given a message of the user whose second text is the line of a summary
      When its marks are read
      Then it is marked ""

  @CNV_03
  Rule: A turn ends where the next one begins
    Source: the turns that both codelets keep or summarize whole (S4, turn selection).

    Scenario: Two turns with tools
      Given a conversation of
        | speaker   | says        | calls | answers |
        | user      | Fix it.     |       |         |
        | assistant |             | A     |         |
        | tool      |             |       | A       |
        | assistant | Fixed.      |       |         |
        | user      | Test it.    |       |         |
        | assistant | Tested.     |       |         |
      When its turns are found
      Then the turns are
        | number | first | end | request  | answer  |
        | 0      | 0     | 4   | Fix it.  | Fixed.  |
        | 1      | 4     | 6   | Test it. | Tested. |

    Scenario: The user wrote twice in a row
      Given a conversation of
        | speaker   | says     |
        | user      | Fix it.  |
        | user      | Quickly. |
        | assistant | Fixed.   |
      When its turns are found
      Then the turns are
        | number | first | end | request  | answer |
        | 0      | 0     | 1   | Fix it.  |        |
        | 1      | 1     | 3   | Quickly. | Fixed. |

    Scenario: The harness wrote in the middle of a turn
      Given a conversation of
        | speaker   | says      | mark      |
        | user      | Fix it.   |           |
        | assistant | Fixed.    |           |
        | user      | Be brief. | synthetic |
        | assistant | Done.     |           |
      When its turns are found
      Then the turns are
        | number | first | end | request | answer |
        | 0      | 0     | 4   | Fix it. | Done.  |

    Scenario: An empty conversation
      Given a conversation of
        | speaker |
      When its turns are found
      Then there are 0 turns

  @CNV_03
  Rule: Messages before the first message of a user belong to no turn
    Source: a decision of this project, as the codelets begin with the user's first message (S4). What a harness says there
    stays with the system prompt, an earlier summary and the work after it do not: decision 0041.

    Scenario: The conversation begins with a summary
      Given a conversation of
        | speaker   | says         | mark    |
        | user      | Summary.     | summary |
        | assistant | Understood.  |         |
        | user      | Fix it.      |         |
      When its turns are found
      Then the turns are
        | number | first | end | request | answer |
        | 0      | 2     | 3   | Fix it. |        |

    Scenario: The first messages can be read as a turn without a request
      Given a conversation of
        | speaker   | says    | calls |
        | assistant | Hello.  | A     |
        | assistant | I look. |       |
        | user      | Fix it. |       |
      When its first 2 messages are read as turn 0
      Then the turn asks "" and answers "I look."

    Scenario: A conversation without a user's message
      Given a conversation of
        | speaker   | says        |
        | assistant | Hello.      |
      When its turns are found
      Then there are 0 turns

  @CNV_03
  Rule: A turn lists its tool calls, each with its result
    Source: what the anchors of both codelets look at in a turn (S4, anchor detection).

    Scenario: Calls that succeeded, failed and got no result
      Given a conversation of
        | speaker   | calls          | answers | fails | output        |
        | user      |                |         |       |               |
        | assistant | A Read, B Edit |         |       |               |
        | tool      |                | A       |       | Its lines.    |
        | tool      |                |         | B     | No such file. |
        | assistant | C Bash         |         |       |               |
      When its turns are found
      Then the first turn used
        | tool | given   | output        | outcome    |
        | Read | nothing | Its lines.    | succeeded  |
        | Edit | nothing | No such file. | failed     |
        | Bash | nothing |               | unanswered |

    Scenario: A call gets the nearest result after it
      Given a conversation of
        | speaker   | calls | answers | output |
        | user      |       |         |        |
        | tool      |       | A       | early  |
        | assistant | A     |         |        |
        | tool      |       | A       | first  |
        | tool      |       | A       | again  |
        | assistant | A     |         |        |
        | tool      |       | A       | second |
      When its turns are found
      Then the first turn used
        | tool | given   | output | outcome   |
        | Bash | nothing | first  | succeeded |
        | Bash | nothing | second | succeeded |

    Scenario: A call does not get the result of another call
      Given a conversation of
        | speaker   | calls | answers | output |
        | user      |       |         |        |
        | assistant | A     |         |        |
        | assistant | A     |         |        |
        | tool      |       | A       | late   |
      When its turns are found
      Then the first turn used
        | tool | given   | output | outcome    |
        | Bash | nothing |        | unanswered |
        | Bash | nothing | late   | succeeded  |

    Scenario: A result in the next turn is ignored
      Given a conversation of
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A     |         |
        | user      |       |         |
        | tool      |       | A       |
      When its turns are found
      Then the first turn used
        | tool | given   | output | outcome    |
        | Bash | nothing |        | unanswered |

    Scenario: A result beside the words that begin the next turn belongs to the call before them
      Given a conversation of
        | speaker   | calls | answers | fails | output       | says             |
        | user      |       |         |       |              | Fix it.          |
        | assistant | A     |         |       |              |                  |
        | user      |       |         | A     | 3 failed     | No, the lexer.   |
        | assistant | A     |         |       |              |                  |
        | user      |       | A       |       | 3 passed     | Go on.           |
      When its turns are found
      Then the first turn used
        | tool | given   | output   | outcome |
        | Bash | nothing | 3 failed | failed  |

    Scenario: The last text of the model is the turn's answer
      Given a conversation of
        | speaker   | says      | calls | answers |
        | user      | Fix it.   |       |         |
        | assistant | I look.   |       |         |
        | assistant | I see it. | A     |         |
        | tool      |           |       | A       |
        | assistant |           | B     |         |
      When its turns are found
      Then the turns are
        | number | first | end | request | answer    |
        | 0      | 0     | 5   | Fix it. | I see it. |

    Scenario Outline: A turn is marked if the user marked one of its messages
      Given a conversation of
        | speaker   | mark     |
        | user      | <first>  |
        | assistant | <second> |
        | user      |          |
      When its turns are found
      Then the first turn is <marked>

      Examples:
        | description      | first      | second     | marked     |
        | its first        | checkpoint |            | marked     |
        | a later one      |            | checkpoint | marked     |
        | none             |            |            | not marked |
        | another mark     | pinned     |            | not marked |
