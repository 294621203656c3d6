import re

import pytest
from living.code_pages import _body, beside

from tests.site.small_sites import ALL_PASSED, small_site


@pytest.fixture
def root(tmp_path):
    """A small tree."""
    return small_site(tmp_path, ALL_PASSED).root


def test_every_line_can_be_linked_to(root):
    """Each has an anchor of its number; what means something in HTML is shown, not obeyed."""
    body = _body(root / "src/brim/attic/boxes.py")
    assert re.findall(r'id="(L-\d+)"', body) == ["L-1"]
    assert "&lt;" in body


def test_the_files_of_a_feature_lead_to_each_other(root):
    """From each there is a way to its rules and to the two others; a file of no feature has none."""
    assert list(beside(root, "steps/attic/boxes.py")) == [
        ("rulebook/attic/boxes", "rules"),
        ("code/features/attic/boxes.feature", "feature file"),
        ("code/src/brim/attic/boxes.py", "source"),
    ]
    assert list(beside(root, "src/brim/attic/__init__.py")) == []
