Feature: Undo
  A compaction that lost what mattered can be undone. The log keeps every message, so the view goes back to
  what it was before; and since an undo is a record too, it can be taken back as well.

  @SES_11
  Rule: A compaction can be undone, and the view returns to what it was before
    Source: brim; asked for in anomalyco/opencode#32368.

    Scenario: The view before the compaction comes back
      Given a session of 40 turns that was compacted
      When the compaction is undone
      Then it shows what it showed before the compaction

    Scenario: Thinking that the compaction left out comes back
      Given a session of 40 turns with thinking that was compacted
      When the compaction is undone
      Then it shows what it showed before the compaction

    Scenario: What was said since stays behind it
      Given a session of 40 turns that was compacted
      When the user says something and the compaction is undone
      Then it shows what it showed before the compaction, and what was said since

    Scenario: Of two compactions the newest is undone first
      Given a session that was compacted 2 times
      When the compaction is undone
      Then it shows what the first compaction made

    Scenario: The older one is undone after it
      Given a session that was compacted 2 times
      When the compaction is undone 2 times
      Then every message is shown, and no summary

    Scenario: Cleared outputs come back
      Given a session whose old outputs were cleared
      When the compaction is undone
      Then it shows what it showed before the compaction

    Scenario: A clearing that follows a compaction is undone first
      Given a session of 40 turns that was compacted
      And its old outputs were cleared since
      When the compaction is undone
      Then it shows what it showed before the compaction

    Scenario: An undo can be taken back
      Given a session of 40 turns that was compacted
      When the compaction is undone and the undo is taken back
      Then it shows the conversation that the compaction made

    Scenario: An undo outlasts a restart
      Given a session of 40 turns that was compacted
      When the compaction is undone and the session is opened anew
      Then it shows what it showed before the compaction

  @SES_11
  Rule: Where nothing was compacted there is nothing to undo
    Source: brim.

    Scenario: A session that was never compacted
      Given a session of 2 turns
      When the compaction is undone
      Then it is refused
      And the log has not changed

    Scenario: A summary that a fork was handed is undone where it was made
      Given a fork of a session of 40 turns that was compacted
      When the compaction is undone
      Then it is refused, naming the session it came from
      And the log has not changed

    Scenario: A compaction of the fork's own is undone there
      Given a fork of a session of 40 turns that was compacted
      When the fork goes on, is compacted, and that is undone
      Then it shows what it showed before the compaction

    Scenario: A compaction that failed has changed nothing
      Given a session of 2 turns of which a compaction failed
      When the compaction is undone
      Then it is refused

    Scenario: There is no undo to take back
      Given a session of 40 turns that was compacted
      When an undo is taken back
      Then it is refused
