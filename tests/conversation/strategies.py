"""Conversations of every sort, whole or not, as hypothesis draws them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from brim.conversation.messages import PLAIN, Marks, Message, read_message

IDS = st.sampled_from("ABC")
"""Few, so that calls and results meet often."""


def _block(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"type": st.just(kind), **fields})


def _texts() -> st.SearchStrategy[str]:
    return st.sampled_from(["Go on.", "", " \n", "\u200b", "[Summary of"])


COMMON = [
    _block("text", text=_texts()),
    _block("image", source=st.just({"data": "AAAA"})),
    _block("hologram", depth=st.integers()),
    _block("compaction_marker"),
]
CALLS = [
    _block("tool_use", id=IDS, name=st.just("Bash"), input=st.just({"command": "ls"})),
    _block("server_tool_use", id=IDS, name=st.just("web_search"), input=st.just({})),
]
RESULTS = [
    _block("tool_result", tool_use_id=IDS, content=_texts(), is_error=st.booleans()),
    _block("tool_result", tool_use_id=IDS, content=st.lists(_block("text", text=_texts()), max_size=2)),
]
ANSWERS = [
    _block("web_search_tool_result", tool_use_id=IDS, content=st.just([])),
    _block("thinking", thinking=_texts(), signature=st.just("signed")),
]

user_blocks = st.one_of(*RESULTS, *RESULTS, *COMMON)
assistant_blocks = st.one_of(*CALLS, *CALLS, *ANSWERS, *COMMON)
stray_blocks = st.one_of(*CALLS, *RESULTS, *ANSWERS, *COMMON)


def _raw(role: str, blocks: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    content = st.one_of(st.lists(blocks, max_size=4), _texts())
    return st.fixed_dictionaries({"role": st.just(role), "content": content}, optional={"id": st.text(max_size=3)})


raws = st.one_of(
    _raw("user", user_blocks),
    _raw("assistant", assistant_blocks),
    _raw("user", stray_blocks),
    st.just({"role": "system", "content": "Mind the tide."}),
)
marks = st.one_of(
    st.just(PLAIN),
    st.builds(Marks, synthetic=st.booleans(), summary=st.booleans(), response=st.sampled_from([None, "one", "two"])),
)
messages: st.SearchStrategy[Message] = st.builds(read_message, raws, marks)
raw_conversations = st.lists(raws, max_size=8)
conversations = st.lists(messages, max_size=8)
