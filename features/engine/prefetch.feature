Feature: Prefetch
  A model takes half a minute to summarize a full window, and the user waits for it. With a share of the threshold set, the
  summary is asked for earlier, in the background, while the agent goes on. When compaction is due the summary is there;
  the messages that came meanwhile stay behind it. Each note of the agent has 2,000 tokens, and its threshold is 10,000.

  @CMP_13
  Rule: From the share of the threshold on, a summary is asked for in the background, and used when compaction is due
    Source: brim; users wait 25 to 49 seconds for a summary in the middle of their work.

    Scenario Outline: The share is judged to the token
      Given an agent that has read 2 notes
      And the settings <settings>
      And the provider answers
        | read  | written   |
        | 7,000 | <written> |
      When the agent sends, and sends
      Then the provider is asked for <count> summaries
      And the summaries ahead are "<ahead>"

      Examples: The question behind the answer takes one token
        | description          | settings                        | written | count | ahead   |
        | one token less       | share ahead 0.8                 | 998     | 0     |         |
        | exactly that         | share ahead 0.8                 | 999     | 1     | started |
        | compaction is off    | share ahead 0.8, compaction off | 2,998   | 0     |         |

    Scenario Outline: The due request uses the summary, and what came meanwhile stays behind it
      Given an agent that has read 3 notes<where>
      And the settings share ahead 0.5, keep target 3,000
      When the agent sends, asks 4,000 tokens, and sends
      Then the provider is asked for 1 summary
      And the summaries ahead are "started, used"
      And the last request says "Summary of the earlier conversation", and not "call-0"
      And the last request says "call-2"

      Examples:
        | description      | where              |
        | in a thread      |                    |
        | in an event loop | , in an event loop |

    Scenario: After a compaction the next summary is asked for ahead again
      Given an agent that has read 3 notes
      And the settings share ahead 0.5, keep target 3,000
      When the agent sends, reads 3 more notes, sends, sends, reads 3 more notes, and sends
      Then the provider is asked for 2 summaries
      And the summaries ahead are "started, used, started, used"

  @CMP_13
  Rule: A summary made ahead is discarded if it no longer fits what leaves; an event says so, and what was asked for it
    Source: brim; a summary that is not yet used and of messages that were changed would tell the model what never happened.

    Scenario Outline: A change of what was summarized discards the summary, which is asked for again
      Given an agent that has read 3 notes
      And the settings share ahead 0.4, keep target 3,000
      When the agent acts
        | sends                           |
        | <changes>                       |
        | sends, asks 6,000 tokens, sends |
      Then the provider is asked for <count> summaries
      And the summaries ahead are "<ahead>"

      Examples:
        | description              | changes                                                | count | ahead                             |
        | an edit in the range     | edits its third message                                | 2     | started, discarded, started, used |
        | an edit behind the range | edits its newest message                               | 1     | started, used                     |
        | a reminder in the range  | puts a reminder "It is ten." beside its first output   | 1     | started, used                     |

    Scenario Outline: A summary that does not help is discarded, and the event names what was asked for it
      Given an agent that has read 3 notes
      And the settings share ahead 0.5, keep target 3,000
      And the provider answers
        | refusal   |
        |           |
        |           |
        | <then>    |
      When the agent sends, <acts>, and sends
      Then the provider is asked for 2 summaries
      And the last summary ahead is "<event>"

      Examples:
        | description             | then                                  | acts              | event                                                    |
        | it would leave too much |                                       | asks 8,000 tokens | …it would leave 10,034 tokens, where 0 leave room to go on, 6,803 tokens asked |
        | the provider's overflow | 400 prompt is too long: 9 > 8 maximum | asks "Go on."     | …the provider says that the prompt is too long, 6,803 tokens asked |

  @CMP_13
  Rule: A failure, a cancellation and the end of the conversation leave nothing behind
    Source: brim; what runs in the background must not surprise.

    Scenario Outline: Where the background fails, the due request asks for the summary itself
      Given an agent that has read 3 notes<where>
      And the settings share ahead 0.5, keep target 3,000
      And the provider answers
        | to        | refusal         |
        | a summary | 401 no such key |
      When the agent sends, asks 4,000 tokens, and sends
      Then the provider is asked for 2 summaries
      And the last summary ahead is "summary ahead: discarded, it failed: …"
      And the last request says "Summary of the earlier conversation", and not "call-0"

      Examples:
        | description      | where              |
        | in a thread      |                    |
        | in an event loop | , in an event loop |
