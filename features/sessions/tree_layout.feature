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
      Given a session in which a tool was called
      When it is written as a tree
      Then one part tells the tool, what it was given and what it answered
      And no other part is of a tool

    Scenario: A compaction is a question of the user's and a summary that answers it
      Given a session of 40 turns that was compacted
      When it is written as a tree
      Then a message of the user asks for a compaction
      And a finished summary answers it

    Scenario: What was rewound is no message of the tree
      Given a session of 4 turns that went back to its turn 2
      When it is written as a tree
      Then the tree holds 4 messages

    Scenario: What no message of the tree holds lies beside, a file each
      Given a session of 4 turns that went back to its turn 2
      When it is written as a tree
      Then the tree holds
        | room | below   | files |
        | brim | session | 6     |

    Scenario: The files are the user's alone
      Given a session of 2 turns
      When it is written as a tree
      Then nobody else can read a file of it

  @SES_03
  Rule: A session that went through the tree is the same conversation
    Source: brim; that the layout is read as well as written is asked for by the comparison of OpenCode and
    Claude Code (S2, section 3, Session Persistence).

    Scenario Outline: There and back
      Given <session>
      When it is written as a tree and read from it
      Then the new session shows what the old one shows
      And its log tells the same in the same order

      Examples: Conversations
        | description      | session                                       |
        | words            | a session of 2 turns                          |
        | thinking         | a session of 3 turns with thinking            |
        | a tool           | a session in which a tool was called          |
        | a failed tool    | a session in which a tool failed              |
        | an open call     | a session that ends with a call               |
        | an image         | a session with an image                       |
        | an unknown block | a session with a block of an unknown kind     |
        | nothing          | a session of 0 turns                          |

      Examples: What happened to them
        | description   | session                                           |
        | compacted     | a session of 40 turns that was compacted          |
        | undone        | a session whose compaction was undone             |
        | cleared       | a session whose old output was cleared            |
        | gone back     | a session of 4 turns that went back to its turn 2 |
        | measured      | a session with a measured answer                  |
        | changed files | a session that carries changes to files           |

    Scenario: The title, the model and the project come along
      Given a session called "The parser" of the project "/home/dev/parser" with the model "some-model"
      When it is written as a tree and read from it
      Then the new session is called the same, and has the same project and model

    Scenario: The times come along
      Given it is 2026-03-01 12:00
      And a session of 2 turns
      And 2 minutes pass
      When it is written as a tree and read from it
      Then every record of the new session is of the time it had

    Scenario: Another model was chosen on the way
      Given a session that went on with another model
      When it is written as a tree and read from it
      Then the new session is called the same, and has the same project and model

    Scenario Outline: The names of the session and of the one it came from
      Given a session whose id is <id>, and that of its parent <parent>
      When it is written as a tree and read from it
      Then the new session has the same parent

      Examples:
        | description             | id                    | parent                      |
        | any                     | any                   | any                         |
        | the longest             | one of 128 characters | one of 128 characters       |
        | as OpenCode names them  | any                   | one that begins as OpenCode's |

    Scenario: An undo still works on the other side
      Given a session of 40 turns that was compacted
      When it is written as a tree, read from it, and the compaction undone there
      Then the new session shows what the old one showed before the compaction

  @SES_03
  Rule: A tree that OpenCode wrote is read too
    Source: the storage structure of OpenCode as in the comparison of OpenCode and Claude Code (S2,
    section 3, Session Persistence).

    Scenario: A session of OpenCode
      Given a tree that knows nothing of brim, of
        | speaker   | says            |
        | user      | Look at it.     |
        | assistant | It is all fine. |
      When that tree is read
      Then the new session shows
        | speaker   | says            |
        | user      | Look at it.     |
        | assistant | It is all fine. |

    Scenario: A compaction of OpenCode
      Given a session of 40 turns that was compacted
      When it is written as a tree, and read by one who knows nothing of brim
      Then the new session shows the summary, and no more of the rest than the old one

  @SES_03
  Rule: What is no whole tree is refused, and a session that is there is not written over
    Source: brim.

    Scenario: A session that is in the tree already
      Given a session of 2 turns
      When it is written as a tree 2 times
      Then it is refused

    Scenario Outline: An unfinished export is replaced
      Given a session of 2 turns of which <files> files were written into a tree, and then 2 messages taken back
      When it is written as a tree and read from it
      Then the new session shows what the old one shows
      And the tree holds what one holds that was written at once

      Examples:
        | description            | files |
        | nothing but its rooms  | 0     |
        | a message, but no part | 1     |
        | half of it             | 5     |
        | all but the session    | 10    |

    Scenario Outline: An export deletes nothing but what an export wrote
      Given a session of 2 turns of which 5 files were written into a tree, and then 2 messages taken back
      And the tree holds <thing>
      When it is written as a tree once more
      Then nothing beside what an export wrote has changed

      Examples:
        | description                        | thing                                          |
        | a name that leads out of a folder  | a message file "...json" beside other folders  |
        | a link to another folder           | a part folder that is a link to another folder |

    Scenario Outline: A folder of the tree that is a link is not written through
      Given a session of the project "/home/dev/parser" with
        | speaker | says        |
        | user    | Look at it. |
      And the folder "<folder>" of its tree is a link to another folder
      When it is written as a tree once more
      Then the link is named as one that is not followed, and the other folder is empty

      Examples:
        | description            | folder                  |
        | the sessions           | session                 |
        | those of a project     | session/parser-70aae470 |
        | the messages           | message                 |
        | those of the session   | message/SESSION         |
        | the parts              | part                    |
        | the changes to files   | session_diff            |
        | brim's                 | brim                    |
        | brim's, of the session | brim/SESSION            |

    Scenario: Messages that no brim wrote
      Given a session of 2 turns that was written as a tree
      And its session is gone, and what brim keeps beside
      When it is written as a tree once more
      Then it is refused

    Scenario Outline: What cannot be read
      Given a session of 2 turns that was written as a tree
      And <fault>
      When that tree is read
      Then <outcome>

      Examples:
        | description     | fault                                      | outcome              |
        | no messages     | its messages are gone                      | it is not understood |
        | no session      | its session is gone                        | it is not understood |
        | a newer brim    | it is of a version that does not exist yet | it is refused        |
        | changed by hand | what brim keeps in it was changed          | it is not understood |
        | a file is gone  | a file of what brim keeps in it is gone    | it is not understood |
        | not a tree      | a message is named in place of the session | it is not understood |

    Scenario: A session whose id is no name for a file
      Given a tree whose session is called "../../elsewhere"
      When that tree is read
      Then it is not understood
