"""The back ends with the SDK's real client, against the strict server."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from typing import Any

import pytest

from brim.compaction.policy import CompactionPolicy
from brim.engine.backends import backend
from brim.engine.compactor import Compactor
from brim.errors import InvalidInput, ProviderFailed, Refused
from brim.models import ModelLimits
from brim.testing import MessagesServer, asks_for_summary, overloaded, thinking_block, tool_call

MODEL = "claude-opus-5-5"
LIMITS = ModelLimits(context_window=200_000, max_output_tokens=64_000)
READ = {"name": "read", "description": "Read a file.", "input_schema": {"type": "object", "properties": {}}}
PART = "a line of the log\n" * 6_000
NAMES = ("brim", "provider", "provider-clearing")


def request(messages: list[Any], **values: Any) -> dict[str, Any]:
    """A request of these messages."""
    return {"model": MODEL, "max_tokens": 2_000, "messages": messages, "tools": [READ], **values}


def results(answer: Any) -> list[Any]:
    """A long result for every call of an answer."""
    calls = [block for block in answer.content if block.type == "tool_use"]
    return [{"type": "tool_result", "tool_use_id": call.id, "content": PART} for call in calls]


def loop(client: Any, keeper: Any, **values: Any) -> list[Any]:
    """An agent that runs until nothing is called any more; what was done to its context."""
    messages: list[Any] = [{"role": "user", "content": "Read the parts of the log."}]
    done: list[Any] = []
    for _ in range(30):
        sent = keeper.prepare(request(messages, **values))
        answer = client.beta.messages.create(**sent)
        reading = keeper.read(sent, answer)
        done += reading.applied
        messages = reading.messages
        if reading.unfinished:
            continue
        if answer.stop_reason != "tool_use":
            return done
        messages.append({"role": "user", "content": results(answer)})
    raise AssertionError("the agent did not come to an end")


async def aloop(client: Any, keeper: Any) -> list[Any]:
    """The same agent in an event loop."""
    messages: list[Any] = [{"role": "user", "content": "Read the parts of the log."}]
    done: list[Any] = []
    while True:
        sent = await keeper.aprepare(request(messages))
        answer = await client.beta.messages.create(**sent)
        reading = keeper.read(sent, answer)
        done += reading.applied
        messages = [*reading.messages, {"role": "user", "content": results(answer)}]
        if answer.stop_reason != "tool_use":
            return done


def serve(parts: int = 8, *, thoughtful: bool = False, **options: Any) -> MessagesServer:
    """A server whose model reads so many parts."""
    one = [thinking_block("The next part."), tool_call("read")] if thoughtful else [tool_call("read")]
    server = MessagesServer([one] * parts, **options)
    server.when(asks_for_summary, *["<summary>Some parts were read.</summary>"] * 9)
    return server


@pytest.mark.parametrize("name", NAMES)
def test_sync_and_async_do_the_same(name: str) -> None:
    """The same agent has the same done to its context, with the same requests, whichever client it has (CMP_08)."""

    async def run(server: MessagesServer) -> list[Any]:
        async with server.async_client() as client:
            return await aloop(
                client, backend(client, MODEL, name, limits=LIMITS, policy=CompactionPolicy(threshold=90_000))
            )

    with serve() as server, server.client() as client:
        done = loop(client, backend(client, MODEL, name, limits=LIMITS, policy=CompactionPolicy(threshold=90_000)))
        kinds = [sorted(received.body) for received in server.requests]
    with serve() as server:
        assert asyncio.run(run(server)) == done
        assert [sorted(received.body) for received in server.requests] == kinds
    assert done
    assert all(applied.saved > 0 for applied in done)
    assert all(bool(applied.summary) for applied in done) == (name != "provider-clearing")


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_that_the_provider_paused_is_unfinished(name: str) -> None:
    """The same messages go out again, whichever back end it is (CMP_11)."""
    with MessagesServer(["Read."]) as server, server.client() as client:
        keeper = backend(client, MODEL, name, limits=LIMITS, policy=CompactionPolicy(threshold=90_000))
        sent = keeper.prepare(request([{"role": "user", "content": "Read the parts of the log."}]))
        answer = client.beta.messages.create(**sent)
        assert not keeper.read(sent, answer).unfinished
        assert keeper.read(sent, answer.model_copy(update={"stop_reason": "pause_turn"})).unfinished


@pytest.mark.parametrize("name", NAMES)
def test_thinking_that_is_bound_to_its_history_is_no_hindrance(name: str) -> None:
    """With every back end the strict server accepts what follows a compaction in a loop that thinks (CNV_06)."""
    thinking = {"type": "enabled", "budget_tokens": 1_024}
    with serve(thoughtful=True) as server, server.client() as client:
        done = loop(
            client,
            backend(client, MODEL, name, limits=LIMITS, policy=CompactionPolicy(threshold=90_000)),
            thinking=thinking,
        )
    assert done


def test_the_provider_hands_the_turn_back_where_it_is_told_to() -> None:
    """With a pause the answer is a compaction alone, and the same messages go out again."""
    with serve() as server, server.client() as client:
        done = loop(
            client,
            backend(client, MODEL, "provider", limits=LIMITS, policy=CompactionPolicy(threshold=90_000), pause=True),
        )
        paused = [each.body["context_management"]["edits"][0]["pause_after_compaction"] for each in server.requests]
    assert (all(paused), {applied.outcome for applied in done}) == (True, {"summarized"})


def test_a_conversation_compacted_on_demand_is_so_again_when_due() -> None:
    """No edit goes beside a signed compaction: brim asks for the next one where the trigger is reached."""
    with serve(compactions=[f"Summary {n}." for n in range(9)]) as server, server.client() as client:
        keeper = backend(client, MODEL, "provider", limits=LIMITS, policy=CompactionPolicy(threshold=60_000))
        history = [{"role": "user", "content": "Hello. " * 99}, {"role": "assistant", "content": "Yes?"}]
        messages = keeper.compact(request(history)).messages
        messages.append({"role": "user", "content": "Read the log."})
        outcomes = []
        for _ in range(9):
            sent = keeper.prepare(request(messages))
            answer = client.beta.messages.create(**sent)
            reading = keeper.read(sent, answer)
            outcomes += [applied.outcome for applied in reading.applied]
            messages = [*reading.messages, {"role": "user", "content": results(answer) or "Thanks."}]
        edits = [received for received in server.requests if received.body.get("context_management")]
        asked = [received for received in server.requests if received.body.get("compaction")]
    assert (edits, len(asked), set(outcomes)) == ([], 1 + len(outcomes), {"summarized"})


def test_a_compaction_on_demand_carries_what_a_reply_needs_not() -> None:
    """What only shapes a reply is left out of the request for a compaction, and the caller's request keeps it."""
    with MessagesServer() as server, server.client() as client:
        asked = request(
            [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Yes?"}],
            stop_sequences=["END"],
            tool_choice={"type": "any"},
        )
        before = deepcopy(asked)
        backend(client, MODEL, "provider").compact(asked)
        sent = server.requests[0]
    assert (sorted(sent.body), "compact-2026-09-04" in sent.betas) == (
        ["compaction", "max_tokens", "messages", "model", "tools"],
        True,
    )
    assert asked == before


@pytest.mark.parametrize("name", ["brim", "provider"])
@pytest.mark.parametrize(
    ("answered", "asks", "compacts"), [(True, True, True), (True, False, True), (False, False, False)]
)
def test_the_usage_of_a_response_measures_no_history_that_was_shortened(
    name: str, *, answered: bool, asks: bool, compacts: bool
) -> None:
    """The usage of a response does not measure a history that its caller has shortened since (CMP_10)."""
    response = {
        "role": "assistant",
        "content": [{"type": "text", "text": "Go on."}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 59_995, "output_tokens": 5},
    }
    messages: list[Any] = [
        {"role": role, "content": f"{n} " + "word " * 200} for n in range(6) for role in ("user", "assistant")
    ]
    messages.append({"role": "user", "content": "And now?"})
    with MessagesServer(default="<summary>Read.</summary>") as server, server.client() as client:
        policy = CompactionPolicy(threshold=50_000, keep_share="0.001")
        keeper = backend(client, MODEL, name, limits=LIMITS, policy=policy)
        if name == "provider":  # it compacts by itself before
            done = keeper.compact(request(messages)).messages
            messages = [*done, {"role": "assistant", "content": "Noted."}, {"role": "user", "content": "Go on."}]
        history = keeper.read(keeper.prepare(request(messages)), response).messages
        before = len(server.requests)
        asked = [{"role": "user", "content": "And now?"}] if asks else []
        keeper.prepare(request([*(history if answered else history[:-1]), *asked]))
        assert len(server.requests) - before == compacts


def test_a_trigger_of_ones_own_holds_for_brim_too() -> None:
    """The trigger that the provider is told is the threshold of brim's own compaction, to the token (TRG_13)."""
    messages = [{"role": "user", "content": f"{n} " + "word " * 2_000} for n in range(20)]
    held = Compactor(limits=LIMITS).window(messages).held
    for trigger, acts in ((held - 1, True), (held, False), (held + 1, False)):
        keeper = backend(None, "", "brim", limits=LIMITS, policy=CompactionPolicy(threshold=trigger))
        sent = keeper.prepare({"messages": messages})
        assert (len(sent["messages"]) < 20) == acts


def test_settings_that_cannot_be_are_refused() -> None:
    """A setting of another form is an error of brim's own, which names it."""
    for wrong in ({"trigger": 0}, {"limits": 5}, {"profile": "none"}, {"keep_tool_uses": -1}, {"clear_at_least": -1}):
        with pytest.raises(InvalidInput, match=f"(?i){next(iter(wrong))}"):
            backend(None, MODEL, "provider", **{"limits": LIMITS, **wrong})


def test_objects_of_the_sdk_in_a_history_are_sent_as_they_came() -> None:
    """A loop that appends the SDK's own blocks is served like one of dictionaries, by every back end."""
    with MessagesServer([tool_call("read"), "Done."] * 3) as server, server.client() as client:
        for name in NAMES:
            messages: list[Any] = [{"role": "user", "content": "Read."}]
            keeper = backend(client, MODEL, name, limits=LIMITS)
            answer = client.beta.messages.create(**keeper.prepare(request(messages)))
            messages += [{"role": "assistant", "content": answer.content}, {"role": "user", "content": results(answer)}]
            assert client.beta.messages.create(**keeper.prepare(request(messages))).stop_reason == "end_turn"


@pytest.mark.parametrize("name", NAMES)
def test_another_back_end_goes_on_from_a_summary_of_the_provider(name: str) -> None:
    """A history with the provider's summary in it is accepted by the provider whichever back end sends it on."""
    with MessagesServer(compactions=["Hello was said."]) as server, server.client() as client:
        history = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Yes?"}]
        messages = backend(client, MODEL, "provider").compact(request(history)).messages
        sent = backend(client, MODEL, name, limits=LIMITS).prepare(
            request([*messages, {"role": "user", "content": "Go on."}])
        )
        if name == "provider-clearing":
            assert "compact-2026-09-04" in sent["betas"]
        assert client.beta.messages.create(**sent).stop_reason == "end_turn"


def test_by_hand_in_an_event_loop() -> None:
    """By hand the async back ends do and refuse what the others do, and raise what the provider refuses."""
    history = [{"role": role, "content": "word " * 2_000} for role in ("user", "assistant") * 4]
    events: list[Any] = []

    async def run(server: MessagesServer) -> list[Any]:
        async with server.async_client() as client:
            keepers = [
                backend(
                    client,
                    MODEL,
                    name,
                    limits=LIMITS,
                    policy=CompactionPolicy(keep_share="0.01"),
                    on_event=events.append,
                )
                for name in NAMES
            ]
            done = [await keeper.acompact(request(history), focus="the lexer") for keeper in keepers[:2]]
            assert (await keepers[1].acompact(request(done[1].messages))).applied == ()
            for keeper, refusal in ((keepers[2], Refused), (keepers[1], ProviderFailed)):
                with pytest.raises(refusal):
                    await keeper.acompact(request(history))
            assert events[-1].kind == "failed"
            return done

    with serve(0, compactions=["Words were said.", overloaded()]) as server:
        done = asyncio.run(run(server))
        assert all("the lexer" in str(received.body) for received in server.requests[:2])
    assert [[applied.backend for applied in reading.applied] for reading in done] == [["brim"], ["provider"]]
    assert all(reading.applied[0].saved > 0 for reading in done)


def test_a_keyword_that_is_no_setting_is_refused() -> None:
    """A former one is named."""
    with pytest.raises(InvalidInput, match="there is no trigger; it takes: limits, policy"):
        backend(None, MODEL, "provider", trigger=90_000)
