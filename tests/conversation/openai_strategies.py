"""Conversations in OpenAI's two formats, as agents make them: parallel calls, reasoning, media, fields of servers."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from steps.openai_conversations import answer, item_call, reasoning

words = st.text(st.sampled_from("abc é\n漢"), max_size=60).map(lambda text: f"Look{text}") | st.just(
    "Build the pier. " * 30
)
outputs = words | st.just("ok\n" * 300) | st.just("") | st.just("x" * 100_000)
extras = st.just({}) | st.fixed_dictionaries(
    {"provider_fields": st.integers() | st.lists(st.text(max_size=3), max_size=2)}
)
pictures = st.sampled_from(["https://example.org/a.png", "data:image/png;base64,iVBORw0KGgo="])
given_texts = st.sampled_from(['{"command": "ls"}', "{}", "", "[1]", '{"path": ', json.dumps({"path": "a.py", "n": 1})])


def flat(parts: Any) -> Any:
    """Lists of messages as one list."""
    return parts.map(lambda lists: [message for one in lists for message in one])


@st.composite
def chat_content(draw: Any, role: str) -> Any:
    """What a chat message of the user or the assistant says."""
    text = draw(words)
    if draw(st.booleans()):
        return text
    parts = [{"type": "text", "text": text, **draw(extras)}]
    if role == "user" and draw(st.booleans()):
        parts.append({"type": "image_url", "image_url": {"url": draw(pictures), "detail": "low"}})
    if role == "assistant" and draw(st.booleans()):
        parts.append({"type": "refusal", "refusal": "I cannot."})
    return parts


@st.composite
def chat_step(draw: Any, ids: Any) -> list[dict[str, Any]]:
    """An answer with calls, and the tools' messages in any order."""
    calls = []
    for n in range(draw(st.integers(1, 3))):
        call = f"{draw(ids)}-{n}"
        function = {"id": call, "type": "function", "function": {"name": "bash", "arguments": draw(given_texts)}}
        custom = {"id": call, "type": "custom", "custom": {"name": "apply_patch", "input": "*** Begin"}}
        calls.append({**draw(st.sampled_from([function, custom])), **draw(extras)})
    message = {
        "role": "assistant",
        "content": draw(st.none() | st.just("") | chat_content("assistant")),
        **draw(extras),
    }
    if draw(st.booleans()):
        message["reasoning_content"] = draw(words)
    texts = outputs | words.map(lambda text: [{"type": "text", "text": text}])
    answers = [{"role": "tool", "tool_call_id": call["id"], "content": draw(texts), **draw(extras)} for call in calls]
    return [{**message, "tool_calls": calls}, *draw(st.permutations(answers))]


@st.composite
def chat_turn(draw: Any, ids: Any) -> list[dict[str, Any]]:
    """A request, work and an answer; now and then a developer's word between."""
    developer = draw(st.just([]) | words.map(lambda text: [{"role": "developer", "content": text}]))
    asked = {"role": "user", "content": draw(chat_content("user")), **draw(extras)}
    work = draw(flat(st.lists(chat_step(ids), max_size=3)))
    said = {"role": "assistant", "content": draw(chat_content("assistant")), **draw(extras)}
    return [*developer, asked, *work, said]


@st.composite
def items_content(draw: Any) -> Any:
    """What the user says in Responses items."""
    if draw(st.booleans()):
        return draw(words)
    shown = draw(st.just([]) | pictures.map(lambda url: [{"type": "input_image", "image_url": url, "detail": "low"}]))
    return [{"type": "input_text", "text": draw(words)}, *shown]


@st.composite
def items_step(draw: Any, numbers: Any) -> list[dict[str, Any]]:
    """What the model answers with, reasoning before some of it, and the outputs behind all of it or in between."""
    items: list[dict[str, Any]] = []
    waiting: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(1, 3))):
        n = next(numbers)
        if draw(st.booleans()):
            items.append({**reasoning("r", n), **draw(extras)})
        custom = {"type": "custom_tool_call", "call_id": f"custom{n}", "name": "apply_patch", "input": "*** Begin"}
        function = {**item_call("call", n), "arguments": draw(given_texts)}
        action = {"type": "search", "query": "piers"}
        search = {"type": "web_search_call", "id": f"ws{n}", "status": "completed", "action": action}
        item = {**draw(st.sampled_from([custom, function, search, answer(n, "I look first.")])), **draw(extras)}
        items.append(item)
        if "call_id" in item:
            texts = outputs | words.map(lambda text: [{"type": "input_text", "text": text}])
            output = {
                "type": f"{item['type']}_output",
                "call_id": item["call_id"],
                "output": draw(texts),
                **draw(extras),
            }
            (items if draw(st.booleans()) else waiting).append(output)
    return [*items, *draw(st.permutations(waiting))]


@st.composite
def items_turn(draw: Any, numbers: Any) -> list[dict[str, Any]]:
    """A request, work and an answer."""
    developer = draw(st.just([]) | words.map(lambda text: [{"role": "developer", "content": text}]))
    asked = {"role": "user", "content": draw(items_content()), **draw(extras)}
    work = draw(flat(st.lists(items_step(numbers), max_size=3)))
    n = next(numbers)
    thought = draw(st.just([]) | st.just([reasoning("s", n)]))
    return [*developer, asked, *work, *thought, answer(n, "Done, the pier stands.")]


@st.composite
def conversations(draw: Any) -> tuple[str, list[dict[str, Any]]]:
    """The name of a format and a conversation that its API accepts, ended behind an answer or in mid-work."""
    form = draw(st.sampled_from(["openai-chat", "openai-responses"]))
    numbers = iter(range(10_000))
    ids = st.sampled_from(["a", "b"]) if draw(st.booleans()) else st.builds(lambda: f"call{next(numbers)}")
    role = "system" if form == "openai-chat" else "developer"
    front = draw(st.just([]) | words.map(lambda text: [{"role": role, "content": text}]))
    turn = chat_turn(ids) if form == "openai-chat" else items_turn(numbers)
    messages = [*front, *draw(flat(st.lists(turn, min_size=1, max_size=6)))]
    if draw(st.booleans()) and _is_output(messages[-2]):
        messages.pop()
    return form, messages


def _is_output(message: dict[str, Any]) -> bool:
    return message.get("role") == "tool" or str(message.get("type")).endswith("_output")
