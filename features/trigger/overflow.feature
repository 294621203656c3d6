Feature: Overflow
  Before every request brim compares the tokens that the conversation holds with a
  threshold. The verdict is a value: whether compaction is due, the reason in words, and
  both numbers, so that a reader of a log can check it.

  @TRG_04 @portable
  Rule: Compaction is due when the conversation holds more tokens than the usable context
    Source: OpenCode's overflow check (S0; S2, section 2) and the sixth test that the change to the
    codelet needs (S1): exactly full is not overfull.

    Scenario Outline: A conversation is judged to the token
      Given a model with a context window of <window> tokens
      And a longest answer of <answer> tokens
      When the conversation holds <held> tokens
      Then compaction is <verdict>
      And the reason reads "<reason>"

      Examples: Claude 3.5 Sonnet, with 191,808 usable
        | description     | window  | answer | held    | verdict | reason                     |
        | one token under | 200,000 | 8,192  | 191,807 | not due | under threshold            |
        | exactly full    | 200,000 | 8,192  | 191,808 | not due | under threshold            |
        | one token over  | 200,000 | 8,192  | 191,809 | due     | overflow (191809 > 191808) |
        | well over       | 200,000 | 8,192  | 195,000 | due     | overflow (195000 > 191808) |

      Examples: The two tests that the change proposes
        | description                           | window  | answer | held    | verdict | reason                     |
        | over nine tenths, and still room      | 200,000 | 8,192  | 191,000 | not due | under threshold            |
        | under nine tenths, and no room        | 200,000 | 64,000 | 171,000 | due     | overflow (171000 > 168000) |

      Examples: The smallest usable context, of one token
        | description     | window | answer | held | verdict | reason           |
        | exactly full    | 8,193  | 8,192  | 1    | not due | under threshold  |
        | one token over  | 8,193  | 8,192  | 2    | due     | overflow (2 > 1) |
        | nothing in it   | 8,193  | 8,192  | 0    | not due | under threshold  |

    Scenario: The usage of a response counts all the tokens that it read and wrote
      Given a model with a context window of 200,000 tokens
      And a longest answer of 8,192 tokens
      And a response that reports
        | input   | cache read | output |
        | 170,000 | 20,000     | 5,000  |
      When the response is judged
      Then compaction is due
      And the reason reads "overflow (195000 > 191808)"

  @TRG_05 @portable
  Rule: Reasons not to compact are checked first, in a fixed order, and reported
    Source: the bypasses that OpenCode's check and the change to the codelet share (S1; S2, section 2),
    and the reasons in words of the proactive sketch (S2, section 10). That there is nothing to
    compact comes third: a summary of nothing helps nobody.

    Scenario Outline: The verdict gives the first reason that applies
      Given a model with a context window of <window> tokens
      And compaction is turned <switch>
      And a conversation with <content> to compact
      When the conversation holds 1,000,000 tokens
      Then compaction is <verdict>
      And the reason reads "<reason>"

      Examples:
        | description                          | window  | switch | content   | verdict | reason                      |
        | disabled before everything           | 0       | off    | nothing   | not due | disabled                    |
        | disabled before no limit             | 0       | off    | something | not due | disabled                    |
        | disabled before nothing to compact   | 200,000 | off    | nothing   | not due | disabled                    |
        | disabled before overflow             | 200,000 | off    | something | not due | disabled                    |
        | no limit before nothing to compact   | 0       | on     | nothing   | not due | no limit                    |
        | no limit before overflow             | 0       | on     | something | not due | no limit                    |
        | nothing to compact before overflow   | 200,000 | on     | nothing   | not due | nothing to compact          |
        | nothing that holds compaction back   | 200,000 | on     | something | due     | overflow (1000000 > 168000) |

    Scenario Outline: A reason not to compact is reported below the threshold too
      Given a model with a context window of <window> tokens
      And compaction is turned <switch>
      And a conversation with <content> to compact
      When the conversation holds 0 tokens
      Then compaction is not due
      And the reason reads "<reason>"

      Examples:
        | description        | window  | switch | content   | reason             |
        | disabled           | 200,000 | off    | something | disabled           |
        | no limit           | 0       | on     | something | no limit           |
        | nothing to compact | 200,000 | on     | nothing   | nothing to compact |
        | none of them       | 200,000 | on     | something | under threshold    |

    Scenario Outline: The verdict carries its numbers, due or not
      Given a model with a context window of <window> tokens
      And a longest answer of 8,192 tokens
      And compaction is turned <switch>
      When the conversation holds <held> tokens
      Then the verdict names <held> tokens held and a threshold of <threshold>

      Examples:
        | description     | window  | switch | held    | threshold |
        | due             | 200,000 | on     | 195,000 | 191,808   |
        | under threshold | 200,000 | on     | 5,000   | 191,808   |
        | disabled        | 200,000 | off    | 195,000 | 191,808   |
        | no limit        | 0       | on     | 195,000 | 0         |

    Scenario: A usage together with a number of tokens is not understood
      Given a model with a context window of 200,000 tokens
      And a response that reports
        | input  |
        | 10,000 |
      When the response is judged as holding 10,000 tokens
      Then it is not understood

    Scenario: A request without a usage and without a number of tokens is not understood
      Given a model with a context window of 200,000 tokens
      When a conversation of unknown size is judged
      Then it is not understood

  @TRG_05
  Rule: Defaults: the usable context decides, compaction is on, and the conversation is not empty
    Source: a decision of this project, so that a usage and a model's limits are enough to ask with.

    Scenario Outline: A usage and the limits are enough
      Given a model with a context window of 200,000 tokens
      And a longest answer of 8,192 tokens
      When brim is asked about <held> tokens, and nothing is set
      Then the verdict reads "<verdict>"

      Examples:
        | description     | held    | verdict                                                        |
        | exactly full    | 191,808 | not due: under threshold, 191808 held, threshold 191808        |
        | one token over  | 191,809 | due: overflow (191809 > 191808), 191809 held, threshold 191808 |

    Scenario: A trigger needs the number of tokens alone
      Given a model with a context window of 200,000 tokens
      And a longest answer of 8,192 tokens
      When a trigger without settings judges 191,809 tokens
      Then the verdict reads "due: overflow (191809 > 191808), 191809 held, threshold 191808"

  @TRG_06
  Rule: Automatic compaction is turned off by the configuration or by either of two environment variables
    Source: OpenCode's own flag (S1; S2, section 2), which brim honours beside one of its own name.
    Manual compaction still works then, and a provider's own complaint about a prompt that is too
    long reaches the caller as an error.

    The command reads the configuration from its settings files. The library reads one only by an explicit call; a
    program passes a policy to a compactor, to its requests or to a window, or a flag to a verdict.

    Scenario Outline: A variable turns it off with any of four words
      Given <switch> says "<value>"
      When it is asked whether automatic compaction is disabled
      Then automatic compaction is <state>

      Examples: The words, in any case
        | description | switch            | value | state |
        | one         | brim's switch     | 1     | off   |
        | true        | brim's switch     | true  | off   |
        | yes         | brim's switch     | yes   | off   |
        | on          | brim's switch     | on    | off   |
        | TRUE        | brim's switch     | TRUE  | off   |
        | Yes         | brim's switch     | Yes   | off   |

      Examples: OpenCode's own switch
        | description | switch            | value | state |
        | one         | OpenCode's switch | 1     | off   |
        | On          | OpenCode's switch | On    | off   |
        | zero        | OpenCode's switch | 0     | on    |

      Examples: Anything else leaves it on
        | description | switch            | value    | state |
        | zero        | brim's switch     | 0        | on    |
        | false       | brim's switch     | false    | on    |
        | two         | brim's switch     | 2        | on    |
        | off         | brim's switch     | off      | on    |
        | a sentence  | brim's switch     | yes, no  | on    |
        | empty       | brim's switch     |          | on    |

    Scenario Outline: With a variable set, an agent's requests are sent unchanged
      Given <switch> says "<value>"
      When an agent's conversation grows past its threshold
      Then it is <fate>

      Examples:
        | description            | switch            | value | fate               |
        | brim's own, on         | brim's switch     | 1     | sent as it is      |
        | OpenCode's, on         | OpenCode's switch | 1     | sent as it is      |
        | brim's own, off        | brim's switch     | 0     | compacted          |

    Scenario: One of the two variables is enough
      Given brim's switch says "0"
      And OpenCode's switch says "1"
      When it is asked whether automatic compaction is disabled
      Then automatic compaction is off

    Scenario: Without a variable compaction is on
      Given no switch says anything
      When it is asked whether automatic compaction is disabled
      Then automatic compaction is on

  @TRG_20 @portable
  Rule: The commands show how full the window is, in whole percent of the threshold, floored
    Source: the figure that the fspec project shows beside its prompt. It is floored, so that 100%
    is never shown before the threshold is reached.

    Scenario Outline: The share is a whole percentage of the threshold
      When <held> tokens are shown against a threshold of <threshold>
      Then the window is <percent>% filled

      Examples:
        | description          | held    | threshold | percent |
        | empty                | 0       | 191,808   | 0       |
        | not one percent      | 1,918   | 191,808   | 0       |
        | one percent          | 1,919   | 191,808   | 1       |
        | half                 | 95,904  | 191,808   | 50      |
        | one token under full | 191,807 | 191,808   | 99      |
        | full                 | 191,808 | 191,808   | 100     |
        | over                 | 195,000 | 191,808   | 101     |
        | over twice           | 400,000 | 191,808   | 208     |
        | a threshold of one   | 3       | 1         | 300     |
        | no threshold         | 5,000   | 0         | 0       |

  @TRG_20
  Rule: The pages of brim inspect and brim compact show that percentage beside the tokens
    Source: a decision of this project: one figure everywhere, of the threshold and not of the window.

    Scenario Outline: The page shows the tokens and their share of the threshold
      Given a transcript of <held> tokens
      When brim <command> shows its page for a window of 200,000 and an output of 32,000
      Then its page says "<line>", however its lines are wrapped

      Examples:
        | description     | held    | command | line                                                                                       |
        | half, inspected | 84,000  | inspect | The window now 84,000 of 200,000 tokens, 50% of the threshold                             |
        | half, compacted | 84,000  | compact | Not due yet by the profile usable: 84,000 tokens held, 50% of the threshold of 168,000     |
        | over, inspected | 170,000 | inspect | The window now 170,000 of 200,000 tokens, 101% of the threshold                           |
        | over, compacted | 170,000 | compact | Due by the profile usable: overflow (170000 > 168000), 101% of the threshold               |

  @TRG_21
  Rule: Invalid settings are corrected with a warning, or refused, before they take effect
    Source: "Validate and warn" in the design of windowing in the command line (S3, error handling).
    What has a safe reading is corrected, and the warning says what was done; the rest is refused.
    A target keeps the proportion that S3 sets, 30,000 under 80,000: see decision 0007.

    A compactor checks the target that its policy gives for the window (SEL_04), and warns of a correction if the policy
    sets what bounds it. Its plans name the corrections too, and others, such as a threshold above the usable context.

    Scenario Outline: A target at or above its threshold is lowered to three eighths of it
      Given a model with a context window of 200,000 tokens
      And a threshold of 80,000 tokens set by the user
      And a target of <target> tokens
      When the settings are checked
      Then a target of <used> tokens is used
      And there are <count> warnings

      Examples:
        | description           | target  | used   | count |
        | the default of S3     | 30,000  | 30,000 | 0     |
        | the smallest          | 1       | 1      | 0     |
        | one token under       | 79,999  | 79,999 | 0     |
        | equal                 | 80,000  | 30,000 | 1     |
        | one token over        | 80,001  | 30,000 | 1     |
        | beyond the window     | 300,000 | 30,000 | 1     |

    Scenario: The warning names the target that was set and the one that is used
      Given a model with a context window of 200,000 tokens
      And a threshold of 80,000 tokens set by the user
      And a target of 90,000 tokens
      When the settings are checked
      Then a threshold of 80,000 tokens is used
      And a warning reads "the target of 90000 is not below the threshold of 80000, so that every compaction would be due again: 30000 is used"

    Scenario Outline: A target that leaves nothing is refused
      Given a model with a context window of 200,000 tokens
      And a threshold of <threshold> tokens set by the user
      And a target of <target> tokens
      When the settings are checked
      Then it is refused, naming <target> and <threshold>

      Examples:
        | description                      | threshold | target |
        | a target of nothing              | 80,000    | 0      |
        | a threshold too small for any    | 2         | 2      |

    Scenario: The smallest threshold that leaves a target
      Given a model with a context window of 200,000 tokens
      And a threshold of 3 tokens set by the user
      And a target of 3 tokens
      When the settings are checked
      Then a target of 1 tokens is used

    Scenario: Without a target nothing is corrected
      Given a model with a context window of 200,000 tokens
      And a threshold of 80,000 tokens set by the user
      When the settings are checked
      Then no target is used
      And there are 0 warnings

    Scenario Outline: A threshold above the usable context is lowered to it
      Given a model with a context window of 200,000 tokens
      And a threshold of <set> tokens set by the user
      When the settings are checked
      Then a threshold of <used> tokens is used
      And there are <count> warnings

      Examples:
        | description     | set     | used    | count |
        | one token under | 167,999 | 167,999 | 0     |
        | equal           | 168,000 | 168,000 | 0     |
        | one token over  | 168,001 | 168,000 | 1     |

    Scenario Outline: A threshold under 1,000 tokens is used, and questioned
      Given a model with a context window of 200,000 tokens
      And a threshold of <set> tokens set by the user
      When the settings are checked
      Then a threshold of <set> tokens is used
      And there are <count> warnings

      Examples:
        | description     | set   | count |
        | one token under | 999   | 1     |
        | equal           | 1,000 | 0     |

    Scenario: The warning names the threshold that was set and the one that is used
      Given a model with a context window of 200,000 tokens
      And a threshold of 180,000 tokens set by the user
      When the settings are checked
      Then a warning reads "the threshold of 180000 is above the usable context of 168000: 168000 is used"

    Scenario: A named profile above the usable context is kept, with a warning
      Given a model with a context window of 64,000 tokens
      And the profile windowing
      When the settings are checked
      Then a warning reads "the threshold of windowing, 80000, is above the usable context of 32000: it is kept as named, and a request may be too long before compaction is due"

    Scenario: A named profile at the usable context needs no warning
      Given a model with a context window of 112,000 tokens
      And the profile windowing
      When the settings are checked
      Then there are 0 warnings

    Scenario: A model without a limit has no threshold, so that every target is accepted
      Given a model with a context window of 0 tokens
      And a threshold of 80,000 tokens set by the user
      And a target of 90,000 tokens
      When the settings are checked
      Then a target of 90,000 tokens is used
      And there are 0 warnings

    Scenario: A share is checked with its basis
      Given a model with a context window of 200,000 tokens
      And the profile proactive
      And a share of 0.5
      And the share is taken of the window
      When the settings are checked
      Then a threshold of 100,000 tokens is used

    Scenario Outline: A share outside its range is refused
      Given a model with a context window of 200,000 tokens
      And a share of <share>
      When the settings are checked
      Then it is <outcome>

      Examples:
        | description        | share | outcome  |
        | nothing            | 0     | refused  |
        | just above nothing | 0.001 | accepted |
        | the whole          | 1     | accepted |
        | just above it      | 1.001 | refused  |
        | a percentage       | 92    | refused  |
