Feature: Events of an agent
  An agent waits for its hooks. A hook that fails, or is slow, must not stop the user's work.

  @HOK_03
  Rule: A hook never stops the agent: it exits with 0, and one line on standard error says why it adds nothing
    Source: a decision of this project (0231); by Claude Code's documentation of hooks an exit code of 2 blocks the user's prompt.

    Scenario Outline: Input that cannot be used
      Given the files
        | file                  | text     |
        | home/session.jsonl    | <file>   |
      When the hook of the start is given "<input>"
      Then the result is
        | context | error                              |
        |         | …<line>… |

      Examples:
        | description               | input                                     | file                | line                                 |
        | no JSON                   | compact                                   |                     | standard input is not JSON           |
        | a list                    | [1]                                       |                     | be a JSON object                     |
        | another event             | 'hook_event_name': 'PreCompact'           |                     | the agent's event is 'PreCompact'    |
        | no transcript             | 'transcript_path': null                   |                     | the agent names no transcript_path   |
        | a path that is a number   | 'transcript_path': 5                      |                     | be the path of a file                |
        | a transcript that is gone | 'transcript_path': '/gone'                |                     | No such file or directory            |
        | a folder                  | 'transcript_path': '/'                    |                     | is no ordinary file                  |
        | an empty file             | 'transcript_path': '../home/session.jsonl' |                    | is empty                             |
        | a file that is no text    | 'transcript_path': '../home/session.jsonl' | 9,000 bytes        | binary data                          |
        | another tool's transcript | 'transcript_path': '../home/session.jsonl' | [{"role": "user", "content": "Go."}] | is a transcript of |

    Scenario Outline: Starts that no compaction caused
      Given a session in Claude Code
        | the user | Tides come at 14:35. |
      When the session starts by "<source>"
      Then the result is
        | context | error |
        |         |       |

      Examples:
        | description    | source  |
        | a new session  | startup |
        | an old session | resume  |
        | a cleared one  | clear   |

    Scenario Outline: The answer has the form that the agents document
      Given a session in <agent>
        | an open task | Mend the ferry's timetable |
        | a compaction | The ferry is half done.    |
      When <what happens>
      Then the result is
        | event   | context              | error |
        | <event> | …Mend the ferry's…   |       |

      Examples:
        | description             | agent       | what happens                      | event            |
        | a start in Claude Code  | Claude Code | the session starts                | SessionStart     |
        | a prompt in Claude Code | Claude Code | the prompt "Go on." is submitted  | UserPromptSubmit |
        | a start in Codex        | Codex       | the session starts                | SessionStart     |
        | a prompt in Codex       | Codex       | the prompt "Go on." is submitted  | UserPromptSubmit |

    Scenario Outline: Options that are not known change nothing, and a job that is not known is named
      Given a session in Claude Code
        | the user | Tides come at 14:35. |
      When the session starts with "<options>"
      Then the result is
        | context                        | error  |
        | …\n- Tides come at 14:35.\n… | <line> |

      Examples:
        | description              | options                       | line                           |
        | an option                | --verbose                     |                                |
        | an argument              | now                           |                                |
        | a job beside a known one | --job snapshots --job context | …there is no job 'snapshots'… |

    Scenario Outline: A transcript is read by the name that the agent gives it
      Given a session in Claude Code
        | the user | Tides come at 14:35. |
      And the files
        | file            | text                         |
        | home/link.jsonl | a link to home/session.jsonl |
      And the agent names the transcript "<name>"
      When the session starts
      Then the context is "…\n- Tides come at 14:35.\n…"

      Examples:
        | description           | name               |
        | a link                | ../home/link.jsonl |
        | below the user's home | ~/session.jsonl    |

    Scenario Outline: Of a large transcript the newest 6 megabytes are read
      Given a session in Claude Code
        | the user  | Tides come at 14:35. |
        | megabytes | <megabytes>          |
        | the user  | <last>               |
      When the session starts
      Then the result is
        | context   | error  |
        | <context> | <line> |

      Examples:
        | description                | megabytes | last                   | context                                                       | line                               |
        | below                      | 5         | Never edit harbour.py. | …\n- Tides come at 14:35.\n- Never edit harbour.py.\n…     |                                    |
        | above                      | 6         | Never edit harbour.py. | …for word:\n- Never edit harbour.py.\n…                     | …the newest 6 of 6 MiB were read  |
        | far above                  | 20        | Never edit harbour.py. | …for word:\n- Never edit harbour.py.\n…                     | …the newest 6 of 20 MiB were read |

    Scenario Outline: A hook that takes longer than the agent may wait is given up
      Given a session in Claude Code
        | the user | Tides come at 14:35. |
        | files    | 400                  |
      And a hook has <time>
      When the session starts
      Then the result is
        | context | error                                                                                              |
        |         | …given up after <time>, so that the agent need not wait; nothing is given back |

      Examples:
        | description      | time           |
        | of the processor | 0.01 s of work |
        | of the clock     | 0.01 s         |
