Feature: Plan
  A compaction is planned before it happens: what is pruned, what stays word for word, what is summarised, and why. The
  plan is a value that one can read, price, print and refuse. It is made of the conversation alone and changes nothing;
  the call that writes the summary stands between the plan and the new conversation.

  @CMP_01
  Rule: Old tool outputs are pruned first, and only where that is not enough the conversation is summarised
    Source: OpenCode's two levels, pruning and compaction, in the comparison of OpenCode and Claude Code (S2, section 2).

    Scenario Outline: An automatic compaction goes no further than it has to
      Given a model with a context window of 200,000 tokens
      And a longest answer of 32,000 tokens
      And a conversation of 6 turns, each with a tool output of 30,000 tokens
      And a last response that reports <held> tokens
      When an automatic compaction is planned
      Then it <does>

      Examples: Below and at the usable context
        | description      | held    | does         |
        | well under       | 20,000  | does nothing |
        | exactly full     | 168,000 | does nothing |

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
      When a compaction is planned by hand
      Then it summarises

    Scenario: What is summarised is not pruned first
      Given a model with a context window of 200,000 tokens
      And a longest answer of 32,000 tokens
      And a conversation of 6 turns, each with a tool output of 30,000 tokens
      When a compaction is planned by hand
      Then no output is pruned

  @CMP_02
  Rule: A plan says of every message whether it is kept or summarised, and why
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
      When a compaction is planned by hand
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
      Given a model with a context window of 2,000 tokens
      And a longest answer of 1,000 tokens
      And a conversation of
        | speaker   | tokens | mark      |
        | user      | 10     | synthetic |
        | user      | 10     |           |
        | assistant | 10     | pinned    |
        | assistant | 300    |           |
        | user      | 10     |           |
        | assistant | 150    |           |
        | assistant | 150    |           |
      When a compaction is planned by hand
      Then it decides
        | message | fate       | why                         |
        | 0       | kept       | before the first turn       |
        | 1       | summarised | before the cut              |
        | 2       | kept       | pinned                      |
        | 3       | summarised | before the cut              |
        | 4       | kept       | the user's last message     |
        | 5       | summarised | before the cut              |
        | 6       | kept       | cut inside the recent turns |

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
      When a compaction is planned by hand
      Then it decides
        | message | fate       | why                     |
        | 0       | summarised | before the cut          |
        | 1       | kept       | pinned                  |
        | 2       | kept       | bound to what is pinned |
        | 3       | kept       | recent turns            |
        | 4       | kept       | recent turns            |
        | 5       | kept       | recent turns            |

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
      When a compaction is planned by hand
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
      When a compaction is planned by hand
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
      When a compaction is planned by hand
      Then the same plan is made again

  @CMP_02
  Rule: Where nothing would be summarised, nothing is compacted, and the plan says so
    Source: a decision of this project (see SEL_07 for what selection says of it); the field:
    anthropics/claude-code#24179, one conversation compacted 211 times.

    Scenario Outline: There is nothing to summarise
      Given a model with a context window of 200,000 tokens
      And a conversation of <messages>
      When a compaction is planned by hand
      Then it does nothing, because there is "nothing to compact"

      Examples:
        | description               | messages                         |
        | no message at all         | nothing                          |
        | recent turns alone        | 3 turns                          |
        | a summary and few turns   | a summary and 3 turns            |

    Scenario: A tool loop is not given up where nothing else would leave
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | thinks | calls | answers | mark      |
        | user      |        |       |         | synthetic |
        | user      |        |       |         |           |
        | assistant | Hm.    | A     |         |           |
        | tool      |        |       | A       |           |
      When a compaction is planned by hand
      Then it does nothing, because there is "nothing to compact"

  @CMP_02
  Rule: A tool loop whose thinking would be lost is waited for while there is room, and summarised where there is none
    Source: newer Claude models bind a thinking block to the exact history before it and answer a request that breaks
    the bond with an error; see the rules on thinking.

    Scenario Outline: The window decides how long a loop is waited for
      Given a model with a context window of 200,000 tokens
      And a longest answer of 32,000 tokens
      And the profile proactive
      And a conversation that ends in an unfinished tool loop with thinking
      And a last response that reports <held> tokens
      When an automatic compaction is planned
      Then it <does>

      Examples:
        | description    | held    | does                                   |
        | due, with room | 168,000 | waits for the end of the loop          |
        | no room left   | 168,001 | summarises all but the user's request  |

    Scenario: By hand it is not waited
      Given a model with a context window of 200,000 tokens
      And a conversation that ends in an unfinished tool loop with thinking
      When a compaction is planned by hand
      Then it summarises all but the user's request
