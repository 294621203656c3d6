"""Estimates: how many tokens a text, a message or a request comes to where no model has counted them.

Specified by features/tokens/estimation.feature (TOK_06, TOK_07).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Final, Literal, Protocol

from brim.conversation.messages import Message
from brim.errors import InvalidInput
from brim.tokens.exact import Number, positive
from brim.tokens.sizes import NOTHING, Size, measure, measure_extras

__all__ = [
    "CHARACTERS_PER_TOKEN",
    "NOTHING",
    "FallbackCounter",
    "Rounding",
    "Size",
    "TokenCounter",
    "counted",
    "estimate_message",
    "estimate_tokens",
    "measure",
    "measure_extras",
    "tokens_of",
]

CHARACTERS_PER_TOKEN: Final = 4
"""Characters a token, for as long as nothing better was learned (TOK_06, TOK_09)."""

Rounding = Literal["up", "half_up"]
"""Up is the rule; half up is what OpenCode's estimator does."""


def estimate_tokens(text: str, rounding: Rounding = "up", characters_per_token: Number = CHARACTERS_PER_TOKEN) -> int:
    """Tokens of a text by its characters, which are Unicode code points (TOK_06). Raises InvalidInput."""
    ratio = positive(characters_per_token, "characters per token")
    tokens = len(text) / ratio
    if rounding == "up":
        return -(-tokens.numerator // tokens.denominator)
    if rounding == "half_up":
        return (2 * tokens.numerator + tokens.denominator) // (2 * tokens.denominator)
    raise InvalidInput(f"rounding is {rounding!r}; it is up or half_up")


def tokens_of(size: Size, characters_per_token: int | Fraction = CHARACTERS_PER_TOKEN) -> int:
    """Tokens of a size: its characters by the ratio, rounded up once, and its media as they are."""
    ratio = characters_per_token
    return -(-size.characters * ratio.denominator // ratio.numerator) + size.media_tokens


def estimate_message(message: Message, characters_per_token: int | Fraction = CHARACTERS_PER_TOKEN) -> int:
    """Tokens of a message: its characters by the ratio, its media by their constants. Raises InvalidInput."""
    return tokens_of(measure(message), characters_per_token)


class TokenCounter(Protocol):
    """Counts the tokens of a text exactly: a tokenizer, or a provider's counting call."""

    def count(self, text: str) -> int:
        """Tokens of the text."""
        ...


class FallbackCounter:
    """A token counter that never fails: characters stand in where the tokenizer does not answer (TOK_07).

    The first failure is kept in `failure` and handed to `report`; later ones are silent.
    """

    def __init__(self, counter: TokenCounter, report: Callable[[str], None] | None = None) -> None:
        self.counter = counter
        self.report = report
        self.failure: str | None = None

    def count(self, text: str) -> int:
        """Tokens of the text, by the tokenizer or else by its characters. Never raises."""
        try:
            return _whole(self.counter.count(text))
        except Exception as error:  # noqa: BLE001 - whatever a tokenizer raises, the estimate stands in
            self._failed(error)
            return estimate_tokens(text)

    def _failed(self, error: Exception) -> None:
        if self.failure is None:
            self.failure = f"tokens are estimated by characters: the tokenizer failed with {error!r}"
            if self.report is not None:
                with suppress(Exception):
                    self.report(self.failure)


def counted(text: str, counter: TokenCounter | None = None) -> int:
    """Tokens of a text by the counter, or by its characters where there is none or it fails (TOK_07)."""
    return estimate_tokens(text) if counter is None else FallbackCounter(counter).count(text)


def _whole(tokens: object) -> int:
    if type(tokens) is not int or tokens < 0:
        raise InvalidInput(f"it answered {tokens!r}, which is no count of tokens")
    return tokens
