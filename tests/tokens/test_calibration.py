"""What is learned of a model is exact, and never outside what a token can be."""

from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.models import ModelLimits
from brim.tokens.calibration import Calibration
from brim.tokens.estimation import Size
from brim.tokens.usage import TokenUsage
from brim.tokens.window import WindowAccount

samples = st.lists(st.tuples(st.integers(-10, 10**6), st.integers(-10, 10**6)), max_size=30)


@given(samples)
def test_a_ratio_is_always_one_that_a_token_can_have(listed):
    """Whatever was seen, and the same in any order."""
    calibration, backwards = Calibration(), Calibration()
    for growth, characters in listed:
        calibration = calibration.learn(growth, characters)
    for growth, characters in reversed(listed):
        backwards = backwards.learn(growth, characters)
    assert 1 <= calibration.characters_per_token <= 8
    assert calibration == backwards


def test_a_call_in_which_nothing_happened_is_no_sample():
    """Nor is one in which nothing grew."""
    assert Calibration().learn(0, 0) == Calibration().learn(-1, 0) == Calibration().learn(0, 5) == Calibration()


@pytest.mark.parametrize(
    ("account", "told", "media", "tokens"),
    [
        (WindowAccount(), True, 0, 400),
        (WindowAccount(), True, 1_600, 400),
        (WindowAccount(characters_per_token=4), True, 0, 250),
        (WindowAccount(), False, 0, 250),
    ],
)
def test_a_running_account_learns_from_responses(account, told, media, tokens):
    """If it is told the size of each response; what an image takes is not put down to characters (TOK_09)."""
    response = {"response": Size(200)} if told else {}
    held = 20_000
    account.record(TokenUsage(input=held), **response)
    for _ in range(3):
        account.append(Size(10_000, media))
        account.record(TokenUsage(input=4_000 + media, cache_read=held, output=70), **response)
        held = account.held
    account.append(Size(1_000))
    assert account.held - account.reported == tokens


LONG = {"role": "user", "content": "x" * 30_000}


class Taught:
    """An agent whose provider reports a token for each 2.5 characters of its messages."""

    def __init__(self) -> None:
        limits = ModelLimits(context_window=10_000_000, max_output_tokens=8_000)
        self.compactor = Compactor(None, "model-a", limits=limits)
        self.conversation = Conversation(self.compactor)
        self.conversation.append(LONG)

    def hear(self, count: int, *models: str) -> None:
        """So many responses, by these models in turn."""
        for number in range(count):
            said = sum(len(message["content"]) for message in self.conversation.messages)
            usage = {"input_tokens": int(said / Fraction(5, 2)), "output_tokens": 1}
            self.conversation.prepare()
            self.conversation.record(SimpleNamespace(usage=usage, model=models[number % len(models)]))
            self.conversation.extend([{"role": "assistant", "content": "ok"}, LONG])

    def ratio(self, *, overflowed: bool = False, another: bool = False) -> float:
        """The characters a token of the next request, of one behind an overflow, or of another agent's."""
        if another:
            self.conversation = Conversation(self.compactor)
            self.conversation.append({"role": "user", "content": "Hello."})
        outgoing = self.conversation.prepare()
        outgoing = self.conversation.overflowed() if overflowed else outgoing
        assert (outgoing.compaction is not None) == overflowed
        return outgoing.window.characters_per_token


@pytest.mark.parametrize(
    ("count", "models", "then", "ratio"),
    [
        (2, ["model-a"], {}, 4),
        (5, ["model-a"], {}, 2.5),
        (5, ["model-a"], {"overflowed": True}, 2.5),
        (5, ["model-a"], {"another": True}, 2.5),
        (6, ["model-a", "model-b"], {}, 4),
    ],
)
def test_a_compactor_shares_what_it_learned_between_conversations_of_a_model(count, models, then, ratio):
    """Behind a compaction too, and not if the model changed at each response (TOK_09)."""
    taught = Taught()
    taught.hear(count, *models)
    assert abs(taught.ratio(**then) - ratio) < 0.01
