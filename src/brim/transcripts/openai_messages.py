"""Lists in OpenAI's formats, chat messages and Responses items: a JSON array, the body of a request, or JSON lines.

Each message holds the dictionary that it was read from, and is written back as that (ADP_03). A list of two formats, or
one with a result without its call, is refused, as the library refuses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from brim.conversation.formats import CHAT, RESPONSES, Format, is_openai, read_messages, recognize_format
from brim.conversation.messages import PLAIN, Message
from brim.errors import InvalidInput
from brim.transcripts.reader import Reader, measured, user_marks
from brim.transcripts.source import Json, Source, moment, objects, string


class ChatMessages(Reader):
    """The messages of a list, whole and each at its place."""

    name = CHAT
    form = "OpenAI chat messages (a JSON array, an object with messages, or JSON lines)"

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether the file holds messages of this format, and some that only OpenAI has."""
        return _format(source) == cls.name

    def records(self) -> list[tuple[int, tuple[Mapping[str, Json], Message]]]:
        """Return the dictionaries, each with its message. Raises InvalidInput that names the one at fault."""
        source, given = self.source, _given(self.source)
        try:
            messages = read_messages(given, RESPONSES if "input" in _body(source) else recognize_format(given))
        except InvalidInput as error:
            raise InvalidInput(f"{source.path}: {error}") from error
        lines = [line for line, _ in source.records] if source.document is None else range(1, len(given) + 1)
        return list(zip(lines, zip(given, messages, strict=True), strict=True))

    def add(self, line: int, record: tuple[Mapping[str, Json], Message]) -> None:
        """Add the next message."""
        given, message = record
        self.time = moment(given.get("timestamp", given.get("created_at")))
        if message.role == "assistant":
            model = string(given.get("model"))
            self.add_response(line, message=message, usage=measured("openai", given.get("usage"), model), model=model)
        else:
            marks = user_marks(message.parts) if message.marks == PLAIN else message.marks
            self.add_entry(line, replace(message, marks=marks))

    def finish(self) -> None:
        """Take what stands around the messages."""
        body = _body(self.source)
        tools = body.get("tools")
        self.about = {
            "model": string(body.get("model")),
            "system": string(body.get("instructions")),
            "tools": objects(tools) if isinstance(tools, list) else None,
            "request": body or None,
            "listed": isinstance(self.source.document, list),
        }


class ResponsesItems(ChatMessages):
    """The items of a list."""

    name = RESPONSES
    form = "OpenAI Responses items (the same, with input for messages)"


def _format(source: Source) -> Format | None:
    """Return the format of the list; one of two formats is taken as chat messages, and refused when it is read."""
    given = _given(source)
    if "input" in _body(source):
        return RESPONSES if given else None
    if not any(map(is_openai, given)):
        return None
    try:
        return recognize_format(given)
    except InvalidInput:
        return CHAT


def _body(source: Source) -> Mapping[str, Json]:
    """Return the body of a request; empty where the file holds the messages alone."""
    held = source.document
    lists = isinstance(held, dict) and any(isinstance(held.get(name), list) for name in ("messages", "input"))
    return held if lists else {}


def _given(source: Source) -> list[Any]:
    """Return the list of messages or items."""
    listed = source.listed("input", "messages")
    return [record for _, record in source.records] if listed is None else listed
