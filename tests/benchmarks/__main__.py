"""Runs the benchmarks: a table on the terminal, and JSON with `--json FILE`."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from tests.benchmarks.ahead import measure_ahead, show_ahead
from tests.benchmarks.checkpoints import measure_checkpoints, show_checkpoints
from tests.benchmarks.measures import Row, measure
from tests.benchmarks.product import growth_of_product, measure_product, show_product
from tests.benchmarks.replay import measure_replay, show_replay
from tests.benchmarks.serve import measure_memory, measure_serve, show_memory, show_serve
from tests.benchmarks.sessions import (
    FEW,
    MANY,
    growth_of_sessions,
    measure_import,
    measure_sessions,
    measure_store,
    show_sessions,
    show_stores,
)
from tests.benchmarks.sub_agents import measure_sub_agents, show_sub_agents
from tests.benchmarks.tables import print_table

LENGTHS = (100, 1_000, 10_000, 100_000)
COLUMNS = {
    "messages": lambda row: f"{row.messages:,}",
    "verdict µs": lambda row: f"{row.verdict * 1e6:.2f}",
    "joining ms": lambda row: f"{row.joining * 1e3:.2f}",
    "plan + apply ms": lambda row: f"{row.planning * 1e3:.2f}",
    "× joining": lambda row: f"{row.planning / row.joining:.2f}",
    "from a cold list ms": lambda row: f"{row.cold * 1e3:.2f}",
    "× joining ": lambda row: f"{row.cold / row.joining:.1f}",
    "first pruning ms": lambda row: f"{row.first_pruning * 1e3:.2f}",
    "× copying": lambda row: f"{row.first_pruning / row.copying:.2f}",
    "second pruning µs": lambda row: f"{row.second_pruning * 1e6:.1f}",
}


def main() -> None:
    """Measure, show, and write where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS, metavar="N", help="messages to measure with")
    parser.add_argument(
        "--only",
        choices=("ahead", "checkpoints", "conversations", "product", "replay", "serve", "sessions", "sub-agents"),
        help="leave the others out",
    )
    asked = parser.parse_args()
    console = Console(width=200)
    told: dict[str, Any] = {}
    if asked.only in (None, "conversations"):
        rows = [measure(length) for length in asked.lengths]
        show(rows, console)
        told |= {"rows": [asdict(row) for row in rows], "growth": growth(rows)}
    if asked.only in (None, "product"):
        product = [measure_product(length) for length in asked.lengths]
        show_product(product, console)
        told |= {"product": [asdict(row) for row in product], "growth of the product": growth_of_product(product)}
    if asked.only in (None, "ahead"):
        ahead = measure_ahead()
        show_ahead(ahead, console)
        told |= {"ahead": [asdict(row) for row in ahead]}
    if asked.only in (None, "sub-agents"):
        sub_agents = measure_sub_agents()
        show_sub_agents(sub_agents, console)
        told |= {"sub-agents": [asdict(row) for row in sub_agents]}
    if asked.only in (None, "sessions"):
        sessions = [measure_sessions(length) for length in asked.lengths]
        show_sessions(sessions, console)
        told |= {"sessions": [asdict(row) for row in sessions], "growth of sessions": growth_of_sessions(sessions)}
        stores, importing = [measure_store(count) for count in (FEW, MANY)], measure_import()
        show_stores(stores, importing, console)
        told |= {"stores": [asdict(row) for row in stores], "creating beside an import": asdict(importing)}
    if asked.only in (None, "replay"):
        replays = measure_replay()
        show_replay(replays, console)
        told |= {"replay": [asdict(row) for row in replays]}
    if asked.only in (None, "serve"):
        serve, memory = measure_serve(), measure_memory()
        show_serve(serve, console)
        show_memory(memory, console)
        told |= {"serve": [asdict(row) for row in serve], "memory of serve": [asdict(row) for row in memory]}
    if asked.only in (None, "checkpoints"):
        checkpoints = measure_checkpoints()
        show_checkpoints(checkpoints, console)
        told |= {"checkpoints": asdict(checkpoints)}
    if asked.json:
        asked.json.write_text(json.dumps(told, indent=2) + "\n")


def show(rows: list[Row], console: Console) -> None:
    """The table, and how each figure grows."""
    print_table("brim beside the plainest work on the same conversation, in one run", COLUMNS, rows, console)
    for name, slope in growth(rows).items():
        console.print(f"{name}: {slope:.2f}")


def growth(rows: list[Row]) -> dict[str, float]:
    """The verdict's time at the longest against 1,000 messages, and slopes (1 is linear) over the last tenfold."""
    by_length = {row.messages: row for row in rows}
    longest, thousand = rows[-1], by_length.get(1_000, rows[0])
    before = by_length.get(longest.messages // 10, rows[0])
    step = math.log10(longest.messages / before.messages) or 1.0
    return {
        "verdict, longest against 1,000 messages": longest.verdict / thousand.verdict,
        "slope of joining": math.log10(longest.joining / before.joining) / step,
        "slope of plan + apply": math.log10(longest.planning / before.planning) / step,
        "slope from a cold list": math.log10(longest.cold / before.cold) / step,
    }


if __name__ == "__main__":
    main()
