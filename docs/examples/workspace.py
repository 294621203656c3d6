"""The tools of the recorded session: they read, write and run for real, in a project of their own.

What comes back is what happened, but for two things that no two runs share: the folder is shown as
`HOME`, and the time that a test run took is shown as `ELAPSED`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HOME = "/home/dev/parcel"
ELAPSED = "in 0.004s"
STARTED = 1_772_456_400  # the first commit's time: 2 March 2026, 13:00 UTC
AROUND = 4  # lines shown on either side of an edit


class ToolError(Exception):
    """The tool did not do what it was asked to; the text is what the model is told."""


@dataclass
class Workspace:
    """A project on disk, and the six tools that work on it."""

    root: Path
    commands: Path
    todos: list[dict[str, str]] = field(default_factory=list)
    ran: int = 0

    def read(self, call: dict[str, object]) -> str:
        """The lines of a file with their numbers; all of them, or `limit` lines from line `offset`."""
        lines = self.path(call).read_text(encoding="utf-8").splitlines()
        start = int(str(call.get("offset", 1)))
        stop = start + int(str(call.get("limit", len(lines))))
        return numbered(lines, start, min(stop, len(lines) + 1))

    def write(self, call: dict[str, object]) -> str:
        """Create a file, or replace it."""
        path = self.path(call)
        act = "updated" if path.exists() else "created"
        path.write_text(str(call["content"]), encoding="utf-8")
        return f"File {act} successfully at: {call['file_path']}"

    def edit(self, call: dict[str, object]) -> str:
        """Replace a text that stands exactly once in a file."""
        path, old, new = self.path(call), str(call["old_string"]), str(call["new_string"])
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise ToolError(
                f"The text to replace was found {text.count(old)} times in the file; it has to stand there once."
            )
        path.write_text(text.replace(old, new), encoding="utf-8")
        first = text[: text.index(old)].count("\n") + 1
        lines = text.replace(old, new).splitlines()
        shown = numbered(lines, max(1, first - AROUND), min(first + new.count("\n") + AROUND, len(lines)) + 1)
        return f"The file {call['file_path']} has been updated. The lines around the edit now read:\n{shown}"

    def bash(self, call: dict[str, object]) -> str:
        """Run a command in the project's folder; what it prints on both channels, in order."""
        self.ran += 1
        done = subprocess.run(  # noqa: S603 - the script is ours
            ["/bin/sh", "-c", str(call["command"])],
            cwd=self.root,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=60,
        )
        printed = self.shown(done.stdout.decode("utf-8")).rstrip("\n")
        if done.returncode:
            raise ToolError(f"Exit code {done.returncode}\n{printed}")
        return printed or "(no output)"

    def grep(self, call: dict[str, object]) -> str:
        """Every line below `path` that holds the pattern, as file:number:line."""
        pattern = re.compile(str(call["pattern"]))
        top = self.root / str(call.get("path", HOME)).removeprefix(HOME).lstrip("/")
        found = [
            f"{HOME}/{file.relative_to(self.root).as_posix()}:{number}:{line}"
            for file in files(top)
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
            if pattern.search(line)
        ]
        return "\n".join(found) or "No matches found"

    def todo_write(self, call: dict[str, object]) -> str:
        """Replace the to-do list."""
        todos = call["todos"]
        self.todos = list(todos) if isinstance(todos, list) else []
        still = sum(todo["status"] != "completed" for todo in self.todos)
        return f"The to-do list has been updated: {len(self.todos) - still} done, {still} to do."

    def path(self, call: dict[str, object]) -> Path:
        """The file on disk that a call names."""
        return self.root / str(call["file_path"]).removeprefix(HOME).lstrip("/")

    def shown(self, text: str) -> str:
        """A command's output with the folder and the time in their neutral form."""
        for real in (str(self.root.resolve()), str(self.root)):
            text = text.replace(real, HOME)
        return re.sub(r"\bin \d+\.\d{3}s", ELAPSED, text)

    def environment(self) -> dict[str, str]:
        """The same for every run: no settings of the user's, English, and a clock that we set."""
        moment = f"{STARTED + 180 * self.ran} +0000"
        who = {"NAME": "Dev", "EMAIL": "dev@parcel.example", "DATE": moment}
        return {
            "PATH": f"{self.commands}{os.pathsep}{os.defpath}{os.pathsep}{os.environ.get('PATH', '')}",
            "HOME": str(self.commands),
            "LC_ALL": "C.UTF-8",
            "COLUMNS": "80",
            "NO_COLOR": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONNODEBUGRANGES": "1",
            "PYTHONUNBUFFERED": "1",
            "PYTHONUTF8": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_DEFAULT_HASH": "sha1",
            "GIT_PAGER": "cat",
            **{f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()},
        }


def python_command(folder: Path) -> None:
    """Put a `python` into the folder that runs the Python we run on."""
    command = folder / "python"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    command.chmod(0o755)


def numbered(lines: list[str], start: int, stop: int) -> str:
    """The lines from `start` to just before `stop`, each with its number."""
    return "\n".join(f"{number:>6}\t{lines[number - 1]}" for number in range(start, stop))


def files(top: Path) -> Iterator[Path]:
    """The files below a folder by name, git's own left out; or the file itself."""
    if top.is_file():
        yield top
        return
    yield from (path for path in sorted(top.rglob("*")) if path.is_file() and ".git" not in path.parts)
