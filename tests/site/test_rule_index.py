from docutils import nodes
from living.results import Verdict
from living.rules.rule_index import family_section, lines, totals

from tests.site.small_sites import ALL_PASSED, RAIN, small_site


def test_every_id_has_a_line_for_every_sentence(tmp_path):
    """An id that two rules share has two lines, a rule of two ids is on both; each leads to its own anchor."""
    found = lines(small_site(tmp_path, ALL_PASSED | {RAIN: Verdict("skipped")}))
    assert [(line.rule_id, line.anchor, line.state) for line in found] == [
        ("BOX_01", "rule-box_01", "✓ holds"),
        ("BOX_01", "rule-box_01-2", "– skipped"),
        ("BOX_02", "rule-box_02", "✓ holds"),
    ]
    assert {line.page for line in found} == {"rulebook/attic/boxes"}
    assert [line.source for line in found] == ["a guess.", "a look.", "a guess."]


def test_it_says_what_is_portable(tmp_path):
    """Of each line; a sentence is portable where all of its scenarios are."""
    site = small_site(tmp_path, ALL_PASSED)
    found = lines(site)
    assert [line.portable for line in found] == ["partly portable", "portable", "partly portable"]
    assert totals(site).astext() == "2 rules. A portable rule holds in every language."
    rows = list(family_section("rulebook/rules", site, "BOX", found).findall(nodes.row))
    assert rows[2]["classes"] == ["is-passed", "is-portable"]


def test_a_family_says_which_package_it_is_of(tmp_path):
    """The heading of a family names the packages of its rules."""
    site = small_site(tmp_path, ALL_PASSED)
    section = family_section("rulebook/rules", site, "BOX", lines(site))
    assert section.children[0].astext() == "BOX: Attic"
    assert section["ids"] == ["rules-box"]
    assert "A box is dry" in section.astext()
