Feature: Fit
  What is kept word for word has to leave room, or compacting brings no relief: one request is often followed by a
  hundred tool calls, so that three turns can fill the whole window. What selection would keep is measured against a
  target, and gives way step by step, but for the user's last message.

  "user 100" is a message of 100 tokens, "A 500" a call with an output of 500. The messages that a plan keeps are counted
  from 0; "cut before message 5" means that the fifth message is the first that is kept.

  @SEL_04
  Rule: The target is 20% of the smaller of the usable context and what the conversation holds, at most 15,000 tokens, and never above the budget
    Source: brim. The original sets no limit (S4), and 150,000 of 168,000 tokens kept would be no relief. The field: with
    162,000 tokens kept a model recalled 45.8% of the facts, with 49,000 68.3% (NousResearch/hermes-agent#87326). The
    share and the maximum are settings (decision 0209).

    Scenario Outline: The smaller of the usable context and the conversation
      Given a model with window <window>, answer <answer>
      And the conversation <conversation>
      When a compactor plans a compaction by hand
      Then the target is "<target>"

      Examples:
        | description                              | window  | answer | conversation         | target |
        | the usable context is smaller            | 60,000  | 20,000 | user 99,999, user 1  | 8,000  |
        | the conversation is smaller              | 200,000 | 32,000 | user 49,999, user 1  | 10,000 |
        | less than a token                        | 200,000 | 32,000 | user 3, user 1       | 0      |
        | one under the maximum                    | 200,000 | 32,000 | user 74,998, user 1  | 14,999 |
        | the maximum                              | 200,000 | 32,000 | user 74,999, user 1  | 15,000 |
        | the budget                               | 60,000  | 1      | user 49,999, user 1  | 10,000 |

    Scenario Outline: The share and the maximum are settings
      Given a model with window 200,000, answer 32,000
      And the settings keep share <share>, keep at most <most>
      And the conversation user <held>
      When a compactor plans a compaction by hand
      Then the target is "<target>"

      Examples:
        | description        | share | most   | held    | target |
        | without a fraction | 0.29  | 25,000 | 100     | 29     |
        | a smaller maximum  | 0.2   | 50     | 1,000   | 50     |
        | no maximum         | 0.2   | 0      | 168,000 | 33,600 |

    Scenario Outline: Where the conversation begins with a summary, the usable context alone counts
      Given a model with window <window>, answer 20,000
      And the conversation <opening>, user 1,000
      When a compactor plans a compaction by hand
      Then the target is "<target>"

      Examples:
        | description              | window  | opening                                                                       | target |
        | a share of it            | 60,000  | summary "All went well."                                                      | 8,000  |
        | the window is unknown    | 0       | summary "All went well."                                                      | 15,000 |
        | it begins with a request | 60,000  | user 1,000, summary "All went well."                                          | 403    |

    Scenario Outline: Where the window is unknown, a share of what the conversation holds is kept, at least 2,000 tokens
      Given a model with window 0
      And the settings keep share <share>, keep at most <most>
      And the conversation user <held>
      When a compactor plans a compaction by hand
      Then the target is "<target>"

      Examples:
        | description         | share | most   | held   | target |
        | the least           | 0.2   | 25,000 | 10,000 | 2,000  |
        | a fifth of more     | 0.2   | 25,000 | 10,005 | 2,001  |
        | the maximum         | 0.5   | 25,000 | 60,000 | 25,000 |

    Scenario Outline: After the provider's overflow error half of the share of what the conversation holds is kept
      Given a model with window <window>, answer 1,000
      And the settings keep share <share>, keep at most 25,000
      And the conversation user <held>
      When a compactor plans a compaction after the provider's overflow error
      Then the target is "<target>"

      Examples:
        | description           | window  | share | held    | target |
        | a fifth               | 200,000 | 0.2   | 100,000 | 10,000 |
        | the window is unknown | 0       | 0.2   | 5,000   | 500    |

  @SEL_04
  Rule: Compacting the result of a compaction again does nothing, in another process too
    Source: brim. The field: anthropics/claude-code#24179, one conversation compacted 211 times.

    Scenario Outline: The result holds what the next compaction would keep
      Given a model with window <window>, answer 32,000
      And the conversation <conversation>
      When a compactor compacts it, and in another process the result
      Then the second compaction is "nothing"

      Examples:
        | description                       | window  | conversation      |
        | three turns fit                   | 200,000 | 12 turns of 100   |
        | the output of a turn is too large | 200,000 | 4 turns of 40,000 |
        | the window is unknown             | 0       | 12 turns of 5,000 |

    Scenario Outline: Nor does it in the middle of the agent's work
      Given a model with window 10,000, answer 1,000
      And the settings keep target 10
      And the conversation user 9,000, user 100, A <output>
      When a compactor compacts it where due, and in another process the result
      Then the second compaction is "nothing"

      Examples: The result of the newest call, which the model has not seen
        | description                 | output |
        | it is kept                  | 2,000  |
        | it is too large, and leaves | 20,000 |

    Scenario Outline: Nor does it in the same process, unless there is a new message
      Without a bound the target is a share of what is held, which is less after a compaction.

      Given a model with window 0
      And the settings keep share 0.2, keep at most 0
      And the conversation 12 turns of 1,000
      When a compactor compacts it, and then the result <result>
      Then the second compaction is "<does>"

      Examples:
        | description            | result                                | does           |
        | the same               | as it is                              | nothing        |
        | the cache marks differ | with a cache mark on its last message | nothing        |
        | a message more         | with a message more                   | summarizes     |

  @SEL_04
  Rule: If the turns from the anchor on exceed the target, the recent turns alone are kept, or else the longest part of them that fits
    Source: brim. The original sets no limit (S4). In real conversations one prompt is often followed by a hundred tool
    calls, so that three turns can be the whole window.

    Scenario Outline: From an anchor, or the recent turns alone
      Given turns of 4, 4, 4, 4, 4 messages, each of 100 tokens
      And its anchors are "<anchors>"
      When it is fitted to <target> tokens
      Then the cut before message is "<cut>"
      And the reason is "<why>"

      Examples: From the anchor
        | description      | anchors | target | cut | why    |
        | it fits exactly  | 1       | 1,600  | 5   | anchor |
        | the newer of two | 0, 1    | 1,600  | 5   | anchor |

      Examples: The recent turns alone
        | description         | anchors | target | cut | why          |
        | a token too little  | 1       | 1,599  | 9   | recent turns |
        | exactly enough      | 1       | 1,200  | 9   | recent turns |
        | no anchor           |         | 5,000  | 9   | recent turns |
        | both recent and old | 1, 3    | 1,599  | 9   | recent turns |

      Examples: Within the recent turns
        | description        | anchors | target | cut | why                         |
        | a token too little | 1       | 1,199  | 10  | cut inside the recent turns |
        | a whole turn fewer |         | 800    | 13  | cut inside the recent turns |

    Scenario Outline: A summary that opens the conversation takes no room of the turns after it
      Given turns of 4, 4, 4, 4, 4 messages, each of 100 tokens
      And its opening summary is "<size>"
      And its anchors are "0"
      When it is fitted to 2,000 tokens
      Then the cut before message is "<cut>"
      And the reason is "anchor"

      Examples:
        | description                  | size  | cut |
        | without one                  | 0     | 1   |
        | a new one replaces it        | 1     | 2   |

    Scenario Outline: A cut is made only where it is legal
      Given turns of 4, 4, 4, 4, 4 messages, each of 100 tokens
      And its legal cuts are "<legal>"
      When it is fitted to <target> tokens
      Then the cut before message is "<cut>"
      And the reason is "<why>"

      Examples:
        | description                    | legal            | target | cut | why                         |
        | the recent turns can be parted | 1, 9, 21         | 1,200  | 9   | recent turns                |
        | a step back, and it fits       | 1, 7, 21         | 1,400  | 7   | recent turns                |
        | a step back, and it does not   | 1, 7, 11, 21     | 1,399  | 11  | cut inside the recent turns |

  @SEL_06
  Rule: The last message that the user wrote is always kept verbatim
    Source: brim. The field: anthropics/claude-code#22376, where the user's last request was lost. That recent messages
    survive, and nobody asks again what the task was, are aims of S3 (implementation plan; S3, success metrics).

    Scenario Outline: It counts as kept though it stands before the cut
      Given turns of 1, 10 messages, each of 100 tokens
      When it is fitted to <target> tokens
      Then the result is
        | cut before message | kept tokens | before the cut |
        | <cut>              | <kept>      | <before>       |

      Examples:
        | description                     | target | cut | kept  | before |
        | from the user's last message on | 1,000  | 2   | 1,000 | no     |
        | a token less                    | 999    | 4   | 900   | yes    |
        | two messages and the user's     | 300    | 10  | 300   | yes    |
        | the user's message alone        | 100    | 12  | 100   | yes    |

    Scenario Outline: A target that it alone exceeds is missed, and said to be
      Given turns of 1, 10 messages, each of 100 tokens
      When it is fitted to <target> tokens
      Then the over target is "<missed>"
      And the reason is "<why>"

      Examples:
        | description     | target | missed | why                         |
        | enough for it   | 100    | no     | last user message           |
        | a token too low | 99     | yes    | last user message           |

  @SEL_04
  Rule: No cut lies outside the compactable range
    Source: brim. The system prompt is kept, and with it what a harness says ahead of the first turn; an earlier summary
    and the work after it are not (decision 0209).

    Scenario Outline: The range begins later
      Given turns of 4, 4, 4, 4 messages, each of 100 tokens
      And its first compactable message is "<first>"
      When it is fitted to <target> tokens
      Then the cut before message is "<cut>"

      Examples:
        | description                    | first | target | cut |
        | the recent turns begin later   | 3     | 5,000  | 5   |
        | within the recent turns        | 7     | 5,000  | 7   |
        | the cut has to be in the range | 13    | 400    | 13  |

    Scenario Outline: It lies before the first message where every message fits, and behind the last where none does
      Given turns of <messages> messages, each of 100 tokens
      And its legal cuts are "<legal>"
      When it is fitted to <target> tokens
      Then the cut before message is "<cut>"

      Examples:
        | description                              | messages | legal               | target | cut |
        | everything is kept                       | 6        | 1, 2, 3, 4, 5, 6, 7 | 600    | 1   |
        | an answer goes, the user's message stays | 2        | 1, 2                | 50     | 3   |
        | an empty conversation                    | no       | 1                   | 50     | 1   |
