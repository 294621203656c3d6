"""Formats: OpenAI chat messages and Responses items, read as messages and written back as they came.

A message that was read holds the dictionary it came from under the name of its format, and so does the block of a
tool's result. What is still as it was read is written as that very dictionary; of a changed one the rest is kept.

Specified by features/conversation/formats.feature (ADP_03).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, count
from mimetypes import guess_type
from typing import Any, Final, Literal, TypeAlias, get_args

from brim.conversation.messages import (
    PLAIN,
    SYNTHETIC,
    Marks,
    Message,
    ToolResult,
    attached,
    check_pins,
    is_visible,
    mark_answer,
    read_conversation,
    read_message,
    role_of,
)
from brim.conversation.tool_pairs import PairTracker
from brim.errors import InvalidInput, shown

Format: TypeAlias = Literal["anthropic", "openai-chat", "openai-responses"]
"""Whose message dictionaries a list holds."""
ANTHROPIC: Final = "anthropic"
CHAT: Final = "openai-chat"
RESPONSES: Final = "openai-responses"
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
ANY: Final[frozenset[Format]] = frozenset(FORMATS)
FORMATS_OF_OPENAI: Final = ANY - {ANTHROPIC}
Block: TypeAlias = Mapping[str, Any]
"""A content block of Anthropic's form."""

INSTRUCTIONS: Final = ("system", "developer")
"""Roles of messages that instruct the model: kept word for word, ahead of any summary."""
PREFIX: Final = "openai_"
"""Begins the type of a block that holds what Anthropic's form has no block for."""
REASONING: Final = f"{PREFIX}reasoning"
SHOWN: Final = ("image", "document")
"""Blocks of Anthropic's form that hold no text of the conversation."""
PARTS_OF: Final[Mapping[Format, tuple[str, ...]]] = {
    ANTHROPIC: ("text", "image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result"),
    CHAT: ("text", "refusal", "image_url", "input_audio", "file"),
    RESPONSES: ("input_text", "output_text", "refusal", "input_image", "input_audio", "input_file"),
}
"""The types of parts of each format; a type that none of them has may be of any."""
FORMATS_OF_PART: Final[Mapping[str, frozenset[Format]]] = {
    kind: frozenset(form for form in FORMATS if kind in PARTS_OF[form]) for kind in chain(*PARTS_OF.values())
}
CALLS: Final = (
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "shell_call",
    "computer_call",
    "apply_patch_call",
)
"""Items that an output answers, whose type is theirs and _output. Another item is carried as it came."""
PDF: Final = "application/pdf"
SEALED: Final = ("compaction", "compaction_summary", "context_compaction")
"""Items that stand for all before them, and that only the provider can read."""


def read_messages(given: Sequence[Any], form: Format | None = None, pinned: Iterable[int] = ()) -> tuple[Message, ...]:
    """Read a list in one of the formats, recognized where none is named. Raises InvalidInput with the index.

    Pinned are the messages at these indices, every system or developer message, and a compaction of the provider.
    """
    form = recognize_format(given) if form is None else form
    if form not in FORMATS:
        raise InvalidInput(f"the format is {shown(form)}; it is one of {', '.join(FORMATS)}")
    if form == ANTHROPIC:
        return read_conversation([*map(as_dictionary, given)] if isinstance(given, list | tuple) else given, pinned)
    pins = frozenset(pinned)
    check_pins(pins, len(given))
    messages: list[Message] = []
    for index, source in enumerate(given):
        message = _read(source, form, f"message {index}")
        if index in pins:
            message = replace(message, marks=replace(message.marks, pinned=True))
        messages.append(mark_answer(messages[-1], message) if messages else message)
    if form == RESPONSES:
        messages = _responses(messages)
    for (index, _), call in PairTracker(messages).orphan_results.items():
        raise InvalidInput(
            f"message {index} answers the call {call!r}, which no message before it makes and no other answers: pass "
            "the message with the call too"
        )
    return tuple(messages)


def recognize_format(given: Sequence[Any]) -> Format:
    """The format that all messages of a list can be in: the first of FORMATS where several remain. Raises InvalidInput.

    Plain texts of the user and the assistant are the same in all of them; a text with a type is an item of Responses.
    """
    if not isinstance(given, list | tuple):
        raise InvalidInput(f"a conversation is a list of messages, not {type(given).__name__}")
    recognized = Recognition()
    for index, source in enumerate(given):
        recognized = recognized.narrowed(source, index)
    return recognized.form


@dataclass(frozen=True, slots=True)
class Recognition:
    """The formats that the messages of a list can be in, so far."""

    possible: frozenset[Format] = ANY
    has_items: bool = False
    """Whether one is a text with a type, as only Responses has them."""

    @property
    def form(self) -> Format:
        """The format as far as the messages tell."""
        if self.has_items and RESPONSES in self.possible:
            return RESPONSES
        return next(form for form in FORMATS if form in self.possible)

    def narrowed(self, source: Any, index: int) -> Recognition:
        """Return the recognition with one more message. Raises InvalidInput where no format has it and those before."""
        formats = _formats_of(source)
        if index == 0 and (_fields(source) or {}).get("role") == "system":  # Anthropic's API takes none there
            formats = formats - {ANTHROPIC}
        has_items = self.has_items or (_fields(source) or {}).get("type") == "message"
        if formats is ANY and has_items == self.has_items:
            return self
        remaining = self.possible & formats
        if not remaining:
            here = f"is in the format {_named(formats)}" if formats else "holds what no format has together"
            raise InvalidInput(
                f"message {index} {here}, and those before it are in {_named(self.possible)}: a list has one format; "
                "convert the messages of the other"
            )
        return Recognition(remaining, has_items)


def _named(possible: frozenset[Format]) -> str:
    return " or ".join(form for form in FORMATS if form in possible)


def _formats_of(source: Any) -> frozenset[Format]:
    """Return the formats that this may be a message of; any, where it is none at all."""
    fields = _fields(source)
    if fields is None:
        return ANY
    role, content, kind = fields.get("role"), fields.get("content"), fields.get("type")
    if isinstance(kind, str) and (kind != "message" or role is None):
        return frozenset({RESPONSES})
    possible = ANY - {ANTHROPIC} if role == "developer" else ANY
    if fields.get("tool_calls") or role in ("tool", "function") or (role == "assistant" and content is None):
        possible &= {CHAT}
    for part in content if isinstance(content, (list, tuple)) else ():
        kind = part.get("type") if isinstance(part, Mapping) else None
        if isinstance(kind, str) and kind in FORMATS_OF_PART:
            possible &= FORMATS_OF_PART[kind]
    return possible


def _fields(source: Any) -> Mapping[str, Any] | None:
    """Return what a message holds, also one that is a value of the SDK; None where it is neither."""
    fields = _dumped(source)
    return fields if isinstance(fields, Mapping) else None


def as_dictionary(message: Any) -> Any:
    """Return a message with SDK values (itself or its blocks) as dictionaries; the same object if there are none."""
    message = _dumped(message)
    content = message.get("content") if isinstance(message, Mapping) else None
    if not isinstance(content, (list, tuple)) or not any(hasattr(block, "model_dump") for block in content):
        return message
    return {**message, "content": [_dumped(block) for block in content]}


def _dumped(value: Any) -> Any:
    return value.model_dump(mode="json", exclude_unset=True) if hasattr(value, "model_dump") else value


def is_openai(source: Any) -> bool:
    """Return whether this can only be a chat message or an item of the Responses format, by what it holds."""
    if not isinstance(source, Mapping) or source.get("role") in INSTRUCTIONS:
        return isinstance(source, Mapping)
    kind = str(source.get("type"))
    item = kind.endswith(("_call", "_call_output")) or (kind == "reasoning" and "summary" in source)
    return item or (source.get("role") in ("user", "assistant", "tool") and ANTHROPIC not in _formats_of(source))


def format_of(raws: Iterable[Mapping[str, Any]]) -> Format:
    """Return the format that these messages were read from; Anthropic's where none was read from another."""
    found: Iterator[Format] = (form for raw in raws for form in (CHAT, RESPONSES) if form in raw)
    return next(found, ANTHROPIC)


def _read(source: Any, form: Format, place: str) -> Message:
    """Read one message or item. Raises InvalidInput."""
    fields = _fields(source)
    if fields is None:
        raise InvalidInput(f"{place} is {type(source).__name__}, not an object of the format {form}")
    role, blocks, marks = (_chat if form == CHAT else _item)(fields, place)
    blocks = [{**block, form: source} if block["type"].endswith("tool_result") else block for block in blocks]
    if not blocks:
        blocks = [{"type": f"{PREFIX}blank"}]
        marks = marks if role == "assistant" or marks.pinned else SYNTHETIC
    return read_message({"role": role, "content": blocks, form: source}, marks)


PINNED: Final = Marks(synthetic=True, pinned=True)
Reading: TypeAlias = tuple[str, list[Block], Marks]
"""The role in Anthropic's form, the blocks, and the marks of a message."""


def _chat(fields: Mapping[str, Any], place: str) -> Reading:
    role = fields.get("role")
    if role in INSTRUCTIONS:
        return "user", _contents(fields.get("content"), place), PINNED
    if role == "user":
        return "user", _contents(fields.get("content"), place), PLAIN
    if role == "tool":
        return "user", [_result("tool_result", fields.get("tool_call_id"), fields.get("content"), place)], PLAIN
    if role != "assistant":
        known = "system, developer, user, assistant and tool"
        raise InvalidInput(f"{place} has {role_of(fields)}; an OpenAI chat message has one of {known}")
    thought = fields.get("reasoning_content")
    thoughts = [{"type": REASONING, "text": thought}] if isinstance(thought, str) and thought else []
    refusal = fields.get("refusal")
    refused = _contents(refusal, place) if isinstance(refusal, str) else []
    return "assistant", [*thoughts, *_contents(fields.get("content"), place), *refused, *_calls(fields, place)], PLAIN


def _calls(message: Mapping[str, Any], place: str) -> Iterator[Block]:
    """Yield the calls of a chat message, of functions and of custom tools."""
    calls = message.get("tool_calls") or ()
    if not isinstance(calls, Sequence):
        raise InvalidInput(f"{place} has {type(calls).__name__} as its tool calls; they are a list")
    for call in calls:
        fields = call if isinstance(call, Mapping) else {}
        kind = fields.get("type", "function")
        tool = fields.get(kind) if isinstance(kind, str) else None
        if not (isinstance(fields.get("id"), str) and isinstance(tool, Mapping) and isinstance(tool.get("name"), str)):
            raise InvalidInput(f"{place} has a tool call without an id or a name; a tool call has both")
        yield _tool_use(fields["id"], tool["name"], tool.get("arguments", tool.get("input")))


def _tool_use(call: str, name: str, value: Any) -> Block:
    """Return the block of a call: its arguments are an object, that of a text of JSON, or any other under `input`."""
    if isinstance(value, str):
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
    arguments = value if isinstance(value, Mapping) else {} if value in (None, "") else {"input": value}
    return {"type": "tool_use", "id": call, "name": name, "input": arguments}


def _result(kind: str, call: Any, content: Any, place: str) -> Block:
    if not isinstance(call, str):
        raise InvalidInput(f"{place} is a tool's result that does not name its call; it has the id of the call")
    is_list = isinstance(content, Sequence) and not isinstance(content, str)
    blocks = _contents(content, place) if is_list else "" if content is None else content
    return {"type": kind, "tool_use_id": call, "content": blocks}


def _contents(content: Any, place: str) -> list[Block]:
    """Return the blocks of a message's content; a text without a visible character, which the API refuses, is none."""
    if content is None:
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if is_visible(content) else []
    if not isinstance(content, Sequence):
        raise InvalidInput(f"{place} has {type(content).__name__} as its content; it is a text or a list of parts")
    return [block for part in content for block in _part(part, place)]


def _part(part: Any, place: str) -> Iterator[Block]:
    kind = part.get("type") if isinstance(part, Mapping) else None
    if not isinstance(kind, str):
        raise InvalidInput(f"{place} holds a part without a type; the type says what the part is")
    text = part.get("refusal" if kind == "refusal" else "text")
    if kind in ("text", "input_text", "output_text", "refusal") and isinstance(text, str):
        if is_visible(text):
            yield {"type": "text", "text": text}
    elif kind in ("image_url", "input_image", "computer_screenshot"):
        address = part.get("image_url")
        url = address.get("url") if isinstance(address, Mapping) else address
        yield {"type": "image", "source": _source(url, part)}
    elif kind in ("file", "input_file", "input_audio"):
        inner = part.get(kind)
        file = inner if isinstance(inner, Mapping) else part
        yield {"type": "document", "source": _source(file.get("file_url", file.get("file_data")), file)}
    else:
        yield {"type": f"{PREFIX}{kind}", "part": part}


def _source(url: Any, part: Mapping[str, Any]) -> Block:
    """Return where an image or a file is from: an address, its data, or an id that the provider knows."""
    named = {name: part[name] for name in ("filename", "file_id") if isinstance(part.get(name), str)}
    if not isinstance(url, str):
        sound = {"media_type": f"audio/{part['format']}"} if isinstance(part.get("format"), str) else {}
        return {"type": "file", **sound, **named}
    if url == part.get("file_data") and not url.startswith("data:"):
        kind = guess_type(named.get("filename", ""))[0] or PDF
        return {"type": "base64", "media_type": kind, "data": url, **named}
    if not url.startswith("data:"):
        return {"type": "url", "url": url, **named}
    head, _, data = url.partition(",")
    return {"type": "base64", "media_type": head.removeprefix("data:").partition(";")[0], "data": data, **named}


def _item(item: Mapping[str, Any], place: str) -> Reading:
    kind, role = item.get("type", "message"), item.get("role")
    if kind == "message" and role in ("user", "assistant", *INSTRUCTIONS):
        blocks = _contents(item.get("content"), place)
        return "assistant" if role == "assistant" else "user", blocks, PINNED if role in INSTRUCTIONS else PLAIN
    if not isinstance(kind, str) or kind == "message":
        raise InvalidInput(
            f"{place} has {role_of(item)}; an OpenAI Responses item is a message or has a type, as function_call is"
        )
    call = item.get("call_id", item.get("id") if kind == "local_shell_call_output" else None)
    may_be_text = kind in ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
    if isinstance(call, str) and may_be_text:  # so that an old one can be cleared
        return "user", [_result("tool_result", call, item.get("output"), place)], PLAIN
    if isinstance(call, str) and kind.removesuffix("_output") in CALLS and kind not in CALLS:
        return "user", [_result(f"{kind}_tool_result", call, list(_output(item)), place)], PLAIN
    if isinstance(call, str) and kind in CALLS:
        name = item["name"] if isinstance(item.get("name"), str) else kind.removesuffix("_call")
        value = next((item[field] for field in ("arguments", "input", "action", "operation") if field in item), None)
        return "assistant", [_tool_use(call, name, value)], PLAIN
    blocks = [{"type": f"{PREFIX}{kind}", "item": item}]
    return ("user", blocks, PINNED) if kind in SEALED else ("assistant", blocks, PLAIN)


def _output(item: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of an output in a form of its own: a screenshot, what a shell printed, or what nobody knows."""
    output = item.get("output")
    for part in output if isinstance(output, list | tuple) else [output]:
        fields = part if isinstance(part, Mapping) else {"text": part}
        texts = [fields[name] for name in ("text", "stdout", "stderr") if isinstance(fields.get(name), str)]
        yield from ({"type": "text", "text": text} for text in texts)
        if not texts:
            yield fields if isinstance(fields.get("type"), str) else {"type": "output", "output": part}


def _responses(messages: Iterable[Message], before: Message | None = None, first: int = 0) -> list[Message]:
    """Mark items of the model that follow each other as one response: it is never cut, so reasoning keeps its call.

    `before` is the message before them, and `first` a number that is new for the first response.
    """
    numbers, marked = count(first), list[Message]()
    for message in messages:
        if message.role == "assistant":
            goes_on = before is not None and before.role == "assistant" and not before.marks.summary
            response = before.marks.response if goes_on and before is not None else f"response {next(numbers)}"
            message = replace(message, marks=replace(message.marks, response=response))  # noqa: PLW2901 -- with its mark
        marked.append(message)
        before = message
    return marked


def read_appended(sources: Sequence[Any], form: Format, before: Message | None, first: int) -> list[Message]:
    """Read messages that are appended to a list in a format of OpenAI's. Raises InvalidInput with the index.

    `before` is the last message of the list, and `first` the index of the first new one; each new one has its as key.
    """
    read = [replace(_read(source, form, f"message {index}"), key=index) for index, source in enumerate(sources, first)]
    return _responses(read, before, first) if form == RESPONSES else read


def write_messages(raws: Iterable[Mapping[str, Any]], form: Format) -> list[Any]:
    """Write messages of Anthropic's form in a format: what was read from it and not changed as the very same value."""
    if form == ANTHROPIC:
        return list(raws)
    kinds: dict[str, str] = {}
    written: list[Any] = []
    for raw in raws:
        for item in _written(raw, form, kinds):
            fields = _fields(item) or {}
            if isinstance(fields.get("call_id"), str):
                kinds[fields["call_id"]] = str(fields.get("type"))
            written.append(item)
    return written


def _written(raw: Mapping[str, Any], form: Format, kinds: Mapping[str, str]) -> Iterator[Any]:
    source, content = raw.get(form), raw.get("content") or ()
    blocks: Sequence[Block] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if source is not None and _without_ids(_read(source, form, "message").raw["content"]) == _without_ids(blocks):
        yield source
        return
    results = [block for block in blocks if _is_result(block)]
    yield from (_written_result(block, form, kinds) for block in results)
    if others := [block for block in blocks if not _is_result(block)]:
        yield from _chat_message(raw["role"], others, source) if form == CHAT else _items(raw["role"], others)


def _without_ids(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks without the ids of calls, which Anthropic's API wants unique and these formats do not."""
    return [{name: value for name, value in block.items() if name not in ("id", "tool_use_id")} for block in blocks]


def _is_result(block: Block) -> bool:
    return isinstance(block.get("tool_use_id"), str)


def _written_result(block: Block, form: Format, kinds: Mapping[str, str]) -> Any:
    """Return a result as it came, or with what stands in place of its content now."""
    source, content = block.get(form), block.get("content")
    if source is not None and _without_ids(_read(source, form, "message").raw["content"]) == _without_ids([block]):
        return source
    parts = content if isinstance(content, list) else []
    text = content if isinstance(content, str) else "\n".join(one["text"] for one in parts if one["type"] == "text")
    call = block["tool_use_id"]
    if form == CHAT:
        return {"role": "tool", "tool_call_id": call, **(_fields(source) or {}), "content": text}
    kind = f"{kinds.get(call, 'function_call')}_output"
    named = {"id": call} if kind == "local_shell_call_output" else {"call_id": call}
    output = _content(parts, RESPONSES) if any(one["type"] in SHOWN for one in parts) else text
    return {"type": kind, **named, **(_fields(source) or {}), "output": output}


def _chat_message(role: str, blocks: Sequence[Block], source: Any) -> Iterator[Any]:
    """Yield one chat message of these blocks; of a message that came in, what is not about them stays."""
    fields = _fields(source) or {}
    calls = {block["id"]: block for block in blocks if block["type"] == "tool_use"}
    kept = {call["id"]: call for call in reversed(fields.get("tool_calls") or ()) if call["id"] in calls}
    fresh = {name: {"id": name, "type": "function", "function": _function(block)} for name, block in calls.items()}
    written = [*(fresh | kept).values()]
    others = {name: value for name, value in fields.items() if name != "tool_calls"}
    content = fields["content"] if "content" in fields else _content(blocks, CHAT)
    if content is not None or written:
        yield {"role": role, **others, "content": content, **({"tool_calls": written} if written else {})}


def _function(block: Block) -> dict[str, Any]:
    return {"name": block["name"], "arguments": json.dumps(block["input"], ensure_ascii=False)}


def _items(role: str, blocks: Sequence[Block]) -> Iterator[Any]:
    """Yield the items of these blocks: a message of what is said and shown, and the calls behind it."""
    content = _content(blocks, RESPONSES)
    if content is not None:
        yield {"type": "message", "role": role, "content": content}
    for block in blocks:
        if block["type"] == "tool_use":
            yield {"type": "function_call", "call_id": block["id"], **_function(block)}


def _content(blocks: Sequence[Block], form: Format) -> Any:
    """Return what these blocks say and show: a text where they only say; None where they do neither."""
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    shown = [block for block in blocks if block["type"] in SHOWN and block["source"]["type"] in ("url", "base64")]
    if not shown:
        return "\n\n".join(texts) if texts else None
    kind = "text" if form == CHAT else "input_text"
    parts = [block for block in blocks if block["type"] == "text" or block in shown]
    return [_shown(one, form) if one in shown else {"type": kind, "text": one["text"]} for one in parts]


def _shown(block: Block, form: Format) -> Block:
    """Return the part of an image or a document."""
    source = block["source"]
    url = source["url"] if "url" in source else f"data:{source['media_type']};base64,{source['data']}"
    if block["type"] == "image":
        image = {"type": "input_image", "image_url": url}
        return {"type": "image_url", "image_url": {"url": url}} if form == CHAT else image
    if "url" in source:
        return {"type": "input_file", "file_url": url}
    file = {"filename": block.get("title") or "document.pdf", "file_data": url}
    return {"type": "file", "file": file} if form == CHAT else {"type": "input_file", **file}


@dataclass(frozen=True, slots=True, eq=False)
class ResponsesItem:
    """The key of a message in Anthropic's form that came as an item which that form has no place for."""

    document: Mapping[str, Any]
    """The item of the Responses format, to be written in that format."""


@dataclass(frozen=True, slots=True)
class Converted:
    """A conversation in another format than that which it came in."""

    messages: tuple[Message, ...]
    """Its messages in Anthropic's form alone."""
    system: str
    """The texts of its system and developer messages, which are no messages of that form."""
    left_out: Mapping[str, int]
    """For each type of content without a place in the format, how often it was left out."""


def convert_messages(messages: Iterable[Message], form: Format) -> Converted:
    """Return what of a conversation another format has a place for; `write_messages` writes it."""
    system: list[str] = []
    left_out = Counter[str]()
    converted: list[Message] = []
    for message in messages:
        if form == RESPONSES and is_item(message):
            converted.append(_read(message.key.document, form, "it"))
            continue
        part = _converted(message, form, left_out)
        if is_instruction(message):
            system.append(message.text)
        elif part is not None and converted and _is_continued(converted[-1], part):
            converted[-1] = converted[-1].with_parts((*converted[-1].parts, *part.parts))
        elif part is not None:
            converted.append(part)
    return Converted(tuple(converted), "\n\n".join(system), left_out)


def without_source(message: Message) -> Message | None:
    """Return the message in Anthropic's form alone: the same if it came in that form, None if nothing is left."""
    return message if FORMATS_OF_OPENAI.isdisjoint(message.raw) else _converted(message, ANTHROPIC, Counter())


def is_item(message: Message) -> bool:
    """Return whether it came as an item that is written in the Responses format as it came."""
    return isinstance(message.key, ResponsesItem)


def is_instruction(message: Message) -> bool:
    """Return whether it is a system or developer message of OpenAI's formats."""
    source = next((message.raw[name] for name in FORMATS if name in message.raw), None)
    return (_fields(source) or {}).get("role") in INSTRUCTIONS


def _converted(message: Message, form: Format, left_out: Counter[str]) -> Message | None:
    content = message.raw.get("content") or ()
    blocks: Sequence[Block] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    kept = [block for one in blocks for block in _portable(one, form, left_out)]
    if message.role == "assistant":
        kept = _without_media(kept, "the model", left_out)
    if not kept and message.role == "user":  # no message of the user vanishes
        unknown = [str(one["type"]).removeprefix(PREFIX) for one in blocks if "item" not in one]
        kept = [{"type": "text", "text": attached({"type": kind})} for kind in unknown if kind != "blank"]
    content = kept[0]["text"] if len(kept) == 1 and kept[0]["type"] == "text" else kept
    return replace(read_message({"role": message.role, "content": content}), marks=message.marks) if kept else None


def _is_continued(before: Message, after: Message) -> bool:
    """Return whether two messages are one: items of a response, or results of the calls of one."""
    if before.role != after.role or before.role == "assistant":
        return before.role == after.role and not before.marks.summary
    return all(type(part) is ToolResult for message in (before, after) for part in message.parts)


def _portable(block: Block, form: Format, left_out: Counter[str]) -> Iterator[Block]:
    """Yield the block without what only its own format has; none where the other format has no place for it."""
    kind = str(block["type"])
    if kind == "text":
        yield {"type": "text", "text": block["text"]}
    elif kind == "tool_use":
        yield {"type": "tool_use", "id": _call_id(block["id"]), "name": block["name"], "input": block["input"]}
    elif kind in SHOWN:
        yield from _portable_media(block, form, left_out)
    elif kind == "tool_result" or (kind.endswith("_tool_result") and not FORMATS_OF_OPENAI.isdisjoint(block)):
        failed = {"is_error": True} if block.get("is_error") is True else {}
        content = block.get("content")
        if not isinstance(content, str):
            kept = [one for part in content or () for one in _portable(part, form, left_out)]
            content = (_without_media(kept, "a tool", left_out) if form == CHAT else kept) or ""
        yield {"type": "tool_result", "tool_use_id": _call_id(block["tool_use_id"]), "content": content, **failed}
    elif kind != f"{PREFIX}blank":
        left_out[kind.removeprefix(PREFIX)] += 1


def _without_media(blocks: Sequence[Block], writer: str, left_out: Counter[str]) -> list[Block]:
    """Return the blocks with a note for each image and document of a writer that the format lets show none."""
    left_out.update(f"{one['type']} of {writer}" for one in blocks if one["type"] in SHOWN)
    return [{"type": "text", "text": attached(one)} if one["type"] in SHOWN else one for one in blocks]


def _call_id(name: str) -> str:
    """Return the id of a call, in the characters that Anthropic's API takes."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def _portable_media(block: Block, form: Format, left_out: Counter[str]) -> Iterator[Block]:
    """Yield an image or a document of an address or its data; the text of a document; else a note in its place."""
    kind, source = block["type"], block.get("source") or {}
    origin = source.get("type")
    title = block.get("title") or source.get("filename")
    named = {"title": title} if kind == "document" and isinstance(title, str) and title else {}
    if origin == "url" and (kind == "image" or form != CHAT):
        yield {"type": kind, "source": {"type": "url", "url": source["url"]}, **named}
    elif origin == "base64" and (kind == "image" or form != ANTHROPIC or source["media_type"] == PDF):
        yield {"type": kind, "source": {name: source[name] for name in ("type", "media_type", "data")}, **named}
    elif origin == "text":
        yield {"type": "text", "text": f"{attached(block)}\n\n{source['data']}"}
    elif origin == "content":
        inner = source["content"]
        yield {"type": "text", "text": attached(block)}
        for one in [{"type": "text", "text": inner}] if isinstance(inner, str) else inner:
            yield from _portable(one, form, left_out)
    else:
        left_out[str(source.get("media_type") or kind)] += 1
        yield {"type": "text", "text": attached(block)}


def convert_tools(tools: Iterable[Mapping[str, Any]], form: Format) -> Iterator[dict[str, Any]]:
    """Yield the definitions of functions in a format; a tool that the provider of another format runs has none."""
    for tool in tools:
        function = tool["function"] if isinstance(tool.get("function"), Mapping) else tool
        schema = function.get("input_schema", function.get("parameters"))
        if not isinstance(function.get("name"), str) or not isinstance(schema, Mapping):
            continue
        named = {name: function[name] for name in ("name", "description") if isinstance(function.get(name), str)}
        if form == ANTHROPIC:
            yield {**named, "input_schema": schema}
        elif form == CHAT:
            yield {"type": "function", "function": {**named, "parameters": schema}}
        else:
            yield {"type": "function", **named, "parameters": schema}
