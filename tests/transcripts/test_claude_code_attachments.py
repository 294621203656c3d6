"""Claude Code's attachments: what was put before the model beside the conversation."""

import pytest

from brim.conversation.turns import find_turns


@pytest.mark.parametrize(
    ("kind", "fields", "text"),
    [
        ("file", {"filename": "a.py", "content": {"type": "text", "file": {"content": "x = 1"}}}, "x = 1"),
        ("compact_file_reference", {"filename": "a.py"}, "a.py"),
        ("nested_memory", {"content": {"content": "Use tabs.", "rawContent": "---"}}, "Use tabs."),
        ("edited_text_file", {"filename": "a.py", "snippet": "1\tx"}, "1\tx"),
        ("hook_additional_context", {"content": ["one", "two"]}, "one\ntwo"),
        ("hook_success", {"content": "Be terse.", "stdout": "{}"}, "Be terse."),
        ("skill_listing", {"content": "- sing"}, "- sing"),
        ("invoked_skills", {"skills": [{"name": "sing", "content": "La."}]}, "La."),
        ("deferred_tools_delta", {"addedLines": ["Fetch"]}, "Fetch"),
        ("agent_listing_delta", {"addedLines": ["reviewer"]}, "reviewer"),
        ("mcp_instructions_delta", {"addedBlocks": ["## docs"]}, "## docs"),
    ],
)
def test_attachments_whose_text_is_known(claude, kind, fields, text):
    """An attachment is a synthetic user message of its text, as a reminder."""
    claude.user("go")
    claude.attachment(kind, **fields)
    message = claude.read().messages[1]
    assert message.text == f"<system-reminder>\n{text}\n</system-reminder>"
    assert message.marks.synthetic


def test_attachments_without_a_text_are_counted(claude):
    """An attachment that is empty, only shown, or of an unknown kind is left out and counted."""
    claude.user("go")
    claude.attachment("hook_success", content="")
    claude.attachment("task_reminder", content=[], itemCount=0)
    claude.attachment("command_permissions", allowedTools=[])
    transcript = claude.read()
    assert len(transcript.messages) == 1
    assert transcript.left_out == {
        "attachment hook_success": 1,
        "attachment task_reminder": 1,
        "attachment command_permissions": 1,
    }


def test_a_prompt_typed_ahead_is_the_users(claude):
    """A queued prompt of a human is something the user wrote, word for word; it begins a turn."""
    claude.attachment("queued_command", prompt="and the tests?", origin={"kind": "human"}, commandMode="prompt")
    claude.attachment("queued_command", prompt="older", commandMode="prompt")
    turns = find_turns(claude.read().messages if claude.user("go") else ())
    assert [turn.request for turn in turns] == ["and the tests?", "older", "go"]


def test_a_notice_that_queued_is_not(claude):
    """A queued notice of a background task begins no turn, whatever its origin says or leaves out."""
    claude.user("go")
    claude.attachment("queued_command", prompt="done", origin={"kind": "task-notification"}, commandMode="prompt")
    claude.attachment("queued_command", prompt="<task-notification>x</task-notification>", commandMode="prompt")
    assert len(find_turns(claude.read().messages)) == 1


def test_output_of_a_local_command(claude):
    """The recorded output of a local command is a synthetic user message."""
    claude.user("go")
    claude.add({"type": "system", "subtype": "local_command", "content": "<command-name>/cost</command-name>"})
    assert claude.read().messages[1].marks.synthetic


def test_an_attachment_between_records_of_a_response(claude):
    """What was attached while a response streamed goes behind the response and its results."""
    claude.user("go")
    claude.call("m1", "c1")
    claude.attachment("hook_additional_context", content=["note"])
    claude.call("m1", "c2")
    claude.result("c1")
    claude.result("c2")
    assert [message.role for message in claude.read().messages] == ["user", "assistant", "user", "user"]
