"""Messages in Anthropic's form: a JSON array, an object with `messages` (and `system`, `tools`), or JSON lines.

JSON lines are records around a message: role and content are the message's, and further fields, such as `timestamp`,
the record's. The messages of an array are kept as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from brim.conversation.messages import PLAIN, Message, read_message
from brim.errors import InvalidInput
from brim.transcripts.accumulator import Collected, Told, measured
from brim.transcripts.decoding import Json, moment, string
from brim.transcripts.harness import user_marks
from brim.transcripts.source import Source
from brim.transcripts.tool_ids import with_call_ids
from brim.transcripts.values import Damaged, Transcript

NAME: Final = "anthropic-messages"
FORM: Final = "Anthropic messages (a JSON array, an object with messages, or JSON lines)"
ROLES: Final = ("user", "assistant")
FIELDS: Final = ("role", "content")


def recognise(source: Source) -> bool:
    """Whether the file holds messages of the user and the assistant, and none of another role."""
    roles = [given.get("role") for _, given in _given(source) if isinstance(given, Mapping) and "content" in given]
    return bool(roles) and all(role in ROLES for role in roles)


def read(source: Source) -> Transcript:
    """Read the messages; what is no message is skipped and counted."""
    collected, damaged = Collected(), list(source.damaged)
    for line, given in with_call_ids(_given(source)):
        try:
            _collect(collected, line, given, whole=_list(source) is not None)
        except InvalidInput as error:
            damaged.append(Damaged(line, str(error)))
    around = source.document if isinstance(source.document, Mapping) else {}
    model, tools = around.get("model"), around.get("tools")
    return Transcript(
        format=NAME,
        messages=tuple(collected.messages),
        lines=tuple(collected.lines),
        times=tuple(collected.times),
        model=collected.model or string(model),
        system=_system(around.get("system"), source),
        tools=[tool for tool in tools if isinstance(tool, Mapping)] if isinstance(tools, list) else None,
        request=around if "messages" in around else None,
        listed=isinstance(source.document, list),
        responses=tuple(collected.responses),
        damaged=tuple(sorted(damaged, key=lambda one: one.line)),
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


def _list(source: Source) -> list[Json] | None:
    """The list of messages, None where the file has them line by line."""
    held = source.document
    if isinstance(held, Mapping):
        held = held.get("messages")
    return held if isinstance(held, list) else None


def _given(source: Source) -> Sequence[tuple[int, Json]]:
    """The messages, each with its number: that of its line, or its position in the list."""
    held = _list(source)
    return source.records if held is None else list(enumerate(held, 1))


def _collect(collected: Collected, line: int, given: Json, *, whole: bool) -> None:
    message = _message(given, whole=whole)
    time = moment(given.get("timestamp"))
    if message.role == "user":
        collected.append(line, message, time=time)
        return
    model, name, stop = string(given.get("model")), given.get("id"), given.get("stop_reason", "none given")
    marks = replace(message.marks, response=string(name))
    told = Told(measured("anthropic", given.get("usage"), model), model, finished=stop is not None, time=time)
    collected.respond(line, replace(message, marks=marks), told)


def _message(given: Json, *, whole: bool) -> Message:
    if not isinstance(given, Mapping):
        raise InvalidInput(f"{type(given).__name__} where a message is looked for")
    raw = given if whole or given.keys() <= set(FIELDS) else {name: given.get(name) for name in FIELDS}
    message = read_message(raw)
    if message.role == "user" and message.marks is PLAIN:
        return replace(message, marks=user_marks(message.parts))
    return message
