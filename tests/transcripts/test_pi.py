"""Pi sessions: answers that failed, compactions, branches."""

import json

import pytest

from brim.conversation.messages import Media, Text, Thinking, ToolCall
from brim.conversation.turns import find_turns
from brim.transcripts import read_transcript, view, view_before

HEADER = {"type": "session", "id": "s", "cwd": "/x", "modelId": "claude-opus-4-5"}
USAGE = {"input": 10, "output": 5, "cacheRead": 80, "cacheWrite": 5, "totalTokens": 100}


def message(role, content=None, **fields):
    """An entry with a message."""
    return {"type": "message", "message": {"role": role, "content": content, **fields}}


def user(text):
    """The user's words."""
    return message("user", [{"type": "text", "text": text}])


def answer(*blocks, stop="stop", usage=USAGE, **fields):
    """An answer."""
    return message("assistant", list(blocks), model="claude-opus-4-5", stopReason=stop, usage=usage, **fields)


def text(words):
    """A block of words."""
    return {"type": "text", "text": words}


def call(name):
    """A block that calls a tool."""
    return {"type": "toolCall", "id": name, "name": "read", "arguments": {"path": "a.py"}}


def result(name, *blocks, failed=False):
    """A call's result."""
    return message("toolResult", list(blocks) or [text("x = 1")], toolCallId=name, toolName="read", isError=failed)


@pytest.fixture
def session(written):
    """Reads a session of entries behind its header."""

    def read(*entries):
        return read_transcript(written("\n".join(json.dumps(entry) for entry in (HEADER, *entries))))

    return read


def test_a_session(session):
    """A session's answers have usage and model; each result follows its answer."""
    transcript = session(
        user("go"), answer(text("Look."), call("c1"), call("c2")), result("c1"), result("c2", failed=True)
    )
    assert (transcript.format, transcript.model) == ("pi", "claude-opus-4-5")
    assert [type(part) for part in transcript.messages[1].parts] == [Text, ToolCall, ToolCall]
    assert [(part.text, part.failed) for part in transcript.messages[2].parts] == [("x = 1", False), ("x = 1", True)]
    usage = transcript.responses[0].usage
    assert (usage.input, usage.cache_read, usage.cache_write, usage.total) == (15, 80, 5, 100)


@pytest.mark.parametrize("noted", [0, 0.25, -1, "0.25", True])
def test_what_an_answer_cost(session, noted):
    """The price is the total that pi noted; what is no price is none."""
    said = answer({"type": "text", "text": "ok"}, usage={**USAGE, "cost": {"input": 1, "total": noted}})
    assert session(said).responses[0].cost == (noted if noted in (0, 0.25) and type(noted) is not bool else None)


def test_thinking_and_images(session):
    """Thinking keeps its signature where it has one; an image is media, in a result as in a prompt."""
    image = {"type": "image", "data": "QUJD", "mimeType": "image/png"}
    thoughts = [
        {"type": "thinking", "thinking": "a", "thinkingSignature": "s"},
        {"type": "thinking", "thinking": "b", "thinkingSignature": ""},
        {"type": "thinking", "thinking": "", "thinkingSignature": "r", "redacted": True},
    ]
    prompt = message("user", [text("see"), image])
    transcript = session(prompt, answer(*thoughts, call("c1")), result("c1", text("x"), image))
    assert [type(part) for part in transcript.messages[0].parts] == [Text, Media]
    assert [part.raw for part in transcript.messages[1].parts[:3]] == [
        {"type": "thinking", "thinking": "a", "signature": "s"},
        {"type": "thinking", "thinking": "b"},
        {"type": "redacted_thinking", "data": "r"},
    ]
    assert type(transcript.messages[1].parts[0]) is Thinking
    assert len(transcript.messages[2].parts[0].media) == 1


def test_answers_that_failed(session):
    """An empty answer is none; one that failed was not sent on; one called off was, where words stand in it."""
    zero = dict.fromkeys(USAGE, 0)
    transcript = session(
        user("go"),
        answer(stop="aborted", usage=zero),
        answer(text("half"), stop="aborted"),
        answer({"type": "thinking", "thinking": "hm"}, stop="aborted"),
        answer(text("no"), stop="error", errorMessage="overloaded"),
    )
    assert transcript.left_out["answers without content"] == 1
    assert transcript.unsent == {2, 3}
    assert [(answered.marks.error, answered.marks.aborted) for answered in transcript.messages[1:]] == [
        ("aborted", True), ("aborted", True), ("overloaded", False)
    ]  # fmt: skip


def test_the_users_shell(session):
    """What the user ran in the shell is sent and begins no turn, but for what was kept from the model."""
    ran = {"command": "ls", "output": "a.py", "exitCode": 2}
    transcript = session(
        message("bashExecution", **ran), message("bashExecution", **ran, excludeFromContext=True), user("go")
    )
    assert transcript.messages[0].text == "Ran `ls`\n```\na.py\n```\n\nCommand exited with code 2"
    assert transcript.unsent == {1}
    assert len(find_turns(transcript.messages)) == 1


@pytest.mark.parametrize("kept", [{"firstKeptEntryIndex": 3}, {"firstKeptEntryId": "k"}])
def test_a_compaction(session, kept):
    """What was kept stands behind the summary; who asked for it the file does not say."""
    second = {**user("two"), "id": "k"}
    made = {"type": "compaction", "summary": "We did a.", "tokensBefore": 100, **kept}
    transcript = session(user("one"), answer(text("a")), second, answer(text("b")), made, user("three"))
    record = transcript.compactions[0]
    assert (record.kind, record.recorded, record.line, record.opening) == ("compaction", 100, 6, (4, 2, 3))
    seen = view(transcript)
    assert [one.text for one in seen.messages] == ["We did a.", "two", "b", "three"]
    assert (seen.usage, view_before(transcript, 0).usage.total) == (None, 100)
    assert transcript.notes


def test_a_second_compaction_leaves_the_first_summary(session):
    """The newer summary stands for the older one, even where what was kept reaches back before it."""
    made = {"type": "compaction", "summary": "s", "tokensBefore": 1, "firstKeptEntryIndex": 2}
    transcript = session(user("one"), answer(text("a")), {**made, "summary": "first"}, user("two"), made)
    assert [one.text for one in view(transcript).messages] == ["s", "a", "two"]


def test_the_last_branch(session):
    """Where entries name their parents, the branch of the last one is read, and the others counted."""
    entries = [
        {**user("one"), "id": "a", "parentId": None},
        {**user("two"), "id": "b", "parentId": "a"},
        {**user("three"), "id": "c", "parentId": "a"},
        {"type": "custom_message", "content": "note", "id": "d", "parentId": "c"},
    ]
    transcript = session(*entries)
    assert [one.text for one in transcript.messages] == ["one", "three", "note"]
    assert transcript.messages[2].marks.synthetic
    assert transcript.left_out["on another branch"] == 1
