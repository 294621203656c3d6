"""Steps of features/agents/sub_agents.feature."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from anthropic import beta_tool
from pytest_bdd import given, then, when

from brim.agents.definitions import AGENTS, AgentDefinition
from brim.agents.permissions import Permissions, Place, Rule
from brim.agents.sub_agents import TASK, SubAgents
from brim.compaction.events import Compacted
from brim.errors import InvalidInput
from brim.models import ModelLimits
from brim.sessions import open_store
from brim.testing import MessagesServer, ServedModel, cut_off, empty, hang, rejected, tool_call
from steps.compaction_windows import filler
from steps.vocabulary import attempt, phrase

MODEL, SMALL = "claude-opus-5-5", "claude-haiku-5"
MODELS = {name: ServedModel(200_000, 64_000) for name in (MODEL, SMALL)}
ANSWER, CALLERS = 1_000, 500
"""The longest answers of a sub-agent and of the caller; that of summary requests differs."""
READ = tool_call("Read", {"file_path": "/project/bell"})
ANSWERS = {"agrees": True, "refuses": False, "objects": "no"}
"""What the program that asks the user returns."""
FAILURES = {
    "is refused by the API": rejected("bad bell"),
    "gets no response": hang(),
    "answers nothing": empty(),
    "is cut off": cut_off("The bell"),
    "calls tools in a circle": [READ] * 201,
}


def failure(text):
    """What the provider does."""
    return FAILURES[text]


failure.pattern = "|".join(FAILURES)
TERMS = {"Failure": failure}


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


@given(phrase('an agent "{agent:Quoted}" that reads "{text:Quoted}" and answers "{answer:Quoted}"'))
def reads_one(harness, agent, text, answer):
    harness.reads.append(text)
    harness.script(agent, READ, answer)


@given(
    phrase('an agent "{agent:Quoted}" that reads {count:Count} outputs of {size:Tokens} tokens and answers "{answer}"')
)
def reads_many(harness, agent, count, size, answer):
    harness.reads += [filler(size)] * count
    harness.script(agent, *[READ] * count, answer)


@given(phrase('the permission mode of the program "{mode:Quoted}"'))
def mode_of_program(harness, mode):
    harness.settings["permission_mode"] = mode


@given(phrase("sub-agents that take {most:Count} responses at most"))
def few_turns(harness, most):
    harness.settings["max_turns"] = most


@given(phrase('the agent "{agent:Quoted}" names {own}'))
def names_turns(harness, agent, own):
    most = int(own.split()[0]) if own.endswith("at most") else None
    harness.agents[agent] = replace(harness.agents[agent], max_turns=most)


@given(phrase('an agent "{agent:Quoted}" that answers "{answer:Quoted}"'))
def only_answers(harness, agent, answer):
    harness.script(agent, answer)


@given(phrase('an agent "{agent:Quoted}" that meets the other and answers "{answer:Quoted}"'))
def meets(harness, agent, answer):
    harness.script(agent, lambda _: harness.meeting.wait() * 0 or answer)


@given(phrase('an agent "{agent:Quoted}" that calls "{other:Quoted}" and answers with what it is given'))
def calls_another(harness, agent, other):
    harness.script(agent, tool_call(TASK, {"subagent_type": other, "prompt": "When?"}), given_to_it)


@given(phrase('an agent "{agent:Quoted}" with the model "{model:Quoted}" that calls "{other:Quoted}"'))
def calls_with_model(harness, agent, model, other):
    harness.agents[agent] = replace(harness.agents[agent], model=model)
    calls_another(harness, agent, other)


@given(phrase('an agent "{agent:Quoted}" that uses {tool:w} and answers with what it is given'))
def uses_tool(harness, agent, tool):
    arguments = {"file_path": "/project/bell"} if tool == "Write" else {}
    harness.settings |= {"tool_seconds": 0.2} if tool == "Hang" else {}
    harness.script(agent, tool_call(tool, arguments), given_to_it)


@given(phrase('an agent "{agent:Quoted}" that {fails:Failure}', TERMS))
def fails_so(harness, agent, fails):
    harness.settings |= {"seconds": 1.5} if fails is FAILURES["gets no response"] else {}
    harness.reads += ["A line."] * 201
    harness.settings |= {"seconds": 100} if isinstance(fails, list) else {}
    harness.script(agent, *(fails if isinstance(fails, list) else [fails]))


@given(phrase('an agent "{agent:Quoted}" with the model "{model:Quoted}" that answers "{answer:Quoted}"'))
def has_model(harness, agent, model, answer):
    harness.agents[agent] = replace(harness.agents[agent], model=model)
    harness.script(agent, answer)


@given(phrase("a depth of {depth:Count}"))
def deep(harness, depth):
    harness.settings["depth"] = depth


@given(phrase('the caller "{caller:Quoted}"'))
def called_by(harness, caller):
    harness.settings["caller"] = caller


@given(phrase("a user who {says:w}"))
def user(harness, says):
    harness.settings["ask"] = lambda *_: ANSWERS[says]


@given(phrase("sub-agents whose models hold {window:Tokens} tokens"))
def small_window(harness, window):
    harness.settings["limits"] = ModelLimits(context_window=window, max_output_tokens=4_000)


@given("a caller with a session", target_fixture="session")
def caller_session(harness, tmp_path):
    store = open_store(tmp_path)
    with store.create(project="/project") as session:
        harness.settings["session"] = session
        yield session
    store.close()


@when(phrase('the caller\'s model gives it the task "{prompt:Quoted}"'))
def give_task(harness, prompt):
    harness.run((harness.scripted[0], prompt))


@when(phrase('the caller\'s model gives it the task "{prompt:Quoted}", and the caller cancels'))
def give_and_cancel(harness, prompt):
    harness.settings["seconds"] = 60
    harness.run((harness.scripted[0], prompt), cancel=True)


@when("the caller's model gives both a task")
def give_both(harness):
    harness.run(*((agent, "Look.") for agent in harness.scripted))


@when(phrase('the caller\'s model gives "{agent:Quoted}" the task "{prompt:Quoted}" and explore another'))
def give_faulty(harness, agent, prompt):
    harness.run((agent, prompt), ("explore", "Look."))


@when("sub-agents are made without a model", target_fixture="refusal")
def without_model(harness):
    with harness.server.client() as client:
        return attempt(SubAgents, client, "")


@then(phrase('the result is "{text:Quoted}"'))
def check_result(harness, text):
    assert [one["content"] for one in harness.results] == [text]


@then(phrase('the result says "{text:Quoted}"'))
def check_says(harness, text):
    assert text in harness.results[0]["content"]


@then(phrase('the results are "{first:Quoted}" and "{second:Quoted}"'))
def check_results(harness, first, second):
    assert [one["content"] for one in harness.results] == [first, second]


@then(phrase('the first result is an error that says "{text:Quoted}"'))
def check_error(harness, text):
    assert (harness.results[0].get("is_error"), text in harness.results[0]["content"]) == (True, True), harness.results


@then(phrase('the second result is "{text:Quoted}"'))
def check_second(harness, text):
    assert harness.results[1]["content"] == text


@then(phrase('its first request says "{prompt:Quoted}" and nothing else'))
def check_first(harness, prompt):
    assert harness.requests(harness.scripted[0])[0]["messages"] == [{"role": "user", "content": prompt}]


@then(phrase('its last request says "{text:Quoted}"'))
def check_last(harness, text):
    assert text in str(harness.requests(harness.scripted[0])[-1]["messages"])


@then(phrase("the number of compactions is {count:Count}"))
def check_compactions(harness, count):
    assert sum(isinstance(event, Compacted) for event in harness.events) == count


@then("the provider refused no request")
def check_unrefused(harness):
    assert harness.server.unused == 0
    assert not any(result.get("is_error") for result in harness.results)


@then("the session of the sub-agent is a child of the caller's", target_fixture="child")
def check_child(session):
    (child,) = [one for one in session.store.sessions() if one.parent == session.id]
    return session.store.read(child.id)


@then(phrase('that session says "{first:Quoted}", "{second:Quoted}" and "{third:Quoted}"'))
def check_recorded(child, first, second, third):
    said = str([message.raw for message in child.view().messages])
    assert all(text in said for text in (first, second, third))


@then(phrase('that session shows what its last request said, and "{answer:Quoted}"'))
def check_view(harness, child, answer):
    last = harness.requests(harness.scripted[0])[-1]["messages"]
    shown = [message.raw for message in child.view().messages]
    assert (shown[:-1], shown[-1]["content"][0].get("text")) == (last, answer)


@then(
    phrase(
        'the program received the results of "{first:Quoted}" after {few:Count} response and "{second:Quoted}" after '
        "{many:Count} responses"
    )
)
def check_received(harness, first, few, second, many):
    told = [(one.agent, one.model, len(one.usages)) for one in harness.received]
    assert told == [(first, MODEL, few), (second, MODEL, many)]


@then("the session of the caller is empty")
def check_empty(session):
    assert not session.view().messages


@then(phrase("{tool:w} was {offered} to it"))
def check_offered(harness, tool, offered):
    (first, *_) = harness.requests(harness.scripted[0])
    assert (tool in [one["name"] for one in first["tools"]]) == (offered == "offered")


@then(phrase('it is refused, and the refusal says "{text:Quoted}"'))
def check_refused(refusal, text):
    assert isinstance(refusal, InvalidInput)
    assert text in str(refusal)


@then(phrase('its request is for the model "{model:Quoted}"'))
def check_model(harness, model):
    assert [body["model"] for body in harness.requests(harness.scripted[0])] == [model]


@then(phrase('the requests of "{agent:Quoted}" are for the model "{model:Quoted}"'))
def check_model_of(harness, agent, model):
    assert [body["model"] for body in harness.requests(agent)] == [model]
