"""The form of a registry: what it says, and how that is written and read.

Part of the registry; specified by features/sessions/registry.feature (SES_02).
"""

from __future__ import annotations

import json

from pydantic import BaseModel, ConfigDict, Field

from brim.errors import InvalidInput
from brim.sessions.forms import first_fault
from brim.sessions.records.infos import SessionInfo
from brim.sessions.summary_records import VERSION, known_version


class Registry(BaseModel):
    """The sessions by id, and the preferences by name, such as default_model and permission_mode."""

    model_config = ConfigDict(frozen=True, extra="allow")

    v: int = Field(default=VERSION, description="The version of its form.")
    sessions: dict[str, SessionInfo] = Field(default={}, description="The sessions by id.")
    preferences: dict[str, str] = Field(default={}, description="The preferences by name.")


def written(registry: Registry) -> bytes:
    """Its JSON; escaped where it holds a lone surrogate, as the name of a folder that is no UTF-8 does."""
    try:
        return registry.model_dump_json(indent=1).encode()
    except ValueError:
        return json.dumps(registry.model_dump()).encode()


def parsed(data: bytes) -> Registry:
    """What a registry says. Raises InvalidInput where it is damaged, and Refused where it is of a newer version."""
    try:
        told = json.loads(data)
        if not isinstance(told, dict):
            raise InvalidInput("it is no object")
        known_version(told.get("v", VERSION), "registry")
        return Registry.model_validate(told)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(first_fault(error)) from error
