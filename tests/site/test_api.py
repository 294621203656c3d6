import re
from pathlib import Path

import pytest
from living.reference.api import Reference
from living.reference.api_entries import Entries
from living.reference.catalogue import catalogue
from living.reference.declared import Source, Unknown
from living.reference.docstrings import markdown, options_of, rules_linked
from living.reference.signature_lines import as_lines
from sphinx.errors import ExtensionError

from tests.examples.following import Reader as Follower
from tests.examples.following import blocks_of

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted((DOCS / "reference").rglob("*.md"))
OF_BRIM_ALONE = {
    "brim.compaction.context_window.TurnRecord",
    "brim.conversation.tool_pairs.Repaired",
    "brim.engine.compacting.ClientT",
    "brim.engine.compaction_control.Listening",
    "brim.engine.compaction_control.ControlledRun",
    "brim.engine.conversation.T",
    "brim.replay.simulation.Call",
    "brim.sessions.lines.Journal",
    "brim.sessions.search.IndexRow",
    "brim.tokens.calibration.Calibrations",
    "brim.tokens.estimation.Size",
    "brim.trigger.overflow.CheckedSettings",
    "brim.adapters.langchain.Response",
    "brim.compaction.layout.Keep",
    "brim.compaction.layout.Piece",
    "brim.tokens.estimation.TextLength",
}
"""Types that stand in public signatures and that no caller makes or takes apart."""

LIMITS = '''\
"""Limits."""

from dataclasses import dataclass
from typing import Annotated, Final, Protocol, TypeAlias

from pydantic import BaseModel, Field

Pieces: TypeAlias = int | None
"""How many there are."""
MOST: Final = 200_000
LEAST = make()


class _Base:
    """What both do.

    Args:
        most: the most that fits (LIM_01); more
            is refused.
    """

    def __init__(self, most: Pieces = MOST, *, least: int = LEAST) -> None:
        self.most = most
        """The most."""
        self.hidden = least

    def close(self) -> None:
        """Let go."""


class Shelf(_Base):
    """Holds pieces; see BoxOfPieces. Raises Full."""

    async def put(self, piece: "Pieces", *more: Pieces) -> "Shelf":
        """Put one there. Raises Full where `Shelf` is full."""

    @property
    def free(self) -> Pieces:
        """What is free."""


class Full(Exception):
    """It is full."""


@dataclass(frozen=True)
class Size:
    """How large."""

    width: int
    """In steps."""


class Settings(BaseModel):
    """What is set."""

    height: int = Field(default=2, description="In steps.")
    kind: Literal["low"] = "low"
'''


@pytest.fixture
def written(tmp_path):
    """A function that writes files into a small project and gives what reads it."""

    def write(**files):
        for name, text in {"limits": LIMITS, **files}.items():
            path = tmp_path / "src" / "brim" / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Source(tmp_path)

    return write


def entry(source, name, *, public=("Shelf", "Full", "Pieces")):
    """The entry of a name of the small project, and what wrote it."""
    entries = Entries(source, {f"brim.limits.{one}": f"brim.limits.{one}" for one in public})
    return "\n".join(entries.entry("brim.limits", name)), entries


@pytest.fixture(scope="module")
def reference():
    """The reference as it stands on the pages."""
    return Reference(ROOT, DOCS)


@pytest.fixture(scope="module")
def told(reference):
    """Every entry of the reference, and what wrote them."""
    entries = reference.entries()
    return [line for one in reference.listed.values() for line in entries.entry(one.module, one.name)], entries


def test_every_public_name_has_a_docstring(told):
    """So has every method, property and field of it."""
    assert told[1].faults == []


def test_a_type_of_a_public_signature_has_an_entry(told):
    """All but a few that nobody makes or takes apart are documented themselves."""
    assert told[1].undocumented == OF_BRIM_ALONE


def test_an_entry_is_the_same_on_every_machine(told):
    """It holds no address of an object and no path of the machine that it was made on."""
    text = "\n".join(told[0])
    assert re.findall(r"0x[0-9a-f]{6,}| at 0x|object at", text) == []
    assert str(ROOT) not in text
    assert str(Path.home()) not in text


def test_twice_is_the_same(reference, told):
    """What is told does not hang on what was told before."""
    entries = Reference(ROOT, DOCS).entries()
    assert [line for one in reference.listed.values() for line in entries.entry(one.module, one.name)] == told[0]


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_a_program_of_the_reference_prints_what_it_says(path, tmp_path, monkeypatch):
    """Followed as it stands, each says what its comments tell."""
    monkeypatch.chdir(tmp_path)
    Follower(tmp_path).follow(path.read_text(encoding="utf-8"), path.name)


def test_every_page_of_the_library_begins_with_what_runs_or_says_why():
    """Those that a reader begins with have a program on them."""
    for name in ("judge", "plan", "compact"):
        assert [one for one in blocks_of((DOCS / f"reference/api/{name}.md").read_text()) if one.kind == "python"]


def test_a_class_is_told_with_all_that_belongs_to_it(written):
    """What it inherits from a class without an entry is its own; arguments, properties and methods are there."""
    text, entries = entry(written(), "Shelf")
    assert "{py:class} Shelf(most: brim.limits.Pieces=200000, *, least: int=LEAST)" in text
    assert "- `most`: the most that fits ({rule}`LIM_01`); more is refused." in text
    assert "{py:method} put(piece: brim.limits.Pieces, *more: brim.limits.Pieces) -> brim.limits.Shelf\n:async:" in text
    assert "{py:property} free\n:type: brim.limits.Pieces" in text
    assert "{py:attribute} most\n\nThe most." in text
    assert "hidden" not in text
    assert entries.faults == []


def test_words_that_are_public_names_are_links(written):
    """In what a docstring raises and between backticks; a name that nobody documents stays a word."""
    text, _ = entry(written(), "Shelf")
    assert "see BoxOfPieces. Raises {py:obj}`Full <brim.limits.Full>`." in text
    assert "where {py:obj}`Shelf <brim.limits.Shelf>` is full." in text


def test_fields_are_told_with_type_default_and_meaning(written):
    """Those of a record by their description, those of a value by the text behind them, one of one value by that."""
    record, _ = entry(written(), "Settings")
    assert "{py:attribute} height\n:type: int\n:value: 2\n\nIn steps." in record
    assert "Always `'low'`." in record
    assert "checked when it is made" in record
    value, _ = entry(written(), "Size")
    assert "{py:attribute} width\n:type: int\n\nIn steps." in value
    assert "A frozen value." in value


def test_an_alias_is_told_as_what_it_stands_for(written):
    """With what it is made of."""
    assert "{py:type} Pieces\n:canonical: int | None\n\nHow many there are." in entry(written(), "Pieces")[0]


def test_the_line_of_the_source_is_known_of_what_has_code(written):
    """For the name itself and each of its methods, inherited ones too."""
    _, entries = entry(written(), "Shelf")
    lines = LIMITS.splitlines()
    assert {name: lines[line - 1].strip() for name, (_, line) in entries.places.items()} == {
        "brim.limits.Shelf": "class Shelf(_Base):",
        "brim.limits.Shelf.close": "def close(self) -> None:",
        "brim.limits.Shelf.put": 'async def put(self, piece: "Pieces", *more: Pieces) -> "Shelf":',
        "brim.limits.Shelf.free": "def free(self) -> Pieces:",
    }


@pytest.mark.parametrize(
    ("said", "name", "told"),
    [
        ('        """Let go."""\n', "Shelf", "Shelf.close has no docstring"),
        ('        """What is free."""\n', "Shelf", "Shelf.free has no docstring"),
        ('    """It is full."""\n', "Full", "Full has no docstring"),
        ('    """In steps."""\n', "Size", "Size.width has no docstring"),
        (', description="In steps."', "Settings", "Settings.height has no docstring"),
        ('"""How many there are."""\n', "Pieces", "Pieces has no docstring"),
    ],
)
def test_what_has_no_docstring_is_named_with_file_and_line(written, said, name, told):
    """A method, a property, a class, a field of a value and of a record, and an alias."""
    text = LIMITS.replace(said, "        ...\n" if said.startswith("        ") else "    ...\n" * ("is full" in said))
    text = LIMITS.replace(said, "") if "description" in said else text
    _, entries = entry(written(limits=text), name)
    (fault,) = entries.faults
    place, _, what = fault.partition(": ")
    path, line = place.split(":")
    assert (path, what) == ("src/brim/limits.py", told)
    assert told.split()[0].rpartition(".")[2] in text.splitlines()[int(line) - 1]


def test_a_name_that_is_nowhere_is_unknown(written):
    """It says where it was looked for."""
    with pytest.raises(Unknown, match=re.escape("src/brim/limits.py declares no Shelves")):
        written().find("brim.limits", "Shelves")


@pytest.fixture
def listing(written, tmp_path, monkeypatch):
    """A function that writes a page that lists names, and reads the catalogue of it."""
    source = written(__init__='__all__ = ["Full", "Shelf"]\n\nfrom brim.limits import Full, Shelf\n')
    monkeypatch.setattr("living.reference.catalogue.WHOLE", ("brim",))

    def read(*names):
        page = tmp_path / "docs" / "reference" / "shelf.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("\n".join(["# Shelf", "", "```{api} brim", *names, "```", ""]), encoding="utf-8")
        return catalogue(tmp_path / "docs", source)

    return read


def test_the_catalogue_knows_names_by_where_they_are_defined(listing):
    """A name that a package hands on is the name that its home defines."""
    assert {home: one.whole for home, one in listing("Full", "Shelf").items()} == {
        "brim.limits.Full": "brim.Full",
        "brim.limits.Shelf": "brim.Shelf",
    }


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["Full", "Shelf", "Box"], "docs/reference/shelf.md:6: src/brim/__init__.py declares no Box"),
        (["Full", "Shelf", "Full"], "docs/reference/shelf.md:6: brim.Full stands on docs/reference/shelf.md:4 already"),
        (["Full"], "src/brim/__init__.py:1: brim.Shelf is public, and no page of docs/reference lists it"),
    ],
)
def test_a_catalogue_that_is_wrong_says_file_and_line(listing, names, told):
    """A name that is nowhere, one that stands twice, and a public one that is missing."""
    with pytest.raises(ExtensionError, match=re.escape(told)):
        listing(*names)


def test_there_is_no_catalogue_without_pages(tmp_path):
    """A site without a reference lacks nothing."""
    assert catalogue(tmp_path, Source(ROOT)) == {}


@pytest.mark.parametrize(
    ("doc", "lines"),
    [
        ("One.\ntwo (TRG_04).", ["One. two ({rule}`TRG_04`).", ""]),
        ("Of <a> and *b* and $c.", [r"Of \<a\> and \*b\* and \$c.", ""]),
        ("A `TRG_04` as it stands.", ["A `TRG_04` as it stands.", ""]),
        ("First.\n\n    code <x>\n      more", ["First.", "", "```text", "code <x>", "  more", "```", ""]),
        ("Does.\n\nReturns:\n    The sum.", ["Does.", "", "Returns The sum.", ""]),
    ],
)
def test_a_docstring_is_markdown(doc, lines):
    """Rules are links, what would be markup is none, and what is set in is code."""
    assert markdown(doc, lambda _: None) == lines


def test_the_options_of_a_docstring_are_known_by_their_names():
    """Each as far as it goes on."""
    assert options_of("Does.\n\nArgs:\n    one: the\n        first.\n    two: else.\n\nEnds.") == {
        "one": "the first.",
        "two": "else.",
    }


def test_rules_are_linked_where_they_are_prose():
    """What is between backticks stays as it is."""
    assert rules_linked("(TRG_04, `SUM_05`) ``A_01 CNV_01`` SEL_07") == (
        "({rule}`TRG_04`, `SUM_05`) ``A_01 CNV_01`` {rule}`SEL_07`"
    )


@pytest.fixture
def shelf(project):
    """A small project with a page that lists names of its source."""
    project.tree.write("src/brim/store/shelf.py", LIMITS)
    project.tree.write(
        "docs/reference/shelf.md", "# The shelf\n\n```{api} brim.store.shelf\nPieces\nShelf\nFull\n```\n"
    )
    project.tree.edit("docs/index.md", "rulebook/index\n", "rulebook/index\nreference/shelf\n")
    project.tree.edit("src/brim/store/shelf.py", "(LIM_01)", "(LIM_02)")
    project.run()
    return project


@pytest.mark.timeout(300)
def test_a_public_name_that_loses_its_docstring_fails_the_build(shelf):
    """Its entry leads to its types and to the line of its source; once it says nothing, file and line are told."""
    built = shelf.build()
    assert built.returncode == 0, built.stderr
    page = shelf.text("reference/shelf.html")
    assert 'href="#brim.store.shelf.Pieces" title="brim.store.shelf.Pieces"' in page
    line = LIMITS.splitlines().index("class Shelf(_Base):") + 1
    assert f'href="../code/src/brim/store/shelf.py.html#L-{line}"' in page

    shelf.tree.edit("src/brim/store/shelf.py", '        """What is free."""\n', "        return None\n")
    built = shelf.build()
    assert built.returncode != 0
    line = LIMITS.splitlines().index("    def free(self) -> Pieces:") + 1
    assert f"src/brim/store/shelf.py:{line}: Shelf.free has no docstring" in built.stderr


def test_a_long_signature_is_lines_and_no_list():
    """A list of definitions without a word to define is none."""
    written = "\n\n<dl>\n<dd><em>most: int</em>,</dd>\n</dl>\n\n"
    assert as_lines(written) == (
        '\n\n<span class="sig-lines">\n<span class="sig-line"><em>most: int</em>,</span>\n</span>\n\n'
    )
