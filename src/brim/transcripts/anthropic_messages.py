"""Messages in Anthropic's form: a JSON array, an object with `messages` (and `system`, `tools`), or JSON lines.

JSON lines are records around a message: role and content are the message's, and further fields, such as `timestamp`,
the record's. The messages of an array are kept as they are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from brim.conversation.messages import PLAIN, ROLES, read_message
from brim.errors import InvalidInput
from brim.transcripts.reader import Reader, measured, user_marks
from brim.transcripts.source import Json, Source, mapping, moment, objects, string


class AnthropicMessages(Reader):
    """The messages of a list."""

    name = "anthropic-messages"
    form = "Anthropic messages (a JSON array, an object with messages, or JSON lines)"

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether the file holds messages of three roles alone, and begins with none of the system's.

        A file in which more lines are none than are records is prose that quotes some, and no transcript.
        """
        if source.listed("messages") is None and len(source.damaged) > len(source.records):
            return False
        blocks = [block for _, one in _messages(source) for block in _blocks(one)]
        if any("toolUseID" in one or one.get("type") in ("toolRequest", "toolResponse") for one in blocks):
            return False  # of Amp or goose: the API's names are in snake case
        roles = [one.get("role") for _, one in _messages(source) if isinstance(one, dict) and "content" in one]
        return bool(roles) and roles[0] != "system" and all(role in ROLES for role in roles)

    def records(self) -> Sequence[tuple[int, Json]]:
        """Return the messages, each with the number of its line, or its position in the list."""
        messages = _messages(self.source)
        _name_calls([block for _, one in messages for block in _blocks(one)])
        return messages

    def add(self, line: int, record: Json) -> None:
        """Read the next message. Raises InvalidInput."""
        if not isinstance(record, dict):
            raise InvalidInput(f"{type(record).__name__} where a message is looked for")
        is_message = self.source.listed("messages") is not None or record.keys() <= {"role", "content"}
        message = read_message(record if is_message else {name: record.get(name) for name in ("role", "content")})
        self.time = moment(record.get("timestamp"))
        if message.role != "assistant":
            is_plain = message.role == "user" and message.marks is PLAIN
            self.add_entry(line, replace(message, marks=user_marks(message.parts)) if is_plain else message)
            return
        model = string(record.get("model"))
        self.add_response(
            line,
            message=replace(message, marks=replace(message.marks, response=string(record.get("id")))),
            usage=measured("anthropic", record.get("usage"), model),
            model=model,
            finished=record.get("stop_reason", "none given") is not None,
        )

    def finish(self) -> None:
        """Take what stands around the messages. Raises InvalidInput where no API takes the system prompt."""
        document = mapping(self.source.document)
        system, tools = document.get("system"), document.get("tools")
        if not (system is None or isinstance(system, str) or (isinstance(system, list) and system == objects(system))):
            raise InvalidInput(
                f"{self.source.path}: its system prompt is neither a text nor a list of blocks; "
                "name one that the API takes"
            )
        self.about = {
            "model": string(document.get("model")),
            "system": system,
            "tools": objects(tools) if isinstance(tools, list) else None,
            "request": document if "messages" in document else None,
            "listed": isinstance(self.source.document, list),
        }


def _messages(source: Source) -> Sequence[tuple[int, Json]]:
    messages = source.listed("messages")
    return source.records if messages is None else list(enumerate(messages, 1))


def _blocks(message: Json) -> list[dict[str, Json]]:
    content = mapping(message).get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _name_calls(blocks: Sequence[dict[str, Json]]) -> None:
    """Give each call without an id the id of the next result that no call has, or one that is free."""
    named = {string(block.get("id")) for block in blocks}
    results = {string(block.get("tool_use_id")) for block in blocks}
    free = (name for number in count(1) if (name := f"call-{number}") not in named | results)
    waiting: deque[dict[str, Json]] = deque()
    for block in blocks:
        result = string(block.get("tool_use_id"))
        if block.get("type") == "tool_use" and "id" not in block:
            block["id"] = next(free)
            waiting.append(block)
        elif waiting and result not in named:
            waiting.popleft()["id"] = result
            named.add(result)
