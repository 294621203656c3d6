"""Sub-agents: an agent gives a task to another one, which works in a conversation of its own and returns its answer.

Specified by features/agents/sub_agents.feature (AGT_03, AGT_06, AGT_07, AGT_08). A sub-agent that fails, is cancelled
or takes too long returns its error as its result; only what the caller does wrong raises.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from brim.agents.definitions import AGENTS, AgentDefinition, decide_for, has_tool
from brim.agents.permissions import PERMISSION_MODES, Decision, Permissions, Place
from brim.anthropic.clients import AsyncClient, ClientT_co, SyncClient, check_form
from brim.compaction.events import Compacted, CompactionEvent
from brim.compaction.policy import CompactionPolicy
from brim.engine.compacting import without_compaction
from brim.engine.compactor import Compactor, check_client
from brim.engine.conversation import Conversation
from brim.engine.driving import Action, Listener, Listeners, Steps, arun, calling, run
from brim.errors import BrimError, InvalidInput, Refused, described, nearest, shown
from brim.models import ModelLimits
from brim.settings import PermissionMode
from brim.tokens.usage import TokenUsage, billed, read_usage

if TYPE_CHECKING:
    from brim.sessions.session import Session

T = TypeVar("T")
TASK: Final = "task"
"""The tool by which a model calls sub-agents."""
AGENT_SECONDS: Final = 1_800.0
TOOL_SECONDS: Final = 120.0
MAX_TOKENS: Final = 8_192
MAX_TURNS: Final = 200
"""Responses for one task: what a model that calls tools in a circle costs at most."""
CANCELLED: Final = "it was cancelled"
THREAD: Final = "brim-sub-agent"
Ask: TypeAlias = Callable[[str, str, Mapping[str, Any], Decision], Any]
"""Is called with the agent, the tool, its input and the decision that asks, and says whether the tool may be used."""


@dataclass(frozen=True, slots=True)
class SubAgentResult:
    """What a sub-agent returned: its final answer, or why there is none."""

    agent: str
    text: str
    is_error: bool = False
    usages: tuple[TokenUsage, ...] = field(default=(), repr=False)
    """The usage of each of its own responses, without those of summaries and of sub-agents that it called."""
    compactions: int = 0
    session: str = ""
    """The id of its session; empty where the caller has none."""
    model: str = ""
    """The model that ran it."""

    @property
    def usage(self) -> TokenUsage:
        """The sum of its usages."""
        return billed(self.usages)


class _StoppedError(Exception):
    """The sub-agent was cancelled, or its time is over."""


class _SubAgent:
    """One sub-agent at work."""

    def __init__(
        self, agent: AgentDefinition, callers: tuple[AgentDefinition, ...], model: str, seconds: float
    ) -> None:
        self.agent, self.callers, self.model = agent, callers, model
        self.deadline = time.monotonic() + seconds
        self.usages: list[TokenUsage] = []
        self.compactions = 0
        self.session: Session | None = None
        self.called: list[_SubAgent] = []
        """The sub-agents that it called."""
        self.stopped = ""
        """Why it was stopped; empty while it may go on."""
        self.on_stop: list[Callable[[], object]] = []

    @property
    def chain(self) -> tuple[AgentDefinition, ...]:
        """It, and the agents that called it, the nearest first."""
        return (self.agent, *self.callers)

    def check(self) -> None:
        """Raise _StoppedError where it was stopped."""
        if self.stopped:
            raise _StoppedError(self.stopped)

    def stop(self, why: str) -> None:
        """Stop it and those that it called; what it waits for is abandoned."""
        self.stopped = self.stopped or why
        for one in (*self.called,):
            one.stop(why)
        for act in (*self.on_stop,):
            act()

    def result(self, text: str, *, is_error: bool = False) -> SubAgentResult:
        """What it returns."""
        name = self.session.id if self.session is not None else ""
        return SubAgentResult(self.agent.name, text, is_error, tuple(self.usages), self.compactions, name, self.model)

    def failed(self, why: str) -> SubAgentResult:
        """Its error as its result."""
        return self.result(f"the agent {self.agent.name} failed: {why}", is_error=True)


def in_thread(act: Callable[..., T], *arguments: Any) -> Future[T]:
    """Call a function in a thread of its own, which keeps no program from ending."""
    future: Future[T] = Future()

    def call() -> None:
        try:
            value = act(*arguments)
        except Exception as error:  # noqa: BLE001 -- it is raised where the result is read
            future.set_exception(error)
        except BaseException as error:  # noqa: BLE001 -- a tool that ends its thread does not end the program
            future.set_exception(RuntimeError(described(error)))
        else:
            with suppress(Exception):  # nobody waits any more
                future.set_result(value)

    threading.Thread(target=copy_context().run, args=(call,), name=THREAD, daemon=True).start()
    return future


class SubAgents(Generic[ClientT_co]):
    """Runs sub-agents with an Anthropic client (AGT_07).

    With a client that waits `run` and `results` run each in a thread of its own. With one for event loops `arun` and
    `aresults` do in tasks; tools that are no coroutines then run in threads, and `ask` may be a coroutine.

    Args:
        client: an Anthropic client. One that compacts already is used without its compaction: each sub-agent compacts
            its own conversation.
        model: the model of the agents that name none (AGT_08).
        tools: functions with annotations and a docstring, or tools of the SDK made with `beta_tool`.
        agents: the agents that there are, by name; those that are built in where it is left out. A project's are
            `load_agents(…).agents`.
        caller: the agent that calls; what it is denied stays denied for those that it calls (AGT_06).
        permissions: the rules of the project, as `load_agents(…).permissions`.
        place: what paths are relative to; the folder of this process where it is left out.
        permission_mode: what is done with a use that no rule decides, as the preference of this name (AGT_09).
        ask: says whether a tool may be used that the rules ask about, also from several threads at once; without it
            such a use is refused.
        models: the names of models that definitions use, such as `sonnet`, and what the API calls them.
        depth: 1 where sub-agents call no others, 2 where they call some that call no others, and so on.
        seconds: how long a sub-agent may take.
        tool_seconds: how long one use of a tool may take; a tool that takes longer is abandoned.
        max_tokens: the longest answer that is asked for.
        max_turns: how many responses a sub-agent may take; an agent that names a smaller number has that.
        policy: how each sub-agent's conversation is compacted.
        limits: what the models can hold, as a Compactor takes it.
        on_event: receives the events of all compactions.
        on_result: is called with each result, also of those that sub-agents call; such as to add up what they cost.
        session: the caller's; each sub-agent's is made in the same store as a child of it (AGT_03).

    Raises InvalidInput.
    """

    def __init__(
        self,
        client: ClientT_co,
        model: str,
        *,
        tools: Iterable[Any] = (),
        agents: Mapping[str, AgentDefinition] = AGENTS,
        caller: AgentDefinition | str = "build",
        permissions: Iterable[Permissions] = (),
        place: Place | None = None,
        permission_mode: PermissionMode = "default",
        ask: Ask | None = None,
        models: Mapping[str, str] | None = None,
        depth: int = 1,
        seconds: float = AGENT_SECONDS,
        tool_seconds: float = TOOL_SECONDS,
        max_tokens: int = MAX_TOKENS,
        max_turns: int = MAX_TURNS,
        policy: CompactionPolicy | None = None,
        limits: ModelLimits | Mapping[str, ModelLimits] | None = None,
        on_event: Listener | Iterable[Listener] | None = None,
        on_result: Callable[[SubAgentResult], object] | None = None,
        session: Session | None = None,
    ) -> None:
        if not _is_text(model):
            raise InvalidInput(f"the model is {shown(model)}; name the one of agents without a model of their own")
        check_client(client, model, policy or CompactionPolicy())
        limited = {"depth": depth, "seconds": seconds, "tool_seconds": tool_seconds, "max_turns": max_turns}
        for name, value in limited.items():
            if not _is_positive(value):
                raise InvalidInput(f"{name} is {shown(value)}; it is a number above 0")
        self._client: Any = without_compaction(client)
        self._model, self._agents = model, dict(agents)
        self._tools = {one.name: one for one in map(_read_tool, tools)}
        if TASK in self._tools:
            raise InvalidInput(f"a tool is called {TASK}, as the one by which agents are called; rename it")
        self._caller = self._named(caller) if isinstance(caller, str) else caller
        if permission_mode not in PERMISSION_MODES:
            raise InvalidInput(
                f"permission_mode is {shown(permission_mode)}; {nearest(permission_mode, PERMISSION_MODES)}"
            )
        self._permissions, self._place, self._ask = tuple(permissions), place, ask
        self._mode = permission_mode
        self._models, self._depth = dict(models or {}), depth
        self._seconds, self._tool_seconds = seconds, tool_seconds
        self._max_tokens, self._max_turns = max_tokens, max_turns
        self._compacts: dict[str, Any] = {"policy": policy, "limits": limits}
        self._listeners = Listeners(on_event)
        self._on_result, self._session = on_result, session
        self._working: list[_SubAgent] = []

    def run(self: SubAgents[SyncClient], agent: str, prompt: str, *, title: str = "") -> SubAgentResult:
        """Run a sub-agent and return its answer, or its error.

        Raises InvalidInput for an unknown agent, one that is primary and an empty prompt, and Refused for one that the
        caller is denied.
        """
        check_form(self._client, "run", in_loop=False)
        one = self._begun(agent, prompt)
        return self._finished(one, self._started(one, self._whole(one, prompt, title, self._session)))

    async def arun(self: SubAgents[AsyncClient], agent: str, prompt: str, *, title: str = "") -> SubAgentResult:
        """Run a sub-agent and return its answer, or its error; see run."""
        check_form(self._client, "run", in_loop=True)
        one = self._begun(agent, prompt)
        return await self._afinished(one, self._whole(one, prompt, title, self._session))

    def results(self: SubAgents[SyncClient], response: Any) -> list[dict[str, Any]]:
        """Return the tool results of all calls of `task` in a response, or in a list of its blocks, in their order."""
        check_form(self._client, "results", in_loop=False)
        return self._in_threads(_task_calls(response), None)

    async def aresults(self: SubAgents[AsyncClient], response: Any) -> list[dict[str, Any]]:
        """Return the tool results of all calls of `task` in a response; see results."""
        check_form(self._client, "results", in_loop=True)
        return await self._in_tasks(_task_calls(response), None)

    @property
    def tool(self) -> dict[str, Any]:
        """The definition of the tool `task`, for the requests of the caller's model."""
        return self._tool_for((self._caller,))

    def cancel(self) -> None:
        """Cancel every sub-agent that is at work, from any thread: each returns that as its error."""
        for one in (*self._working,):
            one.stop(CANCELLED)

    def _tool_for(self, chain: Sequence[AgentDefinition]) -> dict[str, Any]:
        named = [one for one in self._agents.values() if self._fault(one, chain) is None]
        listed = "\n".join(f"- {one.name}: {one.description or 'no description'}" for one in named)
        return {
            "name": TASK,
            "description": "Give a task to an agent that works in a context of its own. It sees nothing of this "
            "conversation but the prompt, and its final answer is the result. Agents that are called in one response "
            f"work side by side.\nAgents:\n{listed}",
            "input_schema": {
                "type": "object",
                "properties": {
                    "description": {"type": "string", "description": "The task in 3 to 5 words."},
                    "prompt": {"type": "string", "description": "The whole task, and what the answer has to say."},
                    "subagent_type": {"type": "string", "enum": [one.name for one in named]},
                },
                "required": ["prompt", "subagent_type"],
            },
        }

    def _named(self, name: object) -> AgentDefinition:
        if not isinstance(name, str) or name not in self._agents:
            raise InvalidInput(f"there is no agent {shown(name)}; {nearest(name, self._agents)}")
        return self._agents[name]

    def _fault(self, agent: AgentDefinition, chain: Sequence[AgentDefinition]) -> BrimError | None:
        """Why an agent may not be called by the first of a chain; None where it may."""
        if len(chain) > self._depth:
            return Refused(f"the agent {chain[0].name} may call no others: sub-agents are {self._depth} deep at most")
        if agent.mode == "primary" or agent.disabled:
            why = "is switched off" if agent.disabled else "is for the user alone: its mode is primary"
            return InvalidInput(f"the agent {agent.name} {why}; call one of another mode")
        decision = self._decided(chain, TASK, {"subagent_type": agent.name})
        if decision.action == "deny":
            return Refused(f"{chain[0].name} may not call the agent {agent.name}: {_why(decision)}")
        return None

    def _decided(self, chain: Sequence[AgentDefinition], tool: str, given: Mapping[str, Any]) -> Decision:
        agent, *callers = chain
        about: dict[str, Any] = {"project": self._permissions, "place": self._place, "mode": self._mode}
        return decide_for(agent, tool, given, callers=callers, **about)

    def _begun(self, name: object, prompt: object, caller: _SubAgent | None = None) -> _SubAgent:
        """A sub-agent that may begin. Raises InvalidInput and Refused."""
        chain = caller.chain if caller else (self._caller,)
        agent = self._named(name)
        if (fault := self._fault(agent, chain)) is not None:
            raise fault
        if not _is_text(prompt):
            raise InvalidInput(f"the prompt of the agent {agent.name} is {shown(prompt)}; write its whole task")
        inherited = caller.model if caller else self._model
        named = agent.model and self._models.get(agent.model, agent.model.removeprefix("anthropic/"))
        seconds = min(self._seconds, caller.deadline - time.monotonic()) if caller else self._seconds
        begun = _SubAgent(agent, chain, named or inherited, seconds)
        if caller:
            caller.called.append(begun)
        return begun

    # The steps of a sub-agent

    def _whole(self, one: _SubAgent, prompt: str, title: str, parent: Session | None) -> Steps[SubAgentResult]:
        """The result of a sub-agent; its error is one, too."""
        try:
            with self._recorded(one, title, parent):
                return (yield from self._works(one, prompt))
        except Exception as error:  # noqa: BLE001 -- tools, listeners and providers raise anything
            return one.failed(str(error) if isinstance(error, _StoppedError) else described(error))

    @contextmanager
    def _recorded(self, one: _SubAgent, title: str, parent: Session | None) -> Iterator[None]:
        """Within it the sub-agent has a session, a child of its caller's, where that has a store."""
        if parent is None or parent.store is None:
            yield
            return
        one.session = parent.store.create(
            parent=parent.id, project=parent.info.project, title=title or one.agent.name, model=one.model
        )
        with one.session:
            one.on_stop.append(one.session.close)
            yield

    def _works(self, one: _SubAgent, prompt: str) -> Steps[SubAgentResult]:
        compactor = self._compactor(one)
        one.on_stop.append(compactor.cancel)
        fixed = self._fixed(one)
        conversation: Any = Conversation(compactor, session=one.session, model=one.model, **fixed)
        conversation.append({"role": "user", "content": prompt})

        def request(messages: list[Any]) -> Any:
            one.check()
            left = one.deadline - time.monotonic() + 1  # its deadline comes first, and says so
            asked = {"model": one.model, "max_tokens": self._max_tokens, "timeout": left, **fixed}
            return self._client.messages.create(messages=messages, **asked)

        while True:
            response = yield Action(partial(conversation.send, request), partial(conversation.asend, request))
            one.check()
            one.usages.append(read_usage(response.usage))
            conversation.append({"role": "assistant", "content": response.content})
            calls = [block for block in response.content if block.type == "tool_use"]
            goes_on = response.stop_reason == "pause_turn" or (response.stop_reason == "tool_use" and calls)
            if goes_on and len(one.usages) >= (most := min(self._max_turns, one.agent.max_turns or self._max_turns)):
                return one.failed(f"it took {most:,} responses, as many as it may; {_last_words(response)}")
            if response.stop_reason == "tool_use" and calls:
                results = yield from self._used(one, calls)
                conversation.append({"role": "user", "content": results})
            elif response.stop_reason != "pause_turn":
                return self._final(one, response)

    def _final(self, one: _SubAgent, response: Any) -> SubAgentResult:
        """The final answer: the text of the last response."""
        text = _text_in(response)
        if response.stop_reason not in {"end_turn", "stop_sequence"}:
            return one.failed(f"its answer ended early ({response.stop_reason}): {text or 'it has no text'}")
        return one.result(text) if text else one.failed("its final answer has no text")

    def _fixed(self, one: _SubAgent) -> dict[str, Any]:
        """What every request of a sub-agent carries besides its messages: its prompt and its tools."""
        tools = [tool.to_dict() for name, tool in self._tools.items() if self._offers(one, name)]
        if any(self._fault(agent, one.chain) is None for agent in self._agents.values()):
            tools.append(self._tool_for(one.chain))
        system = {"system": one.agent.prompt} if one.agent.prompt else {}
        return {**system, **({"tools": tools} if tools else {})}

    def _offers(self, one: _SubAgent, tool: str) -> bool:
        return all(has_tool(agent, tool, project=self._permissions) for agent in one.chain)

    def _compactor(self, one: _SubAgent) -> Compactor[Any]:
        """The compactor of one sub-agent, so that no account is shared."""

        def heard(event: CompactionEvent) -> None:
            one.compactions += isinstance(event, Compacted)
            self._listeners.emit(event)

        return Compactor(self._client, one.model, on_event=heard, **self._compacts)

    # The tools of a sub-agent

    def _used(self, one: _SubAgent, calls: Sequence[Any]) -> Steps[list[dict[str, Any]]]:
        """The results of a response's calls, in their order: tools one after the other, then agents side by side."""
        results: dict[str, dict[str, Any]] = {}
        tasks: list[Any] = []
        for call in calls:
            one.check()
            refusal = yield from self._refusal(one, call.name, call.input)
            if refusal:
                results[call.id] = _result_of(call.id, refusal, is_error=True)
            elif call.name == TASK:
                tasks.append(call)
            else:
                results[call.id] = yield from self._use(call)
        beside = Action(partial(self._in_threads, tasks, one), partial(self._in_tasks, tasks, one))
        for block in (yield beside) if tasks else ():
            results[block["tool_use_id"]] = block
        return [results[call.id] for call in calls]

    def _refusal(self, one: _SubAgent, tool: str, given: Any) -> Steps[str]:
        """Why a sub-agent may not use a tool; empty where it may."""
        if tool != TASK and tool not in self._tools:
            return f"there is no tool {shown(tool)}; {nearest(tool, self._tools)}"
        decision = self._decided(one.chain, tool, given)
        if decision.action == "allow":
            return ""
        if decision.action == "ask" and self._ask is not None:
            agreed = yield calling(self._ask, one.agent.name, tool, given, decision)
            return "" if agreed is True else "the user does not want this"
        nobody = ", and nobody can be asked" if decision.action == "ask" else ""
        return f"{one.agent.name} may not use {tool}{nobody}: {_why(decision)}"

    def _use(self, call: Any) -> Steps[dict[str, Any]]:
        tool = self._tools[call.name]
        try:
            said = yield self._calling(tool, call.input)
        except TimeoutError:
            text = f"{call.name} did not end within {self._tool_seconds:g} seconds, and was abandoned"
            return _result_of(call.id, text, is_error=True)
        except Exception as error:  # noqa: BLE001 -- a tool may raise anything, and the model sees it
            return _result_of(call.id, getattr(error, "content", None) or described(error), is_error=True)
        return _result_of(call.id, said if isinstance(said, str) else [*said])

    def _calling(self, tool: Any, given: Any) -> Action:
        """Use a tool; in an event loop one that is no coroutine function has a thread."""

        async def awaited() -> Any:
            waits = inspect.iscoroutinefunction(tool.call)
            used = tool.call(given) if waits else asyncio.wrap_future(in_thread(tool.call, given))
            return await asyncio.wait_for(used, self._tool_seconds)

        return Action(lambda: in_thread(tool.call, given).result(self._tool_seconds), awaited)

    def _tasks(
        self, calls: Iterable[Any], caller: _SubAgent | None
    ) -> Iterator[tuple[str, _SubAgent | str, Steps[SubAgentResult] | None]]:
        """What each call of the tool `task` begins: the sub-agent and its steps, or why it cannot begin."""
        for call in calls:
            given = call.input if isinstance(call.input, Mapping) else {}
            try:
                one = self._begun(given.get("subagent_type"), given.get("prompt"), caller)
            except BrimError as error:
                yield call.id, str(error), None
                continue
            title = given.get("description")
            parent = caller.session if caller else self._session
            steps = self._whole(one, given["prompt"], title if isinstance(title, str) else "", parent)
            yield call.id, one, steps

    def _reported(self, result: SubAgentResult) -> SubAgentResult:
        if self._on_result is not None:
            self._on_result(result)
        return result

    def _late(self) -> str:
        return f"it took longer than {self._seconds:g} seconds"

    # How both forms wait

    def _started(self, one: _SubAgent, steps: Steps[SubAgentResult]) -> Future[SubAgentResult]:
        self._working.append(one)
        future = in_thread(run, steps)
        returned: Future[SubAgentResult] = Future()

        def give(value: SubAgentResult) -> None:
            with suppress(Exception):  # the other of the two was first
                returned.set_result(value)

        one.on_stop.append(lambda: give(one.failed(one.stopped)))
        future.add_done_callback(lambda done: give(done.result()))
        return returned

    def _finished(self, one: _SubAgent, returned: Future[SubAgentResult]) -> SubAgentResult:
        try:
            return self._reported(returned.result(max(one.deadline - time.monotonic(), 0.0)))
        except TimeoutError:
            one.stop(self._late())
            return self._reported(returned.result())
        except BaseException:  # Ctrl-C: nobody waits for it any more
            one.stop(CANCELLED)
            raise
        finally:
            self._working.remove(one)

    def _in_threads(self, calls: Sequence[Any], caller: _SubAgent | None) -> list[dict[str, Any]]:
        begun: list[tuple[str, _SubAgent | str, Future[SubAgentResult] | None]] = []
        try:
            for name, one, steps in self._tasks(calls, caller):
                begun.append((name, one, self._started(one, steps) if isinstance(one, _SubAgent) and steps else None))
            return [
                _result_of(name, str(one), is_error=True)
                if future is None or isinstance(one, str)
                else _block_of(name, self._finished(one, future))
                for name, one, future in begun
            ]
        except BaseException:  # nobody waits for the others either
            for one in [one for _, one, _ in begun if isinstance(one, _SubAgent) and one in self._working]:
                one.stop(CANCELLED)
                self._working.remove(one)
            raise

    async def _afinished(self, one: _SubAgent, steps: Steps[SubAgentResult]) -> SubAgentResult:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(arun(steps))
        one.on_stop.append(lambda: loop.call_soon_threadsafe(task.cancel))
        self._working.append(one)
        try:
            done, _ = await asyncio.wait({task}, timeout=max(one.deadline - time.monotonic(), 0.0))
            if done and not task.cancelled():
                return self._reported(task.result())
            one.stop(self._late() if not done else CANCELLED)
            return self._reported(one.failed(one.stopped))
        except asyncio.CancelledError:
            one.stop(CANCELLED)
            raise
        finally:
            self._working.remove(one)

    async def _in_tasks(self, calls: Sequence[Any], caller: _SubAgent | None) -> list[dict[str, Any]]:
        async def result(name: str, one: _SubAgent | str, steps: Steps[SubAgentResult] | None) -> dict[str, Any]:
            if isinstance(one, str) or steps is None:
                return _result_of(name, str(one), is_error=True)
            return _block_of(name, await self._afinished(one, steps))

        tasks = [asyncio.ensure_future(result(*begun)) for begun in self._tasks(calls, caller)]
        try:
            return [*await asyncio.gather(*tasks)]
        finally:  # where one raised, nobody waits for the others
            for task in tasks:
                task.cancel()


def _is_positive(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _read_tool(tool: Any) -> Any:
    """A tool of the SDK; one is made of a function. Raises InvalidInput."""
    from anthropic import beta_async_tool, beta_tool  # noqa: PLC0415 - it loads the SDK

    if all(hasattr(tool, name) for name in ("name", "call", "to_dict")):
        return tool
    if not callable(tool) or not hasattr(tool, "__name__"):
        raise InvalidInput(f"a tool is {type(tool).__name__}; it is a function, or made of one with beta_tool")
    return beta_async_tool(tool) if inspect.iscoroutinefunction(tool) else beta_tool(tool)


def _task_calls(response: Any) -> list[Any]:
    blocks = getattr(response, "content", response)
    return [block for block in blocks if getattr(block, "type", "") == "tool_use" and block.name == TASK]


def _text_in(response: Any) -> str:
    return "\n".join(block.text for block in response.content if block.type == "text").strip()


def _last_words(response: Any) -> str:
    text = _text_in(response)
    return f"its last words: {text}" if text else "its last response has no text"


def _why(decision: Decision) -> str:
    return f"{decision.reason} ({decision.rule.text})" if decision.rule and decision.rule.text else decision.reason


def _result_of(call: str, content: Any, *, is_error: bool = False) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call, "content": content}
    return block | {"is_error": True} if is_error else block


def _block_of(call: str, result: SubAgentResult) -> dict[str, Any]:
    return _result_of(call, result.text, is_error=result.is_error)
