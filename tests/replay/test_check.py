"""Files with several conversations, as aider and OpenHands write them, and with a usage that measures nothing."""

import json
from dataclasses import replace as changed

from brim.models import ModelLimits
from brim.replay import candidates, check, replay
from brim.transcripts import read_transcript
from steps.recorded_sessions import write_session


def test_a_prediction_ends_with_its_conversation(tmp_path):
    """One is open where the first conversation ends; the second is predicted by itself."""
    reads = ("156,000", "170,000", "20,000", "30,000", "156,000", "170,000", "171,000")
    file = write_session(tmp_path, [{"record": "response", "read": read, "wrote": "100"} for read in reads], "2.1.17")
    whole = read_transcript(file)
    checked = check(
        changed(whole, begins=(whole.responses[2].message,)),
        ModelLimits(context_window=200_000, max_output_tokens=32_000),
        "claude-code-2.0",
    )
    assert [one.response for one in checked.predicted] == [0, 4]
    assert checked.early == (4,)


def test_a_usage_without_input_is_none(tmp_path):
    """A session whose first usage has an output alone begins with the next one; no request is empty."""
    rows = [{"record": "response", "read": read, "wrote": "100"} for read in ("20,020", "21,000", "22,000")]
    file = write_session(tmp_path, rows)
    told = [json.loads(line) for line in file.read_text().splitlines()]
    first = next(one for one in told if one["type"] == "assistant")
    first["message"]["usage"] = {"input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 100}
    file.write_text("".join(json.dumps(one) + "\n" for one in told))
    limits = ModelLimits(context_window=200_000, max_output_tokens=32_000)
    made = replay(read_transcript(file), limits, candidates(["usable"])).answer()
    assert made["recorded"]["responses_without_usage"] == 1
    assert made["recorded"]["requests"] == 2
    assert 20_000 < made["system_tokens"] < 21_000
