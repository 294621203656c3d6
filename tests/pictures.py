"""The pictures of the README and of the guide to checkpoints: what the command and its browser show, as SVG.

`python -m tests.pictures` draws them again.
"""

from __future__ import annotations

import asyncio
import io
import os
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from freezegun import freeze_time
from rich.console import Console
from rich.text import Text

from brim.checkpoints import Checkpoints
from brim.checkpoints.browser import Browser
from brim.sessions import open_store

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / "docs" / "_static"
COMMAND: Final = "brim compact docs/examples/recorded-session.jsonl --window 32000 --max-output 4096"
"""What `make demo` runs."""
BREAK: Final = " \\\n    --"
COLUMNS: Final = 80
BROWSER: Final = "checkpoints-browser.svg"
TIMES: Final = ("2026-11-23 09:05:00", "2026-11-23 10:40:00")
"""When the two checkpoints are made."""
FONT: Final = "DejaVu Sans Mono, Menlo, Consolas, monospace"
FONT_FROM_ELSEWHERE: Final = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


@cache
def demo() -> str:
    """What the command prints for the recorded session, with colors as ANSI codes."""
    environment = {
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), *sys.path]),
        "PYTHONUTF8": "1",
        "COLUMNS": str(COLUMNS),
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
        "HOME": "nowhere",  # nothing of the user's is read
    }
    words = [sys.executable, "-m", *COMMAND.split()]
    return subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


def picture_of_demo() -> str:
    """The command and its output."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="truecolor", force_terminal=True)
    console.print(Text(f"$ {COMMAND.replace(' --', BREAK, 1)}", style="bold"))
    console.print(Text.from_ansi(demo().rstrip()))
    return with_fonts_of_the_system(console.export_svg(title="brim compact", unique_id="demo"))


def picture_of_browser() -> str:
    """The browser with the second of two checkpoints chosen, drawn by itself on a project made for it."""
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder, "home"), Path(folder, "harbour")
        project.mkdir()
        with open_store(home).create(project=str(project)) as session:
            checkpoints = Checkpoints(project, session, home=home)
            _work(project, checkpoints)
            return with_fonts_of_the_system(asyncio.run(_drawn(checkpoints)))


def _work(project: Path, checkpoints: Checkpoints) -> None:
    """Two checkpoints, and what changed after each."""
    (project / "plan").write_text("Pier\nBoats\n")
    (project / "rules").write_text("Mind the tide.\n")
    with freeze_time(TIMES[0]):
        checkpoints.create("before the pier", tags=("green",))
    (project / "rules").write_text("Build.\nThen paint.\n")
    with freeze_time(TIMES[1]):
        checkpoints.create("with the pier")
    (project / "plan").write_text("Pier\nBoats\nLamps\n")


async def _drawn(checkpoints: Checkpoints) -> str:
    """The screen after one press of the key down."""
    app = Browser(checkpoints)
    async with app.run_test(size=(110, 24)) as pilot:
        for key in ("", "down"):
            if key:
                await pilot.press(key)
            for _ in range(2):  # what a key began may begin more
                await pilot.pause()
                await asyncio.gather(*(one.wait() for one in app.workers), return_exceptions=True)
            await pilot.pause()
        return app.export_screenshot(title="brim checkpoints browse")


def with_fonts_of_the_system(drawn: str) -> str:
    """The picture without fonts from elsewhere."""
    plain = FONT_FROM_ELSEWHERE.sub("", drawn).replace("Fira Code, monospace", FONT)
    return "\n".join(line.rstrip() for line in plain.splitlines()) + "\n"


if __name__ == "__main__":
    os.environ["HOME"] = os.environ["XDG_CONFIG_HOME"] = os.devnull  # nothing of the user's is read
    for name, drawn in (("demo.svg", picture_of_demo()), (BROWSER, picture_of_browser())):
        (FOLDER / name).write_text(drawn, encoding="utf-8")
