"""How long real answers are: `python -m tests.answer_figures FOLDER` writes the data and the table of a decision.

The decision is docs/decisions/0202, its data docs/answers.json. A response's length is the output that it reported, or
the estimate of its text where streaming left the count unfinished (TOK_10).
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any, Final

from brim.errors import InvalidInput
from brim.transcripts import read_transcript
from brim.transcripts.window import reported
from brim.trigger.usable_context import OUTPUT_CAP
from tests.figures import ROOT, filled, rows_of

PAGE: Final = ROOT / "docs/decisions/0202-the-default-threshold.md"
DATA: Final = ROOT / "docs/answers.json"
RESERVES: Final = (4_096, 8_192, OUTPUT_CAP)
"""Output reserves in tokens: limits that models state, and what Claude Code from 2.1.25 on was seen to keep."""


def measured(folder: Path) -> list[dict[str, Any]]:
    """For each transcript of a folder the tokens of every answer, ascending; none where no response has a usage."""
    return sorted(_measured(folder), key=lambda one: str(one["file"]))


def _measured(folder: Path) -> Iterator[dict[str, Any]]:
    for path in (one for one in folder.rglob("*/*/*") if one.is_file()):
        try:
            transcript = read_transcript(path)
        except InvalidInput:
            continue
        tokens = sorted(usage.output for one in transcript.responses if (usage := reported(one)) is not None)
        if tokens:
            name, digest = path.relative_to(folder).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()
            yield {"file": name, "sha256": digest, "format": transcript.format, "answers": tokens}


def table(data: Sequence[Mapping[str, Any]]) -> str:
    """A line for each agent and one for all: answers, the median, the 99th percentile, the longest, those too long."""
    head = ("agent", "answers", "median", "99th percentile", "longest", *(f"above {size:,}" for size in RESERVES))
    agents = sorted({one["format"] for one in data})
    rows = [_row(agent, [one for one in data if one["format"] == agent]) for agent in agents]
    return rows_of(head, *rows, _row("all", data))


def _row(name: str, data: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    tokens = sorted(one for transcript in data for one in transcript["answers"])
    shown = (len(tokens), _percentile(tokens, 50), _percentile(tokens, 99), tokens[-1])
    return name, *(f"{one:,}" for one in (*shown, *(sum(one > size for one in tokens) for size in RESERVES)))


def _percentile(ascending: Sequence[int], percent: int) -> int:
    """The smallest value that at least this percentage of the values do not exceed."""
    return ascending[ceil(len(ascending) * percent / 100) - 1]


def page(text: str, data: Sequence[Mapping[str, Any]]) -> str:
    """The page with the table of this data."""
    return filled(text, "answers", table(data))


def written(data: Sequence[Mapping[str, Any]]) -> str:
    """The data as the file has them: a line for each transcript."""
    return "[\n" + ",\n".join(json.dumps(one) for one in data) + "\n]\n"


def main(folder: str) -> int:
    """Measure, and write the data and the page's table."""
    data = measured(Path(folder).resolve())
    DATA.write_text(written(data), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), data), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
