"""`brim sessions list`, `show` and `resume`: which sessions there are, and what the model sees of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

from pydantic import ConfigDict, Field

from brim.cli.inspecting import WindowReport
from brim.cli.limits import WrongUsage
from brim.cli.options import is_stdout, name_of
from brim.cli.output import console, print_json, several, working
from brim.cli.report import BLANK, Element, Line, NotedReport, Report, Table, note, show
from brim.cli.sessions.pages import SessionState, ago, head, lines, notes_of, project_of, state_of, title_of
from brim.cli.sessions.targets import absence, found, kept_in, opened, place_of
from brim.cli.settings import settled
from brim.cli.writing import require_one_answer, require_place, write_json
from brim.conversation.messages import Message
from brim.conversation.turns import find_turns
from brim.sessions.importing import anthropic_messages
from brim.sessions.paths import moment, system_clock
from brim.sessions.records import (
    CompactionRecord,
    MessageRecord,
    PruningRecord,
    Record,
    RewindRecord,
    SummaryRecord,
    UsageRecord,
)
from brim.sessions.registry import SessionInfo
from brim.sessions.undo import rewound_messages
from brim.sessions.view import visibility_of
from brim.transcripts.inspection import composition

NEWEST: Final = 50
"""Sessions that are listed where no number is given."""
SHOWN: Final = 10
"""Compactions, prunings and rewinds that are shown at most; --json has them all."""
LAST: Final = 6
"""Messages that are shown of the end."""
STANDS: Final = "stands"


class ListReport(NotedReport):
    """The sessions of a store, the last active first."""

    commands: ClassVar = ("sessions list",)
    store: str
    """Where they are."""
    project: str | None
    """The project that they are of; null for any."""
    sessions: tuple[SessionInfo, ...]
    """The newest of them."""
    more: int
    """The number of further ones."""

    def page(self) -> Iterator[Element]:
        """Yield a row for each, and how many there are."""
        now, whole = system_clock(), len(self.sessions) + self.more
        if not self.sessions:
            of = f" of the project {self.project}" if self.project is not None else ""
            yield Line(f"in {self.store}", f"No sessions{of} ")
            return
        rows = [(one.id, ago(one.last_active, now), project_of(one), title_of(one)) for one in self.sessions]
        kept = [n for n, cells in enumerate(zip(*rows, strict=True)) if any(cells)]
        head = ("session", "active", "project", "title")
        yield Table([tuple(row[n] for n in kept) for row in rows], tuple(head[n] for n in kept))
        if self.more:
            more = f"The newest {len(self.sessions):,} of {whole:,} sessions; --all lists {self.more:,} more"
            yield Line(f"{more}, in {self.store}", style="dim")
        else:
            yield Line(f"{several(whole, 'session')} in {self.store}", style="dim")


def listed(where: str | None, *, project: str | None, limit: int | None, every: bool) -> ListReport:
    """List the newest, or all of them (CMD_09). Raises WrongUsage, InvalidInput, Refused or StoreFailed."""
    if every and limit is not None:
        raise WrongUsage("--all lists every session; leave out --limit")
    if limit is not None and limit < 1:
        raise WrongUsage(f"--limit is {limit}; it is a number of sessions from 1")
    with working("listing sessions"), opened(where) as store:
        every_one = store.sessions(project)
        notes = (*store.warnings(), *absence(where))
    sessions = tuple(every_one[: None if every else limit or NEWEST])
    more = len(every_one) - len(sessions)
    return ListReport(store=place_of(where), project=project, sessions=sessions, more=more, notes=notes)


Change: TypeAlias = CompactionRecord | PruningRecord | RewindRecord


class ChangeState(Report):
    """A compaction, a pruning or a rewind, and what became of it."""

    id: str
    """Its record."""
    kind: str
    """compaction, pruning or rewind."""
    time: int
    """When, in milliseconds since 1970."""
    state: str
    """It stands, was undone or replaced, failed, or was rewound."""
    words: str
    """Its effect, in words."""
    to: str | None = None
    """The last record that a rewind let count."""
    cleared: int | None = None
    """The number of cleared tool outputs."""
    saved: int | None = None
    """The tokens that a pruning saved."""
    summary: SummaryRecord | None = None
    """The summary of a compaction."""
    error: str | None = None
    """The error of a compaction."""
    automatic: bool | None = None
    """Whether a compaction was due, or the user asked for it; null where unknown."""


class SessionReport(NotedReport, WindowReport, SessionInfo):
    """A session as the model sees it. Times are milliseconds since 1970, tokens those of the window now."""

    model_config = ConfigDict(extra="ignore")
    commands: ClassVar = ("sessions show",)
    threshold: int | None
    """Tokens from which a compaction is due; null where the window is unknown."""
    messages: int
    """The number of messages that the model sees."""
    ids: tuple[str | None, ...]
    """Their records; null for what a compaction added."""
    messages_recorded: int
    """The number of messages in the log, visible or not."""
    turns: int
    """The number of turns that the model sees."""
    compaction: str | None
    """The compaction whose summary it sees."""
    cost: float | None
    """US dollars, as the tool noted them that the session was imported from."""
    agents: tuple[str, ...]
    """The agents that answered."""
    changes: tuple[ChangeState, ...]
    """Compactions, prunings and rewinds, the oldest first."""
    visible: tuple[Message, ...] | None = Field(None, exclude=True)
    """The messages that the model sees, where the page lists them."""

    def page(self) -> Iterator[Element]:
        """Yield the page, section by section."""
        yield from head(self)
        yield Line(f"created {moment(self.created)} · last active {moment(self.last_active)}", style="dim")
        if self.parent:
            yield Line(f"came from {self.parent}", style="dim", fit="whole")
        if self.transcript:
            yield Line(self.transcript, style="dim", fit="whole")
        yield BLANK
        yield from self.window_parts(self.threshold)
        yield BLANK
        turns = f" in {several(self.turns, 'turn')}" if self.turns else ""
        sees = f" {several(self.messages, 'message')}{turns}; {self.messages_recorded:,} were recorded"
        yield Line(sees, "The model sees ")
        if self.cost:
            yield Line(f" ${self.cost:,.2f}, as the imported file says", "It cost")
        if self.visible is not None:
            yield lines(self.visible, self.ids)
        if not self.changes:
            yield Line("Nothing was compacted, cleared or rewound.", style="dim")
            return
        yield from (BLANK, Line("  the newest first", "Compactions, clearings and rewinds"))
        for one in self.changes[: -SHOWN - 1 : -1]:
            yield Table([(f"  {one.id}", moment(one.time), one.state)])
            yield Line(f"    {one.words}", indent=4)
        if len(self.changes) > SHOWN:
            yield Line(f"  and {len(self.changes) - SHOWN:,} more that --json names", style="dim")


def shown(where: str | None, name: str, *, messages: bool, limits: Mapping[str, Any]) -> SessionReport:
    """Look at a session; `limits` are the model, window and longest answer that are stated (see `state_of`).

    Raises WrongUsage, InvalidInput, Refused or StoreFailed.
    """
    with working(f"reading {name}"), opened(where) as store, store.read(found(store, name).id) as session:
        settings = settled({}, trust_project=False)
        state = state_of(session, **limits, policy=settings.policy, default_model=settings.preferences.default_model)
        visible, records = state.view.messages, tuple(session.records())
        agents = (one.agent for one in records if isinstance(one, UsageRecord))
        about = state.info.model_dump() | {
            "window": state.room,
            "window_now": state.held,
            "threshold": state.threshold,
            "messages": len(visible),
            "ids": state.view.ids,
            "messages_recorded": sum(isinstance(one, MessageRecord) for one in records),
            "turns": len(find_turns(visible)),
            "compaction": state.view.compaction,
            "cost": cost_of(records),
            "agents": tuple(dict.fromkeys(filter(None, agents))),
            "composition": composition(visible, state.held, state.window.characters_per_token),
            "changes": tuple(changes_of(records)),
            "visible": visible if messages else None,
            "notes": notes_of(store, session),
        }
    return SessionReport.read(**about)


def changes_of(records: Sequence[Record]) -> Iterator[ChangeState]:
    """Yield the changes of a whole log, the oldest first."""
    visibility = visibility_of(records)
    for one in records:
        if not isinstance(one, Change):
            continue
        state = STANDS if isinstance(one, RewindRecord) or visibility.is_visible(one.id) else "replaced"
        if isinstance(one, CompactionRecord) and not one.counts:
            state = "failed"
        elif one.id in visibility.undone:
            state = "undone"
        elif visibility.is_rewound(one.id):
            state = "rewound"
        about = {"id": one.id, "kind": one.kind, "time": one.time, "state": state}
        if isinstance(one, RewindRecord):
            taken = several(len(rewound_messages(records, one)), "message")
            yield ChangeState(**about, words=f"{taken} rewound", to=one.to)
        elif isinstance(one, PruningRecord):
            saved = f", {one.saved:,} tokens" if one.saved else ""
            words = f"{several(len(one.cleared), 'tool output')} cleared{saved}"
            yield ChangeState(**about, words=words, cleared=len(one.cleared), saved=one.saved)
        else:
            yield ChangeState(
                **about,
                words=one.error or _summarized(one),
                cleared=len(one.cleared),
                summary=one.summary,
                error=one.error,
                automatic=one.automatic,
            )


def _summarized(compaction: CompactionRecord) -> str:
    """The messages that a summary replaces, its author and its tokens."""
    summary = compaction.summary
    if summary is None:
        return "no summary"
    among = ", the summary before among them" if compaction.earlier is not None else ""
    by = f" by {summary.model or summary.by}" if summary.model or summary.by else ""
    after = f" → {summary.tokens_after:,}" if summary.tokens_after else ""
    tokens = f", {summary.tokens_before:,}{after} tokens" if summary.tokens_before else ""
    return f"{several(summary.summarized, 'message')} summarized{by}{among}{tokens}"


def cost_of(records: Sequence[Record]) -> float | None:
    """US dollars, as the tool noted them that the session was imported from; None where it noted none."""
    summaries = (one.summary for one in records if isinstance(one, CompactionRecord))
    noted = (one.cost for one in (*records, *summaries) if isinstance(one, UsageRecord | SummaryRecord))
    costs = [cost for cost in noted if cost is not None]
    return sum(costs) if costs else None


def resume(where: str | None, name: str, *, output: Path | None, as_json: bool) -> None:
    """Resume it; nothing is written but the file that was asked for. Raises InvalidInput, Refused or StoreFailed."""
    require_one_answer(output, as_json=as_json)
    with working(f"resuming {name}"), opened(where) as store, store.read(found(store, name).id) as session:
        if output is not None:
            require_place(output, source=Path(session.info.transcript), kept=kept_in(where))
        state = state_of(session)
        notes = notes_of(store, session)
    outgoing = anthropic_messages(state.view)
    if output is not None:
        write_json(output, outgoing.request)
    below = [note(text) for text in dict.fromkeys((*notes, *outgoing.notes))]
    if as_json:
        print_json(outgoing.request)
        show(console(stderr=True), below)
    else:
        show(console(stderr=is_stdout(output)), [*_resumed(state, outgoing.messages, output), *below])


def _resumed(state: SessionState, messages: Sequence[Message], output: Path | None) -> Iterator[Element]:
    """Yield where a session stands."""
    yield from head(state.info)
    yield Line(f"{several(len(messages), 'message')} for the next request, {state.held:,} tokens")
    if messages:
        yield from (BLANK, Line(lead="The last of them"), lines(messages[-LAST:]))
    yield BLANK
    if answered := len(state.view.repaired.answered):
        yield Line(f"{several(answered, 'tool call')} had no result and got one that says so", style="yellow")
    if output is None:
        yield Line("Nothing was written; -o OUT writes the messages, --json prints them.", style="dim")
    else:
        yield Line(f"Written to {name_of(output)}, {several(len(messages), 'message')}")
