from collections import Counter
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from living.results import Verdict
from living.rules.domain import RuleDomain
from living.rules.feature_page import feature_section
from living.rules.rulebook import Rulebook
from living.rules.scenarios import scenario_anchors

from steps.rulebook import read_feature
from tests.site.small_sites import ALL_PASSED, BOXES, EXACTLY, LABEL, MANY, ONE_OVER, RAIN, small_site

PAGE = "rulebook/attic/boxes"


@pytest.fixture
def page(tmp_path):
    """A function that makes the page of boxes, given what differs from a run in which all passed."""

    def make(verdicts=(), **how):
        site = small_site(tmp_path, ALL_PASSED | dict(verdicts), **how)
        return feature_section(PAGE, site, site.rulebook.features["attic/boxes"])

    return make


def classed(section, name):
    """The texts of the elements of a class."""
    return [node.astext() for node in section.findall(nodes.Element) if name in node.get("classes", ())]


def headings(section):
    """Every heading with its level."""
    found = []
    for title in section.findall(nodes.title):
        level, above = 0, title.parent
        while above is not None:
            level, above = level + isinstance(above, nodes.section), above.parent
        found.append((level, title.astext()))
    return found


def test_the_headings_are_feature_rules_and_scenarios(page):
    """A rule's heading is its sentence; no level is left out."""
    assert headings(page()) == [
        (1, "Boxes"),
        (2, "A box holds as many pieces as fit"),
        (3, "Pieces are put in"),
        (3, "A label"),
        (2, "A box is dry"),
        (3, "Rain"),
    ]


def test_a_rule_has_the_anchor_of_each_of_its_ids(page):
    """An id that stands a second time leads to the first rule that has it, and to the second by a number."""
    rules = [node["ids"] for node in page().findall(nodes.section) if "rule" in node["classes"]]
    assert rules == [["rule-box_01", "rule-box_02"], ["rule-box_01-2"]]


def test_the_prose_and_the_source_are_there(page):
    """What a rule says besides its source is a paragraph, and its source and its code are told apart."""
    assert "What is kept, is kept in boxes." in page().astext()
    assert "Boxes have no lids." in page().astext()
    assert classed(page(), "note") == ["Source: a guess.", "Code: boxes", "Source: a look.", "Code: boxes"]


def test_a_step_is_its_keyword_and_its_words(page):
    """A second step of a kind begins with And; a parameter stands apart."""
    steps = [[str(part.astext()) for part in node.children[0].children] for node in page().findall(nodes.list_item)]
    assert steps[0] == ["Given", " ", "a box for ", "<room>", " pieces"]
    assert [step[0] for step in steps] == ["Given", "And", "When", "Then", "When", "Then", "Given", "Then"]
    assert Counter(classed(page(), "parameter")) == {"<room>": 1, "<pieces>": 1, "<state>": 1, "<kept>": 1}


def test_a_table_of_a_step_has_a_heading_row(page):
    """Its first line names the columns; numbers are set as numbers."""
    table = next(node for node in page().findall(nodes.table) if "step-table" in node["classes"])
    head, *body = [[entry.astext() for entry in row.findall(nodes.entry)] for row in table.findall(nodes.row)]
    assert (head, body) == (["side", "pieces"], [["left", "1"], ["right", "2"]])
    assert ["number" in entry["classes"] for entry in table.findall(nodes.entry)] == [*[False] * 3, True, False, True]


def test_a_docstring_keeps_its_lines(page):
    """It is literal, indented as it was."""
    assert [node.astext() for node in page().findall(nodes.literal_block)] == ["This side\n  up"]


def rows(section):
    """The rows of the tables of examples."""
    tables = [node for node in section.findall(nodes.table) if "examples" in node["classes"]]
    return [
        [entry.astext() for entry in row.findall(nodes.entry)] for table in tables for row in table.findall(nodes.row)
    ]


def test_beside_every_row_stands_its_verdict(page):
    """The last column says what the row came to, with a sign and a word."""
    assert rows(page()) == [
        ["description", "room", "pieces", "state", "last run"],
        ["exactly full", "10", "10", "kept", "✓ passed"],
        ["one over", "10", "11", "refused", "✓ passed"],
        ["description", "room", "pieces", "state", "last run"],
        ["many", "1,000", "999", "<kept>", "✓ passed"],
    ]


def test_a_row_that_failed_says_what_it_met(page):
    """What was met stands in a row of its own below, as wide as the table."""
    made = page({ONE_OVER: Verdict("failed", "Then they are refused: 11")})
    assert rows(made)[2:4] == [["one over", "10", "11", "refused", "✗ failed"], ["Then they are refused: 11"]]
    met = next(node for node in made.findall(nodes.row) if "met" in node["classes"])
    assert (met["classes"], met[0]["morecols"]) == (["failed", "met"], 4)


@pytest.mark.parametrize(
    ("verdicts", "told"),
    [
        ({}, "✓ all 4 examples passed"),
        ({EXACTLY: Verdict("failed")}, "✗ 1 of 4 examples failed"),
        ({LABEL: Verdict("skipped", "no ink")}, "– 1 of 4 examples skipped"),
        ({MANY: Verdict("not run")}, "○ 1 of 4 examples not run"),
        ({EXACTLY: Verdict("skipped"), MANY: Verdict("not run")}, "○ 1 of 4 examples not run"),
    ],
)
def test_a_rule_says_the_worst_that_its_examples_came_to(page, verdicts, told):
    """Whatever is not passed is told before what is."""
    assert told in classed(page(verdicts), "marks")[0]


def test_a_scenario_without_rows_has_its_verdict_below_its_steps(page):
    """It says what the scenario came to, and why where there is a reason."""
    made = page({LABEL: Verdict("skipped", "no ink")})
    label = next(node for node in made.findall(nodes.section) if node["ids"] == ["scenario-a-label"])
    assert label.children[-2].astext() == "– skippedno ink"


@pytest.mark.parametrize(
    ("verdict", "begin"),
    [
        (Verdict("passed"), "<details><summary>✓"),
        (Verdict("failed", "no ink"), "<details open><summary>✗"),
        (Verdict("skipped", "no ink"), "<details open><summary>–"),
    ],
)
def test_a_scenario_after_the_first_is_folded_where_it_has_nothing_to_say(page, verdict, begin):
    """The line that opens it says what its examples came to; the first scenario of a rule is open."""
    made = page({LABEL: verdict})
    first, label, *_ = [node for node in made.findall(nodes.section) if "scenario" in node["classes"]]
    assert not [node for node in first.findall(nodes.raw) if "<details" in node.astext()]
    assert next(iter(label.findall(nodes.raw))).astext() == f"{begin} 1 example {verdict.outcome}</summary>"


def test_what_is_portable_is_marked(page):
    """A rule that is portable as a whole says so; one that is in part says that, and each scenario that is."""
    assert classed(page(), "portable") == ["partly portable", "portable", "portable"]
    assert "partly portable" in classed(page(), "marks")[0]


def test_scenarios_whose_names_differ_in_signs_have_anchors_of_their_own(tmp_path):
    """The second has a number, which is another's no more than its own."""
    text = "".join(f"\n    Scenario: {name}\n      Given it\n" for name in ("At 92 %", "At 92 $", "At 92 2", "At 92!"))
    feature = read_feature(written(tmp_path, f"Feature: F\n  @LIM_01\n  Rule: R\n    Source: s.\n{text}"))
    numbered = ["scenario-at-92", "scenario-at-92-2", "scenario-at-92-2-2", "scenario-at-92-3"]
    assert list(scenario_anchors(feature).values()) == numbered


def written(folder, text):
    """A feature file with this text."""
    path = folder / "f.feature"
    path.write_text(text, encoding="utf-8")
    return path


def test_prose_under_a_scenario_and_a_table_is_shown(tmp_path):
    """Each stands where it was written: above the steps, and above the rows."""
    site = small_site(tmp_path, ALL_PASSED)
    path = site.root / "features/attic/boxes.feature"
    told = path.read_text(encoding="utf-8").replace(
        "Pieces are put in\n", "Pieces are put in\n      One\n      by one.\n\n"
    )
    path.write_text(told.replace("Examples: Few\n", "Examples: Few\n        Some of them.\n\n"), encoding="utf-8")
    feature = Rulebook.read(site.root).features["attic/boxes"]
    section = feature_section(PAGE, site, feature).astext()
    places = [
        section.index(words) for words in ("Pieces are put in", "One by one.", "a box for", "Few", "Some of them.")
    ]
    assert places == sorted(places)


def test_results_of_another_version_are_kept_back(page):
    """A warning stands on top, and no example is shown as holding."""
    made = page(current=False)
    assert "not from this version" in next(made.findall(nodes.warning)).astext()
    assert "✓" not in made.astext()


def test_the_search_shows_what_a_feature_is_about(page):
    """Its description, also on a page that begins with a warning."""
    document, noted = new_document("page"), []
    document += page(current=False)
    RuleDomain.process_doc(SimpleNamespace(note=lambda _, said: noted.append(said)), None, PAGE, document)
    assert noted == [(PAGE, "", "What is kept, is kept in boxes.")]


def test_the_page_leads_to_the_code(page):
    """The feature file, the step module and the source module are links to pages of the site."""
    links = {node.astext(): node["refuri"] for node in page().findall(nodes.reference) if "refuri" in node}
    assert links["feature file"] == "../../code/features/attic/boxes.feature.html"
    assert links["steps"] == "../../code/steps/attic/boxes.py.html"
    assert links["source"] == "../../code/src/brim/attic/boxes.py.html"


def test_a_decision_on_a_rule_stands_below_its_source(page, tmp_path):
    """A decision that names an id is linked by its title, at the first rule of that id alone."""
    (tmp_path / "docs" / "decisions").mkdir(parents=True)
    text = "# 0007: Lids\n\nRules: BOX_01, BOX_02. Status: accepted.\n"
    (tmp_path / "docs" / "decisions" / "0007-lids.md").write_text(text, encoding="utf-8")
    notes = ["Source: a guess.", "Decision 0007: Lids", "Code: boxes", "Source: a look.", "Code: boxes"]
    assert classed(page(), "note") == notes


def test_the_lines_of_the_examples_are_those_of_the_file():
    """The small rulebook of these tests is what its constants say."""
    lines = BOXES.splitlines()
    told = [lines[line - 1].strip().split("  ")[0] for line in (EXACTLY, ONE_OVER, MANY, LABEL, RAIN)]
    assert told == ["| exactly full | 10", "| one over", "| many", "Scenario: A label", "Scenario: Rain"]
