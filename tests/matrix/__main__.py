"""The matrix: brim beside other compactors, each as its package has it: `python -m tests.matrix TRANSCRIPTS`.

Sets the packages up, lets each compact sessions where they are cut, asks the conformance kit about each, and writes
docs/matrix.json and the tables of docs/matrix.md. `make matrix TRANSCRIPTS=FOLDER` runs it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any, Final

from tests.figures import ROOT
from tests.matrix.environments import ENVIRONMENTS, PEERS, set_up
from tests.matrix.page import DATA, write_page
from tests.matrix.remote import RawMessage, Remote
from tests.matrix.subjects import OURS, Subject, remote, there
from tests.needed_next import Cut, compacted, score, tokens
from tests.strategies import SHARES, by_session, measured

NOTHING: Final = "[A summary that says nothing.]"
"""The answer of the model: what is found in a result is the work of the package."""
TARGETS: Final = (5, 10, 20)
"""Shares of what is held, in percent, that brim is to leave at most, for sizes below those of its defaults."""
KIT: Final = "brim.testing.conformance"
KIT_SECONDS: Final = 600
AT_ONCE: Final = 2
Row = tuple[str, Cut, dict[str, Any]]


def to_a_target(context: list[RawMessage], percent: int) -> list[RawMessage]:
    """Return the messages as brim leaves them where it has to fit into a share."""
    return compacted(context, target_tokens=max(300, tokens(context) * percent // 100))


SIZES: Final[Mapping[str, Callable[[list[RawMessage]], list[RawMessage]]]] = {
    "brim": compacted,
    **{f"kept {share}": partial(compacted, keep_share=share / 100, keep_tokens=0) for share in SHARES},
    **{f"target {percent}": partial(to_a_target, percent=percent) for percent in TARGETS},
}
"""brim without a model in other sizes."""


class OurText:
    """brim without a model, whose text every other compactor gets as the model's answer in a second pass."""

    text = ""

    def __call__(self, context: list[RawMessage]) -> list[RawMessage]:
        """Return the messages as brim leaves them, and keep the text of the summary."""
        left = compacted(context)
        written = next((one["content"] for one in left if one not in context), NOTHING)
        self.text = written if isinstance(written, str) else "\n".join(block["text"] for block in written)
        return left


def at_equal_size(row: Row, size: int, *, old: bool) -> float | None:
    """Return what brim has of what was needed where it is as large, on the line between its two nearest sizes.

    The empty context, which has nothing, and the whole one, which has all, are sizes too.
    """
    _, cut, found = row
    points = [(0, 0.0), (tokens(cut.context), 1.0)]
    for name in SIZES:
        value = score(cut.needed, found[name][1], old=old)
        if value is None:
            return None
        points.append((found[name][0], value))
    for (small, less), (large, more) in pairwise(sorted(points)):
        if small <= size <= large:
            return less + (more - less) * (size - small) / (large - small or 1)
    return 1.0


def needed(rows: Sequence[Row], name: str) -> dict[str, Any]:
    """Return what a compactor has of what was needed, and what brim has at its size, in percent over sessions."""
    of = {id(row[1]): row for row in rows}

    def percent(figure: Callable[[Cut, Any], float | None]) -> float:
        return round(100 * mean(by_session(rows, figure, name).values()), 1)

    found: dict[str, Any] = {"tokens": round(mean(row[2][name][0] for row in rows))}
    found["share"] = percent(lambda cut, one: one[0] / tokens(cut.context))
    for part, old in (("all", False), ("old", True)):
        found[part] = percent(lambda cut, one, old=old: score(cut.needed, one[1], old=old))
        found[f"brim_{part}"] = percent(lambda cut, one, old=old: at_equal_size(of[id(cut)], one[0], old=old))
    return found


def version(name: str, compactor: Remote) -> str:
    """Return the version of a compactor's package."""
    package = "brim" if name in OURS else PEERS[name.removesuffix("__best")]["packages"][0]
    return compactor.versions[re.split(r"[\[=]", package)[0]]


def judged(name: str) -> dict[str, Any]:
    """Return what the conformance kit says of a compactor: of each check its outcome, and why."""
    result = ENVIRONMENTS / f"{name}.json"
    result.unlink(missing_ok=True)
    options = ["-p", KIT, "-p", "no:cacheprovider", "-q", "--pyargs", KIT, "--conformance-json", str(result)]
    command = [sys.executable, "-m", "pytest", *options, "--compactor", f"tests.matrix.subjects:{name}"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=KIT_SECONDS)
    if not result.exists():
        return {"the_kit_runs": {"outcome": "failed", "message": ran.stdout[-300:]}}
    checks = json.loads(result.read_text(encoding="utf-8"))["checks"]
    return {check: {"outcome": one["outcome"], "message": one["message"]} for check, one in checks.items()}


def compared(folder: Path) -> tuple[list[Row], dict[str, Any]]:
    """Return the cuts, and what each compactor left and cost there."""
    ours = OurText()
    first, second = {}, {}
    for name in (*OURS, *there()):
        first[name] = Subject(remote(name), lambda: NOTHING)
        if first[name].asks and name not in OURS:
            second[name] = Subject(first[name].remote, lambda: ours.text)
        first[name].warm_up()
    strategies: dict[str, Any] = {**SIZES, "brim": ours, **{f"{name} 1": one for name, one in first.items()}}
    rows = [*measured(folder, {**strategies, **{f"{name} 2": one for name, one in second.items()}})]
    found = {}
    for name, one in first.items():
        one.remote.close()
        cuts = len(one.seconds)
        found[name] = {
            "version": version(name, one.remote),
            **needed(rows, f"{name} 1"),
            "template": needed(rows, f"{name} 2") if name in second else None,
            "time": round(sum(one.seconds) / sum(first["brim"].seconds), 2),
            "milliseconds": round(1000 * sum(one.seconds) / cuts, 1),
            "calls": round(one.calls / cuts, 2),
            "asked": round(one.asked / cuts),
            "refused": len(one.refused),
        }
    return rows, found


def main(folder: str) -> int:
    """Measure, and write the data and the page."""
    missing = {name: why for name in PEERS if (why := set_up(name))}
    rows, found = compared(Path(folder).resolve())
    with ThreadPoolExecutor(AT_ONCE) as pool:
        names = [name for name in found if name != "brim__cold"]  # it differs in its time alone
        for name, checks in zip(names, pool.map(judged, names), strict=True):
            found[name]["checks"] = checks
    data = {
        "date": datetime.now(UTC).date().isoformat(),
        "cuts": len(rows),
        "sessions": len({row[1].file for row in rows}),
        "missing": missing,
        "compactors": found,
    }
    DATA.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    write_page(data)
    print(f"{DATA} and its page are written")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
