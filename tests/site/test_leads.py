"""A build of what changed is as good as a build from nothing, whatever came, went or moved."""

import pytest
from living import makers

from tests.site.small_project import FILE, LIMITS, SHELVES
from tests.site.source_pages import DECISION, PLANNED, S0
from tests.site.test_whole_site import changed, contents

pytestmark = [pytest.mark.timeout(300), pytest.mark.nightly]

SHELF = "features/store/shelves.feature"
OF_THE_SHELVES = (SHELF, "steps/store/shelves.py", "src/brim/store/shelves.py", f"docs/{SHELVES}.md")


@pytest.fixture
def built(project):
    """The small project with links of every kind to a rule, built once."""
    project.tree.write("docs/index.md", INDEX)
    project.tree.write("docs/rulebook/later.md", "# Later\n\nNothing yet.\n")
    project.tree.edit("docs/rulebook/index.md", "\nrules\n", "\nrules\nlater\n")
    check(project.build())
    return project


INDEX = """\
# A small project

A shelf: {rule}`SHV_01`, [one](#rule-shv_01), SHV_01, S0, decision 0001.

```{toctree}
rulebook/index
sources/s0
```
"""


def check(built):
    """The build went well."""
    assert built.returncode == 0, built.stdout + built.stderr


def as_from_nothing(project):
    """Build what changed, and all of it in another folder; the files that differ."""
    anew = project.build_beside("anew")
    check(project.build())
    assert anew() == 0
    return changed(contents(project.site), contents(project.root / "build" / "anew"))


def remove_the_shelves(project):
    """Take a feature out, with all that is about it."""
    for path in OF_THE_SHELVES:
        (project.root / path).unlink()
    project.tree.edit("docs/rulebook/store/index.md", "shelves\n", "")
    project.tree.edit(S0, "A shelf begins empty. | SHV_01\n", "")
    project.tree.edit("docs/index.md", "{rule}`SHV_01`, [one](#rule-shv_01), SHV_01, ", "")
    project.run()


def test_a_feature_that_is_removed_leaves_no_page(built):
    """Neither its rules nor its code keep a page, and no page beside leads there."""
    remove_the_shelves(built)
    assert as_from_nothing(built) == set()
    assert not (built.site / f"{SHELVES}.html").exists()
    assert "shelves" not in built.text(f"{LIMITS}.html")


def test_a_page_that_gets_another_heading_is_called_so_everywhere(built):
    """The pages beside it lead to it by its new name."""
    built.tree.edit("docs/rulebook/later.md", "# Later", "# Much later")
    assert as_from_nothing(built) == set()
    assert "Much later" in built.text(f"{LIMITS}.html")


def test_links_follow_a_rule_to_another_page(built):
    """A rule that moves, to a page that is read before the one it leaves, is found by every kind of link."""
    for path in OF_THE_SHELVES:
        (built.root / path).rename(built.root / path.replace("shelves", "cases"))
    built.tree.edit(SHELF.replace("shelves", "cases"), "Feature: Shelves", "Feature: Cases")
    built.tree.write("docs/rulebook/store/cases.md", "```{feature} store/cases\n```\n")
    built.tree.edit("docs/rulebook/store/index.md", "shelves\n", "cases\n")
    built.run()
    assert as_from_nothing(built) == set()
    assert built.text("index.html").count("rulebook/store/cases.html#rule-shv_01") == 3


def test_a_rule_moves_between_pages_that_stay(built):
    """Nothing is told of a label that stands twice."""
    shelves = (built.root / SHELF).read_text(encoding="utf-8")
    rule = shelves[shelves.index("  @SHV_01") :]
    built.tree.write(SHELF, shelves.replace("SHV_01", "SHV_02"))
    limits = (built.root / FILE).read_text(encoding="utf-8")
    built.tree.write(FILE, f"{limits}\n{rule.replace('Nothing is there', 'None is there')}")
    built.tree.edit(S0, "SHV_01", "SHV_01, SHV_02")
    built.run()
    assert as_from_nothing(built) == set()
    assert built.text("index.html").count(f"{LIMITS}.html#rule-shv_01") == 3


def test_a_promise_that_is_kept_moves_to_its_feature(furnished):
    """Nothing is told of a label that stands twice, and whatever names the rule leads to it."""
    check(furnished.build())
    kept = "\n  @LIM_03\n  Rule: What fell is picked up\n    Source: brim (S0, on edges).\n\n"
    furnished.tree.write(SHELF, (furnished.root / SHELF).read_text(encoding="utf-8") + kept + SCENARIO)
    furnished.tree.edit(
        PLANNED, "LIM_03 | What fell is picked up. | S0, section 1; brim.", "LIM_04 | It stays. | brim."
    )
    furnished.run()
    assert as_from_nothing(furnished) == set()
    assert f"{SHELVES}.html#rule-lim_03" in furnished.text("sources/s0.html")


SCENARIO = """\
    Scenario: It is picked up
      When these pieces arrive
        | piece |
        | 1     |
      Then they are kept
"""


def test_mentions_follow_what_they_mention(furnished):
    """A decision under another name, and a section that says something else, change the pages that name them."""
    check(furnished.build())
    decision = furnished.root / DECISION
    decision.rename(decision.with_name("0001-the-shelf.md"))
    furnished.tree.edit(S0, "What a shelf holds,\nand what it does not.", "All that a shelf holds.")
    furnished.run()
    assert as_from_nothing(furnished) == set()
    assert "decisions/0001-the-shelf.html" in furnished.text("index.html")
    assert "All that a shelf holds." in furnished.text("decisions/0001-the-shelf.html")


def test_what_makes_pages_is_part_of_their_version():
    """How features are read, and how pages look, are fingerprinted with the modules of the site."""
    assert {"rulebook.py", "verdicts.py", "brim.css", "tables.js", "search.js", "leads.py"} <= {
        one.name for one in makers()
    }
