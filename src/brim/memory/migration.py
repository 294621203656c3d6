"""Migration: what outlasts a session is added to a memory file, by a command or by a listener of compactions.

Specified by features/memory/migration.feature (MEM_05, MEM_06, MEM_07).
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any, Final

from brim.compaction.events import Compacted, CompactionEvent, MemoryUpdated
from brim.compaction.result import all_turns
from brim.conversation.messages import Message
from brim.conversation.turns import ToolUse, Turn
from brim.errors import InvalidInput, Refused, text_of
from brim.evidence.failures import on_one_line
from brim.evidence.tools import act_of
from brim.memory.discovery import NAMES
from brim.memory.imports import IMPORT, Import, find_imports
from brim.memory.loading import Memory, UnreadableError, decoded, read_text
from brim.memory.section import TITLE, Kind, MemoryEntry, MemoryText, key_of
from brim.memory.settings import DEFAULT, MemorySettings
from brim.secret_patterns import holds_secret
from brim.sessions.files import open_regular, translate_os_errors, write_whole
from brim.summary.facts import TODO_ACTS, Fact, with_slashes

LINES: Final[dict[str, Kind]] = {
    "constraint": "preference",
    "decision": "decision",
    "todo": "open task",
    "modified_file": "file",
    "created_file": "file",
}
"""The kinds of facts that are migrated, each with what its line says; in this order."""
ORDER: Final[tuple[Kind, ...]] = ("decision", "preference", "open task", "file")
LASTS: Final = re.compile(
    r"\b(?:always|never|must(?:n['\u2019]?t)?|from now on)\b"
    r"|\A\W*(?:please |and |also |but |so )*(?:do not|don['\u2019]?t|avoid)\b",
    re.IGNORECASE,
)
"""How a preference is said; other limits, such as `only the first file`, are about the task at hand."""
MAX_FILES: Final = 20
"""Changed files that one migration lists: the newest."""
MAX_SESSION_CHARS: Final = 60
RUN: Final = 8
"""Words in a row that show that a line repeats an output; of a shorter line all."""
COMMENT: Final = re.compile(r"<!--|-->|--!>")
SECRET: Final = "it looks like a secret"  # noqa: S105  the reason, and none itself
FROM_TOOL: Final = "it repeats the output of a tool"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line that is not migrated."""

    kind: Kind
    """What the line would be."""
    reason: str
    """Why it is left out, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lasting:
    """What outlasts a session: what can be migrated, and what of it is left out."""

    session: str
    """The name of the session, without white space."""
    lines: tuple[tuple[Kind, str], ...]
    """What each line is and says."""
    open_tasks: frozenset[str]
    """The keys of every task that is open, migrated or not."""
    left_out: tuple[LeftOut, ...] = ()
    """Lines that look like a secret, or that repeat the output of a tool (MEM_06)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """What a migration changed in a memory file, or would change."""

    path: Path
    """The memory file, absolute."""
    before: str
    """Its text before; empty where there was none."""
    after: str
    """Its text with the lines."""
    added: tuple[MemoryEntry, ...]
    """Lines that are new."""
    removed: tuple[str, ...]
    """Lines that left: of tasks that are done, and the oldest of a section that was above its limit (MEM_07)."""
    left_out: tuple[LeftOut, ...]
    """Lines of the session that are not migrated."""

    @property
    def event(self) -> MemoryUpdated:
        """The migration as an event."""
        return MemoryUpdated(path=str(self.path), lines=len(self.added))


def lasting(facts: Iterable[Fact], messages: Sequence[Message], *, session: str, root: Path) -> Lasting:
    """What outlasts a conversation, by its facts.

    Decisions and preferences are sentences of the user's own messages, tasks are what the agent wrote into its list and
    no tool printed before, and files are in the project at `root` (MEM_06).
    """
    facts, turns = list(facts), all_turns(messages)
    said = on_one_line("\n".join(turn.request for turn in turns)).casefold()
    provenance = _Provenance(turns)
    lines: dict[tuple[Kind, str], None] = {}
    left_out: list[LeftOut] = []
    for fact in facts:
        kind = LINES.get(fact.kind)
        text = _line(fact, kind, said, root) if kind else ""
        if not kind or not text:
            continue
        if holds_secret(fact.text):
            left_out.append(LeftOut(kind, SECRET))
        elif kind == "open task" and not provenance.is_agents_own(fact.text):
            left_out.append(LeftOut(kind, FROM_TOOL))
        else:
            lines[kind, text] = None
    files = [one for one in lines if one[0] == "file"]
    kept = [one for one in lines if one not in files[:-MAX_FILES]]
    return Lasting(
        session="-".join(re.sub(r"[^\w.:-]+", " ", session).split())[:MAX_SESSION_CHARS] or "unnamed",
        lines=tuple(sorted(kept, key=lambda one: ORDER.index(one[0]))),
        open_tasks=frozenset(key_of(fact.text) for fact in facts if fact.kind == "todo"),
        left_out=tuple(left_out),
    )


def _line(fact: Fact, kind: Kind, said: str, root: Path) -> str:
    """The text of a fact as a line has it; empty where it is not the user's, not the project's, or not on a line."""
    if kind == "file":
        return _path_in(root, fact.text)
    if kind != "open task" and fact.text.rstrip("…").casefold() not in said:
        return ""
    if kind == "preference" and not LASTS.search(fact.text):
        return ""
    text = "".join(character for character in on_one_line(fact.text) if character.isprintable())
    if any(find_imports(text)):
        text = IMPORT.sub(_as_code, text)
    return "" if COMMENT.search(text) or any(find_imports(text)) else text


def _as_code(found: re.Match[str]) -> str:
    """An import as a span of code, which imports nothing; what stands behind it in a sentence stays behind it."""
    one = Import(found[1], 1)
    return f"`@{one.shown}`{one.name[len(one.shown) :]}"


def _path_in(root: Path, path: str) -> str:
    """A path from the root of the project, as code; empty for one outside, with words in it, or of a memory file."""
    if not path.isprintable() or "`" in path or len(path.split()) != 1:
        return ""
    base = PurePosixPath(with_slashes(str(root)))
    whole = PurePosixPath(normpath(base / with_slashes(path)))
    inside = whole != base and whole.is_relative_to(base) and whole.name not in NAMES
    return f"`{whole.relative_to(base)}`" if inside else ""


class _Provenance:
    """What the agent wrote into its list of tasks, and what its tools printed."""

    def __init__(self, turns: Iterable[Turn]) -> None:
        uses = [use for turn in turns for use in turn.tool_uses]
        self._written = _folded(text for use in uses if _lists_tasks(use) for text in _texts(use.input))
        self._uses = [use for use in uses if not _lists_tasks(use)]
        self._printed: str | None = None

    def is_agents_own(self, text: str) -> bool:
        """Whether the agent wrote a text into its list, and no eight words of it in a row were printed by a tool."""
        folded = on_one_line(text).casefold()
        if folded not in self._written:
            return False
        if self._printed is None:
            self._printed = _folded(use.output for use in self._uses)
        words = key_of(text).split(" ")
        runs = (" ".join(words[at : at + RUN]) for at in range(max(len(words) - RUN, 0) + 1))
        return not any(run in self._printed for run in runs)


def _lists_tasks(use: ToolUse) -> bool:
    return act_of(use) in TODO_ACTS


def _folded(texts: Iterable[str]) -> str:
    return "\n".join(on_one_line(text).casefold() for text in texts)


def _texts(value: Any) -> Iterator[str]:
    """Every text in the input of a tool."""
    if isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _texts(one)
    else:
        yield text_of(value)


def migrate(
    what: Lasting,
    path: Path | str,
    *,
    settings: MemorySettings = DEFAULT,
    today: date | None = None,
    write: bool = True,
) -> Migration:
    """Add what outlasts a session to a memory file; a missing one is made (MEM_05).

    Args:
        what: what `lasting` found.
        path: the memory file.
        settings: `section_chars` and `file_bytes` count.
        today: the date of the lines, by default that of the clock.
        write: whether the file is changed; otherwise the result says what would be.

    Raises InvalidInput for a file that cannot be changed, Refused where another program changes it meanwhile, and
    StoreFailed where the system refuses to write it.
    """
    where = Path(os.path.abspath(path))  # noqa: PTH100  a link in the path stays, as the user sees it
    day = (today or date.today()).isoformat()  # noqa: DTZ011  the day where the user is
    with _alone(where.parent):
        data = _read(where, settings.file_bytes)
        migration = _merged(what, where, data, day, settings.section_chars)
        if write and migration.after != migration.before:
            if _read(where, settings.file_bytes) != data:
                raise Refused(f"{where} was changed by another program meanwhile; migrate again")
            with translate_os_errors(f"cannot write {where}"):
                write_whole(where, migration.after.encode(), private=False)
    return migration


def _merged(what: Lasting, path: Path, data: bytes | None, day: str, chars_max: int) -> Migration:
    before = (data or b"").decode()
    entries = [MemoryEntry(day, what.session, kind, text) for kind, text in what.lines]
    try:
        text = MemoryText.read(f"{TITLE}\n" if data is None else before)
        merged = text.merge(entries, what.open_tasks, what.session, chars_max)
    except InvalidInput as error:
        raise InvalidInput(f"{path}, {error}; the file is left as it is") from error
    changed = bool(merged.added or merged.removed)
    return Migration(
        path=path,
        before=before,
        after=merged.text if changed else before,
        added=merged.added,
        removed=merged.removed,
        left_out=what.left_out,
    )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let no other process of brim migrate into a file of this folder. Raises InvalidInput for one it cannot read."""
    try:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise InvalidInput(f"{folder}: {error.strerror}; make the folder readable, or name another file") from error
    try:
        with translate_os_errors(f"cannot lock {folder}"):
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _read(path: Path, bytes_max: int) -> bytes | None:
    """The bytes of a memory file that can be changed; None where there is none. Raises InvalidInput."""
    try:
        if path.is_symlink():
            raise InvalidInput(f"{path} is a link; name the file that it leads to, {os.path.realpath(path)}")
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            data = file.read(bytes_max + 1)
        decoded(data)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror or error}; the file is left as it is") from error
    except UnreadableError as error:
        raise InvalidInput(f"{path}, line {error.line}: {error}; the file is left as it is") from error
    if len(data) > bytes_max:
        raise InvalidInput(f"{path} has more than {bytes_max:,} bytes, and is left as it is; shorten it")
    return data


def section_faults(memory: Memory) -> Iterator[str]:
    """Yield each fault in the sections of loaded files: a marker without its counterpart."""
    for file in memory.files:
        try:
            MemoryText.read(read_text(file.path.resolve(), memory.settings.file_bytes))
        except (InvalidInput, OSError, UnreadableError) as error:
            yield f"{file.path}, {error}"


class MigrateAtCompaction:
    """A listener that migrates what outlasts the session into a memory file, whenever a compaction summarizes (MEM_05).

    Args:
        path: the memory file, in the project's root; its folder is the project.
        session: the name of the session that the lines state.
        settings: `section_chars` and `file_bytes` count.
        on_event: is called with MemoryUpdated after each migration that added lines.

    A migration that fails raises in the listener: brim warns of that once, and the compaction goes on.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        session: str,
        settings: MemorySettings = DEFAULT,
        on_event: Callable[[MemoryUpdated], object] | None = None,
    ) -> None:
        self.path = Path(os.path.abspath(path))  # noqa: PTH100  a link in the path stays, as the user sees it
        self._session, self._settings, self._on_event = session, settings, on_event
        self.last: Migration | None = None
        """The newest migration; None before the first."""

    def __call__(self, event: CompactionEvent) -> None:
        """Take an event of a compactor."""
        if not isinstance(event, Compacted) or event.compaction is None:
            return
        plan = event.compaction.plan
        found = lasting(plan.facts, plan.context.messages, session=self._session, root=self.path.parent)
        self.last = migrate(found, self.path, settings=self._settings)
        if self.last.added and self._on_event is not None:
            self._on_event(self.last.event)
