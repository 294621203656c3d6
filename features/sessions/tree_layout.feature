Feature: Tree layout
  OpenCode keeps a session as a tree of small files: one for the session, one for each message, one for each
  part of a message, one for the changes to files. brim writes and reads that tree, so that sessions can move
  between the two, and a session that went through it is the same conversation as before.

  @SES_03
  Rule: A session becomes a tree with a file for itself, for each message and for each part
    Source: the storage structure of OpenCode as in the comparison of OpenCode and Claude Code (S2,
    section 3, Session Persistence).

    Scenario: Where the files lie
      Given a session of the project "/home/dev/parser" with
        | speaker   | says            |
        | user      | Look at it.     |
        | assistant | It is all fine. |
      When it is written as a tree
      Then the tree holds
        | room    | below   | files |
        | session | project | 1     |
        | message | session | 2     |
        | part    | message | 2     |
      And the changes to files lie beside

    Scenario: A call and its result are one part
      Given a session with a tool that answered
      When it is written as a tree
      Then one part tells the tool, what it was given and what it answered
      And no other part is of a tool

    Scenario: A compaction is a question of the user's and a summary that answers it
      Given a session of 40 turns that was compacted
      When it is written as a tree
      Then a message of the user asks for a compaction
      And a finished summary answers it

    Scenario: The log lies beside
      Given a session of 4 turns that went back to its turn 2
      When it is written as a tree
      Then the tree has the log of the session, byte for byte

  @SES_03
  Rule: A session that went through the tree is the same conversation
    Source: brim; that the layout is read as well as written is asked for by the comparison of OpenCode and
    Claude Code (S2, section 3, Session Persistence).

    Scenario Outline: There and back
      Given <session>
      And it was written as a tree
      When that tree is read
      Then the new session shows what the old one shows
      And its log begins with that of the old one

      Examples: Conversations
        | description      | session                                       |
        | thinking         | a session of 3 turns with thinking            |
        | an open call     | a session with an open call                   |
        | an image         | a session with an image                       |
        | an unknown block | a session with a block of an unknown kind     |

      Examples: What happened to them
        | description   | session                                           |
        | compacted     | a session of 40 turns that was compacted          |
        | undone        | a session with an undone compaction               |
        | cleared       | a session with a cleared output                   |
        | changed files | a session with changes to files                   |

    Scenario: The title, the model and the project come along
      Given a session called "The parser" of the project "/home/dev/parser" with the model "some-model"
      And it was written as a tree
      When that tree is read
      Then the new session has the same title, project and model

    Scenario: An undo still works on the other side
      Given a session of 40 turns that was compacted
      And it was written as a tree
      When that tree is read, and the newest change is undone
      Then the new session shows what the old one showed before the compaction

  @SES_03
  Rule: Where OpenCode went on with an exported session, what it has now is what the model sees
    Source: brim. The user went on in OpenCode, so its files are the newer ones, and are read like any of OpenCode's.

    Scenario Outline: OpenCode did something in the tree
      Given a session of 3 questions and their answers
      And it was written as a tree
      And OpenCode <did>
      When that tree is read
      Then the new session shows <count> messages, the last "<last>"

      Examples:
        | description       | did                             | count | last        |
        | nothing           | did nothing                     | 6     | Answer 3.   |
        | a message more    | added the question "And now?"   | 7     | And now?    |
        | a changed text    | changed the last text to "No."  | 6     | No.         |
        | a message less    | removed the last message        | 5     | Question 3? |
        | back to a message | went back to the last question  | 4     | Answer 2.   |

    Scenario: OpenCode gave the session another title
      Given a session of 3 questions and their answers
      And it was written as a tree
      And OpenCode called it "The parser"
      When that tree is read
      Then the new session is called "The parser"

    Scenario: The user learns of it
      Given a session of 3 questions and their answers
      And it was written as a tree
      And OpenCode changed the last text to "No."
      When that tree is read
      Then the import says "the files are no longer as brim exported them: the session is what they hold"

  @SES_03
  Rule: A tree that OpenCode wrote is read too
    Source: the storage structure of OpenCode as in the comparison of OpenCode and Claude Code (S2,
    section 3, Session Persistence).

    Scenario: A session of OpenCode
      Given a session of the project "/home/dev/parser" with
        | speaker   | says            |
        | user      | Look at it.     |
        | assistant | It is all fine. |
      And it was written as a tree
      When that tree is read as a session of OpenCode
      Then the new session shows
        | speaker   | says            |
        | user      | Look at it.     |
        | assistant | It is all fine. |

  @SES_03
  Rule: What is no whole tree is refused, and a session that is there is not written over
    Source: brim.

    Scenario: A session that is in the tree already
      Given a session of 2 turns
      And it was written as a tree
      When it is written as a tree
      Then it is refused

    Scenario Outline: A folder of the tree that is a link is not written through
      Given a session of the project "/home/dev/parser" with
        | speaker | says        |
        | user    | Look at it. |
      And the folder "<folder>" of its tree is a link to another folder
      When it is written as a tree
      Then the link is named as one that is not followed, and the other folder is empty

      Examples:
        | description            | folder                  |
        | the messages           | message                 |
        | the log                | brim/SESSION.jsonl      |

    Scenario Outline: What cannot be read
      Given a session of 2 turns
      And it was written as a tree
      And the tree has <fault>
      When that tree is read
      Then <outcome>

      Examples:
        | description     | fault                                | outcome              |
        | no messages     | no messages                          | it is not understood |
        | a newer brim    | a version that does not exist yet    | it is refused        |
        | the log is gone | no log                               | it is not understood |
        | a hostile id    | a session called "../../elsewhere"   | it is not understood |
