"""The pages of the sources: what texts mention, what is at fault, and what is shown."""

import re
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest
from living.origins.claims import read_documents
from living.origins.mentions import Mention, library, scan
from living.origins.source_faults import faults
from living.rules.rulebook import Rulebook

from tests.site.source_pages import DECISION, FIELD, LIMITS, S0

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.timeout(300)
LONGEST_QUOTATION = 6
HELD = {"S0": (38, 13), "S1": (25, 16), "S2": (215, 123), "S3": (57, 40), "S4": (36, 26)}
"""Of each document its rows, and the sentences of rules that have it as a source."""


@pytest.fixture(scope="module")
def rulebook() -> Rulebook:
    """The rulebook of this tree."""
    return Rulebook.read(ROOT)


def met(text, root=ROOT):
    """What a text mentions, as (document, section, words)."""
    return [(one.document, one.section, one.text) for one in scan(library(root), text) if isinstance(one, Mention)]


def test_nothing_is_wrong_with_the_sources(rulebook):
    """Every mention in a feature leads to a section that names the rule, and every rule is named by some page."""
    told = (f"{one.path.relative_to(ROOT)}:{one.line}: {one.message}" for one in faults(ROOT, rulebook))
    assert not "\n".join(told)


def test_no_row_and_no_sentence_of_a_document_is_lost(rulebook):
    """Whoever removes a row of a document, or a rule's sentence that has it as a source, removes it from HELD too."""
    rules = chain.from_iterable(feature.rules for feature in rulebook.features.values())
    cited = Counter(chain.from_iterable({one[0] for one in met(rule.description)} for rule in rules))
    rows = {one.name: len(one.claims) for one in read_documents(ROOT)}
    assert {one: (rows[one], cited[one]) for one in HELD} == HELD


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("OpenCode's check (S0).", [("S0", "", "S0")]),
        ("(S2, section 10.5)", [("S2", "10.5", "S2, section 10.5")]),
        ("(S2, sections 8 and 10.1)", [("S2", "8", "S2, sections 8"), ("S2", "10.1", "10.1")]),
        ("(S0; S2,\n section 2)", [("S0", "", "S0"), ("S2", "2", "S2,\n section 2")]),
        ("(S2, section 3, Session Persistence)", [("S2", "3", "S2, section 3, Session Persistence")]),
        ("(S2, section 2, has them)", [("S2", "2", "S2, section 2")]),
        ("the design (S3, error handling)", [("S3", "error handling", "S3, error handling")]),
        (
            "(S3, configuration and edge cases)",
            [("S3", "configuration", "S3, configuration"), ("S3", "implementation plan", "edge cases")],
        ),
        ("(S4, anchor types and weights)", [("S4", "anchor detection", "S4, anchor types and weights")]),
        ("S1, which is short", [("S1", "", "S1")]),
        ("see decision 0203", [("decisions", "0203", "decision 0203")]),
        ("gwdg/chat-ai#120.", [("field", "gwdg/chat-ai#120", "gwdg/chat-ai#120")]),
        (
            "goose#11255 and #11257",
            [("field", "aaif-goose/goose#11255", "goose#11255"), ("field", "aaif-goose/goose#11257", "#11257")],
        ),
        ("S5, AS2, S22 and section 2", []),
    ],
)
def test_a_mention_is_found(text, expected):
    """Documents, sections by number and by name, decisions and threads are found as the features write them."""
    assert met(text) == expected
    assert all(one.known for one in scan(library(), text) if isinstance(one, Mention))


@pytest.mark.parametrize(
    "text",
    [
        "(S2, section 12)",
        "the ninth of them, S9, section 2",
        "(S3, next year)",
        "(S0, section 1)",
        "decision 9999",
        "some/shop#7",
    ],
)
def test_what_is_nowhere_is_known_to_be(text):
    """A section, a decision and a thread that have no place are mentioned, and not known."""
    assert [one.known for one in scan(library(), text) if isinstance(one, Mention)] == [False]


def test_the_pieces_are_the_text(rulebook):
    """Whatever a text mentions, its pieces joined are the text itself."""
    rules = chain.from_iterable(feature.rules for feature in rulebook.features.values())
    odd = [
        "",
        "S2",
        "S2, section 2, section 3",
        "S0, S0 and S0",
        "#7 #8",
        "(S3, x (S3, y) decision 0001 and decision 1",
        "a/b#1, #2",
    ]
    for text in [*odd, *(rule.description for rule in rules)]:
        pieces = scan(library(), text)
        assert "".join(one if isinstance(one, str) else one.text for one in pieces) == text


def test_nothing_is_quoted_at_length():
    """Of the documents no more than a name or a constant is quoted."""
    pages = sorted((ROOT / "docs" / "sources").glob("*.md"))
    quotations = (
        found for page in pages for found in re.findall(r"“[^”]*”|\"[^\"]*\"", page.read_text(encoding="utf-8"))
    )
    assert not [one for one in quotations if len(one.split()) > LONGEST_QUOTATION]


FAULTS = """\
S0: fits. | LIM_01; => fits. | LIM_01, LIM_99;
  S0:17: there is no rule LIM_99
S0: decision 0001 => decision 0002
  S0:17: there is no decision 0002
S0: What falls is picked up. | LIM_03 => What falls is picked up.
  S0:27: a claim has a rule, a decision, or 'not taken:' with the reason: 'What falls is picked up.'
S0: picked up. | LIM_03 => picked up. | LIM_03; perhaps
  S0:27: neither rules, nor a decision, nor a note, nor why it is not taken: 'perhaps'
LIMITS: S0, section 1 => S9, section 1
  LIMITS:6: no page of docs/sources or docs/decisions has 'S9, section 1'
S0: {claims} S0 | edges | on edges => {claims} S1 | edges | on edges
  S0:23: claims of S1 on the page of S0
LIMITS: S0, on edges => S0, section 1
  LIMITS:14: LIM_02 cites 'S0, section 1', and docs/sources/s0.md does not name it there
LIMITS: the same (S0, edges). => brim.
  S0:27: LIM_03 does not name S0 as a source
LIMITS: some/shop#7 => some/shop#8
  LIMITS:6: no page of docs/sources or docs/decisions has 'some/shop#8'
DECISION: Rules: LIM_01, LIM_02. => Rules: LIM_02.
  LIMITS:6: LIM_01 cites 'decision 0001', and docs/decisions/0001-a-shelf.md does not name it there
DECISION: Rules: LIM_01, LIM_02. => Rules: LIM_01, LIM_09.
  DECISION:3: there is no rule LIM_09
DECISION: Rules: LIM_01, LIM_02. Status: accepted. => Rules: LIM_01, LIM_02.
  DECISION:1: a decision says 'Rules: TRG_01, TRG_02. Status: accepted.', or its status alone
"""
"""A file, what is replaced there and by what (a slash is a line's end); below it the fault with its file and line."""
FILES = {"S0": S0, "LIMITS": LIMITS, "DECISION": DECISION}


CASES = [*zip(FAULTS.splitlines()[::2], FAULTS.splitlines()[1::2], strict=True)]


@pytest.mark.parametrize(("edit", "fault"), CASES)
def test_a_fault_is_told_with_its_file_and_line(shelves, edit, fault):
    """Whatever is wrong between rules, sources and decisions is told, with the place where it is to be mended."""
    name, old, new = re.fullmatch(r"(\w+): (.*) => ?(.*)", edit).groups()
    shelves.edit(FILES[name], old, new.replace(" / ", "\n"))
    place, _, rest = fault.strip().partition(":")
    assert f"{FILES[place]}:{rest}" in shelves.faults()


def test_a_rule_that_no_page_names_is_told(shelves):
    """A rule is named by a document, or by the page that goes beyond them."""
    shelves.edit(LIMITS, "the first document (S0, section 1), and decision 0001; the field, some/shop#7.", "brim.")
    shelves.edit(S0, "fits. | LIM_01; decision 0001", "fits. | decision 0001")
    shelves.edit(FIELD, "fell. | LIM_01", "fell. | LIM_02")
    assert shelves.faults() == [f"{LIMITS}:5: no page of docs/sources names LIM_01"]


def test_a_tree_without_sources_has_no_fault(tmp_path, rulebook):
    """Where there are no pages of sources, none are missed."""
    assert not list(faults(tmp_path, rulebook))


def page_of(project, name):
    """A page of its site."""
    return (project.root / "build" / "site" / f"{name}.html").read_text(encoding="utf-8")


def test_claims_and_bare_ids_lead_to_their_rules(furnished):
    """A claim stands beside its rule with the verdict; bare ids in prose are links, and code stays as it is."""
    told = furnished.build()
    assert not told.returncode, told.stdout + told.stderr
    source, index, decision = (page_of(furnished, name) for name in ("sources/s0", "index", "decisions/0001-a-shelf"))
    for expected in (
        'id="source-s0-section-1"',
        'href="../rulebook/store/limits.html#rule-lim_01"',
        "✓ holds",
        'href="../decisions/0001-a-shelf.html"',
        "not taken",
    ):
        assert expected in source
    assert 'href="rulebook/store/limits.html#rule-lim_02"' in index
    assert 'href="decisions/0001-a-shelf.html"' in index
    assert "rule-lim_01" not in index
    assert 'href="../sources/s0.html#source-s0-section-1"' in decision
    assert 'href="../rulebook/store/limits.html#rule-lim_02"' in decision
