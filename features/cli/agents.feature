Feature: Agents by command
  `brim agents` lists the agents of a project, shows what each may do, and says which rule decides about a use of a tool.

  @CMD_16
  Rule: A check says whether a tool may be used, which rule decides, where that rule is from, and why
    Source: a decision of this project (0234).

    Background:
      Given Claude Code's settings of the project
        """
        {
          "permissions": {
            "allow": ["Bash(git *)", "Read"],
            "ask": ["Bash(git push *)"],
            "deny": ["Read(./.env)"]
          }
        }
        """

    Scenario Outline: What the page says
      When brim checks "<use>"
      Then the page says that it is <verdict>
      And it names "<named>"
      And it ends with <code>

      Examples:
        | description               | use                         | verdict     | named                           | code |
        | a rule allows it          | Bash(git log)               | allowed     | rule allow Bash(git *)          | 0    |
        | a rule asks               | Bash(git push)              | asked about | rule ask Bash(git push *)       | 1    |
        | a rule denies it          | Read(.env)                  | denied      | rule deny Read(./.env)          | 1    |
        | the place of the rule     | Read(.env)                  | denied      | from .claude/settings.json:5    | 1    |
        | no rule matches           | Bash(make)                  | asked about | why no rule matches it          | 1    |
        | the part that decides     | Bash(git log; make)         | asked about | part make                       | 1    |
        | the file that decides     | Read(sub/../.env)           | denied      | rule deny Read(./.env)          | 1    |
        | a wrapper                 | Bash(env A=1 git log)       | asked about | part env A=1 git log            | 1    |
        | what is not plain         | Bash(git -c a.b=c log)      | asked about | why git -c runs other programs  | 1    |
        | what cannot be parsed     | Bash(git log 'x)            | asked about | why brim cannot parse the script | 1   |
        | a tool without a subject  | Deploy                      | asked about | why no rule matches it          | 1    |

    Scenario: A program reads the same as JSON
      When brim checks "Bash(git push)" as JSON
      Then the fields are
        | field    | value                   |
        | decision | ask                     |
        | reason   | a rule asks about it    |
        | rule     | ask Bash(git push *)    |
        | part     | git push                |
        | agent    | build                   |

    Scenario Outline: What is no use of a tool, and what is not there
      When brim checks "<use>" with "<options>"
      Then stderr says "<message>"
      And it ends with <code>

      Examples:
        | description          | use        | options         | message                                            | code |
        | a bracket left open  | Bash(git   |                 | is no use of a tool                                | 2    |
        | no tool              | (git log)  |                 | is no use of a tool                                | 2    |
        | nothing              |            |                 | is no use of a tool                                | 2    |
        | an unknown agent     | Bash(ls)   | --agent biuld   | there is no agent 'biuld'; did you mean build?     | 1    |
        | an unknown caller    | Bash(ls)   | --called-by x   | there is no agent 'x'                              | 1    |
        | an unknown mode      | Bash(ls)   | --permission-mode yolo | --permission-mode: permission_mode is 'yolo'  | 2    |
        | an unknown style     | Bash(ls)   | --style codex   | there is no style codex                            | 2    |

    Scenario: An agent whose definition is faulty is not there, and the fault says why
      Given OpenCode's settings of the project
        """
        {"agent": {"pilot": {"mode": "both"}}}
        """
      When brim checks "Bash(ls)" with "--agent pilot"
      Then stderr says "agent.pilot.mode is 'both'; it is one of primary, subagent, all"
      And stderr says "there is no agent 'pilot'"

    Scenario Outline: The permission mode is the user's preference, and the option wins over it
      Given the user prefers the permission mode "<preference>"
      When brim checks "Bash(make)" with "<options>"
      Then the page says that it is <verdict>

      Examples:
        | description        | preference        | options                   | verdict     |
        | the preference     | bypassPermissions |                           | allowed     |
        | the option         | bypassPermissions | --permission-mode default | asked about |
        | the option alone   | default           | --permission-mode dontAsk | denied      |

    Scenario Outline: Where the project has rules of both systems, the stricter verdict holds
      Given OpenCode's settings of the project
        """
        {"permission": {"bash": {"*": "ask", "make": "allow"}}}
        """
      When brim checks "<use>" with "<options>"
      Then the page says that it is <verdict>

      Examples:
        | description             | use            | options             | verdict     |
        | OpenCode asks           | Bash(git log)  |                     | asked about |
        | Claude Code alone       | Bash(git log)  | --style claude-code | allowed     |
        | both ask                | Bash(git push) |                     | asked about |
        | OpenCode alone          | Bash(make)     | --style opencode    | allowed     |
        | Claude Code has no rule | Bash(make)     |                     | asked about |

    Scenario: A file that cannot be read is named, and the rules of the others hold
      Given OpenCode's settings of the project
        """
        {"permission": {"bash": "maybe"}}
        """
      When brim checks "Read(.env)" with ""
      Then the page says that it is denied
      And stderr says "opencode.json:1: the permission bash is 'maybe'"
