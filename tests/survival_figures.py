"""What survives a compaction of real sessions: `python -m tests.survival_figures FOLDER` writes the page's data.

Each session is compacted where the tool that wrote it made room, and at its end, by the product: with the template, and
with a model whose summary says nothing. What is left is counted by an oracle apart from brim's own facts. The page is
docs/evidence.md, its data docs/survival.json.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

import brim
from brim import Compactor
from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import Plan
from brim.compaction.result import Compaction
from brim.errors import InvalidInput
from brim.models import ModelLimits
from brim.summary.summarizer_input import SummaryAnswer
from brim.tokens.estimation import tokens_of
from brim.transcripts import Transcript, TranscriptView, read_transcript, view, view_before
from brim.transcripts.window import Walk, without_unsigned
from tests.figures import EVIDENCE, ROOT, filled, rows_of
from tests.real import oracle

PAGE: Final = EVIDENCE
DATA: Final = ROOT / "docs/survival.json"
SAYS_NOTHING: Final = "The conversation went on and things were done."
AUTOMATIC: Final = {
    "claude-code": ModelLimits(context_window=200_000, max_output_tokens=32_000),
    "opencode": ModelLimits(context_window=128_000, max_output_tokens=16_000),
}
"""The limits of the models that filled up; a file of Codex states its own."""
LARGE: Final = 60_000
"""Tokens from which on a conversation is a case for compaction: below, what is kept for its own sake is most of it."""
WAYS: Final = ("template", "useless summary")


class UselessModel:
    """A model that answers each request with a sentence that says nothing."""

    def summarize(self, request: Any, on_text: Any) -> SummaryAnswer:
        """Answer."""
        return SummaryAnswer(text=SAYS_NOTHING, stop_reason="end_turn")


def limits_of(transcript: Transcript, cut: str, held: int) -> ModelLimits:
    """The limits of the model that was full when the tool compacted by itself.

    Where it did not, the session fills no window: then the limits of a model whose usable context it fills exactly.
    """
    if cut == "auto" and transcript.window:
        return ModelLimits(context_window=transcript.window, max_output_tokens=32_000)
    if cut == "auto" and transcript.format in AUTOMATIC:
        return AUTOMATIC[transcript.format]
    answer = min(held // 5, 32_000)
    return ModelLimits(context_window=held + answer, max_output_tokens=answer)


def cuts(transcript: Transcript) -> Iterator[tuple[str, int | None, TranscriptView]]:
    """Where the tool made room: how, after how many messages, and what the model saw; and the end."""
    for number, one in enumerate(transcript.compactions):
        if one.after_message:
            yield one.kind, one.after_message, view_before(transcript, number)
    yield "end", None, view(transcript)


def compacted(path: Path, folder: Path) -> list[dict[str, Any]]:
    """The figures of each cut of a session."""
    transcript = read_transcript(path)
    words = oracle.spoken(path, transcript.format)
    about = {"file": path.relative_to(folder).as_posix(), "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    return [
        {**about, "format": transcript.format, "cut": cut, **figures(transcript, cut, until, seen, words)}
        for cut, until, seen in cuts(transcript)
    ]


def figures(
    transcript: Transcript, cut: str, until: int | None, seen: TranscriptView, words: Sequence[str]
) -> dict[str, Any]:
    """What is left of a cut in each of the ways."""
    walk = Walk(transcript, until=until)
    walk.finish()
    extras = {
        "system": transcript.system,
        "tools": transcript.tools,
        "characters_per_token": walk.account.characters_per_token,
    }
    messages = [*map(without_unsigned, seen.messages)]
    window = ContextWindow(**extras, messages=messages)
    limits = limits_of(transcript, cut, window.estimated)
    raws = [dict(message.raw) for message in messages]
    asked = oracle.asked(words, raws)
    facts, loop = oracle.wanted(raws), oracle.unfinished_loop(raws)
    made: dict[str, Any] = {}
    for way, summarizer in zip(WAYS, (None, UselessModel()), strict=True):
        compactor = Compactor(summarizer=summarizer)
        plan = compactor.plan(ContextWindow(limits, **extras, messages=messages))
        done = compactor.apply(plan)
        made[way] = left(done, asked, facts, loop, raws)
    carried = tokens_of(plan.context.extras, plan.context.characters_per_token)
    share = max(min(limits.context_window, plan.context.tokens_before) // 10, tokens_of_characters(plan, 16_000))
    return {
        "tokens": plan.context.tokens_before - carried,
        "target": plan.target,
        "summary_share": share,
        "words": sum(map(oracle.characters, asked)),
        "facts": len(facts),
        "loop": len(loop),
        "request": tokens_of_characters(plan, oracle.last_request(raws)),
        **made,
    }


def tokens_of_characters(plan: Plan, characters: int) -> int:
    """Tokens by the plan's ratio."""
    ratio = plan.context.characters_per_token
    return characters * ratio.denominator // ratio.numerator


def left(
    done: Compaction, asked: Sequence[str], facts: Sequence[oracle.Wanted], loop: Sequence[str], raws: list[Any]
) -> dict[str, Any]:
    """What a compaction leaves."""
    text = oracle.context(done.messages)
    held = oracle.survivors([*facts], text)
    carried = tokens_of(done.plan.context.extras, done.plan.context.characters_per_token)
    summary = [raw for raw, one in zip(done.messages, done.conversation, strict=True) if one.marks.summary]
    kept = oracle.loop_characters(done.messages, loop)
    return {
        "tokens": done.tokens_after - carried,
        "words": oracle.words_present(asked, text),
        "in_summary": tokens_of_characters(done.plan, oracle.words_present(asked, oracle.context(summary))),
        "facts": len(held),
        "missing": [[one.kind, one.text] for one in facts if one not in held],
        "loop": tokens_of_characters(done.plan, kept),
        "whole_loop": bool(loop) and kept >= oracle.loop_characters(raws, loop),
        "next_of_loop": tokens_of_characters(done.plan, oracle.next_of_loop(raws, [*loop], done.messages)),
    }


def allowed(row: Mapping[str, Any], way: str) -> int:
    """Tokens that may be left: 32%, and what the words take of more than half of the summary's share."""
    return row["tokens"] * 32 // 100 + max(row[way]["in_summary"] - row["summary_share"] // 2, 0)


def loop_is_kept(row: Mapping[str, Any], way: str) -> bool:
    """Whether an unfinished loop is kept whole, or fills six tenths of the target, or has no room for one call more.

    The user's last message takes its part of the target.
    """
    one = row[way]
    filled = one["loop"] + row["request"]
    return one["whole_loop"] or filled * 10 >= row["target"] * 6 or filled + one["next_of_loop"] > row["target"]


def measured(places: Sequence[Path], folder: Path) -> list[dict[str, Any]]:
    """The figures of every session in these places; of one that cannot be read the reason."""
    rows: list[dict[str, Any]] = []
    for path in sorted(places):
        try:
            rows += compacted(path, folder)
        except InvalidInput as error:
            rows.append({"file": path.relative_to(folder).as_posix(), "error": str(error)})
    return rows


def sessions(folder: Path) -> list[Path]:
    """The transcripts in a folder of tools and their sources."""
    return [path for path in folder.rglob("*/*/*") if path.is_file()]


def counted(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The cuts that are cases for compaction: a conversation that is large enough, or words of a person in it."""
    return [row for row in data["rows"] if "error" not in row and (row["words"] or row["tokens"] >= LARGE)]


def share_of_words(row: Mapping[str, Any], way: str) -> float:
    """The share of the user's words that is present, 0 to 1; 1 where there are none."""
    held: int = row[way]["words"]
    return held / row["words"] if row["words"] else 1.0


def table(data: Mapping[str, Any]) -> str:
    """Return the page's table: a line for each format and one for all."""
    rows = counted(data)
    head = ("agent", "compactions", "the user's words, median", "least", "facts", "tokens left, median")
    kinds = dict.fromkeys(row["format"] for row in rows)
    lines = [_line(kind, [row for row in rows if row["format"] == kind]) for kind in kinds]
    return rows_of(head, *lines, _line("all", rows))


def _line(kind: str, rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    words = [share_of_words(row, way) for row in rows if row["words"] for way in WAYS]
    facts = sum(row[way]["facts"] for row in rows for way in WAYS)
    left_over = [row[way]["tokens"] / row["tokens"] for row in rows for way in WAYS]
    return (
        kind,
        str(len(rows)),
        f"{median(words):.1%}",
        f"{min(words):.1%}",
        f"{facts:,} of {sum(row['facts'] for row in rows) * len(WAYS):,}",
        f"{median(left_over):.0%}",
    )


def page(text: str, data: Mapping[str, Any]) -> str:
    """Return the page with the table of this data."""
    return filled(text, "what survives", table(data))


def show(rows: Sequence[Mapping[str, Any]]) -> None:
    """A line for each cut."""
    for row in rows:
        if "error" in row:
            print(row["file"], row["error"])
            continue
        cells = []
        for way in WAYS:
            one = row[way]
            loop = "whole" if one["whole_loop"] else f"{one['loop'] / max(row['target'], 1):.0%}"
            cells.append(
                f"{share_of_words(row, way):6.1%} words {one['facts']:>3}/{row['facts']:<3} "
                f"{one['tokens'] / row['tokens']:5.1%}{' over' * (one['tokens'] > allowed(row, way))}"
                + f" loop {loop}"
                * bool(row["loop"])
            )
        print(f"{row['file'][-50:]:<50} {row['cut']:<6} {row['tokens']:>8,} {row['words']:>6,} | " + " | ".join(cells))


def main(folder: str, *options: str) -> int:
    """Measure, show, and write the data and the page's table; `--show` writes nothing."""
    place = Path(folder).resolve()
    rows = measured(sessions(place), place)
    show(rows)
    if "--show" in options:
        return 0
    data = {"made": f"brim {brim.__version__}", "rows": rows}
    DATA.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), data), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
