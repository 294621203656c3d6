"""Steps of features/engine/compaction_control.feature."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from anthropic import beta_async_tool, beta_tool
from pytest_bdd import given, then, when

from brim.compaction.result import Compaction
from brim.engine.compaction_control import tool_runner
from brim.errors import BrimError, CompactionStalled, Refused, SummaryFailed
from brim.models import ModelLimits
from brim.testing import Answer, MessagesServer, overloaded, tool_call
from steps.counted import TERMS
from steps.vocabulary import attempt, phrase

MODEL = "claude-opus-5-5"
SUMMARY = "<summary>The printer is in room 7.</summary>"
BETA = "files-api-2025-04-14"
OVER = {"input_tokens": 120_000, "output_tokens": 10}
FOUND = "In room 7, by the window, next to the plant. " * 200


@dataclass(frozen=True)
class Agent:
    """The provider's answers to an agent, its control and its other options."""

    answers: tuple[Any, ...]
    default: Any = "Done."
    summaries: tuple[Any, ...] = (SUMMARY,) * 5
    control: dict[str, Any] = field(default_factory=lambda: {"enabled": True})
    options: dict[str, Any] = field(default_factory=dict)
    listens: bool = False


@dataclass
class Run:
    """The requests, answers and compactions of one run."""

    messages_before: list[Any]
    runs: int = 0
    answers: list[Any] = field(default_factory=list)
    refusal: BrimError | None = None
    compactions: tuple[Compaction, ...] = ()
    messages: list[Any] = field(default_factory=list)
    requests: list[Any] = field(default_factory=list)
    headers: list[Any] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)

    @property
    def asked(self) -> list[Any]:
        """The requests for a summary."""
        return [request for request in self.requests if for_summary(request)]

    @property
    def next(self) -> list[Any]:
        """The messages of the first request after the last summary request."""
        last = max(n for n, request in enumerate(self.requests) if for_summary(request))
        return self.requests[last + 1]["messages"]


def for_summary(request):
    """Whether a request asks for a summary."""
    return "Stop the work here." in str(request["messages"][-1]) or "You write the summary" in str(
        request.get("system")
    )


def call(usage):
    """An answer that looks the printer up."""
    return Answer([tool_call("find", {"what": "printer"})], usage=usage)


def run_agent(agent, *, asynchronous=False, streamed=False, again=False):
    """Run an agent against a server that follows its script."""
    run = Run([{"role": "user", "content": "Where is the printer?"}])
    with MessagesServer(agent.answers, default=agent.default) as server:
        server.when(for_summary, *agent.summaries)
        if asynchronous:
            asyncio.run(_run_async(server, agent, run, streamed=streamed))
        else:
            _run(server, agent, run, streamed=streamed, again=again)
        run.requests = [received.body for received in server.requests]
    return run


def _arguments(agent, run, find, *, streamed):
    options = {"compaction_control": agent.control, "model": MODEL, "max_tokens": 1_000, "thread": False}
    extra = {"stream": True} if streamed else {}
    extra |= {"on_event": run.events.append} if agent.listens else {}
    return {**options, **extra, **agent.options, "tools": [find], "messages": run.messages_before}


def tools(run):
    """The tool that looks things up, for a thread and for an event loop."""

    @beta_tool
    def find(what: str) -> str:
        """Find out where something is.

        Args:
            what: the thing.
        """
        run.runs += 1
        return FOUND

    @beta_async_tool(name="find")
    async def find_in_loop(what: str) -> str:
        """Find out where something is.

        Args:
            what: the thing.
        """
        run.runs += 1
        return FOUND

    return find, find_in_loop


def _run(server, agent, run, *, streamed, again):
    with server.client() as client:
        arguments = {"sleep": run.waits.append} | _arguments(agent, run, tools(run)[0], streamed=streamed)
        runner = tool_runner(client, **arguments)
        for _ in range(1 + again):
            try:
                run.answers += [item.get_final_message() if streamed else item for item in runner]
            except BrimError as refusal:
                run.refusal = refusal
        _note(run, runner)


async def _run_async(server, agent, run, *, streamed):
    async with server.async_client() as client:

        async def wait(seconds):
            run.waits.append(seconds)

        runner = tool_runner(client, sleep=wait, **_arguments(agent, run, tools(run)[1], streamed=streamed))
        async for item in runner:
            run.answers.append(await item.get_final_message() if streamed else item)
        _note(run, runner)


def _change(runner, run, does):
    """Change a runner as its caller does at the first answer."""
    if does.startswith("sets"):
        runner.set_messages_params({"model": MODEL, "max_tokens": 500, "messages": runner.messages})
    elif does.startswith("halves"):
        runner.set_messages_params(lambda current: {**current, "max_tokens": current["max_tokens"] // 2})
    elif does.startswith("adds"):
        runner.add_tools(LOOK)
        if does.endswith("removes it"):
            runner.remove_tools("look")
    elif does.startswith("answers"):
        said = run.answers[0]
        result = {"type": "tool_result", "tool_use_id": said.content[0].id, "content": "In room 9. " * 50}
        runner.append_messages({"role": "assistant", "content": said.content}, {"role": "user", "content": [result]})


LOOK = {"name": "look", "description": "Look around.", "input_schema": {"type": "object", "properties": {}}}


def run_changed(agent, way, does):
    """Run an agent whose caller changes or closes the runner at the first answer."""
    run = Run([{"role": "user", "content": "Where is the printer?"}])
    with MessagesServer(agent.answers, default=agent.default) as server:
        server.when(for_summary, *agent.summaries)
        if way == "in an event loop":
            asyncio.run(_change_in_loop(server, agent, run, does))
        else:
            _change_in_thread(server, agent, run, does)
        run.requests = [received.body for received in server.requests]
        run.headers = [received.headers for received in server.requests]
    return run


def _change_in_thread(server, agent, run, does):
    with server.client() as client:
        runner = tool_runner(client, **_arguments(agent, run, tools(run)[0], streamed=False))
        run.answers.append(runner.until_done() if does.startswith("waits") else next(runner))
        if does.startswith("closes"):
            runner.close()
        else:
            _change(runner, run, does)
            run.answers += runner
        _note(run, runner)


async def _change_in_loop(server, agent, run, does):
    async with server.async_client() as client:
        runner = tool_runner(client, **_arguments(agent, run, tools(run)[1], streamed=False))
        run.answers.append(await (runner.until_done() if does.startswith("waits") else anext(runner)))
        if does.startswith("closes"):
            await runner.close()
        else:
            _change(runner, run, does)
            run.answers += [item async for item in runner]
        _note(run, runner)


def _note(run, runner):
    run.compactions = getattr(runner, "compactions", ())
    run.messages = getattr(runner, "messages", [])


@given(
    phrase(
        "an agent whose first answer read {read:Tokens} tokens, {cached:Tokens} from the cache, "
        "wrote {stored:Tokens} to it, and answered {output:Tokens}"
    ),
    target_fixture="agent",
)
def answers_with(read, cached, stored, output):
    usage = {
        "input_tokens": read,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": stored,
        "output_tokens": output,
    }
    return Agent((call(usage),))


@given("an agent whose first answer is over the threshold", target_fixture="agent")
def over_once():
    return Agent((call(OVER),))


@given("an agent whose first two answers are over the threshold", target_fixture="agent")
def over_twice():
    return Agent((call(OVER), call(OVER)))


@given("each summary request but the first meets a busy provider", target_fixture="agent")
def summarizer_busy_later(agent):
    return replace(agent, summaries=(SUMMARY, *[overloaded()] * 5))


@then(phrase('the request after the last summary says "{words:Quoted}"'))
def check_next_says(run, words):
    assert words in run.next[0]["content"]


@given("an agent whose only answer is over the threshold", target_fixture="agent")
def over_at_the_end():
    return Agent((Answer("Done.", usage=OVER),))


@given("an agent whose every answer is over the threshold", target_fixture="agent")
def over_always():
    return Agent((), default=call(OVER))


@given("an agent whose first answer, over the threshold, is a search that the provider paused", target_fixture="agent")
def paused():
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "printer"}}
    return Agent((Answer([search], stop_reason="pause_turn", usage=OVER),))


@given(phrase('every summary reads "{text:Quoted}"'), target_fixture="agent")
def summarizer_says(agent, text):
    return replace(agent, summaries=(text or Answer(()),) * 5)


@given("every summary request meets a busy provider", target_fixture="agent")
def summarizer_busy(agent):
    return replace(agent, summaries=(overloaded(),) * 5)


@given("the first summary request meets a busy provider", target_fixture="agent")
def summarizer_busy_once(agent):
    return replace(agent, summaries=(overloaded(), *agent.summaries))


@given(phrase("a control with a threshold of {threshold:Tokens} tokens"), target_fixture="agent")
def with_threshold(agent, threshold):
    return replace(agent, control=agent.control | {"context_token_threshold": threshold})


@given(phrase('a control with the model "{model:Quoted}"'), target_fixture="agent")
def with_model(agent, model):
    return replace(agent, control=agent.control | {"model": model})


@given(phrase('a control with the prompt "{prompt:Quoted}"'), target_fixture="agent")
def with_prompt(agent, prompt):
    return replace(agent, control=agent.control | {"summary_prompt": prompt})


@given("a control that is off", target_fixture="agent")
def switched_off(agent):
    return replace(agent, control={"enabled": False})


@given("no control", target_fixture="agent")
def without_control(agent):
    return replace(agent, control=None)


@given("the caller wants errors raised", target_fixture="agent")
def raising(agent):
    return replace(agent, options=agent.options | {"on_failure": "raise"})


@given(phrase("a listener, and a model whose longest answer is {longest:Tokens} tokens"), target_fixture="agent")
def with_listener(agent, longest):
    limits = ModelLimits(context_window=200_000, max_output_tokens=longest)
    return replace(agent, options=agent.options | {"limits": limits}, listens=True)


@given(phrase("a limit of {limit:Count} answer"), target_fixture="agent")
@given(phrase("a limit of {limit:Count} answers"), target_fixture="agent")
def limit_of_answers(agent, limit):
    return replace(agent, options=agent.options | {"max_iterations": limit})


SETTINGS = {
    "the switch": "enabled",
    "the threshold": "context_token_threshold",
    "a new setting": "keep",
    "the prompt": "summary_prompt",
}
VALUES = {"0": 0, "1": 1}


@given(phrase("a control in which {setting} is {value}"), target_fixture="options")
def faulty(setting, value):
    control = {"enabled": True, SETTINGS[setting]: VALUES.get(value, value)}
    return {"compaction_control": {name: each for name, each in control.items() if each != "missing"}}


@given("a request that asks the provider to compact too", target_fixture="options")
def second_compaction():
    edits = [{"type": "compact_20260112"}]
    return {
        "compaction_control": {"enabled": True},
        "context_management": {"edits": edits},
        "messages": [],
        "tools": [],
    }


@when("it runs with compaction control", target_fixture="run")
def runs(agent):
    return run_agent(agent)


@when("it runs with compaction control, and once more after the error", target_fixture="run")
def runs_again(agent):
    return run_agent(agent, again=True)


WAYS = {
    "waiting": {},
    "waiting, streamed": {"streamed": True},
    "in an event loop": {"asynchronous": True},
    "in an event loop, streamed": {"asynchronous": True, "streamed": True},
}


@when(phrase("it runs with compaction control {way:Way}", {"Way": WAYS.__getitem__}), target_fixture="run")
def runs_otherwise(agent, way):
    return run_agent(agent, **way)


@when(phrase("it runs {way}, and its caller {does} at the first answer"), target_fixture="run")
def runs_changed(agent, way, does):
    if "a beta of its own" in does:
        agent = replace(agent, options=agent.options | {"betas": [BETA]})
    return run_changed(agent, way, does)


@when(phrase("it runs {way}, and its caller {ends} it"), target_fixture="run")
def runs_to_end(agent, way, ends):
    return run_changed(agent, way, ends)


HELD = {
    "has a longest answer of 500": lambda body, _: body["max_tokens"] == 500,
    "offers the tools find and look": lambda body, _: [tool["name"] for tool in body["tools"]] == ["find", "look"],
    "offers the tool find": lambda body, _: [tool["name"] for tool in body["tools"]] == ["find"],
    "names the beta": lambda _, headers: BETA in headers["anthropic-beta"],
}


@then(phrase("the request after the summary {holds:Held}", {"Held": HELD.__getitem__}))
def check_after(run, holds):
    last = max(n for n, request in enumerate(run.requests) if for_summary(request))
    assert holds(run.requests[last + 1], run.headers[last + 1])
    assert BETA not in str(run.headers) or BETA in run.headers[last]["anthropic-beta"]


@then(phrase('the summary request contains "{words:Quoted}"'))
def check_summary_request_contains(run, words):
    assert words in str(run.asked[0]["messages"])


@then(phrase('the summary request does not contain "{words:Quoted}"'))
def check_summary_request_lacks(run, words):
    assert words not in str(run.asked[0]["messages"])


@then(phrase('the listener receives "{kinds:Quoted}"'))
def check_events(run, kinds):
    assert ", ".join(event.kind for event in run.events if event.kind != "summary_delta") == kinds


@then(phrase("each summary request allows at most {longest:Tokens} tokens"))
def check_longest(run, longest):
    assert {request["max_tokens"] for request in run.asked} == {longest}


@then(phrase("it waited {seconds:Count} second before the second attempt"))
def check_waits(run, seconds):
    assert run.waits == [seconds]


@when("a runner is created", target_fixture="outcome")
def ask_for_runner(options):
    return attempt(tool_runner, None, **options)


@then(phrase("the runner summarized {times:Times}", TERMS))
def check_times(run, times):
    assert len(run.compactions) == times


@then(phrase("the model gave {count:Count} answers"))
def check_answers(run, count):
    assert len(run.answers) == count


@then(phrase("the next request holds {count:Count} message"))
def check_next(run, count):
    assert len(run.next) == count


@then(phrase('that message contains "{words:Quoted}"'))
def check_contains(run, words):
    assert words in str(run.next[0])


@then(phrase('that message does not contain "{words:Quoted}"'))
def check_does_not_contain(run, words):
    assert words not in str(run.next[0])


@then("the summary request holds the newest answer and its tool result")
def check_summary_request(run):
    kinds = [block["type"] for message in run.asked[0]["messages"][1:3] for block in message["content"]]
    assert (kinds, FOUND in str(run.asked[0]["messages"][2])) == (["tool_use", "tool_result"], True)


@then(phrase("its tool ran {times:Count} time"))
def check_tool(run, times):
    assert run.runs == times


@then(phrase('the summary request goes to "{model:Quoted}"'))
def check_model(run, model):
    assert [request["model"] for request in run.asked] == [model]


@then(phrase('the summary request ends with "{prompt:Quoted}"'))
def check_prompt(run, prompt):
    assert prompt in str(run.asked[0]["messages"][-1])


@then(phrase("{attempts:Count} summary requests were made"))
def check_attempts(run, attempts):
    assert len(run.asked) == attempts


@then(phrase("the summary of the {author} replaces the history"))
def check_author(run, author):
    assert [compaction.summary_source for compaction in run.compactions] == [author]


@then("the run fails because no summary succeeded")
def check_failed(run):
    assert isinstance(run.refusal, SummaryFailed)


@then("the run fails because compaction does not help")
def check_stalled(run):
    assert isinstance(run.refusal, CompactionStalled)


@then("the history is unchanged and ends with the tool's result")
def check_kept(run):
    assert [message["role"] for message in run.messages] == ["user", "assistant", "user"]


@then(phrase('it ends with "{words:Quoted}"'))
def check_end(run, words):
    assert run.answers[-1].content[0].text == words


@then("the caller's list holds the question alone")
def check_callers_list(run):
    assert run.messages_before == [{"role": "user", "content": "Where is the printer?"}]


@then(phrase('it is refused with "{message:Quoted}"'))
def check_refused(outcome, message):
    assert str(outcome) == message


@then("it is refused as a second compaction")
def check_second(outcome):
    assert (type(outcome), "never used at once" in str(outcome)) == (Refused, True)
