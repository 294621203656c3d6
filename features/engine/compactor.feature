Feature: Compactor
  A compactor plans a compaction, asks a model for the summary, waits between attempts and builds the new conversation,
  in a thread or in an event loop. If any of this fails, the caller's conversation is unchanged.

  @CMP_04
  Rule: A failed compaction leaves the conversation unchanged
    Source: brim, after a history that was deleted before its summary failed (gwdg/chat-ai#120).

    Scenario Outline: A failure of any part leaves the conversation unchanged
      Given a compactor whose <part> fails
      And the answer to a failure is raise
      When the faulty compactor compacts a conversation of 6 turns
      Then there is no new conversation
      And the caller's conversation is unchanged

      Examples: Each part
        | part                      |
        | summarizer                |
        | summarizer, without words |
        | summarizer's answer       |
        | answer's text             |
        | answer's failure          |
        | answer, which waits       |
        | waiting                   |
        | key                       |

    Scenario Outline: What ends the program ends the compaction too
      Given a compactor whose summarizer raises <error>
      When the faulty compactor compacts a conversation of 6 turns
      Then <error> is raised
      And the caller's conversation is unchanged

      Examples: Errors that are no failure of the summarizer
        | error                        |
        | an interrupt by the user     |
        | the end of the program       |
        | a cancellation of its own    |

    Scenario: If no attempt succeeds, the template makes a new conversation and the old one is unchanged
      Given a summarizer that fails for good
      When the compactor compacts a conversation of 6 turns
      Then the new conversation says "What was done:"
      And the caller's conversation is unchanged

    Scenario Outline: If every attempt fails, the template writes the summary
      Given a provider whose answer to a summary request is <failure>
      When its client compacts a conversation of 6 turns
      Then <calls> summary requests are sent, after waits of <waits> milliseconds
      And the outcome of each is <outcome>
      And the summary is by the <result>
      And the caller's conversation is unchanged

      Examples: The answer fails
        | description                      | failure                          | calls | waits           | outcome         | result   |
        | busy, and says when to come back | a rate limit for 3 seconds       | 3     | 0, 3,000, 3,000 | transient       | template |
        | an error inside                  | an internal error                | 3     | 0, 1,000, 2,000 | transient       | template |
        | overloaded                       | an overload                      | 3     | 0, 1,000, 2,000 | transient       | template |
        | the model declines               | a refusal                        | 3     | 0, 1,000, 2,000 | refusal         | template |
        | nothing in the answer            | no content                       | 3     | 0, 1,000, 2,000 | empty           | template |
        | a call, no words                 | only a tool call                 | 4     | 0, 0, 1,000, 2,000 | cut off         | template |
        | words, then a call               | words before a tool call         | 4     | 0, 0, 1,000, 2,000 | cut off         | template |
        | reached the longest answer       | an answer that is cut off        | 3     | 0, 1,000, 2,000 | cut off         | template |
        | an answer that ends too soon     | an answer without its end        | 3     | 0, 1,000, 2,000 | transient       | template |
        | the error as the answer          | an error as its text             | 3     | 0, 1,000, 2,000 | error text      | template |
        | no relief                        | a summary larger than its source | 3     | 0, 1,000, 2,000 | too large       | template |
        | too long however it is put       | a prompt that is too long        | 3     | 0, 0, 0         | prompt too long | template |
        | refused in either form           | a request that is refused        | 2     | 0, 0            | permanent       | template |
        | the key is not known             | a key that is not known          | 1     | 0               | permanent       | template |

      Examples: The connection fails
        | description                   | failure                           | calls | waits           | outcome   | result   |
        | no connection                 | a connection closed at once       | 3     | 0, 1,000, 2,000 | transient | template |
        | half an answer                | a connection closed in mid-answer | 3     | 0, 1,000, 2,000 | transient | template |
        | an error after half an answer | an overload in mid-answer         | 3     | 0, 1,000, 2,000 | transient | template |
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
        | the model declines         | a refusal                  | 2     | 0, 1,000 | refusal, ok         | model    |
        | the error as the answer    | an error as its text       | 2     | 0, 1,000 | error text, ok      | model    |
        | too long in the first form | a prompt that is too long  | 2     | 0, 0     | prompt too long, ok | model    |
        | refused in the first form  | a request that is refused  | 2     | 0, 0     | permanent, ok       | model    |
        | the key is not known       | a key that is not known    | 1     | 0        | permanent           | template |

      Examples: The connection fails
        | description       | failure                           | calls | waits    | outcomes      | result |
        | half an answer    | a connection closed in mid-answer | 2     | 0, 1,000 | transient, ok | model  |
        | no answer in time | silence                           | 2     | 0, 1,000 | transient, ok | model  |

    Scenario Outline: After an answer that was cut off, the next request allows one that is twice as long
      Given a model with a context window of <window> tokens
      And a longest answer of <longest> tokens
      And a summarizer whose answers are cut off
      When the compactor compacts it, a conversation of 6 turns
      Then the summary requests allow answers of <limits> tokens

      Examples:
        | description                   | window  | longest | limits                 |
        | within the model's limit      | 200,000 | 64,000  | 8,000, 16,000, 16,000  |
        | at most the longest answer    | 200,000 | 10,000  | 8,000, 10,000, 10,000  |
        | no longest answer is stated   | 200,000 | 0       | 8,000, 16,000, 16,000  |

  @CMP_07
  Rule: A manual compaction runs below the threshold and can be given a focus
    Source: the comparison's manual compaction with instructions (S2), as Claude Code's command has it.

    Scenario: A manual compaction runs far below the threshold
      Given a model with a context window of 200,000 tokens
      And a conversation of 40 turns
      When the compactor compacts it
      Then a summary replaces the older messages

    Scenario: An automatic compaction below the threshold does nothing
      Given a model with a context window of 200,000 tokens
      And a conversation of 6 turns
      When an automatic compaction runs
      Then each message of the new conversation is the caller's

    Scenario Outline: The summary request names the focus
      Given a compactor with the focus "<always>"
      When the compactor compacts a conversation of 6 turns with the focus "<now>"
      Then the summary request contains "<focus>"

      Examples:
        | description              | always    | now     | focus     |
        | for every compaction     | the tests |         | the tests |
        | for this one             |           | the API | the API   |
        | this one before the rest | the tests | the API | the API   |

    Scenario Outline: A plan is carried out with the focus that is named last
      When the compactor plans a compaction of 6 turns with the focus "<planned>", and carries it out with the focus "<now>"
      Then the summary request contains "<focus>"

      Examples:
        | description         | planned   | now     | focus     |
        | named for the plan  | the tests |         | the tests |
        | named afterwards    |           | the API | the API   |
        | both                | the tests | the API | the API   |

  @CMP_08
  Rule: The sync and the async compactor behave alike
    Source: brim; of the two forms of the SDK's former compaction one was forgotten (anthropics/anthropic-sdk-python#1124).

    Scenario Outline: Both send the same requests, wait equally long, emit the same events and return the same result
      Given a summarizer that <answers>
      And the answer to a failure is <choice>
      When both compactors compact a conversation of 6 turns
      Then they send the same requests
      And they wait equally long
      And they emit the same events
      And they return the same result

      Examples:
        | description        | answers                                        | choice   |
        | at once            | answers "All went well."                       | template |
        | at the second time | answers "Overloaded" and then "All went well." | template |
        | never              | is busy                                        | template |
        | never, cut off     | is busy                                        | truncate |
        | never, a constant  | is busy                                        | fallback |
        | never, an error    | is busy                                        | raise    |
        | for good           | fails for good                                 | raise    |
        | it breaks          | breaks                                         | template |

    Scenario: Both plan the same compaction after the provider's overflow error
      When both compactors plan a compaction of 6 turns after an overflow error
      Then they return the same result
      And the plan keeps fewer messages than without the error

  @CMP_08
  Rule: A part for threads is refused in an event loop, and a part for event loops in a thread
    Source: a decision of this project; a client that blocks the event loop stops every other task of the program.

    Scenario Outline: The error names the part that fits
      When <part> is given to <user>
      Then it is refused: "<error>"

      Examples: Compactors
        | part                    | user                    | error                                           |
        | a client for loops      | a compactor             | this client is for event loops: pass it to an AsyncCompactor |
        | a client for threads    | an async compactor      | this client blocks the event loop: pass it to a Compactor    |
        | a summarizer for loops  | a compactor             | this summarizer is for event loops: pass it to an AsyncCompactor |
        | a sleep for loops       | a compactor             | this sleep is for event loops: pass it to an AsyncCompactor  |
        | a listener for loops    | a compactor             | a listener is called and not awaited: pass a plain function  |

      Examples: What has a compactor
        | part                    | user                    | error                                                          |
        | an async compactor      | a conversation          | a Conversation takes a Compactor, not AsyncCompactor           |
        | a compactor             | an async conversation   | an AsyncConversation takes an AsyncCompactor, not Compactor    |
        | an async compactor      | a client                | this client waits for its responses: make its middleware of a Compactor |
        | a compactor             | a client for loops      | this client is for event loops: make its middleware of an AsyncCompactor |

  @CMP_08
  Rule: A compaction can be cancelled at any point, and leaves the conversation unchanged
    Source: brim; a user who waits for a summary has to be able to stop waiting.

    Scenario Outline: A cancelled compaction ends at once, and the next one succeeds
      Given a compaction in <place> that is cancelled <when>
      When it runs
      Then it ends as cancelled
      And the caller's conversation is unchanged
      And the last event is a failure
      And the next compaction succeeds

      Examples:
        | description               | place                            | when                                |
        | before the model is asked | a thread                         | when it has started                 |
        | while the model is silent | a thread                         | while the model is silent           |
        | while the model writes    | a thread                         | when the first words arrive         |
        | between two attempts      | a thread                         | while it waits for the next attempt |
        | before the model is asked | an event loop                    | when it has started                 |
        | while the model is silent | an event loop                    | while the model is silent           |
        | while the model writes    | an event loop                    | when the first words arrive         |
        | between two attempts      | an event loop                    | while it waits for the next attempt |
        | by another thread         | the event loop of another thread | while the model is silent           |

    Scenario Outline: A compactor waits by itself before the next attempt
      Given a provider that is busy for <wait> milliseconds
      When a compactor without a sleep compacts a conversation of 6 turns <where>
      Then a model writes the summary, at the earliest after <wait> milliseconds

      Examples: Places
        | wait | where            |
        | 20   | in a thread      |
        | 20   | in an event loop |

    Scenario: The event of the failure counts the attempts
      Given a compaction in a thread that is cancelled when the first words arrive
      When it runs
      Then the last event counts 1 attempt

  @CMP_12
  Rule: A session of more than 500 turns is compacted again and again and never exceeds its window
    Source: the success metrics of the comparison and of the windowing plan (S2, S3).

    Scenario: Every compaction leaves room, and the last conversation still contains the first request
      Given a model with a context window of 20,000 tokens
      And a longest answer of 2,000 tokens
      When a session of 520 turns is compacted whenever compaction is due
      Then it was compacted at least 10 times
      And the session never exceeded the context window
      And the last conversation contains "Build the harbour."
      And it contains one summary
