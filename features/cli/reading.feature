Feature: Reading standard input
  FILE may be a hyphen, so that a transcript can come from another program.

  @CMD_01
  Rule: A hyphen reads a transcript of any format from standard input
    Source: a decision of this project (0232).

    Scenario Outline: Standard input gives the same answer as the file
      Given a transcript file of <format>
      When brim <command> reads it from standard input and from the file
      Then both answers are the same, and <messages> messages were read

      Examples:
        | description                | format                | command | messages |
        | the recorded session       | recorded messages     | inspect | 144      |
        | compacted                  | recorded messages     | compact | 144      |
        | Claude Code                | Claude Code           | inspect | 2        |
        | Codex                      | Codex                 | inspect | 2        |

    Scenario: The page names standard input
      Given a transcript file of Codex
      When brim inspect prints the page of standard input
      Then the page begins with "standard input"

    Scenario: A block that only Claude Code knows is counted, and not written
      Given a Claude Code session whose second answer begins with a change of the model
      When brim inspects it and compacts it into a file
      Then 1 "fallback block" is left out
      And the file holds "text" blocks alone

    Scenario Outline: A list is in the format that one of its messages shows
      When brim inspect reads "<text>" from standard input
      Then the page names the format "<format>"

      Examples:
        | description          | text                                                                                            | format             |
        | nothing shows one    | [{'role': 'user', 'content': 'Go.'}]                                                            | anthropic-messages |
        | a system message     | [{'role': 'system', 'content': 'Go.'}]                                                          | openai-chat        |
        | a developer message  | [{'role': 'developer', 'content': 'Go.'}]                                                       | openai-chat        |
        | no content           | [{'role': 'assistant', 'content': null, 'refusal': 'No.'}]                                      | openai-chat        |
        | a part of the user's | [{'role': 'user', 'content': [{'type': 'input_text', 'text': 'Go.'}]}]                          | openai-responses   |
        | a part of the model's | [{'role': 'assistant', 'content': [{'type': 'output_text', 'text': 'Go.'}]}]                   | openai-responses   |
        | a call               | [{'type': 'function_call', 'call_id': 'A', 'name': 'bash', 'arguments': '{}'}]                  | openai-responses   |
        | reasoning            | [{'type': 'reasoning', 'summary': []}]                                                          | openai-responses   |

    Scenario Outline: A list of messages of no known form is refused
      When brim inspect reads "<text>" from standard input
      Then it ends with 1, and stderr says "standard input is of no format that brim reads"

      Examples:
        | description          | text                                                                      |
        | another reasoning    | [{'type': 'reasoning', 'text': 'Hm.'}]                                    |
        | a type of nobody     | [{'type': 'hologram', 'content': 'x'}]                                    |
        | a wordless user      | [{'role': 'user', 'content': ' '}, {'role': 'assistant', 'content': 'Yes.'}] |
        | a role of nobody     | [{'role': 'critic', 'content': [{'type': 'input_text', 'text': 'Go.'}]}] |

    Scenario Outline: A list that no OpenAI API takes is refused with the message at fault
      When brim inspect reads "<text>" from standard input
      Then it ends with 1, and stderr says "<error>"

      Examples:
        | description                | text                                                                                                       | error                                                |
        | two formats in one list    | [{'role': 'system', 'content': 'Go.'}, {'type': 'reasoning', 'summary': []}, {'role': 'tool'}]             | message 2 is in the format openai-chat               |
        | Anthropic's call among them | [{'role': 'system', 'content': 'Go.'}, {'role': 'assistant', 'content': [{'type': 'tool_use', 'id': 'A'}]}] | message 1 is in the format anthropic                 |
        | a tool message alone       | [{'role': 'user', 'content': 'Go.'}, {'role': 'tool', 'tool_call_id': 'A', 'content': 'ok'}]               | message 1 answers the call 'A', which no message before it makes |
        | an output alone            | [{'type': 'function_call_output', 'call_id': 'A', 'output': 'ok'}]                                         | message 0 answers the call 'A', which no message before it makes |

    Scenario Outline: Text that is no transcript is refused in one line
      When brim inspect reads "<text>" from standard input
      Then it ends with 1, and stderr says "<error>"

      Examples:
        | description | text      | error                                 |
        | nothing     |           | brim: standard input is empty         |
        | nonsense    | nonsense  | brim: standard input                  |
        | no messages | []        | brim: standard input holds no message |
