"""Sessions on PostgreSQL: the same store past one machine, chosen by its URL.

Specified by features/sessions/sql.feature (SES_13). Needs the extra `postgres`.
"""

from brim.errors import InvalidInput

try:
    from brim.sessions.sql.server import redacted
    from brim.sessions.sql.store import SqlStore
except ImportError as error:
    raise InvalidInput(
        f"sessions on PostgreSQL need more ({error}): install brim with its extra, "
        "as by pip install '.[postgres]' in a clone"
    ) from error

__all__ = ["SqlStore", "redacted"]
