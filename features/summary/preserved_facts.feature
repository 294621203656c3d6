Feature: Preserved facts
  A model decides for itself what is worth telling, and leaves out what will be asked for an hour
  later. The facts that an accepted summary lacks, and the part of the conversation that is
  kept lacks too, is written down behind it word for word: the user's words first, then what is
  broken or open, then the files. So even a summary that says nothing
  loses nothing of weight, as far as the length allows: beyond it what weighs least is left out, and counted.

  @SUM_14
  Rule: A compactor appends the facts that a summary lacks, under a heading
    Source: brim, after the success metric "summaries preserve critical information" (S2). A
    decision of this project: the measure of fidelity decides what is lacking, and the form is
    that of the template, so that it can be read back.

    Scenario: A summary that says nothing gets the user's words and every fact, the weightiest kind first
      Given the facts
        | kind           | fact                    | why               |
        | constraint     | Never push to main.     |                   |
        | decision       | Decided: two passes.    |                   |
        | request        | Port the parser.        |                   |
        | request        | Now the tests.          |                   |
        | failed command | make lint               | error: no field x |
        | to-do          | Write the handbook      |                   |
        | modified file  | /home/me/app/parse.py   |                   |
        | created file   | /home/me/app/token.py   |                   |
        | read file      | /tmp/notes              |                   |
      And a summary that reads "All went well."
      When what it lacks is preserved
      Then the summary reads
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
        Unresolved errors:
        - make lint: error: no field x
        Open to-dos:
        - Write the handbook
        Active files (paths below /home/me/app):
        - modified: parse.py
        - created: token.py
        - read: /tmp/notes
        """

    Scenario: brim appends only what the summary lacks
      Given the facts
        | kind           | fact                    |
        | constraint     | Never push to main.     |
        | constraint     | Only edit the parser.   |
        | request        | Port the parser.        |
        | modified file  | src/parse.py            |
      And a summary that reads "I changed src/parse.py. Never push to\n  main.\nUser requests:\n- Port the parser."
      When what it lacks is preserved
      Then the summary reads
        """
        I changed src/parse.py. Never push to
          main.
        User requests:
        - Port the parser.

        Preserved facts:
        Constraints the user stated:
        - Only edit the parser.
        """

    Scenario: A compactor appends no file that a message tells which stays
      Given a conversation whose first turn edits "src/lex.py" and "src/parse.py", and whose last answer names "src/lex.py"
      When a model that says "All went well." summarizes its first turn
      Then the summary names "src/parse.py", and not "src/lex.py"
      And the plan asked for it by the strategy "warm prefix"

    Scenario Outline: A compactor appends the user's words in an earlier summary where no other text has them
      Given a conversation that begins with a summary of the user's words "Port the parser.", and ends "<last>"
      When a model that says "<summary>" summarizes its first turn
      Then the summary has "Port the parser." <count>

      Examples:
        | description              | summary                            | last             | count |
        | no other text has them   | All went well.                     | Go on.           | once  |
        | the new summary has them | User requests:\n- Port the parser. | Go on.           | once  |
        | a message has them       | All went well.                     | Port the parser. | never |

    Scenario Outline: A summary that lacks nothing stays as it is
      Given the facts
        | kind          | fact             |
        | request       | Port the parser. |
        | modified file | src/parse.py     |
      And a summary that reads "<summary>"
      And a kept message of the user that reads "<kept>"
      When what it lacks is preserved
      Then the summary is the very same

      Examples:
        | description           | summary                                    | kept                                     |
        | it tells all          | User requests:\n- Port the parser.\n\nFiles: src/parse.py |                              |
        | the kept part does    | All went well.                             | Port the parser. Look at 'src/parse.py'. |
        | each tells one        | Changed src/parse.py.                      | Port the parser.                         |

    Scenario Outline: A request is appended where its words are not the user's own
      Given the facts
        | kind    | fact      |
        | request | Revert it |
      And a summary that reads "<summary>"
      And a kept part that reads "<kept>"
      When what it lacks is preserved
      Then it ends "\nWhat the user wrote, word for word:\n- Revert it"

      Examples:
        | description       | summary                    | kept                 |
        | the summary's     | Revert it is what I tried. |                      |
        | its next steps    | Next steps:\n- Revert it   |                      |
        | an answer's       | All went well.             | I will: Revert it    |

    Scenario Outline: A path in other words counts as missing
      Given the facts
        | kind          | fact             |
        | modified file | src/parse.py     |
      And a summary that reads "<summary>"
      When what it lacks is preserved
      Then it ends "\nActive files:\n- modified: src/parse.py"

      Examples:
        | description           | summary                     |
        | its base name alone   | Changed parse.py.           |
        | another folder's      | Changed old/src/parse.py.   |
        | a longer name         | Changed src/parse.py.bak.   |

    Scenario Outline: A folder shortens paths only where the summary itself names it
      Given the facts
        | kind          | fact                   |
        | modified file | /work/app/src/parse.py |
      And a summary that reads "<summary>"
      And a kept part that reads "<kept>"
      When what it lacks is preserved
      Then it ends "<end>"

      Examples:
        | description                      | summary                                    | kept                                    | end                                               |
        | the summary names it             | Files (paths below /work/app): src/parse.py | Done.                                  | /work/app): src/parse.py                          |
        | a page names it                  | All went well.                             | (paths below /work/app) src/parse.py    | \nActive files:\n- modified: /work/app/src/parse.py |
        | the rest of the path is a page's | Files (paths below /work/app): src/lex.py  | See src/parse.py                        | \nActive files:\n- modified: /work/app/src/parse.py |
        | a page has the whole path        | All went well.                             | See /work/app/src/parse.py              | All went well.                                    |

    Scenario: Without facts there is nothing to append
      Given no facts
      And a summary that reads "All went well."
      When what it lacks is preserved
      Then the summary is the very same

    Scenario: Appending twice changes nothing
      Given the facts
        | kind       | fact                |
        | constraint | Never push to main. |
        | to-do      | Write the handbook  |
      And a summary that reads "All went well."
      When what it lacks is preserved twice
      Then both summaries are the same

  @SUM_14
  Rule: The appended part has a limit: the weightiest facts come first, and the rest is counted
    Source: brim; an appendix that grows with the conversation ends by being larger than what it
    replaces. The order is that of the template (ANC_10): by the weight of the kind, then the newest.

    Scenario Outline: The limit holds to the character
      Given 5 constraints, each of 96 characters
      And a summary that reads "All went well."
      When what it lacks is preserved in at most <limit> characters
      Then <held> facts are appended
      And it ends "<end>"

      Examples: Room for some
        | description            | limit | held | end        |
        | one too few for two    | 255   | 1    | - … 4 more |
        | exactly two            | 256   | 2    | - … 3 more |

      Examples: Room for all
        | description            | limit | held | end        |
        | one too few for all    | 541   | 4    | - … 1 more |
        | exactly all            | 542   | 5    | xxx        |

    Scenario Outline: Facts without room are counted, and without room for the count nothing is appended
      Given 5 constraints, each of 96 characters
      And a summary that reads "All went well."
      When what it lacks is preserved in at most <limit> characters
      Then the summary reads "<summary>"

      Examples:
        | description                | limit | summary                                                                        |
        | under its title            | 60    | All went well.\n\nPreserved facts:\nConstraints the user stated:\n- … 5 more   |
        | the number alone           | 36    | All went well.\n\nPreserved facts: … 5 left out                                |
        | exactly that               | 31    | All went well.\n\nPreserved facts: … 5 left out                                |
        | one too few                | 30    | All went well.                                                                 |
        | none at all                | 0     | All went well.                                                                 |

    Scenario Outline: Messages of the user without room are counted too
      Given 9 messages of the user, each of 96 characters
      And a summary that reads "All went well."
      When what it lacks is preserved in at most <limit> characters
      Then the summary reads "<summary>"

      Examples:
        | description | limit | summary                                         |
        | their number | 31   | All went well.\n\nPreserved facts: … 9 left out |
        | one too few | 30    | All went well.                                  |

    Scenario: The user's words in an earlier summary take no room from the facts
      Given a conversation that begins with a summary of 60 messages of 200 characters, and whose first turn edits 150 files
      When a model that says "All went well." summarizes its first turn
      Then the summary has the 60 messages, and names the 150 files

    Scenario: The weightier kind takes the room
      Given the facts
        | kind          | fact                                                    |
        | read file     | /home/me/app/notes/of/a/long/name/that/takes/room.txt   |
        | to-do         | Write the handbook for whoever comes to this next year  |
        | constraint    | Never push to main without asking me about it first     |
      And a summary that reads "All went well."
      When what it lacks is preserved in at most 170 characters
      Then the summary reads
        """
        All went well.

        Preserved facts:
        Constraints the user stated:
        - Never push to main without asking me about it first
        Open to-dos:
        - … 1 more
        Active files:
        - read: … 1 more
        """

    Scenario: Of one kind the newest take the room, and of the user's messages the first one too
      Given 9 messages of the user, each of 96 characters
      And a summary that reads "All went well."
      When what it lacks is preserved in at most 800 characters
      Then the messages appended are 1, 8 and 9
