import json

import pytest

from steps.foreign_transcripts import lines, rewound_claude_code
from tests.cli import other_tools
from tests.cli.conversations import RECORDING, conversation, turn

FIELDS = {
    "format", "model", "window", "messages", "turns", "tool_calls", "damaged_lines", "unpaired", "responses",
    "context_peak", "window_peak", "window_now", "composition", "compactions", "anchors", "profiles", "counted",
    "notes", "conversations",
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
    assert (recorded["counted"], recorded["notes"], recorded["conversations"]) == ("line", [], 1)


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
    found = brim("inspect", RECORDING, "--model", "own-model", "--json").json
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
        "The window now  56,948 of 32,000 tokens, 204% of brim's 27,904",
        "  error resolution: 1–3, 5–6, 8, 10–12, 14",
        "  usable  27,904  after response 19, brim's default",
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


@pytest.mark.parametrize("columns", [20, 40, 60, 100])
@pytest.mark.parametrize("file", [other_tools.aider, other_tools.cline, other_tools.codex, other_tools.gemini])
def test_the_pages_of_other_tools_fit_the_terminal(brim, written, monkeypatch, file, columns):
    """No line is wider than the terminal, be it a note or what stands beside the conversation."""
    monkeypatch.setenv("COLUMNS", str(columns))
    for command in ("inspect", "compact"):
        page = brim(command, written(file())).out
        assert max(map(len, page.split("\n"))) <= columns


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
    assert "1 tool call without a result: call-1\n" in brim("inspect", path).out


def test_a_result_that_nothing_called_for_is_named(brim, talk):
    """A result without a call is named apart from a call without a result; of each list the first five."""
    path = talk([*conversation(1), *(turn(number)[2] for number in range(1, 8)), *turn(8)[:2]])
    page = brim("inspect", path).out
    assert len(brim("inspect", path, "--json").json["unpaired"]) == 8
    assert "1 tool call without a result: call-8\n" in page
    assert "7 tool results without a call: call-1, call-2, call-3, call-4, call-5, …\n" in page


def test_without_a_call_nothing_is_said_of_results(brim, talk):
    """Where no tool was called, only the damage is told."""
    page = brim("inspect", talk([{"role": "user", "content": "Hi."}])).out
    assert page.endswith("\n✓ no damaged message\n")


def test_numbers_count_lines_or_messages(brim, talk, tmp_path):
    """What is damaged in a list of messages is told by the number of the message."""
    path = talk(["?", *conversation(1)])
    assert "message 1 was skipped: str where a message is looked for\n" in brim("inspect", path).out
    assert brim("inspect", path, "--json").json["counted"] == "message"
    assert "1 damaged message skipped: 1\n" in brim("compact", path).out


def test_whose_window_it_is(brim, written):
    """The tool's; the model's where an option names it; no word where an option names the window."""
    path = written(lines(rewound_claude_code()))
    for flags, line in (
        ((), "200,000 tokens (claude-code's),"),
        (("--model", "claude-opus-4-6"), "1,000,000 tokens (the model's),"),
        (("--window", "1m"), "1,000,000 tokens,"),
    ):
        assert line in brim("inspect", path, *flags).out


def test_a_threshold_that_is_lowered(brim, talk):
    """The page says so as that of a compaction does, and so does the JSON."""
    path = talk(conversation(1))
    asked = ("inspect", path, "--window", "200k", "--threshold", "300k")
    (notice,) = brim(*asked, "--json").json["settings"]["notices"]
    assert notice.startswith("the threshold of 300000 is above the usable context of")
    assert notice in " ".join(brim(*asked).out.split())
    assert notice in " ".join(brim("compact", *asked[1:]).out.split())


def test_a_file_without_usage_is_estimated(brim, talk):
    """The page says by which ratio."""
    assert "Estimated at 4 characters a token.\n" in brim("inspect", talk(conversation(1))).out


def test_a_window_that_the_file_states(brim, written):
    """A rollout states its window: it is judged by that, unless told otherwise; the longest answer is taken over."""
    path = written(other_tools.codex(window=121_600))
    assert "The window now  105 of 121,600 tokens (the file's), 0% of brim's 89,600\n" in brim("inspect", path).out
    for options, window, threshold in (
        ((), 121_600, 89_600),
        (("--max-output", 8_192), 121_600, 113_408),
        (("--window", 60_000), 60_000, 28_000),
        (("--model", "claude-3-5-sonnet"), 200_000, 191_808),
    ):
        found = brim("inspect", path, *options, "--json").json
        assert (found["window"], found["profiles"]["usable"]["threshold"]) == (window, threshold)


def test_a_stated_window_without_room(brim, written):
    """Where the window leaves no room, that is said once instead of a row for every profile, with what would help."""
    path = written(other_tools.codex(window=16_000))
    page = brim("inspect", path).out
    assert "\n  No room beside the answer: window 16000, reserved 32000; state the model's\n    real limits" in page
    assert "usable  " not in page
    assert "  usable  12,000  not reached, brim's default\n" in brim("inspect", path, "--max-output", 4_000).out


def test_what_the_file_cannot_tell(brim, written):
    """Notes are told, on the page below everything else, in lines that are set in."""
    path = written(other_tools.aider(1))
    notes = brim("inspect", path, "--json").json["notes"]
    assert [note.split()[0] for note in notes] == ["aider", "aider"]
    assert brim("inspect", path).out.endswith(
        "Note: aider writes down its tokens as it shows them, rounded to hundreds or\n  thousands\n"
        "Note: aider does not write down the files and the map of the repository that it\n  sends with every prompt\n"
    )
    assert "\nNote: encrypted, and so not read: 1 of reasoning\n" in brim("inspect", written(other_tools.codex())).out


def test_several_conversations(brim, written):
    """Where a file holds several, their number is told once, and the window is that of the last."""
    path = written(other_tools.aider(3))
    page = brim("inspect", path).out
    assert "\n3 conversations in the file; the window is that of the last\n" in page
    assert page.count("conversations") == 1
    found = brim("inspect", path, "--json").json
    assert (found["conversations"], found["messages"], found["window_now"]) == (3, 6, 1_220)
    assert found["notes"][-1].startswith("3 conversations")
    assert "conversations" not in brim("inspect", RECORDING).out


def test_compactions_in_words(brim, written):
    """A compaction tells who asked and what the window held, as far as the file does."""
    unknown = brim("inspect", written(other_tools.cline())).out
    assert "\n  message 1: manual, of what is not in the file\n" in unknown
    known = brim("inspect", written(other_tools.cline("compaction", tokensBefore=21_919))).out
    assert "\n  message 1: compacted at 21,919 tokens, as recorded\n" in known


def test_a_recorded_number_that_differs(brim, written):
    """Where the tool recorded another number than the responses tell, both are shown."""
    page = brim("inspect", written(other_tools.pi(recorded=110))).out
    assert "\nCompactions in the file\n  after response 0: compacted at 105 tokens (recorded: 110)\n" in page


def test_the_profile_of_the_tool_leads(brim, written):
    """The window is measured by the rule of the tool that wrote the session; the profiles of others are asked for."""
    path = written(lines(rewound_claude_code()))
    page, every = brim("inspect", path).out, brim("inspect", path, "--all-profiles").out
    assert "claude-code's own 155,000" in " ".join(page.split())
    assert "  claude-code-2.0  155,000  not reached, claude-code's own\n" in page
    assert "codelet-rust" not in page
    assert "codelet-rust" in every
    assert brim("inspect", path, "--json").json["own_profile"] == "claude-code-2.0"
    assert "claude-code itself compacts at 155,000 tokens: you are at 0% of that\n" in brim("compact", path).out


def test_what_a_compaction_leaves_of_the_window(brim):
    """The window after a compaction is said with what the file does not hold, and what a request costs."""
    found = brim("inspect", RECORDING, "--json").json
    compacted = brim("compact", RECORDING, "--json").json
    assert found["window_after"] == compacted["window_after"]
    assert compacted["window_after"] - compacted["tokens_after"] == compacted["held"] - compacted["tokens_before"]
    assert found["request_usd"] > found["request_usd_after"] > 0


def test_the_price_of_a_model_behind_a_provider(brim, talk):
    """It is that of the model whose name stands last, as in a replay; of one that is nowhere listed none."""
    known, behind, unknown = (
        brim("inspect", talk(conversation(4)), "--model", name, "--json").json["request_usd"]
        for name in ("claude-sonnet-4-5", "github-copilot/claude-sonnet-4-5", "github-copilot/own-model")
    )
    assert known == behind > 0
    assert unknown is None


def test_what_was_taken_back(brim, written):
    """What was taken back is said, and no other record that is no part of the conversation."""
    others = [{"type": kind, "sessionId": "s"} for kind in "abcdef" for _ in range(3)]
    path = written(lines([*rewound_claude_code(), *others]))
    said = "Beside the conversation: rewound: 1 message"
    for command in ("inspect", "compact"):
        assert f"\n{said}\n" in brim(command, path).out
    assert brim("inspect", path, "--json").json["left_out"]["rewound"] == 1
    assert brim("compact", path, "--json").json["taken_back"] == {"rewound": 1}


def test_a_history_that_is_not_there(brim, written):
    """A rollout whose beginning is in another file says so, and does not call it a system prompt."""
    base = '"history_base": {"thread_id": "t0", "end_ordinal_exclusive": 812}, "id"'
    path = written(other_tools.codex(used=9_000).replace('"id"', base, 1))
    said = "Note: what comes before record 812 is in the rollout t0, which is not in"
    for command in ("inspect", "compact"):
        page = " ".join(brim(command, path).out.split())
        assert said in page
        assert "the system prompt" not in page
    assert "The API counted what came before." in brim("inspect", path).out
    lacks = brim("compact", path, "--json").json["lacks"]
    assert lacks in brim("inspect", path, "--json").json["notes"]


def test_a_small_share_is_no_nothing(brim, talk):
    """What fills less than half a percent is shown as less than one."""
    messages = conversation(4, lines=2_000)
    page = brim("inspect", talk(messages)).out
    assert "<1%" in page
    assert "  0%" not in page


@pytest.mark.parametrize("told", [(), ("--model", "an-organisation/of-another-name-that-is-as-long")])
def test_a_long_model_name(brim, talk, told):
    """The model that is judged by is the one told, else the file's; the line that asks for its window is set in."""
    path = talk(
        [{"role": "user", "content": "Hi."}, {**turn(1)[-1], "model": "an-organisation/a-model-of-a-long-name"}]
    )
    name = told[-1] if told else "an-organisation/a-model-of-a-long-name"
    for command, opening in (("inspect", "  The"), ("compact", "Due? The")):
        page = brim(command, path, *told).out
        assert page.split("\n")[1] == f"anthropic-messages · {name}"
        asked = page[page.index(opening) :].partition("--window")[0]
        assert " ".join(asked.split()) == f"{opening.strip()} context window of {name} is unknown: set"
        assert asked.count("\n") == asked.count("\n  ") == 1
    assert brim("inspect", path, *told, "--json").json["model"] == name
