Feature: Requests
  An agent keeps one list of messages that only grows, and sends it with every request. What is sent in its place is
  looked after here: as it is while there is room, compacted where it is due, and compacted too where the provider says
  that it is too long. The agent's own list is never changed, and it never has to put another in its place.

  @TRG_18
  Rule: The provider's overflow error starts compaction whatever the estimate said, and the request is tried once again
    Source: a decision of this project, after a request of 1,751,400 tokens that its estimate had let pass
    (langchain-ai/deepagents#5913).

    Scenario Outline: As often as the provider says that the prompt is too long
      Given an agent that nobody told how much its model can hold
      And a provider that says <times> that the prompt is too long
      When the agent makes its request
      Then the provider saw <requests>
      And it cost <summaries>
      And the agent meets <outcome>

      Examples:
        | description                      | times       | requests   | summaries  | outcome      |
        | there was room                   | never       | 1 request  | no summary | an answer    |
        | what is left fits                | once        | 2 requests | 1 summary  | an answer    |
        | a second overflow is the agent's | twice       | 2 requests | 1 summary  | the overflow |
        | it is tried once, not for ever   | three times | 2 requests | 1 summary  | the overflow |

    Scenario Outline: In whatever words and by whatever way it is told
      Given an agent that nobody told how much its model can hold
      And a provider that first refuses with <status>: "<words>"
      When the agent makes its request
      Then the provider saw <requests>

      Examples: The prompt is too long
        | status | words                                                              | requests   |
        | 400    | prompt is too long: 215000 tokens > 200000 maximum                 | 2 requests |
        | 400    | input length and `max_tokens` exceed context limit: 190000 + 21000 | 2 requests |
        | 413    | Request exceeds the maximum size                                   | 2 requests |

      Examples: Something else is wrong
        | status | words                                    | requests  |
        | 400    | messages: text content must be non-empty | 1 request |
        | 401    | invalid x-api-key                        | 1 request |
        | 529    | Overloaded                               | 1 request |

    Scenario: A summary stands for what leaves, and the last request is sent as it is
      Given an agent that nobody told how much its model can hold
      And a provider that says once that the prompt is too long
      When the agent makes its request
      Then what went out last says "All went well."
      And what went out last ends with the agent's last message

    Scenario: In the middle of its work the model is sent on with it
      Given an agent that nobody told how much its model can hold
      But its list ends with the result of a tool
      And a provider that says once that the prompt is too long
      When the agent makes its request
      Then what went out last ends with "Go on with the last request from where the summary leaves off"

    Scenario: The agent's own list stays as it was
      Given an agent that nobody told how much its model can hold
      And a provider that says once that the prompt is too long
      When the agent makes its request
      Then the agent's list is as it was

    Scenario: What was compacted stays so for the requests that follow
      Given an agent that nobody told how much its model can hold
      And a provider that says once that the prompt is too long
      When the agent makes its request, and 2 more with what came since
      Then the provider saw 4 requests
      And it cost 1 summary
      And what went out last says "All went well."

    Scenario Outline: The compaction acts however little the estimate would remove, and keeps less than an ordinary one
      Given <agent>
      And a provider that says once that the prompt is too long
      When the agent makes its request
      Then the provider saw 2 requests
      And it cost <summaries>
      And the second request is at most half as long as the first
      And the agent meets an answer

      Examples:
        | description                                | agent                                           | summaries   |
        | all turns but a greeting are recent        | an agent with 3 long turns and a window to spare | 1 summary   |
        | every turn is recent                       | an agent with 2 long turns and a window to spare | 1 summary   |
        | the request was compacted before the call  | an agent whose window is due, with short turns  | 2 summaries |

    Scenario Outline: Where what must be kept does not fit, the error names what fills the window
      Given an agent with <conversation>
      And a provider that says once that the prompt is too long
      When the agent makes its request
      Then the provider saw 1 request
      And it cost no summary
      And the agent meets a context overflow of "<parts>"

      Examples:
        | description        | conversation          | parts                                                             |
        | the request itself | one long request      | the user's last message 12,000                                    |
        | all that is kept   | a pinned conversation | pinned messages 12,066|

    Scenario: With automatic compaction turned off the overflow is the agent's at once
      Given an agent that nobody told how much its model can hold
      And compaction is turned off
      And a provider that says once that the prompt is too long
      When the agent makes its request
      Then the provider saw 1 request
      And it cost no summary
      And the agent meets the overflow

  @TRG_24
  Rule: A request continues the conversation with the same content, and the same messages are compacted only once
    Source: a decision of this project (0091), after agents that rewrite a reminder or an environment text paid for a
    summary with each request.

    System reminders, environment texts and cache marks do not count as content.

    Scenario Outline: The agent changes a message that it has already sent
      Given an agent whose window is due
      And its newest message has <first>
      When the agent makes its request, and another in which that message has <then>
      Then it cost 1 summary

      Examples:
        | description                | first                       | then                    |
        | a reminder that is dropped | a system reminder           | nothing beside its text |
        | a reminder that is new     | nothing beside its text     | a system reminder       |
        | a reminder that changes    | a system reminder           | another system reminder |
        | the environment            | an environment text         | another environment text|
        | a mark for the cache       | a cache mark                | nothing beside its text |

    Scenario Outline: More conversations continue than brim keeps
      Given <agents> agents whose windows are due, and room for 2 conversations
      When each of them makes its request, and then another
      Then it cost <summaries>
      And <warned>

      Examples:
        | description      | agents | summaries   | warned                                |
        | as many          | 2      | 2 summaries | there is no warning                   |
        | one is forgotten | 3      | 6 summaries | a warning says "raise max_conversations=2" |
