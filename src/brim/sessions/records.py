"""Records: the lines of a session's log as values; none of them is ever rewritten.

Specified by features/sessions/log.feature (SES_01) and summary_records.feature (SES_05). Each record has an id that
ascends with time and the time it was made, in milliseconds since 1970. Records of an unknown kind are carried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from brim.conversation.messages import PLAIN, Marks, Message, read_message
from brim.errors import InvalidInput, Refused, faults_of
from brim.models import Tokens
from brim.summary.facts import Fact
from brim.summary.identifiers import NO_IDENTIFIERS, Identifiers
from brim.tokens.usage import TokenUsage

VERSION: Final = 2
"""The version of every record that is written now."""
FIRST_VERSION: Final = 1
"""The version whose summary has four fields: content, generatedAt, summarizedMessageCount, originalTokenCount."""


MAX_TIME_MS: Final = 253_402_300_799_999
"""The last millisecond of the year 9999: no later one has a date, and far later ones do not fit into an index."""


class SummaryRecord(BaseModel):
    """A summary and its figures. Times are milliseconds since 1970, counts whole numbers from 0."""

    model_config = ConfigDict(frozen=True, extra="allow")

    content: str = Field(description="The summary itself, without the line that opens its message.")
    generated: int = Field(ge=0, le=MAX_TIME_MS, description="When it was made.")
    summarized: Tokens = Field(
        validation_alias=AliasChoices("summarized", "summarised"), description="How many messages it replaces."
    )
    tokens_before: Tokens = Field(description="The estimate of all that was sent before.")
    tokens_after: Tokens | None = Field(default=None, description="The same afterwards; None where unknown.")
    model: str = Field(default="", description="The model that wrote it; empty where none did, or unknown.")
    prompt: str = Field(default="", description="The version of the prompt it was asked for with.")
    by: str = Field(default="", description="Who wrote it: model, template, truncate, fallback, or a caller.")
    cost: float | None = Field(default=None, description="US dollars, as another tool noted them; None elsewhere.")


def known_version(version: object, what: str = "record") -> int:
    """The version of a record. Raises Refused where it is newer than what is read here, naming both."""
    if not isinstance(version, int) or isinstance(version, bool) or version < FIRST_VERSION:
        raise InvalidInput(f"a {what} has the version {version!r}; versions are whole numbers from {FIRST_VERSION}")
    if version > VERSION:
        raise Refused(
            f"a {what} is of version {version}, and this brim reads up to {VERSION}: read it with a newer brim"
        )
    return version


def summary_of_today(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a summary of the first version under the names they have now. Raises InvalidInput."""
    return {
        "content": given.get("content"),
        "generated": _milliseconds(given.get("generatedAt")),
        "summarized": given.get("summarizedMessageCount"),
        "tokens_before": given.get("originalTokenCount"),
    }


def _milliseconds(time: object) -> object:
    """An ISO 8601 time as milliseconds; anything else as it is."""
    if not isinstance(time, str):
        return time
    try:
        return round(datetime.fromisoformat(time).timestamp() * 1000)
    except ValueError as error:
        raise InvalidInput(f"a summary was generated at {time!r}; a time reads 2025-01-15T10:30:00Z") from error


class Record(BaseModel):
    """The fields that every record has. Those that are not known here are carried."""

    model_config = ConfigDict(frozen=True, extra="allow")

    v: int = Field(default=VERSION, description="The version of the form of the record.")
    id: str = Field(description="Ascends with time; unique within the session.")
    time: int = Field(ge=0, le=MAX_TIME_MS, description="When it was made, in milliseconds since 1970.")


class Copy(BaseModel):
    """A message of a conversation after a compaction, word for word."""

    model_config = ConfigDict(frozen=True)

    of: str | None = Field(default=None, description="The record it is of; None for one that brim wrote.")
    message: dict[str, Any] = Field(description="The dictionary.")
    marks: Marks = Field(default=PLAIN, description="Synthetic, pinned, and so on.")

    @cached_property
    def value(self) -> Message:
        """The message as a value. Raises InvalidInput."""
        return read_message(self.message, self.marks, source=f"a copy of message {self.of}")


class SessionSource(BaseModel):
    """The compaction that a summary was inherited from, in the session that a fork came from (SES_10)."""

    model_config = ConfigDict(frozen=True, extra="allow")

    session: str = Field(description="The id of that session.")
    compaction: str = Field(description="The record there.")


class Learned(BaseModel):
    """Calibration of a model's characters a token before a compaction; no usage measures what it left (TOK_09)."""

    model_config = ConfigDict(frozen=True, extra="allow")

    model: str = Field(description="The model.")
    samples: Tokens = Field(description="How many responses it was learned from.")
    characters: Tokens = Field(description="Characters that these added.")
    tokens: int = Field(gt=0, description="Tokens that these added.")


class ClearedOutput(BaseModel):
    """A tool output that reads a placeholder from here on."""

    model_config = ConfigDict(frozen=True)

    call: str = Field(description="The id of its call.")
    message: str | None = Field(
        default=None, description="The record that holds it; empty for a message without one, None for any message."
    )


class CompactionRecord(Record):
    """A compaction: the summary, and how the new conversation is made from it and from what was kept (SES_05)."""

    kind: Literal["compaction"] = "compaction"
    summary: SummaryRecord | None = Field(default=None, description="The summary; None where there is none.")
    error: str | None = Field(default=None, description="What went wrong; None where it is finished.")
    opening: tuple[Copy, ...] = Field(default=(), description="What precedes the tail: pins, the summary.")
    tail: str | None = Field(default=None, description="The first record that is kept; None where none is.")
    closing: tuple[Copy, ...] = Field(default=(), description="What follows the tail: the continuation.")
    cleared: tuple[ClearedOutput, ...] = Field(default=(), description="Outputs of the tail that read a placeholder.")
    facts: tuple[Fact, ...] = Field(default=(), description="What must survive, for the next compaction (SUM_09).")
    learned: Learned | None = Field(default=None, description="Characters a token; None where nothing was learned.")
    identifiers: Identifiers = Field(
        default=NO_IDENTIFIERS, description="The identifiers of what has left, with their turns (REC_02)."
    )
    replaces: tuple[str, str] | None = Field(default=None, description="First and last record it replaces.")
    earlier: str | None = Field(default=None, description="The compaction whose summary it replaced.")
    source: SessionSource | None = Field(
        default=None, description="Where the summary was made; None where it was here."
    )
    automatic: bool | None = Field(
        default=None, description="Whether it was due, or the user asked for it; None where unknown."
    )

    @property
    def counts(self) -> bool:
        """Return whether it is finished, with a summary that carries no error (SES_04)."""
        return self.error is None and self.summary is not None

    @property
    def words(self) -> str:
        """The words of the summary; empty where there is none."""
        return self.summary.content if self.summary is not None else ""


class PruningRecord(Record):
    """Old tool outputs were cleared."""

    kind: Literal["pruning"] = "pruning"
    cleared: tuple[ClearedOutput, ...] = Field(description="Which.")
    saved: int = Field(default=0, description="Tokens that this saved.")


class RewindRecord(Record):
    """The conversation went back to a record, and goes on from it; what came after stays in the log (CHK_09)."""

    kind: Literal["rewind"] = "rewind"
    to: str = Field(description="The last record that still counts.")
    begins: bool = Field(default=False, description="Whether another tool began a conversation; no undo takes it back.")


class UndoRecord(Record):
    """A compaction, a pruning, a rewind or an earlier undo counts no more (SES_11)."""

    kind: Literal["undo"] = "undo"
    of: str = Field(description="The record that counts no more.")
    to: str | None = Field(default=None, description="The record before it, where what came since is rewound with it.")
    redo: bool = Field(default=False, description="Whether it takes back an undo.")


class SessionRecord(Record):
    """The first record of a log: what the session is."""

    kind: Literal["session"] = "session"
    session: str = Field(description="The id of the session.")
    project: str = Field(default="", description="The directory of the project.")
    title: str = Field(default="", description="What the user calls it.")
    model: str = Field(default="", description="The model it begins with.")
    window: Tokens | None = Field(default=None, description="Tokens of its window, where that is not its model's.")
    parent: str | None = Field(default=None, description="The id of the session it came from.")


class MessageRecord(Record):
    """A message as it came, and what a harness knows of it."""

    kind: Literal["message"] = "message"
    message: dict[str, Any] = Field(description="The very dictionary.")
    marks: Marks = Field(default=PLAIN, description="Synthetic, pinned, and so on.")

    @cached_property
    def value(self) -> Message:
        """The message as a value. Raises InvalidInput."""
        return read_message(self.message, self.marks, key=self.id, source=f"message {self.id}")


class UsageRecord(Record):
    """The counts of the API for the response recorded before it."""

    kind: Literal["usage"] = "usage"
    usage: TokenUsage = Field(description="The counts.")
    model: str = Field(default="", description="The model that answered.")
    agent: str = Field(default="", description="The agent that asked, as another tool noted it.")
    cost: float | None = Field(default=None, description="US dollars, as another tool noted them; None elsewhere.")


class RenameRecord(Record):
    """The session is called something else."""

    kind: Literal["rename"] = "rename"
    title: str = Field(description="The new title.")


class ModelRecord(Record):
    """The session goes on with another model."""

    kind: Literal["model"] = "model"
    model: str = Field(description="The model.")


class ForeignRecord(Record):
    """A record of another tool about one message, or about the session as a whole; kept for an export (SES_16)."""

    kind: Literal["foreign"] = "foreign"
    format: str = Field(description="The format of the file, such as opencode.")
    document: dict[str, Any] = Field(description="Its words; a text that a record below holds is a reference to it.")
    held: tuple[str, ...] = Field(default=(), description="The records that were read from it.")
    texts: int | None = Field(default=None, description="How many texts those have; None where none is referred to.")


AUTO: Final = "auto"
"""The tag of a checkpoint that brim made before a prompt."""
SAFETY: Final = "safety"
"""The tag of one that a restore made."""
OWN_TAGS: Final = frozenset({AUTO, SAFETY})
"""The tags that brim alone gives to checkpoints."""


class CheckpointRecord(Record):
    """A way back (CHK_02): its place in the log is its place in the conversation, its snapshot the files."""

    kind: Literal["checkpoint"] = "checkpoint"
    name: str = Field(default="", description="What the user calls it.")
    tags: tuple[str, ...] = Field(default=(), description="Such as auto, or safety where a restore made it.")
    snapshot: str | None = Field(default=None, description="The commit in the project's store; None without files.")
    left_out: tuple[str, ...] = Field(
        default=(), description="Paths that the snapshot lacks (CHK_03); a repository's ends with a slash."
    )
    note: str = Field(default="", description="Why it holds no files, in words (CHK_11).")
    position: str = Field(
        default="",
        description="The last record of Claude Code's transcript; empty where this session has the messages.",
    )

    @property
    def is_by_hand(self) -> bool:
        """Return whether the user made it: the turn that it was made in is an anchor (ANC_07)."""
        return OWN_TAGS.isdisjoint(self.tags)


class RestoreRecord(Record):
    """Files, the conversation or both went back to a checkpoint (CHK_04)."""

    kind: Literal["restore"] = "restore"
    of: str = Field(description="The checkpoint that was restored.")
    what: Literal["files", "conversation", "both"] = Field(description="What went back.")
    safety: str = Field(description="The checkpoint that was made of the state before (CHK_06).")
    rewind: str | None = Field(default=None, description="The rewind of the conversation; None where it stayed.")
    paths: tuple[str, ...] | None = Field(default=None, description="The files asked for; None for all of them.")
    changed: int = Field(default=0, description="Files that it changed, brought back or removed.")
    undoes: str | None = Field(default=None, description="The restore that it takes back; None where it is no undo.")


class ForgottenRecord(Record):
    """Checkpoints that were removed, by their age or number (CHK_08)."""

    kind: Literal["forgotten"] = "forgotten"
    checkpoints: tuple[str, ...] = Field(description="Their ids.")


class CarriedRecord(Record):
    """A record of a kind that is not known here: carried, and changes nothing."""

    kind: str


KINDS: Final[dict[str, type[Record]]] = {
    "session": SessionRecord,
    "message": MessageRecord,
    "usage": UsageRecord,
    "compaction": CompactionRecord,
    "pruning": PruningRecord,
    "rewind": RewindRecord,
    "undo": UndoRecord,
    "rename": RenameRecord,
    "model": ModelRecord,
    "foreign": ForeignRecord,
    "checkpoint": CheckpointRecord,
    "restore": RestoreRecord,
    "forgotten": ForgottenRecord,
}
"""Which model reads which kind."""
InitialRecords: TypeAlias = Callable[[SessionRecord], Sequence[Record]]
"""From the first record of a new session to those that follow it."""
Made = TypeVar("Made", bound=Record)


def build_record(kind: type[Made], /, **fields: Any) -> Made:
    """A record with these fields. Raises InvalidInput, in one line, where a field is not of its form."""
    try:
        return kind(**fields)
    except ValidationError as error:
        name = kind.__name__.removesuffix("Record").lower()
        raise InvalidInput(f"a {name} is not of its form: {faults_of(error)}") from error


def with_marks(message: Message, marks: Marks) -> Message:
    """The message with marks that were given; its own, where none were."""
    return message if marks == PLAIN else replace(message, marks=marks)


def copy_message(message: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a message, which the caller cannot change.

    Where it is nested more deeply than can be followed, what lies within is shared.
    """
    try:
        return {name: one if type(one) is str else _copied(one) for name, one in message.items()}
    except RecursionError:
        return dict(message)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: one if type(one) is str else _copied(one) for name, one in value.items()}
    if isinstance(value, list):
        return [one if type(one) is str else _copied(one) for one in value]
    return value
