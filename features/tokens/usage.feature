Feature: Usage
  After every response the provider reports what was read and what was written. Only that
  tells what a window really holds. Providers draw the lines between their numbers
  differently, so that each is read into one form: nothing is counted twice, and nothing
  is left out.

  @TOK_01 @portable
  Rule: The tokens held are input, cache read and output
    Source: OpenCode's check and both documents on the compaction limits, which agree (S0, S1; S2,
    section 2). What was written becomes part of what the next request reads.

    Scenario Outline: Input, cache read and output are added up
      Given a response that reports input <input>, cache read <cache read>, output <output>
      When its tokens are added up
      Then the result is <total>

      Examples:
        | description            | input   | cache read | output | total   |
        | all three              | 170,000 | 20,000     | 5,000  | 195,000 |

  @TOK_02 @portable
  Rule: Cache writes are part of the input and reasoning is part of the output; each is counted once
    Source: the usage that providers really report, read off some 1,200 recorded sessions; the documents
    are silent (S0). OpenCode left what was written to the cache out of its check (S2, section 2), and compacted late
    (anomalyco/opencode#12074).

    Scenario: Cache writes and reasoning are not added
      Given a response that reports input 10,000, cache read 80,000, output 2,000, cache write 9,000, reasoning 1,500
      When its tokens are added up
      Then the result is 92,000

    Scenario Outline: Anthropic and pi report their input without the cache, read or written
      Given a response for which <provider> reports “<reported>”
      When its usage is normalized
      Then it is normalized to
        | input   | cache read   | cache write   | output   | reasoning   | total   |
        | <input> | <cache read> | <cache write> | <output> | <reasoning> | <total> |

      Examples:
        | description                   | provider  | reported                                                                                                                                                                                         | input | cache read | cache write | output | reasoning | total  |
        | what the cache took in        | anthropic | {"input_tokens": 3, "cache_read_input_tokens": 80000, "cache_creation_input_tokens": 9000, "output_tokens": 500}                                                                                 | 9,003 | 80,000     | 9,000       | 500    | 0         | 89,503 |
        | its thinking is inside        | anthropic | {"input_tokens": 100, "output_tokens": 500, "output_tokens_details": {"thinking_tokens": 300}, "cache_read_input_tokens": null, "cache_creation_input_tokens": null, "service_tier": "standard"} | 100   | 0          | 0           | 500    | 300       | 600    |
        | pi's reasoning that is not    | pi        | {"input": 1, "output": 2526, "cacheRead": 33637, "cacheWrite": 7594, "totalTokens": 44758, "reasoning": 1000}                                                                                    | 7,595 | 33,637     | 7,594       | 3,526  | 1,000     | 44,758 |

    Scenario Outline: Of what Anthropic writes to the cache, the share that is kept for an hour
      Given a response for which anthropic reports “{"input_tokens": 3, "cache_creation_input_tokens": 9000, "output_tokens": 500<kept>}”
      When its usage is normalized
      Then it is normalized to
        | input | cache write | cache write 1h | output | total |
        | 9,003 | 9,000       | <hour>         | 500    | 9,503 |

      Examples:
        | description       | kept                                                                                       | hour  |
        | a part            | , "cache_creation": {"ephemeral_1h_input_tokens": 4000, "ephemeral_5m_input_tokens": 5000} | 4,000 |
        | an old response   |                                                                                            | 0     |
        | more than written | , "cache_creation": {"ephemeral_1h_input_tokens": 9001}                                    | 9,000 |

    Scenario Outline: OpenCode's total shows whether its output includes the reasoning: until version 1.2 it does, from 1.14 on it does not
      Given a response for which opencode reports “{"input": 1000, "output": 200, "reasoning": 150, "cache": {"read": 5000, "write": 300}<total>}”
      When its usage is normalized
      Then it is normalized to
        | input | cache read | cache write | output   | reasoning | total  |
        | 1,300 | 5,000      | 300         | <output> | 150       | <held> |

      Examples:
        | description                 | total           | output | held  |
        | the total without reasoning | , "total": 6500 | 200    | 6,500 |
        | one token short of it       | , "total": 6649 | 200    | 6,500 |
        | the total with reasoning    | , "total": 6650 | 350    | 6,650 |

    Scenario Outline: OpenAI, Codex, Gemini and Cline report their input with the cache
      Given a response for which <provider> reports “<reported>”
      When its usage is normalized
      Then it is normalized to
        | input   | cache read   | cache write   | output   | reasoning   | total   |
        | <input> | <cache read> | <cache write> | <output> | <reasoning> | <total> |

      Examples:
        | description                    | provider | reported                                                                                                                                                                          | input  | cache read | cache write | output | reasoning | total  |
        | Chat Completions               | openai   | {"prompt_tokens": 5000, "prompt_tokens_details": {"cached_tokens": 4000}, "completion_tokens": 600, "completion_tokens_details": {"reasoning_tokens": 400}, "total_tokens": 5600} | 1,000  | 4,000      | 0           | 600    | 400       | 5,600  |
        | reasoning left out             | openai   | {"prompt_tokens": 5000, "completion_tokens": 600, "completion_tokens_details": {"reasoning_tokens": 400}, "total_tokens": 6000}                                                   | 5,000  | 0          | 0           | 1,000  | 400       | 6,000  |
        | Codex, its reasoning inside    | codex    | {"input_tokens": 18013, "cached_input_tokens": 15872, "output_tokens": 444, "reasoning_output_tokens": 208, "total_tokens": 18457}                                                | 2,141  | 15,872     | 0           | 444    | 208       | 18,457 |
        | Gemini, its thoughts outside   | gemini   | {"input": 21905, "output": 58, "cached": 17949, "thoughts": 686, "tool": 0, "total": 22649}                                                                                       | 3,956  | 17,949     | 0           | 744    | 686       | 22,649 |
        | Gemini's tool tokens are input | gemini   | {"input": 1000, "output": 50, "cached": 400, "thoughts": 20, "tool": 30, "total": 1100}                                                                                           | 630    | 400        | 0           | 70     | 20        | 1,100  |
        | Cline, what was written too    | cline    | {"inputTokens": 52000, "outputTokens": 176, "cacheReadTokens": 51000, "cacheWriteTokens": 900, "cost": 0.07}                                                                      | 1,000  | 51,000     | 900         | 176    | 0         | 52,176 |

    Scenario Outline: A cache share larger than the input leaves an input of 0
      Given a response for which <provider> reports “<reported>”
      When its usage is normalized
      Then it is normalized to
        | input   | cache read   | cache write   | output   | reasoning | total   |
        | <input> | <cache read> | <cache write> | <output> | 0         | <total> |

      Examples:
        | description              | provider | reported                                                                                 | input | cache write | total | cache read | output |
        | one token less           | codex    | {"input_tokens": 201, "cached_input_tokens": 200, "output_tokens": 10}                   | 1     | 0           | 211   | 200        | 10     |
        | written ones are counted | cline    | {"inputTokens": 100, "cacheReadTokens": 200, "cacheWriteTokens": 50, "outputTokens": 10} | 50    | 50          | 260   | 200        | 10     |

      Examples: A usage of zeros, or of nothing, is read as zeros
        | description                | provider  | reported                                                | input | cache write | total | cache read | output |
        | a notice of the tool's own | anthropic | {"input_tokens": 0, "output_tokens": 0}                 | 0     | 0           | 0     | 0          | 0      |
        | a total alone              | opencode  | {"input": 0, "output": 0, "reasoning": 0, "total": 900} | 0     | 0           | 0     | 0          | 0      |
        | nothing at all             | openai    | {}                                                      | 0     | 0           | 0     | 0          | 0      |

    Scenario Outline: A count that is no whole number from 0 is invalid input
      Given a response for which <provider> reports “<reported>”
      When its usage is normalized
      Then it is not understood

      Examples:
        | description           | provider  | reported                                  |
        | below nothing         | anthropic | {"input_tokens": -1, "output_tokens": 0}  |
        | a part of a token     | anthropic | {"input_tokens": 1.5, "output_tokens": 0} |
        | a truth value         | codex     | {"input_tokens": true}                    |
        | nobody's usage        | somebody  | {"input_tokens": 1}                       |

  @TOK_02
  Rule: An invalid usage is refused, and the error names provider, field and value
    Source: a decision of this project. A usage is read from other programs' files, and a number that
    is silently taken for another one shifts every verdict after it.

    Scenario Outline: The error names the field
      Given a response for which <provider> reports “<reported>”
      When its usage is normalized
      Then it is refused with "<refusal>"

      Examples:
        | description                | provider  | reported                           | refusal                                                                             |
        | more than any window holds | anthropic | {"input_tokens": 1000000000000001} | anthropic usage: input_tokens is 1000000000000001; a count is a whole number from 0 to 10^15 |
        | a count among the details  | opencode  | {"cache": {"read": "many"}}        | opencode usage: cache.read is 'many'; a count is a whole number from 0 to 10^15     |
        | details that are none      | opencode  | {"cache": [5]}                     | opencode usage: cache is list, not an object of token counts                        |

  @TOK_03 @portable
  Rule: A token from the cache fills the window like any other
    Source: the change to the codelet calls its cache discount broken (S1), against the port that had
    it (S4): what is cheap to read takes as much room. Only the two codelet profiles discount it,
    because they reproduce what their originals did.

    Scenario Outline: The verdict does not depend on the cache
      Given a model with window 200,000, answer 8,192
      And a response that reports input <input>, cache read <cache read>
      When the response is judged
      Then the verdict is "due"
      And the reason is "overflow (191809 > 191808)"

      Examples:
        | description        | input   | cache read |
        | all of it fresh    | 191,809 | 0          |
        | half of it         | 95,904  | 95,905     |
        | all from the cache | 0       | 191,809    |

  @TOK_05
  Rule: The newest usage measures the window; billed tokens add up
    Source: the hook that takes in usage when a response ends (S1). Every request reads the whole
    conversation again, so that added-up usage is no size; a session that added it up was taken for
    15.7 times as large as it was. Usage in place of a guess is S0's (key insights), which calls it accumulated; the
    comment that S2, section 8, quotes counts all messages.

    Scenario Outline: Only the last response measures the window
      Given responses that report
        | input   | cache read   | output   |
        | 10,000  | 0            | 1,000    |
        | <input> | <cache read> | <output> |
      When the responses are counted
      Then the held is "<held>"

      Examples:
        | description        | input | cache read | output | held   |
        | it grew            | 2,000 | 11,000     | 500    | 13,500 |
        | it stayed the same | 0     | 10,500     | 500    | 11,000 |
        | it shrank          | 3,000 | 0          | 100    | 3,100  |

    Scenario: The billed tokens are the sum of all responses
      Given responses that report
        | input  | cache read | output | cache write | reasoning |
        | 10,000 | 0          | 1,000  | 9,000       | 100       |
        | 2,000  | 11,000     | 500    | 1,500       | 200       |
        | 1,000  | 13,000     | 300    | 900         | 0         |
      When the responses are counted
      Then the result is
        | held   | input  | cache read | output | cache write | reasoning |
        | 14,300 | 13,000 | 24,000     | 1,800  | 11,400      | 300       |

  @TOK_10
  Rule: A usage of zeros or of a synthetic model is ignored
    Source: most session files that Claude Code wrote before version 2.1.59 hold an output count of 1 to
    10 tokens, taken while the response was still streaming; its own notices carry a usage of zeros
    and a model called synthetic. How an unfinished count is recognized: decision 0206.

    Scenario Outline: Zeros and synthetic models
      Given a response that reports <usage>
      When the response ends, of the model "<model>"
      Then the measures the window is "<measures>"

      Examples:
        | description              | model           | usage                                | measures |
        | an ordinary response     | claude-opus-5-5 | input 3, cache read 9,000, output 20 | yes      |
        | input alone              | claude-opus-5-5 | input 1                              | yes      |
        | cache read alone         | claude-opus-5-5 | input 0, cache read 1                | yes      |
        | output alone             | claude-opus-5-5 | input 0, output 1                    | yes      |
        | reasoning alone          | claude-opus-5-5 | input 0, reasoning 1                 | yes      |
        | all zero                 | claude-opus-5-5 | input 0                              | no       |
        | no model named, all zero |                 | input 0                              | no       |
        | no model named           |                 | input 3, output 20                   | yes      |
        | a notice, all zero       | <synthetic>     | input 0                              | no       |
        | a notice with numbers    | <synthetic>     | input 3, cache read 9,000, output 20 | no       |

    Scenario Outline: If a response is unfinished, its output is estimated from its text
      Given a response that reports input 3,000, cache read 9,000, output <output>, cache write 2,900
      When the response ends <how>, with a text of <text> tokens
      Then the result is
        | input | output | total   |
        | 3,000 | <used> | <total> |

      Examples:
        | description                      | output | text | how                   | used | total  |
        | far fewer than its text          | 3      | 100  | without a stop reason | 100  | 12,100 |
        | one token under its text         | 99     | 100  | without a stop reason | 100  | 12,100 |
        | exactly its text                 | 100    | 100  | without a stop reason | 100  | 12,100 |
        | one token over its text          | 101    | 100  | without a stop reason | 101  | 12,101 |
        | no text at all                   | 3      | 0    | without a stop reason | 3    | 12,003 |
        | with a stop reason, far fewer    | 3      | 100  | with a stop reason    | 3    | 12,003 |
        | with a stop reason, a token over | 101    | 100  | with a stop reason    | 101  | 12,101 |
