"""Room: what is chosen, character by character."""

from __future__ import annotations

import pytest

from brim.conversation.turns import Response, ToolUse, Turn
from brim.summary.facts import Fact, turn_work
from brim.summary.template import TurnOutcome, choose_facts, choose_lines, common_folder


def answers(*texts):
    """The outcomes of turns that were only answered."""
    return [TurnOutcome(turn_work(Turn(n, n, n + 1, "", (Response(text),)))) for n, text in enumerate(texts)]


def test_no_older_line_is_told_in_the_place_of_a_longer_newer_one():
    """Once a line has no room, none before it is told, so that what is left out is what came earlier."""
    assert choose_lines(answers("a", "b" * 30, "c"), [], 20) == (["✓ c"], 2)


def test_the_other_lines_of_an_anchor_are_counted_with_the_rest():
    """Where an anchor has several lines, those without room are counted like any."""
    edit = ToolUse("Edit", {"file_path": "a.py"}, "", succeeded=True)
    turn = Turn(0, 0, 1, "", (Response("", (edit,)), Response("Done.")))
    outcome = TurnOutcome(turn_work(turn))
    assert choose_lines([outcome], [0], 15) == (["[ANCHOR] Done."], 1)
    assert choose_lines([outcome], [], 3) == ([], 2)


def test_the_last_paths_say_which_folder_is_common():
    """Of many paths of a kind the last sixty-four are looked at."""
    old = [Fact("read_file", f"/old/place/{n}", 0) for n in range(100)]
    new = [Fact("read_file", f"/new/place/{n}", 0) for n in range(64)]
    assert choose_facts([*old, *new], 10_000).folder == "/new/place"
    assert choose_facts([*old, *new[:31]], 10_000).folder == "/old/place"


@pytest.mark.parametrize(
    ("paths", "folder"),
    [
        ([], ""),
        (["/w/a"], ""),
        (["/w/a", "/w/b"], "/w"),
        (["/w/x/a", "/w/x/b", "/w/c"], "/w/x"),
        (["/w/x/a", "/w/x/b", "/w/c", "/w/d", "/w/e", "/w/f"], "/w"),
        (["/a", "/b"], ""),
        (["a/x", "a/y"], ""),
        (["C:\\w\\a", "C:\\w\\b"], "C:\\w"),
        (["c:/w/a", "c:/w/b"], "c:/w"),
    ],
)
def test_the_folder_that_spares_most_is_named(paths, folder):
    """The common folder is the one whose naming once spares most characters."""
    assert common_folder(paths) == folder
