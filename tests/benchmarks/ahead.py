"""How long the request waits that is due, with a summary that was asked for ahead and without (CMP_13)."""

from __future__ import annotations

import time
from dataclasses import dataclass

from rich.console import Console

from brim import CompactionPolicy, Compactor, Conversation, ModelLimits
from brim.summary.summarizer_input import OnText, SummaryAnswer, SummaryRequest
from tests.benchmarks.conversation import conversation
from tests.benchmarks.tables import print_table

LIMITS = ModelLimits(context_window=200_000, max_output_tokens=32_000)
SHARE = 0.8
SECONDS = 2.0
"""Seconds that the summarizer takes."""
AIM = "ahead: at most 50 ms"


@dataclass(frozen=True, slots=True, kw_only=True)
class AheadRow:
    """Seconds of the request that is due."""

    way: str
    held: int
    """Tokens that the window holds then."""
    due: float
    processor: float
    """Of these, seconds of processor time of the thread that waits."""


class Slow:
    """A summarizer that takes so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def summarize(self, request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """The same summary of everything, after a while."""
        del request, on_text
        time.sleep(self._seconds)
        return SummaryAnswer(text="All went well. " * 60, stop_reason="end_turn")


def measure_ahead() -> list[AheadRow]:
    """A window of 168,000 tokens that fills up, in each way."""
    _filled("the first one, which loads what is needed", 0.0, None)
    return [
        _filled("at once", 0.0, None),
        _filled("in 2 seconds", SECONDS, None),
        _filled("in 2 seconds, ahead", SECONDS, SHARE),
    ]


def _filled(way: str, seconds: float, share: float | None) -> AheadRow:
    policy = CompactionPolicy(ahead=share, prune=False)
    compactor = Compactor(limits=LIMITS, summarizer=Slow(seconds), policy=policy)
    running = Conversation(compactor)
    began = 0.0
    for message in conversation(2_000):
        running.append(message)
        if message["role"] != "assistant":
            continue
        if began and time.perf_counter() - began < 2 * SECONDS:  # the agent works while the summary is written
            time.sleep(2 * SECONDS)
        start, worked = time.perf_counter(), time.thread_time()
        outgoing = running.prepare()
        took, worked = time.perf_counter() - start, time.thread_time() - worked
        if outgoing.compaction is not None:
            return AheadRow(way=way, held=outgoing.verdict.held, due=took, processor=worked)
        if not began and share is not None and outgoing.verdict.held >= SHARE * outgoing.verdict.threshold:
            began = time.perf_counter()
    raise RuntimeError("the window was never full")


def show_ahead(rows: list[AheadRow], console: Console) -> None:
    """The table, and the aim."""
    columns = {
        "summary": lambda row: row.way,
        "tokens held": lambda row: f"{row.held:,}",
        "the due request ms": lambda row: f"{row.due * 1e3:.0f}",
        "processor ms": lambda row: f"{row.processor * 1e3:.0f}",
    }
    print_table("The request that is due, by when its summary is there", columns, rows, console)
    console.print(AIM)
