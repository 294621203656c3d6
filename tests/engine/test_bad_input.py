"""What a caller hands in and what is no good: an error of brim's own kind that names it and what would cure it."""

import asyncio
import subprocess
import sys
from itertools import chain

import pytest
from anthropic import Anthropic, BadRequestError

from brim.engine.backends import BACKENDS, backend
from brim.engine.compacting import compacting
from brim.engine.compactor import Compactor
from brim.errors import BrimError, InvalidInput, Refused, UnknownLimits, UnknownModel, WrongKey
from brim.models import ModelLimits
from brim.testing import MessagesServer, ServedModel
from steps.policies import with_policy

MODEL = "claude-opus-5-5"
SHORT = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]
LIMITS = ModelLimits(context_window=4_000, max_output_tokens=400)
LONG_NUMBER = 10**5_000
"""Python does not write it out."""
NESTED = [None]
for _ in range(5_000):
    NESTED = [NESTED]


def calls(name="Bash", arguments=None, turns=6):
    """Turns that fill the window of LIMITS, each with a call."""
    arguments = arguments or {"command": "ls"}
    return [*chain.from_iterable(_turn(n, name, arguments) for n in range(turns)), SHORT[0]]


def _turn(n, name, arguments):
    call = {"type": "tool_use", "id": f"{name}{n}", "name": name, "input": arguments}
    result = {"type": "tool_result", "tool_use_id": f"{name}{n}", "content": "x" * 3_000}
    yield {"role": "user", "content": f"Do {n}."}
    yield {"role": "assistant", "content": [call]}
    yield {"role": "user", "content": [result]}
    yield SHORT[1]


@pytest.mark.parametrize(
    ("settings", "kind", "told"),
    [
        ({"required_facts": 3}, InvalidInput, "required_facts is 3; it should be a valid tuple"),
        ({"limits": ModelLimits(context_window=8_000, max_output_tokens=8_000)}, Refused, "no room beside the answer"),
        ({"client": "hello", "model": MODEL}, InvalidInput, "the client is str; it is an Anthropic client"),
        ({"client": Anthropic(api_key="k")}, InvalidInput, "the model that writes summaries: model=…"),
        ({"client": MODEL}, InvalidInput, "such as Anthropic(), and a model is named by model=…"),
        ({"summarizer": 5}, InvalidInput, "the summarizer is int"),
        ({"summarizer": MessagesServer}, InvalidInput, "is the class MessagesServer; pass an object of it"),
        ({"on_event": [print, "print"]}, InvalidInput, "a listener is str"),
        ({"limits": {"context_window": 200_000}}, InvalidInput, "limits is {"),
        ({"prompt": 5}, InvalidInput, "prompt is 5; it should be a valid string"),
        ({"sleep": 5}, InvalidInput, "sleep is int; it is a function that waits"),
        ({"keep_share": float("nan")}, InvalidInput, "keep_share: nan is not a finite number"),
        ({"keep_share": NESTED}, InvalidInput, "keep_share: <unprintable list> is not a finite number"),
    ],
)
def test_a_setting_that_cannot_work(settings, kind, told):
    """It is told where it is made, not when it is needed."""
    with pytest.raises(kind) as refused:
        Compactor(**with_policy(settings))
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("messages", "carried", "told"),
    [
        ("text", {}, "a conversation is a list of messages, not str"),
        ([3], {}, "message 0 is int"),
        ([{"role": "user"}], {}, "message 0 has no content"),
        (SHORT, {"system": 5}, "system is int; system is str | Sequence[Mapping[str, Any]] | None"),
        (SHORT, {"parameters": [1]}, "parameters is list; parameters is Mapping[str, Any]"),
        (SHORT, {"pinned": ["a"]}, "pinned is ['a']; it is Sequence[Index]"),
        (SHORT, {"pinned": [5]}, "cannot pin message 5: there are 2 messages"),
        (SHORT, {"usage": "much"}, "a usage is what a response reported, not str"),
        (SHORT, {"usage": {"input_tokens": "many"}}, "input_tokens is 'many'"),
        (SHORT, {"usage": {"input_tokens": 10**15 + 1}}, "a whole number from 0 to 10"),
        (SHORT, {"format": LONG_NUMBER}, "format is <unprintable int>; it should be 'anthropic', 'openai-chat' or"),
        (SHORT, {"headers": {None: "x"}}, "headers.None.[key] is NoneType; headers is Mapping[str, Any]"),
        (SHORT, {"parameters": {"betas": 5}}, "betas is 5; it is a list"),
        (SHORT, {"cause": "auto"}, "cause is 'auto'; it should be 'manual', 'automatic' or 'overflow'"),
        (SHORT, {"pined": [0]}, "there is no option 'pined'; did you mean pinned?"),
        ([{"role": NESTED, "content": "x"}], {}, "message 0 has the role <unprintable list>"),
        (calls(arguments={"a": "\ud800", "b": LONG_NUMBER}), {}, "a block cannot be written as JSON"),
    ],
)
def test_a_conversation_that_is_none(messages, carried, told):
    """The message, the field and what it holds are named."""
    with pytest.raises(InvalidInput) as refused:
        Compactor().compact(messages, **carried)
    assert told in str(refused.value)


def test_a_model_without_limits_is_asked_for_by_name():
    """No window is guessed."""
    with pytest.raises(UnknownLimits, match="'gpt-9'"):
        Compactor(model="gpt-9").should_compact(SHORT)
    with pytest.raises(UnknownLimits, match="'gpt-9'"):
        Compactor().should_compact(SHORT, model="gpt-9")


def test_the_model_of_a_call_has_its_limits():
    """A compactor without model and limits judges by the model that the call names; without one nothing is due."""
    long = [{"role": "user", "content": "Mind the tide. " * 100_000}]
    assert Compactor().should_compact(long, model="gpt-5").threshold == 272_000
    assert asyncio.run(Compactor().ashould_compact(long, model="gpt-5")).due
    assert not Compactor().should_compact(long).due


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
        with pytest.raises(WrongKey, match="set ANTHROPIC_API_KEY"):
            Compactor(client, MODEL).should_compact(SHORT)


def test_without_a_client_the_sdk_is_not_loaded():
    """It costs a second, and the template needs none of it."""
    code = "import brim, sys; brim.Compactor().compact([]); print('anthropic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Bash", {"command": ["ls", LONG_NUMBER]}),
        ("TodoWrite", {"todos": [{"content": LONG_NUMBER, "status": "pending"}]}),
        ("TaskUpdate", {"taskId": LONG_NUMBER, "subject": "It."}),
    ],
)
def test_a_value_that_python_does_not_write_is_carried(name, arguments):
    """It is the tool's own, and goes on as it came."""
    messages = calls(name, arguments)
    compaction = Compactor(limits=LIMITS).compact(messages, system=[{"type": "text", "text": arguments}])
    assert compaction.plan.changes_anything
    assert compaction.fidelity
    assert compaction.messages[-1] is messages[-1]


def test_what_is_no_plan_is_not_carried_out():
    """The error names what a plan is."""
    with pytest.raises(InvalidInput, match="the plan is NoneType"):
        Compactor().apply(None)


HI = [{"role": "user", "content": "Hi."}]


@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (None, "a request has a list of messages"),
        ({"messages": [*HI, 5]}, "message 1 is int"),
        ({"messages": HI, "betas": 5}, "betas is 5"),
        ({"messages": HI, "context_management": {"edits": 5}}, "an object with a list of edits"),
    ],
)
def test_a_back_end_names_what_is_no_request(name, request_, told):
    """The message or the field is named, before anything is sent."""
    with pytest.raises(InvalidInput, match=told):
        backend(Anthropic(api_key="k"), MODEL, name).prepare(request_)


def test_an_error_of_the_api_stays_the_apis():
    """A request that it refuses reaches it as the caller wrote it."""
    with MessagesServer(models={MODEL: (200_000, 64_000)}) as server, server.client() as client:
        with pytest.raises(BadRequestError):
            compacting(client).beta.messages.create(
                model=MODEL, max_tokens=9, messages=HI, context_management={"edits": 5}
            )


@pytest.mark.parametrize("options", [{"headers": [("x-api-key", "sk-ant-1")]}, {"parameters": ["sk-ant-1"]}])
def test_an_option_of_a_wrong_type_is_named_without_its_value(options):
    """It may hold a key."""
    with pytest.raises(InvalidInput) as refused:
        Compactor().plan(SHORT, **options)
    assert "is list" in str(refused.value)
    assert "sk-ant" not in str(refused.value)
