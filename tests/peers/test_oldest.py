"""The adapters with the oldest versions of other packages that the extras take, in an environment of their own."""

import os
import re
import subprocess
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTED = ("tests/adapters", "tests/openai_sdk", "features/adapters")
TOOLS = ("freezegun", "gherkin-official", "hypothesis", "pytest", "respx")


@pytest.mark.nightly
@pytest.mark.timeout(3_600)
def test_the_adapters_work_with_the_oldest_versions_that_are_allowed(tmp_path):
    """Lower a requirement only as far as this holds."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras, groups = settings["project"]["optional-dependencies"], settings["dependency-groups"]
    oldest = [re.sub(r">=([\d.]+).*", r"==\1", extras[name][0]) for name in ("openai", "pydantic-ai")]
    needed = [one for group in groups.values() for one in group if isinstance(one, str)]
    tools = [one for one in needed if one.startswith(TOOLS)]
    venv.create(tmp_path, with_pip=True)
    python = tmp_path / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", *oldest, *tools, f"{ROOT}[langchain]"]
    subprocess.run(install, check=True)
    samples = {name: value for name, value in os.environ.items() if name != "BRIM_NIGHTLY"}
    test = [python, "-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider", *TESTED]
    subprocess.run(test, cwd=ROOT, env=samples, check=True)
