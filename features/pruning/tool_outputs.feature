Feature: Tool outputs
  Most of what fills a window is what tools answered: files read, pages fetched, logs printed. Once the work has moved
  on, an old output is rarely looked at again, while the call that made it tells what was done. Pruning clears such
  outputs and leaves everything else as it is. It needs no model, so it is the first relief and may be enough.

  @PRN_01 @portable
  Rule: The outputs of the last two user turns are never cleared
    Source: the OpenCode pruning code as quoted in the comparison of OpenCode and Claude Code (S2, section 2).

    Scenario Outline: An output can be cleared after two newer turns have begun
      Given a turn with an output A of 70,000 tokens
      And newer user turns, <turns> of them
      When old outputs are looked for
      Then the outputs pruned are "<pruned>"

      Examples:
        | description             | turns | pruned |
        | the newest turn         | 0     |        |
        | one of the last two     | 1     |        |
        | just before the two     | 2     | A      |
        | further back            | 3     | A      |

    Scenario: A message of a harness begins no turn
      Given a turn with an output A of 70,000 tokens
      And newer user turns, 1 of them
      And a message that a harness put in the user's name
      When old outputs are looked for
      Then the outputs pruned are ""

    Scenario: The outputs in the first message of a protected turn are protected
      Given a history of
        | speaker | output | tokens |
        | user    | A      | 70,000 |
        | user    | B      | 70,000 |
        | user    |        |        |
      When old outputs are looked for
      Then the outputs pruned are "A"

    Scenario: Outputs before the first user message can be cleared
      Given a history of
        | speaker   | output | tokens |
        | assistant | A      | 70,000 |
        | user      |        |        |
        | user      |        |        |
      When old outputs are looked for
      Then the outputs pruned are "A"

    Scenario: An empty conversation
      Given a history of
        | speaker | output | tokens |
      When old outputs are looked for
      Then the outputs pruned are ""

  @PRN_01
  Rule: A message with only tool results begins no turn
    Source: brim, for the form in which results are sent in the user's name (S2, section 2, has them in the agent's).

    Scenario Outline: Tool results begin no turn
      Given a conversation of
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A     |         |
        | tool      |       | A       |
        | <next>    | B     |         |
        | tool      |       | B       |
        | user      |       |         |
      When every output before the last two turns is pruned
      Then the outputs cleared are "<cleared>"

      Examples:
        | description                | next      | cleared |
        | the turn is the last but one | assistant |       |
        | one turn more              | user      | A       |

  @PRN_02 @portable
  Rule: The newest 40,000 tokens of the older outputs stay; the output that crosses the limit is cleared whole
    Source: the OpenCode pruning code (S2, section 2): the total is compared once the output itself has been added.

    The policy can name another number (`prune_protect`), and another least that has to be saved (`prune_minimum`,
    PRN_03); see SET_01.

    Scenario Outline: Outputs stay up to 40,000 tokens
      Given a history of
        | speaker   | output | tokens  |
        | user      |        |         |
        | assistant | A      | 30,000  |
        | assistant | B      | <newer> |
        | user      |        |         |
        | user      |        |         |
      When old outputs are looked for
      Then the outputs pruned are "<pruned>"

      Examples:
        | description     | newer  | pruned |
        | one token under | 39,999 | A      |
        | exactly         | 40,000 | A      |
        | one token over  | 40,001 | B, A   |

    Scenario Outline: The output that crosses the limit is cleared whole
      Given a history of
        | speaker   | output | tokens  |
        | user      |        |         |
        | assistant | A      | <older> |
        | assistant | B      | 10,000  |
        | user      |        |         |
        | user      |        |         |
      When old outputs are looked for
      Then <saved> tokens are saved

      Examples:
        | description     | older  | saved  |
        | one token under | 29,999 | 0      |
        | exactly         | 30,000 | 0      |
        | one token over  | 30,001 | 30,001 |

    Scenario: The outputs of a message are counted from the last to the first
      Given a history of
        | speaker   | output  | tokens |
        | user      |         |        |
        | assistant | A, B, C | 25,000 |
        | user      |         |        |
        | user      |         |        |
      When old outputs are looked for
      Then the outputs pruned are "B, A"

    Scenario: The outputs of the last two turns do not count
      Given a history of
        | speaker   | output | tokens |
        | user      |        |        |
        | assistant | A      | 40,000 |
        | user      |        |        |
        | user      |        |        |
        | assistant | B      | 40,000 |
      When old outputs are looked for
      Then the outputs pruned are ""

    Scenario: The protected tokens are a setting
      Given a turn with an output A of 25,000 tokens
      And newer user turns, 2 of them
      And 24,999 tokens to protect
      When old outputs are looked for
      Then the outputs pruned are "A"

    Scenario: A negative number of protected tokens is invalid input
      Given a turn with an output A of 25,000 tokens
      And -1 tokens to protect
      When old outputs are looked for
      Then it is not understood

  @PRN_02
  Rule: An output counts a token for each 4 characters, rounded up, and 1,600 tokens for each image
    Source: the estimate that the OpenCode pruning code uses (S2, section 7), rounded as everywhere in brim. A text goes
    together with the images beside it, so both are saved. The thresholds compare this count in every window (PRN_02, PRN_03);
    what a pruning saves of a window is counted by its own ratio (PRN_09).

    Scenario Outline: The tokens of an output
      Given an old output of <characters> characters and <images> images
      When every output before the last two turns is pruned
      Then the reason is "<reason>"

      Examples:
        | description         | characters | images | reason              |
        | one token           | 4          | 0      | 1 output (1 > 0)    |
        | one character more  | 5          | 0      | 1 output (2 > 0)    |
        | three tokens        | 12         | 0      | 1 output (3 > 0)    |
        | with an image       | 5          | 1      | 1 output (1602 > 0) |
        | two images alone    | 0          | 2      | 1 output (3200 > 0) |

  @PRN_03
  Rule: A pruning reports its reason, with the numbers compared
    Source: brim. A user sees why nothing was pruned without reading code.

    Scenario Outline: The reason for clearing an output, or none
      Given an old output of <characters> characters and 0 images
      When it is pruned where more than <minimum> tokens have to be saved
      Then the reason is "<reason>"

      Examples:
        | description           | characters | minimum | reason                     |
        | enough                | 80         | 19      | 1 output (20 > 19)         |
        | exactly is not enough | 80         | 20      | too little to save (20 <= 20) |
        | an empty output       | 0          | 0       | nothing to prune           |

    Scenario: Several outputs
      Given a conversation of
        | speaker | answers | output    |
        | tool    | A, B    | a picture |
        | user    |         |           |
        | user    |         |           |
      When every output before the last two turns is pruned
      Then the reason is "2 outputs (6 > 0)"

    Scenario: No output before the last two turns
      Given a conversation of
        | speaker |
        | user    |
        | user    |
      When every output before the last two turns is pruned
      Then the reason is "nothing to prune"

    Scenario: Pruning is off
      Given a conversation of
        | speaker |
        | user    |
        | user    |
      When it is pruned where pruning is off
      Then the reason is "disabled"

  @PRN_03 @portable
  Rule: A pruning must save more than 20,000 tokens
    Source: the OpenCode pruning code (S2, section 2). Its comment says "at least"; the comparison it makes says "more",
    and holds: clearing outputs breaks the provider's cache, so it has to be worth it.

    Scenario Outline: A saving of exactly 20,000 tokens is not enough
      Given a history of
        | speaker   | output | tokens  |
        | user      |        |         |
        | assistant | A      | <older> |
        | assistant | B      | 40,000  |
        | user      |        |         |
        | user      |        |         |
      When old outputs are looked for
      Then <saved> tokens are saved

      Examples:
        | description     | older  | saved  |
        | one token under | 19,999 | 0      |
        | exactly         | 20,000 | 0      |
        | one token over  | 20,001 | 20,001 |

    Scenario: The savings of several outputs add up
      Given a history of
        | speaker   | output | tokens |
        | user      |        |        |
        | assistant | A, B   | 15,000 |
        | assistant | C      | 40,000 |
        | user      |        |        |
        | user      |        |        |
      When old outputs are looked for
      Then 30,000 tokens are saved

    Scenario Outline: The minimum saving is a setting
      Given a turn with an output A of 50,000 tokens
      And newer user turns, 2 of them
      And a saving of more than <minimum> tokens asked for
      When old outputs are looked for
      Then the outputs pruned are "<pruned>"

      Examples:
        | description     | minimum | pruned |
        | one token under | 49,999  | A      |
        | exactly         | 50,000  |        |

    Scenario: A negative minimum is invalid input
      Given a turn with an output A of 50,000 tokens
      And a saving of more than -1 tokens asked for
      When old outputs are looked for
      Then it is not understood

  @PRN_04 @portable
  Rule: Outputs before a summary, or before an output that was cleared earlier, are ignored
    Source: the OpenCode pruning code (S2, section 2). It looks for a summary only beyond the two protected turns; here a
    summary anywhere stops the walk, because what stands before it is not sent, and clearing it would save nothing.

    Scenario Outline: Outputs before a summary are ignored
      Given a history of
        | speaker   | output | tokens | mark   |
        | user      |        |        |        |
        | assistant | A      | 70,000 | <one>  |
        | user      |        |        |        |
        | assistant | B      | 70,000 | <two>  |
        | user      |        |        |        |
        | assistant |        |        | <last> |
        | user      |        |        |        |
      When old outputs are looked for
      Then the outputs pruned are "<pruned>"

      Examples:
        | description                   | one     | two     | last    | pruned |
        | no summary                    |         |         |         | B, A   |
        | the oldest is the summary     | summary |         |         | B      |
        | a newer one is                |         | summary |         |        |
        | one within the last two turns |         |         | summary |        |

    Scenario Outline: Outputs before a cleared output are ignored
      Given a history of
        | speaker   | output | tokens | mark    |
        | user      |        |        |         |
        | assistant | A      | 70,000 |         |
        | assistant | B      | 70,000 | <older> |
        | assistant | C      | 70,000 | <newer> |
        | user      |        |        |         |
        | user      |        |        |         |
      When old outputs are looked for
      Then the outputs pruned are "<pruned>"
      And <saved> tokens are saved

      Examples:
        | description           | older  | newer  | pruned  | saved   |
        | none was pruned       |        |        | C, B, A | 210,000 |
        | the one in the middle | pruned |        | C       | 70,000  |
        | the newest            |        | pruned |         | 0       |

    Scenario: Outputs before a cleared output in the same message are ignored
      Given a history of
        | speaker   | output | tokens | mark   |
        | user      |        |        |        |
        | assistant | A      | 70,000 | pruned |
        | assistant | B, C   | 70,000 |        |
        | user      |        |        |        |
        | user      |        |        |        |
      When old outputs are looked for
      Then the outputs pruned are "C, B"

  @PRN_04
  Rule: A second pruning clears only outputs after the first
    Source: the OpenCode pruning code (S2, section 2), which marks what it pruned. Asking again costs nothing that grows
    with the conversation.

    Background:
      Given a growing conversation of
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A     |         |
        | tool      |       | A       |
        | user      |       |         |
        | assistant | B     |         |
        | tool      |       | B       |
        | user      |       |         |

    Scenario: The first pruning
      When what may be pruned of it now is pruned
      Then the growing conversation's outputs pruned are "A"

    Scenario: Nothing new was said
      Given what may be pruned of it was pruned
      When what may be pruned of it now is pruned
      Then the growing conversation's outputs pruned are ""
      And the decision about it reads "nothing to prune"

    Scenario: One more turn
      Given what may be pruned of it was pruned
      And it went on for one more turn
      When what may be pruned of it now is pruned
      Then the growing conversation's outputs pruned are "B"

    Scenario: A conversation that was pruned before it was read
      Given what may be pruned of it was pruned
      And it went on for one more turn
      When it is looked at anew
      Then the growing conversation's outputs pruned are "B"

  @PRN_05 @portable
  Rule: Only completed outputs are cleared and counted
    Source: the OpenCode pruning code (S2, section 2).

    Scenario Outline: An output that is not completed stays
      Given a history of
        | speaker   | output | tokens | status   |
        | user      |        |        |          |
        | assistant | A      | 70,000 | <status> |
        | user      |        |        |          |
        | user      |        |        |          |
      When old outputs are looked for
      Then the outputs pruned are "<pruned>"

      Examples:
        | description    | status    | pruned |
        | completed      | completed | A      |
        | still running  | running   |        |
        | not yet begun  | pending   |        |
        | failed         | error     |        |

    Scenario: An output that is not completed does not count
      Given a history of
        | speaker   | output | tokens | status    |
        | user      |        |        |           |
        | assistant | A      | 40,000 | completed |
        | assistant | B      | 40,000 | error     |
        | user      |        |        |           |
        | user      |        |        |           |
      When old outputs are looked for
      Then the outputs pruned are ""

    Scenario: A part that is no tool output stays
      Given a history of
        | speaker   | output | tokens | kind |
        | user      |        |        |      |
        | assistant | A      | 70,000 | text |
        | user      |        |        |      |
        | user      |        |        |      |
      When old outputs are looked for
      Then the outputs pruned are ""

    Scenario: A tool output without tool and size is invalid input
      Given a history whose tool output states neither its tool nor its size
      When old outputs are looked for
      Then it is not understood

  @PRN_06 @portable
  Rule: Outputs of protected tools are neither cleared nor counted
    Source: OpenCode's code, which protects what a skill told the agent to do; the comparison of OpenCode and Claude Code
    (S2) leaves open whether such tools exist.

    The policy can name other tools than skills (`protected_tools`, SET_01).

    Scenario Outline: The setting replaces the protected tools
      Given a history of
        | speaker   | output | tokens | tool   |
        | user      |        |        |        |
        | assistant | A      | 70,000 | <tool> |
        | user      |        |        |        |
        | user      |        |        |        |
      And the protected tools are "<protected>"
      When old outputs are looked for
      Then the outputs pruned are "<pruned>"

      Examples:
        | description                | tool  | protected   | pruned |
        | a skill                    | skill | skill       |        |
        | another tool               | Read  | skill       | A      |
        | a tool that was named      | Read  | skill, Read |        |
        | a skill that was not named | skill | Read        | A      |
        | nothing is protected       | skill |             | A      |

    Scenario Outline: By default only skills are protected
      Given a history of
        | speaker   | output | tokens | tool   |
        | user      |        |        |        |
        | assistant | A      | 70,000 | <tool> |
        | user      |        |        |        |
        | user      |        |        |        |
      When old outputs are looked for
      Then the outputs pruned are "<pruned>"

      Examples:
        | description     | tool   | pruned |
        | a skill         | skill  |        |
        | any other       | Read   | A      |
        | much like it    | skills | A      |

    Scenario: A protected output does not count
      Given a history of
        | speaker   | output | tokens | tool  |
        | user      |        |        |       |
        | assistant | A      | 40,000 | Read  |
        | assistant | B      | 40,000 | skill |
        | user      |        |        |       |
        | user      |        |        |       |
      When old outputs are looked for
      Then the outputs pruned are ""

  @PRN_06
  Rule: The user's answers to a tool that asks questions are neither cleared nor counted
    Source: brim. What the user answers are the user's words, which a compaction keeps (SUM_18).

    Scenario Outline: The tool of an old output
      Given a conversation of
        | speaker   | calls    | answers |
        | user      |          |         |
        | assistant | A <tool> |         |
        | tool      |          | A       |
        | user      |          |         |
        | user      |          |         |
      When every output before the last two turns is pruned
      Then the outputs cleared are "<cleared>"

      Examples:
        | description    | tool            | cleared |
        | of Claude Code | AskUserQuestion |         |
        | of OpenCode    | question        |         |
        | any other      | Read            | A       |

  @PRN_06
  Rule: Pinned outputs and results of a provider's own tool are neither cleared nor counted
    Source: brim. A pinned message is outside of what may be compacted. A provider refuses a plain text where its own
    search answered, so such an output could not be cleared without breaking the request.

    Scenario: A pinned output stays
      Given a conversation of
        | speaker   | calls | answers | mark   |
        | user      |       |         |        |
        | assistant | A     |         |        |
        | tool      |       | A       | pinned |
        | user      |       |         |        |
        | user      |       |         |        |
      When every output before the last two turns is pruned
      Then the outputs cleared are ""

    Scenario Outline: An output that an agent pins with a request is not cleared
      Given an agent with 5 turns, each with an output of 500 tokens, whose older outputs are cleared at once
      When it sends a request that pins <pinned>
      Then the outputs that are sent are those of turns <sent>

      Examples:
        | description                  | pinned            | sent       |
        | no pin                       | nothing           | 4, 5       |
        | a pin from the first request | the output of turn 1 | 1, 4, 5 |

    Scenario: The result of the provider's search stays
      Given a conversation of
        | speaker   | asks | answers |
        | user      |      |         |
        | assistant | A    | A       |
        | user      |      |         |
        | user      |      |         |
      When every output before the last two turns is pruned
      Then the outputs cleared are ""

    Scenario: A result without its call is not protected
      Given a conversation of
        | speaker | answers |
        | tool    | A       |
        | user    |         |
        | user    |         |
      When every output before the last two turns is pruned
      Then the outputs cleared are "A"

    Scenario: Other tools can be protected
      Given a conversation of
        | speaker   | calls           | answers |
        | user      |                 |         |
        | assistant | A skill, B Read |         |
        | tool      |                 | A, B    |
        | user      |                 |         |
        | user      |                 |         |
      When it is pruned with the tool Read protected
      Then the outputs cleared are "A"

    Scenario: A later call of another tool may take the id of a call without a result
      Given a conversation of
        | speaker   | calls   | answers |
        | user      |         |         |
        | assistant | A skill |         |
        | user      |         |         |
        | assistant | A Read  |         |
        | tool      |         | A       |
        | user      |         |         |
        | user      |         |         |
      When every output before the last two turns is pruned
      Then the outputs cleared are "A"

    Scenario: The call names the tool of an output
      Given a conversation of
        | speaker   | calls           | answers |
        | user      |                 |         |
        | assistant | A skill, B Read |         |
        | tool      |                 | A, B    |
        | user      |                 |         |
        | user      |                 |         |
      When every output before the last two turns is pruned
      Then the outputs cleared are "B"

  @PRN_07
  Rule: A placeholder replaces the content of a cleared output; call, input and id stay
    Source: the OpenCode pruning flow (S2, section 7), which replaces the text when a request is made. What was cleared
    stays in the session and can be shown again, so the caller's conversation does not change.

    Scenario: The placeholder replaces the output
      Given a conversation of
        | speaker   | calls  | answers | fails | output |
        | user      |        |         |       |        |
        | assistant | A Read |         |       |        |
        | tool      |        | A       |       | a file |
        | assistant | B Read |         |       |        |
        | tool      |        |         | B     | no     |
        | user      |        |         |       |        |
        | assistant | C Read |         |       |        |
        | tool      |        | C       |       | a file |
        | user      |        |         |       |        |
      When every output before the last two turns is pruned
      Then the pruned conversation is
        | speaker   | calls  | answers | fails | output                            |
        | user      |        |         |       |                                   |
        | assistant | A Read |         |       |                                   |
        | tool      |        | A       |       | [Old tool result content cleared] |
        | assistant | B Read |         |       |                                   |
        | tool      |        |         | B     | no                                |
        | user      |        |         |       |                                   |
        | assistant | C Read |         |       |                                   |
        | tool      |        | C       |       | a file                            |
        | user      |        |         |       |                                   |

    Scenario: The marks of the message stay
      Given a conversation of
        | speaker   | calls | answers | mark       |
        | user      |       |         |            |
        | assistant | A     |         |            |
        | tool      |       | A       | checkpoint |
        | user      |       |         |            |
        | user      |       |         |            |
      When every output before the last two turns is pruned
      Then the pruned conversation is
        | speaker   | calls | answers | mark       |
        | user      |       |         |            |
        | assistant | A     |         |            |
        | tool      |       | A       | checkpoint |
        | user      |       |         |            |
        | user      |       |         |            |

    Scenario Outline: An agent's cache marks are sent with each message but those with a cleared output
      Given an agent with 5 turns, each with an output of 500 tokens, whose older outputs are cleared at once
      And the output of turn <turn> has a cache mark
      When it sends a request that pins nothing
      Then <marks> cache marks are sent

      Examples:
        | description   | turn | marks |
        | it is cleared | 3    | 0     |
        | it stays      | 4    | 1     |

    Scenario: The images of an output are cleared with it
      Given an old output of a text and an image
      When every output before the last two turns is pruned
      Then nothing of the old output is left but the placeholder

    Scenario: The caller's messages keep the output
      Given an old output of a text and an image
      When every output before the last two turns is pruned
      Then the original conversation is unchanged

    Scenario: Messages without a cleared output are the same objects
      Given an old output of a text and an image
      When every output before the last two turns is pruned
      Then every other message is the very same

    Scenario: A cleared output is not cleared again
      Given an old output of a text and an image
      But every output before the last two turns was pruned already
      When every output before the last two turns is pruned
      Then the outputs cleared are ""

    Scenario Outline: A pruning of another conversation is refused
      Given an old output of a text and an image
      When a pruning of call <call> in part <part> of message <message> is applied
      Then the refusal reads "<words>"

      Examples:
        | description       | message | part | call | words                                              |
        | another call      | 2       | 0    | B    | message 2 does not hold the output of call B       |
        | no such part      | 2       | 1    | A    | message 2 does not hold the output of call A       |
        | not an output     | 1       | 0    | A    | message 1 does not hold the output of call A       |
        | no such message   | 5       | 0    | A    | the pruning names message 5; the conversation has 5 messages |
        | far from it       | 9       | 0    | A    | the pruning names message 9; the conversation has 5 messages |

  @PRN_08
  Rule: The policy or the environment turns pruning off
    Source: the comparison of OpenCode and Claude Code (S2, sections 2 and 11), for OpenCode's own variable; brim has one
    of its own beside it. The configuration is the program's own: it says so where it makes a window.

    @portable
    Scenario: Nothing is cleared if pruning is off
      Given a turn with an output A of 70,000 tokens
      And newer user turns, 2 of them
      And pruning is turned off
      When old outputs are looked for
      Then the outputs pruned are ""
      And 0 tokens are saved

    Scenario Outline: Either environment variable turns pruning off
      Given the environment's <variable> switch for pruning reads "<word>"
      When it is asked whether pruning is off
      Then pruning is <state>

      Examples: Words that switch it off
        | description     | variable | word | state |
        | a one           | brim     | 1    | off   |
        | true            | brim     | true | off   |
        | yes             | brim     | yes  | off   |
        | on              | brim     | on   | off   |
        | in capitals     | brim     | TRUE | off   |
        | with a space    | brim     | on\n | off   |
        | OpenCode's name | OpenCode | 1    | off   |

      Examples: Words that do not
        | description     | variable | word  | state |
        | a zero          | brim     | 0     | on    |
        | false           | brim     | false | on    |
        | no              | OpenCode | no    | on    |
        | nothing         | OpenCode |       | on    |
        | some other word | brim     | maybe | on    |

    Scenario Outline: The variable decides what an agent sends
      Given the environment's <variable> switch for pruning reads "<word>"
      And an agent with 6 turns, each with an output of 30,000 tokens
      When the user makes the next request of it
      Then <cleared> outputs are cleared in what it sends

      Examples:
        | description     | variable | word | cleared |
        | left on         | brim     | 0    | 4       |
        | brim's name     | brim     | 1    | 0       |
        | OpenCode's name | OpenCode | 1    | 0       |

    Scenario Outline: The policy turns pruning off
      Given the configuration has pruning <configured>
      When it is asked whether pruning is off
      Then pruning is <state>

      Examples:
        | description  | configured | state |
        | switched off | off        | off   |
        | left on      | on         | on    |

  @PRN_09
  Rule: The event of a pruning reports the tokens saved and the cached tokens that must be read again
    Source: brim. The field: anomalyco/opencode#32515, where pruning cost more than it saved because nobody counted
    the broken cache.

    A provider keeps what it has read in a cache and reads it again at a tenth of the price, but only up to the first
    place that differs. Clearing an old output saves its tokens in every later request, and costs the rest once.

    Scenario Outline: Everything from the first cleared output on must be read again
      Given a model with a context window of 200,000 tokens
      And a longest answer of 32,000 tokens
      When <count> outputs of <tokens> tokens are pruned
      Then the event reads "<event>"

      Examples:
        | description  | count | tokens | event                                                                  |
        | three of six | 6     | 30,000 | pruned: 3 outputs, 89,975 tokens; 90,056 cached tokens are read again  |
        | two of five  | 5     | 40,000 | pruned: 2 outputs, 79,983 tokens; 120,042 cached tokens are read again |

    Scenario Outline: What is saved and what is read again is counted at the characters a token of the window
      Given estimates at <ratio> characters a token
      And a conversation of 6 turns, each with a tool output of 30,000 tokens
      When its old outputs are cleared
      Then the placeholders that stay are subtracted, and it saves <saved> tokens
      And <again> cached tokens are read again

      Examples:
        | description      | ratio | saved   | again   |
        | fewer than usual | 2.5   | 143,960 | 144,090 |
        | more than usual  | 5     | 71,980  | 72,045  |

    Scenario Outline: The images of an output are saved with its text, at 1,600 tokens each
      Given a conversation of <turns> turns, each with a screenshot
      When its old outputs are cleared
      Then the placeholders that stay are subtracted, and it saves <saved> tokens
      And <again> cached tokens are read again

      Examples:
        | description            | turns | saved  | again  |
        | 12 outputs: too little | 38    | 0      | 0      |
        | 13 outputs             | 39    | 20,709 | 41,969 |

  @PRN_10
  Rule: When the user's next request comes, old outputs are cleared before it is sent
    Source: the OpenCode pruning flow (S2, section 7), which starts when a turn's processing ends, whether or not
    compaction is due. In the middle of a turn it would break the cached prefix at every request.

    A compaction that is due clears them first, in the middle of a turn too (CMP_01).

    Scenario: The user's next request is sent with old outputs cleared
      Given an agent with 6 turns, each with an output of 30,000 tokens
      When the user makes the next request of it
      Then 4 outputs are cleared in what it sends
      And the last event is "pruned: 1 output, 29,991 tokens; 60,024 cached tokens are read again"

    Scenario: In the middle of a turn nothing is cleared
      Given an agent with 6 turns, each with an output of 30,000 tokens
      When its model asks for one more output in the middle of the sixth turn
      Then 3 outputs are cleared in what it sends
      And the last event is "pruned: 3 outputs, 89,975 tokens; 60,055 cached tokens are read again"
