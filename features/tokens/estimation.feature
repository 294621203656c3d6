Feature: Estimation
  Between two responses nobody has counted the tokens, and no public tokenizer fits every
  model. Characters are counted instead: an estimate that costs nothing and is put right by the next
  response. Four to a token fits some models and reads far too low on others, which is why
  a model's own ratio is learned as soon as its responses show one (TOK_09).

  @TOK_06
  Rule: Without a token counter, 4 characters are a token, rounded up
    Source: the estimator of the roadmap (S2, section 10), which rounds up, and the character-based
    estimate that is used if counting fails (S3). A tool call counts its name and its input
    as compact JSON. OpenCode's own estimator rounds half up, and can be chosen by name.

    A caller can name another number of characters for an estimate or for a window. A compactor begins with four and
    learns the ratio of its model.

    @portable
    Scenario Outline: The length of a text gives its estimate
      Given a text of <count> characters
      When its tokens are estimated
      Then they are estimated at <tokens>

      Examples:
        | description         | count   | tokens |
        | empty               | 0       | 0      |
        | a single character  | 1       | 1      |
        | one under a token   | 3       | 1      |
        | exactly a token     | 4       | 1      |
        | one over            | 5       | 2      |
        | a long tool output  | 100,001 | 25,001 |

    @portable
    Scenario Outline: A character is a Unicode code point
      Given the text "<text>"
      When its tokens are estimated
      Then they are estimated at <tokens>

      Examples:
        | description                  | text      | tokens |
        | four ideographs              | 要約する  | 1      |
        | five pictures                | 🙂🙂🙂🙂🙂 | 2      |
        | a line break is one          | abc\nd    | 2      |

    @portable
    Scenario Outline: OpenCode's estimator rounds half up
      Given a text of <count> characters
      When its tokens are estimated as OpenCode does
      Then they are estimated at <tokens>

      Examples:
        | description         | count | tokens |
        | a quarter           | 1     | 0      |
        | a half              | 2     | 1      |
        | one and a quarter   | 5     | 1      |
        | one and a half      | 6     | 2      |

    @portable
    Scenario Outline: The characters a token can be set, also to a fraction
      Given a text of <count> characters
      When its tokens are estimated at <ratio> characters a token
      Then they are estimated at <tokens>

      Examples:
        | description            | count | ratio | tokens |
        | exactly                | 5     | 2.5   | 2      |
        | one over               | 6     | 2.5   | 3      |
        | no binary fraction     | 69    | 0.69  | 100    |
        | loose                  | 9     | 8     | 2      |

    @portable
    Scenario: A ratio of 0 is invalid input
      Given a text of 10 characters
      When its tokens are estimated at 0 characters a token
      Then it is not understood

    Scenario Outline: Each part of a message counts
      Given a message that holds <part>
      When the message is estimated
      Then it is estimated at <tokens> tokens

      Examples: Words
        | description                         | part                                               | tokens |
        | a text                              | a text of 40 characters                            | 10     |
        | thinking                            | thinking of 40 characters                          | 10     |
        | two parts, rounded once             | two texts of 2 characters each                     | 1      |
        | two parts, both counted             | two texts of 3 characters each                     | 2      |
        | a text and a call, both counted     | a text of 7 characters and a call of "Status"      | 4      |

      Examples: Tools, whose input is written as compact JSON
        | description                         | part                                               | tokens |
        | a call                              | a call of "Read" with the path "é/x.txt"           | 6      |
        | one more                            | a call of "Read" with the path "é/xyzz.txt"        | 7      |
        | a call without input                | a call of "Status" without input                   | 2      |
        | a result                            | a result of 41 characters                          | 11     |
        | an input with half a character      | a call of "Read" with half a character             | 4      |
        | half a character and another value  | a call of "Read" with half a character and ""      | 5      |
        | a value that JSON has no form for   | a call of "Read" with a slice                      | 8      |

      Examples: Media, which are constants
        | description                         | part                                               | tokens |
        | an image                            | an image                                           | 1,600  |
        | a document of pages                 | a document of pages                                | 1,600  |
        | a document that is text             | a document whose text has 41 characters            | 11     |
        | a document of blocks                | a document of two blocks of 20 characters each     | 10     |
        | a document that is one content      | a document whose content has 41 characters         | 11     |
        | a document that is text without any | a document without its text                        | 0      |
        | a document without a source         | a document without a source                        | 1,600  |
        | a result and a document of text     | a result of 41 characters and a text of 20         | 16     |
        | a result with a text and an image   | a result of 41 characters and an image             | 1,611  |
        | a result with two images            | a result of two images                             | 3,200  |

      Examples: What is none of these
        | description                   | part                                              | tokens |
        | an unknown kind               | a block of an unknown kind, 29 characters of JSON | 8      |
        | a marker, which is never sent | a marker                                          | 0      |
        | hidden thinking               | thinking of 0 characters                          | 0      |
        | what a server found           | a result of 13 characters of JSON                 | 4      |

    Scenario: A message is estimated with another ratio
      Given a message that holds a text of 41 characters
      When the message is estimated at 2.5 characters a token
      Then it is estimated at 17 tokens

    Scenario Outline: A block that cannot be written as JSON is refused
      Given a message that holds a call whose input <fault>
      When the message is estimated
      Then the refusal reads "<refusal>"

      Examples:
        | description     | fault                    | refusal                                                                                              |
        | too deep        | is nested 100,000 deep   | a block is nested too deeply to be measured                                                          |
        | it holds itself | holds itself             | a block cannot be written as JSON: Circular reference detected                                       |
        | a wrong key     | has half a character under a key of two numbers | a block cannot be written as JSON: keys must be str, int, float, bool or None, not tuple       |

    Scenario Outline: The system prompt and the tools are counted too
      Given a system prompt of <system> characters, as <form>
      And <tools> tools of 20 characters of JSON each
      When the extras are estimated
      Then they are estimated at <tokens>

      Examples:
        | description              | system | form       | tools | tokens |
        | a system prompt          | 41     | one text   | 0     | 11     |
        | tools                    | 0      | one text   | 3     | 15     |
        | both, rounded once       | 41     | two blocks | 3     | 26     |

  @TOK_07
  Rule: Every estimate uses the policy's token counter, if there is one
    Source: the windowing of the command line (S3), which counts with a tokenizer. No public tokenizer fits current models,
    so the default counts characters; who has a tokenizer sets it as `token_counter`. Its counts need no calibration (TOK_09).

    Scenario Outline: A token counter changes every estimate of a compaction
      Given a token counter that counts a token for each 2 characters
      When 6 turns of 20,000 tokens are compacted without the counter and with it
      Then <figure> is <without>, and with the counter <with>

      Examples:
        | description                        | figure                            | without | with    |
        | the window                         | the estimate of the window        | 121,048 | 242,102 |
        | system prompt and tools            | the estimate of the extras        | 1,012   | 2,024   |
        | the verdict                        | the size that the verdict names   | 121,048 | 242,102 |
        | the plan                           | the size before the plan          | 121,048 | 242,102 |
        | what is kept word for word         | the number of kept messages       | 9       | 5       |
        | old tool outputs                   | the saving by cleared outputs     | 39,983  | 119,949 |
        | cached tokens that are read again  | the number of tokens read again   | 80,048  | 120,119 |
        | what a summary call is sent        | the size of the summary call      | 121,791 | 243,587 |
        | the summary of the template        | the size of the result            | 40,063  | 40,119  |
        | what the facts are compared with   | the number of retained tokens     | 40,063  | 40,119  |

    Scenario: A response that states its usage teaches no ratio
      Given a token counter that counts a token for each 2 characters
      When 4 responses of 24,000 characters report a token for each 3 characters
      Then 300 characters more are estimated at 150 tokens

    Scenario Outline: Two policies are equal if their token counters are
      Given a token counter that counts a token for each 2 characters
      When a policy with it is compared with one of <other>
      Then the policies are <equal>

      Examples:
        | description     | other            | equal     |
        | the same        | the same counter | equal     |
        | another         | another counter  | not equal |
        | none            | no counter       | not equal |

  @TOK_07
  Rule: If the token counter fails, characters are counted instead, with one warning
    Source: the design of windowing in the command line (S3, error handling). A count that is a little
    off harms less than a session that stops; a warning at every message would harm more than one.

    Scenario Outline: A text that the token counter cannot count is estimated by its characters
      Given a token counter that <answers>
      When a compactor with it estimates texts of 40, 41 and 2 characters
      Then the estimates are <first>, <second> and <third>
      And the warnings are <warnings>

      Examples:
        | description                  | answers                      | first | second | third | warnings |
        | it works                     | counts 7 for every text      | 7     | 7      | 7     | 0        |
        | it counts nothing            | counts 0 for every text      | 0     | 0      | 0     | 0        |
        | it fails every time          | fails                        | 10    | 11     | 1     | 1        |
        | it fails on a long text only | fails beyond 40 characters   | 7     | 11     | 7     | 1        |
        | it answers below nothing     | counts -1 for every text     | 10    | 11     | 1     | 1        |
        | it answers no number         | answers with a word          | 10    | 11     | 1     | 1        |

    Scenario: A text of nothing is no tokens, and no counter is asked for it
      Given a token counter that counts 7 for every text
      When a compactor with it estimates texts of 0, 1 and 0 characters
      Then the estimates are 0, 7 and 0

    Scenario Outline: The warning names the reason
      Given a token counter that <answers>
      When a compactor with it estimates texts of 40, 41 and 2 characters
      Then the warning says that characters are counted, and "<reason>"

      Examples:
        | description         | answers                  | reason                                      |
        | it fails            | fails                    | the vocabulary is missing                   |
        | it answers no count | counts -1 for every text | it answered -1, which is no count of tokens |
