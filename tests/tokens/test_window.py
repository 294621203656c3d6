"""The account agrees with counting everything again, at every step."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from brim.tokens.calibration import Calibrations
from brim.tokens.estimation import Size
from brim.tokens.usage import TokenUsage
from brim.tokens.window import WindowAccount

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
        assert self.account.estimated == self.estimate(self.everything)
        self.base, self.since, self.everything = 0, [size], [size]
        self.account.compacted(size)
        assert self.account.estimated == self.estimate([size])
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


def rounds(account, number, *, characters=10_000, growth=4_000, media=0, model="m"):
    """So many rounds: something is appended, and a response of 20 tokens tells how far the window grew."""
    for _ in range(number):
        account.append(Size(characters, media))
        read = account.reported + growth + media
        account.record(TokenUsage(input=read - 100, cache_read=100, output=20), model=model, response=Size(1))


def test_nothing_is_learned_across_a_compaction():
    """What was held before it is no longer what is sent."""
    calibrations = Calibrations()
    account = WindowAccount(calibrations=calibrations)
    rounds(account, 2)
    account.compacted(Size(10_000))
    rounds(account, 1)
    assert calibrations["m"].samples == 1


def test_a_placeholder_teaches_nothing():
    """Neither a usage of zeros nor a synthetic model's."""
    calibrations = Calibrations()
    account = WindowAccount(calibrations=calibrations)
    rounds(account, 1)
    account.append(Size(10_000))
    account.record(TokenUsage(input=0), model="m", response=Size(1))
    account.record(TokenUsage(input=9_000), model="<synthetic>", response=Size(1))
    assert (calibrations["m"].samples, set(calibrations)) == (0, set())


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
    """However much was appended, the account keeps numbers, no list of them."""
    account = WindowAccount()
    account.append(Size(count))
    assert not any(isinstance(one, (list, set)) for one in vars(account).values())
    assert account.held == math.ceil(count / 4)
