Feature: Imports in memory files
  A memory file of Claude Code can name another file behind an at sign, as in "See @docs/style.md". That file is loaded
  behind the one that names it.

  @MEM_08
  Rule: A path behind an at sign imports that file, outside of code, up to five files deep
    Source: what Claude Code documents; decision 0233.

    Scenario Outline: A path is an import where it stands alone as a word, and not in code
      Given the files "project/docs/style.md, project/STYLE"
      And the files
        | file              | text   |
        | project/CLAUDE.md | <text> |
      When brim shows the memory of "project" in the mode "claude-code"
      Then the loaded files are "project/CLAUDE.md<imported>"

      Examples:
        | description              | text                                 | imported                |
        | within a sentence        | Read @docs/style.md first.           | , project/docs/style.md |
        | at the end of a sentence | Read @docs/style.md.                 | , project/docs/style.md |
        | in an item of a list     | - @./docs/style.md                   | , project/docs/style.md |
        | a name without an ending | Read @STYLE first.                   | , project/STYLE         |
        | twice                    | @docs/style.md\n@docs/style.md       | , project/docs/style.md |
        | in an element of HTML    | <div>\n@docs/style.md\n</div>        | , project/docs/style.md |
        | behind a block of code   | ```\nx\n```\n@docs/style.md          | , project/docs/style.md |
        | in a span of code        | Write `@docs/style.md` to import it. |                         |
        | in an indented block     | Code:\n\n    @docs/style.md\n        |                         |
        | in a comment             | <!-- @docs/style.md -->              |                         |
        | an address of mail       | Ask keeper@docs/style.md             |                         |
        | a person                 | Ask @alice about it.                 |                         |

    Scenario Outline: A path is relative to the folder of the file that names it
      Given the files "<file>"
      And the files
        | file                  | text           |
        | project/docs/index.md | @<path>        |
        | project/CLAUDE.md     | @docs/index.md |
      When brim shows the memory of "project" in the mode "claude-code"
      Then the loaded files are "project/CLAUDE.md, project/docs/index.md, <file>"

      Examples:
        | description      | path          | file                     |
        | in the folder    | style.md      | project/docs/style.md    |
        | in the one above | ../style.md   | project/style.md         |
        | with a space     | my\\\\ style.md | project/docs/my style.md |

    Scenario Outline: The fifth file of a chain is loaded and the sixth is not; of all files 100 are
      Given a file that imports <count> others <how>
      When brim shows the memory of "project"
      Then the result is
        | files   | warns   |
        | <files> | <warns> |

      Examples:
        | description             | count | how          | files | warns                                                             |
        | as many in a chain      | 5     | in a row     | 6     |                                                                   |
        | one too many in a chain | 6     | in a row     | 6     | …imports in a row are followed 5 files deep, and this is one more |
        | as many in all          | 99    | side by side | 100   |                                                                   |
        | one too many in all     | 100   | side by side | 100   | …at most 100 memory files are loaded                              |

    Scenario Outline: An import that cannot be followed is named with its file and line, and the rest is loaded
      Given the files
        | file                  | text    |
        | project/docs/index.md | <inner> |
        | project/CLAUDE.md     | <outer> |
      When brim shows the memory of "project" in the mode "claude-code"
      Then the result is
        | loaded files | warns        |
        | <loaded> | project/<warns> |

      Examples:
        | description         | outer                      | inner         | loaded                                   | warns                                                  |
        | a missing file      | Hello.\n@docs/gone.md      |               | project/CLAUDE.md                        | CLAUDE.md, line 2: @docs/gone.md: there is no such file |
        | behind front matter | ---\na: 1\n---\n@docs/gone.md |            | project/CLAUDE.md                        | CLAUDE.md, line 4: @docs/gone.md: there is no such file |
        | a folder            | Hello.\n@./docs            |               | project/CLAUDE.md                        | CLAUDE.md, line 2: @./docs: it is no ordinary file      |
        | a cycle             | @docs/index.md             | @../CLAUDE.md | project/CLAUDE.md, project/docs/index.md | docs/index.md, line 1: @../CLAUDE.md: an import cycle   |

    Scenario: A file that two files import is loaded once, without a warning
      Given the files "project/docs/style.md"
      And the files
        | file                  | text                          |
        | project/docs/index.md | @style.md                     |
        | project/CLAUDE.md     | @docs/style.md @docs/index.md |
      When brim shows the memory of "project" in the mode "claude-code"
      Then the result is
        | loaded files                                                     | warns |
        | project/CLAUDE.md, project/docs/style.md, project/docs/index.md |       |

    Scenario: The other modes have no imports
      Given the files "project/docs/style.md"
      And the files
        | file              | text           |
        | project/CLAUDE.md | @docs/style.md |
      When brim shows the memory of "project" in the mode "opencode"
      Then the loaded files are "project/CLAUDE.md"

  @MEM_08
  Rule: A project's file cannot reach a file outside of the project unless the user allows it
    Source: a decision of this project (0233), after the approval that Claude Code asks for. A cloned repository brings
    its files along, and what they reach goes to the provider.

    Scenario Outline: A way out of the project is not followed, unless the user's settings or the user's own file say so
      Given the files "home/secret.md"
      And the files
        | file    | text   |
        | <file>  | <text> |
        | <other> | <way>  |
      And the <whose> settings of memory are "<settings>"
      When brim shows the memory of "project" in the mode "claude-code"
      Then the result is
        | loaded files | warns     |
        | <loaded> | <warning> |

      Examples:
        | description               | file                   | text                         | other                 | way                      | whose     | settings                | loaded                                       | warning                                                               |
        | from home                 | project/CLAUDE.md      | @~/secret.md                 |                       |                          | user's    |                         | project/CLAUDE.md                            | …leads outside of the project; external_imports = true in the user's… |
        | from above                | project/CLAUDE.md      | @../home/secret.md           |                       |                          | user's    |                         | project/CLAUDE.md                            | …leads outside of the project…                                        |
        | a link                    | project/CLAUDE.md      | a link to home/secret.md     |                       |                          | user's    |                         |                                              | …leads outside of the project…                                        |
        | an imported link          | project/CLAUDE.md      | @linked.md                   | project/linked.md     | a link to home/secret.md | user's    |                         | project/CLAUDE.md                            | …leads outside of the project…                                        |
        | through the user's file   | home/.claude/CLAUDE.md | @../../project/docs/style.md | project/docs/style.md | @~/secret.md             | user's    |                         | home/.claude/CLAUDE.md, project/docs/style.md | …leads outside of the project…                                       |
        | the project allows it     | project/CLAUDE.md      | @~/secret.md                 |                       |                          | project's | external_imports = true | project/CLAUDE.md                            | …sets memory.external_imports, which a project may not: ignored…      |
        | the user allows it        | project/CLAUDE.md      | @~/secret.md                 |                       |                          | user's    | external_imports = true | project/CLAUDE.md, home/secret.md            |                                                                       |
        | of the user's own file    | home/.claude/CLAUDE.md | @~/secret.md                 |                       |                          | user's    |                         | home/.claude/CLAUDE.md, home/secret.md       |                                                                       |
        | a link within the project | project/CLAUDE.md      | a link to project/AGENTS.md  | project/AGENTS.md     | Be brief.                | user's    |                         | project/CLAUDE.md                            |                                                                       |
