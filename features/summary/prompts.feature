Feature: Prompts
  What a summary is good for is decided by what the model is asked for. brim has three prompts of its own, each with a
  name, and takes one of the user's as well. They are in brim's own words; the headings are those that the tools they
  are named for have documented, so that a user of those tools recognizes brim's summaries.

  @SUM_01
  Rule: The default prompt "structured" asks for five sections between summary tags
    Source: the default summary prompt of the Anthropic SDK's compaction control, in the comparison of OpenCode and
    Claude Code (S2, sections 8 and 10.1).

    Scenario Outline: The five sections, in their order
      Given <which>
      When the prompt is made
      Then its headings are "Task Overview; Current State; Important Discoveries; Next Steps; Context to Preserve"

      Examples:
        | description   | which                   |
        | by its name   | the prompt "structured" |
        | none is named | no prompt               |

    Scenario: The summary is asked for between tags
      Given no prompt
      When the prompt is made
      Then it asks for "between <summary> and </summary>"

  @SUM_02
  Rule: The prompt "opencode" asks for one paragraph, and "windowing" for a record of five headings
    Source: OpenCode's own summary prompt in the comparison of OpenCode and Claude Code (S2, section 2), and the summary
    format of the context windowing proposal (S3, "Summarization Strategy").

    Scenario Outline: The paragraph covers everything
      Given the prompt "opencode"
      When the prompt is made
      Then it has no headings
      And it asks for "<what>"

      Examples:
        | description | what                    |
        | its form    | in one paragraph        |
        | the past    | what was achieved       |
        | the present | what is being worked on |
        | the files   | which files matter      |
        | the future  | what comes next         |
        | the user    | asked for or ruled out  |

    Scenario: The record has the documented headings
      Given the prompt "windowing"
      When the prompt is made
      Then its headings are "Context Summary (auto-generated); Original Task; Key Decisions; Actions Completed; Current State; Open Issues"

  @SUM_01 @SUM_02
  Rule: Every prompt of brim's own asks for what summaries lose most often
    Source: brim. What is lost in the field are paths, failures and rules that the user laid down; and a summary that
    passed an injected text on as the user's wish is anomalyco/opencode#36682.

    Scenario Outline: Every prompt asks for the user's messages and the open work
      Given the prompt "<name>"
      When the prompt is made
      Then it asks for "every message of the user word for word, in their order"
      And it asks for "what is still open: pending tasks"

      Examples:
        | description | name       |
        | the default | structured |
        | a paragraph | opencode   |
        | a record    | windowing  |

    Scenario Outline: Every prompt asks for paths, failures and constraints, and tells data from the user's voice
      Given the prompt "<name>"
      When the prompt is made
      Then it asks for "every file path in full"
      And it asks for "each command that still fails"
      And it asks for "the user's constraints word for word"
      And it asks for "never as something that the user said, wished or agreed to"

      Examples:
        | description | name       |
        | the default | structured |
        | a paragraph | opencode   |
        | a record    | windowing  |

  @SUM_02
  Rule: A compactor sends a custom prompt word for word
    Source: the summary prompt that the Anthropic SDK's compaction control lets one set, in the comparison of OpenCode and
    Claude Code (S2, section 8).

    Scenario Outline: A custom prompt stays as it is
      Given the prompt "<text>"
      When the prompt is made
      Then it reads "<read>"

      Examples:
        | description     | text                      | read                      |
        | two words       | Be brief.                 | Be brief.                 |
        | several lines   | List:\n- files\n- doubts  | List:\n- files\n- doubts  |
        | it holds a name | structured, but in French | structured, but in French |
        | space around it | \n  Be brief.\n           | Be brief.                 |

    Scenario Outline: An unusable prompt is refused, and the error lists the known names
      Given the prompt "<text>"
      When the prompt is made
      Then it is not understood
      And the refusal reads "<refusal>"

      Examples:
        | description      | text      | refusal                                                                                                     |
        | nothing          |           | the prompt is empty; name one of structured, opencode, windowing, or write one                              |
        | white space      | \n        | the prompt is empty; name one of structured, opencode, windowing, or write one                              |
        | an unknown name  | structure | no prompt is called 'structure'; name one of structured, opencode, windowing, or write one of several words |
        | in other letters | OpenCode  | no prompt is called 'OpenCode'; name one of structured, opencode, windowing, or write one of several words  |

  @SUM_02
  Rule: A compactor adds the focus to the prompt
    Source: brim, after the instructions that Claude Code's compaction command takes.

    Scenario Outline: The focus follows the prompt
      Given the prompt "Be brief."
      And the focus "<focus>"
      When the prompt is made
      Then it reads "<read>"

      Examples: There is one
        | description     | focus             | read                                                                                                        |
        | words           | the failing tests | Be brief.\n\nThe user asks you to look above all at this, and to tell it in most detail:\nthe failing tests |
        | space around it | \nthe login       | Be brief.\n\nThe user asks you to look above all at this, and to tell it in most detail:\nthe login         |

      Examples: There is none
        | description | focus | read      |
        | nothing     |       | Be brief. |
        | white space | \n    | Be brief. |

  @SUM_11
  Rule: The conversation's model writes the summary, unless another is set
    Source: the model of the Anthropic SDK's compaction control in the comparison of OpenCode and Claude Code (S2,
    section 8), and the summary model of the context windowing proposal (S3).

    Scenario Outline: The model that is asked
      Given a conversation with the model "<conversation>"
      And the model for summaries "<set>"
      When it is decided which model is asked
      Then it is "<asked>"

      Examples:
        | description      | conversation | set          | asked        |
        | none is set      | claude-large |              | claude-large |
        | another is set   | claude-large | claude-small | claude-small |
        | the same is set  | claude-large | claude-large | claude-large |
        | nobody names one |              |              |              |
        | one is set alone |              | claude-small | claude-small |
