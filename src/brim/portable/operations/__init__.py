"""Every operation that brim answers, a module a room: importing this package declares them all."""

from __future__ import annotations

import importlib
import pkgutil

from brim.portable.operation import OPERATIONS, perform

__all__ = ["OPERATIONS", "perform"]

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
