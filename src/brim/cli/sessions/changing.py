"""`brim sessions fork`, `rename`, `rewind`, `undo`, `redo`, `import-context` and `compact`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, Final

from pydantic import Field

from brim.cli.compacting import (
    CompactionReport,
    Options,
    carried_out,
    compactor_of,
    policy_of,
    read_compaction,
    warn_of_truncation,
)
from brim.cli.inspecting import idle
from brim.cli.limits import WrongUsage
from brim.cli.output import several, working
from brim.cli.report import BLANK, Element, Line, NotedReport, of
from brim.cli.sessions.pages import UNTITLED, SessionState, head, notes_of, one_line, state_of
from brim.cli.sessions.targets import found, opened, record_in
from brim.compaction.plan import Plan
from brim.compaction.result import Compaction
from brim.conversation.turns import begins_turn
from brim.engine.compactor import Compactor
from brim.errors import BrimError, Refused
from brim.sessions.lineage import fork, import_context
from brim.sessions.lines import read_records
from brim.sessions.records import MessageRecord, Record, UsageRecord
from brim.sessions.registry import SessionInfo
from brim.sessions.session import Session
from brim.trigger.overflow import window_filled

DIGITS: Final = 10
"""Digits that no number of a turn has."""


class ForkReport(NotedReport):
    """A new session that begins with what the model sees of another one, which stays as it is."""

    commands: ClassVar = ("sessions fork",)
    session: str
    """The id of the new one."""
    title: str
    """Its name."""
    parent: str
    """The id of the other."""
    at: str | None
    """The message that it goes up to; null for all."""
    messages: int
    """The number of messages that the model sees."""
    tokens: int
    """Their tokens."""

    def page(self) -> Iterator[Element]:
        """Yield the new session, and what it begins with."""
        yield from _named(self.title, self.session)
        begins = f"begins with {several(self.messages, 'message')}, {self.tokens:,} tokens, of session"
        yield Line(f"{begins} {self.parent}, which stays as it is")


def forked(where: str | None, name: str, *, at: str | None, title: str | None) -> ForkReport:
    """Fork it, at a message or at its end; the other is not changed. Raises InvalidInput, Refused or StoreFailed."""
    with working(f"forking {name}"), opened(where) as store:
        source = found(store, name)
        message = None
        if at is not None:
            with store.read(source.id) as session:
                message = record_in(session, at, MessageRecord)
        made = fork(store, source.id, message, title=one_line(title or ""))
        with store.read(made) as session:
            state = state_of(session)
        return ForkReport(
            session=made,
            title=state.info.title,
            parent=source.id,
            at=message,
            messages=len(state.view.messages),
            tokens=state.held,
            notes=store.warnings(),
        )


class RenameReport(NotedReport):
    """A session with a new title."""

    commands: ClassVar = ("sessions rename",)
    session: str
    """The id of the session."""
    title: str
    """The new title."""
    before: str
    """The old one."""
    record: str
    """The record of the change."""

    def page(self) -> Iterator[Element]:
        """Yield the new title."""
        yield Line(f"{self.session} is now called {self.title}")


def renamed(where: str | None, name: str, title: str) -> RenameReport:
    """Rename it, on one line. Raises WrongUsage, InvalidInput, Refused or StoreFailed."""
    new = one_line(title)
    if not new:
        raise WrongUsage("TITLE is empty; write what the session is about")
    with opened(where) as store, store.open(found(store, name).id) as session:
        before = session.info.title
        record = session.rename(new)
        return RenameReport(session=session.id, title=new, before=before, record=record, notes=notes_of(store, session))


class ChangeReport(NotedReport):
    """The messages of a session that the model sees, before and after a change. Nothing is removed."""

    commands: ClassVar = ("sessions rewind", "sessions undo", "sessions redo", "sessions import-context")
    title: str
    """The title of the session."""
    session: str
    """The id of the session."""
    record: str
    """The record of the change."""
    of: str | None
    """The record that counts no more, or that counts again."""
    to: str | None
    """The last record that still counts."""
    source: str | None = Field(None, serialization_alias="from")
    """The session whose context was taken over."""
    messages_before: int
    """The number of messages that the model saw."""
    messages: int
    """The number that it sees now."""
    tokens_before: int
    """Their tokens."""
    tokens: int
    """How many they are now."""
    taken_back_by: str | None
    """The command that takes it back."""

    def page(self) -> Iterator[Element]:
        """Yield the session, what the model saw and sees, and how that is taken back."""
        yield from _named(self.title, self.session)
        yield Line(f"  {several(self.messages_before, 'message')}, {self.tokens_before:,} tokens", "The model saw")
        yield Line(f"    {several(self.messages, 'message')}, {self.tokens:,} tokens", "It sees now")
        if self.source is not None:
            yield Line(f"Context of session {self.source} was added as message {self.record}.", style="dim")
        else:
            yield Line(f"Nothing was removed; {self.taken_back_by} takes it back.", style="dim")


def _named(title: str, session: str) -> Iterator[Element]:
    """Yield which session it is."""
    yield from (Line(lead=one_line(title) or UNTITLED, fit="crop"), Line(session, fit="whole"))


def changed(where: str | None, name: str, act: Callable[[Session], str], back: str = "undo") -> ChangeReport:
    """Carry out an act that changes what the model sees, returns its record, and is taken back by a command.

    Raises Refused where there is nothing to change, InvalidInput or StoreFailed.
    """
    with working(f"opening {name}"), opened(where) as store, store.open(found(store, name).id) as session:
        before = state_of(session)
        record = act(session)
        made = next(read_records(session.journal.lines_reversed(), []))
        return _change(before, state_of(session), record, notes_of(store, session), made=made, back=back)


def _change(
    before: SessionState,
    after: SessionState,
    record: str,
    notes: tuple[str, ...],
    *,
    made: Record | None = None,
    back: str = "",
    source: str | None = None,
) -> ChangeReport:
    return ChangeReport(
        title=after.info.title,
        session=after.info.id,
        record=record,
        of=getattr(made, "of", None),
        to=getattr(made, "to", None),
        source=source,
        messages_before=len(before.view.messages),
        messages=len(after.view.messages),
        tokens_before=before.held,
        tokens=after.held,
        taken_back_by=f"brim sessions {back}" if back else None,
        notes=notes,
    )


def with_context(where: str | None, name: str, source: str, *, summary: str | None) -> ChangeReport:
    """Add what happened in a related session. Raises Refused where it is none, WrongUsage or a BrimError of a store."""
    if summary is not None and not summary.strip():
        raise WrongUsage("--summary is empty; write what happened, or leave it out")
    with working(f"reading {source}"), opened(where) as store:
        info, origin = found(store, name), found(store, source)
        with store.read(info.id) as session:
            before = state_of(session)
        record = import_context(store, info.id, origin.id, summary=summary or "")
        with store.read(info.id) as session:
            return _change(before, state_of(session), record, store.warnings(), source=origin.id)


def rewound(session: Session, place: str) -> str:
    """Rewind to the last record of a turn, or to one by its id or a part of that alone. Raises Refused."""
    is_turn = place.isdecimal() and len(place) < DIGITS
    to = _end_of_turn(session, int(place)) if is_turn else record_in(session, place, Record)
    newest = next(record.id for record in read_records(session.journal.lines_reversed(), []))
    if to == newest:
        raise Refused(f"session {session.id} ends there already: nothing comes after it")
    return session.rewind(to)


def _end_of_turn(session: Session, number: int) -> str:
    """The last message of a turn, or its usage. Turns count from 1 in the order of the log, as in a search."""
    turns, last = 0, ""
    for record in session.records():
        if isinstance(record, MessageRecord):
            turns += begins_turn(record.value)
        if turns == number and isinstance(record, MessageRecord | UsageRecord):
            last = record.id
    if not number or not last:
        raise Refused(f"session {session.id} has {several(turns, 'turn')}, and none with the number {number}")
    return last


class SessionCompaction(CompactionReport, NotedReport):
    """The compaction of a session."""

    commands: ClassVar = ("sessions compact",)
    session: str = of("info.id")
    """The id of the session."""
    info: SessionInfo = Field(exclude=True)
    """What is known of it."""
    record: str | None
    """The record of the compaction; null on a dry run."""
    filled_before: int | None
    """The fill of the window before, in whole percent of the threshold; null where its size is unknown."""
    filled_after: int | None
    """The fill of the window now."""

    def parts(self, options: Options) -> Iterator[Element]:
        """Yield the page, section by section."""
        yield from head(self.info)
        yield from self.due_parts()
        yield BLANK
        yield from self.compaction_parts(options)
        yield BLANK
        if self.filled_after is not None:
            filled = f"{self.filled_before}% of the threshold before, {self.filled_after}% after"
            yield Line(filled, "The window  ")
        if self.record is None:
            yield Line("Nothing was recorded; without --dry-run the session is compacted.", style="dim")
        else:
            yield Line(f"Recorded as {self.record}; brim sessions undo takes it back.", style="dim")


def compacted(where: str | None, name: str, options: Options) -> SessionCompaction:
    """Compact and record it (CMD_10). Raises Refused where there is nothing to compact, SessionHeld, InvalidInput."""
    with working(f"compacting {name}"), opened(where) as store:
        session_id = found(store, name).id
        with store.read(session_id) if options.dry_run else store.open(session_id) as session:
            default = options.settings.preferences.default_model
            limits = {"window": options.window, "max_output": options.max_output}
            before = state_of(session, model=options.model, policy=policy_of(options), default_model=default, **limits)
            compactor = compactor_of(options, before.model or None)
            plan = compactor.plan(before.window)
            only_shown = options.dry_run or not plan.changes_anything
            made = carried_out(compactor, plan, options) if only_shown else _recorded(session, compactor, plan)
            count = len(before.view.messages)
            if why := idle(made.plan, options.settings.policy, count):
                raise Refused(f"nothing to compact in session {session.id}: {why}")
            record = None if options.dry_run else session.compacted(made)
            notes = notes_of(store, session)
    warn_of_truncation(made)
    return read_compaction(
        SessionCompaction,
        made,
        options,
        messages=count,
        model=before.model or None,
        window=before.room,
        info=before.info,
        record=record,
        filled_before=None if before.threshold is None else before.filled,
        filled_after=None if before.threshold is None else window_filled(made.tokens_after, before.threshold),
        notes=notes,
    )


def _recorded(session: Session, compactor: Compactor, plan: Plan) -> Compaction:
    """Carry a plan out; where nothing comes of it, a record says why."""
    try:
        compaction = compactor.apply(plan)
    except BrimError as error:
        session.failed(str(error))
        raise
    if not compaction.plan.changes_anything:
        session.failed(compaction.plan.reason)
    return compaction
