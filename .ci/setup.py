"""Sets up an environment: `python3 .ci/setup.py .venv/.package`, or `… .venv/.dev all dev` with extras and a group.

uv does it where it is installed, else pip. The stamp is written last, so that an interrupted set-up is done again. Two
set-ups at once wait for each other.
"""

import fcntl
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OLDEST = (3, 11)
SETTINGS = ROOT / "pyproject.toml"
LOG = ROOT / "build" / "setup.log"
UNREACHED = re.compile(r"client error \(Connect\)|NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout")
"""What uv or pip writes into the log where the network is not there."""
KNOWS_GROUPS = "pip>=25.1"


def main(stamp: Path, extras: str = "", group: str = "") -> None:
    """Install what is missing. Exits with a line where Python is too old or has no venv, or an installation fails."""
    if sys.version_info < OLDEST:
        sys.exit(f"brim needs Python {'.'.join(map(str, OLDEST))} or newer; this is {sys.version.split()[0]}")
    LOG.parent.mkdir(exist_ok=True)
    with (LOG.parent / "setup.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another set-up", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.stat().st_mtime < SETTINGS.stat().st_mtime:
            _install(stamp.parent, f".[{extras}]" if extras else ".", group)
            stamp.touch()


def _install(venv: Path, what: str, group: str) -> None:
    uv, python, began = shutil.which("uv"), str(venv / "bin" / "python"), time.monotonic()
    print(f"Installing {what} into {venv} with {'uv' if uv else 'pip'}, a minute or two ...", end="", flush=True)
    groups = ["--group", group] if group else []
    with LOG.open("w", encoding="utf-8") as log:
        if uv:
            if not Path(python).exists():
                _run(log, uv, "venv", "--clear", "--python", sys.executable, str(venv))
            _run(log, uv, "pip", "install", "--python", python, "--editable", what, *groups)
        else:
            if _fails(python, "-m", "pip", "--version"):
                _run(log, sys.executable, "-m", "venv", "--clear", str(venv), cure="Debian has it in python3-venv")
            pip = [python, "-m", "pip", "install", "--disable-pip-version-check"]
            if group:
                _run(log, *pip, "--upgrade", KNOWS_GROUPS)
            _run(log, *pip, "--editable", what, *groups)
    print(f" done in {time.monotonic() - began:.0f} s")


def _fails(*command: str) -> bool:
    try:
        return bool(subprocess.run(command, capture_output=True, check=False).returncode)
    except OSError:
        return True


def _run(log, *command: str, cure: str = "") -> None:  # noqa: ANN001 - a file
    try:
        failed = subprocess.run(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, check=False).returncode
    except KeyboardInterrupt:
        sys.exit("\nThe set-up was interrupted; run make again to complete it.")
    if failed:
        text = LOG.read_text(encoding="utf-8", errors="replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        met = [line for line in lines if line.lower().startswith("error: ") and "exited" not in line] or lines
        why = (
            "no package index can be reached" if UNREACHED.search(text) else "".join([*met[-1:], cure and f" ({cure})"])
        )
        sys.exit(f"\nThe set-up failed: {why}. The whole log is {LOG}; run make again after.")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
