Feature: Cuts
  Compaction keeps the newest part of a conversation and puts a summary in place of the rest. The cut between the two
  falls only where it parts nothing that belongs together. What belongs together is said by one invariant each; a cut
  is legal where none of them is broken.

  @CNV_05
  Rule: A cut never separates a tool call from its result
    Source: the windowing plan's edge case of an interruption in the middle of a tool call (S3, implementation
    plan); a provider refuses either half alone.

    Scenario: A conversation with one call
      Given a conversation of
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A     |         |
        | tool      |       | A       |
        | assistant |       |         |
      When its legal cuts are found
      Then it may be cut before "0, 1, 3, end"

    Scenario: Parallel calls whose results come in separate messages
      Given a conversation of
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A, B  |         |
        | tool      |       | A       |
        | tool      |       | B       |
        | assistant |       |         |
      When its legal cuts are found
      Then it may be cut before "0, 1, 4, end"

    Scenario: The user's words are in the message of the result
      Given a conversation of
        | speaker   | calls | answers | says   |
        | user      |       |         | Go.    |
        | assistant | A     |         |        |
        | user      |       | A       | Faster |
        | user      |       |         | Well?  |
      When its legal cuts are found
      Then it may be cut before "0, 1, 3, end"

    Scenario: The provider's result is in the message of the call
      Given a conversation of
        | speaker   | asks | answers |
        | user      |      |         |
        | assistant | S    | S       |
        | user      |      |         |
      When its legal cuts are found
      Then it may be cut before "0, 1, 2, end"

    Scenario: The provider's result is in the model's next message
      Given a conversation of
        | speaker   | asks | answers |
        | user      |      |         |
        | assistant | S    |         |
        | assistant |      | S       |
      When its legal cuts are found
      Then it may be cut before "0, 1, end"

    Scenario: The provider's result is in the model's next message, beside another call
      Given a conversation of
        | speaker   | asks | answers |
        | user      |      |         |
        | assistant | S    |         |
        | assistant | T    | S, T    |
      When its legal cuts are found
      Then it may be cut before "0, 1, end"

  @CNV_05
  Rule: A cut never splits a response
    Source: a decision of this project; recorded sessions hold one response as several messages.

    Scenario Outline: Two consecutive messages of the model
      Given a conversation of
        | speaker   | response |
        | user      |          |
        | assistant | <first>  |
        | assistant | <second> |
      When its legal cuts are found
      Then it may be cut before "<cuts>"

      Examples:
        | description              | first | second | cuts         |
        | of one response          | one   | one    | 0, 1, end    |
        | of two responses         | one   | two    | 0, 1, 2, end |
        | the first not known      |       | two    | 0, 1, 2, end |
        | the second not known     | one   |        | 0, 1, 2, end |
        | neither known            |       |        | 0, 1, 2, end |

    Scenario Outline: Only messages of the model belong to a response
      Given a conversation of
        | speaker  | response |
        | <first>  | one      |
        | <second> | one      |
      When its legal cuts are found
      Then it may be cut before "0, 1, end"

      Examples: Not both are the model's
        | first     | second    |
        | assistant | user      |
        | user      | assistant |
        | user      | user      |

  @CNV_05
  Rule: A cut never separates a thinking block from the message that continues it
    Source: a decision of this project; a provider refuses a call whose thinking is gone.

    Scenario Outline: A message of the model that ends with thinking
      Given a conversation of
        | speaker   | thinks   | says   | calls   |
        | user      |          | Go.    |         |
        | assistant | <thinks> | <says> |         |
        | <next>    |          | <then> | <calls> |
      When its legal cuts are found
      Then it may be cut before "<cuts>"

      Examples: The model goes on
        | description                  | thinks | says | next      | then  | calls | cuts         |
        | with a call                  | Hm.    |      | assistant |       | A     | 0, 1, end    |
        | with words                   | Hm.    |      | assistant | Done. |       | 0, 1, end    |
        | after words of its own       | Hm.    | So.  | assistant |       | A     | 0, 1, 2, end |
        | without having thought       |        | So.  | assistant |       | A     | 0, 1, 2, end |
        | after a message of no parts  |        |      | assistant |       | A     | 0, 1, 2, end |

      Examples: The user goes on
        | description                  | thinks | says | next      | then  | calls | cuts         |
        | after thinking alone         | Hm.    |      | user      | Well? |       | 0, 1, 2, end |

    Scenario: A thinking block in a user's message is ignored
      Given a conversation of
        | speaker   | thinks |
        | user      | Hm.    |
        | assistant |        |
      When its legal cuts are found
      Then it may be cut before "0, 1, end"

  @CNV_05
  Rule: A cut is legal if every invariant allows it, and at both ends of the conversation
    Source: the principle that each invariant stands alone and a cut must keep them all.

    Scenario: Each invariant forbids a different cut
      Given a conversation of
        | speaker   | response | thinks | says  | calls | answers |
        | user      |          |        | Go.   |       |         |
        | assistant | one      |        | I do. |       |         |
        | assistant | one      |        |       | A     |         |
        | tool      |          |        |       |       | A       |
        | assistant | two      | Hm.    |       |       |         |
        | assistant | three    |        | Done. |       |         |
        | user      |          |        | Well? |       |         |
      When its legal cuts are found
      Then it may be cut before "0, 1, 4, 6, end"

    Scenario: No messages belong together
      Given a conversation of
        | speaker   |
        | user      |
        | assistant |
      When its legal cuts are found
      Then it may be cut before "0, 1, end"

    Scenario: A conversation of one message
      Given a conversation of
        | speaker |
        | user    |
      When its legal cuts are found
      Then it may be cut before "0, end"

    Scenario: An empty conversation
      Given a conversation of
        | speaker |
      When its legal cuts are found
      Then it may be cut before "end"
