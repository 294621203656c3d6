"""What survives a compaction of real sessions, counted by an oracle that is apart from brim's own facts.

Each session is cut where the tool that wrote it made room, and at its end where that never happened. `pytest -s` prints
the table.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import pytest

from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import Plan, plan_compaction
from brim.compaction.result import Compaction, apply_plan, compact_without_model
from brim.errors import InvalidInput
from brim.models import ModelLimits
from brim.summary.preserved_facts import preserve_facts
from brim.summary.template import MAX_SUMMARY_CHARS
from brim.tokens.estimation import tokens_of
from brim.transcripts import Transcript, View, view, view_before
from brim.transcripts.walk import Walk
from tests.real import oracle
from tests.real.conftest import FOLDER, read

pytestmark = pytest.mark.transcripts

SAYS_NOTHING = "The conversation went on and things were done."
GOAL = Fraction(98, 100)
"""The share of what must survive that does, at least."""
ROOM = Fraction(25, 100)
"""The share of the conversation's tokens that is left, at most, system prompt and tools apart."""
SMALL = 30_000
"""Tokens below which a conversation is no case for compaction: what is kept for its own sake is most of it."""
AUTOMATIC = {
    "claude-code": ModelLimits(context_window=200_000, max_output_tokens=32_000),
    "opencode": ModelLimits(context_window=128_000, max_output_tokens=16_000),
}
"""The limits of the models that filled up; a file of Codex states its own."""


class Figures(NamedTuple):
    """What a compaction comes to: how many survive, and the tokens of the conversation that is left."""

    held: int
    tokens: int
    missing: list[oracle.Wanted]


class Row(NamedTuple):
    """One cut of one session, and what becomes of it in three ways."""

    name: str
    cut: str
    tokens: int
    wanted: int
    template: Figures
    nothing: Figures
    preserved: Figures


def limits_of(transcript: Transcript, cut: str, held: int) -> ModelLimits:
    """The limits of the model that was full when the tool compacted by itself.

    Where it did not, the session fills no window: then the limits of a model whose usable context it fills exactly.
    """
    if cut == "auto" and transcript.window:
        return ModelLimits(context_window=transcript.window, max_output_tokens=32_000)
    if cut == "auto" and transcript.format in AUTOMATIC:
        return AUTOMATIC[transcript.format]
    answer = min(held // 5, 32_000)
    return ModelLimits(context_window=held + answer, max_output_tokens=answer)


def cuts(transcript: Transcript) -> list[tuple[str, int | None, View]]:
    """Where the tool made room: how, after how many messages, and what the model saw; else the end."""
    made = [
        (one.kind, one.after_message, view_before(transcript, number))
        for number, one in enumerate(transcript.compactions)
        if one.after_message
    ]
    return [*made] or [("end", None, view(transcript))]


def planned(transcript: Transcript, cut: str, until: int | None, seen: View) -> Plan:
    """A compaction of what the model saw, estimated by what the session's own numbers teach (TOK_09)."""
    walk = Walk(transcript, until=until)
    walk.finish()
    ratio = walk.account.characters_per_token
    extras = {"system": transcript.system, "tools": transcript.tools, "characters_per_token": ratio}
    held = ContextWindow(**extras, messages=seen.messages).estimated
    window = ContextWindow(limits_of(transcript, cut, held), **extras, messages=seen.messages)
    return plan_compaction(window)


def compacted(name: str) -> list[Row]:
    """The rows of one session."""
    transcript = read(FOLDER / name)
    return [compared(name, cut, seen, planned(transcript, cut, until, seen)) for cut, until, seen in cuts(transcript)]


def compared(name: str, cut: str, seen: View, plan: Plan) -> Row:
    """A cut with the template, and with a summary that says nothing, before and after SUM_14."""
    human = [
        message.role == "user" and not (message.marks.synthetic or message.marks.summary) for message in seen.messages
    ]
    facts = oracle.wanted([message.raw for message in seen.messages], human)
    carried = tokens_of(plan.extras, plan.characters_per_token)

    def figures(made: Compaction) -> Figures:
        held = oracle.survivors(facts, oracle.context(made.messages))
        return Figures(len(held), made.tokens_after - carried, [fact for fact in facts if fact not in held])

    template = figures(compact_without_model(plan))
    if not plan.summarises:
        return Row(name, cut, plan.tokens_before - carried, len(facts), template, template, template)
    nothing = apply_plan(plan, SAYS_NOTHING)
    told = preserve_facts(SAYS_NOTHING, plan.facts, held_elsewhere=nothing.text, max_chars=MAX_SUMMARY_CHARS)
    preserved = figures(apply_plan(plan, told))
    return Row(name, cut, plan.tokens_before - carried, len(facts), template, figures(nothing), preserved)


@pytest.fixture(scope="module")
def rows():
    """Every cut of every session in the folder that brim can read."""
    found: list[Row] = []
    unread: list[str] = []
    for path in sorted(path for path in FOLDER.rglob("*/*/*") if path.is_file()):
        name = str(path.relative_to(FOLDER))
        try:
            found += compacted(name)
        except InvalidInput:
            unread.append(name)
    show(found, unread)
    return found


def show(found, unread):
    """The table."""
    print(
        f"\n{'session':<58} {'cut':<6} {'tokens':>8} {'facts':>5}  {'template':>15}  {'nothing':>15}  {'preserved':>15}"
    )
    for row in found:
        told = "  ".join(
            f"{100 * one.held / row.wanted if row.wanted else 100:7.1f}% {100 * one.tokens / row.tokens:5.1f}%"
            for one in (row.template, row.nothing, row.preserved)
        )
        print(f"{row.name[-58:]:<58} {row.cut:<6} {row.tokens:>8,} {row.wanted:>5}  {told}")
    for name in unread:
        print(f"{name[-58:]:<58} of no format that is read yet")


WAYS = ("template", "preserved")
CLIPPED = "cd /Users/userxxxx/workspaces/pi-mono && npm run check 2>&1 | head -40"
EXPLAINED = {
    ("pi/pi-mono/before-compaction-two-compactions.jsonl", oracle.Wanted("failure", CLIPPED)),
}
"""Losses that are none: this run was broken off, and the same check, its output clipped otherwise, passed after it, so
that by SUM_13 it failed no more. The oracle takes a command by its letters and counts it all the same."""


@pytest.mark.parametrize("way", WAYS)
def test_what_must_survive_does(rows, way):
    """With the template, and after SUM_14 whatever a model wrote, at least 98 of 100 are found again."""
    held = sum(getattr(row, way).held for row in rows)
    assert held >= GOAL * sum(row.wanted for row in rows)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_lost_is_explained(rows, way):
    """In no session is anything lost that still held."""
    lost = {(row.name, one) for row in rows for one in getattr(row, way).missing}
    assert lost <= EXPLAINED


@pytest.mark.parametrize("way", WAYS)
def test_little_is_left(rows, way):
    """A quarter of the conversation's tokens is left at most, wherever there are enough of them to compact."""
    large = [
        (row.name, row.cut, getattr(row, way).tokens / row.tokens)
        for row in rows
        if row.tokens >= SMALL and getattr(row, way).tokens > ROOM * row.tokens
    ]
    assert large == []


def test_the_oracle_tells_a_summary_from_none(rows):
    """Where a summary says nothing and nothing is appended to it, less than a third of what must survive does."""
    large = [row for row in rows if row.tokens >= SMALL]
    assert len(large) >= 13
    assert sum(row.nothing.held for row in large) * 3 < sum(row.wanted for row in large)
    assert sum(row.wanted for row in large) > 150
