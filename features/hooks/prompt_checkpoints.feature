Feature: Checkpoints before the prompts of Claude Code
  Claude Code edits files between two prompts. A checkpoint of the files before each prompt is a way back to what the user
  had when he wrote it.

  Background:
    Given the files
      | file                 | text     |
      | project/notes        | at first |
      | project/src/deep/own | Dig.     |

  @HOK_05
  Rule: A hook of Claude Code makes a checkpoint of the files before each prompt; rewinding the conversation stays Claude Code's own
    Source: CHK_01 for the name and tag; a decision of this project (0231) for the session and the time.

    Scenario: A checkpoint before each prompt
      Given Claude Code was given "Build the pier."
      When Claude Code is given the prompt
        | prompt    |
        | Paint it. |
      Then the checkpoints are
        | name                       | tags |
        | Before: Paint it....       | auto |
        | Before: Build the pier.... | auto |

    Scenario: The files come back, and the conversation is not rewound
      Given Claude Code was given "Build the pier."
      And the files
        | file          | text  |
        | project/notes | later |
      When "brim checkpoints restore 'Before: Build the pier....' --what files" runs
      Then the files hold
        | file          | text     |
        | project/notes | at first |

    Scenario Outline: The conversation is not rewound
      Given Claude Code was given "Build the pier."
      And "brim checkpoints restore 'Before: Build the pier....' --what files" was run
      When "brim checkpoints restore '<checkpoint>' --what <what>" runs
      Then it ends with 1, and stderr says "rewinding the conversation is Claude Code's own"

      Examples:
        | description                 | what         | checkpoint                                  |
        | the conversation            | conversation | Before: Build the pier....                  |
        | both                        | both         | Before: Build the pier....                  |
        | of what a restore made, too | both         | Before restoring Before: Build the pier.... |

    Scenario Outline: A checkpoint knows the last record of the transcript
      Given the files
        | file   | text      |
        | <file> | <records> |
      When Claude Code is given the prompt
        | prompt          |
        | Build the pier. |
      Then the checkpoints are
        | position   |
        | <position> |

      Examples:
        | description                      | file               | records                                                                     | position  |
        | none, so the session's own id    |                    |                                                                             | session-1 |
        | an empty file                    | home/session.jsonl |                                                                             | session-1 |
        | two                              | home/session.jsonl | {"uuid": "a1"}\n{"uuid": "b2"}\n                                            | b2        |
        | one that has no id behind them   | home/session.jsonl | {"uuid": "b2"}\n{"type": "summary", "leafUuid": "c"}\n                      | b2        |
        | one that holds the id of another | home/session.jsonl | {"uuid": "a1"}\n{"type": "title", "of": {"uuid": "b2"}}\n                   | a1        |
        | one that is being written        | home/session.jsonl | {"uuid": "a1"}\n{"uuid": "b2", "mess                                        | a1        |

    Scenario Outline: Where no checkpoint can be made, the prompt goes on and one line says why
      Given the files
        | file                       | text       |
        | home/.config/brim/brim.toml | <settings> |
      When Claude Code is given the prompt
        | <field> | PATH   |
        | <value> | <path> |
      Then the error is "…<line>…"
      And the checkpoints are
        | name |

      Examples:
        | description                | settings                           | field           | value | path  | line                                  |
        | git is missing             |                                    | prompt          | Go.   | /none | no checkpoint is made: git is missing |
        | snapshots are turned off   | [checkpoints]\nsnapshots = false\n | prompt          | Go.   |       | snapshots are turned off              |
        | no session                 |                                    | session_id      | none  |       | names no session_id                   |
        | a session out of the store |                                    | session_id      | ../x  |       | is no safe name for a file            |
        | no folder                  |                                    | cwd             | none  |       | names no cwd                          |
        | a folder that is gone      |                                    | cwd             | /gone |       | cwd is /gone, which is no folder      |
        | a folder as transcript     |                                    | transcript_path | /     |       | is no ordinary file                   |

    Scenario Outline: The folder that Claude Code was started in is the project
      Given the files
        | file              | text                |
        | project/trees/one | a repository        |
        | home/link         | a link to project   |
        | <inner>           | Dig.                |
      When Claude Code is given the prompt
        | cwd   | started in |
        | <cwd> | <started>          |
      Then the checkpoints are
        | project   |
        | <project> |

      Examples:
        | description                    | inner                     | cwd                     | started      | project           |
        | it works in the same folder    |                           | project                 | project      | project           |
        | it works in a folder of it     |                           | project/src/deep        | project      | project           |
        | in a repository of its own     |                           | project/trees/one       | project      | project/trees/one |
        | in a folder of that            | project/trees/one/inner/a | project/trees/one/inner | project      | project/trees/one |
        | it works in a folder elsewhere |                           | project                 | home         | project           |
        | it does not say where          |                           | project/src/deep        |              | project/src/deep  |
        | it works behind a link         |                           | home/link               |              | project           |
        | it names one that is gone      |                           | project/src/deep        | project/gone | project/src/deep  |

    Scenario: What a compaction lost is given back where no checkpoint can be made
      Given a session in Claude Code
        | the user     | Tides come at 14:35.    |
        | a compaction | The pier is half done.  |
      When Claude Code is given the prompt
        | jobs                | PATH  |
        | context checkpoints | /none |
      Then the result is
        | context                      | error             |
        | …\n- Tides come at 14:35.\n… | …git is missing… |

    Scenario Outline: The jobs are chosen when the hooks are installed; --checkpoints records the files at once
      When "brim hook install --project --yes <options>" runs
      Then it prints "<told>"
      And the files hold
        | file                          | text                                                                                       |
        | project/.claude/settings.json | …hook user-prompt-submit <prompts>",… |
        | project/.claude/settings.json | …<starts>…            |

      Examples:
        | description       | options                         | prompts                         | starts                            | told                          |
        | by default        |                                 | --job context                   | hook session-start --job context" | Written to                    |
        | checkpoints alone | --job checkpoints               | --job checkpoints               | {\n                               | Written to                    |
        | both              | --job context --job checkpoints | --job context --job checkpoints | hook session-start --job context" | Written to                    |
        | and at once       | --checkpoints                   | --job context --job checkpoints | hook session-start --job context" | are recorded for checkpoints |

    Scenario Outline: What cannot make checkpoints is refused before anything is written
      Given the files
        | file                        | text       |
        | home/.config/brim/brim.toml | <settings> |
      When "brim hook install --project <options>" runs
      Then it ends with 1, and stderr says "<line>"
      And the files hold
        | file                          | text |
        | project/.claude/settings.json | none |
        | project/.codex/hooks.json     | none |

      Examples:
        | description   | settings                           | options               | line                                                 |
        | Codex         |                                    | --codex --checkpoints | made for Claude Code alone                           |
        | they are off  | [checkpoints]\nsnapshots = false\n | --checkpoints         | no checkpoints can be made: snapshots are turned off |
