Feature: Harness text
  Coding agents write into the user's side of a conversation: reminders, the state of the environment, the output of local
  commands. They put it into tags. Taken for the user's words, such a text would begin a turn, and would displace the user's
  last message.

  @CNV_10
  Rule: A text that consists only of harness tags is not the user's
    Source: recorded sessions of Claude Code, Codex and Cline, and plain messages of the API that their users sent; a reminder
    displaced the user's last request, which was then summarised.

    Scenario Outline: A message of the user with a text in tags
      Given a conversation of
        | speaker | answers   | says   | holds   |
        | user    | <answers> | <says> | <holds> |
      When its turns are found
      Then there are <turns> turns

      Examples: A harness wrote it
        | description                 | answers | says                                                               | holds | turns |
        | a reminder                  |         | <system-reminder>The list is empty.</system-reminder>              |       | 0     |
        | over several lines          |         | <system-reminder>\nThe list\nis empty.\n</system-reminder>\n      |       | 0     |
        | beside a result             | A       | <system-reminder>The list is empty.</system-reminder>              |       | 0     |
        | two of them                 |         | <system-reminder>a</system-reminder><system-reminder>b</system-reminder> | | 0     |
        | what a local command said   |         | <local-command-stdout>Compacted</local-command-stdout>             |       | 0     |
        | a command without arguments |         | <command-name>/clear</command-name><command-args></command-args>   |       | 0     |
        | the environment             |         | <environment_context>cwd: /app</environment_context>               |       | 0     |
        | a file with its path        |         | <file_content path='a.py'>import re</file_content>                 |       | 0     |

      Examples: The user did
        | description                 | answers | says                                                               | holds | turns |
        | words behind it             |         | <system-reminder>a</system-reminder> Go on.                        |       | 1     |
        | words between two           |         | <system-reminder>a</system-reminder>b<system-reminder>c</system-reminder> | | 1     |
        | an image beside it          |         | <system-reminder>a</system-reminder>                               | image | 1     |
        | a command with arguments    |         | <command-name>/do</command-name><command-args>it</command-args>    |       | 1     |
        | a tag of the user's own     |         | <task>Go on.</task>                                                |       | 1     |
        | a tag that is not closed    |         | <system-reminder>Go on.                                            |       | 1     |
        | a question about a tag      |         | What does <command-name> mean?                                     |       | 1     |

    Scenario Outline: A harness text does not displace the user's last message
      Given a request of the user, work on it, the text "<text>" and more work
      When it is compacted to a small target
      Then the request is <kept> and the text is <text kept>

      Examples:
        | description                 | text                                              | kept | text kept |
        | a reminder                  | <system-reminder>Be brief.</system-reminder>      | kept | summarized |
        | the environment             | <environment_context>cwd: /app</environment_context> | kept | summarized |
        | the user's own words        | Be brief.                                         | summarized | kept |

    Scenario: A summarizer reads that the program wrote it
      Given a request of the user, work on it, the text "<system-reminder>Be brief.</system-reminder>" and more work
      When it is compacted to a small target
      Then the summarizer reads the text under "The program around the conversation wrote"

  @CNV_10
  Rule: The harness tags are a setting
    Source: a decision of this project; every agent has tags of its own.

    Scenario Outline: A policy names the tags of the agent
      Given a request of the user, work on it, the text "<text>" and more work
      When it is compacted to a small target with the harness tags "<tags>"
      Then the request is <kept> and the text is <text kept>

      Examples:
        | description                   | tags       | text                                         | kept       | text kept  |
        | a tag of the agent            | note       | <note>Be brief.</note>                       | kept       | summarized |
        | a tag that is not listed      | memo       | <note>Be brief.</note>                       | summarized | kept       |
        | the tags replace the defaults | note       | <system-reminder>Be brief.</system-reminder> | summarized | kept       |
        | the beginning of several tags | note-      | <note-today>Be brief.</note-today>           | kept       | summarized |
        | no tags                       |            | <system-reminder>Be brief.</system-reminder> | summarized | kept       |

    Scenario: A tag with its brackets is refused
      When a policy is made with the harness tags "<note>"
      Then the refusal reads "harness_tags holds '<note>'; a tag is a name without brackets, as system-reminder"
