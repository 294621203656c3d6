"""Files of formats that brim does not read: named where they are known, and never read as something else."""

import json

import pytest

from brim.errors import InvalidInput
from brim.transcripts import read_transcript
from brim.transcripts.foreign import FOREIGN

WORDLESS = "no message of the user's has content"
TEXT = {"type": "text", "text": "Build the pier."}
FILES = {
    "goose": [{"working_dir": "/work", "description": "Pier"}, {"role": "user", "content": [TEXT]}],
    "the AI SDK": {"messages": [{"id": "1", "role": "user", "parts": [TEXT]}]},
    "Grok Build": [
        {"type": "user", "content": [TEXT]},
        {"type": "reasoning", "id": "r", "summary": []},
        {"type": "assistant", "content": "Built.", "model_id": "grok"},
    ],
    "Amp": {"v": 1, "id": "T-1", "created": 1, "messages": [{"role": "user", "content": [TEXT]}]},
    "Factory Droid": [
        {"type": "session_start", "id": "s", "cwd": "/work"},
        {"type": "message", "id": "m", "message": {"role": "user", "content": [TEXT]}},
    ],
    "Qwen Code": [
        {
            "uuid": "u",
            "parentUuid": None,
            "sessionId": "s",
            "type": "user",
            "message": {"role": "user", "parts": [TEXT]},
        }
    ],
}


def refusal(path):
    """What is said of a file that is refused."""
    with pytest.raises(InvalidInput) as refused:
        read_transcript(path)
    return str(refused.value)


def forms(content):
    """The same file as one value, and where it is a list as lines."""
    yield json.dumps(content)
    if isinstance(content, list):
        yield "".join(json.dumps(one) + "\n" for one in content)


def test_every_foreign_format_is_here():
    """Every format that a refusal names has a small file here."""
    assert sorted(FILES) == sorted(FOREIGN)


@pytest.mark.parametrize("name", FILES)
def test_a_foreign_file_is_named(written, name):
    """A file is refused with the name of its format and with those that are read."""
    for content in forms(FILES[name]):
        told = refusal(written(content))
        assert f"is of a format that brim does not read, that of {name}; it reads: Claude Code session" in told


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        ([{"role": "user", "body": "Go."}, {"role": "assistant", "content": None}], WORDLESS),
        ([{"role": "user", "content": " "}, {"role": "assistant", "content": "Yes."}], WORDLESS),
        ([{"role": "system", "content": "x"}, {"role": "user", "content": [{"type": "words"}]}], WORDLESS),
        ([{"role": "user", "content": "Go."}, *[{"role": "user", "content": [{"type": "x"}]}] * 2], "such as 'x'"),
        ([{"type": "reasoning", "summary": []}, *[{"type": "turn", "text": "x"}] * 2], "such as 'turn'"),
    ],
)
def test_an_unknown_format_is_refused(written, messages, told):
    """What no user said a word in, or whose types are mostly nobody's, is no list of an API."""
    for content in forms(messages):
        answer = refusal(written(content))
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
