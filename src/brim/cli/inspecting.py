"""`brim inspect`: what fills the window, what is damaged, and when each profile would compact."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from brim.cli import inspect_page
from brim.cli.limits import limits_for, told_limits
from brim.cli.output import print_json, working
from brim.cli.reading import read_file
from brim.transcripts.inspection import Inspection, inspect_transcript


def run(file: Path, *, model: str | None, window: int | None, max_output: int | None, as_json: bool) -> None:
    """Read, look and show. Raises InvalidInput or Refused."""
    told_limits(model, window, max_output)
    with working(f"reading {file.name}"):
        transcript = read_file(file)
        found = inspect_transcript(transcript, limits_for(transcript, model, window, max_output))
        found = replace(found, model=model or found.model)
    if as_json:
        print_json(answer(found))
    else:
        inspect_page.show(found, file)


def answer(found: Inspection) -> dict[str, Any]:
    """The inspection as JSON."""
    return {
        "format": found.format,
        "version": found.version,
        "model": found.model,
        "window": found.window,
        "messages": found.messages,
        "turns": found.turns,
        "tool_calls": found.tool_calls,
        "damaged_lines": [damage.line for damage in found.damaged],
        "damage": [{"line": damage.line, "reason": damage.reason} for damage in found.damaged],
        "counted": found.counted,
        "left_out": dict(found.left_out),
        "unpaired": list(found.unpaired),
        "notes": list(found.notes),
        "conversations": found.conversations,
        "responses": found.responses,
        "context_peak": found.context_peak,
        "window_peak": found.window_peak,
        "window_now": found.window_now,
        "characters_per_token": found.characters_per_token,
        "composition": found.composition.shares,
        "tool_output_by_tool": found.composition.by_tool,
        "not_in_file": found.composition.unseen,
        "compactions": [
            {"kind": made.kind, "recorded": made.recorded, "held": made.held, "line": made.line}
            for made in found.compactions
        ],
        "anchors": [
            {
                "turn": anchor.turn,
                "kind": anchor.kind,
                "confidence": anchor.confidence,
                "weight": anchor.weight,
                "synthetic": anchor.synthetic,
            }
            for anchor in found.anchors
        ],
        "profiles": {
            name: {"threshold": due.threshold, "first_due": due.first_due, "note": due.note}
            for name, due in found.profiles.items()
        },
    }
