"""Settings from files, the environment and flags: the layers above a profile's presets, and where each value came from.

Specified by features/cli/settings.feature (SET_02 to SET_05).
"""

from __future__ import annotations

import difflib
import re
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args, get_origin

from platformdirs import user_config_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from brim.checkpoints.retention import CheckpointSettings
from brim.compaction.policy import CompactionPolicy
from brim.errors import BrimError, InvalidInput, faults_of, nearest, shown
from brim.memory.discovery import repository_root, upwards
from brim.memory.settings import MemorySettings
from brim.memory.settings import read_settings as read_memory_settings
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
TEXTS: Final = frozenset({"focus", "prompt"})
"""Fields whose values are texts, whose white space counts."""
IN_PROGRAMS: Final = frozenset({"token_counter"})
"""Fields whose values are objects: no text names them."""
TESTS: Final = frozenset({"ALONE", "NIGHTLY", "REQUIRED", "SEED", "SHELF", "SITE", "TRANSCRIPTS"})
"""Variables of brim's own tests, without their BRIM_."""
PREFIX: Final = "BRIM_"
DEFAULT: Final = "default"
COUNTS: Final = "a whole number from 0, such as 200000, 200k or 1m"
LARGEST: Final = 10**18
"""Numbers are below it: nothing that is counted here is larger, and Python writes no number of thousands of digits."""
COUNT: Final = re.compile(r"(\d[\d_]{0,17})(\.\d{1,9})?([km]?)", re.IGNORECASE)
UNITS: Final = MappingProxyType({"": 1, "k": 1_000, "m": 1_000_000})


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


@dataclass(frozen=True, slots=True)
class SettingsTable:
    """A table of a file of settings."""

    name: str
    """Its name in the file; all but the first table's is in front of the names of its fields among all settings."""
    model: type[BaseModel]
    read: Callable[[Mapping[str, Any]], BaseModel]
    """Its value of these fields; raises InvalidInput."""
    is_of_user: Callable[[str, Any], bool] = lambda name, value: True  # noqa: ARG005  of a table that is the user's alone
    """Whether a project's file may not set a field to a value."""

    @property
    def prefix(self) -> str:
        """What is in front of the names of its fields among all settings, such as `memory.`."""
        return "" if self.name == "compaction" else f"{self.name}."


def _reader(model: type[BaseModel], what: str) -> Callable[[Mapping[str, Any]], BaseModel]:
    """Return what reads a table, and names a field that does not exist."""

    def read(values: Mapping[str, Any]) -> BaseModel:
        for name in values:
            if name not in model.model_fields:
                raise InvalidInput(f"there is no {what} {name!r}; {nearest(name, model.model_fields)}")
        try:
            return model(**values)
        except ValidationError as error:
            raise InvalidInput(faults_of(error)) from error

    return read


def _leads_outside(name: str, value: Any) -> bool:
    """Return whether a setting of memory files leads out of the project (MEM_03, MEM_08)."""
    memory = read_memory_settings({name: value})
    return memory.external_imports or any(file.leads_outside for file in memory.files)


TABLES: Final[Mapping[str, SettingsTable]] = MappingProxyType(
    {
        one.name: one
        for one in (
            SettingsTable(
                "compaction", CompactionPolicy, CompactionPolicy.model_validate, lambda name, _: name in USER_ONLY
            ),
            SettingsTable("preferences", Preferences, _reader(Preferences, "preference")),
            SettingsTable("memory", MemorySettings, read_memory_settings, _leads_outside),
            SettingsTable("checkpoints", CheckpointSettings, _reader(CheckpointSettings, "setting of checkpoints")),
        )
    }
)
"""The tables of a file of settings. A project could remove the checkpoints of a user, so they are the user's."""
COMPACTION: Final = TABLES["compaction"]
"""The table that holds the fields of the policy."""
FIELDS: Final[Mapping[str, tuple[SettingsTable, str]]] = MappingProxyType(
    {f"{table.prefix}{field}": (table, field) for table in TABLES.values() for field in table.model.model_fields}
)
"""For each setting its table, and its name in it."""
VARIABLES: Final[Mapping[str, str]] = MappingProxyType(
    {f"{PREFIX}{name.upper().replace('.', '_')}": name for name in FIELDS if name not in IN_PROGRAMS}
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
        return getattr(getattr(self, table.name), field)


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
    loaded = load_settings(project, environ=environ, flags=_from_program(flags or {}), trust_project=trust_project)
    for warning in loaded.warnings:
        warnings.warn(warning, stacklevel=2)
    return loaded.policy


def policy_of_file(path: Path) -> CompactionPolicy:
    """Return the policy that one file sets above the defaults. Raises InvalidInput, also where there is no file."""
    if not _is_there(path):
        raise InvalidInput(f"there is no file {path}; name a brim.toml with the table [{COMPACTION.name}]")
    policy: CompactionPolicy = _read_table(COMPACTION, _from_file(path))
    return policy


def load_settings(
    project: Path | str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    flags: Layer | None = None,
    trust_project: bool = False,
) -> Settings:
    """As load_policy, with where each value comes from (SET_02). Raises InvalidInput or Refused."""
    told: list[str] = []
    found = _from_file(user_config_path("brim") / FILE)
    if project is not None:
        found |= _from_project(Path(project), told, trusted=trust_project)
    found |= _from_environment(environ or {}, told) | (flags or {})
    tables = {table.name: _read_table(table, found) for table in TABLES.values()}
    profile = tables[COMPACTION.name].profile
    preset = dict.fromkeys(PROFILES[profile].presets, f"profile {profile}")
    return Settings(
        **tables,
        origins={name: found[name].origin if name in found else preset.get(name, DEFAULT) for name in FIELDS},
        warnings=tuple(told),
        switched_off=dict(_switched_off(environ or {})),
    )


def _read_table(table: SettingsTable, found: Layer) -> Any:
    """Return the value of a table. Raises InvalidInput or Refused where its settings do not fit together."""
    return table.read(
        {field: found[name].value for name, (of, field) in FIELDS.items() if of is table and name in found}
    )


def project_of(folder: Path) -> Path | None:
    """Find the nearest folder, from here up to the root of the repository, that holds settings of brim; else None.

    Outside of a repository only this folder counts: anybody may write into /tmp.
    """
    try:
        root = repository_root(folder)
    except OSError as error:
        raise _hidden(folder, error) from error
    for one in upwards(folder, root):
        if _is_there(one / FILE) or _table_of_tool(one / "pyproject.toml") is not None:
            return one
    return None


def read_count(text: str) -> int:
    """Return a count as people write it: 200000, 200_000, 200k or 1.5m. Raises InvalidInput."""
    found = COUNT.fullmatch(text.strip())
    count = Decimal(found[1].replace("_", "") + (found[2] or "")) * UNITS[found[3].lower()] if found else Decimal("0.5")
    if count % 1:
        raise InvalidInput(f"{shown(text)} is not {COUNTS}")
    return int(count)


def layer_of(texts: Mapping[str, Any], origins: Mapping[str, str]) -> Layer:
    """Return a layer of settings by their texts, each checked by itself. Raises InvalidInput that names the origin."""
    return {
        name: Setting(_checked(*FIELDS.get(name, (COMPACTION, name)), text, origins[name]), origins[name])
        for name, text in texts.items()
    }


def _checked(table: SettingsTable, field: str, text: Any, origin: str) -> Any:
    try:
        value = _value(table, field, text)
        if isinstance(value, int) and abs(value) >= LARGEST:
            raise InvalidInput(f"{field} is {shown(value)}; a number has at most 18 digits")
        table.read({field: value})
    except BrimError as error:
        raise InvalidInput(f"{origin}: {error}") from error
    return value


def _from_program(values: Mapping[str, Any]) -> Layer:
    objects = {name: Setting(value, "flags") for name, value in values.items() if name in IN_PROGRAMS}
    texts = {name: value for name, value in values.items() if name not in IN_PROGRAMS}
    return objects | layer_of(texts, dict.fromkeys(texts, "flags"))


def _from_file(path: Path) -> Layer:
    return _from_tables(_read(path), str(path)) if _is_there(path) else {}


def _from_project(folder: Path, told: list[str], *, trusted: bool) -> Layer:
    """Read a project's file, with a warning in `told` of what it may not set (SET_03, MEM_03, MEM_08)."""
    path = folder / FILE
    if _is_there(path):
        found = _from_file(path)
    else:
        path = folder / "pyproject.toml"
        found = _from_tables(_table_of_tool(path) or {}, f"{path} [tool.brim]")
    tables = {name: FIELDS[name] for name in found if not trusted}
    refused = sorted(name for name, (table, field) in tables.items() if table.is_of_user(field, found[name].value))
    if refused:
        told.append(f"{path} sets {', '.join(refused)}, which a project may not: ignored; --trust-project takes it")
    return {name: one for name, one in found.items() if name not in refused}


def _is_there(path: Path) -> bool:
    """Return whether there is such a file. Raises InvalidInput where this user may not see that."""
    try:
        return path.is_file()
    except OSError as error:
        raise _hidden(path, error) from error


def _hidden(path: Path, error: OSError) -> InvalidInput:
    where = error.filename or path
    return InvalidInput(f"{where} cannot be looked into: {error.strerror or error}; give yourself permission")


def _read(path: Path, word: bytes = b"") -> dict[str, Any]:
    """Read the tables of a file; none where it does not hold `word`, as a project may have a file that is no TOML."""
    try:
        text = path.read_bytes()
        return tomllib.loads(text.decode("utf-8-sig"), parse_float=Decimal) if word in text else {}
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} cannot be read as TOML: {error}") from error


def _table_of_tool(path: Path) -> dict[str, Any] | None:
    """Read the table [tool.brim] of a pyproject.toml; None without one. What does not name it is not parsed."""
    tool = _read(path, b"brim").get("tool") if _is_there(path) else None
    table = tool.get("brim") if isinstance(tool, dict) else None
    return table if isinstance(table, dict) else None


def _from_tables(tables: Mapping[str, Any], origin: str) -> Layer:
    """Read the settings of a file's tables. Raises InvalidInput with the nearest key to an unknown one (SET_04)."""
    found: Layer = {}
    for name, fields in tables.items():
        if name not in TABLES:
            below = next((table.name for table in TABLES.values() if name in table.model.model_fields), "")
            hint = f"write it below [{below}]" if below else nearest(name, TABLES)
            raise InvalidInput(f"{origin}: there is no table or key {name!r} at the top; {hint}")
        if not isinstance(fields, dict):
            raise InvalidInput(f"{origin}: {name} is {type(fields).__name__}; it is a table")
        table = TABLES[name]
        for field, given in fields.items():
            found[f"{table.prefix}{field}"] = Setting(_checked(table, field, given, origin), origin)
    return found


def _from_environment(environ: Mapping[str, str], told: list[str]) -> Layer:
    """Return the settings of the environment, with a warning in `told` for each unknown variable (SET_04)."""
    others = {HOME, *SWITCHES, *PRUNE_SWITCHES, *(PREFIX + name for name in TESTS)}
    told += [
        f"{variable} is no variable of brim; {_nearest_variable(variable, [*VARIABLES, HOME])}"
        for variable in sorted(environ)
        if variable.startswith(PREFIX) and variable not in VARIABLES and variable not in others
    ]
    named = {name: variable for variable, name in VARIABLES.items() if environ.get(variable, "").strip()}
    return layer_of({name: environ[variable] for name, variable in named.items()}, named)


def _switched_off(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for field, switches in (("enabled", SWITCHES), ("prune", PRUNE_SWITCHES)):
        yield from ((field, switch) for switch in switches if is_on(environ.get(switch)))


def _value(table: SettingsTable, name: str, given: Any) -> Any:
    """Read a text as the type of its field; every other value is left to the table to check."""
    if name in IN_PROGRAMS:
        raise InvalidInput(f"{name} is an object: a program sets it, in CompactionPolicy({name}=…)")
    if not isinstance(given, str) or name not in table.model.model_fields:
        return given
    field = table.model.model_fields[name]
    text = given.strip()
    if field.annotation is bool:
        return _switch(name, text)
    if field.annotation is int or (name == "threshold" and not text.endswith("%")):
        percent = ", or a percentage of the window such as 80%" if name == "threshold" else ""
        return _count(name, text, f"{COUNTS}{percent}")
    if get_origin(field.annotation) in {frozenset, tuple}:
        return [one.strip() for one in text.split(",") if one.strip()]
    if Decimal in get_args(field.annotation):
        return _share(name, text)
    return given if name in TEXTS else text


def _switch(name: str, text: str) -> bool:
    if is_on(text) or text.lower() in {"0", "false", "no", "off"}:
        return is_on(text)
    raise InvalidInput(f"{name} is {text!r}; it is true or false")


def _share(name: str, text: str) -> Decimal:
    try:
        return Decimal(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ArithmeticError as error:
        raise InvalidInput(f"{name} is {text!r}; it is a share such as 0.2 or 20%") from error


def _count(name: str, text: str, form: str) -> int:
    try:
        return read_count(text)
    except InvalidInput as error:
        raise InvalidInput(f"{name} is {shown(text)}; it is {form}") from error


def _nearest_variable(variable: str, known: Iterable[str]) -> str:
    bare = variable.removeprefix(PREFIX)
    names = [one.removeprefix(PREFIX) for one in known]
    near = [one for one in names if one.endswith(f"_{bare}")] or difflib.get_close_matches(bare, names, n=1)
    return f"did you mean {PREFIX}{near[0]}?" if near else "brim settings lists the settings"
