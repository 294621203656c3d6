"""Acceptance: whether a text may stand for what it replaces.

Specified by features/summary/acceptance.feature (SUM_08).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from brim.conversation.messages import is_visible
from brim.summary.error_texts import is_error_text, is_refusal_text
from brim.summary.telling.sentences import on_one_line, opening

Outcome: TypeAlias = Literal["ok", "empty", "error_text", "cut_off", "refusal", "too_large", "missing_fact"]
"""What an attempt at a summary came to, in the words that attempts are counted by."""

STOPPED_SHORT: Final = frozenset({"max_tokens", "model_context_window_exceeded", "length"})
"""The reasons to stop, in the words of the providers, that mean the answer was cut off."""
WENT_ON: Final = frozenset({"tool_use", "tool_calls", "pause_turn"})
"""Those that mean it went on with the work, whatever it said before that."""
DECLINED: Final = frozenset({"refusal", "content_filter"})
"""Those that mean the model declined."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What an attempt at a summary came to, and the numbers or words that decided."""

    outcome: Outcome
    """What it came to: `ok`, or what is wrong with it."""
    reason: str
    """The numbers or the words that decided."""

    @property
    def accepted(self) -> bool:
        """Whether the summary may stand for what it replaces."""
        return self.outcome == "ok"


def judge_summary(
    text: str,
    *,
    replaces_tokens: int,
    summary_tokens: int,
    stop_reason: str | None = None,
    api_error: bool = False,
    pinned_facts: Sequence[str] = (),
    longest_tokens: int = 0,
    tokens_after: int = 0,
    due_from: int = 0,
) -> Acceptance:
    """Judge an extracted summary against what it replaces, by one measure of tokens (SUM_08).

    Args:
        text: the summary, as extraction gave it.
        replaces_tokens: tokens of the messages that it stands for.
        summary_tokens: tokens of the text.
        stop_reason: why the model stopped, in the provider's words.
        api_error: the API or the harness marked the answer as an error.
        pinned_facts: texts that the caller wants to find in it, however their white space is set.
        longest_tokens: the length that was asked for at most; 0 where none was.
        tokens_after: what the window would hold with it.
        due_from: the fewest tokens of a window that are due for compaction; 0 where that is not judged.
    """
    fault = _fault_of_answer(text, stop_reason, api_error=api_error) or _fault_of_text(text)
    if fault is None and summary_tokens > replaces_tokens:
        fault = Acceptance("too_large", f"{summary_tokens} tokens would stand for {replaces_tokens}")
    if fault is None and 0 < longest_tokens < summary_tokens:
        fault = Acceptance("too_large", f"{summary_tokens} tokens, where {longest_tokens} were asked for at most")
    if fault is None and 0 < due_from <= tokens_after:
        fault = Acceptance(
            "too_large", f"it would leave {tokens_after} tokens, and from {due_from} on they are due again"
        )
    return fault or _lack(text, pinned_facts) or Acceptance("ok", "accepted")


def _fault_of_answer(text: str, stop_reason: str | None, *, api_error: bool) -> Acceptance | None:
    if api_error:
        return Acceptance("error_text", f"marked as an error: {opening(text) or 'without a text'}")
    if stop_reason in DECLINED:
        return Acceptance("refusal", f"the model declined ({stop_reason})")
    if stop_reason in WENT_ON:
        return Acceptance("cut_off", f"the model went on with the work in place of a summary ({stop_reason})")
    if stop_reason in STOPPED_SHORT:
        return Acceptance("cut_off", f"the answer was cut off ({stop_reason}); a higher limit would help")
    return None


def _fault_of_text(text: str) -> Acceptance | None:
    if not is_visible(text):
        return Acceptance("empty", "it holds no visible character")
    if is_error_text(text):
        return Acceptance("error_text", f"the whole text is an error: {opening(text)}")
    if is_refusal_text(text):
        return Acceptance("refusal", f"the whole text is a refusal: {opening(text)}")
    return None


def _lack(text: str, pinned_facts: Sequence[str]) -> Acceptance | None:
    held = on_one_line(text)
    missing = [fact for fact in pinned_facts if on_one_line(fact) not in held]
    if not missing:
        return None
    return Acceptance("missing_fact", f"lacks {len(missing)} of {len(pinned_facts)} pinned facts: {missing[0]}")
