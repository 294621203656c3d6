"""Memory files, CLAUDE.md and AGENTS.md: which are loaded, what they import, and what a compaction adds to one.

A public name is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING, Final

from brim.lazy import lazy_names

if TYPE_CHECKING:
    from brim.memory.loading import Memory as Memory
    from brim.memory.loading import MemoryFile as MemoryFile
    from brim.memory.migration import Lasting as Lasting
    from brim.memory.migration import MigrateAtCompaction as MigrateAtCompaction
    from brim.memory.migration import Migration as Migration
    from brim.memory.migration import lasting as lasting
    from brim.memory.migration import migrate as migrate
    from brim.memory.settings import MemorySettings as MemorySettings

HOMES: Final = {
    "Memory": "brim.memory.loading",
    "MemoryFile": "brim.memory.loading",
    "Lasting": "brim.memory.migration",
    "MigrateAtCompaction": "brim.memory.migration",
    "Migration": "brim.memory.migration",
    "lasting": "brim.memory.migration",
    "migrate": "brim.memory.migration",
    "MemorySettings": "brim.memory.settings",
}
"""Where each public name is defined."""
__all__ = list(HOMES)
__getattr__, __dir__ = lazy_names(__name__, HOMES)
