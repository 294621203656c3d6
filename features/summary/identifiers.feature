Feature: Identifiers
  What leaves a conversation is not gone: it can be searched, in the conversation's memory or in the log of its session.
  A search needs a word to look for, and the words that find something are exact ones: a path with its line, the name of
  an error, a commit, the number of a ticket. A summary in prose has few of them. So each summary ends with an index of
  the identifiers of what left. No model is asked for it.

  Turns are counted from 1. In the examples all turns but the last leave. Each turn ends with a long answer, which names
  nothing.

  @REC_02
  Rule: A summary ends with the identifiers of what left, each in the row of its kind
    Source: brim, after a public measurement in which a short tail, the user's messages, an index of identifiers and a search
    recalled 68.3% of facts with 49,000 tokens kept, and a tail of 162,000 tokens 45.8% (NousResearch/hermes-agent#87326).

    Scenario Outline: An identifier is listed by its sort
      Given 4 turns with long answers
      And the model said "See <word> once more." in turn 2
      When a model summarizes
      Then the index is "<row>"

      Examples:
        | description            | word                            | row                                   |
        | the name of an error   | json.JSONDecodeError            | errors and ids: json.JSONDecodeError  |
        | a ticket               | SHOP-1234                       | errors and ids: SHOP-1234             |
        | a pull request         | acme/shop#77                    | errors and ids: acme/shop#77          |
        | a version              | v2.14.3                         | errors and ids: v2.14.3               |
        | a link and a full stop | https://example.com/a/b?page=2. | links: https://example.com/a/b?page=2 |
        | a path with its line   | src/cart.py:42                  | paths: src/cart.py:42                 |
        | a name of two words    | apply_discount                  | symbols: apply_discount               |

      Examples: The head of a diff is read without what it has beside the file
        | description | word                                                                       | row            |
        | a new file  | it:\ndiff --git a/cart.py b/cart.py\n--- /dev/null\n+++ b/cart.py\nand | paths: cart.py |

      Examples: A word that names nothing is not listed
        | description                     | word         | row |
        | a word of prose                 | afterwards   |     |
        | a number that the model chose   | 4711         |     |

    Scenario Outline: Of a tool's output the first and the last 8,000 characters are read
      Given 4 turns with long answers
      And <speaker> said "(<before> characters)\nSHOP-1234\n(<after> characters)" in turn 2
      When a model summarizes
      Then the index is "<row>"

      Examples: A word that is cut, and a line that is cut at the end, are not read
        | description         | speaker       | before | after  | row                       |
        | at its beginning    | a tool        | 7,990  | 15,990 | errors and ids: SHOP-1234 |
        | in its middle       | a tool        | 9,000  | 9,000  |                           |
        | at its end          | a tool        | 15,990 | 7,989  | errors and ids: SHOP-1234 |
        | of the model        | the model     | 9,000  | 9,000  | errors and ids: SHOP-1234 |

    Scenario Outline: A number of at least three digits is listed where the user gave it
      Given 4 turns with long answers
      And the user said "Order <number> again." in turn 2
      And the user's other messages take the room for words
      When a model summarizes
      Then the index is "<index>"

      Examples:
        | description  | number | index               |
        | two digits   | 47     |                     |
        | three digits | 471    | errors and ids: 471 |

    Scenario Outline: Each way to summarize ends with the index
      Given 4 turns with long answers
      And the model said "See src/cart.py:42 and SHOP-1234." in turn 2
      When <writer> summarizes
      Then the heading is "Identifiers of what left, most used first:"
      And the index is "errors and ids: SHOP-1234, paths: src/cart.py:42"

      Examples:
        | description | writer       |
        | a model     | a model      |
        | no model    | the template |

  @REC_02
  Rule: Where the model can recall, the index tells the turns of each identifier
    Source: brim (REC_01): recall finds a passage by its turn too. Where nothing can be recalled, a number of a turn says
    nothing, and its room is for more identifiers.

    Scenario Outline: The turns are named in short: of many stretches the first and the newest
      Given 12 turns with long answers
      And the model said "See src/cart.py:42." in turns <turns>
      And the settings recall on
      When a model summarizes
      Then the index is "paths: src/cart.py:42 (<named>)"

      Examples:
        | description     | turns      | named     |
        | two             | 1, 3       | 1, 3      |
        | three in a row  | 4, 5, 6    | 4-6       |
        | three stretches | 1, 3, 5, 6 | 1, …, 5-6 |

  @REC_02
  Rule: The last row has the commands that the model ran last, in a quarter of the room
    Source: brim; what an agent runs it runs again, as it was. On recorded sessions each of the 35 commands that an agent
    typed again stands there or is kept, and 24 of them before (decision 0218).

    Scenario Outline: A command of one line is listed whole, but for a change of folder before it, once, in the order of the last runs
      Given 4 turns with long answers
      And the model ran "<first>" in turns <turns>
      And the model ran "<second>" in turn 3
      And the settings index share 0.5
      When a model summarizes
      Then the index is "commands run last: <listed>"

      Examples: A message that is kept shows the command of turn 4
        | description           | first                    | turns | second                  | listed                                |
        | two                   | make test                | 2     | make docs               | `make test`, `make docs`              |
        | one of them again     | make docs                | 1, 2  | make test               | `make docs`, `make test`              |
        | in another folder     | cd shop && make test     | 2     | make test               | `make test`                           |
        | of 301 characters     | (296 characters) test    | 2     | make docs               | `make docs`                           |
        | a password            | mysql -u me -phunter_2ab | 2     | make docs               | `make docs`                           |

    Scenario: Where there is not room for all, the newest are listed
      Given 12 turns with long answers
      And the model ran "make step-1 (200 characters)" in turn 2
      And the model ran "make step-2 (200 characters)" in turn 3
      And the settings index share 0.1
      When a model summarizes
      Then the index is "commands run last: `make step-2 …"

  @REC_02
  Rule: An identifier that the new conversation shows anyway is not listed
    Source: brim; a word in the summary or in a kept message costs its tokens once.

    Scenario Outline: An identifier is listed where nothing else tells it
      Given 4 turns with long answers
      And the model said "See src/cart.py:42 and lib/total.py:7." in turn 2
      And the model said "I looked at <kept>." in turn 4
      When a model that says "I looked at <summary>." summarizes
      Then the index is "paths: <listed>"

      Examples:
        | description                  | kept           | summary                            | listed                         |
        | nothing tells of it          | the files      | the files                          | lib/total.py:7, src/cart.py:42 |
        | the summary tells one        | the files      | src/cart.py:42                     | lib/total.py:7                 |
        | it tells a longer one        | the files      | src/cart.py:421                    | lib/total.py:7, src/cart.py:42 |
        | a message that is kept does  | lib/total.py:7 | the files                          | src/cart.py:42                 |

    Scenario Outline: A path that a listed one ends with is not listed
      Given 4 turns with long answers
      And the model said "See <first> and <second>." in turn 2
      When a model summarizes
      Then the index is "paths: <listed>"

      Examples:
        | description              | first                | second           | listed                              |
        | fewer folders            | app/shop/cart.py     | shop/cart.py     | app/shop/cart.py                    |
        | the end without its line | app/shop/cart.py:42  | cart.py          | app/shop/cart.py:42                 |
        | another line             | app/shop/cart.py:42  | shop/cart.py:7   | app/shop/cart.py:42, shop/cart.py:7 |

    Scenario Outline: A path below a folder is shortened to its name only where something else names the folder
      Given 4 turns with long answers
      And the model said "See <paths>." in turn 2
      When a model that says "I looked at cart.py:42." summarizes
      Then the index is "<rows>"

      Examples:
        | description                   | paths                                                                                   | rows                                                                                                     |
        | nothing names the folder      | /work/app/src/cart.py:42 and /work/app/src/total.py:7                                   | paths (paths below /work/app/src): cart.py:42, total.py:7                                                |
        | another path begins elsewhere | /work/app/src/cart.py:42, /work/app/src/total.py:7 and cmd/shop/main.go:3 for SHOP-1234 | errors and ids: SHOP-1234, paths (paths below /work/app/src): cart.py:42, total.py:7, paths: cmd/shop/main.go:3 |

  @REC_02
  Rule: The index takes at most two fifths of the summary; identifiers that the user named come first, then those of failures, of the model, of outputs
    Source: brim; what the user named, then what failures named, then what the model worked with, weighs more than what an
    output listed. What is in half of all messages is met in any case. On recorded sessions two fifths have more of what
    agents wrote next than a tenth has (decision 0218).

    Scenario Outline: The weightier of two is listed where there is room for one
      Given 20 turns with long answers
      And <first> said "See SHOP-1111." in turns <turns of first>
      And <second> said "See SHOP-2222." in turns <turns of second>
      And the user's other messages take the room for words
      And the settings index share 0.005, summary share 0.1
      When a model summarizes
      Then the index is "errors and ids: SHOP-2222"

      Examples: Who named it
        | description                | first         | turns of first | second        | turns of second |
        | a failure before the model | the model     | 3, 4           | a failed tool | 2               |
        | the user before a failure  | a failed tool | 3              | the user      | 2               |

      Examples: How often
        | description                  | first     | turns of first                            | second    | turns of second |
        | several before nearly always | a tool    | 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 | a tool    | 2, 5, 9, 12     |

    Scenario: Two fifths are the share of the index that nobody set
      Given 12 turns with long answers
      And the model named 800 tickets in each turn but the last
      And the settings summary share 0.1
      When a model summarizes
      Then the characters are from 6,360 to 6,400

    Scenario Outline: The index holds to its share of the summary, which has 16,000 characters at most
      Given 12 turns with long answers
      And the model named 800 tickets in each turn but the last
      And the settings index share <share>, summary share 0.1
      When <writer> summarizes
      Then the characters are from <least> to <most>

      Examples: A half is the largest share
        | description | share | writer       | least | most  |
        | no index    | 0     | a model      | 0     | 0     |
        | a half      | 0.5   | a model      | 6,000 | 8,000 |
        | no index    | 0     | the template | 0     | 0     |

  @REC_02
  Rule: Identifiers are known from compaction to compaction, and what was found before adds up with what is found now
    Source: brim (0218); like the facts (SUM_09) they are data beside the messages, and none is read from a summary's text.

    Scenario Outline: Each compaction lists what all before it found
      Given 3 turns with long answers
      And a tool said "See SHOP-1234." in turn 2
      And the settings recall on
      When <writer> summarizes them <count> times, each time anew behind the summary before
      Then the index is "errors and ids: SHOP-1234 (<turns>)"

      Examples:
        | description     | count | writer       | turns    |
        | twenty times    | 20    | a model      | 2, …, 59 |
        | by the template | 20    | the template | 2, …, 59 |

  @REC_02
  Rule: What may be a secret is not listed
    Source: brim; a summary is shown, stored and sent to a model, and an index of exact values must not collect keys.

    Scenario Outline: A key, a token and a password stay out
      Given 4 turns with long answers
      And the model said "<text>" in turn 2
      When a model summarizes
      Then the index is "<row>"

      Examples: Known by their form, or called one by the text
        | description            | text                                                | row |
        | a key of a provider    | Use sk-ant-api03-Ab3dEf6hIj9kLm2n here.             |     |
        | one of no known form   | Use Zx8kQ2mV7tR4wL9pN3sB6yD1 here.                  |     |
        | a password             | The password: hunter_2a                             |     |
        | an option              | Run mysql -u me -pabc_def_ghi                       |     |

      Examples: What is none is listed
        | description          | text                                                        | row                                     |
        | before a link's key  | Get https://example.com/a?key=Zx8kQ2mV7tR4wL9pN3sB6yD1 now. | links: https://example.com/a            |
        | a variable for a key | Use OPENROUTER_API_KEY here.                                | symbols: OPENROUTER_API_KEY             |

    Scenario Outline: A value behind an ambiguous name, such as token, is a secret if it has a digit or the user wrote it
      Given 4 turns with long answers
      And <speaker> said "<text>" in turn 2
      And the user's other messages take the room for words
      When a model summarizes
      Then the index is "<row>"

      Examples:
        | description             | speaker   | text                            | row                 |
        | the model, no digit     | the model | Here is token = next_token.     | symbols: next_token |
        | the model, a digit      | the model | Here is token = next_toke1.     |                     |
        | the user, no digit      | the user  | Here is token = next_token.     |                     |
