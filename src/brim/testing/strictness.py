"""Strictness: what the Messages API refuses about a request, found without a server.

Written apart from the rest of brim, so that it can judge what brim makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from brim.testing.messages_api.block_shapes import role_faults, shape_faults, text_faults
from brim.testing.messages_api.blocks import blocks_of, placed_blocks
from brim.testing.messages_api.pairing import pairing_faults
from brim.testing.messages_api.parameters import mark_faults, parameter_faults

MESSAGES_MAX = 100_000


def complaints(request: Mapping[str, Any] | Sequence[Mapping[str, Any]], *, betas: Sequence[str] = ()) -> list[str]:
    """Everything that the API would refuse about a request, in the API's words; empty where it is accepted.

    Args:
        request: the whole body of a request, or a list of messages alone: then only they are judged.
        betas: the betas that the request asks for.

    Limits of a model and the signatures of thinking blocks are for the server to check: they need to know more.
    """
    if not isinstance(request, Mapping):
        return message_faults(request) or list(mark_faults({"messages": request}))
    return body_faults(request, frozenset(betas))


def body_faults(body: Mapping[str, Any], betas: frozenset[str], *, counting: bool = False) -> list[str]:
    """The faults of a whole body; those of its messages only where its parameters are of the right form."""
    found = list(parameter_faults(body, betas, counting=counting))
    if found:
        return found
    return message_faults(body["messages"]) or list(mark_faults(body))


def message_faults(messages: Any) -> list[str]:
    """The faults of a list of messages; those between blocks only where each block is of the right form."""
    found = list(form_faults(messages))
    if found:
        return found
    return [*_first_faults(messages), *_content_faults(messages), *pairing_faults(messages)]


def form_faults(messages: Any) -> Iterator[str]:
    """The faults of messages and blocks each by itself."""
    if not isinstance(messages, list | tuple):
        yield "messages: Input should be a valid list"
    elif not messages:
        yield "messages: at least one message is required"
    elif len(messages) > MESSAGES_MAX:
        yield f"messages: at most {MESSAGES_MAX} messages are allowed. Found {len(messages)}."
    else:
        for number, message in enumerate(messages):
            yield from _message_form(f"messages.{number}", message)


def _message_form(path: str, message: Any) -> Iterator[str]:
    if not isinstance(message, Mapping):
        yield f"{path}: Input should be a valid dictionary or object to extract fields from"
        return
    yield from (f"{path}.{name}: Field required" for name in ("role", "content") if name not in message)
    yield from (f"{path}.{name}: Extra inputs are not permitted" for name in message if name not in {"role", "content"})
    yield from _role_faults(path, message.get("role", "user"))
    content = message.get("content", "")
    if not isinstance(content, str | list | tuple):
        yield f"{path}.content: Input should be a valid string or list"
    elif not isinstance(content, str):
        for index, block in enumerate(content):
            yield from shape_faults(f"{path}.content.{index}", block)


def _role_faults(path: str, role: Any) -> Iterator[str]:
    if role == "system":
        yield (
            'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, '
            'not "system" as an input message role.'
        )
    elif role not in ("user", "assistant"):
        yield f"{path}.role: Input should be 'user' or 'assistant'"


def _first_faults(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    first = messages[0]
    compacted = [block["type"] for block in blocks_of(first["content"])][:1] == ["compaction"]
    if first["role"] != "user" and not compacted:
        yield 'messages: first message must use the "user" role'


def _content_faults(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for number, message in enumerate(messages):
        blocks = blocks_of(message["content"])
        if not blocks:
            yield (
                f"messages.{number}: all messages must have non-empty content "
                "except for the optional final assistant message"
            )
        yield from text_faults(blocks)
    for placed in placed_blocks(messages):
        yield from role_faults(placed)
