Feature: Back ends
  brim itself, the provider's own compaction, or the provider's clearing of old tool results can keep a conversation
  within its window. All three have one interface: it prepares each request, and reads from the answer what was done.
  One setting chooses among them.

  @CMP_10
  Rule: The name of a back end chooses it, and nothing else in the agent's loop changes
    Source: the context management of the Anthropic SDK as a pattern (S2, section 8).

    Scenario Outline: The same agent ends with the same answer under each back end
      Given an agent that reads five long files
      When it runs with the back end "<name>"
      Then it ends with "The error is in the last file."
      And its context was <done>

      Examples: Every back end
        | name              | done                       |
        | brim              | summarized by brim         |
        | provider          | summarized by the provider |
        | provider-clearing | cleared by the provider    |

    Scenario: An unknown name is refused
      When the back end "server" is created
      Then it is refused with "there is no back end 'server'; there are: brim, provider, provider-clearing"

  @CMP_10
  Rule: The provider compacts from 50,000 tokens on, and a lower trigger is refused
    Source: the provider's own limits for its compaction edit; a trigger it does not take would fail every request.

    Scenario Outline: A trigger below 50,000 tokens is refused
      When the back end "provider" is created with a threshold of <threshold> tokens
      Then the provider's trigger is <trigger>

      Examples:
        | description | threshold | trigger |
        | one below   | 49,999    | refused |
        | the minimum | 50,000    | 50,000  |
        | one above   | 50,001    | 50,001  |

    Scenario: A percentage of an unknown window is refused
      When the back end "provider" is created for the model "new" with a threshold of 80%
      Then it is refused with "a threshold of 80% needs the window of 'new': pass limits=ModelLimits(…)"

    Scenario: The refusal names the trigger and its minimum
      When the back end "provider" is created with a threshold of 49,999 tokens
      Then it is refused with "a trigger of 49,999 tokens: the provider compacts from 50,000 on; set that or more, or take the back end 'brim', which has no least"

  @CMP_10
  Rule: The default trigger is the threshold of the profile, and the provider's own for an unknown model
    Source: the setting that chooses who compacts does not change when; the provider's defaults are 150,000 tokens for
    its compaction and 100,000 for its clearing.

    Scenario Outline: The default trigger follows the limits and the profile
      Given a model with <limits> and the profile <profile>
      When the back end "<name>" is created
      Then the provider's trigger is <trigger>

      Examples:
        | description         | limits              | profile       | name              | trigger |
        | usable context      | a window of 200,000 | usable        | provider          | 168,000 |
        | a share of it       | a window of 200,000 | proactive     | provider          | 154,560 |
        | the SDK's           | a window of 200,000 | anthropic-sdk | provider          | 100,000 |
        | clearing            | a window of 200,000 | usable        | provider-clearing | 168,000 |
        | of the model data   | the limits of claude-opus-4-6-20260205 | usable | provider | 968,000 |
        | not known           | unknown limits      | usable        | provider          | 150,000 |
        | clearing, not known | unknown limits      | usable        | provider-clearing | 100,000 |
        | too small for it    | a window of 81,999  | usable        | provider          | refused |
        | just large enough   | a window of 82,000  | usable        | provider          | 50,000  |

    Scenario: A threshold above the usable context is lowered to it
      Given a model with a window of 200,000 and the profile usable
      When the back end "provider" is created with a threshold of 190,000 tokens
      Then the provider's trigger is 168,000

  @CMP_10
  Rule: The edit and the beta that the provider needs are added to the request once, and its own parameters stay
    Source: the betas and edits of the Messages API; a beta named twice or lost makes the request fail.

    Scenario Outline: The request keeps its own betas
      Given a request with <betas>
      When the back end "provider" prepares it
      Then its betas are <sent>

      Examples: Betas of the request
        | betas                       | sent                      |
        | no beta                     | that of compaction        |
        | another beta                | that of files, compaction |
        | another beta as a text      | that of files, compaction |
        | the same beta               | that of compaction        |
        | another beta in its headers | that of files, compaction |

    Scenario: The request keeps its own edit, before the one that compacts
      Given a request that asks the provider to clear old thinking
      When the back end "provider" prepares it
      Then its edits are to clear old thinking and to compact, in this order

    Scenario: The caller's request is unchanged
      Given a request that asks the provider to clear old thinking
      When the back end "provider" prepares it
      Then the caller's request is unchanged

  @CMP_10
  Rule: Each setting of a provider's back end is in the edit that it adds
    Source: the edits of the Messages API. A back end ignores the settings that it has no use for.

    Scenario Outline: A setting changes the edit
      When the back end "<name>" prepares a request, once with <setting>
      Then its edit <default>, and with the setting it <set>

      Examples: Compaction
        | name     | setting               | default             | set                          |
        | provider | a pause               | does not pause      | pauses after the compaction  |
        | provider | the focus "the lexer" | has no instructions | has instructions that name "the lexer" |
        | provider | the prompt "Be brief." | has no instructions | has the instructions "Be brief." |

      Examples: Clearing
        | name              | setting                              | default                           | set                         |
        | provider-clearing | 5 results to keep                    | keeps 3 results                   | keeps 5 results             |
        | provider-clearing | the tool "skill" to leave out        | clears the results of every tool  | leaves the tool "skill" out |
        | provider-clearing | the tool "skill" protected by policy | clears the results of every tool  | leaves the tool "skill" out |
        | provider-clearing | at least 5,000 tokens to clear       | clears however few tokens         | clears at least 5,000 tokens |

  @CMP_10
  Rule: A switch that turns brim's compaction off turns the provider's off too
    Source: OpenCode's switches (S1, S2); a user who turns compaction off wants none, by brim or by the provider.

    Scenario Outline: A back end that is switched off adds nothing to the request
      Given a request with no beta
      And <switch> is off
      When the back end "<name>" prepares it
      Then the request is sent as it is

      Examples: Each switch
        | name              | switch               |
        | provider          | automatic compaction |
        | provider-clearing | automatic compaction |
        | provider-clearing | clearing of outputs  |

  @CMP_10
  Rule: A request that already has a compaction edit is refused
    Source: the provider takes no signed compaction beside a compaction edit; a history compacted on both sides is
    summarized twice and paid for twice.

    Scenario Outline: A second compaction is refused
      Given a request that asks the provider to <do>
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
  Rule: The history holds the provider's summary in place of the messages that it replaced
    Source: the provider ignores the messages before its compaction block; thinking after the block was written with it in
    view, so it stays.

    Scenario: An answer that begins with a compaction replaces the history
      Given a conversation of 5 messages
      When the provider answers with a compaction, thinking and words
      Then the history holds 1 message
      And that message holds a compaction, thinking and words

    Scenario: A compaction is reported with its figures
      Given a conversation of 5 messages
      When the provider answers with a compaction, thinking and words
      Then the event reports a compaction by the provider, from 1,264 tokens to 6

  @CMP_10
  Rule: A compaction of the provider without a summary changes nothing, and is reported as failed
    Source: a provider's compaction that silently did nothing was a field failure (omnigent-ai/omnigent#7245).

    Scenario: A compaction without content is reported as failed
      Given a conversation of 5 messages
      When the provider answers with a compaction that failed
      Then the history holds 6 messages
      And the event reports a failure

    Scenario Outline: A request at the trigger that the provider does not compact is reported as failed
      Given a conversation of 5 messages
      When the provider answers with words alone, having read <tokens> tokens
      Then <event>

      Examples:
        | description        | tokens  | event                       |
        | one below          | 149,999 | no event is emitted         |
        | the trigger itself | 150,000 | the event reports a failure |
        | one above          | 150,001 | the event reports a failure |

  @CMP_10
  Rule: If no compaction can help, the back end of brim raises an error
    Source: a decision of this project (TRG_19): three compactions in a row that leave the history due are enough, and a
    message that does not fit is refused before a summary is paid for.

    Scenario Outline: Requests whose last message alone exceeds the threshold
      When the back end "brim" prepares requests that end with messages of <tokens> tokens, at a threshold of 50,000
      Then the last request is <fate>
      And they cost <summaries>

      Examples: The usable context is 168,000 tokens
        | description         | tokens                         | fate                 | summaries   |
        | two                 | 60,000, 60,000                 | prepared             | 2 summaries |
        | three               | 60,000, 60,000, 60,000         | refused as stalled   | 3 summaries |
        | one fits in between | 60,000, 60,000, 40,000, 60,000 | prepared             | 3 summaries |
        | it fits             | 160,000                        | prepared             | 1 summary   |
        | it does not fit     | 168,001                        | refused as too large | no summary  |

    Scenario: The same file is too large three times in a row
      When the back end "brim" prepares requests of an agent that reads a file of 170,000 tokens, 4 times
      Then the last request is refused as stalled
      And they cost 3 summaries

  @CMP_10
  Rule: The usage of a response does not measure a history that its caller has shortened since
    Source: a decision of this project. What the caller took out makes room; the usage of before would compact what fits.

    Scenario Outline: The next request after a response of 60,000 tokens, at a threshold of 50,000
      Given a conversation that ends with a question
      When the back end "<name>" reads a response of 60,000 tokens, and the caller then sends it <sent>
      Then it compacts <times> before the next request

      Examples: brim's own, and the provider's after a manual compaction
        | name     | sent                                   | times |
        | brim     | with the response and a question       | once  |
        | brim     | with the response                      | once  |
        | brim     | without the response                   | never |
        | brim     | as the last two questions alone        | never |
        | provider | with the response and a question       | once  |
        | provider | with the response                      | once  |
        | provider | without the response                   | never |

  @CMP_10
  Rule: Where the provider clears tool results, the history keeps them, and the clearing is reported
    Source: the clearing edit of the Messages API works on each request again; its answer names what it cleared.

    Scenario: An answer that reports clearing leaves the history as it is
      Given a conversation of 5 messages
      When the provider answers that it cleared 4 tool results of 30,000 tokens and read 80,000
      Then the history holds 6 messages
      And the event reports 4 cleared tool outputs, from 110,000 tokens to 80,000

    Scenario: An answer that reports no clearing emits no event
      Given a conversation of 5 messages
      When the provider answers that it cleared 0 tool results of 0 tokens and read 80,000
      Then no event is emitted

  @CMP_10
  Rule: A manual compaction works at once with brim and with the provider, and the clearing back end refuses it
    Source: Claude Code's command to compact; the provider compacts on demand, but clears at its trigger alone.

    Scenario Outline: A manual compaction far below any threshold
      Given a conversation that ends with an answer
      When the back end "<name>" compacts it manually
      Then it is <outcome>

      Examples: Every back end
        | name              | outcome                   |
        | brim              | compacted by brim         |
        | provider          | compacted by the provider |
        | provider-clearing | refused as automatic only |

    Scenario: An unanswered question follows the summary
      Given a conversation that ends with a question
      When the back end "provider" compacts it manually
      Then the question follows the summary, word for word

    Scenario Outline: A forced call of a tool is not part of a manual compaction by the provider
      Given a conversation that ends with an answer
      When the back end "provider" compacts it manually, and its request names <choice>
      Then the request for the compaction names <sent>

      Examples:
        | description  | choice                 | sent                   |
        | any tool     | a call of any tool     | no choice of tools     |
        | one tool     | a call of one tool     | no choice of tools     |
        | a free choice | a free choice of tools | a free choice of tools |
        | no tool      | no call of a tool      | no call of a tool      |

    Scenario: The next request has no edit, and is answered
      Given a conversation that ends with a question
      When the back end "provider" compacts it manually, and prepares the next request
      Then the request has no edit, and is answered

    Scenario Outline: After a manual compaction, brim asks the provider to compact again at the trigger
      Given a conversation that ends with a question
      When the back end "provider" compacts it manually at a trigger of 50,000 tokens, and a response reports <held> tokens
      Then the provider compacts <times> before the next request

      Examples: The provider refuses a trigger in a request that follows a compaction on demand
        | description       | held   | times |
        | below the trigger | 49,999 | never |
        | at the trigger    | 50,000 | once  |

    Scenario: A manual compaction without a summary leaves the history as it is
      Given a conversation that ends with an answer
      When the back end "provider" compacts it manually, and the provider gives no summary
      Then the event reports a failure
      And the history holds 12 messages

    Scenario: A conversation of one message stays as it is
      Given a conversation of a single message
      When the back end "brim" compacts it manually
      Then the history is the conversation, and nothing was done to it

    Scenario Outline: A manual compaction in an event loop
      Given a conversation that ends with an answer
      When the back end "<name>" compacts it manually in an event loop
      Then it is <outcome>

      Examples: Every back end
        | name              | outcome                   |
        | brim              | compacted by brim         |
        | provider          | compacted by the provider |
        | provider-clearing | refused as automatic only |

    Scenario: A busy provider is reported as a failure in an event loop
      Given a conversation that ends with an answer
      When the back end "provider" compacts it manually in an event loop, and the provider is busy
      Then the event reports a failure, and the error is raised

    Scenario: A second compaction without new messages sends no request
      Given a conversation that ends with an answer
      When the back end "provider" compacts it manually, twice
      Then the provider received one request

    Scenario: A busy provider is reported as a failure
      Given a conversation that ends with an answer
      When the back end "provider" compacts it manually, and the provider is busy
      Then the event reports a failure, and the error is raised
