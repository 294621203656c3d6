"""A transcript as a running context window: what the model saw, on an account that knows what came before."""

from __future__ import annotations

from brim.compaction.context_window import NO_LIMIT, ContextWindow
from brim.models import ModelLimits
from brim.transcripts.values import Transcript
from brim.transcripts.view import view
from brim.transcripts.walk import Walk, reported


def window_of(
    transcript: Transcript, limits: ModelLimits | None = None, *, profile: str = "usable", at: int | None = None
) -> ContextWindow:
    """The window at the end, or after response `at`, its estimates by what was learned on the way (TOK_08, TOK_09).

    Raises InvalidInput where there is no such response, Refused where the limits leave no room.
    """
    seen = view(transcript, at)
    walk = Walk(transcript, profile, until=None if at is None else transcript.responses[at].last + 1)
    walk.finish()
    window = ContextWindow(
        limits or NO_LIMIT,
        profile=profile,
        system=transcript.system,
        tools=transcript.tools,
        characters_per_token=walk.account.characters_per_token,
    )
    for position, message in enumerate(seen.messages):
        window.append(message)
        usage = reported(seen.measured) if seen.measured is not None and position == seen.since - 1 else None
        if usage is not None and seen.measured is not None:
            window.record(usage, model=seen.measured.model or "")
    return window
