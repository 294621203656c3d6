"""The start page: the verdicts of the last run, and what the command prints for the session that comes with brim.

`python -m living.start` draws that output as docs/_static/demo.svg, the picture of the README.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from math import ceil
from pathlib import Path
from typing import Final

from docutils import nodes
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.folds import folded
from living.rules.counting import ids_of
from living.rules.feature_page import banners_of
from living.rules.verdicts import SIGNS, tally_of_all
from living.site import Site, site_of
from living.text import link

ROOT: Final = Path(__file__).resolve().parents[2]
PICTURE: Final = ROOT / "docs" / "_static" / "demo.svg"
COMMAND: Final = "brim compact docs/examples/recorded-session.jsonl --window 32000 --max-output 4096"
"""What `make demo` runs."""
COLUMNS: Final = 80
BREAK: Final = " \\\n    --"
FONT: Final = "DejaVu Sans Mono, Menlo, Consolas, monospace"
EDGE: Final = 12
"""Pixels between the text and the edge."""
VIEW: Final = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
ASPECT: Final = 0.602
"""Width of a character of that type in heights."""
TEMPLATE: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {terminal_width} {terminal_height}" role="img">
<title>Output of brim compact for the recorded session</title>
<style>
text {{ font-family: FONT; font-size: {char_height}px; }}
{styles}
</style>
<defs>
{lines}
</defs>
<rect width="100%" height="100%" rx="8" fill="#292929"/>
<g transform="translate(12, 12)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
""".replace("FONT", FONT)
"""An SVG without a window around it, and without type from elsewhere."""


class Verdicts(SphinxDirective):
    """`{verdicts}` is the strip of what the last run of the rules showed; each part leads to the page behind it."""

    def run(self) -> list[nodes.Node]:
        """The strip, under a warning where the run was of another version."""
        site, docname = site_of(self.config), self.env.current_document.docname
        return [*banners_of(site), strip(site, docname)]


class Demo(SphinxDirective):
    """`{demo}` is what the command prints for the session that comes with brim, run by this build."""

    def run(self) -> list[nodes.Node]:
        """The command, and its output folded."""
        text = f"$ {COMMAND}\n{Text.from_ansi(demo(site_of(self.config).root)).plain.rstrip()}"
        block = nodes.literal_block(text, text, language="console")
        return [nodes.container("", *folded("The output of the command", block), classes=["charted"])]


def setup(app: Sphinx) -> None:
    """Make the directives known."""
    app.add_directive("verdicts", Verdicts)
    app.add_directive("demo", Demo)


def strip(site: Site, docname: str) -> nodes.bullet_list:
    """Packages, rules, examples, and how many of them passed or did not; each links to its page."""
    features = site.rulebook.features.values()
    tally = tally_of_all(site.results, site.rulebook)
    parts = [
        (f"{len(site.rulebook.rooms)}", "packages", "rulebook/index", ""),
        (f"{len(ids_of(features)):,}", "rules", "rulebook/rules", ""),
        (f"{tally.total:,}", "examples", "rulebook/index", "last-run"),
    ]
    for outcome, count in tally.counts.items():
        number = "all" if count == tally.total else f"{count:,}"
        parts.append((f"{SIGNS[outcome]} {number}", outcome, "rulebook/index", "last-run"))
    return nodes.bullet_list("", *_shown(docname, parts), classes=["verdict-strip", "no-search"])


def _shown(docname: str, parts: list[tuple[str, str, str, str]]) -> Iterator[nodes.list_item]:
    for number, words, page, anchor in parts:
        found = link(docname, page, "", anchor)
        found += [nodes.strong("", number), nodes.Text(f" {words}")]
        kind = [f"verdict-{words.replace(' ', '-')}"] if words in SIGNS else []
        yield nodes.list_item("", nodes.paragraph("", "", found), classes=kind)


@cache
def demo(root: Path = ROOT) -> str:
    """What the command prints for the recorded session, with colors as ANSI codes."""
    environment = {
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join([str(root / "src"), *sys.path]),
        "PYTHONUTF8": "1",
        "COLUMNS": str(COLUMNS),
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
        "HOME": "nowhere",  # nothing of the user's is read
    }
    words = [sys.executable, "-m", *COMMAND.split()]
    return subprocess.run(words, cwd=root, env=environment, capture_output=True, text=True, check=True).stdout  # noqa: S603


def picture(root: Path = ROOT) -> str:
    """The command and its output as SVG."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="truecolor", force_terminal=True)
    console.print(Text(f"$ {COMMAND.replace(' --', BREAK, 1)}", style="bold"))
    console.print(Text.from_ansi(demo(root).rstrip()))
    drawn = console.export_svg(code_format=TEMPLATE, theme=MONOKAI, unique_id="demo", font_aspect_ratio=ASPECT)
    wider = VIEW.sub(lambda at: f'viewBox="0 0 {ceil(float(at[1])) + 2 * EDGE} {ceil(float(at[2])) + 2 * EDGE}"', drawn)
    return "\n".join(line.rstrip() for line in wider.splitlines()) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
