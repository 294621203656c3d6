Feature: User's words
  What the user wrote is the task. A summary carries it word for word: the first message, then the newest ones, whole, up
  to a limit of their own. Of the newest only the message that crosses the limit is shortened, and messages that are left out are
  counted. A first message that is larger than half of the limit is shortened too.

  @SUM_18
  Rule: A summary lists the user's messages whole, each as an item whose further lines are indented
    Source: real sessions, in which summaries with all facts had lost nine tenths of the user's words; a message with the
    lines of a summary passed for the summary's own sections.

    Scenario Outline: A message keeps its lines
      Given a conversation of the turns
        | user    |
        | <first> |
        | Go on.  |
      When the user's messages are listed in 1,000 characters
      Then the summary is "What the user wrote, word for word:\n<shown>\n- Go on."

      Examples:
        | description         | first                              | shown                                    |
        | several lines       | Port:\n- the lexer\n\n    and more | - Port:\n  - the lexer\n\n      and more |
        | a heading of brim's | Hi.\nActive files:\n- modified: x  | - Hi.\n  Active files:\n  - modified: x  |

  @SUM_18
  Rule: The first message comes first, then the newest that fit; those between are counted in one line
    Source: brim; the first message is the task, and the newest are what is wanted now (anthropics/claude-code#22376).

    Scenario Outline: Of messages of 300 characters only the one that crosses the limit is shortened, if 200 are left for it
      Given the facts
        | kind     | number  | characters |
        | messages | <count> | 300        |
      When the user's messages are listed in <limit> characters
      Then the result is
        | whole   | shortened   | left out   |
        | <whole> | <shortened> | <left out> |

      Examples:
        | description                     | count | limit | whole    | shortened | left out                                  |
        | room for all                    | 3     | 944   | 1, 2, 3  |           |                                           |
        | one character too few           | 3     | 943   | 1, 3     | 2         |                                           |
        | room for 200 characters more    | 3     | 882   | 1, 3     | 2         |                                           |
        | and the one that is shortened   | 40    | 1,250 | 1, 39, 40 | 38       | … 36 messages, 10,800 characters left out |
        | for the count alone             | 40    | 55    |          |           | … 40 messages, 12,000 characters left out |
        | not even for that               | 40    | 54    |          |           |                                           |

    Scenario Outline: A first message that is larger than half of the room leaves the rest to the newest
      Given the facts
        | kind     | number  | characters |
        | messages | 1       | 10,000     |
        | messages | <count> | 300        |
      When the user's messages are listed in 2,000 characters
      Then the whole is "<whole>"
      And the shortened is "1"
      And the characters are from <least> to 2,000

      Examples:
        | description           | count | whole    | least |
        | it takes half         | 9     | 8, 9, 10 | 1,700 |

  @SUM_18
  Rule: The first message and the newest are handed on to the next compaction, at most 200,000 characters of them
    Source: brim; a conversation of many compactions would otherwise carry ever more words that no summary shows.

    Scenario Outline: Only the message that crosses the limit is shortened, and one of which nothing would be left is not handed on
      Given the facts
        | kind     | number  | characters |
        | messages | 1       | <first>    |
        | messages | <count> | 300        |
      When the user's messages are handed on in <limit> characters
      Then the whole is "<whole>"
      And the shortened is "<shortened>"

      Examples: What says how much is left out takes 31 characters
        | description                 | first | count | limit | whole         | shortened |
        | a character less            | 300   | 2     | 899   | 1, 3          | 2         |
        | the newest three, exactly   | 300   | 39    | 1,200 | 1, 38, 39, 40 |           |
        | a character less than that  | 300   | 39    | 1,199 | 1, 39, 40     | 38        |
        | half for the first, exactly | 300   | 2     | 600   | 1, 3          |           |
        | too little for the first    | 300   | 2     | 598   | 3             | 1         |
        | none at the beginning       | 11    | 1     | 43    | 1             |           |

    Scenario Outline: The limit is 200,000 characters
      Given the facts
        | kind     | number  | characters |
        | messages | <count> | 1,000      |
      When the user's messages are handed on
      Then the number whole is "<handed on>"

      Examples:
        | description | count | handed on |
        | one under   | 199   | 199       |
        | exactly     | 200   | 200       |
        | one over    | 201   | 200       |

  @SUM_18
  Rule: A message is cut where a word ends, if one does within 40 characters
    Source: brim; half a word, or half of an emoji, is another one.

    Scenario Outline: A message of one word, over and over
      Given the user wrote "(1,000 × <word>)"
      When the user's messages are listed in <limit> characters
      Then the before the gap is "<before>"
      And the behind the gap is "<behind>"

      Examples:
        | description       | word    | limit | before  | behind  |
        | at a space        | one two | 302   | …twoone | twoone… |
        | one more          | one two | 303   | …twoone | twoone… |
        | without any space | and     | 302   | …and    | and…    |

  @SUM_18
  Rule: The limit for the user's words is a fifth of the usable context, or of a smaller conversation above the threshold, from 2,000 to 20,000 tokens
    Source: brim; Codex keeps 20,000 tokens of user messages. A tenth lost 43% of the requests in ten compactions of a window
    of 32,000 (decision 0217). Below the threshold there is room: what is compacted by hand there loses no word that fits
    (decision 0204).

    Scenario Outline: The share lies between 2,000 and 20,000 tokens
      Given the conversation user <held>
      And a model with window <window>, answer <answer>
      And the settings words share <share>
      When the room for the user's words is worked out
      Then the result is <tokens>

      Examples:
        | description                | held    | window    | answer  | share | tokens |
        | a fifth of the usable part | 60,000  | 99,995    | 20,000  | 0.2   | 15,999 |
        | above the threshold        | 90,000  | 50,000    | 10,000  | 0.2   | 8,000  |
        | another share              | 60,000  | 200,000   | 40,000  | 0.1   | 16,800 |
        | at least                   | 10,004  | 0         | 0       | 0.2   | 2,000  |
        | one above the least        | 10,005  | 0         | 0       | 0.2   | 2,001  |
        | one below the most         | 60,000  | 119,999   | 20,000  | 0.2   | 19,999 |
        | at most                    | 60,000  | 120,000   | 20,000  | 0.2   | 20,000 |
        | a fifth would be more      | 60,000  | 120,005   | 20,000  | 0.2   | 20,000 |

    Scenario: A fifth is the share that nobody set
      Given the conversation user 90,000
      And a model with window 50,000, answer 10,000
      When the room for the user's words is worked out
      Then the result is 8,000

    Scenario: After the provider's overflow error the words take at most half of what is kept
      Given the conversation user 60,000
      And a model with window 200,000, answer 40,000
      When the room for the user's words is worked out after an overflow
      Then the result is 3,000

    Scenario Outline: A share that is none is refused
      Given a model with window 200,000, answer 40,000
      And the settings words share <share>
      When the settings are checked
      Then it is refused with "…the share of the user's words is <share>; it has to be above 0 and at most 1…"

      Examples:
        | description | share |
        | nothing     | 0     |
        | too much    | 2     |

  @SUM_18
  Rule: A compaction keeps each message of the user in one place, as a message or in the summary as far as its words fit
    Source: brim; a message in both costs its tokens twice, and so does a constraint below the message that states it.

    Scenario: The template has the words before the cut, and not those that stay
      Given the conversation user "Port it.\nNever push to main.\n- in two passes", 30 turns of 400, user "Write the handbook."
      And a model with window 24,000, answer 4,000
      When the conversation is compacted without a model
      Then the new conversation has "Never push to main." once
      And the new conversation has "Write the handbook." once

    Scenario Outline: A model's summary is followed by the messages that it does not quote
      Given the conversation user "Port it.\nNever push to main.\n- in two passes", 30 turns of 400, user "Write the handbook."
      And a model with window 24,000, answer 4,000
      When a model that says "<summary>" summarizes the conversation
      Then the new conversation has "Never push to main." once
      And the new conversation has "Write the handbook." once

      Examples:
        | description                 | summary                                                              |
        | it says nothing             | All went well so far.                                                |
        | it quotes the first message | The user wrote:\nPort it.\nNever push to main.\n- in two passes\nOk. |
