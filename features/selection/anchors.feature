Feature: Anchors
  Some turns of a long conversation matter more than others: a bug was found and fixed, a task done, a milestone
  committed. Such a turn is an anchor. From the newest one on, the conversation is kept word for word, so that what
  follows an achievement is never told without it.

  @ANC_01 @portable
  Rule: Each kind of anchor has its weight
    Source: the comparison of the TypeScript original with its Rust port (S4, anchor types and weights), where both agree.

    Scenario Outline: The four kinds
      When the weight of <kind> is asked for
      Then the weight is <weight>

      Examples: From the heaviest
        | kind                | weight |
        | an error resolution | 0.9    |
        | a task completion   | 0.8    |
        | a feature milestone | 0.75   |
        | a user checkpoint   | 0.7    |

    Scenario: A kind that nobody knows has no weight
      When the weight of something else is asked for
      Then it is not understood

  @ANC_02
  Rule: An anchor counts from a confidence of 0.9
    Source: the comparison of the TypeScript original with its Rust port (S4, confidence threshold).

    Scenario Outline: From which confidence on it counts
      Given a finding with a confidence of <confidence>
      When it is judged whether the finding counts
      Then it is <judged>

      Examples:
        | description   | confidence | judged       |
        | just under    | 0.89       | no anchor    |
        | the same      | 0.9        | an anchor    |
        | just over     | 0.91       | an anchor    |

    @portable
    Scenario Outline: The confidence itself counts
      Given a turn in which the agent used
        | tool | went | output    |
        | Edit | well |           |
        | Bash | well | 12 passed |
      And a confidence of at least <threshold> is asked for
      When the turn is searched for an anchor
      Then the anchor found is "<anchor>"

      Examples: A task completion has a confidence of 0.92
        | description | threshold | anchor                |
        | below       | 0.91      | task completion, 0.92 |
        | the same    | 0.92      | task completion, 0.92 |
        | above       | 0.93      | none                  |

      Examples: The ends
        | description       | threshold | anchor                |
        | anything counts   | 0         | task completion, 0.92 |
        | only certainty    | 1         | none                  |

    @portable
    Scenario Outline: Every kind that can be found is sure enough
      Given a turn in which the agent used
        | tool      | went | open items | closed items |
        | TodoWrite | well | <open>     | 1            |
      When the turn is searched for an anchor
      Then the anchor found is "<anchor>"

      Examples:
        | description                        | open | anchor                  |
        | the least confident kind, 0.91     | 0    | feature milestone, 0.91 |
        | nothing was found                  | 1    | none                    |

    @portable
    Scenario Outline: A confidence threshold outside 0 to 1 is invalid input
      Given a turn in which the agent used
        | tool | went | output |
        | Edit | well |        |
      And a confidence of at least <threshold> is asked for
      When the turn is searched for an anchor
      Then it is not understood

      Examples:
        | description   | threshold |
        | above one     | 1.01      |
        | far above one | 90        |

    Scenario Outline: A finding is not judged against a threshold outside 0 to 1
      Given a finding with a confidence of 0.95
      When it is judged against <threshold>
      Then it is refused, naming 0 and 1

      Examples:
        | description | threshold |
        | below zero  | -0.1      |
        | above one   | 1.01      |

  @ANC_03 @ANC_04 @portable
  Rule: A changed file and a test success are an error resolution after an error, and a task completion without one
    Source: the comparison of the TypeScript original with its Rust port (S4, pattern detection): confidence 0.95 with an
    error before, 0.92 without.

    Scenario Outline: It takes a change and a success in one turn
      Given a turn in which the agent used
        | tool     | went | output    |
        | <editor> | well |           |
        | Bash     | well | <reports> |
      And an error in the turn before: <error>
      When the turn is searched for an anchor
      Then the anchor found is "<anchor>"

      Examples: With an error before
        | description          | editor | reports   | error | anchor                 |
        | changed and tested   | Edit   | 12 passed | yes   | error resolution, 0.95 |
        | changed, not tested  | Edit   | a.py b.py | yes   | none                   |
        | tested, not changed  | Grep   | 12 passed | yes   | none                   |

      Examples: Without one
        | description          | editor | reports   | error | anchor                |
        | changed and tested   | Edit   | 12 passed | no    | task completion, 0.92 |
        | changed, not tested  | Edit   | a.py b.py | no    | none                  |
        | tested, not changed  | Grep   | 12 passed | no    | none                  |

    Scenario: The order of change and success does not matter
      Given a turn in which the agent used
        | tool | went | output    |
        | Bash | well | 12 passed |
        | Edit | well |           |
      When the turn is searched for an anchor
      Then the anchor found is "task completion, 0.92"

    Scenario: A turn without tools is no anchor
      Given a turn without tools
      When the turn is searched for an anchor
      Then the anchor found is "none"

  @ANC_05 @portable
  Rule: A file is changed by an editing tool that succeeded; an error is a failed result in the turn before or earlier in this one
    Source: the patterns of the original (S4), made exact: an error after the last change was not resolved by it.

    Scenario Outline: Which tools change a file
      Given a turn in which the agent used
        | tool   | went   | output    |
        | <tool> | <went> |           |
        | Bash   | well   | 12 passed |
      When the turn is searched for an anchor
      Then the anchor found is "<anchor>"

      Examples: Editing tools
        | tool         | went | anchor                |
        | Edit         | well | task completion, 0.92 |
        | Write        | well | task completion, 0.92 |
        | MultiEdit    | well | task completion, 0.92 |
        | NotebookEdit | well | task completion, 0.92 |
        | apply_patch  | well | task completion, 0.92 |
        | edit         | well | task completion, 0.92 |
        | write        | well | task completion, 0.92 |
        | multiedit    | well | task completion, 0.92 |
        | notebookedit | well | task completion, 0.92 |
        | write_file   | well | task completion, 0.92 |
        | replace      | well | task completion, 0.92 |
        | write_to_file | well | task completion, 0.92 |
        | replace_in_file | well | task completion, 0.92 |

      Examples: Others, and edits that did not happen
        | description       | tool | went      | anchor |
        | a reading tool    | Read | well      | none   |
        | a failed edit     | Edit | badly     | none   |
        | one without a result | Edit | not yet | none  |

    Scenario Outline: A command changes a file that it names, unless it only stores what a program printed
      Given a turn in which the agent used
        | tool | went   | command   | output    |
        | Bash | <went> | <command> |           |
        | Bash | well   | pytest    | 12 passed |
      When the turn is searched for an anchor
      Then the anchor found is "<anchor>"

      Examples:
        | description         | went  | command                 | anchor                |
        | edited in place     | well  | sed -i s/a/b/ parcel.py | task completion, 0.92 |
        | written             | well  | echo 1 > parcel.py      | task completion, 0.92 |
        | a failed edit       | badly | sed -i s/a/b/ parcel.py | none                  |
        | output that is kept | well  | make > build.log        | none                  |
        | only shown          | well  | sed -n 1,5p parcel.py   | none                  |

    Scenario Outline: An error earlier in the same turn
      Given a turn in which the agent used
        | tool | went     | output    |
        | Bash | <first>  | no        |
        | Edit | well     |           |
        | Bash | <second> | no        |
        | Bash | well     | 12 passed |
      When the turn is searched for an anchor
      Then the anchor found is "<anchor>"

      Examples:
        | description           | first   | second | anchor                 |
        | before the change     | badly   | well   | error resolution, 0.95 |
        | after the last change | well    | badly  | task completion, 0.92  |
        | no error              | well    | well   | task completion, 0.92  |

    Scenario: An error between two changes came before the second
      Given a turn in which the agent used
        | tool | went  | output    |
        | Edit | well  |           |
        | Bash | badly | no        |
        | Edit | well  |           |
        | Bash | well  | 12 passed |
      When the turn is searched for an anchor
      Then the anchor found is "error resolution, 0.95"

  @ANC_05
  Rule: The editing tools are a setting, and an error counts for the next turn only
    Source: brim, on the patterns of the original (S4).

    The files that these tools change are facts, too (SUM_13).

    Scenario Outline: A tool of the user's own
      Given a turn that used "<tool>" and then saw its tests pass
      And the editing tools are set to "<set>"
      When the turns are searched for anchors
      Then the anchors found are "<anchors>"

      Examples:
        | description         | tool   | set    | anchors                 |
        | the tool that edits | sculpt | sculpt | turn 0: task completion |
        | no longer one       | Edit   | sculpt | turn 0: synthetic       |
        | one that reads elsewhere | open | open | turn 0: task completion |

    Scenario: A conversation is searched with the confidence that is asked for
      Given turns in which there was, one after the other
        | what happened   |
        | a tested change |
        | the user's mark |
      And a confidence of at least 0.93 for all
      When the turns are searched for anchors
      Then the anchors found are "turn 1: user checkpoint"

    Scenario: An error is over after the turn that follows it
      Given turns in which there was, one after the other
        | what happened      |
        | a failed command   |
        | a tested change    |
        | a tested change    |
      When the turns are searched for anchors
      Then the anchors found are "turn 1: error resolution, turn 2: task completion"

  @ANC_05
  Rule: A tool call names the files that it changed, created or read
    Source: brim, for what is known of a conversation's files: the calls of Claude Code, OpenCode and Codex name them in
    different fields, and a patch on lines of its own.

    Scenario Outline: A file named in a field
      Given the tool "<tool>" went <went> on "parcel.py", named as in <form>, and said "<said>"
      When its files are asked for
      Then they are "<files>"

      Examples: Changes
        | description         | tool         | went    | form          | said    | files                                |
        | Claude Code         | Edit         | well    | Claude Code   | done    | modified parcel.py                    |
        | OpenCode            | edit         | well    | OpenCode      | done    | modified parcel.py                    |
        | others              | edit         | well    | others        | done    | modified parcel.py                    |
        | a notebook          | NotebookEdit | well    | notebooks     | done    | modified parcel.py                    |
        | written whole       | Write        | well    | Claude Code   | created | created parcel.py                    |
        | so in OpenCode      | write        | well    | OpenCode      |         | written parcel.py                    |
        | it was there before | Write        | well    | Claude Code   | updated | modified parcel.py                    |
        | it failed           | Write        | badly   | Claude Code   | no      |                                      |
        | no result yet       | Edit         | not yet | Claude Code   |         |                                      |
        | no file is named    | Edit         | well    | nothing       | done    |                                      |
        | a server's own tool | mcp__tracker__edit | well | others     | done    |                                      |

      Examples: Readings
        | description         | tool         | went    | form          | said    | files                                |
        | Claude Code         | Read         | well    | Claude Code   | text    | read parcel.py                       |
        | OpenCode            | read         | well    | OpenCode      | text    | read parcel.py                       |
        | it failed           | Read         | badly   | Claude Code   | no      |                                      |
        | no file is named    | Read         | well    | nothing       | text    |                                      |
        | neither of both     | Bash         | well    | others        | text    |                                      |

    Scenario Outline: Several files named in a list
      Given the tool "<tool>" went well on the list "<list>", <form>
      When its files are asked for
      Then they are "<files>"

      Examples:
        | description           | tool            | list       | form                | files                |
        | paths, as Gemini CLI  | read_many_files | a.py, b.py | of paths            | read a.py, read b.py |
        | files, as Cline       | read_files      | a.py, b.py | of files            | read a.py, read b.py |
        | files by their paths  | read_files      | a.py, b.py | of paths as files   | read a.py, read b.py |
        | a number among them   | read_many_files | a.py       | of paths, after a 9 | read a.py            |
        | an empty one among them | read_many_files | a.py     | of paths, after an empty one | read a.py   |
        | a list of nothing     | read_many_files |            | of paths            |                      |

    Scenario Outline: A command changes the file that it prints
      Given the command "<command>" went well and printed "<line>"
      When its files are asked for
      Then they are "<files>"

      Examples:
        | description        | command              | line                             | files           |
        | a patch            | patch -p1 < fix.diff | patching file lex.py             | modified lex.py |
        | SWE-agent's editor | edit 1:1             | [File: lex.py (9 lines total)]   | modified lex.py |
        | and its new file   | create lex.py        | [File: lex.py (1 lines total)]   | created lex.py  |
        | a diff             | git apply <<E\n--- a/lex.py\n+++ b/lex.py\nE |                    | modified lex.py |

    Scenario Outline: What a tool says first decides whether the file was there
      Given the tool "Write" went well on "parcel.py", and said <length> characters before "updated"
      When its files are asked for
      Then they are "<files>"

      Examples:
        | description               | length | files                                |
        | within the first 200      | 193    | modified parcel.py                    |
        | one character beyond them | 194    | written parcel.py                    |

    Scenario: Files named in a patch
      Given the tool "apply_patch" went well with the patch
        """
        *** Begin Patch
        *** Move to: the move of no file
        *** Add File: new.py
        *** Update File: old.py
        *** Move to: moved.py
        *** Update File: old.py
        *** Delete File: gone.py
        *** End Patch
        """
      When its files are asked for
      Then they are "created new.py, deleted old.py, created moved.py, modified old.py, deleted gone.py"

    Scenario: A patch in the text of a file is text
      Given the tool "Write" went well on "notes.md" with the text
        """
        *** Add File: new.py
        """
      When its files are asked for
      Then they are "written notes.md"

    Scenario Outline: A tool of the user's own names its files alike
      Given the tool "<tool>" went well on "parcel.py", named as in others, and said "done"
      And the editing tools are set to "sculpt"
      When its files are asked for
      Then they are "<files>"

      Examples:
        | description         | tool   | files             |
        | the tool that edits | sculpt | modified parcel.py |
        | no longer one       | write  |                   |

    Scenario: A field that holds no text names no file
      Given the tool "Edit" went well with a number where its path belongs
      When its files are asked for
      Then they are ""

  @ANC_06 @portable
  Rule: A test success is one successful result whose text reports passing tests and no failing ones
    Source: the original leaves it open (S4); the code of both ports misses "PASSED" and takes "3 tests failed, 12 passed"
    for a success. Read here: the forms in which test runners report, in any case of letters.

    Scenario Outline: A report of passing tests is a test success
      Given a turn that changed a file and whose tests answered "<text>"
      When the turn is searched for an anchor
      Then the anchor found is "task completion, 0.92"

      Examples: In numbers
        | description          | text                                                |
        | pytest               | ==== 12 passed in 0.10s ====                        |
        | Jest                 | Tests: 12 passed, 12 total                          |
        | Mocha                | 12 passing (30ms)                                   |
        | Cargo                | test result: ok. 5 passed; 0 failed; 0 ignored      |
        | .NET                 | Passed! - Failed: 0, Passed: 12, Skipped: 0         |
        | counted afterwards   | passed: 12, failed: 0                               |
        | RSpec                | 12 examples, 0 failures                             |
        | Maven                | Tests run: 5, Failures: 0, Errors: 0, Skipped: 0    |
        | Node                 | # tests 5\n# pass 5\n# fail 0                       |
        | CTest                | 100% tests passed, 0 tests failed out of 5          |
        | a full share         | 12 of 12 tests passed                               |
        | Bun                  | 1321 pass\n0 fail                                   |

      Examples: In words
        | description          | text                                        |
        | all of them          | All tests passed                            |
        | in the present tense | All tests pass.                             |
        | the bare word        | PASSED                                      |
        | Go                   | ok  example.com/parcel 0.417s               |
        | Go's single tests    | --- PASS: TestParcel (0.00s)                |
        | unittest             | Ran 5 tests in 0.1s\n\nOK                   |
        | PHPUnit              | OK (5 tests, 10 assertions)                 |
        | TAP                  | ok 1 - parses                               |
        | in colours           | ␛[32m12 passed␛[0m                          |
        | among others         | building\nPASSED\nbye                       |
        | before a remark      | 3 passed\nthe value is passed on            |
        | a file of Jest's     | PASS src/parcel.test.js                     |
        | a test of pytest's   | tests/test_a.py::test_b PASSED [ 50%]       |

    Scenario Outline: A report of a failure, or of no passing test, is none
      Given a turn that changed a file and whose tests answered "<text>"
      When the turn is searched for an anchor
      Then the anchor found is "none"

      Examples: Some tests failed
        | description            | text                                       |
        | pytest                 | 3 failed, 12 passed in 0.10s               |
        | an error in collecting | 12 passed, 1 error in 0.10s                |
        | Cargo                  | test result: FAILED. 4 passed; 1 failed    |
        | Mocha                  | 12 passing (30ms)\n1 failing               |
        | unittest               | Ran 5 tests in 0.1s\n\nFAILED (failures=1) |
        | Go                     | FAIL example.com/a 0.1s\nok example.com/b 0.1s |
        | Go's single tests      | --- PASS: TestA (0.0s)\n--- FAIL: TestB (0.0s) |
        | RSpec                  | 12 examples, 1 failure                     |
        | Maven                  | Tests run: 5, Failures: 0, Errors: 1       |
        | Node                   | # pass 4\n# fail 1                         |
        | a share                | 11 of 12 tests passed                      |
        | in words               | 12 passed\nSome tests failed               |
        | a test of pytest's     | 12 passed\nFAILED tests/test_a.py::test_b  |
        | TAP                    | ok 1 - parses\nnot ok 2 - prints           |
        | in colours             | 12 passed\n␛[31m3 failed␛[0m               |
        | a second share is full | 11 of 12 tests passed\n12 passed           |
        | after many that passed | PASSED\nPASSED\nFAILED\nPASSED              |

      Examples: No test passed
        | description         | text                                       |
        | a denial            | not passed                                 |
        | not all of them     | Not all tests passed                       |
        | none                | No tests passed                            |
        | a wish              | Make sure all tests pass                   |
        | a condition         | If the tests pass, commit                  |
        | no failure alone    | 0 failed                                   |
        | none ran            | Ran 0 tests in 0.0s\n\nOK                  |
        | Go had none to run  | ok  example.com/a 0.4s [no tests to run]   |
        | another word        | The password was bypassed                  |
        | another meaning     | The value is passed to the function        |
        | nothing             |                                            |

    Scenario Outline: A line that is longer than any report is data
      Given a turn that changed a file and whose tests answered a line of <length> characters that begins "12 passed"
      When the turn is searched for an anchor
      Then the anchor found is "<anchor>"

      Examples:
        | description        | length | anchor                |
        | the longest report | 500    | task completion, 0.92 |
        | a character longer | 501    | none                  |

    Scenario: A report after a line of data
      Given a turn that changed a file and whose tests answered a line of 501 characters that begins "12 passed"
      And the tests answered a second line, "12 passed"
      When the turn is searched for an anchor
      Then the anchor found is "task completion, 0.92"

    Scenario: A report before lines of data
      Given a turn that changed a file and whose tests answered "12 passed"
      And the tests answered a second line of 501 characters, and a third
      When the turn is searched for an anchor
      Then the anchor found is "task completion, 0.92"

    Scenario: The result of a failed command is none
      Given a turn in which the agent used
        | tool | went  | output    |
        | Edit | well  |           |
        | Bash | badly | 12 passed |
      When the turn is searched for an anchor
      Then the anchor found is "none"

    Scenario: A success and a report in two results are none
      Given a turn in which the agent used
        | tool | went  | output    |
        | Edit | well  |           |
        | Bash | well  | done      |
        | Bash | badly | 12 passed |
      When the turn is searched for an anchor
      Then the anchor found is "none"

    Scenario: A file that reports passing tests is none
      Given a turn in which the agent used
        | tool | went | output    |
        | Edit | well |           |
        | Read | well | 12 passed |
      When the turn is searched for an anchor
      Then the anchor found is "none"

  @ANC_07
  Rule: A turn in which the user made a checkpoint, or marked a message, is a user checkpoint with certainty
    Source: the comparison of the TypeScript original with its Rust port (S4) names the kind; neither ever detects it.
    Which checkpoints count is decision 0145.

    Scenario: The user's mark needs nothing else
      Given turns in which there was, one after the other
        | what happened       |
        | talk                |
        | the user's mark     |
        | talk                |
      When the turns are searched for anchors
      Then the anchors found are "turn 1: user checkpoint"
      And the confidence of the first is 1

    Scenario Outline: A session keeps everything from the turn on in which the user made a checkpoint
      Given a session of 6 turns, in whose turn 1 <what happened>
      When <who> compacts the session
      Then the session shows every turn from turn <first> on

      Examples:
        | description                   | what happened                                          | who         | first |
        | no checkpoint                 | there was nothing but talk                             | a program   | 3     |
        | by a program                  | the user made a checkpoint                             | a program   | 1     |
        | with the command              | the user ran brim checkpoints create                   | the command | 1     |
        | before the answer             | the user made a checkpoint before the answer           | a program   | 1     |
        | a checkpoint that was removed | the user made a checkpoint that is removed             | a program   | 1     |
        | in a fork of the session      | the user made a checkpoint, and the session was forked | a program   | 1     |
        | a checkpoint that was rewound | the user made a checkpoint that was rewound            | a program   | 3     |
        | made before a prompt          | brim made the checkpoint before a prompt               | a program   | 3     |
        | made before a restore         | brim made the checkpoint before a restore              | a program   | 3     |

    Scenario Outline: A conversation keeps everything from the turn on with a mark of its program or a checkpoint of its session
      Given a conversation of 6 turns, <marked>
      When it is compacted before the next request
      Then the request holds every turn from turn <first> on

      Examples:
        | description        | marked                                                | first |
        | no mark            | with no mark                                          | 3     |
        | behind an answer   | with a mark behind the answer of turn 1               | 1     |
        | before an answer   | with a mark before the answer of turn 1               | 1     |
        | in its session     | with a checkpoint of its session in turn 1            | 1     |
        | before a prompt    | with a checkpoint before a prompt in turn 1           | 3     |
        | in another process | in whose turn 1 a process made a checkpoint and ended | 1     |

    Scenario: Where nothing was said, there is nothing to mark
      Given a conversation without messages
      When its program marks it
      Then brim refuses with "no message to mark"

  @ANC_08 @portable
  Rule: A commit in a turn that changed files, and a to-do list whose last open item was closed, are feature milestones
    Source: the comparison of the TypeScript original with its Rust port (S4) gives the kind a weight by implication and
    no detector; what is detected here, with a confidence of 0.91, is brim's.

    Scenario Outline: A commit
      Given a turn in which the agent used
        | tool   | went   | command   | output   |
        | <tool> | well   |           |          |
        | Bash   | <went> | <command> | <output> |
      When the turn is searched for an anchor
      Then the anchor found is "<anchor>"

      Examples: Commits
        | description         | tool | went | command                    | output    | anchor                  |
        | plain               | Edit | well | git commit -m x            | 1 file    | feature milestone, 0.91 |
        | after adding        | Edit | well | git add . && git commit    | 1 file    | feature milestone, 0.91 |
        | of another folder   | Edit | well | git -C parcel commit -am x | 1 file    | feature milestone, 0.91 |

      Examples: Another way to write it
        | description         | tool | went | command                    | output    | anchor                  |
        | word by word        | Edit | well | [git, commit, -m, x]       | 1 file    | feature milestone, 0.91 |

      Examples: No commits
        | description         | tool | went  | command                 | output               | anchor |
        | it failed           | Edit | badly | git commit -m x         | hook failed          | none   |
        | nothing was changed | Read | well  | git commit -m x         | 1 file               | none   |
        | nothing to commit   | Edit | well  | git commit \|\| true    | nothing to commit    | none   |
        | nothing was added   | Edit | well  | git commit \|\| true    | no changes added to commit | none |
        | a rehearsal         | Edit | well  | git commit --dry-run    | 1 file               | none   |
        | another command     | Edit | well  | git commit-tree x       | 1 file               | none   |
        | a search            | Edit | well  | git log --grep commit   | 1 file               | none   |

    Scenario Outline: A to-do list
      Given a turn in which the agent used
        | tool   | went   | open items | closed items |
        | <tool> | <went> | <open>     | <closed>     |
      When the turn is searched for an anchor
      Then the anchor found is "<anchor>"

      Examples:
        | description          | tool        | went  | open | closed | anchor                  |
        | the last was closed  | TodoWrite   | well  | 0    | 3      | feature milestone, 0.91 |
        | in OpenCode          | todowrite   | well  | 0    | 1      | feature milestone, 0.91 |
        | in Codex             | update_plan | well  | 0    | 2      | feature milestone, 0.91 |
        | one is still open    | TodoWrite   | well  | 1    | 3      | none                    |
        | an empty list        | TodoWrite   | well  | 0    | 0      | none                    |
        | it was not written   | TodoWrite   | badly | 0    | 3      | none                    |
        | another tool's list  | Show        | well  | 0    | 3      | none                    |

    Scenario: A list that was closed earlier in the turn counts
      Given a turn in which the agent used
        | tool      | went | open items | closed items |
        | TodoWrite | well | 0          | 3            |
        | TodoWrite | well | 2          | 3            |
      When the turn is searched for an anchor
      Then the anchor found is "feature milestone, 0.91"

  @ANC_09
  Rule: If no turn is an anchor, the last turn becomes a synthetic user checkpoint, which changes no selection
    Source: the specification of the original's anchors (CTX-001 of its rulebook): there is always a point of reference.

    Scenario: The last turn stands in
      Given turns in which there was, one after the other
        | what happened |
        | talk          |
        | talk          |
      When the turns are searched for anchors
      Then the anchors found are "turn 1: synthetic"
      And the confidence of the first is 1
      And the weight of the first is 0.7

    Scenario: It is no turn to keep the conversation from
      Given turns in which there was, one after the other
        | what happened |
        | talk          |
        | talk          |
      When the turns are searched for anchors
      Then no selection begins at one of them

    Scenario: An anchor that was found needs no stand-in
      Given turns in which there was, one after the other
        | what happened   |
        | talk            |
        | a tested change |
        | talk            |
      When the turns are searched for anchors
      Then the anchors found are "turn 1: task completion"
      And selection may begin at turn 1

    Scenario: A conversation without turns has none
      Given a conversation without turns
      When the turns are searched for anchors
      Then the anchors found are ""

  @ANC_10 @portable
  Rule: If a turn matches two kinds of anchor, the heavier kind wins
    Source: brim. The originals gave each kind a weight and never used it (S4).

    Scenario: A fix that closed the list
      Given a turn in which the agent used
        | tool      | went | output    | open items | closed items |
        | TodoWrite | well |           | 0          | 2            |
        | Edit      | well |           |            |              |
        | Bash      | well | 12 passed |            |              |
      And an error in the turn before: yes
      When the turn is searched for an anchor
      Then the anchor found is "error resolution, 0.95"

    Scenario: A build and a commit
      Given a turn in which the agent used
        | tool | went | command    | output          |
        | Edit | well |            |                 |
        | Bash | well | make       | Build succeeded |
        | Bash | well | git commit | 1 file          |
      When the turn is searched for an anchor
      Then the anchor found is "task completion, 0.92"

    Scenario: A kind that is not sure enough names nothing
      Given a turn in which the agent used
        | tool      | went | output    | open items | closed items |
        | TodoWrite | well |           | 0          | 2            |
        | Edit      | well |           |            |              |
        | Bash      | well | 12 passed |            |              |
      And a confidence of at least 0.92 is asked for
      When the turn is searched for an anchor
      Then the anchor found is "task completion, 0.92"

  @ANC_10
  Rule: If a summary is short of space, it reports the heaviest anchors first; weight never decides what is kept
    Source: brim. The originals gave each kind a weight and never used it (S4).

    Scenario: The order of telling
      Given turns in which there was, one after the other
        | what happened    |
        | the user's mark  |
        | a tested change  |
        | a failed command |
        | a tested change  |
        | a closed list    |
        | a tested change  |
      When the turns are searched for anchors
      Then they are told in the order "turn 3, turn 5, turn 1, turn 4, turn 0"

    Scenario: Of two kinds in one turn the heavier one counts, even if the other is surer
      Given turns in which there was, one after the other
        | what happened                 |
        | a tested change, and the mark |
      When the turns are searched for anchors
      Then the anchors found are "turn 0: task completion"
      And the confidence of the first is 0.92

    Scenario: Of two findings of one kind the surer one counts
      Given turns in which there was, one after the other
        | what happened                       |
        | a marked answer from a web search   |
      When the turns are searched for anchors
      Then the confidence of the first is 1

  @ANC_11 @portable
  Rule: A command is a task completion if its own result says that it built, compiled or installed something
    Source: the specification of the original's anchors (CTX-001 of its rulebook), made safe: a denial is none, nor is
    what a command merely shows.

    Scenario Outline: What says that it built
      Given a turn in which a command answered "<text>"
      When the turn is searched for an anchor
      Then the anchor found is "task completion, 0.92"

      Examples:
        | description   | text                                              |
        | pip           | Successfully installed requests-2.31.0            |
        | npm           | added 12 packages, and audited 13 packages in 2s  |
        | uv            | Installed 3 packages in 5ms                       |
        | Gradle        | BUILD SUCCESSFUL in 3s                            |
        | Maven         | BUILD SUCCESS                                     |
        | Vite          | built in 1.2s                                     |
        | webpack       | webpack 5.9 compiled successfully in 900 ms       |
        | CMake         | Built target parcel                               |
        | Cargo         | Finished dev [unoptimized] target(s) in 0.52s     |
        | in words      | Build succeeded                                   |
        | a sentence    | The package was installed.                        |
        | a count       | 12 packages installed                             |
        | among others  | npm warn old\nadded 2 packages\nrun npm audit     |

    Scenario Outline: What does not say it, or takes it back
      Given a turn in which a command answered "<text>"
      When the turn is searched for an anchor
      Then the anchor found is "none"

      Examples:
        | description     | text                                   |
        | a denial        | The package is not installed           |
        | none was built  | 0 built                                |
        | none at all     | 0 packages installed                   |
        | none installed  | Installed 0 packages                   |
        | nothing         | Nothing was built                      |
        | a failure       | Build failed                           |
        | no participle   | Failed to compile                      |
        | taken away      | Successfully uninstalled requests      |
        | not yet         | The following packages will be installed |
        | before          | requests is already installed          |
        | a wish          | Make sure that node must be installed  |
        | with errors     | Compiled 4 modules with 2 errors       |
        | an adjective    | Fonts in the built style sheet         |

    Scenario Outline: Only a command speaks of itself
      Given a turn in which the agent used
        | tool   | went   | command   | output                 |
        | <tool> | <went> | <command> | Successfully installed |
      When the turn is searched for an anchor
      Then the anchor found is "<anchor>"

      Examples:
        | description             | tool  | went    | command                      | anchor                |
        | the command that did it | Bash  | well    | pip install x                | task completion, 0.92 |
        | a command not told      | Bash  | well    |                              | task completion, 0.92 |
        | by a tool of any name   | Forge | well    | pip install x                | task completion, 0.92 |
        | after changing folder   | Bash  | well    | cd x && make                 | task completion, 0.92 |
        | it failed               | Bash  | badly   | pip install x                | none                  |
        | no result yet           | Bash  | not yet | pip install x                | none                  |
        | no command              | Read  | well    |                              | none                  |
        | it shows a file         | Bash  | well    | cd x && cat a.log \| head -5 | none                  |
        | it shows the history    | Bash  | well    | git log -5                   | none                  |
        | all of it               | Bash  | well    | git log                      | none                  |
        | of another folder       | Bash  | well    | git -C x log                 | none                  |
        | it changes the history  | Bash  | well    | git push --tags origin log   | task completion, 0.92 |
        | it shows, then acts     | Bash  | well    | cat a.txt; make              | task completion, 0.92 |

  @ANC_12 @portable
  Rule: A web search that found more than 100 characters is a user checkpoint if the answer relies on it
    Source: the specification of the original's anchors (CTX-001 of its rulebook), with a confidence of 0.91.

    Scenario Outline: A search of substance
      Given a turn in which "<tool>" went <went> and found <length> characters
      And the answer "According to the manual, yes."
      When the turn is searched for an anchor
      Then the anchor found is "<anchor>"

      Examples:
        | description          | tool              | went  | length | anchor                |
        | one character under  | WebSearch         | well  | 99     | none                  |
        | exactly              | WebSearch         | well  | 100    | none                  |
        | one character over   | WebSearch         | well  | 101    | user checkpoint, 0.91 |
        | by another name      | web_search        | well  | 101    | user checkpoint, 0.91 |
        | in Gemini            | google_web_search | well  | 101    | user checkpoint, 0.91 |
        | with a hyphen        | web-search        | well  | 101    | user checkpoint, 0.91 |
        | it failed            | WebSearch         | badly | 101    | none                  |
        | another search       | Grep              | well  | 101    | none                  |

    Scenario Outline: An answer that rests on it
      Given a turn in which "WebSearch" went well and found 500 characters
      And the answer "<answer>"
      When the turn is searched for an anchor
      Then the anchor found is "<anchor>"

      Examples:
        | description   | answer                                | anchor                |
        | based on      | Based on what I found, yes.           | user checkpoint, 0.91 |
        | according to  | It is so, according to the manual.    | user checkpoint, 0.91 |
        | results       | The search results show that it is.   | user checkpoint, 0.91 |
        | in capitals   | BASED ON THE MANUAL                   | user checkpoint, 0.91 |
        | none of these | I think so.                           | none                  |
