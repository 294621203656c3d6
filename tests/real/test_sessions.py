"""Real sessions of every format: imported, exported and imported again they give the same conversation (SES_14)."""

import json
import re
from dataclasses import replace

import pytest

from brim.cli import main
from brim.conversation.messages import Text, Thinking, ToolCall, ToolResult, sendable
from brim.conversation.tool_pairs import pair_tools
from brim.conversation.turns import begins_turn
from brim.sessions.expand import expand
from brim.sessions.file_store import FileStore
from brim.sessions.full_text import ANYWHERE, Query
from brim.sessions.importing import anthropic_messages, import_transcript
from brim.sessions.search import SearchIndex, search
from brim.sessions.tree_layout import export_tree, import_tree
from brim.testing.strictness import complaints
from brim.transcripts import read_transcript, view
from brim.transcripts.inspection import inspect_transcript
from brim.transcripts.window import reported, window_of
from tests.real.test_transcripts import SAMPLE

pytestmark = pytest.mark.transcripts


@pytest.fixture
def store(tmp_path):
    """A store with nothing in it."""
    return FileStore(tmp_path / "home")


@pytest.fixture(params=SAMPLE, ids=lambda name: name.rpartition("/")[2])
def transcript(real, request):
    """One transcript after the other."""
    return real(request.param)


def view_in(store, name):
    """What a session shows."""
    session = store.read(name)
    try:
        return session.view()
    finally:
        session.close()


def unsigned(message):
    """The thinking of a message that carries no signature."""
    thinking = (part.raw for part in message.parts if type(part) is Thinking)
    return [raw for raw in thinking if raw["type"] == "thinking" and not raw.get("signature")]


def raws(messages):
    """Messages as the API has them."""
    return [dict(message.raw) for message in messages]


def thoughtless(messages):
    """Messages without thinking; those that hold nothing else are left out."""
    kept = (message.without_kind(Thinking) for message in messages)
    return raws(message for message in kept if message.parts)


def as_sent(transcript):
    """What the other tool's model saw, as it can be sent: its calls paired, nothing in it that the API refuses."""
    return pair_tools(sendable(view(transcript).messages).messages).messages


def test_a_transcript_shows_what_its_model_saw(transcript, store):
    """What a session made of it shows is what the model saw last, but for thinking that a compaction unbound."""
    shown = view_in(store, import_transcript(store, transcript).session)
    assert thoughtless(shown.messages) == thoughtless(as_sent(transcript))
    if not transcript.compactions:
        assert raws(shown.messages) == raws(as_sent(transcript))


def test_the_turns_of_the_index_are_those_of_the_search(transcript, store):
    """An identifier that an earlier compaction replaced is found in the turns that the next index names."""
    name = import_transcript(store, transcript).session
    index = SearchIndex(store)
    for known in (view_in(store, name).identifiers, window_of(transcript).identifiers):
        for one in known.found[:20]:
            hits = index.passages(Query(f'"{one.text}"'), name, where=ANYWHERE, limit=1_000)
            assert {turn for stretch in one.turns for turn in stretch} <= {hit.about.turn for hit in hits}


def test_exported_and_imported_again_it_is_the_same(transcript, store, tmp_path):
    """Exported as Anthropic messages and imported again it gives the same conversation."""
    shown = view_in(store, import_transcript(store, transcript).session)
    path = tmp_path / "messages.json"
    request = anthropic_messages(shown).request
    path.write_text(json.dumps(request), encoding="utf-8")
    again = view_in(store, import_transcript(store, read_transcript(path)).session)
    assert raws(again.messages) == request["messages"]
    assert thoughtless(again.messages)[-len(thoughtless(shown.messages)) :] == thoughtless(shown.messages)


def test_resumed_it_is_what_the_api_accepts(transcript, store, tmp_path, capfd):
    """The command writes messages without a fault, whatever the other tool recorded, and shows as many as it writes."""
    name = import_transcript(store, transcript).session
    path = tmp_path / "next.json"
    assert main(["sessions", "resume", name, "-o", str(path), "--store", str(tmp_path / "home")]) == 0
    request = json.loads(path.read_text(encoding="utf-8"))
    assert complaints(request["messages"]) == []
    page = capfd.readouterr().out
    assert f"{len(request['messages'])} message" in page.rpartition("Written to")[2]
    count = sum(bool(unsigned(message)) for message in view_in(store, name).messages)
    assert ("thinking without a signature" in " ".join(page.split())) == (count > 0)


def test_through_the_tree_it_is_the_same(transcript, store, tmp_path):
    """Written as a tree of files and read from it, it gives the same conversation, and the same once undone."""
    name = import_transcript(store, transcript).session
    session = store.read(name)
    path = export_tree(session, tmp_path / "tree")
    again = import_tree(store, path).session
    assert view_in(store, again).messages == view_in(store, name).messages
    assert kinds_in(store, again) == kinds_in(store, name)


def test_the_tree_is_read_as_an_opencode_session(transcript, store, tmp_path):
    """The reader of OpenCode's sessions finds what was said before anything was compacted."""
    plain = replace(transcript, compactions=())
    name = import_transcript(store, plain).session
    found = read_transcript(export_tree(store.read(name), tmp_path / "tree"))
    assert said(pair_tools(found.messages).messages) == said(view_in(store, name).messages)


def test_the_last_measure_is_known(transcript, store):
    """The usage that measured the window in the file measures it in the session."""
    measured = view(transcript).measured
    usages = view_in(store, import_transcript(store, transcript).session).usages
    assert (usages[-1].usage if usages else None) == (reported(measured) if measured is not None else None)


def test_every_summary_opens(transcript, store):
    """Each compaction that the file tells of opens into messages of the log, or into an earlier one."""
    name = import_transcript(store, transcript).session
    made = [record.id for record in store.read(name).records() if record.kind == "compaction"]
    whole = [expand(store, name, one).whole for one in made]
    assert all(len(one) > 0 for one in whole) or transcript.compactions[0].after_message == 0


def test_the_size_before_is_the_one_that_is_inspected(transcript, store):
    """Each summary names the size before it that the file records, or else the one that brim inspect measures."""
    inspected = inspect_transcript(transcript).compactions
    replacing = [one for one in transcript.compactions if one.opening]
    sizes = {one.line: one.recorded or one.held for one in inspected}
    made = store.read(import_transcript(store, transcript).session).records()
    shown = [record.summary.tokens_before for record in made if record.kind == "compaction"]
    assert shown == [sizes[one.line] for one in replacing]


def test_what_was_said_is_found(transcript, store):
    """The first words that a user said are found in the turn that they began."""
    name = import_transcript(store, transcript).session
    first = next(one for one in store.read(name).records() if one.kind == "message" and begins_turn(one.value))
    words = re.findall(r"\w+", first.value.text)[:8]
    found = search(SearchIndex(store), " ".join(words), limit=1_000)
    assert first.id in {hit.record for hit in found if hit.turn == 1}


def kinds_in(store, name):
    """The kinds of the records of a session."""
    return [record.kind for record in store.read(name).records()]


def said(messages):
    """All texts of a conversation that are not blank, and the ids of its calls and of what answered them."""
    parts = [part for message in messages for part in message.parts]
    texts = "".join(part.text for part in parts if type(part) is Text)
    return (
        "".join(texts.split()),
        [part.id for part in parts if type(part) is ToolCall and not part.server],
        sorted(part.call_id for part in parts if type(part) is ToolResult),
    )
