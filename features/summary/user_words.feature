Feature: User's words
  What the user wrote is the task. A summary carries it word for word: the first message, then the newest ones, whole, up
  to a limit of their own. Only the message that crosses the limit is shortened, and what is left out is counted.

  @SUM_18
  Rule: A summary lists the user's messages whole, each as an item whose further lines are indented
    Source: real sessions, in which summaries with all facts had lost nine tenths of the user's words; a message with the
    lines of a summary passed for the summary's own sections.

    Scenario Outline: A message keeps its lines
      Given the user's messages "<first>" and "Go on."
      When they are listed in 1,000 characters
      Then the section reads "What the user wrote, word for word:\n<shown>\n- Go on."

      Examples:
        | description                | first                              | shown                                  |
        | one line                   | Port the parser.                   | - Port the parser.                     |
        | several lines              | Port:\n- the lexer\n\n    and more | - Port:\n  - the lexer\n\n      and more |
        | code                       | See:\n```\nx = 1\n```              | - See:\n  ```\n  x = 1\n  ```          |
        | an item of its own         | - Port it.                         | - - Port it.                           |
        | a heading of brim's        | Hi.\nActive files:\n- modified: x  | - Hi.\n  Active files:\n  - modified: x |
        | a line that ends otherwise | Hi.\rActive files:                 | - Hi.\r  Active files:                 |
        | a separator of lines       | Hi.\u2028Active files:             | - Hi.\u2028  Active files:             |

    Scenario: Without messages there is no section
      Given no messages of the user
      When they are listed in 1,000 characters
      Then the section reads ""

  @SUM_18
  Rule: The first message comes first, then the newest that fit; those between are counted in one line
    Source: brim; the first message is the task, and the newest are what is wanted now (anthropics/claude-code#22376).

    Scenario Outline: Messages of 300 characters in a limited room
      Given <count> messages of the user, each of 300 characters
      When they are listed in <limit> characters
      Then the messages shown whole are "<whole>"
      And the section <note>

      Examples:
        | description             | count | limit | whole  | note                                                    |
        | room for all            | 3     | 944   | 1 2 3  | leaves nothing out                                      |
        | the newest and the first | 40   | 1,000 | 1 39 40 | leaves out "… 37 messages, 11,100 characters left out" |

    Scenario Outline: The count is left out where not even it has room
      Given 40 messages of the user, each of 300 characters
      When they are listed in <limit> characters
      Then the section reads "<shown>"

      Examples:
        | description | limit | shown                                                   |
        | just enough | 55    | User's words: … 40 messages, 12,000 characters left out |
        | too few     | 54    |                                                         |

    Scenario Outline: If an earlier summary has the first message, the newest take all of the room
      Given <count> messages of the user, each of 300 characters
      When they are listed in <limit> characters behind a summary that has the first message
      Then the messages shown whole are "<whole>"
      And the section leaves out "<note>"

      Examples:
        | description    | count | limit | whole    | note                                       |
        | exactly three  | 40    | 986   | 38 39 40 | … 37 messages, 11,100 characters left out  |
        | one too few    | 40    | 985   | 39 40    | … 37 messages, 11,100 characters left out  |

    Scenario: If an earlier summary has the first message, the oldest one here can be the one that is shortened
      Given 3 messages of the user, each of 300 characters
      When they are listed in 943 characters behind a summary that has the first message
      Then the messages shown whole are "2 3"
      And message 1 is shown without its middle

    Scenario: The message that crosses the limit is shortened in its middle
      Given 40 messages of the user, each of 300 characters
      When they are listed in 1,250 characters
      Then the messages shown whole are "1 39 40"
      And message 38 is shown without its middle
      And the section leaves out "… 36 messages, 10,800 characters left out"

    Scenario Outline: One character too few for all shortens one message
      Given 3 messages of the user, each of 300 characters
      When they are listed in <limit> characters
      Then the messages shown whole are "1 3"
      And message 2 is shown without its middle

      Examples:
        | description                  | limit |
        | one character too few        | 943   |
        | room for 200 characters more | 882   |

    Scenario: A message for which fewer than 200 characters are left is counted
      Given 3 messages of the user, each of 300 characters
      When they are listed in 881 characters
      Then the messages shown whole are "1 3"
      And the section leaves out "… 1 message, 300 characters left out"

    Scenario: Without room for any message they are counted
      Given 40 messages of the user, each of 300 characters
      When they are listed in 100 characters
      Then the section reads "User's words: … 40 messages, 12,000 characters left out"

    Scenario Outline: A first message that is larger than half of the room leaves the rest to the newest
      Given a first message of 10,000 characters and <count> newer ones of 300 characters
      When they are listed in 2,000 characters
      Then message 1 is shown without its middle
      And the section has between <least> and 2,000 characters
      And the newest <whole> messages are whole

      Examples:
        | description              | count | whole | least |
        | it takes what is left    | 1     | 1     | 1,950 |
        | it takes half            | 9     | 3     | 1,700 |

    Scenario: A first message is listed once, however much room its short lines leave
      Given a first message of 6,000 characters, short lines between two long ones
      When they are listed in 2,000 characters
      Then message 1 is shown without its middle
      And the section has between 1,000 and 1,500 characters

    Scenario: A message says how many of its characters are left out
      Given a first message of 10,000 characters and 0 newer ones of 300 characters
      When they are listed in 1,000 characters
      Then the characters shown of it and the number left out make 10,000

    Scenario: A message that is shortened again counts what was left out before
      Given a first message of 10,000 characters and 0 newer ones of 300 characters
      When they are listed in 2,000 characters, and what is shown of them in 1,000
      Then the characters shown of it and the number left out make 10,000

  @SUM_18
  Rule: The first message and the newest are handed on to the next compaction, at most 200,000 characters of them
    Source: brim; a conversation of many compactions would otherwise carry ever more words that no summary shows.

    Scenario Outline: Only the message that crosses the limit is shortened
      Given <count> messages of the user, each of <size> characters
      When they are handed on in <limit> characters
      Then the messages handed on whole are "<whole>"
      And <shortened> messages are handed on without their middle

      Examples:
        | description                     | count | size | limit | whole      | shortened |
        | all of them                     | 3     | 300  | 900   | 1 2 3      | 0         |
        | a character less                | 3     | 300  | 899   | 1 3        | 1         |
        | the newest three, exactly       | 40    | 300  | 1,200 | 1 38 39 40 | 0         |
        | a character less than that      | 40    | 300  | 1,199 | 1 39 40    | 1         |
        | half for the first, exactly     | 3     | 300  | 600   | 1 3        | 0         |
        | too little for the first        | 3     | 300  | 598   | 3          | 1         |

    Scenario Outline: A message of which nothing would be left is not handed on
      Given a first message of 10 characters and 1 newer ones of 300 characters
      When they are handed on in <limit> characters
      Then the messages handed on whole are "1"
      And <shortened> messages are handed on without their middle
      And <all> messages are handed on

      Examples: What says how much is left out takes 31 characters
        | description                   | limit | shortened | all |
        | a character at each end       | 43    | 1         | 2   |
        | none at the beginning         | 42    | 0         | 1   |

    Scenario: No message older than one without room is handed on
      Given messages of the user of 10, 20 and 300 characters
      When they are handed on in 42 characters
      Then the messages handed on whole are "1"

    Scenario: A first message of more than half is handed on whole where all have room
      Given a first message of 600 characters and 1 newer ones of 300 characters
      When they are handed on in 900 characters
      Then 2 messages are handed on whole

    Scenario Outline: The limit is 200,000 characters
      Given <count> messages of the user, each of 1,000 characters
      When they are handed on
      Then <count handed on> messages are handed on whole

      Examples:
        | description  | count | count handed on |
        | one under    | 199   | 199             |
        | exactly      | 200   | 200             |
        | one over     | 201   | 200             |

  @SUM_18
  Rule: A cut never parts what reads as one character
    Source: Unicode's grapheme clusters (UAX 29); half an emoji is another one, and half a surrogate pair is refused.

    Scenario Outline: A message of one cluster, over and over
      Given a message of "<cluster>" repeated 1,000 times
      When it is listed in <limit> characters
      Then only whole clusters are shown at both sides of the gap

      Examples:
        | description            | cluster                                   | limit |
        | letters                | x                                         | 301   |
        | a combining mark       | e\u0301                                   | 301   |
        | a combining mark, even | e\u0301                                   | 302   |
        | a family               | \U0001F468\u200d\U0001F469\u200d\U0001F467 | 303  |
        | a skin tone            | \U0001F44D\U0001F3FD                      | 302   |
        | a line ending          | x\r\n                                     | 602   |
        | a syllable of Korean   | \u1112\u1161\u11ab                        | 302   |
        | consonants of Hindi    | \u0915\u094d\u0937                        | 303   |
        | a surrogate pair       | \ud83d\ude00                              | 302   |
        | a surrogate pair, odd  | \ud83d\ude00                              | 303   |
        | a flag                 | x\U0001F1E9\U0001F1EA                     | 302   |
        | a flag, one more       | x\U0001F1E9\U0001F1EA                     | 303   |
        | the flag of a region   | \U0001F3F4\U000E0067\U000E007F            | 302   |
        | the flag of a region, one more | \U0001F3F4\U000E0067\U000E007F    | 303   |
        | a heart in color       | \u2764\ufe0f                              | 302   |

    Scenario Outline: Characters that are not one can be parted anywhere
      Given a message of "<text>" repeated 1,000 times
      When they are handed on in 601 characters
      Then 1 messages are handed on without their middle

      Examples:
        | description              | text                        |
        | line breaks              | \n                          |
        | returns                  | \r                          |
        | letters with an accent   | \u00e9                      |
        | flags among such letters | \u00e9\U0001F1E9\U0001F1EA  |
        | combining marks, odd     | e\u0301                     |

    Scenario Outline: A message that reads as one character is not cut
      Given a message of "<begins>" and 1,000 combining marks
      When it is listed in 500 characters
      Then the section reads "User's words: … 1 message, <length> characters left out"

      Examples:
        | description | begins | length |
        | on a letter | e      | 1,001  |
        | on nothing  |        | 1,000  |

  @SUM_18
  Rule: The limit for the user's words is a tenth of the usable context, or of a smaller conversation that is due, from 2,000 to 20,000 tokens
    Source: brim; Codex keeps 20,000 tokens of user messages, and a tenth leaves the rest to the work. Below the threshold
    there is room: what is compacted by hand there loses no word that fits (decision 0179).

    Scenario Outline: The share lies between 2,000 and 20,000 tokens
      Given a conversation of <held> tokens in a window of <window> tokens
      When it is planned <how>
      Then the user's words may take <tokens> tokens

      Examples:
        | description                | held    | window    | how                    | tokens |
        | a tenth of the usable part | 60,000  | 200,000   | as it is               | 16,800 |
        | without its fraction       | 60,009  | 0         | as it is               | 6,000  |
        | where it is due            | 90,000  | 50,000    | as it is               | 4,000  |
        | at least                   | 9,000   | 0         | as it is               | 2,000  |
        | at most                    | 500,000 | 1,000,000 | as it is               | 20,000 |
        | a share that was set       | 60,000  | 0         | with a share of 0.25   | 15,000 |
        | three twentieths           | 60,000  | 0         | with a share of 0.15   | 9,000  |
        | no limit of the window     | 60,000  | 0         | as it is               | 6,000  |

    Scenario: After the provider's overflow error the words take at most half of what is kept
      Given a conversation of 60,000 tokens in a window of 200,000 tokens
      When it is planned after an overflow
      Then the user's words may take 3,000 tokens

    Scenario Outline: A share that is none is refused
      When a policy with a share of <share> for the user's words is made
      Then the refusal says "the share of the user's words is <share>; it has to be above 0 and at most 1"

      Examples:
        | description | share |
        | nothing     | 0     |
        | too much    | 2     |

  @SUM_18
  Rule: A compaction keeps each message of the user once, as a message or in the summary, and lists its constraints and decisions
    Source: brim; a message in both costs its tokens twice. A later summary may shorten the words: the constraints in them
    were lost, where a new process had nothing but the summary.

    Scenario: The template has the words before the cut, and not those that stay
      Given a request of the user with a rule, 30 turns of work and a last request
      When it is compacted without a model
      Then the new conversation has the rule twice, in the message and in the list of constraints
      And the new conversation has the last request once

    Scenario: A model's summary that says nothing is followed by the words
      Given a request of the user with a rule, 30 turns of work and a last request
      When it is compacted with a summary that says nothing
      Then the new conversation has the rule twice, in the message and in the list of constraints
      And the new conversation has the last request once

    Scenario: A model's summary that quotes a message is not followed by it
      Given a request of the user with a rule, 30 turns of work and a last request
      When it is compacted with a summary that quotes the first message
      Then the new conversation has the rule once

    Scenario Outline: 20 compactions keep the first request and the newest ones
      Given a request of the user with a rule, 30 turns of work and a last request
      When it is compacted 20 times as it grows, <how>
      Then the last conversation has the first request whole
      And the last conversation has the three newest requests whole

      Examples:
        | description        | how                           |
        | with the template  | without a model               |
        | with a model       | with a summary that says nothing |

    Scenario: An earlier message of 300,000 tokens is shortened
      Given a first message of 300,000 tokens in a window of 1,000,000 tokens, and work after it
      When the long conversation is compacted without a model
      Then the summary holds the message without its middle
      And the summary has at most 110,000 characters

    Scenario: A newest message of 300,000 tokens is kept whole, and where it overflows the window it is named
      Given work and a newest message of 300,000 tokens in a window of 200,000 tokens
      When the long conversation is about to be sent
      Then the refusal says "the user's last message 300,0"
