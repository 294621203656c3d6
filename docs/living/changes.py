"""What changed in the rulebook since the version that was approved last, for those who approve the next.

`docs/approved.txt` names its commit; `make approve` writes the current one.
"""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.origins.decided import decisions_on
from living.rules.rulebook import Rulebook, anchors, name_of, source_of
from living.site import site_of
from living.tables import folded
from living.text import between, link, span
from steps.rulebook import Feature, Rule, UnreadableFeature, read_feature

APPROVED: Final = "docs/approved.txt"
NONE_APPROVED: Final = "No version was approved yet. make approve notes the current one."
NOT_THERE: Final = (
    "This copy of the project does not have {commit}, the version that was approved last, so nothing can be compared. "
    "In a shallow clone: git fetch --unshallow, then make docs."
)
SHORT: Final = 12
"""Lines of a difference that is shown; a longer one is folded."""


class UnreadableHistory(Exception):
    """A revision that is not there, or whose features do not parse."""


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """A rule, the name of its feature, such as trigger/budget, and its lines as they are compared."""

    feature: str
    rule: Rule
    lines: tuple[str, ...]

    @property
    def label(self) -> str:
        """Its ids, or its feature if it has none."""
        return " ".join(self.rule.ids) or self.feature

    @property
    def order(self) -> tuple[tuple[str, ...], str, int]:
        """Rules are listed by id."""
        return self.rule.ids, self.feature, self.rule.line


@dataclass(frozen=True, slots=True)
class Difference:
    """From one version to another, each list ordered by id; a changed rule as it was and as it is."""

    added: tuple[WrittenRule, ...]
    changed: tuple[tuple[WrittenRule, WrittenRule], ...]
    removed: tuple[WrittenRule, ...]

    def __str__(self) -> str:
        """How many rules were added, changed and removed, in a sentence."""
        counts = ((len(self.added), "added"), (len(self.changed), "changed"), (len(self.removed), "removed"))
        said = [f"{number:,} rule{'' if number == 1 else 's'} {what}" for number, what in counts if number]
        return f"{', '.join(said)}." if said else "No rule was added, changed or removed."


def approved(root: Path) -> str:
    """The commit that was approved last; empty where none was."""
    file = root / APPROVED
    return file.read_text(encoding="utf-8").strip() if file.exists() else ""


def rules_at(root: Path, revision: str) -> list[WrittenRule]:
    """The rules of a revision. Raises UnreadableHistory, for features with file and line."""
    if not _git(root, "ls-tree", "--name-only", "--end-of-options", f"{revision}^{{commit}}", "features"):
        return []
    archive = _git(root, "archive", f"{revision}^{{commit}}", "features")
    with TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(folder, filter="data")
        return written(_read(Path(folder), path, revision) for path in sorted(Path(folder).rglob("*.feature")))


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


def difference(old: Sequence[WrittenRule], new: Sequence[WrittenRule]) -> Difference:
    """Compare two versions, rule by rule. What a feature says outside its rules is passed over."""
    pairs = dict(_pairs(old, new))
    changed = [(old[i], new[j]) for j, i in pairs.items() if old[i].lines != new[j].lines]
    return Difference(
        added=_ordered(one for j, one in enumerate(new) if j not in pairs),
        changed=tuple(sorted(changed, key=lambda both: both[1].order)),
        removed=_ordered(one for i, one in enumerate(old) if i not in pairs.values()),
    )


def lines_changed(before: WrittenRule, after: WrittenRule) -> list[str]:
    """What differs between two versions of a rule, as diff shows it; the places are set apart by dots."""
    _, _, _, *lines = unified_diff(before.lines, after.lines, n=1, lineterm="")
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


def _ordered(rules: Iterable[WrittenRule]) -> tuple[WrittenRule, ...]:
    return tuple(sorted(rules, key=lambda one: one.order))


class ChangesDirective(SphinxDirective):
    """`{changes}` lists the rules that were added, changed and removed since the approved version."""

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
        try:
            found = difference(rules_at(site.root, commit), written(site.rulebook.features.values()))
        except UnreadableHistory as error:
            raise self.error(str(error)) from error
        said = f"Since {commit[:12]} of {when}: {found}"
        return [nodes.paragraph("", said), *_sections(docname, site.rulebook, found)]


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("changes", ChangesDirective)


def _sections(docname: str, rulebook: Rulebook, found: Difference) -> Iterator[nodes.section]:
    parts = (("Changed", found.changed), ("Added", [(None, one) for one in found.added]))
    for heading, rules in (*parts, ("Removed", [(None, one) for one in found.removed])):
        if rules:
            items = (nodes.list_item("", *_entry(docname, rulebook, *one)) for one in rules)
            shown = nodes.bullet_list("", *items, classes=["changed-rules"])
            yield nodes.section("", nodes.title("", heading), shown, ids=[heading.lower()], classes=["changes"])


def _entry(docname: str, rulebook: Rulebook, before: WrittenRule | None, now: WrittenRule) -> Iterator[nodes.Node]:
    """The rule, a link where this tree has it, the decisions on it or its source, and what changed in it."""
    home = rulebook.features.get(now.feature)
    lines = [rule.line for rule in home.rules if rule.sentence == now.rule.sentence] if home else []
    said: nodes.Node = nodes.Text(now.rule.sentence)
    if home and lines:
        said = link(docname, f"rulebook/{now.feature}", now.rule.sentence, anchors(home)[lines[0]][0])
    yield nodes.paragraph("", "", span(now.label, "rule-id"), nodes.Text(" "), said)
    decisions = {one.number: one for name in now.rule.ids for one in decisions_on(name, rulebook.root)}
    links = [link(docname, one.page, f"decision {number}: {one.title}") for number, one in sorted(decisions.items())]
    why = between(links, "; ") if links else [nodes.Text(source_of(now.rule))]
    yield nodes.paragraph("", "", span("Why:", "label"), nodes.Text(" "), *why, classes=["note"])
    if before:
        changed = lines_changed(before, now)
        text = "\n".join(changed)
        block = nodes.literal_block(text, text, language="diff")
        yield from folded("What changed", block, opened=len(changed) <= SHORT)
