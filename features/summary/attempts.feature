Feature: Attempts
  A model that writes a summary can be busy, unreachable or of no help. It is asked again where that may help, and only
  there; and when it is given up, what replaces the history was chosen beforehand. Until a summary is accepted
  the history is as it was.

  Waits are in milliseconds. A provider is asked by its client in a thread and in an event loop, and both do the same. In
  every example the caller's messages stay as they are.

  @portable @SUM_05
  Rule: A compactor sends each prompt up to three times, after waits of 0, 1,000 and 2,000 milliseconds
    Source: the schedule of the TypeScript original and its Rust port (S4), whose waits are reported, the first one
    included. That what waiting cannot cure ends it at once is brim's. S2, section 11, asks whether the SDK tries again.

    Scenario Outline: brim sends a prompt again after a failed attempt, three times at most
      Given attempts that come to <outcomes>
      When a summary is asked for
      Then the result is
        | attempts   | waits   | result   |
        | <attempts> | <waits> | <result> |

      Examples: It succeeds
        | description        | outcomes                 | attempts | waits           | result  |
        | at once            | ok                       | 1        | 0               | summary |
        | at the second time | transient, ok            | 2        | 0, 1,000        | summary |
        | at the last time   | transient, transient, ok | 3        | 0, 1,000, 2,000 | summary |

      Examples: It does not
        | description          | outcomes                            | attempts | waits           | result   |
        | a fourth is not made | transient, transient, transient, ok | 3        | 0, 1,000, 2,000 | template |

      Examples: Waiting cannot cure it
        | description        | outcomes             | attempts | waits    | result   |
        | at the second time | transient, permanent | 2        | 0, 1,000 | template |

      Examples: The next one may
        | description             | outcomes         | attempts | waits    | result  |
        | nothing visible         | empty, ok        | 2        | 0, 1,000 | summary |
        | cut off by its length   | cut off, ok      | 2        | 0, 1,000 | summary |
        | without a required fact | missing fact, ok | 2        | 0, 1,000 | summary |

      Examples: None of three may
        | description      | outcomes                     | attempts | waits           | result   |
        | of several kinds | refusal, cut off, error text | 3        | 0, 1,000, 2,000 | template |

  @portable @SUM_05
  Rule: A compactor replaces a prompt that is too long by a smaller one at once
    Source: brim, after compaction that fails just when the window is full (anthropics/claude-code#26317) and summarizers
    that were sent 1,751,400 tokens (langchain-ai/deepagents#5913). summarizer_input.feature says how it is made smaller.

    Scenario Outline: Each smaller prompt has three attempts of its own
      Given attempts that come to <outcomes>
      When a summary is asked for
      Then the waits are "<waits>"
      And the result is "<result>"

      Examples:
        | description                    | outcomes                                             | waits                     | result   |
        | the second way fits            | prompt too long, ok                                  | 0, 0                      | summary  |
        | no way fits                    | prompt too long, prompt too long, prompt too long    | 0, 0, 0                   | template |
        | a wait before it, one after it | transient, prompt too long, transient, transient, ok | 0, 1,000, 0, 1,000, 2,000 | summary  |

  @SUM_05
  Rule: Each attempt sends one request, the same as before unless the prompt was too long, its form was refused or the model went on with the work
    Source: brim; a client that tries again by itself would multiply the attempts, and shorten the waits. A model that
    calls a tool when tools are offered does so again: the next request offers none (decision 0215).

    Scenario Outline: The requests that went out, the waits before them, and which of them are in a smaller form
      Given a provider that answers <answers>
      And the conversation 6 turns of 200
      When the conversation is compacted
      Then the result is
        | requests | waits   | smaller   |
        | <count>  | <waits> | <smaller> |

      Examples: It is asked again as it was
        | description | answers                            | count | waits           | smaller |
        | twice       | an overload, no content, a summary | 3     | 0, 1,000, 2,000 |         |

      Examples: It is asked with less
        | description         | answers                                                                         | count | waits                     | smaller |
        | the second way fits | a prompt that is too long, a summary                                            | 2     | 0, 0                      | 2       |
        | with waits around   | an overload, a prompt that is too long, an overload, no content, a summary      | 5     | 0, 1,000, 0, 1,000, 2,000 | 3       |

      Examples: It is asked without tools
        | description       | answers                                          | count | waits       | smaller |
        | a tool was called | only a tool call, a summary                      | 2     | 0, 0        | 2       |

      Examples: It is not asked again, nor in another form, where the provider forbids it
        | description   | answers                                              | count | waits | smaller |
        | it forbids it | an overload that is not to be tried again, a summary | 1     | 0     |         |

  @SUM_05
  Rule: A compactor waits as long as the provider asks for, up to 60,000 milliseconds
    Source: brim; a provider that says when to come back knows better than a schedule.

    Scenario Outline: brim waits for the longer of the two waits
      Given a provider that answers busy for <wait asked for>, a summary
      And the conversation 6 turns of 200
      When the conversation is compacted
      Then the requests are "2"
      And the waits are "0, <waited>"

      Examples:
        | description        | wait asked for | waited |
        | longer             | 1,001          | 1,001  |
        | more than a minute | 60,001         | 60,000 |

    Scenario Outline: The provider names the time of the next attempt
      Given it is 2026-03-01 12:00
      And a provider that answers busy until 2026-03-01 12:01, a summary
      And <time> pass
      And the conversation 6 turns of 200
      When the conversation is compacted
      Then the requests are "2"
      And the waits are "0, <waited>"

      Examples:
        | description    | time       | waited |
        | in two seconds | 58 seconds | 2,000  |
        | a minute ago   | 2 minutes  | 1,000  |

    Scenario: A wait that the provider asks for counts once
      Given a provider that answers busy for 30,000, an overload, a summary
      And the conversation 6 turns of 200
      When the conversation is compacted
      Then the requests are "3"
      And the waits are "0, 30,000, 2,000"

  @portable @SUM_06
  Rule: When all attempts fail, the policy's fallback replaces the history
    Source: the TypeScript original raises, its Rust port puts a constant text in place of the summary (S4), and the
    windowing plan cuts the history off (S3). That the template is the default is a decision of brim. S2, section 11,
    asks what others do.

    The template is the default. It holds the facts and a line for each turn as far as its length allows, and says what
    it left out; the wording of the old turns is lost to the model. The note and the constant text lose their facts too:
    only the recent part is left. An error loses nothing and makes no room. A session's log keeps all of it in every case.

    Scenario Outline: Each fallback, where no attempt succeeds and where one does
      Given attempts that come to <outcomes>
      And the settings fallback <fallback>
      When a summary is asked for
      Then the result is "<result>"

      Examples: No attempt succeeds
        | description                        | outcomes                     | fallback | result   |
        | the summary that needs no model    | transient, empty, error text | template | template |
        | the recent part alone, with a note | transient, empty, error text | truncate | truncate |

      Examples: One succeeds, and the fallback does not matter
        | description     | outcomes      | fallback | result  |
        | the template    | transient, ok | template | summary |
        | the recent part | transient, ok | truncate | summary |

    Scenario Outline: An unknown fallback, or outcome of an attempt, is invalid input
      Given attempts that come to <outcome>
      And the settings fallback <fallback>
      When a summary is asked for
      Then it is not understood

      Examples:
        | description | outcome | fallback |
        | a fallback  | ok      | hope     |

  @SUM_06
  Rule: No fallback text claims to be a model's summary, and the history itself is not changed
    Source: the Rust port's constant text claims to be a summary (S4); history that was deleted before its summary failed
    is gone (gwdg/chat-ai#120).

    Each stands behind the line that every summary begins with, since it takes the place of one: decision 0215. That line
    names brim and no model. The note and the constant text go on to say that there is no summary. The template is one,
    made from what the turns did; the model does not read there that another was asked for in vain. Who made what stands
    there, and the result of each attempt, is reported to the program and to its listeners.

    Scenario Outline: The fallback text replaces the summary, and is marked as brim's
      Given a summarizer that fails with "the key is not known"
      And the conversation 6 turns of 200
      And the settings fallback <fallback>
      When the conversation is compacted
      Then the new context says "<words>"
      And the new context says "[Summary of the earlier conversation, written by brim]"

      Examples:
        | description                  | fallback | words                                                                         |
        | the template                 | template | What was done:                                                                |
        | the recent part              | truncate | No summary could be made of the earlier conversation, and it is left out here |
        | a constant text              | fallback | no summary of it could be made. Nothing is deleted                            |

    Scenario: The error states the attempts, and everything stays as it was
      Given a summarizer that fails with "the key is not known"
      And the conversation 6 turns of 200
      And the settings fallback raise
      When the conversation is compacted
      Then the error is "no summary after 1 attempt (warm prefix), the last: permanent: the key is not known"

  @SUM_06
  Rule: Where nobody listens to events, one warning says why a fallback wrote a summary in place of the summarizer
    Source: brim; after a mistake in a summarizer or in the name of its model every summary would be a template, silently.

    Scenario Outline: The warning names the summarizer and its error
      Given a summarizer that <does> "no key"
      And the conversation 6 turns of 200
      And the settings fallback <fallback>
      When the conversation is compacted
      Then it warns "<warning>"

      Examples:
        | description           | does         | fallback | warning                                                                                       |
        | it raises             | raises       | template | ScriptedSummarizer: the summarizer raised RuntimeError: no key; on_failure=template stood in… |
        | another fallback      | raises       | truncate | ScriptedSummarizer: the summarizer raised RuntimeError: no key; on_failure=truncate stood in… |
        | it gives no answer    | answers with | template | ScriptedSummarizer: the summarizer gave an answer that is none: retry_after is 'no key'…      |
        | its provider fails    | fails with   | template | ScriptedSummarizer: no key; on_failure=template stood in…                                     |
        | the error is raised   | raises       | raise    |                                                                                               |

  @SUM_19
  Rule: No reason of a failed attempt names a key
    Source: brim; the error of a client may quote the key that it sent, and events and errors are logged.

    Scenario Outline: A key in the words of a failure stands neither in the error nor in an event
      Given a summarizer that <says> "<words>"
      And the conversation 6 turns of 200
      And the settings fallback raise
      When the conversation is compacted
      Then the error says "<shown>", and not "AAAABBBBCCCC"
      And the event says "<shown>", and not "AAAABBBBCCCC"

      Examples: What is a key
        | description          | says       | words                                                 | shown                                       |
        | it raises an error   | raises     | 401 for the key sk-ant-api03-AAAABBBBCCCC             | 401 for the key [secret]                    |
        | a named key          | raises     | 401 for api_key=7AAAABBBBCCCC                         | 401 for api_key=[secret]                    |
        | a list of passwords  | raises     | no user of passwords=[AAAABBBBCCCC, 'a AAAABBBBCCCC'] | no user of passwords=[secret]               |

      Examples: What is none
        | description            | says   | words                                            | shown                                            |
        | too short for a key    | raises | 401 for the key sk-12                            | 401 for the key sk-12                            |
        | the id of a request    | raises | 500, request req_011CSHoEeqs5C35K2UUqR7Fy        | request req_011CSHoEeqs5C35K2UUqR7Fy             |
