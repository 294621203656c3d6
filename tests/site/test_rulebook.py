from pathlib import Path

import pytest
from living.rules.rulebook import Rulebook
from sphinx.errors import ExtensionError

ROOT = Path(__file__).parents[2]
PROJECT = """\
[[tool.importlinter.contracts]]
id = "layers"
layers = ["(cellar)", "(attic)"]
"""

RULES = """\
Feature: Boxes
  What is kept.

  @BOX_01
  Rule: A box is closed
    A word on why.

    Source: a document (S0), read
    over two lines.

    Scenario: One
      Given a box

  @BOX_01 @BOX_02 @portable
  Rule: A box is dry
    Source: a guess.

    Scenario: Two
      Given a box

  @BOX_03
  Rule: A box is heavy
    Source: a scale.

    @portable
    Scenario: Three
      Given a box

    Scenario: Four
      Given a box
"""


@pytest.fixture
def tree_of(tmp_path):
    """A function that writes features, by their names, into a tree of two packages."""

    def build(**features):
        (tmp_path / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
        for name, text in features.items():
            path = tmp_path / "features" / f"{name.replace('__', '/')}.feature"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return build


ALONE = """\
Feature: Lids

  @LID_01
  Rule: A lid fits
    Source: s.

  @LID_01
  Rule: A lid closes
    Source: s.
"""


@pytest.mark.parametrize(
    ("named", "place"),
    [
        (["BOX_01"], ("rulebook/attic/index", "rule-box_01", "A box is closed")),
        (["BOX_01", "is dry"], ("rulebook/attic/index", "rule-box_01-2", "A box is dry")),
        (["BOX_02"], ("rulebook/attic/index", "rule-box_02", "A box is dry")),
        (["LID_01"], ("rulebook/attic/index", "lids", "Lids")),
        (["LID_01", "fits"], ("rulebook/attic/index", "rule-lid_01", "A lid fits")),
        (["BOX_01", "A box"], None),
        (["BOX_01", "is heavy"], None),
        (["BOX_09"], None),
    ],
)
def test_an_id_leads_to_its_introduction_and_with_words_to_a_sentence(tree_of, named, place):
    """To the feature that is about this id alone; words of no sentence of the id, or of several, lead nowhere."""
    assert Rulebook.read(tree_of(attic__boxes=RULES, attic__lids=ALONE)).place(*named) == place


def test_a_feature_stands_in_the_folder_of_its_package(tree_of):
    """One that stands deeper, or in no package, would have the name of another."""
    root = tree_of(attic__chest__boxes=RULES, boxes=RULES)
    with pytest.raises(ExtensionError) as met:
        Rulebook.read(root)
    told = ":1: a feature stands in the folder of its package: features/trigger/overflow.feature"
    paths = ("features/attic/chest/boxes.feature", "features/boxes.feature")
    assert str(met.value).splitlines() == [f"{path}{told}" for path in paths]


def test_the_rulebook_lists_the_packages_in_their_order():
    """Its table of contents names every package, from the first that data comes to, then what changed."""
    page = (ROOT / "docs" / "rulebook" / "index.md").read_text(encoding="utf-8")
    listed = page.partition(":hidden:\n")[2].replace("```", "").split()
    packages = [f"{package}/index" for package in Rulebook.read(ROOT).packages]
    assert listed == [*packages, "../changes"]
