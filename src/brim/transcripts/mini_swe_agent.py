"""Trajectories of mini-swe-agent: plain messages, whose answers name one shell command each.

In the first form the command is in a fence inside the text, and its output comes back in the user's role:
read are a call of the shell and its result. In the second form calls and results are marked as such. The output of the
command that submits is recorded last: the agent never sent it, but it is the result of that call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from brim.conversation.messages import PLAIN, SYNTHETIC
from brim.errors import InvalidInput
from brim.transcripts.blocks import (
    Block,
    Given,
    call_block,
    content_blocks,
    first_message,
    text_block,
    text_of,
    thinking_block,
    tool_calls,
)
from brim.transcripts.reader import Reader, measured
from brim.transcripts.source import Json, Source, mapping, moment, string

COMMAND: Final = re.compile(r"```(?:bash|mswea_bash_command)[ \t]*\n(.*?)\n?```", re.DOTALL)
EXIT: Final = re.compile(r"\s*<returncode>\s*(?!0\s*<)-?\d+")


class MiniSweAgent(Reader):
    """The messages of a trajectory."""

    name = "mini-swe-agent"
    form = "mini-swe-agent trajectory (JSON)"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._waiting: list[str] = []
        """The calls that no result has answered yet."""
        self._asked = False
        self._info = mapping(source.document.get("info"))
        self._count = len(source.document["messages"])

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether the file is a trajectory that names its form, or this agent's version."""
        document = mapping(source.document)
        is_named = str(document.get("trajectory_format")).startswith("mini-swe-agent")
        return isinstance(document.get("messages"), list) and (
            is_named or "mini_version" in mapping(document.get("info"))
        )

    def records(self) -> Iterable[tuple[int, Json]]:
        """Return the messages with their numbers."""
        config = mapping(self._info.get("config"))
        self.about = {
            "version": string(self._info.get("mini_version")),
            "model": string(mapping(config.get("model")).get("model_name")),
            "folder": string(mapping(config.get("environment")).get("cwd")),
        }
        return enumerate(self.source.document["messages"], 1)

    def add(self, line: int, record: Json) -> None:
        """Read the next message. Raises InvalidInput."""
        role = mapping(record).get("role")
        self.time = moment(mapping(mapping(record).get("extra")).get("timestamp"))
        if role == "system":
            self.about["system"] = text_of(record.get("content"))
        elif role == "assistant":
            self._answer(line, record)
        elif role in ("user", "tool"):
            self._observed(line, record)
        elif isinstance(role, str):
            self.left_out[f"{role} messages"] += 1
        else:
            raise InvalidInput("no message with a role")

    def _answer(self, line: int, message: Given) -> None:
        response = mapping(mapping(message.get("extra")).get("response"))
        calls = tool_calls(message.get("tool_calls"))
        blocks = [*content_blocks(message.get("content")), *calls] if calls else _with_command(line, message)
        reasoning = first_message(response).get("reasoning")
        thought = [thinking_block(reasoning)] if isinstance(reasoning, str) and reasoning else []
        model = string(response.get("model"))
        usage, time = measured("openai", response.get("usage"), model), moment(response.get("created"))
        self.add_response(line, [*thought, *blocks], usage=usage, model=model, time=time)
        self._waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]

    def _observed(self, line: int, message: Given) -> None:
        """The task, what a command printed, or a word of the agent's own, such as that it found no command."""
        named = string(message.get("tool_call_id"))
        call = named or (self._waiting[0] if self._waiting else None)
        if call is None:
            blocks = content_blocks(message.get("content"))
            is_end = line == self._count and self._info.get("exit_status") is not None
            sent = not (self._asked and is_end and self._info.get("submission") == text_of(message.get("content")))
            # what the run ended with, such as its limit, is never sent
            self.add_message(line, blocks, SYNTHETIC if self._asked else PLAIN).sent = sent
            self._asked = True
            return
        self._waiting = [waiting for waiting in self._waiting if waiting != call]
        text = text_of(message.get("content"))
        self.add_result(line, call, text, failed=EXIT.match(text) is not None)


def _with_command(line: int, message: Given) -> list[Block]:
    """An answer's text, its one command taken out as a call; the whole text where there is not exactly one."""
    text = text_of(message.get("content"))
    found: Sequence[re.Match[str]] = list(COMMAND.finditer(text))
    if len(found) != 1:
        return [text_block(text)] if text else []
    around = (text[: found[0].start()].rstrip() + text[found[0].end() :].rstrip()).strip()
    call = call_block(f"call-{line}", "bash", {"command": found[0][1]})
    return [text_block(around), call] if around else [call]
