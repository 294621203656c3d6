"""`brim sessions list`: the sessions there are, the one last active first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rich.console import Console

from brim.cli.limits import WrongUsage
from brim.cli.output import console, cropped, print_json, safe, say, several, working
from brim.cli.sessions.place import of_project, opened, place_of
from brim.cli.sessions.words import AGO, ID, ago, project_of, show_notes, title_of
from brim.sessions.paths import system_clock
from brim.sessions.registry import SessionInfo

TABLE: Final = 72
"""Columns of the narrowest terminal that a table fits."""
PROJECT: Final = 12
"""Columns of a project at most."""


def run(where: str | None, *, project: str | None, limit: int | None, as_json: bool) -> None:
    """List them, so many at most. Raises WrongUsage, InvalidInput, Refused or StoreFailed."""
    if limit is not None and limit < 1:
        raise WrongUsage(f"--limit is {limit}; it is a number of sessions from 1")
    with working("listing sessions"), opened(where) as store:
        every = of_project(store.sessions(), project)
        notes = store.reports()
    if as_json:
        print_json(answer(every[:limit], place_of(where), notes))
    else:
        _show(every[:limit], len(every), place_of(where), notes, project)


def answer(sessions: Sequence[SessionInfo], place: str, notes: Sequence[str]) -> dict[str, Any]:
    """The list as JSON. Times are milliseconds since 1970."""
    return {"store": place, "sessions": [one.model_dump() for one in sessions], "notes": list(notes)}


def _show(sessions: Sequence[SessionInfo], whole: int, place: str, notes: Sequence[str], project: str | None) -> None:
    out = console()
    if not sessions:
        of = "" if project is None else f" of the project {project}"
        say(out, f"in {place}", lead=f"No sessions{of} ")
    elif out.width >= TABLE and all(len(one.id) <= ID for one in sessions):
        _table(out, sessions)
    else:
        _blocks(out, sessions)
    if sessions:
        of = "" if len(sessions) == whole else f"{len(sessions):,} of "
        say(out, f"{of}{several(whole, 'session')} in {place}", style="dim")
    show_notes(out, notes)


def _table(out: Console, sessions: Sequence[SessionInfo]) -> None:
    now, longest = system_clock(), max(len(project_of(one)) for one in sessions)
    width = max(min(longest, PROJECT), len("project")) if longest else 0
    out.print(f"[bold]{_row(out, 'session', 'active', 'project', 'title', width)}[/]")
    for one in sessions:
        told = one.id, ago(one.last_active, now), project_of(one), title_of(one)
        out.print(safe(_row(out, *told, width)), soft_wrap=True)


def _row(out: Console, session: str, active: str, project: str, title: str, width: int) -> str:
    about = f"{cropped(project, width):<{width}}  " if width else ""
    return cropped(f"{session:<{ID}}  {active:<{AGO}}  {about}{title}", out.width)


def _blocks(out: Console, sessions: Sequence[SessionInfo]) -> None:
    """Two lines a session, where a table does not fit."""
    for one in sessions:
        out.print(f"[bold]{safe(one.id)}[/]", soft_wrap=True)
        line = " · ".join(filter(None, (ago(one.last_active, system_clock()), project_of(one), title_of(one))))
        out.print(f"  {safe(cropped(line, max(out.width - 2, 20)))}", soft_wrap=True)
