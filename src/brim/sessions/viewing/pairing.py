"""Pairing: the calls of the view and their results, and what a result that came late changes behind it.

Part of the view; specified by features/sessions/view.feature (SES_04), conversation/tool_pairs.feature (CNV_04) and
conversation/thinking.feature (CNV_06). While a result was missing its call read as interrupted. Now it is there it
stands behind its call, so that what was thought and counted in between had another history before it than there is now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from brim.conversation.messages import Message, Thinking, sendable_form
from brim.conversation.tool_pairs import Repaired, late_result_indices, pair_tools

Span: TypeAlias = tuple[int, int]
"""The entry behind which a result stands now, and the one that it came in."""


class Form(NamedTuple):
    """A message as it can be sent, the place of its entry, and its record."""

    place: int
    id: str | None
    message: Message


def pair_forms(forms: Sequence[Form]) -> tuple[Sequence[Form], Repaired, tuple[Span, ...]]:
    """The forms that are left, paired, and the spans in which the history is another one now."""
    paired = pair_tools([form.message for form in forms])
    if not paired.moved:
        return forms, paired, ()
    late = late_result_indices([form.message for form in forms])
    spans = tuple((forms[end].place, forms[found].place) for end, found in late)
    left = [kept for form in forms if (kept := _without_outdated(form, spans)) is not None]
    return left, pair_tools([form.message for form in left]), spans


def is_outdated(place: int, spans: Sequence[Span]) -> bool:
    """Whether the history before this place changed when a result came that was missing."""
    return any(end < place < found for end, found in spans)


def _without_outdated(form: Form, spans: Sequence[Span]) -> Form | None:
    thinking = [part for part in form.message.parts if type(part) is Thinking]
    if not thinking or not is_outdated(form.place, spans):
        return form
    if len(thinking) == len(form.message.parts):
        return None
    left = sendable_form(form.message.without(thinking))
    return None if left is None else form._replace(message=left)
