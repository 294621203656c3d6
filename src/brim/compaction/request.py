"""The caller's request: all that one call of the Messages API sends, as one value (SUM_16, CNV_08).

It is read where a request enters (middleware, Requests, a compactor's arguments, a back end) and reaches the call for a
summary unchanged: the provider finds a cached prefix only under the same system prompt, tools, parameters and betas.
Specified by features/summary/summariser_input.feature and features/conversation/messages.feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

BETA_HEADER: Final = "anthropic-beta"
APART: Final = frozenset({"messages", "model", "system", "tools", "betas"})
"""What a request has a field of its own for, or a compactor knows."""
NOT_REPEATED: Final = frozenset(
    {"max_tokens", "stop_sequences", "stream", "metadata", "thread", "compaction", "diagnostics"}
)
"""What a summary has of its own (its length, its end, its stream), and what would act on the conversation again."""
OF_THE_CLIENT: Final = frozenset({"extra_headers", "extra_query", "extra_body", "timeout"})
"""Arguments of the SDK's methods that are no parameters of the API."""
NOT_FORCED: Final = frozenset({"auto", "none"})
"""The tool choices under which a model may answer in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a caller sends with one request. Nothing of it is copied or changed."""

    model: str = ""
    """The model that the request names; empty where only what goes with the messages is known."""
    messages: Sequence[Any] = field(default=(), repr=False)
    """Message dictionaries, as the caller has them; empty where only what goes with them is known."""
    system: Any = field(default=None, repr=False)
    """The system prompt: a text or text blocks."""
    tools: Sequence[Any] | None = field(default=None, repr=False)
    """Tool definitions; None where the request has none."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Every other parameter that the summary call repeats, such as `thinking`, `tool_choice`, `output_config`."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """The header `anthropic-beta`, where betas are named."""
    pinned: tuple[int, ...] = ()
    """Indices of the messages that are kept verbatim (CNV_08)."""

    @property
    def hindrance(self) -> str:
        """Why no summary can be asked for with this request's prefix, in words; empty where one can (SUM_16)."""
        choice = self.parameters.get("tool_choice")
        if isinstance(choice, Mapping) and choice.get("type") not in NOT_FORCED:
            return "the requests force a tool call"
        config = self.parameters.get("output_config")
        if self.parameters.get("output_format") or (isinstance(config, Mapping) and config.get("format")):
            return "the requests set an output format"
        return ""


def read_request(
    arguments: Mapping[str, Any], headers: Mapping[str, Any] | None = None, pinned: Iterable[int] = ()
) -> Request:
    """The request of these arguments: the body as it is sent, or what the SDK's methods take (`betas` among them)."""
    left_out = APART | NOT_REPEATED | OF_THE_CLIENT
    tools = arguments.get("tools")
    model = arguments.get("model")
    return Request(
        model=model if isinstance(model, str) else "",
        messages=arguments.get("messages", ()),
        system=arguments.get("system"),
        tools=tuple(tools) if isinstance(tools, Iterable) and not isinstance(tools, str) else tools,
        parameters={name: value for name, value in arguments.items() if name not in left_out and value is not None},
        headers=_betas(arguments.get("betas"), arguments.get("extra_headers"), headers),
        pinned=tuple(pinned),
    )


def _betas(named: Any, *headers: Any) -> dict[str, str]:
    """The header with every beta that is named, each once, in the order they are named in."""
    values = [named] if isinstance(named, str) else [*(named or ())]
    for given in headers:
        values += [value for name, value in (given or {}).items() if name.lower() == BETA_HEADER]
    betas = [beta.strip() for value in values if isinstance(value, str) for beta in value.split(",")]
    return {BETA_HEADER: ",".join(dict.fromkeys(filter(None, betas)))} if any(betas) else {}
