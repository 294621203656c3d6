"""Evidence: what a single tool use, or an answer, tells of (ANC_06, ANC_11, ANC_12).

Specified by features/selection/anchors.feature.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from brim.conversation.turns import ToolUse
from brim.selection.build_reports import says_it_built
from brim.selection.commands import command_of, only_shows, runs_command
from brim.selection.file_changes import READING_TOOLS
from brim.selection.test_reports import test_outcome

TELLING_ANSWER: Final = 100
"""A web search's result has to be longer than this many characters (ANC_12)."""
RESTING: Final = ("based on", "according to", "search results show")
"""Words by which an answer says that it rests on what was found."""


def only_reads(use: ToolUse, editing_tools: Collection[str]) -> bool:
    """Whether it read a file and did nothing besides, so that it is evidence of nothing."""
    return use.name in READING_TOOLS and use.name not in editing_tools and not command_of(use)


def tells_of_passing_tests(use: ToolUse) -> bool:
    """Whether its own result succeeded and tells of passing tests (ANC_06); a file that was only read does not."""
    return use.succeeded is True and use.name not in READING_TOOLS and test_outcome(use.output) == "passing"


def builds(use: ToolUse) -> bool:
    """Whether it is a command whose own result succeeded and says that it built something (ANC_11)."""
    if use.succeeded is not True or not runs_command(use):
        return False
    return not only_shows(command_of(use)) and says_it_built(use.output)


def tells_of_a_search(use: ToolUse) -> bool:
    """Whether it is a web search that found something worth an answer (ANC_12)."""
    if use.succeeded is not True or len(use.output) <= TELLING_ANSWER:
        return False
    return "websearch" in use.name.lower().replace("_", "").replace("-", "")


def rests_on_search(answer: str) -> bool:
    """Whether an answer says that it rests on what was found (ANC_12)."""
    lowered = answer.lower()
    return any(words in lowered for words in RESTING)
