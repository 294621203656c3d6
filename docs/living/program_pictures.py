"""The pictures of the guide to any agent: a screen of each program behind `brim run`, and what brim says at its end.

`PYTHONPATH=docs:. python -m living.program_pictures` draws them again, or those of the programs that it is given. The
programs are those of `.ci/agents.py`, the terminal is tmux, and the models are those of the tests.
"""

from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from living.pictures import FOLDER, with_fonts_of_the_system
from tests.serve.openai_agents import KEY
from tests.serve.programs import CLAUDE, END, GPT, NOTES, WORDS, Reader, environment, provided

COLUMNS, LINES, PATIENCE = 100, 24, 600
ANTHROPICS_KEY: Final = "sk-ant-test"
PROGRAMS: Final = {
    "claude": ("anthropic", f"claude --model {CLAUDE} --permission-mode default --allowedTools 'Read,Bash(cat:*)' --"),
    "codex": ("openai", f"codex --model {GPT} --ask-for-approval never --sandbox danger-full-access"),
    "opencode": ("anthropic", f"opencode --model anthropic/{CLAUDE} --prompt"),
    "pi": ("anthropic", f"pi --model anthropic/{CLAUDE}"),
}
"""The provider of each, and how it is started in a terminal."""


def _settled(home: Path, project: Path) -> None:
    """Answer what the programs ask at their first start."""
    asked = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [ANTHROPICS_KEY], "rejected": []},
        "projects": {str(project): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
    }
    (home / ".claude.json").write_text(json.dumps(asked))
    (home / ".codex").mkdir()
    (home / ".codex" / "auth.json").write_text(json.dumps({"OPENAI_API_KEY": KEY}))
    (home / ".codex" / "config.toml").write_text(f'[projects."{project}"]\ntrust_level = "trusted"\n')


def drawn(program: str) -> str:
    """The program's screen once it has read for 60 turns, and the lines of brim's after it."""
    provider, command = PROGRAMS[program]
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "harbour")
        project.mkdir()
        (project / "notes").write_text(NOTES)
        _settled(Path(folder), project)
        with provided(provider, Reader(project / "notes", 60), 60_000) as variables:
            environ = environment(Path(folder)) | variables
            brim = Path(sys.executable).with_name("brim")
            words = shlex.join(f"{name}={value}" for name, value in environ.items())
            line = f"env -i {words} {brim} run --window 60k -- {command} {shlex.quote(WORDS)}; exec cat"
            tmux = ["tmux", "-L", f"brim-{program}", "-f", "/dev/null"]
            size = ["-x", f"{COLUMNS}", "-y", f"{LINES}"]
            subprocess.run([*tmux, "new-session", "-d", *size, "-c", str(project), line], check=True)  # noqa: S603
            try:
                screen = _shown(tmux, END)
                subprocess.run([*tmux, "send-keys", "C-c", "C-c", "C-d"], check=True)  # noqa: S603
                after = [one for one in _shown(tmux, "go on with this").splitlines() if "compacted, " in one]
            finally:
                subprocess.run([*tmux, "kill-server"], check=True)  # noqa: S603
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="truecolor", force_terminal=True)
    console.print(Text(f"$ brim run --window 60k {program}", style="bold"))
    console.print(Text.from_ansi(screen.replace(folder, "~").rstrip()))
    console.print(Text.from_ansi("\n".join(after)))
    return with_fonts_of_the_system(console.export_svg(title=f"brim run {program}", unique_id=program))


def _shown(tmux: list[str], words: str) -> str:
    """The screen once it has these words. Raises TimeoutError."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        taken = subprocess.run([*tmux, "capture-pane", "-e", "-p"], capture_output=True, text=True, check=True)  # noqa: S603
        if words in taken.stdout:
            return taken.stdout
        time.sleep(0.5)
    raise TimeoutError(f"{words!r} is not shown:\n{taken.stdout}")


if __name__ == "__main__":
    for name in sys.argv[1:] or PROGRAMS:
        (FOLDER / f"run-{name}.svg").write_text(drawn(name), encoding="utf-8")
