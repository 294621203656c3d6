"""Usable context: what is left to read into once the answer has its room.

Specified by features/trigger/usable_context.feature (TRG_01, TRG_02, TRG_03, TRG_07).
"""

from __future__ import annotations

from typing import Final

from brim.errors import InvalidInput, Refused, shown
from brim.models import ModelLimits, Tokens

OUTPUT_CAP: Final = 32_000
"""Tokens set aside for an answer at most, and where a model states no longest one (TRG_01, TRG_02)."""


def output_reserve(limits: ModelLimits, output_cap: int = OUTPUT_CAP) -> int:
    """Return the room for the answer in tokens: the longest, at most the cap (TRG_01); the cap where none is stated."""
    return min(limits.max_output_tokens or output_cap, output_cap)


def usable_context(limits: ModelLimits, output_cap: Tokens = OUTPUT_CAP) -> int:
    """Return the usable context: the window less room for the answer; 0 if nothing is left (TRG_03).

    `reserve` is `min(max_output_tokens, output_cap)`, or `output_cap` if `max_output_tokens` is 0. The result is
    `max(context_window - reserve, 0)`, and at most `max_input_tokens` if that is above 0. Nothing is refused.

    Args:
        limits: What the model states about its size.
        output_cap: The limit of the output reserve.
    """
    beside = max(limits.context_window - output_reserve(limits, output_cap), 0)
    return min(beside, limits.max_input_tokens or beside)


def validate_limits(limits: ModelLimits, output_cap: int = OUTPUT_CAP) -> int:
    """Return the usable context of limits to be judged by. Raises Refused where the answer leaves no room (TRG_07).

    A window of 0 is no limit, not a small one: its usable context is 0, and it is not refused.
    """
    if not isinstance(limits, ModelLimits):
        raise InvalidInput(f"limits are {shown(limits)}; they are a ModelLimits: brim.models.limits_of(NAME) gives one")
    usable = usable_context(limits, output_cap)
    if usable == 0 and limits.context_window > 0:
        raise Refused(
            f"no room beside the answer: window {limits.context_window}, "
            f"reserved {output_reserve(limits, output_cap)}; "
            "state the model's real limits (context_window, max_output_tokens), or choose a model with a larger window"
        )
    return usable
