Feature: Log
  A session is kept as a log on disk. Each change is added as a line; no line of the file changes
  later. That is what makes compaction safe: what it replaces is still there, and a process that
  dies in the middle of anything leaves behind what it had acknowledged.

  @SES_01
  Rule: Each change of a session adds a line to its log, and no line ever changes
    Source: the transcripts of Claude Code, one JSON object a line and only added to, in the comparison of
    OpenCode and Claude Code (S2, section 3); that compaction, pruning, rewinding and renaming are lines
    too is brim's.

    Scenario Outline: Every act is a further record
      Given a session of 40 turns that was compacted
      When <act>
      Then every line that was there before is still there
      And the newest record is of the kind "<kind>"

      Examples: What a program does
        | description      | act                           | kind    |
        | the conversation | the user says something       | message |
        | the figures      | a usage is reported           | usage   |
        | the old outputs  | an old output is cleared      | pruning |
        | the name         | it is renamed                 | rename  |
        | the model        | it goes on with another model | model   |

      Examples: What a user takes back
        | description        | act                                | kind   |
        | the conversation   | it is rewound to message 1 | rewind |
        | the compaction     | the compaction is undone           | undo   |

    Scenario: A message comes back as it went in
      Given a message with an unknown field
      When it is added to a session and read again
      Then it is the same message

    Scenario: What is no message is refused
      Given a session of 2 turns
      When a message of the speaker "robot" is added
      Then it is not understood
      And the log has not changed

    Scenario: What was rewound can be brought back
      Given a session in which the user said one, two, three
      When it is rewound to message 1, and then it is rewound to message 3
      Then the user is shown to have said one, two, three

    Scenario: A rewound conversation goes on from there
      Given a session in which the user said one, two, three
      When it is rewound to message 1 and the user says "four"
      Then the user is shown to have said one, four

    Scenario: A session cannot go back to what it never held
      Given a session of 2 turns
      When it is rewound to a record of another session
      Then it is refused

    Scenario: A record of a kind that is not known is carried
      Given a session of 2 turns
      When its log holds a record of an unknown kind
      Then its messages are shown as if it were not there

  @SES_07
  Rule: An acknowledged message survives the death of the process and of the machine; an unfinished last line is cut off
    Source: brim; sessions that could not be opened again after a crash are reported in
    google-gemini/gemini-cli#16430 and aaif-goose/goose#5164.
    What could not be read by every reader is never acknowledged: a message nested more than 190 deep is not
    taken, since the quickest reader ends at 200 and others at what is left of their stack. A compaction that
    keeps a message in such a form is not taken either.

    @files
    Scenario: The last line was torn
      Given a session of 2 turns
      And a further message of which only one half was written
      When the session is opened
      Then it shows 4 messages
      And it is reported that a last line was cut off

    Scenario: A damaged line in the middle is set aside
      Given a session of 2 turns
      And its second message is damaged
      When the session is opened
      Then it shows 3 messages
      And it is reported that a line was set aside

    @files
    Scenario: A disk without room
      Given a session of 2 turns on a disk that is nearly full
      When a long message is added
      Then it fails and says that it could not be written
      And the log has not changed

    Scenario Outline: A message is taken only as deep as every reader gets
      Given a session of 2 turns
      When a message is added that is nested <depth> deep
      Then a program that reads it deep in its own calls is shown <shown> messages

      Examples: How deep it goes
        | description    | depth | shown |
        | one below      | 189   | 5     |
        | the deepest    | 190   | 5     |
        | one above      | 191   | 4     |

  @SES_12
  Rule: Ids ascend with time and are safe as names of files, and one from outside that is not is refused
    Source: the ascending identifiers of OpenCode, in the comparison of OpenCode and Claude Code (S2,
    section 3); that an id from outside is checked is brim's.

    Scenario Outline: A clock that cannot be trusted
      Given it is 2026-03-01 12:00
      And a session of 2 turns
      When 5 messages are added, and the clock <moves> before each
      Then the ids of all records ascend

      Examples:
        | description  | moves                |
        | goes on      | goes on by a second  |
        | stands still | stands still         |
        | is set back  | goes back by an hour |

    Scenario Outline: An id from outside that is safe
      When a session is made with the id "<id>"
      Then there is a session of the id "<id>"

      Examples: Safe
        | description       | id                                   |
        | letters           | parser                               |
        | of another tool   | 2f1e8a52-6c1b-4a52-9a58-0a9a0f3b8d11 |
        | signs in between  | ses_01.a-b                           |

    Scenario Outline: An id from outside that is not safe
      When a session is made with the id "<id>"
      Then it is not understood
      And nothing was written

      Examples: Not safe
        | description        | id             |
        | nothing            |                |
        | out of the folder  | ../other       |
        | a folder           | a/b            |
        | hidden             | .hidden        |
        | with a space       | a b            |
        | a device           | con            |
        | two full stops     | a..b           |
