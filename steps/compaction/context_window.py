"""Steps of features/compaction/context_window.feature."""

import json
import warnings
from dataclasses import asdict
from types import SimpleNamespace

import pytest
from pytest_bdd import given, then, when

from brim.compaction.context_window import ContextWindow
from brim.conversation.messages import read_message
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.models import ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.tokens.usage import SYNTHETIC_MODEL, TokenUsage
from steps.compaction_windows import filler
from steps.conversation_table import raw_messages, write_table
from steps.policies import with_policy
from steps.providers import listed_counts
from steps.vocabulary import attempt, phrase


@pytest.fixture
def asked():
    """Whether a verdict is made after every message; a step can set it."""
    return False


@given("a verdict after every message", target_fixture="asked")
def ask_always():
    return True


@given(phrase("the response then reports {count:Tokens} tokens"))
def response_reports(window, count):
    window.record(TokenUsage(input=count))


@given(phrase("a notice of the harness reports {count:Tokens} tokens"))
def notice_reports(window, count):
    window.record(TokenUsage(input=count), model=SYNTHETIC_MODEL)


@given(phrase("eight rounds that add {added:Tokens} tokens each, {last:Tokens} of them the last answer's"))
def go_rounds(window, asked, added, last, datatable):
    for held in range(added, 9 * added, added):
        for raw in raw_messages(datatable):
            window.append(raw)
            if asked:
                window.verdict()
        window.record(TokenUsage(input=held - last, output=last))


@when("a window is opened", target_fixture="outcome")
def open_window(limits, settings):
    return attempt(ContextWindow, ModelLimits(**limits), **with_policy(settings))


@given(
    phrase("an agent whose responses report an input of {count:Json} in JSON", {"Json": json.loads}),
    target_fixture="response",
)
def reporting_agent(count):
    return SimpleNamespace(usage={"input_tokens": count, "output_tokens": 1}, model="m")


@given("an agent whose responses report no usage", target_fixture="response")
def silent_agent():
    return SimpleNamespace(usage=None)


@when(phrase("it makes {count:Count} requests"), target_fixture="warned")
def make_requests(response, count):
    conversation = Conversation(Compactor(limits=ModelLimits(context_window=200_000)))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for number in range(count):
            conversation.append({"role": "user", "content": f"Go on, {number}."})
            conversation.send(lambda _: response)
    return warned


@then(phrase("it was warned {times:Count} times that a usage cannot be read"))
def check_warned(warned, times):
    assert ["usage cannot be read" in str(one.message) for one in warned] == [True] * times


@when("the next request is judged", target_fixture="outcome")
def judge(window):
    return asdict(window.verdict())


@when("a message in the role of a critic is appended", target_fixture="outcome")
def append_refused(window):
    return attempt(window.append, {"role": "critic", "content": "Not so."})


@when("the ratio is read", target_fixture="ratio")
def look_up(window):
    return window.characters_per_token


@then(phrase("{expected:Number} characters make a token"))
def check_ratio(ratio, expected):
    assert ratio == expected


@then(phrase("it holds {held:Tokens} tokens"))
def check_held(window, held):
    assert window.held == held


EXTRAS = {
    "a system prompt": lambda size: {"system": filler(size)},
    "a tool": lambda size: {"tools": [{"name": "read", "description": filler(size), "input_schema": {}}]},
}


@given(
    phrase(
        "an agent whose first request had {what} of {size:Tokens} tokens, "
        "and a response that reported {count:Count} tokens"
    ),
    target_fixture="agent",
)
def first_request(what, size, count):
    conversation = Conversation(Compactor())
    conversation.append({"role": "user", "content": "Mend the door."})
    conversation.prepare(**EXTRAS[what](size))
    conversation.record({"input_tokens": count, "output_tokens": 0})
    conversation.append({"role": "assistant", "content": "It is mended."})
    return conversation


@when(
    phrase("its next request has {what} of {size:Tokens} tokens, and a new message of {new:Count} tokens"),
    target_fixture="outgoing",
)
def next_request(agent, what, size, new):
    agent.append({"role": "user", "content": filler(new)})
    return agent.prepare(**EXTRAS[what](size))


@then(phrase("that request holds {held:Tokens} tokens"))
def check_held_by_request(outgoing, held):
    assert outgoing.verdict.held == held


@given("every old output was cleared")
@when("old outputs are cleared down to 0 tokens", target_fixture="pruning")
def clear_all(window):
    policy = window.policy
    window.policy = policy.model_copy(update={"prune_protect": 0, "prune_minimum": 0})
    pruning = window.prune()
    window.policy = policy
    return pruning


REMINDER = "<system-reminder>It is late.</system-reminder>"
FORMS = {
    "a reminder before the output": lambda output: [{"type": "text", "text": REMINDER}, output],
    "an output of 10,000 tokens": lambda output: [output | {"content": filler(10_000)}],
    "an output that is cleared": lambda output: [output | {"content": PLACEHOLDER}],
}


@given(phrase("its third message was replaced by one with {form}"))
def replaced(window, form):
    raw = window.messages[2].raw
    window.replace(2, read_message({**raw, "content": FORMS[form](raw["content"][0])}))


@then(phrase('the reason for what is cleared is "{reason:Quoted}"'))
def check_cleared_because(pruning, reason):
    assert pruning.reason == reason


@then(phrase('no output is cleared, because the window "{reason:Quoted}"'))
def check_not_cleared(pruning, reason):
    assert (pruning.outputs, pruning.reason, pruning.saved) == ((), reason, 0)


@then("the conversation of the window is")
def check_conversation(window, datatable):
    assert write_table(window.messages, datatable[0]) == datatable


@then(phrase("it holds {held:Tokens} tokens, and {estimated:Tokens} by the estimate of everything"))
def check_held_and_estimated(window, held, estimated):
    assert (window.held, window.estimated) == (held, estimated)


@then(phrase("the messages that can be sent are {expected:Indices}", {"Indices": listed_counts}))
def check_sendable(window, expected):
    form, sources = window.sendable()
    assert (form.is_sendable, list(sources)) == (True, expected)
