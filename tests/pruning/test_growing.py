"""The running outputs decide as the walk back does, and a running account as a cold look."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brim.conversation.messages import Marks, Message, read_message
from brim.pruning.tool_outputs import (
    PLACEHOLDER,
    Output,
    Pruning,
    ToolOutputs,
    apply_pruning,
)

EVENTS = st.lists(
    st.one_of(st.sampled_from(["turn", "summary", "pruned"]), st.integers(min_value=0, max_value=30)), max_size=40
)


def walk_back(events: list[str | int], protect: int, minimum: int) -> list[int]:
    """The walk as its source has it: from the newest back, the indices of the outputs to prune."""
    total, saved, turns, found = 0, 0, 0, []
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        if event == "turn":
            turns += 1
        elif event in {"summary", "pruned"}:
            break
        elif turns >= 2:
            total += event
            if total > protect:
                saved += event
                found.append(index)
    return found if saved > minimum else []


@given(events=EVENTS, protect=st.integers(0, 60), minimum=st.integers(0, 40))
def test_outputs_decide_as_the_walk(events, protect, minimum):
    """Read forwards, it prunes exactly what the walk back from the newest output prunes."""
    outputs = ToolOutputs()
    for index, event in enumerate(events):
        if event == "turn":
            outputs.begin_turn()
        elif event in {"summary", "pruned"}:
            outputs.stop()
        else:
            outputs.add(Output(index, 0, str(index), event))
    pruning = outputs.decide(protect=protect, minimum=minimum)
    assert [output.message for output in pruning.outputs] == walk_back(events, protect, minimum)
    assert pruning.saved == sum(output.tokens for output in pruning.outputs)


def prune(messages, **limits) -> Pruning:
    """What is pruned of a conversation that is read from its beginning."""
    outputs = ToolOutputs()
    for message in messages:
        outputs.append(message)
    return outputs.decide(**limits)


def conversation(shape: list[tuple[str, int]]) -> list[Message]:
    """A conversation of user turns, tool loops with outputs of so many tokens, and summaries."""
    messages: list[Message] = []
    for number, (kind, size) in enumerate(shape):
        if kind == "turn":
            messages.append(read_message({"role": "user", "content": "Go on."}))
        elif kind == "summary":
            messages.append(Message("user", (), {"role": "user", "content": []}, Marks(synthetic=True, summary=True)))
        else:
            call = {"type": "tool_use", "id": f"t{number}", "name": "skill" if kind == "skill" else "Read", "input": {}}
            text = PLACEHOLDER if kind == "pruned" else "x" * 4 * size
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text, "is_error": kind == "failed"}
            messages.append(read_message({"role": "assistant", "content": [call]}))
            messages.append(read_message({"role": "user", "content": [result]}))
    return messages


KINDS = ["turn", "turn", "read", "read", "read", "skill", "failed", "pruned", "summary"]
SHAPES = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 30)), max_size=25)


@given(shape=SHAPES, more=SHAPES, protect=st.integers(0, 60), minimum=st.integers(0, 40))
def test_second_pruning(shape, more, protect, minimum):
    """After a pruning was applied and more was said, the account and a cold look prune the same, nothing twice."""
    messages = conversation(shape)
    outputs = ToolOutputs()
    for message in messages:
        outputs.append(message)
    first = outputs.decide(protect=protect, minimum=minimum)
    messages = [*apply_pruning(messages, first)]
    outputs.mark_pruned(first)
    for message in conversation(more):
        messages.append(message)
        outputs.append(message)
    second = outputs.decide(protect=protect, minimum=minimum)
    assert second.outputs == prune(messages, protect=protect, minimum=minimum).outputs
    assert not {(one.message, one.part) for one in first.outputs} & {(one.message, one.part) for one in second.outputs}


@given(shape=SHAPES)
def test_apply_changes_nothing_else(shape):
    """Only messages with a pruned output are replaced, and only that output of them."""
    messages = conversation(shape)
    pruning = prune(messages, protect=0, minimum=0)
    cleared = {output.message for output in pruning.outputs}
    for index, (before, after) in enumerate(zip(messages, apply_pruning(messages, pruning), strict=True)):
        if index in cleared:
            block = {**before.raw["content"][0], "content": PLACEHOLDER}
            assert after == read_message({"role": "user", "content": [block]})
        else:
            assert after is before
