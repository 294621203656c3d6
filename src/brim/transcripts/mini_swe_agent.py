"""Trajectories of mini-swe-agent: plain messages, whose answers name one shell command each.

In the first form the command is in a fence inside the text, and its output comes back in the user's role:
read are a call of the shell and its result. In the second form calls and results are marked as such. The output of the
command that submits is recorded last: the agent never sent it, but it is the result of that call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
from brim.transcripts.builder import TranscriptBuilder, measured
from brim.transcripts.source import Json, Source, mapping, moment, string
from brim.transcripts.values import Transcript

NAME: Final = "mini-swe-agent"
FORM: Final = "mini-swe-agent trajectory (JSON)"
COMMAND: Final = re.compile(r"```(?:bash|mswea_bash_command)[ \t]*\n(.*?)\n?```", re.DOTALL)
EXIT: Final = re.compile(r"\s*<returncode>\s*(?!0\s*<)-?\d+")


def recognise(source: Source) -> bool:
    """Whether the file is a trajectory that names its form, or this agent's version."""
    held = source.document
    if not isinstance(held, Mapping) or not isinstance(held.get("messages"), list):
        return False
    return str(held.get("trajectory_format")).startswith("mini-swe-agent") or "mini_version" in _info(source)


def read(source: Source) -> Transcript:
    """Read a trajectory; what is no message is skipped and counted."""
    reader = _MiniReader(source)
    reader.builder.read_each(enumerate(source.document["messages"], 1), reader.add)
    info = _info(source)
    return reader.builder.transcript(
        NAME,
        version=string(info.get("mini_version")),
        system=reader.system,
        model=_configured(info, "model", "model_name"),
        folder=_configured(info, "environment", "cwd"),
    )


def _info(source: Source) -> Given:
    return mapping(source.document.get("info"))


def _configured(info: Given, part: str, name: str) -> str | None:
    """A value of the run's configuration; None where it is no text."""
    return string(mapping(mapping(info.get("config")).get(part)).get(name))


class _MiniReader:
    """The messages so far."""

    def __init__(self, source: Source) -> None:
        self.builder = TranscriptBuilder(source.damaged)
        self.system: str | None = None
        self._waiting: list[str] = []
        """The calls that no result has answered yet."""
        self._asked = False
        self._info = _info(source)
        self._ends = len(source.document["messages"])

    def add(self, line: int, message: Json) -> None:
        """Take in the next message. Raises InvalidInput."""
        role = mapping(message).get("role")
        self.builder.time = moment(mapping(mapping(message).get("extra")).get("timestamp"))
        if role == "system":
            self.system = text_of(message.get("content"))
        elif role == "assistant":
            self._answer(line, message)
        elif role in ("user", "tool"):
            self._observed(line, message)
        elif isinstance(role, str):
            self.builder.left_out[f"{role} messages"] += 1
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
        self.builder.add_response(line, [*thought, *blocks], usage=usage, model=model, time=time)
        self._waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]

    def _observed(self, line: int, message: Given) -> None:
        """The task, what a command printed, or a word of the agent's own, such as that it found no command."""
        named = string(message.get("tool_call_id"))
        call = named or (self._waiting[0] if self._waiting else None)
        if call is None:
            blocks = content_blocks(message.get("content"))
            sent = not (self._asked and self._is_end(line, text_of(message.get("content"))))
            self.builder.add_message(line, blocks, SYNTHETIC if self._asked else PLAIN, sent=sent)
            self._asked = True
            return
        self._waiting = [waiting for waiting in self._waiting if waiting != call]
        text = text_of(message.get("content"))
        self.builder.add_result(line, call, text, failed=EXIT.match(text) is not None)

    def _is_end(self, line: int, text: str) -> bool:
        """Whether a text of the agent's own is what the run ended with, such as its limit: it never sends that."""
        return self._ends == line and self._info.get("exit_status") is not None and self._info.get("submission") == text


def _with_command(line: int, message: Given) -> list[Block]:
    """An answer's text, its one command taken out as a call; the whole text where there is not exactly one."""
    text = text_of(message.get("content"))
    found: Sequence[re.Match[str]] = list(COMMAND.finditer(text))
    if len(found) != 1:
        return [text_block(text)] if text else []
    around = (text[: found[0].start()].rstrip() + text[found[0].end() :].rstrip()).strip()
    call = call_block(f"call-{line}", "bash", {"command": found[0][1]})
    return [text_block(around), call] if around else [call]
