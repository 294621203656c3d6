"""Steps of features/pruning/tool_outputs.feature."""

import copy

import pytest
from parse_type import TypeBuilder
from pytest_bdd import given, parsers, then, when

from brim.compaction.context_window import ContextWindow
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import read_conversation, read_message
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.models import ModelLimits
from brim.pruning.tool_outputs import (
    PLACEHOLDER,
    Output,
    Pruning,
    apply_pruning,
    pruning_disabled,
)
from steps.compaction_windows import raw_turns
from steps.conversation_table import names, read_table, write_table
from steps.vocabulary import attempt, phrase, quoted, tokens

TERMS = {
    "Turn": TypeBuilder.make_enum({"has ended": True, "goes on": False}),
    "Due": TypeBuilder.make_enum({"due": True, "not due": False}),
    "Tried": TypeBuilder.make_enum({"tried": True, "not tried": False}),
    "Off": TypeBuilder.make_enum({"off": True, "on": False}),
    "Switch": TypeBuilder.make_enum({"brim": "BRIM_DISABLE_PRUNE", "OpenCode": "OPENCODE_DISABLE_PRUNE"}),
    "Quoted": quoted,
}
BEYOND = [{"role": "user", "content": "And then?"}] * 2
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aaaa"}}
RESULT = {
    "type": "tool_result",
    "tool_use_id": "A",
    "content": [{"type": "text", "text": "a page"}, IMAGE],
    "is_error": False,
}


def message(row):
    """A message of the operation, by its row of a table."""
    marks = {"summary": True} if row.get("mark") == "summary" else {}
    return {"role": row["speaker"], "parts": [part(name, row) for name in names(row["output"])], **marks}


def part(name, row):
    """A tool output; what a table has no column for is an ordinary completed one."""
    return {
        "id": name,
        "type": row.get("kind") or "tool",
        "tool": row.get("tool", "Read"),
        "status": row.get("status", "completed"),
        "tokens": tokens(row["tokens"]),
        "pruned": row.get("mark") == "pruned",
    }


@pytest.fixture
def options():
    """What is set; nothing, until a step sets it."""
    return {}


@given("a history of", target_fixture="history")
def history_of(datatable):
    columns, *lines = datatable
    return [message(dict(zip(columns, line, strict=True))) for line in lines]


@given(phrase("a turn with an output A of {count:Tokens} tokens"), target_fixture="history")
def single_output(count):
    output = {"speaker": "assistant", "output": "A", "tokens": str(count)}
    return [{"role": "user", "parts": []}, message(output)]


@given("a history whose tool output states neither its tool nor its size", target_fixture="history")
def bare_output():
    return [{"role": "assistant", "parts": [{"id": "A", "type": "tool", "status": "completed"}]}]


@given(phrase("newer user turns, {count:Count} of them"), target_fixture="history")
def newer_turns(history, count):
    return history + [{"role": "user", "parts": []}] * count


@given("a message that a harness put in the user's name", target_fixture="history")
def harness_message(history):
    return [*history, {"role": "user", "user_turn": False, "parts": []}]


@given(parsers.parse("{count} tokens to protect"), target_fixture="options")
def protecting(options, count):
    return options | {"protect": int(count.replace(",", ""))}


@given(parsers.parse("a saving of more than {count} tokens asked for"), target_fixture="options")
def saving(options, count):
    return options | {"minimum": int(count.replace(",", ""))}


@given(phrase('the protected tools are "{tools:Quoted}"'), target_fixture="options")
def protected(options, tools):
    return options | {"protected_tools": names(tools)}


@given("pruning is turned off", target_fixture="options")
def turned_off(options):
    return options | {"disabled": True}


@when("old outputs are looked for", target_fixture="outcome")
def look(implementation, history, options):
    return implementation("prune", messages=history, **options)


@then(phrase('the outputs pruned are "{expected:Quoted}"'))
def check_pruned(outcome, expected):
    assert outcome["pruned"] == names(expected)


@then(phrase("{expected:Tokens} tokens are saved"))
def check_saved(outcome, expected):
    assert outcome["saved"] == expected


@given("an old output of a text and an image", target_fixture="conversation")
def old_output():
    call = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "A", "name": "WebFetch", "input": {"url": "x"}}],
    }
    return read_conversation([BEYOND[0], call, {"role": "user", "content": [RESULT]}, *BEYOND])


@given(
    phrase("an old output of {characters:Count} characters and {images:Count} images"), target_fixture="conversation"
)
def sized_output(characters, images):
    content = [{"type": "text", "text": "x" * characters}, *[IMAGE] * images] if images else "x" * characters
    return read_conversation([{"role": "user", "content": [RESULT | {"content": content}]}, *BEYOND])


def pruned_by(conversation, **settings):
    """What a pruning came to: the decision, and the conversation before and after."""
    before = copy.deepcopy(conversation)
    policy = CompactionPolicy(**{"prune_protect": 0, **settings})
    pruning = ContextWindow(policy=policy, messages=conversation).prunable()
    return {"before": before, "pruning": pruning, "conversation": apply_pruning(conversation, pruning)}


@when("every output before the last two turns is pruned", target_fixture="pruned")
def prune_all(conversation):
    return pruned_by(conversation, prune_minimum=0)


@when("it is pruned with the tool Read protected", target_fixture="pruned")
def prune_protecting(conversation):
    return pruned_by(conversation, prune_minimum=0, protected_tools=["Read"])


@when("it is pruned where pruning is off", target_fixture="pruned")
def prune_off(conversation):
    return pruned_by(conversation, prune=False)


@when(parsers.parse("it is pruned where more than {minimum:d} tokens have to be saved"), target_fixture="pruned")
def prune_saving(conversation, minimum):
    return pruned_by(conversation, prune_minimum=minimum)


@given("every output before the last two turns was pruned already", target_fixture="conversation")
def pruned_already(conversation):
    return pruned_by(conversation, prune_minimum=0)["conversation"]


@when(
    parsers.parse("a pruning of call {call} in part {part:d} of message {message:d} is applied"),
    target_fixture="outcome",
)
def apply_another(conversation, call, part, message):
    pruning = Pruning((Output(message, part, call, 9),), 9, "by example")
    return attempt(apply_pruning, conversation, pruning)


@then(phrase('the reason is "{expected:Quoted}"'))
def check_reason(pruned, expected):
    assert pruned["pruning"].reason == expected


@given("a growing conversation of", target_fixture="growing")
def growing(datatable):
    return ContextWindow(policy=CompactionPolicy(prune_protect=0, prune_minimum=0), messages=read_table(datatable))


@given("what may be pruned of it was pruned")
def was_pruned(growing):
    growing.prune()


@given("it went on for one more turn")
def went_on(growing):
    growing.append(BEYOND[0])


@when("what may be pruned of it now is pruned", target_fixture="decision")
def prune_growing(growing):
    return growing.prune()


@when("it is looked at anew", target_fixture="decision")
def look_anew(growing):
    return ContextWindow(policy=growing.policy, messages=growing.messages).prune()


@then(phrase('the growing conversation\'s outputs pruned are "{expected:Quoted}"'))
def check_decision(decision, expected):
    assert list(decision.ids) == names(expected)


@then(phrase('the outputs cleared are "{expected:Quoted}"'))
def check_cleared(pruned, expected):
    assert list(pruned["pruning"].ids) == names(expected)


@then("the pruned conversation is")
def check_conversation(pruned, datatable):
    assert write_table(pruned["conversation"], datatable[0]) == datatable


@then("nothing of the old output is left but the placeholder")
def check_placeholder(pruned):
    assert pruned["conversation"][2] == read_message({"role": "user", "content": [{**RESULT, "content": PLACEHOLDER}]})


@then("the original conversation is unchanged")
def check_unchanged(conversation, pruned):
    assert conversation == pruned["before"]


@then("every other message is the very same")
def check_same(conversation, pruned):
    assert [n for n, one in enumerate(pruned["conversation"]) if one is not conversation[n]] == [2]


@then(phrase('the decision about it reads "{expected:Quoted}"'))
def check_decision_reason(decision, expected):
    assert decision.reason == expected


@given(
    parsers.cfparse('the environment\'s {name:Switch} switch for pruning reads "{word:Quoted}"', TERMS),
    target_fixture="switches",
)
def switch(name, word):
    return {"environ": {name: word}}


@given(parsers.cfparse("the configuration has pruning {off:Off}", TERMS), target_fixture="switches")
def configured(off):
    return {"environ": {}, "configured": off}


@when("it is asked whether pruning is off", target_fixture="off")
def ask_off(switches):
    return pruning_disabled(**switches)


@then(parsers.cfparse("pruning is {expected:Off}", TERMS))
def check_off(off, expected):
    assert off is expected


@pytest.fixture(name="switches")
def no_switches():
    """Nothing is set in the environment, until a step sets it."""
    return {"environ": {}}


@given(
    phrase("an agent with {count:Count} turns, each with an output of {size:Tokens} tokens"),
    target_fixture="agent_turns",
)
def agent_with_turns(count, size):
    return raw_turns(count, size)


@when("the user makes the next request of it", target_fixture="sent_now")
def next_request_of_user(agent_turns, switches, monkeypatch):
    for name, word in switches["environ"].items():
        monkeypatch.setenv(name, word)
    return sent_after(agent_turns[:-1], [agent_turns[-1], {"role": "user", "content": "And now?"}])


def sent_after(before, new):
    """What is sent for a second request, and the events until then."""
    events = []
    limits = ModelLimits(context_window=1_000_000, max_output_tokens=8_000)
    conversation = Conversation(Compactor(limits=limits, on_event=events.append))
    conversation.extend(before)
    conversation.prepare()
    conversation.extend(new)
    return conversation.prepare().messages, events


@when("its model asks for one more output in the middle of the sixth turn", target_fixture="sent_now")
def next_request_of_model(agent_turns):
    return sent_after(agent_turns[:22], [*agent_turns[22:23], *raw_turns(8, 30_000)[29:31]])


@then(phrase("{count:Count} outputs are cleared in what it sends"))
def check_cleared_in_sent(sent_now, count):
    assert str(sent_now[0]).count(PLACEHOLDER) == count


@when(phrase("{count:Count} outputs of {tokens:Tokens} tokens are pruned"), target_fixture="events")
def prune_outputs(limits, count, tokens):
    events = []
    compactor = Compactor(limits=ModelLimits(**limits), on_event=events.append)
    compactor.compact(raw_turns(count, tokens), cause="automatic")
    return [str(event) for event in events]


@when("its old outputs are cleared", target_fixture="decision")
def clear(window):
    return window.prune()


@then(phrase("the placeholders that stay are subtracted, and it saves {expected:Tokens} tokens"))
def check_saved_of_window(decision, expected):
    assert decision.saved == expected


@then(phrase("{expected:Tokens} cached tokens are read again"))
def check_read_again(decision, expected):
    assert decision.reread == expected


@then(phrase('the event reads "{words:Quoted}"'))
def check_words(events, words):
    assert words in events


@then(phrase('the last event is "{event:Quoted}"'))
def check_event(sent_now, event):
    assert str(sent_now[1][-1]) == event


@given(
    phrase(
        "an agent with {count:Count} turns, each with an output of {size:Count} tokens, whose older outputs are "
        "cleared at once"
    ),
    target_fixture="conversation",
)
def clearing_agent(count, size):
    policy = CompactionPolicy(prune_protect=0, prune_minimum=1)
    conversation = Conversation(
        Compactor(limits=ModelLimits(context_window=200_000, max_output_tokens=8_000), policy=policy)
    )
    for turn in range(1, count + 1):
        call = {"type": "tool_use", "id": f"call-{turn}", "name": "read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": f"{turn} ".ljust(4 * size, "x")}
        conversation.append({"role": "user", "content": f"Read note {turn}."})
        conversation.append({"role": "assistant", "content": [call]})
        conversation.append({"role": "user", "content": [result]})
        conversation.append({"role": "assistant", "content": "Read."})
    return conversation


@given(phrase("the output of turn {turn:Count} has a cache mark"))
def mark_output(conversation, turn):
    conversation.messages[4 * turn - 2]["content"][0]["cache_control"] = {"type": "ephemeral"}


@then(phrase("{count:Count} cache marks are sent"))
def check_marks_sent(outgoing, count):
    assert str(outgoing.messages).count("cache_control") == count


@when(phrase("it sends a request that pins {pinned}"), target_fixture="outgoing")
def send_pinned(conversation, pinned):
    return conversation.prepare(pinned=[2] if pinned == "the output of turn 1" else [])


@then(phrase("the outputs that are sent are those of turns {turns}"))
def check_outputs_sent(outgoing, turns):
    outputs = [one["content"][0].get("content") for one in outgoing.messages if isinstance(one["content"], list)]
    assert [text.split(" ")[0] for text in outputs if text and text != PLACEHOLDER] == turns.split(", ")
