"""Memory files, CLAUDE.md and AGENTS.md: which are loaded, what they import, and what a compaction adds to one.

A public name is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING, Final

from brim.lazy import homes_of, lazy_names

if TYPE_CHECKING:
    from brim.memory.loading import Memory as Memory
    from brim.memory.loading import MemoryFile as MemoryFile
    from brim.memory.migration import Lasting as Lasting
    from brim.memory.migration import MigrateAtCompaction as MigrateAtCompaction
    from brim.memory.migration import Migration as Migration
    from brim.memory.migration import lasting as lasting
    from brim.memory.migration import migrate as migrate
    from brim.memory.settings import MemorySettings as MemorySettings

HOMES: Final = homes_of(
    {
        "brim.memory.loading": "Memory MemoryFile",
        "brim.memory.migration": "Lasting MigrateAtCompaction Migration lasting migrate",
        "brim.memory.settings": "MemorySettings",
    }
)
"""Where each public name is defined."""
__all__ = list(HOMES)
if not TYPE_CHECKING:  # or a checker would take any name for a public one
    __getattr__, __dir__ = lazy_names(__name__, HOMES)
