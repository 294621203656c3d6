"""The table of settings for checkpoints, which every command reads."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class CheckpointSettings(BaseModel):
    """The table [checkpoints] of a file of settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    snapshots: bool = Field(
        default=True, description="Whether checkpoints hold the files too, or the conversation alone (CHK_11)."
    )
    keep_days: int = Field(default=30, ge=1, description="Days that a checkpoint is kept (CHK_08).")
    keep_checkpoints: int = Field(
        default=100, ge=1, description="The newest checkpoints of a session that are kept (CHK_08)."
    )
