"""Checkpoints: ways back for the files of a project and for a session's conversation.

Specified by features/checkpoints/checkpoints.feature (CHK_01, CHK_04, CHK_06). A checkpoint is a record of the
session's log, so that it has a place in the conversation; its files are a snapshot in the project's store.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from brim.checkpoints.restoring import (
    CONTINUE,
    Restore,
    RestoreJournal,
    What,
    plan_changes,
    read_journal,
    require_free,
    require_no_journal,
    stage_name,
)
from brim.checkpoints.retention import active_restores, checkpoints_of, expired
from brim.checkpoints.settings import CheckpointSettings
from brim.checkpoints.snapshots import Change, FileChange, Snapshot, SnapshotStore, is_among
from brim.checkpoints.worktree import WorkTree
from brim.errors import InvalidInput, Refused, StoreFailed, shown
from brim.sessions.files import translate_os_errors
from brim.sessions.lines import read_records
from brim.sessions.paths import moment, system_clock
from brim.sessions.records import (
    AUTO,
    OWN_TAGS,
    SAFETY,
    CheckpointRecord,
    ForgottenRecord,
    Record,
    RestoreRecord,
    RewindRecord,
    UndoRecord,
)
from brim.sessions.session import Session
from brim.sessions.view import visibility_of

PROMPT_CHARS: Final = 50
PROMPT_BATCH: Final = 50
"""Files that a checkpoint before a prompt records at first: also a slow machine does that in a second."""
LEAST: Final = 4
"""Characters of an id that name a checkpoint, where they name one alone."""
UNTOUCHED: Final = 6
"""Files that a restore did not touch and that a line names."""
BATCH: Final = 10
"""Expired checkpoints that are removed together when one is made: freeing disk space takes a second."""
OFF: Final = "snapshots are turned off (snapshots in [checkpoints])"

OTHER: Final = re.compile(rb'\{"v":\d+,"kind":"(?!(?:checkpoint|restore|forgotten|rewind|undo)")')
"""How a line begins that checkpoints have nothing to do with, as brim writes it."""
Made = TypeVar("Made", bound=Record)


class Restored(NamedTuple):
    """What a restore did."""

    record: RestoreRecord
    """The record in the session's log."""
    checkpoint: CheckpointRecord
    """The one that was gone back to."""
    safety: CheckpointRecord
    """The one of the state before (CHK_06)."""
    stayed: tuple[str, ...]
    """What is there, is not in the checkpoint, and was not touched (CHK_05); ignored files are not among it."""


class Freed(NamedTuple):
    """What a removal of checkpoints did."""

    removed: tuple[CheckpointRecord, ...]
    """Those that are gone."""
    bytes: int
    """Bytes of the disk."""


class Checkpoints:
    """The checkpoints of a session in a project. Raises a BrimError of one line wherever nothing was done."""

    def __init__(
        self,
        project: Path | str,
        session: Session,
        *,
        home: Path | None = None,
        settings: CheckpointSettings | None = None,
    ) -> None:
        """`home` is brim's folder, by default the user's; a session opened to be read can only be listed and compared.

        Raises InvalidInput where the project is no folder.
        """
        self._store = SnapshotStore(project, home)
        self._session, self._settings = session, settings or CheckpointSettings()

    @property
    def session(self) -> str:
        """The id of the session."""
        return self._session.id

    @property
    def project(self) -> Path:
        """The folder of the project, without links in its path."""
        return self._store.project

    @property
    def lack(self) -> str:
        """Why checkpoints hold the conversation only (CHK_11); empty where they hold the files too."""
        return self._store.git.lack if self._settings.snapshots else OFF

    @contextmanager
    def to_write(self) -> Iterator[Checkpoints]:
        """The same, their session open to be written meanwhile. Raises Refused where another process writes it."""
        if self._session.is_writable:
            yield self
            return
        with self._session.store.open(self._session.id) as session:
            yield Checkpoints(self.project, session, home=self._store.home, settings=self._settings)

    def create(
        self, name: str = "", *, tags: Sequence[str] = (), position: str = "", remove: bool = True
    ) -> CheckpointRecord:
        """Make a checkpoint by hand, of the files as they are and of the conversation as it is.

        The turn that the conversation is in is an anchor of the session's next compaction (ANC_07).

        `position` is the last record of the transcript, where Claude Code keeps the conversation; where it is left
        out, that of the newest checkpoint.
        Checkpoints past their age or number are removed from time to time (CHK_08), which takes seconds; a caller
        that cannot wait sets `remove` to False and calls `gc` later, where `is_overdue`.

        Raises InvalidInput for a tag that brim gives to its own checkpoints.
        """
        own = sorted(OWN_TAGS.intersection(tags))
        if own:
            raise InvalidInput(f"the tag {own[0]!r} is of checkpoints that brim makes itself; choose another word")
        return self._create(name, tags, position, remove=remove)

    def _create(self, name: str, tags: Sequence[str], position: str, *, remove: bool) -> CheckpointRecord:
        with self._store.held():
            require_no_journal(self._store)
            made = self._record(name, tags, position)
        if remove and self.is_overdue:
            self.gc()
        return made

    @property
    def is_overdue(self) -> bool:
        """Whether so many checkpoints are past their age or number that `gc` is worth its time."""
        return len(expired(self._records(), self._settings, system_clock())) >= BATCH

    def before_prompt(self, prompt: str, *, position: str = "", remove: bool = True) -> CheckpointRecord:
        """Make the checkpoint before a prompt, named after how that begins (CHK_01).

        Where it is interrupted, the next one goes on with the files that it has recorded (HOK_05).
        """
        self._store.first_batch = PROMPT_BATCH
        return self._create(f"Before: {prompt[:PROMPT_CHARS]}...", (AUTO,), position, remove=remove)

    def list(self) -> tuple[CheckpointRecord, ...]:
        """The checkpoints that are kept, the newest first."""
        records = self._records()
        gone = {one.id for one in expired(records, self._settings, system_clock())}
        return tuple(one for one in reversed(checkpoints_of(records)) if one.id not in gone)

    def get(self, name: str) -> CheckpointRecord:
        """A checkpoint by its id, the beginning or end of it alone, or its name. Raises InvalidInput."""
        found = self.list()
        meant = [one for one in found if one.id == name] or [one for one in found if name and one.name == name]
        if not meant and len(name) >= LEAST:
            meant = [one for one in found if one.id.startswith(name.upper()) or one.id.endswith(name.upper())]
        if len(meant) > 1:
            listed = ", ".join(f"{one.id} of {moment(one.time)}" for one in meant[:3])
            raise InvalidInput(
                f"{shown(name)} may be {len(meant):,} checkpoints, the newest {listed}; give more of an id"
            )
        if not meant:
            raise InvalidInput(
                f"session {self._session.id} has no checkpoint {shown(name)}; brim checkpoints list names them"
            )
        return meant[0]

    def diff(self, older: str, newer: str | None = None, paths: Sequence[str] = ()) -> Sequence[FileChange]:
        """The files that differ between two checkpoints, or one and the present, with the lines added and removed."""
        with self._store.held():
            return self._store.summary(*self._pair(older, newer), paths)

    def patch(self, older: str, newer: str | None = None, paths: Sequence[str] = ()) -> str:
        """The same difference as text, in the form of git diff."""
        with self._store.held():
            return self._store.patch(*self._pair(older, newer), paths)

    def changes(self) -> Mapping[str, Sequence[FileChange]]:
        """The files that differ now from each checkpoint that holds files, by its id; one snapshot is taken for all."""
        held = [one for one in self.list() if one.snapshot]
        if not held or self.lack:
            return {}
        with self._store.held():
            now = self._store.take().commit
            return {one.id: self._store.summary(self._snapshot_of(one), now) for one in held}

    def plan(self, name: str, what: What = "files") -> Sequence[FileChange]:
        """The files that a restore of a checkpoint would change now, with the lines that it adds and removes.

        Raises Refused where the conversation would go back and is another tool's.
        """
        target = self.get(name)
        _require_own(target, what)
        if what == "conversation":
            return ()
        with self._store.held():
            snapshot, taken = self._snapshot_of(target), self._store.take()
            planned = {one.path for one in self._planned(target, snapshot, taken)[0]}
            return [one for one in self._store.summary(taken.commit, snapshot) if one.path in planned]

    def restore(
        self,
        name: str,
        what: What = "both",
        *,
        paths: Sequence[str] | None = None,
        until: str | None = None,
    ) -> Restored:
        """Go back to a checkpoint: its files, its conversation, or both (CHK_04).

        Args:
            name: the checkpoint, as `get` takes it.
            what: what goes back.
            paths: the only files and folders that come back, from the project's folder (CHK_07); None for all.
            until: a later checkpoint: only the files that changed from the first to this one come back (CHK_07).

        Raises Refused before anything changes where a file that no checkpoint holds is in the way (CHK_05), and
        InvalidInput for a path that neither the checkpoint nor the project holds.
        """
        target = self.get(name)
        if (paths is not None or until is not None) and what != "files":
            raise InvalidInput("single files come back without the conversation; restore files")
        _require_own(target, what)
        paths = None if paths is None else [self._inside(path) for path in paths]
        with self._store.held():
            require_no_journal(self._store)
            if until is not None:
                changed = {one.path for one in self._store.summary(*self._pair(target.id, until))}
                paths = sorted(one for one in changed if paths is None or is_among(one, paths))
            return self._restore(target, what, paths)

    def undo(self) -> Restored:
        """Take back the newest restore (CHK_06): files and conversation are what they were before it.

        Raises Refused where there is none to take back.
        """
        with self._store.held():
            require_no_journal(self._store)
            undone = self.newest_restore()
            safety = next((one for one in checkpoints_of(self._records()) if one.id == undone.safety), None)
            if safety is None:
                raise Refused(f"checkpoint {undone.safety}, made before that restore, is gone: it cannot be taken back")
            return self._restore(safety, undone.what, undone.paths, undone)

    def newest_restore(self) -> RestoreRecord:
        """The restore that an undo takes back. Raises Refused where there is none."""
        found = active_restores(self._records())
        if not found:
            raise Refused(f"session {self._session.id} has no restore to take back")
        return found[-1]

    def finish(self) -> Restored:
        """Finish a restore that was interrupted (CMD_15). Raises Refused where none was, or in another session."""
        with self._store.held():
            journal = read_journal(self._store)
            if journal is None:
                raise Refused(f"no restore of {self._store.project} was interrupted: there is nothing to continue")
            if journal.session != self._session.id:
                raise Refused(f"the restore that was interrupted is of session {journal.session}; continue it there")
            return self._carry_out(journal)

    def gc(self) -> Freed:
        """Remove the checkpoints past their age or number, and free their disk space (CHK_08)."""
        with self._store.held():
            require_no_journal(self._store)
            records = self._records()
            gone = expired(records, self._settings, system_clock())
            if gone:
                self._session.note(ForgottenRecord, checkpoints=tuple(one.id for one in gone))
            names = {one.id for one in gone}
            kept = [one.snapshot for one in checkpoints_of(records) if one.snapshot and one.id not in names]
            freed = 0 if self.lack or not self._store.is_made else self._store.free(self._session.id, kept)
            return Freed(tuple(gone), freed)

    def _records(self) -> Sequence[Record]:
        """The records of the session that checkpoints are about; no other line of the log is decoded."""
        lines = (line for line in self._session.journal.lines() if not OTHER.match(line.data))
        return [*read_records(lines, [])]

    def _note(self, kind: type[Made], **fields: Any) -> Made:
        """Add a record to the session; the record as it was written."""
        made = self._session.note(kind, **fields)
        lines = self._session.journal.lines_reversed()
        return next(one for one in read_records(lines, []) if isinstance(one, kind) and one.id == made)

    def _record(
        self, name: str, tags: Sequence[str], position: str = "", taken: Snapshot | None = None
    ) -> CheckpointRecord:
        """Make a checkpoint, of the present files where no snapshot is given; the store is held."""
        newest = checkpoints_of(self._records())[-1:]
        position = position or "".join(one.position for one in newest)
        about = {"name": name, "tags": tuple(tags), "position": position, "note": self.lack}
        if not self.lack:
            taken = taken or self._store.take()
            self._store.keep(self._session.id, taken.commit)
            about |= {"snapshot": taken.commit, "left_out": taken.left_out}
        return self._note(CheckpointRecord, **about)

    def _inside(self, path: str) -> str:
        """A path as snapshots have it, from the project's folder. Raises InvalidInput for one outside of it."""
        inside = os.path.relpath(os.path.join(self.project, path), self.project)  # noqa: PTH118
        if inside == ".." or inside.startswith("../"):
            raise InvalidInput(f"{shown(path)} is not in the project {self.project}; name a file of it")
        return inside

    def _pair(self, older: str, newer: str | None) -> tuple[str, str]:
        """The snapshots of two checkpoints, or of one and the present."""
        before = self._snapshot_of(self.get(older))
        return before, self._store.take().commit if newer is None else self._snapshot_of(self.get(newer))

    def _snapshot_of(self, checkpoint: CheckpointRecord) -> str:
        if checkpoint.snapshot is None:
            raise Refused(f"checkpoint {checkpoint.id} holds the conversation only: {checkpoint.note}")
        if self.lack:
            raise Refused(f"the files of checkpoint {checkpoint.id} cannot be read: {self.lack}")
        self._store.require(checkpoint.snapshot)
        return checkpoint.snapshot

    def _planned(
        self,
        target: CheckpointRecord,
        snapshot: str,
        taken: Snapshot,
        paths: Sequence[str] | None = None,
        undone: RestoreRecord | None = None,
    ) -> tuple[Sequence[Change], Sequence[str]]:
        """What a restore changes, and what stays that the checkpoint does not hold (CHK_05).

        An undo that brings an ignore file back removes only what its restore brought: others may have been ignored.
        """
        kept = checkpoints_of(self._records())
        recorded = [one.snapshot for one in kept if one.snapshot and SAFETY not in one.tags]
        changes, stayed = plan_changes(
            self._store, now=taken.commit, target=snapshot, kept=target.left_out, recorded=recorded, paths=paths
        )
        if undone is not None and any(one.path.rpartition("/")[2] == ".gitignore" for one in changes):
            brought = {one.path for one in self._store.changes(snapshot, self._snapshot_of(self.get(undone.of)))}
            hidden = [one.path for one in changes if one.after is None and one.path not in brought]
            changes, stayed = [one for one in changes if one.path not in hidden], stayed + hidden
        stayed += [one for one in taken.left_out if paths is None or is_among(one.rstrip("/"), paths)]
        return changes, sorted(stayed)

    def _restore(
        self,
        target: CheckpointRecord,
        what: What,
        paths: Sequence[str] | None,
        undone: RestoreRecord | None = None,
    ) -> Restored:
        changes: Sequence[Change] = ()
        stayed: Sequence[str] = ()
        with translate_os_errors(f"cannot look into {self._store.project}"), WorkTree(self._store.project) as tree:
            stage = stage_name(tree)
        taken = None
        if what != "conversation":
            snapshot = self._snapshot_of(target)
            taken = self._store.take()
            for path in paths or ():
                if undone is None and not self._store.has((snapshot, taken.commit), path):
                    raise InvalidInput(f"neither checkpoint {target.id} nor the project holds {shown(path)}")
            changes, stayed = self._planned(target, snapshot, taken, paths, undone)
            with translate_os_errors(f"cannot look into {self._store.project}"), WorkTree(self._store.project) as tree:
                there = [one for one in changes if one.before is None and tree.version(one.path) == one.after]
                if there:  # no snapshot held these, and an undo leaves them alone
                    names = [one.path for one in there]
                    left_out = tuple(one for one in taken.left_out if one not in names)
                    taken = Snapshot(self._store.record(names), left_out)
                    changes = [one for one in changes if one not in there]
                require_free(tree, changes, taken.left_out)
        name = f"Before restoring {target.name or target.id}" if undone is None else "Before undoing a restore"
        safety = self._record(name, (SAFETY,), taken=taken)
        journal = RestoreJournal(
            session=self._session.id,
            of=target.id,
            what=what,
            stage=stage,
            safety=safety.id,
            undoes=None if undone is None else undone.id,
            paths=None if paths is None else tuple(paths),
            changes=tuple(changes),
            stayed=tuple(stayed),
        )
        Restore(self._store, journal).begin()
        return self._carry_out(journal)

    def _carry_out(self, journal: RestoreJournal) -> Restored:
        """Change the files, then the conversation, and record both; what is done already is not done again."""
        restore = Restore(self._store, journal)
        restore.carry_out()
        try:
            if back := [one.path for one in journal.changes if one.before is None]:
                self._store.record(back)
            return self._recorded(restore, journal)
        except StoreFailed as error:
            raise StoreFailed(
                f"the files are back, and the session does not say so yet: {error}; {CONTINUE} finishes it"
            ) from error

    def _recorded(self, restore: Restore, journal: RestoreJournal) -> Restored:
        """Change the conversation, and record what was done."""
        since = [one for one in self._records() if one.id > journal.safety]
        done = next((one for one in since if isinstance(one, RestoreRecord)), None)
        if done is None:
            rewind = None if journal.what == "files" else self._rewound(journal, since)
            done = self._note(
                RestoreRecord,
                of=journal.of,
                what=journal.what,
                safety=journal.safety,
                rewind=rewind,
                paths=journal.paths,
                changed=len(journal.changes),
                undoes=journal.undoes,
            )
        restore.end()
        by_id = {one.id: one for one in checkpoints_of(self._records())}
        return Restored(done, by_id[journal.of], by_id[journal.safety], journal.stayed)

    def _rewound(self, journal: RestoreJournal, since: Sequence[Record]) -> str | None:
        """Rewind the conversation, unless that is done; None where there is nothing to take back."""
        found = next((one.id for one in since if isinstance(one, RewindRecord | UndoRecord)), None)
        if found is not None:
            return found
        if journal.undoes is None:
            return self._session.rewind(journal.of)
        records = self._records()
        undone = next(one for one in records if one.id == journal.undoes and isinstance(one, RestoreRecord))
        active = visibility_of(records)
        if undone.rewind is None or undone.rewind in active.undone or active.is_rewound(undone.rewind):
            return None  # the session's own undo took it back
        return self._session.write(UndoRecord, of=undone.rewind, to=journal.of)


def interrupted_session(project: Path | str, home: Path | None = None) -> str:
    """The session of a restore of a project that was interrupted; empty where none was."""
    journal = read_journal(SnapshotStore(project, home))
    return journal.session if journal is not None else ""


def untouched(restored: Restored) -> str:
    """What a restore left as it was, in a line (CHK_05)."""
    more = f" and {len(restored.stayed) - UNTOUCHED:,} more" if len(restored.stayed) > UNTOUCHED else ""
    return f"Not touched: {', '.join(('ignored files', *restored.stayed[:UNTOUCHED]))}{more}"


def _require_own(target: CheckpointRecord, what: What) -> None:
    """Raise Refused where the conversation would go back and another tool keeps it."""
    if what != "files" and target.position:
        raise Refused(
            "rewinding the conversation is Claude Code's own, which keeps it; restore the files of checkpoint "
            f"{target.id} alone"
        )
