Feature: Tool outputs
  Most of what fills a window is what tools answered: files read, pages fetched, logs printed. Once the work has moved
  on, an old output is rarely looked at again, while the call that made it tells what was done. Pruning clears such
  outputs and leaves everything else as it is. It needs no model, so it is the first relief and may be enough.

  A conversation is written in a line. "user" is a message of the user, which begins a turn, "assistant" one of the
  agent, "harness" one that the agent's program wrote in the user's name. "A Read 70,000" is a call A of the tool Read
  with a completed output of 70,000 tokens; where no tool is named it is one that is not protected. In "A+B 15,000" two
  calls of a message have outputs of 15,000 tokens each. "6 turns of 500" has six turns: a request, a call with an output
  of 500 tokens (A1 to A6), an answer. Words behind a call or a message say what is special: "running", "pending" (not yet
  begun), "failed", "cleared" (earlier), "pinned", "searched" (the provider's own search), "loose" (a part that is no
  output), "bare" (tool and size are missing), "cached" (with a mark for the provider's cache), "checkpoint", "summary".

  Cleared outputs are named from the newest to the oldest, and messages are counted from 0. In every example the caller's
  own messages stay as they are, and what is sent differs from them in the cleared outputs alone.

  @PRN_01 @portable
  Rule: The outputs of the last two user turns are never cleared
    Source: the OpenCode pruning code as quoted in the comparison of OpenCode and Claude Code (S2, section 2).

    Scenario Outline: An output can be cleared after two newer turns have begun
      Given the conversation <conversation>
      When old outputs are cleared
      Then the outputs cleared are "<cleared>"

      Examples:
        | description                              | conversation                       | cleared |
        | the newest turn                          | user, A 70,000                     |         |
        | one of the last two                      | user, A 70,000, user               |         |
        | just before the two                      | user, A 70,000, user, user         | A       |
        | a message of a harness begins no turn    | user, A 70,000, user, harness      |         |
        | in the first message of a protected turn | user+A 70,000, user+B 70,000, user | A       |
        | before the first message of the user     | A 70,000, user, user               | A       |

  @PRN_01
  Rule: A message with only tool results begins no turn
    Source: brim, for the form in which results are sent in the user's name (S2, section 2, has them in the agent's).

    Scenario Outline: Tool results begin no turn
      Given the conversation <conversation>
      When old outputs are cleared
      Then the outputs cleared are "<cleared>"

      Examples:
        | description                  | conversation                       | cleared |
        | the turn is the last but one | user, A 70,000, B 70,000, user     |         |
        | one turn more                | user, A 70,000, user, B 70,000, user | A     |

  @PRN_02 @portable
  Rule: Of the outputs before the last two turns the newest 40,000 tokens stay; the one that crosses 40,000 is cleared whole, with all older ones
    Source: the OpenCode pruning code (S2, section 2): the total is compared once the output itself has been added.
    An output of more than 40,000 tokens crosses the limit alone. The tokens saved are those of whole outputs here; a
    pruning in a window subtracts the placeholders (PRN_09).

    The policy can name another number (`prune_protect`), and another least that has to be saved (`prune_minimum`,
    PRN_03); see SET_01.

    Scenario Outline: Outputs stay up to 40,000 tokens
      Given the conversation <conversation>
      When old outputs are cleared
      Then the outputs cleared are "<cleared>"
      And the saved is "<saved>"

      Examples:
        | description                              | conversation                         | cleared | saved  |
        | B is exactly 40,000                      | user, A 30,000, B 40,000, user, user | A       | 30,000 |
        | B is one token over                      | user, A 30,000, B 40,001, user, user | B, A    | 70,001 |
        | exactly 40,000 with both                 | user, A 30,000, B 10,000, user, user |         | 0      |
        | one over with both: A is cleared whole   | user, A 30,001, B 10,000, user, user | A       | 30,001 |
        | in a message from the last to the first  | user, A+B+C 25,000, user, user       | B, A    | 50,000 |

    Scenario Outline: The protected tokens are a setting
      Given the settings protected tokens <protect>
      And the conversation user, A 25,000, user, user
      When old outputs are cleared
      Then the outputs cleared are "<cleared>"

      Examples:
        | description     | protect | cleared |
        | one token under | 24,999  | A       |
        | exactly         | 25,000  |         |

  @PRN_11
  Rule: An output counts a token for each 4 characters, rounded up, and 1,600 tokens for each image
    Source: the estimate that the OpenCode pruning code uses (S2, section 7), rounded as everywhere in brim. A text and
    the images beside it are cleared together, so both count. This count of whole outputs is compared in every window with
    what stays (PRN_02) and what has to be saved (PRN_03). The saving that a pruning in a window reports is another figure:
    by the window's own ratio, without the placeholders, which stay (PRN_09).

    Scenario Outline: The tokens of an output
      Given the settings protected tokens 0, least saving 0
      And the conversation <output>, user, user
      When old outputs are cleared
      Then the reason is "1 output (<tokens> > 0)"

      Examples:
        | description        | output                 | tokens |
        | one token          | A 4 characters         | 1      |
        | one character more | A 5 characters         | 2      |
        | with an image      | A 5 characters 1 image | 1602   |

  @PRN_12
  Rule: A pruning reports its reason, with the numbers compared
    Source: brim. A user sees why nothing was pruned without reading code.

    Scenario Outline: The reason for clearing an output, or none
      Given the settings protected tokens 0, least saving <least>, pruning <pruning>
      And the conversation <conversation>, user, user
      When old outputs are cleared
      Then the outputs cleared are "<cleared>"
      And the reason is "<reason>"

      Examples:
        | description           | conversation    | least | pruning | cleared | reason                        |
        | enough                | A 80 characters | 19    | on      | A       | 1 output (20 > 19)            |
        | exactly is not enough | A 80 characters | 20    | on      |         | too little to save (20 <= 20) |
        | no output             | assistant       | 0     | on      |         | nothing to prune              |
        | pruning is off        | A 80 characters | 0     | off     |         | disabled                      |

  @PRN_03 @portable
  Rule: A pruning must save more than 20,000 tokens
    Source: the OpenCode pruning code (S2, section 2). Its comment says "at least" 20,000, its comparison "more"
    than 20,000; brim follows the comparison. Clearing outputs breaks the provider's cache, so it has to be worth it.

    Scenario Outline: A saving of exactly 20,000 tokens is not enough
      Given the conversation <conversation>
      When old outputs are cleared
      Then the outputs cleared are "<cleared>"
      And the saved is "<saved>"

      Examples:
        | description     | conversation                         | cleared | saved  |
        | one token under | user, A 19,999, B 40,000, user, user |         | 0      |
        | exactly         | user, A 20,000, B 40,000, user, user |         | 0      |
        | one token over  | user, A 20,001, B 40,000, user, user | A       | 20,001 |

    Scenario Outline: The minimum saving is a setting
      Given the settings least saving <least>
      And the conversation user, A 50,000, user, user
      When old outputs are cleared
      Then the outputs cleared are "<cleared>"

      Examples:
        | description     | least  | cleared |
        | one token under | 49,999 | A       |
        | exactly         | 50,000 |         |

  @PRN_04 @portable
  Rule: Outputs before a summary, or before an output that was cleared earlier, are ignored
    Source: the OpenCode pruning code (S2, section 2). It looks for a summary only beyond the two protected turns; here a
    summary anywhere stops the walk, because what stands before it is not sent, and clearing it would save nothing.

    Scenario Outline: Outputs before a summary or a cleared output are ignored
      Given the conversation <conversation>
      When old outputs are cleared
      Then the outputs cleared are "<cleared>"
      And the saved is "<saved>"

      Examples: A summary
        | description                   | conversation                                                     | cleared | saved   |
        | the oldest is the summary     | user, A 70,000 summary, user, B 70,000, user, assistant, user    | B       | 70,000  |
        | a newer one is                | user, A 70,000, user, B 70,000 summary, user, assistant, user    |         | 0       |
        | one within the last two turns | user, A 70,000, user, B 70,000, user, assistant summary, user    |         | 0       |

      Examples: A cleared output
        | description            | conversation                                                | cleared | saved   |
        | the one in the middle  | user, A 70,000, B 70,000 cleared, C 70,000, user, user      | C       | 70,000  |
        | two in one message     | user, A 70,000 cleared, B+C 70,000, user, user              | C, B    | 140,000 |

  @PRN_04
  Rule: A second pruning clears only outputs that are newer than those the first one cleared
    Source: the OpenCode pruning code (S2, section 2), which marks what it pruned. Asking again takes no longer in
    a long conversation than in a short one.

    Scenario Outline: Each pruning names what it clears itself, and nothing that was cleared before
      Given the conversation user, A 70,000, user, B 70,000, user
      When the window <acts>
      Then the outputs cleared are "<cleared>"
      And the reason is "<reason>"

      Examples:
        | description                       | acts                                                               | cleared | reason                   |
        | the first pruning                 | clears old outputs                                                 | A       | 1 output (70000 > 20000) |
        | one turn before it                | takes "user", clears old outputs                                   | B, A    | 2 outputs (140000 > 20000) |
        | one more turn                     | clears old outputs, takes "user", clears old outputs               | B       | 1 output (70000 > 20000) |

  @PRN_05 @portable
  Rule: Only completed outputs are cleared and counted
    Source: the OpenCode pruning code (S2, section 2).

    Scenario Outline: An output that is not completed stays, and does not count
      Given the conversation user, <outputs>, user, user
      When old outputs are cleared
      Then the outputs cleared are "<cleared>"

      Examples:
        | description                | outputs                 | cleared |
        | completed                  | A 70,000                | A       |
        | failed                     | A 70,000 failed         |         |
        | a failed one does not count | A 40,000, B 40,000 failed |      |
        | a part that is no output   | A 70,000 loose          |         |

    Scenario: A tool output without tool and size is invalid input
      Given the conversation A bare
      When old outputs are cleared
      Then it is not understood

  @PRN_06 @portable
  Rule: Outputs of protected tools are neither cleared nor counted
    Source: OpenCode's code, which protects what a skill told the agent to do; the comparison of OpenCode and Claude Code
    (S2) leaves open whether such tools exist.

    The policy can name other tools than skills (`protected_tools`, SET_01). A tool that asks the user
    questions and the provider's own tools are out of reach with any such setting (PRN_13, PRN_14).

    Scenario Outline: The setting replaces the protected tools
      Given the settings
        | protected tools |
        | <protected>     |
      And the conversation user, A <tool> 70,000, user, user
      When old outputs are cleared
      Then the outputs cleared are "<cleared>"

      Examples:
        | description                | tool  | protected   | cleared |
        | a skill                    | skill | skill       |         |
        | a tool that was named      | Read  | skill, Read |         |
        | nothing is protected       | skill |             | A       |

    Scenario Outline: By default the setting protects only skills
      Given the conversation user, <outputs>, user, user
      When old outputs are cleared
      Then the outputs cleared are "<cleared>"

      Examples:
        | description                     | outputs                      | cleared |
        | a skill                         | A skill 70,000               |         |
        | a protected one does not count  | A Read 40,000, B skill 40,000 |        |

  @PRN_13
  Rule: The user's answers to a tool that asks questions are neither cleared nor counted
    Source: brim. What the user answers are the user's words, which a compaction keeps (SUM_18).

    Scenario Outline: The tool of an old output
      Given the conversation user, A <tool> 70,000, user, user
      When old outputs are cleared
      Then the outputs cleared are "<cleared>"

      Examples:
        | description    | tool            | cleared |
        | of Claude Code | AskUserQuestion |         |
        | of OpenCode    | question        |         |
        | any other      | Read            | A       |

  @PRN_14
  Rule: Pinned outputs and results of a provider's own tool are neither cleared nor counted
    Source: brim. A pinned message is outside of what may be compacted. A provider refuses a plain text where its own
    search answered, so such an output could not be cleared without breaking the request.

    Scenario Outline: An output stays if it is pinned, the provider's own or of a protected call, and is cleared if not
      Given the conversation user, <outputs>, user, user
      When old outputs are cleared
      Then the outputs cleared are "<cleared>"

      Examples:
        | description                                                | outputs                           | cleared |
        | a pinned output                                            | A 70,000 pinned                   |         |
        | a pinned one does not count                                | A 40,000, B 40,000 pinned         |         |
        | the provider's search                                      | A 70,000 searched                 |         |
        | a skill's call without a result, whose id a later Read has | call A skill, user, A Read 70,000 | A       |

    Scenario Outline: An output that an agent pins with a request is not cleared
      Given the settings protected tokens 0, least saving 1
      And the conversation 5 turns of 500
      When the agent <acts>
      Then the outputs cleared are "<cleared>"

      Examples:
        | description                               | acts                  | cleared    |
        | the third message, A1's output, is pinned | pins message 2, sends | A3, A2     |

  @PRN_07
  Rule: A placeholder replaces the content of a cleared output; call, input and id stay
    Source: the OpenCode pruning flow (S2, section 7), which replaces the text when a request is made. What was cleared
    stays in the session and can be shown again, so the caller's conversation does not change.

    Scenario Outline: The placeholder replaces the output
      Given the settings protected tokens 0, least saving 0
      And the conversation user, <outputs>, user, C Read "a file", user
      When old outputs are cleared
      Then the outputs cleared are "<cleared>"
      And the conversation is user, <new>, user, C Read "a file", user

      Examples:
        | description                    | outputs                             | cleared | new                                                            |
        | but not a failed one           | A Read "a file", B Read failed "no" | A       | A Read "[Old tool result content cleared]", B Read failed "no" |
        | its images go too              | A "a page" 1 image                  | A       | A "[Old tool result content cleared]"                          |

    Scenario Outline: A mark for the provider's cache goes with the output that is cleared, and is sent with one that stays
      Given the settings protected tokens 0, least saving 1
      And the conversation user, A 500 <first>, user, B 500 <second>, user, C 500, assistant
      When the agent sends
      Then the outputs cleared are "A"
      And the cache marks are "<marks>"

      Examples:
        | description   | first  | second | marks |
        | it is cleared | cached |        | 0     |
        | it stays      |        | cached | 1     |

  @PRN_08
  Rule: The policy or the environment turns pruning off
    Source: the comparison of OpenCode and Claude Code (S2, sections 2 and 11), for OpenCode's own variable; brim has one
    of its own beside it. A program turns pruning off in the policy that it gives to a compactor, or to a window of its own.

    Scenario Outline: The policy or either environment variable decides what an agent sends
      Given the settings pruning <policy>
      And the environment variable "<variable>" is "<word>"
      And the conversation 5 turns of 30,000, user
      When the agent sends
      Then the outputs cleared are "<cleared>"

      Examples: Words that switch it off
        | description         | policy | variable               | word | cleared |
        | a one               | on     | BRIM_DISABLE_PRUNE     | 1    |         |
        | yes                 | on     | BRIM_DISABLE_PRUNE     | yes  |         |
        | OpenCode's name     | on     | OPENCODE_DISABLE_PRUNE | 1    |         |
        | the policy          | off    | BRIM_DISABLE_PRUNE     | 0    |         |

      Examples: Words that do not
        | description     | policy | variable               | word  | cleared    |
        | a zero          | on     | BRIM_DISABLE_PRUNE     | 0     | A3, A2, A1 |
        | nothing         | on     | OPENCODE_DISABLE_PRUNE |       | A3, A2, A1 |

  @PRN_09
  Rule: The event of a pruning reports the tokens saved and the cached tokens that must be read again
    Source: brim. The field: anomalyco/opencode#32515, where pruning cost more than it saved because nobody counted
    the broken cache. S2, section 11, asks how content users are with it.

    A provider keeps what it has read in a cache and reads it again at a tenth of the price, but only up to the first
    place that differs. Clearing an old output saves its tokens in every later request, and costs the rest once.

    The 33 characters of each placeholder stay, so that three outputs of 30,000 tokens save 89,975. What is read again are
    the outputs that stay, and some tokens of questions, calls, answers and placeholders between them.

    Scenario Outline: Everything from the first cleared output on must be read again
      Given a model with window 200,000, answer 32,000
      And the conversation <conversation>
      When it is compacted automatically
      Then the events are "…<event>…"

      Examples:
        | description  | conversation      | event                                                                  |
        | three of six | 6 turns of 30,000 | pruned: 3 outputs, 89,975 tokens; 90,056 cached tokens are read again  |

    Scenario Outline: What is saved and what is read again is counted at the characters a token of the window
      Given the settings characters a token <ratio>
      And the conversation <conversation>
      When old outputs are cleared
      Then the saved is "<saved>"
      And the read again is "<again>"

      Examples:
        | description      | ratio | conversation      | saved   | again   |
        | fewer than usual | 2.5   | 6 turns of 30,000 | 143,960 | 144,090 |

      Examples: The images of an output are saved with its text, at 1,600 tokens each
        | description            | ratio | conversation                | saved  | again  |
        | 13 outputs             | 4     | 39 turns of "Here." 1 image | 20,709 | 41,969 |

  @PRN_10
  Rule: When the user's next request comes, old outputs are cleared before it is sent
    Source: the OpenCode pruning flow (S2, section 7), which starts when a turn's processing ends, whether or not
    compaction is due. In the middle of a turn it would break the cached prefix at every request.

    The first request that brim sees brings the user's requests so far, so that it clears too, wherever in a turn it
    comes. A compaction that is due clears old outputs first, in the middle of a turn too (CMP_01). What was cleared once
    stays cleared in every later request; the event of a pruning counts what that pruning cleared (PRN_04).

    Scenario Outline: After a first request in the middle of a turn, more is cleared only when the user's next request comes
      Given the conversation 5 turns of 30,000, user "Please go on.", B 30,000
      When the agent sends, takes "<next>", and sends
      Then the outputs cleared are "<cleared>"
      And the last event is "<event>"

      Examples:
        | description                        | next            | cleared        | event                                                                 |
        | the user's next request            | assistant, user | A4, A3, A2, A1 | pruned: 1 output, 29,991 tokens; 60,033 cached tokens are read again  |
        | the model asks for one more output | C 30,000        | A3, A2, A1     | pruned: 3 outputs, 89,975 tokens; 90,055 cached tokens are read again |
