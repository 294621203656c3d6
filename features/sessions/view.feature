Feature: View
  A session keeps everything that was ever said in it. What the model sees of that is its view: the newest
  finished summary, what was kept word for word beside it, and all that came since. The view is worked out
  from the records alone, so that it is the same after a restart, on another machine and years later.
  A history that holds its compactions as messages, a marker and the summary that answers it, is walked in
  the same way.

  @SES_04 @portable
  Rule: A session shows the pinned messages and the newest finished summary, then the kept tail, then the messages since
    Source: the filter of compacted messages in OpenCode, as quoted in the comparison of OpenCode and
    Claude Code (S2, section 3), and the kept tail that later versions of OpenCode send behind the summary.
    That older summaries are left out even where the tail reaches back behind them is brim's: summaries do
    not pile up.

    Scenario: Nothing was compacted
      Given a history of
        | message | speaker   |
        | u1      | user      |
        | a1      | assistant |
        | u2      | user      |
      When the visible messages are asked for
      Then what is sent is, in this order: u1, a1, u2

    Scenario: A summary replaces all that came before
      Given a history of
        | message | speaker   | what        | answers |
        | u1      | user      |             |         |
        | a1      | assistant |             |         |
        | m1      | user      | a marker    |         |
        | s1      | assistant | its summary | m1      |
        | u2      | user      |             |         |
      When the visible messages are asked for
      Then what is sent is, in this order: m1, s1, u2

    Scenario: The kept tail follows the summary
      Given a history of
        | message | speaker   | what        | answers | tail from |
        | u1      | user      |             |         |           |
        | u2      | user      |             |         |           |
        | a2      | assistant |             |         |           |
        | m1      | user      | a marker    |         | u2        |
        | s1      | assistant | its summary | m1      |           |
        | u3      | user      |             |         |           |
      When the visible messages are asked for
      Then what is sent is, in this order: m1, s1, u2, a2, u3

    Scenario: Of two summaries the newest counts
      Given a history of
        | message | speaker   | what        | answers | tail from |
        | u1      | user      |             |         |           |
        | m1      | user      | a marker    |         |           |
        | s1      | assistant | its summary | m1      |           |
        | u2      | user      |             |         |           |
        | m2      | user      | a marker    |         | u2        |
        | s2      | assistant | its summary | m2      |           |
      When the visible messages are asked for
      Then what is sent is, in this order: m2, s2, u2

    Scenario: A tail that reaches behind an older summary leaves that one out
      Given a history of
        | message | speaker   | what        | answers | tail from |
        | u1      | user      |             |         |           |
        | m1      | user      | a marker    |         |           |
        | s1      | assistant | its summary | m1      |           |
        | u2      | user      |             |         |           |
        | m2      | user      | a marker    |         | u1        |
        | s2      | assistant | its summary | m2      |           |
      When the visible messages are asked for
      Then what is sent is, in this order: m2, s2, u1, u2

  @SES_04 @portable
  Rule: An unfinished or failed summary is left out, and its marker with it
    Source: the same filter of OpenCode, which asks that the summary is finished (S2, section 3); that an
    error makes it count for nothing is a later fix of OpenCode. In langchain-ai/langchain#38867 the text of
    the error became the summary. That a marker without an answer is left out is brim's (decision 0226).

    Scenario Outline: A summary that failed
      Given a history of
        | message | speaker   | what      | answers |
        | u1      | user      |           |         |
        | m1      | user      | a marker  |         |
        | s1      | assistant | <summary> | m1      |
        | u2      | user      |           |         |
      When the visible messages are asked for
      Then what is sent is, in this order: u1, u2

      Examples: What can be wrong with it
        | description            | summary                |
        | broken off             | an unfinished summary  |
        | ended in an error      | a failed summary       |
        | answers another marker | a summary of elsewhere |

    Scenario: A marker that nothing answers
      Given a history of
        | message | speaker | what     |
        | u1      | user    |          |
        | m1      | user    | a marker |
      When the visible messages are asked for
      Then what is sent is, in this order: u1

    Scenario: A failed summary leaves the one before it in force
      Given a history of
        | message | speaker   | what             | answers |
        | u1      | user      |                  |         |
        | m1      | user      | a marker         |         |
        | s1      | assistant | its summary      | m1      |
        | u2      | user      |                  |         |
        | m2      | user      | a marker         |         |
        | s2      | assistant | a failed summary | m2      |
      When the visible messages are asked for
      Then what is sent is, in this order: m1, s1, u2

    Scenario: A second attempt that succeeds counts
      Given a history of
        | message | speaker   | what             | answers |
        | u1      | user      |                  |         |
        | m1      | user      | a marker         |         |
        | s1      | assistant | a failed summary | m1      |
        | s2      | assistant | its summary      | m1      |
      When the visible messages are asked for
      Then what is sent is, in this order: m1, s2

  @SES_04 @portable
  Rule: If the messages that a summary kept are no longer there, the whole history does not come back in their place
    Source: a later fix of OpenCode to its filter of compacted messages; the rule as such is brim's reading
    of it: what cannot be found is not guessed at the price of the whole window.

    Scenario Outline: A tail that is not to be found
      Given a history of
        | message | speaker   | what        | answers | tail from |
        | u1      | user      |             |         |           |
        | a1      | assistant |             |         |           |
        | m1      | user      | a marker    |         | <tail>    |
        | s1      | assistant | its summary | m1      |           |
        | u2      | user      |             |         |           |
      When the visible messages are asked for
      Then what is sent is, in this order: m1, s1, u2

      Examples: Where it would begin
        | description           | tail |
        | a message that is not | u0   |
        | the marker itself     | m1   |
        | behind the summary    | u2   |

    Scenario: Two messages of one name are no history
      Given a history of
        | message | speaker |
        | u1      | user    |
        | u1      | user    |
      When the visible messages are asked for
      Then it is not understood

  @SES_04
  Rule: What a session shows can always be sent
    Source: the rule that every call has its result (S3, on a cut in the middle of a tool call), applied to
    what is resumed; in google/adk-python#4743 one result without its call blocked a session for good.

    Scenario: A process that died in the middle of a tool call
      Given a session of the messages
        | speaker   | says     | calls |
        | user      | Try it   |       |
        | assistant |          | A     |
      When the session is read
      Then it shows the messages
        | speaker   | says     | calls | fails |
        | user      | Try it   |       |       |
        | assistant |          | A     |       |
        | tool      |          |       | A     |

    Scenario: The compaction that the engine made is what is shown
      Given a session of 40 turns
      When it is compacted
      Then it shows the conversation that the compaction made

    Scenario: A pinned message precedes the summary, and a new message follows the kept tail
      Given a session of the pinned message "Never lie." and 40 turns
      When it is compacted and the user says "Go on."
      Then it shows "Never lie.", the summary, the kept tail and "Go on.", in this order

    Scenario: Thinking behind a history that was replaced is not shown
      Given a session of 40 turns with thinking
      When it is compacted
      Then it shows the conversation that the compaction made
      And no thinking is shown

    Scenario: A result that came late takes the place of its interruption, and what was thought meanwhile goes
      Given a session of the messages
        | speaker   | thinks   | says           | calls | answers |
        | user      |          | Try it         |       |         |
        | assistant |          |                | A     |         |
        | user      |          | Still waiting? |       |         |
        | assistant | It broke | It was stopped |       |         |
        | tool      |          |                |       | A       |
        | assistant | It works | It is done     |       |         |
      When the session is read
      Then it shows the messages
        | speaker   | thinks   | says           | calls | answers |
        | user      |          | Try it         |       |         |
        | assistant |          |                | A     |         |
        | tool      |          |                |       | A       |
        | user      |          | Still waiting? |       |         |
        | assistant |          | It was stopped |       |         |
        | assistant | It works | It is done     |       |         |

    Scenario: A failed compaction changes nothing
      Given a session of 40 turns
      When a compaction of it fails
      Then it shows what it showed before
