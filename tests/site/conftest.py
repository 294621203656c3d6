"""What the tests of the site stand on: the site itself, built once; a small project with its own; a browser."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from living.results import is_whole

from tests.preloaded import Preloaded
from tests.site.small_project import ROOT, SmallProject
from tests.site.visits import browser, visits  # noqa: F401  what a test of a page asks for
from tests.test_collector import tree  # noqa: F401  a small tree with the real collector in it

SPHINX = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "--quiet", "--jobs", "auto"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that opens a page needs Chromium, and one that builds a site needs to be asked for."""
    for item in items:
        for fixture, needed in (("browser", "chromium"), ("site", "site"), ("sphinx", "site")):
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(needed)


@pytest.fixture(scope="session")
def sphinx() -> Iterator[Preloaded]:
    """Builds sites, with what every build imports imported already."""
    with Preloaded("sphinx.cmd.build", "myst_parser.sphinx_ext.main", "pydata_sphinx_theme") as it:
        yield it


@pytest.fixture
def project(tree, sphinx):  # noqa: F811
    """A small project, its features run, and pages for its site."""
    made = SmallProject(tree, sphinx)
    made.furnish()
    made.run()
    return made


@pytest.fixture(scope="session")
def site() -> Path:
    """The site of this version, as `make docs` builds it from the results of a whole run."""
    if not is_whole(results := ROOT / "build" / "rulebook.xml"):
        subprocess.run([sys.executable, "-m", "pytest", "features", f"--junitxml={results}"], cwd=ROOT, check=False)
    _make(["make", "docs"])
    return ROOT / "build" / "site"


@pytest.fixture(scope="session")
def site_from_nothing(tmp_path_factory) -> Path:
    """The site, built in another folder by a process that has read nothing before."""
    folder = tmp_path_factory.mktemp("site")
    _make([*SPHINX, "--doctree-dir", str(folder / "read"), "docs", str(folder / "html")])
    return folder / "html"


def _make(command: list[str]) -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # a make around this run
    ran = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, check=False)
    if ran.returncode:
        pytest.fail(ran.stdout + ran.stderr, pytrace=False)
