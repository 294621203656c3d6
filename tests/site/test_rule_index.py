import pytest
from docutils import nodes
from living.results import Verdict
from living.rules.rule_index import family_sections, kept_section

from tests.site.small_sites import ALL_PASSED, RAIN, small_site


@pytest.fixture
def section(tmp_path):
    """The section of the one family, where it did not rain."""
    (found,) = family_sections("rulebook/rules", small_site(tmp_path, ALL_PASSED | {RAIN: Verdict("skipped")}))
    return found


def test_every_id_has_a_line_for_every_sentence(section):
    """An id that two rules share has two lines, a rule of two ids is on both; each leads to its own anchor."""
    rows = [[cell.astext() for cell in row.findall(nodes.entry)] for row in section.findall(nodes.row)][1:]
    holds = "A box holds as many pieces as fit", "✓ holdspartly portable", "a guess."
    dry = "A box is dry", "– skippedportable", "a look."
    assert rows == [["BOX_01", *holds], ["BOX_01", *dry], ["BOX_02", *holds]]
    places = [one["refuri"].partition("#")[2] for one in section.findall(nodes.reference)]
    assert places == ["rule-box_01", "rule-box_01-2", "rule-box_02"]


def test_a_row_has_the_classes_that_it_is_narrowed_down_by(section):
    """Its state, and how much of it is portable."""
    rows = list(section.findall(nodes.row))
    assert rows[2]["classes"] == ["is-skipped", "is-portable"]
    assert rows[3]["classes"] == ["is-passed", "is-partly-portable"]


def test_a_family_says_which_package_it_is_of(section):
    """The heading of a family names the packages of its rules."""
    assert section.children[0].astext() == "BOX: Attic"
    assert section["ids"] == ["rules-box"]


TESTS = '''
def test_a_lid_fits():
    """A lid fits its box (BOX_02, LID_09)."""


def test_a_lid():
    """It is BOX_01 that says so."""
'''


def test_what_tests_keep_is_listed_by_the_ids_in_their_docstrings(tmp_path):
    """An id that no rule has is left out, and so is a test that ends with none; without any there is no section."""
    site = small_site(tmp_path, ALL_PASSED)
    assert not [*kept_section(site)]
    (tmp_path / "tests" / "store").mkdir(parents=True)
    (tmp_path / "tests" / "store" / "test_boxes.py").write_text(TESTS, encoding="utf-8")
    (section,) = kept_section(site)
    rows = [[cell.astext() for cell in row.findall(nodes.entry)] for row in section.findall(nodes.row)][1:]
    assert rows == [["BOX_02", "A lid fits its box", "store/test_boxes.py: a lid fits"]]
