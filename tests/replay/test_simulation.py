"""Simulations of sessions that no table tells: several conversations in a file, responses without a usage."""

import json
from dataclasses import replace

import pytest

from brim.compaction.policy import CompactionPolicy
from brim.conversation.harness_text import SEALED_SUMMARY
from brim.models import ModelLimits
from brim.replay import COMPARED, Candidate, replay
from brim.transcripts import read_transcript
from steps.recorded_sessions import SUMMARY, write_session

LIMITS = ModelLimits(context_window=200_000, max_output_tokens=32_000)
READS = [20_020, 22_120, 24_220, 26_320]


@pytest.fixture
def session(tmp_path):
    """Reads a session whose responses read so many tokens each, 0 for one without a usage."""

    def read(*reads):
        rows = [{"record": "response", "read": str(read), "wrote": "100", "result": "8000"} for read in reads]
        return read_transcript(write_session(tmp_path, rows))

    return read


def outcome(transcript, threshold=100_000):
    """What a policy of this threshold does."""
    policy = Candidate("own", CompactionPolicy(threshold=threshold))
    return replay(transcript, LIMITS, [policy], summary_tokens=1_000).results[0].outcome


def test_what_an_encrypted_summary_has_is_not_known(tmp_path):
    """The record has no facts then, rather than too few."""
    rows = [
        {"record": "response", "read": "20020", "wrote": "100", "result": "8000"},
        {"record": "automatic compaction", "read": "22120"},
        {"record": "response", "read": "20020", "wrote": "100", "result": "8000"},
    ]
    file = write_session(tmp_path, rows)
    assert replay(read_transcript(file), LIMITS, []).answer()["recorded"]["facts"]["facts"] == 1
    file.write_text(file.read_text().replace(SUMMARY, SEALED_SUMMARY))
    assert replay(read_transcript(file), LIMITS, []).answer()["recorded"]["facts"] is None


def test_a_new_conversation_begins_with_an_empty_window(session):
    """Where a file holds two conversations, nothing of the first is in the window of the second."""
    transcript = session(*READS, 20_020, 22_120)
    second = transcript.responses[4].message
    told = outcome(replace(transcript, begins=(second,)), threshold=26_400)
    assert told.window == (20_120, 22_220, 24_320, 26_420, 20_120, 22_220)
    assert told.compactions == ()


def test_a_response_without_a_usage_is_estimated(session):
    """It adds the estimate of what it was sent and said; the next usage is the measure again."""
    told = outcome(session(20_020, 22_120, 0, 26_320))
    assert told.window == (20_120, 22_220, 24_228, 26_420)


def test_a_fall_that_the_file_does_not_explain_is_a_compaction_of_its_tool(session):
    """A response that read less than half of what was held: the policy holds all the same, by estimate."""
    told = outcome(session(20_020, 42_120, 20_000, 22_100))
    assert told.window == (20_120, 42_220, 44_320, 46_420)


def test_a_smaller_fall_is_one_under_any_policy(session):
    """Thinking that the provider drops leaves every window."""
    told = outcome(session(20_020, 22_120, 20_220, 22_320))
    assert told.window == (20_120, 22_220, 20_320, 22_420)


@pytest.mark.parametrize(
    ("read", "expected"), [(12_020, 12_000), (9_020, 10_000)], ids=["tools besides", "fewer tokens"]
)
def test_the_system_prompt_has_at_least_the_tokens_of_its_text(tmp_path, read, expected):
    """And those that the first response read besides its messages, the tools among them."""
    told = {"metrics": {"inputTokens": read, "outputTokens": 10}, "modelInfo": {"id": "claude-opus-4-5"}}
    asked = {"role": "user", "content": "Mend the timetable. " * 4}
    answered = {"role": "assistant", "content": [{"type": "text", "text": "Mended."}], **told}
    file = tmp_path / "session.json"
    file.write_text(json.dumps({"system_prompt": "." * 40_000, "messages": [asked, answered]}))
    assert replay(read_transcript(file), LIMITS, [COMPARED["usable"]]).answer()["system_tokens"] == expected


@pytest.mark.parametrize(("policy", "lost"), [("usable", []), ("masking", ["/home/dev/quay/list.md"])])
def test_masking_loses_the_facts_that_stood_in_outputs_alone(tmp_path, policy, lost):
    """Not a task whose number stands in a result alone, nor a file whose path no message holds as a whole."""
    rows = [
        {"record": "response", "read": str(20_020 + number * 2_100), "wrote": "100", "result": "8000"}
        for number in range(14)
    ]
    file = write_session(tmp_path, rows)
    records = [json.loads(line) for line in file.read_text().splitlines()]
    calls = [record["message"]["content"][0] for record in records if record["type"] == "assistant"]
    calls[0] |= {"name": "TaskCreate", "input": {"subject": "Mend the harbor"}}
    calls[1] |= {"name": "Bash", "input": {"command": "cd /home/dev/pier && sed -i s/a/b/ notes.md"}}
    calls[2] |= {"name": "Bash", "input": {"command": "cd /home/dev/quay && sed -i s/a/b/ list.md"}}
    calls[-2] |= {"name": "TaskUpdate", "input": {"taskId": "7", "status": "completed"}}
    for place, text in ((2, "Task #7 created successfully: Mend the harbor"), (6, "/home/dev/quay/list.md: mended")):
        result = records[place]["message"]["content"][0]
        result["content"] = text.ljust(len(result["content"]))
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    facts = replay(read_transcript(file), LIMITS, [COMPARED[policy]]).results[0].outcome.facts
    assert [fact.text for fact in facts.missing] == lost
    assert (facts.facts.present, facts.facts.total) == (11 - len(lost), 11)
