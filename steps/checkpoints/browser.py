"""Steps of features/checkpoints/browser.feature, on the application as Textual's own driver runs it."""

from __future__ import annotations

import asyncio
import re
from html import unescape

from pytest_bdd import given, parsers, then, when
from textual._compositor import Compositor

from brim.checkpoints import Checkpoints
from brim.checkpoints.browser import Browser
from brim.sessions import open_store
from steps.vocabulary import phrase

CELLS = re.compile(r'<text [^>]*?y="([\d.]+)"[^>]*>([^<]*)</text>')

paint = Compositor.render_update
# Textual paints after each message, and drops it where there is no terminal: what is looked at alone is painted.
Compositor.render_update = lambda self, full=False, **options: paint(self, full, **options) if full else None


STILL = 5
"""Looks in a row that find nothing to do, before the next key: a message passes on through four widgets."""


async def looked_at(checkpoints, width, keys, lines_high=30):
    """The lines of the screen after these keys, each pressed when what the one before began has ended."""
    app = Browser(checkpoints)
    app.animation_level = "none"
    async with app.run_test(size=(width, lines_high)) as pilot:
        await settled(app, pilot)
        for key in keys:
            app.simulate_key(key)
            await settled(app, pilot)
        lines = {}
        for height, text in CELLS.findall(app.export_screenshot()):
            lines.setdefault(height, []).append(unescape(text).replace("\N{NO-BREAK SPACE}", " "))
    return [re.sub(r"[│▌▐█]", "", "".join(pieces)).strip() for pieces in lines.values()]


async def settled(app, pilot):
    """Return when every message was taken and every act that one began has ended, however long that takes."""
    still = 0
    while still < STILL:
        await pilot.pause(0)  # each widget has taken the messages that it had
        waiting = [one for one in app.workers if not one.is_finished]
        # a difference that another one replaced was cancelled
        await asyncio.gather(*(one.wait() for one in waiting), return_exceptions=True)
        queued = any(one.message_queue_size for one in (app, *app.screen.walk_children(with_self=True)))
        still = 0 if waiting or queued else still + 1


@given(parsers.re("the agent (?P<state>writes|closed) the session"))
def keep_or_close(workshop, state):
    if state == "closed":
        workshop.session.close()


@when(
    parsers.re(
        r"the user opens (?P<which>the browser|a browser of his own)(?: (?P<width>\d+) columns wide)?"
        r'(?: and presses "(?P<keys>[^"]*)")?'
    ),
    target_fixture="screen",
)
def open_browser(workshop, which, width, keys):
    arguments = (int(width or 120), (keys or "").split())
    if which == "the browser":
        return asyncio.run(looked_at(workshop.checkpoints, *arguments))
    with open_store(workshop.home).read(workshop.session.id) as session:
        return asyncio.run(looked_at(Checkpoints(workshop.project, session, home=workshop.home), *arguments))


@then(phrase('the browser shows "{text:Quoted}"'))
def check_screen(screen, text):
    assert any(text in line for line in screen), "\n".join(screen)


@then(phrase('the browser does not show "{text:Quoted}"'))
def check_not_on_screen(screen, text):
    assert not any(text in line for line in screen), "\n".join(screen)
