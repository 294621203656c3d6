Feature: Compactor
  A compactor is what a program holds in its hand: it plans, asks, waits and puts the new conversation together, in a
  thread or in an event loop. Whatever goes wrong on the way, the conversation it was given is the one it was given.

  @CMP_04
  Rule: A compaction that fails anywhere leaves the conversation as it was
    Source: brim, after a history that was deleted before its summary failed (gwdg/chat-ai#120).

    Scenario Outline: At every place where it can fail
      Given a compactor whose <part> fails
      And a failure is answered by raise
      When the faulty compactor is asked for the summary of a conversation
      Then there is no new conversation
      And the conversation that was handed in is as it was

      Examples: Each part
        | part                      |
        | summariser                |
        | summariser, without words |
        | waiting                   |
        | key                       |

    Scenario: The policy makes a new conversation, and the old one stays all the same
      Given a summariser that fails for good
      When the summary of a conversation is asked of it
      Then the new conversation says "Goals, as the user put them:"
      And the conversation that was handed in is as it was

    Scenario Outline: Whatever the provider does each time
      Given a provider whose answer to a request for a summary is <failure>
      When a conversation is compacted through its client
      Then <calls> requests for a summary went out, after waits of <waits> milliseconds
      And each of them came to <outcome>
      And the summary is by the <result>
      And the conversation that was handed in is as it was

      Examples: What it answers
        | description                      | failure                          | calls | waits           | outcome         | result   |
        | busy, and says when to come back | a rate limit for 3 seconds       | 3     | 0, 3,000, 3,000 | transient       | template |
        | an error inside                  | an internal error                | 3     | 0, 1,000, 2,000 | transient       | template |
        | overloaded                       | an overload                      | 3     | 0, 1,000, 2,000 | transient       | template |
        | the model declines               | a refusal                        | 3     | 0, 1,000, 2,000 | refusal         | template |
        | nothing in the answer            | no content                       | 3     | 0, 1,000, 2,000 | empty           | template |
        | a call, no words                 | only a tool call                 | 3     | 0, 1,000, 2,000 | cut off         | template |
        | words, then a call               | words before a tool call         | 3     | 0, 1,000, 2,000 | cut off         | template |
        | reached the longest answer       | an answer that is cut off        | 3     | 0, 1,000, 2,000 | cut off         | template |
        | an answer that ends too soon     | an answer without its end        | 3     | 0, 1,000, 2,000 | transient       | template |
        | the error as the answer          | an error as its text             | 3     | 0, 1,000, 2,000 | error text      | template |
        | no relief                        | a summary larger than its source | 3     | 0, 1,000, 2,000 | too large       | template |
        | too long however it is put       | a prompt that is too long        | 3     | 0, 0, 0         | prompt too long | template |
        | refused in either form           | a request that is refused        | 2     | 0, 0            | permanent       | template |
        | the key is not known             | a key that is not known          | 1     | 0               | permanent       | template |

      Examples: What becomes of the connection
        | description                   | failure                           | calls | waits           | outcome   | result   |
        | no connection                 | a connection closed at once       | 3     | 0, 1,000, 2,000 | transient | template |
        | half an answer                | a connection closed in mid-answer | 3     | 0, 1,000, 2,000 | transient | template |
        | an error after half an answer | an overload in mid-answer         | 3     | 0, 1,000, 2,000 | transient | template |
        | no answer in time             | silence                           | 3     | 0, 1,000, 2,000 | transient | template |

    Scenario Outline: Whatever the provider does once
      Given a provider whose answer to a request for a summary is <failure>, and then a summary
      When a conversation is compacted through its client
      Then <calls> requests for a summary went out, after waits of <waits> milliseconds
      And they came to <outcomes>
      And the summary is by the <result>

      Examples: What it answers
        | description                | failure                    | calls | waits    | outcomes            | result   |
        | busy                       | a rate limit for 3 seconds | 2     | 0, 3,000 | transient, ok       | model    |
        | the model declines         | a refusal                  | 2     | 0, 1,000 | refusal, ok         | model    |
        | the error as the answer    | an error as its text       | 2     | 0, 1,000 | error text, ok      | model    |
        | too long in the first form | a prompt that is too long  | 2     | 0, 0     | prompt too long, ok | model    |
        | refused in the first form  | a request that is refused  | 2     | 0, 0     | permanent, ok       | model    |
        | the key is not known       | a key that is not known    | 1     | 0        | permanent           | template |

      Examples: What becomes of the connection
        | description       | failure                           | calls | waits    | outcomes      | result |
        | half an answer    | a connection closed in mid-answer | 2     | 0, 1,000 | transient, ok | model  |
        | no answer in time | silence                           | 2     | 0, 1,000 | transient, ok | model  |

  @CMP_07
  Rule: A compaction that is asked for works below the threshold, and dwells on what it is told to
    Source: the comparison's manual compaction with instructions (S2), as Claude Code's command has it.

    Scenario: It is far from due
      Given a model with a context window of 200,000 tokens
      And a conversation of 6 turns
      When the compactor compacts it
      Then the messages that leave are replaced by a summary

    Scenario: Where it is not asked for, it waits until it is due
      Given a model with a context window of 200,000 tokens
      And a conversation of 6 turns
      When the compactor compacts it where that is due
      Then the new conversation is the very one that was handed in

    Scenario Outline: The focus reaches the summariser
      Given a compactor that is told to dwell on "<always>"
      When the summary of a conversation is asked of it with the focus "<now>"
      Then the summariser is told "<told>"

      Examples:
        | description              | always    | now     | told      |
        | for every compaction     | the tests |         | the tests |
        | for this one             |           | the API | the API   |
        | this one before the rest | the tests | the API | the API   |

  @CMP_08
  Rule: In a thread and in an event loop the same is done
    Source: brim; of the two forms of the SDK's former compaction one was forgotten (anthropics/anthropic-sdk-python#1124).

    Scenario Outline: Both ask, wait, tell and give the same
      Given a summariser that <answers>
      And a failure is answered by <choice>
      When both compactors are asked for the summary of a conversation
      Then they made the same requests
      And they waited for the same times
      And they told the same events
      And they gave the same

      Examples:
        | description        | answers                                        | choice   |
        | at once            | answers "All went well."                       | template |
        | at the second time | answers "Overloaded" and then "All went well." | template |
        | never              | is busy                                        | template |
        | never, cut off     | is busy                                        | truncate |
        | never, a constant  | is busy                                        | fallback |
        | never, an error    | is busy                                        | raise    |
        | for good           | fails for good                                 | raise    |

  @CMP_08
  Rule: A compaction can be called off at any point, without a trace
    Source: brim; whoever waits for a summary has to be able to stop waiting.

    Scenario Outline: Wherever it is called off, the conversation is as it was
      Given a compaction in <place> that is called off <when>
      When it runs
      Then it ends as called off
      And the conversation that was handed in is as it was
      And the last event is that it failed
      And the next compaction goes on as if nothing had been

      Examples:
        | description               | place         | when                                |
        | before the model is asked | a thread      | when it has started                 |
        | while the model is silent | a thread      | while nothing comes                 |
        | while the model writes    | a thread      | when the first words are written    |
        | between two attempts      | a thread      | while it waits for the next attempt |
        | before the model is asked | an event loop | when it has started                 |
        | while the model is silent | an event loop | while nothing comes                 |
        | while the model writes    | an event loop | when the first words are written    |
        | between two attempts      | an event loop | while it waits for the next attempt |

  @CMP_12
  Rule: A session of more than 500 turns is carried through any number of compactions
    Source: the success metrics of the comparison and of the windowing plan (S2, S3).

    Scenario: Every compaction leaves room, and the first request is still known at the end
      Given a model with a context window of 20,000 tokens
      And a longest answer of 2,000 tokens
      When a session of 520 turns is compacted whenever that is due
      Then it was compacted at least 10 times
      And the window never held more than it can
      And the last conversation says "Build the harbour."
      And one summary is in it
