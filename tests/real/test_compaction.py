"""Real sessions, compacted where they stand and at places on the way, for models of every size."""

from itertools import product

import pytest

from brim.compaction.plan import NOTHING_TO_COMPACT, plan_compaction
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import compact_without_model
from brim.conversation.messages import Thinking
from brim.conversation.turns import begins_turn
from brim.models import ModelLimits
from brim.testing import complaints
from brim.transcripts.window import window_of
from steps.prerequisites import sized
from tests import strict_api
from tests.real.test_transcripts import SAMPLE

pytestmark = pytest.mark.transcripts

MODELS = {
    "200,000": ModelLimits(context_window=200_000, max_output_tokens=32_000),
    "60,000": ModelLimits(context_window=60_000, max_output_tokens=8_192),
    "no limit": ModelLimits(context_window=0),
}
BEGINS_LATE = 'messages: first message must use the "user" role'
"""What is refused of a session that began in its middle and is left as it is."""
SHARES = sized((33, None), nightly=(0, 10, 33, 66, 100, None))
"""Where in its responses a session is compacted, in percent; None for the end of the file."""


def place(transcript, share):
    """The index of the response at a share of all of them."""
    return None if share is None else (len(transcript.responses) - 1) * share // 100


def compacted(session, limits, profile):
    """Windows of a session at all those places, and what a compaction of each comes to, by hand and automatic."""
    return [
        (window, compact_without_model(plan_compaction(window, cause)))
        for share in SHARES
        for window in [
            window_of(session, MODELS[limits], policy=CompactionPolicy(profile=profile), at=place(session, share))
        ]
        for cause in ("manual", "automatic")
    ]


PROFILES = ("usable", "opencode-2025")
"""One that puts the summary as a user message, and one that has the assistant give it."""
HELD = sized([("usable", "200,000"), ("opencode-2025", "60,000")], nightly=[*product(PROFILES, MODELS)])


MADE = {}
"""What was compacted before, for the next test."""


@pytest.fixture(params=product(SAMPLE, HELD), ids=lambda one: f"{one[0].rpartition('/')[2]}-{'-'.join(one[1])}")
def compactions(real, request):
    """All compactions of one session after the other, under one profile and limits after the other."""
    name, (profile, limits) = request.param
    if request.param not in MADE:
        MADE[request.param] = compacted(real(name), limits, profile)
    return MADE[request.param]


def refusals(body):
    """What either of two checks, strict and apart from brim, finds in a request.

    The tools that a result refers to are in no file, but in the request of whoever goes on: they count as known.
    """
    whole = {"model": "a-model", "max_tokens": 1_000, **body, "messages": [*map(resolved, body["messages"])]}
    found = complaints(whole)
    return found or [fault for fault in strict_api.complaints(whole["messages"]) if "the first message" not in fault]


def resolved(message):
    """The message with a word in place of each reference to a tool."""
    if not any(map(refers, message["content"])):
        return message
    blocks = [
        {**block, "content": [{"type": "text", "text": one["tool_name"]} for one in block["content"]]}
        if refers(block)
        else block
        for block in message["content"]
    ]
    return {**message, "content": blocks}


def refers(block):
    """Whether a block is a result that refers to tools."""
    told = block.get("content") if isinstance(block, dict) else None
    return isinstance(told, list) and {one.get("type") for one in told} == {"tool_reference"}


def accepted(result):
    """Whether a strict check finds nothing; a session that began in its middle is left as it is, or gets a summary."""
    began_in_the_middle = not result.plan.summarizes and result.plan.context.messages[0].role == "assistant"
    return refusals({"messages": result.messages}) == [BEGINS_LATE] * began_in_the_middle


def words(message):
    """The texts of a message that show."""
    return [part.text for part in message.parts if hasattr(part, "text") and part.text.strip()]


def test_a_session_is_compacted(compactions):
    """Accepted by a strict check, the request word for word, fewer tokens or as it came, nine of ten facts held."""
    for window, result in compactions:
        assert accepted(result) or (result.warnings and not result.plan.changes_anything)
        requests = [message for message in window.messages if begins_turn(message)]
        if requests:
            assert words(next(message for message in reversed(result.conversation) if begins_turn(message))) == words(
                requests[-1]
            )
        if result.plan.changes_anything:
            assert result.tokens_after < result.tokens_before
        else:
            assert list(result.conversation) == window.messages
            assert result.plan.context.automatic or result.plan.reason.startswith(NOTHING_TO_COMPACT)
        if result.plan.removed_characters > 4_000:  # half of less has no room for every fact
            assert result.fidelity.facts.share >= 0.9


def test_kept_messages_are_those_that_came_in(compactions):
    """Kept messages are the very ones, but for thinking and for cleared outputs; nothing is told of what was added."""
    for _, result in compactions:
        came = {id(message.raw) for message in (*result.plan.context.messages, *result.plan.context.original)}
        changed = [message for message in result.conversation if id(message.raw) not in came]
        parts = {id(part.raw) for message in result.plan.context.messages for part in message.parts}
        cleared = set(result.plan.pruning.ids)
        for message in changed:
            ours = "written by brim]" in message.text.partition("\n")[0]
            assert ours or all(id(part.raw) in parts or part.call_id in cleared for part in message.parts)


def test_thinking_leaves_with_its_history(compactions):
    """Where something was summarized, no thinking is left behind it."""
    for _, result in compactions:
        if result.plan.summarizes:
            assert not any(type(part) is Thinking for message in result.conversation for part in message.parts)


def test_compacting_again(compactions):
    """What was compacted and did not change is never made larger by compacting it again."""
    for window, result in (made for made in compactions if made[1].plan.changes_anything):
        again = compact_without_model(plan_compaction(window.with_messages(result.conversation)))
        assert again.tokens_after <= result.tokens_after
        assert accepted(again)
