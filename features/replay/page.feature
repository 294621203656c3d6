Feature: Page
  The page shows replays to people: one HTML file with tables and charts that a browser opens without a network. The
  verdict comes first, and then what it rests on. The names of files and models come from outside, and the page shows
  them as text.

  Each session has six responses of claude-opus-4-5, whose window grows from 20,120 to 30,620 tokens, and summaries have
  1,000 tokens. The policy "early.toml" has a threshold of 28,420 tokens, "late.toml" one of 50,000 and "middle.toml"
  one of 70,000.

  @RPL_04
  Rule: The verdict comes first: what the recommended policy would have cost and kept instead of what was recorded, in a sentence
    Source: brim.

    Scenario: A policy that costs less
      Given a session "harbor.jsonl" of 20 responses that first read 0 files whose paths have 40 characters
      When brim replays "harbor.jsonl" under "middle.toml" as a page
      Then the head is "middle.toml would have cost $4.57 instead of $7.14 and kept 100% of the facts; it compacts above 70,000 tokens."

    Scenario: Requests of which the record has no usage
      Given a session "harbor.jsonl" of these records
        | record            | read    | wrote | result |
        | response          | 20,020  | 100   | 80,000 |
        | response          | 0       | 100   | 8,000  |
        | manual compaction | 80,130  |       |        |
        | response          | 90,000  | 100   | 80,000 |
        | response          | 110,100 | 100   |        |
      When brim replays "harbor.jsonl" under "early.toml" as a page
      Then the head is "early.toml would have cost $1.12 instead of $1.38 and kept 100% of the facts instead of 33%; it compacts above 28,420 tokens."
      And the text says "As recorded: in no sum, since their usage is not in the file: 1 response, 1 summary call."

    Scenario: The order
      Given a session "harbor.jsonl"
      When brim replays "harbor.jsonl" under "early.toml, late.toml" as a page
      Then the head is "No policy would have cost less than the $0.27 recorded; late.toml would have cost $0.27 and kept 100% of the facts; it compacts above 50,000 tokens."
      And the headings are "Replay, ferry, 2026-02-01, “Mend the ferry's timetable, and check that src/timetable.py…”, Policies, The window over the session, Cost, Prediction and record, Assumptions, What the file lacks"
      And the text says "late.toml costs least, before early.toml with $0.34; it makes no summary."

    Scenario Outline: What the figures rest on
      Given a session "harbor.jsonl"
      When brim replays "harbor.jsonl" under "early.toml" as a page
      Then the text says "<sentence>"

      Examples:
        | description | sentence                                                                               |
        | assumption  | a summary has 1,000 tokens (assumed); the sensitivity is that of half and twice as many |
        | prediction  | claude-code-2.1: 0 predicted, 0 recorded, 0 missed, 0 early; as recorded (automatic ones, at most one response early, or short by 1% of the threshold). |
        | lack        | the system prompt and the tools are not in the file: about 20,000 tokens               |

    Scenario: Outputs that are estimated, and sub-agents
      Given a session "harbor.jsonl" of these records
        | record    | read   | cached | wrote | result | unfinished |
        | response  | 20,020 | 0      | 1     | 8,000  | yes        |
        | sub-agent | 9,000  | 0      | 200   | 8,000  |            |
        | response  | 22,120 | 20,020 | 100   | 8,000  |            |
      When brim replays "harbor.jsonl" under "late.toml" as a page
      Then the text says "As recorded: 1 of 2 outputs are estimated by their texts and calls."
      And the text says "1 request, 9,000 tokens sent, cost $0.0612"

  @RPL_04
  Rule: The page has a row for the session and one for each policy, in the columns in which any of them differ
    Source: brim.

    Scenario: Costs and tokens
      Given a session "harbor.jsonl"
      When brim replays "harbor.jsonl" under "early.toml, late.toml" as a page
      Then the policies on the page are
        | policy      | cost    | compactions | tokens sent | peak   |
        | as recorded | $0.2663 | 0           | 151,620     | 30,620 |
        | early.toml  | $0.3355 | 1           | 177,182     | 30,520 |
        | late.toml   | $0.2663 | 0           | 151,620     | 30,620 |
      And the text says "The same in the session and under each policy of brim: facts present 5 of 5, user's words 100%."

    Scenario: The profile of the tool is marked
      Given a session "harbor.jsonl"
      When brim replays "harbor.jsonl --profiles windowing,claude-code-2.1,masking" as a page
      Then the policies on the page are
        | policy          | marks          |
        | as recorded     |                |
        | windowing       |                |
        | claude-code-2.1 | the tool's own |
        | masking         | baseline       |

    Scenario: A policy that cannot judge the window has its reason in the row
      Given a session "harbor.jsonl"
      When brim replays "harbor.jsonl --window 40k --profiles usable,codelet-rust" as a page
      Then the policies on the page are
        | policy       | refused                                            |
        | as recorded  |                                                    |
        | usable       |                                                    |
        | codelet-rust | refused: codelet-rust comes to a threshold of 0…   |

    Scenario: What the tool's own compaction lost
      Given a session "harbor.jsonl" of these records
        | record               | read   | wrote |
        | response             | 20,020 | 100   |
        | automatic compaction | 20,130 |       |
        | response             | 20,020 | 100   |
      When brim replays "harbor.jsonl" under "early.toml, late.toml" as a page
      Then the policies on the page are
        | policy      | facts present | user's words |
        | as recorded | 0 of 1        | 0%           |
        | early.toml  | 1 of 1        | 100%         |
        | late.toml   | 1 of 1        | 100%         |
      And the text says "as recorded: 2 facts"

    Scenario: The facts that a policy loses
      Given a session "harbor.jsonl" of 20 responses that first read 5 files whose paths have 4,000 characters
      When brim replays "harbor.jsonl" under "middle.toml" as a page
      Then the text says "middle.toml: 1 fact"
      And the text says "xsrc/part0.py"

    Scenario Outline: A chart says in words what it shows
      Given a session "harbor.jsonl"
      When brim replays "harbor.jsonl" under "early.toml" as a page
      Then the chart says "<words>"

      Examples: Charts
        | words                                                                                              |
        | The window, as recorded. Tokens held, at most 30,620 of 200,000; 30,620 at the end                  |
        | threshold 28,420; 1 compaction; $0.3355; after response 4 at 30,520 tokens: compaction with a summary |
        | The cost of each policy, by parts. as recorded $0.2663; early.toml $0.3355                          |

    Scenario: A cost that is unknown stays unknown
      Given a session "harbor.jsonl" with the model "own-model"
      When brim replays "harbor.jsonl --window 200k" under "early.toml, late.toml" as a page
      Then the policies on the page are
        | policy      | compactions | tokens sent |
        | as recorded | 0           | 151,620     |
        | early.toml  | 1           | 177,182     |
        | late.toml   | 0           | 151,620     |
      And the text says "The cost is unknown: there is no price for own-model."

  @RPL_04
  Rule: For several sessions the page has the verdict over all of them, names each by project, date and first words, and names the files that failed
    Source: brim.

    Scenario: Sums
      Given a session "harbor.jsonl"
      And a session "slip.jsonl" with the model "own-model"
      When brim replays "harbor.jsonl slip.jsonl --window 200k" under "early.toml, late.toml" as a page
      Then the policies on the page are
        | policy      | cost    | compactions | tokens sent |
        | as recorded | $0.2663 | 0           | 303,240     |
        | early.toml  | $0.3355 | 2           | 354,364     |
        | late.toml   | $0.2663 | 0           | 303,240     |
      And the text says "Costs are those of the other sessions: there is no price for own-model."

    Scenario: The verdict over all sessions, and their names
      Given a session "harbor.jsonl" of 20 responses that first read 0 files whose paths have 40 characters
      And a session "quay.jsonl"
      When brim replays "harbor.jsonl quay.jsonl" under "middle.toml" as a page
      Then the head is "middle.toml would have cost $4.83 instead of $7.41 and kept 100% of the facts."
      And the sessions are "ferry, 2026-02-01, “Mend the ferry's timetable, and check that src/timetable.py…”, ferry, 2026-02-01, “Mend the ferry's timetable, and check that src/timetable.py…”"

    Scenario: A policy that is refused in a session has no sums
      Given a session "harbor.jsonl"
      And a session "quay.jsonl"
      When brim replays "harbor.jsonl quay.jsonl --window 40k --profiles usable,codelet-rust" as a page
      Then the text says "refused in 2 of 2 sessions, first since codelet-rust comes to a threshold of 0"

    Scenario: A file that failed
      Given a session "harbor.jsonl"
      And a session "slip.jsonl" of these records
        | record   | read | wrote |
        | response | 0    | 100   |
      When brim replays "harbor.jsonl slip.jsonl" under "early.toml" as a page
      Then the failures are "slip.jsonl: no response tells its usage; a replay needs what the API counted"

  @RPL_04
  Rule: The page shows names from outside as text, also where they look like markup
    Source: brim; a transcript may come from anyone.

    Scenario Outline: A name from outside
      Given a session "<file>" with the model "<model>"
      When brim replays "<file> --window 200k --profiles usable" as a page
      Then the text says "<shown>"

      Examples:
        | description        | file              | model                        | shown                           |
        | an ampersand       | a&lt;b.jsonl      | own-model                    | a&lt;b.jsonl                    |
        | a model            | harbor.jsonl      | <script>alert(1)</script>    | <script>alert(1)</script>       |
        | an attribute       | harbor.jsonl      | 'onload                      | 'onload                         |
        | text turned round  | harbor\u202e.jsonl | own-model                   | harbor�.jsonl                   |
