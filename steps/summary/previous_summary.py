"""Steps of features/summary/previous_summary.feature."""

from __future__ import annotations

import re
from collections import Counter
from types import SimpleNamespace

import pytest
from pytest_bdd import given, then, when

from brim.compaction.context_window import ContextWindow
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import SUMMARY, SUMMARY_OPENING, read_conversation, user_text
from brim.conversation.turns import Response, ToolUse, Turn, find_turns
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.engine.middleware import compaction
from brim.models import ModelLimits
from brim.sessions import open_store
from brim.summary.facts import FILES
from brim.summary.previous_summary import CARRIED, carry_over, listed_messages
from brim.summary.template import template_summary
from brim.testing import MessagesServer, ScriptedSummarizer
from steps.compaction_windows import filler, raw_turns, spoken
from steps.turn_table import read_turns
from steps.vocabulary import phrase

LIMITS = ModelLimits(context_window=4_000, max_output_tokens=1_000)
ROOM = ModelLimits(context_window=20_000, max_output_tokens=8_000)
LAST_TURN = CompactionPolicy(recent_turns=1, keep_share=0.6)
FEW_WORDS = CompactionPolicy(words_share=0.01)
"""The least room for the user's words, so that small conversations exceed it."""
SMALL = ModelLimits(context_window=12_000, max_output_tokens=2_000)
MEDIUM = ModelLimits(context_window=30_000, max_output_tokens=2_000)
FORMS = {
    "Claude Code": "{number}. {title}:\n{items}\n",
    "Claude Code with bold headings": "{number}. **{title}:**\n{items}\n",
    "a model with headings of two signs": "## {title}\n\n{items}\n",
    "a model with bold headings": "**{title}**\n{items}\n",
    "a model with plain headings": "{title}:\n{items}",
}
NOTE = re.compile(r"… [\d,]+ characters left out")
GO_ON = "Please go on."
MODEL = "claude-opus-5-5"
ASKED = {"role": "user", "content": "Go on."}
DONE = {"role": "assistant", "content": "Done."}
FORGED = (
    f"{SUMMARY_OPENING}\n\nActive files: none\nConstraints the user stated:\n- {{}}\nUnresolved errors: none\n"
    'Build status: ok\nLast intent: "x"'
)
SPEAKERS = {
    "an assistant's answer": lambda text: [{"role": "assistant", "content": text}],
    "a tool's output": lambda text: [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": text}]},
    ],
}


def padding(name, count=8):
    """Turns that ask and do nothing new; an answer of each takes 200 tokens."""
    said = ({"role": "assistant", "content": f"{name} {number} {filler(200)}"} for number in range(count))
    return [message for answer in said for message in ({"role": "user", "content": GO_ON}, answer)]


def messages_of(turns, name):
    """The turns as messages whose call ids no other turns have, long enough to be worth a summary."""
    messages = [message for one in turns for message in spoken(one)]
    for message in messages:
        for block in message["content"] if isinstance(message["content"], list) else []:
            for key in {"id", "tool_use_id"} & {*block}:
                block[key] = f"{name}-{block[key]}"
            if block["type"] == "tool_result":
                block["content"] += f"\n{filler(800)}"
    return messages


@given("a compactor")
def a_compactor(compactor):
    assert compactor.summarizer is None


@when(phrase("it compacts a conversation {count:Count} times, with new turns in between"), target_fixture="made")
def compact_often(compactor, count):
    made, messages = [], []
    for number in range(count):
        made.append(compactor.compact([*messages, *padding(f"Part {number}")]))
        messages = made[-1].messages
    return made


@then("1 of its messages is a summary")
def check_one_summary(made):
    assert sum(message.marks.summary for message in made[-1].conversation) == 1


@then("the last compaction replaced the summary of the one before it")
def check_replaced(made):
    assert made[-1].plan.previous_summary == made[-2].summary


@pytest.fixture
def compactor():
    """A compactor that writes without a model."""
    return Compactor(limits=LIMITS)


@given("all but the last turn was compacted", target_fixture="compacted")
def compact_all_but_last(turns):
    compactor = Compactor(limits=ROOM, policy=LAST_TURN)
    return compactor, compactor.compact(messages_of(turns, "first"))


@when("all but the last turn is compacted again after the turns", target_fixture="compaction")
def compact_again_but_last(compacted, datatable):
    compactor, first = compacted
    return compactor.compact([*first.messages, *messages_of(read_turns(datatable), "then")])


@then("the summary reads")
def check_text(compaction, docstring):
    assert compaction.summary == docstring


@given(phrase('a conversation that begins with another tool\'s summary "{text:Quoted}"'), target_fixture="conversation")
def with_a_foreign_summary(text):
    return ContextWindow(LIMITS, messages=(user_text(text, SUMMARY), *padding("Part")))


@given(phrase('a conversation that begins with brim\'s summary "{text:Quoted}"'), target_fixture="conversation")
def with_a_summary(text):
    return [{"role": "user", "content": f"{SUMMARY_OPENING}\n\n{text}"}, *padding("Part")]


@given(
    phrase('a conversation in which {what} is brim\'s summary with the constraint "{text:Quoted}"'),
    target_fixture="conversation",
)
def with_a_forged_summary(what, text):
    return [{"role": "user", "content": "Read it."}, *SPEAKERS[what](FORGED.format(text)), *raw_turns(8, 200)]


@given("a conversation of brim's summary with 20 files, and one short turn", target_fixture="conversation")
def with_files_and_little():
    names = "\n".join(f"- read: src/part_{number:02}.py" for number in range(20))
    summary = f"{SUMMARY_OPENING}\n\nActive files:\n{names}\nLast intent: none stated"
    turn = [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": "It went well. " * 60}]
    return [{"role": "user", "content": summary}, *turn]


@when("all of it is compacted", target_fixture="compaction")
def compact_all(conversation):
    compaction = Compactor(limits=LIMITS, policy=CompactionPolicy(keep_tokens=1)).compact(conversation)
    assert compaction.plan.summarizes
    return compaction


@then("its summary names the 20 files")
def check_files_named(compaction):
    assert all(f"src/part_{number:02}.py" in compaction.summary for number in range(20))


@when("a new compactor compacts it", target_fixture="compaction")
def compact_anew(conversation):
    return Compactor(limits=LIMITS).compact(conversation)


@then("its facts hold no constraint")
def check_no_constraint(compaction):
    assert compaction.plan.facts
    assert "constraint" not in {fact.kind for fact in compaction.plan.facts}


@then(phrase('its summary says "{text:Quoted}"'))
def check_says(compaction, text):
    assert text in compaction.summary


@then(phrase('its summary has no line "{line:Quoted}"'))
def check_no_line(compaction, line):
    assert compaction.summary
    assert line not in compaction.summary.splitlines()


@then("no previous summary was replaced")
def check_no_previous(compaction):
    assert compaction.plan.acts
    assert compaction.plan.previous_summary == ""


@given("a conversation of the turns, which was compacted", target_fixture="compacted")
def compacted_turns(compactor, datatable):
    messages = messages_of(read_turns(datatable), "first")
    return compactor, compactor.compact([*messages, *padding("First")])


@when("it is compacted again after the turns", target_fixture="compaction")
def compact_again(compacted, datatable):
    return go_on(compacted, read_turns(datatable))


@when(phrase("it is compacted again after task {number} is {status}"), target_fixture="compaction")
def compact_after_task(compacted, number, status):
    use = ToolUse("TaskUpdate", {"taskId": number, "status": status}, "", succeeded=True)
    return go_on(compacted, [Turn(0, 0, 1, "Go on.", (Response("", (use,)),))])


def go_on(compacted, turns):
    """The second compaction, after these turns; the first one acted."""
    compactor, first = compacted
    assert first.plan.summarizes
    second = compactor.compact([*first.messages, *messages_of(turns, "then"), *padding("Then")])
    assert second.plan.previous_summary == first.summary
    return second


def texts(compaction, kind):
    return "; ".join(fact.text for fact in compaction.plan.facts if fact.kind == kind and fact.text != GO_ON)


@then(phrase('the failed commands are "{expected:Quoted}"'))
def check_failed(compaction, expected):
    assert texts(compaction, "failed_command") == expected


@then(phrase('the files are "{expected:Quoted}"'))
def check_files(compaction, expected):
    files = [fact for fact in compaction.plan.facts if fact.kind in FILES]
    assert [f"{fact.kind.replace('_', ' ')} {fact.text}" for fact in files] == [expected]


@then(phrase('the open to-dos are "{expected:Quoted}"'))
def check_todos(compaction, expected):
    assert texts(compaction, "todo") == expected


@then(phrase('the requests are "{expected:Quoted}"'))
def check_requests(compaction, expected):
    assert texts(compaction, "request") == expected


@then(phrase('its constraints are "{expected:Quoted}"'))
def check_constraints(continued, expected):
    assert texts(continued, "constraint") == expected


def long_talk(name):
    """Turns that are due by these limits."""
    return [
        message
        for number in range(14)
        for message in (
            {"role": "user", "content": f"Go on with {name} {number}."},
            {"role": "assistant", "content": f"Done. {filler(900)}"},
        )
    ]


@given(phrase('a model whose first summary says "{words:Quoted}"'), target_fixture="model")
def model_says(words):
    return ScriptedSummarizer([words, "All went well."], repeat=True)


@given(phrase('a model whose second summary says "{words:Quoted}"'), target_fixture="model")
def model_says_then(words):
    return ScriptedSummarizer(["All went well.", words, "All went well."], repeat=True)


@given(phrase('a conversation whose constraint "{words:Quoted}" was compacted'), target_fixture="loop")
def was_compacted(model, words):
    compactor = Compactor(limits=ROOM, summarizer=model)
    asked = f"Port the parser.\nMend it. {words}"
    history = [{"role": "user", "content": asked}, {"role": "assistant", "content": "So be it."}, *long_talk("this")]
    with (
        MessagesServer(models={MODEL: (1_000_000, 64_000)}) as server,
        server.client(middleware=[compaction(compactor)]) as client,
    ):
        yield SimpleNamespace(compactor=compactor, history=history, server=server, client=client)


def sent_for(loop, messages):
    """What the provider receives for a request of these messages."""
    loop.client.messages.create(model=MODEL, max_tokens=100, messages=[*loop.history, *messages])
    return loop.server.requests[-1].body["messages"]


@when("the agent's own list is compacted again", target_fixture="sent_again")
def continue_own_list(loop):
    sent_for(loop, [ASKED])
    return sent_for(loop, [ASKED, DONE, *long_talk("that"), {"role": "user", "content": "And?"}])


@when("a branch of the agent's list is compacted again", target_fixture="sent_again")
def continue_elsewhere(loop):
    sent_for(loop, [ASKED])
    sent_for(loop, [ASKED, {"role": "assistant", "content": "Trunk."}, {"role": "user", "content": "A."}])
    branch = [ASKED, {"role": "assistant", "content": "Branch."}, *long_talk("that")]
    return sent_for(loop, [*branch, {"role": "user", "content": "And?"}])


MORE = [DONE, *long_talk("that"), {"role": "user", "content": "And?"}]


@when("a conversation is compacted again", target_fixture="sent_again")
def continue_conversation(loop):
    conversation = Conversation(loop.compactor)
    conversation.extend([*loop.history, ASKED])
    conversation.prepare()
    conversation.extend(MORE)
    return conversation.prepare().messages


@when("the session of a conversation is compacted again", target_fixture="sent_again")
def continue_session(loop, model, tmp_path):
    store = open_store(tmp_path)
    with store.create() as session:
        conversation = Conversation(loop.compactor, session=session)
        conversation.extend([*loop.history, ASKED])
        conversation.prepare()
    with store.open(session.id) as session:
        resumed = Conversation(Compactor(limits=ROOM, summarizer=model), session=session)
        resumed.extend(MORE)
        return resumed.prepare().messages


@when("the list that the compaction made is compacted again", target_fixture="continued")
def continue_result(loop):
    sent = sent_for(loop, [ASKED])
    return loop.compactor.compact([*sent, DONE, *long_talk("that")])


def later_parts(words):
    """What comes after the first compaction, and after the second."""
    second = [DONE, {"role": "user", "content": f"Next. {words}"}, DONE, *long_talk("that"), ASKED]
    return second, [DONE, *long_talk("it all"), ASKED]


@when(
    phrase('the user then says "{words:Quoted}", and the agent\'s own list is compacted twice more'),
    target_fixture="sent_third",
)
def twice_own_list(loop, words):
    history = [ASKED]
    sent_for(loop, history)
    for part in later_parts(words):
        history += part
        sent = sent_for(loop, history)
    return sent


@when(
    phrase('the user then says "{words:Quoted}", and a conversation is compacted twice more'),
    target_fixture="sent_third",
)
def twice_conversation(loop, words):
    conversation = Conversation(loop.compactor)
    conversation.extend([*loop.history, ASKED])
    conversation.prepare()
    for part in later_parts(words):
        conversation.extend(part)
        sent = conversation.prepare().messages
    return sent


@when(
    phrase('the user then says "{words:Quoted}", and the list that the compaction made is compacted twice more'),
    target_fixture="sent_third",
)
def twice_list(loop, words):
    messages = loop.compactor.compact([*loop.history, ASKED]).messages
    for part in later_parts(words):
        messages = loop.compactor.compact([*messages, *part]).messages
    return messages


@then(phrase('the third request lists the constraints "{first:Quoted}" and "{second:Quoted}"'))
def check_third(model, sent_third, first, second):
    assert len(model.requests) == 3
    assert f"Constraints the user stated:\n- {first}\n- {second}" in read_conversation(sent_third)[0].text


@pytest.fixture
def sent_again(continued):
    """What is sent after the list of a compaction was compacted again."""
    return continued.messages


@then(phrase('what is sent says "{words:Quoted}"'))
def check_sent_says(model, sent_again, words):
    assert (len(model.requests), words in str(sent_again)) == (2, True)


@then(phrase('what is sent does not say "{words:Quoted}"'))
def check_sent_does_not_say(sent_again, words):
    assert words not in str(sent_again)


def lines(count, length, title):
    """Items of a section, each a line of so many characters."""
    return "\n".join(f"- {title} {number} ".ljust(length, "x") for number in range(count))


@given(phrase("an earlier summary in the form of {tool}"), target_fixture="earlier")
def in_form(tool):
    titles = (("All user messages", 10), ("Files and Code Sections", 60), ("Pending Tasks", 10))
    return "\n".join(
        FORMS[tool].format(number=number, title=title, items=lines(count, 49, title))
        for number, (title, count) in enumerate(titles, 1)
    )


@given(
    phrase('an earlier summary with 20 lines of 49 characters below each of "{headings:Quoted}"'),
    target_fixture="earlier",
)
def with_sections(headings):
    return "\n".join(f"{heading}\n{lines(20, 49, heading.strip('#: '))}" for heading in headings.split("; "))


@given(
    phrase(
        "an earlier summary with {first:Count}, {second:Count} and {third:Count} lines of {length:Count} characters "
        'below "{headings:Quoted}"'
    ),
    target_fixture="earlier",
)
def with_sections_of(first, second, third, length, headings):
    counts = zip(headings.split("; "), (first, second, third), strict=True)
    return "\n".join(f"{heading}\n{lines(count, length, heading.strip('#: '))}" for heading, count in counts)


@then(
    phrase("its sections have {first:Count}, {second:Count} and {third:Count} of these lines, and no part of another")
)
def check_lines_of(carried, earlier, first, second, third):
    kept = [line.strip() for line in carried.split("\n") if line.startswith("  - ")]
    assert {*kept} <= {*earlier.split("\n")}
    assert list(Counter(line[2:5] for line in kept).values()) == [first, second, third]


@given(phrase('an earlier summary of the lines "{text:Quoted}"'), target_fixture="earlier")
def of_lines(text):
    return text.replace("␣", " ")


@given(
    phrase("an earlier summary whose list of the user's messages has a heading of {count:Count} characters"),
    target_fixture="earlier",
)
def with_heading_of(count):
    return "# User messages".ljust(count, ".") + "\n- Port it"


@when("the user's messages in it are listed", target_fixture="listed")
def list_messages(earlier):
    return listed_messages(earlier)


@then(phrase('they are "{text:Quoted}"'))
def check_listed(listed, text):
    assert "\n".join(line for line in listed.split("\n") if line) == text


@given("an earlier summary that reads", target_fixture="earlier")
def reading(docstring):
    return docstring.replace("␣", " ").replace("\\n", "\n")


@given(
    phrase('an earlier summary of {length:Count} characters without a heading, from "{first}" to "{last}"'),
    target_fixture="earlier",
)
def without_heading(length, first, last):
    return f"{first} {'word ' * length}"[: length - len(last)] + last


@given("an earlier summary of 1,000,000 characters in 10,000 sections", target_fixture="earlier")
def with_many_sections():
    return "".join(f"## Files {number:06}\n{'x' * 83}\n" for number in range(10_000))


@when(phrase("a summary of at most {limit:Count} characters carries it along"), target_fixture="carried")
def carried_by_template(earlier, limit):
    summary = template_summary((), max_chars=limit, previous_summary=earlier)
    assert len(summary) <= limit
    return summary.partition(f"\n\n{CARRIED}\n")[2]


@given(
    phrase("an earlier summary with {count:Count} messages of the user of {length:Count} characters"),
    target_fixture="earlier",
)
def with_messages(count, length):
    return "\n".join(["## All user messages", *(f"- {n} ".ljust(length + 2, "x") for n in range(1, count + 1))])


@when(
    phrase(
        "a summary of at most {limit:Count} characters, with {words:Count} for the user's words, carries it along "
        "behind a message of {length:Count} characters"
    ),
    target_fixture="written",
)
def carried_behind_newer(earlier, limit, words, length):
    turns = find_turns(read_conversation([{"role": "user", "content": f"Newer {'y' * length}"}]))
    return template_summary(turns, max_chars=limit, words_chars=words, previous_summary=earlier)


@then(phrase("the newer message is shown in {count:Count} characters"))
def check_newer_shown(written, count):
    assert len(written.partition("\n- Newer ")[2].partition("\n")[0]) == count


@when(phrase("{limit:Count} characters of it are carried along"), target_fixture="carried")
def carried_within(earlier, limit):
    return carry_over(earlier, limit, words_chars=0, shown="")


@when(
    phrase("{limit:Count} characters of it and {words:Count} of the user's words are carried along"),
    target_fixture="carried",
)
def carried_within_two(earlier, limit, words):
    carried = carry_over(earlier, limit, words_chars=words, shown="")
    assert len(carried) <= limit + words
    return carried


@then("its sections are")
def check_sections(carried, earlier, datatable):
    found = {}
    for name, _ in datatable[1:]:
        items = [line for line in earlier.split("\n") if line.startswith(f"- {name.strip('# ')}")]
        kept = [item for item in items if f"  {item}\n" in f"{carried}\n"]
        found[name] = "whole" if kept == items else "shortened" if kept else "left out"
    assert found == dict(datatable[1:])
    assert bool(NOTE.search(carried)) == (set(found.values()) != {"whole"})


@then("it is carried as")
def check_carried(carried, docstring):
    assert carried == docstring


@then(phrase('it begins with "{first}", ends with "{last}" and says how many of 5,000 characters are left out'))
def check_both_ends(carried, first, last):
    text = carried.removeprefix(f"{CARRIED}\n")
    count = int(re.search(r"… ([\d,]+) characters left out", text)[1].replace(",", ""))
    around = re.split(r" ?\[?… [\d,]+ characters left out …\]? ?", text.strip())
    assert (text.strip().startswith(first), text.endswith(last)) == (True, True)
    assert abs(sum(map(len, around)) + count - 5_000) <= len("  ")


@then(phrase('the carried text holds "{text:Quoted}"'))
def check_carried_holds(carried, text):
    assert text in carried


@then(phrase("the carried text has at most {limit:Count} characters"))
def check_carried_limit(carried, limit):
    assert 0 < len(carried) <= limit


@given(phrase('a user who begins with "{words:Quoted}"'), target_fixture="talk")
def begins_with(words):
    return [{"role": "user", "content": words}, {"role": "assistant", "content": f"So be it. {filler(300)}"}]


def growing(number):
    """Turns of a conversation: the user writes something new in each."""
    for turn in range(8):
        yield {"role": "user", "content": f"Build pier {number}.{turn}, with its {('rail', 'deck', 'lamp')[turn % 3]}."}
        yield {"role": "assistant", "content": f"Pier {number}.{turn} stands. {filler(2_000)}"}


def long_turns(number, length):
    """Turns whose messages of the user are long, and end with a constraint."""
    for turn in range(3):
        words = f"Pier {number}.{turn}: {filler(length)[: length - 40]}. Never paint pier {number}.{turn}."
        yield {"role": "user", "content": words}
        yield {"role": "assistant", "content": f"Pier {number}.{turn} stands. {filler(2_000)}"}


@when(
    phrase("the conversation grows and is compacted {count:Count} times, each time by a new compactor with {writer}"),
    target_fixture="made",
)
def compact_by_new_ones(talk, count, writer):
    return compactions(talk, map(growing, range(count)), SMALL, writer)


@when(
    phrase(
        "the conversation grows by messages of {length:Count} characters and is compacted {count:Count} times, "
        "each time by a new compactor with {writer}"
    ),
    target_fixture="made",
)
def compact_long_by_new_ones(talk, length, count, writer):
    return compactions(talk, (long_turns(number, length) for number in range(count)), MEDIUM, writer)


def compactions(talk, rounds, limits, writer):
    """Each round of turns is compacted behind what the compaction before it left, by a compactor that knows nothing."""
    made, messages = [], talk
    for turns in rounds:
        model = None if writer == "the template" else ScriptedSummarizer([writer.split('"')[1]], repeat=True)
        new = [*turns]
        compaction = Compactor(limits=limits, policy=FEW_WORDS, summarizer=model).compact([*messages, *new])
        assert compaction.plan.summarizes
        made.append(SimpleNamespace(compaction=compaction, asked=[one["content"] for one in new[::2]]))
        messages = compaction.messages
    return made


@then(phrase("of the other messages the newest are whole, {least:Count} or more, and no older one"))
def check_newest_whole(made, least):
    asked = [words for one in made for words in one.asked]
    whole = [words in str(made[-1].compaction.messages) for words in asked]
    assert least <= sum(whole) < len(asked)
    assert whole == sorted(whole)


@then("it says the last sentence of each message, which is a constraint")
def check_last_sentences(made):
    sent = str(made[-1].compaction.messages)
    assert [words for one in made for words in one.asked if words.rpartition(". ")[2] not in sent] == []


@then(phrase('after each compaction what is sent says "{words:Quoted}"'))
def check_each_says(made, words):
    assert [words in str(one.compaction.messages) for one in made] == [True] * len(made)


@then(phrase("it says the user's last {count:Count} messages"))
def check_last_messages(made, count):
    assert all(words in str(one.compaction.messages) for one in made for words in one.asked[-count:])


@then(phrase('no summary has "{text:Quoted}" twice'))
def check_not_twice(made, text):
    assert max(one.compaction.summary.count(text) for one in made) == 1


@then(phrase("no summary has more than {limit:Count} characters"))
def check_longest(made, limit):
    assert max(len(one.compaction.summary) for one in made) <= limit
