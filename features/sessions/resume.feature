Feature: Resume
  A session is resumed by reading its log from the end, as far back as what the model sees reaches. What was
  compacted away is not read, so a session of a year opens as fast as one of today.

  @SES_06
  Rule: What is read to resume grows with what is visible, not with the age of the session
    Source: the design of context windowing asks that sessions can run indefinitely (S3, success metrics).
    Stores that read the whole log need longer with each message; a session of 100,000 messages took the
    best of those measured 404 ms. S2, section 11, asks how storage grows, and about a million tokens.

    Scenario Outline: Sessions of different age that show the same
      Given a session of <messages> messages of which 20 are visible
      When it is resumed
      Then it shows 21 messages
      And no more than 200,000 bytes of its log were read

      Examples:
        | description  | messages |
        | of an hour   | 100      |
        | of a month   | 20,000   |

    Scenario: What was undone is read again
      Given a session of 1,000 messages of which 20 are visible
      When the compaction is undone and it is resumed
      Then it shows 1,000 messages

  @SES_06
  Rule: The messages for the next request are those that the Messages API accepts
    Source: transcripts that other agents really wrote. Most record thinking without a signature, which the API
    refuses, and one begins in the middle of a conversation, with an answer.

    Scenario Outline: What the API refuses is left out, and a note says of how many messages
      Given a session made of a transcript of <agent>
      When brim <command> writes its messages to a file
      Then the API accepts the <count> messages in it
      And the page has the note "<note>"

      Examples:
        | description                | command | agent                    | count | note                                                                                                |
        | no thinking                | resume  | Claude Code              | 4     |                                                                                                     |
        | signed thinking            | resume  | Claude Code that thought | 4     |                                                                                                     |
        | unsigned thinking          | resume  | Gemini CLI that thought  | 4     | thinking without a signature was left out of 1 message: Anthropic's API does not take it back       |
        | a message of thinking alone | resume | OpenCode that thought    | 4     | thinking without a signature was left out of 3 messages: Anthropic's API does not take it back      |
        | an answer first            | resume  | Claude Code from its middle on | 4 | a message of brim was put first: the session begins with the assistant, and Anthropic's API wants the user's message first |
