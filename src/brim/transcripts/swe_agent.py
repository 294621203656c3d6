"""Trajectories of SWE-agent: the history of messages; the prompts that every step repeats are not read again.

Token counts are of the whole run alone. Where the model had no tools of the API's kind, its action is in the text,
and what came of it in the user's place: read are a call and its result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brim.conversation.messages import PLAIN, SYNTHETIC
from brim.errors import InvalidInput
from brim.transcripts.blocks import Block, Given, arguments, call_block, content_blocks, text_of, tool_calls
from brim.transcripts.builder import TranscriptBuilder
from brim.transcripts.source import Json, Source, mapping, string
from brim.transcripts.values import Transcript

NAME: Final = "swe-agent"
FORM: Final = "SWE-agent trajectory (JSON)"
TOTALS: Final = ("tokens_sent", "tokens_received", "api_calls")
NO_USAGE: Final = "SWE-agent records no tokens of single responses: what the window held is estimated"
USAGE: Final = "{} ({:,} sent and {:,} received in {:,} calls, all in all)"


def recognise(source: Source) -> bool:
    """Whether the file is a trajectory with its history."""
    held = source.document
    return isinstance(held, Mapping) and isinstance(held.get("history"), list) and "trajectory" in held


def read(source: Source) -> Transcript:
    """Read a trajectory; what is no message is skipped and counted."""
    reader = _SweAgentReader(source)
    reader.builder.read_each(enumerate(source.document["history"], 1), reader.add)
    info = mapping(source.document.get("info"))
    reader.builder.notes.append(_totals(info.get("model_stats")))
    version, model = string(info.get("swe_agent_version")), _model(source.document)
    return reader.builder.transcript(NAME, version=version, system=reader.system, model=model)


def _totals(stats: Json) -> str:
    numbers = [mapping(stats).get(name) for name in TOTALS]
    whole = all(type(number) is int for number in numbers)
    return USAGE.format(NO_USAGE, *numbers) if whole else NO_USAGE


def _model(held: Given) -> str | None:
    """The model that the configuration of the run names."""
    given = arguments(held.get("replay_config"))
    for name in ("agent", "model", "name"):
        given = mapping(given).get(name)
    return string(given)


class _SweAgentReader:
    """The history so far."""

    def __init__(self, source: Source) -> None:
        self.builder = TranscriptBuilder(source.damaged)
        self.system: str | None = None
        self._waiting: list[str] = []
        self._asked = False

    def add(self, line: int, message: Json) -> None:
        """Take in the next message. Raises InvalidInput."""
        role = mapping(message).get("role")
        if role == "system":
            self.system = text_of(message.get("content"))
        elif role == "assistant":
            self._answer(line, message)
        elif role in ("user", "tool"):
            self._observed(line, message)
        else:
            raise InvalidInput(f"the message has the role {role!r}; it is the system's, the user's, a tool's or none")

    def _answer(self, line: int, message: Given) -> None:
        blocks, calls = content_blocks(message.get("content")), tool_calls(message.get("tool_calls"))
        if not calls:
            blocks, calls = _with_action(line, message, blocks)
        self.builder.add_response(line, [*blocks, *calls])
        self._waiting = [call["id"] for call in calls]

    def _observed(self, line: int, message: Given) -> None:
        """The task, what came of an action, or a demonstration."""
        named = message.get("tool_call_ids")
        call = named[0] if isinstance(named, list) and named and isinstance(named[0], str) else None
        call = call or (self._waiting[0] if self._waiting else None)
        if call is not None:
            self._waiting = [waiting for waiting in self._waiting if waiting != call]
            self.builder.add_result(line, call, text_of(message.get("content")))
            return
        shown = message.get("is_demo") is True
        blocks = content_blocks(message.get("content"))
        self.builder.add_message(line, blocks, SYNTHETIC if shown or self._asked else PLAIN)
        self._asked = self._asked or not shown


def _with_action(line: int, message: Given, blocks: list[Block]) -> tuple[list[Block], list[Block]]:
    """The thought and the action of an answer that has no calls; its blocks as they are where it has no action."""
    action, thought = message.get("action"), message.get("thought")
    if not isinstance(action, str) or not action or not isinstance(thought, str):
        return blocks, []
    return content_blocks(thought), [call_block(f"call-{line}", "shell", {"command": action})]
