Feature: Retention of checkpoints
  Checkpoints are removed by their age and number. What a user may still need to go back is never removed.

  Background:
    Given it is 2026-03-01 12:00

  @CHK_08
  Rule: Checkpoints are kept for 30 days, and at most the newest 100 of a session
    Source: S2, section 4, whose checkpoints are kept for 30 days; decision 0230.

    Scenario Outline: Age decides, and the newest is never removed
      Given the history of a project
        | notes    | time   | checkpoint |
        | at first |        | old        |
        |          | <time> | <new>      |
      When brim removes old checkpoints
      Then the project holds
        | checkpoints |
        | <left>      |

      Examples:
        | description   | time           | new | left     |
        | exactly       | 30 days        | new | new, old |
        | a minute more | 43,201 minutes | new | new      |
        | the newest    | 400 days       |     | old      |

    Scenario Outline: Both are settings
      Given brim keeps checkpoints for <days> days, at most <most>
      And the history of a project
        | notes    | time   | checkpoint |
        | at first |        | old        |
        |          | 5 days | new        |
      When brim removes old checkpoints
      Then the project holds
        | checkpoints |
        | <left>      |

      Examples:
        | description | days | most | left     |
        | both fit    | 5    | 2    | new, old |
        | too old     | 4    | 2    | new      |
        | too many    | 5    | 1    | new      |

    Scenario: An old checkpoint is listed no more before it is removed
      Given the history of a project
        | notes    | time    | checkpoint |
        | at first |         | old        |
        |          | 31 days |            |
      When brim makes a checkpoint "new"
      Then the project holds
        | checkpoints | stored snapshots |
        | new         | 1                |

    Scenario Outline: Making checkpoints removes expired ones by tens
      Given brim keeps checkpoints for 30 days, at most 5
      And the history of a project
        | notes | times   | checkpoint |
        | <n>   | <count> | old        |
      When brim makes a checkpoint "new"
      Then the project holds
        | stored snapshots |
        | <kept>           |

      Examples:
        | description      | count | kept |
        | nine are expired | 13    | 13   |
        | ten              | 14    | 4    |

    Scenario Outline: What an active restore stands between is never removed
      Given the history of a project
        | notes    | checkpoint |
        | at first | start      |
      And brim restores files of <undone>
      And the history of a project
        | time    | checkpoint |
        |         | between    |
        | 31 days | new        |
      When brim removes old checkpoints
      Then the project holds
        | checkpoints |
        | <left>      |

      Examples:
        | description         | undone                    | left                               |
        | a restore           | "start"                             | new, Before restoring start, start |
        | one that was undone | "start" and undoes the restore | new                                |

  @CHK_08
  Rule: Removing checkpoints frees their disk space
    Source: S2, section 4.

    Scenario: What only removed checkpoints hold takes no space, and what others hold stays
      Given the history of a project
        | notes    | noise                  | time    | checkpoint | by              |
        | at first |                        |         | theirs     | another session |
        |          | 1,048,576 random bytes |         | old        |                 |
        | later    | gone                   | 31 days | new        |                 |
      When brim removes old checkpoints
      Then the result is
        | bytes  |
        | 1,0…   |
      And the project holds
        | stored snapshots |
        | 2                |
