"""Codex rollouts: JSON lines of a session's items, its turns and its compactions.

The items are those of OpenAI's Responses API. What the window held stands in events of their own, and every other event
repeats an item for the screen. Reasoning, and the summary of a compaction, are often encrypted: the file shows that
they were there, and no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brim.transcripts.codex.rollout import SEALED_REASONING, Rollout
from brim.transcripts.source import Source
from brim.transcripts.values import Transcript

NAME: Final = "codex"
FORM: Final = "Codex rollout (JSON lines)"
KINDS: Final = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")


def recognise(source: Source) -> bool:
    """Whether the file holds records of a rollout: one of its kinds around a payload."""
    return any(
        record.get("type") in KINDS and isinstance(record.get("payload"), Mapping) for _, record in source.records
    )


def read(source: Source) -> Transcript:
    """Read a rollout. Damaged records are counted."""
    rollout = Rollout(source.damaged)
    for line, record in source.records:
        rollout.add(line, record)
    rollout.dialogue.notes += _hidden(rollout)
    about = {"version": rollout.version, "system": rollout.system, "folder": rollout.folder}
    return rollout.dialogue.transcript(NAME, **about, window=rollout.counts.window)


def _hidden(rollout: Rollout) -> list[str]:
    """What the file holds and only the provider can read, in words."""
    counts = {"of reasoning": rollout.dialogue.left_out[SEALED_REASONING], "of summaries": rollout.sealed}
    told = [f"{count:,} {what}" for what, count in counts.items() if count]
    return [f"encrypted, and so not read: {' and '.join(told)}"] if told else []
