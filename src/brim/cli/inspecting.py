"""`brim inspect`: what fills the window, what is damaged, and when each profile would compact."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from brim.cli import inspect_page
from brim.cli.limits import check_flags, limits_for
from brim.cli.output import print_json, working
from brim.cli.reading import read_file
from brim.cli.settings import is_set, warn
from brim.cli.standard import title_of
from brim.settings import Settings
from brim.transcripts.inspection import Inspection, inspect_transcript

DECIDES: Final = ("profile", "threshold", "proactive_share", "share_basis", "output_cap")
"""Settings that decide when a compaction is due."""


def run(
    file: Path, *, model: str | None, window: int | None, max_output: int | None, settings: Settings, as_json: bool
) -> None:
    """Read, look and show. Raises InvalidInput or Refused."""
    warn(settings)
    check_flags(window, max_output)
    with working(f"reading {title_of(file)}"):
        transcript = read_file(file)
        found = inspect_transcript(transcript, limits_for(transcript, model, window, max_output), settings.policy)
        found = replace(found, model=model or found.model)
    if as_json:
        print_json(answer(found))
    else:
        inspect_page.show(found, title_of(file), is_set(settings, *DECIDES))


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
        "settings": asdict(found.settings),
        "profiles": {name: asdict(due) for name, due in found.profiles.items()},
    }
