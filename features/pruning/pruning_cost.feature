Feature: Pruning cost
  A provider keeps what it has read in a cache and reads it again at a tenth of the price, but only up to the first
  place that differs. Clearing an old output saves its tokens in every later request, and costs the cached rest once.

  @PRN_09
  Rule: The event of a pruning reports the tokens saved and the cached tokens that must be read again
    Source: brim. The field: anomalyco/opencode#32515, where pruning cost more than it saved because nobody counted
    the broken cache.

    Scenario: A compaction that only prunes reports both
      Given a model with a context window of 200,000 tokens
      And a longest answer of 32,000 tokens
      When 6 outputs of 30,000 tokens are pruned
      Then the event reads "pruned: 3 outputs, 90,000 tokens; 90,031 cached tokens are read again"

    Scenario Outline: Everything from the first changed message on must be read again
      Given messages of 1,000 tokens each, 10 of them
      And a pruning of the outputs in messages "<pruned>" that saves <saved> tokens
      When the cost of the pruning is worked out
      Then <saved> tokens are saved and <broken> cached tokens are broken

      Examples:
        | description             | pruned | saved | broken |
        | the first message       | 1      | 900   | 10,000 |
        | one in the middle       | 5      | 900   | 6,000  |
        | several, the oldest one | 4, 7   | 1,800 | 7,000  |
        | the last message        | 10     | 900   | 1,000  |

    Scenario Outline: Only cached tokens must be read again
      Given messages of 1,000 tokens each, 10 of them
      And a pruning of the outputs in messages "4" that saves 900 tokens
      And <cached> tokens are cached
      When the cost of the pruning is worked out
      Then 900 tokens are saved and <broken> cached tokens are broken

      Examples:
        | description                     | cached | broken |
        | nothing                         | 0      | 0      |
        | less than what stays            | 2,999  | 0      |
        | exactly what stays              | 3,000  | 0      |
        | one token of the changed rest   | 3,001  | 1      |
        | all but the newest message      | 9,000  | 6,000  |

    Scenario: A pruning that clears nothing costs nothing
      Given messages of 1,000 tokens each, 10 of them
      And a pruning that clears nothing
      When the cost of the pruning is worked out
      Then 0 tokens are saved and 0 cached tokens are broken

    Scenario: A negative number of cached tokens is refused
      Given messages of 1,000 tokens each, 10 of them
      And a pruning of the outputs in messages "4" that saves 900 tokens
      And -1 tokens are cached
      When the cost of the pruning is worked out
      Then the refusal reads "cached is -1; it is a number of tokens, 0 or more"
