"""What changed in the rulebook between two revisions: on a page, and as `python -m living.changes OLD [NEW]`."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tarfile
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.folds import folded
from living.rules.counting import counted
from living.rules.rulebook import SOURCE, Rulebook, anchors, is_portable, name_of, paragraphs, source_of
from living.site import site_of
from living.text import link, span
from steps.rulebook import Examples, Feature, Rule, Scenario, Step, UnreadableFeature, read_feature

ROOT: Final = Path(__file__).resolve().parents[2]
VERSION: Final = re.compile(r"v?\d+(?:\.\d+)+\w*")
"""A tag that names a version: v1.0, 0.2.0rc1. Others are passed over."""
UNTAGGED: Final = (
    "Nothing stands here yet: this copy of the project knows no tagged version. From the first one on, the rules that "
    "were added, changed and removed since then are listed here."
)
WORDS: Final = ("sentence", "ids", "feature", "source", "description", "portable")
"""What a rule says of itself; whatever else changes in it is an example."""


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


def versions(root: Path) -> tuple[str, ...]:
    """The tags of versions that led here, the oldest first; none where git or its history is not there."""
    try:
        listed = _git(root, "tag", "--merged", "HEAD", "--sort", "creatordate").decode()
    except UnreadableHistory:
        return ()
    return tuple(filter(VERSION.fullmatch, listed.split()))


def features_of(root: Path, revision: str) -> tuple[Feature, ...]:
    """The features of a revision, by path. Raises UnreadableHistory with revision, file and line."""
    if not _git(root, "ls-tree", "--name-only", "--end-of-options", f"{revision}^{{commit}}", "features"):
        return ()
    archive = _git(root, "archive", f"{revision}^{{commit}}", "features")
    with TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(folder, filter="data")
        return features_in(Path(folder), f"revision {revision}: ")


def features_in(root: Path, where: str = "") -> tuple[Feature, ...]:
    """The features of a tree as it is. Raises UnreadableHistory with file and line."""
    found = []
    for path in sorted((root / "features").rglob("*.feature")):
        try:
            found.append(read_feature(path))
        except UnreadableFeature as error:
            place = f"{where}{path.relative_to(root)}:{error.line}"
            raise UnreadableHistory(f"{place}: it does not parse: {error}") from error
    return tuple(found)


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
    for what, before, after in zip(WORDS, _words(old), _words(new), strict=True):
        if before != after:
            yield Note(what, (before,) if before else (), (after,) if after else ())
    was, now = ({one.name: one for one in standing.rule.scenarios} for standing in (old, new))
    for name in dict.fromkeys([*was, *now]):
        parts = [_parts(side[name]) if name in side else {} for side in (was, now)]
        if not all(parts):
            gone, come = (tuple(line for lines in one.values() for line in lines) for one in parts)
            yield Note(f"scenario “{name}”", gone, come)
            continue
        for what in parts[0]:
            yield from _lines_changed(f"{what} of “{name}”", parts[0][what], parts[1][what])


def _words(standing: Standing) -> tuple[str, ...]:
    """What it says of itself, in the order of WORDS."""
    rule = standing.rule
    prose = " ".join(text for text in paragraphs(rule.description) if not text.startswith(SOURCE))
    whose = "holds for every implementation" if standing.portable else "holds for this implementation"
    return rule.sentence, " ".join(rule.ids), standing.feature, source_of(rule), prose, whose


def _parts(scenario: Scenario) -> dict[str, tuple[str, ...]]:
    prose = (scenario.description, *(table.description for table in scenario.tables))
    return {
        "words": tuple(text for one in prose for text in paragraphs(one)),
        "steps": tuple(line for step in (*scenario.background, *scenario.steps) for line in _step(step)),
        "rows": tuple(_row(table, cells) for table in scenario.tables for _, cells in table.rows),
    }


def _lines_changed(what: str, before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[Note]:
    """The lines that are on one side alone, each as often as the other lacks it; all where their order is another."""
    gone, come = Counter(before) - Counter(after), Counter(after) - Counter(before)
    if gone or come:
        yield Note(what, tuple(gone.elements()), tuple(come.elements()))
    elif before != after:
        yield Note(f"order of the {what}", before, after)


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
    """`{changes}` lists what changed from version to version, and from the newest to this tree."""

    def run(self) -> list[nodes.Node]:
        """A section for each step, the newest first. Raises an error where a version cannot be read."""
        site, docname = site_of(self.config), self.env.current_document.docname
        there = versions(site.root)
        if not there:
            return [nodes.paragraph("", UNTAGGED)]
        try:
            read = {one: features_of(site.root, one) for one in there}
        except UnreadableHistory as error:
            raise self.error(str(error)) from error
        here = tuple(site.rulebook.features.values())
        steps = [(f"Since {there[-1]}", difference(read[there[-1]], here))]
        steps += [
            (f"From {old} to {new}", difference(read[old], read[new])) for old, new in reversed([*pairwise(there)])
        ]
        first = nodes.section("", nodes.title("", there[0]), ids=[nodes.make_id(f"version {there[0]}")])
        first += nodes.paragraph("", f"The first version, with {counted(read[there[0]])}.")
        return [*(_section(docname, site.rulebook, *step) for step in steps), first]


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("changes", ChangesDirective)


def _section(docname: str, rulebook: Rulebook, title: str, found: Difference) -> nodes.section:
    section = nodes.section("", nodes.title("", title), ids=[nodes.make_id(title)], classes=["changes"])
    section += nodes.paragraph("", str(found))
    unnoted = [("Added", [(one, ()) for one in found.added]), ("Removed", [(one, ()) for one in found.removed])]
    for heading, rules in (unnoted[0], ("Changed", found.changed), unnoted[1]):
        if rules:
            section += nodes.rubric("", heading)
            items = (nodes.list_item("", *_changed(docname, rulebook, *one)) for one in rules)
            section += nodes.bullet_list("", *items, classes=["changed-rules"])
    return section


def _changed(docname: str, rulebook: Rulebook, standing: Standing, notes: Sequence[Note]) -> Iterator[nodes.Node]:
    """The rule, a link where this tree has it, and what changed in it; examples are folded."""
    home = rulebook.features.get(standing.feature)
    lines = [rule.line for rule in home.rules if rule.sentence == standing.rule.sentence] if home else []
    said: nodes.Node = nodes.Text(standing.rule.sentence)
    if home and lines:
        said = link(docname, f"rulebook/{standing.feature}", standing.rule.sentence, anchors(home)[lines[0]][0])
    yield nodes.paragraph("", "", span(standing.label, "rule-id"), nodes.Text(" "), said)
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
        yield from folded(note.what, *blocks, opened=note.what in WORDS)


def told(found: Difference) -> Iterator[str]:
    """A difference in lines, for the terminal."""
    for heading, rules in (("Added", found.added), ("Changed", found.changed), ("Removed", found.removed)):
        if rules:
            yield from ("", heading)
        for one in rules:
            standing, notes = one if isinstance(one, tuple) else (one, ())
            yield f"  {standing.label}  {standing.rule.sentence}"
            for note in notes:
                yield f"    {note.what}"
                yield from (f"      {word:<7}  {line}" for word, lines in _spoken(note) for line in lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what changed. Returns 1 where a revision cannot be read, which is said on standard error."""
    parser = ArgumentParser(prog="python -m living.changes", description="What changed in the rulebook.")
    parser.add_argument("old", help="a tag, or any other revision that git knows")
    parser.add_argument("new", nargs="?", help="another one; where it is not given, this tree as it is")
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder of the project")
    asked = parser.parse_args(arguments)
    try:
        old = features_of(asked.root, asked.old)
        found = difference(old, features_of(asked.root, asked.new) if asked.new else features_in(asked.root))
    except UnreadableHistory as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write("\n".join([f"{asked.old} → {asked.new or 'this tree'}: {found}", *told(found)]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
