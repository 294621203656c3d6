"""`brim sessions resume`: where a session stands, and the messages for the next request."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rich.console import Console

from brim.cli.output import console, print_json, say, several, working
from brim.cli.sessions.place import found, kept_in, opened
from brim.cli.sessions.standing import ActiveRecords, standing_of
from brim.cli.sessions.words import show_line, show_notes, show_session
from brim.cli.sessions.writing import require_file, write_json
from brim.cli.standard import is_stdout, name_of
from brim.cli.writing import require_one_answer
from brim.sessions.importing import anthropic_messages

LAST: Final = 6
"""Messages that are shown of the end."""


def run(where: str | None, name: str, *, output: Path | None, as_json: bool) -> None:
    """Resume it; nothing is written but the file that was asked for. Raises InvalidInput, Refused or StoreFailed."""
    require_one_answer(output, as_json=as_json)
    with working(f"resuming {name}"), opened(where) as store, store.read(found(store, name).id) as session:
        if output is not None:
            require_file(output, session.info, kept_in(where))
        standing = standing_of(session)
        notes = (*store.reports(), *session.reports)
    request = anthropic_messages(standing.view)
    if output is not None:
        write_json(output, request)
    if as_json:
        print_json(request)
    else:
        _show(standing, output, notes)


def _show(standing: ActiveRecords, output: Path | None, notes: tuple[str, ...]) -> None:
    out = console(stderr=is_stdout(output))
    show_session(out, standing.info)
    messages = standing.view.messages
    say(out, f"{several(len(messages), 'message')} for the next request, {standing.held:,} tokens")
    if messages:
        out.print("\n[bold]The last of them[/]")
    for message in messages[-LAST:]:
        show_line(out, message)
    out.print()
    _closing(out, standing, output)
    show_notes(out, notes)


def _closing(out: Console, standing: ActiveRecords, output: Path | None) -> None:
    answered = len(standing.view.repaired.answered)
    if answered:
        say(out, f"{several(answered, 'tool call')} had no result and got one that says so", style="yellow")
    if output is None:
        say(out, "Nothing was written; -o OUT writes the messages, --json prints them.", style="dim")
    else:
        say(out, f"Written to {name_of(output)}, {several(len(standing.view.messages), 'message')}")
