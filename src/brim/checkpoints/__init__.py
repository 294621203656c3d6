"""Checkpoints: ways back for the files of a project and for a session's conversation.

A public name is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING, Final

from brim.lazy import homes_of, lazy_names

if TYPE_CHECKING:
    from brim.checkpoints.checkpoints import Checkpoints as Checkpoints
    from brim.checkpoints.checkpoints import Freed as Freed
    from brim.checkpoints.checkpoints import Restored as Restored
    from brim.checkpoints.settings import CheckpointSettings as CheckpointSettings
    from brim.checkpoints.snapshots import FileChange as FileChange
    from brim.sessions.records import CheckpointRecord as CheckpointRecord

HOMES: Final = homes_of(
    {
        "brim.sessions.records": "CheckpointRecord",
        "brim.checkpoints.settings": "CheckpointSettings",
        "brim.checkpoints.checkpoints": "Checkpoints Freed Restored",
        "brim.checkpoints.snapshots": "FileChange",
    }
)
"""Where each public name is defined."""
__all__ = list(HOMES)
if not TYPE_CHECKING:  # or a checker would take any name for a public one
    __getattr__, __dir__ = lazy_names(__name__, HOMES)
