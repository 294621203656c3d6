Feature: Tool pairs
  A model calls a tool and gets the tool's result. A provider refuses a request in which the two do not meet: a call
  that nothing answers, a result that answers nothing. Conversations get into that state on their own, by an interrupt,
  by a crash, or because a file ends in mid-work; before anything is sent they are put right, and what was done is
  reported.

  @CNV_04
  Rule: A tool call without a result gets an error result that says it was interrupted
    Source: the windowing plan's edge case of an interruption in the middle of a tool call (S3, implementation
    plan). The field: google/adk-python#4743, where one orphan blocked compaction for ever.

    Scenario: An interrupted call in the middle of the conversation
      Given a conversation of
        | speaker   | says         | calls |
        | user      | List it.     |       |
        | assistant |              | A     |
        | user      | No, stop.    |       |
        | assistant | As you wish. |       |
      When calls and results are paired
      Then what is sent is
        | speaker   | says         | calls | fails | output                           |
        | user      | List it.     |       |       |                                  |
        | assistant |              | A     |       |                                  |
        | tool      |              |       | A     | [Tool execution was interrupted] |
        | user      | No, stop.    |       |       |                                  |
        | assistant | As you wish. |       |       |                                  |
      And the calls answered with an error are "A"

    Scenario: A call at the end of the conversation
      Given a conversation of
        | speaker   | calls |
        | user      |       |
        | assistant | A     |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | fails | output                           | mark      |
        | user      |       |       |                                  |           |
        | assistant | A     |       |                                  |           |
        | tool      |       | A     | [Tool execution was interrupted] | synthetic |
      And what is sent reads back as itself

    Scenario: A call followed by another response
      Given a conversation of
        | speaker   | calls |
        | user      |       |
        | assistant | A     |
        | assistant |       |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | fails |
        | user      |       |       |
        | assistant | A     |       |
        | tool      |       | A     |
        | assistant |       |       |

    Scenario: One of two parallel calls has no result
      Given a conversation of
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A, B  |         |
        | tool      |       | B       |
        | assistant |       |         |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | answers | fails |
        | user      |       |         |       |
        | assistant | A, B  |         |       |
        | tool      |       |         | A     |
        | tool      |       | B       |       |
        | assistant |       |         |       |
      And the calls answered with an error are "A"

    Scenario: Two consecutive calls have no results
      Given a conversation of
        | speaker   | calls |
        | user      |       |
        | assistant | A, B  |
        | user      |       |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | fails |
        | user      |       |       |
        | assistant | A, B  |       |
        | tool      |       | A, B  |
        | user      |       |       |
      And the calls answered with an error are "A, B"

    Scenario: An interrupted call does not affect the other pairs
      Given a conversation of
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A     |         |
        | user      |       |         |
        | assistant | B     |         |
        | tool      |       | B       |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | answers | fails |
        | user      |       |         |       |
        | assistant | A     |         |       |
        | tool      |       |         | A     |
        | user      |       |         |       |
        | assistant | B     |         |       |
        | tool      |       | B       |       |
      And the messages stood before at "0, 1, new, 2, 3, 4"

  @CNV_04
  Rule: An orphaned tool result is left out and reported
    Source: the same edge case (S3, implementation plan). The field: openclaw/openclaw#8525, where a cut had left
    such a result and every request after it was refused.

    Scenario: The conversation begins with an orphaned result
      Given a conversation of
        | speaker   | says   | answers |
        | tool      |        | A       |
        | assistant | Done.  |         |
        | user      | Go on. |         |
      When calls and results are paired
      Then what is sent is
        | speaker   | says   |
        | assistant | Done.  |
        | user      | Go on. |
      And the results left out are "A"
      And the messages stood before at "1, 2"

    Scenario: The words in the same message stay
      Given a conversation of
        | speaker   | answers | says   |
        | user      | A       | Go on. |
        | assistant |         | Done.  |
      When calls and results are paired
      Then what is sent is
        | speaker   | answers | says   |
        | user      |         | Go on. |
        | assistant |         | Done.  |
      And the results left out are "A"

    Scenario: A call with two results
      Given a conversation of
        | speaker   | calls | answers | output |
        | user      |       |         |        |
        | assistant | A     |         |        |
        | tool      |       | A       | first  |
        | tool      |       | A       | second |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | answers | output |
        | user      |       |         |        |
        | assistant | A     |         |        |
        | tool      |       | A       | first  |
      And the results left out are "A"

    Scenario: A result before its call
      Given a conversation of
        | speaker   | calls | answers |
        | user      |       |         |
        | tool      |       | A       |
        | assistant | A     |         |
        | user      |       |         |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | answers | fails |
        | user      |       |         |       |
        | assistant | A     |         |       |
        | tool      |       |         | A     |
        | user      |       |         |       |
      And the results left out are "A"

    Scenario: A matching and an orphaned result
      Given a conversation of
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A     |         |
        | tool      |       | X, A    |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A     |         |
        | tool      |       | A       |
      And the results left out are "X"

  @CNV_04
  Rule: A late tool result is moved up to its call
    Source: brim, for the documents do not speak of it: a result that exists is never thrown away for an error. Recorded sessions hold results that came in
    after the user's next words, or between the parts of one response.

    Scenario: The user wrote between call and result
      Given a conversation of
        | speaker   | says  | calls | answers |
        | user      | Go.   |       |         |
        | assistant |       | A     |         |
        | user      | Well? |       |         |
        | tool      |       |       | A       |
      When calls and results are paired
      Then what is sent is
        | speaker   | says  | calls | answers |
        | user      | Go.   |       |         |
        | assistant |       | A     |         |
        | tool      |       |       | A       |
        | user      | Well? |       |         |
      And the results moved up are of "A"

    Scenario: The user's words precede the result in its message
      Given a conversation of
        | speaker   | says  | calls | answers |
        | user      | Go.   |       |         |
        | assistant |       | A     |         |
        | user      | Well? |       | A       |
      When calls and results are paired
      Then what is sent is
        | speaker   | says  | calls | answers |
        | user      | Go.   |       |         |
        | assistant |       | A     |         |
        | tool      |       |       | A       |
        | user      | Well? |       |         |
      And the results moved up are of "A"

    Scenario: The model continued before the result came
      Given a conversation of
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A     |         |
        | assistant | B     |         |
        | tool      |       | A, B    |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A     |         |
        | tool      |       | A       |
        | assistant | B     |         |
        | tool      |       | B       |
      And the results moved up are of "A"

    Scenario: Two calls with the same id each get the next result
      Given a conversation of
        | speaker   | calls | answers | output |
        | user      |       |         |        |
        | assistant | A     |         |        |
        | user      |       |         |        |
        | assistant | A     |         |        |
        | tool      |       | A       | late   |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | answers | fails | output                           |
        | user      |       |         |       |                                  |
        | assistant | A     |         |       |                                  |
        | tool      |       |         | A     | [Tool execution was interrupted] |
        | user      |       |         |       |                                  |
        | assistant | A     |         |       |                                  |
        | tool      |       | A       |       | late                             |

  @CNV_04
  Rule: A conversation with matching calls and results is unchanged
    Source: the principle that what is kept is the very thing that came in; nothing is put right that is not wrong.

    Scenario: The results of parallel calls come in separate messages
      Given a conversation of
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A, B  |         |
        | tool      |       | B       |
        | tool      |       | A       |
        | assistant |       |         |
      When calls and results are paired
      Then the messages are the very same
      And the messages stood before at "0, 1, 2, 3, 4"

    Scenario: The user's words after the result
      Given a conversation of
        | speaker   | calls | answers | says  |
        | user      |       |         | Go.   |
        | assistant | A     |         |       |
        | user      |       | A       | Well? |
      When calls and results are paired
      Then the messages are the very same

    Scenario: A response in several messages
      Given a conversation of
        | speaker   | response | calls | answers |
        | user      |          |       |         |
        | assistant | one      | A     |         |
        | assistant | one      | B     |         |
        | tool      |          |       | A, B    |
      When calls and results are paired
      Then the messages are the very same

    Scenario: Two consecutive responses
      Given a conversation of
        | speaker   | response | calls | answers |
        | user      |          |       |         |
        | assistant | one      | A     |         |
        | assistant | two      | B     |         |
        | tool      |          |       | A, B    |
      When calls and results are paired
      Then the results moved up are of "A"

    Scenario: A missing result is added after the last message of the response
      Given a conversation of
        | speaker   | response | calls | answers |
        | user      |          |       |         |
        | assistant | one      | A     |         |
        | assistant | one      | B     |         |
        | tool      |          |       | B       |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | answers | fails |
        | user      |       |         |       |
        | assistant | A     |         |       |
        | assistant | B     |         |       |
        | tool      |       |         | A     |
        | tool      |       | B       |       |

    Scenario: Two responses use the same call id
      Given a conversation of
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A     |         |
        | tool      |       | A       |
        | assistant | A     |         |
        | tool      |       | A       |
      When calls and results are paired
      Then the messages are the very same

    Scenario: An empty conversation
      Given a conversation of
        | speaker |
      When calls and results are paired
      Then the messages are the very same

  @CNV_04
  Rule: The result of a tool that the provider runs is in the model's own message
    Source: brim, for the documents do not speak of it: the Anthropic interface runs such tools itself and returns call and result in the assistant's
    message. The field: anthropics/anthropic-sdk-python#1151.

    Scenario: The result is in the same message
      Given a conversation of
        | speaker   | asks | answers |
        | user      |      |         |
        | assistant | S    | S       |
        | user      |      |         |
      When calls and results are paired
      Then the messages are the very same

    Scenario: A paused response continues in a second message
      Given a conversation of
        | speaker   | asks | answers |
        | user      |      |         |
        | assistant | S    |         |
        | assistant |      | S       |
      When calls and results are paired
      Then the messages are the very same

    Scenario: A call of the user's tool before the pause
      Given a conversation of
        | speaker   | calls | asks | answers |
        | user      |       |      |         |
        | assistant | A     | S    |         |
        | assistant |       |      | S       |
        | tool      |       |      | A       |
      When calls and results are paired
      Then the messages are the very same

    Scenario: A call of the user's tool before the pause, without a result
      Given a conversation of
        | speaker   | calls | asks | answers |
        | user      |       |      |         |
        | assistant | A     | S    |         |
        | assistant |       |      | S       |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | asks | answers | fails |
        | user      |       |      |         |       |
        | assistant | A     | S    |         |       |
        | assistant |       |      | S       |       |
        | tool      |       |      |         | A     |

    Scenario: Another response after the pause
      Given a conversation of
        | speaker   | calls | asks | says   |
        | user      |       |      | Go.    |
        | assistant | A     | S    |        |
        | assistant |       |      | Sorry. |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | asks | fails | says   |
        | user      |       |      |       | Go.    |
        | assistant | A     | S    | S     |        |
        | tool      |       |      | A     |        |
        | assistant |       |      |       | Sorry. |

    Scenario: The pause ends with the provider's result
      Given a conversation of
        | speaker   | calls | asks | answers | says |
        | user      |       |      |         | Go.  |
        | assistant | A     | S    |         |      |
        | assistant |       |      | S       |      |
        | assistant |       |      | S       | So.  |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | asks | answers | fails | says |
        | user      |       |      |         |       | Go.  |
        | assistant | A     | S    |         |       |      |
        | assistant |       |      | S       |       |      |
        | tool      |       |      |         | A     |      |
        | assistant |       |      |         |       | So.  |
      And the results left out are "S"

    Scenario: The error result is in the message of the call, also if the response continues
      Given a conversation of
        | speaker   | response | asks | says |
        | user      |          |      | Go.  |
        | assistant | one      | S    |      |
        | assistant | one      |      | So.  |
      When calls and results are paired
      Then what is sent is
        | speaker   | asks | fails | says |
        | user      |      |       | Go.  |
        | assistant | S    | S     |      |
        | assistant |      |       | So.  |

    Scenario: A call may be repeated after its result
      Given a conversation of
        | speaker   | response | asks | answers | says  |
        | user      |          |      | X       | Go.   |
        | assistant | one      | S    | S       |       |
        | assistant | one      | S    | S       | Done. |
      When calls and results are paired
      Then what is sent is
        | speaker   | asks | answers | says  |
        | user      |      |         | Go.   |
        | assistant | S    | S       |       |
        | assistant | S    | S       | Done. |
      And the calls left out are ""

    Scenario: A call of the user's tool in the same message
      Given a conversation of
        | speaker   | asks | answers | calls |
        | user      |      |         |       |
        | assistant | S    | S       | A     |
        | tool      |      | A       |       |
      When calls and results are paired
      Then the messages are the very same

    Scenario: An interrupted call of the provider's tool
      Given a conversation of
        | speaker   | asks |
        | user      |      |
        | assistant | S    |
        | user      |      |
      When calls and results are paired
      Then what is sent is
        | speaker   | asks | fails |
        | user      |      |       |
        | assistant | S    | S     |
        | user      |      |       |
      And the calls answered with an error are "S"

    Scenario: The conversation ends before the provider's result
      Given a conversation of
        | speaker   | asks |
        | user      |      |
        | assistant | S    |
      When calls and results are paired
      Then what is sent is
        | speaker   | asks | fails |
        | user      |      |       |
        | assistant | S    | S     |

    Scenario: The provider's result comes after the user's next words
      Given a conversation of
        | speaker   | asks | answers |
        | user      |      |         |
        | assistant | S    |         |
        | user      |      |         |
        | assistant |      | S       |
      When calls and results are paired
      Then what is sent is
        | speaker   | asks | fails |
        | user      |      |       |
        | assistant | S    | S     |
        | user      |      |       |
      And the results left out are "S"

    Scenario Outline: The error result has the form of the provider
      Given a response that calls <tool> and is interrupted
      When calls and results are paired
      Then the call is answered by a result of the kind <kind>
      And that result is an error that reads "<text>"

      Examples: The four kinds of tools
        | description           | tool               | kind                    | text                                       |
        | the user's own        | a tool of the user | result                  | [Tool execution was interrupted]           |
        | run by the provider   | a web search       | web search result       | web_search_tool_result_error: unavailable  |
        | searching among tools | a search for tools | tool search result      | tool_search_tool_result_error: unavailable |
        | of a connected server | a connected server | connected server result | [Tool execution was interrupted]           |

  @CNV_04
  Rule: A call that cannot be sent is left out and reported
    Source: brim, for the documents do not speak of it: a provider refuses a second call of one id and a call in a user's message. The field:
    anomalyco/opencode#1150 and anthropics/claude-code#20901.

    Scenario: A response repeats a call
      Given a conversation of
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A, A  |         |
        | tool      |       | A       |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A     |         |
        | tool      |       | A       |
      And the calls left out are "A"

    Scenario: A response repeats a call of the provider's tool
      Given a conversation of
        | speaker   | asks | answers |
        | user      |      |         |
        | assistant | S, S | S       |
      When calls and results are paired
      Then what is sent is
        | speaker   | asks | answers |
        | user      |      |         |
        | assistant | S    | S       |
      And the calls left out are "S"

    Scenario: The second message of a response repeats a call of the first
      Given a conversation of
        | speaker   | response | calls | answers |
        | user      |          |       |         |
        | assistant | one      | A     |         |
        | assistant | one      | A     |         |
        | tool      |          |       | A       |
      When calls and results are paired
      Then what is sent is
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A     |         |
        | tool      |       | A       |
      And the messages stood before at "0, 1, 3"

    Scenario: A call in a user's message
      Given a conversation of
        | speaker   | says | calls |
        | user      | Go.  | A     |
        | assistant | Yes. |       |
      When calls and results are paired
      Then what is sent is
        | speaker   | says | calls |
        | user      | Go.  |       |
        | assistant | Yes. |       |
      And the calls left out are "A"

  @CNV_04
  Rule: A growing conversation knows after each message whether its calls and results match
    Source: the account of a conversation is kept message by message, so that a verdict need not read it again.

    Scenario: Calls of the user's tools
      Given a conversation of
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A, B  |         |
        | tool      |       | A       |
        | tool      |       | B       |
        | assistant |       |         |
        | assistant | A     |         |
        | user      |       | A       |
      When the conversation is watched as it grows
      Then it is whole after the messages "0, 3, 4, 6"

    Scenario: Calls of the provider's tools
      Given a conversation of
        | speaker   | asks | answers |
        | user      |      |         |
        | assistant | S    | S       |
        | assistant | S    |         |
        | assistant |      | S       |
        | user      |      |         |
      When the conversation is watched as it grows
      Then it is whole after the messages "0, 1, 3, 4"

    Scenario: Calls of a response in several messages
      Given a conversation of
        | speaker   | response | calls | answers |
        | assistant | one      | A     |         |
        | assistant | one      |       |         |
        | assistant | one      | B     |         |
        | tool      |          |       | A, B    |
      When the conversation is watched as it grows
      Then it is whole after the messages "3"

    Scenario Outline: A mismatch is permanent
      Given a conversation of
        | speaker   | calls    | asks   | answers   |
        | user      |          |        |           |
        | assistant | <calls>  | <asks> |           |
        | <next>    |          |        | <then>    |
        | tool      |          |        | <answers> |
        | user      |          |        |           |
      When the conversation is watched as it grows
      Then it is whole after the messages "<whole>"

      Examples: What happened
        | description                    | calls | asks | next      | then | answers | whole      |
        | they met                       | A     |      | tool      | A    |         | 0, 2, 3, 4 |
        | the user spoke first           | A     |      | user      |      | A       | 0          |
        | the model spoke first          | A     |      | assistant |      | A       | 0          |
        | the result came twice          | A     |      | tool      | A    | A       | 0, 2       |
        | the result named another       |       |      | user      |      | A       | 0, 1, 2    |
        | the call was made twice        | A, A  |      | tool      | A    |         | 0          |
        | the provider did not answer    |       | S    | user      |      |         | 0          |
        | the provider's call came twice |       | S, S | assistant | S    |         | 0          |
        | another message came first     |       | S    | assistant |      |         | 0          |
        | the user answered for it       |       | S    | user      | S    |         | 0          |
        | the provider answered the user | A     |      | assistant | A    |         | 0          |

    Scenario: A call in a user's message is a permanent mismatch
      Given a conversation of
        | speaker   | calls |
        | assistant |       |
        | user      | A     |
        | assistant |       |
      When the conversation is watched as it grows
      Then it is whole after the messages "0"
