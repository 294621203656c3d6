"""Where conversations live: a log that only grows, a view of it that the model sees, and stores of many.

A public name is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING, Final

from brim.lazy import homes_of, lazy_names

if TYPE_CHECKING:
    from brim.errors import SessionHeld as SessionHeld
    from brim.errors import StoreFailed as StoreFailed
    from brim.sessions.session import Session as Session
    from brim.sessions.store import SessionStore as SessionStore
    from brim.sessions.store import open_store as open_store

HOMES: Final = homes_of(
    {
        "brim.errors": "SessionHeld StoreFailed",
        "brim.sessions.session": "Session",
        "brim.sessions.store": "SessionStore open_store",
    }
)
"""Where each public name is defined."""
__all__ = list(HOMES)
if not TYPE_CHECKING:  # or a checker would take any name for a public one
    __getattr__, __dir__ = lazy_names(__name__, HOMES)
