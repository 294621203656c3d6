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

MAX_NOTICE_CHARS: Final = 500
"""A longer text is no mere notice of an error, and no refusal; a traceback may be longer."""

_REASON = (
    r"(?:too many requests|(?:site is )?overloaded|rate limit(?: exceeded| reached|ed)?|quota exceeded|unavailable"
    r"|(?:internal )?server error|service unavailable|bad gateway|(?:gateway |request |read )?time-?(?:d )?out"
    r"|bad request|unauthori[sz]ed|payment required|forbidden|not found|conflict|unprocessable entity"
    r"|request was aborted"
    r"|(?:payload|request|request entity|content) too large|(?:connection|network) error|fetch failed"
    r"|invalid (?:x-)?api[ -]key|resource_exhausted|\w+_error)"
)
_PLEA = (
    r"(?:[.!,;:· -]*\b(?:please|(?:try|trying) again|(?:retry|retrying) (?:in|after)|you can retry|request[ _-]id)\b"
    r"[^\n]*)?"
)
_FRAME = r"(?:\w*api |http(?:/[\d.]+)? |request |anthropic |openai )?(?:error|status)?(?: code)?[:\s]*"
_NOTICES = (
    rf"{_FRAME}(?:\(?[45]\d\d\)?[\s:,.-]*{_REASON}?|{_REASON})[\s:,.-]*(?:[{{\[].*[}}\]])?|"
    r"\{\s*[\"'](?:type[\"']\s*:\s*[\"']error[\"']|(?:error|message|detail)[\"']\s*:).*\}|"
    r"(?:[\w.]+\.)?\w*(?:exception|error|timeout)(?:: [^\n]*)?|"
    r"\W*api error\s*[:(][^\n]*|(?:error )?[45]\d\d[ ,:]*message: [^\n]*|"
    r"(?:(?:error )?[45]\d\d[ ,:]*)?resource_exhausted[.:][^\n]*|(?:error )?[45]\d\d[ ,:]*unavailable(?:[.:][^\n]*)?|"
    r"(?:the |our |this |that )?(?:model|server|servers|service|api|engine|claude|anthropic)?\s*(?:is|are)?\s*"
    r"(?:currently |temporarily )?overloaded(?:_error)?(?: with other requests)?|"
    r"(?:you(?:'ve| have)? |your (?:account|organi[sz]ation) has )?(?:(?:hit|reached|exceeded) (?:your |the |its )?)?"
    r"(?:api )?(?:rate|usage) limit(?: error)?(?: (?:was |has been )?(?:exceeded|reached|hit))?(?: for [^\n]*)?|"
    r"(?:claude (?:ai )?)?(?:\d+-hour |weekly |usage )+limit reached(?:\s*[|∙·.:(][^\n]*)?|"
    r"you've hit your limit(?:\s*[|∙·.:(][^\n]*)?|(?:your )?credit balance is too low[^\n]*|"
    r"you exceeded your current quota[^\n]*|this request would exceed [^\n]*rate limit[^\n]*|"
    r"number of request tokens has exceeded [^\n]*|this model's maximum context length is [^\n]*|"
    r"(?:previous )?(?:conversation|input|prompt) (?:(?:is|was) )?too long"
    r"(?: to summari[sz]e)?(?:[.:][^\n]*| for requested model)?|"
    r"connection (?:refused|reset(?: by peer)?)|e(?:connreset|connrefused|timedout|pipe)|"
    r"upstream connect error[^\n]*|no healthy upstream|stream (?:error|disconnected)(?:(?::| before )[^\n]*)?|"
    r"an error occurred(?: \(\w+\)[^\n]*| while processing your request)?|something went wrong|"
    r"the server had an error while processing your request[^\n]*|(?:internal|unknown|execution) error|"
    r"failed to generate (?:a |the )?(?:summary|response)(?::[^\n]*)?|(?:error: )?error during compaction(?::[^\n]*)?|"
    r"error generating summary(?::.*)?|"
    r"(?:[\w.]+: )?the model [`'\"]?[\w.:-]+[`'\"]? does not exist(?: or you do not have access[^\n]*)?|"
    r"output blocked by content filtering policy|the response was filtered due to [^\n]*|"
    r"your account has been disabled[^\n]*|oauth token has expired[^\n]*|"
    r"(?:<!doctype html|<html)\b.*|"
    r"\(?no (?:content|response|output)(?: requested)?\)?|summary unavailable|\[request interrupted by user[^\n]*"
)
"""What a whole text says that is an error: a status, a reason or both, a provider's body, an exception, an overload, a
limit of an account, a rate or a window, a provider that was not reached, a failure in the words of a provider or a
harness, a page of a proxy, and what stands where a program had no text."""
NOTICE: Final = re.compile(
    rf"(?:(?:{_NOTICES}){_PLEA}|null|undefined|none|nil|n/a|\[object object\])[.!\s]*\Z", re.IGNORECASE | re.DOTALL
)
REFUSAL: Final = re.compile(
    r"(?:unfortunately,? )?(?:"
    r"(?:(?:i'm|i am) (?:really |very |so |truly )?sorry\b|sorry\b|(?:i )?apologi[sz]e\b)[^\n.]*?"
    r"\b(?:can't|cannot|can not|won't|unable to|not able to)\b"
    r"|(?:as an ai\b[^\n.]*?,? )?(?:i|i'm|i am) (?:can't|cannot|can not|won't|unable to|not able to|will not) "
    r"(?:help|assist|comply|continue|summari[sz]e|fulfil|provide|do (?:that|this)|engage)"
    r"|i (?:must|have to) decline|i(?:'d| would) rather not"
    r"|(?:there is|i (?:do not|don't) (?:have|see)(?: access to)?)"
    r" (?:no|the|any|a) (?:conversation|history)(?: to summari[sz]e\b|[.!]?\s*\Z)"
    r"|no conversation was (?:provided|given)"
    r"|(?:sure[!,.] )?(?:could you )?please (?:provide|paste|share) the conversation)"
    r"|es tut mir leid\b|je suis désolé\b|lo siento\b|抱歉|对不起|申し訳",
    re.IGNORECASE,
)
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
TRACE_OPENINGS: Final = ("Traceback (most recent call last):", "panic: ", "Exception in thread ")
TRACE_LINE: Final = re.compile(
    r"\s|Traceback \(most recent call last\):|[\w.$]+(?::|\Z)"
    r"|During handling of the above|The above exception was|Caused by:|goroutine \d|[\w./*]+\(.*\)\Z|exit status \d"
    r"|panic: |Exception in thread |\Z"
)
SCRIPT_TRACE: Final = re.compile(r"(?:Uncaught )?(?:\w+)?Error(?:: [^\n]*)?(?:\n\s+at [^\n]+)+\Z")


def is_error_text(text: str) -> bool:
    """Return whether the text as a whole is a status with its reason, a notice of a limit, or a traceback."""
    whole = text.strip().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    if _is_traceback(whole):
        return True
    return len(whole) <= MAX_NOTICE_CHARS and NOTICE.match(EMPHASIS.sub("", whole)) is not None


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


def _is_traceback(text: str) -> bool:
    if SCRIPT_TRACE.match(text):
        return True
    return text.startswith(TRACE_OPENINGS) and all(TRACE_LINE.match(line) for line in text.split("\n"))


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
