"""Tests of the agent of own_loop.py, as you would write them: the real client, a strict server, no key."""

from pathlib import Path

import pytest
from anthropic import InternalServerError
from own_loop import MODEL, Agent

from brim.sessions import open_store
from brim.testing import MessagesServer, asks_for_summary, failed, tool_call

READ = [tool_call("read", {"path": "notes.txt"})]


def test_the_window_never_overflows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("a line of notes\n" * 300)
    with MessagesServer([*[READ] * 30, "All are read."], models={MODEL: (20_000, 4_000)}) as server:
        server.when(asks_for_summary, *["<summary>The notes were read.</summary>"] * 9)
        with server.client() as client, open_store(tmp_path / "sessions").create(project=".") as session:
            Agent(client, session, tmp_path).ask("Read all notes.")  # a refused request would raise
    assert "All are read." in capsys.readouterr().out
    assert any(asks_for_summary(request.body) for request in server.requests if request.body)


def test_it_goes_on_after_a_crash(tmp_path: Path) -> None:
    store = open_store(tmp_path / "sessions")
    with MessagesServer([READ, failed(), "It is not there."]) as server, server.client() as client:
        with store.create(project=".") as session, pytest.raises(InternalServerError):
            Agent(client, session, tmp_path).ask("Read all notes.")
        with store.open(session.id) as session:
            Agent(client, session, tmp_path).ask("Go on.")
    last = server.requests[-1].body["messages"]
    assert [message["role"] for message in last] == ["user", "assistant", "user", "user"]
    assert last[2]["content"][0]["is_error"]  # the model learns that the file is missing
