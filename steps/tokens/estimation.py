"""Steps of features/tokens/estimation.feature."""

from __future__ import annotations

from fractions import Fraction

import pytest
from pytest_bdd import given, then, when

from brim.conversation.messages import read_message
from brim.tokens.estimation import (
    FallbackCounter,
    counted,
    estimate_message,
    estimate_tokens,
    measure_extras,
    tokens_of,
)
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


@given(phrase("a message that holds a call whose input is nested {depth:Count} deep"), target_fixture="message")
def holds_nested_call(depth):
    nested = {}
    for _ in range(depth):
        nested = {"a": nested}
    return message_of({"type": "tool_use", "id": "a", "name": "Read", "input": nested})


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


@given("a message that holds two images", target_fixture="message")
def holds_images():
    return message_of(IMAGE, IMAGE)


@given(phrase("a message that holds a document whose content has {count:Count} characters"), target_fixture="message")
def holds_document_of_content(count):
    return message_of({"type": "document", "source": {"type": "content", "content": "x" * count}})


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


@given(phrase("a tokenizer that counts {count:d} for every text"), target_fixture="tokenizer")
def tokenizer_that_counts(count):
    return Scripted(lambda _text: count)


@given("a tokenizer that answers with a word", target_fixture="tokenizer")
def tokenizer_of_words():
    return Scripted(lambda _text: "seven")


@given("a tokenizer that fails", target_fixture="tokenizer")
def tokenizer_that_fails():
    return Scripted(missing_vocabulary)


@given(phrase("a tokenizer that fails beyond {count:Count} characters"), target_fixture="tokenizer")
def tokenizer_that_fails_beyond(count):
    return Scripted(lambda text: missing_vocabulary(text) if len(text) > count else 7)


@given("a tokenizer that is missing", target_fixture="tokenizer")
def no_tokenizer():
    return None


@given("a listener that fails", target_fixture="reports")
def failing_listener():
    return FailingReports()


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
    return attempt(estimate_message, message)


@when(phrase("the message is estimated at {ratio:Number} characters a token"), target_fixture="outcome")
def estimate_whole_at(message, ratio):
    return estimate_message(message, Fraction(ratio))


@when(
    phrase('it is estimated by brim at "{ratio:Quoted}" characters a token, rounded "{rounding:Quoted}"'),
    target_fixture="outcome",
)
def estimate_by_brim(text, ratio, rounding):
    return attempt(estimate_tokens, text, rounding, ratio)


@when("the extras are estimated", target_fixture="outcome")
def estimate_extras(system, tools):
    return tokens_of(measure_extras(system, tools))


@when(
    phrase("it counts texts of {first:Count}, {second:Count} and {third:Count} characters"), target_fixture="estimates"
)
def count_all(tokenizer, reports, first, second, third):
    counter = FallbackCounter(tokenizer, reports.append)
    return [counter.count("x" * length) for length in (first, second, third)]


@when(phrase("a text of {count:Count} characters is counted"), target_fixture="estimate")
def count_one(tokenizer, count):
    return counted("x" * count, tokenizer)


@then(phrase("they are estimated at {expected:Tokens}"))
def check_estimate(outcome, expected):
    assert outcome == expected


@then(phrase("it is estimated at {expected:Tokens} tokens"))
def check_message(outcome, expected):
    assert outcome == expected


@then(phrase("the count is {expected:Tokens}"))
def check_count(estimate, expected):
    assert estimate == expected


@then(phrase("the counts are {first:Tokens}, {second:Tokens} and {third:Tokens}"))
def check_counts(estimates, first, second, third):
    assert estimates == [first, second, third]


@then(phrase("the failures reported are {count:Count}"))
def check_reports(reports, count):
    assert len(reports) == count


@then(phrase('the report names the estimate by characters and "{cause:Quoted}"'))
def check_report(reports, cause):
    assert "by characters" in reports[0]
    assert cause in reports[0]


@pytest.fixture
def reports():
    """What was reported, in order."""
    return []


class FailingReports(list):
    """A listener that fails whenever it hears something."""

    def append(self, report):
        """Fail with what was reported."""
        raise RuntimeError(report)


class Scripted:
    """A tokenizer that answers by a script."""

    def __init__(self, answer):
        self.count = answer


def missing_vocabulary(_text):
    """Fail as a tokenizer does that cannot download what it needs."""
    raise OSError("the vocabulary is missing")


def message_of(*blocks):
    """A message of these blocks."""
    return read_message({"role": "user", "content": list(blocks)})
