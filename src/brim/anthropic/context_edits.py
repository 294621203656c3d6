"""Context edits: what a request asks the provider to do with its own context, and what its answer says was done.

Part of the back ends; specified by features/engine/backends.feature (CMP_10).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from brim.errors import InvalidInput, Refused

Parameters: TypeAlias = Mapping[str, Any]
"""The arguments of `client.beta.messages.create`."""
COMPACTION: Final = "compact_"
"""How the kinds of a compaction edit begin."""
BETA_HEADER: Final = "anthropic-beta"


def with_edit(parameters: Parameters, edit: Mapping[str, Any], beta: str) -> dict[str, Any]:
    """The request with an edit behind those it brings, and the beta it needs; nothing of the request is changed."""
    edits = [*edits_of(parameters), dict(edit)]
    managed = {**(parameters.get("context_management") or {}), "edits": edits}
    return with_beta({**parameters, "context_management": managed}, beta)


def with_beta(parameters: Parameters, beta: str) -> dict[str, Any]:
    """The request with a beta named once: in its header where the request sets that itself, else among its betas."""
    headers = parameters.get("extra_headers") or {}
    name = next((name for name in headers if name.lower() == BETA_HEADER), None)
    if name is None:
        return {**parameters, "betas": _added(parameters.get("betas") or (), beta)}
    named = [word.strip() for word in str(headers[name]).split(",") if word.strip()]
    return {**parameters, "extra_headers": {**headers, name: ",".join(_added(named, beta))}}


def _added(betas: Iterable[str], beta: str) -> list[str]:
    return list(dict.fromkeys([*betas, beta]))


def edits_of(parameters: Parameters) -> list[Any]:
    """The edits that a request brings. Raises InvalidInput where they are none."""
    managed = parameters.get("context_management") or {}
    edits = managed.get("edits") or () if isinstance(managed, Mapping) else None
    if edits is None or isinstance(edits, str | Mapping) or not all(isinstance(edit, Mapping) for edit in edits):
        raise InvalidInput("the context management of a request is an object with a list of edits")
    return list(edits)


def refuse_second(parameters: Parameters, kinds: str, backend: str) -> None:
    """Refuse a request that brings a compaction of its own besides the back end's: one at a time (CMP_10).

    `kinds` is how the kinds of edit begin that do what the back end does.
    """
    found = [str(edit.get("type")) for edit in edits_of(parameters) if str(edit.get("type")).startswith(kinds)]
    if parameters.get("compaction"):
        found.append("a compaction on demand")
    if found:
        raise Refused(
            f"the request brings {found[0]} of its own, and the back end {backend!r} does the same work: "
            "take one of the two out, they are never used at once"
        )


def messages_of(parameters: Parameters) -> list[Any]:
    """The messages of a request, a new list. Raises InvalidInput where it has none."""
    messages = parameters.get("messages")
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes):
        raise InvalidInput("a request has a list of messages; hand in the arguments of client.beta.messages.create")
    return list(messages)


def as_dictionary(value: Any) -> Any:
    """A block or message of the SDK as the dictionary that goes back to the API; anything else as it is."""
    if not hasattr(value, "model_dump"):
        return value
    hidden = set(getattr(value, "__api_exclude__", None) or ())
    return value.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude=hidden)


def as_message(message: Any) -> dict[str, Any]:
    """A message as a dictionary whose blocks are dictionaries: a response of the SDK, or what a request takes."""
    read = message if isinstance(message, Mapping) else {"role": message.role, "content": message.content}
    content = read["content"]
    if not isinstance(content, str):
        content = [as_dictionary(block) for block in content]
    return {**read, "content": content}


def answer_of(response: Any) -> dict[str, Any]:
    """The message that a response is, as it goes back to the API. Raises InvalidInput where it is none."""
    role, content = _field(response, "role"), _field(response, "content")
    if role != "assistant" or content is None:
        raise InvalidInput(f"a response is what client.beta.messages.create returns, not {type(response).__name__}")
    return as_message({"role": role, "content": content})


def _field(response: Any, name: str) -> Any:
    return response.get(name) if isinstance(response, Mapping) else getattr(response, name, None)


def stop_reason_of(response: Any) -> str | None:
    """Why a response stopped."""
    reason: str | None = _field(response, "stop_reason")
    return reason


def usage_of(response: Any) -> dict[str, Any]:
    """The usage of a response as a dictionary; empty where it tells none."""
    usage = as_dictionary(_field(response, "usage"))
    return dict(usage) if isinstance(usage, Mapping) else {}


def applied_edits(response: Any) -> list[Mapping[str, Any]]:
    """The edits that the provider says it applied."""
    managed = as_dictionary(_field(response, "context_management")) or {}
    return list(managed.get("applied_edits") or ())
