"""Facts come from the tools of every agent whose sessions are read."""

from __future__ import annotations

import pytest

from brim.conversation.turns import Response, ToolUse, Turn
from brim.summary.facts import collect_facts


def told(name, given, *, succeeded=True):
    """The facts of one tool use."""
    use = ToolUse(name, given, "", succeeded)
    return [(fact.kind, fact.text) for fact in collect_facts([Turn(0, 0, 1, "", (Response("", (use,)),))])]


LONGEST = f"/{'a' * 4_095}"
"""A path as long as one can be."""


@pytest.mark.parametrize(
    ("path", "facts"),
    [
        ("/w/a  b\nc", [("read_file", "/w/a b c")]),
        (" \n", []),
        (LONGEST, [("read_file", LONGEST)]),
        (f"{LONGEST}a", []),
    ],
)
def test_a_path_stands_on_one_line(path, facts):
    """As every fact does, so that it can be found again; a text of more than 4,096 characters is no path."""
    assert told("Read", {"file_path": path}) == facts
