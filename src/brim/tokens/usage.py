"""Usage: the tokens of a response, in one form for every provider.

Specified by features/tokens/usage.feature (TOK_01, TOK_02, TOK_03, TOK_05, TOK_10).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

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


@dataclass(frozen=True, slots=True)
class ReportedUsage:
    """A provider's usage, read by its own names; a missing or null count is 0."""

    provider: str
    raw: Mapping[str, Any]

    def count(self, *names: str) -> int:
        """Return the first count that is present. Raises InvalidInput where it is no whole number from 0."""
        for name in names:
            value = self.raw.get(name)
            if value is None:
                continue
            if type(value) is not int or value < 0:
                raise InvalidInput(f"{self.provider} usage: {name} is {shown(value)}; a count is a whole number from 0")
            if value > 10**15:
                raise InvalidInput(f"{self.provider} usage: {name} is {shown(value)}; no window holds that many tokens")
            return value
        return 0

    def details(self, *names: str) -> ReportedUsage:
        """Return the first of these objects that is present. Raises InvalidInput where it is no object."""
        for name in names:
            value = self.raw.get(name)
            if value is not None:
                return read(f"{self.provider} usage: {name}", value)
        return ReportedUsage(self.provider, {})


def read(provider: str, raw: object) -> ReportedUsage:
    """Return a usage that can be read by name. Raises InvalidInput where it is no object."""
    if not isinstance(raw, Mapping):
        raise InvalidInput(f"{provider} is {type(raw).__name__}, not an object of token counts")
    return ReportedUsage(provider, raw)


def usage_beside_cache(
    fresh: int, cache_read: int, cache_write: int, output: int, reasoning: int, *, cache_write_1h: int = 0
) -> TokenUsage:
    """Return the usage of a provider whose input excludes cache reads and writes."""
    return TokenUsage(
        input=fresh + cache_write,
        cache_read=cache_read,
        output=output,
        cache_write=cache_write,
        cache_write_1h=cache_write_1h,
        reasoning=reasoning,
    )


def usage_with_cache(
    read_in_all: int, cache_read: int, cache_write: int, output: int, reasoning: int = 0
) -> TokenUsage:
    """Return the usage of a provider whose input includes cache reads and writes."""
    fresh = max(read_in_all - cache_read - cache_write, 0)
    return usage_beside_cache(fresh, cache_read, cache_write, output, reasoning)


def output_with_reasoning(output: int, reasoning: int, others: int, total: int) -> int:
    """Return the output with its reasoning, which is added if the reported total shows that the output excludes it.

    `others` are the tokens read; without a total, or with a smaller one, the output includes the reasoning.
    """
    return output + reasoning if total >= others + output + reasoning else output


def anthropic(usage: ReportedUsage) -> TokenUsage:
    """Read the Messages API's: input without the cache, output with its thinking."""
    written = usage.count("cache_creation_input_tokens")
    return usage_beside_cache(
        usage.count("input_tokens"),
        usage.count("cache_read_input_tokens"),
        written,
        usage.count("output_tokens"),
        usage.details("output_tokens_details").count("thinking_tokens"),
        cache_write_1h=min(usage.details("cache_creation").count("ephemeral_1h_input_tokens"), written),
    )


def opencode(usage: ReportedUsage) -> TokenUsage:
    """Read OpenCode's: input without the cache; its total says whether the output holds the reasoning."""
    cache = usage.details("cache")
    return _by_total(usage, cache.count("read"), cache.count("write"), usage.count("total"))


def pi(usage: ReportedUsage) -> TokenUsage:
    """Read Pi's: input without the cache; its total says whether the output holds the reasoning, if it states any."""
    return _by_total(usage, usage.count("cacheRead"), usage.count("cacheWrite"), usage.count("totalTokens"))


def _by_total(usage: ReportedUsage, cache_read: int, cache_write: int, total: int) -> TokenUsage:
    fresh, reasoning = usage.count("input"), usage.count("reasoning")
    others = fresh + cache_read + cache_write
    output = output_with_reasoning(usage.count("output"), reasoning, others, total)
    return usage_beside_cache(fresh, cache_read, cache_write, output, reasoning)


def openai(usage: ReportedUsage) -> TokenUsage:
    """Read OpenAI's, by the names of Responses or of Chat Completions: input with the cache.

    Output holds its reasoning, but for servers of the same form whose total says otherwise.
    """
    entered = usage.details("input_tokens_details", "prompt_tokens_details")
    read_in_all = usage.count("input_tokens", "prompt_tokens")
    reasoning = usage.details("output_tokens_details", "completion_tokens_details").count("reasoning_tokens")
    given = usage.count("output_tokens", "completion_tokens")
    output = output_with_reasoning(given, reasoning, read_in_all, usage.count("total_tokens"))
    return usage_with_cache(
        read_in_all, entered.count("cached_tokens"), entered.count("cache_write_tokens"), output, reasoning
    )


def codex(usage: ReportedUsage) -> TokenUsage:
    """Read Codex's last token usage: input with the cache, output with its reasoning."""
    return usage_with_cache(
        usage.count("input_tokens"),
        usage.count("cached_input_tokens"),
        0,
        usage.count("output_tokens"),
        usage.count("reasoning_output_tokens"),
    )


def gemini(usage: ReportedUsage) -> TokenUsage:
    """Read Gemini CLI's: input with the cache and without the tools' prompt, output without its thoughts."""
    thoughts = usage.count("thoughts")
    read_in_all = usage.count("input") + usage.count("tool")
    return usage_with_cache(read_in_all, usage.count("cached"), 0, usage.count("output") + thoughts, thoughts)


def cline(usage: ReportedUsage) -> TokenUsage:
    """Read Cline's: input with the cache, read and written."""
    return usage_with_cache(
        usage.count("inputTokens"),
        usage.count("cacheReadTokens"),
        usage.count("cacheWriteTokens"),
        usage.count("outputTokens"),
    )


def langchain(usage: ReportedUsage) -> TokenUsage:
    """Read LangChain's usage_metadata: input with the cache, output with its reasoning."""
    return _with_cache_within(usage, usage.details("input_token_details"), "cache_read", "cache_creation")


def pydantic_ai(usage: ReportedUsage) -> TokenUsage:
    """Read pydantic-ai's RequestUsage: input with the cache, output with its reasoning."""
    return _with_cache_within(usage, usage, "cache_read_tokens", "cache_write_tokens")


def _with_cache_within(usage: ReportedUsage, cache: ReportedUsage, read: str, written: str) -> TokenUsage:
    """Return the usage of a library that may state more of the cache than of the input: what exceeds it is left out."""
    entered = usage.count("input_tokens")
    cached = min(cache.count(read), entered)
    fresh = min(cache.count(written), entered - cached)
    return usage_with_cache(entered, cached, fresh, usage.count("output_tokens"))


PROVIDERS: Final[dict[str, Callable[[ReportedUsage], TokenUsage]]] = {
    "anthropic": anthropic,
    "opencode": opencode,
    "openai": openai,
    "codex": codex,
    "gemini": gemini,
    "cline": cline,
    "pi": pi,
}
"""The function that reads each provider's usage."""


def normalize(provider: str, raw_usage: object) -> TokenUsage:
    """Read a provider's own usage, a mapping with its names (TOK_02).

    The providers: anthropic, opencode, openai, codex, gemini, cline, pi.
    Raises InvalidInput for another provider, or for a count that is no whole number from 0.
    """
    if provider not in PROVIDERS:
        raise InvalidInput(f"there is no provider {shown(provider)}; there are: {', '.join(PROVIDERS)}")
    return PROVIDERS[provider](read(provider, raw_usage))


READERS: Final = (
    ("input_token_details", langchain),
    ("details", pydantic_ai),
    ("prompt_tokens", openai),
    ("input_tokens_details", openai),
    ("input_tokens", anthropic),
)
"""The field by which each usage of a response is known, the surest first, and the function that reads it."""


def read_usage(usage: object) -> TokenUsage:
    """Return the usage of a response, whatever library it is of, or the response that has one.

    The value of the SDK or a dictionary of it: of the Messages API, OpenAI's APIs, LangChain (`usage_metadata`) or
    pydantic-ai. Raises InvalidInput.
    """
    if isinstance(usage, TokenUsage):
        return usage
    numbers = _fields_of(usage)
    if not numbers and not isinstance(usage, Mapping):
        raise InvalidInput(f"a usage is what a response reported, not {type(usage).__name__}")
    numbers = _fields_of(numbers.get("usage") or numbers.get("usage_metadata")) or numbers
    reader = next((reader for name, reader in READERS if name in numbers), None)
    if reader is None or numbers.keys().isdisjoint({"input_tokens", "prompt_tokens"}):  # a window needs what was read
        given = ", ".join(map(str, numbers)) or "nothing"
        raise InvalidInput(f"a usage states input_tokens or prompt_tokens; this one has {given}")
    if isinstance(requests := numbers.get("requests"), int) and requests > 1:
        raise InvalidInput(f"this usage is the sum of {requests:,} requests; pass that of the last response")
    return reader(ReportedUsage(reader.__name__, numbers))


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
