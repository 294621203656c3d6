"""Aider's chat history: Markdown that holds every chat held in a folder, one after another.

A line tells by how it begins whose it is: the user's, aider's own, else the model's. Of what was sent, the file has the
words alone: no files, no map of the repository, no instructions, and tokens as they were shown, rounded.
"""

from __future__ import annotations

from typing import Final

from brim.transcripts.aider.history import History
from brim.transcripts.aider.lines import STARTED
from brim.transcripts.source import Source
from brim.transcripts.values import Transcript

NAME: Final = "aider"
FORM: Final = "aider chat history (Markdown)"
OWN_NAME: Final = ".aider.chat.history.md"
"""The name of the file in the project's folder."""
ROUNDED: Final = "aider writes down its tokens as it shows them, rounded to hundreds or thousands"
WORDS_ALONE: Final = "aider does not write down the files and the map of the repository that it sends with every prompt"


def recognise(source: Source) -> bool:
    """Whether the file is Markdown in which a chat of aider's begins."""
    return source.text is not None and any(line.startswith(STARTED) for line in source.text.split("\n"))


def read(source: Source) -> Transcript:
    """Read a history. Nothing of it can be damaged: what is no message is a line of aider's own."""
    history = History()
    for number, line in enumerate((source.text or "").split("\n"), 1):
        history.add(number, line.removesuffix("\r"))
    history.finish()
    history.dialogue.notes += [ROUNDED, WORDS_ALONE]
    folder = str(source.path.resolve().parent) if source.path.name == OWN_NAME else None
    return history.dialogue.transcript(NAME, version=history.version, model=history.model, folder=folder)
