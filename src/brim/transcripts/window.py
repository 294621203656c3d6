"""What the model saw of a transcript: its messages with every compaction so far applied, and what its window held.

A boundary puts its opening (the summary, what was kept word for word) in place of all that stood before it; a clearing
leaves the calls and puts a placeholder in place of their results. Usage from before any of these measures nothing
afterwards (TOK_11). A walk goes over the messages with the account that a live loop has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

from brim.compaction.context_window import ContextWindow
from brim.compaction.policy import DEFAULT_POLICY, CompactionPolicy
from brim.conversation.messages import Message, Thinking, ToolResult
from brim.conversation.turns import begins_turn
from brim.errors import InvalidInput
from brim.models import NO_LIMIT, ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER, cleared
from brim.summary.identifiers import NO_IDENTIFIERS, Identifiers, collect_identifiers, texts_of
from brim.tokens.estimation import (
    CHARACTERS_PER_TOKEN,
    EMPTY_SIZE,
    Size,
    measure,
    measure_extras,
    measure_part,
    tokens_of,
)
from brim.tokens.usage import TokenUsage, completed
from brim.tokens.window import WindowAccount
from brim.transcripts.values import RecordedCompaction, ResponseRecord, Transcript, TranscriptView
from brim.trigger.profiles import Profile, profile_named


def view(transcript: Transcript, at: int | None = None) -> TranscriptView:
    """Return the conversation as the model saw it at the end, or as it stood after response `at` (counting from 0).

    That response is included, its tool results are not. Raises InvalidInput where there is no such response.
    """
    if at is None:
        return _view(transcript, transcript.end, transcript.made_room(transcript.end))
    if not 0 <= at < len(transcript.responses):
        count = len(transcript.responses)
        there_are = f"responses 0 to {count - 1}" if count else "no response"
        raise InvalidInput(f"there is no response {at}; the transcript holds {there_are}")
    stop = transcript.responses[at].message + 1
    return _view(transcript, stop, [made for made in transcript.compactions if made.after_message < stop])


def view_before(transcript: Transcript, compaction: int) -> TranscriptView:
    """Return the conversation as it stood when compaction number `compaction` (counting from 0) began."""
    stop = transcript.compactions[compaction].after_message
    return _view(transcript, stop, transcript.compactions[:compaction])


def _view(transcript: Transcript, stop: int, compactions: Sequence[RecordedCompaction]) -> TranscriptView:
    indices = _visible(transcript, stop, compactions)
    calls = cleared_calls(compactions)
    border = max([_begin(transcript, stop), *(made.after_message for made in compactions)])
    measured = _measured(transcript.responses, border, stop)
    since = 0 if measured is None else sum(index <= measured.message for index in indices)
    messages = transcript.messages
    return TranscriptView(
        messages=tuple(with_cleared(messages[index], calls) if calls else messages[index] for index in indices),
        indices=tuple(indices),
        measured=measured,
        since=since,
    )


def _visible(transcript: Transcript, stop: int, compactions: Sequence[RecordedCompaction]) -> list[int]:
    """Return indices of the messages that stand after these compactions, in the order sent."""
    opening: Sequence[int] = ()
    start = _begin(transcript, stop)
    for made in compactions:
        if made.opening is not None and made.after_message >= start:
            opening, start = made.opening, made.after_message
    first = frozenset(opening)
    order = [*opening, *(index for index in range(start, stop) if index not in first)]
    return [index for index in order if index not in transcript.unsent]


def _begin(transcript: Transcript, stop: int) -> int:
    """Return where the conversation begins that is going on at a place: at 0, or where the file began a new one."""
    return max((begin for begin in transcript.begins if begin < stop), default=0)


def _measured(responses: Sequence[ResponseRecord], border: int, stop: int) -> ResponseRecord | None:
    """Return the last response with a usage between the last compaction and the end."""
    for response in reversed(responses):
        if response.message >= stop:
            continue
        if response.message < border:
            return None
        if response.usage is not None and not response.summary:
            return response
    return None


def response_before(transcript: Transcript, made: RecordedCompaction) -> int | None:
    """Return the index of the last response before a compaction; None where the file begins with what it left."""
    before = (one.index for one in transcript.responses if one.message < made.after_message and not one.summary)
    return max(before, default=None)


def cleared_calls(compactions: Iterable[RecordedCompaction]) -> frozenset[str]:
    """Return ids of the calls whose results these compactions cleared."""
    return frozenset[str]().union(*(made.cleared for made in compactions))


def with_cleared(message: Message, calls: frozenset[str]) -> Message:
    """Return the message with a placeholder in place of the results of these calls; the very same where it has none."""
    if not any(type(part) is ToolResult and part.call_id in calls for part in message.parts):
        return message
    return message.with_parts(
        tuple(cleared(part) if type(part) is ToolResult and part.call_id in calls else part for part in message.parts)
    )


@dataclass(frozen=True, slots=True)
class HeldWindow:
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


class MeasuredWindow(NamedTuple):
    """What a usage measures, and what of its response it does not."""

    before: TokenUsage
    response: Size
    after: Size


def measured(response: ResponseRecord, size: Size, profile: Profile) -> MeasuredWindow | None:
    """Return what a response measured that ends with a message of this size; None where it reported nothing.

    An output that is a placeholder measures nothing: then text and calls count as appended, and teach with it (TOK_09).
    Else the growth of the window up to the next response would hold an output whose characters are not counted. A
    profile with a fixed ratio learns nothing: it reproduces a tool that counts the placeholder.
    """
    usage = reported(response)
    if usage is None or response.usage is None:
        return None
    unfinished = not response.finished and profile.characters_per_token is None
    if unfinished and response.usage.output < tokens_of(size, CHARACTERS_PER_TOKEN):
        return MeasuredWindow(usage.model_copy(update={"output": 0, "reasoning": 0}), EMPTY_SIZE, size)
    return MeasuredWindow(usage, size, EMPTY_SIZE)


class Walk:
    """One pass over the main chain with one profile's measure."""

    def __init__(self, transcript: Transcript, profile: str | Profile = "usable", *, until: int | None = None) -> None:
        self.transcript = transcript
        self.profile = profile_named(profile) if isinstance(profile, str) else profile
        self.until = transcript.end if until is None else until
        self.account = WindowAccount(measure=self.profile.measure, held_ratio=self.profile.characters_per_token)
        self.account.append(extras_of(transcript))
        self._sizes = [
            EMPTY_SIZE if index in transcript.unsent else measure(message)
            for index, message in enumerate(transcript.messages)
        ]
        self._outputs: dict[str, int] = {}
        """For each call whose output the window holds: the characters that clearing it saves."""
        self._opening: frozenset[int] = frozenset()
        """Indices of the messages that the last compaction put first: they are counted with it."""
        self._responses = {response.message: response for response in transcript.responses}
        self._boundaries: dict[int, list[int]] = {}
        passed = transcript.made_room(self.until)
        for number, made in enumerate(transcript.compactions):
            if made in passed:
                self._boundaries.setdefault(made.after_message, []).append(number)

    def held(self) -> Iterator[HeldWindow]:
        """Yield what the window held after each response, its tool results included, and before each compaction."""
        last: int | None = None
        begins = frozenset(self.transcript.begins)
        for position in range(self.until + 1):
            ends = position == self.until or position in self._responses or position in begins
            for number in self._boundaries.get(position, ()):
                yield HeldWindow(last, self._tokens(), number)
                self._compact(self.transcript.compactions[number])
                last = None
            if ends and last is not None:
                yield HeldWindow(last, self._tokens())
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
        return self.account.held if self.profile.counts_appended else self.account.reported

    def _take(self, position: int, last: int | None) -> int | None:
        message = self.transcript.messages[position]
        size = self._sizes[position]
        if position in self._opening:
            return last
        if message.role == "user":
            self._outputs |= _clearable(message)
        response = self._responses.get(position)
        usage = measured(response, size, self.profile) if response else None
        if response and usage:
            self.account.record(usage.before, model=response.model or "", response=usage.response)
            self.account.append(usage.after)
        else:
            self.account.append(size)
        return response.index if response else last

    def _compact(self, made: RecordedCompaction) -> None:
        if made.opening is not None:
            self._opening = frozenset(made.opening)
            opening = [_clearable(self.transcript.messages[position]) for position in made.opening]
            self._outputs = {call: saved for outputs in opening for call, saved in outputs.items()}
            sizes = (self._sizes[position] for position in made.opening)
            self.account.compacted(sum(sizes, extras_of(self.transcript)))
        elif made.cleared:
            self.account.append(Size(-max(sum(self._outputs.pop(call, 0) for call in made.cleared), 0)))


RECORDS: Final = "claude-code-2.1"
"""The profile that measures as agents record the size with their compactions: 4 characters a token (TRG_14)."""


def held_before_compactions(held: Iterable[HeldWindow]) -> dict[int, int]:
    """For each compaction, by its index, the tokens that the window held before it: what a walk by RECORDS yields."""
    return {one.compaction: one.tokens for one in held if one.compaction is not None}


def extras_of(transcript: Transcript) -> Size:
    """Return the system prompt and the tools, as far as the file has them."""
    return measure_extras(transcript.system, transcript.tools or ())


def _clearable(message: Message) -> dict[str, int]:
    """Return for each call that the message answers: the characters that the placeholder of its output saves."""
    sizes = ((part.call_id, measure_part(part)) for part in message.parts if type(part) is ToolResult)
    return {call: size.weight - len(PLACEHOLDER) for call, size in sizes}


def window_of(
    transcript: Transcript,
    limits: ModelLimits | None = None,
    *,
    policy: CompactionPolicy = DEFAULT_POLICY,
    at: int | None = None,
) -> ContextWindow:
    """The window at the end, or after response `at`, its estimates by what was learned on the way (TOK_08, TOK_09).

    Its messages are those of `view`, each in its place, but for thinking that nobody signed: the API takes none back
    (CNV_09). Raises InvalidInput where there is no such response, Refused where the limits leave no room.
    """
    seen = view(transcript, at)
    walk = Walk(transcript, until=None if at is None else transcript.responses[at].message + 1)
    walk.finish()
    profile = profile_named(policy.profile)
    numbers = turn_numbers(transcript)[: walk.until]
    gone = sorted({*range(_begin(transcript, walk.until), walk.until)} - {*seen.indices, *transcript.unsent})
    window = ContextWindow(
        limits or NO_LIMIT,
        policy,
        system=transcript.system,
        tools=transcript.tools,
        characters_per_token=walk.account.characters_per_token,
        identifiers=identifiers_of_left(transcript, gone, seen.indices, numbers),
    )
    for position, message in enumerate(seen.messages):
        response = seen.measured if position == seen.since - 1 else None
        usage = measured(response, measure(message), profile) if response is not None else None
        if usage is None or usage.after == EMPTY_SIZE:
            window.append(without_unsigned(message))
        if usage is not None and response is not None:
            window.record(usage.before, model=response.model or "")
        if usage is not None and usage.after != EMPTY_SIZE:
            window.append(without_unsigned(message))
    return window


def moved_in(made: RecordedCompaction) -> list[int]:
    """Return what a compaction put first that follows it in the file."""
    return [index for index in made.opening or () if index >= made.after_message]


def turn_numbers(transcript: Transcript, *, without: Collection[int] = ()) -> list[int]:
    """Return for each message its turn in the file, from 1 (0 before the first), as a session of it counts them.

    What a compaction put first is no new turn, and neither is a message `without`, or one that was never sent.
    """
    no_turns = {*without, *transcript.unsent, *(index for made in transcript.compactions for index in moved_in(made))}
    begun = (begins_turn(one) and index not in no_turns for index, one in enumerate(transcript.messages))
    return [*accumulate(begun, initial=0)][1:]


def identifiers_of_left(
    transcript: Transcript,
    gone: Iterable[int],
    shown: Iterable[int],
    numbers: Sequence[int],
    known: Identifiers = NO_IDENTIFIERS,
) -> Identifiers:
    """Return the identifiers of what another tool's compactions replaced, for the next index of brim (REC_02).

    Args:
        transcript: where both are.
        gone: the indices of the messages that left, ascending.
        shown: the indices of those that stand now.
        numbers: the turn of each message up to now.
        known: those of what left before.
    """
    texts = (
        (numbers[index] - known.turns, origin, text)
        for index in gone
        for origin, text in texts_of(transcript.messages[index])
    )
    begun = sum(begins_turn(transcript.messages[index]) for index in shown)
    return collect_identifiers(texts, known)._replace(turns=max((numbers[-1] if numbers else 0) - begun, 0))


def without_unsigned(message: Message) -> Message:
    """Return the message without thinking that carries no signature; the very same where it has none such."""
    thinking = [
        part for part in message.parts if type(part) is Thinking and part.raw.get("type") != "redacted_thinking"
    ]
    unsigned = [part for part in thinking if not part.raw.get("signature")]
    return message.without(unsigned) if unsigned else message
