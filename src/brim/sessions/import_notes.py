"""Import notes: what of a transcript a session does not take over, in sentences.

Part of importing; specified by features/sessions/importing.feature (SES_14).
"""

from __future__ import annotations

from collections.abc import Sequence

from brim.sessions.records.depth import is_deeper
from brim.sessions.records.lines import DEEPEST
from brim.transcripts.values import Transcript


def notes_of(transcript: Transcript, deep: frozenset[int]) -> tuple[str, ...]:
    """What whoever imports it has to know; `deep` are the messages that go deeper than a session takes."""
    return (*transcript.notes, *_without(transcript), *_damage(transcript), *deep_note(transcript, deep))


def _without(transcript: Transcript) -> Sequence[str]:
    """What a session has no place for: whoever goes on with it brings instructions and tools anew."""
    tools = len(transcript.tools or ())
    told = ["its system prompt"] if transcript.system else []
    told += [f"{tools} tool{'s' if tools > 1 else ''}"] if tools else []
    stands = "stand" if len(told) > 1 or tools > 1 else "stands"
    return [f"{' and '.join(told)} {stands} in the file alone: a session holds messages"] if told else []


def _damage(transcript: Transcript) -> Sequence[str]:
    if not transcript.damaged:
        return ()
    first = transcript.damaged[0]
    where = f"{transcript.counted} {first.line}: {first.reason}"
    if len(transcript.damaged) == 1:
        return (f"1 record could not be read and was skipped, at {where}",)
    return (f"{len(transcript.damaged)} records could not be read and were skipped, the first at {where}",)


def deep_messages(transcript: Transcript) -> frozenset[int]:
    """Which messages go deeper than a session takes, of those that were sent."""
    messages = enumerate(transcript.messages)
    return frozenset(n for n, one in messages if n not in transcript.unsent and is_deeper(one.raw, DEEPEST))


def deep_note(transcript: Transcript, deep: frozenset[int]) -> Sequence[str]:
    """That messages were left out for their depth; nothing where none were."""
    if not deep:
        return ()
    where = f"{transcript.counted} {transcript.lines[min(deep)]}: nested deeper than {DEEPEST} levels"
    if len(deep) == 1:
        return (f"1 message was left out, at {where}",)
    return (f"{len(deep)} messages were left out, the first at {where}",)
