"""What changed in the rulebook since the last approved version, for those who approve the next.

`docs/approved.txt` names its commit; `make approve` writes the current one.
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

from living.origins.decided import decisions_on
from living.rules.rulebook import Rulebook, anchors, counted, name_of, source_of, title_of
from living.site import site_of
from living.tables import folded
from living.text import between, coded, filled, link, note, span
from steps.rulebook import Feature, Rule, Step, UnreadableFeature, read_feature

APPROVED: Final = "docs/approved.txt"
NONE_APPROVED: Final = "No version is approved yet. make approve notes the current one."
NOT_THERE: Final = (
    "This copy of the project does not have {commit}, the last approved version, so nothing can be "
    "compared. In a shallow clone: git fetch --unshallow, then make docs."
)
VALUE: Final = re.compile(r'(?<=")[^"]*(?=")|\d+(?:[.,]\d+)*%?')
"""What a step expects: where no value of it is another, only its words are."""
LONG: Final = 240
"""Characters of the steps that a changed result shows at most."""
LETTERS: Final = re.compile(r"[A-Za-z]{6,}")
"""Words in which one letter may be spelled differently: shorter ones are other words then."""
SHORT: Final = 12
"""Lines of a difference that is shown; a longer one is folded."""


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
    "new": ("New behavior", "added", False),
    "removed": ("Removed", "removed", False),
    "result": ("Changed result", "with a changed expected result", False),
    "rewritten": ("Rewritten checks", "with rewritten checks", False),
    "wording": ("Wording", "reworded", False),
    "examples": ("Examples only", "with changed examples only", True),
    "rest": ("Source or description only", "with another source, description, place or mark only", True),
}
"""The kinds of changes: the heading, how a count of them reads, and whether they are folded away."""


def in_words(changes: Sequence[Change]) -> str:
    """How many sentences changed in which way: 2 added, 1 reworded."""
    counts = Counter(one.kind for one in changes)
    told = (f"{counts[name]:,} {words}" for name, (_, words, _) in KINDS.items() if counts[name])
    return ", ".join(told) or "none changed"


def approved(root: Path) -> str:
    """The commit of the last approved version; empty where none was."""
    file = root / APPROVED
    return file.read_text(encoding="utf-8").strip() if file.exists() else ""


def rules_at(root: Path, revision: str, words: Mapping[str, str] | None = None) -> list[WrittenRule]:
    """The rules of a revision, with `words` replaced by others. Raises UnreadableHistory, for features with line."""
    if not _git(root, "ls-tree", "--name-only", "--end-of-options", f"{revision}^{{commit}}", "features"):
        return []
    archive = _git(root, "archive", f"{revision}^{{commit}}", "features")
    with TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(folder, filter="data")
        paths = sorted(Path(folder).rglob("*.feature"))
        for path in paths if words else ():
            spelled = LETTERS.sub(lambda met: (words or {}).get(met[0], met[0]), path.read_text(encoding="utf-8"))
            path.write_text(spelled, encoding="utf-8")
        return written(_read(Path(folder), path, revision) for path in paths)


def respelled(old: Iterable[WrittenRule], new: Iterable[WrittenRule]) -> dict[str, tuple[str, int]]:
    """The words of which nine in ten now have one other letter, as they are now, and in how many places."""
    before, now = (
        Counter(LETTERS.findall("\n".join(line for one in side for line in _lines(one)))) for side in (old, new)
    )
    grown = [word for word in now if now[word] > before[word]]
    found = {}
    for word in (one for one in sorted(before) if now[one] * 10 < before[one]):
        like = [one for one in grown if len(one) == len(word) and sum(map(str.__ne__, one, word)) == 1]
        if like:
            found[word] = max(like, key=lambda one: now[one] - before[one]), before[word] - now[word]
    return found


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
        for row in scenario.values or [{}]:
            steps = [(step, _filled(step, row)) for step in (*scenario.background, *scenario.steps)]
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
    """`{changes}` lists the rules that changed since the last approved version, below its own content."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """How many, then each; a sentence where nothing can be compared. Raises an error on broken features."""
        site, docname = site_of(self.config), self.env.current_document.docname
        commit = approved(site.root)
        if not commit:
            return [nodes.paragraph("", NONE_APPROVED)]
        try:
            when = _git(site.root, "show", "-s", "--format=%cs", f"{commit}^{{commit}}").decode().strip()
        except UnreadableHistory:
            return [nodes.warning("", nodes.paragraph("", NOT_THERE.format(commit=commit[:12])))]
        features = site.rulebook.features.values()
        try:
            words = respelled(rules_at(site.root, commit), now := written(features))
            found = difference(rules_at(site.root, commit, {old: new for old, (new, _) in words.items()}), now)
        except UnreadableHistory as error:
            raise self.error(str(error)) from error
        noted = _git(site.root, "log", "-1", "--format=%h of %cs", "--", APPROVED).decode().strip()
        said = (
            f"The last approved version is commit {commit[:12]} of {when}"
            f"{noted and f', noted in commit {noted}'}. Since then, of {len(now):,} sentences: "
            f"{in_words(found)}. The start page counts ids: {counted(features)}."
        )
        spelled = "; ".join(f"{old} → {new} ({count:,})" for old, (new, count) in words.items())
        sections = _sections(docname, site.rulebook, found, spelled)
        return [nodes.paragraph("", said), *self.parse_content_to_nodes(), *sections]


def setup(app: Sphinx) -> None:
    """Make the directive known, and list the areas of the changelog beside it."""
    app.add_directive("changes", ChangesDirective)
    app.connect("html-page-context", _list_areas)


def _list_areas(_app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: nodes.document) -> None:
    if page == "changelog":
        context["theme_show_toc_level"] = 2


def _sections(docname: str, rulebook: Rulebook, found: Sequence[Change], spelled: str) -> Iterator[nodes.section]:
    """A section for each kind of change, in it the packages in their order; respelled words are with the wording."""
    for name, (heading, _, folds) in KINDS.items():
        changes = [one for one in found if one.kind == name]
        words = f"Words that are only respelled, with the number of places: {spelled}."
        shown: list[nodes.Node] = [nodes.paragraph("", words)] if name == "wording" and spelled else []
        for package, those in groupby(changes, lambda one: one.rule.feature.partition("/")[0]):
            items = (nodes.list_item("", *_entry(docname, rulebook, one)) for one in those)
            shown += [
                nodes.rubric("", title_of(rulebook.root, package)),
                nodes.bullet_list("", *items, classes=["changed-rules"]),
            ]
        if shown:
            title = nodes.title("", f"{heading}: {len(changes)}")
            inside = folded(f"Show the {len(changes)}", *shown) if folds else shown
            yield nodes.section("", title, *inside, ids=[nodes.make_id(heading)], classes=["changes"])


def _entry(docname: str, rulebook: Rulebook, change: Change) -> Iterator[nodes.Node]:
    """The rule, a link where this tree has it, the decisions on it or its source, and what changed in it."""
    shown = change.rule
    said = coded(shown.rule.sentence)
    if change.now:
        anchor = anchors(rulebook.features[shown.feature])[shown.rule.line][0]
        said = [link(docname, f"rulebook/{shown.feature}", shown.rule.sentence, anchor)]
    yield nodes.paragraph("", "", span(shown.label, "rule-id"), nodes.Text(" "), *said)
    decisions = {one.number: one for name in shown.rule.ids for one in decisions_on(name, rulebook.root)}
    links = [link(docname, one.page, f"decision {number}: {one.title}") for number, one in sorted(decisions.items())]
    if links:
        yield note("Decisions on the rule:" if links[1:] else "Decision on the rule:", between(links, "; "))
    else:
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
