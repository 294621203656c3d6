import pytest

from brim.errors import Refused
from brim.summary.summarizer_input import SummaryAnswer, SummaryRequest
from brim.testing import ScriptedSummarizer

REQUEST = SummaryRequest(
    model="claude-opus-5-5",
    messages=({"role": "user", "content": "Sum up."},),
    max_tokens=100,
    form="rendered",
    tokens=7,
    replaces_tokens=5,
)


def ignore(_piece):
    """Nobody listens."""


def test_a_text_becomes_a_whole_answer():
    """A text is answered as a finished answer of the model that was asked, with what it cost by estimate."""
    answer = ScriptedSummarizer("A summary.").summarize(REQUEST, ignore)
    assert (answer.text, answer.stop_reason, answer.model) == ("A summary.", "end_turn", "claude-opus-5-5")
    assert (answer.usage.input, answer.usage.output) == (7, 3)


def test_the_text_is_heard_in_pieces():
    """The pieces that are heard are the text, and there is more than one."""
    heard = []
    ScriptedSummarizer("A summary of it all.").summarize(REQUEST, heard.append)
    assert "".join(heard) == "A summary of it all."
    assert len(heard) == 3


def test_answers_come_in_their_order_and_end():
    """Past its end a script refuses, with the numbers."""
    script = ScriptedSummarizer(["one", SummaryAnswer(failure="transient", reason="busy")])
    assert script.summarize(REQUEST, ignore).text == "one"
    assert script.summarize(REQUEST, ignore).failure == "transient"
    with pytest.raises(Refused, match="request 3 came, and 2 answers were written"):
        script.summarize(REQUEST, ignore)


def test_every_request_is_kept():
    """What was asked can be looked at, even where the answer was an error."""
    script = ScriptedSummarizer(["one", ValueError()])
    script.summarize(REQUEST, ignore)
    with pytest.raises(ValueError):
        script.summarize(REQUEST, ignore)
    assert script.requests == (REQUEST, REQUEST)
