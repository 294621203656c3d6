"""A client that compacts: the agent calls the SDK as it always did, and its window never overflows.

Runs against the server of brim.testing, without a key: python docs/examples/middleware.py
"""

from typing import Any

import brim
from brim.testing import MessagesServer, thinking_block, tool_call

MODEL = "claude-opus-5-5"
NOTES = "a line of notes\n" * 300
ROUNDS = 30


def model(body: dict[str, Any]) -> Any:
    """What stands in for the model: it thinks and reads, and writes a summary when it is asked for one."""
    if not body.get("tools"):
        return "The notes were read one by one; nothing in them contradicts the plan."
    return [thinking_block("Which one is next?"), tool_call("read", {"path": f"notes-{len(body['messages'])}.txt"})]


def tell(event: Any) -> None:
    """Say when a compaction is done."""
    if event.kind == "compacted":
        print(f"{event.tokens_before} tokens became {event.tokens_after}, summary by {event.summary_source}")


TOOLS = [{"name": "read", "description": "Read a file.", "input_schema": {"type": "object"}}]

with MessagesServer(default=model, models={MODEL: (20_000, 4_000)}) as server, server.client() as plain:
    client = brim.compacting(plain, on_event=tell)
    messages: list[Any] = [{"role": "user", "content": "Read all notes."}]

    for _ in range(ROUNDS):
        with client.messages.stream(model=MODEL, max_tokens=1_000, messages=messages, tools=TOOLS) as stream:
            response = stream.get_final_message()
        messages.append({"role": "assistant", "content": response.content})
        calls = [block.id for block in response.content if block.type == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": call, "content": NOTES} for call in calls]
        messages.append({"role": "user", "content": results})

    sent = len(server.requests[-1].body["messages"])
    print(f"the list holds {len(messages)} messages, the last request held {sent}")
