"""Operations of the summary room."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Literal, cast, get_args

from pydantic import BaseModel, Field, NonNegativeInt

from brim.compaction.policy import OnFailure
from brim.conversation.turns import Response, ToolUse, Turn
from brim.portable.operation import Input, operation
from brim.portable.turn_input import TurnInput
from brim.summary import compression as comparison
from brim.summary import extraction, template
from brim.summary.acceptance import Acceptance, Outcome
from brim.summary.attempts import Ask, Attempted, AttemptOutcome, attempt_summary
from brim.summary.facts import turn_work
from brim.summary.summarizer_input import Failure, Strategy, SummaryAnswer, SummaryRequest


class ExtractInput(Input):
    """An answer to a request for a summary."""

    text: str = Field(description="The whole answer.")


@operation(
    "extract_summary",
    rules=("SUM_03",),
    example={"text": "<analysis>long</analysis><summary>Fixed the parser.</summary>"},
)
def extract_summary(given: ExtractInput) -> str:
    """The part of an answer that is the summary.

    A tag is `<summary` or `</summary`, in any case of letters, then nothing or white space and any characters but `<`
    and `>`, then `>`. In this order:

    1. reasoning at the very beginning of the text is removed. NAME is `analysis`, `reasoning`, `think`, `thinking` or
       `thought`, in any case of letters, maybe behind 1 to 16 of `A-Z a-z 0-9 _` and a colon; its mark stands in `<`
       and `>`, `[` and `]` or `◁` and `▷`, with `/` before it in a closing one. The first that is met of: one or more
       NAMEs with all up to the next closing of the same, white space before them; all before and with the first
       `</think>` or `</thinking>`, and spaces, tabs and a line feed that have to follow it, where no `<think`,
       `</think` or `<summary` precedes it; a NAME that is never closed with all behind it, where no `<summary`
       follows; `<|start|>` or `<|channel|>` with all up to the last `<|channel|>final<|message|>`;
    2. without a tag, the whole of what is left;
    3. `<analysis>` and `<thinking>`, in any case of letters and without attributes, are removed with all up to the
       next closing tag of the same name; an opening or a closing alone stays. Without a summary tag in what is left,
       the result is what is left;
    4. a closing tag pairs with the nearest opening before it that has no closing yet. Of the pairs that are in no
       other pair, the contents are taken, with all tags in them, without white space at their ends; empty ones are
       dropped, and the others are joined by two line feeds;
    5. without a pair: all before the first tag if it is a closing one, else all after it.

    White space at both ends of the result is removed: U+0009 to U+000D, U+001C to U+0020, U+0085, U+00A0, U+1680,
    U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000.
    """
    return extraction.extract_summary(given.text)


class CompressionInput(Input):
    """Tokens held before and after a compaction, by one measure."""

    before: NonNegativeInt = Field(description="Tokens before.")
    after: NonNegativeInt = Field(description="Tokens after.")


class CompressionOutput(BaseModel):
    """How much smaller it became."""

    ratio: float = Field(description="The share that was taken away, 0 to 1.", ge=0, le=1)
    warning: str | None = Field(description="The warning if the share is below 60%.")


@operation(
    "compression",
    rules=("SUM_12",),
    example={"before": 10000, "after": 5000},
)
def compression(given: CompressionInput) -> CompressionOutput:
    """How much smaller a conversation became, with a warning if that is too little.

    `ratio` is `max(1 - after / before, 0)`, 0 where `before` is 0 (then without a warning). Below 0.60 the warning is
    `Compression ratio below 60% (P%) - consider starting fresh conversation`, where P is the ratio in percent with
    one decimal, rounded half up. Compute P from the integers: 0.59999 is 60.0% and warns. The ratio is compared to
    nine decimals, so the nearest double is exact enough.
    """
    found = comparison.compression(given.before, given.after)
    return CompressionOutput(ratio=float(found.ratio), warning=found.warning)


class BuildStatusInput(Input):
    """What commands printed."""

    outputs: list[str] = Field(description="Their outputs, in the order of time.")


@operation(
    "build_status",
    rules=("SUM_07", "ANC_06"),
    example={"outputs": ["3 failed, 9 passed", "12 passed"]},
)
def build_status(given: BuildStatusInput) -> template.BuildStatus:
    """Whether tests passed in the last output that reports tests.

    From the last output to the first: the first that reports tests decides, `failing` if it reports any failure, else
    `passing`. Without a report it is `unknown`. Which texts report tests is in the rows of
    `tests/evidence/data/test_reports.tsv`, and in `src/brim/evidence/reports.py`.
    """
    uses = tuple(ToolUse("Bash", {"command": "make"}, output, succeeded=True) for output in given.outputs)
    return template.build_status([turn_work(Turn(0, 0, 1, "", (Response("", uses),)))])[0]


class OutcomeLineInput(Input):
    """A turn, and how it is told."""

    turn: TurnInput = Field(description="The turn.")
    is_anchor: bool = Field(default=False, description="Whether the line has the whole answer.")


@operation(
    "outcome_line",
    rules=("SUM_07",),
    example={
        "turn": {
            "user_message": "Fix it.",
            "tool_calls": [{"tool": "Edit", "input": {"file_path": "src/a.py"}}],
            "tool_results": [{"success": True, "output": ""}],
            "assistant_response": "Fixed the login. Tests follow.",
        }
    },
)
def outcome_line(given: OutcomeLineInput) -> str:
    """The line of a turn in a summary.

    `✗` if a tool failed and nothing later in the turn cured it, else `✓`; a space; `Modified NAMES` (each changed
    file once, without its folder), and after `: ` the first sentence of the answer without its full stop, at most 200
    characters. Without an answer: the last failure, else what was done, else `No answer to: REQUEST`. What cures a
    failure is in the rows of SUM_07, [decision 0021](../decisions/0021-what-cures-a-failure.md) and
    `src/brim/summary/facts.py`; how a failure and a deed are worded in `src/brim/summary/template.py`.

    An anchor's line is `[ANCHOR]`, a space and the whole answer, whose further lines are indented.
    """
    outcome = template.TurnOutcome(turn_work(given.turn.turn()))
    return outcome.anchor_line if given.is_anchor else outcome.lines[0].short


class AttemptsInput(Input):
    """What each attempt at a summary comes to, and what is done where none succeeds."""

    outcomes: list[AttemptOutcome] = Field(
        min_length=1, description="In order of time; the last one applies to every later attempt."
    )
    on_failure: OnFailure = Field(default="template", description="What replaces the history without a summary.")


class AttemptsOutput(BaseModel):
    """What was tried, and what replaces the history."""

    attempts: NonNegativeInt = Field(description="How many attempts were made.")
    waits: list[NonNegativeInt] = Field(description="Milliseconds waited before each of them.")
    result: Literal["summary", "template", "truncate", "fallback", "error"] = Field(
        description="What replaces the history; nothing if an error is raised."
    )


@operation(
    "summary_attempts",
    rules=("SUM_05", "SUM_06"),
    example={"outcomes": ["transient", "prompt_too_long", "transient", "ok"]},
)
def summary_attempts(given: AttemptsInput) -> AttemptsOutput:
    """How many attempts are made, after which waits, and what replaces the history if none succeeds.

    There are three strategies, each with a smaller prompt than the one before. Each makes up to three attempts, after
    waits of 0, 1,000 and 2,000 ms; attempts and waits begin again with each strategy. After each attempt:

    1. `ok` ends with `summary`;
    2. `permanent` ends without a summary;
    3. `prompt_too_long` begins the next strategy, and in the third strategy ends without a summary;
    4. after any other outcome the strategy makes its next attempt; its third ends without a summary.

    Without a summary the result is `on_failure`, and `error` for `raise`. `attempts` counts those of all strategies,
    and `waits` has the wait before each, in order.
    """
    attempted = rehearse(given.outcomes)
    failed = "error" if given.on_failure == "raise" else given.on_failure
    return AttemptsOutput(
        attempts=len(attempted.attempts),
        waits=[attempt.waited for attempt in attempted.attempts],
        result="summary" if attempted.error is None else failed,
    )


def rehearse(outcomes: Sequence[AttemptOutcome]) -> Attempted:
    """What attempts that come to these outcomes would be: how many, and after which waits.

    The last outcome holds for every attempt after it. There are three strategies, of one request each.
    """
    coming = iter(outcomes)
    outcome = outcomes[0]
    asking = attempt_summary([_strategy(name) for name in ("rendered", "in pieces", "last five turns")], _as_scripted)
    try:
        step = next(asking)
        while True:
            outcome = next(coming, outcome) if isinstance(step, Ask) else outcome
            step = asking.send(_scripted(outcome) if isinstance(step, Ask) else None)
    except StopIteration as done:
        attempted: Attempted = done.value
        return attempted


def _strategy(name: str) -> Strategy:
    request = SummaryRequest(model="", messages=(), max_tokens=1, form="rendered", tokens=0, replaces_tokens=1)
    return Strategy(name, "", lambda: _only(request))


def _only(request: SummaryRequest) -> Generator[SummaryRequest, str, str]:
    return (yield request)


def _scripted(outcome: AttemptOutcome) -> SummaryAnswer:
    if outcome in get_args(Failure):
        return SummaryAnswer(failure=cast(Failure, outcome), reason="as told")
    return SummaryAnswer(text=outcome)


def _as_scripted(text: str, _answer: SummaryAnswer, _request: SummaryRequest) -> Acceptance:
    return Acceptance(cast(Outcome, text), "as told")
