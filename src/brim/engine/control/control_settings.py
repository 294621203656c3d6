"""The settings of a compaction control, as the SDK's tool runner took them, looked at before anything is sent.

Part of the compaction control; specified by features/engine/compaction_control.feature (CMP_11, TRG_11).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Required, TypeAlias, TypedDict, get_args

from brim.compaction.policy import CompactionPolicy, OnFailure
from brim.engine.listeners import Listener
from brim.errors import InvalidInput, Refused
from brim.models import NO_LIMIT, ModelLimits
from brim.summary.prompts import prompt_for

Listening: TypeAlias = Listener | Iterable[Listener] | None
POLICIES: Final[tuple[str, ...]] = get_args(OnFailure)
DEFAULT_THRESHOLD: Final = 100_000
"""Tokens of the last answer from which on the history is summarised (TRG_11)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A compaction control that was looked at, and what brim adds to it."""

    threshold: int
    model: str = ""
    prompt: str = "structured"
    on_failure: OnFailure = "template"
    on_event: Listening = None
    limits: ModelLimits | None = None
    sleep: Callable[[float], Any] | None = None

    def options(self) -> dict[str, Any]:
        """What a compactor is told of it."""
        return {
            "limits": self.limits or NO_LIMIT,
            "policy": CompactionPolicy(summary_model=self.model, prompt=self.prompt, on_failure=self.on_failure),
            "on_event": self.on_event,
            "sleep": self.sleep,
        }


class CompactionControl(TypedDict, total=False):
    """What the SDK's tool runner took as `compaction_control`."""

    enabled: Required[bool]
    """Whether it is on. It has to be said."""
    context_token_threshold: int
    """Tokens of the last answer, cache included, from which on the history is summarised; 100,000."""
    model: str
    """The model that writes the summary; that of the runner."""
    summary_prompt: str
    """What it is asked for: a text, or the name of one of brim's prompts."""


def read_control(control: Mapping[str, Any], **added: Any) -> Control:
    """A control that was looked at. Raises InvalidInput where it is none, Refused where it cannot work."""
    if not isinstance(control, Mapping):
        raise InvalidInput(f"a compaction control is an object, not {type(control).__name__}")
    known = CompactionControl.__annotations__
    unknown = [name for name in control if name not in known]
    if unknown:
        raise InvalidInput(f"a compaction control has no {unknown[0]!r}; it has: {', '.join(known)}")
    if type(control.get("enabled")) is not bool:
        raise InvalidInput("a compaction control says with 'enabled' whether it is on: True or False")
    if added.get("on_failure", "template") not in POLICIES:
        raise InvalidInput(f"there is no policy {added['on_failure']!r}; there are: {', '.join(POLICIES)}")
    prompt = _text(control, "summary_prompt") or "structured"
    prompt_for(prompt)
    return Control(threshold=_threshold(control), model=_text(control, "model"), prompt=prompt, **added)


def _threshold(control: Mapping[str, Any]) -> int:
    told = control.get("context_token_threshold", DEFAULT_THRESHOLD)
    if type(told) is not int:
        raise InvalidInput(f"'context_token_threshold' is a whole number of tokens, not {told!r}")
    if told <= 0:
        raise Refused(f"a threshold of {told:,} tokens: every answer would be summarised; set one above 0")
    return told


def _text(control: Mapping[str, Any], name: str) -> str:
    told = control.get(name)
    if told is not None and not isinstance(told, str):
        raise InvalidInput(f"{name!r} of a compaction control is a text, not {type(told).__name__}")
    return told or ""
