Feature: Tool pairs
  A model calls a tool and gets the tool's result. A provider refuses a request in which the two do not meet: a call
  that nothing answers, a result that answers nothing. Conversations get into that state on their own, by an interrupt,
  by a crash, or because a file ends in mid-work; before anything is sent they are put right, and what was done is
  reported.

  A conversation stands in a line, a comma between two messages. "A" is a call of the model with the result in the next
  message, and "call A" or "result A" is one without the other. A plus joins the parts of one message: "call A+call B" are
  two calls, "result A+user" is a result with words of the user behind it, "user+X" words with a result behind them.
  Behind a name stands what is special about it: "interrupted" for the error that brim puts there, "moved" for a result
  that brim puts elsewhere, "searched" for a call that the provider runs, "#1" for a part of the response 1.

  @CNV_04
  Rule: A tool call without a result gets an error result that says it was interrupted
    Source: the windowing plan's edge case of an interruption in the middle of a tool call (S3, implementation
    plan). The field: google/adk-python#4743, where one orphan blocked compaction for ever.

    An interrupted result reads "[Tool execution was interrupted]", and is marked as written by the harness.

    Scenario Outline: It stands behind its response, ahead of the other results
      Given the conversation <came>
      When calls and results are paired
      Then the conversation is <sent>
      And the calls answered with an error are "<answered>"

      Examples:
        | description                          | came                                                 | sent                                                           | answered |
        | in the middle                        | user "List it.", call A, user "No, stop.", assistant | user "List it.", A interrupted, user "No, stop.", assistant    | A        |
        | one of two parallel calls            | user, call A+call B, result B, assistant             | user, call A+call B, result A interrupted, result B, assistant | A        |
        | after the last message of a response | user, call A #1, call B #1, result B                 | user, call A #1, call B #1, result A interrupted, result B     | A        |

  @CNV_04
  Rule: An orphaned tool result is left out and reported
    Source: the same edge case (S3, implementation plan). The field: openclaw/openclaw#8525, where a cut had left
    such a result and every request after it was refused.

    Scenario Outline: A result without a call before it that waits
      Given the conversation <came>
      When calls and results are paired
      Then the conversation is <sent>
      And the results left out are "<left out>"

      Examples:
        | description               | came                                              | sent                             | left out |
        | at the beginning          | result A, assistant "Done.", user "Go on."        | assistant "Done.", user "Go on." | A        |
        | a second result of a call | user, call A, result A "first", result A "second" | user, call A, result A "first"   | A        |
        | beside a matching result  | user, call A, result X+result A                   | user, call A, result A           | X        |

  @CNV_04
  Rule: A late tool result is moved up to its call
    Source: brim, for the documents do not speak of it: a result that exists is never thrown away for an error. Recorded sessions hold results that came in
    after the user's next words, or between the parts of one response.

    Scenario Outline: Words, or another response, stand between call and result
      Given the conversation <came>
      When calls and results are paired
      Then the conversation is <sent>
      And the results moved up are "<moved>"

      Examples:
        | description                      | came                                          | sent                                | moved |
        | the user wrote in between        | user "Go.", call A, user "Well?", result A    | user "Go.", A moved, user "Well?"   | A     |
        | another response came first      | user, call A #1, call B #2, result A+result B | user, A moved #1, B #2              | A     |
        | of two calls of one id, the next | user, call A, user, call A, result A "late"   | user, A interrupted, user, A "late" |       |

  @CNV_04
  Rule: A conversation with matching calls and results is unchanged
    Source: the principle that what is kept is the very thing that came in; nothing is put right that is not wrong.

    Scenario Outline: Nothing is wrong
      Given the conversation <came>
      When calls and results are paired
      Then the conversation is <came>

      Examples:
        | description                        | came                                               |
        | a response in several messages     | user, call A #1, call B #1, result A+result B      |
        | two responses with one call id     | user, A, A                                         |

  @CNV_04
  Rule: The result of a tool that the provider runs is in the model's own message
    Source: brim, for the documents do not speak of it: the Anthropic interface runs such tools itself and returns call and result in the assistant's
    message. The field: anthropics/anthropic-sdk-python#1151.

    Scenario Outline: The provider answered
      Given the conversation <came>
      When calls and results are paired
      Then the conversation is <came>

      Examples:
        | description                         | came                                                      |
        | in the same message                 | user, S searched, user                                    |
        | behind a call of the user's         | user, call A+call S searched, result S searched, result A |

    Scenario Outline: The provider did not answer, or answered too late
      Given the conversation <came>
      When calls and results are paired
      Then the conversation is <sent>
      And the calls answered with an error are "<answered>"
      And the results left out are "<left out>"

      Examples:
        | description                | came                                                                               | sent                                                                                   | answered | left out |
        | the user went on           | user, call S searched, user                                                        | user, S searched interrupted, user                                                     | S        |          |
        | its result came late       | user, call S searched, user, result S searched                                     | user, S searched interrupted, user                                                     | S        | S        |
        | the response went on       | user "Go.", call S searched #1, assistant "So." #1                                 | user "Go.", S searched interrupted #1, assistant "So." #1                              | S        |          |

  @CNV_04
  Rule: A call that cannot be sent is left out and reported
    Source: brim, for the documents do not speak of it: a provider refuses a second call of one id and a call in a user's message. The field:
    anomalyco/opencode#1150 and anthropics/claude-code#20901.

    Scenario Outline: A second call of one id in a response, or a call of the user
      Given the conversation <came>
      When calls and results are paired
      Then the conversation is <sent>
      And the calls left out are "<left out>"
      And the places before are "<places>"

      Examples:
        | description                      | came                                 | sent                         | left out | places  |
        | a response repeats a call        | user, call A+call A, result A        | user, A                      | A        | 0, 1, 2 |
        | a call in a user's message       | user "Go."+call A, assistant "Yes."  | user "Go.", assistant "Yes." | A        | 0, 1    |

  @CNV_04
  Rule: A growing conversation knows after each message whether its calls and results match
    Source: the account of a conversation is kept message by message, so that a verdict need not read it again.

    Scenario Outline: Calls that meet their results
      Given the conversation <came>
      When the conversation is watched as it grows
      Then the places where it is whole are "<whole>"

      Examples:
        | description                       | came                                                               | whole      |
        | of the user's tools               | user, call A+call B, result A, result B, assistant, A              | 0, 3, 4, 6 |
        | of the provider's tools           | user, S searched, call S searched, result S searched, user         | 0, 1, 3, 4 |
        | of a response in several messages | call A #1, assistant #1, call B #1, result A+result B              | 3          |

    Scenario Outline: A mismatch is permanent
      Given the conversation <came>
      When the conversation is watched as it grows
      Then the places where it is whole are "<whole>"

      Examples:
        | description                    | came                                                                 | whole   |
        | the user spoke first           | user, call A, user, result A, user                                   | 0       |
        | the result named another       | user, assistant, user, result A, user                                | 0, 1, 2 |
        | the call was made twice        | user, call A+call A, result A, user, user                            | 0       |
        | the provider did not answer    | user, call S searched, user, user, user                              | 0       |
