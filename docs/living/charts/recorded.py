"""The recorded session in docs/examples, read and inspected once, with the model that the demonstration names."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from brim.models import ModelLimits
from brim.transcripts import read_transcript
from brim.transcripts.inspection import Inspection, inspect_transcript
from brim.transcripts.values import Transcript

__all__ = ["LIMITS", "SESSION", "inspected", "transcript"]

SESSION: Final = Path(__file__).parents[2] / "examples" / "recorded-session.jsonl"
LIMITS: Final = ModelLimits(context_window=32_000, max_output_tokens=4_096)
"""A model for which the session is too long, as `make demo` has it."""


@cache
def transcript() -> Transcript:
    """The session."""
    return read_transcript(SESSION)


@cache
def inspected() -> Inspection:
    """What `brim inspect` finds in it."""
    return inspect_transcript(transcript(), LIMITS)
