Feature: Context window
  A context window counts a conversation message by message: what the last response reported, and an estimate of the
  messages after it. Before each request it judges whether compaction is due, at the same cost for a short and a long
  conversation.

  @TRG_17
  Rule: The verdict before each request counts the last reported usage and the messages appended since
    Source: codelet's compaction hook, which looks before every call of the model and takes in the usage after every
    response, streamed or not (S1); the field, aaif-goose/goose#11681, where the check had to move into the turn.

    Scenario Outline: A tool result in the middle of a turn can make compaction due
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | calls |
        | user      |       |
        | assistant | A     |
      And a last response that reports 150,000 tokens
      And after it came
        | speaker | answers | tokens   |
        | tool    | A       | <result> |
      When the next request is judged
      Then compaction is <verdict>

      Examples: 18,000 tokens are left
        | description    | result | verdict |
        | one under      | 17,999 | not due |
        | exactly full   | 18,000 | not due |
        | one token over | 18,001 | due     |

    Scenario: All messages appended since then count
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | calls |
        | user      |       |
        | assistant | A     |
      And a last response that reports 150,000 tokens
      And after it came
        | speaker | answers | tokens |
        | tool    | A       | 10,000 |
        | user    |         | 5,000  |
        | user    |         | 3,001  |
      When the next request is judged
      Then the reason reads "overflow (168001 > 168000)"

    Scenario Outline: A response without a usage is estimated, in one message or in several
      Given a conversation of 3 turns
      And a last response that reports 150,000 tokens
      And after it came
        | speaker   | tokens |
        | user      | 100    |
        | assistant | 10     |
        | assistant | 20     |
        | <speaker> | 40     |
      When the next request is judged
      Then it holds 150,170 tokens

      Examples:
        | description             | speaker   |
        | the response goes on    | assistant |
        | the user spoke after it | user      |

    Scenario: A new usage replaces the former one, and covers all messages of its response
      Given a conversation of 3 turns
      And a last response that reports 150,000 tokens
      And after it came
        | speaker   | tokens |
        | user      | 100    |
        | assistant | 10     |
        | assistant | 20     |
      And the response then reports 30,000 tokens
      When the next request is judged
      Then it holds 30,000 tokens

    Scenario Outline: A usage that measures nothing changes nothing, and its response is estimated
      Given a conversation of 3 turns
      And a last response that reports 150,000 tokens
      And after it came
        | speaker   | tokens |
        | user      | 100    |
        | assistant | 10     |
      And <report>
      When the next request is judged
      Then it holds 150,110 tokens

      Examples:
        | description                   | report                                   |
        | a placeholder                 | the response then reports 0 tokens       |
        | a notice of the harness's own | a notice of the harness reports 9 tokens |

    Scenario: Without a usage the system prompt, the tools and all messages are estimated
      Given a system prompt of 500 tokens
      And tools whose definitions take 300 tokens
      And a conversation of
        | speaker   | tokens |
        | user      | 100    |
        | assistant | 20     |
      When the next request is judged
      Then it holds 920 tokens

    Scenario: The first usage covers the system prompt and the tools
      Given a system prompt of 500 tokens
      And tools whose definitions take 300 tokens
      And a conversation of
        | speaker   | tokens |
        | user      | 100    |
        | assistant | 20     |
      And a last response that reports 1,000 tokens
      When the next request is judged
      Then it holds 1,000 tokens

    Scenario Outline: Each profile counts the tokens that its tool counted
      Given a model with a context window of 200,000 tokens
      And the profile <profile>
      And a response that reports
        | input  | cache write | output |
        | 90,000 | 20,000      | 1,000  |
      And after it came
        | speaker | tokens |
        | user    | 500    |
      When the next request is judged
      Then it holds <held> tokens

      Examples:
        | description                            | profile       | held   |
        | everything counts                      | usable        | 91,500 |
        | what was written to the cache does not | opencode-2025 | 71,500 |
        | what came after the response does not  | anthropic-sdk | 91,000 |

    Scenario: Compaction that is turned off is not due
      Given a model with a context window of 200,000 tokens
      And compaction is turned off
      And a conversation of 3 turns
      And a last response that reports 190,000 tokens
      When the next request is judged
      Then the reason reads "disabled"

    Scenario: Without a message nothing is due, however long the system prompt
      Given a model with a context window of 200,000 tokens
      And a system prompt of 190,000 tokens
      When the next request is judged
      Then the reason reads "nothing to compact"

    Scenario Outline: Compaction is not due below the threshold, or without a known window
      Given a model with a context window of <window> tokens
      And a conversation of 3 turns
      And a last response that reports 150,000 tokens
      When the next request is judged
      Then the reason reads "<reason>"

      Examples:
        | description       | window  | reason          |
        | no limit is known | 0       | no limit        |
        | it fits           | 200,000 | under threshold |

    Scenario: A message with an unknown role is refused with its index
      Given a conversation of
        | speaker | tokens |
        | user    | 100    |
      When a message in the role of a critic is appended
      Then the refusal reads "message 1 has the role 'critic'; a message is the user's, the assistant's or the system's"

    Scenario: A refused message does not change the window
      Given a conversation of
        | speaker | tokens |
        | user    | 100    |
      When a message in the role of a critic is appended
      Then it is not understood
      And it holds 100 tokens

  @TRG_17
  Rule: If the system prompt or the tools change between two requests, the window counts those of the next request
    Source: brim. Agents load tools in the middle of a session, and the last usage has measured those of before.

    Scenario Outline: The difference in tokens is added to the last usage
      Given an agent whose first request had <before>, and a response that reported 10,000 tokens
      When its next request has <after>, and a new message of 10 tokens
      Then that request holds <held> tokens

      Examples: A system prompt
        | description | before                          | after                           | held   |
        | longer      | a system prompt of 1,000 tokens | a system prompt of 3,000 tokens | 12,010 |
        | the same    | a system prompt of 1,000 tokens | a system prompt of 1,000 tokens | 10,010 |
        | shorter     | a system prompt of 3,000 tokens | a system prompt of 1,000 tokens | 8,010  |

      Examples: Tools
        | description | before                 | after                  | held   |
        | longer      | a tool of 1,000 tokens | a tool of 3,000 tokens | 12,010 |
        | the same    | a tool of 1,000 tokens | a tool of 1,000 tokens | 10,010 |
        | shorter     | a tool of 3,000 tokens | a tool of 1,000 tokens | 8,010  |

  @TRG_17
  Rule: Clearing old outputs in place lowers every count of the window by the tokens cleared
    Source: OpenCode, which prunes whenever a turn of its loop ended (S2, section 7); an output that is gone must not be
    counted as if it were there, or compaction comes too early.

    Scenario Outline: The tokens held and the estimate of everything fall by what was cleared
      Given a system prompt of 1,000 tokens
      And a conversation of 6 turns, each with <output>
      And a last response that reports <reported> tokens
      When old outputs are cleared down to 0 tokens
      Then it holds <held> tokens, and <estimated> by the estimate of everything

      Examples:
        | description | output                         | reported | held   | estimated |
        | words       | a tool output of 30,000 tokens | 200,000  | 80,033 | 61,069    |
        | images      | a screenshot                   | 20,000   | 13,628 | 4,272     |

    Scenario Outline: An output whose message was replaced meanwhile is cleared as it is now
      Given a conversation of
        | speaker   | calls | answers | tokens |
        | user      |       |         |        |
        | assistant | A     |         |        |
        | tool      |       | A       | 30,000 |
        | user      |       |         |        |
        | user      |       |         |        |
      And its third message was replaced by one with <form>
      When old outputs are cleared down to 0 tokens
      Then the reason for what is cleared is "<reason>"

      Examples:
        | description                 | form                         | reason               |
        | its place has changed       | a reminder before the output | 1 output (30000 > 0) |
        | it is shorter               | an output of 10,000 tokens   | 1 output (10000 > 0) |
        | it was cleared by the agent | an output that is cleared    | nothing to prune     |

    Scenario: Every output of a message counts, and so does the thinking that is removed with them
      Given a conversation of
        | speaker   | thinks                      | says  | calls | answers | tokens |
        | user      |                             | One.  |       |         |        |
        | assistant |                             |       | A, B  |         |        |
        | tool      |                             |       |       | A, B    | 100    |
        | assistant | That took a while, I think. | Done. |       |         |        |
        | user      |                             | Two.  |       |         |        |
        | user      |                             | More. |       |         |        |
      When old outputs are cleared down to 0 tokens
      Then it holds 24 tokens, and 24 by the estimate of everything

    Scenario Outline: The next plan counts what is left
      Given a model with a context window of 200,000 tokens
      And a keep target of <target> tokens
      And a conversation of 6 turns, each with <output>
      And every old output was cleared
      When a manual compaction is planned
      Then the plan replaces <replaced> characters

      Examples: Four turns of 57 characters, and the fifth without its last 5
        | description | output                         | target | replaced |
        | words       | a tool output of 30,000 tokens | 31,000 | 120,247  |
        | images      | a screenshot                   | 2,000  | 6,652    |

    Scenario: An image beside a cleared output counts as before
      Given a model with a context window of 200,000 tokens
      And a keep target of 33,600 tokens
      And a conversation of
        | speaker   | says    | calls | answers | tokens | holds |
        | user      | Look.   |       |         |        |       |
        | assistant |         | A     |         |        |       |
        | tool      |         |       | A       | 100    | image |
        | assistant | Seen.   |       |         |        |       |
        | user      | First.  |       |         |        |       |
        | user      | Second. |       |         |        |       |
        | user      | Third.  |       |         |        |       |
      And every old output was cleared
      When a manual compaction is planned
      Then the plan replaces 6,449 characters

    Scenario: Thinking after the first cleared output is removed with it
      Given a conversation of
        | speaker   | thinks | says  | calls | answers | tokens |
        | user      |        | One.  |       |         |        |
        | assistant | Hm.    | So.   | A     |         |        |
        | tool      |        |       |       | A       | 100    |
        | assistant | Well.  | Yes.  | B     |         |        |
        | tool      |        |       |       | B       | 100    |
        | assistant | Ah.    | Done. |       |         |        |
        | user      |        | Two.  |       |         |        |
        | user      |        | More. |       |         |        |
      When old outputs are cleared down to 0 tokens
      Then the conversation of the window is
        | speaker   | thinks | says  | calls | answers | output                            |
        | user      |        | One.  |       |         |                                   |
        | assistant | Hm.    | So.   | A     |         |                                   |
        | tool      |        |       |       | A       | [Old tool result content cleared] |
        | assistant |        | Yes.  | B     |         |                                   |
        | tool      |        |       |       | B       | [Old tool result content cleared] |
        | assistant |        | Done. |       |         |                                   |
        | user      |        | Two.  |       |         |                                   |
        | user      |        | More. |       |         |                                   |

    Scenario Outline: A message of thinking alone is left out of the next request
      Given a conversation of
        | speaker   | thinks | says   | calls | answers | tokens |
        | user      |        | One.   |       |         |        |
        | assistant |        |        | A     |         |        |
        | tool      |        |        |       | A       | 60,000 |
        | assistant | Well.  | <says> |       |         |        |
        | user      |        | Well?  |       |         |        |
        | assistant |        | Yes.   |       |         |        |
        | user      |        | Two.   |       |         |        |
        | user      |        | More.  |       |         |        |
      When old outputs are cleared down to 0 tokens
      Then the messages that can be sent are <sent>

      Examples:
        | description    | says  | sent                   |
        | words are left | Done. | 0, 1, 2, 3, 4, 5, 6, 7 |
        | none are left  |       | 0, 1, 2, 4, 5, 6, 7    |

    Scenario Outline: In a tool loop that needs its thinking nothing is cleared
      Given a conversation of 6 turns, each with a tool output of 30,000 tokens
      And after it came
        | speaker   | thinks   | calls | answers |
        | user      |          |       |         |
        | assistant | Hm.      | Z     |         |
        | tool      |          |       | Z       |
        | <speaker> | <thinks> |       |         |
      When old outputs are cleared down to 0 tokens
      Then no output is cleared, because the window "waits for the end of the tool loop: its thinking would be lost"

      Examples:
        | description                         | speaker   | thinks |
        | a result is last                    | tool      |        |
        | thinking alone is last, and removed | assistant | So.    |

  @TRG_17
  Rule: A window learns the ratio of characters to tokens from the usages of responses
    Source: a decision of this project, so that the check before a request can be made at any time and harms nothing.

    Scenario Outline: Five characters a token are learned
      Given a model with a context window of 200,000 tokens
      And eight rounds that add 9,000 tokens each, 3,000 of them the last answer's
        | speaker   | tokens   |
        | user      | <first>  |
        | assistant | <second> |
        | <third>   | <fourth> |
        | assistant | <last>   |
      When the ratio is read
      Then 5 characters make a token

      Examples: 30,000 characters beside the last answer
        | description                           | first | second | third     | fourth | last  |
        | an answer before it reported nothing  | 3,000 | 2,000  | user      | 2,500  | 2,250 |
        | the last answer comes in three pieces | 7,500 | 750    | assistant | 750    | 750   |

    Scenario: A verdict before every request does not change the ratio
      Given a model with a context window of 200,000 tokens
      And a verdict after every message
      And eight rounds that add 9,000 tokens each, 3,000 of them the last answer's
        | speaker   | tokens |
        | user      | 7,500  |
        | assistant | 2,250  |
      When the ratio is read
      Then 5 characters make a token

    Scenario Outline: A ratio that the user sets stays as it is; that of a profile measures what is held alone
      Given a model with a context window of 200,000 tokens
      And <ratio>
      And eight rounds that add 9,000 tokens each, 3,000 of them the last answer's
        | speaker   | tokens |
        | user      | 7,500  |
        | assistant | 2,250  |
      When the ratio is read
      Then <characters> characters make a token

      Examples:
        | description    | ratio                               | characters |
        | by the user    | estimates at 2.5 characters a token | 2.5        |
        | by the profile | the profile claude-code-2.1         | 5          |

    Scenario Outline: An unreadable usage is reported once
      Given an agent whose responses report an input of <input> in JSON
      When it makes 3 requests
      Then it was warned <times> times that a usage cannot be read

      Examples:
        | description       | input | times |
        | a whole number    | 12    | 0     |
        | a number with a point | 12.5 | 1  |
        | a text            | "12"  | 1     |

    Scenario: A response without a usage is none that cannot be read
      Given an agent whose responses report no usage
      When it makes 3 requests
      Then it was warned 0 times that a usage cannot be read

    Scenario: A ratio of 0 is refused
      Given a model with a context window of 200,000 tokens
      And estimates at 0 characters a token
      When a window is opened
      Then it is not understood
