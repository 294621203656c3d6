"""A site from its sources to its pages: what a failure looks like, what an edit changes, and what stops a build."""

import re
from functools import partial

import pytest

from tests.site.html_pages import Pages
from tests.site.small_project import FILE, LIMITS, ROW, RULE, STEP_FILE

pytestmark = pytest.mark.timeout(300)

SHELVES_FILE = "features/store/shelves.feature"
INDEX = "docs/rulebook/store/index.md"

longer = partial(pytest.param, marks=pytest.mark.nightly)
"""A row that runs in the nightly run alone: each builds a site."""


@pytest.fixture
def mixed(project):
    """A site in which one row fails, one scenario is skipped, and the others hold."""
    project.tree.edit(FILE, ROW, ROW.replace("refused", "kept   "))
    project.tree.edit(STEP_FILE, "    return len(datatable) == 2", "    pytest.skip('the shelf is being painted')")
    project.tree.edit(STEP_FILE, "from pytest_bdd", "import pytest\nfrom pytest_bdd")
    project.run()
    built = project.build()
    assert built.returncode == 0, built.stderr
    return project.site


@pytest.mark.peers
def test_a_failing_row_and_a_skipped_scenario_show_as_what_they_are(mixed, visits):
    """Each says in a sign and a word, without colour, what it came to and why; its rule and feature say so.

    So does the page of the rulebook.
    """
    window = visits(mixed.as_uri())
    page = window.go(f"{LIMITS}.html")
    page.add_style_tag(
        content="* { color: black !important; background: white !important } *::before { content: none }"
    )
    rows = [" ".join(row.inner_text().split()) for row in page.locator("table.examples tbody tr").all()]
    why = "Then they are kept: assert False == ('kept' == 'kept'"
    assert rows == ["exactly 10 10 kept ✓ passed", "one over 10 11 kept ✗ failed", why]
    alone = page.locator("section", has=page.get_by_role("heading", name="No limit keeps all")).last
    assert "– skipped the shelf is being painted" in " ".join(alone.inner_text().split())
    assert page.get_by_text("✗ 1 of 3 examples failed").count() == 2
    for path in (f"{LIMITS}.html", "rulebook/index.html"):
        assert "✗" in window.go(path).locator("main").inner_text(), path
    assert not window.complaints, "\n".join(window.complaints)


def test_what_did_not_run_is_shown_as_that(project):
    """Without results every example says that it was not run, and no page says that anything holds."""
    (project.root / "build" / "rulebook.xml").unlink()
    assert project.build().returncode == 0
    pages = {path: project.text(path) for path in Pages(project.site).by_path if path.startswith("rulebook/")}
    assert pages[f"{LIMITS}.html"].count("○ not run<") >= 3
    assert [path for path, text in pages.items() if "✓" in text] == []


def test_results_of_another_version_are_shown_as_such(project):
    """After an edit without a run no example is shown as holding, and every page of the rulebook says why."""
    project.tree.write(STEP_FILE, (project.root / STEP_FILE).read_text(encoding="utf-8") + "\n# later\n")
    assert project.build().returncode == 0
    for page in (LIMITS, "rulebook/index"):
        text = project.text(f"{page}.html")
        assert "not from this version" in text, page
        assert "✓" not in text, page


@pytest.mark.parametrize(
    ("path", "old", "new", "told"),
    [
        (FILE, "      Then they are kept", "      They are kept", f"{FILE}:26: it does not parse: "),
        longer(FILE, "    Source: a document (S0).\n", "", f"{FILE}:6: the rule has no source: {RULE!r}"),
        longer(FILE, "  @LIM_01 @LIM_02\n", "", f"{FILE}:5: the rule has no id: {RULE!r}"),
        longer("docs/sources/s0.md", "LIM_01", "LIM_09", "docs/sources/s0.md:3: WARNING: there is no rule LIM_09"),
        longer(
            "docs/index.md",
            "# A small",
            "{rule}`LIM_09`\n\n# A small",
            "docs/index.md:1: ERROR: there is no rule LIM_09",
        ),
        longer("build/rulebook.xml", "</testsuites>", "</testsuite>", "build/rulebook.xml: no JUnit file: "),
        longer(INDEX, "shelves\n", "", f"{INDEX}:5: ERROR: the package holds limits, shelves; the list names limits"),
    ],
    ids=[
        "no feature",
        "no source",
        "no id",
        "unknown in a source",
        "unknown on a page",
        "no results",
        "not all features",
    ],
)
def test_bad_input_stops_the_build_with_file_and_line(project, path, old, new, told):
    """The build fails, and says the file and the line of the fault, and what is wrong there."""
    project.tree.edit(path, old, new)
    built = project.build()
    assert built.returncode != 0
    assert told in built.stderr
    assert "Traceback" not in built.stderr


@pytest.mark.nightly
def test_whatever_does_not_parse_is_told_at_once(project):
    """Two broken features are two lines."""
    for feature in ("limits", "shelves"):
        path = project.root / f"features/store/{feature}.feature"
        path.write_text(path.read_text(encoding="utf-8").replace("      Then ", "      Thus "), encoding="utf-8")
    told = project.build().stderr
    assert f"{FILE}:15: it does not parse" in told
    assert f"{SHELVES_FILE}:13: it does not parse" in told


def test_nothing_of_the_machine_is_in_the_site(project):
    """No page names the folder it was built in, and none says when; the keyboard reaches each table."""
    assert project.build().returncode == 0
    pages = [path for path in project.site.rglob("*") if path.suffix in {".html", ".js", ".css", ".svg"}]
    assert [path for path in pages if str(project.root) in path.read_text(encoding="utf-8")] == []
    ours = [path for path in pages if path.suffix == ".html" and "_static" not in path.parts]
    when = re.compile(r"[Ll]ast updated|©|Created using")
    assert [path for path in ours if when.search(path.read_text(encoding="utf-8"))] == []
    for page in (LIMITS, "rulebook/index"):
        text = project.text(f"{page}.html")
        names = re.findall(r'<div aria-label="([^"]+)" class="table-region" role="region" tabindex="0">', text)
        assert len(names) == len(set(names)) == text.count("<table"), page
