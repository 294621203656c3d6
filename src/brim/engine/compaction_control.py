"""The compaction control that the SDK's tool runner had, `compaction_control={...}`, without its faults.

Specified by features/engine/compaction_control.feature (CMP_11).
"""

from __future__ import annotations

import inspect
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Required, TypeAlias, TypedDict, get_args

from brim.anthropic.server_side import BETA_HEADER, COMPACTION_KINDS, as_message, messages_of, refuse_second, usage_of
from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import UNTOUCHED, Plan, Summary, plan_compaction
from brim.compaction.policy import CompactionPolicy, OnFailure
from brim.compaction.result import Compaction
from brim.conversation.messages import SUMMARY_OPENING
from brim.engine.compactor import AsyncCompactor, Compactor, read_usage
from brim.engine.driving import Listener
from brim.engine.progress import Progress
from brim.errors import InvalidInput, Refused
from brim.models import NO_LIMIT, ModelLimits
from brim.summary.prompts import prompt_for
from brim.trigger.overflow import Verdict, autocompact_disabled

Listening: TypeAlias = Listener | Iterable[Listener] | None
POLICIES: Final[tuple[str, ...]] = get_args(OnFailure)
DEFAULT_THRESHOLD: Final = 100_000
"""Tokens of the last answer from which on the history is summarised (TRG_11)."""


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
        """The arguments of the compactor."""
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
    """Tokens of the last answer, cache included, from which on the history is summarised; 100,000."""
    model: str
    """The model that writes the summary; that of the runner."""
    summary_prompt: str
    """The prompt: a text, or the name of one of brim's prompts."""


def read_control(control: Mapping[str, Any], **added: Any) -> Control:
    """The control of a dictionary. Raises InvalidInput for another form, Refused for a number that cannot work."""
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
        raise Refused(f"a threshold of {threshold:,} tokens: every answer would be summarised; set one above 0")
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
KEPT: Final = frozenset({"betas", "user_profile_id", "workspace_id"})
"""Parameters that stay where new ones do not name them."""
WHOLE: Final = {"thread": False}
"""The whole history goes with every request: a summary replaces the history held here, not one at the provider."""


class ControlledRun:
    """The history of one run and its arguments. The caller's messages are never changed (CNV_07)."""

    def __init__(self, client: Any, control: Control, arguments: Mapping[str, Any]) -> None:
        refuse_second(arguments, COMPACTION_KINDS, "compaction_control")
        self.client, self.control = client, control
        self.messages = messages_of(arguments)
        self.tools = list(arguments["tools"])
        self.edited = False
        """Whether the caller appended messages to the current answer: the history is the caller's then."""
        self.compactions: list[Compaction] = []
        most = arguments.get("max_iterations")
        self._left = most if isinstance(most, int) else None
        named = {"messages", "tools", "max_iterations"}
        self._arguments = WHOLE | {name: value for name, value in arguments.items() if name not in named}
        self._progress = Progress()
        self._just_compacted = False

    def runner(self) -> Any:
        """A runner of the SDK that goes on from here."""
        limited = {} if self._left is None else {"max_iterations": self._left}
        messages = list(self.messages)
        return self.client.beta.messages.tool_runner(messages=messages, tools=self.tools, **limited, **self._arguments)

    def take(self, answer: Any) -> bool:
        """Add an answer to the history; whether its tools are run and another request follows."""
        self._left = None if self._left is None else self._left - 1
        reason = answer.stop_reason
        message = as_message(answer)
        if reason == "compaction":
            self.messages = [message] if any(block.get("content") for block in message["content"]) else self.messages
        elif not self.edited:
            self.messages.append(message)
        return reason == "tool_use" and self._left != 0

    def answered(self, results: Any) -> None:
        """Add the results of the answer's tools."""
        if results is not None:
            self.messages.append(results)

    def judge(self, answer: Any) -> Verdict:
        """Whether the tokens of an answer reach the threshold (TRG_11). Raises CompactionStalled (TRG_19)."""
        held, threshold = read_usage(usage_of(answer)).total, self.control.threshold
        due = held >= threshold
        verdict = Verdict(due, f"threshold ({held} >= {threshold})" if due else "under threshold", held, threshold)
        if self._just_compacted:
            self._just_compacted = False
            self._progress = self._progress.compacted(verdict, len(self.messages))
        self._progress = self._progress.observed(verdict)
        self._progress.check()
        return verdict

    def replace(self, compaction: Compaction) -> bool:
        """Replace the history by the compaction, where it acted; whether it did."""
        self._just_compacted = True
        if compaction.plan.acts:
            self.messages = compaction.messages
            self.compactions.append(compaction)
        return compaction.plan.acts

    def history(self) -> list[Any]:
        """The history as dictionaries: the messages of the user and the model alone."""
        read = (as_message(message) for message in self.messages)
        return [message for message in read if message["role"] != "system"]

    def carried(self) -> dict[str, Any]:
        """What goes with the messages of every request."""
        system = self._arguments.get("system")
        tools = [tool if isinstance(tool, Mapping) else tool.to_dict() for tool in self.tools]
        return {"system": system if isinstance(system, str | list) else None, "tools": tools}

    @property
    def model(self) -> str:
        """The model of the run."""
        return str(self._arguments["model"])

    def summarising_client(self) -> Any:
        """The client that asks for summaries, with the betas of the run: its history may need them."""
        betas = self._arguments.get("betas")
        if not isinstance(betas, list | tuple) or not betas:
            return self.client
        return self.client.with_options(default_headers={BETA_HEADER: ",".join(betas)})

    def append(self, messages: Iterable[Any], *, to_answer: bool) -> None:
        """Append messages, while an answer is handled or between two."""
        self.messages.extend(as_message(message) for message in messages)
        self.edited = self.edited or to_answer

    def adopt(self, parameters: Mapping[str, Any]) -> None:
        """Replace the parameters."""
        kept = {name: value for name, value in self._arguments.items() if name in RUNNER_ONLY | KEPT}
        named = {name: value for name, value in parameters.items() if name not in ("messages", "tools")}
        self._arguments = kept | named
        self.messages = messages_of(parameters)

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


class _Controlled:
    """The part that both runners share; every other attribute is the SDK runner's."""

    def __init__(self, run: ControlledRun) -> None:
        self._run = run
        self._runner = run.runner()
        self._item: Any = None
        """The item that was yielded last, while the caller handles it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)

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
        self._runner.append_messages(*messages)
        self._run.append(messages, to_answer=self._item is not None)

    def set_messages_params(self, params: Any) -> None:
        """Set the parameters of the next requests: a dictionary, or a function of the current ones."""
        changed: dict[str, Any] = {}

        def change(current: Any) -> Any:
            new = params(current) if callable(params) else params
            changed.update(new)
            return new

        self._runner.set_messages_params(change)
        self._run.adopt(changed)

    def add_tools(self, *tools: Any) -> None:
        """Add tools to the next requests."""
        self._runner.add_tools(*tools)
        self._run.add_tools(tools)

    def remove_tools(self, *tools: Any) -> None:
        """Remove tools from the next requests."""
        self._runner.remove_tools(*tools)
        self._run.remove_tools(tools)

    def _options(self) -> dict[str, Any]:
        run = self._run
        return {"client": run.summarising_client(), "model": run.model, **run.control.options()}


class ControlledToolRunner(_Controlled):
    """A tool runner of the SDK that summarizes its history; it yields what the SDK's yields."""

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._item is not None:
            item, self._item = self._item, None
            self._compact_if_due(item.get_final_message() if hasattr(item, "get_final_message") else item)
        self._run.edited = False
        self._item = next(self._runner)
        return self._item

    def until_done(self) -> Any:
        """Run to the end; the last answer."""
        for _ in self:
            pass
        return self._runner.until_done()

    def close(self) -> None:
        """Close the SDK's runner; the last item is not handled any more."""
        self._item = None
        self._runner.close()

    def _compact_if_due(self, answer: Any) -> None:
        """Compact before the next request where the answer that was handled makes it due."""
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
        plan: Plan = plan_whole(compactor.window(self._run.history(), **self._run.carried()), reason)
        return compactor.apply(plan)


class AsyncControlledToolRunner(_Controlled):
    """A ControlledToolRunner for event loops."""

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        if self._item is not None:
            item, self._item = self._item, None
            await self._compact_if_due(await item.get_final_message() if hasattr(item, "get_final_message") else item)
        self._run.edited = False
        self._item = await anext(self._runner)
        return self._item

    async def until_done(self) -> Any:
        """Run to the end; the last answer."""
        async for _ in self:
            pass
        return await self._runner.until_done()

    async def close(self) -> None:
        """Close the SDK's runner; the last item is not handled any more."""
        self._item = None
        await self._runner.close()

    async def _compact_if_due(self, answer: Any) -> None:
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
        window = await compactor.window(self._run.history(), **self._run.carried())
        return await compactor.apply(plan_whole(window, reason))


def plan_whole(window: ContextWindow, reason: str) -> Plan:
    """A plan by which one summary replaces every message, the user's last and the newest answer among them.

    Calls without a result are answered first (CNV_04), and the facts that must survive are those of all of it
    (SUM_13). The window stays as it is.
    """
    sound, _ = window.sendable()
    current = sound.turns.going_on(sound.messages)
    return replace(
        plan_compaction(window),
        pruning=UNTOUCHED,
        layout=(Summary(),),
        summarized_indices=tuple(range(len(sound.messages))),
        anchor=None,
        over_target=False,
        cut=len(sound.messages),
        reason=reason,
        replaced_characters=sound.weights[-1],
        turns=(*sound.turns.closed, *([current] if current else [])),
        facts=sound.turns.facts(current),
        previous_summary=_previous_summary(sound),
    )


def _previous_summary(window: ContextWindow) -> str:
    texts = (window.messages[index].text for index in window.summaries)
    return "\n\n".join(text.removeprefix(SUMMARY_OPENING).strip() for text in texts)


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
    """In place of `client.beta.messages.tool_runner`, with its arguments: a runner that summarises its own history.

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
    run = ControlledRun(client, control, arguments)
    asynchronous = inspect.iscoroutinefunction(getattr(client, "close", None))
    return AsyncControlledToolRunner(run) if asynchronous else ControlledToolRunner(run)
