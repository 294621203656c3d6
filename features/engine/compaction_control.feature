Feature: Compaction control
  The tool runner of the Anthropic SDK once had a compaction control: the runner summarized its own history and continued
  from the summary. The SDK has removed it. brim offers it again, with the same settings and without its faults, to a
  program that changes one line. Each example runs in a thread, and streamed in an event loop.

  @CMP_11
  Rule: The history is summarized when the last answer used as many tokens as the threshold, or more
    Source: the Anthropic SDK's compaction control as described (S2, section 8), which says "exceeds"; its code compared
    with at least. Everything that was read counts, from the cache or not, and what was written.

    Scenario Outline: The runner summarizes from the threshold on
      Given a compaction control with <control>
      And an agent under compaction control
      And the provider answers
        | calls | read   | cached   | stored   | written   |
        | find  | <read> | <cached> | <stored> | <written> |
      When the agent runs
      Then the provider is asked for <count> summaries

      Examples: The default threshold of 100,000 tokens
        | description | control   | read   | cached | stored | written | count |
        | one below   | switch on | 60,000 | 30,000 | 5,000  | 4,999   | 0     |
        | equal       | switch on | 60,000 | 30,000 | 5,000  | 5,000   | 1     |

      Examples: A threshold of its own
        | description | control          | read   | cached | stored | written | count |
        | one below   | threshold 50,000 | 49,899 | 0      | 0      | 100     | 0     |
        | equal       | threshold 50,000 | 49,900 | 0      | 0      | 100     | 1     |

  @CMP_11
  Rule: One user message with the summary replaces the whole history, the newest answer and its tool results included
    Source: the Anthropic SDK's compaction control (S2, section 8). The SDK left the newest answer out of what it
    summarized and never ran its tools (anthropics/anthropic-sdk-typescript#892, #886, #942), and sent calls without a
    result in its async form (anthropics/anthropic-sdk-python#1124).

    Scenario: The text inside the summary tags replaces the question, the newest answer and its result
      Given an agent under compaction control
      And the provider answers
        | calls | read    | says                                                      |
        | find  | 120,000 |                                                           |
        |       |         | Let me see. <summary>The printer is in room 7.</summary> |
      When the agent runs
      Then the result is
        | summarized  | messages sent | tools run | last answer |
        | use, result | 1             | 1         | Done.       |
      And the last request says "The printer is in room 7.", and not "Let me see."

  @CMP_11
  Rule: The runner's own model writes the summary, unless the control names another
    Source: the Anthropic SDK's compaction control (S2, section 8).

    Scenario Outline: The control names a model or a prompt
      Given a compaction control with <control>
      And an agent under compaction control
      And the provider answers
        | calls | read    |
        | find  | 120,000 |
      When the agent runs
      Then the model asked is "<model>"
      And the summary request says "<says>"

      Examples:
        | description    | control                              | model             | says                          |
        | nothing        | switch on                            | claude-opus-5-5   | Stop the work here.           |
        | another model  | model claude-sonnet-5-5              | claude-sonnet-5-5 |                               |
        | another prompt | prompt Name the room of the printer. | claude-opus-5-5   | Name the room of the printer. |

  @CMP_11
  Rule: The runner makes up to three attempts at a summary, rejects an error text, and loses nothing if no attempt succeeds
    Source: the SDK made one attempt and took any text as the summary (langchain-ai/langchain#38867 shows where that leads);
    one that failed left the history without its last call (anthropics/anthropic-sdk-python#1846).

    Scenario Outline: A failed attempt is repeated, and after three the template writes the summary
      Given an agent under compaction control
      And the provider answers
        | calls | read    | refusal  | says     |
        | find  | 120,000 |          |          |
        |       |         | <first>  | <said>   |
        |       |         | <second> | <said>   |
        |       |         | <third>  | <said>   |
      When the agent runs
      Then the result is
        | summary requests | summaries by | messages sent | tools run |
        | <attempts>       | <author>     | 1             | 1         |

      Examples:
        | description                | first         | second        | third         | said                                         | attempts | author   |
        | busy once                  | 529 Overloaded |               |               | <summary>The printer is in room 7.</summary> | 2        | model    |
        | an error in place of words |               |               |               | API Error: 529 Overloaded                    | 3        | template |

  @CMP_11
  Rule: A finished run is not summarized
    Source: the SDK summarized the last answer too and asked on, without end (anthropics/anthropic-sdk-typescript#886).

    Scenario: The last answer after a tool's long result is over the threshold
      Given an agent under compaction control
      And the provider answers
        | calls | read    | says  |
        | find  | 10      |       |
        |       | 120,000 | Done. |
      When the agent runs
      Then the result is
        | summaries | answers given | last answer |
        | 0         | 2             | Done.       |

  @CMP_11
  Rule: Three summaries in a row that each leave the next answer over the threshold end the run
    Source: field failure anthropics/anthropic-sdk-python#1091; a threshold below what the system prompt and the tools
    take makes every answer due.

    Scenario: Every answer exceeds the threshold
      Given an agent under compaction control
      And the provider answers
        | calls | read    |
        | find  | 120,000 |
        |       |         |
        | find  | 120,000 |
        |       |         |
        | find  | 120,000 |
        |       |         |
        | find  | 120,000 |
      When the agent runs in vain
      Then the summaries are "3"
      And the failure is "stall"

  @CMP_11
  Rule: The sync, async and streaming runners behave alike
    Source: the async form of the SDK had a fault of its own (anthropics/anthropic-sdk-python#1124).

    Scenario: Each runner summarizes once and ends with the same answer
      Given an agent under compaction control, in each way
      And the provider answers
        | calls | read    |
        | find  | 120,000 |
      When the agent runs
      Then the result is
        | summaries | messages sent | last answer |
        | 1         | 1             | Done.       |

  @CMP_11
  Rule: When the control is off, the SDK's runner is unchanged
    Source: the Anthropic SDK's compaction control (S2, section 8): the caller states whether it is on.

    Scenario: A control that is off summarizes nothing
      Given a compaction control with switch off
      And an agent under compaction control
      And the provider answers
        | calls | read    |
        | find  | 120,000 |
      When the agent runs
      Then the summaries are "0"
      And the last answer is "Done."

  @CMP_11
  Rule: A control that cannot work is refused before anything is sent
    Source: a setting that is silently ignored is worse than none (S3, "Validate and warn").

    Scenario Outline: A setting that is missing or unknown is refused
      Given a compaction control with <setting>
      When a runner is made with the control
      Then it is refused with "in the compaction control <fault>; it is an object of enabled, context_token_threshold, model, summary_prompt"

      Examples:
        | description        | setting        | fault              |
        | on or off not said | switch missing | enabled is missing |
        | an unknown setting | keep 1         | there is no keep   |

    Scenario Outline: A value that cannot work is refused
      Given a compaction control with <setting>
      When a runner is made with the control
      Then it is refused with "<message>"

      Examples:
        | description          | setting        | message                                                                                                 |
        | a threshold of none  | threshold 0    | in the compaction control context_token_threshold is 0; …                                               |
        | a prompt of one word | prompt brief   | no prompt is called 'brief'; name one of structured, opencode, windowing, or write one of several words |
