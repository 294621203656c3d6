"""The pictures of the browser of checkpoints in its guide, drawn by the browser itself on a project made for them.

`PYTHONPATH=docs:. python -m living.browser_pictures` draws them again.
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from freezegun import freeze_time

from brim.checkpoints import Checkpoints
from brim.checkpoints.browser import Browser
from brim.sessions import open_store
from living.start import FONT, ROOT

FOLDER: Final = ROOT / "docs" / "_static"
PICTURES: Final = {
    "checkpoints-browser.svg": ((110, 24), ("down",)),
    "checkpoints-browser-confirm.svg": ((50, 24), ("down", "b")),
}
"""The size of the terminal of each, and the keys that are pressed."""
TIMES: Final = ("2026-11-23 09:05:00", "2026-11-23 10:40:00")
"""When the two checkpoints are made."""
TYPE_FROM_ELSEWHERE: Final = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def pictures() -> Iterator[tuple[str, str]]:
    """The name of each picture and its SVG."""
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder, "home"), Path(folder, "harbour")
        project.mkdir()
        with open_store(home).create(project=str(project)) as session:
            checkpoints = Checkpoints(project, session, home=home)
            _work(project, checkpoints)
            for name, (size, keys) in PICTURES.items():
                yield name, _without_type(asyncio.run(_drawn(checkpoints, size, keys)))


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


async def _drawn(checkpoints: Checkpoints, size: tuple[int, int], keys: tuple[str, ...]) -> str:
    """The screen after these keys, each pressed once what the one before began has ended."""
    app = Browser(checkpoints)
    async with app.run_test(size=size) as pilot:
        for key in ("", *keys):
            if key:
                await pilot.press(key)
            for _ in range(2):  # what a key began may begin more
                await pilot.pause()
                await asyncio.gather(*(one.wait() for one in app.workers), return_exceptions=True)
            await pilot.pause()
        return app.export_screenshot(title="brim checkpoints browse")


def _without_type(drawn: str) -> str:
    """The picture without type from elsewhere."""
    plain = TYPE_FROM_ELSEWHERE.sub("", drawn).replace("Fira Code, monospace", FONT)
    return "\n".join(line.rstrip() for line in plain.splitlines()) + "\n"


if __name__ == "__main__":
    os.environ["HOME"] = os.environ["XDG_CONFIG_HOME"] = os.devnull  # nothing of the user's is read
    for name, drawn in pictures():
        (FOLDER / name).write_text(drawn, encoding="utf-8")
