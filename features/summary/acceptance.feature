Feature: Acceptance
  From the moment a summary is accepted, it is all that is left of the turns that it replaces. So
  it is looked at before it takes their place: an error message, half an answer or a polite no
  is turned away with its reason, and the next attempt, or in the end the summary that needs no
  model, comes in its stead. The conversation is unchanged until then.

  Background:
    Given a history of 50,000 tokens to summarize

  @SUM_08
  Rule: Acceptance refuses a summary without a word
    Source: brim; a placeholder was stored as the summary in langchain-ai/langchain#39261.

    Scenario Outline: A text without a letter is empty, and so is a block of code without one
      Given the summary "<text>"
      When the summary is judged
      Then it is refused as empty

      Examples:
        | description       | text     |
        | nothing           |          |
        | white space       | \n  \n   |
        | invisible spaces  | ​        |
        | dots              | ...      |
        | an ellipsis       | …        |
        | a dash            | -        |
        | an empty object   | {}       |
        | an empty list     | []       |
        | a number          | 42       |
        | a block that is never closed | ```json |
        | an empty block    | ```json\n{}\n``` |
        | with other marks  | ~~~c++\n~~~ |

    Scenario Outline: A letter of any script is enough
      Given the summary "<text>"
      When the summary is judged
      Then it is accepted

      Examples:
        | description        | text                |
        | one letter         | a                   |
        | Japanese           | 完了                |
        | a word in a block  | ```text\ndone\n```  |
        | a word behind one  | ```json done        |

  @SUM_08
  Rule: Acceptance refuses an answer that the API or the harness marks as an error, with any text
    Source: brim; the error text became the summary in langchain-ai/langchain#38867.

    Scenario Outline: The mark decides, not the text
      Given the summary "<text>"
      And the answer is marked as an error
      When the summary is judged
      Then it is refused as an error text

      Examples:
        | description          | text                                  |
        | it reads like one    | API Error: 529 Overloaded             |
        | it reads like a summary | Added the parser, and its tests pass. |
        | it is empty          |                                       |

  @SUM_08
  Rule: Acceptance refuses a text that as a whole has the form of an error
    Source: brim; the error text became the summary in langchain-ai/langchain#38867. The forms
    listed are those in which providers, their clients and harnesses put their errors: decision 0024.

    A text has the form of an error where all of it, from its first sign to its last, is one of these: a status from
    400 to 599, with its reason, its body or neither; the word error and a reason that providers give, such as overloaded or
    too many requests; a provider's body alone; an exception of a provider's client; a notice of an overload, of a limit,
    of too long a prompt, of a missing credit or key. A plea to try again may follow, and Markdown may set it off. Such a
    text has 500 characters at most. A traceback of Python, JavaScript, Java or Go is one too, from its first line to its last and however long.

    Scenario Outline: A status and its reason
      Given the summary "<text>"
      When the summary is judged
      Then it is refused as an error text

      Examples: As harnesses write it
        | description               | text                                                                          |
        | with its body             | API Error: 529 {'type':'error','error':{'type':'overloaded_error'}}           |
        | with its reason           | Error: 429 Too Many Requests                                                  |
        | reason and body           | API Error (500): Internal server error {'request':'r1'}                       |
        | the status alone          | API Error: 503                                                                |
        | a plea after it           | Error 529: Overloaded. Please try again later.                                |
        | white space around        | \n\nError: 429 Too Many Requests\n                                            |
        | no status                 | API Error: Connection error.                                                  |
        | neither status nor plea   | Error: overloaded                                                             |
        | as a client prints it     | Error code: 429 - {'error': {'message': 'Rate limit reached'}}                |
        | as a web server says it   | HTTP/1.1 502 Bad Gateway                                                      |
        | number and reason         | 503 Service Unavailable                                                       |
        | the body alone            | {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Busy'}}   |
        | another body alone        | {'error': {'message': 'Rate limit reached'}}                                  |
        | over several lines        | Error: 500 {\n'type': 'error'\n}                                              |
        | in bold                   | **Error:** 529 overloaded                                                     |
        | in another bold           | __Error:__ 529 overloaded                                                     |
        | as a quotation            | > Error: 529                                                                  |
        | as a heading              | ## API Error: 503                                                             |
        | as code                   | `Error code: 429`                                                             |
        | struck out                | ~~Error: 500~~                                                                |

      Examples: As exceptions print themselves
        | description               | text                                                                          |
        | with module and words     | anthropic.APIConnectionError: Connection error.                               |
        | with a status             | RateLimitError: Error code: 429 - slow down                                   |
        | the name alone            | anthropic.InternalServerError                                                 |
        | a summary that failed     | Error generating summary: object of type int has no length                    |
        | timed out                 | Request timed out.                                                            |

      Examples: Overloaded, and limits
        | description               | text                                                                          |
        | one word                  | Overloaded                                                                    |
        | its code                  | overloaded_error                                                              |
        | a sentence                | The model is currently overloaded. Please try again later.                    |
        | with other requests       | The server is overloaded with other requests.                                 |
        | rate limit                | Rate limit exceeded                                                           |
        | a limit's code            | rate_limit_error                                                              |
        | you hit it                | You've hit your rate limit. Please wait a minute.                             |
        | with a curly apostrophe   | You’ve reached your usage limit                                               |
        | for something             | Rate limit reached for requests per minute                                    |
        | too long a prompt         | Prompt is too long: 201,034 tokens > 200,000 maximum                          |
        | no credit                 | Your credit balance is too low to access the API.                             |
        | no key                    | Invalid API key · Please run /login                                           |

      Examples: The provider was not reached
        | description               | text                                                                          |
        | a connection              | Connection error.                                                             |
        | a code of the system      | ECONNRESET                                                                    |
        | a proxy                   | upstream connect error or disconnect/reset before headers                     |
        | a page of a proxy         | <html><head><title>502 Bad Gateway</title></head></html>                      |
        | its reason alone          | Bad Gateway                                                                   |

      Examples: Other failures, as providers and harnesses write them
        | description               | text                                                                          |
        | without a status          | API Error: terminated                                                         |
        | an exception of any client | httpx.ReadTimeout: The read operation timed out                              |
        | of another provider       | ThrottlingException: Too many tokens, please wait before trying again.        |
        | of a third                | 429 RESOURCE_EXHAUSTED                                                        |
        | of the third, no status   | RESOURCE_EXHAUSTED: Quota exceeded for aiplatform.googleapis.com              |
        | a limit with its end      | Claude AI usage limit reached\|1700000000                                    |
        | a limit of hours          | 5-hour limit reached ∙ resets 3pm                                             |
        | a quota                   | You exceeded your current quota, please check your plan and billing details.  |
        | the window of a model     | This model's maximum context length is 8192 tokens. Reduce the messages.      |
        | a failure without a cause | Something went wrong. Please try again.                                       |
        | the summary failed        | Failed to generate summary                                                    |
        | an answer that was blocked | Output blocked by content filtering policy                                   |
        | a body without a type     | {'message': 'Internal server error'}                                          |

      Examples: What a program writes without a text
        | description               | text                                                                          |
        | no value                  | null                                                                          |
        | no object                 | [object Object]                                                               |
        | no answer                 | No response requested.                                                        |

    Scenario: A traceback of Python
      Given the summary
        """
        Traceback (most recent call last):
          File "/app/summarize.py", line 12, in <module>
            main()
        httpx.ReadTimeout: timed out

        During handling of the above exception, another exception occurred:

        Traceback (most recent call last):
          File "/app/summarize.py", line 20, in retry
            raise SummaryError("gave up")
        app.SummaryError: gave up
        """
      When the summary is judged
      Then it is refused as an error text

    Scenario: A traceback of JavaScript
      Given the summary
        """
        TypeError: Cannot read properties of undefined (reading 'text')
            at summarize (/app/summary.js:12:18)
            at async compact (/app/compact.js:40:5)
        """
      When the summary is judged
      Then it is refused as an error text

    Scenario: A traceback of Java
      Given the summary
        """
        Exception in thread "main" java.lang.IllegalStateException: gave up
            at app.Summary.write(Summary.java:12)
        Caused by: java.io.IOException: closed
            at app.Http.send(Http.java:40)
        """
      When the summary is judged
      Then it is refused as an error text

    Scenario: A traceback of Go
      Given the summary
        """
        panic: nil map

        goroutine 1 [running]:
        main.summarize(0x1, 0x2)
            /app/main.go:12 +0x1d
        exit status 2
        """
      When the summary is judged
      Then it is refused as an error text

    Scenario: A traceback of several exceptions
      Given the summary
        """
        Traceback (most recent call last):
          File "/app/load.py", line 3, in <module>
        KeyError

        The above exception was the direct cause of the following exception:

        Traceback (most recent call last):
          File "/app/load.py", line 9, in <module>
        LoadError: no total
        """
      When the summary is judged
      Then it is refused as an error text

    Scenario: A traceback of any length is an error
      Given a traceback of 200 lines
      When the summary is judged
      Then it is refused as an error text

  @SUM_08
  Rule: A summary that only mentions an error passes
    Source: brim. Work on an error is what many conversations are about; what it was and how it was
    cured belongs in their summaries.

    Scenario Outline: The error is a part of the text
      Given the summary "<text>"
      When the summary is judged
      Then it is accepted

      Examples: A sentence about an error
        | description             | text                                                                                |
        | the error comes first   | Error 429 from the geocoder is now retried with a back-off; the tests pass.          |
        | a status and its work   | 503 Service Unavailable was caused by the proxy. Raised its timeout, deploy is next. |
        | an overload             | Overloaded, so a retry was added to the client; see the queue.                       |
        | a limit and its cure    | Rate limit exceeded, retry added to the client.                                      |
        | overloaded              | The model was overloaded twice, so retries were added to the client.                 |
        | a word of the code      | Overloaded the plus operator for amounts of money.                                   |
        | rate limit              | Rate limiting is done; open: the limit for guests.                                   |
        | an exception            | ValueError was raised for empty input; fixed in the reader.                          |
        | a number alone          | 404 pages are styled now.                                                            |
        | below the statuses      | Status: 399                                                                          |
        | a limit of the work     | Usage limit reached only for guests; members have none.                              |
        | a connection            | Connection errors are retried now.                                                   |
        | a page                  | The page <html> is written.                                                          |
        | nothing is left         | None of the tests fail.                                                              |
        | a number and a name     | 404 user_pages are styled now.                                                       |
        | a stream                | Stream errors are retried now.                                                       |
        | a reset                 | Connection resets are retried now.                                                   |
        | too long a prompt       | Prompt too long is handled: the tail is cut.                                         |
        | a model of the work     | The model Order does not exist yet; the migration adds it.                           |
        | in bold                 | **Error 429** from the geocoder is now retried with a back-off.                      |
        | a heading of the work   | ## Error 529\nThe client retries it now; open: the tests.                            |
        | a name in bold          | **Overloaded** the plus operator for amounts of money.                               |

    Scenario: The summary quotes a traceback among its sentences
      Given the summary
        """
        The import failed with
        Traceback (most recent call last):
          File "/app/load.py", line 3, in <module>
        KeyError: 'total'
        which is cured by a default. Next: the report.
        """
      When the summary is judged
      Then it is accepted

    Scenario: The summary begins with a traceback and continues with words
      Given the summary
        """
        Traceback (most recent call last):
          File "/app/load.py", line 3, in <module>
        KeyError: 'total'
        This was met on loading an empty report, and is cured by a default.
        """
      When the summary is judged
      Then it is accepted

    Scenario Outline: A text of more than 500 characters is no notice of an error
      Given an error notice of <length> characters
      When the summary is judged
      Then it is <verdict>

      Examples:
        | description        | length | verdict                 |
        | as long as they get | 500   | refused as an error text |
        | one longer         | 501    | accepted                |

  @SUM_08
  Rule: Acceptance refuses an answer that was cut off, or in which the model went on with the work
    Source: brim; a summary that ends in mid-sentence has lost what it left for the end, the next
    steps. The cap of 1,024 tokens in cline/cline#13127 cut every one.

    Scenario Outline: The provider's stop reason decides
      Given the summary "The parser is done. Next comes"
      And the model stopped for "<reason>"
      When the summary is judged
      Then it is <verdict>

      Examples: Cut off
        | description                | reason                        | verdict              |
        | the limit on the answer    | max_tokens                    | refused as cut off |
        | the window was full        | model_context_window_exceeded | refused as cut off |
        | in the words of others     | length                        | refused as cut off |

      Examples: It went on with the work, in place of a summary
        | description                | reason                        | verdict              |
        | it called a tool           | tool_use                      | refused as cut off |
        | in the words of others     | tool_calls                    | refused as cut off |
        | it waits for the provider  | pause_turn                    | refused as cut off |

      Examples: Finished
        | description                | reason                        | verdict              |
        | it came to its end         | end_turn                      | accepted             |
        | it reached the closing tag | stop_sequence                 | accepted             |

    Scenario Outline: A call that the model writes as text counts like a call
      Given the summary "<text>"
      When the summary is judged
      Then it is <verdict>

      Examples:
        | description                | text                                                          | verdict            |
        | in a model's own marks     | <tool_call>\n{'name': 'bash'}\n</tool_call>                   | refused as cut off |
        | a part of a summary        | It wrote <tool_call>ls</tool_call> as text; that is mended.   | accepted           |

    Scenario: An empty answer that was cut off counts as cut off
      Given the summary ""
      And the model stopped for "max_tokens"
      When the summary is judged
      Then it is refused as cut off

  @SUM_08
  Rule: Acceptance refuses an answer in which the model declines
    Source: brim; a polite no in the place of the history leaves the model without its task.

    Scenario Outline: A short text that declines is a refusal
      Given the summary "<text>"
      And the model stopped for "<reason>"
      When the summary is judged
      Then it is refused as a refusal

      Examples: The reason to stop tells
        | description       | text                      | reason         |
        | declined          | The parser is done.       | refusal        |
        | declined, empty   |                           | refusal        |
        | filtered          | The parser is done.       | content_filter |

      Examples: The whole text tells
        | description         | text                                                          | reason   |
        | sorry, but          | I'm sorry, but I can't summarize this conversation.           | end_turn |
        | curly apostrophes   | I’m sorry, I can’t help with that.                            | end_turn |
        | in full             | I am very sorry, but I am not able to continue.               | end_turn |
        | apologies           | I apologize, but I cannot provide a summary of this.          | end_turn |
        | cannot assist       | I cannot assist with that request.                            | end_turn |
        | unable to           | I'm unable to comply with this request.                       | end_turn |
        | will not            | I won't do that.                                              | end_turn |
        | as an AI            | As an AI developed to help, I can't engage with this content. | end_turn |
        | unfortunately       | Unfortunately, I can't help with that.                        | end_turn |
        | it declines         | I must decline this request.                                  | end_turn |
        | it sees nothing     | There is no conversation to summarize.                        | end_turn |
        | it asks for it      | Please provide the conversation you would like me to summarize. | end_turn |
        | in German           | Es tut mir leid, dabei kann ich nicht helfen.                 | end_turn |
        | in Chinese          | 抱歉，我无法协助处理这个请求。                                   | end_turn |

    Scenario Outline: A summary that mentions something impossible is accepted
      Given the summary "<text>"
      When the summary is judged
      Then it is accepted

      Examples:
        | description            | text                                                                   |
        | a test that cannot run | I cannot run the browser tests here; the rest pass. Next: the report.  |
        | the user's refusal     | The user declined the migration: I'm sorry, I can't allow that today.  |
        | more follows           | I'm sorry, but I can't open the old logs.\n\n1. Task: port the parser. |
        | a table that lacks     | There is no history table yet; the migration adds it.                  |

    Scenario Outline: A text of more than 500 characters is no refusal
      Given a refusal of <length> characters
      When the summary is judged
      Then it is <verdict>

      Examples:
        | description         | length | verdict              |
        | as long as they get | 500    | refused as a refusal |
        | one longer          | 501    | accepted             |

  @SUM_08
  Rule: Acceptance refuses a summary that is larger than what it replaces
    Source: brim; google-gemini/gemini-cli#7047 throws such a summary away, and in
    RooCodeInc/Roo-Code#4658 the context grew by being condensed. One of the same size is let pass:
    the rule speaks of larger ones, and its gain is judged by the compression.

    Scenario Outline: brim compares both sizes to the token
      Given a summary of <size> tokens
      When the summary is judged
      Then it is <verdict>

      Examples:
        | description     | size   | verdict                |
        | one token fewer | 49,999 | accepted               |
        | the same        | 50,000 | accepted               |
        | one token more  | 50,001 | refused as too large |

    Scenario: The refusal names both sizes
      Given a summary of 60,000 tokens
      When the summary is judged
      Then the reason is "60000 tokens would stand for 50000"

  @SUM_08
  Rule: Acceptance refuses a summary that is longer than asked for, or that leaves no room for the conversation to go on
    Source: brim. A summary that leaves the window full is paid for and brings nothing; how much is free: CMP_05. What brim appends to a
    summary is not judged.

    Scenario Outline: brim compares the length to the token
      Given a summary of <size> tokens
      And at most 8,000 tokens were asked for
      When the summary is judged
      Then it is <verdict>

      Examples:
        | description     | size  | verdict              |
        | one token fewer | 7,999 | accepted             |
        | the same        | 8,000 | accepted             |
        | one token more  | 8,001 | refused as too large |

    Scenario: A limit of one token is a limit
      Given a summary of 2 tokens
      And at most 1 tokens were asked for
      When the summary is judged
      Then it is refused as too large

    Scenario Outline: brim compares what the window would hold to the token
      Given a summary that leaves <left> tokens in a window where <most> leave room
      When the summary is judged
      Then it is <verdict>

      Examples:
        | description           | left  | most  | verdict              |
        | the same              | 7,000 | 7,000 | accepted             |
        | one token more        | 7,001 | 7,000 | refused as too large |
        | a limit of one token  | 2     | 1     | refused as too large |

    Scenario Outline: The refusal names the numbers
      Given a summary of 9,000 tokens
      And <fault>
      When the summary is judged
      Then the reason is "<reason>"

      Examples:
        | description | fault                                                 | reason                                                    |
        | too long    | at most 8,000 tokens were asked for                   | 9000 tokens, where 8000 were asked for at most            |
        | no room     | it leaves 9,500 tokens in a window where 7,000 leave room | it would leave 9500 tokens, where 7000 leave room to go on |

    Scenario Outline: A compactor refuses a summarizer that answers at length
      Given a conversation of <turns> turns of 750 tokens in a window of 8,000 tokens
      And a summarizer that answers with <answer> tokens, and is asked for <asked> at most
      When the conversation is compacted automatically
      Then the summary is by the <writer>

      Examples:
        | description                 | turns | answer | asked | writer   |
        | as long as asked for        | 15    | 1,000  | 1,000 | model    |
        | one token more              | 15    | 1,001  | 1,000 | template |
        | it leaves the window due    | 15    | 10,000 | 1,000 | template |

    Scenario Outline: The provider's count of the answer goes before the estimate
      Given a conversation of 15 turns of 750 tokens in a window of 8,000 tokens
      And a summarizer that answers with <answer> tokens, of which the provider counts <counted>
      When the conversation is compacted automatically
      Then the summary is by the <writer>

      Examples: 1,000 tokens are asked for
        | description                   | answer | counted | writer   |
        | both are more than asked for  | 1,200  | 1,001   | template |
        | the estimate alone is more    | 1,200  | 1,000   | model    |
        | nothing is counted            | 1,200  | 0       | template |

  @SUM_08
  Rule: Every verdict states its reason in words
    Source: brim; an attempt that failed is made again, and its reason quotes the text.

    Scenario Outline: The reason of a verdict on the text
      Given the summary "<text>"
      When the summary is judged
      Then the reason is "<reason>"

      Examples:
        | description | text                   | reason                                             |
        | accepted    | The parser is done.    | accepted                                           |
        | empty       |                        | it holds no word                                   |
        | an error    | Overloaded             | the whole text is an error: Overloaded             |
        | a refusal   | I can't help with that | the whole text is a refusal: I can't help with that |

    Scenario Outline: The reason of a verdict on how the answer ended
      Given the summary "The parser is done."
      And the model stopped for "<ended>"
      When the summary is judged
      Then the reason is "<reason>"

      Examples:
        | description | ended      | reason                                                            |
        | cut off     | max_tokens | the answer was cut off (max_tokens); a higher limit would help    |
        | went on     | tool_use   | the model went on with the work in place of a summary (tool_use)  |
        | declined    | refusal    | the model declined (refusal)                                      |

    Scenario Outline: The reason for a marked error quotes the text
      Given the summary "<text>"
      And the answer is marked as an error
      When the summary is judged
      Then the reason is "<reason>"

      Examples:
        | description | text           | reason                                  |
        | a text      | 529 Overloaded | marked as an error: 529 Overloaded      |
        | none        |                | marked as an error: without a text      |

  @SUM_08
  Rule: Acceptance refuses a summary that lacks a required fact
    Source: brim. Someone who requires a fact has said that a summary without it is of no use.

    Scenario Outline: Every required fact has to be there
      Given the summary "The parser is in src/parse.py.\nNever  touch the lexer."
      And the required facts "<facts>"
      When the summary is judged
      Then it is <verdict>

      Examples:
        | description                | facts                                | verdict                   |
        | none                       |                                      | accepted                  |
        | held                       | src/parse.py                         | accepted                  |
        | held over a line break     | src/parse.py. Never touch            | accepted                  |
        | with white space of its own | Never touch  the lexer              | accepted                  |
        | lacking                    | Release on Friday                    | refused as lacking a fact |
        | one of two is lacking      | src/parse.py; Release on Friday      | refused as lacking a fact |
        | in other letters           | never touch the lexer                | refused as lacking a fact |

    Scenario: Of a history that is summarized in pieces the last answer alone has to hold them
      Given a conversation of 8 turns of 10,000 tokens, in a window of 50,000 tokens
      When a compactor that requires "port 8080" is answered with it in the last piece alone
      Then no answer is refused, and the summary is the last one

    Scenario: The refusal states how many facts are missing, and names the first
      Given the summary "The parser is in src/parse.py."
      And the required facts "Release on Friday; src/parse.py; Never touch the lexer"
      When the summary is judged
      Then the reason is "lacks 2 of 3 required facts: Release on Friday"
