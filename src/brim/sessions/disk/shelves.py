"""The shelves of a file store: a folder a project, and in it the logs of its sessions.

Part of the file store; specified by features/sessions/registry.feature (SES_02).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from brim.errors import InvalidInput, StoreFailed
from brim.sessions.disk.failures import telling
from brim.sessions.places import folder_of
from brim.sessions.records.ids import safe_id

SUFFIX: Final = ".jsonl"


class Shelves:
    """Where the logs of a store lie: sessions/<project>/<session>.jsonl in its folder."""

    def __init__(self, root: Path, report: Callable[[str], None]) -> None:
        """`report` hears of what cannot be looked into, where that is no reason to stop."""
        self._root, self._report = root, report

    def place(self, project: str, session: str) -> Path:
        """Where the log of a new session goes."""
        return self._root / "sessions" / folder_of(project) / f"{session}{SUFFIX}"

    def logs(self) -> list[Path]:
        """The logs there are. A project that cannot be looked into is reported, and the others are listed."""
        found: list[Path] = []
        for folder in self._projects():
            try:
                with telling(f"the sessions in {folder} are not listed"):
                    found += [Path(one) for one in os.scandir(folder) if one.name.endswith(SUFFIX)]
            except StoreFailed as failure:
                self._report(str(failure))
        return sorted(found)

    def log(self, name: str) -> Path:
        """The log of a session. Raises InvalidInput where there is none, or the name can be none."""
        path, closed = self._looked_up(safe_id(name))
        if path is None:
            beside = f"; {', '.join(closed)} could not be looked into: give yourself permission" if closed else ""
            raise InvalidInput(f"there is no session {name} in {self._root}{beside}")
        return path

    def holds(self, name: str) -> bool:
        """Whether a session of this name is seen in any project."""
        return self._looked_up(name)[0] is not None

    def _looked_up(self, name: str) -> tuple[Path | None, list[str]]:
        """The log of a session, and the projects on the way that could not be looked into."""
        closed: list[str] = []
        for folder in self._projects():
            try:
                os.lstat(path := folder / f"{name}{SUFFIX}")
            except FileNotFoundError:
                continue
            except PermissionError:
                closed.append(str(folder))
                continue
            return path, closed
        return None, closed

    def _projects(self) -> list[Path]:
        """The folders of the projects. Raises StoreFailed where nobody may look."""
        with telling(f"cannot look into {self._root / 'sessions'}"), suppress(FileNotFoundError):
            return [Path(one) for one in os.scandir(self._root / "sessions") if one.is_dir()]
        return []
