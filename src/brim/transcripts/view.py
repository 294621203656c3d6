"""What the model saw: the main chain with every compaction so far applied.

A boundary puts its opening (the summary, what was kept word for word) in place of all that stood before it; a clearing
leaves the calls and puts a placeholder in place of their results. Usage from before any of these measures nothing
afterwards (TOK_11).
"""

from __future__ import annotations

from collections.abc import Sequence

from brim.conversation.messages import Message, ToolResult
from brim.errors import InvalidInput
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.transcripts.values import CompactionRecord, ResponseRecord, Transcript, View


def view(transcript: Transcript, at: int | None = None) -> View:
    """The conversation as the model saw it at the end, or as it stood after response `at` (counting from 0).

    That response is included, its tool results are not. Raises InvalidInput where there is no such response.
    """
    if at is None:
        return _view(transcript, transcript.end, transcript.made_room(transcript.end))
    if not 0 <= at < len(transcript.responses):
        raise InvalidInput(f"there is no response {at}; {_which_there_are(len(transcript.responses))}")
    stop = transcript.responses[at].last + 1
    return _view(transcript, stop, [made for made in transcript.compactions if made.after_message < stop])


def view_before(transcript: Transcript, compaction: int) -> View:
    """The conversation as it stood when compaction number `compaction` (counting from 0) began."""
    stop = transcript.compactions[compaction].after_message
    return _view(transcript, stop, transcript.compactions[:compaction])


def _which_there_are(count: int) -> str:
    return f"the transcript holds responses 0 to {count - 1}" if count else "the transcript holds no response"


def _view(transcript: Transcript, stop: int, compactions: Sequence[CompactionRecord]) -> View:
    indices = _visible(transcript, stop, compactions)
    calls = frozenset[str]().union(*(made.cleared for made in compactions))
    border = max([_begin(transcript, stop), *(made.after_message for made in compactions)])
    measured = _measured(transcript.responses, border, stop)
    since = 0 if measured is None else sum(index <= measured.last for index in indices)
    messages = transcript.messages
    return View(
        messages=tuple(cleared(messages[index], calls) if calls else messages[index] for index in indices),
        lines=tuple(transcript.lines[index] for index in indices),
        measured=measured,
        since=since,
    )


def _visible(transcript: Transcript, stop: int, compactions: Sequence[CompactionRecord]) -> list[int]:
    """Indices of the messages that stand after these compactions, in the order sent."""
    opening: Sequence[int] = ()
    start = _begin(transcript, stop)
    for made in compactions:
        if made.opening is not None and made.after_message >= start:
            opening, start = made.opening, made.after_message
    first = frozenset(opening)
    order = [*opening, *(index for index in range(start, stop) if index not in first)]
    return [index for index in order if index not in transcript.unsent]


def _begin(transcript: Transcript, stop: int) -> int:
    """Where the conversation begins that is going on at a place: at 0, or where the file began a new one."""
    return max((begin for begin in transcript.begins if begin < stop), default=0)


def _measured(responses: Sequence[ResponseRecord], border: int, stop: int) -> ResponseRecord | None:
    """The last response with a usage between the last compaction and the end."""
    for response in reversed(responses):
        if response.first >= stop:
            continue
        if response.first < border:
            return None
        if response.usage is not None and not response.summary:
            return response
    return None


def cleared(message: Message, calls: frozenset[str]) -> Message:
    """The message with a placeholder in place of the results of these calls; the very same where it has none."""
    if not any(type(part) is ToolResult and part.call_id in calls for part in message.parts):
        return message
    return message.with_parts(
        tuple(
            ToolResult(part.call_id, PLACEHOLDER, part.failed, (), {**part.raw, "content": PLACEHOLDER})
            if type(part) is ToolResult and part.call_id in calls
            else part
            for part in message.parts
        )
    )
