import anthropic
import pytest

from tests.testing.requests import BIG, asking, assistant, call, result, user

BETA = "context-management-2025-06-27"
TOOL_USES = "clear_tool_uses_20250919"
THINKING = "clear_thinking_20251015"


def loops(count, tokens=1_000, name="bash"):
    """A conversation of so many tool calls, each with a result of so many tokens."""
    messages = [user("Go")]
    for number in range(count):
        messages += [assistant([call(f"t{number}", name)]), user([result(f"t{number}", "x" * 4 * tokens)])]
    return messages


def edited(client, messages, *edits, **fields):
    """Send a conversation with edits."""
    fields = asking(*messages, **({"model": BIG} | fields))
    return client.beta.messages.create(**fields, betas=[BETA], context_management={"edits": list(edits)})


def cleared(message):
    """What the answer says was cleared: calls and tokens of each edit."""
    return [(one.cleared_tool_uses, one.cleared_input_tokens) for one in message.context_management.applied_edits]


def clear(**fields):
    """An edit that clears tool uses, beyond 2,000 tokens where nothing else is said."""
    return {"type": TOOL_USES, "trigger": {"type": "input_tokens", "value": 2_000}, **fields}


PLACEHOLDER = len("[cleared to save context]")


def test_the_oldest_results_are_cleared(client):
    """All but the newest three results make way for a few words, and the answer tells how many, and how much."""
    before = client.messages.count_tokens(model=BIG, messages=loops(5)).input_tokens
    said = edited(client, loops(5), clear())
    [(uses, tokens)] = cleared(said)
    assert uses == 2
    assert abs(tokens - 2 * (4_000 - PLACEHOLDER) // 4) <= 1
    assert said.usage.input_tokens == before - tokens


@pytest.mark.parametrize(("keep", "uses"), [(0, 5), (4, 1)])
def test_how_many_are_kept_can_be_told(client, keep, uses):
    """The edit can tell how many stay."""
    said = edited(client, loops(5), clear(keep={"type": "tool_uses", "value": keep}))
    assert [count for count, _ in cleared(said)] == [uses]


@pytest.mark.parametrize(("tokens", "uses"), [(24_990, []), (25_010, [1])])
def test_nothing_is_cleared_up_to_100000_tokens(client, tokens, uses):
    """Without a trigger of its own, the edit waits for 100,000 tokens."""
    assert [count for count, _ in cleared(edited(client, loops(4, tokens), {"type": TOOL_USES}))] == uses


@pytest.mark.parametrize(("trigger", "uses"), [(5, []), (4, [2])])
def test_a_number_of_calls_can_trigger(client, trigger, uses):
    """The edit can wait for more than so many calls instead."""
    edit = clear(trigger={"type": "tool_uses", "value": trigger})
    assert [count for count, _ in cleared(edited(client, loops(5), edit))] == uses


@pytest.mark.parametrize(("least", "uses"), [(1_980, [2]), (2_000, [])])
def test_too_little_is_not_cleared(client, least, uses):
    """What would not free enough is left alone."""
    edit = clear(clear_at_least={"type": "input_tokens", "value": least})
    assert [count for count, _ in cleared(edited(client, loops(5), edit))] == uses


def test_a_tool_can_be_spared(client):
    """Results of a tool that is excluded stay."""
    assert cleared(edited(client, loops(5), clear(exclude_tools=["bash"]))) == []


@pytest.mark.parametrize("inputs", [True, ["bash"]])
def test_inputs_can_go_with_the_results(client, inputs):
    """With the inputs more is freed."""
    [(_, without)] = cleared(edited(client, loops(5), clear()))
    [(_, with_inputs)] = cleared(edited(client, loops(5), clear(clear_tool_inputs=inputs)))
    assert with_inputs > without


def test_clearing_makes_room(server, client):
    """A prompt that is too long before an edit, and not after it, is answered."""
    messages = loops(12)
    with pytest.raises(anthropic.BadRequestError, match="prompt is too long"):
        client.messages.create(**asking(*messages))
    assert edited(client, messages, clear(), model="claude-opus-5-5").stop_reason == "end_turn"


def test_thinking_can_be_cleared(server, client):
    """All thinking but that of the newest answers goes, and the answer tells how many."""
    messages = []
    for number in range(3):
        server.script([{"type": "thinking", "thinking": "x" * 400}, {"type": "text", "text": "y"}])
        messages.append(user(f"{number}"))
        said = client.messages.create(**asking(*messages, model=BIG))
        messages.append(assistant([block.to_dict() for block in said.content]))
    said = edited(client, [*messages, user("Go on")], {"type": THINKING})
    told = said.context_management.applied_edits[0]
    assert (told.cleared_thinking_turns, told.cleared_input_tokens) == (2, 200)
    kept = edited(client, [*messages, user("Go on")], {"type": THINKING, "keep": "all"})
    assert kept.context_management.applied_edits == []


REFUSED = {
    "no beta": ([clear()], [], "context_management: Extra inputs are not permitted"),
    "the beta of another edit": ([clear()], ["compact-2026-01-12"], f"Input tag '{TOOL_USES}'"),
    "an unknown edit": ([{"type": "clear_all"}], [BETA], "context_management.edits.0: Input tag 'clear_all'"),
    "thinking last": ([clear(), {"type": THINKING}], [BETA], "must be the first edit"),
}


@pytest.mark.parametrize(("edits", "betas", "complaint"), REFUSED.values(), ids=REFUSED)
def test_an_edit_of_the_wrong_form_is_refused(client, edits, betas, complaint):
    """Edits that the API does not know, or not in this way, are refused."""
    with pytest.raises(anthropic.BadRequestError, match=complaint):
        client.beta.messages.create(**asking(), betas=betas, context_management={"edits": edits})
