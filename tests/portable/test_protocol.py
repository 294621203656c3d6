"""The server answers every line with a line, whatever stands on it, and ends when the lines do."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.portable.protocol import KINDS, answer, serve

SERVER = [sys.executable, "-m", "brim", "portable"]


def ask(**request):
    """The answer to a request, as a value."""
    return json.loads(answer(json.dumps(request).encode()))


def test_an_output_bears_the_id(share_of):
    """The answer to request 7 says 7, and the id may be a text."""
    assert ask(id=7, operation="share_of", input={"size": 10})["id"] == 7
    assert ask(id="seven", operation="share_of", input={"size": 10})["id"] == "seven"


def test_a_refusal_is_an_answer(share_of):
    """Its kind is refused, and its message stands on one line."""
    told = ask(id=1, operation="share_of", input={"size": 0})
    assert told == {"id": 1, "error": {"kind": "refused", "message": "nothing to share: size 0, give at least 1"}}


@pytest.mark.parametrize(
    ("operation", "given", "kind"),
    [
        ("share_of", {"size": "x"}, "invalid_input"),
        ("share_of", [], "invalid_input"),
        ("share_all", {}, "unknown_operation"),
        ("", {}, "unknown_operation"),
    ],
)
def test_other_errors_have_their_kinds(share_of, operation, given, kind):
    """What is not of the form and what is not known are told apart."""
    assert ask(id=1, operation=operation, input=given)["error"]["kind"] == kind


def test_a_fault_of_an_operation_ends_nothing(share_of, capsys):
    """An operation that breaks is answered as such, with its trace on stderr."""
    assert ask(id=1, operation="broken", input={"size": 1})["error"]["kind"] == "internal_error"
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"hello\n",
        b'{"id": 1, "operation": "share_of", "input": {}\n',
        b'"text"\n',
        b"[1]\n",
        b"null\n",
        b"{}\n",
        b'{"operation": "share_of", "input": {}}\n',
        b'{"id": null, "operation": "share_of", "input": {}}\n',
        b'{"id": true, "operation": "share_of", "input": {}}\n',
        b'{"id": 1.5, "operation": "share_of", "input": {}}\n',
        b'{"id": 1, "operation": "share_of", "input": {"size": 1, "share": NaN}}\n',
        b'{"id": 1, "operation": "share_of", "input": {"size": 1, "share": -Infinity}}\n',
        b'{"id": 1, "operation": "\xff", "input": {}}\n',
        b"\x00\x01\xfe\n",
        b'{"id": ' + b"9" * 5000 + b"}\n",
        b"[" * 100_000 + b"\n",
    ],
)
def test_a_line_that_is_no_request_is_answered(line):
    """Without an id to bear, the answer's is null."""
    told = json.loads(answer(line))
    assert told["id"] is None
    assert told["error"]["kind"] == "invalid_input"
    assert "\n" not in told["error"]["message"]


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({"id": 1, "input": {}}, "operation"),
        ({"id": 1, "operation": 5, "input": {}}, "operation"),
        ({"id": 1, "operation": "share_of"}, "input"),
        ({"id": 1, "operation": "share_of", "input": {}, "inputs": {}}, "inputs"),
    ],
)
def test_a_request_with_an_id_is_told_what_it_lacks(request_, field):
    """Where there is an id, the answer bears it and names the field."""
    told = ask(**request_)
    assert told["id"] == 1
    assert told["error"]["kind"] == "invalid_input"
    assert field in told["error"]["message"]


@given(st.binary())
def test_no_line_is_too_odd(line):
    """Any bytes at all are answered with one line of JSON that holds an error."""
    said = answer(line)
    assert said.endswith(b"\n")
    assert said.count(b"\n") == 1
    assert json.loads(said)["error"]["kind"] in KINDS


def test_a_lone_surrogate_is_answered(share_of):
    """Half of a character is no text: it is invalid as input, and harmless as an id."""
    line = b'{"id": "\\ud800", "operation": "share_of", "input": {"size": 1, "slices": [{"label": "\\ud800"}]}}\n'
    assert json.loads(answer(line))["error"]["kind"] == "invalid_input"


def test_other_than_ascii_is_escaped(share_of):
    """A line separator inside a text never looks like the end of the line."""
    request = {"id": 1, "operation": "share_of", "input": {"size": 1, "slices": [{"label": "✓\u2028"}]}}
    said = answer(json.dumps(request, ensure_ascii=False).encode())
    assert said.isascii()
    assert json.loads(said)["output"]["label"] == "✓\u2028"


def test_serves_until_the_lines_end(share_of):
    """A line in, a line out, in order, and nothing after the last; one without a line break counts."""
    lines = b'{"id": 1, "operation": "share_of", "input": {"size": 5}}\nnonsense\n{"id": 3}'
    written = io.BytesIO()
    serve(io.BytesIO(lines), written)
    assert [json.loads(line)["id"] for line in written.getvalue().splitlines()] == [1, None, 3]


def test_each_answer_is_there_before_the_next_question():
    """A program may wait for an answer before it asks again: every line is flushed. A line may be long."""
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        for number, size in ((1, 10), (2, 5_000_000), (3, 10)):
            request = {"id": number, "operation": "no_such_operation", "input": {"text": "x" * size}}
            server.stdin.write(json.dumps(request).encode() + b"\n")
            server.stdin.flush()
            assert json.loads(server.stdout.readline())["id"] == number
        server.stdin.close()
        assert server.wait(30) == 0


def test_nobody_to_read_the_answers_is_no_error():
    """When the reader leaves, the server ends without a word; its status says that nobody read the answers."""
    pipe = subprocess.PIPE
    with subprocess.Popen(SERVER, stdin=pipe, stdout=pipe, stderr=pipe) as server:
        server.stdout.close()
        server.stdin.write(b"hello\n" * 10)
        server.stdin.close()
        assert server.wait(30) == 1
        assert server.stderr.read() == b""
