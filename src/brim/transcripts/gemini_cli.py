"""Gemini CLI chats: one JSON value, or in newer versions JSON lines, each with the messages of a session.

An answer holds its calls and their results. A line may repeat a message that grew, or take back all from one on.
Compressions of the history are not recorded as such.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeAlias

from brim.errors import InvalidInput
from brim.transcripts.blocks import Block, Given, call_block, media_block, text_block, thinking_block
from brim.transcripts.reader import Reader, measured
from brim.transcripts.source import Json, Source, mapping, moment, objects, string

Numbered: TypeAlias = Sequence[tuple[int, Json]]


class GeminiCli(Reader):
    """The messages of a chat."""

    name = "gemini-cli"
    form = "Gemini CLI chat (JSON or JSON lines)"

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether its project and its session are named, or an answer of Gemini's is among it."""
        return any("projectHash" in record and "sessionId" in record for _, record in source.records) or any(
            mapping(message).get("type") == "gemini" for _, message in messages_of(source)
        )

    def records(self) -> Numbered:
        """Return the messages with their numbers."""
        return messages_of(self.source)

    def add(self, line: int, record: Json) -> None:
        """Read the next message; notices of the program are none. Raises InvalidInput."""
        kind = mapping(record).get("type")
        self.time = moment(mapping(record).get("timestamp"))
        if kind == "user":
            self.add_message(line, _blocks(record.get("content")))
        elif kind == "gemini":
            self._answer(line, record)
        elif isinstance(kind, str):
            self.left_out[f"{kind} notices"] += 1
        else:
            raise InvalidInput("no message with a type")

    def finish(self) -> None:
        """Note what the file cannot tell."""
        self.notes.append("Gemini CLI does not record when it compressed the history; a fall of what was read shows it")

    def _answer(self, line: int, message: Given) -> None:
        model = string(message.get("model"))
        calls = [call for call in objects(message.get("toolCalls")) if isinstance(call.get("name"), str)]
        named = [(string(call.get("id")) or f"call-{line}-{number}", call) for number, call in enumerate(calls)]
        thoughts = [f"**{one.get('subject')}**\n{one.get('description')}" for one in objects(message.get("thoughts"))]
        blocks = [thinking_block("\n\n".join(thoughts))] if thoughts else []
        blocks += _blocks(message.get("content") or "")
        blocks += [call_block(name, call["name"], call.get("args")) for name, call in named]
        if not blocks:
            self.left_out["answers without content"] += 1
            return
        self.add_response(line, blocks, usage=measured("gemini", message.get("tokens"), model), model=model)
        for name, call in named:
            self._result(line, name, call)

    def _result(self, line: int, name: str, call: Given) -> None:
        """Add a call's result; none where it has none, as of a call that was never run."""
        parts = objects(call.get("result"))
        answers = (mapping(part.get("functionResponse")).get("response") for part in parts)
        responses = [response for response in answers if isinstance(response, dict)]
        media = [block for part in parts if (block := _block(part)) is not None]
        if responses or media:
            text = "\n".join(_output(response) for response in responses)
            failed = call.get("status") in ("error", "cancelled") or any("error" in one for one in responses)
            self.add_result(line, name, [text_block(text), *media] if media else text, failed=failed)


def messages_of(source: Source) -> Numbered:
    """Return the messages with their numbers: in the list of a chat, or of their lines."""
    held = mapping(source.document).get("messages")
    if isinstance(held, list):
        return list(enumerate(held, 1))
    if source.document is not None and not source.records:
        return []
    kept: dict[str, tuple[int, Json]] = {}
    for line, record in source.records:
        if "$rewindTo" in record:
            names = list(kept)
            for gone in names[names.index(record["$rewindTo"]) :] if record["$rewindTo"] in names else ():
                del kept[gone]
        elif isinstance(record.get("type"), str) and "$set" not in record:
            name = str(record.get("id", f"line {line}"))
            kept[name] = (kept[name][0] if name in kept else line, record)
    return list(kept.values())


def _output(response: Given) -> str:
    """Return what a tool answered: its output or its error, else all of it as JSON."""
    told = next((response[name] for name in ("output", "error") if isinstance(response.get(name), str)), None)
    return told if told is not None else json.dumps(response, ensure_ascii=False)


def _blocks(content: Json) -> list[Block]:
    """Return the blocks of a content: a text, a part or a list of parts. Raises InvalidInput where there is none."""
    if isinstance(content, str):
        return [text_block(content)] if content else []
    parts = [content] if isinstance(content, dict) else content
    if not isinstance(parts, list):
        raise InvalidInput("a message without content")
    return [block for part in parts if (block := _block(part)) is not None]


def _block(part: Json) -> Block | None:
    text, data = (
        (part, {}) if isinstance(part, str) else (mapping(part).get("text"), mapping(mapping(part).get("inlineData")))
    )
    if isinstance(text, str):
        return text_block(text)
    return media_block(str(data.get("mimeType")), data["data"]) if isinstance(data.get("data"), str) else None
