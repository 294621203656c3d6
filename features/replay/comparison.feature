Feature: Comparison
  A comparison replays one session under several policies and recommends one, with the reason and how sure it is. The
  numbers of a simulation rest on assumptions, above all on the size of summaries that nobody wrote. The comparison
  states each of them, and what comes out with summaries of half and of twice the size.

  Each session is one of Claude Code with claude-opus-4-5 in a window of 200,000 tokens, unless another is named. A policy
  that is named by its threshold keeps 25,000 tokens at most, with a summary of a tenth.

  @RPL_03
  Rule: The replay states what it assumes, and how sensitive the cost is to the size of summaries
    Source: brim; recorded sessions, whose summaries have 1,200 to 11,000 tokens.

    Background:
      Given a session of 6 responses that each read a file of 8,000 characters

    Scenario: Summaries of half and of twice the size
      When it is replayed under 28,420, with summaries of 1,000
      Then the result is
        | cost     | half     | double   |
        | 0.335499 | 0.319874 | 0.366749 |

    Scenario: Summary calls of the tool itself, of which the file has no usage
      Given a session of Claude Code 2.1.38
        | record               | read   | wrote |
        | response             | 20,020 | 100   |
        | automatic compaction | 20,130 |       |
        | response             | 20,020 | 100   |
      When it is replayed under 50,000
      Then the assumption says "the record has no usage of 1 summary call of claude-code itself, and costs less by that than its session did"

    Scenario Outline: The system prompt has one size, by the ratio that the session teaches
      Given a session of Claude Code 2.1.38
        | record   | read   | cached | wrote | result |
        | response | 20,020 | 0      | 100   | 8,000  |
        | response | 24,120 | 20,020 | 100   | 8,000  |
        | response | 28,220 | 24,120 | 100   | 8,000  |
        | response | 32,320 | 28,220 | 100   | 8,000  |
      When it is replayed under 50,000
      Then the <says> says "<words>"

      Examples: Where it says so
        | description        | says   | words |
        | what it assumes    | assumption | after a compaction remain the system prompt and tools (19,981 tokens, as the first response read), the summary, and what the plan keeps, estimated at 2.00 characters a token |
        | what the file lacks | note | the system prompt and the tools are not in the file: about 19,981 tokens |

    Scenario Outline: An assumption in words
      When it is replayed under 28,420, with summaries of 1,000
      Then the assumption says "<assumption>"

      Examples: Assumptions
        | assumption |
        | a summary has 1,000 tokens (assumed); the sensitivity is that of half and twice as many |
        | after a compaction remain the system prompt and tools (20,000 tokens, as the first response read), the summary, and what the plan keeps, estimated at 4.00 characters a token |
        | prices are the list prices of 2026-02-01 |
        | what is written to the cache is kept there for five minutes, and priced so, as in the file |

  @RPL_03
  Rule: Summaries have the mean size of those in the session, or 3,500 tokens
    Source: recorded sessions, whose summaries have 3,400 tokens in the middle.

    Scenario Outline: A session with a summary
      Given a session of Claude Code 2.1.38
        | record               | read   | wrote | result | summary      |
        | response             | 20,020 | 100   | 8,000  |              |
        | automatic compaction | 22,120 |       |        | <characters> |
        | response             | 22,120 | 100   | 8,000  |              |
      When it is replayed under 50,000
      Then the result is
        | summary tokens |
        | <size>         |

      Examples: Summaries
        | description                           | characters | size  |
        | one that can be read                  | 4,000      | 1,000 |
        | a note in place of a sealed one       | 1,996      | 3,500 |

    Scenario: A session with two summaries
      Given a session of Claude Code 2.1.38
        | record               | read   | wrote | result | summary |
        | response             | 20,020 | 100   | 8,000  |         |
        | automatic compaction | 22,120 |       |        | 4,000   |
        | response             | 22,120 | 100   | 8,000  |         |
        | automatic compaction | 24,220 |       |        | 8,000   |
        | response             | 22,120 | 100   | 8,000  |         |
      When it is replayed under 50,000
      Then the result is
        | summary tokens |
        | 1,500          |

  @RPL_03
  Rule: Recommended is the policy that costs least of those that keep about as many facts as the best
    Source: brim.

    Background:
      Given a session of 6 responses that each read a file of 8,000 characters

    Scenario: The cheapest, the next one, and how much it depends on the summaries
      When it is replayed under 26,400 and 50,000, with summaries of 1,000
      Then the recommendation is "50,000 costs least, before 26,400 with $0.33; it makes no summary."

    Scenario: Without a price the policy that sends least
      Given a session with the model own-model
        | record   | read   | cached | wrote | result |
        | response | 20,020 | 0      | 100   | 8,000  |
        | response | 22,120 | 20,020 | 100   | 8,000  |
        | response | 24,220 | 22,120 | 100   | 8,000  |
      When it is replayed under 22,200 and 50,000, with summaries of 1,000
      Then the recommendation is "50,000 sends least, before 22,200 with 89,914 tokens; it makes no summary."

    Scenario Outline: A policy is cheaper only where it costs less with summaries of half, the same and twice the size
      Given a session of 20 responses without a cache, of which the first 0 read a file whose path has 40 characters
      When it is replayed under <first> and 82,000, in a window of 200,000 tokens, with summaries of <size>
      Then the recommendation is "<sentence>"

      Examples: Policies
        | description              | first   | size   | sentence |
        | less with each size      | 70,000  | 16,000 | 70,000 costs least, before 82,000 with $6.72; with summaries of half or twice the size $5.27 to $7.67. |
        | more with twice the size | 60,000  | 16,000 | 60,000 costs least; with summaries of half or twice the size $6.09 to $8.88; 82,000 may cost as little. |
        | more with half the size  | 60,000  | 30,000 | 82,000 costs least; with summaries of half or twice the size $6.66 to $9.36; 60,000 may cost as little. |

    Scenario Outline: A policy that is never recommended, although it costs least
      Given a session of 20 responses without a cache, of which the first 0 read a file whose path has 4,000 characters
      When it is replayed under 82,000 and <policy>, in a window of 120,000 tokens, with summaries of 1,000
      Then the result is
        | cost of 82,000 | cost of <policy> |
        | 5.824255       | <cost>           |
      And the recommendation is "82,000 costs least; with summaries of half or twice the size $5.79 to $5.88."

      Examples: Policies
        | description          | policy       | cost     |
        | a baseline           | masking      | 5.191525 |
        | a deprecated profile | codelet-rust | 4.106665 |

    Scenario: A policy that costs the same cannot be told apart
      When it is replayed under 26,400 and 50,000 and 60,000, with summaries of 1,000
      Then the recommendation is "50,000 costs least, before 26,400 with $0.33; it makes no summary; 60,000 may cost as little."

    Scenario: No policy compacts
      When it is replayed under 50,000 and 60,000, with summaries of 1,000
      Then the recommendation is "Nothing to choose between: no policy compacts, and the window held 30,620 of 200,000 tokens at most."

  @RPL_03
  Rule: Two policies keep about as many facts if their shares differ by at most a twentieth
    Source: brim.

    A policy with a threshold of 70,000 tokens compacts once, and its summary has no room for one of five long paths.

    Scenario Outline: A policy that costs less and loses a fact
      Given a session of <count> responses without a cache, of which the first 5 read a file whose path has 4,000 characters
      When it is replayed under 70,000 and 100,000, with summaries of 1,000
      Then the result is
        | facts present | facts   | kinds lost | lost         |
        | <kept>        | <facts> | read_file  | src/part0.py |
      And the recommendation is "<sentence>"

      Examples: Sessions
        | description          | count | kept | facts | sentence |
        | a twentieth          | 21    | 19   | 20    | 70,000 costs least, before 100,000 with $7.56; with summaries of half or twice the size $4.82 to $4.97. |
        | more than a twentieth | 20   | 18   | 19    | 100,000 costs least; it makes no summary. |

  @RPL_03
  Rule: Unless some are named, masking and the profiles that are not deprecated are compared
    Source: brim; decision 0221.

    Scenario: The policies that are compared
      Given a session of Claude Code 2.1.38
        | record   | read   | wrote |
        | response | 20,020 | 100   |
      When it is replayed under all policies
      Then the policies are "usable, opencode-2025, proactive, anthropic-sdk, windowing, claude-code-2.0, claude-code-2.1, masking"
      And the baselines are "masking"

    Scenario: A profile without a threshold above 0 has no figures, and says why
      Given a session of Claude Code 2.1.38
        | record   | read   | wrote |
        | response | 20,020 | 100   |
      When it is replayed under codelet-rust, in a window of 40,000 tokens
      Then the refusals are "codelet-rust comes to a threshold of 0…"

  @RPL_03
  Rule: A session without the data a replay needs is refused, with what it lacks
    Source: brim.

    Scenario Outline: A session that cannot be replayed
      Given a session of Claude Code 2.1.38
        | record   | read   | wrote |
        | response | <read> | 100   |
      When it is replayed under all policies, in a window of <window> tokens
      Then it is refused with "<reason>"

      Examples: What it lacks
        | description     | read    | window  | reason                                                               |
        | usage           | 0       | 200,000 | no response tells its usage; a replay needs what the API counted     |
        | the window      | 20,020  | 0       | the context window of claude-opus-4-5-20251101 is unknown; set --window |
        | its beginning, exactly 100,000 | 100,020 | 200,000 | it begins in the middle of a session: 100,000 tokens before its first response are not in it; a replay needs a session from its beginning |
