"""Documents of OpenCode in a log: odd ones, masked ones, logs that were changed, and what happened since the import."""

import json

import pytest

from brim.conversation.tool_pairs import results_of
from brim.errors import InvalidInput
from brim.sessions.importing import import_transcript
from brim.sessions.opencode_records import REFERENCE, document_of, foreign_fields
from brim.sessions.records import CompactionRecord, ForeignRecord, MessageRecord, SummaryRecord
from brim.sessions.store import open_store
from brim.sessions.tree_layout import export_tree, import_tree
from brim.transcripts import read_transcript, view

WORDS = "The parser is in parser.py, and it has been there from the beginning."
TOKENS = {"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}


def message(name, role, *parts, **fields):
    """A message as OpenCode writes it."""
    about = {"id": name, "role": role, "time": {"created": int(name.removeprefix("msg_"))}}
    return {"info": {**about, **fields}, "parts": [{"id": f"prt_{n}", **part} for n, part in enumerate(parts, 1)]}


def said(text):
    """A text."""
    return {"type": "text", "text": text}


def tool(call, output=WORDS):
    """A tool that answered."""
    ran = {"status": "completed", "input": {}, "output": output, "time": {"start": 1, "end": 2}}
    return {"type": "tool", "tool": "Read", "callID": call, "state": ran}


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    return open_store(tmp_path / "store")


@pytest.fixture
def export(tmp_path):
    """Write an export of OpenCode; its transcript."""

    def write(*messages, **session):
        path = tmp_path / "export.json"
        info = {"id": "ses_1", "projectID": "p", "time": {"created": 1}, **session}
        path.write_text(json.dumps({"info": info, "messages": messages}))
        return read_transcript(path)

    return write


def exported(store, name, folder):
    """The tree of a session: the info of its messages, and its parts."""
    with store.read(name) as session:
        export_tree(session, folder)
    rooms = ("message", "part")
    return [[json.loads(path.read_text()) for path in sorted((folder / room).rglob("*.json"))] for room in rooms]


@pytest.mark.parametrize(
    "document",
    [
        {"parts": [WORDS, {"text": WORDS}]},
        {"parts": [], REFERENCE: 0},
        {"parts": [{REFERENCE: WORDS}]},
        {"parts": [WORDS[:39], None, 1.5, True]},
    ],
)
def test_a_document_comes_back_word_for_word(document):
    """Also one that has a key like that of a reference."""
    record = MessageRecord(id="a", time=1, message={"role": "user", "content": WORDS})
    kept = ForeignRecord(id="b", time=1, format="opencode", **foreign_fields(document, [record]))
    assert document_of(kept, {"a": record}) == document


def test_a_text_is_in_the_log_once(store, export):
    """A long text of a message is a reference in what is kept beside it."""
    made = import_transcript(store, export(message("msg_1", "user", said(WORDS))))
    assert store.read(made.session).journal.path.read_text().count(WORDS) == 1


@pytest.mark.parametrize("document", [{"x": {REFERENCE: 3}}, {"x": {REFERENCE: "a"}}, {"x": {REFERENCE: []}}])
@pytest.mark.parametrize(("held", "texts"), [(("gone",), 1), ((), 0), (("a",), 1)])
def test_a_reference_that_leads_nowhere(document, held, texts):
    """A log that somebody changed is refused in one line."""
    record = MessageRecord(id="a", time=1, message={"role": "user", "content": WORDS})
    kept = ForeignRecord(id="b", time=1, format="opencode", document=document, held=held, texts=texts)
    with pytest.raises(InvalidInput, match="a record"):
        document_of(kept, {"a": record})


def test_masked_ids(store, export, tmp_path):
    """Messages and parts whose ids were masked alike are files of their own, in their order."""
    masked = [message("msg_1", "user", said("one"), said("two")), message("msg_2", "user", said("three"))]
    for one in masked:
        one["info"]["id"] = "REDACTED"
        for part in one["parts"]:
            part["id"] = "REDACTED"
    made = import_transcript(store, export(*masked))
    infos, parts = exported(store, made.session, tmp_path / "tree")
    assert [part["text"] for part in parts] == ["one", "two", "three"]
    assert len({info["id"] for info in infos}) == 2


def test_parts_without_an_id(store, export, tmp_path):
    """A part of version 2 has no id of its own, and gets one in a tree."""
    asked = message("msg_1", "user") | {"parts": [said("one")]}
    made = import_transcript(store, export(asked))
    _, (part,) = exported(store, made.session, tmp_path / "tree")
    assert part["id"] == "prt_1_00001"


@pytest.mark.parametrize("name", ["../../x", "", "a/b", 7])
def test_ids_that_are_no_names_of_files(store, export, tmp_path, name):
    """A session, a project, a parent or a message whose id leads elsewhere gets another one in the tree."""
    odd = message("msg_1", "user", said("one"))
    odd["info"]["id"] = name
    made = import_transcript(store, export(odd, id=f"ses_{name}", projectID=name, parentID=f"ses_{name}"))
    infos, parts = exported(store, made.session, tmp_path / "out" / "tree")
    assert (len(infos), parts[0]["text"]) == (1, "one")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["tree"]


@pytest.fixture
def compacted(store, export):
    """A session of OpenCode that was compacted there."""
    told = {"modelID": "gpt-5", "tokens": TOKENS}
    return import_transcript(
        store,
        export(
            message("msg_1", "user", said("one")),
            message("msg_2", "user", {"type": "compaction", "auto": True}),
            message("msg_3", "assistant", said(WORDS), summary=True, finish="stop", parentID="msg_2", **told),
        ),
    ).session


def test_a_compaction_that_was_undone_since(store, compacted, tmp_path):
    """Its marker and its summary are no messages of the tree; the whole log comes back from it all the same."""
    with store.open(compacted) as session:
        session.undo()
    infos, _ = exported(store, compacted, tmp_path / "tree")
    assert [info["id"] for info in infos] == ["msg_1"]
    again = import_tree(store, tmp_path / "tree").session
    kinds = [[record.kind for record in store.read(name).records()] for name in (compacted, again)]
    assert kinds[0] == kinds[1]


def test_a_compaction_since(store, export, tmp_path):
    """Its marker is behind OpenCode's messages, and names the tail by the id that OpenCode knows."""
    told = [message("msg_1", "user", said("one")), message("msg_2", "user", said("two"))]
    made = import_transcript(store, export(*told))
    with store.open(made.session) as session:
        tail = [record.id for record in session.records() if isinstance(record, MessageRecord)][1]
        summary = SummaryRecord(content="S", generated=1, summarized=1, tokens_before=1)
        session.write(CompactionRecord, summary=summary, tail=tail, automatic=False)
    infos, parts = exported(store, made.session, tmp_path / "tree")
    marker = next(part for part in parts if part["type"] == "compaction")
    assert (marker["tail_start_id"], marker["auto"]) == ("msg_2", False)
    assert [info["id"] for info in sorted(infos, key=lambda one: one["time"]["created"])][:2] == ["msg_1", "msg_2"]


def test_a_revert_within_an_answer(store, export, tmp_path):
    """What the answer did before the part that the user went back to is still sent, and all of it is in the tree."""
    parts = [tool("c1", "first"), tool("c2", "second")]
    answer = message("msg_2", "assistant", *parts, tokens=TOKENS, finish="stop")
    revert = {"messageID": "msg_2", "partID": "prt_2"}
    transcript = export(message("msg_1", "user", said("go")), answer, revert=revert)
    assert [one.role for one in view(transcript).messages] == ["user", "assistant", "user"]
    made = import_transcript(store, transcript)
    with store.read(made.session) as session:
        assert [one.text for told in session.view().messages for one in results_of(told)] == ["first"]
    assert [part.get("callID") for part in exported(store, made.session, tmp_path / "tree")[1]] == [None, "c1", "c2"]


def test_a_revert_to_before_a_compaction(export):
    """A compaction that the user took back is none: what it had replaced is sent."""
    told = {"modelID": "gpt-5", "tokens": TOKENS}
    transcript = export(
        message("msg_1", "user", said("one")),
        message("msg_2", "user", {"type": "compaction", "auto": True}),
        message("msg_3", "assistant", said(WORDS), summary=True, finish="stop", parentID="msg_2", **told),
        revert={"messageID": "msg_2"},
    )
    assert [one.text for one in view(transcript).messages] == ["one"]
