"""The examples of the page about the command, run by the command itself, and what it printed.

A process of its own runs them, one after the other, in an empty folder: this module, run as a program, prints a JSON
list. Its clock stands still but for a few minutes from one command to the next, and its chance is none, so that
ids and times are the same in every build.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

RECORDING: Final = "recorded-session.jsonl"
"""The transcript that comes with brim; it lies in the folder that the examples run in."""
HOME: Final = "sessions-of-an-agent"
"""The folder of the sessions, beside it."""
LIMITS: Final = "--window 32000 --max-output 4096"
QUESTION: Final = '{"id": 1, "operation": "usable_context", "input": {"context_window": 200000}}'
COMPACTED: Final = "claude-code.jsonl"
"""A session of Claude Code that was compacted; it lies in that folder too."""
START: Final = f'{{"source": "compact", "transcript_path": "{COMPACTED}"}}'
PROMPT: Final = f'{{"prompt": "Go on.", "transcript_path": "{COMPACTED}"}}'
BEGIN: Final = 1_767_603_600_000
"""The first of the times: 2026-01-05 09:00 UTC, in milliseconds."""
STEP: Final = 240_000
"""Milliseconds from one command to the next."""
COLUMNS: Final = 80


@dataclass(frozen=True, slots=True)
class Example:
    """A command line without its first word, and what is written to it; words in braces are ids that are known then."""

    command: str
    words: str
    given: str = ""

    @property
    def arguments(self) -> list[str]:
        """What the command is called with."""
        return [word.replace("\0", " ") for word in _quoted(f"{self.command} {self.words}").split()]


EXAMPLES: Final = (
    Example("inspect", f"{RECORDING} {LIMITS}"),
    Example("compact", f"{RECORDING} {LIMITS} -o compacted.json"),
    Example("replay", f"{RECORDING} {LIMITS} --profiles usable,windowing,masking"),
    Example("settings", ""),
    Example("profiles", "--window 200000 --max-output 32000"),
    Example("portable", "", QUESTION),
    Example("agents list", ""),
    Example("agents show", "general"),
    Example("agents check", '"Bash(git log --oneline)" --agent explore'),
    Example("hook session-start", "", START),
    Example("hook user-prompt-submit", "", PROMPT),
    Example("hook install", "--project"),
    Example("hook uninstall", "--project"),
    Example("memory migrate", f"{RECORDING} --as parcel"),
    Example("memory show", ""),
    Example("memory check", ""),
    Example("sessions list", ""),
    Example("sessions compact", "{session} --window 2000 --max-output 200"),
    Example("sessions show", "{session}"),
    Example("sessions resume", "{session} -o next.json"),
    Example("sessions search", '"mind the tide" pier --limit 2'),
    Example("sessions expand", "{session}"),
    Example("sessions undo", "{session}"),
    Example("sessions redo", "{session}"),
    Example("sessions rewind", "{session} 3"),
    Example("sessions fork", '{session} --title "Another way"'),
    Example("sessions rename", '{session} "Build the piers of the harbour"'),
    Example("sessions import", f"{RECORDING} --project /home/dev/parcel"),
    Example("sessions import-context", "{session} --from {other}"),
    Example("sessions export", "{session} -o messages.json"),
    Example("checkpoints create", '"before the pier" --tag green'),
    Example("checkpoints list", ""),
    Example("checkpoints show", '"before the pier"'),
    Example("checkpoints diff", '"before the pier"'),
    Example("checkpoints restore", '"before the pier" --what files'),
    Example("checkpoints undo", ""),
    Example("checkpoints gc", ""),
    Example("checkpoints browse", ""),
    Example("inspect", "nowhere.jsonl"),
    Example("compact", f"{RECORDING} --window many"),
)
"""One for each command, and at the end one that is refused and one that is called wrongly."""


@dataclass(frozen=True, slots=True)
class Ran:
    """An example as it was called, and what came of it."""

    command: str
    line: str
    code: int
    out: str
    error: str


def run_all(root: Path) -> list[Ran]:
    """Run every example in a process of its own, whatever the environment is."""
    environment = {
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join([str(root / "src"), *sys.path]),
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "COLUMNS": str(COLUMNS),
        "NO_COLOR": "1",
        "TERM": "dumb",
        "TZ": "UTC",
        "BRIM_HOME": HOME,
        "CLAUDE_CONFIG_DIR": HOME,
        "XDG_CONFIG_HOME": HOME,
    }
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(root / "docs" / "examples" / RECORDING, folder)
        environment["HOME"] = str(Path(folder) / "home")  # nothing of the user's is read
        told = subprocess.run(  # noqa: S603 - this very file
            [sys.executable, __file__], cwd=folder, env=environment, capture_output=True, check=True
        ).stdout
    return [Ran(**one) for one in json.loads(told)]


def main() -> None:
    """Run the examples here, and print what came of each."""
    clock = _stand_still()
    known = {"{session}": _session_of_an_agent("Build the piers", 8)}
    next(clock)
    known["{other}"] = _session_of_an_agent("Survey the ground", 2)
    _session_of_claude_code()
    ran = []
    for example in EXAMPLES:
        next(clock)
        if example.command == "checkpoints diff":
            Path("piers.md").write_text("Two of the three piers stand.\n", encoding="utf-8")
        ran.append(_run(example, known))
    sys.stdout.write(json.dumps([asdict(one) for one in ran]))


def _run(example: Example, known: Mapping[str, str]) -> Ran:
    from brim.cli import main as brim  # noqa: PLC0415 - the clock has to stand still first

    arguments = [known.get(word, word) for word in example.arguments]
    with _streams(example.given) as (out, error):
        code = brim(arguments)
    line = f"brim {example.command} {example.words}".strip()
    for name, session in known.items():
        line = line.replace(name, session)
    shown = f"echo '{example.given}' | {line}" if example.given else line
    return Ran(example.command, shown, code, out.getvalue().decode(), error.getvalue().decode())


@contextmanager
def _streams(given: str) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Standard input, output and error of a command, as a shell would give them."""
    out, error = io.BytesIO(), io.BytesIO()
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(f"{given}\n".encode() if given else b""), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(error, encoding="utf-8", write_through=True)
    try:
        yield out, error
    finally:
        sys.stdout.detach()
        sys.stderr.detach()
        sys.stdin, sys.stdout, sys.stderr = before


def _stand_still() -> Iterator[int]:
    """Let the clock stand still, and chance give the same every time; gives what moves the clock on."""
    now, drawn = [BEGIN], count()
    time.time_ns = lambda: now[0] * 1_000_000
    os.urandom = lambda size: hashlib.sha512(b"%d" % next(drawn)).digest()[:size]

    def moves() -> Iterator[int]:
        while True:
            now[0] += STEP
            yield now[0]

    return moves()


def _session_of_an_agent(title: str, piers: int) -> str:
    """A session that an agent wrote; the beginning of its id."""
    from brim.sessions import open_store  # noqa: PLC0415 - the clock has to stand still first

    with open_store().create(project="/home/dev/harbour", title=title) as session:
        for pier in range(piers):
            session.append({"role": "user", "content": f"Build pier {pier}. " + "Mind the tide. " * 60})
            session.append({"role": "assistant", "content": f"Pier {pier} stands."})
        return session.id[:10]


def _session_of_claude_code() -> None:
    """A session in which Claude Code's summary left out what the user wrote."""
    summary = {"role": "user", "content": "Pier 1 stands."}
    records: list[dict[str, Any]] = [
        {"type": "user", "message": {"role": "user", "content": "Build pier 1. Never build at high tide."}},
        {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}},
        {"type": "user", "isCompactSummary": True, "message": summary},
    ]
    about = {"sessionId": "s", "version": "2.1.217"}
    lines = [json.dumps({"uuid": str(number), **about, **record}) for number, record in enumerate(records)]
    Path(COMPACTED).write_text("\n".join(lines), encoding="utf-8")


def _quoted(words: str) -> str:
    """The words with the spaces between quotation marks kept for later."""
    pieces = words.split('"')
    return "".join(piece.replace(" ", "\0") if n % 2 else piece for n, piece in enumerate(pieces))


if __name__ == "__main__":
    main()
