"""The back end `provider`: the provider compacts on its side, and its summary stands in the history from then on.

Part of the back ends; specified by features/engine/backends.feature (CMP_10).
"""

from __future__ import annotations

from typing import Any, NoReturn

from brim.anthropic.context_edits import Parameters
from brim.anthropic.server_compaction import on_demand, only_compacted
from brim.compaction.events import Failed
from brim.engine.back_ends.applied import Reading
from brim.engine.back_ends.server_turns import ServerTurns
from brim.engine.listeners import Listeners


class ServerSide(ServerTurns):
    """Compaction by the provider, for clients that block."""

    def prepare(self, parameters: Parameters) -> dict[str, Any]:
        """As Backend does it: asks the provider to compact where that is due."""
        request = self._read_in(parameters)
        return self._after(request, self._on_demand(request, None)) if self._due(request) else self._edited(request)

    def compact(self, parameters: Parameters, *, focus: str | None = None) -> Reading:
        """As Backend does it: the provider compacts at once."""
        return self._on_demand(self._read_in(parameters), focus)

    def _on_demand(self, request: Parameters, focus: str | None) -> Reading:
        asking, asked = on_demand(request, self._instructions(focus))
        if only_compacted(asking["messages"]):
            return Reading(messages=list(request["messages"]))
        try:
            response = self._client.beta.messages.create(**asking)
        except Exception as error:  # noqa: BLE001 -- raised below, as what it means
            raise_failed(error, request, self._listeners)
        return self._taken(request, asked, response)


class AsyncServerSide(ServerTurns):
    """Compaction by the provider, for event loops."""

    async def prepare(self, parameters: Parameters) -> dict[str, Any]:
        """As AsyncBackend does it: asks the provider to compact where that is due."""
        request = self._read_in(parameters)
        if self._due(request):
            return self._after(request, await self._on_demand(request, None))
        return self._edited(request)

    async def compact(self, parameters: Parameters, *, focus: str | None = None) -> Reading:
        """As AsyncBackend does it: the provider compacts at once."""
        return await self._on_demand(self._read_in(parameters), focus)

    async def _on_demand(self, request: Parameters, focus: str | None) -> Reading:
        asking, asked = on_demand(request, self._instructions(focus))
        if only_compacted(asking["messages"]):
            return Reading(messages=list(request["messages"]))
        try:
            response = await self._client.beta.messages.create(**asking)
        except Exception as error:  # noqa: BLE001 -- raised below, as what it means
            raise_failed(error, request, self._listeners)
        return self._taken(request, asked, response)


def raise_failed(error: Exception, request: Parameters, listeners: Listeners) -> NoReturn:
    """Tell and raise what a request for a compaction came to; the conversation is as it was (CMP_04)."""
    from brim.anthropic.errors import diagnose  # noqa: PLC0415 -- it loads the SDK, which whoever has a client has

    met = diagnose(error, str(request.get("model", ""))).error
    listeners.tell(Failed(reason=str(met), attempts=1, then="nothing"))
    raise met from error
