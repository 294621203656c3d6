"""Steps of features/agents/sub_agents.feature."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from anthropic import beta_tool
from pytest_bdd import given, parsers, when

from brim.agents.definitions import AGENTS, AgentDefinition
from brim.agents.permissions import Permissions, Place, Rule
from brim.agents.sub_agents import TASK, SubAgents
from brim.compaction.events import Compacted
from brim.models import ModelLimits
from brim.sessions import open_store
from brim.testing import MessagesServer, ServedModel, cut_off, empty, hang, rejected, tool_call
from steps.compaction_windows import filler
from steps.vocabulary import tokens
from steps.worlds.notation import Acts, Notation
from steps.worlds.values import read_settings

MODEL, SMALL = "claude-opus-5-5", "claude-haiku-5"
MODELS = {name: ServedModel(200_000, 64_000) for name in (MODEL, SMALL)}
ANSWER, CALLERS = 1_000, 500
"""The longest answers of a sub-agent and of the caller; that of summary requests differs."""
READ = tool_call("Read", {"file_path": "/project/bell"})
ANSWERS = {"agrees": True, "refuses": False, "objects": "no"}
"""What the program that asks the user returns."""
FAILURES = {
    "is refused by the API": [rejected("bad bell")],
    "gets no response": [hang()],
    "answers nothing": [empty()],
    "is cut off": [cut_off("The bell")],
    "calls tools in a circle": [READ] * 201,
}


def ruled(name, action):
    """An agent with one rule for everything."""
    return AgentDefinition(name, permissions=Permissions("opencode", (Rule(action, "*"),)))


OWN = {
    "helper": ruled("helper", "allow"),
    "careful": ruled("careful", "ask"),
    "reader": AgentDefinition("reader", tools=(Rule("allow", "Read"),)),
}


@dataclass
class Harness:
    """A caller with sub-agents, and the provider that answers them."""

    server: MessagesServer
    agents: dict[str, AgentDefinition] = field(default_factory=lambda: {**AGENTS, **OWN})
    settings: dict[str, Any] = field(default_factory=dict)
    reads: list[str] = field(default_factory=list)
    """What the tool Read gives, in order."""
    events: list[Any] = field(default_factory=list)
    meeting: threading.Barrier = field(default_factory=lambda: threading.Barrier(2, timeout=30))
    released: threading.Event = field(default_factory=threading.Event)
    scripted: list[str] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    received: list[Any] = field(default_factory=list)
    """The results that the program received, in the order in which the agents ended."""
    tool: str = ""
    """The tool that an agent uses."""
    max_turns: int | None = None
    """How many responses an agent takes at most by its definition."""

    def script(self, agent, *answers):
        """Let the provider answer the requests of an agent, which its system prompt names."""
        self.scripted.append(agent)
        self.agents[agent] = replace(self.agents[agent], prompt=f"You are {agent}.")
        self.server.when(lambda body: is_of(agent, body), *answers)

    def requests(self, agent):
        """The bodies of the requests of an agent."""
        return [one.body for one in self.server.requests if one.body and is_of(agent, one.body)]

    def run(self, *tasks, cancel=False):
        """Let the caller's model call agents in one response."""
        calls = [tool_call(TASK, {"subagent_type": agent, "prompt": prompt}) for agent, prompt in tasks]
        self.server.when(lambda body: body["max_tokens"] == CALLERS, calls)
        about = {"models": {"small": SMALL}, "place": Place("/project", resolve=str), "on_event": self.events.append}
        about["on_result"] = self.received.append
        with self.server.client() as client:
            agents = SubAgents(
                client, MODEL, tools=self.tools(), agents=self.agents, max_tokens=ANSWER, **about, **self.settings
            )
            asked = [{"role": "user", "content": "Find out."}]
            response = client.messages.create(model=MODEL, max_tokens=CALLERS, messages=asked, tools=[agents.tool])
            timer = threading.Timer(0.2, agents.cancel)
            if cancel:
                timer.start()
            self.results = agents.results(response)

    def outcome(self):
        """What came of it, in the words of the feature."""
        texts = [one["content"] for one in self.results]
        errors = [one.get("is_error", False) for one in self.results]
        requests = self.requests(self.scripted[0])
        outcome = {
            "result": texts[0],
            "results": texts,
            "second_result": texts[-1],
            "failed": errors,
            "first_request": only_text(requests[0]["messages"]) if requests else "",
            "last_request": str(requests[-1]["messages"]) if requests else "",
            "offered": bool(requests) and self.tool in [one["name"] for one in requests[0].get("tools", ())],
            "compactions": sum(isinstance(event, Compacted) for event in self.events),
            "answers_left": self.server.unused,
            "agents_received": [one.agent for one in self.received],
            "models_received": [one.model for one in self.received],
            "responses_received": [len(one.usages) for one in self.received],
        }
        models = {f"models_of_{name}": [body["model"] for body in self.requests(name)] for name in self.scripted}
        return outcome | models | (self.recorded(requests[-1]["messages"]) if "session" in self.settings else {})

    def recorded(self, last):
        """What the one session of a sub-agent says, beside the caller's, and whether it shows the last request."""
        session = self.settings["session"]
        (child,) = [one for one in session.store.sessions() if one.parent == session.id]
        *shown, answer = [message.raw for message in session.store.read(child.id).view().messages]
        return {
            "new_session": str([*shown, answer]),
            "its_last_message": answer["content"][0].get("text"),
            "shows_the_last_request": shown == last,
            "caller's_messages": len(session.view().messages),
        }

    def tools(self):
        """The functions of the caller."""
        return [
            beta_tool(lambda file_path: self.reads.pop(0), name="Read", input_schema=takes("file_path")),
            beta_tool(lambda file_path: "Written.", name="Write", input_schema=takes("file_path")),
            beta_tool(broken, name="Break", input_schema=takes()),
            beta_tool(lambda: str(self.released.wait()), name="Hang", input_schema=takes()),
        ]


def takes(*names):
    """The schema of texts by these names."""
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": [*names]}


def broken():
    """A tool that fails."""
    raise OSError("the bell is broken")


def is_of(agent, body):
    """Whether a request is an agent's, and no summary of it."""
    return body.get("system") == f"You are {agent}." and body.get("max_tokens") == ANSWER


def only_text(messages):
    """The text of the one message of the user that there is."""
    (message,) = messages
    assert message["role"] == "user"
    return message["content"]


def given_to_it(body):
    """What the last tool of a request gave."""
    return str(body["messages"][-1]["content"][0]["content"])


@pytest.fixture
def harness():
    """Ends the tools that hang at the end."""
    with MessagesServer(models=MODELS, default="All went well.") as server:
        made = Harness(server)
        yield made
        made.released.set()


def reads(harness: Harness, *texts: str) -> list[Any]:
    """Read these outputs, one by one."""
    harness.reads += texts
    return [READ] * len(texts)


def uses(harness: Harness, tool: str) -> list[Any]:
    """Use a tool, one that hangs for less than the provider does."""
    harness.tool = tool
    harness.settings |= {"tool_seconds": 0.2} if tool == "Hang" else {}
    return [tool_call(tool, {"file_path": "/project/bell"} if tool == "Write" else {})]


def fails(harness: Harness, how: str) -> list[Any]:
    """Fail as the provider does, or go on for ever."""
    harness.settings |= {"gets no response": {"seconds": 1.5}, "calls tools in a circle": {"seconds": 100}}.get(how, {})
    harness.reads += ["A line."] * 201
    return FAILURES[how]


def takes_at_most(harness: Harness, count: str) -> list[Any]:
    """Name how many responses it takes, in its definition."""
    harness.max_turns = int(count) if count.isdigit() else None
    return []


AGENT = Acts(
    "it {acts}",
    {
        'reads "([^"]*)"': reads,
        r"reads (\d+) outputs of ([\d,]+) tokens": lambda harness, count, size: reads(
            harness, *[filler(tokens(size))] * int(count)
        ),
        'answers "([^"]*)"': lambda _, text: [text],
        "answers with what it is given": lambda _: [given_to_it],
        'calls "([^"]*)"': lambda _, other: [tool_call(TASK, {"subagent_type": other, "prompt": "When?"})],
        r"uses (\w+)": uses,
        'meets the other and answers "([^"]*)"': lambda harness, text: [lambda _: harness.meeting.wait() * 0 or text],
        r"takes (\d+|any number of) responses at most": takes_at_most,
        f"({'|'.join(FAILURES)})": fails,
    },
)


@given(parsers.re(r'an agent "(?P<agent>\w+)"(?: with the model "(?P<model>[^"]*)")? that (?P<acts>.+)'))
def agent_that(harness, agent, model, acts):
    answers = [answer for act, words in AGENT.each(acts) for answer in AGENT.acts[act](harness, *words)]
    harness.script(agent, *answers)
    own = ({} if model is None else {"model": model}) | ({"max_turns": harness.max_turns} if harness.max_turns else {})
    harness.agents[agent] = replace(harness.agents[agent], **own)


SETTINGS = {
    "caller": ("caller", str),
    "depth": ("depth", tokens),
    "permission mode": ("permission_mode", lambda mode: mode.strip('"')),
    "responses at most": ("max_turns", tokens),
    "user who": ("ask", lambda says: lambda *_: ANSWERS[says]),
    "window": ("limits", lambda size: ModelLimits(context_window=tokens(size), max_output_tokens=4_000)),
}


@given(Notation("sub-agents with {line}", lambda line: read_settings(line, SETTINGS)))
def sub_agents_with(harness, line):
    harness.settings |= read_settings(line, SETTINGS)


@given("a caller with a session")
def caller_session(harness, tmp_path, request):
    store = open_store(tmp_path)
    session = store.create(project="/project")
    harness.settings["session"] = session
    request.addfinalizer(lambda: (session.close(), store.close()))


@when(
    parsers.re(
        r'the caller\'s model gives (?P<whom>it|both|"\w+") (?:a|the) task(?: "(?P<prompt>[^"]*)")?'
        r"(?P<other>, and explore another)?(?P<cancels>, and the caller cancels)?"
    ),
    target_fixture="outcome",
)
def give_task(harness, whom, prompt, other, cancels):
    agents = harness.scripted if whom == "both" else harness.scripted[:1] if whom == "it" else [whom.strip('"')]
    tasks = [(agent, "Look." if prompt is None else prompt) for agent in agents]
    harness.settings |= {"seconds": 60} if cancels else {}
    harness.run(*tasks, *([("explore", "Look.")] if other else []), cancel=bool(cancels))
    return harness.outcome()
