"""Which reader takes which file: each small file below is taken by its own, whatever its name."""

import json

import pytest

from brim.errors import InvalidInput
from brim.transcripts import read_transcript
from brim.transcripts.formats import FORMATS
from brim.transcripts.source import read_source

CALL = {"role": "assistant", "content": [{"type": "text", "text": "a"}]}
PLAIN = [{"role": "user", "content": "go"}, CALL]
SMALL = {
    "claude-code": [{"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": "go"}}],
    "opencode": {"info": {"projectID": "p"}, "messages": [
        {"info": {"id": "m", "role": "user"}, "parts": [{"type": "text", "text": "go"}]}]},
    "codex": [{"type": "response_item", "payload": {"type": "message", "role": "user", "content": "go"}}],
    "pi": [{"type": "session", "cwd": "/"}, {"type": "message", "message": {"role": "user", "content": "go"}}],
    "cline": {"messages": [PLAIN[0], {**CALL, "metrics": {"inputTokens": 1}}]},
    "gemini-cli": {"sessionId": "s", "projectHash": "p", "messages": [{"type": "user", "content": "go"}]},
    "mini-swe-agent": {"trajectory_format": "mini-swe-agent-1", "messages": PLAIN},
    "swe-agent": {"trajectory": [], "history": PLAIN},
    "openhands": [{"history": [{"source": "user", "action": "message", "args": {"content": "go"}}]}],
    "aider": "# aider chat started at 2025\n\n#### go  \n",
    "openai-chat": [{"role": "system", "content": "Be kind."}, *PLAIN],
    "openai-responses": {"input": [PLAIN[0]]},
    "anthropic-messages": PLAIN,
}  # fmt: skip


def content_of(name):
    """The content of a small file."""
    small = SMALL[name]
    if isinstance(small, list) and name not in {"anthropic-messages", "openai-chat"}:
        return "\n".join(map(json.dumps, small))
    return small


def test_every_format_is_here():
    """Every format that can be read has a small file here."""
    assert sorted(SMALL) == sorted(form.name for form in FORMATS)


@pytest.mark.parametrize("name", SMALL)
def test_a_file_is_taken_by_its_own_reader(written, name):
    """A file is read as what it is."""
    transcript = read_transcript(written(content_of(name)))
    said = [message.text for message in transcript.messages if message.text != "Be kind."]
    assert (transcript.format, said[0]) == (name, "go")


@pytest.mark.parametrize("name", SMALL)
def test_no_other_reader_would_take_it(written, name):
    """But for the plainest form, which is asked last, no other reader takes the file either."""
    source = read_source(written(content_of(name)))
    takers = {form.name for form in FORMATS if form.recognise(source)} - {"anthropic-messages"}
    assert takers == {name} - {"anthropic-messages"}


@pytest.mark.parametrize(
    "output",
    [
        {"role": "tool", "tool_call_id": "A", "content": "ok"},
        {"type": "function_call_output", "call_id": "A", "output": "ok"},
    ],
)
def test_an_output_alone_shows_whose_format_it_is(written, output):
    """Where its call is missing, that is said, and not that it is no message of another format."""
    with pytest.raises(InvalidInput, match="answers the call 'A', which no message before it makes"):
        read_transcript(written([PLAIN[0], output]))


@pytest.mark.parametrize("name", [name for name in SMALL if name != "aider"])
def test_a_file_of_that_form_without_a_message(written, name):
    """A file that holds its form and no message is refused, never read as an empty conversation."""
    empty = {
        "claude-code": [{"type": "user", "uuid": "u", "message": {"role": "user"}}],
        "opencode": {"info": {"projectID": "p"}, "messages": []},
        "codex": [{"type": "session_meta", "payload": {}}],
        "pi": [{"type": "session", "cwd": "/"}],
        "cline": {"messages": [{"role": "user", "metrics": {}}]},
        "gemini-cli": {"sessionId": "s", "projectHash": "p", "messages": []},
        "mini-swe-agent": {"trajectory_format": "mini-swe-agent-1", "messages": []},
        "swe-agent": {"trajectory": [], "history": []},
        "openhands": [{"history": [{"source": "agent", "action": "recall"}]}],
        "openai-chat": [],
        "openai-responses": {"input": []},
        "anthropic-messages": [],
    }[name]
    whole = isinstance(empty, dict) or not empty
    with pytest.raises(InvalidInput, match=r"holds no message|no format that brim reads"):
        read_transcript(written(empty if whole else "\n".join(map(json.dumps, empty))))
