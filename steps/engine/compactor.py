"""Steps of features/engine/compactor.feature."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

from pytest_bdd import parsers, when

from brim.conversation.messages import SUMMARY_OPENING
from brim.engine.compactor import AsyncCompactor, Compactor
from brim.engine.conversation import Conversation
from brim.errors import BrimError, CompactionCancelled
from brim.models import ModelLimits
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import AsyncScriptedSummarizer, ScriptedSummarizer
from steps.policies import with_policy
from steps.providers import *  # noqa: F403  the provider that fails
from steps.vocabulary import phrase
from steps.worlds.agents import SUMMARY
from steps.worlds.conversation_line import Line

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
        self.summarizer: Any = (AsyncScriptedSummarizer if in_loop else ScriptedSummarizer)(
            ANSWERS[answers], repeat=True
        )
        self.compactor: Any = (AsyncCompactor if in_loop else Compactor)(
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

    def runs(self, messages: list[Any], **options: Any) -> Summarized:
        """Compact; the caller's messages are unchanged."""
        before = deepcopy(messages)
        compact = self.compactor.compact
        try:
            self.result = asyncio.run(compact(messages, **options)) if self.in_loop else compact(messages, **options)
        except (BrimError, asyncio.CancelledError) as error:
            self.result = error
        self.cancelled = isinstance(self.result, CompactionCancelled | asyncio.CancelledError)
        assert messages == before
        return self

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
        return self.heard[-1].kind

    @property
    def attempts(self) -> int:
        """How many attempts that event counts."""
        return self.heard[-1].attempts


def raws(conversation: Any) -> list[Any]:
    """Return the messages as dictionaries."""
    return [one.raw for one in conversation]


@when(
    parsers.re(
        f'{SUMMARIZES}(?P<cause> automatically)?(?:, planned with the focus "(?P<planned>[^"]*)")?'
        '(?:, with the focus "(?P<focus>[^"]*)")?'
    ),
    target_fixture="outcome",
)
def summarize(conversation, limits, settings, answers, cause, planned, focus):  # noqa: PLR0917  a phrase of four words
    made, messages = Summarized(answers, limits, settings), raws(conversation)
    if planned is not None:
        plan = made.compactor.plan(messages, focus=planned or None)
        made.result = made.compactor.apply(plan, focus=focus or None)
        return made
    made.runs(messages, focus=focus, cause="automatic" if cause else "manual")
    made.same_objects = [id(one) for one in getattr(made.result, "messages", [])] == [*map(id, messages)]
    return made


@when(parsers.re(f"{SUMMARIZES}, in a thread and in an event loop alike"), target_fixture="outcome")
def summarize_in_both(conversation, limits, settings, answers):
    """With a focus, a system prompt and a pin; after an overflow error they plan alike too, and keep less."""
    options = {"focus": "the API", "system": "You build piers.", "pinned": [0]}
    one, other = (
        Summarized(answers, limits, settings, in_loop=in_loop).runs(raws(conversation), **options)
        for in_loop in (False, True)
    )
    assert one.summarizer.requests == other.summarizer.requests
    assert (one.waits, one.heard, repr(one.result)) == (other.waits, other.heard, repr(other.result))
    overflowed = Compactor().plan(raws(conversation), cause="overflow")
    in_loop = asyncio.run(AsyncCompactor().plan(raws(conversation), cause="overflow"))
    assert repr(in_loop) == repr(overflowed)
    assert overflowed.cut > Compactor().plan(raws(conversation)).cut
    return one


@when(
    parsers.re(
        f'{SUMMARIZES}, (?P<way>in a thread|in an event loop), and is cancelled at the event "(?P<event>[^"]*)"'
    ),
    target_fixture="outcome",
)
def cancel(conversation, limits, settings, answers, way, event):  # noqa: PLR0917  a phrase of three words
    made = Summarized(answers, limits, settings, in_loop=way == "in an event loop")
    made.at = event
    made.runs(raws(conversation))
    ended = [*made.heard]
    again = made.compactor.compact(raws(conversation))
    made.author_of_the_next = (asyncio.run(again) if made.in_loop else again).summary_source
    made.heard = ended
    return made


@when(
    phrase("a session of {count:Count} turns of {size:Tokens} is compacted whenever compaction is due"),
    target_fixture="outcome",
)
def long_session(count, size, limits):
    compactor = Compactor(summarizer=ScriptedSummarizer("It went on."), limits=ModelLimits(**limits))
    running = Conversation(compactor)
    compactions = fullest = 0
    for number in range(count):
        request = f"Build pier {number}." if number else "Build the harbour."
        running.extend(Line.read(f'user "{request}", A{number} {size}').raws)
        outgoing = running.prepare()
        running.extend(Line.read(f'assistant "Pier {number} stands."').raws)
        fullest = max(fullest, outgoing.window.held)
        compactions += outgoing.compaction is not None
    return SimpleNamespace(
        at_least_10_compactions=compactions >= 10,
        above_the_window=fullest > limits["context_window"],
        summaries=str(outgoing.messages).count(SUMMARY_OPENING),
        last_request=str(outgoing.messages),
    )
