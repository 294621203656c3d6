"""A reader of transcripts: it lists messages and compactions in the order of the file.

A response of the API is one message, however many records it was written in, and its results are the next one,
wherever their records stand. A call id that was used before is replaced by one of its own: the API takes each once.

A text of a harness in a message of the user begins no turn (CNV_02). Where the file does not mark it, its words tell,
as in the plain messages of an API request.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Final

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
from brim.transcripts.source import Json, Source, mapping, moment, string
from brim.transcripts.values import Carried, CompactionKind, Damaged, RecordedCompaction, ResponseRecord, Transcript

REMINDER: Final = "system-reminder"
NAMES: Final = "|".join(tag + (r"[\w-]+" if tag.endswith("-") else "") for tag in sorted(HARNESS_TAGS - {REMINDER}))
UNCLOSED: Final = re.compile(rf"\s*<({NAMES})(?:\s[^<>]*)?>[ \t]*(?:\n|\Z)(?!(?s:.*)</\1>)")
"""A tag alone on the first line that is not closed, as a harness leaves it that cuts its text off."""
SEVERAL: Final = "{} conversations stand in the file, one after another; the window is that of the last"


def is_notice(text: str) -> bool:
    """Return whether a harness wrote this text, and no user."""
    words = words_of_user(text)
    return not is_visible(words) or (words is text and UNCLOSED.match(text) is not None)


def remind(text: str) -> str:
    """Return a text as Claude Code hands it to the model beside the user's own."""
    return f"<{REMINDER}>\n{text}\n</{REMINDER}>"


def user_marks(parts: Sequence[Part]) -> Marks:
    """Return the marks of a user message, by its texts alone: a summary, a notice, or the user's own."""
    others = [part for part in parts if type(part) is not ToolResult]
    texts = [part.text for part in others if type(part) is Text and is_visible(part.text)]
    if not texts or any(type(part) is not Text for part in others) or not all(map(is_notice, texts)):
        return PLAIN
    return SUMMARY if texts[0].startswith(CONTINUED) else SYNTHETIC


def measured(provider: str, raw: Json, model: str | None) -> TokenUsage | None:
    """Return the usage of a response, None where the file has none or it is no measurement (TOK_10).

    One without any input measures nothing: no request is empty.
    """
    try:
        usage = normalize(provider, raw)
    except InvalidInput:
        return None
    return usage if usage.input + usage.cache_read > 0 and is_measurement(usage, model) else None


def fields_of(response: Json) -> dict[str, Any]:
    """Return usage, model and time of a whole response of chat completions, by the fields of an entry."""
    model = string(mapping(response).get("model"))
    usage = measured("openai", mapping(response).get("usage"), model)
    return {"usage": usage, "model": model, "time": moment(mapping(response).get("created"))}


@dataclass(slots=True, eq=False)
class Entry:
    """A message as far as it is read."""

    line: int
    role: str
    parts: list[Part] = field(default_factory=list)
    marks: Marks = PLAIN
    time: datetime | None = None
    sent: bool = True
    message: Message | None = None
    """The message, where it was read whole."""
    raw: Raw | None = None
    """The dictionary of the one record that all its parts are from."""
    begins: bool = False
    """Whether a new conversation begins with it: nothing of what stands before is sent any more."""
    results: Entry | None = None
    """What came of a response's calls: the next message."""
    usage: TokenUsage | None = None
    model: str | None = None
    agent: str | None = None
    cost: float | None = None
    """The price of a response in US dollars, as the file says."""
    finished: bool = True
    """Whether a response gave a stop reason."""

    @property
    def is_response(self) -> bool:
        """Return whether a model wrote it."""
        return self.role == "assistant"

    def add(self, part: Part) -> None:
        """Add a part; results come before all else."""
        self.parts.append(part)
        self.parts.sort(key=lambda one: self.role == "user" and type(one) is not ToolResult)

    def written(self) -> Message:
        """Return the message."""
        if self.message is not None:
            return self.message
        raw = self.raw or {"role": self.role, "content": [write_part(part) for part in self.parts]}
        marks = self.marks if self.is_response else user_marks(self.parts)
        if self.is_response and len(self.parts) == 1:  # a line that brim closed a tool loop with is known by its words
            return read_message(raw, marks)
        return Message(self.role, tuple(self.parts), raw, marks)


@dataclass(slots=True, eq=False)
class Compaction:
    """A compaction, in front of the messages that came after it."""

    line: int
    kind: CompactionKind
    recorded: int | None = None
    opening: list[Entry] | None = None
    """What stands first afterwards, added before or later; a response with its results. None: nothing was replaced."""
    kept: list[Entry] = field(default_factory=list)
    """What follows the opening, from before the compaction; results apart from their responses."""
    cleared: frozenset[str] = frozenset()
    time: datetime | None = None


def expand(entries: Iterable[Entry]) -> list[Entry]:
    """Return the messages that these are: each response that holds something, with its results behind it."""
    pairs = (one for entry in entries for one in (entry, entry.results) if one is not None)
    return [one for one in pairs if one.parts or one.message is not None]


class Reader:
    """What the readers of all formats share: the messages so far, and what the file says beside them."""

    name: ClassVar[str]
    """The name that a transcript of the format carries."""
    form: ClassVar[str]
    """The form in words, for someone whose file is none of them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.nodes: list[Entry | Compaction] = []
        self.damaged = list(source.damaged)
        self.left_out: Counter[str] = Counter()
        self.notes: list[str] = []
        self.about: dict[str, Any] = {}
        """What the file says of itself, by the fields of Transcript."""
        self.carried: list[Carried] = []
        self.time: datetime | None = None
        """When the record was written that is being read."""
        self._starts = False
        self._ids: set[str] = set()
        self._calls: dict[str, tuple[str, Entry]] = {}

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether the file is of this format."""
        raise NotImplementedError

    def records(self) -> Iterable[tuple[int, Any]]:
        """Return the numbered records that are read."""
        return self.source.records

    def add(self, line: int, record: Any) -> object:
        """Read the next record. Raises InvalidInput where it is damaged."""
        raise NotImplementedError

    def finish(self) -> None:
        """Complete what the last record left open."""

    def read(self) -> Transcript:
        """Read the file; damaged records are counted. Raises InvalidInput where nothing of it can be read."""
        self.read_each(self.records())
        self.finish()
        return self.transcript()

    def read_each(self, records: Iterable[tuple[int, Any]]) -> None:
        """Read numbered records one by one; one that raises InvalidInput is damage."""
        for line, record in records:
            try:
                self.add(line, record)
            except InvalidInput as error:
                self.damaged.append(Damaged(line, str(error)))

    def entries(self) -> list[Entry]:
        """Return the messages, without what lies between them."""
        return [node for node in self.nodes if isinstance(node, Entry)]

    def tell(self, **about: Any) -> None:
        """Note what the file says of itself, by the fields of Transcript; what was said before holds."""
        self.about |= {name: value for name, value in about.items() if value and not self.about.get(name)}

    def add_message(self, line: int, blocks: list[Block], marks: Marks = PLAIN, *, key: Any = None) -> Entry:
        """Add a user's message; one without content is returned and not added. Raises InvalidInput."""
        message = read_message({"role": "user", "content": blocks}, marks, key=key)
        return self.add_entry(line, message) if blocks else Entry(line, "user", message=message, marks=message.marks)

    def add_entry(self, line: int, message: Message, *, sent: bool = True) -> Entry:
        """Add a message that no model wrote and that stays as it was read."""
        return self._append(Entry(line, "user", message=message, marks=message.marks, sent=sent, time=self.time))

    def add_response(self, line: int, blocks: Iterable[Block] = (), **fields: Any) -> Entry:
        """Add a response; `fields` are those of Entry. Raises InvalidInput."""
        entry = self._append(Entry(line, "assistant", **{**fields, "time": fields.get("time") or self.time}))
        self.add_blocks(entry, blocks)
        return entry

    def add_blocks(self, response: Entry, blocks: Iterable[Block]) -> None:
        """Add blocks to a response. Raises InvalidInput, and adds none then."""
        parts = [read_part(block) for block in blocks]
        response.parts += [self._with_own_id(part, response) for part in parts]

    def _with_own_id(self, part: Part, response: Entry) -> Part:
        """Return a call of the agent's own tools by an id that no other has; a provider's calls stay as they are."""
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
        own, response = self._calls.get(call, (call, None))
        block = result_block(own, content, failed=failed)
        if response is None:
            self.add_message(line, [block])
        else:
            self.results_of(response, line).add(read_part(block))

    def results_of(self, response: Entry, line: int) -> Entry:
        """Return the message of a response's results; it begins on this line where there is none yet."""
        if response.results is None:
            response.results = Entry(line, "user", time=self.time, sent=response.sent)
        response.results.time = response.results.time or self.time
        return response.results

    def start_conversation(self) -> None:
        """Begin a new conversation with the next message, where there is one before."""
        self._starts = bool(self.nodes)

    @property
    def conversations(self) -> int:
        """Return how many conversations hold a message."""
        return sum(entry.begins for entry in self.entries()) + bool(self.nodes)

    def _append(self, entry: Entry) -> Entry:
        entry.begins, self._starts = self._starts, False
        self.nodes.append(entry)
        return entry

    def transcript(self) -> Transcript:
        """Return what was read."""
        if self.conversations > 1:
            self.notes.append(SEVERAL.format(self.conversations))
        lists = [(node, expand([node]) if isinstance(node, Entry) else []) for node in self.nodes]
        entries = [one for _, expanded in lists for one in expanded]
        messages = tuple(entry.written() for entry in entries)
        indices = {id(entry): index for index, entry in enumerate(entries)}
        compactions, begins, position = list[RecordedCompaction](), list[int](), 0
        for node, expanded in lists:
            if isinstance(node, Compaction):
                compactions.append(_recorded(node, position, indices))
            elif node.begins:
                begins.append(position)
            position += len(expanded)
        responses = [(index, entry) for index, entry in enumerate(entries) if entry.is_response]
        models = Counter(entry.model for _, entry in responses if entry.model)
        about = self.about | ({"model": models.most_common(1)[0][0]} if models else {})
        if (rewound := about.get("rewound")) is not None:
            gone = len(messages) - rewound
            self.notes.append(
                f"the user went back: {gone} of the messages in the file, the last ones, are not sent any more"
            )
        return Transcript(
            format=self.name,
            messages=messages,
            lines=tuple(entry.line for entry in entries),
            times=tuple(entry.time for entry in entries),
            responses=tuple(
                _response(number, index, entry, messages[index]) for number, (index, entry) in enumerate(responses)
            ),
            compactions=tuple(compactions),
            unsent=frozenset(index for index, entry in enumerate(entries) if not entry.sent),
            begins=tuple(begins),
            carried=tuple(self.carried),
            damaged=tuple(sorted(self.damaged, key=lambda one: one.line)),
            left_out=dict(self.left_out),
            notes=tuple(self.notes),
            **about,
        )


def _recorded(made: Compaction, before: int, indices: dict[int, int]) -> RecordedCompaction:
    """Return a compaction with indices: what stands first, then what was kept word for word in the file's order."""
    opening = None
    if made.opening is not None:
        kept = sorted({indices[id(entry)] for entry in made.kept if indices.get(id(entry), before) < before})
        opening = (*(indices[id(entry)] for entry in expand(made.opening) if id(entry) in indices), *kept)
    return RecordedCompaction(made.kind, made.line, before, made.recorded, made.cleared, opening, made.time)


def _response(number: int, index: int, entry: Entry, message: Message) -> ResponseRecord:
    return ResponseRecord(
        index=number,
        message=index,
        line=entry.line,
        usage=entry.usage,
        model=entry.model,
        agent=entry.agent,
        cost=entry.cost,
        finished=entry.finished,
        characters=sum(len(part.text) for part in message.parts if type(part) is Text),
        summary=message.marks.summary,
        time=entry.time,
    )
