Feature: Snapshots of files
  A checkpoint holds the files of a project as a git tree in a store of brim's own. The user's repository is only read,
  and there need not be one.

  @CHK_02
  Rule: A snapshot holds every file byte for byte, with its permissions, and links as links
    Source: the sketch of checkpoints in the comparison of OpenCode and Claude Code (S2, section 4), whose snapshots are
    made with the attributes of the project. Decision 0230.

    Scenario Outline: Every kind of file comes back as it was
      Given a project that holds <file>
      And the checkpoint "start"
      When everything in the project is deleted, and brim restores the files of "start"
      Then the project is as it was at "start"

      Examples:
        | description                       | file                                                  |
        | plain text                        | a plain file                                          |
        | no bytes at all                   | an empty file                                         |
        | line ends of Windows              | line ends of Windows that an attribute converts       |
        | line ends of both kinds           | mixed line ends that an attribute converts            |
        | a filter of the user's            | a file that a filter of the user rewrites             |
        | a keyword that git expands        | a file whose identity keyword git expands             |
        | another encoding                  | a file that an attribute encodes in UTF-16            |
        | a program                         | an executable file                                    |
        | a file for its owner alone        | a private file                                        |
        | a file that nobody may write      | a read-only file                                      |
        | a link to a file                  | a link to a file beside it                            |
        | a link to a folder                | a link to a folder                                    |
        | a link that leads outside         | a link that leads out of the project                  |
        | a link that leads nowhere         | a link that leads nowhere                             |
        | a name that is not UTF-8          | a name that is not UTF-8                              |
        | a name with a line break          | a name with a line break                              |
        | a name that looks like a pattern  | names that git would read as patterns                 |
        | a file with holes                 | a sparse file of 1,048,576 bytes                                |
        | a file in folders                 | a file five folders deep                              |

    Scenario Outline: What is excluded is neither held nor changed
      Given a project with the file "secrets"
      And the file "secrets" is excluded by <excludes>
      And the checkpoint "start"
      And the file "secrets" is changed
      When brim restores the files of "start"
      Then the file "secrets" is <state>

      Examples:
        | description                          | excludes                                         | state        |
        | nothing excludes it                  | nothing                                          | as at first  |
        | an ignore file                       | the ignore file of the project                   | as it is now |
        | excluded, and included again         | an ignore file that includes it again            | as at first  |
        | the repository's own list            | the list of its repository                       | as it is now |
        | the user's list for all repositories | the user's list for all repositories             | as it is now |
        | a list that the user configured      | a list that the user configured                  | as it is now |
        | a repository above the project       | the ignore file of a repository above            | as it is now |
        | another folder's line                | a line of a repository above for another folder  | as at first  |
        | a repository of the home folder      | a repository above that ignores everything       | as at first  |

    Scenario Outline: An unchanged project is the same snapshot
      Given a project with the file "notes"
      And the checkpoint "start"
      And the file "notes" is <act>
      When brim makes a checkpoint
      Then its snapshot is <verdict> as that of "start"

      Examples:
        | description               | act                | verdict    |
        | nothing happened          | left alone         | the same   |
        | written again, as it was  | written again      | the same   |
        | its time changed          | given another time | the same   |
        | its content changed       | given more text    | not the same |
        | its permissions changed   | made private       | not the same |

    Scenario: A project that brim's own folder lies in
      Given a project that brim's folder lies in
      And the checkpoint "start"
      When brim makes a checkpoint
      Then its snapshot is the same as that of "start"

    Scenario: A project path with a line break
      Given a project whose path has a line break
      And the checkpoint "start"
      And the file "notes" is changed
      When brim restores the files of "start"
      Then the project is as it was at "start"

  @CHK_03
  Rule: A new file of more than 2,097,152 bytes and a repository inside the project are left out and named
    Source: OpenCode's code.

    Scenario Outline: The size of a new file decides
      Given a project with 1 file "video" of <bytes> bytes
      When brim makes a checkpoint
      Then it names <named> as left out

      Examples:
        | description | bytes     | named   |
        | one below   | 2,097,151 | nothing |
        | equal       | 2,097,152 | nothing |
        | one above   | 2,097,153 | "video" |

    Scenario: A file that is held already may grow
      Given a project with 1 file "video" of 2,097,152 bytes
      And the checkpoint "start"
      And the file "video" grows to 3,145,728 bytes
      When brim makes a checkpoint
      Then it names nothing as left out

    Scenario Outline: A repository inside the project is left out
      Given a project with <repository>
      When brim makes a checkpoint
      Then it names "inner/" as left out

      Examples:
        | description      | repository                               |
        | a new one        | a repository "inner" without a commit    |
        | one with history | a repository "inner" with a commit       |
        | a submodule      | a submodule "inner"                      |
        | a work tree      | a second work tree "inner"               |

  @CHK_12
  Rule: Every object that a checkpoint needs is in brim's store, and the project's repository is only read
    Source: OpenCode's code, which borrows the project's objects and index; a borrowed index held other line ends than
    the file. The store outside of the repository is in S2, section 4.

    Scenario Outline: A checkpoint outlives the project's repository
      Given a project that is a repository
      And the checkpoint "start"
      And the file "notes" is changed
      And <loss>
      When brim restores the files of "start"
      Then the file "notes" is as at first

      Examples:
        | description            | loss                                       |
        | objects are collected  | git removes what the repository does not need |
        | it is deleted          | the repository is deleted                  |

    Scenario: Nothing in the repository changes
      Given a project that is a repository
      And the checkpoint "start"
      And the file "notes" is changed
      When brim restores the files of "start"
      Then the repository is byte for byte what it was

    Scenario Outline: The configuration of a repository runs no program
      Given a project with the file "notes"
      And <repository> whose configuration names a program to run
      When brim makes a checkpoint
      Then the program has not run

      Examples:
        | description                   | repository                      |
        | the project is the repository | a repository in the project     |
        | the project lies in it        | a repository above the project  |

    Scenario: The environment of a git command that runs brim changes nothing
      Given a project that is a repository
      And variables that lead git to that repository and its index
      And the checkpoint "start"
      And the file "notes" is changed
      When brim restores the files of "start"
      Then the repository is byte for byte what it was

  @CHK_11
  Rule: Where git is missing or snapshots are off, a checkpoint holds the conversation only and says so
    Source: S2, section 4, whose snapshots can be turned off in the
    configuration; field: anthropics/claude-code#15403.

    Scenario Outline: The checkpoint says why
      Given a project with the file "notes"
      And <lack>
      When brim makes a checkpoint
      Then it holds the conversation only, and says "<words>"

      Examples:
        | description      | lack                  | words                     |
        | git is missing   | git is not installed  | git is missing            |
        | git is too old   | git is of version 2.31 | install git 2.32 or newer |
        | turned off       | snapshots are off     | snapshots are turned off  |

    Scenario: Its conversation can be restored
      Given a project with the file "notes"
      And snapshots are off
      And the user says "Begin."
      And the checkpoint "start"
      And the user says "Go on."
      When brim restores the conversation of "start"
      Then the conversation has 2 messages

    Scenario: Its files cannot
      Given a project with the file "notes"
      And snapshots are off
      And the checkpoint "start"
      When brim restores the files of "start"
      Then brim refuses with "holds the conversation only: snapshots are turned off"
