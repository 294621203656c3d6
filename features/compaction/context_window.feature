Feature: Context window
  A context window counts a conversation message by message: what the last response reported, and an estimate of the
  messages after it. Before each request it judges whether compaction is due, at the same cost for a short and a long
  conversation.

  @TRG_17
  Rule: The verdict before each request counts the last reported usage and the messages appended since
    Source: codelet's compaction hook, which looks before every call of the model and takes in the usage after every
    response, streamed or not (S0, S1); the field, aaif-goose/goose#11681, where the check had to move into the turn.

    Scenario Outline: A tool result in the middle of a turn can make compaction due
      Given a model with window 200,000
      And the conversation user, call A
      And a last response that reports 150,000 tokens
      When the window takes "<result>"
      Then the result is
        | tokens held | verdict   | reason   |
        | <held>      | <verdict> | <reason> |

      Examples: 18,000 tokens are left
        | description    | result                                  | held    | verdict | reason                     |
        | exactly full   | result A 18,000                         | 168,000 | not due | under threshold            |
        | one token over | result A 18,001                         | 168,001 | due     | overflow (168001 > 168000) |

    Scenario Outline: A response without a usage is estimated, and a usage of its own replaces the former one
      Given the conversation 3 turns
      And a last response that reports 150,000 tokens
      When the window takes "user 100, assistant 10", and <acts>
      Then the tokens held are "<held>"

      Examples:
        | description                            | acts                                              | held    |
        | the response goes on                   | takes "assistant 20, assistant 40"                | 150,170 |
        | it covers all messages of the response | takes "assistant 20", and learns of 30,000 tokens | 30,000  |
        | a placeholder measures nothing         | learns of 0 tokens                                | 150,110 |

    Scenario Outline: Each profile counts the tokens that its tool counted
      Given a model with window 200,000
      And the settings profile <profile>
      And a response that reports input 90,000, cache write 20,000, output 1,000
      When the window takes "user 500"
      Then the tokens held are "<held>"

      Examples:
        | description                            | profile       | held   |
        | everything counts                      | usable        | 91,500 |
        | what was written to the cache does not | opencode-2025 | 71,500 |
        | what came after the response does not  | anthropic-sdk | 91,000 |

    Scenario Outline: Compaction is not due if it is off, nothing is there, no window is known, or below the threshold
      Given a model with window <window>
      And the settings <settings>
      And the conversation <conversation>
      When the window learns of <held> tokens
      Then the verdict is "not due"
      And the reason is "<reason>"

      Examples:
        | description                                | window  | settings              | conversation | held    | reason             |
        | it is off                                  | 200,000 | compaction off        | 3 turns      | 190,000 | disabled           |
        | no message, however long the system prompt | 200,000 | system prompt 190,000 | nothing      | 0       | nothing to compact |

  @TRG_17
  Rule: If the system prompt or the tools change between two requests, the window counts those of the next request
    Source: brim. Agents load tools in the middle of a session, and the last usage has measured those of before.

    Scenario Outline: The difference in tokens is added to the last usage
      Given the conversation user
      When the window acts
        | has a <before> tokens   |
        | takes "assistant"       |
        | learns of 10,000 tokens |
        | takes "user 10"         |
        | has a <after> tokens    |
      Then the tokens held are "<held>"

      Examples:
        | description            | before                 | after                  | held   |
        | a longer system prompt | system prompt of 1,000 | system prompt of 3,000 | 12,010 |
        | longer tools           | tool of 1,000          | tool of 3,000          | 12,010 |

  @TRG_17
  Rule: Clearing old outputs in place lowers every count of the window by the tokens cleared
    Source: OpenCode, which prunes whenever a turn of its loop ended (S2, section 7); an output that is gone must not be
    counted as if it were there, or compaction comes too early.

    Background:
      Given a model with window 200,000
      And the settings protected tokens 0, least saving 0

    Scenario Outline: The tokens held and the estimate of everything fall by what was cleared
      Given the settings system prompt 1,000
      And the conversation 6 turns of <output>
      And a last response that reports <reported> tokens
      When the window clears old outputs
      Then the result is
        | tokens held | estimated   |
        | <held>      | <estimated> |

      Examples:
        | description | output          | reported | held   | estimated |
        | words       | 30,000          | 200,000  | 80,033 | 61,069    |
        | images      | "Here." 1 image | 20,000   | 13,628 | 4,272     |

    Scenario Outline: A message of thinking alone is left out of the next request
      Given the conversation user, A 60,000, <answer>, user, assistant, user, user
      When the window clears old outputs
      Then the messages sent are "<sent>"

      Examples:
        | description    | answer             | sent                   |
        | words are left | assistant thinking | 0, 1, 2, 3, 4, 5, 6, 7 |
        | none are left  | thought            | 0, 1, 2, 4, 5, 6, 7    |

    Scenario Outline: In a tool loop that needs its thinking nothing is cleared
      Given the conversation 6 turns of 30,000, user, Z thinking<last>
      When the window clears old outputs
      Then the result is
        | outputs cleared | saved | reason for clearing                                            |
        |                 | 0     | waits for the end of the tool loop: its thinking would be lost |

      Examples:
        | description                         | last      |
        | a result is last                    |           |
        | thinking alone is last, and removed | , thought |

  @TRG_17
  Rule: A window learns the ratio of characters to tokens from the usages of responses
    Source: a decision of this project, so that the check before a request can be made at any time and harms nothing.

    A verdict after every message does not change what is learned.

    Scenario Outline: Five characters a token are learned
      Given a model with window 200,000
      And the settings <settings>
      And the conversation nothing
      When the window acts
        | goes through 8 rounds of "<round>", each of 9,000 tokens, 3,000 of them the last answer |
      Then the characters a token are "<characters>"

      Examples: 30,000 characters beside the last answer
        | description                                | settings                | round                                                    | characters |
        | an answer before it reported nothing       | profile usable          | user 3,000, assistant 2,000, user 2,500, assistant 2,250 | 5          |
        | the last answer comes in three pieces      | profile usable          | user 7,500, assistant 750, assistant 750, assistant 750  | 5          |
        | a profile's ratio is for what is held only | profile claude-code-2.1 | user 7,500, assistant 2,250                              | 5          |
