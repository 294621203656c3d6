Feature: Overflow
  Before every request brim compares the tokens that the conversation holds with a
  threshold. The verdict is a value: whether compaction is due, the reason in words, and
  both numbers, so that a reader of a log can check it.

  @TRG_04 @portable
  Rule: By default compaction is due when the conversation holds more tokens than the usable context
    Source: OpenCode's overflow check (S0; S2, section 2) and the sixth test that the change to the
    codelet needs (S1): exactly full is not overfull.

    Scenario Outline: A conversation is judged to the token
      Given a model with window <window>, answer <answer>
      When the conversation holds <held> tokens
      Then the verdict is "<verdict>"
      And the reason is "<reason>"

      Examples: Claude 3.5 Sonnet, with 191,808 usable
        | description    | window  | answer | held    | verdict | reason                     |
        | exactly full   | 200,000 | 8,192  | 191,808 | not due | under threshold            |
        | one token over | 200,000 | 8,192  | 191,809 | due     | overflow (191809 > 191808) |

      Examples: The two cases of S0, in which 90% of the window (180,000) would decide otherwise
        | description              | window  | answer | held    | verdict | reason                     |
        | over 90%, and still room | 200,000 | 8,192  | 191,000 | not due | under threshold            |
        | under 90%, and no room   | 200,000 | 64,000 | 171,000 | due     | overflow (171000 > 168000) |

      Examples: The smallest usable context, of one token
        | description    | window | answer | held | verdict | reason           |
        | exactly full   | 8,193  | 8,192  | 1    | not due | under threshold  |
        | one token over | 8,193  | 8,192  | 2    | due     | overflow (2 > 1) |

    Scenario: The usage of a response counts all the tokens that it read and wrote
      Given a model with window 200,000, answer 8,192
      And a response that reports input 170,000, cache read 20,000, output 5,000
      When the response is judged
      Then the reason is "overflow (195000 > 191808)"

  @TRG_05 @portable
  Rule: Reasons not to compact are checked first, in a fixed order, and reported
    Source: the bypasses that OpenCode's check and the change to the codelet share (S0, S1; S2, section 2), and the
    reasons in words of the proactive sketch (S2, section 10). That there is nothing to compact comes third: a summary
    of nothing helps nobody.

    The reasons, in their order: compaction is turned off ("disabled"), the window is 0 ("no limit"), there is nothing to
    compact, as in a conversation without a message. Limits without room for input are no such reason: they are refused
    before a verdict is given, even while compaction is turned off (TRG_07).

    Scenario Outline: The verdict gives the first reason that applies
      Given a model with window <window>
      And the settings compaction <switch>, to compact <content>
      When the conversation holds 1,000,000 tokens
      Then the verdict is "<verdict>"
      And the reason is "<reason>"

      Examples:
        | description                        | window  | switch | content   | verdict | reason                      |
        | disabled before no limit           | 0       | off    | something | not due | disabled                    |
        | disabled before overflow           | 200,000 | off    | something | not due | disabled                    |
        | no limit before nothing to compact | 0       | on     | nothing   | not due | no limit                    |
        | nothing to compact before overflow | 200,000 | on     | nothing   | not due | nothing to compact          |
        | no reason against it               | 200,000 | on     | something | due     | overflow (1000000 > 168000) |

    Scenario: A verdict asked for by both a usage and a number of tokens is invalid input
      Given a model with window 200,000
      And a response that reports input 10,000
      When the response is judged as holding 10,000 tokens
      Then it is not understood

  @TRG_27
  Rule: Defaults: the usable context decides, compaction is on, and the conversation is not empty
    Source: a decision of this project, so that a usage and a model's limits are enough to ask with.

    Scenario Outline: A usage and the limits are enough
      Given a model with window 200,000, answer 8,192
      When a usage of <held> tokens is judged without settings
      Then the result is
        | verdict   | reason   | held   | threshold |
        | <verdict> | <reason> | <held> | 191,808   |

      Examples:
        | description    | held    | verdict | reason                     |
        | exactly full   | 191,808 | not due | under threshold            |
        | one token over | 191,809 | due     | overflow (191809 > 191808) |

  @TRG_06
  Rule: Automatic compaction is turned off by the configuration or by either of two environment variables
    Source: OpenCode's own flag (S0, S1; S2, section 2; S3, configuration), which brim honours beside one of its own
    name. Manual compaction still works then, and a provider's own complaint about a prompt that is too long reaches the
    caller as an error.

    The command `brim` reads the configuration from its settings files. A program that uses brim as a library reads such
    a file only if it asks for that. It turns compaction off in the policy that it gives to a compactor, to its requests
    or to a window, or with a flag if it asks for a verdict alone.

    Scenario Outline: An agent's requests are sent unchanged if the policy or a variable turns it off
      Given the settings compaction <policy>
      And a model with window 10,000, answer 1,000
      And the conversation 12 turns of 1,000
      And the environment variable "<variable>" is "<word>"
      When the agent sends
      Then the conversation sent is "<request>"

      Examples: It is turned off
        | description          | policy | variable                     | word | request   |
        | one                  | on     | BRIM_DISABLE_AUTOCOMPACT     | 1    | unchanged |
        | on, in capitals      | on     | BRIM_DISABLE_AUTOCOMPACT     | ON   | unchanged |
        | OpenCode's own switch | on    | OPENCODE_DISABLE_AUTOCOMPACT | On   | unchanged |
        | the policy           | off    | BRIM_DISABLE_AUTOCOMPACT     | 0    | unchanged |

      Examples: Anything else leaves it on
        | description          | policy | variable                     | word    | request   |
        | zero                 | on     | BRIM_DISABLE_AUTOCOMPACT     | 0       | compacted |
        | empty                | on     | BRIM_DISABLE_AUTOCOMPACT     |         | compacted |
        | OpenCode's own, zero | on     | OPENCODE_DISABLE_AUTOCOMPACT | 0       | compacted |

  @TRG_20 @portable
  Rule: The commands show how full the window is, in whole percent of the threshold, floored
    Source: the figure that the fspec project shows beside its prompt. It is floored, so that 100%
    is never shown before the threshold is reached. S3 shows the counts for debugging (implementation plan).

    Scenario Outline: The share is a whole percentage of the threshold
      When <held> tokens are shown against a threshold of <threshold>
      Then the result is <percent>

      Examples:
        | description          | held    | threshold | percent |
        | one percent          | 1,919   | 191,808   | 1       |
        | one token under full | 191,807 | 191,808   | 99      |
        | full                 | 191,808 | 191,808   | 100     |
        | over                 | 195,000 | 191,808   | 101     |
        | no threshold         | 5,000   | 0         | 0       |

  @TRG_20
  Rule: The pages of brim inspect and brim compact show that percentage beside the tokens
    Source: a decision of this project: one figure on all pages, of the threshold and not of the window.

    The percentage in the reason of the profile proactive is another figure: it is of the usable context or of the
    window, and rounded half up (TRG_10).

    Scenario Outline: The page of brim inspect shows the tokens and their share of the threshold
      Given a transcript of <held> tokens
      When "<when>" runs
      Then it prints "<line>"

      Examples:
        | description | held    | line                                                            | when                                                      |
        | over        | 170,000 | The window now 170,000 of 200,000 tokens, 101% of brim's 168,000 | brim inspect talk.json --window 200000 --max-output 32000 |

      Examples: The page of brim compact shows the tokens and their share of the threshold
        | description | held    | line                                                                         | when                                                      |
        | over        | 170,000 | Due by the profile usable: overflow (170000 > 168000), 101% of the threshold | brim compact talk.json --window 200000 --max-output 32000 |

  @TRG_21
  Rule: Before settings take effect, invalid ones are corrected with a warning or refused, and doubtful ones kept with a warning
    Source: "Validate and warn" in the design of windowing in the command line (S3, error handling). What has a safe
    reading is corrected, and the warning says what was done; what may be meant as it stands is kept, and the warning says
    what is doubtful; the rest is refused. A corrected target has the proportion that S3 sets, 30,000 under 80,000: see
    decision 0204.

    A compactor works out its target from its policy and the window (SEL_04). It warns that this target was lowered only
    if the policy sets one of the numbers that bound it; of all else, such as a threshold above the usable context, it
    warns in any case. Its plans repeat each warning.

    Scenario Outline: A target at or above its threshold is lowered to three eighths of it
      Given a model with window <window>
      And the settings threshold <threshold>, target <target>
      When the settings are checked
      Then the result is
        | target | threshold | warnings   |
        | <used> | <kept>    | <warnings> |

      Examples: Under a threshold of 80,000
        | description       | window  | threshold | target  | used   | kept   | warnings                                                                                                                    |
        | the default of S3 | 200,000 | 80,000    | 30,000  | 30,000 | 80,000 |                                                                                                                             |
        | one token under   | 200,000 | 80,000    | 79,999  | 79,999 | 80,000 |                                                                                                                             |
        | equal             | 200,000 | 80,000    | 80,000  | 30,000 | 80,000 | the target of 80000 is not below the threshold of 80000, so that every compaction would be due again: 30000 is used         |

      Examples: Other thresholds
        | description                       | window  | threshold | target | used   | kept | warnings                                                                                                 |
        | the smallest that leaves a target | 200,000 | 3         | 3      | 1      | 3    | …the target of 3 is not below the threshold of 3, so that every compaction would be due again: 1 is used |

    Scenario Outline: A target that leaves nothing is refused
      Given a model with window 200,000
      And the settings threshold <threshold>, target <target>
      When the settings are checked
      Then it is refused, naming <target> and <threshold>

      Examples:
        | description                   | threshold | target |
        | a target of nothing           | 80,000    | 0      |
        | a threshold too small for any | 2         | 2      |

    Scenario Outline: A threshold that the user sets above the usable context is lowered to it, and no target is added
      Given a model with window 200,000
      And the settings threshold <set>
      When the settings are checked
      Then the result is
        | target | threshold | warnings   |
        |        | <used>    | <warnings> |

      Examples:
        | description     | set     | used    | warnings                                                                        |
        | one token under | 167,999 | 167,999 |                                                                                 |
        | equal           | 168,000 | 168,000 |                                                                                 |
        | one token over  | 168,001 | 168,000 | the threshold of 168001 is above the usable context of 168000: 168000 is used   |

    Scenario Outline: The threshold of a named profile is kept above the usable context too, with a warning
      Given a model with window <window>
      And the settings profile windowing
      When the settings are checked
      Then the threshold is "80,000"
      And the warnings are "<warnings>"

      Examples:
        | description            | window  | warnings                                                                                                                                                         |
        | above it               | 64,000  | the threshold of windowing, 80000, is above the usable context of 32000: it is kept as named, and a request may be too long before compaction is due             |
        | at the usable context  | 112,000 |                                                                                                                                                                  |
