Feature: Events of an agent
  An agent waits for its hooks. A hook that fails, or is slow, must not stop the user's work.

  @HOK_03
  Rule: A hook never stops the agent: it exits with 0, and one line on standard error says why it adds nothing
    Source: a decision of this project (0120); by Claude Code's documentation of hooks an exit code of 2 blocks the user's prompt.

    Scenario Outline: Input that cannot be used
      When the hook of the session's start is given <input>
      Then it exits with 0 and adds nothing
      And its one line on standard error says "<line>"

      Examples:
        | description                 | input                                      | line                                          |
        | no JSON                     | the text "compact"                         | standard input is not JSON                    |
        | nothing                     | the text ""                                | standard input is not JSON                    |
        | a list                      | the text "[1]"                             | be a JSON object                              |
        | nested too deep             | 100,000 opening brackets                   | standard input is not JSON                    |
        | another event               | the event "PreCompact"                     | the agent's event is 'PreCompact'             |
        | no transcript               | no "transcript_path"                       | the agent names no transcript_path            |
        | a path that is a number     | a "transcript_path" that is a number       | be the path of a file                         |
        | the home of nobody          | the "transcript_path" "~nobody-here/a"     | there is no such user                         |
        | a transcript that is gone   | a transcript that is gone                  | No such file or directory                     |
        | a folder                    | a folder as transcript                     | is no ordinary file                           |
        | an empty file               | an empty file as transcript                | is empty                                      |
        | a file that is no text      | a file of zeros as transcript              | binary data                                   |
        | another tool's transcript   | a transcript of Cline                      | is a transcript of cline                      |

    Scenario Outline: Starts that no compaction caused
      Given a session in Claude Code
        | record         | text                 |
        | the user wrote | Tides come at 14:35. |
      When the session starts with the source "<source>"
      Then it exits with 0 and adds nothing
      And it writes nothing on standard error

      Examples:
        | description    | source  |
        | a new session  | startup |
        | an old session | resume  |
        | a cleared one  | clear   |

    Scenario Outline: The answer has the form that the agents document
      Given a session in <agent>
        | record       | text                       |
        | an open task | Mend the ferry's timetable |
      And a compaction whose summary says "The ferry is half done."
      When <what happens>
      Then the answer is additional context for the event "<event>"

      Examples:
        | description                | agent       | what happens                                | event            |
        | a start in Claude Code     | Claude Code | the session starts again after the compaction | SessionStart     |
        | a prompt in Claude Code    | Claude Code | the user's prompt "Go on." is submitted     | UserPromptSubmit |
        | a start in Codex           | Codex       | the session starts again after the compaction | SessionStart     |
        | a prompt in Codex          | Codex       | the user's prompt "Go on." is submitted     | UserPromptSubmit |

    Scenario Outline: Options that are not known change nothing, and a job that is not known is named
      Given a session in Claude Code
        | record         | text                 |
        | the user wrote | Tides come at 14:35. |
      When the session starts again after the compaction, with the options "<options>"
      Then the added context has the line "- Tides come at 14:35."
      And standard error says "<line>"

      Examples:
        | description              | options                       | line                     |
        | an option                | --verbose                     |                          |
        | an argument              | now                           |                          |
        | a job beside a known one | --job snapshots --job context | there is no job 'snapshots' |

    Scenario Outline: A transcript is read by the name that the agent gives it
      Given a session in Claude Code
        | record         | text                 |
        | the user wrote | Tides come at 14:35. |
      And the agent names <name>
      When the session starts again after the compaction
      Then the added context has the line "- Tides come at 14:35."

      Examples:
        | description            | name                                |
        | a link                 | a link to the transcript            |
        | below the user's home  | the transcript as "~/session.jsonl" |

    Scenario Outline: Of a large transcript the newest 6 megabytes are read
      Given a session in Claude Code
        | record              | text                   |
        | the user wrote      | Tides come at 14:35.   |
        | megabytes of output | <megabytes>                  |
        | the user wrote      | Never edit harbour.py. |
      When the session starts again after the compaction
      Then the added context has the line "- Never edit harbour.py."
      And the added context has the line "- Tides come at 14:35.": <whole>
      And standard error says "<line>"

      Examples:
        | description | megabytes | whole | line                             |
        | below       | 5         | yes   |                                  |
        | above       | 6         | no    | the newest 6 of 6 MiB were read  |
        | far above   | 20        | no    | the newest 6 of 20 MiB were read |

    Scenario: Where nothing is lacking, nothing is said of a large transcript
      Given a session in Claude Code
        | record              | text |
        | megabytes of output | 4    |
        | megabytes of output | 4    |
      When the session starts again after the compaction
      Then it exits with 0 and adds nothing
      And it writes nothing on standard error

    Scenario Outline: A hook that takes longer than the agent may wait is given up
      Given a session in Claude Code
        | record         | text                 |
        | the user wrote | Tides come at 14:35. |
        | 400 read files | src/tides/           |
      And a hook has <time>
      When the session starts again after the compaction
      Then it exits with 0 and adds nothing
      And its one line on standard error says "given up after <time>, so that the agent need not wait; nothing is given back"

      Examples:
        | description      | time           |
        | of the processor | 0.01 s of work |
        | of the clock     | 0.01 s         |
