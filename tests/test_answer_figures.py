"""docs/decisions/0165: its table is that of its data, and the data are those of the transcripts."""

from __future__ import annotations

import json

import pytest

from steps.prerequisites import transcripts
from tests.answer_figures import DATA, PAGE, RESERVES, measured, page, table, written


def test_the_decision_has_the_table_of_its_data() -> None:
    """Nobody writes figures into the page by hand."""
    text = PAGE.read_text(encoding="utf-8")
    assert page(text, json.loads(DATA.read_text(encoding="utf-8"))) == text


def test_an_answer_as_long_as_a_reserve_fits_into_it() -> None:
    """An answer is counted as too long from one token above a reserve on."""
    made = table([{"format": "codex", "answers": [RESERVES[0], RESERVES[0] + 1]}])
    assert made.splitlines()[-1] == "| all | 2 | 4,096 | 4,097 | 4,097 | 1 | 0 | 0 | 0 | 0 |"


@pytest.mark.transcripts
def test_the_data_are_those_of_the_transcripts() -> None:
    """The answers of the real transcripts, measured again."""
    folder = transcripts()
    assert folder is not None
    assert written(measured(folder)) == DATA.read_text(encoding="utf-8")
