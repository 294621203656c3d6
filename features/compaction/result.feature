Feature: Result
  A plan and an accepted summary make the new conversation. It begins with what was outside the compactable range, then
  the summary stands for all that left, then what was kept follows, word for word. The one handed in is not touched.

  Background:
    Given a keep target of 33,600 tokens

  @CMP_03
  Rule: The summary follows the pinned messages and precedes the kept ones
    Source: the comparison of OpenCode and Claude Code (S2, sections 2 and 7), where a summary takes the place of the
    history, and the windowing plan, which keeps recent messages behind it (S3).

    Scenario: The recent turns follow the summary
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | says    |
        | user      | First.  |
        | assistant | Done.   |
        | user      | Second. |
        | user      | Third.  |
        | user      | Fourth. |
      When it is compacted by hand to the summary "All went well."
      Then the new conversation is
        | speaker | says                                                                     | mark               |
        | user    | [Summary of the earlier conversation, written by brim]\n\nAll went well. | synthetic, summary |
        | user    | Second.                                                                  |                    |
        | user    | Third.                                                                   |                    |
        | user    | Fourth.                                                                  |                    |

    Scenario: Pins and the words of the harness come first
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | says       | mark      |
        | user      | Your file. | synthetic |
        | user      | First.     |           |
        | assistant | Done.      |           |
        | user      | Never lie. | pinned    |
        | user      | Second.    |           |
        | user      | Third.     |           |
        | user      | Fourth.    |           |
      When it is compacted by hand to the summary "All went well."
      Then the new conversation is
        | speaker | says                                                                     | mark               |
        | user    | Your file.                                                               | synthetic          |
        | user    | Never lie.                                                               | pinned             |
        | user    | [Summary of the earlier conversation, written by brim]\n\nAll went well. | synthetic, summary |
        | user    | Second.                                                                  |                    |
        | user    | Third.                                                                   |                    |
        | user    | Fourth.                                                                  |                    |

    Scenario: A pinned call keeps its result, and a conversation never begins with the assistant
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | says    | calls | answers | mark   |
        | user      | First.  |       |         |        |
        | assistant |         | A     |         | pinned |
        | tool      |         |       | A       |        |
        | user      | Second. |       |         |        |
        | user      | Third.  |       |         |        |
        | user      | Fourth. |       |         |        |
      When it is compacted by hand to the summary "All went well."
      Then the new conversation is
        | speaker   | says                                                                     | calls | answers |
        | user      | [Summary of the earlier conversation, written by brim]\n\nAll went well. |       |         |
        | assistant |                                                                          | A     |         |
        | tool      |                                                                          |       | A       |
        | user      | Second.                                                                  |       |         |
        | user      | Third.                                                                   |       |         |
        | user      | Fourth.                                                                  |       |         |

    Scenario: What is pinned behind the user's last message stays behind it
      Given a model with a context window of 200,000 tokens
      And a keep target of 200 tokens
      And a conversation of
        | speaker   | says   | tokens | mark   |
        | user      | First. |        |        |
        | user      | Go on. |        |        |
        | assistant | Noted. |        | pinned |
        | assistant |        | 300    |        |
        | assistant | Done.  |        |        |
      When it is compacted by hand to the summary "All went well."
      Then the new conversation is
        | speaker   | says                                                                     | mark               |
        | user      | [Summary of the earlier conversation, written by brim]\n\nAll went well. | synthetic, summary |
        | user      | Go on.                                                                   |                    |
        | assistant | Noted.                                                                   | pinned             |
        | assistant | Done.                                                                    |                    |

    Scenario: The summary of an earlier compaction is replaced, not kept beside the new one
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | says           | mark    |
        | user      | What was told. | summary |
        | assistant | I went on.     |         |
        | user      | First.         |         |
        | user      | Second.        |         |
        | user      | Third.         |         |
        | user      | Fourth.        |         |
      When it is compacted by hand to the summary "All went well."
      Then the new conversation is
        | speaker | says                                                                     |
        | user    | [Summary of the earlier conversation, written by brim]\n\nAll went well. |
        | user    | Second.                                                                  |
        | user    | Third.                                                                   |
        | user    | Fourth.                                                                  |

    Scenario: In the form of OpenCode the assistant seems to have given the summary
      Given a model with a context window of 200,000 tokens
      And the profile opencode-2025
      And a conversation of
        | speaker | says    |
        | user    | First.  |
        | user    | Second. |
        | user    | Third.  |
        | user    | Fourth. |
      When it is compacted by hand to the summary "All went well."
      Then the new conversation is
        | speaker   | says                                                                                           | mark               |
        | user      | [Continuation after compaction, written by brim]\n\nWhat happened in this conversation so far? | synthetic          |
        | assistant | [Summary of the earlier conversation, written by brim]\n\nAll went well.                       | synthetic, summary |
        | user      | Second.                                                                                        |                    |
        | user      | Third.                                                                                         |                    |
        | user      | Fourth.                                                                                        |                    |
      And as dictionaries it reads the same

    Scenario: The question of an earlier summary is replaced with it
      Given a model with a context window of 200,000 tokens
      And the profile opencode-2025
      And a conversation of
        | speaker   | says           | mark      |
        | user      | What was done? | synthetic |
        | assistant | This and that. | summary   |
        | user      | First.         |           |
        | user      | Second.        |           |
        | user      | Third.         |           |
        | user      | Fourth.        |           |
      When it is compacted by hand to the summary "All went well."
      Then the new conversation is
        | speaker   | says                                                                                           |
        | user      | [Continuation after compaction, written by brim]\n\nWhat happened in this conversation so far? |
        | assistant | [Summary of the earlier conversation, written by brim]\n\nAll went well.                       |
        | user      | Second.                                                                                        |
        | user      | Third.                                                                                         |
        | user      | Fourth.                                                                                        |

  @CMP_03
  Rule: After an automatic compaction in the middle of a tool loop, a final message tells the model to continue
    Source: OpenCode's message after an automatic compaction, as quoted in the comparison (S2, section 2), and the
    windowing plan's continuation (S3).

    Scenario Outline: Only who was interrupted is sent on
      Given a model with a context window of 200,000 tokens
      And a longest answer of 32,000 tokens
      And a conversation that ends <end>
      And a last response that reports 190,000 tokens
      When it is compacted <how> to the summary "All went well."
      Then the model is <sent on>

      Examples:
        | description                 | end                        | how           | sent on     |
        | automatic, in a tool loop   | with a tool result         | automatically | sent on     |
        | by hand, in a tool loop     | with a tool result         | by hand       | not sent on |
        | automatic, after an answer  | with an answer             | automatically | not sent on |
        | automatic, before a request | with a request of the user | automatically | not sent on |

    Scenario Outline: Who is left with a pinned result of a loop that is gone is sent on too
      Given a model with a context window of 200,000 tokens
      And a conversation of 4 turns
      And after it came
        | speaker   | thinks | calls | answers | mark  |
        | user      |        |       |         |       |
        | assistant | Hm.    | A     |         | <pin> |
        | tool      |        |       | A       |       |
        | assistant | Well.  | B     |         |       |
        | tool      |        |       | B       |       |
      When it is compacted by hand to the summary "All went well."
      Then the model is <sent on>

      Examples:
        | description              | pin    | sent on     |
        | a result ends what stays | pinned | sent on     |
        | the request ends it      |        | not sent on |

    Scenario: What the user said beside a result stays, and the result goes with its loop
      Given a model with a context window of 200,000 tokens
      And a conversation of 4 turns
      And after it came
        | speaker   | thinks | calls | answers | says       |
        | user      |        |       |         | Mend it.   |
        | assistant | Hm.    | A     |         |            |
        | user      |        |       | A       | No, stop.  |
      When it is compacted by hand to the summary "All went well."
      Then the new conversation is
        | speaker | says                                                                     | answers |
        | user    | [Summary of the earlier conversation, written by brim]\n\nAll went well. |         |
        | user    | No, stop.                                                                |         |

    Scenario: Where a pinned result has lost its thinking the summary is the answer that ends its loop
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | thinks | says    | calls | answers | mark   |
        | user      |        | First.  |       |         |        |
        | assistant | Hm.    |         | A     |         | pinned |
        | tool      |        |         |       | A       |        |
        | assistant |        | Done.   |       |         |        |
        | user      |        | Second. |       |         |        |
        | user      |        | Third.  |       |         |        |
        | user      |        | Fourth. |       |         |        |
      When it is compacted by hand to the summary "All went well."
      Then the new conversation is
        | speaker   | says                                                                                           | calls | answers |
        | user      | [Continuation after compaction, written by brim]\n\nWhat happened in this conversation so far? |       |         |
        | assistant |                                                                                                | A     |         |
        | tool      |                                                                                                |       | A       |
        | assistant | [Summary of the earlier conversation, written by brim]\n\nAll went well.                       |       |         |
        | user      | Second.                                                                                        |       |         |
        | user      | Third.                                                                                         |       |         |
        | user      | Fourth.                                                                                        |       |         |

    Scenario Outline: So it is where the answer before a pinned result does not begin with its thinking
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | thinks   | says    | calls | answers | mark   |
        | user      |          | First.  |       |         | pinned |
        | assistant | <before> | I look. |       |         | pinned |
        | assistant | Hm.      |         | A     |         | pinned |
        | tool      |          |         |       | A       |        |
        | assistant |          | Done.   |       |         |        |
        | user      |          | Second. |       |         |        |
        | user      |          | Third.  |       |         |        |
        | user      |          | Fourth. |       |         |        |
      When it is compacted by hand to the summary "All went well."
      Then the summary is told by the <speaker>

      Examples:
        | description      | before | speaker   |
        | words come first |        | assistant |
        | it thought first | So.    | user      |

    Scenario: A request behind a pinned result sends on by itself
      Given a model with a context window of 200,000 tokens
      And a conversation of 4 turns
      And after it came
        | speaker   | thinks | calls | answers | mark   |
        | user      |        |       |         |        |
        | assistant |        | A     |         | pinned |
        | tool      |        |       | A       |        |
        | user      |        |       |         |        |
        | assistant | Hm.    | B     |         |        |
        | tool      |        |       | B       |        |
      When it is compacted by hand to the summary "All went well."
      Then the model is not sent on

    Scenario: A result that was kept beside its thinking needs no words after it
      Given a model with a context window of 200,000 tokens
      And a conversation of 4 turns
      And after it came
        | speaker   | calls | answers |
        | user      |       |         |
        | assistant | A     |         |
        | tool      |       | A       |
      When it is compacted by hand to the summary "All went well."
      Then the model is not sent on

  @CMP_03
  Rule: Kept messages lose their thinking, because the history it is bound to is gone
    Source: newer Claude models answer a request that changed what stands before a thinking block with an error; see the
    rules on thinking.

    Scenario: A kept answer loses its thinking alone
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | thinks | says    |
        | user      |        | First.  |
        | assistant | Hm.    | Done.   |
        | user      |        | Second. |
        | assistant | Well.  | Yes.    |
        | user      |        | Third.  |
        | user      |        | Fourth. |
      When it is compacted by hand to the summary "All went well."
      Then the new conversation is
        | speaker   | thinks | says                                                                     |
        | user      |        | [Summary of the earlier conversation, written by brim]\n\nAll went well. |
        | user      |        | Second.                                                                  |
        | assistant |        | Yes.                                                                     |
        | user      |        | Third.                                                                   |
        | user      |        | Fourth.                                                                  |

    Scenario Outline: A response of thinking alone leaves, and with it the tool loop that it did not answer
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | thinks | says   | calls | answers | tokens |
        | user      |        | First. |       |         | 2,000  |
        | assistant |        | Done.  |       |         |        |
        | user      |        | Next.  |       |         |        |
        | user      |        | More.  |       |         |        |
        | user      |        | Go on. |       |         |        |
        | assistant | Hm.    |        | A     |         |        |
        | tool      |        |        |       | A       |        |
        | assistant | Well.  | <says> |       |         |        |
        | user      |        | <then> |       |         |        |
      When the compactor compacts it
      Then the tool loop is <fate>
      And the next request is accepted, thinking with a budget

      Examples:
        | description                           | says  | then  | fate       |
        | thinking alone ends the conversation  |       |       | summarised |
        | the user speaks behind thinking alone |       | Stop. | summarised |
        | the model has answered                | Done. | Stop. | kept       |

    Scenario: Thinking ahead of all that left stays
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | thinks | says    | mark   |
        | user      |        | Rules.  | pinned |
        | assistant | Hm.    | Agreed. | pinned |
        | user      |        | First.  |        |
        | assistant | So.    | Noted.  | pinned |
        | user      |        | Second. |        |
        | user      |        | Third.  |        |
        | user      |        | Fourth. |        |
      When it is compacted by hand to the summary "All went well."
      Then thinking is left in 1 message

    Scenario: After a pruning, thinking before the first cleared output stays
      Given a model with a context window of 200,000 tokens
      And a longest answer of 32,000 tokens
      And a conversation of 6 turns, each with thinking before a tool output of 30,000 tokens
      And a last response that reports 168,001 tokens
      When it is compacted automatically
      Then thinking is left in 1 message

    Scenario: Without a compaction it stays untouched
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | thinks | says   |
        | user      |        | First. |
        | assistant | Hm.    | Done.  |
      When it is compacted by hand without a model
      Then the new conversation is the very same

  @CMP_05
  Rule: The tokens before and after are both estimates of the whole request
    Source: the windowing plan's figures of a summary, tokens before and after (S3), and the first step of compaction in
    the comparison, where a summary's own usage is set aside (S2, section 7).

    Scenario: Saved and share follow from before and after
      Given a model with a context window of 200,000 tokens
      And a system prompt of 500 tokens
      And a conversation of
        | speaker   | tokens |
        | user      | 100    |
        | assistant | 1,300  |
        | user      | 20     |
        | user      | 30     |
        | user      | 50     |
      And a last response that reports 150,000 tokens
      When it is compacted by hand to a summary of 386 tokens
      Then the figures are
        | before | after | saved | share |
        | 2,000  | 1,000 | 1,000 | 50.0% |

    Scenario: The figures are made with the ratio that is set
      Given estimates at 2 characters a token
      And a system prompt of 500 tokens
      And a conversation of
        | speaker   | tokens |
        | user      | 100    |
        | assistant | 1,300  |
        | assistant | 10,000 |
        | user      | 20     |
        | user      | 30     |
        | user      | 50     |
      When it is compacted by hand to a summary of 386 tokens
      Then the figures are
        | before | after | saved  | share |
        | 24,000 | 2,000 | 22,000 | 91.7% |

    Scenario: A compaction that does nothing changes no figure
      Given a model with a context window of 200,000 tokens
      And a conversation of 3 turns
      When it is compacted by hand without a model
      Then nothing is saved
      And the summary is ""

    Scenario: A pruning alone has no summary
      Given a model with a context window of 200,000 tokens
      And a conversation of 6 turns, each with a tool output of 30,000 tokens
      And a last response that reports 168,001 tokens
      When it is compacted automatically to the summary "All went well."
      Then the summary is ""

    Scenario: The summary that was used is told
      Given a model with a context window of 200,000 tokens
      And a conversation of 6 turns
      When it is compacted by hand to the summary "All went well."
      Then the summary is "All went well."

  @CMP_05
  Rule: Fidelity is the share of the facts that the texts, calls and results of the new conversation hold
    Source: the success metrics of the comparison of OpenCode and Claude Code (S2), and a decision of this project: a
    fact is as well kept in what the model called as in what was said.

    Scenario: What left and is not in the summary is missing
      Given a model with a context window of 200,000 tokens
      And a conversation of the turns
        | asked          | says | tool | on      |
        | Mend the door. | Yes. | Edit | door.py |
        | Mend the wall. | Yes. | Edit | wall.py |
        | One.           | Yes. |      |         |
        | Two.           | Yes. |      |         |
        | Three.         | Yes. |      |         |
      When it is compacted by hand to the summary "The user asked: Mend the door. The file wall.py was mended."
      Then 5 of 7 facts are left, and the missing ones are
        | kind          | fact           |
        | request       | Mend the wall. |
        | modified file | door.py        |

    Scenario Outline: A fact is found wherever it stands
      Given a model with a context window of 200,000 tokens
      And a conversation of the turns
        | asked   | says   | tool   | on   | prints   |
        | <first> | Yes.   | <used> | door |          |
        | One.    | Yes.   | Bash   | ls   | <output> |
        | Two.    | <said> | <tool> | <on> |          |
        | Three.  | Yes.   |        |      |          |
      When it is compacted by hand to the summary "All went well."
      Then all facts are left

      Examples: What the user asked
        | description             | first          | used | output                   | said                     | tool | on |
        | in a text               | Mend the door. |      |                          | You said: Mend the door. |      |    |
        | in the output of a tool | Mend the door. |      | You said: Mend the door. | Yes.                     |      |    |

      Examples: What a tool was called with
        | description            | first | used | output | said | tool      | on       |
        | a file                 | One.  | Read |        | Yes. | Read      | door     |
        | a list of things to do | One.  |      |        | Yes. | TodoWrite | Paint it |

  @CMP_05
  Rule: A summary that saves no token is not used
    Source: the field, google-gemini/gemini-cli#7047, where a compaction that made the conversation larger was kept.

    Scenario: Little would be replaced
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker | says    |
        | user    | First.  |
        | user    | Second. |
        | user    | Third.  |
        | user    | Fourth. |
      When it is compacted by hand without a model
      Then the new conversation is the very same

    Scenario Outline: A summary is used that saves a token
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker | says  | tokens  |
        | user    |       | <first> |
        | user    | Two   |         |
        | user    | Three |         |
        | user    | Four. |         |
      When it is compacted by hand without a model
      Then the summary is <used>

      Examples: The opening line and a summary half as long as what leaves
        | description        | first | used     |
        | nothing is saved   | 28    | not used |
        | one token is saved | 29    | used     |

    Scenario: A plan that was not carried out says so
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker | says    |
        | user    | First.  |
        | user    | Second. |
        | user    | Third.  |
        | user    | Fourth. |
      When it is compacted by hand without a model
      Then its plan keeps everything, because there is "nothing to compact"
      And it gives "nothing is summarised" as the reason for every message

    Scenario: Where there is no room for a summary nothing is pruned either
      Given a model with a context window of 1,000,000 tokens
      And a keep target of 200,000 tokens
      And a conversation of
        | speaker   | says | calls | answers | tokens | mark   |
        | user      | 1    |       |         |        |        |
        | assistant |      | A     |         |        | pinned |
        | tool      |      |       | A       | 90,000 |        |
        | user      | 2    |       |         |        |        |
        | user      | 3    |       |         |        |        |
        | user      | 4    |       |         |        |        |
      When it is compacted by hand without a model
      Then the new conversation is the very same

  @CMP_05
  Rule: Without a model the template writes the summary, at most half as long as the messages it replaces
    Source: a decision of this project; the template costs nothing and never fails, and it is there to save.

    Scenario: It is made of what the plan tells
      Given a model with a context window of 200,000 tokens
      And a conversation of the turns
        | asked                                                                     | says | tool | on     | prints   |
        | [Summary of the earlier conversation, written by brim]\n\nThe roof leaks. |      |      |        |          |
        | Mend the door.                                                            |      | Edit | door   |          |
        |                                                                           |      | Bash | pytest | 1 passed |
      And after it came
        | speaker   | says       | calls | answers | tokens |
        | assistant |            | Z     |         |        |
        | tool      |            |       | Z       | 40,000 |
        | assistant | Mended it. |       |         |        |
        | user      | One.       |       |         |        |
        | user      | Two.       |       |         |        |
        | user      | Last.      |       |         |        |
      When it is compacted by hand without a model
      Then the summary reads
        """
        Active files:
        - modified: door
        Goals, as the user put them:
        - "Mend the door."
        - "One."
        - "Two."
        - "Last."
        Unresolved errors: none
        Build status: passing (pytest)
        Last intent: "Mend the door."

        From the earlier summary:
          The roof leaks.

        What was done:
        ✓ Modified door
        [ANCHOR] Mended it.
        """

    Scenario Outline: Where little leaves it is cut at half of that
      Given a model with a context window of 200,000 tokens
      And a conversation of
        | speaker   | says   | tokens |
        | user      |        | 60     |
        | assistant | <says> |        |
        | user      | One.   |        |
        | user      | Two.   |        |
        | user      | Three. |        |
      When it is compacted by hand without a model
      Then the summary is <length> characters long

      Examples: The request that leaves has 240 characters
        | description        | says | length |
        | a character beside | a    | 120    |
        | two of them        | ab   | 121    |
