"""Steps of features/tokens/estimation.feature."""

from __future__ import annotations

import warnings
from fractions import Fraction

import pytest
from pytest_bdd import given, then, when

from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import read_message
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.testing import ScriptedSummarizer
from brim.tokens.estimation import measure, measure_extras, tokens_of
from brim.tokens.usage import TokenUsage
from steps.compaction_windows import raw_turns
from steps.vocabulary import attempt, phrase

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo"}}


@given(phrase("a text of {count:Count} characters"), target_fixture="text")
def text_of(count):
    return "x" * count


@given(phrase('the text "{text:Quoted}"'), target_fixture="text")
def the_text(text):
    return text


@given(phrase("a message that holds a text of {count:Count} characters"), target_fixture="message")
def holds_text(count):
    return message_of({"type": "text", "text": "x" * count})


@given(phrase("a message that holds thinking of {count:Count} characters"), target_fixture="message")
def holds_thinking(count):
    return message_of({"type": "thinking", "thinking": "x" * count, "signature": "x" * 100})


@given(phrase("a message that holds two texts of {count:Count} characters each"), target_fixture="message")
def holds_texts(count):
    return message_of(*[{"type": "text", "text": "x" * count}] * 2)


@given(phrase('a message that holds a call of "{tool:Quoted}" with the path "{path:Quoted}"'), target_fixture="message")
def holds_call(tool, path):
    return message_of({"type": "tool_use", "id": "a", "name": tool, "input": {"path": path}})


@given(
    phrase('a message that holds a text of {count:Count} characters and a call of "{tool:Quoted}"'),
    target_fixture="message",
)
def holds_text_and_call(count, tool):
    call = {"type": "tool_use", "id": "a", "name": tool, "input": {}}
    return message_of({"type": "text", "text": "x" * count}, call)


@given(phrase('a message that holds a call of "{tool:Quoted}" with half a character'), target_fixture="message")
def holds_half_a_character(tool):
    return message_of({"type": "tool_use", "id": "a", "name": tool, "input": {"a": "\ud800"}})


@given(phrase('a message that holds a call of "{tool:Quoted}" with half a character and ""'), target_fixture="message")
def holds_half_a_character_and_more(tool):
    return message_of({"type": "tool_use", "id": "a", "name": tool, "input": {"a": "\ud800", "b": ""}})


@given(phrase('a message that holds a call of "{tool:Quoted}" with a slice'), target_fixture="message")
def holds_slice(tool):
    return message_of({"type": "tool_use", "id": "a", "name": tool, "input": {"a": slice(1, 2)}})


@given(phrase("a message that holds a call whose input is nested {depth:Count} deep"), target_fixture="message")
def holds_nested_call(depth):
    nested = {}
    for _ in range(depth):
        nested = {"a": nested}
    return message_of({"type": "tool_use", "id": "a", "name": "Read", "input": nested})


@given("a message that holds a call whose input holds itself", target_fixture="message")
def holds_itself():
    own = {}
    own["a"] = own
    return message_of({"type": "tool_use", "id": "a", "name": "Read", "input": own})


@given(
    "a message that holds a call whose input has half a character under a key of two numbers", target_fixture="message"
)
def holds_wrong_key():
    return message_of({"type": "tool_use", "id": "a", "name": "Read", "input": {(1, 2): "\ud800"}})


@given(phrase('a message that holds a call of "{tool:Quoted}" without input'), target_fixture="message")
def holds_bare_call(tool):
    return message_of({"type": "tool_use", "id": "a", "name": tool, "input": {}})


@given(phrase("a message that holds a result of {count:Count} characters"), target_fixture="message")
def holds_result(count):
    return message_of({"type": "tool_result", "tool_use_id": "a", "content": "x" * count})


@given(phrase("a message that holds a result of {count:Count} characters and an image"), target_fixture="message")
def holds_result_and_image(count):
    content = [{"type": "text", "text": "x" * count}, IMAGE]
    return message_of({"type": "tool_result", "tool_use_id": "a", "content": content})


@given("a message that holds a result of two images", target_fixture="message")
def holds_result_of_images():
    return message_of({"type": "tool_result", "tool_use_id": "a", "content": [IMAGE, IMAGE]})


@given("a message that holds a result of 13 characters of JSON", target_fixture="message")
def holds_result_of_json():
    return message_of({"type": "web_search_tool_result", "tool_use_id": "a", "content": [{"url": "a"}]})


@given("a message that holds an image", target_fixture="message")
def holds_image():
    return message_of(IMAGE)


@given(phrase("a message that holds a document whose content has {count:Count} characters"), target_fixture="message")
def holds_document_of_content(count):
    return message_of({"type": "document", "source": {"type": "content", "content": "x" * count}})


@given("a message that holds a document without a source", target_fixture="message")
def holds_document_without_source():
    return message_of({"type": "document"})


@given("a message that holds a document without its text", target_fixture="message")
def holds_empty_document():
    return message_of({"type": "document", "source": {"type": "text"}})


@given(
    phrase("a message that holds a result of {count:Count} characters and a text of {more:Count}"),
    target_fixture="message",
)
def holds_result_and_document(count, more):
    document = {"type": "document", "source": {"type": "text", "data": "x" * more}}
    content = [{"type": "text", "text": "x" * count}, document]
    return message_of({"type": "tool_result", "tool_use_id": "a", "content": content})


@given("a message that holds a document of pages", target_fixture="message")
def holds_document():
    source = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQ"}
    return message_of({"type": "document", "source": source})


@given(phrase("a message that holds a document whose text has {count:Count} characters"), target_fixture="message")
def holds_text_document(count):
    return message_of({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x" * count}})


@given(
    phrase("a message that holds a document of two blocks of {count:Count} characters each"), target_fixture="message"
)
def holds_document_of_blocks(count):
    content = [{"type": "text", "text": "x" * count}] * 2
    return message_of({"type": "document", "source": {"type": "content", "content": content}})


@given("a message that holds a block of an unknown kind, 29 characters of JSON", target_fixture="message")
def holds_unknown():
    return message_of({"type": "new_kind", "a": "bcd"})


@given("a message that holds a marker", target_fixture="message")
def holds_marker():
    return message_of({"type": "patch", "hash": "x" * 40})


@given(phrase("a system prompt of {count:Count} characters, as one text"), target_fixture="system")
def system_text(count):
    return "x" * count


@given(phrase("a system prompt of {count:Count} characters, as two blocks"), target_fixture="system")
def system_blocks(count):
    return [{"type": "text", "text": "x" * 10}, {"type": "text", "text": "x" * (count - 10)}]


@given(phrase("{count:Count} tools of 20 characters of JSON each"), target_fixture="tools")
def tools_of(count):
    return [{"name": "abcdefghi"}] * count


@given(phrase("a token counter that counts {count:d} for every text"), target_fixture="counter")
def counter_that_counts(count):
    return Scripted(lambda _text: count)


@given(phrase("a token counter that counts a token for each {characters:Count} characters"), target_fixture="counter")
def counter_by_ratio(characters):
    return Scripted(lambda text: -(-len(text) // characters))


@given("a token counter that answers with a word", target_fixture="counter")
def counter_of_words():
    return Scripted(lambda _text: "seven")


@given("a token counter that fails", target_fixture="counter")
def counter_that_fails():
    return Scripted(missing_vocabulary)


@given(phrase("a token counter that fails beyond {count:Count} characters"), target_fixture="counter")
def counter_that_fails_beyond(count):
    return Scripted(lambda text: missing_vocabulary(text) if len(text) > count else 7)


@when("its tokens are estimated", target_fixture="outcome")
def estimate(implementation, text):
    return implementation("estimate_tokens", text=text)


@when("its tokens are estimated as OpenCode does", target_fixture="outcome")
def estimate_half_up(implementation, text):
    return implementation("estimate_tokens", text=text, rounding="half_up")


@when(phrase("its tokens are estimated at {ratio:Number} characters a token"), target_fixture="outcome")
def estimate_at(implementation, text, ratio):
    return implementation("estimate_tokens", text=text, characters_per_token=ratio)


@when("the message is estimated", target_fixture="outcome")
def estimate_whole(message):
    return attempt(lambda: tokens_of(measure(message)))


@when(phrase("the message is estimated at {ratio:Number} characters a token"), target_fixture="outcome")
def estimate_whole_at(message, ratio):
    return tokens_of(measure(message), Fraction(ratio))


@when("the extras are estimated", target_fixture="outcome")
def estimate_extras(system, tools):
    return tokens_of(measure_extras(system, tools))


SYSTEM, TOOLS = "x" * 4_000, [{"name": "Bash", "input_schema": {"type": "object"}}]


@when(
    phrase("{count:Count} turns of {tokens:Tokens} tokens are compacted without the counter and with it"),
    target_fixture="both",
)
def compact_twice(counter, count, tokens):
    messages = raw_turns(count, tokens)
    return [
        figures(CompactionPolicy(keep_share=1, keep_tokens=50_000, token_counter=one), messages)
        for one in (None, counter)
    ]


def figures(policy, messages):
    """What the values of one compaction say, by the names of the rule."""
    compactor = Compactor(
        model="large",
        limits=ModelLimits(context_window=1_000_000, max_output_tokens=64_000),
        policy=policy,
        summarizer=ScriptedSummarizer("All went well."),
    )
    window = compactor.window(messages, system=SYSTEM, tools=TOOLS)
    plan = compactor.plan(messages, system=SYSTEM, tools=TOOLS)
    by_template = Compactor(limits=compactor.limits_of(), policy=policy).compact(messages)
    return {
        "the estimate of the window": window.estimated,
        "the estimate of the extras": compactor.window(system=SYSTEM, tools=TOOLS).estimated,
        "the size that the verdict names": plan.verdict.held,
        "the size before the plan": plan.tokens_before,
        "the number of kept messages": len(plan.kept),
        "the number of retained tokens": by_template.fidelity.tokens,
        "the saving by cleared outputs": window.prunable().saved,
        "the number of tokens read again": window.prunable().reread,
        "the size of the summary call": plan.call.tokens,
        "the size of the result": by_template.tokens_after,
    }


@then(phrase("{figure} is {without:Count}, and with the counter {counted:Count}"))
def check_both(both, figure, without, counted):
    assert [one[figure] for one in both] == [without, counted]


@when(phrase("a policy with it is compared with one of {other}"), target_fixture="policies")
def compare(counter, other):
    others = {"the same counter": counter, "another counter": Scripted(len), "no counter": None}
    return [CompactionPolicy(token_counter=one) for one in (counter, others[other])]


@then(phrase("the policies are {equal}"))
def check_equal(policies, equal):
    first, second = policies
    assert (first == second) == (equal == "equal")
    assert (hash(first.token_counter) == hash(second.token_counter)) >= (first == second)


@when(
    phrase("{count:Count} responses of {length:Count} characters report a token for each {ratio:Count} characters"),
    target_fixture="window",
)
def report_usages(counter, count, length, ratio):
    window = Compactor(policy=CompactionPolicy(token_counter=counter)).window()
    for number in range(1, count + 1):
        window.append({"role": "user", "content": "x" * length})
        window.append({"role": "assistant", "content": "Done."})
        window.record(TokenUsage(input=number * length // ratio), model="large")
    return window


@then(phrase("{length:Count} characters more are estimated at {expected:Tokens} tokens"))
def check_more(window, length, expected):
    before = window.held
    window.append({"role": "user", "content": "x" * length})
    assert window.held - before == expected


@when(
    phrase("a compactor with it estimates texts of {first:Count}, {second:Count} and {third:Count} characters"),
    target_fixture="estimates",
)
def estimate_all(counter, heard, first, second, third):
    compactor = Compactor(policy=CompactionPolicy(token_counter=counter))
    texts = [[{"role": "user", "content": "x" * length}] for length in (first, second, third)]
    with warnings.catch_warnings(record=True, action="always") as caught:
        estimates = [compactor.window(text).estimated for text in texts]
    heard.extend(str(one.message) for one in caught)
    return estimates


@then(phrase("they are estimated at {expected:Tokens}"))
def check_estimate(outcome, expected):
    assert outcome == expected


@then(phrase("it is estimated at {expected:Tokens} tokens"))
def check_message(outcome, expected):
    assert outcome == expected


@then(phrase("the estimates are {first:Tokens}, {second:Tokens} and {third:Tokens}"))
def check_estimates(estimates, first, second, third):
    assert estimates == [first, second, third]


@then(phrase("the warnings are {count:Count}"))
def check_warnings(heard, count):
    assert len(heard) == count


@then(phrase('the warning says that characters are counted, and "{reason:Quoted}"'))
def check_reason(heard, reason):
    assert "characters are counted" in heard[0]
    assert reason in heard[0]


@pytest.fixture
def heard():
    """The warnings that were given, in order."""
    return []


class Scripted:
    """A token counter that answers by a script."""

    def __init__(self, answer):
        self.count = answer


def missing_vocabulary(_text):
    """Fail as a tokenizer does that cannot download what it needs."""
    raise OSError("the vocabulary is missing")


def message_of(*blocks):
    """A message of these blocks."""
    return read_message({"role": "user", "content": list(blocks)})
