Feature: Window
  What the window holds now is known from the last response, and estimated for what came
  after it. A running account keeps it: taking in a message or a usage costs the same at
  the tenth message and at the hundred thousandth.

  @TOK_08 @portable
  Rule: The window holds the tokens of the last usage plus the estimate of all messages appended since
    Source: actual counts come from the model's responses (S2, section 7). The figures that Claude Code
    recorded when it compacted are met so, at 4 characters a token: one of them, 157,692, to the
    token. What was appended is rounded up once, as a whole. The characters a token are four, what
    was learned of the model, or what is named where a window is made.

    Scenario Outline: The account gives the figures that Claude Code recorded
      Given the last response reported
        | input | cache read   | output   |
        | 0     | <cache read> | <output> |
      And <appended> characters were appended since
      When the window is measured
      Then the window holds <held> tokens

      Examples: Boundaries that Claude Code recorded
        | description                    | cache read | output | appended | held    |
        | 157,692, met to the token      | 154,505    | 3      | 12,734   | 157,692 |
        | 167,038, met within a thousandth | 166,182  | 1      | 2,903    | 166,909 |
        | 297,190, met to the token      | 296,331    | 859    | 0        | 297,190 |

      Examples: To the character
        | description                    | cache read | output | appended | held  |
        | nothing appended               | 1,000      | 50     | 0        | 1,050 |
        | one character                  | 1,000      | 50     | 1        | 1,051 |
        | exactly a token                | 1,000      | 50     | 4        | 1,051 |
        | one over                       | 1,000      | 50     | 5        | 1,052 |

    Scenario: Cache writes are counted once
      Given the last response reported
        | input | cache read | output | cache write | reasoning |
        | 9,003 | 80,000     | 500    | 9,000       | 300       |
      And 400 characters were appended since
      When the window is measured
      Then the window holds 89,603 tokens

    Scenario Outline: Before the first usage, everything is estimated
      Given no response so far
      And <appended> characters were appended since
      When the window is measured
      Then the window holds <held> tokens

      Examples:
        | description      | appended | held |
        | nothing          | 0        | 0    |
        | a first question | 41       | 11   |

    Scenario: The characters a token can be set
      Given the last response reported
        | input | cache read | output |
        | 0     | 154,505    | 3      |
      And 12,734 characters were appended since
      When the window is measured at 2.78 characters a token
      Then the window holds 159,089 tokens

    Scenario: A ratio of 0 is invalid input
      Given no response so far
      And 40 characters were appended since
      When the window is measured at 0 characters a token
      Then it is not understood

  @TOK_11
  Rule: A usage from before a compaction, or of a summary call, is ignored
    Source: OpenCode never judges an answer that is itself a summary (S2, section 7), and a decision of
    this project: what was reported of a conversation that is no longer sent says nothing about
    what is. Until the next response the window is the estimate of what is sent now.

    Scenario Outline: After a compaction everything is estimated until the next response
      Given a window that was reported to hold 180,000 tokens
      And it was compacted to 41,000 characters and <media> tokens of media
      And <appended> characters came after
      When the window is looked at
      Then the window holds <held> tokens in all

      Examples:
        | description                | media | appended | held   |
        | right after it             | 0     | 0        | 10,250 |
        | a message later            | 0     | 1        | 10,251 |
        | an image was kept          | 1,600 | 0        | 11,850 |

    Scenario: The next response measures the window again
      Given a window that was reported to hold 180,000 tokens
      And it was compacted to 41,000 characters and 0 tokens of media
      When a response reports 36,000 tokens
      Then the window holds 36,000 tokens in all

    Scenario: The usage of a summary call is ignored
      Given a conversation that was compacted with a summary whose call reported 95,000 tokens
      When the window is looked at
      Then the window holds 3,036 tokens in all

    Scenario: Before and after a compaction are estimated the same way
      Given a window of 400,000 characters, and 1,600 tokens of media, reported to hold 180,000 tokens
      When it is compacted to 41,000 characters
      Then it went from 101,600 tokens to 10,250

    Scenario: A usage of zeros is ignored
      Given a window that was reported to hold 180,000 tokens
      And 400 characters came after
      When a response reports 0 tokens
      Then the window holds 180,100 tokens in all

    Scenario: The text of a response without usage is estimated
      Given a window that was reported to hold 180,000 tokens
      When a response of 400 characters reports 0 tokens
      Then the window holds 180,100 tokens in all

    Scenario: The text of a response with usage is not counted twice
      Given a window that was reported to hold 180,000 tokens
      And 400 characters came after
      When a response of 400 characters reports 181,000 tokens
      Then the window holds 181,000 tokens in all

    Scenario: An image that was appended since counts its tokens
      Given a window that was reported to hold 180,000 tokens
      And 400 characters and 1,600 tokens of media came after
      When the window is looked at
      Then the window holds 181,700 tokens in all

    Scenario: Cleared outputs are subtracted from the estimate of everything
      Given a window of 400,000 characters, and 1,600 tokens of media, reported to hold 180,000 tokens
      And 40,000 characters of it were cleared
      When it is compacted to 41,000 characters
      Then it went from 91,600 tokens to 10,250

    Scenario Outline: A response reports whether its usage measures the window
      Given a window that was reported to hold 180,000 tokens
      When <response>
      Then the usage is <answer>

      Examples:
        | description   | response                          | answer       |
        | a response    | a response reports 181,000 tokens | taken in     |
        | a placeholder | a response reports 0 tokens       | not taken in |

    Scenario Outline: Cleared outputs are subtracted
      Given a window that was reported to hold 180,000 tokens
      When <cleared> characters are cleared
      Then the window holds <held> tokens in all

      Examples:
        | description           | cleared   | held    |
        | nothing               | 0         | 180,000 |
        | less than a token     | 3         | 180,000 |
        | a token               | 4         | 179,999 |
        | many                  | 80,000    | 160,000 |
        | all but a token       | 719,996   | 1       |
        | all of it             | 720,000   | 0       |
        | more than it held     | 1,000,000 | 0       |
