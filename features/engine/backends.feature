Feature: Back ends
  brim itself, the provider's own compaction, or the provider's clearing of old tool results can keep a conversation
  within its window. All three have one interface: it prepares each request, and reads from the answer what was done.
  One setting chooses among them.

  @CMP_10
  Rule: The name of a back end chooses it, and nothing else in the agent's loop changes
    Source: the context management of the Anthropic SDK as a pattern (S2, section 8). One component for every program is
    an aim of S3 (trade-offs).

    Scenario Outline: The same agent receives the same answer under each back end
      Given the settings threshold 60,000, least saving 50,000
      And an agent that has read 40 notes
      And the agent has the back end "<name>"
      When the agent sends, and sends
      Then the result is
        | answered       | done   | by     |
        | All went well. | <done> | <name> |

      Examples: Every back end
        | name              | done       |
        | brim              | summarized |
        | provider          | summarized |
        | provider-clearing | cleared    |

    Scenario: An unknown name is refused
      When the back end "server" is created
      Then it is refused with "there is no back end 'server'; there are: brim, provider, provider-clearing"

  @CMP_10
  Rule: The provider compacts from 50,000 tokens on, and a lower trigger is refused
    Source: the provider's own limits for its compaction edit; a trigger it does not take would fail every request.

    Scenario Outline: A trigger below 50,000 tokens is refused
      Given <limits>
      And the settings <settings>
      When the back end "provider" is created
      Then it is refused with "<refusal>"

      Examples: The answer takes 32,000 tokens of the window
        | description            | limits                             | settings         | refusal |
        | one below              | a model with window 200,000        | threshold 49,999 | a trigger of 49,999 tokens: the provider compacts from 50,000 on; set that or more, or take the back end 'brim', which has no least |
        | the minimum            | a model with window 200,000        | threshold 50,000 |         |

  @CMP_10
  Rule: The default trigger is the threshold of the profile, and the provider's own for an unknown model
    Source: the setting that chooses who compacts does not change when; the provider's defaults are 150,000 tokens for
    its compaction and 100,000 for its clearing.

    Scenario Outline: The trigger follows the limits and the settings
      Given a model with window <window>, answer 64,000
      And the settings <settings>
      When the back end "<name>" is created
      Then the trigger is "<trigger>"

      Examples:
        | description             | window  | settings              | name              | trigger |
        | usable context          | 200,000 | profile usable        | provider          | 168,000 |
        | clearing                | 200,000 | profile usable        | provider-clearing | 168,000 |
        | the minimum             | 200,000 | threshold 50,000      | provider          | 50,000  |

    Scenario Outline: The trigger for a model of which no limits are passed
      When the back end "<name>" is created for the model "<model>"
      Then the trigger is "<trigger>"

      Examples:
        | description         | model                    | name              | trigger |
        | of the model data   | claude-opus-4-6-20260205 | provider          | 968,000 |
        | clearing, not known | own-model                | provider-clearing | 100,000 |

  @CMP_10
  Rule: The edit and the beta that the provider needs are added to the request once, and its own parameters stay
    Source: the betas and edits of the Messages API; a beta named twice or lost makes the request fail.

    Scenario Outline: The request keeps its own betas and edits, and the caller's is unchanged
      When the back end "provider" prepares a request with <what>
      Then the betas are "<betas>"
      And the edits are "<edits>"

      Examples:
        | description   | what                       | betas                                     | edits                                      |
        | another       | another beta               | files-api-2025-04-14, compact-2026-01-12  | compact_20260112                           |
        | the same      | the same beta              | compact-2026-01-12                        | compact_20260112                           |
        | in its headers | another beta in its headers | files-api-2025-04-14, compact-2026-01-12 | compact_20260112                           |
        | its own edit  | a clearing of thinking     | compact-2026-01-12                        | clear_thinking_20251015, compact_20260112  |

  @CMP_10
  Rule: Each setting of a provider's back end is in the edit that it adds
    Source: the edits of the Messages API. A back end ignores the settings that it has no use for.

    Scenario Outline: A setting changes the edit that compacts
      Given the settings <settings>
      When the back end "provider" prepares a request with nothing
      Then the pauses are "<pauses>"
      And the instructions are "<instructions>"

      Examples:
        | description | settings         | pauses | instructions |
        | a focus     | focus the lexer  | no     | …the lexer…  |
        | a prompt    | prompt Be brief. | no     | Be brief.    |

    Scenario Outline: A setting changes the edit that clears
      Given the settings <settings>
      When the back end "provider-clearing" prepares a request with nothing
      Then the result is
        | results kept | tools left out | least cleared |
        | <kept>       | <left out>     | <least>       |

      Examples:
        | description       | settings                | kept | left out | least |
        | a tool of the policy | protected tools skill | 3    | skill    |       |
        | a least to clear  | least clearing 5,000    | 3    |          | 5,000 |

  @CMP_10
  Rule: A switch that turns brim's compaction off turns the provider's off too
    Source: OpenCode's switches (S1, S2); a user who turns compaction off wants none, by brim or by the provider.

    Scenario Outline: A back end that is switched off sends the request as it is
      Given the environment variable "<switch>" is "1"
      When the back end "<name>" prepares a request with nothing
      Then the edits are ""
      And the betas are ""

      Examples: Each switch
        | description            | name              | switch                   |
        | automatic compaction   | provider          | BRIM_DISABLE_AUTOCOMPACT |
        | clearing of outputs    | provider-clearing | BRIM_DISABLE_PRUNE       |

  @CMP_10
  Rule: A request that already has a compaction edit is refused
    Source: the provider takes no signed compaction beside a compaction edit; a history compacted on both sides is
    summarized twice and paid for twice.

    Scenario Outline: A second compaction is refused
      When the back end "<name>" prepares a request with <what>
      Then it is refused with "<refusal>"

      Examples: Edits of the request
        | name              | what                     | refusal                |
        | brim              | a compaction             | …never used at once…   |
        | brim              | a compaction on demand   | …never used at once…   |
        | brim              | a clearing of results    |                        |
        | provider          | a compaction             | …never used at once…   |
        | provider          | a compaction on demand   | …never used at once…   |
        | provider          | a clearing of results    |                        |
        | provider-clearing | a clearing of results    | …never used at once…   |
        | provider-clearing | a compaction             |                        |

  @CMP_10
  Rule: The history holds the provider's summary in place of the messages that it replaced
    Source: the provider ignores the messages before its compaction block; thinking after the block was written with it in
    view, so it stays.

    Scenario: An answer that begins with a compaction replaces the history, and is reported with its figures
      Given the conversation user 300, assistant 200, user 300, assistant 200, user 300
      When the back end "provider" reads summary "Five messages so far.", thinking, words
      Then the result is
        | messages | last message               | event     | author   | tokens before | tokens after |
        | 1        | compaction, thinking, text | compacted | provider | 1,300         | 6            |

  @CMP_10
  Rule: A compaction of the provider without a summary changes nothing, and is reported as failed
    Source: a provider's compaction that silently did nothing was a field failure (omnigent-ai/omnigent#7245).

    Scenario Outline: A compaction that is due, and gives no summary
      Given the conversation user 300, assistant 200, user 300, assistant 200, user 300
      When the back end "provider" reads <answer>
      Then the result is
        | messages | event   | failed   |
        | 6        | <event> | <failed> |

      Examples: The provider's trigger is 150,000 tokens
        | description         | answer                     | event  | failed |
        | no content          | no summary, words          | failed | yes    |
        | one below           | words, usage 149,999       |        | no     |
        | the trigger itself  | words, usage 150,000       | failed | yes    |

  @CMP_10
  Rule: If no compaction can help, the back end of brim raises an error
    Source: a decision of this project (TRG_19): three compactions in a row that leave the history due are enough, and a
    message that does not fit is refused before a summary is paid for.

    Scenario Outline: Requests whose last message alone exceeds the threshold
      Given the settings threshold 50,000
      And the conversation 6 turns of 250
      And the agent has the back end "brim"
      When the agent acts
        | <questions> |
      Then the summaries are "<summaries>"
      And the refusal is "<refusal>"

      Examples: The usable context is 168,000 tokens
        | description          | questions                                                                                                  | summaries | refusal                                      |
        | three                | asks 60,000 tokens, sends, asks 60,000 tokens, sends, asks 60,000 tokens, sends                            | 3         | 3 compactions in a row left 60059, 80046, …  |
        | it does not fit      | asks 168,001 tokens, sends                                                                                 | 0         | what must be kept does not fit into the usable context of 168,000… |

  @CMP_10
  Rule: Where the provider clears tool results, the history keeps them, and the clearing is reported
    Source: the clearing edit of the Messages API works on each request again; its answer names what it cleared.

    Scenario Outline: An answer that reports clearing leaves the history as it is
      Given the conversation user 300, assistant 200, user 300, assistant 200, user 300
      When the back end "provider-clearing" reads words, usage 80,000, <cleared>
      Then the result is
        | messages | event   | outputs   | tokens before | tokens after |
        | 6        | <event> | <outputs> | <before>      | <after>      |

      Examples:
        | description | cleared                     | event  | outputs | before  | after  |
        | 4 results   | 4 results of 30,000 cleared | pruned | 4       | 110,000 | 80,000 |
        | none        | 0 results of 0 cleared      |        |         |         |        |

  @CMP_10
  Rule: A manual compaction works at once with brim and with the provider, and the clearing back end refuses it
    Source: Claude Code's command to compact; the provider compacts on demand, but clears at its trigger alone.

    Scenario Outline: A manual compaction far below any threshold
      Given the conversation 6 turns of 500
      And the settings keep target 100
      And the agent has the back end "<name>"
      When the agent compacts by hand
      Then the result is
        | done   | by   | saves   | refusal   |
        | <done> | <by> | <saves> | <refusal> |

      Examples: Every back end
        | name              | done       | by       | saves | refusal                        |
        | brim              | summarized | brim     | yes   |                                |
        | provider          | summarized | provider | yes   |                                |
        | provider-clearing |            |          | no    | …cannot be asked to at once…   |

    Scenario Outline: What stands behind the summary, and what is not compacted
      Given the conversation <conversation>
      And the agent has the back end "<name>"<provider>
      When the agent <acts>
      Then the result is
        | compactions   | done   | events   | message count | last message | refusal   |
        | <compactions> | <done> | <events> | <messages>    | <last>       | <refusal> |

      Examples:
        | description              | conversation                | name     | provider                          | acts                               | compactions | done       | events    | messages | last       | refusal                                |
        | a question is unanswered | 6 turns of 9, user "Go on." | provider |                                   | compacts by hand                   | 1           | summarized | compacted | 2        | Go on.     |                                        |
        | no summary               | 6 turns of 9                | provider | , whose provider gives no summary | compacts by hand                   | 1           | failed     | failed    | 24       | Done.      |                                        |
        | the provider is busy     | 6 turns of 9                | provider | , whose provider is busy          | compacts by hand                   | 1           |            | failed    | 24       | Done.      | the provider failed (529: Overloaded)… |

    Scenario Outline: After a manual compaction brim looks at the trigger itself, and asks the provider to compact again
      Given the conversation 6 turns of 500, user "Go on."
      And the settings threshold 50,000
      And the agent has the back end "provider"
      And the provider answers
        | read   | written |
        | <read> | 10      |
      When the agent compacts by hand, sends, and sends
      Then the result is
        | answered       | edits | compactions   |
        | All went well. |       | <compactions> |

      Examples: A question of 1 token follows the answer; the provider refuses a trigger behind a compaction on demand
        | description       | read   | compactions |
        | below the trigger | 49,988 | 1           |
        | at the trigger    | 49,989 | 2           |
