"""What a reader makes of a transcript: the messages, the responses with their usage, the compactions, the damage.

Lines count from 1. In a file that is one JSON value, and in a storage tree, the number is that of the message in its
list instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from brim.conversation.messages import Message
from brim.tokens.usage import TokenUsage

CompactionKind: TypeAlias = Literal["auto", "manual", "compaction", "micro", "prune"]
"""Who or what made room: the harness by itself, the user, either of them where the file does not say who, or a clearing
of old tool results alone."""


REWOUND: Final = "rewound"
RETRACTED: Final = "retracted"
TAKEN_BACK: Final = (REWOUND, RETRACTED)
"""Kinds of what is left out that count messages which no longer hold: the user went back from them, or the tool says
so."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """A line that could not be read, and why; it was skipped."""

    line: int
    """Where it stands."""
    reason: str
    """Why it could not be read."""


@dataclass(frozen=True, slots=True)
class ResponseRecord:
    """One answer of the API, in the order of time (`index` counts from 0)."""

    index: int
    """Which answer it is, from 0."""
    message: int
    """Index of its message in `Transcript.messages`."""
    line: int
    """Where it begins."""
    usage: TokenUsage | None
    """What the file says the API counted, normalized (TOK_02); None where that was no measurement (TOK_10)."""
    model: str | None = None
    """The model that gave it; None where the file does not say."""
    agent: str | None = None
    """The agent of the tool that asked for it, such as build; None where the file does not say."""
    cost: float | None = None
    """Its price in US dollars, as the file says; None where it does not."""
    finished: bool = True
    """Whether it gave a stop reason. Without one the recorded output may be a placeholder (TOK_10)."""
    characters: int = 0
    """Characters of its words, thinking and tool calls left out."""
    summary: bool = False
    """It wrote a summary for a compaction: its usage measures nothing afterwards (TOK_11)."""
    time: datetime | None = None
    """When it was written down, in UTC; None where the file does not say."""


@dataclass(frozen=True, slots=True)
class RecordedCompaction:
    """One time that the harness made room.

    Where nothing stands before it (`after_message` is 0), the file holds only what was left afterwards.
    """

    kind: CompactionKind
    """Who or what made room."""
    line: int
    """Where the boundary stands, or the message after which the outputs were cleared."""
    after_message: int
    """How many of `Transcript.messages` stand before it."""
    recorded: int | None = None
    """Tokens in the window before, as the file says; None where it does not.

    None for a micro-compaction too: the number recorded there is the size of the results it looked at.
    """
    cleared: frozenset[str] = frozenset()
    """Ids of the tool calls whose results read `[Old tool result content cleared]` from here on."""
    opening: tuple[int, ...] | None = None
    """Indices of the messages that stand first afterwards, for all that stood before: the summary, what was kept word
    for word. None where nothing was replaced."""
    time: datetime | None = None
    """When the harness made room, in UTC; None where the file does not say."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What the file says of some messages, word for word, for an export in the same form."""

    after: int
    """How many of `Transcript.messages` come before it."""
    document: Mapping[str, Any]
    """What it says."""
    messages: tuple[int, ...] = ()
    """Indices of the messages that were read from it."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript as read: nothing of it is decided yet."""

    format: str
    """The format that was read, such as claude-code."""
    messages: tuple[Message, ...]
    """The main chain in the order the API gets it, compactions not applied; see `view`."""
    lines: tuple[int, ...]
    """For each message: where it begins."""
    times: tuple[datetime | None, ...] = ()
    """For each message: when it was written down, in UTC; None where the file does not say. Empty: it never says."""
    version: str | None = None
    """The version of the tool that wrote it; None where the file does not say."""
    folder: str | None = None
    """The project's folder; None where the file does not say."""
    session: str | None = None
    """The id of the session; None where the file does not say."""
    title: str | None = None
    """What the session is called; None where the file does not say."""
    parent: str | None = None
    """The id of the session that it came from; None where the file names none."""
    created: datetime | None = None
    """When the session was made, in UTC; None where the file does not say."""
    model: str | None = None
    """The model that answered most often."""
    window: int | None = None
    """Tokens of the context window, as the file says; None where it does not."""
    system: Any = None
    """The system prompt; None where it is not in the file."""
    tools: Sequence[Mapping[str, Any]] | None = None
    """The tool definitions; None where they are not in the file."""
    request: Mapping[str, Any] | None = None
    """The object whose messages they are, such as the body of a request; None where they are in none."""
    listed: bool = False
    """Whether the file is the list of the messages."""
    responses: tuple[ResponseRecord, ...] = ()
    """The answers of the API, in the order of time."""
    compactions: tuple[RecordedCompaction, ...] = ()
    """The times that the harness made room, in the order of time."""
    unsent: frozenset[int] = frozenset()
    """Indices of messages that were never sent: error notices of the harness, answers that failed."""
    damaged: tuple[Damaged, ...] = ()
    """The lines that were skipped."""
    begins: tuple[int, ...] = ()
    """Indices of the messages with which a new conversation begins, where a file holds several one after another."""
    lacks: str | None = None
    """What came before and could not be read, in a sentence; None where the file has all, or does not say."""
    rewound: int | None = None
    """Index of the first message that the user took back, with all that follow; None where nothing was."""
    carried: tuple[Carried, ...] = ()
    """What the file says of its messages, for an export in the same form; empty where brim writes no such form."""
    about: Mapping[str, Any] | None = None
    """The same of the session as a whole; None where brim writes no such form."""
    aside: tuple[tuple[TokenUsage, str | None], ...] = ()
    """Of each answer that sub-agents got: what the API counted, and the model."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many records of which kind are no part of the main chain."""
    counted: Literal["line", "message"] = "line"
    """What the numbers count that tell where something stands."""
    notes: tuple[str, ...] = ()
    """What the file does not record, in sentences."""

    @property
    def end(self) -> int:
        """Return how many of the messages come before what the user took back."""
        return len(self.messages) if self.rewound is None else self.rewound

    @property
    def taken_back(self) -> dict[str, int]:
        """Return how many messages no longer hold, by kind."""
        return {kind: self.left_out[kind] for kind in TAKEN_BACK if kind in self.left_out}

    def made_room(self, stop: int) -> tuple[RecordedCompaction, ...]:
        """The compactions before so many messages; one that stands at the place where the user went back is none."""
        return tuple(
            made
            for made in self.compactions
            if made.after_message < stop or (made.after_message == stop and (self.rewound != stop or not made.opening))
        )


@dataclass(frozen=True, slots=True)
class TranscriptView:
    """A conversation as the model saw it."""

    messages: tuple[Message, ...]
    """The messages, in the order they were sent."""
    indices: tuple[int, ...]
    """For each message: its index in `Transcript.messages`."""
    measured: ResponseRecord | None
    """The last response whose usage still measures the window; None where a compaction came after it (TOK_11)."""
    since: int
    """Index in `messages` from which on they were appended after `measured`; 0 where there is none."""

    @property
    def usage(self) -> TokenUsage | None:
        """Return the usage that measures the window."""
        return self.measured.usage if self.measured is not None else None

    @property
    def appended(self) -> tuple[Message, ...]:
        """Return what no usage has counted yet: everything, where there is no usage."""
        return self.messages[self.since :]
