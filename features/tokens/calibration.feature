Feature: Calibration
  Four characters a token fits some models and reads 30 to 47.5% low on those that take 2.8 to
  2.1. Every response tells how far the window grew while so many characters were added. Once enough was seen,
  estimates for that model are made by what it showed, and not by what is documented.

  @TOK_09
  Rule: How many characters a token has is learned for each model from the window's growth, and used after 3 samples and 20,000 characters
    Source: a decision of this project, from recorded sessions: current Claude models take 2.1 to 2.8
    characters a token on code and tool output, GPT models 3.6 to 3.9. What is enough, and what
    teaches nothing: decision 0206. S2, section 11, asks for the ratio.

    Scenario Outline: Before that, brim uses 4 characters a token
      When the model shows <seen>
      Then the characters a token is "<ratio>"

      Examples:
        | description                | seen                                         | ratio |
        | one call too few           | 2 times 100,000 characters in 40,000 tokens  | 4     |
        | one call, however long     | 1 times 20,000 characters in 8,000 tokens    | 4     |
        | just under, in four calls  | 4 times 4,999 characters in 2,000 tokens     | 4     |
        | just enough, in four calls | 4 times 5,000 characters in 2,000 tokens     | 2.5   |

    Scenario Outline: The ratio of one model is not used for another
      When the model acts
        | shows 3 times 10,000 characters in 4,000 tokens |
        | <then>                                          |
      Then the characters a token is "<ratio>"

      Examples:
        | description          | then                                                                  | ratio |
        | another              | gives way to another                                                  | 4     |
        | another that differs | gives way to another, shows 3 times 10,000 characters in 5,000 tokens | 2     |

    Scenario Outline: Longer samples weigh more, and an implausible growth is ignored
      When the model acts
        | shows 3 times 10,000 characters in 4,000 tokens          |
        | shows 1 times <characters> characters in <tokens> tokens |
      Then the characters learned is "<sum>"
      And the tokens learned is "<sum of tokens>"

      Examples:
        | description                        | characters | tokens | sum     | sum of tokens |
        | a longer sample                    | 90,000     | 20,500 | 120,000 | 32,500        |
        | one token more, such as an image's | 6,000      | 6,001  | 30,000  | 12,000        |
        | eight characters a token           | 48,000     | 6,000  | 78,000  | 18,000        |
        | one character more                 | 48,001     | 6,000  | 30,000  | 12,000        |
