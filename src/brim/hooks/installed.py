"""What an agent's settings file was before brim's entries, as far as the file with them does not tell it.

Part of the settings files (HOK_04); lies in brim's own folder, and holds no value of the settings.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

from brim.hooks.settings_file import Empty, empty_in, has_entries
from brim.sessions.files import make_folder, translate_os_errors, write_whole
from brim.sessions.paths import default_root, folder_of


class Before(NamedTuple):
    """A settings file before brim's entries."""

    made: bool
    """Whether there was none."""
    empty: Empty
    """What held nothing."""


def recall(file: Path, text: str) -> Before:
    """What a file was before brim's entries; of one that has none, what it is. `text` is what it holds now."""
    if not has_entries(text):
        return Before(not os.path.lexists(file), empty_in(text))
    try:
        told = json.loads(_note(file).read_bytes())
        return Before(bool(told["made"]), {tuple(path): str(inside) for path, inside in told["empty"]})
    except (OSError, ValueError, TypeError, KeyError):
        return Before(False, {})  # noqa: FBT003  written by another user or version


def remember(file: Path, before: Before) -> None:
    """Note what a file was, where removing the entries would not tell (HOK_04). Raises StoreFailed."""
    if not (before.made or before.empty):
        forget(file)
        return
    told = {"made": before.made, "empty": [[path, inside] for path, inside in before.empty.items()]}
    note = _note(file)
    with translate_os_errors(f"cannot write {note}"):
        make_folder(note.parent)
        write_whole(note, json.dumps(told).encode())


def forget(file: Path) -> None:
    """Remove the note of a file. Raises StoreFailed."""
    with translate_os_errors(f"cannot remove {_note(file)}"):
        _note(file).unlink(missing_ok=True)


def _note(file: Path) -> Path:
    return default_root() / "hooks" / f"{folder_of(os.path.realpath(file))}.json"
