"""Reports of the commands of `brim memory`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field, PlainSerializer, computed_field

from brim.cli.output import several
from brim.cli.report import Element, Line, Report, of
from brim.memory.section import MemoryEntry
from brim.tokens.estimation import estimate_tokens

Text = Annotated[str | None, BeforeValidator(lambda path: path and str(path))]
"""A path as a text."""


class LoadedFile(Report):
    """A memory file that is loaded."""

    path: Text
    """Where it is."""
    origin: str = Field(serialization_alias="from")
    """Why it is loaded: global, project, or a setting."""
    imported_by: Text
    """The file that imports it."""
    text: str
    """Its text."""

    @computed_field
    def tokens(self) -> int:
        """Return its tokens, by estimate."""
        return estimate_tokens(self.text)


class MemoryReport(Report):
    """The memory files that are loaded in this folder (MEM_10)."""

    commands: ClassVar = ("memory show",)
    folder: Text = of("memory.folder")
    """The folder."""
    mode: str = of("memory.settings.mode")
    """Whose files are loaded: opencode, claude-code, or nearest."""
    files: tuple[LoadedFile, ...] = of("memory.files")
    """The files, in the order in which they are read."""
    warnings: tuple[str, ...] = of("memory.warnings")
    """Faults of loading, in sentences."""
    text: str = of("memory.text")
    """The text for the system prompt."""

    @computed_field
    def tokens(self) -> int:
        """Return the tokens of all, by estimate."""
        return sum(estimate_tokens(file.text) for file in self.files)

    def page(self) -> Iterator[Element]:
        """Yield each file with its tokens, and why it is loaded."""
        count = several(len(self.files), "memory file") if self.files else "No memory file"
        whole = sum(estimate_tokens(file.text) for file in self.files)
        yield Line(f", {whole:,} tokens, as the mode {self.mode} finds them", count)
        for file in self.files:
            by = f", imported by {_shown(file.imported_by)}" if file.imported_by else ""
            yield Line(f"{estimate_tokens(file.text):>8,}  {_shown(file.path)}", fit="whole")
            yield Line(f"          {file.origin}{by}", style="dim", fit="whole")


class CheckReport(Report):
    """Faults of the memory files of this folder."""

    commands: ClassVar = ("memory check",)
    files: int
    """The number of files that are loaded."""
    faults: tuple[str, ...]
    """Faults of loading and sections that are too long, in sentences."""

    def page(self) -> Iterator[Element]:
        """Yield each fault, and how many there are."""
        yield from (Line(fault, fit="whole") for fault in self.faults)
        found = several(len(self.faults), "fault") if self.faults else "No fault"
        yield Line(f"{found} in {several(self.files, 'memory file')}", style="bold")


class LeftOut(Report):
    """A line that is not migrated."""

    kind: str
    """Its kind, such as a decision."""
    reason: str
    """Why it is left out."""


class MigrationReport(Report):
    """Lines of a session that were added to a memory file."""

    commands: ClassVar = ("memory migrate",)
    path: Text = of("migration.path")
    """The memory file."""
    written: bool
    """Whether it was changed."""
    changed: bool
    """Whether anything of it changes."""
    dry_run: bool
    """Whether nothing was to be written."""
    added: Annotated[tuple[MemoryEntry, ...], PlainSerializer(lambda added: [one._asdict() for one in added])] = of(
        "migration.added"
    )
    """The lines that were added, with the session, the kind and the text of each."""
    removed: tuple[str, ...] = of("migration.removed")
    """The oldest lines, which were removed."""
    left_out: tuple[LeftOut, ...] = of("migration.left_out")
    """Lines that were left out."""

    def page(self) -> Iterator[Element]:
        """Yield what is added, removed and left out."""
        yield from (Line(f"+ {one}", style="green", fit="whole") for one in self.added)
        yield from (Line(f"- {line}", style="red", fit="whole") for line in self.removed)
        for reason, count in Counter(one.reason for one in self.left_out).items():
            yield Line(f"{several(count, 'line')} left out: {reason}", style="dim")
        changed = f"{several(len(self.added), 'line')} added, {len(self.removed):,} removed"
        how = "would be written to" if self.dry_run else "written to"
        if self.changed:
            yield Line(f"{changed}; {how} {_shown(self.path)}", fit="whole")
        else:
            yield Line(f"Nothing to migrate into {_shown(self.path)}", fit="whole")


def _shown(path: str | None) -> str:
    """A path as a page shows it: from the current folder, where it is below that."""
    here, place = Path.cwd(), Path(path or "")
    return str(place.relative_to(here) if place.is_relative_to(here) else place)
