"""Run: a program with a proxy of its own in front of its provider."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from brim.errors import Refused

CODEX_LOG: Final = {"RUST_LOG": "error,codex_api::endpoint::responses_websocket=off"}
"""What `codex exec` logs to the terminal by itself, but for the WebSocket that brim refuses."""
PI_EXTENSION: Final = str(Path(__file__).with_name("pi.js"))
PI_COMMANDS: Final = frozenset({"install", "remove", "uninstall", "update", "list", "config", "auth", "mcp"})
"""First arguments of pi's that ask no model, and are no commands behind an option."""


class Launch(NamedTuple):
    """How a program is started so that it asks the proxy."""

    arguments: Sequence[str]
    environ: Mapping[str, str]


def launch_of(arguments: Sequence[str], environ: Mapping[str, str], address: str) -> Launch:
    """Return how a program is started: with the variables that SDKs read, and what it reads besides.

    The provider's keys stay where the program finds them. Raises Refused for settings of OpenCode's that are none.
    """
    name = Path(arguments[0]).name.removesuffix(".cmd").removesuffix(".exe")
    openai = f"{address}/v1"
    direct = ",".join(filter(None, (environ.get("NO_PROXY") or environ.get("no_proxy"), "127.0.0.1")))
    known = {
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_BASE": address,
        "OPENAI_BASE_URL": openai,
        "OPENAI_API_BASE": openai,
        "ANTHROPIC_HOST": address,
        "OPENAI_HOST": address,
        "NO_PROXY": direct,
        "no_proxy": direct,
    }
    variables = {**environ, **known}
    if name == "codex":
        variables = {**(CODEX_LOG if "exec" in arguments else {}), **variables}
        return Launch([arguments[0], "-c", f'openai_base_url="{openai}"', *arguments[1:]], variables)
    if name == "pi" and not PI_COMMANDS.intersection(arguments[1:2]):
        return Launch([arguments[0], "-e", PI_EXTENSION, *arguments[1:]], variables)
    if name == "opencode":
        try:
            config = json.loads(environ.get("OPENCODE_CONFIG_CONTENT") or "{}")
            for provider in ("anthropic", "openai"):
                options = config.setdefault("provider", {}).setdefault(provider, {}).setdefault("options", {})
                options.setdefault("baseURL", openai)
        except (ValueError, AttributeError) as error:
            raise Refused("OPENCODE_CONFIG_CONTENT is no JSON object of OpenCode's settings: unset it") from error
        return Launch(arguments, {**variables, "OPENCODE_CONFIG_CONTENT": json.dumps(config)})
    return Launch(arguments, variables)


def upstreams_of(environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the gateways that the environment names for Anthropic's and OpenAI's API, each empty where it names none.

    The program would have asked them, so the proxy does.
    """
    openai = environ.get("OPENAI_BASE_URL") or environ.get("OPENAI_API_BASE") or ""
    anthropic = environ.get("ANTHROPIC_BASE_URL") or environ.get("ANTHROPIC_API_BASE") or ""
    return anthropic, openai


def run_program(launch: Launch) -> int:
    """Run a program to its end, in this terminal; return its exit code. Raises Refused where it cannot be started.

    What the terminal interrupts is the program's to handle. A signal that ends this process is passed on to it.
    """
    try:
        process = subprocess.Popen([*launch.arguments], env=dict(launch.environ))  # noqa: S603 -- what the user named
    except OSError as error:
        cure = "see that it is on the PATH"
        raise Refused(f"{launch.arguments[0]} cannot be started: {error.strerror}; {cure}") from error
    interrupted = signal.signal(signal.SIGINT, lambda *_: None)
    ended = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        code = process.wait()
    finally:
        signal.signal(signal.SIGINT, interrupted)
        signal.signal(signal.SIGTERM, ended)
    return code if code >= 0 else 128 - code
