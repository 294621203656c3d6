"""Installs the agents that `make nightly` runs with brim, each in a folder of its own below build.

What cannot be had here is named in a line, and its tests are left out. mini-swe-agent needs another version of the
openai package than brim's extra does, the frameworks are large; the others are packages of npm.
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
    "suites": ["compaction-conformance-kit==0.8.0", "compactbench==0.1.0"],
}
"""Packages of an environment of their own, with brim."""
OF_NPM = {
    "Claude Code": ["@anthropic-ai/claude-code@latest"],
    "Codex": ["@openai/codex@latest"],
    "OpenCode": ["opencode-ai@latest"],
    "pi": ["@earendil-works/pi-coding-agent@latest", "node@22"],
}
"""The packages of each, pi's with the oldest Node.js that it runs on."""


def python_agent(name: str, packages: list[str]) -> None:
    """An environment of Python with brim and these packages."""
    python = AGENTS / name / "bin" / "python"
    if not python.exists():
        venv.create(AGENTS / name, with_pip=True, clear=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run(name, [*pip, *packages, "--editable", str(ROOT)])


def of_npm() -> None:
    """The newest of each."""
    for agent, packages in OF_NPM.items():
        _run(agent, ["npm", "install", "--silent", "--prefix", str(AGENTS / "npm"), *packages])


def templates() -> None:
    """The source distribution of CompactBench, which alone has its templates."""
    folder = AGENTS / "suites"
    pip = [str(folder / "bin" / "python"), "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    _run("CompactBench", [*pip, "--dest", str(folder), *PYTHON["suites"][1:]])
    for archive in folder.glob("compactbench-*.tar.gz"):
        shutil.unpack_archive(archive, folder)


def _run(agent: str, command: list[str]) -> None:
    if shutil.which(command[0]) is None or subprocess.run(command, check=False).returncode:
        print(f"{agent} could not be installed: its tests are left out", file=sys.stderr)


if __name__ == "__main__":
    AGENTS.mkdir(parents=True, exist_ok=True)
    for name, packages in PYTHON.items():
        python_agent(name, packages)
    templates()
    of_npm()
