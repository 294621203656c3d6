Feature: Progress
  An agent that compacts before every request can compact for ever: where what has to be kept is too large, each
  compaction leaves the window as full as it was, and each costs a summary. So what the compactions of a conversation
  came to is kept, and one that cannot help is not made.

  @TRG_19
  Rule: There is no second compaction without new content since the last
    Source: a decision of this project, after a session that compacted 211 times (anthropics/claude-code#24179).

    Scenario Outline: New is what no compaction has seen
      Given a compaction that has seen <seen> messages
      When a request of <sent> messages is looked at
      Then there <is new> to compact

      Examples:
        | description              | seen | sent | is new           |
        | before the first         | 0    | 1    | is something new |
        | the same again           | 10   | 10   | is nothing new   |
        | one message more         | 10   | 11   | is something new |
        | fewer, after a step back | 10   | 9    | is nothing new   |

    Scenario Outline: The same request again gets the same answer
      Given an agent whose window is overfull
      When it makes the same request <times>
      Then <summaries> was written
      And each time the same was sent

      Examples:
        | description       | times      | summaries |
        | there is no other | once       | 1 summary |
        | a retry           | twice      | 1 summary |
        | many              | five times | 1 summary |

  @TRG_19
  Rule: Three compactions in a row that each leave the window still due end the run, and their numbers are told
    Source: a decision of this project, after a session that compacted 211 times (anthropics/claude-code#24179).

    Scenario Outline: What the compactions left, one after the other
      Given a threshold of 168,000 tokens
      And compactions that left <left> tokens
      When another one is asked for
      Then <answer>

      Examples: Too few in a row
        | description | left                | answer     |
        | one         | 168,001             | it is made |
        | two         | 168,001 and 190,000 | it is made |

      Examples: Three in a row
        | description      | left                                       | answer        |
        | one token over   | 168,001 and 168,001 and 168,001            | it is refused |
        | ever less        | 190,000 and 180,000 and 170,000            | it is refused |
        | after a good one | 90,000 and 168,001 and 168,001 and 168,001 | it is refused |

      Examples: The row is broken by one that gets below the threshold
        | description      | left                                       | answer     |
        | the last         | 168,001 and 168,001 and 168,000            | it is made |
        | in the middle    | 168,001 and 90,000 and 168,001 and 168,001 | it is made |
        | before the third | 168,001 and 168,001 and 0 and 168,001      | it is made |

    Scenario: The refusal tells what each left, and what would help
      Given a threshold of 168,000 tokens
      And compactions that left 190,000 and 180,000 and 170,000 tokens
      When another one is asked for
      Then the refusal reads "3 compactions in a row left 190000, 180000, 170000 tokens, and due again at a threshold of 168000: what has to be kept is too large. Lower the share that is kept (keep_share), shorten the system prompt, the tools or the last messages, unpin some, or take a model with a larger window"

    Scenario Outline: An agent that goes on regardless pays for three summaries and no more
      Given an agent whose system prompt alone fills the window
      When it makes <requests>, with new turns each time
      Then <summaries> were written
      And <sent> can be sent

      Examples:
        | description             | requests   | summaries   | sent       |
        | the second may help     | 2 requests | 2 summaries | 2 requests |
        | the third did not help  | 3 requests | 3 summaries | 2 requests |
        | it goes on all the same | 6 requests | 3 summaries | 2 requests |

    Scenario Outline: A stall ends as soon as the window is below its threshold, or a compaction can bring it there
      Given an agent <whose>
      And it was refused at its third request, after 3 summaries
      When it makes another request <how>
      Then that request is <fate>
      And <summaries> were written

      Examples: A system prompt
        | description           | whose                                      | how                        | fate    | summaries   |
        | nothing has changed   | whose system prompt alone fills the window | as before                  | refused | 3 summaries |
        | it is below by itself | whose system prompt alone fills the window | with a short system prompt | sent    | 3 summaries |

      Examples: A pinned message
        | description                          | whose                                       | how             | fate    | summaries   |
        | nothing has changed                  | whose pinned message alone fills the window | as before       | refused | 3 summaries |
        | a compaction can help, in two pieces | whose pinned message alone fills the window | without the pin | sent    | 5 summaries |
