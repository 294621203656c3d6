Feature: Memory in the system prompt
  A conversation that is given memory files sends their text as the last block of its system prompt. There no compaction
  reaches it, and the provider's cache holds it.

  @MEM_04
  Rule: The memory is the last block of the system prompt, with a cache mark where the request has fewer than four
    Source: S2, section 5. A provider refuses a fifth cache mark.

    Scenario Outline: The memory follows the agent's own system prompt
      Given a project whose memory says "Use tabs."
      And an agent whose system prompt is <system>
      When the agent prepares a request with its memory
      Then the system prompt has <count> blocks
      And the last block is the memory, with a cache mark

      Examples: System prompts
        | system     | count |
        | none       | 1     |
        | empty      | 1     |
        | a text     | 2     |
        | two blocks | 3     |

    Scenario Outline: The request has cache marks of its own
      Given a project whose memory says "Use tabs."
      And an agent that sets <marks> cache marks <where>
      When the agent prepares a request with its memory
      Then the last block is the memory, <with> a cache mark

      Examples:
        | description                 | marks | where                | with    |
        | none                        | 0     | in its messages      | with    |
        | room for one                | 3     | in its messages      | with    |
        | no room                     | 4     | in its messages      | without |
        | no room, in tools           | 4     | in its tools         | without |
        | no room, in the system      | 4     | in its system prompt | without |
        | one for the whole request   | 1     | as a parameter       | with    |
        | the fourth for the request  | 3     | and one more as a parameter | without |

    Scenario: Without a memory file the system prompt is the agent's own
      Given a project without memory
      And an agent whose system prompt is a text
      When the agent prepares a request with its memory
      Then the system prompt is the agent's own

    Scenario: The memory counts for the window
      Given a project whose memory has 40,000 characters
      And an agent whose system prompt is none
      When the agent prepares a request with its memory
      Then the window holds 10,000 tokens more than without it

    Scenario: The provider accepts the request
      Given a project whose memory says "Use tabs."
      And an agent that sets 4 cache marks in its messages
      When the agent sends a request with its memory
      Then the provider has received the memory once

  @MEM_04
  Rule: The memory is outside of what is compacted, and its files are read again only after a compaction
    Source: S2, section 5; a memory file that is no longer followed after a compaction (anthropics/claude-code#4017). A
    system prompt that changes in between is read from no cache.

    Scenario Outline: A file that changes during the session
      Given a project whose memory says "Use tabs."
      And an agent in a loop whose window is <window>
      When the memory becomes "Use spaces." and the agent prepares <requests>
      Then the last block of the system prompt says "<text>"

      Examples:
        | description             | window  | requests   | text        |
        | no compaction           | not due | 1 request  | Use tabs.   |
        | a later request         | not due | 2 requests | Use tabs.   |
        | a compaction            | due     | 1 request  | Use spaces. |

    Scenario: Clearing old tool outputs alone reads no file again
      Given a project whose memory says "Use tabs."
      And an agent whose old tool outputs fill the window
      When the memory becomes "Use spaces." and the agent prepares 1 request
      Then the last block of the system prompt says "Use tabs."

    Scenario: A memory that has grown counts for the window after the compaction
      Given a project whose memory says "Use tabs."
      And an agent in a loop whose window is due
      When the memory grows by 4,000 characters and the agent prepares 1 request
      Then the window counts the memory that is sent

    Scenario: The provider's overflow error compacts too
      Given a project whose memory says "Use tabs."
      And an agent in a loop whose window is not due
      When the memory becomes "Use spaces." and the provider says that the prompt is too long
      Then the last block of the system prompt says "Use spaces."

    Scenario: No message holds the memory after a compaction, and the summarizer has it in the system prompt alone
      Given a project whose memory says "Use tabs."
      And an agent in a loop whose window is due
      When the memory becomes "Use tabs." and the agent prepares 1 request
      Then no message holds "Use tabs."
      And the summarizer has "Use tabs." in the system prompt alone

    Scenario Outline: Files that cannot be read again
      Given a project whose memory says "Use tabs."
      And an agent in a loop whose window is due
      When the memory <change> and the agent prepares 1 request
      Then the last block of the system prompt says "<text>"
      And the agent is warned "<warning>"

      Examples:
        | description              | change                    | text      | warning                              |
        | a required file is gone  | is required and removed   | Use tabs. | the memory files stay as they were   |
        | one of two is binary     | gets a file that is binary | Use tabs. | it is binary                        |
