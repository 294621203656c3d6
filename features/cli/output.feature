Feature: Output for people and for programs
  A page is fitted to the terminal. What goes to a file or to another program is not wrapped.

  @CMD_03
  Rule: Lines are wrapped only for a terminal, or to the width in "COLUMNS"
    Source: a decision of this project (0232).

    Scenario Outline: The longest line of a page
      When brim <command> writes its page to a <place> and "COLUMNS" is "<columns>"
      Then its longest line has <most>

      Examples:
        | description        | command  | place    | columns | most                    |
        | a pipe             | compact  | pipe     |         | more than 80 characters |
        | a narrow one       | compact  | pipe     | 50      | at most 50 characters   |
        | a terminal         | compact  | terminal | 80      | at most 80 characters   |
        | settings in a pipe | settings | pipe     |         | more than 80 characters |

    Scenario Outline: There is no color without a terminal or if "NO_COLOR" is set
      When brim inspect writes its page to a <place> and "NO_COLOR" is "<word>"
      Then it has <color>

      Examples:
        | description        | place    | word | color    |
        | a pipe             | pipe     |      | no color |
        | a terminal         | terminal |      | color    |
        | a terminal with it | terminal | 1    | no color |

  @CMD_17
  Rule: Help shows more than nine options in groups, in lines that fit
    Source: a decision of this project (0232).

    Scenario Outline: The groups of a command's help
      When brim <command> writes its page to a <place> and "COLUMNS" is "<columns>"
      Then its longest line has at most <columns> characters
      And its headings are "<headings>"

      Examples:
        | description    | command     | place    | columns | headings                                                                                                              |
        | in a terminal  | compact -h  | terminal | 80      | Arguments, Input, The model, When it compacts, What it keeps, Who writes the summary, Output, Options |
        | a narrow one   | compact -h  | terminal | 50      | Arguments, Input, The model, When it compacts, What it keeps, Who writes the summary, Output, Options |
        | a pipe         | inspect -h  | pipe     | 80      | Arguments, Input, The model, When it compacts, Output, Options                                                |
        | few options    | profiles -h | pipe     | 50      | Options                                                                                                       |

  @CMD_08
  Rule: The page of brim compact shows how much is present, and lists what is missing if asked
    Source: real transcripts, where the page said 100% though most of the user's words were gone, and a decision of this
    project: what is missing is counted, and a share below a whole is never rounded up to one.

    Scenario Outline: The page counts what is missing, and --missing lists it
      Given a transcript in which the user wrote "<first>" before long work and then "Three."
      When a compaction that leaves the old turns out shows its page with "<flags>"
      Then the page of compact says "<line>"

      Examples: Without the option
        | description        | first                         | flags | line                                                      |
        | a message          | Mend the door.                |       | 58.6% of the user's words (17 of 29 characters)             |
        | how much is missing | Mend the door.               |       | missing: 12 characters of 1 message; --missing lists them |
        | a constraint       | Never paint it.               |       | Present     0 of 1 facts                                  |
        | both               | Never paint it.               |       | missing: 1 fact and 13 characters of 1 message            |

      Examples: With the option
        | description        | first                         | flags     | line                                                            |
        | a message          | Mend the door.                | --missing | missing words: all 12 characters of a message, from: Mend the door. |
        | a constraint       | Never paint it.               | --missing | missing constraint: Never paint it.                             |
        | a part             | Please go on.\nPaint the door. | --missing | missing words: 13 of 24 characters of a message, from: Paint the door. |
        | nothing            | Please go on.                 | --missing | nothing is missing                                              |

    Scenario: What an earlier summary replaced is not counted, and the page says so
      Given a transcript that begins with an earlier summary, and in which the user wrote "Mend it." before long work
      When a compaction that leaves the old turns out shows its page with ""
      Then the page of compact says "since the earlier summary"

    Scenario Outline: A share below a whole is never shown as 100%
      Given a transcript in which the user wrote "No!" before long work and then <last> letters
      When a compaction that leaves the old turns out shows its page with ""
      Then the page of compact says "<shown> of the user's words"
      And as JSON the share of the words is <share>, and <missing> characters are missing

      Examples:
        | description          | last   | shown | share  | missing |
        | 99.6%                | 739    | 99.6% | 0.996  | 3       |
        | 99.97%               | 9,000  | 99.9% | 0.9996 | 3       |
        | 99.98%               | 90,000 | 99.9% | 0.9998 | 14      |

    Scenario: The page says why a conversation stayed large
      Given a transcript with a system prompt of 10,000 tokens and 4 long turns
      When a compaction that keeps at most 40k tokens shows its page
      Then the page of compact says "15,018 of"
      And the page of compact says "tokens stay word for word: the recent turns (12 messages); the system prompt and tools take 10,000"
      And the page of compact does not say "consider starting fresh conversation", but the JSON does
