"""CutCtx's default chain: mask old outputs, plan a summary of the oldest turns, drop the oldest."""

import json
from functools import partial

from contract import Parts, blocks, text, timed
from cutctx import CompactionBudget, CompactionExecutor, Role, Transcript, TranscriptTurn, default_chain

PROMPT = "Summarize this conversation so that the work can go on."


def compact(messages, *, summarize=None, window=None, pinned=(), protected=4, **settings):
    """Fit the messages into half of the window, with the newest four turns untouched."""
    parts, turns, exchange, given = Parts(messages), [], None, {}

    def said(block):
        inner = json.dumps(block["input"]) if block["type"] == "tool_use" else text(block.get("content"))
        return block.get("text") or inner or f"[{block['type']}]"

    def add(index, role, content, call=None):
        written = "\n".join(map(said, content))
        turn = TranscriptTurn(f"{index}.{len(turns)}", role, written, len(written) // 4, call, index in pinned)
        turns.append(turn)
        given[turn.turn_id] = (index, content)

    for index, message in enumerate(messages):
        content = blocks(message)
        results = [one for one in content if one["type"] == "tool_result"]
        if message["role"] == "assistant":
            exchange = next((one["id"] for one in content if one["type"] == "tool_use"), None)
            add(index, Role.ASSISTANT, content, exchange)
            continue
        for one in results:
            add(index, Role.TOOL, [one], exchange)
        if len(results) < len(content):
            add(index, Role.USER, [one for one in content if one["type"] != "tool_result"])
    transcript = Transcript(tuple(turns))
    half = (window or transcript.token_estimate()) // 2
    budget = CompactionBudget(half, protected_recent_turns=protected)
    summaries = {}
    with timed():
        plan = default_chain(prompt_id="summary", **settings).decide(transcript, budget)
    for request in plan.summarization_requests:
        folded = [one.content for one in turns if one.turn_id in request.turn_ids]
        asked = [{"role": "user", "content": "\n\n".join([PROMPT, *folded])}]
        summaries[request.group_id] = text(summarize(asked))
    with timed():
        left = CompactionExecutor().apply(transcript, plan, summaries=summaries).transcript.turns
    before = {turn.turn_id: turn for turn in turns}
    found = []
    for turn in left:
        index, content = given.get(turn.turn_id, (-1, []))
        if turn.turn_id in before and turn.content != before[turn.turn_id].content:
            content = [{**content[0], "content": turn.content}]
        found.append(turn if index < 0 else parts.add(turn, index, content))
    return parts.back(found, lambda turn: {"role": "user", "content": turn.content})


best = partial(compact, keep_recent_results=10, protected=20)
