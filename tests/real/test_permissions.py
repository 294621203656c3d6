"""Permissions on the commands of real sessions: rules that allow everything leave few of them to the user."""

import pytest

from brim.agents.permissions import Place, decide, read_permissions
from brim.conversation.turns import find_turns
from brim.evidence.tools import script_run
from brim.transcripts import read_transcript
from tests.real.conftest import FOLDER
from tests.real.test_transcripts import ALL

pytestmark = pytest.mark.transcripts

PLACE = Place("/project", home="/home/user", resolve=lambda path: path)
EVERYTHING = read_permissions("opencode", {"*": "allow"}).rules
LEAST_ALLOWED = 0.95
"""The share that is allowed at least; 784 of 816 were in 2026-11."""


def test_few_real_commands_are_not_plain():
    """Nearly every command that agents ran is read whole, and what is asked about names its reason."""
    turns = (turn for name in ALL for turn in find_turns(read_transcript(FOLDER / name).messages))
    uses = (use for turn in turns for response in turn.responses for use in response.tool_uses)
    commands = {script for use in uses if (script := script_run(use))}
    decisions = [decide("opencode", EVERYTHING, "bash", {"command": one}, place=PLACE) for one in commands]
    asked = [one for one in decisions if one.action != "allow"]
    assert all(one.action == "ask" and one.reason for one in asked)
    assert len(commands) > 500
    assert len(asked) <= (1 - LEAST_ALLOWED) * len(commands)
