"""Messages of pydantic-ai to and from brim's, and summaries by a model or an agent.

pydantic-ai merges neighboring requests at the beginning of a run, so that one request may hold what was several
messages. A message is therefore read in units: brim's own summary in a request is one, the user's text behind it
another. A kept message is the caller's own object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final, cast

from pydantic_ai import Agent
from pydantic_ai import messages as pai
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import (
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
)
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
from brim.adapters.content_blocks import Block
from brim.compaction.result import Compaction
from brim.conversation.messages import (
    Marks,
    Message,
    ToolCall,
    ToolResult,
    is_continuation,
    read_message,
    recognized_marks,
)
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


@dataclass(frozen=True, slots=True)
class MessageUnit:
    """The parts of one message of pydantic-ai's that are one message of brim's."""

    index: int
    """The index of the message."""
    parts: tuple[int, ...]
    """The indices of the parts in it."""


def read(messages: Sequence[ModelMessage]) -> tuple[list[MessageUnit], list[Message]]:
    """Return the units of a history, and brim's message for each; what holds nothing to send is no unit."""
    units: list[MessageUnit] = []
    read_as: list[Message] = []
    for index, message in enumerate(messages):
        for parts in _units(message):
            made = _read(len(units), message, [message.parts[n] for n in parts])
            if made.parts:
                units.append(MessageUnit(index, tuple(parts)))
                read_as.append(made)
    return units, read_as


def _units(message: ModelMessage) -> Iterator[list[int]]:
    if isinstance(message, ModelResponse):
        yield list(range(len(message.parts)))
        return
    unit: list[int] = []
    for n, part in enumerate(message.parts):
        if is_written_by_brim(part):
            yield unit
            yield [n]
            unit = []
        elif part.part_kind not in CARRIED and not part.part_kind.startswith("instruction-"):
            unit.append(n)
    yield unit


def is_written_by_brim(part: Any) -> bool:
    """Return whether it is a summary, or the continuation behind one."""
    return isinstance(part, pai.CompactionPart) or (
        isinstance(part, UserPromptPart) and isinstance(part.content, str) and recognized_marks(part.content).synthetic
    )


def _read(index: int, message: ModelMessage, parts: Sequence[Any]) -> Message:
    blocks = [block for part in parts for block in _blocks(part)]
    pinned = any(getattr(part, "tool_kind", None) in KEEPS_TOOLS for part in parts)
    answered = isinstance(message, ModelResponse)
    summary = not answered and any(isinstance(part, pai.CompactionPart) for part in parts)
    written = answered or any(isinstance(part, (UserPromptPart, pai.SpeechPart)) for part in parts)
    marks = Marks(synthetic=summary or not written, pinned=pinned, summary=summary)
    return read_message({"role": "assistant" if answered else "user", "content": blocks}, marks, key=index)


def _blocks(part: Any) -> Iterator[Block]:  # noqa: C901 -- one case a kind
    match part:
        case UserPromptPart(content=str(words)) | TextPart(content=words):
            yield from content_blocks.text(words)
        case UserPromptPart(content=items):
            yield from (block for item in items for block in _item(item))
        case ThinkingPart(content=words):
            yield content_blocks.thinking(words)
        case ToolCallPart():
            yield content_blocks.call(part.tool_call_id, part.tool_name, part.args_as_dict())
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
            yield content_blocks.other(part)


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


@dataclass(frozen=True, slots=True)
class AgentHistory:
    """A history, its units, and brim's message for each unit."""

    messages: Sequence[ModelMessage]
    units: Sequence[MessageUnit]
    read_as: Sequence[Message]

    def after(self, compaction: Compaction) -> list[ModelMessage]:
        """Return the history that a compaction leaves.

        Copies are those that pruning cleared (PRN_07) and those that lost their thinking (CNV_06) or a call that
        cannot be sent (CNV_04). New are the summary, the continuation, the results of calls that had none, and first of
        all a request with the system prompt of removed messages (CNV_08).
        """
        new: list[ModelMessage] = []
        for index, group in groupby(compaction.conversation, self._index_of):
            if index is None:
                for message in group:
                    self._write(message, new)
            else:
                new.append(self._kept(index, {message.key: message for message in group}, leading=not new))
        held = {id(part) for message in new for part in message.parts}
        parts = (part for message in self.messages for part in message.parts)
        carried: list[Any] = [part for part in parts if part.part_kind in CARRIED and id(part) not in held]
        return [ModelRequest(carried), *new] if carried else new

    def _index_of(self, message: Message) -> int | None:
        return None if message.key is None else self.units[message.key].index

    def _kept(self, index: int, kept: Mapping[int, Message], *, leading: bool) -> ModelMessage:
        """Return a message that is kept: itself, or a copy with what of it is kept.

        The first message holds the system prompt, which pydantic-ai accepts only in the first message: behind a summary
        it is left out here, and carried at the beginning.
        """
        original = self.messages[index]
        own = [n for n, unit in enumerate(self.units) if unit.index == index]
        whole, moved = list(kept) == own, index == 0 and not leading
        same = all(self.read_as[n] is message for n, message in kept.items())
        if whole and same and not (moved and any(isinstance(part, SystemPromptPart) for part in original.parts)):
            return original
        message_of = {part: message for n, message in kept.items() for part in self.units[n].parts}
        beside = set(range(len(original.parts))).difference(*(self.units[n].parts for n in own))
        parts: list[Any] = []
        for n, part in enumerate(original.parts):
            if n in message_of:
                parts.extend([part] if same else _changed(part, message_of[n]))
            elif whole and n in beside and not (moved and isinstance(part, SystemPromptPart)):
                parts.append(part)
        changed: ModelMessage = replace(cast("Any", original), parts=parts)
        return changed

    def _write(self, message: Message, new: list[ModelMessage]) -> None:
        """Append a message that brim wrote.

        The continuation becomes a part of the request before it: pydantic-ai merges neighbors at the beginning of the
        next run, and drops their metadata.
        """
        written, before = self._written(message), new[-1] if new else None
        if isinstance(before, ModelRequest) and is_continuation(message):
            new[-1] = replace(before, parts=[*before.parts, *written.parts])
        else:
            new.append(written)

    def _written(self, message: Message) -> ModelMessage:
        if message.role == "assistant":
            return ModelResponse([TextPart(message.text)])
        results = [part for part in message.parts if isinstance(part, ToolResult)]
        return ModelRequest([self._result(part) for part in results] or [UserPromptPart(message.text)])

    def _result(self, result: ToolResult) -> Any:
        """Return the part of a result that was moved, or the error that answers a call without one."""
        unit = content_blocks.indices_of_results(self.read_as).get(id(result.raw))
        if unit is not None:
            parts = self.messages[self.units[unit].index].parts
            return next(part for part in parts if _answered_call(part) == result.call_id)
        calls = {part.id: part.name for message in self.read_as for part in message.parts if isinstance(part, ToolCall)}
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
    call_id = _answered_call(part)
    result = content_blocks.results_in(message).get(call_id) if call_id else None
    if call_id and result is None:
        return
    if result is not None and is_cleared(result) and getattr(part, "tool_kind", None) not in KEEPS_TOOLS:
        part = replace(part, content=result.text)
    elif isinstance(part, (TextPart, ToolCallPart)) and part.id:
        part = replace(part, id=None)  # names an item that the provider holds together with the thinking left out
    yield part


RETRYABLE: Final = (ModelConnectionError, ModelRateLimitError, ModelServerError, ModelUnavailableError)
TOO_MANY_REQUESTS: Final = 429
FIRST_FAILURE: Final = 500


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
            asked = ModelRequest([SystemPromptPart(str(request.system or "")), *map(UserPromptPart, words)])
            return await model_request(self._writer, [asked], model_settings={"max_tokens": request.max_tokens})
        result = await self._writer.run("\n\n".join([str(request.system or ""), *words]))
        return result.response


def _text(content: Any) -> str:
    """Join the texts of a content, which holds nothing else: an adapter's summaries are asked for as rendered."""
    return content if isinstance(content, str) else "\n\n".join(block["text"] for block in content)


def _failure(error: Exception) -> Failure:
    """Return whether waiting or a shorter prompt may resolve it (SUM_05)."""
    if isinstance(error, ModelContextWindowExceededError):
        return "prompt_too_long"
    status = error.status_code if isinstance(error, ModelHTTPError) else 0
    retryable = isinstance(error, RETRYABLE) or status == TOO_MANY_REQUESTS or status >= FIRST_FAILURE
    return "transient" if retryable else "permanent"


def usage_of(response: ModelResponse) -> TokenUsage:
    """Read the usage of a response: the input counts the cached part too, the output the reasoning (TOK_02).

    Raises InvalidInput.
    """
    return normalize("pydantic-ai", vars(response.usage))
