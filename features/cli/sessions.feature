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
        | none               | 0     |                             | 0      | 0    | No sessions in                                 |
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
