Feature: Compacting
  One line makes a client of the SDK compact: its type stays, and the agent calls it as before. One client serves models of
  different sizes.

  @TRG_25
  Rule: A compacting client judges each request by the limits of the model that the request names
    Source: a decision of this project; agents change their model within a conversation, and give helpers a smaller one.

    Where the provider refuses to state the limits, or fails, they are unknown.

    Scenario Outline: A conversation that fits the large model is compacted for the small one
      Given a client that compacts, of <kind>
      When a conversation of 25,000 tokens is sent to the model "<model>"
      Then the provider receives <received>

      Examples:
        | description             | kind                  | model | received                              |
        | it fits                 | threads               | large | the conversation as it is             |
        | it does not fit         | threads               | small | a summary request and a shorter one   |
        | it fits, streamed       | threads, with streams | large | the conversation as it is             |
        | it does not, streamed   | threads, with streams | small | a summary request and a shorter one   |
        | it fits, in a loop      | event loops           | large | the conversation as it is             |
        | it does not, in a loop  | event loops           | small | a summary request and a shorter one   |

    Scenario: Only the requests to the small model are compacted
      Given a client that compacts, of threads
      When a conversation of 25,000 tokens is sent to the models "large", "small" and "large"
      Then the provider receives 1 summary request, of the model "small"

    Scenario Outline: A threshold that is too large for the small model is corrected with a warning when it is named
      Given a client that compacts, of <kind>
      And a threshold of <threshold> tokens
      When a conversation of 10,000 tokens is sent to the models "large" and "small"
      Then <warnings> "is above the usable context of 16000: 16000 is used"

      Examples:
        | description      | kind        | threshold | warnings         |
        | exactly that     | threads     | 16,000    | no warning says  |
        | above            | threads     | 16,001    | one warning says |
        | in an event loop | event loops | 16,001    | one warning says |

    Scenario Outline: An unknown model receives the conversation unchanged, with one warning
      Given a client that compacts, of <kind>
      When a conversation of 25,000 tokens is sent to the model "unknown" twice
      Then the provider receives the conversation as it is
      And one warning says "the context window of 'unknown' is not known"

      Examples:
        | description                        | kind                    |
        | in a thread                        | threads                 |
        | in an event loop                   | event loops             |
        | a compactor in the SDK's middleware | threads, with middleware |
        | one that asks the provider         | threads, with a compactor that asks |
        | the same in an event loop          | event loops, with a compactor that asks |

    Scenario Outline: A provider that fails to state the limits does not keep the request from being sent
      Given a client that compacts, of <kind>
      And a provider that fails to state limits
      When a conversation of 25,000 tokens is sent to the model "large" twice
      Then the provider receives the conversation as it is
      And one warning says "the context window of 'large' is not known"

      Examples:
        | description                | kind                                |
        | a client                   | threads                             |
        | a client for event loops   | event loops                         |
        | a compactor                | threads, with a compactor that asks |
        | a compactor for event loops | event loops, with a compactor that asks |

    Scenario Outline: A provider that failed to state the limits is asked for them again after a minute
      Given a client that compacts, of <kind>
      And a provider that fails once to state limits, and takes <seconds> seconds to answer
      When a conversation of 25,000 tokens is sent to the models "small" and "small"
      Then the provider receives <summaries>, of the model "small"

      Examples:
        | description      | kind        | seconds | summaries          |
        | within a minute  | threads     | 59      | 0 summary requests |
        | after a minute   | threads     | 60      | 1 summary request  |
        | in an event loop | event loops | 60      | 1 summary request  |

    Scenario Outline: A strict client refuses a model with unknown limits
      Given a client that compacts and is strict, of <kind>
      When a conversation of 25,000 tokens is sent to the model "unknown" twice
      Then it is refused as "the context window of 'unknown' is not known"

      Examples:
        | description                        | kind                    |
        | in a thread                        | threads                 |
        | in an event loop                   | event loops             |
        | a compactor in the SDK's middleware | threads, with middleware |
        | one that asks the provider         | threads, with a compactor that asks |
        | the same in an event loop          | event loops, with a compactor that asks |

    Scenario Outline: After the provider's overflow error the request is compacted
      Given a client that compacts, of <kind>
      And a provider that refuses the first request as too long
      When a conversation of 25,000 tokens is sent to the model "large"
      Then the provider receives 1 summary request, of the model "large"

      Examples:
        | description      | kind        |
        | in a thread      | threads     |
        | in an event loop | event loops |

    Scenario: The SDK's tool runner compacts too
      Given a client that compacts, of threads
      When its tool runner reads 12 files of 2,000 tokens with the model "small"
      Then the tool runs 12 times
      And the provider receives 1 summary request, of the model "small"

    Scenario: A client that compacts keeps its compactor in a tool runner
      Given a client that compacts, of threads
      When its tool runner reads 12 files of 2,000 tokens with the model "small", beside a compactor for a larger window
      Then the tool runs 12 times
      And the provider receives 1 summary request, of the model "small"

    Scenario Outline: A value that cannot compact is refused
      When <what> is made to compact
      Then it is refused as "<words>"

      Examples:
        | description                     | what                                          | words                                 |
        | no client                       | a text                                        | the client is str                     |
        | a client that compacts already  | a client that compacts, with another policy | this client compacts already          |
        | a pin that is no function       | a client whose first message is pinned by its index | pinned is list; it is a function that gets a message and returns whether it is pinned |
        | a pin that has to be awaited     | a client whose messages are pinned by a coroutine function | pinned is a coroutine function; it is a function that gets a message |
        | a history that the server holds | a tool runner on a thread                   | the server would hold the history, where brim cannot compact it |

  @CNV_11
  Rule: A compacting client keeps the messages word for word that the caller's function `pinned` picks
    Source: a decision of this project (0178). An agent that passes its whole list to the SDK has no other place for a pin.

    The function gets a copy of each message of each request and returns whether it is pinned.

    Scenario Outline: A client pins messages
      Given a client that compacts and pins each message that says "<pinned>", of <kind>
      When "Port 8080 is taken." and a conversation of 25,000 tokens are sent to the small model
      Then the last request it receives <holds> the message "Port 8080 is taken."

      Examples:
        | description         | pinned    | kind                  | holds         |
        | in a thread         | Port 8080 | threads               | holds         |
        | streamed            | Port 8080 | threads, with streams | holds         |
        | in an event loop    | Port 8080 | event loops           | holds         |
        | no message says so  | Port 9090 | threads               | does not hold |

    Scenario Outline: The function is asked with every request
      Given a client that pins each message that says "Port 8080", from its request <from> on
      When "Port 8080 is taken." and a conversation of 5,000 tokens are sent 3 times, each time with 25,000 tokens more
      Then the last request it receives <holds> the message "Port 8080 is taken."
      And the provider receives 2 summary requests, of the model "small"

      Examples:
        | description              | from | holds         |
        | from the first           | 1    | holds         |
        | from the second          | 2    | holds         |
        | when it has left already | 3    | does not hold |

    Scenario Outline: The function cannot change the request
      Given a client that pins each message that says "Port 8080", by a function that <changes>
      When "Port 8080 is taken." and a conversation of 25,000 tokens are sent to the small model
      Then the last request it receives holds the message "Port 8080 is taken."

      Examples:
        | description        | changes           |
        | its text           | replaces its text |
        | a field of its own | adds a field      |

    Scenario Outline: What the function raises reaches the caller, unless the API refuses the message
      Given a client that pins by a function for messages whose content is a string, of <kind>
      When <what> is sent as the only message
      Then the caller gets <error>

      Examples:
        | description                      | kind        | what                       | error                          |
        | a text in place of a message     | threads     | a text                     | the API's error 400            |
        | the same in an event loop        | event loops | a text                     | the API's error 400            |
        | a message that it does not expect | threads    | a message of blocks        | the error of the function      |

    Scenario: A message that the function no longer picks is summarized
      Given a client that pins each message that says "Port 8080", until it has compacted
      When "Port 8080 is taken." and a conversation of 25,000 tokens are sent to the small model, then with as many more
      Then the last request it receives does not hold the message "Port 8080 is taken."

  @TRG_25
  Rule: If no compaction can help, a compacting client raises the error instead of sending the request
    Source: a decision of this project (TRG_19); the provider would refuse the request, or each would cost a summary.

    Scenario Outline: A message that leaves no room
      Given a client that compacts, of <kind>
      When a message of <tokens> tokens is sent to the small model
      Then <outcome>

      Examples: The usable context is 16,000 tokens
        | description      | kind        | tokens | outcome                                                              |
        | exactly that     | threads     | 16,000 | the provider receives the message                                    |
        | one token over   | threads     | 16,001 | it is refused as "what must be kept does not fit into the usable context of 16,000" |
        | in an event loop | event loops | 16,001 | it is refused as "what must be kept does not fit into the usable context of 16,000" |

    Scenario Outline: Three compactions in a row that leave the window due
      Given a client that compacts and pins each message that says "texttext", of threads
      And a threshold of <threshold> tokens
      When "Read this." and a conversation of 5,000 tokens are sent 4 times, each time with 0 tokens more
      Then <outcome>

      Examples: The pinned output of a tool takes 5,000 tokens
        | description  | threshold | outcome                                        |
        | there is room | 8,000    | the provider receives 4 requests of the agent  |
        | there is none | 4,000    | it is refused as "3 compactions in a row left" |
