"""The agent: what brim and the SDK make of a conversation, its session, its tools and its sub-agents."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import gettempdir
from threading import current_thread, main_thread
from typing import Any

from anthropic import beta_tool
from tools import Tools

from brim import Compactor, ContextWindow, Conversation, ModelLimits, Refused
from brim.agents.definitions import decide_for, has_tool, load_agents
from brim.agents.permissions import Decision, Place, read_permissions
from brim.agents.sub_agents import SubAgents
from brim.anthropic.prices import prices_of
from brim.checkpoints import Checkpoints
from brim.compaction.cost import price_tokens
from brim.engine.recall import recall_tool
from brim.memory import Memory
from brim.sessions import Session
from brim.sessions.records import CompactionRecord
from brim.settings import Settings
from brim.tokens.usage import read_usage

LONGEST = 5_000  # tokens of an answer
CACHED = {"type": "ephemeral"}
SYSTEM = """\
You are a coding agent. You work in the folder {project} with the tools that you have. Look before you change, run \
the tests after a change, and say in few words what you did."""
# What needs no permission, unless the rules of the project or the user say otherwise.
FREE = {"allow": ["Read(./**)", "Glob", "Grep", "todowrite", "task", "recall"]}


@dataclass
class Terminal:
    """What the user sees and is asked, and what stays between two agents of one session."""

    show: Callable[[str], object]
    note: Callable[[str], object]
    confirm: Callable[[str], str]
    cost: Decimal = Decimal(0)
    priced: bool = True
    allowed: set[tuple[str, str]] = field(default_factory=set)

    def pay(self, model: str, *usages: Any) -> None:
        """Add what requests cost, by list prices."""
        try:
            for usage in usages:
                self.cost += sum(price_tokens(read_usage(usage), prices_of(model)).values())
        except Refused:
            self.priced = False


class Agent:
    """One agent at work in a session."""

    def __init__(
        self,
        client: Any,
        session: Session,
        project: Path,
        terminal: Terminal,
        settings: Settings,
        *,
        name: str = "build",
        limits: ModelLimits | None = None,
    ) -> None:
        self.client, self.session, self.project, self.terminal = client, session, project, terminal
        self.model, self.policy = session.info.model, settings.policy
        self.questions: SimpleQueue[tuple[tuple[Any, ...], Future[bool]]] = SimpleQueue()
        self.pool = ThreadPoolExecutor(1)
        outputs = Path(gettempdir()) / f"agent-{session.id}"

        # -- what brim reads of the project
        files = load_agents(project)
        self.memory = Memory.read(project, settings=settings.memory)
        for fault in (*settings.warnings, *files.faults, *self.memory.warnings, *session.warnings):
            terminal.note(f"brim: {fault}")
        kept = {"external_directory": {f"{outputs}/*": "allow"}}
        own = (read_permissions("claude-code", FREE), read_permissions("opencode", kept))
        self.agent, self.rules = files.named(name), (*own, *files.permissions)
        self.place, self.mode = Place(str(project), home=str(Path.home())), settings.preferences.permission_mode

        # -- tools, sub-agents, checkpoints
        self.coding = Tools(project, outputs)
        tools = [beta_tool(one) for one in (*self.coding.all, recall_tool(session))]
        self.tools = {one.name: one for one in tools if has_tool(self.agent, one.name, project=self.rules)}
        compacted: dict[str, Any] = {"policy": self.policy, "limits": limits, "on_event": self.heard}
        self.agents = SubAgents(
            client,
            self.model,
            tools=tools,
            agents=files.agents,
            caller=self.agent,
            permissions=self.rules,
            place=self.place,
            permission_mode=self.mode,
            ask=self.ask,
            max_tokens=LONGEST,
            on_result=lambda result: self.terminal.pay(result.model, *result.usages),
            session=session,
            **compacted,
        )
        self.checkpoints = Checkpoints(project, session, settings=settings.checkpoints)

        # -- the conversation
        self.compactor = Compactor(client, self.model, **compacted)
        self.request: dict[str, Any] = {
            "model": self.model,
            "system": f"{SYSTEM.format(project=project)}\n{self.agent.prompt}".strip(),
            "tools": [*(one.to_dict() for one in self.tools.values()), self.agents.tool],
        }
        self.resume()

    def resume(self) -> None:
        """Go on where the session is."""
        options: dict[str, Any] = {**self.request, "parameters": {"cache_control": CACHED}}
        self.conversation = Conversation(self.compactor, memory=self.memory, session=self.session, **options)

    def turn(self, prompt: str) -> None:
        """A prompt of the user: a checkpoint, then answers and tools until the model is done."""
        self.checkpoints.before_prompt(prompt)
        self.conversation.append({"role": "user", "content": prompt})
        while True:
            response = self.conversation.send(self.answer)
            self.terminal.pay(response.model, response.usage)
            if response.content:
                self.conversation.append({"role": "assistant", "content": response.content})
            calls = [block for block in response.content if block.type == "tool_use"]
            if not calls:
                return
            results: dict[str, Any] = {}
            try:
                self.use(calls, results, cut_off=response.stop_reason != "tool_use")
            finally:  # also where the user stops it: the session answers the other calls
                if results:
                    self.conversation.append({"role": "user", "content": [*results.values()]})

    def answer(self, messages: Sequence[Any], system: Any) -> Any:
        """The model's answer to a request, shown while it is written."""
        asked = {**self.request, "system": system, "messages": messages, "cache_control": CACHED}
        with self.client.messages.stream(max_tokens=LONGEST, **asked) as stream:
            text = ""
            for text in stream.text_stream:
                self.terminal.show(text)
            self.terminal.show("\n" if text else "")
            return stream.get_final_message()

    def use(self, calls: Sequence[Any], results: dict[str, Any], *, cut_off: bool) -> None:
        """Use the tools that a response calls, one after the other; then its sub-agents, side by side."""
        tasks = []
        for call in calls:
            refusal = "the answer was cut off before this call was whole" if cut_off else self.refusal(call)
            if refusal:
                results[call.id] = result_of(call, refusal, is_error=True)
            elif call.name == self.agents.tool["name"]:
                tasks.append(call)
            else:
                self.terminal.note(f"{call.name} {subject_of(call.input)}")
                try:
                    results[call.id] = result_of(call, self.tools[call.name].call(call.input))
                except Exception as error:  # noqa: BLE001 -- a tool may raise anything, and the model sees it
                    results[call.id] = result_of(call, str(error) or type(error).__name__, is_error=True)
        results |= {one["tool_use_id"]: one for one in (self.delegate(tasks) if tasks else ())}

    def delegate(self, tasks: Sequence[Any]) -> list[dict[str, Any]]:
        """Run sub-agents in another thread; what they ask is asked in this one, which Ctrl-C interrupts."""
        for call in tasks:
            self.terminal.note(f"task {call.input.get('subagent_type')}: {call.input.get('description', '')}")
        done = self.pool.submit(self.agents.results, tasks)
        try:
            while not done.done():
                with suppress(Empty):
                    question, reply = self.questions.get(timeout=0.02)
                    reply.set_result(self.ask(*question))
            return done.result()
        finally:
            self.agents.cancel()
            self.coding.stop()

    def refusal(self, call: Any) -> str:
        """Why a call may not be made; empty where it may."""
        if call.name != self.agents.tool["name"] and call.name not in self.tools:
            return f"there is no tool {call.name}"
        about: dict[str, Any] = {"project": self.rules, "place": self.place, "mode": self.mode}
        decision = decide_for(self.agent, call.name, call.input, **about)
        if decision.action == "ask" and self.ask(self.agent.name, call.name, call.input, decision):
            return ""
        return "" if decision.action == "allow" else f"{call.name} was not allowed: {decision.reason}"

    def ask(self, agent: str, tool: str, given: Any, decision: Decision) -> bool:
        """Ask the user whether a tool may be used; always the same use after the answer "always"."""
        if current_thread() is not main_thread():
            reply: Future[bool] = Future()
            self.questions.put(((agent, tool, given, decision), reply))
            return reply.result()
        use = (tool, subject_of(given))
        if use in self.terminal.allowed:
            return True
        why = f"{decision.reason}: {decision.part}" if decision.part not in ("", use[1]) else decision.reason
        said = self.terminal.confirm(f"{agent} wants to use {tool}: {use[1]}\n({why}) [y]es, [n]o, [a]lways? ")
        if said == "a":
            self.terminal.allowed.add(use)
        return said in ("y", "a")

    def heard(self, event: Any) -> None:
        """Show what a compaction does, and pay for its summary."""
        if event.kind in ("compacted", "pruned", "attempt_rejected", "failed"):
            self.terminal.note(str(event))
        for attempt in event.compaction.attempts if event.kind == "compacted" else ():
            self.terminal.pay(attempt.model, attempt.usage)

    def window(self) -> ContextWindow:
        """The window as the session shows it."""
        about = {"system": self.request["system"], "tools": self.request["tools"], "model": self.model}
        return self.session.view().window(self.compactor.limits_of(), self.policy, **about)

    @property
    def status(self) -> str:
        """How full the window is, what was paid, and how often it was compacted."""
        verdict = self.window().verdict()
        compactions = sum(isinstance(one, CompactionRecord) and one.counts for one in self.session.records())
        cost = f"${self.terminal.cost:.4f}" if self.terminal.priced else "price unknown"
        window = f"window {verdict.held:,} of {verdict.threshold:,} tokens, {verdict.held / verdict.threshold:.0%}"
        return f"{window} · {cost} · {compactions} compaction{'' if compactions == 1 else 's'}"


def subject_of(given: Any) -> str:
    """What a tool is used with, in one line."""
    return str(given.get("command") or given.get("file_path") or json.dumps(given, ensure_ascii=False))


def result_of(call: Any, content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """The result of a call."""
    return {"type": "tool_result", "tool_use_id": call.id, "content": content, "is_error": is_error}
