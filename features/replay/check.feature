Feature: Check
  A replay is worth as much as the model behind it. The check replays a session under the observed profile of the tool
  that wrote it, predicts when that tool compacts, and compares the predictions with the compactions that the session
  records. Tokens held are those of the last usage and the estimate of what was appended since.

  @RPL_02
  Rule: A compaction is predicted after the first response from which on the window is due
    Source: recorded sessions of Claude Code, which compacted at 155,301, 155,539 and 157,692 tokens under a threshold of
    155,000, and at 167,038 under one of 167,000.

    Claude Code up to 2.1.20 compacts from 155,000 of 200,000 tokens on. The result of a tool counts 10 tokens here. The
    estimate of what was appended may fall short by a hundredth of the threshold, 1,550 tokens, at a recorded compaction.

    Scenario Outline: One recorded compaction
      Given a session of Claude Code 2.1.17
        | record               | read     | wrote |
        | response             | <first>  | 100   |
        | response             | <second> | 100   |
        | response             | <third>  | 100   |
        | automatic compaction | <third>  |       |
        | response             | 30,000   | 100   |
        | response             | 31,000   | 100   |
        | response             | 32,000   | 100   |
      When it is checked
      Then the result is
        | predicted after | missed   | early   |
        | <predicted>     | <missed> | <early> |

      Examples: Tokens that the last three responses before it read
        | description                          | first   | second  | third   | predicted | missed | early |
        | exactly the threshold                | 120,000 | 150,000 | 154,890 | 2         |        |       |
        | a hundredth short of the threshold   | 120,000 | 150,000 | 153,340 | 2         |        |       |
        | more than a hundredth short          | 120,000 | 150,000 | 153,339 |           | 2      |       |
        | one response early                   | 120,000 | 154,890 | 156,000 | 1         |        |       |
        | two responses early                  | 154,890 | 155,500 | 156,000 | 0         |        | 0     |

    Scenario: A prediction after the last response is not early, since the session ends before the next request
      Given a session of Claude Code 2.1.17
        | record   | read    | wrote |
        | response | 120,000 | 100   |
        | response | 156,000 | 100   |
      When it is checked
      Then the result is
        | predicted after | missed | early |
        | 1               |        |       |

    Scenario: A prediction that no compaction follows is early
      Given a session of Claude Code 2.1.17
        | record   | read    | wrote |
        | response | 156,000 | 100   |
        | response | 157,000 | 100   |
        | response | 158,000 | 100   |
      When it is checked
      Then the result is
        | predicted after | missed | early |
        | 0               |        | 0     |

  @RPL_02
  Rule: The profile is that of the tool and its version
    Source: recorded sessions: Claude Code 2.1.17 compacted at 157,692 tokens and 2.1.38 at 167,038.

    Scenario Outline: A version of Claude Code
      Given a session of Claude Code <version>
        | record               | read    | wrote |
        | response             | 120,000 | 100   |
        | response             | 156,000 | 100   |
        | response             | 170,000 | 100   |
        | automatic compaction | 170,110 |       |
        | response             | 30,000  | 100   |
      When it is checked
      Then the result is
        | profile   | threshold   | predicted after |
        | <profile> | <threshold> | <predicted>     |

      Examples: Versions
        | version | profile         | threshold | predicted |
        | 2.1.24  | claude-code-2.0 | 155,000   | 1         |
        | 2.1.25  | claude-code-2.1 | 167,000   | 2         |

    Scenario: Nothing is predicted for a tool whose profile is not known, and its summary call is no response
      Given a session of OpenCode
        | record           | read   | wrote |
        | response         | 20,000 | 100   |
        | response         | 24,000 | 100   |
        | unmarked summary | 25,000 | 900   |
        | summary          | 25,000 | 900   |
        | response         | 21,000 | 100   |
      When it is checked
      Then the result is
        | predicted after | recorded after | recorded at | unjudged                                                    |
        |                 | 1              | 25,020      | nothing is predicted: no profile of opencode 1.4.3 is known |

    Scenario: Nothing is predicted in a window that is unknown
      Given a session of Claude Code 2.1.38
        | record   | read    | wrote |
        | response | 120,000 | 100   |
      When it is checked in a window of unknown tokens
      Then the result is
        | predicted after | unjudged                                                                        |
        |                 | nothing is predicted: the context window of claude-opus-4-5-20251101 is unknown |

  @RPL_02
  Rule: Manual compactions and clearings are not predicted, and free room as they are recorded
    Source: recorded sessions: a user compacted by hand at 297,190 of 1,000,000 tokens, and Claude Code cleared the
    results of 9 and of 18 tools at 135,849 and 152,326.

    Scenario: A manual compaction
      Given a session of Claude Code 2.1.17
        | record            | read    | wrote |
        | response          | 120,000 | 100   |
        | manual compaction | 120,110 |       |
        | response          | 30,000  | 100   |
        | response          | 31,000  | 100   |
      When it is checked
      Then the result is
        | predicted after | missed | early | recorded after | recorded at | measured | asked by | read after it |
        |                 |        |       | 0              | 120,110     | 120,110  | manual   | 30,000        |

    Scenario: A clearing
      Given a session of Claude Code 2.1.17
        | record   | read    | wrote | result |
        | response | 120,000 | 100   | 40,000 |
        | clearing |         |       |        |
        | response | 121,000 | 100   |        |
      When it is checked
      Then the result is
        | predicted after | cleared after | cleared at | cleared by | recorded after |
        |                 | 0             | 130,100    | micro      |                |

    Scenario: A clearing ends no prediction
      Given a session of Claude Code 2.1.17
        | record               | read    | wrote | result |
        | response             | 120,000 | 100   |        |
        | response             | 155,500 | 100   |        |
        | response             | 156,000 | 100   |        |
        | clearing             |         |       |        |
        | automatic compaction | 156,110 |       |        |
        | response             | 30,000  | 100   |        |
      When it is checked
      Then the result is
        | predicted after | missed | early |
        | 1               |        |       |

  @RPL_02
  Rule: If a session does not record who asked for a compaction, the check accepts a prediction for it and never counts it as missed
    Source: pi's source, which compacts above the window less 16,384 tokens, by what the last response reports; a recorded
    session of pi, which was compacted by hand at 175,004 tokens, and by pi at 185,014 after 182,858.

    Scenario Outline: Two compactions of pi in a window of 200,000 tokens
      Given a session of pi
        | record     | read     | wrote | result  |
        | response   | 150,000  | 100   | 8,000   |
        | response   | 174,904  | 100   | 200,000 |
        | compaction |          |       |         |
        | response   | 30,000   | 100   | 8,000   |
        | response   | <before> | 100   | 8,000   |
        | response   | <last>   | 100   | 8,000   |
        | compaction |          |       |         |
        | response   | 30,000   | 100   |         |
        | response   | 32,000   | 100   |         |
      When it is checked
      Then the result is
        | predicted after | missed | early   |
        | <predicted>     |        | <early> |

      Examples: Tokens that the last two responses before the second one read
        | description            | before  | last    | predicted | early |
        | exactly the threshold  | 182,758 | 183,516 |           |       |
        | one token above it     | 182,758 | 183,517 | 4         |       |
        | by hand                | 100,000 | 110,000 |           |       |

  @RPL_02
  Rule: The check names what the file lacks of what was sent
    Source: recorded sessions of Claude Code, which hold no system prompt and no tools, and of which one begins at 286,513
    tokens.

    Scenario Outline: What is lacking
      Given a session of Claude Code 2.1.38
        | record   | read    | wrote |
        | response | <read>  | 100   |
        | response | <later> | 100   |
      When it is checked
      Then the result is
        | notes    |
        | …<note>… |

      Examples: Two responses
        | description                | read    | later   | note                                                            |
        | the system prompt          | 20,020  | 21,000  | the system prompt and the tools are not in the file: about 20,000 tokens |
        | its beginning              | 100,020 | 101,000 | the file begins in the middle of a session: 100,000 tokens before its first response are not in it |
        | the usage of a response    | 20,020  | 0       | 1 of 2 responses tell no usage                                  |
