"""A transcript under construction: readers add messages, responses and compactions in the order of the file.

Each result goes to the response that called for it, wherever its record stands. A call id that was used before is
replaced by one of its own: the API takes each once.

A text of a harness in a message of the user begins no turn (CNV_02). Where the file does not mark it, its words tell,
as in the plain messages of an API request.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeAlias

from brim.conversation.harness_text import CONTINUED, HARNESS_TAGS, words_of_user
from brim.conversation.messages import (
    PLAIN,
    SUMMARY,
    SYNTHETIC,
    Marks,
    Message,
    Part,
    Raw,
    Text,
    ToolCall,
    ToolResult,
    is_visible,
    read_message,
    read_part,
    write_part,
)
from brim.errors import InvalidInput
from brim.tokens.usage import TokenUsage, is_measurement, normalize
from brim.transcripts.blocks import Block, result_block
from brim.transcripts.source import Json
from brim.transcripts.values import Carried, CompactionKind, Damaged, RecordedCompaction, ResponseRecord, Transcript

REMINDER: Final = "system-reminder"


NAMES: Final = "|".join(tag + (r"[\w-]+" if tag.endswith("-") else "") for tag in sorted(HARNESS_TAGS - {REMINDER}))
UNCLOSED: Final = re.compile(rf"\s*<({NAMES})(?:\s[^<>]*)?>[ \t]*(?:\n|\Z)(?!(?s:.*)</\1>)")
"""A tag alone on the first line that is not closed, as a harness leaves it that cuts its text off."""


def is_notice(text: str) -> bool:
    """Whether a harness wrote this text, and no user."""
    words = words_of_user(text)
    return not is_visible(words) or (words is text and UNCLOSED.match(text) is not None)


def remind(text: str) -> str:
    """A text as Claude Code hands it to the model beside the user's own."""
    return f"<{REMINDER}>\n{text}\n</{REMINDER}>"


def user_marks(parts: Sequence[Part]) -> Marks:
    """The marks of a user message, by its texts alone: a summary, a notice, or the user's own."""
    others = [part for part in parts if type(part) is not ToolResult]
    texts = [part.text for part in others if type(part) is Text and is_visible(part.text)]
    if not texts or any(type(part) is not Text for part in others) or not all(map(is_notice, texts)):
        return PLAIN
    return SUMMARY if texts[0].startswith(CONTINUED) else SYNTHETIC


SEVERAL: Final = "{} conversations stand in the file, one after another; the window is that of the last"

TAKEN_BACK: Final = "the user went back: {} of the messages in the file, the last ones, are not sent any more"


@dataclass(slots=True, eq=False)
class Results:
    """The results of one response: however many records brought them, they are one user message."""

    line: int = 0
    parts: list[Part] = field(default_factory=list)
    others: list[Part] = field(default_factory=list)
    """What the same records hold beside the results."""
    raw: Raw | None = None
    """The message of the one record that brought them; None where several did."""
    time: datetime | None = None


@dataclass(slots=True, eq=False)
class TranscriptResponse:
    """One response of the API: however many records it was written in, it is one message."""

    line: int
    parts: list[Part] = field(default_factory=list)
    usage: TokenUsage | None = None
    model: str | None = None
    agent: str | None = None
    cost: float | None = None
    """Its price in US dollars, as the file says."""
    finished: bool = True
    """Whether it gave a stop reason."""
    time: datetime | None = None
    marks: Marks = PLAIN
    sent: bool = True
    message: Message | None = None
    """The message as it was read, where it stays as it is."""
    results: Results = field(default_factory=Results)

    @property
    def blocks(self) -> list[Block]:
        """Its content."""
        return [dict(write_part(part)) for part in self.parts]


@dataclass(slots=True, eq=False)
class TranscriptEntry:
    """A message that no model wrote."""

    line: int
    message: Message
    sent: bool = True
    time: datetime | None = None

    @property
    def marks(self) -> Marks:
        """Those of its message."""
        return self.message.marks


@dataclass(slots=True, eq=False)
class CompactionMark:
    """A compaction, in front of the messages that came after it."""

    line: int
    kind: CompactionKind
    recorded: int | None = None
    opening: list[TranscriptResponse | TranscriptEntry] | None = None
    """What stands first afterwards, added before or later; a response with its results. None: nothing was replaced."""
    kept: list[TranscriptResponse | TranscriptEntry | Results] = field(default_factory=list)
    """What follows the opening, from before the compaction; results apart from their responses."""
    cleared: frozenset[str] = frozenset()
    time: datetime | None = None


@dataclass(slots=True, eq=False)
class ConversationStart:
    """A new conversation in the same file: nothing of what stands before is sent any more."""


@dataclass(slots=True, eq=False)
class Revert:
    """From here on the user took back what was said: nothing of it is sent any more."""


@dataclass(slots=True, eq=False)
class Carry:
    """What the file says of some messages, to be kept as it is; it comes behind them."""

    document: Mapping[str, Json]
    nodes: Sequence[TranscriptResponse | TranscriptEntry]


MessageNode: TypeAlias = TranscriptResponse | TranscriptEntry
Node: TypeAlias = MessageNode | CompactionMark | ConversationStart | Revert | Carry


class TranscriptBuilder:
    """The nodes so far, and what the file says beside them."""

    def __init__(self, damaged: Iterable[Damaged] = ()) -> None:
        self.nodes: list[Node] = []
        self.damaged = list(damaged)
        self.left_out: Counter[str] = Counter()
        self.notes: list[str] = []
        self.time: datetime | None = None
        """When the record was written that is being read."""
        self._starts = False
        self._ids: set[str] = set()
        self._calls: dict[str, tuple[str, TranscriptResponse]] = {}

    def read_each(self, records: Iterable[tuple[int, Any]], read: Callable[[int, Any], object]) -> None:
        """Read numbered records one by one; one that raises InvalidInput is damage."""
        for line, record in records:
            try:
                read(line, record)
            except InvalidInput as error:
                self.add_damage(line, str(error))

    def add_message(
        self, line: int, blocks: list[Block], marks: Marks = PLAIN, *, sent: bool = True, key: Any = None
    ) -> TranscriptEntry:
        """Add a user's message; one without content is returned and not added. Raises InvalidInput."""
        message = read_message({"role": "user", "content": blocks}, marks, key=key)
        return self.add_entry(line, message, sent=sent) if blocks else TranscriptEntry(line, message, sent)

    def add_entry(self, line: int, message: Message, *, sent: bool = True) -> TranscriptEntry:
        """Add a message that stays as it was read."""
        entry = TranscriptEntry(line, message, sent, self.time)
        self._add(entry)
        return entry

    def add_response(self, line: int, blocks: Iterable[Block] = (), **told: Any) -> TranscriptResponse:
        """Add a response; `told` is what the file says of it, by the fields of Response. Raises InvalidInput."""
        response = TranscriptResponse(line, **{**told, "time": told.get("time") or self.time})
        self._add(response)
        self.add_blocks(response, blocks)
        return response

    def add_blocks(self, response: TranscriptResponse, blocks: Iterable[Block]) -> None:
        """Add blocks to a response. Raises InvalidInput, and adds none then."""
        parts = [read_part(block) for block in blocks]
        response.parts += [self._with_own_id(part, response) for part in parts]

    def _with_own_id(self, part: Part, response: TranscriptResponse) -> Part:
        """A call of the agent's own tools by an id that no other has; a provider's calls stay as they are."""
        if type(part) is not ToolCall or part.raw.get("type") != "tool_use":
            return part
        own, number = part.id, len(self._ids)
        while own in self._ids:
            own, number = f"{part.id}-{number}", number + 1
        self._ids.add(own)
        self._calls[part.id] = (own, response)
        return part if own == part.id else read_part({**part.raw, "id": own})

    def add_result(self, line: int, call: str, content: Json, *, failed: bool = False) -> None:
        """Add the result of a call behind the response that called; one that none called for stands alone.

        Raises InvalidInput.
        """
        name, response = self._calls.get(call, (call, None))
        block = result_block(name, content, failed=failed)
        if response is None:
            self.add_message(line, [block])
            return
        results = response.results
        results.parts.append(read_part(block))
        results.line, results.time = results.line or line, results.time or self.time

    def start_conversation(self) -> None:
        """Begin a new conversation with the next message, where there is one before."""
        self._starts = bool(self.nodes)

    @property
    def conversations(self) -> int:
        """How many conversations hold a message."""
        return sum(isinstance(node, ConversationStart) for node in self.nodes) + bool(self.nodes)

    def _add(self, node: MessageNode) -> None:
        if self._starts:
            self.nodes.append(ConversationStart())
            self._starts = False
        self.nodes.append(node)

    def add_damage(self, line: int, reason: str) -> None:
        """Report a record that was skipped."""
        self.damaged.append(Damaged(line, reason))

    def messages(self) -> list[MessageNode]:
        """The messages, without what lies between them."""
        return [node for node in self.nodes if isinstance(node, TranscriptResponse | TranscriptEntry)]

    def transcript(self, form: str, *, model: str | None = None, **about: Any) -> Transcript:
        """The transcript; `about` is what the file says of itself, by the fields of Transcript."""
        if self.conversations > 1:
            self.notes.append(SEVERAL.format(self.conversations))
        assembly = _Assembly(self.nodes)
        if assembly.rewound is not None:
            self.notes.append(TAKEN_BACK.format(len(assembly.messages) - assembly.rewound))
        models = Counter(response.model for response in assembly.responses if response.model)
        return Transcript(
            format=form,
            messages=tuple(assembly.messages),
            lines=tuple(assembly.lines),
            times=tuple(assembly.times),
            model=models.most_common(1)[0][0] if models else model,
            responses=tuple(assembly.responses),
            compactions=assembly.compactions(),
            unsent=frozenset(assembly.unsent),
            begins=tuple(assembly.starts),
            rewound=assembly.rewound,
            carried=assembly.carried(),
            damaged=tuple(sorted(self.damaged, key=lambda one: one.line)),
            left_out=dict(self.left_out),
            notes=tuple(self.notes),
            **about,
        )


class _Assembly:
    """The messages of the nodes, in order, and the index of each."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.messages: list[Message] = []
        self.lines: list[int] = []
        self.times: list[datetime | None] = []
        self.responses: list[ResponseRecord] = []
        self.unsent: set[int] = set()
        self.starts: list[int] = []
        self._indices: dict[int, int] = {}
        self.rewound: int | None = None
        self._carried: list[tuple[int, Carry]] = []
        self._compactions: list[tuple[int, CompactionMark]] = []
        for node in nodes:
            if isinstance(node, ConversationStart):
                self.starts.append(len(self.messages))
            elif isinstance(node, Revert):
                self.rewound = len(self.messages)
            elif isinstance(node, Carry):
                self._carried.append((len(self.messages), node))
            elif isinstance(node, CompactionMark):
                self._compactions.append((len(self.messages), node))
            elif isinstance(node, TranscriptEntry):
                self._append(node, node.message, sent=node.sent)
            else:
                self._respond(node)

    def _append(self, node: MessageNode | Results, message: Message, *, sent: bool) -> int:
        index = self._indices[id(node)] = len(self.messages)
        self.messages.append(message)
        self.lines.append(node.line)
        self.times.append(node.time)
        if not sent:
            self.unsent.add(index)
        return index

    def _respond(self, node: TranscriptResponse) -> None:
        """A response is one message, and its results are the next."""
        if node.parts or node.message is not None:
            raw = {"role": "assistant", "content": [write_part(part) for part in node.parts]}
            is_one = len(node.parts) == 1  # a line that brim closed a tool loop with is known by its words
            read = read_message(raw, node.marks) if is_one else Message("assistant", tuple(node.parts), raw, node.marks)
            message = node.message or read
            index = self._append(node, message, sent=node.sent)
            record = ResponseRecord(
                index=len(self.responses),
                message=index,
                line=node.line,
                usage=node.usage,
                model=node.model,
                agent=node.agent,
                cost=node.cost,
                finished=node.finished,
                characters=sum(len(part.text) for part in message.parts if type(part) is Text),
                summary=message.marks.summary,
                time=node.time,
            )
            self.responses.append(record)
        brought = node.results
        parts = (*brought.parts, *brought.others)
        if parts:
            raw = {"role": "user", "content": [write_part(part) for part in parts]}
            self._append(brought, Message("user", parts, brought.raw or raw, user_marks(parts)), sent=node.sent)

    def compactions(self) -> tuple[RecordedCompaction, ...]:
        """The compactions, each with the indices of what stands first after it."""
        return tuple(
            RecordedCompaction(
                made.kind,
                made.line,
                before,
                made.recorded,
                cleared=made.cleared,
                opening=self._opening(made, before),
                time=made.time,
            )
            for before, made in self._compactions
        )

    def _opening(self, made: CompactionMark, before: int) -> tuple[int, ...] | None:
        """What stands first afterwards, then what was kept word for word in the order of the file."""
        if made.opening is None:
            return None
        kept = {self._indices.get(id(node), before) for node in made.kept}
        return (*self._indices_of(made.opening), *sorted(index for index in kept if index < before))

    def _indices_of(self, nodes: Sequence[MessageNode]) -> tuple[int, ...]:
        """Which messages these became, each response with its results."""
        pairs = ([node, node.results] if isinstance(node, TranscriptResponse) else [node] for node in nodes)
        return tuple(self._indices[id(node)] for pair in pairs for node in pair if id(node) in self._indices)

    def carried(self) -> tuple[Carried, ...]:
        """What is kept as it is, each with the indices of its messages."""
        return tuple(Carried(after, made.document, self._indices_of(made.nodes)) for after, made in self._carried)


def messages_of(nodes: Sequence[Node]) -> int:
    """How many messages these nodes are: a response and its results are two."""
    return len(_Assembly(nodes).messages)


def measured(provider: str, raw: Json, model: str | None) -> TokenUsage | None:
    """The usage of a response, None where the file has none or it is no measurement (TOK_10).

    One without any input measures nothing: no request is empty.
    """
    try:
        usage = normalize(provider, raw)
    except InvalidInput:
        return None
    return usage if usage.input + usage.cache_read > 0 and is_measurement(usage, model) else None
