"""Trajectories of mini-swe-agent and SWE-agent."""

import json

import pytest

from brim.conversation.messages import Text, Thinking, ToolCall, ToolResult
from brim.conversation.turns import find_turns
from brim.transcripts import read_transcript, view

USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 10,
    "total_tokens": 110,
    "prompt_tokens_details": {"cached_tokens": 60},
}
SYSTEM = {"role": "system", "content": "You are helpful."}
TASK = {"role": "user", "content": "Mend it."}


def answer(text, reasoning=None):
    """An answer of mini-swe-agent."""
    whole = {"model": "gemini-3", "usage": USAGE, "choices": [{"message": {"content": text, "reasoning": reasoning}}]}
    return {"role": "assistant", "content": text, "extra": {"response": whole}}


@pytest.fixture
def mini(written):
    """Reads a trajectory of mini-swe-agent."""
    info = {"mini_version": "1.15.0", "config": {"model": {"model_name": "gemini"}}}
    return lambda *messages: read_transcript(written({"info": info, "messages": list(messages)}))


@pytest.fixture
def swe(written):
    """Reads a trajectory of SWE-agent."""
    stats = {"tokens_sent": 161_683, "tokens_received": 968, "api_calls": 22}
    config = json.dumps({"agent": {"model": {"name": "claude-3-7"}}})
    around = {"trajectory": [], "info": {"swe_agent_version": "1.0.1", "model_stats": stats}, "replay_config": config}
    return lambda *messages: read_transcript(written({**around, "history": list(messages)}))


def kinds(transcript):
    """The kinds of the parts, message by message."""
    return [[type(part) for part in message.parts] for message in transcript.messages]


def test_a_command_in_a_text(mini):
    """The one command in an answer is a call, and what it printed its result, failed by its exit code."""
    transcript = mini(
        SYSTEM, TASK, answer("THOUGHT: look\n\n```bash\nls -l\n```", "hm"),
        {"role": "user", "content": "<returncode>0</returncode>\nx"}, answer("```bash\nfalse\n```"),
        {"role": "user", "content": "<returncode>1</returncode>"},
    )  # fmt: skip
    assert (transcript.format, transcript.version, transcript.system) == (
        "mini-swe-agent", "1.15.0", "You are helpful."
    )  # fmt: skip
    assert kinds(transcript) == [[Text], [Thinking, Text, ToolCall], [ToolResult], [ToolCall], [ToolResult]]
    assert transcript.messages[1].parts[2].input == {"command": "ls -l"}
    assert transcript.messages[1].text == "THOUGHT: look"
    assert [transcript.messages[place].parts[0].failed for place in (2, 4)] == [False, True]
    assert (transcript.responses[0].usage.cache_read, transcript.responses[0].usage.total) == (60, 110)


INFO = {"mini_version": "1.15.0", "exit_status": "Submitted", "submission": "diff --git"}
ENDED = {"role": "user", "content": "diff --git"}


def test_what_a_run_ended_with_was_never_sent(written):
    """A word of the agent's own that a run ended with, such as that it reached its limit, is no part of the window."""
    messages = [TASK, answer("No command."), ENDED]
    transcript = read_transcript(written({"info": INFO, "messages": messages}))
    assert transcript.unsent == {2}
    assert [message.role for message in view(transcript).messages] == ["user", "assistant"]
    unfinished = read_transcript(written({"info": {**INFO, "exit_status": None}, "messages": messages}))
    assert not unfinished.unsent


def test_what_the_submitting_command_printed_is_its_result(written):
    """The submission is the output of the last command: it ran, and its call has a result."""
    messages = [TASK, answer("```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```"), ENDED]
    transcript = read_transcript(written({"info": INFO, "messages": messages}))
    assert not transcript.unsent
    assert [part.text for part in view(transcript).messages[-1].parts if type(part) is ToolResult] == ["diff --git"]


@pytest.mark.parametrize("text", ["no command", "```bash\na\n```\n```bash\nb\n```"])
def test_not_exactly_one_command(mini, text):
    """An answer with no command or several is words alone; what the agent says to it begins no turn."""
    transcript = mini(TASK, answer(text), {"role": "user", "content": "Exactly one."}, answer("```bash\na\n```"))
    assert kinds(transcript) == [[Text], [Text], [Text], [ToolCall]]
    assert [turn.request for turn in find_turns(transcript.messages)] == ["Mend it."]


def test_calls_that_are_marked(mini):
    """In the newer form calls and results are marked; a message of another role is counted."""
    call = {"id": "c1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    transcript = mini(
        TASK, {**answer("Look."), "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c1", "content": "x"},
        {"role": "exit", "content": "done"},
    )  # fmt: skip
    assert kinds(transcript) == [[Text], [Text, ToolCall], [ToolResult]]
    assert transcript.left_out == {"exit messages": 1}


def test_a_history(swe):
    """Calls and results of the API's kind; tokens are told for the whole run alone, and the reader is told so."""
    call = {"id": "c1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    transcript = swe(
        SYSTEM, {"role": "user", "content": [{"type": "text", "text": "Mend it."}], "message_type": "observation"},
        {"role": "assistant", "content": "Look.", "thought": "Look.", "action": "ls", "tool_calls": [call]},
        {"role": "tool", "content": [{"type": "text", "text": "OBSERVATION:\nx"}], "tool_call_ids": ["c1"]},
    )  # fmt: skip
    assert (transcript.format, transcript.version, transcript.model) == ("swe-agent", "1.0.1", "claude-3-7")
    assert kinds(transcript) == [[Text], [Text, ToolCall], [ToolResult]]
    assert [response.usage for response in transcript.responses] == [None]
    assert "161,683 sent and 968 received in 22 calls" in transcript.notes[0]


def test_actions_in_the_text(swe):
    """Where the model had no tools, its action is a call and what came of it the result."""
    transcript = swe(
        {"role": "user", "content": "An example.", "is_demo": True}, TASK,
        {"role": "assistant", "content": "Look.\n```\nls\n```", "thought": "Look.", "action": "ls"},
        {"role": "user", "content": "x"}, {"role": "assistant", "content": "Bye."}, {"role": "user", "content": "?"},
    )  # fmt: skip
    assert kinds(transcript) == [[Text], [Text], [Text, ToolCall], [ToolResult], [Text], [Text]]
    assert [turn.request for turn in find_turns(transcript.messages)] == ["Mend it."]
