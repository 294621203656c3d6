Feature: The agents' settings files
  `brim hook install` names the hooks in the settings of Claude Code or Codex, and `brim hook uninstall` takes them out.
  The files belong to the user: others have entries in them too.

  @HOK_04
  Rule: Installing shows and adds brim's entries alone, and uninstalling removes them alone; all else keeps its values and order
    Source: a decision of this project (0121); the places and the form are those that Claude Code and Codex document.

    Scenario Outline: The file that is written
      Given the variable "<variable>" names the folder "elsewhere"
      When brim installs its hooks with "<options>"
      Then the page shows the entries, and says that they are written to "<file>"
      And the entries run brim in "<file>"

      Examples:
        | description               | variable          | options           | file                          |
        | of the user               |                   |                   | home/.claude/settings.json    |
        | of the project            |                   | --project         | project/.claude/settings.json |
        | of Codex                  |                   | --codex           | home/.codex/hooks.json        |
        | of Codex, in the project  |                   | --codex --project | project/.codex/hooks.json     |
        | Claude Code, moved        | CLAUDE_CONFIG_DIR |                   | elsewhere/settings.json       |
        | Codex, moved              | CODEX_HOME        | --codex           | elsewhere/hooks.json          |

    Scenario Outline: What is there stays as it is written
      Given settings of Claude Code that are <settings>
      When brim installs its hooks with ""
      Then the entries run brim in "home/.claude/settings.json"
      And the rest of the settings is as it was, and set in by "<indent>"

      Examples: Forms
        | settings                            | indent |
        | an empty object                     | 2      |
        | set in by 4 spaces                  | 4      |
        | set in by tabs                      | tab    |
        | with line ends of Windows           | 2      |
        | without a line end                  | 2      |
        | with hooks of another program       | 2      |
        | with another hook of the same event | 4      |

    Scenario Outline: Uninstalling gives the same settings back
      Given settings of Claude Code that are <settings>
      And brim has installed its hooks
      When brim uninstalls its hooks with ""
      Then the settings are as they were, byte for byte

      Examples: Forms
        | settings                            |
        | an empty object                     |
        | set in by 4 spaces                  |
        | set in by tabs                      |
        | with line ends of Windows           |
        | without a line end                  |
        | with hooks of another program       |
        | with another hook of the same event |

    Scenario Outline: An entry of another program stays
      Given settings of Claude Code whose "SessionStart" runs "<command>" beside brim
      When brim uninstalls its hooks with ""
      Then "SessionStart" runs "<command>" alone

      Examples:
        | description              | command                                   |
        | another program          | entire hooks session-start                |
        | brim, and something else | brim hook session-start && make tides     |
        | another command of brim  | brim inspect --latest                     |
        | a program of such a name | /opt/brimful hook session-start           |
        | another option           | brim hook session-start --verbose yes     |
        | an option of no value    | brim hook session-start --job             |
        | brim's own installation  | brim hook install                         |
        | an open quotation        | brim hook session-start 'tides            |

    Scenario: An entry of another program that follows brim's stays
      Given settings of Claude Code whose "SessionStart" runs "entire hooks session-start" behind brim
      When brim uninstalls its hooks with ""
      Then "SessionStart" runs "entire hooks session-start" alone

    Scenario: Installing twice changes nothing
      Given brim has installed its hooks
      When brim installs its hooks with ""
      Then it answers "Nothing to change"

    Scenario Outline: An entry of brim at another path is replaced
      Given settings of Claude Code whose "SessionStart" runs "<command>" beside nothing
      When brim installs its hooks with ""
      Then the entries run brim in "home/.claude/settings.json"
      And "SessionStart" has 1 entry

      Examples:
        | description | command                              |
        | a path      | /old/bin/brim hook session-start     |
        | of Windows  | /old/bin/brim.exe hook session-start |

    Scenario: With --dry-run nothing is written
      When brim installs its hooks with "--dry-run"
      Then it answers "Would be written"
      And there is no file "home/.claude/settings.json"

    Scenario: A link to the settings stays a link
      Given settings of Claude Code that are a link into another folder
      When brim installs its hooks with ""
      Then the link is still one, and its file has the entries

    Scenario Outline: A file of another form is left as it is, and named
      Given settings of Claude Code that are <settings>
      When brim installs its hooks with ""
      Then it is refused with "<error>"
      And the settings are as they were, byte for byte

      Examples: Forms
        | settings                        | error                                    |
        | no JSON                         | is not valid JSON                        |
        | empty                           | is not valid JSON                        |
        | JSON with a comment             | is not valid JSON                        |
        | a list                          | is no JSON object                        |
        | hooks that are a list           | has hooks that are no object             |
        | hooks of an event as an object  | has hooks of SessionStart that are no list |
        | not UTF-8                       | is not UTF-8                             |
        | a folder                        | is no ordinary file                      |
        | a pipe                          | is no ordinary file                      |
        | a link to a device              | is no ordinary file                      |
        | hooks that are two              | has two members of one name: 'hooks'     |
        | an event that is two            | has two members of one name: 'SessionStart' |

    Scenario: A job that is not known is refused before anything is written
      When brim installs its hooks with "--job snapshots"
      Then it is refused with "there is no job 'snapshots'"
      And there is no file "home/.claude/settings.json"
