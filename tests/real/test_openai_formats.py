"""Real conversations in OpenAI's formats: of Codex, mini-swe-agent and SWE-agent, compacted at many places."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from brim import CompactionPolicy, Compactor, ModelLimits
from brim.testing import openai_chat_complaints, openai_responses_complaints
from steps.prerequisites import sized
from tests.conversation.openai_kept import check_bonds, check_kept
from tests.real.conftest import FOLDER

pytestmark = pytest.mark.transcripts
CODEX = "codex/agentv/0.142.2-two-compactions.jsonl"
MINI_SWE_AGENT = "mini-swe-agent/gemini-3-pro/scikit-learn__scikit-learn-25102.traj.json"
SWE_AGENT = "swe-agent/swe-smith/pydantic__pydantic.acb0f10f.pr_8316.traj"
LIMITS = ModelLimits(context_window=258_400, max_output_tokens=10_000)
FILES = (CODEX, MINI_SWE_AGENT, SWE_AGENT)
PLACES = sized(4, nightly=40)
"""At how many lengths each conversation is compacted."""


@cache
def conversation(name: str) -> tuple[Any, list[Any]]:
    """The check of its format, and the messages or items that the agent would send."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    if name == CODEX:
        records = map(json.loads, text.split("\n")[:-1])
        return openai_responses_complaints, [one["payload"] for one in records if one["type"] == "response_item"]
    if name == MINI_SWE_AGENT:
        return openai_chat_complaints, json.loads(text)["messages"]
    history = json.loads(text)["history"]
    named = [{**one, "tool_call_id": one["tool_call_ids"][0]} if one["role"] == "tool" else one for one in history]
    return openai_chat_complaints, named


@pytest.mark.parametrize("limits", sized([LIMITS], nightly=[LIMITS, None]))
@pytest.mark.parametrize("name", FILES)
def test_a_real_conversation_is_compacted_in_its_own_format(name: str, limits: ModelLimits | None) -> None:
    """Accepted by the strict check; pairs, bonds, instructions and the last request kept; again changes nothing."""
    complaints, messages = conversation(name)
    for part in range(1, PLACES + 1):
        given = messages[: len(messages) * part // PLACES]
        while complaints(given):
            given.pop()
        for keep in (0, 2_000, 20_000):
            compactor = Compactor(limits=limits, policy=CompactionPolicy(keep_tokens=keep, keep_share=1))
            result = compactor.compact(given)
            assert complaints(result.messages) == []
            check_kept(given, result.messages)
            check_bonds(given, result.messages)
            assert compactor.compact(result.messages).messages == result.messages


@pytest.mark.parametrize("name", FILES)
def test_nothing_changes_while_it_is_not_due(name: str) -> None:
    """Every message comes back as the very same value, unknown fields and all."""
    _, messages = conversation(name)
    result = Compactor(limits=ModelLimits(context_window=2_000_000)).compact(messages, cause="automatic")
    assert [id(message) for message in result.messages] == [id(message) for message in messages]
