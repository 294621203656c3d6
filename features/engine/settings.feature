Feature: Settings
  A policy holds every setting that governs compaction. The compactors, the middleware, the back ends, the adapters and the
  tool runner take the same policy. Each row compares a compactor under the default policy with one under a policy in
  which one field differs.

  @SET_01
  Rule: Each field of the policy and each switch of the environment changes what a compactor does
    Source: a decision of this project (0201), after a review in which nine products that ignored their settings passed every
    example.

    Scenario Outline: A setting changes when compaction is due
      Given a model with window 200,000, answer 64,000
      And the settings profile <profile>
      When "<field>" is "<value>" and <held> tokens are judged
      Then the default is "<default>"
      And the set is "<set>"

      Examples:
        | description                | profile   | held    | field           | value  | default | set     |
        | compaction is off          | usable    | 190,000 | enabled         | false  | due     | not due |
        | another profile            | usable    | 90,000  | profile         | windowing | not due | due  |
        | a threshold in tokens      | usable    | 120,000 | threshold       | 100000 | not due | due     |
        | less room for the answer   | usable    | 170,000 | output_cap      | 16000  | due     | not due |
        | another share              | proactive | 100,000 | proactive_share | 0.5    | not due | due     |
        | what the share is taken of | proactive | 160,000 | share_basis     | window | due     | not due |

    Scenario Outline: A setting changes how many messages of long turns stay
      Given a model with window 200,000, answer 64,000
      When "<field>" is "<value>" and long turns are compacted
      Then the default is "9"
      And the set is "<set>"

      Examples:
        | description                 | field         | value               | set |
        | a smaller share             | keep_share    | 0.1                 | 5   |
        | fewer tokens                | keep_tokens   | 8000                | 5   |
        | less is held afterwards     | target_tokens | 16000               | 5   |
        | a smaller budget            | budget_buffer | 192000              | 5   |
        | fewer turns                 | recent_turns  | 1                   | 4   |
        | messages in place of turns  | keep_messages | 6                   | 7   |
        | tokens counted another way  | token_counter | a character a token | 2   |

    Scenario Outline: A setting changes how many messages of other conversations stay
      Given a model with window 200,000, answer 64,000
      When "<field>" is "<value>" and <conversation> are compacted
      Then the default is "<default>"
      And the set is "<set>"

      Examples:
        | description                     | conversation              | field             | value   | default | set |
        | another agent's notes           | turns with notes          | harness_tags      | note    | 8       | 18  |
        | an anchor that is too uncertain | turns with passing tests  | anchor_confidence | 0.99    | 26      | 12  |
        | another tool that edits         | turns with its own tool   | editing_tools     | Mend    | 12      | 26  |

    Scenario Outline: A setting changes how many of 6 old tool outputs of 30,000 tokens are cleared
      Given a model with window 200,000, answer 64,000
      When "<field>" is "<value>" and old outputs are cleared
      Then the default is "3"
      And the set is "<set>"

      Examples:
        | description           | field           | value  | set |
        | none are              | prune           | false  | 0   |
        | more are protected    | prune_protect   | 100000 | 1   |
        | a larger minimum      | prune_minimum   | 100000 | 0   |
        | the tool is protected | protected_tools | Bash   | 0   |

    Scenario Outline: A setting changes how the summary is made
      When "<field>" is "<value>" and <what>
      Then the default is "<default>"
      And the set is "<set>"

      Examples: The note is what is written in place of a summary whose model fails
        | description          | what                                              | field              | value     | default     | set       |
        | another model        | the model that is asked is looked at              | summary_model      | small     | large       | small     |
        | another prompt       | the prompt is looked at                           | prompt             | opencode  | structured… | opencode… |
        | a focus              | "the lexer" is asked for                          | focus              | the lexer | no          | yes       |
        | a shorter summary    | the longest answer that is asked for is looked at | max_summary_tokens | 500       | 8,000       | 500       |
        | a fact that it lacks | the author is looked at                           | required_facts     | port 8080 | model       | template  |
        | nothing but a note   | the author of a note is looked at                 | on_failure         | truncate  | template    | truncate  |

    Scenario Outline: A setting changes how much of a long conversation the template writes
      Given a model with window 200,000, answer 64,000
      When "<field>" is "<value>" and <conversation> are summarized
      Then the default is "<default>"
      And the set is "<set>"

      Examples:
        | description      | conversation | field             | value | default | set |
        | fewer requests   | 120 requests | words_share       | 0.02  | 86      | 15  |
        | a longer summary | 400 answers  | summary_share     | 0.3   | 80      | 121 |
        | a shorter index  | 400 tickets  | identifiers_share | 0.1   | 396     | 162 |

    Scenario Outline: A setting changes which tools' files the summary names
      Given a model with window 2,000, answer 200
      When "editing_tools" is "Mend" and a file that <tool> edited is summarized
      Then the default is "<default>"
      And the set is "<set>"

      Examples:
        | description           | tool    | default  | set      |
        | a tool of the user's  | Mend    | no file  | the file |
        | no longer one         | Edit    | the file | no file  |

    Scenario Outline: A setting changes what is done besides
      When "<field>" is "<value>" and <what>
      Then the default is "<default>"
      And the set is "<set>"

      Examples: A compactor remembers 64 conversations by default
        | description                  | what                                               | field             | value | default | set    |
        | which tools a request offers | an agent makes a request                           | recall            | true  |         | recall |
        | when a summary is asked for  | an agent goes on until its window is half full     | ahead             | 0.5   | 0       | 1      |
        | one more                     | 20 conversations are compacted twice for their facts | max_conversations | 19  | 20      | 0      |

    Scenario Outline: A switch of the environment wins
      Given a model with window 200,000, answer 64,000
      And the environment variable "<variable>" is "1"
      When "<field>" is "true" and <what>
      Then the default is "<result>"
      And the set is "<result>"

      Examples: Each switch
        | variable                     | field   | what                       | result  |
        | BRIM_DISABLE_AUTOCOMPACT     | enabled | 190,000 tokens are judged  | not due |
        | OPENCODE_DISABLE_AUTOCOMPACT | enabled | 190,000 tokens are judged  | not due |
        | BRIM_DISABLE_PRUNE           | prune   | old outputs are cleared    | 0       |
        | OPENCODE_DISABLE_PRUNE       | prune   | old outputs are cleared    | 0       |

    Scenario Outline: A profile presets fields, a field that is set wins, and another profile takes away presets alone
      Given the settings profile windowing
      When "<field>" is "<value>" and <what>
      Then the default is "<default>"
      And the set is "<set>"

      Examples:
        | description          | what                                                               | field         | value | default | set   |
        | messages             | the messages to keep are read                                      | keep_messages | 4     | 10      | 4     |
        | messages, afterwards | the messages to keep are read after a change to the profile usable | keep_messages | 4     | 0       | 4     |

    Scenario Outline: A setting that cannot work is refused
      When "<field>" is "<value>" and 190,000 tokens are judged
      Then it is refused with "<refusal>"

      Examples:
        | description            | field             | value  | refusal                                                             |
        | an unknown field       | treshold          | 80%    | …there is no setting 'treshold'; did you mean threshold?…           |
        | no percentage          | threshold         | 101%   | …it has to be above 0% and at most 100%…                            |
        | no share               | keep_share        | 0      | …the share kept word for word is 0; it has to be above 0 and at most 1… |
        | a count below 0        | prune_protect     | -1     | …greater than or equal to 0…                                        |
        | a tag with brackets    | harness_tags      | <note> | …harness_tags holds '<note>'; a tag is a name without brackets…     |
        | no method to count     | token_counter     | words  | …token_counter is str; it is an object with the method count(text)… |

  @SET_01
  Rule: Every entry point obeys the policy, calls the listener, and waits with the given sleep
    Source: the same review (0201); the users of an entry point that ignores a setting lack that setting.

    The conversation holds 10,000 tokens in 41 messages. The default policy, or a larger window, sends all of them. The
    summarizer is busy once; the policy's focus is "the lexer", its summary model "small".

    Scenario Outline: Each entry point obeys its policy
      Given a model with window 200,000
      And the settings threshold 4%, keep target 2,000
      When a request is made through <entry points>
      Then the result is
        | models asked | focus | seconds waited | events                                                       | model | messages sent |
        | small, small | yes   | 1.0            | started, summarizing, attempt_rejected, summarizing, compacted | small | <count>       |

      Examples: Each entry point; those of one row are compared
        | entry points                                                           | count |
        | a compactor, an async compactor                                        | 6     |
        | a conversation, a conversation of a session, an async conversation     | 6     |
        | a client, an async client                                              | 6     |
        | the middleware, the async middleware                                   | 6     |
        | the tool runner, the tool runner with a compactor                      | 6     |
        | a back end, an async back end                                          | 6     |
        | LangChain, LangChain in an event loop, LangChain with a client         | 6     |
        | pydantic-ai                                                            | 5     |

    Scenario: The environment turns compaction off for every entry point
      Given a model with window 200,000
      And the settings threshold 4%, keep target 2,000
      And the environment variable "BRIM_DISABLE_AUTOCOMPACT" is "1"
      When a request is made through every entry point
      Then the models asked is ""
      And the messages sent are "41"
