"""Jobs of hooks: each fails by itself, and none works for long."""

import signal
import threading

import pytest

from brim.errors import Refused
from brim.hooks import events
from brim.hooks.events import HookInput, OutOfTime, run_jobs, time_limit

GIVEN = HookInput("session-start", None, "compact")


def test_a_job_that_works_for_too_long_is_stopped() -> None:
    """By an error that says after how long."""
    with pytest.raises(OutOfTime, match=r"given up after 0\.01 s of work"), time_limit(0.01, 60):
        while True:
            pass


def test_a_job_that_waits_for_too_long_is_stopped() -> None:
    """A read that does not return takes no time of the processor."""
    with pytest.raises(OutOfTime, match=r"given up after 0\.01 s, so"), time_limit(60, 0.01):
        threading.Event().wait(30)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_limit_holds_where_python_ignores_the_error_that_it_raises() -> None:
    """Python only reports what is raised while an object is deleted."""

    class SlowToDelete:
        def __del__(self) -> None:
            threading.Event().wait(0.2)

    with pytest.raises(OutOfTime, match=r"given up after 0\.01 s, so"), time_limit(60, 0.01):
        SlowToDelete()
        threading.Event().wait(30)


def test_a_signal_that_comes_while_the_limit_ends_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error there would leave the timer on, which would end whatever comes after it."""
    set_timer = signal.setitimer

    def with_late_signal(which: int, seconds: float, interval: float = 0) -> object:
        if seconds == 0:
            signal.raise_signal(signal.SIGALRM)
        return set_timer(which, seconds, interval)

    monkeypatch.setattr(signal, "setitimer", with_late_signal)
    with time_limit(60, 60):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_what_ends_in_time_is_not_stopped_later() -> None:
    """The limit ends with the work."""
    with time_limit(0.05, 0.05):
        pass
    assert sum(range(5_000_000)) > 0


@pytest.mark.parametrize(
    ("failing", "note"),
    [
        (Refused("no room"), "no room"),
        (RecursionError(), "the job first failed: RecursionError"),
        (ZeroDivisionError("by 0"), "the job first failed: ZeroDivisionError: by 0"),
    ],
)
def test_a_job_that_fails_does_not_stop_the_others(monkeypatch, failing, note) -> None:
    """Its failure is a note."""

    def first(_given, _note):
        raise failing

    monkeypatch.setattr(events, "JOBS", {"first": first, "second": lambda _given, _note: "the tide"})
    answer = run_jobs(GIVEN, ["first", "second"])
    assert answer.context == "the tide"
    assert answer.notes == (note,)


def test_the_texts_of_two_jobs_are_one(monkeypatch) -> None:
    """With an empty line between them."""
    jobs = {"first": lambda _given, _note: "the ferry", "second": lambda _given, _note: "the tide"}
    monkeypatch.setattr(events, "JOBS", jobs)
    assert run_jobs(GIVEN, ["first", "second"]).context == "the ferry\n\nthe tide"
