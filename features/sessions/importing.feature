Feature: Importing
  Many agents keep what was said in files of their own. Each such file becomes a session of brim that shows
  what the model saw there, with the compactions that the other agent made; and what a session shows leaves
  it as plain messages. The file itself is only read.

  @SES_14
  Rule: A transcript of any of ten agents, or of Anthropic's or OpenAI's interfaces, becomes a session that shows what was said
    Source: transcripts that these agents really wrote, and the layout of OpenCode in the comparison of
    OpenCode and Claude Code (S2, section 3).

    Scenario Outline: A transcript of each
      Given a transcript of <agent>
      When it is imported
      Then the new session shows <count> messages, from the question to the answer

      Examples: Agents
        | description        | agent                    | count |
        | messages by parent | Claude Code              | 4     |
        | a rollout          | Codex                    | 4     |
        | a tree of entries  | pi                       | 4     |
        | events             | Open Hands               | 4     |
        | an export          | OpenCode                 | 4     |
        | a tree of files    | OpenCode, kept as a tree | 4     |
        | a conversation     | Cline                    | 4     |
        | a chat             | Gemini CLI               | 4     |
        | a trajectory       | mini-swe-agent           | 4     |
        | a history          | SWE-agent                | 4     |
        | words alone        | Aider                    | 2     |

    Scenario Outline: The messages of an interface
      Given a transcript of <agent>
      When it is imported
      Then the new session shows 4 messages, from the question to the answer

      Examples:
        | description                       | agent                        |
        | a request                         | Anthropic's interface        |
        | chat messages                     | OpenAI's chat interface      |
        | items, one for the provider alone | OpenAI's Responses interface |

    Scenario Outline: A file that is none
      Given a file that reads "<text>"
      When it is imported
      Then it is not understood
      And there is no session

      Examples:
        | description    | text             |
        | nothing        |                  |
        | words          | Buy milk.        |

  @SES_14
  Rule: A session that is exported as plain messages is imported as the same conversation
    Source: brim.

    Scenario Outline: There and back
      Given a session made of a transcript of <agent>
      When it is exported and imported again
      Then the second session shows the same

      Examples:
        | description           | agent                          |
        | Claude Code           | Claude Code                    |
        | with its compaction   | Claude Code that was compacted |
        | OpenCode on disk      | OpenCode, kept as a tree       |
        | Anthropic's interface | Anthropic's interface          |
        | Aider                 | Aider                          |

  @SES_14
  Rule: A compaction that the other agent made stays a compaction of the session, with all messages that it replaced
    Source: the boundaries in transcripts that Claude Code really wrote, and brim.

    Scenario: The summary comes first
      Given a session made of a transcript of Claude Code that was compacted
      When it is looked at
      Then it begins with the summary of the other agent

    Scenario: The summary opens into what it replaced
      Given a session made of a transcript of Claude Code that was compacted
      When its summary is opened
      Then all 4 messages from the question to the answer are there

    Scenario Outline: The size before is the other agent's, else the one that the provider counted
      Given a session made of a transcript of <agent>
      When brim shows it
      Then the page says "<size>"

      Examples:
        | description                         | agent                                           | size                                        |
        | recorded with the compaction        | Claude Code that was compacted                  | 4 messages summarized by claude-code, 9,000 tokens |
        | the usage of the response before it | OpenCode that was compacted                     | 4 messages summarized by openai/gpt-5, 105 tokens |
        | neither, so the estimate            | Claude Code that was compacted, without a count | 4 messages summarized by claude-code, 19 tokens |

    Scenario: A later index of identifiers has those that left before
      Given a session made of a transcript of Claude Code that was compacted
      When the model says "See docs/pier.md.", 40 more turns follow and it is compacted
      Then the index of the summary names "parser.py"
      And the index of the summary names "docs/pier.md"

    Scenario: The compaction is taken back
      Given a session made of a transcript of Claude Code that was compacted
      When the compaction is undone
      Then the session shows the question, the answer and what was said since

    Scenario: The beginning of a new conversation is not taken back
      Given a session made of a transcript of Aider with two conversations
      When the user says something and the compaction is undone
      Then it is refused
      And the session shows the question, the answer and what was said since

  @SES_14
  Rule: An output that the other agent cleared is imported as a placeholder, and the result of a failed tool stays a failure
    Source: transcripts that Claude Code really wrote, which name the calls whose results it cleared; a later summary
    says which tools failed.

    Scenario Outline: The result in the session that the import makes
      Given a session made of a transcript of <agent>
      When it is looked at
      Then its result is a placeholder for <what>

      Examples: A tool that answered, and one that failed
        | agent                                   | what      |
        | Claude Code that cleared an output      | an output |
        | Claude Code that cleared a tool's error | a failure |

  @SES_14
  Rule: What a session does not hold stays in the file, and the import says so
    Source: brim; a session holds messages, and the program that continues it supplies instructions and tools.

    Scenario Outline: Instructions, tools and what was taken back
      Given a transcript of <agent>
      When it is imported
      Then the import says "<what> in the file alone"

      Examples:
        | description | agent                 | what                                 |
        | both        | Anthropic's interface | its system prompt and 1 tool stand   |
        | one         | Cline                 | its system prompt stands             |

      Examples: What the user went back from
        | description | agent                         | what                                 |
        | a rewind    | Claude Code that was rewound  | messages that were taken back stand  |

    Scenario: A damaged line
      Given a damaged transcript of Codex
      When it is imported
      Then the import says "1 record could not be read and was skipped, at line 6: not JSON"

  @SES_14
  Rule: A transcript becomes a session with all that is in it, or none
    Source: brim; a session with a title and nothing in it is taken for the real one, and the next attempt
    makes a second.

    @files
    Scenario: There is no room for all of it
      Given a transcript of Codex
      When it is imported and there is room for 500 bytes in a file
      Then it is refused, and the reason has "File too large"
      And there is no session
