Feature: Compaction control
  The tool runner of the Anthropic SDK once had a compaction control: the runner summarized its own history and continued
  from the summary. The SDK has removed it. brim offers it again, with the same settings and without its faults, to a
  program that changes one line.

  @CMP_11
  Rule: The history is summarized when the last answer used as many tokens as the threshold, or more
    Source: the Anthropic SDK's compaction control as described (S2, section 8), which says "exceeds"; its code compared
    with at least. Everything that was read counts, from the cache or not, and what was written.

    Scenario Outline: The runner summarizes from the default threshold on
      Given an agent whose first answer read <input> tokens, <cached> from the cache, wrote <stored> to it, and answered <output>
      When it runs with compaction control
      Then the runner summarized <times>

      Examples: The default threshold
        | description | input  | cached | stored | output | times |
        | one below   | 60,000 | 30,000 | 5,000  | 4,999  | never |
        | equal       | 60,000 | 30,000 | 5,000  | 5,000  | once  |
        | one above   | 60,000 | 30,000 | 5,000  | 5,001  | once  |

    Scenario Outline: The runner summarizes from the control's own threshold on
      Given an agent whose first answer read <input> tokens, 0 from the cache, wrote 0 to it, and answered 100
      And a control with a threshold of 50,000 tokens
      When it runs with compaction control
      Then the runner summarized <times>

      Examples:
        | description | input  | times |
        | one below   | 49,899 | never |
        | equal       | 49,900 | once  |
        | one above   | 49,901 | once  |

  @CMP_11
  Rule: One user message with the summary replaces the whole history, the newest answer and its tool results included
    Source: the Anthropic SDK's compaction control (S2, section 8). The SDK left the newest answer out of what it
    summarized and never ran its tools (anthropics/anthropic-sdk-typescript#892, #886, #942), and sent calls without a
    result in its async form (anthropics/anthropic-sdk-python#1124).

    Scenario: The request after a summary holds one message
      Given an agent whose first answer is over the threshold
      When it runs with compaction control
      Then the next request holds 1 message
      And that message contains "The printer is in room 7."

    Scenario: The summary request holds the newest answer and its tool result
      Given an agent whose first answer is over the threshold
      When it runs with compaction control
      Then the summary request holds the newest answer and its tool result

    Scenario: The tool that the newest answer calls runs once
      Given an agent whose first answer is over the threshold
      When it runs with compaction control
      Then its tool ran 1 time

    Scenario: Only the text inside the summary tags is used
      Given an agent whose first answer is over the threshold
      And every summary reads "Let me see. <summary>Room 7 it is.</summary>"
      When it runs with compaction control
      Then that message contains "Room 7 it is."
      And that message does not contain "Let me see."

  @CMP_11
  Rule: The runner's own model writes the summary, unless the control names another
    Source: the Anthropic SDK's compaction control (S2, section 8).

    Scenario: By default the runner's model writes the summary
      Given an agent whose first answer is over the threshold
      When it runs with compaction control
      Then the summary request goes to "claude-opus-5-5"

    Scenario: The control names another model
      Given an agent whose first answer is over the threshold
      And a control with the model "claude-sonnet-5-5"
      When it runs with compaction control
      Then the summary request goes to "claude-sonnet-5-5"

    Scenario: The control gives another prompt
      Given an agent whose first answer is over the threshold
      And a control with the prompt "Name the room of the printer."
      When it runs with compaction control
      Then the summary request ends with "Name the room of the printer."

  @CMP_11
  Rule: The runner makes up to three attempts at a summary, rejects an error text, and loses nothing if no attempt succeeds
    Source: the SDK made one attempt and took any text as the summary (langchain-ai/langchain#38867 shows where that leads);
    one that failed left the history without its last call (anthropics/anthropic-sdk-python#1846).

    Scenario Outline: A failed attempt is repeated, and after three the template writes the summary
      Given an agent whose first answer is over the threshold
      And <does>
      When it runs with compaction control
      Then <attempts> summary requests were made
      And the summary of <author> replaces the history

      Examples:
        | description                | does                                            | attempts | author       |
        | busy once                  | the first summary request meets a busy provider | 2        | the model    |
        | busy all the time          | every summary request meets a busy provider     | 3        | the template |
        | an error in place of words | every summary reads "API Error: 529 Overloaded" | 3        | the template |
        | says nothing               | every summary reads ""                          | 3        | the template |

    Scenario: The template names the tool of the newest answer
      Given an agent whose first answer is over the threshold
      And every summary request meets a busy provider
      When it runs with compaction control
      Then the request after the last summary says "What was done:\n✓ Used find"

    Scenario: The template keeps the words of the summary before it
      Given an agent whose first two answers are over the threshold
      And each summary request but the first meets a busy provider
      When it runs with compaction control
      Then the request after the last summary says "From the earlier summary:\n  The printer is in room 7."

    Scenario: If the caller wants errors raised, the run ends with one
      Given an agent whose first answer is over the threshold
      And every summary request meets a busy provider
      And the caller wants errors raised
      When it runs with compaction control
      Then the run fails because no summary succeeded
      And the history is unchanged and ends with the tool's result

    Scenario: The caller continues the run after the error
      Given an agent whose first answer is over the threshold
      And every summary request meets a busy provider
      And the caller wants errors raised
      When it runs with compaction control, and once more after the error
      Then it ends with "Done."
      And its tool ran 1 time

  @CMP_11
  Rule: A finished run is not summarized
    Source: the SDK summarized the last answer too and asked on, without end (anthropics/anthropic-sdk-typescript#886).

    Scenario: The last answer is over the threshold
      Given an agent whose only answer is over the threshold
      When it runs with compaction control
      Then the runner summarized never
      And it ends with "Done."

    Scenario: The run ends at its limit of answers
      Given an agent whose first answer is over the threshold
      And a limit of 1 answer
      When it runs with compaction control
      Then the runner summarized never

    Scenario: A summary does not start the limit of answers again
      Given an agent whose every answer is over the threshold
      And a limit of 2 answers
      When it runs with compaction control
      Then the runner summarized once
      And the model gave 2 answers

  @CMP_11
  Rule: The runner summarizes only after a turn that the provider paused is finished
    Source: a call of a tool that the provider runs was sent to the summarizer without its result
    (anthropics/anthropic-sdk-python#1151).

    Scenario: A search continues in the next answer
      Given an agent whose first answer, over the threshold, is a search that the provider paused
      When it runs with compaction control
      Then the runner summarized never
      And it ends with "Done."

  @CMP_11
  Rule: The caller's messages are never changed
    Source: field failure anthropics/anthropic-sdk-python#1846.

    Scenario: A compaction leaves the caller's list unchanged
      Given an agent whose first answer is over the threshold
      When it runs with compaction control
      Then the caller's list holds the question alone

  @CMP_11
  Rule: Three summaries in a row that each leave the next answer over the threshold end the run
    Source: field failure anthropics/anthropic-sdk-python#1091; a threshold below what the system prompt and the tools
    take makes every answer due.

    Scenario: Every answer exceeds the threshold
      Given an agent whose every answer is over the threshold
      When it runs with compaction control
      Then the run fails because compaction does not help
      And the runner summarized three times

  @CMP_11
  Rule: The sync, async and streaming runners behave alike
    Source: the async form of the SDK had a fault of its own (anthropics/anthropic-sdk-python#1124).

    Scenario Outline: Each runner summarizes once and ends with the same answer
      Given an agent whose first answer is over the threshold
      When it runs with compaction control <way>
      Then the runner summarized once
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
    Source: the Anthropic SDK's compaction control (S2, section 8): the caller states whether it is on.

    Scenario: A control that is off summarizes nothing
      Given an agent whose first answer is over the threshold
      And a control that is off
      When it runs with compaction control
      Then the runner summarized never
      And it ends with "Done."

    Scenario: If the environment turns automatic compaction off, nothing is summarized
      Given an agent whose first answer is over the threshold
      And the environment variable "BRIM_DISABLE_AUTOCOMPACT" is "1"
      When it runs with compaction control
      Then the runner summarized never
      And it ends with "Done."

    Scenario: Without a control nothing is summarized
      Given an agent whose first answer is over the threshold
      And no control
      When it runs with compaction control
      Then the runner summarized never
      And it ends with "Done."

  @CMP_11
  Rule: The listener receives the events of a runner's compactions, and the model's longest answer bounds the summary
    Source: a decision of this project; the SDK's control reported nothing.

    Scenario Outline: Each runner emits the same events, bounds both summary requests and waits between them
      Given an agent whose first answer is over the threshold
      And the first summary request meets a busy provider
      And a listener, and a model whose longest answer is 500 tokens
      When it runs with compaction control <way>
      Then the listener receives "started, summarizing, attempt_rejected, summarizing, compacted"
      And each summary request allows at most 500 tokens
      And it waited 1 second before the second attempt

      Examples:
        | description      | way              |
        | in a thread      | waiting          |
        | in an event loop | in an event loop |

  @CMP_11
  Rule: The caller changes a runner while it works, and the changes outlast a summary
    Source: the tool runner of the Anthropic SDK, which has these methods; after a summary brim continues with another one.

    Scenario Outline: The request after the summary has what the caller changed at the first answer
      Given an agent whose first answer is over the threshold
      When it runs <way>, and its caller <does> at the first answer
      Then the request after the summary <holds>

      Examples: In a thread
        | description | way         | does                                    | holds                          |
        | a parameter | in a thread | sets the longest answer to 500 tokens   | has a longest answer of 500    |
        | a function  | in a thread | halves the longest answer               | has a longest answer of 500    |
        | a tool more | in a thread | adds the tool "look"                    | offers the tools find and look |
        | a tool less | in a thread | adds the tool "look" and removes it     | offers the tool find           |
        | a beta      | in a thread | leaves it alone, with a beta of its own | names the beta                 |

      Examples: In an event loop
        | description | way              | does                                  | holds                          |
        | a parameter | in an event loop | sets the longest answer to 500 tokens | has a longest answer of 500    |
        | a tool more | in an event loop | adds the tool "look"                  | offers the tools find and look |

    Scenario Outline: The summary request holds the result that the caller gives in place of the tool's
      Given an agent whose first answer is over the threshold
      When it runs <way>, and its caller answers the tool itself at the first answer
      Then the summary request contains "In room 9."
      And the summary request does not contain "next to the plant"

      Examples:
        | description      | way              |
        | in a thread      | in a thread      |
        | in an event loop | in an event loop |

    Scenario Outline: A runner that is closed at its first answer does not summarize
      Given an agent whose first answer is over the threshold
      When it runs <way>, and its caller <ends> it
      Then the runner summarized <times>

      Examples:
        | description                | way              | ends                         | times |
        | to its end                 | in a thread      | waits for the last answer of | once  |
        | to its end, in a loop      | in an event loop | waits for the last answer of | once  |
        | closed at the first answer | in a thread      | closes                       | never |
        | closed, in an event loop   | in an event loop | closes                       | never |

  @CMP_11
  Rule: A control that cannot work is refused before anything is sent
    Source: a setting that is silently ignored is worse than none (S3, "Validate and warn").

    Scenario Outline: A faulty setting is refused
      Given a control in which <setting> is <value>
      When a runner is created
      Then it is refused with "<message>"

      Examples:
        | description          | setting       | value   | message                                                                                                 |
        | on or off not said   | the switch    | missing | a compaction control says with 'enabled' whether it is on: True or False                                |
        | a threshold of none  | the threshold | 0       | a threshold of 0 tokens: every answer would be summarized; set one above 0                              |
        | a threshold in words | the threshold | many    | 'context_token_threshold' is a whole number of tokens, not 'many'                                       |
        | an unknown setting   | a new setting | 1       | a compaction control has no 'keep'; it has: enabled, context_token_threshold, model, summary_prompt     |
        | a prompt of one word | the prompt    | brief   | no prompt is called 'brief'; name one of structured, opencode, windowing, or write one of several words |

    Scenario: A request with the provider's own compaction is refused
      Given a request that asks the provider to compact too
      When a runner is created
      Then it is refused as a second compaction
