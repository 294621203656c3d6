Feature: Search
  A compaction takes messages out of what the model sees, and loses none of them. A summary opens into the
  messages it replaced, and every message can be searched, with the turn that it came from. The search
  index lies beside the sessions and can be thrown away: it is made from the logs.

  @SES_09
  Rule: A summary opens into the messages that it replaced
    Source: the open question of retrieving compacted history in the design of context windowing (S3, "Open
    questions"), answered by brim.

    Scenario: The messages that a compaction replaced
      Given a session of 40 turns that was compacted
      When its summary is expanded
      Then it opens into the messages that are no longer visible, as they were said

    Scenario: A summary that replaced an earlier one opens further
      Given a session of 40 turns that was compacted, went on for 40 turns and was compacted
      When its summary is expanded
      Then it opens into the earlier summary as well
      And together they open into the messages that are no longer visible, as they were said

    Scenario: A message that was rewound before the summary was made
      Given a session of 30 turns that went back to its turn 20, went on for 20 turns and was compacted
      When its summary is expanded
      Then it opens into nothing that was rewound

    Scenario: A summary that a fork began with
      Given a session of 40 turns that was compacted
      And a fork of it
      When the fork's summary is expanded
      Then it opens into the messages that are no longer visible, as they were said

    Scenario: A summary of the first version does not record what it replaced
      Given a session of 2 turns that ends with a summary of the oldest form
      When its summary is expanded
      Then it opens into 4 messages

  @SES_09
  Rule: Where there is no summary there is nothing to expand
    Source: brim.

    Scenario: Expanding a session that was never compacted
      Given a session of 2 turns
      When its summary is expanded
      Then it is refused

  @SES_09
  Rule: Everything that was said is found again, with the turn it came from and whether it is still visible
    Source: the open question of retrieving compacted history in the design of context windowing (S3, "Open
    questions"), answered by brim.

    Scenario Outline: What became of a message
      Given <session>
      When "<words>" is looked for
      Then the best that is found is of turn <turn>, and <state>

      Examples: Compacted
        | description  | session                                        | words        | turn | state     |
        | the first kept one | a session of 40 turns that was compacted | look file 39 | 39   | visible   |
        | the last that left | a session of 40 turns that was compacted | look file 38 | 38   | compacted |
        | a tool's     | a session of 40 turns with a tool, compacted   | tool-output  | 20   | compacted |

      Examples: Cleared
        | description     | session                                    | words        | turn | state   |
        | a tool's        | a session whose old outputs were cleared   | words matter | 1    | cleared |

      Examples: Not compacted
        | description  | session                                        | words        | turn | state       |
        | went back    | a session of 4 turns that went back to its turn 2 | look file 3  | 3    | rewound     |

    Scenario: A fork goes on counting the turns
      The session ends with a turn more, in which a tool was called.

      Given a session of 40 turns that was compacted
      And a fork of it
      When the user says "A word on elephants" in the fork and "elephants" is looked for
      Then the best that is found is of turn 42, and visible

    Scenario: The words that were looked for are shown with those around them
      Given a session of 2 turns
      When "file 2" is looked for
      Then the best that is found reads "Look at [file 2]. Words that do not"

    Scenario: Only what is new is read
      Given a session of 40 turns that was searched
      When the user says "A word on elephants" and "elephants" is looked for
      Then 1 message is found
      And 1 line of the log was read for it

    Scenario: A search in one project
      Given sessions of two projects in which the parser is named
      When "parser" is looked for in the first project
      Then 1 message is found

    Scenario Outline: How many are asked for
      Given a session of 40 turns
      When up to <most> messages with "look" are looked for
      Then <count> messages are found

      Examples:
        | description      | most | count |
        | fewer than there | 39   | 39    |
        | as many          | 40   | 40    |
        | more             | 41   | 40    |

    Scenario Outline: How many cannot be asked for
      Given a session of 2 turns
      When up to <most> messages with "look" are looked for
      Then it is not understood

      Examples:
        | description | most                              |
        | none        | 0                                 |

    Scenario: A session that is gone is found no more
      Given a session of 2 turns that was searched and lost its log
      When "look" is looked for
      Then 0 messages are found

  @SES_09
  Rule: Messages with the very words of the query come first, then those with all of its words; without either, those with some
    Source: brim. The one who asks, a person or an agent, rarely remembers the words as they stood. NousResearch/hermes-agent#87326
    measured what an agent recalls with a search tool beside a short verbatim tail.

    Scenario Outline: The order of what is found
      Given a session in which the user said
        | words                                     |
        | The config is parsed, and the file as well |
        | Parse the config file now                  |
        | See parse_config_file                      |
        | The file is short                          |
      When "<query>" is looked for
      Then what is found is <found>

      Examples:
        | description               | query                 | found                                         |
        | an identifier             | see parse_config_file | 3 as written                                  |
        | words side by side        | config file           | 3 as written, 2 as written, 1 by all words    |
        | words in another form     | parsing configs       | 3 by all words, 2 by all words, 1 by all words |
        | a word of the asker's own | short giraffe         | 4 by some words                               |

    Scenario Outline: Words in another form
      Given a session in which "<said>" was said
      When "<query>" is looked for
      Then 1 message is found, by all words

      Examples:
        | description                | said                        | query               |
        | a plural                   | The parser failed           | parsers             |
        | parts of a camel case name | It calls parseConfigFile    | parse config        |
        | ... with an abbreviation   | It calls parseHTTPHeader    | http header         |
        | snake case for camel case  | It calls parseConfigFile    | call parse_config   |

    Scenario Outline: A long message counts no less than a short one
      Given a session in which the harbour master is named in <length> characters of other words, and the harbour alone after it
      When "harbour master" is looked for
      Then the best that is found is of turn 1, and visible
      And its passage has at most 600 characters, and names the harbour master

      Examples:
        | description      | length  |
        | a long one       | 10,000  |

    Scenario Outline: The longest query
      Given a session of 2 turns
      When a query of <length> characters is looked for
      Then <outcome>

      Examples:
        | description   | length    | outcome              |
        | the longest   | 2,000     | 0 messages are found |
        | one more      | 2,001     | it is not understood |

  @SES_09
  Rule: A query is plain words, with any characters between them
    Source: brim.

    Scenario Outline: Signs that mean something to the index
      Given a session of 2 turns
      When "<query>" is looked for
      Then <count> messages are found

      Examples:
        | description             | query             | count |
        | a column                | file:1            | 1     |
        | a word of its own       | look NOT file     | 2     |
        | the beginning of a word | fil*              | 2     |
        | a statement             | '; DROP TABLE x   | 0     |
        | an accent               | filé 1            | 1     |

    Scenario Outline: A query without a word
      Given a session of 2 turns
      When "<query>" is looked for
      Then it is not understood

      Examples:
        | description | query |
        | nothing     |       |
        | punctuation | *-(^  |

  @SES_09
  Rule: The store's own index is made anew from the logs where it cannot be used
    Source: brim.

    Scenario Outline: What became of the index
      Given a session of 2 turns that was searched
      And its index is <state>
      When "file 2" is looked for
      Then 1 message is found

      Examples:
        | description     | state              |
        | removed         | gone               |
        | other bytes     | overwritten        |
        | an older brim's | of another version |

  @SES_09
  Rule: A log with something from a newer version is searched as far as it is understood, and the search says so
    Source: brim. What a newer version wrote may change what the messages behind it mean.

    Scenario Outline: What is found of it
      Given a session of 2 turns beside one with a message from a newer version after 2 turns
      When "<words>" is looked for
      Then <count> messages are found
      And it says once which session was not searched to its end

      Examples:
        | description                | words     | count |
        | said before it, and beside | file 2    | 2     |
        | the newer message itself   | giraffes  | 0     |
        | said behind it             | elephants | 0     |

  @SES_09
  Rule: Where the index cannot be written a temporary one finds the same, and no session is touched
    Source: brim. A search of a store that may only be read, or whose disk is full, is slower, and finds as much.

    Scenario Outline: There is no place for the index
      Given a session of 2 turns
      And there is <trouble> for its index
      When "file 2" is looked for
      Then 1 message is found
      And it says that the index cannot be written
      And the log has not changed

      Examples:
        | description           | trouble               |
        | a disk that is full   | no room               |
