import re

import pytest

from tests.site.small_project import LIMITS, SHELVES
from tests.site.test_whole_site import longer

pytestmark = pytest.mark.timeout(300)

INDEX = "docs/rulebook/store/index.md"
PAGE = f"docs/{SHELVES}.md"


@pytest.fixture
def built(project):
    """The small project with its site."""
    made = project.build()
    assert made.returncode == 0, made.stderr
    return project


def test_nothing_of_the_machine_is_in_the_site(built):
    """No page names the folder it was built in, and none says when."""
    pages = [path for path in built.site.rglob("*") if path.suffix in {".html", ".js", ".css", ".svg"}]
    assert [path for path in pages if str(built.root) in path.read_text(encoding="utf-8")] == []
    ours = [path for path in pages if path.suffix == ".html" and "_static" not in path.parts]
    when = re.compile(r"[Ll]ast updated|©|Created using")
    assert [path for path in ours if when.search(path.read_text(encoding="utf-8"))] == []
    # The keyboard reaches each table, and no two on a page are called the same.
    for page in (LIMITS, SHELVES, "rulebook/index", "rulebook/rules"):
        text = built.text(f"{page}.html")
        names = re.findall(r'<div aria-label="([^"]+)" class="table-region" role="region" tabindex="0">', text)
        assert len(names) == len(set(names)) == text.count("<table"), page


@pytest.mark.nightly
def test_the_path_of_a_file_with_a_page_is_a_link(built):
    """So a page in Markdown names the code as a reader of the tree finds it."""
    assert 'href="code/src/brim/store/limits.py.html"' in built.text("index.html")


@pytest.mark.parametrize(
    ("path", "old", "new", "told"),
    [
        longer(INDEX, "shelves\n", "", f"{INDEX}:5: ERROR: the package holds limits, shelves; the list names limits"),
        longer(INDEX, "{package} store", "{package} cellar", f"{INDEX}:5: ERROR: there is no package 'cellar'"),
        longer(PAGE, "shelves", "racks", f"{PAGE}:1: ERROR: there is no feature 'store/racks'"),
    ],
    ids=["a feature is missing", "no such package", "no such feature"],
)
def test_a_page_of_what_is_not_there_stops_the_build(project, path, old, new, told):
    """A package whose list is not current, and a page without its feature, are told with file and line."""
    project.tree.edit(path, old, new)
    made = project.build()
    assert made.returncode != 0
    assert told in made.stderr
