"""Steps of features/trigger/overflow.feature."""

from __future__ import annotations

import json

import pytest
from pytest_bdd import given, then, when

from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.models import ModelLimits
from brim.tokens.usage import TokenUsage
from brim.trigger.overflow import autocompact_disabled, should_compact, trigger_for
from steps.compaction_windows import raw_turns
from steps.policies import with_policy
from steps.vocabulary import attempt, phrase

SWITCHES = {"brim's switch": "BRIM_DISABLE_AUTOCOMPACT", "OpenCode's switch": "OPENCODE_DISABLE_AUTOCOMPACT"}


@pytest.fixture
def target():
    """The target that is set; none, until a step sets one."""


@pytest.fixture
def environment():
    """The environment of the process; empty, until a step sets a switch."""
    return {}


@given("compaction is turned on")
def turned_on():
    """Nothing is set: it is on by itself."""


@given("a conversation with nothing to compact", target_fixture="settings")
def nothing_to_compact(settings):
    return settings | {"empty": True}


@given("a conversation with something to compact", target_fixture="settings")
def something_to_compact(settings):
    return settings | {"empty": False}


@given("no switch says anything")
def no_switch():
    """Nothing is set: the environment is empty by itself."""


@given(phrase('{switch} says "{value:Quoted}"'), target_fixture="environment")
def set_switch(environment, switch, value):
    return environment | {SWITCHES[switch]: value}


@given(phrase("a target of {target:Tokens} tokens"), target_fixture="target")
def chosen_target(target):
    return target


@when(phrase("the response is judged as holding {held:Tokens} tokens"), target_fixture="outcome")
def judge_twice_over(implementation, limits, usage, held):
    return implementation("should_compact", usage=usage, held=held, **limits)


@when("a conversation of unknown size is judged", target_fixture="outcome")
def judge_nothing(implementation, limits):
    return implementation("should_compact", **limits)


@when("it is asked whether automatic compaction is disabled", target_fixture="disabled")
def ask_environment(environment):
    return autocompact_disabled(environment)


@when(phrase("{held:Tokens} tokens are shown against a threshold of {threshold:Tokens}"), target_fixture="outcome")
def show(implementation, held, threshold):
    return implementation("window_filled", held=held, threshold=threshold)


@when("the settings are checked", target_fixture="outcome")
def check(limits, settings, target):
    return attempt(lambda: with_policy(settings)["policy"].checked(ModelLimits(**limits), target))


@when(phrase("brim is asked about {held:Tokens} tokens, and nothing is set"), target_fixture="verdict")
def ask_brim(limits, held):
    return should_compact(TokenUsage(input=held), ModelLimits(**limits))


@when(phrase("a trigger without settings judges {held:Tokens} tokens"), target_fixture="verdict")
def judge_alone(limits, held):
    return trigger_for("usable", ModelLimits(**limits)).judge(held)


@then(phrase('the verdict reads "{text:Quoted}"'))
def check_verdict(verdict, text):
    due = "due" if verdict.due else "not due"
    assert f"{due}: {verdict.reason}, {verdict.held} held, threshold {verdict.threshold}" == text


@then(phrase("the verdict names {held:Tokens} tokens held and a threshold of {threshold:Tokens}"))
def check_numbers(outcome, held, threshold):
    assert (outcome["held"], outcome["threshold"]) == (held, threshold)


@then("automatic compaction is off")
def check_off(disabled):
    assert disabled is True


@then("automatic compaction is on")
def check_on(disabled):
    assert disabled is False


@then(phrase("the window is {percent:Count}% filled"))
def check_filled(outcome, percent):
    assert outcome == percent


@then("it is accepted")
def check_accepted(outcome):
    assert outcome.warnings == ()


@then(phrase("a target of {target:Tokens} tokens is used"))
def check_target(outcome, target):
    assert outcome.target == target


@then("no target is used")
def check_no_target(outcome):
    assert outcome.target is None


@then(phrase("a threshold of {threshold:Tokens} tokens is used"))
def check_used_threshold(outcome, threshold):
    assert outcome.trigger.threshold == threshold


@then(phrase("there are {count:Count} warnings"))
def check_count(outcome, count):
    assert len(outcome.warnings) == count


@then(phrase('a warning reads "{text:Quoted}"'))
def check_warning(outcome, text):
    assert text in outcome.warnings


@when("an agent's conversation grows past its threshold", target_fixture="grown")
def grow(environment, monkeypatch):
    for name in SWITCHES.values():
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    messages = raw_turns(12, 1_000)
    limits = ModelLimits(context_window=10_000, max_output_tokens=1_000)
    conversation = Conversation(Compactor(limits=limits))
    conversation.extend(messages)
    return messages, conversation.prepare().messages


@then("it is sent as it is")
def check_sent_as_it_is(grown):
    messages, sent = grown
    assert sent == messages


@then("it is compacted")
def check_compacted(grown):
    messages, sent = grown
    assert len(sent) < len(messages)


@given(phrase("a transcript of {held:Tokens} tokens"), target_fixture="file")
def write_transcript(machine, held):
    usage = {"input_tokens": held - 10, "output_tokens": 10}
    answer = {"role": "assistant", "content": "Done.", "model": "m", "usage": usage, "stop_reason": "end_turn"}
    return machine.write("talk.json", json.dumps([{"role": "user", "content": "Go."}, answer]))


@when(
    phrase("brim {command} shows its page for a window of {window:Tokens} and an output of {output:Tokens}"),
    target_fixture="page",
)
def show_page(machine, file, command, window, output):
    return machine.run(command, file, "--window", window, "--max-output", output).out


@then(phrase('its page says "{line:Quoted}", however its lines are wrapped'))
def check_line(page, line):
    assert line in " ".join(page.split())
