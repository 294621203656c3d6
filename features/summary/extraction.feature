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
      When the summary is taken out of "<answer>"
      Then the summary is "<summary>"

      Examples:
        | description                     | answer                                                        | summary                           |
        | words around                    | Here it is:\n<summary>Added the parser.</summary>\nGood luck! | Added the parser.                 |
        | in capital letters              | <SUMMARY>Added the parser.</Summary>                          | Added the parser.                 |
        | several lines are kept          | <summary>Added:\n- the parser\n- its tests</summary>          | Added:\n- the parser\n- its tests |
        | empty tags with any text around | I have nothing to add. <summary> </summary>                   |                                   |

      Examples: No tags
        | description          | answer                                  | summary                                 |
        | plain words          | Added the parser.                       | Added the parser.                       |
        | tags of another name | <summaries>Added the parser</summaries> | <summaries>Added the parser</summaries> |

      Examples: Tags that models get wrong
        | description                | answer                                                              | summary                              |
        | two pairs are joined       | <summary>Done so far.</summary> And: <summary>Left to do.</summary> | Done so far.\n\nLeft to do.          |
        | a pair within a pair       | <summary>Asked for <summary>x</summary> tags.</summary>             | Asked for <summary>x</summary> tags. |
        | never closed               | Sure. <summary>Added the parser.                                    | Added the parser.                    |
        | named before they are used | I use <summary> tags: <summary>Added the parser.</summary>          | Added the parser.                    |

    Scenario Outline: Reasoning in front of the summary is no part of it
      When the summary is taken out of "<answer>"
      Then the summary is "<summary>"

      Examples:
        | description              | answer                                                                               | summary                                     |
        | over several lines       | <analysis>\nLong.\n</analysis>\n<summary>Added the parser.</summary>                 | Added the parser.                           |
        | it names the tags        | <analysis>A <summary>draft</summary>.</analysis><summary>Added the parser.</summary> | Added the parser.                           |
        | by a server's own mark   | <think>Long.</think>\nAdded the parser.                                              | Added the parser.                           |
        | named behind the summary | Added the parser. <think> is a tag.</think>                                          | Added the parser. <think> is a tag.</think> |

  @SUM_04
  Rule: Answers that ended in an error are not summarized, unless the user aborted them and they have content
    Source: the filter in front of OpenCode's summary call, as quoted in the comparison of OpenCode
    and Claude Code (S2, section 2): of errored answers only aborted ones with more than step
    markers and reasoning pass. A text without a visible character is not real either: brim.

    Scenario Outline: A message counts by its writer and its end
      Given the conversation <conversation>
      When what is worth summarizing is gathered
      Then the messages kept are "<kept>"

      Examples:
        | description                        | conversation                                 | kept    |
        | words that ended well              | assistant                                    | 0       |
        | words that ended in an error       | assistant error                              |         |
        | the user's messages, and the order | user error, assistant error, user, assistant | 0, 2, 3 |

    Scenario Outline: An answer that the user aborted counts by its content
      Given the conversation
        | speaker   | thinks   | says   | calls   | holds   | mark           |
        | assistant | <thinks> | <says> | <calls> | <holds> | error, aborted |
      When what is worth summarizing is gathered
      Then the messages kept are "<kept>"

      Examples:
        | description         | thinks | says  | calls | holds    | kept |
        | words               |        | Done. |       |          | 0    |
        | a tool call         |        |       | A     |          | 0    |
        | thinking alone      | Hm.    |       |       |          |      |
        | thinking and marker | Hm.    |       |       | patch    |      |
        | blank words         |        | \n    |       |          |      |
