Feature: Thinking
  A thinking block is the model's reasoning, sealed by its provider and bound to the exact history before it. Once
  something before it is summarized or cleared, a newer model refuses it. So thinking leaves with the history that it
  was bound to, and a tool loop that would need it is closed by a line of brim's.

  A conversation stands in a line, a comma between two messages. "A" is a call of the model with the result in the next
  message, and "call A" or "result A" is one without the other. A plus joins the parts of one message: "assistant+A" are
  words and a call, "result B+user" is a result with words of the user behind it. Behind a name, "thinking" says that the
  message begins with it; "thought" is a message with thinking alone, "harness" one that no user wrote.

  @CNV_06
  Rule: If the history before a kept message changes, its thinking is left out
    Source: a decision of this project; newer Claude models answer a changed history with an error. The field:
    anthropics/claude-code#12973, anomalyco/opencode#31188.

    Scenario Outline: Nothing but the thinking is left out, and a message with nothing else
      Given the conversation
        | speaker   | thinks   | holds   | says   | calls   |
        | user      |          | image   | Go.    |         |
        | assistant | <thinks> | <holds> | <says> | <calls> |
        | assistant |          |         | Done.  |         |
      When the thinking is left out
      Then the messages are "<left>"
      And the parts are "<parts>"

      Examples:
        | description              | thinks | holds           | says  | calls | left | parts                       |
        | before a call            | Hm.    |                 |       | A     | 3    | image, Go., A, Done.        |
        | alone                    | Hm.    |                 |       |       | 2    | image, Go., Done.           |
        | hidden, before a text    |        | hidden thinking | I do. |       | 3    | image, Go., I do., Done.    |
        | before what nobody knows | Hm.    | hologram        |       |       | 3    | image, Go., hologram, Done. |

  @CNV_06
  Rule: A message without thinking is unchanged
    Source: a decision of this project; what need not change is the very thing that came in.

    Scenario Outline: Only the messages with thinking change
      Given the conversation user "Go.", <first>, <second>
      When the thinking is left out
      Then the conversation is user "Go.", <first left>, <second left>

      Examples:
        | description     | first                        | second                     | first left          | second left       |
        | in both answers | assistant "I do." thinking+A | assistant "Done." thinking | assistant "I do."+A | assistant "Done." |
        | in one          | assistant "I do."+A          | assistant "Done." thinking | assistant "I do."+A | assistant "Done." |

  @CNV_06
  Rule: An unfinished tool loop begins with the response to the user's last message
    Source: a decision of this project; a provider asks for the thinking of a loop as long as its results come in.

    Scenario Outline: A loop is unfinished while the conversation ends with a call or with results
      Given the conversation <conversation>
      When the unfinished loop is looked for
      Then the first response is "<first>"

      Examples:
        | description                 | conversation                         | first |
        | with a result               | user, assistant+A, B                 | 1     |
        | the model has answered      | user, assistant+A, call B, assistant |       |
        | the user has spoken         | user, assistant+A, call B, user      |       |
        | of the provider's, answered | user, S searched+assistant           |       |
        | of the provider's           | user, call S searched                | 1     |
        | an earlier turn's is over   | user, A, user, B                     | 4     |

      Examples: Thinking alone, or a harness, ends no loop; an answer, a summary or the user does
        | description              | conversation                         | first |
        | thinking and an answer   | user, A thinking, assistant thinking |       |
        | a harness                | user, A, harness "Be kind."          | 1     |
        | the user                 | user, A, user "Be kind."             |       |
        | it began after a summary | user, user summary, A                | 2     |

  @CNV_06
  Rule: A provider requires the thinking of an unfinished loop, so that a loop that loses its thinking is closed
    Source: a decision of this project (0211); without its thinking a provider refuses the loop, with it the history must
    not change. It asks for the thinking while results follow the last answer, with any text beside or after them.

    Scenario Outline: The loop itself has thinking, and no answer ended it
      Given the conversation <conversation>
      When the unfinished loop is looked for
      Then the thinking required is "<required>"

      Examples:
        | description                | conversation                                                          | required |
        | the first response thought | user, assistant, user, A thinking, B                                  | yes      |
        | an earlier turn thought    | user, assistant thinking, user, A, B                                  | no       |
        | the model has answered     | user, assistant, user, A thinking, call B thinking, assistant "Done." | no       |

      Examples: A response with only thinking is ignored, and so are words behind the last result
        | description             | conversation                         | required |
        | nothing behind it       | user, A thinking, thought            | yes      |
        | the user interrupts     | user, A thinking, user "Be kind."    | yes      |
        | a harness adds its word | user, A thinking, harness "Be kind." | yes      |
