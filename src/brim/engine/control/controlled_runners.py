"""Tool runners of the SDK that summarise their own history, for clients that block and for event loops.

Part of the compaction control; specified by features/engine/compaction_control.feature (CMP_11).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from brim.compaction.plan import Plan
from brim.engine.compactor import AsyncCompactor, Compactor
from brim.engine.control.controlled_run import ControlledRun
from brim.engine.control.whole_history import plan_whole


class _Controlled:
    """What both runners share. What is not here is the SDK's runner's own."""

    def __init__(self, run: ControlledRun) -> None:
        self._run = run
        self._runner = run.runner()
        self._item: Any = None
        """What was yielded last, while it is being handled."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)

    @property
    def messages(self) -> list[Any]:
        """The history as far as it is done with, a new list."""
        return list(self._run.messages)

    @property
    def compactions(self) -> tuple[Any, ...]:
        """Every compaction so far; what it replaced is in its plan."""
        return tuple(self._run.compactions)

    def append_messages(self, *messages: Any) -> None:
        """As the SDK's runner does it."""
        self._runner.append_messages(*messages)
        self._run.append(messages, to_answer=self._item is not None)

    def set_messages_params(self, params: Any) -> None:
        """As the SDK's runner does it."""
        changed: dict[str, Any] = {}

        def change(current: Any) -> Any:
            new = params(current) if callable(params) else params
            changed.update(new)
            return new

        self._runner.set_messages_params(change)
        self._run.adopt(changed)

    def add_tools(self, *tools: Any) -> None:
        """As the SDK's runner does it."""
        self._runner.add_tools(*tools)
        self._run.add_tools(tools)

    def remove_tools(self, *tools: Any) -> None:
        """As the SDK's runner does it."""
        self._runner.remove_tools(*tools)
        self._run.remove_tools(tools)

    def _options(self) -> dict[str, Any]:
        run = self._run
        return {"client": run.summarising_client(), "model": run.model, **run.control.options()}


class ControlledToolRunner(_Controlled):
    """A tool runner of the SDK that summarises its history; what it yields is what the SDK's yields."""

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._item is not None:
            item, self._item = self._item, None
            self._settle(item.get_final_message() if hasattr(item, "get_final_message") else item)
        self._run.edited = False
        self._item = next(self._runner)
        return self._item

    def until_done(self) -> Any:
        """Run to the end; the last answer."""
        for _ in self:
            pass
        return self._runner.until_done()

    def close(self) -> None:
        """As the SDK's runner does it; what was yielded last is left as it is."""
        self._item = None
        self._runner.close()

    def _settle(self, answer: Any) -> None:
        """Compact where the answer that is done with makes it due, before the next request."""
        run = self._run
        if not run.take(answer):
            return
        if not run.edited:
            run.answered(self._runner.generate_tool_call_response())
        verdict = run.judge(answer)
        if verdict.due and run.replace(self._compact(verdict.reason)):
            self._runner.close()
            self._runner = run.runner()

    def _compact(self, reason: str) -> Any:
        compactor = Compactor(**self._options())
        plan: Plan = plan_whole(compactor.window(self._run.told(), **self._run.carried()), reason)
        return compactor.apply(plan)


class AsyncControlledToolRunner(_Controlled):
    """As ControlledToolRunner, in an event loop."""

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        if self._item is not None:
            item, self._item = self._item, None
            await self._settle(await item.get_final_message() if hasattr(item, "get_final_message") else item)
        self._run.edited = False
        self._item = await anext(self._runner)
        return self._item

    async def until_done(self) -> Any:
        """Run to the end; the last answer."""
        async for _ in self:
            pass
        return await self._runner.until_done()

    async def close(self) -> None:
        """As the SDK's runner does it; what was yielded last is left as it is."""
        self._item = None
        await self._runner.close()

    async def _settle(self, answer: Any) -> None:
        run = self._run
        if not run.take(answer):
            return
        if not run.edited:
            run.answered(await self._runner.generate_tool_call_response())
        verdict = run.judge(answer)
        if verdict.due and run.replace(await self._compact(verdict.reason)):
            await self._runner.close()
            self._runner = run.runner()

    async def _compact(self, reason: str) -> Any:
        compactor = AsyncCompactor(**self._options())
        window = await compactor.window(self._run.told(), **self._run.carried())
        return await compactor.apply(plan_whole(window, reason))
