"""The public surface: lists that someone chose, documented, and cheap to import."""

import ast
import dataclasses
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

import brim
import brim.checkpoints
import brim.memory
import brim.sessions

PACKAGES = {
    "brim": brim,
    "brim.checkpoints": brim.checkpoints,
    "brim.memory": brim.memory,
    "brim.sessions": brim.sessions,
}


def test_brim_exports_about_thirty_names():
    """A name is public only if a user needs it; the others are imported from their modules."""
    assert 30 <= len(brim.__all__) <= 36


@pytest.mark.parametrize("package", PACKAGES)
def test_a_type_checker_sees_the_same_names(package):
    """Every name that is loaded when it is asked for is imported for type checkers, and nothing else is."""
    tree = ast.parse(Path(PACKAGES[package].__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    homes = {alias.asname: str(node.module) for node in imports for alias in node.names if alias.asname}
    assert homes == PACKAGES[package].HOMES
    assert dir(PACKAGES[package]) == sorted(PACKAGES[package].__all__)


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package, one in PACKAGES.items() for name in one.HOMES]
)
def test_a_public_name_is_there_and_documented(package, name):
    """Each name loads from its home and, where it is a class or a function, says what it is."""
    value = getattr(PACKAGES[package], name)
    assert not callable(value) or inspect.getdoc(value)


GROWING = {"MissingResult", "TodoList"}
"""What grows with the conversation, and is no value."""
VALUES = ("conversation", "tokens", "trigger", "pruning", "evidence", "selection", "summary", "compaction")


@pytest.mark.parametrize("package", VALUES)
def test_values_cannot_be_changed(package):
    """Data classes and models of the domain are frozen, or the type checker lets nobody change a field."""
    folder = Path(brim.__file__).parent / package
    names = [f"brim.{package}.{path.stem}" for path in folder.glob("*.py") if path.stem != "__init__"]
    kinds = [kind for name in names for kind in vars(importlib.import_module(name)).values() if inspect.isclass(kind)]
    for kind in (one for one in kinds if one.__module__ in names and one.__name__ not in GROWING):
        if dataclasses.is_dataclass(kind) and not kind.__name__.startswith("_"):
            final = all(str(field.type).startswith("Final") for field in dataclasses.fields(kind))
            assert kind.__dataclass_params__.frozen or final, kind
        assert not issubclass(kind, BaseModel) or kind.model_config.get("frozen"), kind


def test_an_unknown_name_says_which_there_are():
    """A slip of the keyboard is answered with the names there are."""
    with pytest.raises(AttributeError, match="ContextWindow"):
        _ = brim.ContextWindows


def test_importing_brim_loads_no_heavy_library():
    """Neither the SDK nor the libraries of the command come with the import, nor with a walk over all names."""
    heavy = "{'anthropic', 'typer', 'rich', 'pydantic', 'sqlalchemy'}"
    code = f"import brim, brim.memory, brim.sessions, sys; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_walk_over_all_names_does_not_load_the_sdk():
    """Some test libraries get every attribute of every module."""
    code = "import brim, sys; [getattr(brim, name) for name in dir(brim)]; print('anthropic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
