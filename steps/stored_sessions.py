"""Sessions in a store of their own, and the phrases about them that several features of sessions share."""

from __future__ import annotations

import resource
from contextlib import contextmanager

import pytest
from pytest_bdd import given, parsers, then

from brim.cli import main as brim
from brim.compaction.plan import plan_compaction
from brim.compaction.result import compact_without_model
from brim.conversation.messages import Thinking
from brim.conversation.tool_pairs import results_of
from brim.errors import BrimError
from brim.models import ModelLimits
from brim.pruning.tool_outputs import Output, Pruning
from brim.sessions.importing import import_transcript
from brim.sessions.records import MessageRecord
from brim.sessions.search import SearchIndex, search
from brim.sessions.store import open_store
from brim.tokens.usage import TokenUsage
from brim.transcripts import read_transcript
from steps.foreign_transcripts import write_transcript
from steps.policies import SMALL_TARGET
from steps.vocabulary import each, phrase, several, tokens

LIMITS = ModelLimits(context_window=6_000, max_output_tokens=1_000)
WORDS = "Words that do not matter. " * 12
ABOUT_FILES = "files: told of files alone; in a database something else stands in its place"


def pytest_configure(config):
    """The tag of what does not run on every store."""
    config.addinivalue_line("markers", ABOUT_FILES)


class Folder:
    """A folder that a store lies in."""

    def __init__(self, beside):
        self.beside = beside
        """Where files that are no sessions may lie."""
        self.where = beside / "home"
        """What the store is opened by."""

    def log_of(self, name):
        """The log of a session, to be looked at and changed from outside."""
        return next(self.where.glob(f"sessions/*/{name}.jsonl"))

    def is_empty(self):
        """Whether nothing was written."""
        return not self.where.exists()


@contextmanager
def nearly_full(size):
    """No file grows beyond a size, as on a disk that is full; the file that the tests report to neither."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


class Shelf:
    """A store with one session on it, and what is known of that from before."""

    def __init__(self, place):
        self.place = place
        self.store = open_store(place.where)
        self.session = self.name = self.before = self.shown = None
        self.compactions = []

    def make(self, messages, **about):
        """Make the session, fill it and close it."""
        with self.store.create(**about) as session:
            session.extend(messages)
            self.name = session.id
        return self.remember()

    def remember(self):
        """Know from here on how the log reads, and what is shown."""
        self.before = self.log.read_bytes()
        reader = self.store.read(self.name)
        self.shown = reader.view()
        reader.close()
        return self

    @property
    def log(self):
        """The log of the session."""
        return self.place.log_of(self.name)

    def open(self):
        """Open it to write."""
        if self.session is None:
            self.session = self.store.open(self.name)
        return self.session

    def read(self):
        """Open it to read."""
        self.session = self.store.read(self.name)
        return self.session

    def compact(self, **told):
        """Compact it by hand."""
        self.shown = self.open().view()
        window = self.shown.window(LIMITS, SMALL_TARGET)
        self.compactions.append(compact_without_model(plan_compaction(window)))
        return self.session.compacted(self.made, **told)

    @property
    def made(self):
        """The newest compaction of it."""
        return self.compactions[-1]

    def clear(self):
        """Clear every output that is shown."""
        view = self.open().view()
        found = [(n, one.call_id) for n, message in enumerate(view.messages) for one in results_of(message)]
        self.session.pruned(Pruning(tuple(Output(n, 0, call, 1) for n, call in found), 1, "by hand"))

    def view(self):
        """What it shows to whoever reads it."""
        reader = self.store.read(self.name)
        try:
            return reader.view()
        finally:
            reader.close()

    def records(self):
        """All its records."""
        reader = self.store.read(self.name)
        try:
            return list(reader.records())
        finally:
            reader.close()

    def close(self):
        """Close what is open."""
        if self.session is not None:
            self.session.close()
            self.session = None


@pytest.fixture
def place(tmp_path):
    """Where the store lies: a folder, unless whoever runs a feature puts another place here."""
    return Folder(tmp_path)


@pytest.fixture
def shelf(place):
    """A store with nothing on it yet."""
    shelf = Shelf(place)
    yield shelf
    shelf.close()
    shelf.store.close()


@pytest.fixture
def command(shelf, capsys, monkeypatch):
    """Runs `brim sessions` on the store, in 80 columns; what it prints."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments):
        assert brim(["sessions", *arguments, "--store", str(shelf.place.where)]) == 0
        return capsys.readouterr().out

    return run


@pytest.fixture
def run_sessions(shelf, capsys):
    """Runs `brim sessions` on the store; its exit code, output and error."""

    def run(*arguments):
        shelf.close()
        code = brim(["sessions", *arguments, "--store", str(shelf.place.where)])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def page(outcome):
    """What a command printed that ended well."""
    code, printed, error = outcome
    assert code == 0, error
    return printed


@pytest.fixture
def notes(outcome):
    """What an import says beside what it made."""
    return outcome.notes


@pytest.fixture
def reason(outcome):
    """Why an act was refused."""
    assert isinstance(outcome, BrimError), outcome
    return str(outcome)


@then(phrase('the import says "{note:Quoted}"'))
def check_note(notes, note):
    assert any(note in one for one in notes), notes


@then(phrase('it is refused, and the reason has "{words:Quoted}"'))
def check_reason(reason, words):
    assert words in reason


@then(phrase('the command is refused with "{error:Quoted}"'))
def check_command_refused(outcome, error):
    code, _, told = outcome
    assert (code, error in told) == (1, True), told


def user(text=WORDS):
    return {"role": "user", "content": text}


def turns(count, *, thinking=False):
    """Turns of a question and an answer each."""
    thought = [{"type": "thinking", "thinking": "Hm.", "signature": "signed"}] if thinking else []
    for number in range(1, count + 1):
        yield user(f"Look at file {number}. {WORDS}")
        yield {"role": "assistant", "content": [*thought, {"type": "text", "text": WORDS}]}


def tool_turn(name, output=WORDS):
    """A turn in which a tool was called."""
    call = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": "ls"}}
    yield user("What is there?")
    yield {"role": "assistant", "content": [call]}
    yield {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": output}]}
    yield {"role": "assistant", "content": "That is all."}


def rewind_to_turn(shelf, turn):
    shelf.open().rewind([one.id for one in shelf.records() if isinstance(one, MessageRecord)][2 * int(turn) - 1])


PAST = {
    "was compacted": lambda shelf: shelf.compact(),
    r"went on for ([\d,]+) turns": lambda shelf, count: shelf.open().extend(turns(tokens(count))),
    r"went back to its turn (\d+)": rewind_to_turn,
    "was searched": lambda shelf: search(SearchIndex(shelf.store), "look"),
    "lost its log": lambda shelf: shelf.log.unlink(),
}
"""What happened to a session, in the words that features share."""


@given(
    parsers.re(
        rf"a session of (?P<count>[\d,]+) turns?(?P<thinking> with thinking)?(?: that (?P<past>{several(PAST)}))?"
    )
)
def session_of_turns(shelf, count, thinking, past):
    """One that was compacted ends with a turn in which a tool was called, unless the model thinks."""
    last = tool_turn("A") if "was compacted" in (past or "") and not thinking else ()
    shelf.make([*turns(tokens(count), thinking=bool(thinking)), *last])
    for act, words in each(past or "", PAST):
        PAST[act](shelf, *words)
    shelf.close()
    if past is not None and "lost" not in past:
        shelf.before = shelf.log.read_bytes()


@given("these sessions, made a minute apart")
def these_sessions(shelf, clock, datatable):
    columns, *rows = datatable
    for row in rows:
        shelf.make([], **{name: value for name, value in zip(columns, row, strict=True) if value})
        clock.tick(60)


@given("a session whose old outputs were cleared")
def cleared_session(shelf):
    shelf.make(tool_turn("A"))
    shelf.clear()


@given(phrase("a session of {count:Count} turns whose model was measured at 2 characters a token"))
def measured_session(shelf, count):
    shelf.make([])
    for number in range(count):
        shelf.open().extend([user("Look. " * 1_000), {"role": "assistant", "content": "Done. " * 500}])
        shelf.session.record(TokenUsage(input=3_000 + 4_500 * number, output=1_500), model="claude-sonnet-5-5")
    shelf.close()
    shelf.remember()


def imported(shelf, path):
    """Import a transcript; what came of it."""
    made = import_transcript(shelf.store, read_transcript(path))
    shelf.name = made.session
    return made


@given(phrase("a session made of a transcript of {agent}"))
def made_of(shelf, tmp_path, agent):
    imported(shelf, write_transcript(tmp_path, agent))


@given("its second message is damaged")
def damage_second(shelf):
    lines = shelf.log.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2][: len(lines[2]) // 2] + b"\n"
    shelf.log.write_bytes(b"".join(lines))


@then(phrase("it shows {count:Count} messages"))
def check_shown(shelf, count):
    assert len(shelf.view().messages) == count


@then("it shows the conversation that the compaction made")
def check_made(shelf):
    assert [one.raw for one in shelf.view().messages] == shelf.made.messages


@then("it shows what it showed before")
@then("it shows what it showed before the compaction")
def check_shown_before(shelf):
    assert shelf.view() == shelf.shown


@then("nothing was written")
def check_nothing(shelf):
    assert shelf.place.is_empty()


@then("the log has not changed")
def check_log(shelf):
    assert shelf.log.read_bytes() == shelf.before


@then("the log begins with what it held before")
def check_grown(shelf):
    log = shelf.log.read_bytes()
    assert (log.startswith(shelf.before), len(log) > len(shelf.before)) == (True, True)


@then(phrase('the newest record is of the kind "{kind:Quoted}"'))
def check_kind(shelf, kind):
    assert shelf.records()[-1].kind == kind


@then(phrase('the page says "{words:Quoted}"'))
def check_page(page, words):
    assert words in page


def thinks(view):
    """Whether anything of what is shown is thinking."""
    return any(type(part) is Thinking for message in view.messages for part in message.parts)
