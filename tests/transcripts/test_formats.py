"""Which reader takes which file, whatever its name; and files that none takes."""

import json

import pytest

from brim.errors import InvalidInput
from brim.transcripts import read_transcript
from brim.transcripts.formats import FORMATS, PLAIN_FORMATS
from brim.transcripts.source import read_source
from tests.transcripts.samples import SAMPLES, content_of
from tests.transcripts.test_source import refusal

TEXT = {"type": "text", "text": "Build the pier."}


def test_every_format_is_here():
    """Every format that can be read has a sample."""
    assert {form.name for form in FORMATS} == SAMPLES.keys() - {"anthropic-records", "openhands-kinds"}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_is_taken_by_its_own_reader(written, name):
    """And read whole; but for the plain forms, which are asked last, no other reader would take it."""
    path = written(content_of(SAMPLES[name]))
    transcript = read_transcript(path)
    assert transcript.format == {"anthropic-records": "anthropic-messages"}.get(name, name.removesuffix("-kinds"))
    assert (transcript.damaged, len(transcript.messages) > 1) == ((), True)
    takers = {form.name for form in FORMATS if form.recognise(read_source(path))}
    assert takers - {*PLAIN_FORMATS} == {transcript.format} - {*PLAIN_FORMATS}


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
        read_transcript(written([{"role": "user", "content": "go"}, output]))


@pytest.mark.parametrize(
    "empty",
    [
        {"type": "user", "uuid": "u", "message": {"role": "user"}},
        {"info": {"projectID": "p"}, "messages": []},
        {"type": "session_meta", "payload": {}},
        {"type": "session", "cwd": "/"},
        {"messages": [{"role": "user", "metrics": {}}]},
        {"sessionId": "s", "projectHash": "p", "messages": []},
        {"trajectory_format": "mini-swe-agent-1", "messages": []},
        {"trajectory": [], "history": []},
        {"history": [{"source": "agent", "action": "recall"}]},
    ],
)
def test_a_file_of_a_form_without_a_message(written, empty):
    """A file that holds its form and no message is refused, never read as an empty conversation."""
    with pytest.raises(InvalidInput, match=r"holds no message.*; it was read as: "):
        read_transcript(written(empty))


@pytest.mark.parametrize(
    "content",
    [
        {"messages": [{"id": "1", "role": "user", "parts": [TEXT]}]},
        [
            {"type": "session_start"},
            {"type": "message", "message": {"role": "user", "content": [TEXT]}},
        ],
        [{"uuid": "u", "sessionId": "s", "type": "user", "message": {"role": "user", "parts": [TEXT]}}],
        [{"type": "user", "content": [TEXT]}, {"type": "reasoning"}, {"type": "assistant", "content": "Built."}],
        {"messages": [{"role": "user", "content": [{"type": "tool_result", "toolUseID": "c", "run": {}}]}]},
        [{"role": "user", "content": [TEXT]}, {"role": "assistant", "content": [{"type": "toolRequest", "id": "c"}]}],
    ],
    ids=["AI SDK", "Factory Droid", "Qwen Code", "Grok Build", "Amp", "goose"],
)
def test_a_file_of_another_tool_is_refused(written, content):
    """It is never read as a format that it resembles."""
    told = refusal(written("\n".join(map(json.dumps, content)) if isinstance(content, list) else content))
    assert "of no format that brim reads" in told or "holds no message" in told


WORDLESS = "no message of the user's has content"


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        ([{"role": "user", "content": " "}, {"role": "assistant", "content": "Yes."}], WORDLESS),
        ([{"role": "system", "content": "x"}, {"role": "user", "content": [{"type": "words"}]}], WORDLESS),
        ([{"role": "user", "content": "Go."}, *[{"role": "user", "content": [{"type": "x"}]}] * 2], "such as 'x'"),
        ([{"type": "reasoning", "summary": []}, *[{"type": "turn", "text": "x"}] * 2], "such as 'turn'"),
    ],
)
def test_an_unknown_format_is_refused(written, messages, told):
    """What no user said a word in, or whose types are mostly nobody's, is no list of an API."""
    answer = refusal(written(messages))
    assert "is of no format that brim reads (as " in answer
    assert told in answer


def test_a_new_type_among_known_ones_stays(written):
    """A newer type of a block beside what is known is kept as it came, as in a list of a request."""
    new = {"role": "assistant", "content": [{"type": "hologram", "depth": 3}]}
    messages = [{"role": "user", "content": "Go."}, new, {"role": "user", "content": "On."}]
    assert [message.raw for message in read_transcript(written(messages)).messages] == messages


@pytest.mark.parametrize("kind", ["web_search_call", "mcp_list_tools", "reasoning", "compaction"])
def test_items_that_only_the_provider_knows_are_of_the_api(written, kind):
    """A list may hold more of the provider's own items than messages."""
    items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]}]
    items += [{"type": kind, "id": str(number), "summary": []} for number in range(3)]
    assert read_transcript(written(items)).format == "openai-responses"
