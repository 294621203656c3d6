Feature: Sub-agents
  An agent gives a task to another agent, which works in a conversation of its own and returns its final answer.

  "It" is the first agent of an example; the provider gives the answers that the agents are said to give.

  @AGT_03
  Rule: A sub-agent has its own conversation, account, trigger and session, and only its final answer returns
    Source: S2, section 6: sub-agents work in a context of their own, each counts its own tokens, and the result comes back as
    the output of a tool.

    Scenario: The final answer is all that returns
      Given an agent "explore" that reads "The bell rings at 6." and answers "At six."
      When the caller's model gives it the task "When does the bell ring?"
      Then the result is
        | results | first request            | last request           |
        | At six. | When does the bell ring? | …The bell rings at 6.… |

    Scenario Outline: Each sub-agent compacts its own conversation when its own window is due
      Given sub-agents with window 40,000
      And an agent "general" that reads <outputs> outputs of 2,000 tokens and answers "Read."
      And an agent "explore" that reads "A line." and answers "Seen."
      When the caller's model gives both a task
      Then the result is
        | results      | failed | compactions | answers left |
        | Read., Seen. | no, no | <general>   | 0            |

      Examples:
        | description         | outputs | general |
        | its window suffices | 5       | 0       |
        | its window is due   | 20      | 1       |

    Scenario: Its session is a child of the caller's
      Given a caller with a session
      And an agent "explore" that reads "The bell rings at 6." and answers "At six."
      When the caller's model gives it the task "When does the bell ring?"
      Then the result is
        | new session                | its last message | caller's messages |
        | …When does the bell ring?… | At six.          | 0                 |
      And the new session says "The bell rings at 6."

    Scenario: Its session has its compactions, so that the next process sees what it saw
      Given a caller with a session
      And sub-agents with window 40,000
      And an agent "general" that reads 20 outputs of 2,000 tokens and answers "Read."
      When the caller's model gives it the task "Read all."
      Then the result is
        | shows the last request | its last message | compactions |
        | yes                    | Read.            | 1           |

    Scenario: The program receives each result with what it used, also of agents that sub-agents call
      Given sub-agents with depth 2
      And an agent "general" that calls "explore" and answers with what it is given
      And an agent "explore" that answers "At six."
      When the caller's model gives it a task
      Then the result is
        | agents received  | models received                  | responses received |
        | explore, general | claude-opus-5-5, claude-opus-5-5 | 1, 2               |

  @AGT_06
  Rule: Sub-agents call others to a set depth, by default 1, and what a caller is denied stays denied
    Source: S2, sections 6 and 11, which leave the depth open; OpenCode's code denies a sub-agent what its caller is denied. The
    depth of 1 that is the default is a decision of this project (0236).

    Scenario Outline: A sub-agent calls another one
      Given sub-agents with depth <depth>
      And an agent "general" that calls "explore" and answers with what it is given
      And an agent "explore" that answers "At six."
      When the caller's model gives it a task
      Then the result says "<result>"

      Examples:
        | description              | depth | result                        |
        | one level: it may not    | 1     | sub-agents are 1 deep at most |
        | two levels: one more may | 2     | At six.                       |

    Scenario: Without a set depth a sub-agent calls no other one
      Given an agent "general" that calls "explore" and answers with what it is given
      And an agent "explore" that answers "At six."
      When the caller's model gives it a task
      Then the result says "sub-agents are 1 deep at most"

    Scenario Outline: A sub-agent that uses a tool
      Given sub-agents with caller <caller>
      And an agent "<agent>" that uses <tool> and answers with what it is given
      When the caller's model gives it a task
      Then the result is
        | result     | offered   |
        | …<result>… | <offered> |

      Examples:
        | description                             | caller | agent   | tool   | result                        | offered |
        | it and its caller may                   | build  | general | Write  | Written.                      | yes     |
        | its caller may not                      | plan   | general | Write  | the agent that called may not | no      |
        | it may not                              | build  | explore | Write  | explore may not use Write     | no      |
        | it gives itself more rights than it has | plan   | helper  | Write  | the agent that called may not | no      |
        | its rules ask, and nobody is there      | build  | careful | Write  | nobody can be asked           | yes     |
        | its list of tools lacks it              | build  | reader  | Write  | does not have the tool Write  | no      |
        | a tool that nobody has                  | build  | general | Delete | there is no tool 'Delete'     | no      |

    Scenario Outline: A use that the rules ask about, and the permission mode of the program
      Given sub-agents with <setting>
      And an agent "<agent>" that uses Write and answers with what it is given
      When the caller's model gives it a task
      Then the result says "<result>"

      Examples: A user is asked
        | description | setting          | agent   | result                      |
        | agreed      | user who agrees  | careful | Written.                    |
        | refused     | user who refuses | careful | the user does not want this |
        | wrote "no"  | user who objects | careful | the user does not want this |

      Examples: Modes
        | description                  | setting                             | agent   | result                              |
        | it edits no file             | permission mode "plan"              | general | the mode plan edits no file         |
        | it asks about nothing        | permission mode "dontAsk"           | careful | the mode dontAsk asks about nothing |
        | what a rule asks about stays | permission mode "bypassPermissions" | careful | nobody can be asked                 |

  @AGT_07
  Rule: Sub-agents work side by side, and one that fails, is cancelled or takes too long returns its error as its result
    Source: S2, section 1; the errors are a decision of this project (0236).

    Scenario: Two sub-agents that wait for each other
      Given an agent "general" that meets the other and answers "Met."
      And an agent "explore" that meets the other and answers "Met too."
      When the caller's model gives both a task
      Then the results are "Met., Met too."

    Scenario Outline: One of two sub-agents fails
      Given an agent "general" that <fails>
      And an agent "explore" that answers "Seen."
      When the caller's model gives both a task
      Then the result is
        | result    | second result | failed  |
        | …<error>… | Seen.         | yes, no |

      Examples:
        | description                | fails                   | error                                    |
        | the provider refuses       | is refused by the API   | BadRequestError                          |
        | the provider gives no sign | gets no response        | it took longer than 1.5 seconds          |
        | it says nothing            | answers nothing         | its final answer has no text             |
        | its answer is cut off      | is cut off              | its answer ended early                   |
        | it never comes to an end   | calls tools in a circle | it took 200 responses, as many as it may |

    Scenario Outline: How many responses a sub-agent may take
      Given sub-agents with responses at most <most>
      And an agent "general" that takes <own> responses at most, reads 3 outputs of 10 tokens and answers "Read."
      When the caller's model gives it a task
      Then the result says "<result>"

      Examples:
        | description               | most | own           | result                                 |
        | as many as it needs       | 4    | any number of | Read.                                  |
        | one too few               | 3    | any number of | it took 3 responses, as many as it may |
        | its own number is smaller | 4    | 3             | it took 3 responses, as many as it may |
        | its own number is larger  | 3    | 4             | it took 3 responses, as many as it may |

    Scenario: The caller cancels
      Given an agent "general" that gets no response
      When the caller's model gives it a task, and the caller cancels
      Then the result is
        | result             | failed |
        | …it was cancelled… | yes    |

    Scenario Outline: A tool of a sub-agent fails, and the sub-agent goes on
      Given an agent "general" that uses <tool> and answers with what it is given
      When the caller's model gives it a task
      Then the result says "<result>"

      Examples:
        | description   | tool  | result                              |
        | it raises     | Break | OSError: the bell is broken         |
        | it never ends | Hang  | Hang did not end within 0.2 seconds |

    Scenario Outline: A task that cannot begin is an error of its call
      Given an agent "explore" that answers "Seen."
      When the caller's model gives "<agent>" the task "<prompt>", and explore another
      Then the result is
        | result    | second result | failed  |
        | …<error>… | Seen.         | yes, no |

      Examples:
        | description              | agent   | prompt | error                                 |
        | an agent that is unknown | explor  | Look.  | did you mean explore?                 |
        | an agent of the user     | plan    | Look.  | is for the user alone                 |
        | no task                  | general |        | the prompt of the agent general is '' |

  @AGT_08
  Rule: Each agent has the model that it names, and where it names none that of the agent that calls
    Source: S2, section 6: Claude Code has explore on a smaller model.

    Scenario Outline: The model of a sub-agent
      Given an agent "general" with the model "<named>" that answers "Done."
      When the caller's model gives it a task
      Then the models of general are "<model>"

      Examples:
        | description               | named                    | model           |
        | none: the caller's        |                          | claude-opus-5-5 |
        | a model of its own        | claude-haiku-5           | claude-haiku-5  |
        | one as OpenCode writes it | anthropic/claude-haiku-5 | claude-haiku-5  |
        | one by its short name     | small                    | claude-haiku-5  |

    Scenario: A sub-agent that names no model has that of the sub-agent that calls it
      Given sub-agents with depth 2
      And an agent "general" with the model "claude-haiku-5" that calls "explore"
      And an agent "explore" that answers "At six."
      When the caller's model gives it a task
      Then the models of explore are "claude-haiku-5"
