Feature: Thinking
  A thinking block is the model's reasoning, sealed by its provider and bound to the exact history before it. Once
  something before it is summarized or cleared, a newer model refuses it. So thinking leaves with the history that it
  was bound to, and a tool loop that would need it is closed by a line of brim's.

  @CNV_06
  Rule: If the history before a kept message changes, its thinking is left out
    Source: a decision of this project; newer Claude models answer a changed history with an error. The field:
    anthropics/claude-code#12973, anomalyco/opencode#31188.

    Scenario: Thinking before texts and calls
      Given a conversation of
        | speaker   | thinks | says  | calls | answers |
        | user      |        | Go.   |       |         |
        | assistant | Hm.    | I do. | A     |         |
        | tool      |        |       |       | A       |
        | assistant | So.    | Done. |       |         |
      When the thinking is left out
      Then what is left is
        | speaker   | thinks | says  | calls | answers |
        | user      |        | Go.   |       |         |
        | assistant |        | I do. | A     |         |
        | tool      |        |       |       | A       |
        | assistant |        | Done. |       |         |

    Scenario: A message with only thinking is left out
      Given a conversation of
        | speaker   | thinks | says  |
        | user      |        | Go.   |
        | assistant | Hm.    |       |
        | assistant |        | Done. |
      When the thinking is left out
      Then what is left is
        | speaker   | thinks | says  |
        | user      |        | Go.   |
        | assistant |        | Done. |

    Scenario: Hidden thinking is left out too
      Given a conversation of
        | speaker   | holds             | says  |
        | user      |                   | Go.   |
        | assistant | hidden thinking   | Done. |
      When the thinking is left out
      Then what is left is
        | speaker   | thinks | says  | holds |
        | user      |        | Go.   |       |
        | assistant |        | Done. |       |

    Scenario: The other parts of the message are unchanged
      Given a conversation of
        | speaker   | thinks | says  | holds    |
        | user      |        | Go.   | image    |
        | assistant | Hm.    | Done. | hologram |
      When the thinking is left out
      Then the words and the rest are written as they came

  @CNV_06
  Rule: A message without thinking is unchanged
    Source: a decision of this project; what need not change is the very thing that came in.

    Scenario: A conversation without thinking
      Given a conversation of
        | speaker   | says  | calls | answers |
        | user      | Go.   |       |         |
        | assistant | I do. | A     |         |
        | tool      |       |       | A       |
      When the thinking is left out
      Then the messages are the very same

  @CNV_06
  Rule: An unfinished tool loop begins with the response to the user's last message
    Source: a decision of this project; a provider asks for the thinking of a loop as long as its results come in.

    Scenario Outline: The last messages decide whether a tool loop is unfinished
      Given a conversation of
        | speaker   | says  | calls | answers |
        | user      | Go.   |       |         |
        | assistant | I do. | A     |         |
        | tool      |       |       | A       |
        | assistant |       | B     |         |
        | <last>    | <says> | <calls> | <answers> |
      When the unfinished loop is looked for
      Then it begins at <start>

      Examples: It does
        | description                 | last      | says  | calls | answers | start |
        | with a result               | tool      |       |       | B       | 1     |
        | with a call                 | assistant | More. | C     |         | 1     |

      Examples: It does not
        | description                 | last      | says  | calls | answers | start   |
        | the model has answered      | assistant | Done. |       |         | nowhere |
        | the user has spoken         | user      | Stop. |       |         | nowhere |
        | the user spoke beside it    | user      | Stop. |       | B       | nowhere |

    Scenario Outline: A response with only thinking does not end the loop, an answer does
      Given a conversation of
        | speaker   | thinks | says   | calls | answers |
        | user      |        | Go.    |       |         |
        | assistant | Hm.    |        | A     |         |
        | tool      |        |        |       | A       |
        | assistant | So.    | <says> |       |         |
      When the unfinished loop is looked for
      Then it begins at <start>

      Examples:
        | description    | says  | start   |
        | thinking alone |       | 1       |
        | an answer      | Done. | nowhere |

    Scenario: A provider's tool with its result
      Given a conversation of
        | speaker   | asks | answers | says  |
        | user      |      |         | Go.   |
        | assistant | S    | S       | Done. |
      When the unfinished loop is looked for
      Then it begins at nowhere

    Scenario: A provider's tool without its result
      Given a conversation of
        | speaker   | asks | says  |
        | user      |      | Go.   |
        | assistant | S    |       |
      When the unfinished loop is looked for
      Then it begins at 1

    Scenario: The tool loop of an earlier turn is finished
      Given a conversation of
        | speaker   | says  | calls | answers |
        | user      | Go.   |       |         |
        | assistant |       | A     |         |
        | tool      |       |       | A       |
        | user      | Well? |       |         |
        | assistant |       | B     |         |
        | tool      |       |       | B       |
      When the unfinished loop is looked for
      Then it begins at 4

    Scenario: The tool loop continues after a summary
      Given a conversation of
        | speaker   | says     | calls | answers | mark    |
        | user      | Before.  |       |         |         |
        | user      | Summary. |       |         | summary |
        | assistant |          | A     |         |         |
        | tool      |          |       | A       |         |
      When the unfinished loop is looked for
      Then it begins at 2

    Scenario: A summary after the last result ends the loop
      Given a conversation of
        | speaker   | says     | calls | answers | mark    |
        | user      | Go.      |       |         |         |
        | assistant |          | A     |         |         |
        | tool      |          |       | A       |         |
        | user      | Summary. |       |         | summary |
      When the unfinished loop is looked for
      Then it begins at nowhere

    Scenario: The conversation begins inside the tool loop
      Given a conversation of
        | speaker   | calls | answers |
        | assistant | A     |         |
        | tool      |       | A       |
      When the unfinished loop is looked for
      Then it begins at 0

    Scenario: The conversation is one call without a result
      Given a conversation of
        | speaker   | calls |
        | assistant | A     |
      When the unfinished loop is looked for
      Then it begins at 0

    Scenario Outline: A harness text after a result does not end the loop, the user's words do
      Given a conversation of
        | speaker   | calls | answers | says     | mark   |
        | user      |       |         | Go.      |        |
        | assistant | A     |         |          |        |
        | tool      |       | A       |          |        |
        | user      |       |         | Be kind. | <mark> |
      When the unfinished loop is looked for
      Then it begins at <start>

      Examples:
        | description | mark      | start   |
        | a harness   | synthetic | 1       |
        | a user      |           | nowhere |

    Scenario: An empty conversation
      Given a conversation of
        | speaker |
      When the unfinished loop is looked for
      Then it begins at nowhere

  @CNV_06
  Rule: A provider requires the thinking of an unfinished loop, so that a loop that loses its thinking is closed
    Source: a decision of this project (0115); without its thinking a provider refuses the loop, with it the history must
    not change. It asks for the thinking while results follow the last answer, with any text beside or after them.

    Scenario Outline: The unfinished loop has thinking, or has none
      Given a conversation of
        | speaker   | thinks   | says  | calls | answers |
        | user      |          | Go.   |       |         |
        | assistant | <before> | Done. |       |         |
        | user      |          | More. |       |         |
        | assistant | <first>  |       | A     |         |
        | tool      |          |       |       | A       |
        | assistant | <second> |       | B     |         |
        | <last>    |          | <says> |      | <answers> |
      When the unfinished loop is weighed
      Then it <needs> its thinking

      Examples:
        | description                 | before | first | second | last | says  | answers | needs         |
        | the first response thought  |        | Hm.   |        | tool |       | B       | needs         |
        | a later response thought    |        |       | So.    | tool |       | B       | needs         |
        | nobody thought              |        |       |        | tool |       | B       | does not need |
        | an earlier turn thought     | Hm.    |       |        | tool |       | B       | does not need |
        | the user spoke beside it    |        | Hm.   | So.    | user | Stop. | B       | needs         |
        | the model has answered      |        | Hm.   | So.    | assistant | Done. |    | does not need |

    Scenario Outline: A response with only thinking is ignored
      Given a conversation of
        | speaker   | thinks  | says   | calls | answers |
        | user      |         | Go.    |       |         |
        | assistant | <first> |        | A     |         |
        | tool      |         |        |       | A       |
        | assistant | So.     | <says> |       |         |
        | user      |         | <then> |       |         |
      When the unfinished loop is weighed
      Then it <needs> its thinking

      Examples:
        | description                   | first | says  | then  | needs         |
        | nothing behind it             | Hm.   |       |       | needs         |
        | the user speaks behind it     | Hm.   |       | Stop. | needs         |
        | nobody thought before it      |       |       |       | needs         |
        | the model answered as well    | Hm.   | Done. |       | does not need |
        | and the user speaks behind it | Hm.   | Done. | Stop. | does not need |

    Scenario Outline: Words after the last result do not change that
      Given a conversation of
        | speaker   | thinks | calls | answers | says     | mark   |
        | user      |        |       |         | Go.      |        |
        | assistant | Hm.    | A     |         |          |        |
        | tool      |        |       | A       |          |        |
        | user      |        |       |         | Be kind. | <mark> |
      When the unfinished loop is weighed
      Then it needs its thinking

      Examples:
        | description             | mark      |
        | the user interrupts     |           |
        | a harness adds its word | synthetic |
