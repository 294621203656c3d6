Feature: Compaction control
  The tool runner of the Anthropic SDK once took a compaction control: with it a runner summarised its own history and
  went on from the summary. The SDK has it no longer. Whoever used it gets it back in one changed line, with the same
  settings and without its faults.

  @CMP_11
  Rule: The history is summarized when the last answer used as many tokens as the threshold, or more
    Source: the Anthropic SDK's compaction control as described (S2, section 8), which says "exceeds"; its code compared
    with at least. Everything that was read counts, from the cache or not, and what was written.

    Scenario Outline: An answer near the threshold
      Given an agent whose first answer read <input> tokens, <cached> from the cache, wrote <stored> to it, and answered <output>
      When it runs under a control
      Then the history was summarised <times> times

      Examples: The threshold that nobody set
        | description | input  | cached | stored | output | times |
        | one below   | 60,000 | 30,000 | 5,000  | 4,999  | 0     |
        | equal       | 60,000 | 30,000 | 5,000  | 5,000  | 1     |
        | one above   | 60,000 | 30,000 | 5,000  | 5,001  | 1     |

    Scenario Outline: A threshold that the control sets
      Given an agent whose first answer read <input> tokens, 0 from the cache, wrote 0 to it, and answered 100
      And a control with a threshold of 50,000 tokens
      When it runs under a control
      Then the history was summarised <times> times

      Examples:
        | description | input  | times |
        | one below   | 49,899 | 0     |
        | equal       | 49,900 | 1     |
        | one above   | 49,901 | 1     |

  @CMP_11
  Rule: One user message with the summary replaces the whole history, the newest answer and its tool results included
    Source: the Anthropic SDK's compaction control (S2, section 8). The SDK left the newest answer out of what it
    summarised and never ran its tools (anthropics/anthropic-sdk-typescript#892, #886, #942), and sent calls without a
    result in its async form (anthropics/anthropic-sdk-python#1124).

    Scenario: What the request after a summary holds
      Given an agent whose first answer is over the threshold
      When it runs under a control
      Then the next request holds 1 message
      And that message tells "The printer is in room 7."

    Scenario: What the summariser reads
      Given an agent whose first answer is over the threshold
      When it runs under a control
      Then the summariser was handed the newest answer with what its tool found

    Scenario: The tools of the newest answer
      Given an agent whose first answer is over the threshold
      When it runs under a control
      Then its tool was run 1 time

    Scenario: Only the tags' content counts
      Given an agent whose first answer is over the threshold
      And every summary reads "Let me see. <summary>Room 7 it is.</summary>"
      When it runs under a control
      Then that message tells "Room 7 it is."
      And that message does not tell "Let me see."

  @CMP_11
  Rule: The runner's own model writes the summary, unless the control names another
    Source: the Anthropic SDK's compaction control (S2, section 8).

    Scenario: No model is named
      Given an agent whose first answer is over the threshold
      When it runs under a control
      Then the summary was asked of "claude-opus-5-5"

    Scenario: Another model is named
      Given an agent whose first answer is over the threshold
      And a control with the model "claude-sonnet-5-5"
      When it runs under a control
      Then the summary was asked of "claude-sonnet-5-5"

    Scenario: Another prompt is given
      Given an agent whose first answer is over the threshold
      And a control with the prompt "Name the room of the printer."
      When it runs under a control
      Then the summariser was asked "Name the room of the printer."

  @CMP_11
  Rule: A summary is asked for three times, an error is not accepted, and without a summary nothing is lost
    Source: the SDK made one attempt and took whatever text came (langchain-ai/langchain#38867 shows where that leads);
    one that failed left the history without its last call (anthropics/anthropic-sdk-python#1846).

    Scenario Outline: Attempts that give no summary
      Given an agent whose first answer is over the threshold
      And <does>
      When it runs under a control
      Then the summary was asked for <attempts> times
      And the history is replaced by the summary of <whom>

      Examples:
        | description                | does                                            | attempts | whom         |
        | busy once                  | the first summary meets a busy provider         | 2        | the model    |
        | busy all the time          | every summary meets a busy provider             | 3        | the template |
        | an error in place of words | every summary reads "API Error: 529 Overloaded" | 3        | the template |
        | says nothing               | every summary reads ""                          | 3        | the template |

    Scenario: The error is wanted
      Given an agent whose first answer is over the threshold
      And every summary meets a busy provider
      And errors are to be raised
      When it runs under a control
      Then it is told that no summary came
      And the history is as it was, the tool's result included

    Scenario: Going on after the error
      Given an agent whose first answer is over the threshold
      And every summary meets a busy provider
      And errors are to be raised
      When it runs under a control, and once more after the error
      Then it ends with "Done."
      And its tool was run 1 time

  @CMP_11
  Rule: A run that is over is not summarised
    Source: the SDK summarised the last answer too and asked on, without end (anthropics/anthropic-sdk-typescript#886).

    Scenario: The last answer is over the threshold
      Given an agent whose only answer is over the threshold
      When it runs under a control
      Then the history was summarised 0 times
      And it ends with "Done."

    Scenario: The run ends at its limit of answers
      Given an agent whose first answer is over the threshold
      And 1 answer is wanted at most
      When it runs under a control
      Then the history was summarised 0 times

  @CMP_11
  Rule: A turn that the provider has not finished is finished first
    Source: a call of a tool that the provider runs was sent to the summariser without its result
    (anthropics/anthropic-sdk-python#1151).

    Scenario: A search that goes on in the next answer
      Given an agent whose first answer is a search that the provider broke off, over the threshold
      When it runs under a control
      Then the history was summarised 0 times
      And it ends with "Done."

  @CMP_11
  Rule: The caller's messages are never changed
    Source: field failure anthropics/anthropic-sdk-python#1846.

    Scenario: The caller's list after a compaction
      Given an agent whose first answer is over the threshold
      When it runs under a control
      Then the list that was handed in holds the question alone

  @CMP_11
  Rule: Three summaries in a row that each leave the next answer over the threshold end the run
    Source: field failure anthropics/anthropic-sdk-python#1091; a threshold below what the system prompt and the tools
    take makes every answer due.

    Scenario: A threshold below the size of every answer
      Given an agent whose every answer is over the threshold
      When it runs under a control
      Then it is told that compacting again does not help
      And the history was summarised 3 times

  @CMP_11
  Rule: The sync, async and streaming runners behave alike
    Source: the async form of the SDK had a fault of its own (anthropics/anthropic-sdk-python#1124).

    Scenario Outline: The same agent, run in another way
      Given an agent whose first answer is over the threshold
      When it runs under a control <way>
      Then the history was summarised 1 times
      And the next request holds 1 message
      And it ends with "Done."

      Examples:
        | description          | way                        |
        | waiting              | waiting                    |
        | waiting, streamed    | waiting, streamed          |
        | event loop           | in an event loop           |
        | event loop, streamed | in an event loop, streamed |

  @CMP_11
  Rule: When the control is off, the SDK's runner is unchanged
    Source: the Anthropic SDK's compaction control (S2, section 8): whether it is on has to be said.

    Scenario: Off
      Given an agent whose first answer is over the threshold
      And a control that is off
      When it runs under a control
      Then the history was summarised 0 times
      And it ends with "Done."

  @CMP_11
  Rule: A control that cannot work is refused before anything is sent
    Source: a setting that is silently ignored is worse than none (S3, "Validate and warn").

    Scenario Outline: A faulty control
      Given a control in which <setting> is <value>
      When a runner is asked for
      Then it is refused with "<message>"

      Examples:
        | description          | setting       | value   | message                                                                                                 |
        | on or off not said   | the switch    | missing | a compaction control says with 'enabled' whether it is on: True or False                                |
        | a threshold of none  | the threshold | 0       | a threshold of 0 tokens: every answer would be summarised; set one above 0                              |
        | a threshold in words | the threshold | many    | 'context_token_threshold' is a whole number of tokens, not 'many'                                       |
        | an unknown setting   | a new setting | 1       | a compaction control has no 'keep'; it has: enabled, context_token_threshold, model, summary_prompt     |
        | a prompt of one word | the prompt    | brief   | no prompt is called 'brief'; name one of structured, opencode, windowing, or write one of several words |

    Scenario: The provider's own compaction besides
      Given a request that has the provider compact too
      When a runner is asked for
      Then it is refused as a second compaction
