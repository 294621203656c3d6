"""What the tests of the site stand on: the site itself, built once; a small project with its own; a browser."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from living.results import Results
from playwright.sync_api import Browser, sync_playwright

from steps.rulebook import read_features
from steps.verdicts import lines_of
from tests.site.small_project import ROOT, SmallProject
from tests.site.visits import Visits
from tests.test_collector import tree  # noqa: F401  a small tree with the real collector in it

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIETLY = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture
def project(tree):  # noqa: F811
    """A small project, its features run, and pages for its site."""
    made = SmallProject(tree)
    made.furnish()
    made.run()
    return made


@pytest.fixture(scope="session")
def results(tmp_path_factory) -> Path:
    """The results of this version: those of `make docs` where they are, or of a run of their own."""
    file = ROOT / "build" / "rulebook.xml"
    if not _are_whole(file):
        file = tmp_path_factory.mktemp("results") / "rulebook.xml"
        command = [sys.executable, "-m", "pytest", "features", "-q", "-p", "no:cacheprovider", f"--junitxml={file}"]
        subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    return file


@pytest.fixture(scope="session")
def two_sites(tmp_path_factory, results) -> tuple[Path, Path]:
    """The site, built twice at the same time, in processes that know nothing of each other."""
    folders = [tmp_path_factory.mktemp("site") for _ in range(2)]
    builds = [_start(folder, results) for folder in folders]
    told = [build.communicate()[0] for build in builds]
    if any(build.returncode for build in builds):
        pytest.fail(told[0], pytrace=False)
    return folders[0] / "html", folders[1] / "html"


@pytest.fixture(scope="session")
def site(two_sites) -> Path:
    """The site."""
    return two_sites[0]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. It leaves with its module, because its loop is in the way of tests that run one."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f"there is none of {', '.join(BROWSERS)} on the path")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=QUIETLY)
        yield running
        running.close()


@pytest.fixture
def visits(browser) -> Iterator[Callable[..., Visits]]:
    """A function that opens a window of the browser, in the theme and the width that it is told."""
    opened = []

    def open_window(home, **how):
        opened.append(Visits(browser, home, **how))
        return opened[-1]

    yield open_window
    for one in opened:
        one.close()


def _are_whole(file: Path) -> bool:
    results = Results.read(file)
    if not results.current:
        return False
    folder = ROOT / "features"
    features = {one.path.relative_to(folder).with_suffix("").as_posix(): one for one in read_features(folder)}
    places = ((name, line) for name, one in features.items() for each in one.scenarios for line in lines_of(each))
    return all(place in results.verdicts for place in places)


def _start(folder: Path, results: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-D", f"living_results={results}"]
    return subprocess.Popen(
        [*command, "-d", str(folder / "read"), "docs", str(folder / "html")],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
