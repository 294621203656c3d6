Feature: Limits of a transcript's model
  The command judges a transcript by the limits of its model. It finds them in the transcript, in the limits
  of the tool that wrote it, or in the model data.

  @CMD_04
  Rule: Flags win, then the window that the transcript states, then the part of the model's window that its tool uses
    Source: decision 0205, and the limits that are known of models (TRG_23). Claude Code compacted at 155,000 and 167,000 of 200,000 tokens under claude-opus-4-6, whose window
    is a million, and held 400,879 under claude-opus-5 in a later version. Where a transcript proves neither, the page says both.

    Scenario Outline: The window of a transcript
      Given a transcript of <tool> with the model "<model>", which states a window of <stated> and reports <held> tokens
      When brim inspects it with ""
      Then the window is <window>

      Examples:
        | description                        | tool        | model             | stated  | held    | window    |
        | a model of a million               | messages    | claude-opus-4-6   | 0       | 1,000   | 1,000,000 |
        | the transcript's own window        | Codex       | gpt-5-codex       | 258,400 | 1,000   | 258,400   |
        | no window of its own               | Codex       | gpt-5-codex       | 0       | 1,000   | 400,000   |
        | exactly as much as it uses         | Claude Code | claude-opus-4-6   | 0       | 200,000 | 200,000   |
        | it held more than that             | Claude Code | claude-opus-4-6   | 0       | 200,001 | 1,000,000 |
        | Claude Code with an unknown model  | Claude Code | claude-opus-99    | 0       | 1,000   | 200,000   |
        | a model with less than that        | Claude Code | gpt-4-turbo       | 0       | 1,000   | 128,000   |
        | as much as the model's window      | messages    | claude-sonnet-4-5 | 0       | 200,000 | 200,000   |
        | more, as by a beta of the provider | messages    | claude-sonnet-4-5 | 0       | 200,001 | unknown   |
        | more, in Claude Code               | Claude Code | claude-sonnet-4-5 | 0       | 200,001 | unknown   |

    Scenario Outline: Flags win
      Given a transcript of <tool> with the model "<model>", which states a window of <stated> and reports 1,000 tokens
      When brim inspects it with "<flags>"
      Then the window is <window>

      Examples:
        | description                      | tool        | model           | stated  | flags                   | window    |
        | a window                         | Codex       | gpt-5-codex     | 258,400 | --window 100k           | 100,000   |
        | a window with a point            | messages    | own-model       | 0       | --window 1.5m           | 1,500,000 |
        | another model                    | Codex       | gpt-5-codex     | 258,400 | --model gemini-2.5-pro  | 1,048,576 |
        | another model than Claude Code's | Claude Code | claude-opus-4-6 | 0       | --model claude-opus-4-6 | 1,000,000 |
        | an unknown model                 | Codex       | gpt-5-codex     | 258,400 | --model own-model       | 258,400   |

    Scenario Outline: The page says which windows Claude Code may use, and judges by the smaller
      Given a transcript of Claude Code with the model "<model>", which states a window of 0 and reports <held> tokens
      When brim inspects it with the page and ""
      Then its page says "<line>"

      Examples:
        | description          | model           | held    | line                                                                                      |
        | either is possible   | claude-opus-4-6 | 100,000 | 100,000 of 200,000 tokens (claude-code's), 59% of claude-code's own 167,000               |
        | and that is said     | claude-opus-4-6 | 100,000 | 200,000 or 1,000,000: Claude Code's /context says which; --window 1m for the latter       |
        | another large window | gemini-2.5-pro  | 100,000 | 200,000 or 1,048,576: Claude Code's /context says which; --window 1.048576m for the latter |

    Scenario Outline: It says one window where the transcript, the model or an option settles that
      Given a session of Claude Code 2.1.38
        | record   | read   | wrote | model   |
        | response | <held> | 100   | <model> |
        | <record> | <held> |       |         |
        | response | 30,000 | 100   | <model> |
      When brim inspects it with the page and "<flags>"
      Then its page does not say "says which"

      Examples:
        | description                 | model             | held    | record               | flags         |
        | a compaction by itself      | claude-opus-4-6   | 167,038 | automatic compaction |               |
        | it held more                | claude-opus-4-6   | 200,001 | manual compaction    |               |
        | the model has no more       | claude-sonnet-4-5 | 100,000 | manual compaction    |               |
        | an option names it          | claude-opus-4-6   | 100,000 | manual compaction    | --window 200k |

    Scenario: A compaction that the user asked for settles nothing
      Given a session of Claude Code 2.1.38
        | record            | read    | wrote | model           |
        | response          | 100,000 | 100   | claude-opus-4-6 |
        | manual compaction | 100,000 |       |                 |
      When brim inspects it with the page and ""
      Then its page says "says which"

    Scenario Outline: An imported session keeps the window of its transcript
      Given a transcript of <tool> with the model "<model>", which states a window of <stated> and reports 1,000 tokens
      When brim imports it and shows the session
      Then the window is <window>

      Examples:
        | description                 | tool        | model           | stated  | window    |
        | a model of a million        | messages    | claude-opus-4-6 | 0       | 1,000,000 |
        | the transcript's own window | Codex       | gpt-5-codex     | 258,400 | 258,400   |
        | Claude Code uses less       | Claude Code | claude-opus-4-6 | 0       | 200,000   |

    Scenario: The limits of a model are those of the provider that OpenCode names
      Given a transcript of OpenCode with the model "claude-sonnet-4.6", which states a window of 0 and reports 1,000 tokens
      When brim inspects it with ""
      Then the window is 200,000
      And the threshold of usable is 128,000

    Scenario: A separate limit of the input applies
      Given a transcript of messages with the model "gpt-5", which states a window of 0 and reports 1,000 tokens
      When brim inspects it with ""
      Then the threshold of usable is 272,000

    Scenario Outline: Of a stated window below the model's at most a quarter is set aside for the answer
      Given a transcript of messages with the model "<model>", which states a window of 0 and reports 1,000 tokens
      When brim inspects it with "<flags>"
      Then the threshold of usable is <threshold>

      Examples:
        | description                   | model             | flags                         | threshold |
        | all of it would be set aside  | claude-sonnet-4-5 | --window 32k                  | 24,000    |
        | more than a quarter would be  | claude-sonnet-4-5 | --window 100k                 | 75,000    |
        | exactly a quarter             | claude-sonnet-4-5 | --window 128k                 | 96,000    |
        | less than a quarter           | claude-sonnet-4-5 | --window 160k                 | 128,000   |
        | a short answer                | gpt-4-turbo       | --window 32k                  | 27,904    |
        | the model's window            | gpt-4-turbo       | --window 128k                 | 123,904   |
        | a longest answer is stated    | claude-sonnet-4-5 | --window 32k --max-output 30k | 2,000     |
        | an unknown model              | own-model         | --window 100k                 | 68,000    |

    Scenario: The page names an unknown window and the flag that sets it
      Given a transcript of messages with the model "own-model", which states a window of 0 and reports 1,000 tokens
      When brim inspects it without flags
      Then its page says "The context window of own-model is unknown: set --window"

    Scenario: A window without room for the input is refused, with the flags that set it
      Given a transcript of messages with the model "own-model", which states a window of 0 and reports 1,000 tokens
      When brim compacts it in a window of 32k
      Then it ends with 1, and stderr says "brim: no room for input: window 32,000, output reserve 32,000; set --window and --max-output"

  @CMD_18
  Rule: A page measures the window by the rule of the tool that wrote the session, if it is known, and says whose it is
    Source: a decision of this project (0232); the rules of the tools are those of their profiles, and of pi's source.

    Scenario Outline: Whose threshold the percentage is of
      Given a transcript of <tool> with the model "<model>", which states a window of 0 and reports 100,000 tokens
      When brim inspects it with the page and "<flags>"
      Then its page says "<line>"

      Examples: The rule of the tool is known
        | description          | tool         | model             | flags           | line                              |
        | Claude Code          | Claude Code  | claude-sonnet-4-5 |                 | 59% of claude-code's own 167,000  |
        | OpenCode 1.0         | OpenCode 1.0 | claude-sonnet-4.6 |                 | 78% of opencode's own 128,000     |
        | pi                   | pi           | claude-sonnet-4-5 |                 | 54% of pi's own 183,616           |
        | beside brim's        | pi           | claude-sonnet-4-5 |                 | pi      183,616  not reached, pi's own |
        | the user has another | Claude Code  | claude-sonnet-4-5 | --threshold 80k | 125% of your 80,000               |

      Examples: It is not known
        | description                   | tool     | model             | flags           | line                                                           |
        | OpenCode since                | OpenCode | claude-sonnet-4.6 |                 | When opencode compacts is not known; 128,000 is brim's default |
        | Codex                         | Codex    | claude-sonnet-4-5 |                 | When codex compacts is not known; 168,000 is brim's default    |
        | the user has another          | Codex    | claude-sonnet-4-5 | --threshold 80k | 125% of your 80,000                                            |
        | messages, which no tool wrote | messages | claude-sonnet-4-5 |                 | 59% of brim's 168,000                                          |

    Scenario Outline: A list of sessions measures by the same rule
      Given a transcript of <tool> with the model "claude-sonnet-4-5", which states a window of 0 and reports 100,000 tokens
      When brim lists the sessions that <tool> keeps, with "<flags>"
      Then its page says "<row>"

      Examples:
        | description          | tool        | flags           | row                        |
        | the tool's rule      | Claude Code |                 | claude-code  100,000  59% of the agent's  |
        | another tool's       | pi          |                 | pi     100,000  54% of the agent's |
        | brim's               | Codex       |                 | codex  100,000  59% of brim's |
        | the user has another | Claude Code | --threshold 80k | claude-code  100,000  125% of yours |

  @CMD_19
  Rule: A page says what the tool's own compactions lost of a session, beside what brim keeps there, and names the command against that
    Source: a decision of this project (0232); what counts as lost is decided as for HOK_01.

    Scenario Outline: What the model no longer sees
      Given a session in <agent>
        | the user     | Tides come at 14:35.       |
        | <what>       | <text>                     |
        | a compaction | <summary>                  |
        | <after>      | The ferry is ready.        |
      When brim inspects the session
      Then its page says "<line>"

      Examples:
        | description       | agent       | what         | text               | summary                 | after             | line                                                                            |
        | words of the user | Claude Code | the model    | I look.            | The ferry is half done. | the model         | words of 1 of your 1 message; brim hook install gives back what the next one loses |
        | of two messages   | Claude Code | the user     | Never edit piers.  | All user messages:\n- Tides come at 14:35. | the model | words of 1 of your 2 messages and 1 of 1 fact, such as files and tasks; brim hook install |
        | a file, in Codex  | Codex       | an edited file | src/ferry.py     | The ferry is half done. | the model         | 1 of 1 fact, such as files and tasks, unless the encrypted summary has them; brim hook install codex gives |

    Scenario: Of a tool without hooks the command names the proxy
      Given a session of pi
        | record     | read    | wrote | result |
        | response   | 120,000 | 100   |        |
        | compaction |         |       |        |
        | response   | 30,000  | 100   |        |
      When brim inspects it with the page and ""
      Then its page says "words of 1 of your 1 message and 1 of 2 facts, such as files and tasks; brim run pi compacts and keeps them"

    Scenario Outline: Nothing is lost, or brim gave it back
      Given a session in <agent>
        | the user     | Tides come at 14:35. |
        | a compaction | <summary>            |
        | <after>      |                      |
      When brim inspects the session
      Then its page does not say "Lost with them"

      Examples:
        | description               | agent       | summary                                    | after             |
        | the summary has the words | Claude Code | All user messages:\n- Tides come at 14:35. | the model         |
        | Codex keeps them          | Codex       | The ferry is half done.                    | the model         |
        | a hook gave them back     | Claude Code | The ferry is half done.                    | brim at the start |

    Scenario Outline: What was lost is listed where that is asked for
      Given a session in Claude Code
        | the user     | Tides come at 14:35.    |
        | <what>       | <text>                  |
        | a compaction | The ferry is half done. |
      When "brim inspect ../home/session.jsonl <flag>" runs
      Then it prints "<line>"

      Examples:
        | description     | what           | text         | flag      | line                                 |
        | not asked for   | the model      | I look.      |           | --missing lists them                 |
        | the user's word | the model      | I look.      | --missing | your message: Tides come at 14:35.  |
        | a fact          | an edited file | src/ferry.py | --missing | modified file: src/ferry.py          |

    Scenario: A compaction at the same response is shown beside the tool's own
      Given a session in Claude Code
        | the user       | Tides come at 14:35.    |
        | an edited file | src/ferry.py            |
        | files          | 60                      |
        | the model      | I see.                  |
        | a compaction   | The ferry is half done. |
      When "brim compact ../home/session.jsonl --at 61 --keep-tokens 1" runs
      Then it prints "the agent's own compaction there kept 0 of 61 facts, 0.0% of the user's words (0 of 17 characters), in 6 tokens"

    Scenario Outline: What becomes of the window is said, or why it is not
      Given a session in <agent>
        | the user     | Tides come at 14:35. |
        | the model    | I look.              |
      When "brim inspect ../home/session.jsonl" runs
      Then it prints "<line>"

      Examples:
        | description | agent       | line |
        | too little  | Claude Code | After compaction the same: 2 messages, |
        | no price    | Codex       | To go on unknown: there is no price for |

  @CMD_20
  Rule: The page names each compaction by the response before it, and says whether it reached the tool's own threshold
    Source: recorded sessions: Claude Code 2.1.38 compacted at 167,038 tokens, of which the file tells 166,917.

    Scenario Outline: Beside a compaction of the tool
      Given a session of Claude Code 2.1.17
        | record   | read    | wrote |
        | response | 120,000 | 100   |
        | response | <read>  | 100   |
        | <record> | <read>  |       |
        | response | 30,000  | 100   |
      When brim inspects it with the page and ""
      Then its page says "<named>"
      And its page says "claude-code-2.0  155,000  <due>, claude-code's own"

      Examples:
        | description                 | read    | record               | named                       | due              |
        | reached                     | 154,890 | automatic compaction | after response 1: automatic | after response 1 |
        | a hundredth short of it     | 153,340 | automatic compaction | after response 1: automatic | after response 1 |
        | more than a hundredth short | 153,339 | automatic compaction | after response 1: automatic | not reached      |
        | asked for by the user       | 153,340 | manual compaction    | after response 1: manual    | not reached      |
