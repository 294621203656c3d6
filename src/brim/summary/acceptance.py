"""Acceptance: whether a text may replace a history.

Specified by features/summary/acceptance.feature (SUM_08).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from brim.evidence.failures import excerpt, on_one_line

MAX_SENTENCE_CHARS: Final = 200
"""A text of so many characters that tells of a failure is taken for its notice: it is no summary of a history."""
MAX_NOTICE_CHARS: Final = 500
"""A longer text is no notice of an error either, and no refusal; a traceback may be longer."""
FAILURE: Final = re.compile(
    r"error\b|exception|overloaded|(?:rate|usage|your) limit|limit reached|quota|time-?d? ?out|too (?:long|large|many)"
    r"|unavailable|unauthori[sz]ed|forbidden|bad (?:gateway|request)|^not found|does not exist|maximum context"
    r"|went wrong|failed to|fetch failed|credit balance|api key|econn|connection (?:error|re(?:fused|set))|upstream"
    r"|blocked by|filtered due|been disabled|has expired|interrupted by|disconnected|resource_exhausted",
    re.IGNORECASE,
)
"""Words by which providers, their clients and harnesses say that something failed."""
NOTICE: Final = re.compile(
    r"[\w.]*(?:error|exception|timeout)\b|(?:\w* ?api |http\S* |request )?(?:error\b|[45]\d\d\b)|<(?:!doctype )?html\b"
    r"|\{\s*[\"'](?:type[\"']\s*:\s*[\"']error|error|message|detail)[\"']"
    r"|\[object object\]|\(?no (?:content|response|output)\b|(?:null|undefined|none|nil|n/a)[.!\s]*\Z",
    re.IGNORECASE,
)
"""How a longer notice begins: with an error, a status, a provider's body or the page of a proxy; and what stands where
a program had no text."""
REFUSAL: Final = re.compile(
    r"(?:unfortunately,? |sure[!,.] )?(?:(?:(?:i'm|i am) )?(?:\w+ )?sorry\b|(?:i )?apologi[sz]e\b|as an ai\b"
    r"|i(?: must| have to) decline\b|i(?:'d| would) rather not\b|(?:could you )?please (?:provide|paste|share)\b"
    r"|(?:i|i'm|i am) (?:can't|cannot|can not|won't|will not|unable to|not able to)\b|no conversation\b"
    r"|(?:there is|i (?:do not|don't) (?:have|see)) .{0,20}\b(?:conversation|history)\b"
    r"|es tut mir leid\b|je suis désolé\b|lo siento\b|抱歉|对不起|申し訳)",
    re.IGNORECASE,
)
"""How a text begins that declines."""
TRACE: Final = re.compile(
    r"Traceback \(most recent call last\):|panic: |Exception in thread |(?:Uncaught )?\w*Error\b[^\n]*\n\s+at "
)
"""How a traceback of Python, Go, Java or JavaScript begins."""
EMPHASIS: Final = re.compile(r"[*`]+|__|~~|^[>#\s]+")
"""What sets a notice off in Markdown."""
FENCE: Final = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[\w.+-]*[ \t]*$", re.MULTILINE)
"""A line that begins or ends a block of code: the language that it names is no word of a summary."""
_MARK = (
    r"<[|｜]?(?:\w{1,20}[|｜:_])?(?:(?:tool|function)[_▁]?(?:calls?|use|code)|invoke|function=|python_tag)[^<>]*>"
    r"|\[TOOL_(?:CALLS?|REQUEST)\]|functools\[|```tool_(?:call|code)\n"
)
CALL: Final = re.compile(rf"(?:{_MARK}).*[>\]}})`]\Z|<\|(?:start|channel)\|>.*\Z", re.DOTALL | re.IGNORECASE)
"""A call in the marks of a model's own format, from the first sign to the last; or harmony channels without a final
one: extraction takes that."""
CALL_KEYS: Final = {"action_input", "arguments", "function", "input", "parameters", "tool_calls", "tool_uses"}
"""A key of each call in JSON, in the APIs and in the formats of models; a summary in JSON has other keys."""


def is_error_text(text: str) -> bool:
    """Return whether a short text tells of a failure, or a longer one begins like its notice or a traceback."""
    whole = text.strip()
    if TRACE.match(whole):
        return True
    plain = EMPHASIS.sub("", whole)
    if len(whole) <= MAX_SENTENCE_CHARS and FAILURE.search(plain):
        return True
    return len(whole) <= MAX_NOTICE_CHARS and NOTICE.match(plain) is not None


def is_refusal_text(text: str) -> bool:
    """Return whether the text as a whole declines: one short paragraph that begins by saying so."""
    whole = text.strip().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return len(whole) <= MAX_NOTICE_CHARS and "\n\n" not in whole and REFUSAL.match(whole) is not None


def is_call_text(text: str) -> bool:
    """Return whether the text as a whole is a tool call, or several, in one of the forms in which models write them."""
    whole = text.strip()
    if CALL.match(whole):
        return True
    try:
        value = json.loads(FENCE.sub("", whole))
    except (ValueError, RecursionError):
        return False
    calls = value if isinstance(value, list) else [value]
    return bool(calls) and all(isinstance(call, dict) and not CALL_KEYS.isdisjoint(call) for call in calls)


Outcome: TypeAlias = Literal["ok", "empty", "error_text", "cut_off", "refusal", "too_large", "missing_fact"]
"""The verdict on a text."""

STOPPED_SHORT: Final = frozenset({"max_tokens", "model_context_window_exceeded", "length"})
"""Stop reasons of an answer that was cut off."""
WENT_ON_INSTEAD: Final = "the model went on with the work in place of a summary"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The verdict on a text, and its reason."""

    outcome: Outcome
    """`ok`, or the fault."""
    reason: str
    """The numbers or words that decided."""

    @property
    def accepted(self) -> bool:
        """Whether the summary may replace the history."""
        return self.outcome == "ok"


def judge_summary(
    text: str,
    *,
    replaces_tokens: int,
    summary_tokens: int,
    stop_reason: str | None = None,
    api_error: bool = False,
    required_facts: Sequence[str] = (),
    longest_tokens: int = 0,
    tokens_after: int = 0,
    highest: int = 0,
) -> Acceptance:
    """Judge an extracted summary against what it replaces, by one measure of tokens (SUM_08).

    Args:
        text: the summary, as extraction gave it.
        replaces_tokens: tokens of the messages that it replaces.
        summary_tokens: tokens of the text.
        stop_reason: why the model stopped, in the provider's words.
        api_error: the API or the harness marked the answer as an error.
        required_facts: texts that it must hold, white space aside.
        longest_tokens: the length that was asked for at most; 0 where none was.
        tokens_after: what the window would hold with it.
        highest: the most tokens with which there is room to go on; 0 where that is not judged.
    """
    fault = _fault_of_answer(text, stop_reason, api_error=api_error) or _fault_of_text(text)
    if fault is None and summary_tokens > replaces_tokens:
        fault = Acceptance("too_large", f"{summary_tokens} tokens would stand for {replaces_tokens}")
    if fault is None and 0 < longest_tokens < summary_tokens:
        fault = Acceptance("too_large", f"{summary_tokens} tokens, where {longest_tokens} were asked for at most")
    if fault is None and 0 < highest < tokens_after:
        fault = Acceptance("too_large", f"it would leave {tokens_after} tokens, where {highest} leave room to go on")
    return fault or _missing_facts(text, required_facts) or Acceptance("ok", "accepted")


def _fault_of_answer(text: str, stop_reason: str | None, *, api_error: bool) -> Acceptance | None:
    if api_error:
        return Acceptance("error_text", f"marked as an error: {excerpt(text) or 'without a text'}")
    if stop_reason in {"refusal", "content_filter"}:
        return Acceptance("refusal", f"the model declined ({stop_reason})")
    if stop_reason in {"tool_use", "tool_calls", "pause_turn"}:
        return Acceptance("cut_off", f"{WENT_ON_INSTEAD} ({stop_reason})")
    if stop_reason in STOPPED_SHORT:
        return Acceptance("cut_off", f"the answer was cut off ({stop_reason}); a higher limit would help")
    return None


def _fault_of_text(text: str) -> Acceptance | None:
    if not any(map(str.isalpha, FENCE.sub("", text))):
        return Acceptance("empty", "it holds no word")
    if is_call_text(text):
        return Acceptance("cut_off", f"{WENT_ON_INSTEAD}: {excerpt(text)}")
    if is_error_text(text):
        return Acceptance("error_text", f"the whole text is an error: {excerpt(text)}")
    if is_refusal_text(text):
        return Acceptance("refusal", f"the whole text is a refusal: {excerpt(text)}")
    return None


def _missing_facts(text: str, required_facts: Sequence[str]) -> Acceptance | None:
    held = on_one_line(text) if required_facts else ""
    missing = [fact for fact in required_facts if on_one_line(fact) not in held]
    if not missing:
        return None
    return Acceptance("missing_fact", f"lacks {len(missing)} of {len(required_facts)} required facts: {missing[0]}")
