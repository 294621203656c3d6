"""Outcomes: what became of a turn, in a line, or in a line for each response that did something.

Specified by features/summary/outcomes.feature (SUM_07).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from brim.conversation.turns import Turn
from brim.summary.sentences import first_sentence, shortened
from brim.summary.work import Failure, Report, TurnWork, Work, base_name, turn_work

DONE: Final = "✓"
FAILED: Final = "✗"
BRIEF: Final = 80
"""Characters: of a command at most, where a line goes on to say how it failed; of an answer beside others at least."""
ANCHOR: Final = "[ANCHOR]"


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """The lines of a turn, computed once: as an ordinary turn, and as an anchor."""

    index: int
    request: str
    lines: tuple[str, ...]
    anchor: tuple[str, ...]
    """The lines where the turn is an anchor; the last of them is the answer in full."""
    report: tuple[Report, str] | None
    """The turn's last test report, with the command that printed it."""


def outcome_line(turn: Turn, *, is_anchor: bool = False) -> str:
    """A turn in one line: a mark, the files it changed and the first sentence of its answer, or an anchor in full."""
    work = turn_work(turn)
    return _anchor_line(work) if is_anchor else _turn_line(work, _standing(work.works))


def turn_outcome(work: TurnWork) -> TurnOutcome:
    """A turn's lines: one where it has one response, else one for each that changed a file, failed or answered."""
    standing = _standing(work.works)
    lines = tuple(_lines(work, standing))
    answered = bool(work.works) and _answered(work.works[-1])
    before = lines[:-1] if answered or len(lines) == 1 else lines
    report = next((one.report for one in reversed(work.works) if one.report), None)
    return TurnOutcome(work.index, work.request, lines, (*before, _anchor_line(work)), report)


def _standing(works: Sequence[Work]) -> list[tuple[Failure, ...]]:
    """For each response the failures that nothing later in the turn cured."""
    cured: set[str] = set()
    passing = False
    standing: list[tuple[Failure, ...]] = []
    for work in reversed(works):
        left: list[Failure] = []
        for event in reversed(work.events):
            if isinstance(event, Failure):
                if cured.isdisjoint(event.subjects) and not (event.tests and passing):
                    left.append(event)
            else:
                cured.update(event.cures)
                passing = passing or event.passing
        standing.append(tuple(reversed(left)))
    standing.reverse()
    return standing


def _turn_line(work: TurnWork, standing: Sequence[Sequence[Failure]]) -> str:
    failures = [failure for left in standing for failure in left]
    changed = [path for one in work.works for path in one.changed]
    return _line(failures, changed, _told(work, failures))


def _told(work: TurnWork, failures: Sequence[Failure]) -> str:
    """The first sentence of the answer; without one what failed or was done, and last what was asked in vain."""
    answer = next((one.text for one in reversed(work.works) if one.text), "")
    if answer:
        return first_sentence(answer)
    if failures:
        return _failed(failures[-1])
    done = next((one.did for one in reversed(work.works) if one.did), "")
    return done or (f"No answer to: {work.request}" if work.request else "No answer")


def _lines(work: TurnWork, standing: Sequence[tuple[Failure, ...]]) -> Iterator[str]:
    if len(work.works) < 2:  # noqa: PLR2004 - one response is the turn
        yield _turn_line(work, standing)
        return
    lines = [_response_line(one, left) for one, left in zip(work.works, standing, strict=True) if _counts(one)]
    for line, group in groupby(lines or [_turn_line(work, standing)]):
        times = sum(1 for _ in group)
        yield line if times == 1 else f"{line} ({times} times)"


def _counts(work: Work) -> bool:
    return bool(work.changed) or _answered(work) or any(isinstance(event, Failure) for event in work.events)


def _answered(work: Work) -> bool:
    return not work.calls and bool(work.text)


def _response_line(work: Work, left: Sequence[Failure]) -> str:
    """As a turn's line, with what failed named where the response's own words do not say it."""
    told = first_sentence(work.text, 0 if work.calls else BRIEF)
    if left:
        told = f"{told} ({_failed(left[-1])})" if told else _failed(left[-1])
    elif any(isinstance(event, Failure) for event in work.events):
        told = f"{told or work.did} (failed, cured later)"
    return _line(left, work.changed, told)


def _failed(failure: Failure) -> str:
    reason = f": {failure.reason}" if failure.reason else ""
    return shortened(f"{shortened(failure.did, BRIEF)} {failure.verb}{reason}")


def _line(failures: Sequence[Failure], changed: Sequence[str], told: str) -> str:
    names = ", ".join(dict.fromkeys(map(base_name, changed)))
    did = f"Modified {names}" if names else ""
    return f"{FAILED if failures else DONE} {': '.join(filter(None, (did, told)))}"


def _anchor_line(work: TurnWork) -> str:
    answer = next((one.text for one in reversed(work.works) if one.text), "")
    if answer:
        return f"{ANCHOR} {answer}"
    return f"{ANCHOR} {_turn_line(work, _standing(work.works))[2:]}"
