"""Estimates: the tokens of a text, a message or a request that no model has counted.

Specified by features/tokens/estimation.feature (TOK_06, TOK_07).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

from pydantic_core import PydanticSerializationError, to_json

from brim.conversation.messages import Marker, Media, Message, Part, Raw, Text, Thinking, ToolCall, ToolResult
from brim.errors import InvalidInput, described, shown, text_of
from brim.tokens.exact import Number, positive

MEDIA_TOKENS: Final = 1_600
"""Tokens of an image of any size, about those of the largest one that is not scaled down, and of a document whose text
is not in the message (TOK_06)."""
TextLength: TypeAlias = Callable[[str], int]
"""The length of a text in characters: its Unicode code points, or 4 for each token that a counter counts (TOK_07)."""


class Size(NamedTuple):
    """Characters, as a TextLength measures them, and the tokens of media, which no ratio applies to."""

    characters: int
    media_tokens: int = 0

    @property
    def weight(self) -> int:
        """Characters, with four for each token of media."""
        return self.characters + CHARACTERS_PER_TOKEN * self.media_tokens

    def __add__(self, other: Size) -> Size:  # type: ignore[override]
        return Size(self.characters + other.characters, self.media_tokens + other.media_tokens)

    def __sub__(self, other: Size) -> Size:
        return Size(self.characters - other.characters, self.media_tokens - other.media_tokens)


EMPTY_SIZE: Final = Size(0)


def measure(message: Message, length: TextLength = len) -> Size:
    """Return the size of a message, the sum of its parts. Raises InvalidInput."""
    return sum((measure_part(part, length) for part in message.parts), EMPTY_SIZE)


def measure_part(part: Part, length: TextLength = len) -> Size:
    """Return the size of one part; a marker, which is never sent, has none. Raises InvalidInput."""
    if isinstance(part, (Text, Thinking)):
        return Size(length(part.text))
    if isinstance(part, ToolCall):
        return Size(length(part.name) + json_length(part.input, length))
    if isinstance(part, ToolResult):
        if part.media:
            return sum((measure_part(item, length) for item in part.media), Size(length(part.text)))
        content = part.raw.get("content")
        return Size(json_length(content, length) if content and not part.text else length(part.text))
    if isinstance(part, Media):
        text = _document_text(part.raw.get("source"))
        return Size(0, MEDIA_TOKENS) if text is None else Size(length(text))
    return EMPTY_SIZE if isinstance(part, Marker) else Size(json_length(part.raw, length))


def measure_extras(
    system: str | Sequence[Raw] | None = None, tools: Iterable[Raw] = (), length: TextLength = len
) -> Size:
    """Return the size of the system prompt and the tool definitions, which every request carries."""
    blocks = [{"text": system}] if isinstance(system, str) else system or ()
    texts = sum(length(text_of(block.get("text", ""))) for block in blocks)
    return Size(texts + sum(json_length(tool, length) for tool in tools))


def json_length(value: object, length: TextLength = len) -> int:
    """Return the length of a value as compact JSON. Raises InvalidInput where it cannot be written."""
    written = json_bytes(value)
    return len(written) if length is len and written.isascii() else length(written.decode(errors=SURROGATES))


SURROGATES: Final = "surrogatepass"
"""How half a character is written: a text that was cut in the middle of an emoji holds one."""


def json_bytes(value: object) -> bytes:
    """Write a value as compact JSON. Raises InvalidInput if it is nested too deeply, or has keys that are no texts."""
    with suppress(PydanticSerializationError, ValueError):
        return to_json(value)
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=text_of)
        return text.encode(errors=SURROGATES)
    except RecursionError as error:
        raise InvalidInput("a block is nested too deeply to be measured") from error
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"a block cannot be written as JSON: {error}") from error


def _document_text(source: object) -> str | None:
    if not isinstance(source, Mapping):
        return None
    if source.get("type") == "text":
        return text_of(source.get("data", ""))
    content = source.get("content")
    if isinstance(content, list):
        return "".join(text_of(block["text"]) for block in content if isinstance(block, Mapping) and "text" in block)
    return content if isinstance(content, str) else None


CHARACTERS_PER_TOKEN: Final = 4
"""Characters a token until a ratio was learned (TOK_06, TOK_09)."""

Rounding = Literal["up", "half_up"]
"""Up is the rule; half up is what OpenCode's estimator does."""


def estimate_tokens(
    text: str,
    rounding: Rounding = "up",
    characters_per_token: Number = CHARACTERS_PER_TOKEN,
    length: TextLength = len,
) -> int:
    """Count the tokens of a text by its length (TOK_06). Raises InvalidInput for a ratio that is not above 0."""
    tokens = length(text) / positive(characters_per_token, "characters per token")
    return floor(tokens + Fraction(1, 2)) if rounding == "half_up" else ceil(tokens)


def tokens_of(size: Size, characters_per_token: int | Fraction = CHARACTERS_PER_TOKEN) -> int:
    """Count the tokens of a size: its characters by the ratio, rounded up once, plus the tokens of its media."""
    ratio = characters_per_token
    return -(-size.characters * ratio.denominator // ratio.numerator) + size.media_tokens


class TokenCounter(Protocol):
    """Counts the tokens of a text exactly: a tokenizer, or a provider's counting call."""

    def count(self, text: str) -> int:
        """Count the tokens of the text."""
        ...


class FallbackCounter:
    """Measures texts by a token counter, and by their characters where it fails (TOK_07).

    The first failure is passed to `report`; later ones are silent. Two of them are equal where their counters are.
    """

    def __init__(self, counter: TokenCounter, report: Callable[[str], Any]) -> None:
        self.counter, self.report = counter, report
        self._failed = False
        self._lengths: dict[tuple[int, int], int] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FallbackCounter) and self.counter == other.counter

    def __hash__(self) -> int:
        return hash(FallbackCounter)

    def length(self, text: str) -> int:
        """Return the length of a text: 4 characters for each token, or its own characters where the counter fails."""
        key = (len(text), hash(text))
        if key not in self._lengths:
            if len(self._lengths) >= 100_000:  # noqa: PLR2004 - texts, which a long-lived policy forgets then
                self._lengths.clear()
            self._lengths[key] = self._measured(text) if text else 0
        return self._lengths[key]

    def _measured(self, text: str) -> int:
        try:
            tokens = self.counter.count(text)
            if type(tokens) is not int or tokens < 0:
                raise InvalidInput(f"it answered {shown(tokens)}, which is no count of tokens")  # noqa: TRY301
        except Exception as error:  # noqa: BLE001 - whatever a tokenizer raises, characters are counted
            if not self._failed:
                self._failed = True
                self.report(f"characters are counted in place of tokens: the tokenizer failed with {described(error)}")
            return len(text)
        return CHARACTERS_PER_TOKEN * tokens
