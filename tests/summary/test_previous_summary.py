"""Previous summary: its text is carried along within a limit, and inherited facts are facts like any other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.conversation.turns import Response, ToolUse, Turn
from brim.evidence.failures import on_one_line
from brim.summary.facts import FILES, WEIGHTIEST_FIRST, Fact, FactCollector, fidelity, turn_work
from brim.summary.previous_summary import CARRIED, DONE, Earlier, carry_over, indented, read_earlier
from brim.summary.template import template_summary
from brim.summary.user_words import NOTE, OF_THE_USER

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
    if kind == "failed_command":
        return Fact(kind, text, BEFORE, detail, tests=bool(number))
    return Fact(kind, text, BEFORE, number=str(number) if kind == "todo" and number else "")


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
    assert fidelity(facts, template_summary((), facts=facts, max_chars=ROOM)).missing == ()


@given(FACTS)
def test_a_window_that_was_handed_facts_tells_the_same(facts):
    """Facts that are handed on and that nothing acts on are those that were handed on."""
    commands = {one.text: one for one in facts}
    alone = [one for one in commands.values() if one.kind != "failed_command"]
    files = {one.text: one for one in alone if one.kind in FILES}
    numbers = {one.number or one.text: one for one in alone if one.kind == "todo"}
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


HEADINGS = [
    "## Pending Tasks",
    DONE,
    "All user messages:",
    "1. Files:",
    "**Notes**",
    CARRIED,
    "# A",
    "```",
    "Preserved facts:",
]
BODY = st.sampled_from(["- a", "- b\n  b", "words", "", "  indented", "Build status: unknown", "Active files: none"])
SUMMARIES = st.lists(
    st.sampled_from(HEADINGS) | BODY | st.text(max_size=30) | st.sampled_from(["x " * 99, "- y" * 99]), max_size=20
).map("\n".join)


@given(SUMMARIES, st.integers(0, 4), st.integers(-5, 900), st.integers(-5, 900), st.booleans())
def test_what_is_carried_keeps_to_its_limit(text, depth, max_chars, words_chars, is_known):
    """No text is longer than its limits, and none but the heading begins in the first column."""
    for _ in range(depth):
        text = f"{text}\n{CARRIED}\n{indented(text)}"
    carried = carry_over(read_earlier(text, is_known=is_known), max_chars, words_chars)
    assert len(carried) <= max(max_chars, 0)
    assert all(line.startswith("  ") or not line.strip() for line in carried.splitlines()[1:])


@given(SUMMARIES)
def test_a_summary_with_room_is_whole_and_stays_as_it_is(text):
    """All words but titles of lists are carried where there is room, and carried the same the next time."""
    earlier = read_earlier(text, is_known=False)
    kept = "\n".join(line for line in text.split("\n") if not OF_THE_USER.fullmatch(line) and line != CARRIED)
    carried = carry_over(earlier, ROOM, ROOM)
    assert {*kept.split()} <= {*carried.split()}
    again = read_earlier(f"Active files: none\n\n{carried}", is_known=True)
    assert [*map(str.split, again[:2])] == [*map(str.split, earlier[:2])]


def test_what_was_left_out_before_is_counted():
    """A text that is cut again says how much is left out altogether."""
    text = "\n".join(f"- step {number:03}" for number in range(100))
    for limit in (1_000, 600, 400):
        carried = carry_over(Earlier(text=text), limit, 0)
        text = read_earlier(carried, is_known=False).text
        assert len(NOTE.sub("", text)) + int(NOTE.search(text)[1].replace(",", "")) == 100 * len("- step 000\n") - 1
