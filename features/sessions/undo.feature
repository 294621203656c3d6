Feature: Undo
  A compaction that lost what mattered can be undone. The log keeps every message, so the view goes back to
  what it was before; and since an undo is a record too, it can be taken back as well. The same holds for a rewind.

  @SES_11
  Rule: A compaction can be undone, and the view returns to what it was before
    Source: brim; asked for in anomalyco/opencode#32368.

    Scenario: The view before the compaction comes back
      Given a session of 40 turns that was compacted
      When the compaction is undone
      Then it shows what it showed before the compaction

    Scenario: What was said since stays behind it
      Given a session of 40 turns that was compacted
      When the user says something and the compaction is undone
      Then it shows what it showed before the compaction, and what was said since

    Scenario: The older one is undone after it
      Given a session of 40 turns that was compacted, went on for 40 turns and was compacted
      When the compaction is undone 2 times
      Then every message is shown, and no summary

    Scenario: Cleared outputs come back
      Given a session whose old outputs were cleared
      When the compaction is undone
      Then it shows what it showed before the compaction

    Scenario: An undo can be taken back
      Given a session of 40 turns that was compacted
      When the compaction is undone and the undo is taken back
      Then it shows the conversation that the compaction made

  @SES_11
  Rule: Where nothing was compacted there is nothing to undo
    Source: brim.

    Scenario: A session that was never compacted
      Given a session of 2 turns
      When the compaction is undone
      Then it is refused
      And the log has not changed

    Scenario: A summary that a fork began with is undone where it was made
      Given a fork of a session of 40 turns that was compacted
      When the compaction is undone
      Then it is refused, naming the session it came from
      And the log has not changed

    Scenario: There is no undo to take back
      Given a session of 40 turns that was compacted
      When the undo is taken back
      Then it is refused

  @CHK_09
  Rule: Rewinding the conversation is a record, not a deletion: what was rewound can be shown and brought back
    Source: the sketch of checkpoints in the comparison of OpenCode and Claude Code (S2, section 10.4), which deletes the
    messages; brim's log only grows (SES_01).

    Scenario Outline: The conversation goes back to the end of a turn, or to a record
      Given a session of 4 turns
      When brim rewinds it to <place>
      Then it shows the first <shown> messages of its log
      And the log begins with what it held before

      Examples:
        | description          | place         | shown |
        | the first turn       | turn 1        | 2     |
        | an answer            | its message 6 | 6     |

    Scenario: The next message follows what still counts
      Given a session of 4 turns
      When brim rewinds it to turn 1 and the user says something
      Then it shows 3 messages

    Scenario Outline: What was rewound can be shown
      Given a session of 4 turns
      When brim rewinds it to turn 1 and <act>
      Then the page says "<line>"

      Examples:
        | description            | act                         | line                 |
        | in the list of changes | brim shows it               | 6 messages rewound   |
        | word for word          | brim shows what was rewound | took out 6 messages  |
        | by a search            | brim searches for "file 3"  | turn 3, message 5    |

    Scenario Outline: Undo takes back the newest compaction, pruning or rewind
      Given a session of 4 turns
      When brim rewinds it to turn 3, then <acts>
      Then it shows the first <shown> messages of its log

      Examples:
        | description                | acts                                                              | shown |
        | undone                     | brim undoes that                                                  | 8     |
        | undone and redone          | brim undoes that and brim redoes that                             | 6     |
        | rewound twice, both undone | brim rewinds it to turn 1, brim undoes that and brim undoes that  | 8     |

    Scenario: What was said after a rewind is rewound by its undo, and comes back with a redo
      Given a session of 4 turns
      When brim rewinds it to turn 1, the user says something and brim undoes that
      Then it shows the first 8 messages of its log
      And after a redo it shows 3 messages

    Scenario Outline: A redo takes out nothing that was said after the undo
      Given a session of 4 turns
      When brim rewinds it to turn 1, brim undoes that, <acts> and brim redoes that
      Then the command is refused with "<error>"
      And it shows <shown> messages

      Examples:
        | description     | acts                                             | error                               | shown |
        | one message     | the user says something                          | 1 message was said after the undo   | 9     |

    Scenario: A compaction before the rewind is undone next
      Given a session of 40 turns that was compacted
      When the user says something, brim rewinds it to the compaction, brim undoes that and brim undoes that
      Then every message is shown, and no summary

    Scenario Outline: A place that is none is refused
      Given a session of 4 turns
      When brim rewinds it to <place>
      Then the command is refused with "<error>"
      And the log has not changed

      Examples:
        | description       | place      | error                                            |
        | no such turn      | turn 9     | has 4 turns, and none with the number 9          |
        | the newest        | turn 4     | nothing comes after it                           |
        | no such record    | record "ABCDEFG" | holds no record 'ABCDEFG' to go back to      |
