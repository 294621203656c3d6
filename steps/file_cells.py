r"""Files as the cells of a table write them.

A cell is a text, in which \n, \t, \xe9 and \ufeff are characters or bytes and {300 x} is so many of them; or a folder,
a pipe, a link to home/notes.md, a repository, 9,000 bytes. Its permissions may stand behind it, as in
`x (0600)`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from random import Random

from steps.vocabulary import tokens

ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|([nrt\\]))|\{([\d,]+) (.)\}", re.DOTALL)
GIT = ("git", "-c", "user.name=me", "-c", "user.email=me@example.com", "-c", "init.defaultBranch=main")


def git(folder: Path, *arguments: str) -> str:
    """Run git as the user would."""
    folder.mkdir(parents=True, exist_ok=True)
    return subprocess.run([*GIT, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout  # noqa: S603


def contents(folder: Path) -> dict[Path, bytes]:
    """Every file below a folder, and what it holds."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def content(cell: str) -> bytes:
    """Return the bytes of a text in a cell."""

    def read(found: re.Match[str]) -> str:
        byte, character, letter, count, repeated = found.groups()
        if count:
            return repeated * tokens(count)
        return chr(int(character, 16)) if character else os.fsdecode(bytes.fromhex(byte)) if byte else ENDS[letter]

    return os.fsencode(ESCAPE.sub(read, cell))


ENDS = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}


def put(path: Path, cell: str, root: Path) -> None:
    """Make of a path what a cell says, in place of what is there; `root` is what a link's target is read from."""
    cell, _, mode = cell.removesuffix(")").partition(" (0") if re.search(r" \(0\d{3}\)\Z", cell) else (cell, "", "")
    stays = path.is_dir() if cell in {"a folder", "a repository"} else path.is_file()
    if path.is_symlink() or not stays or cell == "gone" or cell.startswith("a link to "):
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    if cell == "gone":
        return
    for one in [one for one in path.parents if one.is_file()]:
        one.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    if cell == "a folder":
        path.mkdir(exist_ok=True)
    elif cell == "a repository":
        git(path, "init")
        (path / "inside").write_bytes(b"in the repository\n")
        git(path, "add", "-A")
        git(path, "commit", "-m", "first")
    elif cell == "a pipe":
        os.mkfifo(path)
    elif cell.startswith("a link to "):
        path.symlink_to(root / cell.removeprefix("a link to "))
    elif found := re.fullmatch(r"([\d,]+) (random )?bytes", cell):
        count = tokens(found[1])
        path.write_bytes(Random(1).randbytes(count) if found[2] else bytes(count))  # noqa: S311  a file for a test
    else:
        path.write_bytes(content(cell))
    if mode:
        path.chmod(int(mode, 8))
