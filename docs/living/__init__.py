"""The documentation site, made from the features, the results of their last run, and the code."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]
MODULES = (
    "site",
    "freshness",
    "leads",
    "regions",
    "rules.pages",
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
    """A number of these modules, of what they read features with, and of the looks: with it every page is made anew."""
    contents = (f"{path.name}\0".encode() + path.read_bytes() for path in sorted(makers()))
    return int(hashlib.sha256(b"\0".join(contents)).hexdigest()[:12], 16)


def makers() -> Iterator[Path]:
    """Every file that all pages are made with."""
    yield from Path(__file__).parent.rglob("*.[pj][ys]")
    yield from (DOCS / "_static").glob("*.*")
    yield from (DOCS.parent / "steps" / name for name in ("rulebook.py", "verdicts.py"))
