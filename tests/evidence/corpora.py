"""The corpora of this folder, and turns to judge their rows in."""

from __future__ import annotations

from pathlib import Path

from brim.conversation.turns import Response, ToolUse, Turn

DATA = Path(__file__).parent / "data"
ESCAPES = {"\\n": "\n", "\\t": "\t", "\\x1b": "\x1b"}


def read_rows(name: str) -> list[tuple[str, ...]]:
    r"""Return the cells of each row of a table below its heading; \n, \t and \x1b stand for what they are."""
    return [tuple(map(_read, line.split("\t"))) for line in (DATA / name).read_text(encoding="utf-8").split("\n")[1:-1]]


def turn(*uses: ToolUse, index: int = 0, marked: bool = False, answer: str = "Done.") -> Turn:
    """Return a turn of one response, and an answer."""
    return Turn(index, index, index + 1, "Do it.", (Response("", uses), Response(answer)), marked)


def _read(cell: str) -> str:
    for written, meant in ESCAPES.items():
        cell = cell.replace(written, meant)
    return cell
