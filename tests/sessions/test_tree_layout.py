"""The tree: what a product reader need not see of it, and trees that somebody tampered with."""

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brim.conversation.messages import Marks
from brim.errors import BrimError, InvalidInput, Refused
from brim.sessions.tree_layout import export_tree, import_tree
from brim.transcripts import read_transcript
from steps.file_cells import contents
from steps.prerequisites import sized
from tests.sessions.memory import thinks, thought, user

TEXT = st.text(max_size=12)
BLOCKS = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, TEXT),
    st.builds(lambda text: {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}, TEXT),
    st.just(thought()),
    st.just({"type": "redacted_thinking", "data": "x"}),
    st.just({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}),
    st.just({"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}),
    st.just({"type": "compaction_marker"}),
    st.just({"type": "patch", "hash": "x", "files": []}),
    st.just({"type": "patch", "id": "prt_1", "hash": "x"}),
    st.just({"type": "hologram"}),
    st.builds(lambda n: {"type": "tool_use", "id": f"c{n}", "name": "Bash", "input": {"n": n}}, st.integers(0, 3)),
    st.builds(
        lambda n, content, failed: {"type": "tool_result", "tool_use_id": f"c{n}", "content": content} | failed,
        st.integers(0, 3),
        st.one_of(TEXT, st.just([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])),
        st.sampled_from([{}, {"is_error": True}, {"is_error": False}]),
    ),
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]), "content": st.one_of(TEXT, st.lists(BLOCKS, max_size=4))},
    optional={"id": st.just("msg_1")},
)


def written(store, messages, folder, **marks):
    """The tree of a session of these messages, and its name."""
    with store.create() as session:
        session.extend(messages, Marks(**marks))
        return session.id, export_tree(session, folder)


def messages_of(store, name):
    """All messages of a log, as they came."""
    with store.read(name) as session:
        return [(record.message, record.marks) for record in session.records() if record.kind == "message"]


@settings(suppress_health_check=list(HealthCheck), max_examples=sized(50, nightly=750))
@given(messages=st.lists(MESSAGES, max_size=6), pinned=st.booleans(), number=st.integers(0, 10**12))
def test_every_message_comes_back_as_it_was(store, tmp_path_factory, messages, pinned, number):
    """Whatever blocks a message holds, the very dictionary and its marks come back."""
    folder = tmp_path_factory.mktemp(f"tree{number}")
    name, path = written(store, messages, folder, pinned=pinned)
    again = import_tree(store, path).session
    assert messages_of(store, again) == messages_of(store, name)


def test_two_sessions_in_one_tree(store, tmp_path):
    """Each session is its own file, and reads its own messages."""
    paths = [written(store, [user(words)], tmp_path)[1] for words in ("first", "second")]
    texts = [messages_of(store, import_tree(store, path).session)[0][0]["content"] for path in paths]
    assert texts == ["first", "second"]
    with pytest.raises(InvalidInput, match="holds 2 sessions"):
        import_tree(store, tmp_path)


def test_a_parent_that_is_no_name_is_left_out(store, tmp_path):
    """No session has such an id; the session is read, and written again."""
    with store.create(name="child", parent="../../x") as session:
        path = export_tree(session, tmp_path / "one")
    again = import_tree(store, path).session
    assert store.info(again).parent is None
    with store.read(again) as session:
        export_tree(session, tmp_path / "two")


def test_what_an_unfinished_export_wrote_stays(store, tmp_path):
    """A further export is refused, and every file stays."""
    tree = tmp_path / "tree"
    with store.create() as session:
        session.append(user())
        export_tree(session, tree).unlink()
        before = contents(tree)
        with pytest.raises(Refused, match="of an unfinished export"):
            export_tree(session, tree)
    assert contents(tree) == before


@pytest.mark.parametrize("size", [246, 247, 300])
def test_an_id_that_is_too_long(store, tmp_path, size):
    """Of a session in a tree of OpenCode: one sentence, at the limit of the file system too."""
    _, path = written(store, [user()], tmp_path)
    change(path, id=f"ses_{'a' * size}", brim=None)
    with pytest.raises(InvalidInput, match="too long"):
        import_tree(store, path)
    with pytest.raises(InvalidInput, match="no message" if size == 246 else "too long for the name of a file"):
        read_transcript(path)


def change(path, **update):
    """Change a file of the tree by hand."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **update}))


TAMPERED = [
    {"brim": None},
    {"brim": {"version": None}},
    {"brim": {"version": 4}, "id": "../x"},
    {"brim": {"version": 4}, "id": "ses_other"},
    {"id": "../../x"},
    {"time": 7},
]


@pytest.mark.parametrize("update", TAMPERED, ids=str)
def test_a_session_that_was_tampered_with(store, tmp_path, update):
    """One sentence, and no session is made."""
    _, path = written(store, [user()], tmp_path)
    change(path, **update)
    with pytest.raises(BrimError):
        import_tree(store, path)
    assert len(store.sessions()) == 1


def gone(tree):
    """The text of the first message is gone."""
    min((tree / "part").rglob("*.json")).unlink()


def cut_short(tree):
    """Half of a part is there."""
    path = min((tree / "part").rglob("*.json"))
    path.write_text(path.read_text()[:20])


def nameless(tree):
    """A message whose id is none."""
    change(min((tree / "message").rglob("*.json")), id=["x"])


def another_field(tree):
    """A field that no export writes."""
    change(min((tree / "message").rglob("*.json")), brim=7)


@pytest.mark.parametrize("fault", [gone, cut_short, nameless, another_field])
def test_a_tree_whose_files_are_others(store, tmp_path, fault):
    """Whoever changed them: it is noted, and what they hold is read."""
    _, path = written(store, [user("It is in parser.py."), user("Where?")], tmp_path)
    fault(tmp_path)
    made = import_tree(store, path)
    assert "the files are no longer as brim exported them" in made.notes[-1]
    assert messages_of(store, made.session)[-1][0]["content"] == [{"type": "text", "text": "Where?"}]


def test_a_log_of_damaged_lines(store, tmp_path):
    """The damage is named, and the files have what is lost; without its first line it is no log."""
    _, path = written(store, [user("first"), user("second")], tmp_path)
    (log,) = (tmp_path / "brim").iterdir()
    first, second, third = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(first + second[:20] + b"\n" + third)
    made = import_tree(store, path)
    assert [note for note in made.notes if note.endswith(": not JSON")] != []
    assert [one["content"][0]["text"] for one, _ in messages_of(store, made.session)] == ["first", "second"]
    log.write_bytes(first[:20] + b"\n" + second + third)
    with pytest.raises(InvalidInput, match="does not begin with the record of a session"):
        import_tree(store, path)


ODD = st.sampled_from([None, True, 0, -1, 1e300, 10**30, "", "../../x", "a" * 300, [], {}, [[]], {"a": 1}])


def changed_within(value, draw):
    """A value of JSON in which one value, at any depth, is an odd one or gone."""
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 5)) == 0:
        return draw(ODD)
    place = draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
    copy = value.copy()
    if draw(st.integers(0, 5)):
        copy[place] = changed_within(copy[place], draw)
    else:
        del copy[place]
    return copy


@settings(suppress_health_check=list(HealthCheck), max_examples=sized(40, nightly=2_000))
@given(data=st.data())
def test_a_tree_from_somewhere_else(store, tmp_path_factory, data):
    """Whatever is wrong in a file or in a line of its log: it is imported, or refused in one line."""
    tree = tmp_path_factory.mktemp("tree")
    with store.create(project="/home/dev/parser") as session:
        first, *_ = session.extend([user("first"), thinks(), user("second")])
        session.rewind(first)
        export_tree(session, tree)
    path = data.draw(st.sampled_from(sorted(tree.rglob("*.json*"))))
    lines = path.read_text().splitlines()
    number = data.draw(st.integers(0, len(lines) - 1))
    lines[number] = json.dumps(changed_within(json.loads(lines[number]), data.draw))
    path.write_text("\n".join(lines) + "\n")
    try:
        made = import_tree(store, tree)
    except BrimError as error:
        assert "\n" not in str(error)
        return
    with store.read(made.session) as again, suppress(BrimError):
        again.view()
        export_tree(again, tmp_path_factory.mktemp("again"))


def test_a_tree_of_an_earlier_version(store, tmp_path):
    """It is not understood, and the way out is named."""
    _, path = written(store, [user()], tmp_path)
    change(path, brim={"version": 3, "records": 1})
    with pytest.raises(Refused, match="is of version 3, and this brim reads 4: export it anew"):
        import_tree(store, path)
