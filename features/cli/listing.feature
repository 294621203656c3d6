Feature: The list of sessions
  Who wants to know which sessions are nearly full, or looks for one of last week, lists what the agents keep. How full a
  window is, is measured as on the page of a session (CMD_18).

  @CMD_21
  Rule: --list shows the ten newest sessions of the agents, of a project or of all, each with how full its window is
    Source: a decision of this project (0232).

    Scenario Outline: The newest first, of a project or of all
      Given sessions on this machine
        | tool        | session | project          | changed | kind      |
        | Claude Code | one     | /home/dev/parcel | 10:00   |           |
        | Claude Code | agent-3 | /home/dev/parcel | 15:00   | sub-agent |
        | Codex       | two     | /home/dev/lexer  | 11:00   |           |
        | OpenCode    | three   | /home/dev/lexer  | 12:00   |           |
        | pi          | four    | /home/dev/lexer  | 09:00   |           |
      When "brim inspect --list <project> --json" runs
      Then the sessions began with "<began>"

      Examples:
        | description  | project          | began                                                                              |
        | of all       |                  | This is session three., This is session two., This is session one., This is session four. |
        | of the nearest folder above | /home/dev/parcel/src | This is session one.                                                               |
        | of a project | /home/dev/parcel | This is session one.                                                               |
