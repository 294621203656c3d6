import pytest
from living.rules.messages import messages_of

from steps.rulebook import read_feature

FEATURE = """
Feature: Shelves

  Rule: A shelf keeps pieces

    Scenario Outline: Too many
      Given a shelf "of one two three"
      When brim keeps them
      Then it is refused with "<error>", and stderr says "the shelf <name> is full"
      And the page says "all three are kept"
      And it is refused as <error>

      Examples:
        | name | error                     |
        | oak  | 3 pieces, but 2 have room |
        | ash  | too many                  |
"""


@pytest.fixture
def scenario(tmp_path):
    """An outline whose outcomes quote messages."""
    (tmp_path / "shelves.feature").write_text(FEATURE, encoding="utf-8")
    return read_feature(tmp_path / "shelves.feature").scenarios[0]


def test_the_messages_of_a_refusal_are_quoted_with_the_values_of_its_rows(scenario):
    """Each once, from outcomes that tell of a refusal or an error; what has fewer than three words is none."""
    assert messages_of(scenario) == ["3 pieces, but 2 have room", "the shelf oak is full", "the shelf ash is full"]
