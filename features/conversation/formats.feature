Feature: Formats
  An agent that speaks OpenAI's chat format or its Responses format hands its list to a compactor as it is, and sends the
  list that comes back. brim reads both formats as the messages that all rules are about, and writes back what it read.

  @ADP_03
  Rule: A conversation in an OpenAI format is compacted in that format
    Source: a decision of this project; the formats are those of OpenAI's API reference.

    Scenario Outline: The new conversation is accepted, and what was kept is the very same
      Given an OpenAI conversation of 8 turns, in the <format> format
      When the OpenAI conversation is compacted
      Then OpenAI's API would accept the new conversation
      And its messages are those that came in, but for one summary
      And the last request of the user is among them

      Examples: Both formats
        | format    |
        | chat      |
        | Responses |

    Scenario Outline: Compacted again at once, it stays as it is
      Given an OpenAI conversation of 8 turns, in the <format> format
      When the OpenAI conversation is compacted twice
      Then both times the new conversation is the same

      Examples: Both formats
        | format    |
        | chat      |
        | Responses |

    Scenario Outline: The next compaction knows the facts of the one before
      Given an OpenAI conversation of 8 turns, in the <format> format
      And a summary by a model that says "All went well."
      When the OpenAI conversation is compacted, continued for 8 turns, and compacted again
      Then the second compaction knows each fact of the first

      Examples: Both formats
        | format    |
        | chat      |
        | Responses |

    Scenario Outline: Where there is room for all of it, nothing changes
      Given an OpenAI conversation of 2 turns, in the <format> format
      When the OpenAI conversation is compacted where that is due
      Then the new OpenAI conversation is the one that came in

      Examples: Both formats
        | format    |
        | chat      |
        | Responses |

    Scenario Outline: What OpenAI's API would refuse is named where nothing changes, and nothing else
      Given an OpenAI conversation of 2 turns, in the <format> format
      And its <fault>
      When the OpenAI conversation is compacted where that is due, for its warnings
      Then the warnings are "<warning>"

      Examples: Both formats
        | format    | fault                                  | warning                                        |
        | chat      | last turn ends with a call             | the tool call 'call_a1' has no output          |
        | Responses | last turn ends with a call             | the tool call 'call_a1' has no output          |
        | chat      | last turn ends with a tool's output    |                                                |
        | Responses | last turn ends with a tool's output    |                                                |
        | chat      | first message is the model's           |                                                |
        | Responses | first message is the model's           |                                                |
        | chat      | tool messages stand behind the answer  | the tool call 'call_a0' has its tool message too late; the tool call 'call_a1' has its tool message too late |
        | Responses | tool messages stand behind the answer  |                                                |

    Scenario Outline: An old tool output is cleared, and the rest of its message stays
      Given an OpenAI conversation of 8 turns, in the <format> format
      And its tools put out 20,000 tokens each
      When the OpenAI conversation is compacted where that is due
      Then OpenAI's API would accept the new conversation
      And 4 outputs read "[Old tool result content cleared]", and nothing else changed

      Examples: Both formats
        | format    |
        | chat      |
        | Responses |

    Scenario Outline: In the middle of its work a message of the user tells the model to continue
      Given an OpenAI conversation of 8 turns, in the <format> format
      And its last turn ends with a tool's output
      When the OpenAI conversation is compacted where that is due, in a small window
      Then OpenAI's API would accept the new conversation
      And its last message is the user's and begins with "[Continuation after compaction, written by brim]"

      Examples: Both formats
        | format    |
        | chat      |
        | Responses |

    Scenario Outline: A call that was broken off gets an error for its output
      Given an OpenAI conversation of 8 turns, in the <format> format
      And its last turn ends with a call
      When the OpenAI conversation is compacted
      Then OpenAI's API would accept the new conversation
      And its last output reads "[Tool execution was interrupted]"

      Examples: Both formats
        | format    |
        | chat      |
        | Responses |

    Scenario Outline: The error has the form of the call's own output
      Given an OpenAI conversation of 8 turns, in the <format> format
      And its last turn ends with <call> without its output
      When the OpenAI conversation is compacted
      Then the output made for it is one of <call>

      Examples: Kinds of calls
        | format    | call                     |
        | chat      | a call of a chat message |
        | Responses | a function's call        |
        | Responses | a custom tool's call     |
        | Responses | a local shell's call     |

    Scenario Outline: What the last response reported is counted
      Given an OpenAI conversation of 2 turns, in the <format> format
      And a usage of 60,000 tokens read, 50,000 of them cached, and 1,000 written
      When the OpenAI conversation is judged
      Then its window holds 61,000 tokens

      Examples: Both formats
        | format    |
        | chat      |
        | Responses |

  @ADP_03
  Rule: System and developer messages stay word for word, ahead of the summary
    Source: a decision of this project; they are the system prompt of these formats, wherever they stand.

    Scenario Outline: They are instructions, and no words of the user
      Given an OpenAI conversation of 8 turns, in the <format> format
      And a <role> message <place>
      When the OpenAI conversation is compacted
      Then the <role> message stands ahead of the summary as it came
      And OpenAI's API would accept the new conversation

      Examples: Roles and places
        | format    | role      | place             |
        | chat      | system    | at its beginning  |
        | chat      | developer | at its beginning  |
        | chat      | developer | behind the turn 2 |
        | Responses | system    | at its beginning  |
        | Responses | developer | at its beginning  |
        | Responses | developer | behind the turn 2 |

    Scenario Outline: A message that the caller pins stays too
      Given an OpenAI conversation of 8 turns, in the <format> format
      When the OpenAI conversation is compacted with its first message pinned
      Then its first message stands ahead of the summary as it came
      And OpenAI's API would accept the new conversation

      Examples: Both formats
        | format    |
        | chat      |
        | Responses |

    Scenario: The provider's own compaction stays: no summarizer can read it
      Given an OpenAI conversation of 8 turns, in the Responses format
      And the provider's compaction at its beginning
      When the OpenAI conversation is compacted
      Then the compaction item stands ahead of the summary as it came

  @ADP_03
  Rule: A call and its output are kept together or summarized together, and so are reasoning and the call behind it
    Source: OpenAI's API refuses each without the other (vercel/ai#7099, mastra-ai/mastra#10713, openai/openai-node#1567).

    Scenario Outline: Wherever the conversation is cut
      Given an OpenAI conversation of 8 turns, in the <format> format
      And each of its turns holds <work>
      When the OpenAI conversation is compacted for targets from 50 to 5,000 tokens
      Then OpenAI's API would accept each new conversation
      And what came in together is kept together or gone together

      Examples: Chat messages
        | format | work                |
        | chat   | a call              |
        | chat   | two calls at once   |
        | chat   | a custom call       |
        | chat   | calls of one id     |

      Examples: Responses items
        | format    | work                            |
        | Responses | a call                          |
        | Responses | two calls at once               |
        | Responses | a custom call                   |
        | Responses | reasoning and a call            |
        | Responses | reasoning, words and two calls  |
        | Responses | reasoning and a hosted search   |
        | Responses | reasoning between two calls     |
        | Responses | a shell call                    |
        | Responses | a local shell's call            |
        | Responses | a computer call                 |

  @ADP_03
  Rule: What brim does not know is carried as it came
    Source: a decision of this project. The field: langchain-ai/langchain#40563, alibaba/open-code-review#947.

    Scenario Outline: In a message that is kept
      Given an OpenAI conversation of 8 turns, in the <format> format
      And its last turn holds <what>
      When the OpenAI conversation is compacted
      Then what it holds is there as it came

      Examples: Chat messages
        | format | what                              |
        | chat   | an unknown field of a message     |
        | chat   | an unknown field of a call        |
        | chat   | a call without a type             |
        | chat   | reasoning content                 |
        | chat   | an unknown part                   |
        | chat   | a text part without a text        |
        | chat   | an image                          |
        | chat   | an image at an address            |
        | chat   | a file                            |
        | chat   | a sound                           |
        | chat   | a refusal                         |
        | chat   | an empty answer                   |
        | chat   | a text of spaces                  |
        | chat   | arguments that are no JSON        |

      Examples: Responses items
        | format    | what                            |
        | Responses | an unknown field of a message   |
        | Responses | an unknown field of a call      |
        | Responses | an unknown item                 |
        | Responses | an unknown part                 |
        | Responses | an image                        |
        | Responses | an image at an address          |
        | Responses | a file                          |
        | Responses | a refusal                       |
        | Responses | an item reference               |
        | Responses | arguments that are no JSON      |
        | Responses | a call without an input         |

    Scenario: A call that a message makes twice is sent once, and the rest of the message stays
      Given an OpenAI conversation of 8 turns, in the chat format
      And its last turn makes one call twice, in a message with fields of its own
      When the OpenAI conversation is compacted
      Then OpenAI's API would accept the new conversation
      And the message with the call is the one that came in, with the call once

    Scenario Outline: An item of an unknown type is no call and no output
      Given an OpenAI conversation of 8 turns, in the Responses format
      And its last turn holds <what>
      When the OpenAI conversation is compacted
      Then what it holds is there as it came
      And its messages are those that came in, but for one summary

      Examples: Unknown types
        | what                             |
        | an unknown item with a call's id |
        | an output of an unknown call     |

    Scenario Outline: A value of the SDK comes out as the same value
      Given an OpenAI conversation of 8 turns, in the <format> format
      And its last answer is a value of the SDK
      When the OpenAI conversation is compacted
      Then what it holds is there as it came

      Examples: Both formats
        | format    |
        | chat      |
        | Responses |

    Scenario Outline: What a call of any kind did is known from its input
      Given a list that holds <what>
      When the list is compacted for what is known of it
      Then the known files are "<files>"

      Examples: Kinds of calls
        | what                            | files                |
        | a function that deletes         | deleted_file lex.py  |
        | a call without a type that deletes | deleted_file lex.py |
        | a custom tool that patches      | created_file lex.py  |
        | an item that deletes            | deleted_file lex.py  |
        | a custom item that patches      | created_file lex.py  |
        | a local shell that deletes      | deleted_file lex.py  |
        | a shell that deletes            | deleted_file src/lex.py |
        | a patch of the provider's       | modified_file lex.py |

  @ADP_03
  Rule: The format is recognized by what only it has, or named
    Source: a decision of this project.

    Scenario Outline: A list that shows its format
      Given a list that holds <what>
      When the list is compacted
      Then the summary is <summary>

      Examples: What shows it
        | what                                       | summary          |
        | a system message                           | a message        |
        | a call of a chat message                   | a message        |
        | a message of the model without content     | a message        |
        | an item of a function call                 | a Responses item |
        | a text part of the Responses format        | a Responses item |
        | a message of the user that has a type      | a Responses item |
        | a message of the model that has a type     | a Responses item |
        | a response of Anthropic's API              | a message        |
        | a tool call of Anthropic's format          | a message        |

    Scenario: A call that waits for its output shows its format too
      Given a list that holds a call of a chat message beside words
      When the list is compacted
      Then its last message is a tool message with an error

    Scenario Outline: A list of plain texts
      Given a list that holds plain texts
      When the list is compacted as <format>
      Then the summary is <summary>

      Examples: Plain texts are the same in all formats
        | format             | summary          |
        | no format          | a message        |
        | "openai-chat"      | a message        |
        | "openai-responses" | a Responses item |
        | "anthropic"        | a message        |

  @ADP_03
  Rule: A list that is none of these formats is refused with the message at fault
    Source: a decision of this project; half a conversation cannot be repaired by leaving out what it lacks.

    Scenario Outline: The error names what it met
      Given a list that holds <what>
      When the list is compacted
      Then the list is refused with "<words>"

      Examples: Lists that cannot be sent
        | what                               | words                                             |
        | an Anthropic call among chat | message 2 is in the format anthropic, and those before it are in openai-chat or openai-responses: a list has one format; convert the messages of the other |
        | an Anthropic call behind a system message alone | message 2 is in the format anthropic, and those before it are in openai-chat or openai-responses: a list has one format; convert the messages of the other |
        | an item among chat | message 2 is in the format openai-responses, and those before it are in openai-chat: a list has one format; convert the messages of the other |
        | a tool message without a call | message 1 answers the call 'A', which no message before it makes and no other answers: pass the message with the call too |
        | an output without a call | message 1 answers the call 'A', which no message before it makes and no other answers: pass the message with the call too |
        | two answers to one call | message 3 answers the call 'A', which no message before it makes and no other answers: pass the message with the call too |
        | a tool message that names no call | message 1 is a tool's result that does not name its call; it has the id of the call |
        | a call without an id | message 1 has a tool call without an id or a name; a tool call has both |
        | a text for a call | message 1 has a tool call without an id or a name; a tool call has both |
        | a call whose type is a number | message 1 has a tool call without an id or a name; a tool call has both |
        | a part without a type | message 1 holds a part without a type; the type says what the part is |
        | a number for its content | message 1 has int as its content; it is a text or a list of parts |
        | a role of nobody | message 1 has the role 'critic'; an OpenAI chat message has one of system, developer, user, assistant and tool |
        | a message of a function | message 1 has the role 'function'; an OpenAI chat message has one of system, developer, user, assistant and tool; a function message is the older form: make it a tool message, and its call one of tool_calls |
        | a message of a function behind plain texts | message 1 has the role 'function'; an OpenAI chat message has one of system, developer, user, assistant and tool; a function message is the older form: make it a tool message, and its call one of tool_calls |
        | an item of nobody | message 1 has the role 'critic'; an OpenAI Responses item is a message or has a type, as function_call is |
        | two formats in one message | message 1 holds what no format has together, and those before it are in openai-chat or openai-responses: a list has one format; convert the messages of the other |
        | a number among chat | message 1 is int, not an object of the format openai-chat |
        | a number for its tool calls | message 1 has int as its tool calls; they are a list |
        | one text | a conversation is a list of messages, not str |

    Scenario Outline: A list of another format than the one that is named
      Given a list that holds <what>
      When the list is compacted as <format>
      Then the list is refused with "<words>"

      Examples: Formats
        | what                       | format             | words                                              |
        | an item of a function call | "openai-chat" | message 1 has the type 'function_call' and no role; an OpenAI chat message has one of system, developer, user, assistant and tool |
        | an item of a function call | "anthropic" | message 1 has the type 'function_call' and no role; a message is the user's, the assistant's or the system's |
        | a call of a chat message | "openai-responses" | message 2 has the role 'tool'; an OpenAI Responses item is a message or has a type, as function_call is |

    Scenario: A format that brim does not know
      Given a list that holds plain texts
      When the list is compacted as "openai"
      Then the list is refused with "the format is 'openai'; it is one of anthropic, openai-chat, openai-responses"
