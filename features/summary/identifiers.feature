Feature: Identifiers
  What leaves a conversation is not gone: it can be searched, in the conversation's memory or in the log of its session.
  A search needs a word to look for, and the words that find something are exact ones: a path with its line, the name of
  an error, a commit, the number of a ticket. A summary in prose has few of them. So each summary ends with an index of
  the identifiers of what left, with the turns they come from. No model is asked for it.

  @REC_02
  Rule: A summary ends with the identifiers of what left, a row for each sort, with the turns they come from
    Source: brim, after a public measurement in which a short tail, the user's messages, an index of identifiers and a search
    recalled 68.3% of facts with 49,000 tokens kept, and a tail of 162,000 tokens 45.8% (NousResearch/hermes-agent#87326).

    Scenario Outline: An identifier is listed by its sort
      Given a conversation of 4 turns with long answers
      And the model said "See <word> once more." in turn 2
      When all turns but the last are summarized by a model
      Then the index has the row "<row>"

      Examples: Errors, tickets, commits, links
        | description          | word                                     | row                                               |
        | the name of an error | json.JSONDecodeError                     | errors: json.JSONDecodeError                      |
        | an error of a system | ENOENT                                   | errors: ENOENT                                    |
        | an error of a tool   | TS2345                                   | errors: TS2345                                    |
        | a ticket             | SHOP-1234                                | tickets: SHOP-1234                                |
        | behind a line break  | the\nSHOP-1234                           | tickets: SHOP-1234                                |
        | behind a tab of JSON | the\tSHOP-1234                           | tickets: SHOP-1234                                |
        | a pull request       | acme/shop#77                             | tickets: acme/shop#77                             |
        | a weakness           | CVE-2024-12345                           | tickets: CVE-2024-12345                           |
        | a short commit       | 3f9c2ab                                  | commits: 3f9c2ab                                  |
        | a whole commit       | 9fceb02d0ae598e95dc970b74767f19372d61af8 | commits: 9fceb02d0ae598e95dc970b74767f19372d61af8 |
        | a link               | https://example.com/a/b?page=2           | links: https://example.com/a/b?page=2             |
        | a link and a full stop | https://example.com/a/b?page=2.        | links: https://example.com/a/b?page=2             |

      Examples: Values, versions, paths, symbols
        | description          | word                                 | row                                                   |
        | an id                | 6c0a282a-886f-458d-a426-93d95104b4a6 | ids and numbers: 6c0a282a-886f-458d-a426-93d95104b4a6 |
        | an address           | localhost:8080                       | ids and numbers: localhost:8080                       |
        | a version            | v2.14.3                              | versions: v2.14.3                                     |
        | a package's version  | requests==2.31.0                     | versions: requests==2.31.0                            |
        | a path               | src/shop/cart                        | paths: src/shop/cart                                  |
        | a path with its line | src/cart.py:42                       | paths: src/cart.py:42                                 |
        | a path from the root | /usr/bin                             | paths: /usr/bin                                       |
        | a path from home     | ~/notes                              | paths: ~/notes                                        |
        | a path from here     | ./shop/cart                          | paths: ./shop/cart                                    |
        | a path of Windows    | C:\shop\cart.py                      | paths: C:\shop\cart.py                                |
        | one that says \t     | C:\tools\cart.py                     | paths: C:\tools\cart.py                               |
        | a test               | tests/cart.py::test_total            | paths: tests/cart.py::test_total                      |
        | a name of two words  | apply_discount                       | symbols: apply_discount                               |
        | a method             | Cart.applyDiscount                   | symbols: Cart.applyDiscount                           |
        | a check              | require.NoError                      | symbols: require.NoError                              |

    Scenario Outline: A word that names nothing is not listed
      Given a conversation of 4 turns with long answers
      And the model said "See <word> once more." in turn 2
      When all turns but the last are summarized by a model
      Then the summary has no index

      Examples:
        | description                     | word       |
        | a word of prose                 | afterwards |
        | two words with a slash          | and/or     |
        | two others                      | read/write |
        | one name behind a slash         | /compact   |
        | a module beside this one        | ./cart     |
        | a module above this one         | ../shop/cart |
        | a tag                           | </title>   |
        | the name of a standard          | UTF-8      |
        | letters that may be hexadecimal | defaced    |
        | a number that the model chose   | 4711       |
        | a product                       | GitHub     |
        | what a module imports           | ../types   |
        | a color                         | #424242    |
        | the type of a file's content    | application/json |
        | an ending                       | .test.ts   |
        | an ending behind a slash        | /svg       |
        | the parts of a replacement      | /_/g       |
        | words to choose from            | either/or/both |
        | a tool of a harness             | str_replace |
        | a field of such a tool          | new_str    |
        | another                         | old_str    |
        | a commit for an example         | abc1234    |
        | another one                     | def5678    |
        | a path behind a command's output | $(pwd)/src/shop/cart.py |
        | a path behind a variable        | {ROOT}/build/cart.py |
        | a path before one               | src/shop/${NAME}.py |
        | a path with a space             | /Volumes/shop/Macintosh\ HD/cart.py |

    Scenario Outline: An identifier has at most 200 characters
      Given a conversation of 4 turns with long answers
      And the model said a name of <length> characters in turn 2
      When all turns but the last are summarized by a model
      Then the index names <count> identifiers

      Examples:
        | description | length | count |
        | one below   | 199    | 1     |
        | exactly     | 200    | 1     |
        | one above   | 201    | 0     |

    Scenario: A name of code that one output alone showed is not listed
      Given a conversation of 4 turns with long answers
      And a tool said "See apply_discount once more." in turn 2
      When all turns but the last are summarized by a model
      Then the summary has no index

    Scenario Outline: A name of code that is met again is listed, and any other identifier at once
      Given a conversation of 4 turns with long answers
      And a tool said "See <word> once more." in turns <turns>
      When all turns but the last are summarized by a model
      Then the index has the row "<row>"

      Examples:
        | description                | word           | turns | row                           |
        | a name in two outputs      | apply_discount | 2, 3  | symbols: apply_discount (2-3) |
        | a ticket in one            | SHOP-1234      | 2     | tickets: SHOP-1234            |

    Scenario: Each value that a call was given is looked at by itself
      Given a conversation of 4 turns with long answers
      And the model called a tool with "src/cart.py" and "lib/total.py" in turn 2
      When all turns but the last are summarized by a model
      Then the index has the row "paths: lib/total.py, src/cart.py"

    Scenario: A number is listed where the user gave it
      Given a conversation of 4 turns with long answers
      And the user said "Order 4711 again." in turn 2
      And the other messages of the user take the room for words
      When all turns but the last are summarized by a model
      Then the index has the row "ids and numbers: 4711"

    Scenario: What follows a summary without a prompt belongs to the turn that it continues
      Given a conversation of 4 turns with long answers behind a summary whose index names "SHOP-9999"
      And the model said "See SHOP-1234." before the first turn
      When all turns but the last are summarized by a model
      Then the index has the row "tickets: SHOP-1234"
      And the index begins "Identifiers of what left, most used first, all of turn 1:"

    Scenario Outline: The turns are named in short: of many stretches the first and the newest
      Given a conversation of 12 turns with long answers
      And the model said "See src/cart.py:42." in turns <turns>
      When all turns but the last are summarized by a model
      Then the index has the row "paths: src/cart.py:42 (<named>)"

      Examples:
        | description            | turns       | named     |
        | two                    | 1, 3        | 1, 3      |
        | three in a row         | 4, 5, 6     | 4-6       |
        | two stretches          | 1, 4, 5     | 1, 4-5    |
        | three stretches        | 1, 3, 5, 6  | 1, …, 5-6 |
        | four stretches         | 1, 3, 5, 8  | 1, …, 8   |

    Scenario Outline: Each way to summarize ends with the index, and what all comes from one turn has its number once
      Given a conversation of 4 turns with long answers
      And the model said "See src/cart.py:42 and SHOP-1234." in turn 2
      When all turns but the last are summarized by <writer>
      Then the summary ends
        """
        Identifiers of what left, most used first, all of turn 2:
        - tickets: SHOP-1234
        - paths: src/cart.py:42
        """

      Examples:
        | description | writer       |
        | a model     | a model      |
        | no model    | the template |

    Scenario: Output that was cleared is among what left
      Given a conversation of 4 turns with long answers
      And a tool said "See SHOP-1234." in turn 2
      When old output is cleared, and then all turns but the last are summarized by a model
      Then the index has the row "tickets: SHOP-1234"

  @REC_02
  Rule: What the new context says anyway is not listed
    Source: brim; a word in the summary or in a kept message costs its tokens once.

    Scenario Outline: An identifier is listed where nothing else tells it
      Given a conversation of 4 turns with long answers
      And the model said "See src/cart.py:42 and lib/total.py:7." in turn 2
      And the model said "I looked at <kept>." in turn 4
      When a model that says "I looked at <summary>." summarizes all turns but the last
      Then the index has the row "paths: <listed>"

      Examples:
        | description                  | kept           | summary         | listed                         |
        | nothing tells of it          | the files      | the files       | lib/total.py:7, src/cart.py:42 |
        | the summary tells one        | the files      | src/cart.py:42  | lib/total.py:7                 |
        | it tells a longer one        | the files      | src/cart.py:421 | lib/total.py:7, src/cart.py:42 |
        | it tells a longer one and it | the files      | src/cart.py:421 and src/cart.py:42 | lib/total.py:7 |
        | it tells it and a longer one | the files      | src/cart.py:42 and src/cart.py:421 | lib/total.py:7 |
        | a message that is kept does  | lib/total.py:7 | the files       | src/cart.py:42                 |

    Scenario Outline: A path that a listed one ends with is not listed
      Given a conversation of 4 turns with long answers
      And the model said "See <first> and <second>." in turn 2
      When all turns but the last are summarized by a model
      Then the index has the row "paths: <listed>"

      Examples:
        | description               | first                | second           | listed                             |
        | the end without its mark  | app/shop/cart.py#L42 | shop/cart.py     | app/shop/cart.py#L42               |
        | fewer folders             | app/shop/cart.py     | shop/cart.py     | app/shop/cart.py                   |
        | the name alone            | app/shop/cart.py     | cart.py          | app/shop/cart.py                   |
        | the end with its line     | app/shop/cart.py:42  | shop/cart.py:42  | app/shop/cart.py:42                |
        | the end without its line  | app/shop/cart.py:42  | cart.py          | app/shop/cart.py:42                |
        | another line              | app/shop/cart.py:42  | shop/cart.py:7   | app/shop/cart.py:42, shop/cart.py:7 |
        | another folder            | app/shop/cart.py     | old/shop/cart.py | app/shop/cart.py, old/shop/cart.py |

    Scenario: A path that is listed with its line is not listed without it
      Given a conversation of 4 turns with long answers
      And the model said "See app/shop/cart.py:42." in turns 2, 3
      And the model said "See app/shop/cart.py." in turn 2
      When all turns but the last are summarized by a model
      Then the index has the row "paths: app/shop/cart.py:42 (2-3)"

    Scenario: A name below a folder tells no path where nothing else names the folder
      Given a conversation of 4 turns with long answers
      And the model said "See /work/app/src/cart.py:42 and /work/app/src/total.py:7." in turn 2
      When a model that says "I looked at cart.py:42." summarizes all turns but the last
      Then the index has the row "paths (paths below /work/app/src): cart.py:42, total.py:7"

    Scenario: A path that begins in a folder that nothing names is in another row than those below a named one
      Given a conversation of 4 turns with long answers
      And the model said "See /work/app/src/cart.py:42, /work/app/src/total.py:7 and cmd/shop/main.go:3 for SHOP-1234." in turn 2
      When all turns but the last are summarized by a model
      Then the summary ends
        """
        Identifiers of what left, most used first, all of turn 2:
        - tickets: SHOP-1234
        - paths (paths below /work/app/src): cart.py:42, total.py:7
        - paths: cmd/shop/main.go:3
        """

  @REC_02
  Rule: The index takes at most a tenth of the summary; identifiers that the user named come first, then those of failures, of the model, of outputs
    Source: brim; what the user named, then what failures named, then what the model worked with, weighs more than what an
    output listed. What is in half of all messages is met in any case.

    Scenario Outline: The weightier of two is listed where there is room for one
      Given a conversation of 20 turns with long answers
      And <first> said "See SHOP-1111." in turns <turns of first>
      And <second> said "See SHOP-2222." in turns <turns of second>
      And the other messages of the user take the room for words
      And room for one identifier in the index
      When all turns but the last are summarized by a model
      Then the index names "SHOP-2222" alone

      Examples: Who named it
        | description                 | first         | turns of first | second        | turns of second |
        | the model before an output  | a tool        | 3, 4           | the model     | 2               |
        | a failure before the model  | the model     | 3, 4           | a failed tool | 2               |
        | the user before a failure   | a failed tool | 3              | the user      | 2               |

      Examples: How often
        | description                 | first     | turns of first                            | second    | turns of second |
        | several times before once   | the model | 3                                         | the model | 2, 5, 9, 12     |
        | several before nearly always | a tool   | 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 | a tool    | 2, 5, 9, 12     |

    Scenario Outline: Within a row what was used most comes first
      Given a conversation of 12 turns with long answers
      And the model said "See SHOP-1111." in turns <first>
      And the model said "See SHOP-2222." in turns <second>
      When all turns but the last are summarized by a model
      Then the index has the row "tickets: <listed>"

      Examples:
        | description | first   | second  | listed                         |
        | the first   | 1, 2, 3 | 5       | SHOP-1111 (1-3), SHOP-2222 (5) |
        | the second  | 1       | 5, 6, 7 | SHOP-2222 (5-7), SHOP-1111 (1) |

    Scenario Outline: The index holds to its share of the summary, which has 16,000 characters at most
      Given a conversation of 12 turns with long answers
      And a tool named 400 tickets in each turn but the last
      And a share of <share> for the index
      When all turns but the last are summarized by <writer>
      Then the index has between <least> and <most> characters

      Examples: A model
        | description | share | writer  | least | most  |
        | no index    | 0     | a model | 0     | 0     |
        | a tenth     | 0.1   | a model | 1,560 | 1,600 |
        | a fifth     | 0.2   | a model | 3,160 | 3,200 |

      Examples: No model
        | description | share | writer       | least | most  |
        | no index    | 0     | the template | 0     | 0     |
        | a tenth     | 0.1   | the template | 1,560 | 1,600 |

    Scenario: A sort takes half of the room at most while another one waits
      Given a conversation of 2 turns with long answers
      And a tool named 400 tickets in each turn but the last
      And a tool said "See json.JSONDecodeError." in turn 1
      When all turns but the last are summarized by a model
      Then the index has the row "errors: json.JSONDecodeError"

    Scenario Outline: A share that cannot work is refused
      When a policy with a share of <share> for the index is made
      Then it is refused: the share of the identifiers is <share>; it has to be from 0 to 0.5

      Examples:
        | description  | share |
        | below none   | -0.1  |
        | above a half | 0.51  |

    Scenario: A half is the largest share
      Given a conversation of 12 turns with long answers
      And a tool named 400 tickets in each turn but the last
      And a share of 0.5 for the index
      When all turns but the last are summarized by a model
      Then the index has between 6,000 and 8,000 characters

  @REC_02
  Rule: Identifiers are known from compaction to compaction, and what was found before adds up with what is found now
    Source: brim (0133); like the facts (SUM_09) they are data beside the messages, and none is read from a summary's text.

    Scenario Outline: Each compaction lists what all before it found
      Given a conversation that goes on for 3 turns after each compaction, and a tool says "See SHOP-1234." in the second
      When it is compacted <count> times by <writer>, and kept in <keeper>
      Then the summary has one index, with the row "tickets: SHOP-1234 (<turns>)"

      Examples: However often
        | description     | count | writer       | keeper                 | turns    |
        | twice           | 2     | a model      | the compactor's memory | 2, 5     |
        | three times     | 3     | a model      | the compactor's memory | 2, …, 8  |
        | twenty times    | 20    | a model      | the compactor's memory | 2, …, 59 |
        | by the template | 20    | the template | the compactor's memory | 2, …, 59 |

      Examples: Wherever
        | description     | count | writer       | keeper                   | turns    |
        | an engine       | 20    | a model      | an engine's conversation | 2, …, 59 |
        | a session       | 20    | a model      | a session                | 2, …, 59 |

    Scenario: Without what was known the earlier summary is text, in which nothing is counted
      Given a conversation of 4 turns with long answers behind a summary whose index names "SHOP-9999"
      And a tool said "See SHOP-1234." in turn 2
      When all turns but the last are summarized by the template
      Then the index has the row "tickets: SHOP-1234"
      And the summary carries "- tickets: SHOP-9999" as text

  @REC_02
  Rule: What may be a secret is not listed
    Source: brim; a summary is shown, stored and sent to a model, and an index of exact values must not collect keys.

    Scenario Outline: A key, a token and a password stay out
      Given a conversation of 4 turns with long answers
      And the model said "<text>" in turn 2
      When all turns but the last are summarized by a model
      Then the summary has no index

      Examples: Known by their form
        | description            | text                                               |
        | a key of a provider    | Use sk-ant-api03-Ab3dEf6hIj9kLm2n here.            |
        | a token of GitHub      | Use ghp_16C7e42F292c6912E7710c838347Ae178B4a here. |
        | a key of a cloud       | Use AKIAIOSFODNN7EXAMPLE here.                     |
        | a signed token         | Use eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.c2lnbmVk here.   |
        | one of no known form   | Use Zx8kQ2mV7tR4wL9pN3sB6yD1 here.                 |
        | a hexadecimal key      | Use 0123456789abcdef0123456789abcdef here.         |
        | a link with a password | Use https://me:hunter_2@example.com/db here.       |
        | a key in a link's path | Use https://example.com/in/Zx8kQ2mV7tR4wL9pN3sB6yD1 here. |
        | a webhook of Slack     | Use https://hooks.slack.com/services/T00/B00/abcdef here. |
        | a webhook of Discord   | Use https://discord.com/api/webhooks/1234/abcdef here. |
        | a header's value       | Send Bearer abc_defghij_klmno now.                 |
        | a private key          | -----BEGIN RSA PRIVATE KEY----- MIIEow/kLm/abcdefghijkl -----END RSA PRIVATE KEY----- |
        | a private key cut off  | -----BEGIN PRIVATE KEY----- MIIEow/kLm/abcdefghijkl |

      Examples: Called one by the text
        | description | text                            |
        | a password  | The password: hunter_2a         |
        | a variable  | Set DB_PASSWORD=hunter_2a first |
        | a token     | Set token = 3f9c2ab1            |
        | a header    | Authorization: Bearer 3f9c2ab1d |
        | a header of letters | x-api-key: abc_def_ghi  |
        | a passcode  | The passcode is abc_def_ghi     |
        | in short    | Set DB_PWD=abc_def_ghi first    |
        | an option   | Run mysql -u me -pabc_def_ghi   |
        | another     | Set AUTH=abc_def1 first         |

    Scenario: Of a link with a key the part before the key is listed
      Given a conversation of 4 turns with long answers
      And the model said "Get https://example.com/a?key=Zx8kQ2mV7tR4wL9pN3sB6yD1 now." in turn 2
      When all turns but the last are summarized by a model
      Then the index has the row "links: https://example.com/a"

    Scenario Outline: A long name is no secret
      Given a conversation of 4 turns with long answers
      And the model said "Use <word> here." in turn 2
      When all turns but the last are summarized by a model
      Then the index has the row "symbols: <word>"

      Examples:
        | description          | word                           |
        | with a number        | BenchmarkWriteGradientChained2 |
        | a variable for a key | OPENROUTER_API_KEY             |

    Scenario Outline: A value behind an ambiguous name, such as token, is a secret if it has a digit or the user wrote it
      Given a conversation of 4 turns with long answers
      And <speaker> said "<text>" in turn 2
      And the other messages of the user take the room for words
      When all turns but the last are summarized by a model
      Then the index names <count> identifiers

      Examples:
        | description            | speaker   | text                        | count |
        | the model, no digit    | the model | Here is token = next_token. | 1     |
        | the model, a digit     | the model | Here is token = next_toke1. | 0     |
        | the user, no digit     | the user  | Here is token = next_token. | 0     |
        | a password that is read | the model | Here is password = read_line(). | 1 |
