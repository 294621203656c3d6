"""Steps of features/engine/compactor.feature."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from typing import Any

import pytest
from pytest_bdd import parsers, when

from brim.conversation.messages import SUMMARY_OPENING
from brim.engine.compactor import Compactor
from brim.errors import BrimError, CompactionCancelled
from brim.models import ModelLimits
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import ScriptedSummarizer
from steps.policies import with_policy
from steps.providers import *  # noqa: F403  the provider that fails
from steps.vocabulary import tokens
from steps.worlds.agents import SUMMARY, Alike, KeptAgent, filler

ANSWERS: dict[str, list[Any]] = {
    "answers": [SUMMARY],
    "answers after an error": ["Overloaded", SUMMARY],
    "is busy": [SummaryAnswer(failure="transient", reason="overloaded")],
    "is cut off": [SummaryAnswer(text="All went", stop_reason="length")],
    "fails for good": [SummaryAnswer(failure="permanent", reason="the key is not known")],
    "breaks": [RuntimeError("the summarizer is broken")],
}
SUMMARIZES = f"a model that (?P<answers>{'|'.join(ANSWERS)}) summarizes the conversation"


class Summarized:
    """What a compaction asked, waited and came to, in a thread or in an event loop."""

    def __init__(
        self, answers: str, limits: dict[str, Any], settings: dict[str, Any], *, in_loop: bool = False
    ) -> None:
        self.in_loop, self.waits, self.heard = in_loop, list[float](), list[Any]()
        self.at = ""
        self.cancelled = False
        self.summarizer = ScriptedSummarizer(ANSWERS[answers], repeat=True)
        self.compactor: Any = Compactor(
            summarizer=self.summarizer,
            limits=ModelLimits(**limits) if limits else None,
            sleep=self._wait_in_loop if in_loop else self.waits.append,
            on_event=self._listen,
            **with_policy(settings),
        )

    async def _wait_in_loop(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)

    def _listen(self, event: Any) -> None:
        self.heard.append(event)
        if event.kind == self.at:
            self.at = ""
            self.compactor.cancel()

    def runs(self, messages: list[Any], event: str | None, cause: str | None, **options: Any) -> Summarized:
        """Compact; the caller's messages are unchanged. What is cancelled at an event can be compacted afterwards."""
        before, self.at = deepcopy(messages), event or ""
        try:
            self.result = self._compacted(messages, cause="automatic" if cause else "manual", **options)
        except (BrimError, asyncio.CancelledError) as error:
            self.result = error
        self.cancelled = isinstance(self.result, CompactionCancelled | asyncio.CancelledError)
        self.same_objects = [id(one) for one in getattr(self.result, "messages", [])] == [*map(id, messages)]
        self.heard_until_then = [*self.heard]
        if event:
            self.author_of_the_next = self._done("compact", messages).summary_source
        assert messages == before
        return self

    def _compacted(self, messages: list[Any], *, planned: str | None, focus: str | None, **options: Any) -> Any:
        if planned is None:
            return self._done("compact", messages, focus=focus, **options)
        plan = self._done("plan", messages, focus=planned or None)
        return self._done("apply", plan, focus=focus or None)

    def _done(self, method: str, *arguments: Any, **options: Any) -> Any:
        if self.in_loop:
            return asyncio.run(getattr(self.compactor, f"a{method}")(*arguments, **options))
        return getattr(self.compactor, method)(*arguments, **options)

    @property
    def author(self) -> str:
        """Who wrote the summary; nobody, where there is none."""
        return getattr(self.result, "summary_source", "") or ""

    @property
    def error(self) -> str:
        """The error that it ended in."""
        return str(self.result) if isinstance(self.result, Exception) else ""

    @property
    def text(self) -> str:
        """What the new conversation says."""
        return getattr(self.result, "text", "")

    @property
    def longest_answers(self) -> list[int]:
        """The longest answer that each request for a summary allows."""
        return [one.max_tokens for one in self.summarizer.requests]

    @property
    def summary_request(self) -> str:
        """What the first request for a summary says."""
        return str(self.summarizer.requests[0].messages)

    @property
    def last_event(self) -> str:
        """What the listener heard last."""
        return self.heard_until_then[-1].kind

    @property
    def attempts(self) -> int:
        """How many attempts that event counts."""
        return self.heard_until_then[-1].attempts


@when(
    parsers.re(
        f'{SUMMARIZES}(?P<cause> automatically)?(?:, planned with the focus "(?P<planned>[^"]*)")?'
        '(?:, with the focus "(?P<focus>[^"]*)")?(?:, and is cancelled at the event "(?P<event>[^"]*)")?'
    ),
    target_fixture="outcome",
)
def summarize(conversation, limits, settings, answers, cause, planned, focus, event):  # noqa: PLR0917  a phrase of five words
    """In a thread and in an event loop, which send the same requests, wait equally long and emit the same events."""
    raws, pinned = [one.raw for one in conversation], [n for n, one in enumerate(conversation) if one.marks.pinned]
    own = {"planned": planned, "focus": focus, "system": settings.pop("system", None), "pinned": pinned}
    one, other = (
        Summarized(answers, limits, settings, in_loop=in_loop).runs(raws, event, cause, **own)
        for in_loop in (False, True)
    )
    assert one.summarizer.requests == other.summarizer.requests
    assert (one.waits, one.heard) == (other.waits, other.heard)
    assert one.cancelled or repr(one.result) == repr(other.result)
    return Alike([one, other])


class BuilderAgent(KeptAgent):
    """An agent whose model writes short summaries, with what its window held at most."""

    def __init__(self, limits: dict[str, Any]) -> None:
        super().__init__([], limits, {"summarizer": ScriptedSummarizer("It went on.", repeat=True)})
        self.window, self.most_held, self.compactions = limits["context_window"], 0, 0

    def works(self, count: str, size: str) -> None:
        """Take so many turns, each with an output of this size, and prepare a request for the answer of each."""
        for number in range(int(count)):
            call = {"type": "tool_use", "id": f"call-{number}", "name": "Bash", "input": {"command": "make"}}
            result = {"type": "tool_result", "tool_use_id": f"call-{number}", "content": filler(tokens(size))}
            request = f"Build pier {number}." if number else "Build the harbour."
            self.conversation.append({"role": "user", "content": request})
            self.conversation.append({"role": "assistant", "content": [call]})
            self.conversation.append({"role": "user", "content": [result]})
            outgoing = self.conversation.prepare()
            self.conversation.append({"role": "assistant", "content": f"Pier {number} stands."})
            self.most_held = max(self.most_held, outgoing.window.held)
            self.compactions += outgoing.compaction is not None
            self._sent = outgoing.messages

    @property
    def at_least_10_compactions(self) -> bool:
        """Whether so many of its requests were compacted."""
        return self.compactions >= 10

    @property
    def above_the_window(self) -> bool:
        """Whether a request held more than the model's window."""
        return self.most_held > self.window

    @property
    def summaries(self) -> int:
        """How many summaries its last request holds."""
        return self.last_request.count(SUMMARY_OPENING)


@pytest.fixture
def agent(limits) -> BuilderAgent:
    """The agent of a long session."""
    return BuilderAgent(limits)
