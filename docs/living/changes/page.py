"""The directive `{changes}`: from version to version, and from the newest to this tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living import freshness
from living.changes.differences import WORDS, Changed, Difference, Note, difference
from living.changes.history import PARTIAL, SHALLOW, History, PartialHistory, UnreadableHistory
from living.changes.pairing import Standing
from living.changes.telling import in_short, spoken
from living.folds import folded
from living.rules.counting import counted
from living.rules.rulebook import Rulebook, anchors
from living.site import Site, site_of
from living.text import link, span
from steps.rulebook import Feature

__all__ = ["ChangesDirective", "sections", "setup"]

SINCE: Final = "since"
UNTAGGED: Final = (
    "Nothing stands here yet, because brim has no tagged version so far; from the first one on, the rules that were "
    "added, changed and removed since then are listed here."
)


class ChangesDirective(SphinxDirective):
    """`{changes}` lists what changed between the versions; the option `since` names the oldest to begin with."""

    option_spec = {SINCE: str}  # noqa: RUF012 - docutils declares it so

    def run(self) -> list[nodes.Node]:
        """A section for each step, the newest first. Raises an error where a version cannot be read."""
        rulebook, docname = site_of(self.config).rulebook, self.env.current_document.docname
        freshness.note(self.env, docname, "changes", "")
        try:
            return list(sections(docname, rulebook, self.options.get(SINCE)))
        except UnreadableHistory as error:
            cure = f"; the option {SINCE} of this directive names the version to begin with"
            raise self.error(f"{error}{cure}") from error


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    freshness.RECIPES["changes"] = _ingredients
    app.add_directive("changes", ChangesDirective)
    app.add_css_file("changes.css")


def _ingredients(site: Site, _: str) -> object:
    """What the page is made from: the versions with their commits, and the rulebook as it is."""
    history = History(site.root)
    try:
        if why := history.absent():
            return why, site.rulebook
        return [(tag, history.commit(tag)) for tag in history.versions()], history.shallow(), site.rulebook
    except UnreadableHistory as error:
        return str(error)


def sections(docname: str, rulebook: Rulebook, since: str | None = None) -> Iterator[nodes.Node]:
    """What changed, the newest step first; a sentence where no version is known. Raises UnreadableHistory."""
    history, here = History(rulebook.root), tuple(rulebook.features.values())
    why = history.absent()
    versions = () if why else _since(history, since)
    if not versions:
        yield nodes.paragraph("", _without_versions(history, why))
        return
    try:
        read = {version: history.features(version) for version in versions}
    except PartialHistory:
        yield nodes.paragraph("", _not_compared(PARTIAL))
        return
    yield _section(docname, rulebook, f"Since {versions[-1]}", difference(read[versions[-1]], here))
    for old, new in reversed(list(pairwise(versions))):
        yield _section(docname, rulebook, f"From {old} to {new}", difference(read[old], read[new]))
    yield _first(history, versions[0], read[versions[0]])


def _since(history: History, since: str | None) -> tuple[str, ...]:
    versions = history.versions()
    if since is None:
        return versions
    if since not in versions:
        raise UnreadableHistory(f"there is no version {since!r}; there are: {', '.join(versions) or 'none'}")
    return versions[versions.index(since) :]


def _without_versions(history: History, why: str | None) -> str:
    return UNTAGGED if why is None and not history.shallow() else _not_compared(why or SHALLOW)


def _not_compared(why: str) -> str:
    return f"{why[0].upper()}{why[1:]}, so its rules cannot be compared with those of an earlier version."


def _first(history: History, version: str, features: Sequence[Feature]) -> nodes.section:
    rules = counted(features)
    cut_off = history.shallow() or version != history.versions()[0]
    words = f"The {'oldest version shown here' if cut_off else 'first version'}, with {rules}."
    return nodes.section(
        "", nodes.title("", version), nodes.paragraph("", words), ids=[nodes.make_id(f"version {version}")]
    )


def _section(docname: str, rulebook: Rulebook, title: str, found: Difference) -> nodes.section:
    section = nodes.section("", nodes.title("", title), ids=[nodes.make_id(title)], classes=["changes"])
    section += nodes.paragraph("", in_short(found))
    section += _listed("Added", [nodes.list_item("", _head(docname, rulebook, one)) for one in found.added])
    section += _listed("Changed", [_changed(docname, rulebook, one) for one in found.changed])
    section += _listed("Removed", [nodes.list_item("", _head(docname, rulebook, one)) for one in found.removed])
    return section


def _listed(heading: str, items: list[nodes.list_item]) -> list[nodes.Node]:
    if not items:
        return []
    return [nodes.rubric("", heading), nodes.bullet_list("", *items, classes=["changed-rules"])]


def _head(docname: str, rulebook: Rulebook, standing: Standing) -> nodes.paragraph:
    """The ids and the sentence, which is a link where it stands in this tree."""
    home = rulebook.features.get(standing.feature)
    lines = [rule.line for rule in home.rules if rule.sentence == standing.rule.sentence] if home else []
    said: nodes.Node = nodes.Text(standing.rule.sentence)
    if home and lines:
        said = link(docname, f"rulebook/{standing.feature}", standing.rule.sentence, anchors(home)[lines[0]][0])
    return nodes.paragraph("", "", span(standing.label, "rule-id"), nodes.Text(" "), said)


def _changed(docname: str, rulebook: Rulebook, changed: Changed) -> nodes.list_item:
    """The rule, and what changed in it; its examples are closed until somebody opens them."""
    item = nodes.list_item("", _head(docname, rulebook, changed.rule))
    for note in changed.notes:
        item += folded(note.what, *_before_and_after(note), opened=note.what in WORDS)
    return item


def _before_and_after(note: Note) -> Iterator[nodes.line_block]:
    for word, lines in spoken(note):
        label = nodes.line("", "", span(word, "changed-label"))
        yield nodes.line_block("", label, *(nodes.line("", line) for line in lines), classes=[f"changed-{word}"])
