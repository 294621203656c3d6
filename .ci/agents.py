"""Installs the agents that `make nightly` runs with brim, each in a folder of its own below build.

What cannot be had here is named in a line, and its tests are left out. mini-swe-agent needs another version of the
openai package than brim's extra does; the others are packages of npm.
"""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
AGENTS = ROOT / "build" / "agents"
MINI_SWE_AGENT = "mini-swe-agent>=2.4,<3"
OF_NPM = {
    "Claude Code": ["@anthropic-ai/claude-code@latest"],
    "Codex": ["@openai/codex@latest"],
    "OpenCode": ["opencode-ai@latest"],
    "pi": ["@earendil-works/pi-coding-agent@latest", "node@22"],
}
"""The packages of each, pi's with the oldest Node.js that it runs on."""


def mini_swe_agent() -> None:
    """An environment of Python with mini-swe-agent and brim."""
    folder = AGENTS / "mini-swe-agent"
    if not (folder / "bin" / "python").exists():
        venv.create(folder, with_pip=True, clear=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run("mini-swe-agent", [*pip, MINI_SWE_AGENT, "--editable", str(ROOT)])


def of_npm() -> None:
    """The newest of each."""
    for agent, packages in OF_NPM.items():
        _run(agent, ["npm", "install", "--silent", "--prefix", str(AGENTS / "npm"), *packages])


def _run(agent: str, command: list[str]) -> None:
    if shutil.which(command[0]) is None or subprocess.run(command, check=False).returncode:
        print(f"{agent} could not be installed: its tests are left out", file=sys.stderr)


if __name__ == "__main__":
    AGENTS.mkdir(parents=True, exist_ok=True)
    mini_swe_agent()
    of_npm()
