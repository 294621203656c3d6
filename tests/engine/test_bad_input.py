"""What a caller hands in and what is no good: an error of brim's own kind that names it and what would cure it."""

import subprocess
import sys

import pytest
from anthropic import Anthropic, AsyncAnthropic

from brim.engine.compactor import AsyncCompactor, Compactor
from brim.errors import BrimError, InvalidInput, NoKey, Refused, UnknownLimits, UnknownModel, WrongKey
from brim.models import ModelLimits
from brim.testing import MessagesServer, ServedModel
from steps.policies import with_policy

MODEL = "claude-opus-5-5"
SHORT = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]
CALL = {"type": "tool_use", "id": "a", "name": "Bash", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "b", "content": "ok"}


@pytest.mark.parametrize(
    ("settings", "kind", "told"),
    [
        ({"prompt": "hope"}, InvalidInput, "no prompt is called 'hope'; name one of structured"),
        ({"on_failure": "hope"}, InvalidInput, "on_failure: Input should be 'template'"),
        ({"keep_share": 2}, Refused, "it has to be above 0 and at most 1"),
        ({"profile": "hope"}, InvalidInput, "there is no profile 'hope'; there are: usable"),
        ({"required_facts": 3}, InvalidInput, "required_facts: Input should be a valid tuple"),
        ({"limits": ModelLimits(context_window=8_000, max_output_tokens=8_000)}, Refused, "no room beside the answer"),
        ({"client": "hello", "model": MODEL}, InvalidInput, "the client is str; it is an Anthropic client"),
        ({"client": Anthropic(api_key="k")}, InvalidInput, "the model that writes summaries: model=…"),
        ({"client": AsyncAnthropic(api_key="k"), "model": MODEL}, InvalidInput, "pass it to an AsyncCompactor"),
    ],
)
def test_a_setting_that_cannot_work(settings, kind, told):
    """It is told where it is made, not when it is needed."""
    with pytest.raises(kind) as refused:
        Compactor(**with_policy(settings))
    assert told in str(refused.value)


def test_a_client_that_waits_is_not_for_event_loops():
    """It would block the loop."""
    with pytest.raises(InvalidInput, match="blocks the event loop"):
        AsyncCompactor(Anthropic(api_key="k"), MODEL)


@pytest.mark.parametrize(
    ("messages", "carried", "told"),
    [
        ("text", {}, "a conversation is a list of messages, not str"),
        ([3], {}, "message 0 is int"),
        ([{"role": "x", "content": "y"}], {}, "message 0 has the role 'x'"),
        ([{"role": "user"}], {}, "message 0 has no content"),
        (None, {}, "a conversation is a list of messages, not NoneType"),
        (SHORT, {"system": 5}, "system is int; it is a text or a list of text blocks"),
        (SHORT, {"tools": "Bash"}, "tools is str; it is a list of tool definitions"),
        (SHORT, {"parameters": [1]}, "parameters is list; it is a dictionary"),
        (SHORT, {"pinned": "a"}, "pinned is str; it is the indices of messages"),
        (SHORT, {"pinned": ["a"]}, "pinned holds something that is no index"),
        (SHORT, {"pinned": [5]}, "cannot pin message 5: there are 2 messages"),
        (SHORT, {"usage": "much"}, "a usage is what a response reported, not str"),
        (SHORT, {"usage": {"input_tokens": "many"}}, "input_tokens is 'many'"),
    ],
)
def test_a_conversation_that_is_none(messages, carried, told):
    """The message, the field and what it holds are named."""
    with pytest.raises(InvalidInput) as refused:
        Compactor().compact(messages, **carried)
    assert told in str(refused.value)


def test_unpaired_tools_are_mended():
    """A call without result is answered, a result without call left out, and the list stays as it was (CNV_04)."""
    messages = [{"role": "user", "content": "x"}, {"role": "assistant", "content": [CALL]}]
    messages += [{"role": "user", "content": [RESULT, {"type": "text", "text": "Go on."}]}]
    sent = Compactor().compact(messages).messages
    assert [block["type"] for message in sent[1:] for block in message["content"]] == [
        "tool_use",
        "tool_result",
        "text",
    ]
    assert messages[2]["content"][0] is RESULT


def test_an_unknown_block_is_carried():
    """What brim does not know goes on as it came (CNV_01)."""
    messages = [{"role": "user", "content": [{"type": "hologram", "depth": 3}]}]
    assert Compactor().compact(messages).messages == messages


def test_a_model_without_limits_is_asked_for_by_name():
    """No window is guessed."""
    with pytest.raises(UnknownLimits, match="'gpt-9'"):
        Compactor(model="gpt-9").should_compact(SHORT)


@pytest.mark.parametrize(
    ("options", "model", "kind", "told"),
    [
        ({"api_key": "wrong"}, MODEL, WrongKey, "ANTHROPIC_API_KEY"),
        ({}, "claude-nobody", UnknownModel, "claude-nobody"),
        ({}, "claude-boundless", UnknownLimits, "claude-boundless"),
        ({"base_url": "http://127.0.0.1:9"}, MODEL, BrimError, "base_url"),
    ],
)
def test_what_the_provider_refuses(options, model, kind, told):
    """Limits that nobody handed in are asked of the provider; its refusal comes in a kind of brim's own."""
    models = {MODEL: (200_000, 64_000), "claude-boundless": ServedModel(0, 0)}
    with MessagesServer(models=models) as server, server.client(**options) as client:
        with pytest.raises(kind) as refused:
            Compactor(client, model).should_compact(SHORT)
    assert told in str(refused.value)


def test_no_key(monkeypatch):
    """It is said which key, and where it is put."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with MessagesServer() as server, Anthropic(base_url=server.url, max_retries=0) as client:
        with pytest.raises(NoKey, match="set ANTHROPIC_API_KEY"):
            Compactor(client, MODEL).should_compact(SHORT)


def test_without_a_client_the_sdk_is_not_loaded():
    """It costs a second, and the template needs none of it."""
    code = "import brim, sys; brim.Compactor().compact([]); print('anthropic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
