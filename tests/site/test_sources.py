"""The pages of the sources and decisions: every rule comes from somewhere, and every place that it names knows it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from living.links import MENTION, decisions, linked
from living.results import Results
from living.rules.rulebook import Rulebook, source_of
from living.site import Site

from steps.rulebook import Rule

ROOT = Path(__file__).parents[2]
LONGEST_QUOTATION = 6
ROWS = {"S0": 23, "S1": 20, "S2": 147, "S3": 40, "S4": 22, "FIELD": 83}
"""Of each page its claims: whoever removes one removes it here too."""
CLAIM = re.compile(r"(?m)^- (?P<head>[^:\n]*): (?P<text>(?:.*\n)(?:  .*\n)*)")
HEAD = re.compile(r"(?:(?:[A-Z]{3}_\d\d|decision \d{4})(?:, |$))+|Not taken")
HEADING = re.compile(r"(?m)^##+ (?:Section (\d+(?:\.\d+)?))?")
THREAD = re.compile(r"(?:(?P<repository>[A-Za-z][\w.-]*(?:/[\w.-]+)?)|(?<= ))#(?P<number>\d+)")


OWN = re.compile(r"(?:a decision of this project|brim)\b")
"""How a source begins that is none of another place."""


class Claim(NamedTuple):
    """What a source says, with what became of it: document, section, head (rules and decisions) and text."""

    document: str
    section: str
    head: str
    text: str


def claims(sources: Path) -> Iterator[Claim]:
    """Every claim of the pages of a folder."""
    for path in sorted(sources.glob("*.md")):
        if path.stem != "index":
            first, *parts = re.split(r"(?m)^(?=##+ )", path.read_text(encoding="utf-8"))
            for part in (first, *parts):
                section = (HEADING.match(part) or [None, ""])[1] or ""
                yield from (Claim(path.stem.upper(), section, *one.groups()) for one in CLAIM.finditer(part))


def named(found: list[Claim], document: str, section: str) -> set[str]:
    """The rules that a document names, in a section and in those below it."""
    heads = (
        one.head
        for one in found
        if one.document == document and (not section or f"{one.section}.".startswith(f"{section}."))
    )
    return {rule for head in heads for rule in re.findall(r"[A-Z]{3}_\d\d", head)}


def faults(root: Path, book: Rulebook) -> Iterator[str]:
    """What is wrong between rules, sources and decisions."""
    found = [*claims(root / "docs" / "sources")]
    rules = [rule for feature in book.features.values() for rule in feature.rules]
    cited = {(one, m["document"]) for rule in rules for one in rule.ids for m in mentions(rule)}
    for claim in found:
        place = f"{claim.document}: {claim.head}"
        if not HEAD.fullmatch(claim.head):
            yield f"{place}: neither rules, nor a decision, nor 'Not taken'"
        for one in re.findall(r"[A-Z]{3}_\d\d", claim.head):
            if one not in book.by_id:
                yield f"{place}: there is no rule {one}"
            elif claim.document != "FIELD" and (one, claim.document) not in cited:
                yield f"{place}: {one} does not name {claim.document} as a source"
    known = {rule for one in decisions(root).values() for rule in one.rules}
    known |= {one for claim in found for one in re.findall(r"[A-Z]{3}_\d\d", claim.head)}
    for feature in book.features.values():
        for rule in feature.rules:
            place = f"{feature.path.name}:{rule.line}"
            if not OWN.match(source_of(rule)):
                yield from (f"{place}: no page of docs/sources names {one}" for one in sorted({*rule.ids} - known))
            yield from (f"{place}: {words!r} does not name it" for words in lost(root, found, rule))


def lost(root: Path, found: list[Claim], rule: Rule) -> Iterator[str]:
    """The mentions of a rule's description that lead to no place which names the rule."""
    ids, decided = {*rule.ids}, decisions(root)
    for one in mentions(rule):
        if one["document"] and not ids & named(found, one["document"], one["section"] or ""):
            yield one[0]
        if one["decision"] and not (one["decision"] in decided and ids & {*decided[one["decision"]].rules}):
            yield one[0]
    for one in THREAD.finditer(rule.description):
        thread = f"{one['repository'] or ''}#{one['number']}:"
        if not any(thread in claim.text and ids & {*claim.head.split(", ")} for claim in found):
            yield one[0]


def mentions(rule: Rule) -> Iterator[re.Match[str]]:
    """What a rule's description mentions."""
    return MENTION.finditer(rule.description)


@pytest.fixture(scope="module")
def book() -> Rulebook:
    """The rulebook of this tree."""
    return Rulebook.read(ROOT)


def test_nothing_is_wrong_with_the_sources(book):
    """Every mention leads to a place that names the rule; a page names each rule, unless it is the project's own."""
    assert [*faults(ROOT, book)] == []


def test_no_claim_is_lost():
    """Of any page."""
    counts = dict.fromkeys(ROWS, 0)
    for one in claims(ROOT / "docs" / "sources"):
        counts[one.document] += 1
    assert counts == ROWS


def test_every_decision_says_what_it_is_on():
    """In its one way: 'Rules: TRG_01, TRG_02. Status: accepted.', or its status alone."""
    pages = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
    assert [path.name for path in pages if not re.search(r"(?m)^(Rules?: .*\. )?Status: ", path.read_text())] == []
    assert len(decisions(ROOT)) == len(pages)
    ids = Rulebook.read(ROOT).by_id
    assert [one.title for one in decisions(ROOT).values() if not {*filter(None, one.rules)} <= {*ids}] == []


def test_nothing_is_quoted_at_length():
    """Of the documents no more than a name or a constant is quoted."""
    texts = (page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "sources").glob("*.md")))
    quotations = (found for text in texts for found in re.findall(r"“[^”]*”|\"[^\"]*\"", text))
    assert not [one for one in quotations if len(one.split()) > LONGEST_QUOTATION]


def test_what_a_text_mentions_is_a_link(book):
    """Rules and decisions everywhere, documents where they are meant, threads to where they are; code as it stands."""
    site = Site(ROOT, book, Results())
    text = "TRG_04 (S2, section 2, decision 0202) after shop/box#7, not S9, BOX_09 or `made`"
    made, plain = (
        [
            (node.astext(), node.get("refuri", "code"))
            for node in linked(site, "index", text, documents=documents)
            if hasattr(node, "get")
        ]
        for documents in (True, False)
    )
    assert made == [
        ("TRG_04", "rulebook/trigger/overflow.html#rule-trg_04"),
        ("S2, section 2", "sources/s2.html#section-2-automatic-compaction"),
        ("decision 0202", "decisions/0202-the-default-threshold.html"),
        ("shop/box#7", "https://github.com/shop/box/issues/7"),
        ("made", "code"),
    ]
    assert [one for one in made if one not in plain] == made[1:2]
