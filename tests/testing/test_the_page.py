"""The guide to testing tells of every public name. What it runs is run with the other guides."""

import re
from pathlib import Path

import brim.testing

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "testing.md").read_text(encoding="utf-8")


def test_every_public_name_is_on_the_page():
    """What is public is told about, types that only come back apart."""
    told = set(re.findall(r"\w+", PAGE))
    assert sorted(set(brim.testing.__all__) - told) == ["Failure", "Received"]
