"""Operations of the room summary."""

from __future__ import annotations

from collections.abc import Generator
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, Field, NonNegativeInt

from brim.compaction.policy import OnFailure
from brim.conversation.turns import Response, ToolUse, Turn
from brim.portable.operation import operation
from brim.portable.turn_input import TurnInput
from brim.summary import compression as comparison
from brim.summary import template
from brim.summary.acceptance import Acceptance
from brim.summary.attempts import Ask, AttemptOutcome, attempt_summary
from brim.summary.extraction import extract_summary
from brim.summary.facts import turn_work
from brim.summary.summarizer_input import Failure, Strategy, SummaryAnswer, SummaryRequest

operation("SUM_03", text="<analysis>long</analysis><summary>Fixed the parser.</summary>")(extract_summary)


class CompressionOutput(BaseModel):
    """How much smaller it became."""

    ratio: float = Field(description="The share that was taken away, 0 to 1.", ge=0, le=1)
    warning: str | None = Field(description="The warning if the share is below 60%.")


@operation("SUM_12", before=10000, after=5000)
def compression(before: NonNegativeInt, after: NonNegativeInt) -> CompressionOutput:
    """How much smaller a conversation became, with a warning if that is too little.

    `ratio` is `max(1 - after / before, 0)`, 0 where `before` is 0 (then without a warning). Below 0.60 the warning is
    `Compression ratio below 60% (P%) - consider starting fresh conversation`, where P is the ratio in percent with
    one decimal, rounded half up. Compute P from the integers: 0.59999 is 60.0% and warns. The ratio is compared to
    nine decimals, so the nearest double is exact enough.

    Args:
        before: Tokens before.
        after: Tokens after, by the same measure.
    """
    found = comparison.compression(before, after)
    return CompressionOutput(ratio=float(found.ratio), warning=found.warning)


@operation("SUM_07 ANC_06", outputs=["3 failed, 9 passed", "12 passed"])
def build_status(outputs: list[str]) -> template.BuildStatus:
    """Whether tests passed in the last output that reports tests.

    From the last output to the first: the first that reports tests decides, `failing` if it reports any failure, else
    `passing`. Without a report it is `unknown`. Which texts report tests is in the rows of
    `tests/evidence/data/test_reports.tsv`, and in `src/brim/evidence/reports.py`.

    Args:
        outputs: What commands printed, in the order of time.
    """
    uses = tuple(ToolUse("Bash", {"command": "make"}, output, succeeded=True) for output in outputs)
    return template.build_status([turn_work(Turn(0, 0, 1, "", (Response("", uses),)))])[0]


@operation(
    "SUM_07",
    turn={
        "user_message": "Fix it.",
        "tool_calls": [{"tool": "Edit", "input": {"file_path": "src/a.py"}}],
        "tool_results": [{"success": True, "output": ""}],
        "assistant_response": "Fixed the login. Tests follow.",
    },
)
def outcome_line(turn: TurnInput, *, is_anchor: bool = False) -> str:
    """The line of a turn in a summary.

    `✗` if a tool failed and nothing later in the turn cured it, else `✓`; a space; `Modified NAMES` (each changed
    file once, without its folder), and after `: ` the first sentence of the answer without its full stop, at most 200
    characters. Without an answer: the last failure, else what was done, else `No answer to: REQUEST`. What cures a
    failure is in the rows of SUM_07, [decision 0214](../decisions/0214-what-a-template-summary-says.md) and
    `src/brim/summary/facts.py`; how a failure and a deed are worded in `src/brim/summary/template.py`.

    An anchor's line is `[ANCHOR]`, a space and the whole answer, whose further lines are indented.

    Args:
        turn: The turn.
        is_anchor: Whether the line has the whole answer.
    """
    outcome = template.TurnOutcome(turn_work(turn.turn()))
    return outcome.anchor_line if is_anchor else outcome.lines[0].short


class AttemptsOutput(BaseModel):
    """What was tried, and what replaces the history."""

    attempts: NonNegativeInt = Field(description="How many attempts were made.")
    waits: list[NonNegativeInt] = Field(description="Milliseconds waited before each of them.")
    result: Literal["summary", "template", "truncate", "fallback", "error"] = Field(
        description="What replaces the history; nothing if an error is raised."
    )


@operation("SUM_05 SUM_06", outcomes=["transient", "prompt_too_long", "transient", "ok"])
def summary_attempts(
    outcomes: Annotated[list[AttemptOutcome], Field(min_length=1)], on_failure: OnFailure = "template"
) -> AttemptsOutput:
    """How many attempts are made, after which waits, and what replaces the history if none succeeds.

    There are three strategies, each with a smaller prompt than the one before. Each makes up to three attempts, after
    waits of 0, 1,000 and 2,000 ms; attempts and waits begin again with each strategy. After each attempt:

    1. `ok` ends with `summary`;
    2. `permanent` ends without a summary;
    3. `prompt_too_long` begins the next strategy, and in the third strategy ends without a summary;
    4. after any other outcome the strategy makes its next attempt; its third ends without a summary.

    Without a summary the result is `on_failure`, and `error` for `raise`. `attempts` counts those of all strategies,
    and `waits` has the wait before each, in order.

    Args:
        outcomes: In order of time; the last one applies to every later attempt.
        on_failure: What replaces the history without a summary.
    """
    coming, outcome = iter(outcomes), outcomes[0]
    asking = attempt_summary([Strategy("", "", _one_request)] * 3, _as_scripted)
    step = next(asking)
    try:
        while True:
            if isinstance(step, Ask):
                outcome = next(coming, outcome)
                failure: Any = outcome if outcome in get_args(Failure) else None
                step = asking.send(SummaryAnswer(text=outcome, failure=failure, reason="as scripted"))
            else:
                step = asking.send(None)
    except StopIteration as done:
        attempted = done.value
    failed = "error" if on_failure == "raise" else on_failure
    return AttemptsOutput(
        attempts=len(attempted.attempts),
        waits=[attempt.waited for attempt in attempted.attempts],
        result="summary" if attempted.error is None else failed,
    )


def _one_request() -> Generator[SummaryRequest, str, str]:
    return (yield SummaryRequest(model="", messages=(), max_tokens=1, form="rendered", tokens=0, replaces_tokens=1))


def _as_scripted(outcome: Any, _answer: SummaryAnswer, _request: SummaryRequest) -> Acceptance:
    return Acceptance(outcome, "as scripted")
