"""Steps of features/checkpoints/browser.feature, on the application as Textual's own driver runs it."""

from __future__ import annotations

import asyncio
import re
from html import unescape

from pytest_bdd import given, then, when
from textual._compositor import Compositor

from brim.checkpoints import Checkpoints, CheckpointSettings
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


@given(phrase('the user made the checkpoint "{name:Quoted}" tagged "{tag:Quoted}"'))
def make_tagged(workshop, name, tag):
    workshop.checkpoints.create(name, tags=(tag,))


@given("a checkpoint whose name and tag hold escape sequences and markup")
def make_harmful(workshop):
    workshop.checkpoints.create("\x1b[31mred [b]name[/b]", tags=("\x1b]0;t\x07",))


@given("snapshots are off in the browser")
def turn_off(workshop):
    workshop.told["settings"] = CheckpointSettings(snapshots=False)


@given(phrase('a folder "{name:Quoted}" with an ignored file'))
def folder_with_ignored(workshop, name):
    workshop.write(".gitignore", "ignored\n")
    workshop.write(f"{name}/ignored")


@given(phrase("{count:Count} files are added that a checkpoint holds"))
def add_recorded(workshop, count):
    for number in range(1, count + 1):
        workshop.write(f"new{number}", "new\n")
    workshop.checkpoints.create("later")


@when(
    phrase(
        "the user opens the browser {width:Count} columns wide and {height:Count} lines high, "
        'and presses "{keys:Quoted}"'
    ),
    target_fixture="screen",
)
def open_low(workshop, width, height, keys):
    return asyncio.run(looked_at(workshop.checkpoints, width, keys.split(), height))


@then(phrase('the browser does not show "{text:Quoted}"'))
def check_not_on_screen(screen, text):
    assert not any(text in line for line in screen), "\n".join(screen)


@when(phrase("the user opens the browser {width:Count} columns wide"), target_fixture="screen")
def open_wide(workshop, width):
    return asyncio.run(looked_at(workshop.checkpoints, width, ()))


@given("the agent writes the session")
def keep_open(workshop):
    pass


@given("the agent closed the session")
def close(workshop):
    workshop.session.close()


@when(phrase('the user opens a browser of his own and presses "{keys:Quoted}"'), target_fixture="screen")
def open_reading(workshop, keys):
    with open_store(workshop.home).read(workshop.session.id) as session:
        checkpoints = Checkpoints(workshop.project, session, home=workshop.home)
        return asyncio.run(looked_at(checkpoints, 120, keys.split()))


@when(phrase('the user opens the browser and presses "{keys:Quoted}"'), target_fixture="screen")
def open_and_press(workshop, keys):
    return asyncio.run(looked_at(workshop.checkpoints, 120, keys.split()))


@then(phrase('the browser shows "{text:Quoted}"'))
def check_screen(screen, text):
    assert any(text in line for line in screen), "\n".join(screen)


@then(phrase('the file "{name:Quoted}" has the line "{held:Quoted}"'))
def check_line(workshop, name, held):
    assert (workshop.project / name).read_text() == f"{held}\n"


@then(phrase("the session has {count:Count} messages"))
def check_messages(workshop, count):
    assert len(workshop.session.view().messages) == count
