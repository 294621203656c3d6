"""What is wrong between the rules, their sources and the decisions, each fault with its file and line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from living.origins.claims import Claim, read_documents
from living.origins.decided import decisions
from living.origins.mentions import FIELD, Library, Mention, library, scan
from living.rules.rulebook import Rulebook
from steps.rulebook import Feature, Rule


class Fault(NamedTuple):
    """A fault: where it stands, and what it is."""

    path: Path
    line: int
    message: str


def faults(root: Path, rulebook: Rulebook) -> Iterator[Fault]:
    """Every fault of a tree that has pages of sources; none of one that has not."""
    if (root / "docs" / "sources").exists():
        rules = [(feature, rule) for feature in rulebook for rule in feature.rules]
        yield from _claims(root, rulebook, rules)
        yield from _cited(library(root), rules)
        yield from _homeless(root, rules)
        yield from _decided(root, rulebook)


def _claims(root: Path, rulebook: Rulebook, rules: list[tuple[Feature, Rule]]) -> Iterator[Fault]:
    """Claims that name a rule or a decision that is not there, a rule with other sources, or nothing at all."""
    named = ((rule.ids, one.document) for _, rule in rules for one in _mentions(library(root), rule))
    cited = {(one, document) for ids, document in named for one in ids}
    for document in read_documents(root):
        for section in document.sections:
            if section.document != document.name:
                yield Fault(document.path, section.line, f"claims of {section.document} on the page of {document.name}")
            for claim in section.claims:
                for message in _of_claim(library(root), rulebook, cited, document.name, claim):
                    yield Fault(document.path, claim.line, message)


def _of_claim(
    shelf: Library, rulebook: Rulebook, cited: set[tuple[str, str]], document: str, claim: Claim
) -> Iterator[str]:
    for one in claim.rules:
        if one not in rulebook.by_id:
            yield f"there is no rule {one}"
        elif document != FIELD and (one, document) not in cited:
            yield f"{one} does not name {document} as a source"
    yield from (f"there is no decision {one}" for one in claim.decisions if one not in shelf.decided)
    if claim.stray:
        yield f"neither rules, nor a decision, nor a note, nor why it is not taken: {claim.stray!r}"
    elif not (claim.rules or claim.decisions or claim.refused):
        yield f"a claim has a rule, a decision, or 'not taken:' with the reason: {claim.gist!r}"


def _cited(shelf: Library, rules: list[tuple[Feature, Rule]]) -> Iterator[Fault]:
    """Rules whose source names a place that is not there, or one that does not name them."""
    for feature, rule in rules:
        for mention in _mentions(shelf, rule):
            lines = feature.path.read_text(encoding="utf-8").splitlines()
            first = next(number for number in range(rule.line + 1, len(lines) + 1) if lines[number - 1].strip())
            line, words = first + rule.description.count("\n", 0, mention.at), " ".join(mention.text.split())
            if not mention.known:
                yield Fault(feature.path, line, f"no page of docs/sources or docs/decisions has {words!r}")
            elif not {*rule.ids} & {*_named_by(shelf, mention)}:
                there = f"docs/{mention.page}.md does not name it there"
                yield Fault(feature.path, line, f"{', '.join(rule.ids)} cites {words!r}, and {there}")


def _named_by(shelf: Library, mention: Mention) -> Iterator[str]:
    """The rules that a place names; that of a section includes those below it."""
    if mention.document == "decisions":
        return iter(shelf.decided[mention.section].rules)
    if mention.document == FIELD:
        return iter(shelf.issues[mention.section].rules)
    sections = shelf.documents[mention.document].sections
    inside = (one for one in sections if not mention.section or f"{one.key}.".startswith(f"{mention.section}."))
    return (rule for one in inside for claim in one.claims for rule in claim.rules)


def _homeless(root: Path, rules: list[tuple[Feature, Rule]]) -> Iterator[Fault]:
    """Rules that no page of sources names."""
    claims = (claim for document in read_documents(root) for claim in document.claims)
    named = {*chain.from_iterable(claim.rules for claim in claims)}
    for feature, rule in rules:
        for one in sorted({*rule.ids} - named):
            yield Fault(feature.path, rule.line, f"no page of docs/sources names {one}")


def _decided(root: Path, rulebook: Rulebook) -> Iterator[Fault]:
    """Decisions that name a rule which is not there, or do not say in their one way what they are on."""
    for one in decisions(root):
        for rule in one.rules:
            if rule not in rulebook.by_id:
                yield Fault(one.path, one.line, f"there is no rule {rule}")
        if not one.line:
            yield Fault(one.path, 1, "a decision says 'Rules: TRG_01, TRG_02. Status: accepted.', or its status alone")


def _mentions(shelf: Library, rule: Rule) -> Iterator[Mention]:
    return (piece for piece in scan(shelf, rule.description) if isinstance(piece, Mention))
