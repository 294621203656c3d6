Feature: Reading standard input
  FILE may be a hyphen, so that a transcript can come from another program.

  @CMD_01
  Rule: A hyphen reads a transcript of any format from standard input
    Source: a decision of this project (0103).

    Scenario Outline: Standard input gives the same answer as the file
      Given a transcript file of <format>
      When brim <command> reads it from standard input and from the file
      Then both answers are the same, and <messages> messages were read

      Examples:
        | description                | format                | command | messages |
        | the recorded session       | recorded messages     | inspect | 144      |
        | compacted                  | recorded messages     | compact | 144      |
        | Claude Code                | Claude Code           | inspect | 2        |
        | Codex                      | Codex                 | inspect | 2        |

    Scenario: The page names standard input
      Given a transcript file of Codex
      When brim inspect prints the page of standard input
      Then the page begins with "standard input"

    Scenario Outline: Text that is no transcript is refused in one line
      When brim inspect reads "<text>" from standard input
      Then it is refused with 1, and stderr says "<error>"

      Examples:
        | description | text      | error                          |
        | nothing     |           | standard input is empty        |
        | nonsense    | nonsense  | standard input                 |
        | no messages | []        | standard input holds no message |
