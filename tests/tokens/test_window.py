"""The account agrees with counting everything again, at every step."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from brim.errors import InvalidInput
from brim.tokens.calibration import Calibrations
from brim.tokens.estimation import Size
from brim.tokens.usage import TokenUsage
from brim.tokens.window import Change, WindowAccount

sizes = st.builds(Size, st.integers(0, 10**5), st.sampled_from([0, 0, 1_600]))
usages = st.builds(TokenUsage, input=st.integers(0, 10**5), cache_read=st.integers(0, 10**5), output=st.integers(0, 99))


class Recount(RuleBasedStateMachine):
    """An account beside the plainest reading of its rules: a list of all that happened."""

    def __init__(self):
        super().__init__()
        self.account = WindowAccount(characters_per_token=Fraction(5, 2))
        self.base = 0
        self.since = []
        self.everything = []

    @rule(size=sizes)
    def append(self, size):
        """Something is appended."""
        self.account.append(size)
        self.since.append(size)
        self.everything.append(size)

    @rule(usage=usages, size=sizes, model=st.sampled_from(["", "claude", "<synthetic>"]))
    def record(self, usage, size, model):
        """A response comes back."""
        measured = self.account.record(usage, model=model, response=size)
        assert measured == (usage.total > 0 and model != "<synthetic>")
        self.everything.append(size)
        self.since.append(size)
        if measured:
            self.base, self.since = usage.total, []

    @rule(size=sizes)
    def compact(self, size):
        """The conversation is compacted."""
        before = self.estimate(self.everything)
        self.base, self.since, self.everything = 0, [size], [size]
        assert self.account.compacted(size) == Change(before, self.estimate([size]))
        assert self.account.reported == 0

    @invariant()
    def agrees(self):
        """Held, reported and estimated are what a recount makes of it."""
        assert self.account.held == self.base + self.estimate(self.since)
        assert self.account.reported == self.base
        assert self.account.estimated == self.estimate(self.everything)

    @staticmethod
    def estimate(sizes):
        """All of it, rounded once."""
        characters = sum(size.characters for size in sizes)
        return math.ceil(Fraction(characters * 2, 5)) + sum(size.media_tokens for size in sizes)


TestRecount = Recount.TestCase


def test_a_new_account_holds_nothing():
    """Before anything was appended."""
    account = WindowAccount()
    assert (account.held, account.reported, account.estimated) == (0, 0, 0)
    assert account.characters_per_token == 4


def test_a_profile_may_measure_in_its_own_way():
    """The measure says what a usage counts; what was appended since is added to it."""
    account = WindowAccount(measure=lambda usage: usage.output)
    account.record(TokenUsage(input=100, output=7))
    account.append(Size(5))
    assert (account.held, account.reported) == (9, 7)


@pytest.mark.parametrize("ratio", [0, -1, "x"])
def test_no_ratio_is_told_at_once(ratio):
    """Not at the first estimate."""
    with pytest.raises(InvalidInput):
        WindowAccount(characters_per_token=ratio)


def test_the_name_of_the_ratio_is_told():
    """The message names what has to be above 0."""
    with pytest.raises(InvalidInput, match=r"^characters per token is 0; it has to be above 0$"):
        WindowAccount(characters_per_token=0)


def rounds(account, number, *, characters=10_000, growth=4_000, media=0, model="m"):
    """So many rounds: something is appended, and a response of 20 tokens tells how far the window grew."""
    for _ in range(number):
        account.append(Size(characters, media))
        read = account.reported + growth + media
        account.record(TokenUsage(input=read - 100, cache_read=100, output=20), model=model, response=Size(1))


def test_learning_begins_with_the_second_response():
    """The first has nothing to be compared with."""
    calibrations = Calibrations()
    account = WindowAccount(calibrations=calibrations)
    rounds(account, 3)
    assert (calibrations.of("m").samples, account.characters_per_token) == (2, 4)
    rounds(account, 1)
    assert (calibrations.of("m").samples, account.characters_per_token) == (3, Fraction(5, 2))


def test_what_media_took_is_not_put_down_to_characters():
    """An image's tokens are taken off the growth before it is learned from."""
    calibrations = Calibrations()
    rounds(WindowAccount(calibrations=calibrations), 4, media=1_600)
    assert calibrations.of("m").characters_per_token == Fraction(5, 2)


def test_the_response_itself_teaches_nothing():
    """Its tokens are part of the last usage, and its characters are not counted."""
    calibrations = Calibrations()
    account = WindowAccount(calibrations=calibrations)
    account.record(TokenUsage(input=1_000, output=500), model="m", response=Size(2_000))
    account.append(Size(10_000))
    account.record(TokenUsage(input=5_500, output=900), model="m", response=Size(9_999))
    assert (calibrations.of("m").tokens, calibrations.of("m").characters) == (4_000, 10_000)


def test_nothing_is_learned_across_a_compaction():
    """What was held before it is no longer what is sent."""
    calibrations = Calibrations()
    account = WindowAccount(calibrations=calibrations)
    rounds(account, 2)
    account.compacted(Size(10_000))
    rounds(account, 1)
    assert calibrations.of("m").samples == 1


def test_a_placeholder_teaches_nothing():
    """Neither a usage of zeros nor a synthetic model's."""
    calibrations = Calibrations()
    account = WindowAccount(calibrations=calibrations)
    rounds(account, 1)
    account.append(Size(10_000))
    account.record(TokenUsage(input=0), model="m", response=Size(1))
    account.record(TokenUsage(input=9_000), model="<synthetic>", response=Size(1))
    assert (calibrations.of("m").samples, set(calibrations.models)) == (0, set())


def test_conversations_may_share_what_was_learned():
    """What one account learned of a model, another uses from its first response on."""
    calibrations = Calibrations()
    rounds(WindowAccount(calibrations=calibrations), 4)
    other = WindowAccount(calibrations=calibrations)
    other.record(TokenUsage(input=10), model="m")
    assert other.characters_per_token == Fraction(5, 2)
    assert WindowAccount().characters_per_token == 4


def test_a_fixed_ratio_stays():
    """Whatever was learned meanwhile, which others may use."""
    calibrations = Calibrations()
    account = WindowAccount(characters_per_token=4, calibrations=calibrations)
    rounds(account, 5)
    assert account.characters_per_token == 4
    assert calibrations.of("m").characters_per_token == Fraction(5, 2)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_what_is_cleared_is_taken_off_and_never_more(held, cleared):
    """Of the window, down to nothing; and of the estimate of everything."""
    account = WindowAccount()
    account.append(Size(4 * held))
    account.record(TokenUsage(input=held, output=1))
    account.append(Size(-cleared))
    assert account.held == max(held + 1 - cleared // 4, 0)
    assert account.estimated == held - cleared // 4


@given(st.integers(1, 10**6))
def test_holding_costs_no_walk(count):
    """However much was appended, the account keeps four numbers, no list."""
    account = WindowAccount()
    account.append(Size(count))
    assert not hasattr(account, "__dict__")
    assert account.held == math.ceil(count / 4)
