"""Installs the agents that `make nightly` runs with brim, each in a folder of its own below build.

What cannot be had here is named in a line, and its tests are left out. mini-swe-agent needs another version of the
openai package than brim's extra does, the frameworks are large, and npm has Claude Code, OpenCode and pi.
"""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
AGENTS = ROOT / "build" / "agents"
PYTHON = {
    "mini-swe-agent": ["mini-swe-agent>=2.4,<3"],
    "litellm": ["litellm[proxy]>=1.110,<2"],
    "frameworks": ["google-adk>=2.13,<3", "strands-agents>=1.62,<2"],
}
"""Packages of an environment of their own, with brim."""
NPM = {
    "claude-code": "@anthropic-ai/claude-code",
    "opencode": "opencode-ai",
    "pi": "@earendil-works/pi-coding-agent",
}


def python_agent(name: str, packages: list[str]) -> None:
    """An environment of Python with brim and these packages."""
    python = AGENTS / name / "bin" / "python"
    if not python.exists():
        venv.create(AGENTS / name, with_pip=True, clear=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run(name, [*pip, *packages, "--editable", str(ROOT)])


def npm_agent(name: str, package: str) -> None:
    """The newest version of npm."""
    _run(name, ["npm", "install", "--silent", "--prefix", str(AGENTS / name), package])


def _run(agent: str, command: list[str]) -> None:
    if shutil.which(command[0]) is None or subprocess.run(command, check=False).returncode:
        print(f"{agent} could not be installed: its tests are left out", file=sys.stderr)


if __name__ == "__main__":
    AGENTS.mkdir(parents=True, exist_ok=True)
    for name, packages in PYTHON.items():
        python_agent(name, packages)
    for name, package in NPM.items():
        npm_agent(name, package)
