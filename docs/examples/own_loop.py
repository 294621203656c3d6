"""A loop of your own: brim holds the messages, and says before every request what to send.

Runs against the server of brim.testing, without a key: python docs/examples/own_loop.py
"""

from typing import Any

from brim import Compactor, Conversation, ModelLimits
from brim.testing import MessagesServer, text_block, tool_call

MODEL = "claude-opus-5-5"
NOTES = "a line of notes\n" * 300
SCRIPT = [[text_block("Next."), tool_call("read", {"path": f"notes-{n}.txt"})] for n in range(30)] + ["All are read."]


def model(body: dict[str, Any]) -> Any:
    """A model that reads, answers, and writes a summary when it is asked for one."""
    return SCRIPT.pop(0) if body.get("tools") else "The notes were read; nothing in them contradicts the plan."


TOOLS = [{"name": "read", "description": "Read a file.", "input_schema": {"type": "object"}}]

with MessagesServer(default=model, models={MODEL: (20_000, 4_000)}) as server, server.client() as client:
    compactor = Compactor(client, MODEL, limits=ModelLimits(context_window=20_000, max_output_tokens=4_000))
    conversation = Conversation(compactor, tools=TOOLS)
    conversation.append({"role": "user", "content": "Read all notes."})

    while True:
        outgoing = conversation.prepare()
        if outgoing.compaction is not None:
            before, after = outgoing.compaction.tokens_before, outgoing.compaction.tokens_after
            print(f"{outgoing.verdict.reason}: {before} tokens became {after}")
        response = client.messages.create(model=MODEL, max_tokens=1_000, messages=list(outgoing.messages), tools=TOOLS)
        conversation.record(response)
        conversation.append({"role": "assistant", "content": response.content})
        calls = [block.id for block in response.content if block.type == "tool_use"]
        if not calls:
            break
        results = [{"type": "tool_result", "tool_use_id": call, "content": NOTES} for call in calls]
        conversation.append({"role": "user", "content": results})

    print(*(block.text for block in response.content if block.type == "text"))
    held = len(conversation.messages)
    print(f"the conversation holds {held} messages, the last request held {len(outgoing.messages)}")
