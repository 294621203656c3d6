import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from living.reference.operations_page import operations_page
from living.reference.portable_pages import OPERATIONS_PAGE, PAGES, PHRASES_PAGE, _check, linked, stale
from sphinx.errors import ExtensionError

from brim.portable.operations import OPERATIONS
from brim.portable.schema import schema

DOCS = Path(__file__).parents[2] / "docs"
ROLE = re.compile(r"{rule}`([A-Z]{3}_\d\d)`")


def text_of(page):
    """A page as it stands in the repository."""
    return (DOCS / f"{page}.md").read_text(encoding="utf-8")


def test_every_operation_of_the_schema_is_on_the_page_with_its_rules_as_links():
    """So is every field of its input."""
    page = linked(OPERATIONS_PAGE, text_of(OPERATIONS_PAGE))
    for name, told in json.loads(json.dumps(schema()))["operations"].items():
        section = page.partition(f"### `{name}`\n")[2].partition("\n### ")[0]
        assert ROLE.findall(section) == told["rules"]
        assert all(f"| `{field}` |" in section for field in told["input"].get("properties", {}))


def test_every_rule_that_the_pages_name_is_a_link():
    """None stands there as a mere word."""
    for page in PAGES:
        assert re.findall(r"(?<!`)[A-Z]{3}_\d\d(?!`)", linked(page, text_of(page))) == []


def test_every_column_has_a_head():
    """An empty one says nothing to those who do not see the table."""
    for page in PAGES:
        assert re.findall(r"\| *\|\n\| ---", linked(page, text_of(page))) == []


def test_the_operations_that_phrases_ask_for_are_links():
    """Each leads to the heading of the operation, and the phrase itself is as it was."""
    page = linked(PHRASES_PAGE, text_of(PHRASES_PAGE))
    asked = set(re.findall(r"\[`(\w+)`\]\(operations\.md#\1\)", page))
    assert asked
    assert asked <= OPERATIONS.keys()
    assert (
        "| *When* its billing equivalent is worked out | [`billing_equivalent`](operations.md#billing_equivalent) |"
        in page
    )
    assert re.sub(r"\[(`\w+`)\]\(.*?\)", r"\1", page) == text_of(PHRASES_PAGE)


def test_a_list_that_is_current_is_let_through():
    """What stands in the repository is what the declarations say."""
    assert stale(text_of(OPERATIONS_PAGE), operations_page()) is None


@pytest.mark.parametrize(
    ("old", "line"),
    [
        ("# The portable operations", 1),
        ("JSON Schema. A field", 4),
        ("Gives: integer.", None),
    ],
)
def test_a_list_that_is_stale_fails_the_build(tmp_path, old, line):
    """With its file and the first line that is another, and how it is made anew."""
    written = text_of(OPERATIONS_PAGE).replace(old, "Something else")
    first = line or text_of(OPERATIONS_PAGE).split(old)[0].count("\n") + 1
    (tmp_path / "implementers").mkdir()
    (tmp_path / "implementers" / "operations.md").write_text(written, encoding="utf-8")
    with pytest.raises(ExtensionError, match=rf"^docs/implementers/operations\.md:{first}: .*generate\.py"):
        _check(SimpleNamespace(srcdir=tmp_path))


def test_a_list_that_was_cut_off_is_stale():
    """At the line where it ends."""
    assert stale("one\ntwo", "one\ntwo\nthree") == 3


def test_a_site_without_the_list_lacks_nothing(tmp_path):
    """A project of another kind has none."""
    _check(SimpleNamespace(srcdir=tmp_path))
