"""Settings of memory files: the table [memory] of a brim.toml.

Each field is shown by features/memory/loading.feature (MEM_03) or features/memory/migration.feature (MEM_07).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from brim.errors import InvalidInput, faults_of

Mode: TypeAlias = Literal["opencode", "claude-code", "nearest"]
"""Whose way of finding memory files is followed (MEM_01)."""


class ConfiguredFile(BaseModel):
    """A memory file that settings name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(
        min_length=1,
        description="A path or a pattern: absolute, or below the home folder after ~/; any other is looked for in the "
        "current folder and those above it, up to the project root.",
    )
    required: bool = Field(default=False, strict=True, description="Whether it is an error if there is no such file.")

    @property
    def leads_outside(self) -> bool:
        """Whether it may name a file outside of a project."""
        return self.path.startswith(("/", "~")) or ".." in self.path.replace("\\", "/").split("/")


class MemorySettings(BaseModel):
    """How memory files are found, and how much brim adds to one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Mode = Field(default="claude-code", description="Whose way of finding memory files is followed (MEM_01).")
    files: tuple[ConfiguredFile, ...] = Field(
        default=(), description="More files: texts, or tables with path and required (MEM_03)."
    )
    external_imports: bool = Field(
        default=False,
        strict=True,
        description="Whether a project's file may import files outside of the project, or be a link to one (MEM_08).",
    )
    file_bytes: int = Field(
        default=262_144, ge=1, strict=True, description="Bytes of a memory file that is loaded, at most (MEM_09)."
    )
    section_chars: int = Field(
        default=8_000,
        ge=0,
        strict=True,
        description="Characters of all lines that brim adds to a memory file, at most (MEM_07).",
    )

    @field_validator("files", mode="before")
    @classmethod
    def _from_texts(cls, files: Any) -> Any:
        if not isinstance(files, (list, tuple)):
            return files
        return tuple({"path": one} if isinstance(one, str) else one for one in files)


DEFAULT: Final = MemorySettings()
"""The settings where none are given."""


def read_settings(values: Mapping[str, Any]) -> MemorySettings:
    """The settings of these fields. Raises InvalidInput for one that does not exist or cannot be."""
    try:
        return MemorySettings(**values)
    except ValidationError as error:
        raise InvalidInput(faults_of(error, MemorySettings.model_fields)) from error
