Feature: Replaying sessions
  The command replays one session or thousands under several policies, and shows for each when it would have compacted,
  what it would have sent and what it would have cost; or it compares what a profile predicts with what is recorded.

  @CMD_07
  Rule: The command shows each policy in a row, recommends one in a sentence, and states what it assumes
    Source: a decision of this project (0221).

    Scenario: The page
      Given recorded sessions "harbor.jsonl"
      When brim replays "harbor.jsonl"
      Then it ends with 0
      And the page shows "as recorded, usable, windowing, masking*" and the sentence "no policy compacts"
      And the page shows "A summary has 3,500 tokens (assumed)" and the sentence "The system prompt and the tools are not in the file"

    Scenario Outline: The verdict says what is paid and kept beside what was recorded, and for one session how it is set
      Given recorded sessions "harbor.jsonl, quay.jsonl"
      And a file "early.toml" that sets a threshold of 26,400 tokens
      When brim replays "<files> --profiles usable --policy early.toml --summary-tokens 1k"
      Then it ends with 0
      And the page shows "early.toml" and the sentence "<sentence>"

      Examples: Files
        | description | files                    | sentence |
        | one         | harbor.jsonl             | No policy would have cost less than the $0.27 recorded; usable would have cost $0.27 and kept 100% of the facts; set it in brim.toml or by brim run --profile usable, which compacts above 168,000 tokens. usable costs least, before early.toml with $0.33; it makes no summary. |
        | several     | harbor.jsonl quay.jsonl  | 2 transcripts together No policy would have cost less than the $0.53 recorded; usable would have cost $0.53 and kept 100% of the facts; set it in brim.toml or by brim run --profile usable. usable costs least, before early.toml |

    Scenario: Without a terminal a line says how many are replayed
      Given recorded sessions "harbor.jsonl, quay.jsonl"
      When brim replays "harbor.jsonl quay.jsonl --profiles usable"
      Then it ends with 0
      And stderr says "replaying 2 transcripts …"

    Scenario: The chosen policies, and those of files, as JSON
      Given recorded sessions "harbor.jsonl"
      And a file "early.toml" that sets a threshold of 26,400 tokens
      When brim replays "harbor.jsonl --profiles windowing,masking --policy early.toml --summary-tokens 1k --json"
      Then it ends with 0
      And the answer is a line for "harbor.jsonl" with the policies "windowing, masking, early.toml"
      And compactions of "early.toml" are after the responses "3"

    Scenario: The newest session of a project
      Given recorded sessions ".claude/projects/-home-dev-ferry/harbor.jsonl" in the home folder
      When brim replays "--latest /home/dev/ferry --json"
      Then the answer is a line for ".claude/projects/-home-dev-ferry/harbor.jsonl" with all policies

    Scenario: A hyphen as the output is standard output
      Given recorded sessions "harbor.jsonl"
      When brim replays "harbor.jsonl --profiles windowing,masking -o -"
      Then it ends with 0
      And the answer is a line for "harbor.jsonl" with the policies "windowing, masking"

    Scenario Outline: What cannot be meant is wrong usage
      Given recorded sessions "harbor.jsonl"
      When brim replays "<arguments>"
      Then it ends with 2, and stderr says "<error>"

      Examples:
        | description       | arguments                        | error                                       |
        | no file           | --json                           | name a FILE                                 |
        | an unknown policy | harbor.jsonl --profiles codelet  | there is no policy 'codelet' to compare     |
        | no process        | harbor.jsonl --jobs 0            | '--jobs'                                    |
        | an empty summary  | harbor.jsonl --summary-tokens 0  | --summary-tokens is 0; a summary has from 1 |
        | a summary as long as the window | harbor.jsonl --window 200k --summary-tokens 200k | --summary-tokens is 200000; a summary has from 1 to 199,999 tokens |

    Scenario: A summary longer than the window of the session
      Given recorded sessions "harbor.jsonl"
      When brim replays "harbor.jsonl --summary-tokens 300k"
      Then it ends with 1
      And stderr says "a summary of 300,000 tokens does not fit into a window of 200,000"

  @CMD_07
  Rule: The check shows predictions beside what is recorded, and fails where they differ
    Source: a decision of this project (0221).

    Scenario: A session as predicted
      Given a session "harbor.jsonl" that compacts by itself at 156,000 tokens
      When brim replays "harbor.jsonl --check --json"
      Then it ends with 0
      And the check of "harbor.jsonl" predicts a compaction after response 1 at 156,000 of 155,000 tokens, as recorded

    Scenario: A session that compacts earlier
      Given a session "harbor.jsonl" that compacts by itself at 140,000 tokens
      When brim replays "harbor.jsonl --check"
      Then it ends with 1, and stderr says "the predictions failed in 1 of 1 transcript"
      And the page shows "claude-code-2.0 in 200,000 tokens, not as recorded" and the sentence "missed after response 1"
      And the page shows "not as recorded" and the sentence "(automatic ones, at most one response early, or short by 1% of the threshold)"

    Scenario Outline: The total of several checks is beside their JSON lines
      Given a session "harbor.jsonl" that compacts by itself at 156,000 tokens
      And a session "quay.jsonl" that compacts by itself at 140,000 tokens
      When brim replays "harbor.jsonl quay.jsonl --check <lines>"
      Then it ends with 1
      And stderr says "2 with a known profile: 1 of 2 automatic compactions predicted, 0"

      Examples: Where the lines go
        | description     | lines          |
        | standard output | --json         |
        | a file          | -o lines.jsonl |

    Scenario Outline: A file of lines holds checks or replays
      Given recorded sessions "harbor.jsonl"
      And brim has replayed "harbor.jsonl <first> -o lines.jsonl"
      When brim replays "harbor.jsonl <then> -o lines.jsonl"
      Then it ends with 1, and stderr says "lines.jsonl holds <held>"

      Examples: Runs
        | description             | first             | then              | held                              |
        | checks, then replays    | --check           | --profiles usable | checks, and replays are asked for |
        | replays, then checks    | --profiles usable | --check           | replays, and checks are asked for |

  @CMD_07
  Rule: Of several transcripts each is replayed by itself: one that cannot be is named with the reason, and the others go on
    Source: a decision of this project (0221).

    Scenario Outline: A folder or a pattern
      Given recorded sessions "talks/a.jsonl, talks/b.jsonl, talks/deep/c.jsonl, talks/agent-d.jsonl"
      And files "talks/notes.txt" that are no transcripts
      When brim replays "<named> --profiles usable --json --jobs <jobs>"
      Then it ends with 0
      And the answers are those of "<files>"

      Examples:
        | description             | named            | jobs | files                                               |
        | a folder                | talks            | 1    | talks/a.jsonl, talks/b.jsonl, talks/deep/c.jsonl    |
        | a folder, two processes | talks            | 2    | talks/a.jsonl, talks/b.jsonl, talks/deep/c.jsonl    |
        | a pattern               | talks/*.jsonl    | 1    | talks/a.jsonl, talks/agent-d.jsonl, talks/b.jsonl   |
        | one named twice         | talks/a.jsonl talks/a.jsonl | 1 | talks/a.jsonl                               |

    Scenario: Three bad transcripts of five
      Given recorded sessions "talks/a.jsonl, talks/b.jsonl"
      And files "talks/c.json, talks/d.jsonl, talks/e.json" that are no transcripts
      When brim replays "talks --profiles usable --json"
      Then it ends with 1
      And stderr says "brim: 3 of 5 transcripts could not be replayed"
      And stderr names "talks/c.json, talks/d.jsonl, talks/e.json"
      And the answers are those of "talks/a.jsonl, talks/b.jsonl, talks/c.json, talks/d.jsonl, talks/e.json"

    Scenario: An interrupted run goes on where it stopped
      Given recorded sessions "talks/a.jsonl, talks/b.jsonl, talks/c.jsonl"
      And a file "out.jsonl" of a run that was interrupted after "talks/b.jsonl"
      When brim replays "talks --profiles usable -o out.jsonl"
      Then it ends with 0
      And the file "out.jsonl" holds "talks/a.jsonl, talks/b.jsonl, talks/c.jsonl", and "talks/b.jsonl" as it was

    Scenario: A run that goes on says what it takes over
      Given recorded sessions "talks/a.jsonl, talks/b.jsonl"
      And brim has replayed "talks/a.jsonl --profiles usable -o out.jsonl"
      When brim replays "talks --profiles usable -o out.jsonl"
      Then it ends with 0, and stderr says "1 of 2 transcripts taken over from out.jsonl"

    Scenario: A session that has grown since is replayed again
      Given recorded sessions "talks/a.jsonl, talks/b.jsonl"
      And brim has replayed "talks --profiles usable -o out.jsonl"
      And "talks/b.jsonl" has 3 responses more since
      When brim replays "talks --profiles usable -o out.jsonl"
      Then it ends with 0, and stderr says "1 of 2 transcripts taken over from out.jsonl"
      And the lines of "out.jsonl" are of "talks/a.jsonl, talks/b.jsonl" with the responses "6, 9"

    Scenario: A file that failed has one line, however often it is replayed
      Given recorded sessions "talks/a.jsonl"
      And files "talks/b.json" that are no transcripts
      And brim has replayed "talks --profiles usable -o out.jsonl" and ended with 1
      When brim replays "talks --profiles usable -o out.jsonl"
      Then it ends with 1
      And stderr says "1 of 2 transcripts could not be replayed"
      And the lines of "out.jsonl" are of "talks/a.jsonl, talks/b.json" with the responses "6, none"

    Scenario: A transcript is not continued
      Given recorded sessions "talks/a.jsonl"
      When brim replays "talks -o talks/a.jsonl"
      Then it ends with 1, and stderr says "talks/a.jsonl cannot be continued: a line is none of brim replay; name a file that brim replay wrote, or a new one"

    Scenario Outline: A file of lines is continued with the same options alone
      Given recorded sessions "harbor.jsonl"
      And brim has replayed "harbor.jsonl --profiles usable --window 100k -o lines.jsonl"
      When brim replays "harbor.jsonl <options> -o lines.jsonl"
      Then it ends with 1, and stderr says "lines.jsonl was made with another <differs>; name the same, or a new file"

      Examples: Options
        | description       | options                                              | differs                 |
        | another profile   | --profiles windowing --window 100k                   | --profiles and --policy |
        | another window    | --profiles usable                                    | --window                |
        | another summary   | --profiles usable --window 100k --summary-tokens 1k  | --summary-tokens        |

    Scenario: A file of something else is not continued
      Given recorded sessions "talks/a.jsonl"
      And files "out.jsonl" that are no transcripts
      When brim replays "talks -o out.jsonl"
      Then it ends with 1, and stderr says "out.jsonl cannot be continued"

    Scenario: All of them together
      Given recorded sessions "talks/a.jsonl, talks/b.jsonl"
      When brim replays "talks --jobs 1"
      Then it ends with 0
      And the page shows "2 transcripts together, usable, masking" and the sentence "talks/a.jsonl: Nothing to choose between"

    Scenario: A price that is unknown is no price of 0
      Given recorded sessions "talks/a.jsonl, talks/b.jsonl" of the model "own-model"
      When brim replays "talks --window 200k --jobs 1 --profiles usable,masking"
      Then it ends with 0
      And the table of all transcripts has the rows
        | policy      | compacted | cost    | facts  | words | sent    |
        | as recorded | 0         | unknown | 100%   | 100%  | 303,240 |
        | usable      | 0         | unknown | 100%   | 100%  | 303,240 |
        | masking*    | 0         | unknown | 100%   | 100%  | 303,240 |
      And the page shows "together" and the sentence "* a baseline to compare with, no policy of brim"

    Scenario: A price that is known in some sessions
      Given recorded sessions "talks/a.jsonl"
      And recorded sessions "talks/b.jsonl" of the model "own-model"
      When brim replays "talks --window 200k --jobs 1 --profiles usable"
      Then it ends with 0
      And the table of all transcripts has the rows
        | policy      | compacted | cost                   | facts  | words | sent    |
        | as recorded | 0         | $0.27 in 1 of 2 | 100%   | 100%  | 303,240 |
        | usable      | 0         | $0.27 in 1 of 2 | 100%   | 100%  | 303,240 |
      And the page shows "together" and the sentence "a cost in some of the sessions"

    Scenario: A policy that is refused has no row where no session has one
      Given recorded sessions "talks/a.jsonl, talks/b.jsonl"
      When brim replays "talks --window 40k --jobs 1 --profiles usable,codelet-rust"
      Then it ends with 0
      And the table of all transcripts has the rows "as recorded, usable"
      And the page shows "together" and the sentence "codelet-rust: refused in 2 of 2 sessions, first since codelet-rust comes to a threshold of 0"
