"""Importing: a transcript that another tool wrote becomes a session, and a session becomes plain messages.

Specified by features/sessions/importing.feature (SES_14); the readers are those of `brim.transcripts`. Compactions that
the other tool recorded become records of brim: what the model saw there is what the new session shows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from brim.compaction.layout import acceptable
from brim.conversation.formats import is_instruction, without_source
from brim.conversation.messages import Message, sendable
from brim.conversation.thinking import without_thinking
from brim.errors import BrimError, InvalidInput
from brim.sessions.ids import is_safe, new_id
from brim.sessions.opencode_records import foreign_fields
from brim.sessions.records import (
    MAX_TIME_MS,
    CarriedRecord,
    ClearedOutput,
    CompactionRecord,
    Copy,
    ForeignRecord,
    MessageRecord,
    PruningRecord,
    Record,
    RewindRecord,
    SessionRecord,
    SummaryRecord,
    UsageRecord,
)
from brim.sessions.store import SessionStore
from brim.sessions.view import View
from brim.summary.identifiers import NO_IDENTIFIERS
from brim.transcripts.opencode import DIFFS
from brim.transcripts.values import Carried, Transcript
from brim.transcripts.values import RecordedCompaction as Recorded
from brim.transcripts.window import (
    RECORDS,
    Walk,
    cleared_calls,
    held_before_compactions,
    identifiers_of_left,
    moved_in,
    reported,
    turn_numbers,
    view_before,
    with_cleared,
    without_unsigned,
)


class RecordBuilder:
    """Records in the making; their ids ascend from that of the session's first record on."""

    def __init__(self, first: SessionRecord) -> None:
        self.session, self.records, self.last = first, list[Record](), first.id

    def add(self, model: type[Record], /, *, time: int | None = None, **fields: Any) -> str:
        """Make the next record, of the session's own time where no other is given; its id."""
        made = self.session.time if time is None else time
        name = self.next_id(made)
        self.records.append(model(id=name, time=made, **fields))
        return name

    def next_id(self, time: int) -> str:
        """The id of the next record, which is of this time."""
        self.last = new_id(time, after=self.last)
        return self.last


def new_session(store: SessionStore, draft: Callable[[RecordBuilder], object], **about: Any) -> RecordBuilder:
    """Make a session of what is drafted: it is there with all of it, or it is not there; see SessionStore.create."""
    made: list[RecordBuilder] = []

    def records(first: SessionRecord) -> Sequence[Record]:
        made.append(drafts := RecordBuilder(first))
        draft(drafts)
        return drafts.records

    store.create(**about, records=records).close()
    return made[-1]


def _notes(transcript: Transcript) -> tuple[str, ...]:
    """Return what is not imported, in sentences."""
    notes = [*transcript.notes]
    tools = len(transcript.tools or ())
    left = ["its system prompt"] if transcript.system or _instructions(transcript) else []
    left += [f"{tools} tool{'s' if tools > 1 else ''}"] if tools else []
    if left:
        stands = "stand" if len(left) > 1 or tools > 1 else "stands"
        notes.append(f"{' and '.join(left)} {stands} in the file alone: a session holds messages")
    errors = [error for index in sorted(transcript.unsent) if (error := transcript.messages[index].marks.error)]
    if errors:
        what = "1 answer is not sent; it" if len(errors) == 1 else f"{len(errors)} answers are not sent; the last one"
        notes.append(f"{what} ended with: {' '.join(errors[-1].split())[:200]}")
    if transcript.taken_back:
        kinds = ", ".join(f"{kind}: {count:,}" for kind, count in transcript.taken_back.items())
        notes.append(f"messages that were taken back stand in the file alone ({kinds})")
    if damaged := transcript.damaged:
        what = "1 record could not be read and was skipped, at"
        if len(damaged) > 1:
            what = f"{len(damaged)} records could not be read and were skipped, the first at"
        notes.append(f"{what} {transcript.counted} {damaged[0].line}: {damaged[0].reason}")
    return tuple(notes)


CLEARINGS: Final = ("micro", "prune")
"""Kinds of a compaction that cleared outputs and summarized nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of an import."""

    session: str
    """The id of the new session."""
    messages: int
    """Number of messages that were recorded."""
    compactions: int = 0
    """Number of compactions and prunings."""
    left_out: int = 0
    """Number of messages that were not, for they were never sent: failed answers, notices of an error."""
    notes: tuple[str, ...] = ()
    """Sentences on what was not imported."""


def import_transcript(
    store: SessionStore,
    transcript: Transcript,
    *,
    project: str = "",
    title: str = "",
    name: str | None = None,
    window: int | None = None,
) -> Imported:
    """Make a session of a transcript, whatever its format (SES_14). Raises InvalidInput, Refused or StoreFailed.

    Its records have the times of the transcript, and it has its project where none is given.
    """
    times = _milliseconds(transcript.times)
    about: dict[str, Any] = {"project": project or transcript.folder or "", "title": title or transcript.title or ""}
    about |= {"model": transcript.model or "", "window": window, "name": name or _free_name(store, transcript.session)}
    about |= {"parent": transcript.parent if transcript.parent and is_safe(transcript.parent) else None}
    created = (*_milliseconds([transcript.created]), *times)
    about |= {"created": next((time for time in created if time is not None), None)}
    if _instructions(transcript) == frozenset(range(len(transcript.messages))) != frozenset():
        raise InvalidInput("it holds a system prompt alone; name a file with messages of the user or the assistant")

    def draft(drafts: RecordBuilder) -> None:
        _Import(transcript, drafts, times).run()
        if not any(isinstance(record, MessageRecord | CompactionRecord) for record in drafts.records):
            raise InvalidInput("nothing of it was ever sent; name a file with messages of the user or the assistant")

    drafts = new_session(store, draft, **about)
    return imported(drafts, _notes(transcript), left_out=len(transcript.unsent))


def _instructions(transcript: Transcript) -> frozenset[int]:
    """Return which messages are system or developer messages: a part of the system prompt in Anthropic's form."""
    return frozenset(n for n, one in enumerate(transcript.messages) if is_instruction(one))


def imported(drafts: RecordBuilder, notes: tuple[str, ...], *, left_out: int = 0) -> Imported:
    """The result of an import that made these records."""
    return Imported(
        session=drafts.session.session,
        messages=sum(isinstance(record, MessageRecord) for record in drafts.records),
        compactions=sum(isinstance(record, CompactionRecord | PruningRecord) for record in drafts.records),
        left_out=left_out,
        notes=notes,
    )


def _free_name(store: SessionStore, name: str | None) -> str | None:
    """The id that the session had in its file, by which others name it as their parent; None where it is taken."""
    try:
        if name is not None and is_safe(name):
            store.info(name)
    except InvalidInput:
        return name
    except BrimError:
        pass
    return None


def _milliseconds(times: Iterable[datetime | None]) -> list[int | None]:
    """These times in milliseconds since 1970; None for one that is not known, or that no record can have."""
    exact = (one.timestamp() * 1000 if one is not None else None for one in times)
    return [round(one) if one is not None and 0 <= one <= MAX_TIME_MS else None for one in exact]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMessage:
    """A conversation of a session, as Anthropic's API takes it (SES_14)."""

    messages: tuple[Message, ...]
    """The messages, each as it came where nothing of it had to be left out."""
    notes: tuple[str, ...] = ()
    """Sentences on what was left out or added."""

    @property
    def request(self) -> dict[str, Any]:
        """The messages in the form of a request: an object with `messages`."""
        return {"messages": [dict(message.raw) for message in self.messages]}


BEGUN: Final = (
    "a message of brim was put first: the session begins with the assistant, and Anthropic's API wants the user's "
    "message first"
)


def anthropic_messages(view: View) -> ImportedMessage:
    """Return what is visible, without what Anthropic's API refuses: unsigned thinking, and an assistant's as the first.

    The view itself keeps the thinking: an agent of another provider may need it.
    """
    signed = [without_unsigned(message) for message in view.messages]
    bare = sum(new is not old for new, old in zip(signed, view.messages, strict=True))
    sent = sendable(signed).messages
    messages = acceptable(sent)
    count = "1 message" if bare == 1 else f"{bare:,} messages"
    left = [f"thinking without a signature was left out of {count}: Anthropic's API does not take it back"]
    notes = (*(left if bare else ()), *([BEGUN] if len(messages) > len(sent) else ()))
    return ImportedMessage(messages=messages, notes=notes)


class _Import:
    """A transcript on its way into records, message by message (SES_14)."""

    def __init__(self, transcript: Transcript, drafts: RecordBuilder, times: Sequence[int | None]) -> None:
        self.transcript, self.drafts, self._times = transcript, drafts, times
        self._now = drafts.session.time
        """Time of the message that is being drafted; of one without a time, the one before."""
        self._without = transcript.unsent | _instructions(transcript)
        """Messages that nothing is recorded of."""
        self._ids: dict[int, str] = {}
        """For each message that was recorded: its record."""
        self._records: dict[str, Record] = {}
        self._usages = {response.message: response for response in transcript.responses if not response.summary}
        self._moved = {index for made in transcript.compactions for index in moved_in(made)}
        """Messages that are only among those that a compaction put first."""
        self._visible: list[int] = []
        """The recorded messages that are visible so far."""
        self._newest: str | None = None
        self._identifiers = NO_IDENTIFIERS
        """The identifiers of what left before what is visible."""
        self._replaced: dict[int, str] = {}
        """For each message that a compaction put first: the record of that compaction."""
        self._kept: str | None = None
        """The last record before what the user took back."""

    def run(self) -> None:
        """Draft every record, in the order of the file; at the end, that the user went back, and what is carried."""
        carried, compactions = defaultdict[int, list[Carried]](list), defaultdict[int, list[int]](list)
        for one in self.transcript.carried:
            carried[one.after].append(one)
        for number, made in enumerate(self.transcript.compactions):
            compactions[made.after_message].append(number)
        for index in range(len(self.transcript.messages) + 1):
            for one in carried[index]:
                self._carry(one)
            for number in compactions[index]:
                self._compact(index, number, self.transcript.compactions[number])
            self._note_end(index)
            if index in self.transcript.begins and index > 0:
                self._begin_anew()
            if index < len(self.transcript.messages):
                self._message(index)
        rewinds = [self._add(RewindRecord, to=self._kept)] if self._kept is not None else []
        about = dict(self.transcript.about or {})
        if diffs := about.pop("diffs", None):
            self._add(CarriedRecord, kind=DIFFS, diffs=diffs)
        if about:
            self._add(ForeignRecord, format=self.transcript.format, document=about, held=tuple(rewinds))

    def _note_end(self, index: int) -> None:
        """Know which record is the last before what the user took back."""
        if index == self.transcript.rewound and self._kept is None:
            self._kept = self.drafts.last

    def _carry(self, one: Carried) -> None:
        """Keep what the file says of messages, behind their records."""
        made = (self._ids.get(index) or self._replaced.get(index) for index in one.messages)
        held = [self._records[name] for name in dict.fromkeys(filter(None, made))]
        self._add(ForeignRecord, format=self.transcript.format, **foreign_fields(one.document, held))

    def _add(self, model: type[Record], /, **fields: Any) -> str:
        name = self.drafts.add(model, time=self._now, **fields)
        self._records[name] = self.drafts.records[-1]
        return name

    def _begin_anew(self) -> None:
        """From here on nothing before is visible."""
        self._add(RewindRecord, to=self.drafts.session.id, begins=True)
        self._visible, self._newest, self._identifiers = [], None, NO_IDENTIFIERS

    def _message(self, index: int) -> None:
        if index < len(self._times):
            self._now = self._times[index] or self._now
        message = without_source(self.transcript.messages[index])
        if message is not None and index not in self._without and index not in self._moved:
            self._ids[index] = self._add(MessageRecord, message=dict(message.raw), marks=message.marks)
            self._visible.append(index)
        response = self._usages.get(index)
        usage = reported(response) if response is not None and index in self._ids else None
        if response is not None and usage is not None:
            about = {"model": response.model or "", "agent": response.agent or "", "cost": response.cost}
            self._add(UsageRecord, usage=usage, **about)

    def _compact(self, index: int, number: int, made: Recorded) -> None:
        if made.opening is not None:
            self._note_end(index)
        opening = [index for index in made.opening or () if index not in self._without]
        if opening:
            self._summarize(number, made, opening)
        elif made.opening is not None and self._visible:
            self._begin_anew()
        elif made.kind in CLEARINGS and made.cleared:
            self._add(PruningRecord, cleared=tuple(ClearedOutput(call=call) for call in sorted(made.cleared)))

    def _summarize(self, number: int, made: Recorded, opening: Sequence[int]) -> None:
        """The compaction as a record: what it put first as copies, what it replaced by the ids of its records."""
        left = [index for index in self._visible if index not in opening]
        gone = sorted(self._ids[index] for index in left)
        numbers = self._turn_numbers[: made.after_message]
        self._identifiers = identifiers_of_left(self.transcript, left, opening, numbers, self._identifiers)
        self._newest = self._add(
            CompactionRecord,
            summary=self._summary(number, made, opening),
            opening=tuple(self._copies(number, made, opening)),
            replaces=(gone[0], gone[-1]) if gone else None,
            earlier=self._newest,
            automatic={"auto": True, "manual": False}.get(made.kind),
            identifiers=self._identifiers,
        )
        self._replaced |= dict.fromkeys(moved_in(made), self._newest)
        self._visible = [index for index in opening if index in self._ids]

    def _copies(self, number: int, made: Recorded, opening: Sequence[int]) -> list[Copy]:
        """Return what it put first, its cleared outputs as placeholders.

        Earlier thinking is bound to a history that is no more (CNV_06).
        """
        calls = cleared_calls(self.transcript.compactions[: number + 1])
        messages = [(index, with_cleared(self.transcript.messages[index], calls)) for index in opening]
        return [
            Copy(of=self._ids.get(index), message=dict(form.raw), marks=form.marks)
            for index, message in messages
            for form in (without_thinking([message]) if index < made.after_message else [message])
        ]

    @cached_property
    def _turn_numbers(self) -> list[int]:
        """For each message its turn in the session."""
        return turn_numbers(self.transcript, without=self._without)

    @cached_property
    def _held(self) -> Mapping[int, int]:
        """For each compaction the tokens that the window held before it, as `brim inspect` shows them."""
        walk = Walk(self.transcript, RECORDS, until=len(self.transcript.messages))
        return held_before_compactions(walk.held())

    def _summary(self, number: int, made: Recorded, opening: Sequence[int]) -> SummaryRecord:
        before = view_before(self.transcript, number)
        words = [message for index in opening if (message := self.transcript.messages[index]).marks.summary]
        wrote = [one for one in self.transcript.responses if one.summary and one.message in opening]
        return SummaryRecord(
            content="\n\n".join(message.text for message in words),
            generated=self._now,
            summarized=len({*before.indices} - {*opening}),
            tokens_before=made.recorded or (self._held[number] if made.after_message else 0),
            model=next((one.model for one in wrote if one.model), ""),
            by=self.transcript.format,
            cost=next((one.cost for one in wrote if one.cost is not None), None),
        )
