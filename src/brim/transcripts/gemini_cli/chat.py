"""The messages of a Gemini CLI chat as a dialogue."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final

from brim.errors import InvalidInput
from brim.transcripts.accumulator import Told, measured
from brim.transcripts.blocks import Block, Given, call_block, media_block, text_block, thinking_block
from brim.transcripts.decoding import Json, moment, string
from brim.transcripts.dialogue import Dialogue
from brim.transcripts.values import Damaged

FAILED: Final = ("error", "cancelled")


class Chat:
    """The messages so far."""

    def __init__(self, damaged: Iterable[Damaged]) -> None:
        self.dialogue = Dialogue(damaged)

    def add(self, line: int, message: Json) -> None:
        """Take in the next message; notices of the program are none."""
        kind = message.get("type") if isinstance(message, Mapping) else None
        self.dialogue.time = moment(message.get("timestamp")) if isinstance(message, Mapping) else None
        try:
            if kind == "user":
                self.dialogue.say(line, _blocks(message.get("content")))
            elif kind == "gemini":
                self._answer(line, message)
            elif isinstance(kind, str):
                self.dialogue.left_out[f"{kind} notices"] += 1
            else:
                self.dialogue.harm(line, "no message with a type")
        except InvalidInput as error:
            self.dialogue.harm(line, str(error))

    def _answer(self, line: int, message: Given) -> None:
        model = string(message.get("model"))
        calls = [call for call in _list(message.get("toolCalls")) if isinstance(call.get("name"), str)]
        blocks = [*_thoughts(message.get("thoughts")), *_blocks(message.get("content") or "")]
        named = [(_name(call, line, number), call) for number, call in enumerate(calls)]
        blocks += [call_block(name, call["name"], call.get("args")) for name, call in named]
        if not blocks:
            self.dialogue.left_out["answers without content"] += 1
            return
        told = Told(measured("gemini", message.get("tokens"), model), model)
        self.dialogue.put(self.dialogue.answer(line, told), blocks)
        for name, call in named:
            self._result(line, name, call)

    def _result(self, line: int, name: str, call: Given) -> None:
        """A call's result; none where it has none, as of a call that was never run."""
        parts = _list(call.get("result"))
        answers = [part["functionResponse"] for part in parts if isinstance(part.get("functionResponse"), Mapping)]
        told = [answer["response"] for answer in answers if isinstance(answer.get("response"), Mapping)]
        media = [block for part in parts if (block := _block(part)) is not None]
        if not told and not media:
            return
        text = "\n".join(_output(response) for response in told)
        failed = call.get("status") in FAILED or any("error" in response for response in told)
        self.dialogue.result(line, name, [text_block(text), *media] if media else text, failed=failed)


def _name(call: Given, line: int, number: int) -> str:
    return string(call.get("id")) or f"call-{line}-{number}"


def _list(given: Json) -> list[Given]:
    return [item for item in given if isinstance(item, Mapping)] if isinstance(given, list) else []


def _output(response: Given) -> str:
    """What a tool answered: its output or its error, else all of it as JSON."""
    told = next((response[name] for name in ("output", "error") if isinstance(response.get(name), str)), None)
    return told if told is not None else json.dumps(response, ensure_ascii=False)


def _thoughts(given: Json) -> list[Block]:
    texts = [f"**{one.get('subject')}**\n{one.get('description')}" for one in _list(given)]
    return [thinking_block("\n\n".join(texts))] if texts else []


def _blocks(content: Json) -> list[Block]:
    """The blocks of a content: a text, a part or a list of parts. Raises InvalidInput where there is none."""
    if isinstance(content, str):
        return [text_block(content)] if content else []
    parts = [content] if isinstance(content, Mapping) else content
    if not isinstance(parts, list):
        raise InvalidInput("a message without content")
    return [block for part in parts if (block := _block(part)) is not None]


def _block(part: Json) -> Block | None:
    if isinstance(part, str):
        return text_block(part)
    if not isinstance(part, Mapping):
        return None
    if isinstance(part.get("text"), str):
        return text_block(part["text"])
    data = part.get("inlineData")
    if isinstance(data, Mapping) and isinstance(data.get("data"), str):
        return media_block(str(data.get("mimeType")), data["data"])
    return None
