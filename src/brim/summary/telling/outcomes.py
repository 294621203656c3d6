"""Outcomes: what became of a turn, in a line, or in a line for each response that did something.

Specified by features/summary/outcomes.feature (SUM_07).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Final

from brim.conversation.turns import Response, ToolUse, Turn
from brim.selection.file_changes import EDITING_TOOLS, changed_paths
from brim.summary.telling.runs import ran
from brim.summary.telling.sentences import first_sentence, on_one_line, shortened
from brim.summary.telling.work import Failure, Report, TurnWork, Work, base_name, tests_of, turn_work

DONE: Final = "✓"
FAILED: Final = "✗"
BRIEF: Final = 80
"""Characters: of a command at most, where a line goes on to say how it failed; of an answer beside others at least."""
ANCHOR: Final = "[ANCHOR]"


@dataclass(frozen=True)
class TurnOutcome:
    """The lines of a turn, as an ordinary one and as an anchor; each is made when it is first asked for, and kept."""

    work: TurnWork

    @property
    def index(self) -> int:
        """The turn's."""
        return self.work.index

    @property
    def request(self) -> str:
        """The opening of what the user asked."""
        return self.work.request

    @cached_property
    def told(self) -> tuple[tuple[str, int], ...]:
        """Each line of an ordinary turn with the number of outcomes it tells: like ones in a row are one line."""
        return tuple((line if n == 1 else f"{line} ({n} times)", n) for line, n in _told_lines(self.work))

    @property
    def told_beside(self) -> tuple[tuple[str, int], ...]:
        """Of an anchor the lines beside the one that tells its answer."""
        return self.told[:-1] if len(self.told) == 1 or _ends_answered(self.work.turn) else self.told

    @cached_property
    def anchor_line(self) -> str:
        """The answer of an anchor in full; without one what its turn came to."""
        return _anchor_line(self.work)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of an ordinary turn."""
        return tuple(line for line, _ in self.told)

    @property
    def anchor(self) -> tuple[str, ...]:
        """The lines of an anchor; the last of them is the answer in full."""
        return (*(line for line, _ in self.told_beside), self.anchor_line)

    @cached_property
    def count(self) -> int:
        """How many outcomes its lines tell, found without making them."""
        responses = self.work.turn.responses
        return (len(responses) > 1 and sum(map(_came_to_something, responses))) or 1

    @property
    def count_beside(self) -> int:
        """How many outcomes of an anchor are told beside its answer."""
        return self.count - (self.count == 1 or _ends_answered(self.work.turn))

    @cached_property
    def report(self) -> tuple[Report, str] | None:
        """The turn's last test report, with the command that printed it."""
        uses = ((use, ran(use)) for use in reversed(self.work.turn.tool_uses))
        return next(((told, command) for use, command in uses if (told := tests_of(use, command))), None)


def outcome_line(turn: Turn, *, is_anchor: bool = False) -> str:
    """A turn in one line: a mark, the files it changed and the first sentence of its answer, or an anchor in full."""
    work = turn_work(turn)
    return _anchor_line(work) if is_anchor else _turn_line(work, _standing(work.works))


def turn_outcome(work: TurnWork) -> TurnOutcome:
    """A turn's lines: one where it has one response, else one for each that changed a file, failed or answered."""
    return TurnOutcome(work)


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


def _told_lines(work: TurnWork) -> Iterator[tuple[str, int]]:
    """Each line with how often it comes in a row."""
    works, standing = work.works, _standing(work.works)
    lines: list[str] = []
    if len(works) > 1:  # one response is the turn
        parts = zip(works, standing, work.turn.responses, strict=True)
        lines = [_response_line(one, left) for one, left, response in parts if _came_to_something(response)]
    for line, group in groupby(lines or [_turn_line(work, standing)]):
        yield line, sum(1 for _ in group)


def _came_to_something(response: Response) -> bool:
    """Whether it changed a file, failed or answered."""
    if not response.tool_uses:
        return bool(response.text.strip())
    return any(use.succeeded is False or _changed(use) for use in response.tool_uses)


def _changed(use: ToolUse) -> bool:
    return use.name in EDITING_TOOLS and bool(changed_paths(use)) and not ran(use)


def _ends_answered(turn: Turn) -> bool:
    return bool(turn.responses) and not turn.responses[-1].tool_uses and bool(turn.responses[-1].text.strip())


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
    names = ", ".join(dict.fromkeys(on_one_line(base_name(path)) for path in changed))
    did = f"Modified {names}" if names else ""
    return f"{FAILED if failures else DONE} {': '.join(filter(None, (did, told)))}"


def _anchor_line(work: TurnWork) -> str:
    answer = next((text for one in reversed(work.turn.responses) if (text := one.text.strip())), "")
    if answer:
        return f"{ANCHOR} {answer}"
    return f"{ANCHOR} {_turn_line(work, _standing(work.works))[2:]}"
