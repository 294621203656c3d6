"""Steps of features/engine/backends.feature."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pytest
from parse import with_pattern
from pytest_bdd import given, then, when

from brim.compaction.policy import CompactionPolicy
from brim.engine.backends import async_backend, backend
from brim.errors import BrimError, CompactionStalled, ContextOverflow, ProviderFailed, Refused
from brim.models import ModelLimits
from brim.testing import MessagesServer, overloaded, tool_call
from steps.compaction_windows import filler
from steps.counted import TERMS
from steps.vocabulary import attempt, phrase, tokens

MODEL = "claude-opus-5-5"
UNKNOWN = "own-model"
"""A model whose limits nobody states."""
READ = {"name": "read", "description": "Read a file.", "input_schema": {"type": "object", "properties": {}}}
SUMMARY = "<summary>Two files were read, without an error in them.</summary>"
EDITS = {
    "compact": {"context_management": {"edits": [{"type": "compact_20260112"}]}},
    "compact on demand": {"compaction": {"type": "summarize"}},
    "clear old tool results": {"context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]}},
    "clear old thinking": {"context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]}},
}
LIMITS = ModelLimits(context_window=200_000, max_output_tokens=64_000)
USAGE = {"input_tokens": 100, "output_tokens": 5}


@with_pattern(r"\d+,\d+(?:, \d+,\d+)*")
def amounts(text):
    """Numbers of tokens in order, each with how many exchanges precede it: 60,000, 40,000."""
    return [*enumerate(map(tokens, text.split(", ")), 6)]


@dataclass
class Outcome:
    """The prepared request, reading and events of a back end."""

    before: Any = None
    prepared: Any = None
    reading: Any = None
    events: list[Any] = field(default_factory=list)
    requests: int = 0
    words: str = ""


def question(text, *, size=1_000):
    return {"role": "user", "content": text + " " + "word " * (size // 5)}


def answer(text):
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def conversation(messages):
    """So many messages, the user's and the model's in turn."""
    return [
        question(f"Question {n}.") if n % 2 == 0 else answer(f"Answer {n}. " + "word " * 200) for n in range(messages)
    ]


def response(*blocks, usage=USAGE, **values):
    return {"role": "assistant", "content": list(blocks), "stop_reason": "end_turn", "usage": usage, **values}


def request(messages, **values):
    return {"model": MODEL, "max_tokens": 1_000, "messages": messages, **values}


@given("an agent that reads five long files", target_fixture="agent")
def reading_agent():
    return [tool_call("read")] * 5


@given(phrase("a model with a window of {window:Tokens} and the profile {profile}"), target_fixture="options")
def model_with_window(window, profile):
    return {
        "limits": ModelLimits(context_window=window, max_output_tokens=64_000),
        "policy": CompactionPolicy(profile=profile),
    }


@given(phrase("a model with unknown limits and the profile {profile}"), target_fixture="options")
def model_without_limits(profile):
    return {"model": UNKNOWN, "policy": CompactionPolicy(profile=profile)}


@given(phrase("a model with the limits of {model} and the profile {profile}"), target_fixture="options")
def known_model(model, profile):
    return {"model": model, "policy": CompactionPolicy(profile=profile)}


@given("a request with no beta", target_fixture="asked")
def without_beta():
    return request([question("Hello.")])


@given("a request with another beta", target_fixture="asked")
def with_another_beta():
    return request([question("Hello.")], betas=["files-api-2025-04-14"])


@given("a request with another beta as a text", target_fixture="asked")
def with_a_beta_as_text():
    return request([question("Hello.")], betas="files-api-2025-04-14")


@given("a request with the same beta", target_fixture="asked")
def with_same_beta():
    return request([question("Hello.")], betas=["compact-2026-01-12"])


@given("a request with another beta in its headers", target_fixture="asked")
def with_header():
    return request([question("Hello.")], extra_headers={"Anthropic-Beta": "files-api-2025-04-14"})


@given(phrase("a request that asks the provider to {do:Edit}", {"Edit": EDITS.__getitem__}), target_fixture="asked")
def with_edit(do):
    return request([question("Hello.")], **do)


@given("automatic compaction is off")
def compaction_off(monkeypatch):
    monkeypatch.setenv("BRIM_DISABLE_AUTOCOMPACT", "1")


@given("clearing of outputs is off")
def clearing_off(monkeypatch):
    monkeypatch.setenv("BRIM_DISABLE_PRUNE", "1")


@given(phrase("a conversation of {count:Count} messages"), target_fixture="messages")
def of_messages(count):
    return conversation(count)


@given("a conversation of a single message", target_fixture="messages")
def of_one_message():
    return conversation(1)


@given("a conversation that ends with an answer", target_fixture="messages")
def ends_with_answer():
    return conversation(12)


@given("a conversation that ends with a question", target_fixture="messages")
def ends_with_question():
    return conversation(13)


@when(phrase('it runs with the back end "{name:Quoted}"'), target_fixture="outcome")
def run_agent(agent, name):
    outcome = Outcome()
    with MessagesServer(agent, default="The error is in the last file.") as server:
        server.when(lambda body: "Stop the work here." in str(body["messages"][-1]), SUMMARY)
        with server.client() as client:
            _loop(client, name, outcome)
    return outcome


def _loop(client, name, outcome):
    keeper = backend(client, MODEL, name, limits=LIMITS, policy=CompactionPolicy(threshold=80_000))
    messages = [question("Read the files.")]
    for _ in range(6):
        sent = keeper.prepare(request(messages, tools=[READ]))
        answered = client.beta.messages.create(**sent)
        reading = keeper.read(sent, answered)
        outcome.events += reading.applied
        results = [_result(block) for block in answered.content if block.type == "tool_use"]
        messages = [*reading.messages, {"role": "user", "content": results}]
    outcome.words = answered.content[-1].text


def _result(block):
    return {"type": "tool_result", "tool_use_id": block.id, "content": "a line of the log\n" * 5_000}


@pytest.fixture
def options():
    """Limits and policy of the back end; none until a step gives them."""
    return {}


@when(phrase('the back end "{name:Quoted}" is created'), target_fixture="outcome")
def create(name, options):
    return attempt(backend, None, backend=name, **{"model": MODEL, **options})


@when(
    phrase('the back end "provider" is created with a threshold of {threshold:Tokens} tokens'),
    target_fixture="outcome",
)
def create_with_threshold(threshold, options):
    return attempt(backend, None, MODEL, "provider", **options | {"policy": CompactionPolicy(threshold=threshold)})


@when(
    phrase('the back end "provider" is created for the model "{model:Quoted}" with a threshold of {share}%'),
    target_fixture="outcome",
)
def create_with_share(model, share):
    return attempt(backend, None, model, "provider", policy=CompactionPolicy(threshold=f"{share}%"))


@when(phrase('the back end "{name:Quoted}" prepares it'), target_fixture="outcome")
def prepare(name, asked):
    before = deepcopy(asked)
    keeper = backend(None, MODEL, name, limits=LIMITS)
    return Outcome(before=before, prepared=attempt(keeper.prepare, asked))


def _answered(messages, name, response):
    outcome = Outcome()
    keeper = backend(None, UNKNOWN, name, on_event=outcome.events.append)
    outcome.reading = keeper.read(keeper.prepare(request(messages)), response)
    return outcome


COMPACTION = {"type": "compaction", "content": "Five messages so far."}
THOUGHT = {"type": "thinking", "thinking": "So.", "signature": "s"}
WORDS = {"type": "text", "text": "Go on."}


@when("the provider answers with a compaction, thinking and words", target_fixture="outcome")
def answer_compacted(messages):
    return _answered(messages, "provider", response(COMPACTION, THOUGHT, WORDS))


@when("the provider answers with a compaction that failed", target_fixture="outcome")
def answer_failed(messages):
    return _answered(messages, "provider", response({"type": "compaction", "content": None}, WORDS))


@when(phrase("the provider answers with words alone, having read {taken:Tokens} tokens"), target_fixture="outcome")
def answer_ignored(messages, taken):
    usage = {"input_tokens": 49_999, "cache_read_input_tokens": taken - 49_999, "output_tokens": 5}
    return _answered(messages, "provider", response(WORDS, usage=usage))


@when(
    phrase(
        "the provider answers that it cleared {uses:Count} tool results of {cleared:Tokens} tokens "
        "and read {taken:Tokens}"
    ),
    target_fixture="outcome",
)
def answer_cleared(messages, uses, cleared, taken):
    edit = {"type": "clear_tool_uses_20250919", "cleared_tool_uses": uses, "cleared_input_tokens": cleared}
    usage = {"input_tokens": taken, "output_tokens": 5}
    answer = response(WORDS, usage=usage, context_management={"applied_edits": [edit]})
    return _answered(messages, "provider-clearing", answer)


def _by_hand(messages, name, *, times=1, script=(), prepares_next=False):
    outcome = Outcome()
    with (
        MessagesServer([SUMMARY], compactions=script or ["Twelve messages so far."] * 2) as server,
        server.client() as client,
    ):
        policy = CompactionPolicy(keep_share="0.001")
        keeper = backend(client, MODEL, name, limits=LIMITS, policy=policy, on_event=outcome.events.append)
        outcome.reading = attempt(keeper.compact, request(messages))
        for _ in range(times - 1):
            outcome.reading = keeper.compact(request(outcome.reading.messages))
        if prepares_next:
            outcome.prepared = keeper.prepare(request(outcome.reading.messages))
            outcome.words = client.beta.messages.create(**outcome.prepared).stop_reason
        outcome.requests = len(server.requests)
    return outcome


@when(phrase('the back end "{name:Quoted}" compacts it manually'), target_fixture="outcome")
def by_hand(messages, name):
    return _by_hand(messages, name)


@when(
    phrase('the back end "{name:Quoted}" compacts it manually, and prepares the next request'), target_fixture="outcome"
)
def by_hand_and_on(messages, name):
    return _by_hand(messages, name, prepares_next=True)


@when(phrase('the back end "{name:Quoted}" compacts it manually, twice'), target_fixture="outcome")
def by_hand_twice(messages, name):
    return _by_hand(messages, name, times=2)


@when(phrase('the back end "{name:Quoted}" compacts it manually, and the provider is busy'), target_fixture="outcome")
def by_hand_busy(messages, name):
    return _by_hand(messages, name, script=[overloaded()])


@when(
    phrase('the back end "{name:Quoted}" compacts it manually, and the provider gives no summary'),
    target_fixture="outcome",
)
def by_hand_without_summary(messages, name):
    return _by_hand(messages, name, script=[None])


CHOICES = {
    "a call of any tool": {"type": "any"},
    "a call of one tool": {"type": "tool", "name": "read"},
    "a free choice of tools": {"type": "auto"},
    "no call of a tool": {"type": "none"},
    "no choice of tools": None,
}


@when(
    phrase('the back end "{name:Quoted}" compacts it manually, and its request names {choice}'),
    target_fixture="received",
)
def by_hand_choosing(messages, name, choice):
    with MessagesServer(compactions=["Twelve messages so far."]) as server, server.client() as client:
        keeper = backend(client, MODEL, name, limits=LIMITS)
        keeper.compact(request(messages, tools=[READ], tool_choice=CHOICES[choice]))
        return server.requests[-1].body


@then(phrase("the request for the compaction names {choice}"))
def check_choice(received, choice):
    assert received.get("tool_choice") == CHOICES[choice]


def _by_hand_in_loop(messages, name, script=()):
    outcome = Outcome()

    async def run(server):
        async with server.async_client() as client:
            options = {"policy": CompactionPolicy(keep_share="0.001"), "on_event": outcome.events.append}
            keeper = async_backend(client, MODEL, name, limits=LIMITS, **options)
            return await keeper.compact(request(messages))

    with MessagesServer([SUMMARY], compactions=script or ["Twelve messages so far."]) as server:
        outcome.reading = attempt(lambda: asyncio.run(run(server)))
    return outcome


@when(phrase('the back end "{name:Quoted}" compacts it manually in an event loop'), target_fixture="outcome")
def by_hand_in_loop(messages, name):
    return _by_hand_in_loop(messages, name)


@when(
    phrase('the back end "{name:Quoted}" compacts it manually in an event loop, and the provider is busy'),
    target_fixture="outcome",
)
def by_hand_in_loop_busy(messages, name):
    return _by_hand_in_loop(messages, name, script=[overloaded()])


@when(
    phrase(
        'the back end "{name:Quoted}" compacts it manually at a trigger of {trigger:Tokens} tokens, '
        "and a response reports {held:Tokens} tokens"
    ),
    target_fixture="outcome",
)
def by_hand_and_due(messages, name, trigger, held):
    outcome = Outcome()
    with MessagesServer(compactions=["Twelve messages so far."] * 2) as server, server.client() as client:
        keeper = backend(client, MODEL, name, limits=LIMITS, policy=CompactionPolicy(threshold=trigger))
        first = keeper.compact(request(messages))
        sent = keeper.prepare(request(first.messages))
        usage = {"input_tokens": held - 5, "output_tokens": 5}
        reading = keeper.read(sent, response(WORDS, usage=usage))
        outcome.requests = len(server.requests)
        outcome.prepared = keeper.prepare(request(reading.messages))
        outcome.requests = len(server.requests) - outcome.requests
    return outcome


SETTINGS = {
    "a pause": {"pause": True},
    'the focus "the lexer"': {"policy": CompactionPolicy(focus="the lexer")},
    'the prompt "Be brief."': {"policy": CompactionPolicy(prompt="Be brief.")},
    "5 results to keep": {"keep_tool_uses": 5},
    'the tool "skill" to leave out': {"exclude_tools": ["skill"]},
    'the tool "skill" protected by policy': {"policy": CompactionPolicy(protected_tools=["skill"])},
    "at least 5,000 tokens to clear": {"clear_at_least": 5_000},
}
STATED = {
    "does not pause": lambda edit: "pause_after_compaction" not in edit,
    "pauses after the compaction": lambda edit: edit["pause_after_compaction"] is True,
    "has no instructions": lambda edit: "instructions" not in edit,
    'has instructions that name "the lexer"': lambda edit: "the lexer" in edit["instructions"],
    'has the instructions "Be brief."': lambda edit: edit["instructions"] == "Be brief.",
    "keeps 3 results": lambda edit: edit["keep"] == {"type": "tool_uses", "value": 3},
    "keeps 5 results": lambda edit: edit["keep"] == {"type": "tool_uses", "value": 5},
    "clears the results of every tool": lambda edit: "exclude_tools" not in edit,
    'leaves the tool "skill" out': lambda edit: edit["exclude_tools"] == ["skill"],
    "clears however few tokens": lambda edit: "clear_at_least" not in edit,
    "clears at least 5,000 tokens": lambda edit: edit["clear_at_least"] == {"type": "input_tokens", "value": 5_000},
}
"""What an edit states of a setting."""


@when(phrase('the back end "{name:Quoted}" prepares a request, once with {setting}'), target_fixture="edits")
def prepare_with_setting(name, setting):
    asked = request([question("Hello.")])
    prepared = [backend(None, MODEL, name, limits=LIMITS, **one).prepare(asked) for one in ({}, SETTINGS[setting])]
    return [one["context_management"]["edits"][0] for one in prepared]


@then(phrase("its edit {default}, and with the setting it {changed}"))
def check_edit_of_setting(edits, default, changed):
    assert [STATED[default](edits[0]), STATED[changed](edits[1])] == [True, True]


@when(
    phrase(
        'the back end "brim" prepares requests that end with messages of {sizes:Amounts} tokens, '
        "at a threshold of {threshold:Tokens}",
        {"Amounts": amounts},
    ),
    target_fixture="prepared",
)
def prepare_in_turn(sizes, threshold):
    with MessagesServer(default=SUMMARY) as server, server.client() as client:
        keeper = backend(client, MODEL, "brim", limits=LIMITS, policy=CompactionPolicy(threshold=threshold))
        requests = [request([*conversation(2 * n), question("Read this.", size=4 * size)]) for n, size in sizes]
        return [attempt(keeper.prepare, one) for one in requests][-1], len(server.requests)


@when(
    phrase(
        'the back end "brim" prepares requests of an agent that reads a file of {size:Tokens} tokens, {times} times'
    ),
    target_fixture="prepared",
)
def prepare_reading(size, times):
    messages = conversation(12)
    with MessagesServer(default=SUMMARY) as server, server.client() as client:
        keeper = backend(client, MODEL, "brim", limits=LIMITS)
        for number in range(int(times)):
            call = {"type": "tool_use", "id": f"call-{number}", "name": "read", "input": {}}
            result = {"type": "tool_result", "tool_use_id": call["id"], "content": filler(size)}
            messages += [question("Read it."), {"role": "assistant", "content": [call]}]
            messages.append({"role": "user", "content": [result]})
            prepared = attempt(keeper.prepare, request(messages, tools=[READ]))
            messages = [*prepared["messages"], answer("Again.")] if isinstance(prepared, dict) else messages
        return prepared, len(server.requests)


FATES = {"prepared": dict, "refused as stalled": CompactionStalled, "refused as too large": ContextOverflow}


@then(phrase("the last request is {fate}"))
def check_fate(prepared, fate):
    assert type(prepared[0]) is FATES[fate]


@then(phrase("they cost {count:Summaries}", TERMS))
def check_cost(prepared, count):
    assert prepared[1] == count


SENT = {
    "with the response and a question": lambda messages: [*messages, question("And now?", size=40)],
    "with the response": lambda messages: messages,
    "without the response": lambda messages: messages[:-1],
    "as the last two questions alone": lambda messages: [messages[-4], messages[-2]],
}
"""What the caller makes of the history that it was given."""


@when(
    phrase(
        'the back end "{name:Quoted}" reads a response of {held:Tokens} tokens, and the caller then sends it {sent}'
    ),
    target_fixture="outcome",
)
def read_and_send(messages, name, held, sent):
    outcome = Outcome()
    with MessagesServer([SUMMARY], compactions=["Twelve messages so far."] * 2) as server, server.client() as client:
        policy = CompactionPolicy(threshold=50_000, keep_share="0.001")
        keeper = backend(client, MODEL, name, limits=LIMITS, policy=policy)
        if name == "provider":  # it compacts by itself before
            messages = [*keeper.compact(request(messages)).messages, answer("Noted."), question("Go on.")]
        answered = response(WORDS, usage={"input_tokens": held - 5, "output_tokens": 5})
        reading = keeper.read(keeper.prepare(request(messages)), answered)
        before = len(server.requests)
        outcome.prepared = keeper.prepare(request(SENT[sent](reading.messages)))
        outcome.requests = len(server.requests) - before
    return outcome


@then(phrase("it compacts {times:Times} before the next request", TERMS))
@then(phrase("the provider compacts {times:Times} before the next request", TERMS))
def check_compacts_again(outcome, times):
    assert outcome.requests == times


@then(phrase('it ends with "{words:Quoted}"'))
def check_words(outcome, words):
    assert outcome.words == words


@then(phrase("its context was {what} by {whom}"))
def check_context(outcome, what, whom):
    names = {"brim": "brim", "the provider": f"provider{'-clearing' if what == 'cleared' else ''}"}
    assert {(applied.outcome, applied.backend) for applied in outcome.events} == {(what, names[whom])}


@then(phrase('it is refused with "{message:Quoted}"'))
def check_refused(outcome, message):
    assert (isinstance(outcome, BrimError), str(outcome)) == (True, message)


@then("the provider's trigger is refused")
def check_trigger_refused(outcome):
    assert isinstance(outcome, Refused)


@then(phrase("the provider's trigger is {tokens:Tokens}"))
def check_trigger(outcome, tokens):
    sent = outcome.prepare({"messages": [{"role": "user", "content": "Go."}]})
    assert [edit["trigger"]["value"] for edit in sent["context_management"]["edits"]] == [tokens]


BETAS = {"files-api-2025-04-14": "files", "compact-2026-01-12": "compaction"}


@then(phrase("its betas are that of {betas}"))
def check_betas(outcome, betas):
    header = outcome.prepared.get("extra_headers", {}).get("Anthropic-Beta")
    sent = outcome.prepared.get("betas") or header.split(",")
    assert ", ".join(BETAS[beta] for beta in sent) == betas


@then("its edits are to clear old thinking and to compact, in this order")
def check_edits(outcome):
    edits = outcome.prepared["context_management"]["edits"]
    assert [edit["type"] for edit in edits] == ["clear_thinking_20251015", "compact_20260112"]


@then("the request is sent as it is")
def check_unchanged(outcome):
    assert outcome.prepared == outcome.before


@then("the caller's request is unchanged")
def check_request(outcome, asked):
    assert asked == outcome.before


@then("it is prepared")
def check_prepared(outcome):
    assert outcome.prepared["messages"] == outcome.before["messages"]


@then("it is refused as a second compaction")
def check_second(outcome):
    assert (type(outcome.prepared), "never used at once" in str(outcome.prepared)) == (Refused, True)


@then(phrase("the history holds {count:Count} message{:S}"))
def check_history(outcome, count):
    assert len(outcome.reading.messages) == count


@then("the history is the conversation, and nothing was done to it")
def check_untouched(outcome, messages):
    assert (outcome.reading.messages, outcome.reading.applied) == (messages, ())


@then("that message holds a compaction, thinking and words")
def check_blocks(outcome):
    assert outcome.reading.messages[0]["content"] == [COMPACTION, THOUGHT, WORDS]


@then(phrase("the event reports a compaction by the provider, from {before:Tokens} tokens to {after:Tokens}"))
def check_event_compacted(outcome, before, after):
    reported = [(event.kind, event.summary_source, event.tokens_before, event.tokens_after) for event in outcome.events]
    assert reported == [("compacted", "provider", before, after)]


@then("the event reports a failure")
def check_event_failed(outcome):
    assert ([event.kind for event in outcome.events], outcome.reading.failed) == (["failed"], True)


@then("no event is emitted")
def check_no_event(outcome):
    assert (outcome.events, outcome.reading.applied) == ([], ())


@then(phrase("the event reports {outputs:Count} cleared tool outputs, from {before:Tokens} tokens to {after:Tokens}"))
def check_event_cleared(outcome, outputs, before, after):
    (applied,) = outcome.reading.applied
    reported = (outcome.events[0].kind, applied.tool_uses, applied.tokens_before, applied.tokens_after)
    assert reported == ("pruned", outputs, before, after)


@then("it is compacted by brim")
def check_by_brim(outcome):
    assert [(applied.backend, applied.saved > 0) for applied in outcome.reading.applied] == [("brim", True)]


@then("it is compacted by the provider")
def check_by_provider(outcome):
    assert [(applied.backend, applied.saved > 0) for applied in outcome.reading.applied] == [("provider", True)]


@then("it is refused as automatic only")
def check_not_by_hand(outcome):
    assert (type(outcome.reading), "cannot be asked to at once" in str(outcome.reading)) == (Refused, True)


@then("the question follows the summary, word for word")
def check_question(outcome, messages):
    assert (outcome.reading.messages[0]["content"][0]["type"], outcome.reading.messages[1:]) == (
        "compaction",
        messages[-1:],
    )


@then("the request has no edit, and is answered")
def check_without_edit(outcome):
    assert ("context_management" in outcome.prepared, outcome.words) == (False, "end_turn")


@then("the provider received one request")
def check_asked_once(outcome):
    assert outcome.requests == 1


@then("the event reports a failure, and the error is raised")
def check_failed_and_raised(outcome):
    assert (outcome.events[-1].kind, type(outcome.reading)) == ("failed", ProviderFailed)
