import re
from pathlib import Path

import pytest
from living.code_pages import _body, beside, code_files, code_link

from tests.site.small_sites import ALL_PASSED, small_site

ROOT = Path(__file__).parents[2]


@pytest.fixture
def root(tmp_path):
    """A small tree."""
    return small_site(tmp_path, ALL_PASSED).root


def test_features_steps_and_sources_have_a_page(root):
    """Every file of the three trees, and nothing else."""
    assert [path.relative_to(root).as_posix() for path in code_files(root)] == [
        "features/attic/boxes.feature",
        "steps/attic/boxes.py",
        "src/brim/attic/__init__.py",
        "src/brim/attic/boxes.py",
    ]


def test_a_link_leads_to_a_file_or_to_a_line_of_it():
    """It is relative, so that the site can stand anywhere."""
    assert code_link("rulebook/a/b", "src/brim/x.py", "x")["refuri"] == "../../code/src/brim/x.py.html"
    assert code_link("index", "src/brim/x.py", "x", 7)["refuri"] == "code/src/brim/x.py.html#L-7"


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


def test_a_module_of_a_feature_may_be_a_package(root):
    """The way leads to the package, and from there to the rules."""
    source = root / "src" / "brim" / "attic" / "boxes.py"
    source.with_suffix("").mkdir()
    source.rename(source.with_suffix("") / "__init__.py")
    assert ("code/src/brim/attic/boxes/__init__.py", "source") in beside(root, "steps/attic/boxes.py")
    assert ("rulebook/attic/boxes", "rules") in beside(root, "src/brim/attic/boxes/__init__.py")
