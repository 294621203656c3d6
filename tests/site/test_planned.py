"""The rules that are planned: apart from those that are built, and together with them all."""

from itertools import chain
from pathlib import Path

import pytest
from living.origins.planned import planned
from living.rules.rulebook import Rulebook

from tests.site.source_pages import DECISION, FIELD, LIMITS, PLANNED, S0, source_tree

ROOT = Path(__file__).parents[2]
PROMISED = {
    "CNV": 9,
    "TOK": 11,
    "TRG": 23,
    "PRN": 10,
    "ANC": 12,
    "SEL": 7,
    "SUM": 17,
    "CMP": 12,
    "SES": 14,
    "CHK": 12,
    "MEM": 7,
    "AGT": 8,
    "RPL": 3,
}
"""The rules that brim set out with, by group; there may be more."""


@pytest.fixture
def shelves(tmp_path):
    """A tree in which nothing is wrong."""
    return source_tree(tmp_path)


def test_no_rule_is_both_built_and_to_come():
    """What stands in a feature is not promised any more."""
    built = set(Rulebook.read(ROOT).homes)
    assert not built & {one.id for one in planned(ROOT)}


def test_every_rule_is_built_or_to_come():
    """No rule that brim set out with is lost on the way."""
    every = {f"{group}_{number:02}" for group, last in PROMISED.items() for number in range(1, last + 1)}
    assert not every - set(Rulebook.read(ROOT).homes) - {one.id for one in planned(ROOT)}


def test_a_promise_has_a_sentence_and_a_source():
    """Every rule that is planned says what will hold, in one line, and where that comes from."""
    promised = planned(ROOT)
    assert not [one.id for one in promised if not one.source or not one.sentence.endswith(".")]
    assert not [one.id for one in promised if "should" in one.sentence]


def test_promises_stand_in_order():
    """Within a group the ids ascend."""
    ids = [one.id for one in planned(ROOT)]
    groups = list(dict.fromkeys(one[:3] for one in ids))
    assert ids == list(chain.from_iterable(sorted(one for one in ids if one.startswith(group)) for group in groups))


BROKEN = {
    "a rule that is built": (PLANNED, "LIM_03 |", "LIM_02 |", f"{PLANNED}:4: LIM_02 is built: it stands in {LIMITS}"),
    "a promise without source": (
        PLANNED,
        " | S0, section 1; brim.",
        "",
        f"{PLANNED}:4: a rule that is planned has an id of its own, a sentence and a source: 'LIM_03'",
    ),
    "no id": (
        PLANNED,
        "LIM_03 |",
        "LIM-3 |",
        f"{PLANNED}:4: a rule that is planned has an id of its own, a sentence and a source: 'LIM-3'",
    ),
    "a promise made twice": (
        PLANNED,
        "LIM_03 |",
        "LIM_03 | It is. | brim.\nLIM_03 |",
        f"{PLANNED}:5: a rule that is planned has an id of its own, a sentence and a source: 'LIM_03'",
    ),
    "a source that is not there": (
        PLANNED,
        "S0, section 1",
        "S0, section 7",
        f"{PLANNED}:4: no page of docs/sources or docs/decisions has 'S0, section 7'",
    ),
    "a number that is nowhere": (PLANNED, "LIM_03 |", "LIM_04 |", f"{PLANNED}:1: LIM_03 is in no feature, nor here"),
    "a rule that left and was not promised": (
        LIMITS,
        "@LIM_01",
        "@LIM_04",
        f"{PLANNED}:1: LIM_01 is in no feature, nor here",
    ),
}


@pytest.mark.parametrize(("path", "old", "new", "fault"), BROKEN.values(), ids=BROKEN)
def test_a_fault_is_told_with_its_file_and_line(shelves, path, old, new, fault):
    """A promise that is kept already, or that cannot be shown, and a rule that is nowhere, are told."""
    shelves.edit(path, old, new)
    assert fault in shelves.faults()


def test_a_promise_that_is_named_is_known(shelves):
    """A claim and a decision may name a rule that is planned."""
    shelves.edit(DECISION, "Rules: LIM_01, LIM_02.", "Rules: LIM_01, LIM_02, LIM_03.")
    shelves.edit(FIELD, "rose. | LIM_02", "rose. | LIM_03")
    shelves.edit(S0, "LIM_02; note", "LIM_02, LIM_03; note")
    assert shelves.faults() == []
