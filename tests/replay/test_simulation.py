"""Simulations of sessions that no table tells: several conversations in a file, responses without a usage."""

from dataclasses import replace

import pytest

from brim.compaction.policy import CompactionPolicy
from brim.models import ModelLimits
from brim.replay import Candidate, replay
from brim.transcripts import read_transcript
from steps.recorded_sessions import write_session

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
