"""Steps of features/summary/user_words.feature."""

import codecs
import re

from pytest_bdd import given, then, when

from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import plan_compaction
from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.models import ModelLimits
from brim.summary.user_words import bounded, words_section
from brim.testing import ScriptedSummarizer
from steps.compaction_windows import filler, raw_turns
from steps.vocabulary import attempt, phrase

RULE = "Never push to main without asking me."
FIRST = f"Port the parser to Python.\n{RULE}\n- it has two passes"
LAST = "Now write the handbook."
NOTHING = "All went well so far."
WINDOW = ModelLimits(context_window=24_000, max_output_tokens=4_000)
SUMMARIZERS = {
    "without a model": None,
    "with a summary that says nothing": NOTHING,
    "with a summary that quotes the first message": f"The user wrote:\n{FIRST}\nAnd it went well.",
}
GAP = re.compile(r" \[… ([\d,]+) characters left out …\] ")


def unescaped(text):
    return codecs.decode(text, "unicode_escape")


def said(role, text):
    return {"role": role, "content": text}


@given(phrase('the user\'s messages "{first:Quoted}" and "{second:Quoted}"'), target_fixture="messages")
def two_messages(first, second):
    return [unescaped(first), second]


@given("no messages of the user", target_fixture="messages")
def no_messages():
    return []


@given(phrase("{count:Count} messages of the user, each of {length:Count} characters"), target_fixture="messages")
def numbered_messages(count, length):
    return [f"{number} ".ljust(length, "x") for number in range(1, count + 1)]


@given(
    phrase("a first message of {length:Count} characters and {count:Count} newer ones of {size:Count} characters"),
    target_fixture="messages",
)
def long_first_message(length, count, size):
    return ["1 ".ljust(length, "x"), *(f"{number} ".ljust(size, "x") for number in range(2, count + 2))]


@given("a first message of 6,000 characters, short lines between two long ones", target_fixture="messages")
def message_of_short_lines():
    return ["1 ".ljust(600, "x") + "\na" * 2_400 + "x" * 600]


@given(phrase('a message of "{cluster:Quoted}" repeated 1,000 times'), target_fixture="messages")
def message_of_clusters(cluster):
    return [unescaped(cluster) * 1_000]


@given(phrase('a message of "{begins:Quoted}" and 1,000 combining marks'), target_fixture="messages")
def message_of_one_character(begins):
    return [begins + "\u0301" * 1_000]


@when(phrase("they are listed in {limit:Count} characters"), target_fixture="section")
@when(phrase("it is listed in {limit:Count} characters"), target_fixture="section")
def list_messages(messages, limit):
    section = words_section(messages, limit)
    assert len(section) <= limit
    return section


@when(
    phrase("they are listed in {limit:Count} characters, and what is shown of them in {less:Count}"),
    target_fixture="section",
)
def list_twice(messages, limit, less):
    return list_messages([list_messages(messages, limit).partition("\n- ")[2]], less)


@when(
    phrase("they are listed in {limit:Count} characters behind a summary that has the first message"),
    target_fixture="section",
)
def list_behind_summary(messages, limit):
    return words_section(messages, limit, has_first=False)


@given(
    phrase("messages of the user of {first:Count}, {second:Count} and {third:Count} characters"),
    target_fixture="messages",
)
def of_lengths(first, second, third):
    return [f"{number} ".ljust(length, "x") for number, length in enumerate((first, second, third), 1)]


@when(phrase("they are handed on in {limit:Count} characters"), target_fixture="handed_on")
def hand_on_within(messages, limit):
    handed_on = bounded(messages, limit)
    assert sum(map(len, handed_on)) <= limit
    return handed_on


@when("they are handed on", target_fixture="handed_on")
def hand_on(messages):
    return bounded(messages)


@then(phrase('the messages handed on whole are "{numbers:Quoted}"'))
def check_handed_on(handed_on, messages, numbers):
    assert [message.split()[0] for message in handed_on if message in messages] == numbers.split()


@then(phrase("{count:Count} messages are handed on"))
def check_handed_on_total(handed_on, count):
    assert len(handed_on) == count


@then(phrase("{count:Count} messages are handed on whole"))
def check_handed_on_count(handed_on, messages, count):
    assert sum(message in messages for message in handed_on) == count


@then(phrase("{count:Count} messages are handed on without their middle"))
def check_handed_on_shortened(handed_on, count):
    assert sum(GAP.search(message) is not None for message in handed_on) == count


@then(phrase('the section reads "{expected:Quoted}"'))
def check_section(section, expected):
    assert section == (unescaped(expected) if expected.isascii() else expected)


@then(phrase('the messages shown whole are "{numbers:Quoted}"'))
def check_whole(section, messages, numbers):
    assert [message.split()[0] for message in messages if f"\n- {message}" in section] == numbers.split()


@then("the section leaves nothing out")
def check_nothing_left_out(section):
    assert "…" not in section


@then(phrase('the section leaves out "{note:Quoted}"'))
def check_left_out(section, note):
    assert f"\n{note}\n" in section


@then(phrase("message {number:Count} is shown without its middle"))
def check_shortened(section, number):
    assert re.search(rf"^- {number} x+{GAP.pattern}x+$", section, re.MULTILINE)


@then(phrase("the section has between {least:Count} and {most:Count} characters"))
def check_length(section, least, most):
    assert least <= len(section) <= most


@then(phrase("the newest {count:Count} messages are whole"))
def check_newest(section, messages, count):
    whole = [f"\n- {message}" in section for message in messages[1:]]
    assert whole[-count:] == [True] * count
    assert sum(whole) == count


@then(phrase("the characters shown of it and the number left out make {length:Count}"))
def check_number(section, length):
    item = section.partition("\n- ")[2]
    gap = GAP.search(item)
    assert len(item) - len(gap[0]) + int(gap[1].replace(",", "")) == length


@then("only whole clusters are shown at both sides of the gap")
def check_clusters(section, messages):
    cluster = messages[0][: len(messages[0]) // 1_000]
    item = section.partition("\n- ")[2].replace("\n  ", "\n")
    before, _, after = GAP.split(item)
    assert all(part.replace(cluster, "") == "" for part in (before, after)), item
    assert min(len(before), len(after)) > 3 * len(cluster)


@given(
    phrase("a conversation of {held:Count} tokens in a window of {window:Count} tokens"),
    target_fixture="conversation",
)
def conversation_of(held, window):
    limits = ModelLimits(context_window=window, max_output_tokens=window // 5)
    return [said("user", filler(held))], limits


@when(phrase("it is planned as it is"), target_fixture="planned")
def plan(conversation):
    messages, limits = conversation
    return plan_compaction(ContextWindow(limits, messages=messages))


@when(phrase("it is planned with a share of {share:Number}"), target_fixture="planned")
def plan_with_share(conversation, share):
    messages, limits = conversation
    return plan_compaction(ContextWindow(limits, CompactionPolicy(words_share=share), messages=messages))


@when("it is planned after an overflow", target_fixture="planned")
def plan_after_overflow(conversation):
    messages, limits = conversation
    return plan_compaction(ContextWindow(limits, messages=messages), cause="overflow")


@then(phrase("the user's words may take {tokens:Count} tokens"))
def check_tokens(planned, tokens):
    assert planned.words_tokens == tokens


@when(phrase("a policy with a share of {share:Count} for the user's words is made"), target_fixture="refusal")
def make_policy(share):
    return attempt(CompactionPolicy, words_share=share)


@then(phrase('the refusal says "{words:Quoted}"'))
def check_refusal(refusal, words):
    assert words in str(refusal)


@given("a request of the user with a rule, 30 turns of work and a last request", target_fixture="messages")
def request_with_rule():
    return [said("user", FIRST), said("assistant", "On it."), *raw_turns(30, 400), said("user", LAST)]


@when(phrase("it is compacted without a model"), target_fixture="made")
def compact(messages):
    return Compactor(limits=WINDOW).compact(messages)


@when(phrase("it is compacted {how} first message"), target_fixture="made")
def compact_quoting(messages, how):
    return compactor(f"{how} first message").compact(messages)


@when("it is compacted with a summary that says nothing", target_fixture="made")
def compact_with_nothing(messages):
    return compactor("with a summary that says nothing").compact(messages)


def compactor(how):
    says = SUMMARIZERS[how]
    return Compactor(model="m", limits=WINDOW, summarizer=None if says is None else ScriptedSummarizer(lambda _: says))


@then("the new conversation has the rule twice, in the message and in the list of constraints")
def check_rule(made):
    assert (made.text.count(RULE), made.text.count(f"\n- {RULE}\n")) == (2, 1)


@then("the new conversation has the rule once")
def check_rule_once(made):
    assert made.text.count(RULE) == 1


@then("the new conversation has the last request once")
def check_last(made):
    assert made.text.count(LAST) == 1 + made.text.count(f'Last intent: "{LAST}"')


@when(phrase("it is compacted 20 times as it grows, {how}"), target_fixture="made")
def compact_again(messages, how):
    engine, made = compactor(how), None
    for number in range(20):
        made = engine.compact(messages)
        assert made.plan.summarizes
        messages = [*made.messages, *raw_turns(8, 400), said("user", asked(number))]
    return made


def asked(number):
    return f"Request {number}:\n  write part {number}."


@then("the last conversation has the first request whole")
def check_first_whole(made):
    assert " ".join(FIRST.split()) in " ".join(made.text.split())


@then("the last conversation has the three newest requests whole")
def check_newest_whole(made):
    held = " ".join(made.text.split())
    assert all(" ".join(asked(number).split()) in held for number in (16, 17, 18))


@given(
    phrase("a first message of {tokens:Count} tokens in a window of {window:Count} tokens, and work after it"),
    target_fixture="large",
)
def large_first(tokens, window):
    messages = [said("user", f"Begin. {filler(tokens)} End."), said("assistant", "Ok."), *raw_turns(30, 5_000)]
    return messages, ModelLimits(context_window=window, max_output_tokens=32_000)


@given(
    phrase("work and a newest message of {tokens:Count} tokens in a window of {window:Count} tokens"),
    target_fixture="large",
)
def large_newest(tokens, window):
    messages = [*raw_turns(30, 2_000), said("user", f"Begin. {filler(tokens)} End.")]
    return messages, ModelLimits(context_window=window, max_output_tokens=32_000)


@when("the long conversation is compacted without a model", target_fixture="made")
def compact_large(large):
    messages, limits = large
    return Compactor(limits=limits).compact(messages)


@when("the long conversation is about to be sent", target_fixture="refusal")
def send_large(large):
    messages, limits = large
    conversation = Conversation(Compactor(limits=limits))
    conversation.extend(messages)
    return attempt(conversation.prepare)


@then("the summary holds the message without its middle")
def check_large(made):
    assert re.search(rf"^- Begin\. [tex]+{GAP.pattern}[tex]+ End\.$", made.summary, re.MULTILINE)


@then(phrase("the summary has at most {most:Count} characters"))
def check_summary_length(made, most):
    assert len(made.summary) <= most
