Feature: The command for memory files
  `brim memory` shows what an agent reads in this folder: which files are loaded, from where, how large they are, and
  what is wrong with them.

  @MEM_10
  Rule: The command shows the files that are loaded, why, and the tokens that each takes
    Source: a decision of this project (0233). A file that is loaded unnoticed costs tokens in every request.

    Scenario: The page
      Given the memory file "home/.claude/CLAUDE.md" holds "Be brief, and say what you have tried."
      And the memory file "project/CLAUDE.md" holds "Use tabs. @docs/style.md"
      And the memory file "project/docs/style.md" holds "Mind the tide."
      When brim runs "memory show"
      Then it ends with 0 and prints
        """
        3 memory files, 20 tokens, as the mode claude-code finds them
              10  home/.claude/CLAUDE.md
                  global
               6  CLAUDE.md
                  project
               4  docs/style.md
                  project, imported by CLAUDE.md
        """

    Scenario: A folder without memory files
      When brim runs "memory show"
      Then it ends with 0 and prints
        """
        No memory file, 0 tokens, as the mode claude-code finds them
        """

    Scenario: The text alone
      Given the memory file "project/CLAUDE.md" holds "Use tabs."
      When brim runs "memory show --text"
      Then it ends with 0 and prints
        """
        Instructions from: project/CLAUDE.md
        Use tabs.
        """

    Scenario: A fault is named on standard error, and the rest is shown
      Given the memory file "project/CLAUDE.md" holds "Use tabs. @docs/gone.md"
      When brim runs "memory show"
      Then it ends with 0 and prints
        """
        1 memory file, 6 tokens, as the mode claude-code finds them
               6  CLAUDE.md
                  project
        """
      And standard error says "brim: project/CLAUDE.md, line 1: @docs/gone.md: there is no such file"

  @MEM_10
  Rule: A check names every fault and ends with 1 where there is one
    Source: a decision of this project (0233), for hooks of git and for CI.

    Scenario Outline: The answer of a check
      Given the memory file "project/CLAUDE.md" holds "<text>"
      When brim runs "memory check"
      Then it ends with <code> and prints
        """
        <page>
        """

      Examples:
        | description   | text          | code | page                                                                                            |
        | no fault      | Use tabs.     | 0    | No fault in 1 memory file                                                                       |
        | one fault     | @docs/gone.md | 1    | project/CLAUDE.md, line 1: @docs/gone.md: there is no such file\n1 fault in 1 memory file       |

    Scenario: A required file that is missing
      Given the user's settings hold "[memory]\nfiles = [{path = 'tides.md', required = true}]"
      When brim runs "memory check"
      Then it ends with 1 and prints
        """
        """
      And standard error says "brim: the memory file 'tides.md' is required, and there is none"

    Scenario Outline: A flag that does not exist
      When brim runs "<command>"
      Then it ends with 2 and prints
        """
        """
      And standard error says "<words>"

      Examples:
        | description  | command                    | words                                |
        | another mode | memory show --mode cursor  | brim: --mode: mode is 'cursor'       |
        | no act       | memory list                | brim: No such command 'list'         |

  @MEM_10
  Rule: A migration shows each line that it adds or removes, and what it leaves out
    Source: a decision of this project (0233). The user who asks for the migration reads it before committing the file.

    Scenario: The page of a migration
      Given it is 2026-03-01 12:00
      And the file "talk.json" holds the user's words "Never use tabs. The password is tide7, never show it."
      When brim runs "memory migrate talk.json"
      Then it ends with 0 and prints
        """
        + - 2026-03-01, session talk, preference: Never use tabs.
        1 line left out: it looks like a secret
        1 line added, 0 removed; written to CLAUDE.md
        """

    Scenario: The oldest lines leave
      Given it is 2026-03-01 12:00
      And the memory file "project/CLAUDE.md" holds "<!-- brim: begin of migrated lines -->\n- 2026-02-01, session dawn, decision: Use SQLite.\n<!-- brim: end of migrated lines -->\n"
      And the user's settings hold "[memory]\nsection_chars = 60"
      And the file "talk.json" holds the user's words "Never use tabs."
      When brim runs "memory migrate talk.json"
      Then it ends with 0 and prints
        """
        + - 2026-03-01, session talk, preference: Never use tabs.
        - - 2026-02-01, session dawn, decision: Use SQLite.
        1 line added, 1 removed; written to CLAUDE.md
        """

    Scenario: With --dry-run nothing is written
      Given it is 2026-03-01 12:00
      And the file "talk.json" holds the user's words "Never use tabs."
      When brim runs "memory migrate talk.json --dry-run --as pier --into NOTES.md"
      Then it ends with 0 and prints
        """
        + - 2026-03-01, session pier, preference: Never use tabs.
        1 line added, 0 removed; would be written to NOTES.md
        """
      And there is no memory file "project/NOTES.md"

    Scenario: A session of brim, with what was compacted away and without what was rewound
      Given it is 2026-03-01 12:00
      And a session of brim in which the user says "Never use tabs.", which is compacted
      And the user says "Always use SQLite." there, which is rewound
      When brim runs "memory migrate --session <session> --as pier"
      Then it ends with 0 and prints
        """
        + - 2026-03-01, session pier, preference: Never use tabs.
        1 line added, 0 removed; written to CLAUDE.md
        """

    Scenario: Without anything to add
      Given the file "talk.json" holds the user's words "Hello."
      When brim runs "memory migrate talk.json"
      Then it ends with 0 and prints
        """
        Nothing to migrate into CLAUDE.md
        """

    Scenario Outline: A command line that names no transcript
      When brim runs "<command>"
      Then it ends with <code> and prints
        """
        """
      And standard error says "<words>"

      Examples:
        | description       | command                          | code | words                                                               |
        | none              | memory migrate                   | 2    | brim: Invalid value: name a FILE, - for standard input, --latest or --session alone |
        | two               | memory migrate talk.json --latest | 2   | brim: Invalid value: name a FILE, - for standard input, --latest or --session alone |
        | two, one of brim  | memory migrate talk.json --session x | 2 | brim: Invalid value: name a FILE, - for standard input, --latest or --session alone |
        | an unknown session | memory migrate --session x      | 1    | brim: there is no session x in |
        | one that is gone  | memory migrate gone.json         | 1    | brim: gone.json                                                     |
        | no session        | memory migrate --latest          | 1    | brim: there is no session of project                                |
