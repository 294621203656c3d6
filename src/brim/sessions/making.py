"""Making records of what the engine did: a compaction or a pruning, in terms of the records it was done to.

Part of the summary records; specified by features/sessions/summary_records.feature (SES_05). A compaction speaks of
positions in its plan; a record speaks of ids. The tail is kept by reference as far as it is found again in the view;
what is not found is kept in the record itself, word for word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from brim.compaction.plan import Plan
from brim.compaction.result import Compaction
from brim.conversation.cache_marks import CACHE_MARK
from brim.conversation.messages import CONTINUATION_OPENING, Message
from brim.conversation.parts import Part, Text, Thinking, ToolResult
from brim.conversation.thinking import without_thinking
from brim.conversation.tool_pairs import results_of
from brim.errors import Refused
from brim.pruning.ledger import Output, Pruning
from brim.pruning.tool_outputs import apply_pruning
from brim.sessions.records.kinds import Cleared, Copy
from brim.sessions.summary_records import SummaryRecord
from brim.sessions.view import View
from brim.summary.telling.room import choose_facts

FACTS_MAX: Final = 32_000
"""Characters of the facts that a record hands on at most: twice what a summary has room for (SUM_07, SES_06)."""


def compaction_fields(
    compaction: Compaction, view: View, *, now: int, model: str = "", prompt: str = ""
) -> dict[str, Any]:
    """The fields of the record of a compaction that summarised the conversation of this view."""
    plan = compaction.plan
    view, later = as_planned(plan, view)
    ids, since = records_of(plan, view)
    start = _tail(plan, view, ids, since)
    opening, closing = _around(compaction, start)
    return {
        "summary": _summary(compaction, now=now, model=model, prompt=prompt),
        "opening": tuple(_copies(opening, plan, ids)),
        "tail": ids[start] if start < len(ids) else later,
        "closing": tuple(Copy(message=dict(message.raw), marks=message.marks) for message in closing),
        "cleared": cleared_of((one for one in plan.pruning.outputs if one.message >= start), ids),
        "facts": choose_facts(plan.facts, FACTS_MAX).in_order(),
        "replaces": _replaced(plan, ids),
        "earlier": view.compaction if plan.earlier else None,
    }


def pruning_fields(pruning: Pruning, ids: Sequence[str | None]) -> dict[str, Any]:
    """The fields of the record of a pruning; `ids` are the records of the messages it speaks of."""
    return {"cleared": cleared_of(pruning.outputs, ids), "saved": pruning.saved}


def require_shown(pruning: Pruning, view: View) -> None:
    """Whether the outputs stand in the view where the pruning has them. Raises Refused where one does not."""
    for one in pruning.outputs:
        shown = results_of(view.messages[one.message]) if one.message < len(view.messages) else []
        if one.call_id not in {result.call_id for result in shown}:
            raise Refused(
                f"the output of {one.call_id} is not message {one.message} of what the session shows: it was changed "
                "meanwhile; prune what it shows now"
            )


def cleared_of(outputs: Iterable[Output], ids: Sequence[str | None]) -> tuple[Cleared, ...]:
    """These outputs by the records that hold them."""
    return tuple(Cleared(call=one.call_id, message=ids[one.message]) for one in outputs)


def as_planned(plan: Plan, view: View) -> tuple[View, str | None]:
    """The view as the plan knows it, and the first record of what was added to it while a summary was written.

    Raises Refused where what is kept is not found: the session was rewound meanwhile, or it is another one.
    """
    count = len(plan.messages)
    end = _end_of(plan.messages[min(plan.cut, count - 1) :], view.messages, count)
    if end is None:
        raise Refused(
            "what this compaction keeps is not what the session shows: it was rewound meanwhile, or it is another one; "
            "compact what it shows now"
        )
    later = next((name for name in view.ids[end:] if name is not None), None)
    return replace(view, messages=view.messages[:end], ids=view.ids[:end]), later


def _end_of(kept: Sequence[Message], messages: Sequence[Message], stop: int) -> int | None:
    """Where these messages end among others: at `stop`, else as near to the end as they are found, else None."""
    for end in chain([stop], range(len(messages), len(kept) - 1, -1)):
        known = messages[max(0, end - len(kept)) : end]
        if len(known) == len(kept) and all(map(_same, reversed(kept), reversed(known))):
            return end
    return None


def _same(one: Message, other: Message) -> bool:
    """Whether both say the same.

    Thinking, and what steers the cache, is not looked at; a call may have the result now that it was waiting for.
    """
    return one.raw == other.raw or (one.role == other.role and _said(one) == _said(other))


def _said(message: Message) -> list[object]:
    return [_told(part) for part in message.parts if type(part) is not Thinking]


def _told(part: Part) -> object:
    match part:
        case Text():
            return part.text
        case ToolResult():
            return "result", part.call_id
    return {name: value for name, value in part.raw.items() if name != CACHE_MARK}


def records_of(plan: Plan, view: View) -> tuple[list[str | None], int]:
    """For each message of a plan its record, and from which position on plan and view agree."""
    count, since = len(plan.messages), len(plan.messages)
    while since and count - since < len(view.messages):
        if not _same(plan.messages[since - 1], view.messages[since - 1 - count]):
            break
        since -= 1
    told = view.ids[len(view.ids) - (count - since) :]
    return [*[None] * since, *told], since


def _tail(plan: Plan, view: View, ids: Sequence[str | None], since: int) -> int:
    """From which position on messages are kept by reference; what an earlier compaction put first never is."""
    start = max(plan.cut, view.opened + len(plan.messages) - len(view.messages), since)
    return start if start < len(ids) and ids[start] is not None else len(ids)


def _around(compaction: Compaction, start: int) -> tuple[Sequence[Message], Sequence[Message]]:
    """What of the new conversation stands ahead of the tail, and what behind it."""
    whole = compaction.conversation
    tail = without_thinking(apply_pruning(compaction.plan.messages, compaction.plan.pruning)[start:])
    closing = 0 if not whole or not _is_continuation(whole[-1]) or (tail and tail[-1].raw == whole[-1].raw) else 1
    end = len(whole) - closing
    return whole[: end - len(tail)], whole[end:]


def _is_continuation(message: Message) -> bool:
    return message.text.startswith(CONTINUATION_OPENING) and not message.marks.summary


def _copies(opening: Sequence[Message], plan: Plan, ids: Sequence[str | None]) -> Iterable[Copy]:
    """What stands ahead of the tail, each with the record it stands for."""
    places = {id(message.raw): place for place, message in enumerate(plan.messages)}
    told = {str(plan.messages[place].raw): ids[place] for place in (*plan.front, *plan.request)}
    for message in opening:
        place = places.get(id(message.raw))
        of = ids[place] if place is not None else told.get(str(message.raw))
        yield Copy(of=of, message=dict(message.raw), marks=message.marks)


def _replaced(plan: Plan, ids: Sequence[str | None]) -> tuple[str, str] | None:
    kept = {*plan.front, *plan.request}
    gone = [name for place, name in enumerate(ids[: plan.cut]) if name is not None and place not in kept]
    return (min(gone), max(gone)) if gone else None


def _summary(compaction: Compaction, *, now: int, model: str, prompt: str) -> SummaryRecord:
    call = compaction.plan.call if compaction.by == "model" else None
    return SummaryRecord(
        content=compaction.summary,
        generated=now,
        summarised=len(compaction.plan.summarised),
        tokens_before=compaction.tokens_before,
        tokens_after=compaction.tokens_after,
        model=model or (call.model if call is not None else ""),
        prompt=prompt or (call.prompt if call is not None else ""),
        by=compaction.by,
    )
