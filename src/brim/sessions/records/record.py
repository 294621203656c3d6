"""What every record of a log has; see `records`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from brim.sessions.summary_records import VERSION


class Record(BaseModel):
    """What every record has. Fields that are not known here are carried."""

    model_config = ConfigDict(frozen=True, extra="allow")

    v: int = Field(default=VERSION, description="The version of the form of the record.")
    id: str = Field(description="Ascends with time; unique within the session.")
    time: int = Field(description="When it was made, in milliseconds since 1970.")
