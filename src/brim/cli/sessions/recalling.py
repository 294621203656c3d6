"""`brim sessions search` and `expand`: what was said and is no longer visible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from os.path import realpath
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from brim.cli.limits import WrongUsage
from brim.cli.output import console, cropped, print_json, safe, say, several, working
from brim.cli.sessions.pages import UNTITLED, ago, one_line, show_line, show_notes, show_session
from brim.cli.sessions.targets import found, kept_in, of_project, opened, place_of, recorded_as
from brim.cli.writing import require_outside
from brim.sessions.expand import Expansion, expand
from brim.sessions.paths import system_clock
from brim.sessions.records import CompactionRecord
from brim.sessions.registry import SessionInfo
from brim.sessions.search import SearchHit, SearchIndex, index_of, search

MOST: Final = 10_000
"""Messages that are asked for at most."""


def run_search(
    where: str | None,
    words: Sequence[str],
    *,
    session: str | None,
    project: str | None,
    limit: int,
    index_file: Path | None,
    as_json: bool,
) -> None:
    """Search, and show. The index is brought up to date. Raises InvalidInput or StoreFailed."""
    if not 1 <= limit <= MOST:
        raise WrongUsage(f"--limit is {limit}; it is a number of messages from 1 to {MOST:,}")
    query = " ".join(words)
    with working("searching"), opened(where) as store:
        if index_file is not None and realpath(index_file) != realpath(store.index_path):
            require_outside(index_file, kept_in(where), "--index")
        index = index_of(store, index_file)
        hits = _hits(index, query, session, project, limit) if store.sessions() else []
        notes = (*store.reports(), *index.reports)
    if as_json:
        print_json({"query": query, "hits": [asdict(hit) for hit in hits], "notes": list(notes)})
    else:
        _show_hits(hits, query, place_of(where), notes)


def _hits(index: SearchIndex, query: str, session: str | None, project: str | None, limit: int) -> list[SearchHit]:
    name = found(index.store, session).id if session is not None else None
    known = of_project(index.store.sessions(), project) if project is not None else []
    return search(index, query, session=name, project=known[0].project if known else project, limit=limit)


def _show_hits(hits: Sequence[SearchHit], query: str, place: str, notes: tuple[str, ...]) -> None:
    out, now = console(), system_clock()
    if not hits:
        say(out, f"{query!r} in {place}", lead="Nothing is found of ", lead_style="")
    for hit in hits:
        _hit(out, hit, now)
    if hits:
        say(out, f"{several(len(hits), 'message')}, the best first", style="dim")
    show_notes(out, notes)


def _hit(out: Console, hit: SearchHit, now: int) -> None:
    title = one_line(hit.title) or UNTITLED
    out.print(f"[bold]{safe(cropped(title, out.width))}[/]", soft_wrap=True)
    where = f"turn {hit.turn:,}, message {hit.number:,}, {hit.role}, {ago(hit.time, now)}, {hit.state}"
    say(out, f"  {where}", indent=2)
    out.print(f"  [dim]session {safe(hit.session)}[/]", soft_wrap=True)
    out.print(f"  [dim]message {safe(hit.record)}[/]", soft_wrap=True)
    say(out, f"    {one_line(hit.snippet)}", indent=4)
    out.print()


def run_expand(where: str | None, name: str, summary: str | None, *, as_json: bool) -> None:
    """Expand and show. Raises Refused where nothing was compacted, InvalidInput or StoreFailed."""
    with working(f"reading {name}"), opened(where) as store:
        info = found(store, name)
        wanted = recorded_as(store, info.id, summary, CompactionRecord) if summary is not None else None
        expansion = expand(store, info.id, wanted)
        notes = store.reports()
    if as_json:
        print_json({**expand_answer(expansion), "notes": list(notes)})
    else:
        _show_expansion(expansion, info, notes)


def expand_answer(expansion: Expansion) -> dict[str, Any]:
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


def _show_expansion(expansion: Expansion, info: SessionInfo, notes: tuple[str, ...]) -> None:
    out = console()
    show_session(out, info)
    _show_expanded(out, expansion)
    say(out, "--json has the messages whole, and the summary.", style="dim")
    show_notes(out, notes)


def _show_expanded(out: Console, expansion: Expansion) -> None:
    """The messages in the order they were said: first those that stand behind the summary that went into this one."""
    for one in reversed([*expansion.chain]):
        said = len(one.messages)
        count = several(said, "message") if one.earlier is None else f"that and {several(said, 'more message')}"
        out.print()
        say(out, f" stands for {count}", lead=f"The summary {one.compaction}")
        for name, message in zip(one.ids, one.messages, strict=True):
            show_line(out, message, name)
    out.print()
