"""Section: the lines between two markers that brim adds to a memory file; every other character stays.

Part of the migration; specified by features/memory/migration.feature (MEM_05, MEM_07).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Self, TypeAlias

from brim.errors import InvalidInput
from brim.evidence.failures import on_one_line

BEGIN: Final = "<!-- brim: begin of migrated lines -->"
END: Final = "<!-- brim: end of migrated lines -->"
HEADING: Final = "## From earlier sessions"
TITLE: Final = "# Project Memory"
"""The first line of a file that brim makes."""
Kind: TypeAlias = Literal["decision", "preference", "open task", "file"]
"""What a line is."""
ENTRY: Final = re.compile(
    r"- (?P<date>\d{4}-\d\d-\d\d), session (?P<session>\S+), (?P<kind>decision|preference|open task|file): (?P<text>.+)"
)


ENDED: Final = r"(?:[.!?;](?!\w)|\s*(?:\Z|[-*+#>|]\s|\d+[.)]\s|<!--))"
"""How a sentence ends in a text whose line breaks are spaces: by a mark, at the end, or before an item of a list."""


class MemoryEntry(NamedTuple):
    """A migrated line."""

    date: str
    """The day of the migration, such as 2026-03-01."""
    session: str
    """The name of the session, without white space."""
    kind: Kind
    """What the line is."""
    text: str
    """What it says, on one line."""

    def __str__(self) -> str:
        return f"- {self.date}, session {self.session}, {self.kind}: {self.text}"


def key_of(text: str) -> str:
    """What two texts have in common that say the same: case, white space and a full stop make no difference."""
    return on_one_line(text).casefold().rstrip(".")


@dataclass(frozen=True, slots=True)
class Merged:
    """A memory file with the entries of a session, and what that changed."""

    text: str
    added: tuple[MemoryEntry, ...]
    removed: tuple[str, ...]
    """Lines that left: of tasks that are done, and the oldest of a section that was above its limit."""


@dataclass(frozen=True, slots=True)
class MemoryText:
    """The text of a memory file, as lines with their ends, and where its section is."""

    lines: tuple[str, ...]
    start: int
    """Index of the line behind the begin marker; the number of lines where there is no section."""
    stop: int
    """Index of the end marker."""

    @classmethod
    def read(cls, text: str) -> Self:
        """Find the section. Raises InvalidInput that names the line of a marker without its fellow."""
        lines = tuple(re.findall(r"[^\n]*\n|[^\n]+", text))
        stripped = [line.strip("\ufeff \t\r\n") for line in lines]
        markers = [index for index, line in enumerate(stripped) if line in {BEGIN, END}]
        if not markers:
            return cls(lines, len(lines), len(lines))
        if [stripped[index] for index in markers] != [BEGIN, END]:
            raise InvalidInput(f'line {markers[-1] + 1}: a section is one line "{BEGIN}" and one "{END}" behind it')
        return cls(lines, markers[0] + 1, markers[1])

    @property
    def section(self) -> tuple[str, ...]:
        """The lines between the markers, those of a person included."""
        return self.lines[self.start : self.stop]

    def merge(
        self, entries: Iterable[MemoryEntry], open_tasks: Collection[str], session: str, chars_max: int
    ) -> Merged:
        """The text with these entries behind those that are there.

        Tasks of the session that are not among `open_tasks` (by their keys) leave, and the oldest lines of a section
        that is above its limit.
        """
        ended = "\r\n" if any(line.endswith("\r\n") for line in self.lines) else "\n"
        done = {index for index, line in enumerate(self.section) if _is_done(line, open_tasks, session)}
        stays = [line for index, line in enumerate(self.section) if index not in done]
        added = self._new(entries, stays)
        section, dropped = _bounded([*stays, *(f"{entry}{ended}" for entry in added)], chars_max)
        removed = [*(self.section[index] for index in sorted(done)), *dropped]
        kept = tuple(entry for entry in added if f"{entry}{ended}" in section)
        if not kept and not removed:
            return Merged("".join(self.lines), (), ())
        text = self._with_section(section, ended) if self.stop < len(self.lines) else self._with_new(section, ended)
        return Merged(text, kept, tuple(line.rstrip("\r\n") for line in removed))

    def _new(self, entries: Iterable[MemoryEntry], stays: Iterable[str]) -> list[MemoryEntry]:
        """The entries that the file does not say yet, whoever wrote it."""
        known = {line: entry_of(line) for line in stays}
        persons = [line for line, entry in known.items() if entry is None]
        said = on_one_line("\n".join([*self.lines[: self.start], *persons, *self.lines[self.stop :]])).casefold()
        new = {key_of(entry.text): entry for entry in reversed(list(entries))}
        for entry in filter(None, known.values()):
            new.pop(key_of(entry.text), None)
        return [
            entry for key, entry in reversed(new.items()) if not re.search(rf"(?<!\w){re.escape(key)}{ENDED}", said)
        ]

    def _with_section(self, section: Iterable[str], ended: str) -> str:
        lines = [line if line.endswith("\n") else f"{line}{ended}" for line in section]
        return "".join([*self.lines[: self.start], *lines, *self.lines[self.stop :]])

    def _with_new(self, section: Iterable[str], ended: str) -> str:
        """The text with a section behind it, set off by an empty line."""
        text = "".join(self.lines)
        gap = "" if text.endswith("\n") or not text else ended
        gap += "" if not text.strip("\ufeff") else ended
        return f"{text}{gap}{BEGIN}{ended}{HEADING}{ended}{ended}{''.join(section)}{END}{ended}"


def entry_of(line: str) -> MemoryEntry | None:
    """The entry that a line of a section is; None for a person's."""
    found = ENTRY.fullmatch(line.strip("\r\n"))
    return MemoryEntry(**found.groupdict()) if found else None  # type: ignore[arg-type]


def _is_done(line: str, open_tasks: Collection[str], session: str) -> bool:
    entry = entry_of(line)
    return (
        entry is not None
        and entry.kind == "open task"
        and entry.session == session
        and key_of(entry.text) not in open_tasks
    )


def _bounded(section: list[str], chars_max: int) -> tuple[list[str], list[str]]:
    """The lines with the oldest migrated ones removed, until those that stay have so many characters at most."""
    left = sum(len(line.rstrip("\r\n")) for line in section if entry_of(line))
    stays: list[str] = []
    dropped: list[str] = []
    for line in section:
        if left > chars_max and entry_of(line):
            left -= len(line.rstrip("\r\n"))
            dropped.append(line)
        else:
            stays.append(line)
    return stays, dropped
