"""The page of the documentation shows the table of tools as the code has it."""

from __future__ import annotations

import re
from pathlib import Path

from brim.evidence.tools import TOOLS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "tools.md"
ROW = re.compile(r"^\| ([^|]+) \| (`[^|]+`) \| (\w+) \| `(\w+)` \|$", re.MULTILINE)


def test_the_page_shows_every_row():
    """In the order of the table."""
    shown = [
        (agent, tuple(re.findall(r"`([^`]+)`", names)), act, field)
        for agent, names, act, field in ROW.findall(PAGE.read_text(encoding="utf-8"))
    ]
    assert shown == [(tool.agent, tool.names, tool.act, tool.field) for tool in TOOLS]


def test_a_name_has_one_meaning():
    """Whichever agent has it, so that the name alone tells what was done."""
    meanings = {name: {tool.act for tool in TOOLS if name in tool.names} for tool in TOOLS for name in tool.names}
    assert {name: acts for name, acts in meanings.items() if len(acts) > 1} == {}
