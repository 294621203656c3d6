"""The tools of the agent: files, searches, commands and a to-do list. Nothing here concerns brim."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count, islice
from pathlib import Path

MAX_CHARS = 16_000  # of a result; what is longer is clamped
MAX_OUTPUT_BYTES = 500_000_000  # a command that prints more is stopped
MAX_FILES = 200


class Tools:
    """The tools of one project. Outputs that are too long, or binary, are kept as files in the folder `outputs`."""

    def __init__(self, project: Path, outputs: Path, seconds: float = 120) -> None:
        self.project, self.outputs, self.seconds = project, outputs, seconds
        self.numbers, self.running = count(1), set[subprocess.Popen[bytes]]()
        self.all: list[Callable[..., str]] = [
            self.read,
            self.write,
            self.edit,
            self.glob,
            self.grep,
            self.bash,
            self.todowrite,
        ]

    def read(self, file_path: str, offset: int = 1, limit: int = 2_000) -> str:
        """Read lines of a text file, with their numbers.

        Args:
            file_path: The file, from the project's folder on.
            offset: The first line, counted from 1.
            limit: How many lines.
        """
        path = self.project / file_path
        if not path.is_file():
            raise ValueError(f"{file_path} is no file")
        with path.open("rb") as file:
            if b"\0" in file.read(8_192):
                raise ValueError(f"{file_path} is binary, {path.stat().st_size:,} bytes")
        with path.open(encoding="utf-8", errors="replace") as file:
            lines = [
                f"{number}\t{line[:2_000]}"
                for number, line in islice(enumerate(file, 1), offset - 1, offset - 1 + limit)
            ]
        return clamped("".join(lines), "read on with offset") or "(no lines)"

    def write(self, file_path: str, content: str) -> str:
        """Create a file, or replace it.

        Args:
            file_path: The file, from the project's folder on.
            content: Its whole text.
        """
        path = self.project / file_path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return f"{file_path} is written, {len(content):,} characters"

    def edit(self, file_path: str, old_string: str, new_string: str) -> str:
        """Replace a text that is in a file exactly once.

        Args:
            file_path: The file, from the project's folder on.
            old_string: The text, with its line breaks and indentation.
            new_string: What replaces it.
        """
        path = self.project / file_path
        text = path.read_text(encoding="utf-8")
        if not old_string or text.count(old_string) != 1:
            raise ValueError(
                f"the text is in {file_path} {text.count(old_string) if old_string else 0} times, not once"
            )
        path.write_text(text.replace(old_string, new_string), encoding="utf-8")
        return f"{file_path} is edited"

    def glob(self, pattern: str, path: str = ".") -> str:
        """List the files that a pattern matches, such as **/*.py.

        Args:
            pattern: The pattern, from the folder on.
            path: The folder to look in.
        """
        found = (one for one in (self.project / path).glob(pattern) if one.is_file() and ".git" not in one.parts)
        names = sorted(os.path.relpath(one, self.project) for one in islice(found, MAX_FILES))
        return "\n".join(names) + "\n(and perhaps more)" * (len(names) == MAX_FILES) if names else "no file matches"

    def grep(self, pattern: str, path: str = ".") -> str:
        """List the lines that an extended regular expression matches, as file:line:text.

        Args:
            pattern: The expression.
            path: The file or folder to search.
        """
        status, text = self._run(["grep", "-rnIE", "--exclude-dir=.git", "-e", pattern, "--", path], self.seconds)
        if status > 1:
            raise ValueError(text)
        return text or "no line matches"

    def bash(self, command: str, timeout: float | None = None) -> str:
        """Run a command in the project's folder. All that it started ends with it.

        Args:
            command: The command, for bash.
            timeout: Seconds after which it is stopped.
        """
        status, text = self._run(["bash", "-c", command], min(timeout or self.seconds, self.seconds))
        if status:
            raise ValueError(f"{text}\n(exit status {status})".lstrip())
        return text or "(no output)"

    def todowrite(self, todos: list[dict[str, str]]) -> str:
        """Replace the list of to-dos.

        Args:
            todos: Each with its content and its status: pending, in_progress or completed.
        """
        return "\n".join(f"[{'x' if one.get('status') == 'completed' else ' '}] {one.get('content')}" for one in todos)

    def stop(self) -> None:
        """Stop the commands that run, such as those of sub-agents that the user stopped."""
        for process in [*self.running]:
            kill(process)

    def _run(self, command: list[str], seconds: float) -> tuple[int, str]:
        """The exit status of a command and what it printed, as far as it is a text of moderate length."""
        self.outputs.mkdir(parents=True, exist_ok=True)
        file = self.outputs / f"output-{os.getpid()}-{next(self.numbers)}.txt"
        with file.open("wb") as out:
            both = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": subprocess.STDOUT}
            process = subprocess.Popen(  # noqa: S603 -- what the user allowed
                command, cwd=self.project, start_new_session=True, **both
            )
            stopped, end = "", time.monotonic() + seconds
            self.running.add(process)
            try:
                while process.poll() is None and not stopped:
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(0.05)
                    if time.monotonic() > end:
                        stopped = f"\n(it was stopped: it took longer than {seconds:g} seconds)"
                    elif file.stat().st_size > MAX_OUTPUT_BYTES:
                        stopped = f"\n(it was stopped: it printed more than {MAX_OUTPUT_BYTES:,} bytes)"
            finally:
                kill(process)
                status = process.wait()
                self.running.discard(process)
        return status, self._shown(file) + stopped

    def _shown(self, file: Path) -> str:
        size = file.stat().st_size
        with file.open("rb") as data:
            head = data.read(MAX_CHARS)
            data.seek(max(size - MAX_CHARS // 2, 0))
            tail = data.read()
        if b"\0" in head:
            return f"(binary output, {size:,} bytes; they are in {file})"
        if size <= MAX_CHARS:
            file.unlink()
            return head.decode(errors="replace").rstrip("\n")
        both = (part.decode(errors="replace") for part in (head[: MAX_CHARS // 2], tail))
        return f"\n(… {size:,} bytes in all; they are in {file} …)\n".join(both)


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a command and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def clamped(text: str, cure: str) -> str:
    """At most so many characters of a text, and what to do for the rest."""
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]}\n(… cut off; {cure})"
