Feature: Loading memory files
  The memory files of a project become one text for the system prompt, in which each part says where it comes from. A file
  that cannot be read is named, and the others are loaded.

  @MEM_02
  Rule: Each file is introduced by its path, and files are joined: first the global ones, then the project's, then configured ones
    Source: S2, section 5, and OpenCode's code. No file replaces another.

    Scenario: The text of three files
      Given the files
        | file                   | text           |
        | home/.claude/CLAUDE.md | Be brief.      |
        | project/CLAUDE.md      | Use tabs.      |
        | project/docs/extra.md  | Mind the tide. |
      And the user's settings of memory are "files = ['docs/extra.md']"
      When brim shows the memory of "project"
      Then the text is
        """
        Instructions from: home/.claude/CLAUDE.md
        Be brief.

        Instructions from: project/CLAUDE.md
        Use tabs.

        Instructions from: project/docs/extra.md
        Mind the tide.
        """

    Scenario: A rule for some files names their patterns
      Given the files
        | file                         | text                                               |
        | project/.claude/rules/api.md | ---\npaths: ['src/api/**', '*.sql']\n---\nUse tabs. |
      When brim shows the memory of "project"
      Then the text is
        """
        Instructions from: project/.claude/rules/api.md (for files that match src/api/**, *.sql)
        Use tabs.
        """

    Scenario: A file that is found twice stands where it is found first
      Given the files "project/CLAUDE.md, project/docs/extra.md"
      And the user's settings of memory are "files = ['CLAUDE.md', 'docs/*.md', 'docs/extra.md']"
      When brim shows the memory of "project"
      Then the loaded files are "project/CLAUDE.md, project/docs/extra.md"

    Scenario Outline: Front matter is for programs, and is left out
      Given the files
        | file              | text   |
        | project/CLAUDE.md | <text> |
      When brim shows the memory of "project"
      Then the result is
        | says   |
        | <said> |

      Examples:
        | description      | text                               | said                             |
        | front matter     | ---\n\nowner: tide\n---\nUse tabs. | Use tabs.                        |
        | only two rules   | ---\nUse tabs.\n---\nAnd spaces.   | ---\nUse tabs.\n---\nAnd spaces. |
        | no end           | ---\nUse tabs.                     | ---\nUse tabs.                   |
        | none             | Use tabs.                          | Use tabs.                        |
        | a mark of order  | \ufeffUse tabs.                    | Use tabs.                        |
        | an empty file    |                                    |                                  |

  @MEM_03
  Rule: Settings name more files, by a path at home, an absolute path or a pattern; a required one that is missing is an error
    Source: S2, section 5: the instructions of OpenCode, and the files of Claude Code that are required or not.

    Scenario Outline: The forms of a configured file
      Given the files "home/rules/own.md, project/docs/a.md, project/docs/b.md, project/docs/deep/c.md"
      And the user's settings of memory are "files = ['<file>']"
      When brim shows the memory of "project/src" in the mode "nearest"
      Then the loaded files are "<loaded>"

      Examples:
        | description              | file                     | loaded                                                       |
        | at home                  | ~/rules/own.md           | home/rules/own.md                                            |
        | absolute                 | <root>/home/rules/own.md | home/rules/own.md                                            |
        | an absolute pattern      | <root>/home/*/own.md     | home/rules/own.md                                            |
        | in a folder above        | docs/a.md                | project/docs/a.md                                            |
        | a pattern, in order      | docs/*.md                | project/docs/a.md, project/docs/b.md                         |
        | a pattern of all folders | docs/**/*.md             | project/docs/a.md, project/docs/b.md, project/docs/deep/c.md |
        | optional and missing     | docs/gone.md             |                                                              |

    Scenario Outline: A required file that cannot be loaded is an error
      Given the files "project/docs/a.md, project/docs/c.md/"
      And the user's settings of memory are "files = [{path = '<file>', required = true}]"
      When brim shows the memory of "project" in the mode "nearest"
      Then it is refused with "<refusal>"

      Examples:
        | description      | file      | refusal                                                         |
        | it is there      | docs/a.md |                                                                 |
        | it is missing    | docs/b.md | …the memory file 'docs/b.md' is required, and there is none… |
        | no file matches  | *.md      | …the memory file '*.md' is required, and there is none…      |
        | it is a folder   | docs/c.md | …a required memory file cannot be loaded…                       |

    Scenario Outline: A pattern that matches too many files is refused
      Given a file that imports <count> others side by side
      And the user's settings of memory are "files = ['docs/*.md']"
      When brim shows the memory of "project" in the mode "opencode"
      Then it is refused with "<refusal>"

      Examples:
        | description  | count | refusal                                                    |
        | as many      | 100   |                                                            |
        | one too many | 101   | …'docs/*.md' matches more than 100 files; name fewer… |

    Scenario Outline: A project's settings name files of the project alone
      Given the files "home/secret.md, project/docs/a.md"
      And the project's settings of memory are "files = ['<file>']"
      When brim shows the memory of "project" in the mode "nearest"
      Then the result is
        | loaded files | warns    |
        | <loaded> | <warned> |

      Examples:
        | description | file              | loaded            | warned                             |
        | in it       | docs/a.md         | project/docs/a.md |                                    |
        | at home     | ~/secret.md       |                   | …which a project may not: ignored… |
        | one above   | ../home/secret.md |                   | …which a project may not: ignored… |

    Scenario Outline: Each setting of memory changes what is loaded
      Given the files "project/AGENTS.md, project/CLAUDE.md, home/secret.md"
      And the user's settings of memory are "<setting>"
      When brim shows the memory of "project"
      Then the loaded files are "<loaded>"

      Examples:
        | description | setting               | loaded                               |
        | the mode    | mode = 'opencode'     | project/AGENTS.md                    |
        | the default |                       | project/CLAUDE.md                    |
        | more files  | files = ['AGENTS.md'] | project/CLAUDE.md, project/AGENTS.md |
        | the size    | file_bytes = 1        |                                      |

  @MEM_09
  Rule: A memory file that cannot be read is named with what is wrong and its line, and the others are loaded
    Source: a decision of this project (0233). A session goes on without one file; it cannot go on with a system prompt
    that fills the window. In S2, section 5, it counts as empty.

    Scenario Outline: A faulty file
      Given the files
        | file                   | text      |
        | home/.claude/CLAUDE.md | Be brief. |
        | project/CLAUDE.md      | <text>    |
      When brim shows the memory of "project"
      Then the result is
        | loaded files                  | warns                     |
        | home/.claude/CLAUDE.md<rest> | project/CLAUDE.md<words>… |

      Examples:
        | description         | text                                                   | rest                | words                                                                 |
        | binary              | Use tabs.\n\nPNG\x00                                   |                     | , line 3: it is binary                                                |
        | not UTF-8           | Use tabs.\nMind the caf\xe9.                           |                     | , line 2: it is not UTF-8                                             |
        | a folder            | a folder                                               |                     | : it is no ordinary file                                              |
        | a pipe              | a pipe                                                 |                     | : it is no ordinary file                                              |
        | one byte too many   | {262,145 x}                                            |                     | : it has 262,145 bytes, and at most 262,144 are read                  |
        | broken front matter | ---\nowner: tide\nfiles: a: b\n---\nUse tabs.          | , project/CLAUDE.md | , line 3: the front matter does not parse                             |
        | one field twice     | ---\nowner: tide\nowner: me\n---\nUse tabs.            | , project/CLAUDE.md | , line 3: the front matter does not parse: there are two fields 'owner' |
        | an alias            | ---\na: &x [1]\nb: *x\n---\nUse tabs.                    | , project/CLAUDE.md | , line 3: the front matter does not parse: it repeats a value by an alias |
        | long front matter   | ---\nowner: {50,000 x}\n---\nUse tabs.                 | , project/CLAUDE.md | , line 1: the front matter has 50,012 characters                      |

    Scenario: The largest file that is loaded
      Given the files
        | file              | text        |
        | project/CLAUDE.md | {262,144 x} |
      When brim shows the memory of "project"
      Then the result is
        | loaded files       | warns |
        | project/CLAUDE.md |       |
