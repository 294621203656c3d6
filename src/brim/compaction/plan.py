"""The plan of a compaction: what is kept, what is replaced and why, before anything happens.

Specified by features/compaction/plan.feature (CMP_01, CMP_02).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from brim.compaction.request import Request
from brim.compaction.turn_log import TurnRecord
from brim.conversation.messages import Message
from brim.conversation.tool_pairs import results_of
from brim.models import NO_LIMIT, ModelLimits
from brim.pruning.ledger import Pruning
from brim.selection.anchors import Anchor
from brim.summary.facts import Fact
from brim.tokens.estimation import CHARACTERS_PER_TOKEN, Size, tokens_of
from brim.trigger.verdict import Verdict

NOTHING_TO_COMPACT: Final = "nothing to compact"
NOTHING_LEAVES: Final = "nothing is summarised"
"""Why a message is kept where a plan prunes alone, or does nothing."""
KEPT: Final = "kept"
PRUNED: Final = "pruned"
SUMMARISED: Final = "summarised"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryCall:
    """How a summary is going to be asked for."""

    model: str
    """The model that is asked."""
    way: str
    """The first way the history is handed over: warm prefix, rendered, in pieces, last five turns."""
    why: str
    """Why this way, with its numbers."""
    tokens: int
    """The estimate of what is sent to the summarizer first."""
    max_tokens: int
    """The longest summary, in tokens."""
    prompt: str = ""
    """The version of the prompt it is asked for with: a name, and eight signs that tell the wording."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a compaction would do. Positions are those in `messages`, indices those of the conversation handed in."""

    messages: tuple[Message, ...] = field(repr=False)
    """The conversation as it can be sent: its calls paired (CNV_04), nothing in it that the API refuses (CNV_09)."""
    sources: Sequence[int | None] = field(repr=False)
    """For each of those messages the index it was handed in with; None for one that the pairing added."""
    verdict: Verdict
    """Whether compaction is due."""
    automatic: bool
    """Whether it acts only where it is due; by hand it acts due or not (CMP_07)."""
    profile: str
    """The profile that judged."""
    notices: tuple[str, ...] = ()
    """What whoever chose the profile has to know."""
    reason: str
    """What is done and why, in words."""
    front: tuple[int, ...] = ()
    """Positions kept ahead of the summary: what the harness said before the first turn, and the pins."""
    cut: int = 0
    """Position of the first message kept behind the summary; 0 where nothing is summarised."""
    request: tuple[int, ...] = ()
    """Position of the user's last message where it stands before the cut: kept all the same (SEL_06)."""
    why_kept: str = ""
    """Why the part behind the cut is kept: from an anchor on, recent turns, or the newest that fits."""
    anchor: Anchor | None = None
    """The anchor that the kept part begins with; None where it begins with none (SEL_02)."""
    over_target: bool = False
    """Even the least that has to be kept is above the target."""
    target: int = 0
    """Tokens to be kept word for word, at most (SEL_04)."""
    pruning: Pruning
    """The old tool outputs that are cleared first (PRN_01)."""
    turns: tuple[TurnRecord, ...] = field(default=(), repr=False)
    """The turns that are summarised, the last of them as far as the cut."""
    facts: tuple[Fact, ...] = field(default=(), repr=False)
    """What must survive of the whole conversation (SUM_13)."""
    earlier: str = ""
    """The summary that stood for what was before: it is replaced with the rest (SUM_09)."""
    characters_per_token: int | Fraction = CHARACTERS_PER_TOKEN
    """The ratio that every estimate here is made with (TOK_09)."""
    replaced_characters: int = 0
    """Characters of what is summarised, media as those their tokens stand for."""
    sent: Request = field(default_factory=Request, repr=False)
    """The caller's request: a cached prefix is found only under its system, tools, parameters and betas (SUM_16)."""
    focus: str | None = None
    """What the summary is to dwell on, where that was told for this one (CMP_07)."""
    due_from: int = 0
    """The fewest tokens that are due by the profile or the user's threshold; 0 where the window has no limit."""
    limits: ModelLimits = NO_LIMIT
    """What the model can hold, and its longest answer."""
    call: SummaryCall | None = None
    """How a summary is asked for, and why so (SUM_16); None where no model is asked."""
    extras: Size
    """What every request carries besides: the system prompt and the tools."""
    tokens_before: int
    """The estimate of all that is sent now, system prompt and tools included."""

    @property
    def summarises(self) -> bool:
        """Whether anything is summarised."""
        return self.cut > 0

    @property
    def acts(self) -> bool:
        """Whether it changes anything."""
        return self.summarises or bool(self.pruning.outputs)

    @property
    def tokens_left(self) -> int:
        """The estimate of all that is sent afterwards, the summary not counted."""
        leaves = tokens_of(Size(self.replaced_characters), self.characters_per_token)
        return self.tokens_before - leaves - self.pruning.saved

    def is_parted(self, position: int) -> bool:
        """Whether the user's last message stays there without the results in it: what they answer leaves (CNV_06)."""
        alone = position in self.request and position - 1 not in self.request
        return alone and self.messages[position].role == "user" and bool(results_of(self.messages[position]))

    def decisions(self) -> Iterator[tuple[int, str, str]]:
        """For every message handed in: its index, whether it is kept, pruned or summarised, and why."""
        front, request = frozenset(self.front), frozenset(self.request)
        pruned = frozenset(output.message for output in self.pruning.outputs)
        for position, source in enumerate(self.sources):
            if source is None:
                continue
            if position in front:
                yield source, KEPT, self._why_ahead(position)
            elif position in request:
                yield source, KEPT, "the user's last message"
            elif position < self.cut:
                yield source, SUMMARISED, self._why_gone(position)
            elif position in pruned:
                yield source, PRUNED, self.pruning.reason
            else:
                yield source, KEPT, self.why_kept or NOTHING_LEAVES

    @property
    def kept(self) -> list[int]:
        """Indices of the messages that are kept, ascending."""
        return [index for index, fate, _ in self.decisions() if fate != SUMMARISED]

    @property
    def summarised(self) -> list[int]:
        """Indices of the messages that are summarised, ascending."""
        return [index for index, fate, _ in self.decisions() if fate == SUMMARISED]

    def _why_ahead(self, position: int) -> str:
        message = self.messages[position]
        if message.marks.pinned:
            return "pinned"
        if message.role == "assistant" or results_of(message):
            return "bound to what is pinned"
        return "before the first turn"

    def _why_gone(self, position: int) -> str:
        return "an earlier summary" if self.messages[position].marks.summary else "before the cut"
