"""What the window holds now: the tokens of the last usage, and an estimate of what was appended since.

Specified by features/tokens/window.feature (TOK_08, TOK_11).
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from fractions import Fraction
from operator import attrgetter
from typing import TypeAlias

from brim.tokens.calibration import Calibration, Calibrations
from brim.tokens.estimation import EMPTY_SIZE, Size, tokens_of
from brim.tokens.exact import Number, positive
from brim.tokens.usage import TokenUsage, is_measurement

Measure: TypeAlias = Callable[[TokenUsage], int]
"""The tokens of a usage; profiles that reproduce other systems have functions of their own."""

total_of: Measure = attrgetter("total")
"""Input, cache read and output (TOK_01)."""


class WindowAccount:
    """A running account of one conversation's window; the cost of a call does not depend on the history.

    Append everything that will be sent, the system prompt and the tools first; record the usage of every response. A
    usage covers everything appended before it, and its own response: pass the size of the response with the usage, or
    append it just before. Appended afterwards it would count twice.

    `characters_per_token` fixes the ratio of the estimates. Without it the ratio is that learned for the model, kept in
    `calibrations` (which conversations may share), and 4 until then (TOK_09). `held_ratio` is that of a profile, by
    which alone what the window holds is judged. `model` is that of the first request; each usage names its own.
    """

    def __init__(
        self,
        *,
        measure: Measure = total_of,
        characters_per_token: Number | None = None,
        held_ratio: int | None = None,
        calibrations: Calibrations | None = None,
        model: str = "",
    ) -> None:
        self._measure = measure
        self._fixed = characters_per_token is not None
        self._held_ratio = held_ratio
        self._calibrations = Calibrations() if calibrations is None else calibrations
        self._model = model
        learned = self._calibrations[model].characters_per_token
        self.characters_per_token: int | Fraction = (
            learned if characters_per_token is None else positive(characters_per_token, "characters per token")
        )
        """The ratio of the estimates; what is held may be judged by another one."""
        self._last: TokenUsage | None = None
        self.reported = 0
        """Tokens of the last usage; 0 where there is none."""
        self._all = self._since = EMPTY_SIZE

    def renewed(self) -> WindowAccount:
        """Return an empty account with the current ratio and the same calibrations."""
        new = copy(self)
        new._last, new.reported = None, 0  # noqa: SLF001 - its own
        new._all = new._since = EMPTY_SIZE  # noqa: SLF001 - as above
        return new

    @property
    def held(self) -> int:
        """Tokens the window holds now (TOK_08), at least 0; before the first usage, the estimate of everything."""
        return self.held_with(EMPTY_SIZE)

    def held_with(self, size: Size) -> int:
        """Count the tokens the window would hold with this size appended."""
        return max(0, self.reported + tokens_of(self._since + size, self._held_ratio or self.characters_per_token))

    @property
    def estimated(self) -> int:
        """The estimate of everything that was appended; usages are ignored."""
        return self.estimated_with(EMPTY_SIZE)

    def estimated_with(self, size: Size) -> int:
        """Return the estimate of everything with this size appended."""
        return tokens_of(self._all + size, self.characters_per_token)

    @property
    def calibration(self) -> tuple[str, Calibration]:
        """The model of the last usage, and what was learned of its characters a token (TOK_09)."""
        return self._model, self._calibrations[self._model]

    def append(self, size: Size) -> None:
        """Add the size of a message that the next request sends; a negative one for what was cleared."""
        self._all += size
        self._since += size

    def record(self, usage: TokenUsage, *, model: str = "", response: Size | None = None) -> bool:
        """Replace the last usage by that of a new response. Returns whether it measures the window.

        A usage of zeros does not (TOK_10). With the size of the `response`, the characters per token of its model are
        learned. That of a call for a summary is not recorded (TOK_11).
        """
        measured = is_measurement(usage, model)
        # another model counts the same differently
        if measured and response is not None and self._model == model and self._last is not None:
            growth = usage.input + usage.cache_read - self._last.total - self._since.media_tokens
            self._calibrations[model] = self._calibrations[model].learn(growth, self._since.characters)
        self.append(response or EMPTY_SIZE)
        if measured:
            self._last, self.reported, self._model = usage, self._measure(usage), model
            self._since = EMPTY_SIZE
            if not self._fixed:
                self.characters_per_token = self._calibrations[model].characters_per_token
        return measured

    def compacted(self, size: Size) -> None:
        """Start again after a compaction: `size` is everything that is sent now, system prompt and tools included."""
        self._last, self.reported = None, 0
        self._all = self._since = size
