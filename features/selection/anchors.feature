Feature: Anchors
  Some turns of a long conversation matter more than others: a bug was found and fixed, a task done, a milestone
  committed. Such a turn is an anchor. Where there is room, the conversation is kept word for word from such a turn on, so that
  what follows an achievement is not told without it.

  Turns are written in a line, with a semicolon between them, and counted from 0: "Edit" is a call of the tool Edit that
  succeeded, "Bash runs "make" "done"" a command and its output, "talk" a turn without calls, "marked" one that the user
  marked. The anchor is that of the last turn, with its confidence.

  @ANC_01 @portable
  Rule: Each kind of anchor has its weight
    Source: the comparison of the TypeScript original with its Rust port (S4, anchor types and weights), where both agree.

    Scenario Outline: The four kinds
      When the weight of <kind> is asked for
      Then the result is <weight>

      Examples: From the heaviest
        | kind                | weight |
        | an error resolution | 0.9    |
        | a task completion   | 0.8    |
        | a feature milestone | 0.75   |
        | a user checkpoint   | 0.7    |

    Scenario: A kind that nobody knows has no weight
      When the weight of an unknown kind is asked for
      Then it is not understood

  @ANC_02
  Rule: An anchor counts from a confidence of 0.9
    Source: the comparison of the TypeScript original with its Rust port (S4, confidence threshold).

    @portable
    Scenario Outline: The confidence from which it counts is a setting
      Given the turns <turn>
      And the settings anchor confidence <least>
      When the turns are searched for anchors
      Then the anchor is "<anchor>"

      Examples:
        | description               | turn                   | least | anchor                 |
        | below its confidence      | Edit, Bash "12 passed" | 0.91  | task completion 0.92   |
        | the same                  | Edit, Bash "12 passed" | 0.92  | task completion 0.92   |
        | above                     | Edit, Bash "12 passed" | 0.93  |                        |

    @portable
    Scenario Outline: A confidence outside 0 to 1 is invalid input
      Given the turns Edit
      And the settings anchor confidence <least>
      When the turns are searched for anchors
      Then it is not understood

      Examples:
        | description   | least |
        | above one     | 1.01  |
        | far above one | 90    |

  @ANC_03 @ANC_04 @portable
  Rule: A changed file and a test success are an error resolution after an error, and a task completion without one
    Source: the comparison of the TypeScript original with its Rust port (S4, pattern detection): confidence 0.95 with an
    error before, 0.92 without.

    Scenario Outline: It takes a change and a success in one turn, in either order
      Given the turns <turns>
      When the turns are searched for anchors
      Then the anchor is "<anchor>"

      Examples: With an error in the turn before
        | description         | turns                               | anchor                |
        | changed and tested  | Bash failed; Edit, Bash "12 passed" | error resolution 0.95 |
        | changed, not tested | Bash failed; Edit, Bash "a.py b.py" |                       |
        | tested, not changed | Bash failed; Grep, Bash "12 passed" |                       |

      Examples: Without one
        | description          | turns                        | anchor               |
        | changed and tested   | talk; Edit, Bash "12 passed" | task completion 0.92 |
        | changed, not tested  | talk; Edit, Bash "a.py b.py" |                      |
        | tested, not changed  | talk; Grep, Bash "12 passed" |                      |

  @ANC_05 @portable
  Rule: A file is changed by an editing tool that succeeded; an error is a failed result in the turn before or earlier in this one
    Source: the patterns of the original (S4), made exact: an error after the last change was not resolved by it.

    Scenario Outline: What changes a file, and what does not
      Given the turns <use>, Bash runs "pytest" "12 passed"
      When the turns are searched for anchors
      Then the anchor is "<anchor>"

      Examples: Tools
        | description    | use               | anchor               |
        | of Claude Code | "MultiEdit"       | task completion 0.92 |
        | of Codex       | "apply_patch"     | task completion 0.92 |
        | a reading tool | Read              |                      |
        | a failed edit  | Edit failed       |                      |

      Examples: A command changes a file that it names, unless it only stores what a program printed
        | description         | use                                        | anchor               |
        | edited in place     | Bash runs "sed -i s/a/b/ parcel.py"        | task completion 0.92 |
        | a failed edit       | Bash failed runs "sed -i s/a/b/ parcel.py" |                      |
        | output that is kept | Bash runs "make > build.log"               |                      |

    Scenario Outline: A call without a result changes nothing, and an error counts only before the last change
      Given the turns <turn>
      When the turns are searched for anchors
      Then the anchor is "<anchor>"

      Examples:
        | description             | turn                                                | anchor                |
        | a call without a result | Bash "12 passed", Edit unanswered                   |                       |
        | before the change       | Bash failed "no", Edit, Bash "no", Bash "12 passed" | error resolution 0.95 |
        | after the last change   | Bash "no", Edit, Bash failed "no", Bash "12 passed" | task completion 0.92  |
        | between two changes     | Edit, Bash failed "no", Edit, Bash "12 passed"      | error resolution 0.95 |

  @ANC_05
  Rule: The editing tools are a setting, and an error counts for the next turn only
    Source: brim, on the patterns of the original (S4).

    The files that these tools change are facts, too (SUM_13).

    Scenario Outline: A tool of the user's own
      Given the turns <tool>, Bash "12 passed"
      And the settings editing tools <set>
      When the turns are searched for anchors
      Then the anchor is "<anchor>"

      Examples:
        | description              | tool   | set    | anchor                      |
        | the tool that edits      | sculpt | sculpt | task completion 0.92        |
        | no longer one            | Edit   | sculpt | synthetic user checkpoint 1 |

    Scenario: An error is over after the turn that follows it
      Given the turns Bash failed "no"; Edit, Bash "12 passed"; Edit, Bash "12 passed"
      When the turns are searched for anchors
      Then the anchors are "1: error resolution 0.95, 2: task completion 0.92"

  @ANC_05
  Rule: A tool call names the files that it changed, created or read
    Source: brim, for what is known of a conversation's files: the calls of Claude Code, OpenCode and Codex name them in
    different fields, and a patch on lines of its own.

    Scenario Outline: A file named in a field
      Given the turns <call>
      When the files of the last call are asked for
      Then the files are "<files>"

      Examples:
        | description          | call                                      | files                |
        | edited               | Edit on "parcel.py" "done"                | modified parcel.py   |
        | created              | Write on "parcel.py" "created"            | created parcel.py    |
        | there before         | Write on "parcel.py" "updated"            | modified parcel.py   |
        | read                 | Read on "parcel.py" "text"                | read parcel.py       |
        | it failed            | Write failed on "parcel.py" "no"          |                      |
        | paths, as Gemini CLI | "read_many_files" paths "a.py, b.py"      | read a.py, read b.py |

    Scenario Outline: Files named in a patch, in a command or in what it prints
      Given the turns <call>
      When the files of the last call are asked for
      Then the files are "<files>"

      Examples:
        | description        | call                                                                                       | files                                            |
        | Codex's patch      | "apply_patch" patch "*** Add File: new.py\n*** Update File: old.py\n*** Move to: moved.py" | created new.py, deleted old.py, created moved.py |
        | SWE-agent's editor | Bash runs "edit 1:1" "[File: lex.py (9 lines total)]"                                      | modified lex.py                                  |

  @ANC_06 @portable
  Rule: A test success is one successful result whose text reports passing tests and no failing ones
    Source: the original leaves it open (S4); the code of both ports misses "PASSED" and takes "3 tests failed, 12 passed"
    for a success. Read here: the forms in which test runners report, in any case of letters.

    Scenario Outline: A report of passing tests is a test success
      Given the turns Edit, Bash "<text>"
      When the turns are searched for anchors
      Then the anchor is "<value>"

      Examples:
        | description        | text                             | value                |
        | pytest             | ==== 12 passed in 0.10s ====     | task completion 0.92 |
        | counted afterwards | passed: 12, failed: 0            | task completion 0.92 |
        | the bare word      | PASSED                           | task completion 0.92 |
        | Go                 | ok  example.com/parcel 0.417s    | task completion 0.92 |
        | unittest           | Ran 5 tests in 0.1s\n\nOK        | task completion 0.92 |
        | before a remark    | 3 passed\nthe value is passed on | task completion 0.92 |

      Examples: Some tests failed
        | description            | text                                           | value |
        | pytest                 | 3 failed, 12 passed in 0.10s                   |       |
        | an error in collecting | 12 passed, 1 error in 0.10s                    |       |
        | Go                     | FAIL example.com/a 0.1s\nok example.com/b 0.1s |       |

      Examples: No test passed
        | description  | text                      | value |
        | a denial     | Not all tests passed      |       |
        | a wish       | Make sure all tests pass  |       |
        | another word | The password was bypassed |       |

    Scenario Outline: One successful result reports them, in a line of at most 500 characters, not a file that was read
      Given the turns Edit, <uses>
      When the turns are searched for anchors
      Then the anchor is "<anchor>"

      Examples:
        | description                           | uses                                 | anchor               |
        | the longest report                    | Bash 500 characters "12 passed"      | task completion 0.92 |
        | a character longer, which is data     | Bash 501 characters "12 passed"      |                      |
        | a success and a report in two results | Bash "done", Bash failed "12 passed" |                      |
        | a file                                | Read "12 passed"                     |                      |

  @ANC_07
  Rule: A turn in which the user made a checkpoint, or marked a message, is a user checkpoint with certainty
    Source: the comparison of the TypeScript original with its Rust port (S4) names the kind; neither ever detects it.
    Which checkpoints count is decision 0208.

    Scenario: The user's mark needs nothing else
      Given the turns talk; marked; talk
      When the turns are searched for anchors
      Then the anchors are "1: user checkpoint 1"

    Scenario Outline: A session keeps everything from the turn on in which the user made a checkpoint
      Given 6 turns, in turn 1 of which <what happens>
      When <who> compacts them
      Then the turns kept are "<kept>"

      Examples:
        | description                   | what happens                                           | who         | kept          |
        | by a program                  | the user makes a checkpoint                            | a program   | 1, 2, 3, 4, 5 |
        | with the command              | the user runs brim checkpoints create                  | the command | 1, 2, 3, 4, 5 |
        | in a fork of the session      | the user makes a checkpoint, and the session is forked | a program   | 1, 2, 3, 4, 5 |
        | a checkpoint that was rewound | the user makes a checkpoint that is rewound            | a program   | 3, 4, 5       |
        | made before a prompt          | brim makes a checkpoint before a prompt                | a program   | 3, 4, 5       |
        | made before a restore         | brim makes a checkpoint before a restore               | a program   | 3, 4, 5       |

    Scenario Outline: An agent's conversation keeps everything from the turn on with a mark of its program or a checkpoint of its session
      Given 6 turns, in turn 1 of which <what happens>
      When an agent's conversation compacts them
      Then the turns kept are "<kept>"

      Examples:
        | description        | what happens                                             | kept          |
        | behind an answer   | the program marks the newest message                     | 1, 2, 3, 4, 5 |
        | in its session     | the user makes a checkpoint                              | 1, 2, 3, 4, 5 |
        | in another process | the user makes a checkpoint, and another process goes on | 1, 2, 3, 4, 5 |

  @ANC_08 @portable
  Rule: A commit in a turn that changed files, and a to-do list whose last open item was closed, are feature milestones
    Source: the comparison of the TypeScript original with its Rust port (S4) gives the kind a weight by implication and
    no detector; what is detected here, with a confidence of 0.91, is brim's.

    Scenario Outline: A commit
      Given the turns <turn>
      When the turns are searched for anchors
      Then the anchor is "<anchor>"

      Examples:
        | description         | turn                                                       | anchor                 |
        | plain               | Edit, Bash runs "git commit -m x" "1 file"                 | feature milestone 0.91 |
        | it failed           | Edit, Bash failed runs "git commit -m x" "hook failed"     |                        |
        | nothing was changed | Read, Bash runs "git commit -m x" "1 file"                 |                        |
        | nothing to commit   | Edit, Bash runs "git commit \|\| true" "nothing to commit" |                        |
        | a rehearsal         | Edit, Bash runs "git commit --dry-run" "1 file"            |                        |
        | a search            | Edit, Bash runs "git log --grep commit" "1 file"           |                        |

      Examples: A to-do list
        | description                | turn                                              | anchor                 |
        | the last was closed        | "TodoWrite" 3 closed                              | feature milestone 0.91 |
        | in Codex                   | "update_plan" 2 closed                            | feature milestone 0.91 |
        | one is still open          | "TodoWrite" 1 open 3 closed                       |                        |
        | it was not written         | "TodoWrite" failed 3 closed                       |                        |
        | closed earlier in the turn | "TodoWrite" 3 closed, "TodoWrite" 2 open 3 closed | feature milestone 0.91 |

  @ANC_09
  Rule: If no turn is an anchor, the last turn becomes a synthetic user checkpoint, which changes no selection
    Source: the specification of the original's anchors (CTX-001 of its rulebook): there is always a point of reference.

    Scenario Outline: The last turn stands in, and a selection begins only at an anchor that was found
      Given the turns <turns>
      When the turns are searched for anchors
      Then the result is
        | anchors   | weights   | selection may begin at |
        | <anchors> | <weights> | <first>                |

      Examples:
        | description      | turns                              | anchors                        | weights | first |
        | none was found   | talk; talk                         | 1: synthetic user checkpoint 1 | 0.7     |       |
        | one was found    | talk; Edit, Bash "12 passed"; talk | 1: task completion 0.92        | 0.8     | 1     |
        | there is no turn | none                               |                                |         |       |

  @ANC_10 @portable
  Rule: If a turn matches two kinds of anchor, the heavier kind wins
    Source: brim. The originals gave each kind a weight and never used it (S4).

    Scenario Outline: Two kinds in one turn
      Given the turns <turns>
      When the turns are searched for anchors
      Then the anchor is "<anchor>"

      Examples:
        | description                | turns                                                                     | anchor                |
        | a fix that closed the list | Bash failed; "TodoWrite" 2 closed, Edit, Bash "12 passed"                 | error resolution 0.95 |
        | tests and a commit         | Edit, Bash "12 passed", Bash runs "git commit" "1 file"                   | task completion 0.92  |

  @ANC_10
  Rule: If a summary is short of space, it reports the heaviest anchors first; weight never decides what is kept
    Source: brim. The originals gave each kind a weight and never used it (S4). S2, section 11, asks whether a
    compaction can rank.

    Scenario: The order of telling
      Given the turns marked; Edit, Bash "12 passed"; Bash failed "no"; Edit, Bash "12 passed"; "TodoWrite" 1 closed; Edit, Bash "12 passed"
      When the turns are searched for anchors
      Then the order of telling is "3, 5, 1, 4, 0"

    Scenario Outline: Of two kinds in one turn the heavier one counts, even if the other is surer
      Given the turns <turn>
      When the turns are searched for anchors
      Then the anchor is "<anchor>"

      Examples:
        | description  | turn                                                       | anchor               |
        | of two kinds | Edit, Bash "12 passed", marked                             | task completion 0.92 |
