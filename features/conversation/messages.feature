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
      When the message is read
      Then its parts are <part>
      And they are written as they came

      Examples: What people and models say
        | description      | block           | part           |
        | words            | words           | text           |
        | thinking         | thinking        | thinking       |
        | hidden thinking  | hidden thinking | thinking       |
        | an image         | an image        | media          |
        | a document       | a document      | media          |

      Examples: Tools
        | description                       | block                          | part        |
        | a call                            | a tool call                    | tool call   |
        | a call that the provider runs     | a web search                   | tool call   |
        | a call of a connected server      | a connected server's call      | tool call   |
        | a call of a later kind            | a call of a later kind         | tool call   |
        | a result                          | a tool result                  | tool result |
        | a result of the provider          | a web search's result          | tool result |
        | a result of a connected server    | a connected server's result    | tool result |

      Examples: What only a harness knows
        | description  | block               | part   |
        | a compaction | a compaction marker | marker |
        | a sub-task   | a sub-task          | marker |
        | a file       | a file              | marker |
        | a patch      | a patch             | marker |

      Examples: What nobody knows
        | description                      | block                           | part    |
        | a hologram                       | a hologram                      | unknown |
        | the interface's own compaction   | the interface's own compaction  | unknown |
        | a later kind of call, no id      | a later call without an id      | unknown |
        | a later kind of call, no name    | a later call without a name     | unknown |
        | a later kind of result, no id    | a later result without an id    | unknown |

    Scenario: The parts keep their order
      Given a message of the assistant that holds thinking, words, a tool call
      When the message is read
      Then its parts are thinking, text, tool call

    Scenario Outline: Media, markers and unknown parts name their type
      Given a message of the user that holds <block>
      When the message is read
      Then its part is called "<name>"

      Examples: Media, markers and what nobody knows
        | block                           | name       |
        | an image                        | image      |
        | a document                      | document   |
        | a patch                         | patch      |
        | a sub-task                      | subtask    |
        | a hologram                      | hologram   |
        | the interface's own compaction  | compaction |

    Scenario Outline: Thinking is read if the provider shows it
      Given a message of the assistant that holds <block>
      When the message is read
      Then its thinking reads "<thinking>"

      Examples: Shown and hidden
        | block                  | thinking |
        | thinking               | Hm.      |
        | hidden thinking        |          |
        | thinking without words |          |

    Scenario: A content that is a string is one text part
      Given a message of the user that is the bare text "Fix the bug."
      When the message is read
      Then its parts are text
      And its text reads "Fix the bug."

    Scenario: The text of a message joins its text parts
      Given a message of the assistant that holds words, a tool call, words
      When the message is read
      Then its text reads "Some words.\nSome words."

    Scenario Outline: A tool call runs at the user or at the provider
      Given a message of the assistant that holds <block>
      When the message is read
      Then the call is <runner>

      Examples: Who runs the tool
        | block                     | runner                |
        | a tool call               | the user's to run     |
        | a web search              | the provider's to run |
        | a connected server's call | the provider's to run |
        | a call of a later kind    | the provider's to run |

    Scenario Outline: The input of a tool call is kept
      Given a message of the assistant that holds <block>
      When the message is read
      Then the call was given <given>

      Examples: With input and without
        | block                             | given     |
        | a tool call                       | a command |
        | a call without input              | nothing   |
        | a call whose input is a bare text | nothing   |

    Scenario Outline: The text of a tool result and its failure are read
      Given a message of the user that holds <block>
      When the message is read
      Then the result reads "<text>", with <media> media, and the tool <outcome>

      Examples: It went well
        | block                              | text         | media | outcome   |
        | a tool result                      | Two files.   | 0     | succeeded |
        | a result without content           |              | 0     | succeeded |
        | a result of two texts and an image | One.\nTwo.   | 1     | succeeded |
        | a result of a document             |              | 1     | succeeded |
        | a result of another kind of item   |              | 0     | succeeded |
        | a result marked as no error        | Two files.   | 0     | succeeded |
        | a web search's result              |              | 0     | succeeded |

      Examples: It went wrong
        | block                              | text         | media | outcome |
        | a result marked as an error        | No such file | 0     | failed  |
        | a list marked as an error          | No such file | 0     | failed  |
        | a web search that failed           |              | 0     | failed  |

    Scenario: The media of a tool result are kept
      Given a message of the user that holds a result of a document and an image
      When the message is read
      Then the media of the result are a document, an image

    Scenario: A message of the user is made from a text
      Given the text "Go on."
      When a pinned message of the user is made of it
      Then the message reads back as itself, pinned

  @CNV_01
  Rule: Every part is written back exactly as it was read, also one of an unknown type
    Source: a decision of this project; a newer interface holds kinds that an older program does not know.

    Scenario: One part of a message is removed
      Given the messages
        """json
        [{"role": "assistant", "id": "m1", "content": [
          {"type": "hologram", "depth": 3, "layers": [null, 1.50, {"b": 1, "a": 2}]},
          {"type": "text", "text": "Look at this.", "citations": null},
          {"type": "thinking", "thinking": "", "signature": "abc=="}]}]
        """
      When the text is taken out of the first message
      Then it is written back as
        """json
        {"role": "assistant", "id": "m1", "content": [
          {"type": "hologram", "depth": 3, "layers": [null, 1.50, {"b": 1, "a": 2}]},
          {"type": "thinking", "thinking": "", "signature": "abc=="}]}
        """

    Scenario: A content that is a string stays a string
      Given the messages
        """json
        [{"role": "user", "content": "Hello.", "name": "Ada"}]
        """
      When the first message is written again
      Then it is written back as
        """json
        {"role": "user", "content": [{"type": "text", "text": "Hello."}], "name": "Ada"}
        """

  @CNV_07
  Rule: The caller's messages are never changed, and kept messages stay the same byte for byte
    Source: a decision of this project. The field: anthropics/anthropic-sdk-python#1846, where compaction changed the
    caller's own history. One thing leaves what is kept, and only where the history before it changed: the model's
    thinking, which is sealed to that history and would be refused behind another (see the rules on thinking).

    Scenario: Reading a conversation changes nothing
      Given the messages
        """json
        [{"role": "user", "content": "Go.", "cache_control": {"type": "ephemeral"}},
         {"role": "assistant", "content": [{"text": "Yes.", "type": "text"}], "usage": {"input_tokens": 1}},
         {"content": [{"type": "image", "source": {"data": "AAAA"}}], "role": "user"}]
        """
      When the messages are read
      Then they are written back byte for byte
      And the caller's messages are unchanged

    Scenario: Leaving out a part changes nothing else
      Given the messages
        """json
        [{"role": "user", "content": [{"type": "text", "text": " "}, {"type": "text", "text": "Go."}]},
         {"role": "assistant", "content": [{"type": "tool_use", "id": "A", "name": "Bash", "input": {}}]}]
        """
      When what can be sent of the messages is worked out
      Then the caller's messages are unchanged

  @CNV_08
  Rule: The caller can pin a message
    Source: a decision of this project. The field: anthropics/claude-code#19471, where standing instructions were lost
    to compaction.

    What a pin is good for is shown where things leave: its outputs are never cleared, and at a compaction it stays word
    for word, ahead of the summary.

    Scenario Outline: The caller names the messages to pin
      Given a conversation of 3 messages
      When the messages <pins> are pinned
      Then the pinned messages are "<pinned>"

      Examples:
        | description  | pins   | pinned |
        | the first    | "0"    | 0      |
        | the last     | "2"    | 2      |
        | two of them  | "2, 0" | 0, 2   |
        | twice one    | "1, 1" | 1      |
        | none         | ""     |        |

    Scenario Outline: A pin outside the conversation is refused
      Given a conversation of <count> messages
      When the messages <pins> are pinned
      Then it is not understood
      And the refusal names pin <named> and <count> messages

      Examples:
        | description          | count | pins      | named |
        | one past the last    | 3     | "3"       | 3     |
        | before the first     | 3     | "-1"      | -1    |
        | in an empty one      | 0     | "0"       | 0     |
        | two, the lower named | 3     | "9, 1, 4" | 4     |

    Scenario Outline: Each request names its pins anew
      Given an agent whose requests name its first message as pinned: <named>
      When each of its later requests makes a compaction due
      Then its first message is <fate> in the last

      Examples:
        | description                  | named        | fate         |
        | never                        | no, no       | summarized   |
        | from the first request on    | yes, yes     | kept         |
        | later                        | no, yes      | kept         |
        | no longer                    | yes, no      | summarized   |
        | no longer, when it was kept  | yes, yes, no | summarized   |
        | held through two compactions | yes, yes, yes | kept        |

    Scenario Outline: A request with a pin outside its messages is refused
      Given an agent that names message <pin> of 3 as pinned
      When its request is prepared <way>
      Then it is not understood
      And the refusal names pin <pin> and 3 messages

      Examples:
        | description       | pin | way                    |
        | one past the last | 3   | in a loop of its own   |
        | before the first  | -1  | in a loop of its own   |
        | one past the last | 3   | by a compactor         |

    Scenario: A pinned summary stays a summary
      Given a conversation that opens with a summary of brim
      When the messages "0" are pinned
      Then the first message is marked "synthetic, pinned, summary"

    Scenario: A pinned continuation stays a continuation
      Given a conversation that opens with a continuation of brim
      When the messages "0" are pinned
      Then the first message is marked "synthetic, pinned"

  @CNV_09
  Rule: A text without a visible character is not sent, nor a message that is left without parts
    Source: a provider answers such a text with an error; ordinary recorded sessions hold 34 of them.

    Scenario Outline: A text is sent if it has a visible character
      Given a message of the user that is the text of <characters>
      When what can be sent of the conversation is worked out
      Then <sent> is sent

      Examples: Nothing shows
        | description          | characters         | sent    |
        | no character         | nothing            | nothing |
        | a space              | a space            | nothing |
        | line breaks          | line breaks        | nothing |
        | a no-break space     | a no-break space   | nothing |
        | a line separator     | a line separator   | nothing |
        | a paragraph's        | a paragraph separator | nothing |
        | a zero-width space   | a zero-width space | nothing |
        | a control character  | a control character | nothing |
        | half a character     | half a character   | nothing |

      Examples: Something shows
        | description          | characters             | sent    |
        | a letter             | a letter               | it      |
        | a digit after spaces | a digit after spaces   | it      |
        | a full stop          | a full stop            | it      |
        | an emoji             | an emoji               | it      |
        | an icon of a font    | an icon of a font      | it      |

    Scenario: The invisible text is beside a tool call
      Given a conversation of
        | speaker   | says | calls |
        | user      | Go.  |       |
        | assistant | \n   | A     |
      When what can be sent of the conversation is worked out
      Then what is sent is
        | speaker   | says | calls |
        | user      | Go.  |       |
        | assistant |      | A     |
      And left out is text

    Scenario: The invisible text is the only part
      Given a conversation of
        | speaker   | says  |
        | user      | Go.   |
        | assistant | \n    |
        | user      | Well? |
      When what can be sent of the conversation is worked out
      Then what is sent is
        | speaker | says  |
        | user    | Go.   |
        | user    | Well? |
      And left out is text

    Scenario: A message without parts
      Given a conversation of
        | speaker   | says |
        | user      | Go.  |
        | assistant |      |
      When what can be sent of the conversation is worked out
      Then what is sent is
        | speaker | says |
        | user    | Go.  |
      And left out is nothing

    Scenario: A conversation without invisible texts
      Given a conversation of
        | speaker   | thinks | says  | calls | answers | holds    |
        | user      |        | Go.   |       |         | image    |
        | assistant | Hm.    | Yes.  | A     |         | hologram |
        | tool      |        |       |       | A       |          |
      When what can be sent of the conversation is worked out
      Then what is sent is the very same messages
      And left out is nothing

  @CNV_09
  Rule: Markers of a harness are never sent
    Source: sessions of other tools hold parts that no provider takes.

    Scenario Outline: A marker is left out and reported
      Given a message of the user that holds words, <block>
      When what can be sent of the conversation is worked out
      Then left out is marker
      And what is sent of the message is words

      Examples: Every kind of them
        | block               |
        | a compaction marker |
        | a sub-task          |
        | a file              |
        | a patch             |

  @CNV_09
  Rule: The API accepts what a compaction returns; where nothing is compacted, warnings name what it would refuse
    Source: brim; the API refuses a conversation that begins with the assistant, or two tool calls with one id.

    Scenario Outline: A compaction returns what the API accepts
      Given messages in which <fault>
      When <how> makes room in it
      Then the API would refuse nothing in it
      And there are no warnings

      Examples:
        | description     | fault                                | how       |
        | ids used twice  | every tool call has the same id      | a summary |
        | ids used twice  | every tool call has the same id      | pruning   |
        | assistant first | the assistant speaks first           | a summary |
        | assistant first | the assistant speaks first           | pruning   |
        | no result       | a tool call has no result            | a summary |
        | empty message   | the user's first message is empty    | a summary |
        | system's words  | the system speaks behind each user's | a summary |
        | system's tool   | the system adds a tool in the middle | a summary |

    Scenario: Of tool calls with the same id the newest keeps it
      Given messages in which every tool call has the same id
      When pruning makes room in it
      Then its tool calls have the ids "A-9, A-8, A-7, A-6, A-5, A-4, A-3, A-2, A"

    Scenario Outline: A conversation that is not compacted comes back as it is
      Given messages in which <fault>
      When it is small enough to stay as it is
      Then every message is the very one that came
      And the warnings are "<warnings>"

      Examples:
        | description     | fault                             | warnings                                                                                                                                                                                     |
        | no fault        | nothing is wrong                  |                                                                                                                                                                                              |
        | assistant first | the assistant speaks first        | message 0 is the first one and the assistant's; the API takes a user's message first                                                                                                         |
        | ids used twice  | every tool call has the same id   | message 5 calls a tool with the id 'A', as message 1 does                                                                                                                                    |
        | no result       | a tool call has no result         | the tool call 'A0' has no result                                                                                                                                                             |
        | a late result   | a tool call has its result too late | the tool call 'A0' has its result too late |
        | no call         | a result has no tool call         | the tool call 'A0' is missing, but has a result |
        | one call twice  | a response makes one call twice   | the tool call 'A0' occurs twice in a response, or in a user's message |
        | empty message   | the user's first message is empty | message 1 is the first one and the assistant's; the API takes a user's message first; message 0 is empty, or has a text without a visible character or a part that is never sent |

  @CNV_01
  Rule: A malformed conversation is refused, and the error names the message and the block
    Source: a decision of this project; a fault is reported with its place, before anything is decided on it.

    Scenario Outline: A malformed message
      Given a conversation whose second message <fault>
      When the messages are read
      Then it is not understood
      And the refusal names the second message and <what>

      Examples: The message itself
        | fault                            | what             |
        | is a bare text                   | its form         |
        | has a moderator's role           | its role         |
        | has no role                      | its role         |
        | has a list as its role           | its role         |
        | has no content                   | its content      |
        | has bytes as its content         | its content      |
        | has an object as its content     | its content      |

      Examples: Its blocks
        | fault                              | what             |
        | has a bare text among its blocks   | a block's form   |
        | has a block without a type         | a block's type   |
        | has a list as a block's type       | a block's type   |
        | has a text without its words       | the words        |
        | has a call without an id           | the id of a call |
        | has a call without a name          | the name of a call |
        | has a web search without an id     | the id of a call |
        | has a server's call without a name | the name of a call |
        | has a result without a call's id   | the call of a result |

    Scenario Outline: A conversation that is no list
      Given <something> in place of a conversation
      When the messages are read
      Then it is not understood
      And the refusal asks for a list of messages, not "<kind>"

      Examples: What came instead
        | something   | kind     |
        | a bare text | str      |
        | bytes       | bytes    |
        | one message | dict     |
        | nothing     | NoneType |
