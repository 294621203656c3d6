Feature: Fit
  What is kept word for word has to leave room, or compacting brings no relief: one request is often followed by a
  hundred tool calls, so that three turns can fill the whole window. What selection would keep is measured against a
  target, and gives way step by step, but for the user's last message.

  @SEL_04
  Rule: The target is a fifth of the usable context, floored, and never above the budget
    Source: brim. The original sets no limit (S4), and 150,000 of 168,000 tokens kept would be no relief. The share is a
    setting, taken exactly.

    Scenario Outline: A share of the usable context
      When the target for a usable context of <usable> tokens is worked out
      Then <target> tokens are the target

      Examples:
        | description       | usable  | target |
        | nothing           | 0       | 0      |
        | floored           | 4       | 0      |
        | a token           | 5       | 1      |
        | a common one      | 168,000 | 33,600 |
        | one to floor      | 191,808 | 38,361 |

    Scenario Outline: The budget caps it
      When the target for a usable context of 168,000 tokens under a budget of <budget> is worked out
      Then <target> tokens are the target

      Examples:
        | description     | budget | target |
        | a small window  | 1      | 1      |
        | one token under | 33,599 | 33,599 |
        | the same        | 33,600 | 33,600 |
        | one token over  | 33,601 | 33,600 |

    Scenario Outline: The share is a setting
      When the target for a usable context of 100 tokens with a share of <share> is worked out
      Then <target> tokens are the target

      Examples:
        | description        | share | target |
        | without a fraction | 0.29  | 29     |
        | all of it          | 1     | 100    |
        | very little        | 0.01  | 1      |

    Scenario Outline: A share of more than 30 places is not understood
      When the target for a usable context of 100 tokens with a share of <share> is worked out
      Then it is not understood

      Examples:
        | description     | share                              |
        | one place more  | 0.0000000000000000000000000000001  |
        | before the point | 10,000,000,000,000,000,000,000,000,000,000 |

    Scenario Outline: The share of a compactor decides how much it keeps
      Given a model with a context window of 60,000 tokens
      When a compactor with a share of <share> compacts a conversation of 12 turns, each with an output of 2,000 tokens
      Then it keeps <kept> messages word for word

      Examples:
        | description | share | kept |
        | the default | 0.2   | 9    |
        | a half      | 0.5   | 12   |

    Scenario Outline: What is no share is refused
      When the target for a usable context of 100 tokens with a share of <share> is worked out
      Then the refusal reads "the share kept word for word is <share>; it has to be above 0 and at most 1"

      Examples:
        | description   | share |
        | none of it    | 0     |
        | more than all | 1.01  |

  @SEL_04
  Rule: Where what would be kept is over the target, the recent turns alone are tried, then the first legal cut from which the rest fits
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

    Scenario Outline: Counts below nothing
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 4        | 100         |
      When it is fitted to <target> tokens with <recent> recent turns
      Then the refusal reads "<words>"

      Examples:
        | description | target | recent | words                                                                       |
        | tokens      | -1     | 3      | the target is -1 tokens, 3 turns are recent: both are counts, 0 or more     |
        | turns       | 100    | -1     | the target is 100 tokens, -1 turns are recent: both are counts, 0 or more   |

  @SEL_06
  Rule: The last message that the user wrote is kept word for word, always
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
  Rule: What stands outside the compactable range is never cut into, and where nothing else is left there is nothing to summarise
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
      Then it is cut before message <cut>, with <something> to summarise

      Examples:
        | description                     | first | target | cut | something |
        | the recent turns begin later    | 3     | 5,000  | 5   | something |
        | where the recent turns begin    | 5     | 5,000  | 5   | nothing   |
        | within the recent turns         | 7     | 5,000  | 7   | nothing   |
        | they have to be cut             | 7     | 900    | 8   | something |
        | the cut has to be in the range  | 13    | 400    | 13  | nothing   |

    Scenario Outline: What is summarised has to be more than the message that is kept
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 6        | 100         |
      When it is fitted to <target> tokens
      Then it is cut before message <cut>, with <something> to summarise

      Examples:
        | description                          | target | cut | something |
        | everything is kept                   | 600    | 1   | nothing   |
        | one message goes                     | 500    | 3   | something |

    Scenario: An answer goes, the user's message stays
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 2        | 100         |
      And it may be cut before the messages "1, 2"
      When it is fitted to 50 tokens
      Then it is cut before message 3, with something to summarise

    Scenario: A conversation of one message has nothing to summarise
      Given a conversation in which
        | turn | messages | tokens each |
        | 0    | 1        | 100         |
      When it is fitted to 50 tokens
      Then it is cut before message 2, with nothing to summarise

    Scenario: An empty conversation has nothing to summarise
      Given a conversation in which
        | turn | messages | tokens each |
      When it is fitted to 50 tokens
      Then it is cut before message 1, with nothing to summarise
