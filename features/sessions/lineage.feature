Feature: Lineage
  Work spreads over sessions: one is forked to try something else, another goes on where the last one ended.
  Each knows where it came from, and what happened in one can be taken over into another without its length.

  @SES_10
  Rule: A child knows its parent, and a session the others of its project
    Source: the roadmap of the comparison of OpenCode and Claude Code (S2, section 10.9, Cross-Session
    Context): relationships between sessions.

    Scenario Outline: The relations of a session
      Given it is 2026-03-01 12:00
      And these sessions, made a minute apart
        | name    | parent | project |
        | root    |        | parser  |
        | child   | root   | parser  |
        | grown   | child  | parser  |
        | other   |        | parser  |
        | apart   |        | lexer   |
        | alone   |        |         |
        | nowhere |        |         |
        | orphan  | gone   | lexer   |
      When the relations of "<name>" are asked for
      Then its parents are "<parents>", its children "<children>" and its siblings "<siblings>"

      Examples:
        | description               | name   | parents     | children | siblings           |
        | the first                 | root   |             | child    | other, grown, child |
        | in the middle             | child  | root        | grown    | other, grown, root |
        | its child                 | grown  | child, root |          | other, child, root |
        | its parent is gone        | orphan |             |          | apart              |

  @SES_10
  Rule: A fork begins with what was visible at a message, and leaves its parent as it is
    Source: the roadmap of the comparison of OpenCode and Claude Code (S2, section 10.9, Cross-Session
    Context): parent and child; that a fork is made at a message is brim's.

    Scenario: A fork at the newest message
      Given a session of 2 turns
      When it is forked
      Then the fork shows what the session shows
      And its parent is the session
      And the log has not changed

    Scenario Outline: A fork at an earlier message
      Given a session of 4 turns
      When it is forked at message <message>
      Then the fork shows the first <shown> messages

      Examples:
        | description | message | shown |
        | the first   | 1       | 1     |
        | the last    | 8       | 8     |

    Scenario: A fork of a session that was compacted
      Given a session of 40 turns that was compacted
      When it is forked
      Then the fork shows what the session shows
      And the summary is in the fork with its figures

    Scenario: A fork at a message from before the compaction
      Given a session of 40 turns that was compacted
      When it is forked at message 10
      Then the fork shows the first 10 messages

    Scenario: A fork between a call and its result
      Given a session that ends with a call of a tool and its result
      When it is forked at its last answer
      Then the fork ends with a result that tells of an interruption

    Scenario: What was measured is known in the fork
      Given a session whose last answer was measured
      When it is forked at its last answer
      Then the fork knows the same measure

    Scenario: A fork goes on by itself
      Given a session of 2 turns
      When it is forked and the user says something in the fork
      Then the session shows what it showed before

  @SES_10
  Rule: A session takes over what happened in a related one as a summary that names its source
    Source: the roadmap of the comparison of OpenCode and Claude Code (S2, section 10.9, Cross-Session
    Context): importing context from related sessions.

    Scenario Outline: From a relative
      Given a session "here" and <relation> "there" of 2 turns
      When what happened in "there" is taken over into "here"
      Then "here" ends with a summary that names "there"

      Examples:
        | description      | relation                |
        | its parent       | its parent              |
        | its child        | its child               |
        | a grandchild     | the child of its child  |
        | the same project | one of its project      |

    Scenario: What was done is summarized, not repeated word for word
      Given a session "here" and one of its project "there" of 40 turns
      When what happened in "there" is taken over into "here"
      Then the summary in "here" is shorter than half of "there"

    Scenario Outline: By command
      Given a session "here" and one of its project "there" of 2 turns
      When brim takes over what happened in "there" into "here" with "<flags>"
      Then "here" ends with a summary that names "there"
      And the page says "<page>"

      Examples:
        | description           | flags          | page                                |
        | what it sees          |                | It sees now    1 message            |
        | words of the user     | --summary Done | It sees now    1 message, 28 tokens |

    Scenario: The words of the user
      Given a session "here" and one of its project "there" of 2 turns
      When "All went well." is taken over from "there" into "here"
      Then "here" ends with a summary that reads "All went well."

    Scenario Outline: Where nothing can be taken over
      Given a session "here" and <source>
      When what happened in "there" is taken over into "here"
      Then it is refused

      Examples:
        | description         | source                                     |
        | another project     | a stranger "there" of 2 turns              |
        | nothing was said    | one of its project "there" of 0 turns      |

    Scenario Outline: The command refuses what cannot be taken over, and the session stays as it is
      Given a session "here" and a stranger "there" of 2 turns
      When brim takes over what happened in "<source>" into "here" with ""
      Then the command is refused with "<error>"
      And "here" shows nothing

      Examples:
        | description      | source | error                                    |
        | another project  | there  | session there is not related to here     |
        | from itself      | here   | cannot take over its own context         |
