"""Steps of features/summary/template.feature."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from pytest_bdd import given, then, when

from brim.compaction.policy import CompactionPolicy
from brim.conversation.turns import Response, ToolUse, Turn
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.selection.anchors import CERTAIN, Anchor, AnchorKind
from brim.summary.facts import Fact, FactCollector, collect_facts, fidelity, turn_work
from brim.summary.previous_summary import CARRIED
from brim.summary.template import TurnOutcome, template_summary
from steps.compaction_windows import raw_turns, spoken
from steps.turn_table import portable_turn, read_uses
from steps.vocabulary import phrase

ASKED = "Please go on."
KINDS_OF_FACTS = {
    "request": "what the user wrote",
    "constraint": "constraints",
    "decision": "decisions",
    "failed_command": "failed commands",
    "todo": "to-dos",
    "modified_file": "modified files",
    "created_file": "created files",
    "deleted_file": "deleted files",
    "read_file": "read files",
}
KINDS = {
    "a task completed": AnchorKind.TASK_COMPLETION,
    "an error resolved": AnchorKind.ERROR_RESOLUTION,
    "a checkpoint": AnchorKind.USER_CHECKPOINT,
}


def part(number, words=""):
    written = ToolUse("Edit", {"file_path": f"/home/me/app/part-{number}.py"}, "", succeeded=True)
    answer = f"Wrote part {number}. It works.{words}"
    return Turn(number - 1, number - 1, number, f"Write part {number}.", (Response(answer, (written,)),))


@pytest.fixture
def uses():
    """The tool uses of a turn; none, until a step names some."""
    return ()


@pytest.fixture
def turns():
    """The turns to summarize; none, until a step gives some."""
    return ()


@pytest.fixture
def extras():
    """What a template summary is written with beside the turns."""
    return {}


@given(phrase('a turn that answered "{answer:Quoted}"'), target_fixture="told")
def turn_that_answered(answer):
    return ASKED, answer


@given(phrase("a turn that answered in a sentence of {length:Count} characters"), target_fixture="told")
def turn_that_answered_at_length(length):
    return ASKED, "x" * length + ". More."


@given(phrase("a turn that answered in words of {first:Count} and {then_:Count} characters"), target_fixture="told")
def turn_that_answered_in_words(first, then_):
    return ASKED, f"{'x' * first} {'y' * then_}."


@given(phrase('a turn that asked "{request_text:Quoted}"'), target_fixture="told")
def turn_that_asked(request_text):
    return request_text, ""


@given("it used the tools", target_fixture="uses")
def used_tools(datatable):
    return read_uses(datatable)


@when("the turn is told in a line", target_fixture="line")
def tell_turn(implementation, told, uses):
    request_text, answer = told
    return implementation("outcome_line", turn=portable_turn(request_text, uses, answer))


@when("the turn is told in a line as an anchor", target_fixture="line")
def tell_anchor(implementation, told, uses):
    request_text, answer = told
    return implementation("outcome_line", turn=portable_turn(request_text, uses, answer), is_anchor=True)


@then(phrase('the line reads "{expected:Quoted}"'))
def check_line(line, expected):
    assert line == expected


@then("the line is ticked")
def check_ticked(line):
    assert line.startswith("✓ ")


@then("the line is crossed")
def check_crossed(line):
    assert line.startswith("✗ ")


@then(phrase("the line has {length:Count} characters, and is whole"))
def check_whole(line, length):
    assert (len(line), line[-1]) == (length, "x")


@then(phrase("the line has {length:Count} characters, and ends with an ellipsis"))
def check_ellipsis(line, length):
    assert (len(line), line[-1]) == (length, "…")


@when("the turns are told", target_fixture="lines")
def tell_turns(turns):
    return [line for turn in turns for line, _ in TurnOutcome(turn_work(turn)).lines]


@when("the turns are told, the first two as anchors", target_fixture="lines")
def tell_anchors(turns):
    outcomes = [TurnOutcome(turn_work(turn)) for turn in turns[:2]]
    return [line for one in outcomes for line in (*(line for line, _ in one.lines_beside_anchor), one.anchor_line)]


@then("the lines are")
def check_lines(lines, datatable):
    assert [[line] for line in lines] == datatable[1:]


@then(phrase('the last line is "{expected:Quoted}"'))
def check_last_line(lines, expected):
    assert lines[-1] == expected


@given(phrase('the outputs "{first:Quoted}" and "{then_:Quoted}"'), target_fixture="outputs")
def outputs_of(first, then_):
    return [first, then_]


@given("no outputs", target_fixture="outputs")
def no_outputs():
    return []


@when("the build status is asked for", target_fixture="status")
def ask_build_status(implementation, outputs):
    return implementation("build_status", outputs=outputs)


@then(phrase("the build is {expected}"))
def check_build(status, expected):
    assert status == expected


@given("no turns")
def no_turns(turns):
    assert turns == ()


@given(phrase("{count:Count} turns, each writing a part"), target_fixture="turns")
def parts(count):
    return tuple(part(number) for number in range(1, count + 1))


@given("the facts", target_fixture="extras")
def with_facts(extras, datatable):
    return extras | {"facts": [Fact(kind, text, 0) for kind, text in datatable[1:]]}


@given(phrase("{count:Count} constraints, each of {length:Count} characters"), target_fixture="extras")
def with_constraints(extras, count, length):
    return extras | {"facts": [Fact("constraint", f"{number} ".ljust(length, "x"), 0) for number in range(count)]}


@given(phrase("a message of the user of {length:Count} characters"), target_fixture="extras")
def with_message(extras, length):
    return extras | {"facts": [*extras["facts"], Fact("request", "x" * length, 0)]}


@given(
    phrase("{count:Count} failed commands, each of {length:Count} characters with {more:Count} more to say why"),
    target_fixture="extras",
)
def with_failed_commands(extras, count, length, more):
    facts = [Fact("failed_command", f"{n} ".ljust(length, "x"), 0, "y" * more) for n in range(count)]
    return extras | {"facts": facts}


@given("100 files of 6 characters in a folder of 12", target_fixture="extras")
def with_many_files(extras):
    return extras | {"facts": [Fact("read_file", f"/home/me/app/f-{number:04}", 0) for number in range(1, 101)]}


@given(phrase("a file of {length:Count} characters"), target_fixture="extras")
def with_file(extras, length):
    return extras | {"facts": [*extras["facts"], Fact("modified_file", "f".ljust(length, "x"), 0)]}


@given(phrase("{count:Count} turns, each answered in {length:Count} characters"), target_fixture="turns")
def answered_turns(count, length):
    return tuple(Turn(n, n, n + 1, "", (Response("x" * length),)) for n in range(count))


@given(phrase("a turn that asked in {count:Count} words, each on a line of its own"), target_fixture="turns")
def asked_on_lines(count):
    return (Turn(0, 0, 1, "\n".join(["word"] * count), (Response("Done."),)),)


@given(phrase("a fact of {length:Count} characters of each kind"), target_fixture="extras")
def with_every_kind(extras, length):
    each = [Fact(kind, f"{kind} ".ljust(length, "x"), 0) for kind in KINDS_OF_FACTS]
    return extras | {"facts": [*extras.get("facts", ()), *each]}


@given(phrase('the files "{files:Quoted}"'), target_fixture="extras")
def with_files(extras, files):
    return extras | {"facts": [Fact("modified_file", path.replace("\\\\", "\\"), 0) for path in files.split("; ")]}


@given(phrase('an earlier summary that reads "{text:Quoted}"'), target_fixture="extras")
def with_earlier(extras, text):
    return extras | {"previous_summary": text}


@given(phrase("an earlier summary of {length:Count} characters"), target_fixture="extras")
def with_earlier_of(extras, length):
    return extras | {"previous_summary": "x" * length}


@given("the anchors", target_fixture="extras")
def with_anchors(extras, datatable):
    return extras | {"anchors": [Anchor(int(number) - 1, KINDS[kind], CERTAIN) for number, kind in datatable[1:]]}


@given(phrase("each answers in {length:Count} characters"), target_fixture="turns")
def answering_at_length(turns, extras, length):
    anchors = {anchor.turn for anchor in extras["anchors"]}
    return tuple(part(turn.index + 1, " x" * (length // 2)) if turn.index in anchors else turn for turn in turns)


@when("the template summary is written", target_fixture="summary")
def write(turns, extras):
    return template_summary(turns, **extras)


@when(phrase("the template summary is written in at most {limit:Count} characters"), target_fixture="summary")
def write_within(turns, extras, limit):
    return template_summary(turns, **extras, max_chars=limit)


@when(
    phrase(
        "the template summary is written in at most {limit:Count} characters, and {words:Count} of the user's words"
    ),
    target_fixture="summary",
)
def write_with_words(turns, extras, limit, words):
    return template_summary(turns, **extras, max_chars=limit, words_chars=words)


@when(
    "the template summary is written from the turns, and from them with facts that were kept",
    target_fixture="summaries",
)
def write_twice(turns):
    collector = FactCollector()
    for turn in turns:
        collector.add(turn_work(turn))
    return template_summary(turns), template_summary(turns, facts=collector.facts())


@when("a conversation that begins with them is compacted without a model", target_fixture="summary")
def compact_them(turns):
    messages = [*(message for one in turns for message in spoken(one)), *raw_turns(6, 200)]
    return Compactor(limits=ModelLimits(context_window=2_000, max_output_tokens=200)).compact(messages).summary


@given("300 turns, each answered at length, in a conversation of some 121,000 tokens", target_fixture="messages")
def long_answers():
    answers = (f"Step {n} was {'x' * 160}. ".ljust(1_600, "y") for n in range(300))
    return [
        message
        for n, answer in enumerate(answers)
        for message in ({"role": "user", "content": f"Step {n}."}, {"role": "assistant", "content": answer})
    ]


@when(
    phrase(
        "they are compacted in a window of {window:Count} tokens, of which {longest:Count} are for the answer, "
        "with a share of {share}"
    ),
    target_fixture="summary",
)
def compact_with_share(messages, window, longest, share):
    limits = ModelLimits(context_window=window, max_output_tokens=longest)
    return Compactor(limits=limits, policy=CompactionPolicy(summary_share=share)).compact(messages).summary


@then(phrase("the summary has from {least:Count} to {most:Count} characters"))
def check_length(summary, least, most):
    assert least <= len(summary) <= most


@then(phrase('the summary has no line "{line:Quoted}"'))
def check_no_line(summary, line):
    assert summary
    assert line not in summary.splitlines()


@then(phrase('the summary holds "{text:Quoted}"'))
def check_summary_holds(summary, text):
    assert text in summary


@then("it reads")
def check_text(summary, docstring):
    assert summary == docstring


@then("it ends")
def check_end(summary, docstring):
    assert summary.endswith(docstring), summary


@then(phrase('it holds "{text:Quoted}"'))
def check_holds(summary, text):
    assert text.replace("\\\\", "\\") in summary


@then("the facts held are")
def check_facts_held(summary, extras, datatable):
    held = Counter(KINDS_OF_FACTS[fact.kind] for fact in extras["facts"] if fact.text in summary)
    assert {kind: str(number) for kind, number in held.items()} == dict(datatable[1:])


@then(phrase('it does not hold "{text:Quoted}"'))
def check_lacks(summary, text):
    assert text not in summary


@then(phrase("it has at most {limit:Count} characters"))
def check_at_most(summary, limit):
    assert len(summary) <= limit


@then(phrase("it has at least {filled:Count} characters"))
def check_at_least(summary, filled):
    assert len(summary) >= filled


@then(phrase("the anchors written in full are {number:Count}"))
def check_anchors(summary, number):
    assert re.findall(r"^\[ANCHOR\] Wrote part (\d+)\..*[^…]$", summary, re.MULTILINE) == [str(number)]


def sections(summary):
    """The earlier summary and the outcomes as they stand in a summary."""
    earlier, _, outcomes = summary.partition(f"{CARRIED}\n")[2].partition("\nWhat was done:\n")
    return earlier, outcomes


@then(phrase("the earlier summary takes from {least:Count} to {most:Count} characters"))
def check_earlier(summary, least, most):
    assert least <= len(sections(summary)[0]) <= most


@then(phrase("the outcomes take from {least:Count} to {most:Count} characters"))
def check_outcomes_take(summary, least, most):
    assert least <= len(sections(summary)[1]) <= most


@then("both read the same")
def check_same(summaries):
    first, second = summaries
    assert first == second


@then(phrase("{count:Count} facts are held"))
def check_held(summary, extras, count):
    assert sum(fact.text in summary for fact in extras["facts"]) == count


@then(phrase("{count:Count} outcomes are written"))
def check_outcomes(summary, count):
    assert len(re.findall(r"^(?:✓|\[ANCHOR\]) x+$", summary, re.MULTILINE)) == count


@then(phrase("the anchor is written {way}"))
def check_anchor(summary, way):
    told = re.findall(r"^\[ANCHOR\] .*$", summary, re.MULTILINE)
    assert [len(line) for line in told] == {"in full": [309], "in short": [201], "not at all": []}[way]


@then(phrase("its fidelity is {share:Count}"))
def check_fidelity(summary, turns, share):
    found = fidelity(collect_facts(turns), summary)
    assert (found.facts.share, found.words.share) == (share, share)
