"""Reports of the commands of `brim checkpoints`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Self

from pydantic import ConfigDict

from brim.checkpoints import CheckpointRecord, FileChange, Restored
from brim.checkpoints.checkpoints import untouched
from brim.cli.output import several
from brim.cli.report import Element, Line, NotedReport, Report, Table
from brim.cli.sessions.pages import one_line
from brim.sessions.paths import moment
from brim.sessions.records import RestoreRecord


def _row(one: CheckpointRecord) -> tuple[str, str, str]:
    tags = "".join(f" [{one_line(tag)}]" for tag in one.tags)
    return one.id, moment(one.time), f"{one_line(one.name) or '(no name)'}{tags}"


class Difference(Report):
    """A file that differs."""

    path: str
    """From the project's folder."""
    status: str
    """added, removed, changed, or mode where the permissions alone differ."""
    added: int | None
    """Lines that are new; null for a file that is no text."""
    removed: int | None
    """Lines that are gone; null for a file that is no text."""


class CheckpointReport(NotedReport, CheckpointRecord):
    """A checkpoint, and the files that changed since."""

    model_config = ConfigDict(extra="ignore")
    commands: ClassVar = ("checkpoints create", "checkpoints show")
    changes: tuple[Difference, ...] | None = None
    """The files that differ from it now; null where it was just made."""

    @classmethod
    def of(cls, one: CheckpointRecord, changes: Sequence[FileChange] | None = None) -> Self:
        """Report on a checkpoint, with what it does not hold."""
        notes = [f"it holds the conversation only: {one.note}"] if one.note else []
        for path in one.left_out:
            what = "repository" if path.endswith("/") else "new file over 2 MiB"
            notes.append(f"left out, as a {what}: {path}")
        return cls.read(**one.model_dump(), changes=changes, notes=notes)

    def page(self) -> Iterator[Element]:
        """Yield the checkpoint, and a row for each file."""
        if self.changes is None:
            yield Line(_row(self)[-1], f"Checkpoint {self.id}  ")
        else:
            yield Table([_row(self)])
            rows = []
            for one in self.changes:
                lines = "no text" if one.added is None else f"+{one.added:,} -{one.removed:,}"
                rows.append((f"  {one.status}", one.path if one.path.isprintable() else repr(one.path), lines))
            yield from (Line("  ".join(cells), fit="whole") for cells in rows)
            yield Line(f"{several(len(rows), 'file')} changed since", style="dim")


class CheckpointList(Report):
    """The checkpoints of a session, the newest first."""

    commands: ClassVar = ("checkpoints list",)
    session: str
    """The session."""
    checkpoints: tuple[CheckpointRecord, ...]
    """Its checkpoints."""

    def page(self) -> Iterator[Element]:
        """Yield a row for each, and how many there are."""
        yield Table([_row(one) for one in self.checkpoints])
        yield Line(f"{several(len(self.checkpoints), 'checkpoint')} of session {self.session}", style="dim")


class DiffReport(Report):
    """The difference of two checkpoints, or of one and the files now."""

    commands: ClassVar = ("checkpoints diff",)
    changes: tuple[Difference, ...]
    """The files that differ."""
    patch: str
    """The difference in the form of git diff."""

    def page(self) -> Iterator[Element]:
        """Yield the lines of the difference."""
        colors = {"+": "green", "-": "red", "@": "cyan"}
        for line in self.patch.splitlines():
            yield Line(line, style=colors.get(line[:1], ""), fit="whole")


class RestoreReport(RestoreRecord, Report):
    """Files, the conversation or both that went back to a checkpoint."""

    model_config = ConfigDict(extra="ignore")
    commands: ClassVar = ("checkpoints restore", "checkpoints undo")
    name: str
    """The name of the checkpoint."""
    stayed: tuple[str, ...]
    """Files that are not in the checkpoint and were not touched, ignored ones left out."""
    untouched: str
    """The same in words."""

    @classmethod
    def of_restored(cls, restored: Restored) -> Self:
        """Report on what a restore did."""
        return cls.read(
            **restored.record.model_dump(),
            name=restored.checkpoint.name,
            stayed=restored.stayed,
            untouched=untouched(restored),
        )

    def page(self) -> Iterator[Element]:
        """Yield what went back, what was not touched, and the way forward again."""
        how, lead = "rewound", f"Back at {self.name or self.of}  "
        if self.undoes is not None:
            how, lead = "brought back", "Undone  "
        did = [] if self.what == "conversation" else [f"{several(self.changed, 'file')} changed"]
        did += [f"the conversation {how}"] if self.rewind else []
        yield Line(" and ".join(did) or "nothing changed", lead)
        if self.what != "conversation":
            yield Line(self.untouched, style="dim")
        back = "undo" if self.undoes is None else f"restore {self.safety}"
        yield Line(f"The state before is checkpoint {self.safety}; brim checkpoints {back} goes there", style="dim")


class FreedReport(Report):
    """Checkpoints that were removed, and the disk space that it freed."""

    commands: ClassVar = ("checkpoints gc",)
    removed: tuple[str, ...]
    """Their ids."""
    bytes: int
    """Bytes that were freed."""

    def page(self) -> Iterator[Element]:
        """Yield how many."""
        freed = f", {max(self.bytes, 0):,} bytes freed" if self.removed else ""
        yield Line(f"{several(len(self.removed), 'checkpoint')} removed{freed}")
