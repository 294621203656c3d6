"""Steps of features/hooks/events.feature."""

from __future__ import annotations

import gc
import json

from pytest_bdd import given, then, when

from brim.hooks import events
from steps.foreign_transcripts import cline
from steps.hooked_sessions import *  # noqa: F403  sessions while their hooks run
from steps.vocabulary import phrase

TOLD = {"session_id": "s", "hook_event_name": "SessionStart", "source": "compact"}
FIELDS = {
    'the event "PreCompact"': {"hook_event_name": "PreCompact"},
    'no "transcript_path"': {"transcript_path": None},
    'a "transcript_path" that is a number': {"transcript_path": 5},
    'the "transcript_path" "~nobody-here/a"': {"transcript_path": "~nobody-here/a"},
}
FILES = {
    "an empty file as transcript": b"",
    "a file of zeros as transcript": bytes(9_000),
    "a transcript of Cline": json.dumps(cline()).encode(),
}


def hook_input(machine, what: str) -> bytes:
    """What the agent gives a hook."""
    if what.startswith('the text "'):
        return what.removeprefix('the text "').removesuffix('"').encode()
    if what == "100,000 opening brackets":
        return b"[" * 100_000
    file = machine.home / "session.jsonl"
    if what in FILES:
        file.write_bytes(FILES[what])
    told = {"transcript_path": str(machine.home if what == "a folder as transcript" else file)}
    return json.dumps({**TOLD, **told, **FIELDS.get(what, {})}).encode()


@given("the agent names a link to the transcript")
def link(session, machine):
    session.named = machine.home / "link.jsonl"
    session.named.symlink_to(session.transcript)


@given(phrase('the agent names the transcript as "{name:Quoted}"'))
def name_transcript(session, name):
    session.named = name


LIMITS = {"0.01 s of work": {"CPU_SECONDS": 0.01}, "0.01 s": {"WAIT_SECONDS": 0.01}}


@given(phrase("a hook has {time}"))
def limit(monkeypatch, time):
    for name, seconds in LIMITS[time].items():
        monkeypatch.setattr(events, name, seconds)
    gc.collect(1)  # what earlier examples left is not deleted in the hook's time


@when(phrase("the hook of the session's start is given {what}"), target_fixture="answer")
def give(machine, what):
    return machine.run("hook", "session-start", given=hook_input(machine, what))


@when(phrase('the session starts with the source "{source:Quoted}"'), target_fixture="answer")
def start(session, source):
    return session.hook("session-start", source=source)


@when(
    phrase('the session starts again after the compaction, with the options "{options:Quoted}"'),
    target_fixture="answer",
)
def start_with(session, options):
    return session.hook("session-start", *options.split(), source="compact")


@then("it exits with 0 and adds nothing")
def check_nothing_added(answer):
    assert (answer.code, answer.out) == (0, "")


@then(phrase('its one line on standard error says "{text:Quoted}"'))
def check_one_line(answer, text):
    assert text in answer.error
    assert answer.error.startswith("brim hook session-start: ")
    assert answer.error.count("\n") == 1


@then("it writes nothing on standard error")
def check_silent(answer):
    assert answer.error == ""


@then(phrase('standard error says "{text:Quoted}"'))
def check_said(answer, text):
    assert text in answer.error
    assert bool(answer.error) == bool(text)


@then(phrase('the answer is additional context for the event "{event:Quoted}"'))
def check_form(answer, event):
    assert answer.error == ""
    told = json.loads(answer.out)
    assert told.keys() == {"hookSpecificOutput"}
    assert told["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
    assert told["hookSpecificOutput"]["hookEventName"] == event
