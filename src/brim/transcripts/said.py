"""What the records of a file come to: answers with their results, other messages, and what lies between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeAlias

from brim.conversation.messages import Marks
from brim.transcripts.accumulator import Told
from brim.transcripts.blocks import Block
from brim.transcripts.values import CompactionKind

NO_MARKS: Final = Marks()
"""Not the marks that make a message's opening be looked at: a record says what it is."""
UNTOLD: Final = Told(None)
"""Of a response of which the file tells nothing."""


@dataclass(slots=True, eq=False)
class Answer:
    """One response of the API, and the results of its calls."""

    line: int
    blocks: list[Block]
    told: Told = UNTOLD
    marks: Marks = NO_MARKS
    sent: bool = True
    results: list[Block] = field(default_factory=list)
    results_line: int = 0
    results_sent: bool = True
    results_time: datetime | None = None


@dataclass(slots=True, eq=False)
class Entry:
    """A message that no model wrote."""

    line: int
    blocks: list[Block]
    marks: Marks = NO_MARKS
    sent: bool = True
    time: datetime | None = None


@dataclass(slots=True, eq=False)
class Compacted:
    """A compaction; `opening` is what stands first afterwards, said before or added later."""

    line: int
    kind: CompactionKind
    recorded: int | None
    opening: list[Answer | Entry]
    time: datetime | None = None


@dataclass(slots=True, eq=False)
class Begun:
    """A new conversation in the same file: nothing of what stands before is sent any more."""


Said: TypeAlias = Answer | Entry
Node: TypeAlias = Said | Compacted | Begun
