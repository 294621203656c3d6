"""Arbitrary JSON wherever a conversation holds values from outside: a compaction ends in a result or in a BrimError."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from brim import BrimError, Compactor, ModelLimits
from brim.compaction.policy import CompactionPolicy
from brim.evidence.tools import LISTS, PATH_FIELDS
from brim.testing import ScriptedSummarizer
from steps.compaction_windows import raw_turns
from steps.prerequisites import sized

TOOLS = (
    *LISTS,
    "TaskCreate",
    "TaskUpdate",
    "Bash",
    "shell",
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
    "Read",
    "apply_patch",
    "str_replace_editor",
    "WebSearch",
    "WebFetch",
)
FIELDS = (
    *PATH_FIELDS,
    "todos",
    "plan",
    "command",
    "cmd",
    "content",
    "step",
    "status",
    "subject",
    "taskId",
    "query",
    "url",
    "input",
    "patch",
    "edits",
    "old_string",
    "new_string",
)
WORDS = ("", "completed", "make test", "git commit -m x", "create", "a.py", "*** Begin Patch\n*** Add File: a.py", "#1")
LIMITS = ModelLimits(context_window=2_000, max_output_tokens=200)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS) | st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
items = st.lists(st.dictionaries(st.sampled_from(("content", "step", "status")), values, max_size=3), max_size=3)
inputs = (
    st.dictionaries(st.sampled_from(FIELDS), values, max_size=4)
    | st.fixed_dictionaries({"todos": items, "plan": items})
    | st.fixed_dictionaries({"taskId": values, "status": values, "subject": values})
    | st.fixed_dictionaries({"command": values, "path": values})
    | values
)
tokens = st.integers(-1, 90_000) | values
usages = values | st.fixed_dictionaries({"input_tokens": tokens, "output_tokens": tokens, "cache_creation": values})


def used(tool: str, given_: Any, result: Any, failed: Any, usage: Any) -> list[Any]:
    """A turn that calls a tool: the call and its result as a provider or a tool may have written them."""
    call = {"type": "tool_use", "id": "call", "name": tool, "input": given_}
    return [
        {"role": "user", "content": "Never touch the lexer."},
        {"role": "assistant", "content": [call], "usage": usage, "model": usage},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call", "content": result, **failed}]},
        {"role": "assistant", "content": "Decided."},
    ]


turns = st.builds(
    used, st.sampled_from(TOOLS), inputs, values, st.just({}) | st.fixed_dictionaries({"is_error": values}), usages
)


@settings(max_examples=sized(25, nightly=1_250))
@given(turn=turns, usage=usages)
def test_a_compaction_of_foreign_values_ends_in_a_result_or_a_brim_error(turn, usage):
    """No value of an unexpected type in an input, a result or a usage ends a compaction in another error."""
    compactor = Compactor(limits=LIMITS)
    messages = [*turn, *raw_turns(6, 200)]
    compactor.compact(messages)
    compactor.compact(turn)
    rendered = Compactor(
        model="a",
        policy=CompactionPolicy(summary_model="b"),
        limits=LIMITS,
        summarizer=ScriptedSummarizer("It went on."),
    )
    rendered.compact(messages)
    with suppress(BrimError):
        compactor.compact(messages, usage=usage)


@settings(max_examples=sized(10, nightly=500))
@given(turn=turns)
def test_a_turn_that_goes_on_with_foreign_values_is_read_too(turn):
    """A turn that has not ended is read as one that has."""
    compactor = Compactor(limits=LIMITS)
    compactor.compact([*raw_turns(6, 200), *turn[:-1]])
