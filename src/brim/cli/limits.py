"""The limits a command works with: stated ones first, then the transcript's own, then those of the model."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from brim.errors import InvalidInput, Refused, UnknownLimits
from brim.models import ModelLimits, known_limits, limits_of
from brim.transcripts import Transcript
from brim.trigger.usable_context import output_reserve, validate_limits

LARGEST: Final = 1_000_000_000
"""Tokens that no window reaches: beyond it a limit is a slip of the keyboard."""
TOOLS: Final[Mapping[str, int]] = MappingProxyType({"claude-code": 200_000})
"""Tokens that a tool uses of its model's window, by format, unless the transcript shows that it used more (TRG_23)."""


class WrongUsage(InvalidInput):
    """An option that no transcript makes right."""

    exit_code = 2


def stated_limits(model: str | None, window: int | None, max_output: int | None) -> ModelLimits | None:
    """The limits of a model; None where its window is unknown and not stated. Raises WrongUsage or Refused.

    Of a stated window below the model's at most a quarter is set aside for an answer whose limit is not stated.
    """
    check_flags(window, max_output)
    known = known_limits(model or "")
    if window is None and known is None:
        return None
    if window is not None and max_output is None and known is not None and window < known.context_window:
        max_output = min(output_reserve(known), window // 4)
    return with_room(limits_of(model or "", window=window, max_output=max_output))


def limits_for(
    transcript: Transcript, model: str | None, window: int | None, max_output: int | None
) -> ModelLimits | None:
    """The limits for a transcript: stated ones, then its own window, then that of its tool and model (CMD_04).

    A model that held more than its known window, as by a beta of its provider, has another one, which is unknown.
    """
    name, held = model or transcript.model or "", _most_held(transcript)
    stated = stated_limits(model if window is None else name, window, max_output)
    if stated is not None:
        return stated
    known, tool = known_limits(name), TOOLS.get(transcript.format, 0)
    if known and held > known.context_window:
        known = None
    if transcript.window or (tool and held <= tool and (known is None or tool < known.context_window)):
        return limits_of(name, window=transcript.window or tool, max_output=max_output)
    return limits_of(name, max_output=max_output) if known else None


def other_window(transcript: Transcript, limits: ModelLimits | None) -> int | None:
    """The model's own window, where its tool may use that in place of the limits' and nothing proves which (CMD_04)."""
    known, used = known_limits(transcript.model or ""), limits.context_window if limits else 0
    proven = transcript.window or any(made.kind == "auto" and made.recorded for made in transcript.compactions)
    doubted = known and used == TOOLS.get(transcript.format) and used < known.context_window and not proven
    return known.context_window if known and doubted else None


def _most_held(transcript: Transcript) -> int:
    """The most tokens that the window held, as the transcript says."""
    usages = (response.usage.total for response in transcript.responses if response.usage is not None)
    recorded = (made.recorded or 0 for made in transcript.compactions)
    return max([*usages, *recorded], default=0)


def required_limits(model: str | None, window: int | None, max_output: int | None) -> ModelLimits:
    """The same where there is nothing to say without limits. Raises UnknownLimits with the cure."""
    limits = stated_limits(model, window, max_output)
    if limits is None:
        raise UnknownLimits(f"{unknown(model)}; set --window, and --max-output for its longest answer")
    return limits


def unknown(model: str | None) -> str:
    """That a window is unknown, in words."""
    return f"the context window of {model} is unknown" if model else "the model and its context window are unknown"


def with_room(limits: ModelLimits) -> ModelLimits:
    """The limits, which leave room for the input. Raises Refused that names the options."""
    try:
        validate_limits(limits)
    except Refused as refusal:
        raise Refused(
            f"no room for input: window {limits.context_window:,}, output reserve {output_reserve(limits):,}; "
            "set --window and --max-output"
        ) from refusal
    return limits


def check_flags(window: int | None, max_output: int | None) -> None:
    """Raises WrongUsage for a number that no model has."""
    _check("--window", window, 1)
    _check("--max-output", max_output, 0)


def _check(option: str, tokens: int | None, least: int) -> None:
    if tokens is not None and not least <= tokens <= LARGEST:
        raise WrongUsage(f"{option} is {tokens}; it is a number of tokens from {least} to {LARGEST:,}")
