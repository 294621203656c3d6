Feature: Compacting
  One line makes a client of the SDK compact: its type stays, and the agent calls it as before. One client serves models of
  different sizes: here a large one, and a small one with a window of 20,000 tokens and an answer of 4,000, of whose limits
  the provider is asked.

  @TRG_25
  Rule: A compacting client judges each request by the limits of the model that the request names
    Source: a decision of this project; agents change their model within a conversation, and give helpers a smaller one.

    Where the provider refuses to state the limits, or fails, they are unknown.

    Scenario Outline: A conversation that fits the large model is compacted for the small one
      Given the conversation 5 turns of 5,000, user "And now?"
      And the agent has a client that compacts<kind>
      When the agent <acts>
      Then the models of the summaries are "<summaries>"
      And the conversation sent is "<sent>"

      Examples:
        | description            | kind               | acts                                                                         | summaries | sent      |
        | it fits                |                    | sends to the large model                                                     |           | unchanged |
        | it does not fit        |                    | sends to the small model                                                     | small     | compacted |
        | it does not, in a loop | , in an event loop | sends to the small model                                                     | small     | compacted |

    Scenario Outline: A threshold that is too large for the small model is corrected with a warning when it is named
      Given the conversation 2 turns of 5,000, user "And now?"
      And the settings threshold <threshold>
      And the agent has a client that compacts<kind>
      When the agent sends to the large model, sends to the small model
      Then it warns "<warning>"

      Examples:
        | description      | kind               | threshold | warning                                                    |
        | exactly that     |                    | 16,000    |                                                            |
        | above            |                    | 16,001    | …is above the usable context of 16000: 16000 is used… |

    Scenario Outline: A model with unknown limits receives the conversation unchanged, with one warning
      Given the conversation 5 turns of 5,000, user "And now?"
      And the provider <states> limits
      And the agent has a client that compacts<kind>
      When the agent sends to the <model> model, sends to the <model> model
      Then it warns "…the context window of '<model>' is not known…"
      And the conversation sent is "unchanged"

      Examples: The provider knows no model "unknown"
        | description                         | states         | model   | kind                                         |
        | in a thread                         | states         | unknown |                                              |
        | a compactor in the SDK's middleware | states         | unknown | , by a compactor with limits                 |
        | one that asks the provider          | states         | unknown | , by a compactor that asks                   |
        | the provider fails                  | fails to state | large   |                                              |

    Scenario Outline: A provider that failed to state the limits is asked for them again after a minute
      Given the conversation 5 turns of 5,000, user "And now?"
      And the provider fails once and takes <seconds> seconds to state limits
      And the agent has a client that compacts<kind>
      When the agent sends to the small model, sends to the small model
      Then the models of the summaries are "<summaries>"

      Examples:
        | description      | kind               | seconds | summaries |
        | within a minute  |                    | 59      |           |
        | after a minute   |                    | 60      | small     |

    Scenario Outline: A strict client refuses a model with unknown limits
      Given the conversation 5 turns of 5,000, user "And now?"
      And the settings strict on
      And the agent has a client that compacts<kind>
      When the agent sends to the unknown model
      Then the answer or error is "…the context window of 'unknown' is not known: pass limits=ModelLimits(context_window=…"

      Examples:
        | description                         | kind                                         |
        | in a thread                         |                                              |
        | a compactor in the SDK's middleware | , by a compactor with limits                 |
        | one that asks the provider          | , by a compactor that asks                   |

    Scenario Outline: After the provider's overflow error the request is compacted
      Given the conversation 5 turns of 5,000, user "And now?"
      And the agent has a client that compacts<kind>
      And the provider answers
        | refusal                               |
        | 400 prompt is too long: 9 > 8 maximum |
      When the agent sends to the large model
      Then the models of the summaries are "large"
      And the conversation sent is "compacted"

      Examples:
        | description      | kind               |
        | in a thread      |                    |
        | in an event loop | , in an event loop |

  @CNV_11
  Rule: A compacting client keeps the messages word for word that the caller's function `pinned` picks
    Source: a decision of this project (0210). An agent that passes its whole list to the SDK has no other place for a pin.

    The function gets a copy of each message of each request and returns whether it is pinned.

    Scenario Outline: A client pins messages
      Given the conversation user "The port is taken.", assistant "Noted.", 5 turns of 5,000, user "And now?"
      And the settings pins <pinned>
      And the agent has a client that compacts<kind>
      When the agent <acts>
      Then the conversation sent is "compacted"
      And the its first message is "<first>"

      Examples:
        | description         | pinned    | kind               | acts                              | first    |
        | in a thread         | The port |                    | sends to the small model          | is sent  |
        | no message says so  | A mooring |                    | sends to the small model          | has left |

  @TRG_25
  Rule: If no compaction can help, a compacting client raises the error instead of sending the request
    Source: a decision of this project (TRG_19); the provider would refuse the request, or each would cost a summary.

    Scenario Outline: A message that leaves no room
      Given the conversation user <tokens>
      And the agent has a client that compacts<kind>
      When the agent sends to the small model
      Then the requests are "<requests>"
      And the answer or error is "<answer or error>"

      Examples: The usable context is 16,000 tokens
        | description      | kind               | tokens | requests | answer or error                                                    |
        | exactly that     |                    | 16,000 | 1        | All went well.                                                     |
        | one token over   |                    | 16,001 | 0        | …what must be kept does not fit into the usable context of 16,000… |

    Scenario Outline: Three compactions in a row that leave the window due
      Given the conversation user "Read this.", assistant "Yes.", 1 turns of 5,000, user "And now?"
      And the settings pins xxxx, threshold <threshold>
      And the agent has a client that compacts
      When the agent acts
        | sends to the small model, sends to the small model |
        | sends to the small model, sends to the small model |
      Then the requests are "<requests>"
      And the answer or error is "<answer or error>"

      Examples: The pinned output of a tool takes 5,000 tokens
        | description   | threshold | requests | answer or error              |
        | there is room | 8,000     | 4        | All went well.               |
        | there is none | 4,000     | 2        | 3 compactions in a row left… |
