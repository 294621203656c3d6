"""The limits a command works with: told ones first, then those of a model that brim knows, then the transcript's."""

from __future__ import annotations

from typing import Final

from brim.errors import InvalidInput, Refused, UnknownLimits
from brim.models import MODELS, ModelLimits, limits_of
from brim.transcripts import Transcript
from brim.trigger.profiles import profile_named
from brim.trigger.usable_context import validate_limits

LARGEST: Final = 1_000_000_000
"""Tokens that no window reaches: beyond it a limit is a slip of the keyboard."""


class WrongUsage(InvalidInput):
    """An option that no transcript makes right."""

    exit_code = 2


def told_limits(model: str | None, window: int | None, max_output: int | None) -> ModelLimits | None:
    """The limits of a model; None where its window is unknown and not told. Raises WrongUsage or Refused."""
    _check("--window", window, 1)
    _check("--max-output", max_output, 0)
    if window is None and (model or "").strip().lower() not in MODELS:
        return None
    limits = limits_of(model or "", window=window, max_output=max_output)
    _require_room(limits)
    return limits


def limits_for(
    transcript: Transcript, model: str | None, window: int | None, max_output: int | None
) -> ModelLimits | None:
    """The limits for a transcript: told ones, its model's, else the window that it states; None where that is none."""
    known = told_limits(model or transcript.model, window, max_output)
    if known is None and transcript.window:
        return limits_of("", window=transcript.window, max_output=max_output)
    return known


def required_limits(model: str | None, window: int | None, max_output: int | None) -> ModelLimits:
    """The same where there is nothing to say without limits. Raises UnknownLimits with the cure."""
    limits = told_limits(model, window, max_output)
    if limits is None:
        raise UnknownLimits(f"{unknown(model)}: tell it with --window, and the longest answer with --max-output")
    return limits


def require_profile(name: str) -> None:
    """Whether there is a profile of this name. Raises WrongUsage that lists the names there are."""
    try:
        profile_named(name)
    except InvalidInput as error:
        raise WrongUsage(str(error)) from error


def unknown(model: str | None) -> str:
    """That a window is unknown, in words."""
    return f"the context window of {model} is unknown" if model else "the model and its context window are unknown"


def _require_room(limits: ModelLimits) -> None:
    """Whether there is room beside the answer. Raises Refused, with the options that tell other limits."""
    try:
        validate_limits(limits)
    except Refused as refusal:
        raise Refused(f"{refusal}: --window and --max-output") from refusal


def _check(option: str, tokens: int | None, least: int) -> None:
    if tokens is not None and not least <= tokens <= LARGEST:
        raise WrongUsage(f"{option} is {tokens}; it is a number of tokens from {least} to {LARGEST:,}")
