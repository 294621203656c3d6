"""The provider's clearing of old tool results: the edit that asks for it, and what the answer says was cleared.

Part of the back ends; specified by features/engine/backends.feature (CMP_10).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from brim.anthropic.context_edits import applied_edits
from brim.errors import Refused

KIND: Final = "clear_tool_uses_"
"""How the kinds of this edit begin."""
EDIT: Final = "clear_tool_uses_20250919"
BETA: Final = "context-management-2025-06-27"
DEFAULT_TRIGGER: Final = 100_000
"""Tokens from which on the provider clears where nothing is told."""
DEFAULT_KEEP: Final = 3
"""Uses of tools that are kept, the newest."""


@dataclass(frozen=True, slots=True)
class Cleared:
    """What the provider cleared of one request."""

    tool_uses: int
    tokens: int


def clearing_edit(
    trigger: int, *, keep: int = DEFAULT_KEEP, exclude_tools: Sequence[str] = (), clear_at_least: int = 0
) -> dict[str, Any]:
    """The edit that has the provider clear old tool results once a request holds so many tokens.

    Raises Refused for numbers that cannot be: a trigger below 1, less than nothing kept or cleared.
    """
    for what, number, least in (
        ("trigger", trigger, 1),
        ("number of uses kept", keep, 0),
        ("clearing", clear_at_least, 0),
    ):
        if number < least:
            raise Refused(f"a {what} of {number:,} for the clearing of tool results: it has to be {least} or more")
    edit: dict[str, Any] = {
        "type": EDIT,
        "trigger": {"type": "input_tokens", "value": trigger},
        "keep": {"type": "tool_uses", "value": keep},
    }
    if exclude_tools:
        edit["exclude_tools"] = list(exclude_tools)
    if clear_at_least:
        edit["clear_at_least"] = {"type": "input_tokens", "value": clear_at_least}
    return edit


def cleared(response: Any) -> Cleared | None:
    """What the provider says it cleared; None where it cleared nothing."""
    applied = [edit for edit in applied_edits(response) if str(edit.get("type")).startswith(KIND)]
    uses, tokens = (_total(applied, name) for name in ("cleared_tool_uses", "cleared_input_tokens"))
    return Cleared(uses, tokens) if uses or tokens else None


def _total(edits: Sequence[Mapping[str, Any]], name: str) -> int:
    return sum(int(edit.get(name) or 0) for edit in edits)
