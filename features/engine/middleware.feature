Feature: Middleware
  Middleware is part of a client of the SDK. The agent passes its whole list of messages with each request, and the
  middleware finds the conversation that the request continues.

  @TRG_24
  Rule: A request continues the conversation with the same content, and the same messages are compacted only once
    Source: a decision of this project (0091), after agents that rewrite a reminder or an environment text paid for a
    summary with each request.

    System reminders, environment texts and cache marks do not count as content, nor does the first message where all that
    follows is the same.

    Scenario Outline: The agent changes a message that it has already sent
      Given an agent whose window is due
      And its newest message has <first>
      When the agent makes its request, and another in which that message has <then>
      Then the provider receives 1 summary request
      And the last request it received has <then>

      Examples:
        | description                | first                   | then                     |
        | a reminder that is dropped | a system reminder       | nothing beside its text  |
        | a reminder that is new     | nothing beside its text | a system reminder        |
        | a reminder that changes    | a system reminder       | another system reminder  |
        | the environment            | an environment text     | another environment text |
        | a mark for the cache       | a cache mark            | nothing beside its text  |
        | a mark that is new         | nothing beside its text | a cache mark             |
        | a mark that stays          | a cache mark            | a cache mark             |

    Scenario Outline: More conversations continue than brim keeps
      Given <agents> agents whose windows are due, and room for 2 conversations
      When each of them makes two requests
      Then the provider receives <summaries>
      And <warned>

      Examples:
        | description      | agents | summaries          | warned              |
        | as many          | 2      | 2 summary requests | there is no warning |
        | one is forgotten | 3      | 3 summary requests | there is no warning |

    Scenario Outline: Two agents share a client, and some of their messages differ
      Given an agent whose window is due
      And another agent whose <message> says "Something else."
      When each of them makes two requests
      Then the second agent's request says "Something else." and not "<words>"
      And the first agent's request does not say "Something else."

      Examples:
        | description  | message                  | words             |
        | at both ends | first and newest message | Read notes 0.     |
        | at the end   | newest message           | What do they say? |

  @TRG_24
  Rule: A compaction covers the messages that it summarizes, and edits of later messages keep the summary
    Source: a decision of this project (0091), after agents that clear old tool outputs or rewrite their last message
    paid for a summary with each request.

    Scenario Outline: The agent edits a message
      Given an agent whose window is due
      When the agent makes its request, and another after it has edited <message>
      Then the provider receives 1 summary request
      And <warned>
      And the last request it received <says> "Edited."

      Examples:
        | description                 | message              | warned                                                      | says         |
        | it is summarized            | its third message    | one warning says "was changed after brim had summarized it" | does not say |
        | it is the first             | its first message    | one warning says "was changed after brim had summarized it" | does not say |
        | several are summarized      | its first 3 outputs  | one warning says "was changed after brim had summarized it" | does not say |
        | it is kept                  | its last tool output | there is no warning                                         | says         |
        | it is the last, and is kept | its newest message   | there is no warning                                         | says         |

    Scenario: The agent edits an answer that is sent without its thinking
      Given an agent whose window is due
      And its first answer in words is pinned, and has thinking
      When the agent makes its request, and another after an edit of that answer
      Then there is no warning
      And the last request it received says "Edited."
      And the last request it received does not say "thinking"

    Scenario: The facts of the summary are known after an edit of a later message
      Given an agent whose window is due
      And its first message says "Never touch the lexer."
      When the agent makes its request, edits its last tool output, and works until its window is due again
      Then the provider receives 2 summary requests
      And the last request it received says "Never touch the lexer."

    Scenario: The agent removes its last messages
      Given an agent whose window is due
      When the agent makes its request, another, and one without the messages added since the first
      Then the provider receives 1 summary request
      And there is no warning

    Scenario Outline: A longer newest message in place of one that was sent is compacted if it is due with it
      Given an agent whose window is due
      When the agent makes its request, and another with a newest message of <tokens> tokens in place of that one
      Then the provider receives <summaries>

      Examples: The turn that stays takes 2,000 of 10,000 tokens
        | description | tokens | summaries          |
        | not due     | 4,000  | 1 summary request  |
        | due         | 9,000  | 2 summary requests |

    Scenario: A request with less than the compaction covered is sent without the summary
      Given an agent whose window is due
      When the agent makes its request, and another with its first 9 messages alone
      Then the provider receives 1 summary request
      And the last request it received does not say "All went well."
      And there is no warning

    Scenario Outline: A request that ends in an output which the summary replaces is compacted anew, and keeps the output
      Given an agent that has read 6 notes for one question, and whose window is due
      When the agent makes its request, and another with its first <count> messages alone
      Then the provider receives <summaries>
      And the last request it received says "<output>"

      Examples: The summary replaces the outputs of 11 messages
        | description               | count | summaries          | output |
        | the last that it replaces | 11    | 2 summary requests | call-4 |
        | the first behind it       | 13    | 1 summary request  | call-5 |

    Scenario Outline: A changed reminder beside a cleared output is sent as it is now
      Given an agent with a reminder beside its first output
      When the agent makes its request, and another in which that reminder has changed and <end>
      Then the last request it received says "It is 10:00."
      And the last request it received does not say "It is 9:00."
      And in the last request it received the first output is cleared

      Examples:
        | description     | end                          |
        | it continues    | the answer follows           |
        | it branches off | its newest message is edited |
        | it is shorter   | its last 2 messages are gone |

    Scenario Outline: A reminder that grows is counted, and the request is compacted if it is due with it
      Given an agent with a reminder beside its first output
      When the agent makes its request, and another in which that reminder has <grown> and <end>
      Then the provider receives <summaries>

      Examples:
        | description              | grown                  | end                          | summaries          |
        | it continues, not due    | changed                | the answer follows           | 0 summary requests |
        | it continues             | grown by 10,000 tokens | the answer follows           | 1 summary request  |
        | it branches off, not due | changed                | its newest message is edited | 0 summary requests |
        | it branches off          | grown by 10,000 tokens | its newest message is edited | 1 summary request  |
        | it is shorter            | grown by 10,000 tokens | its last 2 messages are gone | 1 summary request  |

    Scenario Outline: A reminder that grows in a request that fails is counted with the next one
      Given an agent with a reminder beside its first output
      When the agent drops the answer to its request, repeats it with that reminder <grown>, which fails, and asks further
      Then the provider receives <summaries>

      Examples:
        | description | grown                 | summaries          |
        | not due     | changed               | 0 summary requests |
        | due         | grown by 1,500 tokens | 1 summary request  |

  @TRG_24
  Rule: A request that is not due is sent byte for byte
    Source: a decision of this project; a cached prefix is read only if it is the same byte for byte.

    Scenario Outline: The provider receives the same bytes with brim and without it
      Given an agent that sends <what>
      When it makes its request with brim and without it
      Then the provider receives the same bytes twice

      Examples:
        | description  | what                              |
        | plain text   | a text                            |
        | blocks       | a cache mark                      |
        | tool calls   | a tool call and its result        |
        | new fields   | a block with a field unknown yet  |

  @TRG_24
  Rule: A request that brim cannot read, or that the provider compacts, is sent byte for byte even if it is due
    Source: a decision of this project; a history compacted on both sides is summarized twice, and the provider may accept
    a message that brim does not know.

    Scenario Outline: The provider receives the same bytes with brim and without it, although the window is due
      Given an agent whose window is due
      And its request <does>
      When it makes its request with brim and without it
      Then the provider receives the same bytes twice
      And <warned>

      Examples:
        | description                  | does                                     | warned                                     |
        | the provider compacts it     | asks the provider to compact when due    | there is no warning                        |
        | the provider compacts it now | asks the provider to compact at once     | there is no warning                        |
        | the server has the history   | continues a thread that the server holds | one warning says "pass thread=False"       |
        | brim cannot read it          | has a message with an unknown role       | one warning says "since it cannot be read" |
        | its tokens are counted       | counts tokens                            | there is no warning                        |

  @TRG_24
  Rule: The middleware reads the usage of each response while the agent reads it
    Source: a decision of this project; brim reads no part of a response that the agent does not read.

    Scenario Outline: The next request is compacted if the reported usage is above the threshold
      Given an agent that has read 2 notes
      And a provider whose first response reports <tokens> tokens read
      When the agent makes 2 requests, <how>
      Then the provider receives <summaries>

      Examples:
        | description         | tokens | how                        | summaries          |
        | below the threshold | 5,000  | each read at once          | 0 summary requests |
        | above the threshold | 12,000 | each read at once          | 1 summary request  |
        | streamed            | 12,000 | each streamed              | 1 summary request  |
        | in an event loop    | 12,000 | in an event loop           | 1 summary request  |
        | streamed, in a loop | 12,000 | in an event loop, streamed | 1 summary request  |
        | bytes               | 12,000 | each read as bytes         | 1 summary request  |
        | bytes, in a loop    | 12,000 | in an event loop, as bytes | 1 summary request  |

    Scenario Outline: An answer that is read after a later request was sent measures nothing
      Given an agent that has read 2 notes
      And a provider whose first response reports <tokens> tokens read
      When the agent reads its first answer after <when>, and goes on by 2,000 tokens
      Then the provider receives <summaries>

      Examples:
        | description            | tokens | when                                 | summaries          |
        | it is the last request | 12,000 | no other request                     | 1 summary request  |
        | the next one was sent  | 12,000 | its next request                     | 0 summary requests |
        | it has been compacted  | 12,000 | the same request, which is compacted | 1 summary request  |

    Scenario Outline: The end of a stream reports the tokens that were written
      Given an agent that has read 2 notes
      And a provider whose first response reports 4,000 tokens read and <written> written
      When the agent makes 2 requests, each streamed
      Then the provider receives <summaries>

      Examples:
        | description         | written | summaries          |
        | below the threshold | 1,000   | 0 summary requests |
        | above the threshold | 8,000   | 1 summary request  |

    Scenario Outline: A usage that cannot be read is reported once
      Given an agent that has read 2 notes
      And a provider whose <reports> tokens read
      When the agent makes 2 requests, <how>
      Then <warned>

      Examples:
        | description          | reports                       | how               | warned                                               |
        | a whole number       | first response reports 5,000  | each read at once | there is no warning                                  |
        | a text for a number  | responses report "many"       | each read at once | one warning says "a response's usage cannot be read" |

  @TRG_24
  Rule: The middleware compacts after an overflow error, and never compacts a summary request
    Source: a decision of this project; a summary request of a full window would otherwise be compacted without end.

    Scenario Outline: The provider refuses the first request
      Given an agent that has read 2 notes
      And a provider that first refuses with <status>: "<words>"
      When the agent makes 1 request, read at once
      Then the provider receives <summaries>

      Examples:
        | description        | status | words                                | summaries          |
        | too many tokens    | 400    | prompt is too long: 9 > 8 maximum    | 1 summary request  |
        | too many bytes     | 413    | Request exceeds the maximum size     | 1 summary request  |
        | the rate of tokens | 429    | prompt is too long for your rate     | 0 summary requests |

    Scenario: The summary is asked for through the client that compacts
      Given an agent whose window is due
      When a compactor with the agent's client compacts its conversation
      Then the provider receives 1 summary request
