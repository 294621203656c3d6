"""The conformance kit: brim passes it, and each of its checks fails for a compactor or proxy that is wrong."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from httpx2 import AsyncClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from brim.testing.conformance import judging, test_compactor
from brim.testing.conformance.conversations import WINDOW
from brim.testing.conformance.kit import Judge
from steps.prerequisites import sized
from tests.serve.proxies import listening, proxied
from tests.testing.compactors import without_model

KIT = "brim.testing.conformance"
ROOT = Path(__file__).parents[2]
TEXTS = ("empty", "no content", "error text", "call as text", "call", "reasoning alone", "larger")
REFUSED = [f"a_bad_summary_is_refused[{kind}]" for kind in TEXTS]
WORDS = [f"the_users_words_survive[{times}]" for times in (1, 2, 10)]
BLOCKS = ["unknown_blocks_are_carried", "pictures_and_documents_stay_with_the_last_message"]
LOOP, PINS = "an_open_loop_goes_on", "pinned_messages_stay"
PAIRS = ["calls_and_results_stay_paired", "parallel_calls_stay_together", PINS, LOOP]
SHOWN = ["thinking_is_not_shown_to_the_summarizer_as_text", "pictures_and_documents_stay_with_the_last_message"]
THINKING = ["kept_thinking_follows_its_history", "the_last_tool_loop_keeps_its_thinking"]
ASKED_FOR_EVER = ["the_summarizer_may_overflow", "a_failing_summarizer_is_not_asked_for_ever"]
AGAIN = ["a_tenth_compaction_makes_as_much_room", "the_result_can_be_resumed"]

NO_JSON = "TypeError: Object of type object is not JSON serializable"

FAILING = {
    "returns_its_input": ["it_makes_room"],
    "grows": ["it_makes_room", *THINKING, *WORDS, AGAIN[0]],
    "changes_its_input": ["the_input_is_unchanged"],
    "takes_any_answer": [*REFUSED, *ASKED_FOR_EVER, *SHOWN, LOOP],
    "forgets": [*WORDS[1:], AGAIN[1]],
    "piles_up": ["what_cannot_shrink_does_not_loop", AGAIN[0]],
    "refuses_quotations": ["a_summary_may_quote_a_call"],
    "drops_results": [*PAIRS, *AGAIN],
    "drops_parallel_calls": ["parallel_calls_stay_together"],
    "begins_with_the_model": ["roles_and_content_are_valid", *AGAIN],
    "drops_the_last_message": ["the_last_user_message_stays", LOOP, *BLOCKS],
    "drops_pins": [PINS],
    "keeps_thinking": THINKING,
    "drops_pictures": BLOCKS,
    "drops_calls": [LOOP, PINS, "a_pending_call_stays"],
}
"""What each of the compactors that are wrong fails, and nothing else."""


@pytest.fixture
def judged(pytester, monkeypatch):
    """Runs the kit in this process; gives each check that did not pass with its outcome and its line."""

    def run(compactor: str, *arguments: str) -> dict[str, tuple[str, str]]:
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        monkeypatch.syspath_prepend(ROOT)
        target = ("--compactor", f"tests.testing.compactors:{compactor}", "--conformance-json", "results.json")
        pytester.runpytest_inprocess("-p", KIT, "--pyargs", KIT, *target, *arguments)
        return results(Path("results.json"))

    return run


def results(file: Path) -> dict[str, tuple[str, str]]:
    """The checks that did not pass, each with its outcome and its line."""
    found = json.loads(file.read_text(encoding="utf-8"))
    assert found["passed"] + found["failed"] + found["skipped"] == len(found["checks"]) > 0
    outcomes = {name: (one["outcome"], one["message"]) for name, one in found["checks"].items()}
    return {name: one for name, one in outcomes.items() if one[0] != "passed"}


def test_brim_passes(judged):
    """All checks, and none is skipped; docs/guides/conformance.md runs the kit as users do."""
    assert judged("brim") == {}


def test_brim_passes_without_a_model(judged):
    """The template fails no check; those of a summarizer and of pins are not asked."""
    found = judged("without_model")
    assert {outcome for outcome, _ in found.values()} == {"skipped"}
    assert {line for _, line in found.values()} == {"not offered: pinned", "not offered: summarize"}


@pytest.mark.parametrize(("compactor", "share"), [("with_silent_model", ""), ("with_fewer_words", "57%")])
def test_the_share_of_words_is_what_ends_them(judged, compactor, share):
    """Where no model repeats them, the user's words have one limit: a tenth of the context is too little."""
    line = f"after 10 compactions {share} of what the user asked for is left"
    assert judged(compactor, "-k", "words_survive") == ({WORDS[-1]: ("failed", line)} if share else {})


@pytest.mark.parametrize(("times", "share"), [(11, "100%"), (12, "95%"), (20, "58%")])
def test_the_users_words_end_after_eleven_compactions(times, share):
    """What docs/limitations.md says of them."""

    def compact(messages):
        return SimpleNamespace(messages=without_model(messages, window=WINDOW))

    judge = SimpleNamespace(compact=compact, fail=pytest.fail, shrinks=lambda *one: Judge.shrinks(judge, *one))
    assert f"{judging.requests_left(*test_compactor.compacted_often(judge, times)):.0%}" == share


def test_every_check_fails_for_one_that_is_wrong():
    """No check is there that cannot fail."""
    failed = {name.partition("[")[0] for names in FAILING.values() for name in names}
    assert failed == {name.removeprefix("test_") for name in vars(test_compactor) if name.startswith("test_")}


@pytest.mark.parametrize("compactor", [*FAILING][:: sized(3, nightly=1)])
def test_a_wrong_compactor_fails_its_checks_alone(judged, compactor):
    """What is wrong is found by the checks of it, and the other checks pass or have nothing to judge."""
    checks = {name.partition("[")[0] for name in FAILING[compactor]}
    found = judged(compactor, *sized(["-k", " or ".join(checks)], nightly=[]))
    assert sorted(name for name, (outcome, _) in found.items() if outcome == "failed") == sorted(FAILING[compactor])
    assert {line for outcome, line in found.values() if outcome == "skipped"} <= {
        "nothing was compacted",
        "not offered: pinned",
        "not offered: summarize",
    }


@pytest.mark.parametrize(
    ("compactor", "line"),
    [
        ("raises", "raised ValueError: there is no room for more"),
        ("hangs", "hangs: ended after 1 seconds"),
        ("exits", "ended its process, with exit code 3"),
        ("returns_nothing", "returned no list of messages but NoneType"),
        ("returns_objects", f"returned messages that are no JSON: {NO_JSON}"),
        ("is_async", "is async: it returned a coroutine; wrap it in asyncio.run"),
    ],
)
def test_what_cannot_be_judged_is_told_in_one_line(judged, compactor, line):
    """Each check says it, and the next one goes on, with a process of its own where the last was ended."""
    found = judged(compactor, "--conformance-timeout", "1", "-k", "makes_room or unchanged")
    assert found == dict.fromkeys(("it_makes_room", "the_input_is_unchanged"), ("failed", line))


def test_a_failure_names_what_it_prevents(judged, capfd):
    """Whoever sees a check fail sees the failure in the field too, and no line of the kit's own code."""
    judged("drops_pins", "-k", "pinned")
    shown = capfd.readouterr().out
    assert "pinned message 0 is gone\nPrevents: strands-agents/harness-sdk#4088 and topcheer/ggcode#382" in shown
    assert "Traceback" not in shown
    assert "judge.refute" not in shown


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "name what is judged: --compactor MODULE:CALLABLE, or --base-url URL"),
        (["--compactor", "nothing:here"], "--compactor nothing:here cannot be used: ModuleNotFoundError"),
        (["--compactor", "json:nothing"], "--compactor json:nothing cannot be used: AttributeError"),
        (["--compactor", "dies:here"], "--compactor dies:here cannot be used: ended its process, with exit code 3"),
        (["--base-url", "http://127.0.0.1:9"], "--base-url needs --upstream-port"),
    ],
)
def test_what_cannot_be_used_ends_the_run(pytester, monkeypatch, arguments, line):
    """A wrong command is told in one line, and nothing is judged."""
    pytester.makepyfile(dies="import os; os._exit(3)")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    ran = pytester.runpytest_inprocess("-p", KIT, "--pyargs", KIT, *arguments)
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    assert line in "\n".join([*ran.outlines, *ran.errlines])


def test_other_runs_know_nothing_of_the_options(pytester, monkeypatch):
    """The plugin adds no option where the kit is not run: another plugin may have one of the same name."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    ran = pytester.runpytest_inprocess("-p", KIT, "--compactor", "x:y")
    assert "unrecognized arguments: --compactor" in "\n".join(ran.errlines)


def judged_proxy(folder: Path, url: str, port: int, *arguments: str) -> dict[str, tuple[str, str]]:
    """The checks of a proxy that did not pass, each with its outcome and its line."""
    target = ("--base-url", url, "--upstream-port", str(port), "--conformance-json", "results.json")
    command = [sys.executable, "-m", "pytest", "-p", KIT, "--pyargs", KIT, *target, *arguments]
    environ = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(command, cwd=folder, env=environ, capture_output=True, check=False)
    return results(folder / "results.json")


@pytest.fixture
def port() -> int:
    """A port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


async def at_once(_seconds: float) -> None:
    """Wait for nothing between two attempts."""


def test_the_proxy_passes(tmp_path, port, monkeypatch):
    """`brim serve` between an agent of the SDK and the strict upstream: all checks pass."""
    monkeypatch.setattr("brim.serve.conversations._sleep", at_once)
    with proxied(f"http://127.0.0.1:{port}", window=32_000) as url:
        assert judged_proxy(tmp_path, url, port, *sized(["-k", "whole or words or empty or smaller"], nightly=[])) == {}


def test_a_proxy_that_only_passes_on_is_found(tmp_path, port):
    """A session that ends at its window is told with the turn and the words of the API."""
    with proxied(f"http://127.0.0.1:{port}", window=32_000, shadow=True) as url:
        ((outcome, line),) = judged_proxy(tmp_path, url, port, "-k", "whole").values()
    assert outcome == "failed"
    assert re.match(r"turn 1\d got no answer: BadRequestError: Error code: 400 .*prompt is too long: ", line)


def test_a_careless_proxy_is_found(tmp_path, port):
    """One that puts any answer in place of all messages is refused nothing, and each of the other checks fails."""
    with listening(careless(f"http://127.0.0.1:{port}/v1/messages")) as url:
        found = judged_proxy(tmp_path, url, port, "-k", "whole or words or beside or error or overloaded")
    assert {name: line[:68] for name, (_, line) in found.items()} == {
        "the_users_words_reach_the_model": "request 8 lacks what was asked last: Port `parser_151` to the new cl",
        "what_is_sent_beside_the_messages_is_passed_on": "`system` does not arrive as it was sent",
        "a_bad_summary_is_refused[error text]": "the answer was taken for a summary: overloaded_error",
        "a_summarizer_may_fail[always overloaded]": "46 requests for a summary",
    }


def careless(upstream: str) -> Starlette:
    """A proxy that asks twice for a summary of all messages once they are many, and sends on that alone."""

    async def respond(request: Request) -> JSONResponse:
        body = await request.json()
        async with AsyncClient(headers={"x-api-key": "sk-ant-test", "anthropic-version": "2023-06-01"}) as client:
            if len(str(body)) > 60_000:
                for _ in range(2):
                    summary = (await client.post(upstream, json=body | {"max_tokens": 500})).json()
                text = "".join(block.get("text", "") for block in summary.get("content", ())) or "No summary."
                body["messages"] = [{"role": "user", "content": f"{text}\n\n{str(body['messages'][-1])[-1_000:]}"}]
                del body["system"]
            answer = await client.post(upstream, json=body)
        return JSONResponse(answer.json(), answer.status_code)

    return Starlette(routes=[Route("/v1/messages", respond, methods=["POST"])])
