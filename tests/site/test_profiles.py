import re
from pathlib import Path

import pytest
from living.origins.profiles import agrees, thresholds

from brim.trigger.profiles import PROFILES

DECISION = next((Path(__file__).parents[2] / "docs" / "decisions").glob("0165-*.md")).read_text(encoding="utf-8")
LINES = re.search(r"```\{profiles\}\n(.*?)```", DECISION, flags=re.DOTALL)[1].splitlines()


@pytest.mark.parametrize("line", LINES, ids=[line.partition(" ")[0] for line in LINES])
def test_each_formula_gives_the_threshold_of_the_product(line):
    """The formula of the decision's table agrees with the profile in every window of the table."""
    name, formula, _ = line.split(" | ")
    assert agrees(formula, PROFILES[name])


@pytest.mark.parametrize("formula", ["window − 45,001", "⌊90% × usable⌋", "window.x", "168,000"])
def test_a_formula_that_differs_in_one_window_is_noticed(formula):
    """A number that is one off, another base, or what holds in one window alone."""
    assert not agrees(formula, PROFILES["claude-code-2.0"])
    assert not agrees(formula, PROFILES["usable"])


def test_the_table_has_every_profile_in_the_order_of_the_product():
    """None is missing, and none is added."""
    assert [line.partition(" ")[0] for line in LINES] == list(PROFILES)


def test_a_profile_that_refuses_a_window_has_a_dash(monkeypatch):
    """A threshold of zero or less is no threshold."""
    monkeypatch.setattr("living.origins.profiles.WINDOWS", (40_000,))
    assert thresholds("claude-code-2.0") == {40_000: "–"}
