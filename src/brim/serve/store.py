"""Store: compactions that outlive the proxy, so that no summary is written and paid twice.

Specified by features/serve/store.feature (SRV_04). What is kept is what brim wrote: the summary, with the user's words
that it carries, and what the next compaction has to know. Of the caller's messages there is their number and a digest.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from brim.conversation.formats import Format
from brim.engine.conversation import KeptPart
from brim.engine.middleware import REMEMBERED, PartKey
from brim.errors import BrimError, described
from brim.sessions.files import make_folder, regular_size, write_whole

KEY_BYTES: Final = 32
MAX_AGE: Final = 30 * 24 * 3_600
"""Seconds after which a compaction is forgotten."""
MAX_SIZE: Final = 16 * 2**20
"""Bytes of a file at most; brim writes none that is near it."""


class StoredCompaction(BaseModel):
    """A compaction in a file."""

    model_config = ConfigDict(extra="forbid")

    version: int = 1
    format: Format
    count: int
    digest: str
    part: KeptPart


class CompactionStore:
    """A folder of files, each a compaction, named by its owner: only the user can read them.

    Args:
        folder: where they are; None to keep nothing.
        tell: is told, in a line, what cannot be kept or read; the proxy goes on without.
        clock: gives the time, in seconds since 1970.
    """

    def __init__(
        self, folder: Path | None, tell: Callable[[str], object], clock: Callable[[], float] = time.time
    ) -> None:
        self._folder, self._tell, self._clock = folder, tell, clock
        self.key = secrets.token_bytes(KEY_BYTES)
        """The key of this installation, by which owners are told apart; of this process, where none can be kept."""
        if folder is None:
            return
        try:
            make_folder(folder)
            self.key = self._read_key(folder / "key")
            self._forget()
        except (BrimError, OSError) as error:
            self._fail("nothing is kept for the next start", error)

    def _read_key(self, path: Path) -> bytes:
        if not path.exists():
            write_whole(path, self.key)
        return path.read_bytes() or self.key

    def save(self, owner: str, kind: Format, key: PartKey, part: KeptPart) -> None:
        """Keep a compaction."""
        if self._folder is None:
            return
        count, digest = key
        stored = StoredCompaction(format=kind, count=count, digest=digest.hex(), part=part)
        try:
            write_whole(self._folder / f"{owner}-{kind}-{digest.hex()}.json", stored.model_dump_json().encode())
        except (BrimError, OSError, ValueError) as error:
            self._fail("a compaction is not kept for the next start", error)

    def load(self, owner: str, kind: Format) -> Iterator[tuple[PartKey, KeptPart]]:
        """Yield the compactions of an owner, the oldest first; one that cannot be read is left out."""
        for path in self._files(f"{owner}-{kind}-*.json"):
            try:
                if regular_size(path) <= MAX_SIZE:
                    stored = StoredCompaction.model_validate_json(path.read_bytes())
                    yield (stored.count, bytes.fromhex(stored.digest)), stored.part
            except (BrimError, OSError, ValidationError, ValueError) as error:
                self._fail(f"the compaction in {path} cannot be read", error)

    def _forget(self) -> None:
        """Remove what is older than its limit, and the oldest beyond the most."""
        paths = self._files("*.json")
        for path in [one for one in paths if self._clock() - one.stat().st_mtime > MAX_AGE] + paths[:-REMEMBERED]:
            path.unlink(missing_ok=True)

    def _files(self, pattern: str) -> list[Path]:
        found = self._folder.glob(pattern) if self._folder else ()
        return sorted((one for one in found if one.is_file()), key=lambda one: one.stat().st_mtime)

    def _fail(self, what: str, error: Exception) -> None:
        self._tell(f"{what}: {described(error)[:300]}")
