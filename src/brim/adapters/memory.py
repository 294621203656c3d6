"""What an adapter knows of a conversation that comes back: by the record that it carries, else by its content.

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
from pydantic_core import to_json

from brim.conversation.messages import Message
from brim.engine.progress import Progress

RECORD: Final = "brim_compaction"
"""The name under which a record stands in the state, or in the metadata of a message."""
REMEMBERED: Final = 64
"""Conversations that one adapter remembers, the newest."""
DIGEST_BYTES: Final = 16
START: Final = Progress()
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Compacted(Generic[M]):
    """What is sent in place of the first messages of a conversation."""

    covered: int
    """How many messages it replaces."""
    front: tuple[int | M, ...]
    """What is sent instead: the index of a message that is kept, or a message that brim wrote or changed."""
    settled: int
    """How many of them no usage has measured (TOK_11)."""
    progress: Progress = START

    def before(self, messages: Sequence[M]) -> list[M]:
        """The messages that are sent for this conversation."""
        front = [messages[one] if isinstance(one, int) else one for one in self.front]
        return [*front, *messages[self.covered :]]


class Memory(Generic[M]):
    """The compactions that one adapter made, and the lists that it sent, each by a digest of the content."""

    def __init__(self) -> None:
        self._made: OrderedDict[bytes, Compacted[M]] = OrderedDict()
        self._sent: OrderedDict[bytes, None] = OrderedDict()

    def remember(self, chain: Sequence[bytes], compacted: Compacted[M]) -> None:
        """Remember what replaces the messages of this chain."""
        if chain:
            _put(self._made, chain[-1], compacted)

    def find(self, chain: Sequence[bytes]) -> Compacted[M] | None:
        """What replaces the longest beginning of this chain that was compacted."""
        made = (self._made.get(one) for one in reversed(chain))
        return next((one for one in made if one is not None), None)

    def sent(self, chain: Sequence[bytes]) -> None:
        """Remember that the messages of this chain are what the next response measures."""
        if chain:
            _put(self._sent, chain[-1], None)

    def was_sent(self, chain: Sequence[bytes]) -> bool:
        """Whether just these messages were sent, so that the usage of the response behind them measured them."""
        return bool(chain) and chain[-1] in self._sent


def _put(kept: OrderedDict[bytes, Any], key: bytes, value: Any) -> None:
    kept.pop(key, None)
    kept[key] = value
    if len(kept) > REMEMBERED:
        kept.popitem(last=False)


def digest(messages: Sequence[Message]) -> bytes:
    """A digest of what these messages say, whichever objects, ids and times the library gave them."""
    said = [[message.role, message.raw["content"]] for message in messages]
    return blake2b(to_json(said, fallback=repr), digest_size=DIGEST_BYTES).digest()


def chain_of(digests: Sequence[bytes]) -> list[bytes]:
    """For each message a digest of it and of all before it."""
    chain: list[bytes] = []
    last = b""
    for one in digests:
        last = blake2b(last + one, digest_size=DIGEST_BYTES).digest()
        chain.append(last)
    return chain


class Kept(NamedTuple):
    """What a message that is kept is known by, where the library gives it an id."""

    id: str
    said: str
    """A digest of its content, in hexadecimal digits: an application may give ids anew."""
    back: int
    """How many messages it stands before the end of those that are covered."""


class Record(BaseModel):
    """What is kept of a compaction where the library keeps messages."""

    model_config = ConfigDict(frozen=True)

    until: list[str] = Field(default=[], description="What the last messages that are covered are known by.")
    messages: list[str | Kept | dict[str, Any]] = Field(
        description="What is sent: what a message that is kept is known by, or a new message."
    )
    settled: int = Field(ge=0, description="How many of these no usage has measured.")
    left: list[int] = Field(default=[], description="Tokens that the last compactions left, where they did not help.")
    threshold: int = Field(default=0, description="Tokens above which compaction is due.")

    @property
    def progress(self) -> Progress:
        """How the conversation got on."""
        return Progress(tuple(self.left), self.threshold)


def read_record(told: Any) -> Record | None:
    """The record that is kept under the name of brim; None where there is none, or what is there is no record."""
    try:
        return Record.model_validate(told)
    except ValidationError:
        return None
