Feature: Discovery of memory files
  Memory files hold the instructions that people write for agents, in a project and at home. Agents look for them in
  different places. A setting, the mode, says whose way brim follows.

  @MEM_01
  Rule: The mode decides which files are loaded: those that OpenCode loads, those of Claude Code, or the nearest file alone
    Source: S2, section 5, and what both systems document; decision 0233.

    Scenario Outline: The mode "opencode" loads the global file, then every file of one name, from the current folder up to the project root
      Given the files "<files>"
      When brim shows the memory of "<folder>" in the mode "opencode"
      Then the loaded files are "<loaded>"

      Examples:
        | description                       | files                                                             | folder           | loaded                                            |
        | none                              | project/README.md                                                 | project          |                                                   |
        | one                               | project/AGENTS.md                                                 | project          | project/AGENTS.md                                 |
        | the first name that has a match   | project/AGENTS.md, project/CLAUDE.md                              | project          | project/AGENTS.md                                 |
        | the next name                     | project/CLAUDE.md                                                 | project          | project/CLAUDE.md                                 |
        | one name in the whole project     | project/AGENTS.md, project/src/CLAUDE.md                          | project/src      | project/AGENTS.md                                 |
        | every match, the nearest first    | project/AGENTS.md, project/src/AGENTS.md                          | project/src      | project/src/AGENTS.md, project/AGENTS.md          |
        | none below the current folder     | project/AGENTS.md, project/src/AGENTS.md                          | project          | project/AGENTS.md                                 |
        | none above the project root       | AGENTS.md, project/AGENTS.md                                      | project          | project/AGENTS.md                                 |
        | the global file first             | project/AGENTS.md, home/.config/opencode/AGENTS.md                | project          | home/.config/opencode/AGENTS.md, project/AGENTS.md |
        | the other global file             | home/.claude/CLAUDE.md                                            | project          | home/.claude/CLAUDE.md                            |
        | one global file                   | home/.claude/CLAUDE.md, home/.config/opencode/AGENTS.md           | project          | home/.config/opencode/AGENTS.md                   |

    Scenario Outline: The mode "claude-code" loads the user's files, then in each folder from the root of the file system down to the current one "CLAUDE.md", the rules, and "CLAUDE.local.md"
      Given the files "<files>"
      When brim shows the memory of "<folder>" in the mode "claude-code"
      Then the loaded files are "<loaded>"

      Examples:
        | description                   | files                                    | folder      | loaded                                    |
        | none                          | project/AGENTS.md                        | project     |                                           |
        | one                           | project/CLAUDE.md                        | project     | project/CLAUDE.md                         |
        | the user's file first         | project/CLAUDE.md, home/.claude/CLAUDE.md | project    | home/.claude/CLAUDE.md, project/CLAUDE.md |
        | the outermost first           | project/CLAUDE.md, project/src/CLAUDE.md | project/src | project/CLAUDE.md, project/src/CLAUDE.md  |
        | above the project root        | CLAUDE.md, project/CLAUDE.md             | project     | CLAUDE.md, project/CLAUDE.md              |
        | none below the current folder | project/src/CLAUDE.md                    | project     |                                           |
        | of this machine, last         | project/CLAUDE.local.md, project/CLAUDE.md | project   | project/CLAUDE.md, project/CLAUDE.local.md |
        | in the folder of Claude Code  | project/.claude/CLAUDE.md, project/CLAUDE.md | project | project/CLAUDE.md, project/.claude/CLAUDE.md |
        | rules, by name                | project/.claude/rules/b.md, project/.claude/rules/a/c.md | project | project/.claude/rules/a/c.md, project/.claude/rules/b.md |
        | the user's rules first        | project/CLAUDE.md, home/.claude/rules/a.md | project   | home/.claude/rules/a.md, project/CLAUDE.md |

    Scenario Outline: The mode "nearest" loads the first file that can be read, from the current folder up to the project root, then at home
      Given the files "<files>"
      When brim shows the memory of "<folder>" in the mode "nearest"
      Then the loaded files are "<loaded>"

      Examples:
        | description                  | files                                         | folder      | loaded                 |
        | the nearest                  | project/AGENTS.md, project/src/CLAUDE.md      | project/src | project/src/CLAUDE.md  |
        | of two in one folder         | project/AGENTS.md, project/CLAUDE.md          | project     | project/AGENTS.md      |
        | the nearest cannot be read   | project/AGENTS.md, project/src/AGENTS.md/ | project/src | project/AGENTS.md |
        | none in the project          | home/.claude/CLAUDE.md                        | project     | home/.claude/CLAUDE.md |
        | none above the project root  | AGENTS.md                                     | project     |                        |

    Scenario Outline: The variables of the two systems move their global files
      Given the files "<file>"
      And the environment variable "<variable>" is "../moved"
      When brim shows the memory of "project" in the mode "<mode>"
      Then the loaded files are "../<file>"

      Examples:
        | description | variable          | mode        | file                     |
        | Claude Code | CLAUDE_CONFIG_DIR | claude-code | moved/CLAUDE.md          |
        | OpenCode    | XDG_CONFIG_HOME   | opencode    | moved/opencode/AGENTS.md |

    Scenario: Outside of a repository the current folder is the project root
      Given the files "AGENTS.md, elsewhere/AGENTS.md"
      When brim shows the memory of "elsewhere" in the mode "opencode"
      Then the loaded files are "elsewhere/AGENTS.md"

    Scenario: A file of the deprecated name is loaded with a warning
      Given the files "project/CONTEXT.md"
      When brim shows the memory of "project" in the mode "opencode"
      Then the result is
        | loaded files        | warns                                                                                     |
        | project/CONTEXT.md | project/CONTEXT.md: the name CONTEXT.md is deprecated; rename it to AGENTS.md |

    Scenario: An unknown mode is refused
      When brim shows the memory of "project" in the mode "cursor"
      Then it is refused with "…mode is 'cursor'…"
