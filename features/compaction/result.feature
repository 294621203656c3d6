Feature: Result
  The result of a compaction holds the new conversation, its summary, and the figures: the tokens before and after, and
  how many facts and how much of the user's words are present in the new conversation. The examples set what is
  kept to 33,600 tokens; the default is at most 25,000 (SEL_04).

  Background:
    Given a context window of 200,000 tokens with a keep target of 33,600 tokens

  @CMP_05
  Rule: The tokens before and after are both estimates of the whole request
    Source: the windowing plan's figures of a summary, tokens before and after (S3), and the first step of compaction in
    the comparison, where a summary's own usage is set aside (S2, section 7).

    Scenario: The figures do not count what the last response reported
      Given a system prompt of 500 tokens
      And a conversation of
        | speaker   | tokens |
        | user      | 100    |
        | assistant | 1,300  |
        | user      | 20     |
        | user      | 30     |
        | user      | 50     |
      And a last response that reports 150,000 tokens
      When a manual compaction writes a summary of 386 tokens
      Then the figures are
        | before | after | saved | share |
        | 2,000  | 1,000 | 1,000 | 50.0% |

    Scenario: The figures follow the ratio that is set
      Given estimates at 2 characters a token
      And a system prompt of 500 tokens
      And a conversation of
        | speaker   | tokens |
        | user      | 100    |
        | assistant | 1,300  |
        | assistant | 10,000 |
        | user      | 20     |
        | user      | 30     |
        | user      | 50     |
      When a manual compaction writes a summary of 386 tokens
      Then the figures are
        | before | after | saved  | share |
        | 24,000 | 2,000 | 22,000 | 91.7% |

    Scenario: A compaction that does nothing saves nothing
      Given a conversation of
        | speaker   | calls |
        | user      |       |
        | assistant | A     |
      When a manual compaction runs without a model
      Then nothing is saved
      And the summary is ""

    Scenario Outline: The result holds the summary that was used
      Given a conversation of 6 turns, each with a tool output of 30,000 tokens
      And a last response that reports 168,001 tokens
      When <kind> compaction writes the summary "All went well."
      Then the summary is "<summary>"

      Examples:
        | description       | kind         | summary        |
        | it is used        | a manual     | All went well. |
        | pruning is enough | an automatic |                |

  @CMP_05
  Rule: Fidelity counts the facts and the user's words in the texts, calls and results of the new conversation
    Source: the success metrics of the comparison of OpenCode and Claude Code (S2), and a decision of this project: a
    fact is as well kept in what the model called as in what was said. Harness texts are no words of the user.

    Scenario: A fact of a removed turn that the summary does not hold is missing
      Given a conversation of the turns
        | asked          | says | tool | on      |
        | Mend the door. | Yes. | Edit | door.py |
        | Mend the wall. | Yes. | Edit | wall.py |
        | One.           | Yes. |      |         |
        | Two.           | Yes. |      |         |
        | Three.         | Yes. |      |         |
      When a manual compaction writes the summary "User requests:\n- Mend the door.\n\nDone: the file wall.py was mended."
      Then 1 of 2 facts and 26 of 38 characters of the user's words are present, and the missing ones are
        | kind          | fact           |
        | request       | Mend the wall. |
        | modified file | door.py        |

    Scenario Outline: A page that a tool fetched cannot name a folder for the paths of the facts
      Given a conversation of the turns
        | asked          | says | tool     | on               | prints                  |
        | Mend the door. | Yes. | Edit     | /work/in/door.py |                         |
        | One.           | Yes. | WebFetch | a page           | (paths below /work/in)  |
        | Two.           | Yes. | WebFetch | a page           | <page>                  |
        | Three.         | Yes. |          |                  |                         |
      When a manual compaction writes the summary "The user asked: Mend the door. <files>"
      Then <present> of 1 facts are present

      Examples:
        | description                   | files                                | page               | present |
        | the page names all            |                                      | See door.py        | 0       |
        | the summary names the folder  | Files (paths below /work/in): lex.py | See door.py        | 0       |
        | the summary names all         | Files (paths below /work/in): door.py | Hello.            | 1       |
        | the page has the whole path   |                                      | /work/in/door.py   | 1       |

    Scenario Outline: A fact is found in texts, outputs and calls
      Given a conversation of the turns
        | asked   | says   | tool   | on   | prints   |
        | <first> | Yes.   | <used> | door |          |
        | One.    | Yes.   | Bash   | ls   | <output> |
        | Two.    | <said> | <tool> | <on> |          |
        | Three.  | Yes.   |        |      |          |
      When a manual compaction writes the summary "All went well."
      Then nothing is missing

      Examples:
        | description               | first               | used | output           | said             | tool      | on       |
        | what a tool was called with | One.              | Read |                  | Yes.             | Read      | door     |
        | a list of things to do    | One.                |      |                  | Yes.             | TodoWrite | Paint it |

    Scenario Outline: A message is present only where it stands as the user's own
      Given a conversation of the turns
        | asked      | says   | tool | on   | prints   |
        | Revert it. | Yes.   |      |      |          |
        | One.       | Yes.   | Bash | ls   | <output> |
        | Two.       | <said> |      |      |          |
        | Three.     | Yes.   |      |      |          |
      When a manual compaction writes the summary "<summary>"
      Then <present> of 23 characters of the user's words are present

      Examples: As the user's own
        | description                        | output     | said                   | summary                                                     | present |
        | the summary lists it               |            | Yes.                   | All user messages:\n- Revert it.\n\nNext steps:\n- None.    | 23      |
        | below another tool's number        |            | Yes.                   | 6. All user messages:\n   - Revert it.\n\n7. Pending Tasks: | 23      |
        | as sent to the assistant           |            | Yes.                   | Messages from the user to the assistant:\n- Revert it.      | 23      |

      Examples: As anyone else's
        | description                        | output     | said                   | summary                                                     | present |
        | nowhere                            |            | Yes.                   | All went well.                                              | 14      |
        | the model has the same words       |            | If it fails: Revert it. | All went well.                                             | 14      |
        | a tool prints them                 | Revert it. | Yes.                   | All went well.                                              | 14      |
        | the summary tells it of the model  |            | Yes.                   | Revert it. That was tried.                                  | 14      |
        | below another heading              |            | Yes.                   | Next steps:\n- Revert it.                                   | 14      |
        | as what the user rejected          |            | Yes.                   | Requests the user rejected:\n- Revert it.                   | 14      |
        | as what the user did not ask for   |            | Yes.                   | Messages the user didn't write:\n- Revert it.               | 14      |
        | as said to the user                |            | Yes.                   | ## Messages the assistant sent to the user\n- Revert it.    | 14      |
        | as what was withdrawn              |            | Yes.                   | User requests that were withdrawn:\n- Revert it.            | 14      |
        | as what may follow                 |            | Yes.                   | Suggested next user messages:\n- Revert it.                 | 14      |

    Scenario Outline: Each character that a person wrote counts, and none of a harness
      Given a conversation of the turns
        | asked   | says |
        | <first> | Yes. |
        | One.    | Yes. |
        | Two.    | Yes. |
        | <last>  | Yes. |
      When a manual compaction writes the summary "<summary>"
      Then <present> of <total> characters of the user's words are present

      Examples: In the summary
        | description                | first                                               | last   | summary            | present | total |
        | the summary lists it       | Mend the door.                                      | Three. | User messages:\n- Mend the door. | 26 | 26 |
        | the summary tells it       | Mend the door.                                      | Three. | The door is mended. | 14     | 26    |
        | one line of two            | Mend the door.\nThen paint it.                      | Three. | User messages:\n- Then paint it. | 26 | 38 |
        | more than 200 characters   | Mend each of the doors of this house and of the next one and of the one behind it, and then each of its windows, and then each of its walls, and then each of its roofs, and then each of its floors. Paint it. | Three. | Mended. | 14 | 177 |
        | with a reminder            | Mend it.\n<system-reminder>Be brief.</system-reminder> | Three. | User messages:\n- Mend it. | 21 | 21 |
        | harness text alone         | <system-reminder>Be brief.</system-reminder>        | Three. | Be brief.          | 14      | 14    |

      Examples: In what is kept
        | description                | first     | last                                                                                    | summary  | present | total |
        | with a reminder            | Mend it.  | Three.\n<system-reminder>Be brief.</system-reminder>                                     | Mended.  | 14      | 21    |
        | a slash command            | Mend it.  | <command-name>/paint</command-name>\n<command-args>it red</command-args>                 | Mended.  | 19      | 26    |

    Scenario Outline: What earlier compactions knew counts too
      Given a conversation of the turns
        | asked          | says |
        | Mend the door. | Yes. |
        | One.           | Yes. |
        | Two.           | Yes. |
        | Three.         | Yes. |
      And a compaction that wrote the summary "User messages:\n- Mend the door."
      When <kind> compaction writes the summary "<summary>" after four more turns
      Then <present> of <total> characters of the user's words are present

      Examples:
        | description        | kind         | summary               | present | total |
        | it is still listed | a manual     | User messages:\n- Mend the door. | 23 | 37   |
        | it is lost         | a manual     | All went well.        | 11      | 37    |
        | it is not yet due  | an automatic | All went well.        | 37      | 37    |

    Scenario Outline: Where nothing is compacted, all is present
      Given a conversation of the turns
        | asked   | says | tool | on      |
        | <first> | Yes. | Edit | door.py |
        | Three.  | Yes. |      |         |
      When <kind> compaction writes the summary "All went well."
      Then 1 of 1 facts and <words> characters of the user's words are present, and nothing is missing

      Examples:
        | description                | kind         | first          | words    |
        | it is not due              | an automatic | Mend the door. | 18 of 18 |
        | there is nothing to remove | a manual     | Mend the door. | 18 of 18 |
        | the model begins           | an automatic |                | 6 of 6   |

    Scenario: In an empty conversation nothing is missing
      Given a conversation of nothing
      When a manual compaction writes the summary "All went well."
      Then 0 of 0 facts and 0 of 0 characters of the user's words are present, and nothing is missing

  @CMP_05
  Rule: What is present is also given for each 1,000 retained tokens, without the system prompt and the tools
    Source: a decision of this project: a summary that keeps more because it is longer is no better one.

    Scenario Outline: The system prompt does not change it
      Given a system prompt of <system> tokens
      And tools whose definitions take <tools> tokens
      And a conversation of the turns
        | asked          | says | tool | on      |
        | Mend the door. | Yes. | Edit | door.py |
      When a manual compaction writes the summary "All went well."
      Then <facts> facts and <characters> characters are present for each 1,000 tokens

      Examples:
        | description | system | tools | facts | characters |
        | none        | 0      | 10    | 83.3  | 1,000      |
        | a long one  | 5,000  | 9,000 | 83.3  | 1,000      |

  @CMP_05
  Rule: A summary that saves no token is not used, and no model is asked where one of 100 tokens would save none
    Source: the field, google-gemini/gemini-cli#7047, where a compaction that made the conversation larger was kept; and
    brim, which asked a model three times for a summary of two words, and of 60 tokens. A useful one takes 100.

    Scenario Outline: A summary must save a token
      Given a conversation of
        | speaker   | says  | tokens  |
        | user      | One.  |         |
        | assistant |       | <first> |
        | user      | Two   |         |
        | user      | Three |         |
        | user      | Four. |         |
      When a manual compaction runs without a model
      Then the summary is <used>

      Examples: The opening line and a summary half as long as what it replaces
        | description        | first | used     |
        | nothing is saved   | 31    | not used |
        | one token is saved | 32    | used     |

    Scenario Outline: A summary must save a token with the required facts
      Given a required fact of <required> tokens
      And a conversation of
        | speaker   | says  | tokens |
        | user      | One.  |        |
        | assistant |       | 400    |
        | user      | Two   |        |
        | user      | Three |        |
        | user      | Four. |        |
      When a manual compaction runs without a model
      Then the summary is <used>

      Examples:
        | description       | required | used     |
        | less than a half  | 100      | used     |
        | more than all     | 500      | not used |

    Scenario Outline: A model is asked if a summary of 100 tokens would save a token
      Given a summarizer that answers "a"
      And a conversation of
        | speaker | says  | tokens  |
        | user    |       | <first> |
        | user    | Two   |         |
        | user    | Three |         |
        | user    | Four. |         |
      When the compactor compacts it
      Then <requests> is sent to the summarizer

      Examples: The opening line takes 14 tokens
        | description        | first | requests   |
        | two words          | 2     | no request |
        | nothing is saved   | 114   | no request |
        | one token is saved | 115   | 1 request  |

    Scenario: If the summary is not used, the conversation and its plan stay as they were
      Given a conversation of
        | speaker | says    |
        | user    | First.  |
        | user    | Second. |
        | user    | Third.  |
        | user    | Fourth. |
      When a manual compaction runs without a model
      Then each message of the new conversation is the caller's
      And its plan keeps everything, because there is "nothing to compact"
      And its plan gives "nothing is summarized" as the reason for every message

    Scenario: A plan whose summary is not used leaves out nothing
      Given a keep target of 1 tokens
      And a conversation of
        | speaker | says    |
        | user    | First.  |
        | user    | Second. |
        | user    | Third.  |
        | user    | Fourth. |
      When a manual compaction runs without a model
      Then its plan leaves out no turn and no token

    Scenario Outline: A summary that says nothing is refused
      Given a conversation of 6 turns
      When a manual compaction is carried out with the summary "<summary>"
      Then it is refused, because "this plan summarizes, and what leaves needs a summary that says something in its place"

      Examples:
        | description | summary |
        | no text     |         |
        | white space |  \n     |

  @CMP_05
  Rule: In a summary U+FFFD replaces NUL and each half of a surrogate pair that stands alone, so that the conversation can be sent and stored
    Source: brim; no request can hold half a pair, PostgreSQL refuses a text with NUL, and the rest of the summary is worth
    keeping.

    Scenario Outline: What the new conversation holds
      Given a summarizer whose answer holds the characters "<written>"
      When the compactor compacts a conversation of 6 turns
      Then the summary holds the characters "<kept>"

      Examples:
        | description          | written       | kept          |
        | the first half       | U+D83D        | U+FFFD        |
        | the second half      | U+DE00        | U+FFFD        |
        | both halves          | U+D83D U+DE00 | U+1F600       |
        | the halves exchanged | U+DE00 U+D83D | U+FFFD U+FFFD |
        | NUL                  | U+0000        | U+FFFD        |
        | another control      | U+0001        | U+0001        |

    Scenario: A message of the user in the template's summary
      Given a conversation in which the user wrote half of a surrogate pair
      When a manual compaction runs without a model
      Then the summary holds the characters "U+FFFD"

  @CMP_05
  Rule: Without a model the template writes the summary, at most half as long as the messages it replaces, by hand below the threshold beside the user's words
    Source: a decision of this project; the template costs nothing and never fails, and it is there to save. Where the
    window is nearly empty, no word of the user has to go (decision 0179).

    Scenario Outline: A small conversation keeps the user's words, or is not compacted
      Given a conversation of
        | speaker   | says   | tokens   |
        | user      |        | 60       |
        | assistant |        | <answer> |
        | user      | One.   |          |
        | user      | Two.   |          |
        | user      | Three. |          |
      When a manual compaction runs without a model
      Then the summary is <used>
      And 0 of 0 facts and 254 of 254 characters of the user's words are present, and nothing is missing

      Examples:
        | description                  | answer | used     |
        | the words take more than half | 80    | used     |
        | with them nothing is saved   | 10     | not used |

    Scenario Outline: The template does not repeat what the user wrote in messages that stay
      Given a conversation whose newest message states a constraint of <length> characters
      When a manual compaction runs without a model
      Then the summary says "First.", and does not say "Never"

      Examples:
        | description                 | length |
        | as long as one that is kept | 600    |
        | one that is shortened       | 601    |

    Scenario: The template uses the facts, the turns and the previous summary of the plan
      Given a conversation of the turns
        | asked                                                                     | says | tool | on     | prints   |
        | [Summary of the earlier conversation, written by brim]\n\nThe roof leaks. |      |      |        |          |
        | Mend the door.                                                            |      | Edit | door   |          |
        |                                                                           |      | Bash | pytest | 1 passed |
      And after it came
        | speaker   | says       | calls | answers | tokens |
        | assistant |            | Z     |         |        |
        | tool      |            |       | Z       | 40,000 |
        | assistant | Mended it. |       |         |        |
        | user      | One.       |       |         |        |
        | user      | Two.       |       |         |        |
        | user      | Last.      |       |         |        |
      When a manual compaction runs without a model
      Then the summary reads
        """
        Active files:
        - modified: door
        What the user wrote, word for word:
        - Mend the door.
        Unresolved errors: none
        Build status: passing (pytest)
        Last intent: "Mend the door."

        From the earlier summary:
          The roof leaks.

        What was done:
        ✓ Modified door
        [ANCHOR] Mended it.
        """

    Scenario: A message of the user under a line of brim's keeps its words
      Given a conversation of the turns
        | asked                                                                                         | says |
        | [Continuation after compaction, written by brim]\n\nMend the door and never touch the window. | Yes. |
        | One.                                                                                          | Yes. |
        | Two.                                                                                          | Yes. |
        | Three.                                                                                        | Yes. |
      When a manual compaction runs without a model
      Then the new conversation says "Mend the door and never touch the window."

    Scenario Outline: The template's summary is cut at half of the characters it replaces
      Given a conversation of
        | speaker   | says   | tokens |
        | user      | Hello. |        |
        | assistant |        | 60     |
        | assistant | <says> |        |
        | user      | One.   |        |
        | user      | Two.   |        |
        | user      | Three. |        |
      When a manual compaction runs without a model
      Then the summary is <length> characters long

      Examples: What leaves has 246 characters
        | description        | says | length |
        | one character more | a    | 123    |
        | two                | ab   | 124    |

  @CMP_05
  Rule: A summary takes at most half of the tokens that are free beside what stays, so that the conversation can go on
    Source: a decision of this project (0023), after summaries that filled the window to its last token.

    Free is what is left below the threshold. If half of that is less than 100 tokens, in which the template has its first
    lines and one line of an outcome, free is what is left of the usable context.

    Scenario Outline: The template's summary is cut at half of what is free
      Given a model with a context window of 20,000 tokens
      And a longest answer of 4,000 tokens
      And a threshold of <threshold>% of the window set by the user
      And a conversation of
        | speaker   | says | tokens |
        | user      |      | 2,000  |
        | assistant |      | 8,000  |
        | user      |      | <last> |
      When a manual compaction runs without a model
      Then the summary is <length> characters long

      Examples: 16,000 tokens are usable, and the opening line takes 14
        | description                   | threshold | last   | length |
        | 28 tokens are free            | 80        | 15,957 | 56     |
        | two tokens fewer              | 80        | 15,959 | 52     |
        | the last character            | 80        | 15,985 | 1      |
        | the threshold cannot be kept  | 50        | 15,957 | 56     |

    Scenario Outline: If half of what is free below the threshold is useful, the summary takes no more
      Given a model with a context window of 20,000 tokens
      And a longest answer of 4,000 tokens
      And a threshold of 50% of the window set by the user
      And a conversation of
        | speaker   | says | tokens |
        | user      |      | 2,000  |
        | assistant |      | 8,000  |
        | user      |      | <last> |
      When a manual compaction runs without a model
      Then the summary is <length> characters long

      Examples: 100 tokens are useful, which are 400 characters; 16,000 tokens are usable, and the opening line takes 14
        | description                    | last  | length |
        | 200 are free                   | 9,785 | 379    |
        | 199 are free                   | 9,786 | 6,661  |
        | the last one                   | 9,985 | 6,463  |
        | what stays is at the threshold | 9,986 | 6,461  |

    Scenario Outline: With a token counter the limits are tokens that it counts, also in a script of few characters
      Given a token counter that counts a token for each character
      And a system prompt of 8,000 characters, and Chinese turns of 62,540 tokens
      When a conversation is compacted with <summaries> in a window of 32,000 tokens
      Then the request takes at most <tokens> tokens, and the summary has the first words of the user

      Examples: 27,904 tokens are usable, and 10,144 are kept
        | description           | summaries                   | tokens |
        | the template          | no model                    | 19,024 |
        | facts behind a summary | a summary of 2,400 characters | 19,024 |

  @CMP_05
  Rule: A model is asked for no more than the summary may take, and for none where that is less than 100 tokens
    Source: brim, which asked a model three times for 4,096 tokens where 944 were accepted, and then used the template. In 100
    tokens the template has its first lines and one line of an outcome; a decision of this project (0023).

    Scenario Outline: The answer that is asked for is as long as the one that is accepted
      Given a summarizer that answers as much as it is asked for
      And a system prompt that leaves <free> tokens free, beside what stays and the opening line
      When a full window of 32,000 tokens is compacted
      Then the summarizer is asked for <asked>, and the summary is by the <writer>

      Examples: The model answers with 4,096 tokens at most
        | description                       | free  | asked               | writer   |
        | room for its longest answer       | 8,192 | 4,096 tokens once   | model    |
        | two tokens fewer                  | 8,190 | 4,095 tokens once   | model    |
        | the shortest useful summary       | 200   | 100 tokens once     | model    |
        | one token fewer                   | 199   | nothing             | template |

    Scenario Outline: How long an answer is follows the ratio that is set, or the token counter
      Given a summarizer that answers with <characters> characters
      When a window of 32,000 tokens is compacted, with <counting>
      Then the summary is by the <writer>

      Examples: The model is asked for 4,096 tokens
        | description            | characters | counting                       | writer   |
        | as long as asked for   | 8,192      | 2 characters a token           | model    |
        | one character more     | 8,193      | 2 characters a token           | template |
        | by a counter           | 4,096      | a token counter of each character | model    |
        | ... one character more | 4,097      | a token counter of each character | template |

    Scenario Outline: If there is less room than for the longest answer, the prompt states it
      Given a summarizer that answers as much as it is asked for
      And a system prompt that leaves <free> tokens free, beside what stays and the opening line
      When a full window of 32,000 tokens is compacted
      Then the prompt <states>

      Examples: The model answers with 4,096 tokens at most
        | description           | free  | states                                                           |
        | room for all of it    | 8,192 | states no length                                                 |
        | room for 1,000 tokens | 2,000 | states "it has 1,000 tokens at most, so write no more than 500 words" |
