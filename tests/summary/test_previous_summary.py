"""Previous summary: its text is carried along within a limit, and inherited facts are facts like any other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.conversation.turns import Response, ToolUse, Turn
from brim.summary.facts import FILES, WEIGHTIEST_FIRST, Fact, FactCollector, fidelity, on_one_line, turn_work
from brim.summary.previous_summary import carry_over
from brim.summary.template import assemble_summary

BEFORE = -1
"""The turn of an inherited fact."""
ROOM = 1_000_000
ODD = [
    "`",
    "``",
    ": ",
    ", ",
    '"',
    "…",
    "… 3 more",
    " (tests)",
    " (#2)",
    "- ",
    "none",
    "/w/",
    "\\",
    "C:\\w\\",
    "(paths below /w)",
]
LINES = st.lists(
    st.sampled_from([*ODD, "a", "b c", "é", "Build status: "]) | st.text(max_size=3), min_size=1, max_size=5
)
TEXTS = LINES.map(lambda parts: on_one_line("".join(parts))).filter(bool)
PATHS = st.sampled_from(
    ["/w/a", "/w/x/b.py", "/w/", "/w//c", "rel/d.py", "C:\\w\\e", "C:\\w/f", "C:\\w\\g", "", "/v/h, i"]
)
KINDS = [kind for kind in WEIGHTIEST_FIRST if kind not in FILES]


def fact(kind, text, detail, number):
    """A fact of a kind as a collector may find it."""
    mark = {"failed_command": "tests" if number else "", "todo": f"#{number}" if number else ""}.get(kind, "")
    return Fact(kind, text, BEFORE, detail if kind == "failed_command" else "", mark)


WORDS = st.builds(fact, st.sampled_from(KINDS), TEXTS, TEXTS | st.just(""), st.integers(0, 2))
FILE = st.builds(
    lambda kind, path, name: Fact(kind, on_one_line(path + name), BEFORE), st.sampled_from(FILES), PATHS, TEXTS
)


def sorted_once(facts):
    """Each fact once, weightiest kind first, as a collector gives them."""
    each = {(one.kind, one.text): one for one in facts}
    return tuple(sorted(each.values(), key=lambda one: WEIGHTIEST_FIRST.index(one.kind)))


FACTS = st.lists(WORDS | FILE, max_size=8).map(sorted_once)


@given(FACTS)
def test_what_a_template_tells_is_held(facts):
    """Every fact with room is found again by the measure of fidelity, in whatever form it is written."""
    assert fidelity(facts, assemble_summary([], facts, max_chars=ROOM)).missing == ()


@given(FACTS)
def test_a_window_that_was_handed_facts_tells_the_same(facts):
    """Facts that are handed on and that nothing acts on are those that were handed on."""
    commands = {one.text: one for one in facts}
    alone = [one for one in commands.values() if one.kind != "failed_command"]
    files = {one.text: one for one in alone if one.kind in FILES}
    numbers = {one.mark or one.text: one for one in alone if one.kind == "todo"}
    known = sorted_once(
        [*(one for one in alone if one.kind not in {*FILES, "todo"}), *files.values(), *numbers.values()]
    )
    collector = FactCollector(known)
    assert set(collector.facts()) == set(known)
    assert set(collector.copy().facts()) == set(known)


def used(name, given_input, output="", *, succeeded=True, index=0):
    """The work of a turn that used one tool."""
    use = ToolUse(name, given_input, output, succeeded)
    return turn_work(Turn(index, index, index + 1, "", (Response("", (use,)),)))


def after(facts, *works):
    """The facts after these were handed on and this was done."""
    collector = FactCollector(facts)
    for work in works:
        collector.add(work)
    return collector.facts()


LONG = "python - <<'END'\n" + "print('a: b')\n" * 40 + "END"


@pytest.mark.parametrize(
    "command", ["make lint", "cd /w && make lint", "make lint 2>&1 | tail -5", LONG, "a\nb | tail -3"]
)
@pytest.mark.parametrize("succeeded", [True, False])
def test_a_command_that_runs_again_decides_anew(command, succeeded):
    """A failure that was handed on is gone when the same command succeeds, and told once when it fails again."""
    first = FactCollector()
    first.add(used("Bash", {"command": command}, "error: x", succeeded=False))
    told = first.facts()
    again = after(told, used("Bash", {"command": command}, "error: y", succeeded=succeeded))
    assert [(one.text, one.detail) for one in again] == ([] if succeeded else [(told[0].text, "error: y")])


def test_a_command_that_was_declined_is_as_broken_as_before():
    """What the user did not let run cures nothing, and neither does a run without an answer."""
    broken = Fact("failed_command", "make", BEFORE, "error: x")
    declined = "The user doesn't want to proceed with this tool use."
    assert after([broken], used("Bash", {"command": "make"}, declined, succeeded=False)) == (broken,)
    assert after([broken], used("Bash", {"command": "make"}, "", succeeded=None)) == (broken,)


def test_a_failure_that_was_met_again_is_cured_like_any():
    """After it failed anew, a failure that was handed on follows the rules of one that was not."""
    broken = Fact("failed_command", "make", BEFORE, "error: x")
    again = used("Bash", {"command": "make"}, "error: y", succeeded=False)
    assert after([broken], again, used("Bash", {"command": "make | tail"})) == ()
    twice = after([broken], used("Bash", {"command": "make | tail"}), again)
    assert [(one.text, one.detail, one.turn) for one in twice] == [("make", "error: y", 0)]


@pytest.mark.parametrize("first", FILES)
@pytest.mark.parametrize(("tool", "output"), [("Read", "x"), ("Edit", ""), ("Write", "created")])
def test_a_file_goes_on_as_it_would_have(first, tool, output):
    """A file that was handed on and used again is what it would be in one piece, and told once."""
    makes = {
        "read_file": used("Read", {"file_path": "/w/a"}, "x"),
        "modified_file": used("Edit", {"file_path": "/w/a"}, ""),
        "created_file": used("Write", {"file_path": "/w/a"}, "created"),
        "deleted_file": used("Bash", {"command": "rm /w/a"}, ""),
    }
    whole = after((), makes[first], used(tool, {"file_path": "/w/a"}, output))
    assert after([Fact(first, "/w/a", BEFORE)], used(tool, {"file_path": "/w/a"}, output)) == whole


def test_facts_come_after_those_handed_on():
    """What was handed on is older, and what is told again is as new as its last telling."""
    told = [Fact("request", text, BEFORE) for text in ("First.", "Second.")]
    work = turn_work(Turn(0, 0, 1, "First."))
    assert [one.text for one in after(told, work)] == ["Second.", "First."]
    collector = FactCollector(told)
    collector.add(work)
    assert [(one.text, one.turn) for one in collector.facts()] == [("Second.", BEFORE), ("First.", 0)]


def test_a_pile_keeps_to_its_length():
    """However often a summary replaces one, what came before takes a quarter of it at most."""
    text = "It went well."
    for number in range(20):
        text = assemble_summary([], [Fact("request", f"Part {number}", 0)], max_chars=2_000, previous_summary=text)
        before, heading, carried = text.partition("From the earlier summary:\n")
        assert (len(carried) <= 500, bool(heading), f"Part {number}" in before) == (True, True, True)


@given(st.text(max_size=300), st.integers(-5, 200))
def test_what_is_carried_keeps_to_its_limit(text, max_chars):
    """No text is longer than its limit, none begins a line of its own, and a short one is whole."""
    carried = carry_over(text, max_chars)
    assert len(carried) <= max(max_chars, 0)
    assert all(line.startswith("  ") or not line.strip() for line in carried.splitlines())
    if len(text) * 3 + 2 <= max_chars:
        assert on_one_line(carried) == on_one_line(text)


@pytest.mark.parametrize(
    ("max_chars", "carried"), [(12, "  abcdefghij"), (11, "  ab … ghij"), (9, "  a … hij"), (8, ""), (0, ""), (-1, "")]
)
def test_a_long_text_loses_its_middle(max_chars, carried):
    """The beginning and the end stay."""
    assert carry_over("abcdefghij", max_chars) == carried
