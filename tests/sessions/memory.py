"""A journal in memory, and messages to fill it with: what a session does is the same over every journal."""

from brim.sessions.lines import encode
from brim.sessions.records import SessionRecord
from brim.sessions.resume import RecordLine
from brim.sessions.session import Session

WORDS = "Words that do not matter. "


class MemoryJournal:
    """Lines in a list; `given` counts how many were handed out."""

    def __init__(self):
        self.kept = []
        self.given = 0

    def append(self, records):
        """Add records."""
        self.kept += [encode(record) for record in records]

    def lines_reversed(self):
        """The lines, the newest first."""
        for place in range(len(self.kept) - 1, -1, -1):
            self.given += 1
            yield RecordLine(place, self.kept[place])

    def lines(self):
        """The lines, the oldest first."""
        return (RecordLine(place, line) for place, line in enumerate(self.kept))

    def warnings(self):
        """Nothing was mended."""
        return ()

    def close(self):
        """Nothing is held."""


def new_session(journal=None):
    """A session over a journal in memory, and that journal."""
    journal = journal or MemoryJournal()
    session = Session("one", journal, None, is_writable=True)
    session.write(SessionRecord, session="one")
    return session, journal


def user(text=WORDS):
    """What a user says."""
    return {"role": "user", "content": text}


def thinks(text=WORDS):
    """An answer with thinking."""
    return {"role": "assistant", "content": [thought(), {"type": "text", "text": text}]}


def thought():
    """A thinking block."""
    return {"type": "thinking", "thinking": "Hm.", "signature": "signed"}


def call(name, *, thinking=False):
    """A call of a tool."""
    block = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": "ls"}}
    return {"role": "assistant", "content": [thought(), block] if thinking else [block]}


def result(name, text=WORDS):
    """What the tool answered."""
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": text}]}
