"""Steps of features/conversation/formats.feature: each conversation in both of OpenAI's formats, with one result."""

from __future__ import annotations

import re
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

from pytest_bdd import given, parsers, when

from brim import CompactionPolicy, Compactor, ModelLimits
from brim.conversation.messages import CONTINUATION_OPENING, SUMMARY_OPENING
from brim.testing import openai_chat_complaints, openai_responses_complaints
from steps.openai_conversations import CHAT, answer, bonds, function_call, turns
from steps.vocabulary import attempt, tokens

LARGE = ModelLimits(context_window=100_000, max_output_tokens=4_000)
SMALL = ModelLimits(context_window=1_200, max_output_tokens=200)
COMPLAINTS = {CHAT: openai_chat_complaints, "Responses": openai_responses_complaints}
PICTURE = "data:image/png;base64,iVBORw0KGgo="
WHAT: dict[str, tuple[Any, Any]] = {
    "a system message": ({"role": "system", "content": "You build piers."},) * 2,
    "a developer message": ({"role": "developer", "content": "You build piers."},) * 2,
    "an unknown field of a message": (
        {"role": "assistant", "content": "Done.", "provider_specific_fields": {"x": [1]}},
        {**answer(99, "Done."), "phase": "final_answer"},
    ),
    "an image": (
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": PICTURE, "detail": "low"}}]},
        {"role": "user", "content": [{"type": "input_image", "image_url": PICTURE, "detail": "low"}]},
    ),
    "a refusal": (
        {"role": "assistant", "content": None, "refusal": "I cannot."},
        {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]},
    ),
}
"""A message that a conversation has besides, as a chat message and as a Responses item."""
GO = {"role": "user", "content": "Go on."}
MORE = {"role": "user", "content": "And more?"}
OLD = [GO, {"role": "assistant", "content": "Done. " * 1_000}]
"""Plain texts that there is room for in no conversation of a list."""
SYSTEM = {"role": "system", "content": "You build piers."}
CALLS = {"role": "assistant", "content": None, "tool_calls": [function_call("A")]}
TOOL = {"role": "tool", "tool_call_id": "A", "content": "ok"}
ITEM = {"type": "function_call", "call_id": "A", "name": "bash", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "A", "output": "ok"}
LISTS: dict[str, Any] = {
    "plain texts": [GO, {"role": "assistant", "content": "Done."}, MORE],
    "a system message": [SYSTEM, GO, MORE],
    "a call of a chat message": [GO, CALLS, TOOL, MORE],
    "an item of a function call": [GO, ITEM, OUTPUT, MORE],
    "an item among chat": [GO, CALLS, ITEM, OUTPUT],
    "a tool message without a call": [GO, TOOL],
}
PLACES = {"at its beginning": 0, "at its end": None}


class Talk:
    """An OpenAI conversation in one of the formats."""

    def __init__(self, form: str, number: int, work: str = "a call", output: str = "ok\n" * 200) -> None:
        self.form, self.turns = form, turns(form, number, work, output)
        self.first, self.held = self.turns[0][0], None

    def holds(self, place: str, what: str) -> None:
        """Have a message besides."""
        self.held = WHAT[what][self.form != CHAT]
        index = PLACES[place]
        if index is None:
            self.turns[-1].append(self.held)
        else:
            self.turns.insert(index, [self.held])

    def is_cut(self, which: str) -> None:
        """Lack its end, or its beginning."""
        if which == "the first is without its request":
            del self.turns[0][0]
        else:
            del self.turns[-1][-1 if which.endswith("a tool's output") else -2 :]

    @property
    def messages(self) -> list[Any]:
        """All that came in."""
        return [message for turn in self.turns for message in turn]


@given(parsers.re(r"an OpenAI conversation of (?P<number>\d+) turns(?:, (?P<more>.+))?"), target_fixture="talks")
def openai_conversation(number, more):
    return [_talk(form, int(number), more or "") for form in COMPLAINTS]


def _talk(form: str, number: int, more: str) -> Talk:
    if size := re.fullmatch(r"each with an output of ([\d,]+) tokens", more):
        return Talk(form, number, output="text" * tokens(size[1]))
    if more.startswith("each with "):
        return Talk(form, number, more.removeprefix("each with "))
    talk = Talk(form, number)
    if place := next((one for one in PLACES if more.startswith(one)), None):
        talk.holds(place, more.removeprefix(f"{place} "))
    elif more:
        talk.is_cut(more)
    return talk


def compact(given: list[Any], limits: ModelLimits = LARGE, keep: int = 600, **options: Any) -> Any:
    """Compact a list, and see that the list itself stays as it was."""
    before = deepcopy(given)
    policy = CompactionPolicy(keep_tokens=keep, keep_share=1)
    compaction = Compactor(limits=limits, policy=policy).compact(given, **options)
    assert given == before
    return compaction


HOW: dict[str, dict[str, Any]] = {
    "by hand": {},
    "where that is due": {"cause": "automatic"},
    "where that is due in a small window": {"cause": "automatic", "limits": SMALL},
    "with its first message pinned": {"pinned": [0]},
}
AGAIN, FOR_TARGETS = "and compacted again", "for targets from 50 to 5,000 tokens"


@when(
    parsers.re(f"the OpenAI conversation is compacted (?P<how>{'|'.join([*HOW, AGAIN, FOR_TARGETS])})"),
    target_fixture="outcome",
)
def compact_openai(talks, how):
    """Both formats have the same result."""
    if how == FOR_TARGETS:
        return SimpleNamespace(messages_parted_from_theirs=[one for talk in talks for one in parted(talk)])
    first, second = (compacted(talk, how) for talk in talks)
    assert first == second
    return first


def compacted(talk: Talk, how: str) -> SimpleNamespace:
    """Return what a compaction made of a conversation."""
    given = compact(talk.messages).messages if how == AGAIN else talk.messages
    done = compact(given, **HOW.get(how, {}))
    came = {id(message) for message in given}
    written = [brims(message, given) for message in done.messages if id(message) not in came]
    cleared = written.count("a cleared output")
    summary = next((n for n, one in enumerate(done.messages) if is_summary(one)), 0)
    names = {id(talk.first): "the first message", id(talk.held): "its message"}
    return SimpleNamespace(
        brim_wrote=[f"{cleared} cleared outputs"] if cleared else written,
        the_last_request="kept" if any(one is talk.turns[-1][0] for one in done.messages) else "gone",
        complaints=COMPLAINTS[talk.form](done.messages) if done.plan.changes_anything else [],
        warnings="; ".join(done.warnings),
        messages_ahead_of_the_summary=[names.get(id(one), "another") for one in done.messages[:summary]],
        its_message="kept" if any(one is talk.held for one in done.messages) else "gone",
    )


def brims(message: Any, came: list[Any]) -> str:
    """Return what a message is that did not come in; of a cleared output only the content is new."""
    text = message.get("content", message.get("output"))
    field = "content" if "content" in message else "output"
    rest = [{**one, field: text} for one in came if field in one]
    if text == "[Old tool result content cleared]" and message in rest:
        return "a cleared output"
    if text == "[Tool execution was interrupted]":
        return "an error"
    if message["role"] == "user" and is_summary(message):
        return "a summary"
    ordered = message["role"] == "user" and str(text).startswith(CONTINUATION_OPENING)
    return "an order to continue" if ordered else "something else"


def is_summary(message: Any) -> bool:
    """Whether it is brim's summary."""
    return isinstance(message, dict) and str(message.get("content")).startswith(SUMMARY_OPENING)


def parted(talk: Talk) -> list[list[int]]:
    """Return the indices of what belongs together and is not kept together, at any target; every result is accepted."""
    came, found, sizes = talk.messages, [], set()
    for keep in range(50, 5_000, 150):
        new = compact(came, keep=keep).messages
        assert COMPLAINTS[talk.form](new) == []
        sizes.add(len(new))
        places = {id(message): index for index, message in enumerate(new)}
        for bond in bonds(came):
            there = [places[id(came[index])] for index in bond if id(came[index]) in places]
            apart = came[bond[0]].get("type") == "reasoning" and there and there[-1] != there[0] + 1
            found += [bond] if apart or len(there) not in (0, len(bond)) else []
    assert len(sizes) > 2
    return found


@given(parsers.re("a list of (?P<what>.+)"), target_fixture="conversation")
def a_list(what):
    return [*OLD, *LISTS[what]]


@when(parsers.re('the list is compacted as (?:it shows|"(?P<form>[^"]+)")'), target_fixture="outcome")
def compact_list(conversation, form):
    done = attempt(compact, conversation, keep=300, format=form)
    return shape_of(done) if hasattr(done, "messages") else done


def shape_of(done: Any) -> SimpleNamespace:
    """Return in which format the summary of a list is."""
    (summary,) = [message for message in done.messages if is_summary(message)]
    items = sorted(summary) != ["content", "role"]
    assert not items or summary["type"] == "message"
    return SimpleNamespace(summary="a Responses item" if items else "a message")
