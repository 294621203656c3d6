Feature: Progress
  An agent that compacts before every request can compact for ever: if what must be kept exceeds the threshold, each
  compaction leaves the window as full as it was, and each costs a summary. brim counts such compactions and ends the
  run with an error that names the cause.

  @TRG_19
  Rule: A compaction is made again only if the request has messages that no compaction has covered
    Source: a decision of this project, after a session that compacted 211 times (anthropics/claude-code#24179).

    Scenario Outline: A message is new if no compaction has covered it
      Given a compaction that covered <seen> messages
      When a request of <sent> messages is checked
      Then there <is new> to compact

      Examples:
        | description              | seen | sent | is new           |
        | before the first         | 0    | 1    | is something new |
        | the same again           | 10   | 10   | is nothing new   |
        | one message more         | 10   | 11   | is something new |
        | fewer, after a step back | 10   | 9    | is nothing new   |

    Scenario Outline: The same request again sends the same messages, without another summary
      Given an agent whose window is overfull
      When it makes the same request <times>
      Then <summaries> was written
      And each request sent the same messages

      Examples:
        | description       | times      | summaries |
        | there is no other | once       | 1 summary |
        | a retry           | twice      | 1 summary |
        | many              | five times | 1 summary |

  @TRG_19
  Rule: If what must be kept exceeds the usable context, the request fails before brim pays for a summary
    Source: a decision of this project, after a session that compacted 211 times (anthropics/claude-code#24179).

    What must be kept is the system prompt, the tools, the pinned messages and the user's last message.

    Scenario Outline: The error names each part with its tokens
      Given an agent with a usable context of 19,000 tokens
      And its <part> takes <tokens> tokens
      When it makes <requests>, with new turns each time
      Then the last request fails with <error>
      And <summaries> were written

      Examples: A system prompt
        | description     | part            | tokens | requests   | error                                                                         | summaries   |
        | there is room   | system prompt   | 17,000 | 6 requests | no error                                                                      | 6 summaries |
        | too large       | system prompt   | 19,001 | 2 requests | a context overflow of "system prompt 19,001, the user's last message 4"       | no summary  |

      Examples: The tools
        | description     | part            | tokens | requests   | error                                                                         | summaries   |
        | too large       | tool            | 19,001 | 2 requests | a context overflow of "tools 19,001, the user's last message 4"               | no summary  |

      Examples: A pinned message
        | description     | part             | tokens | requests   | error                                                                        | summaries   |
        | there is room   | pinned message   | 17,000 | 6 requests | no error                                                                     | 6 summaries |
        | too large       | pinned message   | 19,001 | 2 requests | a context overflow of "pinned messages 19,001, the user's last message 4"    | no summary  |

      Examples: A pinned call, whose result stays with it
        | description     | part                    | tokens | requests   | error                                                                                                             | summaries   |
        | there is room   | result of a pinned call | 17,000 | 6 requests | no error                                                                                                          | 6 summaries |
        | too large       | result of a pinned call | 19,001 | 2 requests | a context overflow of "pinned messages 2, calls and results bound to them 19,001, the user's last message 4" | no summary  |

      Examples: The newest request
        | description     | part                | tokens | requests   | error                                                                     | summaries   |
        | there is room   | newest message   | 10,000 | 6 requests | no error                                                                  | 5 summaries |
        | too large       | newest message   | 19,001 | 2 requests | a context overflow of "the user's last message 19,001"                    | no summary  |

    Scenario Outline: The error says whether the rest fits without the pins
      Given an agent with a usable context of 19,000 tokens
      And its <part> takes 19,001 tokens
      When it makes 1 request, with new turns each time
      Then the error says "<cure>"

      Examples:
        | description          | part                    | cure                                                                   |
        | without pins         | system prompt           | message 4. Shorten the largest                                         |
        | a pinned message     | pinned message          | message 4. Pin less: the rest fits. Else shorten the largest           |
        | a pinned call        | result of a pinned call | message 4. Pin less: the rest fits. Else shorten the largest           |
        | a pin that would stay without it | pinned newest message | message 19,001. Shorten the largest                        |
        | too much beside pins | system prompt beside a pinned message | message 4. Shorten the largest                                |

    Scenario Outline: The request is sent again once the part is small enough
      Given an agent with a usable context of 19,000 tokens
      And its <part> takes 19,001 tokens
      And its first request failed
      When it makes another request <how>
      Then that request is <fate>

      Examples:
        | description                         | part             | how                        | fate    |
        | nothing has changed, system prompt  | system prompt    | as before                  | refused |
        | a shorter system prompt             | system prompt    | with a short system prompt | sent    |
        | nothing has changed, pinned message | pinned message   | as before                  | refused |
        | the pin is removed                  | pinned message   | without the pin            | sent    |

  @TRG_19
  Rule: If what must be kept leaves little room, a summary takes at most half of it, and the agent goes on
    Source: a decision of this project (0023), after summaries that filled the window to its last token.

    Scenario: Without a model
      Given an agent with a usable context of 19,000 tokens
      And it has no summarizer
      And its pinned message takes 17,400 tokens
      When it makes 8 requests, with short turns each time
      Then each request was sent
      And it compacted once, with a summary by the template

    Scenario: If what must be kept exceeds the threshold, the summary fits into the usable context
      Given an agent with a usable context of 19,000 tokens
      And it has no summarizer
      And a threshold of 10,000 tokens for its compactions
      And its pinned message takes 17,400 tokens
      When it makes 1 request, with short turns each time
      Then each request was sent

    Scenario Outline: If little room is left below the threshold, fewer of the newest turns stay
      Given an agent with a usable context of 19,000 tokens
      And it has no summarizer
      And a threshold of 10,000 tokens for its compactions
      And its system prompt takes <tokens> tokens
      When it makes 4 requests, with new turns each time
      Then each request was sent

      Examples: A turn takes about 2,000 tokens
        | description        | tokens |
        | room for a turn    | 5,000  |
        | room for no turn   | 8,500  |

    Scenario Outline: A model writes the summary, and the facts follow it
      Given a summarizer that writes summaries of <tokens> tokens
      And an agent with a usable context of 19,000 tokens
      And its pinned message takes 17,400 tokens
      When it makes 8 requests, with short turns each time
      Then each request was sent
      And it compacted once, with a summary by the <writer>

      Examples: About 1,500 tokens are free
        | description                       | tokens | writer   |
        | few tokens, and facts behind it   | 10     | model    |
        | less than half of what is free    | 700    | model    |
        | more than half of what is free    | 800    | template |

  @TRG_19
  Rule: Three compactions in a row that leave the window due, although what must be kept fits, end the run
    Source: a decision of this project, after a session that compacted 211 times (anthropics/claude-code#24179).

    Scenario Outline: The run ends after three compactions that each left more than the threshold
      Given a threshold of 168,000 tokens
      And compactions that left <left> tokens
      When the next compaction is checked
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

      Examples: One below the threshold breaks the row
        | description      | left                                       | answer     |
        | the last         | 168,001 and 168,001 and 168,000            | it is made |
        | in the middle    | 168,001 and 90,000 and 168,001 and 168,001 | it is made |
        | before the third | 168,001 and 168,001 and 0 and 168,001      | it is made |

    Scenario: The error names the tokens that each compaction left, and the cure
      Given a threshold of 168,000 tokens
      And compactions that left 190,000 and 180,000 and 170,000 tokens
      When the next compaction is checked
      Then the refusal reads "3 compactions in a row left 190000, 180000, 170000 tokens, and due again at a threshold of 168000, although what must be kept fits into the window: raise the threshold, keep less (keep_share), or shorten the system prompt, the tools or the last messages"

    Scenario Outline: An agent whose system prompt exceeds the threshold pays for three summaries and no more
      Given an agent with a usable context of 19,000 tokens
      And a threshold of 10,000 tokens for its compactions
      And its system prompt takes 10,500 tokens
      When it makes <requests>, with new turns each time
      Then <summaries> were written
      And <sent> can be sent

      Examples:
        | description            | requests   | summaries   | sent       |
        | the second may help    | 2 requests | 2 summaries | 2 requests |
        | the third did not help | 3 requests | 3 summaries | 2 requests |
        | it makes more requests | 6 requests | 3 summaries | 2 requests |

    Scenario Outline: A stall ends as soon as the window is below its threshold, or a compaction can bring it there
      Given an agent with a usable context of 19,000 tokens
      And a threshold of 10,000 tokens for its compactions
      And its <part> takes 10,500 tokens
      And it was refused at its third request, after 3 summaries
      When it makes another request <how>
      Then that request is <fate>
      And <summaries> were written

      Examples: A system prompt
        | description           | part            | how                        | fate    | summaries   |
        | nothing has changed   | system prompt   | as before                  | refused | 3 summaries |
        | it is below by itself | system prompt   | with a short system prompt | sent    | 3 summaries |

      Examples: A pinned message
        | description           | part             | how             | fate    | summaries   |
        | nothing has changed   | pinned message   | as before       | refused | 3 summaries |
        | a compaction can help | pinned message   | without the pin | sent    | 4 summaries |

  @TRG_19
  Rule: A tool result that the model has not seen is kept while there is room, and the run ends after three that do not fit
    Source: a decision of this project (0105), after an agent that read the same long file again and again: each compaction
    removed the result before the model saw it.

    Scenario Outline: The newest tool result takes more than the target
      Given an agent with a usable context of 19,000 tokens
      And it has had 8 turns
      When it reads a file of <tokens> tokens
      Then the result is <sent>

      Examples:
        | description           | tokens | sent     |
        | it fits the target    | 1,000  | sent     |
        | above the target      | 9,000  | sent     |
        | it leaves no room     | 18,500 | not sent |

    Scenario: The same file is too large three times in a row
      Given an agent with a usable context of 19,000 tokens
      When it reads a file of 30,000 tokens, 4 times
      Then 3 summaries were written
      And the last request fails with a stall that says "removed the newest tool results, 30,000 tokens"
