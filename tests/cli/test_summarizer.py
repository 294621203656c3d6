"""`brim compact --summarizer anthropic`: the real client against a strict server, with the key of the environment."""

import pytest

from brim.testing import MessagesServer, overloaded
from tests.cli.conversations import RECORDING
from tests.cli.test_bad_input import refused
from tests.strict_api import complaints

SMALL = ("--window", 32_000, "--max-output", 4_096)
ASKED = (RECORDING, *SMALL, "--summarizer", "anthropic")
SUMMARY = "<summary>\n## Task Overview\nThe parcel library is being mended.\n</summary>"


@pytest.fixture
def provider(monkeypatch):
    """A function that starts a provider which answers from a script; the environment tells where it is, and the key."""
    servers = []

    def start(*answers, key="sk-ant-test"):
        server = MessagesServer(answers, default=SUMMARY)
        server.start()
        servers.append(server)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", key)
        return server

    yield start
    for server in servers:
        server.close()


def test_a_model_writes_the_summary(brim, provider):
    """Its words stand for the history with the facts behind them, and the API would take the conversation."""
    server = provider()
    answer = brim("compact", *ASKED, "--json").json
    assert (answer["by"], answer["fidelity"]["facts"]["share"]) == ("model", 1)
    assert answer["summary"].startswith("## Task Overview\nThe parcel library is being mended.\n\nPreserved facts:")
    assert [attempt["outcome"] for attempt in answer["attempts"]] == ["ok"] * len(server.requests)


def test_the_new_conversation_is_written(brim, provider, tmp_path):
    """What is written can be sent."""
    provider()
    out = tmp_path / "out.json"
    assert brim("compact", *ASKED, "-o", out).code == 0
    written = __import__("json").loads(out.read_text(encoding="utf-8"))
    assert complaints(written["messages"]) == []


def test_a_place_that_cannot_be_written_to_costs_nothing(brim, provider):
    """It is refused before the model is asked."""
    server = provider()
    refused(brim("compact", *ASKED, "-o", "/proc/out.json"), 1, "/proc/out.json cannot be written")
    assert not server.requests


def test_a_summary_outlives_a_full_disk(brim, provider):
    """What the model wrote is on stderr where it cannot be written."""
    provider()
    answer = brim("compact", *ASKED, "-o", "/dev/full")
    assert (answer.code, answer.out) == (1, "")
    assert "The parcel library is being mended." in answer.error
    assert answer.error.splitlines()[-1].endswith(
        "/dev/full cannot be written: No space left on device; name another place"
    )


def test_the_focus_and_another_model_reach_the_provider(brim, provider):
    """The options are not only taken: they are in the request."""
    server = provider()
    brim("compact", *ASKED, "--focus", "the money", "--summary-model", "claude-opus-5-5")
    assert all("the money" in str(request.body) for request in server.requests)
    assert {request.body["model"] for request in server.requests} == {"claude-opus-5-5"}


def test_a_dry_run_asks_nobody(brim, provider):
    """It says who would be asked and why so, and shows the template."""
    server = provider()
    page = brim("compact", *ASKED, "--dry-run").out
    assert server.requests == ()
    assert "Would ask   claude-sonnet-5-5, " in page
    assert "no model is asked on a dry run" in page


def test_the_page_tells_the_attempts(brim, provider, monkeypatch):
    """An attempt that failed is told with the wait that followed it."""
    monkeypatch.setattr("brim.summary.attempts.WAITS_MS", (0, 1, 2))
    provider(overloaded())
    page = brim("compact", *ASKED).out
    assert "Asked       claude-sonnet-5-5, " in page
    assert "attempt 1, in pieces: the provider failed (529: Overloaded)" in page
    assert "attempt 2 after 0.001 s, in pieces: accepted" in page


@pytest.mark.parametrize(
    ("key", "met", "cure"),
    [
        ("", "no key was given", "set ANTHROPIC_API_KEY"),
        ("sk-ant-wrong", "the provider does not know the key", "API_KEY"),
    ],
)
def test_a_key_that_is_missing_or_wrong_is_told(brim, provider, monkeypatch, key, met, cure):  # noqa: PLR0917
    """One line says what is wrong with the key and what cures it; nothing is written."""
    provider(key=key)
    if not key:
        monkeypatch.delenv("ANTHROPIC_API_KEY")
    answer = brim("compact", *ASKED)
    assert (answer.code, answer.out) == (1, "")
    assert met in answer.error
    assert cure in answer.error
    assert "Traceback" not in answer.error


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--summarizer", "hope"), "--summarizer is 'hope'; it is one of: template, anthropic"),
        (("--focus", "the money"), "--focus is for a model that writes the summary: add --summarizer anthropic"),
        (("--summary-model", "m"), "--summary-model is for a model that writes the summary"),
    ],
)
def test_options_that_do_not_fit_are_wrong_usage(brim, options, told):
    """They are told before anything is read."""
    answer = brim("compact", RECORDING, *SMALL, *options)
    assert answer.code == 2
    assert told in answer.error
