Feature: Formats
  An agent that speaks OpenAI's chat format or its Responses format hands its list to a compactor as it is, and sends the
  list that comes back. brim reads both formats as the messages that all rules are about, and writes back what it read.

  Every conversation here is compacted twice, as chat messages and as Responses items, with the same result.

  @ADP_03
  Rule: A conversation in an OpenAI format is compacted in that format
    Source: a decision of this project; the formats are those of OpenAI's API reference.

    Scenario Outline: OpenAI's API accepts the new conversation, and what was kept is the very same
      Given an OpenAI conversation of 8 turns<in which>
      When the OpenAI conversation is compacted <when>
      Then the result is
        | brim wrote | the last request | complaints | warnings |
        | <wrote>    | kept             |            |          |

      Examples:
        | description               | in which                               | when                                | wrote                           |
        | a summary                 |                                        | by hand                             | a summary                       |
        | all of it has room        |                                        | where that is due                   |                                 |
        | old outputs are cleared   | , each with an output of 20,000 tokens | where that is due                   | 4 cleared outputs               |
        | in the middle of its work | , the last ends with a tool's output   | where that is due in a small window | a summary, an order to continue |
        | a call was broken off     | , the last ends with a call            | by hand                             | a summary, an error             |

    Scenario: Compacted again at once, it stays as it is
      Given an OpenAI conversation of 8 turns
      When the OpenAI conversation is compacted and compacted again
      Then the result is
        | brim wrote | the last request | complaints | warnings |
        |            | kept             |            |          |

    Scenario Outline: What OpenAI's API would refuse is named where nothing changes, and nothing else
      Given an OpenAI conversation of 2 turns<in which>
      When the OpenAI conversation is compacted where that is due
      Then the warnings are "<warnings>"

      Examples:
        | description            | in which                             | warnings                              |
        | a call waits           | , the last ends with a call          | the tool call 'call_a1' has no result |
        | an output waits        | , the last ends with a tool's output |                                       |
        | the model speaks first | , the first is without its request   |                                       |

  @ADP_03
  Rule: System and developer messages stay word for word, ahead of the summary
    Source: a decision of this project; they are the system prompt of these formats, wherever they stand.

    Scenario Outline: Instructions, and what the caller pins, stand ahead of the summary
      Given an OpenAI conversation of 8 turns<in which>
      When the OpenAI conversation is compacted <when>
      Then the messages ahead of the summary are "<ahead>"

      Examples:
        | description         | in which                                | when                          | ahead             |
        | a system message    | , at its beginning a system message     | by hand                       | its message       |
        | a developer message | , at its beginning a developer message  | by hand                       | its message       |
        | a pinned message    |                                         | with its first message pinned | the first message |

  @ADP_03
  Rule: A call and its output are kept together or summarized together, and so are reasoning and the call behind it
    Source: OpenAI's API refuses each without the other (vercel/ai#7099, mastra-ai/mastra#10713, openai/openai-node#1567).

    Scenario Outline: Wherever the conversation is cut
      Given an OpenAI conversation of 8 turns, each with <work>
      When the OpenAI conversation is compacted for targets from 50 to 5,000 tokens
      Then the messages parted from theirs are ""

      Examples:
        | description      | work                 |
        | of a custom tool | a custom call        |
        | behind reasoning | reasoning and a call |

  @ADP_03
  Rule: A part that brim does not know is carried unchanged
    Source: a decision of this project. The field: langchain-ai/langchain#40563, alibaba/open-code-review#947.

    Scenario Outline: In a message that is kept
      Given an OpenAI conversation of 8 turns, at its end <what>
      When the OpenAI conversation is compacted by hand
      Then the brim wrote is "a summary"
      And the its message is "kept"

      Examples:
        | description | what                          |
        | a field     | an unknown field of a message |
        | an image    | an image                      |
        | a refusal   | a refusal                     |

  @ADP_03
  Rule: The format is recognized by what only it has, or named
    Source: a decision of this project.

    Scenario Outline: A list is compacted in the format that it shows
      Given a list of <what>
      When the list is compacted as <format>
      Then the summary is "<summary>"

      Examples:
        | description        | what                       | format             | summary          |
        | a system message   | a system message           | it shows           | a message        |
        | a chat message     | a call of a chat message   | it shows           | a message        |
        | an item            | an item of a function call | it shows           | a Responses item |
        | plain texts, named | plain texts                | "openai-responses" | a Responses item |

  @ADP_03
  Rule: A list that is none of these formats is refused with the message at fault
    Source: a decision of this project; half a conversation cannot be repaired by leaving out what it lacks.

    Scenario Outline: The error names what it met
      Given a list of <what>
      When the list is compacted as <format>
      Then it is refused with "<refusal>"

      Examples:
        | description       | what                          | format        | refusal                                                                                                                                       |
        | two formats       | an item among chat            | it shows      | message 4 is in the format openai-responses, and those before it are in openai-chat: a list has one format; convert the messages of the other |
        | an orphan         | a tool message without a call | it shows      | message 3 answers the call 'A', which no message before it makes and no other answers: pass the message with the call too                     |
        | another format    | an item of a function call    | "openai-chat" | message 3 has the type 'function_call' and no role; an OpenAI chat message has one of system, developer, user, assistant and tool             |
