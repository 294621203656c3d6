Feature: Messages
  A conversation is a list of messages, each with a role and with parts: what was said, thought, called and answered.
  brim reads plain message dictionaries and gives the very same back. It carries along what it does not know; what
  a provider would refuse it holds back, and says so.

  @CNV_01
  Rule: A message has a role and ordered parts, each of one kind
    Source: the part types that the comparison of OpenCode and Claude Code lists (S2, section 3), and the Anthropic
    message form.

    Scenario Outline: The type of a block decides the kind of its part
      Given a message of the assistant that holds <block>
      When the messages are read
      Then the parts are "<part>"

      Examples:
        | description                    | block                        | part                 |
        | thinking                       | thinking                     | thinking             |
        | one that the provider runs     | a web search                 | call                 |
        | a tool result                  | a tool result                | result               |
        | what nobody knows              | a hologram                   | hologram             |
        | the interface's own compaction | a sealed compaction          | compaction           |
        | several, in their order        | thinking, words, a tool call | thinking, text, call |

    Scenario Outline: A result tells what the tool wrote, and whether it failed
      Given a message of the user that holds <block>
      When the messages are read
      Then the result is
        | text of the result | media   | failed   |
        | <text>             | <media> | <failed> |

      Examples:
        | description             | block                               | text         | media           | failed |
        | a text                  | a tool result                       | Two files.   |                 | no     |
        | two texts and an image  | a result of two texts and an image  | One.\nTwo.   | image           | no     |

  @CNV_01
  Rule: Every part is written back exactly as it was read, also one of an unknown type
    Source: a decision of this project; a newer interface holds kinds that an older program does not know.

    Scenario: One part of a message is removed
      Given a message of the assistant that holds a hologram, a patch, thinking
      When what can be sent is worked out
      Then the blocks are "a hologram, thinking"

  @CNV_07
  Rule: The caller's messages are never changed, and kept messages stay the same byte for byte
    Source: a decision of this project. The field: anthropics/anthropic-sdk-python#1846, where compaction changed the
    caller's own history. One thing leaves what is kept, and only where the history before it changed: the model's
    thinking, which is sealed to that history and would be refused behind another (see the rules on thinking).

    Scenario: Reading a conversation changes nothing
      Given a message of the assistant that holds a hologram, words, thinking
      When the messages are read
      Then the blocks are "a hologram, words, thinking"

    Scenario: Leaving out a part changes nothing else
      Given the conversation user "\n"+user "Go.", call A
      When what can be sent is worked out
      Then the conversation is user "Go.", call A

  @CNV_08
  Rule: The caller can pin a message
    Source: a decision of this project. The field: anthropics/claude-code#19471, where standing instructions were lost
    to compaction. S2, section 11, asks whether single messages can be kept.

    What a pin is good for is shown where things leave: its outputs are never cleared, and at a compaction it stays word
    for word, ahead of the summary.

    Scenario Outline: The caller names the messages to pin
      Given the conversation user, user, user
      When the messages are read, pinning "<pins>"
      Then the conversation is <pinned>

      Examples:
        | description | pins | pinned                         |
        | the first   | 0    | user pinned, user, user        |
        | two of them | 2, 0 | user pinned, user, user pinned |

    Scenario Outline: A pinned message that brim wrote stays one
      Given the conversation <message>
      When the messages are read, pinning "0"
      Then the conversation is
        | mark   |
        | <mark> |

      Examples:
        | description    | message                  | mark                       |
        | a summary      | summary "All went well." | synthetic, pinned, summary |

    Scenario Outline: A pin outside the conversation is refused
      Given the conversation <conversation>
      When the messages are read, pinning "<pins>"
      Then it is not understood
      And it is refused with "<refusal>"

      Examples:
        | description          | conversation     | pins    | refusal                            |
        | one past the last    | user, user, user | 3       | …message 3: there are 3 messages…  |
        | two, the lower named | user, user, user | 9, 1, 4 | …message 4: there are 3 messages…  |

    Scenario Outline: Each request names its pins anew
      Given a model with window 12,000, answer 500
      And the conversation user "Mend the door."
      When the agent <acts>
      Then the first message is "<fate>"

      Examples:
        | description                  | acts                                                                                       | fate       |
        | never                        | sends, takes "20 turns of 750", sends                                                      | summarized |
        | later                        | sends, takes "20 turns of 750", pins message 0, sends                                      | kept       |
        | no longer                    | pins message 0, sends, takes "20 turns of 750", pins nothing, sends                        | summarized |
        | held through two compactions | pins message 0, takes "B 12,000, user", sends, takes "C 12,000, user", sends               | kept       |

  @CNV_09
  Rule: A text without a visible character is not sent, nor a message that is left without parts
    Source: a provider answers such a text with an error; ordinary recorded sessions hold 34 of them.

    Scenario Outline: What can be sent has a visible character in each text
      Given the conversation <conversation>
      When what can be sent is worked out
      Then the conversation is <sent>
      And the parts left out are "<left out>"

      Examples:
        | description             | conversation                       | sent                               | left out |
        | a space                 | user, assistant " ", user          | user, user                         | text     |
        | beside a tool call      | user, assistant "\n"+call A        | user, call A                       | text     |
        | a message without parts | user, assistant silent             | user                               |          |
        | nothing invisible       | user 1 image, assistant thinking+A | user 1 image, assistant thinking+A |          |

  @CNV_09
  Rule: Markers of a harness are never sent
    Source: sessions of other tools hold parts that no provider takes.

    Scenario Outline: A marker is left out and reported
      Given a message of the user that holds words, <block>
      When what can be sent is worked out
      Then the blocks are "words"
      And the parts left out are "marker <name>"

      Examples:
        | description  | block               | name              |
        | a compaction | a compaction marker | compaction_marker |
        | a sub-task   | a sub-task          | subtask           |

  @CNV_09
  Rule: The API accepts what a compaction returns; where nothing is compacted, warnings name what it would refuse
    Source: brim; the API refuses a conversation that begins with the assistant, or two tool calls with one id.

    Scenario Outline: A compaction returns what the API accepts
      Given a model with window <window>, answer <answer>
      And the conversation <conversation>
      When it is compacted where that is due
      Then the result is
        | compacted | faults | warnings |
        | yes       |        |          |

      Examples:
        | description             | window  | answer | conversation                                            |
        | ids used twice          | 4,000   | 400    | 28 turns of 200, user, B 200, assistant, user, B 200    |
        | assistant first         | 4,000   | 400    | assistant, 30 turns of 200                              |
        | no result               | 4,000   | 400    | 29 turns of 200, user, call B, assistant                |
        | empty message           | 4,000   | 400    | user silent, assistant, 30 turns of 200                 |
        | system's words          | 4,000   | 400    | 29 turns of 200, user, system, B 200, system, assistant |

    Scenario: Of tool calls with the same id the newest keeps it
      Given a model with window 200,000, answer 32,000
      And the conversation user, B 20,000, user, B 20,000, user, B 20,000, 6 turns of 20,000
      When it is compacted where that is due
      Then the calls are "B-3, B-2, B, A1, A2, A3, A4, A5, A6"

    Scenario Outline: A conversation that is not compacted comes back as it is
      Given a model with window 200,000, answer 32,000
      And the conversation <conversation>
      When it is compacted where that is due
      Then the compacted is "no"
      And the warnings are "<warnings>"

      Examples:
        | description     | conversation                     | warnings                                                                                                                                             |
        | assistant first | assistant, 2 turns               | message 0 is the assistant's where the API takes none: a user's is the first, and the system's stands behind a user's, before an assistant's or last |
        | system's words  | user, system, 1 turns            | message 1 is the system's where the API takes none: a user's is the first, and the system's stands behind a user's, before an assistant's or last    |
        | ids used twice  | user, B, assistant, user, B      | the tool call 'B' occurs in more than one message                                                                                                    |
        | no result       | user, call B, assistant, 1 turns | the tool call 'B' has no result                                                                                                                      |
        | empty message   | user, assistant silent, 2 turns  | message 1 is empty, or has a text that nobody can see or a part that is never sent                                                                   |

  @CNV_01
  Rule: A malformed conversation is refused, and the error names the message and the block
    Source: a decision of this project; a fault is reported with its place, before anything is decided on it.

    Scenario Outline: A malformed message
      Given a message of the <role> that holds <block>
      When the messages are read
      Then it is not understood
      And it is refused with "<refusal>"

      Examples:
        | description            | role      | block                        | refusal                                                                     |
        | another role           | moderator | words                        | message 0 has the role 'moderator'…                                         |
        | a block without a type | user      | a block without a type       | message 0 holds a block without a type…                                     |
        | a result of no call    | user      | a result of no call          | message 0 holds a block of type tool_result without the text 'tool_use_id'… |
