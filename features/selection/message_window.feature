Feature: Message window
  The windowing profile counts messages, not turns: the newest ten stay word for word at any size, and the
  rest is summarized. It is the plainest selection there is, and it knows nothing of what was achieved. A policy can set
  how many messages stay, with any profile. If less than the target may stay, as after a provider's overflow error, a
  compactor keeps turns instead, as under the other profiles.

  @SEL_05 @portable
  Rule: Under the profile windowing a compactor keeps the last ten messages; a cut between a call and its result moves back before the call
    Source: the windowing plan (S3, configuration and edge cases).

    Scenario Outline: The last ten
      Given <count> messages of the user and the agent in turn
      When the messages to keep are chosen
      Then <kept> messages are kept and <summarized> summarized

      Examples:
        | description | count | kept | summarized |
        | none        | 0     | 0    | 0          |
        | one under   | 9     | 9    | 0          |
        | exactly     | 10    | 10   | 0          |
        | one over    | 11    | 10   | 1          |
        | many        | 25    | 10   | 15         |

    Scenario Outline: How many are kept is a setting
      Given 8 messages of the user and the agent in turn
      And the last <recent> messages are to be kept
      When the messages to keep are chosen
      Then <kept> messages are kept and <summarized> summarized

      Examples:
        | description | recent | kept | summarized |
        | none        | 0      | 1    | 7          |
        | three       | 3      | 3    | 5          |
        | more        | 9      | 8    | 0          |

    Scenario Outline: The cut moves back to before the call
      Given messages
        | name | speaker   | calls | answers |
        | m1   | user      |       |         |
        | m2   | assistant | A, B  |         |
        | m3   | tool      |       | A       |
        | m4   | tool      |       | B       |
        | m5   | assistant |       |         |
        | m6   | user      |       |         |
      And the last <recent> messages are to be kept
      When the messages to keep are chosen
      Then the messages kept are "<kept>"

      Examples:
        | description                  | recent | kept               |
        | before the answer's message  | 2      | m5, m6             |
        | between two results          | 3      | m2, m3, m4, m5, m6 |
        | between the call and results | 4      | m2, m3, m4, m5, m6 |
        | before the call              | 5      | m2, m3, m4, m5, m6 |
        | all of them                  | 6      | m1, m2, m3, m4, m5, m6 |

    Scenario: A result that comes late holds the cut back all the same
      Given messages
        | name | speaker   | calls | answers |
        | m1   | user      |       |         |
        | m2   | assistant | A     |         |
        | m3   | user      |       |         |
        | m4   | tool      |       | A       |
        | m5   | assistant |       |         |
      And the last 3 messages are to be kept
      When the messages to keep are chosen
      Then the messages kept are "m2, m3, m4, m5"

    Scenario: A call without a result holds nothing back
      Given messages
        | name | speaker   | calls | answers |
        | m1   | assistant | A     |         |
        | m2   | user      |       |         |
      And the last 1 messages are to be kept
      When the messages to keep are chosen
      Then the messages kept are "m2"

    Scenario: A result without a call holds nothing back
      Given messages
        | name | speaker   | calls | answers |
        | m1   | user      |       |         |
        | m2   | assistant | A     |         |
        | m3   | tool      |       | X       |
        | m4   | user      |       |         |
      And the last 2 messages are to be kept
      When the messages to keep are chosen
      Then the messages kept are "m3, m4"

  @SEL_05 @portable
  Rule: The last message that the user wrote is kept even if it is before the last ten
    Source: brim. The field: anthropics/claude-code#22376, where the user's last request was lost.

    Scenario: A long loop of tools
      Given messages
        | name | speaker   | calls | answers |
        | m1   | user      |       |         |
        | m2   | assistant |       |         |
        | m3   | user      |       |         |
        | m4   | assistant | A     |         |
        | m5   | tool      |       | A       |
        | m6   | assistant | B     |         |
        | m7   | tool      |       | B       |
      And the last 2 messages are to be kept
      When the messages to keep are chosen
      Then the messages kept are "m3, m6, m7"

  @SEL_05
  Rule: The last ten messages are kept even if they exceed the target of 30,000 tokens, and the result reports a missed target
    Source: the windowing plan (S3, configuration): "always keep", and a target count after summarization. They can
    contradict each other; the plan does not say which wins.

    Scenario Outline: The newest ten are kept at any size
      Given 20 messages of <size> tokens each
      When the newest messages are kept
      Then <kept> tokens are kept, and the target is <met>

      Examples:
        | description     | size  | kept   | met    |
        | one token under | 2,999 | 29,990 | met    |
        | exactly         | 3,000 | 30,000 | met    |
        | over            | 3,001 | 30,010 | missed |

    Scenario: The cut moves back to a legal one, and what that adds is counted
      Given 20 messages of 2,900 tokens each
      And a cut is legal only before the messages "1, 9, 15"
      When the newest messages are kept
      Then 34,800 tokens are kept, and the target is missed

    Scenario: One token over is over
      Given 19 messages of 1,579 tokens each
      And a cut is legal only before the messages "1"
      When the newest messages are kept
      Then 30,001 tokens are kept, and the target is missed

    Scenario: Messages before the first compactable one are neither counted nor cut
      Given 20 messages of 1,000 tokens each
      And only the messages from 15 on may be compacted
      When the newest messages are kept
      Then the messages from 15 on are kept

    Scenario Outline: Every message is kept where all are among the newest ten
      Given <count> messages of 1,000 tokens each
      When the newest messages are kept
      Then the messages from <first> on are kept

      Examples:
        | description | count | first |
        | exactly ten | 10    | 1     |
        | one more    | 11    | 2     |

    Scenario: The user's message counts as kept
      Given 20 messages of 1,000 tokens each
      And the user wrote none after the first
      When the newest messages are kept
      Then 11,000 tokens are kept, and the target is met

    Scenario: Why they are kept
      Given 11 messages of 1,000 tokens each
      When the newest messages are kept
      Then they are kept as the "last messages"

  @SEL_05
  Rule: If less than the target may stay, a compactor keeps what fits of the recent turns, in place of the last messages
    Source: brim; the last messages stay at any size, so what was too long for the provider would be too long again.

    Scenario Outline: Less may stay after the provider's overflow error
      Given a model with a context window of 60,000 tokens
      And a policy that keeps the last 10 messages
      When a compactor plans to compact 12 turns with outputs of 2,000 tokens, <when>
      Then <kept> messages are kept as the "<why>"

      Examples:
        | description | when                    | kept | why                         |
        | all of it   | as the program asks     | 11   | last messages               |
        | half of it  | after an overflow error | 5    | cut inside the recent turns |
