from pathlib import Path

from living.implemented import implemented
from living.rules.rulebook import Rulebook

ROOT = Path(__file__).parents[2]


def test_every_rule_links_to_a_line():
    """What is declared there names it; a module as a whole is not enough."""
    assert Rulebook.read(ROOT).by_id.keys() <= implemented(ROOT).keys()
