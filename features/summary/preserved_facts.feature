Feature: Preserved facts
  A model decides for itself what is worth telling, and leaves out what will be asked for an hour
  later. The facts that stand neither in an accepted summary nor in what is kept are written
  down behind it word for word: the user's words first, then what is
  broken or open, then the files. So even a summary that says nothing
  loses nothing of weight, as far as the length allows: beyond it what weighs least is left out, and counted.

  @SUM_14
  Rule: A compactor appends the facts that a summary lacks, under a heading
    Source: brim, after the success metric "summaries preserve critical information" (S2). A
    decision of this project: the measure of fidelity decides what is lacking, and the form is
    that of the template, so that it can be read back. That summaries may lose what matters is a concern of S3
    (trade-offs).

    Appending twice changes nothing, in any of these examples.

    Scenario: A summary that says nothing gets the user's words and every fact, the weightiest kind first
      Given the facts
        | kind            | fact                  | why               |
        | constraints     | Never push to main.   |                   |
        | decisions       | Decided: two passes.  |                   |
        | messages        | Port the parser.      |                   |
        | messages        | Now the tests.        |                   |
        | failed commands | make lint             | error: no field x |
        | to-dos          | Write the handbook    |                   |
        | modified files  | /home/me/app/parse.py |                   |
        | created files   | /home/me/app/token.py |                   |
        | read files      | /tmp/notes            |                   |
      When what the summary "All went well." lacks is preserved
      Then the summary is
        """
        All went well.

        Preserved facts:
        What the user wrote, word for word:
        - Port the parser.
        - Now the tests.
        Constraints the user stated:
        - Never push to main.
        Decisions the user marked:
        - Decided: two passes.
        Last seen failing:
        - make lint: error: no field x
        Open to-dos:
        - Write the handbook
        Active files (paths below /home/me/app):
        - modified: parse.py
        - created: token.py
        - read: /tmp/notes
        """

    Scenario Outline: brim appends only what the summary lacks
      Given the facts
        | kind           | fact                  |
        | constraints    | Never push to main.   |
        | constraints    | Only edit the parser. |
        | messages       | Port the parser.      |
        | modified files | src/parse.py          |
      When what the summary "<summary>" lacks is preserved
      Then the summary is "<summary><appended>"

      Examples:
        | description | summary                                                                                                                                          | appended                                                                             |
        | a rule      | I changed src/parse.py. Never push to\n  main.\nUser requests:\n- Port the parser.                                                                | \n\nPreserved facts:\nConstraints the user stated:\n- Only edit the parser.          |
        | nothing     | Changed src/parse.py. Never push to main. Only edit the parser.\nUser requests:\n- Port the parser.                                               |                                                                                      |

    Scenario: A compactor appends no file that a message tells which stays
      Given a conversation of the turns
        | user     | agent                   | tool | on           | prints             |
        | Mend it. |                         | Edit | src/lex.py   | (2,000 characters) |
        |          |                         | Edit | src/parse.py | (2,000 characters) |
        | Two.     |                         |      |              |                    |
        | Three.   | I looked at src/lex.py. |      |              |                    |
        | Four.    |                         |      |              |                    |
      When a model that says "All went well." summarizes the conversation
      Then the summary says "src/parse.py", and not "src/lex.py"
      And the strategy is "warm prefix"

    Scenario Outline: A message of the user that stays, or a file in it, is not appended
      Given the facts
        | kind           | fact             |
        | messages       | Port the parser. |
        | modified files | src/parse.py     |
      And a kept message of the user "<kept>"
      When what the summary "<summary>" lacks is preserved
      Then the summary is "<summary>"

      Examples:
        | description        | summary               | kept                                     |
        | the kept part does | All went well.        | Port the parser. Look at 'src/parse.py'. |
        | each tells one     | Changed src/parse.py. | Port the parser.                         |

    Scenario Outline: A request is appended where its words are not the user's own
      Given the facts
        | kind     | fact      |
        | messages | Revert it |
      And a kept part "<kept>"
      When what the summary "<summary>" lacks is preserved
      Then the summary is "…\nWhat the user wrote, word for word:\n- Revert it"

      Examples:
        | description    | summary                    | kept              |
        | the summary's  | Revert it is what I tried. |                   |
        | an answer's    | All went well.             | I will: Revert it |

    Scenario Outline: A base name counts as missing, and only the summary itself shortens a path
      Given the changed files "/work/app/src/parse.py"
      And a kept part "<kept>"
      When what the summary "<summary>" lacks is preserved
      Then the summary is "<end>"

      Examples:
        | description                      | summary                                     | kept                                 | end                                                  |
        | its base name alone              | Changed parse.py.                           |                                      | …\nActive files:\n- modified: /work/app/src/parse.py |
        | the summary has its last parts   | Changed src/parse.py.                       |                                      | Changed src/parse.py.                                |
        | a page in what is kept has them  | All went well.                              | (paths below /work/app) src/parse.py | …\nActive files:\n- modified: /work/app/src/parse.py |
        | a page has the whole path        | All went well.                              | See /work/app/src/parse.py           | All went well.                                       |

  @SUM_14
  Rule: The appended part has a limit: the weightiest facts come first, and the rest is counted
    Source: brim; an appendix that grows with the conversation ends by being larger than what it
    replaces. The order is that of the template (ANC_10): by the weight of the kind, then the newest.

    Scenario Outline: The limit holds to the character, and facts without room are counted as far as the count has room
      Given the facts
        | kind   | number   | characters |
        | <kind> | <number> | 96         |
      When what the summary "All went well." lacks is preserved in at most <limit> characters
      Then the kept is "<kept>"
      And the summary is "<end>"

      Examples:
        | description      | limit | kept          | end                                             | kind        | number |
        | exactly two      | 256   | 4, 5          | …\n- … 3 more                                   | constraints | 5      |
        | exactly all      | 542   | 1, 2, 3, 4, 5 | …xxx                                            | constraints | 5      |
        | the number alone | 36    |               | All went well.\n\nPreserved facts: … 5 left out | constraints | 5      |
        | exactly that     | 31    |               | All went well.\n\nPreserved facts: … 5 left out | constraints | 5      |
        | one too few      | 30    |               | All went well.                                  | constraints | 5      |

      Examples: Of the user's messages the first one and the newest take the room, and the others are counted
        | description  | limit | kept    | end                                             | kind     | number |
        | room for 3   | 800   | 1, 8, 9 | All went well.\n\nPreserved facts:…             | messages | 9      |
        | their number | 31    |         | All went well.\n\nPreserved facts: … 9 left out | messages | 9      |
