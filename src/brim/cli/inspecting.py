"""`brim inspect` and its page: what fills the window, what is damaged, and when each profile would compact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from pydantic import Field, computed_field

from brim.cli.limits import check_flags, limits_for, other_window, unknown
from brim.cli.options import title_of
from brim.cli.output import NO_BREAK, sentence, several, tokens, working
from brim.cli.reading import read_file
from brim.cli.report import BLANK, Bar, Element, Exact, Line, Report, Table, of
from brim.cli.settings import is_set
from brim.compaction.cost import Prices
from brim.compaction.plan import NOTHING_TO_COMPACT, Plan, plan_compaction
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import Compaction, compact_without_model
from brim.errors import Refused
from brim.models import ModelLimits, known_limits
from brim.selection.anchors import AnchorKind
from brim.settings import Settings
from brim.summary.facts import Fact, shortened
from brim.transcripts.formats import PLAIN_FORMATS
from brim.transcripts.inspection import Boundary, Due, Inspection, inspect_transcript
from brim.transcripts.reader import SEVERAL
from brim.transcripts.values import TAKEN_BACK, Damaged, Transcript
from brim.transcripts.window import window_of
from brim.trigger.overflow import window_filled

if TYPE_CHECKING:
    from brim.hooks.lost_context import Lost

DEFAULT_PROFILE: Final = "usable"
DECIDES: Final = ("profile", "threshold", "proactive_share", "share_basis", "output_cap")
"""Settings that decide when a compaction is due."""
MADE: Final = {
    "auto": "automatic",
    "compaction": "compacted",
    "micro": "old tool outputs cleared",
    "prune": "old tool outputs pruned",
}
"""What a tool did to make room, in words."""
CLEARED: Final = {"micro", "prune"}
"""Those that replace no message by a summary."""
CURES: Final = {
    "claude-code": "brim hook install gives back what the next one loses",
    "codex": "brim hook install codex gives back what the next one loses",
    "opencode": "brim run opencode compacts and keeps them",
    "pi": "brim run pi compacts and keeps them",
}
"""The command that keeps or gives back what the tool's compactions lose, by format."""
SHOWN: Final = 5
"""Rows of a list that are shown at most; --json has them all."""
COLORS: Final = {
    "system": "magenta",
    "user": "green",
    "assistant": "cyan",
    "thinking": "blue",
    "tool_input": "yellow",
    "tool_output": "yellow",
    "summaries": "green",
    "other": "white",
}
NAMES: Final = {
    "system": "system prompt",
    "tool_input": "tool calls",
    "tool_output": "tool outputs",
    "other": "injected text",
}
"""Shares of the window that have another name on a page."""


class AnchorReport(Report):
    """A turn that is kept word for word first."""

    turn: int
    """The index of the turn, from 0."""
    kind: AnchorKind
    """What was achieved in it."""
    confidence: Decimal
    """How sure that is, 0 to 1."""
    weight: Decimal
    """How much its kind weighs."""
    synthetic: bool = False
    """Whether it only stands for the newest turn, because there is no other anchor."""


class WindowReport(Report):
    """What fills a window, in tokens."""

    window: int | None
    """The size of the context window; null where it is unknown."""
    window_now: int
    """What the window holds at the end."""
    composition: dict[str, int] = of("composition.shares")
    """What it is made of, estimated from the texts."""
    tool_definitions: int = of("composition.tools")
    """The definitions of the tools, part of `system`."""
    tool_output_by_tool: dict[str, int] = of("composition.by_tool")
    """The tool outputs by tool, the largest first."""
    not_in_file: int = of("composition.unseen")
    """Tokens reported beyond the texts, part of `other`: a system prompt, tools, what came before."""

    def window_parts(
        self, threshold: int | None, whose: str = "", rule: str = "the threshold", *, lacks: bool = False
    ) -> Iterator[Element]:
        """Yield how full the window is, what it is made of, and why that is not what it holds.

        `whose` window it is, and by what `rule` it is full, in words; `lacks`: whether an earlier part of the
        conversation could not be read.
        """
        held, room = self.window_now, self.window
        if not room:
            yield Line(f"{held:,} tokens; set --window to see how full it is", "The window now  ")
        else:
            share = "" if threshold is None else f", {window_filled(held, threshold)}% of {rule}"
            color = "red" if held > room else "green"
            yield Line(f"{held:,} of {room:,} tokens{whose}{share}", "The window now  ")
            yield Bar("of the window", held, held / room, color)
        whole = sum(self.composition.values())
        yield from (one for one in self._bars(max(whole, 1)) if one.tokens)
        if self.not_in_file:
            what = "what came before" if lacks else "it, such as the system prompt, tools and attached files"
            yield Line(f"The API counted {what}.", style="dim")
        elif whole - held >= len(self.composition):  # each of them is rounded up
            estimated = f"The parts and their shares are estimated from the texts: {whole:,} tokens in all"
            yield Line(f"{estimated}. The API counted fewer.", style="dim")

    def _bars(self, whole: int) -> Iterator[Bar]:
        """Yield a bar for each share, those of tools below theirs, and apart what the file does not hold."""
        apart = {"system": self.tool_definitions, "other": self.not_in_file}
        for name, taken in self.composition.items():
            own = taken - apart.get(name, 0)
            yield Bar(NAMES.get(name, name), own, own / whole, COLORS[name])
            if name == "system":
                yield Bar("tool definitions", self.tool_definitions, self.tool_definitions / whole, COLORS[name])
            if name == "tool_output":
                tools = list(self.tool_output_by_tool.items())
                others = sum(count for _, count in tools[SHOWN:])
                for tool, count in (*tools[:SHOWN], (f"{len(tools) - SHOWN} more", others)):
                    yield Bar(f"  {tool}", count, count / whole)
        yield Bar("not in the file", self.not_in_file, self.not_in_file / whole, COLORS["other"])


class LostReport(Report):
    """The user's messages and the facts that the context lacks after the tool's own compactions."""

    messages: int
    """The number of user messages of which words are missing."""
    messages_in_all: int
    """The number of all user messages."""
    facts: int
    """The number of missing facts: constraints, decisions, tasks, files, failed commands."""
    facts_in_all: int
    """The number of all facts."""
    missing: tuple[str, ...]
    """The missing messages and facts, oldest first, each with its kind."""
    encrypted: bool
    """True where the context also has an encrypted summary, which may contain the missing facts."""


class InspectReport(WindowReport):
    """What a transcript holds. Tokens are counts, indices from 0, lines from 1."""

    commands: ClassVar = ("inspect",)
    file: str = Field("", exclude=True)
    """The name of the file."""
    format: str
    """The format of the transcript."""
    version: str | None
    """The version of the tool that wrote it, where the file says so."""
    model: str | None
    """The model that it is judged by."""
    window_from: str = ""
    """Whose the window is where no option names it: the model's, the file's, or the tool's."""
    other_window: int | None = None
    """The model's own window, where its tool may use that instead; null where the file proves which."""
    messages: int
    """How many messages there are."""
    turns: int
    """How many turns."""
    tool_calls: int
    """How many calls of tools."""
    damage: tuple[Damaged, ...] = of("damaged")
    """What could not be read and was skipped."""
    counted: str
    """What the numbers count that tell where something stands: line, or message."""
    left_out: dict[str, int]
    """How many records of which kind are no part of the conversation."""
    unpaired: tuple[str, ...]
    """Ids of calls without a result, and of results without a call."""
    uncalled: tuple[str, ...]
    """Those of `unpaired` that results named and no call."""
    notes: tuple[str, ...]
    """What the file cannot tell, in sentences."""
    lacks: str | None
    """What came before and could not be read, one of `notes`."""
    conversations: int
    """How many stand in the file, one after another; the window is that of the last."""
    responses: int
    """How many responses there are."""
    context_peak: int | None
    """The largest input with cache read of one response: what the model read."""
    window_peak: int | None
    """The largest total, with the output."""
    characters_per_token: Exact
    """The ratio by which tokens are estimated."""
    compactions: tuple[Boundary, ...]
    """The compactions that the file records."""
    anchors: tuple[AnchorReport, ...]
    """The turns that are kept word for word first."""
    settings: Due
    """When a compaction is due by the settings: the threshold, and the first response after which it was due."""
    own_settings: bool = False
    """Whether a setting or an option decides about that."""
    profiles: dict[str, Due]
    """The same for each profile."""
    own_profile: str | None = None
    """The profile of the tool that wrote the transcript, where one is known."""
    lost: LostReport | None = None
    """The facts and words that the tool's own compactions removed; null without one, or after brim's hook ran."""
    window_after: int | None = None
    """About what the window would hold after a compaction; null where there is nothing to compact."""
    idle: str | None = None
    """Why there is nothing to compact, and which option changes that."""
    request_usd: float | None = None
    """What a request that reads the window from the cache costs now; null where no price is known."""
    request_usd_after: float | None = None
    """The same after a compaction."""
    all_profiles: bool = Field(False, exclude=True)
    """Whether the page shows every profile."""
    shows_missing: bool = Field(False, exclude=True)
    """Whether the page lists what the compactions lost."""

    @computed_field
    def damaged_lines(self) -> list[int]:
        """Where the damage stands."""
        return [one.line for one in self.damage]

    def page(self) -> Iterator[Element]:
        """Yield the page, section by section."""
        yield from self._head()
        yield BLANK
        whose = f" ({self.window_from})" if self.window_from else ""
        threshold, rule = self._rule()
        window, *parts = self.window_parts(threshold, whose, rule, lacks=self.lacks is not None)
        yield window
        if self.other_window:
            either = f"{self.window:,} or {self.other_window:,}: Claude Code's /context says which"
            yield Line(f"{either}; --window {self.other_window / 1_000_000:.7g}m for the latter.", style="yellow")
        is_known = self.own_profile or self.own_settings or self.format in PLAIN_FORMATS
        if threshold and self.window and not is_known:
            yield Line(f"When {self.format} compacts is not known; {threshold:,} is brim's default.", style="dim")
        yield from (*self._after(), *parts)
        if not self.window_peak:
            yield Line(f"Estimated at {float(self.characters_per_token):.2g} characters a token.", style="dim")
        yield from (Line(text, style="yellow") for text in self.settings.notices)
        if self.compactions:
            yield from (BLANK, Line(lead="Compactions in the file"))
        for one in self.compactions:
            place = f"{self.counted} {one.line:,}" if one.response is None else f"after response {one.response:,}"
            yield Line(f"  {place}: {MADE.get(one.kind, one.kind)}{_held(one)}", indent=4)
        yield from self._lost()
        yield from self._anchors()
        yield from (BLANK, Line(lead="When each profile would have compacted first"), *self._due())
        yield from (BLANK, *self._faults())

    def _rule(self) -> tuple[int | None, str]:
        """Return the threshold that the window is measured by, and whose it is: the user's, the tool's or brim's."""
        own = self.profiles[self.own_profile].threshold if self.own_profile else None
        if own and not self.own_settings:
            return own, f"{self.format}'s own {own:,}"
        whose = "your" if self.own_settings else "brim's"
        return self.settings.threshold, f"{whose} {self.settings.threshold or 0:,}"

    def _after(self) -> Iterator[Element]:
        """Yield what a compaction would leave of the window, and what it costs to go on."""
        if self.window_after is not None:
            whole = ", system prompt and tools included" if self.window_peak else ""
            yield Line(f"about {self.window_after:,} tokens{whole}", "After compaction  ")
        elif self.idle:
            yield Line(f"the same: {self.idle}", "After compaction  ")
        if self.request_usd is None:
            yield Line(f"unknown: there is no price for {self.model or 'a model without a name'}", "To go on  ")
        else:
            after = "" if self.request_usd_after is None else f", ${self.request_usd_after:.4f} after a compaction"
            yield Line(f"${self.request_usd:.4f} a request, read from the cache{after}", "To go on  ")

    def _lost(self) -> Iterator[Element]:
        """Yield what the context lacks, and what to do against that (CMD_19)."""
        if self.lost is None:
            return
        words = f"words of {self.lost.messages:,} of your {several(self.lost.messages_in_all, 'message')}"
        facts = f"{self.lost.facts:,} of {several(self.lost.facts_in_all, 'fact')}, such as files and tasks"
        gone = [words] * (self.lost.messages > 0) + [facts] * (self.lost.facts > 0)
        cure = f"; {CURES[self.format]}" if self.format in CURES else ""
        if gone:
            unless = ", unless the encrypted summary has them" if self.lost.encrypted else ""
            yield Line(f"{' and '.join(gone)}{unless}{cure}", "Lost with them  ", "yellow")
            made = [one.response for one in self.compactions if one.kind not in CLEARED and one.response is not None]
            compared = f"; brim compact --at {made[-1]} shows what brim keeps there" if made else ""
            lines = self.lost.missing if self.shows_missing else [f"--missing lists them{compared}"]
            yield from (Line(f"  {one}", style="dim", indent=4) for one in lines)

    def _head(self) -> Iterator[Element]:
        yield Line(lead=self.file)
        version = f"{self.format} {self.version}" if self.version else self.format
        yield Line(" · ".join(filter(None, (version, self.model))))
        counts = ((self.messages, "message"), (self.turns, "turn"), (self.responses, "response"))
        yield Line(" · ".join(several(count, what) for count, what in (*counts, (self.tool_calls, "tool call"))))
        if self.conversations > 1:
            yield Line(f"{self.conversations:,} conversations in the file; the window is that of the last", style="dim")

    def _anchors(self) -> Iterator[Element]:
        detected = [one for one in self.anchors if not one.synthetic]
        yield from (BLANK, Line("  turns that are kept word for word first", "Anchors"))
        if not detected:
            none = "none above the confidence limit; the newest turn is used instead"
            yield Line(f"  {none}" if self.anchors else "  none")
        by_kind = sorted((one.kind.replace("_", " "), one.turn) for one in detected)
        for kind, group in groupby(by_kind, key=lambda one: one[0]):
            yield Line(f"  {kind}: {spans([turn for *_, turn in group])}", indent=4)

    def _due(self) -> Iterator[Element]:
        """Yield when each profile was due; one line where no profile has a threshold, for one reason."""
        refusals = {due.note for due in self.profiles.values()}
        if self.window and len(refusals) == 1 and all(due.threshold is None for due in self.profiles.values()):
            why = sentence(str(refusals.pop()))
            yield Line(f"  {why}; set --window and --max-output", style="yellow", indent=4)
            return
        own = {"with your settings": self.settings} if self.own_settings else {}
        shown = list(self.profiles) if self.all_profiles else [*filter(None, [self.own_profile]), DEFAULT_PROFILE]
        marks = {self.own_profile: f", {self.format}'s own", DEFAULT_PROFILE: ", brim's default"}
        rows = []
        for name, due in {**own, **{one: self.profiles[one] for one in shown}}.items():
            when = "not reached" if due.first_due is None else f"after response {due.first_due:,}"
            if due.threshold is None:
                when = "no threshold above 0 for this window"
            if due.threshold is not None or self.window:
                rows.append((f"  {name}", tokens(due.threshold), when + marks.get(name, "")))
        yield Table(rows)
        if rows and not self.all_profiles:
            yield Line("More: --all-profiles", style="dim")
        if not self.window:
            yield Line(f"  {sentence(unknown(self.model))}: set --window", style="yellow", indent=4)

    def _faults(self) -> Iterator[Element]:
        """Yield what was skipped or unpaired, what is no part of the conversation, and what the file cannot tell."""
        if not self.damage and not self.unpaired:
            calls = ", and every tool call has its result" if self.tool_calls else ""
            yield Line(f"✓ no damaged {self.counted}{calls}", style="green")
        for damage in self.damage[:SHOWN]:
            yield Line(f"{self.counted} {damage.line:,} was skipped: {damage.reason}", style="yellow")
        if len(self.damage) > SHOWN:
            yield Line(f"… and {several(len(self.damage) - SHOWN, f'more damaged {self.counted}')}", style="yellow")
        yield from _alone("tool call", "result", [name for name in self.unpaired if name not in self.uncalled])
        yield from _alone("tool result", "call", self.uncalled)
        yield from beside({kind: count for kind, count in self.left_out.items() if kind in TAKEN_BACK})
        for text in self.notes:
            if text != SEVERAL.format(self.conversations):  # said at the top
                yield Line(f"Note: {text}", style="dim")


def inspected(
    file: Path,
    *,
    model: str | None,
    window: int | None,
    max_output: int | None,
    settings: Settings,
    all_profiles: bool = False,
    missing: bool = False,
) -> InspectReport:
    """Read a transcript and look at it; its tool is judged as in a replay (CMD_20). Raises InvalidInput, Refused."""
    check_flags(window, max_output)
    from brim.hooks.lost_context import lost_now
    from brim.replay.check import check, profile_of_tool

    with working(f"reading {title_of(file)}"):
        transcript = read_file(file, default_model=settings.preferences.default_model)
        limits = limits_for(transcript, model, window, max_output)
        own = profile_of_tool(transcript)
        found = inspect_transcript(transcript, limits, settings.policy, own=own)
        if own and (predicted := check(transcript, limits).predicted):
            first = replace(found.profiles[own.name], first_due=predicted[0].response)
            found = replace(found, profiles={**found.profiles, own.name: first})
        lost = lost_now(transcript)
        after, why = _after(transcript, limits, settings, found.window_now)
    price = cache_price(model or found.model)
    more = {
        "own_profile": own and own.name,
        "lost": lost and _counted(lost),
        "window_after": after or None,
        "idle": why or None,
        "request_usd": price and float(price * found.window_now),
        "request_usd_after": float(price * after) if price and after else None,
        "all_profiles": all_profiles,
        "shows_missing": missing,
        "file": title_of(file),
        "model": model or found.model,
        "window_from": "" if window or not found.window else _whose(found, transcript, model),
        "other_window": None if window else other_window(transcript, limits),
        "own_settings": is_set(settings, *DECIDES),
    }
    return InspectReport.model_validate(found).model_copy(update=more)


def _counted(lost: Lost) -> LostReport:
    """Count the missing messages of the user and the other missing facts."""
    asked, missing = (sum(fact.kind == "request" for fact in facts) for facts in (lost.facts, lost.missing))
    return LostReport(
        messages=missing,
        messages_in_all=asked,
        facts=len(lost.missing) - missing,
        facts_in_all=len(lost.facts) - asked,
        missing=tuple(map(_named, lost.missing)),
        encrypted=lost.sealed,
    )


def _named(fact: Fact) -> str:
    """Return a fact's kind and text on one line."""
    kind = "your message" if fact.kind == "request" else fact.kind.replace("_", " ")
    return f"{kind}: {shortened(fact.text)}"


def _after(transcript: Transcript, limits: ModelLimits | None, settings: Settings, held: int) -> tuple[int, str]:
    """Return about what the window holds after a compaction; 0 where that is nothing less, and why."""
    try:
        window = window_of(transcript, limits, policy=settings.policy)
        made = compact_without_model(plan_compaction(window))
    except Refused as error:
        return 0, str(error)
    why = idle(made.plan, settings.policy, len(window.messages))
    return (0, why) if why else (window_after(made, held), "")


def idle(plan: Plan, policy: CompactionPolicy, messages: int) -> str | None:
    """Explain why nothing is compacted, and which option changes that; return None where something is."""
    if plan.changes_anything:
        return None
    size = f"{several(messages, 'message')}, {plan.context.tokens_before:,} tokens by the text"
    more = plan.reason.removeprefix(NOTHING_TO_COMPACT).removeprefix(": ")
    if more:
        return f"{size}; {more}; --target changes that"
    if plan.context.tokens_before < plan.target:
        return f"{size}; less than the {plan.target:,} that are kept word for word; --keep-tokens changes that"
    option = "--keep-messages" if policy.keep_messages else "--keep-tokens"
    return f"{size}; all of it is kept: the newest messages ({option}), the user's last, summaries, unfinished work"


def window_after(compaction: Compaction, held: int) -> int:
    """Return about what the window holds after a compaction: what the file does not hold of it stays."""
    return compaction.tokens_after + max(held - compaction.tokens_before, 0)


def cache_price(model: str | None) -> Decimal | None:
    """Return what a token that is read from the cache costs, in USD; None where no price is known."""
    try:
        return listed_prices(model).cache_read.scaleb(-6)
    except Refused:
        return None


def listed_prices(model: str | None) -> Prices:
    """Return the prices of a model by its whole name or, as a replay does, by its last part. Raises Refused."""
    from brim.anthropic.prices import prices_of

    with suppress(Refused):
        return prices_of(model or "")
    return prices_of((model or "").rpartition("/")[2])


def _whose(found: Inspection, transcript: Transcript, model: str | None) -> str:
    """Return whose the window is, which no option names: the model's, the file's, or that of the tool."""
    known = known_limits(model or found.model or "")
    if known is not None and known.context_window == found.window:
        return "the model's"
    return "the file's" if transcript.window == found.window else f"{found.format}'s"


def _held(made: Boundary) -> str:
    """What the window held, as measured and as the file says."""
    if not made.held:
        return ", of what is not in the file"
    recorded = "" if made.recorded is None else f" (recorded: {made.recorded:,})"
    return f" at {made.held:,} tokens{', as recorded' if made.recorded == made.held else recorded}"


def spans(numbers: Sequence[int]) -> str:
    """Ascending numbers, neighbours drawn together to a span."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{first}" if first == last else f"{first}–{last}" for first, last in runs)


def _alone(what: str, lacks: str, names: Sequence[str]) -> Iterator[Element]:
    """Yield the calls or results that have no counterpart, by the first of their ids."""
    if names:
        line = ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
        yield Line(f"{several(len(names), what)} without a {lacks}: {line}", style="yellow")


def beside(counts: Mapping[str, int]) -> Iterator[Element]:
    """Yield what is no part of the conversation: what was taken back, then what there is most of, and the others."""
    ordered = sorted(counts.items(), key=lambda one: (one[0] in TAKEN_BACK, one[1]), reverse=True)
    kinds = [f"{kind}: {several(count, 'message') if kind in TAKEN_BACK else count}" for kind, count in ordered[:SHOWN]]
    if others := sum(count for _, count in ordered[SHOWN:]):
        kinds.append(f"others: {others:,}")
    if kinds:
        yield Line(f"Beside the conversation: {f'{NO_BREAK}· '.join(kinds)}", style="dim")
