"""Odd conversations: results without calls, several results, media, a seam for an account of the caller's."""

from __future__ import annotations

from brim.conversation.messages import Marks, Message, read_message
from brim.pruning.tool_outputs import PLACEHOLDER, Pruning, ToolOutputs, apply_pruning

USER = read_message({"role": "user", "content": "Go on."})
BEYOND = [USER, USER]


def result(call_id: str, content="x" * 40, kind: str = "tool_result"):
    """A result, of forty characters unless told."""
    return {"type": kind, "tool_use_id": call_id, "content": content}


def call(call_id: str, name: str = "Read"):
    """A call of a tool."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}}


def said(role: str, *blocks, marks: Marks | None = None) -> Message:
    """A message of these blocks."""
    message = read_message({"role": role, "content": list(blocks)})
    return message if marks is None else Message(message.role, message.parts, message.raw, marks)


def prune(messages, *, protect: int, minimum: int, **settings) -> Pruning:
    """What is pruned of a conversation."""
    outputs = ToolOutputs(**settings)
    for message in messages:
        outputs.append(message)
    return outputs.decide(protect=protect, minimum=minimum)


def pruned(*messages: Message, **settings) -> tuple[str, ...]:
    """The ids pruned of messages that stand before the last two turns."""
    return prune([*messages, *BEYOND], protect=0, minimum=0, **settings).ids


def test_call_before_a_pruned_output():
    """The tool of a result is known although its response stands before an output already pruned."""
    response = [said("assistant", call("a", "skill")), said("assistant", call("b"))]
    assert pruned(USER, *response, said("user", result("b", PLACEHOLDER)), said("user", result("a"))) == ()


def test_provider_side_server():
    """What a connected server answered may read as text and is pruned; a provider's own search is not."""
    server = {"type": "mcp_tool_use", "id": "a", "name": "tickets", "server_name": "desk", "input": {}}
    assert pruned(said("assistant", server, result("a", kind="mcp_tool_result"))) == ("a",)
    search = {"type": "server_tool_use", "id": "a", "name": "web_search", "input": {}}
    found = [{"type": "text", "text": "x" * 40}]
    assert pruned(said("assistant", search, result("a", found, "web_search_tool_result"))) == ()


def test_failed_placeholder():
    """A failed result that happens to read like the placeholder stops nothing."""
    failed = {**result("b", PLACEHOLDER), "is_error": True}
    assert pruned(said("user", result("a")), said("user", failed)) == ("a",)


def test_several_results_of_one_message():
    """Of several results of one message those are cleared that were decided, and no other part is touched."""
    message = said(
        "user", result("a"), {"type": "text", "text": "Hm."}, result("b"), result("c", PLACEHOLDER), result("d")
    )
    (after, *_) = apply_pruning([message, *BEYOND], prune([message, *BEYOND], protect=0, minimum=0))
    contents = [block.get("content", block.get("text")) for block in after.raw["content"]]
    assert contents == ["x" * 40, "Hm.", "x" * 40, PLACEHOLDER, PLACEHOLDER]
    assert after == read_message(after.raw)
