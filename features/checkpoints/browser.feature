Feature: Browser of checkpoints
  The user sees the checkpoints of a session in the terminal, looks at what changed since, and goes back.

  Background:
    Given the history of a project
      | notes    | user says | checkpoint |
      | at first |           | start      |
      | later    | Go on.    |            |

  @CHK_10
  Rule: The browser lists checkpoints, shows what changed since, and goes back in three ways once the user confirms
    Source: S2, section 10.7, whose list opens in the agent when Esc is pressed twice; the key is the agent's own.

    Scenario Outline: The list shows each checkpoint with the files that changed since, and the keys
      Given brim makes a checkpoint "end" tagged "green"
      And the history of a project
        | notes    |
        | <change> |
      When the user opens the browser <width> columns wide
      Then the browser shows "end [green]"
      And the browser shows "<files>"
      And the browser shows "c Conversation"

      Examples:
        | description           | width | change | files         |
        | one column below wide | 79    | again  | 1 file  +1 -1 |
        | just wide             | 80    | again  | 1 file  +1 -1 |
        | a file was deleted    | 50    | gone   | 1 file  +0 -1 |
        | nothing changed       | 50    |        | 0 files       |

    Scenario: The newest checkpoint is on top, and the difference is that of the one chosen
      Given brim makes a checkpoint "middle"
      When the user opens the browser and presses "down"
      Then the browser shows "+later"
      And the browser does not show "index"

    Scenario Outline: Going back asks first and says what changes; what is refused says why
      Given the history of a project
        | notes    | plan  |
        | <change> | added |
      When the user opens the browser and presses "<keys>"
      Then the browser shows "<question>"
      And the browser shows "<effect>"
      And the project holds
        | notes  |
        | <held> |

      Examples:
        | description          | change   | keys  | question                                        | effect                                           | held     |
        | files                |          | f     | Restore the files of start?                     | changed  notes  +1 -1                            | later    |
        | a file that is gone  | gone     | f     | Restore the files of start?                     | added  notes  +1 -0                              | gone     |
        | nothing to change    | at first | f     | Restore the files of start?                     | No file changes.                                 | at first |
        | the conversation     |          | c     | Restore the conversation of start?              | All messages after it leave the conversation.    | later    |
        | its undo             |          | c y u | The conversation will be as before that restore. | y Yes   n No                                    | later    |
        | both                 |          | b     | Restore the files and the conversation of start? | changed  notes  +1 -1                           | later    |
        | no restore yet       |          | u     | has no restore to take back                     | Files                                            | later    |

    Scenario Outline: What goes back
      When the user opens the browser and presses "<keys>"
      Then the project holds
        | notes  | messages   |
        | <held> | <messages> |

      Examples:
        | description            | keys     | held     | messages |
        | the files              | f y      | at first | 2        |
        | the conversation       | c y      | later    | 0        |
        | both                   | b y      | at first | 0        |
        | not confirmed          | b n      | later    | 2        |
        | escaped                | b escape | later    | 2        |
        | undone                 | b y u y  | later    | 2        |
        | the undo not confirmed | b y u n  | at first | 0        |

    Scenario Outline: A conversation that another tool keeps is refused before the question
      Given brim makes a checkpoint "theirs" at the record "7d0c"
      When the user opens the browser and presses "<key>"
      Then the browser shows "rewinding the conversation is Claude Code's own"
      And the browser does not show "y Yes"

      Examples:
        | description      | key |
        | the conversation | c   |
        | both             | b   |

    Scenario Outline: The browser looks at a session that an agent writes, and does not go back in it
      Given the agent writes the session
      When the user opens a browser of his own and presses "<keys>"
      Then the browser shows "<shown>"

      Examples:
        | description         | keys | shown                         |
        | it is shown         | f    | Restore the files of start?   |
        | it is not gone back | f y  | is open in this very process  |

    Scenario Outline: Once the agent has ended it goes back
      Given the agent closed the session
      When the user opens a browser of his own and presses "<keys>"
      Then the browser shows "<shown>"

      Examples:
        | description      | keys    | shown                                                     |
        | to the files     | f y     | Back at start: 1 file changed. Not touched: ignored files |
        | and the way back | f y u y | Undone: 1 file changed                                    |

    Scenario Outline: A checkpoint without files, and a terminal that obeys nothing in a name
      Given brim keeps no snapshots
      And the history of a project
        | checkpoint |
        | <name>     |
      When the user opens the browser 120 columns wide
      Then the browser shows "<shown>"

      Examples:
        | description       | name                  | shown                                                      |
        | conversation only | end                   | holds the conversation only: snapshots are turned off      |
        | escape sequences  | \x1b[31mred [b]it[/b] | ·[31mred [b]it[/b]                                         |
