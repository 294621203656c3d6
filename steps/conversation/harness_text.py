"""Steps of features/conversation/harness_text.feature."""

import re

import pytest
from parse_type import TypeBuilder
from pytest_bdd import given, parsers, then, when

from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.testing import ScriptedSummarizer
from steps.compaction_windows import raw_turns
from steps.vocabulary import TERMS, attempt


def phrase(text):
    """A step's wording, in which {name:Kept} is kept or summarized."""
    return parsers.cfparse(text, TERMS | {"Kept": TypeBuilder.make_enum({"kept": True, "summarized": False})})


REQUEST = "Mend the cellar door."
WORK = raw_turns(5, 500)
"""Five turns of four messages each: a request, a call, its result and an answer."""


@given(phrase('a request of the user, work on it, the text "{text:Quoted}" and more work'), target_fixture="messages")
def request_and_text(text):
    asked, noted = ({"role": "user", "content": one} for one in (REQUEST, text))
    return [*WORK[:8], asked, *WORK[9:12], noted, *WORK[13:16], *WORK[17:20]]


@given("a request of the user, and the result of a tool", target_fixture="messages")
def request_and_result(datatable):
    tool, outcome, text = datatable[1]
    given = {"questions": [{"question": question} for question in ("Which store?", "How large?")]}
    call = {"type": "tool_use", "id": "X", "name": tool, "input": given}
    answer = {"type": "tool_result", "tool_use_id": "X", "content": lines_of(text), "is_error": outcome == "failed"}
    asked = [{"role": "user", "content": text} for text in (REQUEST, "Go on.")]
    done = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}, WORK[3]]
    return [asked[0], *done, asked[1], *WORK[1:]]


@when("it is compacted without a model", target_fixture="compaction")
def compact_without_a_model(messages):
    return compacted_whole(messages, CompactionPolicy(keep_tokens=100))


def lines_of(cell):
    return cell.replace("\\n", "\n")


@then(phrase("the facts about the user's words begin with {words}"))
def check_first_words(facts, words):
    said = [fact.text for fact in facts if fact.kind == "request"]
    assert said[: 1 + words.count(" ; ")] == lines_of(words).split(" ; ")


@then("all of the user's words are in the new conversation")
def check_words_present(compaction):
    assert compaction.fidelity.words.share == 1


@then(phrase("the constraints are: {constraints}"))
def check_constraints(facts, constraints):
    found = [fact.text for fact in facts if fact.kind == "constraint"]
    assert found == ([] if constraints == "none" else [constraints])


@when("it is compacted to a small target", target_fixture="compacted")
def compact(messages):
    return compact_with(messages, CompactionPolicy(keep_tokens=100, summary_model="small"))


@when(phrase('it is compacted to a small target with the harness tags "{tags:Quoted}"'), target_fixture="compacted")
def compact_with_tags(messages, tags):
    return compact_with(messages, CompactionPolicy(keep_tokens=100, harness_tags=frozenset(tags.split())))


def compact_with(messages, policy):
    """The messages, what they became, and what the summarizer was sent."""
    summarizer = ScriptedSummarizer("All went well.")
    limits = ModelLimits(context_window=200_000, max_output_tokens=64_000)
    made = Compactor(model="large", limits=limits, policy=policy, summarizer=summarizer).compact(messages)
    return messages, made.messages, str(summarizer.requests[0].messages)


@given(phrase('a message of the user that reads "{text:Quoted}"'), target_fixture="messages")
def message_reading(text):
    return [{"role": "user", "content": text}, *WORK[1:]]


@given(
    phrase(
        'a message of the user with a result, the texts "{first:Quoted}" and "{second:Quoted}", an image '
        'and the text "{third:Quoted}"'
    ),
    target_fixture="messages",
)
def message_of_blocks(first, second, third):
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}
    texts = [{"type": "text", "text": text} for text in (first, second, third)]
    result = {"type": "tool_result", "tool_use_id": "X", "content": "ok"}
    call = {"type": "tool_use", "id": "X", "name": "Bash", "input": {"command": "ls"}}
    asked = {"role": "user", "content": [result, *texts[:2], image, texts[2]]}
    return [{"role": "assistant", "content": [call]}, asked, *WORK[1:]]


@given(phrase('a message of the user with the texts "{first:Quoted}" and "{second:Quoted}"'), target_fixture="messages")
def message_of_texts(first, second):
    return [{"role": "user", "content": [{"type": "text", "text": text} for text in (first, second)]}, *WORK[1:]]


@when("a conversation that begins with it is compacted without a model", target_fixture="compaction")
def compact_beginning(messages):
    return compacted_whole(messages, CompactionPolicy(keep_tokens=100))


@pytest.fixture
def facts(compaction):
    """The facts of the compaction."""
    return compaction.plan.facts


@when(
    phrase('a conversation that begins with it is compacted with the harness tags "{tags:Quoted}"'),
    target_fixture="compaction",
)
def compact_beginning_with_tags(messages, tags):
    return compacted_whole(messages, CompactionPolicy(keep_tokens=100, harness_tags=frozenset(tags.split())))


def compacted_whole(messages, policy):
    limits = ModelLimits(context_window=200_000, max_output_tokens=64_000)
    return Compactor(limits=limits, policy=policy).compact(messages)


@then("no fact is a constraint")
def check_no_constraint(facts):
    assert "constraint" not in {fact.kind for fact in facts}


@then(phrase('the summary says "{words:Quoted}" below "{heading:Quoted}"'))
def check_summary_says(compaction, words, heading):
    assert words in compaction.summary.partition(f"\n{heading}\n")[2]


@then(phrase('the first fact about the user\'s words is "{words:Quoted}"'))
def check_words(facts, words):
    assert next(fact.text for fact in facts if fact.kind == "request") == words


@when(phrase('a policy is made with the harness tags "{tags:Quoted}"'), target_fixture="outcome")
def make_policy(tags):
    return attempt(CompactionPolicy, harness_tags=tags.split())


@then(phrase("the request is {request:Kept} and the text is {text:Kept}"))
def check_kept(compacted, request, text):
    before, after, _ = compacted
    assert [before[place] in after for place in (8, 12)] == [request, text]


@then(phrase('the summarizer reads the text under "{heading:Quoted}"'))
def check_heading(compacted, heading):
    before, _, sent = compacted
    assert re.search(rf"{heading}:\\n<quote-\w+>\\n{before[12]['content']}", sent)
