"""Messages of pydantic-ai to and from brim's, and summaries by a model or an agent.

pydantic-ai merges neighboring requests at the beginning of a run, so that one request may hold what was several
messages. A message is therefore read in units: brim's own summary in a request is one, the user's text behind it
another. A kept message is the caller's own object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from operator import is_
from typing import Any, Final, cast

from pydantic_ai import Agent
from pydantic_ai import messages as pai
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import ModelContextWindowExceededError, ModelHTTPError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model

from brim.adapters import content_blocks
from brim.adapters.compacting import AgentConversation
from brim.adapters.content_blocks import Block
from brim.anthropic.errors import FIRST_FAILURE, RETRYABLE_STATUSES
from brim.conversation.messages import Message, ToolCall, ToolResult, is_continuation, recognized_marks
from brim.conversation.tool_pairs import results_of
from brim.errors import InvalidInput, described
from brim.pruning.tool_outputs import is_cleared
from brim.summary.summarizer_input import Failure, OnText, SummaryAnswer, SummaryRequest
from brim.tokens.usage import TokenUsage, normalize

FAILED: Final = frozenset({"failed", "retried"})
"""The outcomes of a tool that a provider receives as an error."""
KEEPS_TOOLS: Final = frozenset({"tool-search", "capability-load"})
"""Tools whose results pydantic-ai reads again from the history: the tools that they found are lost with them."""
CARRIED: Final = frozenset(
    {"system-prompt", "tool-availability-delta", "capability-load-delta", "model-settings-delta"}
)
"""Parts of a request that are no message: the system prompt, and the set-up of the run (CNV_08)."""


def is_written_by_brim(part: Any) -> bool:
    """Return whether it is a summary, or the continuation behind one."""
    return isinstance(part, pai.CompactionPart) or (
        isinstance(part, UserPromptPart) and isinstance(part.content, str) and recognized_marks(part.content).synthetic
    )


def _read(message: ModelMessage, parts: Sequence[Any]) -> Block:
    """Read the parts of a message that are one of brim's."""
    blocks = [block for part in parts for block in _blocks(part)]
    if isinstance(message, ModelResponse):
        pinned = any(getattr(part, "tool_kind", None) in KEEPS_TOOLS for part in parts)
        return {"role": "assistant", "content": blocks, "marks": {"pinned": pinned}}
    [part] = parts
    summary = isinstance(part, pai.CompactionPart)
    synthetic = not isinstance(part, (UserPromptPart, pai.SpeechPart))
    marks = {"synthetic": synthetic, "summary": summary, "pinned": getattr(part, "tool_kind", None) in KEEPS_TOOLS}
    return {"role": "user", "content": blocks, "marks": marks}


def _units(message: ModelMessage) -> list[list[int]]:
    """Return the parts that are one message of brim's each: all of a response, one of a request."""
    if isinstance(message, ModelResponse):
        return [[*range(len(message.parts))]]
    kinds = [part.part_kind for part in message.parts]
    return [[n] for n, kind in enumerate(kinds) if kind not in CARRIED and not kind.startswith("instruction-")]


def _blocks(part: Any) -> Iterator[Block]:  # noqa: C901 -- one case a kind
    match part:
        case UserPromptPart(content=str(words)) | TextPart(content=words):
            yield from content_blocks.text(words)
        case UserPromptPart(content=items):
            yield from (block for item in items for block in _item(item))
        case ThinkingPart(content=words):
            yield {"type": "thinking", "thinking": words}
        case ToolCallPart():
            arguments = part.args_as_dict()
            yield {"type": "tool_use", "id": part.tool_call_id, "name": part.tool_name, "input": arguments}
        case ToolReturnPart():
            yield _result(part)
        case pai.CompactionPart(content=str(words)) | pai.SpeechPart(transcript=str(words)):
            yield from content_blocks.text(words)
        case pai.FilePart(content=file):
            yield from _item(file)
        case pai.SpeechPart(audio=audio) if audio is not None:
            yield from _item(audio)
        case _ if part.part_kind == "retry-prompt" and part.tool_name is not None:  # the older form of a retry
            yield content_blocks.result(part.tool_call_id, part.model_response(), failed=True)
        case _ if part.part_kind == "retry-prompt" or isinstance(part, pai.RetryFeedbackPart):
            yield from content_blocks.text(part.model_response())
        case _:
            yield {"type": "other", "item": part}


def _result(part: ToolReturnPart) -> Block:
    words = part.model_response_str(wrap_if_error=False)
    files = [block for item in part.files for block in _item(item)]
    content = [*content_blocks.text(words), *files] if files else words
    return content_blocks.result(part.tool_call_id, content, failed=part.outcome in FAILED)


def _item(item: Any) -> Iterator[Block]:
    if isinstance(item, (str, pai.TextContent)):
        yield from content_blocks.text(item if isinstance(item, str) else item.content)
    elif not isinstance(item, pai.CachePoint):
        media_type = str(getattr(item, "media_type", "") or item.kind)
        picture = isinstance(item, pai.ImageUrl) or media_type.startswith("image/")
        title = str(getattr(item, "identifier", ""))
        address = getattr(item, "url", None)
        yield content_blocks.media("image" if picture else "document", media_type, address, title=title)


class AgentHistory:
    """A history, and brim's message for each unit of it; what holds nothing to send is no unit."""

    def __init__(self, messages: Sequence[ModelMessage]) -> None:
        self.messages = messages
        self.units: list[tuple[int, list[int]]] = []
        """For each unit, the index of its message and those of the parts in it."""
        self.read: list[Block] = []
        """Each as a dictionary of brim's."""
        self._unit_of: dict[tuple[int, int], int] = {}
        """The unit of each part, by the index of its message and its own."""
        for index, message in enumerate(messages):
            for parts in _units(message):
                unit = _read(message, [message.parts[n] for n in parts])
                if unit["content"]:
                    self._unit_of |= {(index, n): len(self.units) for n in parts}
                    self.units.append((index, parts))
                    self.read.append(unit)

    def message_of(self, unit: int) -> ModelMessage:
        """Return the message that a unit is of."""
        return self.messages[self.units[unit][0]]

    def before(self, unit: int) -> Sequence[ModelMessage]:
        """Return the messages before the one that a unit is of."""
        return self.messages[: self.units[unit][0]]

    def sent(self, conversation: AgentConversation) -> list[ModelMessage]:
        """Return the history that is sent.

        Copies are those that pruning cleared (PRN_07) and those that lost their thinking (CNV_06) or a call that
        cannot be sent (CNV_04). New are the summary, the continuation, the results of calls that had none, and first of
        all a request with the system prompt of removed messages (CNV_08). A last request that says nothing stays: it is
        the one that pydantic-ai sends.
        """
        new: list[ModelMessage] = []
        for index, group in groupby(conversation.window.messages if conversation.window else (), self._index_of):
            if index is None:
                for message in group:
                    self._write(message, new, conversation)
            else:
                new.append(self._kept(index, {message.key: message for message in group}, conversation, first=not new))
        last = self.messages[-1]
        if isinstance(last, ModelRequest) and self.units[-1][0] != len(self.messages) - 1:
            new.append(replace(last, parts=[part for part in last.parts if part.part_kind not in CARRIED]))
        present = {id(part) for message in new for part in message.parts}
        parts = (part for message in self.messages for part in message.parts)
        carried: list[Any] = [part for part in parts if part.part_kind in CARRIED and id(part) not in present]
        return [ModelRequest(carried), *new] if carried else new

    def _index_of(self, message: Message) -> int | None:
        return None if message.key is None else self.units[message.key][0]

    def _kept(
        self, index: int, kept: Mapping[int, Message], conversation: AgentConversation, *, first: bool
    ) -> ModelMessage:
        """Return a message that is kept: itself, or a copy with what of it is kept.

        The first message holds the system prompt, which pydantic-ai accepts only in the first message: behind a summary
        it is left out here, and carried at the beginning.
        """
        original = self.messages[index]
        places = [self._unit_of.get((index, n)) for n in range(len(original.parts))]
        is_whole, is_moved = kept.keys() == {*places} - {None}, index == 0 and not first
        parts: list[Any] = []
        for part, place in zip(original.parts, places, strict=True):
            if place is None:
                parts += [part] * (is_whole and not (is_moved and isinstance(part, SystemPromptPart)))
            elif place in kept:
                parts += [part] if conversation.is_unchanged(kept[place]) else _changed(part, kept[place])
        is_same = len(parts) == len(places) and all(map(is_, parts, original.parts))
        changed: ModelMessage = original if is_same else replace(cast("Any", original), parts=parts)
        return changed

    def _write(self, message: Message, new: list[ModelMessage], conversation: AgentConversation) -> None:
        """Append a message that brim wrote.

        The continuation becomes a part of the request before it: pydantic-ai merges neighbors at the beginning of the
        next run, and drops their metadata.
        """
        written, before = self._written(message, conversation), new[-1] if new else None
        if isinstance(before, ModelRequest) and is_continuation(message):
            new[-1] = replace(before, parts=[*before.parts, *written.parts])
        else:
            new.append(written)

    def _written(self, message: Message, conversation: AgentConversation) -> ModelMessage:
        if message.role == "assistant":
            return ModelResponse([TextPart(message.text)])
        results = [self._result(result, conversation) for result in results_of(message)]
        return ModelRequest(results or [UserPromptPart(message.text)])

    def _result(self, result: ToolResult, conversation: AgentConversation) -> Any:
        """Return the part of a result that was moved, or the error that answers a call without one."""
        unit = conversation.index_of_result(result)
        if unit is not None:
            index, [part] = self.units[unit]
            return self.messages[index].parts[part]
        blocks = (block for raw in self.read for block in raw["content"])
        calls = {block["id"]: block["name"] for block in blocks if block["type"] == "tool_use"}
        return ToolReturnPart(calls.get(result.call_id, ""), result.text, result.call_id, outcome="interrupted")


def _answered_call(part: Any) -> str | None:
    """Return the id of the call that a part of a request answers; None where it answers none."""
    answers = isinstance(part, ToolReturnPart) or (part.part_kind == "retry-prompt" and part.tool_name is not None)
    return part.tool_call_id if answers else None


def _changed(part: Any, message: Message) -> Iterator[Any]:
    """Yield a part as it is in a message that brim changed; nothing where it was left out."""
    calls = {one.id for one in message.parts if isinstance(one, ToolCall)}
    if isinstance(part, ThinkingPart) or (isinstance(part, ToolCallPart) and part.tool_call_id not in calls):
        return
    result = next((one for one in results_of(message) if one.call_id == _answered_call(part)), None)
    if result is None and _answered_call(part):
        return
    if result is not None and is_cleared(result) and getattr(part, "tool_kind", None) not in KEEPS_TOOLS:
        part = replace(part, content=result.text)
    elif isinstance(part, (TextPart, ToolCallPart)) and part.id:
        part = replace(part, id=None)  # names an item that the provider holds together with the thinking left out
    yield part


class PydanticAISummarizer:
    """Asks a model, or an agent whose answer is a text; the agent's own instructions come on top of brim's."""

    def __init__(self, writer: Model | Agent[Any, Any]) -> None:
        self._writer = writer

    async def summarize(self, request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """Ask once."""
        try:
            response = await self._ask(request)
        except Exception as error:  # noqa: BLE001 -- an agent's tools and hooks may raise anything
            return SummaryAnswer(failure=_failure(error), reason=described(error))
        text = response.text or ""
        on_text(text)
        model = response.model_name or ""
        usage = None
        with suppress(InvalidInput):  # the summary is as good without
            usage = usage_of(response)
        return SummaryAnswer(text=text, stop_reason=response.finish_reason, model=model, usage=usage)

    async def _ask(self, request: SummaryRequest) -> ModelResponse:
        words = [_text(raw["content"]) for raw in request.messages]
        if isinstance(self._writer, Model):
            prompt = ModelRequest([SystemPromptPart(str(request.system or "")), *map(UserPromptPart, words)])
            return await model_request(self._writer, [prompt], model_settings={"max_tokens": request.max_tokens})
        result = await self._writer.run("\n\n".join([str(request.system or ""), *words]))
        return result.response


def _text(content: Any) -> str:
    """Join the texts of a content, which holds nothing else: an adapter's summaries are asked for as rendered."""
    return content if isinstance(content, str) else "\n\n".join(block["text"] for block in content)


def _failure(error: Exception) -> Failure:
    """Return whether a shorter prompt may resolve it, or waiting: not what the provider refuses (SUM_05)."""
    if isinstance(error, ModelContextWindowExceededError):
        return "prompt_too_long"
    status = error.status_code if isinstance(error, ModelHTTPError) else FIRST_FAILURE
    return "transient" if status in RETRYABLE_STATUSES or status >= FIRST_FAILURE else "permanent"


def usage_of(response: ModelResponse) -> TokenUsage | None:
    """Read the usage of a response: the input counts the cached part too, the output the reasoning (TOK_02).

    None where it reports nothing. Raises InvalidInput.
    """
    usage = normalize("pydantic-ai", vars(response.usage))
    return usage if usage.total else None
