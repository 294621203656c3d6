"""Claude Code sessions: JSON lines, one record a block of a message, from version 1.0 on.

What is read as the main chain is the file's order without sub-agents (`isSidechain`) and without the records that only
the terminal shows. `parentUuid` is not followed: parallel results, progress and the records of one response fork that
tree all the time, and in the sessions this reader was held against no fork was a user's rewind. Where a user did
rewind, what was rewound is therefore still counted.
"""

from __future__ import annotations

from typing import Final

from brim.transcripts.claude_code.assembly import assemble
from brim.transcripts.claude_code.chain import Chain
from brim.transcripts.source import Source
from brim.transcripts.values import Transcript

NAME: Final = "claude-code"
FORM: Final = "Claude Code session (JSON lines)"
ROLES: Final = ("user", "assistant")
MARKS: Final = frozenset({"sessionId", "parentUuid", "uuid"})
"""Fields of which a record of the conversation has at least one."""


def recognise(source: Source) -> bool:
    """Whether the records are those of Claude Code."""
    return any(_is_ours(record) for _, record in source.records)


def _is_ours(record: dict[str, object]) -> bool:
    if record.get("type") in ROLES:
        return isinstance(record.get("message"), dict) and not MARKS.isdisjoint(record)
    return record.get("type") == "system" and "subtype" in record and "uuid" in record


def read(source: Source) -> Transcript:
    """Read a session. Damaged records are counted, never raised."""
    chain = Chain()
    for line, record in source.records:
        chain.add(line, record)
    return assemble(NAME, chain, source.damaged)
