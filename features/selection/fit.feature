Feature: Fit
  What is kept word for word has to leave room, or compacting brings no relief: one request is often followed by a
  hundred tool calls, so that three turns can fill the whole window. What selection would keep is measured against a
  target, and gives way step by step, but for the user's last message.

  @SEL_04
  Rule: The target is 20% of the smaller of the usable context and what the conversation holds, at most 25,000 tokens, and never above the budget
    Source: brim. The original sets no limit (S4), and 150,000 of 168,000 tokens kept would be no relief. The field: with
    162,000 tokens kept a model recalled 45.8% of the facts, with 49,000 68.3% (NousResearch/hermes-agent#87326). The
    share and the maximum are settings (decision 0017).

    Scenario Outline: The smaller of the usable context and the conversation
      Given a model with a context window of <window> tokens
      And a longest answer of <answer> tokens
      And a conversation that holds <held> tokens
      When a compactor plans its compaction
      Then <target> tokens are the target

      Examples:
        | description                     | window  | answer | held    | target |
        | the usable context is smaller   | 60,000  | 20,000 | 100,000 | 8,000  |
        | the conversation is smaller     | 200,000 | 32,000 | 100,000 | 20,000 |
        | floored                         | 200,000 | 32,000 | 9       | 1      |
        | less than a token               | 200,000 | 32,000 | 4       | 0      |
        | one under the maximum           | 200,000 | 32,000 | 124,999 | 24,999 |
        | the maximum                     | 200,000 | 32,000 | 125,000 | 25,000 |
        | no more than the maximum        | 200,000 | 32,000 | 168,000 | 25,000 |
        | one under the budget            | 60,000  | 1      | 49,999  | 9,999  |
        | the budget                      | 60,000  | 1      | 50,000  | 10,000 |
        | no more than the budget         | 60,000  | 1      | 59,999  | 10,000 |
        | the share of the usable context, floored | 1,009 | 500 | 600 | 101 |

    Scenario Outline: The share and the maximum are settings
      Given a model with a context window of 200,000 tokens
      And a longest answer of 32,000 tokens
      And a policy that keeps a share of <share>, at most <most> tokens
      And a conversation that holds <held> tokens
      When a compactor plans its compaction
      Then <target> tokens are the target

      Examples:
        | description        | share | most   | held    | target |
        | without a fraction | 0.29  | 25,000 | 100     | 29     |
        | all of it          | 1     | 25,000 | 100     | 100    |
        | very little        | 0.01  | 25,000 | 100     | 1      |
        | a smaller maximum  | 0.2   | 50     | 1,000   | 50     |
        | no maximum         | 0.2   | 0      | 168,000 | 33,600 |

    Scenario Outline: Where the conversation begins with a summary, the usable context alone counts
      Given a model with a context window of <window> tokens
      And a longest answer of 20,000 tokens
      And a conversation that holds 1,000 tokens after <opening>
      When a compactor plans its compaction
      Then <target> tokens are the target

      Examples:
        | description                | window  | opening                                    | target |
        | a share of it              | 60,000  | a summary                                  | 8,000  |
        | the maximum                | 200,000 | a summary                                  | 25,000 |
        | harness text comes first   | 60,000  | a reminder and a summary                   | 8,000  |
        | the window is unknown      | 0       | a summary                                  | 25,000 |
        | it begins with a request   | 60,000  | a request of 1,000 tokens and a summary    | 403    |

    Scenario Outline: Where the window is unknown, a share of what the conversation holds is kept, at least 2,000 tokens
      Given a model with a context window of 0 tokens
      And a policy that keeps a share of <share>, at most <most> tokens
      And a conversation that holds <held> tokens
      When a compactor plans its compaction
      Then <target> tokens are the target

      Examples:
        | description         | share | most   | held    | target |
        | one under the least | 0.2   | 25,000 | 9,999   | 2,000  |
        | the least           | 0.2   | 25,000 | 10,000  | 2,000  |
        | a fifth of more     | 0.2   | 25,000 | 10,005  | 2,001  |
        | a half              | 0.5   | 25,000 | 10,000  | 5,000  |
        | the maximum         | 0.5   | 25,000 | 60,000  | 25,000 |
        | no maximum          | 0.5   | 0      | 60,000  | 30,000 |
        | a smaller maximum   | 0.2   | 1,000  | 10,000  | 1,000  |

    Scenario Outline: After the provider's overflow error half of the share of what the conversation holds is kept
      Given a model with a context window of <window> tokens
      And a longest answer of 1,000 tokens
      And a policy that keeps a share of <share>, at most 25,000 tokens
      And a conversation that holds <held> tokens
      When a compactor plans its compaction after the provider's overflow error
      Then <target> tokens are the target

      Examples:
        | description            | window  | share | held    | target |
        | a fifth                | 200,000 | 0.2   | 100,000 | 10,000 |
        | a tenth                | 200,000 | 0.1   | 100,000 | 5,000  |
        | floored                | 200,000 | 0.1   | 99,999  | 4,999  |
        | of the maximum         | 200,000 | 0.5   | 100,000 | 12,500 |
        | the window is unknown  | 0       | 0.2   | 5,000   | 500    |

    Scenario Outline: The share of a compactor decides how much it keeps
      Given a model with a context window of 60,000 tokens
      And a policy that keeps a share of <share>, at most 25,000 tokens
      When a compactor compacts a conversation of 12 turns, each with an output of 2,000 tokens
      Then it keeps <kept> messages word for word

      Examples: Of 24,000 tokens, 2,000 in the output of each turn
        | description | share | kept |
        | the default | 0.2   | 9    |
        | a half      | 0.5   | 12   |

  @SEL_04
  Rule: If the policy fills the target, older turns take what is left of it, newest first, with their outputs cleared and their calls kept
    Source: the field: 58,000 tokens became 5,600 in a window of 200,000, since three turns were no more. Off unless set,
    until a replay shows that it pays (decision 0017). An output is cleared where pruning may clear it (PRN_04 to PRN_07) and
    where that makes it shorter.

    Scenario Outline: As many older turns as fit
      Given a model with a context window of 200,000 tokens
      And a keep target of <target> tokens
      And the target is filled
      And a conversation of
        | speaker   | calls | answers | tokens  |
        | user      |       |         | 100     |
        | user      |       |         | 100     |
        | assistant | A     |         |         |
        | tool      |       | A       | 500     |
        | assistant |       |         | 1       |
        | user      |       |         | 100     |
        | user      |       |         | 100     |
        | user      |       |         | 100     |
        | user      |       |         | 100     |
      When a compactor plans its compaction of these messages
      Then it keeps the messages "<kept>", and clears the outputs of "<cleared>"

      Examples: 300 tokens are recent, the turn before takes 100, and the one with the call 110.75 with a cleared output
        | description                   | target | kept                   | cleared |
        | the recent turns alone        | 399    | 6, 7, 8                |         |
        | one turn more, exactly        | 400    | 5, 6, 7, 8             |         |
        | a token too little for two    | 510    | 5, 6, 7, 8             |         |
        | two turns more                | 511    | 1, 2, 3, 4, 5, 6, 7, 8 | 3       |

    Scenario Outline: The turn that the cut goes through is the first older turn
      Given a model with a context window of 200,000 tokens
      And a keep target of <target> tokens
      And the target is filled
      And a conversation of
        | speaker   | calls | answers | tokens  |
        | user      |       |         | 100     |
        | user      |       |         | 100     |
        | assistant | A     |         |         |
        | tool      |       | A       | 500     |
        | assistant | B     |         |         |
        | tool      |       | B       | 200     |
      When a compactor plans its compaction of these messages
      Then it keeps the messages "<kept>", and clears the outputs of "<cleared>"

      Examples: The request and the last call take 301.5 tokens, the call before it 9.75 with a cleared output
        | description              | target | kept          | cleared |
        | the newest call alone    | 311    | 1, 4, 5       |         |
        | the whole turn           | 312    | 1, 2, 3, 4, 5 | 3       |

    Scenario: Where every older turn fits, nothing is summarized
      Given a model with a context window of 200,000 tokens
      And the target is filled
      When a compactor compacts a conversation of 16 turns, each with an output of 5,000 tokens
      Then it keeps 64 messages word for word, with 13 outputs cleared

    Scenario: An output of a short text with an image is cleared too
      Given a model with a context window of 200,000 tokens
      And a keep target of 5,000 tokens
      And the target is filled
      And a conversation of 6 turns, each with a screenshot
      When a compactor plans its compaction of these messages
      Then it keeps the messages "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23", and clears the outputs of "2, 6, 10"

    Scenario Outline: What is cleared counts with what is summarized where a compaction by hand has to remove 5%
      Given a model with a context window of 200,000 tokens
      And a keep target of 3,818 tokens
      And the target is filled
      And a conversation of
        | speaker   | calls | answers | tokens  |
        | user      |       |         | <first> |
        | user      |       |         | 100     |
        | assistant | A     |         |         |
        | tool      |       | A       | 200     |
        | assistant |       |         | 1       |
        | user      |       |         | 3,406   |
        | user      |       |         | 100     |
        | user      |       |         | 100     |
        | user      |       |         | 100     |
      When a compactor plans its compaction of these messages
      Then it keeps the messages "<kept>", and clears the outputs of "<cleared>"

      Examples: Clearing the output saves 191 tokens, and the first message leaves
        | description                  | first | kept                      | cleared |
        | 200 of 4,019 tokens          | 9     | 0, 1, 2, 3, 4, 5, 6, 7, 8 |         |
        | 201 of 4,020 tokens, exactly | 10    | 1, 2, 3, 4, 5, 6, 7, 8    | 3       |

    Scenario: Older outputs were pruned before
      Given a model with a context window of 200,000 tokens
      And a longest answer of 32,000 tokens
      And the target is filled
      When a compactor compacts what a conversation sent after 16 turns of 700 tokens, each with an output of 5,000 tokens
      Then it keeps 56 messages word for word, with 11 outputs cleared

    Scenario Outline: What pruning would not clear stays whole
      Given a model with a context window of 200,000 tokens
      And a keep target of 500 tokens
      And the target is filled
      And pruning is switched <pruning>
      And a conversation of
        | speaker   | calls  | answers | tokens   |
        | user      |        |         | 1,000    |
        | user      |        |         | 100      |
        | assistant | <call> |         |          |
        | tool      |        | A       | <output> |
        | assistant |        |         | 1        |
        | user      |        |         | 100      |
        | user      |        |         | 100      |
        | user      |        |         | 100      |
      When a compactor plans its compaction of these messages
      Then it keeps the messages "<kept>", and clears the outputs of "<cleared>"

      Examples: 300 tokens are recent
        | description                       | pruning | call    | output | kept                | cleared |
        | a long output                     | on      | A       | 200    | 1, 2, 3, 4, 5, 6, 7 | 3       |
        | an output shorter than the marker | on      | A       | 8      | 1, 2, 3, 4, 5, 6, 7 |         |
        | a protected tool                  | on      | A skill | 200    | 5, 6, 7             |         |
        | pruning is off                    | off     | A       | 200    | 5, 6, 7             |         |

  @SEL_04
  Rule: Compacting the result of a compaction again does nothing, in another process too
    Source: brim. The field: anthropics/claude-code#24179, one conversation compacted 211 times.

    Scenario Outline: The result holds what the next compaction would keep
      Given a model with a context window of <window> tokens
      And a longest answer of 32,000 tokens
      And a compactor compacts a conversation of <turns> turns, each with an output of <output> tokens
      When a compactor of another process compacts the result
      Then the second compaction changes nothing

      Examples:
        | description                       | window  | turns | output |
        | three turns fit                   | 200,000 | 12    | 100    |
        | two turns fit                     | 200,000 | 12    | 5,000  |
        | one turn fits                     | 200,000 | 4     | 20,000 |
        | the output of a turn is too large | 200,000 | 4     | 40,000 |
        | the window is unknown             | 0       | 12    | 5,000  |

    Scenario Outline: Nor does it in the middle of the agent's work
      Given a model with a context window of 10,000 tokens
      And a longest answer of 1,000 tokens
      And a keep target of 10 tokens
      And a conversation of
        | speaker   | calls | answers | tokens   |
        | user      |       |         | 9,000    |
        | user      |       |         | 100      |
        | assistant | A     |         |          |
        | tool      |       | A       | <output> |
      And a compactor compacts these messages where that is due
      When a compactor of another process compacts the result
      Then the second compaction changes nothing

      Examples: The result of the newest call, which the model has not seen
        | description                 | output |
        | it is kept                  | 2,000  |
        | it is too large, and leaves | 20,000 |

    Scenario: Nor does it where older turns filled the target
      Given a model with a context window of 200,000 tokens
      And a keep target of 510 tokens
      And the target is filled
      And a conversation of
        | speaker   | calls | answers | tokens  |
        | user      |       |         | 100     |
        | user      |       |         | 100     |
        | assistant | A     |         |         |
        | tool      |       | A       | 500     |
        | user      |       |         | 100     |
        | user      |       |         | 100     |
        | user      |       |         | 100     |
        | user      |       |         | 100     |
      And a compactor compacts these messages
      When a compactor of another process compacts the result
      Then the second compaction changes nothing

    Scenario Outline: Nor does it where every older turn fitted with its outputs cleared
      Given a model with a context window of <window> tokens
      And a longest answer of 32,000 tokens
      And the target is filled
      And a compactor compacts a conversation of 16 turns, each with an output of 5,000 tokens
      When a compactor of another process compacts the result
      Then the second compaction changes nothing

      Examples:
        | description           | window  |
        | the window is known   | 200,000 |
        | the window is unknown | 0       |

    Scenario Outline: Nor does it in the same process, unless there is a new message
      Without a bound the target is a share of what is held, which is less after a compaction.

      Given a model with a context window of 0 tokens
      And a policy that keeps a share of 0.2, at most 0 tokens
      And the target is filled
      When a compactor compacts a conversation of 12 turns of 1,000 tokens, and then the result <result>
      Then the compactor <does> the second time

      Examples:
        | description            | result                                | does           |
        | the same               | as it is                              | does nothing   |
        | the cache marks differ | with a cache mark on its last message | does nothing   |
        | a message more         | with a message more                   | clears outputs |

  @SEL_04
  Rule: If the turns from the anchor on exceed the target, the recent turns alone are kept, or else the longest part of them that fits
    Source: brim. The original sets no limit (S4). In real conversations one prompt is often followed by a hundred tool
    calls, so that three turns can be the whole window.

    Scenario Outline: From an anchor, or the recent turns, or within them
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 4        | 100         |
        | 1    | 4        | 100         |
        | 2    | 4        | 100         |
        | 3    | 4        | 100         |
        | 4    | 4        | 100         |
      And anchors among its turns "<anchors>"
      When it is fitted to <target> tokens
      Then it is cut before message <cut>, for "<why>"

      Examples: From the anchor
        | description          | anchors | target | cut | why          |
        | it fits exactly      | 1       | 1,600  | 5   | anchor       |
        | with room to spare   | 1       | 5,000  | 5   | anchor       |
        | the newer of two     | 0, 1    | 1,600  | 5   | anchor       |
        | the first turn       | 0       | 2,000  | 1   | anchor       |

      Examples: The recent turns alone
        | description          | anchors | target | cut | why          |
        | a token too little   | 1       | 1,599  | 9   | recent turns |
        | exactly enough       | 1       | 1,200  | 9   | recent turns |
        | an older one is no way out | 0, 1 | 1,599 | 9 | recent turns |
        | no anchor            |         | 5,000  | 9   | recent turns |
        | one among the recent | 2       | 5,000  | 9   | recent turns |
        | both recent and old  | 1, 3    | 1,599  | 9   | recent turns |

      Examples: Within the recent turns
        | description               | anchors | target | cut | why                         |
        | a token too little        | 1       | 1,199  | 10  | cut inside the recent turns |
        | the next message          | 1       | 1,100  | 10  | cut inside the recent turns |
        | a newer anchor is no goal | 1, 3    | 1,100  | 10  | cut inside the recent turns |
        | a whole turn fewer        |         | 800    | 13  | cut inside the recent turns |
        | the last turn             |         | 400    | 17  | cut inside the recent turns |

    Scenario Outline: A summary that opens the conversation takes no room of the turns after it
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 4        | 100         |
        | 1    | 4        | 100         |
        | 2    | 4        | 100         |
        | 3    | 4        | 100         |
        | 4    | 4        | 100         |
      And a summary of <size> tokens opens it
      And anchors among its turns "0"
      When it is fitted to 2,000 tokens
      Then it is cut before message <cut>, for "<why>"

      Examples:
        | description                   | size  | cut | why    |
        | without one                   | 0     | 1   | anchor |
        | it is written again           | 1     | 2   | anchor |
        | it is larger than the target  | 9,000 | 2   | anchor |

    Scenario Outline: A cut is made only where it is legal
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 4        | 100         |
        | 1    | 4        | 100         |
        | 2    | 4        | 100         |
        | 3    | 4        | 100         |
        | 4    | 4        | 100         |
      And it may be cut before the messages "<legal>"
      When it is fitted to <target> tokens
      Then it is cut before message <cut>, for "<why>"

      Examples:
        | description                    | legal            | target | cut | why                         |
        | the recent turns can be parted | 1, 9, 21         | 1,200  | 9   | recent turns                |
        | a step back, and it fits       | 1, 7, 21         | 1,400  | 7   | recent turns                |
        | a step back, and it does not   | 1, 7, 11, 21     | 1,399  | 11  | cut inside the recent turns |
        | the first that fits            | 1, 9, 11, 15, 21 | 700    | 15  | cut inside the recent turns |
        | before the first legal cut     | 12, 21           | 5,000  | 1   | recent turns                |

    Scenario Outline: How many turns are recent is a setting
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 4        | 100         |
        | 1    | 4        | 100         |
        | 2    | 4        | 100         |
      And its last <recent> turns count as recent
      When it is fitted to 5,000 tokens
      Then it is cut before message <cut>, for "recent turns"

      Examples:
        | description | recent | cut |
        | none        | 0      | 13  |
        | one         | 1      | 9   |
        | two         | 2      | 5   |
        | all         | 3      | 1   |
        | more        | 4      | 1   |

    Scenario: The anchor is named
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 4        | 100         |
        | 1    | 4        | 100         |
        | 2    | 4        | 100         |
        | 3    | 4        | 100         |
        | 4    | 4        | 100         |
        | 5    | 4        | 100         |
      And anchors among its turns "0, 1, 2"
      When it is fitted to 1,600 tokens
      Then the anchor is turn 2, and the target of 1,600 is met

  @SEL_06
  Rule: The last message that the user wrote is always kept verbatim
    Source: brim. The field: anthropics/claude-code#22376, where the user's last request was lost.

    Scenario Outline: It counts as kept though it stands before the cut
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 1        | 100         |
        | 1    | 10       | 100         |
      When it is fitted to <target> tokens
      Then it is cut before message <cut>, keeping <kept> tokens
      And the user's last message stands <where>

      Examples:
        | description                      | target | cut | kept  | where          |
        | everything fits                  | 1,100  | 1   | 1,100 | after the cut  |
        | from the user's last message on  | 1,000  | 2   | 1,000 | after the cut  |
        | a token less                     | 999    | 4   | 900   | before the cut |
        | two messages and the user's      | 300    | 10  | 300   | before the cut |
        | one message and the user's       | 200    | 11  | 200   | before the cut |
        | a token less than these          | 199    | 12  | 100   | before the cut |
        | the user's message alone         | 100    | 12  | 100   | before the cut |

    Scenario Outline: A target that it alone exceeds is missed, and said to be
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 1        | 100         |
        | 1    | 10       | 100         |
      When it is fitted to <target> tokens
      Then the target is <met>, and what is kept is "<why>"

      Examples:
        | description      | target | met    | why                         |
        | enough for two   | 200    | met    | cut inside the recent turns |
        | enough for it    | 100    | met    | last user message           |
        | a token too low  | 99     | missed | last user message           |
        | nothing          | 0      | missed | last user message           |

    Scenario: It is kept though no cut is legal after it
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 1        | 100         |
        | 1    | 10       | 100         |
      And it may be cut before the messages "1, 2"
      When it is fitted to 500 tokens
      Then it is cut before message 12, keeping 100 tokens

  @SEL_04
  Rule: No cut lies outside the compactable range
    Source: brim. The system prompt is kept, and with it what a harness says ahead of the first turn; an earlier summary
    and the work after it are not (decision 0041).

    Scenario Outline: The range begins later
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 4        | 100         |
        | 1    | 4        | 100         |
        | 2    | 4        | 100         |
        | 3    | 4        | 100         |
      And only its messages from <first> on may be compacted
      When it is fitted to <target> tokens
      Then it is cut before message <cut>

      Examples:
        | description                     | first | target | cut |
        | the recent turns begin later    | 3     | 5,000  | 5   |
        | where the recent turns begin    | 5     | 5,000  | 5   |
        | within the recent turns         | 7     | 5,000  | 7   |
        | they have to be cut             | 7     | 900    | 8   |
        | the cut has to be in the range  | 13    | 400    | 13  |

    Scenario Outline: It lies before the first message where every message fits
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 6        | 100         |
      When it is fitted to <target> tokens
      Then it is cut before message <cut>

      Examples:
        | description        | target | cut |
        | everything is kept | 600    | 1   |
        | one message goes   | 500    | 3   |

    Scenario: An answer goes, the user's message stays
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 2        | 100         |
      And it may be cut before the messages "1, 2"
      When it is fitted to 50 tokens
      Then it is cut before message 3

    Scenario: A conversation of one message that does not fit
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 1        | 100         |
      When it is fitted to 50 tokens
      Then it is cut before message 2

    Scenario: An empty conversation
      Given a conversation in which
        | turn | messages | tokens each |
      When it is fitted to 50 tokens
      Then it is cut before message 1
