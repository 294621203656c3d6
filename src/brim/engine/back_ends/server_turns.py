"""The turns of the back end `provider`: what each request asks for, and what each answer says was done.

Part of the back ends; specified by features/engine/backends.feature (CMP_10).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final

from brim.anthropic.context_edits import (
    COMPACTION,
    Parameters,
    answer_of,
    as_message,
    messages_of,
    refuse_second,
    stop_reason_of,
    usage_of,
    with_edit,
)
from brim.anthropic.server_compaction import (
    BETA,
    NO_SUMMARY,
    compaction_edit,
    made_on_demand,
    since_compaction,
    summaries,
    with_beta_of_blocks,
)
from brim.compaction.context_window import ContextWindow
from brim.compaction.events import Compacted, Failed
from brim.conversation.messages import read_conversation
from brim.engine.back_ends.applied import UNFINISHED, Applied, BackendName, Reading
from brim.engine.listeners import Listeners
from brim.engine.reading import fill, read_usage
from brim.models import NO_LIMIT
from brim.summary.prompts import DEFAULT, prompt_for
from brim.tokens.estimation import Size, tokens_of
from brim.trigger.overflow import autocompact_disabled

PROVIDER: Final = "provider"


class ServerTurns:
    """What both do without waiting: what the request asks for, and what the answer says.

    Args:
        client: a client of the SDK, for a compaction on demand.
        trigger: tokens from which on the provider compacts; at least 50,000.
        prompt: the name of a prompt or a text of one's own; the default leaves the provider's own in place.
        focus: what every summary is to dwell on.
        pause: whether the provider hands the turn back once it has compacted, before it answers.
        listeners: told what was compacted, and what failed.
    """

    name: BackendName = PROVIDER

    def __init__(
        self, client: Any, *, trigger: int, prompt: str, focus: str | None, pause: bool, listeners: Listeners
    ) -> None:
        self.trigger = trigger
        self._client, self._prompt, self._focus = client, prompt, focus
        self._edit = compaction_edit(trigger, self._instructions(None), pause=pause)
        self._listeners = listeners
        self._usage: dict[str, Any] = {}
        self._applied: tuple[Applied, ...] = ()

    def _instructions(self, focus: str | None) -> str:
        """What the provider is asked for, in place of its own words; empty where they stay (SUM_02, CMP_07)."""
        wish = focus or self._focus
        return prompt_for(self._prompt, wish) if wish or self._prompt != DEFAULT else ""

    def _read_in(self, parameters: Parameters) -> dict[str, Any]:
        """The request without what stands before the newest compaction."""
        refuse_second(parameters, COMPACTION, self.name)
        messages = since_compaction([as_message(message) for message in messages_of(parameters)])
        return {**parameters, "messages": messages}

    def _due(self, request: Parameters) -> bool:
        """Whether a conversation that was compacted on demand is to be once more: the provider would not do it."""
        messages = request["messages"]
        if autocompact_disabled(os.environ) or not made_on_demand(messages) or len(messages) == 1:
            return False
        return self._window(request, self._usage or None).held >= self.trigger

    def _window(self, request: Parameters, usage: Any = None) -> ContextWindow:
        window = ContextWindow(NO_LIMIT, system=request.get("system"), tools=request.get("tools"))
        fill(window, read_conversation(messages_of(request)), usage)
        return window

    def _edited(self, request: Parameters) -> dict[str, Any]:
        """With the edit, but where compaction is off (TRG_06), or the conversation was compacted on demand: the
        provider takes no edit beside that.
        """
        if autocompact_disabled(os.environ) or made_on_demand(request["messages"]):
            return with_beta_of_blocks(request)
        return with_edit(request, self._edit, BETA)

    def read(self, parameters: Parameters, response: Any) -> Reading:
        """As Backend does it."""
        answer = answer_of(response)
        self._usage = usage_of(response)
        applied, self._applied = (*self._applied, *self._found(parameters, answer["content"])), ()
        return Reading(
            messages=since_compaction([*messages_of(parameters), answer]),
            applied=applied,
            unfinished=stop_reason_of(response) in UNFINISHED,
        )

    def _found(self, parameters: Parameters, blocks: Sequence[Any]) -> tuple[Applied, ...]:
        found = summaries(blocks)
        if not found and not self._ignored(parameters):
            return ()
        told = NO_SUMMARY if found else self._no_op()
        return tuple(self._told(parameters, summary, told) for summary in found or [None])

    def _ignored(self, parameters: Parameters) -> bool:
        """Whether the request was as long as the trigger says, and yet nothing was done about it."""
        asked = self._edit in ((parameters.get("context_management") or {}).get("edits") or ())
        return asked and self._taken_in() >= self.trigger

    def _taken_in(self) -> int:
        usage = read_usage(self._usage)
        return usage.input + usage.cache_read

    def _no_op(self) -> str:
        return (
            f"the provider took in {self._taken_in():,} tokens and compacted nothing, though it was told to from "
            f"{self.trigger:,} on: look whether the model can do it, or take the back end 'brim'"
        )

    def _told(self, request: Parameters, summary: str | None, reason: str) -> Applied:
        """What one compaction did, told to the listeners; before and after are estimates of one kind (TOK_11)."""
        window = self._window(request)
        before = window.estimated
        if summary is None:
            self._listeners.tell(Failed(reason=reason, attempts=1, then="nothing"))
            return Applied(backend=PROVIDER, outcome="failed", tokens_before=before, tokens_after=before, reason=reason)
        after = tokens_of(window.extras + Size(len(summary)))
        applied = Applied(
            backend=PROVIDER, outcome="summarised", tokens_before=before, tokens_after=after, summary=summary
        )
        self._listeners.tell(
            Compacted(
                tokens_before=before,
                tokens_after=after,
                saved=applied.saved,
                share=applied.compression.ratio,
                by=PROVIDER,
                summary=summary,
            )
        )
        return applied

    def _taken(self, request: Parameters, asked: Sequence[Any], response: Any) -> Reading:
        """The conversation that an answer on demand makes; as it was, where it holds no summary (CMP_04)."""
        answer = answer_of(response)
        summary = next(iter(summaries(answer["content"])), None)
        applied = self._told(request, summary, NO_SUMMARY)
        if summary is None:
            return Reading(messages=list(request["messages"]), applied=(applied,))
        self._usage = {}
        return Reading(messages=[answer, *asked], applied=(applied,))

    def _after(self, request: Parameters, reading: Reading) -> dict[str, Any]:
        self._applied = reading.applied
        return self._edited({**request, "messages": reading.messages})
