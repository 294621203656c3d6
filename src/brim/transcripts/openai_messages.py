"""Lists in OpenAI's formats, chat messages and Responses items: a JSON array, the body of a request, or JSON lines.

Each message holds the dictionary that it was read from, and is written back as that (ADP_03). A list of two formats, or
one with a result without its call, is refused, as the library refuses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from brim.conversation.formats import CHAT, RESPONSES, Format, is_openai, read_messages, recognize_format
from brim.conversation.messages import PLAIN
from brim.errors import InvalidInput
from brim.transcripts.builder import TranscriptBuilder, measured, user_marks
from brim.transcripts.source import Json, Source, moment, objects, string
from brim.transcripts.values import Transcript


@dataclass(slots=True)
class OpenAIMessages:
    """The reader of one of the two formats."""

    NAME: str
    FORM: str

    def recognise(self, source: Source) -> bool:
        """Whether the file holds messages of this format, and some that only OpenAI has."""
        return _format(source) == self.NAME

    def read(self, source: Source) -> Transcript:
        """Read the messages. Raises InvalidInput that names the one at fault."""
        return _read(source)


CHAT_MESSAGES = OpenAIMessages(CHAT, "OpenAI chat messages (a JSON array, an object with messages, or JSON lines)")
RESPONSES_ITEMS = OpenAIMessages(RESPONSES, "OpenAI Responses items (the same, with input for messages)")


def _format(source: Source) -> Format | None:
    """The format of the list; a list of two is taken as chat messages, and refused when it is read."""
    given = _given(source)
    if "input" in _body(source):
        return RESPONSES if given else None
    if not any(map(is_openai, given)):
        return None
    try:
        return recognize_format(given)
    except InvalidInput:
        return CHAT


def _read(source: Source) -> Transcript:
    body, given, builder = _body(source), _given(source), TranscriptBuilder(source.damaged)
    try:
        form = RESPONSES if "input" in body else recognize_format(given)
        messages = read_messages(given, form)
    except InvalidInput as error:
        raise InvalidInput(f"{source.path}: {error}") from error
    lines = [line for line, _ in source.records] if source.document is None else range(1, len(given) + 1)
    for line, one, message in zip(lines, given, messages, strict=True):
        builder.time = moment(one.get("timestamp", one.get("created_at")))
        if message.role == "assistant":
            model = string(one.get("model"))
            usage = measured("openai", one.get("usage"), model)
            builder.add_response(line, message=message, usage=usage, model=model)
        else:
            marks = user_marks(message.parts) if message.marks == PLAIN else message.marks
            builder.add_entry(line, replace(message, marks=marks))
    tools = body.get("tools")
    return builder.transcript(
        form,
        model=string(body.get("model")),
        system=string(body.get("instructions")),
        tools=objects(tools) if isinstance(tools, list) else None,
        request=body or None,
        listed=isinstance(source.document, list),
    )


def _body(source: Source) -> Mapping[str, Json]:
    """The body of a request; empty where the file holds the messages alone."""
    held = source.document
    lists = isinstance(held, Mapping) and any(isinstance(held.get(name), list) for name in ("messages", "input"))
    return held if lists else {}


def _given(source: Source) -> list[Any]:
    """The list of messages or items."""
    held = source.listed("input", "messages")
    return [record for _, record in source.records] if held is None else held
