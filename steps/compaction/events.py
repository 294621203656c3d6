"""Steps of features/compaction/events.feature."""

from __future__ import annotations

import warnings

from pytest_bdd import given, then, when

from brim.compaction.events import MemoryUpdated
from steps.vocabulary import phrase


def failing(event):
    """A listener that fails at every event."""
    raise LookupError(event)


@given("a listener that fails at every event", target_fixture="options")
def failing_listener(options, events):
    return options | {"on_event": [failing, events.append]}


@when("the compactor compacts a conversation of 6 turns, and warnings are recorded", target_fixture="compaction")
def compact_and_record(compactor, caller_messages, noted):
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        compaction = compactor.compact(caller_messages)
    noted += met
    return compaction


@when(phrase('an event reports {lines:Count} new lines of the memory file "{path:Quoted}"'), target_fixture="text")
def report_memory(lines, path):
    return str(MemoryUpdated(path=path, lines=lines))


@then(phrase('its text is "{words:Quoted}"'))
def check_text(text, words):
    assert text == words


@then("the events read")
def check_events(events, datatable):
    assert [[str(event)] for event in events] == datatable


@then(phrase('the last event reads "{words:Quoted}"'))
def check_last_event(events, words):
    assert str(events[-1]) == words


@then(phrase("the event of the failure counts {attempts:Count} attempts"))
def check_attempts(events, attempts):
    assert [event.attempts for event in events if event.kind == "failed"] == [attempts]


@then("no event is emitted")
def check_silence(events):
    assert events == []


@then(phrase('the last event holds the summary that begins with "{words:Quoted}"'))
def check_summary(events, words):
    assert events[-1].summary.startswith(words)


@then("one warning names the failing listener")
def check_warned(noted):
    assert [str(warning.message).partition(":")[0] for warning in noted] == [
        "a listener failed, and goes on receiving events"
    ]
