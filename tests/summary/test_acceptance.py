"""Acceptance: the reasons in words, and texts at the edge of what an error is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.summary.acceptance import is_call_text, is_error_text, is_refusal_text, judge_summary
from tests.summary.tables import described, rows


def judged(text="Done.", **answer):
    """A judgement in which nothing but what is given stands against the summary."""
    return judge_summary(text, replaces_tokens=100, summary_tokens=10, **answer)


@pytest.mark.parametrize("row", rows("judged_summaries.tsv"), ids=described)
def test_summaries_of_many_kinds(row):
    """Errors of providers and harnesses are refused, refusals and halves too; mentions pass (SUM_08)."""
    found = judge_summary(row["text"], replaces_tokens=50_000, summary_tokens=100, stop_reason=row["stop reason"])
    assert (found.outcome, found.accepted) == (row["outcome"], row["outcome"] == "ok")


@pytest.mark.parametrize(
    "call",
    [
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="bash">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        '<tool_call>{"name": "bash", "arguments": {"command": "ls"}}',
        '<function_calls>\n<invoke name="bash"><parameter name="command">ls</parameter></invoke>\n</function_calls>',
        "<function=bash>ls</function>",
        '[TOOL_CALLS][{"name": "bash", "arguments": {}}]',
        "<｜tool▁calls▁begin｜>bash<｜tool▁calls▁end｜>",
        '<|tool_calls_section_begin|>functions.bash:0{"command": "ls"}<|tool_calls_section_end|>',
        '<|python_tag|>{"name": "bash", "parameters": {}}',
        '<|channel|>commentary to=functions.bash<|message|>{"command": "ls"}<|call|>',
        "<|channel|>analysis<|message|>The user wants a summary.",
        '{"name": "bash", "arguments": {"command": "ls"}}',
        '```json\n[{"type": "tool_use", "id": "a", "name": "bash", "input": {}}]\n```',
        '{"tool_calls": [{"function": {"name": "bash"}}]}',
        '{"tool_uses": [{"recipient_name": "functions.bash", "parameters": {}}]}',
        '{"action": "bash", "action_input": "ls"}',
        "```tool_code\nls()\n```",
    ],
)
def test_a_text_that_is_a_call_is_no_summary(call):
    """A call in the form of any model or API, as the whole text, is refused as a model that went on with the work."""
    assert judged(call).reason.startswith("the model went on with the work in place of a summary: ")


@pytest.mark.parametrize(
    "text",
    [
        "The parser reads <tool_call>…</tool_call>. Next: its tests.",
        "<tool_call> is the mark that the parser reads now.",
        '{"goal": "a parser", "name": "brim", "type": "library"}',
        '["Mended the door."]',
        "[]",
        "{}",
        "[tools.py](tools.py) was changed, see [the tests]",
        "```text\nls()\n```",
    ],
)
def test_a_text_about_a_call_is_none(text):
    """A text that only names a call, and JSON with keys of its own, are none."""
    assert not is_call_text(text)


@given(st.text(max_size=400))
def test_words_before_an_error_make_it_a_mention(words):
    """A text that begins with a sentence of its own has no form of an error or a refusal."""
    text = f"The work on the parser is done: {words:200}"
    assert not is_error_text(text)
    assert not is_refusal_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "Error: 429" + " " * 5000 + "x",
        "a." * 240 + "x",
        "<" * 5000,
    ],
)
def test_a_hostile_text_is_judged_at_once(text):
    """Texts made to send a pattern back and forth are judged like any other."""
    assert not is_error_text(text)
