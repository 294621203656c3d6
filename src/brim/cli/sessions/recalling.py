"""`brim sessions search` and `expand`: what was said and is no longer visible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, Final

from rich.console import Console

from brim.cli.limits import WrongUsage
from brim.cli.output import cropped, safe, say, several, working
from brim.cli.sessions.pages import UNTITLED, ago, give, one_line, show_line, show_session
from brim.cli.sessions.targets import absence, found, opened, place_of, record_in
from brim.conversation.messages import Message
from brim.sessions.expand import Expansion, expand
from brim.sessions.paths import system_clock
from brim.sessions.records import CompactionRecord, MessageRecord, RewindRecord
from brim.sessions.registry import SessionInfo, of_project
from brim.sessions.search import SearchHit, SearchIndex, count_matches, index_of, search
from brim.sessions.undo import rewound_messages

MOST: Final = 10_000
"""Messages that are asked for at most."""


def run_search(
    where: str | None,
    words: Sequence[str],
    *,
    session: str | None,
    project: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """Search, and show. The index is brought up to date. Raises InvalidInput or StoreFailed."""
    if not 1 <= limit <= MOST:
        raise WrongUsage(f"--limit is {limit}; it is a number of messages from 1 to {MOST:,}")
    query = " ".join(words)
    with working("searching") as count, opened(where) as store:
        index = index_of(store)
        count.text = lambda: f"{several(index.lines_read, 'line')} indexed" if index.lines_read else ""
        sessions = store.sessions()
        hits, more = _hits(index, query, session, project, limit) if sessions else ([], 0)
        notes = (*store.warnings(), *index.warnings, *absence(where))
        if project is not None and sessions and not of_project(sessions, project):
            notes = (*notes, f"no session is of the project {project}")
    answer = {"query": query, "hits": [asdict(hit) for hit in hits], "more": more}
    give(answer, notes, lambda out: _show_hits(out, hits, more, query, place_of(where)), as_json=as_json)


def _hits(
    index: SearchIndex, query: str, session: str | None, project: str | None, limit: int
) -> tuple[list[SearchHit], int]:
    """The best matches, and how many more there are."""
    name = found(index.store, session).id if session is not None else None
    hits = search(index, query, session=name, project=project, limit=limit)
    whole = count_matches(index, query, session=name, project=project) if len(hits) == limit else len(hits)
    return hits, max(whole - len(hits), 0)


def _show_hits(out: Console, hits: Sequence[SearchHit], more: int, query: str, place: str) -> None:
    now = system_clock()
    if not hits:
        say(out, f"{query!r} in {place}", lead="No message has ", lead_style="")
    elif hits[0].matched == "some":
        say(out, "No message holds all of these words in one passage. These hold some of them, the best first.")
        out.print()
    for hit in hits:
        _hit(out, hit, now)
    if more:
        whole = several(len(hits) + more, "message")
        say(out, f"The best {len(hits):,} of {whole}; --limit shows more", style="dim")
    elif hits:
        say(out, f"{several(len(hits), 'message')}, the best first", style="dim")


def _hit(out: Console, hit: SearchHit, now: int) -> None:
    title = one_line(hit.title) or UNTITLED
    out.print(f"[bold]{safe(cropped(title, out.width))}[/]", soft_wrap=True)
    where = f"turn {hit.turn:,}, message {hit.number:,}, {hit.role}, {ago(hit.time, now)}, {hit.state}"
    say(out, f"  {where}", indent=2)
    out.print(f"  [dim]session {safe(hit.session)}[/]", soft_wrap=True)
    out.print(f"  [dim]message {safe(hit.record)}[/]", soft_wrap=True)
    say(out, f"    {one_line(hit.snippet)}", indent=4)
    out.print()


def run_expand(where: str | None, name: str, change: str | None, *, as_json: bool) -> None:
    """Expand and show. Raises Refused where nothing was compacted, InvalidInput or StoreFailed."""
    with working(f"reading {name}"), opened(where) as store:
        info = found(store, name)
        if change is not None:
            with store.read(info.id) as session:
                change = record_in(session, change, CompactionRecord, RewindRecord)
                records = list(session.records())
            rewind = next((one for one in records if isinstance(one, RewindRecord) and one.id == change), None)
            if rewind is not None:
                taken = rewound_messages(records, rewind)
                messages = _messages((one.id for one in taken), (one.value for one in taken))
                answer = {"session": info.id, "rewind": rewind.id, "messages": messages}
                give(answer, store.warnings(), lambda out: _show_rewind(out, info, rewind.id, taken), as_json=as_json)
                return
        expansion = expand(store, info.id, change)
        notes = store.warnings()
    give(expand_answer(expansion), notes, lambda out: _show_expansion(out, expansion, info), as_json=as_json)


def _show_rewind(out: Console, info: SessionInfo, rewind: str, taken: Sequence[MessageRecord]) -> None:
    show_session(out, info)
    out.print()
    say(out, f" took out {several(len(taken), 'message')}", lead=f"The rewind {rewind}")
    for one in taken:
        show_line(out, one.value, one.id)
    out.print()
    say(out, "--json has the messages whole.", style="dim")


def _messages(ids: Iterable[str], messages: Iterable[Message]) -> list[dict[str, Any]]:
    return [{"id": name, "message": dict(message.raw)} for name, message in zip(ids, messages, strict=True)]


def expand_answer(expansion: Expansion) -> dict[str, Any]:
    """The messages that a summary replaces, as JSON; `earlier` are the summaries that went into it, newest first."""
    first, *earlier = (
        {
            "session": one.session,
            "compaction": one.compaction,
            "summary": one.summary,
            "messages": _messages(one.ids, one.messages),
        }
        for one in expansion.chain
    )
    return {**first, "earlier": earlier}


def _show_expansion(out: Console, expansion: Expansion, info: SessionInfo) -> None:
    """Print the messages in the order of the log: first those of the summary that went into this one."""
    show_session(out, info)
    for one in reversed([*expansion.chain]):
        said = len(one.messages)
        count = (
            several(said, "message") if one.earlier is None else f"the one above and {several(said, 'more message')}"
        )
        out.print()
        say(out, f" replaces {count}", lead=f"The summary {one.compaction}")
        for name, message in zip(one.ids, one.messages, strict=True):
            show_line(out, message, name)
    out.print()
    say(out, "--json has the messages whole, and the summary.", style="dim")
