Feature: Checkpoints before the prompts of Claude Code
  Claude Code edits files between two prompts. A checkpoint of the files before each prompt is a way back to what the user
  had when he wrote it.

  @HOK_05
  Rule: A hook of Claude Code makes a checkpoint of the files before each prompt; rewinding the conversation stays Claude Code's own
    Source: CHK_01 for the name and tag; a decision of this project (0122) for the session and the time.

    Scenario: A checkpoint before each prompt
      Given a project in Claude Code with the file "notes"
      When the prompts "Build the pier." and "Paint it." are submitted
      Then the checkpoints are "Before: Paint it...." and "Before: Build the pier....", tagged "auto"

    Scenario: The files come back
      Given a project in Claude Code with the file "notes"
      And the prompt "Build the pier." was submitted
      And Claude Code changed the file "notes"
      When the user restores the files of "Before: Build the pier...."
      Then the file "notes" is as it was at the prompt

    Scenario Outline: The conversation is not rewound
      Given a project in Claude Code with the file "notes"
      And the prompt "Build the pier." was submitted
      And the user restored the files of "Before: Build the pier...."
      When the user restores the <what> of "<checkpoint>"
      Then it is refused with "rewinding the conversation is Claude Code's own"

      Examples:
        | description                    | what         | checkpoint                                 |
        | the conversation               | conversation | Before: Build the pier....                 |
        | both                           | both         | Before: Build the pier....                 |
        | of what a restore made, too    | both         | Before restoring Before: Build the pier.... |

    Scenario Outline: A checkpoint knows the last record of the transcript
      Given a project in Claude Code with the file "notes"
      And a transcript with <records>
      When the prompt "Build the pier." is submitted
      Then the checkpoint is at "<position>"

      Examples:
        | description                        | records                                     | position  |
        | none, so the session's own id      | no file                                     | session-1 |
        | an empty file                      | no record                                   | session-1 |
        | one                                | the record "a1"                             | a1        |
        | two                                | the records "a1" and "b2"                   | b2        |
        | one that has no id behind them     | the records "a1" and "b2" and a title       | b2        |
        | one that holds the id of another   | the record "a1" and one that quotes "b2"    | a1        |
        | one that is being written          | the record "a1" and the half of another one | a1        |

    Scenario Outline: Where no checkpoint can be made, the prompt goes on and one line says why
      Given a project in Claude Code with the file "notes"
      And <fault>
      When the prompt "Build the pier." is submitted
      Then the hook exits with 0, and its one line on standard error says "<line>"

      Examples:
        | description               | fault                                     | line                                |
        | git is missing            | git is missing                            | no checkpoint is made: git is missing |
        | snapshots are turned off  | snapshots are turned off                  | snapshots are turned off            |
        | no session                | Claude Code names no "session_id"         | names no session_id                 |
        | a session out of the store | Claude Code names the "session_id" "../x" | is no safe name for a file          |
        | no folder                 | Claude Code names no "cwd"                | names no cwd                        |
        | a folder that is gone     | Claude Code names the "cwd" "/gone"       | cwd is /gone, which is no folder    |
        | a folder as transcript    | Claude Code names the "transcript_path" "/" | is no ordinary file               |

    Scenario Outline: The folder that Claude Code was started in is the project
      Given a project in Claude Code with the file "notes"
      And <folder>
      And Claude Code was started in <started>
      When the prompt "Build the pier." is submitted
      Then the checkpoint is of <project>

      Examples:
        | description                     | folder                              | started      | project             |
        | it works in the same folder     | Claude Code works in "."            | the project  | the project         |
        | it works in a folder of it      | Claude Code works in "src/deep"     | the project  | the project         |
        | in a repository of its own      | Claude Code works in the repository "trees/one" | the project | the folder "trees/one" |
        | in a folder of that             | Claude Code works in "inner" of the repository "trees/one" | the project | the folder "trees/one" |
        | it works in a folder elsewhere  | Claude Code works in "."            | another folder | the project       |
        | it does not say where           | Claude Code works in "src/deep"     | no folder that it names | the folder "src/deep" |
        | it works behind a link          | Claude Code works in a link to the project | no folder that it names | the project |
        | it names one that is gone       | Claude Code works in "src/deep"     | a folder that is gone | the folder "src/deep" |

    Scenario: Old checkpoints are removed while the agent goes on
      Given a project in Claude Code with the file "notes"
      And at most 2 checkpoints are kept
      And 12 prompts were submitted, and the file "notes" was changed after each
      And removing takes longer than the hook has
      When the prompt "Paint it." is submitted
      Then the hook made its checkpoint
      And 2 snapshots are left in the store before long

    Scenario: Where Python took all the time to start, a checkpoint has some all the same
      Given a project in Claude Code with the file "notes"
      And Python took longer to start than the agent waits
      When the prompt "Build the pier." is submitted
      Then the hook made its checkpoint

    Scenario: What a compaction lost is given back where no checkpoint can be made
      Given a project in Claude Code with the file "notes"
      And git is missing
      And a transcript whose compaction lost "Tides come at 14:35."
      When the prompt "Go on." is submitted with both jobs
      Then the hook gives back "Tides come at 14:35.", and says "git is missing"

    Scenario: A first snapshot that takes too long is completed by a later prompt
      Given a project in Claude Code with 200 files
      And the prompt "Build the pier." was stopped after the first 50 files
      When the prompt "Paint it." is submitted
      Then the checkpoints are "Before: Paint it....", tagged "auto"
      And the checkpoint has all 200 files

    Scenario: Installing with --checkpoints records the files at once
      Given a project in Claude Code with 200 files
      When brim installs its hooks in the project with "--checkpoints"
      Then it says that the files are recorded
      And the prompts run "--job context --job checkpoints", and the starts "--job context"

    Scenario Outline: The jobs are chosen when the hooks are installed
      Given a project in Claude Code with the file "notes"
      When brim installs its hooks in the project with "<options>"
      Then the prompts run "<prompts>", and the starts "<starts>"

      Examples:
        | description      | options                         | prompts                          | starts        |
        | by default       |                                 | --job context                    | --job context |
        | checkpoints alone | --job checkpoints              | --job checkpoints                |               |
        | both             | --job context --job checkpoints | --job context --job checkpoints  | --job context |

    Scenario Outline: What cannot make checkpoints is refused before anything is written
      Given a project in Claude Code with the file "notes"
      And <fault>
      When brim installs its hooks in the project with "<options>"
      Then it is refused with "<line>"
      And the project has no settings of the agent

      Examples:
        | description    | fault               | options               | line                          |
        | Codex          | nothing is missing  | --codex --checkpoints | made for Claude Code alone    |
        | git is missing | git is missing      | --checkpoints         | no checkpoints can be made    |
        | they are off   | snapshots are turned off | --checkpoints    | no checkpoints can be made: snapshots are turned off |
