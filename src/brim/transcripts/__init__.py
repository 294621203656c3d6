"""Transcripts that other tools wrote, read into brim's own messages."""

from brim.transcripts.formats import read_transcript
from brim.transcripts.values import Damaged, RecordedCompaction, ResponseRecord, Transcript, TranscriptView
from brim.transcripts.window import view, view_before

__all__ = [
    "Damaged",
    "RecordedCompaction",
    "ResponseRecord",
    "Transcript",
    "TranscriptView",
    "read_transcript",
    "view",
    "view_before",
]
