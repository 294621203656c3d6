"""A walk over a transcript: what its window held after every response, as the account of a live loop would say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from brim.conversation.messages import Message, ToolResult
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.tokens.estimation import CHARACTERS_PER_TOKEN, EMPTY_SIZE, MEASURES, Size, measure, measure_extras, tokens_of
from brim.tokens.usage import TokenUsage, completed
from brim.tokens.window import WindowAccount
from brim.transcripts.values import CompactionRecord, ResponseRecord, Transcript
from brim.trigger.profiles import Profile, profile_named


@dataclass(frozen=True, slots=True)
class Held:
    """Tokens held before the next request, or before a compaction."""

    response: int | None
    """Index of the last response; None where none came since the boundary before."""
    tokens: int
    compaction: int | None = None
    """Index of the compaction that came then."""


def reported(response: ResponseRecord) -> TokenUsage | None:
    """The usage of a response, an output that streaming left unfinished replaced by its text's estimate (TOK_10)."""
    if response.usage is None or response.summary:
        return None
    text_tokens = -(-response.characters // CHARACTERS_PER_TOKEN)
    return completed(response.usage, text_tokens, finished=response.finished)


class Measured(NamedTuple):
    """What a usage measures, and what of its response it does not."""

    before: TokenUsage
    response: Size
    after: Size


def measured(response: ResponseRecord, size: Size, profile: Profile) -> Measured | None:
    """What a response measured that ends with a message of this size; None where it reported nothing.

    An output that is a placeholder measures nothing: then text and calls count as appended, and teach with it (TOK_09).
    Else the growth of the window up to the next response would hold an output whose characters are not counted. A
    profile with a fixed ratio learns nothing: it reproduces a tool that counts the placeholder.
    """
    usage = reported(response)
    if usage is None or response.usage is None:
        return None
    unfinished = not response.finished and profile.characters_per_token is None
    if unfinished and response.usage.output < tokens_of(size, CHARACTERS_PER_TOKEN):
        return Measured(usage.model_copy(update={"output": 0, "reasoning": 0}), EMPTY_SIZE, size)
    return Measured(usage, size, EMPTY_SIZE)


class Walk:
    """One pass over the main chain with one profile's measure."""

    def __init__(self, transcript: Transcript, profile: str | Profile = "usable", *, until: int | None = None) -> None:
        self.transcript = transcript
        self.profile = profile_named(profile) if isinstance(profile, str) else profile
        self.until = transcript.end if until is None else until
        self.account = WindowAccount(
            measure=self.profile.measure, characters_per_token=self.profile.characters_per_token
        )
        self.account.append(extras_of(transcript))
        self._sizes: list[Size] = []
        self._outputs: dict[str, int] = {}
        """For each call whose output the window holds: the characters that clearing it saves."""
        self._opening: frozenset[int] = frozenset()
        """Indices of the messages that the last compaction put first: they are counted with it."""
        self._ends = {response.last: response for response in transcript.responses}
        self._starts = {response.first for response in transcript.responses}
        self._boundaries: dict[int, list[int]] = {}
        passed = transcript.made_room(self.until)
        for number, made in enumerate(transcript.compactions):
            if made in passed:
                self._boundaries.setdefault(made.after_message, []).append(number)

    def held(self) -> Iterator[Held]:
        """What the window held after each response, its tool results included, and before each compaction."""
        last: int | None = None
        begins = frozenset(self.transcript.begins)
        for position in range(self.until + 1):
            ends = position == self.until or position in self._starts or position in begins
            for number in self._boundaries.get(position, ()):
                yield Held(last, self._tokens(), number)
                self._compact(self.transcript.compactions[number])
                last = None
            if ends and last is not None:
                yield Held(last, self._tokens())
                last = None
            if position < self.until:
                if position in begins:
                    self._outputs.clear()
                    self.account.compacted(extras_of(self.transcript))
                last = self._take(position, last)

    def finish(self) -> None:
        """Walk to the end, where only the account is of interest."""
        for _ in self.held():
            pass

    def _tokens(self) -> int:
        return self.account.held if self.profile.counts_tail else self.account.reported

    def _take(self, position: int, last: int | None) -> int | None:
        message = self.transcript.messages[position]
        sent = position not in self.transcript.unsent
        size = measure(message) if sent else EMPTY_SIZE
        self._sizes.append(size)
        if position in self._opening:
            return last
        if sent and message.role == "user":
            self._outputs |= _clearable(message)
        response = self._ends.get(position)
        usage = measured(response, size, self.profile) if response else None
        if response and usage:
            self.account.record(usage.before, model=response.model or "", response=usage.response)
            self.account.append(usage.after)
        else:
            self.account.append(size)
        return response.index if response else last

    def _compact(self, made: CompactionRecord) -> None:
        if made.opening is not None:
            self._opening = frozenset(made.opening)
            sizes = [self._size_of(position) for position in made.opening]
            opening = [_clearable(self.transcript.messages[position]) for position in made.opening]
            self._outputs = {call: saved for outputs in opening for call, saved in outputs.items()}
            self.account.compacted(sum(sizes, extras_of(self.transcript)))
        elif made.cleared:
            self.account.subtract(max(sum(self._outputs.pop(call, 0) for call in made.cleared), 0))

    def _size_of(self, position: int) -> Size:
        return self._sizes[position] if position < len(self._sizes) else measure(self.transcript.messages[position])


def extras_of(transcript: Transcript) -> Size:
    """The system prompt and the tools, as far as the file has them."""
    return measure_extras(transcript.system, transcript.tools or ())


def _clearable(message: Message) -> dict[str, int]:
    """For each call that the message answers: the characters that the placeholder of its output saves."""
    sizes = ((part.call_id, MEASURES[ToolResult](part)) for part in message.parts if type(part) is ToolResult)
    return {call: size.characters + CHARACTERS_PER_TOKEN * size.media_tokens - len(PLACEHOLDER) for call, size in sizes}
