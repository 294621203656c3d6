Feature: Back ends
  A conversation can be kept within its window by brim itself, by the provider's own compaction, or by the provider's
  clearing of old tool results. All three stand behind one interface: what to send in place of a request, and what the
  answer says was done. Which of them does the work is one setting.

  @CMP_10
  Rule: The back end is chosen by its name, and nothing else in the loop changes
    Source: the context management of the Anthropic SDK as a pattern (S2, section 8).

    Scenario Outline: The same agent with each back end
      Given an agent that reads five long files
      When it runs with the back end "<name>"
      Then it ends with "The error is in the last file."
      And its context was <done>

      Examples: Every back end
        | name              | done                       |
        | brim              | summarised by brim         |
        | provider          | summarised by the provider |
        | provider-clearing | cleared by the provider    |

    Scenario: Another name
      When the back end "server" is asked for
      Then it is refused with "there is no back end 'server'; there are: brim, provider, provider-clearing"

  @CMP_10
  Rule: The provider compacts from 50,000 tokens on, and a lower trigger is refused
    Source: the provider's own limits for its compaction edit; a trigger it does not take would fail every request.

    Scenario Outline: A trigger near the least
      When the provider is to compact from <trigger> tokens on
      Then the trigger it is told is <told>

      Examples:
        | description | trigger | told    |
        | one below   | 49,999  | refused |
        | the least   | 50,000  | 50,000  |
        | one above   | 50,001  | 50,001  |

    Scenario: The refusal names both numbers
      When the provider is to compact from 49,999 tokens on
      Then it is refused with "a trigger of 49,999 tokens: the provider compacts from 50,000 on; set that or more, or take the back end 'brim', which has no least"

  @CMP_10
  Rule: The default trigger is the threshold of the profile, and the provider's own for an unknown model
    Source: one setting that changes who compacts is not to change when; the provider's defaults are 150,000 tokens for
    its compaction and 100,000 for its clearing.

    Scenario Outline: The trigger of a model
      Given a model with <limits> and the profile <profile>
      When the back end "<name>" is asked for
      Then the trigger it is told is <told>

      Examples:
        | description         | limits                  | profile       | name              | told    |
        | usable context      | a window of 200,000     | usable        | provider          | 168,000 |
        | a share of it       | a window of 200,000     | proactive     | provider          | 154,560 |
        | the SDK's           | a window of 200,000     | anthropic-sdk | provider          | 100,000 |
        | clearing            | a window of 200,000     | usable        | provider-clearing | 168,000 |
        | not known           | limits that nobody told | usable        | provider          | 150,000 |
        | clearing, not known | limits that nobody told | usable        | provider-clearing | 100,000 |
        | too small for it    | a window of 81,999      | usable        | provider          | refused |
        | just large enough   | a window of 82,000      | usable        | provider          | 50,000  |

    Scenario: A trigger later than the usable context
      Given a model with a window of 200,000 and the profile usable
      When the provider is to compact from 190,000 tokens on
      Then the trigger it is told is 168,000

  @CMP_10
  Rule: The edit and the beta that the provider needs are added to the request once, and its own parameters stay
    Source: the betas and edits of the Messages API; a beta named twice or lost makes the request fail.

    Scenario Outline: A request with betas of its own
      Given a request with <betas>
      When the back end "provider" prepares it
      Then its betas are <sent>

      Examples: Betas of the request
        | betas                       | sent                      |
        | no beta                     | that of compaction        |
        | another beta                | that of files, compaction |
        | the same beta               | that of compaction        |
        | another beta in its headers | that of files, compaction |

    Scenario: An edit of the caller's own that compacts nothing
      Given a request that has the provider clear old thinking
      When the back end "provider" prepares it
      Then its edits are to clear old thinking and to compact, in this order

    Scenario: The request itself
      Given a request that has the provider clear old thinking
      When the back end "provider" prepares it
      Then the request is as it was

  @CMP_10
  Rule: A switch that turns brim's compaction off turns the provider's off too
    Source: OpenCode's switches (S1, S2); whoever turns compaction off wants none, whoever would do it.

    Scenario Outline: A back end that is switched off
      Given a request with no beta
      And <switch> is off
      When the back end "<name>" prepares it
      Then nothing is asked of the provider besides

      Examples: Each switch
        | name              | switch               |
        | provider          | automatic compaction |
        | provider-clearing | clearing of outputs  |

  @CMP_10
  Rule: A request with a compaction of its own is refused
    Source: the provider takes no signed compaction beside a compaction edit; a history compacted on both sides is
    summarised twice and paid for twice.

    Scenario Outline: A request that brings its own
      Given a request that has the provider <do>
      When the back end "<name>" prepares it
      Then it is <outcome>

      Examples: Edits of the request
        | name              | do                     | outcome                        |
        | brim              | compact                | refused as a second compaction |
        | brim              | compact on demand      | refused as a second compaction |
        | brim              | clear old tool results | prepared                       |
        | provider          | compact                | refused as a second compaction |
        | provider          | compact on demand      | refused as a second compaction |
        | provider          | clear old tool results | prepared                       |
        | provider-clearing | clear old tool results | refused as a second compaction |
        | provider-clearing | compact                | prepared                       |

  @CMP_10
  Rule: The history keeps the provider's summary, and what it replaced is not sent again
    Source: the provider reads nothing of what stands before its compaction; what follows it was written behind it, so
    that the thinking there stays as it is.

    Scenario: An answer that begins with a compaction
      Given a conversation of 5 messages
      When the provider answers with a compaction, thinking and words
      Then the history holds 1 message
      And that message holds a compaction, thinking and words

    Scenario: A compaction is reported with its figures
      Given a conversation of 5 messages
      When the provider answers with a compaction, thinking and words
      Then it is told as compacted by the provider, from 1,264 tokens to 6

  @CMP_10
  Rule: A compaction of the provider without a summary changes nothing, and is reported as failed
    Source: a provider's compaction that silently did nothing was a field failure (omnigent-ai/omnigent#7245).

    Scenario: A compaction without content
      Given a conversation of 5 messages
      When the provider answers with a compaction that failed
      Then the history holds 6 messages
      And it is told as failed

    Scenario Outline: A long request that the provider does not compact
      Given a conversation of 5 messages
      When the provider answers with words alone, having taken in <tokens> tokens
      Then it is told as <told>

      Examples:
        | description        | tokens  | told    |
        | one below          | 149,999 | nothing |
        | the trigger itself | 150,000 | failed  |
        | one above          | 150,001 | failed  |

  @CMP_10
  Rule: Where the provider clears tool results, the history keeps them, and the clearing is reported
    Source: the clearing edit of the Messages API works on each request anew; its answer names what it cleared.

    Scenario: An answer that reports clearing
      Given a conversation of 5 messages
      When the provider answers that it cleared 4 tool results of 30,000 tokens and took in 80,000
      Then the history holds 6 messages
      And it is told as 4 tool outputs cleared, from 110,000 tokens to 80,000

    Scenario: An answer that reports none
      Given a conversation of 5 messages
      When the provider answers that it cleared 0 tool results of 0 tokens and took in 80,000
      Then it is told as nothing

  @CMP_10
  Rule: Asked by hand, brim and the provider compact at once; clearing alone refuses
    Source: Claude Code's command to compact; the provider compacts on demand, but clears at its trigger alone.

    Scenario Outline: A compaction by hand far below any threshold
      Given a conversation that ends with an answer
      When the back end "<name>" compacts it by hand
      Then it is <outcome>

      Examples: Every back end by hand
        | name              | outcome                         |
        | brim              | compacted by brim               |
        | provider          | compacted by the provider       |
        | provider-clearing | refused as not possible by hand |

    Scenario: A question that nobody has answered yet
      Given a conversation that ends with a question
      When the back end "provider" compacts it by hand
      Then the question stands behind the summary, word for word

    Scenario: The request after it
      Given a conversation that ends with a question
      When the back end "provider" compacts it by hand, and prepares the next request
      Then the request has no edit, and is answered

    Scenario: Nothing new since
      Given a conversation that ends with an answer
      When the back end "provider" compacts it by hand, twice
      Then it was asked once

    Scenario: The provider cannot be reached
      Given a conversation that ends with an answer
      When the back end "provider" compacts it by hand, and the provider is busy
      Then it is told as failed, and raised
