"""A difference in words, for the terminal; the page says the same with links."""

from __future__ import annotations

from collections.abc import Iterator

from living.changes.differences import Changed, Difference, Note
from living.changes.pairing import Standing

__all__ = ["count", "in_short", "spoken", "told"]


def in_short(found: Difference) -> str:
    """How many rules were added, changed and removed, in a sentence."""
    counts = ((len(found.added), "added"), (len(found.changed), "changed"), (len(found.removed), "removed"))
    said = [f"{count(number)} {what}" for number, what in counts if number]
    return f"{', '.join(said)}." if said else "No rule was added, changed or removed."


def count(rules: int) -> str:
    """So many rules."""
    return f"{rules:,} rule{'' if rules == 1 else 's'}"


def told(old: str, new: str, found: Difference) -> str:
    """The whole, as text."""
    return "\n".join([f"{old} → {new}: {in_short(found)}", *_lines(found)]) + "\n"


def _lines(found: Difference) -> Iterator[str]:
    yield from _listed("Added", found.added)
    if found.changed:
        yield from ("", "Changed")
    for changed in found.changed:
        yield from _changed(changed)
    yield from _listed("Removed", found.removed)


def _listed(heading: str, rules: tuple[Standing, ...]) -> Iterator[str]:
    if rules:
        yield from ("", heading)
        yield from (f"  {one.label}  {one.rule.sentence}" for one in rules)


def spoken(note: Note) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The lines of a note under a word: was and now, or added, or removed."""
    words = ("was", "now") if note.before and note.after else ("removed", "added")
    for word, lines in zip(words, (note.before, note.after), strict=True):
        if lines:
            yield word, lines


def _changed(changed: Changed) -> Iterator[str]:
    yield f"  {changed.rule.label}  {changed.rule.rule.sentence}"
    for note in changed.notes:
        yield f"    {note.what}"
        yield from (f"      {word:<7}  {line}" for word, lines in spoken(note) for line in lines)
