"""What each policy would have cost on real transcripts: `python -m tests.policy_figures FOLDER` writes the page's data.

The page is docs/evidence.md, its data docs/policies.json; table and conclusions are made of the data.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

import brim
from brim.replay import COMPARED
from tests.figures import EVIDENCE, ROOT, filled, rows_of

PAGE: Final = EVIDENCE
DATA: Final = ROOT / "docs/policies.json"
DEFAULT: Final = "usable"
NEAR_THE_END: Final = (
    "claude-code-2.0", "claude-code-2.1", "codelet-rust", "codelet-typescript", "proactive", "usable", "opencode-2025"
)  # fmt: skip
"""Profiles that trigger when the window is nearly full."""
VARIANTS: Final = {"keep-share-10": 'keep_share = "0.1"', "keep-share-40": 'keep_share = "0.4"'}
"""Policies besides those that a replay compares by itself, as a settings file has them."""
SUMMED: Final = ("sent", "cache_read", "cache_written", "output")


def measured(places: Sequence[Path], folder: Path, scratch: Path) -> list[dict[str, Any]]:
    """The figures of each transcript in these places by the command; of one that it refuses the reason."""
    named = ["--profiles", ",".join(COMPARED)]
    for name, setting in VARIANTS.items():
        file = scratch / f"{name}.toml"
        file.write_text(f"[compaction]\n{setting}\n", encoding="utf-8")
        named += ["--policy", str(file)]
    command = [sys.executable, "-m", "brim", "replay", "--json", *named, *map(str, places)]
    told = subprocess.run(command, capture_output=True, text=True, check=False, cwd=scratch).stdout
    return sorted((_figures(json.loads(line), folder) for line in told.splitlines()), key=lambda one: str(one["file"]))


def _figures(made: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    path = Path(made["file"])
    about = {"file": path.relative_to(folder).as_posix(), "sha256": made["sha256"]}
    if "error" in made:
        return {**about, "error": made["error"]}
    keys = ("format", "version", "model", "window", "responses", "summary_tokens")
    policies = {_name(one["name"]): _policy(one) for one in made["policies"]}
    return {**about, **{key: made[key] for key in keys}, "policies": policies}


def _name(name: str) -> str:
    """A policy's own name; of one in a file, the name of the file."""
    return name if name in COMPARED else Path(name).stem


def _policy(made: Mapping[str, Any]) -> dict[str, Any]:
    if made["refusal"]:
        return {"refusal": made["refusal"]}
    windows = made["windows"]
    return {
        "compactions": len(made["compactions"]),
        **{name: made[name] for name in (*SUMMED, "cost", "peak")},
        "retained": round(sum(windows) / len(windows)),
        "facts": made["facts"]["facts"],
        "kept": made["facts"]["kept"],
        "words": made["facts"]["words"],
        "words_present": made["facts"]["words_present"],
        "half": made["sensitivity"]["half"]["cost"],
        "double": made["sensitivity"]["double"]["cost"],
    }


def replayed(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The transcripts that count: replayed, at a known price, and compacted by some policy."""
    whole = [one for one in data["transcripts"] if "policies" in one]
    return [one for one in whole if all(made.get("cost") != "unknown" for made in one["policies"].values())]


def table(data: Mapping[str, Any]) -> str:
    """The page's table: the sums over the transcripts, a line for each policy but the variants of the conclusions."""
    counted = replayed(data)
    head = ("policy", "cost", "compactions", "facts present", "from the cache", "held on average")
    shown = [name for name in counted[0]["policies"] if name not in VARIANTS]
    names = sorted(shown, key=lambda name: (name != DEFAULT, _cost(counted, name)))
    return rows_of(head, *(_row(name, [one["policies"][name] for one in counted]) for name in names))


def _row(name: str, made: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    total = {
        key: sum(one[key] for one in made) for key in (*SUMMED, "compactions", "facts", "kept", "cost", "retained")
    }
    return (
        f"`{name}`" + " (the default)" * (name == DEFAULT) + " (no policy of brim)" * (name == "masking"),
        f"${total['cost']:,.2f}",
        f"{total['compactions']:,}",
        f"{total['kept']:,} of {total['facts']:,}",
        f"{total['cache_read'] / total['sent']:.1%}",
        f"{total['retained'] / len(made):,.0f}",
    )


def _sum(counted: Sequence[Mapping[str, Any]], name: str, key: str) -> float:
    return float(sum(one["policies"][name][key] for one in counted))


def _cost(counted: Sequence[Mapping[str, Any]], name: str) -> float:
    return _sum(counted, name, "cost")


def _change(counted: Sequence[Mapping[str, Any]], name: str, key: str = "cost") -> str:
    """How much less or more it is than under the default."""
    ratio = _sum(counted, name, key) / _sum(counted, DEFAULT, key) - 1
    return f"{abs(ratio):.0%} {'less' if ratio < 0 else 'more'}" if ratio else "the same"


def conclusions(data: Mapping[str, Any]) -> str:
    """What follows from the table, each figure computed."""
    counted = replayed(data)
    smaller = [one for one in counted if one["window"] < 1_000_000]
    near = [_cost(counted, name) for name in NEAR_THE_END]
    size = max(
        max(abs(_sum(counted, name, key) / _cost(counted, name) - 1) for key in ("half", "double"))
        for name in counted[0]["policies"]
    )
    kept = _sum(counted, DEFAULT, "kept") - _sum(counted, "keep-share-10", "kept")
    often = _sum(counted, "windowing", "compactions") / _sum(counted, DEFAULT, "compactions")
    less, less_here = (
        [_change(sessions, name) for name in ("windowing", "anthropic-sdk")] for sessions in (counted, smaller)
    )
    shares = [_change(counted, name) for name in ("keep-share-40", "keep-share-10")]
    text = f"""\
Thresholds of 80,000 (`windowing`) and 100,000 tokens (`anthropic-sdk`) cost {less[0]} and {less[1]} than the usable
context; {less_here[0]} and {less_here[1]} without the session in the window of a million. `windowing` compacts
{often:.1f} times as often.

Summaries of half and of twice the size change a cost by at most {size:.0%}.

The profiles that trigger near the end of the window differ by at most {max(near) / min(near) - 1:.0%}.

A keep share of 40% costs {shares[0]}. One of 10% costs {shares[1]} and
loses {kept:.0f} facts of {_sum(counted, DEFAULT, "facts"):.0f}.

A selection without any limit (`selection-s4`) costs {_change(counted, "selection-s4")}.

Masking alone, which clears old outputs with every response, sends {_change(counted, "masking", "sent")} and costs
{_change(counted, "masking")}: each clearing invalidates the cache after it."""
    items = (wrap(one, 118, initial_indent="- ", subsequent_indent="  ") for one in text.split("\n\n"))
    return "\n".join(line for item in items for line in item)


def page(text: str, data: Mapping[str, Any]) -> str:
    """Return the page with the table and the conclusions of this data."""
    return filled(filled(text, "the policies", table(data)), "the conclusions", conclusions(data))


def main(folder: str) -> int:
    """Measure, and write the data and the page's table."""
    place = Path(folder).resolve()
    scratch = ROOT / "build"
    scratch.mkdir(exist_ok=True)
    data = {
        "made": f"brim {brim.__version__}, {datetime.now(UTC):%Y-%m-%d}",
        "transcripts": measured([place], place, scratch),
    }
    DATA.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), data), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
