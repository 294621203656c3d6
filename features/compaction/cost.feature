Feature: Cost
  A compaction costs money before it saves any: a model writes the summary, and the provider writes the new conversation
  to its cache. From then on each call reads less from the cache. brim calculates the cost from the plan, in exact dollars
  and before anything is spent: what each part costs, and after how many calls the compaction has paid for itself. Later
  messages cost the same with or without the compaction and are not counted.

  Prices are in dollars for a million tokens, tokens those of a compaction: before it and after it, the first ones that
  stay unchanged, and what the call for a summary reads beyond the cached prefix (or, rendered, at all) and writes.

  @CMP_09
  Rule: Before a compaction a user sees what the summary call and the cache write cost, and after how many calls it pays
    Source: brim, after the section on what compaction means for the cache in the specification (S3, "cache
    implications"). The field: anomalyco/opencode#25120, where nine tenths of what a compaction cost was a cache missed
    for nothing; goose#11255 and #11257 of aaif-goose, with savings per compaction by model.

    With a warm prefix the summary call reads from the cache what the last call left there; rendered, it reads the
    history anew, at ten times the price and more.

    Scenario Outline: The cost of a compaction follows from the call for its summary
      Given the prices read 5, written 25, from the cache 0.50, to the cache 6.25
      And the tokens before 150,000, after 30,000, unchanged 10,000, call <call>
      When the cost is calculated
      Then the result is
        | summary call | cache write | before | after | pays after |
        | <summary>    | 0.125       | 0.075  | 0.015 | <pays>     |

      Examples:
        | description                        | call                                  | summary | pays |
        | a warm prefix                      | warm, read 1,000, written 4,000       | 0.18    | 5    |
        | rendered                           | rendered, read 140,000, written 4,000 | 0.8     | 16   |
        | no model's summary: the cache only | none                                  | 0       | 2    |

  @CMP_09
  Rule: A compaction has paid after the first call at which it costs no more than the uncompacted conversation
    Source: brim.

    Scenario Outline: One token more than a call saves needs one call more, and what saves nothing never pays
      Given the prices read 10, written 10, from the cache 1, to the cache 1
      And the tokens before 200,000, after <after>, unchanged 0, call rendered, read <read>, written 0
      When the cost is calculated
      Then the pays after is "<pays>"

      Examples: Every call saves what reading 10,000 tokens costs
        | description            | after   | read   | pays |
        | paid by the first call | 100,000 | 10,000 | 1    |
        | one token under        | 100,000 | 29,999 | 3    |

      Examples: What a call saves
        | description     | after   | read   | pays    |
        | one token saved | 199,999 | 30,000 | 300,000 |
        | nothing saved   | 200,000 | 30,000 | never   |

  @CMP_09
  Rule: A plan states the tokens before, the tokens after, and the tokens that stay in the cache
    Source: brim.

    Scenario Outline: The cost of a plan follows from its summary call, the cache and the prices
      Given a model with window 200,000, answer 8,000
      And the settings system prompt 10,000
      And the conversation user "Please go on." pinned, A0 5,000 pinned, assistant "Done." pinned, 9 turns of 5,000
      And the prices read 10, written 1,000, from the cache 1, to the cache 100
      When the cost of the plan is calculated with <call>
      Then the result is
        | summary call | cache write | before  | after   |
        | <summary>    | <write>     | 0.06006 | <after> |

      Examples: The summary is counted at its maximum length until one is known
        | description           | call                                     | summary | write  | after    |
        | warm                  | call warm, longest 2,000                 | 2.07006 | 1.2028 | 0.027034 |
        | a known length        | call warm, longest 2,000, summary 500    | 0.57006 | 1.0528 | 0.025534 |

  @CMP_09
  Rule: A price is an exact number of 0 or more
    Source: brim; a price in floating point is not the price that a provider states.

    Scenario Outline: What no price can be
      Given the prices read <price>, written 1, from the cache 1, to the cache 1
      And the tokens before 20, after 10, unchanged 10
      When the cost is calculated
      Then it is refused with "<message>"

      Examples: What the input costs
        | price     | message                                                  |
        | 0         |                                                          |
        | -1        | the price input is -1 USD; a price is 0 or more          |
        | no number | the price input is NaN USD; a price is 0 or more         |
        | endless   | the price input is Infinity USD; a price is 0 or more    |
        | float 0.5 | the price input is 0.5; write it exactly: Decimal('0.5') |

  @CMP_09
  Rule: A plan without prices has no cost
    Source: brim.

    Scenario Outline: No price is known of the conversation's model, or of the one that a warm summary call names
      Given the conversation <conversation>
      When the cost of the plan is calculated with <call>
      Then it is refused with "no price is known of <model>: give it with prices=Prices(…"

      Examples:
        | description       | conversation      | call                     | model                    |
        | a plan of nothing | nothing           | call none                | the conversation's model |
        | a call names one  | 10 turns of 5,000 | call warm, longest 2,000 | 'a model'                |

  @CMP_09
  Rule: A dry run of the command shows what the compaction would cost by list prices
    Source: a decision of this project: who pays sees the price first.

    Scenario Outline: The price of a dry run
      Given a transcript of 16 long turns in which claude-sonnet-5-5 answers
      When "brim compact talk.json --window 200k --max-output 64k --dry-run <flags>" runs
      Then it prints "Cost <cost> in place of $0.0080: it has paid after <calls> requests"

      Examples:
        | description              | flags                                                  | cost                                                                                    | calls |
        | the template's summary   |                                                        | $0.0252 to cache the new conversation; a request reads $0.0010                          | 4     |
        | the conversation's model | --summarizer anthropic                                 | $0.0895 for the summary, $0.0451 to cache the new conversation; a request reads $0.0018 | 22    |
        | another model's summary  | --summarizer anthropic --summary-model claude-opus-5-5 | $0.1960 for the summary, $0.0451 to cache the new conversation; a request reads $0.0018 | 39    |

    Scenario: A model without a known price
      Given a transcript of 16 long turns in which some-model answers
      When "brim compact talk.json --window 200k --max-output 64k --dry-run" runs
      Then it prints "Cost unknown: no price of the model is known"
