"""Steps of features/engine/progress.feature: an agent that sends on where what must be kept fills the window."""

from __future__ import annotations

from typing import Any

from pytest_bdd import given, parsers

from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation, Outgoing
from brim.errors import BrimError, CompactionStalled, ContextOverflow
from brim.models import ModelLimits
from brim.testing import ScriptedSummarizer
from steps.compaction_windows import definition
from steps.policies import with_policy
from steps.vocabulary import attempt, tokens
from steps.worlds.agents import KeptAgent, filler, notes_read

FAILURES = {ContextOverflow: "overflow", CompactionStalled: "stall"}


def short_turn(number: int) -> list[Any]:
    """Return a turn of some 40 tokens, in which the user says what a summary keeps."""
    return [
        {"role": "user", "content": f"Mend the file src/part_{number}.py, and never touch src/old_{number}.py."},
        {"role": "assistant", "content": f"Done: I mended src/part_{number}.py, and src/old_{number}.py is as it was."},
    ]


class PressedAgent(KeptAgent):
    """An agent that makes request after request, and notes what becomes of each."""

    def __init__(self, limits: dict[str, Any], summarizer: ScriptedSummarizer | None) -> None:
        self.limits = ModelLimits(**limits)
        self.summarizer = summarizer
        super().__init__([], limits, {})
        self.system: str | None = None
        self.tools: list[Any] = []
        self.question = ""
        self.pins_question = False
        self.notes_had = self.turns_had = 0
        self.outcomes: list[Outgoing | BrimError] = []

    def working(self) -> Any:
        """Begin under its settings."""
        compactor = Compactor(
            limits=self.limits, summarizer=self.summarizer, sleep=lambda _: None, **with_policy(self.settings)
        )
        self.conversation = Conversation(compactor)
        return super().working()

    def sends(self, _how: str | None) -> None:
        """Make a request, which may fail."""
        if self.question:
            self.new.append({"role": "user", "content": self.question})
        self.conversation.extend(self.new)
        self.new = []
        pinned = [*self.pinned, len(self.conversation.messages) - 1] if self.pins_question else self.pinned
        options = {"system": self.system, "tools": self.tools, "pinned": pinned}
        self.outcomes.append(attempt(self.conversation.prepare, **options))

    def has(self, what: str, count: str) -> None:
        """Have a part in all requests that must be kept; a message is the first of the conversation."""
        text = filler(tokens(count))
        if what == "system prompt":
            self.system = text
        elif what == "tool":
            self.tools = [definition(tokens(count))]
        elif what.endswith("question"):
            self.question, self.pins_question = text, what.startswith("pinned")
        elif what == "pinned message":
            self.new = [{"role": "user", "content": text}, {"role": "assistant", "content": "I see."}]
            self.pinned = [0]
        else:
            call, result = (dict(message) for message in notes_read(1)[1:3])
            result["content"] = [result["content"][0] | {"content": text}]
            self.new = [{"role": "user", "content": "Read the chart."}, call, result]
            self.new.append({"role": "assistant", "content": "I see."})
            self.notes_had = 1
            self.pinned = [1]

    def takes_pin_away(self) -> None:
        """Pin nothing any more."""
        self.pinned = []

    def has_turns(self, count: str) -> None:
        """Go on by short turns."""
        for _ in range(int(count)):
            self.new += short_turn(self.turns_had)
            self.turns_had += 1

    def reads_more(self, count: str) -> None:
        """Read further notes of 2,000 tokens each."""
        self.new += notes_read(int(count), self.notes_had)[:-1]
        self.notes_had += int(count)

    def makes_requests(self, count: str, what: str) -> None:
        """Go on before each of several requests."""
        for _ in range(int(count)):
            if what == "3 notes":
                self.reads_more("3")
            else:
                self.has_turns("1")
            self.sends(None)

    def reads_file(self, size: str, count: str | None) -> None:
        """Read the same file again and again in one turn, and make a request behind each result."""
        self.new.append({"role": "user", "content": "Read the file."})
        for number in range(int(count or 1)):
            call = {"type": "tool_use", "id": f"read_{number}", "name": "Read", "input": {"file_path": "tides.txt"}}
            result = {"type": "tool_result", "tool_use_id": f"read_{number}", "content": filler(tokens(size))}
            self.new += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
            self.sends(None)

    @property
    def sent(self) -> list[Any]:
        """The messages of its last request."""
        assert isinstance(self.outcomes[-1], Outgoing), self.outcomes[-1]
        return [*self.outcomes[-1].messages]

    @property
    def requests_sent(self) -> int:
        """How many of its requests could be sent."""
        return sum(isinstance(one, Outgoing) for one in self.outcomes)

    @property
    def messages_sent(self) -> str:
        """Whether each request sent the same messages, the first of them compacted."""
        first, *others = self.outcomes
        assert first.compaction is not None
        return "the same" if all(one.messages == first.messages for one in others) else "others"

    @property
    def failure(self) -> str:
        """How its last request failed."""
        return FAILURES.get(type(self.outcomes[-1]), "")

    @property
    def error(self) -> str:
        """What the error of its last request says."""
        return str(self.outcomes[-1])

    @property
    def summaries(self) -> int:
        """How many summaries a model was asked for."""
        return len(self.summarizer.requests) if self.summarizer else 0

    @property
    def summaries_by(self) -> list[str]:
        """Who wrote the summary of each compaction."""
        made = [one.compaction for one in self.outcomes if isinstance(one, Outgoing)]
        return [one.summary_source for one in made if one is not None]


@given(
    parsers.re(r"an agent (?:whose summaries take (?P<count>[\d,]+) tokens|without a summarizer)"),
    target_fixture="agent",
)
def with_summarizer(limits, count):
    return PressedAgent(limits, ScriptedSummarizer([filler(tokens(count))], repeat=True) if count else None)
