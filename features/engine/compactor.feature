Feature: Compactor
  A compactor plans a compaction, asks a model for the summary, waits between attempts and builds the new conversation,
  in a thread or in an event loop. If any of this fails, the caller's conversation is unchanged.

  @CMP_04
  Rule: A failed compaction leaves the conversation unchanged
    Source: brim, after a history that was deleted before its summary failed (gwdg/chat-ai#120). S2, section 11, asks
    what happens then.

    Scenario Outline: A failed summary leaves the conversation unchanged
      Given the conversation 6 turns of 200
      And the settings on failure <choice>
      When a model that <fails> summarizes the conversation
      Then the result is
        | author   | error   | text   |
        | <author> | <error> | <text> |

      Examples:
        | description                          | fails         | choice   | author   | error                              | text              |
        | the template makes a new conversation | fails for good | template | template |                                   | …What was done:…  |
        | there is no new conversation         | fails for good | raise    |          | …the key is not known…             |                   |
        | the summarizer is broken             | breaks        | raise    |          | …the summarizer is broken…         |                   |

    Scenario Outline: If every attempt fails, the template writes the summary
      Given a provider whose answer to a summary request is <failure>
      When its client compacts a conversation of 6 turns
      Then <calls> summary requests are sent, after waits of <waits> milliseconds
      And the outcome of each is <outcome>
      And the summary is by the <result>
      And the caller's conversation is unchanged

      Examples: The answer fails
        | description                      | failure                    | calls | waits              | outcome         | result   |
        | busy, and says when to come back | a rate limit for 3 seconds | 3     | 0, 3,000, 3,000    | transient       | template |
        | a call, no words, in two forms   | only a tool call           | 4     | 0, 0, 1,000, 2,000 | cut off         | template |
        | refused in either form           | a request that is refused  | 2     | 0, 0               | permanent       | template |
        | the key is not known             | a key that is not known    | 1     | 0                  | permanent       | template |

      Examples: The connection fails
        | description                   | failure                           | calls | waits           | outcome   | result   |
        | no answer in time             | silence                           | 3     | 0, 1,000, 2,000 | transient | template |

    Scenario Outline: After one failed attempt the model writes the summary, unless the key is wrong
      Given a provider whose answer to a summary request is <failure>, and then a summary
      When its client compacts a conversation of 6 turns
      Then <calls> summary requests are sent, after waits of <waits> milliseconds
      And their outcomes are <outcomes>
      And the summary is by the <result>

      Examples: The answer fails
        | description                | failure                    | calls | waits    | outcomes            | result   |
        | busy                       | a rate limit for 3 seconds | 2     | 0, 3,000 | transient, ok       | model    |
        | refused in the first form  | a request that is refused  | 2     | 0, 0     | permanent, ok       | model    |
        | the key is not known       | a key that is not known    | 1     | 0        | permanent           | template |

      Examples: The connection fails
        | description       | failure                           | calls | waits    | outcomes      | result |
        | half an answer    | a connection closed in mid-answer | 2     | 0, 1,000 | transient, ok | model  |

    Scenario Outline: After an answer that was cut off, the requests that follow allow one that is twice as long
      Given the conversation 6 turns of 200
      And a model with window 200,000, answer <longest>
      When a model that is cut off summarizes the conversation
      Then the longest answers are "<limits>"

      Examples:
        | description                   | longest | limits                 |
        | within the model's limit      | 64,000  | 8,000, 16,000, 16,000  |
        | at most the longest answer    | 10,000  | 8,000, 10,000, 10,000  |

  @CMP_07
  Rule: A manual compaction runs below the threshold and can be given a focus
    Source: the comparison's manual compaction with instructions (S2), as Claude Code's command has it.

    Scenario: An automatic compaction below the threshold does nothing
      Given the conversation 6 turns
      And a model with window 200,000
      When a model that answers summarizes the conversation automatically
      Then the result is
        | author | longest answers | same objects |
        |        |                 | yes          |

    Scenario Outline: The summary request names the focus that was named last
      Given the conversation 6 turns of 200
      And the settings <settings>
      When a model that answers summarizes the conversation<focus>
      Then the summary request says "<says>", and not "<not>"

      Examples:
        | description              | settings        | focus                                                       | says      | not       |
        | for this one             | profile usable  | , with the focus "the API"                                  | the API   |           |
        | this one before the rest | focus the tests | , with the focus "the API"                                  | the API   | the tests |
        | named for the plan       | profile usable  | , planned with the focus "the tests"                        | the tests |           |
        | both                     | profile usable  | , planned with the focus "the tests", with the focus "the API" | the API | the tests |

  @CMP_08
  Rule: The sync and the async compactor behave alike
    Source: brim; of the two forms of the SDK's former compaction one was forgotten (anthropics/anthropic-sdk-python#1124).

    Scenario Outline: Both send the same requests, wait equally long, emit the same events and return the same result
      Given the conversation user "Build piers." pinned, 6 turns of 200
      And the settings on failure <choice>, system prompt 10
      When a model that <answers> summarizes the conversation, with the focus "the API"
      Then the author is "<author>"
      And the waits are "<waits>"

      Examples:
        | description        | answers                | choice   | author   | waits    |
        | at once            | answers                | template | model    |          |
        | at the second time | answers after an error | template | model    | 1.0      |
        | never              | is busy                | template | template | 1.0, 2.0 |
        | never, an error    | is busy                | raise    |          | 1.0, 2.0 |
        | it breaks          | breaks                 | raise    |          |          |

  @CMP_08
  Rule: A compaction can be cancelled at any point, and leaves the conversation unchanged
    Source: brim; a user who waits for a summary has to be able to stop waiting.

    Scenario Outline: A cancelled compaction ends at once with an event of failure, and the next one succeeds
      Given the conversation 6 turns of 200
      When a model that <answers> summarizes the conversation, and is cancelled at the event "<event>"
      Then the result is
        | cancelled | last event | attempts   | author of the next |
        | yes       | failed     | <attempts> | model              |

      Examples: In a thread and in an event loop
        | description               | answers                | event            | attempts |
        | before the model is asked | answers                | started          | 0        |
        | while the model writes    | answers                | summary_delta    | 1        |
        | between two attempts      | answers after an error | attempt_rejected | 1        |

  @CMP_12
  Rule: A session of more than 500 turns is compacted again and again and never exceeds its window
    Source: the success metrics of the comparison and of the windowing plan (S2, S3).

    Scenario: Every compaction leaves room, and the last conversation still contains the first request
      Given a model with window 20,000, answer 2,000
      When the agent works for 520 turns of 300
      Then the result is
        | at least 10 compactions | above the window | summaries |
        | yes                     | no               | 1         |
      And the last request says "Build the harbour."
