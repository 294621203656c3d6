"""What the tests of the site stand on: the site itself, built once; a browser."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from living.results import is_whole

from tests.site.visits import browser, visits  # noqa: F401  what a test of a page asks for
from tests.test_collector import tree  # noqa: F401  a small tree with the real collector in it

ROOT = Path(__file__).parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that opens a page needs Chromium, and one that builds a site needs to be asked for."""
    for item in items:
        for fixture, needed in (("browser", "chromium"), ("site", "site")):
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(needed)


@pytest.fixture(scope="session")
def site() -> Path:
    """The site of this version, as `make docs` builds it from the results of a whole run."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # a make around this run
    if not is_whole(results := ROOT / "build" / "rulebook.xml"):
        subprocess.run([sys.executable, "-m", "pytest", "features", f"--junitxml={results}"], cwd=ROOT, check=False)
    ran = subprocess.run(["make", "docs"], cwd=ROOT, env=own, capture_output=True, text=True, check=False)
    if ran.returncode:
        pytest.fail(ran.stdout + ran.stderr, pytrace=False)
    return ROOT / "build" / "site"
