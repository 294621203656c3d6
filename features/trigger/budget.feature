Feature: Budget
  The budget bounds the target for the messages that a compaction keeps verbatim. It depends on the window and a buffer,
  with any profile: the buffer stays free, so that work continues for a while before the next compaction. What must be
  kept may exceed the budget; the plan reports that, and drops no message.

  @TRG_16
  Rule: The target for verbatim messages is at most the window less 50,000 tokens, or four fifths of a window of at most 50,000
    Source: the TypeScript original (S4), which keeps the budget apart from the threshold, and S1, which does not change
    it. The threshold says when a compaction is due, the budget how many tokens it aims to leave at most. The first Rust
    port took the budget for the threshold (TRG_09).

    Where the answer may be long and the window is small the budget can lie above the usable context: a window of 50,000
    with answers of 32,000 leaves 18,000 to read into, and its budget is 40,000. Then it bounds nothing; a compaction
    keeps at most a fifth of those 18,000 word for word, and adds the summary (SEL_04). The buffer is a
    setting of the policy, of 50,000 tokens by default.

    @portable
    Scenario Outline: The budget steps down where the window outgrows the buffer
      Given a model with window <window>
      When the budget is worked out
      Then the result is <budget>

      Examples: Within the buffer
        | description        | window | budget |
        | a single token     | 1      | 0      |
        | four to floor      | 4      | 3      |
        | one token under it | 49,999 | 39,999 |
        | exactly the buffer | 50,000 | 40,000 |

      Examples: Beyond the buffer
        | description    | window    | budget  |
        | one token over | 50,001    | 1       |
        | 200,000        | 200,000   | 150,000 |

    @portable
    Scenario Outline: The buffer is a setting
      Given a model with window <window>
      And the settings buffer 20,000
      When the budget is worked out
      Then the result is <budget>

      Examples:
        | description        | window | budget |
        | exactly the buffer | 20,000 | 16,000 |
        | one token over     | 20,001 | 1      |

    Scenario Outline: A compaction reports a budget that is too small for what it keeps, and drops no message for it
      Given a model with window <window>, answer 2,000
      And the conversation 6 turns of 5,000, user 3,000
      When a compaction is planned
      Then the keeps the last message is "yes"
      And the notices are "<notices>"

      Examples:
        | description         | window | notices                                                                                                     |
        | one token too small | 52,999 | the budget of 2999 tokens is 1 short of the 3000 that the pinned and recent part takes; all of it is kept   |
        | exactly             | 53,000 |                                                                                                             |
