"""An agent's session with a compaction, and the hooks of brim that run in it.

The records of a session are rows: what happened, and its text.
"""

from __future__ import annotations

import gc
import json
from importlib import import_module

from pytest_bdd import given, parsers, when

from steps.vocabulary import phrase


@given(phrase("a session in {agent}"), target_fixture="session")
def tell_session(machine, agent, datatable, monkeypatch):
    monkeypatch.setattr("brim.hooks.events.CPU_SECONDS", 60)  # a slow run takes longer than an agent waits
    session = import_module("steps.hooked_sessions").HookedSession(machine, agent)
    for record, text in datatable:
        session.add(record, text)
    session.write()
    return session


@given(phrase('the agent names the transcript "{name:Quoted}"'))
def name_transcript(session, name):
    session.named = name


@given(phrase("a hook has {time}"))
def limit(monkeypatch, time):
    monkeypatch.setattr(f"brim.hooks.events.{'CPU' if 'work' in time else 'WAIT'}_SECONDS", 0.01)
    gc.collect(1)  # what earlier examples left is not deleted in the hook's time


@when(
    parsers.re(r'the session starts(?: by "(?P<source>[^"]*)")?(?: with "(?P<options>[^"]*)")?'),
    target_fixture="outcome",
)
def start(session, source, options):
    return session.hook("session-start", *(options or "").split(), source=source or "compact")


@when(phrase('the prompt "{prompt:Quoted}" is submitted'), target_fixture="outcome")
def submit(session, prompt):
    return session.hook("user-prompt-submit", prompt=prompt)


@when(phrase('the hook of the start is given "{text:Quoted}"'), target_fixture="outcome")
def give(machine, text):
    answered = import_module("steps.hooked_sessions").answered
    if "transcript_path" in text or "hook_event_name" in text:
        text = json.dumps({"source": "compact", **json.loads("{" + text.replace("'", '"') + "}")})
    return answered(machine.run("hook", "session-start", given=text.encode()))
