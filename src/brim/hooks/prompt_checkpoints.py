"""Prompt checkpoints: the files of a project as they are before each prompt of Claude Code.

Specified by features/hooks/prompt_checkpoints.feature (HOK_05).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import process_time
from typing import Final

from brim.checkpoints.checkpoints import OFF, Checkpoints
from brim.checkpoints.snapshots import SnapshotStore
from brim.errors import InvalidInput, Refused
from brim.hooks.events import HookInput, newest_bytes, time_limit
from brim.sessions.files import translate_os_errors
from brim.sessions.ids import safe_id
from brim.sessions.session import Session
from brim.sessions.store import SessionStore, open_store
from brim.settings import load_settings, project_of

SECONDS: Final = 1.0
"""Seconds that the agent waits for a checkpoint at most; what Python took of the processor before counts."""
LEAST_SECONDS: Final = 0.3
"""Seconds that a checkpoint has on a slow machine, too, so that a few prompts complete a first snapshot."""
STOPPED: Final = (
    "no checkpoint is made before this prompt; the files recorded so far are kept, and the next prompt goes on with "
    "them: brim hook install --checkpoints in the project's folder records all"
)
PREFIX: Final = "claude-code-"
"""How the id of the session begins that has the checkpoints of a session of Claude Code."""
TITLE: Final = "Checkpoints of Claude Code"

_removing: Final[list[subprocess.Popen[bytes]]] = []
"""Processes that go on after the hook; Python warns of one that nothing refers to."""


def checkpoint_before(given: HookInput) -> None:
    """Make the checkpoint before a prompt. Raises OutOfTime after SECONDS, or another BrimError."""
    if not given.session:
        raise InvalidInput("the agent names no session_id, so that no checkpoint is made")
    if given.folder is None:
        raise InvalidInput("the agent names no cwd, so that no checkpoint is made")
    folder = project_folder(given.folder, os.environ.get("CLAUDE_PROJECT_DIR", ""))
    seconds = max(SECONDS - process_time(), LEAST_SECONDS)
    with time_limit(seconds, seconds, STOPPED):
        position = last_record(given.transcript) or given.session
        with closing(open_store()) as store, _session_of(store, given.session, folder) as session:
            checkpoints = _checkpoints(session)
            if checkpoints.lack:
                raise Refused(f"no checkpoint is made: {checkpoints.lack}")
            prompt = given.prompt.encode("utf-8", "replace").decode()
            checkpoints.before_prompt(prompt, position=position, remove=False)
            overdue = checkpoints.is_overdue
    if overdue:
        remove_later(session.id)


def remove_later(session: str) -> None:
    """Remove the old checkpoints of a session in a process of its own, which the agent does not wait for (CHK_08)."""
    asked = [sys.executable, "-m", "brim", "checkpoints", "gc", "--session", session]
    nowhere = subprocess.DEVNULL
    with translate_os_errors("cannot remove old checkpoints"):
        _removing.append(
            subprocess.Popen(asked, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)  # noqa: S603
        )


def project_folder(folder: Path, started: str) -> Path:
    """The project of an agent that works in a folder and was started in another, as CLAUDE_PROJECT_DIR names it.

    That is the folder it was started in, where it works in one below; a repository in between is a project of its own,
    such as a work tree of the agent, whose variable names the repository that the work tree was made from.
    """
    above = [folder, *folder.parents]
    top = Path(started)
    if not started or top not in above or not folder.is_dir():
        return folder
    return next((one for one in above[: above.index(top)] if (one / ".git").exists()), top)


def last_record(transcript: Path | None) -> str:
    """The uuid of the last record that has one; empty before the first. Raises InvalidInput for no ordinary file."""
    if transcript is None or not transcript.exists() or (transcript.is_file() and not transcript.stat().st_size):
        return ""
    for line in reversed(newest_bytes(transcript).splitlines()):
        try:
            record = json.loads(line) if b'"uuid"' in line else None
        except (ValueError, RecursionError):  # a line that is being written, or the first of those that were read
            continue
        found = record.get("uuid") if isinstance(record, dict) else None
        if isinstance(found, str) and found:
            return found
    return ""


def record_files(project: Path, on_files: Callable[[int], None]) -> None:
    """Record the files of a project, so that the first checkpoint is quick; `on_files` receives their number so far.

    Raises a BrimError.
    """
    store = SnapshotStore(project)
    with store.held():
        store.take(on_files)


def lack_of(project: Path) -> str:
    """Why no checkpoint can be made of a project's files; empty where one can."""
    if not load_settings(project_of(project), environ=os.environ).checkpoints.snapshots:
        return OFF
    return SnapshotStore(project).git.lack


@contextmanager
def _session_of(store: SessionStore, name: str, project: Path) -> Iterator[Session]:
    """The session that has the checkpoints of a session of Claude Code; it is made where it is not there."""
    own = safe_id(PREFIX + name)
    try:
        session = store.open(own)
    except InvalidInput:
        if not project.is_dir():
            raise InvalidInput(f"cwd is {project}, which is no folder, so that no checkpoint is made") from None
        session = store.create(project=os.path.realpath(project), title=TITLE, name=own)
    with session:
        yield session


def _checkpoints(session: Session) -> Checkpoints:
    project = Path(session.info.project)
    settings = load_settings(project_of(project), environ=os.environ)
    return Checkpoints(project, session, settings=settings.checkpoints)
