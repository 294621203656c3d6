"""Each kind of content in the format that `brim compact --to` writes (CMD_05)."""

import json
from pathlib import Path

import pytest

from steps.cli.writing import SYSTEM, lines, recorded
from steps.foreign_transcripts import ASKED
from tests.cli.contents import CONTENTS, item_call, shown

TABLE = Path(__file__).parent / "data" / "contents.tsv"
ROWS = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]]
LEFT_OUT = [
    ("two sounds", "openai-chat", "anthropic", "2 audio/wav"),
    ("a thought of the model", "openai-chat", "anthropic", "1 reasoning"),
    ("an image of the model", "anthropic", "openai-chat", "1 image of the model"),
    ("two unknown parts", "openai-chat", "anthropic", "2 orb"),
    ("two unknown blocks", "anthropic", "openai-chat", "2 orb"),
    ("what a tool found on the web, and its image", "anthropic", "openai-chat", "1 search_result, 1 image of a tool"),
    ("a shell call with an output that nobody knows", "openai-responses", "anthropic", "1 output"),
]
"""A content, its format, another one, and what is left out."""


@pytest.fixture
def written(brim, tmp_path):
    """Compacts a short conversation with a content into another format: the page, and the file's messages."""

    def write(content, form, other):
        held = CONTENTS[content][form]
        if content == "a document by its id" and form == "anthropic":
            held = shown({"type": "document", "source": {"type": "file", "file_id": "file_1"}})
        if content == "an output in parts" and form == "openai-responses":
            held = item_call([{"type": "input_text", "text": "one"}, {"type": "input_text", "text": "two"}])
        messages = [{"role": "system", "content": SYSTEM}] * (form == "openai-chat")
        messages += [{"role": "user", "content": ASKED}]
        if held[0].get("role") == "user":
            messages.append({"role": "assistant", "content": "Yes."})
        messages += held
        path, out = tmp_path / "talk.jsonl", tmp_path / "out.json"
        text = lines(recorded(messages)) if form == "claude-code" else json.dumps(messages)
        path.write_text(text, encoding="utf-8")
        answer = brim("compact", path, "--window", "20k", "--max-output", "4k", "--to", other, "-o", out)
        assert answer.code == 0, answer.error
        body = json.loads(out.read_text(encoding="utf-8"))
        return " ".join(answer.out.split()), body["input" if "input" in body else "messages"]

    return write


@pytest.mark.parametrize(("content", "form", "other"), ROWS, ids=map(", ".join, ROWS))
def test_it_takes_the_form_of_the_other_format(written, content, form, other):
    """Word for word what the other format has for it, behind what stood before."""
    expected = CONTENTS[content][other]
    assert written(content, form, other)[1][-len(expected) :] == expected


@pytest.mark.parametrize(("content", "form", "other", "types"), LEFT_OUT, ids=[row[0] for row in LEFT_OUT])
def test_what_a_format_has_no_place_for_is_counted_by_its_type(written, content, form, other, types):
    """And named on the page."""
    assert f"Left out, for {other} has no place for it: {types}" in written(content, form, other)[0]
