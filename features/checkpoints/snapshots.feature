Feature: Snapshots of files
  A checkpoint holds the files of a project as a git tree in a store of brim's own. The user's repository is only read,
  and there need not be one.

  @CHK_02
  Rule: A snapshot holds every file byte for byte, with its permissions, and links as links
    Source: the sketch of checkpoints in the comparison of OpenCode and Claude Code (S2, section 4), whose snapshots are
    made with the attributes of the project. Decision 0230.

    Scenario Outline: Every kind of file comes back as it was
      Given the history of a project
        | <name> | checkpoint |
        | <file> | start      |
        | gone   |            |
      When brim restores files of "start"
      Then the project is as at "start"

      Examples:
        | description                      | name               | file                    |
        | an empty file                    | notes              |                         |
        | a program                        | notes              | at first (0755)         |
        | a file for its owner alone       | notes              | at first (0600)         |
        | a file that nobody may write     | notes              | at first (0444)         |
        | a link to a folder               | notes              | a link to .             |
        | a link that leads outside        | notes              | a link to ..            |
        | a link that leads nowhere        | notes              | a link to nowhere       |
        | a name that is not UTF-8         | caf\xe9            | at first                |
        | a name with a line break         | two\nlines         | at first                |
        | a name that looks like a pattern | :(top)*            | at first                |
        | zeros                            | notes              | 1,048,576 bytes         |
        | a file in folders                | a/b/c/d/e/f        | at first                |

    Scenario Outline: No attribute of the project converts a file
      Given the history of a project
        | .            | .git/config                                                       | .gitattributes | notes  | checkpoint |
        | a repository | [core]\n\tautocrlf = true\n[filter "loud"]\n\tclean = tr a-z A-Z\n | * <attribute> | <text> | start      |
        |              |                                                                   |                | gone   |            |
      When brim restores files of "start"
      Then the project is as at "start"

      Examples:
        | description               | attribute                         | text                                   |
        | line ends of Windows      | text eol=lf                       | a\r\nb\r\n                             |
        | line ends of both kinds   | text=auto                         | a\r\nb\nc\r                            |
        | a filter of the user's    | filter=loud                       | quiet\n                                |
        | a keyword that git expands | ident                            | $Id: mine $\n                          |
        | another encoding          | text working-tree-encoding=UTF-16 | \xff\xfep\x00l\x00a\x00i\x00n\x00      |

    Scenario Outline: What is excluded is neither held nor changed
      Given the history of a project
        | <top> | <list>  | <config>                           | secrets  | checkpoint |
        | <git> | <lines> | [core]\n\texcludesFile = ~/list\n | at first | start      |
        |       |         |                                    | later    |            |
      When brim restores files of "start"
      Then the project holds
        | secrets |
        | <held>  |

      Examples:
        | description                          | top          | git          | list                       | lines               | config              | held     |
        | nothing excludes it                  | notes        | mine         | other                      | secrets             | other               | at first |
        | an ignore file                       | notes        | mine         | .gitignore                 | secret*             | other               | later    |
        | excluded, and included again         | notes        | mine         | .gitignore                 | secret*\n!secrets   | other               | at first |
        | the repository's own list            | .            | a repository | .git/info/exclude          | secrets             | other               | later    |
        | the user's list for all repositories | notes        | mine         | ../user/.config/git/ignore | secrets             | other               | later    |
        | a list that the user configured      | notes        | mine         | ../user/list               | secrets             | ../user/.gitconfig  | later    |
        | a repository above the project       | ..           | a repository | ../.gitignore              | /project/secrets    | other               | later    |
        | another folder's line                | ..           | a repository | ../.gitignore              | /other/*/secrets    | other               | at first |
        | a repository of the home folder      | ..           | a repository | ../.gitignore              | *                   | other               | at first |

    Scenario Outline: An unchanged project is the same snapshot
      Given the history of a project
        | notes    | checkpoint |
        | at first | start      |
        | <change> |            |
      When brim makes a checkpoint
      Then the project holds
        | snapshots |
        | <count>   |

      Examples:
        | description               | change          | count |
        | nothing happened          |                 | 1     |
        | written again, as it was  | at first        | 1     |
        | its content changed       | later           | 2     |
        | its permissions changed   | at first (0600) | 2     |

  @CHK_03
  Rule: A new file of more than 2,097,152 bytes and a repository inside the project are left out and named
    Source: OpenCode's code.

    Scenario Outline: The size of a new file decides; one that is held already may grow
      Given the history of a project
        | video    | checkpoint   |
        | <before> | <checkpoint> |
        | <size>   |              |
      When brim makes a checkpoint
      Then the left out are "<named>"

      Examples:
        | description         | before          | checkpoint | size            | named |
        | equal               |                 |            | 2,097,152 bytes |       |
        | one above           |                 |            | 2,097,153 bytes | video |
        | a held one that grew | 2,097,152 bytes | start     | 3,145,728 bytes |       |

    Scenario: A repository inside the project is left out
      Given the history of a project
        | notes    | inner        |
        | at first | a repository |
      When brim makes a checkpoint
      Then the left out are "inner/"

  @CHK_12
  Rule: Every object that a checkpoint needs is in brim's store, and the project's repository is only read
    Source: OpenCode's code, which borrows the project's objects and index; a borrowed index held other line ends than
    the file. The store outside of the repository is in S2, section 4.

    Scenario: A checkpoint outlives the project's repository
      Given the history of a project
        | .            | notes    | checkpoint |
        | a repository | at first | start      |
      And the history of a project
        | .git | notes |
        | gone | later |
      When brim restores files of "start"
      Then the project is as at "start"

  @CHK_11
  Rule: Where git is missing or snapshots are off, a checkpoint holds the conversation only and says so
    Source: S2, section 4, whose snapshots can be turned off in the
    configuration; field: anthropics/claude-code#15403.

    Background:
      Given the history of a project
        | notes    | user says |
        | at first | Begin.    |

    Scenario: The checkpoint says that git is missing
      Given the environment variable "PATH" is "/none"
      When brim makes a checkpoint
      Then the note is "git is missing…"

    Scenario Outline: Its conversation can be restored, and its files cannot
      Given brim keeps no snapshots
      And the history of a project
        | checkpoint | user says |
        | start      |           |
        |            | Go on.    |
      When brim restores <what> of "start"
      Then it is refused with "<refusal>"
      And the project holds
        | messages |
        | <count>  |

      Examples:
        | description      | what             | refusal                                                     | count |
        | the conversation | the conversation |                                                             | 2     |
        | files            | files            | …holds the conversation only: snapshots are turned off… | 4     |
