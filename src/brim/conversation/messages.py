"""Messages: a role and ordered parts, read from plain dictionaries and written back as they came.

`raw` is the block or the dictionary that a part or a message was read from.

Specified by features/conversation/messages.feature (CNV_01, CNV_07 to CNV_09).

The fields of messages and parts are final for the type checker. Frozen dataclasses would take twice as long to create.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any, Final, TypeAlias, TypeGuard
from unicodedata import category

from brim.conversation.harness_text import CONTINUED, HARNESS_TAGS, words_of_user
from brim.errors import InvalidInput, shown, text_of

Raw: TypeAlias = Mapping[str, Any]
"""A dictionary in the Anthropic Messages form, kept as it came."""

COMPACTION: Final = "compaction_marker"
"""The type of brim's own marker of a compaction; the API's `compaction` block is an unknown part."""


@dataclass(slots=True)
class Text:
    """A text of the user or the model."""

    text: Final[str]
    """The text itself."""
    raw: Final[Raw | None] = None
    """The block that it was read from; None where the content was a string."""
    written: Final[str | None] = None
    """What a person wrote of it, where a harness wrote the rest; empty where it wrote all, None where it wrote nothing
    of it (CNV_10)."""

    @property
    def words(self) -> str:
        """What a person wrote of it."""
        return self.text if self.written is None else self.written

    @property
    def injected(self) -> bool:
        """Whether a harness wrote all of it, in the user's place."""
        return self.written == ""


@dataclass(slots=True)
class Thinking:
    """The model's reasoning."""

    text: Final[str]
    """The reasoning; empty where the provider hides it."""
    raw: Final[Raw]
    """The block that it was read from."""


@dataclass(slots=True)
class _Block:
    """A block of which brim reads nothing but its type."""

    kind: Final[str]
    """Its type, in the words of the API."""
    raw: Final[Raw]
    """The block that it was read from."""


class Media(_Block):
    """An image or a document."""

    __slots__ = ()


@dataclass(slots=True)
class ToolCall:
    """The model's call of a tool."""

    id: Final[str]
    """The id that the result refers to."""
    name: Final[str]
    """The name of the tool."""
    input: Final[Mapping[str, Any]]
    """The arguments; empty where the block has no mapping."""
    server: Final[bool]
    """Whether the provider runs the tool."""
    raw: Final[Raw]
    """The block that it was read from."""


@dataclass(slots=True)
class ToolResult:
    """The result of a tool call."""

    call_id: Final[str]
    """The id of the call that it answers."""
    text: Final[str]
    """Its text blocks, joined by line breaks."""
    failed: Final[bool]
    """Whether the tool reported an error."""
    media: Final[tuple[Media, ...]]
    """Its images and documents."""
    raw: Final[Raw]
    """The block that it was read from."""


class Marker(_Block):
    """A part that only a harness knows: a compaction, a sub-task, a file or a patch. Never sent (CNV_09)."""

    __slots__ = ()


class Unknown(_Block):
    """A part of a kind brim does not know: written back exactly as it was read."""

    __slots__ = ()


Part: TypeAlias = Text | Thinking | Media | ToolCall | ToolResult | Marker | Unknown
"""One part of a message's content."""
Source: TypeAlias = str | int
"""What an error calls a message: its index, or words."""


def write_part(part: Part) -> Raw:
    """Return the block that a part was read from, or a text block where the content was a string (CNV_01)."""
    if part.raw is None:
        return {"type": "text", "text": part.text}
    return part.raw


BLOCKS: Final[Mapping[str, type[Media | Marker]]] = {
    "image": Media,
    "document": Media,
    COMPACTION: Marker,
    "subtask": Marker,
    "file": Marker,
    "patch": Marker,
}
"""For each type of block of which brim reads nothing else: the kind of its part."""


def read_part(block: object, source: Source = "message") -> Part:
    """Read one content block; an unknown type becomes Unknown. Raises InvalidInput that names `source`."""
    if not isinstance(block, Mapping):
        raise _unreadable(source, f"holds {type(block).__name__} among its blocks; a block is an object with a type")
    kind = block.get("type")
    if type(kind) is not str:
        raise _unreadable(source, "holds a block without a type; the type says what the block is")
    if kind == "text":
        text = _field(block, "text", source)
        return Text(text, block, written_by_user(text))
    if kind in ("thinking", "redacted_thinking"):
        return Thinking(text_of(block.get("thinking") or ""), block)
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use") or _is_of_provider(block, "_tool_use", "id", "name"):
        call_id, name, arguments = _field(block, "id", source), _field(block, "name", source), block.get("input")
        return ToolCall(call_id, name, arguments if isinstance(arguments, Mapping) else {}, kind != "tool_use", block)
    if kind == "tool_result" or _is_of_provider(block, "_tool_result", "tool_use_id"):
        return _tool_result(block, source)
    return BLOCKS.get(kind, Unknown)(kind, block)


def _is_of_provider(block: Raw, ending: str, *fields: str) -> bool:
    """Return whether it is a call or a result of a tool that the provider runs, by its type's end and its texts."""
    return block["type"].endswith(ending) and all(type(block.get(name)) is str for name in fields)


def _field(block: Raw, name: str, source: Source) -> str:
    """Return a text that a block of its type must have. Raises InvalidInput where it has none."""
    value = block.get(name)
    if type(value) is str:
        return value
    raise _unreadable(source, f"holds a block of type {block['type']} without the text {name!r}, which it must have")


def _unreadable(source: Source, fault: str) -> InvalidInput:
    return InvalidInput(f"message {source} {fault}" if isinstance(source, int) else f"{source} {fault}")


def written_by_user(text: str, tags: AbstractSet[str] = HARNESS_TAGS) -> str | None:
    """Return what a person wrote of a text; None where that is all of it, empty where it is nothing that shows."""
    words = words_of_user(text, tags)
    return None if words is text else words.strip() if is_visible(words) else ""


def _tool_result(block: Raw, source: Source) -> ToolResult:
    call_id, content = _field(block, "tool_use_id", source), block.get("content")
    if type(content) is str:
        return ToolResult(call_id, content, block.get("is_error") is True, (), block)
    items = [item for item in content if isinstance(item, Mapping)] if isinstance(content, (list, tuple)) else []
    text = "\n".join(text_of(item["text"]) for item in items if item.get("type") == "text" and "text" in item)
    media = tuple(Media(item["type"], item) for item in items if item.get("type") in ("image", "document"))
    failed = block.get("is_error") is True or (isinstance(content, Mapping) and "error_code" in content)
    return ToolResult(call_id, text, failed, media, block)


SUMMARY_OPENING: Final = "[Summary of the earlier conversation, written by brim]"
"""The first line of every summary of brim; it identifies them among a user's messages (SUM_17)."""
CONTINUATION_OPENING: Final = "[Continuation after compaction, written by brim]"
"""The first line of every other user message of brim (CMP_03)."""
CLOSING: Final = "[Interruption for compaction, written by brim]"
"""The assistant's message that closes an unfinished tool loop whose thinking left (CNV_06)."""
SUMMARY_QUESTION: Final = f"{CONTINUATION_OPENING}\n\nWhat happened in this conversation so far?"
"""The user message that the OpenCode profile puts before its summary, which is an assistant message (CMP_03)."""
GOES_ON_BELOW: Final = f"{CONTINUATION_OPENING}\n\nThe conversation goes on below."
"""The user message that is put first where the assistant's would be (CNV_09)."""
CONTINUATION: Final = (
    f"{CONTINUATION_OPENING}\n\nThe conversation was compacted in the middle of your work. Go on with the last request "
    "from where the summary and the messages after it leave off, without asking again for what they already tell."
)
"""The user message that lets the model continue its work (CMP_03)."""
UNSEEN: Final = f"{CONTINUATION}\n\nThe results of your last calls, which you have not seen yet:"
"""The same with results that the model has not seen, which follow: older summaries have it (CNV_06)."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a harness knows about a message, beside the fields of the API."""

    synthetic: bool = False
    """Written by the harness, not by the user: begins no turn (CNV_02)."""
    pinned: bool = False
    """Set by the caller: outside the compactable range (CNV_08)."""
    summary: bool = False
    """A summary of earlier messages: begins no turn, and outputs before it are not pruned."""
    checkpoint: bool = False
    """The user made a checkpoint here, or marked the message (ANC_07)."""
    error: str | None = None
    """The error that ended an assistant message; None where it ended normally."""
    aborted: bool = False
    """The user interrupted it."""
    response: str | None = None
    """Id of the API response that this message is part of; a cut never splits a response (CNV_05)."""


PLAIN: Final = Marks()


@dataclass(slots=True)
class Message:
    """A role and ordered parts; `raw` is the dictionary that it was read from, unchanged."""

    role: Final[str]
    """user, assistant or system: what the program around the conversation tells the model in the middle of it."""
    parts: Final[tuple[Part, ...]]
    """Its content, in order."""
    raw: Final[Raw]
    """Its dictionary."""
    marks: Final[Marks] = PLAIN
    """What the harness knows about it."""
    key: Final[Any] = field(default=None, compare=False)
    """The caller's own name for it, such as an index; a changed copy has it too, a message that brim adds has none."""

    @property
    def text(self) -> str:
        """The text parts, joined by line breaks."""
        return "\n".join([part.text for part in self.parts if type(part) is Text])

    def without(self, unwanted: Iterable[Part]) -> Message:
        """Return a copy without these parts; every other part keeps its dictionary."""
        gone = {id(part) for part in unwanted}
        return self.with_parts(tuple(part for part in self.parts if id(part) not in gone))

    def without_kind(self, kind: type[Part]) -> Message:
        """Return a copy without the parts of a kind."""
        return self.with_parts(tuple([part for part in self.parts if type(part) is not kind]))

    def with_parts(self, parts: tuple[Part, ...]) -> Message:
        """Return a copy with these parts as its content."""
        raw = {**self.raw, "content": [write_part(part) for part in parts]}
        return Message(self.role, parts, raw, self.marks, self.key)


def with_checkpoint(message: Message) -> Message:
    """Return a copy with the mark of a checkpoint that the user made behind it (ANC_07)."""
    return replace(message, marks=replace(message.marks, checkpoint=True))


def user_text(text: str, marks: Marks = PLAIN) -> Message:
    """Return a user message of one text."""
    return Message("user", (Text(text),), {"role": "user", "content": text}, marks)


ROLES: Final = ("user", "assistant", "system")


def read_conversation(raws: Sequence[Raw], pinned: Iterable[int] = ()) -> tuple[Message, ...]:
    """Read a list of message dictionaries; `pinned` are indices (CNV_08). Raises InvalidInput with the index."""
    if not _is_list(raws):
        raise InvalidInput(f"a conversation is a list of messages, not {type(raws).__name__}")
    pins = frozenset(pinned)
    check_pins(pins, len(raws))
    messages: list[Message] = []
    for n, raw in enumerate(raws):
        message = read_message(raw, PINNED if n in pins else PLAIN, source=n)
        messages.append(message if n == 0 else mark_answer(messages[-1], message))
    return tuple(messages)


def check_pins(pins: Iterable[int], count: int) -> None:
    """Raise InvalidInput where a pin is no index of one of so many messages (CNV_08)."""
    outside = [pin for pin in pins if not 0 <= pin < count]
    if outside:
        raise InvalidInput(f"cannot pin message {shown(min(outside))}: there are {count} messages, counted from 0")


def read_message(raw: Raw, marks: Marks = PLAIN, *, key: Any = None, source: Source = "message") -> Message:
    """Read one message dictionary (role, content as a string or a list of blocks). Raises InvalidInput."""
    if not isinstance(raw, Mapping):
        raise _unreadable(source, f"is {type(raw).__name__}, not an object with a role and content")
    role, content = raw.get("role"), raw.get("content")
    if role not in ROLES:
        raise _unreadable(source, f"has {role_of(raw)}; a message is the user's, the assistant's or the system's")
    parts: tuple[Part, ...]
    if isinstance(content, str):
        parts = (Text(content, None, written_by_user(content)),)
    elif _is_list(content):
        parts = tuple([read_part(block, source) for block in content])
    elif content is None and role == "system" and raw.get("output_config"):
        parts = ()
    else:
        raise _unreadable(source, "has no content; it is a text or a list of blocks")
    if role == "user":
        if any(type(part) is Text and part.text.startswith(RECOGNIZED) for part in parts):
            parts, marks = _recognized(parts, marks)
    elif role == "system":
        marks = replace(marks, synthetic=True, pinned=marks.pinned or changes_tools(parts))
    elif len(parts) == 1 and type(parts[0]) is Text and parts[0].text == CLOSING:
        marks = replace(marks, synthetic=True)
    return Message(role, parts, raw, marks, key)


def _recognized(parts: tuple[Part, ...], marks: Marks) -> tuple[tuple[Part, ...], Marks]:
    """Return the parts and marks of a user's message with texts of brim's or a summary of Claude Code's.

    The marks name them where nothing of the user's is beside them. Else they are read as injected, since some agents
    merge neighboring messages. A summary stands before the user's words.
    """
    own, found, has_words, has_blocks = [], marks, False, False
    for index, part in enumerate(parts):
        if type(part) is not Text:
            has_blocks = True
            continue
        is_continued = part.text.startswith(CONTINUED)
        read = replace(marks, synthetic=True, summary=True) if is_continued else recognized_marks(part.text, marks)
        if read is not marks and not (read.summary and has_words):
            own.append(index)
            found = read if read.summary or found is marks else found
        elif not part.injected and is_visible(part.text):
            has_words = True
    if not (has_words or has_blocks):
        return parts, found
    injected = {n: Text(part.text, part.raw, "") for n, part in enumerate(parts) if n in own and type(part) is Text}
    return tuple([injected.get(n, part) for n, part in enumerate(parts)]), marks


def changes_tools(parts: Iterable[Part]) -> bool:
    """Return whether a message of the system adds or removes a tool, which holds for all that follows: it is pinned."""
    return any(type(part) is not Text for part in parts)


def role_of(raw: Raw) -> str:
    """Return what an error says of a role that is unknown: the role, or the type of what has none."""
    role, kind = raw.get("role"), raw.get("type")
    return f"the role {shown(role)}" if role is not None or kind is None else f"the type {shown(kind)} and no role"


def with_harness_tags(message: Message, tags: AbstractSet[str]) -> Message:
    """Return the message, its texts judged by these harness tags (CNV_10); the same object where nothing changes."""
    if tags is HARNESS_TAGS:  # by which it was read
        return message
    parts = tuple([_judged(part, tags) if type(part) is Text else part for part in message.parts])
    return message if parts == message.parts else replace(message, parts=parts)


def _judged(text: Text, tags: AbstractSet[str]) -> Text:
    if text.injected and text.text.startswith(RECOGNIZED):
        return text
    return Text(text.text, text.raw, written_by_user(text.text, tags))


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


PINNED: Final = Marks(pinned=True)
SUMMARY: Final = Marks(synthetic=True, summary=True)
SYNTHETIC: Final = Marks(synthetic=True)


RECOGNIZED: Final = (SUMMARY_OPENING, CONTINUATION_OPENING, CONTINUED)
"""How the texts of brim's begin in a user's message, and the summaries of Claude Code."""


def recognized_marks(text: str, marks: Marks = PLAIN) -> Marks:
    """Return the marks of a user message with this text: the first line identifies a summary, all its words any other.

    A harness text behind the words, or a line break, changes nothing. The same object where the text is the user's.
    """
    if text.partition("\n")[0] == SUMMARY_OPENING:
        return replace(marks, synthetic=True, summary=True)
    if not text.startswith(CONTINUATION_OPENING):
        return marks
    own = text.startswith(UNSEEN) or words_of_user(text).strip() in (CONTINUATION, GOES_ON_BELOW, SUMMARY_QUESTION)
    return replace(marks, synthetic=True) if own else marks


def is_continuation(message: Message) -> bool:
    """Return whether brim wrote it and it is no summary: a request to continue, or the question a summary answers."""
    if not message.marks.synthetic or message.marks.summary:
        return False
    return any(type(part) is Text and part.text.startswith(CONTINUATION_OPENING) for part in message.parts)


def is_closing(message: Message) -> bool:
    """Return whether it is the line of brim's that closes an unfinished tool loop."""
    return message.role == "assistant" and message.marks.synthetic and message.text == CLOSING


def mark_answer(before: Message, message: Message) -> Message:
    """Return the message, marked as brim's summary if it answers brim's own question in `before` (SUM_17).

    Everywhere else an assistant's text in the form of a summary is the assistant's own.
    """
    if message.role != "assistant" or message.marks.summary or before.role != "user" or not is_continuation(before):
        return message
    first = message.parts[0] if message.parts else None
    if type(first) is not Text or not first.text.startswith(SUMMARY_OPENING) or SUMMARY_QUESTION not in before.text:
        return message
    return replace(message, marks=recognized_marks(first.text, message.marks))


@dataclass(frozen=True, slots=True)
class Sendable:
    """What can be sent, and what was left out because the API would refuse it (CNV_09)."""

    messages: tuple[Message, ...]
    sources: tuple[int, ...]
    """For each of those messages the index it had before."""
    left_out: tuple[Part, ...] = ()


def sendable(messages: Sequence[Message]) -> Sendable:
    """Leave out texts without a visible character and the parts only a harness knows, and messages left empty."""
    forms = [(index, form) for index, message in enumerate(messages) if (form := sendable_form(message)) is not None]
    left_out = tuple(part for message in messages for part in unsendable_parts(message))
    return Sendable(tuple(form for _, form in forms), tuple(index for index, _ in forms), left_out)


def sendable_form(message: Message) -> Message | None:
    """Return the message without what the API refuses: the same object if that is nothing, None if no part is left."""
    unwanted = unsendable_parts(message)
    if len(unwanted) < len(message.parts):
        return message.without(unwanted) if unwanted else message
    sets_how_to_answer = message.role == "system" and not message.parts and message.raw.get("output_config")
    return message if sets_how_to_answer else None


def is_sendable(message: Message) -> bool:
    """Return whether the API accepts every part of the message, and it has one."""
    return sendable_form(message) is message


def with_system_in_place(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Put each message of the system where the API takes it: behind a user's, and before an assistant's or last.

    One that stands elsewhere moves behind the next user's message; where none follows, it is sent as the user's.
    """
    placed: list[Message] = []
    waiting: list[Message] = []
    for message in messages:
        if message.role == "system" and (message.parts or waiting):
            waiting.append(message)
            continue
        if message.role == "assistant" and _may_precede_system(placed):
            placed += waiting
            waiting = []
        placed.append(message)
    if not _may_precede_system(placed):
        waiting = [replace(message, role="user", raw={**message.raw, "role": "user"}) for message in waiting]
    return (*placed, *waiting)


def _may_precede_system(messages: Sequence[Message]) -> bool:
    """Return whether the API takes the system's message behind these: the last is a user's, or ends in a result."""
    last = next((message for message in reversed(messages) if message.parts), None)
    return last is not None and (last.role != "assistant" or type(last.parts[-1]) is ToolResult)


def unsendable_parts(message: Message) -> list[Part]:
    """Return the parts that are never sent: markers, and texts without a visible character."""
    return [
        part for part in message.parts if type(part) is Marker or (type(part) is Text and not is_visible(part.text))
    ]


def is_visible(text: str) -> bool:
    """Return whether a text has a character other than controls, formats, lone surrogates and separators."""
    return text[:1].isalnum() or any(category(one) not in ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs") for one in text)


def encodable(text: str) -> str:
    """Return the text in which U+FFFD replaces what cannot be sent or stored everywhere.

    That is each half of a surrogate pair that stands alone, which no request can hold, and NUL, which PostgreSQL
    refuses in a text.
    """
    text = text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def attached(raw: Raw) -> str:
    """Return the note in place of an image, a document or a file: its type and its name, 200 characters of each."""
    source = raw.get("source")
    fields: Mapping[str, Any] = {**raw, **source} if isinstance(source, Mapping) else raw
    kind = fields.get("media_type") or raw.get("mime") or raw.get("type")
    if kind in (COMPACTION, "subtask", "patch"):  # markers, which have no file
        return ""
    names = (fields.get(key) for key in ("title", "filename", "file_id", "url"))
    name = next((name for name in names if isinstance(name, str) and is_visible(name)), "")
    words = (" ".join(text.split())[:200] for text in (str(kind), name) if text)
    return f"[Attached {': '.join(words)}]"


def address_of(raw: Raw) -> str:
    """Return the address of an image or a document on the web; empty where it holds its data itself."""
    source = raw.get("source")
    address = source.get("url") if isinstance(source, Mapping) else None
    return address if isinstance(address, str) and not address.startswith("data:") else ""


CACHE_MARK: Final = "cache_control"


def without_cache_marks(message: Any) -> Any:
    """Return the message, or a block, with no cache mark in its content: the same object if there is none."""
    content = message.get("content") if isinstance(message, (dict, Mapping)) else None  # a dictionary is seen at once
    if not isinstance(content, (list, tuple)):
        return message
    for block in content:  # of each request all messages that were changed, most without any
        if type(block) is not dict or CACHE_MARK in block or isinstance(block.get("content"), (list, tuple)):
            break
    else:
        return message
    blocks = [_without_cache_mark(without_cache_marks(block)) for block in content]
    return message if all(map(is_, blocks, content)) else {**message, "content": blocks}


def _without_cache_mark(block: Any) -> Any:
    if isinstance(block, Mapping) and CACHE_MARK in block:
        return {key: value for key, value in block.items() if key != CACHE_MARK}
    return block


def copied(value: Any) -> Any:
    """Return a deep copy; the value itself where it is nested too deeply to be copied."""
    try:
        return _copied(value)
    except RecursionError:
        return value


def _copied(value: Any) -> Any:
    if type(value) is str:
        return value
    if isinstance(value, Mapping):
        return {name: _copied(one) for name, one in value.items()}
    return [_copied(one) for one in value] if isinstance(value, (list, tuple)) else value


def speaker(message: Message) -> str:
    """Return who speaks: the user, the assistant, a tool, a summary, or the harness."""
    if message.marks.summary:
        return "summary"
    if message.role == "user" and any(type(part) is ToolResult for part in message.parts):
        return "tool"
    return "harness" if message.marks.synthetic else message.role
