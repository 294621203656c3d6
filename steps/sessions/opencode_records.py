"""Steps of features/sessions/opencode_records.feature."""

from __future__ import annotations

import copy
import json

import pytest
from pytest_bdd import given, then, when

from brim.pruning.tool_outputs import PLACEHOLDER
from brim.sessions.records import CompactionRecord, ForeignRecord, MessageRecord
from brim.sessions.store import open_store
from steps.imported_fields import AGAIN, ImportedSession
from steps.imported_fields import value_of as time_or_text
from steps.vocabulary import phrase

TOKENS = {"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}


def value_of(text):
    """A time of the day, a number, true or false, or else the words."""
    try:
        return json.loads(text)
    except ValueError:
        return time_or_text(text)


def put(document, field, value):
    """Set a field by its path; a number in the path is a place in a list."""
    *way, last = field.split(".")
    for name in way:
        document = document.setdefault(name, [] if last == "0" and name == way[-1] else {})
    if isinstance(document, list):
        document.append(value)
    else:
        document[last] = value


def text(words):
    return {"type": "text", "text": words}


class Written:
    """A session as OpenCode writes it, and which of its fields are looked for where."""

    def __init__(self, folder):
        self.root = folder / "storage"
        self.session = {"id": "ses_parser", "projectID": "global", "time": {"created": time_or_text("12:00:00")}}
        self.messages, self.diffs, self.rows = [], None, []
        self.ask("Where is the parser?")
        self.answer(text("In parser.py."))

    def ask(self, *words):
        """A message of the user."""
        self._add({"role": "user", "agent": "build"}, list(map(text, words)))
        return self.messages[-1]

    def answer(self, *parts, **fields):
        """An answer of these parts."""
        about = {"role": "assistant", "parentID": self.messages[-1]["info"]["id"], "finish": "stop", "cost": 0}
        about |= {"modelID": "gpt-5", "providerID": "openai", "tokens": copy.deepcopy(TOKENS)}
        self._add(about | fields, list(parts))
        return self.messages[-1]

    def _add(self, info, parts):
        number = len(self.messages) + 1
        about = {"id": f"msg_{number}", "time": {"created": time_or_text(f"12:00:{number:02}")}}
        self.messages.append({"info": about | info, "parts": parts})

    def set(self, document, rows):
        """Set fields, and know where each is looked for."""
        for field, value, place in rows:
            put(document, field, value_of(value))
            self.rows.append((field, value_of(value), place))

    def write(self):
        """Write the tree; the file of its session."""
        name = self.session["id"]
        path = self._file("session", self.session["projectID"], name, self.session)
        for message in self.messages:
            info = message["info"]
            info["sessionID"] = name
            self._file("message", name, info["id"], info)
            for number, part in enumerate(message["parts"], 1):
                part |= {"id": f"prt_{number}", "sessionID": name, "messageID": info["id"]}
                self._file("part", info["id"], part["id"], part)
        if self.diffs is not None:
            (self.root / "session_diff").mkdir()
            (self.root / "session_diff" / f"{name}.json").write_text(json.dumps(self.diffs))
        return path

    def _file(self, *way):
        *folders, name, value = way
        path = self.root.joinpath(*folders) / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
        return path


class Brim(ImportedSession):
    """What the commands say of an imported session, and the tree that was exported."""

    def __init__(self, machine, path, out):
        super().__init__(machine, machine.run("sessions", "import", path, "--json").json)
        self.machine, self.out = machine, out

    def export(self):
        """Write the tree."""
        answer = self.machine.run("sessions", "export", self.id, "--tree", "-o", self.out)
        assert answer.code == 0, answer.error
        return self

    def tree(self, folder):
        """The files of a folder of the tree without brim's own field, by the ids of what they hold."""
        found = [json.loads(path.read_text()) for path in sorted((self.out / folder).rglob("*.json"))]
        for one in found:
            one.pop("brim", None)
        return {(one.get("messageID"), one["id"]): one for one in found}


@pytest.fixture
def written(tmp_path):
    return Written(tmp_path)


@pytest.fixture
def rows(written):
    return written.rows


@given(phrase("OpenCode wrote {what} with"))
def wrote_fields(written, what, datatable):
    documents = {"a session": written.session} | {
        name: one["info"] for name, one in zip(("a message of the user", "an answer"), written.messages, strict=True)
    }
    if what == "a part of an answer":
        written.messages[1]["parts"].append(documents.setdefault(what, {}))
    written.set(documents[what], datatable[1:])


@given(phrase("OpenCode wrote a part of {message} of the type {kind} whose {field} is {value}"))
def wrote_one_field(written, message, kind, field, value):
    side = written.messages[{"a question": 0, "an answer": 1}[message]]
    side["parts"].append(part := {"type": kind})
    written.set(part, [(field, value, AGAIN)])


@given(phrase("OpenCode compacted the session, and {who} asked for it"))
def wrote_compaction(written, who):
    marker = written.ask()
    marker["parts"].append({"type": "compaction", "auto": who == "OpenCode", "overflow": False})
    written.answer(text("The parser is in parser.py."), summary=True, mode="compaction", cost=0.125)


@given(phrase("OpenCode compacted the first turn and kept an output, which it cleared {when}"))
def wrote_cleared_and_compacted(written, when):
    time = {"compacted": time_or_text({"before it": "12:00:05", "after it": "12:00:09"}[when])}
    kept = written.ask("Read it.")
    state = {"status": "completed", "input": {}, "output": "def parse(): ...", "time": time}
    written.answer({"type": "tool", "callID": "call_7", "tool": "read", "state": state})
    written.ask("Is it long?")
    written.answer(text("No."))
    marker = written.ask()
    marker["parts"].append({"type": "compaction", "auto": True, "tail_start_id": kept["info"]["id"]})
    written.answer(text("The parser is in parser.py."), summary=True, mode="compaction")


@given("OpenCode wrote changes to files beside the session")
def wrote_diffs(written):
    written.diffs = [{"file": "a.py", "additions": 1, "deletions": 0}]


@given(phrase('OpenCode wrote an answer of {parts} that ended with "{name:Quoted}" "{words:Quoted}"'))
def wrote_error(written, parts, name, words):
    started = [{"type": "step-start"}]
    said = [text("It is in")] if parts == "a text" else []
    written.answer(*started, *said, error={"name": name, "data": {"message": words}})


@given(phrase("OpenCode wrote {count:Count} questions and their answers"))
@given("OpenCode wrote 1 question and its answer")
def wrote_questions(written, count=1):
    for words in ("And the lexer?", "And the rest?")[: count - 1]:
        written.ask(words)
        written.answer(text("Beside it."))


MESSAGES = {"first question": 1, "last question": 5}


@given(phrase("the user went back to before the {message} in OpenCode"))
def went_back(written, message):
    patch = {"hash": "1ddbb3cd", "files": ["/home/dev/a"]}
    written.session["revert"] = {"messageID": f"msg_{MESSAGES[message]}", "patches": [patch]}


@given(phrase("it is imported, and then {what}"), target_fixture="brim")
def imported_and_changed(machine, written, tmp_path, what):
    brim = Brim(machine, written.write(), tmp_path / "out")
    with open_store().open(brim.id) as session:
        AFTERWARDS[what](session)
    return brim


AFTERWARDS = {
    "a question is added": lambda session: session.append({"role": "user", "content": "And now?"}),
    "the going back is undone": lambda session: session.undo(),
}


@given("a tree of OpenCode with a session and that of its sub-agent")
def wrote_child(written):
    written.write()
    written.session = {**written.session, "id": "ses_child", "parentID": "ses_parser"}


@when("it is imported and exported as a tree", target_fixture="brim")
def import_and_export(machine, written, tmp_path):
    return Brim(machine, written.write(), tmp_path / "out").export()


@when("it is exported as a tree")
def export(brim):
    brim.export()


@when("it is exported as a tree, OpenCode answers there, and the tree is imported", target_fixture="brim")
def answered_in_tree(machine, brim, written, tmp_path):
    (session,) = (brim.export().out / "session").rglob("*.json")
    answer = written.answer(text("Beside it."))
    answer["info"] |= {"id": "msg_9", "time": {"created": 1_900_000_000_000}}
    written.messages, written.root = [answer], brim.out
    before = session.read_text()
    written.session = json.loads(before)
    written.write()
    assert session.read_text() == before
    return Brim(machine, session, tmp_path / "again")


@when("both are imported", target_fixture="brim")
def import_both(machine, written, tmp_path):
    child = written.write()
    Brim(machine, child.with_name("ses_parser.json"), tmp_path / "out")
    return Brim(machine, child, tmp_path / "out")


@when("it is imported 2 times, and both are exported into one tree", target_fixture="second")
def export_twice(machine, written, tmp_path):
    path = written.write()
    first, second = (Brim(machine, path, tmp_path / "out") for _ in range(2))
    before = files(first.export().out)
    return machine.run("sessions", "export", second.id, "--tree", "-o", first.out), before, first.out


def files(root):
    return {path: path.read_bytes() for path in root.rglob("*.json")}


@then("the export has every field that OpenCode wrote")
def check_export(brim, written):
    sessions, messages, parts = map(brim.tree, ("session", "message", "part"))
    (session,) = sessions.values()
    assert session == written.session | {name: session[name] for name in ("title", "version", "projectID")}
    assert list(messages.values()) == [one["info"] for one in written.messages]
    assert list(parts.values()) == [part for one in written.messages for part in one["parts"]]


@then("the export has the changes to files")
def check_diffs(brim, written):
    assert json.loads((brim.out / "session_diff" / "ses_parser.json").read_text()) == written.diffs


@then(phrase("the compaction is one of the session that was {kind}"))
def check_compaction(brim, kind):
    assert [one["automatic"] for one in brim.show["changes"]] == [kind == "automatic"]


@then("its summary is marked as one, with its model and its cost")
def check_summary(brim):
    (made,) = brim.of(CompactionRecord)
    assert (made.summary.content, made.summary.model) == ("The parser is in parser.py.", "openai/gpt-5")
    assert (made.summary.cost, brim.show["cost"]) == (0.125, 0.125)
    assert any(copy.marks.summary for copy in made.opening)


@then("brim sends a placeholder in the place of that output")
def check_cleared(brim):
    assert brim.blocks("tool_result", "content") == [PLACEHOLDER]


@then(phrase("the summary says that it replaces {count:Count} messages"))
def check_replaced(brim, count):
    assert [one["summary"]["summarized"] for one in brim.show["changes"] if one["kind"] == "compaction"] == [count]


@pytest.fixture
def notes(brim):
    return brim.notes


@then("the tree says nothing of going back")
def check_no_revert(brim):
    (session,) = brim.tree("session").values()
    assert "revert" not in session
    assert any("revert" in one.document.get("session", {}) for one in brim.of(ForeignRecord))


@then(phrase("brim sends {count:Count} messages of {all_:Count} in the log"))
def check_sent(brim, count, all_):
    assert (len(brim.sent), len(brim.of(MessageRecord))) == (count, all_)


@then(phrase('brim sends "{words:Quoted}" last'))
def check_last_sent(brim, words):
    assert brim.sent[-1]["content"] == [text(words)]


@then(phrase('the tree holds {count:Count} messages, the last "{words:Quoted}"'))
def check_tree(brim, count, words):
    *before, last = sorted(brim.tree("message").values(), key=lambda one: one["time"]["created"])
    assert [one["id"] for one in before] == [f"msg_{number}" for number in range(1, count)]
    assert [one["text"] for one in brim.tree("part").values() if one["messageID"] == last["id"]] == [words]


@then("the session of the sub-agent is a child of the other")
def check_child(brim):
    assert (brim.show["id"], brim.show["parent"]) == ("ses_child", "ses_parser")


@then("the second export is refused, and the tree is as it was after the first")
def check_refused(second):
    answer, before, out = second
    assert "of another session already; name another folder" in answer.error
    assert files(out) == before
