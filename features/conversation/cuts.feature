Feature: Cuts
  Compaction keeps the newest part of a conversation and puts a summary in place of the rest. The cut between the two
  falls only where it parts nothing that belongs together. What belongs together is said by one invariant each; a cut
  is legal where none of them is broken.

  A conversation stands in a line, a comma between two messages, and a cut is the number of the message behind it, from 0
  on. "A" is a call of the model with the result in the next message, and "call A" or "result A" is one without the other.
  A plus joins the parts of one message: "result A+user" is a result with words of the user behind it. "searched" is a
  call that the provider runs, "#1" a part of the response 1, "thought" a message with thinking alone.

  @CNV_05
  Rule: A cut never separates a tool call from its result
    Source: the windowing plan's edge case of an interruption in the middle of a tool call (S3, implementation
    plan); a provider refuses either half alone.

    Scenario Outline: The result is in a later message, or beside its call
      Given the conversation <conversation>
      When the legal cuts are found
      Then the places of legal cuts are "<cuts>"

      Examples:
        | description                      | conversation                                                               | cuts         |
        | one call                         | user, A, assistant                                                         | 0, 1, 3, end |
        | the user's words beside a result | user "Go.", call A, result A+user "Faster", user                           | 0, 1, 3, end |
        | the provider's beside its call   | user, S searched, user                                                     | 0, 1, 2, end |
        | and another call beside it       | user, call S searched, call T searched+result S searched+result T searched | 0, 1, end    |

  @CNV_05
  Rule: A cut never splits a response
    Source: a decision of this project; recorded sessions hold one response as several messages.

    Scenario Outline: Only consecutive messages of the model belong to one response
      Given the conversation <conversation>
      When the legal cuts are found
      Then the places of legal cuts are "<cuts>"

      Examples:
        | description            | conversation                     | cuts         |
        | of one response        | user, assistant #1, assistant #1 | 0, 1, end    |
        | of two responses       | user, assistant #1, assistant #2 | 0, 1, 2, end |
        | neither known          | user, assistant, assistant       | 0, 1, 2, end |
        | the model, then a user | assistant #1, user #1            | 0, 1, end    |

  @CNV_05
  Rule: A cut never separates a thinking block from the message that continues it
    Source: a decision of this project; a provider refuses a call whose thinking is gone.

    Scenario Outline: A message of the model that ends with thinking is continued by the model
      Given the conversation <conversation>
      When the legal cuts are found
      Then the places of legal cuts are "<cuts>"

      Examples:
        | description               | conversation                     | cuts         |
        | with a call               | user, thought, call A            | 0, 1, end    |
        | words behind the thinking | user, assistant thinking, call A | 0, 1, 2, end |
        | the user goes on          | user, thought, user "Well?"      | 0, 1, 2, end |
        | a user's block is ignored | user silent thinking, assistant  | 0, 1, end    |

  @CNV_05
  Rule: A cut is allowed where none of these rules forbids it, and at both ends of the conversation
    Source: the principle that each invariant stands alone and a cut must keep them all.

    Scenario Outline: Each invariant forbids a different cut
      Given the conversation <conversation>
      When the legal cuts are found
      Then the places of legal cuts are "<cuts>"

      Examples:
        | description      | conversation                                                                            | cuts            |
        | all of them      | user, assistant "I do." #1, call A #1, result A, thought #2, assistant "Done." #3, user | 0, 1, 4, 6, end |
        | a single message | user                                                                                    | 0, end          |
