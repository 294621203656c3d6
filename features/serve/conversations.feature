Feature: Conversations of a proxy
  A proxy stands between agents and their provider. An agent sends its whole conversation with each request, reads a file
  of about 4,500 tokens in each turn, and knows nothing of the proxy. The model has a window of 60,000 tokens, and
  compaction is due at half of it. The provider refuses what is too long, malformed, or thinking that is bound to other
  messages.

  @SRV_01
  Rule: An agent goes on for ever through the proxy, which asks the agent's own model for summaries with its own key
    Source: a decision of this project (0224). Of a published proxy, a provider that binds thinking to its conversation
    refused each request from the first compaction on.

    Scenario Outline: An agent works beyond the threshold of its window
      When an agent works through the proxy
        | API   | turns   | streamed   | window   |
        | <API> | <turns> | <streamed> | <window> |
      Then the result is
        | errors | summaries   | holds the user's words | other keys |
        | 0      | <summaries> | yes                    | 0          |

      Examples:
        | description                        | API       | turns | streamed | window  | summaries |
        | Anthropic Messages                 | Messages  | 12    |          |         | 1         |
        | streamed                           | Messages  | 22    | yes      |         | 2         |
        | streamed Responses                 | Responses | 8     | yes      |         | 1         |
        | its window is stated as too large  | Messages  | 15    | yes      | 200,000 | 2         |

    Scenario: A shadow changes nothing, and the agent ends at its window
      When an agent works through the proxy
        | API      | turns | shadow |
        | Messages | 20    | yes    |
      Then the errors are "1"
      And the summaries are "0"
