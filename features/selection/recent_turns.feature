Feature: Recent turns
  The newest turns are what the user and the agent are talking about, so they are chosen to stay word for word. Where
  something was achieved shortly before, everything since then is chosen with them; what stands before it is summarized.
  The turns chosen here stay if they fit the target. Otherwise fewer of them stay; the user's last message always does
  (SEL_04, SEL_06). Turns are counted from 0.

  @SEL_01 @portable
  Rule: The last three turns are kept, or all turns if there are fewer
    Source: the comparison of the TypeScript original with its Rust port (S4, recent turn preservation): its text says
    "2-3 turns", the code of both takes the smaller of three and all.

    It is the choice before the target, which may leave less (SEL_04). The policy can name another number
    (`recent_turns`, SET_01).

    Scenario Outline: The last three
      Given <total> turns to choose from
      When the turns to keep are chosen
      Then the turns kept are "<kept>"

      Examples:
        | description | total | kept    |
        | one under   | 2     | 0, 1    |
        | exactly     | 3     | 0, 1, 2 |
        | one over    | 4     | 1, 2, 3 |

    Scenario Outline: How many are recent is a setting
      Given 5 turns to choose from
      And the settings recent turns <recent>
      When the turns to keep are chosen
      Then the turns kept are "<kept>"

      Examples:
        | description | recent | kept          |
        | none        | 0      |               |
        | more        | 6      | 0, 1, 2, 3, 4 |

  @SEL_02 @portable
  Rule: If an anchor precedes the recent turns, every turn from the newest such anchor on is kept, and older turns are summarized
    Source: the comparison of the TypeScript original with its Rust port (S4, anchor-based selection).

    Scenario Outline: The newest anchor that is older than the recent turns
      Given 10 turns to choose from, with anchors at "<anchors>"
      When the turns to keep are chosen
      Then the result is
        | turns summarized | turns kept | anchor   |
        | <summarized>     | <kept>     | <anchor> |

      Examples:
        | description                  | anchors | summarized       | kept                         | anchor |
        | just before the recent turns | 6       | 0, 1, 2, 3, 4, 5 | 6, 7, 8, 9                   | 6      |
        | the newer of two             | 2, 5    | 0, 1, 2, 3, 4    | 5, 6, 7, 8, 9                | 5      |
        | one is among the recent      | 4, 8    | 0, 1, 2, 3       | 4, 5, 6, 7, 8, 9             | 4      |

    Scenario Outline: An anchor outside of the turns is not understood
      Given 10 turns to choose from, with anchors at "<anchors>"
      When the turns to keep are chosen
      Then it is not understood

      Examples:
        | description      | anchors |
        | behind the last  | 10      |
        | before the first | -1      |

  @SEL_03 @portable
  Rule: If no anchor precedes the recent turns, the recent turns are kept, and older turns are summarized
    Source: the comparison of the TypeScript original with its Rust port (S4, anchor-based selection). S2, section 10.8,
    keeps the recent context and summarizes the old.

    Scenario Outline: No anchor is older than the recent turns
      Given 10 turns to choose from, with anchors at "<anchors>"
      When the turns to keep are chosen
      Then the result is
        | turns summarized    | turns kept | anchor |
        | 0, 1, 2, 3, 4, 5, 6 | 7, 8, 9    |        |

      Examples:
        | description            | anchors |
        | there is none          |         |
        | the oldest recent turn | 7       |

  @SEL_07 @portable
  Rule: If every turn is kept, no turn is summarized
    Source: brim. A compaction that replaces nothing would only add a summary.

    Scenario Outline: Nothing is left to summarize
      Given <total> turns to choose from, with anchors at "<anchors>"
      When the turns to keep are chosen
      Then the turns summarized are "<summarized>"

      Examples:
        | description              | total | anchors | summarized |
        | only recent ones         | 3     |         |            |
        | one more                 | 4     |         | 0          |
        | the anchor is the second | 9     | 1       | 0          |
