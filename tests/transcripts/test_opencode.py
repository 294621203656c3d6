"""OpenCode: exports and the storage tree, compactions and prunings."""

import json

import pytest

from brim.conversation.messages import Marker, Media, Text, ToolCall, ToolResult
from brim.conversation.turns import find_turns
from brim.errors import InvalidInput
from brim.transcripts import read_transcript, view

TOKENS = {"input": 100, "output": 50, "reasoning": 0, "cache": {"read": 1000, "write": 0}, "total": 1150}


def text(words, **fields):
    """A text part."""
    return {"type": "text", "text": words, **fields}


def tool(call, output="done", *, status="completed", **fields):
    """A tool part."""
    state = {"status": status, "input": {"path": "a.py"}, "output": output, "time": {"start": 1, "end": 2}, **fields}
    return {"type": "tool", "tool": "read", "callID": call, "state": state}


def user(name, *parts, at=0):
    """A message of the user."""
    return {"info": {"id": name, "role": "user", "time": {"created": at}}, "parts": list(parts)}


def assistant(name, *parts, at=0, tokens=TOKENS, **fields):
    """A message of the assistant."""
    info = {
        "id": name, "role": "assistant", "time": {"created": at}, "modelID": "gpt-5", "providerID": "openai",
        "finish": "stop", "tokens": tokens, **fields,
    }  # fmt: skip
    step = [{"type": "step-start"}, *parts, {"type": "step-finish", "tokens": tokens}]
    return {"info": info, "parts": step}


def marker(**fields):
    """A compaction part."""
    return {"type": "compaction", "auto": True, **fields}


@pytest.fixture
def export(written):
    """Reads an export of messages."""

    def read(*messages):
        info = {"id": "ses_1", "projectID": "p", "version": "1.4.3", "time": {"created": 1}}
        return read_transcript(written({"info": info, "messages": list(messages)}))

    return read


def texts(seen):
    """The texts of a view."""
    return [message.text for message in seen.messages]


def test_an_export(export):
    """An export is a transcript: version, model, messages, one response an assistant message."""
    transcript = export(user("m1", text("go")), assistant("m2", text("Done.")))
    assert (transcript.format, transcript.version, transcript.model) == ("opencode", "1.4.3", "openai/gpt-5")
    assert [message.raw for message in transcript.messages] == [
        {"role": "user", "content": [{"type": "text", "text": "go"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
    ]
    assert transcript.responses[0].usage.total == 1150


def test_a_tool_part_is_a_call_and_its_result(export):
    """A tool part becomes the call in the answer, and its result in a user message after it."""
    transcript = export(user("m1", text("go")), assistant("m2", text("Look."), tool("c1", "x = 1"), tool("c2", "y")))
    assert [type(part) for part in transcript.messages[1].parts] == [Text, ToolCall, ToolCall]
    assert [(part.call_id, part.text) for part in transcript.messages[2].parts] == [("c1", "x = 1"), ("c2", "y")]


def test_tool_parts_that_failed_or_still_run(export):
    """A failed call has a failed result, an interrupted one what it had written, a running one none."""
    kept = {"metadata": {"interrupted": True, "output": "half"}}
    transcript = export(
        assistant(
            "m1",
            tool("c1", status="error", error="no such file"),
            tool("c2", status="error", error="aborted", **kept),
            tool("c3", status="running"),
        )
    )
    results = [(part.call_id, part.text, part.failed) for part in transcript.messages[1].parts]
    assert results == [("c1", "no such file", True), ("c2", "half", False)]


def test_reasoning_and_markers(export):
    """Reasoning is thinking, with a signature where there is one; a patch is a marker."""
    signed = {"type": "reasoning", "text": "hm", "metadata": {"anthropic": {"signature": "s"}}}
    transcript = export(assistant("m1", signed, {"type": "reasoning", "text": "so"}, {"type": "patch", "files": []}))
    parts = transcript.messages[0].parts
    assert [part.raw for part in parts[:2]] == [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "thinking", "thinking": "so"},
    ]
    assert type(parts[2]) is Marker


def test_files_and_attachments(export):
    """An image sent along is media, in a prompt as in a result; a file that was read into texts is a marker."""
    image = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,QUJD"}
    plain = {"type": "file", "mime": "text/plain", "url": "file:///a.py"}
    transcript = export(user("m1", text("see"), image, plain), assistant("m2", tool("c1", "ok", attachments=[image])))
    assert [type(part) for part in transcript.messages[0].parts] == [Text, Media, Marker]
    assert transcript.messages[0].parts[1].raw["source"]["data"] == "QUJD"
    assert [media.kind for media in transcript.messages[2].parts[0].media] == ["image"]


def test_parts_that_are_never_sent_are_counted(export):
    """Marks of steps, snapshots and ignored texts are no part of the conversation, and are counted by their kind."""
    snapshot = {"type": "snapshot", "snapshot": "abc"}
    transcript = export(user("u1", text("go"), text("x", ignored=True)), assistant("a1", snapshot, text("Done.")))
    assert [message.text for message in transcript.messages] == ["go", "Done."]
    assert transcript.left_out == {"text part": 1, "step-start part": 1, "snapshot part": 1, "step-finish part": 1}


def test_who_begins_a_turn(export):
    """A message of synthetic texts alone begins no turn; one that holds the user's words does."""
    transcript = export(
        user("m1", text("go"), text("Called the Read tool", synthetic=True)),
        user("m2", text("Continue if you have next steps", synthetic=True)),
    )
    assert [turn.start for turn in find_turns(transcript.messages)] == [0]


def test_several_steps_in_one_message(export):
    """An assistant message of several steps is one response a step, each with its own tokens."""
    first, second = assistant("m1", tool("c1"), tokens=TOKENS), assistant("m1", text("Done."), tokens=TOKENS)
    transcript = export({"info": first["info"], "parts": first["parts"] + second["parts"]})
    assert [message.role for message in transcript.messages] == ["assistant", "user", "assistant"]
    assert len(transcript.responses) == 2


def test_errors_and_aborts(export):
    """An answer that failed was never sent again; one that the user stopped was, where it holds something."""
    failed = {"error": {"name": "APIError", "data": {}}}
    stopped = {"error": {"name": "MessageAbortedError"}}
    transcript = export(
        user("m1", text("go")),
        assistant("m2", text("half"), **failed),
        assistant("m3", text("part"), **stopped),
    )
    assert texts(view(transcript)) == ["go", "part"]
    assert [(one.marks.error, one.marks.aborted) for one in transcript.messages[1:]] == [
        ("APIError", False),
        ("MessageAbortedError", True),
    ]


def test_call_ids_that_look_like_given_ones(export):
    """An id that is given to a call is no other call's, whatever that is called."""
    transcript = export(
        user("u1", text("go")), assistant("a1", *map(tool, ["c", "c-2-2", "c", "call-2", "c-2-3", "c"]))
    )
    ids = [part.id for message in transcript.messages for part in message.parts if type(part) is ToolCall]
    results = [part.call_id for message in transcript.messages for part in message.parts if type(part) is ToolResult]
    assert len({*ids}) == len(ids) == 6
    assert results == ids


@pytest.fixture
def compacted():
    """The messages of a session with one finished compaction."""
    return [
        user("m1", text("first")),
        assistant("m2", text("one")),
        user("m3", text("second")),
        assistant("m4", text("two")),
        user("m5", marker()),
        assistant("m6", text("summary"), summary=True, parentID="m5"),
        user("m7", text("Continue", synthetic=True)),
        assistant("m8", text("three")),
    ]


def test_a_compaction(export, compacted):
    """After a compaction the model sees what OpenCode asks for the marker, the summary, and what follows."""
    transcript = export(*compacted)
    seen = view(transcript)
    assert texts(seen) == ["What did we do so far?", "summary", "Continue", "three"]
    assert (seen.messages[0].marks.synthetic, seen.messages[1].marks.summary) == (True, True)
    made = transcript.compactions[0]
    assert (made.kind, made.recorded, made.line, made.after_message) == ("auto", None, 5, 4)


def test_a_compaction_by_hand(export, compacted):
    """A marker that is not automatic is the user's."""
    compacted[4] = user("m5", marker(auto=False))
    assert export(*compacted).compactions[0].kind == "manual"


def test_usage_of_a_summary_measures_nothing(export, compacted):
    """The usage of the call that wrote the summary, and of all before it, measures nothing afterwards."""
    transcript = export(*compacted[:6])
    assert transcript.responses[2].summary
    assert (texts(view(transcript))[-1], view(transcript).usage) == ("summary", None)


def test_a_kept_tail(export, compacted):
    """A tail whose beginning the marker names stands behind the summary, and what came since behind that."""
    compacted[4] = user("m5", marker(tail_start_id="m3"))
    shown = ["What did we do so far?", "summary", "second", "two", "Continue", "three"]
    assert texts(view(export(*compacted))) == shown


def test_a_kept_tail_that_reaches_behind_an_older_summary(export, compacted):
    """The older marker and summary are left out: the newer summary stands for them."""
    again = [
        user("m9", marker(tail_start_id="m3")),
        assistant("m10", text("newer summary"), summary=True, parentID="m9"),
        user("m11", text("on")),
    ]
    shown = ["What did we do so far?", "newer summary", "second", "two", "Continue", "three", "on"]
    assert texts(view(export(*compacted, *again))) == shown


@pytest.mark.parametrize("fault", [{"finish": None}, {"error": {"name": "APIError"}}])
def test_a_summary_that_failed(export, compacted, fault):
    """A summary that is unfinished or failed is left out, and its marker with it."""
    compacted[5] = assistant("m6", text("half"), summary=True, parentID="m5", **fault)
    transcript = export(*compacted)
    assert transcript.compactions == ()
    assert texts(view(transcript)) == ["first", "one", "second", "two", "Continue", "three"]


@pytest.fixture
def pruned():
    """The messages of a session whose first output was pruned between the second and the third answer."""
    return [
        user("m1", text("go"), at=100),
        assistant("m2", tool("c1", "a long output", time={"start": 1, "end": 2, "compacted": 350}), at=200),
        assistant("m3", tool("c2", "kept"), at=300),
        user("m4", text("more"), at=400),
        assistant("m5", text("Done."), at=500),
    ]


def test_a_pruned_output(export, pruned):
    """A pruned output is cleared for the responses that started afterwards, and whole for those before."""
    transcript = export(*pruned)
    assert view(transcript).messages[2].parts[0].text == "[Old tool result content cleared]"
    assert view(transcript, 1).messages[2].parts[0].text == "a long output"
    made = transcript.compactions[0]
    assert (made.kind, made.cleared, made.after_message, made.line) == ("prune", {"c1"}, 5, 3)


def test_outputs_pruned_together_are_one_pruning(export, pruned):
    """Outputs cleared between the same two messages are one pruning, a millisecond apart or not."""
    pruned[2] = assistant("m3", tool("c2", "x", time={"start": 1, "end": 2, "compacted": 351}), at=300)
    assert [made.cleared for made in export(*pruned).compactions] == [{"c1", "c2"}]


def test_a_pruning_at_the_end(export, pruned):
    """A pruning that no message followed counts at the end, and no usage measures the window after it."""
    seen = view(export(*pruned[:3]))
    assert (seen.messages[2].parts[0].text, seen.usage) == ("[Old tool result content cleared]", None)


@pytest.fixture
def tree(tmp_path):
    """A storage tree of one session and its sub-agent's."""

    def put(path, value):
        path = tmp_path / "storage" / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")

    def session(name, **fields):
        put(f"session/p/{name}.json", {"id": name, "projectID": "p", "time": {"created": 1}, **fields})

    session("ses_1", version="1.0.0")
    session("ses_2", parentID="ses_1")
    messages = [user("msg_b", text("go"), at=1), assistant("msg_a", text("one"), tool("c1"), at=2)]
    for message in messages:
        name = message["info"]["id"]
        put(f"message/ses_1/{name}.json", message["info"])
        for number, part in enumerate(message["parts"]):
            put(f"part/{name}/prt_{number}.json", part)
    return tmp_path


@pytest.mark.parametrize("place", ["", "storage", "storage/session/p/ses_1.json"])
def test_a_storage_tree(tree, place):
    """A storage tree is read by its folder, the folder above it or the session's file; messages go by their time."""
    transcript = read_transcript(tree / place)
    assert (transcript.format, transcript.version) == ("opencode", "1.0.0")
    assert [message.role for message in transcript.messages] == ["user", "assistant", "user"]


def test_a_damaged_file_in_the_tree(tree):
    """A damaged file of the tree is skipped and counted."""
    (tree / "storage/part/msg_a/prt_1.json").write_text('{"type": "te', encoding="utf-8")
    transcript = read_transcript(tree)
    assert [damaged.line for damaged in transcript.damaged] == [2]
    assert len(transcript.messages) == 3


def test_a_tree_of_several_sessions(tree):
    """Where a tree holds several sessions, one must be named."""
    other = tree / "storage/session/p/ses_3.json"
    other.write_text(json.dumps({"id": "ses_3", "projectID": "p", "time": {}}), encoding="utf-8")
    with pytest.raises(InvalidInput, match="holds 2 sessions of OpenCode; name one of them"):
        read_transcript(tree)


def test_a_tree_without_a_session(tmp_path):
    """A storage tree without a session is refused."""
    for room in ("session", "message"):
        (tmp_path / room).mkdir()
    with pytest.raises(InvalidInput, match="without a session"):
        read_transcript(tmp_path)


def test_a_session_file_outside_its_tree(written):
    """A session's file alone holds no message, and is refused with what would cure it."""
    with pytest.raises(InvalidInput, match="storage tree"):
        read_transcript(written({"id": "ses_1", "projectID": "p", "time": {"created": 1}}))


def test_an_id_that_is_a_path(tree):
    """An id that would lead out of its folder is not followed."""
    path = tree / "storage/session/p/ses_1.json"
    path.write_text(json.dumps({"id": "../../x", "projectID": "p", "time": {}}), encoding="utf-8")
    with pytest.raises(InvalidInput, match="no message"):
        read_transcript(path)
