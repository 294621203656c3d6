"""Records of compactions, written where a library keeps messages, so that they survive a restart (ADP_02)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, Generic, TypeVar

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
    """The number of them that the record gave."""
    progress: Progress = Progress()  # noqa: RUF009 -- a frozen value


def digest(*messages: Mapping[str, Any]) -> bytes:
    """Digest the content of a library's message, which brim reads as these, whichever id and time it has.

    Raises InvalidInput where it cannot be written as JSON.
    """
    return blake2b(json_bytes([[one["role"], _digested(one["content"])] for one in messages]), digest_size=16).digest()


def _digested(value: Any) -> Any:
    """Return what is digested of a content: all but the addresses of pictures, of which older records know nothing."""
    if isinstance(value, Mapping):
        own = value.get("type") == "elsewhere"
        return {name: _digested(one) for name, one in value.items() if not (own and name == "url")}
    return [_digested(one) for one in value] if isinstance(value, (list, tuple)) else value


class AdapterRecord(BaseModel):
    """A compaction, as it is stored where the library keeps messages (ADP_02)."""

    model_config = ConfigDict(frozen=True)

    messages: list[str | tuple[str, str, int] | dict[str, Any]] = Field(
        description="What is sent: the digest of a message that is kept, alone or as older records have it between the "
        "id of the message and its distance from the end, or a new message."
    )
    left: list[int] = Field(default=[], description="Tokens that the last compactions left, where they did not help.")
    threshold: int = Field(default=0, description="Tokens above which compaction is due.")
    unseen: int = Field(default=0, description="Tokens of the results that the last one removed before they were seen.")
    facts: tuple[Fact, ...] = Field(default=(), description="What must survive, known from the compaction.")
    identifiers: Identifiers = Field(default=NO_IDENTIFIERS, description="The identifiers of what has left.")


def read_record(stored: Any) -> AdapterRecord | None:
    """Read the record that is stored under the name of brim; None where there is none, or it is no record."""
    try:
        return AdapterRecord.model_validate(stored)
    except ValidationError:
        return None


@dataclass(frozen=True, slots=True)
class MessageRecords(Generic[M]):
    """The records of a library's messages."""

    digest: Callable[[M], str]
    """Digests the content of a message, in hexadecimal digits."""
    dump: Callable[[M], dict[str, Any]]
    """Writes a message as JSON."""
    load: Callable[[dict[str, Any]], M]
    """Reads what `dump` wrote."""
    id_of: Callable[[M], str | None] = lambda _: None
    """Reads the id that the library gives a message and its caller may change or remove it by."""
    summaries: Callable[[M], AbstractSet[str]] = lambda _: frozenset()
    """Reads the summaries in a message: a history with that of a record is what the record says already."""

    def record(self, messages: Iterable[M], sent: Sequence[M], progress: Progress) -> dict[str, Any]:
        """Write the record of what is sent in place of these messages, as JSON."""
        own = {id(message) for message in messages}
        return AdapterRecord(
            messages=[self._key(one) if id(one) in own else self.dump(one) for one in sent],
            left=[*progress.held],
            threshold=progress.threshold,
            unseen=progress.unseen,
            facts=facts_to_remember(progress.facts, 32_000),  # characters: twice what a summary has room for (SUM_07)
            identifiers=progress.identifiers,
        ).model_dump(mode="json")

    def apply(self, messages: list[M], stored: Iterable[tuple[int, Any]]) -> Applied[M]:
        """Return the messages with what the first of these records that can be applied says.

        Each has the number of messages that it covers. A message that it keeps is as it is now; one with an id that is
        gone was removed and is left out, and any other that is gone makes the record one that cannot be applied.
        """
        digests: list[str] = []
        for count, record in ((count, read_record(one)) for count, one in stored):
            if record is None:
                continue
            digests = digests or [*map(self.digest, messages)]
            replaced = self._replaced(record, dict(zip(digests[:count], messages, strict=False)), messages[:count])
            if replaced is not None:
                progress = Progress(
                    tuple(record.left),
                    record.threshold,
                    record.unseen,
                    facts=record.facts,
                    identifiers=record.identifiers,
                )
                return Applied([*replaced, *messages[count:]], len(replaced), progress)
        return Applied(messages)

    def _key(self, message: M) -> str | tuple[str, str, int]:
        known, digest = self.id_of(message), self.digest(message)
        return digest if known is None else (known, digest, 0)

    def _replaced(self, record: AdapterRecord, known: Mapping[str, M], messages: Sequence[M]) -> Sequence[M] | None:
        by_id = {self.id_of(one): one for one in messages}
        found: list[tuple[Any, M | None]] = []
        for entry in record.messages:
            match entry:
                case dict():
                    found.append((entry, self.load(entry)))
                case str():
                    found.append((entry, known.get(entry)))
                case name, digest, _:
                    found.append((entry, by_id.get(name) or known.get(digest)))
        gone = [entry for entry, one in found if one is None]
        if all(isinstance(entry, tuple) for entry in gone):
            # a result that brim wrote may be that of a message that is gone
            own_results = [
                one for entry, one in found if gone and isinstance(entry, dict) and entry.get("type") == "tool"
            ]
            return [one for _, one in found if one is not None and one not in own_results]
        new = [one for entry, one in found if isinstance(entry, dict) and one is not None]
        written, present = ({text for one in some for text in self.summaries(one)} for some in (new, messages))
        return messages if written & present else None
