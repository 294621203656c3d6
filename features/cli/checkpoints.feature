Feature: Checkpoints on the command line
  The commands of brim checkpoints make ways back, show them and go back. The rules of going back are those of the package
  checkpoints; here stands what the command adds to them.

  @CMD_14
  Rule: The command makes, lists, shows and compares checkpoints of the project in this folder
    Source: the sketch of checkpoints in the comparison of OpenCode and Claude Code (S2, section 10.4); decision 0230.

    Scenario: The first checkpoint of a project makes a session
      Given a folder with the file "notes"
      When brim checkpoints runs "create first --tag green"
      Then it ends with 0, and prints "first [green]"
      And brim checkpoints "list" prints "1 checkpoint of session"

    Scenario Outline: What the pages say
      Given a folder with the file "notes"
      And brim checkpoints ran "create start"
      And the file "notes" is changed in the folder
      When brim checkpoints runs "<command>"
      Then it ends with 0, and prints "<line>"

      Examples:
        | description             | command                | line                                    |
        | what changed since      | show start             | changed  notes  +1 -1                   |
        | how many files          | show start             | 1 file changed since                    |
        | the difference          | diff start             | +later                                  |
        | of one file             | diff start --path notes | -at first                              |
        | a restore               | restore start          | Back at start  1 file changed and the conversation rewound |
        | of files alone          | restore start --what files | Back at start  1 file changed       |
        | of one file             | restore start notes    | Back at start  1 file changed           |
        | the way forward again   | restore start          | brim checkpoints undo goes there        |
        | nothing to remove       | gc                     | 0 checkpoints removed                   |

    Scenario Outline: A restore names what it does not touch
      Given a folder with the file "notes"
      And brim checkpoints ran "create start"
      And <there>
      When brim checkpoints runs "restore start --what <what>"
      Then it ends with 0, and prints "<line>"

      Examples:
        | description       | there                             | what  | line                                           |
        | nothing else      | the file "notes" is changed in the folder | files | Not touched: ignored files            |
        | a large file      | a file "video" of 3,000,000 bytes | files | Not touched: ignored files, video              |
        | a repository      | a repository "inner"              | both  | Not touched: ignored files, inner/             |
        | one more than six | 7 files named "new"               | files | ignored files, new1, new2, new3, new4, new5, new6 and 1 more |

    Scenario: A restore of the conversation says nothing of files
      Given a folder with the file "notes"
      And brim checkpoints ran "create start"
      And a file "video" of 3,000,000 bytes
      When brim checkpoints runs "restore start --what conversation"
      Then it does not print "Not touched"

    Scenario: A restore is undone
      Given a folder with the file "notes"
      And brim checkpoints ran "create start"
      And the file "notes" is changed in the folder
      And brim checkpoints ran "restore start"
      When brim checkpoints runs "undo"
      Then it ends with 0, and prints "Undone  1 file changed and the conversation brought back"
      And the file "notes" in the folder has "later"

    Scenario Outline: A file that is left out is named
      Given a folder with the file "notes"
      And <left out>
      When brim checkpoints runs "create"
      Then it ends with 0, and prints "<line>"

      Examples:
        | description    | left out                          | line                                         |
        | a large file   | a file "video" of 3,000,000 bytes | left out, as a new file over 2 MiB: video |
        | a repository   | a repository "inner"              | left out, as a repository: inner/             |

    Scenario Outline: What cannot be done is refused in one line
      Given a folder with the file "notes"
      And brim checkpoints ran "create start"
      When brim checkpoints runs "<command>"
      Then it ends with <code>, and stderr says "<error>"

      Examples:
        | description            | command                         | code | error                                       |
        | no such checkpoint     | restore never                   | 1    | has no checkpoint 'never'                   |
        | nothing to undo        | undo                            | 1    | has no restore to take back                 |
        | nothing to continue    | restore --continue              | 1    | there is nothing to continue                |
        | no checkpoint named    | restore                         | 2    | name a checkpoint, or --continue without one |
        | both of them           | restore start --continue        | 2    | name a checkpoint, or --continue without one |
        | an unknown way back    | restore start --what code       | 2    | --what is 'code'; it is files, conversation or both |
        | a file outside         | restore start ../other          | 1    | ../other is not in the project              |
        | where paths begin      | restore start ../other          | 1    | paths begin in the current folder           |
        | files and conversation | restore start notes --what both | 1    | single files come back without the conversation |
        | a browser, no terminal | browse                          | 1    | the browser needs a terminal                |
        | no such folder         | create --project gone           | 1    | there is no folder                          |
        | no session there       | list --project ..               | 1    | no session is of the project                |

    Scenario Outline: The settings of the user's file decide
      Given a folder with the file "notes"
      And the user's file holds "[checkpoints]\n<line>"
      And brim checkpoints ran "create start"
      When brim checkpoints runs "<command>"
      Then it ends with 0, and prints "<printed>"

      Examples:
        | description      | line                 | command     | printed                          |
        | nothing set      |                      | show start  | 0 files changed since            |
        | no snapshots     | snapshots = false    | show start  | snapshots are turned off         |
        | only the newest  | keep_checkpoints = 1 | create next | next                             |

    Scenario: A project's file does not set them
      Given a folder with the file "notes"
      And the file "brim.toml" in the folder holds "[checkpoints]\nsnapshots = false"
      When brim checkpoints runs "create start"
      Then stderr says that "checkpoints.snapshots" is ignored
      And brim checkpoints "show start" prints "0 files changed since"

  @CMD_15
  Rule: A restore that was interrupted is finished by its option to continue, and nothing else is done before
    Source: brim; decision 0230.

    Scenario: It is finished
      Given a folder with the file "notes"
      And a restore of the checkpoint "start" that was killed while it changed files
      When brim checkpoints runs "restore --continue"
      Then it ends with 0, and prints "Back at start  1 file changed"
      And the file "notes" in the folder has "at first"

    Scenario Outline: Nothing else is done before
      Given a folder with the file "notes"
      And a restore of the checkpoint "start" that was killed while it changed files
      When brim checkpoints runs "<command>"
      Then it ends with 1, and stderr says "brim checkpoints restore --continue finishes it first"

      Examples:
        | description       | command       |
        | a checkpoint      | create        |
        | another restore   | restore start |
        | an undo           | undo          |
        | removing old ones | gc            |
