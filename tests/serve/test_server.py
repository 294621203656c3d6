"""What `brim serve` refuses, and the command itself in a process of its own."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from starlette.requests import Request

from brim.cli import main
from brim.serve.server import Upstreams, listen
from brim.testing import asks_for_summary
from tests.serve.proxies import Agent, served

BRIM = [sys.executable, "-c", "from brim.cli import main; raise SystemExit(main())"]


@contextmanager
def command(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The command in a process of its own, and its address."""
    pipe = subprocess.PIPE
    with subprocess.Popen([*BRIM, "serve", "--port", "0", *arguments], stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+", first)
            assert found, first + (process.stderr.read() if process.stderr else "")
            yield found[0], process
        finally:
            process.terminate()


def test_the_command_serves_until_it_is_ended() -> None:
    """An agent works through it; it says on standard error what it compacted, and ends at a signal."""
    with served() as server:
        with command("--upstream", server.url, "--window", "60k", "--threshold", "50%") as (url, process):
            agent = Agent(url)
            for _ in range(12):
                agent.turn()
            process.terminate()
            _, errors = process.communicate(timeout=20)
        assert process.returncode == -signal.SIGTERM
        assert re.search(r"claude-opus-5-5: compacted, [\d,]+ tokens of [\d,]+", errors)
        assert any(asks_for_summary(one.body) for one in server.requests)
        assert "sk-ant-test" not in errors


def test_a_port_that_is_taken_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """The second proxy says so, and what to do."""
    with listen("127.0.0.1", 0) as first:
        port = str(first.getsockname()[1])
        assert main(["serve", "--port", port]) == 1
    assert f"nothing can listen at 127.0.0.1:{port}" in (said := capsys.readouterr().err)
    assert "another --port" in said


@pytest.mark.parametrize(
    ("path", "headers", "target"),
    [
        ("/v1/messages", [], "https://api.anthropic.com/v1/messages?q=1"),
        ("/v1/messages/count_tokens", [], "https://api.anthropic.com/v1/messages/count_tokens?q=1"),
        ("/v1/models", [(b"anthropic-version", b"2023-06-01")], "https://api.anthropic.com/v1/models?q=1"),
        ("/v1/models", [], "https://api.openai.com/v1/models?q=1"),
        ("/models", [], "https://api.openai.com/v1/models?q=1"),
        ("/v1/responses", [], "https://api.openai.com/v1/responses?q=1"),
        ("/v1/responses", [(b"chatgpt-account-id", b"1")], "https://chatgpt.com/backend-api/codex/responses?q=1"),
    ],
)
def test_without_an_upstream_the_request_tells(path: str, headers: list[tuple[bytes, bytes]], target: str) -> None:
    """By its path, or by the version that every request to Anthropic names."""
    assert str(Upstreams()(asked(path, headers))) == target


def test_an_upstream_may_have_a_path_of_its_own() -> None:
    """As gateways have; the provider's base URLs do, which an environment names."""
    gateway = Upstreams("https://gateway.example/api/")
    assert str(gateway(asked("/v1/chat/completions", []))) == "https://gateway.example/api/v1/chat/completions?q=1"
    named = Upstreams(anthropic="https://one.example/a", openai="https://two.example/x/v4/")
    assert str(named(asked("/v1/messages", []))) == "https://one.example/a/v1/messages?q=1"
    assert (
        str(named(asked("/v1/responses", [(b"chatgpt-account-id", b"1")]))) == "https://two.example/x/v4/responses?q=1"
    )


def asked(path: str, headers: list[tuple[bytes, bytes]]) -> Request:
    """A request as it comes."""
    parts = {"path": path, "raw_path": path.encode(), "headers": headers, "query_string": b"q=1"}
    return Request({"type": "http", "server": ("localhost", 80), **parts})


def test_what_is_answered_goes_out_at_once() -> None:
    """Else the head of a response holds up its first bytes for as long as the client waits to acknowledge it."""
    with (
        listen("127.0.0.1", 0) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
