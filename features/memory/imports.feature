Feature: Imports in memory files
  A memory file of Claude Code can name another file behind an at sign, as in "See @docs/style.md". That file is loaded
  behind the one that names it.

  @MEM_08
  Rule: A path behind an at sign imports that file, outside of code, up to five files deep
    Source: what Claude Code documents; decision 0233.

    Scenario Outline: A path is an import where it stands alone as a word, and not in code
      Given the memory files "project/docs/style.md, project/STYLE, home/style.md"
      And the memory file "project/CLAUDE.md" holds "<text>"
      When brim shows the memory of "project" in the mode "claude-code"
      Then it loads "<loaded>"

      Examples:
        | description                | text                                       | loaded                                   |
        | a line                     | @docs/style.md                             | project/CLAUDE.md, project/docs/style.md |
        | within a sentence          | Read @docs/style.md first.                 | project/CLAUDE.md, project/docs/style.md |
        | at the end of a sentence   | Read @docs/style.md.                       | project/CLAUDE.md, project/docs/style.md |
        | in an item of a list       | - @./docs/style.md                         | project/CLAUDE.md, project/docs/style.md |
        | a name without an ending   | Read @STYLE first.                         | project/CLAUDE.md, project/STYLE         |
        | twice                      | @docs/style.md\n@docs/style.md             | project/CLAUDE.md, project/docs/style.md |
        | in a span of code          | Write `@docs/style.md` to import it.       | project/CLAUDE.md                        |
        | in a block of code         | ```\n@docs/style.md\n```                   | project/CLAUDE.md                        |
        | in an indented block       | Code:\n\n    @docs/style.md\n              | project/CLAUDE.md                        |
        | in an element of HTML      | <div>\n@docs/style.md\n</div>              | project/CLAUDE.md, project/docs/style.md |
        | in a comment               | <!-- @docs/style.md -->                    | project/CLAUDE.md                        |
        | an address of mail         | Ask keeper@docs/style.md                   | project/CLAUDE.md                        |
        | a person                   | Ask @alice about it.                       | project/CLAUDE.md                        |
        | behind a block of code     | ```\nx\n```\n@docs/style.md                | project/CLAUDE.md, project/docs/style.md |

    Scenario Outline: A path is relative to the folder of the file that names it
      Given the memory files "<file>"
      And the memory file "project/docs/index.md" holds "@<path>"
      And the memory file "project/CLAUDE.md" holds "@docs/index.md"
      When brim shows the memory of "project" in the mode "claude-code"
      Then it loads "project/CLAUDE.md, project/docs/index.md, <file>"

      Examples:
        | description       | path          | file                  |
        | in the folder     | style.md      | project/docs/style.md |
        | in the one above  | ../style.md   | project/style.md      |
        | with a space      | my\\ style.md | project/docs/my style.md |

    Scenario Outline: The fifth file of a chain is loaded and the sixth is not
      Given a chain of <count> imports
      When brim shows the memory of "project" in the mode "claude-code"
      Then it loads <loaded> files
      And it warns of <warnings>

      Examples:
        | description    | count | loaded | warnings |
        | one fewer      | 4     | 5      | nothing  |
        | as many        | 5     | 6      | nothing  |
        | one too many   | 6     | 6      | 1 fault  |

    Scenario Outline: An import that cannot be followed is named with its file and line, and the rest is loaded
      Given the memory file "project/docs/index.md" holds "<inner>"
      And the memory file "project/CLAUDE.md" holds "<outer>"
      When brim shows the memory of "project" in the mode "claude-code"
      Then it loads "<loaded>"
      And a warning names "<file>" and says "<words>"

      Examples:
        | description        | outer          | inner         | loaded                                   | file                  | words                                                             |
        | a missing file     | Hello.\n@docs/gone.md |        | project/CLAUDE.md                        | project/CLAUDE.md     | line 2: @docs/gone.md: there is no such file                      |
        | behind front matter | ---\na: 1\n---\n@docs/gone.md |           | project/CLAUDE.md                        | project/CLAUDE.md     | line 4: @docs/gone.md: there is no such file                      |
        | a folder           | Hello.\n@./docs |              | project/CLAUDE.md                        | project/CLAUDE.md     | line 2: @./docs: it is no ordinary file                           |
        | a cycle            | @docs/index.md | @../CLAUDE.md | project/CLAUDE.md, project/docs/index.md | project/docs/index.md | line 1: @../CLAUDE.md: an import cycle                            |
        | a file of itself   | @docs/index.md | @index.md     | project/CLAUDE.md, project/docs/index.md | project/docs/index.md | line 1: @index.md: an import cycle                                |
        | a name too long    | @./<long>      |               | project/CLAUDE.md                        | project/CLAUDE.md     | there is no such file                                             |

    Scenario Outline: A file that imports many
      Given a file that imports <count> others
      When brim shows the memory of "project" in the mode "claude-code"
      Then it loads <loaded> files
      And it warns of <warnings>

      Examples:
        | description  | count | loaded | warnings |
        | as many      | 99    | 100    | nothing  |
        | one too many | 100   | 100    | 1 fault  |

    Scenario: A file that two files import is loaded once, without a warning
      Given the memory files "project/docs/style.md"
      And the memory file "project/docs/index.md" holds "@style.md"
      And the memory file "project/CLAUDE.md" holds "@docs/style.md @docs/index.md"
      When brim shows the memory of "project" in the mode "claude-code"
      Then it loads "project/CLAUDE.md, project/docs/style.md, project/docs/index.md"
      And it warns of nothing

    Scenario: The other modes have no imports
      Given the memory files "project/docs/style.md"
      And the memory file "project/CLAUDE.md" holds "@docs/style.md"
      When brim shows the memory of "project" in the mode "opencode"
      Then it loads "project/CLAUDE.md"

  @MEM_08
  Rule: A project's file cannot reach a file outside of the project unless the user allows it
    Source: a decision of this project (0151), after the approval that Claude Code asks for. A cloned repository brings
    its files along, and what they reach goes to the provider.

    Scenario Outline: A way out of the project is not followed
      Given the memory files "home/secret.md, project/docs/style.md"
      And <way>
      When brim shows the memory of "project" in the mode "claude-code"
      Then it does not load "home/secret.md"
      And brim warns of "leads outside of the project; external_imports = true in the user's brim.toml allows it"

      Examples: Ways
        | way                                                             |
        | the memory file "project/CLAUDE.md" holds "@~/secret.md"               |
        | the memory file "project/CLAUDE.md" holds "@../home/secret.md"         |
        | the memory file "project/CLAUDE.md" is a link to "home/secret.md"      |
        | the memory file "project/CLAUDE.md" imports a link to "home/secret.md" |

    Scenario: The user allows it
      Given the memory files "home/secret.md"
      And the memory file "project/CLAUDE.md" holds "@~/secret.md"
      And the user's settings hold "[memory]\nexternal_imports = true"
      When brim shows the memory of "project" in the mode "claude-code"
      Then it loads "project/CLAUDE.md, home/secret.md"

    Scenario: The project's own settings cannot allow it
      Given the memory files "home/secret.md"
      And the memory file "project/CLAUDE.md" holds "@~/secret.md"
      And the project's settings hold "[memory]\nexternal_imports = true"
      When brim shows the memory of "project" in the mode "claude-code"
      Then it does not load "home/secret.md"
      And brim warns of "sets memory.external_imports, which a project may not: ignored"

    Scenario: A project's file is not the user's own where the user's file imports it
      Given the memory files "home/secret.md"
      And the memory file "project/docs/style.md" holds "@~/secret.md"
      And the memory file "home/.claude/CLAUDE.md" holds "@../../project/docs/style.md"
      When brim shows the memory of "project" in the mode "claude-code"
      Then it loads "home/.claude/CLAUDE.md, project/docs/style.md"
      And brim warns of "leads outside of the project"

    Scenario: The user's own file may import from anywhere
      Given the memory files "home/secret.md"
      And the memory file "home/.claude/CLAUDE.md" holds "@~/secret.md"
      When brim shows the memory of "project" in the mode "claude-code"
      Then it loads "home/.claude/CLAUDE.md, home/secret.md"

    Scenario: A link within the project is followed
      Given the memory files "project/AGENTS.md"
      And the memory file "project/CLAUDE.md" is a link to "project/AGENTS.md"
      When brim shows the memory of "project" in the mode "claude-code"
      Then it loads "project/CLAUDE.md"
