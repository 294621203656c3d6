"""`brim run`: a program behind a proxy of its own."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response as Answer
from starlette.responses import StreamingResponse

from brim.cli import main
from brim.errors import Refused
from brim.serve.run import PI_EXTENSION, Launch, launch_of, run_program, upstreams_of
from brim.testing import asks_for_summary
from steps.prerequisites import sized
from tests.serve.proxies import ANSWER, Upstream, listening, served
from tests.serve.test_faults import body, worked
from tests.serve.test_server import BRIM

ADDRESS = "http://127.0.0.1:5"
PROGRAM = """
import os, sys, urllib.error, urllib.request
headers = {"content-type": "application/json", "x-api-key": "sk-ant-test", "anthropic-version": "2023-06-01"}
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
try:
    with open(sys.argv[1], "rb") as body:
        urllib.request.urlopen(urllib.request.Request(url, body.read(), headers), timeout=float(sys.argv[2])).read()
except urllib.error.HTTPError as error:
    sys.exit(error.read().decode())
except TimeoutError:
    print("left")
else:
    print(*sys.argv[3:])
sys.exit(3)
"""
"""Sends a file, and waits so many seconds for its answer."""


def run_by_brim(
    tmp_path: Path, url: str, turns: int, *options: str, seconds: int = 100, more: Sequence[str] = ()
) -> Any:
    """Run a program that asks once, for the answer to so many turns; how it ended, and what it and brim said."""
    program, asked = tmp_path / "agent.py", tmp_path / "body.json"
    program.write_text(PROGRAM)
    asked.write_text(json.dumps(body(worked(turns))))
    environ = {"PATH": "/bin", "ANTHROPIC_BASE_URL": url, "BRIM_HOME": str(tmp_path / "home")}
    run = [*BRIM, "run", *options, "--", sys.executable, "-I", str(program), str(asked), str(seconds), *more]
    return subprocess.run(run, env=environ, capture_output=True, text=True, check=False, timeout=110)


@pytest.mark.parametrize("shadow", sized([False], nightly=[False, True]))
def test_a_program_asks_the_proxy_and_ends_with_its_own_code(tmp_path: Path, *, shadow: bool) -> None:
    """Its arguments are its own; what was done and saved is told once it has ended, and how to go on."""
    with served(window=400_000 if shadow else 60_000) as server:
        options = [*["--shadow"] * shadow, "--window", "60k", "--threshold", "50%"]
        done = run_by_brim(tmp_path, server.url, 12, *options, more=["--window", "mine"])
    assert (done.returncode, done.stdout) == (3, "--window mine\n"), done.stderr
    assert sum(asks_for_summary(one.body) for one in server.requests) == 1 - shadow
    assert "compacted, " in done.stderr
    told = "1 compaction would have been made" if shadow else "1 compaction"
    assert re.search(told + r": [\d,]+ tokens sent in place of [\d,]+, \$\d.* in place of \$\d", done.stderr)
    assert re.search(r"shown at http://127\.0\.0\.1:\d+/\?token=", done.stderr)
    assert ("go on with this conversation by brim run too" in done.stderr) != shadow


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ([], "is 968,000 of its window of 1,000,000 (known by the model's name; --window states another)"),
        (["--window", "60k", "--max-output", "20k"], "is 40,000 of its window of 60,000 (stated by --window)"),
    ],
)
def test_a_run_in_which_nothing_was_due_says_what_was_held(tmp_path: Path, options: list[str], where: str) -> None:
    """The agent ends at a window that brim does not know of, and brim says which one it took, and from where."""
    with served(window=20_000) as server:
        done = run_by_brim(tmp_path, server.url, 5, "--shadow", *options)
    assert "prompt is too long" in done.stderr
    last = done.stderr.splitlines()[-1]
    assert re.fullmatch(
        r"brim: nothing was compacted in this run: claude-opus-5-5 held 2\d,\d{3} tokens at most, the threshold (.*)",
        last,
    )
    assert last.endswith(where)


@pytest.mark.parametrize("options", [["--max-output", "20k"], ["--max-output", "0"]])
def test_stated_limits_without_room_for_the_input_are_refused(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Before the program is started."""
    assert main(["run", "--window", "20k", *options, "--", "false"]) == 1
    assert "no room for input: window 20,000" in capsys.readouterr().err


@pytest.mark.parametrize(("turns", "said"), sized([(8, "left\n")], nightly=[(6, "\n"), (8, "left\n")]))
def test_a_summary_that_is_written_at_the_end_leaves_no_trace(tmp_path: Path, turns: int, said: str) -> None:
    """Whether it is made ahead or somebody has waited for it; the program's last screen is its own."""
    upstream = Upstream()

    async def never() -> AsyncIterator[bytes]:
        yield b""
        await asyncio.sleep(60)

    def answer() -> Answer:
        is_one = asks_for_summary(json.loads(upstream.received[-1][3]))
        return StreamingResponse(never(), media_type="text/event-stream") if is_one else Answer(ANSWER)

    upstream.answer = answer
    with listening(upstream.app) as url:
        done = run_by_brim(tmp_path, url, turns, "--window", "60k", "--threshold", "50%", seconds=2)
    assert done.stdout == said
    assert any(asks_for_summary(json.loads(raw)) for *_, raw in upstream.received)
    assert re.fullmatch(r"brim: what it does is shown .*\nbrim: nothing was compacted in this run: .*\n", done.stderr)


def test_what_each_program_reads() -> None:
    """Variables for most, an option for Codex and pi, a configuration for OpenCode beside what the user's own says."""
    plain = launch_of(["/usr/bin/claude", "-c"], {"HOME": "/h"}, ADDRESS)
    assert plain.arguments == ["/usr/bin/claude", "-c"]
    assert plain.environ["HOME"] == "/h"
    assert plain.environ["ANTHROPIC_BASE_URL"] == ADDRESS
    assert plain.environ["OPENAI_BASE_URL"] == f"{ADDRESS}/v1"
    codex = launch_of(["codex", "exec", "Go."], {}, ADDRESS)
    assert codex.arguments == ["codex", "-c", f'openai_base_url="{ADDRESS}/v1"', "exec", "Go."]
    assert codex.environ["RUST_LOG"].endswith("responses_websocket=off")
    assert "RUST_LOG" not in launch_of(["codex", "Go."], {}, ADDRESS).environ
    assert launch_of(["codex", "exec", "Go."], {"RUST_LOG": "info"}, ADDRESS).environ["RUST_LOG"] == "info"
    assert launch_of(["pi", "-p", "Go."], {}, ADDRESS).arguments == ["pi", "-e", PI_EXTENSION, "-p", "Go."]
    assert launch_of(["pi", "install", "x"], {}, ADDRESS).arguments == ["pi", "install", "x"]
    own = {"theme": "dark", "provider": {"openai": {"options": {"timeout": 9}}}}
    opencode = launch_of(["opencode"], {"OPENCODE_CONFIG_CONTENT": json.dumps(own)}, ADDRESS)
    assert json.loads(opencode.environ["OPENCODE_CONFIG_CONTENT"]) == {
        "theme": "dark",
        "provider": {
            "openai": {"options": {"timeout": 9, "baseURL": f"{ADDRESS}/v1"}},
            "anthropic": {"options": {"baseURL": f"{ADDRESS}/v1"}},
        },
    }


@pytest.mark.parametrize("environ", [{}, {"NO_PROXY": "corp"}, {"no_proxy": "corp"}])
def test_no_proxy_of_the_environment_is_between(environ: dict[str, str]) -> None:
    """Programs read the one name or the other."""
    launched = launch_of(["claude"], environ, ADDRESS).environ
    direct = ",".join([*environ.values(), "127.0.0.1"])
    assert (launched["NO_PROXY"], launched["no_proxy"]) == (direct, direct)


@pytest.mark.parametrize("text", ["{", "[]", '{"provider": 5}'])
def test_a_configuration_of_opencode_that_is_none_is_named(text: str) -> None:
    """It is refused before anything is started."""
    with pytest.raises(Refused, match="OPENCODE_CONFIG_CONTENT is no JSON object"):
        launch_of(["opencode"], {"OPENCODE_CONFIG_CONTENT": text}, ADDRESS)


def test_the_upstreams_are_those_that_the_program_would_have_asked() -> None:
    """A gateway of the user's stays in front of the provider."""
    assert upstreams_of({}) == ("", "")
    named = {"ANTHROPIC_BASE_URL": "https://a.example/", "OPENAI_API_BASE": "https://o.example/x/v1/"}
    assert upstreams_of(named) == ("https://a.example/", "https://o.example/x/v1/")


def test_a_program_that_there_is_none_of_is_named() -> None:
    """And what to do."""
    with pytest.raises(Refused, match="/nowhere/agent cannot be started: No such file"):
        run_program(Launch(["/nowhere/agent"], {}))


def test_without_the_program_no_proxy_is_started(capsys: pytest.CaptureFixture[str]) -> None:
    """One line is all that is said."""
    assert main(["run", "--window", "20k", "nowhere-at-all"]) == 1
    told = "brim: nowhere-at-all cannot be started: see that it is on the PATH, and may be run\n"
    assert capsys.readouterr().err == told
