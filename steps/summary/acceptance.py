"""Steps of features/summary/acceptance.feature."""

from __future__ import annotations

import pytest
from pytest_bdd import given, then, when

from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.summary.acceptance import judge_summary
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import ScriptedSummarizer
from brim.tokens.usage import TokenUsage
from steps.compaction_windows import filler
from steps.vocabulary import phrase

SUMMARY = "The parser is done. Next comes the report."
NOTICE = "Rate limit reached for "
REFUSAL = "I'm sorry, but I can't summarize "
TRACEBACK = "Traceback (most recent call last):\n{}ValueError: deep"
FRAME = '  File "/app/walk.py", line 7, in walk\n'
FAULTS = {
    "empty": "empty",
    "an error text": "error_text",
    "cut off": "cut_off",
    "a refusal": "refusal",
    "too large": "too_large",
    "lacking a fact": "missing_fact",
}
"""What attempts are counted by, for each fault in words."""


@pytest.fixture
def answer():
    """How the answer ended; well, until a step says otherwise."""
    return {"stop_reason": "end_turn", "summary_tokens": 100}


@given(phrase("a history of {size:Tokens} tokens to summarize"), target_fixture="replaced")
def history(size):
    return size


@given(phrase('the summary "{text:Quoted}"'), target_fixture="text")
def summary_reading(text):
    return text


@given("the summary", target_fixture="text")
def summary_below(docstring):
    return docstring


@given(phrase("a traceback of {count:Count} lines"), target_fixture="text")
def traceback_of(count):
    return TRACEBACK.format(FRAME * (count - 2))


@given(phrase("an error notice of {length:Count} characters"), target_fixture="text")
def notice_of(length):
    return NOTICE.ljust(length, "x")


@given(phrase("a refusal of {length:Count} characters"), target_fixture="text")
def refusal_of(length):
    return REFUSAL.ljust(length, "x")


@given(phrase("a summary of {size:Tokens} tokens"), target_fixture="answer")
def summary_of(answer, size):
    return answer | {"summary_tokens": size}


@given(phrase("at most {size:Tokens} tokens were asked for"), target_fixture="answer")
def asked_for_at_most(answer, size):
    return answer | {"longest_tokens": size}


@given(
    phrase("a summary that leaves {left:Tokens} tokens in a window where {highest:Tokens} leave room"),
    target_fixture="answer",
)
@given(phrase("it leaves {left:Tokens} tokens in a window where {highest:Tokens} leave room"), target_fixture="answer")
def leaves(answer, left, highest):
    return answer | {"tokens_after": left, "highest": highest}


@given(
    phrase("a conversation of {count:Count} turns of {size:Tokens} tokens in a window of {window:Tokens} tokens"),
    target_fixture="talk",
)
def talk_of(count, size, window):
    roles = ["user", "assistant"] * count
    return ModelLimits(context_window=window, max_output_tokens=1_000), [
        {"role": role, "content": filler(size)} for role in roles[:count]
    ]


@given(
    phrase("a summarizer that answers with {answer:Tokens} tokens, and is asked for {asked:Tokens} at most"),
    target_fixture="long_answers",
)
def long_answers(answer, asked):
    return ScriptedSummarizer([filler(answer)], repeat=True), asked


@given(
    phrase("a summarizer that answers with {answer:Tokens} tokens, of which the provider counts {counted:Tokens}"),
    target_fixture="long_answers",
)
def counted_answers(answer, counted):
    usage = TokenUsage(input=9_000, output=counted)
    return ScriptedSummarizer([SummaryAnswer(text=filler(answer), usage=usage)], repeat=True), 1_000


@when("the conversation is compacted automatically", target_fixture="compaction")
def compact_at_length(talk, long_answers):
    limits, messages = talk
    summarizer, asked = long_answers
    compaction = Compactor(limits=limits, summarizer=summarizer, sleep=lambda _: None).compact(
        messages, cause="automatic"
    )
    assert {request.max_tokens for request in summarizer.requests} == {asked}
    return compaction


@then(phrase("the summary is by the {writer}"))
def check_writer(compaction, writer):
    assert compaction.summary_source == writer


@given("the answer is marked as an error", target_fixture="answer")
def marked_as_error(answer):
    return answer | {"api_error": True}


@given(phrase('the model stopped for "{reason:Quoted}"'), target_fixture="answer")
def stopped_for(answer, reason):
    return answer | {"stop_reason": reason}


@given(phrase('the required facts "{facts:Quoted}"'), target_fixture="answer")
def pinned(answer, facts):
    return answer | {"required_facts": [fact for fact in facts.split("; ") if fact]}


@pytest.fixture
def text():
    """A summary there is nothing to say against."""
    return SUMMARY


@when("the summary is judged", target_fixture="acceptance")
def judge(text, replaced, answer):
    return judge_summary(text, replaces_tokens=replaced, **answer)


@then("it is accepted")
def check_accepted(acceptance):
    assert (acceptance.accepted, acceptance.outcome) == (True, "ok"), acceptance


@then(phrase("it is refused as {fault}"))
def check_refused_as(acceptance, fault):
    assert (acceptance.accepted, acceptance.outcome) == (False, FAULTS[fault]), acceptance


@then(phrase('the reason is "{reason:Quoted}"'))
def check_reason_is(acceptance, reason):
    assert acceptance.reason == reason


class InPieces:
    """A summarizer whose answer holds the required fact in the last piece alone."""

    def summarize(self, request, _on_text):
        """Answer a piece, or the last one."""
        return SummaryAnswer(
            text="It listens on port 8080." if request.final else "It went on.", stop_reason="end_turn"
        )


@given(
    phrase("a conversation of {count:Count} turns of {size:Tokens} tokens, in a window of {window:Tokens} tokens"),
    target_fixture="long_conversation",
)
def conversation_in_window(count, size, window):
    turn = [{"role": "user", "content": filler(size)}, {"role": "assistant", "content": "Done."}]
    return turn * count, ModelLimits(context_window=window, max_output_tokens=4_000)


@when(
    phrase('a compactor that requires "{fact:Quoted}" is answered with it in the last piece alone'),
    target_fixture="compaction",
)
def compact_in_pieces(long_conversation, fact):
    messages, limits = long_conversation
    policy = CompactionPolicy(required_facts=[fact])
    return Compactor(model="large", limits=limits, policy=policy, summarizer=InPieces()).compact(messages)


@then("no answer is refused, and the summary is the last one")
def check_pieces(compaction):
    assert len(compaction.attempts) > 1
    assert {attempt.outcome for attempt in compaction.attempts} == {"ok"}
    assert compaction.summary.startswith("It listens on port 8080.")
