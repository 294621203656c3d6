import pytest
from docutils import nodes
from living.results import Results, Verdict
from living.rules.package_page import feature_entry, package_table, toctree, totals
from living.rules.rulebook import in_words, title_of
from living.site import Site
from sphinx import addnodes

from tests.site.small_sites import ALL_PASSED, RAIN, small_site

PAGE = "rulebook/attic/index"
BAD = {RAIN: Verdict("failed", "wet")}


def test_a_package_lists_the_rules_of_a_feature_with_their_state(tmp_path):
    """Each rule is its sentence, its ids and whether it holds, and leads to its place on the feature's page."""
    site = small_site(tmp_path, ALL_PASSED | BAD)
    entry = feature_entry(PAGE, site, site.rulebook.features["attic/boxes"])
    assert [item.astext() for item in entry.findall(nodes.list_item)] == [
        "A box holds as many pieces as fit BOX_01 BOX_02 ✓ holds",
        "A box is dry BOX_01 ✗ fails",
    ]
    links = [node["refuri"] for node in entry.findall(nodes.reference)]
    assert links == ["boxes.html", "boxes.html#rule-box_01", "boxes.html#rule-box_01-2"]
    assert entry.children[-1].astext() == "✗ 1 of 5 examples failed"


def test_the_packages_are_listed(tmp_path):
    """A row says what a package is about, in the first words of its package, what it holds and what that came to."""
    table = package_table("rulebook/index", small_site(tmp_path, ALL_PASSED))
    rows = [[cell.astext() for cell in row.findall(nodes.entry)] for row in table.findall(nodes.row)]
    assert rows[1:] == [["Attic", "Where things are kept.", "1", "2", "✓ all 5 examples passed"]]


def test_the_totals_name_the_version_that_ran(tmp_path):
    """Packages, features, rules, examples, and the fingerprint of the tree."""
    told = [node.astext() for node in totals(small_site(tmp_path, ALL_PASSED))]
    assert told == ["1 packages, 1 features, 2 rules: ✓ all 5 examples passed", f"The version that ran: {'a' * 12}."]


def test_a_package_is_called_as_its_page_is(tmp_path):
    """In the table as in the menu; without a page it has its name."""
    site = small_site(tmp_path, ALL_PASSED)
    page = site.root / "docs" / "rulebook" / "attic" / "index.md"
    page.parent.mkdir(parents=True)
    page.write_text("# The loft\n\nBelow the roof.\n", encoding="utf-8")
    assert package_table("rulebook/index", site).astext().count("The loft") == 1
    assert [title_of(site.root, name) for name in ("attic", "cellar")] == ["The loft", "Cellar"]


def test_results_that_name_no_version_have_no_line_for_it(tmp_path):
    """They are of another version, as the warning says."""
    site = small_site(tmp_path, {})
    told = [node.astext() for node in totals(Site(site.root, site.rulebook, Results(there=True)))]
    assert [text[:12] for text in told] == ["The last run", "1 packages, "]


def test_without_a_run_there_is_no_version(tmp_path):
    """Nothing ran, so nothing is told to hold."""
    site = small_site(tmp_path, {})
    told = [node.astext() for node in totals(Site(site.root, site.rulebook, Results()))]
    assert told == ["1 packages, 1 features, 2 rules: ○ all 5 examples not run", "Nothing has been run."]


def test_the_pages_of_features_follow_the_row(tmp_path):
    """The table of contents holds them in the order given, out of sight."""
    tree = next(toctree(PAGE, ["rulebook/attic/b", "rulebook/attic/a"]).findall(addnodes.toctree))
    assert tree["hidden"]
    assert tree["entries"] == [(None, "rulebook/attic/b"), (None, "rulebook/attic/a")]


@pytest.mark.parametrize(
    ("rules", "sentences", "told"),
    [
        (1, 1, "1 rule"),
        (12, 12, "12 rules"),
        (1, 2, "1 rule in 2 sentences"),
        (2, 1, "2 rules in 1 sentence"),
        (1_115, 2_252, "1,115 rules in 2,252 sentences"),
    ],
)
def test_a_rule_is_an_id_and_may_take_several_sentences(rules, sentences, told):
    """Both are told where they differ."""
    assert in_words(rules, sentences) == told
