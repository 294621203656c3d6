"""Sessions on PostgreSQL: the same store past one machine, chosen by its URL.

Specified by features/sessions/sql.feature (SES_13). Needs the extra `postgres`.
"""

from brim.errors import InvalidInput, lacks_extra

try:
    from brim.sessions.sql.server import redacted
    from brim.sessions.sql.store import SqlStore
except ImportError as error:
    raise InvalidInput(lacks_extra("a store on PostgreSQL", "postgres", error)) from error

__all__ = ["SqlStore", "redacted"]
