"""Steps of features/sessions/tree_layout.feature."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import stat
from errno import ENOSPC

from pytest_bdd import given, parsers, then, when

from brim.conversation.tool_pairs import results_of
from brim.errors import StoreFailed
from brim.pruning.tool_outputs import Output, Pruning
from brim.sessions.importing import new_session
from brim.sessions.records import CarriedRecord, MessageRecord
from brim.sessions.tree_import import import_tree
from brim.sessions.tree_layout import export_tree
from brim.tokens.usage import TokenUsage
from steps.stored_sessions import tool_turn, turns, user
from steps.vocabulary import attempt, phrase

PNG = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


IDS = {"any": "any", "one of 128 characters": "a" * 128, "one that begins as OpenCode's": "ses_any"}


class Tree:
    """A tree of files, and the session file in it."""

    def __init__(self, root, path=None):
        self.root, self.path = root, path

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


@given("a session in which a tool was called")
def with_tool(shelf):
    shelf.make(tool_turn("A"))


@given("a session in which a tool failed")
def with_failure(shelf):
    block = {"type": "tool_result", "tool_use_id": "A", "content": "No such file.", "is_error": True}
    shelf.make([*list(tool_turn("A"))[:2], {"role": "user", "content": [block]}])


@given("a session that ends with a call")
def with_open_call(shelf):
    shelf.make(list(tool_turn("A"))[:2])


@given("a session with an image")
def with_image(shelf):
    shelf.make([{"role": "user", "content": [PNG, {"type": "text", "text": "What is it?"}]}])


@given("a session with a block of an unknown kind")
def with_unknown(shelf):
    shelf.make([{"role": "user", "content": [{"type": "hologram", "depth": 3}, {"type": "text", "text": "Look."}]}])


@given("a session whose compaction was undone")
def undone(shelf):
    shelf.make(turns(40))
    shelf.compact()
    shelf.session.undo()


@given("a session whose old output was cleared")
def cleared(shelf):
    shelf.make([*tool_turn("A"), *turns(1)])
    view = shelf.open().view()
    outputs = [Output(n, 0, one.call_id, 1) for n, message in enumerate(view.messages) for one in results_of(message)]
    shelf.session.pruned(Pruning(tuple(outputs), 1, "by hand"))


@given("a session of 4 turns that went back to its turn 2")
def went_back(shelf):
    shelf.make(turns(4))
    shelf.open().rewind([one.id for one in shelf.records() if isinstance(one, MessageRecord)][3])


@given("a session with a measured answer")
def measured(shelf):
    shelf.make(turns(2))
    shelf.open().record(TokenUsage(input=1_000, output=10, cache_read=200), model="some-model")


@given("a session that carries changes to files")
def with_changes(shelf):
    def draft(drafts):
        drafts.add(MessageRecord, message=user())
        drafts.add(CarriedRecord, kind="session_diff", diffs=[{"file": "a.py", "additions": 1, "deletions": 0}])

    shelf.name = new_session(shelf.store, draft).session.session
    shelf.remember()


@given(phrase('a session called "{title:Quoted}" of the project "{project:Quoted}" with the model "{model:Quoted}"'))
def described(shelf, title, project, model):
    shelf.make(turns(1), title=title, project=project, model=model)


@given("a tree that knows nothing of brim, of", target_fixture="tree")
def foreign_tree(shelf, datatable):
    shelf.make(said(datatable))
    return forgotten(written(shelf))


def forgotten(tree):
    """The tree without a word of brim."""
    for path in (*tree.files("session"), *tree.files("message")):
        tree.change(path, lambda info: {name: value for name, value in info.items() if name != "brim"})
    return tree


@given(phrase("a session of {count:Count} turns that was written as a tree"), target_fixture="tree")
def written_tree(shelf, count):
    shelf.make(turns(count))
    return written(shelf)


@given("its messages are gone")
def messages_gone(tree):
    shutil.rmtree(tree.root / "message")


@given("its session is gone")
def session_gone(tree):
    tree.path.unlink()


@given("it is of a version that does not exist yet")
def newer(tree):
    tree.change(tree.path, lambda info: info | {"brim": info["brim"] | {"version": 99}})


@given("what brim keeps in it was changed")
def changed(tree):
    tree.change(tree.path, lambda info: info | {"brim": {"version": 1, "records": [{"kind": "undo"}]}})


@given("a message is named in place of the session")
def message_named(tree):
    tree.path = tree.files("message")[0]


@given(phrase('a tree whose session is called "{name:Quoted}"'), target_fixture="tree")
def hostile(shelf, name):
    shelf.make(turns(1))
    tree = forgotten(written(shelf))
    tree.change(tree.path, lambda info: info | {"id": name})
    return tree


@given("a session that went on with another model")
def another_model(shelf):
    shelf.make(turns(1), model="some-model")
    shelf.open().use_model("other-model")


@given(phrase("a session whose id is {name}, and that of its parent {parent}"))
def named(shelf, name, parent):
    shelf.make(turns(1), name=IDS[name], parent=IDS[parent])


@given(
    phrase(
        "a session of {count:Count} turns of which {files:Count} files were written into a tree, "
        "and then 2 messages taken back"
    )
)
def broken_off(shelf, monkeypatch, count, files):
    shelf.make(turns(count))
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", only(files))
        assert isinstance(attempt(written, shelf), StoreFailed)
    shelf.open().rewind([one.id for one in shelf.records() if isinstance(one, MessageRecord)][1])
    shelf.close()


def only(files, write_all=os.write):
    """Write so many files, and then no more: the disk is full."""
    numbers = itertools.count(1)

    def write(file, data):
        if next(numbers) > files:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        return write_all(file, data)

    return write


@given("its session is gone, and what brim keeps beside")
def left_by_another(tree):
    tree.path.unlink()
    shutil.rmtree(tree.root / "brim")


@given("a file of what brim keeps in it is gone")
def file_gone(tree):
    tree.files("brim")[0].unlink()


@given(parsers.re("the tree holds (?P<thing>a .*)"), target_fixture="beside")
def tree_with(shelf, tmp_path, thing):
    root, name = shelf.place.beside / "tree", f"ses_{shelf.name}"
    (tmp_path / "precious").mkdir()
    kept = [tmp_path / "precious" / "thesis.txt", root / "keep" / "thesis.txt"]
    if thing.startswith("a message file"):
        (root / "message" / name / "...json").write_text("{}", encoding="utf-8")
    else:
        (root / "message" / name / "msg_other.json").write_text("{}", encoding="utf-8")
        (root / "part" / "msg_other").symlink_to(tmp_path / "precious")
    (root / "keep").mkdir()
    for path in kept:
        path.write_text("my thesis", encoding="utf-8")
    return kept


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


@then("nothing beside what an export wrote has changed")
def check_beside(beside):
    assert [path.read_text(encoding="utf-8") for path in beside] == ["my thesis"] * 2


@when("it is written as a tree once more", target_fixture="outcome")
def write_once_more(shelf):
    return attempt(written, shelf)


@when("it is written as a tree", target_fixture="tree")
def write(shelf):
    return written(shelf)


@when("it is written as a tree 2 times", target_fixture="outcome")
def write_twice(shelf):
    written(shelf)
    return attempt(written, shelf)


@when("it is written as a tree and read from it", target_fixture="outcome")
def write_and_read(shelf):
    return import_tree(shelf.store, written(shelf).path)


@when("it is written as a tree, read from it, and the compaction undone there", target_fixture="outcome")
def write_read_undo(shelf):
    outcome = import_tree(shelf.store, written(shelf).path)
    with shelf.store.open(outcome.session) as session:
        session.undo()
    return outcome


@when("it is written as a tree, and read by one who knows nothing of brim", target_fixture="outcome")
def write_and_read_foreign(shelf):
    return import_tree(shelf.store, forgotten(written(shelf)).path)


@when("that tree is read", target_fixture="outcome")
def read(shelf, tree):
    return attempt(import_tree, shelf.store, tree.path)


@then("the tree holds")
def check_rooms(tree, datatable):
    _, *rows = datatable
    assert [[room, below, str(len(tree.files(room)))] for room, below, _ in rows] == rows
    assert all(len(path.relative_to(tree.root).parts) == 3 for room, *_ in rows for path in tree.files(room))


@then("the new session has the same parent")
def check_parent(shelf, outcome):
    assert shelf.store.info(outcome.session).parent == shelf.store.info(shelf.name).parent


@then("the tree holds what one holds that was written at once")
def check_whole(shelf, tmp_path):
    with shelf.store.read(shelf.name) as session:
        export_tree(session, tmp_path / "at once")
    again = written_files(tmp_path / "at once")
    assert written_files(shelf.place.beside / "tree") == again


def written_files(root):
    """The files of a tree, with what they hold."""
    return {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}


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


@then(phrase("the tree holds {count:Count} messages"))
def check_messages(tree, count):
    assert len(tree.files("message")) == count


@then("nobody else can read a file of it")
def check_private(tree):
    assert {stat.S_IMODE(path.stat().st_mode) for path in tree.root.rglob("*.json")} == {0o600}


@then("the new session shows what the old one shows")
def check_same(shelf, outcome):
    assert raws(view_of(shelf, outcome.session)) == raws(shelf.view())
    assert view_of(shelf, outcome.session).usages == shelf.view().usages


@then("its log tells the same in the same order")
def check_log(shelf, outcome):
    with shelf.store.read(outcome.session) as session:
        assert [one.kind for one in session.records()] == [one.kind for one in shelf.records()]


@then("the new session is called the same, and has the same project and model")
def check_about(shelf, outcome):
    infos = [shelf.store.info(name) for name in (outcome.session, shelf.name)]
    assert len({(info.title, info.project, info.model) for info in infos}) == 1


@then("the new session shows what the old one showed before the compaction")
def check_undone(shelf, outcome):
    assert raws(view_of(shelf, outcome.session)) == raws(shelf.shown)


@then("the new session shows")
def check_shows(shelf, outcome, datatable):
    assert raws(view_of(shelf, outcome.session)) == said(datatable)


@then("the new session shows the summary, and no more of the rest than the old one")
def check_summary(shelf, outcome):
    shown, old = view_of(shelf, outcome.session), shelf.view()
    assert any(shelf.made.summary == one.text for one in shown.messages)
    assert len(shown.messages) == len(old.messages) + 1


@then("every record of the new session is of the time it had")
def check_times(shelf, outcome):
    with shelf.store.read(outcome.session) as session:
        assert [record.time for record in session.records()] == [record.time for record in shelf.records()]
    assert shelf.store.info(outcome.session).created == shelf.store.info(shelf.name).created
