"""Summary records: what a session keeps of a summary, in the form of today and in the one before it.

Specified by features/sessions/summary_records.feature (SES_05).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from brim.errors import InvalidInput, Refused
from brim.models import Tokens

VERSION: Final = 2
"""The version of every record that is written now."""
FIRST_VERSION: Final = 1
"""The version whose summary has four fields: content, generatedAt, summarizedMessageCount, originalTokenCount."""


class SummaryRecord(BaseModel):
    """A summary and its figures. Times are milliseconds since 1970, counts whole numbers from 0."""

    model_config = ConfigDict(frozen=True, extra="allow")

    content: str = Field(description="The summary itself, without the line that opens its message.")
    generated: int = Field(description="When it was made.")
    summarised: Tokens = Field(description="How many messages it stands for.")
    tokens_before: Tokens = Field(description="The estimate of all that was sent before.")
    tokens_after: Tokens | None = Field(default=None, description="The same afterwards; None where nobody noted it.")
    model: str = Field(default="", description="The model that wrote it; empty where none did, or nobody noted it.")
    prompt: str = Field(default="", description="The version of the prompt it was asked for with.")
    by: str = Field(default="", description="Who wrote it: model, template, truncate, fallback, or a caller.")


def known_version(told: object, what: str = "record") -> int:
    """The version of a record. Raises Refused where it is newer than what is read here, naming both."""
    if not isinstance(told, int) or isinstance(told, bool) or told < FIRST_VERSION:
        raise InvalidInput(f"a {what} has the version {told!r}; versions are whole numbers from {FIRST_VERSION}")
    if told > VERSION:
        raise Refused(f"a {what} is of version {told}, and this brim reads up to {VERSION}: read it with a newer brim")
    return told


def summary_of_today(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a summary of the first version under the names they have now. Raises InvalidInput."""
    return {
        "content": given.get("content"),
        "generated": _milliseconds(given.get("generatedAt")),
        "summarised": given.get("summarizedMessageCount"),
        "tokens_before": given.get("originalTokenCount"),
    }


def _milliseconds(told: object) -> object:
    """A time told in words as milliseconds; anything else as it is."""
    if not isinstance(told, str):
        return told
    try:
        return round(datetime.fromisoformat(told).timestamp() * 1000)
    except ValueError as error:
        raise InvalidInput(f"a summary was generated at {told!r}; a time reads 2025-01-15T10:30:00Z") from error
