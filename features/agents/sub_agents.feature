Feature: Sub-agents
  An agent gives a task to another agent, which works in a conversation of its own and returns its final answer.

  @AGT_03
  Rule: A sub-agent has its own conversation, account, trigger and session, and only its final answer returns
    Source: S2, section 6: sub-agents work in a context of their own, each counts its own tokens, and the result comes back as
    the output of a tool.

    Scenario: The final answer is all that returns
      Given an agent "explore" that reads "The bell rings at 6." and answers "At six."
      When the caller's model gives it the task "When does the bell ring?"
      Then the result is "At six."
      And its first request says "When does the bell ring?" and nothing else
      And its last request says "The bell rings at 6."

    Scenario Outline: Each sub-agent compacts its own conversation when its own window is due
      Given sub-agents whose models hold 40,000 tokens
      And an agent "general" that reads <outputs> outputs of 2,000 tokens and answers "Read."
      And an agent "explore" that reads "A line." and answers "Seen."
      When the caller's model gives both a task
      Then the results are "Read." and "Seen."
      And the number of compactions is <general>
      And the provider refused no request

      Examples:
        | description         | outputs | general |
        | its window suffices | 5       | 0       |
        | its window is due   | 20      | 1       |

    Scenario: Its session is a child of the caller's
      Given a caller with a session
      And an agent "explore" that reads "The bell rings at 6." and answers "At six."
      When the caller's model gives it the task "When does the bell ring?"
      Then the session of the sub-agent is a child of the caller's
      And that session says "When does the bell ring?", "The bell rings at 6." and "At six."
      And the session of the caller is empty

    Scenario: Its session has its compactions, so that the next process sees what it saw
      Given a caller with a session
      And sub-agents whose models hold 40,000 tokens
      And an agent "general" that reads 20 outputs of 2,000 tokens and answers "Read."
      When the caller's model gives it the task "Read all."
      Then the session of the sub-agent is a child of the caller's
      And that session shows what its last request said, and "Read."
      And the number of compactions is 1

    Scenario: The program receives each result with what it used, also of agents that sub-agents call
      Given a depth of 2
      And an agent "general" that calls "explore" and answers with what it is given
      And an agent "explore" that answers "At six."
      When the caller's model gives it the task "When does the bell ring?"
      Then the program received the results of "explore" after 1 response and "general" after 2 responses

  @AGT_06
  Rule: Sub-agents call others to a set depth, by default 1, and what a caller is denied stays denied
    Source: S2, sections 6 and 11, which leave the depth open; OpenCode's code denies a sub-agent what its caller is denied. The
    depth of 1 that is the default is a decision of this project (0157).

    Scenario Outline: A sub-agent calls another one
      Given a depth of <depth>
      And an agent "general" that calls "explore" and answers with what it is given
      And an agent "explore" that answers "At six."
      When the caller's model gives it the task "When does the bell ring?"
      Then the result says "<result>"

      Examples:
        | description                | depth | result                                    |
        | one level: it may not      | 1     | sub-agents are 1 deep at most             |
        | two levels: one more may   | 2     | At six.                                   |

    Scenario: Without a set depth a sub-agent calls no other one
      Given an agent "general" that calls "explore" and answers with what it is given
      And an agent "explore" that answers "At six."
      When the caller's model gives it the task "When does the bell ring?"
      Then the result says "sub-agents are 1 deep at most"

    Scenario Outline: A sub-agent that uses a tool
      Given the caller "<caller>"
      And an agent "<agent>" that uses <tool> and answers with what it is given
      When the caller's model gives it the task "Change the bell."
      Then the result says "<result>"
      And <tool> was <offered> to it

      Examples:
        | description                             | caller | agent   | tool   | result                                | offered     |
        | it and its caller may                   | build  | general | Write  | Written.                              | offered     |
        | its caller may not                      | plan   | general | Write  | the agent that called may not         | not offered |
        | it may not                              | build  | explore | Write  | explore may not use Write             | not offered |
        | it gives itself more rights than it has | plan   | helper  | Write  | the agent that called may not         | not offered |
        | its rules ask, and nobody is there      | build  | careful | Write  | nobody can be asked                   | offered     |
        | its list of tools lacks it              | build  | reader  | Write  | does not have the tool Write          | not offered |
        | a tool that nobody has                  | build  | general | Delete | there is no tool 'Delete'             | not offered |

    Scenario Outline: A use that the rules ask about
      Given a user who <says>
      And an agent "careful" that uses Write and answers with what it is given
      When the caller's model gives it the task "Change the bell."
      Then the result says "<result>"

      Examples:
        | description | says     | result                        |
        | agreed      | agrees   | Written.                      |
        | refused     | refuses  | the user does not want this   |
        | wrote "no"  | objects  | the user does not want this   |

    Scenario Outline: The permission mode of the program
      Given the permission mode of the program "<mode>"
      And an agent "<agent>" that uses Write and answers with what it is given
      When the caller's model gives it the task "Change the bell."
      Then the result says "<result>"

      Examples:
        | description                  | mode              | agent   | result                              |
        | it edits no file             | plan              | general | the mode plan edits no file         |
        | it asks about nothing        | dontAsk           | careful | the mode dontAsk asks about nothing |
        | what a rule asks about stays | bypassPermissions | careful | nobody can be asked                 |

  @AGT_07
  Rule: Sub-agents work side by side, and one that fails, is cancelled or takes too long returns its error as its result
    Source: S2, section 1; the errors are a decision of this project (0158).

    Scenario: Two sub-agents that wait for each other
      Given an agent "general" that meets the other and answers "Met."
      And an agent "explore" that meets the other and answers "Met too."
      When the caller's model gives both a task
      Then the results are "Met." and "Met too."

    Scenario Outline: One of two sub-agents fails
      Given an agent "general" that <fails>
      And an agent "explore" that answers "Seen."
      When the caller's model gives both a task
      Then the first result is an error that says "<error>"
      And the second result is "Seen."

      Examples:
        | description                 | fails                   | error                              |
        | the provider refuses        | is refused by the API   | BadRequestError                    |
        | the provider gives no sign  | gets no response        | it took longer than 1.5 seconds    |
        | it says nothing             | answers nothing         | its final answer has no text       |
        | its answer is cut off       | is cut off              | its answer ended early             |
        | it never comes to an end    | calls tools in a circle | it took 200 responses, as many as it may |

    Scenario Outline: How many responses a sub-agent may take
      Given sub-agents that take <most> responses at most
      And the agent "general" names <own>
      And an agent "general" that reads 3 outputs of 10 tokens and answers "Read."
      When the caller's model gives it the task "Read all."
      Then the result says "<result>"

      Examples:
        | description                        | most | own             | result                                  |
        | as many as it needs                | 4    | any number      | Read.                                   |
        | one too few                        | 3    | any number      | it took 3 responses, as many as it may  |
        | its own number is smaller          | 4    | 3 at most       | it took 3 responses, as many as it may  |
        | its own number is larger           | 3    | 4 at most       | it took 3 responses, as many as it may  |

    Scenario: The caller cancels
      Given an agent "general" that gets no response
      When the caller's model gives it the task "Look.", and the caller cancels
      Then the first result is an error that says "it was cancelled"

    Scenario Outline: A tool of a sub-agent fails, and the sub-agent goes on
      Given an agent "general" that uses <tool> and answers with what it is given
      When the caller's model gives it the task "Look."
      Then the result says "<result>"

      Examples:
        | description     | tool   | result                             |
        | it raises       | Break  | OSError: the bell is broken        |
        | it never ends   | Hang   | Hang did not end within 0.2 seconds |

    Scenario Outline: A task that cannot begin is an error of its call
      Given an agent "explore" that answers "Seen."
      When the caller's model gives "<agent>" the task "<prompt>" and explore another
      Then the first result is an error that says "<error>"
      And the second result is "Seen."

      Examples:
        | description              | agent  | prompt | error                                |
        | an agent that is unknown | explor | Look.  | did you mean explore?                |
        | an agent of the user     | plan   | Look.  | is for the user alone                |
        | no task                  | general |       | the prompt of the agent general is '' |

    Scenario: A caller that names no model
      When sub-agents are made without a model
      Then it is refused, and the refusal says "the model is ''"

  @AGT_08
  Rule: Each agent has the model that it names, and where it names none that of the agent that calls
    Source: S2, section 6: Claude Code has explore on a smaller model.

    Scenario Outline: The model of a sub-agent
      Given an agent "general" with the model "<named>" that answers "Done."
      When the caller's model gives it the task "Look."
      Then its request is for the model "<model>"

      Examples:
        | description               | named                     | model            |
        | none: the caller's        |                           | claude-opus-5-5  |
        | a model of its own        | claude-haiku-5            | claude-haiku-5   |
        | one as OpenCode writes it | anthropic/claude-haiku-5  | claude-haiku-5   |
        | one by its short name     | small                     | claude-haiku-5   |

    Scenario: A sub-agent that names no model has that of the sub-agent that calls it
      Given a depth of 2
      And an agent "general" with the model "claude-haiku-5" that calls "explore"
      And an agent "explore" that answers "At six."
      When the caller's model gives it the task "When does the bell ring?"
      Then the requests of "explore" are for the model "claude-haiku-5"
