"""The features have a test of their own: that a product reader can read them."""

from pathlib import Path

import pytest

from steps.rulebook import Feature, read_feature, read_features
from tests import feature_style

FEATURES = Path(__file__).parent.parent / "features"


@pytest.fixture(scope="module")
def features() -> tuple[Feature, ...]:
    """Every feature of the rulebook."""
    return read_features(FEATURES)


@pytest.mark.parametrize("check", feature_style.CHECKS, ids=lambda check: check.__name__)
def test_every_feature_reads_well(features, check):
    """No feature holds what the check looks for."""
    met = [fault.replace(f"{FEATURES.parent}/", "") for feature in features for fault in check(feature)]
    assert not met, "\n".join([str(check.__doc__), *met])


def test_a_rule_has_one_home(features):
    """No id is claimed by two features."""
    assert not list(feature_style.ids_in_two_features(features))


def test_scenarios_are_short(features):
    """Half of the scenarios have three to five steps or fewer, and half as many or more."""
    shortest, longest = feature_style.STEPS_IN_THE_MIDDLE
    assert shortest <= feature_style.middle_length(features) <= longest


GOOD = """\
Feature: Limits
  What fits a limit is kept, and what does not is left outside it.

  @LIM_01
  Rule: What fits a limit of 1,000 is kept as "it_came"
    Source: a document.

    Scenario Outline: A limit is judged to the piece
      Given a limit of 1,000 pieces of opencode-2025
      When the tool "<tool>" brings <pieces> pieces
        | size  |
        | 1,000 |
      Then they are kept and the reason reads "kept (1000)"

      Examples: OpenCode
        | tool        | pieces |
        | apply_patch | 1,000  |
        | Edit        | 999    |
"""

BAD = {
    feature_style.undescribed: [("What fits a limit is kept, and what does not is left outside it.", "Limits.", 1)],
    feature_style.scenarios_of_one_name: [
        ("      Examples:", "    Scenario Outline: A limit is judged TO the piece\n\n      Examples:", 15),
    ],
    feature_style.half_sentences: [
        ("What fits a limit of 1,000 is kept as", "Kept", 5),
        ("Rule: What fits", "Rule: what fits", 5),
        ('kept as "it_came"', "kept.", 5),
    ],
    feature_style.wishes: [
        ("Then they are kept", "Then they should be kept", 13),
        ("A limit is judged", "Test that a limit is judged", 8),
        ("is left outside", "shouldn't be left outside", 1),
    ],
    feature_style.riddles: [
        ("A limit is judged to the piece", "Whoever asks is told", 8),
        ("Then they are kept", "Then they are handed in, kept", 13),
        ("What fits a limit is kept, and", "Whatever fits is kept, and", 1),
    ],
    feature_style.code: [
        ('"<tool>"', "<tool>", 17),
        ('as "it_came"', "as it_came", 5),
        ("they are kept", "MAX_KEPT are kept", 13),
        ("they are kept", "maxKept are kept", 13),
        ("they are kept", "KeptPieces are kept", 13),
        ("they are kept", "store.kept is kept", 13),
        ("they are kept", "kept() is kept", 13),
        ("| size  |", "| the_size |", 10),
        ("A limit is judged", "A file.py is judged", 8),
    ],
    feature_style.long_numbers: [
        ("a limit of 1,000 pieces", "a limit of 1000 pieces", 9),
        ("| 1,000 |", "| 1000 |", 10),
        ("| 1,000  |", "| 1000   |", 17),
        ("a limit of 1,000 is", "a limit of 1000 is", 5),
    ],
    feature_style.long_scenarios: [("      Then", "      And a\n" * 5 + "      Then", 8)],
    feature_style.several_acts: [
        ("      Then", "      And another comes\n      Then", 8),
        ("      When", "      But", 8),
    ],
    feature_style.unnamed_examples: [("Examples: OpenCode", "Examples:", 15)],
}


@pytest.fixture
def feature(tmp_path):
    """A function that reads a feature from its text."""

    def read(text):
        path = tmp_path / "limits.feature"
        path.write_text(text, encoding="utf-8")
        return read_feature(path)

    return read


@pytest.mark.parametrize("check", feature_style.CHECKS, ids=lambda check: check.__name__)
def test_a_good_feature_passes_every_check(feature, check):
    """Literal text in quotation marks, product names and separated numbers are not taken for faults."""
    assert list(check(feature(GOOD))) == []


@pytest.mark.parametrize(
    ("check", "old", "new", "line"),
    [(check, *spoilt) for check, cases in BAD.items() for spoilt in cases],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_fault_of_style_is_met_where_it_stands(feature, check, old, new, line):
    """Each check can fail: it tells the one place of what was spoilt."""
    assert GOOD.count(old) == 1
    met = list(check(feature(GOOD.replace(old, new))))
    assert [int(fault.split(":")[1]) for fault in met] == [line]


def test_an_id_in_two_features_is_told(feature):
    """An id may stand over two rules of one feature, and not in a second feature."""
    twice = GOOD + GOOD[GOOD.index("  @LIM_01") :].replace("A limit is", "It is")
    assert list(feature_style.ids_in_two_features([feature(twice)])) == []
    assert len(list(feature_style.ids_in_two_features([feature(GOOD), feature(twice)]))) == 2
