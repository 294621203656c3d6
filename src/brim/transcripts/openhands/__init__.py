"""OpenHands runs: one a line with its history of events, or the events of one run as they are.

A file may hold several runs: each is a conversation of its own, and they stand one after another. Events are of two
forms, an older one of actions and observations and a newer one in which each event names its kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from brim.transcripts.decoding import Json
from brim.transcripts.dialogue import Dialogue
from brim.transcripts.openhands.events import UNSENT, Events
from brim.transcripts.openhands.kinds import KINDS, KindEvents
from brim.transcripts.source import Source
from brim.transcripts.values import Transcript

NAME: Final = "openhands"
FORM: Final = "OpenHands events (JSON or JSON lines)"
OLDER: Final = ("action", "observation")
NO_CALLS: Final = ("message", "system", *UNSENT)
"""Actions that no observation answers."""
SOURCELESS: Final = ({"observation", "content", "extras"}, {"action", "args"})
"""Fields of the events that name no source."""


def recognise(source: Source) -> bool:
    """Whether the file holds events of OpenHands."""
    return any(_is_event(event) for _, events in _runs(source) for _, event in events[:20])


def _is_event(event: Json) -> bool:
    if not isinstance(event, Mapping) or not isinstance(event.get("source"), str):
        return isinstance(event, Mapping) and any(fields <= event.keys() for fields in SOURCELESS)
    return event.get("kind") in KINDS or any(isinstance(event.get(name), str) for name in OLDER)


def _runs(source: Source) -> Iterator[tuple[int, Sequence[tuple[int, Json]]]]:
    """The runs of a file: each with its line, and its events with theirs."""
    held = source.document
    if isinstance(held, Mapping):
        held = held.get("history", held.get("events"))
    if isinstance(held, list):
        yield 1, list(_linked(enumerate(held, 1)))
        return
    loose: list[tuple[int, Json]] = []
    for line, record in source.records:
        history = record.get("history")
        if isinstance(history, list):
            yield line, list(_linked((line, event) for event in history))
        else:
            loose.append((line, record))
    yield 0, list(_linked(loose))


def _linked(events: Iterable[tuple[int, Json]]) -> Iterator[tuple[int, Json]]:
    """The events one by one, out of pairs of an action and its observation too, which the oldest files hold.

    Where events have no ids, each gets its number, and an observation names the action before it as its cause.
    """
    flat = ((line, one, event) for line, one in events for event in (one if isinstance(one, list) else [one]))
    called: Json = None
    for number, (line, one, event) in enumerate(flat):
        if not isinstance(event, Mapping) or ("id" in event and one is event):
            yield line, event
            continue
        linked = {"id": f"{line}-{number}", **event}
        if isinstance(event.get("action"), str):
            is_call = event.get("source") != "user" and event["action"] not in NO_CALLS
            called = linked["id"] if is_call else None
        elif called is not None and event.get("cause") is None:
            linked["cause"] = called
        yield line, linked


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
