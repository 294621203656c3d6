"""The back end `provider-clearing`: the provider clears old tool results of each request; the history stays whole here.

Part of the back ends; specified by features/engine/backends.feature (CMP_10).
"""

from __future__ import annotations

import os
from typing import Any, Final, NoReturn

from brim.anthropic.context_edits import (
    Parameters,
    answer_of,
    as_message,
    messages_of,
    refuse_second,
    stop_reason_of,
    usage_of,
    with_edit,
)
from brim.anthropic.server_compaction import with_beta_of_blocks
from brim.anthropic.tool_clearing import BETA, KIND, Cleared, cleared
from brim.compaction.events import Pruned
from brim.engine.back_ends.applied import UNFINISHED, Applied, BackendName, Reading
from brim.engine.listeners import Listeners
from brim.engine.reading import read_usage
from brim.errors import Refused
from brim.pruning.tool_outputs import pruning_disabled

CLEARING: Final = "provider-clearing"
NOT_BY_HAND: Final = (
    "the provider clears tool results by itself once a request reaches its trigger, and cannot be asked to at once: "
    "take the back end 'provider' or 'brim' to compact by hand"
)


class _ServerClearing:
    """What both do; nothing of it waits."""

    name: BackendName = CLEARING

    def __init__(self, edit: dict[str, Any], listeners: Listeners) -> None:
        self.trigger: int = edit["trigger"]["value"]
        self._edit, self._listeners = edit, listeners

    def _edited(self, parameters: Parameters) -> dict[str, Any]:
        """With the edit, but where pruning is off (PRN_08)."""
        refuse_second(parameters, KIND, self.name)
        messages = [as_message(message) for message in messages_of(parameters)]
        request = with_beta_of_blocks({**parameters, "messages": messages})
        return request if pruning_disabled(os.environ) else with_edit(request, self._edit, BETA)

    def read(self, parameters: Parameters, response: Any) -> Reading:
        """As Backend does it: the history keeps every result, the provider clears them anew each time."""
        done = cleared(response)
        return Reading(
            messages=[*messages_of(parameters), answer_of(response)],
            applied=(self._told(done, response),) if done else (),
            unfinished=stop_reason_of(response) in UNFINISHED,
        )

    def _told(self, done: Cleared, response: Any) -> Applied:
        """Before and after as the provider counts them."""
        self._listeners.tell(Pruned(outputs=done.tool_uses, saved=done.tokens))
        usage = read_usage(usage_of(response))
        after = usage.input + usage.cache_read
        return Applied(
            backend=CLEARING,
            outcome="cleared",
            tokens_before=after + done.tokens,
            tokens_after=after,
            tool_uses=done.tool_uses,
        )


class ServerClearing(_ServerClearing):
    """Clearing by the provider, for clients that block."""

    def prepare(self, parameters: Parameters) -> dict[str, Any]:
        """As Backend does it."""
        return self._edited(parameters)

    def compact(self, parameters: Parameters, *, focus: str | None = None) -> NoReturn:  # noqa: ARG002
        """Refused: the provider cannot be asked to clear at once."""
        raise Refused(NOT_BY_HAND)


class AsyncServerClearing(_ServerClearing):
    """Clearing by the provider, for event loops."""

    async def prepare(self, parameters: Parameters) -> dict[str, Any]:
        """As AsyncBackend does it."""
        return self._edited(parameters)

    async def compact(self, parameters: Parameters, *, focus: str | None = None) -> NoReturn:  # noqa: ARG002
        """Refused: the provider cannot be asked to clear at once."""
        raise Refused(NOT_BY_HAND)
