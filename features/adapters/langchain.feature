Feature: LangChain
  An agent of LangChain keeps the whole conversation. A middleware decides what of it is sent to the model: all of it
  while there is room, and what the last compaction made of it afterwards, wherever the application keeps the messages.

  @ADP_01
  Rule: No request of a LangChain agent exceeds the usable context, wherever its messages are kept
    Source: defects of this project, whose requests grew without bound: the record of a compaction was lost, while the
    usage of a response to the compacted messages was taken for a measure of all of them.

    Scenario Outline: A conversation of three windows is sent in parts
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its messages are kept <place>
      When the user asks <turns> questions, each answered with about 875 tokens
      Then no request held more than 7,000 tokens
      And it cost <summaries>

      Examples: Answers alone
        | description                        | place                                         | turns | summaries   |
        | a thread of its own                | by its checkpointer                           | 24    | 3 summaries |
        | the caller's list                  | by the caller                                 | 24    | 3 summaries |
        | a database                         | by the caller, as JSON                        | 24    | 3 summaries |
        | no field but the text and the size | by the caller, who builds new message objects | 24    | 3 summaries |
        | ids of each turn                   | by the caller, without their ids              | 24    | 3 summaries |
        | a node of another graph            | by the checkpointer of a parent graph         | 24    | 3 summaries |

    Scenario Outline: A conversation with tool calls is sent in parts
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its messages are kept <place>
      When the user asks <turns> questions, each answered after reading 3 files of about 875 tokens
      Then no request held more than 7,000 tokens
      And every tool call that was sent has its result
      And it cost 4 summaries

      Examples:
        | description                        | place                                         | turns |
        | a thread of its own                | by its checkpointer                           | 8     |
        | the caller's list                  | by the caller                                 | 8     |
        | a database                         | by the caller, as JSON                        | 8     |
        | no field but the text and the size | by the caller, who builds new message objects | 8     |
        | a node of another graph            | by the checkpointer of a parent graph         | 8     |

    Scenario Outline: Clearing is enough by the model's own count, which is below the estimate of four characters a token
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its model counts <characters> characters a token
      And it clears old outputs if that saves 500 tokens
      When the user asks 12 questions, each answered after reading 1 files of about 875 tokens
      Then the user met no error
      And no request held more than 7,000 tokens

      Examples:
        | description | characters |
        | four        | 4          |
        | five        | 5          |
        | six         | 6          |

    Scenario Outline: The system prompt, the tools and the longest answer count besides the messages
      Given an agent of LangChain with a usable context of 7,000 tokens
      And <besides>
      When the user asks 5 questions, each answered with about 875 tokens
      Then it cost <summaries>

      Examples:
        | description          | besides                                                        | summaries  |
        | nothing besides      | its system prompt takes 10 tokens                              | no summary |
        | a long system prompt | its system prompt takes 4,000 tokens                           | 1 summary  |
        | a large tool         | the description of its tool takes 4,000 tokens                 | 1 summary  |
        | a model's own limits | its model states a window of 8,000 and answers of 5,000 tokens | 1 summary  |

    Scenario Outline: The first question is refused where it does not fit beside the rest of its request
      Given an agent of LangChain with a usable context of 7,000 tokens
      And <besides>
      And question 1 takes 3,000 tokens
      When the user asks 1 questions, each answered with about 875 tokens
      Then the user met <errors>
      And the model was called <calls> times

      Examples:
        | description          | besides                                                        | errors                                       | calls |
        | nothing besides      | its system prompt takes 10 tokens                              | no error                                     | 1     |
        | a long system prompt | its system prompt takes 4,001 tokens                           | 1 error: "system prompt 4,001,"              | 0     |
        | a large tool         | the description of its tool takes 4,001 tokens                 | 1 error: "tools 4,040,"                      | 0     |
        | a model's own limits | its model states a window of 8,000 and answers of 5,001 tokens | 1 error: "the user's last message 3,000"     | 0     |

    Scenario: An agent in an event loop stays within the usable context
      Given an agent of LangChain with a usable context of 7,000 tokens
      And it runs in an event loop
      When the user asks 12 questions, each answered with about 875 tokens
      Then no request held more than 7,000 tokens
      And it cost 1 summary

    Scenario: An agent in an event loop recovers from the provider's overflow error
      Given an agent of LangChain with a usable context of 7,000 tokens
      And it runs in an event loop
      And its provider refuses the request of turn 4 with 400: "prompt is too long: 8000 tokens > 7000 maximum"
      When the user asks 4 questions, each answered with about 875 tokens
      Then the user met no error
      And it cost 1 summary

    Scenario: After a switch to a model with a smaller window, its limits hold
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its model states a window of 8,000 and answers of 1,000 tokens
      And from turn 6 on its model states a window of 5,000 and answers of 1,000 tokens
      When the user asks 10 questions, each answered with about 875 tokens
      Then no request from turn 6 on held more than 4,000 tokens

    Scenario Outline: The compaction after the provider's overflow error holds for the next questions
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its messages are kept <place>
      And its provider refuses the request of turn 4 with 400: "prompt is too long: 8000 tokens > 7000 maximum"
      When the user asks 6 questions, each answered with about 875 tokens
      Then the user met no error
      And it cost 1 summary
      And the last request holds what the compaction kept

      Examples:
        | description         | place                                         |
        | a thread of its own | by its checkpointer                           |
        | a database          | by the caller, as JSON                        |
        | without a record    | by the caller, who builds new message objects |

    Scenario Outline: A compacted request that the provider refuses is repeated without another summary
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its messages are kept <place>
      And its process restarts after turn <restart>
      And its provider is overloaded at the request of turn <turn>, and the user repeats the question
      When the user asks <turns> questions, each answered with about 875 tokens
      Then the user met 1 error: "overloaded"
      And it cost <summaries>

      Examples: Compactions precede the answers to questions 9 and 16
        | description           | place                                         | turn | restart | turns | summaries   |
        | the first compaction  | by its checkpointer                           | 9    | 9       | 12    | 1 summary   |
        | the second compaction | by its checkpointer                           | 16   | 16      | 18    | 2 summaries |
        | a database            | by the caller, as JSON                        | 9    | 9       | 12    | 1 summary   |
        | without a record      | by the caller, who builds new message objects | 9    | 12      | 12    | 1 summary   |

    Scenario Outline: A question that does not fit is refused before the model is called
      Given an agent of LangChain with a usable context of 7,000 tokens
      And question 6 takes <size> tokens
      When the user asks 6 questions, each answered with about 875 tokens
      Then no request held more than 7,000 tokens
      And the user met <errors>
      And the model was called <calls> times

      Examples:
        | description | size  | errors                                                          | calls |
        | it fits     | 6,000 | no error                                                        | 6     |
        | too large   | 7,001 | 1 error: "the user's last message 7,001. Shorten the largest"   | 5     |

    Scenario Outline: After the provider's overflow error the compaction acts even if it removes little
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its provider refuses the request of turn <turn> with 400: "prompt is too long: 8000 tokens > 7000 maximum"
      When the user asks <turn> questions, each answered with about 875 tokens
      Then the user met <errors>
      And it cost <summaries>

      Examples:
        | description                  | turn | errors                                                   | summaries  |
        | three answers                | 4    | no error                                                 | 1 summary  |
        | two recent answers           | 3    | no error                                                 | 1 summary  |
        | one answer                   | 2    | no error                                                 | 1 summary  |
        | only the question            | 1    | 1 error: "the user's last message 3. Shorten the largest" | no summary |

    Scenario Outline: With automatic compaction off the user meets the provider's overflow error
      Given an agent of LangChain with a usable context of 7,000 tokens
      And automatic compaction is <switch>
      And its provider refuses the request of turn 4 with 400: "prompt is too long: 8000 tokens > 7000 maximum"
      When the user asks 4 questions, each answered with about 875 tokens
      Then the user met <errors>
      And it cost <summaries>

      Examples:
        | description | switch | errors                        | summaries  |
        | on          | on     | no error                      | 1 summary  |
        | off         | off    | 1 error: "prompt is too long" | no summary |

    Scenario: A summarizer for threads serves an agent in an event loop after the provider's overflow error
      Given an agent of LangChain with a usable context of 7,000 tokens
      And it runs in an event loop
      And a summarizer for threads writes its summaries: "The lexer is done."
      And its provider refuses the request of turn 4 with 400: "prompt is too long: 8000 tokens > 7000 maximum"
      When the user asks 4 questions, each answered with about 875 tokens
      Then the user met no error
      And it cost 1 summary

    Scenario Outline: An overflow is recognized by its status, its kind or its words
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its provider refuses the request of turn 6 with <status>: "<words>"
      When the user asks 8 questions, each answered with about 875 tokens
      Then the user met <errors>
      And it cost <summaries>

      Examples: The prompt is too long
        | status    | words                                                     | errors   | summaries  |
        | 400       | This model's maximum context length is 6000 tokens        | no error | 1 summary  |
        | 400       | prompt is too long: 6200 tokens > 6000 maximum            | no error | 1 summary  |
        | 413       | Request exceeds the maximum size                          | no error | 1 summary  |
        | no status | The input token count exceeds the maximum number of tokens | no error | 1 summary  |
        | the cause | prompt is too long: 6200 tokens > 6000 maximum            | no error | 1 summary  |
        | LangChain's own | it does not fit                                     | no error | 1 summary  |

      Examples: Something else is wrong
        | status    | words                                                | errors   | summaries  |
        | 429       | prompt is too long for your rate limit               | 1 error  | no summary |
        | no status | the connection was closed                            | 1 error  | no summary |

    Scenario Outline: A usage that cannot be read is reported once
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its provider reports an input of <input> tokens
      When the user asks 3 questions, each answered with about 875 tokens
      Then <times> say "a response's usage cannot be read"

      Examples:
        | description | input | times       |
        | a number    | 0     | no warnings |
        | below zero  | -1    | 1 warning   |

  @ADP_02
  Rule: After three compactions in a row that leave the window due, a LangChain agent pays for no other summary
    Source: a defect of this project. The third compaction was refused and not recorded, so that each request made it again.

    Scenario Outline: A system prompt that exceeds the threshold costs three summaries
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its messages are kept <place>
      And its process restarts after turn <restart>
      And its compactions are due from 5,000 tokens on, and its system prompt takes 5,200
      When the user asks 7 questions, each answered with about 875 tokens
      Then it cost 3 summaries
      And each of the last 3 questions met an error: "3 compactions in a row left"

      Examples: The first question leaves nothing to compact
        | description                | place                  | restart |
        | in one process             | by its checkpointer    | 7       |
        | a restart during the three | by its checkpointer    | 3       |
        | a restart after the three  | by its checkpointer    | 5       |
        | a database                 | by the caller, as JSON | 3       |

    Scenario Outline: A file that does not fit is read three times
      Given an agent of LangChain with a usable context of 7,000 tokens
      And each file takes <tokens> tokens
      When the user asks 1 questions, each answered after reading 1 files
      Then the user met <errors>
      And it cost <summaries>

      Examples:
        | description     | tokens | errors                                                         | summaries   |
        | it fits         | 6,000  | no error                                                       | no summary  |
        | it does not fit | 8,000  | 1 error: "removed the newest tool results, 8,000 tokens"       | 3 summaries |

  @ADP_02
  Rule: The record of a compaction is kept with the messages, and survives a restart
    Source: a decision of this project. A summary costs a request to a model, and what it does not say is lost.

    Scenario Outline: After a restart the last compaction is still used
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its messages are kept <place>
      And its process restarts after turn 10
      When the user asks 12 questions, each answered with about 875 tokens
      Then no request held more than 7,000 tokens
      And it cost 1 summary
      And the last request holds what the compaction kept

      Examples:
        | description             | place                                 |
        | a thread of its own     | by its checkpointer                   |
        | a database              | by the caller, as JSON                |
        | ids of each turn        | by the caller, without their ids      |
        | a node of another graph | by the checkpointer of a parent graph |

    Scenario Outline: The index of a later summary has the identifiers of what left before
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its messages are kept <place>
      And its process restarts after turn 10
      And the answer to question 1 ends with "See docs/pier.md."
      When the user asks 24 questions, each answered with about 875 tokens
      Then the index of the last summary has the line "- paths: docs/pier.md"

      Examples:
        | description         | place                  |
        | a thread of its own | by its checkpointer    |
        | a database          | by the caller, as JSON |

    Scenario Outline: The facts of each compaction are known to the later ones
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its messages are kept <place>
      And its process restarts after turn <restart>
      And question <turn> says "question <turn>: never touch the lexer."
      When the user asks 24 questions, each answered with about 875 tokens
      Then it cost 3 summaries
      And the last summary lists "- question <turn>: never touch the lexer."

      Examples: Compactions precede the answers to questions 9, 16 and 23
        | description                 | place                                         | restart | turn |
        | a thread of its own         | by its checkpointer                           | 10      | 1    |
        | said between two of them    | by its checkpointer                           | 10      | 12   |
        | a database                  | by the caller, as JSON                        | 10      | 1    |
        | a database, between two     | by the caller, as JSON                        | 20      | 12   |
        | without a record            | by the caller, who builds new message objects | 24      | 1    |

    Scenario Outline: A message that is removed later does not undo the compaction
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its messages are kept by its checkpointer
      And after turn 10 the application removes <message>
      When the user asks 12 questions, each answered with about 875 tokens
      Then no request held more than 7,000 tokens
      And it cost 1 summary
      And <message> was not sent again

      Examples:
        | description              | message                               |
        | sent until then          | a message that the compaction kept    |
        | not sent any more        | a message that the summary replaced |
        | it carries what is known | the first answer after the compaction |
        | the last that it covers  | the question that was compacted for, and its answer |

  @ADP_04
  Rule: If the record of a compaction is lost, brim compacts the LangChain conversation once more and warns
    Source: a decision of this project. Before, every second request carried the whole conversation.

    Scenario: The record of the compaction is lost with a restart
      Given an agent of LangChain with a usable context of 7,000 tokens
      And its messages are kept by the caller, who builds new message objects
      And its process restarts after turn 10
      When the user asks 12 questions, each answered with about 875 tokens
      Then no request held more than 7,000 tokens
      And it cost 2 summaries
      And a warning says "came back without the record of its compaction"

  @ADP_09
  Rule: The summary request of a LangChain agent quotes the conversation in one message
    Source: a decision of this project; the chat model that writes summaries may be another than the agent's, and a
    request of LangChain's own is not repeated.

    Scenario: A chat model writes the summaries
      Given an agent of LangChain with a usable context of 7,000 tokens
      And a compaction is due from 4,000 tokens on
      And a chat model writes its summaries: "All went well."
      When the user asks 6 questions, each answered with about 875 tokens
      Then it cost 1 summary
      And each summary request is one message, and the first quotes "question 1"

  @ADP_08
  Rule: The user who reads the stream of a LangChain agent does not see the summarizer's tokens
    Source: LangGraph's documentation of the tag "nostream". Before, the summary was streamed as words of the agent.

    Scenario Outline: A compaction is made while the answer is streamed
      Given an agent of LangChain with a usable context of 7,000 tokens
      And a chat model writes its summaries: "Secret words."
      When the user asks 9 questions and reads the stream <way>
      Then it cost 1 summary
      And the user read 9 answers and no "Secret words"

      Examples:
        | description | way              |
        | stream      | in a thread      |
        | astream     | in an event loop |
