"""Room: what is chosen, character by character."""

from __future__ import annotations

import pytest

from brim.conversation.turns import Response, ToolUse, Turn
from brim.summary.facts import Fact, turn_work
from brim.summary.template import TurnOutcome, choose_facts, choose_lines, common_folder


def answers(*texts):
    """The outcomes of turns that were only answered."""
    return [TurnOutcome(turn_work(Turn(n, n, n + 1, "", (Response(text),)))) for n, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("room", "lines", "left_out"), [(9, ["✓ b"], 1), (8, ["✓ b"], 1), (7, ["✓ b"], 1), (4, ["✓ b"], 1), (3, [], 2)]
)
def test_a_line_needs_its_characters_and_a_line_break(room, lines, left_out):
    """A line of three characters takes four."""
    assert choose_lines(answers("a" * 6, "b"), [], room) == (lines, left_out)


def test_two_lines_fill_their_room_exactly():
    """Two lines of three characters take eight, and not one fewer."""
    assert choose_lines(answers("a", "b"), [], 8) == (["✓ a", "✓ b"], 0)
    assert choose_lines(answers("a", "b"), [], 7) == (["✓ b"], 1)


def test_no_older_line_is_told_in_the_place_of_a_longer_newer_one():
    """Once a line has no room, none before it is told, so that what is left out is what came earlier."""
    assert choose_lines(answers("a", "b" * 30, "c"), [], 20) == (["✓ c"], 2)


@pytest.mark.parametrize(("room", "line"), [(22, "[ANCHOR] a"), (21, "[ANCHOR] a")])
def test_an_anchor_within_half_the_room_is_told_in_full(room, line):
    """An anchor of ten characters is told in full from twenty-two characters of room on, and in short below."""
    assert choose_lines(answers("a"), [0], room) == ([line], 0)


def test_an_anchor_beyond_half_the_room_is_told_in_short():
    """A long anchor is cut like any sentence where it does not leave half of the room to the others."""
    (full,), _ = choose_lines(answers("x" * 400), [0], 2 * len("[ANCHOR] " + "x" * 400) + 2)
    (short,), _ = choose_lines(answers("x" * 400), [0], 2 * len("[ANCHOR] " + "x" * 400) + 1)
    assert (len(full), len(short), short[-1]) == (409, 201, "…")


@pytest.mark.parametrize(("room", "lines", "left_out"), [(11, ["[ANCHOR] a"], 0), (10, [], 1)])
def test_an_anchor_without_room_is_left_out_and_counted(room, lines, left_out):
    """An anchor of ten characters needs eleven."""
    assert choose_lines(answers("a"), [0], room) == (lines, left_out)


def test_every_anchor_takes_its_room():
    """A second anchor, and the other turns, find what the first one left."""
    outcomes = answers("a", "b", "c")
    assert choose_lines(outcomes, [1, 0], 26) == (["[ANCHOR] a", "[ANCHOR] b", "✓ c"], 0)
    assert choose_lines(outcomes, [1, 0], 25) == (["[ANCHOR] a", "[ANCHOR] b"], 1)
    assert choose_lines(outcomes, [1, 0], 21) == (["[ANCHOR] b", "✓ c"], 1)


def test_the_other_lines_of_an_anchor_are_counted_with_the_rest():
    """Where an anchor has several lines, those without room are counted like any."""
    edit = ToolUse("Edit", {"file_path": "a.py"}, "", succeeded=True)
    turn = Turn(0, 0, 1, "", (Response("", (edit,)), Response("Done.")))
    outcome = TurnOutcome(turn_work(turn))
    assert choose_lines([outcome], [0], 15) == (["[ANCHOR] Done."], 1)
    assert choose_lines([outcome], [], 3) == ([], 2)


@pytest.mark.parametrize(("room", "held"), [(8, 1), (7, 0), (24, 2), (23, 2), (15, 1), (16, 2)])
def test_a_fact_takes_its_characters_and_four(room, held):
    """A fact of four characters takes eight."""
    chosen = choose_facts([Fact("todo", "aaaa", 0), Fact("todo", "bbbb", 0)], room)
    assert (len(chosen.facts["todo"]), chosen.left_out["todo"]) == (held, 2 - held)


@pytest.mark.parametrize(("room", "held"), [(11, 1), (10, 0)])
def test_the_detail_of_a_fact_takes_its_room(room, held):
    """The line that says why a command failed is counted."""
    assert len(choose_facts([Fact("failed_command", "aaaa", 0, "bbb")], room).facts["failed_command"]) == held


@pytest.mark.parametrize(("room", "held"), [(14, 2), (13, 1)])
def test_a_folder_takes_its_room_once(room, held):
    """Two paths of five characters take two for the folder they are in, and seven each."""
    facts = [Fact("read_file", "/w/a1", 0), Fact("read_file", "/w/b1", 0)]
    chosen = choose_facts(facts, room + 2)
    assert (chosen.folder, len(chosen.facts["read_file"])) == ("/w", held)


def test_facts_that_come_unsorted_are_chosen_all_the_same():
    """Kinds that come more than once are gathered, and told in the order of time."""
    facts = [Fact("todo", "a", 0), Fact("decision", "b", 0), Fact("todo", "c", 1), Fact("decision", "d", 1)]
    chosen = choose_facts(facts, 1000)
    assert [fact.text for fact in chosen.facts["todo"]] == ["a", "c"]
    assert [fact.text for fact in chosen.facts["decision"]] == ["b", "d"]


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


def test_like_outcomes_that_are_left_out_are_counted_singly():
    """What one line would tell together counts as often as it came, whether its turn was looked at or not."""
    edit = ToolUse("Edit", {"file_path": "a.py"}, "", succeeded=True)
    turn = Turn(0, 0, 1, "", (Response("", (edit,)), Response("", (edit,)), Response("", (edit,)), Response("Done.")))
    outcomes = [TurnOutcome(turn_work(turn)), *answers("b")]
    assert choose_lines(outcomes[:1], [], 30) == (["✓ Done"], 3)
    assert choose_lines(outcomes[:1], [], 2) == ([], 4)
    assert choose_lines(outcomes[:1], [0], 3) == ([], 4)
    assert choose_lines(outcomes[:1], [0], 16) == (["[ANCHOR] Done."], 3)
