"""Steps of features/replay/simulation.feature."""

from __future__ import annotations

from pytest_bdd import given, parsers, then, when

from brim.compaction.policy import CompactionPolicy
from brim.models import ModelLimits
from brim.replay import COMPARED, Candidate, replay
from brim.transcripts import read_transcript
from steps.recorded_sessions import table, write_session
from steps.vocabulary import phrase, tokens

LIMITS = ModelLimits(context_window=200_000, max_output_tokens=32_000)


@given(phrase("a session with the model {model}"), target_fixture="file")
def session_of_a_model(tmp_path, model, datatable):
    return write_session(tmp_path, table(datatable), model=model)


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


@when("it is replayed under masking", target_fixture="replayed")
def replay_under_masking(file):
    return replay(read_transcript(file), LIMITS, [COMPARED["masking"]])


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


@then("the requests come to")
def check_traffic(replayed, datatable):
    names, counts = datatable
    made = outcome(replayed).traffic
    figures = (made.requests, made.sent, made.cache_read, made.cache_written, made.output)
    assert dict(zip(names, figures, strict=True)) == dict(zip(names, map(tokens, counts), strict=True))


@then(phrase("the cost is {cost} dollars"))
def check_cost(replayed, cost):
    answered = replayed.answer()["policies"][0]["cost"]
    assert answered == (cost if cost == "unknown" else float(cost))


@then(phrase("a request is refused as too long after response {response:Count}"))
def check_overflow(replayed, response):
    assert next(one.response for one in outcome(replayed).compactions if one.overflowed) == response


@then(phrase("the last request reads {cached:Tokens} tokens from the cache"))
def check_last_cached(replayed, cached):
    before = sum(20_020 + number * 2_100 for number in range(10))
    assert outcome(replayed).traffic.cache_read - before == cached
