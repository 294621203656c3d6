Feature: Simulation
  A simulation walks the requests of a recorded session under another policy. The verdict, the clearing of old outputs
  and the plan are those of the product. It says when the policy would have compacted, what the window would have held,
  and how many tokens would have been sent, read from the cache and written to it, at which cost.

  Each session is one of Claude Code with claude-opus-4-5 in a window of 200,000 tokens. The system prompt and the tools
  have 20,000 tokens and the request 20; a call of a tool has 8 and its result 2,000, and 4 characters are a token. A
  plan keeps the request and the results that fit its target, and asks the model to continue in 68 tokens.

  @RPL_01
  Rule: The window is the one reported up to the first compaction; then each response adds what it added in the session
    Source: brim; the comparison by figures that is asked for (S2, section 11).

    Background:
      Given a session of 6 responses that each read a file of 8,000 characters

    Scenario Outline: A policy compacts before the first request that is due
      When it is replayed under <threshold>, with summaries of 1,000
      Then the result is
        | compacts after | at     | left    |
        | <response>     | <held> | <after> |
      And the windows are "<windows>"

      Examples: Thresholds
        | threshold | response | held   | after  | windows                                        |
        | 26,400    | 3        | 28,420 | 25,111 | 20,120, 22,220, 24,320, 26,420, 25,211, 27,311      |
        | 28,419    | 3        | 28,420 | 25,111 | 20,120, 22,220, 24,320, 26,420, 25,211, 27,311      |
        | 28,420    | 4        | 30,520 | 25,111 | 20,120, 22,220, 24,320, 26,420, 28,520, 25,211      |

    Scenario: A policy that is never due sends what the session sent
      When it is replayed under 50,000, with summaries of 1,000
      Then the result is
        | compacts after |
        |                |
      And the windows are "20,120, 22,220, 24,320, 26,420, 28,520, 30,620"
      And the traffic is "as recorded"

    Scenario: The summary is asked for with a warm prefix, and what changed is written to the cache anew
      When it is replayed under 28,420, with summaries of 1,000
      Then the result is
        | kept | summarized | requests | sent    | cache read | cache written | output |
        | 5    | 6          | 7        | 177,182 | 141,100    | 35,631        | 1,600  |
      And the cost is "0.335499"

    Scenario Outline: A request that is longer than the window is refused, and compacted then
      When it is replayed under codelet-typescript, in a window of <window> tokens with answers of 1,000, with summaries of 1,000
      Then the result is
        | first refusal after |
        | <response>          |

      Examples: Windows
        | description                   | window | response |
        | shorter than the third        | 26,319 | 2        |
        | exactly as long as the third  | 26,320 | 3        |

    Scenario: A refused request costs nothing, and the summary is asked for in a request of its own
      When it is replayed under codelet-typescript, in a window of 26,000 tokens with answers of 1,000, with summaries of 1,000
      Then the result is
        | requests | sent    | cache read | cache written | output |
        | 8        | 192,294 | 154,666    | 36,726        | 2,600  |

  @RPL_01
  Rule: A policy under which even a compaction leaves more than the window is refused with the numbers, and is never recommended
    Source: brim. No provider takes a request that is longer than the window of its model.

    Background:
      Given a session of 5 responses that each read a file of 8,000 characters

    Scenario Outline: What is left, and the window
      When it is replayed under <threshold>, in a window of <window> tokens with answers of 1,000, with summaries of <size>
      Then the refusals are "<reason>"
      And the recommendation is "Nothing to choose between: no policy fits into the window of <window> tokens."

      Examples: Windows
        | description                    | window | threshold | size  | reason |
        | shorter than the system prompt | 10,000 | 5,000     | 1,000 | no compaction is possible, and the next request sends 20,020 tokens, more than the window of 10,000: the system prompt and the tools have 20,000; set a larger --window |
        | one token short                | 27,110 | 26,000    | 3,000 | even a compaction leaves 27,111 tokens, more than the window of 27,110: the system prompt and the tools have 20,000, the summary 3,000; set a larger --window |

    Scenario: Exactly as long as the window, and too long with summaries of twice the size
      When it is replayed under 26,000, in a window of 27,111 tokens with answers of 1,000, with summaries of 3,000
      Then the sizes are "half"
      And the recommendation says "with summaries of half or twice the size it does not fit into the window"

  @RPL_01
  Rule: Old outputs are cleared first where that is enough, and the cache is written anew from the first of them on
    Source: brim; the policy clears before it summarizes (PRN_01), and each clearing breaks the cache (PRN_09).

    Scenario: A clearing of the three oldest of five large outputs
      Given a session of Claude Code 2.1.38
        | record   | read    | cached  | wrote | result | text   |
        | response | 20,020  | 0       | 100   | 80,000 |        |
        | response | 40,120  | 20,020  | 100   | 80,000 |        |
        | response | 60,220  | 40,120  | 100   | 80,000 |        |
        | response | 80,320  | 60,220  | 100   | 80,000 |        |
        | response | 100,420 | 80,320  | 100   | 80,000 |        |
        | request  |         |         |       |        | Go on. |
        | response | 120,522 | 100,420 | 100   | 8,000  |        |
        | request  |         |         |       |        | Go on. |
        | response | 122,624 | 120,522 | 100   | 8,000  |        |
        | response | 124,724 | 122,624 | 100   | 8,000  |        |
      When it is replayed under 123,000, with summaries of 1,000
      Then the result is
        | compacts after | at      | left   | summaries | kept | summarized | cleared |
        | 6              | 124,725 | 64,748 | 0         | 17   | 0          | 3       |
      And the windows are "20,120, 40,220, 60,320, 80,420, 100,520, 120,622, 122,724, 64,848"
      And the result is
        | requests | sent    | cache read | cache written | output |
        | 8        | 608,994 | 441,650    | 167,344       | 800    |

  @RPL_01
  Rule: The summary call is a request of its own, at its own price
    Source: brim; Anthropic's prices, under which a request above 200,000 tokens costs twice as much until 2026-03-13.

    Scenario: A request that only its instruction takes above 200,000 tokens
      Given a session with the model claude-opus-4-6 on 2026-02-01
        | record   | read    | cached | wrote | result  |
        | response | 20,020  | 0      | 100   | 719,120 |
        | response | 199,900 | 20,020 | 100   | 8,000   |
      When it is replayed under 150,000, in a window of 1,000,000 tokens with answers of 1,000, with summaries of 1,000
      Then the result is
        | requests | sent    | cache read | cache written | output |
        | 3        | 241,466 | 40,020     | 200,995       | 1,200  |
      And the cost is "2.457499"

    Scenario: The summary call writes the prefix to a cache that had expired, and the next request reads it from there
      Given a session of Claude Code 2.1.38
        | record   | read   | cached | wrote | result |
        | response | 20,020 | 0      | 100   | 8,000  |
        | response | 22,120 | 20,020 | 100   | 8,000  |
        | response | 24,220 | 5,000  | 100   | 8,000  |
      When it is replayed under 22,200, with summaries of 1,000
      Then the result is
        | requests | sent   | cache read | cache written | output |
        | 4        | 89,914 | 45,020     | 44,443        | 1,300  |

  @RPL_01
  Rule: How many characters a token has, learned before a compaction, is used after it
    Source: brim (TOK_09).

    Scenario: A session in which two characters are a token
      Given a session of Claude Code 2.1.38
        | record   | read   | cached | wrote | result |
        | response | 20,040 | 0      | 100   | 8,000  |
        | response | 24,140 | 20,040 | 100   | 8,000  |
        | response | 28,240 | 24,140 | 100   | 8,000  |
        | response | 32,340 | 28,240 | 100   | 8,000  |
        | response | 36,440 | 32,340 | 100   | 8,000  |
        | response | 40,540 | 36,440 | 100   | 8,000  |
      When it is replayed under 30,000, with summaries of 1,000
      Then the result is
        | compacts after | at             |
        | 2, 4           | 30,340, 33,406 |

  @RPL_01
  Rule: The requests of sub-agents are counted apart: they have windows of their own, which no policy changes
    Source: a recorded session of Claude Code 1.0.98, in which 161 responses were sub-agents' and 9 the session's own.

    Scenario: A session with a sub-agent
      Given a session of Claude Code 2.1.38
        | record    | read   | cached | wrote | result |
        | response  | 20,020 | 0      | 100   | 8,000  |
        | sub-agent | 9,000  | 0      | 200   | 8,000  |
        | sub-agent | 11,000 | 9,000  | 300   | 8,000  |
        | response  | 22,120 | 20,020 | 100   | 8,000  |
      When it is replayed under 50,000, with summaries of 1,000
      Then the result is
        | sub-agent requests | sub-agent sent   | sub-agent cache read | sub-agent cache written | sub-agent output |
        | 2        | 20,000 | 9,000      | 11,000        | 500    |
      And the sub-agent cost is "0.08575"
      And the traffic is "as recorded"

  @RPL_01
  Rule: A fact is present where the last summary, or what was kept beside it, has its words
    Source: brim; the fidelity of the product (SUM_13).

    Scenario Outline: A summary without room for all
      Given a session of 20 responses without a cache, of which the first <long> read a file whose path has 4,000 characters
      When it is replayed under 70,000, with summaries of 1,000
      Then the result is
        | facts present | facts | lost   |
        | <kept>        | 19    | <lost> |

      Examples: Long paths
        | description           | long | kept | lost         |
        | room for four of four | 4    | 19   |              |
        | room for four of five | 5    | 18   | src/part0.py |

    Scenario Outline: The session itself, with the summary of its tool
      Given a session of Claude Code 2.1.38
        | record               | read   | wrote | summary   |
        | response             | 20,020 | 100   |           |
        | <compacts>           | 20,130 |       | <summary> |
        | response             | 20,020 | 100   |           |
      When it is replayed under 50,000
      Then the result is
        | recorded facts present | facts |
        | <present>              | 1     |

      Examples: What became of the file
        | description                     | compacts             | summary | present |
        | its output was cleared          | clearing             |         | 1       |
        | a summary that does not name it | automatic compaction | 1,000   | 0       |

  @RPL_01
  Rule: The simulation leaves out what the tool itself did to make room
    Source: brim. Another policy would not have made that summary; what it would have held is known by estimate alone.

    Scenario: The growth across a recorded compaction is estimated
      Given a session of Claude Code 2.1.38
        | record               | read   | cached | wrote | result |
        | response             | 20,020 | 0      | 100   | 8,000  |
        | response             | 22,120 | 20,020 | 100   | 8,000  |
        | automatic compaction | 24,220 |        |       |        |
        | response             | 21,500 | 20,000 | 100   | 8,000  |
        | response             | 23,600 | 21,500 | 100   | 8,000  |
      When it is replayed under 50,000, with summaries of 1,000
      Then the result is
        | compacts after |
        |                |
      And the windows are "20,120, 22,220, 24,320, 26,420"
      And the recorded windows are "20,120, 22,220, 21,600, 23,700"

    Scenario Outline: The calls that wrote the tool's own summaries are no requests of a policy, and are part of what was recorded
      Given a session of OpenCode
        | record   | read   | wrote |
        | response | 20,000 | 100   |
        | response | 24,000 | 100   |
        | <call>   | 25,000 | 900   |
        | response | 21,000 | 100   |
      When it is replayed under 50,000, with summaries of 1,000
      Then the result is
        | requests | sent   | cache read | cache written | output |
        | 3        | <sent> | 0          | 0             | 300    |
      And the result is
        | recorded requests | recorded sent   | recorded cache read | recorded cache written | recorded output |
        | 4        | 90,000 | 0          | 0             | 1,200  |

      Examples: Summaries
        | description                | call              | sent   |
        | that replaced messages     | summary           | 68,120 |
        | that nobody made use of    | unmarked summary  | 69,039 |

  @RPL_01
  Rule: The cache is as warm as in the session
    Source: brim. A cache expires while a user is away, under any policy.

    Scenario Outline: A cache has expired where less than half of what could be read from it was read
      Given a session of Claude Code 2.1.38
        | record   | read   | cached   | wrote | result |
        | response | 20,020 | 0        | 100   | 8,000  |
        | response | 22,120 | <cached> | 100   | 8,000  |
      When it is replayed under 50,000, with summaries of 1,000
      Then the result is
        | requests | sent   | cache read | cache written | output |
        | 2        | 42,140 | <read>     | <written>     | 200    |

      Examples: The second of two responses
        | description   | cached | read   | written |
        | exactly half  | 10,010 | 20,020 | 22,120  |
        | less          | 10,009 | 10,009 | 32,131  |

    Scenario: Where the provider reports no writes to its cache, a policy reads the share of it that the session read
      Given a session of Claude Code 2.1.38
        | record   | read   | cached | uncached | wrote | result |
        | response | 20,020 | 0      | yes      | 100   | 8,000  |
        | response | 22,120 | 15,000 | yes      | 100   | 8,000  |
      When it is replayed under 50,000, with summaries of 1,000
      Then the result is
        | requests | sent   | cache read | cache written | output |
        | 2        | 42,140 | 15,000     | 0             | 200    |
      And the traffic is "as recorded"

    Scenario: A policy that holds more than the session did reads the same share of more
      Given a session of Claude Code 2.1.38
        | record               | read   | cached | uncached | wrote | result |
        | response             | 20,020 | 0      | yes      | 100   | 8,000  |
        | response             | 22,120 | 20,020 | yes      | 100   | 8,000  |
        | automatic compaction | 24,220 |        |          |       |        |
        | response             | 12,000 | 10,000 | yes      | 100   | 8,000  |
        | response             | 14,100 | 6,000  | yes      | 100   | 8,000  |
      When it is replayed under 50,000, with summaries of 1,000
      Then the result is
        | requests | sent   | cache read | cache written | output |
        | 4        | 92,680 | 54,250     | 0             | 400    |

    Scenario: A session without a cache has none under any policy
      Given a session of Claude Code 2.1.38
        | record   | read   | cached | uncached | wrote | result |
        | response | 20,020 | 0      | yes      | 100   | 8,000  |
        | response | 22,120 | 0      | yes      | 100   | 8,000  |
      When it is replayed under 50,000, with summaries of 1,000
      Then the result is
        | requests | sent   | cache read | cache written | output |
        | 2        | 42,140 | 0          | 0             | 200    |
      And the cost is "0.2157"

  @RPL_01
  Rule: A policy does not profit from room that the tool made without recording it
    Source: a recorded session of Claude Code 2.1.17, whose window fell from 138,984 to 95,864 tokens without a record.

    Scenario Outline: A response reads less than the one before
      Given a session of Claude Code 2.1.38
        | record   | read   | wrote | result |
        | response | 20,020 | 100   | 40,000 |
        | response | 30,120 | 100   | 40,000 |
        | response | <read> | 100   | 40,000 |
      When it is replayed under 150,000, with summaries of 1,000
      Then the windows are "<held>"

      Examples: Nine tenths of what the one before read are 27,108
        | description                    | read   | held                 |
        | exactly nine tenths            | 27,108 | 20,120, 30,220, 27,208 |
        | less, which the tool cleared   | 27,107 | 20,120, 30,220, 40,320 |

  @RPL_01
  Rule: Masking alone is a baseline: outputs older than ten responses are cleared, without a summary
    Source: brim, to compare with. It is no policy that brim offers.

    Scenario: The eleventh output clears the first, and the cache behind it is written anew
      Given a session of 12 responses that each read a file of 8,000 characters
      When it is replayed under masking
      Then the windows are "20,120, 22,220, 24,320, 26,420, 28,520, 30,620, 32,720, 34,820, 36,920, 39,020, 41,120, 41,229"
      And the result is
        | requests | sent    | cache read | cache written | output |
        | 12       | 376,849 | 314,728    | 62,121        | 1,200  |

    Scenario: A session in which no output is that old costs what it cost
      Given a session of Claude Code 2.1.38
        | record   | read   | cached | wrote | result |
        | response | 20,020 | 15,000 | 100   | 8,000  |
        | response | 22,120 | 20,020 | 100   | 8,000  |
      When it is replayed under masking
      Then the traffic is "as recorded"

    Scenario: Each later output clears one more, and the cache holds what is before it, as it was cleared
      Given a session of 13 responses that each read a file of 8,000 characters
      When it is replayed under masking
      Then the result is
        | requests | sent    | cache read | cache written | output |
        | 13       | 418,087 | 334,773    | 83,314        | 1,300  |

  @RPL_01
  Rule: Costs are those of the day of the session, and unknown where a price is unknown
    Source: brim; prices change, and an unknown price is not nothing.

    Scenario Outline: A model and its price
      Given a session with the model <model>
        | record   | read    | cached | wrote | result |
        | response | 100,000 | 0      | 1,000 | 8,000  |
      When it is replayed under 150,000, with summaries of 1,000
      Then the cost is "<cost>"

      Examples: Models
        | model             | cost    |
        | claude-opus-4-5   | 0.65    |
        | anthropic/claude-opus-4-5 | 0.65 |
        | own-model         | unknown |

    Scenario Outline: A price that depends on the day and on the length of the request
      Given a session with the model claude-opus-4-6 on <day>
        | record   | read    | cached | wrote | result  |
        | response | 20,020  | 0      | 100   | 800,000 |
        | response | 220,120 | 0      | 100   | 8,000   |
      When it is replayed under usable, in a window of 1,000,000 tokens with answers of 1,000, with summaries of 1,000
      Then the cost is "<cost>"

      Examples: Above 200,000 tokens the model cost twice as much, until 2026-03-13
        | day        | cost     |
        | 2026-02-01 | 2.882875 |
        | 2026-04-01 | 1.505875 |

    Scenario Outline: What is kept in the cache for an hour costs more to write
      Given a session of Claude Code 2.1.38
        | record   | read   | cached | hour   | wrote | result |
        | response | 20,000 | 0      | <hour> | 100   | 8,000  |
        | response | 30,000 | 20,000 | <more> | 100   | 8,000  |
      When it is replayed under 50,000, with summaries of 1,000
      Then the cost is "<cost>"
      And the traffic is "as recorded"

      Examples: 30,000 tokens are written, at 6.25 dollars a million or at 10
        | description      | hour   | more   | cost   |
        | five minutes     | 0      | 0      | 0.2025 |
        | an hour          | 20,000 | 10,000 | 0.315  |

    Scenario: An output that streaming left unfinished is priced by its text and its calls
      Given a session of Claude Code 2.1.38
        | record   | read   | cached | wrote | result | unfinished |
        | response | 20,020 | 0      | 1     | 8,000  | yes        |
      When it is replayed under 150,000, with summaries of 1,000
      Then the result is
        | requests | sent   | cache read | cache written | output |
        | 1        | 20,020 | 0          | 20,020        | 8      |
      And the traffic is "as recorded"
