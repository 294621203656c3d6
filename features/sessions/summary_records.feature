Feature: Summary records
  A summary is stored with the figures of what it replaced and where it came from, so that it can
  be judged, expanded and undone long after. The form has versions: what was written by an older brim is
  read, and what was written by a newer one is refused rather than misread.

  @SES_05
  Rule: The record of a summary holds its words, its time, and what it replaced in numbers
    Source: the session format proposed in the design of context windowing (S3, "API changes"): content, when
    it was generated, how many messages it replaced and their tokens. Tokens after, the model and the
    version of the prompt are brim's.

    Scenario: A compaction is recorded with its figures
      Given a session of 40 turns
      When it is compacted by "some-model" with the prompt "structured 1"
      Then the record holds the words of the summary
      And it holds the same figures as the compaction
      And its summary has
        | model      | prompt       |
        | some-model | structured 1 |

    Scenario: A compaction is recorded with its time
      Given it is 2026-03-01 12:00
      And a session of 40 turns
      And 2 minutes pass
      When it is compacted
      Then the summary was generated at 2026-03-01 12:02

    Scenario Outline: A record of a model's summary names the model and the prompt
      Given a session of 40 turns
      When the model "some-model" summarizes it, asked with <prompt>
      Then its summary has
        | by    | model      | prompt  |
        | model | some-model | <name>… |

      Examples:
        | description | prompt                    | name        |
        | as it comes | the prompt as it comes    | structured- |
        | one's own   | a prompt of one's own     | own-        |

    Scenario: A compaction without a model names none
      Given a session of 40 turns
      When it is compacted
      Then its summary has
        | model |
        |       |

    Scenario: The facts that the summary must preserve are handed on
      Given a session of 40 turns
      When it is compacted
      Then the record holds the facts of the conversation

    Scenario Outline: A record does not grow with the age of the session
      Given a session whose user made <requests> requests of 160 characters
      When it is compacted
      Then the record hands on <handed on> requests, the first and the newest of them

      Examples:
        | description               | requests | handed on |
        | as many as there is room  | 1,250    | 1,250     |
        | one more                  | 1,251    | 1,250     |

    Scenario: The characters a token that were learned are handed on
      Given a session of 6 turns whose model was measured at 2 characters a token
      When it is compacted and the session is opened anew
      Then its window counts 2 characters a token

    Scenario: A second summary names the one it replaced
      Given a session of 40 turns that was compacted
      When 40 more turns follow and it is compacted
      Then the newest record names the compaction before it

    Scenario: A compaction that only clears outputs has no summary
      Given a session whose old outputs can be cleared
      When it is compacted automatically
      Then the newest record is of the kind "pruning"

    Scenario: A compaction that does nothing leaves no record
      Given a session of 1 turn
      When it is compacted
      Then the log has not changed

  @SES_05
  Rule: A record of an older version is read, and of a newer one refused with both versions named
    Source: the design of context windowing (S3, phase 4: handle summary versioning). Its own four fields
    are read as the first version. S2, section 11, asks how one changes from one strategy to another.

    Scenario: A summary of the first version
      Given a session that ends with a summary of the first version, generated at "2025-01-15T10:30:00Z"
      When the session is read
      Then it shows that summary and nothing before it
      And the summary was generated at 2025-01-15 10:30
      And its summary has
        | summarized | tokens after |
        | 4          |              |

    Scenario: A summary that counts its messages under the former spelling
      Given a session that ends with a summary of 4 messages, counted as "summarised"
      When the session is read
      Then it shows that summary and nothing before it
      And its summary has
        | summarized |
        | 4          |

    Scenario Outline: A record of another version
      Given a session of 2 turns
      And a record of version <version> at the end of its log
      When the session is opened
      Then <outcome>
      And the log has not changed

      Examples:
        | description     | version | outcome                          |
        | the first       | 1       | it opens                         |
        | one newer       | 3       | it is refused, naming 2 and 3    |

  @SES_05
  Rule: A compaction is recorded only if the session still begins with the conversation that it was planned for
    Source: brim. A model takes its time over a summary, and the session goes on meanwhile.

    Scenario Outline: What comes while the summary is written follows it
      Given a session of 40 turns whose compaction is being written
      When <meanwhile> and the compaction is recorded
      Then it shows the conversation that the compaction made, and <count> messages behind it

      Examples:
        | description              | meanwhile                            | count |
        | words                    | the user says something              | 1     |
        | the very same words      | the last turn is said again          | 2     |
        | where the cache reads to | a cache mark is set on what was sent | 0     |

    Scenario Outline: Calls that were open have the results that come while the summary is written
      Given a session of 40 turns that ends in two open calls, whose compaction is being written
      When <meanwhile> and the compaction is recorded
      Then both calls are shown with their results

      Examples:
        | description             | meanwhile                                      |
        | together                | both results come in one message               |
        | in the other order      | the result of the second call comes first      |

    Scenario Outline: A session that is not the one any more is left as it is
      Given a session of 40 turns whose compaction is being written
      When <meanwhile> and the compaction is recorded
      Then it is refused
      And the log has not changed

      Examples:
        | description            | meanwhile                                      |
        | an earlier state       | the session goes back to its second turn       |
        | and another direction  | it goes back, and the user says something else |
        | another session        | it is another session that it is recorded in   |

    Scenario: Messages of the same words are not the messages that are shown
      Given a session of 40 turns
      When a compaction of the same words, read anew, is recorded
      Then it is refused
      And the log has not changed

    Scenario: Nor is a pruning recorded of outputs that are shown no more
      Given a session whose old outputs can be cleared
      When a pruning is planned, the session goes back to its second turn, and the pruning is recorded
      Then it is refused
      And the log has not changed
