Feature: Conversation
  An agent that has its own loop appends every message to a conversation, and sends what the conversation prepares: its
  messages as they are while there is room, compacted where compaction is due, and compacted too where the provider says
  that the prompt is too long. Each note that an agent has read has 2,000 tokens.

  @TRG_18
  Rule: The provider's overflow error starts a compaction even if the estimate fits, and the request is sent once more
    Source: a decision of this project, after a request of 1,751,400 tokens that its estimate had let pass
    (langchain-ai/deepagents#5913). That the model refuses a history without bound is where S3 begins (problem
    statement).

    Scenario Outline: After the provider's overflow error the request is compacted
      Given an agent that has read 6 notes<where>
      And the settings <settings>
      And the agent has a loop of its own
      And the provider answers
        | refusal  |
        | <first>  |
        | <second> |
        | <third>  |
      When the agent sends
      Then the result is
        | requests   | summaries   | answer or error   |
        | <requests> | <summaries> | <answer or error> |

      Examples: The window is not known
        | description                    | where              | settings       | first                                 | second                                | third                                 | requests | summaries | answer or error      |
        | there was room                 |                    | profile usable |                                       |                                       |                                       | 1        | 0         | Noted.               |
        | what is left fits              |                    | profile usable | 400 prompt is too long: 9 > 8 maximum |                                       |                                       | 2        | 1         | Noted.               |
        | a second overflow is reported  |                    | profile usable | 400 prompt is too long: 9 > 8 maximum | 400 prompt is too long: 9 > 8 maximum |                                       | 2        | 1         | …prompt is too long… |
        | what is left fits, in a loop   | , in an event loop | profile usable | 400 prompt is too long: 9 > 8 maximum |                                       |                                       | 2        | 1         | Noted.               |
        | compaction is off              |                    | compaction off | 400 prompt is too long: 9 > 8 maximum |                                       |                                       | 1        | 0         | …prompt is too long… |

    Scenario Outline: The provider refuses a request
      Given an agent that has read 6 notes<where>
      And the agent has a loop of its own
      And the provider answers
        | refusal   |
        | <refusal> |
      When the agent sends
      Then the requests are "<requests>"
      And the summaries are "<summaries>"

      Examples: The prompt is too long
        | refusal                                                                | where | requests | summaries |
        | 400 prompt is too long: 215000 tokens > 200000 maximum                 |       | 2        | 1         |
        | 400 input length and `max_tokens` exceed context limit: 190000 + 21000 |       | 2        | 1         |
        | 413 Request exceeds the maximum size                                   |       | 2        | 1         |

      Examples: Something else is wrong
        | refusal                                      | where              | requests | summaries |
        | 400 messages: text content must be non-empty |                    | 1        | 0         |
        | 401 invalid x-api-key                        |                    | 1        | 0         |
        | 529 Overloaded                               |                    | 1        | 0         |
        | 401 not a key                                | , in an event loop | 1        | 0         |

    Scenario Outline: A summary replaces the older messages, in later requests too, and the last message stays
      Given an agent that has read 6 notes
      And the agent has a loop of its own
      And the provider answers
        | refusal                               |
        | 400 prompt is too long: 9 > 8 maximum |
      When the agent <acts>
      Then the last request says "All went well."
      And the result is
        | requests   | summaries | last message sent |
        | <requests> | 1         | <last>            |

      Examples: In the middle of a tool loop a message tells the model to continue
        | description        | acts                                | requests | last              |
        | a question         | sends                               | 2        | What do they say? |
        | the result of a tool | drops its last 2 messages, and sends | 2     | …Go on with the last request from where the summary and the messages after it leave off… |

    Scenario Outline: The compaction acts even if the estimate would remove little, and keeps less than an ordinary one
      Given the conversation <conversation>
      And a model with <limits>
      And the agent has a loop of its own
      And the provider answers
        | refusal                               |
        | 400 prompt is too long: 9 > 8 maximum |
      When the agent sends
      Then the result is
        | requests | summaries   | at most half as long | answer or error |
        | 2        | <summaries> | yes                  | All went well.  |

      Examples:
        | description                  | conversation                                                                                                                       | limits                        | summaries |
        | every turn is recent         | user "Hello.", assistant "Hello.", user 7,500, assistant 2,000, user 7,500                                                          | window 200,000, answer 8,192  | 1         |
        | it was compacted before      | 40 turns of 600, user "Go on."                                                                                                       | window 40,000, answer 30,000  | 2         |

    Scenario: If what must be kept does not fit, the error names what fills the window and the cure
      Given the conversation user 12,000
      And the agent has a loop of its own
      And the provider answers
        | refusal                               |
        | 400 prompt is too long: 9 > 8 maximum |
      When the agent sends
      Then the result is
        | requests | summaries | answer or error                                                                               |
        | 1        | 0         | …: the user's last message 12,000. Shorten the largest, or take a model with a larger window… |

  @TRG_26
  Rule: The usage of each response measures the window of a conversation
    Source: a decision of this project; an estimate alone misses by a third (TOK_09). A stream that is closed early reports
    too few output tokens.

    Scenario Outline: The next request is compacted if the reported usage is above the threshold
      Given a model with window 200,000, answer 8,192
      And an agent that has read 3 notes<where>
      And the agent has a loop of its own
      And the provider answers
        | read   |
        | <read> |
      When the agent sends, and sends
      Then the provider is asked for <summaries> summaries
      And the last message sent is "And?"

      Examples:
        | description             | where              | read    | summaries |
        | far below the threshold |                    | 9,000   | 0         |
        | above the threshold     |                    | 195,000 | 1         |
        | in an event loop        | , in an event loop | 195,000 | 1         |

    Scenario Outline: What came after the response is estimated, and a response that the agent does not append counts nothing
      Given a model with window 200,000, answer 8,192
      And an agent that has read 3 notes
      And the agent has a loop of its own
      When the agent acts
        | prepares, records 10,000 read and <written> |
        | <acts>                                      |
        | prepares                                    |
      Then the tokens held are "<held>"

      Examples: A stream that is closed early reports too few tokens written
        | description                       | written             | acts                                                                        | held   |
        | a whole answer                    | 1 written           | takes "assistant 2,000"                                                     | 10,001 |
        | closed early                      | 1 written at first  | takes "assistant 2,000"                                                     | 12,000 |
        | an answer that it does not append | 500 written         | takes "user 40"                                                             | 10,040 |
        | a system prompt grows             | 500 written         | grows its system prompt by 30,000, takes "assistant 500, user 40"           | 40,540 |

    Scenario: A usage before the first request is refused
      Given an agent that has read 3 notes
      And the agent has a loop of its own
      When the agent records 10 read and 1 written
      Then the answer or error is "a response answers a request, and none was prepared: call prepare before record"

  @TRG_26
  Rule: A conversation prepares one request at a time, and refuses one that its own request would wait for
    Source: a decision of this project; a listener or a summarizer that waits for the request that called it waits for ever.

    Scenario Outline: A part of the compaction prepares the same conversation
      Given a model with window 40,000, answer 30,000
      And an agent that has read 6 notes<where>
      And the agent has a loop of its own, whose <part> prepares its conversation
      When the agent sends
      Then the error that the part meets is "<refusal>"
      And the last request says "All went well."

      Examples: Parts and places
        | part       | where              | refusal                                                   |
        | listener   |                    | a listener or summarizer cannot prepare the conversation… |
        | listener   | , in an event loop | a listener or summarizer cannot prepare the conversation… |
        | summarizer |                    | a listener or summarizer cannot prepare the conversation… |

  @TRG_26
  Rule: A conversation sends messages that the provider accepts unchanged until a compaction is due, and never changes them
    Source: a decision of this project, after loops that compare or copy their whole list with each request.

    Scenario: There is room
      Given an agent that has read 3 notes
      And the agent has a loop of its own
      When the agent prepares
      Then the same objects are "yes"

  @TRG_26
  Rule: A call without its result, a result without its call and an empty message are repaired in what a conversation sends, each with a warning
    Source: brim, after one result without its call that had every further request refused (google/adk-python#4743). The
    warning tells a mistake in a loop from a call that the user interrupted. A call that the provider itself has not
    answered yet is none.

    Scenario Outline: The request is accepted, and the conversation holds its messages as they were
      Given a model with window 200,000, answer 8,192
      And an agent that has read 3 notes
      And the agent has a loop of its own
      When the agent acts
        | takes "<came>" |
        | prepares       |
        | sends          |
      Then the answer or error is "All went well."
      And it warns "<warning>"

      Examples:
        | description             | came                     | warning                                                                                   |
        | a call is interrupted   | call A, user             | repaired in what is sent, which the provider would refuse: the tool call 'A' has no result |
        | a result has no call    | assistant, user+result X | …the tool call 'X' is missing, but has a result                                           |
        | its call does not match | assistant, result X+user | …the tool call 'X' is missing, but has a result                                           |
        | nothing is wrong        | A, user                  |                                                                                           |
        | the provider's call is  | call A searched, user    | repaired in what is sent, which the provider would refuse: the tool call 'A' has no result |
        | the provider goes on    | call A searched          |                                                                                           |
