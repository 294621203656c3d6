Feature: Registry
  The registry lists the sessions there are. It is derived data: all that it says is in the logs too, so that it can be
  lost, damaged or out of date without any harm. Preferences of the user, such as a default model, are not in it: they
  are settings in the user's brim.toml.

  @SES_02
  Rule: A registry lists every session with what is known of it
    Source: the central registry of Claude Code, in the comparison of OpenCode and Claude Code (S2, section
    3): id, directory, model, transcript and when it was last active; title and parent are OpenCode's.

    Scenario: Sessions are listed with all that is known of them, the one last active first
      Given it is 2026-03-01 12:00
      And these sessions, made a minute apart
        | name   | title      | project          | model      | parent |
        | first  | The parser | /home/dev/parser | some-model |        |
        | second |            | /home/parser     |            | first  |
        | third  |            |                  |            |        |
      When the user says something in the session second and the sessions are listed
      Then the list is
        | name   | title      | project          | model      | parent |
        | second |            | /home/parser     |            | first  |
        | third  |            |                  |            |        |
        | first  | The parser | /home/dev/parser | some-model |        |

    Scenario Outline: A session is listed with when it was made and when it was last active
      Given it is 2026-03-01 12:00
      And a session of 2 turns
      And the clock <moves>
      When <act> and the sessions are listed
      Then it was made at 2026-03-01 12:00 and last active at <moment>

      Examples: The clock goes on
        | description | moves                | act                       | moment           |
        | a message   | goes on by 2 minutes | the user says something   | 2026-03-01 12:02 |
        | a title     | goes on by 2 minutes | it is renamed "The lexer" | 2026-03-01 12:02 |

      Examples: The clock is set back
        | description           | moves                | act                       | moment           |
        | a message from before | goes back by an hour | the user says something   | 2026-03-01 12:00 |
        | a title from before   | goes back by an hour | it is renamed "The lexer" | 2026-03-01 12:00 |

    Scenario: The sessions of one project
      Given it is 2026-03-01 12:00
      And these sessions, made a minute apart
        | name   | project          |
        | first  | /home/dev/parser |
        | second | /home/parser     |
      When the sessions of the project "/home/dev/parser" are listed
      Then the list is
        | name  |
        | first |

    Scenario: A session that is renamed goes by its new title
      Given a session of 2 turns
      When it is renamed "The lexer" and the sessions are listed
      Then the list is
        | title     |
        | The lexer |

    @files
    Scenario: A session that a newer version goes on with is listed as far as it is understood
      Given the sessions first, second and third
      And a newer version renames the session second "Newer"
      When the sessions are listed
      Then 3 sessions are listed without a title, and nothing is reported

    Scenario: There is no session of that id
      When the session "nobody" is opened
      Then it is not understood

  @SES_02
  Rule: The list shows how long ago a session was last active, and its page when that was
    Source: brim.

    Scenario Outline: In minutes, hours and days, and after a month by its day
      Given it is 2026-03-01 12:00
      And a session of 2 turns
      And the clock <moves>
      When brim lists the sessions
      Then it is listed as active "<when>"

      Examples: Less than an hour
        | description        | moves                    | when       |
        | less than a minute | goes on by 59 seconds    | just now   |
        | a minute           | goes on by 60 seconds    | 1 min ago  |
        | less than an hour  | goes on by 3,599 seconds | 59 min ago |

      Examples: An hour and more
        | description        | moves                    | when        |
        | an hour            | goes on by 60 minutes    | 1 h ago     |
        | less than two days | goes on by 2,879 minutes | 47 h ago    |
        | two days           | goes on by 48 hours      | 2 days ago  |
        | less than a month  | goes on by 719 hours     | 29 days ago |
        | a month            | goes on by 30 days       | 2026-03-01  |

      Examples: A clock that was set back
        | description | moves                | when     |
        | by an hour  | goes back by an hour | just now |

    Scenario: Its page says when it was made and when it was last active
      Given it is 2026-03-01 12:00
      And a session of 2 turns
      And 2 minutes pass
      And the user has said something since
      When brim shows it
      Then the page says "created 2026-03-01 12:00 · last active 2026-03-01 12:02"

  @SES_02 @files
  Rule: The registry is rebuilt from the logs when it is lost or damaged
    Source: brim; the registry of Claude Code is the only place where its sessions are listed (S2, section 3).

    Scenario Outline: The registry cannot be used
      Given 3 sessions and an index that <trouble>
      When the sessions are listed
      Then 3 sessions are listed
      And <report> that the index was damaged

      Examples:
        | description            | trouble                          | report             |
        | gone                   | is lost                          | it is not reported |
        | of another version     | is of another version            | it is not reported |
        | no database            | reads "my thesis"                | it is reported     |

  @SES_02 @files
  Rule: What cannot be read is reported by name, and all else is listed
    Source: brim.

    Scenario: A log whose first line is damaged
      Given the sessions first, second and third
      And the user said something in the session second, and its first line was damaged
      When the sessions are listed
      Then 3 sessions are listed
      And it is reported that the first line of the session second is lost

  @SES_02
  Rule: A store is named by a folder or by a URL of a kind that is known
    Source: brim.

    Scenario Outline: A store of an unknown kind
      When the store "<url>" is opened
      Then it is not understood

      Examples:
        | description      | url                       |
        | another database | mysql://localhost/brim    |
        | a web address    | https://example.com/store |

    Scenario Outline: A URL that lacks a character is no folder, and no part of it is repeated
      When the store "<url>" is opened
      Then it is not understood, without repeating "secret"
      And nothing was written

      Examples:
        | description          | url                                |
        | no colon             | postgresql//me:secret@host/db      |
        | one slash            | postgresql:/me:secret@host/db      |
        | no kind of database  | me:secret@host/db                  |

  @SES_15 @files
  Rule: No link inside a store is followed
    Source: brim. A store may come from another person's archive: a link in it could have brim write over any
    file of the user's.

    Scenario Outline: A link in the place of something that brim keeps
      Given the sessions first, second and third
      And the <thing> is a link that leads out of the store
      When every session is listed, searched, opened, written and renamed
      Then nothing outside of the store has changed
      And it is reported in one line that a link is not followed
      And <count> sessions are listed

      Examples: Files
        | description            | thing                  | count |
        | the index              | index                  | 3     |
        | a log                  | log of second          | 2     |

      Examples: Folders
        | description            | thing                  | count |
        | the sessions           | folder of all sessions | 0     |
