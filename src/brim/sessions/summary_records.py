"""Summary records: the record of a compaction or a pruning, in terms of the records it was made of.

Specified by features/sessions/summary_records.feature (SES_05). A compaction names indices in its plan; a record names
ids. The tail is kept by reference; what an earlier compaction put first, and what brim wrote, is kept in the record
itself, word for word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from typing import Any, Final

from brim.compaction.layout import Closing, Continuation, Keep
from brim.compaction.plan import Plan
from brim.compaction.result import Compaction
from brim.conversation.messages import Message, Text, Thinking, ToolResult, is_visible
from brim.conversation.thinking import without_thinking
from brim.conversation.tool_pairs import results_of
from brim.errors import Refused
from brim.pruning.tool_outputs import Output, Pruning
from brim.sessions.records import ClearedOutput, Copy, Learned, SummaryRecord
from brim.sessions.view import View
from brim.summary.template import facts_to_remember


@dataclass(frozen=True, slots=True)
class Matched:
    """The records that the messages of a plan come from."""

    ids: Sequence[str | None]
    """For each its record; None for what brim wrote."""
    opened: int
    """Number of messages that the compaction before put ahead of its tail."""
    later: str | None
    """The first record of what was added since."""
    of: Mapping[object, str | None]
    """The records by the keys of the messages."""


def matched(messages: Sequence[Message], view: View, *, of_conversation: bool = False) -> Matched:
    """Find the messages of a plan in what is shown, by the keys that the view gave them.

    Those `of_conversation` have others: where the view shows the same messages in the same order, they are these.
    A result may have come meanwhile, and it takes away what was thought for want of it: what only thinks or answers may
    be missing. Raises Refused where something else is, or where the plan is not of a view of this session.
    """
    keys = (_keys_in(view, messages) if of_conversation else None) or [message.key for message in messages]
    shown = {message.key: n for n, message in enumerate(view.messages) if message.key is not None}
    planned = {key: n for n, key in enumerate(keys) if key is not None}
    found = [shown[key] for key in planned if key in shown]
    end = max(found, default=-1) + 1
    gone = (key for key, n in planned.items() if key not in shown and _says_something(messages[n]))
    new = (message for message in view.messages[:end] if message.key not in planned and _says_something(message))
    if not found or found != sorted(found) or any(True for _ in (*gone, *new)):
        raise Refused(
            "this compaction is not of what the session shows: it was rewound or changed meanwhile, or it is another "
            "one; compact session.view().window()"
        )
    added = (n for n in range(end, len(view.messages)) if _says_something(view.messages[n]))
    ids = [view.ids[shown[key]] if key in shown else None for key in keys]
    return Matched(
        ids=ids,
        opened=next((n for key, n in planned.items() if shown.get(key, -1) >= view.opened), len(messages)),
        later=next((view.ids[n] for n in added if view.ids[n] is not None), None),
        of={message.key: id_ for message, id_ in zip(messages, ids, strict=True) if message.key is not None},
    )


def pruning_of_view(pruning: Pruning, messages: Sequence[Message], view: View) -> Pruning:
    """A pruning of these messages of a conversation, with the indices of the view; one of others is as it was."""
    keys = _keys_in(view, messages)
    shown = {message.key: n for n, message in enumerate(view.messages) if message.key is not None}
    if keys is None or any(keys[one.message] not in shown for one in pruning.outputs):
        return pruning
    outputs = (one._replace(message=shown[keys[one.message]]) for one in pruning.outputs)
    return replace(pruning, outputs=tuple(outputs))


def _keys_in(view: View, messages: Sequence[Message]) -> list[object] | None:
    """For each message its key in the view; None where the view shows others.

    Thinking that the provider refused is not sent any more, while the log holds it; so it is not compared. The lines
    with which brim closed a loop of tools then are not in the log (CNV_06): their keys are None.
    """
    if [one.raw for one in messages] == [one.raw for one in view.messages[: len(messages)]]:
        return [one.key for one in view.messages[: len(messages)]]
    shown = iter(without_thinking(view.messages))
    next_shown = next(shown, None)
    keys: list[object] = []
    for message in messages:
        said = without_thinking([message])
        if said and next_shown is not None and said[0].raw == next_shown.raw:
            keys.append(next_shown.key)
            next_shown = next(shown, None)
        elif said and message.key is not None:
            return None
        else:
            keys.append(None)
    return keys


def _says_something(message: Message) -> bool:
    """Return whether a message holds more than thinking, results and invisible text."""
    return any(
        type(part) not in (Thinking, ToolResult) and (type(part) is not Text or is_visible(part.text))
        for part in message.parts
    )


FACTS_MAX: Final = 32_000
"""Characters of the facts that a record hands on at most: twice what a summary has room for (SUM_07, SES_06)."""


def compaction_fields(
    compaction: Compaction, view: View, known: Matched, *, now: int, model: str = "", prompt: str = ""
) -> dict[str, Any]:
    """The fields of the record of a compaction that summarized the conversation of this view."""
    plan = compaction.plan
    ids, start = known.ids, _tail(plan, known)
    opening, closing = _around(compaction, start)
    return {
        "summary": _summary(compaction, now=now, model=model, prompt=prompt),
        "opening": tuple(_copies(opening, known.of)),
        "tail": ids[start] if start < len(ids) else known.later,
        "closing": tuple(Copy(message=dict(message.raw), marks=message.marks) for message in closing),
        "cleared": cleared_of((one for one in plan.pruning.outputs if one.message >= start), ids),
        "facts": facts_to_remember(plan.facts, FACTS_MAX),
        "learned": _learned(view),
        "identifiers": compaction.identifiers,
        "replaces": _replaced(plan, ids),
        "earlier": view.compaction if plan.previous_summary else None,
    }


def pruning_fields(pruning: Pruning, ids: Sequence[str | None]) -> dict[str, Any]:
    """The fields of the record of a pruning; `ids` are the records of the messages it speaks of."""
    return {"cleared": cleared_of(pruning.outputs, ids), "saved": pruning.saved}


def require_shown(pruning: Pruning, view: View) -> None:
    """Raise Refused where an output is not in the message of the view that the pruning names."""
    for one in pruning.outputs:
        shown = results_of(view.messages[one.message]) if one.message < len(view.messages) else []
        if one.call_id not in {result.call_id for result in shown}:
            raise Refused(
                f"the output of {one.call_id} is not message {one.message} of what the session shows: it was changed "
                "meanwhile; prune what it shows now"
            )


def cleared_of(outputs: Iterable[Output], ids: Sequence[str | None]) -> tuple[ClearedOutput, ...]:
    """These outputs by the records that hold them."""
    return tuple(ClearedOutput(call=one.call_id, message=ids[one.message] or "") for one in outputs)


def _tail(plan: Plan, known: Matched) -> int:
    """From which position on messages are kept by reference: behind the closing line of a loop, if words follow it.

    What an earlier compaction put first never is.
    """
    behind = list(takewhile(lambda piece: not isinstance(piece, Closing), reversed(plan.layout)))
    words = [piece.index for piece in behind if isinstance(piece, Keep) and piece.message is not None]
    closed = min(words) if words and len(behind) < len(plan.layout) else 0
    start = max(plan.cut, known.opened, closed)
    return start if start < len(known.ids) and known.ids[start] is not None else len(known.ids)


def _around(compaction: Compaction, start: int) -> tuple[Sequence[Message], Sequence[Message]]:
    """The messages of the new conversation ahead of the tail, and those behind it."""
    whole = compaction.conversation
    pieces = [piece for piece in compaction.plan.layout if not isinstance(piece, Keep) or piece.message is not None]
    closing = len(list(takewhile(lambda piece: isinstance(piece, Closing | Continuation), reversed(pieces))))
    tail = sum(isinstance(piece, Keep) and piece.index >= start for piece in pieces)
    end = len(whole) - closing
    return whole[: end - tail], whole[end:]


def _copies(opening: Sequence[Message], of: Mapping[object, str | None]) -> Iterable[Copy]:
    """The messages ahead of the tail, each with the record it is of."""
    return (Copy(of=of.get(one.key), message=dict(one.raw), marks=one.marks) for one in opening)


def _learned(view: View) -> Learned | None:
    model, known = view.window().calibration
    return Learned(model=model, **asdict(known)) if known.samples else None


def _replaced(plan: Plan, ids: Sequence[str | None]) -> tuple[str, str] | None:
    kept = {piece.index for piece in plan.kept_pieces}
    gone = [name for n, name in enumerate(ids[: plan.cut]) if name is not None and n not in kept]
    return (min(gone), max(gone)) if gone else None


def _summary(compaction: Compaction, *, now: int, model: str, prompt: str) -> SummaryRecord:
    call = compaction.plan.call if compaction.summary_source == "model" else None
    return SummaryRecord(
        content=compaction.summary,
        generated=now,
        summarized=len(compaction.plan.summarized),
        tokens_before=compaction.tokens_before,
        tokens_after=compaction.tokens_after,
        model=model or (call.model if call is not None else ""),
        prompt=prompt or (call.prompt if call is not None else ""),
        by=compaction.summary_source,
    )
