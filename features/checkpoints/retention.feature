Feature: Retention of checkpoints
  Checkpoints are removed by their age and number. What a user may still need to go back is never removed.

  @CHK_08
  Rule: Checkpoints are kept for 30 days, and at most the newest 100 of a session
    Source: S2, section 4, whose checkpoints are kept for 30 days; decision 0230.

    Scenario Outline: Age decides
      Given it is 2026-03-01 12:00
      And a project with the file "notes"
      And the checkpoint "old", and <span> later "new"
      When brim removes old checkpoints
      Then the checkpoints are "<left>"

      Examples:
        | description    | span              | left    |
        | a day less     | 29 days           | new, old |
        | exactly        | 30 days           | new, old |
        | a minute more  | 43,201 minutes    | new     |
        | a day more     | 31 days           | new     |

    Scenario Outline: Their number decides
      Given a project with the file "notes"
      And <count> checkpoints of the conversation
      When brim removes old checkpoints
      Then <left> checkpoints are listed, and <removed> were removed

      Examples:
        | description | count | left | removed |
        | one below   | 99    | 99   | 0       |
        | equal       | 100   | 100  | 0       |
        | one above   | 101   | 100  | 1       |

    Scenario Outline: Both are settings
      Given it is 2026-03-01 12:00
      And checkpoints are kept for <days> days, and at most <most>
      And a project with the file "notes"
      And the checkpoint "old", and 5 days later "new"
      When brim removes old checkpoints
      Then the checkpoints are "<left>"

      Examples:
        | description   | days | most | left    |
        | both fit      | 5    | 2    | new, old |
        | too old       | 4    | 2    | new     |
        | too many      | 5    | 1    | new     |

    Scenario: An old checkpoint is listed no more before it is removed
      Given it is 2026-03-01 12:00
      And a project with the file "notes"
      And the checkpoint "old"
      And 31 days pass
      When the user makes the checkpoint "new"
      Then the checkpoints are "new"

    Scenario: Making checkpoints removes expired ones by tens
      Given checkpoints are kept for 30 days, and at most 5
      And a project with the file "notes"
      And 14 checkpoints of changes
      When brim makes a checkpoint without a change
      Then 4 snapshots are left in the store

    Scenario: The newest is never removed
      Given it is 2026-03-01 12:00
      And a project with the file "notes"
      And the checkpoint "old"
      And 400 days pass
      When brim removes old checkpoints
      Then the checkpoints are "old"

    Scenario Outline: What an active restore stands between is never removed
      Given it is 2026-03-01 12:00
      And a project with the file "notes"
      And the checkpoint "start"
      And a restore of the files of "start" that <undone>
      And the checkpoint "between", and 31 days later "new"
      When brim removes old checkpoints
      Then the checkpoints are "<left>"

      Examples:
        | description           | undone              | left                              |
        | a restore             | stands              | new, Before restoring start, start |
        | one that was undone   | was undone          | new                               |

  @CHK_08
  Rule: Removing checkpoints frees their disk space
    Source: S2, section 4.

    Scenario: A file that only removed checkpoints hold takes no space
      Given it is 2026-03-01 12:00
      And a project whose file "noise" has 1,048,576 bytes that nothing compresses
      And the checkpoint "old"
      And the file "noise" was deleted before the checkpoint "new", 31 days later
      When brim removes old checkpoints
      Then more than 1,000,000 bytes were freed, and the store has less than 200,000

    Scenario: What other checkpoints hold stays
      Given it is 2026-03-01 12:00
      And a project with the file "notes"
      And a checkpoint of another session
      And the checkpoint "old"
      And the file "notes" was changed before the checkpoint "new", 31 days later
      When brim removes old checkpoints
      Then the other session's checkpoint restores "notes" as at first
