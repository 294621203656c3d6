"""Restoring: the files of a project become those of a snapshot, all of them or none.

Specified by features/checkpoints/restoring.feature (CHK_05, CHK_07). A journal in the store has the whole plan before
the first file changes, so that a restore that was killed is finished, or begun again, from any point.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from secrets import token_hex
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from brim.checkpoints.snapshots import Change, SnapshotStore, is_among
from brim.checkpoints.worktree import WorkTree
from brim.errors import BrimError, Refused, StoreFailed, shown
from brim.sessions.files import make_whole, sync_folder, translate_os_errors

JOURNAL: Final = "restore.json"
STAGE: Final = ".brim-restore"
"""How the name of the folder begins in which files are written before they take their places."""
CONTINUE: Final = "brim checkpoints restore --continue"
What = Literal["files", "conversation", "both"]


class RestoreJournal(BaseModel):
    """A restore that has begun: all that finishing it takes."""

    model_config = ConfigDict(frozen=True)

    session: str = Field(description="The session whose checkpoint is restored.")
    of: str = Field(description="The checkpoint.")
    what: What = Field(description="What goes back.")
    stage: str = Field(
        pattern=r"^\.brim-restore-[0-9a-f]{16}$", description="The folder of its own for what comes back."
    )
    safety: str = Field(description="The checkpoint of the state before.")
    undoes: str | None = Field(default=None, description="The restore that it takes back.")
    paths: tuple[str, ...] | None = Field(default=None, description="The files asked for; None for all.")
    changes: tuple[Change, ...] = Field(default=(), description="What changes: path, before and after.")
    stayed: tuple[str, ...] = Field(default=(), description="What is there, is not in the checkpoint, and stays.")


def plan_changes(
    store: SnapshotStore,
    *,
    now: str,
    target: str,
    kept: Sequence[str],
    recorded: Iterable[str],
    paths: Sequence[str] | None,
) -> tuple[list[Change], list[str]]:
    """What makes the present files those of a snapshot, and the files that it does not hold and that stay (CHK_05).

    Args:
        store: holds the snapshots.
        now: the snapshot of the present files.
        target: the one they become.
        kept: paths that the target names as left out.
        recorded: the snapshots of the session; a file that none of them holds is not removed.
        paths: the only files and folders that change; None for all.
    """
    changes = [one for one in store.changes(now, target) if paths is None or is_among(one.path, paths)]
    gone = [one.path for one in changes if one.after is None and not is_among(one.path, kept)]
    removed = store.held_in(recorded, gone)
    if store.is_caseless:  # a file that comes back takes the place of one whose name differs in case alone
        back = {one.path.casefold() for one in changes if one.after is not None}
        removed |= {path for path in gone if path.casefold() in back}
    stayed = [one.path for one in changes if one.after is None and one.path not in removed]
    return [one for one in changes if one.after is not None or one.path in removed], stayed


def require_free(tree: WorkTree, changes: Sequence[Change], left_out: Sequence[str]) -> None:
    """Raise Refused where what no snapshot holds is in the way of a file that comes back (CHK_05)."""
    recorded = {one.path for one in changes if one.before is not None}
    found: dict[str, None] = {}
    for path in (one.path for one in changes if one.after is not None):
        repository = next((one.rstrip("/") for one in left_out if one.endswith("/") and path.startswith(one)), "")
        above = repository or tree.obstacle_above(path)
        if above and above not in recorded:
            found[above] = None
            continue
        inside = next((one for one in tree.files_below(path) if one not in recorded), None)
        if inside is not None:
            found[inside] = None
        elif path not in recorded and tree.is_other(path):
            found[path] = None
    if found:
        named, more = next(iter(found)), f" and {len(found) - 1:,} more" if len(found) > 1 else ""
        raise Refused(
            f"{shown(named)}{more}: no checkpoint holds it, and it is in the way of a file that comes back; "
            "nothing was changed; move it away"
        )


def stage_name(tree: WorkTree) -> str:
    """A name in the project that nothing has, for the folder of one restore."""
    names = (f"{STAGE}-{token_hex(8)}" for _ in iter(int, 1))
    return next(name for name in names if tree.stat(name) is None)


class Restore:
    """A restore that is carried out: each step of it can be done again."""

    def __init__(self, store: SnapshotStore, journal: RestoreJournal) -> None:
        self._store, self._journal = store, journal

    def begin(self) -> None:
        """Write the journal; from here on the restore is finished or taken back, whenever the process dies."""
        with translate_os_errors(f"cannot write {self._store.folder}"):
            make_whole(self._store.folder / JOURNAL, json.dumps(self._journal.model_dump()).encode())

    def carry_out(self) -> None:
        """Change the files, all of them or none. Raises Refused or StoreFailed where none was changed."""
        if not self._journal.changes:
            return
        project = self._store.project
        with translate_os_errors(f"cannot restore the files of {project}"), WorkTree(project) as tree:
            try:
                self._apply(tree, self._journal.changes)
            except BaseException as error:
                self._take_back(tree, error)
                raise

    def end(self) -> None:
        """Remove the journal."""
        with translate_os_errors(f"cannot write {self._store.folder}"):
            (self._store.folder / JOURNAL).unlink(missing_ok=True)
            sync_folder(self._store.folder)

    def _apply(self, tree: WorkTree, changes: Sequence[Change]) -> None:
        stage = self._journal.stage
        tree.clear(stage)
        self._require_known(tree, changes)
        left = [one for one in changes if tree.version(one.path) != one.after]
        written = [one for one in left if one.after is not None]
        self._stage(tree, written)
        for one in changes:
            if one.after is None:
                if tree.version(one.path) is not None:
                    self._require_known(tree, [one])
                    tree.remove(one.path)
                tree.prune_above(one.path)
        for number, one in enumerate(written):
            self._require_known(tree, [one])
            tree.move(f"{stage}/{number}", one.path)
        tree.clear(stage)

    def _stage(self, tree: WorkTree, written: Sequence[Change]) -> None:
        """Write the files that come back, where nothing reads them yet."""
        if written:
            tree.make_folder(self._journal.stage)
        versions = [one.after for one in written if one.after is not None]
        contents = self._store.contents([one.blob for one in versions])
        for number, (version, data) in enumerate(zip(versions, contents, strict=True)):
            tree.write(f"{self._journal.stage}/{number}", data, version.mode)

    def _require_known(self, tree: WorkTree, changes: Iterable[Change]) -> None:
        """Raise Refused where a file is neither as it was nor as it is to be: somebody changed it meanwhile."""
        for one in changes:
            if tree.version(one.path) not in (one.before, one.after):
                raise Refused(
                    f"{shown(one.path)} was changed while it was restored; nothing was changed by the restore: "
                    "end what writes it, and try again"
                )

    def _take_back(self, tree: WorkTree, error: BaseException) -> None:
        """Bring back the files as they were. Raises StoreFailed where that fails too: the journal stays."""
        try:
            back = [
                Change(one.path, one.after, one.before)
                for one in self._journal.changes
                if tree.version(one.path) in (one.before, one.after)
            ]
            self._apply(tree, back)
        except (OSError, BrimError) as second:
            raise StoreFailed(f"the restore stopped halfway: {error}; {CONTINUE} finishes it") from second
        self.end()


def read_journal(store: SnapshotStore) -> RestoreJournal | None:
    """The restore that was begun in a project and not finished; None where there is none. Raises StoreFailed."""
    path = store.folder / JOURNAL
    with translate_os_errors(f"cannot read {path}"):
        try:
            return RestoreJournal.model_validate(json.loads(path.read_bytes()))
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError) as error:
            raise StoreFailed(f"{path} cannot be read; remove it, and look at the files before you go on") from error


def require_no_journal(store: SnapshotStore) -> None:
    """Raise Refused where a restore was begun and not finished."""
    if (journal := read_journal(store)) is not None:
        raise Refused(f"a restore to checkpoint {journal.of} was interrupted; {CONTINUE} finishes it first")
