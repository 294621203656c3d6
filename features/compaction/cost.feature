Feature: Cost
  A compaction costs money before it saves any: a model writes the summary, and the provider writes the new conversation
  to its cache. From then on each call reads less from the cache. brim calculates the cost from the plan, in exact dollars
  and before anything is spent: what each part costs, and after how many calls the compaction has paid for itself. Later
  messages cost the same with or without the compaction and are not counted.

  @CMP_09
  Rule: Before a compaction a user sees what the summary call and the cache write cost, and after how many calls it pays
    Source: brim, after the section on what compaction means for the cache in the specification (S3, "cache
    implications"). The field: anomalyco/opencode#25120, where nine tenths of what a compaction cost was a cache missed
    for nothing; goose#11255 and #11257 of aaif-goose, with savings per compaction by model.

    With a warm prefix the summary call reads from the cache what the last call left there; rendered, it reads the
    history anew, at ten times the price and more.

    Background:
      Given prices in dollars per million tokens of
        | read | written | read from the cache | written to the cache |
        | 5    | 25      | 0.50                | 6.25                 |
      And 150,000 tokens that become 30,000, of which the first 10,000 stay as they are

    Scenario: With a warm prefix a compaction pays after 5 calls
      Given a summary call on the warm prefix that reads 1,000 tokens more and writes 4,000
      When the cost is calculated
      Then the cost is
        | summary call | cache write | call uncompacted | call compacted | pays after |
        | 0.18         | 0.125       | 0.075            | 0.015          | 5          |

    Scenario: Rendered, the same compaction pays after 16 calls
      Given a rendered summary call that reads 140,000 tokens and writes 4,000
      When the cost is calculated
      Then the cost is
        | summary call | cache write | call uncompacted | call compacted | pays after |
        | 0.80         | 0.125       | 0.075            | 0.015          | 16         |

    Scenario: A cheaper model that writes the summary is priced by its own list
      Given a rendered summary call that reads 140,000 tokens and writes 4,000
      And prices of the summary's model in dollars per million tokens of
        | read | written | read from the cache | written to the cache |
        | 1    | 5       | 0.10                | 1.25                 |
      When the cost is calculated
      Then the cost is
        | summary call | cache write | call uncompacted | call compacted | pays after |
        | 0.16         | 0.125       | 0.075            | 0.015          | 5          |

    Scenario: Without a model's summary only the cache has to be written
      Given no summary call
      When the cost is calculated
      Then the cost is
        | summary call | cache write | call uncompacted | call compacted | pays after |
        | 0            | 0.125       | 0.075            | 0.015          | 2          |

    Scenario: A part of a cent is not rounded away
      Given a summary call on the warm prefix that reads 1 token more and writes 1
      When the cost is calculated
      Then the cost is
        | summary call | cache write | call uncompacted | call compacted | pays after |
        | 0.07503      | 0.125       | 0.075            | 0.015          | 4          |

  @CMP_09
  Rule: If the cache has expired, a compaction pays sooner, because the next call writes the whole conversation again
    Source: brim. The field: context-guru#234 of rossoctl, which compacts only when a cache write is due anyway.

    Background:
      Given prices in dollars per million tokens of
        | read | written | read from the cache | written to the cache |
        | 5    | 25      | 0.50                | 6.25                 |
      And 150,000 tokens that become 30,000, of which the first 10,000 stay as they are

    Scenario Outline: The less is cached, the sooner a rendered summary pays
      Given a rendered summary call that reads 140,000 tokens and writes 4,000
      And <cached> tokens are still cached
      When the cost is calculated
      Then writing to the cache costs <write> dollars
      And it pays after <calls> calls

      Examples:
        | description                 | cached  | write      | calls |
        | nothing                     | 0       | 0.1875     | 2     |
        | a token short of what stays | 9,999   | 0.12500625 | 2     |
        | what stays as it is         | 10,000  | 0.125      | 2     |
        | half of it                  | 75,000  | 0.125      | 9     |
        | everything                  | 150,000 | 0.125      | 16    |

    Scenario: A warm prefix is written to the cache where it has expired, and what stays is then read from there
      Given a summary call on the warm prefix that reads 1,000 tokens more and writes 4,000
      And 0 tokens are still cached
      When the cost is calculated
      Then the cost is
        | summary call | cache write | call uncompacted | call compacted | pays after |
        | 1.0425       | 0.125       | 0.075            | 0.015          | 5          |

  @CMP_09
  Rule: A compaction has paid after the first call at which it costs no more than the uncompacted conversation
    Source: brim.

    Background:
      Given prices in dollars per million tokens of
        | read | written | read from the cache | written to the cache |
        | 10   | 10      | 1                   | 1                    |

    Scenario Outline: One token more than a call saves needs one call more
      Given 200,000 tokens that become 100,000, of which the first 0 stay as they are
      And a rendered summary call that reads <read> tokens and writes 0
      When the cost is calculated
      Then it pays after <calls> calls

      Examples: Every call saves what reading 10,000 tokens costs
        | description            | read   | calls |
        | nothing to pay for     | 0      | 1     |
        | paid by the first call | 10,000 | 1     |
        | one token over         | 10,001 | 2     |
        | one token under        | 29,999 | 3     |
        | paid by the third call | 30,000 | 3     |
        | one token over that    | 30,001 | 4     |

    Scenario Outline: A compaction that saves nothing never pays
      Given 200,000 tokens that become <after>, of which the first 0 stay as they are
      And a rendered summary call that reads 30,000 tokens and writes 0
      When the cost is calculated
      Then it pays <when>

      Examples:
        | description     | after   | when                |
        | one token saved | 199,999 | after 300,000 calls |
        | nothing saved   | 200,000 | never               |
        | one token more  | 200,001 | never               |

  @CMP_09
  Rule: A plan states the tokens before, the tokens after, and the tokens that stay in the cache
    Source: brim.

    Scenario: The system prompt stays in the cache, and the summary is counted at its maximum length
      Given a system prompt of 10,000 tokens
      And a conversation of 10 turns, each with a tool output of 5,000 tokens
      And a manual plan
      And its summary call is on the warm prefix and writes at most 2,000 tokens
      When the tokens that the plan moves are counted
      Then 10,000 tokens stay as they are
      And the summary call writes 2,000 tokens

    Scenario Outline: The cost of a plan follows from its summary call, the cache and the prices
      Given a plan of 10 turns, each with a tool output of 5,000 tokens, behind a system prompt of 10,000
      And its first turn is pinned
      And its summary call is <form>, at most 2,000 tokens long
      When the cost of the plan is calculated with <besides>
      Then the summary costs <summary> dollars, the cache write <write>, and calls <before> and <after>

      Examples:
        | description            | form     | besides                        | summary | write  | before  | after    |
        | warm                   | warm     | nothing besides                | 2.07006 | 1.2028 | 0.06006 | 0.027034 |
        | rendered               | rendered | nothing besides                | 2.3     | 1.2028 | 0.06006 | 0.027034 |
        | a known length         | warm     | a summary of 500 tokens        | 0.57006 | 1.0528 | 0.06006 | 0.025534 |
        | longer than allowed    | warm     | a summary of 5,000 tokens      | 2.07006 | 1.2028 | 0.06006 | 0.027034 |
        | a part is cached       | warm     | 4,000 tokens cached            | 7.62    | 1.2028 | 0.06006 | 0.027034 |
        | more cached than held  | warm     | 400,000 tokens cached          | 2.07006 | 1.2028 | 0.06006 | 0.027034 |
        | another model's prices | rendered | the summary at a tenth of them | 0.23    | 1.2028 | 0.06006 | 0.027034 |
        | no call                | no call  | nothing besides                | 0       | 1.0028 | 0.06006 | 0.025034 |

    Scenario: The first request of a plan is the one that its summarizer receives
      Given a plan whose summary a model writes
      When the plan is carried out
      Then its first request is the one that the summarizer received
      And the plan in the result refuses to name it: "the plan of a compaction keeps no requests"

    Scenario: A plan that does nothing costs nothing, and never pays
      Given prices in dollars per million tokens of
        | read | written | read from the cache | written to the cache |
        | 5    | 25      | 0.50                | 6.25                 |
      And a conversation of nothing
      And a manual plan
      When the cost of the plan is calculated
      Then the cost is
        | summary call | cache write | call uncompacted | call compacted | pays after |
        | 0            | 0           | 0                | 0              | never      |

    Scenario: The length of a summary adds nothing to a plan that writes none
      Given a conversation of nothing
      And a manual plan
      When the cost of the plan is calculated with a summary of 500 tokens
      Then the summary costs 0 dollars, the cache write 0, and calls 0 and 0

  @CMP_09
  Rule: A price is an exact number of 0 or more, and no tokens are fewer than none
    Source: brim; a price in floating point is not the price that a provider states.

    Scenario Outline: A price
      When a model reads a million tokens for <price>
      Then it is <outcome>

      Examples: Prices
        | price            | outcome                                                          |
        | 0 dollars        | accepted                                                         |
        | 0.5 dollars      | accepted                                                         |
        | -1 dollars       | refused: "the price input is -1 USD; a price is 0 or more"       |
        | no number        | refused: "the price input is NaN USD; a price is 0 or more"      |
        | endless dollars  | refused: "the price input is Infinity USD; a price is 0 or more" |
        | the float 0.5    | refused: "the price input is 0.5; write it exactly: Decimal('0.5')" |

    Scenario Outline: The tokens of a compaction
      When <before> tokens become <after>, of which <unchanged> stay and <cached> are cached
      Then it is <outcome>

      Examples: Tokens
        | before | after | unchanged | cached | outcome                                                        |
        | 0      | 0     | 0         | 0      | accepted                                                       |
        | 20     | 10    | 10        | 20     | accepted                                                       |
        | -1     | 10    | 0         | 0      | refused: "before is -1; it is a number of tokens, 0 or more"   |
        | 20     | 10    | 11        | 0      | refused: "11 tokens cannot stay of 20 that become 10"          |
        | 10     | 20    | 11        | 0      | refused: "11 tokens cannot stay of 10 that become 20"          |
        | 20     | 10    | 0         | 21     | refused: "21 tokens cannot be cached of 20 that are held"      |

  @CMP_09
  Rule: A plan without prices has no cost
    Source: brim.

    Scenario: No price is known
      Given no prices
      And a conversation of nothing
      And a manual plan
      When the cost of the plan is calculated
      Then it is refused because no price is known of "the conversation's model"

    Scenario: No price is known of the model that a warm summary call names
      Given no prices
      And a conversation of 10 turns, each with a tool output of 5,000 tokens
      And a manual plan
      And its summary call is on the warm prefix and writes at most 2,000 tokens
      When the cost of the plan is calculated
      Then it is refused because no price is known of "'a model'"

  @CMP_09
  Rule: A dry run of the command shows what the compaction would cost by list prices
    Source: a decision of this project: who pays sees the price first.

    Scenario Outline: The price of a dry run
      Given a transcript of 16 long turns in which <model> answers
      When brim compacts it in a dry run with "<flags>"
      Then its price is <summary> dollars for the summary and <write> to write the cache, and it pays after <calls> calls

      Examples:
        | description                  | model             | flags                                                      | summary | write  | calls |
        | brim's own summary           | claude-sonnet-5-5 |                                                            | 0       | 0.0377 | 6     |
        | the conversation's model     | claude-sonnet-5-5 | --summarizer anthropic                                     | 0.0895  | 0.0576 | 26    |
        | another model's summary      | claude-sonnet-5-5 | --summarizer anthropic --summary-model claude-opus-5-5     | 0.1937  | 0.0576 | 44    |

    Scenario: A model without a known price
      Given a transcript of 16 long turns in which some-model answers
      When brim compacts it in a dry run with ""
      Then its price is unknown
