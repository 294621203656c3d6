"""`brim sessions list`, `show` and `resume`: which sessions there are, and what the model sees of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from rich.console import Console

from brim.cli.inspecting import show_composition, show_window
from brim.cli.limits import WrongUsage
from brim.cli.options import is_stdout, name_of
from brim.cli.output import console, cropped, print_json, safe, say, several, working
from brim.cli.sessions.pages import (
    AGO,
    ID,
    NARROW,
    SessionState,
    ago,
    give,
    project_of,
    show_line,
    show_notes,
    show_session,
    state_of,
    title_of,
)
from brim.cli.sessions.targets import absence, found, kept_in, opened, place_of, require_file, write_json
from brim.cli.settings import settled
from brim.cli.writing import require_one_answer
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
from brim.transcripts.inspection import Composition, composition

PROJECT: Final = 12
"""Columns of a project at most."""
NEWEST: Final = 50
"""Sessions that are listed where no number is given."""


def run_list(where: str | None, *, project: str | None, limit: int | None, every: bool, as_json: bool) -> None:
    """List the newest, or all of them (CMD_09). Raises WrongUsage, InvalidInput, Refused or StoreFailed."""
    if every and limit is not None:
        raise WrongUsage("--all lists every session; leave out --limit")
    if limit is not None and limit < 1:
        raise WrongUsage(f"--limit is {limit}; it is a number of sessions from 1")
    with working("listing sessions"), opened(where) as store:
        found = store.sessions(project)
        notes = (*store.warnings(), *absence(where))
    listed, place = found[: None if every else limit or NEWEST], place_of(where)
    answer = {"store": place, "sessions": [one.model_dump() for one in listed], "more": len(found) - len(listed)}
    give(answer, notes, lambda out: _show_list(out, listed, len(found), place, project), as_json=as_json)


def _show_list(out: Console, sessions: Sequence[SessionInfo], whole: int, place: str, project: str | None) -> None:
    if not sessions:
        of = "" if project is None else f" of the project {project}"
        say(out, f"in {place}", lead=f"No sessions{of} ")
    elif out.width >= NARROW and all(len(one.id) <= ID for one in sessions):
        _table(out, sessions)
    else:
        _blocks(out, sessions)
    if len(sessions) < whole:
        more = f"; --all lists {whole - len(sessions):,} more"
        say(out, f"The newest {len(sessions):,} of {whole:,} sessions{more}, in {place}", style="dim")
    elif sessions:
        say(out, f"{several(whole, 'session')} in {place}", style="dim")


def _table(out: Console, sessions: Sequence[SessionInfo]) -> None:
    now, longest = system_clock(), max(len(project_of(one)) for one in sessions)
    width = max(min(longest, PROJECT), len("project")) if longest else 0
    out.print(f"[bold]{_row(out, 'session', 'active', 'project', 'title', width)}[/]")
    for one in sessions:
        columns = one.id, ago(one.last_active, now), project_of(one), title_of(one)
        out.print(safe(_row(out, *columns, width)), soft_wrap=True)


def _row(out: Console, session: str, active: str, project: str, title: str, width: int) -> str:
    about = f"{cropped(project, width):<{width}}  " if width else ""
    return cropped(f"{session:<{ID}}  {active:<{AGO}}  {about}{title}", out.width)


def _blocks(out: Console, sessions: Sequence[SessionInfo]) -> None:
    """Two lines a session, where a table does not fit."""
    for one in sessions:
        out.print(f"[bold]{safe(one.id)}[/]", soft_wrap=True)
        line = " · ".join(filter(None, (ago(one.last_active, system_clock()), project_of(one), title_of(one))))
        out.print(f"  {safe(cropped(line, max(out.width - 2, 20)))}", soft_wrap=True)


def run_show(where: str | None, name: str, *, messages: bool, limits: Mapping[str, Any], as_json: bool) -> None:
    """Look and show; `limits` are the model, window and longest answer that are stated (see `state_of`).

    Raises WrongUsage, InvalidInput, Refused or StoreFailed.
    """
    with working(f"reading {name}"), opened(where) as store, store.read(found(store, name).id) as session:
        settings = settled({}, trust_project=False)
        state = state_of(session, **limits, policy=settings.policy, default_model=settings.preferences.default_model)
        visible = state.view.messages
        shown = Shown(
            state=state,
            records=tuple(session.records()),
            turns=len(find_turns(visible)),
            composition=composition(visible, state.held, state.window.characters_per_token),
        )
        notes = (*store.warnings(), *session.warnings)
    give(show_answer(shown), notes, lambda out: show_page(out, shown, messages=messages), as_json=as_json)


def show_answer(shown: Shown) -> dict[str, Any]:
    """The session as JSON. Times are milliseconds since 1970, counts of tokens those of the window now."""
    state, records = shown.state, shown.records
    agents = (one.agent for one in records if isinstance(one, UsageRecord))
    return {
        **state.info.model_dump(),
        "window": state.room,
        "window_now": state.held,
        "threshold": state.threshold,
        "messages": len(state.view.messages),
        "ids": list(state.view.ids),
        "messages_recorded": shown.messages_recorded,
        "turns": shown.turns,
        "compaction": state.view.compaction,
        "cost": cost_of(records),
        "agents": list(dict.fromkeys(filter(None, agents))),
        "composition": shown.composition.shares,
        "tool_output_by_tool": shown.composition.by_tool,
        "changes": [_change_answer(one) for one in changes_of(records)],
    }


def _change_answer(changed: Changed) -> dict[str, Any]:
    record = changed.record
    return {"id": record.id, "kind": record.kind, "time": record.time, "state": changed.state, **_fields(record)}


def _fields(record: Change) -> dict[str, Any]:
    if isinstance(record, RewindRecord):
        return {"to": record.to}
    if not isinstance(record, CompactionRecord):
        return {"cleared": len(record.cleared), "saved": record.saved}
    summary = record.summary.model_dump() if record.summary is not None else None
    return {
        "summary": summary,
        "cleared": len(record.cleared),
        "error": record.error,
        "automatic": record.automatic,
    }


Change: TypeAlias = CompactionRecord | PruningRecord | RewindRecord
STANDS: Final = "stands"


@dataclass(frozen=True, slots=True)
class Changed:
    """A compaction, a pruning or a rewind, and what became of it."""

    record: Change
    state: str
    """It stands, was undone or replaced, failed, or was rewound."""


def changes_of(records: Sequence[Record]) -> list[Changed]:
    """The changes of a whole log, the oldest first."""
    visibility = visibility_of(records)

    def state(change: Change) -> str:
        if isinstance(change, CompactionRecord) and not change.counts:
            return "failed"
        if change.id in visibility.undone:
            return "undone"
        if visibility.is_rewound(change.id):
            return "rewound"
        return STANDS if isinstance(change, RewindRecord) or visibility.is_visible(change.id) else "replaced"

    return [Changed(one, state(one)) for one in records if isinstance(one, Change)]


def cost_of(records: Sequence[Record]) -> float | None:
    """US dollars, as the tool noted them that the session was imported from; None where it noted none."""
    summaries = (one.summary for one in records if isinstance(one, CompactionRecord))
    noted = (one.cost for one in (*records, *summaries) if isinstance(one, UsageRecord | SummaryRecord))
    costs = [cost for cost in noted if cost is not None]
    return sum(costs) if costs else None


SHOWN: Final = 10
"""Compactions and prunings that are shown at most; --json has them all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """All that the page tells."""

    state: SessionState
    records: Sequence[Record]
    """The whole log."""
    turns: int
    composition: Composition

    @property
    def messages_recorded(self) -> int:
        """How many messages the log holds, visible or not."""
        return sum(isinstance(one, MessageRecord) for one in self.records)


def show_page(out: Console, shown: Shown, *, messages: bool) -> None:
    """Print the page, section by section."""
    show_session(out, shown.state.info)
    _times(out, shown.state.info)
    state = shown.state
    show_window(out, state.held, state.room, state.filled, "; set --window to see how full it is")
    show_composition(out, shown.composition, shown.state.held)
    _visible(out, shown)
    if messages:
        for name, message in zip(shown.state.view.ids, shown.state.view.messages, strict=True):
            show_line(out, message, name or "")
    _changes(out, shown.records)


def _times(out: Console, info: SessionInfo) -> None:
    say(out, f"created {moment(info.created)} · last active {moment(info.last_active)}", style="dim")
    if info.parent:
        say(out, info.parent, lead="came from ", style="dim", lead_style="")
    if info.transcript:
        out.print(safe(info.transcript), style="dim", soft_wrap=True)
    out.print()


def _visible(out: Console, shown: Shown) -> None:
    sees = several(len(shown.state.view.messages), "message")
    sees += f" in {several(shown.turns, 'turn')}" if shown.turns else ""
    out.print()
    say(out, f" {sees}; {shown.messages_recorded:,} were recorded", lead="The model sees ")
    if cost := cost_of(shown.records):
        say(out, f" ${cost:,.2f}, as the imported file says", lead="It cost")


def _changes(out: Console, records: Sequence[Record]) -> None:
    changes = changes_of(records)
    if not changes:
        say(out, "Nothing was compacted, cleared or rewound.", style="dim")
        return
    out.print()
    say(out, "  the newest first", lead="Compactions, clearings and rewinds")
    for changed in changes[: -SHOWN - 1 : -1]:
        _change(out, changed, records)
    if len(changes) > SHOWN:
        out.print(f"[dim]  and {len(changes) - SHOWN:,} more that --json names[/]")


def _change(out: Console, changed: Changed, records: Sequence[Record]) -> None:
    record, colour = changed.record, "green" if changed.state == STANDS else "yellow"
    apart = "\n    " if out.width < NARROW else "  "
    out.print(f"  {safe(record.id)}{apart}{moment(record.time)}  [{colour}]{changed.state}[/]", soft_wrap=True)
    say(out, f"    {_change_words(record, records)}", indent=4)


def _change_words(record: Change, records: Sequence[Record]) -> str:
    """What a compaction, a pruning or a rewind did."""
    if isinstance(record, RewindRecord):
        return f"{several(len(rewound_messages(records, record)), 'message')} rewound"
    if not isinstance(record, CompactionRecord):
        saved = f", {record.saved:,} tokens" if record.saved else ""
        return f"{several(len(record.cleared), 'tool output')} cleared{saved}"
    if record.error is not None:
        return record.error
    return "no summary" if record.summary is None else _summary(record.summary, has_earlier=record.earlier is not None)


def _summary(summary: SummaryRecord, *, has_earlier: bool) -> str:
    among = ", the summary before among them" if has_earlier else ""
    by = f" by {summary.model or summary.by}" if summary.model or summary.by else ""
    after = f" → {summary.tokens_after:,}" if summary.tokens_after else ""
    tokens = f", {summary.tokens_before:,}{after} tokens" if summary.tokens_before else ""
    return f"{several(summary.summarized, 'message')} summarized{by}{among}{tokens}"


LAST: Final = 6
"""Messages that are shown of the end."""


def run_resume(where: str | None, name: str, *, output: Path | None, as_json: bool) -> None:
    """Resume it; nothing is written but the file that was asked for. Raises InvalidInput, Refused or StoreFailed."""
    require_one_answer(output, as_json=as_json)
    with working(f"resuming {name}"), opened(where) as store, store.read(found(store, name).id) as session:
        if output is not None:
            require_file(output, session.info, kept_in(where))
        state = state_of(session)
        notes = (*store.warnings(), *session.warnings)
    outgoing = anthropic_messages(state.view)
    if output is not None:
        write_json(output, outgoing.request)
    if as_json:
        print_json(outgoing.request)
        show_notes(console(stderr=True), (*notes, *outgoing.notes))
    else:
        _show_resumed(state, outgoing.messages, output, (*notes, *outgoing.notes))


def _show_resumed(
    state: SessionState, messages: Sequence[Message], output: Path | None, notes: tuple[str, ...]
) -> None:
    out = console(stderr=is_stdout(output))
    show_session(out, state.info)
    say(out, f"{several(len(messages), 'message')} for the next request, {state.held:,} tokens")
    if messages:
        out.print("\n[bold]The last of them[/]")
    for message in messages[-LAST:]:
        show_line(out, message)
    out.print()
    _closing(out, state, output, len(messages))
    show_notes(out, notes)


def _closing(out: Console, state: SessionState, output: Path | None, count: int) -> None:
    answered = len(state.view.repaired.answered)
    if answered:
        say(out, f"{several(answered, 'tool call')} had no result and got one that says so", style="yellow")
    if output is None:
        say(out, "Nothing was written; -o OUT writes the messages, --json prints them.", style="dim")
    else:
        say(out, f"Written to {name_of(output)}, {several(count, 'message')}")
