"""Steps of features/replay/simulation.feature."""

from __future__ import annotations

import json
from datetime import datetime

from pytest_bdd import given, parsers, then, when

from brim.compaction.policy import CompactionPolicy
from brim.models import ModelLimits
from brim.replay import COMPARED, Candidate, replay
from brim.transcripts import read_transcript
from steps.recorded_sessions import table, write_session
from steps.vocabulary import phrase, tokens

LIMITS = ModelLimits(context_window=200_000, max_output_tokens=32_000)


@given(phrase("a session with the model {model} on {day}"), target_fixture="file")
def session_of_a_day(tmp_path, model, day, datatable):
    return write_session(tmp_path, table(datatable), model=model, began=datetime.fromisoformat(f"{day}T10:00Z"))


@given(
    phrase("a session of {count:Count} responses that each read a file of {size:Count} characters"),
    target_fixture="file",
)
def long_session(tmp_path, count, size):
    reads = [20_020 + number * 2_100 for number in range(count)]
    rows = [
        {"record": "response", "read": str(read), "cached": str(before), "wrote": "100", "result": str(size)}
        for before, read in zip([0, *reads], reads, strict=False)
    ]
    return write_session(tmp_path, rows)


@given("its first call creates a task, its second edits a file in another folder, and its last but one ends the task")
def tasks(file):
    """The number of the task stands in a result alone, and the path of the file in no message as a whole."""
    records = [json.loads(line) for line in file.read_text().splitlines()]
    calls = [record["message"]["content"][0] for record in records if record["type"] == "assistant"]
    calls[0] |= {"name": "TaskCreate", "input": {"subject": "Mend the harbor"}}
    calls[1] |= {"name": "Bash", "input": {"command": "cd /home/dev/pier && sed -i s/a/b/ notes.md"}}
    calls[-2] |= {"name": "TaskUpdate", "input": {"taskId": "7", "status": "completed"}}
    result = records[2]["message"]["content"][0]
    result["content"] = "Task #7 created successfully: Mend the harbor".ljust(len(result["content"]))
    file.write_text("".join(json.dumps(record) + "\n" for record in records))


@given(
    phrase(
        "a session of Cline whose system prompt has {size:Count} characters, and whose first response read "
        "{read:Tokens} tokens"
    ),
    target_fixture="file",
)
def session_of_cline(tmp_path, size, read):
    told = {"metrics": {"inputTokens": read, "outputTokens": 10}, "modelInfo": {"id": "claude-opus-4-5"}}
    asked = {"role": "user", "content": "Mend the timetable. " * 4}
    answered = {"role": "assistant", "content": [{"type": "text", "text": "Mended."}], **told}
    file = tmp_path / "session.json"
    file.write_text(json.dumps({"system_prompt": "." * size, "messages": [asked, answered]}))
    return file


@when(
    phrase("it is replayed under a threshold of {threshold:Tokens} tokens, with summaries of {size:Tokens}"),
    target_fixture="replayed",
)
def replay_under_a_threshold(file, threshold, size):
    policy = Candidate("own", CompactionPolicy(threshold=threshold))
    return replay(read_transcript(file), LIMITS, [policy], summary_tokens=size)


@when(
    phrase(
        "it is replayed in a window of {window:Tokens} tokens under the profile {name}, with summaries of {size:Tokens}"
    ),
    target_fixture="replayed",
)
def replay_in_a_window(file, window, name, size):
    limits = ModelLimits(context_window=window, max_output_tokens=1_000)
    return replay(read_transcript(file), limits, [COMPARED[name]], summary_tokens=size)


@when(
    phrase(
        "it is replayed in a window of {window:Tokens} tokens under a threshold of {threshold:Tokens} tokens, "
        "with summaries of {size:Tokens}"
    ),
    target_fixture="replayed",
)
def replay_in_a_window_under_a_threshold(file, window, threshold, size):
    limits = ModelLimits(context_window=window, max_output_tokens=1_000)
    policy = Candidate("own", CompactionPolicy(threshold=threshold))
    return replay(read_transcript(file), limits, [policy], summary_tokens=size)


@when(parsers.re("it is replayed under (?P<name>usable|masking)"), target_fixture="replayed")
def replay_under_a_policy(file, name):
    return replay(read_transcript(file), LIMITS, [COMPARED[name]])


def outcome(replayed):
    """The outcome of the one policy."""
    (result,) = replayed.results
    return result.outcome


@then(
    phrase("the policy compacts after response {response:Count} at {held:Tokens} tokens, and {after:Tokens} are left")
)
def check_compaction(replayed, response, held, after):
    made = outcome(replayed).compactions
    assert [(one.response, one.held, one.after) for one in made] == [(response, held, after)]


@then(
    phrase(
        "the policy clears old outputs after response {response:Count} at {held:Tokens} tokens, "
        "and {after:Tokens} are left"
    )
)
def check_clearing(replayed, response, held, after):
    (made,) = outcome(replayed).compactions
    assert (made.response, made.held, made.after, made.summarizes) == (response, held, after, False)


@then(
    phrase(
        "of {count:Count} messages the policy keeps {kept:Count}, summarizes {summarized:Count} "
        "and clears {cleared:Count} outputs"
    )
)
def check_kept(replayed, count, kept, summarized, cleared):
    (made,) = outcome(replayed).compactions
    assert (made.kept, made.summarized, made.cleared) == (kept, summarized, cleared)
    assert made.kept + made.summarized == count


@then(phrase('{kept:Count} of {count:Count} facts are present, and "{lost:Quoted}" are lost'))
def check_present(replayed, kept, count, lost):
    facts = outcome(replayed).facts
    assert (facts.facts.present, facts.facts.total) == (kept, count)
    assert ", ".join(fact.text.lstrip("x") for fact in facts.missing) == lost


@then(
    phrase(
        "the policy compacts after responses {first:Count} and {second:Count}, at {held:Tokens} and {then:Tokens} "
        "tokens"
    )
)
def check_two_compactions(replayed, first, second, held, then):
    made = outcome(replayed).compactions
    assert [(one.response, one.held) for one in made] == [(first, held), (second, then)]


@then("the policy does not compact")
def check_no_compaction(replayed):
    assert outcome(replayed).compactions == ()


@then(parsers.re("the window holds (?P<windows>[0-9, ]+) tokens after the responses"))
def check_windows(replayed, windows):
    assert [*outcome(replayed).window] == [*map(tokens, windows.split())]


@then(parsers.re("the window of the session held (?P<windows>[0-9, ]+)"))
def check_recorded_windows(replayed, windows):
    assert [*replayed.recorded.window] == [*map(tokens, windows.split())]


@then("the tokens and the cost are those of the session")
def check_as_recorded(replayed):
    assert outcome(replayed).traffic == replayed.recorded.traffic
    assert replayed.recorded.traffic.cost is not None


@then(phrase("the system prompt and the tools have {count:Tokens} tokens"))
def check_overhead(replayed, count):
    assert replayed.answer()["system_tokens"] == count


@then("the requests come to")
def check_traffic(replayed, datatable):
    check_requests(outcome(replayed).traffic, datatable)


@then("the requests of sub-agents came to")
def check_sub_agents(replayed, datatable):
    names, counts = datatable
    told = replayed.answer()["sub_agents"]
    figures = dict(zip(names, map(tokens, counts), strict=True))
    assert {name: told[name.replace(" ", "_")] for name in names} == figures


@then(phrase("they cost {cost:Number} dollars"))
def check_sub_agents_cost(replayed, cost):
    assert replayed.answer()["sub_agents"]["cost"] == float(cost)


@then("the requests of the session came to")
def check_recorded_traffic(replayed, datatable):
    check_requests(replayed.recorded.traffic, datatable)


def check_requests(made, datatable):
    """The figures in the columns that are named."""
    names, counts = datatable
    usage = made.usage
    figures = (made.requests, made.sent, usage.cache_read, usage.cache_write, usage.output)
    assert dict(zip(names, figures, strict=True)) == dict(zip(names, map(tokens, counts), strict=True))


@then(phrase("the cost is {cost} dollars"))
def check_cost(replayed, cost):
    answered = replayed.answer()["policies"][0]["cost"]
    assert answered == (cost if cost == "unknown" else float(cost))


@then(phrase("a request is refused as too long after response {response:Count}"))
def check_overflow(replayed, response):
    assert next(one.response for one in outcome(replayed).compactions if one.overflowed) == response


@then(phrase('the policy is refused with "{reason:Quoted}"'))
def check_refusal(replayed, reason):
    (found,) = replayed.answer()["policies"]
    assert (found["refusal"], "cost" in found) == (reason, False)


@then(phrase('"{sentence:Quoted}" is recommended'))
def check_recommended(replayed, sentence):
    assert replayed.answer()["recommendation"] == {"policy": None, "verdict": sentence, "sentence": sentence}


@then("with summaries of twice the size the policy does not fit into the window")
def check_double(replayed):
    answer = replayed.answer()
    (found,) = answer["policies"]
    assert [*found["sensitivity"]] == ["half"]
    assert (
        "with summaries of half or twice the size it does not fit into the window"
        in answer["recommendation"]["sentence"]
    )
