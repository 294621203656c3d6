"""Claude Code, Codex, OpenCode and pi work by `brim run` in a window that is too small for them."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from tests.serve.programs import COMMANDS, END, NOTES, WORDS, Reader, environment, provided
from tests.serve.test_server import BRIM

MARKS = {
    "claude": pytest.mark.claude_code,
    "codex": pytest.mark.codex,
    "opencode": pytest.mark.opencode,
    "pi": pytest.mark.pi,
}
TURNS, WINDOW = 60, 60_000


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("program", "provider"), [pytest.param(*one, marks=MARKS[one[0]], id=" by ".join(one)) for one in COMMANDS]
)
def test_a_program_works_for_60_turns(program: str, provider: str, tmp_path: Path) -> None:
    """There are three compactions; nothing is refused, no error is shown, and each request has the user's words."""
    (notes := tmp_path / "notes").write_text(NOTES)
    reader = Reader(notes, TURNS)
    with provided(provider, reader, WINDOW) as variables:
        done = subprocess.run(
            [*BRIM, "run", "--window", f"{WINDOW}", "--", *COMMANDS[program, provider], WORDS],
            env=environment(tmp_path) | variables, cwd=tmp_path,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=500,
        )  # fmt: skip
    shown = done.stdout + done.stderr
    assert (done.returncode, reader.refused) == (0, []), shown
    assert END in done.stdout
    assert "error" not in shown.lower(), shown
    assert sum(len(after) < len(before) for before, after in pairwise(reader.asked)) >= 3, done.stderr
    assert len(reader.asked) == TURNS + 1
    assert all(WORDS in str(one) for one in reader.asked)
