"""Records of compactions, written where a library keeps messages, so that they survive a restart (ADP_02)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from brim.engine.progress import Progress
from brim.summary.facts import Fact
from brim.summary.identifiers import NO_IDENTIFIERS, Identifiers
from brim.summary.template import facts_to_remember
from brim.tokens.estimation import json_bytes

RECORD: Final = "brim_compaction"
"""The name of a record in the state, or in the metadata of a message."""
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Applied(Generic[M]):
    """The messages of a library, with what the last compaction sent in place of the first of them."""

    messages: list[M]
    count: int = 0
    """How many of them the record gave."""
    progress: Progress = Progress()  # noqa: RUF009 -- a frozen value


def digest(message: Mapping[str, Any]) -> bytes:
    """Digest the content of a message, as brim reads it, whichever id and time the library gave it.

    Raises InvalidInput where it cannot be written as JSON.
    """
    return blake2b(json_bytes([[message["role"], message["content"]]]), digest_size=16).digest()


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
    left: list[int] = Field(default=[], description="Tokens that the last compactions left, where they did not help.")
    threshold: int = Field(default=0, description="Tokens above which compaction is due.")
    unseen: int = Field(default=0, description="Tokens of the results that the last one removed before they were seen.")
    facts: tuple[Fact, ...] = Field(default=(), description="What must survive, known from the compaction.")
    identifiers: Identifiers = Field(default=NO_IDENTIFIERS, description="The identifiers of what has left.")

    @property
    def progress(self) -> Progress:
        """The progress of the conversation."""
        return Progress(tuple(self.left), self.threshold, self.unseen, facts=self.facts, identifiers=self.identifiers)


def record_of(entries: Sequence[Any], progress: Progress, until: Sequence[str] = ()) -> AdapterRecord:
    """Build the record of what is sent, each message as an entry of the record."""
    return AdapterRecord(
        until=[*until],
        messages=[*entries],
        left=[*progress.held],
        threshold=progress.threshold,
        unseen=progress.unseen,
        facts=facts_to_remember(progress.facts, 32_000),  # characters: twice what a summary has room for (SUM_07)
        identifiers=progress.identifiers,
    )


def read_record(stored: Any) -> AdapterRecord | None:
    """Read the record that is stored under the name of brim; None where there is none, or it is no record."""
    try:
        return AdapterRecord.model_validate(stored)
    except ValidationError:
        return None
