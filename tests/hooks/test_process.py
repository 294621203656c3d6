"""The hooks as an agent runs them: processes of their own that always exit with 0."""

import json
import os
import shlex
import subprocess
import sys

import pytest

from steps.prerequisites import sized

BRIM = [sys.executable, "-m", "brim", "hook"]
GIVEN = {"source": "compact", "prompt": "Go on."}


def run(*arguments, given=b"", **options):
    """A hook, as an agent runs it."""
    return subprocess.run([*BRIM, *arguments], input=given, capture_output=True, timeout=60, check=False, **options)


PLACES = ["", ">&-", "2>/dev/full", "2>&-", ">/dev/full", ">&- 2>/dev/full"]


@pytest.mark.parametrize("event", sized(["session-start"], nightly=["session-start", "user-prompt-submit"]))
@pytest.mark.parametrize(
    "given",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"{",
        b"[]",
        b'{"transcript_path": []}',
        b'{"transcript_path": "\\u0000"}',
        b'{"a":' * 9_000,
    ],
    ids=["nothing", "no text", "null", "half", "a list", "a path that is a list", "a path with a zero", "nested"],
)
def test_any_input_is_survived(event, given):
    """With nothing on standard output and one line on standard error."""
    done = run(event, given=given)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(f"brim hook {event}: ".encode())
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("event", ["session-start", "user-prompt-submit"])
@pytest.mark.parametrize("places", sized(["", ">/dev/full", ">&- 2>/dev/full"], nightly=PLACES))
@pytest.mark.parametrize("option", sized([""], nightly=["", "--job"]))
def test_a_hook_exits_with_0_wherever_it_writes(event, places, option):
    """An exit code of 2 blocks the user's prompt, also for an option without its value."""
    line = f"{shlex.join(BRIM)} {event} {option} </dev/null {places}"
    assert subprocess.run(["/bin/sh", "-c", line], capture_output=True, timeout=60, check=False).returncode == 0


@pytest.mark.parametrize(("path", "line"), [("/proc/kmsg", b"is empty"), ("~nouser/x", b"there is no such user")])
def test_a_transcript_that_is_none(path, line):
    """A file of the kernel's that never ends, and a user that is none: one clear line each."""
    done = run("session-start", given=json.dumps({**GIVEN, "transcript_path": path}).encode())
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (0, b"", 1)
    assert line in done.stderr or (path == "/proc/kmsg" and os.getuid() != 0)


@pytest.mark.parametrize("event", ["session-start", "user-prompt-submit"])
def test_a_pipe_in_place_of_the_transcript_is_not_waited_for(tmp_path, event):
    """It is no file that has an end."""
    os.mkfifo(tmp_path / "pipe")
    done = run(event, given=json.dumps({**GIVEN, "transcript_path": str(tmp_path / "pipe")}).encode())
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"is no ordinary file" in done.stderr


def test_a_link_that_leads_to_itself(tmp_path):
    """It is named, and nothing more happens."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    done = run("session-start", given=json.dumps({**GIVEN, "transcript_path": str(tmp_path / "loop")}).encode())
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (0, b"", 1)


def test_a_transcript_of_odd_records_is_survived(tmp_path):
    """Damaged lines, wrong types and half a character cost no more than themselves."""
    records = [
        {
            "type": "user",
            "uuid": "1",
            "version": "2.1.217",
            "message": {"role": "user", "content": "Never \ud800 edit."},
        },
        {"type": "user", "uuid": 5, "message": None},
        {"type": "assistant", "uuid": "2", "message": {"role": "assistant", "content": 7}},
        {"type": "attachment", "uuid": "3", "attachment": []},
        {"type": "system", "subtype": "compact_boundary", "uuid": "4", "compactMetadata": 3},
        {"type": "user", "uuid": "6", "isCompactSummary": True, "message": {"role": "user", "content": "Done."}},
    ]
    path = tmp_path / "odd.jsonl"
    path.write_text("\n".join([*map(json.dumps, records), "{half", '"text"', ""]), encoding="utf-8")
    done = run("session-start", given=json.dumps({**GIVEN, "transcript_path": str(path)}).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    text = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert "- Never ? edit." in text.splitlines()
    text.encode()


def test_settings_that_cannot_be_written_are_left_as_they_are(tmp_path):
    """A file where the folder would be; the error is one line."""
    (tmp_path / ".claude").write_text("mine", encoding="utf-8")
    done = run("install", "--project", "--yes", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert (tmp_path / ".claude").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(("records", "loads"), [("", False), ('{"subtype": "compact_boundary"}', True)])
def test_a_prompt_without_a_compaction_loads_no_reader(tmp_path, records, loads):
    """Each prompt waits for the hook, and most come without a compaction."""
    said = '{"type": "user", "uuid": "1", "message": {"role": "user", "content": "Say \\"compact_boundary\\"."}}'
    path = tmp_path / "session.jsonl"
    path.write_text(f"{said}\n{records}\n", encoding="utf-8")
    program = "import sys; from brim.cli import main; main(sys.argv[1:]); sys.exit('brim.transcripts' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program, "hook", "user-prompt-submit"],
        input=json.dumps({**GIVEN, "transcript_path": str(path)}).encode(),
        check=False,
    )
    assert done.returncode == loads
