Feature: Conversations of a proxy
  A proxy stands between agents and their provider. An agent sends its whole conversation with each request, reads a file
  of about 4,500 tokens in each turn, and knows nothing of the proxy. The model has a window of 60,000 tokens, and
  compaction is due at half of it. The provider refuses what is too long, malformed, or thinking that is bound to other
  messages.

  @SRV_01
  Rule: Through the proxy an agent works on beyond its window; the agent's own model writes the summaries, with the agent's own key
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

  @SRV_08
  Rule: If the user states the longest answer, a summary is asked for within it, and not within the model's own
    Source: a gateway with shorter answers than the model's refuses the request for a summary.

    Scenario Outline: The provider gives 4,000 tokens to an answer, and the model's own are more
      When an agent works through the proxy
        | API      | turns | provider's longest | longest answer |
        | Messages | 14    | 4,000              | <stated>       |
      Then the result is
        | errors | compacted | without a model |
        | 0      | 1         | <without>       |

      Examples:
        | description    | stated | without |
        | none is stated |        | 1       |
        | one too many   | 4,001  | 1       |
        | the provider's | 4,000  | 0       |

  @SRV_09
  Rule: The proxy reports why a due compaction waits, how full the window was if none was made, and when a conversation continues another
    Source: a user whose agent ended at its window without a word of the proxy, which had waited for a loop with thinking.

    Scenario Outline: Half of the window is the threshold, and the loop may go on up to three quarters of it
      When an agent works through the proxy
        | API      | turns   | starts again  | shadow   |
        | Messages | <turns> | after <again> | <shadow> |
      Then the result is
        | compacted   | waits   | held   | goes on   |
        | <compacted> | <waits> | <held> | <goes on> |

      Examples:
        | description          | turns | again | shadow | compacted | waits | held | goes on |
        | nothing is due       | 6     | 0     |        | 0         | 0     | 1    | 0       |
        | it waits             | 8     | 0     |        | 0         | 1     | 1    | 0       |
        | a shadow's           | 8     | 0     | yes    | 0         | 1     | 1    | 0       |
        | it is made           | 12    | 0     |        | 1         | 1     | 0    | 0       |
        | a second proxy       | 14    | 12    |        | 1         | 1     | 1    | 1       |
