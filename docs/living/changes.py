"""Show product what changed in each package since the version in docs/approved.txt, meaning before wording."""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.approval import BASELINE, REVIEWERS, Approval, approvals, reviewers
from living.results import name_of
from living.rules.rulebook import anchors, title_of
from living.site import Site, site_of
from living.tables import folded, row, table
from living.text import coded, filled, link, span
from steps.rulebook import Feature, Rule, Step, read_feature

NOT_THERE: Final = (
    "This copy of the project does not have {commit}, the version to compare with. "
    "In a shallow clone: git fetch --unshallow, then make docs."
)
VALUE: Final = re.compile(r'(?<=")[^"]*(?=")|\d+(?:[.,]\d+)*%?')
"""What a step expects: where no value of it is another, only its words are."""
NUMBER: Final = re.compile(
    r"\d+(?:[.,]\d+)*%?|\b(?:half|(?:third|quarter|fifth|sixth|eighth|tenth|twentieth|hundredth)s?|twice|two|three|four"
    r"|five|six|seven|eight|nine|ten|dozen)\b"
)
"""Matches a number or a fraction in a sentence."""
MEANING: Final = {"result": "Changed result", "number": "Changed number", "removed": "Removed", "new": "New"}
WORDING: Final = {"wording": "Reworded"}
CHECKS: Final = {"check": "Rewritten check"}
LIKE: Final = 0.3
"""The share of words that two sentences of one id have in common at least, where they are one that was reworded."""


class UnreadableHistory(Exception):
    """A revision that is not there."""


class WrittenRule(NamedTuple):
    """A rule, and the name of its feature, such as trigger/budget."""

    feature: str
    rule: Rule


class Result(NamedTuple):
    """An example whose expected result changed: its steps, and the outcomes as they were and as they are; `alike` if
    both make the same assertion with other values, and not another one.
    """

    steps: str
    before: str
    now: str
    alike: bool


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
        """The key of MEANING, WORDING or CHECKS that it is; empty if only examples, sources or descriptions changed."""
        if not (self.before and self.now):
            return "new" if self.now else "removed"
        results = self.results
        if any(one.alike for one in results):
            return "result"
        old, new = self.before.rule.sentence, self.now.rule.sentence
        if sorted(NUMBER.findall(old)) != sorted(NUMBER.findall(new)):
            return "number"
        return "wording" if old != new else "check" if results else ""


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
    """Compare two versions by rule, in the order of the new one, but for what changes no sentence and no check."""
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
    """The outcomes that lack a value now, each with the new one of the same assertion; the others together."""
    values = {value for text in new for value in _values(text)}
    lost = [text for text in old if not values.issuperset(_values(text))]
    fresh = [text for text in new if text not in old]
    for text in [*lost]:
        shape = VALUE.sub("", text)
        if now := next((one for one in fresh if new[one] == old[text] or VALUE.sub("", one) == shape), None):
            lost.remove(text)
            fresh.remove(now)
            yield Result(steps, text, now, alike=True)
    if lost:
        yield Result(steps, "; ".join(lost), "; ".join(fresh or new), alike=False)


def _values(text: str) -> list[str]:
    return VALUE.findall(text) or [text]


def _filled(step: Step, row: Mapping[str, str]) -> str:
    table = (" | ".join(cells) for cells in step.table)
    return filled(" / ".join([step.text, *table, *([step.docstring] if step.docstring is not None else [])]), row)


class ChangesDirective(SphinxDirective):
    """`{changes}` is a table of the packages, and a section for each. A release fails while any is open."""

    def run(self) -> list[nodes.Node]:
        """Return who reviews, how far the review is, and the packages."""
        site, docname = site_of(self.config), self.env.current_document.docname
        noted = {one.package: one for one in approvals(site.root)}
        names = dict.fromkeys([*site.rulebook.packages, *noted])
        reviews = [Review(site, docname, one, noted.get(one, Approval(one, "", BASELINE))) for one in names]
        todo = [one.package for one in reviews if one.open]
        if todo and self.config.living_release:
            raise self.error(f"a release needs every package approved as it stands; open are {', '.join(todo)}")
        who = (
            f"Reviewers: {', '.join(reviewers(site.root))}."
            if reviewers(site.root)
            else (f"No reviewer is named yet, so nothing can be approved: name one in `{REVIEWERS}`, a name a line.")
        )
        far = f" {len(reviews) - len(todo)} of {len(reviews)} packages are approved as they stand."
        heads = ("package", "approved by", "sentences", "changes of meaning", "of wording", "of checks")
        rows = (row(one.cells()) for one in reviews)
        packages = table(heads, rows, classes=["changed-packages"])
        return [nodes.paragraph("", "", *coded(who + far)), packages, *(one.section() for one in reviews)]


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("changes", ChangesDirective)
    app.add_config_value("living_release", default=False, rebuild="env", types=[bool])


class Review:
    """The review of a package: what is compared, and what changed; without the commit `changes` is None."""

    def __init__(self, site: Site, docname: str, package: str, noted: Approval) -> None:
        self.site, self.docname, self.package, self.noted = site, docname, package, noted
        self.sentences = written(site.rulebook.packages.get(package, ()))
        self.changes: list[Change] | None = []
        self.version = ""
        if noted.commit:
            try:
                date = _git(site.root, "show", "-s", "--format=%cs", f"{noted.commit}^{{commit}}").decode().strip()
                self.version = f"{noted.commit[:12]} of {date}"
                self.changes = difference(rules_at(site.root, noted.commit, package), self.sentences)
            except UnreadableHistory:
                self.changes = None

    @property
    def open(self) -> bool:
        """Return whether the package is not approved as it stands."""
        return self.noted.by == BASELINE or self.changes is None or bool(self.changes)

    def cells(self) -> list[str | list[nodes.Node]]:
        """Return its row of the table."""
        counts = (str(len(self._of(kinds))) for kinds in (MEANING, WORDING, CHECKS))
        sign = "○ nobody" if self.noted.by == BASELINE else f"{'○' if self.open else '✓'} {self.noted.by}"
        name = nodes.reference("", title_of(self.site.root, self.package), refid=f"review-{self.package}")
        return [[name], sign, str(len(self.sentences)), *("" if count == "0" else count for count in counts)]

    def section(self) -> nodes.section:
        """Return its section: the version compared with, the changes, and how to approve."""
        whole = link(self.docname, f"rulebook/{self.package}/index", f"{len(self.sentences)} sentences")
        about: list[nodes.Node] = [
            nodes.Text(f"Approved by {self.noted.by}: {self.version}. "),
            nodes.Text("Below is what changed since." if self.open else "Nothing has changed since."),
        ]
        if self.noted.by == BASELINE:
            since = f" Below is what changed since {self.version}, a baseline that was noted and not reviewed."
            about = [nodes.Text("Nobody has approved it yet, so that all is to be read: its "), whole, nodes.Text(".")]
            about += [nodes.Text(since)] if self.version else []
        made = nodes.section("", nodes.title("", title_of(self.site.root, self.package)), classes=["changes"])
        made["ids"] = [f"review-{self.package}"]
        made += nodes.paragraph("", "", *about)
        if self.changes is None:
            made += nodes.warning("", nodes.paragraph("", NOT_THERE.format(commit=self.noted.commit[:12])))
        for heading, kinds in (("Meaning", MEANING), ("Wording", WORDING), ("Checks of the same sentence", CHECKS)):
            if entries := [nodes.list_item("", *self._entry(one, kinds)) for one in self._of(kinds)]:
                listed = nodes.bullet_list("", *entries, classes=["changed-rules"])
                title = f"{heading}: {len(entries)}"
                made += folded(title, listed) if kinds is CHECKS else [nodes.rubric("", title), listed]
        diff = f"`git diff {self.noted.commit[:12]} -- features/{self.package}`" if self.version else ""
        more = f"Examples, sources and descriptions, and all of the above line by line: {diff}. " if diff else ""
        command = f'To approve: `make approve PACKAGE={self.package} NAME="…"`.'
        if self.open:
            made += nodes.paragraph("", "", *coded(more + command))
        return made

    def _of(self, kinds: Mapping[str, str]) -> list[Change]:
        """Return the changes of some kinds, in the order of the kinds."""
        return [one for kind in kinds for one in self.changes or () if one.kind == kind]

    def _entry(self, change: Change, kinds: Mapping[str, str]) -> Iterator[nodes.Node]:
        """Yield the rule, a link where this tree has it, and below it what was there before, or who removed it."""
        feature, rule = change.now or change.before  # type: ignore[misc]
        sentence = coded(rule.sentence)
        if change.now:
            book = self.site.rulebook
            sentence = [
                link(self.docname, book.page(feature), rule.sentence, anchors(book.features[feature])[rule.line][0])
            ]
        kind = nodes.strong("", f"{kinds[change.kind]}: ")
        yield nodes.paragraph("", "", kind, *sentence, nodes.Text(" "), span(" ".join(rule.ids), "rule-id"))
        if change.kind == "removed":
            yield nodes.paragraph("", f"Removed by: {self._removal(rule.sentence)}")
        if change.before and change.before.rule.sentence != rule.sentence:
            yield nodes.paragraph("", "", nodes.Text("Before: "), *coded(change.before.rule.sentence))
        if results := [one for one in change.results if one.alike or change.kind == "check"]:
            items = (
                nodes.list_item("", nodes.paragraph("", f"{one.steps}: {one.before} → {one.now}")) for one in results
            )
            yield from folded(f"{len(results)} in the examples: as it was → as it is", nodes.bullet_list("", *items))

    def _removal(self, sentence: str) -> str:
        """Return the subject of the commit that removed a sentence, which says why."""
        place = (f"{self.noted.commit}..HEAD", "--", f"features/{self.package}")
        found = _git(self.site.root, "log", "-1", "--format=%s (%h)", f"-SRule: {sentence}\n", *place)
        return found.decode().strip() or "a change that is not committed"
