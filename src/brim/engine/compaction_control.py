"""The compaction control that the SDK's tool runner had, `compaction_control={...}`, without its faults.

Specified by features/engine/compaction_control.feature (CMP_11).
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn, Required, TypeAlias, TypedDict, get_args

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
from brim.errors import InvalidInput, Refused
from brim.models import NO_LIMIT, ModelLimits
from brim.summary.prompts import prompt_for
from brim.tokens.usage import read_usage
from brim.trigger.overflow import Verdict, autocompact_disabled

Listening: TypeAlias = Listener | Iterable[Listener] | None
POLICIES: Final[tuple[str, ...]] = get_args(OnFailure)
DEFAULT_THRESHOLD: Final = 100_000
"""Tokens of the last answer from which on the history is summarized (TRG_11)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A valid compaction control, with brim's own settings."""

    threshold: int
    model: str = ""
    prompt: str = "structured"
    on_failure: OnFailure = "template"
    on_event: Listening = None
    limits: ModelLimits | None = None
    sleep: Callable[[float], Any] | None = None

    def options(self) -> dict[str, Any]:
        """Return the arguments of the compactor."""
        return {
            "limits": self.limits or NO_LIMIT,
            "policy": CompactionPolicy(summary_model=self.model, prompt=self.prompt, on_failure=self.on_failure),
            "on_event": self.on_event,
            "sleep": self.sleep,
        }


class CompactionControl(TypedDict, total=False):
    """What the SDK's tool runner took as `compaction_control`."""

    enabled: Required[bool]
    """Whether it is on; required."""
    context_token_threshold: int
    """Tokens of the last answer, cache included, from which on the history is summarized; 100,000."""
    model: str
    """The model that writes the summary; that of the runner."""
    summary_prompt: str
    """The prompt: a text, or the name of one of brim's prompts."""


def read_control(control: Mapping[str, Any], **added: Any) -> Control:
    """Read the control of a dictionary. Raises InvalidInput for another form, Refused for a number that cannot work."""
    if not isinstance(control, Mapping):
        raise InvalidInput(f"a compaction control is an object, not {type(control).__name__}")
    known = CompactionControl.__annotations__
    unknown = [name for name in control if name not in known]
    if unknown:
        raise InvalidInput(f"a compaction control has no {unknown[0]!r}; it has: {', '.join(known)}")
    if type(control.get("enabled")) is not bool:
        raise InvalidInput("a compaction control says with 'enabled' whether it is on: True or False")
    if added.get("on_failure", "template") not in POLICIES:
        raise InvalidInput(f"there is no policy {added['on_failure']!r}; there are: {', '.join(POLICIES)}")
    prompt = _text(control, "summary_prompt") or "structured"
    prompt_for(prompt)
    return Control(threshold=_threshold(control), model=_text(control, "model"), prompt=prompt, **added)


def _threshold(control: Mapping[str, Any]) -> int:
    threshold = control.get("context_token_threshold", DEFAULT_THRESHOLD)
    if type(threshold) is not int:
        raise InvalidInput(f"'context_token_threshold' is a whole number of tokens, not {threshold!r}")
    if threshold <= 0:
        raise Refused(f"a threshold of {threshold:,} tokens: every answer would be summarized; set one above 0")
    return threshold


def _text(control: Mapping[str, Any], name: str) -> str:
    text = control.get(name)
    if text is not None and not isinstance(text, str):
        raise InvalidInput(f"{name!r} of a compaction control is a text, not {type(text).__name__}")
    return text or ""


RUNNER_ONLY: Final = frozenset(
    {"stream", "run_tools_eagerly", "extra_headers", "extra_query", "extra_body", "timeout", "thread"}
)
"""Arguments of a tool runner that are no parameters of a request."""
END: Final = object()
"""What is yielded behind the last item."""


class _ParametersRead(Exception):
    """Ends the SDK's change of parameters before anything is changed."""


class ControlledRun:
    """A runner of the SDK and its history; where that is replaced, a new runner with the old one's parameters goes on.

    The caller's messages are never changed (CNV_07). `thread=False`: the whole history goes with every request.
    """

    def __init__(self, client: Any, control: Control, arguments: Mapping[str, Any]) -> None:
        refuse_second(arguments, COMPACTION_KINDS, "compaction_control")
        self.client, self.control = client, control
        self.messages = messages_of(arguments)
        self.tools = list(arguments["tools"])
        self.compactions: list[Compaction] = []
        most = arguments.get("max_iterations")
        self._left = most if isinstance(most, int) else None
        self._options = {name: value for name, value in arguments.items() if name in RUNNER_ONLY} | {"thread": False}
        named = {name: value for name, value in arguments.items() if name not in ("messages", "tools")}
        self.runner = client.beta.messages.tool_runner(
            messages=list(self.messages), tools=self.tools, **{**named, "thread": False}
        )
        self._loop = Loop(self._compactor(arguments), measured=True)
        self._loop.compactor.check_form(in_loop=is_async(client))

    def taken(self, answer: Any, *, edited: bool) -> Steps[None]:
        """Take in an answer that was handled, with its tools' results, and compact where it is due (TRG_11).

        `edited`: the caller appended messages to it, and the history is the caller's.
        Raises CompactionStalled (TRG_19).
        """
        self._left = None if self._left is None else self._left - 1
        sent = self._parameters()
        self.messages = [*sent["messages"], *([] if edited else [as_message(answer)])]
        if answer.stop_reason != "tool_use" or self._left == 0:
            return
        results = None if edited else (yield calling(self.runner.generate_tool_call_response))
        self.messages += [] if results is None else [results]
        verdict = self._judged(answer)
        if not verdict.due:
            return
        self._loop.compactor = self._compactor(sent)  # the caller may have named another model
        window = yield from self._window(sent)
        plan = plan_whole(window, verdict.reason)
        compaction = (yield from self._loop.carrying_out(plan, window)).compaction
        if compaction is not None:
            self.messages = compaction.messages
            self.compactions.append(compaction)
            yield calling(self.runner.close)
            named = {name: value for name, value in sent.items() if name not in ("messages", "tools")}
            limited = {} if self._left is None else {"max_iterations": self._left}
            self.runner = self.client.beta.messages.tool_runner(
                messages=list(self.messages), tools=self.tools, **{**named, **limited, **self._options}
            )

    def _parameters(self) -> dict[str, Any]:
        """Read the parameters of the runner without setting them: that would drop the tool results it holds."""
        parameters: dict[str, Any] = {}

        def read(current: Mapping[str, Any]) -> NoReturn:
            parameters.update(current)
            raise _ParametersRead

        with suppress(_ParametersRead):
            self.runner.set_messages_params(read)
        return parameters

    def _judged(self, answer: Any) -> Verdict:
        held, threshold = read_usage(usage_of(answer)).total, self.control.threshold
        due = held >= threshold
        verdict = Verdict(due, f"threshold ({held} >= {threshold})" if due else "under threshold", held, threshold)
        self._loop.judge(verdict)
        self._loop.progress.check()
        return verdict

    def _compactor(self, sent: Mapping[str, Any]) -> Compactor[Any]:
        return Compactor(self.client, sent["model"], **self.control.options())

    def _window(self, sent: Mapping[str, Any]) -> Steps[ContextWindow]:
        read = (as_message(one) for one in self.messages)
        system, carried = sent.get("system"), read_request(sent, self._options.get("extra_headers"))
        options = WindowOptions(
            system=system if isinstance(system, str | list) else None,
            tools=[tool if isinstance(tool, Mapping) else tool.to_dict() for tool in self.tools],
            parameters=carried.parameters,
            headers=carried.headers,
        )
        return self._loop.compactor.opening([one for one in read if one["role"] != "system"], options)

    def add_tools(self, tools: Iterable[Any]) -> None:
        """Add tools; each replaces one of the same name."""
        added = {_name(tool): tool for tool in tools}
        self.tools = [*(tool for tool in self.tools if _name(tool) not in added), *added.values()]

    def remove_tools(self, tools: Iterable[Any]) -> None:
        """Remove tools, each named or passed itself."""
        gone = {tool if isinstance(tool, str) else _name(tool) for tool in tools}
        self.tools = [tool for tool in self.tools if _name(tool) not in gone]


def _name(tool: Any) -> Any:
    return tool.get("name") if isinstance(tool, Mapping) else getattr(tool, "name", None)


class ControlledToolRunner:
    """A tool runner of the SDK that summarizes its history; it yields what the SDK's yields, in either form.

    Every other attribute is the SDK runner's.
    """

    def __init__(self, run: ControlledRun) -> None:
        self._run = run
        self._item: Any = None
        """The item that was yielded last, while the caller handles it."""
        self._edited = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._run.runner, name)

    @property
    def messages(self) -> list[Any]:
        """The history up to the last answer that was handled, a new list."""
        return list(self._run.messages)

    @property
    def compactions(self) -> tuple[Any, ...]:
        """Every compaction so far; what it replaced is in its plan."""
        return tuple(self._run.compactions)

    def append_messages(self, *messages: Any) -> None:
        """Append messages to the history."""
        self._run.runner.append_messages(*messages)
        self._edited = self._edited or self._item is not None

    def add_tools(self, *tools: Any) -> None:
        """Add tools to the next requests."""
        self._run.runner.add_tools(*tools)
        self._run.add_tools(tools)

    def remove_tools(self, *tools: Any) -> None:
        """Remove tools from the next requests."""
        self._run.runner.remove_tools(*tools)
        self._run.remove_tools(tools)

    def _advanced(self) -> Steps[Any]:
        """Yield the steps to the next item, after the compaction that the last one made due; END after the last."""
        if self._item is not None:
            item, self._item = self._item, None
            answer = (yield calling(item.get_final_message)) if hasattr(item, "get_final_message") else item
            edited, self._edited = self._edited, False
            yield from self._run.taken(answer, edited=edited)
        item = yield Action(lambda: next(self._run.runner, END), lambda: anext(self._run.runner, END))
        self._item = None if item is END else item
        return item

    def close(self) -> Any:
        """Close the SDK's runner; the last item is not handled any more. To be awaited where the runner is async."""
        self._item = None
        return self._run.runner.close()

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
        steps = self._finishing()
        return arun(steps) if is_async(self._run.client) else run(steps)

    def _finishing(self) -> Steps[Any]:
        while (yield from self._advanced()) is not END:
            pass
        return (yield calling(self._run.runner.until_done))


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
    compaction_control: Mapping[str, Any] | None = None,
    on_failure: OnFailure = "template",
    on_event: Listening = None,
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
    added = {"on_failure": on_failure, "on_event": on_event, "limits": limits, "sleep": sleep}
    control = read_control(compaction_control, **added)
    if not compaction_control["enabled"] or autocompact_disabled(os.environ):
        return client.beta.messages.tool_runner(**arguments)
    return ControlledToolRunner(ControlledRun(client, control, arguments))
