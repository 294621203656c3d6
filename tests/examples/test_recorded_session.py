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


def uses(turns):
    """Every tool use of the turns, in order."""
    return [use for turn in turns for use in turn.tool_uses]


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


def test_roles_alternate_from_the_user_to_the_model(raws):
    """The first message is the user's, the last the model's, and no two of one role follow each other."""
    assert [raw["role"] for raw in raws] == ["user", "assistant"] * (len(raws) // 2)


def test_every_call_is_answered_in_the_very_next_message(raws):
    """The calls of a response and the results after it are the same, in the same order; ids are never used twice."""
    seen = []
    for response, following in zip(raws[1::2], [*raws[2::2], {"content": ""}], strict=True):
        called = [block["id"] for block in response["content"] if block["type"] == "tool_use"]
        content = following["content"]
        assert called == ([] if isinstance(content, str) else [block["tool_use_id"] for block in content])
        seen += called
    assert len(seen) == len(set(seen))


def test_the_pairing_finds_nothing_to_mend(raws):
    """To brim itself, no call lacks its result and no result its call."""
    messages = read_conversation(raws)
    assert list(pair_tools(messages).messages) == list(messages)


def test_every_response_is_whole(raws):
    """A response has what the Messages API gives it, and stops for its calls where it has some."""
    for raw in raws[1::2]:
        assert list(raw) == ["id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage"]
        calls = any(block["type"] == "tool_use" for block in raw["content"])
        assert raw["stop_reason"] == ("tool_use" if calls else "end_turn")


def test_no_content_is_empty(raws):
    """No message, text, thinking or result is without a visible character."""
    for raw in raws:
        blocks = [{"text": raw["content"]}] if isinstance(raw["content"], str) else raw["content"]
        assert blocks
        for block in blocks:
            said = [block[key] for key in ("text", "thinking", "content", "input") if key in block]
            assert all(str(text).strip() for text in said)
            assert said


def test_thinking_opens_its_response_and_has_a_placeholder_for_a_signature(raws):
    """Some responses think, each before all else."""
    thinking = [raw["content"][0] for raw in raws[1::2] if raw["content"][0]["type"] == "thinking"]
    everywhere = [block for raw in raws[1::2] for block in raw["content"] if block["type"] == "thinking"]
    assert thinking == everywhere
    assert len(thinking) >= 10
    assert {block["signature"] for block in thinking} == {"scripted-thinking-has-no-signature"}


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


def test_what_was_sent_before_is_read_from_the_cache(raws):
    """A request reads from the cache what the one before it read or wrote there."""
    cached = 0
    for raw in raws[1::2]:
        usage = raw["usage"]
        assert usage["cache_read_input_tokens"] == cached
        assert usage["input_tokens"] == 4
        cached += usage["cache_creation_input_tokens"]


def test_a_window_of_32000_is_over_its_threshold_long_before_the_end(raws):
    """The usable context of 27,904 tokens is passed after a quarter of the responses, and by far at the end."""
    due = [index for index, raw in enumerate(raws[1::2]) if held(raw) > USABLE]
    assert len(raws[1::2]) // 5 < due[0] < len(raws[1::2]) // 2
    assert held(raws[-1]) > 2 * USABLE


def test_it_is_as_long_as_an_afternoon(raws, turns):
    """Enough turns, messages and characters to be worth compacting, few enough to be read."""
    assert len(turns) == 16
    assert 90 <= len(raws) <= 150
    assert 120_000 <= sum(measure(message).characters for message in read_conversation(raws)) <= 220_000


def test_the_last_turns_and_the_anchor_before_them_fit_into_a_fifth_of_the_usable_context(raws, turns):
    """The last three turns are short, and so is the repair before them, which ends in passing tests and a commit."""
    kept = read_conversation(raws)[turns[-4].start :]
    assert sum(tokens_of(measure(message)) for message in kept) < USABLE // 5
    assert [use.name for use in turns[-4].tool_uses] == ["Grep", "Bash", "Edit", "Edit", "Edit", "Bash"]
    assert "\nOK\n" in turns[-4].tool_uses[-1].output


def test_tools_are_called_side_by_side(raws):
    """Some responses call several tools at once."""
    calls = [sum(block["type"] == "tool_use" for block in raw["content"]) for raw in raws[1::2]]
    assert max(calls) >= 4
    assert sum(count > 1 for count in calls) >= 15


def test_tools_fail_and_two_commands_stay_failed(turns):
    """Test runs fail and pass later; the check of the rates and the push fail to the end."""
    last = {use.input["command"]: use.succeeded for use in uses(turns) if use.name == "Bash"}
    assert [command for command, succeeded in last.items() if not succeeded and "unittest" not in command] == [
        "python tools/check_rates.py",
        "git push origin main",
    ]
    assert sum(use.succeeded is False for use in uses(turns)) >= 10
    assert any(use.name == "Edit" and not use.succeeded for use in uses(turns))


def test_tests_pass_and_are_committed(turns):
    """Most turns that change files end in passing tests, and in one of ten commits."""
    outputs = [use.output for use in uses(turns) if use.name == "Bash" and use.succeeded]
    assert sum(re.search(r"\nRan \d+ tests in 0\.004s\n\nOK\b", f"\n{output}") is not None for output in outputs) >= 12
    assert sum("git commit" in use.input["command"] for use in uses(turns) if use.name == "Bash") == 10


def test_what_must_survive_is_said(turns):
    """The user sets conditions, takes decisions and has a wrong turn undone; the to-do lists are closed."""
    said = "\n".join(turn.request for turn in turns)
    for words in (
        "Never change the public signature of quote()",
        "Don't add any dependencies",
        "Decision: half a cent always goes away from zero",
        "Never invent a rate",
        "Undo it completely",
        "Let's go with that, the plain functions",
    ):
        assert words in said
    lists = [use.input["todos"] for use in uses(turns) if use.name == "TodoWrite"]
    assert len(lists) >= 6
    assert {todo["status"] for todo in lists[-1]} == {"completed"}


def test_it_ends_with_an_answer(raws):
    """The last message is the model's, in words."""
    assert raws[-1]["stop_reason"] == "end_turn"
    assert [block["type"] for block in raws[-1]["content"]] == ["text"]
