Feature: Sessions on the command line
  The commands of brim sessions show recorded conversations and change them. The rules of a session itself are those of the
  package sessions; here stands what the command adds to them.

  @CMD_09
  Rule: The list has the newest 50 sessions, and one line says how many more there are and how to see them
    Source: a decision of this project. A list of every session scrolls the newest ones off the terminal.

    Scenario Outline: How many sessions are listed
      Given <count> sessions of the project "/home/dev/parser"
      When brim lists the sessions with "<flags>"
      Then the page names the newest <listed>
      And the last line begins with "<line>"
      And with "<flags>" as JSON the same are listed, and <more> more are counted

      Examples:
        | description        | count | flags                       | listed | more | line                                           |
        | none               | 0     |                             | 0      | 0    | Note:                                          |
        | one                | 1     |                             | 1      | 0    | 1 session in                                   |
        | as many as fit     | 50    |                             | 50     | 0    | 50 sessions in                                 |
        | one more           | 51    |                             | 50     | 1    | The newest 50 of 51 sessions; --all lists 1 more |
        | all of them        | 51    | --all                       | 51     | 0    | 51 sessions in                                 |
        | fewer              | 51    | --limit 2                   | 2      | 49   | The newest 2 of 51 sessions; --all lists 49 more |
        | more than there are | 51   | --limit 60                  | 51     | 0    | 51 sessions in                                 |
        | of one project     | 51    | --project /home/dev/parser  | 50     | 1    | The newest 50 of 51 sessions; --all lists 1 more |
        | of another project | 51    | --project /home/dev/lexer   | 0      | 0    | No sessions of the project /home/dev/lexer in  |

    Scenario Outline: A wrong number is refused
      Given 2 sessions of the project "/home/dev/parser"
      When brim lists the sessions with "<flags>"
      Then it ends with 2, and stderr says "<error>"

      Examples:
        | description  | flags           | error                                                    |
        | none at all  | --limit 0       | --limit is 0; it is a number of sessions from 1          |
        | both options | --all --limit 2 | --all lists every session; leave out --limit             |

  @CMD_10
  Rule: A stored session is compacted by command, and the compaction is one more record of its log
    Source: a decision of this project. A program could compact a session, and a user of the command could not.

    Scenario: The model sees the summary and what was kept
      Given a session of 16 long turns
      When brim compacts the session with "--window 32k --max-output 4k"
      Then the model sees 6 messages, the first of them a summary
      And the log begins with what it held before
      And the page says "The window  286% of the threshold before, 18% after"

    Scenario Outline: A session is shown with the limits that are stated
      Given a session of 16 long turns
      When brim shows it with "<flags>"
      Then the page of the session says "<line>"

      Examples:
        | description      | flags                         | line                                          |
        | a window         | --window 32k                  | The window now  80,096 of 32,000 tokens, 333% |
        | a longest answer | --window 32k --max-output 12k | The window now  80,096 of 32,000 tokens, 400% |

    Scenario: The compaction can be undone
      Given a session of 16 long turns
      When brim compacts the session with "--window 32k --max-output 4k" and then undoes it
      Then it shows what it showed before

    Scenario: The page of the compaction and that of the session give the same tokens
      Given a session of 6 turns whose model was measured at 2 characters a token
      When brim compacts the session with "--window 60k" and shows it
      Then the page of the compaction says "The window  96% of the threshold before, 21% after"
      And the page of the session says "The window now  6,090 of 60,000 tokens, 21% of the threshold"

    Scenario Outline: Options decide as they do for a file
      Given a session of 16 long turns
      When brim compacts the session with "--window 32k --max-output 4k <flags>" and as JSON
      Then its <figure> is "<value>"

      Examples:
        | description          | flags                   | figure      | value           |
        | the threshold        |                         | threshold   | 28,000          |
        | a threshold of yours | --threshold 50%         | threshold   | 16,000          |
        | another profile      | --profile windowing     | profile     | windowing       |
        | tokens to keep       | --keep-tokens 2k        | keep tokens | 2,000           |
        | another model        | --model claude-opus-5-5 | model       | claude-opus-5-5 |
        | its summary          |                         | by          | template        |

    Scenario Outline: A dry run shows the plan and its price, and records nothing
      Given a session of 16 long turns
      When brim compacts the session with "--window 32k --max-output 4k --dry-run <flags>"
      Then the page says "<line>"
      And the log has not changed

      Examples:
        | description        | flags                                     | line                                                   |
        | what would be kept |                                           | Kept        5 of 64 messages                           |
        | how full it is     |                                           | The window  286% of the threshold before, 18% after     |
        | the price          |                                           | to cache the new conversation; a request reads $       |
        | a model's summary  | --summarizer anthropic                    | for the summary, $                                     |
        | no known price     | --model some-model                        | Cost        unknown: no price of the model is known    |
        | nothing recorded   |                                           | Nothing was recorded                                   |

    Scenario: A model's summary treats what the instructions name
      Given a session of 16 long turns
      And a provider that answers "All went well."
      When brim compacts the session with "--window 200k --max-output 64k --summarizer anthropic --instructions rates"
      Then the provider was asked once, about "rates"
      And the page says "Asked"

    Scenario: A summary that fails is recorded as an error, and changes nothing
      Given a session of 16 long turns
      And a provider that answers ""
      When brim compacts the session with "--window 200k --max-output 64k --summarizer anthropic"
      Then it ends with 1, and stderr says "summary"
      And it shows what it showed before
      And brim sessions show lists a failed compaction

    Scenario Outline: What cannot be compacted is refused and stays as it is
      Given a session of <session>
      When brim compacts the session with "<flags>"
      Then it ends with <code>, and stderr says "<error>"
      And the log has not changed

      Examples:
        | description              | session                                  | flags                  | code | error                                           |
        | nothing to compact       | 1 turn                                   |                        | 1    | less than the 2,000 that are kept word for word; --keep-tokens changes that |
        | compacted just before    | 40 turns that was compacted              | --window 200k          | 1    | nothing to compact in session                   |
        | a long question alone    | 1 question of 9,000 words                | --keep-tokens 1k            | 1    | all of it is kept: the newest messages (--keep-tokens), the user's last, summaries, unfinished work |
        | the newest messages      | 1 long turn                              | --keep-messages 8      | 1    | the newest messages (--keep-messages) |
        | no message               | 0 long turns                             | --window 200k          | 1    | nothing to compact in session                   |
        | another process writes   | 16 long turns that another process writes | --window 200k         | 1    | is being written by process                     |
        | a dry run of nothing     | 1 turn                                   | --dry-run              | 1    | nothing to compact in session                   |
        | words without a model    | 16 long turns                            | --instructions rates   | 2    | --focus is for a model that writes the summary  |
        | a window of nothing      | 16 long turns                            | --window 0             | 2    | --window is 0                                   |

    Scenario: A session that is not there
      When brim compacts the session "nobody"
      Then it ends with 1, and stderr says "there is no session nobody"

  @CMD_11
  Rule: If something is not found, the command says where it looked and what would find it
    Source: a decision of this project. A file in place of an id, the few first characters of one, or a misspelt folder
    looked like a store that has lost its sessions.

    Scenario Outline: A name that is no session's
      Given the sessions "30dbba977ffe" and "parser-2"
      And a file "chat.jsonl"
      When brim shows the session "<name>"
      Then it ends with 1, and stderr says "<error>"

      Examples:
        | description              | name           | error                                                             |
        | a file                   | ./chat.jsonl   | it is a file: brim sessions import makes a session of it          |
        | no file                  | ./nothing.json | brim sessions list names the sessions                             |
        | no id                    |                | the id is empty; brim sessions list names the sessions            |
        | too little of an id      | 30d            | an id is named by 4 or more of its first or last characters       |

    Scenario Outline: An id of OpenCode whose prefix an earlier version cut
      Given the sessions "30dbba977ffe" and "parser-2"
      When brim shows the session "<name>"
      Then the page says "30dbba977ffe"

      Examples:
        | description       | name             |
        | as brim keeps it  | 30dbba977ffe     |
        | as OpenCode does  | ses_30dbba977ffe |
        | the beginning     | ses_30db         |

    Scenario Outline: A store that does not exist is not one without sessions
      When brim <act> in the store "nowhere"
      Then the page says "<line>"
      And the store "nowhere" was not made

      Examples:
        | description | act               | line                              |
        | a list      | lists the sessions | nowhere does not exist yet       |
        | the cure    | lists the sessions | brim sessions import FILE makes it |
        | a search    | searches "parser" | nowhere does not exist yet        |

    Scenario Outline: A search in a project
      Given 2 sessions of the project "/home/dev/parser"
      When brim searches "words" in the project "<project>"
      Then its notes are "<notes>"

      Examples:
        | description  | project          | notes                                        |
        | of no session | /home/dev/lexer | no session is of the project /home/dev/lexer |
        | of sessions  | /home/dev/parser |                                              |

  @CMD_12
  Rule: A page fits the terminal, and names what it shows in the words of the other pages
    Source: a decision of this project. A title as long as a paragraph hid the figures below it.

    Scenario Outline: A long title is shortened on each page
      Given a session of 16 long turns with a title of 200 characters
      When brim runs "<command>" on the session in 80 columns
      Then the title takes 80 columns at most

      Examples:
        | description  | command                                    |
        | its page     | show                                       |
        | its messages | resume                                     |
        | a compaction | compact --window 32k --max-output 4k       |

    Scenario Outline: What a page says
      Given a session of <session>
      When brim runs "<command>" on the session in 80 columns
      Then the page says "<line>"

      Examples:
        | description     | session      | command | line                                 |
        | without a turn  | 0 long turns | show    | The model sees  0 messages; 0 were   |
        | with turns      | 2 turns      | show    | The model sees  4 messages in 2 turns |
        | when it was made | 2 turns     | show    | created 20                           |

    Scenario Outline: A tool's output is called a tool's on each page
      Given a session in which a tool answered "zebra"
      When brim runs "<command>" on the session in 400 columns
      Then the page says "<line>"

      Examples:
        | description  | command                | line                       |
        | its messages | show --messages        | tool       zebra           |
        | a search     | search zebra --session | turn 1, message 3, tool,   |

    Scenario: A message in brim's own words is called the harness's
      Given a session that ends with a continuation of brim's
      When brim runs "show --messages" on the session in 400 columns
      Then the page says "harness    [Continuation after compaction, written by brim]"

    Scenario Outline: A search says how many more messages match
      Given a session of 4 turns
      When brim searches the session for "matter" with "<flags>"
      Then the page says "<line>"
      And with "<flags>" as JSON <more> more are counted

      Examples:
        | description       | flags     | more | line                                       |
        | all               |           | 0    | 8 messages, the best first                 |
        | fewer             | --limit 5 | 3    | The best 5 of 8 messages; --limit shows more |
        | as many           | --limit 8 | 0    | 8 messages, the best first                 |
        | more than match   | --limit 9 | 0    | 8 messages, the best first                 |

  @CMD_13
  Rule: An imported session has the title that its user gave it, or else the user's first words
    Source: Claude Code 2.1.217 records each title that the user gives in a record custom-title; mini-swe-agent and
    SWE-agent put elements of their own around a request.

    Scenario Outline: The title of an imported session
      Given a recording by Claude Code that begins with "<text>"
      And its user called it "<titles>"
      When brim imports it
      Then the page says "<title>"

      Examples:
        | description      | text                                                                | titles           | title                 |
        | the first words  | Look at the parser.                                                 |                  | Look at the parser.   |
        | a title          | Look at the parser.                                                 | The parser       | The parser            |
        | the newest       | Look at the parser.                                                 | The parser, Lexer | Lexer                |
        | a slash command  | <command-message>runs</command-message>\n<command-name>/plan</command-name>\n<command-args>the lexer</command-args> |  | /plan the lexer |
        | words in an element | <pr_description>\nKeep the dtypes.\n</pr_description>\nDo it. |                  | Keep the dtypes. Do it. |
