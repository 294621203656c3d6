"""Steps of features/tokens/calibration.feature."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest
from pytest_bdd import given, then, when

from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.models import ModelLimits
from brim.tokens.calibration import Calibrations
from brim.tokens.estimation import Size
from brim.tokens.usage import TokenUsage
from brim.tokens.window import WindowAccount
from steps.vocabulary import attempt, phrase

MODEL = "a model"
RESPONSE = {"tokens": 70, "size": Size(200)}
"""What every response wrote, where the rule does not turn on it."""


@pytest.fixture
def calibrations():
    """What was learned so far: nothing."""
    return Calibrations()


@given(phrase("{calls:Count} calls of a model that each added {characters:Count} characters and {growth:Count} tokens"))
def calls_of_model(calibrations, calls, characters, growth):
    for _ in range(calls):
        calibrations.learn(MODEL, growth, characters)


@given(
    phrase(
        '{calls:Count} calls of "{model:Quoted}" that each added '
        "{characters:Count} characters and {growth:Count} tokens"
    )
)
def calls_of_named_model(calibrations, calls, model, characters, growth):
    for _ in range(calls):
        calibrations.learn(model, growth, characters)


@given(phrase("1 more call that added {characters:Count} characters and {growth:Count} tokens"))
def one_more_call(calibrations, characters, growth):
    calibrations.learn(MODEL, growth, characters)


@given("an account of a window that is told the size of each response", target_fixture="rounds")
def learning_account():
    return WindowAccount(), {"response": RESPONSE["size"]}


@given("an account of a window that is not told the size of each response", target_fixture="rounds")
def untold_account():
    return WindowAccount(), {}


@given("an account of a window that is fixed at 4 characters a token", target_fixture="rounds")
def fixed_account():
    return WindowAccount(characters_per_token=4), {"response": RESPONSE["size"]}


@given(
    phrase(
        "{rounds_made:Count} rounds of {characters:Count} characters that were each reported as {growth:Count} tokens"
    ),
    target_fixture="account",
)
def rounds_of(rounds, rounds_made, characters, growth):
    return go_round(*rounds, rounds_made, Size(characters), growth)


@given(
    phrase(
        "{rounds_made:Count} rounds of {characters:Count} characters and {media:Count} tokens of media "
        "that were each reported as {growth:Count} tokens"
    ),
    target_fixture="account",
)
def rounds_with_media(rounds, rounds_made, characters, media, growth):
    return go_round(*rounds, rounds_made, Size(characters, media), growth)


@when("its characters a token are asked for", target_fixture="ratio")
def ask(calibrations):
    return calibrations.of(MODEL).characters_per_token


@when(phrase('the characters a token of "{model:Quoted}" are asked for'), target_fixture="ratio")
def ask_named(calibrations, model):
    return calibrations.of(model).characters_per_token


@when(phrase("{characters:Count} characters are appended"), target_fixture="estimated")
def append(account, characters):
    account.append(Size(characters))
    return account.held - account.reported


@when(phrase('an account is opened at "{ratio:Quoted}" characters a token'), target_fixture="outcome")
def open_account(ratio):
    return attempt(WindowAccount, characters_per_token=ratio)


@when("an account is opened at a truth value", target_fixture="outcome")
def open_account_at_truth():
    return attempt(WindowAccount, characters_per_token=True)


@then(phrase("they are {expected:Number}"))
def check_ratio(ratio, expected):
    assert ratio == Fraction(expected)


@then(phrase("they are {characters:Count} to {growth:Count}"))
def check_proportion(ratio, characters, growth):
    assert ratio == Fraction(characters, growth)


@then(phrase("they are estimated at {expected:Tokens} tokens"))
def check_estimated(estimated, expected):
    assert estimated == expected


def go_round(account, told, number, appended, growth):
    """So many rounds: something is appended, and the next response reads so many tokens more."""
    held = 20_000
    account.record(TokenUsage(input=held), **told)
    for _ in range(number):
        account.append(appended)
        account.record(TokenUsage(input=growth, cache_read=held, output=RESPONSE["tokens"]), **told)
        held = account.held
    return account


LONG = 30_000
"""Characters of each of the agent's messages."""


class Taught:
    """An agent whose provider reports what its messages take, and the request that it makes next."""

    def __init__(self, ratio: Fraction, model: str) -> None:
        limits = ModelLimits(context_window=10_000_000, max_output_tokens=8_000)
        self.compactor = Compactor(None, model, limits=limits)
        self.conversation = Conversation(self.compactor)
        self.conversation.append(asking())
        self.ratio, self.model = ratio, model

    def hear(self, count: int, *models: str) -> None:
        """So many responses, by these models in turn."""
        for number in range(count):
            said = sum(len(message["content"]) for message in self.conversation.messages)
            usage = {"input_tokens": int(said / self.ratio), "output_tokens": 1}
            self.conversation.prepare()
            self.conversation.record(SimpleNamespace(usage=usage, model=models[number % len(models)]))
            self.conversation.extend([{"role": "assistant", "content": "ok"}, asking()])
        self.next = self.conversation.prepare()


def asking() -> dict[str, str]:
    """A long message of the user's."""
    return {"role": "user", "content": "x" * LONG}


@given(
    phrase('an agent whose messages take {ratio:Number} characters a token, by the usage of "{model:Quoted}"'),
    target_fixture="taught",
)
def taught_agent(ratio, model):
    return Taught(Fraction(ratio), model)


@when(phrase("it has had {count:Count} responses"))
def hear(taught, count):
    taught.hear(count, taught.model)


@when(phrase("it has had {count:Count} responses, and is compacted"))
def hear_and_compact(taught, count):
    taught.hear(count, taught.model)
    taught.next = taught.conversation.overflowed()
    assert taught.next.compaction is not None


@when(phrase("it has had {count:Count} responses, and another agent begins"))
def another_begins(taught, count):
    taught.hear(count, taught.model)
    other = Conversation(taught.compactor)
    other.append({"role": "user", "content": "Hello."})
    taught.next = other.prepare()


@when(phrase("it has had {count:Count} responses, by two models in turn"))
def hear_two(taught, count):
    taught.hear(count, taught.model, "model-b")


@then(phrase("the next request is estimated at {ratio:Number} characters a token"))
def check_estimates(taught, ratio):
    assert abs(taught.next.window.characters_per_token - Fraction(ratio)) < Fraction(1, 100)
