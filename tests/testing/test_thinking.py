import anthropic
import pytest

from brim.testing import MessagesServer, only_a_tool_call, text_block, thinking_block, tool_call
from tests.testing.requests import BASH, MODEL, asking, assistant, result, user

THINKING = {"type": "enabled", "budget_tokens": 1_024}
BUDGET = {"thinking": THINKING, "max_tokens": 2_000}
BOUND = "Invalid `signature` in `thinking` block. The block is bound to a different conversation"
SYSTEM = "You are terse."
FIRST = user("First")


@pytest.fixture
def two_turns(server, client):
    """A conversation of two answers that thought, and a third question."""
    messages = []
    for question in ("First", "Second"):
        server.script([thinking_block(f"About {question}."), text_block(f"To {question}.")])
        messages.append(user(question))
        said = client.messages.create(**asking(*messages, system=SYSTEM, tools=[BASH]))
        messages.append(assistant([block.to_dict() for block in said.content]))
    return [*messages, user("Third")]


@pytest.fixture
def open_loop(server, client):
    """A conversation whose last call thought first and has its result, but no answer yet."""
    server.script([thinking_block("Look first."), tool_call("bash")])
    said = client.messages.create(**asking(FIRST, tools=[BASH]))
    blocks = [block.to_dict() for block in said.content]
    return [FIRST, assistant(blocks), user([result(blocks[1]["id"])])]


def send(client, messages, **fields):
    """Send a conversation on, as it began."""
    return client.messages.create(**asking(*messages, **({"system": SYSTEM, "tools": [BASH]} | fields)))


def with_block(messages, number, index, **change):
    """The conversation with one block changed."""
    content = list(messages[number]["content"])
    content[index] = content[index] | change
    return [*messages[:number], {**messages[number], "content": content}, *messages[number + 1 :]]


def without_thinking(messages, *numbers):
    """The conversation without the thinking of some messages."""
    return [
        assistant([block for block in message["content"] if block["type"] != "thinking"])
        if number in numbers
        else message
        for number, message in enumerate(messages)
    ]


def test_another_way_to_write_the_same_is_the_same(client, two_turns):
    """Cache marks and short forms do not change what stands before a block."""
    marked = {"type": "text", "text": "First", "cache_control": {"type": "ephemeral"}}
    system = [{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}]
    assert send(client, [user([marked]), *two_turns[1:]], system=system).stop_reason == "end_turn"


def test_thinking_fits_another_model(client, two_turns):
    """A signature does not name the model."""
    assert send(client, two_turns, model="claude-sonnet-5-5").stop_reason == "end_turn"


CHANGES = {
    "another first question": (lambda messages: [user("Other"), *messages[1:]], {}, "messages.1.content.0", "messages"),
    "a message left out": (lambda messages: messages[2:], {}, "messages.1.content.0", "messages"),
    "a message put in": (lambda messages: [user("New"), *messages], {}, "messages.2.content.0", "messages"),
    "a changed answer": (
        lambda messages: with_block(messages, 1, 1, text="Other."),
        {},
        "messages.3.content.0",
        "messages",
    ),
    "another system prompt": (lambda messages: messages, {"system": "Be long."}, "messages.1.content.0", "system"),
    "other tools": (lambda messages: messages, {"tools": []}, "messages.1.content.0", "tools"),
}


@pytest.mark.parametrize(("change", "fields", "place", "differs"), CHANGES.values(), ids=CHANGES)
def test_thinking_behind_another_prefix_is_refused(  # noqa: PLR0917 - a table's columns
    client, two_turns, change, fields, place, differs
):
    """Whatever changes before a thinking block, the block is refused, with its place and with what differs."""
    with pytest.raises(anthropic.BadRequestError) as refusal:
        send(client, change(two_turns), **fields)
    assert f"{place}: {BOUND}" in refusal.value.message
    assert f"`{differs}` changed" in refusal.value.message


@pytest.mark.parametrize("change", [{"thinking": "Other."}, {"signature": "forged"}, {"signature": "e30="}])
def test_a_block_that_is_not_the_servers_is_refused(client, two_turns, change):
    """A changed thought or a foreign signature is refused, for what it is."""
    with pytest.raises(
        anthropic.BadRequestError, match=r"messages.1.content.0: Invalid `signature` in `thinking` block"
    ):
        send(client, with_block(two_turns, 1, 0, **change))


def test_a_block_of_another_server_is_refused(two_turns):
    """Another key signs otherwise; the same key signs the same, for a session may outlive its server."""
    refused = pytest.raises(anthropic.BadRequestError, match="Invalid `signature`")
    with MessagesServer(key="sk-other") as other, other.client() as client, refused:
        send(client, two_turns)
    with MessagesServer() as same, same.client() as client:
        assert send(client, two_turns).stop_reason == "end_turn"


@pytest.mark.parametrize("numbers", [(1,), (1, 3)])
def test_thinking_may_be_left_out_from_the_beginning(client, two_turns, numbers):
    """The oldest thinking, or all of it, need not come back."""
    assert send(client, without_thinking(two_turns, *numbers)).stop_reason == "end_turn"


def test_thinking_between_other_thinking_may_not_be_left_out(server, client, two_turns):
    """A block whose neighbour is gone is refused, though every word around it is there."""
    server.script([thinking_block("About Third."), text_block("To Third.")])
    third = send(client, two_turns)
    messages = [*two_turns, assistant([block.to_dict() for block in third.content]), user("Fourth")]
    assert send(client, messages).stop_reason == "end_turn"
    with pytest.raises(anthropic.BadRequestError, match=r"messages.5.content.0.*left out or moved"):
        send(client, without_thinking(messages, 3))


def test_hidden_thinking_is_bound_as_well(server, client):
    """A redacted block is signed in its data, and refused behind another prefix."""
    server.script([{"type": "redacted_thinking"}, text_block("Yes.")])
    said = [block.to_dict() for block in client.messages.create(**asking(FIRST)).content]
    client.messages.create(**asking(FIRST, assistant(said), user("Go on")))
    with pytest.raises(anthropic.BadRequestError, match="Invalid `data` in `redacted_thinking` block"):
        client.messages.create(**asking(user("Other"), assistant(said), user("Go on")))


def test_an_open_loop_keeps_its_thinking(client, open_loop):
    """A loop that comes back whole is carried on."""
    client.messages.create(**asking(*open_loop, tools=[BASH]))
    client.messages.create(**asking(*open_loop, tools=[BASH], **BUDGET))


@pytest.mark.parametrize("fields", [{}, {"thinking": {"type": "adaptive"}}, BUDGET])
def test_an_open_loop_without_its_thinking_is_refused(client, open_loop, fields):
    """A call that was made behind thinking does not come back without it while its loop is open."""
    bare = without_thinking(open_loop, 1)
    with pytest.raises(
        anthropic.BadRequestError, match="Expected `thinking` or `redacted_thinking`, but found `tool_use`"
    ):
        client.messages.create(**asking(*bare, tools=[BASH], **fields))


def test_without_thinking_no_loop_needs_any(client, open_loop):
    """Where thinking is disabled, the loop may come back bare."""
    client.messages.create(**asking(*without_thinking(open_loop, 1), tools=[BASH], thinking={"type": "disabled"}))


def test_a_loop_that_is_done_needs_no_thinking(client, open_loop):
    """With its answer, a loop is history, and its thinking may go."""
    done = [*without_thinking(open_loop, 1), assistant("Done."), user("Next")]
    client.messages.create(**asking(*done, tools=[BASH], **BUDGET))


def test_a_call_that_did_not_think_needs_no_thinking(server, client):
    """A call without thinking comes back as it was made, unless thinking is enabled by then."""
    server.script(only_a_tool_call())
    said = client.messages.create(**asking(FIRST, tools=[BASH])).content
    loop = [FIRST, assistant(said), user([result(said[0].id)])]
    client.messages.create(**asking(*loop, tools=[BASH]))
    with pytest.raises(anthropic.BadRequestError, match="but found `tool_use`"):
        client.messages.create(**asking(*loop, tools=[BASH], **BUDGET))


def test_with_a_budget_every_answer_thinks(server, client):
    """Where thinking is enabled, an answer that was scripted without it begins with some."""
    server.script("Yes.", only_a_tool_call())
    answers = [client.messages.create(**asking(**BUDGET)) for _ in range(2)]
    assert [[block.type for block in one.content] for one in answers] == [
        ["thinking", "text"],
        ["thinking", "tool_use"],
    ]


def test_the_signature_is_the_same_when_it_is_streamed(server, client):
    """A streamed block comes back as well as any other."""
    server.script([thinking_block("Hm."), text_block("Yes.")])
    with client.messages.stream(**asking(FIRST)) as stream:
        said = [block.to_dict() for block in stream.get_final_message().content]
    assert client.messages.create(**asking(FIRST, assistant(said), user("Go on"))).model == MODEL
