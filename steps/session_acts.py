"""Acts on a session, one after another, in the words that features of sessions share."""

from __future__ import annotations

from pytest_bdd import parsers, when

from brim.errors import BrimError
from brim.sessions.records import CompactionRecord, MessageRecord, ModelRecord, RewindRecord
from brim.tokens.usage import TokenUsage
from steps.stored_sessions import turns, user
from steps.vocabulary import attempt, each, several, tokens


def messages_of(shelf):
    """The records of its messages."""
    return [one.id for one in shelf.records() if isinstance(one, MessageRecord)]


def newest(shelf, kind):
    """Its newest record of a kind."""
    return [one.id for one in shelf.records() if isinstance(one, kind)][-1]


def open_anew(shelf):
    shelf.close()
    return shelf.open()


def resume(shelf):
    """Open it, and look at what is visible."""
    open_anew(shelf).view()
    return shelf.session


def undo(shelf, times):
    for _ in range(int(times or 1)):
        shelf.open().undo()


ACTS = {
    "the session is opened": lambda shelf: shelf.open(),
    "the session is opened anew": open_anew,
    "the session is read": lambda shelf: shelf.read(),
    "it is resumed": resume,
    'the user says (?:something|"([^"]*)")': lambda shelf, words: shelf.open().append(user(words or "Go on.")),
    'the model says "([^"]*)"': lambda shelf, words: shelf.open().append({"role": "assistant", "content": words}),
    r"([\d,]+) more turns follow": lambda shelf, count: shelf.open().extend(turns(tokens(count))),
    "a usage is reported": lambda shelf: shelf.open().record(TokenUsage(input=1_000, output=10)),
    "an old output is cleared": lambda shelf: shelf.clear(),
    "it goes on with another model": lambda shelf: shelf.open().write(ModelRecord, model="another-model"),
    'it is renamed(?: "([^"]*)")?': lambda shelf, title: shelf.open().rename(title or "Another title"),
    "it is compacted": lambda shelf: shelf.compact(),
    "a compaction of it fails": lambda shelf: shelf.open().failed("the provider failed"),
    r"the compaction is undone(?: (\d+) times)?": undo,
    "the undo is taken back": lambda shelf: shelf.open().redo(),
    r"it is rewound to message (\d+)": lambda shelf, number: shelf.open().rewind(messages_of(shelf)[int(number) - 1]),
    "the sessions are listed": lambda shelf: shelf.store.sessions(),
}
"""What is done to a session, by a program."""
COMMANDS = {
    r"brim rewinds it to turn (\d+)": lambda shelf, turn: ("rewind", shelf.name, turn),
    r"brim rewinds it to its message (\d+)": lambda shelf, number: (
        "rewind",
        shelf.name,
        messages_of(shelf)[int(number) - 1],
    ),
    'brim rewinds it to record "([^"]*)"': lambda shelf, name: ("rewind", shelf.name, name),
    "brim rewinds it to the compaction": lambda shelf: ("rewind", shelf.name, newest(shelf, CompactionRecord)),
    "brim lists the sessions": lambda _: ("list",),
    "brim undoes that": lambda shelf: ("undo", shelf.name),
    "brim redoes that": lambda shelf: ("redo", shelf.name),
    "brim shows it": lambda shelf: ("show", shelf.name),
    "brim shows what was rewound": lambda shelf: ("expand", shelf.name, newest(shelf, RewindRecord)),
    'brim searches for "([^"]*)"': lambda _, words: ("search", words),
}
"""What its user does, by the words that the command is called with."""


@when(parsers.re(f"(?P<acts>{several([*ACTS, *COMMANDS])})"), target_fixture="outcome")
def carry_out(shelf, run_sessions, monkeypatch, acts):
    """Each act but the last goes well."""
    monkeypatch.setenv("COLUMNS", "400")
    outcome = None
    for act, words in each(acts, [*ACTS, *COMMANDS]):
        assert not went_wrong(outcome), outcome
        outcome = attempt(ACTS[act], shelf, *words) if act in ACTS else run_sessions(*COMMANDS[act](shelf, *words))
    return outcome


def went_wrong(outcome):
    """Whether an act was refused, or a command did not end well."""
    return isinstance(outcome, BrimError) or (isinstance(outcome, tuple) and outcome[0] != 0)
