Feature: Progress
  An agent that compacts before every request can compact for ever: if what must be kept exceeds the threshold, each
  compaction leaves the window as full as it was, and each costs a summary. brim counts such compactions and ends the
  run with an error that names the cause. Each note that the agent reads has 2,000 tokens; a short turn has about 40.

  @TRG_19
  Rule: A compaction is made again only if the request has messages that no compaction has covered
    Source: a decision of this project, after a session that compacted 211 times (anthropics/claude-code#24179).

    Scenario Outline: The same request again sends the same messages, without another summary
      Given a model with window 20,000, answer 1,000
      And an agent whose summaries take 10 tokens
      When the agent reads 15 more notes, <sends>
      Then the summaries are "1"
      And the messages sent are "the same"

      Examples:
        | description       | sends                                 |
        | there is no other | sends                                 |
        | many              | sends, sends, sends, sends, and sends |

  @TRG_19
  Rule: If what must be kept exceeds the usable context, the request fails before brim pays for a summary
    Source: a decision of this project, after a session that compacted 211 times (anthropics/claude-code#24179).

    What must be kept is the system prompt, the tools, the harness text before the first turn, the pinned messages with what
    is bound to them, and the user's last message.

    Scenario Outline: The error names each part with its tokens
      Given a model with window 20,000, answer 1,000
      And an agent whose summaries take 10 tokens
      When the agent has a <part> tokens, and makes <count> requests with 3 notes before each
      Then the result is
        | requests sent | summaries | failure   |
        | <sent>        | <paid>    | <failure> |
      And the error says "<error>"

      Examples: The usable context has 19,000 tokens
        | description             | part                     | count | sent | paid | failure  | error                                                                                             |
        | a system prompt         | system prompt of 17,000  | 6     | 6    | 6    |          |                                                                                                   |
        | too large               | system prompt of 19,001  | 2     | 0    | 0    | overflow | : system prompt 19,001, the user's last message 4. Shorten the largest                            |
        | tools                   | tool of 19,001           | 2     | 0    | 0    | overflow | : tools 19,001, the user's last message 4. Shorten the largest                                    |
        | too large, pinned       | pinned message of 19,001 | 2     | 0    | 0    | overflow | : pinned messages 19,001, the user's last message 4. Pin less, shorten the largest                 |
        | too large with its call | pinned result of 19,001  | 2     | 0    | 0    | overflow | : pinned messages 19,007, the user's last message 4. Pin less, shorten the largest                 |
        | the newest request      | question of 10,000       | 6     | 6    | 5    |          |                                                                                                   |

  @TRG_19
  Rule: If what must be kept leaves little room, a summary takes at most half of it, and the agent goes on
    Source: a decision of this project (0214), after summaries that filled the window to its last token.

    Scenario Outline: A model writes the summary if it fits with the facts, and else the template
      Given a model with window 20,000, answer 1,000
      And an agent <whose>
      When the agent acts
        | has a pinned message of 17,400 tokens        |
        | has 300 short turns                          |
        | makes 8 requests with a short turn before each |
      Then the requests sent are "8"
      And the summaries by is "<writer>"

      Examples: About 1,500 tokens are free
        | description                     | whose                           | writer   |
        | without a model                 | without a summarizer            | template |
        | less than half of what is free  | whose summaries take 700 tokens | model    |
        | more than half of what is free  | whose summaries take 800 tokens | template |

    Scenario Outline: If what must be kept exceeds the threshold or nearly fills it, the summary fits into the usable context
      Given a model with window 20,000, answer 1,000
      And the settings threshold 10,000
      And an agent without a summarizer
      When the agent acts
        | has a <part> tokens                         |
        | <then>                                      |
      Then the requests sent are "<sent>"

      Examples: A turn takes about 2,000 tokens
        | description            | part                     | then                                                              | sent |
        | more than the threshold | pinned message of 17,400 | has 300 short turns, makes 1 request with a short turn before each | 1    |
        | room for no turn       | system prompt of 8,500   | makes 4 requests with 3 notes before each                         | 4    |

  @TRG_19
  Rule: Three compactions in a row that leave the window due, although what must be kept fits, end the run
    Source: a decision of this project, after a session that compacted 211 times (anthropics/claude-code#24179).

    Scenario Outline: An agent whose system prompt exceeds the threshold pays for three summaries and no more
      Given a model with window 20,000, answer 1,000
      And the settings threshold 10,000
      And an agent whose summaries take 10 tokens
      When the agent has a system prompt of 10,500 tokens, and makes <count> requests with 3 notes before each
      Then the result is
        | requests sent | summaries | failure   |
        | 2             | <paid>    | <failure> |
      And the error says "<error>"

      Examples:
        | description            | count | paid | failure | error |
        | the third did not help | 3     | 3    | stall   | 3 compactions in a row left |
        | it makes more requests | 6     | 3    | stall   | tokens, and due again at a threshold of 10000, although what must be kept fits into the window: raise the threshold, keep less (keep_share), or shorten the system prompt, the tools or the last messages |

    Scenario Outline: A stall ends as soon as the window is below its threshold, or a compaction can bring it there
      Given a model with window 20,000, answer 1,000
      And the settings threshold 10,000
      And an agent whose summaries take 10 tokens
      When the agent acts
        | has a <part> of 10,500 tokens                     |
        | makes 3 requests with 3 notes before each         |
        | <change>                                          |
        | makes 1 request with 3 notes before each          |
      Then the requests sent are "<sent>"
      And the summaries are "<paid>"

      Examples: The third request was refused
        | description           | part           | change                          | sent | paid |
        | nothing has changed   | system prompt  | reads 1 more notes              | 2    | 3    |
        | it is below by itself | system prompt  | has a system prompt of 3 tokens | 3    | 3    |
        | a compaction can help | pinned message | takes its pin away              | 3    | 4    |

  @TRG_19
  Rule: A tool result that the model has not seen is kept while there is room, and the run ends after three that do not fit
    Source: a decision of this project (0209), after an agent that read the same long file again and again: each compaction
    removed the result before the model saw it.

    Scenario Outline: The newest tool result takes more than the target
      Given a model with window 20,000, answer 1,000
      And an agent whose summaries take 10 tokens
      When the agent reads 8 more notes, and reads a file of <size> tokens
      Then the last request says "<says>", and not "<not>"

      Examples:
        | description        | size   | says   | not    |
        | above the target   | 9,000  | read_0 |        |
        | it leaves no room  | 18,500 |        | read_0 |

    Scenario Outline: The same file is too large time after time
      Given a model with window 20,000, answer 1,000
      And an agent whose summaries take 10 tokens
      When the agent reads a file of 30,000 tokens <count> times
      Then the summaries are "<paid>"
      And the failure is "<failure>"
      And the error says "<error>"

      Examples:
        | description | count | paid | failure | error                                                                     |
        | three times | 3     | 3    | stall   | removed the newest tool results, 30,000 tokens, before the model saw them |
        | once more   | 4     | 3    | stall   | removed the newest tool results, 30,000 tokens, before the model saw them |
