"""The clock of the machine, which stands still from the moment that a scenario names and moves where it says so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from freezegun import api, freeze_time
from parse import with_pattern
from pytest_bdd import given

from steps.vocabulary import phrase, tokens

RUNNING = (
    "_pytest.timing",
    "anthropic",
    "brim.sessions.sql.log",
    "brim.sessions.sql.server",
    "filelock",
    "httpx2",
    "psycopg",
    "sqlalchemy",
    "subprocess",
)
"""Modules for which the clock goes on: they measure how long something takes, or read a model of times when first used.

What they call sees the true time too, up to five calls away, so that nothing belongs here that calls brim.
"""


# freezegun 1.5 lists the names of thousands of modules, each time, to see whether one has changed: their number tells.
api._get_module_attributes_hash = lambda module: f"{id(module)}-{len(vars(module))}"  # noqa: SLF001


@with_pattern(r"\d{4}-\d\d-\d\d \d\d:\d\d")
def moment(text: str) -> datetime:
    """A moment of universal time: 2026-03-01 12:00."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@with_pattern(r"(?:an?|\d[\d,]*) (?:second|minute|hour|day)s?")
def span(text: str) -> timedelta:
    """A length of time: a second, 2 minutes, 47 hours."""
    count, unit = text.split()
    return timedelta(**{f"{unit.rstrip('s')}s": 1 if count in {"a", "an"} else tokens(count)})


@with_pattern(rf"stands still|goes (?:on|back) by {span.pattern}")
def move(text: str) -> timedelta:
    """What a clock does: goes on by a second, stands still, goes back by an hour."""
    ahead, _, length = text.partition(" by ")
    return timedelta() if not length else -span(length) if ahead == "goes back" else span(length)


TIMES = {"Moment": moment, "Span": span, "Move": move}


def milliseconds(time: datetime) -> int:
    """A moment as brim records it."""
    return int(time.timestamp() * 1_000)


def frozen(time: datetime):
    """The clock of the machine, which stands still at a moment as long as the context lasts."""
    return freeze_time(time, ignore=[*RUNNING], real_asyncio=True)


@given(phrase("it is {time:Moment}", TIMES), target_fixture="clock")
def stand_still(time):
    with frozen(time) as clock:
        yield clock


@given(phrase("{length:Span} pass", TIMES))
def pass_by(clock, length):
    clock.tick(length)


@given(phrase("the clock {way:Move}", TIMES))
def move_clock(clock, way):
    clock.tick(way)
