Feature: Acceptance
  From the moment a summary is accepted, it is all that is left of the turns that it replaces. So
  it is looked at before it takes their place: an error message, half an answer or a polite no
  is turned away with its reason, and the next attempt, or in the end the summary that needs no
  model, comes in its stead. The conversation is unchanged until then.

  In every example the summary would replace 50,000 tokens; unless they are named, it has 100, and the model has come to
  the end of its answer.

  @SUM_08
  Rule: Acceptance refuses a summary without a word
    Source: brim; a placeholder was stored as the summary in langchain-ai/langchain#39261.

    Scenario Outline: A text without a letter is empty, and so is a block of code without one
      Given the summary "<text>"
      When the summary is judged
      Then the judgement is "<value>"

      Examples:
        | description     | text             | value |
        | nothing         |                  | empty |
        | an empty object | {}               | empty |
        | an empty block  | ```json\n{}\n``` | empty |

      Examples: A letter of any script is enough
        | description | text | value    |
        | one letter  | a    | accepted |
        | Japanese    | 完了   | accepted |

  @SUM_08
  Rule: Acceptance refuses an answer that the API or the harness marks as an error, with any text
    Source: brim; the error text became the summary in langchain-ai/langchain#38867.

    Scenario Outline: The mark decides, not the text
      Given the summary "<text>"
      And an answer with error mark on
      When the summary is judged
      Then the judgement is "error text"

      Examples:
        | description             | text                                  |
        | it reads like one       | API Error: 529 Overloaded             |
        | it reads like a summary | Added the parser, and its tests pass. |

  @SUM_08
  Rule: Acceptance refuses a text that as a whole has the form of an error
    Source: brim; the error text became the summary in langchain-ai/langchain#38867. The forms
    listed are those in which providers, their clients and harnesses put their errors: decision 0215.

    A text of 200 characters or less has the form of an error where it tells of a failure: of an overload, a limit, a
    missing key. One of 500 or less has it where it begins with a status, an error, a provider's body or a page; one of
    any length where it begins like a traceback of Python, JavaScript, Java or Go. Markdown may set it off.

    Scenario Outline: The whole text is an error
      Given the summary "<text>"
      When the summary is judged
      Then the judgement is "error text"

      Examples:
        | description             | text                                                                        |
        | with its body           | API Error: 529 {'type':'error','error':{'type':'overloaded_error'}}         |
        | with its reason         | Error: 429 Too Many Requests                                                |
        | the body alone          | {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Busy'}} |
        | a sentence              | The model is currently overloaded. Please try again later.                  |
        | too long a prompt       | Prompt is too long: 201,034 tokens > 200,000 maximum                        |
        | a traceback             | TypeError: x is not a function\n    at load (/app/load.js:3:7)               |
        | of 500 characters       | Error: 429, the rate limit (473 characters)                                 |
        | a connection            | Connection error.                                                           |

  @SUM_08
  Rule: A summary of more than 200 characters that only mentions an error passes
    Source: brim. Work on an error is what many conversations are about; what it was and how it was
    cured belongs in their summaries. A text of 200 characters is too short for one.

    Scenario Outline: The error is a part of the text
      Given the summary "<text>"
      When the summary is judged
      Then the judgement is "<value>"

      Examples:
        | description           | text                                                        | value      |
        | of 201 characters     | We retry error 429 now (178 characters)                     | accepted   |
        | of 200 characters     | We retry error 429 now (177 characters)                     | error text |
        | of 501 characters     | Error 429 of the geocoder is retried now (460 characters)   | accepted   |
        | without a failure     | Added the parser, and its tests pass.                       | accepted   |

  @SUM_08
  Rule: Acceptance refuses an answer that was cut off, or in which the model went on with the work
    Source: brim; a summary that ends in mid-sentence has lost what it left for the end, the next
    steps. The cap of 1,024 tokens in cline/cline#13127 cut every one.

    Scenario Outline: The provider's stop reason decides
      Given the summary "<text>"
      And an answer with stop reason "<reason>"
      When the summary is judged
      Then the judgement is "<judgement>"

      Examples: Cut off, or it went on with the work in place of a summary
        | description               | text                           | reason                        | judgement |
        | the limit on the answer   | The parser is done. Next comes | max_tokens                    | cut off   |
        | the window was full       | The parser is done. Next comes | model_context_window_exceeded | cut off   |
        | it called a tool          | The parser is done. Next comes | tool_use                      | cut off   |

      Examples: Finished
        | description                | text                           | reason        | judgement |
        | it came to its end         | The parser is done. Next comes | end_turn      | accepted  |

      Examples: A call that the model writes as text counts like a call
        | description            | text                                                        | reason   | judgement |
        | in a model's own marks | <tool_call>\n{'name': 'bash'}\n</tool_call>                 | end_turn | cut off   |
        | a part of a summary    | It wrote <tool_call>ls</tool_call> as text; that is mended. | end_turn | accepted  |

  @SUM_08
  Rule: Acceptance refuses an answer in which the model declines
    Source: brim; a polite no in the place of the history leaves the model without its task.

    Scenario Outline: The reason to stop, or the whole of a short text, declines
      Given the summary "<text>"
      And an answer with stop reason "<reason>"
      When the summary is judged
      Then the judgement is "refusal"

      Examples:
        | description     | text                                                          | reason         |
        | declined        | The parser is done.                                           | refusal        |
        | sorry, but      | I'm sorry, but I can't summarize this conversation.           | end_turn       |
        | cannot assist   | I cannot assist with that request.                            | end_turn       |
        | it sees nothing | There is no conversation to summarize.                        | end_turn       |
        | in Chinese      | 抱歉，我无法协助处理这个请求。                                               | end_turn       |

    Scenario Outline: A summary that mentions something impossible is accepted
      Given the summary "<text>"
      When the summary is judged
      Then the judgement is "accepted"

      Examples:
        | description            | text                                                                   |
        | the user's refusal     | The user declined the migration: I'm sorry, I can't allow that today.  |
        | more follows           | I'm sorry, but I can't open the old logs.\n\n1. Task: port the parser. |

  @SUM_08
  Rule: Acceptance refuses a summary that is larger than what it replaces
    Source: brim; google-gemini/gemini-cli#7047 throws such a summary away, and in
    RooCodeInc/Roo-Code#4658 the context grew by being condensed. One of the same size is let pass:
    the rule speaks of larger ones, and its gain is judged by the compression.

    Scenario Outline: brim compares both sizes to the token
      Given an answer with tokens <size>
      When the summary is judged
      Then the judgement is "<judgement>"
      And the reason is "<reason>"

      Examples:
        | description     | size   | judgement | reason                             |
        | the same        | 50,000 | accepted  | accepted                           |
        | one token more  | 50,001 | too large | 50001 tokens would stand for 50000 |

  @SUM_08
  Rule: Acceptance refuses a summary that is longer than asked for, or that leaves no room for the conversation to go on
    Source: brim. A summary that leaves the window full is paid for and brings nothing; how much is free: CMP_05. What brim appends to a
    summary is not judged.

    The provider's count of the answer goes before the estimate, where it gives one.

    Scenario Outline: brim compares the length, and what the window would hold, to the token
      Given an answer with <numbers>
      When the summary is judged
      Then the judgement is "<judgement>"
      And the reason is "<reason>"

      Examples: Tokens of the summary, and how many were asked for at most
        | description              | numbers                     | judgement | reason                                         |
        | the same                 | tokens 8,000, at most 8,000 | accepted  | accepted                                       |
        | one token more           | tokens 8,001, at most 8,000 | too large | 8001 tokens, where 8000 were asked for at most |

      Examples: Tokens in the window with it, and how many may be there at most
        | description              | numbers                   | judgement | reason                                                     |
        | the same                 | left 7,000, room to 7,000 | accepted  | accepted                                                   |
        | one token more           | left 7,001, room to 7,000 | too large | it would leave 7001 tokens, where 7000 leave room to go on |

  @SUM_08
  Rule: Every verdict states its reason in words
    Source: brim; an attempt that failed is made again, and its reason quotes the text.

    Scenario Outline: The reason names what was met
      Given the summary "<text>"
      And an answer with stop reason "<ended>", error mark <mark>
      When the summary is judged
      Then the reason is "<reason>"

      Examples:
        | description    | text                   | ended      | mark | reason                                                           |
        | empty          |                        | end_turn   | off  | it holds no word                                                 |
        | an error       | Overloaded             | end_turn   | off  | the whole text is an error: Overloaded                           |
        | a refusal      | I can't help with that | end_turn   | off  | the whole text is a refusal: I can't help with that              |
        | cut off        | The parser is done.    | max_tokens | off  | the answer was cut off (max_tokens); a higher limit would help   |
        | it went on     | The parser is done.    | tool_use   | off  | the model went on with the work in place of a summary (tool_use) |
        | declined       | The parser is done.    | refusal    | off  | the model declined (refusal)                                     |
        | a marked error | 529 Overloaded         | end_turn   | on   | marked as an error: 529 Overloaded                               |

  @SUM_08
  Rule: Acceptance refuses a summary that lacks a required fact
    Source: brim. Someone who requires a fact has said that a summary without it is of no use.

    Of a history that is summarized in pieces the last answer alone has to hold them.

    Scenario Outline: Every required fact has to be there
      Given the summary "The parser is in src/parse.py.\nNever  touch the lexer."
      And an answer with required facts "<facts>"
      When the summary is judged
      Then the judgement is "<judgement>"

      Examples:
        | description                 | facts                           | judgement    |
        | held over a line break      | src/parse.py. Never touch       | accepted     |
        | lacking                     | Release on Friday               | missing fact |
        | one of two is lacking       | src/parse.py; Release on Friday | missing fact |
        | in other letters            | never touch the lexer           | missing fact |

    Scenario: The refusal states how many facts are missing, and names the first
      Given the summary "The parser is in src/parse.py."
      And an answer with required facts "Release on Friday; src/parse.py; Never touch the lexer"
      When the summary is judged
      Then the reason is "lacks 2 of 3 required facts: Release on Friday"
