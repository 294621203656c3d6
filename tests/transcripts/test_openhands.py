"""OpenHands runs: events of both forms, several runs in a file, and the forgetting of old events."""

import json

import pytest

from brim.conversation.messages import Media, Text, Thinking, ToolCall, ToolResult
from brim.conversation.tool_pairs import pair_tools
from brim.conversation.turns import find_turns
from brim.transcripts import read_transcript, view
from brim.transcripts.window import Walk
from tests.calls import calls_made

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
SYSTEM_TOOLS = [{"type": "function", "function": {"name": "run", "description": "d", "parameters": {"type": "object"}}}]


def user(text, number=1, **args):
    """The user's words."""
    return {"id": number, "source": "user", "action": "message", "args": {"content": text, **args}}


def metadata(response, call="toolu_1"):
    """What an event tells of the response it was part of."""
    called = {"id": call, "function": {"name": "execute_bash", "arguments": '{"command": "ls"}'}}
    whole = {"content": "Look.", "tool_calls": [called]}
    model = {"id": response, "model": "llama", "usage": USAGE, "choices": [{"message": whole}]}
    return {"tool_call_id": call, "function_name": "execute_bash", "model_response": model}


def act(number, response, call="toolu_1", action="run"):
    """An action with the response it was part of."""
    told = metadata(response, call)
    return {"id": number, "source": "agent", "action": action, "args": {"command": "ls"}, "tool_call_metadata": told}


def observe(number, response, call="toolu_1", content="x", code=0):
    """What came of an action."""
    return {
        "id": number, "source": "agent", "observation": "run", "content": content, "cause": number - 1,
        "extras": {"metadata": {"exit_code": code}}, "tool_call_metadata": metadata(response, call),
    }  # fmt: skip


RUN = [user("go"), act(2, "r1"), observe(3, "r1"), act(4, "r2", "toolu_2"), observe(5, "r2", "toolu_2", code=127)]


@pytest.fixture
def runs(written):
    """Reads runs of events, one a line."""
    return lambda *runs: read_transcript(written("\n".join(json.dumps({"history": list(run)}) for run in runs)))


def kinds(transcript):
    """The kinds of the parts, message by message."""
    return [[type(part) for part in message.parts] for message in transcript.messages]


def test_a_run(runs):
    """A response is told whole by its first event; results follow, failed by their exit code."""
    system = {"source": "agent", "action": "system", "args": {
        "content": "You are.", "tools": SYSTEM_TOOLS, "openhands_version": "0.35.0"}}  # fmt: skip
    transcript = runs([system, *RUN])
    assert (transcript.format, transcript.version, transcript.model) == ("openhands", "0.35.0", "llama")
    assert (transcript.system, transcript.tools[0]["name"]) == ("You are.", "run")
    assert kinds(transcript) == [[Text], [Text, ToolCall], [ToolResult], [Text, ToolCall], [ToolResult]]
    assert [transcript.messages[place].parts[0].failed for place in (2, 4)] == [False, True]
    assert [response.usage.total for response in transcript.responses] == [110, 110]


@pytest.mark.parametrize("whole", [RUN, {"history": RUN}, {"events": RUN}])
def test_other_files_of_one_run(written, whole):
    """The events of one run are read from a list, or from an object that holds them."""
    assert len(read_transcript(written(whole)).messages) == 5


def test_several_runs(runs):
    """Runs in one file are conversations of their own: the view is of one, and its ids are no other's."""
    transcript = runs(RUN, RUN[:3])
    assert transcript.begins == (5,)
    assert transcript.notes == ("2 conversations stand in the file, one after another; the window is that of the last",)
    assert len(view(transcript).messages) == 3
    assert len(view(transcript, 1).messages) == 4
    assert len(view(transcript, 2).messages) == 2
    assert view(transcript, 2).usage.total == 110
    calls = [part.id for message in transcript.messages for part in message.parts if type(part) is ToolCall]
    assert len(set(calls)) == 3
    assert pair_tools(transcript.messages).answered == ()


def test_the_window_of_a_run_begins_anew(runs):
    """What the run before held is not counted in the window of the next."""
    alone, second = Walk(runs([user("go")])), Walk(runs(RUN, [user("go")]))
    for walk in (alone, second):
        walk.finish()
    assert second.account.held == alone.account.held


def test_actions_without_a_response(runs):
    """An action that names no response is a call by itself, and what it caused its result; words are words."""
    transcript = runs([
        user("go", image_urls=["data:image/png;base64,QUJD"]),
        {"id": 2, "source": "agent", "action": "read", "args": {"path": "a.py", "thought": "Look."}},
        {"id": 3, "observation": "read", "content": "ERROR: no", "cause": 2, "extras": {}},
        {"id": 4, "source": "agent", "action": "message", "args": {"content": "Done."}},
    ])  # fmt: skip
    assert kinds(transcript) == [[Text, Media], [Text, ToolCall], [ToolResult], [Text]]
    assert (transcript.messages[1].parts[1].input, transcript.messages[2].parts[0].failed) == ({"path": "a.py"}, True)


def test_what_the_harness_says_begins_no_turn(runs):
    """Recalled knowledge, errors that no call caused and the user's own commands begin no turn."""
    transcript = runs([
        user("go"),
        {"id": 2, "observation": "recall", "content": "Added", "extras": {
            "repo_instructions": "Be kind.", "microagent_knowledge": [{"content": "Use git."}]}},
        {"id": 3, "observation": "recall", "content": "Added", "extras": {}},
        {"id": 4, "source": "agent", "observation": "error", "content": "no such tool", "extras": {}},
        {"id": 5, "source": "user", "action": "run", "args": {"command": "ls"}},
        {"id": 6, "source": "agent", "observation": "agent_state_changed", "content": "", "extras": {}},
        {"id": 7, "source": "agent", "action": "recall", "args": {}},
    ])  # fmt: skip
    assert [message.text for message in transcript.messages] == [
        "go", "Be kind.\nUse git.", "no such tool", "run: ls"
    ]  # fmt: skip
    assert len(find_turns(transcript.messages)) == 1
    assert transcript.left_out == {"recall": 2, "agent_state_changed": 1}


@pytest.mark.parametrize(
    "forgotten",
    [{"forgotten_event_ids": [2, 3]}, {"forgotten_events_start_id": 2, "forgotten_events_end_id": 3}],
)
def test_a_condensation(runs, forgotten):
    """Forgotten events leave the view, and a summary stands at its place."""
    args = {**forgotten, "summary": "We looked.", "summary_offset": 1}
    transcript = runs([*RUN, {"id": 6, "source": "agent", "action": "condensation", "args": args}, user("more", 7)])
    made = transcript.compactions[0]
    assert (made.kind, made.opening) == ("auto", (0, 5, 3, 4))
    assert [message.text for message in view(transcript).messages] == ["go", "We looked.", "Look.", "", "more"]


def test_a_condensation_without_a_summary(runs):
    """Events can be forgotten without a summary, and by hand."""
    asked = {"id": 6, "source": "user", "action": "condensation_request", "args": {}}
    made = {"id": 7, "source": "agent", "action": "condensation", "args": {"forgotten_event_ids": [2, 3]}}
    transcript = runs([*RUN, asked, made])
    assert transcript.compactions[0].kind == "manual"
    assert len(view(transcript).messages) == 3


def newer(kind, source="agent", **fields):
    """An event of the newer form."""
    return {"id": f"e-{kind}", "kind": kind, "source": source, **fields}


def words(text):
    """A content of words."""
    return [{"type": "text", "text": text}]


def test_events_of_the_newer_form(written):
    """Events that name their kind: calls of one response are one answer, and each has its result."""
    called = {"id": "c1", "name": "terminal", "arguments": '{"command": "ls"}'}
    step = {"llm_response_id": "r1", "tool_name": "terminal", "thought": words("Look."), "reasoning_content": "hm"}
    events = [
        newer("SystemPromptEvent", system_prompt={"type": "text", "text": "You are."}, tools=SYSTEM_TOOLS),
        newer("MessageEvent", "user", llm_message={"role": "user", "content": words("go")}),
        newer("ActionEvent", **step, tool_call_id="c1", tool_call=called),
        newer("ActionEvent", **step, tool_call_id="c2", tool_call={**called, "id": "c2"}),
        newer("ObservationEvent", "environment", tool_call_id="c1", observation={"content": words("x")}),
        newer("AgentErrorEvent", tool_call_id="c2", error="no"),
        newer("ConversationStateUpdateEvent", "environment", key="stats"),
        newer("CondensationRequest"),
        newer("Condensation", forgotten_event_ids=["e-ActionEvent"], summary="We looked.", summary_offset=1),
        newer("MessageEvent", llm_response_id="r2", llm_message={"role": "assistant", "content": words("Done.")}),
    ]
    transcript = read_transcript(written("\n".join(map(json.dumps, events))))
    assert transcript.system == "You are."
    assert kinds(transcript) == [[Text], [Thinking, Text, ToolCall, ToolCall], [ToolResult, ToolResult], [Text], [Text]]
    assert [part.failed for part in transcript.messages[2].parts] == [False, True]
    assert transcript.compactions[0].kind == "manual"
    assert [message.text for message in view(transcript).messages] == ["go", "We looked.", "Done."]


def test_a_second_condensation(runs):
    """What a condensation forgot stays forgotten, and only the newest summary is sent."""
    first = {"forgotten_event_ids": [2, 3], "summary": "We looked.", "summary_offset": 1}
    second = {"forgotten_event_ids": [4, 5], "summary": "We looked twice.", "summary_offset": 1}
    made = [
        {"id": 6 + number, "source": "agent", "action": "condensation", "args": args}
        for number, args in enumerate([first, second])
    ]
    transcript = runs([*RUN, *made, user("more", 8)])
    assert [message.text for message in view(transcript).messages] == ["go", "We looked twice.", "more"]


def condensed(calls):
    """A run of so many calls with a condensation after every 50."""
    events = []
    for number in range(calls):
        events.append({"id": len(events), "source": "agent", "action": "run", "args": {"command": "ls"}})
        events.append({"id": len(events), "observation": "run", "content": "x", "cause": len(events) - 1, "extras": {}})
        if number % 50 == 49:
            args = {"forgotten_events_start_id": 2, "forgotten_events_end_id": len(events) - 20, "summary": "S"}
            events.append({"id": len(events), "source": "agent", "action": "condensation", "args": args})
    return events


def test_condensations_take_work_in_proportion(written):
    """Eight times the events with eight times the condensations take eight times the work."""

    def calls(count):
        path = written(condensed(count))
        return calls_made(lambda: read_transcript(path))

    calls(50)
    assert calls(1_600) <= 9 * calls(200)


def test_call_ids_that_look_like_given_ones(runs):
    """An id that is given to a call is no other call's, whatever that is called."""
    called = [{"id": name, "function": {"name": "x", "arguments": "{}"}} for name in ("c", "c-2", "c")]
    response = {"id": "r1", "choices": [{"message": {"content": "Look.", "tool_calls": called}}]}
    step = {"id": 2, "source": "agent", "action": "run", "args": {}, "tool_call_metadata": {"model_response": response}}
    ids = [part.id for message in runs([user("go"), step]).messages for part in message.parts if type(part) is ToolCall]
    assert len(ids) == len({*ids}) == 3
