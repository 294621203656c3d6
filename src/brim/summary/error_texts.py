"""Error texts: answers that as a whole have the form of an error or a refusal, and so are no summary (SUM_08).

A text is judged whole: a summary that quotes an error among its own sentences has none of these forms.
"""

from __future__ import annotations

import re
from typing import Final

LONGEST_NOTICE: Final = 500
"""Characters beyond which a text is no mere notice of an error or a refusal; a traceback may be longer."""

_REASONS = (
    r"too many requests|overloaded|site is overloaded|rate limit(?:ed| exceeded| reached)?|quota exceeded|"
    r"internal server error|server error|service unavailable|bad gateway|gateway time-?out|request time-?out|"
    r"bad request|unauthori[sz]ed|payment required|forbidden|not found|conflict|unprocessable entity|"
    r"(?:payload|request|request entity|content) too large|connection error|network error|fetch failed|"
    r"\w+_error"
)
_BODY = r"[{\[].*[}\]]"
_PREFIX = r"(?:\w*api |http(?:/[\d.]+)? |request |anthropic |openai )?(?:error|status)?(?: code)?"
_PLEA = (
    r"(?:[.!,;:· -]*\b(?:please|(?:try|trying) again|(?:retry|retrying) (?:in|after)|you can retry|request[ _-]id)\b"
    r"[^\n]*)?"
)

_STATUS = rf"{_PREFIX}[:\s]*\(?[45]\d\d\)?[\s:,.-]*(?:(?:{_REASONS})[\s:,.-]*)?(?:{_BODY})?{_PLEA}"
"""A status, with a reason, a body or both."""
_NAMED = rf"{_PREFIX}[:\s]+(?:{_REASONS})[\s:,.-]*(?:{_BODY})?{_PLEA}"
"""An error that names its reason."""
_RAISED = (
    r"(?:[\w.]+\.)?(?:API\w*|RateLimit|Overloaded|InternalServer|Authentication|BadRequest|PermissionDenied)Error"
    r"(?::[^\n]*)?"
)
"""An exception of a provider's client."""
_OVERLOADED = (
    r"(?:the |our |this )?(?:model|server|servers|service|api|engine|claude|anthropic)?\s*(?:is|are)?\s*"
    rf"(?:currently |temporarily )?overloaded(?:_error)?(?: with other requests)?{_PLEA}"
)
_LIMITED = (
    r"(?:you(?:'ve| have)? |your (?:account|organi[sz]ation) has )?(?:(?:hit|reached|exceeded) (?:your |the |its )?)?"
    r"(?:api )?(?:rate|usage) limit(?: error)?(?: (?:was |has been )?(?:exceeded|reached|hit))?(?: for [^\n]*)?"
    rf"{_PLEA}"
)
FORMS: Final = tuple(
    re.compile(rf"(?:{form})[.!\s]*\Z", re.IGNORECASE | re.DOTALL)
    for form in (
        _STATUS,
        _NAMED,
        r"\{\s*[\"']type[\"']\s*:\s*[\"']error[\"'].*\}",
        r"\{\s*[\"']error[\"']\s*:.*\}",
        _RAISED,
        _OVERLOADED,
        _LIMITED,
        "rate_limit_error",
        "error generating summary(?::.*)?",
        r"prompt is too long(?::[^\n]*)?",
        "request timed out|request was aborted",
        r"(?:your )?credit balance is too low[^\n]*",
        rf"invalid (?:x-)?api[ -]key{_PLEA}",
    )
)
REFUSAL: Final = re.compile(
    r"(?:(?:i'm|i am) (?:really |very |so |truly )?sorry\b|sorry\b|(?:i )?apologi[sz]e\b)[^\n.]*?"
    r"\b(?:can't|cannot|can not|won't|unable to|not able to)\b"
    r"|(?:as an ai\b[^\n.]*?,? )?(?:i|i'm|i am) (?:can't|cannot|can not|won't|unable to|not able to|will not) "
    r"(?:help|assist|comply|continue|summari[sz]e|fulfil|provide|do (?:that|this)|engage)",
    re.IGNORECASE,
)
TRACE_OPENINGS: Final = ("Traceback (most recent call last):", "panic: ", "Exception in thread ")
TRACE_LINE: Final = re.compile(
    r"\s|Traceback \(most recent call last\):|[\w.$]+(?::|\Z)"
    r"|During handling of the above|The above exception was|Caused by:|goroutine \d|[\w./*]+\(.*\)\Z|exit status \d"
    r"|panic: |Exception in thread |\Z"
)
SCRIPT_TRACE: Final = re.compile(r"(?:Uncaught )?(?:\w+)?Error(?:: [^\n]*)?(?:\n\s+at [^\n]+)+\Z")


def is_error_text(text: str) -> bool:
    """Whether the text as a whole is a status with its reason, a notice of a limit, or a traceback."""
    whole = text.strip().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    if _is_traceback(whole):
        return True
    return len(whole) <= LONGEST_NOTICE and any(form.match(whole) for form in FORMS)


def is_refusal_text(text: str) -> bool:
    """Whether the text as a whole declines: one short paragraph that begins by saying so."""
    whole = text.strip().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return len(whole) <= LONGEST_NOTICE and "\n\n" not in whole and REFUSAL.match(whole) is not None


def _is_traceback(text: str) -> bool:
    if SCRIPT_TRACE.match(text):
        return True
    return text.startswith(TRACE_OPENINGS) and all(TRACE_LINE.match(line) for line in text.split("\n"))
