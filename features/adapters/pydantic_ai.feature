Feature: pydantic-ai
  A history processor decides what of a conversation is sent to the model. pydantic-ai takes what it returns for the
  history of the run; the application stores that, or the messages that each run added, and passes them to the next run.
  The usable context has 7,000 tokens, each answer and each file about 875, and each call that is sent has its result.

  @ADP_05
  Rule: No request of a pydantic-ai agent exceeds the usable context, in any form that the application stores
    Source: ADP_01, for this library. After a restart the whole conversation was sent, while the usage of a response to
    the compacted history was taken for a measure of all of it.

    Scenario Outline: A history of three windows is sent in parts
      When a user talks with an agent of pydantic-ai
        | questions   | files   | kept   |
        | <questions> | <files> | <kept> |
      Then the too large is ""
      And the summaries are "<summaries>"

      Examples: The application keeps the messages
        | description                        | questions | files | kept                                     | summaries |
        | the compacted history              | 24        |       | all messages of the last run             | 3         |
        | a database, the compacted history  | 24        |       | all messages of the last run, as JSON    | 3         |
        | with tools                         | 8         | 3     | the new messages of each run             | 6         |
        | compactions in a run are forgotten | 8         | 3     | the new messages of each run, built anew | 6         |

    Scenario Outline: The next run counts what the last response of the run before reported
      When a user talks with an agent of pydantic-ai
        | questions | files | kept   | only estimated |
        | 5         | 3     | <kept> | 3: 5,500       |
      Then the summaries are "2"

      Examples: Question 3 is estimated at 5,500 tokens, and the provider counts 1
        | description             | kept                                  |
        | the compacted history   | all messages of the last run          |
        | a database              | the new messages of each run, as JSON |

    Scenario Outline: A run without a question goes on from a compacted history
      When a user talks with an agent of pydantic-ai
        | questions   | kept   | instructions | says   |
        | <questions> | <kept> | 10           | <says> |
      Then the too large is ""
      And the summaries are "<summaries>"

      Examples: Its request holds the instructions alone
        | description             | questions | kept                                  | says | summaries |
        | nothing is due          | 7         | the new messages of each run          | 7:   | 0         |
        | compaction is due       | 9         | the new messages of each run          | 9:   | 1         |
        | the compacted history   | 10        | all messages of the last run, as JSON | 9:   | 1         |

    Scenario Outline: A question that does not fit beside the rest of its request is refused before the model is called
      When a user talks with an agent of pydantic-ai
        | questions   | sizes   | system   | instructions   | tool   | model states |
        | <questions> | <sizes> | <system> | <instructions> | <tool> | <states>     |
      Then the result is
        | too large | requests   | refused   | error   |
        |           | <requests> | <refused> | <error> |

      Examples:
        | description          | questions | sizes    | system | instructions | tool  | states          | requests | refused | error                              |
        | it fits              | 6         | 6: 6,000 |        |              |       |                 | 6        | 0       |                                    |
        | too large            | 6         | 6: 7,001 |        |              |       |                 | 5        | 1       | …the user's last message 7,001. Shorten the largest… |
        | a long system prompt | 1         | 1: 3,000 | 4,001  |              |       |                 | 0        | 1       | …system prompt 4,001,…             |
        | long instructions    | 1         | 1: 3,000 |        | 4,001        |       |                 | 0        | 1       | …system prompt 4,001,…             |
        | a large tool         | 1         | 1: 3,000 |        |              | 4,001 |                 | 0        | 1       | …tools 4,0…                        |
        | long answers         | 1         | 1: 3,000 |        |              |       | 8,000 and 5,001 | 0        | 1       | …the user's last message 3,000…    |

  @ADP_06
  Rule: A pydantic-ai agent pays for no further summary after three in a row that leave compaction due
    Source: a defect of this project. The third compaction was refused and not recorded, so that each request made it again.

    Scenario Outline: A system prompt that exceeds the threshold costs three summaries
      When a user talks with an agent of pydantic-ai
        | questions | kept   | restart   | threshold | system |
        | 7         | <kept> | <restart> | 5,000     | 5,200  |
      Then the result is
        | summaries | refused | error                          |
        | 3         | 3       | 3 compactions in a row left… |

      Examples: The first question leaves nothing to compact
        | description                | kept                                  | restart |
        | a restart during the three | the new messages of each run, as JSON | 3       |
        | the compacted history      | all messages of the last run, as JSON | 3       |

  @ADP_06
  Rule: The record of a compaction is kept in the messages that pydantic-ai returns, and survives a restart
    Source: ADP_02, for this library: its messages have a place for data of the application, which no provider is sent.

    Scenario Outline: After a restart the last compaction of the history is still used
      When a user talks with an agent of pydantic-ai
        | questions   | files   | kept   | restart   |
        | <questions> | <files> | <kept> | <restart> |
      Then the too large is ""
      And the summaries are "<summaries>"

      Examples:
        | description                     | questions | files | kept                                  | restart | summaries |
        | the compacted history           | 12        |       | all messages of the last run, as JSON | 10      | 1         |
        | in the middle of work with tools | 8        | 3     | the new messages of each run, as JSON | 3       | 6         |

    Scenario Outline: After a restart the next compaction knows the facts of the last one
      When a user talks with an agent of pydantic-ai
        | questions   | kept                                  | restart   | only estimated | says                                  |
        | <questions> | the new messages of each run, as JSON | <restart> | <estimated>    | 1: question 1: never touch the lexer. |
      Then the summaries are "<summaries>"
      And the last summary says "\n- question 1: never touch the lexer.\n"

      Examples:
        | description                | questions | restart | estimated | summaries |
        | due by what is reported    | 24        | 10      |           | 3         |
        | due by the estimate alone  | 13        | 12      | 10: 2,500 | 2         |

  @ADP_07
  Rule: If the record of a compaction is lost, brim compacts the pydantic-ai history once more and warns
    Source: ADP_04, for this library.

    Scenario Outline: The record is lost with a restart, or comes back
      When a user talks with an agent of pydantic-ai
        | questions   | files   | kept   | restart   | only estimated |
        | <questions> | <files> | <kept> | <restart> | <estimated>    |
      Then the too large is ""
      And the summaries are "2"
      And it warns "<warning>"

      Examples:
        | description              | questions | files | kept                                     | restart | estimated | warning                                             |
        | the metadata is lost     | 12        |       | the new messages of each run, built anew | 10      |           | …came back without the record of its compaction… |
        | the compacted history    | 5         | 2     | all messages of the last run, as JSON    | 4       | 4: 3,000  |                                                     |
