Feature: The agents' settings files
  `brim hook install` names the hooks in the settings of Claude Code or Codex, and `brim hook uninstall` takes them out.
  The files belong to the user: others have entries in them too.

  @HOK_04
  Rule: Installing shows and adds brim's entries alone, and uninstalling removes them alone; all else stays as it is written
    Source: a decision of this project (0231); the places and the form are those that Claude Code and Codex document.

    Scenario Outline: The file that is written
      Given the files "project/README.md"
      And the environment variable "<variable>" is "../elsewhere"
      When "brim hook install --yes <options>" runs
      Then it prints "UserPromptSubmit"
      And the files hold
        | file   | text                                                                                                                                                             |
        | <file> | {\n  "hooks": {\n    "SessionStart": [\n      {\n        "matcher": "compact",\n        "hooks": [\n          {\n            "type": "command",\n            "command": "<program>… |
        | <file> | …brim hook session-start --job context",\n            "timeout": 10\n          }\n        ]\n      }\n    ],\n    "UserPromptSubmit": [\n      {\n        "hooks": [\n          {\n            "type": "command",\n            "command": "<program>… |
        | <file> | …brim hook user-prompt-submit --job context",\n            "timeout": 10\n          }\n        ]\n      }\n    ]\n  }\n}\n                                          |

      Examples:
        | description              | variable          | options           | file                          | program |
        | of the user              | NONE              |                   | home/.claude/settings.json    | /       |
        | of the project           | NONE              | --project         | project/.claude/settings.json | brim    |
        | of Codex                 | NONE              | --codex           | home/.codex/hooks.json        | /       |
        | of Codex, in the project | NONE              | --codex --project | project/.codex/hooks.json     | brim    |
        | Claude Code, moved       | CLAUDE_CONFIG_DIR |                   | elsewhere/settings.json       | /       |
        | Codex, moved             | CODEX_HOME        | --codex           | elsewhere/hooks.json          | /       |

    Scenario Outline: What is there stays as it is written
      Given the files
        | file                       | text     |
        | home/.claude/settings.json | <before> |
      When "brim hook install --yes" runs
      Then the files hold
        | file                       | text    |
        | home/.claude/settings.json | <after> |

      Examples:
        | description               | before                                         | after                                                       |
        | an empty object           | {}\n                                           | {\n  "hooks": {\n    "SessionStart": […                     |
        | set in by 4 spaces        | {\n    "model": "opus",\n    "share": 1.5\n}\n | {\n    "model": "opus",\n    "share": 1.5,\n    "hooks": {… |
        | with line ends of Windows | {\r\n  "model": "opus"\r\n}\r\n               | {\r\n  "model": "opus",\r\n  "hooks": {\r\n…               |

    Scenario Outline: Uninstalling gives the same settings back
      Given the files
        | file                       | text     |
        | home/.claude/settings.json | <before> |
      And "brim hook install --yes" was run
      When "brim hook uninstall" runs
      Then the files hold
        | file                       | text     |
        | home/.claude/settings.json | <before> |

      Examples:
        | description               | before                                                                             |
        | an empty object           | {}\n                                                                               |
        | set in by tabs            | {\n\t"model": "opus"\n}\n                                                         |
        | without a line end        | {\n  "model": "opus"\n}                                                            |
        | with line ends of Windows | {\r\n  "model": "opus"\r\n}\r\n                                                   |
        | lists on one line         | {\n  "deny": ["WebFetch"],\n  "hooks": {\n    "Stop": [{"hooks": []}]\n  }\n}\n          |
        | another hook of the event | {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "tides"}]}]}} |
        | one that is set by hand   | {\n  "hooks": {\n    "SessionStart": [\n      { "hooks": [{"command":"tides"}] }\n    ]\n  }\n}\n |
        | behind an empty line      | \n{"hooks": {\n  "Stop": []\n}}\n                                                         |

    Scenario Outline: An entry of another program stays, and one of brim at another path is replaced
      Given the files
        | file                       | text     |
        | home/.claude/settings.json | {"hooks": {"SessionStart": [{"matcher": "compact", "hooks": [{"type": "command", "command": "<command>"}]}]}} |
      When "brim hook <act>" runs
      Then the files hold
        | file                       | text          |
        | home/.claude/settings.json | …<settings>… |

      Examples:
        | description              | act           | command                               | settings                              |
        | another program          | uninstall     | entire hooks session-start            | entire hooks session-start            |
        | brim, and something else | uninstall     | brim hook session-start && make tides | brim hook session-start && make tides |
        | another option           | uninstall     | brim hook session-start --verbose yes | brim hook session-start --verbose yes |
        | brim's own               | uninstall     | /old/bin/brim hook session-start      | {}                                    |
        | at another path          | install --yes | /old/bin/brim hook session-start      | {"hooks": {"SessionStart": [{"matcher": "compact", "hooks": [{"type": "command", "command": "/ |

    Scenario: With --dry-run nothing is written
      When "brim hook install --dry-run" runs
      Then it prints "Would be written"
      And the files hold
        | file                       | text |
        | home/.claude/settings.json | none |

    Scenario Outline: In a terminal it shows what changes, and asks before it writes
      When "brim hook install <option>" runs in a terminal where the user answers "<answer>"
      Then it prints "After a compaction of Claude Code the hook gives back your words"
      And it prints "<end>"
      And the files hold
        | file                       | text   |
        | home/.claude/settings.json | <text> |

      Examples:
        | description    | option    | answer | end                  | text             |
        | yes            |           | y      | Written to           | …"SessionStart"… |
        | no             |           | n      | Nothing was written  | none             |
        | nothing at all |           |        | Nothing was written  | none             |
        | Ctrl-D         |           | Ctrl-D | Nothing was written  | none             |
        | asked not to   | --yes     |        | Written to           | …"SessionStart"… |
        | a dry run      | --dry-run |        | Would be written to  | none             |

    Scenario: Without a terminal it shows what would change, and writes with --yes alone
      When "brim hook install" runs
      Then it prints "UserPromptSubmit"
      And it ends with 1, and stderr says "there is no terminal to ask in; add --yes to write it"
      And the files hold
        | file                       | text |
        | home/.claude/settings.json | none |

    Scenario: Installing twice changes nothing
      Given "brim hook install --yes" was run
      When "brim hook install --yes" runs
      Then it prints "Nothing to change"

    Scenario: A link to the settings stays a link
      Given the files
        | file                       | text                          |
        | home/dotfiles.json         | {"model": "opus"}             |
        | home/.claude/settings.json | a link to home/dotfiles.json  |
      When "brim hook install --yes" runs
      Then the files hold
        | file               | text             |
        | home/dotfiles.json | …"SessionStart"… |

    Scenario Outline: A file of another form is left as it is, and named
      Given the files
        | file                       | text     |
        | home/.claude/settings.json | <settings> |
      When "brim hook install <option>" runs
      Then it ends with 1, and stderr says "<error>"
      And the files hold
        | file                       | text       |
        | home/.claude/settings.json | <after> |

      Examples:
        | description       | settings                         | option          | error                                      | after |
        | no JSON | {"model": "opus"} // the best |  | is not valid JSON | {"model": "opus"} // the best |
        | a list | [] |  | is no JSON object | [] |
        | hooks in a list | {"hooks": []} |  | has hooks that are no object | {"hooks": []} |
        | an event's | {"hooks": {"SessionStart": {}}} |  | has hooks of SessionStart that are no list | {"hooks": {"SessionStart": {}}} |
        | not UTF-8 | {"model": "\xff"} |  | is not UTF-8 | {"model": "\xff"} |
        | hooks twice | {"hooks": {"Stop": []}, "hooks": {}} |  | has two members of one name: 'hooks' | {"hooks": {"Stop": []}, "hooks": {}} |
        | an unknown job | {} | --job snapshots | there is no job 'snapshots' | {} |
        | a folder | a folder |  | is no ordinary file | none |
