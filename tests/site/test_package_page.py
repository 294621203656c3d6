from docutils import nodes
from living.results import Results, Verdict
from living.rules.package_page import feature_entry, package_table, totals
from living.site import Site

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


def test_without_a_run_there_is_no_version(tmp_path):
    """Nothing ran, so nothing is told to hold."""
    site = small_site(tmp_path, {})
    told = [node.astext() for node in totals(Site(site.root, site.rulebook, Results()))]
    assert told == ["1 packages, 1 features, 2 rules: ○ all 5 examples not run", "Nothing has been run."]
