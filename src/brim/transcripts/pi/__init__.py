"""Pi sessions: JSON lines, one entry a message, with a usage on every response.

Newer entries have an id and name their parent: what is read is then the branch that ends in the file's last entry. Who
asked for a compaction is not recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brim.transcripts.decoding import string
from brim.transcripts.pi.branch import branch_of
from brim.transcripts.pi.session import ROLES, Session
from brim.transcripts.source import Source
from brim.transcripts.values import Transcript

NAME: Final = "pi"
FORM: Final = "pi session (JSON lines)"
WHO_ASKED: Final = "pi does not record whether a compaction was asked for by hand"


def recognise(source: Source) -> bool:
    """Whether the file holds pi's header, or one of its messages."""
    return any(_is_ours(record) for _, record in source.records)


def _is_ours(record: Mapping[str, object]) -> bool:
    message = record.get("message")
    if record.get("type") == "session":
        return "cwd" in record
    return record.get("type") == "message" and isinstance(message, Mapping) and message.get("role") in ROLES


def read(source: Source) -> Transcript:
    """Read a session. Damaged entries are counted."""
    session = Session(source.damaged)
    for line, place, entry in branch_of(source.records, session.dialogue.left_out):
        session.add(line, place, entry)
    session.close()
    if any(made.kind == "compaction" for made in session.compactions):
        session.dialogue.notes.append(WHO_ASKED)
    header = next((record for _, record in source.records if record.get("type") == "session"), {})
    return session.dialogue.transcript(NAME, model=string(header.get("modelId")), folder=string(header.get("cwd")))
