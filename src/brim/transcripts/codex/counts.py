"""What a rollout counts: the tokens of each response, the running total, the window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brim.transcripts.blocks import Given
from brim.transcripts.decoding import Json

TOLD: Final = ("last_token_usage", "total_token_usage", "model_context_window")


class Counts:
    """The counts so far."""

    def __init__(self) -> None:
        self.window: int | None = None
        """Tokens of the context window, as Codex uses it."""
        self.held: int | None = None
        """Tokens that the last response held."""
        self._total: Json = None

    def take(self, info: Given) -> Given | None:
        """The tokens of the response before; None where the same running total was told before."""
        last, total, window = (info.get(name) for name in TOLD)
        self.window = window if type(window) is int and window > 0 else self.window
        if not isinstance(last, Mapping) or total == self._total:
            return None
        self._total = total
        held = last.get("total_tokens")
        self.held = held if type(held) is int else None
        return last
