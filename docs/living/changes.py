"""What changed in the rulebook since the version that was approved last, for those who approve the next.

`docs/approved.txt` names its commit; `make approve` writes the current one.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.folds import folded
from living.origins.decided import decisions_on
from living.rules.rulebook import SOURCE, Rulebook, anchors, is_portable, name_of, paragraphs, source_of
from living.site import site_of
from living.text import between, link, span
from steps.rulebook import Examples, Feature, Rule, Step, UnreadableFeature, read_feature

APPROVED: Final = "docs/approved.txt"
NONE_APPROVED: Final = "No version was approved yet. make approve notes the current one."
NOT_THERE: Final = (
    "This copy of the project does not have {commit}, the version that was approved last, so nothing can be compared. "
    "In a shallow clone: git fetch --unshallow, then make docs."
)
OPEN: Final = ("sentence", "ids", "feature", "source", "description", "portable")
"""Parts of a rule whose change is shown; that of examples is folded."""


class UnreadableHistory(Exception):
    """A revision that is not there, or whose features do not parse."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A rule and the name of its feature, such as trigger/budget."""

    feature: str
    rule: Rule
    portable: bool

    @property
    def label(self) -> str:
        """Its ids, or where it stands if it has none."""
        return " ".join(self.rule.ids) or self.feature


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that changed in a rule: what it is, how it was and how it is now, in lines."""

    what: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """From one revision to another, each list ordered by id; a changed rule is as it is now."""

    added: tuple[Standing, ...]
    changed: tuple[tuple[Standing, tuple[Note, ...]], ...]
    removed: tuple[Standing, ...]

    def __str__(self) -> str:
        """How many rules were added, changed and removed, in a sentence."""
        counts = ((len(self.added), "added"), (len(self.changed), "changed"), (len(self.removed), "removed"))
        said = [f"{number:,} rule{'' if number == 1 else 's'} {what}" for number, what in counts if number]
        return f"{', '.join(said)}." if said else "No rule was added, changed or removed."


def approved(root: Path) -> str:
    """The commit that was approved last; empty where none was."""
    file = root / APPROVED
    return file.read_text(encoding="utf-8").strip() if file.exists() else ""


def features_of(root: Path, revision: str) -> tuple[Feature, ...]:
    """The features of a revision, by path. Raises UnreadableHistory, for features with file and line."""
    if not _git(root, "ls-tree", "--name-only", "--end-of-options", f"{revision}^{{commit}}", "features"):
        return ()
    archive = _git(root, "archive", f"{revision}^{{commit}}", "features")
    with TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(folder, filter="data")
        return tuple(_read(Path(folder), path, revision) for path in sorted(Path(folder).rglob("*.feature")))


def _read(folder: Path, path: Path, revision: str) -> Feature:
    try:
        return read_feature(path)
    except UnreadableFeature as error:
        place = f"{path.relative_to(folder)}:{error.line} of {revision}"
        raise UnreadableHistory(f"{place}: it does not parse: {error}") from error


def difference(old: Sequence[Feature], new: Sequence[Feature]) -> Difference:
    """Compare two versions, rule by rule. What a feature says outside its rules is passed over."""
    before, after = _standings(old), _standings(new)
    found = dict(_pairs(before, after))
    changed = [(after[j], notes) for j, i in found.items() if (notes := tuple(_notes(before[i], after[j])))]
    return Difference(
        added=_ordered(one for j, one in enumerate(after) if j not in found),
        changed=tuple(sorted(changed, key=lambda one: _order(one[0]))),
        removed=_ordered(one for i, one in enumerate(before) if i not in found.values()),
    )


def _git(root: Path, *arguments: str) -> bytes:
    try:
        ran = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)  # noqa: S603, S607
    except FileNotFoundError as error:
        raise UnreadableHistory("the program git is not there") from error
    if ran.returncode:
        raise UnreadableHistory(f"git {arguments[0]}: {ran.stderr.decode(errors='replace').strip()}")
    return ran.stdout


def _standings(features: Sequence[Feature]) -> list[Standing]:
    return [Standing(name_of(one), rule, is_portable(one, rule)) for one in features for rule in one.rules]


def _pairs(old: Sequence[Standing], new: Sequence[Standing]) -> Iterator[tuple[int, int]]:
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


def _ordered(rules: Iterable[Standing]) -> tuple[Standing, ...]:
    return tuple(sorted(rules, key=_order))


def _order(standing: Standing) -> tuple[tuple[str, ...], str, int]:
    return standing.rule.ids, standing.feature, standing.rule.line


def _notes(old: Standing, new: Standing) -> Iterator[Note]:
    """The lines of each part that are on one side alone, each as often as the other lacks it."""
    was, now = dict(_parts(old)), dict(_parts(new))
    for what in dict.fromkeys([*was, *now]):
        before, after = Counter(was.get(what, ())), Counter(now.get(what, ()))
        if before != after:
            yield Note(what, tuple((before - after).elements()), tuple((after - before).elements()))


def _parts(standing: Standing) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The parts of a rule by what they are, in lines."""
    rule = standing.rule
    yield "sentence", (rule.sentence,)
    yield "ids", (" ".join(rule.ids),)
    yield "feature", (standing.feature,)
    yield "source", (source_of(rule),)
    yield "description", tuple(text for text in paragraphs(rule.description) if not text.startswith(SOURCE))
    yield "portable", ("holds for every implementation" if standing.portable else "holds for this implementation",)
    for one in rule.scenarios:
        said = (one.description, *(table.description for table in one.tables))
        prose = (text for description in said for text in paragraphs(description))
        steps = (line for step in (*one.background, *one.steps) for line in _step(step))
        yield f"steps of “{one.name}”", (*prose, *steps)
        yield f"rows of “{one.name}”", tuple(_row(table, cells) for table in one.tables for _, cells in table.rows)


def _step(step: Step) -> Iterator[str]:
    yield f"{step.kind.capitalize()} {step.text}"
    yield from (" | ".join(cells) for cells in step.table)
    yield from (step.docstring or "").splitlines()


def _row(table: Examples, cells: tuple[str, ...]) -> str:
    """A row as it is read: the description as it is, other cells with the names of their columns."""
    named = zip(table.columns, cells, strict=True)
    said = " · ".join(cell if column == "description" else f"{column} {cell}" for column, cell in named)
    return f"{table.name}: {said}" if table.name else said


def _spoken(note: Note) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The lines of a note under a word: was and now, or added, or removed."""
    words = ("was", "now") if note.before and note.after else ("removed", "added")
    yield from ((word, lines) for word, lines in zip(words, (note.before, note.after), strict=True) if lines)


class ChangesDirective(SphinxDirective):
    """`{changes}` lists the rules that were added, changed and removed since the approved version."""

    def run(self) -> list[nodes.Node]:
        """How many, then each; a sentence where nothing can be compared. Raises an error on broken features."""
        site, docname, commit = (
            site_of(self.config),
            self.env.current_document.docname,
            approved(site_of(self.config).root),
        )
        if not commit:
            return [nodes.paragraph("", NONE_APPROVED)]
        try:
            when = _git(site.root, "show", "-s", "--format=%cs", f"{commit}^{{commit}}").decode().strip()
        except UnreadableHistory:
            return [nodes.warning("", nodes.paragraph("", NOT_THERE.format(commit=commit[:12])))]
        try:
            found = difference(features_of(site.root, commit), tuple(site.rulebook.features.values()))
        except UnreadableHistory as error:
            raise self.error(str(error)) from error
        said = f"Since {commit[:12]} of {when}: {found}"
        return [nodes.paragraph("", said), *_sections(docname, site.rulebook, found)]


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("changes", ChangesDirective)


def _sections(docname: str, rulebook: Rulebook, found: Difference) -> Iterator[nodes.section]:
    unnoted = [("Added", [(one, ()) for one in found.added]), ("Removed", [(one, ()) for one in found.removed])]
    for heading, rules in (("Changed", found.changed), *unnoted):
        if rules:
            items = (nodes.list_item("", *_changed(docname, rulebook, *one)) for one in rules)
            shown = nodes.bullet_list("", *items, classes=["changed-rules"])
            yield nodes.section("", nodes.title("", heading), shown, ids=[heading.lower()], classes=["changes"])


def _changed(docname: str, rulebook: Rulebook, standing: Standing, notes: Sequence[Note]) -> Iterator[nodes.Node]:
    """The rule, a link where this tree has it, the decisions on it, and what changed in it; examples are folded."""
    home = rulebook.features.get(standing.feature)
    lines = [rule.line for rule in home.rules if rule.sentence == standing.rule.sentence] if home else []
    said: nodes.Node = nodes.Text(standing.rule.sentence)
    if home and lines:
        said = link(docname, f"rulebook/{standing.feature}", standing.rule.sentence, anchors(home)[lines[0]][0])
    yield nodes.paragraph("", "", span(standing.label, "rule-id"), nodes.Text(" "), said)
    decisions = {one.number: one for name in standing.rule.ids for one in decisions_on(name, rulebook.root)}
    links = [link(docname, one.page, f"decision {number}: {one.title}") for number, one in sorted(decisions.items())]
    why = between(links, "; ") if links else [nodes.Text(source_of(standing.rule))]
    yield nodes.paragraph("", "", span("Why:", "label"), nodes.Text(" "), *why, classes=["note"])
    for note in notes:
        blocks = (
            nodes.line_block(
                "",
                nodes.line("", "", span(word, "changed-label")),
                *(nodes.line("", line) for line in told),
                classes=[f"changed-{word}"],
            )
            for word, told in _spoken(note)
        )
        yield from folded(note.what, *blocks, opened=note.what in OPEN)
