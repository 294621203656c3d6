"""Messages in Anthropic's form: a JSON array, an object with `messages` (and `system`, `tools`), or JSON lines.

JSON lines are records around a message: role and content are the message's, and further fields, such as `timestamp`,
the record's. The messages of an array are kept as they are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from brim.conversation.messages import PLAIN, ROLES, Message, read_message
from brim.errors import InvalidInput
from brim.transcripts.builder import TranscriptBuilder, measured, user_marks
from brim.transcripts.source import Json, Source, mapping, moment, objects, string
from brim.transcripts.values import Transcript

NAME: Final = "anthropic-messages"
FORM: Final = "Anthropic messages (a JSON array, an object with messages, or JSON lines)"
FIELDS: Final = ("role", "content")
Numbered: TypeAlias = Sequence[tuple[int, Json]]


def recognise(source: Source) -> bool:
    """Whether the file holds messages of the user, the assistant and the system, and begins with none of the system's.

    A file in which more lines are none than are records is prose that quotes some, and no transcript.
    """
    if source.listed("messages") is None and len(source.damaged) > len(source.records):
        return False
    roles = [given.get("role") for _, given in _given(source) if isinstance(given, Mapping) and "content" in given]
    return bool(roles) and roles[0] != "system" and all(role in ROLES for role in roles)


def read(source: Source) -> Transcript:
    """Read the messages; what is no message is skipped and counted."""
    builder, whole = TranscriptBuilder(source.damaged), source.listed("messages") is not None
    builder.read_each(with_call_ids(_given(source)), lambda line, given: _add(builder, line, given, whole=whole))
    around = mapping(source.document)
    tools = around.get("tools")
    return builder.transcript(
        NAME,
        model=string(around.get("model")),
        system=_system(around.get("system"), source),
        tools=objects(tools) if isinstance(tools, list) else None,
        request=around if "messages" in around else None,
        listed=isinstance(source.document, list),
    )


def _system(given: Json, source: Source) -> Json:
    """The system prompt as given. Raises InvalidInput where it is neither a text nor blocks."""
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, list) and all(isinstance(block, Mapping) for block in given):
        return given
    raise InvalidInput(
        f"{source.path}: its system prompt is neither a text nor a list of blocks; name one that the API takes"
    )


def _given(source: Source) -> Numbered:
    """The messages, each with its number: that of its line, or its position in the list."""
    held = source.listed("messages")
    return source.records if held is None else list(enumerate(held, 1))


def _add(builder: TranscriptBuilder, line: int, given: Json, *, whole: bool) -> None:
    message = _message(given, whole=whole)
    builder.time = moment(given.get("timestamp"))
    if message.role != "assistant":
        builder.add_entry(line, message)
        return
    model, stop = string(given.get("model")), given.get("stop_reason", "none given")
    builder.add_response(
        line,
        message=replace(message, marks=replace(message.marks, response=string(given.get("id")))),
        usage=measured("anthropic", given.get("usage"), model),
        model=model,
        finished=stop is not None,
    )


def _message(given: Json, *, whole: bool) -> Message:
    if not isinstance(given, Mapping):
        raise InvalidInput(f"{type(given).__name__} where a message is looked for")
    raw = given if whole or given.keys() <= set(FIELDS) else {name: given.get(name) for name in FIELDS}
    message = read_message(raw)
    if message.role == "user" and message.marks is PLAIN:
        return replace(message, marks=user_marks(message.parts))
    return message


def with_call_ids(messages: Numbered) -> Numbered:
    """The messages, each call without an id completed by the id that the next unclaimed result names."""
    if all("id" in block for _, message in messages for block in _blocks(message, "tool_use")):
        return messages
    ids = _claimed(messages)
    return [(line, _completed(message, ids)) for line, message in messages]


def _blocks(message: Json, kind: str) -> Iterator[dict[str, Json]]:
    content = message.get("content") if isinstance(message, Mapping) else None
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == kind:
            yield block


def _claimed(messages: Numbered) -> dict[int, str]:
    """For each call without id, by its identity: the id of the first later result that no call named."""
    calls = [block for _, message in messages for block in _blocks(message, "tool_use")]
    named = {string(block.get("id")) for block in calls}
    waiting: deque[dict[str, Json]] = deque()
    ids: dict[int, str] = {}
    for line, message in messages:
        for number, block in enumerate(_blocks(message, "tool_use")):
            if "id" not in block:
                waiting.append(block)
                ids[id(block)] = _free(f"call-{line}-{number}", named)
        for block in _blocks(message, "tool_result"):
            result = string(block.get("tool_use_id"))
            if waiting and result is not None and result not in named:
                ids[id(waiting.popleft())] = result
    return ids


def _free(name: str, named: Container[str | None]) -> str:
    """The name, or one like it that no call has."""
    while name in named:
        name += "-1"
    return name


def _completed(message: Json, ids: Mapping[int, str]) -> Json:
    if not any(id(block) in ids for block in _blocks(message, "tool_use")):
        return message
    content = [{**block, "id": ids[id(block)]} if id(block) in ids else block for block in message["content"]]
    return {**message, "content": content}
