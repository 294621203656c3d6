Feature: Result
  A plan and an accepted summary make the new conversation. It begins with what was outside the compactable range, then
  the summary stands for all that left, then what was kept follows, word for word. The one handed in is not touched.

  @CMP_03
  Rule: The summary stands behind what is pinned and before what is kept
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
        | speaker   | says                                                                          | mark               |
        | user      | [Summary of the earlier conversation, written by brim]\n\nAll went well.       | synthetic, summary |
        | user      | Second.                                                                       |                    |
        | user      | Third.                                                                        |                    |
        | user      | Fourth.                                                                       |                    |

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
        | speaker | says                                                                    | mark               |
        | user    | Your file.                                                              | synthetic          |
        | user    | Never lie.                                                              | pinned             |
        | user    | [Summary of the earlier conversation, written by brim]\n\nAll went well. | synthetic, summary |
        | user    | Second.                                                                 |                    |
        | user    | Third.                                                                  |                    |
        | user    | Fourth.                                                                 |                    |

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
        | speaker   | says                                                                    | calls | answers |
        | user      | [Summary of the earlier conversation, written by brim]\n\nAll went well. |       |         |
        | assistant |                                                                         | A     |         |
        | tool      |                                                                         |       | A       |
        | user      | Second.                                                                 |       |         |
        | user      | Third.                                                                  |       |         |
        | user      | Fourth.                                                                 |       |         |

    Scenario: What is pinned behind the user's last message stays behind it
      Given a model with a context window of 2,000 tokens
      And a longest answer of 1,000 tokens
      And a conversation of
        | speaker   | says    | tokens | mark   |
        | user      | First.  |        |        |
        | user      | Go on.  |        |        |
        | assistant | Noted.  |        | pinned |
        | assistant |         | 300    |        |
        | assistant | Done.   |        |        |
      When it is compacted by hand to the summary "All went well."
      Then the new conversation is
        | speaker   | says                                                                    | mark               |
        | user      | [Summary of the earlier conversation, written by brim]\n\nAll went well. | synthetic, summary |
        | user      | Go on.                                                                  |                    |
        | assistant | Noted.                                                                  | pinned             |
        | assistant | Done.                                                                   |                    |

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
        | speaker | says                                                                    |
        | user    | [Summary of the earlier conversation, written by brim]\n\nAll went well. |
        | user    | Second.                                                                 |
        | user    | Third.                                                                  |
        | user    | Fourth.                                                                 |

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
        | speaker   | says                                                                                                   | mark               |
        | user      | [Continuation after compaction, written by brim]\n\nWhat happened in this conversation so far?         | synthetic          |
        | assistant | [Summary of the earlier conversation, written by brim]\n\nAll went well.                                | synthetic, summary |
        | user      | Second.                                                                                                |                    |
        | user      | Third.                                                                                                 |                    |
        | user      | Fourth.                                                                                                |                    |

    Scenario: The question of an earlier summary is replaced with it
      Given a model with a context window of 200,000 tokens
      And the profile opencode-2025
      And a conversation of
        | speaker   | says             | mark      |
        | user      | What was done?   | synthetic |
        | assistant | This and that.   | summary   |
        | user      | First.           |           |
        | user      | Second.          |           |
        | user      | Third.           |           |
        | user      | Fourth.          |           |
      When it is compacted by hand to the summary "All went well."
      Then the new conversation is
        | speaker   | says                                                                                           |
        | user      | [Continuation after compaction, written by brim]\n\nWhat happened in this conversation so far? |
        | assistant | [Summary of the earlier conversation, written by brim]\n\nAll went well.                       |
        | user      | Second.                                                                                        |
        | user      | Third.                                                                                         |
        | user      | Fourth.                                                                                        |

  @CMP_03
  Rule: After an automatic compaction in the middle of the work, a last message sends the model on
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
        | description                    | end                         | how           | sent on     |
        | automatic, in a tool loop      | with a tool result          | automatically | sent on     |
        | by hand, in a tool loop        | with a tool result          | by hand       | not sent on |
        | automatic, after an answer     | with an answer              | automatically | not sent on |
        | automatic, before a request    | with a request of the user  | automatically | not sent on |

  @CMP_03
  Rule: Thinking of what is kept is left out, since the history that it was bound to is gone
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
        | speaker   | thinks | says                                                                    |
        | user      |        | [Summary of the earlier conversation, written by brim]\n\nAll went well. |
        | user      |        | Second.                                                                 |
        | assistant |        | Yes.                                                                    |
        | user      |        | Third.                                                                  |
        | user      |        | Fourth.                                                                 |

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
  Rule: Before and after are measured in one way, as the estimate of all that is sent
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
        | before | after | saved | share  |
        | 2,000  | 1,000 | 1,000 | 50.0 % |

    Scenario: A compaction that does nothing changes no figure
      Given a model with a context window of 200,000 tokens
      And a conversation of 3 turns
      When it is compacted by hand without a model
      Then nothing is saved

  @CMP_05
  Rule: A summary that would save nothing is not used
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
