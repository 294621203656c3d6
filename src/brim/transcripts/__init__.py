"""Transcripts that other tools wrote, read into brim's own messages."""

from brim.transcripts.formats import read_transcript
from brim.transcripts.values import CompactionRecord, Damaged, ResponseRecord, Transcript, View
from brim.transcripts.window import view, view_before

__all__ = [
    "CompactionRecord",
    "Damaged",
    "ResponseRecord",
    "Transcript",
    "View",
    "read_transcript",
    "view",
    "view_before",
]
