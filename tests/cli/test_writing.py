"""Where the command writes what it was asked to write: files, standard output, and never what brim keeps itself."""

import json
import os
import threading

import pytest

from brim.sessions.file_store import FileStore
from steps.file_cells import contents
from tests.cli import other_tools
from tests.cli.conversations import RECORDING, conversation
from tests.cli.test_bad_input import refused


@pytest.fixture
def others(home, compacted):
    """What brim keeps beside the session that is asked for, by what it is."""
    logs = list(home.glob("sessions/*/*.jsonl"))
    other = next(log for log in logs if log.stem != compacted)
    index = home / "index.sqlite"
    return {
        "the log of another session": other,
        "the index": index,
        "a lock": home / "locks" / f"{other.stem}.lock",
        "a new log": other.with_name("new.jsonl"),
        "a new file": home / "new.json",
    }


KEPT = (
    "the log of another session", "the index", "a lock", "a new log", "a new file",
)  # fmt: skip


def writers(compacted):
    """The commands that write a file where they are asked to."""
    return (
        ("sessions", "resume", compacted),
        ("sessions", "export", compacted),
        ("compact", RECORDING),
        ("compact", RECORDING, "--dry-run"),
    )


@pytest.mark.parametrize("kind", KEPT)
def test_what_brim_keeps_is_never_written_over(brim, compacted, others, tmp_path, kind):
    """A place in the folder of the sessions is refused in a line, and nothing is changed there."""
    before = contents(tmp_path)
    for command in writers(compacted):
        refused(brim(*command, "-o", others[kind]), 1, "is where brim keeps sessions", "with -o")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("kind", KEPT[:3])
@pytest.mark.parametrize("way", ["symbolic", "hard", "folder"])
def test_nor_by_another_name(brim, compacted, others, tmp_path, way, kind):  # noqa: PLR0917 - a table's columns
    """A link to such a file, a further name of it, or a link to its folder is no way around."""
    place = tmp_path / "elsewhere"
    if way == "symbolic":
        place.symlink_to(others[kind])
    elif way == "hard":
        os.link(others[kind], place)
    else:
        place.symlink_to(others[kind].parent)
        place /= others[kind].name
    before = contents(tmp_path)
    for command in writers(compacted):
        refused(brim(*command, "-o", place), 1, "is where brim keeps sessions")
    assert contents(tmp_path) == before


def test_nor_where_a_project_lies_on_another_disk(brim, compacted, others, home, tmp_path):
    """A folder of a project that is a link holds logs as any other does."""
    folder = others["the log of another session"].parent
    moved = folder.rename(tmp_path / "disk")
    folder.symlink_to(moved)
    before = contents(tmp_path)
    refused(brim("sessions", "resume", compacted, "-o", moved / others["the log of another session"].name), 1, "keeps")
    assert contents(tmp_path) == before


def test_the_store_that_is_meant_is_the_one_in_use(brim, compacted, home, tmp_path, monkeypatch):
    """The folder that --store names is kept, and a folder that is no store may be written to."""
    monkeypatch.setenv("BRIM_HOME", str(tmp_path / "another"))
    store = ("--store", home)
    refused(brim("sessions", "resume", compacted, "-o", home / "x.json", *store), 1, "is where brim keeps sessions")
    (tmp_path / "homely").mkdir()
    assert brim("sessions", "resume", compacted, "-o", tmp_path / "homely" / "x.json", *store).code == 0


def test_a_tree_among_the_sessions(brim, compacted, home):
    """It is not made there."""
    before = contents(home)
    for place in (home, home / "tree", home / "sessions", home / "sessions" / "tree"):
        refused(brim("sessions", "export", compacted, "--tree", "-o", place), 1, "is where brim keeps sessions")
    assert contents(home) == before


HYPHENS = ("-", "/dev/stdout", "/dev/fd/1")


@pytest.mark.parametrize("name", HYPHENS)
def test_standard_output(brim, compacted, tmp_path, monkeypatch, name):
    """It gets what a file would get, and nothing else; what there is to say goes to the errors."""
    monkeypatch.chdir(tmp_path)
    for number, command in enumerate(writers(compacted)[:3]):
        told = brim(*command, "-o", f"{number}.json").out
        answer = brim(*command, "-o", name)
        assert (answer.code, answer.out) == (0, (tmp_path / f"{number}.json").read_text(encoding="utf-8"))
        assert answer.error.replace("standard output", f"{number}.json").split() == told.split()
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize("place", ["~nobody-is-called-so/x", "postgresql:/me@host/x"])
def test_a_compaction_needs_no_place_for_sessions(brim, monkeypatch, tmp_path, place):
    """Where the place of the sessions is told wrongly, a compaction into a file is written all the same."""
    monkeypatch.setenv("BRIM_HOME", place)
    assert brim("compact", RECORDING, "-o", tmp_path / "out.json").code == 0


def test_a_dry_run_to_standard_output(brim):
    """Nothing is written there but the page."""
    answer = brim("compact", RECORDING, "-o", "-", "--dry-run")
    assert answer.out.endswith("messages\n")
    assert "Would be written to standard output" in answer.out


def test_a_file_that_is_called_a_hyphen(brim, compacted, tmp_path, monkeypatch):
    """With its folder before it, a hyphen is a file."""
    monkeypatch.chdir(tmp_path)
    assert brim("sessions", "resume", compacted, "-o", "./-").out.endswith("Written to -, 6 messages\n")
    assert len(json.loads((tmp_path / "-").read_text(encoding="utf-8"))["messages"]) == 6


def test_standard_output_is_asked_for_one_thing(brim, compacted):
    """Two answers on it, or a tree of files, are wrong usage."""
    for command in writers(compacted):
        refused(brim(*command, "-o", "-", "--json"), 2, "--json both answer on standard output")
    refused(brim("sessions", "export", compacted, "--tree", "-o", "-"), 2, "--tree writes many files")


def test_a_pipe_that_has_a_name(brim, compacted, tmp_path):
    """It is written to as it is, whatever its name leads to."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    assert brim("sessions", "resume", compacted, "-o", pipe).code == 0
    reader.join()
    assert len(json.loads(got[0])["messages"]) == 6
    assert pipe.is_fifo()


def test_a_pipe_of_a_shell(brim, home):
    """A pipe that has no name but its number, as shells hand it on, is written to."""
    with FileStore(home).create() as session:
        session.extend(conversation(1, lines=1))
    reading, writing = os.pipe()
    answer = brim("sessions", "resume", session.id, "-o", f"/dev/fd/{writing}")
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        assert len(json.load(pipe)["messages"]) == 4
    assert (answer.code, answer.error) == (0, "")


def test_a_backed_up_log(brim, compacted, home, tmp_path):
    """It cannot be imported yet; the line says where it belongs, and there it is a session again."""
    log = next(home.glob(f"sessions/*/{compacted}.jsonl"))
    backup = tmp_path / "backup.jsonl"
    log.rename(backup)
    answer = brim("sessions", "import", backup)
    place = home / "sessions" / "no-project" / f"{compacted}.jsonl"
    refused(
        answer,
        1,
        f"is the log of session {compacted} of brim",
        f"a folder of {home / 'sessions'}, it is a session again",
    )
    place.parent.mkdir()
    backup.rename(place)
    assert compacted in brim("sessions", "list", "--project", "/home/dev/parser").out
    assert conversation(1)[0]["content"] in brim("sessions", "expand", compacted).out


FAILED = {"role": "assistant", "model": "<synthetic>", "content": [{"type": "text", "text": "API Error: 500"}]}


@pytest.mark.parametrize("command", [("compact", "--to", "anthropic", "-o", "out.json"), ("sessions", "import")])
def test_nothing_without_a_message_is_written(brim, tmp_path, monkeypatch, command):
    """Of a file of which nothing was ever sent, and of a system prompt alone, no conversation is made."""
    monkeypatch.setenv("BRIM_HOME", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    failed = {"type": "assistant", "uuid": "u", "sessionId": "s", "isApiErrorMessage": True, "message": FAILED}
    for content in (failed, [{"role": "system", "content": "Be kind."}]):
        (tmp_path / "talk.json").write_text(json.dumps(content))
        answer = brim(*command[:2], *command[2:], "talk.json")
        assert (answer.code, answer.out) == (1, "")
        assert "nothing" in answer.error or "alone" in answer.error
        assert not (tmp_path / "out.json").exists()
    assert brim("sessions", "list", "--json").json["sessions"] == []


def test_what_only_the_responses_format_has(brim, tmp_path):
    """Instructions of the developer and an encrypted summary of Codex are there what they were."""
    rules = {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Rules."}]}
    sealed = {"type": "compaction", "encrypted_content": "x" * 40}
    history = [rules, other_tools.said("user", "input_text", "Build the pier."), sealed]
    records = [{"type": "compacted", "payload": {"message": "", "replacement_history": history}}]
    records += [{"type": "response_item", "payload": one} for one in (rules, history[1])]
    path, out = tmp_path / "rollout", tmp_path / "out.json"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    answer = brim("compact", path, "--to", "openai-responses", "-o", out, "--json").json
    assert (answer["repaired"], answer["left_out"]) == ([], {})
    items = json.loads(out.read_text(encoding="utf-8"))["input"]
    said = {"type": "message", "role": "user", "content": "Build the pier."}
    assert items == [rules, said, sealed, rules, said]
    brim("compact", path, "--to", "anthropic", "-o", out)
    roles = [one["role"] for one in json.loads(out.read_text(encoding="utf-8"))["messages"]]
    assert (set(roles), "encrypted_content" in out.read_text(encoding="utf-8")) == ({"user"}, False)


def test_an_encrypted_summary_outlives_the_next(brim, tmp_path):
    """Nobody but the provider can read it, so it stands ahead of the summary that replaces what follows it."""
    sealed = {"type": "compaction", "encrypted_content": "x" * 40}
    records = [{"type": "compacted", "payload": {"message": "", "replacement_history": [sealed]}}]
    for number in range(20):
        for role, kind in (("user", "input_text"), ("assistant", "output_text")):
            said = other_tools.said(role, kind, f"Plank {number} of the pier is sound. " * 30)
            records.append({"type": "response_item", "payload": said})
    path, out = tmp_path / "rollout", tmp_path / "out.json"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    limits = ("--window", 40_000, "--max-output", 4_000, "--threshold", 4_000, "--target", 1_000)
    assert brim("compact", path, *limits, "--to", "openai-responses", "-o", out, "--json").json["compacted"]
    items = json.loads(out.read_text(encoding="utf-8"))["input"]
    assert (items[0], items[1]["role"], "written by brim" in items[1]["content"]) == (sealed, "user", True)
    brim("compact", path, *limits, "--to", "openai-chat", "-o", out)
    assert "written by brim" in json.loads(out.read_text(encoding="utf-8"))["messages"][0]["content"]
