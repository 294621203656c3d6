import errno
import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steps.prerequisites import sized
from tests.cli import other_tools
from tests.cli.conversations import RECORDING, conversation

COMMANDS = ("inspect", "compact")
MEMORY = 1_500_000_000
"""Bytes that the command may take for any file."""


def refused(answer, code, *words):
    """One clear line on stderr, nothing on stdout, and the exit code."""
    assert answer.out == ""
    assert answer.error.startswith("brim: ")
    assert answer.error.count("\n") == 1
    assert "Traceback" not in answer.error
    assert [word for word in words if word not in answer.error] == []
    assert answer.code == code


LOG = b'{"v":2,"kind":"session","id":"01A","time":1,"session":"01M"}\n{"v":2,"kind":"rename","id":"01B","time":2}\n'
"""A session as brim writes it down."""
FILES = {
    "empty": (b"", "is empty"),
    "blank": (b"\n \n", "is empty"),
    "binary": (bytes(range(256)) * 40, "holds binary data"),
    "words": (b"Dear diary,\nnothing happened.\n", "holds no JSON"),
    "other-json": (b'{"name": "brim", "version": 1}\n', "is of no format that brim reads"),
    "a-number": (b"17", "is of no format that brim reads"),
    "invalid-utf-8": (b'{"role": "user", "content": "\xff"}\n', "not UTF-8"),
    "deep": (b"[" * 100_000 + b"]" * 100_000, "nested deeper than 200 levels"),
    "deep-and-open": (b'{"a":' * 100_000, "nested deeper than 200 levels"),
    "system-number": (json.dumps({"system": 5, "messages": conversation(1)}).encode(), "system prompt"),
    "no-messages": (b'{"messages": []}', "holds no message"),
    "an-empty-export": (b'{\n "messages": []\n}\n', "holds no message"),
    "an-empty-list": (b"[]", "holds no message"),
    "a-log": (LOG, "is the log of session 01M of brim", "brim sessions export ID -o FILE"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_transcript(brim, tmp_path, command, name):
    """It is refused with a line that names the file and what is wrong with it."""
    content, *why = FILES[name]
    path = tmp_path / f"{name}.jsonl"
    path.write_bytes(content)
    refused(brim(command, path), 1, str(path), *why)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_and_nothing(brim, tmp_path, command):
    """A folder that is no storage tree, and a path where there is nothing."""
    refused(brim(command, tmp_path), 1, str(tmp_path))
    refused(brim(command, tmp_path / "none"), 1, "No such file or directory")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_may_not_be_read(brim, monkeypatch, command):
    """A file that belongs to someone else is named, with the reason."""

    def deny(*_arguments, **_keywords):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", deny)
    refused(brim(command, RECORDING), 1, "Permission denied")


def limited():
    """Holds a process to the memory that the command may take."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run_limited(*arguments):
    """The command in a process of its own, with little memory."""
    return subprocess.run(
        [sys.executable, "-c", "from brim.cli import main; raise SystemExit(main())", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=limited,
    )


@pytest.fixture(scope="module")
def long_line(tmp_path_factory):
    """A file with a line of 100 MB."""
    path = tmp_path_factory.mktemp("long") / "long.jsonl"
    with path.open("wb") as handle:
        handle.write(b'{"role": "user", "content": "')
        for _ in range(100):
            handle.write(b"x" * 1_000_000)
        handle.write(b'"}\n')
    yield path
    path.unlink()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_line_of_100_megabytes(long_line, command):
    """It is too long to be read, which is said; it is not held in memory."""
    done = run_limited(command, long_line)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "line 1: longer than 64 MiB" in done.stderr


def test_a_line_of_100_megabytes_among_others(long_line, tmp_path):
    """The other lines are read, and the long one is counted by its number."""
    path = tmp_path / "mixed.jsonl"
    lines = [json.dumps(message).encode() for message in conversation(1)]
    path.write_bytes(lines[0] + b"\n" + long_line.read_bytes() + b"\n".join(lines[1:]) + b"\n")
    found = json.loads(run_limited("inspect", path, "--json").stdout)
    assert (found["messages"], found["damaged_lines"]) == (4, [2])


def test_nesting_inside_a_line(brim, tmp_path):
    """A line that is nested too deeply is skipped and counted, the others are read."""
    lines = [json.dumps(message) for message in conversation(1)]
    path = tmp_path / "deep.jsonl"
    path.write_text("\n".join([*lines, '{"role": "user", "content": ' + "[" * 5_000 + "]" * 5_000 + "}"]))
    assert brim("inspect", path, "--json").json["damaged_lines"] == [5]


OTHERS = {
    "aider": other_tools.aider(3),
    "cline": other_tools.cline(tokensBefore=21_919),
    "codex": other_tools.codex(turns=3),
    "gemini-cli": other_tools.gemini(),
    "openhands": other_tools.openhands(),
    "pi": other_tools.pi(recorded=110),
}
"""Small files of other tools."""


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", OTHERS)
def test_a_file_that_breaks_off(brim, tmp_path, name, command):
    """A file of another tool that ends anywhere is read as far as it goes, or refused in one line."""
    path = tmp_path / "session"
    for share in range(1, 20, sized(4, nightly=1)):
        path.write_text(OTHERS[name][: len(OTHERS[name]) * share // 20], encoding="utf-8")
        answer = brim(command, path)
        if answer.code == 0:
            assert answer.error == ""
        else:
            refused(answer, 1, str(path))


def test_a_file_that_is_compressed(brim, tmp_path):
    """A rollout that its tool has packed is binary data, which is said."""
    path = tmp_path / "rollout.jsonl.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd\x04\x58" + bytes(range(128, 256)) * 4)
    refused(brim("inspect", path), 1, "holds binary data")


WRONG_LIMITS = {
    "a negative window": (("--window", -5), "'-5' is not a whole number from 0, such as 200000, 200k or 1m"),
    "no window": (("--window", 0), "--window is 0; it is a number of tokens from 1 to 1,000,000,000"),
    "an absurd window": (("--window", 10**30), "--window"),
    "a window in words": (("--window", "large"), "--window"),
    "a number without end": (("--window", "9" * 5_000), "--window"),
    "a negative answer": (("--max-output", -1), "--max-output"),
    "an absurd answer": (("--window", 200_000, "--max-output", 10**30), "--max-output"),
}


@pytest.mark.parametrize("command", [("inspect", RECORDING), ("compact", RECORDING), ("profiles",)], ids=lambda c: c[0])
@pytest.mark.parametrize("name", WRONG_LIMITS)
def test_wrong_limits(brim, command, name):
    """A limit that no model has is wrong usage, and the line names the option."""
    options, why = WRONG_LIMITS[name]
    refused(brim(*command, *options), 2, why)


@pytest.mark.parametrize("command", [("inspect", RECORDING), ("compact", RECORDING), ("profiles",)], ids=lambda c: c[0])
def test_a_window_no_larger_than_the_answer(brim, command):
    """There is no room beside the answer: the rule refuses it, with both numbers."""
    refused(
        brim(*command, "--model", "own-model", "--window", 32_000),
        1,
        "no room for input: window 32,000, output reserve 32,000; set --window and --max-output",
    )


def test_a_threshold_of_nothing(brim):
    """A profile that leaves no threshold for a window is refused."""
    options = ("--window", 33_000, "--max-output", 1_000, "--profile", "claude-code-2.1")
    refused(brim("compact", RECORDING, *options), 1, "claude-code-2.1 comes to a threshold of 0")


def test_an_unknown_profile(brim):
    """The line lists the profiles there are."""
    refused(brim("compact", RECORDING, "--profile", "best"), 2, "there is no profile 'best'; there are: usable, ")


@pytest.mark.parametrize("at", [-1, 72, 10**30])
def test_a_response_that_there_is_not(brim, at, tmp_path):
    """The line says which responses there are, and nothing is written."""
    answer = brim("compact", RECORDING, "--at", at, "-o", tmp_path / "new.json")
    refused(answer, 1, f"there is no response {at}; the transcript holds responses 0 to 71")
    assert list(tmp_path.iterdir()) == []


def test_a_transcript_without_a_response(brim, talk):
    """There is none to compact after."""
    refused(brim("compact", talk([{"role": "user", "content": "Hi."}]), "--at", 0), 1, "holds no response")


PLACES = {
    "a missing folder": ("none/new.json", "there is no folder"),
    "a folder": (".", "is a folder"),
    "below a file": ("talk.json/new.json", "there is no folder"),
    "a name too long": ("a" * 300, "File name too long"),
}


@pytest.mark.parametrize("dry", [(), ("--dry-run",)], ids=["", "dry run"])
@pytest.mark.parametrize("name", PLACES)
def test_a_place_that_cannot_be_written(brim, talk, tmp_path, name, dry):
    """It is refused before any work is done, and nothing is changed."""
    place, why = PLACES[name]
    path = talk(conversation(12))
    before = path.read_bytes()
    refused(brim("compact", path, "-o", tmp_path / place, *dry), 1, why)
    assert path.read_bytes() == before
    assert sorted(found.name for found in tmp_path.iterdir()) == ["talk.json"]


@pytest.mark.parametrize(
    "arguments",
    [("replay", RECORDING, "-o", "{}", "--html", "p.html"), ("inspect", "--latest", "{}")],
    ids=lambda one: one[0],
)
def test_a_link_that_leads_to_itself(brim, tmp_path, monkeypatch, arguments):
    """It is a place like another, and no crash."""
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.chdir(tmp_path)
    answer = brim(*(tmp_path / "loop" if one == "{}" else one for one in arguments))
    assert answer.code in (0, 1)
    assert "Traceback" not in answer.error


def test_a_place_where_nobody_may_write(brim):
    """A folder that takes no file: the system's own reason is given."""
    refused(brim("compact", RECORDING, "-o", "/proc/new.json"), 1, "/proc/new.json cannot be written: ")


def test_a_disk_that_is_full(brim, monkeypatch, tmp_path):
    """What was there stays, and nothing of the new file is left."""
    out = tmp_path / "new.json"
    out.write_text("old", encoding="utf-8")

    def fail(*_arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    refused(brim("compact", RECORDING, "-o", out), 1, "No space left on device")
    assert [(found.name, found.read_text(encoding="utf-8")) for found in tmp_path.iterdir()] == [("new.json", "old")]


USAGE = {
    "no file": (("compact",), "name a FILE, - for standard input, or --latest"),
    "no such option": (("inspect", RECORDING, "--nope"), "No such option: --nope"),
    "no such command": (("nope",), "No such command 'nope'."),
    "one file too many": (("inspect", RECORDING, RECORDING), "unexpected extra argument"),
    "an option without its value": (("compact", RECORDING, "-o"), "-o"),
}


@pytest.mark.parametrize("name", USAGE)
def test_wrong_usage(brim, name):
    """It takes one line to say what is wrong and where help is."""
    arguments, why = USAGE[name]
    refused(brim(*arguments), 2, why, "--help tells what there is")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(["a", "b", ""])
blocks = (
    st.fixed_dictionaries({"type": st.just("text"), "text": values})
    | st.fixed_dictionaries({"type": st.just("tool_use"), "id": names, "name": names, "input": values})
    | st.fixed_dictionaries({"type": st.just("tool_result"), "tool_use_id": names, "content": values})
    | st.fixed_dictionaries({"type": st.sampled_from(["thinking", "image", "document", "?"]), "source": values})
    | values
)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]), "content": st.text(max_size=9) | st.lists(blocks, max_size=3)},
    optional={"usage": values, "model": values, "id": values, "stop_reason": values},
)
files = st.lists(messages, min_size=1, max_size=8) | st.fixed_dictionaries(
    {"messages": st.lists(messages, min_size=1, max_size=4)}, optional={"system": values, "tools": values}
)


@settings(suppress_health_check=list(HealthCheck), max_examples=sized(20, nightly=300))
@given(files)
def test_whatever_stands_in_a_message(brim, talk, content):
    """Any JSON in the place of a message's parts is read or refused in one line, and what is read can be printed."""
    path = talk(content, "any.json")
    for arguments in (("inspect", path), ("inspect", path, "--json"), ("compact", path), ("compact", path, "--json")):
        answer = brim(*arguments)
        if answer.code == 0:
            assert answer.error == ""
        else:
            refused(answer, 1)
