"""The documentation site, made from the features, the results of their last run, and the code."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sphinx.application import Sphinx

MODULES = (
    "site",
    "options",
    "rules.feature_page",
    "rules.package_page",
    "search",
    "links",
    "changes",
    "reference.command_line",
    "reference.lists",
    "reference.api",
    "reference.operations",
)
"""The parts of the extension; each has a `setup(app)` of its own."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up every part."""
    for name in MODULES:
        import_module(f"{__name__}.{name}").setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
