Feature: Locking
  A session has one writer at a time. Another process that wants to write learns at once who holds it, instead of
  waiting or of mixing two conversations into one log. Reading needs no permission from anyone.

  @SES_08
  Rule: One process writes a session; another one is refused, and learns who holds it
    Source: brim; google/adk-python#3530 reports two processes that write one session.

    Scenario: A session that another process writes
      Given a session that another process writes since 2026-03-01 12:00
      When the session is opened
      Then it is refused, naming that process and "since 2026-03-01 12:00:00 UTC"
      And the log has not changed

    Scenario: A session that this very process has open
      Given a session that this very process has open
      When it is opened once more
      Then it is refused, naming this process and asking to close it

    Scenario: Reading a session that another process writes
      Given a session that another process writes
      When the session is read
      Then it shows 4 messages

    Scenario: A reader does not keep anyone from writing
      Given a session that is being read
      When the session is opened and the user says something
      Then it shows 5 messages

    Scenario: A session that is read cannot be written
      Given a session that is being read
      When the user says something to the process that reads it
      Then it is refused

    Scenario: A process that was killed holds nothing
      Given a session whose writer was killed
      When the session is opened and the user says something
      Then it shows 5 messages

    Scenario: A process that is forked from a writer does not write its session
      Given a session that this very process has open
      When a process that is forked from it says something, and then the process itself does
      Then the forked process is refused, naming the process that has it open
      And it shows 5 messages
