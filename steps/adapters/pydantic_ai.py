"""Steps of features/adapters/pydantic_ai.feature."""

from __future__ import annotations

import asyncio

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage
from pytest_bdd import given, then, when

from brim.adapters.pydantic_ai import CompactHistory
from brim.compaction.policy import CompactionPolicy
from brim.summary.identifiers import HEADING
from steps.compaction_windows import filler
from steps.pydantic_ai_agents import STORED, WORDS, Talk
from steps.vocabulary import phrase
from tests.adapters.pydantic_ai_agents import faults

COUNTS = {"1 summary": 1, "2 summaries": 2, "3 summaries": 3, "4 summaries": 4, "6 summaries": 6}

CACHED = {"no token": False, "all but 10 tokens": True}


@given(phrase("an agent of pydantic-ai with a usable context of {usable:Tokens} tokens"), target_fixture="talk")
def agent(usable):
    return Talk(usable)


@given(phrase("the application stores {stored:Stored}", {"Stored": STORED.__getitem__}))
def stores(talk, stored):
    talk.stored = stored


@given(phrase("its application stores new messages as JSON, and restarts after turn {turn:Count}"))
def stores_and_restarts(talk, turn):
    talk.stored, talk.restart = STORED["the new messages of each run, as JSON"], turn


@given(phrase('its answer to question 1 ends with "{words:Quoted}"'))
def first_answer_ends(talk, words):
    talk.first_ends = words


@given(phrase("the application restarts after turn {turn:Count}"))
def restarts(talk, turn):
    talk.restart = turn


@given(phrase("question {turn:Count} of the user is estimated at {tokens:Tokens} tokens, and its provider counts 1"))
def question_of_dots(talk, turn, tokens):
    talk.long[turn], talk.counts_dots = tokens, False


@given(phrase("its compactions are due from {threshold:Tokens} tokens on, and its system prompt takes {tokens:Tokens}"))
def due_by_system(talk, threshold, tokens):
    talk.policy = CompactionPolicy(threshold=threshold)
    with_system(talk, tokens)


@given(phrase("its agent has a system prompt of {tokens:Tokens} tokens"))
def with_system(talk, tokens):
    talk.system = filler(tokens)


@given(phrase("its agent has instructions of {tokens:Tokens} tokens"))
def with_instructions(talk, tokens):
    talk.instructions = filler(tokens)


@given(phrase("the description of its tool is {tokens:Tokens} tokens long"))
def with_description(talk, tokens):
    talk.description = filler(tokens)


@given(phrase("its model states a window of {window:Tokens} and it asks for {tokens:Tokens} tokens"))
def with_model(talk, window, tokens):
    talk.limits, talk.window, talk.longest_answer = None, window, tokens


@given(phrase("its agent has no processor up to turn {turn:Count}"))
def without_processor(talk, turn):
    talk.alone, talk.restart = True, turn


@given(phrase("its provider reads {cached} from its cache"))
def reads_from_cache(talk, cached):
    talk.is_cached = CACHED[cached]


@when(phrase("the user asks it {turns:Count} questions, each answered with about 875 tokens"))
def ask(talk, turns):
    talk.lead(turns)


@when(
    phrase(
        "the user asks it {turns:Count} questions, each answered after reading {files:Count} files of about 875 tokens"
    )
)
def ask_with_files(talk, turns, files):
    talk.files = files
    talk.lead(turns)


LAST = {
    "a question": ModelRequest([UserPromptPart("question 13")]),
    "a paused response": ModelResponse([TextPart("Wait.")], state="suspended"),
}


@when(phrase("its processor gets 12 questions and answers of about 875 tokens, and then {what}"), target_fixture="kept")
def process(talk, what):
    exchange = [ModelRequest([UserPromptPart("question")]), ModelResponse([TextPart(WORDS)])]
    history = [*exchange * 12, LAST[what]]
    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    return asyncio.run(CompactHistory(limits=talk.limits)(context, history)), history


@then("it leaves the history as it is")
def check_as_it_is(kept):
    assert kept[0] == kept[1]


@then("it compacts the history")
def check_shorter(kept):
    assert len(kept[0]) < len(kept[1])


@then(phrase("none of its requests held more than {usable:Tokens} tokens"))
def check_sizes(talk, usable):
    assert [size for size in talk.sizes if size > usable] == []


@then(phrase("the processor wrote {summaries}"))
def check_summaries(talk, summaries):
    assert talk.summaries == COUNTS[summaries]


@given(phrase("question {turn:Count} of the user takes {tokens:Tokens} tokens"))
def long_question(talk, turn, tokens):
    talk.long[turn] = tokens


@given(phrase('question {turn:Count} to it says "{words:Quoted}"'))
def question_says(talk, turn, words):
    talk.said[turn] = words


@then(phrase('the index of its last summary has the line "{line:Quoted}"'))
def check_index(talk, line):
    assert line in str(talk.sent[-1][0].parts[0].content).rpartition(f"\n{HEADING}")[2].splitlines()


@then(phrase('its last summary lists "{line:Quoted}"'))
def check_listed(talk, line):
    assert line in str(talk.sent[-1][0].parts[0].content).splitlines()


@then("its run met no error")
def check_no_error(talk):
    assert talk.errors == []


@then(phrase('its run met 1 error: "{words:Quoted}"'))
def check_error(talk, words):
    assert [words in str(error) for error in talk.errors] == [True]


@then(phrase('each of the last {count:Count} runs met an error: "{words:Quoted}"'))
def check_last_errors(talk, count, words):
    assert [words in str(error) for error in talk.errors] == [True] * count


@then(phrase("its model was called {count:Count} times"))
def check_calls(talk, count):
    assert len(talk.sent) == count


@then("each of its requests has whole pairs of calls and results")
def check_pairs(talk):
    assert [fault for sent in talk.sent for fault in faults(sent)] == []


@then(phrase("the application has stored each of its {turns:Count} questions once"))
def check_stored(talk, turns):
    parts = (part for message in talk.kept for part in message.parts if isinstance(part, UserPromptPart))
    asked = [part.content for part in parts if str(part.content).startswith("question ")]
    assert asked == [f"question {turn}" for turn in range(1, turns + 1)]


@then(phrase('the application is warned: "{words:Quoted}"'))
def check_warning(talk, words):
    assert [words in said for said in talk.warnings] == [True]


@then("the application is not warned")
def check_no_warning(talk):
    assert talk.warnings == []
