"""Reading: what a caller hands in, as a conversation and as settings; what is not of its form is told by name."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypedDict, TypeVar

from brim.compaction.context_window import ContextWindow, Request, read_request
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import Message
from brim.errors import InvalidInput
from brim.models import ModelLimits
from brim.tokens.usage import TokenUsage, normalise


class Sent(TypedDict, total=False):
    """What goes with the messages of a request."""

    model: str
    """The model of the request, where it is not the compactor's."""
    system: Any
    """The system prompt: a text or text blocks."""
    tools: Sequence[Any]
    """Tool definitions."""
    pinned: Collection[int]
    """Indices of messages that are kept word for word (CNV_08)."""
    parameters: Mapping[str, Any]
    """What else the requests carry, such as `thinking`: a summary call reads the cache only under the same (SUM_16)."""
    headers: Mapping[str, Any]
    """The requests' headers, of which `anthropic-beta` counts: the summary call repeats it (SUM_16)."""


class Carried(Sent, total=False):
    """What goes with the messages, and what they were measured to hold."""

    usage: Any
    """What the last response reported: its `usage`, a dictionary of it, or a TokenUsage (TOK_08)."""


SentT = TypeVar("SentT", bound=Sent)


def checked(carried: SentT) -> SentT:
    """What goes with the messages, where it is of the form it has in a request. Raises InvalidInput that names it."""
    forms: tuple[tuple[str, tuple[type, ...], str], ...] = (
        ("model", (str,), "the name of a model"),
        ("system", (str, Sequence), "a text or a list of text blocks"),
        ("tools", (Sequence,), "a list of tool definitions"),
        ("parameters", (Mapping,), "a dictionary of request parameters"),
        ("headers", (Mapping,), "a dictionary of request headers"),
        ("pinned", (Collection,), "the indices of messages"),
    )
    for name, kinds, form in forms:
        value: Any = carried.get(name)
        if value is not None and (not isinstance(value, kinds) or (isinstance(value, str) and str not in kinds)):
            raise InvalidInput(f"{name} is {type(value).__name__}; it is {form}")
    for name in ("system", "tools"):
        _check_blocks(name, carried.get(name))
    pinned: Any = carried.get("pinned") or ()
    if not all(isinstance(place, int) for place in pinned):
        raise InvalidInput("pinned holds something that is no index; it is the indices of messages, counted from 0")
    return carried


def _check_blocks(name: str, value: Any) -> None:
    if value is None or isinstance(value, str):
        return
    for place, block in enumerate(value):
        if not isinstance(block, Mapping):
            raise InvalidInput(f"{name} holds {type(block).__name__} at place {place}; each is a dictionary")


def request_of(carried: Mapping[str, Any], messages: Sequence[Any] = ()) -> Request:
    """The caller's request of these messages and of what goes with them. Raises InvalidInput."""
    parameters = {**(carried.get("parameters") or {}), "messages": messages}
    named = {name: carried[name] for name in ("model", "system", "tools") if carried.get(name) is not None}
    return read_request({**parameters, **named}, carried.get("headers"), carried.get("pinned") or ())


def request_of_body(body: Mapping[str, Any], headers: Mapping[str, Any]) -> Request:
    """The caller's request of a body of the Messages API and its headers. Raises InvalidInput."""
    checked(Sent(system=body.get("system"), tools=body.get("tools") or ()))
    return read_request(body, headers)


def by_itself(window: ContextWindow, carried: Carried) -> ContextWindow:
    """A window that was handed in. Raises InvalidInput where something goes with it that it knows by itself."""
    told = ", ".join(
        name for name, value in carried.items() if value and name not in ("model", "parameters", "headers")
    )
    if told:
        raise InvalidInput(f"a window knows its {told} by itself: tell it to the window, or hand in the messages")
    return window


def fill(window: ContextWindow, messages: Sequence[Message], usage: Any = None) -> None:
    """Take messages into an empty window, and the usage behind the last response. Raises InvalidInput."""
    last = max((n for n, message in enumerate(messages, 1) if message.role == "assistant"), default=0)
    for message in messages[:last]:
        window.append(message)
    if usage is not None and last:
        window.record(read_usage(usage))
    for message in messages[last:]:
        window.append(message)


def read_usage(usage: Any) -> TokenUsage:
    """A usage in Anthropic's words, as the SDK's value or as a dictionary. Raises InvalidInput."""
    if isinstance(usage, TokenUsage):
        return usage
    numbers = usage.model_dump() if hasattr(usage, "model_dump") else usage
    if not isinstance(numbers, Mapping):
        raise InvalidInput(f"a usage is what a response reported, not {type(usage).__name__}")
    return normalise("anthropic", numbers)


def read_model(model: Any) -> str:
    """The name of a model; empty for none. Raises InvalidInput."""
    if model is None or isinstance(model, str):
        return model or ""
    raise InvalidInput(f"model is {type(model).__name__}; it is the name of a model")


def read_limits(limits: Any) -> ModelLimits | Mapping[str, ModelLimits] | None:
    """The limits of all models, or those of each by its name; None where none are stated. Raises InvalidInput."""
    if limits is None or isinstance(limits, ModelLimits):
        return limits
    if isinstance(limits, Mapping) and all(isinstance(one, ModelLimits) for one in limits.values()):
        return limits
    raise InvalidInput(
        f"limits is {type(limits).__name__}; it is ModelLimits(context_window=…, max_output_tokens=…), or a mapping of "
        "models to these"
    )


def read_focus(focus: Any) -> str | None:
    """What a summary is to dwell on, where that is said. Raises InvalidInput."""
    if focus is None or isinstance(focus, str):
        return focus
    raise InvalidInput(f"focus is {type(focus).__name__}; it is a text")


def read_summarizer(summarizer: Any, *, in_loop: bool) -> Any:
    """A summarizer of the caller's own. Raises InvalidInput where it is none, or one for event loops in a thread."""
    summarize = getattr(summarizer, "summarize", None)
    if not callable(summarize):
        raise InvalidInput(f"the summarizer is {type(summarizer).__name__}, which has no method `summarize`")
    if not in_loop and inspect.iscoroutinefunction(summarize):
        raise InvalidInput("this summarizer is for event loops: hand it to an AsyncCompactor, or hand in a plain one")
    return summarizer


def in_event_loops(client: Any, model: str, policy: CompactionPolicy) -> bool:
    """Whether it is a client for event loops. Raises InvalidInput where it is no client, or no model is named."""
    if not hasattr(client, "messages"):
        raise InvalidInput(f"the client is {type(client).__name__}; it is an Anthropic client, such as Anthropic()")
    if not (model or policy.summary_model):
        raise InvalidInput(
            "a client needs the model that writes summaries: model=…, or CompactionPolicy(summary_model=…)"
        )
    return inspect.iscoroutinefunction(getattr(client, "close", None))
