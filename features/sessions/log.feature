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

  @SES_07
  Rule: An acknowledged message survives the death of the process and of the machine; an unfinished last line is cut off
    Source: brim; sessions that could not be opened again after a crash are reported in
    google-gemini/gemini-cli#16430 and aaif-goose/goose#5164.
    What could not be read by every reader is never acknowledged: a message nested more than 190 deep is not
    taken, since the quickest reader ends at 200 and others at what is left of their stack.

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
        | signs in between  | ses_01.a-b                           |

    Scenario Outline: An id from outside that is not safe
      When a session is made with the id "<id>"
      Then it is not understood
      And nothing was written

      Examples: Not safe
        | description        | id             |
        | nothing            |                |
        | out of the folder  | ../other       |
        | hidden             | .hidden        |
