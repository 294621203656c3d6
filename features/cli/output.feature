Feature: Output for people and for programs
  A page is fitted to the terminal. What goes to a file or to another program is not wrapped.

  @CMD_03
  Rule: Lines are wrapped only for a terminal, or to the width in "COLUMNS"
    Source: a decision of this project (0103).

    Scenario Outline: The longest line of a page
      When brim <command> writes its page to a <place> and "COLUMNS" is "<columns>"
      Then its longest line has <most>

      Examples:
        | description        | command  | place    | columns | most                    |
        | a pipe             | compact  | pipe     |         | more than 80 characters |
        | a narrow one       | compact  | pipe     | 50      | at most 50 characters   |
        | a terminal         | compact  | terminal | 80      | at most 80 characters   |
        | settings in a pipe | settings | pipe     |         | more than 80 characters |

    Scenario Outline: There is no color without a terminal or if "NO_COLOR" is set
      When brim inspect writes its page to a <place> and "NO_COLOR" is "<word>"
      Then it has <color>

      Examples:
        | description        | place    | word | color    |
        | a pipe             | pipe     |      | no color |
        | a terminal         | terminal |      | color    |
        | a terminal with it | terminal | 1    | no color |
