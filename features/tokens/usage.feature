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
      Given a response that reports
        | input   | cache read   | output   |
        | <input> | <cache read> | <output> |
      When its tokens are added up
      Then they come to <total>

      Examples:
        | description              | input   | cache read | output | total   |
        | all three                | 170,000 | 20,000     | 5,000  | 195,000 |
        | nothing from the cache   | 190,000 | 0          | 1,000  | 191,000 |
        | nothing but the cache    | 0       | 20,000     | 0      | 20,000  |
        | nothing but the answer   | 0       | 0          | 5,000  | 5,000   |
        | one of each              | 1       | 1          | 1      | 3       |
        | nothing                  | 0       | 0          | 0      | 0       |

    Scenario: A negative number is invalid input
      Given a response that reports an input of "-1"
      When its tokens are added up
      Then it is not understood

  @TOK_02 @portable
  Rule: Cache writes are part of the input and reasoning is part of the output; each is counted once
    Source: the usage that providers really report, read off some 1,200 recorded sessions; the documents
    are silent (S0). OpenCode left what was written to the cache out of its check, and compacted late
    (anomalyco/opencode#12074).

    Scenario: Cache writes and reasoning are not added
      Given a response that reports
        | input  | cache read | output | cache write | reasoning |
        | 10,000 | 80,000     | 2,000  | 9,000       | 1,500     |
      When its tokens are added up
      Then they come to 92,000

    Scenario: Anthropic reports its input without the cache, read or written
      Given a response for which anthropic reports
        """
        {"input_tokens": 3, "cache_read_input_tokens": 80000, "cache_creation_input_tokens": 9000, "output_tokens": 500}
        """
      When its usage is normalized
      Then it is normalized to
        | input | cache read | cache write | output | reasoning | total  |
        | 9,003 | 80,000     | 9,000       | 500    | 0         | 89,503 |

    Scenario Outline: Of what Anthropic writes to the cache, the share that is kept for an hour
      Given a response for which anthropic reports
        """
        {"input_tokens": 3, "cache_creation_input_tokens": 9000, "output_tokens": 500<kept>}
        """
      When its usage is normalized
      Then it is normalized to
        | input | cache write | cache write 1h | output | total |
        | 9,003 | 9,000       | <hour>         | 500    | 9,503 |

      Examples:
        | description       | kept                                                                                            | hour  |
        | all               | , "cache_creation": {"ephemeral_1h_input_tokens": 9000, "ephemeral_5m_input_tokens": 0}         | 9,000 |
        | a part            | , "cache_creation": {"ephemeral_1h_input_tokens": 4000, "ephemeral_5m_input_tokens": 5000}      | 4,000 |
        | nothing           | , "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 9000}         | 0     |
        | an old response   |                                                                                                 | 0     |
        | more than written | , "cache_creation": {"ephemeral_1h_input_tokens": 9001}                                         | 9,000 |

    Scenario: Anthropic's thinking is part of its output
      Given a response for which anthropic reports
        """
        {"input_tokens": 100, "output_tokens": 500, "output_tokens_details": {"thinking_tokens": 300},
         "cache_read_input_tokens": null, "cache_creation_input_tokens": null, "service_tier": "standard"}
        """
      When its usage is normalized
      Then it is normalized to
        | input | cache read | cache write | output | reasoning | total |
        | 100   | 0          | 0           | 500    | 300       | 600   |

    Scenario Outline: OpenCode's total shows whether its output includes the reasoning
      Given a response for which opencode reports
        """
        {"input": 1000, "output": 200, "reasoning": 150, "cache": {"read": 5000, "write": 300}<total>}
        """
      When its usage is normalized
      Then it is normalized to
        | input | cache read | cache write | output   | reasoning | total  |
        | 1,300 | 5,000      | 300         | <output> | 150       | <held> |

      Examples: Inside, as until version 1.2
        | description                 | total           | output | held  |
        | the total without reasoning | , "total": 6500 | 200    | 6,500 |
        | no total                    |                 | 200    | 6,500 |
        | one token short of it       | , "total": 6649 | 200    | 6,500 |

      Examples: Outside, as from version 1.14 on
        | description                 | total           | output | held  |
        | the total with reasoning    | , "total": 6650 | 350    | 6,650 |
        | more besides                | , "total": 6700 | 350    | 6,650 |

    Scenario: OpenCode's usage without a cache
      Given a response for which opencode reports
        """
        {"input": 11645, "output": 217, "reasoning": 113, "total": 11862}
        """
      When its usage is normalized
      Then it is normalized to
        | input  | cache read | cache write | output | reasoning | total  |
        | 11,645 | 0          | 0           | 217    | 113       | 11,862 |

    Scenario Outline: OpenAI reports its input with the cache, under two sets of names
      Given a response for which openai reports
        """
        <reported>
        """
      When its usage is normalized
      Then it is normalized to
        | input   | cache read   | cache write   | output   | reasoning   | total   |
        | <input> | <cache read> | <cache write> | <output> | <reasoning> | <total> |

      Examples: By the names of Responses
        | description         | reported                                                                                                                                                         | input | cache read | cache write | output | reasoning | total |
        | with details        | {"input_tokens": 5000, "input_tokens_details": {"cached_tokens": 4000}, "output_tokens": 600, "output_tokens_details": {"reasoning_tokens": 400}, "total_tokens": 5600} | 1,000 | 4,000      | 0           | 600    | 400       | 5,600 |
        | without details     | {"input_tokens": 5000, "output_tokens": 600}                                                                                                                     | 5,000 | 0          | 0           | 600    | 0         | 5,600 |

      Examples: By the names of Chat Completions
        | description              | reported                                                                                                                                                                   | input | cache read | cache write | output | reasoning | total |
        | with details             | {"prompt_tokens": 5000, "prompt_tokens_details": {"cached_tokens": 4000}, "completion_tokens": 600, "completion_tokens_details": {"reasoning_tokens": 400}, "total_tokens": 5600} | 1,000 | 4,000      | 0           | 600    | 400       | 5,600 |
        | what the cache took in   | {"prompt_tokens": 5000, "prompt_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 3000}, "completion_tokens": 600}                                            | 4,000 | 1,000      | 3,000       | 600    | 0         | 5,600 |
        | reasoning left out       | {"prompt_tokens": 5000, "completion_tokens": 600, "completion_tokens_details": {"reasoning_tokens": 400}, "total_tokens": 6000}                                            | 5,000 | 0          | 0           | 1,000  | 400       | 6,000 |

    Scenario: Codex reports its input with the cache, and its output with the reasoning
      Given a response for which codex reports
        """
        {"input_tokens": 18013, "cached_input_tokens": 15872, "output_tokens": 444, "reasoning_output_tokens": 208,
         "total_tokens": 18457}
        """
      When its usage is normalized
      Then it is normalized to
        | input | cache read | cache write | output | reasoning | total  |
        | 2,141 | 15,872     | 0           | 444    | 208       | 18,457 |

    Scenario: Gemini reports its input with the cache, and its output without the thoughts
      Given a response for which gemini reports
        """
        {"input": 21905, "output": 58, "cached": 17949, "thoughts": 686, "tool": 0, "total": 22649}
        """
      When its usage is normalized
      Then it is normalized to
        | input | cache read | cache write | output | reasoning | total  |
        | 3,956 | 17,949     | 0           | 744    | 686       | 22,649 |

    Scenario: Gemini's tool tokens are input
      Given a response for which gemini reports
        """
        {"input": 1000, "output": 50, "cached": 400, "thoughts": 20, "tool": 30, "total": 1100}
        """
      When its usage is normalized
      Then it is normalized to
        | input | cache read | cache write | output | reasoning | total |
        | 630   | 400        | 0           | 70     | 20        | 1,100 |

    Scenario: Cline reports its input with the cache, read and written
      Given a response for which cline reports
        """
        {"inputTokens": 52000, "outputTokens": 176, "cacheReadTokens": 51000, "cacheWriteTokens": 900, "cost": 0.07}
        """
      When its usage is normalized
      Then it is normalized to
        | input | cache read | cache write | output | reasoning | total  |
        | 1,000 | 51,000     | 900         | 176    | 0         | 52,176 |

    Scenario Outline: Pi reports its input without the cache
      Given a response for which pi reports
        """
        {"input": 1, "output": 2526, "cacheRead": 33637, "cacheWrite": 7594, <more>}
        """
      When its usage is normalized
      Then it is normalized to
        | input | cache read | cache write | output   | reasoning   | total  |
        | 7,595 | 33,637     | 7,594       | <output> | <reasoning> | <held> |

      Examples:
        | description              | more                                    | output | reasoning | held   |
        | no reasoning             | "totalTokens": 43758                    | 2,526  | 0         | 43,758 |
        | reasoning that is inside | "totalTokens": 43758, "reasoning": 1000 | 2,526  | 1,000     | 43,758 |
        | reasoning that is not    | "totalTokens": 44758, "reasoning": 1000 | 3,526  | 1,000     | 44,758 |

    Scenario Outline: A cache share larger than the input leaves an input of 0
      Given a response for which <provider> reports
        """
        <reported>
        """
      When its usage is normalized
      Then it is normalized to
        | input   | cache read | cache write   | output | reasoning | total   |
        | <input> | 200        | <cache write> | 10     | 0         | <total> |

      Examples:
        | description              | provider | reported                                                                                         | input | cache write | total |
        | one token more           | codex    | {"input_tokens": 199, "cached_input_tokens": 200, "output_tokens": 10}                           | 0     | 0           | 210   |
        | the same                 | codex    | {"input_tokens": 200, "cached_input_tokens": 200, "output_tokens": 10}                           | 0     | 0           | 210   |
        | one token less           | codex    | {"input_tokens": 201, "cached_input_tokens": 200, "output_tokens": 10}                           | 1     | 0           | 211   |
        | written ones are counted | cline    | {"inputTokens": 100, "cacheReadTokens": 200, "cacheWriteTokens": 50, "outputTokens": 10}         | 50    | 50          | 260   |

    Scenario Outline: A usage of zeros is read as zeros
      Given a response for which <provider> reports
        """
        <reported>
        """
      When its usage is normalized
      Then it is normalized to
        | input | cache read | cache write | output | reasoning | total |
        | 0     | 0          | 0           | 0      | 0         | 0     |

      Examples:
        | description                   | provider  | reported                                                                                          |
        | a notice of the tool's own    | anthropic | {"input_tokens": 0, "output_tokens": 0}                                                           |
        | after a compaction            | codex     | {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "total_tokens": 13290}          |
        | a total alone                 | opencode  | {"input": 0, "output": 0, "reasoning": 0, "total": 900}                                           |
        | nothing at all                | openai    | {}                                                                                                |
        | nothing at all, by Gemini     | gemini    | {}                                                                                                |
        | nothing at all, by Cline      | cline     | {}                                                                                                |
        | nothing at all, by pi         | pi        | {}                                                                                                |

    Scenario Outline: A count that is no whole number from 0 is invalid input
      Given a response for which <provider> reports
        """
        <reported>
        """
      When its usage is normalized
      Then it is not understood

      Examples:
        | description              | provider  | reported                                            |
        | below nothing            | anthropic | {"input_tokens": -1, "output_tokens": 0}            |
        | a part of a token        | anthropic | {"input_tokens": 1.5, "output_tokens": 0}           |
        | a text                   | openai    | {"input_tokens": "many"}                            |
        | a truth value            | codex     | {"input_tokens": true}                              |
        | details that are none    | opencode  | {"input": 1, "cache": 5}                            |
        | nobody's usage           | somebody  | {"input_tokens": 1}                                 |

  @TOK_02
  Rule: An invalid usage is refused, and the error names provider, field and value
    Source: a decision of this project. A usage is read from other programs' files, and a number that
    is silently taken for another one shifts every verdict after it.

    Scenario Outline: The error names the field
      Given a response for which <provider> reports
        """
        <reported>
        """
      When its usage is read
      Then the refusal reads "<refusal>"

      Examples:
        | description                | provider  | reported                     | refusal                                                                                                 |
        | a count below nothing      | anthropic | {"input_tokens": -1}         | anthropic usage: input_tokens is -1; a count is a whole number from 0                                   |
        | more than any window holds | anthropic | {"input_tokens": 1000000000000001} | anthropic usage: input_tokens is 1000000000000001; no window holds that many tokens |
        | a count among the details  | opencode  | {"cache": {"read": "many"}}  | opencode usage: cache usage: read is 'many'; a count is a whole number from 0                           |
        | details that are none      | opencode  | {"cache": [5]}               | opencode usage: cache is list, not an object of token counts                                            |
        | a list                     | cline     | [5]                          | cline is list, not an object of token counts                                                            |
        | an unknown provider        | somebody  | {"input_tokens": 1}          | there is no provider 'somebody'; there are: anthropic, opencode, openai, codex, gemini, cline, pi       |

  @TOK_03 @portable
  Rule: A token from the cache fills the window like any other
    Source: the change to the codelet calls its cache discount broken (S1), against the port that had
    it (S4): what is cheap to read takes as much room. Only the two codelet profiles discount it,
    because they reproduce what their originals did.

    Scenario Outline: The verdict does not depend on the cache
      Given a model with a context window of 200,000 tokens
      And a longest answer of 8,192 tokens
      And a response that reports
        | input   | cache read   |
        | <input> | <cache read> |
      When the response is judged
      Then compaction is due
      And the reason reads "overflow (191809 > 191808)"

      Examples:
        | description         | input   | cache read |
        | all of it fresh     | 191,809 | 0          |
        | half of it          | 95,904  | 95,905     |
        | all from the cache  | 0       | 191,809    |

  @TOK_05
  Rule: The newest usage measures the window; billed tokens add up
    Source: the hook that takes in usage when a response ends (S1). Every request reads the whole
    conversation again, so that added-up usage is no size; a session that added it up was taken for
    15.7 times as large as it was.

    Scenario Outline: Only the last response measures the window
      Given responses that report
        | input   | cache read   | output   |
        | 10,000  | 0            | 1,000    |
        | <input> | <cache read> | <output> |
      When the window is measured after them
      Then it holds <held> tokens

      Examples:
        | description              | input  | cache read | output | held   |
        | it grew                  | 2,000  | 11,000     | 500    | 13,500 |
        | it stayed the same       | 0      | 10,500     | 500    | 11,000 |
        | it shrank                | 3,000  | 0          | 100    | 3,100  |

    Scenario: The billed tokens are the sum of all responses
      Given responses that report
        | input  | cache read | output | cache write | reasoning |
        | 10,000 | 0          | 1,000  | 9,000       | 100       |
        | 2,000  | 11,000     | 500    | 1,500       | 200       |
        | 1,000  | 13,000     | 300    | 900         | 0         |
      When they are billed
      Then the bill reads
        | input  | cache read | output | cache write | reasoning |
        | 13,000 | 24,000     | 1,800  | 11,400      | 300       |

  @TOK_10
  Rule: A usage of zeros or of a synthetic model is ignored
    Source: most session files that Claude Code wrote before version 2.1.59 hold an output count of 1 to
    10 tokens, taken while the response was still streaming; its own notices carry a usage of zeros
    and a model called synthetic. How an unfinished count is recognized: decision 0008.

    Scenario Outline: Zeros and synthetic models
      Given a response of the model "<model>" that reports
        | input   | cache read   | output   | cache write | reasoning   |
        | <input> | <cache read> | <output> | 0           | <reasoning> |
      When the window is measured after it
      Then it is <answer>

      Examples:
        | description                | model           | input | cache read | output | reasoning | answer        |
        | an ordinary response       | claude-opus-5-5 | 3     | 9,000      | 20     | 0         | a measurement |
        | input alone                | claude-opus-5-5 | 1     | 0          | 0      | 0         | a measurement |
        | cache read alone           | claude-opus-5-5 | 0     | 1          | 0      | 0         | a measurement |
        | output alone               | claude-opus-5-5 | 0     | 0          | 1      | 0         | a measurement |
        | reasoning alone            | claude-opus-5-5 | 0     | 0          | 0      | 1         | a measurement |
        | all zero                   | claude-opus-5-5 | 0     | 0          | 0      | 0         | a placeholder |
        | no model named, all zero   |                 | 0     | 0          | 0      | 0         | a placeholder |
        | no model named             |                 | 3     | 0          | 20     | 0         | a measurement |
        | a notice, all zero         | <synthetic>     | 0     | 0          | 0      | 0         | a placeholder |
        | a notice with numbers      | <synthetic>     | 3     | 9,000      | 20     | 0         | a placeholder |

    Scenario Outline: If a response is unfinished, its output is estimated from its text
      Given a response that reports
        | input | cache read | output   |
        | 3     | 9,000      | <output> |
      And a text of its own that is estimated at <text> tokens
      And it <end>
      When its output count is completed
      Then <used> tokens of output are counted

      Examples: It gave no stop reason
        | description                   | output | text | end                  | used |
        | far fewer than its text       | 3      | 100  | gave no stop reason  | 100  |
        | one token under its text      | 99     | 100  | gave no stop reason  | 100  |
        | exactly its text              | 100    | 100  | gave no stop reason  | 100  |
        | one token over its text       | 101    | 100  | gave no stop reason  | 101  |
        | no text at all                | 3      | 0    | gave no stop reason  | 3    |

      Examples: It gave one, and its count stands
        | description                   | output | text | end                  | used |
        | far fewer than its text       | 3      | 100  | gave a stop reason   | 3    |
        | one token over its text       | 101    | 100  | gave a stop reason   | 101  |

    Scenario: The input of an unfinished response is used as reported
      Given a response that reports
        | input | cache read | output | cache write |
        | 3,000 | 9,000      | 3      | 2,900       |
      And a text of its own that is estimated at 100 tokens
      And it gave no stop reason
      When its output count is completed
      Then its tokens come to 12,100
