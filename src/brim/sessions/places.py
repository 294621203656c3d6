"""Where sessions lie when nobody names a place, when something happened, and what a project's folder is called.

Part of the stores; specified by features/sessions/registry.feature (SES_02).
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Final, TypeAlias

import platformdirs

Clock: TypeAlias = Callable[[], int]
"""Tells the time in milliseconds since 1970."""

HOME: Final = "BRIM_HOME"
"""This variable names the folder of everything that brim keeps; without it, it is the platform's for such data."""
UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


def system_clock() -> int:
    """The time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def default_root() -> Path:
    """The folder that BRIM_HOME names, else the one the platform has for such data."""
    told = os.environ.get(HOME)
    return Path(told).expanduser() if told else Path(platformdirs.user_data_dir("brim", appauthor=False))


def folder_of(project: str) -> str:
    """The folder of a project: its own name, made safe, and eight signs that tell it from others of that name."""
    if not project:
        return "no-project"
    own = UNSAFE.sub("-", PurePath(project).name).strip(".-")[:40]
    return f"{own or 'project'}-{sha256(project.encode(errors='surrogateescape')).hexdigest()[:8]}"
