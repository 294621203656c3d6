"""Reports: what the output of a program says of tests.

Specified by features/selection/anchors.feature (ANC_06).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

LONGEST: Final = 500
"""Characters of the longest line that is looked at: a longer one is data, not a report."""


def telling_lines(text: str, words: Iterable[str]) -> Iterator[str]:
    """Yield the lines that hold one of the words; a line that holds several may come more than once."""
    for word in words:
        at = text.find(word)
        while at >= 0:
            start, stop = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            stop = len(text) if stop < 0 else stop
            if stop - start <= LONGEST:
                yield text[start:stop]
            at = text.find(word, stop)


Report: TypeAlias = Literal["passing", "failing", "unknown"]
"""Unknown is a failure and then a success in one output: what failed may have been mended, or is another thing."""

COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")

_NOUN: Final = r"(?:(?:unit |integration )?(?:tests?|specs?|examples?|suites?|files?|cases?) )?"
_PASSED: Final = r"pass(?:ed|ing)?"
_FAILED: Final = r"fail(?:ed|ing|ures?)?"
_DIGITS: Final = r"(\d+(?:,\d{3})*)"
_NUMBER: Final = rf"(?<![\w.,]){_DIGITS}"

COUNT_FIRST: Final = re.compile(rf"{_NUMBER} {_NOUN}(?:have )?({_PASSED}|{_FAILED})\b(?!\s*[:=]\s*\d)")
"""`12 passed`, `3 tests failed`, `12 tests have passed`, `1 failing`."""
ORDINAL: Final = re.compile(r"\b(?:task|item|step|line|request|attempt|job|worker|port|code) (?:\d+ )?$")
"""What stands before a number that counts nothing: `Task 2 failed`, `Task 2 failed: 84`."""
COUNT_LAST: Final = re.compile(rf"\b({_PASSED}|{_FAILED})\s*[:=]\s*{_DIGITS}")
"""`Failed: 0`, `failures=1`."""
COUNT_LISTED: Final = re.compile(r"^[#ℹ] (pass|fail) (\d+)")
"""`# pass 5`, as TAP and Node count."""
SHARE: Final = re.compile(rf"{_NUMBER} ?(?:/|of|out of) ?{_DIGITS} {_NOUN}{_PASSED}\b")
"""`11 of 12 tests passed`."""

FAILING: Final = re.compile(
    r"^\W*fail(?:ed|ures?)?[!.]?$"  # FAIL, FAILURES!
    r"|^fail(?:ed)?\s+\S*[./:]\S"  # FAILED tests/test_a.py::test_b, FAIL src/a.test.js, FAIL example.com/pkg
    r"|^failed \("  # FAILED (failures=1)
    r"|^fail: \D"  # FAIL: test_b (module)
    r"|^\s*--- fail:"  # --- FAIL: TestB
    r"|^tests run:.*\berrors: [1-9]"  # Tests run: 5, Failures: 0, Errors: 1
    r"|\bpassed\b.* [1-9]\d* errors?\b"  # 1 passed, 2 errors
    r"|^=+ [1-9]\d* errors? in "  # === 1 error in 0.12s ===
    r"|(?<![\w.,])(?!100(?:\.0+)?%)[\d.]+% (?:of )?(?:the )?tests pass"  # 80% tests passed
)
PASSING: Final = re.compile(
    r"^\W*pass(?:ed)?[!.]?$"  # PASS, Passed!
    r"|^pass\s+\S*[./]\S"  # PASS src/a.test.js
    r"|^\s*--- pass:"  # --- PASS: TestA
    r"|(?<![\w.])[1-9]\d* (?:tests?|examples?|specs?|runs|scenarios)\b.*\b0 fail"  # 12 examples, 0 failures
    r"|^tests run: [1-9]\d*, failures: 0, errors: 0"
)
OK_LINE: Final = re.compile(
    r"ok(?:"
    r"\s+\S+\s+(?:\(cached\)|[\d.]+s)(?!.*no tests to run)"  # ok  example.com/pkg  0.4s
    r"| [1-9]\d*\b"  # ok 1 - a
    r"| \([1-9]\d* tests?"  # OK (5 tests, 10 assertions)
    r")"
)
BARE_OK: Final = re.compile(r"ok(?: \(.*\))?\s*$")
"""How unittest ends, once it has said how many tests it ran."""
RAN: Final = re.compile(r"ran [1-9]\d* tests? in ")
SAID: Final = re.compile(
    r"^(.*?)\b(?:tests?|suites?|specs?|all) (?:(?:have|are|all|now|has|is) ){0,2}"
    r"(?:(pass(?:ed|ing)?)|failed)\b(?! ?[:=] ?0)"
)
"""`All tests passed`, `Some tests failed`: in words, with what stands before it on the line."""
UNSAID: Final = re.compile(
    r"(?<![\w.])0 |\b(?:no|not|none|never|cannot|without|"
    r"if|unless|until|once|when|whether|should|must|ensure|sure|verify)\b|n't"
)
"""Words before it that make it something else: a denial, a condition, a wish."""
PARTLY: Final = re.compile(r"\b(?:some|few|most|only)\b")
"""Words before a success that leave room for failures."""


def read_test_report(text: str) -> Report | None:
    """Return what a text tells of tests; None where it tells nothing of them. A failure outweighs every success."""
    lowered = text.lower()
    found: Report | None = "passing" if _says_ok(lowered) else None
    for line in telling_lines(lowered, ("pass", "fail", " error in ", " errors in ")):
        outcome = _line_outcome(COLOURS.sub("", line) if "\x1b" in line else line)
        if outcome == "failing":
            return outcome
        found = outcome or found
    return found


def last_report(text: str) -> Report | None:
    """Return what the last line says that tells of tests; None where none does."""
    for line in reversed(COLOURS.sub("", text.lower()).split("\n")):
        if OK_LINE.match(line):
            return "passing"
        telling = len(line) <= LONGEST and ("pass" in line or "fail" in line or " error" in line)
        if telling and (found := _line_outcome(line)):
            return found
    return None


def _line_outcome(line: str) -> Report | None:
    counts, words = list(_counts(line)), SAID.search(line)
    if words and UNSAID.search(words[1]):
        words = None
    if any(failed for failed, _ in counts) or _partly(line) or FAILING.search(line) or (words and not words[2]):
        return "failing"
    if any(passed for _, passed in counts) or PASSING.search(line) or (words and not PARTLY.search(words[1])):
        return "passing"
    return None


def _counts(line: str) -> Iterator[tuple[bool, bool]]:
    """Yield for each count that a line gives whether tests failed, and whether tests passed."""
    for pattern, number, word in ((COUNT_FIRST, 1, 2), (COUNT_LAST, 2, 1), (COUNT_LISTED, 2, 1)):
        for match in pattern.finditer(line):
            if not ORDINAL.search(line[: match.start()]):
                some = match[number].strip("0,") != ""
                yield some and match[word].startswith("fail"), some and match[word].startswith("pass")


def _partly(line: str) -> bool:
    """Return whether a line gives the share of the tests that passed, and it is not all of them."""
    return any(int(passed.replace(",", "")) < int(whole.replace(",", "")) for passed, whole in SHARE.findall(line))


def _says_ok(text: str) -> bool:
    """Return whether lines that begin with `ok` tell of passing tests, as Go, TAP, PHPUnit or unittest do."""
    if not (text.startswith("ok") or "\nok" in text) or "not ok " in text:
        return False
    lines = [line for line in text.split("\n") if line.startswith("ok")]
    if any(OK_LINE.match(line) for line in lines):
        return True
    return any(BARE_OK.match(line) for line in lines) and RAN.search(text) is not None
