from pathlib import Path

import pytest
from living.origins.implemented import Line, implemented
from living.rules.rulebook import Rulebook

ROOT = Path(__file__).parents[2]
SOURCE = '''"""A module (LIM_01, LIM_02)."""

LIMIT = 10
"""Pieces at most (LIM_02)."""


class Shelf:
    """Keeps."""

    def keep(self):
        """Keep what fits (LIM_02, LIM_03)."""
'''


@pytest.fixture
def tree(tmp_path):
    """A tree with one module."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "shelf.py").write_text(SOURCE, encoding="utf-8")
    return tmp_path


def test_a_rule_leads_to_what_names_it_in_its_docstring(tree):
    """Values, classes and methods, each with its line; the module where nothing else names the rule."""
    keep = Line("src/shelf.py", 10, "keep")
    assert implemented(tree) == {
        "LIM_01": [Line("src/shelf.py", 1, "")],
        "LIM_02": [keep, Line("src/shelf.py", 3, "LIMIT")],
        "LIM_03": [keep],
    }


def test_every_rule_links_to_a_line():
    """What is declared there names it; a module as a whole is not enough."""
    found = implemented(ROOT)
    assert [one for one in Rulebook.read(ROOT).homes if not any(line.name for line in found.get(one, ()))] == []
