"""The worlds in which every scenario happens, each with the wordings that all features share.

Values (a conversation, settings, a result), an agent and its provider, refusals. What varies in a wording is a word of
a small notation or a column of a table.
"""

from __future__ import annotations

from pathlib import Path

MODULES = tuple(f"{__name__}.{path.stem}" for path in sorted(Path(__file__).parent.glob("[!_]*.py")))
"""The names of its modules."""
