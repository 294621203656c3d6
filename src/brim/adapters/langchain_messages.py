"""LangChain's messages to and from brim's, and summaries by a chat model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final
from uuid import uuid4

from langchain_core.exceptions import ContextOverflowError, ModelError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import TAG_NOSTREAM

from brim.adapters import content_blocks
from brim.adapters.compacting import AgentConversation
from brim.adapters.content_blocks import Block
from brim.conversation.messages import Message, ToolCall
from brim.conversation.tool_pairs import results_of
from brim.errors import InvalidInput, described
from brim.pruning.tool_outputs import is_cleared
from brim.summary.summarizer_input import Failure, OnText, SummaryAnswer, SummaryRequest
from brim.tokens.usage import TokenUsage, normalize

IMAGES: Final = frozenset({"image", "image_url", "input_image"})
FILES: Final = frozenset({"file", "input_file", "document", "text-plain", "audio", "input_audio", "video", "media"})
THINKING: Final = frozenset({"thinking", "redacted_thinking", "reasoning"})
CALLS: Final = frozenset({"tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call"})
"""Calls among the content; the message holds them once more, in one form for all providers."""
SOURCE: Final = {"lc_source": "summarization"}
"""LangChain's own mark of a summary, for interfaces that show them (CMP_06)."""
STOP_REASONS: Final = ("stop_reason", "finish_reason", "done_reason")
"""The fields in which the providers' packages report why the model stopped."""


def read(messages: Sequence[BaseMessage]) -> list[Block]:
    """Read one message of brim for each; LangChain's are measured and rendered by it, never rebuilt from it."""
    return [_read(index, message) for index, message in enumerate(messages)]


def _read(index: int, message: BaseMessage) -> Block:
    role, blocks = "user", list(_blocks(message.content))
    named = getattr(message, "role", message.type)
    if isinstance(message, ToolMessage):
        blocks = [content_blocks.result(message.tool_call_id, blocks, failed=message.status == "error")]
    elif isinstance(message, AIMessage):
        role, blocks = "assistant", [*blocks, *_calls(index, message)]
    elif named in {"assistant", "ai"}:
        role = "assistant"
    elif named not in {"human", "user"}:
        marks = {"synthetic": True, "pinned": named == "system"}
        return {"role": role, "content": blocks, "marks": marks}
    return {"role": role, "content": blocks}


def _calls(index: int, message: AIMessage) -> Iterator[Block]:
    """Yield the calls, unreadable ones among them: a result may answer them."""
    for n, one in enumerate(message.tool_calls):
        call_id = one["id"] or f"without id {index}.{n}"
        yield {"type": "tool_use", "id": call_id, "name": one["name"], "input": one["args"]}
    for bad in message.invalid_tool_calls:
        if bad["id"]:
            arguments = {"unreadable": bad["args"]}
            yield {"type": "tool_use", "id": bad["id"], "name": bad["name"] or "", "input": arguments}


def _blocks(content: str | Sequence[str | Mapping[str, Any]]) -> Iterator[Block]:
    for item in [content] if isinstance(content, str) else content:
        if isinstance(item, str):
            yield from content_blocks.text(item)
            continue
        kind = item.get("type")
        if kind == "text" and isinstance(item.get("text"), str):
            yield from content_blocks.text(item["text"])
        elif kind in THINKING:
            yield {"type": "thinking", "thinking": str(item.get("thinking") or item.get("reasoning") or "")}
        elif kind in IMAGES or kind in FILES:
            yield _media(item, str(kind))
        elif kind not in CALLS:
            yield {"type": "other", "item": item}


def _media(item: Mapping[str, Any], kind: str) -> Block:
    source = item.get("source")
    fields = source if isinstance(source, Mapping) else item
    media_type = str(fields.get("media_type") or fields.get("mime_type") or kind)
    name = item.get("title") or item.get("filename") or item.get("name") or ""
    image = item.get("image_url", fields.get("url"))
    address = image.get("url") if isinstance(image, Mapping) else image
    return content_blocks.media("image" if kind in IMAGES else "document", media_type, address, title=str(name))


def restore(originals: Sequence[AnyMessage], conversation: AgentConversation) -> list[AnyMessage]:
    """Build what is sent; what was kept is the caller's own message objects, with their ids.

    Copies under the same id are those that pruning cleared (PRN_07), that lost their thinking (CNV_06), or a call
    that cannot be sent (CNV_04). New are the summary, the continuation and the results of calls that had none.
    """
    new: list[AnyMessage] = []
    for message in conversation.window.messages if conversation.window else ():
        if message.key is None:
            new.extend(_written(message, originals, conversation))
        else:
            original = originals[message.key]
            new.append(original if conversation.is_unchanged(message) else _changed(original, message))
    return new


def _written(
    message: Message, originals: Sequence[AnyMessage], conversation: AgentConversation
) -> Iterator[AnyMessage]:
    """Yield LangChain's form of a message that brim wrote."""
    results = results_of(message)
    for result in results:
        index = conversation.index_of_result(result)
        if index is not None:
            yield originals[index]
        else:
            yield ToolMessage(result.text, tool_call_id=result.call_id, status="error", id=str(uuid4()))
    if not results:
        kind = AIMessage if message.role == "assistant" else HumanMessage
        yield kind(message.text, id=str(uuid4()), additional_kwargs=SOURCE)


def _changed(original: AnyMessage, message: Message) -> AnyMessage:
    """Copy a message without what brim left out."""
    if isinstance(original, ToolMessage):
        cleared = [result.text for result in results_of(message) if is_cleared(result)]
        return original.model_copy(update={"content": cleared[0]}) if cleared else original
    update: dict[str, Any] = {}
    if isinstance(original, AIMessage):
        calls = {part.id for part in message.parts if isinstance(part, ToolCall)}
        kept = [one for one in original.tool_calls if not one["id"] or one["id"] in calls]
        update = {"tool_calls": list({one["id"] or id(one): one for one in kept}.values())}
    if not isinstance(original.content, str):
        update["content"] = [one for one in original.content if isinstance(one, str) or one.get("type") not in THINKING]
    return original.model_copy(update=update)


def usage_of(response: BaseMessage) -> TokenUsage | None:
    """Read the usage of a response: the input counts the cached part too, the output the reasoning (TOK_02).

    Raises InvalidInput.
    """
    reported = response.usage_metadata if isinstance(response, AIMessage) else None
    if not reported:
        return None
    return normalize("langchain", reported)


class LangChainSummarizer:
    """Asks a chat model; LangGraph's tag keeps its tokens out of what is streamed to the user."""

    def __init__(self, model: BaseChatModel) -> None:
        self._model = model

    def summarize(self, request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """Ask once."""
        try:
            answer = self._model.invoke(_messages(request), _config())
        except Exception as error:  # noqa: BLE001 -- each provider's package has errors of its own
            return _failed(error)
        return _answer(answer, on_text)

    async def asummarize(self, request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """Ask once, in an event loop."""
        try:
            answer = await self._model.ainvoke(_messages(request), _config())
        except Exception as error:  # noqa: BLE001 -- as above
            return _failed(error)
        return _answer(answer, on_text)


def _config() -> RunnableConfig:
    """Keep the summarizer's tokens out of the stream that the user reads (ADP_08)."""
    return {"metadata": {**SOURCE}, "tags": [TAG_NOSTREAM]}


def _messages(request: SummaryRequest) -> list[AnyMessage]:
    """Write the request's dictionaries, which hold texts alone: an adapter's summaries are rendered (ADP_09)."""
    kinds: dict[str, type[HumanMessage | AIMessage]] = {"user": HumanMessage, "assistant": AIMessage}
    messages: list[AnyMessage] = [kinds[raw["role"]](raw["content"]) for raw in request.messages]
    return [SystemMessage(request.system), *messages] if request.system else messages


def _answer(answer: BaseMessage, on_text: OnText) -> SummaryAnswer:
    on_text(answer.text)
    metadata: dict[str, Any] = answer.response_metadata
    stop = next((str(metadata[name]) for name in STOP_REASONS if metadata.get(name)), None)
    usage = None
    with suppress(InvalidInput):  # the summary is as good without
        usage = usage_of(answer)
    model = str(metadata.get("model_name") or metadata.get("model") or "")
    return SummaryAnswer(text=answer.text, stop_reason=stop and stop.lower(), model=model, usage=usage)


def _failed(error: Exception) -> SummaryAnswer:
    """Answer with a failure; waiting may resolve each that LangChain does not know to be permanent (SUM_05)."""
    failure: Failure = "permanent" if isinstance(error, ModelError) and not error.is_retryable else "transient"
    if isinstance(error, ContextOverflowError):
        failure = "prompt_too_long"
    return SummaryAnswer(failure=failure, reason=described(error))
