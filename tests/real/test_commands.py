"""The command on real sessions: it answers for each, and what it writes is what the API takes."""

import json

import pytest

from brim.cli import main
from brim.conversation.messages import read_message
from brim.conversation.turns import find_turns
from brim.testing import openai_chat_complaints, openai_responses_complaints
from brim.transcripts import read_transcript, view
from steps.prerequisites import sized
from tests.real.conftest import FOLDER
from tests.real.test_compaction import BEGINS_LATE, refusals
from tests.real.test_transcripts import CODEX, FORMS, OTHER_PEAKS, PEAKS, SAMPLE, UNPAIRED
from tests.transcripts.claude_code_schema import session_faults

pytestmark = pytest.mark.transcripts

KNOWN = PEAKS | OTHER_PEAKS
WINDOWS = {
    "unknown": (),
    "200,000": ("--window", "200000", "--max-output", "32000"),
    "60,000": ("--window", "60000", "--max-output", "8192"),
}
HELD = {"unknown": None, "200,000": 200_000, "60,000": 60_000}
STATED = {
    CODEX: 121_600,  # stated by the file
    "claude-code/entireio-cli/2.1.1-two-auto.jsonl": 200_000,
    "claude-code/entireio-cli/2.1.17-two-microcompact-and-auto.jsonl": 200_000,
    "claude-code/entireio-cli/2.1.38-auto.jsonl": 200_000,
    "claude-code/oh-my-posh/2.1.217-manual-preserved-messages.jsonl": 1_000_000,  # it held more than 200,000
    "claude-code/claude-code-viewer/1.0.98-sidechains.jsonl": 200_000,
    "claude-code/context-evaluator/2.1.47-image.jsonl": 200_000,
    "opencode/session-bridge/1.4.3-auto-compaction.json": 200_000,
    "opencode/nimbus/1.2.26-pruned-tool-outputs.json": 400_000,
    "pi/pi-mono/before-compaction-two-compactions.jsonl": 200_000,
    "gemini-cli/session-bridge/gemini-3-flash.json": 1_048_576,
    "mini-swe-agent/gemini-3-pro/scikit-learn__scikit-learn-25102.traj.json": 1_048_576,
    "swe-agent/swe-smith/pydantic__pydantic.acb0f10f.pr_8316.traj": 200_000,
}
"""The windows that files state themselves, or that their tools and models have."""
NOTES = {
    "codex": "\nNote: encrypted, and so not read: 176 of reasoning and 2 of summaries\n",
    "pi": "\nNote: pi does not record whether a compaction was asked for by hand\n",
    "gemini-cli": "\nNote: Gemini CLI does not record when it compressed the history;",
    "swe-agent": "\nNote: SWE-agent records no tokens of single responses:",
    "openhands": "\n3 conversations in the file; the window is that of the last\n",
    "aider": "\n13 conversations in the file; the window is that of the last\n",
}
"""What a page says of what the files of a format cannot tell."""


@pytest.fixture
def run(real, capfd, monkeypatch):
    """Runs the command on one of the transcripts, in 80 columns or as many as are told; what it printed."""
    monkeypatch.setenv("NO_COLOR", "1")

    def answer(command, name, *options, columns=80):
        real(name)
        monkeypatch.setenv("COLUMNS", str(columns))
        assert main([command, str(FOLDER / name), *map(str, options)]) == 0
        out, error = capfd.readouterr()
        assert error == ""
        return out

    return answer


@pytest.fixture
def brim(run):
    """Runs the command on one of the transcripts, and gives its JSON."""
    return lambda command, name, *options: json.loads(run(command, name, "--json", *options))


@pytest.fixture
def compacted(brim, tmp_path):
    """Compacts one of the transcripts: the answer, and what was written."""

    def run(name, *options):
        out = tmp_path / "new.json"
        answer = brim("compact", name, "--to", "anthropic", "-o", out, *options)
        return answer, json.loads(out.read_bytes().decode())

    return run


def last_words(messages):
    """The message that the user wrote last, in a list; an empty one where there is none."""
    turns = find_turns(messages)
    return [messages[turns[-1].start].raw] if turns else []


@pytest.mark.parametrize("window", sized(["unknown"], nightly=WINDOWS))
@pytest.mark.parametrize("name", SAMPLE)
def test_inspecting(brim, name, window):
    """What is known of the file is told of it, and the shares make up the window."""
    found = brim("inspect", name, *WINDOWS[window])
    assert found["context_peak"] == KNOWN[name]
    assert (found["damaged_lines"], len(found["unpaired"])) == ([], UNPAIRED.get(name, 0))
    assert sum(found["composition"].values()) >= found["window_now"] > 0
    assert found["window"] == (HELD[window] or STATED.get(name))
    assert {due["first_due"] for due in found["profiles"].values() if due["threshold"] is None} <= {None}


@pytest.mark.parametrize("command", ["inspect", "compact"])
@pytest.mark.parametrize("name", SAMPLE)
def test_the_pages(run, name, command):
    """A page names the format and the model, keeps to the terminal, and ends without a blank line."""
    for columns in (80, 100):
        lines = run(command, name, columns=columns).removesuffix("\n").split("\n")
        assert max(map(len, lines)) <= columns
        assert lines[-1]
        assert not any(line.lstrip().startswith("·") for line in lines)
        if name in FORMS:
            form, version, model = FORMS[name]
            told = f" {version}" if version and command == "inspect" else ""
            assert lines[1] == f"{form}{told} · {model}"


@pytest.mark.parametrize("name", SAMPLE)
def test_what_a_file_cannot_tell(run, name):
    """What the files of a format cannot tell is said, once, and so are those that hold several conversations."""
    page = run("inspect", name, columns=120)
    note = NOTES.get(page.split("\n")[1].partition(" ")[0], "\n")
    assert page.count(note) >= 1
    assert page.count("conversations in the file") + page.count("conversations stand in the file") <= 1


@pytest.mark.parametrize("window", sized(["60,000"], nightly=WINDOWS))
@pytest.mark.parametrize("name", SAMPLE)
def test_compacting(compacted, name, window):
    """The API takes what is written, the user's last message is in it, and it is smaller or is what it was (CNV_09)."""
    answer, written = compacted(name, *WINDOWS[window])
    seen = view(read_transcript(FOLDER / name)).messages
    assert refusals(written) == []
    assert (answer["complaint"], answer["held"] > 0) == (None, True)
    assert [message for message in last_words(seen) if message not in written["messages"]] == []
    if answer["compacted"]:
        assert answer["tokens_after"] < answer["tokens_before"]
    else:
        assert answer["decision"].startswith("nothing to compact")
        came = [message.raw for message in seen]
        new = [message for message in written["messages"] if message not in came]
        assert len(new) == len(answer["repaired"])
        assert answer["tokens_after"] == answer["tokens_before"]


@pytest.mark.parametrize("share", sized([75], nightly=[0, 10, 25, 50, 75, 90, 100]))
@pytest.mark.parametrize("name", SAMPLE)
def test_compacting_in_the_middle(real, compacted, name, share):
    """At any response, in the middle of its tools too; what the API would refuse is there only if it came so."""
    at = (len(real(name).responses) - 1) * share // 100
    answer, written = compacted(name, "--at", at, *WINDOWS["60,000"])
    seen = view(real(name), at).messages
    assert refusals(written) == ([BEGINS_LATE] if answer["complaint"] else [])
    assert not answer["complaint"] or (seen[0].role == "assistant" and not answer["compacted"])
    assert [message for message in last_words(seen) if message not in written["messages"]] == []
    assert answer["tokens_after"] <= answer["tokens_before"]


@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "claude-code"])
@pytest.mark.parametrize("name", SAMPLE)
def test_writing_in_another_format(brim, tmp_path, name, target):
    """Each format is one that its API or its agent takes, and that brim reads; the user's last message is in it."""
    out = tmp_path / "new.json"
    answer = brim("compact", name, "--to", target, "-o", out, *WINDOWS["60,000"])
    text = out.read_bytes().decode()
    if target == "claude-code":
        assert session_faults([json.loads(line) for line in text.split("\n")[:-1]]) == []
    elif target == "openai-chat":
        assert openai_chat_complaints(json.loads(text)["messages"]) == []
    else:
        assert openai_responses_complaints(json.loads(text)["input"]) == []
    assert set(answer["left_out"]) <= {"thinking", "redacted_thinking", "image of a tool"}
    read = read_transcript(out)
    plain = target == "openai-chat" and "tool_calls" not in text  # such a list is the same in Anthropic's form
    assert (read.format in {target, *(["anthropic-messages"] * plain)}, read.damaged) == (True, ())
    words = [find_text(one) for one in last_words(view(read_transcript(FOLDER / name)).messages)]
    said = [message.text for message in read.messages]
    assert [text for text in words if text not in said] == []


def find_text(message):
    """The texts of a message that was read."""
    return read_message(message).text


@pytest.mark.parametrize("name", SAMPLE)
def test_compacting_what_was_compacted(compacted, name, tmp_path):
    """What was written can be read and compacted again: at once there is nothing to do, by the same limits."""
    answer, written = compacted(name, *WINDOWS["60,000"])
    again = tmp_path / "again.json"
    assert main(["compact", str(tmp_path / "new.json"), "-o", str(again), *WINDOWS["60,000"]]) == 0
    if answer["compacted"] and not answer["over_keep_tokens"]:  # summaries of other tools are not marked there
        assert json.loads(again.read_bytes().decode()) == written


@pytest.mark.parametrize("name", SAMPLE)
def test_the_window_is_what_inspecting_says(brim, name):
    """Inspecting and compacting say the same of what the window holds."""
    held = brim("compact", name, *WINDOWS["200,000"])["held"]
    assert held == brim("inspect", name, *WINDOWS["200,000"])["window_now"]
