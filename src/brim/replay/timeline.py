"""Timeline: the requests of a transcript as measured, apart from what its own tool did to make room.

Part of features/replay/simulation.feature (RPL_01).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from brim.compaction.context_window import ContextWindow
from brim.conversation.messages import Message
from brim.errors import InvalidInput
from brim.replay.check import UNSEEN, read_tokens, unseen_tokens
from brim.summary.facts import Fact
from brim.tokens.estimation import EMPTY_SIZE, measure, tokens_of
from brim.tokens.usage import TokenUsage, completed
from brim.transcripts.values import ResponseRecord, Transcript
from brim.transcripts.window import Walk, extras_of, without_unsigned

FELL: Final = Fraction(9, 10)
"""Where a response read less than this part of what the one before read, the tool made room and did not record it.
Thinking that is left out of later requests was never seen to be as much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A request and its response."""

    response: ResponseRecord
    """The record of the response."""
    appended: tuple[int, ...]
    """Indices of the messages that the request sends for the first time."""
    answer: tuple[int, ...]
    """Indices of the messages of the response."""
    usage: TokenUsage | None
    """As reported, an unfinished output by its text and calls (TOK_10); None where the file has none."""
    growth: int
    """Tokens by which its input grew over all that was held before; of the first request all."""
    output: int
    """Tokens of the response."""
    cached: int | None
    """Tokens that it read from the cache where the cache had expired, or is one that the provider keeps by itself; None
    where the cache held."""
    readable: int
    """Tokens that it could have read from the cache: those that the request before sent; 0 where that is unknown."""
    begins: bool
    """It begins a new conversation."""
    crosses: bool
    """The tool made room since the response before: what the window held by itself is not known from here on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The requests of a transcript, and what they have in common."""

    transcript: Transcript
    """The session."""
    steps: tuple[Step, ...]
    """The requests, in the order of time."""
    messages: dict[int, Message]
    """By index, as they are sent: without thinking that nobody signed."""
    overhead: int
    """Tokens of the system prompt and tools: what the first response read, less the estimate of its messages."""
    characters_per_token: int | Fraction
    """The learned ratio, by which all is estimated here."""
    caches: bool
    """Whether any response read from a cache."""
    writes: bool
    """Whether any response reports what it wrote to the cache, so that this has a price of its own."""
    last: ContextWindow
    """The messages of the last conversation in the file, none of them replaced."""
    facts: tuple[Fact, ...]
    """The facts of that conversation."""
    hourly: Fraction
    """The share of what was written to the cache that is kept there for an hour, which has another price."""


def timeline_of(transcript: Transcript) -> Timeline:
    """Return the requests of a transcript. Raises InvalidInput where its file tells too little to replay it."""
    walk = Walk(transcript)
    walk.finish()
    return _TimelineReader(transcript, walk.account.characters_per_token).read()


class _TimelineReader:
    """Goes through the responses once."""

    def __init__(self, transcript: Transcript, ratio: int | Fraction) -> None:
        self.transcript, self.ratio = transcript, ratio
        made = [one for one in transcript.compactions if one.after_message > 0]
        entered = {index for one in made for index in one.opening or () if index >= one.after_message}
        left_out = transcript.unsent | entered
        self.messages = {n: without_unsigned(one) for n, one in enumerate(transcript.messages) if n not in left_out}
        self.boundaries = sorted(one.after_message for one in made)
        self.usages = [one.usage for one in transcript.responses if one.usage is not None]
        self.written = sum(usage.cache_write for usage in self.usages)
        """Tokens; 0 where the provider decides by itself what it caches, and often reads less than it could."""
        self.before: ResponseRecord | None = None
        self.held = 0
        """Tokens after the response before."""
        self.stop = 0
        """How many messages stand before its end."""

    def read(self) -> Timeline:
        """Take the responses one by one; those that wrote a summary, or were never sent, are none of them."""
        steps: list[Step] = []
        for response in self.transcript.responses:
            answer = self._known(response.message, response.message + 1)
            if response.summary or not answer:
                continue
            step = self._step(response, answer)
            self.held = (read_tokens(response) or self.held + step.growth) + step.output
            self.stop, self.before = response.message + 1, response
            steps.append(step)
        return self._timeline(tuple(steps))

    def _known(self, start: int, stop: int) -> tuple[int, ...]:
        return tuple(index for index in range(start, stop) if index in self.messages)

    def _step(self, response: ResponseRecord, answer: tuple[int, ...]) -> Step:
        start = max((one for one in self.transcript.begins if self.stop <= one <= response.message), default=None)
        begins = start is not None and self.before is not None
        if begins:
            self.before, self.held = None, 0
        appended = self._known(self.stop if start is None else start, response.message)
        read, size = read_tokens(response), self._tokens(answer)
        usage = completed(response.usage, size, finished=response.finished) if response.usage is not None else None
        fell = self.before is not None and 0 < read < FELL * read_tokens(self.before)
        crosses = fell or (not begins and any(self.stop <= place <= response.message for place in self.boundaries))
        return Step(
            response=response,
            appended=appended,
            answer=answer,
            usage=usage,
            growth=self._tokens(appended) if crosses or not read else read - self.held,
            output=size if usage is None else usage.output,
            cached=None if crosses or usage is None else self._expired(usage),
            readable=read_tokens(self.before) if self.before is not None else 0,
            begins=begins,
            crosses=crosses,
        )

    def _expired(self, usage: TokenUsage) -> int | None:
        """Return what was read from a cache that had expired: less than half of what could be."""
        held = self.written and self.before is not None and 2 * usage.cache_read >= read_tokens(self.before)
        return None if held else usage.cache_read

    def _tokens(self, indices: tuple[int, ...]) -> int:
        return tokens_of(sum((measure(self.messages[index]) for index in indices), EMPTY_SIZE), self.ratio)

    def _timeline(self, steps: tuple[Step, ...]) -> Timeline:
        if all(step.usage is None for step in steps):
            raise InvalidInput("no response tells its usage; a replay needs what the API counted")
        stated = tokens_of(extras_of(self.transcript), self.ratio)
        overhead = stated + unseen_tokens(self.transcript, self.ratio)
        if overhead >= UNSEEN:
            raise InvalidInput(
                f"it begins in the middle of a session: {overhead:,} tokens before its first response are not in it; "
                "a replay needs a session from its beginning"
            )
        begun = max((number for number, step in enumerate(steps) if step.begins), default=0)
        sent = (index for step in steps[begun:] for index in (*step.appended, *step.answer))
        last = ContextWindow(messages=(self.messages[index] for index in sent))
        return Timeline(
            transcript=self.transcript,
            last=last,
            facts=last.turns.facts(),
            steps=steps,
            messages=self.messages,
            overhead=overhead,
            characters_per_token=self.ratio,
            caches=any(usage.cache_read for usage in self.usages),
            writes=bool(self.written),
            hourly=Fraction(sum(usage.cache_write_1h for usage in self.usages), self.written or 1),
        )
