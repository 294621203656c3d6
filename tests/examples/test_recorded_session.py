import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from brim.conversation.messages import read_conversation
from brim.conversation.tool_pairs import pair_tools
from brim.conversation.turns import find_turns
from brim.tokens.estimation import measure, tokens_of

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
RECORDING = EXAMPLES / "recorded-session.jsonl"
USABLE = 32_000 - 4_096
SYSTEM_TOKENS = 9_000


@pytest.fixture(scope="module")
def raws():
    """The recording's messages, as they lie in the file."""
    return [json.loads(line) for line in RECORDING.read_text(encoding="utf-8").split("\n")[:-1]]


@pytest.fixture(scope="module")
def turns(raws):
    """Its turns, as brim reads them."""
    return find_turns(read_conversation(raws))


def held(response):
    """Tokens that the window held after a response."""
    return sum(response["usage"].values())


def test_it_is_what_the_recorder_writes(tmp_path):
    """Recording it again, in another place and with other settings of the user's, gives the same bytes."""
    again = tmp_path / "again.jsonl"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "HOME": str(tmp_path), "GIT_DIR": "/nowhere", "COLUMNS": "40"}
    command = [sys.executable, str(EXAMPLES / "record.py"), str(again)]
    subprocess.run(command, env=environment, check=True, timeout=100)
    assert again.read_bytes() == RECORDING.read_bytes()


def test_a_tool_that_answers_otherwise_than_the_script_stops_the_recording(tmp_path):
    """A call that has to fail and does not is an error, and nothing is written."""
    for name in ("record.py", "workspace.py"):
        (tmp_path / name).write_bytes((EXAMPLES / name).read_bytes())
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "README.md").write_text("Read me.\n", encoding="utf-8")
    script = '[[turn]]\nuser = "Hi"\n[[turn.response]]\n[[turn.response.call]]\nRead = "README.md"\nfails = true\n'
    (tmp_path / "script.toml").write_text(script, encoding="utf-8")
    command = [sys.executable, str(tmp_path / "record.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode != 0
    assert "ScriptError" in done.stderr
    assert not (tmp_path / "recorded-session.jsonl").exists()


def test_the_pairing_finds_nothing_to_mend(raws):
    """To brim itself, no call lacks its result and no result its call."""
    messages = read_conversation(raws)
    assert list(pair_tools(messages).messages) == list(messages)


def test_it_shows_nothing_of_the_machine_it_was_recorded_on():
    """Every absolute path lies in the neutral folder, and every test run took the same time."""
    text = RECORDING.read_text(encoding="utf-8")
    paths = re.findall(r"(?<![\w./~-])/[a-zA-Z][\w.-]*/[\w./-]+", text)
    assert paths
    assert [path for path in paths if not path.startswith("/home/dev/parcel")] == []
    assert set(re.findall(r"Ran \d+ tests? in (\S+?)\\n", text)) == {"0.004s"}


def test_usage_is_the_stated_count(raws):
    """What a response read is the system prompt and the estimate of every message before it; what it wrote, its own."""
    before = SYSTEM_TOKENS
    for raw, message in zip(raws, read_conversation(raws), strict=True):
        tokens = tokens_of(measure(message))
        if message.role == "assistant":
            usage = raw["usage"]
            assert held(raw) - usage["output_tokens"] == before
            assert usage["output_tokens"] == tokens
        before += tokens


def test_a_window_of_32000_is_over_its_threshold_long_before_the_end(raws):
    """The usable context of 27,904 tokens is passed after a quarter of the responses, and by far at the end."""
    due = [index for index, raw in enumerate(raws[1::2]) if held(raw) > USABLE]
    assert len(raws[1::2]) // 5 < due[0] < len(raws[1::2]) // 2
    assert held(raws[-1]) > 2 * USABLE
