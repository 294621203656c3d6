"""Endings: how a conversation may end.

With a user's message, as a rule; and where tools have just run, their call comes back with the thinking it began with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from brim.testing.messages_api.blocks import THOUGHTS, Placed, turns_of

TEACHING = (
    "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost "
    "set of `tool_use` and `tool_result` blocks). To avoid this requirement, disable `thinking`."
)


def loop_faults(body: Mapping[str, Any], thoughtful: Collection[str]) -> Iterator[str]:
    """Whether the last answer of an unfinished tool loop has lost its thinking.

    `thoughtful` names the calls that were handed out behind thinking: those need it whenever thinking is not disabled,
    every other call only where thinking is enabled with a budget.
    """
    mode = (body.get("thinking") or {}).get("type", "adaptive")
    turn = _open_turn(turns_of(body["messages"]))
    calls = [placed.block["id"] for placed in turn if placed.kind == "tool_use"]
    bound = mode == "enabled" or (mode != "disabled" and any(call in thoughtful for call in calls))
    if calls and bound:
        first = next(placed for placed in turn if placed.kind != "compaction")
        if first.kind not in THOUGHTS:
            yield (
                f"{first.path}.type: Expected `thinking` or `redacted_thinking`, but found `{first.kind}`. {TEACHING}"
            )


def _open_turn(turns: Sequence[Sequence[Placed]]) -> Sequence[Placed]:
    if len(turns) > 1 and any(placed.kind == "tool_result" for placed in turns[-1]):
        return turns[-2]
    return ()


def prefill_faults(body: Mapping[str, Any], *, prefill: bool) -> Iterator[str]:
    """Whether a request ends with the beginning of its answer: no model takes it with a trailing space, and few at all.

    A turn that the server itself broke off, at a summary or at a call of its own, may come back to be carried on.
    """
    last = turns_of(body["messages"])[-1][-1]
    if last.role != "assistant" or last.kind not in {"text", *THOUGHTS}:
        return
    if not prefill:
        yield "This model does not support assistant message prefill. The conversation must end with a user message."
    elif last.kind == "text" and last.block["text"] != last.block["text"].rstrip():
        yield "messages: final assistant content cannot end with trailing whitespace"
