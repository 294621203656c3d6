from docutils import nodes
from living.rules.rule_index import kept_section

from tests.site.small_sites import ALL_PASSED, small_site

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
