"""Pinned calls and results of a loop of tools, through several compactions: the strict server accepts every request."""

import pytest

from brim import CompactionPolicy, Compactor, Conversation, ModelLimits
from brim.testing import MessagesServer, ScriptedSummarizer, text_block, thinking_block, tool_call
from steps.compaction_windows import filler

MODEL = "claude-opus-5-5"
LIMITS = ModelLimits(context_window=6_000, max_output_tokens=1_000)
TOOL = {"name": "read", "input_schema": {"type": "object"}}
SUMMARY = "<summary>All was well.</summary>"


def begun(**policy):
    """A conversation in a small window."""
    compactor = Compactor(limits=LIMITS, summarizer=ScriptedSummarizer(SUMMARY), policy=CompactionPolicy(**policy))
    return Conversation(compactor, model=MODEL, tools=[TOOL])


def ask(client, conversation, pinned=()):
    """A request and its answer; whether it was compacted."""
    outgoing = conversation.prepare(pinned=pinned)
    thinks = {"type": "adaptive"}
    sent = [*outgoing.messages]
    answer = client.messages.create(model=MODEL, max_tokens=500, messages=sent, tools=[TOOL], thinking=thinks)
    conversation.append({"role": "assistant", "content": answer.content})
    return answer, outgoing.compaction is not None


def test_a_pinned_loop_that_was_closed_stays_closed():
    """The user interrupts a loop whose call and result are pinned; its thinking leaves with the first compaction."""
    first = [thinking_block("Read it."), tool_call("read", {"path": "plan.md"})]
    conversation = begun(keep_tokens=100)
    with MessagesServer(default=[text_block(filler(150))]) as server, server.client() as client:
        server.script(first)
        conversation.append({"role": "user", "content": "Read the plan."})
        answer, _ = ask(client, conversation)
        result = {"type": "tool_result", "tool_use_id": answer.content[-1].id, "content": "The plan."}
        conversation.append({"role": "user", "content": [result]})
        compactions = 0
        for number in range(30):
            conversation.append({"role": "user", "content": f"Go on {number}. {filler(600)}"})
            compactions += ask(client, conversation, pinned=[1, 2])[1]
    assert compactions > 1


def test_unseen_results_stand_behind_a_pinned_call_and_its_result():
    """The newest result is pinned while the loop is summarized."""
    call = [thinking_block("Which?"), tool_call("read", {"path": "notes"})]
    conversation = begun(unfinished_loops="summary")
    with MessagesServer(default=call) as server, server.client() as client:
        conversation.append({"role": "user", "content": "Read all."})
        compactions = 0
        for _ in range(20):
            newest = len(conversation.messages) - 1
            answer, compacted = ask(client, conversation, pinned=[newest] if newest else [])
            compactions += compacted
            result = {"type": "tool_result", "tool_use_id": answer.content[-1].id, "content": filler(800)}
            conversation.append({"role": "user", "content": [result]})
    assert compactions > 1


@pytest.mark.parametrize("pinned", [[23], [24], [0, 24]])
def test_a_pinned_part_of_an_unfinished_loop_keeps_its_pair(pinned):
    """By hand too: each call is followed by its result."""
    messages = [{"role": "user", "content": "Do it."}]
    for number in range(12):
        use = {"type": "tool_use", "id": f"t{number}", "name": "read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": use["id"], "content": filler(400)}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    compactor = Compactor(
        limits=LIMITS, summarizer=ScriptedSummarizer(SUMMARY), policy=CompactionPolicy(unfinished_loops="summary")
    )
    sent = compactor.compact(messages, pinned=pinned).messages
    calls = [n for n, one in enumerate(sent) if "tool_use'" in str(one["content"])]
    assert calls
    assert all("tool_result" in str(sent[n + 1]["content"]) for n in calls)
