Feature: Middleware
  Middleware is part of a client of the SDK. The agent passes its whole list of messages with each request, and the
  middleware finds the conversation that the request continues. An agent that "sends" makes a request with its list, and
  appends the answer and a question. Each note that it has read has 2,000 tokens; its window is due above 10,000 tokens, and the
  newest turn stays.

  @TRG_24
  Rule: A request continues the conversation with the same content, and the same messages are compacted only once
    Source: a decision of this project (0220), after agents that rewrite a reminder or an environment text paid for a
    summary with each request.

    System reminders, environment texts and cache marks do not count as content, nor do the numbers of the first message,
    such as a date, where all that follows is the same.

    Scenario Outline: The agent changes what stands beside a message that it has already sent
      Given an agent that has read 6 notes
      When the agent acts
        | puts <first> beside its question |
        | sends                            |
        | puts <then> beside its question  |
        | sends                            |
      Then the provider is asked for 1 summary
      And the last request says "<says>", and not "<not>"

      Examples:
        | description                | first                     | then                       | says          | not         |
        | a reminder that is dropped | a reminder "It is 9:00."  | nothing                    |               | reminder    |
        | a reminder that changes    | a reminder "It is 9:00."  | a reminder "It is 10:00."  | It is 10:00.  | It is 9:00. |
        | a mark that stays          | a cache mark              | a cache mark               | cache         |             |

    Scenario: Of more conversations than brim keeps, each is compacted again that was forgotten
      Given the settings room for conversations 2
      And the agents
        | first message  | question                 |
        | I am agent 0.  | What do they say, one?   |
        | I am agent 1.  | What do they say, two?   |
        | I am agent 2.  | What do they say, three? |
      When the agents send twice in turn
      Then the provider is asked for 6 summaries
      And it warns ""

    Scenario Outline: Two agents share a client, and some of their messages differ
      Given the agents
        | first message | question   |
        |               |            |
        | <first>       | <question> |
      When the agents send twice in turn
      Then the last request says "Something else.", and not "<words>"
      And the request before the last says "<words>", and not "Something else."

      Examples:
        | description      | first           | question          | words             |
        | at the end       |                 | Something else.   | What do they say? |
        | at the beginning | Something else. | What do they say? | Read notes 0.     |

  @TRG_24
  Rule: A compaction covers the messages that it summarizes, and edits of later messages keep the summary
    Source: a decision of this project (0220), after agents that clear old tool outputs or rewrite their last message
    paid for a summary with each request.

    Scenario Outline: The agent edits or removes messages
      Given an agent that has read 6 notes
      When the agent sends, <acts>, and sends
      Then the provider is asked for <summaries> summaries
      And the last request says "<says>", and not "<not>"
      And it warns "<warning>"

      Examples: What was summarized
        | description              | acts                       | summaries | says           | not            | warning                                                                |
        | one message              | edits its third message    | 1         | All went well. | Edited.        | …was changed after brim had summarized it…                             |
        | less than was summarized | keeps its first 9 messages | 1         | Read notes 0.  | All went well. |                                                                        |

      Examples: What was kept
        | description                 | acts                                              | summaries | says           | not     | warning |
        | an output                   | edits its last output                             | 1         | Edited.        |         |         |
        | the newest ones are removed | sends, keeps its first 26 messages, asks "Rather" | 1         | All went well. |         |         |
        | a longer one, due with it   | keeps its first 24 messages, asks 9,000 tokens    | 2         | All went well. |         |         |

    Scenario: The facts of the summary are known after an edit of a later message
      Given the agents
        | first message                        |
        | Read notes 0. Never touch the lexer. |
      When the agent sends, sends, edits its last output, reads 5 more notes, and sends
      Then the provider is asked for 2 summaries
      And the last request says "Never touch the lexer."

    Scenario Outline: A request that ends in an output which the summary replaces is compacted anew, and keeps the output
      Given an agent that has read 6 notes for one question
      When the agent sends, keeps its first <count> messages, and sends
      Then the provider is asked for <summaries> summaries
      And the last request says "<output>"

      Examples: The summary replaces the outputs of 11 messages
        | description               | count | summaries | output |
        | the last that it replaces | 11    | 2         | call-4 |
        | the first behind it       | 13    | 1         | call-5 |

    Scenario Outline: A changed reminder beside a cleared output is sent as it is now
      Given an agent that has read 4 notes
      And the settings protected tokens 2,000, least saving 1,000
      When the agent acts
        | puts a reminder "It is 9:00." beside its first output  |
        | sends                                                  |
        | puts a reminder "It is 10:00." beside its first output |
        | <acts>                                                 |
      Then the last request says "It is 10:00.", and not "It is 9:00."
      And the outputs cleared are "<cleared>"

      Examples:
        | description     | acts                                                       | cleared                |
        | it branches off | drops its last 2 messages, edits its newest message, sends | call-1, call-0         |
        | it is shorter   | drops its last 4 messages, sends                           | call-1, call-0         |

    Scenario Outline: A reminder that grows is counted, and the request is compacted if it is due with it
      Given an agent that has read 4 notes
      And the settings protected tokens 2,000, least saving 1,000
      When the agent acts
        | puts a reminder "It is 9:00." beside its first output |
        | sends                                                 |
        | puts a reminder "<now>" beside its first output       |
        | <acts>                                                |
      Then the provider is asked for <summaries> summaries

      Examples:
        | description              | now           | acts                                                       | summaries |
        | it continues             | 10,000 tokens | sends                                                      | 1         |
        | it branches off, not due | It is 10:00.  | drops its last 2 messages, edits its newest message, sends | 0         |
        | it branches off          | 10,000 tokens | drops its last 2 messages, edits its newest message, sends | 1         |

  @TRG_24
  Rule: A request that is not due is sent byte for byte
    Source: a decision of this project; a cached prefix is read only if it is the same byte for byte.

    Scenario Outline: The provider receives the same bytes with brim and without it
      When <what> is sent with brim and without it
      Then the provider receives the same bytes twice
      And it warns ""

      Examples:
        | description | what                             |
        | plain text  | a text                           |
        | blocks      | a cache mark                     |
        | tool calls  | a tool call and its result       |
        | new fields  | a block with a field unknown yet |

  @TRG_24
  Rule: A request that brim cannot read, or that the provider compacts, is sent byte for byte even if it is due
    Source: a decision of this project; a history compacted on both sides is summarized twice, and the provider may accept
    a message that brim does not know.

    Scenario Outline: The provider receives the same bytes with brim and without it, although the window is due
      When <what> is sent with brim and without it
      Then the provider receives the same bytes twice
      And it warns "<warning>"

      Examples:
        | description                  | what                                                | warning                   |
        | the provider compacts it     | a full window, which the provider compacts when due |                           |
        | the server has the history   | a full window to a thread that the server holds     | …pass thread=False…       |
        | brim cannot read it          | a full window with an unknown role                  | …since it cannot be read… |

  @TRG_24
  Rule: The middleware reads the usage of each response while the agent reads it
    Source: a decision of this project; brim reads no part of a response that the agent does not read.

    Scenario Outline: The next request is compacted if the reported usage is above the threshold
      Given an agent that has read 2 notes<where>
      And the provider answers
        | read   |
        | <read> |
      When the agent <acts>
      Then the provider is asked for <summaries> summaries

      Examples:
        | description         | read   | acts                           | where            | summaries |
        | below the threshold | 5,000  | sends, sends                   |                  | 0         |
        | above the threshold | 12,000 | sends, sends                   |                  | 1         |
        | in an event loop    | 12,000 | sends, sends                   | , in an event loop | 1       |
        | streamed, in a loop | 12,000 | sends streamed, sends streamed | , in an event loop | 1       |

    Scenario Outline: An answer that is read after a later request was sent measures nothing
      Given an agent that has read 2 notes
      And the provider answers
        | read   | refusal   |
        | 12,000 |           |
        |        | <refusal> |
      When the agent opens a stream, <acts>, goes on by 2,000 tokens, sends
      Then the provider is asked for <summaries> summaries

      Examples:
        | description            | refusal                               | acts                                       | summaries |
        | it is the last request |                                       | reads the stream as its answer             | 1         |
        | the next one was sent  |                                       | asks "Be quick.", sends, reads the stream  | 0         |
        | it has been compacted  | 400 prompt is too long: 9 > 8 maximum | sends, reads the stream                    | 1         |

  @TRG_24
  Rule: The middleware compacts after an overflow error, and never compacts a summary request
    Source: a decision of this project; a summary request of a full window would otherwise be compacted without end.

    Scenario Outline: The provider refuses the first request
      Given an agent that has read 2 notes
      And the provider answers
        | refusal   |
        | <refusal> |
      When the agent sends once
      Then the provider is asked for <summaries> summaries

      Examples:
        | description        | refusal                               | summaries |
        | too many tokens    | 400 prompt is too long: 9 > 8 maximum | 1         |
        | the rate of tokens | 429 prompt is too long for your rate  | 0         |

    Scenario Outline: The summary is asked for through the client that compacts
      Given an agent that has read 6 notes
      When the agent <acts>
      Then the provider is asked for <summaries> summaries

      Examples:
        | description                         | acts                         | summaries |
        | a compactor has the client          | compacts by its client       | 1         |
        | beside a compaction of the requests | sends, compacts by its client | 2        |
