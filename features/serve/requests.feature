Feature: Requests through a proxy
  The proxy reads requests for Anthropic Messages, OpenAI chat completions and Responses. It passes each other one on.

  @SRV_02
  Rule: A request passes byte for byte and names why where the provider holds, compacts or clears its conversation
    Source: the providers' references of the Messages, Responses and Conversations APIs; two compactions of one
    conversation lose more than one.

    Scenario Outline: What the provider has to see
      When a request goes through the proxy
        | path   | body   |
        | <path> | <body> |
      Then the passed unchanged is "yes"
      And the reason is "<reason>"

      Examples:
        | description         | path                     | body                                                                             | reason                  |
        | tokens are counted  | v1/messages/count_tokens | "messages": […]                                                                  |                         |
        | it is compacted     | v1/messages              | "messages": […], "context_management": {"edits": [{"type": "compact_20260112"}]} | …(context_management)   |
        | a thread            | v1/messages              | "messages": […], "thread": {"type": "continue"}                                  | …(thread)               |
        | an earlier response | v1/responses             | "input": […], "previous_response_id": "resp_1"                                   | …(previous_response_id) |
        | a conversation      | v1/responses             | "input": […], "conversation": "conv_1"                                           | …(conversation)         |
        | a trigger           | v1/responses             | "input": […, {"type": "compaction_trigger"}]                                     | …compaction_trigger…    |
        | an unknown model    | v1/chat/completions      | "messages": […], "model": "own-model"                                            | …name it with --window  |

      Examples: What is no conversation
        | description           | path                 | body         | reason               |
        | another path          | v1/embeddings        | "input": […] |                      |
        | the provider compacts | v1/responses/compact | "input": […] |                      |
        | no JSON               | v1/messages          | "messages":  | …its body is no JSON |
