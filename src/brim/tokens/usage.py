"""Usage: the tokens of a response, in one form for every provider.

Specified by features/tokens/usage.feature (TOK_01, TOK_02, TOK_03, TOK_05, TOK_10).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from pydantic import Field

from brim.errors import InvalidInput, shown
from brim.models import TokenCounts, Tokens


class TokenUsage(TokenCounts):
    """The tokens of one response. Only input, cache read and output fill the window (TOK_01)."""

    input: Tokens = Field(description="Read, and not from the cache; what was written to the cache is part of it.")
    cache_read: Tokens = Field(default=0, description="Read from the cache.")
    output: Tokens = Field(default=0, description="Written by the model, its reasoning included.")
    cache_write: Tokens = Field(default=0, description="The share of the input that was written to the cache.")
    cache_write_1h: Tokens = Field(default=0, description="The share of the cache write that is kept for an hour.")
    reasoning: Tokens = Field(default=0, description="The share of the output that is reasoning.")

    @property
    def total(self) -> int:
        """Tokens held by the window when the response was done (TOK_01)."""
        return self.input + self.cache_read + self.output


class Names(NamedTuple):
    """The names of the counts of a usage: `a.b` is b in the object a, and of several names the first there is read."""

    input: str
    cache_read: str
    cache_write: str
    output: str
    reasoning: str = ""
    total: str = ""
    """Says, where the output may exclude the reasoning, whether it does."""
    input_of_tools: str = ""
    """Read beside the input."""
    cache_write_1h: str = ""
    input_includes_cache: bool = True


PROVIDERS: Final = {
    "anthropic": Names(
        "input_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "output_tokens",
        "output_tokens_details.thinking_tokens",
        cache_write_1h="cache_creation.ephemeral_1h_input_tokens",
        input_includes_cache=False,
    ),
    "opencode": Names("input", "cache.read", "cache.write", "output", "reasoning", "total", input_includes_cache=False),
    "openai": Names(
        "input_tokens prompt_tokens",
        "input_tokens_details.cached_tokens prompt_tokens_details.cached_tokens",
        "input_tokens_details.cache_write_tokens prompt_tokens_details.cache_write_tokens",
        "output_tokens completion_tokens",
        "output_tokens_details.reasoning_tokens completion_tokens_details.reasoning_tokens",
        "total_tokens",
    ),
    "codex": Names("input_tokens", "cached_input_tokens", "", "output_tokens", "reasoning_output_tokens"),
    "gemini": Names("input", "cached", "", "output", "thoughts", "total", input_of_tools="tool"),
    "cline": Names("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens"),
    "pi": Names("input", "cacheRead", "cacheWrite", "output", "reasoning", "totalTokens", input_includes_cache=False),
    "langchain": Names(
        "input_tokens", "input_token_details.cache_read", "input_token_details.cache_creation", "output_tokens"
    ),
    "pydantic-ai": Names("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"),
}
"""The names of each provider, tool or library: of OpenAI those of Responses and of Chat Completions."""


def normalize(provider: str, raw_usage: object) -> TokenUsage:
    """Read a provider's own usage, a mapping with its names (TOK_02); a missing or null count is 0.

    Raises InvalidInput for a provider that is none of PROVIDERS, or for a count that is no whole number from 0.
    """
    names = PROVIDERS.get(provider)
    if names is None:
        raise InvalidInput(f"there is no provider {shown(provider)}; there are: {', '.join(PROVIDERS)}")
    count = partial(_count, provider, _mapping(provider, raw_usage))
    cache_read, cache_write, reasoning = count(names.cache_read), count(names.cache_write), count(names.reasoning)
    read = count(names.input) + count(names.input_of_tools)
    read += 0 if names.input_includes_cache else cache_read + cache_write
    output = count(names.output)
    if count(names.total) >= read + output + reasoning:
        output += reasoning
    return TokenUsage(
        input=max(read - cache_read - cache_write, 0) + cache_write,
        cache_read=cache_read,
        output=output,
        cache_write=cache_write,
        cache_write_1h=min(count(names.cache_write_1h), cache_write),
        reasoning=reasoning,
    )


def _count(provider: str, usage: Mapping[str, Any], names: str) -> int:
    """Return the first of these counts that is there, else 0. Raises InvalidInput."""
    for name in names.split():
        group, _, last = name.rpartition(".")
        details = usage.get(group) if group else usage
        value = None if details is None else _mapping(f"{provider} usage: {group}", details).get(last)
        if value is None:
            continue
        if type(value) is not int or not 0 <= value <= 10**15:
            raise InvalidInput(f"{provider} usage: {name} is {shown(value)}; a count is a whole number from 0 to 10^15")
        return value
    return 0


def _mapping(name: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{name} is {type(value).__name__}, not an object of token counts")
    return value


def read_usage(usage: object) -> TokenUsage:
    """Return the usage of a response, whatever library it is of, or the response that has one.

    The value of the SDK or a dictionary of it: of the Messages API, OpenAI's APIs, LangChain (`usage_metadata`) or
    pydantic-ai. Raises InvalidInput.
    """
    if isinstance(usage, TokenUsage):
        return usage
    fields = _fields_of(usage)
    if not fields and not isinstance(usage, Mapping):
        raise InvalidInput(f"a usage is what a response reported, not {type(usage).__name__}")
    fields = _fields_of(fields.get("usage") or fields.get("usage_metadata")) or fields
    if fields.keys().isdisjoint({"input_tokens", "prompt_tokens"}):  # a window needs what was read
        listed = ", ".join(map(str, fields)) or "nothing"
        raise InvalidInput(f"a usage states input_tokens or prompt_tokens; this one has {listed}")
    if isinstance(requests := fields.get("requests"), int) and requests > 1:
        raise InvalidInput(f"this usage is the sum of {requests:,} requests; pass that of the last response")
    known_by = {
        "input_token_details": "langchain",
        "details": "pydantic-ai",
        "prompt_tokens": "openai",
        "input_tokens_details": "openai",
    }
    return normalize(next((known_by[name] for name in known_by if name in fields), "anthropic"), fields)


def _fields_of(value: Any) -> Mapping[str, Any]:
    """Return the fields of a dictionary, or of an SDK's value; none of anything else."""
    fields = value.model_dump() if hasattr(value, "model_dump") else value
    if not isinstance(fields, Mapping) and (hasattr(value, "input_tokens") or hasattr(value, "usage")):
        fields = getattr(value, "__dict__", None)
    return fields if isinstance(fields, Mapping) else {}


SYNTHETIC_MODEL: Final = "<synthetic>"
"""The model that Claude Code states for its own notices."""


def is_measurement(usage: TokenUsage, model: str | None = None) -> bool:
    """Return whether a usage measures the window: it is not all zero, and a real model reported it (TOK_10)."""
    return model != SYNTHETIC_MODEL and (usage.total > 0 or usage.cache_write > 0 or usage.reasoning > 0)


def completed(usage: TokenUsage, text_tokens: int, *, finished: bool) -> TokenUsage:
    """Return the usage with an unfinished output count replaced by `text_tokens`, the estimate of the text (TOK_10).

    `finished` says that the response gave a stop reason: then its count stands, whatever its text would be.
    """
    if finished or usage.output >= text_tokens:
        return usage
    return usage.model_copy(update={"output": text_tokens})


def billed(usages: Iterable[TokenUsage]) -> TokenUsage:
    """Return the sum of the usages, field by field: the billed tokens, not those that the window holds (TOK_05)."""
    sums = dict.fromkeys(TokenUsage.model_fields, 0)
    for usage in usages:
        for name in sums:
            sums[name] += getattr(usage, name)
    return TokenUsage(**sums)
