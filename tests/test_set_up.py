"""The set-up of a clone, where the network is not there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from steps.prerequisites import sized

ROOT = Path(__file__).parents[1]
NOWHERE = "http://127.0.0.1:9/simple"


@pytest.mark.parametrize("installer", sized(["uv"], nightly=["uv", "pip"]))
def test_without_a_network_one_line_says_so(tmp_path, installer):
    """Whichever installs, the line says that no index was reached, and names the log."""
    if installer == "uv" and shutil.which("uv") is None:
        pytest.skip("uv is not installed")
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "setup.py", tmp_path / ".ci")
    (tmp_path / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\n[project]\nname = "b"\nversion = "1"\n'
    )
    path = os.environ["PATH"] if installer == "uv" else "/usr/bin:/bin"
    closed = {"UV_DEFAULT_INDEX": NOWHERE, "UV_HTTP_RETRIES": "0", "UV_CACHE_DIR": str(tmp_path / "cache")}
    closed |= {"PIP_INDEX_URL": NOWHERE, "PIP_RETRIES": "1", "PIP_CONFIG_FILE": os.devnull}
    done = subprocess.run(
        [sys.executable, tmp_path / ".ci" / "setup.py", tmp_path / ".venv" / ".package"],
        env={"PATH": path, "HOME": str(tmp_path), **closed}, capture_output=True, text=True, check=False, timeout=110,
    )  # fmt: skip
    log = tmp_path / "build" / "setup.log"
    assert (done.returncode, done.stderr) == (
        1, f"\nThe set-up failed: no package index can be reached. The whole log is {log}; run make again after.\n",
    )  # fmt: skip
