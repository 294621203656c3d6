"""The back end `brim`: compaction on this side, before the request goes out.

Part of the back ends; specified by features/engine/backends.feature (CMP_10).
"""

from __future__ import annotations

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
)
from brim.anthropic.server_compaction import with_beta_of_blocks
from brim.compaction.context_window import ContextWindow, read_request
from brim.compaction.plan import Plan
from brim.compaction.result import Compaction
from brim.engine.back_ends.applied import UNFINISHED, Applied, BackendName, Reading, of_compaction
from brim.engine.compactor import AsyncCompactor, Compactor
from brim.engine.progress import Progress
from brim.engine.reading import Carried

BRIM: Final = "brim"


class _ClientSide:
    """What both do without waiting: what goes to the compactor, and what comes back from it."""

    name: BackendName = BRIM

    def __init__(self) -> None:
        self._usage: dict[str, Any] = {}
        self._known = 0
        self._progress = Progress()
        self._applied: tuple[Applied, ...] = ()

    def _messages(self, parameters: Parameters) -> list[Any]:
        refuse_second(parameters, COMPACTION, self.name)
        return [as_message(message) for message in messages_of(parameters)]

    def _carried(self, parameters: Parameters, messages: list[Any]) -> Carried:
        """What goes with the messages; the usage of the last answer where it is still among them (TOK_11)."""
        measured = self._usage if self._usage and len(messages) >= self._known else None
        sent = read_request(parameters)
        return Carried(
            system=sent.system,
            tools=sent.tools or (),
            parameters=sent.parameters,
            headers=sent.headers,
            usage=measured,
        )

    def _judged(self, window: ContextWindow) -> ContextWindow:
        self._progress = self._progress.observed(window.verdict())
        return window

    def _watched(self, window: ContextWindow, plan: Plan) -> Plan:
        """The plan, where it may help. Raises CompactionStalled (TRG_19)."""
        if window.verdict().due:
            self._progress.check_before(plan, window.trigger)
        return plan

    def _sent(self, parameters: Parameters, window: ContextWindow, compaction: Compaction) -> dict[str, Any]:
        self._applied = of_compaction(compaction)
        if compaction.plan.acts:
            self._usage = {}
            left = window.trigger.judge(window.with_messages(compaction.conversation).held)
            self._progress = self._progress.compacted(left, len(compaction.conversation))
            self._progress.check()
        return with_beta_of_blocks({**parameters, "messages": compaction.messages})

    def _compacted(self, compaction: Compaction) -> Reading:
        if compaction.plan.acts:
            self._usage = {}
        return Reading(messages=compaction.messages, applied=of_compaction(compaction))

    def read(self, parameters: Parameters, response: Any) -> Reading:
        """As Backend does it."""
        messages = [*messages_of(parameters), answer_of(response)]
        self._usage, self._known = usage_of(response), len(messages)
        applied, self._applied = self._applied, ()
        return Reading(messages=messages, applied=applied, unfinished=stop_reason_of(response) in UNFINISHED)


class ClientSide(_ClientSide):
    """Compaction by a Compactor."""

    def __init__(self, compactor: Compactor) -> None:
        super().__init__()
        self._compactor = compactor

    def prepare(self, parameters: Parameters) -> dict[str, Any]:
        """As Backend does it: compacts where that is due."""
        messages = self._messages(parameters)
        window = self._judged(self._compactor.window(messages, **self._carried(parameters, messages)))
        plan = self._watched(window, self._compactor.plan(window, automatic=True))
        return self._sent(parameters, window, self._compactor.apply(plan))

    def compact(self, parameters: Parameters, *, focus: str | None = None) -> Reading:
        """As Backend does it."""
        messages = self._messages(parameters)
        return self._compacted(self._compactor.compact(messages, focus=focus, **self._carried(parameters, messages)))


class AsyncClientSide(_ClientSide):
    """Compaction by an AsyncCompactor."""

    def __init__(self, compactor: AsyncCompactor) -> None:
        super().__init__()
        self._compactor = compactor

    async def prepare(self, parameters: Parameters) -> dict[str, Any]:
        """As AsyncBackend does it: compacts where that is due."""
        messages = self._messages(parameters)
        window = self._judged(await self._compactor.window(messages, **self._carried(parameters, messages)))
        plan = self._watched(window, await self._compactor.plan(window, automatic=True))
        return self._sent(parameters, window, await self._compactor.apply(plan))

    async def compact(self, parameters: Parameters, *, focus: str | None = None) -> Reading:
        """As AsyncBackend does it."""
        messages = self._messages(parameters)
        compaction = await self._compactor.compact(messages, focus=focus, **self._carried(parameters, messages))
        return self._compacted(compaction)
