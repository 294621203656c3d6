Feature: Recording a conversation in its session
  An agent that gives its conversation a session need not write anything down itself: each message, usage, compaction and
  clearing goes to the log, and another process goes on where the session left off.

  @SES_18
  Rule: A conversation goes on where its session left off, and writes there what happens
    Source: S2, section 3: a session outlasts the process. That the engine writes it is a decision of this project (0177).

    Scenario Outline: What the session shows is what the provider was sent
      Given an agent of <kind> that has a session
      When it works until <changed>
      Then the session shows what its last request said, and the answer
      And the provider refused no request

      Examples:
        | description                   | kind        | changed                                                      |
        | nothing has changed           | threads     | nothing was compacted                                        |
        | summarized                    | threads     | its conversation was compacted                               |
        | summarized twice              | threads     | its conversation was compacted twice                         |
        | outputs were cleared          | threads     | old outputs were cleared                                     |
        | cleared, then summarized      | threads     | old outputs were cleared and its conversation was compacted  |
        | it thinks                     | threads     | it had thought and its conversation was compacted            |
        | in an event loop              | event loops | its conversation was compacted                               |

    Scenario Outline: After the provider refused thinking, a compaction and cleared outputs are recorded all the same
      Given an agent of <kind> that has a session
      And the provider refuses its thinking once, <when>
      When it works until <changed>
      Then each event is recorded in the session
      And the window of the session holds what the last request said, thinking aside

      Examples:
        | description              | kind        | when                   | changed                                           |
        | summarized               | threads     | in its second turn     | it had thought and its conversation was compacted |
        | in a loop of tools       | threads     | before its first answer | it had thought and its conversation was compacted |
        | in an event loop         | event loops | before its first answer | it had thought and its conversation was compacted |
        | outputs were cleared     | threads     | in its second turn     | it had thought and old outputs were cleared 3 times |
        | cleared after a loop of tools | threads | before its first answer | it had thought and old outputs were cleared 3 times |

    Scenario Outline: Another process goes on with the session
      Given an agent of <kind> that has a session
      And the user said "Never touch the harbour code XK-4711." in its first message
      And it worked until <changed>
      When another process goes on with the session
      Then its first request begins as the last request before it, with the answer
      And the provider refused no request

      Examples:
        | description          | kind        | changed                              |
        | nothing has changed  | threads     | nothing was compacted                |
        | summarized           | threads     | its conversation was compacted       |
        | in an event loop     | event loops | its conversation was compacted       |

    Scenario: What the user said outlasts a process and the next compaction
      Given an agent of threads that has a session
      And the user said "Never touch the harbour code XK-4711." in its first message
      And it worked until its conversation was compacted
      And another process went on with the session
      When it works until its conversation was compacted
      Then the last request says "Never touch the harbour code XK-4711."

    Scenario Outline: The window of a conversation that goes on holds what the provider counted
      Given an agent of threads that has a session
      And a response that reports <counted> tokens read and <written> tokens written
      When another process prepares a request of the session
      Then its window holds <held> tokens

      Examples:
        | description | counted | written | held  |
        | small       | 900     | 20      | 920   |
        | large       | 9,000   | 20      | 9,020 |

    Scenario Outline: A usage measures the request and its whole answer
      Given an agent of threads that has a session
      And a response of 2,000 characters to a request of 900 tokens, which <response>, and is recorded <when>
      When another process prepares a request of the session
      Then its window holds <held> tokens

      Examples:
        | description                 | response                       | when                          | held  |
        | whole                       | reports 500 tokens written     | before its message            | 1,400 |
        | recorded late               | reports 500 tokens written     | after its message             | 1,400 |
        | the agent wrote its opening | goes on with the agent's words | before its message            | 1,400 |
        | closed early                | breaks off after 1 token       | before its message            | 1,400 |
        | closed early, recorded late | breaks off after 1 token       | after its message             | 1,400 |
        | too late                    | reports 500 tokens written     | after the user's next message | 501   |

    Scenario Outline: A usage measures an answer of two messages
      Given an agent of threads that has a session
      And a response of 900 tokens read and 500 written, whose two messages of 1,000 characters are appended <how>
      When another process prepares a request of the session
      Then its window holds <held> tokens

      Examples:
        | description                          | how                          | held  |
        | together                             | together                     | 1,400 |
        | one by one                           | one by one                   | 1,400 |
        | the second goes on, with its own usage | as an answer that goes on  | 1,500 |

    Scenario Outline: The process ended before a call had its result
      Given an agent of threads that has a session
      And the model called "read" and "write", and the process ended before <missing>
      When another process goes on with the session
      Then the provider refused no request
      And the result of "<call>" says "[Tool execution was interrupted]"
      And the session shows what its last request said, and the answer

      Examples:
        | description             | missing         | call  |
        | the first of two        | both results    | read  |
        | the second of two       | both results    | write |
        | the only one without it | the second one  | write |

    Scenario Outline: A full disk refuses messages, and the agent appends them again once there is room
      Given an agent of threads that has a session
      And the model called "read", and its usage is <usage>
      When a disk with room for the answer alone refuses the answer and its result, and the agent appends them again
      Then the session shows each message of the conversation once
      And the session has <recorded>

      Examples:
        | description     | usage        | recorded                                    |
        | without a usage | not recorded | no usage                                    |
        | with a usage    | recorded     | the usage between the answer and its result |

    Scenario: A compaction that the session cannot hold is a warning, and the request goes out
      Given an agent of threads that has a session
      And another program rewinds the session
      When it works until its conversation was compacted
      Then it is warned that a compaction could not be recorded, "this compaction is not of what the session shows"

    Scenario Outline: A session that cannot be written
      When a conversation is made with <session>
      Then it is refused, and the refusal says "<cure>"

      Examples:
        | description  | session                        | cure                                         |
        | only read    | a session that is open to read | open it with the store's open                |
        | no session   | the id of a session            | it is what a store's create or open returned |
