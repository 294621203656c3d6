"""Steps of features/tokens/window.feature."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from pytest_bdd import parsers, when

from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.models import ModelLimits
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import ScriptedSummarizer
from brim.tokens.estimation import Size
from brim.tokens.usage import TokenUsage
from brim.tokens.window import WindowAccount
from steps.vocabulary import number, tokens
from steps.worlds.conversation_line import Line
from steps.worlds.notation import Acts, ActsBelow

IMAGE = 1_600


class Account:
    """The running account of a window, and what became of it."""

    def __init__(self) -> None:
        self.account = WindowAccount()
        self.before = self.after = 0
        self.measured: bool | None = None

    def hears(self, count: str, text: str | None) -> None:
        """Take the usage of a response, of a text of so many characters."""
        response = Size(tokens(text)) if text else None
        self.measured = self.account.record(TokenUsage(input=tokens(count)), response=response)

    def grows(self, characters: str, image: str | None) -> None:
        """Take a message."""
        self.account.append(Size(tokens(characters), IMAGE if image else 0))

    def clears(self, characters: str) -> None:
        """Lose what outputs held."""
        self.account.append(Size(-tokens(characters)))

    def is_compacted(self, characters: str, image: str | None) -> None:
        """Be compacted to so much."""
        self.before = self.account.estimated
        self.account.compacted(Size(tokens(characters), IMAGE if image else 0))
        self.after = self.account.estimated


SIZE = r"([\d,]+) characters?( and an image)?"
WINDOW = Acts(
    "the window {acts}",
    {
        r"hears of ([\d,]+) tokens(?: in ([\d,]+) characters)?": Account.hears,
        f"grows by {SIZE}": Account.grows,
        r"clears ([\d,]+) characters": Account.clears,
        f"is compacted to {SIZE}": Account.is_compacted,
    },
)


@when(WINDOW, target_fixture="outcome")
def keep_account(acts):
    return kept([acts])


@when(ActsBelow("the window acts", WINDOW), target_fixture="outcome")
def keep_account_in_turn(datatable):
    return kept([cell for row in datatable for cell in row])


def kept(lines: Sequence[str]) -> SimpleNamespace:
    """Return what an account says after all that happened."""
    one = Account()
    WINDOW.perform(one, lines)
    return SimpleNamespace(held=one.account.held, before=one.before, after=one.after, measured=one.measured)


@when(
    parsers.re(
        r"the window is measured (?:with (?P<appended>[\d,]+) characters behind it(?: at (?P<ratio>[\d.]+) characters "
        r"a token)?|behind a compaction by that response)"
    ),
    target_fixture="outcome",
)
def measure(implementation, usage, appended, ratio):
    if appended is None:
        return after_compaction(usage)
    options = {"characters_per_token": number(ratio)} if ratio else {}
    return implementation("window_held", last_usage=usage or None, appended_text="x" * tokens(appended), **options)


def after_compaction(usage: dict[str, int]) -> int:
    """Return what the window holds after a summary whose call reported a usage."""
    answer = SummaryAnswer(text="All went well.", usage=TokenUsage(**usage))
    limits = ModelLimits(context_window=20_000, max_output_tokens=2_000)
    conversation = Conversation(Compactor(limits=limits, summarizer=ScriptedSummarizer(answer)))
    conversation.extend(Line.read("20 turns of 1,000").raws)
    prepared = conversation.prepare()
    assert prepared.compaction.summary.endswith("All went well.")
    return prepared.window.held
