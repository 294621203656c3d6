Feature: Loading memory files
  The memory files of a project become one text for the system prompt, in which each part says where it comes from. A file
  that cannot be read is named, and the others are loaded.

  @MEM_02
  Rule: Each file is introduced by its path, and files are joined: first the global ones, then the project's, then configured ones
    Source: S2, section 5, and OpenCode's code. No file replaces another.

    Scenario: The text of three files
      Given the memory file "home/.claude/CLAUDE.md" holds "Be brief."
      And the memory file "project/CLAUDE.md" holds "Use tabs."
      And the memory file "project/docs/extra.md" holds "Mind the tide."
      And the user's settings hold "[memory]\nfiles = ['docs/extra.md']"
      When brim shows the memory of "project" in the mode "claude-code"
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
      Given the memory file "project/.claude/rules/api.md" holds "---\npaths: ['src/api/**', '*.sql']\n---\nUse tabs."
      When brim shows the memory of "project" in the mode "claude-code"
      Then the text is
        """
        Instructions from: project/.claude/rules/api.md (for files that match src/api/**, *.sql)
        Use tabs.
        """

    Scenario: A file that is found twice stands where it is found first
      Given the memory files "project/CLAUDE.md, project/docs/extra.md"
      And the user's settings hold "[memory]\nfiles = ['CLAUDE.md', 'docs/*.md', 'docs/extra.md']"
      When brim shows the memory of "project" in the mode "claude-code"
      Then it loads "project/CLAUDE.md, project/docs/extra.md"

    Scenario Outline: Front matter is for programs, and is left out
      Given the memory file "project/CLAUDE.md" holds "<text>"
      When brim shows the memory of "project" in the mode "claude-code"
      Then the text of "project/CLAUDE.md" is "<said>"

      Examples:
        | description      | text                               | said                          |
        | front matter     | ---\nowner: tide\n---\nUse tabs.   | Use tabs.                     |
        | only two rules   | ---\nUse tabs.\n---\nAnd spaces.   | ---\nUse tabs.\n---\nAnd spaces. |
        | with an empty line in it | ---\n\nowner: tide\n---\nUse tabs. | Use tabs.               |
        | no end           | ---\nUse tabs.                     | ---\nUse tabs.                |
        | none             | Use tabs.                          | Use tabs.                     |
        | a mark of order  | \ufeffUse tabs.                    | Use tabs.                     |
        | an empty file    |                                    |                               |

  @MEM_03
  Rule: Settings name more files, by a path at home, an absolute path or a pattern; a required one that is missing is an error
    Source: S2, section 5: the instructions of OpenCode, and the files of Claude Code that are required or not.

    Scenario Outline: The forms of a configured file
      Given the memory files "home/rules/own.md, project/docs/a.md, project/docs/b.md, project/docs/deep/c.md"
      And the user's settings hold "[memory]\nfiles = ['<file>']"
      When brim shows the memory of "project/src" in the mode "nearest"
      Then it loads "<loaded>"

      Examples:
        | description              | file                    | loaded                                                              |
        | at home                  | ~/rules/own.md          | home/rules/own.md                                                   |
        | absolute                 | <root>/home/rules/own.md | home/rules/own.md                                                  |
        | an absolute pattern      | <root>/home/*/own.md    | home/rules/own.md                                                   |
        | in a folder above        | docs/a.md               | project/docs/a.md                                                   |
        | a pattern, in order      | docs/*.md               | project/docs/a.md, project/docs/b.md                                |
        | a pattern of all folders | docs/**/*.md            | project/docs/a.md, project/docs/b.md, project/docs/deep/c.md        |
        | optional and missing     | docs/gone.md            |                                                                     |

    Scenario Outline: A required file
      Given the memory files "project/docs/a.md"
      And the user's settings hold "[memory]\nfiles = [{path = '<file>', required = <required>}]"
      When brim shows the memory of "project" in the mode "nearest"
      Then <outcome>

      Examples:
        | description           | file      | required | outcome                                                                                     |
        | it is there           | docs/a.md | true     | it loads "project/docs/a.md"                                                                |
        | it is missing         | docs/b.md | true     | brim refuses it with "the memory file 'docs/b.md' is required, and there is none"             |
        | no file matches       | *.md      | true     | brim refuses it with "the memory file '*.md' is required, and there is none"                  |
        | it is optional        | docs/b.md | false    | it loads ""                                                                                 |

    Scenario: A required file that cannot be read is an error
      Given the memory files "project/docs/a.md as a picture"
      And the user's settings hold "[memory]\nfiles = [{path = 'docs/a.md', required = true}]"
      When brim shows the memory of "project" in the mode "nearest"
      Then brim refuses it with "a required memory file cannot be loaded"

    Scenario Outline: A pattern that matches too many files is refused
      Given <count> files that end in "md" in the folder "project/docs"
      And the user's settings hold "[memory]\nfiles = ['docs/*.md']"
      When brim shows the memory of "project" in the mode "nearest"
      Then <outcome>

      Examples:
        | description  | count | outcome                                                                       |
        | one fewer    | 99    | it loads 99 files                                                             |
        | as many      | 100   | it loads 100 files                                                            |
        | one too many | 101   | brim refuses it with "'docs/*.md' matches more than 100 files; name fewer"      |

    Scenario Outline: A project's settings name files of the project alone
      Given the memory files "home/secret.md, project/docs/a.md"
      And the project's settings hold "[memory]\nfiles = ['<file>']"
      When brim shows the memory of "project" in the mode "nearest"
      Then it loads "<loaded>"
      And <said>

      Examples:
        | description  | file              | loaded            | said                                                   |
        | in it        | docs/a.md         | project/docs/a.md | it warns of nothing                                    |
        | at home      | ~/secret.md       |                   | brim warns of "which a project may not: ignored"      |
        | one above    | ../home/secret.md |                   | brim warns of "which a project may not: ignored"      |

    Scenario Outline: Each setting of memory changes what is loaded
      Given the memory files "project/AGENTS.md, project/CLAUDE.md, home/secret.md"
      And the user's settings hold "[memory]\n<setting>"
      When brim shows the memory of "project" by its settings
      Then it loads "<loaded>"

      Examples:
        | description   | setting                    | loaded                                |
        | the mode      | mode = 'opencode'          | project/AGENTS.md                     |
        | the default   |                            | project/CLAUDE.md                     |
        | more files    | files = ['AGENTS.md']      | project/CLAUDE.md, project/AGENTS.md  |
        | the size      | file_bytes = 1             |                                       |

  @MEM_09
  Rule: A memory file that cannot be read is named with what is wrong and its line, and the others are loaded
    Source: a decision of this project (0151). A session goes on without one file; it cannot go on with a system prompt
    that fills the window. In S2, section 5, it counts as empty.

    Scenario Outline: A faulty file
      Given the memory file "home/.claude/CLAUDE.md" holds "Be brief."
      And a memory file "project/CLAUDE.md" that is <fault>
      When brim shows the memory of "project" in the mode "claude-code"
      Then it loads "home/.claude/CLAUDE.md<rest>"
      And a warning names "project/CLAUDE.md" and says "<words>"

      Examples:
        | description            | fault                              | rest                | words                                                        |
        | binary                 | binary from its third line on      |                     | line 3: it is binary                                         |
        | not UTF-8              | not UTF-8 on its second line       |                     | line 2: it is not UTF-8                                      |
        | UTF-16                 | UTF-16                             |                     | line 1: it is not UTF-8                                      |
        | a folder               | a folder                           |                     | it is no ordinary file                                       |
        | a pipe                 | a pipe                             |                     | it is no ordinary file                                       |
        | broken front matter    | of broken front matter             | , project/CLAUDE.md | line 3: the front matter does not parse                      |
        | a number of 5,000 digits in it | of front matter with a long number | , project/CLAUDE.md | line 3: the front matter does not parse: this value cannot be read |
        | one field twice in it  | of front matter with a field twice | , project/CLAUDE.md | line 3: the front matter does not parse: there are two fields 'owner' |
        | values that repeat values | of front matter that repeats values | , project/CLAUDE.md | line 1: the front matter has more than 50,000 values  |
        | front matter that is too long | of long front matter        | , project/CLAUDE.md | line 1: the front matter has 50,011 characters               |

    Scenario Outline: A file that is too large
      Given a memory file "project/CLAUDE.md" of <size> bytes
      When brim shows the memory of "project" in the mode "claude-code"
      Then it loads "<loaded>"
      And <said>

      Examples:
        | description       | size       | loaded            | said                                                                         |
        | the largest       | 262,144    | project/CLAUDE.md | it warns of nothing                                                          |
        | one byte more     | 262,145    |                   | brim warns of "it has 262,145 bytes, and at most 262,144 are read"          |
        | 10 million bytes  | 10,000,000 |                   | brim warns of "it has 10,000,000 bytes, and at most 262,144 are read"       |
