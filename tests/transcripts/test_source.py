"""Files that are no transcript, and lines that are damaged."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.errors import InvalidInput
from brim.transcripts import read_transcript
from brim.transcripts.source import LIMIT, decode_line

HELLO = '{"role":"user","content":"hello"}'


def refusal(path):
    """The one line by which a path is refused."""
    with pytest.raises(InvalidInput) as caught:
        read_transcript(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    return message


def damage(path):
    """Lines and reasons of the damage in a file that can be read."""
    transcript = read_transcript(path)
    assert len(transcript.messages) >= 1
    return [(one.line, one.reason) for one in transcript.damaged]


@pytest.mark.parametrize(
    ("content", "met"),
    [
        (b"", "empty"),
        (b"\n \r\n\n", "empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" * 50, "binary"),
        (bytes(range(128, 256)) * 20, "binary"),
        (HELLO.encode("utf-16"), "binary"),
        (b"# A title\n\nSome words.\n", "no JSON that can be read"),
        (b'{"messages": [{"role": "us', "cut short"),
        (b"[" * 100_000 + b"]" * 100_000, "nested deeper"),
        (b'{"a": 1}', "no format that brim reads"),
        (b'{"a": 1}\n{"a": 2}\n', "no format that brim reads"),
        (b"[1, 2, 3]", "no format that brim reads"),
        (b"[]", "no format that brim reads"),
        (b'"hello"', "no format that brim reads"),
        (b'{"messages": []}', "no format that brim reads"),
        (b'[{"role": "critic", "content": "x"}, {"role": "user", "content": "y"}]', "no format that brim reads"),
        (b'{"type": "user", "uuid": "u", "message": {"role": "user"}}\n', "no message"),
    ],
)
def test_what_is_no_transcript_is_refused(written, content, met):
    """A file that holds no transcript is refused in one line that names it and says what was met."""
    assert met in refusal(written(content))


def test_a_refused_format_names_those_that_are_read(written):
    """Who brings another format is told which are read."""
    message = refusal(written('{"a": 1}'))
    assert all(name in message for name in ("Claude Code", "OpenCode", "Anthropic"))


def test_a_missing_file(tmp_path):
    """A file that is not there is refused."""
    assert "No such file" in refusal(tmp_path / "nothing.jsonl")


def test_a_file_that_may_not_be_read(written, monkeypatch):
    """A file that may not be read is refused with the reason."""

    def denied(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    path = written(HELLO)
    monkeypatch.setattr(Path, "open", denied)
    assert "Permission denied" in refusal(path)


def test_a_folder(tmp_path):
    """A folder that is no storage tree is refused."""
    assert "no storage tree" in refusal(tmp_path)


def test_a_file_that_is_no_ordinary_one(tmp_path):
    """A pipe or a device is refused: it may never end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "no ordinary file" in refusal(pipe)


def test_a_line_that_is_too_long(written):
    """A line above the limit is refused alone, and skipped and counted between others."""
    long = b'{"role":"user","content":"' + b"x" * (LIMIT + 100) + b'"}\n'
    assert "longer than 64 MiB" in refusal(written(long))
    assert damage(written(HELLO.encode() + b"\n" + long + HELLO.encode())) == [(2, "longer than 64 MiB")]


@pytest.mark.parametrize("indent", [1, None])
def test_one_value_that_is_too_large(written, indent):
    """A file that is one JSON value above the limit, on one line or many, is refused with the limit as the cause."""
    messages = [{"role": "user", "content": "x" * 1_000_000}] * (LIMIT // 1_000_000 + 1)
    error = refusal(written(json.dumps({"messages": messages}, indent=indent)))
    assert "one JSON value is read up to 64 MiB; save it as JSON lines" in error


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"role":"user","content":"caf\xe9"}', "not UTF-8"),
        (b'{"role":"user","content":', "not JSON"),
        (b"\0\0\0\0", "not JSON"),
        (b"[1, 2]", "holds JSON that is no object"),
        (b'{"role":"user","content":"a","n":NaN}', "NaN is no JSON"),
        (b'{"role":"user","content":"a","n":' + b"1" * 5_000 + b"}", "a number of too many digits"),
        (b'{"role":"user","content":' + b"[" * 300 + b"]" * 300 + b"}", "nested deeper than 200 levels"),
        (b'{"role":"user","content":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested deeper than 200 levels"),
        (b'{"role":"user","content":"a"} trailing', "not JSON"),
    ],
)
def test_a_damaged_line_is_skipped_and_counted(written, line, reason):
    """A damaged line is skipped, and its number and the reason are told; the lines around it are read."""
    found = damage(written(HELLO.encode() + b"\n\n" + line + b"\n" + HELLO.encode() + b"\n"))
    assert found == [(3, reason)]


def test_a_last_line_cut_short(written):
    """A last line that was cut short is skipped and counted."""
    assert damage(written(HELLO + '\n{"role":"user","cont')) == [(2, "cut short")]


def test_two_records_joined_on_one_line(written):
    """Two records joined on one line are both read."""
    transcript = read_transcript(written(f"{HELLO}{HELLO}\n{HELLO} {HELLO}\n"))
    assert transcript.lines == (1, 1, 2, 2)


def test_a_joined_line_whose_second_half_is_damaged(written):
    """Of a joined line the part that can be read is read, and the line counted."""
    path = written(HELLO + "\n" + HELLO + '{"role":\n')
    assert damage(path) == [(2, "not JSON")]
    assert len(read_transcript(path).messages) == 2


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c"])
def test_line_separators_inside_strings(written, character):
    """What Unicode calls a line separator does not end a line where it stands inside a string."""
    text = f"one{character}two"
    line = json.dumps({"role": "user", "content": text}, ensure_ascii=character in "\x0b\x0c")
    transcript = read_transcript(written(f"{line}\n{HELLO}\n"))
    assert (transcript.messages[0].text, len(transcript.messages)) == (text, 2)


@pytest.mark.parametrize("content", ["\ufeff" + HELLO, HELLO + "\r\n" + HELLO + "\r\n", "\n\n" + HELLO])
def test_marks_of_other_systems(written, content):
    """A byte order mark, carriage returns and blank lines are no damage."""
    assert damage(written(content)) == []


def test_nesting_that_tools_really_have(written):
    """A value nested 150 levels deep is read."""
    value = "x"
    for _ in range(150):
        value = [value]
    call = {"type": "tool_use", "id": "c", "name": "t", "input": {"v": value}}
    assert damage(written([{"role": "assistant", "content": [call]}])) == []


@given(st.lists(st.dictionaries(st.text(), st.text() | st.integers() | st.none()), min_size=1))
def test_joined_values_come_back(values):
    """Whatever objects are joined on a line, all of them come back in order."""
    line = "".join(json.dumps(value) for value in values).encode()
    assert decode_line(line) == (values, None)
