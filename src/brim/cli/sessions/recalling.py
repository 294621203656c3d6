"""`brim sessions search` and `expand`: what was said and is no longer visible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import BeforeValidator, Field

from brim.cli.limits import WrongUsage
from brim.cli.output import several, working
from brim.cli.report import BLANK, Element, Line, NotedReport, Report, of
from brim.cli.sessions.pages import UNTITLED, ago, head, lines, one_line
from brim.cli.sessions.targets import absence, found, opened, place_of, record_in
from brim.conversation.messages import Message
from brim.sessions.expand import Expansion, expand
from brim.sessions.paths import system_clock
from brim.sessions.records import CompactionRecord, RewindRecord
from brim.sessions.registry import SessionInfo, of_project
from brim.sessions.search import SearchHit, SearchIndex, count_matches, search
from brim.sessions.undo import rewound_messages

MOST: Final = 10_000
"""Messages that are asked for at most."""


class SearchReport(NotedReport):
    """The messages that hold some words."""

    commands: ClassVar = ("sessions search",)
    store: str
    """Where the sessions are."""
    query: str
    """The query."""
    hits: tuple[SearchHit, ...]
    """The messages that match, the best first."""
    more: int
    """The number of further ones."""

    def page(self) -> Iterator[Element]:
        """Yield each message, and how many there are."""
        if not self.hits:
            yield Line(f"No message has {self.query!r} in {self.store}")
        elif self.hits[0].matched == "some":
            some = "No message holds all of these words in one passage. These hold some of them, the best first."
            yield from (Line(some), BLANK)
        now = system_clock()
        for hit in self.hits:
            yield Line(lead=one_line(hit.title) or UNTITLED, fit="crop")
            when = f"{ago(hit.time, now)}, {hit.state}"
            yield Line(f"  turn {hit.turn:,}, message {hit.number:,}, {hit.role}, {when}")
            yield Line(f"  session {hit.session}", style="dim", fit="whole")
            yield Line(f"  message {hit.record}", style="dim", fit="whole")
            yield from (Line(f"    {one_line(hit.snippet)}", indent=4), BLANK)
        if self.more:
            whole = several(len(self.hits) + self.more, "message")
            yield Line(f"The best {len(self.hits):,} of {whole}; --limit shows more", style="dim")
        elif self.hits:
            yield Line(f"{several(len(self.hits), 'message')}, the best first", style="dim")


def searched(
    where: str | None,
    words: Sequence[str],
    *,
    session: str | None,
    project: str | None,
    limit: int,
) -> SearchReport:
    """Search. The index is brought up to date. Raises WrongUsage, InvalidInput or StoreFailed."""
    if not 1 <= limit <= MOST:
        raise WrongUsage(f"--limit is {limit}; it is a number of messages from 1 to {MOST:,}")
    query = " ".join(words)
    with working("searching") as count, opened(where) as store:
        index = SearchIndex(store)
        count.text = lambda: f"{several(index.lines_read, 'line')} indexed" if index.lines_read else ""
        sessions = store.sessions()
        hits, whole = [], 0
        if sessions:
            name = found(store, session).id if session is not None else None
            hits = search(index, query, session=name, project=project, limit=limit)
            whole = count_matches(index, query, session=name, project=project) if len(hits) == limit else 0
        notes = (*store.warnings(), *index.warnings, *absence(where))
        if project is not None and sessions and not of_project(sessions, project):
            notes = (*notes, f"no session is of the project {project}")
    return SearchReport(
        store=place_of(where), query=query, hits=tuple(hits), more=max(whole - len(hits), 0), notes=notes
    )


class RecordedMessage(Report):
    """A message of a session."""

    id: str
    """Its record."""
    message: Annotated[dict[str, Any], BeforeValidator(dict)] = of("value.raw")
    """The message, word for word."""
    value: Message = Field(exclude=True)
    """What is shown of it."""


class Replaced(Report):
    """A summary, and the messages that it replaces."""

    session: str
    """The session it was made in."""
    compaction: str | None = None
    """The compaction whose summary it is; null for a rewind."""
    summary: str | None = None
    """The summary; null for a rewind."""
    messages: tuple[RecordedMessage, ...]
    """The messages that it replaces, or that the rewind took out."""

    @classmethod
    def of_summary(cls, expansion: Expansion, **more: Any) -> Self:
        """The messages that a summary replaces."""
        one = expansion
        messages = _recorded(one.ids, one.messages)
        return cls(session=one.session, compaction=one.compaction, summary=one.summary, messages=messages, **more)


class ExpandReport(NotedReport, Replaced):
    """Messages that a summary replaces, or that a rewind took out."""

    commands: ClassVar = ("sessions expand",)
    rewind: str | None = None
    """The rewind; null for a compaction."""
    earlier: tuple[Replaced, ...] = ()
    """The summaries that went into it, the newest first."""
    info: SessionInfo = Field(exclude=True)
    """The session."""

    def page(self) -> Iterator[Element]:
        """Yield the messages in the order of the log: first those of the summary that went into this one."""
        yield from head(self.info)
        chain = (self, *self.earlier)
        for number, one in reversed(tuple(enumerate(chain))):
            count = several(len(one.messages), "message")
            if number + 1 < len(chain):
                count = f"the one above and {several(len(one.messages), 'more message')}"
            yield BLANK
            if self.rewind is not None:
                yield Line(f" took out {count}", f"The rewind {self.rewind}")
            else:
                yield Line(f" replaces {count}", f"The summary {one.compaction}")
            yield lines([each.value for each in one.messages], [each.id for each in one.messages])
        yield from (BLANK, Line("--json has the messages whole, and the summary.", style="dim"))


def _recorded(ids: Iterable[str], messages: Iterable[Message]) -> tuple[RecordedMessage, ...]:
    return tuple(RecordedMessage.read(id=name, value=one) for name, one in zip(ids, messages, strict=True))


def expanded(where: str | None, name: str, change: str | None) -> ExpandReport:
    """Expand a summary or a rewind. Raises Refused where nothing was compacted, InvalidInput or StoreFailed."""
    with working(f"reading {name}"), opened(where) as store:
        info = found(store, name)
        if change is not None:
            with store.read(info.id) as session:
                change = record_in(session, change, CompactionRecord, RewindRecord)
                records = list(session.records())
            for rewind in (one for one in records if isinstance(one, RewindRecord) and one.id == change):
                taken = rewound_messages(records, rewind)
                messages = _recorded((one.id for one in taken), (one.value for one in taken))
                notes = store.warnings()
                return ExpandReport(session=info.id, rewind=rewind.id, messages=messages, notes=notes, info=info)
        first, *earlier = expand(store, info.id, change).chain
        before = tuple(map(Replaced.of_summary, earlier))
        return ExpandReport.of_summary(first, earlier=before, notes=store.warnings(), info=info)
