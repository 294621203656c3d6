"""Every operation that brim answers, a module a room: importing this package declares them all, in this order."""

from __future__ import annotations

import importlib

from brim.portable.operation import OPERATIONS, perform

__all__ = ["OPERATIONS", "perform"]

for _room in ("tokens", "trigger", "pruning", "selection", "summary", "agents", "sessions"):
    importlib.import_module(f"{__name__}.{_room}")
