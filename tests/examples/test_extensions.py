"""The examples that extend other agents, in those agents, against strict servers."""

import json
import os
import shutil
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from openai import BadRequestError

from brim.testing import MessagesServer, text_block, tool_call
from steps.prerequisites import litellm, npm_path, npm_program
from tests.serve.openai_agents import KEY, ChatAgent, connected, providing
from tests.serve.openai_agents import MODEL as CHAT_MODEL
from tests.serve.proxies import TASK

EXTENSIONS = Path(__file__).parents[2] / "docs" / "examples" / "extensions"
LONGEST = 40
MODEL = "claude-opus-5-5"
LISTED = "claude-sonnet-4-5"
"""A model that OpenCode knows without the network."""
WINDOW = 8_000
WORDS = "Count on, one command each. Never skip a number."
TURNS = 40


def test_an_extension_is_short():
    """Whoever copies it reads it whole."""
    found = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in EXTENSIONS.iterdir()}
    assert found.keys() == {"litellm_callback.py", "opencode.js", "pi.ts"}
    assert max(found.values()) <= LONGEST


class Counter:
    """A model that counts by commands, and whose summaries lack the user's words."""

    def __init__(self, steps=20, size=300):
        self.steps, self.size = steps, size
        self.asked = []
        self.summaries = self.step = 0

    def __call__(self, body):
        """Answer a request that the server accepted."""
        if not body.get("tools"):
            self.summaries += 1
            return "The user counts."
        self.asked.append(body)
        self.step += 1
        if self.step > self.steps:
            return "All is counted."
        return [
            text_block("I count on."),
            tool_call("bash", {"command": f"seq {self.step} {self.step + self.size}", "description": "Count."}),
        ]


@pytest.mark.nightly
@pytest.mark.pi
@pytest.mark.timeout(600)
@pytest.mark.parametrize("options", [[], ["-e", str(EXTENSIONS / "pi.ts")]], ids=["without", "with"])
def test_pi_keeps_the_users_words_by_brims_summary(options, tmp_path):
    """Its own compaction asks the model and loses them; with the extension no model is asked, and they are there."""
    model = Counter()
    with MessagesServer(default=model, models={MODEL: (WINDOW, 4_000)}) as server:
        own = {"id": MODEL, "contextWindow": WINDOW, "maxTokens": 2_000}
        models = {"providers": {"anthropic": {"baseUrl": server.url, "models": [own]}}}
        settings = {"compaction": {"reserveTokens": 2_000, "keepRecentTokens": 1_000}}
        folder = tmp_path / ".pi" / "agent"
        folder.mkdir(parents=True)
        (folder / "models.json").write_text(json.dumps(models))
        (folder / "settings.json").write_text(json.dumps(settings))
        path = f"{Path(sys.executable).parent}{os.pathsep}{npm_path()}"
        environment = {"PATH": path, "HOME": str(tmp_path), "ANTHROPIC_API_KEY": server.key}
        for words in ([WORDS], ["-c", "What is left to do?"]):
            typed = [str(npm_program("pi")), "--offline", *options, "--model", f"anthropic/{MODEL}", "-p", *words]
            subprocess.run(typed, env=environment, cwd=tmp_path, stdin=subprocess.DEVNULL, check=True, timeout=250)
    last = json.dumps(model.asked[-1]["messages"])
    assert "What is left to do?" in last
    assert len(last) < len(json.dumps(model.asked[-2]["messages"]))
    assert len(server.requests) == len(model.asked) + model.summaries
    assert (WORDS in last, model.summaries > 0) == ((True, False) if options else (False, True))


@pytest.mark.nightly
@pytest.mark.opencode
@pytest.mark.timeout(900)
@pytest.mark.parametrize("plugin", [False, True], ids=["without", "with"])
def test_opencode_sends_brims_summary(plugin, tmp_path):
    """After its own compaction the next requests lack the user's words; with the plugin they have them."""
    project, model = tmp_path / "project", Counter(steps=9, size=1_500)
    (project / ".opencode" / "plugin").mkdir(parents=True)
    if plugin:
        shutil.copy(EXTENSIONS / "opencode.js", project / ".opencode" / "plugin" / "brim.js")
    with MessagesServer(default=model, models={LISTED: (200_000, 64_000)}) as server:
        limits = {LISTED: {"limit": {"context": 20_000, "output": 4_000}}}
        provider = {"anthropic": {"options": {"baseURL": f"{server.url}/v1"}, "models": limits}}
        own = {"provider": provider, "autoupdate": False, "share": "disabled", "small_model": f"anthropic/{LISTED}"}
        environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "ANTHROPIC_API_KEY": server.key,
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_CONFIG_CONTENT": json.dumps(own),
        }
        typed = [str(npm_program("opencode")), "run", "-m", f"anthropic/{LISTED}", WORDS]
        subprocess.run(typed, env=environment, cwd=project, stdin=subprocess.DEVNULL, check=True, timeout=800)
    asked = [json.dumps(body["messages"]) for body in model.asked]
    compacted = next(n for n, text in enumerate(asked) if n and len(text) < len(asked[n - 1]))
    assert len(server.requests) == len(model.asked) + model.summaries
    assert {WORDS in text for text in asked[compacted:]} == {plugin}


@contextmanager
def litellm_proxy(folder, upstream, settings):
    """The address of LiteLLM's proxy with these settings, in front of an upstream."""
    shutil.copy(EXTENSIONS / "litellm_callback.py", folder)
    served = {"model": "openai/any", "api_base": f"{upstream}/v1", "api_key": KEY}
    config = {"model_list": [{"model_name": CHAT_MODEL, "litellm_params": served}], "litellm_settings": settings}
    (folder / "config.yaml").write_text(json.dumps(config))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MASTER_KEY": KEY,
        "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
    }
    typed = [str(litellm()), "--config", "config.yaml", "--host", "127.0.0.1", "--port", port, "--telemetry", "False"]
    with (folder / "log").open("w") as log:
        with subprocess.Popen(typed, env=environment, cwd=folder, stdout=log, stderr=log) as process:
            try:
                while "running on http://127.0.0.1" not in (folder / "log").read_text():
                    with suppress(subprocess.TimeoutExpired):
                        raise AssertionError(process.wait(0.2), (folder / "log").read_text())
                yield f"http://127.0.0.1:{port}"
            finally:
                process.terminate()


@pytest.mark.nightly
@pytest.mark.litellm
@pytest.mark.timeout(600)
def test_litellm_compacts_by_the_callback(tmp_path):
    """Nothing is refused, each request has the user's words, and what is not due is sent whole."""
    settings = {"callbacks": "litellm_callback.compacting"}
    with (
        providing() as (provider, upstream),
        litellm_proxy(tmp_path, upstream, settings) as url,
        connected(url) as client,
    ):
        agent = ChatAgent(client)
        for _ in range(TURNS):
            agent.turn()
    sent = [one.body["messages"] for one in provider.requests]
    assert len(sent) == TURNS
    assert provider.refusals == []
    assert [len(messages) for messages in sent[:6]] == [2, 4, 6, 8, 10, 12]
    assert len(sent[-1]) < len(agent.items) - 2
    assert [messages for messages in sent if TASK not in json.dumps(messages)] == []


@pytest.mark.nightly
@pytest.mark.litellm
@pytest.mark.timeout(600)
def test_without_the_callback_the_agent_dies_at_the_window(tmp_path):
    """So the callback compacts."""
    with providing() as (_, upstream), litellm_proxy(tmp_path, upstream, {}) as url, connected(url) as client:
        agent = ChatAgent(client)
        with pytest.raises(BadRequestError, match="maximum context length"):
            for _ in range(TURNS):
                agent.turn()
