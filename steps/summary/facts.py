"""Steps of features/summary/facts.feature."""

from __future__ import annotations

from fractions import Fraction

import pytest
from pytest_bdd import given, then, when

from brim.conversation.turns import Response, ToolUse, Turn
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.summary.facts import Fact, FactCollector, collect_facts, fidelity, turn_work
from steps.compaction_windows import raw_turns, spoken
from steps.turn_table import RESULTS, read_uses
from steps.vocabulary import phrase

KINDS = {
    "constraint": "constraints",
    "decision": "decisions",
    "request": "what the user wrote",
    "failed_command": "failed commands",
    "todo": "to-dos",
    "modified_file": "modified files",
    "created_file": "created files",
    "deleted_file": "deleted files",
    "read_file": "read files",
}
"""Each kind of fact in words."""
STATUSES = {
    "waiting": "pending",
    "under way": "in_progress",
    "done": "completed",
    "given up": "cancelled",
    "deleted": "deleted",
    "": "",
}
"""What becomes of a to-do item, as the tools put it."""
NO_TEXTS = {"a list": ["completed"], "an object": {"state": "completed"}, "a number": 1, "nothing": None}
"""What a tool may be called with in place of a status."""
ERROR = "error: met here"


def turn(index, request="", *uses):
    return Turn(index, index, index + 1, request, (Response("", uses),) if uses else ())


@pytest.fixture
def facts(turns):
    """The facts of the conversation, until a step names others."""
    return collect_facts(turns)


@given(phrase("the user wrote a message of {length:Count} characters"), target_fixture="turns")
def message_of(length):
    return (turn(0, "x" * length),)


@given(phrase("the user wrote a message of {count:Count} constraints"), target_fixture="turns")
def message_of_constraints(count):
    return (turn(0, "\n".join(f"Never do {n}" for n in range(count))),)


@given(phrase('the user wrote "{text:Quoted}"'), target_fixture="turns")
def user_wrote(text):
    return (turn(0, text),)


@given("the user wrote", target_fixture="turns")
def user_wrote_below(docstring):
    return (turn(0, docstring),)


@given(
    phrase("a command that printed {before:Count} characters, an error, and {after:Count} characters more"),
    target_fixture="turns",
)
def command_that_printed(before, after):
    lines = ["-" * before, ERROR, "-" * after]
    return (turn(0, "", ToolUse("Bash", {"command": "make"}, "\n".join(lines), succeeded=False)),)


@given(phrase('a to-do list with the item "{item:Quoted}", which is {status}'), target_fixture="turns")
def to_do_list(item, status):
    return (turn(0, "", to_do_use({"tool": "TodoWrite", "item": item, "status": status})),)


@given(
    phrase('a to-do list with the item "{item:Quoted}" whose status is {status} and no text'),
    target_fixture="turns",
)
def to_do_list_of_json(item, status):
    items = [{"content": item, "status": NO_TEXTS[status]}]
    return (turn(0, "", ToolUse("TodoWrite", {"todos": items}, "", succeeded=True)),)


@given(
    phrase('a task "{item:Quoted}" whose status becomes {status} and no text'),
    target_fixture="turns",
)
def task_of_json(item, status):
    made = ToolUse("TaskCreate", {"subject": item}, "Task #1 created successfully", succeeded=True)
    return (turn(0, "", made, ToolUse("TaskUpdate", {"taskId": "1", "status": NO_TEXTS[status]}, "", succeeded=True)),)


@given("the to-do tools were used in turn", target_fixture="turns")
def to_do_tools(datatable):
    columns, *lines = datatable
    rows = [dict(zip(columns, line, strict=True)) for line in lines]
    return tuple(turn(index, "", to_do_use(row)) for index, row in enumerate(rows))


def to_do_use(row):
    number, status = row.get("number", ""), STATUSES[row["status"]]
    items = [{"content": item, "status": status} for item in row["item"].split(", ")]
    steps = [{"step": item, "status": status} for item in row["item"].split(", ")]
    given = {
        "TaskCreate": {"subject": row["item"]},
        "TaskUpdate": {"taskId": number, "status": status, "subject": row["item"]},
        "update_plan": {"plan": steps},
    }.get(row["tool"], {"todos": items})
    output = f"Task #{number} created successfully" if number else ""
    return ToolUse(row["tool"], given, output, RESULTS[row.get("went") or "well"])


@given("an answer that used the tools", target_fixture="turns")
def answer_with_tools(datatable):
    return (turn(0, "", *read_uses(datatable)),)


@given(
    phrase('an answer that used the editor "{tool:Quoted}" with the command "{command:Quoted}" on "{path:Quoted}"'),
    target_fixture="turns",
)
def answer_with_editor(tool, command, path):
    return (turn(0, "", ToolUse(tool, {"command": command, "path": path}, "", succeeded=True)),)


@given(phrase('an answer that ran with the tool "{tool:Quoted}" the words'), target_fixture="turns")
def answer_with_words(tool, datatable):
    return (turn(0, "", ToolUse(tool, {"command": datatable[0]}, "", succeeded=True)),)


@given(phrase('an answer that ran with the tool "{tool:Quoted}" the commands'), target_fixture="turns")
def answer_with_commands(tool, datatable):
    return (turn(0, "", ToolUse(tool, {"commands": datatable[0]}, "", succeeded=True)),)


@given(phrase('an answer that ran in vain with the tool "{tool:Quoted}" the words'), target_fixture="turns")
def answer_with_words_in_vain(tool, datatable):
    return (turn(0, "", ToolUse(tool, {"command": datatable[0]}, "", succeeded=False)),)


@given(
    phrase('an answer that moved "{old:Quoted}" to "{new:Quoted}" with the tool "{tool:Quoted}"'),
    target_fixture="turns",
)
def answer_that_moved(old, new, tool):
    return (turn(0, "", ToolUse(tool, {"source": old, "destination": new}, "", succeeded=True)),)


@given(
    phrase('an answer that moved a file with the tool "{tool:Quoted}", whose {end} is a number'), target_fixture="turns"
)
def answer_that_moved_a_number(tool, end):
    given = {"source": "lex.py", "destination": "token.py"}
    assert end in given
    return (turn(0, "", ToolUse(tool, given | {end: 5}, "", succeeded=True)),)


@given(phrase('the facts "{paths:Quoted}"'), target_fixture="facts")
def facts_of_paths(paths):
    return tuple(Fact("modified_file", path, 0) for path in paths.split("; ") if path)


@given(phrase('the user\'s message "{text:Quoted}"'), target_fixture="facts")
def message_reading(text):
    return (Fact("request", text, 0),)


@given(phrase("a message of {count:Count} words of 9 characters on one line"), target_fixture="facts")
def message_of_words(count):
    return (Fact("request", " ".join(f"word{number:05}" for number in range(count)), 0),)


@given(
    phrase("messages of {first:Count} and {second:Count} characters that {count:Count} compactions handed on"),
    target_fixture="facts",
)
def messages_handed_on(first, second, count):
    facts = (Fact("request", "x" * first, 0), Fact("request", "y" * second, 1))
    for _ in range(count):
        facts = FactCollector(facts).facts()
    return facts


@given(phrase("the user wrote a constraint of {length:Count} characters"), target_fixture="turns")
def long_constraint(length):
    return [Turn(0, 0, 1, f"Never {'x' * (length - 7)}.")]


@then(phrase('the fact about "{kind:Quoted}" has {length:Count} characters and ends with "{end:Quoted}"'))
def check_end(collected, kind, length, end):
    assert [(len(fact.text), fact.text.endswith(end)) for fact in about(collected, kind)] == [(length, True)]


@given("the user repeats the first message", target_fixture="facts")
def repeated(facts):
    request = next(fact.text for fact in facts if fact.kind == "request")
    return collect_facts([Turn(0, 0, 1, request)], facts)


@given(phrase("a context of its first {first:Count} and its last {last:Count} words"), target_fixture="context")
def context_of_words(facts, first, last):
    words = facts[0].text.split()
    return " ".join([*words[:first], "…", *words[len(words) - last :]])


@given(phrase("a message of one word of {count:Count} characters"), target_fixture="facts")
def message_of_a_word(count):
    return (Fact("request", "".join(str(number) for number in range(count))[:count], 0),)


@given(phrase("a context of its first {first:Count} and its last {last:Count} characters"), target_fixture="context")
def context_of_characters(facts, first, last):
    text = facts[0].text
    return f"{text[:first]}…{text[len(text) - last :]}"


@given(phrase('the user wrote the messages "{texts:Quoted}"'), target_fixture="turns")
def user_wrote_messages(texts):
    return tuple(turn(index, text) for index, text in enumerate(texts.split("; ")))


@given(phrase('a context that reads "{text:Quoted}"'), target_fixture="context")
def context_reading(text):
    return text


@when("the facts are collected", target_fixture="collected")
def collect(turns):
    return collect_facts(turns)


@when("a conversation that begins with it is compacted", target_fixture="collected")
def compact_with_it(turns):
    messages = [*spoken(turns[0]), *raw_turns(6, 200)]
    return Compactor(limits=ModelLimits(context_window=2_000, max_output_tokens=200)).compact(messages).plan.facts


@given(
    phrase('a failed run of "{command:Quoted}" and the new file "{path:Quoted}", with words of the user {where}'),
    target_fixture="messages",
)
def results_and_words(command, path, where):
    run = ToolUse("Bash", {"command": command}, "3 failed", succeeded=False)
    write = ToolUse("Write", {"file_path": path}, f"File created successfully at: {path}", succeeded=True)
    first, second = (turn(n, asked, use) for n, asked, use in ((0, "Mend it.", run), (1, "Now the lexer.", write)))
    messages = [*spoken(first), *spoken(second), {"role": "user", "content": "And hurry."}, *raw_turns(6, 200)[1:]]
    if where == "beside the results":
        for index in (5, 2):
            text = {"type": "text", "text": messages.pop(index + 1)["content"]}
            messages[index]["content"].append(text)
    return messages


@when("the conversation is compacted without a model", target_fixture="collected")
def compact_conversation(messages):
    return Compactor(limits=ModelLimits(context_window=2_000, max_output_tokens=200)).compact(messages).plan.facts


@when("the facts are looked at while the last turn is going on", target_fixture="looks")
def look_while_going_on(turns):
    collector = FactCollector()
    works = [turn_work(one) for one in turns]
    for work in works[:-1]:
        collector.add(work)
    return collector.facts(works[-1]), collector.facts()


@when("the fidelity is worked out", target_fixture="found")
def work_out_fidelity(facts, context):
    return fidelity(facts, context, said=context)


@then("the facts are")
def check_facts(collected, datatable):
    assert as_table(collected, datatable[0]) == datatable[1:]


@then(phrase('the facts about "{kind:Quoted}" are'))
def check_facts_about(collected, kind, datatable):
    assert as_table(about(collected, kind), datatable[0]) == datatable[1:]


@then(phrase('there are {count:Count} facts about "{kind:Quoted}"'))
def check_count_about(collected, count, kind):
    assert len(about(collected, kind)) == count


@then(phrase('there are no facts about "{kind:Quoted}"'))
def check_none_about(collected, kind):
    assert about(collected, kind) == []


@then(phrase('the constraint "{text:Quoted}" is a fact'))
def check_constraint(collected, text):
    assert [fact.text for fact in about(collected, "constraints")] == [text]


@then(phrase("the fact about it has {length:Count} characters"))
def check_length(collected, length):
    assert [len(fact.text) for fact in collected] == [length]


@then(phrase('the facts about "{kind:Quoted}" begin with "{one:Quoted}", "{two:Quoted}" and "{three:Quoted}"'))
def check_beginning(collected, kind, one, two, three):
    assert [fact.text for fact in about(collected, kind)][:3] == [one, two, three]


@then(phrase('the fact "{text:Quoted}" is the first about "{kind:Quoted}"'))
def check_first(collected, text, kind):
    assert about(collected, kind)[0].text == text


@then("the error is told")
def check_error_told(collected):
    assert [fact.detail for fact in collected] == [ERROR]


@then("the error is not told")
def check_error_not_told(collected):
    assert ERROR not in [fact.detail for fact in collected]


@then("they are those of the whole, and without that turn those of the turns before")
def check_looks(looks, turns):
    assert looks == (collect_facts(turns), collect_facts(turns[:-1]))


@then(phrase("{present:Count} of {total:Count} facts are present, a share of {share}"))
def check_facts_present(found, present, total, share):
    assert (found.facts.present, found.facts.total, found.facts.share) == (present, total, Fraction(share))


@then(
    phrase("{present:Count} of {total:Count} characters of the user's words are present, a share of {share}"),
)
def check_words_present(found, present, total, share):
    assert (found.words.present, found.words.total, found.words.share) == (present, total, Fraction(share))


@then(phrase('the missing facts are "{paths:Quoted}"'))
def check_missing(found, paths):
    assert [fact.text for fact in found.missing] == paths.split("; ")


@then(phrase('the first missing piece is "{piece:Quoted}"'))
def check_first_missing(found, piece):
    assert [one.opening for one in found.missing_words] == ([piece] if piece else [])


def about(facts, kind):
    return [fact for fact in facts if KINDS[fact.kind] == kind]


def as_table(facts, columns):
    return [[cell(fact, column) for column in columns] for fact in facts]


def cell(fact, column):
    cells = {"kind": KINDS[fact.kind], "fact": fact.text, "turn": str(fact.turn + 1), "why": fact.detail}
    return cells[column]
