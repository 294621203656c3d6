Feature: Profiles
  Known systems compact at known thresholds. Each is a profile under its own name, so that a
  user can choose it, compare it with the others, or simulate it. One profile is the default;
  those that were mistakes are kept under their names, as deprecated.

  @TRG_08 @portable
  Rule: The original codelet (deprecated) triggers above 90% of the window, floored, measured by the billing equivalent
    Source: the comparison of the TypeScript original with its Rust port (S4), and the code that the
    compaction limits would replace (S0, S1). Deprecated: it leaves no room for the answer and
    compares a cost figure with a window. S0 would remove it in the end, S1 keeps it: decision 0203.

    Scenario Outline: The threshold is 90% of the window
      Given a model with window <window>, answer 1,000
      And the settings profile codelet-typescript
      When the threshold is asked for
      Then the result is <threshold>

      Examples:
        | description        | window  | threshold |
        | 200,000            | 200,000 | 180,000   |
        | nine more to floor | 200,009 | 180,008   |
        | ten more           | 200,010 | 180,009   |

    Scenario Outline: The original codelet triggers above its threshold, not at it
      Given a model with window 200,000
      And the settings profile codelet-typescript
      When the conversation holds <held> tokens
      Then the verdict is "<verdict>"
      And the reason is "<reason>"

      Examples:
        | description     | held    | verdict | reason                      |
        | one token under | 179,999 | not due | under threshold             |
        | equal           | 180,000 | not due | under threshold             |
        | one token over  | 180,001 | due     | threshold (180001 > 180000) |

    Scenario Outline: A token read from the cache counts a tenth, and a token of the answer nothing
      Given a model with window 200,000
      And the settings profile codelet-typescript
      And a response that reports input <input>, cache read <cache read>, output <output>
      When the response is judged
      Then the verdict is "<verdict>"
      And the held is "<held>"

      Examples:
        | description               | input   | cache read | output | verdict | held    |
        | nothing from the cache    | 180,001 | 0          | 0      | due     | 180,001 |
        | the answer is not counted | 180,000 | 0          | 20,000 | not due | 180,000 |
        | nearly all from the cache | 1,000   | 190,000    | 5,000  | not due | 20,000  |

  @TRG_09 @portable
  Rule: The first Rust port of the codelet (deprecated) triggers above 90% of (window − 50,000), floored
    Source: the same comparison (S4), which found it 45,000 tokens earlier than the original: a
    specification that was written afterwards had mixed the threshold with the budget. The measure is
    the original's. Deprecated: decision 0203.

    Scenario Outline: The threshold is 90% of what the window has beyond its buffer of 50,000 tokens
      Given a model with window <window>, answer 1,000
      And the settings profile codelet-rust
      When the threshold is asked for
      Then the result is <threshold>

      Examples:
        | description        | window  | threshold |
        | 200,000            | 200,000 | 135,000   |
        | nine more to floor | 200,009 | 135,008   |
        | the smallest       | 50,002  | 1         |

    Scenario Outline: A window of at most 50,001 tokens has a threshold of 0, and is refused
      Given a model with window <window>, answer 1,000
      And the settings profile codelet-rust
      When the threshold is asked for
      Then it is refused, naming 0 and <window>

      Examples:
        | description                                 | window |
        | one token beyond the buffer, floored to 0   | 50,001 |
        | exactly the buffer                          | 50,000 |

    Scenario Outline: The Rust port triggers above its threshold, not at it
      Given a model with window 200,000
      And the settings profile codelet-rust
      And a response that reports input <input>, cache read 100,000, output 9,000
      When the response is judged
      Then the verdict is "<verdict>"
      And the reason is "<reason>"

      Examples:
        | description    | input   | verdict | reason                      |
        | equal          | 125,000 | not due | under threshold             |
        | one token over | 125,001 | due     | threshold (135001 > 135000) |

  @TRG_10 @portable
  Rule: The proactive profile triggers above 92% of the usable context, and reports how full it is
    Source: the roadmap of the comparison of OpenCode and Claude Code (S2, section 10), which takes the
    share of the usable context, where its description of Claude Code takes it of the window (S2,
    section 2): decision 0203. Its sketch looks at the share first, so that its overflow is never
    reached; here the overflow is looked at first.

    The policy can name another share (`proactive_share`), and what it is taken of (`share_basis`); see SET_01. The
    percentage in the reason says how much of that is held, rounded half up; that of the threshold, which the commands
    show beside it, is floored (TRG_20).

    Scenario Outline: The reason names the share, or the overflow above the usable context
      Given a model with window 200,000, answer <answer>
      And the settings profile proactive
      When the conversation holds <held> tokens
      Then the verdict is "<verdict>"
      And the reason is "<reason>"

      Examples: 168,000 usable, of which 92% are 154,560
        | description               | answer | held    | verdict | reason                     |
        | one token under the share | 64,000 | 154,559 | not due | under threshold            |
        | exactly the share         | 64,000 | 154,560 | not due | under threshold            |
        | one token over the share  | 64,000 | 154,561 | due     | proactive (92% of 168000)  |
        | exactly full              | 64,000 | 168,000 | due     | proactive (100% of 168000) |
        | one token over            | 64,000 | 168,001 | due     | overflow (168001 > 168000) |

    Scenario Outline: The share in words is rounded half up
      Given a model with window 1,000, answer 800
      And the settings profile proactive, share 0.5
      When the conversation holds <held> tokens
      Then the verdict is "<verdict>"
      And the reason is "<reason>"

      Examples:
        | description     | held | verdict | reason                 |
        | a whole percent | 120  | due     | proactive (60% of 200) |
        | a half          | 121  | due     | proactive (61% of 200) |
        | the next whole  | 122  | due     | proactive (61% of 200) |

    Scenario Outline: The share is a setting above 0 and up to 1
      Given a model with window 200,000
      And the settings profile proactive, share <share>
      When the threshold is asked for
      Then the result is <threshold>

      Examples:
        | description          | share   | threshold |
        | a half               | 0.5     | 84,000    |
        | the whole            | 1       | 168,000   |
        | the smallest to work | 0.00001 | 1         |

    Scenario Outline: A share of 0 or less, or above 1, is refused
      Given a model with window 200,000
      And the settings profile <profile>, share <share>
      When the threshold is asked for
      Then it is refused

      Examples:
        | description                     | profile   | share |
        | nothing                         | proactive | 0     |
        | a percentage                    | proactive | 92    |

    Scenario Outline: A share of the whole window gives a threshold of at most the usable context
      Given a model with window 200,000, answer <answer>
      And the settings profile proactive, share <share>, share of the window
      When the threshold is asked for
      Then the result is <threshold>

      Examples:
        | description                      | answer | share | threshold |
        | within the usable context        | 8,192  | 0.92  | 184,000   |
        | exactly the usable context       | 16,000 | 0.92  | 184,000   |
        | beyond it                        | 16,001 | 0.92  | 183,999   |
        | a half                           | 64,000 | 0.5   | 100,000   |

  @TRG_11 @portable
  Rule: The profile of the Anthropic SDK triggers when the last response used 100,000 tokens or more
    Source: the SDK's own control of compaction, which the comparison of OpenCode and Claude Code
    describes as acting when the threshold is exceeded (S2, section 8). The SDK's code compares with
    "at or above", and that is what holds here: decision 0203.

    Scenario Outline: Exactly 100,000 tokens are due
      Given a model with window 200,000
      And the settings profile anthropic-sdk
      When the conversation holds <held> tokens
      Then the verdict is "<verdict>"
      And the reason is "<reason>"

      Examples:
        | description     | held    | verdict | reason                       |
        | one token under | 99,999  | not due | under threshold              |
        | equal           | 100,000 | due     | threshold (100000 >= 100000) |
        | one token over  | 100,001 | due     | threshold (100001 >= 100000) |

    Scenario: All tokens that the response read and wrote count, those written to the cache within the input
      Given a model with window 200,000
      And the settings profile anthropic-sdk
      And a response that reports input 20,000, cache read 75,000, output 5,000, cache write 15,000
      When the response is judged
      Then the reason is "threshold (100000 >= 100000)"

  @TRG_12 @portable
  Rule: The windowing profile triggers above 80,000 tokens, even where that is too late for the window: a tool's threshold is never capped
    Source: the design of windowing in the command line, called Approach A (S3): summarizing begins
    when the threshold is exceeded.

    Scenario Outline: More than 80,000 tokens are due
      Given a model with window <window>
      And the settings profile windowing
      When the conversation holds <held> tokens
      Then the verdict is "<verdict>"
      And the reason is "<reason>"

      Examples:
        | description                     | window  | held   | verdict | reason                    |
        | one token under                 | 200,000 | 79,999 | not due | under threshold           |
        | equal                           | 200,000 | 80,000 | not due | under threshold           |
        | one token over                  | 200,000 | 80,001 | due     | threshold (80001 > 80000) |
        | in a smaller window             | 90,000  | 80,001 | due     | threshold (80001 > 80000) |
        | over 58,000, the usable context | 90,000  | 70,000 | not due | under threshold           |

  @TRG_13 @portable
  Rule: A threshold that the user sets replaces the profile's, but is never above the usable context
    Source: the configurable threshold of the roadmap (S2, section 10). Its sketch subtracts the room
    for the answer from the set threshold too, so that 100,000 would mean 68,000; that is not
    followed: decision 0204. With nothing set the profile decides. It is an option of the command in S3 (configuration).

    The user sets it as the policy's `threshold`, in tokens or in percent of the window: in a file, a variable, a flag or
    a program (SET_02).

    Scenario Outline: A number of tokens is the threshold, up to the usable context
      Given a model with window 200,000
      And the settings threshold <set>
      When the threshold is asked for
      Then the result is <threshold>

      Examples:
        | description                        | set     | threshold |
        | the smallest                       | 1       | 1         |
        | as set, nothing subtracted         | 100,000 | 100,000   |
        | exactly the usable context         | 168,000 | 168,000   |
        | one token beyond it                | 168,001 | 168,000   |

    Scenario Outline: A percentage is taken of the whole window, and floored
      Given a model with window <window>, answer 8,192
      And the settings threshold <percent>%
      When the threshold is asked for
      Then the result is <threshold>

      Examples:
        | description               | window  | percent | threshold |
        | floored                   | 200,001 | 50      | 100,000   |
        | a part of a percent       | 200,000 | 12.5    | 25,000    |
        | within the usable context | 200,000 | 95.9    | 191,800   |
        | beyond the usable context | 200,000 | 96      | 191,808   |

    Scenario Outline: The reason names the threshold that was set, until the usable context overflows
      Given a model with window 200,000
      And the settings profile <profile>, threshold 100,000
      When the conversation holds <held> tokens
      Then the verdict is "<verdict>"
      And the reason is "<reason>"

      Examples:
        | description         | profile   | held    | verdict | reason                      |
        | equal               | usable    | 100,000 | not due | under threshold             |
        | one token over      | usable    | 100,001 | due     | threshold (100001 > 100000) |
        | it overflows        | usable    | 168,001 | due     | overflow (168001 > 168000)  |
        | in place of a share | proactive | 160,000 | due     | threshold (160000 > 100000) |

    Scenario Outline: A percentage of 0 or less, above 100, or of less than a token is refused
      Given a model with window 200,000
      And the settings threshold <percent>%
      When the threshold is asked for
      Then it is refused

      Examples:
        | description                 | percent |
        | nothing                     | 0       |
        | less than a token           | 0.0004  |
        | just above the whole        | 100.1   |

  @TRG_14 @portable
  Rule: The Claude Code profiles trigger from the observed limits on: window − 45,000 for claude-code-2.0, window − 33,000 for claude-code-2.1
    Source: 82 automatic compactions in recorded sessions, none below these limits: up to version 2.1.20 of Claude Code
    the window less 32,000 and 13,000 (the profile claude-code-2.0), from 2.1.25 on the window less 20,000 and 13,000 (the
    profile claude-code-2.1). Of the versions between them nothing is claimed. Nothing of it is documented, and the
    profiles say so. The comparison of OpenCode and Claude Code says about 92% of the window (S2, section 1); that is not
    what was seen: decision 0203.

    Scenario Outline: The threshold is a fixed number of tokens below the window
      Given a model with window <window>, answer 1,000
      And the settings profile <profile>
      When the threshold is asked for
      Then the result is <threshold>

      Examples: Up to 2.1.20
        | description  | window    | profile         | threshold |
        | 200,000      | 200,000   | claude-code-2.0 | 155,000   |
        | a million    | 1,000,000 | claude-code-2.0 | 955,000   |
        | the smallest | 45,001    | claude-code-2.0 | 1         |

      Examples: From 2.1.25 on
        | description  | window    | profile         | threshold |
        | 200,000      | 200,000   | claude-code-2.1 | 167,000   |
        | a million    | 1,000,000 | claude-code-2.1 | 967,000   |
        | the smallest | 33,001    | claude-code-2.1 | 1         |

    Scenario Outline: Exactly the threshold is due, as in the recorded sessions
      Given a model with window 200,000
      And the settings profile <profile>
      When the conversation holds <held> tokens
      Then the verdict is "<verdict>"
      And the reason is "<reason>"

      Examples: The lowest compaction on record was at 155,031
        | description         | profile         | held    | verdict | reason                       |
        | one token under     | claude-code-2.0 | 154,999 | not due | under threshold              |
        | equal               | claude-code-2.0 | 155,000 | due     | threshold (155000 >= 155000) |
        | the lowest recorded | claude-code-2.0 | 155,031 | due     | threshold (155031 >= 155000) |

      Examples: The lowest compaction on record was at 167,038
        | description         | profile         | held    | verdict | reason                       |
        | one token under     | claude-code-2.1 | 166,999 | not due | under threshold              |
        | equal               | claude-code-2.1 | 167,000 | due     | threshold (167000 >= 167000) |
        | the lowest recorded | claude-code-2.1 | 167,038 | due     | threshold (167038 >= 167000) |

    Scenario: For Claude Code too, what was written to the cache counts once, within the input
      Given a model with window 200,000
      And the settings profile claude-code-2.1
      And a response that reports input 2,000, cache read 164,000, output 1,000, cache write 1,990
      When the response is judged
      Then the verdict is "due"

  @TRG_15
  Rule: Every profile has a name, one table shows them all, and a threshold of zero or less is rejected
    Source: a decision of this project, so that a user who cites a threshold can name it. The default is
    the usable context. S0 compares the thresholds of three models (detailed calculation).

    The profiles usable, opencode-2025 and proactive are measured against the usable context, and their threshold is never
    above it. The others have the threshold of the tool that they are named for, which the usable context does not cap;
    it caps only a threshold that the user sets in its place (TRG_13).

    @portable
    Scenario Outline: Each name has its threshold
      Given a model with window 200,000, answer 8,192
      And the settings profile <profile>
      When the threshold is asked for
      Then the result is <threshold>

      Examples:
        | description                     | profile            | threshold |
        | the default                     | usable             | 191,808   |
        | OpenCode 1.0                    | opencode-2025      | 191,808   |
        | the original codelet            | codelet-typescript | 180,000   |
        | the first port of it            | codelet-rust       | 135,000   |
        | 92% of the usable context       | proactive          | 176,463   |
        | the Anthropic SDK's tool runner | anthropic-sdk      | 100,000   |
        | windowing, called Approach A    | windowing          | 80,000    |
        | Claude Code, the earlier limit  | claude-code-2.0    | 155,000   |
        | Claude Code, the later limit    | claude-code-2.1    | 167,000   |

    @portable
    Scenario Outline: OpenCode 1.0 did not count what was written to the cache
      Given a model with window 200,000, answer 8,192
      And the settings profile <profile>
      And a response that reports input <input>, cache read 90,000, output 2,000, cache write 20,000
      When the response is judged
      Then the verdict is "<verdict>"
      And the reason is "<reason>"

      Examples:
        | description                 | profile       | input   | verdict | reason                     |
        | counted since               | usable        | 99,809  | due     | overflow (191809 > 191808) |
        | the same usage, not counted | opencode-2025 | 99,809  | not due | under threshold            |
        | exactly full without it     | opencode-2025 | 119,808 | not due | under threshold            |
        | one token over without it   | opencode-2025 | 119,809 | due     | overflow (191809 > 191808) |

    @portable
    Scenario Outline: Without a limit no profile has a threshold
      Given a model with window 0
      And the settings profile <profile>
      When the threshold is asked for
      Then the result is 0

      Examples:
        | description     | profile         |
        | the default     | usable          |
        | an observed one | claude-code-2.0 |

    @portable
    Scenario: An unknown name is not understood
      Given a model with window 200,000
      And the settings profile eager
      When the threshold is asked for
      Then it is not understood

    Scenario: One table shows the threshold of each profile, with a note on a deprecated or refused one
      Given a model with window 45,000, answer 8,192
      When the table of profiles is drawn up
      Then the result is
        | profile            | acts     | threshold | note                                                                           |
        | usable             | above    | 36,808    |                                                                                |
        | opencode-2025      | above    | 36,808    |                                                                                |
        | codelet-typescript | above    | 40,500    | deprecated: it compares a cost figure…                                         |
        | codelet-rust       | above    | refused   | refused: codelet-rust comes to a threshold of 0…                               |
        | proactive          | above    | 33,863    |                                                                                |
        | anthropic-sdk      | at least | 100,000   |                                                                                |
        | windowing          | above    | 80,000    |                                                                                |
        | claude-code-2.0    | at least | refused   | refused: claude-code-2.0 comes to a threshold of 0…                            |
        | claude-code-2.1    | at least | 12,000    |                                                                                |

    Scenario Outline: A refusal names its cause and its cure
      Given a model with window <window>
      And the settings <setting>
      When the threshold is asked for
      Then it is refused with "<refusal>"

      Examples:
        | description              | window  | setting                                         | refusal                                                                                                                                                                  |
        | an unknown profile       | 200,000 | profile eager                               | there is no profile 'eager'; there are: usable, opencode-2025, codelet-typescript, codelet-rust, proactive, anthropic-sdk, windowing, claude-code-2.0, claude-code-2.1   |
        | no room at all           | 8,000   | profile usable                              | no room beside the answer: window 8000, reserved 32000; state the model's real limits (context_window, max_output_tokens), or choose a model with a larger window        |
        | no percentage            | 200,000 | threshold 0% | a threshold of 0% of the window: it has to be above 0% and at most 100%                                                                                                  |
        | a threshold that was set | 200,000 | threshold 0         | the threshold that was set comes to a threshold of 0 for a context window of 200000: every conversation would be due; choose another profile, or set a threshold above 0 |

    Scenario Outline: A compactor warns of a deprecated profile
      Given the settings profile <profile>
      And the conversation user
      When the agent sends
      Then it warns "<warnings>"

      Examples:
        | description          | profile            | warnings                                                                                                                                                |
        | the first port       | codelet-rust       | the profile codelet-rust is deprecated and goes with 2.0: it compares a cost figure with the window and wastes a third of it; use usable                |
        | the original codelet | codelet-typescript | the profile codelet-typescript is deprecated and goes with 2.0: it compares a cost figure with the window and leaves no room for the answer; use usable |
        | the default          | usable             |                                                                                                                                                         |

  @TRG_22 @portable
  Rule: Thresholds and shares are exact: decimals as they are written, never the nearest binary fraction
    Source: a decision of this project. In binary fractions 29% of 200,000 is a little less than 58,000,
    and flooring makes 57,999 of it: one token, and two implementations disagree.

    Scenario Outline: A percentage gives the exact number of tokens
      Given a model with window <window>, answer 8,192
      And the settings threshold <percent>%
      When the threshold is asked for
      Then the result is <threshold>

      Examples: A binary fraction would come to one token less
        | description    | window  | percent | threshold |
        | 29% of 200,000 | 200,000 | 29      | 58,000    |
        | 58% of 200,000 | 200,000 | 58      | 116,000   |

    Scenario Outline: A share gives the exact number of tokens
      Given a model with window 200,000
      And the settings profile proactive, share <share>
      When the threshold is asked for
      Then the result is <threshold>

      Examples: A binary fraction would come to one token less
        | description     | share | threshold |
        | 0.35 of 168,000 | 0.35  | 58,800    |
        | 0.7 of 168,000  | 0.7   | 117,600   |

    Scenario: Two thresholds that a binary fraction cannot distinguish are distinguished
      Given a model with window 9,007,199,254,773,993
      When the conversation holds 9,007,199,254,741,994 tokens
      Then the reason is "overflow (9007199254741994 > 9007199254741993)"

  @TRG_23
  Rule: The limits of a model come from the sources or from maintained model data, and are never guessed
    Source: the two examples of the documents on the compaction limits (S0, S1), and decision 0205 for the model data. A
    window that is guessed compacts too early or not at all; one session on record went to 534,859 tokens in a window of
    a million, which a guess of 200,000 would have called overfull.

    Scenario Outline: A model that the sources name has its limits
      When the limits of the model "<model>" are asked for
      Then the result is
        | window   | answer   | input limit |
        | <window> | <answer> | <input>     |

      Examples: Claude 3.5 Sonnet
        | description           | model                      | window  | answer | input |
        | by its name           | claude-3-5-sonnet          | 200,000 | 8,192  | 0     |
        | with a point          | claude-3.5-sonnet          | 200,000 | 8,192  | 0     |
        | the first by its date | claude-3-5-sonnet-20240620 | 200,000 | 8,192  | 0     |

      Examples: GPT-4 with a window of 128,000
        | description       | model                  | window  | answer | input |
        | by its window     | gpt-4-128k             | 128,000 | 4,096  | 0     |
        | by its other name | gpt-4-turbo            | 128,000 | 4,096  | 0     |
        | by its date       | gpt-4-turbo-2024-04-09 | 128,000 | 4,096  | 0     |

      Examples: The names of the makers
        | description                 | model             | window    | answer  | input   |
        | Anthropic                   | claude-sonnet-4-5 | 200,000   | 64,000  | 0       |
        | OpenAI, with an input limit | gpt-5             | 400,000   | 128,000 | 272,000 |
        | one that states no answer   | claude-opus-5-5   | 1,000,000 | 0       | 0       |
        | one that is retired         | claude-sonnet-4   | 200,000   | 0       | 0       |

      Examples: The forms that a name takes
        | description               | model                      | window  | answer  | input   |
        | with its date             | claude-sonnet-4-5-20250929 | 200,000 | 64,000  | 0       |
        | a release of other limits | gpt-4o-2024-05-13          | 128,000 | 4,096   | 0       |

    Scenario Outline: A model has its limits by the name that a provider gives it
      When the limits of the model "<model>" are asked for
      Then the result is
        | window   | answer   | input limit |
        | <window> | <answer> | <input>     |

      Examples:
        | description                   | model                                        | window    | answer  | input   |
        | of its maker                  | anthropic/claude-sonnet-4-5                  | 200,000   | 64,000  | 0       |
        | of its maker, with a colon    | openai:gpt-5                                 | 400,000   | 128,000 | 272,000 |
        | of a provider with its own    | groq/openai/gpt-oss-120b                     | 131,072   | 65,536  | 0       |
        | of Bedrock                    | anthropic.claude-sonnet-4-5-20250929-v1:0    | 200,000   | 64,000  | 0       |
        | of Bedrock, with its provider | bedrock/eu.anthropic.claude-opus-4-7         | 1,000,000 | 128,000 | 0       |
        | of Vertex                     | claude-sonnet-4-5@20250929                   | 200,000   | 64,000  | 0       |

    Scenario Outline: The window of another model is not guessed
      When the limits of the model "<model>" are asked for
      Then it is refused with "the context window of '<model>' is unknown: state it with window=… and max_output=…"

      Examples:
        | description                       | model                   |
        | a version that does not exist     | claude-opus-99          |
        | nearly the name of one            | gpt-5-supreme           |
        | a provider that does not have it  | groq/claude-sonnet-4-5  |

    Scenario: A compactor judges by the limits of its model
      When a compactor for the model "claude-sonnet-4-5" judges a window of 190,000 tokens
      Then the reason is "overflow (190000 > 168000)"

    Scenario: A compactor guesses no limits of a model
      When a compactor for the model "claude-opus-99" judges a window of 190,000 tokens
      Then it is refused with "…the context window of 'claude-opus-99' is not known: pass limits=ModelLimits(context_window=…"

    Scenario Outline: The limits that the user states win, and a longest answer alone gives no window
      When the limits of the model "<model>" are asked for with <stated>
      Then the result is
        | window   | answer   | input limit |
        | <window> | <answer> | <input>     |

      Examples: Both
        | description         | model          | stated                          | window    | answer | input |
        | of an unknown model | claude-opus-99 | window 1,000,000, answer 64,000 | 1,000,000 | 64,000 | 0     |
        | of a known model    | gpt-4-turbo    | window 64,000, answer 2,000     | 64,000    | 2,000  | 0     |

      Examples: A window leaves the longest answer, and replaces the input limit
        | description         | model          | stated           | window    | answer  | input |
        | of an unknown model | claude-opus-99 | window 1,000,000 | 1,000,000 | 0       | 0     |
        | one with a limit    | gpt-5          | window 64,000    | 64,000    | 128,000 | 0     |

      Examples: A longest answer leaves the window and the input limit
        | description | model | stated        | window  | answer | input   |
        | of a known model | gpt-5 | answer 16,000 | 400,000 | 16,000 | 272,000 |

    Scenario: A longest answer alone gives no window
      When the limits of the model "claude-opus-99" are asked for with answer 64,000
      Then it is refused
