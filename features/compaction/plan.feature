Feature: Plan
  A compaction is planned before it happens: what is pruned, what stays word for word, what is summarised, and why. The
  plan is a value that one can read, price, print and refuse. It is made of the conversation alone and changes nothing;
  the call that writes the summary stands between the plan and the new conversation.

  Background:
    Given a keep target of 33,600 tokens

  @CMP_01
  Rule: Old tool outputs are cleared first, and the conversation is summarized only if that is not enough
    Source: OpenCode's two levels, pruning and compaction, in the comparison of OpenCode and Claude Code (S2, section 2).

    Scenario Outline: An automatic compaction goes no further than it has to
      Given a model with a context window of 200,000 tokens
      And a longest answer of 32,000 tokens
      And a conversation of 6 turns, each with a tool output of 30,000 tokens
      And a last response that reports <held> tokens
      When an automatic compaction is planned
      Then it <does>

      Examples: Below and at the usable context
        | description  | held    | does         |
        | well under   | 20,000  | does nothing |
        | exactly full | 168,000 | does nothing |

      Examples: Pruning saves 90,000 tokens
        | description            | held    | does                   |
        | one token over         | 168,001 | prunes 3 outputs alone |
        | just enough is saved   | 258,000 | prunes 3 outputs alone |
        | one token is not saved | 258,001 | summarises             |

    Scenario: A compaction that a user asks for summarises, due or not
      Given a model with a context window of 200,000 tokens
      And a longest answer of 32,000 tokens
      And a conversation of 6 turns, each with a tool output of 30,000 tokens
      And a last response that reports 20,000 tokens
      When a manual compaction is planned
      Then it summarises

    Scenario: What is summarised is not pruned first
      Given a model with a context window of 200,000 tokens
      And a longest answer of 32,000 tokens
      And a conversation of 6 turns, each with a tool output of 30,000 tokens
      When a manual compaction is planned
      Then no output is pruned

    Scenario: Of the outputs only those that are kept are pruned where the rest is summarised
      Given a model with a context window of 1,000,000 tokens
      And a keep target of 200,000 tokens
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
      Then it prunes "2 outputs of the kept part" and saves 55,000 tokens

    Scenario Outline: Where pruning is switched off it is summarised at once
      Given a model with a context window of 200,000 tokens
      And pruning is switched off
      And a conversation of 6 turns, each with a tool output of 30,000 tokens
      And a last response that reports 168,001 tokens
      When <plan>
      Then it summarises, and prunes nothing

      Examples:
        | description   | plan                               |
        | automatically | an automatic compaction is planned |
        | by hand       | a manual compaction is planned     |

  @CMP_01
  Rule: At the end of a turn old outputs are cleared in place, and every count falls by the tokens cleared
    Source: OpenCode, which prunes whenever a turn of its loop ended (S2, section 7); an output that is gone must not be
    counted as if it were there, or compaction comes too early.

    Scenario: Old outputs are cleared, and the rest stays word for word
      Given a conversation of
        | speaker   | says  | calls | answers | output                                         |
        | user      | One.  |       |         |                                                |
        | assistant |       | A     |         |                                                |
        | tool      |       |       | A       | A list of nearly a hundred doors, and windows. |
        | user      | Two.  |       |         |                                                |
        | user      | More. |       |         |                                                |
      When outputs beyond 0 tokens are cleared where that saves more than 11
      Then the conversation now reads
        | speaker   | says  | calls | answers | output                            |
        | user      | One.  |       |         |                                   |
        | assistant |       | A     |         |                                   |
        | tool      |       |       | A       | [Old tool result content cleared] |
        | user      | Two.  |       |         |                                   |
        | user      | More. |       |         |                                   |

    Scenario Outline: What is protected and what is too little is left
      Given a conversation of 6 turns, each with a tool output of 100 tokens
      When outputs beyond <protected> tokens are cleared where that saves more than <minimum>
      Then <count> outputs are cleared

      Examples: Four outputs lie before the last two turns, and one that crosses goes whole
        | description        | protected | minimum | count |
        | none protected     | 0         | 0       | 4     |
        | a part of one      | 99        | 0       | 4     |
        | exactly one        | 100       | 0       | 3     |
        | a part of the next | 199       | 0       | 3     |
        | exactly two        | 200       | 0       | 2     |
        | just too little    | 100       | 300     | 0     |
        | just enough        | 100       | 299     | 3     |

    Scenario: By itself it protects 40,000 tokens, and asks for more than 20,000
      Given a conversation of 6 turns, each with a tool output of 30,000 tokens
      When a turn ends
      Then 3 outputs are cleared

    Scenario Outline: What is held and the estimate of everything fall by what was cleared
      Given a system prompt of 1,000 tokens
      And a conversation of 6 turns, each with <output>
      And a last response that reports <reported> tokens
      When outputs beyond 0 tokens are cleared where that saves more than 0
      Then it holds <held> tokens, <estimated> by the estimate of everything

      Examples:
        | description | output                         | reported | held   | estimated |
        | words       | a tool output of 30,000 tokens | 200,000  | 80,033 | 61,069    |
        | pictures    | a screenshot                   | 20,000   | 13,628 | 4,272     |

    Scenario: Every output of a message counts, and the thinking that went with them
      Given a conversation of
        | speaker   | thinks                      | says  | calls | answers | tokens |
        | user      |                             | One.  |       |         |        |
        | assistant |                             |       | A, B  |         |        |
        | tool      |                             |       |       | A, B    | 100    |
        | assistant | That took a while, I think. | Done. |       |         |        |
        | user      |                             | Two.  |       |         |        |
        | user      |                             | More. |       |         |        |
      When outputs beyond 0 tokens are cleared where that saves more than 0
      Then it holds 24 tokens, 24 by the estimate of everything

    Scenario Outline: What is planned after it counts what is left
      Given a model with a context window of 200,000 tokens
      And a keep target of <target> tokens
      And a conversation of 6 turns, each with <output>
      And every old output was cleared
      When a manual compaction is planned
      Then it replaces <replaced> characters

      Examples: Four turns of 57 characters, and the fifth without its last 5
        | description | output                         | target | replaced |
        | words       | a tool output of 30,000 tokens | 31,000 | 120,247  |
        | pictures    | a screenshot                   | 2,000  | 6,652    |

    Scenario: A picture that stays beside a cleared output counts as before
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | says    | calls | answers | tokens | holds |
        | user      | Look.   |       |         |        |       |
        | assistant |         | A     |         |        |       |
        | tool      |         |       | A       | 100    | image |
        | user      | First.  |       |         |        |       |
        | user      | Second. |       |         |        |       |
        | user      | Third.  |       |         |        |       |
      And every old output was cleared
      When a manual compaction is planned
      Then it replaces 6,444 characters

    Scenario: What was cleared once is not cleared again
      Given a conversation of 6 turns, each with a tool output of 30,000 tokens
      And every old output was cleared
      When a turn ends
      Then no output is cleared, because there is "nothing to prune"

    Scenario: Pruning that is switched off clears nothing
      Given pruning is switched off
      And a conversation of 6 turns, each with a tool output of 30,000 tokens
      When a turn ends
      Then no output is cleared, because there is "disabled"

    Scenario: Thinking behind the first cleared output goes with it
      Given a conversation of
        | speaker   | thinks | says  | calls | answers | tokens |
        | user      |        | One.  |       |         |        |
        | assistant | Hm.    | So.   | A     |         |        |
        | tool      |        |       |       | A       | 100    |
        | assistant | Well.  | Yes.  | B     |         |        |
        | tool      |        |       |       | B       | 100    |
        | assistant | Ah.    | Done. |       |         |        |
        | user      |        | Two.  |       |         |        |
        | user      |        | More. |       |         |        |
      When outputs beyond 0 tokens are cleared where that saves more than 0
      Then the conversation now reads
        | speaker   | thinks | says  | calls | answers |
        | user      |        | One.  |       |         |
        | assistant | Hm.    | So.   | A     |         |
        | tool      |        |       |       | A       |
        | assistant |        | Yes.  | B     |         |
        | tool      |        |       |       | B       |
        | assistant |        | Done. |       |         |
        | user      |        | Two.  |       |         |
        | user      |        | More. |       |         |

    Scenario Outline: What it left can be sent, but for a message of thinking alone
      Given a conversation of
        | speaker   | thinks | says   | calls | answers | tokens |
        | user      |        | One.   |       |         |        |
        | assistant |        |        | A     |         |        |
        | tool      |        |        |       | A       | 60,000 |
        | assistant | Well.  | <says> |       |         |        |
        | user      |        | Well?  |       |         |        |
        | assistant |        | Yes.   |       |         |        |
        | user      |        | Two.   |       |         |        |
        | user      |        | More.  |       |         |        |
      And every old output was cleared
      When what can be sent is asked for
      Then <result>

      Examples:
        | description    | says  | result                                                |
        | words are left | Done. | the conversation is whole                             |
        | nothing is     |       | it is mended, and its sources are 0, 1, 2, 4, 5, 6, 7 |

    Scenario: In a tool loop that needs its thinking it waits
      Given a conversation of 6 turns, each with a tool output of 30,000 tokens
      And after it came
        | speaker   | thinks | calls | answers |
        | user      |        |       |         |
        | assistant | Hm.    | Z     |         |
        | tool      |        |       | Z       |
      When a turn ends
      Then no output is cleared, because there is "waits for the end of the tool loop: its thinking would be lost"

    Scenario: It waits as well behind a response of thinking alone, which leaves with its thinking
      Given a conversation of 6 turns, each with a tool output of 30,000 tokens
      And after it came
        | speaker   | thinks | calls | answers |
        | user      |        |       |         |
        | assistant | Hm.    | Z     |         |
        | tool      |        |       | Z       |
        | assistant | So.    |       |         |
      When a turn ends
      Then no output is cleared, because there is "waits for the end of the tool loop: its thinking would be lost"

  @CMP_02
  Rule: A plan states for each message whether it is kept, cleared or summarized, and why
    Source: a decision of this project, so that a compaction can be read and refused before it happens.

    Scenario: The recent turns are kept
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   |
        | user      |
        | assistant |
        | user      |
        | assistant |
        | user      |
        | assistant |
        | user      |
      When a manual compaction is planned
      Then it decides
        | message | fate       | why            |
        | 0       | summarised | before the cut |
        | 1       | summarised | before the cut |
        | 2       | kept       | recent turns   |
        | 3       | kept       | recent turns   |
        | 4       | kept       | recent turns   |
        | 5       | kept       | recent turns   |
        | 6       | kept       | recent turns   |

    Scenario: What the harness said before the first turn, pins and the last request stay
      Given a model with a context window of 200,000 tokens
      And a keep target of 200 tokens
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
      Then it decides
        | message | fate       | why                         |
        | 0       | kept       | before the first turn       |
        | 1       | summarised | before the cut              |
        | 2       | kept       | pinned                      |
        | 3       | summarised | before the cut              |
        | 4       | kept       | the user's last message     |
        | 5       | summarised | before the cut              |
        | 6       | kept       | cut inside the recent turns |

    Scenario: A harness's text beside a result is not the user's last message
      Given a model with a context window of 200,000 tokens
      And a keep target of 200 tokens
      And a conversation of
        | speaker   | calls | answers | says                                                  | tokens |
        | user      |       |         | Build it.                                             | 300    |
        | assistant |       |         | Done.                                                 | 300    |
        | user      |       |         | Fix the parser, keep the API.                         |        |
        | assistant | A     |         |                                                       |        |
        | tool      |       | A       | <system-reminder>The list is empty.</system-reminder> | 300    |
        | assistant |       |         | Done.                                                 | 150    |
      When a manual compaction is planned
      Then it decides
        | message | fate       | why                         |
        | 0       | summarised | before the cut              |
        | 1       | summarised | before the cut              |
        | 2       | kept       | the user's last message     |
        | 3       | summarised | before the cut              |
        | 4       | summarised | before the cut              |
        | 5       | kept       | cut inside the recent turns |

    Scenario: A pin keeps what cannot be parted from it
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | calls | answers | mark   |
        | user      |       |         |        |
        | assistant | A     |         | pinned |
        | tool      |       | A       |        |
        | user      |       |         |        |
        | user      |       |         |        |
        | user      |       |         |        |
      When a manual compaction is planned
      Then it decides
        | message | fate       | why                     |
        | 0       | summarised | before the cut          |
        | 1       | kept       | pinned                  |
        | 2       | kept       | bound to what is pinned |
        | 3       | kept       | recent turns            |
        | 4       | kept       | recent turns            |
        | 5       | kept       | recent turns            |

    Scenario: A pin where the kept part begins is kept with it
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker | mark   |
        | user    |        |
        | user    | pinned |
        | user    |        |
        | user    |        |
      When a manual compaction is planned
      Then it decides
        | message | fate       | why            |
        | 0       | summarised | before the cut |
        | 1       | kept       | recent turns   |
        | 2       | kept       | recent turns   |
        | 3       | kept       | recent turns   |

    Scenario: What the model did before the first turn is no word of the harness
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | mark      |
        | user      | synthetic |
        | assistant |           |
        | user      |           |
        | user      |           |
        | user      |           |
        | user      |           |
      When a manual compaction is planned
      Then it decides
        | message | fate       | why                   |
        | 0       | kept       | before the first turn |
        | 1       | summarised | before the cut        |
        | 2       | summarised | before the cut        |
        | 3       | kept       | recent turns          |
        | 4       | kept       | recent turns          |
        | 5       | kept       | recent turns          |

    Scenario: The words of the harness before an earlier summary stay
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker | mark      |
        | user    | synthetic |
        | user    | summary   |
        | user    |           |
        | user    |           |
        | user    |           |
        | user    |           |
      When a manual compaction is planned
      Then it decides
        | message | fate       | why                   |
        | 0       | kept       | before the first turn |
        | 1       | summarised | an earlier summary    |
        | 2       | summarised | before the cut        |
        | 3       | kept       | recent turns          |
        | 4       | kept       | recent turns          |
        | 5       | kept       | recent turns          |

    Scenario: A request before a summary that the assistant gave is no question of the harness
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | mark    |
        | user      |         |
        | assistant | summary |
        | user      |         |
        | user      |         |
        | user      |         |
      When a manual compaction is planned
      Then it summarises

    Scenario: Everything from the newest anchor before the recent turns is kept
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | mark       |
        | user      |            |
        | assistant |            |
        | user      | checkpoint |
        | assistant |            |
        | user      |            |
        | user      |            |
        | user      |            |
      When a manual compaction is planned
      Then it decides
        | message | fate       | why            |
        | 0       | summarised | before the cut |
        | 1       | summarised | before the cut |
        | 2       | kept       | anchor         |
        | 3       | kept       | anchor         |
        | 4       | kept       | anchor         |
        | 5       | kept       | anchor         |
        | 6       | kept       | anchor         |

    Scenario: What was done since an earlier summary goes with it
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | mark    |
        | user      | summary |
        | assistant |         |
        | user      |         |
        | user      |         |
        | user      |         |
        | user      |         |
      When a manual compaction is planned
      Then it decides
        | message | fate       | why                |
        | 0       | summarised | an earlier summary |
        | 1       | summarised | before the cut     |
        | 2       | summarised | before the cut     |
        | 3       | kept       | recent turns       |
        | 4       | kept       | recent turns       |
        | 5       | kept       | recent turns       |

    Scenario: A pruned output is told
      Given a model with a context window of 200,000 tokens
      And a longest answer of 32,000 tokens
      And a conversation of 6 turns, each with a tool output of 30,000 tokens
      And a last response that reports 168,001 tokens
      When an automatic compaction is planned
      Then message 2 is pruned because of "3 outputs (90000 > 20000)"

    Scenario: A plan that does nothing gives its reasons too
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   |
        | user      |
        | assistant |
      When an automatic compaction is planned
      Then it decides
        | message | fate | why                   |
        | 0       | kept | nothing is summarised |
        | 1       | kept | nothing is summarised |

    Scenario: Planning changes nothing
      Given a model with a context window of 200,000 tokens
      And a conversation of 6 turns, each with a tool output of 30,000 tokens
      When a manual compaction is planned
      Then the same plan is made again

  @CMP_02
  Rule: If no message would be summarized, the plan does nothing and says so
    Source: a decision of this project (see SEL_07 for what selection says of it); the field:
    anthropics/claude-code#24179, one conversation compacted 211 times.

    Scenario Outline: There is nothing to summarise
      Given a model with a context window of 200,000 tokens
      And a conversation of <messages>
      When a manual compaction is planned
      Then it does nothing, because there is "nothing to compact"

      Examples:
        | description             | messages              |
        | no message at all       | nothing               |
        | recent turns alone      | 3 turns               |
        | a summary and few turns | a summary and 3 turns |

    Scenario: Nothing is pruned either
      Given a model with a context window of 1,000,000 tokens
      And a keep target of 200,000 tokens
      And a conversation of 3 turns, each with a tool output of 60,000 tokens
      When a manual compaction is planned
      Then it does nothing, because there is "nothing to compact"

    Scenario: All is kept from the first turn on where that is an anchor, however long the words before it
      Given a model with a context window of 200,000 tokens
      And a keep target of 200 tokens
      And a conversation of
        | speaker | tokens | mark       |
        | user    | 500    | synthetic  |
        | user    | 10     | checkpoint |
        | user    | 10     |            |
        | user    | 10     |            |
        | user    | 10     |            |
      When a manual compaction is planned
      Then it does nothing, because there is "nothing to compact"

    Scenario: A tool loop is not given up where nothing else would leave
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | thinks | calls | answers | mark      |
        | user      |        |       |         | synthetic |
        | user      |        |       |         |           |
        | assistant | Hm.    | A     |         |           |
        | tool      |        |       | A       |           |
      When a manual compaction is planned
      Then it does nothing, because there is "nothing to compact"

  @CMP_02
  Rule: A manual compaction that would remove less than 5% does nothing
    Source: a decision of this project; in a real transcript of Codex 97 of 34,957 tokens left, 38 were saved, and three
    in eight facts were lost with them (see SEL_07, where nothing would leave at all).

    Scenario Outline: A twentieth is enough
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker | tokens  |
        | user    | <first> |
        | user    | 1,000   |
        | user    | 500     |
        | user    | <last>  |
      When a manual compaction is planned
      Then it keeps <kept>

      Examples: 2,000 tokens in all
        | description   | first | last | kept       |
        | a token less  | 99    | 401  | 0, 1, 2, 3 |
        | exactly       | 100   | 400  | 1, 2, 3    |
        | a token more  | 101   | 399  | 1, 2, 3    |

    Scenario Outline: Where the conversation begins with a summary, the messages after it are compared
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker | tokens  | mark    |
        | user    | 3,000   | summary |
        | user    | <first> |         |
        | user    | 1,000   |         |
        | user    | 500     |         |
        | user    | <last>  |         |
      When a manual compaction is planned
      Then it keeps <kept>

      Examples: 2,000 tokens after the summary
        | description   | first | last | kept          |
        | a token less  | 99    | 401  | 0, 1, 2, 3, 4 |
        | exactly       | 100   | 400  | 2, 3, 4       |

    Scenario: It says how little that is
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker | tokens |
        | user    | 97     |
        | user    | 30,000 |
        | user    |        |
        | user    |        |
      And a system prompt of 2,000 tokens
      When a manual compaction is planned
      Then it does nothing, because there is "nothing to compact: 97 of 32,110 tokens would leave"

    Scenario: Nor is anything pruned then
      Given a model with a context window of 1,000,000 tokens
      And a keep target of 200,000 tokens
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

    Scenario: Where it has to be, little is better than nothing
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker | tokens |
        | user    | 10     |
        | user    | 1,000  |
        | user    |        |
        | user    |        |
      When a compaction is planned after the provider's overflow error
      Then it summarises

    Scenario: An automatic compaction takes what there is
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
      Then it summarises

  @CMP_02
  Rule: An automatic compaction waits for the end of a tool loop with thinking while there is room, and summarizes the loop when there is none
    Source: newer Claude models bind a thinking block to the exact history before it and answer a request that breaks
    the bond with an error; see the rules on thinking.

    Scenario Outline: The window decides how long a loop is waited for
      Given a model with a context window of 200,000 tokens
      And the profile proactive
      And a conversation that ends in an unfinished tool loop with thinking
      And a last response that reports <held> tokens
      When an automatic compaction is planned
      Then it <does>

      Examples:
        | description    | held    | does                                  |
        | due, with room | 168,000 | waits for the end of the loop         |
        | no room left   | 168,001 | summarises all but the user's request |

    Scenario: By hand it is not waited
      Given a model with a context window of 200,000 tokens
      And a conversation that ends in an unfinished tool loop with thinking
      When a manual compaction is planned
      Then it summarises all but the user's request

    Scenario Outline: Whatever the compaction, it says in words what it does and why
      Given a model with a context window of 200,000 tokens
      And <profile>
      And a conversation of <conversation>
      And a last response that reports <held> tokens
      When <plan>
      Then the reason it gives is "<reason>"

      Examples:
        | description         | profile               | conversation                                      | held    | plan                               | reason                                |
        | by hand, not due    | the profile usable    | 6 turns, each with a tool output of 30,000 tokens | 20,000  | a manual compaction is planned     | manual: under threshold               |
        | by hand, due        | the profile usable    | 6 turns, each with a tool output of 30,000 tokens | 168,001 | a manual compaction is planned     | manual: overflow (168001 > 168000)    |
        | automatic, due      | the profile usable    | 6 turns, each with a tool output of 30,000 tokens | 300,000 | an automatic compaction is planned | automatic: overflow (300000 > 168000) |
        | automatic, not due  | the profile usable    | 6 turns, each with a tool output of 30,000 tokens | 168,000 | an automatic compaction is planned | under threshold                       |
        | pruning is enough   | the profile usable    | 6 turns, each with a tool output of 30,000 tokens | 168,001 | an automatic compaction is planned | pruned: 3 outputs (90000 > 20000)     |
        | due, nothing leaves | the profile proactive | 3 turns                                           | 154,561 | an automatic compaction is planned | nothing to compact                    |

    Scenario Outline: Where a loop is given up the reason says so
      Given a model with a context window of 200,000 tokens
      And the profile proactive
      And a conversation that ends in an unfinished tool loop with thinking
      And a last response that reports <held> tokens
      When an automatic compaction is planned
      Then the reason it gives is "<reason>"

      Examples:
        | description    | held    | reason                                                                                                                      |
        | due, with room | 168,000 | waits for the end of the tool loop: there is room, and its thinking would be lost                                           |
        | no room left   | 168,001 | automatic: overflow (168001 > 168000); the unfinished tool loop goes into the summary, its thinking is bound to what leaves |

    Scenario: A loop that is given up leaves no reason to keep what is behind it
      Given a model with a context window of 200,000 tokens
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
      Then it keeps nothing behind the summary

  @CMP_02
  Rule: A plan covers the conversation as the API accepts it, and its indices are those of the caller's list
    Source: a decision of this project; a request with a call that has no result, or with an empty text, is refused by
    the API, and whoever reads a plan knows only the conversation that they handed in.

    Scenario: A call without a result and an empty text are mended, and the indices stay
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | says   | calls |
        | user      | First. |       |
        | assistant |        |       |
        | assistant |        | A     |
        | user      | One.   |       |
        | assistant |        | B     |
        | user      | Two.   |       |
        | user      | Three. |       |
      When a manual compaction is planned
      Then it decides
        | message | fate       | why            |
        | 0       | summarised | before the cut |
        | 2       | summarised | before the cut |
        | 3       | kept       | recent turns   |
        | 4       | kept       | recent turns   |
        | 5       | kept       | recent turns   |
        | 6       | kept       | recent turns   |

    Scenario Outline: A conversation is whole, or it is mended
      Given a conversation of
        | speaker   | says    | calls   | answers   |
        | user      | <first> |         |           |
        | assistant |         | <calls> |           |
        | tool      |         |         | <answers> |
        | user      | Go on.  |         |           |
      When what can be sent is asked for
      Then <result>

      Examples:
        | description           | first  | calls | answers | result                                          |
        | nothing is missing    | First. | A     | A       | the conversation is whole                       |
        | an empty text         |        | A     | A       | it is mended, and its sources are 1, 2, 3       |
        | a result of nothing   | First. | A     | A, B    | it is mended, and its sources are 0, 1, 2, 3    |
        | another call's result | First. | A     | B       | it is mended, and its sources are 0, 1, none, 3 |

    Scenario Outline: The mended conversation is on the same model, and in the same request
      Given a model with a context window of 200,000 tokens
      And <setting>
      And a conversation of
        | speaker   | says   | calls |
        | user      | First. |       |
        | assistant |        | A     |
      When what can be sent is asked for
      Then it is mended, for the same model and request

      Examples:
        | description           | setting                                 |
        | another profile       | the profile proactive                   |
        | a system prompt       | a system prompt of 500 tokens           |
        | tools                 | tools whose definitions take 300 tokens |
        | compaction turned off | compaction is turned off                |
        | pruning switched off  | pruning is switched off                 |
        | a ratio of its own    | estimates at 2.5 characters a token     |

    Scenario: It is planned with the estimate of the mended conversation
      Given a model with a context window of 200,000 tokens
      And estimates at 2 characters a token
      And a system prompt of 500 tokens
      And a conversation of
        | speaker   | tokens | calls |
        | user      | 100    |       |
        | assistant | 20     | A     |
        | user      | 10     |       |
      When a manual compaction is planned
      Then it estimates 1,279 tokens before

  @CMP_02
  Rule: A plan states whether the least that must stay is above the target
    Source: a decision of this project, so that a user learns why a compaction brought little.

    Scenario Outline: The recent turns are cut where they are above the target
      Given a model with a context window of 200,000 tokens
      And a keep target of 200 tokens
      And <ratio>
      And a conversation of
        | speaker   | tokens |
        | user      | 20     |
        | user      | 10     |
        | assistant | <held> |
        | user      | 50     |
        | user      | 50     |
      When a manual compaction is planned
      Then it keeps <kept>

      Examples: 200 tokens are the target
        | description      | ratio                               | held | kept       |
        | exactly          | estimates at 4 characters a token   | 90   | 1, 2, 3, 4 |
        | one over         | estimates at 4 characters a token   | 91   | 2, 3, 4    |
        | at another ratio | estimates at 2.5 characters a token | 25   | 2, 3, 4    |

    Scenario Outline: A plan says whether the least that stays is above the target
      Given a model with a context window of 200,000 tokens
      And a keep target of 200 tokens
      And a conversation of
        | speaker   | tokens |
        | user      | 10     |
        | assistant | 300    |
        | user      | <last> |
      When a manual compaction is planned
      Then it is <above> the target

      Examples: 200 tokens are the target
        | description | last | above     |
        | exactly     | 200  | not above |
        | one over    | 201  | above     |

    Scenario: What the profile has to say is passed on
      Given a model with a context window of 200,000 tokens
      And the profile codelet-rust
      And a conversation of 6 turns
      When a manual compaction is planned
      Then it notes "the profile codelet-rust is deprecated: it compares a cost figure with the window and wastes a third of it; use usable"

    Scenario Outline: A program that takes a deprecated profile is warned
      When a compactor is made with the profile <profile>
      Then its warnings are "<warnings>"

      Examples:
        | description      | profile            | warnings                                                                                                                                |
        | the first port   | codelet-rust       | the profile codelet-rust is deprecated: it compares a cost figure with the window and wastes a third of it; use usable                     |
        | the original     | codelet-typescript | the profile codelet-typescript is deprecated: it compares a cost figure with the window and leaves no room for the answer; use usable |
        | one that is not  | usable             |                                                                                                                                         |

  @CMP_02
  Rule: A plan holds what the summary is made from: the messages it replaces, their turns, the facts and the previous summary
    Source: a decision of this project, so that the summary is written from the plan alone, by a model or by the template.

    Scenario: It tells of the turns that leave, and what each achieved
      Given a model with a context window of 200,000 tokens
      And a conversation of the turns
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
      Then it tells of the turns
        | turn | asked          | responses | achieved |
        | 0    | Mend the door. | 1         |          |

    Scenario: It names the anchor that it keeps from
      Given a model with a context window of 200,000 tokens
      And a conversation of the turns
        | asked          | says | tool | on     | went  | prints   |
        | Mend the door. |      | Bash | pytest | badly | 1 failed |
        | Once more.     |      | Edit | door   |       |          |
        |                |      | Bash | pytest |       | 1 passed |
        | Paint it.      | Yes. |      |        |       |          |
        | Now this.      | Yes. |      |        |       |          |
        | And that.      | Yes. |      |        |       |          |
      When a manual compaction is planned
      Then it keeps from turn 1 on, an error resolution

    Scenario Outline: Without an anchor it names none
      Given a model with a context window of 200,000 tokens
      And a conversation of <turns>
      When a manual compaction is planned
      Then it keeps from no anchor

      Examples:
        | description           | turns   |
        | nothing was achieved  | 6 turns |
        | nothing is summarised | 3 turns |

    Scenario Outline: A turn that the cut goes through is told of as far as the cut
      Given a model with a context window of 200,000 tokens
      And a keep target of 200 tokens
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
      Then it tells of the turns
        | turn | asked          | responses | achieved   |
        | 0    | Mend the door. | 1         |            |
        | 1    | Once more.     | 3         | <achieved> |

      Examples:
        | description             | went  | prints   | achieved         |
        | the turn before failed  | badly | 1 failed | error resolution |
        | the turn before did not | well  | 1 passed | task completion  |

    Scenario: The first turn of all is told of as far as the cut
      Given a model with a context window of 200,000 tokens
      And a keep target of 200 tokens
      And a conversation of the turns
        | asked          | says | tool | on     | prints   |
        | Mend the door. |      | Edit | door   |          |
        |                |      | Bash | pytest | 1 passed |
      And after it came
        | speaker   | tokens |
        | assistant | 150    |
        | assistant | 150    |
      When a manual compaction is planned
      Then it tells of the turns
        | turn | asked          | responses | achieved        |
        | 0    | Mend the door. | 3         | task completion |

    Scenario: What was done before the first turn is told of too, as no turn's
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | says           | calls | answers | mark       |
        | user      | What was told. |       |         | summary    |
        | assistant | I went on.     |       |         | checkpoint |
        | user      | First.         |       |         |            |
        | user      | Second.        |       |         |            |
        | user      | Third.         |       |         |            |
        | user      | Fourth.        |       |         |            |
      When a manual compaction is planned
      Then it tells of the turns
        | turn   | asked  | responses | achieved |
        | before |        | 1         |          |
        | 0      | First. | 0         |          |

    Scenario Outline: In a loop that is given up the turn that goes on is told of
      Given a model with a context window of 200,000 tokens
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
      Then it tells of the turns
        | turn | asked          | responses | achieved   |
        | 0    | One.           | 1         |            |
        | 1    | Two.           | 1         |            |
        | 2    | Mend the door. | 1         |            |
        | 3    | Once more.     | 3         | <achieved> |

      Examples:
        | description             | went  | prints   | achieved         |
        | the turn before failed  | badly | 1 failed | error resolution |
        | the turn before did not | well  | 1 passed | task completion  |

    Scenario: It holds the facts of the whole conversation, the last turn included
      Given a model with a context window of 200,000 tokens
      And a conversation of the turns
        | asked           | says | tool | on   |
        | Mend the door.  | Yes. | Edit | door |
        | One.            | Yes. |      |      |
        | Two.            | Yes. |      |      |
        | Read the walls. | Yes. | Read | wall |
      When a manual compaction is planned
      Then it holds the facts
        | kind          | fact            |
        | request       | Mend the door.  |
        | request       | One.            |
        | request       | Two.            |
        | request       | Read the walls. |
        | modified file | door            |
        | read file     | wall            |

    Scenario: Where nobody asked for anything there is no turn to tell of
      Given a model with a context window of 200,000 tokens
      And a keep target of 200 tokens
      And a conversation of
        | speaker | tokens | mark      |
        | user    | 10     | summary   |
        | user    | 300    | synthetic |
        | user    | 300    | synthetic |
      When a manual compaction is planned
      Then it tells of no turn, and holds no fact

    Scenario: It counts what is replaced, without what is kept ahead
      Given a model with a context window of 200,000 tokens
      And a keep target of 200 tokens
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
      Then it replaces 1,880 characters

    Scenario: A picture counts as the characters that its tokens stand for
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker | says    | holds |
        | user    | Look.   | image |
        | user    | First.  |       |
        | user    | Second. |       |
        | user    | Third.  |       |
      When a manual compaction is planned
      Then it replaces 6,405 characters

    Scenario: The words of earlier summaries are handed on, without the line they open with
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | says                                                                  | mark    |
        | user      | [Summary of the earlier conversation, written by brim]; and the door. | summary |
        | user      | And the wall.                                                         | summary |
        | assistant | I went on.                                                            |         |
        | user      | First.                                                                |         |
        | user      | Second.                                                               |         |
        | user      | Third.                                                                |         |
        | user      | Fourth.                                                               |         |
      When a manual compaction is planned
      Then the earlier summary is "; and the door.\n\nAnd the wall."

    Scenario Outline: A summary that stays is not handed on
      Given a model with a context window of 200,000 tokens
      And a keep target of 200 tokens
      And a conversation of
        | speaker   | says           | tokens   | mark          |
        | user      | What was told. |          | <first mark>  |
        | user      | First.         |          |               |
        | assistant |                | 300      |               |
        | user      | And more.      | <second> | <second mark> |
        | user      | Second.        | 90       |               |
      When a manual compaction is planned
      Then the earlier summary is "<earlier>"

      Examples:
        | description              | first mark      | second | second mark | earlier        |
        | pinned                   | summary, pinned | 1      | synthetic   |                |
        | behind the cut           | synthetic       | 1      | summary     |                |
        | the one before it leaves | summary         | 1      | summary     | What was told. |

    Scenario: What a pinned result answers is kept with it
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | calls | answers | mark   |
        | user      |       |         |        |
        | assistant | A     |         |        |
        | tool      |       | A       | pinned |
        | user      |       |         |        |
        | user      |       |         |        |
        | user      |       |         |        |
      When a manual compaction is planned
      Then it decides
        | message | fate       | why                     |
        | 0       | summarised | before the cut          |
        | 1       | kept       | bound to what is pinned |
        | 2       | kept       | pinned                  |
        | 3       | kept       | recent turns            |
        | 4       | kept       | recent turns            |
        | 5       | kept       | recent turns            |
