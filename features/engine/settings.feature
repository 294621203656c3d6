Feature: Settings
  A policy holds every setting that governs compaction. The compactors, the middleware, the back ends, the adapters and the
  tool runner take the same policy. Each row compares a compactor under the default policy with one under a policy in
  which one field differs.

  @SET_01
  Rule: Each field of the policy and each switch of the environment changes what a compactor does
    Source: a decision of this project (0092), after a review in which nine products that ignored their settings passed every
    example.

    Scenario Outline: A setting changes when compaction is due
      Given a model with a context window of 200,000 tokens
      And a longest answer of 64,000 tokens
      And the profile <profile>
      When a conversation of <held> tokens is judged, once with "<field>" set to "<value>"
      Then it is <default>, and with the setting <set>

      Examples:
        | description                | profile   | held    | field           | value     | default | set     |
        | compaction is off          | usable    | 190,000 | enabled         | false     | due     | not due |
        | another profile            | usable    | 90,000  | profile         | windowing | not due | due     |
        | a threshold in tokens      | usable    | 120,000 | threshold       | 100000    | not due | due     |
        | a threshold in percent     | usable    | 120,000 | threshold       | 50%       | not due | due     |
        | with a space before it     | usable    | 120,000 | threshold       | 50 %      | not due | due     |
        | less room for the answer   | usable    | 170,000 | output_cap      | 16000     | due     | not due |
        | another share              | proactive | 100,000 | proactive_share | 0.5       | not due | due     |
        | what the share is taken of | proactive | 160,000 | share_basis     | window    | due     | not due |

    Scenario Outline: A setting changes how many messages stay
      Given a model with a context window of 200,000 tokens
      And a longest answer of 64,000 tokens
      When <conversation> is compacted, once with "<field>" set to "<value>"
      Then <default> messages are kept, and with the setting <set>

      Examples:
        | description                     | conversation                         | field             | value  | default | set |
        | a smaller share                 | a conversation of long turns         | keep_share        | 0.1    | 12      | 5   |
        | fewer tokens                    | a conversation of long turns         | keep_tokens       | 8000   | 12      | 5   |
        | less is held afterwards         | a conversation of long turns         | target_tokens     | 16000  | 12      | 5   |
        | older turns fill the target     | a conversation of long turns         | fill_target       | true   | 12      | 64  |
        | a loop goes into the summary    | a conversation in a tool loop        | unfinished_loops  | summary | 17     | 1   |
        | a smaller budget                | a conversation of long turns         | budget_buffer     | 192000 | 12      | 5   |
        | fewer turns                     | a conversation of long turns         | recent_turns      | 1      | 12      | 4   |
        | messages in place of turns      | a conversation of long turns         | keep_messages     | 6      | 12      | 7   |
        | the profile windowing           | a conversation of long turns         | profile           | windowing | 12  | 11  |
        | tokens counted another way      | a conversation of long turns         | token_counter     | a character a token | 12 | 5 |
        | another agent's notes           | a conversation with notes            | harness_tags      | note   | 8       | 18  |
        | an anchor that is too uncertain | a conversation with passing tests    | anchor_confidence | 0.99   | 26      | 12  |
        | another tool that edits         | a conversation with a tool of its own | editing_tools    | Mend   | 12      | 26  |

    Scenario Outline: A setting changes which old tool outputs are cleared
      Given a model with a context window of 200,000 tokens
      And a longest answer of 64,000 tokens
      When 6 outputs of 30,000 tokens are cleared when that is due, once with "<field>" set to "<value>"
      Then <default> outputs are cleared, and with the setting <set>

      Examples:
        | description            | field           | value  | default | set |
        | none are               | prune           | false  | 3       | 0   |
        | more are protected     | prune_protect   | 100000 | 3       | 1   |
        | a larger minimum       | prune_minimum   | 100000 | 3       | 0   |
        | the tool is protected  | protected_tools | Bash   | 3       | 0   |

    Scenario Outline: A setting changes how the summary is made
      When a summarizer that <answers> is asked for a summary, once with "<field>" set to "<value>"
      Then the compaction <default>, and with the setting it <set>

      Examples:
        | description           | answers                   | field              | value     | default                     | set                        |
        | another model         | says "All went well."     | summary_model      | small     | asks "large"                | asks "small"               |
        | another prompt        | says "All went well."     | prompt             | opencode  | asks with "structured"      | asks with "opencode"       |
        | a focus               | says "All went well."     | focus              | the lexer | does not name "the lexer"   | names "the lexer"          |
        | a shorter summary     | says "All went well."     | max_summary_tokens | 500       | asks for 8,000 tokens       | asks for 500 tokens        |
        | a fact that it lacks  | says "All went well."     | required_facts     | port 8080 | is made by "model"          | is made by "template"      |
        | a fact for the note   | fails                     | required_facts     | port 8080 | does not hold "port 8080"   | holds "port 8080"          |
        | nothing but a note    | fails                     | on_failure         | truncate  | is made by "template"       | is made by "truncate"      |

    Scenario Outline: A setting changes how much the template writes
      Given a model with a context window of 200,000 tokens
      And a longest answer of 64,000 tokens
      When the template summarizes <conversation>, once with "<field>" set to "<value>"
      Then the summary shows <default> of them, and with the setting <set>

      Examples:
        | description     | conversation     | field         | value | default | set |
        | fewer requests   | 80 long requests | words_share   | 0.02  | 72      | 15  |
        | a longer summary | 400 long answers | summary_share | 0.3   | 77      | 121 |
        | a longer index   | 400 long tickets | identifiers_share | 0.2 | 97     | 198 |

    Scenario Outline: A setting changes which tools' files the summary names
      Given a model with a context window of 2,000 tokens
      And a longest answer of 200 tokens
      When a conversation in which "<tool>" edited a file is summarized, once with "editing_tools" set to "Mend"
      Then the summary names <default>, and with the setting <set>

      Examples:
        | description             | tool       | default  | set      |
        | a tool of the user's    | Mend       | no file  | the file |
        | no longer one           | Edit       | the file | no file  |
        | another agent's tool    | replace    | the file | no file  |

    Scenario: A setting changes which tools a request offers
      When an agent makes a request, once with "recall" set to "true"
      Then it offers no tool, and with the setting "recall"

    Scenario: A setting changes when a summary is asked for
      When an agent goes on until its window is half full, once with "ahead" set to "0.5"
      Then it costs 0 summaries, and with the setting 1

    Scenario Outline: A setting changes of how many conversations a compactor remembers the facts
      When a compactor compacts <count> conversations in turn, once with "max_conversations" set to "<most>"
      Then the facts of <default> are in their next compaction, and with the setting of <set>

      Examples: By default 64
        | description | count | most | default | set |
        | as many     | 20    | 20   | 20      | 20  |
        | one more    | 20    | 19   | 20      | 0   |

    Scenario Outline: A switch of the environment turns compaction off
      Given a model with a context window of 200,000 tokens
      And a longest answer of 64,000 tokens
      And the environment variable "<variable>" is "1"
      When a conversation of 190,000 tokens is judged, once with "enabled" set to "true"
      Then it is not due, and with the setting not due

      Examples:
        | description   | variable                     |
        | brim's own    | BRIM_DISABLE_AUTOCOMPACT     |
        | OpenCode's    | OPENCODE_DISABLE_AUTOCOMPACT |

    Scenario Outline: A switch of the environment leaves old outputs alone
      Given a model with a context window of 200,000 tokens
      And a longest answer of 64,000 tokens
      And the environment variable "<variable>" is "1"
      When 6 outputs of 30,000 tokens are cleared when that is due, once with "prune" set to "true"
      Then 0 outputs are cleared, and with the setting 0

      Examples:
        | description   | variable               |
        | brim's own    | BRIM_DISABLE_PRUNE     |
        | OpenCode's    | OPENCODE_DISABLE_PRUNE |

    Scenario Outline: A profile presets fields, and a field that is set wins
      When a policy with the profile windowing is made, once with "<field>" set to "<value>"
      Then its field is <preset>, and with the setting <set>

      Examples:
        | description      | field         | value | preset | set   |
        | messages         | keep_messages | 4     | 10     | 4     |
        | tokens           | keep_tokens   | 8000  | 30,000 | 8,000 |

    Scenario Outline: Another profile takes away what the former one preset, and a field that is set stays
      When a policy with the profile windowing and <set> is copied with the profile usable
      Then its field "<field>" is <value>

      Examples:
        | description    | set                  | field         | value  |
        | a preset       | no field             | keep_messages | 0      |
        | another preset | no field             | keep_tokens   | 25,000 |
        | a field is set | "keep_messages" of 4 | keep_messages | 4      |

    Scenario Outline: A setting that cannot work is refused
      When a policy with "<field>" set to "<value>" is made
      Then it is refused, and the error says "<error>"

      Examples:
        | description            | field             | value  | error                                                             |
        | an unknown field       | treshold          | 80%    | there is no setting 'treshold'; did you mean threshold?           |
        | an unknown profile     | profile           | best   | there is no profile 'best'                                        |
        | a threshold of nothing | threshold         | 0      | a threshold of 0 tokens: every conversation would be due          |
        | no percentage          | threshold         | 101%   | it has to be above 0% and at most 100%                            |
        | neither of the two     | threshold         | half   | it is a number of tokens, or a percentage of the window           |
        | no share               | keep_share        | 0      | the share kept word for word is 0; it has to be above 0 and at most 1 |
        | no share for words     | words_share       | 2      | it has to be above 0 and at most 1                                |
        | no share for a summary | summary_share     | 0      | the share of the summary is 0; it has to be above 0 and at most 1 |
        | a share above a half   | identifiers_share | 0.6    | the share of the identifiers is 0.6; it has to be from 0 to 0.5   |
        | no confidence          | anchor_confidence | 2      | a confidence lies between 0 and 1                                 |
        | a count below 0        | prune_protect     | -1     | greater than or equal to 0                                        |
        | no conversation        | max_conversations | 0      | greater than or equal to 1                                        |
        | a tag with brackets    | harness_tags      | <note> | harness_tags holds '<note>'; a tag is a name without brackets     |
        | no method to count     | token_counter     | words  | token_counter is str; it is an object with the method count(text) |
        | an unknown prompt      | prompt            | hope   | no prompt is called 'hope'                                        |
        | an unknown fallback    | on_failure        | hope   | 'template', 'truncate', 'fallback' or 'raise'                     |

  @SET_01
  Rule: Every entry point obeys the policy, calls the listener, and waits with the given sleep
    Source: the same review (0092); the users of an entry point that ignores a setting lack that setting.

    The conversation holds 10,000 tokens in 41 messages. The default policy, or a larger window, sends all of them.

    Scenario Outline: Each entry point obeys its policy
      Given a model with a context window of 200,000 tokens
      And a policy with the threshold 4%, the focus "the lexer" and the summary model "small", which keeps 2,000 tokens
      And a summarizer that is busy once
      When a request is made through <entry point>
      Then 2 summary requests with the focus "the lexer" go to "small", after waits of 0 and 1,000 milliseconds
      And the listener receives "started, summarizing, attempt_rejected, summarizing, compacted", with the model "small"
      And <count> messages are sent

      Examples: Each entry point
        | entry point                      | count |
        | a compactor                      | 6     |
        | an async compactor               | 6     |
        | a conversation                   | 6     |
        | a conversation of a session      | 6     |
        | an async conversation            | 6     |
        | a client                         | 6     |
        | an async client                  | 6     |
        | the middleware                   | 6     |
        | the async middleware             | 6     |
        | the tool runner                  | 6     |
        | the tool runner with a compactor | 6     |
        | a back end                       | 6     |
        | an async back end                | 6     |
        | LangChain                        | 6     |
        | LangChain in an event loop       | 6     |
        | LangChain with a client          | 6     |
        | pydantic-ai                      | 5     |

    Scenario Outline: The environment turns compaction off for every entry point
      Given a model with a context window of 200,000 tokens
      And a policy with the threshold 4%, the focus "the lexer" and the summary model "small", which keeps 2,000 tokens
      And the environment variable "BRIM_DISABLE_AUTOCOMPACT" is "1"
      When a request is made through <entry point>
      Then no summary request is sent
      And 41 messages are sent

      Examples: Each entry point
        | entry point                      |
        | a compactor                      |
        | an async compactor               |
        | a conversation                   |
        | a conversation of a session      |
        | an async conversation            |
        | a client                         |
        | an async client                  |
        | the middleware                   |
        | the async middleware             |
        | the tool runner                  |
        | the tool runner with a compactor |
        | a back end                       |
        | an async back end                |
        | LangChain                        |
        | LangChain in an event loop       |
        | LangChain with a client          |
        | pydantic-ai                      |
