"""Steps of features/sessions/tree_layout.feature."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from pytest_bdd import given, parsers, then, when

from brim.conversation.tool_pairs import results_of
from brim.errors import StoreFailed
from brim.pruning.tool_outputs import Output, Pruning
from brim.sessions.importing import import_transcript, new_session
from brim.sessions.records import CarriedRecord, MessageRecord
from brim.sessions.tree_layout import export_tree, import_tree
from brim.transcripts import read_transcript
from steps.stored_sessions import tool_turn, turns, user
from steps.vocabulary import attempt, phrase

PNG = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


class Tree:
    """A tree of files, and the session file in it."""

    def __init__(self, root, path=None):
        self.root, self.path = root, path

    @property
    def log(self):
        """The log in it."""
        (path,) = (self.root / "brim").glob("*.jsonl")
        return path

    def files(self, room):
        """The files of a room."""
        return sorted((self.root / room).rglob("*.json"))

    def read(self, room):
        """What they hold."""
        return [json.loads(path.read_text()) for path in self.files(room)]

    def change(self, path, update):
        """Change one by hand."""
        path.write_text(json.dumps(update(json.loads(path.read_text()))))


def written(shelf):
    root = shelf.place.beside / "tree"
    with shelf.store.read(shelf.name) as session:
        return Tree(root, export_tree(session, root))


def view_of(shelf, name):
    with shelf.store.read(name) as session:
        return session.view()


def raws(view):
    return [one.raw for one in view.messages]


def said(datatable):
    _, *rows = datatable
    return [{"role": speaker, "content": [{"type": "text", "text": says}]} for speaker, says in rows]


@given(phrase('a session of the project "{project:Quoted}" with'))
def session_with(shelf, project, datatable):
    shelf.make(said(datatable), project=project)


@given(phrase("a session with {content}"))
def with_content(shelf, content):
    CONTENTS[content](shelf)


def undone(shelf):
    shelf.make(turns(40))
    shelf.compact()
    shelf.session.undo()


def cleared(shelf):
    shelf.make([*tool_turn("A"), *turns(1)])
    view = shelf.open().view()
    outputs = [Output(n, 0, one.call_id, 1) for n, message in enumerate(view.messages) for one in results_of(message)]
    shelf.session.pruned(Pruning(tuple(outputs), 1, "by hand"))


def with_changes(shelf):
    def draft(drafts):
        drafts.add(MessageRecord, message=user())
        drafts.add(CarriedRecord, kind="session_diff", diffs=[{"file": "a.py", "additions": 1, "deletions": 0}])

    shelf.name = new_session(shelf.store, draft).session.session
    shelf.remember()


QUESTION = {"type": "text", "text": "What is it?"}
CONTENTS = {
    "a tool that answered": lambda shelf: shelf.make(tool_turn("A")),
    "an open call": lambda shelf: shelf.make(list(tool_turn("A"))[:2]),
    "an image": lambda shelf: shelf.make([user([PNG, QUESTION])]),
    "a block of an unknown kind": lambda shelf: shelf.make([user([{"type": "hologram", "depth": 3}, QUESTION])]),
    "an undone compaction": undone,
    "a cleared output": cleared,
    "changes to files": with_changes,
}


@given(phrase('a session called "{title:Quoted}" of the project "{project:Quoted}" with the model "{model:Quoted}"'))
def described(shelf, title, project, model):
    shelf.make(turns(1), title=title, project=project, model=model)


@given(phrase("a session of {count:Count} questions and their answers"))
def questions(shelf, count):
    speakers = (("user", "Question {}?"), ("assistant", "Answer {}."))
    shelf.make(said([(), *((who, says.format(n)) for n in range(1, count + 1) for who, says in speakers)]))


@given("it was written as a tree", target_fixture="tree")
def was_written(shelf):
    return written(shelf)


@given(parsers.re(r'OpenCode (?P<did>[^"]+?)(?: "(?P<words>[^"]*)")?$'))
def opencode_did(tree, did, words):
    DONE[did](tree, words)


def add_question(tree, words):
    *_, path = tree.files("message")
    info = json.loads(path.read_text()) | {"id": "msg_added", "role": "user", "time": {"created": 1_900_000_000_000}}
    path.with_name("msg_added.json").write_text(json.dumps(info))
    (tree.root / "part" / "msg_added").mkdir()
    part = {"id": "prt_1", "messageID": "msg_added", "sessionID": info["sessionID"], "type": "text", "text": words}
    (tree.root / "part" / "msg_added" / "prt_1.json").write_text(json.dumps(part))


def go_back(tree, _words):
    tree.change(tree.path, lambda info: info | {"revert": {"messageID": tree.read("message")[-2]["id"]}})


DONE = {
    "did nothing": lambda tree, words: None,
    "called it": lambda tree, words: tree.change(tree.path, lambda info: info | {"title": words}),
    "added the question": add_question,
    "changed the last text to": lambda tree, words: tree.change(
        tree.files("part")[-1], lambda part: part | {"text": words}
    ),
    "removed the last message": lambda tree, words: tree.files("message")[-1].unlink(),
    "went back to the last question": go_back,
}
"""What OpenCode does in a tree."""


@given(phrase("the tree has {fault}"))
def tree_has(tree, fault):
    FAULTS[fault](tree)


def of_version(version):
    return lambda tree: tree.change(tree.path, lambda info: info | {"brim": {"version": version}})


FAULTS = {
    "no messages": lambda tree: shutil.rmtree(tree.root / "message"),
    "no session": lambda tree: tree.path.unlink(),
    "no log": lambda tree: tree.log.unlink(),
    "a version that does not exist yet": of_version(99),
    'a session called "../../elsewhere"': lambda tree: tree.change(
        tree.path, lambda info: info | {"id": "../../elsewhere"}
    ),
}


@given(phrase('the folder "{folder:Quoted}" of its tree is a link to another folder'), target_fixture="elsewhere")
def linked(shelf, tmp_path, folder):
    link = shelf.place.beside / "tree" / folder.replace("SESSION", f"ses_{shelf.name}")
    link.parent.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link.symlink_to(elsewhere)
    return elsewhere


@then("the link is named as one that is not followed, and the other folder is empty")
def check_empty(outcome, elsewhere):
    assert isinstance(outcome, StoreFailed)
    assert "it is a link, and links inside a store are not followed" in str(outcome)
    assert list(elsewhere.iterdir()) == []


@when("it is written as a tree", target_fixture="outcome")
def write(shelf):
    return attempt(written, shelf)


@when("that tree is read", target_fixture="outcome")
def read(shelf, tree):
    return attempt(import_tree, shelf.store, tree.path)


@when("that tree is read, and the newest change is undone", target_fixture="outcome")
def read_and_undo(shelf, tree):
    outcome = import_tree(shelf.store, tree.path)
    with shelf.store.open(outcome.session) as session:
        session.undo()
    return outcome


@when("that tree is read as a session of OpenCode", target_fixture="outcome")
def read_foreign(shelf, tree):
    return import_transcript(shelf.store, read_transcript(tree.path))


@pytest.fixture
def tree(outcome):
    """The tree that was written, where writing it is what the scenario is about."""
    return outcome


@then("the tree holds")
def check_rooms(tree, datatable):
    _, *rows = datatable
    assert [[room, below, str(len(tree.files(room)))] for room, below, _ in rows] == rows
    assert all(len(path.relative_to(tree.root).parts) == 3 for room, *_ in rows for path in tree.files(room))


@then("the tree has the log of the session, byte for byte")
def check_log_beside(shelf, tree):
    assert tree.log.read_bytes() == shelf.log.read_bytes()


@then(phrase('the new session shows {count:Count} messages, the last "{words:Quoted}"'))
def check_last(shelf, outcome, count, words):
    shown = view_of(shelf, outcome.session).messages
    assert (len(shown), shown[-1].text) == (count, words)


@then("its log begins with that of the old one")
def check_log_kept(shelf, outcome):
    lines = [place.read_bytes().splitlines() for place in map(shelf.place.log_of, (shelf.name, outcome.session))]
    assert lines[1][1 : len(lines[0])] == lines[0][1:]
    assert shelf.store.info(outcome.session).created == shelf.store.info(shelf.name).created


@then(phrase("the new session has the same {names}"))
def check_about(shelf, outcome, names):
    old, new = (shelf.store.info(name) for name in (shelf.name, outcome.session))
    assert all(getattr(new, name) == getattr(old, name) for name in re.findall(r"title|project|model|parent", names))


@then(phrase('the new session is called "{title:Quoted}"'))
def check_title(shelf, outcome, title):
    assert shelf.store.info(outcome.session).title == title


@then("the changes to files lie beside")
def check_changes(tree):
    assert tree.files("session_diff") == [tree.root / "session_diff" / tree.path.name]


@then("one part tells the tool, what it was given and what it answered")
def check_tool(tree):
    (part,) = [part for part in tree.read("part") if part["type"] == "tool"]
    assert (part["tool"], part["state"]["input"]["command"], part["state"]["status"]) == ("Bash", "ls", "completed")


@then("no other part is of a tool")
def check_no_other(tree):
    assert [part["type"] for part in tree.read("part")] == ["text", "tool", "text"]


@then("a message of the user asks for a compaction")
def check_asks(tree):
    assert [part["type"] for part in tree.read("part")].count("compaction") == 1


@then("a finished summary answers it")
def check_answers(tree):
    asked = next(part["messageID"] for part in tree.read("part") if part["type"] == "compaction")
    (summary,) = [info for info in tree.read("message") if info.get("summary")]
    assert (summary["parentID"], summary["finish"]) == (asked, "stop")


@then("the new session shows what the old one shows")
def check_same(shelf, outcome):
    assert raws(view_of(shelf, outcome.session)) == raws(shelf.view())
    assert view_of(shelf, outcome.session).usages == shelf.view().usages


@then("the new session shows what the old one showed before the compaction")
def check_undone(shelf, outcome):
    assert raws(view_of(shelf, outcome.session)) == raws(shelf.shown)


@then("the new session shows")
def check_shows(shelf, outcome, datatable):
    assert raws(view_of(shelf, outcome.session)) == said(datatable)
