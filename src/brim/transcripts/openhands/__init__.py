"""OpenHands runs: one a line with its history of events, or the events of one run as they are.

A file may hold several runs: each is a conversation of its own, and they stand one after another. Events are of two
forms, an older one of actions and observations and a newer one in which each event names its kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from brim.transcripts.decoding import Json
from brim.transcripts.dialogue import Dialogue
from brim.transcripts.openhands.events import Events
from brim.transcripts.openhands.kinds import KINDS, KindEvents
from brim.transcripts.source import Source
from brim.transcripts.values import Transcript

NAME: Final = "openhands"
FORM: Final = "OpenHands events (JSON or JSON lines)"
OLDER: Final = ("action", "observation")


def recognise(source: Source) -> bool:
    """Whether the file holds events of OpenHands."""
    return any(_is_event(event) for _, events in _runs(source) for _, event in events[:20])


def _is_event(event: Json) -> bool:
    if not isinstance(event, Mapping) or not isinstance(event.get("source"), str):
        return isinstance(event, Mapping) and "observation" in event and "content" in event and "extras" in event
    return event.get("kind") in KINDS or any(isinstance(event.get(name), str) for name in OLDER)


def _runs(source: Source) -> Iterator[tuple[int, Sequence[tuple[int, Json]]]]:
    """The runs of a file: each with its line, and its events with theirs."""
    held = source.document
    if isinstance(held, Mapping):
        held = held.get("history", held.get("events"))
    if isinstance(held, list):
        yield 1, list(enumerate(held, 1))
        return
    loose: list[tuple[int, Json]] = []
    for line, record in source.records:
        history = record.get("history")
        if isinstance(history, list):
            yield line, [(line, event) for event in history]
        else:
            loose.append((line, record))
    yield 0, loose


def read(source: Source) -> Transcript:
    """Read the runs; what is no event is skipped and counted."""
    dialogue = Dialogue(source.damaged)
    told: dict[str, Json] = {}
    for _, events in _runs(source):
        if not events:
            continue
        dialogue.begin()
        newer = any(isinstance(event, Mapping) and event.get("kind") in KINDS for _, event in events)
        run = KindEvents(dialogue) if newer else Events(dialogue)
        for line, event in events:
            run.add(line, event)
        told |= {name: value for name, value in run.told.items() if value is not None}
    return dialogue.transcript(NAME, **told)
