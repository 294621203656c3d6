"""Facts: a running account tells what a cold look tells."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brim.conversation.turns import Response, ToolUse, Turn
from brim.summary.facts import WEIGHTIEST_FIRST, FactCollector, collect_facts, fidelity, turn_work
from brim.summary.template import template_summary

PATHS = st.sampled_from(["a.py", "/w/b.py", "/w/c d.py", "/w/x/e.py"])
USES = st.builds(
    lambda name, path, succeeded: ToolUse(name, {"file_path": path}, "", succeeded),
    st.sampled_from(["Read", "Edit", "Write"]),
    PATHS,
    st.sampled_from([True, False, None]),
)
RUNS = st.builds(
    lambda command, output, succeeded: ToolUse("Bash", {"command": command}, output, succeeded),
    st.sampled_from(["make", "make | tail", "pytest a.py", "pytest"]),
    st.sampled_from(["", "1 failed", "3 passed", "error: x"]),
    st.sampled_from([True, False, None]),
)
RESPONSES = st.builds(
    Response, st.sampled_from(["", "Done. So far.", "Edited."]), st.lists(USES | RUNS, max_size=3).map(tuple)
)


def turns_of(groups):
    """Turns of these responses, some of the same wording, some marked."""
    return tuple(
        Turn(n, n, n + 1, f"Part {n % 3}: never stop.", tuple(responses), n % 4 == 3)
        for n, responses in enumerate(groups)
    )


TURNS = st.lists(st.lists(RESPONSES, max_size=4), max_size=5).map(turns_of)


@given(TURNS)
def test_a_turn_that_goes_on_is_told_like_one_that_is_over(turns):
    """Looking at the facts with the last turn open gives those of the whole, at any time, and leaves no trace."""
    collector = FactCollector()
    for n, turn in enumerate(turns):
        work = turn_work(turn)
        assert collector.facts(work) == collect_facts(turns[: n + 1])
        assert collector.facts() == collect_facts(turns[:n])
        collector.add(work)


@given(TURNS)
def test_kinds_come_by_weight_and_each_fact_once(turns):
    """Facts are ordered by the weight of their kind, and no kind tells the same twice."""
    facts = collect_facts(turns)
    ranks = [WEIGHTIEST_FIRST.index(fact.kind) for fact in facts]
    assert ranks == sorted(ranks)
    assert len({(fact.kind, fact.text) for fact in facts if fact.kind != "failed_command"}) == sum(
        fact.kind != "failed_command" for fact in facts
    )


@given(TURNS)
def test_a_template_with_room_holds_every_fact(turns):
    """What the template writes down is what fidelity looks for."""
    facts = collect_facts(turns)
    assert fidelity(facts, template_summary(turns)).missing == ()


@given(TURNS, st.integers(min_value=0, max_value=1500))
def test_a_template_never_exceeds_its_length(turns, max_chars):
    """Whatever the turns and the limit, the template keeps to it."""
    assert len(template_summary(turns, max_chars=max_chars)) <= max_chars
