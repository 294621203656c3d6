"""Aider's chat history: whose a line is, the tokens it tells, several chats in a file."""

import pytest

from brim.conversation.messages import Text, Thinking
from brim.conversation.turns import find_turns
from brim.transcripts import read_transcript, view
from brim.transcripts.aider import usage_of

HEAD = """
# aider chat started at 2025-06-02 11:47:49

> Aider v0.84.0\x20\x20
> Main model: gemini/pro with diff edit format\x20\x20
"""


@pytest.fixture
def history(written):
    """Reads a history of one chat."""
    return lambda text, head=HEAD: read_transcript(written(head + text))


def told(transcript):
    """Who said what, message by message."""
    return [(message.role, message.text) for message in transcript.messages]


ONE = """
#### one\x20\x20
#### more\x20\x20
> Thinking…\x20\x20

Here:

#### a heading

> a quote

> Tokens: 9.7k sent, 85 received.\x20\x20
"""


def test_a_chat(history):
    """The user's lines and aider's own end in two blanks; all others are the model's, its headings and quotes too."""
    transcript = history(ONE)
    assert (transcript.format, transcript.version, transcript.model) == ("aider", "0.84.0", "gemini/pro")
    assert told(transcript) == [("user", "one\nmore"), ("assistant", "Here:\n\n#### a heading\n\n> a quote")]
    assert (transcript.responses[0].usage.input, transcript.responses[0].usage.output) == (9_700, 85)
    assert transcript.lines == (7, 11)
    assert len(transcript.notes) == 2


@pytest.mark.parametrize(
    ("line", "total"),
    [
        ("Tokens: 5,244 sent, 604 received. Cost: $0.01 message", 5_848),
        ("Tokens: 12k sent, 1.1k received.", 13_100),
        ("Tokens: 1.2M sent, 10.0k received.", 1_210_000),
        ("Tokens: 12k sent, 2k cache write, 3k cache hit, 500 received.", 12_500),
        ("Tokens: many sent", None),
    ],
)
def test_tokens(line, total):
    """Tokens are told whole or rounded; what was read from the cache is part of what was sent."""
    usage = usage_of(line)
    assert (usage and usage["prompt_tokens"] + usage["completion_tokens"]) == total


def test_thinking(history):
    """What the model thought aloud is thinking, whichever way it is set apart."""
    tagged = "<thinking-content-ab12>\nhm\n</thinking-content-ab12>\n\nYes.\n"
    set_apart = "► **THINKING**\n\nso\n\n► **ANSWER**\n\nNo.\n"
    transcript = history(f"\n#### one  \n\n{tagged}\n#### two  \n\n{set_apart}")
    assert [[type(part) for part in transcript.messages[place].parts] for place in (1, 3)] == [[Thinking, Text]] * 2
    assert [transcript.messages[place].text for place in (1, 3)] == ["Yes.", "No."]


def test_what_aider_sends_by_itself(history):
    """Edits that did not apply go back to the model: what aider said stands between the answers, and begins no turn."""
    refused = "> # 1 SEARCH/REPLACE block failed to match!\n\n## why\n  \n"
    transcript = history(f"{ONE}> Applied edit  \n{refused}\nSorry.\n\n> Tokens: 10k sent, 5 received.  \n")
    assert [role for role, _ in told(transcript)] == ["user", "assistant", "user", "assistant"]
    assert transcript.messages[2].text.startswith("<system-reminder>\nApplied edit\n# 1 SEARCH/REPLACE block")
    assert len(find_turns(transcript.messages)) == 1


def test_an_answer_that_nobody_asked_for(history):
    """An answer to a comment in a file follows what aider said; words without tokens are no answer."""
    transcript = history("> Processing your request...  \n\nDone.\n\n> Tokens: 10k sent, 5 received.  \n")
    assert [role for role, _ in told(transcript)] == ["user", "assistant"]
    assert history("usage: aider\n\n#### one  \n").left_out["lines outside a chat"] == 1


def test_commands_and_questions(history):
    """Commands to aider and its questions are not sent; a command that brings words for the model is."""
    transcript = history("\n#### /undo  \n> Undone  \n\n#### Add it? (Y)es/(N)o [Yes]: y  \n\n#### /ask why  \n\nSo.\n")
    assert told(transcript) == [("user", "/ask why"), ("assistant", "So.")]
    assert (transcript.left_out["commands"], transcript.left_out["questions of aider's"]) == (1, 1)


def test_an_interrupted_answer(history):
    """An answer that the user broke off is marked."""
    marks = history("\n#### one  \n\nLet me\n\n> ^C KeyboardInterrupt  \n").messages[1].marks
    assert marks.aborted


def test_several_chats(history):
    """Each chat is a conversation of its own, and those in which nothing was said are counted."""
    transcript = history(f"{ONE}{HEAD}{HEAD}\n#### two  \n\nYes.\n{HEAD}")
    assert transcript.begins == (2,)
    assert transcript.left_out["chats without a word"] == 2
    assert [message.text for message in view(transcript).messages] == ["two", "Yes."]
    assert len(view(transcript, 0).messages) == 2


def test_line_ends_of_other_systems(written):
    """Carriage returns and a byte order mark change nothing."""
    text = "\ufeff" + (HEAD + ONE).lstrip().replace("\n", "\r\n")
    assert len(read_transcript(written(text.encode())).messages) == 2
