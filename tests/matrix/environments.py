"""Sets the packages of the matrix up, each in an environment of its own: `python -m tests.matrix.environments`.

One that cannot be installed is named in a line and left out.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
ENVIRONMENTS: Final = HERE.parents[1] / "build" / "peers"
TABLE: Final = tomllib.loads((HERE / "peers.toml").read_text(encoding="utf-8"))
PEERS: Final[Mapping[str, Mapping[str, Any]]] = {name: one for name, one in TABLE.items() if isinstance(one, dict)}


def python_of(name: str) -> Path:
    """Return the interpreter of a package's environment, whether or not it is there."""
    return ENVIRONMENTS / PEERS[name].get("environment", name) / "bin" / "python"


def interpreter(oldest: str) -> str | None:
    """Return a Python of a version or newer; None without one."""
    least = tuple(map(int, oldest.split(".")))
    named = [f"python3.{minor}" for minor in range(least[1], least[1] + 3)]
    kept = sorted(Path.home().glob(".pyenv/versions/*/bin/python3"))
    test = f"import sys; sys.exit(sys.version_info < {least})"
    for one in [sys.executable, *filter(None, map(shutil.which, named)), *map(str, kept)]:
        if not subprocess.run([one, "-c", test], capture_output=True, check=False).returncode:
            return one
    return None


def set_up(name: str) -> str | None:
    """Install a package as the table pins it. Returns why it is not there, or None."""
    peer, python = PEERS[name], python_of(name)
    stamp = python.parents[1] / "installed.txt"
    wanted = f"{TABLE['day']} {' '.join(peer['packages'])}"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return None
    found, uv = interpreter(peer.get("python", "3.11")), shutil.which("uv")
    if not found:
        return f"it needs Python {peer['python']}"
    if not uv:
        return "it is installed with uv"
    steps = [
        [uv, "venv", "--quiet", "--clear", "--python", found, str(python.parents[1])],
        [uv, "pip", "install", "--quiet", "--python", str(python), "--exclude-newer", TABLE["day"], *peer["packages"]],
    ]
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "its installation failed"
    stamp.write_text(wanted, encoding="utf-8")
    return None


def main() -> int:
    """Set all up, and name what is missing."""
    for name in PEERS:
        missing = set_up(name)
        print(f"{name}: {missing or 'there'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
