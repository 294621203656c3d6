Feature: Result
  The result of a compaction holds the new conversation, its summary, and the figures: the tokens before and after, and
  how many facts and how much of the user's words are present in the new conversation. The examples set what is
  kept to 33,600 tokens; the default is at most 15,000 (SEL_04).

  In every example a provider accepts the new conversation, and where nothing is done its messages are the caller's own.

  Background:
    Given a model with window 200,000
    And the settings keep target 33,600

  @CMP_05
  Rule: The tokens before and after are both estimates of the whole request
    Source: the windowing plan's figures of a summary, tokens before and after (S3), and the first step of compaction in
    the comparison, where a summary's own usage is set aside (S2, section 7).

    Scenario Outline: The figures do not count what the last response reported, and follow the ratio that is set
      Given the settings system prompt 500, characters a token <ratio>
      And the conversation user 100, assistant 1,300, user 20, user 30, user 50
      And a last response that reports 150,000 tokens
      When a compaction by hand writes "All went well, and the user's door is fixed."
      Then the result is
        | tokens before | tokens after | saved   | share   |
        | <before>      | <after>      | <saved> | <share> |

      Examples: The opening line and a summary of 44 characters take 25 tokens
        | description | ratio | before | after | saved | share |
        | as usual    | 4     | 2,000  | 625   | 1,375 | 68.8% |
        | another     | 2     | 4,000  | 1,250 | 2,750 | 68.8% |

  @CMP_05
  Rule: Fidelity counts the facts and the user's words in the texts, calls and results of the new conversation
    Source: the success metrics of the comparison of OpenCode and Claude Code (S2), and a decision of this project: a
    fact is as well kept in what the model called as in what was said. Harness texts are no words of the user.

    Scenario: A fact of a removed turn that the summary does not hold is missing
      Given a conversation of the turns
        | user           | agent | tool | on      |
        | Mend the door. | Yes.  | Edit | door.py |
        | Mend the wall. | Yes.  | Edit | wall.py |
        | One.           | Yes.  |      |         |
        | Two.           | Yes.  |      |         |
        | Three.         | Yes.  |      |         |
      When a compaction by hand writes "User requests:\n- Mend the door.\n\nDone: the file wall.py was mended."
      Then the result is
        | facts present | words present | facts missing                                 |
        | 1 of 2        | 26 of 38      | request Mend the wall., modified file door.py |

    Scenario Outline: A page that a tool fetched cannot name a folder for the paths of the facts
      Given a conversation of the turns
        | user           | agent | tool     | on               | prints                 |
        | Mend the door. | Yes.  | Edit     | /work/in/door.py |                        |
        | One.           | Yes.  | WebFetch | a page           | (paths below /work/in) |
        | Two.           | Yes.  | WebFetch | a page           | <page>                 |
        | Three.         | Yes.  |          |                  |                        |
      When a compaction by hand writes "The user asked: Mend the door. <files>"
      Then the facts present are "<present>"

      Examples:
        | description                  | files                                 | page             | present |
        | the summary names the folder | Files (paths below /work/in): lex.py  | See door.py      | 0 of 1  |
        | the page has the whole path  |                                       | /work/in/door.py | 1 of 1  |

    Scenario Outline: A message is present only where it stands as the user's own
      Given a conversation of the turns
        | user       | agent  | tool | on | prints   |
        | Revert it. | Yes.   |      |    |          |
        | One.       | Yes.   | Bash | ls | <output> |
        | Two.       | <said> |      |    |          |
        | Three.     | Yes.   |      |    |          |
      When a compaction by hand writes "<summary>"
      Then the words present are "<present>"

      Examples: Two ways of the user's own, and the others; more are in the tests
        | description                       | output     | said                    | summary                                                  | present  |
        | the summary lists it              |            | Yes.                    | All user messages:\n- Revert it.\n\nNext steps:\n- None. | 23 of 23 |
        | nowhere                           |            | Yes.                    | All went well.                                           | 14 of 23 |
        | a tool prints them                | Revert it. | Yes.                    | All went well.                                           | 14 of 23 |
        | the summary tells it of the model |            | Yes.                    | Revert it. That was tried.                               | 14 of 23 |

    Scenario Outline: Each character that a person wrote counts, white space apart, and none of a harness
      Given the conversation user "<first>", assistant, user "One.", user "Two.", user "<last>"
      When a compaction by hand writes "<summary>"
      Then the words present are "<present>"

      Examples: In the summary
        | description              | first                                                                                                                                                                                                           | last   | summary                          | present   |
        | the summary lists it     | Mend the door.                                                                                                                                                                                                  | Three. | User messages:\n- Mend the door. | 26 of 26  |
        | one line of two          | Mend the door.\nThen paint it.                                                                                                                                                                                  | Three. | User messages:\n- Then paint it. | 26 of 38  |
        | more than 200 characters | Mend each of the doors of this house and of the next one and of the one behind it, and then each of its windows, and then each of its walls, and then each of its roofs, and then each of its floors. Paint it. | Three. | Mended.                          | 14 of 177 |
        | with a reminder          | Mend it.\n<system-reminder>Be brief.</system-reminder>                                                                                                                                                          | Three. | User messages:\n- Mend it.       | 21 of 21  |

      Examples: In what is kept
        | description     | first    | last                                                                     | summary | present  |
        | with a reminder | Mend it. | Three.\n<system-reminder>Be brief.</system-reminder>                     | Mended. | 14 of 21 |

    Scenario Outline: What earlier compactions knew counts too
      Given the conversation user "Mend the door.", assistant, user "One.", user "Two.", user "Three."
      When a compaction by hand writes "User messages:\n- Mend the door.", and another <how> "<summary>" after 4 more turns
      Then the words present are "<present>"

      Examples:
        | description        | how           | summary                          | present  |
        | it is still listed | by hand       | User messages:\n- Mend the door. | 23 of 37 |
        | it is lost         | by hand       | All went well.                   | 11 of 37 |

    Scenario Outline: Where nothing is compacted, all is present
      Given a conversation of the turns
        | user    | agent | tool | on      |
        | <first> | Yes.  | Edit | door.py |
        | Three.  | Yes.  |      |         |
      When a compaction <how> writes "All went well."
      Then the result is
        | facts present | words present | facts missing |
        | 1 of 1        | <words>       |               |

      Examples:
        | description                | how           | first          | words    |
        | it is not due              | automatically | Mend the door. | 18 of 18 |
        | there is nothing to remove | by hand       | Mend the door. | 18 of 18 |

  @CMP_05
  Rule: What is present is also given for each 1,000 retained tokens, without the system prompt and the tools
    Source: a decision of this project: a summary that keeps more because it is longer is no better one.

    Scenario Outline: The system prompt does not change it
      Given the settings system prompt <system>, tools <tools>
      And a conversation of the turns
        | user           | agent | tool | on      |
        | Mend the door. | Yes.  | Edit | door.py |
      When a compaction by hand writes "All went well."
      Then the figures for a thousand tokens are "83.3 facts and 1,000 characters"

      Examples:
        | description | system | tools |
        | a long one  | 5,000  | 9,000 |

  @CMP_05
  Rule: A summary is not used if it saves no token, or less than 5% by hand; no model is asked if a summary of 100 tokens would save none
    Source: the field, google-gemini/gemini-cli#7047, where a compaction that made the conversation larger was kept; and
    brim, which asked a model three times for a summary of two words, and of 60 tokens. A useful one takes 100. By hand the
    limit is that of what leaves (0204).

    Scenario Outline: By hand a summary must save 5%, also with the required facts
      Given the settings required fact <required>
      And the conversation user "One.", assistant <first>, user "Two", user "Three", user "Four."
      When the template writes the summary
      Then the result is
        | does   |
        | <does> |

      Examples: The opening line and a summary half as long as what it replaces
        | description         | required | first | does       |
        | 1 token of 38       | 0        | 33    | nothing    |
        | 2 tokens of 39      | 0        | 34    | summarizes |
        | a fact of more      | 500      | 400   | nothing    |

    Scenario Outline: A model is asked if a summary of 100 tokens would save a token
      Given the conversation user <first>, user "Two", user "Three", user "Four."
      When a model writes "a"
      Then the requests are "<requests>"

      Examples: The opening line takes 14 tokens
        | description        | first | requests |
        | nothing is saved   | 114   | 0        |
        | one token is saved | 115   | 1        |

    Scenario Outline: If the summary is not used, the conversation and its plan stay as they were
      Given the settings keep target <target>
      And the conversation user "First.", user "Second.", user "Third.", user "Fourth."
      When the template writes the summary
      Then the result is
        | does    | reason                                                 | fates                                  | tokens before | tokens left | turns | anchor | above the target |
        | nothing | nothing to compact: a summary would save 0 of 7 tokens | 0, 1, 2, 3 kept: nothing is summarized | 7             | 7           |       |        | no               |

      Examples: At a target of 1 token the newest message alone would stay
        | description    | target |
        | above a target | 1      |

    Scenario Outline: A summary that says nothing is refused
      Given the conversation 6 turns
      When a compaction by hand writes "<summary>"
      Then it is refused with "this plan summarizes, and what leaves needs a summary that says something in its place"

      Examples:
        | description | summary |
        | no text     |         |

  @CMP_05
  Rule: In a summary U+FFFD replaces NUL and each half of a surrogate pair that stands alone, so that the conversation can be sent and stored
    Source: brim; no request can hold half a pair, PostgreSQL refuses a text with NUL, and the rest of the summary is worth
    keeping.

    Scenario Outline: What the new conversation holds
      Given the conversation 6 turns of 200
      When a model writes "The tide <written> rises."
      Then the summary says "The tide <kept> rises."

      Examples:
        | description          | written      | kept         |
        | the first half       | U+D83D       | U+FFFD       |
        | the halves exchanged | U+DE00U+D83D | U+FFFDU+FFFD |
        | NUL                  | U+0000       | U+FFFD       |

  @CMP_05
  Rule: Without a model the template writes the summary, at most half as long as the messages it replaces; by hand below the threshold the user's words come on top of that half
    Source: a decision of this project; the template costs nothing and never fails, and it is there to save. Where the
    window is nearly empty, no word of the user has to go (decision 0204).

    Scenario Outline: A small conversation keeps the user's words, or is not compacted
      Given the conversation user 60, assistant <answer>, user "One.", user "Two.", user "Three."
      When the template writes the summary
      Then the result is
        | does   | facts present | words present | facts missing |
        | <does> | 0 of 0        | 254 of 254    |               |

      Examples:
        | description                   | answer | does       |
        | the words take more than half | 80     | summarizes |
        | with them nothing is saved    | 10     | nothing    |

    Scenario: The template does not repeat what the user wrote in messages that stay
      Given the conversation user "First.", assistant 40,000, user, user, user "Never touch the lexer."
      When the template writes the summary
      Then the summary says "First.", and not "Never"
      And the summary says "Constraints the user stated: see what the user wrote", and not "User's words: none"

    Scenario: The template uses the facts, the turns and the previous summary of the plan
      Given a conversation of the turns
        | user                                                                      | agent | tool | on     | prints   |
        | [Summary of the earlier conversation, written by brim]\n\nThe roof leaks. |       |      |        |          |
        | Mend the door.                                                            |       | Edit | door   |          |
        |                                                                           |       | Bash | pytest | 1 passed |
      And after it came Z 40,000, assistant "Mended it.", user "One.", user "Two.", user "Last."
      When the template writes the summary
      Then the summary lines are
        | Active files:                       |
        | - modified: door                    |
        | What the user wrote, word for word: |
        | - Mend the door.                    |
        | Last seen failing: none             |
        | Build status: passing (pytest)      |
        | Last intent: "Mend the door."       |
        |                                     |
        | From the earlier summary:           |
        | …The roof leaks.                    |
        |                                     |
        | What was done:                      |
        | ✓ Modified door                     |
        | [ANCHOR] Mended it.                 |

    Scenario Outline: The template's summary is cut at half of the characters it replaces
      Given the conversation user "Hello.", assistant 60, assistant "<says>", user "One.", user "Two.", user "Three."
      When the template writes the summary
      Then the summary length is "<length>"

      Examples: What leaves has 246 characters and those of the row
        | description        | says | length |
        | one character more | a    | 123    |
        | two                | ab   | 124    |

  @CMP_05
  Rule: A summary takes at most half of the tokens that are free beside what stays, so that the conversation can go on
    Source: a decision of this project (0214), after summaries that filled the window to its last token.

    Free is what is left below the threshold. If half of that is less than 100 tokens, in which the template has its first
    lines and one line of an outcome, the threshold is given up, and free is what is left of the usable context.

    Scenario Outline: The template's summary is cut at half of what is free
      Given a model with window 20,000, answer 4,000
      And the settings threshold <threshold>%
      And the conversation user 2,000, assistant 8,000, user <last>
      When the template writes the summary
      Then the summary length is "<length>"

      Examples: A compaction is due from 16,000 tokens on, and the opening line takes 14
        | description                  | threshold | last   | length |
        | 28 tokens are free           | 80        | 15,957 | 56     |
        | the threshold cannot be kept | 50        | 15,957 | 56     |

      Examples: Below 200 free tokens those of the usable context count, 6,199 in place of 199: the user's words alone get a quarter
        | description                    | threshold | last  | length |
        | 200 are free                   | 50        | 9,785 | 204    |
        | 199 are free                   | 50        | 9,786 | 6,486  |
        | what stays is at the threshold | 50        | 9,986 | 6,286  |

  @CMP_05
  Rule: A target is the most that is held after a compaction by hand; it is met from below, or a notice says what stays
    Source: a decision of this project (0204): what is kept word for word says nothing of how much is held.

    Scenario Outline: A conversation is compacted to the target, to the token
      Given a model with window 200,000, answer 8,000
      And the settings held at most <target>
      And the conversation user 2,000, assistant 8,000, user 100
      When the template writes the summary
      Then the result is
        | does   | tokens after | notices   |
        | <does> | <after>      | <notices> |

      Examples: 10,100 tokens are held; of these the last message stays, and the opening line takes 14
        | description          | target | does       | after  | notices                                                                              |
        | all fits             | 10,100 | nothing    | 10,100 |                                                                                      |
        | one token does not   | 10,099 | summarizes | 10,059 |                                                                                      |
        | the shortest summary | 115    | summarizes | 115    |                                                                                      |
        | one token less       | 114    | summarizes | 209    | the target of 114 tokens is not met: 100 stay in any case, and the summary takes 109 |

  @CMP_05
  Rule: A model is asked for a summary no longer than there is room for, and for none if that is less than 100 tokens
    Source: brim, which asked a model three times for 4,096 tokens where 944 were accepted, and then used the template. In 100
    tokens the template has its first lines and one line of an outcome; a decision of this project (0214).

    Scenario Outline: The answer that is asked for is as long as the one that is accepted, and the prompt states less
      Given a model with window 32,000, answer 4,096
      And the settings keep target 1, system prompt <system>
      And the conversation user 12,000, assistant 10,000, user 1, assistant 1, user 1
      When a model writes as much as it is asked for
      Then the result is
        | tokens asked for | writer   | length stated |
        | <tokens>         | <writer> | <stated>      |

      Examples: 27,904 tokens are usable; what stays and the opening line take 16
        | description                       | system | tokens | writer   | stated                                                       |
        | 8,192 are free: room for all      | 19,696 | 4,096  | model    |                                                              |
        | 8,190 are free                    | 19,698 | 4,095  | model    | it has 4,095 tokens at most, so write no more than …         |
        | 2,000 are free                    | 25,888 | 1,000  | model    | it has 1,000 tokens at most, so write no more than 500 words |
        | 200 are free: the shortest useful | 27,688 | 100    | model    | it has 100 tokens at most, so write no more than 50 words    |
        | 199 are free                      | 27,689 |        | template |                                                              |
