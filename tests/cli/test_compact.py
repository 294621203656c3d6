import json
import re

import pytest

from brim.testing import complaints as strict
from steps.worlds.conversation_line import Line
from tests.cli import other_tools
from tests.cli.conversations import RECORDING, conversation, turn
from tests.strict_api import complaints

FIELDS = {
    "profile", "due", "reason", "tokens_before", "tokens_after", "ratio", "warning", "kept", "summarized", "anchor",
    "summary", "fidelity",
}  # fmt: skip
SMALL = ("--window", 32_000, "--max-output", 4_096)
TEXT = [{"type": "text", "text": "Hello."}]
OPENING = "[Summary of the earlier conversation, written by brim]"


@pytest.fixture
def recorded(brim):
    """The compaction of the recorded session, for a window of 32,000 tokens."""
    return brim("compact", RECORDING, *SMALL, "--json").json


def test_the_main_job(recorded):
    """The recorded session is due, becomes a seventh, and every fact survives."""
    assert recorded.keys() >= FIELDS
    assert (recorded["due"], recorded["reason"], recorded["profile"]) == (True, "overflow (56948 > 27904)", "usable")
    assert recorded["tokens_after"] < recorded["tokens_before"] / 6
    assert recorded["ratio"] == pytest.approx(1 - recorded["tokens_after"] / recorded["tokens_before"], abs=1e-4)
    assert recorded["warning"] is None
    fidelity = recorded["fidelity"]
    for name in ("facts", "words"):
        found = fidelity[name]
        assert found["present"] == found["total"] > 0
        assert found["share"] == 1
        assert fidelity["per_1000"][name] == pytest.approx(1_000 * found["present"] / fidelity["tokens"], abs=1e-4)
    assert (fidelity["missing"], fidelity["missing_words"]) == ([], [])


def test_every_message_is_kept_or_summarized(recorded):
    """The indices of what was kept and of what was summarized are all there are, each once."""
    assert sorted(recorded["kept"] + recorded["summarized"]) == list(range(144))
    assert recorded["anchor"] == {
        "turn": 12,
        "kind": "error_resolution",
        "confidence": 0.95,
        "weight": 0.9,
        "synthetic": False,
    }


def test_the_page(brim):
    """The page gives before and after, what was kept and why, what survived, and how the summary begins."""
    page = brim("compact", RECORDING, *SMALL).out
    for line in (
        "Due by the profile usable: overflow (56948 > 27904), 204% of the threshold",
        "Kept        22 of 144 messages, the turns from an anchor on",
        "            turn 12: error resolution",
        "Summarized  122 messages of 12 turns",
        "The window  56,948 tokens now, about 15,897 after, 72.1% less",
        "Present     42 of 42 facts, 100% of the user's words (3,232 of 3,232 characters)",
        "│ Active files (paths below /home/dev/parcel):",
        "Nothing was written; -o OUT writes the new conversation.",
    ):
        assert f"{line}\n" in page


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 120])
def test_the_page_fits_the_terminal(brim, monkeypatch, columns):
    """No line is wider than the terminal."""
    monkeypatch.setenv("COLUMNS", str(columns))
    page = brim("compact", RECORDING, *SMALL).out
    assert max(map(len, page.split("\n"))) <= columns


def test_the_whole_summary(brim, recorded):
    """The page shows the beginning of the summary, and all of it where that is asked for."""
    short = brim("compact", RECORDING, *SMALL).out
    whole = brim("compact", RECORDING, *SMALL, "--full-summary").out
    lines = recorded["summary"].split("\n")
    assert f"… {len(lines) - 16} more lines; --full-summary shows it whole\n" in short
    assert "".join(recorded["summary"].split()) in "".join(whole.split())


def test_what_is_written(brim, tmp_path):
    """The new conversation: a summary first, then messages that are equal to those that came in."""
    out = tmp_path / "new.json"
    found = brim("compact", RECORDING, *SMALL, "-o", out, "--json").json
    written = json.loads(out.read_text(encoding="utf-8"))
    came = [json.loads(line) for line in RECORDING.read_text(encoding="utf-8").split("\n")[:-1]]
    assert list(written) == ["system", "messages"]
    assert written["messages"][0]["content"].startswith(OPENING)
    assert found["summary"] in written["messages"][0]["content"]
    assert complaints(written["messages"]) == []
    assert [message["role"] for message in written["messages"][1:]] == [came[n]["role"] for n in found["kept"]]
    assert written["messages"][1]["content"] == came[found["kept"][0]]["content"]
    assert list(tmp_path.iterdir()) == [out]


def test_only_what_came_in_is_written(brim, talk, tmp_path):
    """Fields that brim does not know stay, and it adds none: system, tools and messages are those of the file."""
    messages = conversation(8, lines=800)
    messages[-4]["metadata"] = {"mine": [1, None]}
    tools = [{"name": "Read", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}}]
    whole = {"system": [{"type": "text", "text": "Be careful."}], "tools": tools, "messages": messages}
    out = tmp_path / "new.json"
    assert brim("compact", talk(whole), "-o", out).code == 0
    written = json.loads(out.read_text(encoding="utf-8"))
    assert (written["system"], written["tools"]) == (whole["system"], tools)
    assert written["messages"][-4:] == messages[-4:]


def test_a_second_compaction_replaces_the_summary(brim, talk, tmp_path):
    """What was written can be read again; its summary is replaced, not summarized, and does not pile up."""
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    brim("compact", talk(conversation(12)), "-o", first)
    went_on = json.loads(first.read_text(encoding="utf-8"))
    went_on += [message for number in range(12, 24) for message in turn(number)]
    brim("compact", talk(went_on, "later.json"), "-o", second)
    written = json.loads(second.read_text(encoding="utf-8"))
    assert [json.dumps(message).count(OPENING) for message in written] == [1] + [0] * (len(written) - 1)
    assert "module 0" in written[0]["content"]
    assert complaints(written) == []


def test_compacting_again_at_once_changes_nothing(brim, tmp_path):
    """With the same window there is nothing left to compact, and the conversation is written as it was."""
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    brim("compact", RECORDING, *SMALL, "-o", first)
    found = brim("compact", first, *SMALL, "-o", second, "--json").json
    assert (found["compacted"], found["decision"], found["summarized"]) == (False, "nothing to compact", [])
    assert found["tokens_before"] == found["tokens_after"]
    assert second.read_bytes() == first.read_bytes()


def test_nothing_to_compact(brim, talk, tmp_path):
    """A short conversation stays as it is, which is said, and is written unchanged."""
    messages = [{"role": "user", "content": f"[Summary of the earlier conversation, written by brim]\n\n{'x' * 3_996}"}]
    messages += conversation(1)
    out = tmp_path / "new.json"
    answer = brim("compact", talk(messages), "--window", 200_000, "-o", out)
    assert answer.code == 0
    assert "Nothing to compact: 5 messages, 2,025 tokens by the text;" in answer.out
    assert "".join(f"Written to {out} as anthropic, 5 messages".split()) in "".join(answer.out.split())
    assert json.loads(out.read_text(encoding="utf-8")) == messages


def test_a_manual_compaction_acts_below_the_threshold(brim):
    """It acts though it is not due, and says so."""
    answer = brim("compact", RECORDING, "--window", 200_000)
    told = " ".join(answer.out.split())
    assert "Not due yet by the profile usable: 56,948 tokens held, 33% of the threshold of 168,000" in told
    assert "82.6% less" in answer.out


def test_an_unknown_window_does_not_keep_from_acting(brim):
    """Without limits nothing is judged, but compacted all the same; the page tells how to name the window."""
    found = brim("compact", RECORDING, "--model", "own-model", "--json").json
    assert (found["reason"], found["due"], found["window"], found["threshold"]) == ("no limit", False, None, None)
    assert found["compacted"]
    page = brim("compact", RECORDING, "--model", "own-model").out
    assert "Due? The context window of own-model is unknown: set --window\n" in page


def test_a_dry_run_writes_nothing(brim, tmp_path):
    """A dry run says what would be written, and where."""
    answer = brim("compact", RECORDING, "-o", tmp_path / "new.json", "--dry-run")
    assert (answer.code, list(tmp_path.iterdir())) == (0, [])
    assert "Would be written to" in answer.out


@pytest.mark.parametrize(
    ("asked", "cost"),
    [
        ((), {"summary": 0, "cache_write": 0.0252, "call_before": 0.008, "call_after": 0.001, "pays_after": 4}),
        (("--summarizer", "anthropic"), {"summary": 0.0895, "cache_write": 0.0451, "pays_after": 22}),
        (("--model", "some-model"), None),
    ],
)
def test_the_cost_of_a_dry_run_as_json(brim, talk, monkeypatch, asked, cost):
    """In USD, and null where no price of the model is known (CMP_09)."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
    answered = {"model": "claude-sonnet-5-5"}
    path = talk([one | answered if one["role"] == "assistant" else one for one in Line.read("16 turns of 5,000").raws])
    options = ("--window", "200k", "--max-output", "64k", "--dry-run", "--json", *asked)
    told = brim("compact", path, *options).json["cost"]
    assert told == cost if cost is None else told | cost == told


def test_as_it_stood_after_a_response(brim, tmp_path):
    """Only the messages up to that response are compacted; its calls get a result, as they have none yet."""
    out = tmp_path / "new.json"
    found = brim("compact", RECORDING, "--at", 40, "-o", out, "--json").json
    assert sorted(found["kept"] + found["summarized"]) == list(range(82))
    assert complaints(json.loads(out.read_text(encoding="utf-8"))["messages"]) == []
    page = brim("compact", RECORDING, "--at", 40).out
    assert "\n82 messages in the window as after response 40; 144 in the file\n" in page


def test_each_profile_can_be_asked(brim):
    """The profile says when it is due; the summary of OpenCode's is the assistant's."""
    found = brim("compact", RECORDING, "--window", 60_000, "--profile", "claude-code-2.1", "--json").json
    assert (found["profile"], found["threshold"], found["due"]) == ("claude-code-2.1", 27_000, True)


def test_a_conversation_that_begins_with_the_assistant(brim, talk, tmp_path):
    """Where nothing is compacted it is written as it is, and that the API would refuse it is said."""
    out = tmp_path / "new.json"
    path = talk([{"role": "assistant", "content": "Where were we?"}, {"role": "user", "content": "Here."}])
    found = brim("compact", path, "-o", out, "--json").json
    assert not found["compacted"]
    assert "begins with the assistant" in found["complaint"]
    assert "Note: the conversation begins with the assistant" in brim("compact", path).out
    assert json.loads(out.read_text(encoding="utf-8"))[0]["role"] == "assistant"
    assert brim("compact", RECORDING, "--json").json["complaint"] is None


def test_half_a_character_survives(brim, talk, tmp_path):
    """Half a surrogate pair, which UTF-8 cannot hold, is written as the escape it came as; in a summary as U+FFFD."""
    messages = conversation(12)
    messages[0]["content"], messages[-4]["content"] = "half \ud800 a pair at first", "half \ud800 a pair"
    out = tmp_path / "new.json"
    path = talk(messages)
    found = brim("compact", path, "-o", out, "--json").json
    assert "half \ufffd a pair at first" in found["summary"]
    written = json.loads(out.read_bytes().decode())
    assert written[-4] == messages[-4]
    assert brim("compact", out, "--full-summary").code == 0
    assert brim("inspect", out, "--json").json["damaged_lines"] == []


def test_damaged_lines_are_told(brim, tmp_path):
    """What was skipped is said, as less was compacted than the file once held."""
    lines = [json.dumps(message) for message in conversation(2)]
    path = tmp_path / "torn.jsonl"
    path.write_text("\n".join(["{", *lines]), encoding="utf-8")
    assert brim("compact", path, "--json").json["damaged_lines"] == [1]
    assert "1 damaged line skipped: 1\n" in brim("compact", path).out


def test_a_file_that_is_there_is_replaced(brim, tmp_path):
    """The new conversation takes the place of an older one."""
    out = tmp_path / "new.json"
    out.write_text("old", encoding="utf-8")
    assert brim("compact", RECORDING, "-o", out).code == 0
    assert json.loads(out.read_text(encoding="utf-8"))["messages"]


def test_a_link_is_followed(brim, tmp_path):
    """A link stays one, and what it points to is written; what is no ordinary file is not replaced."""
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    link.symlink_to(target)
    assert brim("compact", RECORDING, "-o", link).code == 0
    assert link.is_symlink()
    assert json.loads(target.read_text(encoding="utf-8"))["messages"]
    assert brim("compact", RECORDING, "-o", "/dev/null").code == 0


def test_what_the_api_refuses_is_mended_and_told(brim, talk, tmp_path):
    """A call without a result gets one and an empty text goes, even where nothing is compacted; that is told."""
    empty = {"role": "assistant", "content": [{"type": "text", "text": " "}, {"type": "text", "text": "Hello."}]}
    path = talk([{"role": "user", "content": "Hi."}, empty, *turn(1)[:2]])
    out = tmp_path / "new.json"
    found = brim("compact", path, "-o", out, "--json").json
    assert (found["compacted"], found["messages"], len(found["repaired"])) == (False, 4, 2)
    assert complaints(json.loads(out.read_text(encoding="utf-8"))) == []
    assert "Changed or added, since the API refuses them otherwise: 2 messages (1, 3)\n" in brim("compact", path).out
    assert brim("compact", RECORDING, "--json").json["repaired"] == []


def test_ids_that_several_calls_have_are_written_once_each(brim, talk, tmp_path):
    """Where nothing is compacted, too."""
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "A", "input": {}}]}
    path, out = (
        talk([{"role": "user", "content": "Go."}, call, {"role": "user", "content": "Again."}, call]),
        tmp_path / "new",
    )
    assert brim("compact", path, "-o", out, "--json").json["compacted"] is False
    assert complaints(json.loads(out.read_text(encoding="utf-8"))) == []


def test_the_window_that_the_file_states(brim, written):
    """A window that the file states is what it is judged by, with the longest answer that is told."""
    path = written(other_tools.codex(window=121_600, used=113_600))
    found = brim("compact", path, "--json").json
    assert (found["window"], found["threshold"], found["due"]) == (121_600, 89_600, True)
    assert brim("compact", path, "--max-output", 8_000, "--json").json["threshold"] == 113_600
    assert brim("compact", path, "--window", 200_000, "--json").json["threshold"] == 168_000
    assert "Due by the profile usable: overflow (113605 > 89600), 126% of the threshold\n" in brim("compact", path).out


def test_one_of_several_conversations(brim, written, tmp_path):
    """The last conversation of a file is compacted, or the one that a response belongs to; the page says so."""
    path, out = written(other_tools.aider(3)), tmp_path / "new.json"
    page = brim("compact", path, "--to", "anthropic", "-o", out).out
    assert "\n2 messages in the window; 6 in the file, in 3 conversations\n" in page
    assert json.loads(out.read_text(encoding="utf-8"))["messages"][0]["content"][0]["text"] == "Rename 2 to 3."
    brim("compact", path, "--at", 0, "--to", "anthropic", "-o", out)
    assert json.loads(out.read_text(encoding="utf-8"))["messages"][0]["content"][0]["text"] == "Rename 0 to 1."


def test_thinking_that_nobody_signed(brim, written, tmp_path):
    """Thinking without a signature, which the API takes from nobody, is left out, and that is told."""
    path, out = written(other_tools.gemini()), tmp_path / "new.json"
    assert brim("inspect", path, "--json").json["composition"]["thinking"] > 0
    found = brim("compact", path, "--to", "anthropic", "-o", out, "--json").json
    assert (found["compacted"], len(found["repaired"])) == (False, 1)
    messages = json.loads(out.read_text(encoding="utf-8"))["messages"]
    assert complaints(messages) == []
    assert [block["type"] for message in messages for block in message["content"]] == ["text", "text"]
    page = brim("compact", path).out
    assert "Nothing to compact: 2 messages, 4 tokens by the text" in page
    assert page.endswith("\n\nChanged or added, since the API refuses them otherwise: 1 message (1)\n")


def test_thinking_that_was_signed_stays(brim, talk, tmp_path):
    """Where nothing is summarized, thinking is written as it came."""
    thinking = {"type": "thinking", "thinking": "Seven.", "signature": "c2ln"}
    messages = [{"role": "user", "content": "How many?"}, {"role": "assistant", "content": [thinking, *TEXT]}]
    out = tmp_path / "new.json"
    assert brim("compact", talk(messages), "-o", out, "--json").json["repaired"] == []
    assert json.loads(out.read_text(encoding="utf-8")) == messages


def test_only_what_stays_is_counted_as_mended(brim, talk):
    """A message that was mended and then summarized is not told of; one that is kept is."""
    empty = {"role": "assistant", "content": [{"type": "text", "text": " "}, *TEXT]}
    begins, ends = [{"role": "user", "content": "Hi."}, empty], [{"role": "user", "content": "Well?"}, empty]
    for messages, mended in (([*begins, *conversation(12)], 0), ([*conversation(12), *ends], 1)):
        found = brim("compact", talk(messages), "--json").json
        assert (found["compacted"], len(found["repaired"])) == (True, mended)


def test_a_tool_that_failed_without_a_word(brim, written, tmp_path):
    """A failed result says something, as the API wants it: here where the command ran, and how it ended."""
    out = tmp_path / "new.json"
    brim("compact", written(other_tools.openhands(code=1)), "--to", "anthropic", "-o", out)
    messages = json.loads(out.read_text(encoding="utf-8"))["messages"]
    told = "\n[Current working directory: /work]\n[Command finished with exit code 1]"
    assert messages[-1]["content"] == [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": told, "is_error": True}
    ]
    assert strict({"model": "m", "max_tokens": 1, "messages": messages}) == []


def test_a_page_ends_with_what_it_says(brim, talk):
    """Where there is nothing to add, no blank line is left at the end."""
    page = brim("compact", talk(conversation(1))).out
    assert page.endswith("that\n")


def test_a_short_summary(brim, talk):
    """A summary of few lines stands in the same frame as a long one, and hints at what was cut off its lines."""
    messages = conversation(4, lines=800)
    messages[0]["content"] = "Please look at module 0. " * 4
    page = brim("compact", talk(messages)).out
    shown = page.partition("The summary")[2].split("\n")[1:-3]
    assert {line[:1] for line in shown} == {"│"}
    assert shown[-1] == "│ … --full-summary shows it whole"


def test_a_target_is_compared_with_what_is_held(brim):
    """What the provider reported is above the target, the texts alone are not: it is compacted; what is due always."""
    held, measured = (brim("compact", RECORDING, "--json").json[name] for name in ("held", "tokens_before"))
    between = min(held, measured) + 1
    for target, more in ((between, ()), (held + measured, SMALL)):
        found = brim("compact", RECORDING, "--target", target, *more, "--json").json
        assert (found["compacted"], found["target"], found["over_target"]) == (True, target, False)
    found = brim("compact", RECORDING, "--target", max(held, measured), "--json").json
    assert (found["compacted"], found["over_target"]) == (False, False)


def test_a_target_that_cannot_be_met(brim):
    """The page, the JSON and its figures say the same."""
    found = brim("compact", RECORDING, "--target", 30, "--json").json
    assert (found["target"], found["over_target"], found["tokens_after"] > 30) == (30, True, True)
    assert found["notices"][0].startswith("the target of 30 tokens is not met: ")
    assert found["notices"][0] in " ".join(brim("compact", RECORDING, "--target", 30).out.split())


def test_too_little_to_compact(brim, talk):
    """Where next to nothing would leave, nothing is done, and the page says how little."""
    words = ({"role": "user", "content": "How are you today?"}, {"role": "assistant", "content": "Fine."})
    summary = {"role": "user", "content": f"[Summary of the earlier conversation, written by brim]\n\n{'x' * 12_000}"}
    path = talk([summary, *words * 3, *conversation(3, lines=1_800)])
    found = brim("compact", path, "--window", 182_250, "--json").json
    assert (found["compacted"], found["tokens_after"] - found["tokens_before"]) == (False, 0)
    assert re.fullmatch(r"nothing to compact: \d\d of 1\d,\d{3} tokens would leave", found["decision"])
    page = " ".join(brim("compact", path, "--window", 182_250).out.split())
    assert page.endswith(
        f"by the text; {found['decision'].removeprefix('nothing to compact: ')}; --target changes that"
    )


@pytest.mark.parametrize(
    ("target", "roles"),
    [
        ("anthropic", {"user", "assistant", "system"}),
        ("openai-chat", {"user", "assistant", "system", "tool"}),
        ("openai-responses", {"user", "system", None}),
        ("claude-code", {"user", "assistant", None}),
    ],
)
def test_messages_of_the_system_go_where_a_format_has_a_place(brim, tmp_path, target, roles):
    """As a message where there is one, else as what Claude Code put in itself: never as the user's words."""
    rows = [{"role": "system", "content": "The tide is low."} if n % 3 == 1 else one for n, one in enumerate(said())]
    path, out = tmp_path / "said.json", tmp_path / "out"
    path.write_text(json.dumps({"model": "claude-opus-5-5", "messages": rows}), encoding="utf-8")
    brim("compact", path, *SMALL, "--to", target, "-o", out)
    text = out.read_text(encoding="utf-8")
    assert "The tide is low." in text
    if target == "claude-code":
        records = [json.loads(line) for line in text.splitlines()]
        assert {one.get("isMeta") for one in records if "tide is low" in str(one)} == {True}
        messages = [one.get("message", {}) for one in records]
    else:
        written = json.loads(text)
        messages = written.get("messages", written.get("input"))
    assert {one.get("role") for one in messages} == roles
    assert target != "anthropic" or strict(messages) == []


def said():
    """Forty calls in one turn, with room for a message behind each result."""
    for n in range(40):
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": "text " * 1_200}
        yield {"role": "user", "content": [result] if n else "Go."}
        yield None
        yield {"role": "assistant", "content": [{"type": "tool_use", "id": f"t{n + 1}", "name": "Read", "input": {}}]}
    yield {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t40", "content": "All."}]}
