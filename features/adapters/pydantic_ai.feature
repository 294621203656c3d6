Feature: pydantic-ai
  A history processor decides what of a conversation is sent to the model. pydantic-ai takes what it returns for the
  history of the run; the application stores that, or the messages that each run added, and passes them to the next run.

  @ADP_05
  Rule: No request of a pydantic-ai agent exceeds the usable context, in any form that the application stores
    Source: ADP_01, for this library. After a restart the whole conversation was sent, while the usage of a response to
    the compacted history was taken for a measure of all of it.

    Scenario Outline: A history of three windows is sent in parts
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And the application stores <stored>
      When the user asks it 24 questions, each answered with about 875 tokens
      Then none of its requests held more than 7,000 tokens
      And the processor wrote 3 summaries

      Examples:
        | description                        | stored                                  |
        | the whole conversation             | the new messages of each run            |
        | the compacted history              | all messages of the last run            |
        | a database, the whole conversation | the new messages of each run, as JSON   |
        | a database, the compacted history  | all messages of the last run, as JSON   |
        | no field but the text and the size | the new messages of each run, built anew |

    Scenario Outline: A history with tool calls is sent in parts
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And the application stores <stored>
      When the user asks it 8 questions, each answered after reading 3 files of about 875 tokens
      Then none of its requests held more than 7,000 tokens
      And each of its requests has whole pairs of calls and results
      And the processor wrote <summaries>

      Examples:
        | description                        | stored                                   | summaries   |
        | the whole conversation             | the new messages of each run             | 4 summaries |
        | the compacted history              | all messages of the last run             | 4 summaries |
        | a database, the whole conversation | the new messages of each run, as JSON    | 4 summaries |
        | a database, the compacted history  | all messages of the last run, as JSON    | 4 summaries |
        | compactions in a run are forgotten | the new messages of each run, built anew | 6 summaries |

    Scenario Outline: The next run counts what the last response of the run before reported
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And the application stores <stored>
      And question 3 of the user is estimated at 5,500 tokens, and its provider counts 1
      When the user asks it 5 questions, each answered after reading 3 files of about 875 tokens
      Then the processor wrote 2 summaries

      Examples:
        | description                        | stored                                |
        | the whole conversation             | the new messages of each run          |
        | the compacted history              | all messages of the last run          |
        | a database, the whole conversation | the new messages of each run, as JSON |
        | a database, the compacted history  | all messages of the last run, as JSON |

    Scenario Outline: A question that does not fit is refused before the model is called
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And question 6 of the user takes <size> tokens
      When the user asks it 6 questions, each answered with about 875 tokens
      Then none of its requests held more than 7,000 tokens
      And its run met <errors>
      And its model was called <calls> times

      Examples:
        | description | size  | errors                                                        | calls |
        | it fits     | 6,000 | no error                                                      | 6     |
        | too large   | 7,001 | 1 error: "the user's last message 7,001. Shorten the largest" | 5     |

    Scenario Outline: The first question is refused where it does not fit beside the rest of its request
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And <besides>
      And question 1 of the user takes 3,000 tokens
      When the user asks it 1 questions, each answered with about 875 tokens
      Then its run met <errors>
      And its model was called <calls> times

      Examples:
        | description          | besides                                                          | errors                                   | calls |
        | nothing besides      | its agent has a system prompt of 10 tokens                       | no error                                 | 1     |
        | a long system prompt | its agent has a system prompt of 4,001 tokens                    | 1 error: "system prompt 4,001,"          | 0     |
        | long instructions    | its agent has instructions of 4,001 tokens                       | 1 error: "system prompt 4,001,"          | 0     |
        | a large tool         | the description of its tool is 4,001 tokens long                 | 1 error: "tools 4,0"                     | 0     |
        | short answers        | its model states a window of 8,000 and it asks for 1,000 tokens  | no error                                 | 1     |
        | long answers         | its model states a window of 8,000 and it asks for 5,001 tokens  | 1 error: "the user's last message 3,000" | 0     |

  @ADP_06
  Rule: After three compactions in a row that leave the window due, a pydantic-ai agent pays for no other summary
    Source: a defect of this project. The third compaction was refused and not recorded, so that each request made it again.

    Scenario Outline: A system prompt that exceeds the threshold costs three summaries
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And the application stores <stored>
      And the application restarts after turn <restart>
      And its compactions are due from 5,000 tokens on, and its system prompt takes 5,200
      When the user asks it 7 questions, each answered with about 875 tokens
      Then the processor wrote 3 summaries
      And each of the last 3 runs met an error: "3 compactions in a row left"

      Examples: The first question leaves nothing to compact
        | description                | stored                                | restart |
        | in one process             | the new messages of each run          | 7       |
        | a restart during the three | the new messages of each run, as JSON | 3       |
        | a restart after the three  | the new messages of each run, as JSON | 5       |
        | the compacted history      | all messages of the last run, as JSON | 3       |

  @ADP_05
  Rule: A response that the provider paused is sent back with the history as it is
    Source: the provider goes on with the very response that it paused.

    Scenario Outline: The history is due
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      When its processor gets 12 questions and answers of about 875 tokens, and then <what>
      Then it <does>

      Examples:
        | description | what              | does                      |
        | a question  | a question        | compacts the history      |
        | a pause     | a paused response | leaves the history as it is |

  @ADP_06
  Rule: The record of a compaction is kept in the messages that pydantic-ai returns, and survives a restart
    Source: ADP_02, for this library: its messages have a place for data of the application, which no provider is sent.

    Scenario Outline: After a restart the last compaction of the history is still used
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And the application stores <stored>
      And the application restarts after turn 10
      When the user asks it 12 questions, each answered with about 875 tokens
      Then none of its requests held more than 7,000 tokens
      And the processor wrote 1 summary

      Examples:
        | description            | stored                                |
        | the whole conversation | the new messages of each run, as JSON |
        | the compacted history  | all messages of the last run, as JSON |

    Scenario: After a restart the next compaction knows the facts of the last one
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And the application stores the new messages of each run, as JSON
      And the application restarts after turn 10
      And question 1 to it says "question 1: never touch the lexer."
      When the user asks it 24 questions, each answered with about 875 tokens
      Then the processor wrote 3 summaries
      And its last summary lists "- question 1: never touch the lexer."

    Scenario: After a restart the index of the next summary has the identifiers of what left before
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And its application stores new messages as JSON, and restarts after turn 10
      And its answer to question 1 ends with "See docs/pier.md."
      When the user asks it 24 questions, each answered with about 875 tokens
      Then the index of its last summary has the line "- paths: docs/pier.md"

    Scenario: After a restart a compaction that only the estimate makes due knows the facts of the last one
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And its application stores new messages as JSON, and restarts after turn 12
      And question 1 to it says "question 1: never touch the lexer."
      And question 10 of the user is estimated at 2,500 tokens, and its provider counts 1
      When the user asks it 13 questions, each answered with about 875 tokens
      Then the processor wrote 2 summaries
      And its last summary lists "- question 1: never touch the lexer."

    Scenario: After a restart in the middle of work with tools
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And the application stores the new messages of each run, as JSON
      And the application restarts after turn 3
      When the user asks it 8 questions, each answered after reading 3 files of about 875 tokens
      Then none of its requests held more than 7,000 tokens
      And each of its requests has whole pairs of calls and results
      And the processor wrote 4 summaries

    Scenario Outline: The application's history of the whole conversation has each question
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And the application stores <stored>
      When the user asks it 8 questions, each answered after reading 3 files of about 875 tokens
      Then the processor wrote 4 summaries
      And the application has stored each of its 8 questions once

      Examples:
        | description        | stored                                |
        | in memory          | the new messages of each run          |
        | in a database      | the new messages of each run, as JSON |

  @ADP_07
  Rule: If the record of a compaction is lost, brim compacts the pydantic-ai history once more and warns
    Source: ADP_04, for this library.

    Scenario: The metadata of the messages is lost with a restart
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And the application stores the new messages of each run, built anew
      And the application restarts after turn 10
      When the user asks it 12 questions, each answered with about 875 tokens
      Then none of its requests held more than 7,000 tokens
      And the processor wrote 2 summaries
      And the application is warned: "came back without the record of its compaction"

    Scenario Outline: The compacted history comes back with its summary
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And the application stores <stored>
      And question 4 of the user is estimated at 3,000 tokens, and its provider counts 1
      And the application restarts after turn 4
      When the user asks it 5 questions, each answered after reading 2 files of about 875 tokens
      Then the processor wrote 2 summaries
      And the application is not warned

      Examples:
        | description            | stored                                |
        | the whole conversation | the new messages of each run, as JSON |
        | the compacted history  | all messages of the last run, as JSON |

    Scenario Outline: A history that was sent whole before is compacted without a warning, read from the cache or not
      Given an agent of pydantic-ai with a usable context of 7,000 tokens
      And its agent has no processor up to turn 9
      And its provider reads <cached> from its cache
      When the user asks it 10 questions, each answered with about 875 tokens
      Then the processor wrote 1 summary
      And the application is not warned

      Examples:
        | description | cached            |
        | nothing     | no token          |
        | nearly all  | all but 10 tokens |
