"""Programs and people read the same declarations: JSON Schema, and pages that are held to the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from living.reference.operations import fields
from living.rules.rulebook import portability

from brim.portable.operations import OPERATIONS
from brim.portable.protocol import KINDS
from brim.portable.schema import schema, show
from steps.rulebook import read_features

ROOT = Path(__file__).parents[2]
IMPLEMENTERS = ROOT / "docs" / "implementers"
GUIDE = ROOT / "docs" / "guides" / "porting.md"


def test_the_schema_is_json_and_tells_every_operation(share_of):
    """Each has a description, its rules, an input and an output."""
    told = json.loads(json.dumps(schema(), allow_nan=False))
    assert told["operations"].keys() == OPERATIONS.keys()
    assert all(one.keys() == {"description", "rules", "input", "output"} for one in told["operations"].values())


def test_the_schema_is_printed(share_of, capsys):
    """As one JSON document."""
    show()
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(schema()))


def test_a_decimal_is_a_number(share_of):
    """In JSON Schema a share has its bounds and its default as numbers, and no text is one."""
    share = schema()["operations"]["share_of"]["input"]["properties"]["share"]
    assert (share["type"], share["default"], share["exclusiveMinimum"], share["maximum"]) == ("number", 0.92, 0, 1)


def test_no_input_takes_a_field_it_does_not_know(share_of):
    """The schema says so too."""
    for one in schema()["operations"].values():
        inputs = [one["input"], *one["input"].get("$defs", {}).values()]
        assert all(inner["additionalProperties"] is False for inner in inputs if "properties" in inner)


def test_the_kinds_of_error_are_told():
    """The schema of an answer lists them with their meaning."""
    kinds = schema()["answer"]["properties"]["error"]["properties"]["kind"]["oneOf"]
    assert [one["const"] for one in kinds] == list(KINDS)


def test_the_page_tells_types_defaults_and_what_is_inside(share_of):
    """An object in a list is a link to its fields."""
    whole = schema()["operations"]["share_of"]["input"]
    page = "\n".join((*fields(whole), *fields(whole["$defs"]["Slice"])))
    assert "| `size` | integer ≥ 0 |  | How large it is. |" in page
    assert "| `share` | number > 0 and ≤ 1 | `0.92` | The part of it. |" in page
    assert "| `slices` | list of [`Slice`](#slice) | `[]` | What it is made of. |" in page
    assert "| `sizes` | list of integer | `[]` |  |" in page


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_every_operation_says_how_it_answers_and_shows_an_answer(name):
    """Its formula or the order of its checks, and an example that it neither refuses nor misunderstands."""
    one = OPERATIONS[name]
    assert one.details
    one.perform(one.example)


def test_every_rule_that_an_operation_cites_is_portable():
    """A port is held to it by examples."""
    features = read_features(ROOT / "features")
    tags = [
        {*one.tags, *rule.tags, *scenario.tags} for one in features for rule in one.rules for scenario in rule.scenarios
    ]
    portable = set().union(*(those for those in tags if "portable" in those))
    assert {name: set(one.rules) - portable for name, one in OPERATIONS.items() if set(one.rules) - portable} == {}


def test_no_number_of_a_portable_example_is_above_what_the_page_says():
    """64 bits hold 200 times each of them."""
    features = read_features(ROOT / "features")
    rules = ((feature, rule) for feature in features for rule in feature.rules)
    scenarios = [each for feature, rule in rules for each in rule.scenarios if portability(feature, rule, each)]
    steps = [step.text for each in scenarios for step in (*each.background, *each.steps)]
    texts = [*steps, *(cell for each in scenarios for row in each.values for cell in row.values())]
    numbers = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", " ".join(texts))]
    assert 2**53 < max(numbers) <= 10**16 < 2**63 // 200
