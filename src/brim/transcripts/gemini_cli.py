"""Gemini CLI chats: one JSON value, or in newer versions JSON lines, each with the messages of a session.

An answer holds its calls and their results. A line may repeat a message that grew, or take back all from one on.
Compressions of the history are not recorded as such.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from brim.errors import InvalidInput
from brim.transcripts.blocks import Block, Given, call_block, media_block, text_block, thinking_block
from brim.transcripts.builder import TranscriptBuilder, measured
from brim.transcripts.source import Json, Source, mapping, moment, objects, string
from brim.transcripts.values import Transcript

NAME: Final = "gemini-cli"
FORM: Final = "Gemini CLI chat (JSON or JSON lines)"
NO_COMPRESSIONS: Final = "Gemini CLI does not record when it compressed the history; a fall of what was read shows it"
FAILED: Final = ("error", "cancelled")
Numbered: TypeAlias = Sequence[tuple[int, Json]]


def recognise(source: Source) -> bool:
    """Whether the file is a chat: its project and its session are named, or an answer of Gemini's is among it."""
    return any("projectHash" in record and "sessionId" in record for _, record in source.records) or any(
        isinstance(message, Mapping) and message.get("type") == "gemini" for _, message in messages_of(source)
    )


def read(source: Source) -> Transcript:
    """Read a chat; what is no message is skipped and counted."""
    builder = TranscriptBuilder(source.damaged)
    builder.read_each(messages_of(source), lambda line, message: _add(builder, line, message))
    builder.notes.append(NO_COMPRESSIONS)
    return builder.transcript(NAME)


def messages_of(source: Source) -> Numbered:
    """The messages with their numbers: in the list of a chat, or of their lines."""
    held = mapping(source.document).get("messages")
    if isinstance(held, list):
        return list(enumerate(held, 1))
    if source.document is not None and not source.records:
        return []
    kept: dict[str, tuple[int, Json]] = {}
    for line, record in source.records:
        if "$rewindTo" in record:
            _rewind(kept, record["$rewindTo"])
        elif isinstance(record.get("type"), str) and "$set" not in record:
            name = str(record.get("id", f"line {line}"))
            kept[name] = (kept[name][0] if name in kept else line, record)
    return list(kept.values())


def _rewind(kept: dict[str, tuple[int, Json]], name: Json) -> None:
    """Take back a message and all that follow it."""
    names = list(kept)
    if isinstance(name, str) and name in kept:
        for gone in names[names.index(name) :]:
            del kept[gone]


def _add(builder: TranscriptBuilder, line: int, message: Json) -> None:
    """Read the next message; notices of the program are none."""
    kind = mapping(message).get("type")
    builder.time = moment(mapping(message).get("timestamp"))
    if kind == "user":
        builder.add_message(line, _blocks(message.get("content")))
    elif kind == "gemini":
        _answer(builder, line, message)
    elif isinstance(kind, str):
        builder.left_out[f"{kind} notices"] += 1
    else:
        raise InvalidInput("no message with a type")


def _answer(builder: TranscriptBuilder, line: int, message: Given) -> None:
    model = string(message.get("model"))
    calls = [call for call in objects(message.get("toolCalls")) if isinstance(call.get("name"), str)]
    blocks = [*_thoughts(message.get("thoughts")), *_blocks(message.get("content") or "")]
    named = [(_name(call, line, number), call) for number, call in enumerate(calls)]
    blocks += [call_block(name, call["name"], call.get("args")) for name, call in named]
    if not blocks:
        builder.left_out["answers without content"] += 1
        return
    builder.add_response(line, blocks, usage=measured("gemini", message.get("tokens"), model), model=model)
    for name, call in named:
        _result(builder, line, name, call)


def _result(builder: TranscriptBuilder, line: int, name: str, call: Given) -> None:
    """A call's result; none where it has none, as of a call that was never run."""
    parts = objects(call.get("result"))
    answers = [mapping(part.get("functionResponse")) for part in parts]
    told = [answer["response"] for answer in answers if isinstance(answer.get("response"), Mapping)]
    media = [block for part in parts if (block := _block(part)) is not None]
    if not told and not media:
        return
    text = "\n".join(_output(response) for response in told)
    failed = call.get("status") in FAILED or any("error" in response for response in told)
    builder.add_result(line, name, [text_block(text), *media] if media else text, failed=failed)


def _name(call: Given, line: int, number: int) -> str:
    return string(call.get("id")) or f"call-{line}-{number}"


def _output(response: Given) -> str:
    """What a tool answered: its output or its error, else all of it as JSON."""
    told = next((response[name] for name in ("output", "error") if isinstance(response.get(name), str)), None)
    return told if told is not None else json.dumps(response, ensure_ascii=False)


def _thoughts(given: Json) -> list[Block]:
    texts = [f"**{one.get('subject')}**\n{one.get('description')}" for one in objects(given)]
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
    data = mapping(part.get("inlineData"))
    if isinstance(data.get("data"), str):
        return media_block(str(data.get("mimeType")), data["data"])
    return None
