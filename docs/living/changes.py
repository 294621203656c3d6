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
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten
from typing import Any, Final, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

from living.rules.rulebook import Rulebook, anchors, name_of, source_of, title_of
from living.site import site_of
from living.tables import folded, row, table
from living.text import coded, filled, link, note, span
from steps.rulebook import Feature, Rule, Step, UnreadableFeature, read_feature

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
LONG: Final = 240
"""Characters of the steps that a changed result shows at most."""
SHORT: Final = 12
"""Lines of a difference that is shown; a longer one is folded."""

logger = getLogger(__name__)


class Approval(NamedTuple):
    """The version of a package's rules that the next is compared with, and who approved it: `baseline` is nobody."""

    package: str
    commit: str
    by: str


class UnreadableHistory(Exception):
    """A revision that is not there, or whose features do not parse."""


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """A rule, the name of its feature, such as trigger/budget, and its lines as they are compared.

    `about` are tags, sentence and description; `examples` are the steps before each and the scenarios.
    """

    feature: str
    rule: Rule
    about: tuple[str, ...]
    examples: tuple[str, ...]

    @property
    def label(self) -> str:
        """Its ids, or its feature if it has none."""
        return " ".join(self.rule.ids) or self.feature


class Result(NamedTuple):
    """An example whose expected result changed: its steps, and the outcomes as they were and as they are; `alike` if
    both make the same assertion with other values, and not another one.
    """

    given: str
    before: str
    now: str
    alike: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A rule as it was and as it is; a new one was not before, and a removed one is not now."""

    before: WrittenRule | None
    now: WrittenRule | None

    @property
    def rule(self) -> WrittenRule:
        """The rule as it is, or as it was."""
        found = self.now or self.before
        assert found  # noqa: S101 - one of them is there
        return found

    @property
    def results(self) -> list[Result]:
        """The examples with the same steps of which an expected value is no longer there."""
        if not (self.before and self.now):
            return []
        old, new = _outcomes(self.before.rule), _outcomes(self.now.rule)
        return [one for given in old if given in new for one in _results(given, old[given], new[given])]

    @property
    def kind(self) -> str:
        """The first of KINDS that it is."""
        if not (self.before and self.now):
            return "new" if self.now else "removed"
        if results := self.results:
            return "result" if any(one.alike for one in results) else "rewritten"
        if self.before.rule.sentence != self.now.rule.sentence:
            return "wording"
        return "examples" if self.before.examples != self.now.examples else "rest"


KINDS: Final = {
    "result": ("Changed result", "with a changed expected result"),
    "rewritten": ("Rewritten checks", "with rewritten checks"),
    "removed": ("Removed", "removed"),
    "new": ("New behavior", "added"),
    "wording": ("Wording", "reworded"),
    "examples": ("Examples only", "with changed examples only"),
    "rest": ("Source or description only", "with another source, description, place or mark only"),
}
"""The kinds of changes, in the order in which they are shown: the heading, and how a count of them reads."""
OPEN: Final = ("result", "rewritten", "removed", "new", "wording")
"""The kinds that product reviews one by one; the others are counted."""


def in_words(changes: Sequence[Change]) -> str:
    """Say how many sentences changed in which way: 2 added, 1 reworded."""
    counts = Counter(one.kind for one in changes)
    told = (f"{counts[name]:,} {words}" for name, (_, words) in KINDS.items() if counts[name])
    return ", ".join(told) or "none changed"


def approvals(root: Path) -> list[Approval]:
    """Read the approved versions, in the order of their lines: `package commit who`."""
    file = root / APPROVED
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [Approval(*line.split(maxsplit=2)) for line in lines if line.strip() and not line.startswith("#")]


def rules_at(root: Path, revision: str, package: str = "") -> list[WrittenRule]:
    """Read the rules of a revision, of one package or all. Raises UnreadableHistory, for features with line."""
    place = f"features/{package}".rstrip("/")
    if not _git(root, "ls-tree", "--name-only", "--end-of-options", f"{revision}^{{commit}}", place):
        return []
    archive = _git(root, "archive", f"{revision}^{{commit}}", place)
    with TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(folder, filter="data")
        paths = sorted(Path(folder).rglob("*.feature"))
        return written(_read(Path(folder), path, revision) for path in paths)


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
            at = next((n for n, line in enumerate(lines) if line.lstrip().startswith(("@", "Scenario"))), len(lines))
            found.append(WrittenRule(name_of(one), rule, (head, *lines[:at]), (*background, *lines[at:])))
    return found


def difference(old: Sequence[WrittenRule], new: Sequence[WrittenRule]) -> list[Change]:
    """Compare two versions, rule by rule, in the order of the new one; what stands outside of rules is passed over."""
    pairs = dict(_pairs(old, new))
    kept = [Change(old[pairs[j]] if j in pairs else None, one) for j, one in enumerate(new)]
    removed = [Change(one, None) for i, one in enumerate(old) if i not in pairs.values()]
    return [*(one for one in kept if not one.before or _lines(one.before) != _lines(one.now)), *removed]


def lines_changed(before: WrittenRule, after: WrittenRule) -> list[str]:
    """What differs between two versions of a rule, as diff shows it; the places are set apart by dots."""
    _, _, _, *lines = unified_diff(_lines(before), _lines(after), n=1, lineterm="")
    return ["…" if line.startswith("@@") else line for line in lines]


def _read(folder: Path, path: Path, revision: str) -> Feature:
    try:
        return read_feature(path)
    except UnreadableFeature as error:
        place = f"{path.relative_to(folder)}:{error.line} of {revision}"
        raise UnreadableHistory(f"{place}: it does not parse: {error}") from error


def _git(root: Path, *arguments: str) -> bytes:
    ran = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)  # noqa: S603, S607
    if ran.returncode:
        raise UnreadableHistory(f"git {arguments[0]}: {ran.stderr.decode(errors='replace').strip()}")
    return ran.stdout


def _pairs(old: Sequence[WrittenRule], new: Sequence[WrittenRule]) -> Iterator[tuple[int, int]]:
    """Indices, new and old, of rules that share an id, the likest sentences first; without ids, of equal sentences."""
    names = [[set(one.rule.ids) or {one.rule.sentence} for one in side] for side in (old, new)]
    ranked = sorted(
        (-SequenceMatcher(None, one.rule.sentence.split(), other.rule.sentence.split()).ratio(), i, j)
        for i, one in enumerate(old)
        for j, other in enumerate(new)
        if names[0][i] & names[1][j]
    )
    taken: tuple[set[int], set[int]] = (set(), set())
    for _, i, j in ranked:
        if i not in taken[0] and j not in taken[1]:
            taken[0].add(i)
            taken[1].add(j)
            yield j, i


def _lines(rule: WrittenRule | None) -> tuple[str, ...]:
    return (*rule.about, *rule.examples) if rule else ()


def _outcomes(rule: Rule) -> dict[str, dict[str, str]]:
    """By the steps of each example before its outcomes: the outcomes, each with the text of its step."""
    found: dict[str, dict[str, str]] = {}
    for scenario in rule.scenarios:
        for cells in scenario.values or [{}]:
            steps = [(step, _filled(step, cells)) for step in (*scenario.background, *scenario.steps)]
            given = "; ".join(text for step, text in steps if step.kind != "then")
            found.setdefault(given, {}).update({text: step.text for step, text in steps if step.kind == "then"})
    return found


def _results(given: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Result]:
    """The outcomes that lack a value now, each with the new one of the same assertion; the others together."""
    values = {value for text in new for value in _values(text)}
    lost = [text for text in old if not values.issuperset(_values(text))]
    fresh = [text for text in new if text not in old]
    for text in [*lost]:
        shape = VALUE.sub("", text)
        if now := next((one for one in fresh if new[one] == old[text] or VALUE.sub("", one) == shape), None):
            lost.remove(text)
            fresh.remove(now)
            yield Result(given, text, now, alike=True)
    if lost:
        yield Result(given, "; ".join(lost), "; ".join(fresh or new), alike=False)


def _values(text: str) -> list[str]:
    return VALUE.findall(text) or [text]


def _filled(step: Step, row: Mapping[str, str]) -> str:
    table = (" | ".join(cells) for cells in step.table)
    return filled(" / ".join([step.text, *table, *([step.docstring] if step.docstring is not None else [])]), row)


class ChangesDirective(SphinxDirective):
    """`{changes}` lists the rules that changed since their package was approved, below its own content.

    The build warns where more than 60 are open, and fails where it is a release.
    """

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return a table of the packages, then each open change. Raises an error on broken features."""
        site, docname = site_of(self.config), self.env.current_document.docname
        features = site.rulebook.features.values()
        noted = {one.package: one for one in approvals(site.root)}
        if not noted:
            return [nodes.paragraph("", NONE_APPROVED)]
        rows, found, warnings = [], [], []
        for package in [*dict.fromkeys([*(name_of(one).partition("/")[0] for one in features), *noted])]:
            now = written(one for one in features if name_of(one).startswith(f"{package}/"))
            one = noted.get(package)
            try:
                when = _when(site.root, one.commit) if one else ""
            except UnreadableHistory:
                lacks = NOT_THERE.format(commit=one.commit[:12] if one else "", package=package)
                warnings.append(nodes.warning("", nodes.paragraph("", lacks)))
                continue
            try:
                changes = difference(rules_at(site.root, one.commit, package) if one else [], now)
            except UnreadableHistory as error:
                raise self.error(str(error)) from error
            found += changes
            rows.append(_row(title_of(site.root, package), one, when, len(now), changes))
        said = f"{in_words(found)[:1].upper()}{in_words(found)[1:]}."
        heads = ("Package", "Compared with", "Sentences", *(heading for heading, _ in KINDS.values()))
        counted = table(heads, map(row, rows), label="Changes by package", classes=["changed-packages"])
        shown = [nodes.paragraph("", said), *warnings, *self._limit(found)]
        return [*shown, *_sections(docname, site.rulebook, found), *self.parse_content_to_nodes(), counted]

    def _limit(self, found: Sequence[Change]) -> list[nodes.Node]:
        count = sum(one.kind in OPEN for one in found)
        if count <= OPEN_AT_MOST:
            return []
        message = f"{count:,} sentences are open, more than {OPEN_AT_MOST}: review and approve them by package"
        if self.config.living_release:
            raise self.error(message)
        logger.info("Rules to review: %s", message)
        return [nodes.warning("", nodes.paragraph("", f"{message}. A release fails."))]


def _when(root: Path, commit: str) -> str:
    return _git(root, "show", "-s", "--format=%cs", f"{commit}^{{commit}}").decode().strip()


def _row(title: str, one: Approval | None, when: str, sentences: int, changes: Sequence[Change]) -> list[str]:
    """A package: what it is compared with, and the number of changes of each kind."""
    who = "not reviewed" if one and one.by == BASELINE else f"approved by {one.by}" if one else ""
    counts = Counter(change.kind for change in changes)
    return [
        title,
        f"{one.commit[:12]} of {when}, {who}" if one else "new",
        f"{sentences:,}",
        *(f"{counts[kind]:,}" if counts[kind] else "" for kind in KINDS),
    ]


def setup(app: Sphinx) -> None:
    """Make the directive known, and list the areas of the changelog beside it."""
    app.add_directive("changes", ChangesDirective)
    app.add_config_value("living_release", default=False, rebuild="env", types=[bool])
    app.connect("html-page-context", _list_areas)


def _list_areas(_app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: nodes.document) -> None:
    if page == "changelog":
        context["theme_show_toc_level"] = 2


def _sections(docname: str, rulebook: Rulebook, found: Sequence[Change]) -> Iterator[nodes.section]:
    """A section for each open kind of change, in it the packages in their order."""
    for kind in OPEN:
        changes = [one for one in found if one.kind == kind]
        shown: list[nodes.Node] = []
        for package, those in groupby(changes, lambda one: one.rule.feature.partition("/")[0]):
            items = (nodes.list_item("", *_entry(docname, rulebook, one)) for one in those)
            shown += [
                nodes.rubric("", title_of(rulebook.root, package)),
                nodes.bullet_list("", *items, classes=["changed-rules"]),
            ]
        if shown:
            title = nodes.title("", f"{KINDS[kind][0]}: {len(changes)}")
            yield nodes.section("", title, *shown, ids=[nodes.make_id(KINDS[kind][0])], classes=["changes"])


def _entry(docname: str, rulebook: Rulebook, change: Change) -> Iterator[nodes.Node]:
    """The rule, a link where this tree has it, its source, and what changed in it."""
    shown = change.rule
    said = coded(shown.rule.sentence)
    if change.now:
        anchor = anchors(rulebook.features[shown.feature])[shown.rule.line][0]
        said = [link(docname, f"rulebook/{shown.feature}", shown.rule.sentence, anchor)]
    yield nodes.paragraph("", "", span(shown.label, "rule-id"), nodes.Text(" "), *said)
    yield note("Source:", coded(source_of(shown.rule)))
    merged: dict[tuple[str, ...], list[Result]] = {}
    for one in change.results:
        same = one[1:3] if one.alike else tuple(VALUE.sub("", text) for text in one[1:3])
        merged.setdefault(same, []).append(one)
    for (given, before, now, alike), *more in merged.values():
        rows = f" (the same in {len(more)} more)" if more else ""
        words = f"{before} → " if alike else f"before: {before}; now: "
        told = nodes.Text(f"{shorten(given, LONG, placeholder=' …')}{rows}: {words}")
        yield note("Changed result:" if alike else "Rewritten check:", [told, nodes.strong("", now)])
    if change.before and change.now:
        changed = lines_changed(change.before, change.now)
        text = "\n".join(changed)
        block = nodes.literal_block(text, text, language="diff")
        yield from folded("What changed", block, opened=len(changed) <= SHORT)
