"""The table of tools."""

from __future__ import annotations

from brim.evidence.tools import TOOLS


def test_a_name_has_one_meaning():
    """Whichever agent has it, so that the name alone tells what was done."""
    meanings = {name: {tool.act for tool in TOOLS if name in tool.names} for tool in TOOLS for name in tool.names}
    assert {name: acts for name, acts in meanings.items() if len(acts) > 1} == {}
