"""Messages of the system in the middle of a list, as newer models take them, on every entry point; strictly served."""

import asyncio

import pytest

import brim
from brim.anthropic.summarizer import AnthropicSummarizer
from brim.conversation.messages import changes_tools
from brim.engine.conversation import Conversation
from brim.testing import complaints
from tests.engine.agents import LONG, MODEL, compactor, served

pytestmark = pytest.mark.peers
REMINDER = {"role": "system", "content": [{"type": "text", "text": "It is late."}]}
TOOL = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "Look"}}


def rounds(count, first=REMINDER):
    """A request, and rounds of a call and its result, each with a word of the system behind it, as Claude Code has."""
    said = [{"role": "user", "content": "Read all notes."}, first]
    for n in range(count):
        call = {"type": "tool_use", "id": f"t{n}", "name": "read", "input": {"path": f"/{n}"}}
        said += [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": LONG}]},
            {**REMINDER},
        ]
    return said


def growing(client, count):
    """Requests with one round more each; the last answer."""
    for n in range(count):
        answer = client.messages.create(model=MODEL, max_tokens=500, messages=rounds(n))
    return answer


def test_a_client_that_compacts_works_on_and_the_strict_server_takes_all():
    """Forty requests in a window for fifteen: nothing is refused, and the newest reminder stands behind the results."""
    with served(default="<summary>All went well, and the work goes on.</summary>") as server, server.client() as plain:
        growing(brim.compacting(plain), 40)
        bodies = [request.body["messages"] for request in server.requests if request.body]
    assert [complaints(one) for one in bodies] == [[]] * len(bodies)
    assert len(bodies[-1]) < len(rounds(39))
    assert bodies[-1][-1] == REMINDER


def test_a_compaction_keeps_those_of_the_kept_part_in_place():
    """What leaves takes its reminders with it, and what stays has its own where it stood."""
    messages = rounds(30)
    made = compactor().compact(messages)
    assert made.plan.changes_anything
    assert complaints(made.messages) == []
    kept = [n for n, one in enumerate(messages) if any(one is other for other in made.messages)]
    reminders = [n for n in kept if messages[n]["role"] == "system"]
    assert reminders
    assert [one["role"] for one in made.messages].count("system") == len(reminders)
    assert {n - 1 for n in reminders[1:]} <= {*kept}


def test_one_that_changes_tools_stays_through_every_compaction():
    """It is pinned, and stays so where a caller releases pins."""
    messages = rounds(30, first={"role": "system", "content": [TOOL]})
    made = compactor().compact(messages)
    assert complaints(made.messages) == []
    assert [changes_tools(one.parts) for one in made.conversation if one.role == "system"].count(True) == 1
    conversation = Conversation(compactor())
    conversation.extend(messages)
    conversation.prepare(pinned=[0])
    assert str(conversation.prepare(pinned=[]).messages).count("tool_addition") == 1


@pytest.mark.parametrize("count", [3, 30])
def test_a_conversation_takes_them(count):
    """Appended one by one, for programs that wait and for event loops."""

    async def prepared():
        conversation = Conversation(compactor())
        for one in rounds(count):
            conversation.append(one)
        return await conversation.aprepare()

    conversation = Conversation(compactor())
    for one in rounds(count):
        conversation.append(one)
    waited, awaited = conversation.prepare().messages, asyncio.run(prepared()).messages
    assert complaints(waited) == complaints(awaited) == []
    assert (len(waited) < len(rounds(count))) == (len(awaited) < len(rounds(count))) == (count == 30)


def test_the_summary_is_asked_for_behind_a_users_message():
    """The instruction is the user's: no reminder stands between it and the results before it."""
    with served(default="<summary>All went well, and the work goes on.</summary>") as server, server.client() as client:
        compactor(summarizer=AnthropicSummarizer(client)).compact(rounds(13), cause="manual", model=MODEL)
        (body,) = [request.body for request in server.requests]
    assert [one["role"] for one in body["messages"][-2:]] == ["user", "user"]
