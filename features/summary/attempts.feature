Feature: Attempts
  A model that writes a summary can be busy, unreachable or of no help. It is asked again where that may help, and only
  there; and when it is given up, what replaces the history was chosen beforehand. Until a summary is accepted
  the history is as it was.

  @portable @SUM_05
  Rule: A compactor sends each prompt up to three times, after waits of 0, 1,000 and 2,000 milliseconds
    Source: the schedule of the TypeScript original and its Rust port (S4), whose waits are reported, the first one
    included. That what waiting cannot cure ends it at once is brim's.

    Scenario Outline: brim sends a prompt again after a failed attempt, three times at most
      Given attempts that come to <outcomes>
      When a summary is asked for
      Then <attempts> attempts were made
      And the waits before them were <waits> milliseconds
      And the history is replaced by the <result>

      Examples: It succeeds
        | description        | outcomes                 | attempts | waits           | result  |
        | at once            | ok                       | 1        | 0               | summary |
        | at the second time | transient, ok            | 2        | 0, 1,000        | summary |
        | at the last time   | transient, transient, ok | 3        | 0, 1,000, 2,000 | summary |

      Examples: It does not
        | description          | outcomes                            | attempts | waits           | result   |
        | three times busy     | transient, transient, transient     | 3        | 0, 1,000, 2,000 | template |
        | a fourth is not made | transient, transient, transient, ok | 3        | 0, 1,000, 2,000 | template |

      Examples: An answer that may not replace the history counts like none
        | description             | outcomes         | attempts | waits    | result  |
        | nothing visible         | empty, ok        | 2        | 0, 1,000 | summary |
        | an error as the summary | error text, ok   | 2        | 0, 1,000 | summary |
        | cut off by its length   | cut off, ok      | 2        | 0, 1,000 | summary |
        | the model declined      | refusal, ok      | 2        | 0, 1,000 | summary |
        | larger than its source  | too large, ok    | 2        | 0, 1,000 | summary |
        | without a required fact | missing fact, ok | 2        | 0, 1,000 | summary |

      Examples: Waiting cannot cure it
        | description        | outcomes             | attempts | waits    | result   |
        | at the first time  | permanent, ok        | 1        | 0        | template |
        | at the second time | transient, permanent | 2        | 0, 1,000 | template |

    Scenario Outline: brim gives up after three attempts that fail alike
      Given attempts that come to <outcomes>
      When a summary is asked for
      Then 3 attempts were made
      And the history is replaced by the template

      Examples:
        | description       | outcomes                     |
        | of one kind       | empty, empty, empty          |
        | of several kinds  | refusal, cut off, error text |
        | told of only once | missing fact                 |

  @portable @SUM_05
  Rule: A compactor replaces a prompt that is too long by a smaller one at once
    Source: brim, after compaction that fails just when the window is full (anthropics/claude-code#26317) and summarizers
    that were sent 1,751,400 tokens (langchain-ai/deepagents#5913). summarizer_input.feature says how it is made smaller.

    Scenario Outline: Each smaller prompt has three attempts of its own
      Given attempts that come to <outcomes>
      When a summary is asked for
      Then the waits before them were <waits> milliseconds
      And the history is replaced by the <result>

      Examples:
        | description                    | outcomes                                             | waits                     | result   |
        | the second way fits            | prompt too long, ok                                  | 0, 0                      | summary  |
        | the third way fits             | prompt too long, prompt too long, ok                 | 0, 0, 0                   | summary  |
        | no way fits                    | prompt too long, prompt too long, prompt too long    | 0, 0, 0                   | template |
        | a wait before it, one after it | transient, prompt too long, transient, transient, ok | 0, 1,000, 0, 1,000, 2,000 | summary  |

  @SUM_05
  Rule: Each attempt sends one request, the same as before unless the prompt was too long or the model went on with the work
    Source: brim; a client that tries again by itself would multiply the attempts, and shorten the waits. A model that
    calls a tool when tools are offered does so again: the next request offers none (decision 0026).

    Scenario Outline: The requests that went out, and the waits before them
      Given a provider whose answers to requests for a summary are <answers>
      When its client compacts a conversation of 6 turns
      Then <count> summary requests are sent, after waits of <waits> milliseconds
      And the prompt became smaller at requests <smaller>

      Examples: It is asked again as it was
        | description | answers                            | count | waits           | smaller |
        | not at all  | a summary                          | 1     | 0               | none    |
        | once        | an overload, a summary             | 2     | 0, 1,000        | none    |
        | twice       | an overload, no content, a summary | 3     | 0, 1,000, 2,000 | none    |

      Examples: It is asked with less
        | description         | answers                                                                         | count | waits                     | smaller |
        | the second way fits | a prompt that is too long, a summary                                            | 2     | 0, 0                      | 2       |
        | no way fits         | a prompt that is too long, a prompt that is too long, a prompt that is too long | 3     | 0, 0, 0                   | 2, 3    |
        | with waits around   | an overload, a prompt that is too long, an overload, no content, a summary      | 5     | 0, 1,000, 0, 1,000, 2,000 | 3       |

      Examples: It is asked without tools
        | description             | answers                                             | count | waits    | smaller |
        | a tool was called       | only a tool call, a summary                         | 2     | 0, 0     | 2       |
        | behind words            | an overload, words before a tool call, a summary    | 3     | 0, 1,000, 0 | 3    |

    Scenario Outline: An overload is not asked again where the provider forbids it
      Given a provider whose answers to requests for a summary are <answers>
      And "small" is the model that is asked
      When its client compacts a conversation of 6 turns
      Then <count> summary requests are sent, after waits of <waits> milliseconds

      Examples:
        | description   | answers                                              | count | waits    |
        | it is allowed | an overload, a summary                               | 2     | 0, 1,000 |
        | it is not     | an overload that is not to be tried again, a summary | 1     | 0        |

    Scenario: Nor in another form
      Given a provider whose answers to requests for a summary are an overload that is not to be tried again, a summary
      When its client compacts a conversation of 6 turns
      Then 1 summary requests are sent, after waits of 0 milliseconds

    Scenario: What each request cost is known, also of an attempt that was rejected
      Given a summarizer that reports 900 tokens read for an empty answer, and then 950 for a summary
      When the compactor compacts a conversation of 6 turns
      Then the attempts of the compaction read 900 and 950 tokens

    Scenario: An attempt names the model that answered, or else the one that was asked
      Given a summarizer whose answer names no model, and is empty, and then names "newer"
      And "small" is the model that is asked
      When the compactor compacts a conversation of 6 turns
      Then the attempts of the compaction name "small" and "newer"

  @SUM_05
  Rule: A compactor waits as long as the provider asks for, up to 60,000 milliseconds
    Source: brim; a provider that says when to come back knows better than a schedule.

    Scenario Outline: brim waits for the longer of the two waits
      Given a provider that is busy, asks to wait <asked> milliseconds, and then summarizes
      When its client compacts a conversation of 6 turns
      Then 2 summary requests are sent, after waits of 0, <waited> milliseconds

      Examples:
        | description        | asked  | waited |
        | nothing asked      | 0      | 1,000  |
        | shorter            | 999    | 1,000  |
        | longer             | 1,001  | 1,001  |
        | a minute           | 60,000 | 60,000 |
        | more than a minute | 60,001 | 60,000 |

    Scenario Outline: The provider names the time of the next attempt
      Given it is 2026-03-01 12:00
      And a provider that is busy until 2026-03-01 12:01, and then summarizes
      And <time> pass
      When its client compacts a conversation of 6 turns
      Then 2 summary requests are sent, after waits of 0, <waited> milliseconds

      Examples:
        | description    | time       | waited |
        | in a minute    | 0 seconds  | 60,000 |
        | in two seconds | 58 seconds | 2,000  |
        | in a second    | 59 seconds | 1,000  |
        | a minute ago   | 2 minutes  | 1,000  |

    Scenario: A wait that the provider asks for counts once
      Given a summarizer that is busy, and asks to wait 30,000 milliseconds the first time alone
      When the compactor compacts a conversation of 6 turns
      Then the compaction waited 0, 30,000, 2,000 milliseconds

  @portable @SUM_06
  Rule: When all attempts fail, the policy's fallback replaces the history
    Source: the TypeScript original raises, its Rust port puts a constant text in place of the summary (S4), and the
    windowing plan cuts the history off (S3). That the template is the default is a decision of brim.

    The template is the default. It holds the facts and a line for each turn as far as its length allows, and says what
    it left out; the wording of the old turns is lost to the model. The note and the constant text lose their facts too:
    only the recent part is left. An error loses nothing and makes no room. A session's log keeps all of it in every case.

    Scenario: The default fallback is the template
      Given attempts that come to transient, empty, error text
      When a summary is asked for
      Then the history is replaced by the template

    Scenario Outline: Each fallback, where no attempt succeeds
      Given attempts that come to transient, empty, error text
      And the answer to a failure is <choice>
      When a summary is asked for
      Then the history is replaced by the <result>

      Examples:
        | description                        | choice   | result   |
        | the summary that needs no model    | template | template |
        | the recent part alone, with a note | truncate | truncate |
        | a constant text                    | fallback | fallback |
        | an error                           | raise    | error    |

    Scenario Outline: The fallback does not matter where an attempt succeeds
      Given attempts that come to transient, ok
      And the answer to a failure is <choice>
      When a summary is asked for
      Then the history is replaced by the summary

      Examples: Every choice
        | choice   |
        | template |
        | truncate |
        | fallback |
        | raise    |

    Scenario: An unknown fallback is invalid input
      Given attempts that come to ok
      And the answer to a failure is hope
      When a summary is asked for
      Then it is not understood

    Scenario: An unknown outcome of an attempt is invalid input
      Given attempts that come to luck
      When a summary is asked for
      Then it is not understood

  @SUM_06
  Rule: No fallback text claims to be a model's summary, and the history itself is not changed
    Source: the Rust port's constant text claims to be a summary (S4); history that was deleted before its summary failed
    is gone (gwdg/chat-ai#120).

    Each stands behind the line that every summary begins with, since it takes the place of one: decision 0029. That line
    names brim and no model. The note and the constant text go on to say that there is no summary. The template is one,
    made from what the turns did; the model does not read there that another was asked for in vain. Who made what stands
    there, and the result of each attempt, is reported to the program and to its listeners.

    Scenario Outline: The fallback text replaces the summary
      Given a summarizer that fails for good
      And the answer to a failure is <choice>
      When the compactor compacts a conversation of 6 turns
      Then the new conversation says "<words>"
      And the caller's conversation is unchanged

      Examples:
        | description     | choice   | words                                                                         |
        | the template    | template | What was done:                                                                |
        | the recent part | truncate | No summary could be made of the earlier conversation, and it is left out here |
        | a constant text | fallback | no summary of it could be made. Nothing is deleted                            |

    Scenario Outline: The fallback text is marked as brim's
      Given a summarizer that fails for good
      And the answer to a failure is <choice>
      When the compactor compacts a conversation of 6 turns
      Then the new conversation says "[Summary of the earlier conversation, written by brim]"

      Examples:
        | description     | choice   |
        | the template    | template |
        | the recent part | truncate |
        | a constant text | fallback |

    Scenario: The note states how much it leaves out
      Given a summarizer that fails for good
      And the answer to a failure is truncate
      When the compactor compacts a conversation of 6 turns
      Then the new conversation says "12 messages, about 618 tokens"

    Scenario: The error states the attempts, and everything stays as it was
      Given a summarizer that fails for good
      And the answer to a failure is raise
      When the compactor compacts a conversation of 6 turns
      Then it is raised as "no summary after 1 attempt (warm prefix), the last: permanent: the key is not known"
      And the caller's conversation is unchanged

    Scenario: A refused key raises the provider's error
      Given a summarizer whose key is refused
      And the answer to a failure is raise
      When the compactor compacts a conversation of 6 turns
      Then it is raised as "the key is not known: supply another"

  @SUM_06
  Rule: No reason of a failed attempt names a key
    Source: brim; the error of a client may quote the key that it sent, and events and errors are logged.

    Scenario Outline: A key in the words of a failure
      Given a summarizer that <says> "<words>"
      And the answer to a failure is raise
      When the compactor compacts a conversation of 6 turns
      Then the error contains "<shown>"
      And an event contains "<shown>"
      And no error and no event contains "AAAABBBBCCCC"

      Examples:
        | description             | says       | words                                           | shown                                |
        | it raises an error      | raises     | 401 for the key sk-ant-api03-AAAABBBBCCCC       | 401 for the key [secret]             |
        | it names a failure      | fails with | 401 for the key sk-ant-api03-AAAABBBBCCCC       | 401 for the key [secret]             |
        | a password in a link    | raises     | no route to https://me:AAAABBBBCCCC@example.com | no route to https://me:[secret]@example.com |
        | a named key             | raises     | 401 for api_key=7AAAABBBBCCCC                   | 401 for api_key=[secret]             |
        | a header                | raises     | sent Authorization: Bearer 7AAAABBBBCCCC        | sent Authorization: Bearer [secret]  |
        | a key of AWS            | raises     | with aws_secret_access_key = 7AAAABBBBCCCC/a    | with aws_secret_access_key = [secret] |
        | a password              | fails with | no user of 'password': 'AAAABBBBCCCC'           | no user of 'password': '[secret]'    |
        | a password of digits    | raises     | no user with password: 83749201                 | no user with password: [secret]      |
        | a short one             | raises     | no user with password=1234                      | no user with password=[secret]       |
        | a header of digits      | raises     | sent Authorization: Bearer 123456789012345      | sent Authorization: Bearer [secret]  |
        | a webhook               | raises     | 404 at https://hooks.slack.com/AAAABBBBCCCC/1   | 404 at https://hooks.slack.com/[secret] |
        | a key of digits         | raises     | 401 for api_key=83749201                        | 401 for api_key=[secret]             |
        | several keys            | raises     | 401 for api_keys: 7AAAABBBBCCCC                 | 401 for api_keys: [secret]           |
        | several credentials     | raises     | 401 for credentials: 7AAAABBBBCCCC              | 401 for credentials: [secret]        |
        | a list of secrets       | raises     | secrets: ['7AAAABBBBCCCC', 'AAAABBBBCCCC']: 401 | secrets: [secret]: 401               |
        | a list of passwords     | raises     | no user of passwords=[AAAABBBBCCCC, 'a AAAABBBBCCCC'] | no user of passwords=[secret] |
        | a list over some lines  | raises     | secrets: [    '7AAAABBBBCCCC',    'AAAABBBBCCCC',  ] | secrets: [secret]                |
        | words about a password  | raises     | 400 password: ['This field needs 8 characters.'] | 400 password: ['This field needs 8 characters.'] |
        | a list of indices       | raises     | access_keys: [0, 1, 2] index out of range       | access_keys: [0, 1, 2] index out of range |
        | a list that is cut off  | raises     | no user of passwords: [AAAABBBBCCCC, AAAABBBBCC | no user of passwords: [secret]       |
        | two in one              | raises     | api_key=sk-ant-api03-AAAABBBBCCCC, token=7AAAABBBBCCCC | api_key=[secret], token=[secret] |
        | too short for a key     | raises     | 401 for the key sk-12                           | 401 for the key sk-12                |
        | a number of tokens      | raises     | 400 for max_tokens: 128000                      | 400 for max_tokens: 128000           |
        | a rate limit            | raises     | 429, x-ratelimit-remaining-tokens: 149984       | x-ratelimit-remaining-tokens: 149984 |
        | numbers of tokens       | raises     | input tokens=4096/8192                          | input tokens=4096/8192               |
        | a name that begins so   | raises     | tokenizer=o200k_base not found                  | tokenizer=o200k_base not found       |
        | a part of JSON          | raises     | Unexpected token: 'foo1' in JSON                | Unexpected token: 'foo1' in JSON     |
        | a sentence              | raises     | password is required for db main                | password is required for db main     |
        | a link of such a name   | raises     | token_endpoint: https://example.com/v1          | token_endpoint: https://example.com/v1 |
        | a token by another name | raises     | refresh_token_value: 7AAAABBBBCCCC              | refresh_token_value: [secret]        |
        | a registry of packages  | raises     | npm_config_registry=https://example.com/npm/v1  | npm_config_registry=https://example.com/npm/v1 |
        | a variable of a tool    | raises     | no hf_transfer_enabled, hf_hub_download_timeout | no hf_transfer_enabled, hf_hub_download_timeout |
        | a model                 | raises     | 404 for the model xai-grok-2-latest             | 404 for the model xai-grok-2-latest  |
        | another model           | raises     | 404 for the model pplx-70b-online               | 404 for the model pplx-70b-online    |
        | a key of a registry     | raises     | 401 for npm_7AAAABBBBCCCC7AAAABBBBCCCC          | 401 for [secret]                     |
        | an error of the system  | raises     | reading the password: [Errno 13] denied         | reading the password: [Errno 13] denied |
        | a list of tokens        | raises     | stop token: [128000, 128001] is not known       | stop token: [128000, 128001] is not known |
        | a number of secrets     | raises     | secrets: 4096 found                             | secrets: 4096 found                  |
        | the id of a request     | raises     | 500, request req_011CSHoEeqs5C35K2UUqR7Fy       | request req_011CSHoEeqs5C35K2UUqR7Fy |
