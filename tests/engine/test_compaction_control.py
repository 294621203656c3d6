"""The compaction control with the SDK's real runner, against the strict server."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from anthropic import beta_async_tool, beta_tool

from brim.engine.compaction_control import CompactionControl, tool_runner
from brim.errors import InvalidInput, Refused, SummaryFailed
from brim.models import ModelLimits
from brim.testing import Answer, MessagesServer, overloaded, tool_call

MODEL = "claude-opus-5-5"
OVER = {"input_tokens": 120_000, "output_tokens": 10}
LONG = "a line of the log\n" * 500
SUMMARY = "<summary>The log was read.</summary>"
ON: CompactionControl = {"enabled": True}


def for_summary(body: Any) -> bool:
    """Whether a request asks for a summary, in whatever form."""
    return "Stop the work here." in str(body["messages"][-1]) or "You write the summary" in str(body.get("system"))


def serve(answers, *summaries, **options) -> MessagesServer:
    """A server that answers an agent and its summarizer each from a script of its own."""
    server = MessagesServer(answers, **options)
    server.when(for_summary, *(summaries or [SUMMARY] * 5))
    return server


class Tool:
    """A tool that counts its runs."""

    def __init__(self) -> None:
        self.runs = 0

    def sync(self) -> Any:
        """For a runner that waits."""

        @beta_tool
        def read(name: str) -> str:
            """Read a file.

            Args:
                name: its name.
            """
            self.runs += 1
            return LONG

        return read

    def asynchronous(self) -> Any:
        """For a runner in an event loop."""

        @beta_async_tool
        async def read(name: str) -> str:
            """Read a file.

            Args:
                name: its name.
            """
            self.runs += 1
            return LONG

        return read


def call(**usage: int) -> Answer:
    """An answer that reads a file."""
    return Answer([tool_call("read", {"name": "log"})], usage=usage or OVER)


def arguments(tool: Any, **options: Any) -> dict[str, Any]:
    """What every runner of these tests is told."""
    told = {"model": MODEL, "max_tokens": 1_000, "tools": [tool], "messages": [{"role": "user", "content": "Read."}]}
    return {"sleep": lambda _: None, "compaction_control": ON, **told, **options}


def run(server: MessagesServer, **options: Any) -> tuple[Any, list[Any], int]:
    """The runner, its answers and how often its tool was run."""
    tool = Tool()
    with server.client() as client:
        runner = tool_runner(client, **arguments(tool.sync(), **options))
        answers = list(runner)
    return runner, answers, tool.runs


def test_streamed_tools_that_run_early_are_run_once() -> None:
    """A tool that ran while the answer streamed is not run again because of a compaction."""
    with serve([call()]) as server:
        tool = Tool()
        with server.client() as client:
            runner = tool_runner(client, **arguments(tool.sync(), stream=True, run_tools_eagerly=True))
            ends = [stream.get_final_message().stop_reason for stream in runner]
    assert (ends, tool.runs, len(runner.compactions)) == (["tool_use", "end_turn"], 1, 1)


def test_after_an_error_the_run_goes_on() -> None:
    """Under `raise` the runner can be iterated again: nothing is lost and no tool is run twice (CMP_04)."""
    with serve([call(), call(input_tokens=10, output_tokens=1)], *[overloaded()] * 3) as server:
        tool = Tool()
        with server.client() as client:
            runner = tool_runner(client, **arguments(tool.sync(), on_failure="raise"))
            with pytest.raises(SummaryFailed):
                runner.until_done()
            assert [message["role"] for message in runner.messages] == ["user", "assistant", "user"]
            last = runner.until_done()
            sent = server.requests[-1].body["messages"]
    assert (last.stop_reason, tool.runs, len(sent), runner.compactions) == ("end_turn", 2, 5, ())


def test_a_history_shorter_than_its_summary_stays() -> None:
    """Where a summary would save nothing the run goes on with the history as it is."""
    with serve([call()], *["<summary>" + LONG * 3 + "</summary>"] * 3) as server:
        runner, answers, runs = run(server, on_failure="fallback", messages=[{"role": "user", "content": "Read."}])
    assert (runs, answers[-1].stop_reason) == (1, "end_turn")
    assert [compaction.summary_source for compaction in runner.compactions] == ["fallback"]


@pytest.mark.parametrize("usage", [{}, {"input_tokens": 10, "output_tokens": 1}])
def test_a_tool_that_the_caller_let_run_is_not_run_again(usage: dict[str, int]) -> None:
    """The runner keeps the results that the caller asked for, with a summary and without one."""
    tool = Tool()
    with serve([call(**usage)]) as server, server.client() as client:
        runner = tool_runner(client, **arguments(tool.sync()))
        for _ in runner:
            runner.generate_tool_call_response()
    assert (tool.runs, len(runner.compactions)) == (1, not usage)


def test_calls_left_open_by_hand_are_answered() -> None:
    """An answer appended without its results is sent to the summarizer with them (CNV_04)."""
    with serve([call()]) as server, server.client() as client:
        runner = tool_runner(client, **arguments(Tool().sync()))
        runner.append_messages({"role": "user", "content": LONG})
        runner.append_messages(next(runner))
        last = runner.until_done()
        asked = next(request.body for request in server.requests if for_summary(request.body))
    assert "[Tool execution was interrupted]" in str(asked["messages"])
    assert last.stop_reason == "end_turn"


def test_a_runner_that_was_closed_yields_nothing() -> None:
    """After close nothing is asked or run any more, a summary neither."""
    with serve([call()]) as server:
        tool = Tool()
        with server.client() as client:
            runner = tool_runner(client, **arguments(tool.sync()))
            next(runner)
            runner.close()
            assert list(runner) == []
        assert (len(server.requests), tool.runs) == (1, 0)


TRUE = {"enabled": True, "context_token_threshold": True}
"""A truth value is not taken for one token."""


@pytest.mark.parametrize("control", ["on", {"enabled": 1}, TRUE])
def test_what_is_no_control_is_refused(control: Any) -> None:
    """A control of another form is an error of brim's own, before anything is asked."""
    with pytest.raises(InvalidInput):
        tool_runner(None, compaction_control=control)


def test_tools_that_changed_on_the_way_hold_behind_a_summary() -> None:
    """A tool that was added is run behind a summary, one that was taken away is not offered again."""
    more = [tool_call("more")]
    with serve([call(), more]) as server:
        tool, runs = Tool(), []

        @beta_tool
        def more_of_it() -> str:
            """Read on."""
            runs.append(1)
            return "The end."

        more[0]["name"] = more_of_it.name
        with server.client() as client:
            runner = tool_runner(client, **arguments(tool.sync()))
            runner.add_tools(more_of_it)
            runner.remove_tools("nothing")
            last = runner.until_done()
        changed = tool_changes(what_follows(server))
    assert (last.stop_reason, runs, changed) == ("end_turn", [1], ["+ more_of_it", "- nothing"])


def tool_changes(request: Any) -> list[str]:
    """The tools that a request adds and removes."""
    blocks = [
        block for message in request.body["messages"] if message["role"] == "system" for block in message["content"]
    ]
    names = {
        "tool_addition": lambda tool: f"+ {tool['definition']['name']}",
        "tool_removal": lambda tool: f"- {tool['name']}",
    }
    return [names[block["type"]](block["tool"]) for block in blocks]


def what_follows(server: MessagesServer) -> Any:
    """The request behind the last one for a summary."""
    last = max(n for n, request in enumerate(server.requests) if for_summary(request.body))
    return server.requests[last + 1]


def test_a_turn_that_the_provider_paused_is_finished_first() -> None:
    """The runner summarizes only after a turn that the provider paused is finished (CMP_11)."""
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "printer"}}
    with serve([Answer([search], stop_reason="pause_turn", usage=OVER)]) as server:
        runner, answers, _ = run(server, messages=[{"role": "user", "content": LONG}])
    assert runner.compactions == ()
    assert answers[-1].content[0].text == "Done."


KINDS = ["started", "summarizing", "attempt_rejected", "summarizing", "compacted"]


@pytest.mark.parametrize("in_loop", [False, True])
def test_a_listener_hears_of_the_compactions_and_the_longest_answer_bounds_the_summary(in_loop: bool) -> None:
    """The listener receives the events of a runner's compactions (CMP_11)."""
    events: list[Any] = []
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    limits = ModelLimits(context_window=200_000, max_output_tokens=500)
    options = {"on_event": events.append, "limits": limits, "sleep": wait if in_loop else waits.append}
    with serve([call()], overloaded(), SUMMARY) as server:
        if in_loop:
            asyncio.run(run_in_loop(server, **options))
        else:
            run(server, **options)
        assert {one.body["max_tokens"] for one in server.requests if for_summary(one.body)} == {500}
    assert [event.kind for event in events if event.kind != "summary_delta"] == KINDS
    assert waits == [1]


LOOK = {"name": "look", "description": "Look around.", "input_schema": {"type": "object", "properties": {}}}
BETA = "files-api-2025-04-14"


def halves_the_longest_answer(runner: Any) -> None:
    """By a function."""
    runner.set_messages_params(lambda current: {**current, "max_tokens": current["max_tokens"] // 2})


def adds_and_removes_a_tool(runner: Any) -> None:
    """By its name."""
    runner.add_tools(LOOK)
    runner.remove_tools("look")


def changes_nothing(_runner: Any) -> None:
    """The request has a beta of its own."""


async def run_in_loop(server: MessagesServer, change: Any = changes_nothing, **options: Any) -> list[Any]:
    """The answers of a runner that is changed at its first one, in an event loop."""

    async def no_wait(_: float) -> None:
        return None

    async with server.async_client() as client:
        told = {"sleep": no_wait, **options}
        runner = tool_runner(client, **arguments(Tool().asynchronous(), **told))
        first = await anext(runner)
        change(runner)
        return [first, *[item async for item in runner]]


def run_changed(server: MessagesServer, change: Any, *, in_loop: bool, **options: Any) -> None:
    """Run to the end, with a change at the first answer."""
    if in_loop:
        asyncio.run(run_in_loop(server, change, **options))
        return
    with server.client() as client:
        runner = tool_runner(client, **arguments(Tool().sync(), **options))
        next(runner)
        change(runner)
        runner.until_done()


@pytest.mark.parametrize("in_loop", [False, True])
@pytest.mark.parametrize(
    ("change", "longest", "tools"),
    [
        (halves_the_longest_answer, 500, []),
        (adds_and_removes_a_tool, 1_000, ["+ look", "- look"]),
        (changes_nothing, 1_000, []),
    ],
)
def test_what_the_caller_changes_outlasts_a_summary(change: Any, longest: int, tools: Any, in_loop: bool) -> None:
    """The caller changes a runner while it works, and the changes outlast a summary (CMP_11)."""
    with serve([call()]) as server:
        run_changed(server, change, in_loop=in_loop, betas=[BETA])
        after = what_follows(server)
        assert (after.body["max_tokens"], tool_changes(after)) == (longest, tools)
        assert all(BETA in request.headers["anthropic-beta"] for request in server.requests)


@pytest.mark.parametrize("in_loop", [False, True])
def test_a_result_of_the_callers_takes_the_place_of_the_tools(in_loop: bool) -> None:
    """The request for a summary holds what the caller gives, and not what the tool would have said (CMP_11)."""

    def answers(runner: Any) -> None:
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "In room 9. " * 50}
        runner.append_messages(answered, {"role": "user", "content": [result]})

    called = {**tool_call("read", {"name": "log"}), "id": "toolu_1"}
    answered = {"role": "assistant", "content": [called]}
    with serve([Answer([called], usage=OVER)]) as server:
        run_changed(server, answers, in_loop=in_loop)
        asked = next(str(one.body["messages"]) for one in server.requests if for_summary(one.body))
    assert "In room 9." in asked
    assert "a line of the log" not in asked


def test_the_providers_own_compaction_beside_it_is_refused() -> None:
    """Two compactions are never used at once (CMP_11)."""
    managed = {"context_management": {"edits": [{"type": "compact_20260112"}]}, "messages": [], "tools": []}
    with pytest.raises(Refused, match=r"'compaction_control' does the same work: .* never used at once"):
        tool_runner(None, compaction_control=ON, **managed)
