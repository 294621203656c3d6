"""The registry of Claude Code: which transcript is that of its session, and what its user prefers.

Specified by features/sessions/claude_code_records.feature (SES_17).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import BaseModel, Field, ValidationError

from brim.errors import InvalidInput, faults_of
from brim.transcripts import Transcript, read_transcript
from brim.transcripts.source import mapping, moment, read_source

KEYS: Final = frozenset({"sessions", "preferences", "projects"})
"""Of these a registry has at least one."""
HOME: Final = "~/.claude/projects"


class RegistryEntry(BaseModel):
    """A session in the registry."""

    transcript: str = Field(alias="transcriptPath", description="The file; from the registry's folder on.")
    id: str | None = Field(default=None, description="Its id.")
    cwd: str | None = Field(default=None, description="The folder of its project.")
    model: str | None = Field(default=None, description="Its model.")
    last_active: str | float | None = Field(default=None, alias="lastActive", description="A time in ISO 8601.")


class RecordRegistry(BaseModel):
    """The file."""

    sessions: dict[str, RegistryEntry] = Field(default={}, description="By their ids.")
    preferences: dict[str, object] = Field(default={}, description="defaultModel, permissionMode.")

    @property
    def settings(self) -> dict[str, object]:
        """The settings of brim for what the user prefers; None for what the file does not name."""
        named = {
            "default_model": self.preferences.get("defaultModel"),
            "permission_mode": self.preferences.get("permissionMode"),
        }
        return {name: value for name, value in named.items() if isinstance(value, str)}


def read_registered(path: Path) -> Transcript | None:
    """The transcript of the one session that a registry names; None where the file is no registry (SES_17).

    Raises InvalidInput where it names none or several, or one whose transcript cannot be read.
    """
    try:
        document = read_source(path).document
    except InvalidInput:
        return None
    if not isinstance(document, Mapping) or KEYS.isdisjoint(document):
        return None
    try:
        registry = RecordRegistry.model_validate(document)
    except ValidationError as error:
        raise InvalidInput(f"{path} is no registry of Claude Code: {faults_of(error)}") from error
    places = {name: path.parent / Path(one.transcript).expanduser() for name, one in registry.sessions.items()}
    settings = ", ".join(f"{name} is {value}" for name, value in registry.settings.items())
    prefers = (f"what Claude Code prefers is not taken over; in your brim.toml it is: {settings}",) if settings else ()
    if len(places) != 1:
        cure = f"name a transcript, such as one below {HOME}" if not places else "name the transcript of one"
        such = ", ".join(map(str, places.values()))
        found = f"{path} names {f'{len(places)} sessions' if places else 'no session'}; {cure}"
        raise InvalidInput("; ".join(filter(None, (f"{found}: {such}" if such else found, *prefers))))
    ((name, entry),) = registry.sessions.items()
    transcript = read_transcript(places[name])
    return replace(
        transcript,
        session=entry.id or name,
        folder=transcript.folder or entry.cwd,
        model=transcript.model or entry.model or mapping(registry.settings).get("default_model"),
        created=None if any(transcript.times) else moment(entry.last_active),
        notes=(*transcript.notes, *prefers),
    )
