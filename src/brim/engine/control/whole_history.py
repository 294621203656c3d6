"""The whole history in one summary: the plan of a compaction that keeps nothing word for word.

Part of the compaction control; specified by features/engine/compaction_control.feature (CMP_11).
"""

from __future__ import annotations

from dataclasses import replace

from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import UNTOUCHED, Plan, plan_compaction
from brim.conversation.messages import SUMMARY_OPENING


def plan_whole(window: ContextWindow, reason: str) -> Plan:
    """A plan by which one summary stands for every message, the user's last and the newest answer among them.

    Calls without a result are answered first (CNV_04), and the facts that must survive are those of all of it
    (SUM_13). The window stays as it is.
    """
    sound, _ = window.sendable()
    current = sound.turns.going_on(sound.messages)
    return replace(
        plan_compaction(window),
        pruning=UNTOUCHED,
        front=(),
        request=(),
        why_kept="",
        anchor=None,
        over_target=False,
        cut=len(sound.messages),
        reason=reason,
        replaced_characters=sound.weights[-1],
        turns=(*sound.turns.closed, *([current] if current else [])),
        facts=sound.turns.facts(current),
        earlier=_earlier(sound),
    )


def _earlier(window: ContextWindow) -> str:
    texts = (window.messages[place].text for place in window.summaries)
    return "\n\n".join(text.removeprefix(SUMMARY_OPENING).strip() for text in texts)
