"""The command on real sessions: it answers for each, and what it writes is what the API takes."""

import json

import pytest

from brim.cli import main
from brim.conversation.turns import find_turns
from brim.transcripts import read_transcript, view
from tests.real.conftest import FOLDER
from tests.real.test_transcripts import PEAKS, V1_LONG
from tests.strict_api import complaints

pytestmark = pytest.mark.real

WINDOWS = {
    "unknown": (),
    "200,000": ("--window", "200000", "--max-output", "32000"),
    "60,000": ("--window", "60000", "--max-output", "8192"),
}


@pytest.fixture
def brim(real, capfd):
    """Runs the command on one of the transcripts, and gives its JSON."""

    def run(command, name, *options):
        real(name)
        assert main([command, str(FOLDER / name), "--json", *map(str, options)]) == 0
        out, error = capfd.readouterr()
        assert error == ""
        return json.loads(out)

    return run


@pytest.fixture
def compacted(brim, tmp_path):
    """Compacts one of the transcripts: the answer, and the messages that were written."""

    def run(name, *options):
        out = tmp_path / "new.json"
        answer = brim("compact", name, "-o", out, *options)
        return answer, json.loads(out.read_bytes().decode())["messages"]

    return run


def last_words(messages):
    """What the user wrote last, as plain dictionaries."""
    turns = find_turns(messages)
    return messages[turns[-1].start].raw["content"] if turns else None


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(("name", "peak"), PEAKS.items())
def test_inspecting(brim, name, peak, window):
    """The most that one response read is the number known of the file, and the shares make up the window."""
    found = brim("inspect", name, *WINDOWS[window])
    assert found["context_peak"] == peak
    assert (found["damaged_lines"], found["unpaired"]) == ([], [])
    assert sum(found["composition"].values()) >= found["window_now"]
    assert [due["first_due"] is not None for due in found["profiles"].values() if due["threshold"] is None].count(
        1
    ) == 0


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", PEAKS)
def test_compacting(compacted, name, window, tmp_path):
    """The API takes what is written, it ends as it did, and it is smaller, or is what it was (CNV_09)."""
    answer, messages = compacted(name, *WINDOWS[window])
    seen = view(read_transcript(FOLDER / name)).messages
    assert complaints(messages) == []
    assert (answer["complaint"], answer["held"] > 0) == (None, True)
    assert last_words(read_transcript(tmp_path / "new.json").messages) == last_words(seen)
    if answer["compacted"]:
        assert answer["tokens_after"] < answer["tokens_before"]
    else:
        came = [message.raw for message in seen]
        assert sum(was != now for was, now in zip(came, messages, strict=True)) == answer["mended"]
        assert answer["tokens_after"] == answer["tokens_before"]


@pytest.mark.parametrize("share", [0, 10, 25, 50, 75, 90, 100])
@pytest.mark.parametrize("name", PEAKS)
def test_compacting_in_the_middle(brim, compacted, name, share):
    """At any response, in the middle of its tools too; what the API would refuse is there only if it came so."""
    at = (brim("inspect", name)["responses"] - 1) * share // 100
    answer, messages = compacted(name, "--at", at, *WINDOWS["60,000"])
    begins = ["the first message is not the user's"] if answer["complaint"] else []
    assert complaints(messages) == begins
    assert begins == [] or (name == V1_LONG and not answer["compacted"])
    assert answer["tokens_after"] <= answer["tokens_before"]


@pytest.mark.parametrize("name", PEAKS)
def test_compacting_what_was_compacted(brim, compacted, name, tmp_path):
    """What was written can be read and compacted again: at once there is nothing to do, by the same limits."""
    answer, messages = compacted(name, *WINDOWS["60,000"])
    again = tmp_path / "again.json"
    assert main(["compact", str(tmp_path / "new.json"), "-o", str(again), *WINDOWS["60,000"]]) == 0
    if not answer["over_target"]:
        assert json.loads(again.read_bytes().decode())["messages"] == messages


@pytest.mark.parametrize("name", PEAKS)
def test_the_window_is_what_inspecting_says(brim, name):
    """Inspecting and compacting say the same of what the window holds."""
    held = brim("compact", name, *WINDOWS["200,000"])["held"]
    assert held == brim("inspect", name, *WINDOWS["200,000"])["window_now"]
