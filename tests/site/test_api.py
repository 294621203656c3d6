import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from living.reference import api
from living.reference.api import home_of, known, listed, missing, shown
from living.reference.docstrings import options_of, restructured
from living.reference.signature_lines import as_lines

from brim.trigger import profiles
from tests.examples.following import Reader as Follower
from tests.examples.following import blocks_of

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted((DOCS / "reference").rglob("*.md"))
APP = SimpleNamespace(srcdir=DOCS)
DOCS_OF = api.docs_of


def documented(what, name, there, doc, caplog):
    """The docstring of a name as the reference has it, and what was missed."""
    lines = doc.splitlines()
    api._document(APP, what, name, there, None, lines)
    return "\n".join(lines).replace("\\ ", ""), [record.getMessage() for record in caplog.records]


def test_every_public_name_is_listed_once():
    """Each name of a public module, wherever it is defined, stands on one page of the reference."""
    assert list(missing(DOCS)) == []
    assert [name for name, times in Counter(listed(DOCS)).items() if times > 1] == []


def test_a_public_name_on_no_page_is_missed(tmp_path):
    """It is named; a site without a reference lacks nothing."""
    assert list(missing(tmp_path)) == []
    page = tmp_path / "docs" / "reference" / "errors.md"
    page.parent.mkdir(parents=True)
    page.write_text("```{api} brim\nBrimError\n```\n", encoding="utf-8")
    told = list(missing(tmp_path / "docs"))
    assert "brim.Compactor is public, and no page of docs/reference lists it" in told
    assert "brim.BrimError is public, and no page of docs/reference lists it" not in told


def test_a_name_is_known_where_it_is_defined_and_where_it_is_listed():
    """A package hands on what its modules define, classes and values alike."""
    names = known(DOCS)
    assert names["brim.engine.compactor.Compactor"] == names["brim.Compactor"] == "brim.Compactor"
    assert home_of("brim", "PROFILES") == "brim.trigger.profiles"


def test_what_has_no_docstring_is_missed(caplog):
    """A function, and a field of a record without a description."""
    assert documented("function", "brim.should_compact", profiles.threshold, "", caplog)[1] == [
        "brim.should_compact has no docstring"
    ]


def test_every_field_of_a_public_class_says_what_it_is(monkeypatch):
    """By a description or by the text behind it; one that loses it is named."""
    assert list(api.undescribed(DOCS)) == []
    lost = {key: told for key, told in api.docs_of("brim.trigger.overflow").items() if key != ("Verdict", "due")}
    monkeypatch.setattr(api, "docs_of", lambda module: lost if module == "brim.trigger.overflow" else DOCS_OF(module))
    assert list(api.undescribed(DOCS)) == ["brim.trigger.overflow.Verdict.due has no docstring"]


def test_a_field_is_told_by_its_description_and_default(caplog):
    """That of a record; that of a value by the text behind it; a value by the text where it is defined."""
    field, _ = documented("attribute", "brim.CompactionPolicy.keep_share", None, "", caplog)
    assert field.startswith("The share of the usable context")
    assert ":rule:`SEL_04`" in field
    assert "Default: ``0.2``." in field
    verdict, _ = documented("attribute", "brim.trigger.profiles.UserThreshold.tokens", None, "", caplog)
    value, missed = documented("data", "brim.PROFILES", profiles.PROFILES, "", caplog)
    assert verdict
    assert value
    assert missed == []


def test_a_class_names_what_it_is_made_from():
    """A record, and an error of which kind it is; classes that are private are no names to read."""
    assert "   :show-inheritance:" in [*api._entry("brim", "CompactionPolicy"), *api._entry("brim", "UnknownLimits")]
    assert "   :show-inheritance:" not in [*api._entry("brim", "Compactor")]


def test_constants_in_a_signature_are_numbers():
    """What a default is called by in the source says nothing to who calls."""
    made = api._sign(None, "function", "", profiles.threshold, None, "(share=PROACTIVE_SHARE)", None)
    assert made == ("(share=0.92)", None)


@pytest.mark.parametrize(
    ("value", "text"),
    [(32_000, "32,000"), (True, "True"), ("", "''"), (frozenset({"b", "a"}), "a, b"), ((), "none"), (None, "None")],
)
def test_a_value_is_shown_as_it_is_read(value, text):
    """Numbers with separators, sets in order."""
    assert shown(value) == text


@pytest.mark.parametrize(
    ("doc", "lines"),
    [
        ("One.\ntwo (TRG_04).", ["One. two (:rule:`TRG_04`).", ""]),
        ("Of *b*, c_ and |d|.", [r"Of \*b\*, c\_ and \|d\|.", ""]),
        ("A `TRG_04` as it stands.", ["A ``TRG_04`` as it stands.", ""]),
        ("Raises Full where `Full` is.", ["Raises :py:obj:`Full <x.Full>` where :py:obj:`Full <x.Full>` is.", ""]),
        (
            "First.\n\n    code <x>\n      more",
            ["First.", "", ".. code-block:: text", "", "   code <x>", "     more", ""],
        ),
        ("Does.\n\nReturns:\n    The sum.", ["Does.", "", "Returns The sum.", ""]),
        ("Does.\n\nArgs:\n    one: the\n        first.", ["Does.", "", "- ``one``: the first.", ""]),
    ],
)
def test_a_docstring_is_restructured(doc, lines):
    """Rules and names are links, what would be markup is none, and what is set in is code."""
    made = restructured(doc, lambda words: "x.Full" if words == "Full" else None)
    assert [line.replace("\\ ", "") for line in made] == lines


def test_the_options_of_a_docstring_are_known_by_their_names():
    """Each as far as it goes on."""
    assert options_of("Does.\n\nArgs:\n    one: the\n        first.\n    two: else.\n\nEnds.") == {
        "one": "the first.",
        "two": "else.",
    }


def test_a_long_signature_is_lines_and_no_list():
    """A list of definitions without a word to define is none."""
    written = "\n\n<dl>\n<dd><em>most: int</em>,</dd>\n</dl>\n\n"
    assert as_lines(written) == (
        '\n\n<span class="sig-lines">\n<span class="sig-line"><em>most: int</em>,</span>\n</span>\n\n'
    )


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_a_program_of_the_reference_prints_what_it_says(path, tmp_path, monkeypatch):
    """Followed as it stands, each says what its comments tell."""
    monkeypatch.chdir(tmp_path)
    Follower(tmp_path).follow(path.read_text(encoding="utf-8"), path.name)


def test_every_page_of_the_library_begins_with_what_runs_or_says_why():
    """Those that a reader begins with have a program on them."""
    for name in ("judge", "plan", "compact"):
        assert [one for one in blocks_of((DOCS / f"reference/api/{name}.md").read_text()) if one.kind == "python"]


def test_the_entries_name_nothing_of_the_machine(site):
    """No address of an object and no path; types that have an entry are links, and each class has its source."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (site / "reference" / "api").glob("*.html")}
    met = {name: re.findall(r"0x[0-9a-f]{6,}|object at|" + re.escape(str(ROOT)), text) for name, text in texts.items()}
    assert {name for name, found in met.items() if found} == set()
    assert 'href="#brim.Plan"' in texts["plan"] or 'href="plan.html#brim.Plan"' in texts["compact"]
    assert "code/src/brim/engine/compactor.py.html#L-" in texts["compact"]
