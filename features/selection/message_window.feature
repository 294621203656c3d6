Feature: Message window
  The windowing profile counts messages, not turns: the newest ten stay word for word at any size, and the
  rest is summarized. It is the plainest selection there is, and it knows nothing of what was achieved. A policy can set
  how many messages stay, with any profile. If less than the target may stay, as after a provider's overflow error, a
  compactor keeps turns instead, as under the other profiles.

  Messages are counted from 1; "call A" is a message with a call, "result A" one with its output.

  @SEL_05 @portable
  Rule: Under the profile windowing a compactor keeps the last ten messages; a cut between a call and its result moves back before the call
    Source: the windowing plan (S3, configuration and edge cases).

    Scenario Outline: The last ten
      Given <count> messages of the user and the agent in turn
      When the messages to keep are chosen
      Then the number kept is "<kept>"
      And the number summarized is "<summarized>"

      Examples:
        | description | count | kept | summarized |
        | none        | 0     | 0    | 0          |
        | exactly     | 10    | 10   | 0          |
        | one over    | 11    | 10   | 1          |

    Scenario Outline: How many are kept is a setting
      Given 8 messages of the user and the agent in turn
      And the settings kept messages <recent>
      When the messages to keep are chosen
      Then the number kept is "<kept>"
      And the number summarized is "<summarized>"

      Examples:
        | description | recent | kept | summarized |
        | none        | 0      | 1    | 7          |
        | three       | 3      | 3    | 5          |

    Scenario Outline: The cut moves back to before the call
      Given the conversation user, call A+call B, result A, result B, assistant, user
      And the settings kept messages <recent>
      When the messages to keep are chosen
      Then the messages kept are "<kept>"

      Examples:
        | description                  | recent | kept             |
        | before the answer's message  | 2      | 5, 6             |
        | between the call and results | 4      | 2, 3, 4, 5, 6    |
        | before the call              | 5      | 2, 3, 4, 5, 6    |

    Scenario Outline: No cut parts a call from its result, however late; a call or a result alone does not matter
      Given the conversation <conversation>
      And the settings kept messages <recent>
      When the messages to keep are chosen
      Then the messages kept are "<kept>"

      Examples:
        | description              | conversation                            | recent | kept       |
        | a result that comes late | user, call A, user, result A, assistant | 3      | 2, 3, 4, 5 |
        | a call without a result  | call A, user                            | 1      | 2          |

  @SEL_05 @portable
  Rule: The last message that the user wrote is kept even if it is before the last ten
    Source: brim. The field: anthropics/claude-code#22376, where the user's last request was lost.

    Scenario: A long loop of tools
      Given the conversation user, assistant, user, call A, result A, call B, result B
      And the settings kept messages 2
      When the messages to keep are chosen
      Then the messages kept are "3, 6, 7"

  @SEL_05
  Rule: The last ten messages are kept even if they exceed the target of 30,000 tokens, and the result reports a missed target
    Source: the windowing plan (S3, configuration): "always keep", and a target count after summarization. They can
    contradict each other; the plan does not say which wins.

    Scenario Outline: The newest ten are kept at any size
      Given turns of 20 messages, each of <size> tokens
      When the newest messages are kept
      Then the result is
        | kept tokens | over target | reason        |
        | <kept>      | <missed>    | last messages |

      Examples:
        | description     | size  | kept   | missed |
        | exactly         | 3,000 | 30,000 | no     |
        | over            | 3,001 | 30,010 | yes    |

    Scenario Outline: The cut moves back to a legal one, and what that adds is counted
      Given turns of <count> messages, each of <size> tokens
      And its legal cuts are "<legal>"
      When the newest messages are kept
      Then the kept tokens are "<kept>"
      And the over target is "yes"

      Examples:
        | description            | count | size  | legal    | kept   |
        | two messages back      | 20    | 2,900 | 1, 9, 15 | 34,800 |
        | one token over is over | 19    | 1,579 | 1        | 30,001 |

  @SEL_05
  Rule: If less than the target may stay, a compactor keeps what fits of the recent turns, in place of the last messages
    Source: brim; the last messages stay at any size, so what was too long for the provider would be too long again.

    Scenario Outline: Less may stay after the provider's overflow error
      Given a model with window 60,000
      And the settings kept messages 10
      And the conversation 12 turns of 2,000
      When a compactor plans a compaction <when>
      Then the messages kept word for word is "<kept>"
      And the kept as is "<why>"

      Examples:
        | description | when                                | kept | why                         |
        | the limit   | by hand                             | 11   | last messages               |
        | half of it  | after the provider's overflow error | 5    | cut inside the recent turns |
