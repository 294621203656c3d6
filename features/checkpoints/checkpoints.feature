Feature: Checkpoints
  A checkpoint is a way back for a project's files, for the conversation, or for both. Going back can itself be undone.

  @CHK_01
  Rule: A checkpoint before a prompt has the tag "auto" and is named "Before: ", 50 characters of the prompt and "..."; others are named by the user
    Source: S2, sections 4 and 10.4.

    Scenario Outline: The name has the first 50 characters of the prompt
      Given a project with the file "notes"
      When brim makes the checkpoint before a prompt of <count> characters
      Then its name is "Before: ", the first <shown> characters and "...", and its tag is "auto"

      Examples:
        | description | count | shown |
        | short       | 3     | 3     |
        | one below   | 49    | 49    |
        | equal       | 50    | 50    |
        | one above   | 51    | 50    |

    Scenario: A checkpoint by hand
      Given a project with the file "notes"
      When the user makes the checkpoint "before the move" with the tags "green" and "mine"
      Then the newest checkpoint is "before the move" with the tags "green" and "mine"

    Scenario Outline: The tags of brim's own checkpoints are refused
      Given a project with the file "notes"
      When the user tries to make a checkpoint with the tag "<tag>"
      Then brim refuses with "the tag '<tag>' is of checkpoints that brim makes itself"
      And there is no checkpoint

      Examples:
        | description      | tag    |
        | before a prompt  | auto   |
        | before a restore | safety |

    Scenario Outline: A checkpoint is found by its id or its name
      Given a project with the file "notes"
      And the checkpoint "start"
      When the user looks for the checkpoint by <words>
      Then it is found

      Examples:
        | description                | words                           |
        | its id                     | its id                          |
        | the end of the id          | the last 8 characters of its id |
        | in small letters           | its id in small letters         |
        | its name                   | its name                        |

    Scenario Outline: A checkpoint that is not there is named
      Given a project with the file "notes"
      And the checkpoint "start"
      When brim restores the files of "<name>"
      Then brim refuses with "<words>"

      Examples:
        | description     | name  | words                       |
        | no such one     | never | has no checkpoint 'never'   |
        | no name at all  |       | has no checkpoint ''        |

    Scenario Outline: Words that several checkpoints answer to are refused with the ids of the newest three
      Given a project with the file "notes"
      And <count> checkpoints "start"
      When the user looks for a checkpoint by <words>
      Then brim refuses with "<refusal>"
      And it names <ids> ids

      Examples:
        | description            | count | words                            | refusal                                    | ids |
        | two of the name        | 2     | its name                         | 2 checkpoints are named 'start':           | 2   |
        | three                  | 3     | its name                         | 3 checkpoints are named 'start':           | 3   |
        | one more               | 4     | its name                         | and 1 more; give the id of one             | 3   |
        | the beginning of an id | 2     | the first 4 characters of its id | may begin or end the ids of 2 checkpoints: | 2   |

  @CHK_04
  Rule: There are three ways back: files, conversation, or both
    Source: S2, sections 4 and 10.4.

    Scenario Outline: What goes back
      Given a project with the file "notes"
      And the user says "Begin."
      And the checkpoint "start"
      And the user says "Go on."
      And the file "notes" is changed
      When brim restores the <what> of "start"
      Then "notes" is "<notes>", and the conversation has <messages> messages

      Examples:
        | description      | what         | notes    | messages |
        | files            | files        | at first | 4        |
        | the conversation | conversation | later    | 2        |
        | both             | both         | at first | 2        |

    Scenario Outline: A conversation that another tool keeps is not rewound
      Given a project with the file "notes"
      And a checkpoint "start" at the record "7d0c" of another tool's transcript
      And the file "notes" is changed
      When brim restores the <what> of "start"
      Then <outcome>

      Examples:
        | description      | what         | outcome                                                             |
        | files            | files        | the file "notes" is as at first                                     |
        | the conversation | conversation | brim refuses with "rewinding the conversation is Claude Code's own"  |
        | both             | both         | brim refuses with "rewinding the conversation is Claude Code's own"  |

  @CHK_06
  Rule: A checkpoint of the present state is made before a restore, so that the restore can be undone
    Source: brim; field: anthropics/claude-code#16023. S2, section 4, undoes a revert by its patches in reverse.

    Scenario Outline: An undo brings back what was there before the restore
      Given a project with the file "notes"
      And the user says "Begin."
      And the checkpoint "start"
      And the user says "Go on."
      And the file "notes" is changed
      When brim restores the <what> of "start" and undoes that
      Then "notes" is "later", and the conversation has 4 messages

      Examples:
        | description      | what         |
        | files            | files        |
        | the conversation | conversation |
        | both             | both         |

    Scenario: The safety checkpoint is listed and can be restored
      Given a project with the file "notes"
      And the checkpoint "start"
      And the file "notes" is changed
      When brim restores the files of "start" and then those of "Before restoring start"
      Then the project is as it was at "before"

    Scenario: Two restores are undone one after the other
      Given a project with the file "notes"
      And the checkpoint "start"
      And the file "notes" is changed
      And the checkpoint "later"
      When brim restores "start", then "later", and undoes both
      Then the project is as it was at "before"

    Scenario: An undo of single files leaves the others alone
      Given a project with the file "notes"
      And the checkpoint "start"
      And the file "notes" is changed
      When brim restores "notes" from "start", the file "plan" is written, and brim undoes the restore
      Then the file "plan" is there
      And the file "notes" has "later"

    Scenario: Files that the restore brought back are removed by its undo
      Given a project with the file "notes"
      And the checkpoint "start"
      And the file "notes" is deleted
      When brim restores the files of "start" and undoes that
      Then the file "notes" is gone

    Scenario: A file that was held, and grew, is removed as well
      Given a project with the file "video"
      And the checkpoint "start"
      And the file "video" grows to 3,145,728 bytes
      And the checkpoint "later"
      And the file "video" is deleted
      When brim restores the files of "later" and undoes that
      Then the file "video" is gone

    Scenario: Without a restore there is nothing to undo
      Given a project with the file "notes"
      And the checkpoint "start"
      When brim undoes the newest restore
      Then brim refuses with "has no restore to take back"

    Scenario: A conversation that the session's own undo brought back stays
      Given a project with the file "notes"
      And the user says "Begin."
      And the checkpoint "start"
      And the user says "Go on."
      When brim restores both of "start", the session undoes the rewind, the user says "More.", and brim undoes the restore
      Then "notes" is "at first", and the conversation has 6 messages
