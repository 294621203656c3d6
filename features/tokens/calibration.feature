Feature: Calibration
  Four characters a token fits some models and reads 30 to 47.5% low on those that take 2.8 to
  2.1. Every response tells how far the window grew while so many characters were added. Once enough was seen,
  estimates for that model are made by what it showed, and not by what is documented.

  @TOK_09
  Rule: Each model's characters a token are learned from the window's growth, and used after 3 samples and 20,000 characters
    Source: a decision of this project, from recorded sessions: current Claude models take 2.1 to 2.8
    characters a token on code and tool output, GPT models 3.6 to 3.9. What is enough, and what
    teaches nothing: decision 0009.

    Scenario Outline: Before that, brim uses 4 characters a token
      Given <calls> calls of a model that each added <characters> characters and <tokens> tokens
      When its characters a token are asked for
      Then they are <ratio>

      Examples: Three calls are needed
        | description          | calls | characters | tokens | ratio |
        | nothing was seen     | 0     | 0          | 0      | 4     |
        | one call             | 1     | 100,000    | 40,000 | 4     |
        | one call too few     | 2     | 100,000    | 40,000 | 4     |
        | just enough calls    | 3     | 100,000    | 40,000 | 2.5   |
        | more than enough     | 50    | 100,000    | 40,000 | 2.5   |

      Examples: 20,000 characters are needed
        | description                 | calls | characters | tokens | ratio |
        | one call, however long      | 1     | 20,000     | 8,000  | 4     |
        | just under in four calls    | 4     | 4,999      | 2,000  | 4     |
        | just enough in four calls   | 4     | 5,000      | 2,000  | 2.5   |

    Scenario: Longer samples weigh more
      Given 3 calls of a model that each added 10,000 characters and 4,000 tokens
      And 1 more call that added 90,000 characters and 20,500 tokens
      When its characters a token are asked for
      Then they are 120,000 to 32,500

    Scenario Outline: An implausible growth is ignored
      Given 3 calls of a model that each added 10,000 characters and 4,000 tokens
      And 1 more call that added <characters> characters and <tokens> tokens
      When its characters a token are asked for
      Then they are <ratio>

      Examples: Too many tokens for its characters, such as hidden thinking or an image
        | description                  | characters | tokens | ratio            |
        | one character a token        | 6,000      | 6,000  | 36,000 to 18,000 |
        | a single token is a growth   | 5          | 1      | 30,005 to 12,001 |
        | one token more               | 6,000      | 6,001  | 30,000 to 12,000 |
        | nothing was added            | 0          | 500    | 30,000 to 12,000 |

      Examples: Too few, such as after something left the window
        | description                  | characters | tokens | ratio            |
        | eight characters a token     | 48,000     | 6,000  | 78,000 to 18,000 |
        | one character more           | 48,001     | 6,000  | 30,000 to 12,000 |
        | the window did not grow      | 6,000      | 0      | 30,000 to 12,000 |

      Examples: Nothing happened
        | description                  | characters | tokens | ratio            |
        | no characters and no tokens  | 0          | 0      | 30,000 to 12,000 |

    Scenario Outline: The ratio of one model is not used for another
      Given 3 calls of "claude-opus-5-5" that each added 10,000 characters and 4,000 tokens
      When the characters a token of "<model>" are asked for
      Then they are <ratio>

      Examples:
        | description   | model           | ratio |
        | the same      | claude-opus-5-5 | 2.5   |
        | another       | gpt-5.5         | 4     |

    Scenario Outline: An invalid ratio is refused
      When an account is opened at "<ratio>" characters a token
      Then the refusal reads "<refusal>"

      Examples:
        | description     | ratio | refusal                                          |
        | none            | 0     | characters per token is 0; it has to be above 0  |
        | fewer than none | -1    | characters per token is -1; it has to be above 0 |
        | no number       | many  | 'many' is not a finite number                    |
        | beyond reason   | 1e31  | a number has the exponent 31; it is from -30 to 30 |

    Scenario: A boolean is no ratio
      When an account is opened at a truth value
      Then the refusal reads "True is not a number"

    Scenario: The tokens of an image are not counted as characters
      Given an account of a window that is told the size of each response
      And 3 rounds of 10,000 characters and 1,600 tokens of media that were each reported as 5,600 tokens
      When 1,000 characters are appended
      Then they are estimated at 400 tokens

    Scenario Outline: A running account learns from responses and estimates with the learned ratio
      Given an account of a window that is <use>
      And 3 rounds of 10,000 characters that were each reported as 4,000 tokens
      When 1,000 characters are appended
      Then they are estimated at <tokens> tokens

      Examples:
        | description                         | use                                | tokens |
        | learning                            | told the size of each response     | 400    |
        | fixed at four                       | fixed at 4 characters a token      | 250    |
        | the response is not told apart      | not told the size of each response | 250    |

    Scenario Outline: A compactor shares the learned ratio between conversations of a model
      Given an agent whose messages take 2.5 characters a token, by the usage of "model-a"
      When <happens>
      Then the next request is estimated at <ratio> characters a token

      Examples:
        | description                           | happens                                         | ratio |
        | two responses                         | it has had 2 responses                          | 4     |
        | enough was seen                       | it has had 5 responses                          | 2.5   |
        | after a compaction                    | it has had 5 responses, and is compacted        | 2.5   |
        | another conversation of the compactor | it has had 5 responses, and another agent begins | 2.5   |
        | the model changed at each response    | it has had 6 responses, by two models in turn   | 4     |
