"""`brim settings`, and the settings of the other commands: from files, the environment and flags."""

from __future__ import annotations

import os
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from brim.cli import complain
from brim.cli.limits import WrongUsage
from brim.cli.output import UNWRAPPED, console, cropped, print_json, safe
from brim.errors import BrimError
from brim.settings import DEFAULT, Settings, layer_of, load_settings, project_of

NAMES: Final = {
    "target_tokens": "--target",
    "memory.mode": "--mode",
    "preferences.permission_mode": "--permission-mode",
}
"""The flags of fields that have another name."""
NAME: Final = 28
"""Columns of a setting's name."""
VALUE: Final = 24
"""Columns of a value that has its origin beside it."""
LEAST: Final = 14
"""The same on a terminal of fewer columns than WIDE."""
WIDE: Final = 60


def settled(flags: Mapping[str, str | None], *, trust_project: bool) -> Settings:
    """The settings for a command that runs here; standard error says what was not taken.

    Raises WrongUsage for a flag, InvalidInput or Refused for a file.
    """
    given = {name: text for name, text in flags.items() if text is not None}
    origins = {name: NAMES.get(name, f"--{name.replace('_', '-')}") for name in given}
    try:
        flagged = layer_of(given, origins)
    except BrimError as error:
        raise WrongUsage(str(error)) from error
    project = project_of(Path.cwd())
    settings = load_settings(project, environ=os.environ, flags=flagged, trust_project=trust_project)
    complain(*settings.warnings)
    return settings


def run(*, trust_project: bool, as_json: bool) -> None:
    """Show every setting, its value and where it comes from. Raises InvalidInput or Refused."""
    settings = settled({}, trust_project=trust_project)
    if as_json:
        print_json({"settings": dict(rows(settings))})
        return
    out = console()
    width = VALUE if out.width >= WIDE else LEAST
    for name, row in rows(settings).items():
        value = cropped(_shown(row["value"]), width if out.width < UNWRAPPED else UNWRAPPED)
        line = safe(f"{name:<{NAME}} {value:<{width}} ")
        origin = row["from"]
        if name == "on_failure" and origin == DEFAULT:
            line += "raise with --summarizer anthropic, "
        out.print(f"[dim]{line}{origin}[/]" if origin == DEFAULT else f"{line}[bold]{safe(origin)}[/]", soft_wrap=True)


def rows(settings: Settings) -> dict[str, dict[str, Any]]:
    """For each setting its value and where it comes from."""
    return {
        name: {
            "value": False if name in settings.switched_off else _plain(settings.value(name)),
            "from": settings.switched_off.get(name, origin),
        }
        for name, origin in settings.origins.items()
    }


def _plain(value: Any) -> Any:
    """A value as JSON has it; a set in the order of its names, and memory files by their paths."""
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [getattr(one, "path", one) for one in value]
    return float(value) if isinstance(value, Decimal) else value


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(value) or "–"
    return "–" if value in (None, "") else str(value)


def is_set(settings: Settings, *names: str) -> bool:
    """Whether one of these fields has another value than brim's own."""
    return any(settings.origins[name] != DEFAULT for name in names)
