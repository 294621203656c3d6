Feature: LangChain
  An agent of LangChain keeps the whole conversation. A middleware decides what of it is sent to the model: all of it
  while there is room, and what the last compaction made of it afterwards, wherever the application keeps the messages.
  The usable context has 7,000 tokens, each answer and each file about 875, and each call that is sent has its result.

  @ADP_01
  Rule: No request of a LangChain agent exceeds the usable context, wherever its messages are kept
    Source: defects of this project, whose requests grew without bound: the record of a compaction was lost, while the
    usage of a response to the compacted messages was taken for a measure of all of them.

    Scenario Outline: A conversation of three windows is sent in parts
      When a user talks with an agent of LangChain
        | questions   | files   | kept   | in a loop |
        | <questions> | <files> | <kept> | <loop>    |
      Then the too large is ""
      And the summaries are "<summaries>"

      Examples: Its messages are kept
        | description                        | questions | files | kept                                          | loop | summaries |
        | a thread of its own                | 24        |       | by its checkpointer                           |      | 3         |
        | a database                         | 24        |       | by the caller, as JSON                        |      | 3         |
        | a node of another graph            | 24        |       | by the checkpointer of a parent graph         |      | 3         |
        | in an event loop                   | 12        |       | by its checkpointer                           | yes  | 1         |
        | with tools, text and size          | 8         | 3     | by the caller, who builds new message objects |      | 6         |

    Scenario Outline: A question that does not fit beside the rest of its request is refused before the model is called
      When a user talks with an agent of LangChain
        | questions   | sizes   | system   | tool   | model states |
        | <questions> | <sizes> | <system> | <tool> | <states>     |
      Then the result is
        | too large | requests   | refused   | error   |
        |           | <requests> | <refused> | <error> |

      Examples:
        | description          | questions | sizes    | system | tool  | states          | requests | refused | error                                                |
        | it fits              | 6         | 6: 6,000 |        |       |                 | 6        | 0       |                                                      |
        | too large            | 6         | 6: 7,001 |        |       |                 | 5        | 1       | …the user's last message 7,001. Shorten the largest… |
        | a long system prompt | 1         | 1: 3,000 | 4,001  |       |                 | 0        | 1       | …system prompt 4,001,…                               |
        | a large tool         | 1         | 1: 3,000 |        | 4,001 |                 | 0        | 1       | …tools 4,040,…                                       |

    Scenario Outline: The compaction after the provider's overflow error holds for the next questions
      When a user talks with an agent of LangChain
        | questions | kept   | refusal                               |
        | 6         | <kept> | 4: 400 prompt is too long: 9 > 8 maximum |
      Then the result is
        | refused | summaries | holds what was kept |
        | 0       | 1         | yes                 |

      Examples:
        | description         | kept                                          |
        | a thread of its own | by its checkpointer                           |
        | without a record    | by the caller, who builds new message objects |

    Scenario Outline: A compacted request that the provider refuses is repeated without another summary
      When a user talks with an agent of LangChain
        | questions   | kept   | restart   | refusal                |
        | <questions> | <kept> | <restart> | <turn>: 529 overloaded |
      Then the result is
        | refused | error      | summaries   |
        | 1       | overloaded | <summaries> |

      Examples: Compactions precede the answers to questions 9 and 16
        | description           | kept                                          | turn | restart | questions | summaries |
        | the first compaction  | by its checkpointer                           | 9    | 9       | 12        | 1         |
        | without a record      | by the caller, who builds new message objects | 9    | 12      | 12        | 1         |

    Scenario Outline: After the provider's overflow error the compaction acts even if it removes little
      When a user talks with an agent of LangChain
        | questions | compaction | in a loop | refusal                                       |
        | <turn>    | <switch>   | <loop>    | <turn>: 400 prompt is too long: 9 > 8 maximum |
      Then the result is
        | refused   | error   | summaries   |
        | <refused> | <error> | <summaries> |

      Examples:
        | description         | turn | switch | loop | refused | error                                             | summaries |
        | in an event loop    | 4    |        | yes  | 0       |                                                   | 1         |
        | only the question   | 1    |        |      | 1       | …the user's last message 3. Shorten the largest… | 0         |
        | compaction is off   | 4    | off    |      | 1       | prompt is too long: 9 > 8 maximum                 | 0         |

  @ADP_02
  Rule: A LangChain agent pays for no further summary after three in a row that leave compaction due
    Source: a defect of this project. The third compaction was refused and not recorded, so that each request made it again.

    Scenario Outline: A system prompt that exceeds the threshold costs three summaries
      When a user talks with an agent of LangChain
        | questions | kept   | restart   | threshold | system |
        | 7         | <kept> | <restart> | 5,000     | 5,200  |
      Then the result is
        | summaries | refused | error                        |
        | 3         | 3       | 3 compactions in a row left… |

      Examples: The first question leaves nothing to compact
        | description                | kept                   | restart |
        | a restart during the three | by its checkpointer    | 3       |
        | a database                 | by the caller, as JSON | 3       |

    Scenario Outline: A file that does not fit is read three times
      When a user talks with an agent of LangChain
        | questions | files | file size |
        | 1         | 1     | <size>    |
      Then the result is
        | refused   | error   | summaries   |
        | <refused> | <error> | <summaries> |

      Examples:
        | description     | size  | refused | error                                            | summaries |
        | it fits         | 6,000 | 0       |                                                  | 0         |
        | it does not fit | 8,000 | 1       | …removed the newest tool results, 8,000 tokens… | 3         |

  @ADP_02
  Rule: The record of a compaction is kept with the messages, and survives a restart
    Source: a decision of this project. A summary costs a request to a model, and what it does not say is lost.

    Scenario Outline: After a restart the last compaction is still used
      When a user talks with an agent of LangChain
        | questions | kept   | restart |
        | 12        | <kept> | 10      |
      Then the result is
        | too large | summaries | holds what was kept |
        |           | 1         | yes                 |

      Examples:
        | description             | kept                                  |
        | a database              | by the caller, as JSON                |
        | a node of another graph | by the checkpointer of a parent graph |

    Scenario Outline: The facts and identifiers of each compaction are known to the later ones
      When a user talks with an agent of LangChain
        | questions | kept   | restart   | says                                            | first answer      |
        | 24        | <kept> | <restart> | <turn>: question <turn>: never touch the lexer. | <first>           |
      Then the summaries are "3"
      And the last summary says "\n- question <turn>: never touch the lexer.\n"
      And the index is "<paths>"

      Examples: Compactions precede the answers to questions 9, 16 and 23
        | description                 | kept                                          | restart | turn | first             | paths                    |
        | said between two of them    | by its checkpointer                           | 10      | 12   | See docs/pier.md. | …\n- paths: docs/pier.md |
        | a database, between two     | by the caller, as JSON                        | 20      | 12   | See docs/pier.md. | …\n- paths: docs/pier.md |

  @ADP_04
  Rule: If the record of a compaction is lost, brim compacts the LangChain conversation once more and warns
    Source: a decision of this project. Before, every second request carried the whole conversation.

    Scenario: The record of the compaction is lost with a restart
      When a user talks with an agent of LangChain
        | questions | kept                                          | restart |
        | 12        | by the caller, who builds new message objects | 10      |
      Then the too large is ""
      And the summaries are "2"
      And it warns "…came back without the record of its compaction…"

  @ADP_09
  Rule: The summary request of a LangChain agent quotes the conversation in one message
    Source: a decision of this project; the chat model that writes summaries may be another than the agent's, and a
    request of LangChain's own is not repeated.

    Scenario: A chat model writes the summaries
      When a user talks with an agent of LangChain
        | questions | threshold | summaries by   |
        | 6         | 4,000     | All went well. |
      Then the summaries are "1"
      And the messages of summary requests are "1"
      And the first summary request says "quote-"
      And the first summary request says "question 1"

  @ADP_08
  Rule: The user who reads the stream of a LangChain agent does not see the summarizer's tokens
    Source: LangGraph's documentation of the tag "nostream". Before, the summary was streamed as words of the agent.

    Scenario Outline: A compaction is made while the answer is streamed
      When a user talks with an agent of LangChain
        | questions | streamed | summaries by  |
        | 9         | <way>    | Secret words. |
      Then the summaries are "1"
      And the user read is "9 answers"

      Examples:
        | description | way              |
        | astream     | in an event loop |
