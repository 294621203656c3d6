"""LangChain's messages as brim reads them, and what brim makes of them as LangChain's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.ai import UsageMetadata

from brim.adapters import places
from brim.adapters.places import Block, place_of, read_placed
from brim.compaction.result import Compaction
from brim.conversation.messages import Message, ToolCall, ToolResult
from brim.tokens.usage import TokenUsage

IMAGES: Final = frozenset({"image", "image_url", "input_image"})
FILES: Final = frozenset({"file", "input_file", "document", "text-plain", "audio", "input_audio", "video", "media"})
THOUGHTS: Final = frozenset({"thinking", "redacted_thinking", "reasoning"})
CALLS: Final = frozenset({"tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call"})
"""Calls among the content; the message tells them once more, in one form for all providers."""
SOURCE: Final = {"lc_source": "summarization"}
"""As LangChain marks its own summaries, for whoever shows them (CMP_06)."""


def read(messages: Sequence[BaseMessage]) -> list[Message]:
    """One message of brim for each; what LangChain's hold is measured and told by it, never rebuilt from it."""
    return [_read(place, message) for place, message in enumerate(messages)]


def _read(place: int, message: BaseMessage) -> Message:
    if isinstance(message, ToolMessage):
        answer = places.result(message.tool_call_id, list(_blocks(message.content)), failed=message.status == "error")
        return read_placed(place, "user", [answer])
    blocks = list(_blocks(message.content))
    if isinstance(message, AIMessage):
        return read_placed(place, "assistant", [*blocks, *_calls(place, message)])
    role = getattr(message, "role", message.type)
    if role in {"assistant", "ai"}:
        return read_placed(place, "assistant", blocks)
    return read_placed(place, "user", blocks, synthetic=role not in {"human", "user"}, pinned=role == "system")


def _calls(place: int, message: AIMessage) -> Iterator[Block]:
    """The calls, those that could not be read too: a result may answer them."""
    for n, one in enumerate(message.tool_calls):
        yield places.call(one["id"] or f"without id {place}.{n}", one["name"], one["args"])
    for bad in message.invalid_tool_calls:
        if bad["id"]:
            yield places.call(bad["id"], bad["name"] or "", {"unreadable": bad["args"]})


def _blocks(content: str | Sequence[str | Mapping[str, Any]]) -> Iterator[Block]:
    for item in [content] if isinstance(content, str) else content:
        if isinstance(item, str):
            yield from places.text(item)
        else:
            yield from _block(item)


def _block(item: Mapping[str, Any]) -> Iterator[Block]:
    kind = item.get("type")
    if kind == "text" and isinstance(item.get("text"), str):
        yield from places.text(item["text"])
    elif kind in THOUGHTS:
        yield places.thinking(str(item.get("thinking") or item.get("reasoning") or ""))
    elif kind in IMAGES or kind in FILES:
        yield _media(item, str(kind))
    elif kind not in CALLS:
        yield places.other(item)


def _media(item: Mapping[str, Any], kind: str) -> Block:
    source = item.get("source")
    about = source if isinstance(source, Mapping) else item
    media_type = str(about.get("media_type") or about.get("mime_type") or kind)
    name = item.get("title") or item.get("filename") or item.get("name") or ""
    return places.media("image" if kind in IMAGES else "document", media_type, title=str(name))


def restore(originals: Sequence[AnyMessage], read_as: Sequence[Message], compaction: Compaction) -> list[AnyMessage]:
    """The new conversation: what was kept is the very messages that came in, with their ids.

    Copies under the same id are those that pruning cleared (PRN_07), that lost their thinking (CNV_06), or a call
    that cannot be sent (CNV_04). New are the summary, the continuation and the results of calls that had none.
    """
    moved = places.answers_of(read_as)
    new: list[AnyMessage] = []
    for message in compaction.conversation:
        place = place_of(message)
        if place is None:
            new.extend(_written(message, originals, moved))
        else:
            new.append(originals[place] if message is read_as[place] else _changed(originals[place], message))
    return new


def _written(message: Message, originals: Sequence[AnyMessage], moved: Mapping[int, int]) -> Iterator[AnyMessage]:
    """What brim wrote itself."""
    answers = [part for part in message.parts if isinstance(part, ToolResult)]
    for part in answers:
        at = moved.get(id(part.raw))
        yield (
            originals[at]
            if at is not None
            else ToolMessage(part.text, tool_call_id=part.call_id, status="error", id=str(uuid4()))
        )
    if not answers and message.role == "assistant":
        yield AIMessage(message.text, id=str(uuid4()), additional_kwargs=SOURCE)
    elif not answers:
        yield HumanMessage(message.text, id=str(uuid4()), additional_kwargs=SOURCE)


def _changed(original: AnyMessage, message: Message) -> AnyMessage:
    """A copy that lacks what brim left out."""
    if isinstance(original, ToolMessage):
        answer = places.results_in(message).get(original.tool_call_id)
        cleared = answer is not None and places.is_cleared(answer)
        return original.model_copy(update={"content": answer.text}) if answer and cleared else original
    update: dict[str, Any] = {}
    if isinstance(original, AIMessage):
        calls = {part.id for part in message.parts if isinstance(part, ToolCall)}
        kept = [one for one in original.tool_calls if not one["id"] or one["id"] in calls]
        update = {"tool_calls": list({one["id"] or id(one): one for one in kept}.values())}
    if not isinstance(original.content, str):
        update["content"] = [item for item in original.content if isinstance(item, str) or not _is_thought(item)]
    return original.model_copy(update=update)


def _is_thought(item: Mapping[str, Any]) -> bool:
    return item.get("type") in THOUGHTS


def usage_of(reported: UsageMetadata | None) -> TokenUsage | None:
    """What a response reported: the input tells the cached part too, the output the reasoning (TOK_02)."""
    if not reported:
        return None
    details = reported.get("input_token_details", {})
    cached = min(max(details.get("cache_read", 0) or 0, 0), reported["input_tokens"])
    read_anew = reported["input_tokens"] - cached
    written = min(max(details.get("cache_creation", 0) or 0, 0), read_anew)
    return TokenUsage(input=read_anew, cache_read=cached, output=reported["output_tokens"], cache_write=written)
