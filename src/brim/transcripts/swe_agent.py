"""Trajectories of SWE-agent: the history of messages; the prompts that every step repeats are not read again.

Token counts are of the whole run alone. Where the model had no tools of the API's kind, its action is in the text,
and what came of it in the user's place: read are a call and its result.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from brim.conversation.messages import PLAIN, SYNTHETIC
from brim.errors import InvalidInput
from brim.transcripts.blocks import Block, Given, arguments, call_block, content_blocks, text_of, tool_calls
from brim.transcripts.reader import Reader
from brim.transcripts.source import Json, Source, mapping, string

TOTALS: Final = ("tokens_sent", "tokens_received", "api_calls")


class SweAgent(Reader):
    """The history of a trajectory."""

    name = "swe-agent"
    form = "SWE-agent trajectory (JSON)"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._waiting: list[str] = []
        self._asked = False

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether the file is a trajectory with its history."""
        document = mapping(source.document)
        return isinstance(document.get("history"), list) and "trajectory" in document

    def records(self) -> Iterable[tuple[int, Json]]:
        """Return the messages with their numbers."""
        return enumerate(self.source.document["history"], 1)

    def finish(self) -> None:
        """Take what the run tells of itself: its version, the model of its configuration, its tokens."""
        info, given = mapping(self.source.document.get("info")), arguments(self.source.document.get("replay_config"))
        for name in ("agent", "model", "name"):
            given = mapping(given).get(name)
        self.tell(version=string(info.get("swe_agent_version")), model=string(given))
        numbers = [mapping(info.get("model_stats")).get(name) for name in TOTALS]
        whole = all(type(number) is int for number in numbers)
        totals = " ({:,} sent and {:,} received in {:,} calls, all in all)".format(*numbers) if whole else ""
        no_usage = "SWE-agent records no tokens of single responses: what the window held is estimated"
        self.notes.append(no_usage + totals)

    def add(self, line: int, record: Json) -> None:
        """Read the next message. Raises InvalidInput."""
        role = mapping(record).get("role")
        if role == "system":
            self.about["system"] = text_of(record.get("content"))
        elif role == "assistant":
            self._answer(line, record)
        elif role in ("user", "tool"):
            self._observed(line, record)
        else:
            raise InvalidInput(f"the message has the role {role!r}; it is the system's, the user's, a tool's or none")

    def _answer(self, line: int, message: Given) -> None:
        blocks, calls = content_blocks(message.get("content")), tool_calls(message.get("tool_calls"))
        if not calls:
            blocks, calls = _with_action(line, message, blocks)
        self.add_response(line, [*blocks, *calls])
        self._waiting = [call["id"] for call in calls]

    def _observed(self, line: int, message: Given) -> None:
        """The task, what came of an action, or a demonstration."""
        named = message.get("tool_call_ids")
        call = named[0] if isinstance(named, list) and named and isinstance(named[0], str) else None
        call = call or (self._waiting[0] if self._waiting else None)
        if call is not None:
            self._waiting = [waiting for waiting in self._waiting if waiting != call]
            self.add_result(line, call, text_of(message.get("content")))
            return
        shown = message.get("is_demo") is True
        blocks = content_blocks(message.get("content"))
        self.add_message(line, blocks, SYNTHETIC if shown or self._asked else PLAIN)
        self._asked = self._asked or not shown


def _with_action(line: int, message: Given, blocks: list[Block]) -> tuple[list[Block], list[Block]]:
    """The thought and the action of an answer that has no calls; its blocks as they are where it has no action."""
    action, thought = message.get("action"), message.get("thought")
    if not isinstance(action, str) or not action or not isinstance(thought, str):
        return blocks, []
    return content_blocks(thought), [call_block(f"call-{line}", "shell", {"command": action})]
