Feature: Facts
  Facts are what every summary has to keep: the user's requests, constraints and decisions, failed commands, open to-dos,
  and the files of the conversation. brim collects them without a model as the conversation grows. The share of them that
  a new context still holds is its fidelity.

  @SUM_13
  Rule: Each message of the user is a fact, whole and as it was written
    Source: the success metrics of the comparison of OpenCode and Claude Code, "summaries preserve
    critical information" (S2); that this is measured, and by these facts, is brim's. In
    anthropics/claude-code#22376 it was the last request of the user that got lost.

    Scenario: Every message counts once, in the order of time
      Given a conversation of the turns
        | asked                          | says      |
        | Port the parser to Python.     | On it.    |
        | Continue                       | It works. |
        | Now write the tests,\n  please | Done.     |
        | Continue                       | Done.     |
      When the facts are collected
      Then the facts about "what the user wrote" are
        | fact                          | turn |
        | Port the parser to Python.    | 1    |
        | Now write the tests,\n  please | 3  |
        | Continue                      | 4    |

    Scenario Outline: Nothing is cut or joined
      Given the user wrote "<text>"
      When the facts are collected
      Then the facts about "what the user wrote" are
        | fact   |
        | <fact> |

      Examples:
        | description             | text                                | fact                              |
        | line breaks stay        | Port it.\n\n    def parse():\n  now | Port it.\n\n    def parse():\n  now |
        | white space around goes | \n  Port it. \n                     | Port it.                          |

    Scenario: A message of 10,000 characters is a fact of 10,000 characters
      Given the user wrote a message of 10,000 characters
      When the facts are collected
      Then the fact about it has 10,000 characters

    Scenario: Text of the harness inside the message is left out
      Given a conversation of the turns
        | asked                                                                                  |
        | <system-reminder>\nNever mention this.\n</system-reminder>\nPort the parser to Python. |
      When a conversation that begins with it is compacted
      Then the fact "Port the parser to Python." is the first about "what the user wrote"
      And there are no facts about "constraints"

  @SUM_13
  Rule: The user's constraints and decisions are facts
    Source: brim, after the structured prompt's "user preferences" and "decisions made" (S2, section
    8). Rules given in passing are what compactions forget first: anthropics/claude-code#3841.
    What counts is how a sentence is worded; one in a code fence is none of the user's. Of a plan of
    10,000 characters that a user pasted, ten sentences of its author passed for the user's rules.

    Scenario Outline: A sentence that says what must, may only or must never be done is a constraint
      Given the user wrote "Port the parser. <sentence> Thank you."
      When the facts are collected
      Then the constraint "<sentence>" is a fact

      Examples:
        | description      | sentence                                  |
        | must             | It must run on Python 3.11.               |
        | must not         | You mustn't change the lexer.             |
        | never            | Never push to main!                       |
        | always           | Tests always come first.                  |
        | only             | Only edit files in the parser's folder.   |
        | don't            | Don't add dependencies.                   |
        | with a curly apostrophe | Don’t add dependencies.            |
        | without apostrophe | Dont add dependencies.                  |
        | in capital letters | NEVER push to main!                     |
        | do not           | Do not touch the lexer.                   |
        | avoid            | Avoid global state.                       |
        | make sure        | Make sure the old names still work.       |
        | without          | Do it without new classes.                |
        | I don't want     | I don't want new classes.                 |

    Scenario Outline: Other sentences are no constraints
      Given the user wrote "Port the parser. <sentence> Thank you."
      When the facts are collected
      Then there are no facts about "constraints"

      Examples:
        | description           | sentence                              |
        | a wish                | Keep it small.                        |
        | a question            | Must it run on Windows?               |
        | another question      | Why don't we use a generator?         |
        | an admission          | I don't know the lexer.               |
        | with emphasis         | I really don't think so.              |
        | an opinion            | We do not have a lexer.               |
        | a comfort             | Don't worry about the lexer.          |
        | part of another word  | The mustard parser is a commonly met one. |

    Scenario: Constraints come from prose and lists, each once
      Given the user wrote
        """
        Port the parser:
        - it must run on Python 3.11. Keep it small.
        1. never push to main
        * [ ] only edit files in this folder
        - never push to main
        **Always test first.** Then push.
        """
      When the facts are collected
      Then the facts about "constraints" are
        | fact                            |
        | it must run on Python 3.11.     |
        | never push to main              |
        | only edit files in this folder  |
        | **Always test first.**          |

    Scenario Outline: A sentence that the user wrapped is one constraint
      Given the user wrote "<text>"
      When the facts are collected
      Then the constraint "<constraint>" is a fact

      Examples:
        | description          | text                                                              | constraint                                     |
        | over two lines       | You may edit the docs, but never\ntouch the lexer. Thank you.     | You may edit the docs, but never touch the lexer. |
        | in an item           | - edit the docs as you like, but never\n  touch the lexer         | edit the docs as you like, but never touch the lexer |
        | a short line ends it | never push to main\nuse tabs                                      | never push to main                             |
        | a capital begins one | the docs may be changed, never the lexer\nUse tabs                | the docs may be changed, never the lexer       |
        | an item begins one   | the docs may be changed, never the lexer\n- use tabs              | the docs may be changed, never the lexer       |
        | a full stop ends one | the docs may be changed, never the lexer.\nuse tabs               | the docs may be changed, never the lexer.      |

    Scenario Outline: A constraint is kept to 600 characters, and a longer one ends in an ellipsis
      Given the user wrote a constraint of <length> characters
      When the facts are collected
      Then the fact about "constraints" has <kept> characters and ends with "<end>"

      Examples:
        | description | length | kept | end |
        | whole       | 600    | 600  | x.  |
        | cut         | 601    | 601  | x…  |

    Scenario Outline: What the user pasted holds no constraint
      Given the user wrote "Port it.\n<pasted>\nKeep it small."
      When the facts are collected
      Then there are no facts about "constraints"

      Examples:
        | description               | pasted                                          |
        | code                      | ```\nnever\n```                                 |
        | code with tildes          | ~~~\nnever\n~~~                                 |
        | code in a list            | - so:\n  ```\n  never\n  ```                    |
        | a quotation               | > Never push to main.                           |
        | a quotation in a list     | - so:\n  > Never push to main.                  |
        | a document, from its heading on | # Plan\nNever push to main.              |
        | its sections              | ### Rules\n- Never push to main.\n\nAlways test. |
        | a text in tags            | <rules>\nNever push to main.\n</rules>          |
        | in tags with a name       | <file path='a.md'>\nNever push.\n</file>        |
        | a text in tags, with others within | <plan>\nNever push.\n<b>\nx\n</b>\n</plan> |

    Scenario Outline: Text beside it counts
      Given the user wrote "<text>"
      When the facts are collected
      Then the constraint "Never push." is a fact

      Examples:
        | description          | text                                     |
        | before the code      | Never push.\n```\nmust\n```             |
        | behind the code      | ```\nmust\n```\nNever push.             |
        | before the document  | Never push.\n# Plan\nAlways push.        |
        | behind the tags      | <plan>\nAlways push.\n</plan>\nNever push. |
        | a tag not closed     | <plan>\nNever push.                      |
        | a number sign        | #12 is open.\nNever push.                |

    Scenario Outline: One message gives at most ten constraints
      Given the user wrote a message of <count> constraints
      When the facts are collected
      Then there are <taken> facts about "constraints"

      Examples:
        | description | count | taken |
        | one fewer   | 9     | 9     |
        | exactly     | 10    | 10    |
        | one more    | 11    | 10    |

    Scenario Outline: A sentence that begins with the word of a decision is one
      Given the user wrote "I read it. <sentence> Thank you."
      When the facts are collected
      Then the facts about "decisions" are
        | fact       |
        | <sentence> |

      Examples:
        | description     | sentence                             |
        | decision        | Decision: tokens stay signed.        |
        | decided         | Decided, the lexer is frozen.        |
        | agreed          | Agreed: two passes.                  |
        | we decided      | We decided on two passes.            |
        | we have agreed  | We have agreed on two passes.        |
        | we've           | We've decided on two passes.         |
        | I decided       | I decided to keep the lexer.         |
        | I have decided  | I have decided to keep the lexer.    |
        | let's go with   | Let's go with two passes.            |
        | let's use       | Let's use the standard library.      |
        | let's stick with | Let’s stick with two passes.        |
        | let's keep      | LET'S KEEP the lexer.                |
        | go with         | Go with the second one.              |

    Scenario Outline: Other sentences are no decisions
      Given the user wrote "I read it. <sentence> Thank you."
      When the facts are collected
      Then there are no facts about "decisions"

      Examples:
        | description          | sentence                          |
        | a decision is wanted | We need a decision on two passes. |
        | an undecided one     | Undecided: two passes.            |
        | let's see            | Let's see the lexer.              |

    Scenario: An answer that the user marked is a decision
      Given a conversation of the turns
        | asked              | says                    | mark       |
        | Which one is best? | Two passes are best.    | checkpoint |
        | And how fast?      | Ten thousand a second.  |            |
        | Remember this.     |                         | checkpoint |
      When the facts are collected
      Then the facts about "decisions" are
        | fact                 | turn |
        | Two passes are best. | 1    |

  @SUM_13
  Rule: The files that were created, changed and read are facts
    Source: the structured prompt's "files created, modified, or analyzed (with paths if relevant)"
    (S2, section 8). That a file is listed once, by the most that happened to it, is a decision of brim.

    Scenario Outline: A file's kind is what was done to it
      Given a conversation of the turns
        | asked            | tool   | on       | went   | prints   |
        | Port the parser. | <tool> | parse.py | <went> | <prints> |
      When the facts are collected
      Then the facts about "<kind>" are
        | fact     |
        | parse.py |

      Examples:
        | description    | tool  | went | prints                                   | kind           |
        | edited         | Edit  | well |                                          | modified files |
        | written over   | Write | well | The file parse.py has been updated.      | modified files |
        | written over, in other words | Write | well | Overwrote parse.py.         | modified files |
        | written anew   | Write | well | File created successfully at: parse.py   | created files  |
        | read           | Read  | well | import re                                | read files     |

    Scenario Outline: The name of a file stands on one line
      Given a conversation of the turns
        | asked            | tool | on   |
        | Port the parser. | Edit | <on> |
      When the facts are collected
      Then the facts about "modified files" are
        | fact   |
        | <fact> |

      Examples:
        | description  | on          | fact      |
        | two spaces   | my  lex.py  | my lex.py |
        | a line break | my\nlex.py  | my lex.py |

    Scenario Outline: A path from the root and the end of it, as a command names it, are one file
      Given a conversation of the turns
        | asked            | tool     | on       |
        | Port the parser. | <first>  | <path>   |
        | Go on.           | <second> | <other>  |
      When the facts are collected
      Then the facts about "<kind>" are
        | fact   |
        | <fact> |

      Examples:
        | description                  | first | path                    | second | other                   | kind           | fact         |
        | the command follows          | Edit  | /code/lex.py            | Bash   | sed -i 's/a/b/' lex.py  | modified files | /code/lex.py |
        | the command comes first      | Bash  | sed -i 's/a/b/' lex.py  | Edit   | /code/lex.py            | modified files | /code/lex.py |
        | the command makes it         | Bash  | touch src/lex.py        | Edit   | /code/src/lex.py        | created files  | /code/src/lex.py |
        | one that the command deletes | Edit  | /code/lex.py            | Bash   | rm lex.py               | deleted files  | /code/lex.py |
        | a temporary one that was edited | Edit | /tmp/lex.py           | Bash   | rm /tmp/lex.py          | deleted files  | /tmp/lex.py |
        | on Windows                   | Edit  | C:\\x\\lex.py            | Bash   | rm lex.py               | deleted files  | C:\\x\\lex.py |
        | a drive as the shell has it  | Edit  | C:\\x\\lex.py            | Bash   | rm /c/x/lex.py          | deleted files  | C:\\x\\lex.py |
        | a drive with slashes         | Edit  | C:\\x\\lex.py            | Bash   | cd c:/x && rm lex.py    | deleted files  | C:\\x\\lex.py |

    Scenario Outline: Of several paths that end in what a command names, the newest is meant
      Given a conversation of the turns
        | asked            | tool | on       |
        | Port the parser. | Edit | <first>  |
        | Go on.           | Edit | <second> |
        | Now this.        | Bash | <third>  |
        | And that.        | Bash | rm lex.py |
      When the facts are collected
      Then the facts about "deleted files" are
        | fact   |
        | <fact> |

      Examples:
        | description                              | first     | second       | third                  | fact         |
        | the second of two                        | /a/lex.py | /b/lex.py    | ls                     | /b/lex.py    |
        | another name came since                  | /a/lex.py | /b/token.py  | ls                     | /a/lex.py    |
        | a command named it before its whole path | lex.py    | /code/lex.py | ls                     | /code/lex.py |

    Scenario Outline: A deleted file that is read, changed or created later has the kind of the later act
      Given a conversation of the turns
        | asked            | tool   | on        | prints    |
        | Port the parser. | Bash   | rm lex.py |           |
        | Go on.           | <tool> | lex.py    | <prints>  |
      When the facts are collected
      Then the facts are
        | kind                | fact             |
        | what the user wrote | Port the parser. |
        | what the user wrote | Go on.           |
        | <kind>              | lex.py           |

      Examples:
        | description | tool  | prints                                | kind           |
        | read        | Read  | import re                             | read files     |
        | changed     | Edit  |                                       | modified files |
        | made        | Write | File created successfully at: lex.py  | created files  |

    Scenario Outline: Paths from the root of other folders are other files
      Given a conversation of the turns
        | asked            | tool | on      |
        | Port the parser. | Edit | <path>  |
        | Go on.           | Edit | <other> |
      When the facts are collected
      Then the facts about "modified files" are
        | fact    |
        | <path>  |
        | <other> |

      Examples:
        | description               | path           | other          |
        | in another folder         | /x/lex.py      | /y/lex.py      |
        | in one below              | /x/lex.py      | /code/x/lex.py |
        | on another drive          | C:\\x\\lex.py  | D:\\x\\lex.py  |
        | on another drive of the shell | C:\\x\\lex.py | /d/x/lex.py   |
        | in another folder of the drive | C:\\x\\lex.py | /c/y/lex.py  |
        | no drive                  | C:\\x\\lex.py  | /x/lex.py      |

    Scenario Outline: A failed or unanswered call gives no fact
      Given a conversation of the turns
        | asked            | tool   | on       | went   |
        | Port the parser. | <tool> | parse.py | <went> |
      When the facts are collected
      Then the facts are
        | kind                | fact             |
        | what the user wrote | Port the parser. |

      Examples:
        | description     | tool  | went       |
        | a failed edit   | Edit  | badly      |
        | a failed read   | Read  | badly      |
        | an open write   | Write | unanswered |

    Scenario: A file is one fact, of the most lasting kind, in the order of its last mention
      Given a conversation of the turns
        | asked            | tool  | on        | prints                                  |
        | Port the parser. | Read  | parse.py  | import re                               |
        |                  | Read  | lex.py    | import re                               |
        |                  | Write | token.py  | File created successfully at: token.py  |
        | Go on.           | Edit  | token.py  |                                         |
        |                  | Edit  | parse.py  |                                         |
        |                  | Read  | parse.py  | import re                               |
        |                  | Edit  | notes.py  |                                         |
        | Show me.         | Read  | token.py  | import re                               |
      When the facts are collected
      Then the facts are
        | kind                | fact             | turn |
        | what the user wrote | Port the parser. | 1    |
        | what the user wrote | Go on.           | 2    |
        | what the user wrote | Show me.         | 3    |
        | modified files      | parse.py         | 2    |
        | modified files      | notes.py         | 2    |
        | created files       | token.py         | 3    |
        | read files          | lex.py           | 1    |

    Scenario: A file that an answer reads before it writes it is modified
      Given an answer that used the tools
        | tool  | on     | prints    |
        | Read  | lex.py | import re |
        | write | lex.py |           |
      When the facts are collected
      Then the facts are
        | kind           | fact   |
        | modified files | lex.py |

    Scenario: Every tool call of one answer counts
      Given an answer that used the tools
        | tool  | on       | prints                                  |
        | Write | token.py | File created successfully at: token.py  |
        | Read  | lex.py   | import re                               |
        | Edit  | parse.py |                                         |
        | Write | run.py   | File created successfully at: run.py    |
        | Read  | notes.py | import re                               |
        | Edit  | parse.py |                                         |
        | Read  | fast.py  | import re                               |
      When the facts are collected
      Then the facts are
        | kind           | fact     |
        | modified files | parse.py |
        | created files  | token.py |
        | created files  | run.py   |
        | read files     | lex.py   |
        | read files     | notes.py |
        | read files     | fast.py  |

  @SUM_13
  Rule: A shell command changes the files that it surely names
    Source: brim. Agents that have nothing but a shell change files by it, and others do so at times. A path that is wrong
    is worse than one that is missing: variables, globs, devices and temporary files give no fact, nor does a command that
    may not have run. A file that a program opens by itself is out of reach, and so are PowerShell and cmd.

    Scenario Outline: The kind of a file is what the command did to it
      Given a conversation of the turns
        | asked            | tool | on        |
        | Port the parser. | Bash | <command> |
      When the facts are collected
      Then the facts about "<kind>" are
        | fact   |
        | <path> |

      Examples: Modified
        | description          | command                               | kind           | path     |
        | edited by sed        | sed -i 's/a/b/' lex.py                | modified files | lex.py   |
        | by a diff in a folder that is named | git -C . apply <<E\n--- a/lex.py\n+++ b/lex.py\nE | modified files | lex.py |
        | edited by perl       | perl -pi -e 's/a/b/' lex.py           | modified files | lex.py   |
        | appended             | echo done >> notes.md                 | modified files | notes.md |
        | appended by tee      | make \| tee -a run.log                | modified files | run.log  |
        | appended by tee, the option written out | make \| tee --append run.log | modified files | run.log |
        | cut                  | truncate -s 0 run.log                 | modified files | run.log  |
        | restored             | git checkout -- lex.py                | modified files | lex.py   |
        | by a diff            | git apply <<E\n--- a/lex.py\n+++ b/lex.py\nE | modified files | lex.py |

        | sed with its script apart | sed -i -e 's/a/b/' lex.py        | modified files | lex.py   |
        | perl with its script apart | perl -i -p -e 's/a/b/' lex.py   | modified files | lex.py   |
        | undone               | git restore lex.py                    | modified files | lex.py   |
        | errors appended too  | make &>> run.log                      | modified files | run.log  |
        | by a diff of patch   | patch -p1 <<E\n--- a/lex.py\n+++ b/lex.py\nE | modified files | lex.py |
        | behind a substitution | V=$(cat <<A\n$(x)\nA\n) sed -i s/a/b/ lex.py | modified files | lex.py |
        | behind a quotation in a substitution | echo $(echo '(' `date`; (x)) && sed -i s/a/b/ lex.py | modified files | lex.py |
        | behind a substitution in quotes | echo "now $(date) \"x\"" && sed -i s/a/b/ lex.py | modified files | lex.py |
        | behind a comment     | # why\nsed -i s/a/b/ lex.py           | modified files | lex.py   |
        | behind arithmetic    | (( 1 < 2 )); sed -i s/a/b/ lex.py     | modified files | lex.py   |
        | with a time limit    | timeout 60 sed -i s/a/b/ lex.py       | modified files | lex.py   |
        | in a folder, where it succeeded | cd src && sed -i s/a/b/ lex.py | modified files | src/lex.py |
        | on a condition that was met | make && sed -i s/a/b/ lex.py   | modified files | lex.py   |
        | behind another way   | false \|\| sed -i s/a/b/ lex.py       | modified files | lex.py   |
        | behind another way that is always taken | make && false \|\| sed -i s/a/b/ lex.py; make | modified files | lex.py |
        | behind what succeeds in any case | make \|\| true && sed -i s/a/b/ lex.py; make | modified files | lex.py |
        | behind the text of a file | echo $(< a.txt); sed -i s/a/b/ lex.py | modified files | lex.py |
        | whatever comes of it | sed -i s/a/b/ lex.py \|\| true        | modified files | lex.py   |
        | where errors end it  | set -e; sed -i s/a/b/ lex.py; make    | modified files | lex.py   |
        | behind the shell's variables | set; sed -i s/a/b/ lex.py; make | modified files | lex.py |
        | where a failure ends it | make \|\| exit 1; sed -i s/a/b/ lex.py | modified files | lex.py |
        | where a failure ends it with its own status | make \|\| exit; sed -i s/a/b/ lex.py | modified files | lex.py |
        | behind a failure that ends it | if make; then ls; else exit 2; fi; sed -i s/a/b/ lex.py | modified files | lex.py |
        | in a shell that a failure ends | (make \|\| exit 1; sed -i s/a/b/ lex.py) | modified files | lex.py |
        | behind a shell that ends | (exit 0); sed -i s/a/b/ lex.py     | modified files | lex.py   |
        | in a loop over words | for n in 1 2; do sed -i s/a/$n/ lex.py; done | modified files | lex.py |
        | behind a loop that is left | for n in 1 2; do break; done; sed -i s/a/b/ lex.py | modified files | lex.py |
        | in a substitution    | echo $(sed -i s/a/b/ lex.py)          | modified files | lex.py   |
        | unless the words are not found | ! grep x lex.py && sed -i s/a/b/ lex.py | modified files | lex.py |
        | behind what is turned around | ! false && sed -i s/a/b/ lex.py; make | modified files | lex.py |
        | behind a loop, where it succeeded | for n in 1 2; do true; done && sed -i s/a/b/ lex.py | modified files | lex.py |
        | in a group, where it succeeded | { make && sed -i s/a/b/ lex.py; } | modified files | lex.py |
        | in a shell of its own, where it succeeded | (make && sed -i s/a/b/ lex.py) | modified files | lex.py |
        | with its errors turned off | sed -i s/a/b/ lex.py 2>&- | modified files | lex.py |
        | behind a function that stays in the folder | f() { make; }; f; sed -i s/a/b/ lex.py | modified files | lex.py |
        | in a substitution before a redirection | echo $(sed -i s/a/b/ lex.py) > /dev/null | modified files | lex.py |
        | in the first of two substitutions | echo $(sed -i s/a/b/ lex.py) $(date) | modified files | lex.py |
        | in the name of a redirection's file | make > $(sed -i s/a/b/ lex.py; pwd) | modified files | lex.py |
        | by a diff for git am | git am <<E\n--- a/src/lex.py\n+++ b/src/lex.py\nE | modified files | src/lex.py |
        | by a diff in another folder | cd src && git apply <<E\n--- a/lex.py\n+++ b/lex.py\nE | modified files | src/lex.py |
        | an escaped space     | sed -i s/a/b/ my\\ lex.py             | modified files | my lex.py |

      Examples: Created
        | description          | command                               | kind           | path     |
        | a here-document      | cat > lex.py <<'E'\nprint(1 > 2)\nE   | created files  | lex.py   |
        | two here-documents   | cat <<A <<-B > lex.py\nx\nA\ny\nB | created files  | lex.py   |
        | a here-document in a pipeline | cat <<E 2>&1 \| tee lex.py\nx\nE | created files | lex.py  |
        | here-documents of one line | cat <<A > lex.py; cat <<'B' > /dev/null\nx\nA\n$y\nB | created files | lex.py |
        | a file behind the mark of its document | tee <<E lex.py\nx\nE | created files | lex.py |
        | a document behind its file | cat > lex.py <<E; make\nx\nE | created files | lex.py |
        | a here-string behind its file | cat > lex.py <<< x && make | created files | lex.py |
        | by a diff before another step | git apply <<E; make\n--- /dev/null\n+++ b/lex.py\nE | created files | lex.py |
        | what a program says  | echo 1 > lex.py                       | created files  | lex.py   |
        | what a build says    | make > lex.log                        | created files  | lex.log  |
        | what nothing says    | > lex.py                              | created files  | lex.py   |
        | what nothing says in a substitution | echo $(> lex.py)       | created files  | lex.py   |
        | what a group says    | { echo 1; echo 2; } > lex.py          | created files  | lex.py   |
        | what a loop says     | for n in 1 2; do echo $n; done > lex.py | created files | lex.py  |
        | its errors, too      | echo 1 >& lex.py                      | created files  | lex.py   |
        | a copy of the output | echo 1 \| tee lex.py                  | created files  | lex.py   |
        | an empty file        | touch lex.py                          | created files  | lex.py   |
        | a copy               | cp token.py lex.py                    | created files  | lex.py   |
        | a folder's copy      | cp -r src/ out/                       | created files  | out/src  |
        | the one of several copies that is named | cp lex.py $X out   | created files  | out/lex.py |
        | installed            | install -m 755 token.py lex.py        | created files  | lex.py   |
        | block by block       | dd if=token.py of=lex.py              | created files  | lex.py   |
        | by a patch           | apply_patch <<E\n*** Begin Patch\n*** Add File: lex.py\nE | created files | lex.py |
        | moved here           | git mv token.py lex.py                | created files  | lex.py   |
        | by a patch in quotes | apply_patch '*** Begin Patch\n*** Add File: lex.py' | created files | lex.py |
        | by a patch of the older name | applypatch <<E\n*** Begin Patch\n*** Add File: lex.py\nE | created files | lex.py |
        | by a patch in another folder | cd src && apply_patch <<E\n*** Add File: lex.py\nE | created files | src/lex.py |

      Examples: Deleted
        | description          | command                               | kind           | path     |
        | removed              | rm -f lex.py                          | deleted files  | lex.py   |
        | in a folder of Windows | cd 'C:\\x' && rm lex.py              | deleted files  | C:\\x\\lex.py |
        | a path of Windows with a step back | rm 'C:\\x\\y\\..\\lex.py' | deleted files  | C:\\x\\lex.py |
        | in one with slashes  | cd c:/x && rm lex.py                  | deleted files  | c:/x/lex.py |
        | in a folder with a backslash | cd 'a\\b' && rm lex.py          | deleted files  | a\\b/lex.py |
        | removed in git       | git rm lex.py                         | deleted files  | lex.py   |
        | removed in git, with an option | git --no-pager rm lex.py    | deleted files  | lex.py   |
        | a part of the name in quotes | rm 'le'x.py                   | deleted files  | lex.py   |
        | with the program in quotes | 'rm' lex.py                     | deleted files  | lex.py   |
        | with an octal escape | rm $'\\154ex.py'                      | deleted files  | lex.py   |
        | with a hexadecimal escape | rm $'\\x6cex.py'                 | deleted files  | lex.py   |
        | with an escape of Unicode | rm $'\\u006Cex.py'               | deleted files  | lex.py   |
        | with a long escape of Unicode | rm $'\\U0000006cex.py'       | deleted files  | lex.py   |
        | with an escaped quotation mark | rm $'le\\'x.py'             | deleted files  | le'x.py  |
        | behind a redirection of all that follows | exec 2> /dev/null; rm lex.py | deleted files | lex.py |
        | a folder, with a slash | rm -r src/ | deleted files | src |
        | moved away           | mv lex.py token.py                    | deleted files  | lex.py   |
        | by a diff | git apply <<E\n--- a/lex.py\n+++ /dev/null\nE | deleted files | lex.py |

      Examples: In another folder
        | description          | command                               | kind           | path     |
        | gone to before       | cd /code && rm lex.py                 | deleted files  | /code/lex.py |
        | named by git         | git -C /code rm lex.py                | deleted files  | /code/lex.py |
        | named by git, ahead of a setting | git -C /code -c a.b=c rm lex.py | deleted files | /code/lex.py |
        | gone to on the stack | pushd /code && rm lex.py              | deleted files  | /code/lex.py |
        | from the home folder | cd src && rm ~/lex.py                 | deleted files  | ~/lex.py |
        | copied here          | cp /code/lex.py .                     | created files  | lex.py   |
        | gone to in a group   | (cd /code; make) && rm lex.py         | deleted files  | lex.py   |
        | of a shell in it     | bash -c 'cd /code; rm lex.py'         | deleted files  | /code/lex.py |
        | of a shell that succeeded | bash -c 'make && rm lex.py' | deleted files | lex.py |
        | of a shell at the end of a pipe | cat a.txt \| bash -c 'make && rm lex.py' | deleted files | lex.py |
        | of a shell that goes on after a failure | bash -c 'make; rm lex.py' \| tail -3 | deleted files | lex.py |
        | of a shell in another folder | cd src && bash -c 'rm lex.py' | deleted files | src/lex.py |
        | of a shell by its path | /bin/bash -lc 'rm lex.py' | deleted files | lex.py |
        | of a shell with arguments | bash -x -c 'rm lex.py' clean | deleted files | lex.py |
        | of the third shell within others | bash -c "sh -c 'zsh -c \"rm lex.py\"'" | deleted files | lex.py |
        | from the root, wherever it is | cd $HOME; rm /code/lex.py | deleted files | /code/lex.py |
        | by a shell from the root, wherever it is | cd $HOME; bash -c 'rm /code/lex.py' | deleted files | /code/lex.py |
        | gone to by its real path | cd -P /code && rm lex.py          | deleted files  | /code/lex.py |
        | gone to by the shell's own | builtin cd /code && rm lex.py   | deleted files  | /code/lex.py |

    Scenario Outline: Other commands change no file
      Given a conversation of the turns
        | asked            | tool | on        |
        | Port the parser. | Bash | <command> |
      When the facts are collected
      Then the facts are
        | kind                | fact             |
        | what the user wrote | Port the parser. |

      Examples:
        | description           | command                            |
        | to a device           | make > /dev/null 2>&1              |
        | to a temporary file   | make > /tmp/make.log               |
        | a temporary file is deleted | rm /tmp/make.log             |
        | to a descriptor       | echo failed >&2                    |
        | to the null device of Windows | make > NUL                     |
        | a variable            | rm $FILE                           |
        | a glob                | rm *.pyc                           |
        | a substitution        | rm $(git ls-files)                 |
        | an unknown folder     | cd $HOME/code && rm lex.py         |
        | within quotes         | grep "a > b" 'c > d'               |
        | a comparison          | [[ a > b ]]                        |
        | only shown            | sed -n 1,5p lex.py                 |
        | perhaps not run       | make \|\| rm lex.py                |
        | on a condition        | if make; then rm lex.py; fi        |
        | on a condition that is passed over | grep -q x lex.py && rm lex.py; echo ok |
        | on two conditions     | make && rm lex.py \|\| true         |
        | never                 | false && rm lex.py                 |
        | never, the other way  | true \|\| rm lex.py                |
        | in another case       | case $X in a) rm lex.py;; esac     |
        | in the other branch   | if make; then ls; else rm lex.py; fi |
        | in a loop             | while read f; do rm lex.py; done   |
        | in a loop over a variable | for f in $X; do rm lex.py; done |
        | in a loop behind a jump | for f in a; do test $f && continue; rm lex.py; done |
        | in a loop behind a condition that may leave it | for f in a; do if test $f; then break; fi; rm lex.py; done |
        | behind a loop that may end it | for f in a; do test $f && exit 0; done; rm lex.py |
        | behind a loop that may end it or is left | for f in a; do test $f && exit 0; break; done; rm lex.py |
        | in a choice of the user | select f in a b; do rm lex.py; done |
        | behind what is turned around | ! true && rm lex.py |
        | in a function         | f() { rm lex.py; }; make           |
        | by a function of the name | rm() { true; }; rm lex.py      |
        | a control character   | rm $'lex\\ca.py'                    |
        | a tabulator           | rm $'lex\\t.py'                     |
        | behind the end        | exit 0; rm lex.py                  |
        | behind the end, with an error | exit 1; rm lex.py |
        | behind the end and a function with it | die() { exit; }; exit 0; rm lex.py |
        | perhaps behind the end | test -f a && exit 0; rm lex.py    |
        | perhaps behind the end, with the status before | test -f a && exit; rm lex.py |
        | perhaps behind the end, in a branch | if make; then exit; fi; rm lex.py |
        | behind a function that may end it | die() { exit; }; make \|\| die; rm lex.py |
        | behind another program | exec make; rm lex.py              |
        | in the background     | rm lex.py &                        |
        | in a folder that is perhaps gone to | cd src \|\| cd lib; rm lex.py |
        | in the folder before  | cd /code; cd -; rm lex.py          |
        | behind a function that changes the folder | f() { cd src; }; f; rm lex.py |
        | behind a function that does more in it | f() { cd src; make; }; f; rm lex.py |
        | in the folder above   | cd ..; rm lex.py                   |
        | not moved where it is there | mv -n lex.py token.py        |
        | another branch        | git checkout main                  |
        | a program's own doing | python - <<E\nopen("lex.py", "w")\nE |
        | an open quotation     | echo 'a > lex.py                   |
        | an open substitution  | echo $(a > lex.py                  |
        | an open quotation in it | echo $(a ' > lex.py)             |
        | broken, with a quotation like a document | if rm lex.py '<<E'    |
        | a copy without a target | cp lex.py                        |
        | to a target's folder  | mv -t src lex.py                   |
        | a copy to a folder    | cp lex.py src                      |
        | into a target's folder | cp -t src lex.py                  |
        | a folder installed    | install -d src                     |
        | a file above the folder | rm ../lex.py                     |
        | of no name            | rm ""                              |
        | of a name with a zero byte | rm $'lex\\0.py'                |
        | a folder's time | touch src/ |
        | staged alone          | git restore --staged lex.py        |
        | no more than looked at | xargs grep lex                    |
        | by a shell that perhaps failed | bash -c 'make && rm lex.py'; echo done |
        | by a shell behind a pipe | timeout 60 bash -c 'make && rm lex.py' \| tail -3 |
        | by a shell, whatever comes of it | bash -c 'make && rm lex.py' \|\| true |
        | by a shell of a condition | if bash -c 'make && rm lex.py'; then ls; fi |
        | by a shell of a substitution | echo $(bash -c 'make && rm lex.py') |
        | by a shell that is to fail | ! bash -c 'make && rm lex.py'  |
        | by a shell that reads it from a file | sh rm.sh > /tmp/rm.log |
        | by a shell with more to it | bash -c 'rm lex.py '$MORE |
        | by the fourth shell within others | bash -c "dash -c 'sh -c \"zsh -c \\\\\"rm lex.py\\\\\"\"'" |
        | by a shell that a failure may end | bash -ec 'make; rm lex.py' \| tail |
        | by a shell with that option apart | bash -e -c 'make; rm lex.py' \| tail |
        | in a group that a failure may end | (set -e; make; rm lex.py); echo done |
        | where it is to fail   | ! rm lex.py                        |
        | a document without its end | cat <<E; rm lex.py\nx             |
        | a document in quotes  | echo 'cat <<E; rm lex.py\nx\nE\n       |
        | a patch that it does not hold | apply_patch |
        | a diff of another file | git apply fix.diff |
        | in a folder that a text goes to | eval "cd $X" && rm lex.py |

    Scenario Outline: A command that prints which file it changed is believed
      Given a conversation of the turns
        | asked            | tool | on        | prints   |
        | Port the parser. | Bash | <command> | <prints> |
      When the facts are collected
      Then the facts about "<kind>" are
        | fact   |
        | <path> |

      Examples: A patch, and SWE-agent's editor
        | description             | command                     | prints                                       | kind           | path         |
        | a patch                 | patch -p1 < fix.diff        | patching file lex.py                         | modified files | lex.py       |
        | a name in quotes        | patch -p1 < fix.diff        | patching file 'my lex.py' (Offset 1 line)    | modified files | my lex.py    |
        | in another folder       | cd src && patch < fix.diff  | patching file lex.py                         | modified files | src/lex.py   |
        | by a shell              | bash -c 'patch < fix.diff'  | patching file lex.py                         | modified files | lex.py       |
        | a file that it makes    | create lex.py               | [File: /code/lex.py (1 lines total)]\n1:     | created files  | /code/lex.py |
        | a file that it edits    | edit 1:1\nx\nend_of_edit    | [File: /code/lex.py (9 lines total)]\n1:x    | modified files | /code/lex.py |
        | in a folder with a space | insert 1 x                 | [File: /my code/lex.py (9 lines total)]      | modified files | /my code/lex.py |

    Scenario Outline: Without such a line, or from another command, it is not known
      Given a conversation of the turns
        | asked            | tool | on        | prints   |
        | Port the parser. | Bash | <command> | <prints> |
      When the facts are collected
      Then the facts are
        | kind                | fact             |
        | what the user wrote | Port the parser. |

      Examples:
        | description              | command                | prints               |
        | a patch that says nothing | patch -p1 < fix.diff  |                      |
        | a diff of git            | git apply fix.diff     | patching file lex.py |
        | another program          | make patch             | patching file lex.py |
        | an editor that says nothing | edit 1:1\nx > lex.py |                     |

    Scenario: Of several files that are moved each goes
      Given a conversation of the turns
        | asked            | tool | on                      |
        | Port the parser. | Bash | mv lex.py token.py lib/ |
      When the facts are collected
      Then the facts about "deleted files" are
        | fact     |
        | lex.py   |
        | token.py |

    Scenario: Commands that are given as a list are one script
      Given an answer that ran with the tool "run_commands" the commands
        | cd src | rm lex.py |
      When the facts are collected
      Then the facts about "deleted files" are
        | fact       |
        | src/lex.py |

    Scenario Outline: Of a command that is given as words, the script of a shell is read
      Given an answer that ran with the tool "shell" the words
        | <first> | <second> | <third> |
      When the facts are collected
      Then the facts about "deleted files" are
        | fact   |
        | <path> |

      Examples:
        | description        | first          | second | third     | path      |
        | a shell            | bash           | -lc    | rm lex.py | lex.py    |
        | with its folder    | /usr/bin/bash  | -lc    | rm lex.py | lex.py    |
        | no shell           | rm             | -f     | my lex.py | my lex.py |

    Scenario: A command that failed gives no file
      Given a conversation of the turns
        | asked            | tool | on            | went  |
        | Port the parser. | Bash | rm lex.py     | badly |
      When the facts are collected
      Then there are no facts about "deleted files"

    Scenario: A file that was known is modified when it is written over, and deleted with its folder
      Given a conversation of the turns
        | asked            | tool  | on                    | prints                                     |
        | Port the parser. | Read  | lex.py                | import re                                  |
        |                  | Write | src/token.py          | File created successfully at: src/token.py |
        |                  | Bash  | cat > lex.py <<E\nx\nE |                                            |
        |                  | Bash  | rm -r src             |                                            |
      When the facts are collected
      Then the facts are
        | kind                | fact             |
        | what the user wrote | Port the parser. |
        | modified files      | lex.py           |
        | deleted files       | src/token.py     |
        | deleted files       | src              |

    Scenario Outline: With a folder that is deleted the files go that were changed in it
      Given a conversation of the turns
        | asked            | tool   | on       |
        | Port the parser. | Edit   | <file>   |
        |                  | <tool> | <delete> |
      When the facts are collected
      Then there are no facts about "modified files"
      And the facts about "deleted files" are
        | fact     |
        | <file>   |
        | <folder> |

      Examples:
        | description                  | file             | tool        | delete           | folder       |
        | with a slash                 | src/lex.py       | Bash        | rm -r src/       | src          |
        | by a tool                    | src/lex.py       | delete_file | src              | src          |
        | by a tool, with a slash      | src/lex.py       | delete_file | src/             | src          |
        | from the command's folder    | /code/src/lex.py | Bash        | rm -r src/       | /code/src    |
        | ... of two names             | /code/a/b/lex.py | Bash        | rm -r a/b/       | /code/a/b    |
        | on Windows                   | C:\\x\\src\\lex.py | Bash      | rm -r 'C:\\x\\src' | C:\\x\\src    |
        | ... with slashes             | C:\\x\\src\\lex.py | Bash      | rm -r C:/x/src/  | C:\\x\\src    |
        | ... as the shell has it      | C:\\x\\src\\lex.py | Bash      | rm -r /c/x/src   | C:\\x\\src    |
        | ... from the command's folder | C:\\x\\src\\lex.py | Bash     | rm -r src/       | C:\\x\\src    |
        | ... by a tool                | C:\\x\\src\\lex.py | delete_file | C:\\x\\src\\  | C:\\x\\src    |
        | ... from the project         | src\\lex.py      | delete_file | src\\            | src          |

    Scenario Outline: A file that may be in another folder stays
      Given a conversation of the turns
        | asked            | tool | on       |
        | Port the parser. | Edit | <first>  |
        |                  | Edit | <second> |
        |                  | Bash | <delete> |
      When the facts are collected
      Then the facts about "modified files" are
        | fact     |
        | <first>  |
        | <second> |

      Examples:
        | description              | first            | second            | delete         |
        | two folders of that name | /code/src/lex.py | /other/src/run.py | rm -r src/     |
        | a file of that name      | /code/src/lex.py | /code/src/run.py  | rm -f src      |
        | one in the other         | /src/x/src/a.py  | /src/b.py         | rm -r src/     |
        | a longer name            | /code/srcs/a.py  | /code/mysrc/b.py  | rm -r src/     |
        | another drive            | C:\\x\\src\\a.py   | D:\\x\\src\\a.py    | rm -r E:/x/src/ |

    Scenario: With a folder that is moved its files go
      Given a conversation of the turns
        | asked            | tool  | on           | prints                                     |
        | Port the parser. | Write | src/lex.py   | File created successfully at: src/lex.py   |
        |                  | Edit  | src/token.py |                                            |
        |                  | Read  | src/run.py   | import re                                  |
        |                  | Edit  | srcs.py      |                                            |
        |                  | Bash  | mv src lib   |                                            |
      When the facts are collected
      Then the facts are
        | kind                | fact             |
        | what the user wrote | Port the parser. |
        | modified files      | srcs.py          |
        | created files       | lib              |
        | deleted files       | src/token.py     |
        | deleted files       | src/lex.py       |
        | deleted files       | src              |
        | read files          | src/run.py       |

  @SUM_13
  Rule: The tools of many agents are known by one table
    Source: brim. Real sessions show the tools of Claude Code, Codex, OpenCode, pi, Gemini CLI, OpenHands and Cline's SDK; the
    other names and fields were written down without a session or a source at hand, and are unproven until one shows them.

    Scenario Outline: A tool's file is of the kind that the tool makes it
      Given a conversation of the turns
        | asked            | tool   | on     |
        | Port the parser. | <tool> | lex.py |
      When the facts are collected
      Then the facts about "<kind>" are
        | fact   |
        | lex.py |

      Examples:
        | description       | tool                      | kind           |
        | Claude Code       | Edit                      | modified files |
        | Gemini CLI        | replace                   | modified files |
        | and its reading   | read_file                 | read files     |
        | Cline             | replace_in_file           | modified files |
        | SWE-agent         | create                    | created files  |
        | Cursor            | search_replace            | modified files |
        | and its deleting  | delete_file               | deleted files  |
        | VS Code           | create_file               | created files  |
        | of an MCP server  | mcp__files__edit_file     | modified files |
        | and its reading   | mcp__files__read_text_file | read files    |

    Scenario Outline: An editor does what its command names
      Given an answer that used the editor "<tool>" with the command "<command>" on "lex.py"
      When the facts are collected
      Then the facts about "<kind>" are
        | fact   |
        | lex.py |

      Examples: Commands of editors
        | tool               | command     | kind           |
        | str_replace_editor | view        | read files     |
        | str_replace_editor | create      | created files  |
        | str_replace_editor | str_replace | modified files |
        | file_editor        | insert      | modified files |
        | file_editor        | undo_edit   | modified files |
        | text_editor        | write       | created files  |

    Scenario: An editor's command that no table names changes no file
      Given an answer that used the editor "file_editor" with the command "jump" on "lex.py"
      When the facts are collected
      Then there are no facts about "modified files"

    Scenario: What a tool with a path calls a command is none of a shell
      Given an answer that used the editor "Forge" with the command "rm token.py" on "lex.py"
      When the facts are collected
      Then there are no facts about "deleted files"

    Scenario: Of an editor that names its file what it prints is another one
      Given a conversation of the turns
        | asked            | tool | on     | prints                                 |
        | Port the parser. | Edit | lex.py | [File: /code/token.py (9 lines total)] |
      When the facts are collected
      Then the facts about "modified files" are
        | fact   |
        | lex.py |

    Scenario Outline: An editor that names no file prints it
      Given a conversation of the turns
        | asked            | tool   | on | prints                               |
        | Port the parser. | <tool> |    | [File: /code/lex.py (9 lines total)] |
      When the facts are collected
      Then the facts about "<kind>" are
        | fact         |
        | /code/lex.py |

      Examples: SWE-agent's tools
        | tool   | kind           |
        | edit   | modified files |
        | create | created files  |

    Scenario: A tool that moves a file deletes it where it was
      Given an answer that moved "lex.py" to "token.py" with the tool "mcp__files__move_file"
      When the facts are collected
      Then the facts are
        | kind          | fact     |
        | created files | token.py |
        | deleted files | lex.py   |

    Scenario: A move from nowhere makes no file
      Given an answer that moved "" to "token.py" with the tool "mcp__files__move_file"
      When the facts are collected
      Then there are no facts about "created files"

    Scenario Outline: A move of what is no path makes no file
      Given an answer that moved a file with the tool "mcp__files__move_file", whose <end> is a number
      When the facts are collected
      Then there are no facts about "created files"
      And there are no facts about "deleted files"

      Examples: The ends of a move
        | end         |
        | source      |
        | destination |

  @SUM_13
  Rule: A command whose last run failed is a fact, with the line of the error
    Source: brim, after the structured prompt's "errors encountered" (S2, section 8) and the error
    states of fspec's compaction (CTX-001). A failure that was cured since is left out.

    Scenario: The last run of a command decides whether it failed
      Given a conversation of the turns
        | asked         | tool | on          | went  | prints                                |
        | Test it.      | Bash | make test   | badly | make: no rule for test                |
        |               | Bash | make lint   | badly | Exit code 2\n\nparse.py: error: E501  |
        |               | Bash | make types  | well  | ok                                    |
        | Look again.   | Bash | make test   | well  | done                                  |
        |               | Bash | make types  | badly |                                       |
        |               | Bash | make docs   | unanswered |                                  |
      When the facts are collected
      Then the facts about "failed commands" are
        | fact       | turn | why                  |
        | make lint  | 1    | parse.py: error: E501 |
        | make types | 2    |                      |

    Scenario Outline: A successful run of the same command in the same folder cures it, with any filter of the output
      Given a conversation of the turns
        | asked    | tool | on      | went  |
        | Test it. | Bash | <first> | badly |
        |          | Bash | <then>  | well  |
      When the facts are collected
      Then there are no facts about "failed commands"

      Examples:
        | description          | first                   | then                                |
        | as it was            | make check              | make check                          |
        | other white space    | make  check             | make check                          |
        | in a folder that may be the same | make check  | cd /code/app && make check          |
        | in the same folder   | cd app && make check    | cd app && make check                |
        | by its whole path    | cd app && make check    | cd /code/app; make check            |
        | in steps to it       | cd code/app && make check | cd code && cd ./app && make check |
        | in quotes            | cd app && make check    | cd "app" && make check              |
        | clipped              | make check              | make check 2>&1 \| tail -20         |
        | clipped before       | make check \| head -5   | make check                          |
        | stored               | make check              | make check > out.txt                |
        | errors stored        | make check 2> err.txt   | make check                          |

    Scenario Outline: The folder that a tool is given counts as that of its command
      Given a conversation of the turns
        | asked    | tool | on         | in      | went  |
        | Test it. | Bash | make check | /code/a | badly |
        |          | Bash | make check | <in>    | well  |
      When the facts are collected
      Then there are <count> facts about "failed commands"

      Examples:
        | description    | in      | count |
        | the same       | /code/a | 0     |
        | the end of it  | a       | 0     |
        | another        | /code/b | 1     |

    Scenario Outline: A run of another command does not cure it
      Given a conversation of the turns
        | asked    | tool | on      | went  |
        | Test it. | Bash | <first> | badly |
        |          | Bash | <then>  | well  |
      When the facts are collected
      Then there are 1 facts about "failed commands"

      Examples:
        | description          | first                | then                     |
        | another target       | make check           | make clean               |
        | in another folder    | cd a && make check   | cd b && make check       |
        | in a folder of the name's end | cd /code/b && make check | cd /code/web && make check |
        | a part of it         | make check           | make                     |
        | counted, not clipped | make check           | make check \| wc -l      |
        | one more step        | make check           | make check && make docs  |
        | only the folder      | cd /code && make     | cd /code                 |
        | in an unknown folder | cd /code && make check | make check             |
        | a script of two lines | make\nls \| tail -5  | make ls                  |
        | another script       | python -c 1 > a.txt\npython -c 2 | python -c 1     |

    Scenario Outline: A passing test run cures failing tests, and nothing else
      Given a conversation of the turns
        | asked    | tool | on                   | went  | prints                              |
        | Test it. | Bash | pytest tests/a.py    | badly | <first>                             |
        |          | Bash | <then>               | <went> | <prints>                           |
      When the facts are collected
      Then there are <left> facts about "failed commands"

      Examples:
        | description           | first                    | then     | went  | prints                | left |
        | all tests pass        | 1 failed, 3 passed       | pytest   | well  | 12 passed in 0.3s     | 0    |
        | it failed before them | usage: no such option    | pytest   | well  | 12 passed in 0.3s     | 1    |
        | no tests are told of  | 1 failed, 3 passed       | make     | well  | done                  | 1    |
        | some still fail       | 1 failed, 3 passed       | pytest   | well  | 1 failed, 11 passed   | 2    |
        | a file that tells so  | 1 failed, 3 passed       | cat log  | well  | 12 passed in 0.3s     | 1    |
        | another run fails     | 1 failed, 3 passed       | make     | badly | 12 passed in 0.3s     | 2    |
        | the same, behind a pipe | 1 failed, 3 passed     | pytest tests/a.py \| tail -3 | well | 1 failed, 3 passed | 1 |
        | another, behind a pipe | 1 failed, 3 passed      | pytest lib \| tail -3 | well | 1 failed, 3 passed | 2 |

    Scenario Outline: A test run behind a pipe fails by what it reports
      Given a conversation of the turns
        | asked    | tool | on        | went | prints   |
        | Test it. | Bash | <command> | well | <prints> |
      When the facts are collected
      Then there are <left> facts about "failed commands"

      Examples:
        | description         | command           | prints             | left |
        | tests fail          | pytest \| tail -3 | 1 failed, 3 passed | 1    |
        | a thousand fail     | pytest \| tail -3 | 1,012 failed, 3 passed | 1 |
        | all pass            | pytest \| tail -3 | 4 passed in 0.3s   | 0    |
        | it ran no tests     | cat lexer.log     | 1 failed, 3 passed | 0    |
        | it edited a file    | sed -i 1d a.log   | 1 failed, 3 passed | 0    |
        | it set a value      | export CI=1       | 1 failed, 3 passed | 0    |
        | a script of perl    | perl t/lexer.t    | 1 failed, 3 passed | 1    |

    Scenario Outline: A passing run cures the failing tests that it ran again
      Given a conversation of the turns
        | asked    | tool | on      | went  | prints             |
        | Test it. | Bash | <first> | badly | 1 failed, 3 passed |
        |          | Bash | <then>  | well  | 12 passed in 0.3s  |
      When the facts are collected
      Then there are <left> facts about "failed commands"

      Examples: They are among them
        | description               | first                        | then                            | left |
        | all                       | pytest tests/a.py            | pytest                          | 0    |
        | by another program        | pytest tests/a.py            | make test                       | 0    |
        | a file, by another program | pytest tests/a.py           | nose2 tests/a.py                | 0    |
        | started otherwise         | uv run pytest tests/a.py     | python -m pytest -q tests/a.py  | 0    |
        | the folder                | pytest tests/a.py            | pytest tests                    | 0    |
        | the file of a test        | pytest tests/a.py::test_x    | pytest tests/a.py -n 4          | 0    |
        | more files                | pytest tests/a.py            | pytest tests/a.py tests/b.py    | 0    |
        | every package             | go test ./lexer              | go test ./...                   | 0    |
        | after another step        | npm test                     | npm run build && npm test       | 0    |
        | without the filter        | pytest -k parse              | pytest                          | 0    |
        | with the same filter      | pytest -k parse tests        | pytest tests -k parse           | 0    |
        | with another option | pytest -x tests/a.py | pytest tests/a.py | 0 |
        | in several processes | pytest -n 4 tests/a.py | pytest tests/a.py | 0 |
        | with a setting | make SEED=1 test | make test | 0 |
        | without the filter, in a folder | pytest -k parse tests | pytest tests | 0 |

      Examples: They are perhaps not
        | description               | first                        | then                            | left |
        | one file of all           | pytest                       | pytest tests/a.py               | 1    |
        | one file of a folder      | pytest tests                 | pytest tests/a.py               | 1    |
        | another file              | pytest tests/a.py            | pytest tests/b.py               | 1    |
        | another file, by another program | pytest tests/a.py     | nose2 tests/b.py                | 1    |
        | a file whose name begins so | pytest tests/a.py2         | pytest tests/a.py               | 1    |
        | one test of a file        | pytest tests/a.py            | pytest tests/a.py::test_x       | 1    |
        | one of two files          | pytest tests/a.py tests/b.py | pytest tests/a.py               | 1    |
        | a filter                  | pytest tests                 | pytest tests -k parse           | 1    |
        | a test by its name        | cargo test                   | cargo test lexer                | 1    |
        | those that failed last    | pytest tests                 | pytest --lf                     | 1    |
        | none, they are listed     | pytest tests                 | pytest tests --collect-only     | 1    |
        | the library's             | cargo test                   | cargo test --lib                | 1    |
        | those of a pattern        | npm test                     | npm test -- --testPathPattern=a | 1    |
        | in an unknown folder      | cd a && pytest               | pytest                          | 1    |
        | a file, by another program | make test                   | pytest tests/a.py               | 1    |
        | in another folder         | cd a && npm test             | cd b && npm test                | 1    |

    Scenario Outline: Failures of other tools are no failed commands
      Given a conversation of the turns
        | asked    | tool   | on       | went  | prints   |
        | Test it. | <tool> | <on>     | badly | <prints> |
      When the facts are collected
      Then there are no facts about "failed commands"

      Examples:
        | description              | tool     | on             | prints                                                    |
        | an edit                  | Edit     | parse.py       | File not found.                                           |
        | a page                   | WebFetch | https://x.test | 404                                                       |
        | declined, so it never ran | Bash    | git push       | The user doesn't want to proceed with this tool use. No.  |
        | not right now            | Bash     | git push       | The user doesn't want to take this action right now.      |
        | interrupted              | Bash     | git push       | [Request interrupted by user for tool use]                |

    Scenario Outline: A command that only looks breaks nothing when it fails
      Given a conversation of the turns
        | asked    | tool | on        | went  | prints            |
        | Test it. | Bash | <command> | badly | No such directory |
      When the facts are collected
      Then there are <failed> facts about "failed commands"

      Examples: It looks
        | description         | command                              | failed |
        | a search            | grep -rn parse src                   | 0      |
        | in another folder   | cd src && rg parse \| head -5        | 0      |
        | several             | ls src; cat lex.py && sed -n 1,5p lex.py | 0  |
        | with its errors     | ls src 2>&1                          | 0      |
        | turned to a device  | grep -q x lex.py > /dev/null         | 0      |
        | a condition         | test -f lex.py                       | 0      |
        | in brackets         | [ -d src ]                           | 0      |
        | a comparison        | diff lex.py token.py                 | 0      |
        | a program's place   | command -v ruff                      | 0      |
        | and what it is      | command -V ruff                      | 0      |
        | a search in files   | find . -exec grep x {} ;             | 0      |
        | names handed to a search | ls \| xargs grep x              | 0      |
        | a value looked up   | head=$(git rev-parse HEAD)           | 0      |
        | a loop that looks   | for f in *; do grep x $f; done       | 0      |
        | the branches        | git branch --contains HEAD           | 0      |
        | two texts           | cat <<A <<-B\nx\nA\ny\nB              | 0      |
        | a version           | git --version                        | 0      |
        | the help of a program | pytest --help                      | 0      |
        | columns             | awk '$1 > 5' lex.log                 | 0      |
        | the history         | git -C src show HEAD:lex.py          | 0      |
        | only a folder       | cd src                               | 0      |
        | the work handed in  | echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A | 0 |

      Examples: It does more
        | description         | command                              | failed |
        | it changes a file   | sed -i 's/a/b/' lex.py               | 1      |
        | it stores           | cat token.py > lex.py                | 1      |
        | it stores, a number for a name | cat token.py > 1          | 1      |
        | it stores errors, too | cat token.py >& lex.py             | 1      |
        | sed stores          | sed -n 'w lex.py' token.py           | 1      |
        | it finds and deletes | find . -name lex.py -delete         | 1      |
        | it runs a program   | ls && make                           | 1      |
        | hidden in a value   | version=$(make version)              | 1      |
        | hidden in a word    | echo $(make version)                 | 1      |
        | hidden in a text    | cat <<E\n$(make version)\nE          | 1      |
        | it sends            | git push                             | 1      |
        | awk runs a program  | awk '{system("make")}' lex.py        | 1      |
        | awk stores          | awk '{print > "lex.py"}' token.py    | 1      |
        | it sorts a file     | sort -o lex.py lex.py                | 1      |
        | it edits YAML       | yq -i .a=1 a.yml                     | 1      |
        | it deletes a branch | git branch -D old                    | 1      |
        | it makes a branch   | git branch new                       | 1      |
        | it finds and removes | find . -name lex.py -exec rm {} ;   | 1      |
        | it copies its output | ls \| tee files.txt                 | 1      |
        | it hands names to a program | ls \| xargs make             | 1      |
        | it hands them on twice | ls \| xargs xargs grep x         | 1      |
        | it hands them to nothing | ls \| xargs                    | 1      |

    Scenario Outline: Of a command that is given as words, a shell's script says whether it only looks
      Given an answer that ran in vain with the tool "shell" the words
        | <shell> | -lc | <script> |
      When the facts are collected
      Then there are <number> facts about "failed commands"

      Examples:
        | description           | shell         | script      | number |
        | it looks              | bash          | grep x a.py | 0      |
        | by the shell's path   | /usr/bin/bash | grep x a.py | 0      |
        | it acts               | bash          | make        | 1      |
        | another program       | run           | grep x a.py | 1      |

    Scenario: What an editor calls a command is none, also where it forgot the path
      Given an answer that ran in vain with the tool "file_editor" the words
        | create |
      When the facts are collected
      Then there are no facts about "failed commands"

    Scenario Outline: A failed run of a script that is deleted is no unresolved error
      Given a conversation of the turns
        | asked    | tool | on                | went  |
        | Test it. | Bash | <run>             | badly |
        |          | Bash | <then>            | well  |
      When the facts are collected
      Then there are <failed> facts about "failed commands"

      Examples:
        | description     | run              | then             | failed |
        | deleted         | python probe.py  | rm probe.py      | 0      |
        | run by itself   | cd src && ./probe.py | rm src/probe.py | 0   |
        | with an argument | python probe.py --fast | rm probe.py | 0     |
        | by its whole path | python /code/probe.py | rm probe.py | 0     |
        | deleted by its whole path | python probe.py | rm /code/probe.py | 0 |
        | on Windows      | python C:/x/probe.py | rm 'C:\\x\\probe.py' | 0 |
        | another file is | python probe.py  | rm other.py      | 1      |
        | of another folder | python src/probe.py | rm lib/probe.py | 1   |
        | a longer name   | python probe.py  | rm old_probe.py  | 1      |
        | changed alone   | python probe.py  | sed -i s/a/b/ probe.py | 1 |
        | only named      | git add probe.py | rm probe.py      | 1      |
        | what it makes   | cargo build      | rm -r build      | 1      |

    Scenario Outline: The fact holds the first line that names an error, else one that reports a failure, else the first
      Given a conversation of the turns
        | asked    | tool | on   | went  | prints  |
        | Test it. | Bash | make | badly | <prints> |
      When the facts are collected
      Then the facts about "failed commands" are
        | fact | why    |
        | make | <line> |

      Examples: It names an error
        | description             | prints                                                     | line                          |
        | an error and a colon    | Compiling\nnote: see below\nerror: no field x\n1 failed     | error: no field x             |
        | with its number         | warn\nerror[E0308]: mismatched types                        | error[E0308]: mismatched types |
        | an exception's name     | Traceback:\nKeyError: 'total'                               | KeyError: 'total'             |
        | fatal                   | boot\nfatal: not a repository                               | fatal: not a repository       |

      Examples: It reports a failure
        | description             | prints                                                     | line                          |
        | error in passing        | boot\none error met                                         | one error met                 |
        | failed                  | boot\nTests failed                                          | Tests failed                  |
        | cannot                  | boot\ncannot open it                                        | cannot open it                |
        | not found               | boot\nmake not found                                        | make not found                |
        | refused                 | boot\nconnection refused                                    | connection refused            |
        | in capital letters      | boot\nFAILED again                                          | FAILED again                  |

      Examples: Neither
        | description             | prints                                                     | line                          |
        | the first line          | boot\nstop                                                  | boot                          |
        | after the exit code     | Exit code 1\nboot                                           | boot                          |
        | after the harness's     | Command failed\nboot                                        | boot                          |
        | within an agent's tags  | <returncode>1</returncode>\n<output>\nboot\n</output>       | boot                          |
        | after an agent's notes  | Chunk ID: 7020a4\nWall time: 0.2 s\nProcess exited with code 1\nOutput:\nboot | boot |
        | after rules and blanks  | =====\n  \n--- ***\n  boot                                  | boot                          |
        | within a frame          | ╭─────╮\n│ boot │                                           | boot                          |
        | its harness's tags      | <tool_use_error>boot</tool_use_error>                       | boot                          |
        | nothing at all          |                                                            |                               |

    Scenario Outline: Of a long output brim reads the first and the last 4,000 characters
      Given a command that printed <before> characters, an error, and <after> characters more
      When the facts are collected
      Then the error is <verdict>

      Examples:
        | description         | before | after | verdict  |
        | near its beginning  | 3,900  | 9,000 | told     |
        | in its middle       | 4,100  | 9,000 | not told |
        | not yet near its end | 9,000 | 4,100 | not told |
        | near its end        | 9,000  | 3,900 | told     |
        | not yet near either | 4,100  | 4,300 | not told |
        | in a shorter one    | 4,100  | 3,800 | told     |

  @SUM_13
  Rule: To-do items that are still open are facts
    Source: brim, after the structured prompt's "next steps" (S2, section 8). The lists are those
    of Claude Code, OpenCode and Codex, and the single tasks of Claude Code's later versions.

    Scenario Outline: Items are open until they are completed or cancelled
      Given a to-do list with the item "Write the tests", which is <status>
      When the facts are collected
      Then there are <open> facts about "to-dos"

      Examples:
        | description | status      | open |
        | waiting     | waiting     | 1    |
        | begun       | under way   | 1    |
        | done        | done        | 0    |
        | given up    | given up    | 0    |

    Scenario: An item without words is no fact
      Given a to-do list with the item "", which is waiting
      When the facts are collected
      Then there are 0 facts about "to-dos"

    Scenario Outline: An item whose status is not a text is open
      Given a to-do list with the item "Write the tests" whose status is <status> and no text
      When a conversation that begins with it is compacted
      Then there are 1 facts about "to-dos"

      Examples:
        | description | status    |
        | a list      | a list    |
        | an object   | an object |
        | a number    | a number  |
        | nothing     | nothing   |

    Scenario Outline: A task whose new status is not a text stays open
      Given a task "Write the tests" whose status becomes <status> and no text
      When a conversation that begins with it is compacted
      Then there are 1 facts about "to-dos"

      Examples:
        | description | status    |
        | a list      | a list    |
        | an object   | an object |

    Scenario: The last list replaces the ones before
      Given the to-do tools were used in turn
        | tool       | item                              | status    |
        | TodoWrite  | Port the parser, Write the tests  | waiting   |
        | TodoWrite  | Write the tests, Update the notes | waiting   |
      When the facts are collected
      Then the facts about "to-dos" are
        | fact             | turn |
        | Write the tests  | 2    |
        | Update the notes | 2    |

    Scenario Outline: brim reads the lists of several agents
      Given the to-do tools were used in turn
        | tool   | item            | status  |
        | <tool> | Write the tests | waiting |
      When the facts are collected
      Then there are <open> facts about "to-dos"

      Examples:
        | description  | tool        | open |
        | Claude Code  | TodoWrite   | 1    |
        | OpenCode     | todowrite   | 1    |
        | Codex        | update_plan | 1    |
        | no such tool | Bookmark    | 0    |

    Scenario: Single tasks are made and closed by their number
      Given the to-do tools were used in turn
        | tool       | item             | number | status      |
        | TaskCreate | Port the parser  | 1      |             |
        | TaskCreate | Write the tests  | 2      |             |
        | TaskCreate | Update the notes | 3      |             |
        | TaskCreate | Tell the team    |        |             |
        | TaskUpdate |                  | 1      | done        |
        | TaskUpdate | Write more tests | 2      | under way   |
        | TaskUpdate |                  | 3      | deleted     |
        | TaskUpdate |                  | 2      | under way   |
        | TaskUpdate |                  | 9      | done        |
      When the facts are collected
      Then the facts about "to-dos" are
        | fact             | turn |
        | Write more tests | 6    |
        | Tell the team    | 4    |

    Scenario: A failed write of the list changes nothing
      Given the to-do tools were used in turn
        | tool       | item            | status  | went       |
        | TodoWrite  | Port the parser | waiting | well       |
        | TodoWrite  | Write the tests | waiting | badly      |
        | TaskCreate | Tell the team   |         | unanswered |
      When the facts are collected
      Then the facts about "to-dos" are
        | fact            | turn |
        | Port the parser | 1    |

  @SUM_13
  Rule: The facts are the same whether brim collects them turn by turn or at the end
    Source: brim; a running account is what makes a compaction cheap, and it is worth nothing where
    it tells another story than the whole.

    Scenario: The weightiest kind comes first
      Given a conversation of the turns
        | asked                                | says  | tool  | on       | went  | prints                                 |
        | Decided: two passes. Never push it.  |       | Read  | lex.py   | well  | import re                              |
        |                                      |       | Write | token.py | well  | File created successfully at: token.py |
        |                                      |       | Edit  | parse.py | well  |                                        |
        |                                      |       | Bash  | make     | badly | error: no field x                      |
        |                                      |       | TodoWrite | Test it | well |                                       |
      When the facts are collected
      Then the facts are
        | kind                | fact                                |
        | constraints         | Never push it.                      |
        | decisions           | Decided: two passes.                |
        | what the user wrote | Decided: two passes. Never push it. |
        | failed commands     | make                                |
        | to-dos              | Test it                             |
        | modified files      | parse.py                            |
        | created files       | token.py                            |
        | read files          | lex.py                              |

    Scenario: An unfinished turn counts, and again when it is longer
      Given a conversation of the turns
        | asked            | tool       | on       | went  | prints                          |
        | Port the parser. | Bash       | make     | badly |                                 |
        |                  | TodoWrite  | Test it  | well  |                                 |
        |                  | TaskCreate | Tell it  | well  | Task #1 created successfully    |
        | Go on.           | Bash       | make     | well  |                                 |
        |                  | Edit       | parse.py | well  |                                 |
      When the facts are looked at while the last turn is going on
      Then they are those of the whole, and without that turn those of the turns before

  @SUM_13
  Rule: A result counts wherever the user's next words are
    Source: the Messages API, which takes a text behind the results of a message. A failed test run and a new file were lost,
    where the user wrote in the message of their results.

    Scenario Outline: The user writes after a failed test run, and after a new file
      Given a failed run of "pytest" and the new file "lexer.py", with words of the user <where>
      When the conversation is compacted without a model
      Then the fact "pytest" is the first about "failed commands"
      And the fact "lexer.py" is the first about "created files"
      And the facts about "what the user wrote" begin with "Mend it.", "Now the lexer." and "And hurry."

      Examples:
        | description           | where                 |
        | messages of their own | in their own messages |
        | beside the results    | beside the results    |

  @SUM_13
  Rule: Fidelity counts the facts that are present in the new context
    Source: the success metric "compaction quality: summaries preserve critical information" (S2),
    which names no measure; this one is brim's. A text is present if it occurs in the context
    letter by letter, however its white space is set, so that a fidelity can be checked by eye.

    Scenario Outline: The share is exact
      Given the facts "parse.py; lex.py; token.py"
      And a context that reads "<context>"
      When the fidelity is worked out
      Then <present> of 3 facts are present, a share of <share>

      Examples:
        | description | context                    | present | share |
        | all         | parse.py, lex.py, token.py | 3       | 1     |
        | two         | parse.py and token.py      | 2       | 2/3   |
        | one         | token.py                   | 1       | 1/3   |
        | none        | The parser is ported.      | 0       | 0     |

    Scenario: Without facts and words both shares are 1
      Given the facts ""
      And a context that reads "Hello"
      When the fidelity is worked out
      Then 0 of 0 facts are present, a share of 1
      And 0 of 0 characters of the user's words are present, a share of 1

    Scenario: The result names the missing facts
      Given the facts "parse.py; lex.py; token.py"
      And a context that reads "See lex.py"
      When the fidelity is worked out
      Then the missing facts are "parse.py; token.py"

    Scenario Outline: A constraint is a fact, the message that states it is not
      Given the user wrote "Mend the door. Never paint it."
      And a context that reads "<context>"
      When the fidelity is worked out
      Then <present> of 1 facts are present, a share of <present>
      And <characters> of 25 characters of the user's words are present, a share of <share>

      Examples:
        | description        | context                              | present | characters | share |
        | the constraint     | The user said: Never paint it.       | 1       | 0          | 0     |
        | the whole message  | He said: Mend the door. Never paint it. | 1       | 25         | 1     |
        | neither            | The door is mended.                  | 0       | 0          | 0     |

    Scenario Outline: A path is held as a whole; its base name is not enough
      Given the facts "src/parse.py"
      And a context that reads "<context>"
      When the fidelity is worked out
      Then <present> of 1 facts are present, a share of <present>

      Examples: Held
        | description                | context                          | present |
        | alone                      | src/parse.py                     | 1    |
        | in a sentence              | Changed src/parse.py.            | 1    |
        | quoted                     | see 'src/parse.py', line 3       | 1    |
        | with a line                | src/parse.py:12                  | 1    |
        | a second mention is whole  | old/src/parse.py, src/parse.py   | 1    |

      Examples: Not held
        | description                | context                          | present |
        | the base name alone        | parse.py                         | 0    |
        | the end of a longer path   | old/src/parse.py                 | 0    |
        | the end of a longer name   | xsrc/parse.py                    | 0    |
        | the beginning of a name    | src/parse.pyc                    | 0    |
        | the beginning of another   | src/parse.py.bak                 | 0    |
        | a folder of that name      | src/parse.py/init                | 0    |
        | a hyphen goes on           | src/parse.py-old                 | 0    |

    Scenario Outline: A path is held where its folder is named once for several
      Given the facts "/home/me/app/src/parse.py"
      And a context that reads "<context>"
      When the fidelity is worked out
      Then <present> of 1 facts are present, a share of <present>

      Examples:
        | description              | context                                         | present |
        | folder and the rest      | Files (paths below /home/me/app): src/parse.py  | 1    |
        | in full all the same     | Files (paths below /srv): /home/me/app/src/parse.py | 1 |
        | another folder           | Files (paths below /srv): src/parse.py          | 0    |
        | half a folder's name     | Files (paths below /home/me/ap): p/src/parse.py | 0    |
        | the folder in other words | Files in /home/me/app: src/parse.py            | 0    |
        | another file of the name | Files (paths below /home/me/app): lib/src/parse.py | 0 |

    Scenario Outline: A folder of one letter is a folder
      Given the facts "a/parse.py"
      And a context that reads "<context>"
      When the fidelity is worked out
      Then <present> of 1 facts are present, a share of <present>

      Examples:
        | description        | context                       | present |
        | folder and rest    | Files (paths below a): parse.py | 1     |
        | another folder     | Files (paths below b): parse.py | 0     |

    Scenario Outline: A sentence is held also where it begins or ends within a word
      Given the user wrote "<sentence>"
      And a context that reads "<context>"
      When the fidelity is worked out
      Then <present> of 1 facts are present, a share of <present>

      Examples:
        | description          | sentence              | context                  | present |
        | by itself            | Never push it to main | never: Never push it to main | 1   |
        | it begins in a word  | Never push it to main | xNever push it to main   | 1       |
        | it ends in a word    | Never push it to main | Never push it to mainland | 1      |
        | two words            | Never push            | xNever pushed            | 1       |
        | another second word  | Never push            | Never pull               | 0       |
        | one word differs     | Never push it to main | Never push that to main  | 0       |
        | one word goes on     | Never push it to main | Never pushed it to main  | 0       |

    Scenario: A failed command is held without the line of its error
      Given a conversation of the turns
        | asked | tool | on        | went  | prints          |
        |       | Bash | make test | badly | error: no field |
      And a context that reads "Still failing: make test"
      When the fidelity is worked out
      Then 1 of 1 facts are present, a share of 1

    Scenario: The order of the facts does not matter
      Given the facts "parse.py; lex.py; token.py"
      And a context that reads "token.py, lex.py, xparse.py, parse.py"
      When the fidelity is worked out
      Then 3 of 3 facts are present, a share of 1

  @SUM_13
  Rule: Fidelity counts each character of the user's messages, white space aside
    Source: real transcripts, where all facts were reported as present of messages that were cut after 200 characters. A
    message is looked for in pieces: its lines, and of long lines parts of about 200 characters that end with a word. A
    piece is present if it occurs in the context by itself, however its white space is set. A message that is sent
    twice counts once. The measure is brim's.

    Scenario Outline: A message is present where all its characters are, white space aside
      Given the user's message "Never push to main today"
      And a context that reads "<context>"
      When the fidelity is worked out
      Then <characters> of 20 characters of the user's words are present, a share of <share>

      Examples: Present
        | description    | context                              | characters | share |
        | quoted         | He said: 'Never push to main today'. | 20         | 1     |
        | over two lines | Never push\n  to main today          | 20         | 1     |

      Examples: Missing
        | description         | context                             | characters | share |
        | within longer words | (Never push to main todays)         | 0          | 0     |
        | behind a letter     | xNever push to main today           | 0          | 0     |
        | other letters       | never push to main today            | 0          | 0     |
        | a word is missing   | Never push to main                  | 0          | 0     |
        | another word        | Never force to main today           | 0          | 0     |
        | another order       | today push to main Never            | 0          | 0     |
        | all words, apart    | Never push it to main today         | 0          | 0     |

    Scenario Outline: A message is looked for line by line
      Given the user's message "<message>"
      And a context that reads "<context>"
      When the fidelity is worked out
      Then <characters> of <total> characters of the user's words are present, a share of <share>
      And the first missing piece is "<piece>"

      Examples:
        | description             | message                  | context                    | characters | total | share | piece     |
        | a line is missing       | Mend it\nPaint it\nGo on | Mend it … Go on            | 10         | 17    | 10/17 | Paint it  |
        | the end of a line in a word | Mend it              | Mend items, leave it       | 0          | 6     | 0     | Mend it   |
        | the start of a line in a word | it is red          | lit is red, but it is      | 0          | 7     | 0     | it is red |
        | each line is marked     | Mend it\nPaint it        | > Mend it\n> Paint it      | 13         | 13    | 1     |           |
        | the lines are set in    | Mend it\n  Paint it      | - Mend it\n    Paint it    | 13         | 13    | 1     |           |
        | a short line in a word  | ok\nMend it              | Look, a token. Mend it     | 6          | 8     | 3/4   | ok        |
        | a line without a word   | Mend it\n}               | Mend it {                  | 6          | 7     | 6/7   | }         |
        | equal lines, one of them there | ok\nMend it\nok   | ok … Mend it               | 8          | 10    | 4/5   | ok        |
        | equal lines, all there  | ok\nMend it\nok          | ok … Mend it … ok          | 10         | 10    | 1     |           |
        | another script          | 推送之前先测试。\n好的       | 用户说：「推送之前先测试。」       | 8          | 10    | 4/5   | 好的        |

    Scenario Outline: A long line is looked for in parts of about 200 characters
      Given a message of <count> words of 9 characters on one line
      And a context of its first <first> and its last <last> words
      When the fidelity is worked out
      Then <characters> of <total> characters of the user's words are present, a share of <share>

      Examples:
        | description                    | count | first | last | characters | total | share |
        | all                            | 1,000 | 1,000 | 0    | 9,000      | 9,000 | 1     |
        | the first 200 characters       | 100   | 20    | 0    | 180        | 900   | 1/5   |
        | a part of a piece              | 100   | 39    | 0    | 180        | 900   | 1/5   |
        | both ends                      | 1,000 | 400   | 300  | 6,300      | 9,000 | 7/10  |
        | all but one word               | 1,000 | 999   | 0    | 8,820      | 9,000 | 49/50 |

    Scenario Outline: A word of more than 200 characters is looked for in parts
      Given a message of one word of <count> characters
      And a context of its first <first> and its last <last> characters
      When the fidelity is worked out
      Then <present> of <count> characters of the user's words are present, a share of <share>

      Examples:
        | description | count | first | last | present | share |
        | all         | 1,000 | 1,000 | 0    | 1,000   | 1     |
        | both ends   | 1,000 | 400   | 200  | 600     | 3/5   |
        | a short end | 1,050 | 400   | 50   | 400     | 8/21  |

    Scenario Outline: What is handed on shortened from compaction to compaction counts whole
      Given messages of <first> and <second> characters that <count> compactions handed on
      And a context that reads "Nothing of it."
      When the fidelity is worked out
      Then 0 of <total> characters of the user's words are present, a share of 0

      Examples:
        | description             | first   | second  | count | total   |
        | all is handed on        | 150,000 | 50,000  | 1     | 200,000 |
        | one is shortened        | 300,000 | 10      | 1     | 300,010 |
        | both are, and again     | 150,000 | 150,000 | 2     | 300,000 |

    Scenario: What is forgotten stays counted when the user repeats the first message
      Given messages of 100 and 300,000 characters that 1 compactions handed on
      And the user repeats the first message
      And a context that reads "Nothing of it."
      When the fidelity is worked out
      Then 0 of 300,100 characters of the user's words are present, a share of 0

    Scenario Outline: Every message counts once
      Given the user wrote the messages "<messages>"
      And a context that reads "<context>"
      When the fidelity is worked out
      Then <characters> of <total> characters of the user's words are present, a share of <share>

      Examples:
        | description        | messages                  | context          | characters | total | share |
        | one of two         | Mend it; Paint the door   | Mend it          | 6          | 18    | 1/3   |
        | the same one twice | Mend it; Mend it          | Mend it          | 6          | 6     | 1     |
