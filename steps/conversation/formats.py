"""Steps of features/conversation/formats.feature."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletionMessage
from openai.types.responses import ResponseOutputMessage
from pytest_bdd import given, then, when

from brim import CompactionPolicy, Compactor, ModelLimits
from brim.conversation.messages import SUMMARY_OPENING
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.testing import ScriptedSummarizer, openai_chat_complaints, openai_responses_complaints
from steps.openai_conversations import CHAT, answer, bonds, function_call, item_call, turns
from steps.vocabulary import attempt, phrase

LARGE = ModelLimits(context_window=100_000, max_output_tokens=4_000)
FULL = ModelLimits(context_window=800, max_output_tokens=100)
SMALL = ModelLimits(context_window=1_200, max_output_tokens=200)
COMPLAINTS = {CHAT: openai_chat_complaints, "Responses": openai_responses_complaints}
FORMAT = {"Form": lambda text: text}
FORMAT["Form"].pattern = "chat|Responses"  # type: ignore[attr-defined]
FORMAT["Role"] = lambda text: text
FORMAT["Role"].pattern = "system|developer"  # type: ignore[attr-defined]

PICTURE = "data:image/png;base64,iVBORw0KGgo="
ADDRESS = "https://example.org/pier.png"
CHAT_WHAT = {
    "an unknown field of a message": {"role": "assistant", "content": "Done.", "provider_specific_fields": {"x": [1]}},
    "an unknown field of a call": {
        "role": "assistant",
        "content": None,
        "tool_calls": [{**function_call("new"), "extra_content": {"google": {"thought_signature": "s"}}}],
    },
    "a call without a type": {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "new", "function": {"name": "bash", "arguments": "{}"}}],
    },
    "reasoning content": {"role": "assistant", "content": "Done.", "reasoning_content": "Hm."},
    "an unknown part": {"role": "user", "content": [{"type": "hologram", "data": 1}]},
    "a text part without a text": {"role": "user", "content": [{"type": "text"}, {"type": "text", "text": "Well?"}]},
    "an image": {"role": "user", "content": [{"type": "image_url", "image_url": {"url": PICTURE, "detail": "low"}}]},
    "an image at an address": {"role": "user", "content": [{"type": "image_url", "image_url": {"url": ADDRESS}}]},
    "a file": {"role": "user", "content": [{"type": "file", "file": {"file_id": "file-1"}}]},
    "a sound": {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "UklG", "format": "wav"}}]},
    "a refusal": {"role": "assistant", "content": None, "refusal": "I cannot."},
    "an empty answer": {"role": "assistant", "content": ""},
    "a text of spaces": {"role": "user", "content": [{"type": "text", "text": " "}, {"type": "text", "text": "Well?"}]},
    "arguments that are no JSON": {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "new", "type": "function", "function": {"name": "bash", "arguments": '{"command": '}}],
    },
}
ITEM_WHAT = {
    "an unknown field of a message": {**answer(99, "Done."), "phase": "final_answer"},
    "an unknown field of a call": {**item_call("new", 99), "namespace": "piers"},
    "an unknown item": {"type": "hologram_call", "data": {"x": [1]}},
    "an unknown item with a call's id": {"type": "program", "call_id": "z1", "code": "x"},
    "an output of an unknown call": {"type": "hologram_call_output", "call_id": "z1", "output": "x"},
    "an unknown part": {"role": "user", "content": [{"type": "hologram", "data": 1}]},
    "an image": {"role": "user", "content": [{"type": "input_image", "image_url": PICTURE, "detail": "low"}]},
    "an image at an address": {"role": "user", "content": [{"type": "input_image", "image_url": ADDRESS}]},
    "a file": {"role": "user", "content": [{"type": "input_file", "file_id": "file-1"}]},
    "a refusal": {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]},
    "an item reference": {"type": "item_reference", "id": "msg_elsewhere"},
    "arguments that are no JSON": {**item_call("new", 99), "arguments": '{"command": '},
    "a call without an input": {"type": "custom_tool_call", "call_id": "call_new", "name": "status"},
}
ANTHROPIC_CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "A", "name": "bash", "input": {}}]}
GO = {"role": "user", "content": "Go. " * 300}
MORE = {"role": "user", "content": "And more? " * 200}
SYSTEM = {"role": "system", "content": "You build piers."}
CALLS = {"role": "assistant", "content": None, "tool_calls": [function_call("A")]}
TOOL = {"role": "tool", "tool_call_id": "A", "content": "ok"}
ITEM = {"type": "function_call", "call_id": "A", "name": "bash", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "A", "output": "ok"}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "A", "content": "ok"}]}
INPUT = {"role": "user", "content": [{"type": "input_text", "text": "Go. " * 300}]}
LISTS: dict[str, Any] = {
    "plain texts": [GO, {"role": "assistant", "content": "Done."}, MORE],
    "a system message": [SYSTEM, GO, MORE],
    "a call of a chat message": [GO, CALLS, TOOL, MORE],
    "a message of the model without content": [GO, {"role": "assistant", "content": None, "refusal": "No."}, MORE],
    "a call of a chat message beside words": [GO, MORE, {**CALLS, "content": "I look."}],
    "an item of a function call": [GO, ITEM, OUTPUT, MORE],
    "a text part of the Responses format": [INPUT, MORE],
    "a message of the user that has a type": [GO, {"type": "message", **MORE}],
    "a message of the model that has a type": [GO, {"type": "message", "role": "assistant", "content": "Done."}, MORE],
    "a response of Anthropic's API": [
        GO,
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Done."}]},
        MORE,
    ],
    "a tool call of Anthropic's format": [GO, ANTHROPIC_CALL, RESULT, MORE],
    "an Anthropic call among chat": [SYSTEM, GO, ANTHROPIC_CALL, RESULT],
    "two formats in one message": [SYSTEM, {**ANTHROPIC_CALL, "tool_calls": [function_call("A")]}],
    "an Anthropic call behind a system message alone": [SYSTEM, GO, ANTHROPIC_CALL],
    "an item among chat": [GO, CALLS, ITEM, OUTPUT],
    "a tool message without a call": [GO, TOOL],
    "an output without a call": [GO, OUTPUT],
    "two answers to one call": [GO, CALLS, TOOL, TOOL],
    "a tool message that names no call": [GO, {"role": "tool", "content": "ok"}],
    "a call without an id": [
        GO,
        {"role": "assistant", "tool_calls": [{"type": "function", "function": {"name": "x"}}]},
    ],
    "a text for a call": [GO, {"role": "assistant", "tool_calls": ["A"]}],
    "a call whose type is a number": [
        GO,
        {"role": "assistant", "tool_calls": [{"id": "A", "type": 7, 7: {"name": "bash"}}]},
    ],
    "a part without a type": [SYSTEM, {"role": "user", "content": [{"text": "Go."}]}],
    "a number for its content": [SYSTEM, {"role": "user", "content": 7}],
    "a role of nobody": [SYSTEM, {"role": "critic", "content": "Go."}],
    "a message of a function": [SYSTEM, {"role": "function", "name": "bash", "content": "ok"}],
    "a message of a function behind plain texts": [GO, {"role": "function", "name": "bash", "content": "ok"}],
    "an item of nobody": [INPUT, {"role": "critic", "content": "Go."}],
    "a number among chat": [SYSTEM, 7],
    "a number for its tool calls": [SYSTEM, {"role": "assistant", "tool_calls": 7}],
    "one text": "Go.",
}


DELETING = '{"command": "rm lex.py"}'
PATCH = "*** Begin Patch\n*** Add File: lex.py\n+x\n*** End Patch"
CHAT_CALLS: dict[str, Any] = {
    "a function that deletes": {"id": "A", "type": "function", "function": {"name": "bash", "arguments": DELETING}},
    "a call without a type that deletes": {"id": "A", "function": {"name": "bash", "arguments": DELETING}},
    "a custom tool that patches": {"id": "A", "type": "custom", "custom": {"name": "apply_patch", "input": PATCH}},
}
ITEM_CALLS: dict[str, Any] = {
    "an item that deletes": {"type": "function_call", "name": "bash", "arguments": DELETING},
    "a custom item that patches": {"type": "custom_tool_call", "name": "apply_patch", "input": PATCH},
    "a local shell that deletes": {"type": "local_shell_call", "action": {"command": ["rm", "lex.py"]}},
    "a shell that deletes": {"type": "shell_call", "action": {"commands": ["cd src", "rm lex.py"]}},
    "a patch of the provider's": {"type": "apply_patch_call", "operation": {"type": "update_file", "path": "lex.py"}},
}
LISTS |= {
    name: [GO, {"role": "assistant", "content": None, "tool_calls": [call]}, TOOL, MORE]
    for name, call in CHAT_CALLS.items()
}
LISTS |= {
    name: [GO, {**call, "call_id": "A"}, {"type": f"{call['type']}_output", "call_id": "A", "output": "ok"}, MORE]
    for name, call in ITEM_CALLS.items()
}


BROKEN: dict[str, Any] = {
    "a call of a chat message": function_call("A"),
    "a function's call": {"type": "function_call", "call_id": "A", "name": "bash", "arguments": "{}"},
    "a custom tool's call": {"type": "custom_tool_call", "call_id": "A", "name": "patch", "input": "*** a"},
    "a local shell's call": {"type": "local_shell_call", "call_id": "A", "action": {"command": ["ls"]}},
}


NO_OUTPUT = "[Tool execution was interrupted]"
OUTPUTS: dict[str, Any] = {
    "a call of a chat message": {"role": "tool", "tool_call_id": "A", "content": NO_OUTPUT},
    "a function's call": {"type": "function_call_output", "call_id": "A", "output": NO_OUTPUT},
    "a custom tool's call": {"type": "custom_tool_call_output", "call_id": "A", "output": NO_OUTPUT},
    "a local shell's call": {"type": "local_shell_call_output", "id": "A", "output": NO_OUTPUT},
}


@pytest.fixture
def changes() -> dict[str, Any]:
    """What a scenario has in its turns besides, by name."""
    return {}


@given(
    phrase("an OpenAI conversation of {number:Count} turns, in the {form:Form} format", FORMAT), target_fixture="talk"
)
def make_conversation(number, form):
    return {"form": form, "turns": turns(form, number), "front": []}


@given(phrase("its tools put out {size:Tokens} tokens each"))
def put_out(talk, size):
    talk["turns"] = turns(talk["form"], len(talk["turns"]), output="text" * size)
    for message in (one for turn in talk["turns"] for one in turn):
        if message.get("role") == "tool" or str(message.get("type")).endswith("_output"):
            message["of_the_caller"] = {"kept": True}


@given("its last turn ends with a tool's output")
def end_with_output(talk):
    talk["turns"][-1].pop()


@given("its last turn ends with a call")
def end_with_call(talk):
    del talk["turns"][-1][-2:]


@given(phrase("its last turn ends with {work} without its output"))
def end_with_broken_call(talk, work):
    call = BROKEN[work]
    call = {"role": "assistant", "tool_calls": [call]} if talk["form"] == CHAT else call
    talk["turns"][-1] = [talk["turns"][-1][0], call]


@given("its last turn makes one call twice, in a message with fields of its own")
def make_call_twice(talk):
    call = {**function_call("A"), "of_the_caller": 1}
    words = [{"type": "text", "text": "I look."}]
    said = {"role": "assistant", "content": words, "reasoning_content": "Hm.", "audio": None}
    output = {"role": "tool", "tool_call_id": "A", "content": "ok"}
    talk["turns"][-1] = [talk["turns"][-1][0], {**said, "tool_calls": [call, call]}, output]


@then("the message with the call is the one that came in, with the call once")
def check_call_once(talk, new):
    made = talk["turns"][-1][1]
    assert new[-2] == {**made, "tool_calls": made["tool_calls"][:1]}


@given("its first message is the model's")
def begin_with_model(talk):
    del talk["turns"][0][0]


@given("its tool messages stand behind the answer")
def move_outputs(talk):
    for turn in talk["turns"]:
        turn.append(turn.pop(-2))


@given(phrase("a {role:Role} message at its beginning", FORMAT))
def begin_with(talk, role):
    talk["front"].append({"role": role, "content": "You build piers."})


@given(phrase("a {role:Role} message behind the turn {number:Count}", FORMAT))
def put_behind(talk, role, number):
    talk["turns"][number - 1].append({"role": role, "content": "You build piers."})


@given("the provider's compaction at its beginning")
def begin_with_compaction(talk):
    talk["front"].append({"type": "compaction", "id": "cmp_1", "encrypted_content": "sealed"})


@given(phrase("each of its turns holds {work}"))
def hold_work(talk, work):
    talk["turns"] = turns(talk["form"], len(talk["turns"]), work)


@given(phrase("its last turn holds {what}"))
def hold(talk, what):
    held = (CHAT_WHAT if talk["form"] == CHAT else ITEM_WHAT)[what]
    talk["turns"][-1].append(held)
    talk["held"] = held


@given("its last answer is a value of the SDK")
def answer_by_sdk(talk):
    made = ChatCompletionMessage if talk["form"] == CHAT else ResponseOutputMessage
    talk["held"] = talk["turns"][-1][-1] = made.model_validate(talk["turns"][-1][-1])


def whole(talk) -> list[Any]:
    """All that came in."""
    return [*talk["front"], *(message for turn in talk["turns"] for message in turn)]


def compact(given: list[Any], limits: ModelLimits = LARGE, keep: int = 600, **options: Any) -> Any:
    """Compact a list, and see that the list itself stays as it was."""
    before = deepcopy(given)
    compaction = Compactor(limits=limits, policy=CompactionPolicy(keep_tokens=keep, keep_share=1)).compact(
        given, **options
    )
    assert given == before
    return compaction


@given(phrase("a usage of {read:Tokens} tokens read, {cached:Tokens} of them cached, and {out:Tokens} written"))
def report(talk, read, cached, out):
    if talk["form"] == CHAT:
        details = {"prompt_tokens_details": {"cached_tokens": cached}}
        talk["usage"] = CompletionUsage(prompt_tokens=read, completion_tokens=out, total_tokens=read + out, **details)
    else:
        details = {"input_tokens_details": {"cached_tokens": cached}}
        talk["usage"] = {"input_tokens": read, "output_tokens": out, "total_tokens": read + out, **details}


@when("the OpenAI conversation is judged", target_fixture="verdict")
def judge(talk):
    return Compactor(limits=LARGE).should_compact(whole(talk), usage=talk["usage"])


@then(phrase("its window holds {held:Tokens} tokens"))
def check_held_tokens(verdict, held):
    assert verdict.held == held


@when("the OpenAI conversation is compacted", target_fixture="new")
def compact_it(talk):
    return compact(whole(talk)).messages


@when("the OpenAI conversation is compacted with its first message pinned", target_fixture="new")
def compact_pinned(talk):
    return compact(whole(talk), pinned=[0]).messages


@then("its first message stands ahead of the summary as it came")
def check_pinned(talk, new):
    assert new[0] is talk["turns"][0][0]
    assert is_summary(new[1])


@when("the OpenAI conversation is compacted where that is due", target_fixture="new")
def compact_due(talk):
    return compact(whole(talk), cause="automatic").messages


@when("the OpenAI conversation is compacted where that is due, in a small window", target_fixture="new")
def compact_small(talk):
    return compact(whole(talk), SMALL, cause="automatic").messages


@when("the OpenAI conversation is compacted where that is due, for its warnings", target_fixture="warnings")
def compact_for_warnings(talk):
    return compact(whole(talk), cause="automatic").warnings


@then(phrase('the warnings are "{text:Quoted}"'))
def check_warnings(warnings, text):
    assert "; ".join(warnings) == text


@when("the OpenAI conversation is compacted twice", target_fixture="both")
def compact_twice(talk):
    compactor = Compactor(limits=LARGE, policy=CompactionPolicy(keep_tokens=600))
    first = compactor.compact(whole(talk)).messages
    again = Compactor(limits=LARGE, policy=CompactionPolicy(keep_tokens=600))
    return first, [compactor.compact(first), again.compact(first)]


@given(phrase('a summary by a model that says "{words:Quoted}"'))
def answer_with(talk, words):
    talk["summarizer"] = ScriptedSummarizer(words)


@when(
    phrase("the OpenAI conversation is compacted, continued for {number:Count} turns, and compacted again"),
    target_fixture="both",
)
def compact_and_continue(talk, number):
    policy = CompactionPolicy(keep_tokens=600, keep_share=1)
    compactor = Compactor(limits=LARGE, policy=policy, summarizer=talk["summarizer"])
    first = compactor.compact(whole(talk))
    later = turns(talk["form"], len(talk["turns"]) + number)[len(talk["turns"]) :]
    return first, compactor.compact([*first.messages, *(message for turn in later for message in turn)])


@then("the second compaction knows each fact of the first")
def check_facts(both):
    first, second = both
    known = {fact.text for fact in first.plan.facts}
    assert len(known) > 1
    assert known <= {fact.text for fact in second.plan.facts}


@when(
    phrase("the OpenAI conversation is compacted for targets from {low:Tokens} to {high:Tokens} tokens"),
    target_fixture="several",
)
def compact_often(talk, low, high):
    return [compact(whole(talk), keep=keep).messages for keep in range(low, high + 1, 150)]


@given(phrase("a list that holds {what}"), target_fixture="handed")
def make_list(what):
    return LISTS[what]


@when("the list is compacted", target_fixture="done")
def compact_list(handed):
    return attempt(compact, handed, FULL, keep=300)


@when("the list is compacted for what is known of it", target_fixture="facts")
def compact_for_facts(handed):
    return compact(handed, FULL, keep=300).plan.facts


@then(phrase('the known files are "{files:Quoted}"'))
def check_known_files(facts, files):
    assert "; ".join(f"{fact.kind} {fact.text}" for fact in facts if fact.kind.endswith("_file")) == files


@when("the list is compacted as no format", target_fixture="done")
def compact_as_none(handed):
    return attempt(compact, handed, FULL, keep=300, format=None)


@when(phrase('the list is compacted as "{form:Quoted}"'), target_fixture="done")
def compact_as(handed, form):
    return attempt(compact, handed, FULL, keep=300, format=form)


def is_summary(message: Any) -> bool:
    """Whether it is brim's summary."""
    return isinstance(message, dict) and str(message.get("content")).startswith(SUMMARY_OPENING)


@then("OpenAI's API would accept the new conversation")
def check_accepted(talk, new):
    assert COMPLAINTS[talk["form"]](new) == []


@then("OpenAI's API would accept each new conversation")
def check_each(talk, several):
    assert [fault for new in several for fault in COMPLAINTS[talk["form"]](new)] == []


@then("its messages are those that came in, but for one summary")
def check_same(talk, new):
    ids = {id(message) for message in whole(talk)}
    others = [message for message in new if id(message) not in ids]
    assert len(others) == 1
    assert is_summary(others[0])
    assert others[0]["role"] == "user"
    assert len(new) < len(ids)


@then("the last request of the user is among them")
def check_request(talk, new):
    assert any(message is talk["turns"][-1][0] for message in new)


@then("both times the new conversation is the same")
def check_twice(both):
    first, later = both
    assert [one.messages for one in later] == [first, first]
    assert [one.plan.acts for one in later] == [False, False]


@then("the new OpenAI conversation is the one that came in")
def check_unchanged(talk, new):
    assert [id(message) for message in new] == [id(message) for message in whole(talk)]


@then(phrase('{number:Count} outputs read "{words:Quoted}", and nothing else changed'))
def check_cleared(talk, new, number, words):
    assert words == PLACEHOLDER
    pairs = list(zip(whole(talk), new, strict=True))
    field = "content" if talk["form"] == CHAT else "output"
    changed = [(old, made) for old, made in pairs if old is not made]
    assert len(changed) == number
    assert [made for _, made in changed] == [{**old, field: words} for old, _ in changed]


@then(phrase('its last message is the user\'s and begins with "{words:Quoted}"'))
def check_last(new, words):
    assert new[-1]["role"] == "user"
    assert new[-1]["content"].startswith(words)


@then(phrase('its last output reads "{words:Quoted}"'))
def check_output(new, words):
    assert words in (new[-1].get("content"), new[-1].get("output"))


@then(phrase("the output made for it is one of {call}"))
def check_last_message(new, call):
    assert new[-1] == OUTPUTS[call]


@then(phrase("the {role:Role} message stands ahead of the summary as it came", FORMAT))
def check_ahead(talk, new, role):
    (told,) = [message for message in whole(talk) if message.get("role") == role]
    assert next(n for n, one in enumerate(new) if one is told) < next(n for n, one in enumerate(new) if is_summary(one))


@then("the compaction item stands ahead of the summary as it came")
def check_sealed(talk, new):
    assert new[0] is talk["front"][0]
    assert is_summary(new[1])


@then("what came in together is kept together or gone together")
def check_bonds(talk, several):
    came = whole(talk)
    for new in several:
        places = {id(message): index for index, message in enumerate(new)}
        for bond in bonds(came):
            there = [places[id(came[index])] for index in bond if id(came[index]) in places]
            assert len(there) in (0, len(bond))
            if came[bond[0]].get("type") == "reasoning" and there:
                assert there[1] == there[0] + 1
    assert len({len(new) for new in several}) > 2


@then("what it holds is there as it came")
def check_held(talk, new):
    assert any(message is talk["held"] for message in new)


@then("its last message is a tool message with an error")
def check_error_of_tool(done):
    assert done.messages[-1] == OUTPUTS["a call of a chat message"]


@then("the summary is a message")
def check_plain(done):
    (summary,) = [message for message in done.messages if is_summary(message)]
    assert sorted(summary) == ["content", "role"]


@then("the summary is a Responses item")
def check_item(done):
    (summary,) = [message for message in done.messages if is_summary(message)]
    assert summary["type"] == "message"


@then(phrase('the list is refused with "{words:Quoted}"'))
def check_refused(done, words):
    assert str(done) == words
