Feature: The newest session
  `--latest` reads the session that an agent wrote to last, so that the user need not look for its path.

  @CMD_02
  Rule: --latest reads the newest session of Claude Code, Codex, OpenCode or pi, of a project or of all
    Source: a decision of this project (0232); the folders are those that the tools document.

    Background:
      Given sessions on this machine
        | tool        | session | project           | changed | kind      |
        | Claude Code | one     | /home/dev/parcel  | 10:00   |           |
        | Claude Code | two     | /home/dev/lexer   | 11:00   |           |
        | Claude Code | agent-3 | /home/dev/lexer   | 15:00   | sub-agent |
        | Codex       | four    | /home/dev/parcel  | 12:00   |           |
        | Codex       | five    | /home/dev/parser  | 09:00   |           |
        | OpenCode    | six     | /home/dev/planner | 13:00   |           |
        | OpenCode    | seven   | /home/dev/planner | 16:00   | sub-agent |
        | OpenCode 1.2 | ten    | /home/dev/harbor  | 08:00   |           |
        | pi          | eleven  | /home/dev/tides   | 07:00   |           |

    Scenario Outline: The newest session of the project is read
      When brim inspects the latest session of "<project>"
      Then it is the session "<session>" of <tool>

      Examples:
        | description                | project           | session | tool        |
        | of any project             |                   | six     | OpenCode    |
        | of a project with two      | /home/dev/parcel  | four    | Codex       |
        | of another of Codex        | /home/dev/parser  | five    | Codex       |
        | of one of Claude Code      | /home/dev/lexer   | two     | Claude Code |
        | of one of OpenCode         | /home/dev/planner | six     | OpenCode    |
        | of one in its database     | /home/dev/harbor  | ten     | OpenCode 1.2 |
        | of one of pi               | /home/dev/tides   | eleven  | pi          |

    Scenario Outline: In a folder of a project, the session of the nearest folder above it that has one is read
      When brim inspects the latest session of "<folder>"
      Then it is the session "<session>" of <tool>

      Examples:
        | description   | folder                        | session | tool        |
        | Codex         | /home/dev/parcel/src/parcel   | four    | Codex       |
        | Claude Code   | /home/dev/lexer/tests         | two     | Claude Code |
        | OpenCode      | /home/dev/planner/src         | six     | OpenCode    |

    Scenario Outline: A file without a message is no session
      Given <what> of Claude Code of "/home/dev/lexer" at 17:00
      When brim inspects the latest session of "<project>"
      Then it is the session "<session>" of <tool>

      Examples: Files
        | what                  | project          | session | tool        |
        | an empty file         | /home/dev/lexer  | two     | Claude Code |
        | a title alone         | /home/dev/lexer  | two     | Claude Code |
        | a snapshot of files   | /home/dev/lexer  | two     | Claude Code |
        | an empty file         |                  | six     | OpenCode    |
        | a title alone         |                  | six     | OpenCode    |

    Scenario Outline: A newer file that cannot be read is named, and the next one is read
      Given <what> of Claude Code of "/home/dev/lexer" at 17:00
      When brim inspects the latest session of "/home/dev/lexer"
      Then it is the session "two" of Claude Code
      And stderr says "nine.jsonl is passed over: no message in it is whole"

      Examples: Files
        | what                |
        | half a message      |
        | no JSON             |
        | a cut title         |

    Scenario Outline: A refusal says what to do about sessions of other tools
      Given the folder "<folder>" of another tool
      When brim inspects the latest session of "/home/dev/nowhere"
      Then it ends with 1, and stderr says "<cure>"

      Examples:
        | description | folder         | cure                                                                                          |
        | Gemini CLI  | .gemini/tmp    | name a FILE, such as one of Gemini CLI in                                                     |
        | Cursor      | .config/Cursor | name a FILE; the databases of Cursor are not read; brim serve compacts for an agent that takes a base URL |

    Scenario: The session that was written to last is the newest
      Given the session "one" was written to at 14:00
      When brim inspects the latest session of ""
      Then it is the session "one" of Claude Code

    Scenario Outline: A variable of the tool names its folder
      Given the variable "<variable>" names a folder with one session of <tool>, "eight"
      When brim inspects the latest session of "/home/dev/other"
      Then it is the session "eight" of <tool>

      Examples:
        | description | variable          | tool        |
        | Claude Code | CLAUDE_CONFIG_DIR | Claude Code |
        | Codex       | CODEX_HOME        | Codex       |
        | pi          | PI_CODING_AGENT_DIR | pi        |

    Scenario: A project without a session is refused
      When brim inspects the latest session of "/home/dev/nowhere"
      Then it ends with 1, and stderr says "there is no session of /home/dev/nowhere of Claude Code, Codex, OpenCode or pi"

    Scenario: brim compact reads the latest session too
      When brim compacts the latest session of "/home/dev/parcel"
      Then it is the session "four" of Codex

    Scenario Outline: A file and --latest together are refused
      When brim inspects with "<arguments>"
      Then it ends with 2, and stderr says "name a FILE, - for standard input, or --latest"

      Examples:
        | description               | arguments  |
        | standard input as project | --latest - |
        | neither of them           |            |
