"""What the tests of the site stand on: the site itself, built once; a small project with its own; a browser."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from living.whole import is_whole
from playwright.sync_api import Browser, sync_playwright

from tests.site.small_project import ROOT, SmallProject
from tests.site.source_pages import PAGES, S0
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


@pytest.fixture
def furnished(project):
    """The small project with pages about its sources, its features run."""
    limits, shelves = "features/store/limits.feature", "features/store/shelves.feature"
    project.tree.edit(limits, "Source: a document.", "Source: a document (S0, section 1).")
    project.tree.edit(shelves, "Source: a document.", "Source: the document on edges (S0, on edges).")
    for path, text in PAGES.items():
        if path.startswith("docs/"):
            project.tree.write(path, text)
    project.tree.edit(S0, "falls. | LIM_02;", "falls. | LIM_02, SHV_01;")
    pages = ("rulebook/index", "sources/s0", "sources/field", "decisions/index", "rulebook/planned")
    contents = "\n".join(("```{toctree}", *pages, "```"))
    prose = "A shelf (LIM_02, `LIM_01`) by decision 0001."
    project.tree.write("docs/index.md", f"# A small project\n\n{prose}\n\n{contents}\n")
    project.run()
    return project


@pytest.fixture(scope="session")
def results(tmp_path_factory) -> Path:
    """The results of this version: those of `make docs` where they are, or of a run of their own."""
    file = ROOT / "build" / "rulebook.xml"
    if not is_whole(file):
        file = tmp_path_factory.mktemp("results") / "rulebook.xml"
        command = [sys.executable, "-m", "pytest", "features", "-q", "-p", "no:cacheprovider", f"--junitxml={file}"]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if ran.returncode not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
            pytest.fail(ran.stdout + ran.stderr, pytrace=False)
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


def _start(folder: Path, results: Path) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "--jobs",
        "2",
        "-D",
        f"living_results={results}",
    ]
    return subprocess.Popen(
        [*command, "-d", str(folder / "read"), "docs", str(folder / "html")],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
