Feature: Window
  What the window holds now is known from the last response, and estimated for what came
  after it. A running account keeps it: taking in a message or a usage costs the same at
  the tenth message and at the hundred thousandth.

  @TOK_08 @portable
  Rule: The window holds the tokens of the last usage plus the estimate of all messages appended since
    Source: actual counts come from the model's responses (S2, section 7). The figures that Claude Code
    recorded when it compacted are met so, at 4 characters a token: one of them, 157,692, to the
    token. What was appended is rounded up once, as a whole. The characters a token are four, what
    was learned of the model, or what is named where a window is made. A count during the conversation is in S3
    (implementation plan).

    Scenario Outline: The account gives the figures that Claude Code recorded, to the character
      Given a response that reports <usage>
      When the window is measured with <appended> characters behind it
      Then the result is <held>

      Examples:
        | description                      | usage                                                                        | appended | held    |
        | 157,692, met to the token        | input 0, cache read 154,505, output 3                                        | 12,734   | 157,692 |
        | exactly a token                  | input 0, cache read 1,000, output 50                                         | 4        | 1,051   |
        | one over                         | input 0, cache read 1,000, output 50                                         | 5        | 1,052   |
        | cache writes are counted once    | input 9,003, cache read 80,000, output 500, cache write 9,000, reasoning 300 | 400      | 89,603  |

    Scenario Outline: Before the first usage, everything is estimated
      When the window is measured with <appended> characters behind it
      Then the result is <held>

      Examples:
        | description      | appended | held |
        | a first question | 41       | 11   |

  @TOK_11
  Rule: A usage from before a compaction, or of a summary call, is ignored
    Source: OpenCode never judges an answer that is itself a summary (S2, section 7), and a decision of
    this project: what was reported of a conversation that is no longer sent says nothing about
    what is. Until the next response the window is the estimate of what is sent now.

    Scenario Outline: After a compaction everything is estimated until the next response
      When the window hears of 180,000 tokens, is compacted to <behind>
      Then the held is "<held>"

      Examples:
        | description                 | behind                                    | held   |
        | right after it              | 41,000 characters                         | 10,250 |
        | the next response counts it | 41,000 characters, hears of 36,000 tokens | 36,000 |

    Scenario: The usage of a summary call is ignored
      Given a response that reports input 95,000
      When the window is measured behind a compaction by that response
      Then the result is 3,036

    Scenario Outline: Before and after a compaction are estimated the same way
      When the window acts
        | grows by 400,000 characters and an image |
        | hears of 180,000 tokens                  |
        | <clears>                                 |
        | is compacted to 41,000 characters        |
      Then the before is "<before>"
      And the after is "10,250"

      Examples:
        | description          | clears                   | before  |
        | nothing was cleared  |                          | 101,600 |
        | outputs were cleared | clears 40,000 characters | 91,600  |

    Scenario Outline: A usage of zeros is ignored, and a response's own text counted once
      When the window acts
        | hears of 180,000 tokens |
        | <then>                  |
      Then the held is "<held>"
      And the measured is "<measured>"

      Examples:
        | description                          | then                                                               | held    | measured |
        | a usage of zeros                     | grows by 400 characters, hears of 0 tokens                         | 180,100 | no       |
        | the text of a response with usage    | grows by 400 characters, hears of 181,000 tokens in 400 characters | 181,000 | yes      |

    Scenario Outline: Cleared outputs are subtracted
      When the window hears of 180,000 tokens, clears <cleared> characters
      Then the held is "<held>"

      Examples:
        | description       | cleared   | held    |
        | a token           | 4         | 179,999 |
        | more than it held | 1,000,000 | 0       |
