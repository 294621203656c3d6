Feature: Memory in the system prompt
  A conversation that is given memory files sends their text as the last block of its system prompt. There no compaction
  reaches it, and the provider's cache holds it.

  Background:
    Given the files
      | file              | text      |
      | project/CLAUDE.md | Use tabs. |

  @MEM_04
  Rule: The memory is the last block of the system prompt, with a cache mark where the request has fewer than four
    Source: S2, section 5. A provider refuses a fifth cache mark.

    Scenario Outline: The memory follows the agent's own system prompt
      When an agent works with this memory
        | system   |
        | <system> |
      Then the result is
        | blocks  | last block | mark |
        | <count> | Use tabs.  | yes  |

      Examples: System prompts
        | system     | count |
        | none       | 1     |
        | empty      | 1     |
        | a text     | 2     |
        | two blocks | 3     |

    Scenario Outline: The request has cache marks of its own
      When an agent works with this memory
        | cache marks |
        | <marks>     |
      Then the result is
        | last block | mark   |
        | Use tabs.  | <mark> |

      Examples:
        | description                | marks                    | mark |
        | room for one               | 3 in its messages        | yes  |
        | no room                    | 4 in its messages        | no   |
        | no room, in tools          | 4 in its tools           | no   |
        | no room, in the system     | 4 in its system prompt   | no   |
        | one for the whole request  | 1 as a parameter         | yes  |
        | the fourth for the request | 3 and one as a parameter | no   |

    Scenario Outline: Without a memory file the system prompt is the agent's own; a large one counts for the window
      Given the files
        | file              | text   |
        | project/CLAUDE.md | <file> |
      When an agent works with this memory
        | system   |
        | <system> |
      Then the result is
        | last block   | tokens   |
        | <last block> | <tokens> |

      Examples:
        | description | file       | system | last block                | tokens |
        | none        | gone       | a text | You are a harbour master. | 0      |
        | a large one | {40,000 x} | none   | xxx…                      | 10,0…  |

  @MEM_04
  Rule: The memory is outside of what is compacted, and its files are read again only after a compaction
    Source: S2, section 5; a memory file that is no longer followed after a compaction (anthropics/claude-code#4017). A
    system prompt that changes in between is read from no cache.

    Scenario Outline: A file that changes during the session
      When an agent works with this memory
        | window   | file   | at   | acts   |
        | <window> | <file> | <at> | <acts> |
      Then the result is
        | last block | warned    |
        | <text>     | <warning> |

      Examples:
        | description             | window          | file        | at                     | acts                | text        | warning                             |
        | no compaction           | roomy           | Use spaces. | project/CLAUDE.md      | prepares            | Use tabs.   |                                     |
        | a later request         | roomy           | Use spaces. | project/CLAUDE.md      | prepares, prepares  | Use tabs.   |                                     |
        | a compaction            | due             | Use spaces. | project/CLAUDE.md      | prepares            | Use spaces. |                                     |
        | of a larger file        | due             | {9,000 x}   | project/CLAUDE.md      | prepares            | xxx…        |                                     |
        | an overflow             | roomy           | Use spaces. | project/CLAUDE.md      | prepares, overflows | Use spaces. |                                     |
        | cleared outputs         | full of outputs | Use spaces. | project/CLAUDE.md      | prepares            | Use tabs.   |                                     |
        | a required file is gone | due             | gone        | project/CLAUDE.md      | prepares            | Use tabs.   | …the memory files stay as they were… |
        | one of two is binary    | due             | \x00        | home/.claude/CLAUDE.md | prepares            | Use tabs.   | …it is binary                       |

    Scenario Outline: No message holds the memory after a compaction, and the summarizer has it in the system prompt alone
      When an agent works with this memory
        | window   |
        | <window> |
      Then the result is
        | in messages | in the summarizer's messages | in its system prompt |
        | no          | no                           | <summarizer>         |

      Examples: Windows
        | window | summarizer |
        | roomy  | no         |
        | due    | yes        |
