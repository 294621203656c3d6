"""A window of the browser that writes down all that a page asks for and complains of."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from steps import prerequisites

QUIETLY = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

WITHIN_THE_PAGE = ("data:", "blob:", "about:")


class Visits:
    """Pages of one site in one window. `requests` are the addresses asked for, `complaints` what the console says, a
    request that fails among it.
    """

    def __init__(
        self, browser: Browser, home: str, *, theme: str = "light", width: int = 1_280, height: int = 800
    ) -> None:
        self.home = home.rstrip("/")
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": height})
        self._context.set_default_timeout(20_000)
        self.page = self._context.new_page()
        self._context.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self._complain(f"thrown: {error}"))
        self.page.on("console", lambda said: said.type in {"error", "warning"} and self._complain(said.text))

    def go(self, path: str) -> Page:
        """Open a page of the site, with its query and anchor."""
        self.page.goto(f"{self.home}/{path}", wait_until="load")
        return self.page

    def left_the_site(self) -> list[str]:
        """The requests that went elsewhere."""
        return [one for one in self.requests if not one.startswith((f"{self.home}/", *WITHIN_THE_PAGE))]

    def close(self) -> None:
        """Close the window."""
        self._context.close()

    def _complain(self, met: str) -> None:
        self.complaints.append(f"{self.page.url.removeprefix(self.home)}: {met}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. It leaves with its module, because its loop is in the way of tests that run one."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=prerequisites.browser(), args=QUIETLY)
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
