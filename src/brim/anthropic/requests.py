"""Requests: what the arguments of a call of the Anthropic API say of the messages, and what goes with them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from brim.compaction.context_window import Request
from brim.errors import InvalidInput, shown

BETA_HEADER: Final = "anthropic-beta"
NOT_PARAMETERS: Final = frozenset(
    {
        # in other fields of a Request, or set by the compactor
        *("messages", "model", "system", "tools", "betas"),
        # set by the summary call itself, or of effect on the conversation
        *("max_tokens", "stop_sequences", "stream", "metadata", "thread", "compaction", "diagnostics"),
        # of the SDK's methods, and no parameters of the API
        *("extra_headers", "extra_query", "extra_body", "timeout"),
    }
)
"""Arguments that are no parameters of a Request."""


def read_request(
    arguments: Mapping[str, Any], headers: Mapping[str, Any] | None = None, pinned: Iterable[int] = ()
) -> Request:
    """Read the arguments of a request: its body as it is sent, or what the SDK's methods take (`betas` among them).

    Raises InvalidInput for betas or headers that are none.
    """
    tools, model = arguments.get("tools"), arguments.get("model")
    parameters = {name: value for name, value in arguments.items() if name not in NOT_PARAMETERS}
    return Request(
        model=model if isinstance(model, str) else "",
        messages=arguments.get("messages", ()),
        system=arguments.get("system"),
        tools=tuple(tools) if isinstance(tools, Iterable) and not isinstance(tools, str) else tools,
        parameters={name: value for name, value in parameters.items() if value is not None},
        headers=_betas(arguments.get("betas"), arguments.get("extra_headers"), headers),
        pinned=tuple(pinned),
    )


def _betas(named: Any, *headers: Any) -> dict[str, str]:
    """Return the header with every beta that is named, each once, in the order they are named in."""
    values: list[Any] = read_betas(named)
    for one in headers:
        values += [value for name, value in read_headers(one).items() if name.lower() == BETA_HEADER]
    betas = [beta.strip() for value in values if isinstance(value, str) for beta in value.split(",")]
    return {BETA_HEADER: ",".join(dict.fromkeys(filter(None, betas)))} if any(betas) else {}


def read_betas(value: Any) -> list[str]:
    """Read the betas that a request names, as a text or a list of texts. Raises InvalidInput."""
    betas: Any = [value] if isinstance(value, str) else value or ()
    if not isinstance(betas, Collection) or not all(isinstance(beta, str) for beta in betas):
        raise InvalidInput(f"betas is {shown(value)}; it is a list of the names of betas")
    return [*betas]


def read_headers(value: Any) -> Mapping[str, Any]:
    """Read the headers of a request; none for None. Raises InvalidInput."""
    headers = value or {}
    if not isinstance(headers, Mapping):
        raise InvalidInput(f"the headers are {type(value).__name__}; they are a dictionary of names and texts")
    for name in headers:
        if not isinstance(name, str):
            raise InvalidInput(f"the headers have the name {shown(name)}; the name of a header is a text")
    return headers
