Feature: Estimation
  Between two responses nobody has counted the tokens, and no public tokenizer fits every
  model. Characters are counted instead: an estimate that costs nothing and is put right by the next
  response. Four to a token fits some models and reads far too low on others, which is why
  a model's own ratio is learned as soon as its responses show one (TOK_09).

  @TOK_06
  Rule: Without a token counter, 4 characters are a token, rounded up
    Source: the estimator of the roadmap (S2, section 10), which rounds up, and the character-based
    estimate that is used if counting fails (S3). A tool call counts its name and its input
    as compact JSON. OpenCode's own estimator rounds half up, and can be chosen by name.

    A caller can name another number of characters for an estimate or for a window. A compactor begins with four and
    learns the ratio of its model.

    @portable
    Scenario Outline: The length of a text gives its estimate
      Given a text of <count> characters
      When its tokens are estimated
      Then the result is <tokens>

      Examples:
        | description        | count   | tokens |
        | empty              | 0       | 0      |
        | exactly a token    | 4       | 1      |
        | one over           | 5       | 2      |

    @portable
    Scenario Outline: A character is a Unicode code point
      Given the text "<text>"
      When its tokens are estimated
      Then the result is <tokens>

      Examples:
        | description         | text   | tokens |
        | four ideographs     | 要約する   | 1      |
        | five pictures       | 🙂🙂🙂🙂🙂  | 2      |

    @portable
    Scenario Outline: OpenCode's estimator rounds half up
      Given a text of <count> characters
      When its tokens are estimated as OpenCode does
      Then the result is <tokens>

      Examples:
        | description       | count | tokens |
        | a half            | 2     | 1      |
        | one and a half    | 6     | 2      |

    @portable
    Scenario Outline: The characters a token can be set, also to a fraction
      Given a text of <count> characters
      When its tokens are estimated at <ratio> characters a token
      Then the result is <tokens>

      Examples:
        | description        | count | ratio | tokens |
        | one over           | 6     | 2.5   | 3      |
        | no binary fraction | 69    | 0.69  | 100    |

    Scenario Outline: Each part of a message counts, a call by its name and its input as compact JSON, an image 1,600
      Given the conversation <message>
      When the conversation is estimated
      Then the result is <tokens>

      Examples:
        | description              | message                           | tokens |
        | a text                   | user 10                           | 10     |
        | two parts, rounded once  | user "ab"+user "cd"               | 1      |
        | a text and a call        | assistant "1234567"+call A skills | 4      |
        | an image                 | user silent 1 image               | 1,600  |
        | a result with two images | result A 2 images                 | 3,200  |

    Scenario: A conversation is estimated with another ratio
      Given the conversation result A 41 characters
      When the conversation is estimated at 2.5 characters a token
      Then the result is 17

  @TOK_07
  Rule: Every estimate uses the policy's token counter, if there is one
    Source: the windowing of the command line (S3), which counts with a tokenizer. No public tokenizer fits current models,
    so the default counts characters; who has a tokenizer sets it as `token_counter`. Its counts need no calibration
    (TOK_09). The roadmap has one for Claude models (S2, section 10.6).

    Scenario: A token counter changes every size that a compaction goes by
      Given the conversation 6 turns of 20,000
      And a token counter that counts a token for each 2 characters
      When the sizes of a compaction are asked for without the counter and with it
      Then the result is
        | window  | extras | size judged | before the plan | saved   | read again | summary call |
        | 121,048 | 1,012  | 121,048     | 121,048         | 39,983  | 80,048     | 121,791      |
        | 242,102 | 2,024  | 242,102     | 242,102         | 119,949 | 120,119    | 243,587      |

    Scenario: And with them what is kept
      Given the conversation 6 turns of 20,000
      And a token counter that counts a token for each 2 characters
      When the sizes of a compaction are asked for without the counter and with it
      Then the result is
        | kept messages | after the template | compared with the facts |
        | 9             | 40,060             | 40,060                  |
        | 5             | 40,109             | 40,109                  |

  @TOK_07
  Rule: If the token counter fails, characters are counted instead, with one warning
    Source: the design of windowing in the command line (S3, error handling). A count that is a little
    off harms less than a session that stops; a warning at every message would harm more than one.

    Scenario Outline: A text that the token counter counts is so many tokens, and no counter is asked for a text of nothing
      Given a token counter that <answers>
      When it estimates texts of <lengths> characters
      Then the estimates are "<estimates>"
      And it warns ""

      Examples:
        | description       | answers                 | lengths   | estimates |
        | it works          | counts 7 for every text | 40, 41, 2 | 7, 7, 7   |
        | a text of nothing | counts 7 for every text | 0, 1, 0   | 0, 7, 0   |

    Scenario Outline: One that it cannot count is estimated by its characters, and the warning names the reason
      Given a token counter that <answers>
      When it estimates texts of <lengths> characters
      Then the estimates are "<estimates>"
      And it warns "characters are counted in place of tokens: <warning>…"

      Examples:
        | description                  | answers                    | lengths   | estimates | warning                                                                             |
        | it fails every time          | fails                      | 40, 41, 2 | 10, 11, 1 | the tokenizer failed with OSError: the vocabulary is missing                        |
        | it answers below nothing     | counts -1 for every text   | 40, 41, 2 | 10, 11, 1 | the tokenizer failed with InvalidInput: it answered -1, which is no count of tokens |
