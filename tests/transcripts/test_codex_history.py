"""Codex: a rollout whose history is in other files, and what says so where one is not there."""

import json

import pytest

from brim.transcripts import read_transcript

TOKENS = {"input_tokens": 91_000, "cached_input_tokens": 80_000, "output_tokens": 40, "total_tokens": 91_040}


class Sessions:
    """The folder of Codex on a machine."""

    def __init__(self, home):
        self.home = home

    def place(self, name, day="2026/09/20", kept="sessions"):
        """Where a rollout is kept."""
        return self.home / kept / day / f"rollout-2026-09-20T10-00-00-{name}.jsonl"

    def write(self, name, first, *texts, base=None, **where):
        """A rollout: its head and messages of the user, with ordinals from the first on."""
        about = {} if base is None else {"history_base": {"thread_id": base[0], "end_ordinal_exclusive": base[1]}}
        records = [("session_meta", {"id": name, "cli_version": "0.154.0", **about})]
        records += [("response_item", message(text)) for text in texts]
        lines = [
            json.dumps({"ordinal": number, "type": kind, "payload": payload})
            for number, (kind, payload) in enumerate(records, first)
        ]
        path = self.place(name, **where)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path


def message(text):
    """A message of the user."""
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def texts(transcript):
    """The texts of the messages."""
    return [one.text for one in transcript.messages]


@pytest.fixture
def sessions(tmp_path, monkeypatch):
    """The folder of Codex, which its variable names."""
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    return Sessions(tmp_path / "codex")


def test_bases_are_followed(sessions):
    """Each base gives what stands before its exclusive ordinal, wherever among the sessions it is."""
    sessions.write("one", 0, "a", "b", "c", day="2026/08/01")
    sessions.write("two", 3, "d", "e", base=("one", 3), kept="archived_sessions")
    path = sessions.write("three", 6, "f", base=("two", 5))
    transcript = read_transcript(path)
    assert texts(transcript) == ["a", "b", "d", "f"]
    assert (transcript.lacks, transcript.left_out) == (None, {"session_meta": 1})
    assert [str(sessions.place("one", day="2026/08/01")) in note for note in transcript.notes] == [False, True]


def test_a_copy_finds_its_base(sessions, tmp_path):
    """The base of a copied rollout is beside it, or where Codex keeps its sessions."""
    sessions.write("one", 0, "a")
    copy = sessions.write("two", 2, "b", base=("one", 2)).rename(tmp_path / "copy.jsonl")
    assert texts(read_transcript(copy)) == ["a", "b"]
    sessions.place("one").rename(tmp_path / "rollout-one.jsonl")
    assert texts(read_transcript(copy)) == ["a", "b"]


def test_a_thread_that_went_back(sessions):
    """A revert is a further file of the thread, whose base is the rollout that the thread began with."""
    sessions.write("t1", 0, "a", "taken back")
    assert texts(read_transcript(sessions.write("t1_r2", 3, "b", base=("t1", 2)))) == ["a", "b"]


def test_a_base_that_is_not_there(sessions):
    """It is named, with the folders to put it into."""
    sessions.write("someone", 0, "of another thread")
    path = sessions.write("two", 812, "b", base=("one", 812))
    transcript = read_transcript(path)
    assert texts(transcript) == ["b"]
    looked = f"{path.parent} or {sessions.home / 'sessions'}"
    said = f"what comes before record 812 is in the rollout one, which is not in {looked}: put it there, unpacked;"
    assert transcript.lacks.startswith(said)
    assert transcript.notes == (transcript.lacks,)


def test_a_base_that_cannot_be_read(sessions):
    """Its error says why; what follows is read."""
    path = sessions.write("two", 3, "b", base=("one", 3))
    sessions.place("one").write_text("", encoding="utf-8")
    transcript = read_transcript(path)
    assert (texts(transcript), "is empty" in transcript.lacks) == (["b"], True)


def test_damage_in_a_base_names_its_file(sessions):
    """A damaged record of a base is told with the file that it stands in."""
    base = sessions.write("one", 0, "a")
    base.write_text(base.read_text(encoding="utf-8") + "{ no\n", encoding="utf-8")
    (damage,) = read_transcript(sessions.write("two", 3, "b", base=("one", 3))).damaged
    assert (damage.line, damage.reason) == (3, f"not JSON, in {base.name}")


def test_bases_in_a_circle(sessions):
    """Each is read once, and the transcript says so."""
    sessions.write("one", 0, "a", base=("two", 9))
    transcript = read_transcript(sessions.write("two", 3, "b", base=("one", 9)))
    assert texts(transcript) == ["a", "b"]
    assert "what comes before record 9 is in the rollout two" in transcript.lacks


@pytest.mark.parametrize("base", [("", 3), ("../../../etc/passwd", 3), ("*", 3), (7, 3), ("one", "3"), ("one", None)])
def test_odd_bases(sessions, base):
    """What is no id finds nothing, and what is no base is none."""
    assert texts(read_transcript(sessions.write("two", 3, "b", base=base))) == ["b"]


def test_records_without_an_ordinal_are_counted(sessions):
    """An older rollout has no ordinals: its records are counted from 0."""
    base = sessions.write("one", 0, "a", "b")
    base.write_text(base.read_text(encoding="utf-8").replace('"ordinal"', '"other"'), encoding="utf-8")
    assert texts(read_transcript(sessions.write("two", 3, "c", base=("one", 2)))) == ["a", "c"]


def test_a_record_of_usage(written):
    """The usage of a response counts where no count of tokens follows, and once where one does."""
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}
    count = {"type": "token_count", "info": {"last_token_usage": TOKENS, "total_token_usage": {"total_tokens": 1}}}
    records = [
        ("response_item", message("go")),
        ("response_item", said),
        ("token_usage_record", {"response_id": "r1", "usage": TOKENS}),
    ]
    for told in (records, [*records, ("event_msg", count)]):
        lines = "".join(json.dumps({"type": kind, "payload": payload}) + "\n" for kind, payload in told)
        assert [response.usage.total for response in read_transcript(written(lines)).responses] == [91_040]
