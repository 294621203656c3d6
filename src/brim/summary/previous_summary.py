"""The previous summary: opaque text that the next summary carries along. No fact is read from it.

Specified by features/summary/previous_summary.feature (SUM_09).
"""

from __future__ import annotations

import textwrap
from typing import Final

INDENT: Final = "  "
"""Before each line of a text that brim did not write: only brim's own lines begin in the first column."""
CUT: Final = " … "
"""Replaces the middle of a text that is too long."""


def indented(text: str) -> str:
    """The text with an indent before every line that is not blank: none of them reads like a heading of brim's."""
    return textwrap.indent(text, INDENT)


def carry_over(previous_summary: str, max_chars: int) -> str:
    """The text, indented; without its middle where it is longer than `max_chars`, and empty without room for any."""
    text = indented(previous_summary.strip())
    if len(text) <= max_chars:
        return text
    half = (max_chars - len(CUT)) // 2
    return f"{text[:half].rstrip()}{CUT}{text[-half:].lstrip()}" if half > len(INDENT) else ""
