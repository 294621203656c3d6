"""Codex rollouts: responses, compactions, counts of tokens, and records that are damaged or unknown."""

import json

import pytest

from brim.conversation.messages import Media, Text, Thinking, ToolCall, ToolResult
from brim.conversation.tool_pairs import pair_tools
from brim.conversation.turns import find_turns
from brim.transcripts import read_transcript, view, view_before
from brim.transcripts.inspection import inspect_transcript


def record(kind, **payload):
    """A record of a rollout."""
    return {"timestamp": "t", "type": kind, "payload": payload}


def item(kind, **fields):
    """An item of the conversation."""
    return record("response_item", type=kind, **fields)


def event(kind, **fields):
    """An event."""
    return record("event_msg", type=kind, **fields)


def user(text, role="user"):
    """A message of the user, or of another role."""
    return item("message", role=role, content=[{"type": "input_text", "text": text}])


def said(text):
    """A text of the model."""
    return item("message", role="assistant", content=[{"type": "output_text", "text": text}])


def call(name, tool="exec_command", arguments='{"cmd": "ls"}'):
    """A call."""
    return item("function_call", name=tool, call_id=name, arguments=arguments)


def output(name, text="Process exited with code 0\nOutput:\nx"):
    """A call's result."""
    return item("function_call_output", call_id=name, output=text)


def count(total, read=100, wrote=10):
    """The tokens of the response before."""
    last = {"input_tokens": read, "cached_input_tokens": 40, "output_tokens": wrote, "reasoning_output_tokens": 4}
    info = {"last_token_usage": {**last, "total_tokens": read + wrote}, "total_token_usage": {"total_tokens": total}}
    return event("token_count", info={**info, "model_context_window": 121_600})


META = record("session_meta", cli_version="0.142.2", base_instructions={"text": "Be brief."})
TURN = record("turn_context", model="gpt-5")


@pytest.fixture
def rollout(written):
    """Reads a rollout of records."""

    def read(*records, ending="\n"):
        lines = [one if isinstance(one, str) else json.dumps(one) for one in records]
        return read_transcript(written("\n".join(lines) + ending))

    return read


def test_a_rollout(rollout):
    """A rollout tells version, instructions, model and window, and one response a count of tokens."""
    transcript = rollout(META, TURN, user("go"), said("Look."), call("c1"), output("c1"), count(110), said("Done."))
    assert (transcript.format, transcript.version, transcript.model) == ("codex", "0.142.2", "gpt-5")
    assert (transcript.system, transcript.window) == ("Be brief.", 121_600)
    assert [[type(part) for part in message.parts] for message in transcript.messages] == [
        [Text], [Text, ToolCall], [ToolResult], [Text]
    ]  # fmt: skip
    usage = transcript.responses[0].usage
    assert (usage.input, usage.cache_read, usage.output, usage.reasoning, usage.total) == (60, 40, 10, 4, 110)


def test_a_count_before_the_results(rollout):
    """Older versions count before the results stand in the file: they follow the response all the same."""
    transcript = rollout(user("go"), call("c1"), call("c2"), count(110), output("c1"), output("c2"), said("Done."))
    assert [len(message.parts) for message in transcript.messages] == [1, 2, 2, 1]
    assert [response.usage is not None for response in transcript.responses] == [True, False]


def test_a_count_that_is_repeated(rollout):
    """A count that repeats the running total is no new one, and one without numbers is none."""
    transcript = rollout(user("go"), said("a"), count(110), count(110), event("token_count", info=None), said("b"))
    assert [response.usage is not None for response in transcript.responses] == [True, False]


def test_what_was_given_to_a_call(rollout):
    """What a call was given is the object that its text holds, else the text, whatever kind of tool it is."""
    transcript = rollout(
        user("go"),
        call("c1"),
        call("c2", arguments="not json"),
        item("custom_tool_call", name="apply_patch", call_id="c3", input="*** Begin Patch"),
        item("local_shell_call", call_id="c4", action={"command": ["ls"]}),
        item("custom_tool_call_output", call_id="c3", output="Exit code: 1\nno"),
    )
    parts = transcript.messages[1].parts
    assert [part.input for part in parts] == [
        {"cmd": "ls"}, {"input": "not json"}, {"input": "*** Begin Patch"}, {"command": ["ls"]}
    ]  # fmt: skip
    assert [part.name for part in parts] == ["exec_command", "exec_command", "apply_patch", "local_shell"]
    assert pair_tools(transcript.messages).answered == ("c1", "c2", "c4")


@pytest.mark.parametrize(
    ("given", "failed"),
    [
        ("Process exited with code 0\nExit code: 1", True),
        ("Process exited with code 127", True),
        ("Process exited with code 0", False),
        ("apply_patch verification failed: no such line", True),
        ("x" * 1_000 + "Exit code: 1", False),
        ({"content": "no", "success": False}, True),
        ([{"type": "input_text", "text": "yes"}], False),
    ],
)
def test_results_that_failed(rollout, given, failed):
    """A result failed where its head names an exit code above 0, where it says so, or where Codex refused the call."""
    part = rollout(user("go"), call("c1"), output("c1", given)).messages[2].parts[0]
    assert part.failed is failed


def test_images(rollout):
    """An image in a prompt or a result is media, its data taken out of its address."""
    image = {"type": "input_image", "image_url": "data:image/png;base64,QUJD"}
    far = {"type": "input_image", "image_url": "https://example.org/a.png"}
    prompt = item("message", role="user", content=[{"type": "input_text", "text": "see"}, image, far])
    transcript = rollout(prompt, call("c1"), output("c1", [image]))
    assert [type(part) for part in transcript.messages[0].parts] == [Text, Media, Media]
    assert transcript.messages[0].parts[1].raw["source"]["data"] == "QUJD"
    assert len(transcript.messages[2].parts[0].media) == 1


def test_reasoning(rollout):
    """Reasoning with a summary is thinking; encrypted reasoning is counted, and the reader is told."""
    summary = [{"type": "summary_text", "text": "hm"}]
    transcript = rollout(
        user("go"),
        item("reasoning", summary=summary, encrypted_content="x"),
        item("reasoning", summary=[], encrypted_content="x"),
        said("Done."),
    )
    assert [type(part) for part in transcript.messages[1].parts] == [Thinking, Text]
    assert transcript.left_out == {"reasoning (encrypted)": 1}
    assert "1 of reasoning" in transcript.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nNever push.\n</INSTRUCTIONS>",
        "<environment_context>\n</environment_context>",
        "<turn_aborted>\n",
        "<INSTRUCTIONS>\nNever push.\n</INSTRUCTIONS>",
        "<skill>\n<name>pdf</name>\n</skill>",
        "<environments>\n</environments>",
        "<user_shell_command>\nls\n</user_shell_command>",
    ],
)
def test_what_codex_puts_in_begins_no_turn(rollout, text):
    """What Codex puts into the user's place begins no turn, nor does a developer's message."""
    transcript = rollout(user("be careful", "developer"), user(text), user("go"), said("Done."))
    assert [turn.request for turn in find_turns(transcript.messages)] == ["go"]


@pytest.mark.parametrize(
    "text",
    [
        "# AGENTS.md instructions are outdated.",
        "<turn_aborted> is new.",
        "<INSTRUCTIONS> is a tag.",
        "<skill> has no closing tag: mend it.",
    ],
)
def test_what_a_user_writes_about_it_begins_one(rollout, text):
    """A user's text that begins as one of Codex's own begins a turn."""
    transcript = rollout(user(text), said("Done."))
    assert [turn.request for turn in find_turns(transcript.messages)] == [text]


def compacted(*history, message=""):
    """A compaction that names what stands for the history."""
    return record("compacted", message=message, replacement_history=[one["payload"] for one in history])


SEALED = item("compaction", encrypted_content="x")


def test_a_compaction(rollout):
    """What is kept is the very message said before; the encrypted summary is a message that says so."""
    transcript = rollout(
        TURN, event("task_started"), user("one"), said("a"), count(110), user("two"), call("c1"), output("c1"),
        count(330, read=200),
        compacted(user("one"), user("two"), SEALED), count(330, read=0, wrote=0), said("b"), count(400, read=50),
    )  # fmt: skip
    made = transcript.compactions[0]
    assert (made.kind, made.recorded, made.line, made.after_message, made.opening) == ("auto", 210, 10, 5, (0, 2, 5))
    seen = view(transcript)
    assert [message.text.split()[0] for message in seen.messages] == ["one", "two", "[A", "b"]
    assert seen.messages[2].marks.summary
    assert (seen.usage.total, view_before(transcript, 0).usage.total) == (60, 210)
    assert len(find_turns(transcript.messages)) == 2
    assert any("1 of summaries" in note for note in transcript.notes)


def test_messages_said_twice(rollout):
    """Of a message said twice a history that names it once means the newer."""
    made = rollout(user("on"), said("a"), user("on"), said("b"), compacted(user("on"), SEALED)).compactions[0]
    assert made.opening == (2, 4)


def test_a_second_compaction(rollout):
    """A message that stayed once can stay again."""
    transcript = rollout(
        user("one"), said("a"), compacted(user("one"), SEALED), said("b"), compacted(user("one"), SEALED)
    )
    assert [made.opening for made in transcript.compactions] == [(0, 2), (0, 4)]


def test_a_compaction_without_a_history(rollout):
    """Older versions name a summary alone: it stands behind what no model wrote."""
    old = record("compacted", message="We did a.")
    transcript = rollout(user("one"), said("a"), call("c1"), output("c1"), old, said("b"))
    seen = view(transcript)
    assert [message.text for message in seen.messages] == ["one", "We did a.", "b"]
    assert seen.messages[1].marks.summary


def test_a_summary_that_can_be_read(rollout):
    """A summary in a history is known by its opening."""
    text = "Another language model started to solve this problem and produced a summary of its thinking. Go on."
    transcript = rollout(user("one"), said("a"), compacted(user("one"), user(text)), said("b"))
    assert [message.marks.summary for message in view(transcript).messages] == [False, True, False]


def test_a_compaction_by_hand(rollout):
    """A task that holds a compaction and no item is one that the user asked for; without tasks nobody can tell."""
    tasks = [event("task_started"), compacted(user("one")), event("context_compacted"), event("task_complete")]
    first = [event("task_started"), user("one"), said("a"), event("task_complete")]
    assert rollout(*first, *tasks).compactions[0].kind == "manual"
    assert rollout(user("one"), compacted(user("one"))).compactions[0].kind == "compaction"


def test_an_aborted_turn(rollout):
    """A turn that the user broke off is marked."""
    marks = rollout(user("go"), said("a"), event("turn_aborted", reason="interrupted")).messages[1].marks
    assert (marks.aborted, marks.error) == (True, "turn aborted")


def test_going_back(rollout):
    """Turns that were rolled back are gone, and counted."""
    transcript = rollout(user("one"), said("a"), user("two"), said("b"), event("thread_rolled_back", num_turns=1))
    assert [message.text for message in transcript.messages] == ["one", "a"]
    assert transcript.left_out["rewound"] == 2


def test_damage_and_unknown_records(rollout):
    """Damaged records are told, unknown ones counted, and a last line cut short leaves the rest as it is."""
    transcript = rollout(
        META, {"type": "response_item", "payload": 7}, item("message", role="user", content=None), user("go"),
        record("world_state", x=1), item("web_search_call", action={}), event("exec_command_end"), '{"type": "respo',
        ending="",
    )  # fmt: skip
    assert [damaged.line for damaged in transcript.damaged] == [2, 3, 8]
    assert transcript.left_out == {"session_meta": 1, "world_state": 1, "web_search_call": 1, "exec_command_end": 1}
    assert [message.text for message in transcript.messages] == ["go"]


def test_the_window_of_the_file(rollout):
    """Without limits of the model an inspection judges by the window that the file tells."""
    found = inspect_transcript(rollout(TURN, user("go"), said("a"), count(110)))
    assert (found.window, found.conversations) == (121_600, 1)
    assert found.profiles["usable"].threshold is not None
