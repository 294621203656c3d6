from pathlib import Path

import pytest
from living.code_pages import files_of
from living.origins.implemented import Line, code_of, implemented
from living.rules.rulebook import Rulebook

from steps.rulebook import Rule

ROOT = Path(__file__).parents[2]
SOURCE = '''"""A module (LIM_01, LIM_02)."""

LIMIT = 10
"""Pieces at most (LIM_02)."""


class Shelf:
    """Keeps."""

    room: int = 10
    """Pieces at most (LIM_01)."""

    def keep(self):
        """Keep what fits (LIM_02, LIM_03)."""
'''
WHOLE, ROOM = Line("src/shelf.py", 1, ""), Line("src/shelf.py", 10, "room", field=True)
KEEP, LIMIT = Line("src/shelf.py", 13, "keep"), Line("src/shelf.py", 3, "LIMIT")


@pytest.fixture
def tree(tmp_path):
    """A tree with one module."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "shelf.py").write_text(SOURCE, encoding="utf-8")
    return tmp_path


def test_a_rule_leads_to_what_names_it_in_its_docstring(tree):
    """Values, classes and methods, each with its line; the module where nothing in it but a field names the rule."""
    assert implemented(tree) == {"LIM_01": [WHOLE, ROOM], "LIM_02": [KEEP, LIMIT], "LIM_03": [KEEP]}


@pytest.mark.parametrize(
    ("rule_id", "module", "lines"),
    [
        ("LIM_01", "src/shelf.py", [WHOLE, ROOM]),
        ("LIM_02", "src/shelf.py", [LIMIT, KEEP]),
        ("LIM_01", "src/room.py", [Line("src/room.py", 1, ""), WHOLE, ROOM]),
        ("LIM_03", "src/gone.py", [KEEP]),
        ("LIM_09", "src/gone.py", []),
    ],
)
def test_the_module_of_the_feature_is_the_first_place(tree, rule_id, module, lines):
    """It is there even where it does not name the rule; a field of a class comes last."""
    (tree / "src" / "room.py").write_text('"""Rooms."""\n', encoding="utf-8")
    assert code_of(tree, Rule(1, "What fits is kept", (rule_id,), "", ()), module) == lines


def test_every_rule_links_to_a_line():
    """What is declared there names it; a module as a whole is not enough."""
    found = implemented(ROOT)
    assert [one for one in Rulebook.read(ROOT).homes if not any(line.name for line in found.get(one, ()))] == []


def test_every_rule_leads_first_to_the_module_of_its_feature():
    """Or into the package that it is, and not to a field there."""
    for name, feature in Rulebook.read(ROOT).features.items():
        *_, (module, _) = files_of(ROOT, name)
        firsts = [code_of(ROOT, rule, module)[0] for rule in feature.rules]
        inside = module.removesuffix("__init__.py")
        assert [one for one in firsts if one.field or not one.path.startswith(inside)] == []
