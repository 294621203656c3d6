"""Steps of features/replay/check.feature."""

from __future__ import annotations

import json

from pytest_bdd import given, then, when

from brim.models import ModelLimits
from brim.replay import check
from brim.transcripts import read_transcript
from steps.recorded_sessions import table
from steps.vocabulary import phrase, tokens

LIMITS = ModelLimits(context_window=200_000, max_output_tokens=32_000)


@given(phrase("a session of Codex with a compaction at {held:Tokens} tokens"), target_fixture="file")
def codex(tmp_path, held):
    usage = {"input_tokens": held - 100, "output_tokens": 100, "total_tokens": held}
    info = {"total_token_usage": usage, "last_token_usage": usage, "model_context_window": 121_600}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Mended."}]}
    payloads = [
        ("session_meta", {"id": "s", "cli_version": "0.142.2"}),
        ("response_item", said),
        ("event_msg", {"type": "token_count", "info": info}),
        ("compacted", {"message": "The timetable is half mended."}),
    ]
    file = tmp_path / "rollout.jsonl"
    file.write_text("".join(json.dumps({"type": kind, "payload": payload}) + "\n" for kind, payload in payloads))
    return file


@given("a session of pi", target_fixture="file")
def session_of_pi(tmp_path, datatable):
    entries = [{"type": "session", "id": "s", "cwd": "/x", "modelId": "claude-opus-4-5"}]
    entries.append({"type": "message", "message": {"role": "user", "content": "Mend the timetable."}})
    for number, row in enumerate(table(datatable)):
        if row["record"] == "compaction":
            kept = {"firstKeptEntryIndex": len(entries), "summary": "The timetable is half mended."}
            entries.append({"type": "compaction", "timestamp": "2026-02-01T10:00:00Z", **kept})
            continue
        read, wrote = tokens(row["read"]), tokens(row["wrote"])
        call = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": {"path": f"part{number}.py"}}
        usage = {"input": read, "output": wrote, "totalTokens": read + wrote}
        told = {"model": "claude-opus-4-5", "stopReason": "toolUse", "usage": usage}
        result = {"toolCallId": f"c{number}", "toolName": "read", "isError": False}
        result["content"] = [{"type": "text", "text": "x" * tokens(row["result"] or "4")}]
        entries.append({"type": "message", "message": {"role": "assistant", "content": [call], **told}})
        entries.append({"type": "message", "message": {"role": "toolResult", **result}})
    file = tmp_path / "session.jsonl"
    file.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return file


@when("it is checked", target_fixture="checked")
def checked_in_its_window(file):
    return check(read_transcript(file), LIMITS)


@when("it is checked in an unknown window", target_fixture="checked")
def checked_without_limits(file):
    return check(read_transcript(file), None)


def numbers(told):
    """Indices of responses, or none."""
    return () if told == "none" else tuple(map(tokens, told.split(" and ")))


@then(phrase("a compaction is predicted after response {told}"))
def check_predicted(checked, told):
    assert tuple(one.response for one in checked.predicted) == numbers(told)


@then(phrase("missed are {missed} and early are {early}"))
def check_met(checked, missed, early):
    assert (checked.missed, checked.early) == (numbers(missed), numbers(early))
    assert checked.passed is (missed == early == "none")


@then(phrase("the profile is {profile} with a threshold of {threshold:Tokens} tokens"))
def check_profile(checked, profile, threshold):
    assert (checked.profile, checked.predicted[0].threshold) == (profile, threshold)


@then(phrase('no compaction is predicted, since "{reason:Quoted}"'))
def check_unjudged(checked, reason):
    assert (checked.predicted, checked.notes[-1]) == ((), f"nothing is predicted: {reason}")


@then(phrase("the compaction after response {response:Count} is recorded at {held:Tokens} tokens"))
def check_recorded(checked, response, held):
    assert [(one.response, one.held) for one in checked.recorded] == [(response, held)]


@then(
    phrase(
        "the compaction after response {response:Count} is recorded at {held:Tokens} tokens, by {trigger}, "
        "and {after:Tokens} are read after it"
    )
)
def check_recorded_fully(checked, response, held, trigger, after):
    recorded = [(one.response, one.held, one.measured, one.trigger, one.after) for one in checked.recorded]
    assert recorded == [(response, held, held, trigger, after)]


@then(phrase("a clearing after response {response:Count} is recorded at {held:Tokens} tokens"))
def check_cleared(checked, response, held):
    assert [(one.response, one.held, one.trigger) for one in checked.cleared] == [(response, held, "micro")]
    assert checked.recorded == ()


@then(phrase('it notes "{note:Quoted}"'))
def check_note(checked, note):
    assert note in checked.notes
