Feature: Plan
  A plan states what a compaction would do before it happens: which outputs are cleared, which messages stay, which are
  summarized, and why. A user can read it, price it and refuse it. It is made from the conversation alone, without a call
  to a model, and changes nothing. The examples set the limit of what is kept, such as 33,600 tokens; the default is a
  fifth, and at most 25,000 tokens (SEL_04).

  Background:
    Given a context window of 200,000 tokens with a keep target of 33,600 tokens

  @CMP_01
  Rule: An automatic compaction clears old tool outputs, and summarizes only if the window would stay due; a manual one summarizes at once
    Source: OpenCode's two levels, pruning and compaction, in the comparison of OpenCode and Claude Code (S2, section 2).

    Scenario Outline: An automatic compaction does no more than it has to
      Given a conversation of 6 turns, each with a tool output of 30,000 tokens
      And a last response that reports <held> tokens
      When an automatic compaction is planned
      Then the plan <does>

      Examples: Below and at the usable context
        | description  | held    | does         |
        | well under   | 20,000  | does nothing |
        | exactly full | 168,000 | does nothing |

      Examples: Pruning saves 89,975 tokens
        | description            | held    | does                  |
        | one token over         | 168,001 | only prunes 3 outputs |
        | just enough is saved   | 257,975 | only prunes 3 outputs |
        | one token is not saved | 257,976 | summarizes            |

    Scenario Outline: What a pruning saves is counted at the characters a token of the window
      Given estimates at <ratio> characters a token
      And a conversation of 6 turns, each with a tool output of 30,000 tokens
      And a last response that reports <held> tokens
      When an automatic compaction is planned
      Then the plan <does>

      Examples: At 2.5 it saves 143,960 tokens, at 6 it saves 59,983
        | description                              | ratio | held    | does                  |
        | fewer than usual, just enough is saved   | 2.5   | 311,960 | only prunes 3 outputs |
        | fewer than usual, one token is not saved | 2.5   | 311,961 | summarizes            |
        | more than usual, just enough is saved    | 6     | 227,983 | only prunes 3 outputs |
        | more than usual, one token is not saved  | 6     | 227,984 | summarizes            |

    Scenario Outline: Outputs that are summarized are not cleared first
      Given pruning is switched <pruning>
      And a conversation of 6 turns, each with a tool output of 30,000 tokens
      And a last response that reports <held> tokens
      When <plan>
      Then the plan summarizes, and prunes nothing

      Examples:
        | description               | pruning | held    | plan                               |
        | manual, not due           | on      | 20,000  | a manual compaction is planned     |
        | manual, pruning is off    | off     | 168,001 | a manual compaction is planned     |
        | automatic, pruning is off | off     | 168,001 | an automatic compaction is planned |

    Scenario: Outputs that are kept are cleared while the rest is summarized
      Given a context window of 1,000,000 tokens with a keep target of 200,000 tokens
      And a conversation of
        | speaker   | calls   | answers | tokens | mark   |
        | user      |         |         |        |        |
        | assistant | A, B, C |         |        |        |
        | tool      |         | A, B, C | 30,000 |        |
        | user      |         |         |        |        |
        | assistant | D       |         |        | pinned |
        | tool      |         | D       | 30,000 |        |
        | user      |         |         |        |        |
        | assistant | E       |         |        |        |
        | tool      |         | E       | 25,000 |        |
        | assistant | F       |         |        |        |
        | tool      |         | F       | 40,000 |        |
        | user      |         |         |        |        |
        | user      |         |         |        |        |
      When a manual compaction is planned
      Then the plan prunes "2 outputs of the kept part" and saves 54,983 tokens
      And message 5 is pruned because of "2 outputs of the kept part"

  @CMP_02
  Rule: A plan states for each message whether it is kept, cleared or summarized, and why
    Source: a decision of this project, so that a compaction can be read and refused before it happens.

    Scenario: The recent turns are kept
      Given a conversation of
        | speaker   |
        | user      |
        | assistant |
        | user      |
        | assistant |
        | user      |
        | assistant |
        | user      |
      When a manual compaction is planned
      Then the plan decides
        | message | fate       | why            |
        | 0       | summarized | before the cut |
        | 1       | summarized | before the cut |
        | 2       | kept       | recent turns   |
        | 3       | kept       | recent turns   |
        | 4       | kept       | recent turns   |
        | 5       | kept       | recent turns   |
        | 6       | kept       | recent turns   |
      And the plan names no anchor

    Scenario: Everything from the newest anchor before the recent turns is kept
      Given a conversation of
        | speaker   | mark       |
        | user      |            |
        | assistant |            |
        | user      | checkpoint |
        | assistant |            |
        | user      |            |
        | user      |            |
        | user      |            |
      When a manual compaction is planned
      Then the plan decides
        | message | fate       | why            |
        | 0       | summarized | before the cut |
        | 1       | summarized | before the cut |
        | 2       | kept       | anchor         |
        | 3       | kept       | anchor         |
        | 4       | kept       | anchor         |
        | 5       | kept       | anchor         |
        | 6       | kept       | anchor         |
      And the plan names turn 1 as its anchor, a user checkpoint

    Scenario: The lines with which a tool loop was closed and resumed leave once the model has answered
      Given a keep target of 200 tokens
      And a conversation of
        | speaker   | says                                             | calls | answers | mark      | tokens |
        | user      |                                                  |       |         |           | 9,000  |
        | user      | Go on.                                           |       |         |           |        |
        | assistant |                                                  | A     |         |           |        |
        | tool      |                                                  |       | A       |           |        |
        | assistant | [Interruption for compaction, written by brim]   |       |         | synthetic |        |
        | user      | [Continuation after compaction, written by brim] |       |         | synthetic |        |
        | assistant | Done.                                            |       |         |           |        |
      When a manual compaction is planned
      Then the plan decides
        | message | fate       | why                                          |
        | 0       | summarized | before the cut                               |
        | 1       | kept       | cut inside the recent turns                  |
        | 2       | kept       | cut inside the recent turns                  |
        | 3       | kept       | cut inside the recent turns                  |
        | 4       | summarized | a line of brim's that the model has answered |
        | 5       | summarized | a line of brim's that the model has answered |
        | 6       | kept       | cut inside the recent turns                  |
      And the plan replaces 36,094 characters

    Scenario: If an unfinished loop goes into the summary, so does the anchor before it
      Given unfinished tool loops go into the summary
      And a conversation of
        | speaker   | thinks | calls | answers | mark       | tokens |
        | user      |        |       |         |            | 9,000  |
        | assistant |        |       |         |            |        |
        | user      |        |       |         | checkpoint |        |
        | assistant |        |       |         |            |        |
        | user      |        |       |         |            |        |
        | user      |        |       |         |            |        |
        | user      |        |       |         |            |        |
        | assistant | Hm.    | A     |         |            |        |
        | tool      |        |       | A       |            |        |
      When a manual compaction is planned
      Then the plan names no anchor

    Scenario: The harness text before the first turn, pinned messages and the user's last message are kept
      Given a keep target of 200 tokens
      And a conversation of
        | speaker   | tokens | mark      |
        | user      | 10     | synthetic |
        | user      | 10     |           |
        | assistant | 10     | pinned    |
        | assistant | 300    |           |
        | user      | 10     |           |
        | assistant | 150    |           |
        | assistant | 150    |           |
      When a manual compaction is planned
      Then the plan decides
        | message | fate       | why                         |
        | 0       | kept       | before the first turn       |
        | 1       | summarized | before the cut              |
        | 2       | kept       | pinned                      |
        | 3       | summarized | before the cut              |
        | 4       | kept       | the user's last message     |
        | 5       | summarized | before the cut              |
        | 6       | kept       | cut inside the recent turns |

    Scenario Outline: The messages before the first turn are kept only if they are harness text
      Given a conversation of
        | speaker   | mark          |
        | user      | <first mark>  |
        | <speaker> | <second mark> |
        | user      |               |
        | user      |               |
        | user      |               |
        | user      |               |
      When a manual compaction is planned
      Then the plan decides
        | message | fate         | why            |
        | 0       | <first fate> | <first why>    |
        | 1       | summarized   | <second why>   |
        | 2       | summarized   | before the cut |
        | 3       | kept         | recent turns   |
        | 4       | kept         | recent turns   |
        | 5       | kept         | recent turns   |

      Examples:
        | description                   | first mark | speaker   | second mark | first fate | first why             | second why         |
        | a response to harness text    | synthetic  | assistant |             | kept       | before the first turn | before the cut     |
        | harness text before a summary | synthetic  | user      | summary     | kept       | before the first turn | an earlier summary |
        | a response to a summary       | summary    | assistant |             | summarized | an earlier summary    | before the cut     |

    Scenario: A request before the assistant's summary is not harness text
      Given a conversation of
        | speaker   | mark    |
        | user      |         |
        | assistant | summary |
        | user      |         |
        | user      |         |
        | user      |         |
      When a manual compaction is planned
      Then the plan summarizes

    Scenario Outline: A pinned call keeps its result, and a pinned result its call
      Given a conversation of
        | speaker   | calls | answers | mark          |
        | user      |       |         |               |
        | assistant | A     |         | <call mark>   |
        | tool      |       | A       | <result mark> |
        | assistant |       |         |               |
        | user      |       |         |               |
        | user      |       |         |               |
        | user      |       |         |               |
      When a manual compaction is planned
      Then the plan decides
        | message | fate       | why            |
        | 0       | summarized | before the cut |
        | 1       | kept       | <call why>     |
        | 2       | kept       | <result why>   |
        | 3       | summarized | before the cut |
        | 4       | kept       | recent turns   |
        | 5       | kept       | recent turns   |
        | 6       | kept       | recent turns   |

      Examples:
        | description     | call mark | result mark | call why                | result why              |
        | a pinned call   | pinned    |             | pinned                  | bound to what is pinned |
        | a pinned result |           | pinned      | bound to what is pinned | pinned                  |

    Scenario Outline: Results that the model has not seen are kept where words of the user follow them
      Given a conversation of
        | speaker   | thinks   | calls | answers | says         | tokens |
        | user      |          |       |         | Mend it.     | 30,000 |
        | assistant | <thinks> | A     |         |              |        |
        | tool      |          |       | A       |              | 40,000 |
        | <speaker> |          |       |         | No, stop.    |        |
      When a manual compaction is planned
      Then the plan keeps <kept>

      Examples:
        | description      | thinks | speaker | kept    |
        | without thinking |        | user    | 1, 2, 3 |
        | with thinking    | Hm.    | user    | 1, 2, 3 |

    Scenario: A pinned message where the kept part begins is kept with it
      Given a conversation of
        | speaker | mark   |
        | user    |        |
        | user    | pinned |
        | user    |        |
        | user    |        |
      When a manual compaction is planned
      Then the plan keeps 1, 2, 3
      And the plan replaces 25 characters

    Scenario: A cleared output is named with its reason
      Given a conversation of 6 turns, each with a tool output of 30,000 tokens
      And a last response that reports 168,001 tokens
      When an automatic compaction is planned
      Then message 2 is pruned because of "3 outputs (90000 > 20000)"

    Scenario: A plan that does nothing states a reason for each message
      Given a conversation of
        | speaker   |
        | user      |
        | assistant |
      When an automatic compaction is planned
      Then the plan decides
        | message | fate | why                   |
        | 0       | kept | nothing is summarized |
        | 1       | kept | nothing is summarized |

    Scenario: Planning changes nothing
      Given a conversation of 6 turns, each with a tool output of 30,000 tokens
      When a manual compaction is planned
      Then a second plan is equal to the first

  @CMP_02
  Rule: If no message would be summarized, the plan does nothing and says so
    Source: a decision of this project (SEL_07 states it for the turns that are selected); the field:
    anthropics/claude-code#24179, one conversation compacted 211 times.

    Scenario Outline: Nothing is summarized, and nothing is pruned
      Given a context window of 1,000,000 tokens with a keep target of 200,000 tokens
      And a conversation of <messages>
      When a manual compaction is planned
      Then the plan does nothing, because there is "nothing to compact"

      Examples:
        | description             | messages                                          |
        | no message at all       | nothing                                           |
        | recent turns alone      | 3 turns                                           |
        | a summary and few turns | a summary and 3 turns                             |
        | outputs to clear        | 3 turns, each with a tool output of 60,000 tokens |

    Scenario: The first turn is an anchor, and long harness text precedes it
      Given a keep target of 200 tokens
      And a conversation of
        | speaker | tokens | mark       |
        | user    | 500    | synthetic  |
        | user    | 10     | checkpoint |
        | user    | 10     |            |
        | user    | 10     |            |
        | user    | 10     |            |
      When a manual compaction is planned
      Then the plan does nothing, because there is "nothing to compact"

    Scenario: A tool loop is not summarized if nothing else would be
      Given a conversation of
        | speaker   | thinks | calls | answers | mark      |
        | user      |        |       |         | synthetic |
        | user      |        |       |         |           |
        | assistant | Hm.    | A     |         |           |
        | tool      |        |       | A       |           |
      When a manual compaction is planned
      Then the plan does nothing, because there is "nothing to compact"

  @CMP_02
  Rule: A manual compaction that would remove less than 5% does nothing
    Source: a decision of this project; in a real transcript of Codex 97 of 34,957 tokens left, 38 were saved, and three
    in eight facts were lost with them (SEL_07 states the case in which nothing would leave).

    Scenario Outline: 5% of the conversation is enough
      Given a conversation of
        | speaker | tokens  |
        | user    | <first> |
        | user    | 1,000   |
        | user    | 500     |
        | user    | <last>  |
      When a manual compaction is planned
      Then the plan keeps <kept>

      Examples: 2,000 tokens in all
        | description  | first | last | kept       |
        | a token less | 99    | 401  | 0, 1, 2, 3 |
        | exactly      | 100   | 400  | 1, 2, 3    |

    Scenario Outline: If the conversation begins with a summary, only the messages after it are compared
      Given a conversation of
        | speaker | tokens  | mark    |
        | user    | 3,000   | summary |
        | user    | <first> |         |
        | user    | 1,000   |         |
        | user    | 500     |         |
        | user    | <last>  |         |
      When a manual compaction is planned
      Then the plan keeps <kept>

      Examples: 2,000 tokens after the summary
        | description  | first | last | kept          |
        | a token less | 99    | 401  | 0, 1, 2, 3, 4 |
        | exactly      | 100   | 400  | 2, 3, 4       |

    Scenario: The reason names both numbers
      Given a conversation of
        | speaker | tokens |
        | user    | 97     |
        | user    | 30,000 |
        | user    |        |
        | user    |        |
      And a system prompt of 2,000 tokens
      When a manual compaction is planned
      Then the plan does nothing, because there is "nothing to compact: 97 of 32,110 tokens would leave"

    Scenario: Nothing is pruned either
      Given a context window of 1,000,000 tokens with a keep target of 200,000 tokens
      And a conversation of
        | speaker   | calls | answers | tokens |
        | user      |       |         | 100    |
        | user      |       |         |        |
        | assistant | A     |         |        |
        | tool      |       | A       | 60,000 |
        | user      |       |         |        |
        | user      |       |         |        |
      When a manual compaction is planned
      Then no output is pruned

    Scenario: After the provider's overflow error less than 5% is enough
      Given a conversation of
        | speaker | tokens |
        | user    | 10     |
        | user    | 1,000  |
      When a compaction is planned after the provider's overflow error
      Then the plan summarizes

    Scenario: For an automatic compaction less than 5% is enough
      Given a model with a context window of 40,000 tokens
      And a longest answer of 32,000 tokens
      And a conversation of
        | speaker   | tokens |
        | user      | 10     |
        | user      | 1,000  |
        | user      |        |
        | user      |        |
        | assistant |        |
      And a last response that reports 8,001 tokens
      When an automatic compaction is planned
      Then the plan summarizes

  @CMP_02
  Rule: An automatic compaction waits for the end of a tool loop with thinking while there is room, and keeps its newest calls and results without thinking when there is none
    Source: newer Claude models bind a thinking block to the exact history before it and answer a request that breaks
    the bond with an error; see the rules on thinking.

    Scenario Outline: The usable context decides how long a plan waits
      Given the profile proactive
      And a conversation that ends in an unfinished tool loop with thinking
      And a last response that reports <held> tokens
      When an automatic compaction is planned
      Then the plan <does>
      And its reason is "<reason>"

      Examples:
        | description    | held    | does                          | reason                                                                                                                |
        | due, with room | 168,000 | waits for the end of the loop | waits for the end of the tool loop: there is room, and its thinking would be lost                                     |
        | no room left   | 168,001 | keeps 16, 17, 18              | automatic: overflow (168001 > 168000); the unfinished tool loop loses its thinking, which is bound to what leaves     |

    Scenario: After the provider's overflow error a compaction does not wait
      Given a conversation that ends in an unfinished tool loop with thinking
      When a compaction is planned after the provider's overflow error
      Then its reason is "overflow: the provider says that the prompt is too long; the unfinished tool loop loses its thinking, which is bound to what leaves"

    Scenario: A manual compaction does not wait
      Given a conversation that ends in an unfinished tool loop with thinking
      When a manual compaction is planned
      Then the plan keeps 16, 17, 18

    Scenario Outline: The newest calls and results stay that fit the target, and completed turns before the loop
      Given a keep target of 3,000 tokens
      And a conversation of
        | speaker   | thinks | says  | calls | answers | tokens  |
        | user      |        |       |       |         | 9,000   |
        | user      |        | Next. |       |         |         |
        | assistant |        | Done. |       |         |         |
        | user      |        | Go.   |       |         |         |
        | assistant | Hm.    |       | A     |         |         |
        | tool      |        |       |       | A       | <first> |
        | assistant | So.    |       | B     |         |         |
        | tool      |        |       |       | B       | 900     |
        | assistant | Well.  |       | C     |         |         |
        | tool      |        |       |       | C       | 900     |
      When a manual compaction is planned
      Then the plan keeps <kept>

      Examples: 3,000 tokens are the target
        | description              | first | kept                      |
        | a part of the loop fits  | 1,500 | 3, 6, 7, 8, 9             |
        | the loop alone fits      | 1,120 | 2, 3, 4, 5, 6, 7, 8, 9    |
        | exactly, without thinking | 1,119 | 1, 2, 3, 4, 5, 6, 7, 8, 9 |
        | the loop and a turn fit  | 500   | 1, 2, 3, 4, 5, 6, 7, 8, 9 |

    Scenario: By the setting, an unfinished tool loop goes into the summary, for a provider that refuses the form
      Given unfinished tool loops go into the summary
      And a conversation that ends in an unfinished tool loop with thinking
      When a manual compaction is planned
      Then the plan summarizes all but the user's request

    Scenario: If the tool loop is summarized, nothing follows the summary, not even from an anchor on
      Given unfinished tool loops go into the summary
      And a conversation of the turns
        | asked          | says  | tool | on     | prints   |
        | Zero.          | Yes.  |      |        |          |
        | Mend the door. | Done. | Edit | door   |          |
        |                |       | Bash | pytest | 1 passed |
        | One.           | Yes.  |      |        |          |
        | Two.           | Yes.  |      |        |          |
        | Three.         | Yes.  |      |        |          |
      And after it came
        | speaker   | thinks | calls | answers |
        | user      |        |       |         |
        | assistant | Hm.    | Z     |         |
        | tool      |        |       | Z       |
      When a manual compaction is planned
      Then the plan keeps nothing after the summary

  @CMP_02
  Rule: The reason of a plan states who compacts, and the numbers that were compared
    Source: a decision of this project, so that a user can check what brim decided.

    Scenario Outline: The reason of a compaction
      Given <profile>
      And a conversation of <conversation>
      And a last response that reports <held> tokens
      When <plan>
      Then its reason is "<reason>"

      Examples:
        | description         | profile               | conversation                                      | held    | plan                               | reason                                |
        | manual, not due     | the profile usable    | 6 turns, each with a tool output of 30,000 tokens | 20,000  | a manual compaction is planned     | manual: under threshold               |
        | manual, due         | the profile usable    | 6 turns, each with a tool output of 30,000 tokens | 168,001 | a manual compaction is planned     | manual: overflow (168001 > 168000)    |
        | automatic, due      | the profile usable    | 6 turns, each with a tool output of 30,000 tokens | 300,000 | an automatic compaction is planned | automatic: overflow (300000 > 168000) |
        | automatic, not due  | the profile usable    | 6 turns, each with a tool output of 30,000 tokens | 168,000 | an automatic compaction is planned | under threshold                       |
        | pruning is enough   | the profile usable    | 6 turns, each with a tool output of 30,000 tokens | 168,001 | an automatic compaction is planned | pruned: 3 outputs (90000 > 20000)     |
        | due, nothing leaves | the profile proactive | 3 turns                                           | 154,561 | an automatic compaction is planned | nothing to compact                    |

      Examples: The provider's overflow error refutes the numbers
        | description | profile            | conversation                                      | held    | plan                                                        | reason                                                  |
        | not due     | the profile usable | 6 turns, each with a tool output of 30,000 tokens | 20,000  | a compaction is planned after the provider's overflow error | overflow: the provider says that the prompt is too long |
        | due         | the profile usable | 6 turns, each with a tool output of 30,000 tokens | 168,001 | a compaction is planned after the provider's overflow error | overflow: the provider says that the prompt is too long |

    Scenario: A plan that prunes alone says why each message stays
      Given a conversation of
        | speaker   | calls | answers | tokens |
        | user      |       |         |        |
        | assistant | A     |         |        |
        | tool      |       | A       | 60,000 |
        | user      |       |         | 50,000 |
        | user      |       |         |        |
        | user      |       |         |        |
      And a last response that reports 168,001 tokens
      When an automatic compaction is planned
      Then the plan decides
        | message | fate   | why                        |
        | 0       | kept   | nothing is summarized      |
        | 1       | kept   | nothing is summarized      |
        | 2       | pruned | "1 output (60000 > 20000)" |
        | 3       | kept   | nothing is summarized      |
        | 4       | kept   | nothing is summarized      |
        | 5       | kept   | nothing is summarized      |

    Scenario: A plan passes on the notice of a deprecated profile
      Given the profile codelet-rust
      And a conversation of 6 turns
      When a manual compaction is planned
      Then its notices are "the profile codelet-rust is deprecated: it compares a cost figure with the window and wastes a third of it; use usable"

    Scenario Outline: A plan that keeps more than the budget has a notice with the numbers
      Given a model with a context window of 200,000 tokens
      And a system prompt of 1,000 tokens
      And a conversation of
        | speaker   | tokens   | mark   |
        | user      | 9,000    |        |
        | assistant | <pinned> | pinned |
        | user      | 1,000    |        |
        | user      | 1,000    |        |
        | user      | 1,000    |        |
      When a manual compaction is planned
      Then its notices are "<notices>"

      Examples: 150,000 tokens of 200,000 are the budget
        | description | pinned  | notices |
        | exactly     | 147,000 |         |
        | one over    | 147,001 | the budget of 150000 tokens is 1 short of the 150001 that the pinned and recent part takes; all of it is kept |

    Scenario: Without a limit of the window no budget is exceeded
      Given a model with a context window of 0 tokens
      And a conversation of
        | speaker   | tokens  | mark   |
        | user      | 90,000  |        |
        | assistant | 190,000 | pinned |
        | user      | 1,000   |        |
      When a manual compaction is planned
      Then its notices are ""

  @CMP_02
  Rule: A plan covers the conversation as the API accepts it, and its indices are those of the caller's list
    Source: a decision of this project; the API refuses a request with a call that has no result, or with an empty text,
    and the caller knows only the list that it passed.

    Scenario: A call without a result and an empty text are repaired, and the indices stay
      Given a conversation of
        | speaker   | says   | calls |
        | user      | First. |       |
        | assistant |        |       |
        | assistant |        | A     |
        | user      | One.   |       |
        | assistant |        | B     |
        | user      | Two.   |       |
        | user      | Three. |       |
      When a manual compaction is planned
      Then the plan decides
        | message | fate       | why            |
        | 0       | summarized | before the cut |
        | 2       | summarized | before the cut |
        | 3       | kept       | recent turns   |
        | 4       | kept       | recent turns   |
        | 5       | kept       | recent turns   |
        | 6       | kept       | recent turns   |

    Scenario: The tokens of the repaired conversation are counted, with its system prompt and tools
      Given estimates at 2 characters a token
      And a system prompt of 500 tokens
      And tools whose definitions take 300 tokens
      And a conversation of
        | speaker   | tokens | calls |
        | user      | 100    |       |
        | assistant | 20     | A     |
        | user      | 10     |       |
      When a manual compaction is planned
      Then the plan holds 1,879 tokens before

  @CMP_02
  Rule: A plan states whether the messages that must stay exceed the target
    Source: a decision of this project, so that a user learns why a compaction brought little.

    Scenario Outline: The recent turns are cut if they exceed the target
      Given a keep target of 200 tokens
      And <ratio>
      And a conversation of
        | speaker   | tokens |
        | user      | 20     |
        | user      | 10     |
        | assistant | <held> |
        | user      | 50     |
        | user      | 50     |
      When a manual compaction is planned
      Then the plan keeps <kept>

      Examples: 200 tokens are the target
        | description      | ratio                               | held | kept       |
        | exactly          | estimates at 4 characters a token   | 90   | 1, 2, 3, 4 |
        | one over         | estimates at 4 characters a token   | 91   | 2, 3, 4    |
        | at another ratio | estimates at 2.5 characters a token | 25   | 2, 3, 4    |

    Scenario Outline: If the window would stay due with a summary of 1,000 tokens, less than the target is kept
      Given a model with a context window of 10,000 tokens
      And a longest answer of 1,000 tokens
      And a keep target of 9,000 tokens
      And a conversation of
        | speaker   | tokens   | mark   |
        | user      | 500      | pinned |
        | user      | 9,000    |        |
        | assistant | <pinned> | pinned |
        | user      | 1,000    |        |
        | assistant | 3,500    |        |
      When a manual compaction is planned
      Then the plan keeps <kept>

      Examples: 9,000 tokens are usable, and a pinned message never leaves
        | description | pinned | kept       |
        | exactly     | 3,000  | 0, 2, 3, 4 |
        | one over    | 3,001  | 0, 2, 3    |

    Scenario Outline: The user's last message alone exceeds the target
      Given a keep target of 200 tokens
      And a conversation of
        | speaker   | tokens |
        | user      | 10     |
        | assistant | 300    |
        | user      | <last> |
      When a manual compaction is planned
      Then the plan is <above> the target

      Examples: 200 tokens are the target
        | description | last | above     |
        | exactly     | 200  | not above |
        | one over    | 201  | above     |

  @CMP_02
  Rule: A plan holds what the summary is made from: the messages it replaces, their turns, the facts and the previous summary
    Source: a decision of this project, so that the summary is written from the plan alone, by a model or by the template.

    Scenario: The plan holds the turns before the cut
      Given a conversation of the turns
        | asked          | says       | tool | on     | went  | prints   |
        | Mend the door. |            | Bash | pytest | badly | 1 failed |
        | Once more.     |            | Edit | door   |       |          |
        |                |            | Bash | pytest |       | 1 passed |
        |                | Mended it. |      |        |       |          |
        | Paint it.      | Yes.       |      |        |       |          |
        | Now this.      | Yes.       |      |        |       |          |
        | And that.      | Yes.       |      |        |       |          |
        | And more.      | Yes.       |      |        |       |          |
      When a manual compaction is planned
      Then the plan holds the turns
        | turn | asked          | responses | achieved |
        | 0    | Mend the door. | 1         |          |

    Scenario Outline: The plan holds the turn that the cut divides up to the cut
      Given a keep target of 200 tokens
      And a conversation of the turns
        | asked          | says | tool | on     | went   | prints   |
        | Mend the door. |      | Bash | pytest | <went> | <prints> |
        | Once more.     |      | Edit | door   |        |          |
        |                |      | Bash | pytest |        | 1 passed |
      And after it came
        | speaker   | tokens |
        | assistant | 100    |
        | assistant | 150    |
      When a manual compaction is planned
      Then the plan holds the turns
        | turn | asked          | responses | achieved   |
        | 0    | Mend the door. | 1         |            |
        | 1    | Once more.     | 3         | <achieved> |

      Examples:
        | description             | went  | prints   | achieved         |
        | the turn before failed  | badly | 1 failed | error resolution |
        | the turn before did not | well  | 1 passed | task completion  |

    Scenario: The plan holds the first turn up to the cut
      Given a keep target of 200 tokens
      And a conversation of the turns
        | asked          | says | tool | on     | prints   |
        | Mend the door. |      | Edit | door   |          |
        |                |      | Bash | pytest | 1 passed |
      And after it came
        | speaker   | tokens |
        | assistant | 150    |
        | assistant | 150    |
      When a manual compaction is planned
      Then the plan holds the turns
        | turn | asked          | responses | achieved        |
        | 0    | Mend the door. | 3         | task completion |

    Scenario: The plan holds what was done before the first turn, as a turn without a number
      Given a conversation of
        | speaker   | says           | calls | answers | mark       |
        | user      | Earlier work.  |       |         | summary    |
        | assistant | I went on.     |       |         | checkpoint |
        | user      | First.         |       |         |            |
        | user      | Second.        |       |         |            |
        | user      | Third.         |       |         |            |
        | user      | Fourth.        |       |         |            |
      When a manual compaction is planned
      Then the plan holds the turns
        | turn   | asked  | responses | achieved |
        | before |        | 1         |          |
        | 0      | First. | 0         |          |

    Scenario Outline: If an unfinished tool loop is summarized, the plan holds its turn
      Given unfinished tool loops go into the summary
      And a conversation of the turns
        | asked          | says | tool | on     | went   | prints   |
        | One.           | Yes. |      |        |        |          |
        | Two.           | Yes. |      |        |        |          |
        | Mend the door. |      | Bash | pytest | <went> | <prints> |
        | Once more.     |      | Edit | door   |        |          |
        |                |      | Bash | pytest |        | 1 passed |
      And after it came
        | speaker   | thinks | calls | answers |
        | assistant | Hm.    | Z     |         |
        | tool      |        |       | Z       |
      When a manual compaction is planned
      Then the plan holds the turns
        | turn | asked          | responses | achieved   |
        | 0    | One.           | 1         |            |
        | 1    | Two.           | 1         |            |
        | 2    | Mend the door. | 1         |            |
        | 3    | Once more.     | 3         | <achieved> |

      Examples:
        | description             | went  | prints   | achieved         |
        | the turn before failed  | badly | 1 failed | error resolution |
        | the turn before did not | well  | 1 passed | task completion  |

    Scenario: The plan holds the facts of the whole conversation, the last turn included
      Given a conversation of the turns
        | asked           | says | tool | on   |
        | Mend the door.  | Yes. | Edit | door |
        | One.            | Yes. |      |      |
        | Two.            | Yes. |      |      |
        | Read the walls. | Yes. | Read | wall |
      When a manual compaction is planned
      Then the plan holds the facts
        | kind          | fact            |
        | request       | Mend the door.  |
        | request       | One.            |
        | request       | Two.            |
        | request       | Read the walls. |
        | modified file | door            |
        | read file     | wall            |

    Scenario: Without a message of the user there is no turn and no fact
      Given a keep target of 200 tokens
      And a conversation of
        | speaker | tokens | mark      |
        | user    | 10     | summary   |
        | user    | 300    | synthetic |
        | user    | 300    | synthetic |
      When a manual compaction is planned
      Then the plan holds no turn and no fact

    Scenario: The characters of the replaced messages are counted, without those of pinned and harness messages
      Given a keep target of 200 tokens
      And a conversation of
        | speaker   | tokens | mark      |
        | user      | 10     | synthetic |
        | user      | 20     |           |
        | assistant | 30     | pinned    |
        | assistant | 300    |           |
        | user      | 10     |           |
        | assistant | 150    |           |
        | assistant | 150    |           |
      When a manual compaction is planned
      Then the plan replaces 1,880 characters

    Scenario: An image counts as the characters that its tokens are worth
      Given a conversation of
        | speaker | says    | holds |
        | user    | Look.   | image |
        | user    | First.  |       |
        | user    | Second. |       |
        | user    | Third.  |       |
      When a manual compaction is planned
      Then the plan replaces 6,405 characters

    Scenario: The plan holds the text of earlier summaries, without their opening line
      Given a conversation of
        | speaker   | says                                                                  | mark    |
        | user      | [Summary of the earlier conversation, written by brim]; and the door. | summary |
        | user      | And the wall.                                                         | summary |
        | assistant | I went on.                                                            |         |
        | user      | First.                                                                |         |
        | user      | Second.                                                               |         |
        | user      | Third.                                                                |         |
        | user      | Fourth.                                                               |         |
      When a manual compaction is planned
      Then its previous summary is "; and the door.\n\nAnd the wall."

    Scenario: An earlier summary beside words of the user is one too, without the words
      Given a conversation of
        | speaker   | says                                                                 | tokens |
        | user      | [Summary of the earlier conversation, written by brim]\n\nThe door. | 400    |
        | assistant | I went on.                                                           |        |
        | user      | First.                                                               |        |
        | user      | Second.                                                              |        |
        | user      | Third.                                                               |        |
        | user      | Fourth.                                                              |        |
      When a manual compaction is planned
      Then its previous summary is "The door."

    Scenario Outline: A summary that is kept is not a previous summary
      Given a keep target of 200 tokens
      And a conversation of
        | speaker   | says           | tokens   | mark          |
        | user      | Earlier work.  |          | <first mark>  |
        | user      | First.         |          |               |
        | assistant |                | 300      |               |
        | user      | And more.      | <second> | <second mark> |
        | user      | Second.        | 90       |               |
      When a manual compaction is planned
      Then its previous summary is "<previous>"

      Examples:
        | description              | first mark      | second | second mark | previous       |
        | pinned                   | summary, pinned | 1      | synthetic   |                |
        | after the cut            | synthetic       | 1      | summary     |                |
        | one before, one after it | summary         | 1      | summary     | Earlier work.  |
