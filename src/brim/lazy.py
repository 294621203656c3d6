"""Lazy names: a package's public names, each loaded from its module when it is first asked for."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def homes_of(modules: Mapping[str, str]) -> dict[str, str]:
    """Return for each public name the module that defines it, by the names of each module, with spaces between them."""
    return {name: module for module, names in modules.items() for name in names.split()}


def lazy_names(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the functions `__getattr__` and `__dir__` of a package whose public names are defined in these modules."""

    def load(name: str) -> Any:
        """Load a public name. Raises AttributeError for a name that is not public."""
        if name not in homes:
            names = ", ".join(sorted(homes))
            raise AttributeError(f"module {package!r} has no attribute {name!r}; its public names are: {names}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(homes)
