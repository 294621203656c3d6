Feature: Facts
  Facts are what every summary has to keep: the user's requests, constraints and decisions, failed commands, open to-dos,
  and the files of the conversation. brim collects them without a model as the conversation grows. The share of them that
  a new context still holds is its fidelity.

  A turn is written in the rows of a table: a row is a response, and one that says what was asked begins a turn. What the
  user wrote is listed under "messages". "(600 characters)" stands for a word of so many letters.

  @SUM_13
  Rule: Each message of the user is a fact, whole and as it was written
    Source: the success metrics of the comparison of OpenCode and Claude Code, "summaries preserve
    critical information" (S2); that this is measured, and by these facts, is brim's. In
    anthropics/claude-code#22376 it was the last request of the user that got lost. That the agent does not ask again is
    a measure of S3 (success metrics).

    Scenario: Every message counts once, in the order of time
      Given a conversation of the turns
        | user                           | agent     |
        | Port the parser to Python.     | On it.    |
        | Continue                       | It works. |
        | Now write the tests,\n  please | Done.     |
        | Continue                       | Done.     |
      When the facts are collected
      Then the result is
        | kind     | fact                           | turn |
        | messages | Port the parser to Python.     | 1    |
        | messages | Now write the tests,\n  please | 3    |
        | messages | Continue                       | 4    |

    Scenario Outline: Nothing is cut or joined
      Given the user wrote "<text>"
      When the facts are collected
      Then the result is
        | kind     | fact   | characters   |
        | messages | <fact> | <characters> |

      Examples:
        | description             | text                                | fact                                | characters |
        | line breaks stay        | Port it.\n\n    def parse():\n  now | Port it.\n\n    def parse():\n  now | 32         |
        | white space around goes | \n  Port it. \n                     | Port it.                            | 8          |
        | a long message          | (10,000 characters)                 | xxx…                                | 10,000     |

  @SUM_13
  Rule: The user's constraints and decisions are facts
    Source: brim, after the structured prompt's "user preferences" and "decisions made" (S2, section
    8). Rules given in passing are what compactions forget first: anthropics/claude-code#3841.
    What counts is how a sentence is worded; one in a code fence is none of the user's. Of a plan of
    10,000 characters that a user pasted, ten sentences of its author passed for the user's rules.

    Scenario Outline: A sentence that says what must, may only or must never be done is a constraint
      Given the user wrote "Port the parser. <sentence> Thank you."
      When the facts are collected
      Then the constraints are "<constraint>"

      Examples:
        | description          | sentence                                  | constraint                              |
        | must                 | It must run on Python 3.11.               | It must run on Python 3.11.             |
        | never                | Never push to main!                       | Never push to main!                     |
        | only                 | Only edit files in the parser's folder.   | Only edit files in the parser's folder. |
        | make sure            | Make sure the old names still work.       | Make sure the old names still work.     |
        | a wish               | Keep it small.                            |                                         |
        | a question           | Why don't we use a generator?             |                                         |
        | for the moment       | Don't fix anything yet.                   |                                         |
        | part of another word | The mustard parser is a commonly met one. |                                         |

    Scenario: Constraints come from prose and lists, each once
      Given the user wrote "Port it:\n- it must run. Be brief.\n1. never push\n* [ ] only edit it\n- never push\n**Always test.** Go."
      When the facts are collected
      Then the constraints are "it must run., never push, only edit it, **Always test.**"

    Scenario Outline: A sentence that the user wrapped is one constraint
      Given the user wrote "<text>"
      When the facts are collected
      Then the constraints are "<constraint>"

      Examples:
        | description          | text                                                          | constraint                                        |
        | over two lines       | You may edit the docs, but never\ntouch the lexer. Thank you. | You may edit the docs, but never touch the lexer. |
        | a short line ends it | never push to main\nuse tabs                                  | never push to main                                |
        | a capital begins one | the docs may be changed, never the lexer\nUse tabs            | the docs may be changed, never the lexer          |

    Scenario Outline: A constraint is kept to 600 characters, and a longer one ends in an ellipsis
      Given the user wrote "Never (<length> characters)."
      When the facts are collected
      Then the result is
        | kind        | characters | cut   |
        | constraints | <kept>     | <cut> |
        | messages    | <all>      | no    |

      Examples:
        | description | length | kept | cut | all |
        | exactly     | 593    | 600  | no  | 600 |
        | cut         | 594    | 601  | yes | 601 |

    Scenario Outline: What the user pasted holds no constraint, and text beside it counts
      Given the user wrote "<text>"
      When the facts are collected
      Then the constraints are "<constraint>"

      Examples:
        | description      | text                                                  | constraint  |
        | code             | Port it.\n```\nnever\n```\nKeep it small.             |             |
        | a document       | Port it.\n# Plan\nNever push to main.\nKeep it small. |             |
        | a text in tags   | <rules>\nNever push to main.\n</rules>                |             |
        | a tag not closed | <plan>\nNever push.                                   | Never push. |

      Examples: One message gives at most ten constraints
        | description | text                                                                                               | constraint                                                                                         |
        | one fewer   | Never a. Never b. Never c. Never d. Never e. Never f. Never g. Never h. Never i. Go.               | Never a., Never b., Never c., Never d., Never e., Never f., Never g., Never h., Never i.           |
        | exactly     | Never a. Never b. Never c. Never d. Never e. Never f. Never g. Never h. Never i. Never j.          | Never a., Never b., Never c., Never d., Never e., Never f., Never g., Never h., Never i., Never j. |
        | one more    | Never a. Never b. Never c. Never d. Never e. Never f. Never g. Never h. Never i. Never j. Never k. | Never a., Never b., Never c., Never d., Never e., Never f., Never g., Never h., Never i., Never j. |

    Scenario Outline: A sentence that begins with the word of a decision is one
      Given the user wrote "I read it. <sentence> Thank you."
      When the facts are collected
      Then the decisions are "<decision>"

      Examples:
        | description          | sentence                          | decision                     |
        | decision             | Decision: tokens stay signed.     | Decision: tokens stay signed. |
        | we have agreed       | We have agreed on two passes.     | We have agreed on two passes. |
        | let's keep           | LET'S KEEP the lexer.             | LET'S KEEP the lexer.        |
        | an undecided one     | Undecided: two passes.            |                              |

    Scenario: An answer that the user marked is a decision
      Given a conversation of the turns
        | user               | agent                  | mark       |
        | Which one is best? | Two passes are best.   | checkpoint |
        | And how fast?      | Ten thousand a second. |            |
        | Remember this.     |                        | checkpoint |
      When the facts are collected
      Then the result is
        | kind      | fact                 | turn |
        | decisions | Two passes are best. | 1    |
        | messages  | Which one is best?   | 1    |
        | messages  | And how fast?        | 2    |
        | messages  | Remember this.       | 3    |

  @SUM_13
  Rule: The files that were created, changed and read are facts
    Source: the structured prompt's "files created, modified, or analyzed (with paths if relevant)"
    (S2, section 8). That a file is listed once, by the most that happened to it, is a decision of brim.

    Scenario Outline: A file's kind is what was done to it
      Given a conversation of the turns
        | tool   | on   | went   | prints   |
        | <tool> | <on> | <went> | <prints> |
      When the facts are collected
      Then the result is
        | kind   | fact     |
        | <kind> | parse.py |

      Examples:
        | description                  | tool  | on       | went | prints                                 | kind           |
        | edited                       | Edit  | parse.py | well |                                        | modified files |
        | written over                 | Write | parse.py | well | The file parse.py has been updated.    | modified files |
        | written anew                 | Write | parse.py | well | File created successfully at: parse.py | created files  |
        | read                         | Read  | parse.py | well | import re                              | read files     |

    Scenario Outline: A failed or unanswered call gives no fact
      Given a conversation of the turns
        | tool   | on       | went   |
        | <tool> | parse.py | <went> |
      When the facts are collected
      Then the facts are ""

      Examples:
        | description   | tool  | went       |
        | a failed edit | Edit  | badly      |
        | an open write | Write | unanswered |

    Scenario Outline: A path from the root and the end of it, as a command names it, are one file; other paths from the root are others
      Given a conversation of the turns
        | tool     | on      |
        | <first>  | <path>  |
        | <second> | <other> |
      When the facts are collected
      Then the <kind> are "<files>"

      Examples:
        | description                  | first | path                   | second | other                  | kind           | files                    |
        | the command follows          | Edit  | /code/lex.py           | Bash   | sed -i 's/a/b/' lex.py | modified files | /code/lex.py             |
        | the command comes first      | Bash  | sed -i 's/a/b/' lex.py | Edit   | /code/lex.py           | modified files | /code/lex.py             |
        | on Windows                   | Edit  | C:\\x\\lex.py          | Bash   | rm lex.py              | deleted files  | C:\\x\\lex.py            |
        | in another folder            | Edit  | /x/lex.py              | Edit   | /y/lex.py              | modified files | /x/lex.py, /y/lex.py     |

    Scenario Outline: A deleted file that is read, changed or created later has the kind of the later act
      Given a conversation of the turns
        | tool   | on        | prints   |
        | Bash   | rm lex.py |          |
        | <tool> | lex.py    | <prints> |
      When the facts are collected
      Then the result is
        | kind   | fact   |
        | <kind> | lex.py |

      Examples:
        | description | tool  | prints                               | kind           |
        | read        | Read  | import re                            | read files     |
        | made        | Write | File created successfully at: lex.py | created files  |

    Scenario: A file is one fact, of the most lasting kind, in the order of its last mention
      Given a conversation of the turns
        | user             | tool  | on       | prints                                 |
        | Port the parser. | Read  | parse.py | import re                              |
        |                  | Read  | lex.py   | import re                              |
        |                  | Write | token.py | File created successfully at: token.py |
        | Go on.           | Edit  | token.py |                                        |
        |                  | Edit  | parse.py |                                        |
        |                  | Read  | parse.py | import re                              |
        |                  | Edit  | notes.py |                                        |
        |                  | Read  | run.py   | import re                              |
        | Show me.         | Read  | token.py | import re                              |
        |                  | write | run.py   |                                        |
      When the facts are collected
      Then the result is
        | kind           | fact             | turn |
        | messages       | Port the parser. | 1    |
        | messages       | Go on.           | 2    |
        | messages       | Show me.         | 3    |
        | modified files | parse.py         | 2    |
        | modified files | notes.py         | 2    |
        | modified files | run.py           | 3    |
        | created files  | token.py         | 3    |
        | read files     | lex.py           | 1    |

  @SUM_13
  Rule: A shell command changes the files that it surely names
    Source: brim. Agents that have nothing but a shell change files by it, and others do so at times. A path that is wrong
    is worse than one that is missing: variables, globs, devices and temporary files give no fact, nor does a command that
    may not have run. A file that git restores is one that was read: what a commit holds of it is not known. A file that a
    program opens by itself is out of reach, and so are PowerShell and cmd.

    Scenario Outline: The kind of a file is what the command did to it
      Given a conversation of the turns
        | tool | on        |
        | Bash | <command> |
      When the facts are collected
      Then the <kind> are "<files>"

      Examples:
        | description                 | command                             | kind           | files            |
        | edited by sed               | sed -i 's/a/b/' lex.py              | modified files | lex.py           |
        | restored                    | git checkout -- lex.py              | read files     | lex.py           |
        | a here-document             | cat > lex.py <<'E'\nprint(1 > 2)\nE | created files  | lex.py           |
        | moved away                  | mv lex.py token.py lib/             | deleted files  | lex.py, token.py |
        | of a shell in it            | bash -c 'cd /code; rm lex.py'       | deleted files  | /code/lex.py     |
        | on a condition that was met | make && sed -i s/a/b/ lex.py        | modified files | lex.py           |

      Examples: Other commands change no file
        | description                | command                     | kind  | files |
        | to a temporary file        | make > /tmp/make.log        | facts |       |
        | a temporary one is deleted | rm /tmp/make.log            | facts |       |
        | a variable                 | rm $FILE                    | facts |       |
        | a glob                     | rm *.pyc                    | facts |       |
        | perhaps not run            | make \|\| rm lex.py         | facts |       |
        | on a condition             | if make; then rm lex.py; fi | facts |       |

    Scenario: A command that failed changes no file
      Given a conversation of the turns
        | tool | on        | went  |
        | Bash | rm lex.py | badly |
      When the facts are collected
      Then the deleted files are ""

    Scenario Outline: A command that prints which file it changed is believed, and any other is not
      Given a conversation of the turns
        | tool | on        | prints   |
        | Bash | <command> | <prints> |
      When the facts are collected
      Then the <kind> are "<file>"

      Examples:
        | description                 | command                    | prints                                    | kind           | file         |
        | SWE-agent's editor edits it | edit 1:1\nx\nend_of_edit   | [File: /code/lex.py (9 lines total)]\n1:x | modified files | /code/lex.py |
        | another program             | make patch                 | patching file lex.py                      | modified files |              |

    Scenario: A file that was known is modified when it is written over, deleted with its folder, and unchanged once restored
      Given a conversation of the turns
        | tool  | on                     | prints                                     |
        | Read  | lex.py                 | import re                                  |
        | Write | src/token.py           | File created successfully at: src/token.py |
        | Bash  | cat > lex.py <<E\nx\nE |                                            |
        | Bash  | rm -r src              |                                            |
        | Edit  | run.py                 |                                            |
        | Bash  | git restore run.py     |                                            |
      When the facts are collected
      Then the result is
        | kind           | fact         |
        | modified files | lex.py       |
        | deleted files  | src/token.py |
        | deleted files  | src          |
        | read files     | run.py       |

  @SUM_13
  Rule: The tools of many agents are known by one table
    Source: brim. Real sessions show the tools of Claude Code, Codex, OpenCode, pi, Gemini CLI, OpenHands and Cline's SDK; the
    other names and fields were written down without a session or a source at hand, and are unproven until one shows them.

    Scenario Outline: A tool's file is of the kind that the tool makes it
      Given a conversation of the turns
        | tool   | on     |
        | <tool> | lex.py |
      When the facts are collected
      Then the result is
        | kind   | fact   |
        | <kind> | lex.py |

      Examples:
        | description      | tool                       | kind           |
        | Claude Code      | Edit                       | modified files |
        | Gemini CLI       | replace                    | modified files |
        | and its reading  | read_file                  | read files     |
        | Cursor           | search_replace             | modified files |
        | VS Code          | create_file                | created files  |
        | and its reading  | mcp__files__read_text_file | read files     |

    Scenario Outline: An editor does what its command names
      Given a conversation of the turns
        | tool   | on               |
        | <tool> | <command> lex.py |
      When the facts are collected
      Then the <kind> are "<file>"

      Examples: Commands of editors
        | tool               | command     | kind           | file   |
        | str_replace_editor | view        | read files     | lex.py |
        | str_replace_editor | create      | created files  | lex.py |
        | str_replace_editor | str_replace | modified files | lex.py |
        | file_editor        | insert      | modified files | lex.py |
        | file_editor        | undo_edit   | modified files | lex.py |
        | text_editor        | write       | created files  | lex.py |
        | file_editor        | jump        | modified files |        |

    Scenario: A tool that moves a file deletes it where it was
      Given a conversation of the turns
        | tool                  | on                 |
        | mcp__files__move_file | lex.py to token.py |
      When the facts are collected
      Then the result is
        | kind          | fact     |
        | created files | token.py |
        | deleted files | lex.py   |

  @SUM_13
  Rule: A command whose last run failed is a fact, with the line of the error
    Source: brim, after the structured prompt's "errors encountered" (S2, section 8) and the error
    states of fspec's compaction (CTX-001). A failure that was cured since is left out.

    Scenario: The last run of a command decides whether it failed
      Given a conversation of the turns
        | user        | tool | on         | went       | prints                               |
        | Test it.    | Bash | make test  | badly      | make: no rule for test               |
        |             | Bash | make lint  | badly      | Exit code 2\n\nparse.py: error: E501 |
        |             | Bash | make types | well       | ok                                   |
        | Look again. | Bash | make test  | well       | done                                 |
        |             | Bash | make types | badly      |                                      |
        |             | Bash | make docs  | unanswered |                                      |
      When the facts are collected
      Then the result is
        | kind            | fact        | turn | why                   |
        | messages        | Test it.    | 1    |                       |
        | messages        | Look again. | 2    |                       |
        | failed commands | make lint   | 1    | parse.py: error: E501 |
        | failed commands | make types  | 2    |                       |

    Scenario Outline: A successful run of the same command in the same folder cures it, with any filter of the output
      Given a conversation of the turns
        | tool | on      | went  |
        | Bash | <first> | badly |
        | Bash | <then>  | well  |
      When the facts are collected
      Then the failed commands are "<failed>"

      Examples:
        | description                      | first                 | then                        | failed             |
        | in a folder that may be the same | make check            | cd /code/app && make check  |                    |
        | clipped                          | make check            | make check 2>&1 \| tail -20 |                    |
        | another target                   | make check            | make clean                  | make check         |
        | in another folder                | cd a && make check    | cd b && make check          | cd a && make check |
        | counted, not clipped             | make check            | make check \| wc -l         | make check         |

    Scenario Outline: A passing test run cures failing tests, and nothing else
      Given a conversation of the turns
        | tool | on                | went   | prints   |
        | Bash | pytest tests/a.py | badly  | <first>  |
        | Bash | <then>            | <went> | <prints> |
      When the facts are collected
      Then the failed commands are "<failed>"

      Examples:
        | description             | first                 | then                         | went  | prints              | failed                            |
        | all tests pass          | 1 failed, 3 passed    | pytest                       | well  | 12 passed in 0.3s   |                                   |
        | no tests are told of    | 1 failed, 3 passed    | make                         | well  | done                | pytest tests/a.py                 |
        | some still fail         | 1 failed, 3 passed    | pytest                       | well  | 1 failed, 11 passed | pytest tests/a.py, pytest         |
        | a file that tells so    | 1 failed, 3 passed    | cat log                      | well  | 12 passed in 0.3s   | pytest tests/a.py                 |

    Scenario Outline: A test run behind a pipe fails by what it reports
      Given a conversation of the turns
        | tool | on        | prints   |
        | Bash | <command> | <prints> |
      When the facts are collected
      Then the failed commands are "<failed>"

      Examples:
        | description       | command           | prints                 | failed            |
        | tests fail        | pytest \| tail -3 | 1 failed, 3 passed     | pytest \| tail -3 |
        | all pass          | pytest \| tail -3 | 4 passed in 0.3s       |                   |
        | it ran no tests   | cat lexer.log     | 1 failed, 3 passed     |                   |
        | then all pass     | pytest; mend      | 1 failed\n4 passed     |                   |
        | then one fails    | pytest; mend      | 4 passed\n1 failed     | pytest; mend      |

    Scenario Outline: A passing run cures the failing tests that it ran again
      Given a conversation of the turns
        | tool | on      | went  | prints             |
        | Bash | <first> | badly | 1 failed, 3 passed |
        | Bash | <then>  | well  | 12 passed in 0.3s  |
      When the facts are collected
      Then the failed commands are "<failed>"

      Examples:
        | description          | first                     | then                           | failed                 |
        | by another program   | pytest tests/a.py         | make test                      | pytest tests/a.py      |
        | the folder           | pytest tests/a.py         | pytest tests                   |                        |
        | every package        | go test ./lexer           | go test ./...                  |                        |
        | one file of all      | pytest                    | pytest tests/a.py              | pytest                 |
        | a filter             | pytest tests              | pytest tests -k parse          | pytest tests           |

    Scenario Outline: Failures of other tools are no failed commands
      Given a conversation of the turns
        | tool   | on   | went  | prints   |
        | <tool> | <on> | badly | <prints> |
      When the facts are collected
      Then the failed commands are "<failed>"

      Examples:
        | description               | tool | on       | prints                                                   | failed |
        | an edit                   | Edit | parse.py | File not found.                                          |        |
        | declined, so it never ran | Bash | git push | The user doesn't want to proceed with this tool use. No. |        |
        | interrupted               | Bash | git push | [Request interrupted by user for tool use]               |        |
        | cancelled                 | Bash | git push | [Operation Cancelled] Reason: User denied execution.     |        |
        | cut off                   | Bash | git push | [Tool execution was interrupted]                         |        |

      Examples: A command that only looks breaks nothing when it fails
        | description       | tool | on                     | prints            | failed                 |
        | a search          | Bash | grep -rn parse src     | No such directory |                        |
        | a comparison      | Bash | diff lex.py token.py   | No such directory |                        |
        | it changes a file | Bash | sed -i 's/a/b/' lex.py | No such directory | sed -i 's/a/b/' lex.py |
        | it stores         | Bash | cat token.py > lex.py  | No such directory | cat token.py > lex.py  |
        | it runs a program | Bash | ls && make             | No such directory | ls && make             |

    Scenario Outline: A failed run of a script that is deleted is no unresolved error
      Given a conversation of the turns
        | tool | on     | went  |
        | Bash | <run>  | badly |
        | Bash | <then> | well  |
      When the facts are collected
      Then the failed commands are "<failed>"

      Examples:
        | description       | run                   | then                   | failed              |
        | deleted           | python probe.py       | rm probe.py            |                     |
        | another file is   | python probe.py       | rm other.py            | python probe.py     |
        | changed alone     | python probe.py       | sed -i s/a/b/ probe.py | python probe.py     |

    Scenario Outline: The fact holds the first line that names an error, else a place in a file, else a failure, else the first
      Given a conversation of the turns
        | tool | on   | went  | prints   |
        | Bash | make | badly | <prints> |
      When the facts are collected
      Then the result is
        | kind            | fact | why    |
        | failed commands | make | <line> |

      Examples:
        | description            | prints                                                  | line              |
        | an error and a colon   | Compiling\nnote: see below\nerror: no field x\n1 failed | error: no field x |
        | an exception's name    | Traceback:\nKeyError: 'total'                           | KeyError: 'total' |
        | error in passing       | boot\none error met                                     | one error met     |
        | failed                 | boot\nTests failed                                      | Tests failed      |
        | a place in a file      | # shop\nfail\ncart.go:5:2: no x                         | cart.go:5:2: no x |
        | a test's name          | RUN TestA\nlog it\n--- FAIL: TestA                      | FAIL: TestA       |
        | the first line         | boot\nstop                                              | boot              |
        | within an agent's tags | <returncode>1</returncode>\n<output>\nboot\n</output>   | boot              |

      Examples: Of a long output brim reads the first and the last 4,000 characters
        | description        | prints                                                  | line            |
        | near its beginning | (3,900 characters)\nerror: met here\n(9,000 characters) | error: met here |
        | in its middle      | (4,100 characters)\nerror: met here\n(9,000 characters) | xxx…            |
        | near its end       | (9,000 characters)\nerror: met here\n(3,900 characters) | error: met here |
        | in a shorter one   | (4,100 characters)\nerror: met here\n(3,800 characters) | error: met here |

  @SUM_13
  Rule: To-do items that are still open are facts
    Source: brim, after the structured prompt's "next steps" (S2, section 8). The lists are those
    of Claude Code, OpenCode and Codex, and the single tasks of Claude Code's later versions.

    Scenario Outline: Items are open until they are completed or cancelled, in the lists of several agents
      Given the to-do tools were used in turn
        | tool   | item   | status   |
        | <tool> | <item> | <status> |
      When the facts are collected
      Then the to-dos are "<open>"

      Examples:
        | description        | tool        | item            | status    | open            |
        | waiting            | TodoWrite   | Write the tests | waiting   | Write the tests |
        | done               | TodoWrite   | Write the tests | done      |                 |
        | a list of OpenCode | todowrite   | Write the tests | waiting   | Write the tests |
        | a plan of Codex    | update_plan | Write the tests | waiting   | Write the tests |

    Scenario: The last list that was written well replaces the ones before
      Given the to-do tools were used in turn
        | tool       | item                              | status  | went       |
        | TodoWrite  | Port the parser, Write the tests  | waiting | well       |
        | TodoWrite  | Write the tests, Update the notes | waiting | well       |
        | TodoWrite  | Mend the lexer                    | waiting | badly      |
        | TaskCreate | Tell the team                     |         | unanswered |
      When the facts are collected
      Then the result is
        | kind   | fact             | turn |
        | to-dos | Write the tests  | 2    |
        | to-dos | Update the notes | 2    |

    Scenario: Single tasks are made and closed by their number
      Given the to-do tools were used in turn
        | tool       | item             | number | status    |
        | TaskCreate | Port the parser  | 1      |           |
        | TaskCreate | Write the tests  | 2      |           |
        | TaskCreate | Update the notes | 3      |           |
        | TaskCreate | Tell the team    |        |           |
        | TaskUpdate |                  | 1      | done      |
        | TaskUpdate | Write more tests | 2      | under way |
        | TaskUpdate |                  | 3      | deleted   |
        | TaskUpdate |                  | 2      | under way |
        | TaskUpdate |                  | 9      | done      |
      When the facts are collected
      Then the result is
        | kind   | fact             | turn |
        | to-dos | Write more tests | 6    |
        | to-dos | Tell the team    | 4    |

  @SUM_13
  Rule: The facts are the same whether brim collects them turn by turn or at the end
    Source: brim; a running account is what makes a compaction cheap, and it is worth nothing where
    it tells another story than the whole.

    All examples of this feature are told in both ways, each turn also while it is still going on.

    Scenario: The weightiest kind comes first
      Given a conversation of the turns
        | user                                | tool      | on       | went  | prints                                 |
        | Decided: two passes. Never push it. | Read      | lex.py   | well  | import re                              |
        |                                     | Write     | token.py | well  | File created successfully at: token.py |
        |                                     | Edit      | parse.py | well  |                                        |
        |                                     | Bash      | make     | badly | error: no field x                      |
        |                                     | TodoWrite | Test it  | well  |                                        |
      When the facts are collected
      Then the result is
        | kind            | fact                                |
        | constraints     | Never push it.                      |
        | decisions       | Decided: two passes.                |
        | messages        | Decided: two passes. Never push it. |
        | failed commands | make                                |
        | to-dos          | Test it                             |
        | modified files  | parse.py                            |
        | created files   | token.py                            |
        | read files      | lex.py                              |

  @SUM_13
  Rule: A result counts wherever the user's next words are
    Source: the Messages API, which takes a text behind the results of a message. A failed test run and a new file were lost,
    where the user wrote in the message of their results.

    All examples of this feature are told in both forms.

    Scenario: The user writes after a failed test run, and after a new file
      Given a conversation of the turns
        | user           | tool  | on       | went  | prints                                 |
        | Mend it.       | Bash  | pytest   | badly | 3 failed                               |
        | Now the lexer. | Write | lexer.py | well  | File created successfully at: lexer.py |
        | And hurry.     |       |          |       |                                        |
      When the facts are collected
      Then the result is
        | kind            | fact           |
        | messages        | Mend it.       |
        | messages        | Now the lexer. |
        | messages        | And hurry.     |
        | failed commands | pytest         |
        | created files   | lexer.py       |

  @SUM_13
  Rule: Fidelity counts the facts that are present in the new context
    Source: the success metric "compaction quality: summaries preserve critical information" (S2),
    which names no measure; this one is brim's. A text is present if it occurs in the context
    letter by letter, however its white space is set, so that a fidelity can be checked by eye. The summaries of Claude
    Code name files by their path below the project: so the last parts of a path, two or more, are enough in a summary;
    of files that share them it has the one with the shortest path.

    Scenario Outline: The share is exact, and the missing facts are named
      Given the changed files "<files>"
      When the fidelity of the context "<context>" is worked out
      Then the result is
        | facts present | share of the facts | facts missing |
        | <present>     | <share>            | <missing>     |

      Examples:
        | description  | files                      | context                               | present | share | missing                    |
        | all          | parse.py, lex.py, token.py | parse.py, lex.py, token.py            | 3 of 3  | 1     |                            |
        | two          | parse.py, lex.py, token.py | parse.py and token.py                 | 2 of 3  | 2/3   | lex.py                     |
        | none         | parse.py, lex.py, token.py | The parser is ported.                 | 0 of 3  | 0     | parse.py, lex.py, token.py |

    Scenario Outline: A path is held by itself; its base name is not enough
      Given the changed files "<file>"
      When the fidelity of the context "<context>" is worked out
      Then the facts present are "<present>"

      Examples:
        | description               | context                        | present | file         |
        | in a sentence             | Changed src/parse.py.          | 1 of 1  | src/parse.py |
        | a second mention is whole | old/src/parse.py, src/parse.py | 1 of 1  | src/parse.py |
        | the base name alone       | parse.py                       | 0 of 1  | src/parse.py |
        | the end of a longer path  | old/src/parse.py               | 0 of 1  | src/parse.py |
        | the beginning of another  | src/parse.py.bak               | 0 of 1  | src/parse.py |

      Examples: A path is held where its folder is named once for several
        | description          | context                                     | present | file                  |
        | folder and the rest  | Files (paths below /home/me/app): parse.py  | 1 of 1  | /home/me/app/parse.py |
        | another folder       | Files (paths below /srv): parse.py          | 0 of 1  | /home/me/app/parse.py |
        | half a folder's name | Files (paths below /home/me/ap): p/parse.py | 0 of 1  | /home/me/app/parse.py |

    Scenario Outline: A path is held where a summary has its last parts, two or more, by themselves
      Given the changed files "<file>"
      When the fidelity of the context "<context>" is worked out
      Then the facts present are "<present>"

      Examples:
        | description                | context              | present | file                                     |
        | below the project          | - src/parse.py: done | 1 of 1  | /home/me/app/src/parse.py                |
        | with the project           | app/src/parse.py     | 1 of 1  | /home/me/app/src/parse.py                |
        | a name with other signs    | a/[id]/+page.svelte  | 1 of 1  | /home/me/app/a/[id]/+page.svelte         |
        | the base name alone        | parse.py             | 0 of 1  | /home/me/app/src/parse.py                |
        | the end of a folder's name | rc/parse.py          | 0 of 1  | /home/me/app/src/parse.py                |
        | the end of another path    | old/src/parse.py     | 0 of 1  | /home/me/app/src/parse.py                |
        | one of two files           | src/parse.py         | 1 of 2  | /app/old/src/parse.py, /app/src/parse.py |

    Scenario: A failed command is held without the line of its error
      Given a conversation of the turns
        | tool | on        | went  | prints          |
        | Bash | make test | badly | error: no field |
      When the fidelity of the context "Still failing: make test" is worked out
      Then the facts present are "1 of 1"

  @SUM_13
  Rule: Fidelity counts each character of the user's messages, white space aside
    Source: real transcripts, where all facts were reported as present of messages that were cut after 200 characters. A
    message is looked for in pieces: its lines, and of long lines parts of about 200 characters that end with a word. A
    piece is present if it occurs in the context by itself, however its white space is set. A message that is sent
    twice counts once, and what one compaction after the other hands on shortened counts whole. The measure is brim's.

    Scenario Outline: A message is present where all its characters are, white space aside
      Given the user wrote "Never push to main today"
      When the fidelity of the context "<context>" is worked out
      Then the characters present are "<present>"

      Examples:
        | description         | context                              | present  |
        | quoted              | He said: 'Never push to main today'. | 20 of 20 |
        | within longer words | (Never push to main todays)          | 0 of 20  |
        | a word is missing   | Never push to main                   | 0 of 20  |
        | another order       | today push to main Never             | 0 of 20  |

    Scenario Outline: A message is looked for line by line
      Given the user wrote "<message>"
      When the fidelity of the context "<context>" is worked out
      Then the result is
        | characters present | words missing |
        | <present>          | <missing>     |

      Examples:
        | description                    | message                  | context                 | present  | missing   |
        | a line is missing              | Mend it\nPaint it\nGo on | Mend it … Go on         | 10 of 17 | Paint it  |
        | the end of a line in a word    | Mend it                  | Mend items, leave it    | 0 of 6   | Mend it   |
        | each line is marked            | Mend it\nPaint it        | > Mend it\n> Paint it   | 13 of 13 |           |
        | equal lines, one of them there | ok\nMend it\nok          | ok … Mend it            | 8 of 10  | ok        |
        | equal lines, all there         | ok\nMend it\nok          | ok … Mend it … ok       | 10 of 10 |           |
        | another script                 | 推送之前先测试。\n好的             | 用户说：「推送之前先测试。」          | 8 of 10  | 好的        |

    Scenario Outline: Every message counts once
      Given a conversation of the turns
        | user     | agent |
        | Mend it  | Done. |
        | <second> | Done. |
      When the fidelity of the context "Mend it" is worked out
      Then the characters present are "<present>"

      Examples:
        | description        | second         | present |
        | one of two         | Paint the door | 6 of 18 |
        | the same one twice | Mend it        | 6 of 6  |
