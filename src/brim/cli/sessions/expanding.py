"""`brim sessions expand`: the messages that a summary stands for."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from brim.cli.output import console, print_json, say, several, working
from brim.cli.sessions.place import found, opened, recorded_as
from brim.cli.sessions.words import show_line, show_notes, show_session
from brim.sessions.expand import Expansion, expand
from brim.sessions.records import CompactionRecord
from brim.sessions.registry import SessionInfo


def run(where: str | None, name: str, summary: str | None, *, as_json: bool) -> None:
    """Expand and show. Raises Refused where nothing was compacted, InvalidInput or StoreFailed."""
    with working(f"reading {name}"), opened(where) as store:
        info = found(store, name)
        wanted = recorded_as(store, info.id, summary, CompactionRecord) if summary is not None else None
        expansion = expand(store, info.id, wanted)
        notes = store.reports()
    if as_json:
        print_json({**answer(expansion), "notes": list(notes)})
    else:
        _show(expansion, info, notes)


def answer(expansion: Expansion) -> dict[str, Any]:
    """What a summary stands for, as JSON; the summaries that went into it are under `earlier`, the newest first."""
    first, *earlier = (
        {
            "session": one.session,
            "compaction": one.compaction,
            "summary": one.summary,
            "messages": [
                {"id": name, "message": dict(message.raw)} for name, message in zip(one.ids, one.messages, strict=True)
            ],
        }
        for one in expansion.chain
    )
    return {**first, "earlier": earlier}


def _show(expansion: Expansion, info: SessionInfo, notes: tuple[str, ...]) -> None:
    out = console()
    show_session(out, info)
    _messages(out, expansion)
    say(out, "--json has the messages whole, and the summary.", style="dim")
    show_notes(out, notes)


def _messages(out: Console, expansion: Expansion) -> None:
    """The messages in the order they were said: first those that stand behind the summary that went into this one."""
    for one in reversed([*expansion.chain]):
        said = len(one.messages)
        count = several(said, "message") if one.earlier is None else f"that and {several(said, 'more message')}"
        out.print()
        say(out, f" stands for {count}", lead=f"The summary {one.compaction}")
        for name, message in zip(one.ids, one.messages, strict=True):
            show_line(out, message, name)
    out.print()
