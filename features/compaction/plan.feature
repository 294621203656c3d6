Feature: Plan
  A plan states what a compaction would do before it happens: which outputs are cleared, which messages stay, which are
  summarized, and why. A user can read it, price it and refuse it. It is made from the conversation alone, without a call
  to a model, and changes nothing: in every example a second plan is equal to the first.

  The examples set the limit of what is kept, such as 33,600 tokens; the default is a fifth of the conversation, and at most 15,000 tokens
  (SEL_04). Messages are counted from 0. "harness" is a message that a harness wrote in the user's name, "A thinking" a
  call that the model thought about before, with its output.

  Background:
    Given a model with window 200,000
    And the settings keep target 33,600

  @CMP_01
  Rule: An automatic compaction clears old tool outputs, and summarizes only if the window would stay due; a manual one summarizes at once
    Source: OpenCode's two levels, pruning and compaction, in the comparison of OpenCode and Claude Code (S2, section 2).

    Scenario Outline: An automatic compaction does no more than it has to
      Given the conversation 6 turns of 30,000
      And a last response that reports <held> tokens
      When a compaction is planned automatically
      Then the result is
        | does   | outputs cleared | saved   |
        | <does> | <cleared>       | <saved> |

      Examples: 168,000 tokens are usable, and pruning saves 89,975
        | description            | held    | does           | cleared    | saved  |
        | exactly full           | 168,000 | nothing        |            | 0      |
        | one token over         | 168,001 | clears outputs | A3, A2, A1 | 89,975 |
        | just enough is saved   | 257,975 | clears outputs | A3, A2, A1 | 89,975 |
        | one token is not saved | 257,976 | summarizes     |            | 0      |

    Scenario Outline: Outputs that are summarized are not cleared first
      Given the settings pruning <pruning>
      And the conversation 6 turns of 30,000
      And a last response that reports <held> tokens
      When a compaction is planned <how>
      Then the result is
        | does       | outputs cleared |
        | summarizes |                 |

      Examples:
        | description               | pruning | held    | how           |
        | manual, not due           | on      | 20,000  | by hand       |
        | automatic, pruning is off | off     | 168,001 | automatically |

  @CMP_02
  Rule: A plan states for each message whether it is kept, cleared or summarized, and why
    Source: a decision of this project, so that a compaction can be read and refused before it happens. S2, section 2,
    has the choice of what is summarized as a step of Claude Code.

    Scenario Outline: The recent turns are kept, or everything from the newest anchor before them
      Given the conversation <conversation>
      When a compaction is planned by hand
      Then the fates are "<fates>"
      And the anchor is "<anchor>"

      Examples:
        | description      | conversation                                                  | fates                                                             | anchor                    |
        | the recent turns | user, assistant, user, assistant, user, assistant, user       | 0, 1 summarized: before the cut; 2, 3, 4, 5, 6 kept: recent turns |                           |
        | an anchor        | user, assistant, user checkpoint, assistant, user, user, user | 0, 1 summarized: before the cut; 2, 3, 4, 5, 6 kept: anchor       | turn 1, a user checkpoint |

    Scenario: The lines with which a tool loop was closed and resumed leave once the model has answered
      Given the settings keep target 200
      And the conversation user 9,000, user "Go on.", A, interruption, harness "[Continuation after compaction, written by brim]", assistant "Done."
      When a compaction is planned by hand
      Then the fates are
        | 0 summarized: before the cut                                  |
        | 1, 2, 3 kept: cut inside the recent turns                     |
        | 4, 5 summarized: a line of brim's that the model has answered |
        | 6 kept: cut inside the recent turns                           |
      And the characters removed are "36,094"

    Scenario: The harness text before the first turn, pinned messages and the user's last message are kept
      Given the settings keep target 200
      And the conversation harness 10, user 10, assistant 10 pinned, assistant 300, user 10, assistant 150, assistant 150
      When a compaction is planned by hand
      Then the fates are
        | 0 kept: before the first turn       |
        | 1 summarized: before the cut        |
        | 2 kept: pinned                      |
        | 3 summarized: before the cut        |
        | 4 kept: the user's last message     |
        | 5 summarized: before the cut        |
        | 6 kept: cut inside the recent turns |

    Scenario Outline: The messages before the first turn are kept only if they are harness text
      Given the conversation <conversation>, user, user, user, user
      When a compaction is planned by hand
      Then the fates are "<fates>; 3, 4, 5 kept: recent turns"

      Examples:
        | description                   | conversation            | fates                                                                                      |
        | a response to harness text    | harness, assistant      | 0 kept: before the first turn; 1, 2 summarized: before the cut                             |
        | harness text before a summary | harness, user summary   | 0 kept: before the first turn; 1 summarized: an earlier summary; 2 summarized: before the cut |

    Scenario Outline: A pinned call keeps its result, and a pinned result its call
      Given the conversation user, <call>, assistant, user, user, user
      When a compaction is planned by hand
      Then the fates are
        | 0 summarized: before the cut |
        | 1 kept: <call why>           |
        | 2 kept: <result why>         |
        | 3 summarized: before the cut |
        | 4, 5, 6 kept: recent turns   |

      Examples:
        | description     | call                    | call why                | result why              |
        | a pinned call   | call A pinned, result A | pinned                  | bound to what is pinned |

    Scenario Outline: An automatic plan names the cleared outputs, and gives a reason for every message
      Given the conversation <conversation>
      And a last response that reports <held> tokens
      When a compaction is planned automatically
      Then the fates are "<fates>"

      Examples:
        | description        | conversation                            | held    | fates                                                                                      |
        | it clears          | user, A 60,000, user 50,000, user, user | 168,001 | 0, 1 kept: nothing is summarized; 2 pruned: 1 output (60000 > 20000); 3, 4, 5 kept: nothing is summarized |

  @CMP_02
  Rule: If no message would be summarized, the plan does nothing and says so
    Source: a decision of this project (SEL_07 states it for the turns that are selected); the field:
    anthropics/claude-code#24179, one conversation compacted 211 times.

    Scenario Outline: Nothing is summarized, and nothing is pruned
      Given a model with window 1,000,000
      And the settings keep target <target>
      And the conversation <conversation>
      When a compaction is planned by hand
      Then the result is
        | does    | reason             |
        | nothing | nothing to compact |

      Examples:
        | description             | target  | conversation                                               |
        | recent turns alone      | 200,000 | 3 turns                                                    |
        | outputs to clear        | 200,000 | 3 turns of 60,000                                          |
        | a tool loop alone       | 33,600  | harness, user, A thinking                                  |

  @CMP_02
  Rule: A manual compaction that would remove less than 5% does nothing
    Source: a decision of this project; in a real transcript of Codex 97 of 34,957 tokens left, 38 were saved, and three
    in eight facts were lost with them (SEL_07 states the case in which nothing would leave).

    Scenario Outline: 5% of the conversation, or of the messages after a summary, is enough
      Given the conversation <conversation>
      When a compaction is planned by hand
      Then the result is
        | does   | messages kept |
        | <does> | <kept>        |

      Examples: 2,000 tokens in all
        | description  | conversation                             | does       | kept       |
        | a token less | user 99, user 1,000, user 500, user 401  | nothing    | 0, 1, 2, 3 |
        | exactly      | user 100, user 1,000, user 500, user 400 | summarizes | 1, 2, 3    |

      Examples: 2,000 tokens after the summary
        | description  | conversation                                                 | does       | kept          |
        | a token less | user 3,000 summary, user 99, user 1,000, user 500, user 401  | nothing    | 0, 1, 2, 3, 4 |
        | exactly      | user 3,000 summary, user 100, user 1,000, user 500, user 400 | summarizes | 2, 3, 4       |

  @CMP_02
  Rule: An automatic compaction waits for the end of a tool loop with thinking while there is room, and keeps its newest calls and results without thinking when there is none
    Source: newer Claude models bind a thinking block to the exact history before it and answer a request that breaks
    the bond with an error; see the rules on thinking.

    Scenario Outline: The usable context decides how long an automatic plan waits, and no other plan does
      Given the settings profile proactive
      And the conversation 4 turns of 1 thinking, user "Please go on.", A5 1 thinking
      And a last response that reports <held> tokens
      When a compaction is planned <how>
      Then the result is
        | does   | messages kept | reason   |
        | <does> | <kept>        | <reason> |

      Examples: 168,000 tokens are usable
        | description    | how                                 | held    | does       | kept       | reason                                                                                     |
        | due, with room | automatically                       | 168,000 | nothing    | 0, 1, …    | waits for the end of the tool loop: there is room, and its thinking would be lost          |
        | no room left   | automatically                       | 168,001 | summarizes | 16, 17, 18 | automatic: overflow (168001 > 168000); the unfinished tool loop loses its thinking, which is bound to what leaves |
        | an overflow    | after the provider's overflow error | 20,000  | summarizes | 16         | overflow: the provider says that the prompt is too long; the unfinished tool loop loses its thinking, which is bound to what leaves |
        | by hand        | by hand                             | 20,000  | summarizes | 16, 17, 18 | manual: …                                                                                  |

    Scenario Outline: The newest calls and results stay that fit the target, and completed turns before the loop
      Given the settings keep target 3,000
      And the conversation user 9,000, user "Next.", assistant "Done.", user "Go.", A <first> thinking, B 900 thinking, C 900 thinking
      When a compaction is planned by hand
      Then the messages kept are "<kept>"

      Examples: 3,000 tokens are the target
        | description               | first | kept                      |
        | a part of the loop fits   | 1,500 | 3, 6, 7, 8, 9             |
        | the loop and an answer    | 1,120 | 2, 3, 4, 5, 6, 7, 8, 9    |
        | exactly, without thinking | 1,119 | 1, 2, 3, 4, 5, 6, 7, 8, 9 |

  @CMP_02
  Rule: The reason of a plan states who compacts, and the numbers that were compared
    Source: a decision of this project, so that a user can check what brim decided.

    Scenario Outline: The reason of a compaction
      Given the settings profile <profile>
      And the conversation <conversation>
      And a last response that reports <held> tokens
      When a compaction is planned <how>
      Then the reason is "<reason>"

      Examples:
        | description         | profile   | conversation      | held    | how           | reason                                |
        | manual, not due     | usable    | 6 turns of 30,000 | 20,000  | by hand       | manual: under threshold               |
        | automatic, due      | usable    | 6 turns of 30,000 | 300,000 | automatically | automatic: overflow (300000 > 168000) |
        | automatic, not due  | usable    | 6 turns of 30,000 | 168,000 | automatically | under threshold                       |

  @CMP_02
  Rule: A plan covers the conversation as the API accepts it, and its indices are those of the caller's list
    Source: a decision of this project; the API refuses a request with a call that has no result, or with an empty text,
    and the caller knows only the list that it passed.

    Scenario: A call without a result and an empty text are repaired, and the indices stay
      Given the conversation
        | speaker   | says   | calls |
        | user      | First. |       |
        | assistant |        |       |
        | assistant |        | A     |
        | user      | One.   |       |
        | assistant |        | B     |
        | user      | Two.   |       |
        | user      | Three. |       |
      When a compaction is planned by hand
      Then the fates are "0, 2 summarized: before the cut; 3, 4, 5, 6 kept: recent turns"

    Scenario: The tokens of the repaired conversation are counted, with its system prompt and tools
      Given the settings characters a token 2, system prompt 500, tools 300
      And the conversation user 100, assistant 20+call A, user 10
      When a compaction is planned by hand
      Then the tokens before are "1,879"

  @CMP_02
  Rule: A plan states whether the messages that must stay exceed the target
    Source: a decision of this project, so that a user learns why a compaction brought little.

    Scenario Outline: The recent turns are cut if they exceed the target
      Given the settings keep target 200, characters a token <ratio>
      And the conversation user 20, user 10, assistant <held>, user 50, user 50
      When a compaction is planned by hand
      Then the messages kept are "<kept>"

      Examples: 200 tokens are the target
        | description      | ratio | held | kept       |
        | exactly          | 4     | 90   | 1, 2, 3, 4 |
        | one over         | 4     | 91   | 2, 3, 4    |

    Scenario Outline: If the window would stay due with a summary of 1,000 tokens, less than the target is kept
      Given a model with window 10,000, answer 1,000
      And the settings keep target 9,000
      And the conversation user 500 pinned, user 9,000, assistant <pinned> pinned, user 1,000, assistant 3,500
      When a compaction is planned by hand
      Then the messages kept are "<kept>"

      Examples: 9,000 tokens are usable, and a pinned message never leaves
        | description | pinned | kept       |
        | exactly     | 3,000  | 0, 2, 3, 4 |
        | one over    | 3,001  | 0, 2, 3    |

    Scenario Outline: The user's last message alone exceeds the target
      Given the settings keep target 200
      And the conversation user 10, assistant 300, user <last>
      When a compaction is planned by hand
      Then the result is
        | does       | above the target |
        | summarizes | <above>          |

      Examples: 200 tokens are the target
        | description | last | above |
        | exactly     | 200  | no    |
        | one over    | 201  | yes   |

  @CMP_02
  Rule: A plan holds what the summary is made from: the messages it replaces, their turns, the facts and the previous summary
    Source: a decision of this project, so that the summary is written from the plan alone, by a model or by the template.

    Scenario Outline: The plan holds the turns that leave, the last of them up to the cut, and what they achieved
      Given the settings keep target 200
      And a conversation of the turns
        | user           | agent | tool | on     | went   | prints   |
        | Mend the door. |       | Bash | pytest | <went> | <prints> |
        | <user>         |       | Edit | door   |        |          |
        |                |       | Bash | pytest |        | 1 passed |
        |                | Yes.  |      |        |        |          |
      And after it came <later>
      When a compaction is planned by hand
      Then the turns are "<turns>"

      Examples: Edits and tests after a failure resolve an error, and else complete a task
        | description             | went  | prints   | user       | later                        | turns                                                                       |
        | turns before the cut    | badly | 1 failed | Once more. | 3 turns                      | 0: Mend the door., 1 response                                               |
        | the turn before failed  | badly | 1 failed | Once more. | assistant 150, assistant 150 | 0: Mend the door., 1 response; 1: Once more., 4 responses, error resolution |

    Scenario: The plan holds the facts of the whole conversation, the last turn included
      Given a conversation of the turns
        | user            | agent | tool | on   |
        | Mend the door.  | Yes.  | Edit | door |
        | One.            | Yes.  |      |      |
        | Two.            | Yes.  |      |      |
        | Read the walls. | Yes.  | Read | wall |
      When a compaction is planned by hand
      Then the facts are
        | request Mend the door.  |
        | request One.            |
        | request Two.            |
        | request Read the walls. |
        | modified file door      |
        | read file wall          |

    Scenario Outline: The characters of the replaced messages are counted, without those of pinned and harness messages
      Given the settings keep target <target>
      And the conversation <conversation>
      When a compaction is planned by hand
      Then the characters removed are "<characters>"

      Examples: 20, 300 and 150 tokens leave; an image counts as the characters that its tokens are worth
        | description | target | conversation                                                                                   | characters |
        | words       | 200    | harness 10, user 20, assistant 30 pinned, assistant 300, user 10, assistant 150, assistant 150 | 1,880      |

    Scenario Outline: The plan holds the text of earlier summaries that leave, without their opening line
      Given the settings keep target <target>
      And the conversation <conversation>
      When a compaction is planned by hand
      Then the earlier summary is "<previous>"

      Examples: Marked ones, and a message that has the opening line and words beside it
        | description    | target | conversation                                                                                                                                          | previous                         |
        | by its opening | 33,600 | user "[Summary of the earlier conversation, written by brim]\n\nThe door."+user 400, assistant, user, user, user, user                                | The door.                        |

      Examples: A summary that is kept is not a previous summary
        | description              | target | conversation                                                                         | previous      |
        | pinned                   | 200    | user "Earlier work." pinned summary, user, assistant 300, harness, user 90           |               |
