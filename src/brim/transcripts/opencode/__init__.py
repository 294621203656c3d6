"""OpenCode sessions: an export (session, messages and parts as one JSON value), or the storage tree they lie in.

A tool part holds the call and its result; a compaction is a marker of the user and a summary of the assistant; pruning
is a time on the tool part. Numbers of lines are those of the messages in their list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brim.transcripts.opencode import tree
from brim.transcripts.opencode.session import read_session
from brim.transcripts.source import Json, Source
from brim.transcripts.values import Transcript

NAME: Final = "opencode"
FORM: Final = "OpenCode session (an export, or its storage folder)"


def recognise(source: Source) -> bool:
    """Whether the file is an export or a session file of the storage tree."""
    return _is_export(source.document) or tree.is_session(source.document)


def _is_export(document: Json) -> bool:
    if not isinstance(document, Mapping) or not isinstance(document.get("messages"), list):
        return False
    messages = document["messages"]
    if not messages:
        return isinstance(document.get("info"), Mapping) and "projectID" in document["info"]
    return any(isinstance(message, Mapping) and {"info", "parts"} <= message.keys() for message in messages)


def read(source: Source) -> Transcript:
    """Read a session. Damaged messages and parts are counted."""
    whole = tree.gather_session(source.path, source.document) if tree.is_session(source.document) else source
    return read_session(NAME, whole.document, whole.damaged)
