Feature: Ahead
  A model takes half a minute to summarize a full window, and the user waits for it. With a share of the threshold set, the
  summary is asked for earlier, in the background, while the agent goes on. When compaction is due the summary is there;
  the messages that came meanwhile stay behind it.

  @CMP_13
  Rule: From the share of the threshold on, a summary is asked for in the background, and used when compaction is due
    Source: brim; users wait 25 to 49 seconds for a summary in the middle of their work.

    Scenario Outline: The share is judged to the token
      Given a conversation whose threshold is 10,000 tokens, with a share ahead of 0.8
      When a request is prepared that holds <held> tokens
      Then <asked> asked for
      And the events are "<events>"

      Examples:
        | description    | held  | asked         | events        |
        | one token less | 7,999 | no summary is |               |
        | exactly that   | 8,000 | 1 summary is  | ahead started |
        | one token more | 8,001 | 1 summary is  | ahead started |

    Scenario: Without a share nothing is asked for ahead
      Given a conversation whose threshold is 10,000 tokens, without a share ahead
      When a request is prepared that holds 9,999 tokens
      Then no summary is asked for

    Scenario: With automatic compaction off nothing is asked for ahead
      Given a conversation that is not compacted automatically, with a share ahead of its threshold of 10,000 tokens
      When a request is prepared that holds 9,999 tokens
      Then no summary is asked for

    Scenario Outline: The due request uses the summary, and what came meanwhile stays behind it
      Given <entry point> of an agent with a share ahead, whose summarizer answers "All went well."
      When the agent goes on until the summary is used
      Then 1 summary is asked for
      And the events are "ahead started, summarizing, ahead used, started, compacted"
      And what is sent holds the newest messages, also those that came after the summary was asked for
      And its plan keeps them as "newest messages"

      Examples:
        | description          | entry point           |
        | a loop of its own    | a conversation        |
        | in an event loop     | an async conversation |
        | a client             | a client              |
        | an async client      | an async client       |

    Scenario: The agent is not held up while the summary is written
      Given a conversation of an agent with a share ahead, whose summarizer is silent
      When the agent makes 3 requests between the share and the threshold
      Then 1 summary is asked for
      And each request was prepared

    Scenario Outline: Where compaction is due before the summary is there, the request waits for it and pays no second one
      Given <entry point> of an agent with a share ahead, whose summarizer is silent
      When the agent goes on until compaction is due, and the summarizer answers then
      Then 1 summary is asked for
      And the events are "ahead started, summarizing, ahead used, started, compacted"

      Examples:
        | description       | entry point           |
        | a loop of its own | a conversation        |
        | in an event loop  | an async conversation |

    Scenario: Each conversation of a client has its own
      Given a client of an agent with a share ahead, whose summarizer answers "All went well."
      When two agents go on through it until both are compacted
      Then 2 summaries are asked for
      And the events of the summary are "ahead started, ahead started, ahead used, ahead used"

    Scenario: After a compaction the next summary is asked for ahead again
      Given a conversation of an agent with a share ahead, whose summarizer answers "All went well."
      When the agent goes on until 3 summaries are used
      Then 3 summaries are asked for

  @CMP_13
  Rule: A summary that no longer covers what leaves is discarded, and an event says so and what was asked for it
    Source: brim; a summary of messages that were changed would tell the model what never happened.

    Scenario Outline: What changes the range discards the summary, which is asked for again
      Given a client of an agent with a share ahead, whose summarizer answers "All went well."
      When the summary was asked for, and the agent <changes> and goes on until it is compacted
      Then <asked> asked for
      And the events of the summary are "<events>"

      Examples:
        | description              | changes                      | asked           | events                                                  |
        | an edit in the range     | edits its second message     | 2 summaries are | ahead started, ahead discarded, ahead started, ahead used |
        | an edit behind the range | edits its newest answer      | 1 summary is    | ahead started, ahead used                               |
        | a reminder in the range  | refreshes its first reminder | 1 summary is    | ahead started, ahead used                               |

    Scenario: A conversation that branches off asks for its own
      Given a client of an agent with a share ahead, whose summarizer answers "All went well."
      When the summary was asked for, and the agent branches off from its second message and goes on until it is compacted
      Then 2 summaries are asked for
      And the events of the summary are "ahead started, ahead started, ahead used"

    Scenario Outline: A message that leaves by now and was pinned then is not covered
      Given a conversation of an agent with a share ahead, whose summarizer answers "All went well."
      When the summary was asked for with <then> pinned, and the agent goes on with <now> pinned until it is compacted
      Then <asked> asked for
      And the events of the summary are "<events>"

      Examples:
        | description        | then               | now                | asked           | events                        |
        | the pin is taken   | its second message | nothing            | 2 summaries are | ahead started, ahead discarded |
        | the pin stays      | its second message | its second message | 1 summary is    | ahead started, ahead used     |
        | the pin came since | nothing            | its second message | 1 summary is    | ahead started, ahead used     |

    Scenario Outline: What is discarded is cancelled
      Given <entry point> of an agent with a share ahead, whose summarizer is silent
      When the summary was asked for, and the agent edits its second message and goes on by a turn
      Then the events of the summary are "ahead started, ahead discarded, ahead started"
      And 1 summary is waited for

      Examples:
        | description    | entry point     |
        | a client       | a client        |
        | an async client | an async client |

    Scenario: A summary that would leave too much is discarded
      Given a conversation of an agent with a share ahead, whose summarizer answers "All went well."
      When the summary was asked for, and a tool answers with as much as the window holds
      Then the events are "ahead started, summarizing, ahead discarded, started, summarizing, compacted"

    Scenario Outline: A summary that takes more than half of what is free by then is discarded
      Given a conversation of an agent with a share ahead, whose summarizer answers with 1,000 tokens
      When the summary was asked for, and a turn came that leaves <free> tokens free below the threshold
      Then the events are "<events>"

      Examples: The shortest summary, of one token, is not free
        | description          | free  | events                                                                       |
        | half of what is free | 1,998 | ahead started, summarizing, ahead used, started, compacted                   |
        | one token fewer      | 1,997 | ahead started, summarizing, ahead discarded, started, summarizing, compacted |

    Scenario: The provider's overflow discards it
      Given a conversation of an agent with a share ahead, whose summarizer answers "All went well."
      When the summary was asked for, and the provider says that the prompt is too long
      Then the events are "ahead started, summarizing, ahead discarded, started, summarizing, compacted"

  @CMP_13
  Rule: A failure, a cancellation and the end of the conversation leave nothing behind
    Source: brim; what runs in the background must not surprise.

    Scenario Outline: Where the background fails, the due request asks for the summary itself
      Given <entry point> of an agent with a share ahead, whose summarizer fails the first time
      When the agent goes on until it is compacted
      Then 2 summaries are asked for
      And the events are "ahead started, summarizing, attempt_rejected, ahead discarded, started, summarizing, compacted"

      Examples:
        | description       | entry point           |
        | a loop of its own | a conversation        |
        | in an event loop  | an async conversation |

    Scenario Outline: A cancelled one is discarded, and the request that waits for it ends as cancelled
      Given <entry point> of an agent with a share ahead, whose summarizer is silent
      When the agent goes on until compaction is due, and the compactor is cancelled then
      Then the request ends as cancelled
      And the events are "ahead started, summarizing, ahead discarded"

      Examples:
        | description       | entry point           |
        | a loop of its own | a conversation        |
        | in an event loop  | an async conversation |

    Scenario: A conversation that is dropped ends the call that it asked for
      Given a conversation of an agent with a share ahead, whose summarizer is silent
      When the summary was asked for, and the conversation is dropped
      Then no thread waits for the summary any more

    Scenario: A program ends while a summary is written
      Given a program whose conversation asks for a summary ahead from a summarizer that never answers
      When the program comes to its end
      Then it ends with 0, and says nothing

    Scenario Outline: A share that cannot work is refused
      When a policy with a share ahead of <share> is made
      Then it is refused: ahead is <share>; it is a share of the threshold, above 0 and below 1

      Examples:
        | description | share |
        | nothing     | 0     |
        | all of it   | 1     |
