Feature: Tool outputs
  Most of what fills a window is what tools answered: files read, pages fetched, logs printed. Once the work has moved
  on, an old output is rarely looked at again, while the call that made it tells what was done. Pruning clears such
  outputs and leaves everything else as it is. It needs no model, so it is the first relief and may be enough.

  @PRN_01 @portable
  Rule: The outputs of the last two user turns are never pruned
    Source: the OpenCode pruning code as quoted in the comparison of OpenCode and Claude Code (S2, section 2).

    Scenario Outline: An output is out of protection once two newer turns have begun
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

    Scenario: A message that a harness put in the user's name begins no turn
      Given a turn with an output A of 70,000 tokens
      And newer user turns, 1 of them
      And a message that a harness put in the user's name
      When old outputs are looked for
      Then the outputs pruned are ""

    Scenario: What the first message of a protected turn holds is protected with it
      Given a history of
        | speaker | output | tokens |
        | user    | A      | 70,000 |
        | user    | B      | 70,000 |
        | user    |        |        |
      When old outputs are looked for
      Then the outputs pruned are "A"

    Scenario: What stands before the first user message can be pruned
      Given a history of
        | speaker   | output | tokens |
        | assistant | A      | 70,000 |
        | user      |        |        |
        | user      |        |        |
      When old outputs are looked for
      Then the outputs pruned are "A"

    Scenario: An empty history
      Given a history of
        | speaker | output | tokens |
      When old outputs are looked for
      Then the outputs pruned are ""

  @PRN_01
  Rule: A message that holds only what tools answered begins no turn
    Source: brim, for the form in which results are sent in the user's name (S2, section 2, has them in the agent's).

    Scenario Outline: Results are no turns of the user
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
  Rule: Of the older outputs the newest 40,000 tokens stay, and the one that crosses 40,000 goes whole
    Source: the OpenCode pruning code (S2, section 2): the total is compared once the output itself has been added.

    Another number is named where one window is pruned by hand, or where the choice alone is asked for; so is the least
    that has to be saved (PRN_03). A compactor works with 40,000 and 20,000.

    Scenario Outline: The newest outputs stay up to 40,000 tokens, exactly so many included
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

    Scenario Outline: The output that crosses goes whole, though most of it lies within
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

    Scenario: Outputs of one message are counted from the last to the first
      Given a history of
        | speaker   | output  | tokens |
        | user      |         |        |
        | assistant | A, B, C | 25,000 |
        | user      |         |        |
        | user      |         |        |
      When old outputs are looked for
      Then the outputs pruned are "B, A"

    Scenario: Outputs of the protected turns do not use up what is protected
      Given a history of
        | speaker   | output | tokens |
        | user      |        |        |
        | assistant | A      | 40,000 |
        | user      |        |        |
        | user      |        |        |
        | assistant | B      | 40,000 |
      When old outputs are looked for
      Then the outputs pruned are ""

    Scenario: How much stays is a setting
      Given a turn with an output A of 25,000 tokens
      And newer user turns, 2 of them
      And 24,999 tokens to protect
      When old outputs are looked for
      Then the outputs pruned are "A"

    Scenario: Less than nothing cannot be protected
      Given a turn with an output A of 25,000 tokens
      And -1 tokens to protect
      When old outputs are looked for
      Then it is not understood

  @PRN_02
  Rule: An output counts four characters to a token, rounded up, and its images what images count
    Source: the estimate that the OpenCode pruning code uses (S2, section 7), rounded as everywhere in brim. A text goes
    together with the images beside it, so both are saved.

    Scenario Outline: What an output comes to
      Given an old output of <characters> characters and <images> images
      When every output before the last two turns is pruned
      Then pruning saves <saved> tokens

      Examples:
        | description         | characters | images | saved |
        | one token           | 4          | 0      | 1     |
        | one character more  | 5          | 0      | 2     |
        | three tokens        | 12         | 0      | 3     |
        | with an image       | 5          | 1      | 1,602 |
        | two images alone    | 0          | 2      | 3,200 |

  @PRN_03
  Rule: A decision says what it came to, with the numbers that it compared
    Source: brim. A user sees why nothing was pruned without reading code.

    Scenario Outline: Why something was pruned, or nothing
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

    Scenario: Nothing stands before the last two turns
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
  Rule: Nothing is pruned unless more than 20,000 tokens are saved
    Source: the OpenCode pruning code (S2, section 2). Its comment says "at least"; the comparison it makes says "more",
    and holds: clearing outputs breaks the provider's cache, so it has to be worth it.

    Scenario Outline: Exactly 20,000 is not enough
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

    Scenario: Several outputs are enough together
      Given a history of
        | speaker   | output | tokens |
        | user      |        |        |
        | assistant | A, B   | 15,000 |
        | assistant | C      | 40,000 |
        | user      |        |        |
        | user      |        |        |
      When old outputs are looked for
      Then 30,000 tokens are saved

    Scenario Outline: How much has to be saved is a setting
      Given a turn with an output A of 50,000 tokens
      And newer user turns, 2 of them
      And a saving of more than <minimum> tokens asked for
      When old outputs are looked for
      Then the outputs pruned are "<pruned>"

      Examples:
        | description     | minimum | pruned |
        | one token under | 49,999  | A      |
        | exactly         | 50,000  |        |

    Scenario: A saving below nothing cannot be asked for
      Given a turn with an output A of 50,000 tokens
      And a saving of more than -1 tokens asked for
      When old outputs are looked for
      Then it is not understood

  @PRN_04 @portable
  Rule: The walk back stops at a summary and at the first output already pruned
    Source: the OpenCode pruning code (S2, section 2). It looks for a summary only beyond the two protected turns; here a
    summary anywhere stops the walk, because what stands before it is not sent, and clearing it would save nothing.

    Scenario Outline: What stands before a summary is not looked at
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

    Scenario Outline: What stands before an output already pruned is not looked at
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

    Scenario: An output already pruned stops the walk within its message
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
  Rule: A conversation that grows is pruned again only beyond what was pruned
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

    Scenario: Its first pruning
      When what may be pruned of it now is pruned
      Then the growing conversation's outputs pruned are "A"

    Scenario: Nothing new, nothing pruned
      Given what may be pruned of it was pruned
      When what may be pruned of it now is pruned
      Then the growing conversation's outputs pruned are ""
      And the decision about it reads "nothing to prune"

    Scenario: One more turn
      Given what may be pruned of it was pruned
      And it went on for one more turn
      When what may be pruned of it now is pruned
      Then the growing conversation's outputs pruned are "B"

    Scenario: A conversation that was pruned before it came
      Given what may be pruned of it was pruned
      And it went on for one more turn
      When it is looked at anew
      Then the growing conversation's outputs pruned are "B"

  @PRN_05 @portable
  Rule: Only completed outputs are pruned, and only they are counted
    Source: the OpenCode pruning code (S2, section 2).

    Scenario Outline: An output that is not completed is left alone
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

    Scenario: A part that is no tool output is passed over
      Given a history of
        | speaker   | output | tokens | kind |
        | user      |        |        |      |
        | assistant | A      | 70,000 | text |
        | user      |        |        |      |
        | user      |        |        |      |
      When old outputs are looked for
      Then the outputs pruned are ""

    Scenario: A tool output of which nothing is known is no request
      Given a history whose tool output states neither its tool nor its size
      When old outputs are looked for
      Then it is not understood

  @PRN_06 @portable
  Rule: Outputs of protected tools are neither pruned nor counted
    Source: OpenCode's code, which protects what a skill told the agent to do; the comparison of OpenCode and Claude Code
    (S2) leaves open whether such tools exist.

    Other tools are named only where the choice alone is asked for. A compactor protects skills.

    Scenario Outline: Skills are protected unless other tools are named
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

    Scenario Outline: Without a setting, skills are protected and no other tool is
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
  Rule: What the caller pinned, and what a provider's own tool answered, is neither pruned nor counted
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

    Scenario: What the provider's own search answered stays
      Given a conversation of
        | speaker   | asks | answers |
        | user      |      |         |
        | assistant | A    | A       |
        | user      |      |         |
        | user      |      |         |
      When every output before the last two turns is pruned
      Then the outputs cleared are ""

    Scenario: A result whose call is missing has no tool that could be protected
      Given a conversation of
        | speaker | answers |
        | tool    | A       |
        | user    |         |
        | user    |         |
      When every output before the last two turns is pruned
      Then the outputs cleared are "A"

    Scenario: Other tools are protected where they are named
      Given a conversation of
        | speaker   | calls           | answers |
        | user      |                 |         |
        | assistant | A skill, B Read |         |
        | tool      |                 | A, B    |
        | user      |                 |         |
        | user      |                 |         |
      When it is pruned with the tool Read protected
      Then the outputs cleared are "A"

    Scenario: The tool of an output is the tool that its call named
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
  Rule: A pruned output reads that it was cleared; the call, its input and its id stay, and nothing else changes
    Source: the OpenCode pruning flow (S2, section 7), which replaces the text when a request is made. What was cleared
    stays in the session and can be shown again, so the conversation handed in is not touched.

    Scenario: The placeholder stands where the output stood
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

    Scenario: What was known of the message stays known
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

    Scenario: An image that the tool sent goes with the output
      Given an old output of a text and an image
      When every output before the last two turns is pruned
      Then nothing of the old output is left but the placeholder

    Scenario: The conversation handed in still holds the whole output
      Given an old output of a text and an image
      When every output before the last two turns is pruned
      Then the conversation handed in is as it was

    Scenario: Messages without an output to clear are the very same
      Given an old output of a text and an image
      When every output before the last two turns is pruned
      Then every other message is the very same

    Scenario: What was cleared counts as already pruned
      Given an old output of a text and an image
      But every output before the last two turns was pruned already
      When every output before the last two turns is pruned
      Then the outputs cleared are ""

    Scenario Outline: A pruning that was decided for another conversation is not applied
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
  Rule: Pruning is off where the configuration or the environment says so
    Source: the comparison of OpenCode and Claude Code (S2, sections 2 and 11), for OpenCode's own variable; brim has one
    of its own beside it. The configuration is the program's own: it says so where it makes a window.

    @portable
    Scenario: Nothing is pruned where pruning is off
      Given a turn with an output A of 70,000 tokens
      And newer user turns, 2 of them
      And pruning is turned off
      When old outputs are looked for
      Then the outputs pruned are ""
      And 0 tokens are saved

    Scenario Outline: Either variable of the environment switches it off
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

    Scenario Outline: What an agent sends follows the variable
      Given the environment's <variable> switch for pruning reads "<word>"
      And an agent with 6 turns, each with an output of 30,000 tokens
      When the user makes the next request of it
      Then <cleared> outputs are cleared in what it sends

      Examples:
        | description     | variable | word | cleared |
        | left on         | brim     | 0    | 4       |
        | brim's name     | brim     | 1    | 0       |
        | OpenCode's name | OpenCode | 1    | 0       |

    Scenario Outline: The configuration switches it off
      Given the configuration has pruning <configured>
      When it is asked whether pruning is off
      Then pruning is <state>

      Examples:
        | description  | configured | state |
        | switched off | off        | off   |
        | left on      | on         | on    |

  @PRN_10
  Rule: When the user's next request comes, old outputs are cleared before it is sent
    Source: the OpenCode pruning flow (S2, section 7), which starts when a turn's processing ends, whether or not
    compaction is due. In the middle of a turn it would break the cached prefix at every request.

    A compaction that is due clears them first, in the middle of a turn too (CMP_01).

    Scenario: With the user's next request old outputs are cleared in what is sent
      Given an agent with 6 turns, each with an output of 30,000 tokens
      When the user makes the next request of it
      Then 4 outputs are cleared in what it sends
