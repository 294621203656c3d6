"""Show product each package to approve: its sentences, or what changed since the version that somebody approved."""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.approval import REJECTED, REVIEWERS, Approval, approvals, rejections, reviewers
from living.results import name_of
from living.rules.package_page import feature_rules
from living.rules.rulebook import anchors, in_order, title_of
from living.site import Site, site_of
from living.tables import row, table
from living.text import add_directive, coded, filled, link, span
from steps.rulebook import Feature, Rule, Step, read_feature

NOT_THERE: Final = (
    "This copy of the project does not have {commit}, the version to compare with. "
    "In a shallow clone: git fetch --unshallow, then make docs."
)
VALUE: Final = re.compile(r'(?<=")[^"]*(?=")|\d+(?:[.,]\d+)*%?')
"""What a step expects: where no value of it is another, only its words are."""
KINDS: Final = {
    "result": "Changed result",
    "sentence": "Changed sentence",
    "fewer": "Examples removed",
    "new": "New",
    "removed": "Removed",
}
"""The kinds of changes that product reads, most important first."""
COUNTED: Final = ("more", "edited")
"""The kinds that weaken nothing that was approved: more examples, or the text below a sentence edited."""
MINUTE: Final = 200
"""Words that a reader reads in a minute."""
LIKE: Final = 0.3
"""The share of words that two sentences of one id have in common at least, where they are one that was reworded."""


class UnreadableHistory(Exception):
    """A revision that is not there."""


class WrittenRule(NamedTuple):
    """A rule, and the name of its feature, such as trigger/budget."""

    feature: str
    rule: Rule


class Result(NamedTuple):
    """An outcome of an example whose value is no longer there: its steps, and what the same assertion says now.

    `now` is empty where no assertion is the same: the check was written anew.
    """

    steps: str
    before: str
    now: str


class Change(NamedTuple):
    """A rule as it was and as it is; a new one was not before, and a removed one is not now."""

    before: WrittenRule | None
    now: WrittenRule | None

    @property
    def results(self) -> list[Result]:
        """The examples with the same steps of which an expected value is no longer there."""
        old, new = (_outcomes(one.rule) if one else {} for one in (self.before, self.now))
        return [one for steps in old if steps in new for one in _results(steps, old[steps], new[steps])]

    @property
    def kind(self) -> str:
        """The key of KINDS that it is, or `check`, or one of COUNTED; empty if nothing of these changed."""
        if not (self.before and self.now):
            return "new" if self.now else "removed"
        kinds = {
            "result": any(one.now for one in self.results),
            "sentence": self.before.rule.sentence != self.now.rule.sentence,
            "fewer": self.examples[0],
            "check": self.results,
            "more": self.examples[1],
            "edited": self.edited,
        }
        return next((kind for kind, met in kinds.items() if met), "")

    @property
    def examples(self) -> tuple[list[str], list[str]]:
        """The examples of a rule of both versions removed, and added, each as its filled steps before the outcomes.

        One of which fewer outcomes are checked is removed too.
        """
        if not (self.before and self.now):
            return [], []
        old, new = _outcomes(self.before.rule), _outcomes(self.now.rule)
        return [one for one in old if len(new.get(one, ())) < len(old[one])], [one for one in new if one not in old]

    @property
    def edited(self) -> bool:
        """Return whether the description below the sentence changed, apart from its line breaks."""
        old, new = (one.rule.description.split() if one else [] for one in (self.before, self.now))
        return bool(self.before and self.now) and old != new


def rules_at(root: Path, revision: str, package: str) -> list[WrittenRule]:
    """Read the rules of a package in a revision. Raises UnreadableHistory, or UnreadableFeature."""
    place = f"features/{package}"
    if not _git(root, "ls-tree", "--name-only", "--end-of-options", f"{revision}^{{commit}}", place):
        return []
    archive = _git(root, "archive", f"{revision}^{{commit}}", place)
    with TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extraction_filter = getattr(tarfile, "data_filter", None)  # which the first versions of 3.11 lack
        packed.extractall(folder)  # noqa: S202 - what git packs of this repository
        return written(map(read_feature, sorted(Path(folder).rglob("*.feature"))))


def written(features: Iterable[Feature]) -> list[WrittenRule]:
    """Return the rules of some features, in their order."""
    return [WrittenRule(name_of(one), rule) for one in features for rule in one.rules]


def difference(old: Sequence[WrittenRule], new: Sequence[WrittenRule]) -> list[Change]:
    """Compare two versions by rule, in the order of the new one; a rule that is as it was is left out."""
    pairs = dict(_pairs(old, new))
    changes = [Change(old[pairs[j]] if j in pairs else None, one) for j, one in enumerate(new)]
    removed = [Change(one, None) for i, one in enumerate(old) if i not in pairs.values()]
    return [one for one in (*changes, *removed) if one.kind]


def _git(root: Path, *arguments: str) -> bytes:
    ran = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)  # noqa: S603, S607
    if ran.returncode:
        raise UnreadableHistory(f"git {arguments[0]}: {ran.stderr.decode(errors='replace').strip()}")
    return ran.stdout


def _pairs(old: Sequence[WrittenRule], new: Sequence[WrittenRule]) -> Iterator[tuple[int, int]]:
    """Indices, new and old, of rules of one sentence, and of those that share an id, the likest sentences first."""
    names = [[{*one.rule.ids, one.rule.sentence} for one in side] for side in (old, new)]
    ranked = sorted(
        (-SequenceMatcher(None, one.rule.sentence.split(), other.rule.sentence.split()).ratio(), i, j)
        for i, one in enumerate(old)
        for j, other in enumerate(new)
        if names[0][i] & names[1][j]
    )
    taken: tuple[set[int], set[int]] = (set(), set())
    for unlike, i, j in ranked:
        if -unlike >= LIKE and i not in taken[0] and j not in taken[1]:
            taken[0].add(i)
            taken[1].add(j)
            yield j, i


def _outcomes(rule: Rule) -> dict[str, dict[str, str]]:
    """By the steps of each example before its outcomes: the outcomes, each with the text of its step."""
    found: dict[str, dict[str, str]] = {}
    for scenario in rule.scenarios:
        for cells in scenario.values or [{}]:
            steps = [(step, _filled(step, cells)) for step in (*scenario.background, *scenario.steps)]
            before = "; ".join(text for step, text in steps if step.kind != "then")
            found.setdefault(before, {}).update({text: step.text for step, text in steps if step.kind == "then"})
    return found


def _results(steps: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Result]:
    """The outcomes that are not expected any more, each with the new one of the same assertion."""
    fresh = [text for text in new if text not in old]
    for text in old:
        if text not in new:
            shape = VALUE.sub("", text)
            now = next((one for one in fresh if new[one] == old[text] or VALUE.sub("", one) == shape), "")
            fresh = [one for one in fresh if one != now]
            yield Result(steps, text, now)


def _ids(rule: Rule) -> nodes.Node:
    return span(" ".join(rule.ids), "rule-id")


def _folded(summary: str, items: Iterable[nodes.list_item]) -> Iterator[nodes.Node]:
    yield nodes.raw("", f"<details><summary>{summary}</summary>", format="html")
    yield nodes.bullet_list("", *items)
    yield nodes.raw("", "</details>", format="html")


def _filled(step: Step, row: Mapping[str, str]) -> str:
    table = (" | ".join(cells) for cells in step.table)
    return filled(" / ".join([step.text, *table, *([step.docstring] if step.docstring is not None else [])]), row)


def review_page(directive: SphinxDirective) -> list[nodes.Node]:
    """`{changes}` is who reviews, how long it takes, a table of the packages, and a section for each.

    A release fails while any is open.
    """
    site, docname = site_of(directive.config), directive.env.current_document.docname
    noted = {one.package: one for one in approvals(site.root)}
    names = dict.fromkeys([*site.rulebook.packages, *noted])
    reviews = [Review(site, docname, one, noted.get(one)) for one in names]
    todo = [one.package for one in reviews if one.open]
    if unknown := {one.rule for one in rejections(site.root)} - {*site.rulebook.by_id}:
        raise directive.error(f"{REJECTED} names {', '.join(sorted(unknown))}, which no rule has")
    if todo and directive.config.living_release:
        raise directive.error(f"a release needs every package approved as it stands; open are {', '.join(todo)}")
    named = ", ".join(reviewers(site.root))
    who = f"May approve: {named}." if named else f"Nobody may approve yet: `{REVIEWERS}` has no name."
    sentences = [one for review in reviews for one in review.sentences]
    count, done = len(reviews), len(reviews) - len(todo)
    words = (
        f"All {len(sentences)} sentences of {count} packages take about {minutes(sentences)} minutes to read. "
        f"Approved as they stand: {done} of {count} packages. {who}"
    )
    heads = ("package", "sentences", "minutes", "approved by")
    packages = table(heads, (row(one.cells()) for one in reviews))
    return [nodes.paragraph("", "", *coded(words)), packages, *(one.section() for one in reviews)]


def minutes(rules: Sequence[WrittenRule]) -> int:
    """Return how long the sentences take to read, in begun minutes."""
    return -(-sum(len(one.rule.sentence.split()) for one in rules) // MINUTE)


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    add_directive(app, "changes", review_page)
    app.add_config_value("living_release", default=False, rebuild="env", types=[bool])


class Review:
    """The review of a package: what was approved, and what changed since; without that commit `changes` is None."""

    def __init__(self, site: Site, docname: str, package: str, noted: Approval | None) -> None:
        self.site, self.docname, self.package, self.noted = site, docname, package, noted
        self.features = in_order(site.root, package, site.rulebook.packages.get(package, ()))
        self.sentences = written(self.features)
        self.changes: list[Change] | None = None
        if noted:
            with suppress(UnreadableHistory):
                self.changes = difference(rules_at(site.root, noted.commit, package), self.sentences)
        self.reopening = [one for one in self.changes or () if one.kind not in COUNTED]
        self.rejected = [(one, no) for one in self.sentences for no in rejections(site.root) if no.rule in one.rule.ids]

    @property
    def open(self) -> bool:
        """Return whether the package is not approved as it stands."""
        return self.changes is None or bool(self.reopening or self.rejected)

    def cells(self) -> list[str | list[nodes.Node]]:
        """Return its row of the table."""
        sign = f"{'○' if self.open else '✓'} {self.noted.by if self.noted else 'nobody'}"
        since = f", {len(self.reopening)} changed since" if self.reopening else ""
        since += f", {len(self.rejected)} rejected" if self.rejected else ""
        name = nodes.reference("", title_of(self.site.root, self.package), refid=f"review-{self.package}")
        return [[name], str(len(self.sentences)), str(minutes(self.sentences)), sign + since]

    def section(self) -> nodes.section:
        """Return its section: what is to be read, and how to approve it."""
        made = nodes.section("", nodes.title("", title_of(self.site.root, self.package)))
        made["ids"] = [f"review-{self.package}"]
        rejected = nodes.bullet_list()
        for written_rule, no in self.rejected:
            why = nodes.paragraph("", "", nodes.Text(f"✗ rejected by {no.by}: "), *coded(no.wanted))
            rejected += nodes.list_item("", nodes.paragraph("", "", *self._named(written_rule)), why)
        made += rejected
        if self.noted:
            made += self._since(self.noted)
        else:
            made += [node for one in self.features for node in feature_rules(self.docname, self.site, one)]
        if self.open:
            command = f'To approve: `make approve PACKAGE={self.package} NAME="…"`.'
            made += nodes.paragraph("", "", *coded(command))
        return made

    def _since(self, noted: Approval) -> Iterator[nodes.Node]:
        """Yield what changed since the package was approved."""
        if self.changes is None:
            yield nodes.warning("", nodes.paragraph("", NOT_THERE.format(commit=noted.commit[:12])))
            return
        date = _git(self.site.root, "show", "-s", "--format=%cs", noted.commit).decode().strip()
        below = "Below is what changed since."
        if not self.reopening:
            below = f"No sentence or result has changed since; {self._counts()}."
        yield nodes.paragraph("", f"{noted.by} approved version {noted.commit[:12]} of {date}. {below}")
        ranked = [one for kind in KINDS for one in self.changes if one.kind == kind]
        entries = (nodes.list_item("", *self._entry(one, noted)) for one in ranked)
        yield nodes.bullet_list("", *entries)
        if self.changes:
            checks = len(self.reopening) - len(ranked)
            also = f"Sentences that are the same and are checked in another way: {checks}. " if checks else ""
            also += f"In all, {self._counts()}. " if self.reopening else ""
            diff = f"Each line, with examples and sources: `git diff {noted.commit[:12]} -- features/{self.package}`."
            yield nodes.paragraph("", "", *coded(also + diff))

    def _counts(self) -> str:
        """Return what changed below the sentences that stayed."""
        changes = self.changes or ()
        removed, added = (sum(len(one.examples[side]) for one in changes) for side in (0, 1))
        return f"examples: {removed} removed, {added} added; sources edited: {sum(one.edited for one in changes)}"

    def _named(self, written_rule: WrittenRule) -> list[nodes.Node]:
        """Return the sentence of a rule of this tree, a link, and its ids."""
        (feature, rule), book = written_rule, self.site.rulebook
        anchor = anchors(book.features[feature])[rule.line][0]
        return [link(self.docname, book.page(feature), rule.sentence, anchor), nodes.Text(" "), _ids(rule)]

    def _entry(self, change: Change, noted: Approval) -> Iterator[nodes.Node]:
        """Yield the rule, a link where this tree has it, and below it what was there before, or who removed it."""
        _, rule = change.now or change.before  # type: ignore[misc]
        named = self._named(change.now) if change.now else [*coded(rule.sentence), nodes.Text(" "), _ids(rule)]
        yield nodes.paragraph("", "", nodes.strong("", f"{KINDS[change.kind]}: "), *named)
        if not change.now:
            place = (f"{noted.commit}..HEAD", "--", f"features/{self.package}")
            found = _git(self.site.root, "log", "-1", "--format=%s (%h)", f"-SRule: {rule.sentence}\n", *place)
            yield nodes.paragraph("", f"Removed by: {found.decode().strip() or 'a change that is not committed'}")
        if change.before and change.before.rule.sentence != rule.sentence:
            yield nodes.paragraph("", "", nodes.Text("Before: "), *coded(change.before.rule.sentence))
        if removed := change.examples[0]:
            gone = (nodes.list_item("", nodes.paragraph("", one)) for one in removed)
            yield from _folded(f"{len(removed)} removed of the examples", gone)
        if results := [one for one in change.results if one.now]:
            items = (
                nodes.list_item("", nodes.paragraph("", f"{one.steps}: {one.before} → {one.now}")) for one in results
            )
            yield from _folded(f"{len(results)} in the examples: as it was → as it is", items)
