Feature: Records of OpenCode
  OpenCode writes a session, its messages and their parts as objects with many fields. Where brim has a place for
  a field, the field is there after an import. Every field, also one that brim has no use for, is in the export.
  In the tables, `exported again` means that the export is the only place.

  @SES_16
  Rule: Each field that OpenCode writes is where the user looks for it, and the export has all of them unchanged
    Source: the structures in the comparison of OpenCode and Claude Code (S2, section 3, Session Persistence), and
    sessions that OpenCode 1.2 and 1.4 really wrote. The comparison shows no fields of parts but those of the
    compaction and of a tool: the others are those that OpenCode writes.

    Scenario: The session
      Given OpenCode wrote a session with
        | field              | value            | in brim           |
        | id                 | ses_parser       | its id            |
        | title              | The parser       | its title         |
        | parentID           | ses_caller       | its parent        |
        | projectID          | e636a08f         | exported again    |
        | directory          | /home/dev/parser | its project       |
        | time.created       | 12:00:00         | when it was made  |
        | time.updated       | 12:09:00         | exported again    |
        | time.accessed      | 12:09:30         | exported again    |
        | auto               | true             | exported again    |
        | version            | 1.2.26           | exported again    |
        | summary.additions  | 727              | exported again    |
      When it is imported and exported as a tree
      Then each field is where the table says
      And the export has every field that OpenCode wrote

    Scenario: A message of the user
      Given OpenCode wrote a message of the user with
        | field            | value           | in brim                     |
        | id               | msg_1           | exported again              |
        | role             | user            | who speaks                  |
        | time.created     | 12:00:01        | the time of the message     |
        | agent            | plan            | exported again              |
        | model.providerID | openai          | exported again              |
        | model.modelID    | gpt-5           | exported again              |
        | system           | Be brief.       | noted as left in the file   |
        | tools.bash       | false           | exported again              |
      When it is imported and exported as a tree
      Then each field is where the table says
      And the export has every field that OpenCode wrote

    Scenario: An answer
      Given OpenCode wrote an answer with
        | field              | value            | in brim                                    |
        | id                 | msg_2            | the response that the message is part of   |
        | role               | assistant        | who speaks                                 |
        | time.created       | 12:00:02         | the time of the message                    |
        | time.completed     | 12:00:09         | exported again                             |
        | parentID           | msg_1            | exported again                             |
        | modelID            | gpt-5            | the model of the session, with the provider |
        | providerID         | openai           | the model of the session, with the provider |
        | mode               | plan             | exported again                             |
        | agent              | plan             | the agents of the session                  |
        | path.cwd           | /home/dev/parser | exported again                             |
        | path.root          | /home/dev/parser | its project                                |
        | cost               | 0.25             | the cost of the session                    |
        | tokens.input       | 400              | the usage: input and cache write           |
        | tokens.output      | 50               | the usage: output and reasoning            |
        | tokens.reasoning   | 30               | the usage: reasoning                       |
        | tokens.cache.read  | 200              | the usage: cache read                      |
        | tokens.cache.write | 300              | the usage: cache write                     |
        | tokens.total       | 980              | the usage: total                           |
        | finish             | stop             | exported again                             |
        | variant            | high             | exported again                             |
      When it is imported and exported as a tree
      Then each field is where the table says
      And the export has every field that OpenCode wrote

    Scenario Outline: Words of the model
      Given OpenCode wrote a part of an answer with
        | field      | value       | in brim          |
        | type       | <type>      | exported again   |
        | text       | It was moved. | <place>        |
        | metadata.<field> | <value> | <metadata>     |
        | time.start | 12:00:03    | exported again   |
      When it is imported and exported as a tree
      Then each field is where the table says
      And the export has every field that OpenCode wrote

      Examples:
        | description | type      | place                 | field               | value    | metadata                  |
        | a text      | text      | a text that is sent   | openai.itemId       | msg_0173 | exported again            |
        | reasoning   | reasoning | thinking that is sent | anthropic.signature | c2lnbmVk | the signature of thinking |

    Scenario Outline: A tool
      Given OpenCode wrote a part of an answer with
        | field               | value    | in brim                   |
        | type                | tool     | exported again            |
        | callID              | call_7   | the id of a call          |
        | tool                | bash     | the name of a called tool |
        | state.status        | <status> | <place>                   |
        | state.input.command | ls       | the input of a call       |
        | state.<field>       | <value>  | <in brim>                 |
      When it is imported and exported as a tree
      Then each field is where the table says
      And the export has every field that OpenCode wrote

      Examples:
        | description | status    | place                                 | field          | value         | in brim                |
        | answered    | completed | a result that is no failure           | output         | parser.py     | the words of a result  |
        | when        | completed | a result that is no failure           | time.end       | 12:00:04      | the time of the result |
        | cleared     | completed | a result that is no failure           | time.compacted | 12:00:08      | a clearing             |
        | failed      | error     | a result that is a failure            | error          | No such file. | the words of a result  |
        | still runs  | running   | a result that says that there is none | title          | Lists         | exported again         |

    Scenario: The end of a step, where the answer itself counted nothing
      Given OpenCode wrote an answer with
        | field         | value | in brim        |
        | cost          | 0     | exported again |
        | tokens.input  | 0     | exported again |
        | tokens.output | 0     | exported again |
      And OpenCode wrote a part of an answer with
        | field              | value       | in brim                          |
        | type               | step-finish | exported again                   |
        | reason             | stop        | exported again                   |
        | snapshot           | 1ddbb3cd    | exported again                   |
        | cost               | 0.5         | the cost of the session          |
        | tokens.input       | 400         | the usage: input and cache write |
        | tokens.output      | 50          | the usage: output and reasoning  |
        | tokens.reasoning   | 0           | the usage: reasoning             |
        | tokens.cache.read  | 0           | the usage: cache read            |
        | tokens.cache.write | 0           | the usage: cache write           |
      When it is imported and exported as a tree
      Then each field is where the table says
      And the export has every field that OpenCode wrote

    Scenario Outline: A part for checkpoints, files and sub-agents
      Given OpenCode wrote <a part> of the type <type> whose <field> is <value>
      When it is imported and exported as a tree
      Then the export has every field that OpenCode wrote

      Examples: Kept for checkpoints
        | description               | a part              | type        | field    | value       |
        | the beginning of a step   | a part of an answer | step-start  | snapshot | 1ddbb3cd    |
        | what a step changed       | a part of an answer | patch       | hash     | 1ddbb3cd    |

      Examples: Kept for OpenCode
        | description               | a part               | type    | field       | value          |
        | a file                    | a part of a question | file    | filename    | a picture      |
        | what a sub-agent is asked | a part of a question | subtask | prompt      | Find it.       |
        | a request made again      | a part of an answer  | retry   | attempt     | 2              |

    Scenario Outline: A compaction and who asked for it
      Given OpenCode compacted the session, and <who> asked for it
      When it is imported and exported as a tree
      Then the compaction is one of the session that was <kind>
      And its summary is marked as one, with its model and its cost
      And the export has every field that OpenCode wrote

      Examples:
        | description   | who      | kind      |
        | due           | OpenCode | automatic |
        | asked by hand | the user | by hand   |

    Scenario Outline: An output that OpenCode cleared stays cleared where a compaction kept its turn
      Given OpenCode compacted the first turn and kept an output, which it cleared <when>
      When it is imported and exported as a tree
      Then brim sends a placeholder in the place of that output
      And the summary says that it replaces 2 messages
      And the export has every field that OpenCode wrote

      Examples:
        | description           | when       |
        | before the compaction | before it  |
        | after the compaction  | after it   |

    Scenario: The changes to files
      Given OpenCode wrote changes to files beside the session
      When it is imported and exported as a tree
      Then the export has the changes to files

  @SES_16
  Rule: Nothing is sent that OpenCode would not send, and all of it is exported
    Source: the structures in the comparison of OpenCode and Claude Code (S2, section 3), its filter of failed
    answers (S2, section 2) and the reverted state of a session (S2, section 4).

    Scenario Outline: An answer that ended with an error
      Given OpenCode wrote an answer of <parts> that ended with <error>
      When it is imported and exported as a tree
      Then brim sends <count> messages of <count> in the log
      And the export has every field that OpenCode wrote

      Examples:
        | description                | parts        | error                                | count |
        | stopped by the user        | a text       | "MessageAbortedError" "Stopped."     | 3     |
        | stopped before it began    | no text      | "MessageAbortedError" "Stopped."     | 2     |
        | the provider failed        | a text       | "APIError" "Overloaded."             | 2     |

    Scenario: The error of a failed answer
      Given OpenCode wrote an answer of a text that ended with "APIError" "Overloaded."
      When it is imported and exported as a tree
      Then the import says "1 answer is not sent; it ended with: APIError: Overloaded."

    Scenario Outline: The user went back in OpenCode
      Given OpenCode wrote 3 questions and their answers
      And the user went back to before <message> in OpenCode
      When it is imported and exported as a tree
      Then brim sends <count> messages of 6 in the log
      And the export has every field that OpenCode wrote

      Examples:
        | description        | message            | count |
        | the last question  | the last question  | 4     |
        | all of it          | the first question | 0     |

    Scenario: The session went on after the user had gone back
      Given OpenCode wrote 3 questions and their answers
      And the user went back to before the last question in OpenCode
      And it is imported, and then a question is added
      When it is exported as a tree
      Then the tree says nothing of going back
      And the tree holds 5 messages, the last "And now?"

    Scenario: What was taken back in OpenCode is brought back in brim
      Given OpenCode wrote 3 questions and their answers
      And the user went back to before the last question in OpenCode
      And it is imported, and then the going back is undone
      When it is exported as a tree
      Then the tree says nothing of going back
      And the tree holds 6 messages, the last "Beside it."

    Scenario: OpenCode goes on with a session that brim exported
      Given OpenCode wrote 1 question and its answer
      And it is imported, and then a question is added
      When it is exported as a tree, OpenCode answers there, and the tree is imported
      Then brim sends 4 messages of 4 in the log
      And brim sends "Beside it." last

  @SES_16
  Rule: A session keeps the id that it had in OpenCode, so that sub-agents find the session that called them
    Source: the parent of a session in the comparison of OpenCode and Claude Code (S2, section 3), and brim.

    Scenario: A sub-agent
      Given a tree of OpenCode with a session and that of its sub-agent
      When both are imported
      Then the session of the sub-agent is a child of the other

    Scenario: Exported beside the messages of the session it came from
      Given OpenCode wrote 1 question and its answer
      When it is imported 2 times, and both are exported into one tree
      Then the second export is refused, and the tree is as it was after the first
