"""Steps of features/conversation/harness_text.feature."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from pytest_bdd import given, parsers, when

from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from steps.policies import with_policy
from steps.vocabulary import attempt
from steps.worlds.conversation_line import Line

LIMITS = ModelLimits(context_window=200_000, max_output_tokens=64_000)
QUESTIONS = {"questions": [{"question": question} for question in ("Which store?", "How large?")]}


@given(parsers.parse("a request of the user, and a result of {tool}"), target_fixture="conversation")
def request_and_result(tool, datatable):
    """With a call that asks two questions, and five turns of other work behind them."""
    outcome, text = datatable[1]
    call = {"type": "tool_use", "id": "X", "name": tool, "input": QUESTIONS}
    answer = {"type": "tool_result", "tool_use_id": "X", "content": text, "is_error": outcome == "failed"}
    asked = Line.read('user "Mend the cellar door."').raws
    done = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}]
    return [*asked, *done, *Line.read("assistant, 5 turns of 500").raws]


@when("it is compacted to a small target", target_fixture="outcome")
def compact(conversation, settings):
    """Without a model; all words of the user are in the new conversation."""
    messages = [getattr(one, "raw", one) for one in conversation]
    policy = attempt(with_policy, {"keep_tokens": 100, **settings})
    return told(messages, Compactor(limits=LIMITS, **policy).compact(messages)) if isinstance(policy, dict) else policy


def told(messages: list[Any], done: Any) -> SimpleNamespace:
    """Return what a compaction knew, and which words of the user's messages stay word for word."""
    assert done.fidelity.words.share == 1
    facts = {kind: [one.text for one in done.plan.facts if one.kind == kind] for kind in ("request", "constraint")}
    kept = [
        part["text"] for one in messages if one in done.messages for part in one["content"] if said_by_user(one, part)
    ]
    return SimpleNamespace(
        words_of_the_user=facts["request"],
        constraints=facts["constraint"],
        earlier_summary=done.summary.partition("\nFrom the earlier summary:\n")[2].strip(),
        words_kept=kept,
    )


def said_by_user(message: dict[str, Any], block: dict[str, Any]) -> bool:
    """Whether a block is a text on the user's side."""
    return message["role"] == "user" and block["type"] == "text"
