Feature: Extraction
  A model is asked to put its summary between tags. What it writes around them is meant for
  nobody, so that only what stands inside becomes the summary; and a model that forgets the
  tags still has its work taken. Before that, answers that broke off with an error are left
  out of what the model is given to summarize, because an error is not a part of the work.

  @SUM_03 @portable
  Rule: The summary is the text inside the summary tags, or the whole answer without tags
    Source: the Anthropic SDK's compaction prompt, which ends by asking for the tags, as quoted in
    the comparison of OpenCode and Claude Code (S2, section 8). That prompt does not say what
    becomes of several pairs, of a pair left open, or of tags that are named in passing; brim's
    reading of each is shown here. Reasoning in front of an answer, in tags of any model, is no part of it.

    Scenario Outline: The summary is the text between the tags
      Given an answer that reads "<answer>"
      When the summary is taken out of it
      Then the summary reads "<summary>"

      Examples: Tags as they were asked for
        | description               | answer                                                        | summary           |
        | nothing around            | <summary>Added the parser.</summary>                          | Added the parser. |
        | words around              | Here it is:\n<summary>Added the parser.</summary>\nGood luck! | Added the parser. |
        | on lines of their own     | <summary>\nAdded the parser.\n</summary>                      | Added the parser. |
        | in capital letters        | <SUMMARY>Added the parser.</Summary>                          | Added the parser. |
        | with an attribute         | <summary lang='en'>Added the parser.</summary>                | Added the parser. |
        | several lines are kept    | <summary>Added:\n- the parser\n- its tests</summary>          | Added:\n- the parser\n- its tests |
        | other tags inside         | <summary><goal>A parser</goal></summary>                      | <goal>A parser</goal> |

      Examples: No tags
        | description               | answer                                   | summary                       |
        | plain words               | Added the parser.                        | Added the parser.             |
        | white space around        | \n  Added the parser.\n                  | Added the parser.             |
        | tags of another name      | <summaries>Added the parser</summaries>  | <summaries>Added the parser</summaries> |

      Examples: Tags that models get wrong
        | description               | answer                                                             | summary                           |
        | two pairs are joined      | <summary>Done so far.</summary> And: <summary>Left to do.</summary> | Done so far.\n\nLeft to do.       |
        | an empty one among two    | <summary> </summary><summary>Left to do.</summary>                 | Left to do.                       |
        | a pair within a pair      | <summary>Asked for <summary>x</summary> tags.</summary>            | Asked for <summary>x</summary> tags. |
        | never closed              | Sure. <summary>Added the parser.                                   | Added the parser.                 |
        | only closed               | Added the parser.</summary> Done.                                  | Added the parser.                 |
        | named before they are used | I use <summary> tags: <summary>Added the parser.</summary>        | Added the parser.                 |
        | closed once too often     | <summary>Added the parser.</summary></summary>                     | Added the parser.                 |

      Examples: Thinking aloud before it
        | description               | answer                                                             | summary           |
        | an analysis               | <analysis>Long.</analysis><summary>Added the parser.</summary>     | Added the parser. |
        | over several lines        | <analysis>\nLong.\n</analysis>\n<summary>Added the parser.</summary> | Added the parser. |
        | it names the tags         | <analysis>A <summary>draft</summary>.</analysis><summary>Added the parser.</summary> | Added the parser. |
        | thinking by its own name  | <Thinking>A <summary>draft</summary>.</Thinking><summary>Added the parser.</summary> | Added the parser. |
        | the only tags are in it   | <analysis>No <summary> yet.</analysis> Added the parser.           | Added the parser. |
        | without summary tags      | <analysis>Long.</analysis> Added the parser.                       | Added the parser. |
        | by a server's own mark    | <think>Long.</think>\nAdded the parser.                            | Added the parser. |
        | named behind the summary  | Added the parser. <think> is a tag.</think>                        | Added the parser. <think> is a tag.</think> |

    Scenario: Empty tags make an empty summary, with any text around them
      Given an answer that reads "I have nothing to add. <summary> </summary>"
      When the summary is taken out of it
      Then the summary is empty

  @SUM_04
  Rule: Answers that ended in an error are not summarized, unless the user aborted them and they have content
    Source: the filter in front of OpenCode's summary call, as quoted in the comparison of OpenCode
    and Claude Code (S2, section 2): of errored answers only aborted ones with more than step
    markers and reasoning pass. A text without a visible character is not real either: brim.

    Scenario Outline: An answer counts by its end and its content
      Given an answer of the model that <ended> and holds <content>
      When what is worth summarizing is gathered
      Then the answer is <verdict>

      Examples: It ended well
        | description         | ended                      | content             | verdict  |
        | words               | ended well                 | words               | kept     |
        | thinking alone      | ended well                 | thinking            | kept     |

      Examples: It ended in an error
        | description         | ended                      | content             | verdict  |
        | words               | ended in an error          | words               | left out |
        | a tool call         | ended in an error          | a tool call         | left out |

      Examples: The user broke it off
        | description         | ended                      | content             | verdict  |
        | words               | was broken off by the user | words               | kept     |
        | a tool call         | was broken off by the user | a tool call         | kept     |
        | an image            | was broken off by the user | an image            | kept     |
        | a part of its own   | was broken off by the user | an unknown part     | kept     |
        | thinking alone      | was broken off by the user | thinking            | left out |
        | a marker alone      | was broken off by the user | a marker            | left out |
        | thinking and marker | was broken off by the user | thinking, a marker  | left out |
        | thinking and words  | was broken off by the user | thinking, words     | kept     |
        | blank words         | was broken off by the user | blank words         | left out |
        | nothing             | was broken off by the user | nothing             | left out |

    Scenario: The user's messages stay, in their order
      Given messages that ended so
        | speaker   | ended             | holds |
        | user      | ended in an error | words |
        | assistant | ended in an error | words |
        | user      | ended well        | words |
        | assistant | ended well        | words |
      When what is worth summarizing is gathered
      Then messages 1, 3 and 4 are kept
