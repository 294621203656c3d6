from dataclasses import replace

import pytest
from docutils import nodes
from living.results import Verdict
from living.rules.feature_page import feature_section, scenario_anchors
from living.site import repository_of
from lxml import html

from steps.rulebook import read_feature
from tests.site.small_sites import ALL_PASSED, EXACTLY, LABEL, MANY, ONE_OVER, small_site

PAGE = "rulebook/attic/boxes"


@pytest.fixture
def page(tmp_path):
    """A function that makes the page of boxes, given what differs from a run in which all passed."""

    def make(verdicts=(), **how):
        site = small_site(tmp_path, ALL_PASSED | dict(verdicts), **how)
        return feature_section(PAGE, site, site.rulebook.features["attic/boxes"])

    return make


def read(node):
    """The text of a page, a line for each of its parts."""
    if isinstance(node, nodes.raw):
        texts = html.fromstring(f"<div>{node.astext()}</div>").itertext()
        return [" ".join(one.split()) for one in texts if one.strip()]
    if isinstance(node, nodes.TextElement):
        return [node.astext()]
    return [line for child in node.children for line in read(child)]


def classed(section, name):
    """The texts of the elements of a class."""
    return [node.astext() for node in section.findall(nodes.Element) if name in node.get("classes", ())]


FILES = "features/attic/boxes.feature · steps/attic/boxes.py · src/brim/attic/boxes.py"
READS = """\
Boxes | What is kept, is kept in boxes. | 2 rules · ✗ 1 of 5 examples failed · FILES
A box holds as many pieces as fit | BOX_01 BOX_02 partly portable ✗ 1 of 4 examples failed | Source: a guess.
Boxes have no lids. | Code: src/brim/attic/boxes.py:1
Pieces are put in | Given | a box for | <room> | pieces | And | a second one
side | pieces | left | 1 | right | 2
When | <pieces> | pieces arrive | Then | they are " | <state> | " | Few
description | room | pieces | state | last run
exactly full | 10 | 10 | kept | ✓ passed
one over | 10 | 11 | refused | ✗ failed | Then they are refused: 11
description | room | pieces | state | last run
many | 1,000 | 999 | <kept> | ✓ passed
A label | portable | – 1 example skipped
When | it is read | This side up | Then | it says so | – skipped | no ink
A box is dry | BOX_01 portable ✓ 1 example passed | Source: a look. | Code: src/brim/attic/boxes.py:1
Rain | Given | rain | Then | it is dry | ✓ passed
"""


def test_the_page_reads_from_the_feature_to_the_last_example(page):
    """Prose, sources, marks, steps, tables and texts; beside every example what it came to, and why it failed."""
    made = page({ONE_OVER: Verdict("failed", "Then they are refused: 11"), LABEL: Verdict("skipped", "no ink")})
    assert " | ".join(read(made)) == READS.strip().replace("\n", " | ").replace("FILES", FILES)


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
    first, label, *_ = [node.astext() for node in made.findall(nodes.raw)]
    assert "<details" not in first
    assert label.startswith(f"{begin} 1 example {verdict.outcome}</summary>")


def test_scenarios_whose_names_differ_in_signs_have_anchors_of_their_own(tmp_path):
    """The second has a number, which is another's no more than its own."""
    text = "".join(f"\n    Scenario: {name}\n      Given it\n" for name in ("At 92 %", "At 92 $", "At 92 2", "At 92!"))
    feature = read_feature(written(tmp_path, f"Feature: F\n  @LIM_01\n  Rule: R\n    Source: s.\n{text}"))
    numbered = [f"scenario-f-at-92{end}" for end in ("", "-2", "-2-2", "-3")]
    assert list(scenario_anchors(feature).values()) == numbered


def written(folder, text):
    """A feature file with this text."""
    path = folder / "f.feature"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_decision_on_a_rule_stands_below_its_source(page, tmp_path):
    """A decision that names an id is linked by its title, at the first rule of that id alone."""
    (tmp_path / "docs" / "decisions").mkdir(parents=True)
    text = "# 0007: Lids\n\nRules: BOX_01, BOX_02. Status: accepted.\n"
    (tmp_path / "docs" / "decisions" / "0007-lids.md").write_text(text, encoding="utf-8")
    code = "Code: src/brim/attic/boxes.py:1"
    notes = ["Source: a guess.", "Decision 0007: Lids", code, "Source: a look.", code]
    assert classed(page(), "note") == notes


def test_code_is_a_link_where_the_repository_has_an_address(tmp_path):
    """To the file and the line; one setting has the address."""
    site = small_site(tmp_path, ALL_PASSED)
    settings = tmp_path / "pyproject.toml"
    urls = '\n[project.urls]\nRepository = "https://host.example/brim.git"\n'
    settings.write_text(settings.read_text(encoding="utf-8") + urls, encoding="utf-8")
    code = replace(site, repository=repository_of(tmp_path)).code("src/brim/attic/boxes.py", 7)
    assert code["refuri"] == "https://host.example/brim/blob/HEAD/src/brim/attic/boxes.py#L7"
    assert site.code("src/brim/attic/boxes.py", 7).astext() == code.astext() == "src/brim/attic/boxes.py:7"
