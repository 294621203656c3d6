"""A proxy that is ended and started again in the middle of a session, one whose store is lost, and faults of brim's."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from brim.pruning.tool_outputs import PLACEHOLDER
from brim.testing import asks_for_summary, thinking_block, tool_call
from tests.serve.proxies import RESULT, SUMMARY, TASK, Agent, proxied, served
from tests.serve.test_server import command

FIRST = 12
"""Turns of an agent that were compacted once."""


def summaries(server: Any) -> int:
    """How many summaries were asked for."""
    return sum(asks_for_summary(one.body) for one in server.requests if "count" not in one.path)


def test_a_new_process_goes_on_from_the_compaction(tmp_path: Path) -> None:
    """No second summary is paid, what goes out begins as it did before, and nothing is refused."""
    with served() as server:
        with proxied(server.url, folder=tmp_path) as url:
            agent = Agent(url)
            for _ in range(FIRST):
                agent.turn()
        before = server.requests[-1].body["messages"]
        assert summaries(server) == 1
        with proxied(server.url, folder=tmp_path) as url:
            agent.connect(url)
            agent.turn()
            after = server.requests[-1].body["messages"]
            assert json.dumps(after[: len(before)]) == json.dumps(before)
            assert summaries(server) == 1
            for _ in range(FIRST):
                agent.turn()
        assert all(TASK in str(one.body["messages"]) for one in server.requests)


def test_a_killed_process_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is killed in the middle of a session, and the agent goes on by a new one."""
    monkeypatch.setenv("BRIM_HOME", str(tmp_path))
    with served() as server:
        options = ["--upstream", server.url, "--window", "60k", "--threshold", "50%"]
        agent, sent = Agent(server.url), list[Any]()
        for turns in (FIRST, 2):
            with command(*options) as (url, process):
                agent.connect(url)
                for _ in range(turns):
                    agent.turn(streamed=True)
                process.kill()
            sent.append([one.body["messages"] for one in server.requests if not asks_for_summary(one.body)])
        assert [len(one) for one in sent] == [FIRST, FIRST + 2]
        assert summaries(server) == 1
    first = sent[0][-1]
    assert all(json.dumps(one[: len(first)]) == json.dumps(first) for one in sent[1][FIRST:])
    assert all(TASK in str(one) for one in sent[-1])


def test_nothing_of_the_callers_messages_is_kept(tmp_path: Path) -> None:
    """Nor a key; only the user can read what is."""
    with served() as server, proxied(server.url, folder=tmp_path / "new") as url:
        agent = Agent(url)
        for n in range(FIRST):
            agent.turn(result=f"the secret of step {n}\n" * 1_000)
    files = [*(tmp_path / "new").iterdir()]
    assert sorted(one.suffix for one in files) == ["", ".json"]
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert b"the secret" not in file.read_bytes()
        assert b"sk-ant-test" not in file.read_bytes()
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_another_credential_with_the_same_messages_has_its_own(tmp_path: Path) -> None:
    """Two users begin with the same words; the summary of one reaches no request of the other."""
    with served() as server:
        with proxied(server.url, folder=tmp_path) as url:
            agent = Agent(url)
            for _ in range(FIRST):
                agent.turn()
        with proxied(server.url, folder=tmp_path) as url:
            other = Agent(url, "sk-ant-other")
            other.messages = agent.messages
            with pytest.raises(Exception, match="401"):  # the server knows one key alone
                other.turn()
        assert "ported in part" not in str(server.requests[-1].body["messages"])


@pytest.mark.parametrize("content", [b"", b"{", b'{"version": 1}', b"[" * 100_000, b"\xff"])
def test_a_lost_store_costs_a_summary_and_no_request(tmp_path: Path, content: bytes) -> None:
    """What cannot be read is told; thinking that is bound to it is left out."""
    told: list[str] = []
    with served() as server:
        with proxied(server.url, folder=tmp_path) as url:
            agent = Agent(url)
            for _ in range(FIRST):
                agent.turn()
        for file in tmp_path.glob("*.json"):
            file.write_bytes(content)
        with proxied(server.url, folder=tmp_path, tell=told.append) as url:
            agent.connect(url)
            agent.turn()
    assert any("cannot be read" in line for line in told)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_a_disk_that_takes_nothing_is_told_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """It stops nothing; the next start summarizes again."""

    def full(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("brim.serve.store.write_whole", full)
    told: list[str] = []
    with served() as server, proxied(server.url, folder=tmp_path, tell=told.append) as url:
        agent = Agent(url)
        for _ in range(FIRST):
            agent.turn()
    kept = [line for line in told if "is not kept" in line or "is kept" in line]
    assert len(kept) == 2  # at the start, and at the compaction
    assert all(f"{tmp_path}: {os.strerror(number)}; give yourself permission" in line for line in kept)
    assert not [*tmp_path.iterdir()]


def broken(*_: Any, **__: Any) -> Any:
    """Raise what no one foresaw."""
    raise RuntimeError("a fault of brim's")


@pytest.mark.parametrize("place", ["middleware._compared", "middleware.Conversations._nearest"])
def test_after_a_fault_in_matching_the_last_compaction_holds(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """It is found by its digest; so are the tokens counted, and the agent goes on once the fault has passed."""
    with served(window=400_000) as server, proxied(server.url) as url:
        agent = Agent(url)
        for _ in range(FIRST):
            agent.turn()
        before = json.dumps(server.requests[-1].body["messages"])
        with monkeypatch.context() as fault:
            fault.setattr(f"brim.engine.{place}", broken)
            agent.turn()
            counted = agent.count()
            assert agent.turn().usage.input_tokens == counted
        agent.turn()
        sent = [json.dumps(one.body["messages"]) for one in server.requests[-4:]]
    assert all(one.startswith(before[:-1]) for one in sent)
    assert summaries(server) == 1


def test_a_fault_that_loses_the_compaction_leaves_thinking_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it can be neither found nor restored, what is bound to it is left out after a refusal."""
    told: list[str] = []
    with served(window=400_000) as server, proxied(server.url, tell=told.append) as url:
        agent = Agent(url)
        for _ in range(FIRST):
            agent.turn()
        monkeypatch.setattr("brim.engine.middleware._compared", broken)
        monkeypatch.setattr("brim.serve.store.StoredConversation.restored", broken)
        agent.turn()
    assert any("cannot be restored" in line for line in told)
    assert any("thinking that is bound to a compaction which is lost" in line for line in told)


def talking(body: Any) -> Any:
    """Read a file, and then say so, with thinking before each."""
    if asks_for_summary(body):
        return SUMMARY
    if isinstance(body["messages"][-1]["content"], str):
        return [thinking_block("Which one?"), tool_call("read_file", {"path": f"src/{len(body['messages'])}.py"})]
    return [thinking_block("Read."), {"type": "text", "text": "It is read. " * 500}]


@pytest.mark.parametrize(("threshold", "turns"), [("70%", 12), ("40%", 34)])
def test_outputs_that_were_cleared_stay_cleared(tmp_path: Path, threshold: str, turns: int) -> None:
    """A new start changes no byte of what goes out, without a compaction and behind several."""
    settings = {"threshold": threshold, "prune_protect": 5_000, "prune_minimum": 3_000}
    kept, history = tmp_path / "kept", list[Any]()
    with served(talking) as server:
        with proxied(server.url, folder=tmp_path / "own", **settings) as url:
            agent = Agent(url)
            for turn in range(turns):
                if turn == turns - 1:
                    shutil.copytree(tmp_path / "own", kept)
                    history = [*agent.messages]
                agent.turn(result=RESULT[:8_000])
        without_restart, paid = server.requests[-1].body["messages"], summaries(server)
        assert PLACEHOLDER in str(without_restart)
        assert (paid > 1) == (threshold == "40%")
        with proxied(server.url, folder=kept, **settings) as url:
            agent.connect(url)
            agent.messages = history
            agent.turn()
        assert json.dumps(server.requests[-1].body["messages"]) == json.dumps(without_restart)
        assert summaries(server) == paid


def test_the_folder_stays_small_while_the_proxy_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is beyond the most is forgotten with the next compaction, not at the next start alone."""
    monkeypatch.setattr("brim.serve.store.MAX_KEPT", 1)
    with served() as server, proxied(server.url, folder=tmp_path) as url:
        agent = Agent(url)
        for _ in range(2 * FIRST):
            agent.turn()
    assert summaries(server) == 2
    assert len([*tmp_path.glob("*.json")]) == 1
