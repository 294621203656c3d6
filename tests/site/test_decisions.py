"""The decisions: which there are, on which rules, and whether their page tells of each."""

from pathlib import Path

from living.origins.decided import decisions, decisions_on, gists

from tests.site.source_pages import DECISION, LIMITS

ROOT = Path(__file__).parents[2]


def test_a_decision_is_found_by_its_rule():
    """A rule that a decision names has that decision, one that none names has none."""
    assert [one.number for one in decisions_on("TRG_11")] == ["0004", "0052"]
    assert decisions_on("TRG_11")[0].title == "The Anthropic SDK profile triggers at 100,000, not only above it"
    assert decisions_on("TRG_11")[0].page == "decisions/0004-equality-in-the-sdk-profile"
    assert not decisions_on("TRG_01")


def test_every_decision_is_numbered_as_its_file():
    """The number of a title is that of the file, and no number is given twice."""
    every = decisions(ROOT)
    assert all(one.path.name.startswith(f"{one.number}-") for one in every)
    assert len({one.number for one in every}) == len(every)


def test_every_decision_is_told_of_once():
    """The page of decisions has a line for each, and for no other."""
    assert sorted(one.number for one in gists(ROOT)) == [one.number for one in decisions(ROOT)]


def test_every_file_of_a_decision_is_in_the_table_of_contents():
    """What the table of contents takes in is every file of a decision."""
    folder = ROOT / "docs" / "decisions"
    assert ":glob:\n\n0*\n" in (folder / "index.md").read_text(encoding="utf-8")
    assert (
        {one.path for one in decisions(ROOT)}
        == set(folder.glob("0*.md"))
        == set(folder.glob("*.md")) - {folder / "index.md"}
    )


def test_a_decision_is_read(shelves):
    """A decision has its number, its title, its rules, and the line on which it names them."""
    (one,) = decisions(shelves.root)
    assert (one.number, one.title, one.rules, one.line) == ("0001", "A shelf holds its limit", ("LIM_01", "LIM_02"), 3)


def test_a_decision_may_be_on_no_rule(shelves):
    """A decision on how things are made says its status alone."""
    shelves.edit(DECISION, "Rules: LIM_01, LIM_02. Status", "Status")
    shelves.edit(LIMITS, "and decision 0001; ", "")
    assert shelves.faults() == []
