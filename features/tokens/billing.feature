@portable
Feature: Billing
  What was read from the cache costs about a tenth of what was read afresh. The billing
  equivalent says what reading cost in tokens at the full price. It is a figure for
  people who ask what a session costs; no trigger looks at it.

  @TOK_04
  Rule: The billing equivalent is the tokens read less nine tenths of those from the cache, floored, at least 0
    Source: the "effective tokens" of both codelets (S4), which the change to them calls broken as a
    measure of the window (S1). What was read includes the cache here. The name says what the
    figure is good for.

    Scenario Outline: Nine tenths of the cached tokens are subtracted, floored
      When the billing equivalent of <read> tokens is worked out, of which <cached> came from the cache
      Then the result is <equivalent>

      Examples:
        | description            | read    | cached  | equivalent |
        | nothing from the cache | 190,000 | 0       | 190,000    |
        | two tokens, 1.8 off    | 100     | 2       | 99         |
        | nine tokens, 8.1 off   | 100     | 9       | 92         |
        | eleven tokens, 9.9 off | 100     | 11      | 91         |

    Scenario Outline: It does not go below nothing, where the input left the cache out
      When the billing equivalent of <read> tokens is worked out, of which <cached> came from the cache
      Then the result is <equivalent>

      Examples:
        | description               | read  | cached  | equivalent |
        | one token more            | 10    | 10      | 1          |
        | exactly what is taken off | 9     | 10      | 0          |
