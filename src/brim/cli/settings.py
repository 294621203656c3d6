"""`brim settings`, and the settings of the other commands: from files, the environment and flags."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, Final

from pydantic import Field

from brim.cli import complain
from brim.cli.limits import WrongUsage
from brim.cli.output import cropped
from brim.cli.report import Element, Line, Report, Table, shown_value
from brim.errors import BrimError, shown
from brim.settings import DEFAULT, TABLES, Settings, layer_of, load_settings, project_of

NAMES: Final = {
    "target_tokens": "--target",
    "memory.mode": "--mode",
    "preferences.permission_mode": "--permission-mode",
}
"""The flags of fields that have another name."""
LONGEST: Final = 60
"""Characters of a value in the list of all settings."""
RULES: Final = re.compile(r" \((?:[A-Z]{3}_\d\d(?:, )?)+\)")
"""The rules that a meaning names, for the site and for those who read the code."""


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


class Value(Report):
    """A setting."""

    value: Any
    """Its value."""
    origin: str = Field(serialization_alias="from")
    """The file, variable or profile that it comes from, or default."""
    meaning: str
    """What it sets, and in which unit."""


class SettingsReport(Report):
    """The value of each setting, and where it comes from."""

    commands: ClassVar = ("settings",)
    settings: dict[str, Value]
    """Each setting, by its name."""

    def page(self) -> Iterator[Element]:
        """Yield a row for each setting, and what a single one means; with a model a failure is an error by default."""
        rows, longest = [], LONGEST if len(self.settings) > 1 else None
        for name, one in self.settings.items():
            apart = "raise with --summarizer anthropic, " if (name, one.origin) == ("on_failure", DEFAULT) else ""
            text = shown_value(one.value)
            rows.append((name, f"{cropped(text, longest or len(text))} ({apart}{one.origin})"))
        yield Table(rows, whole=True)
        if len(self.settings) == 1:
            yield from (Line(one.meaning) for one in self.settings.values())
        elif any(len(shown_value(one.value)) > LONGEST for one in self.settings.values()):
            yield Line("A long value whole: brim settings NAME", style="dim")


def report(settings: Settings, name: str | None = None) -> SettingsReport:
    """Report on settings, or on one of them. Raises WrongUsage for a name that none has."""
    off = settings.switched_off
    if name is not None and name not in settings.origins:
        near = get_close_matches(name, settings.origins, 1)
        cure = f"did you mean {near[0]}?" if near else "brim settings lists them"
        raise WrongUsage(f"there is no setting {shown(name)}; {cure}")
    fields = {
        one: field
        for table, model in TABLES.items()
        for key, field in model.model_fields.items()
        for one in (key, f"{table}.{key}")
    }
    values = {
        one: Value(
            value=False if one in off else _plain(settings.value(one)),
            origin=off.get(one, origin),
            meaning=RULES.sub("", fields[one].description or ""),
        )
        for one, origin in settings.origins.items()
        if name in (None, one)
    }
    return SettingsReport(settings=values)


def _plain(value: Any) -> Any:
    """A value as JSON has it; a set in the order of its names, and memory files by their paths."""
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [getattr(one, "path", one) for one in value]
    return float(value) if isinstance(value, Decimal) else value


def is_set(settings: Settings, *names: str) -> bool:
    """Whether one of these fields has another value than brim's own."""
    return any(settings.origins[name] != DEFAULT for name in names)
