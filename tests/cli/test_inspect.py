import json

import pytest

from tests.cli.conversations import RECORDING, conversation, turn

FIELDS = {
    "format", "model", "window", "messages", "turns", "tool_calls", "damaged_lines", "unpaired", "responses",
    "context_peak", "window_peak", "window_now", "composition", "compactions", "anchors", "profiles",
}  # fmt: skip
SMALL = ("--window", 32_000, "--max-output", 4_096)


@pytest.fixture
def recorded(brim):
    """The inspection of the recorded session, for a window of 32,000 tokens."""
    return brim("inspect", RECORDING, *SMALL, "--json").json


def test_what_a_session_holds(recorded):
    """Messages, turns, responses and calls are counted, and every field that was promised is there."""
    assert recorded.keys() >= FIELDS
    counts = [recorded[name] for name in ("messages", "turns", "responses", "tool_calls")]
    assert counts == [144, 16, 72, 90]
    assert (recorded["format"], recorded["model"]) == ("anthropic-messages", "claude-sonnet-5-5")
    assert (recorded["damaged_lines"], recorded["unpaired"], recorded["compactions"]) == ([], [], [])


def test_what_the_window_held(recorded):
    """What was read at most, held at most, and is held now."""
    assert (recorded["window"], recorded["context_peak"], recorded["window_peak"]) == (32_000, 56_768, 56_948)
    assert recorded["window_now"] == 56_948


def test_the_composition_adds_up_to_the_window(recorded):
    """The shares are the window, and the outputs by tool are the share of the tool outputs, but for rounding."""
    shares = recorded["composition"]
    assert list(shares) == [
        "system", "user", "assistant", "thinking", "tool_input", "tool_output", "summaries", "other",
    ]  # fmt: skip
    assert sum(shares.values()) == recorded["window_now"]
    tools = recorded["tool_output_by_tool"]
    assert 0 <= sum(tools.values()) - shares["tool_output"] <= len(tools)
    assert list(tools.values()) == sorted(tools.values(), reverse=True)


def test_numbers_are_numbers(recorded):
    """Exact numbers are written as JSON numbers."""
    assert recorded["anchors"][0] == {
        "turn": 1,
        "kind": "error_resolution",
        "confidence": 0.95,
        "weight": 0.9,
        "synthetic": False,
    }
    assert recorded["characters_per_token"] == pytest.approx(4, abs=0.2)


def test_when_each_profile_is_due_first(recorded):
    """Each profile has its threshold and the first response that reached it; one that does not fit has neither."""
    due = recorded["profiles"]
    assert (due["usable"]["threshold"], due["usable"]["first_due"]) == (27_904, 19)
    assert (due["anthropic-sdk"]["threshold"], due["anthropic-sdk"]["first_due"]) == (100_000, None)
    assert (due["claude-code-2.1"]["threshold"], due["claude-code-2.1"]["first_due"]) == (None, None)


def test_without_a_window_only_fixed_thresholds_are_judged(brim):
    """Where the window is unknown it is null, and so is each threshold that depends on it."""
    found = brim("inspect", RECORDING, "--json").json
    known = {name: due["threshold"] for name, due in found["profiles"].items() if due["threshold"] is not None}
    assert found["window"] is None
    assert known == {"anthropic-sdk": 100_000, "windowing": 80_000}


def test_a_model_that_is_told_brings_its_window(brim):
    """The limits of a model that brim knows need not be told."""
    assert brim("inspect", RECORDING, "--model", "claude-3-5-sonnet", "--json").json["window"] == 200_000


def test_the_page(brim):
    """The page says what fills the window, where the anchors are and when each profile is due."""
    page = brim("inspect", RECORDING, *SMALL).out
    for line in (
        "recorded-session.jsonl",
        "144 messages · 16 turns · 72 responses · 90 tool calls",
        "The window now  56,948 of 32,000 tokens, 178.0%",
        "  error resolution (confidence 0.95): 1–3, 5–6, 10–12, 14",
        "  usable                   27,904  after response 19",
        "✓ no damaged line, and every tool call has its result",
    ):
        assert f"{line}\n" in page


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 120, 300])
def test_the_page_fits_the_terminal(brim, monkeypatch, columns):
    """No line is wider than the terminal, and nothing is coloured where colour was not wanted."""
    monkeypatch.setenv("COLUMNS", str(columns))
    page = brim("inspect", RECORDING, *SMALL).out
    assert max(map(len, page.split("\n"))) <= columns
    assert "\x1b" not in page


def test_damage_is_named_by_its_line(brim, tmp_path):
    """A damaged line and one cut short are skipped, counted and shown with their numbers."""
    lines = [json.dumps(message) for message in conversation(2)]
    path = tmp_path / "torn.jsonl"
    path.write_text("\n".join([lines[0], '{"role": no}', *lines[1:], '{"role": "user", "conte']), encoding="utf-8")
    found = brim("inspect", path, "--json").json
    page = brim("inspect", path).out
    assert (found["damaged_lines"], found["messages"]) == ([2, 10], 8)
    assert "line 2 was skipped: not JSON\n" in page
    assert "line 10 was skipped: cut short\n" in page


def test_unpaired_calls_are_named(brim, talk):
    """A call that has no result is named, on the page and in the answer."""
    path = talk([*conversation(1), *turn(1)[:2], {"role": "user", "content": "Never mind."}])
    assert brim("inspect", path, "--json").json["unpaired"] == ["call-1"]
    assert "1 tool call without a result or a call: call-1\n" in brim("inspect", path).out


def test_system_prompt_and_tools_are_shares(brim, talk):
    """The system prompt and the tools' definitions fill the window too, each in a row of its own."""
    tools = [{"name": "Read", "description": "reads " * 100, "input_schema": {"type": "object"}}]
    path = talk({"system": "Be careful. " * 100, "tools": tools, "messages": conversation(1)})
    page = brim("inspect", path).out
    assert brim("inspect", path, "--json").json["composition"]["system"] > 400
    assert "system prompt                     300" in page
    assert "tool definitions" in page


def test_a_text_cannot_command_the_terminal(brim, talk):
    """Neither escape sequences nor markup of a transcript reach the terminal."""
    call = {"type": "tool_use", "id": "c", "name": "\x1b[31mRead[/bold]", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": "x" * 100}
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    page = brim("inspect", talk(messages, "[red]name.json")).out
    assert "\x1b" not in page
    assert "·[31mRead[/bold]" in page
    assert page.startswith("[red]name.json\n")
