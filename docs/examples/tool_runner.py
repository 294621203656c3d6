"""The tool runner of the SDK, compacted in the middle of its loop; no tool runs twice.

Runs against the server of brim.testing, without a key: python docs/examples/tool_runner.py
"""

from itertools import count
from typing import Any

from anthropic import beta_tool

import brim
from brim.testing import MessagesServer, thinking_block, tool_call

MODEL = "claude-opus-5-5"
FILES = 30
next_file = count()
read_files = []


def model(body: dict[str, Any]) -> Any:
    """What stands in for the model: it reads every file, and writes a summary when it is asked for one."""
    if not body.get("tools"):
        return "The notes were read one by one; nothing in them contradicts the plan."
    number = next(next_file)
    if number == FILES:
        return "All notes are read."
    return [thinking_block("Which one is next?"), tool_call("read", {"path": f"notes-{number}.txt"})]


@beta_tool
def read(path: str) -> str:
    """Read a file.

    Args:
        path: which one.
    """
    read_files.append(path)
    return "a line of notes\n" * 300


def tell(event: Any) -> None:
    """Say when a compaction is done."""
    if event.kind == "compacted":
        print(f"{event.tokens_before} tokens became {event.tokens_after}, summary by {event.summary_source}")


with MessagesServer(default=model, models={MODEL: (20_000, 4_000)}) as server, server.client() as client:
    question = [{"role": "user", "content": "Read all notes."}]
    runner = brim.tool_runner(
        brim.compacting(client, on_event=tell), model=MODEL, max_tokens=1_000, tools=[read], messages=question
    )
    print(runner.until_done().content[0].text)
    print(f"{len(read_files)} calls of the tool, {len(set(read_files))} files")
