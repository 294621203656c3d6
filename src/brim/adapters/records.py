"""Records of compactions: an adapter finds them by a conversation's own record, else by its content.

The record is written where the library keeps messages, so that it survives a restart (ADP_02). The memory serves
callers who build their messages anew and keep no record; it lasts as long as the process.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from brim.conversation.messages import Message
from brim.engine.progress import Progress
from brim.summary.facts import Fact
from brim.summary.identifiers import NO_IDENTIFIERS, Identifiers
from brim.summary.template import facts_to_remember
from brim.tokens.estimation import json_bytes

RECORD: Final = "brim_compaction"
"""The name of a record in the state, or in the metadata of a message."""
MAX_CONVERSATIONS: Final = 64
"""Conversations that one adapter remembers, the newest."""
DIGEST_BYTES: Final = 16
MAX_FACT_CHARS: Final = 32_000
"""Of the facts in a record: twice what a summary has room for (SUM_07)."""
START: Final = Progress()
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Replacement(Generic[M]):
    """What is sent in place of the first messages of a conversation."""

    replaced_count: int
    """How many messages it replaces."""
    messages: tuple[int | M, ...]
    """What is sent instead: the index of a message that is kept, or a message that brim wrote or changed."""
    unmeasured_prefix: int
    """How many of them no usage has measured (TOK_11)."""
    progress: Progress = START
    new: bool = False
    """Whether no response has recorded it yet."""

    def apply(self, messages: Sequence[M]) -> Sent[M]:
        """Return what is sent for this conversation."""
        replaced = [messages[one] if isinstance(one, int) else one for one in self.messages]
        return Sent([*replaced, *messages[self.replaced_count :]], self.unmeasured_prefix, self.progress, self.new)


@dataclass(frozen=True, slots=True)
class Sent(Generic[M]):
    """The messages that are sent, and how many of them a compaction left."""

    messages: list[M]
    unmeasured_prefix: int = 0
    progress: Progress = START
    new: bool = False
    """Whether no response has recorded the compaction yet."""

    def replaces(self, messages: Sequence[M]) -> Replacement[M]:
        """Return what this request's compaction put in place of these messages."""
        indices = {id(message): index for index, message in enumerate(messages)}
        replaced = tuple(indices.get(id(one), one) for one in self.messages)
        return Replacement(len(messages), replaced, self.unmeasured_prefix, self.progress)


class RecordMemory(Generic[M]):
    """The compactions that one adapter made, and the lists that it sent, each by a digest of the content."""

    def __init__(self) -> None:
        self._made: OrderedDict[bytes, Replacement[M]] = OrderedDict()
        self._sent: OrderedDict[bytes, None] = OrderedDict()

    def remember(self, chain: Sequence[bytes], replacement: Replacement[M]) -> None:
        """Remember what replaces the messages of this chain."""
        if chain:
            _put(self._made, chain[-1], replacement)

    def find(self, chain: Sequence[bytes]) -> Replacement[M] | None:
        """Return what replaces the longest beginning of this chain that was compacted; None where none was."""
        made = (self._made.get(one) for one in reversed(chain))
        return next((one for one in made if one is not None), None)

    @property
    def has_unrecorded(self) -> bool:
        """Whether it has a compaction that no response has recorded."""
        return any(one.new for one in self._made.values())

    def remember_sent(self, chain: Sequence[bytes]) -> None:
        """Remember that the next response measures the messages of this chain."""
        if chain:
            _put(self._sent, chain[-1], None)

    def was_sent(self, chain: Sequence[bytes]) -> bool:
        """Return whether exactly these were sent, so that the usage of the response behind them measured them."""
        return bool(chain) and chain[-1] in self._sent


def _put(kept: OrderedDict[bytes, Any], key: bytes, value: Any) -> None:
    kept.pop(key, None)
    kept[key] = value
    if len(kept) > MAX_CONVERSATIONS:
        kept.popitem(last=False)


def digest(messages: Sequence[Message]) -> bytes:
    """Digest the content of these messages, whichever objects, ids and times the library gave them.

    Raises InvalidInput where it cannot be written as JSON.
    """
    said = [[message.role, message.raw["content"]] for message in messages]
    return blake2b(json_bytes(said), digest_size=DIGEST_BYTES).digest()


def chain_of(digests: Sequence[bytes]) -> list[bytes]:
    """Return for each message a digest of it and of all before it."""
    chain: list[bytes] = []
    last = b""
    for one in digests:
        last = blake2b(last + one, digest_size=DIGEST_BYTES).digest()
        chain.append(last)
    return chain


class Kept(NamedTuple):
    """How a kept message is found again, where the library gives it an id."""

    id: str
    digest: str
    """A digest of its content, in hexadecimal digits: an application may assign new ids."""
    from_end: int
    """Its distance from the end of the messages that the record covers; 1 for the last."""


class AdapterRecord(BaseModel):
    """A compaction, as it is stored where the library keeps messages (ADP_02)."""

    model_config = ConfigDict(frozen=True)

    until: list[str] = Field(default=[], description="The ids of the last messages that are covered.")
    messages: list[str | Kept | dict[str, Any]] = Field(
        description="What is sent: the digest or id of a message that is kept, or a new message."
    )
    unmeasured: int = Field(ge=0, description="How many of these no usage has measured.")
    left: list[int] = Field(default=[], description="Tokens that the last compactions left, where they did not help.")
    threshold: int = Field(default=0, description="Tokens above which compaction is due.")
    unseen: int = Field(default=0, description="Tokens of the results that the last one removed before they were seen.")
    facts: tuple[Fact, ...] = Field(default=(), description="What must survive, known from the compaction.")
    identifiers: Identifiers = Field(default=NO_IDENTIFIERS, description="The identifiers of what has left.")

    @property
    def progress(self) -> Progress:
        """The progress of the conversation."""
        return Progress(tuple(self.left), self.threshold, self.unseen, facts=self.facts, identifiers=self.identifiers)


def record_of(entries: Sequence[Any], sent: Sent[Any], until: Sequence[str] = ()) -> AdapterRecord:
    """Build the record of what is sent, each message as an entry of the record."""
    progress = sent.progress
    return AdapterRecord(
        until=[*until],
        messages=[*entries],
        unmeasured=sent.unmeasured_prefix,
        left=[*progress.held],
        threshold=progress.threshold,
        unseen=progress.unseen,
        facts=facts_to_remember(progress.facts, MAX_FACT_CHARS),
        identifiers=progress.identifiers,
    )


def read_record(stored: Any) -> AdapterRecord | None:
    """Read the record that is stored under the name of brim; None where there is none, or it is no record."""
    try:
        return AdapterRecord.model_validate(stored)
    except ValidationError:
        return None
