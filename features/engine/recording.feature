Feature: Recording a conversation in its session
  An agent that gives its conversation a session need not write anything down itself: each message, usage, compaction and
  clearing goes to the log, and another process goes on where the session left off.

  @SES_18
  Rule: A conversation goes on where its session left off, and writes there what happens
    Source: S2, section 3: a session outlasts the process. That the engine writes it is a decision of this project (0226).

    Scenario Outline: What the session shows is what the provider was sent, and the answer
      Given an agent that <has>
      And the settings <settings>
      When the agent works <until>
      Then the session shows is "what was sent"
      And the requests refused is "0"
      And it warns ""

      Examples:
        | description              | has                               | settings                                  | until                       |
        | summarized twice         | has a session                     | pruning off                               | until compacted twice       |
        | cleared, then summarized | has a session                     | protected tokens 3,000, least saving 500  | until cleared and compacted |
        | it thinks                | thinks and has a session          | pruning off                               | until compacted             |
        | in an event loop         | has a session, in an event loop   | pruning off                               | until compacted             |

    Scenario Outline: Another process goes on with the session
      Given an agent that <has>
      And the settings pruning off
      When the agent works <until>, and goes on in another process
      Then the result is
        | first request | session shows | requests refused |
        | as before     | what was sent | 0                |
      And it warns ""

      Examples:
        | description         | has                             | until           |
        | nothing has changed | has a session                   | for 1 turn      |
        | summarized          | has a session                   | until compacted |

    Scenario: What the user said outlasts a process and the next compaction
      Given an agent that has a session
      And the settings pruning off
      When the agent acts
        | hears "Never touch the harbour code XK-4711.", works until compacted |
        | goes on in another process, works until compacted                    |
      Then the last request says "Never touch the harbour code XK-4711."

    Scenario Outline: The window of a conversation that goes on holds what the provider counted
      Given an agent that has a session
      And its answers report <read> tokens read and 20 written
      When the agent works for 1 turn, and goes on in another process
      Then the tokens held at first are "<held>"

      Examples:
        | description | read  | held  |
        | large       | 9,000 | 9,020 |

    Scenario Outline: A call whose result was missing when the process ended is answered as interrupted
      Given an agent that has a session
      When the agent acts
        | calls "read" and "write", and ends before <missing> |
        | goes on in another process                          |
      Then the result is
        | calls interrupted | session shows | requests refused |
        | <calls>           | what was sent | 0                |
      And it warns ""

      Examples:
        | description             | missing           | calls       |
        | both of two             | both results      | read, write |
        | the only one without it | the second result | write       |
