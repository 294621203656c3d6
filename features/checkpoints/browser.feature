Feature: Browser of checkpoints
  The user sees the checkpoints of a session in the terminal, looks at what changed since, and goes back.

  @CHK_10
  Rule: The browser lists checkpoints, shows what changed since, and goes back in three ways once the user confirms
    Source: S2, section 10.7, whose list opens in the agent when Esc is pressed twice; the key is the agent's own.

    Scenario Outline: The list shows each checkpoint with the files that changed since
      Given a project with the file "notes"
      And the user made the checkpoint "start" tagged "green"
      And <change>
      When the user opens the browser <width> columns wide
      Then the browser shows "start [green]"
      And the browser shows "<files>"

      Examples:
        | description            | width | change                     | files         |
        | a wide terminal        | 120   | the file "notes" is changed | 1 file  +1 -1 |
        | one column below wide  | 79    | the file "notes" is changed | 1 file  +1 -1 |
        | just wide              | 80    | the file "notes" is changed | 1 file  +1 -1 |
        | a narrow terminal      | 50    | the file "notes" is changed | 1 file  +1 -1 |
        | a file was deleted     | 50    | the file "notes" is deleted | 1 file  +0 -1 |
        | nothing changed        | 50    | the user says "Go on."      | 0 files       |

    Scenario Outline: The keys are shown
      Given a project with the file "notes"
      When the user opens the browser <width> columns wide
      Then the browser shows "c Conversation"
      And the browser shows "f Files"
      And the browser shows "b Both"
      And the browser shows "u Undo"
      And the browser shows "q Quit"

      Examples:
        | description | width |
        | wide        | 120   |
        | narrow      | 50    |

    Scenario: The newest checkpoint is on top, and the difference is that of the one chosen
      Given a project with the file "notes"
      And the checkpoint "start"
      And the file "notes" is changed
      And the checkpoint "middle"
      When the user opens the browser and presses "down"
      Then the browser shows "+later"

    Scenario Outline: Going back asks first and says what changes
      Given a project with the file "notes"
      And the checkpoint "start"
      And the file "notes" is changed
      When the user opens the browser and presses "<key>"
      Then the browser shows "<question>"
      And the browser shows "<effect>"
      And the file "notes" has the line "later"

      Examples:
        | description  | key | question                            | effect                                   |
        | files        | f   | Restore the files of start?         | changed  notes  +1 -1                    |
        | conversation | c   | Restore the conversation of start?  | All messages after it leave the conversation. |
        | both         | b   | Restore the files and the conversation of start? | changed  notes  +1 -1       |
        | undo         | u   | has no restore to take back         | has no restore to take back              |

    Scenario Outline: The keys that answer are seen however much changes
      Given a project with the file "notes"
      And the checkpoint "start"
      And <count> files are added that a checkpoint holds
      When the user opens the browser 50 columns wide and <height> lines high, and presses "down f"
      Then the browser shows "removed  new1  +0 -1"
      And the browser shows "y Yes   n No"

      Examples:
        | description     | count | height |
        | one             | 1     | 24     |
        | more than fit   | 40    | 24     |
        | a low terminal  | 40    | 14     |

    Scenario: The difference leaves out what says nothing to people
      Given a project with the file "notes"
      And the checkpoint "start"
      And the file "notes" is changed
      When the user opens the browser 120 columns wide
      Then the browser shows "+later"
      And the browser does not show "index"

    Scenario: The undo of a conversation says nothing of files
      Given a project with the file "notes"
      And the checkpoint "start"
      And the user says "Go on."
      When the user opens the browser and presses "c y u"
      Then the browser shows "The conversation will be as before that restore."
      And the browser does not show "0 files changed"

    Scenario: A file that stays is not among those that change
      Given a project with the file "notes"
      And the checkpoint "start"
      And the file "plan" is added
      When the user opens the browser and presses "f"
      Then the browser shows "No file changes."

    Scenario Outline: What goes back
      Given a project with the file "notes"
      And the checkpoint "start"
      And the user says "Go on."
      And the file "notes" is changed
      When the user opens the browser and presses "<keys>"
      Then the file "notes" has the line "<held>"
      And the session has <messages> messages

      Examples:
        | description             | keys    | held     | messages |
        | the files               | f y     | at first | 2        |
        | the conversation        | c y     | later    | 0        |
        | both                    | b y     | at first | 0        |
        | not confirmed           | b n     | later    | 2        |
        | escaped                 | b escape | later   | 2        |
        | undone                  | b y u y | later    | 2        |
        | the undo not confirmed  | b y u n | at first | 0        |

    Scenario Outline: A conversation that another tool keeps is refused before the question
      Given a project with the file "notes"
      And a checkpoint "start" at the record "7d0c" of another tool's transcript
      When the user opens the browser and presses "<key>"
      Then the browser shows "rewinding the conversation is Claude Code's own"
      And the browser does not show "y Yes"

      Examples:
        | description      | key |
        | the conversation | c   |
        | both             | b   |

    Scenario: A file that was deleted is named as one that comes back
      Given a project with the file "notes"
      And the checkpoint "start"
      And the file "notes" is deleted
      When the user opens the browser and presses "f"
      Then the browser shows "added  notes  +1 -0"

    Scenario: A restore that is refused changes nothing and says why
      Given a project with the file "notes"
      And the checkpoint "start"
      And the file "notes" is deleted
      And a folder "notes" with an ignored file
      When the user opens the browser and presses "f y"
      Then the browser shows "no checkpoint holds it"
      And the file "notes/ignored" is there

    Scenario Outline: The browser looks at a session that an agent writes, and waits for its end to go back
      Given a project with the file "notes"
      And the checkpoint "start"
      And the file "notes" is changed
      And the agent <state> the session
      When the user opens a browser of his own and presses "<keys>"
      Then the browser shows "<shown>"
      And the file "notes" has the line "<held>"

      Examples:
        | description           | state  | keys    | shown                          | held     |
        | it is shown           | writes | f       | Restore the files of start?    | later    |
        | it is not gone back   | writes | f y     | is open in this very process | later    |
        | the agent has ended   | closed | f y     | Back at start: 1 file changed. Not touched: ignored files | at first |
        | and the way back      | closed | f y u y | Undone: 1 file changed         | later    |

    Scenario: A session without checkpoints
      Given a project with the file "notes"
      When the user opens the browser and presses "f"
      Then the browser shows "No checkpoints yet: brim checkpoints create makes one."

    Scenario: A checkpoint without files goes back in the conversation only
      Given a project with the file "notes"
      And snapshots are off in the browser
      And the checkpoint "start"
      When the user opens the browser and presses "f"
      Then the browser shows "conversation only"
      And the browser shows "holds the conversation only: snapshots are turned off"

    Scenario: A terminal obeys nothing in a name
      Given a project with the file "notes"
      And a checkpoint whose name and tag hold escape sequences and markup
      When the user opens the browser 120 columns wide
      Then the browser shows "·[31mred [b]name[/b] [·]0;t·]"
