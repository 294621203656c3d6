"""Steps of features/memory/system_block.feature."""

from __future__ import annotations

import warnings
from typing import Any

from pytest_bdd import when

from brim import Compactor, Conversation, ModelLimits, Request
from brim.memory import Memory, MemorySettings
from brim.testing import MessagesServer, ScriptedSummarizer
from steps.compaction_windows import filler
from steps.file_cells import put

MODEL = "claude-opus-5-5"
MARK = {"cache_control": {"type": "ephemeral"}}
ROOMY = ModelLimits(context_window=200_000, max_output_tokens=8_192)
TIGHT = ModelLimits(context_window=40_000, max_output_tokens=30_000)
SYSTEMS: dict[str, Any] = {
    "none": None,
    "empty": "",
    "a text": "You are a harbour master.",
    "two blocks": [{"type": "text", "text": "You are a harbour master."}, {"type": "text", "text": "Be brief."}],
}


def texts(count: int, marks: int) -> list[Any]:
    """So many text blocks, the first of them with cache marks."""
    return [{"type": "text", "text": f"Part {n}.", **(MARK if n < marks else {})} for n in range(count)]


def marked(cell: str) -> tuple[dict[str, Any], Any]:
    """Return the options of a conversation, and its last message, with cache marks such as `3 in its messages`."""
    count, _, where = cell.partition(" ")
    marks = int(count or 0)
    tools = [{"name": f"tool{n}", "input_schema": {"type": "object"}, **(MARK if n < marks else {})} for n in range(4)]
    options: dict[str, Any] = {
        "in its tools": {"tools": tools},
        "in its system prompt": {"system": texts(4, marks)},
        "as a parameter": {"parameters": MARK},
        "and one as a parameter": {"parameters": MARK},
    }.get(where, {})
    return options, texts(4, marks) if where in {"in its messages", "and one as a parameter"} else "What now?"


def begun(compactor: Compactor[Any], row: dict[str, str], memory: Memory | None) -> Conversation:
    """Return a conversation of 8 turns, with outputs that fill the window where a row says so."""
    options, content = marked(row.get("cache marks", ""))
    conversation = Conversation(compactor, memory=memory, **{"system": SYSTEMS[row.get("system", "none")]} | options)
    for number in range(7):
        conversation.append({"role": "user", "content": f"Do step {number}: {filler(1_000)}"})
        if row.get("window") == "full of outputs":
            call = {"type": "tool_use", "id": f"call-{number}", "name": "read", "input": {"path": f"/{number}"}}
            result = {"type": "tool_result", "tool_use_id": f"call-{number}", "content": filler(30_000)}
            conversation.append({"role": "assistant", "content": [call]})
            conversation.append({"role": "user", "content": [result]})
        conversation.append({"role": "assistant", "content": filler(1_000)})
    conversation.append({"role": "user", "content": content})
    return conversation


@when("an agent works with this memory", target_fixture="outcome")
def work(machine, datatable):
    row = dict(zip(*datatable, strict=True))
    summarizer = ScriptedSummarizer("All went well.")
    limits = TIGHT if row.get("window") == "due" else ROOMY
    compactor = Compactor(limits=limits, summarizer=summarizer, model=MODEL)
    required = {"files": [{"path": "CLAUDE.md", "required": True}]} if row.get("file") == "gone" else {}
    memory = Memory.load(machine.project, settings=MemorySettings(**required))
    conversation = begun(compactor, row, memory)
    if "file" in row:
        put(machine.root / row.get("at", "project/CLAUDE.md"), row["file"], machine.root)
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        for act in row.get("acts", "prepares").split(", "):
            outgoing = {"prepares": conversation.prepare, "overflows": conversation.overflowed}[act]()
    if "file" in row:  # the window counts what is sent
        held = outgoing.window.verdict().held
        outgoing.window.set_request(Request(system=outgoing.system))
        assert outgoing.window.verdict().held == held
    bare = begun(compactor, row, None)
    system, alone = outgoing.system or [], bare.prepare()
    with MessagesServer() as server, server.client() as client:
        asked = {"model": MODEL, "max_tokens": 100, "messages": outgoing.messages, "system": outgoing.system}
        client.messages.create(**{name: value for name, value in asked.items() if value})
    last = system[-1] if isinstance(system, list) and system else {"text": str(system)}
    return {
        "blocks": len(system) if isinstance(system, list) else None,
        "last_block": last["text"].partition("\n")[2] or last["text"],
        "mark": "cache_control" in last,
        "tokens": outgoing.verdict.held - alone.verdict.held,
        "warned": [str(one.message) for one in met],
        "in_messages": last["text"] in str(outgoing.messages),
        "in_the_summarizer's_messages": any(last["text"] in str(one.messages) for one in summarizer.requests),
        "in_its_system_prompt": any("Instructions" in str(one.system) for one in summarizer.requests),
    }
