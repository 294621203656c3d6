"""What a small site shows without a run of this version, and what stops its build."""

import pytest

from tests.site.small_sites import ALL_PASSED, build, small_site

pytestmark = [pytest.mark.site, pytest.mark.timeout(300)]

FILE = "features/attic/boxes.feature"
INDEX = "docs/rulebook/attic/index.md"
PAGES = {
    "docs/index.md": "# A small project\n\n```{toctree}\nrulebook/index\nsources/s0\ndecisions/0007-lids\n```\n",
    "docs/rulebook/index.md": (
        "# The rulebook\n\n```{verdicts}\n```\n\n```{packages}\n```\n\n```{toctree}\nattic/index\n```\n"
    ),
    INDEX: "# Attic\n\nKeeps what fits.\n\n```{package} attic\nboxes\n```\n",
    "docs/sources/s0.md": "# S0: What a box holds\n\n- BOX_01, BOX_02: What fits is kept.\n",
}
ANOTHER_VERSION = (
    '<testsuite><property name="version" value="another"/>'
    '<testcase><property name="feature" value="attic/boxes"/><property name="line" value="41"/></testcase></testsuite>'
)


@pytest.fixture
def root(tmp_path):
    """A small project with pages, which was not run."""
    small_site(tmp_path, ALL_PASSED)
    for path, text in PAGES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("results", "told"), [("", "○ not run<"), (ANOTHER_VERSION, "not from this version")])
def test_without_a_run_of_this_version_nothing_is_shown_as_holding(root, results, told):
    """Where there is none at all, and where there is one of another version, of which every page says so."""
    if results:
        (root / "build").mkdir()
        (root / "build" / "rulebook.xml").write_text(results, encoding="utf-8")
    assert build(root, root / "docs", root / "site").returncode == 0
    pages = [(root / "site" / path).read_text() for path in ("rulebook/index.html", "rulebook/attic/index.html")]
    assert told in pages[1]
    assert not results or told in pages[0]
    assert not any("✓" in text for text in pages)


@pytest.mark.parametrize(
    ("path", "old", "new", "told"),
    [
        (FILE, "      Then it is dry", "      It is dry", f"{FILE}:43: it does not parse: "),
        ("docs/sources/s0.md", "BOX_01", "BOX_09", "docs/sources/s0.md:3: WARNING: there is no rule BOX_09"),
        ("docs/index.md", "# A", "{rule}`BOX_09`\n\n# A", "docs/index.md:1: WARNING: there is no rule BOX_09"),
        (INDEX, "boxes\n", "", f"{INDEX}:5: ERROR: the package holds boxes; the list names "),
    ],
    ids=["no feature", "unknown in a source", "unknown on a page", "not all features"],
)
def test_bad_input_stops_the_build_with_file_and_line(root, path, old, new, told):
    """The build fails, and says the file and the line of the fault, and what is wrong there."""
    text = (root / path).read_text(encoding="utf-8")
    assert old in text
    (root / path).write_text(text.replace(old, new), encoding="utf-8")
    built = build(root, root / "docs", root / "site")
    assert built.returncode != 0
    assert told in built.stderr
    assert "Traceback" not in built.stderr
