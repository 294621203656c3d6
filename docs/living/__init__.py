"""The documentation site, made from the features, the results of their last run, and the code."""

from __future__ import annotations

import hashlib
from importlib import import_module
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

MODULES = (
    "site",
    "freshness",
    "regions",
    "rules.feature_page",
    "rules.rule_role",
    "rules.room_page",
    "rules.rule_index",
    "code_pages",
    "search",
    "origins.sources",
    "origins.decisions",
    "charts",
    "changes",
    "reference.command_line",
    "reference.settings_page",
    "reference.portable_pages",
    "reference.api",
)
"""The parts of the extension; each has a `setup(app)` of its own."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up every part."""
    for name in MODULES:
        import_module(f"{__name__}.{name}").setup(app)
    return {"env_version": _fingerprint(), "parallel_read_safe": True, "parallel_write_safe": True}


def _fingerprint() -> int:
    """A number of these modules: when one of them changes, every page is made anew."""
    sources = (path.read_bytes() for path in sorted(Path(__file__).parent.rglob("*.py")))
    return int(hashlib.sha256(b"\0".join(sources)).hexdigest()[:12], 16)
