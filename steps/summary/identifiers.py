"""Steps of features/summary/identifiers.feature."""

from __future__ import annotations

from fractions import Fraction

from pytest_bdd import given, then, when

from brim import CompactionPolicy, Compactor, Conversation, ModelLimits
from brim.sessions.store import open_store
from brim.testing import ScriptedSummarizer
from steps.vocabulary import attempt, phrase

HEADING = "Identifiers of what left, most used first"
LIMITS = ModelLimits(context_window=200_000, max_output_tokens=32_000)
ANSWER = "And so it went on. " * 120
"""What ends each turn: long enough that the turns before it have room for a summary."""
PLENTY = "So it has to be. " * 2_400
"""Messages of the user that together take more than the room for words."""
ROOM_FOR_ONE = Fraction(98, 16_000)
"""The share of a summary in which an index has room for its heading and one ticket."""
THRESHOLD = 1_500
"""Tokens from which on 3 turns are due, and a summary and a turn are not."""

KEPT = 700
"""Tokens that one turn has, and two have not."""


class Talk:
    """A conversation that is written turn by turn."""

    def __init__(self, count):
        self.turns = [[] for _ in range(count)]
        self.asked = ""
        self.ahead = []
        self.fields = {}

    def say(self, speaker, text, turns):
        """Let a speaker say a text in these turns."""
        for turn in turns.split(", "):
            self.turns[int(turn) - 1].append((speaker, text))

    def messages(self):
        """The messages as dictionaries."""
        return [*self.ahead, *(one for number, said in enumerate(self.turns) for one in self._turn(number, said))]

    def _turn(self, number, said):
        words = [text for speaker, text in said if speaker == "the user"]
        yield {"role": "user", "content": words[0] if words else self._asked(number)}
        for speaker, text in said:
            if speaker == "the model":
                yield {"role": "assistant", "content": text}
            elif speaker == "a call":
                yield from tool(f"call-{number}", "Done.", given=text)
            elif speaker in OUTPUTS:
                yield from tool(f"call-{number}-{len(text)}", text, failed=speaker == "a failed tool")
        yield {"role": "assistant", "content": ANSWER}

    def _asked(self, number):
        """Other words in each turn, which name nothing."""
        return f"{self.asked * (number + 1 < len(self.turns))}{'Go on. ' * (number + 1)}"

    def policy(self, kept=1):
        """Settings by which all turns but the last ones leave."""
        settings = {"recent_turns": kept, "keep_share": 1, "anchor_confidence": 1, "prune": False}
        return CompactionPolicy(**settings | self.fields)

    def compactor(self, writer, says="All went well."):
        """A compactor with this writer of summaries."""
        summarizer = ScriptedSummarizer(says, repeat=True) if writer == "a model" else None
        return Compactor(limits=LIMITS, summarizer=summarizer, policy=self.policy())


OUTPUTS = ("a tool", "a failed tool")


def tool(name, text, *, failed=False, given=None):
    output = f"Error: it broke.\n{text}" if failed else text
    call = {"type": "tool_use", "id": name, "name": "Bash", "input": given or {"command": "make it"}}
    result = {"type": "tool_result", "tool_use_id": name, "content": output, "is_error": failed}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


@given(phrase("a conversation of {count:Count} turns with long answers"), target_fixture="talk")
def conversation(count):
    return Talk(count)


@given(phrase('{speaker} said "{text:Quoted}" in turn{:S} {turns}'))
def say(talk, speaker, text, turns):
    talk.say(speaker, text, turns)


@given(phrase('the model called a tool with "{first:Quoted}" and "{second:Quoted}" in turn {turn}'))
def call_with(talk, first, second, turn):
    talk.say("a call", {"first": first, "second": second}, turn)


@given(phrase('the model said "{text:Quoted}" before the first turn'))
def say_before(talk, text):
    talk.ahead = [talk.ahead[0], {"role": "assistant", "content": text}]


@given(phrase("the model said a name of {length:Count} characters in turn 2"))
def say_name(talk, length):
    talk.say("the model", f"See {'long_name_'.ljust(length, 'x')} once more.", "2")


@given("the other messages of the user take the room for words")
def long_messages(talk):
    talk.asked = PLENTY[: len(PLENTY) // len(talk.turns)]
    talk.fields["words_share"] = 0.01


@given("room for one identifier in the index")
def room_for_one(talk):
    talk.fields["identifiers_share"] = ROOM_FOR_ONE


@given(phrase("a share of {share:Number} for the index"))
def share(talk, share):
    talk.fields["identifiers_share"] = share


@given(phrase("a tool named {count:Count} tickets in each turn but the last"))
def name_tickets(talk, count):
    tickets = " ".join(f"SHOP-{number}" for number in range(1_000, 1_000 + count))
    for turn in range(1, len(talk.turns)):
        talk.say("a tool", tickets, str(turn))


@given(
    phrase('a conversation of 4 turns with long answers behind a summary whose index names "{ticket:Quoted}"'),
    target_fixture="talk",
)
def behind_summary(ticket):
    before = Talk(4)
    before.say("a tool", f"See {ticket}.", "2")
    talk = Talk(4)
    talk.ahead = before.compactor("a model").compact(before.messages()).messages
    return talk


@when(phrase("all turns but the last are summarized by {writer}"), target_fixture="summary")
def summarize(talk, writer):
    return talk.compactor(writer).compact(talk.messages()).summary


@when(phrase('a model that says "{says:Quoted}" summarizes all turns but the last'), target_fixture="summary")
def summarize_saying(talk, says):
    return talk.compactor("a model", says).compact(talk.messages()).summary


@when("old output is cleared, and then all turns but the last are summarized by a model", target_fixture="summary")
def clear_and_summarize(talk):
    talk.fields |= {"prune": True, "prune_protect": 0, "prune_minimum": 0}
    compactor = talk.compactor("a model")
    window = compactor.window(talk.messages())
    assert window.prune().outputs
    return compactor.compact(window).summary


@when(phrase("a policy with a share of {share} for the index is made"), target_fixture="made")
def make_policy(share):
    return attempt(CompactionPolicy, identifiers_share=share)


class Memory:
    """The conversation in the messages that the compactor gave back, which it remembers."""

    def __init__(self, compactor, _place):
        self._compactor, self._messages = compactor, []

    def go_on(self, messages):
        """Go on with these messages, and compact; the summary."""
        made = self._compactor.compact([*self._messages, *messages])
        self._messages = made.messages
        return made.summary


class Engine:
    """The conversation of an engine, which compacts by itself."""

    def __init__(self, compactor, _place):
        self._conversation = Conversation(compactor)

    def go_on(self, messages):
        """Go on with these messages until a request is due; the summary."""
        self._conversation.extend(messages)
        return self._conversation.prepare().compaction.summary


class Stored:
    """The conversation of a session, read again each time."""

    def __init__(self, compactor, place):
        self._policy, self._summarizer = compactor.policy, compactor.summarizer
        self._store = open_store(place.where)
        with self._store.create() as session:
            self._name = session.id

    def go_on(self, messages):
        """Go on with these messages, and compact what is stored; the summary."""
        with self._store.open(self._name) as session:
            session.extend(messages)
            window = session.view().window(LIMITS, self._policy)
            made = Compactor(limits=LIMITS, summarizer=self._summarizer, policy=self._policy).compact(window)
            session.compacted(made)
        return made.summary


KEEPERS = {"the compactor's memory": Memory, "an engine's conversation": Engine, "a session": Stored}


@given(
    phrase(
        'a conversation that goes on for 3 turns after each compaction, and a tool says "{text:Quoted}" in the second'
    ),
    target_fixture="rounds",
)
def rounds(text):
    def part():
        talk = Talk(3)
        talk.say("a tool", text, "2")
        return talk.messages()

    return part


@when(phrase("it is compacted {count:Count} times by {writer}, and kept in {keeper}"), target_fixture="summary")
def compact_often(rounds, place, count, writer, keeper):
    talk = Talk(0)
    talk.fields |= {"threshold": THRESHOLD, "keep_tokens": KEPT}
    kept = KEEPERS[keeper](talk.compactor(writer), place)
    return [kept.go_on(rounds()) for _ in range(count)][-1]


def index_of(summary):
    """The index at the end of a summary; empty where there is none."""
    start = summary.rfind(f"\n\n{HEADING}")
    return summary[start:].strip() if start >= 0 else ""


@then(phrase('the index has the row "{row:Quoted}"'))
def check_row(summary, row):
    assert f"- {row}" in index_of(summary).split("\n"), summary


@then("the summary has no index")
def check_no_index(summary):
    assert HEADING not in summary


@then(phrase('the index begins "{line:Quoted}"'))
def check_beginning(summary, line):
    assert index_of(summary).startswith(f"{line}\n")


@then(phrase("the index names {count:Count} identifiers"))
def check_number(summary, count):
    assert len(index_of(summary).split("\n- ")[1:]) == count


@then(phrase('the index names "{text:Quoted}" alone'))
def check_alone(summary, text):
    rows = index_of(summary).split("\n")[1:]
    assert [row.partition(" (")[0] for row in rows] == [f"- tickets: {text}"]


@then("the summary ends")
def check_end(summary, docstring):
    assert summary.endswith(f"\n\n{docstring}"), summary


@then(phrase("the index has between {least:Count} and {most:Count} characters"))
def check_length(summary, least, most):
    assert least <= len(index_of(summary)) <= most


@then(phrase('the summary has one index, with the row "{row:Quoted}"'))
def check_one_index(summary, row):
    assert summary.count(HEADING) == 1
    check_row(summary, row)


@then(phrase('the summary carries "{line:Quoted}" as text'))
def check_carried(summary, line):
    assert f"\n  {line}\n" in f"{summary}\n"


@then(phrase("it is refused: {words}"))
def check_refused(made, words):
    assert str(made) == words
