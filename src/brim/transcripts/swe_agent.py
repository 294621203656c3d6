"""Trajectories of SWE-agent: the history of messages; the prompts that every step repeats are not read again.

Token counts are of the whole run alone. Where the model had no tools of the API's kind, its action is in the text,
and what came of it in the user's place: read are a call and its result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar, Final

from brim.conversation.messages import PLAIN, SYNTHETIC
from brim.errors import InvalidInput
from brim.transcripts.blocks import (
    Block,
    Given,
    arguments,
    call_block,
    content_blocks,
    first_message,
    text_of,
    thinking_block,
    tool_calls,
)
from brim.transcripts.reader import Reader, fields_of
from brim.transcripts.source import Json, Source, mapping, moment, string

TOTALS: Final = ("tokens_sent", "tokens_received", "api_calls")
EXIT: Final = re.compile(r"\s*<returncode>\s*(?!0\s*<)-?\d+")


class SweAgent(Reader):
    """The messages of a trajectory, of SWE-agent or of what came from it."""

    name = "swe-agent"
    form = "SWE-agent trajectory (JSON)"
    listed: ClassVar[str] = "history"
    """The field that has the messages."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._waiting: list[str] = []
        """The calls that no result has answered yet."""
        self._asked = False
        self.info = mapping(source.document.get("info"))
        """What the file says of the run."""

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether the file is a trajectory with its history."""
        document = mapping(source.document)
        return isinstance(document.get("history"), list) and "trajectory" in document

    def records(self) -> Iterable[tuple[int, Json]]:
        """Return the messages with their numbers."""
        return enumerate(self.source.document[self.listed], 1)

    def finish(self) -> None:
        """Take what the run tells of itself: its version, the model of its configuration, its tokens."""
        model = arguments(self.source.document.get("replay_config"))
        for name in ("agent", "model", "name"):
            model = mapping(model).get(name)
        self.tell(version=string(self.info.get("swe_agent_version")), model=string(model))
        numbers = [mapping(self.info.get("model_stats")).get(name) for name in TOTALS]
        whole = all(type(number) is int for number in numbers)
        totals = " ({:,} sent and {:,} received in {:,} calls, all in all)".format(*numbers) if whole else ""
        no_usage = "SWE-agent records no tokens of single responses: what the window held is estimated"
        self.notes.append(no_usage + totals)

    def add(self, line: int, record: Json) -> None:
        """Read the next message. Raises InvalidInput."""
        role, extra = mapping(record).get("role"), mapping(mapping(record).get("extra"))
        self.time = moment(extra.get("timestamp"))
        if role == "system":
            self.about["system"] = text_of(record.get("content"))
        elif role == "assistant":
            self._answer(line, record, mapping(extra.get("response")))
        elif role in ("user", "tool"):
            self._observed(line, record)
        elif isinstance(role, str):
            self.left_out[f"{role} messages"] += 1
        else:
            raise InvalidInput("no message with a role")

    def acted(self, line: int, message: Given) -> list[Block]:
        """Return the blocks of an answer without calls: its thought and its action; its content without an action."""
        action, thought = message.get("action"), message.get("thought")
        if not isinstance(action, str) or not action or not isinstance(thought, str):
            return content_blocks(message.get("content"))
        return [*content_blocks(thought), call_block(f"call-{line}", "shell", {"command": action})]

    def _answer(self, line: int, message: Given, response: Given) -> None:
        calls = tool_calls(message.get("tool_calls"))
        blocks = [*content_blocks(message.get("content")), *calls] if calls else self.acted(line, message)
        reasoning = first_message(response).get("reasoning")
        thought = [thinking_block(reasoning)] if isinstance(reasoning, str) and reasoning else []
        self.add_response(line, [*thought, *blocks], **fields_of(response))
        self._waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]

    def _observed(self, line: int, message: Given) -> None:
        """Read the task, a demonstration, what came of an action, or a word of the agent's own."""
        text, named = text_of(message.get("content")), message.get("tool_call_ids")
        names = [message.get("tool_call_id"), *(named if isinstance(named, list) else ())[:1], *self._waiting[:1]]
        call = next((name for name in names if isinstance(name, str) and name), None)
        if call is not None:
            self._waiting = [waiting for waiting in self._waiting if waiting != call]
            self.add_result(line, call, text, failed=EXIT.match(text) is not None)
            return
        is_own = self._asked or message.get("is_demo") is True
        entry = self.add_message(line, content_blocks(message.get("content")), SYNTHETIC if is_own else PLAIN)
        # what the run ended with, such as its limit, is never sent
        is_last = self._asked and line == len(self.source.document[self.listed])
        ended = self.info.get("exit_status") is not None and self.info.get("submission") == text
        entry.sent = not (is_last and ended)
        self._asked = self._asked or not is_own
