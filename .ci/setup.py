"""Sets up .venv with the package and, where one is named, an extra: `python3 .ci/setup.py STAMP [EXTRA]`.

The stamp is written last, so that an interrupted set-up is done again. Two set-ups at once wait for each other.
"""

import fcntl
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
OLDEST = (3, 11)
SETTINGS = "pyproject.toml"


def main(stamp: Path, extra: str = "") -> None:
    """Install what is missing. Exits with one line where Python is too old or has no venv."""
    if sys.version_info < OLDEST:
        sys.exit(f"brim needs Python {'.'.join(map(str, OLDEST))} or newer; this is {sys.version.split()[0]}")
    with (ROOT / ".venv.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another set-up of .venv", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_current(stamp):
            _install(f".[{extra}]" if extra else ".")
            stamp.touch()


def _is_current(stamp: Path) -> bool:
    return stamp.exists() and stamp.stat().st_mtime >= (ROOT / SETTINGS).stat().st_mtime


def _install(what: str) -> None:
    print(f"Installing {what} into .venv", flush=True)
    if not _has_pip():
        _run(
            [sys.executable, "-m", "venv", "--clear", str(VENV)], "Install Python's venv module (Debian: python3-venv)"
        )
    install = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--editable", what]
    _run(install, "The lines above say what pip met")


def _has_pip() -> bool:
    asked = [str(PYTHON), "-m", "pip", "--version"]
    return PYTHON.exists() and not subprocess.run(asked, capture_output=True, check=False).returncode


def _run(command: list[str], cure: str) -> None:
    try:
        failed = subprocess.run(command, cwd=ROOT, check=False).returncode
    except KeyboardInterrupt:
        sys.exit("The set-up was interrupted; run make again to complete it.")
    if failed:
        sys.exit(f"The set-up stopped at `{' '.join(command[1:4])}`. {cure}; then run make again.")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
