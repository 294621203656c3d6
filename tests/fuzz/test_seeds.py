"""The targets still fit brim: each takes the inputs that its corpus begins with."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import TARGETS

CODE = "from tests.fuzz import {0}\nfor seed in {0}.seeds(): {0}.once(seed)"


@pytest.mark.nightly
@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_its_seeds(name):
    """Run them in a process of its own, since a target puts itself in place of the network."""
    command = [sys.executable, "-W", "error:brim cannot read", "-c", CODE.format(name)]
    subprocess.run(command, cwd=Path(__file__).parents[2], check=True)
