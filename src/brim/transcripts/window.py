"""A transcript as a running context window: what the model saw, on an account that knows what came before."""

from __future__ import annotations

from brim.compaction.context_window import ContextWindow
from brim.compaction.policy import DEFAULT_POLICY, CompactionPolicy
from brim.conversation.messages import Message, Thinking
from brim.models import NO_LIMIT, ModelLimits
from brim.tokens.estimation import EMPTY_SIZE, measure
from brim.transcripts.values import Transcript
from brim.transcripts.view import view
from brim.transcripts.walk import Walk, measured


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
    walk = Walk(
        transcript,
        policy.profile,
        until=None if at is None else transcript.responses[at].last + 1,
    )
    walk.finish()
    window = ContextWindow(
        limits or NO_LIMIT,
        policy,
        system=transcript.system,
        tools=transcript.tools,
        characters_per_token=walk.account.characters_per_token,
    )
    for position, message in enumerate(seen.messages):
        response = seen.measured if position == seen.since - 1 else None
        usage = measured(response, measure(message), walk.profile) if response is not None else None
        if usage is None or usage.after == EMPTY_SIZE:
            window.append(without_unsigned(message))
        if usage is not None and response is not None:
            window.record(usage.before, model=response.model or "")
        if usage is not None and usage.after != EMPTY_SIZE:
            window.append(without_unsigned(message))
    return window


def without_unsigned(message: Message) -> Message:
    """The message without thinking that carries no signature; the very same where it has none such."""
    unsigned = [part for part in message.parts if type(part) is Thinking and not _is_signed(part)]
    return message.without(unsigned) if unsigned else message


def _is_signed(part: Thinking) -> bool:
    return bool(part.raw.get("signature")) or part.raw.get("type") == "redacted_thinking"
