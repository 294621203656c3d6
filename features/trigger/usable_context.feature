@portable
Feature: Usable context
  A context window holds what a model reads and what it writes. The usable context is
  what is left for input once the output reserve is set aside. Whether compaction is due
  is judged by it, and not by the whole window, so that the model's longest answer still
  fits.

  @TRG_01
  Rule: The output reserve is the model's longest answer, at most 32,000 tokens
    Source: OpenCode's overflow check, as both documents on the compaction limits take it over
    (S0, S1) and as the comparison of OpenCode and Claude Code quotes it (S2, section 2). A model
    that could write 64,000 tokens seldom does, so that no more than 32,000 are kept from reading.

    The policy can name another cap (`output_cap`, SET_01).

    Scenario Outline: The reserve is the smaller of the longest answer and 32,000
      Given a model with window <window>, answer <answer>
      When the usable context is worked out
      Then the result is <usable>

      Examples: The model's own limit is the smaller
        | description       | window  | answer | usable  |
        | Claude 3.5 Sonnet | 200,000 | 8,192  | 191,808 |
        | one token under   | 200,000 | 31,999 | 168,001 |

      Examples: The cap is the smaller
        | description    | window  | answer | usable  |
        | the same       | 200,000 | 32,000 | 168,000 |
        | one token over | 200,000 | 32,001 | 168,000 |

    Scenario Outline: The cap is a setting
      Given a model with window 200,000, answer <answer>
      And the settings answer cap 20,000
      When the usable context is worked out
      Then the result is <usable>

      Examples:
        | description     | answer | usable  |
        | the same        | 20,000 | 180,000 |
        | one token over  | 20,001 | 180,000 |

  @TRG_02
  Rule: A model that states no longest answer has an output reserve of 32,000 tokens
    Source: the third test that the change to the codelet needs (S1), and OpenCode's own code (S2,
    section 2). The snippet that proposes the change (S0) takes the smaller of nothing and 32,000,
    which sets nothing aside; that reading is not followed, see decision 0202.

    Scenario Outline: No longest answer is known
      Given a model with <limits>
      When the usable context is worked out
      Then the result is 168,000

      Examples:
        | description            | limits                   |
        | none is stated         | window 200,000           |
        | 0 counts as not stated | window 200,000, answer 0 |

  @TRG_03
  Rule: The usable context is the window less the output reserve, at most the model's input limit and at least 0
    Source: the arithmetic of both documents on the compaction limits (S0, S1; S2, section 2), which subtract without
    going below zero. The figure alone says nothing about whether such a window can be worked with. Where a model states
    a separate limit of its input, OpenCode goes by it (its setting limit.input), and so does brim if it is the smaller:
    GPT-5 has a window of 400,000 tokens, of which at most 272,000 are input. This answers a question that S3 leaves open,
    the right threshold for each model (open questions).

    Scenario Outline: A separate limit of the input
      Given a model with window 400,000, answer <answer>, input limit <input>
      When the usable context is worked out
      Then the result is <usable>

      Examples:
        | description                                | answer  | input   | usable  |
        | the input limit is the smaller             | 128,000 | 272,000 | 272,000 |
        | one token less than that                   | 32,000  | 367,999 | 367,999 |
        | none stated                                | 128,000 | 0       | 368,000 |

    Scenario Outline: Compaction is due above the input limit
      Given a model with window 400,000, answer 128,000, input limit 272,000
      When the conversation holds <held> tokens
      Then the verdict is "<verdict>"

      Examples:
        | description  | held    | verdict |
        | exactly full | 272,000 | not due |
        | one more     | 272,001 | due     |

    Scenario Outline: A small window is used up by the reserve
      Given a model with window <window>, answer <answer>
      When the usable context is worked out
      Then the result is <usable>

      Examples:
        | description                       | window | answer | usable |
        | one token more than the answer    | 8,193  | 8,192  | 1      |
        | exactly the answer                | 8,192  | 8,192  | 0      |
        | none stated, exactly 32,000       | 32,000 | 0      | 0      |

  @TRG_07
  Rule: Limits that leave no room for input are refused, with both numbers
    Source: a decision of this project. Judged by a usable context of 0, a conversation of nothing but
    its first question is too long already, and is compacted for ever. A window of 0 is how systems
    say that a model has no limit (S1, S2); it is not refused.

    Scenario Outline: Limits without room for input are refused
      Given a model with window <window>, answer <answer>
      When the threshold is asked for
      Then it is refused, naming <window> and <reserved>

      Examples:
        | description                    | window | answer | reserved |
        | the answer fills the window    | 8,000  | 8,000  | 8,000    |
        | none stated, exactly the room  | 32,000 | 0      | 32,000   |

    Scenario Outline: A verdict by such limits is refused, even while compaction is turned off
      Given a model with window 8,000, answer 8,000
      And the settings compaction <switch>
      When the conversation holds 0 tokens
      Then it is refused, naming 8,000 and 8,000

      Examples:
        | description | switch |
        | turned off  | off    |

    Scenario: A window of 0 means no limit, and is not refused
      Given a model with window 0, answer 8,192
      When the conversation holds 1,000,000 tokens
      Then the reason is "no limit"
