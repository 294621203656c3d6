"""Preferences in a table: a row each.

Part of the registry (SES_02).
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from brim.errors import InvalidInput
from brim.sessions.postgres.server import Server
from brim.sessions.postgres.tables import PREFERENCES


class SqlPreferences:
    """The preferences of a store."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def set(self, name: str, value: str) -> None:
        """Set one. Raises InvalidInput for a name that is empty."""
        if not name.isidentifier():
            raise InvalidInput(f"no preference is called {name!r}: a name is made of letters, digits and underscores")
        row = {"name": json.dumps(name), "value": json.dumps(value)}
        added = insert(PREFERENCES).values(row)
        set_anew = added.on_conflict_do_update(index_elements=["name"], set_={"value": added.excluded.value})
        with self._server.asked(f"set the preference {name}") as connection:
            connection.execute(set_anew)

    def told(self) -> Mapping[str, str]:
        """Those that were set, as they are now."""
        with self._server.asked("read the preferences") as connection:
            rows = connection.execute(select(PREFERENCES.c.name, PREFERENCES.c.value)).all()
        return {json.loads(name): json.loads(value) for name, value in rows}
