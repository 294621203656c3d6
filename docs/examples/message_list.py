#!/usr/bin/env python3
"""Compact a list of messages: plan it, see what it would do, carry it out.

Runs against a server of the Messages API on this machine, so that no key is needed. With a key, `Anthropic()` takes the
place of `server.client()`, and nothing else changes.
"""

from brim import Compactor
from brim.testing import MessagesServer

MODEL = "claude-opus-5-5"
SUMMARY = "<summary>\n## Task Overview\nThe harbour is being built, pier by pier.\n</summary>"


def pier(number: int) -> list[dict[str, object]]:
    """A turn: what the user wants, a tool call with its result, and the answer."""
    call = {"type": "tool_use", "id": f"call_{number}", "name": "Bash", "input": {"command": f"make pier-{number}"}}
    result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": "ok\n" * 2_000}
    return [
        {"role": "user", "content": f"Build pier {number}. Never block the channel."},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": f"Pier {number} stands."},
    ]


messages = [message for number in range(12) for message in pier(number)]

with MessagesServer([SUMMARY], models={MODEL: (40_000, 4_000)}) as server, server.client() as client:
    compactor = Compactor(client, MODEL, on_event=print)
    print(compactor.should_compact(messages))

    plan = compactor.plan(messages)  # nothing has happened yet
    print(f"{len(plan.summarized)} messages would leave, {len(plan.kept)} stay; {plan.call.reason}")

    result = compactor.apply(plan)  # or compactor.compact(messages), which does both
    print(f"by the {result.summary_source}: {result.tokens_before:,} tokens before, {result.tokens_after:,} after")
    print(f"{result.fidelity.facts} facts are present, {result.fidelity.words} characters of the user's words")

    messages = [*result.messages, {"role": "user", "content": "Which pier is next?"}]
    answer = client.messages.create(model=MODEL, max_tokens=1_000, messages=messages)
    print(answer.content[0].text)
