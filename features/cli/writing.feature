Feature: Writing the new conversation
  `brim compact FILE -o OUT` writes the compacted conversation. To send it to an API or to open it with an agent, the user needs
  it in the format of the transcript.

  @CMD_05
  Rule: The new conversation is written in the format that came in, or in the one that --to names
    Source: a decision of this project (0232). The records of a Claude Code session are those that its versions 1.0 to 2.1 write.

    Scenario Outline: The format that came in
      Given 8 long turns as <format>
      When brim compacts it into a file
      Then the file is <format>, and its reader finds the summary and the last answer in it
      And the API of <api> would accept it

      Examples:
        | description              | format                                | api            |
        | Anthropic's messages     | anthropic                             | Anthropic      |
        | chat messages            | openai-chat                           | OpenAI         |
        | Responses items          | openai-responses                      | OpenAI         |
        | a Claude Code session    | claude-code                           | Claude Code    |

    Scenario Outline: A list stays a list
      Given 8 long turns as <format>
      When brim compacts it into a file
      Then the file is a list

      Examples: Lists
        | format           |
        | anthropic        |
        | openai-chat      |
        | openai-responses |

    Scenario Outline: An object keeps its other fields
      Given a request with a model, a temperature and 8 long turns, as <format>
      When brim compacts it into a file
      Then the file is the object that came in, with other messages

      Examples: Objects
        | format           |
        | anthropic        |
        | openai-chat      |
        | openai-responses |

    Scenario Outline: The format that --to names
      Given a transcript of <tool>
      When brim compacts it with "--to <format>" into a file
      Then the file is <format>, and its reader finds the request and the last answer in it
      And the API of <api> would accept it

      Examples:
        | description             | tool                     | format           | api         |
        | Codex                   | Codex                    | openai-responses | OpenAI      |
        | OpenCode                | OpenCode                 | claude-code      | Claude Code |
        | OpenCode's tree         | OpenCode, kept as a tree | openai-chat      | OpenAI      |
        | pi                      | pi                       | openai-chat      | OpenAI      |
        | Cline                   | Cline                    | anthropic        | Anthropic   |
        | Gemini CLI              | Gemini CLI               | openai-chat      | OpenAI      |
        | mini-swe-agent          | mini-swe-agent           | openai-chat      | OpenAI      |
        | SWE-agent               | SWE-agent                | openai-responses | OpenAI      |
        | OpenHands               | Open Hands               | claude-code      | Claude Code |
        | aider                   | Aider                    | anthropic        | Anthropic   |
        | Claude Code             | Claude Code              | openai-chat      | OpenAI      |
        | messages of Anthropic's | Anthropic's interface    | openai-responses | OpenAI      |

    Scenario Outline: An OpenAI conversation in another format
      Given 8 long turns as <format>
      When brim compacts it with "--to <other>" into a file
      Then the file is <other>, and its reader finds the summary and the last answer in it
      And the API of <api> would accept it
      And its system prompt is "You build piers."

      Examples:
        | description              | format           | other            | api       |
        | chat to Anthropic        | openai-chat      | anthropic        | Anthropic |
        | chat to Responses        | openai-chat      | openai-responses | OpenAI    |
        | Responses to Anthropic   | openai-responses | anthropic        | Anthropic |
        | Responses to chat        | openai-responses | openai-chat      | OpenAI    |

    Scenario Outline: A tool's definition takes the form of the format
      Given a request with a tool, in the format <format>
      When brim compacts it with "--to <other>" into a file
      Then its definition is that of <other>

      Examples:
        | description            | format           | other            |
        | as it came             | openai-chat      | openai-chat      |
        | Anthropic to chat      | anthropic        | openai-chat      |
        | Anthropic to Responses | anthropic        | openai-responses |
        | chat to Anthropic      | openai-chat      | anthropic        |
        | Responses to Anthropic | openai-responses | anthropic        |

    Scenario: A tool that only its own provider runs is left out
      Given a request with a hosted tool and a tool, in the format openai-responses
      When brim compacts it with "--to openai-chat" into a file
      Then its definition is that of openai-chat

    Scenario: Its system and developer messages become one system prompt
      Given a short conversation with a system message "Be brief." and a developer message "Use metres."
      When brim compacts it with "--to anthropic" into a file
      Then its system prompt is "Be brief.\n\nUse metres."

    Scenario: What a format has no place for is named
      Given a transcript of a turn with an image, a document and an image that is named by its id
      When brim compacts it with "--to openai-chat" into a file
      Then it tells the user "Left out, for openai-chat has no place for it: 1 image"
      And the image is in the file

    Scenario Outline: A conversation that the assistant begins is announced where its API refuses that
      Given a conversation that the assistant begins, as <format>
      When brim compacts it with "--to <other>" into a file
      Then the page has <count> notes that the conversation "begins with the assistant"

      Examples: Formats
        | format      | other            | count |
        | openai-chat | anthropic        | 1     |
        | openai-chat | claude-code      | 1     |
        | anthropic   | anthropic        | 1     |
        | anthropic   | openai-chat      | 0     |
        | openai-chat | openai-responses | 0     |

    Scenario: A message of OpenAI's that is kept is the dictionary that came in
      Given 8 long turns as openai-chat
      And its last message has the field "reasoning_content"
      When brim compacts it into a file
      Then the last 1 messages of the file are those of the transcript

    Scenario: An item that brim does not know is carried
      Given 8 long turns as openai-responses
      And its last message has the field "whatever"
      And an item of the type "weather_report" stands before it
      When brim compacts it into a file
      Then the last 2 messages of the file are those of the transcript

    Scenario: A Claude Code session begins with the compaction and its summary
      Given 8 long turns as claude-code
      When brim compacts it into a file
      Then its first record is a compaction by hand, of the tokens that the window held
      And its second record is marked as a compaction's summary
      And each further record names the one before it

    Scenario: A session that opens with notices of Claude Code begins with the compaction too
      Given 8 long turns as claude-code
      And the command "/clear" opens its session
      When brim compacts it into a file
      Then its first record is a compaction by hand, of the tokens that the window held
      And its second record is marked as a compaction's summary
      And its third record is the notice of "/clear"
      And compacted again, it holds one summary

    Scenario: The file that a session is written to names it
      Given 8 long turns as claude-code
      When brim compacts it into "0b6c1c2e-7a54-4f0e-9a55-3f1f6d4f2a11.jsonl"
      Then the session is "0b6c1c2e-7a54-4f0e-9a55-3f1f6d4f2a11"
      And it tells the user "claude --resume 0b6c1c2e-7a54-4f0e-9a55-3f1f6d4f2a11"

    Scenario Outline: The page names the place where Claude Code looks for the session, unless it is there
      Given 8 long turns as claude-code
      When brim compacts it into the file "<name>" of the folder "<folder>" at home
      Then it tells the user "<words>"

      Examples: Places
        | folder                             | name                                       | words                                                                |
        | .claude/projects/-home-dev-piers   | 0b6c1c2e-7a54-4f0e-9a55-3f1f6d4f2a11.jsonl | To resume it, run claude --resume 0b6c1c2e-7a54-4f0e-9a55-3f1f6d4f2a11 |
        | .claude/projects/-home-dev-barrels | 0b6c1c2e-7a54-4f0e-9a55-3f1f6d4f2a11.jsonl | To resume it, copy it to ~/.claude/projects/-home-dev-piers/0b6c1c2e-7a54-4f0e-9a55-3f1f6d4f2a11.jsonl |

    Scenario: What Claude Code wrote in the user's place is marked again
      Given a transcript of Claude Code that was compacted
      When brim compacts it into a file
      Then the file is claude-code, and its reader finds "The parser was found." as a summary
      And the file is compacted into the same messages again

    Scenario: On standard output too
      Given 8 long turns as claude-code
      When brim compacts it onto standard output
      Then standard output is claude-code, and stderr says "Written to standard output"

  @CMD_05
  Rule: A format that brim only reads needs --to, and the error names the choices
    Source: a decision of this project (0232).

    Scenario Outline: What is wrong usage
      Given a transcript of <tool>
      When brim compacts it with "<flags>" and nothing is written
      Then it ends with 2, and says "<error>"

      Examples:
        | description          | tool        | flags                | error                                                                                 |
        | a format to read     | Codex       | -o out               | brim reads codex and does not write it; add --to with one of anthropic, openai-chat, openai-responses, claude-code |
        | another one          | Aider       | -o out               | brim reads aider and does not write it                                                |
        | a dry run            | Codex       | -o out --dry-run     | brim reads codex and does not write it                                                |
        | an unknown format    | Claude Code | -o out --to codex    | --to is 'codex'; it is one of anthropic, openai-chat, openai-responses, claude-code   |
        | nothing to write     | Claude Code | --to anthropic       | --to is the format of what -o writes; add -o OUT                                      |

  @CMD_06
  Rule: The transcript is never written over, nor a session that an agent keeps
    Source: a decision of this project (0232). The transcript is all that is left where a compaction lost something.

    Scenario Outline: Under any of its names
      Given a place that is <name>, for a transcript of <tool>
      When brim compacts it into that
      Then it is refused as "the transcript itself", and the transcript is as it was

      Examples:
        | description                   | tool                     | name                          |
        | its own name                  | Claude Code              | its own name                  |
        | another way there             | Claude Code              | its name by way of a folder   |
        | a symbolic link               | Claude Code              | a symbolic link to it         |
        | a hard link                   | Claude Code              | a hard link to it             |
        | a link to its folder          | Claude Code              | its name in a linked folder   |
        | read through a link           | Claude Code              | itself behind a link          |
        | a file of a tree              | OpenCode, kept as a tree | a message of its tree         |
        | a file of the session's tree  | OpenCode, a session file | a message of its tree         |

    Scenario Outline: Standard output that leads to it
      Given a transcript of Claude Code
      When a shell runs "brim <command> <redirection>"
      Then it is refused as "standard output is the transcript itself", and the transcript is as it was

      Examples:
        | description            | command                                     | redirection                |
        | in place               | compact transcript --to anthropic -o -      | 1<> transcript             |
        | by another name        | compact transcript -o /dev/stdout           | >> transcript              |
        | as standard input too  | compact - --to anthropic -o /dev/fd/1       | < transcript >> transcript |
        | the answer in JSON     | compact transcript --json                   | >> transcript              |
        | a replay               | replay transcript                           | >> transcript              |

    Scenario Outline: A session of an agent is never replaced
      Given a transcript of Codex
      And a session of another project at "<place>"
      When brim compacts it into that
      Then it is refused as "is a session of an agent, which brim does not replace", and the transcript is as it was

      Examples:
        | description | place                                                     |
        | Claude Code | .claude/projects/-home-dev-parcel/one.jsonl               |
        | Codex       | .codex/sessions/2026/02/01/rollout-one.jsonl              |
        | OpenCode    | .local/share/opencode/storage/session/p/ses_one.json      |

    Scenario: Another file is replaced, and brim says so
      Given 8 long turns as anthropic
      When brim compacts it twice into a file
      Then it tells the user "in place of the file there" the second time alone
