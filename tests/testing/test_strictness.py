import typing

import anthropic.types as stable
import pytest
from anthropic.types import beta
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import get_type_hints

from brim.testing import complaints
from brim.testing.strictness import FIELDS, KNOWN, OF_BETAS
from tests.testing.requests import BASH, asking, assistant, call, result, system, user

THINKING = {"type": "thinking", "thinking": "hm", "signature": "x"}
MARK = {"cache_control": {"type": "ephemeral"}}
MARKED = {"type": "text", "text": "a", **MARK}
SEARCH = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
ADDED = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "Look"}}
WITHOUT_RESULT = "`tool_use` ids were found without `tool_result` blocks immediately after"

FINE = {
    "one word": [user("Hello")],
    "two users in a row": [user("a"), user("b")],
    "ends with the assistant": [user("a"), assistant("b")],
    "a call and its result": [user("a"), assistant([call("t1")]), user([result("t1")])],
    "results before text": [user("a"), assistant([call("t1")]), user([result("t1"), {"type": "text", "text": "b"}])],
    "results in two messages": [
        user("a"),
        assistant([call("t1"), call("t2")]),
        user([result("t1")]),
        user([result("t2")]),
    ],
    "an empty result": [user("a"), assistant([call("t1")]), user([result("t1", "")])],
    "a server's call and result": [user("a"), assistant([SEARCH, FOUND, {"type": "text", "text": "b"}]), user("c")],
    "a server's call that pauses": [user("a"), assistant([SEARCH])],
    "a system message behind the user's": [user("a"), system("b"), assistant("c"), user("d"), system("e"), system("f")],
    "one behind a server's result": [user("a"), assistant([SEARCH, FOUND]), system("b"), assistant("c"), user("d")],
    "one that adds a tool": [user("a"), {**system([ADDED]), "clear_at": "never"}, assistant("c"), user("d")],
    "a setting anywhere": [{**system([]), "output_config": {"effort": "low"}}, user("a")],
    "begins with a summary": [assistant([{"type": "compaction", "content": "s"}]), user("a")],
    "four marks": [user([MARKED] * 4)],
}

FAULTY = {
    "no messages": ([], "at least one message is required"),
    "no list": ("Hello", "messages: Input should be a valid list"),
    "no message": (["Hello"], "messages.0: Input should be a valid dictionary"),
    "no role": ([{"content": "a"}], "messages.0.role: Field required"),
    "a system message first": ([system("a"), assistant("b")], "messages.0: use the top-level 'system' parameter"),
    "one behind the assistant": ([user("a"), assistant("b"), system("c")], "messages.2: role 'system' must follow"),
    "one between call and result": (
        [user("a"), assistant([call("t1")]), system("b"), user([result("t1")])],
        "messages.2: role 'system' must follow",
    ),
    "one before the user": ([user("a"), system("b"), user("c")], "messages.1: role 'system' must precede"),
    "two before the user": ([user("a"), system("b"), system("c"), user("d")], "messages.2: role 'system' must precede"),
    "one without content": ([user("a"), system([])], "messages.1: all messages must have non-empty content"),
    "a call of the system": ([user("a"), system([call("t1")])], "role 'system' supports text, tool_addition"),
    "a tool that the user adds": ([user([ADDED])], "`tool_addition` blocks can only be in `system` messages"),
    "an output setting of the user": ([{**user("a"), "output_config": {}}], "messages.0.output_config: Extra inputs"),
    "a strange role": ([{"role": "tool", "content": "a"}], "messages.0.role: Input should be 'user', 'assistant' or"),
    "an id on a message": ([{**user("a"), "id": "m"}], "messages.0.id: Extra inputs are not permitted"),
    "the assistant first": ([assistant("a"), user("b")], 'first message must use the "user" role'),
    "content of null": ([user(None)], "messages.0.content: Input should be a valid string or list"),
    "no content": ([user([])], "messages.0: all messages must have non-empty content"),
    "an empty string": ([user("")], "messages.0: all messages must have non-empty content"),
    "an empty text": ([user([{"type": "text", "text": ""}])], "text content blocks must be non-empty"),
    "a blank text": ([user(" \n")], "text content blocks must contain non-whitespace text"),
    "a text without text": ([user([{"type": "text"}])], "messages.0.content.0.text.text: Field required"),
    "a text of a number": (
        [user([{"type": "text", "text": 1}])],
        "content.0.text.text: Input should be a valid string",
    ),
    "an unknown block": ([user([{"type": "patch"}])], "Input tag 'patch' found using 'type' does not match"),
    "a type that is a list": ([user([{"type": ["text"]}])], "does not match any of the expected tags"),
    "a block without type": ([user([{"text": "a"}])], "Unable to extract tag using discriminator 'type'"),
    "a block that is a string": ([user(["a"])], "messages.0.content.0: Input should be a valid dictionary"),
    "an unknown field": ([user([{"type": "text", "text": "a", "id": 1}])], "text.id: Extra inputs are not permitted"),
    "a mark on thinking": (
        [user("a"), assistant([THINKING | MARK, {"type": "text", "text": "b"}])],
        "thinking.cache_control: Extra inputs are not permitted",
    ),
    "a strange id": ([user("a"), assistant([call("t 1")])], "id: String should match pattern"),
    "input of a list": (
        [user("a"), assistant([call("t1") | {"input": []}])],
        "tool_use.input: Input should be a valid dict",
    ),
    "a call of the user": ([user([call("t1")])], "messages.0: `tool_use` blocks can only be in `assistant` messages"),
    "an assistant's result": (
        [user("a"), assistant([result("t1")])],
        "messages.1: `tool_result` blocks can only be in `user` messages",
    ),
    "no result": ([user("a"), assistant([call("t1")]), user("b")], f"messages.1: {WITHOUT_RESULT}: t1"),
    "no message behind a call": ([user("a"), assistant([call("t1")])], f"messages.1: {WITHOUT_RESULT}: t1"),
    "a result behind text": (
        [user("a"), assistant([call("t1")]), user([{"type": "text", "text": "b"}, result("t1")])],
        WITHOUT_RESULT,
    ),
    "a result too late": (
        [user("a"), assistant([call("t1")]), user("b"), assistant("c"), user([result("t1")])],
        WITHOUT_RESULT,
    ),
    "a result without call": ([user([result("t1")])], "messages.0.content.0: unexpected `tool_use_id`"),
    "a result of an earlier call": (
        [user("a"), assistant([call("t1")]), user([result("t1")]), assistant("b"), user([result("t1")])],
        "messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1",
    ),
    "two results of one call": (
        [user("a"), assistant([call("t1")]), user([result("t1"), result("t1")])],
        "each tool_use must have a single result",
    ),
    "two calls of one id": (
        [user("a"), assistant([call("t1"), call("t1")]), user([result("t1")])],
        "messages.1.content.1: `tool_use` ids must be unique",
    ),
    "an id used again later": (
        [user("a"), assistant([call("t1")]), user([result("t1")]), assistant([call("t1")]), user([result("t1")])],
        "messages.3.content.0: `tool_use` ids must be unique",
    ),
    "an error without content": (
        [user("a"), assistant([call("t1")]), user([result("t1", "", is_error=True)])],
        "content cannot be empty if `is_error` is true",
    ),
    "an unknown block in a result": (
        [user("a"), assistant([call("t1")]), user([result("t1", [{"type": "file"}])])],
        "messages.2.content.0.tool_result.content.0: Input tag 'file'",
    ),
    "a result of a number": (
        [user("a"), assistant([call("t1")]), user([result("t1", 5)])],
        "tool_result.content: Input should be a valid string or list",
    ),
    "a server's call without result": (
        [user("a"), assistant([SEARCH]), user("b")],
        "`web_search` tool use with id `s1` was found without a corresponding `web_search_tool_result` block",
    ),
    "a server's result without call": (
        [user("a"), assistant([FOUND]), user("b")],
        "unexpected `tool_use_id` found in `web_search_tool_result` blocks: s1",
    ),
    "five marks": ([user([MARKED] * 5)], "A maximum of 4 blocks with cache_control may be provided. Found 5."),
    "a strange mark": ([user([MARKED | {"cache_control": {"type": "forever"}}])], "Input tag should be 'ephemeral'"),
    "a strange lifetime": (
        [user([MARKED | {"cache_control": {"type": "ephemeral", "ttl": "1d"}}])],
        "ttl: Input should be '5m' or '1h'",
    ),
}

FAULTY_BODIES = {
    "max_tokens missing": ({"max_tokens": ...}, "max_tokens: Field required"),
    "model missing": ({"model": ...}, "model: Field required"),
    "messages missing": ({"messages": ...}, "messages: Field required"),
    "no room for an answer": ({"max_tokens": 0}, "max_tokens: must be greater than or equal to 1"),
    "half a token": ({"max_tokens": 1.5}, "max_tokens: Input should be a valid integer"),
    "true tokens": ({"max_tokens": True}, "max_tokens: Input should be a valid integer"),
    "a model of a number": ({"model": 5}, "model: Input should be a valid string"),
    "a stream of a word": ({"stream": "yes"}, "stream: Input should be a valid boolean"),
    "a parameter of yesterday": ({"prompt": "a"}, "prompt: Extra inputs are not permitted"),
    "a beta that was not asked for": ({"context_management": {}}, "context_management: Extra inputs are not permitted"),
    "a system of a number": ({"system": 5}, "system: Input should be a valid string or list"),
    "a system of strings": ({"system": ["a"]}, "system.0: Input should be a text block"),
    "an empty system text": (
        {"system": [{"type": "text", "text": ""}]},
        "system: text content blocks must be non-empty",
    ),
    "two tools of one name": ({"tools": [BASH, BASH]}, "tools: Tool names must be unique."),
    "a tool without schema": ({"tools": [{"name": "a"}]}, "tools.0.custom.input_schema: Field required"),
    "tools that are none": ({"tools": ["bash"]}, "tools: Input should be a valid list of tools"),
    "thinking of another kind": ({"thinking": {"type": "deep"}}, "thinking: Input tag should be one of 'enabled'"),
    "thinking without budget": ({"thinking": {"type": "enabled"}}, "budget_tokens: Field required"),
    "a small budget": (
        {"thinking": {"type": "enabled", "budget_tokens": 1_023}},
        "budget_tokens: Input should be greater than or equal to 1024",
    ),
    "a budget beyond the answer": (
        {"thinking": {"type": "enabled", "budget_tokens": 1_024}, "max_tokens": 1_024},
        "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ),
    "marks everywhere": (
        {
            "system": [MARKED],
            "tools": [BASH | MARK],
            "messages": [user("a"), assistant([call("t1") | MARK]), user([result("t1", [MARKED]) | MARK])],
        },
        "Found 5.",
    ),
    "a mark of its own and four": (
        {"cache_control": {"type": "ephemeral"}, "messages": [user([MARKED] * 4)]},
        "Found 5.",
    ),
}


@pytest.mark.parametrize("messages", FINE.values(), ids=FINE)
def test_what_the_api_takes_is_not_complained_about(messages):
    """There is no complaint about what the API accepts."""
    assert complaints(messages) == []
    assert complaints(asking(*messages)) == []


@pytest.mark.parametrize(("messages", "complaint"), FAULTY.values(), ids=FAULTY)
def test_a_fault_of_the_messages_is_found(messages, complaint):
    """Each fault is told in the API's words, for the messages alone and within a whole body."""
    assert any(complaint in told for told in complaints(messages) or complaints({"messages": messages}))
    assert any(complaint in told for told in complaints(asking() | {"messages": messages}))


@pytest.mark.parametrize(("change", "complaint"), FAULTY_BODIES.values(), ids=FAULTY_BODIES)
def test_a_fault_of_the_parameters_is_found(change, complaint):
    """Each fault apart from the messages is told as well."""
    body = {name: value for name, value in (asking() | change).items() if value is not ...}
    assert any(complaint in told for told in complaints(body))


def test_a_beta_brings_its_parameter():
    """With the beta that brings it, a parameter is none too many."""
    body = asking(context_management={"edits": []})
    assert complaints(body, betas=["context-management-2025-06-27"]) == []


def test_there_are_100000_messages_at_most():
    """One message more than the API takes is told with the number."""
    assert complaints([user("a")] * 100_001) == ["messages: at most 100000 messages are allowed. Found 100001."]


def test_the_fields_of_each_block_are_those_of_the_sdk():
    """The table of blocks says what the SDK's own types say."""
    told = _fields_of(beta.BetaContentBlockParam) | _fields_of(stable.ContentBlockParam)
    told |= _fields_of(stable.ContentBlockParam | stable.ToolReferenceBlockParam)
    assert {kind: fields | {"type"} for kind, fields in FIELDS.items()} == {kind: told[kind] for kind in FIELDS}


def test_the_parameters_are_those_of_the_sdk():
    """Every parameter that the server takes is one that the SDK sends."""
    sent = get_type_hints(beta.message_create_params.MessageCreateParamsStreaming)
    assert sorted((KNOWN | OF_BETAS.keys()) - sent.keys()) == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["role", "content", "type", "text", "id", "tool_use_id", "input"]), inner, max_size=3
            )
        ),
    )
)
def test_nothing_breaks_it(messages):
    """Whatever is given for messages is judged, never stumbled over."""
    assert complaints({"messages": messages, "model": "m", "max_tokens": 1}) != [None]


def _fields_of(union):
    params = [one for one in typing.get_args(union) if one.__name__.endswith("Param")]
    hints = [get_type_hints(one) for one in params]
    return {typing.get_args(hint["type"])[0]: set(hint) for hint in hints}
