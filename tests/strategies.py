"""What other ways to make room leave of what was needed next: `python -m tests.strategies FOLDER`.

Each is measured as `tests.needed_next` measures brim; beside them brim with other shares kept, so that sizes compare.
Other packages are measured as they are, by `tests.matrix`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, Final

from tests.needed_next import (
    WEIGHTS,
    Cut,
    Presence,
    RawMessage,
    Strategy,
    compacted,
    cuts,
    general_knowledge,
    newest_as_large,
    read_all,
    score,
    tokens,
)
from tests.real.oracle import blocks

CLEARED: Final = "[Old tool result content cleared]"
NO_SUMMARY: Final = {"role": "user", "content": "[A summary that says nothing.]"}
"""In place of a model's summary."""
SHARES: Final = (5, 10, 15, 30, 40, 50, 70, 95)
"""Shares of the usable context, in percent, that brim keeps word for word, without a limit in tokens."""
DRAWS: Final = 2_000


def cleared(context: Sequence[RawMessage], kept: int) -> list[RawMessage]:
    """Return the messages with the outputs of all but the newest calls cleared."""
    calls = [block["tool_use_id"] for one in context for block in blocks(one) if block["type"] == "tool_result"]
    old = {*calls[: len(calls) - kept]}
    return [
        {
            **one,
            "content": [
                {**block, "content": CLEARED} if block.get("tool_use_id") in old else block for block in blocks(one)
            ],
        }
        for one in context
    ]


def masked(context: list[RawMessage], responses: int = 10) -> list[RawMessage]:
    """Return the messages with the outputs cleared that are older than so many responses."""
    starts = [index for index, one in enumerate(context) if one["role"] == "assistant"]
    stop = starts[-responses] if len(starts) >= responses else 0
    return [*cleared(context[:stop], 0), *context[stop:]]


def codex(context: list[RawMessage]) -> list[RawMessage]:
    """Return the user's newest messages of 20,000 tokens, as Codex keeps them, and a summary that says nothing."""
    kept: list[RawMessage] = []
    for one in reversed(context):
        if one["role"] == "user" and not any(block["type"] == "tool_result" for block in blocks(one)):
            if tokens([*kept, one]) > 20_000:
                break
            kept.insert(0, one)
    return [*kept, NO_SUMMARY]


def measured(folder: Path, strategies: Mapping[str, Strategy]) -> Iterator[tuple[str, Cut, dict[str, Any]]]:
    """Yield of each cut its format and, by strategy, the tokens and which items are there."""
    sessions = read_all(folder)
    general = general_knowledge(sessions)
    for file, transcript in sessions.items():
        for cut in cuts(transcript, file, general):
            found: dict[str, Any] = {}
            for name, strategy in strategies.items():
                left = strategy(cut.context)
                presence = Presence(left, transcript.folder)
                found[name] = (tokens(left), {item: presence.has(item) for item in cut.needed})
            if found["brim"][0] < tokens(cut.context):
                yield transcript.format, cut, found


def by_session(
    rows: Sequence[tuple[str, Cut, dict[str, Any]]], figure: Callable[[Cut, Any], float | None], name: str
) -> dict[str, float]:
    """Return the mean of a figure over the cuts of each session."""
    values: dict[str, list[float]] = {}
    for _, cut, found in rows:
        value = figure(cut, found[name])
        if value is not None:
            values.setdefault(cut.file, []).append(value)
    return {file: mean(ones) for file, ones in values.items()}


def share(*, old: bool) -> Callable[[Cut, Any], float | None]:
    """Return the figure of what is there, in percent."""

    def figure(cut: Cut, one: Any) -> float | None:
        found = score(cut.needed, one[1], old=old)
        return None if found is None else 100 * found

    return figure


def interval(values: Mapping[str, float]) -> str:
    """Return the mean over sessions, with its interval of 95 % by drawing sessions again."""
    draw, ones = Random(1), [*values.values()]  # noqa: S311  the same in every run
    means = sorted(mean(draw.choices(ones, k=len(ones))) for _ in range(DRAWS))
    return f"{mean(ones):.1f} [{means[DRAWS // 40]:.0f} to {means[-DRAWS // 40]:.0f}]"


def show(rows: Sequence[tuple[str, Cut, dict[str, Any]]], names: Sequence[str]) -> None:
    """Print the table of strategies, that of kinds and that of formats."""
    print("| way | tokens | all | old |\n| --- | --- | --- | --- |")
    for name in names:
        size = mean(found[name][0] for _, _, found in rows)
        parts = (interval(by_session(rows, share(old=old), name)) for old in (False, True))
        print(f"| {name} | {size:,.0f} | {' | '.join(parts)} |")
    names = [name for name in names if not name.startswith("brim, ")]
    for what, groups in (("kind", [*WEIGHTS]), ("format", sorted({one for one, _, _ in rows}))):
        print(f"\n| {what} | {' | '.join(names)} |\n| --- |{' --- |' * len(names)}")
        for group in groups:
            cells = []
            for name in names:
                items = [
                    (is_old, found[name][1][item])
                    for form, cut, found in rows
                    for item, is_old in cut.needed.items()
                    if group in (item.kind, form)
                ]
                parts = [[there for is_old, there in items if is_old or not old] for old in (False, True)]
                cells.append(" / ".join(f"{mean(part):.0%}" if part else "–" for part in parts))
            print(f"| {group} | {' | '.join(cells)} |")


def main(folder: str) -> int:
    """Measure and show."""
    strategies: dict[str, Strategy] = {
        "brim": compacted,
        **{f"brim, {kept}% kept": partial(compacted, keep_share=kept / 100, keep_tokens=0) for kept in SHARES},
        "the newest, as large as brim": newest_as_large,
        "outputs older than ten responses cleared": masked,
        "all outputs but three cleared (Anthropic)": partial(cleared, kept=3),
        "Codex, the user's messages": codex,
    }
    show([*measured(Path(folder).resolve(), strategies)], [*strategies])
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
