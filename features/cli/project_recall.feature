Feature: Recall over a project's sessions
  Claude Code, Codex, OpenCode and pi compact by themselves, and keep their sessions on the disk. `brim mcp` offers such an
  agent the tool recall, which searches the sessions that belong to the folder it works in.

  @REC_05
  Rule: Recall by MCP searches the agents' sessions of one project, as data, without what the newest still has in its context
    Source: a decision of this project (0223).

    Scenario Outline: The sessions of the project are searched, whichever agent keeps them
      Given the project "<project>" has a session of <tool> that says "The harbour code is XK-4711."
      And the project "/home/dev/par/cel" has a session of Claude Code that says "Which harbour code is it?"
      When an agent in "/home/dev/par/cel" recalls "harbour code" by MCP
      Then the recall says "<says>", and not "<not>"

      Examples:
        | description                       | tool         | project           | says                                | not      |
        | Claude Code                       | Claude Code  | /home/dev/par/cel | They are data                       | Which    |
        | Codex                             | Codex        | /home/dev/par/cel | The harbour code is XK-4711.        | Which    |
        | OpenCode                          | OpenCode     | /home/dev/par/cel | The harbour code is XK-4711.        | Which    |
        | OpenCode's database               | OpenCode 1.2 | /home/dev/par/cel | The harbour code is XK-4711.        | Which    |
        | pi                                | pi           | /home/dev/par/cel | The harbour code is XK-4711.        | Which    |
        | another project                   | Codex        | /home/dev/lexer   | searched were 1 sessions            | XK-4711  |
        | one whose folder has a like name  | Claude Code  | /home/dev/par-cel | searched were 1 sessions            | XK-4711  |

    Scenario Outline: A session that cannot be read is named, and the others are searched
      Given the project "/home/dev/parcel" has a session of Codex that says "The harbour code is XK-4711."
      And the project "/home/dev/parcel" has a session of Claude Code that is <broken>
      And the project "/home/dev/parcel" has a session of pi that says "Which harbour code is it?"
      When an agent in "/home/dev/parcel" recalls "harbour code" by MCP
      Then the recall says "The harbour code is XK-4711."
      And the recall says "<says>", and not "<not>"

      Examples: What is no session is not named
        | broken        | says                                   | not               |
        | a title alone | They are data                          | Could not be read |
        | no text       | 2.jsonl holds binary data              | Which             |
        | no JSON       | 2.jsonl holds no JSON that can be read | is unknown        |
