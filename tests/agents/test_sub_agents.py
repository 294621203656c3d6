"""Sub-agents: in an event loop, over a client that compacts, and with settings that are none."""

import asyncio
import signal
import threading
import time

import pytest
from anthropic import beta_async_tool

from brim import compacting
from brim.agents.definitions import AGENTS, AgentDefinition
from brim.agents.sub_agents import TASK, SubAgents
from brim.errors import InvalidInput, Refused
from brim.models import ModelLimits
from brim.sessions import open_store
from brim.testing import MessagesServer, hang, tool_call
from tests.signals import handled

MODEL = "claude-opus-5-5"
READ = tool_call("Read", {"file_path": "a.py"})
GENERAL = {"subagent_type": "general", "prompt": "Go down."}


def read(file_path: str) -> str:
    """Read a file."""
    return f"{file_path}: {'text' * 2_000}"


read.__name__ = "Read"


@beta_async_tool(name="Read")
async def read_async(file_path: str) -> str:
    """Read a file."""
    await asyncio.sleep(0)
    return f"{file_path} is empty"


@pytest.mark.parametrize("tool", [read, read_async])
def test_an_event_loop_runs_them_as_a_thread_does(tool):
    """With tools that are coroutines and with those that are none."""

    async def main(server):
        async with server.async_client() as client:
            return await SubAgents(client, MODEL, tools=[tool]).arun("explore", "Look.")

    with MessagesServer([READ, "Seen."]) as server:
        result = asyncio.run(main(server))
    assert (result.text, result.is_error, len(result.usages)) == ("Seen.", False, 2)
    assert "a.py" in str(server.requests[-1].body["messages"])


def test_an_event_loop_runs_them_side_by_side_and_a_failure_is_a_result():
    """One is refused by the API, one takes too long, one answers."""
    tasks = [tool_call(TASK, {"subagent_type": "explore", "prompt": text}) for text in ("One.", "Two.", "")]

    async def main(server):
        server.when(lambda body: body["max_tokens"] == 500, tasks)
        server.when(lambda body: "One." in str(body["messages"]), hang())
        async with server.async_client() as client:
            agents = SubAgents(client, MODEL, seconds=2)
            asked = [{"role": "user", "content": "Go."}]
            response = await client.messages.create(model=MODEL, max_tokens=500, messages=asked, tools=[agents.tool])
            return await agents.aresults(response)

    with MessagesServer() as server:
        first, second, third = asyncio.run(main(server))
    assert (first["is_error"], second["content"], third["is_error"]) == (True, "Done.", True)
    assert "longer than 2 seconds" in first["content"]


def test_cancelling_the_task_that_waits_cancels_the_sub_agent():
    """As any other coroutine; `cancel` returns the error as the result."""

    async def main(server):
        async with server.async_client() as client:
            agents = SubAgents(client, MODEL)
            waiting = asyncio.ensure_future(agents.arun("explore", "Look."))
            other = asyncio.ensure_future(agents.arun("explore", "Look."))
            await asyncio.sleep(0.1)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            agents.cancel()
            return await other

    with MessagesServer(default=hang()) as server:
        result = asyncio.run(main(server))
    assert (result.is_error, result.text) == (True, "the agent explore failed: it was cancelled")


def look_on() -> str:
    """Look once more."""
    time.sleep(0.01)
    return "Nothing yet."


@pytest.fixture
def endless():
    """A server, its client, and the response of a caller's model that calls two agents; one ends, one never does."""
    calls = [tool_call(TASK, {"subagent_type": "general", "prompt": prompt}) for prompt in ("End.", "Look.")]
    with MessagesServer(default=tool_call("look_on")) as server, server.client() as client:
        server.when(lambda body: body["max_tokens"] == 500, calls)
        server.when(lambda body: "End." in str(body["messages"][0]), "Done.")
        asked = [{"role": "user", "content": "Go."}]
        yield server, client, client.messages.create(model=MODEL, max_tokens=500, messages=asked)


def at_work():
    """How many threads of sub-agents go on, where each that was cancelled has had the time to end."""
    threads = [thread for thread in threading.enumerate() if thread.name == "brim-sub-agent"]
    for thread in threads:
        thread.join(3)
    return sum(thread.is_alive() for thread in threads)


@pytest.mark.parametrize("many", [False, True])
def test_ctrl_c_in_the_thread_that_waits_cancels_what_it_waits_for(endless, many):
    """None asks its model again, or uses another tool, after the user has interrupted it."""
    _, client, response = endless
    agents = SubAgents(client, MODEL, tools=[look_on], max_turns=500)
    timer = threading.Timer(0.2, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    with handled(signal.SIGINT, signal.default_int_handler):
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            agents.results(response) if many else agents.run("general", "Look.")
    assert at_work() == 0


def test_a_result_that_the_program_cannot_take_cancels_the_others(endless):
    """Its error reaches the caller, and nobody waits for the others."""
    _, client, response = endless
    agents = SubAgents(client, MODEL, tools=[look_on], max_turns=500, on_result=lambda result: {}[result.text])
    with pytest.raises(KeyError, match="Done"):
        agents.results(response)
    assert at_work() == 0


def test_a_result_that_the_program_cannot_take_in_an_event_loop_cancels_the_others(endless):
    """The same for clients of event loops."""
    server, _, response = endless

    async def main():
        async with server.async_client() as client:
            about = {"tools": [look_on], "max_turns": 500}
            agents = SubAgents(client, MODEL, on_result=lambda result: {}[result.text], **about)
            with pytest.raises(KeyError, match="Done"):
                await agents.aresults(response)
            others = asyncio.all_tasks() - {asyncio.current_task()}
            return (await asyncio.wait(others, timeout=3))[1] if others else ()

    assert not asyncio.run(main())


def test_each_compacts_and_counts_for_itself_over_a_client_that_compacts():
    """The client's own compaction does nothing then."""
    limits = ModelLimits(context_window=30_000, max_output_tokens=4_000)
    with MessagesServer(default="All went well.") as server, server.client() as plain:
        server.when(lambda body: body["max_tokens"] == 1_000, *[READ] * 20, "Seen.")
        heard = []
        client = compacting(plain, limits=limits, on_event=heard.append)
        agents = SubAgents(client, MODEL, tools=[read], limits=limits, max_tokens=1_000)
        result = agents.run("explore", "Look.")
    assert (result.text, len(result.usages), heard) == ("Seen.", 21, [])
    assert result.compactions > 0
    assert result.usage.output == sum(usage.output for usage in result.usages)


def test_a_tool_that_hangs_keeps_neither_the_agent_nor_the_program():
    """It is abandoned in a thread that ends with the program."""
    released = threading.Event()

    def wait() -> str:
        """Wait."""
        return str(released.wait())

    with MessagesServer([tool_call("wait"), "Gone on."]) as server, server.client() as client:
        result = SubAgents(client, MODEL, tools=[wait], tool_seconds=0.1).run("general", "Wait.")
        assert all(thread.daemon for thread in threading.enumerate() if thread.name == "brim-sub-agent")
        released.set()
    assert result.text == "Gone on."


def test_each_of_several_has_its_session_and_one_that_is_abandoned_is_closed(tmp_path):
    """Each is a child of its caller's, at every depth."""
    call = tool_call(TASK, {"subagent_type": "explore", "prompt": "Deeper."})
    store = open_store(tmp_path)
    with store.create() as session, MessagesServer() as server, server.client() as client:
        server.when(lambda body: body["max_tokens"] == 500, [call, *[call | {"input": GENERAL}] * 3])
        server.when(lambda body: "Go down." in str(body["messages"]) and len(body["messages"]) == 1, *[call] * 3)
        agents = SubAgents(client, MODEL, session=session, depth=2)
        asked = [{"role": "user", "content": "Go."}]
        response = client.messages.create(model=MODEL, max_tokens=500, messages=asked, tools=[agents.tool])
        results = agents.results(response)
        server.when(lambda body: "Hang." in str(body["messages"]), hang())
        late = SubAgents(client, MODEL, session=session, seconds=0.5).run("explore", "Hang.")
        with store.open(late.session) as abandoned:
            assert len(abandoned.view().messages) == 1
    parents = [one.parent for one in store.sessions()]
    assert [one["content"] for one in results] == ["Done."] * 4
    assert (parents.count(session.id), len(parents), len({*parents})) == (5, 9, 5)


@pytest.mark.parametrize("outputs", [20, 60])
def test_a_session_shows_what_was_sent_however_often_it_was_compacted(tmp_path, outputs):
    """Each compaction of the sub-agent is one of its session."""
    limits = ModelLimits(context_window=30_000, max_output_tokens=4_000)
    store = open_store(tmp_path)
    with store.create() as session, MessagesServer(default="All went well.") as server, server.client() as client:
        server.when(lambda body: body["max_tokens"] == 1_000, *[READ] * outputs, "Seen.")
        agents = SubAgents(client, MODEL, tools=[read], limits=limits, max_tokens=1_000, session=session)
        result = agents.run("explore", "Look.")
    sent = [one.body for one in server.requests if one.body and one.body["max_tokens"] == 1_000][-1]["messages"]
    assert [one.raw for one in store.read(result.session).view().messages][:-1] == sent
    assert result.compactions >= outputs // 20


@pytest.mark.parametrize("is_async", [False, True])
def test_a_tool_that_ends_its_thread_is_an_error_of_that_tool(is_async):
    """And ends neither the agent nor the program."""

    async def main(server):
        async with server.async_client() as client:
            return await SubAgents(client, MODEL, tools=[leave]).arun("general", "Leave.")

    def leave() -> str:
        """Leave."""
        raise SystemExit(3)

    with MessagesServer([tool_call("leave"), "Gone on."]) as server, server.client() as client:
        if is_async:
            result = asyncio.run(main(server))
        else:
            result = SubAgents(client, MODEL, tools=[leave], seconds=30).run("general", "Leave.")
    assert result.text == "Gone on."
    assert "SystemExit: 3" in str(server.requests[-1].body["messages"])


def test_the_tool_for_agents_is_offered_where_one_can_be_called():
    """Not where every agent is denied, and not at the last level."""
    with MessagesServer() as server, server.client() as client:
        for depth, agent in ((1, "general"), (2, "general"), (2, "explore")):
            SubAgents(client, MODEL, depth=depth).run(agent, "Look.")
    bodies = [one.body for one in server.requests if one.body]
    assert [[tool["name"] for tool in body.get("tools", ())] for body in bodies] == [[], [TASK], []]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"model": None}, "the model is None"),
        ({"model": "  "}, "the model is '  '"),
        ({"model": ""}, "the model is ''"),
        ({"depth": 0}, "depth is 0"),
        ({"seconds": -1}, "seconds is -1"),
        ({"tool_seconds": True}, "tool_seconds is True"),
        ({"max_turns": 0}, "max_turns is 0"),
        ({"permission_mode": "plans"}, "permission_mode is 'plans'; did you mean plan"),
        ({"caller": "builder"}, "did you mean build"),
        ({"tools": ["Read"]}, "a tool is str"),
    ],
)
def test_settings_that_are_none_are_refused(settings, says):
    """Each with what it is."""
    with MessagesServer() as server, server.client() as client, pytest.raises(InvalidInput, match=says):
        SubAgents(client, **{"model": MODEL, **settings})


def test_a_tool_that_is_called_as_the_one_for_agents_is_refused():
    """The model could not tell them apart."""

    def task() -> str:
        """Do it."""
        return ""

    with MessagesServer() as server, server.client() as client, pytest.raises(InvalidInput, match="rename it"):
        SubAgents(client, MODEL, tools=[task])


def test_a_client_of_the_other_kind_is_refused():
    """With the name of the method that takes it."""
    with MessagesServer() as server, server.client() as client, pytest.raises(InvalidInput, match="thread: call run,"):
        asyncio.run(SubAgents(client, MODEL).arun("explore", "Look."))
    with MessagesServer() as server, pytest.raises(InvalidInput, match="event loops: call arun,"):
        SubAgents(server.async_client(), MODEL).run("explore", "Look.")


@pytest.mark.parametrize(
    ("agent", "prompt", "error", "says"),
    [
        ("explor", "Look.", InvalidInput, "did you mean explore"),
        ("plan", "Look.", InvalidInput, "its mode is primary"),
        ("off", "Look.", InvalidInput, "is switched off"),
        ("explore", " ", InvalidInput, "the prompt of the agent explore is ' '"),
        ("general", "Look.", Refused, "explore may not call the agent general"),
    ],
)
def test_a_program_that_calls_an_agent_it_may_not_call_is_refused(agent, prompt, error, says):
    """What the model does wrong is its result; what the program does wrong raises."""
    agents = {**AGENTS, "off": AgentDefinition("off", disabled=True)}
    caller = "explore" if error is Refused else "build"
    with MessagesServer() as server, server.client() as client:
        sub_agents = SubAgents(client, MODEL, agents=agents, caller=caller)
        with pytest.raises(error, match=says):
            sub_agents.run(agent, prompt)
    assert not server.requests
