"""What changed in the rulebook since each package was last approved, for those who approve the next version.

`docs/approved.txt` names a commit a package, and who approved it; `make approve` writes a line. A package whose line
says `baseline` was noted as a whole and reviewed by nobody.
"""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten
from typing import Final, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

from living.results import name_of
from living.rules.rulebook import Rulebook, anchors, title_of
from living.site import site_of
from living.tables import folded, row, table
from living.text import coded, filled, link, span
from steps.rulebook import Feature, Rule, Step, read_feature

APPROVED: Final = "docs/approved.txt"
BASELINE: Final = "baseline"
NONE_APPROVED: Final = "No version is approved yet. make approve notes the current one."
NOT_THERE: Final = (
    "This copy of the project does not have {commit}, the version of {package} to compare with. "
    "In a shallow clone: git fetch --unshallow, then make docs."
)
OPEN_AT_MOST: Final = 60
"""Open sentences above which a build warns, and a release fails: product reviews them in an hour."""
VALUE: Final = re.compile(r'(?<=")[^"]*(?=")|\d+(?:[.,]\d+)*%?')
"""What a step expects: where no value of it is another, only its words are."""
LONG: Final = 60
"""Characters of an outcome that the line of a changed result shows at most."""
KINDS: Final = {
    "result": ("Changed result", "with a changed result"),
    "removed": ("Removed", "removed"),
    "new": ("New behavior", "added"),
    "wording": ("Wording", "reworded"),
    "rewritten": ("Rewritten checks", "with rewritten checks"),
    "renumbered": ("Renumbered", "renumbered"),
    "rest": ("Examples, sources and descriptions", "otherwise"),
}
"""The kinds of changes by their consequence: the heading, and how a count of them reads."""
FOLDED: Final = ("rewritten", "renumbered", "rest")
LIKE: Final = 0.3
"""The share of words that two sentences of one id have in common at least, where they are one that was reworded."""

logger = getLogger(__name__)


class Approval(NamedTuple):
    """The version of a package's rules that the next is compared with, and who approved it: `baseline` is nobody."""

    package: str
    commit: str
    by: str


class UnreadableHistory(Exception):
    """A revision that is not there."""


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """A rule, the name of its feature, such as trigger/budget, and its lines as they are compared."""

    feature: str
    rule: Rule
    lines: tuple[str, ...]


class Result(NamedTuple):
    """An example whose expected result changed: its steps, and the outcomes as they were and as they are; `alike` if
    both make the same assertion with other values, and not another one.
    """

    steps: str
    before: str
    now: str
    alike: bool


@dataclass(frozen=True, slots=True)
class Change:
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
        """The first of KINDS that it is."""
        if not (self.before and self.now):
            return "new" if self.now else "removed"
        results = self.results
        if any(one.alike for one in results):
            return "result"
        if self.before.rule.sentence != self.now.rule.sentence:
            return "wording"
        if results:
            return "rewritten"
        return "renumbered" if {*self.before.rule.ids}.isdisjoint(self.now.rule.ids) else "rest"


def in_words(changes: Sequence[Change]) -> str:
    """Say how many sentences changed in which way: 2 added, 1 reworded."""
    counts = Counter(one.kind for one in changes)
    return (
        ", ".join(f"{counts[kind]:,} {words}" for kind, (_, words) in KINDS.items() if counts[kind]) or "none changed"
    )


def approvals(root: Path) -> list[Approval]:
    """Read the approved versions, in the order of their lines: `package commit who`."""
    file = root / APPROVED
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [Approval(*line.split(maxsplit=2)) for line in lines if line.strip() and not line.startswith("#")]


def rules_at(root: Path, revision: str, package: str = "") -> list[WrittenRule]:
    """Read the rules of a revision, of one package or all. Raises UnreadableHistory, or UnreadableFeature."""
    place = f"features/{package}".rstrip("/")
    if not _git(root, "ls-tree", "--name-only", "--end-of-options", f"{revision}^{{commit}}", place):
        return []
    archive = _git(root, "archive", f"{revision}^{{commit}}", place)
    with TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extraction_filter = getattr(tarfile, "data_filter", None)  # which the first versions of 3.11 lack
        packed.extractall(folder)  # noqa: S202 - what git packs of this repository
        return written(map(read_feature, sorted(Path(folder).rglob("*.feature"))))


def written(features: Iterable[Feature]) -> list[WrittenRule]:
    """The rules of some features: feature, tags and background come first, and the width of columns does not count."""
    found = []
    for one in features:
        text = one.path.read_text(encoding="utf-8").splitlines()
        ends = [*(rule.line for rule in one.rules[1:]), len(text) + 1]
        background = [f"{step.kind.capitalize()} {step.text}" for step in one.background]
        for rule, end in zip(one.rules, ends, strict=True):
            lines = [
                re.sub(r"(?<=\S)\s+", " ", line.removeprefix("  ")).rstrip() for line in text[rule.line - 1 : end - 1]
            ]
            while lines and lines[-1].lstrip()[:1] in {"", "@"}:
                lines.pop()
            head = f"{name_of(one)}: {' '.join(f'@{tag}' for tag in (*one.tags, *rule.tags))}"
            found.append(WrittenRule(name_of(one), rule, (head, *background, *lines)))
    return found


def difference(old: Sequence[WrittenRule], new: Sequence[WrittenRule]) -> list[Change]:
    """Compare two versions, rule by rule, in the order of the new one; what stands outside of rules is passed over."""
    pairs = dict(_pairs(old, new))
    kept = [Change(old[pairs[j]] if j in pairs else None, one) for j, one in enumerate(new)]
    removed = [Change(one, None) for i, one in enumerate(old) if i not in pairs.values()]
    return [*(one for one in kept if not one.before or not one.now or one.before.lines != one.now.lines), *removed]


def lines_changed(before: WrittenRule, after: WrittenRule) -> list[str]:
    """What differs between two versions of a rule, as diff shows it; the places are set apart by dots."""
    _, _, _, *lines = unified_diff(before.lines, after.lines, n=1, lineterm="")
    return ["…" if line.startswith("@@") else line for line in lines]


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
    """`{changes}` lists the rules that changed since their package was approved, above its own content.

    The build says where more than 60 are open, and fails where it is a release.
    """

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the counts, each change by its consequence, and the packages."""
        site, docname = site_of(self.config), self.env.current_document.docname
        noted = {one.package: one for one in approvals(site.root)}
        if not noted:
            return [nodes.paragraph("", NONE_APPROVED)]
        rows, found, warnings = [], [], []
        for package in dict.fromkeys([*site.rulebook.packages, *noted]):
            now, one = written(site.rulebook.packages.get(package, ())), noted.get(package)
            try:
                when = (
                    _git(site.root, "show", "-s", "--format=%cs", f"{one.commit}^{{commit}}").decode().strip()
                    if one
                    else ""
                )
            except UnreadableHistory:
                lacks = NOT_THERE.format(commit=one.commit[:12] if one else "", package=package)
                warnings.append(nodes.warning("", nodes.paragraph("", lacks)))
                continue
            changes = difference(rules_at(site.root, one.commit, package) if one else [], now)
            found += changes
            who = (
                f"{one.commit[:12]} of {when}, {'not reviewed' if one.by == BASELINE else f'by {one.by}'}"
                if one
                else "new"
            )
            counts = Counter(change.kind for change in changes)
            rows.append(
                [
                    [link(docname, f"rulebook/{package}/index", title_of(site.root, package))] if now else package,
                    who,
                    *(f"{counts[kind]:,}" if counts[kind] else "" for kind in KINDS),
                ]
            )
        heads = ("package", "compared with", *(heading for heading, _ in KINDS.values()))
        packages = table(heads, map(row, rows), label="Changes by package", classes=["changed-packages"])
        said = nodes.paragraph("", f"{in_words(found)[:1].upper()}{in_words(found)[1:]}. ")
        said += self._limit(found)
        sections = [
            _section(docname, site.rulebook, kind, [one for one in found if one.kind == kind]) for kind in KINDS
        ]
        shown = [said, *warnings, *filter(None, sections)]
        return [*shown, *folded("By package", packages), *self.parse_content_to_nodes()]

    def _limit(self, found: Sequence[Change]) -> list[nodes.Node]:
        count = sum(one.kind not in FOLDED for one in found)
        if count <= OPEN_AT_MOST:
            return []
        message = f"{count:,} sentences are open, more than {OPEN_AT_MOST}: review and approve them by package"
        if self.config.living_release:
            raise self.error(message)
        logger.info("Rules to review: %s", message)
        return [nodes.strong("", f"{message}. A release fails.")]


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("changes", ChangesDirective)
    app.add_config_value("living_release", default=False, rebuild="env", types=[bool])


def _section(docname: str, rulebook: Rulebook, kind: str, changes: Sequence[Change]) -> nodes.section | None:
    """The changes of a kind, a line each; those that change no sentence and no answer are folded."""
    if not changes:
        return None
    items = (nodes.list_item("", *_entry(docname, rulebook, one)) for one in changes)
    shown: list[nodes.Node] = [nodes.bullet_list("", *items, classes=["changed-rules"])]
    title = nodes.title("", f"{KINDS[kind][0]}: {len(changes)}")
    inside = folded("Show them", *shown) if kind in FOLDED else shown
    return nodes.section("", title, *inside, ids=[nodes.make_id(KINDS[kind][0])], classes=["changes"])


def _entry(docname: str, rulebook: Rulebook, change: Change) -> Iterator[nodes.Node]:
    """The rule, a link where this tree has it; below it the first changed result, and folded all that changed."""
    shown = change.now or change.before
    assert shown  # noqa: S101 - one of them is there
    said = coded(shown.rule.sentence)
    if change.now:
        anchor = anchors(rulebook.features[shown.feature])[shown.rule.line][0]
        said = [link(docname, rulebook.page(shown.feature), shown.rule.sentence, anchor)]
    package = shown.feature.split("/", maxsplit=1)[0]
    home, ids = link(docname, f"rulebook/{package}/index", package), span(" ".join(shown.rule.ids), "rule-id")
    yield nodes.paragraph("", "", home, nodes.Text(" "), ids, nodes.Text(" "), *said)
    if change.before and change.now:
        text, about = "\n".join(lines_changed(change.before, change.now)), "What changed"
        inside: list[nodes.Node] = [nodes.literal_block(text, text, language="diff")]
        if change.kind == "result":
            steps, before, now, _ = next(one for one in change.results if one.alike)
            more = f" (and {len(change.results) - 1} more)" if len(change.results) > 1 else ""
            about = f"{' → '.join(_apart(before, now))}{more}"
            inside.insert(0, nodes.paragraph("", f"{steps}: {before} → {now}"))
        elif change.kind == "wording":
            about = f"was: {change.before.rule.sentence}"
        yield from folded(about, *inside)


def _apart(before: str, now: str) -> list[str]:
    """Return what differs between two outcomes, without the words that both begin or end with."""
    one, other = before.split(), now.split()
    for place in (0, -1):
        while one and other and one[place] == other[place]:
            del one[place], other[place]
    return [shorten(" ".join(words) or "–", LONG, placeholder=" …") for words in (one, other)]
