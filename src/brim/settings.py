"""Settings from files, the environment and flags: the layers above a profile's presets, and where each value came from.

Specified by features/cli/settings.feature (SET_02 to SET_05).
"""

from __future__ import annotations

import difflib
import re
import tomllib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args, get_origin

from platformdirs import user_config_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from brim.checkpoints.settings import CheckpointSettings
from brim.compaction.policy import CompactionPolicy
from brim.errors import BrimError, InvalidInput, faults_of, nearest, shown
from brim.memory.discovery import repository_root, upwards
from brim.memory.settings import MemorySettings
from brim.pruning.tool_outputs import SWITCHES as PRUNE_SWITCHES
from brim.sessions.paths import HOME
from brim.trigger.overflow import SWITCHES, is_on
from brim.trigger.profiles import PROFILES

FILE: Final = "brim.toml"
"""The name of a file of settings, in the user's configuration folder and in a project."""
USER_ONLY: Final = frozenset(
    {
        "enabled",
        "focus",
        "harness_tags",
        "max_summary_tokens",
        "on_failure",
        "prompt",
        "required_facts",
        "summary_model",
        "token_counter",
    }
)
"""Fields of the policy that a project's file may not set: what a summary model is asked, what replaces its summary,
whose words count as the user's, and whether brim compacts at all. A cloned repository brings such a file along."""
DEFAULT: Final = "default"
COUNTS: Final = "a whole number from 0, such as 200000, 200k or 1m"


PermissionMode: TypeAlias = Literal["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"]
"""What an agent does with a use of a tool that no rule decides, in the words of Claude Code."""


class Preferences(BaseModel):
    """What the user prefers where nothing is named (S2, section 3); a project sets it only if trusted (SET_05)."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    default_model: str = Field(
        default="",
        description="The model where neither the command line nor the transcript or session names one (SET_05).",
    )
    permission_mode: PermissionMode = Field(
        default="default",
        description="What an agent may do without asking, in the words of Claude Code (SET_05, AGT_09).",
    )


TABLES: Final[Mapping[str, type[BaseModel]]] = MappingProxyType(
    {
        "compaction": CompactionPolicy,
        "preferences": Preferences,
        "memory": MemorySettings,
        "checkpoints": CheckpointSettings,
    }
)
"""The tables of a file of settings."""
FIELDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        field if table == "compaction" else f"{table}.{field}": (table, field)
        for table, model in TABLES.items()
        for field in model.model_fields
    }
)
"""For each setting its table and its name in it; in front of it stands its table's name, but for the first table's."""
VARIABLES: Final[Mapping[str, str]] = MappingProxyType(
    {f"BRIM_{name.upper().replace('.', '_')}": name for name in FIELDS if name != "token_counter"}
)
"""The setting of each variable: its name among all settings in capitals, as in BRIM_MEMORY_MODE."""


class Setting(NamedTuple):
    """The value of a setting, and the name of the place that gives it."""

    value: Any
    origin: str


Layer: TypeAlias = dict[str, Setting]
"""The settings of one place, by their names among all settings."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The value of each table, where each of their fields comes from, and what was not taken."""

    compaction: CompactionPolicy
    preferences: Preferences
    memory: MemorySettings
    checkpoints: CheckpointSettings
    origins: Mapping[str, str]
    """For each field: a file, a variable, a flag, a profile, or the word default."""
    warnings: tuple[str, ...]
    switched_off: Mapping[str, str]
    """Fields that a switch of the environment turns off whatever is set, with its name (TRG_06, PRN_08)."""

    @property
    def policy(self) -> CompactionPolicy:
        """The table [compaction]."""
        return self.compaction

    def value(self, name: str) -> Any:
        """Return the value of a field, by its name among all settings."""
        table, field = FIELDS[name]
        return getattr(getattr(self, table), field)


def load_policy(
    project: Path | str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
    trust_project: bool = False,
) -> CompactionPolicy:
    """Return the policy that the files of the user and of a project set; warns of what is not taken.

    Args:
        project: a folder; its brim.toml counts, else [tool.brim] in its pyproject.toml. None for the user's file alone.
        environ: variables such as BRIM_THRESHOLD; a library passes none.
        flags: fields that win over all files, in the form that a policy takes or as the texts of files.
        trust_project: whether the project's file may set what USER_ONLY names.

    Raises InvalidInput that names the file and the key, also where the project is no folder.
    """
    if project is not None and not Path(project).is_dir():
        raise InvalidInput(f"there is no folder {project}; name the folder of a project")
    layer = layer_of(flags or {}, dict.fromkeys(flags or {}, "flags"))
    loaded = load_settings(project, environ=environ, flags=layer, trust_project=trust_project)
    for warning in loaded.warnings:
        warnings.warn(warning, stacklevel=2)
    return loaded.policy


def policy_of_file(path: Path) -> CompactionPolicy:
    """Return the policy that one file sets above the defaults. Raises InvalidInput, also where there is no file."""
    tables = _read(path)
    if tables is None:
        raise InvalidInput(f"there is no file {path}; name a brim.toml with the table [compaction]")
    policy: CompactionPolicy = _read_table("compaction", _from_tables(tables, str(path)))
    return policy


def load_settings(
    project: Path | str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    flags: Layer | None = None,
    trust_project: bool = False,
) -> Settings:
    """Return every setting as load_policy reads it, and its origin (SET_02). Raises InvalidInput or Refused."""
    not_taken: list[str] = []
    user_file = user_config_path("brim") / FILE
    found = _from_tables(_read(user_file) or {}, str(user_file))
    if project is not None:
        found |= _from_project(Path(project), not_taken, trusted=trust_project)
    found |= _from_environment(environ or {}, not_taken) | (flags or {})
    tables = {name: _read_table(name, found) for name in TABLES}
    profile = tables["compaction"].profile
    preset = dict.fromkeys(PROFILES[profile].presets, f"profile {profile}")
    switches = {"enabled": SWITCHES, "prune": PRUNE_SWITCHES}
    return Settings(
        **tables,
        origins={name: found[name].origin if name in found else preset.get(name, DEFAULT) for name in FIELDS},
        warnings=tuple(not_taken),
        switched_off={
            field: switch for field in switches for switch in switches[field] if is_on((environ or {}).get(switch))
        },
    )


def _read_table(name: str, found: Layer) -> Any:
    """Return the value of a table. Raises InvalidInput or Refused where its settings do not fit together."""
    return _table_with(
        name, {field: found[one].value for one, (of, field) in FIELDS.items() if of == name and one in found}
    )


def _table_with(table: str, values: Mapping[str, Any]) -> Any:
    """Return a table of these values. Raises InvalidInput or Refused."""
    try:
        return TABLES[table](**values)
    except ValidationError as error:
        raise InvalidInput(faults_of(error, TABLES[table].model_fields)) from error


def project_of(folder: Path) -> Path | None:
    """Find the nearest folder, from here up to the root of the repository, that holds settings of brim; else None.

    Outside of a repository only this folder counts: anybody may write into /tmp.
    """
    try:
        root = repository_root(folder)
    except OSError as error:
        where = f"{error.filename} cannot be looked into: {error.strerror}"
        raise InvalidInput(f"{where}; give yourself permission") from error
    for one in upwards(folder, root):
        if _read(one / FILE) is not None or _table_of_tool(one / "pyproject.toml") is not None:
            return one
    return None


def read_count(text: str) -> int:
    """Return a count as people write it: 200000, 200_000, 200k or 1.5m. Raises InvalidInput."""
    found = re.fullmatch(r"(\d[\d_]{0,17}(?:\.\d{1,9})?)([km]?)", text.strip(), re.IGNORECASE)
    units = {"": 1, "k": 1_000, "m": 1_000_000}
    count = Decimal(found[1].replace("_", "")) * units[found[2].lower()] if found else Decimal("0.5")
    if count % 1:
        raise InvalidInput(f"{shown(text)} is not {COUNTS}")
    return int(count)


def layer_of(texts: Mapping[str, Any], origins: Mapping[str, str]) -> Layer:
    """Return a layer of settings by their texts, each checked by itself. Raises InvalidInput that names the origin."""
    return {
        name: Setting(_checked(*FIELDS.get(name, ("compaction", name)), text, origins[name]), origins[name])
        for name, text in texts.items()
    }


def _checked(table: str, field: str, text: Any, origin: str) -> Any:
    try:
        value = _value(table, field, text)
        _table_with(table, {field: value})
    except BrimError as error:
        raise InvalidInput(f"{origin}: {error}") from error
    return value


def _from_project(folder: Path, not_taken: list[str], *, trusted: bool) -> Layer:
    """Read a project's file, with a warning of what it may not set (SET_03, MEM_03, MEM_08)."""
    path = folder / FILE
    tables, origin = _read(path), str(path)
    if tables is None:
        path = folder / "pyproject.toml"
        tables, origin = _table_of_tool(path) or {}, f"{path} [tool.brim]"
    found = _from_tables(tables, origin)
    refused = [] if trusted else sorted(name for name in found if _is_of_user(name, found[name].value))
    if refused:
        not_taken.append(
            f"{path} sets {', '.join(refused)}, which a project may not: ignored; --trust-project takes it"
        )
    return {name: one for name, one in found.items() if name not in refused}


def _is_of_user(name: str, value: Any) -> bool:
    """Return whether a project's file may not set this: it could remove checkpoints, or lead memory out of itself."""
    table, field = FIELDS[name]
    if table == "compaction":
        return field in USER_ONLY
    if table != "memory":
        return True
    memory = MemorySettings(**{field: value})
    return memory.external_imports or any(file.leads_outside for file in memory.files)


def _read(path: Path, word: bytes = b"") -> dict[str, Any] | None:
    """Return the tables of a file, or None; empty without `word`, as a project may have a file that is no TOML."""
    try:
        text = path.read_bytes()
        return tomllib.loads(text.decode("utf-8-sig"), parse_float=Decimal) if word in text else {}
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} cannot be read as TOML: {error}") from error


def _table_of_tool(path: Path) -> dict[str, Any] | None:
    """Return the table [tool.brim] of a pyproject.toml; None without one."""
    tool = (_read(path, b"brim") or {}).get("tool")
    table = tool.get("brim") if isinstance(tool, dict) else None
    return table if isinstance(table, dict) else None


def _from_tables(tables: Mapping[str, Any], origin: str) -> Layer:
    """Read the settings of a file's tables. Raises InvalidInput with the nearest key to an unknown one (SET_04)."""
    found: Layer = {}
    for name, fields in tables.items():
        if name not in TABLES:
            below = next((table for table, model in TABLES.items() if name in model.model_fields), "")
            hint = f"write it below [{below}]" if below else nearest(name, TABLES)
            raise InvalidInput(f"{origin}: there is no table or key {name!r} at the top; {hint}")
        if not isinstance(fields, dict):
            raise InvalidInput(f"{origin}: {name} is {type(fields).__name__}; it is a table")
        names = {field: one for one, (table, field) in FIELDS.items() if table == name}
        for field, value in fields.items():
            found[names[field]] = Setting(_checked(name, field, value, origin), origin)
    return found


def _from_environment(environ: Mapping[str, str], not_taken: list[str]) -> Layer:
    """Return the settings of the environment, with a warning for each unknown variable (SET_04)."""
    tests = (f"BRIM_{name}" for name in ("ALONE", "NIGHTLY", "REQUIRED", "SEED", "SHELF", "SITE", "TRANSCRIPTS"))
    known = [*VARIABLES, HOME]
    others = {*known, *SWITCHES, *PRUNE_SWITCHES, *tests}
    for variable in sorted(environ):
        if variable.startswith("BRIM_") and variable not in others:
            near = [one for one in known if one.endswith(variable.removeprefix("BRIM"))]
            near = near or difflib.get_close_matches(variable, known, n=1, cutoff=0.8)
            hint = f"did you mean {near[0]}?" if near else "brim settings lists the settings"
            not_taken.append(f"{variable} is no variable of brim; {hint}")
    named = {name: variable for variable, name in VARIABLES.items() if environ.get(variable, "").strip()}
    return layer_of({name: environ[variable] for name, variable in named.items()}, named)


def _value(table: str, name: str, value: Any) -> Any:
    """Read a text as the type of its field; every other value is left to the table to check."""
    if not isinstance(value, str) or name not in TABLES[table].model_fields:
        return value
    annotation = TABLES[table].model_fields[name].annotation
    text = value.strip()
    if annotation is bool:
        if not is_on(text) and text.lower() not in {"0", "false", "no", "off"}:
            raise InvalidInput(f"{name} is {text!r}; it is true or false")
        return is_on(text)
    if annotation is int or (name == "threshold" and not text.endswith("%")):
        try:
            return read_count(text)
        except InvalidInput as error:
            percent = ", or a percentage of the window such as 80%" if name == "threshold" else ""
            raise InvalidInput(f"{name} is {shown(text)}; it is {COUNTS}{percent}") from error
    if get_origin(annotation) in {frozenset, tuple}:
        return [one.strip() for one in text.split(",") if one.strip()]
    if Decimal in get_args(annotation):
        try:
            return Decimal(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ArithmeticError as error:
            raise InvalidInput(f"{name} is {text!r}; it is a share such as 0.2 or 20%") from error
    return text if name in ("model", "summary_model", "profile", "on_failure") else value
