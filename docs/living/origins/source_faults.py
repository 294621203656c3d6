"""What is wrong between the rules, their sources and the decisions, each fault with its file and line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

from living.faults import Fault
from living.origins.claims import Claim, read_documents
from living.origins.decided import decisions, gists, index_of
from living.origins.library import FIELD, Library, library
from living.origins.mentions import Mention, scan
from living.rules.rulebook import Rulebook
from steps.rulebook import Feature, Rule


@dataclass(frozen=True)
class Tree:
    """A tree that is looked through."""

    root: Path
    rulebook: Rulebook

    @cached_property
    def library(self) -> Library:
        """All that its texts can mention."""
        return library(self.root)

    @cached_property
    def rules(self) -> tuple[tuple[Feature, Rule], ...]:
        """Every rule that is built."""
        return tuple((feature, rule) for feature in self.rulebook.features.values() for rule in feature.rules)

    @cached_property
    def cited(self) -> frozenset[tuple[str, str]]:
        """Each document that a rule's sentences name, behind the rule's id."""
        named = ((rule.ids, one.document) for _, rule in self.rules for one in _mentions(self, rule))
        return frozenset((one, document) for ids, document in named for one in ids)


def faults(root: Path, rulebook: Rulebook) -> Iterator[Fault]:
    """Every fault of a tree that has pages of sources; none of one that has not."""
    if (root / "docs" / "sources").exists():
        tree = Tree(root, rulebook)
        yield from chain(_claims(tree), _cited(tree), _homeless(tree), _decided(tree), _told(tree))


def _claims(tree: Tree) -> Iterator[Fault]:
    """Claims that name a rule or a decision that is not there, a rule with other sources, or nothing at all."""
    for document in read_documents(tree.root):
        for section in document.sections:
            if section.document != document.name:
                message = f"claims of {section.document} on the page of {document.name}"
                yield Fault(document.path, section.line, message)
            for claim in section.claims:
                faults = _of_claim(tree, document.name, claim)
                yield from (Fault(document.path, claim.line, message) for message in faults)


def _of_claim(tree: Tree, document: str, claim: Claim) -> Iterator[str]:
    yield from (f"there is no rule {one}" for one in claim.rules if one not in tree.rulebook.homes)
    known = () if document == FIELD else (one for one in claim.rules if one in tree.rulebook.homes)
    yield from (f"{one} does not name {document} as a source" for one in known if (one, document) not in tree.cited)
    yield from (f"there is no decision {one}" for one in claim.decisions if one not in tree.library.by_number)
    if claim.stray:
        yield f"neither rules, nor a decision, nor a note, nor why it is not taken: {claim.stray!r}"
    elif not (claim.rules or claim.decisions or claim.refused):
        yield f"a claim has a rule, a decision, or 'not taken:' with the reason: {claim.gist!r}"


def _cited(tree: Tree) -> Iterator[Fault]:
    """Rules whose source names a place that is not there, or one that does not name them."""
    for feature, rule in tree.rules:
        for mention in _mentions(tree, rule):
            line = _first_line(feature, rule) + rule.description.count("\n", 0, mention.at)
            yield from (Fault(feature.path, line, message) for message in _of_mention(tree, rule, mention))


def _of_mention(tree: Tree, rule: Rule, mention: Mention) -> Iterator[str]:
    words = " ".join(mention.text.split())
    if not mention.known:
        yield f"no page of docs/sources or docs/decisions has {words!r}"
    elif not set(rule.ids) & set(_named_by(tree, mention)):
        yield f"{', '.join(rule.ids)} cites {words!r}, and docs/{mention.page}.md does not name it there"


def _named_by(tree: Tree, mention: Mention) -> Iterator[str]:
    """The rules that a place names; that of a section includes those below it."""
    if mention.document == "decisions":
        return iter(tree.library.by_number[mention.section].rules)
    if mention.document == FIELD:
        return iter(tree.library.issues[mention.section].rules)
    sections = tree.library.by_name[mention.document].sections
    inside = (one for one in sections if not mention.section or f"{one.key}.".startswith(f"{mention.section}."))
    return (rule for one in inside for claim in one.claims for rule in claim.rules)


def _homeless(tree: Tree) -> Iterator[Fault]:
    """Rules that no page of sources names."""
    claims = (claim for document in read_documents(tree.root) for claim in document.claims)
    named = set(chain.from_iterable(claim.rules for claim in claims))
    for feature, rule in tree.rules:
        for one in sorted(set(rule.ids) - named):
            yield Fault(feature.path, rule.line, f"no page of docs/sources names {one}")


def _decided(tree: Tree) -> Iterator[Fault]:
    """Decisions that name a rule which is not there, or do not say in their one way what they are on."""
    for one in decisions(tree.root):
        unknown = [rule for rule in one.rules if rule not in tree.rulebook.homes]
        yield from (Fault(one.path, one.line, f"there is no rule {rule}") for rule in unknown)
        if not one.line:
            yield Fault(one.path, 1, "a decision says 'Rules: TRG_01, TRG_02. Status: accepted.', or its status alone")


def _told(tree: Tree) -> Iterator[Fault]:
    """Decisions of which their page does not tell in a line, once."""
    index, told = index_of(tree.root), gists(tree.root)
    numbers = [one.number for one in told]
    for one in told:
        if one.number not in tree.library.by_number or not one.words or numbers.count(one.number) > 1:
            yield Fault(index, one.line, f"a line tells of one decision, and once: {one.number!r}")
    for number in sorted(set(tree.library.by_number) - set(numbers)):
        yield Fault(index, 1, f"decision {number} is not told of: a table needs '{number} | what it is about'")


def _mentions(tree: Tree, rule: Rule) -> Iterator[Mention]:
    return (piece for piece in scan(tree.library, rule.description) if isinstance(piece, Mention))


def _first_line(feature: Feature, rule: Rule) -> int:
    lines = feature.path.read_text(encoding="utf-8").splitlines()
    return next(number for number in range(rule.line + 1, len(lines) + 1) if lines[number - 1].strip())
