"""The compaction control that the SDK's tool runner had, `compaction_control={...}`, without its faults.

Specified by features/engine/compaction_control.feature (CMP_11).
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Final, NoReturn, Required

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from brim.anthropic.clients import is_async
from brim.anthropic.requests import read_request
from brim.anthropic.server_side import COMPACTION_KINDS, as_message, messages_of, refuse_second, usage_of
from brim.compaction.context_window import ContextWindow
from brim.compaction.layout import Summary
from brim.compaction.plan import UNTOUCHED, Plan, plan_compaction, previous_summary
from brim.compaction.policy import CompactionPolicy, OnFailure
from brim.compaction.result import Compaction
from brim.engine.compactor import Compactor, WindowOptions
from brim.engine.driving import Action, Listener, Steps, arun, calling, run
from brim.engine.loop import Loop
from brim.errors import InvalidInput, faults_of
from brim.models import NO_LIMIT, ModelLimits
from brim.tokens.usage import read_usage
from brim.trigger.overflow import Verdict, autocompact_disabled

DEFAULT_THRESHOLD: Final = 100_000
"""Tokens of the last answer from which on the history is summarized (TRG_11)."""


class CompactionControl(TypedDict, total=False):
    """What the SDK's tool runner took as `compaction_control`."""

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)  # type: ignore[misc]  # pydantic reads it here

    enabled: Required[bool]
    """Whether it is on; required."""
    context_token_threshold: Annotated[int, Field(gt=0)]
    """Tokens of the last answer, cache included, from which on the history is summarized; 100,000."""
    model: str | None
    """The model that writes the summary; that of the runner."""
    summary_prompt: str | None
    """The prompt: a text, or the name of one of brim's prompts."""


RUNNER_ONLY: Final = frozenset(
    {"stream", "run_tools_eagerly", "extra_headers", "extra_query", "extra_body", "timeout", "thread"}
)
"""Arguments of a tool runner that are no parameters of a request."""
END: Final = object()
"""What is yielded behind the last item."""


class _ParametersRead(Exception):
    """Ends the SDK's change of parameters before anything is changed."""


class ControlledToolRunner:
    """A tool runner of the SDK that summarizes its history; it yields what the SDK's yields, in either form.

    Where the history is replaced, a new runner with the old one's parameters goes on. The caller's messages are never
    changed (CNV_07). Every other attribute is the SDK runner's.
    """

    def __init__(
        self, client: Any, threshold: int, compactor: Callable[[str], Compactor[Any]], arguments: Mapping[str, Any]
    ) -> None:
        """Make a runner of the SDK with these arguments; `compactor` makes one for a model."""
        self._client, self._threshold, self._compactor_for = client, threshold, compactor
        self._messages, self._tools = messages_of(arguments), list(arguments["tools"])
        refuse_second(arguments, COMPACTION_KINDS, "compaction_control")
        self._compactions: list[Compaction] = []
        most = arguments.get("max_iterations")
        self._left = most if isinstance(most, int) else None
        self._options = {name: value for name, value in arguments.items() if name in RUNNER_ONLY}
        self._tool_changes: list[tuple[str, tuple[Any, ...]]] = []
        """The SDK runner's methods by which the caller changed its tools, each with its arguments."""
        self._item: Any = None
        """The item that was yielded last, while the caller handles it."""
        self._edited = False
        self._loop = Loop(compactor(arguments["model"]), measured=True)
        self._loop.compactor.check_form(in_loop=is_async(client))
        self._runner = self._new_runner(arguments)

    def _new_runner(self, parameters: Mapping[str, Any]) -> Any:
        """Make a runner of the SDK that goes on with the history, the whole of which goes with every request."""
        own = {"messages": [*self._messages], "tools": self._tools, **self._options, "thread": False}
        limited = {} if self._left is None else {"max_iterations": self._left}
        runner = self._client.beta.messages.tool_runner(**{**parameters, **own, **limited})
        for method, tools in self._tool_changes:
            getattr(runner, method)(*tools)
        return runner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)

    @property
    def messages(self) -> list[Any]:
        """The history up to the last answer that was handled, a new list."""
        return [*self._messages]

    @property
    def compactions(self) -> tuple[Compaction, ...]:
        """Every compaction so far; what it replaced is in its plan."""
        return tuple(self._compactions)

    def append_messages(self, *messages: Any) -> None:
        """Append messages to the history."""
        self._runner.append_messages(*messages)
        self._edited = self._edited or self._item is not None

    def add_tools(self, *tools: Any) -> None:
        """Add tools to the next requests."""
        self._change_tools("add_tools", tools)

    def remove_tools(self, *tools: Any) -> None:
        """Remove tools from the next requests."""
        self._change_tools("remove_tools", tools)

    def _change_tools(self, method: str, tools: tuple[Any, ...]) -> None:
        getattr(self._runner, method)(*tools)
        self._tool_changes.append((method, tools))

    def _advanced(self) -> Steps[Any]:
        """Yield the steps to the next item, after the compaction that the last one made due; END after the last."""
        if self._item is not None:
            item, self._item = self._item, None
            answer = (yield calling(item.get_final_message)) if hasattr(item, "get_final_message") else item
            edited, self._edited = self._edited, False
            yield from self._taken(answer, edited=edited)
        item = yield Action(lambda: next(self._runner, END), lambda: anext(self._runner, END))
        self._item = None if item is END else item
        return item

    def _taken(self, answer: Any, *, edited: bool) -> Steps[None]:
        """Take in an answer that was handled, with its tools' results, and compact where it is due (TRG_11).

        `edited`: the caller appended messages to it, and the history is the caller's.
        Raises CompactionStalled (TRG_19).
        """
        self._left = None if self._left is None else self._left - 1
        sent = self._parameters()
        self._messages = [*sent["messages"], *([] if edited else [as_message(answer)])]
        if answer.stop_reason != "tool_use" or self._left == 0:
            return
        results = None if edited else (yield calling(self._runner.generate_tool_call_response))
        self._messages += [] if results is None else [results]
        held = read_usage(usage_of(answer)).total
        due = held >= self._threshold
        reason = f"threshold ({held} >= {self._threshold})" if due else "under threshold"
        self._loop.observe(Verdict(due, reason, held, self._threshold))
        self._loop.progress.check()
        if not due:
            return
        self._loop.compactor = self._compactor_for(sent["model"])  # the caller may have named another one
        window = yield from self._window(sent)
        compaction = (yield from self._loop.carrying_out(plan_whole(window, reason), window)).compaction
        if compaction is not None:
            self._messages = compaction.messages
            self._compactions.append(compaction)
            yield calling(self._runner.close)
            self._runner = self._new_runner(sent)

    def _parameters(self) -> dict[str, Any]:
        """Read the parameters of the runner without setting them: that would drop the tool results it holds."""
        parameters: dict[str, Any] = {}

        def read(current: Mapping[str, Any]) -> NoReturn:
            parameters.update(current)
            raise _ParametersRead

        with suppress(_ParametersRead):
            self._runner.set_messages_params(read)
        return parameters

    def _window(self, sent: Mapping[str, Any]) -> Steps[ContextWindow]:
        messages = [one for one in map(as_message, self._messages) if one["role"] != "system"]
        request = read_request(sent, self._options.get("extra_headers"))
        system = sent.get("system")
        options = WindowOptions(
            system=system if isinstance(system, str | list) else None,
            tools=request.tools or (),
            parameters=request.parameters,
            headers=request.headers,
        )
        return self._loop.compactor.opening(messages, options)

    def close(self) -> Any:
        """Close the SDK's runner; the last item is not handled any more. To be awaited where the runner is async."""
        self._item = None
        return self._runner.close()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        item = run(self._advanced())
        if item is END:
            raise StopIteration
        return item

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        item = await arun(self._advanced())
        if item is END:
            raise StopAsyncIteration
        return item

    def until_done(self) -> Any:
        """Run to the end, and return the last answer. To be awaited where the runner is async."""
        return arun(self._finishing()) if is_async(self._client) else run(self._finishing())

    def _finishing(self) -> Steps[Any]:
        while (yield from self._advanced()) is not END:
            pass
        return (yield calling(self._runner.until_done))


def plan_whole(window: ContextWindow, reason: str) -> Plan:
    """Plan one summary in place of every message, the user's last and the newest answer among them (CMP_11).

    Calls without a result are answered first (CNV_04), and the facts that must survive are those of all of it
    (SUM_13). The window stays as it is.
    """
    sound, _ = window.sendable()
    return replace(
        plan_compaction(window),
        pruning=UNTOUCHED,
        layout=(Summary(),),
        removed=tuple(range(len(sound.messages))),
        anchor=None,
        over_target=False,
        cut=len(sound.messages),
        reason=reason,
        removed_characters=sound.weights[-1],
        turns=tuple(sound.turns.records()),
        facts=sound.turns.facts(),
        previous_summary=previous_summary(sound, len(sound.messages), ()),
    )


def tool_runner(
    client: Any,
    *,
    compaction_control: CompactionControl | Mapping[str, Any] | None = None,
    on_failure: OnFailure = "template",
    on_event: Listener | Iterable[Listener] | None = None,
    limits: ModelLimits | None = None,
    sleep: Callable[[float], Any] | None = None,
    **arguments: Any,
) -> Any:
    """Replace `client.beta.messages.tool_runner`, with its arguments, by a runner that summarizes its own history.

    After an answer whose tokens reach the threshold, once its tools were run, the whole history is replaced by one user
    message with the summary. Without a control, with one that is off, or where compaction is off
    altogether (TRG_06), it is the SDK's own runner.

    Args:
        client: a client of the SDK; an async one gives an async runner.
        compaction_control: as the SDK's runner took it.
        on_failure: what replaces the history where no attempt gives a summary; with `raise` it is unchanged, the error
            is raised, and the next iteration goes on without a compaction (SUM_06).
        on_event: one listener or several; each receives every event of a compaction (CMP_06).
        limits: the limits of the model, where the history may exceed them.
        sleep: waits for a number of seconds, between attempts.
        arguments: those of the SDK's runner.

    Raises InvalidInput, Refused; while it runs CompactionStalled, and under `raise` why there is no summary.
    """
    if compaction_control is None:
        return client.beta.messages.tool_runner(**arguments)
    try:
        control = TypeAdapter(CompactionControl).validate_python(compaction_control)
    except ValidationError as error:
        known = ", ".join(CompactionControl.__annotations__)
        raise InvalidInput(f"in the compaction control {faults_of(error)}; it is an object of {known}") from error
    policy = CompactionPolicy(
        summary_model=control.get("model") or "",
        prompt=control.get("summary_prompt") or "structured",
        on_failure=on_failure,
    )
    if not control["enabled"] or autocompact_disabled(os.environ):
        return client.beta.messages.tool_runner(**arguments)
    threshold = control.get("context_token_threshold", DEFAULT_THRESHOLD)
    compactor = partial(Compactor, client, limits=limits or NO_LIMIT, policy=policy, on_event=on_event, sleep=sleep)
    return ControlledToolRunner(client, threshold, compactor, arguments)
