"""The end of a large transcript: only the lines that begin within its last bytes are read."""

import json

import pytest

from brim.errors import InvalidInput
from brim.transcripts import read_transcript
from steps.foreign_transcripts import ANSWERED, ASKED, codex


def session(tmp_path, count=4):
    """A session of lines of 200 bytes each, with the number of the line as the user's words."""
    lines = []
    for number in range(count):
        message = {"role": "user", "content": f"Tide {number}."}
        line = json.dumps({"type": "user", "uuid": f"u{number}", "message": message})
        lines.append(line[:-1] + " " * (199 - len(line)) + "}\n")
    path = tmp_path / "session.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("newest", "first"),
    [(None, 0), (801, 0), (800, 0), (799, 1), (601, 1), (600, 1), (599, 2), (400, 2), (399, 3), (200, 3)],
)
def test_a_line_is_read_that_begins_within_the_last_bytes(tmp_path, newest, first):
    """Also at the very first of them; the rest of a longer line is left out, and is no damage."""
    transcript = read_transcript(session(tmp_path), newest_bytes=newest)
    assert [message.text for message in transcript.messages] == [f"Tide {number}." for number in range(first, 4)]
    assert transcript.damaged == ()


def test_where_no_line_begins_in_the_last_bytes_that_is_said(tmp_path):
    """With the file and how to have it."""
    with pytest.raises(
        InvalidInput, match=r"session\.jsonl has no line of JSON that begins in its last 150 bytes; read"
    ):
        read_transcript(session(tmp_path), newest_bytes=150)


def test_the_end_of_a_rollout_is_known_as_one(tmp_path):
    """Its first line, which names the session, is not needed."""
    path = tmp_path / "rollout.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in codex()), encoding="utf-8")
    transcript = read_transcript(path, newest_bytes=path.stat().st_size - 10)
    assert transcript.format == "codex"
    assert [message.text for message in transcript.messages if message.text] == [ASKED, ANSWERED]
