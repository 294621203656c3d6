"""Steps of features/summary/identifiers.feature."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from pytest_bdd import given, parsers, when

from brim import CompactionPolicy, Compactor, ModelLimits
from brim.testing import ScriptedSummarizer
from steps.turn_table import read_text
from steps.vocabulary import phrase

HEADING = "Identifiers of what left, most used first"
LIMITS = ModelLimits(context_window=200_000, max_output_tokens=32_000)
ANSWER = "And so it went on. " * 120
"""What ends each turn: long enough that the turns before it have room for a summary."""
PLENTY = "So it has to be. " * 2_400
"""Messages of the user that together take more than the room for words."""
OFTEN = {"threshold": 1_500, "keep_tokens": 700}
"""Tokens from which on 3 turns are due, and a summary and a turn are not; and what one turn has, and two have not."""
SPEAKER = "(?P<speaker>the model|the user|a tool|a failed tool)"


class Talk:
    """A conversation that is written turn by turn."""

    def __init__(self, count: int) -> None:
        self.turns: list[list[tuple[str, str]]] = [[] for _ in range(count)]
        self.asked = ""
        self.fields: dict[str, Any] = {}

    def say(self, speaker: str, text: str, *turns: int) -> Talk:
        """Let a speaker say a text in these turns."""
        for turn in turns:
            self.turns[turn - 1].append((speaker, text))
        return self

    def messages(self) -> list[dict[str, Any]]:
        """Return the messages as dictionaries."""
        return [one for number, said in enumerate(self.turns) for one in self._turn(number, said)]

    def _turn(self, number: int, said: list[tuple[str, str]]) -> Iterator[dict[str, Any]]:
        """Yield a turn; the user says what was given, or other words that name nothing."""
        words = [text for speaker, text in said if speaker == "the user"]
        others = f"{self.asked * (number + 1 < len(self.turns))}{'Go on. ' * (number + 1)}"
        yield {"role": "user", "content": words[0] if words else others}
        for speaker, text in said:
            if speaker == "the model":
                yield {"role": "assistant", "content": text}
            elif speaker == "a command":
                yield from used(f"ran-{number}-{len(text)}", "Done.", given={"command": text})
            elif speaker != "the user":
                yield from used(f"call-{number}-{len(text)}", text, failed=speaker == "a failed tool")
        yield {"role": "assistant", "content": ANSWER}

    def compactor(self, writer: str, says: str = "All went well.") -> Compactor:
        """Return a compactor with this writer of summaries, by whose settings all turns but the last leave."""
        policy = {"recent_turns": 1, "keep_share": 1, "anchor_confidence": 1, "prune": False} | self.fields
        summarizer = None if writer == "the template" else ScriptedSummarizer(says, repeat=True)
        return Compactor(limits=LIMITS, summarizer=summarizer, policy=CompactionPolicy(**policy))


def used(name: str, text: str, *, failed: bool = False, given: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """Return a call of a tool and its output."""
    output = f"Error: it broke.\n{text}" if failed else text
    call = {"type": "tool_use", "id": name, "name": "run" if given else "look_up", "input": given or {"query": "it"}}
    result = {"type": "tool_result", "tool_use_id": name, "content": output, "is_error": failed}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def index_of(summary: str) -> SimpleNamespace:
    """Return the one index at the end of a summary: its heading, its rows and its length; empty where there is none."""
    _, *indices = summary.split(f"\n\n{HEADING}")
    assert len(indices) <= 1
    heading, *rows = f"{HEADING}{indices[0]}".split("\n") if indices else [""]
    assert all(row.startswith("- ") for row in rows)
    index = [row.removeprefix("- ") for row in rows]
    return SimpleNamespace(heading=heading, index=index, characters=len("\n".join([heading, *rows])))


@given(phrase("{count:Count} turns with long answers"), target_fixture="talk")
def turns_with_long_answers(count):
    return Talk(count)


@given(parsers.re(rf'{SPEAKER} said "(?P<text>[^"]*)" in turns? (?P<turns>[\d, ]+)'))
def say(talk, speaker, text, turns):
    talk.say(speaker, read_text(text), *map(int, turns.split(", ")))


@given(parsers.re(r'the model ran "(?P<text>[^"]*)" in turns? (?P<turns>[\d, ]+)'))
def run(talk, text, turns):
    talk.say("a command", read_text(text), *map(int, turns.split(", ")))


@given("the user's other messages take the room for words")
def long_messages(talk):
    talk.asked = PLENTY[: len(PLENTY) // len(talk.turns)]
    talk.fields["words_share"] = 0.01


@given(phrase("the model named {count:Count} tickets in each turn but the last"))
def name_tickets(talk, count):
    tickets = " ".join(f"SHOP-{number}" for number in range(1_000, 1_000 + count))
    talk.say("the model", tickets, *range(1, len(talk.turns)))


@when(
    parsers.re(
        r'(?P<writer>a model|the template)(?: that says "(?P<says>[^"]*)")? summarizes'
        r"(?: them (?P<count>\d+) times, each time anew behind the summary before)?"
    ),
    target_fixture="outcome",
)
def summarize(talk, settings, writer, says, count):
    talk.fields |= (OFTEN if count else {}) | settings
    compactor, messages = talk.compactor(writer, says or "All went well."), []
    for _ in range(int(count or 1)):
        made = compactor.compact([*messages, *talk.messages()])
        messages = made.messages
    return index_of(made.summary)
