Feature: Sessions in a database
  Past one machine a folder is not enough: two machines that share it have no lock that both respect. A
  database of PostgreSQL has one. Named by its URL, it is the same store: what can be done to a session in a
  folder can be done to one in a database, and gives the same.

  @SES_13
  Rule: Sessions in a database are what sessions in a folder are
    Source: brim; other agents keep their sessions on one machine.

    Scenario Outline: The same acts give the same on both
      When in a folder and in a database <acts>
      Then both show the same, by records of the same kinds

      Examples:
        | description             | acts                                         |
        | the conversation        | the user says something                      |
        | back to what was before | it is compacted and the compaction is undone |
        | back in time            | it is rewound to message 1                   |

  @SES_13
  Rule: One connection writes a session in a database; another one is refused, and learns who holds it
    Source: brim; google/adk-python#3530 reports two processes that write one session.

    Scenario: A session that another process writes in the database
      Given a session of 2 turns
      And another process writes it
      When the session is opened
      Then it is refused, and the process that writes it is named

  @SES_13
  Rule: A connection that is lost loses no message and adds none twice
    Source: brim.

    Scenario Outline: When the connection is lost
      Given a session of 2 turns
      And its connection is lost <when>
      When the user says something
      Then it shows 5 messages

      Examples:
        | description                          | when                           |
        | between two messages                 | before a message               |
        | before a message was acknowledged    | as soon as a message is there  |

    Scenario: Another process has taken the session meanwhile
      Given a session of 2 turns
      And its connection is lost before a message
      And another process has added a message to it
      When the user says something
      Then it is refused
      And it shows 5 messages

  @SES_13
  Rule: The search index is in the user's folder, and its name differs for each database and shows no password
    Source: brim.

    Scenario: A search in a database
      Given a session of 2 turns
      When "file 2" is looked for in the database
      Then 1 message is found by an index in the folder of the user

    Scenario Outline: The index of another address
      When the indexes of two databases are named, <other>
      Then they are <same>

      Examples:
        | description | other                     | same      |
        | password    | one with another password | the same  |
        | database    | one of another name       | not alike |
        | tables      | one with other tables     | not alike |

  @SES_13
  Rule: A database that cannot be used says so in one line, within 5 seconds, and without a password
    Source: brim.

    Scenario Outline: A database that cannot be reached or read
      When the sessions at <address> are listed
      Then that fails in one line that tells "<reason>" and no password

      Examples:
        | description              | address                        | reason                         |
        | nobody listens there     | a port where nobody listens    | Connection refused             |
        | a server that hangs      | a server that says nothing     | it said nothing for 2 seconds  |
        | another password         | a user with a wrong password   | password authentication failed |
        | characters of a password | an address that cannot be read | of a password are written      |

    Scenario: Tables of a newer version
      Given a database whose tables are of version 9
      When the sessions are listed
      Then it is refused, naming 9 and 1
