"""The pages of figures: each table is that of its data, and the data are those of the transcripts."""

from __future__ import annotations

import json

import pytest

from steps.prerequisites import transcripts
from tests import answer_figures, hook_figures, hook_story, policy_figures, scorecard, survival_figures
from tests.benchmarks import __main__ as benchmarks


@pytest.mark.parametrize(
    ("figures", "field"),
    [
        (answer_figures, None),
        (benchmarks, None),
        (hook_figures, "rows"),
        (hook_story, None),
        (policy_figures, None),
        (scorecard, "rows"),
        (survival_figures, None),
    ],
    ids=["answers", "benchmarks", "hooks", "hook story", "policies", "scorecard", "survival"],
)
def test_the_page_has_the_table_of_its_data(figures, field) -> None:
    """Nobody writes figures into the page by hand."""
    text, data = figures.PAGE.read_text(encoding="utf-8"), json.loads(figures.DATA.read_text(encoding="utf-8"))
    assert figures.page(text, data[field] if field else data) == text


def test_an_answer_as_long_as_a_reserve_fits_into_it() -> None:
    """An answer is counted as too long from one token above a reserve on."""
    reserve = answer_figures.RESERVES[0]
    made = answer_figures.table([{"format": "codex", "answers": [reserve, reserve + 1]}])
    assert made.splitlines()[-1] == "| all | 2 | 4,096 | 4,097 | 4,097 | 1 | 0 | 0 |"


@pytest.mark.transcripts
def test_the_answers_are_those_of_the_transcripts() -> None:
    """The answers of the real transcripts, measured again."""
    folder = transcripts()
    assert folder is not None
    measured = answer_figures.measured(folder)
    assert answer_figures.written(measured) == answer_figures.DATA.read_text(encoding="utf-8")
