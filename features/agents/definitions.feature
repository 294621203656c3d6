Feature: Definitions of agents
  An agent has a name, a purpose, a mode, a model, tools, permissions and a prompt. Four are built in; others are read from
  the files that OpenCode and Claude Code have for them.

  @AGT_01
  Rule: Four agents are built in: build and plan for the user, general and explore for other agents
    Source: OpenCode's agents and their modes (S2, section 6). OpenCode leaves explore and plan a shell that can change files;
    that it only reads is a decision of this project (0234).

    Scenario Outline: build does what the user wants, general all but the to-do list
      When brim checks whether "<agent>" may use "<use>"
      Then the result is <verdict>

      Examples:
        | description                   | agent   | use                | verdict     |
        | build: edit a file            | build   | Edit(a.py)         | allowed     |
        | build: run a command          | build   | Bash(make)         | allowed     |
        | build: read a file of secrets | build   | Read(.env)         | asked about |
        | build: read the example of it | build   | Read(.env.example) | allowed     |
        | build: read a file outside    | build   | Read(/etc/hosts)   | asked about |
        | build: write the to-do list   | build   | TodoWrite          | allowed     |
        | general: edit a file          | general | Edit(a.py)         | allowed     |
        | general: write the to-do list | general | TodoWrite          | denied      |
        | general: read the to-do list  | general | todoread           | denied      |

    Scenario Outline: plan reads
      When brim checks whether "<agent>" may use "<use>"
      Then the result is <verdict>

      Examples:
        | description               | agent | use                   | verdict     |
        | edit a file               | plan  | Edit(a.py)            | denied      |
        | write a file              | plan  | Write(a.py)           | denied      |
        | apply a patch             | plan  | apply_patch(a.py)     | denied      |
        | read a file               | plan  | Read(a.py)            | allowed     |
        | run a command that shows  | plan  | Bash(git log)         | allowed     |
        | run another command       | plan  | Bash(make)            | asked about |
        | write a file by a command | plan  | Bash(git log > a.txt) | denied      |

    Scenario Outline: explore reads and runs commands that show
      When brim checks whether "<agent>" may use "<use>"
      Then the result is <verdict>

      Examples:
        | description                            | agent   | use                                | verdict |
        | read a file                            | explore | Read(a.py)                         | allowed |
        | search                                 | explore | Grep(TODO)                         | allowed |
        | edit a file                            | explore | Edit(a.py)                         | denied  |
        | write the to-do list                   | explore | TodoWrite                          | denied  |
        | use an unknown tool                    | explore | Deploy                             | denied  |
        | run a command that shows               | explore | Bash(ls -la)                       | allowed |
        | run several of them                    | explore | Bash(cd src && git log \| head -5) | allowed |
        | run another command                    | explore | Bash(make)                         | denied  |
        | write a file by a command              | explore | Bash(ls > a.txt)                   | denied  |
        | delete by a command that shows         | explore | Bash(find . -delete)               | denied  |
        | sort in place                          | explore | Bash(sort -o a.txt a.txt)          | denied  |
        | a program of the project by a variable | explore | Bash(PATH=. ls)                    | denied  |

    Scenario Outline: The mode of an agent that is built in
      When brim shows the agent "<agent>"
      Then the mode is "<mode>"

      Examples: Modes
        | agent   | mode     |
        | build   | primary  |
        | plan    | primary  |
        | general | subagent |
        | explore | subagent |

  @AGT_02
  Rule: An agent is defined in Markdown with front matter, or in the table of agents of OpenCode's settings
    Source: the definitions of OpenCode and Claude Code (S2, section 6), and their pages on agents.

    The rows have single quotation marks in place of double ones. Where an agent is faulty the built-in ones are listed.

    Scenario Outline: What a definition says
      Given the file "<file>" says "<text>"
      When brim shows the agent "<agent>"
      Then the result is
        | description | mode   | model   | tools   | prompt   |
        | <purpose>   | <mode> | <model> | <tools> | <prompt> |

      Examples:
        | description                                 | file                         | text                                                                                                                  | agent    | purpose       | mode     | model              | tools                 | prompt    |
        | Claude Code                                 | .claude/agents/reviewer.md   | ---\nname: reviewer\ndescription: Reviews code.\ntools: Read, Grep\nmodel: sonnet\n---\nBe brief.                     | reviewer | Reviews code. | subagent | sonnet             | Read, Grep            | Be brief. |
        | the caller's model, tools as a list         | .claude/agents/reviewer.md   | ---\nname: reviewer\ndescription: Reviews code.\ntools: [Read, Bash(git log *)]\nmodel: inherit\n---\nBe brief.       | reviewer | Reviews code. | subagent |                    | Read, Bash(git log *) | Be brief. |
        | all tools, and its own name, not the file's | .claude/agents/a/b.md        | ---\nname: reviewer\ndescription: Reviews code.\nmodel: sonnet\n---\nBe brief.                                        | reviewer | Reviews code. | subagent | sonnet             | all                   | Be brief. |
        | OpenCode, the name of the file              | .opencode/agents/reviewer.md | ---\ndescription: Reviews code.\nmode: subagent\nmodel: anthropic/claude-x\npermission:\n  edit: deny\n---\nBe brief. | reviewer | Reviews code. | subagent | anthropic/claude-x | all                   | Be brief. |
        | no mode                                     | .opencode/agents/reviewer.md | ---\ndescription: Reviews code.\nmodel: anthropic/claude-x\npermission:\n  edit: deny\n---\nBe brief.                 | reviewer | Reviews code. | all      | anthropic/claude-x | all                   | Be brief. |
        | OpenCode's settings                         | opencode.json                | {'agent': {'reviewer': {'description': 'Reviews code.', 'mode': 'primary', 'prompt': 'Be brief.'}}}                   | reviewer | Reviews code. | primary  |                    | all                   | Be brief. |
        | one that is built in keeps the rest         | opencode.json                | {'agent': {'explore': {'model': 'small'}}}                                                                            | explore  | …             | subagent | small              | …                     | …         |

    Scenario Outline: What an agent that is defined may do
      Given the file "<file>" says "<text>"
      When brim checks whether "<agent>" may use "<use>"
      Then the result is <verdict>

      Examples:
        | description                                   | file                       | text                                                                                                                         | agent  | use                           | verdict     |
        | a command that is allowed                     | .opencode/agents/tester.md | ---\npermissions:\n  edit: ask\n  bash:\n    '*': ask\n    'pytest *': allow\n---\n                                          | tester | Bash(pytest -x)               | allowed     |
        | another command                               | .opencode/agents/tester.md | ---\npermissions:\n  edit: ask\n  bash:\n    '*': ask\n    'pytest *': allow\n---\n                                          | tester | Bash(make)                    | asked about |
        | an edit                                       | .opencode/agents/tester.md | ---\npermissions:\n  edit: ask\n  bash:\n    '*': ask\n    'pytest *': allow\n---\n                                          | tester | Edit(a.py)                    | asked about |
        | the command, and the rule for all behind it   | .opencode/agents/tester.md | ---\npermissions:\n  edit: ask\n  bash:\n    'pytest *': allow\n    '*': ask\n---\n                                          | tester | Bash(pytest -x)               | asked about |
        | a tool that is switched off                   | .opencode/agents/tester.md | ---\ntools:\n  bash: true\n  edit: true\n  webfetch: false\npermissions:\n  edit: ask\n  bash:\n    'pytest *': allow\n---\n | tester | WebFetch(https://example.com) | denied      |
        | a tool that it does not have                  | .claude/agents/r.md        | ---\nname: r\ndescription: x\ntools: Read\n---\n                                                                             | r      | Bash(ls)                      | denied      |
        | a tool that it has for some uses              | .claude/agents/r.md        | ---\nname: r\ndescription: x\ntools: Bash(git log *)\n---\n                                                                  | r      | Bash(git push)                | denied      |
        | a tool that is taken away                     | .claude/agents/r.md        | ---\nname: r\ndescription: x\ndisallowedTools: Write, Bash(rm *)\n---\n                                                      | r      | Bash(rm x)                    | denied      |
        | ... and another one                           | .claude/agents/r.md        | ---\nname: r\ndescription: x\ndisallowedTools: Write, Bash(rm *)\n---\n                                                      | r      | Bash(ls)                      | asked about |
        | an agent that is built in, with more rights   | opencode.json              | {'agent': {'plan': {'permission': {'edit': {'notes/*': 'allow'}}}}}                                                          | plan   | Edit(notes/a.md)              | allowed     |
        | ... and only those                            | opencode.json              | {'agent': {'plan': {'permission': {'edit': {'notes/*': 'allow'}}}}}                                                          | plan   | Edit(a.md)                    | denied      |

    Scenario Outline: What an agent may do by the rules of the project
      Given the file "<file>" says "<text>"
      When brim checks whether "<agent>" may use "<use>"
      Then the result is <verdict>

      Examples:
        | description                                   | file                       | text                                                                                                                         | agent  | use                           | verdict     |
        | the rules of the project count                | opencode.json              | {'permission': {'bash': {'git push *': 'deny'}}}                                                                             | build  | Bash(git push)                | denied      |
        | ... and do not lift those of an agent         | opencode.json              | {'permission': {'edit': 'allow'}}                                                                                            | plan   | Edit(a.py)                    | denied      |
        | the rules of Claude Code count for it as well | .claude/settings.json      | {'permissions': {'deny': ['Bash(git push *)']}}                                                                              | build  | Bash(git push)                | denied      |
        | ... and ask where none matches                | .claude/settings.json      | {'permissions': {'deny': ['Bash(git push *)']}}                                                                              | build  | Bash(ls)                      | asked about |

    Scenario Outline: An agent that gives itself more rights than its caller has
      Given the file ".opencode/agents/helper.md" says "---\npermission: allow\n---\nDo all."
      When brim checks whether "helper" may use "<use>", called by "<caller>"
      Then the result is <verdict>

      Examples:
        | description             | caller | use                 | verdict |
        | the caller may not edit | plan   | Edit(a.py)          | denied  |
        | nor by a command        | plan   | Bash(echo x > a.py) | denied  |
        | the caller is asked     | plan   | Bash(make)          | allowed |
        | the caller may          | build  | Edit(a.py)          | allowed |

    Scenario Outline: A permission mode in a definition takes rights away, and gives none
      Given the file ".claude/agents/a.md" says "---\nname: a\ndescription: x\npermissionMode: <mode>\n---\n"
      And the file ".claude/settings.json" says "{'permissions': {'allow': ['Edit', 'Read']}}"
      When brim checks whether "a" may use "<use>"
      Then the result is <verdict>

      Examples:
        | description           | mode              | use        | verdict     |
        | it plans              | plan              | Edit(a.py) | denied      |
        | ... and reads         | plan              | Read(a.py) | allowed     |
        | it asks about nothing | dontAsk           | Bash(make) | denied      |
        | it would allow all    | bypassPermissions | Bash(make) | asked about |
        | it would accept edits | acceptEdits       | Edit(a.py) | allowed     |

  @AGT_02
  Rule: A faulty definition is named with its file, line and field, and the others are read
    Source: brim. OpenCode and Claude Code leave a faulty agent out, and the user finds out when it is missing.

    Scenario Outline: A fault in a definition
      Given the file "<file>" says "<text>"
      When brim lists the agents
      Then the error says "<fault>"

      Examples:
        | description                    | file                  | text                                                                         | fault                                                                 |
        | no front matter                | .claude/agents/a.md   | Be brief.                                                                    | a.md:1: there is no front matter                                      |
        | a star without quotation marks | .claude/agents/a.md   | ---\nname: a\npermission:\n  *: ask\n---\n                                   | a.md:4: the front matter does not parse                               |
        | no name                        | .claude/agents/a.md   | ---\ndescription: x\n---\n                                                   | a.md:2: the agent has no name                                         |
        | a number as a model            | .claude/agents/a.md   | ---\nname: a\ndescription: x\nmodel: 4\n---\n                                | a.md:4: model is 4; it is a text                                      |
        | an unknown mode                | .claude/agents/a.md   | ---\nname: a\ndescription: x\nmode: both\n---\n                              | a.md:4: mode is 'both'; it is one of primary, subagent, all           |
        | an action that is none         | .claude/agents/a.md   | ---\nname: a\ndescription: x\npermission:\n  read: ask\n  bash: maybe\n---\n | a.md:6: the permission bash is 'maybe'; it is one of allow, ask, deny |
        | JSON that does not parse       | opencode.json         | {'agent': \n}                                                                | opencode.json:2: it is no JSON                                        |
        | an agent that is a text        | opencode.json         | {'agent': {\n'a': 'x'}}                                                      | opencode.json:2: agent.a is 'x'; it is a table                        |
        | two forms of permissions       | .claude/agents/a.md   | ---\nname: a\ndescription: x\npermission: allow\npermissions: deny\n---\n    | a.md:5: permission and permissions are both there; keep one           |
        | permissions by the other name  | opencode.json         | {'permissions': {'edit': 'deny'}}                                            | opencode.json:1: OpenCode has no field permissions; write permission  |
        | a field of the second agent    | opencode.json         | {'agent': {\n'a': {'mode': 'all'},\n'b': {'mode': 1}}}                       | opencode.json:3: agent.b.mode is 1                                    |
        | a rule of the settings         | .claude/settings.json | {'permissions': {'allow': ['Read'],\n'deny': ['Bash(rm']}}                   | settings.json:2: the rule 'Bash(rm' does not parse                    |

    Scenario: A faulty agent of the settings takes no other along
      Given the file "opencode.json" says "{'agent': {'bad': {'mode': 1}, 'good': {'description': 'Fine.'}}, 'permission': {'edit': 'deny'}}"
      When brim shows the agent "good"
      Then the description is "Fine."
      And the error says "agent.bad.mode is 1"

    Scenario Outline: Where a rule of a file cannot be read, every use of a tool is asked about
      Given the file "<file>" says "<text>"
      When brim checks whether "build" may use "Read(a.py)"
      Then the result is asked about

      Examples:
        | description            | file                | text                                                                                 |
        | a rule of the settings | opencode.json       | {'permission': {'edit': 'deny', 'bash': {'git *': 'denied'}}}                        |
        | a rule of an agent     | .claude/agents/a.md | ---\nname: a\ndescription: x\npermission:\n  bash: maybe\n---\n                     |

    Scenario: Two definitions of one name
      Given the file ".claude/agents/a.md" says "---\nname: same\ndescription: x\n---\n"
      And the file ".claude/agents/b.md" says "---\nname: same\ndescription: y\n---\n"
      When brim lists the agents
      Then the error says "a.md and "
      And the error says "b.md: both define the agent same; rename one of them"

    Scenario Outline: Two definitions of one name at different places
      Given <first>
      And <second>
      When brim shows the agent "a"
      Then the description is "<wins>"

      Examples:
        | description                      | first                                                                                              | second                                                                                 | wins     |
        | Claude Code: the project's       | the user's file ".claude/agents/a.md" says "---\nname: a\ndescription: User.\n---\n"               | the file ".claude/agents/a.md" says "---\nname: a\ndescription: Project.\n---\n"       | Project. |
        | OpenCode: the project's settings | the user's file ".config/opencode/opencode.json" says "{'agent': {'a': {'description': 'User.'}}}" | the file "opencode.json" says "{'agent': {'a': {'description': 'Project.'}}}"          | Project. |
        | ... over a file of the user      | the user's file ".config/opencode/agents/a.md" says "---\ndescription: User.\n---\n"               | the file "opencode.json" says "{'agent': {'a': {'description': 'Project.'}}}"          | Project. |
        | ... over one of the other system | the user's file ".claude/agents/a.md" says "---\nname: a\ndescription: User.\n---\n"               | the file "opencode.json" says "{'agent': {'a': {'description': 'Project.'}}}"          | Project. |
        | OpenCode: a file of the project  | the file "opencode.json" says "{'agent': {'a': {'description': 'Settings.'}}}"                     | the file ".opencode/agents/a.md" says "---\ndescription: File.\n---\n"                 | File.    |
        | OpenCode: settings with comments | the file "opencode.json" says "{'agent': {'a': {'description': 'JSON.'}}}"                         | the file "opencode.jsonc" says "{'agent': {'a': {'description': 'JSONC.'}}}"           | JSONC.   |
        | OpenCode: settings in its folder | the file "opencode.json" says "{'agent': {'a': {'description': 'Root.'}}}"                         | the file ".opencode/opencode.json" says "{'agent': {'a': {'description': 'Folder.'}}}" | Folder.  |

    Scenario Outline: The nearest definition wins where the agent works below the root of the project
      Given the file "<outer>" says "<text>"
      And the file "sub/<outer>" says "<inner>"
      And the folder of the agent is "sub"
      When brim shows the agent "a"
      Then the description is "Inner."

      Examples:
        | description           | outer                 | text                                        | inner                                       |
        | settings of OpenCode  | opencode.json         | {'agent': {'a': {'description': 'Outer.'}}} | {'agent': {'a': {'description': 'Inner.'}}} |
        | a file of OpenCode    | .opencode/agents/a.md | ---\ndescription: Outer.\n---\n             | ---\ndescription: Inner.\n---\n             |
        | a file of Claude Code | .claude/agents/a.md   | ---\nname: a\ndescription: Outer.\n---\n    | ---\nname: a\ndescription: Inner.\n---\n    |

    Scenario: A definition of OpenCode adds to an earlier one, and leaves what it does not name
      Given the user's file ".config/opencode/agents/a.md" says "---\ndescription: User.\nmodel: small\n---\nBe brief."
      And the file "opencode.json" says "{'agent': {'a': {'model': 'large'}}}"
      When brim shows the agent "a"
      Then the description is "User."
      And the model is "large"
      And the prompt is "Be brief."

    Scenario Outline: A rule of the user and one of the project
      Given the user's file "<user's>" says "<theirs>"
      And the file "<file>" says "<text>"
      When brim checks whether "build" may use "<use>"
      Then the result is <verdict>

      Examples: OpenCode: a permission or a pattern that both name has the project's action, at the place that the user's file has
        | description                     | user's                         | theirs                                                       | file          | text                                      | use            | verdict |
        | the same permission             | .config/opencode/opencode.json | {'permission': {'bash': 'deny'}}                             | opencode.json | {'permission': {'bash': 'allow'}}         | Bash(make)     | allowed |
        | all permissions do not lift one | .config/opencode/opencode.json | {'permission': {'*': 'ask', 'bash': 'deny'}}                 | opencode.json | {'permission': {'*': 'allow'}}            | Bash(make)     | denied  |
        | ... but the others              | .config/opencode/opencode.json | {'permission': {'*': 'ask', 'bash': 'deny'}}                 | opencode.json | {'permission': {'*': 'allow'}}            | Edit(a.py)     | allowed |
        | all commands do not lift one    | .config/opencode/opencode.json | {'permission': {'bash': {'*': 'ask', 'git push *': 'deny'}}} | opencode.json | {'permission': {'bash': {'*': 'allow'}}}  | Bash(git push) | denied  |
        | an action in place of patterns  | .config/opencode/opencode.json | {'permission': {'bash': {'*': 'ask', 'git push *': 'deny'}}} | opencode.json | {'permission': {'bash': 'allow'}}         | Bash(git push) | allowed |
        | patterns in place of an action  | .config/opencode/opencode.json | {'permission': {'bash': 'deny'}}                             | opencode.json | {'permission': {'bash': {'make': 'ask'}}} | Bash(ls)       | allowed |

      Examples: Claude Code: a rule that denies decides, wherever it is
        | description            | user's                | theirs                                     | file                        | text                                       | use        | verdict     |
        | the user denies        | .claude/settings.json | {'permissions': {'deny': ['Bash(make)']}}  | .claude/settings.json       | {'permissions': {'allow': ['Bash(make)']}} | Bash(make) | denied      |
        | the project denies     | .claude/settings.json | {'permissions': {'allow': ['Bash(make)']}} | .claude/settings.json       | {'permissions': {'deny': ['Bash(make)']}}  | Bash(make) | denied      |
        | the local settings ask | .claude/settings.json | {'permissions': {'allow': ['Bash(make)']}} | .claude/settings.local.json | {'permissions': {'ask': ['Bash(make)']}}   | Bash(make) | asked about |

    Scenario Outline: The user's folders where a variable moves them
      Given the folder of <system> is "moved"
      And the user's file "<file>" says "<text>"
      When brim shows the agent "a"
      Then the description is "Moved."

      Examples:
        | description | system      | file                         | text                                        |
        | OpenCode    | OpenCode    | moved/opencode/opencode.json | {'agent': {'a': {'description': 'Moved.'}}} |
        | Claude Code | Claude Code | moved/agents/a.md            | ---\nname: a\ndescription: Moved.\n---\n    |

    Scenario Outline: Settings of OpenCode with comments
      Given the file "opencode.jsonc" says "<text>"
      When brim shows the agent "a"
      Then the description is "<description of it>"

      Examples:
        | description                | text                                                           | description of it         |
        | a comment on its line      | {'agent': {'a': {'description': 'Seen.'}} // the agents\n}     | Seen.                     |
        | a comment of several lines | {/* one\n two */'agent': {'a': {'description': 'Seen.'}}}      | Seen.                     |
        | commas at the end          | {'agent': {'a': {'description': 'Seen.',},},}                  | Seen.                     |
        | a comma before a comment   | {'agent': {'a': {'description': 'Seen.'}}, // x\n}             | Seen.                     |
        | what looks like a comment  | {'agent': {'a': {'description': 'See https://a.b /* c */,}'}}} | See https://a.b /* c */,} |

    Scenario: An agent that is switched off
      Given the file "opencode.json" says "{'agent': {'explore': {'disable': true}}}"
      When brim shows the agent "explore"
      Then it is refused with "…there are: build, plan, general"
