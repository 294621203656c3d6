"""`brim replay` over many transcripts with two processes, beside brim's own reader on the same files."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from brim.cli.reading import read_file
from tests.benchmarks.tables import print_table

COUNTS = (50, 100, 200)
"""Transcripts; the ratio is that of the most."""
PROCESSES = 2
ROUNDS = 3
"""Runs of each, in turn; the one that takes the processors the least time counts."""
RESPONSES = 165
RESULT = 4_000
"""Characters of a tool's result; Claude Code writes each twice."""
SYSTEM = 20_000
"""Tokens of the system prompt and the tools."""
AFTER, DUE = 45_000, 155_000
"""Tokens after a compaction, and from which on the session has one."""
GROWTH = 1_450
"""Tokens by which each response and its result fill the window."""
WORDS = ("ferry", "timetable", "error: none", "line 12", "return value", "half an hour\n")
AIM = "at most 2.5 × the reader on the clock, on two idle cores; the memory of 200 transcripts is that of 50"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRow:
    """Seconds and bytes for so many transcripts: `reader` is a process that reads each and does nothing else."""

    transcripts: int
    size: int
    """Bytes of all."""
    reader: float
    """Seconds of the processors."""
    reader_wall: float
    """Seconds on the clock."""
    reader_memory: int
    """Bytes at most."""
    replay: float
    """Seconds of the processors, of all processes together."""
    replay_wall: float
    replay_memory: int
    """Bytes of the largest process at most."""


def session(number: int) -> Iterator[dict[str, Any]]:
    """The records of a session of 2 MB in the shape of Claude Code: thinking, a call, its result, compactions."""
    dice = random.Random(number)  # noqa: S311 - the same sessions in every run
    read, before = SYSTEM, 0
    yield _user("Mend the ferry's timetable. Never change the public names, and run the tests after each change.")
    for index in range(RESPONSES):
        if read >= DUE:
            about = {"trigger": "auto", "preTokens": read}
            yield {"type": "system", "subtype": "compact_boundary", "compactMetadata": about}
            yield _user("The timetable is half mended. " * 400) | {"isCompactSummary": True}
            read, before = AFTER, SYSTEM
        path = f"/home/dev/ferry/src/part{dice.randrange(40)}.py"
        used = {"Read": {"file_path": path}, "Bash": {"command": f"pytest tests/test_part{dice.randrange(40)}.py"}}
        used["Edit"] = {"file_path": path, "old_string": "x = 1\n" * 40, "new_string": "x = 2\n" * 40}
        name = dice.choice([*used])
        told: list[Any] = [
            {"type": "thinking", "thinking": _text(dice, 900), "signature": _text(dice, 600)},
            {"type": "text", "text": _text(dice, 200)},
            {"type": "tool_use", "id": f"c{index}", "name": name, "input": used[name]},
        ]
        usage = {"input_tokens": 5, "cache_read_input_tokens": before, "output_tokens": 400}
        usage["cache_creation_input_tokens"] = read - before - 5
        about = {"id": f"m{index}", "role": "assistant", "model": "claude-opus-4-5", "stop_reason": "tool_use"}
        for part in told:
            yield {"type": "assistant", "message": {**about, "content": [part], "usage": usage}}
        output = _text(dice, RESULT)
        result = {"type": "tool_result", "tool_use_id": f"c{index}", "content": output}
        yield _user([result]) | {"toolUseResult": {"stdout": output}}
        if index % 25 == 24:
            yield _user(f"Now part {index}: {_text(dice, 300)}")
        read, before = read + GROWTH, read


def _user(content: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}}


def _text(dice: random.Random, size: int) -> str:
    return " ".join(dice.choices(WORDS, k=size // 9))[:size]


def write(folder: Path, number: int) -> Path:
    """Write a session into a folder; its file."""
    file = folder / f"session-{number:03}.jsonl"
    about = {"sessionId": f"s{number}", "cwd": "/home/dev/ferry", "version": "2.1.17"}
    with file.open("w", encoding="utf-8") as out:
        for index, record in enumerate(session(number)):
            at = f"2026-02-01T{index // 240:02}:{index // 4 % 60:02}:{index % 4 * 15:02}.000Z"
            linked = {"uuid": f"u{index}", "parentUuid": f"u{index - 1}" if index else None, "timestamp": at}
            out.write(json.dumps({**about, **linked, "isSidechain": False, **record}) + "\n")
    return file


LAUNCH: Final = """
import json, os, subprocess, sys, time
begun = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(json.dumps([used.ru_utime + used.ru_stime, time.perf_counter() - begun, used.ru_maxrss * 1024, status]))
"""
"""Starts a command from a small process: the peak of a process counts what its parent held when it was started."""


def measured(command: Sequence[str]) -> tuple[float, float, int]:
    """Seconds of the processors, seconds on the clock and bytes of the largest process of a command and its own."""
    told = subprocess.run([sys.executable, "-c", LAUNCH, *command], capture_output=True, check=True).stdout
    used, clock, memory, status = json.loads(told)
    if status:
        raise RuntimeError(f"{command[:4]} ended with the status {status}")
    return used, clock, memory


def measure_replay(counts: Sequence[int] = COUNTS) -> list[ReplayRow]:
    """Every measurement for so many transcripts each."""
    with tempfile.TemporaryDirectory() as folder:
        files = [write(Path(folder), number) for number in range(max(counts))]
        return [_row(files[:count]) for count in counts]


def _row(files: Sequence[Path]) -> ReplayRow:
    names = [*map(str, files)]
    reader = [sys.executable, "-m", "tests.benchmarks.replay", *names]
    options = ["--profiles", "usable", "--json", "--jobs", f"{PROCESSES}"]
    replay = [sys.executable, "-m", "brim", "replay", *options, *names]
    both = [(measured(reader), measured(replay)) for _ in range(ROUNDS)]
    read, replayed = (min(runs) for runs in zip(*both, strict=True))
    return ReplayRow(
        transcripts=len(files),
        size=sum(file.stat().st_size for file in files),
        reader=read[0],
        reader_wall=read[1],
        reader_memory=read[2],
        replay=replayed[0],
        replay_wall=replayed[1],
        replay_memory=replayed[2],
    )


COLUMNS = {
    "transcripts": lambda row: f"{row.transcripts:,}",
    "MB": lambda row: f"{row.size / 1e6:,.0f}",
    "reader s": lambda row: f"{row.reader:.1f}",
    "replay s": lambda row: f"{row.replay:.1f}",
    "× reader": lambda row: f"{row.replay / row.reader:.2f}",
    "on the clock s": lambda row: f"{row.reader_wall:.1f}, {row.replay_wall:.1f}",
    "× reader ": lambda row: f"{row.replay_wall / row.reader_wall:.2f}",
    "largest process MB": lambda row: f"{row.reader_memory / 1e6:.0f}, {row.replay_memory / 1e6:.0f}",
}


def show_replay(rows: Sequence[ReplayRow], console: Console) -> None:
    """The table, and the aim."""
    print_table(
        "`brim replay` under one profile with two processes, the reader with one; files of 2 MB",
        COLUMNS,
        rows,
        console,
    )
    console.print(f"replay: {AIM}")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        read_file(Path(name))
