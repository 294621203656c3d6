"""Steps of features/sessions/summary_records.feature."""

from __future__ import annotations

import json

import pytest
from pytest_bdd import given, then, when

from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import plan_compaction
from brim.compaction.result import compact_without_model
from brim.conversation.messages import without_cache_marks
from brim.conversation.tool_pairs import results_of
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.sessions.records import CompactionRecord
from brim.sessions.session import Session
from brim.testing import ScriptedSummarizer
from steps.clock import TIMES, milliseconds
from steps.policies import SMALL_TARGET, with_policy
from steps.stored_sessions import LIMITS, tool_turn, turns, user
from steps.vocabulary import attempt, phrase

NARROW = ModelLimits(context_window=70_000, max_output_tokens=1_000)
LONG = "text" * 10_000
DONE = {"role": "assistant", "content": "Done."}
PROMPTS = {
    "the prompt as it comes": {},
    'the prompt "opencode"': {"prompt": "opencode"},
    "a prompt of one's own": {"prompt": "Tell what was decided."},
}


@pytest.fixture
def record(shelf):
    """The newest record of a compaction."""
    return [one for one in shelf.records() if isinstance(one, CompactionRecord)][-1]


@given("a session whose old outputs can be cleared")
def clearable(shelf):
    shelf.make(message for number in range(10) for message in tool_turn(f"call-{number}", LONG))


@given(phrase('a session that ends with a summary of the first version, generated at "{time:Quoted}"'))
def first_version(shelf, time):
    shelf.make(turns(2))
    told = {"content": "What was done.", "generatedAt": time, "summarizedMessageCount": 4, "originalTokenCount": 900}
    add_line(shelf, {"kind": "compaction", **told})


@given(phrase('a session that ends with a summary of {count:Count} messages, counted as "{name:Quoted}"'))
def counted_as(shelf, count, name):
    shelf.make(turns(2))
    summary = {"content": "What was done.", "generated": 1, name: count, "tokens_before": 900}
    opening = [{"message": user("The summary:\n\nWhat was done.")}]
    add_line(shelf, {"v": 2, "kind": "compaction", "summary": summary, "opening": opening})


@given(phrase("a record of version {version:Count} at the end of its log"))
def of_version(shelf, version):
    add_line(shelf, {"v": version, "kind": "message", "message": user()})


def add_line(shelf, fields):
    """Add a line to the log as another brim would have written it."""
    line = {"id": "7" * 26, "time": 1_800_000_000_000, **fields}
    shelf.log.write_bytes(shelf.log.read_bytes() + json.dumps(line).encode() + b"\n")
    shelf.before = shelf.log.read_bytes()


@given(phrase("a session whose user made {count:Count} requests of {size:Count} characters"))
def of_requests(shelf, count, size):
    shelf.make(one for number in range(count) for one in (user(f"{number:05} ".ljust(size, "a")), DONE))


@given(phrase("a session of {count:Count} turns whose compaction is being written"))
def being_written(shelf, count):
    shelf.make(turns(count))
    plan_of_what_is_shown(shelf)


@given(phrase("a session of {count:Count} turns that ends in two open calls, whose compaction is being written"))
def written_with_open_calls(shelf, count):
    calls = [{"type": "tool_use", "id": name, "name": "Bash", "input": {"command": "ls"}} for name in "AB"]
    shelf.make([*turns(count), user("Look."), {"role": "assistant", "content": calls}])
    plan_of_what_is_shown(shelf)


def answers(*names, words=()):
    """A message with the results of these calls, and words behind them."""
    results = [{"type": "tool_result", "tool_use_id": name, "content": f"Found by {name}."} for name in names]
    return {"role": "user", "content": [*results, *({"type": "text", "text": one} for one in words)]}


def plan_of_what_is_shown(shelf):
    """Plan a compaction of what is shown now, and write its summary."""
    shelf.compactions.append(compact_without_model(plan_compaction(shelf.open().view().window(LIMITS, SMALL_TARGET))))


@when(phrase("{meanwhile} and the compaction is recorded"), target_fixture="outcome")
def record_it(shelf, meanwhile):
    MEANWHILE[meanwhile](shelf)
    shelf.before = shelf.log.read_bytes()
    return attempt(shelf.session.compacted, shelf.made)


@when(
    "a pruning is planned, the session goes back to its second turn, and the pruning is recorded",
    target_fixture="outcome",
)
def prune_too_late(shelf):
    pruning = shelf.open().view().window(NARROW).prune()
    go_back(shelf)
    shelf.before = shelf.log.read_bytes()
    return attempt(shelf.session.pruned, pruning)


def go_back(shelf):
    """Back to the second turn."""
    shelf.session.rewind(shelf.session.view().ids[3])


def go_another_way(shelf):
    """Back, and the user says something else."""
    go_back(shelf)
    shelf.session.append(user("Leave that. Write the tests first."))


def take_another(shelf):
    """Another session, of which something is known too."""
    shelf.close()
    shelf.make(tool_turn("A"))
    shelf.open()


def mark_for_the_cache(shelf):
    """The plan is made of what was sent, with a mark on the last message."""
    *sent, last = shelf.session.view().messages
    (text,) = last.raw["content"]
    window = ContextWindow(LIMITS, SMALL_TARGET)
    for message in (*sent, {**last.raw, "content": [{**text, "cache_control": {"type": "ephemeral"}}]}):
        window.append(message)
    shelf.compactions.append(compact_without_model(plan_compaction(window)))


MEANWHILE = {
    "a cache mark is set on what was sent": mark_for_the_cache,
    "the user says something": lambda shelf: shelf.session.append(user("And mind the tests.")),
    "the last turn is said again": lambda shelf: shelf.session.extend(shelf.session.view().messages[-2:]),
    "the session goes back to its second turn": go_back,
    "it goes back, and the user says something else": go_another_way,
    "it is another session that it is recorded in": take_another,
    "both results come in one message": lambda shelf: shelf.session.append(answers("A", "B")),
    "the result of the second call comes first": lambda shelf: shelf.session.extend([answers("B"), answers("A")]),
}


@when(phrase('it is compacted by "{model:Quoted}" with the prompt "{prompt:Quoted}"'))
def compact_by(shelf, model, prompt):
    shelf.compact(model=model, prompt=prompt)


@when(phrase('the model "{model:Quoted}" summarizes it, asked with {prompt}'))
def summarized_by(shelf, model, prompt):
    compactor = Compactor(
        limits=LIMITS, model=model, summarizer=ScriptedSummarizer("All went well."), **with_policy(PROMPTS[prompt])
    )
    shelf.compactions.append(compactor.compact(shelf.open().view().window(LIMITS)))
    shelf.session.compacted(shelf.made)


@when("a compaction of the same words, read anew, is recorded", target_fixture="outcome")
def compact_words(shelf):
    words = [message.raw for message in shelf.open().view().messages]
    return attempt(shelf.session.compacted, Compactor(limits=LIMITS, policy=SMALL_TARGET).compact(words))


@when("it is compacted automatically")
def compact_automatically(shelf):
    window = shelf.open().view().window(NARROW)
    shelf.session.compacted(compact_without_model(plan_compaction(window, cause="automatic")))


@then(phrase("its window counts {ratio:Count} characters a token"))
def check_ratio(shelf, ratio):
    assert shelf.session.view().window(LIMITS).characters_per_token == ratio


@then("the record holds the words of the summary")
def check_words(shelf, record):
    assert record.summary.content == shelf.made.summary


@then("it holds the same figures as the compaction")
def check_figures(shelf, record):
    figures = (record.summary.summarized, record.summary.tokens_before, record.summary.tokens_after)
    assert figures == (len(shelf.made.plan.summarized), shelf.made.tokens_before, shelf.made.tokens_after)


@then(phrase("the summary was generated at {time:Moment}", TIMES))
def check_time(record, time):
    assert record.summary.generated == milliseconds(time)


@then("its summary has")
def check_summary(record, datatable):
    fields, cells = datatable
    for field, cell in zip(fields, cells, strict=True):
        found = getattr(record.summary, field.replace(" ", "_"))
        text = "" if found is None else str(found)
        assert text.startswith(cell[:-1]) if cell.endswith("…") else text == cell


@then("the record holds the facts of the conversation")
def check_facts(shelf, record):
    assert record.facts == shelf.made.plan.facts


@then("the newest record names the compaction before it")
def check_earlier(shelf, record):
    assert record.earlier == next(one.id for one in shelf.records() if isinstance(one, CompactionRecord))


@then("it shows that summary and nothing before it")
def check_first_version(shelf):
    (message,) = shelf.view().messages
    assert message.text.endswith("\n\nWhat was done.")


@then("it opens")
def check_opens(outcome):
    assert isinstance(outcome, Session)


@then(phrase("the record hands on {count:Count} requests, the first and the newest of them"))
def check_handed_on(shelf, record, count):
    told, all_told = (
        [one for one in facts if one.kind == "request"] for facts in (record.facts, shelf.made.plan.facts)
    )
    assert len(told) == count
    assert [one.text for one in told] == [one.text for one in (all_told[0], *all_told[1 - count :])]


@then(phrase("it shows the conversation that the compaction made, and {count:Count} messages behind it"))
def check_behind(shelf, count):
    shown, made = [without_cache_marks(one.raw) for one in shelf.view().messages], shelf.made.messages
    assert (shown[: len(made)], len(shown) - len(made)) == ([*map(without_cache_marks, made)], count)


@then("both calls are shown with their results")
def check_answered(shelf):
    shown = [result for message in shelf.view().messages for result in results_of(message)]
    assert {(one.call_id, one.text) for one in shown} == {("A", "Found by A."), ("B", "Found by B.")}
