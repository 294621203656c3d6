"""`brim sessions search`: the messages that hold some words, whether the model still sees them or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from os.path import realpath
from pathlib import Path
from typing import Final

from rich.console import Console

from brim.cli.limits import WrongUsage
from brim.cli.output import console, cropped, print_json, safe, say, several, working
from brim.cli.sessions.place import found, kept_in, of_project, opened, place_of
from brim.cli.sessions.words import UNTITLED, ago, one_line, show_notes
from brim.cli.writing import require_outside
from brim.sessions.paths import system_clock
from brim.sessions.search import SearchHit, SearchIndex, index_of, search

MOST: Final = 10_000
"""Messages that are asked for at most."""


def run(
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
        _show(hits, query, place_of(where), notes)


def _hits(index: SearchIndex, query: str, session: str | None, project: str | None, limit: int) -> list[SearchHit]:
    name = found(index.store, session).id if session is not None else None
    known = of_project(index.store.sessions(), project) if project is not None else []
    return search(index, query, session=name, project=known[0].project if known else project, limit=limit)


def _show(hits: Sequence[SearchHit], query: str, place: str, notes: tuple[str, ...]) -> None:
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
