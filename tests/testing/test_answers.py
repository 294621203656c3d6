import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brim.testing import (
    Answer,
    MessagesServer,
    cut_off,
    empty,
    error_text,
    only_a_tool_call,
    refused,
    text_block,
    thinking_block,
    tool_call,
)
from steps.prerequisites import sized
from tests.testing.requests import BASH, BIG, asking, user

WAYS = {
    "a text": ("Hello there.", "end_turn", ["text"]),
    "a block": (text_block("Hello."), "end_turn", ["text"]),
    "blocks": ([text_block("Look:"), tool_call("bash", {"command": "ls"})], "tool_use", ["text", "tool_use"]),
    "a function": (lambda body: f"You said {body['messages'][-1]['content']}", "end_turn", ["text"]),
    "a function of a function": (lambda body: lambda body: "twice", "end_turn", ["text"]),
    "a whole answer": (Answer("Stop.", stop_reason="stop_sequence"), "stop_sequence", ["text"]),
    "only a tool call": (only_a_tool_call(), "tool_use", ["tool_use"]),
    "cut off": (cut_off("And then"), "max_tokens", ["text"]),
    "refused": (refused("policy"), "refusal", []),
    "empty": (empty(), "end_turn", []),
    "an empty text": ("", "end_turn", []),
    "an error as text": (error_text(), "end_turn", ["text"]),
    "thinking": ([thinking_block("Hm."), text_block("Yes.")], "end_turn", ["thinking", "text"]),
    "hidden thinking": ([{"type": "redacted_thinking"}, text_block("Yes.")], "end_turn", ["redacted_thinking", "text"]),
    "another language": ("Grüße, 你好 🙂\n\u2028 end", "end_turn", ["text"]),
}


def in_every_way(answer, **fields):
    """The same answer not streamed, streamed, and both again as beta, each from a server of its own."""
    return [_ask(answer, beta=beta, stream=stream, **fields) for beta in (False, True) for stream in (False, True)]


def _ask(answer, *, beta, stream, **fields):
    with MessagesServer([answer]) as server, server.client() as client:
        messages = client.beta.messages if beta else client.messages
        if not stream:
            return messages.create(**asking(**fields))
        with messages.stream(**asking(**fields)) as streamed:
            return streamed.get_final_message()


def _streamed(client):
    with client.messages.stream(**asking()) as stream:
        return stream.get_final_message()


@pytest.mark.parametrize(("answer", "reason", "kinds"), WAYS.values(), ids=WAYS)
def test_an_answer_is_the_same_in_every_way_to_ask(answer, reason, kinds):
    """Streamed or not, beta or not, the SDK reads the same message."""
    messages = in_every_way(answer)
    assert {message.stop_reason for message in messages} == {reason}
    assert [[block.type for block in message.content] for message in messages] == [kinds] * 4
    contents = [[block.to_dict() for block in message.content] for message in messages]
    assert contents == [contents[0]] * 4
    assert len({(message.id, message.usage.input_tokens, message.usage.output_tokens) for message in messages}) == 1


@settings(max_examples=sized(10, nightly=100))
@given(st.text(min_size=1, max_size=60), st.dictionaries(st.text(max_size=5), st.text(max_size=60), max_size=3))
def test_whatever_is_said_arrives(text, arguments):
    """Every text and every input arrives as it was written, streamed or not."""
    said = [text_block(text), tool_call("bash", arguments)]
    with MessagesServer(default=said) as server, server.client() as client:
        messages = [client.messages.create(**asking()), _streamed(client)]
    assert [(one.content[0].text, one.content[1].input) for one in messages] == [(text, arguments)] * 2


def test_an_answer_ends_where_no_more_was_asked_for(server, client):
    """A text longer than was asked for is cut at that length, and says so."""
    server.script("x" * 401, "x" * 400)
    cut = client.messages.create(**asking(max_tokens=100))
    whole = client.messages.create(**asking(max_tokens=100))
    assert (cut.stop_reason, len(cut.content[0].text), cut.usage.output_tokens) == ("max_tokens", 400, 100)
    assert (whole.stop_reason, len(whole.content[0].text)) == ("end_turn", 400)


def test_a_call_that_does_not_fit_is_left_out(server, client):
    """A call is never cut in two."""
    server.script([text_block("x" * 40), tool_call("bash", {"command": "x" * 400})])
    cut = client.messages.create(**asking(max_tokens=20))
    assert (cut.stop_reason, [block.type for block in cut.content]) == ("max_tokens", ["text"])


def test_an_answer_ends_where_the_window_does(server, client):
    """An answer that the window has no room for stops there."""
    server.script("x" * 400)
    cut = client.messages.create(**asking(user("x" * 39_960)))
    assert (cut.stop_reason, cut.usage.output_tokens) == ("model_context_window_exceeded", 10)


def test_usage_is_counted_and_can_be_told(server, client):
    """Tokens are characters over four, rounded up, unless the answer tells its own."""
    server.script("12345", Answer("12345", usage={"input_tokens": 7, "cache_read_input_tokens": 9}))
    fields = {"system": "1234", "tools": [BASH]}
    counted, told = client.messages.create(**asking(**fields)), client.messages.create(**asking(**fields))
    tool = '{"description":"Run a command","input_schema":{"type":"object"},"name":"bash"}'
    assert counted.usage.input_tokens == -(-(len("Hello") + len("1234") + len(tool)) // 4)
    assert counted.usage.output_tokens == 2
    assert (told.usage.input_tokens, told.usage.cache_read_input_tokens, told.usage.output_tokens) == (7, 9, 2)


@pytest.mark.parametrize(("per_token", "tokens"), [(1, 10), (3, 4)])
def test_the_measure_can_be_chosen(per_token, tokens):
    """How many characters make a token is the server's to say."""
    with MessagesServer(characters_per_token=per_token) as server, server.client() as client:
        counted = client.messages.count_tokens(model=BIG, messages=[user("x" * 10)])
    assert counted.input_tokens == tokens


def test_calls_have_ids_of_their_own(server, client):
    """Two calls of one answer, and calls of two answers, never share an id; one that is given stays."""
    server.script([tool_call("a"), tool_call("a"), tool_call("a", id="mine")], only_a_tool_call())
    first, second = client.messages.create(**asking()), client.messages.create(**asking())
    ids = [block.id for block in (*first.content, *second.content)]
    assert len(set(ids)) == 4
    assert ids[2] == "mine"


def test_the_limits_of_a_model_can_be_asked(server, client):
    """A model tells its window and its longest answer, alone and in the list."""
    listed = {model.id: (model.max_input_tokens, model.max_tokens) for model in client.models.list()}
    asked = client.models.retrieve("claude-opus-5-5")
    assert listed == {"claude-opus-5-5": (10_000, 4_000), "claude-sonnet-5-5": (200_000, 64_000)}
    assert (asked.max_input_tokens, asked.max_tokens, asked.lifecycle) == (10_000, 4_000, "active")
