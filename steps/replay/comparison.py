"""Steps of features/replay/comparison.feature."""

from __future__ import annotations

import pytest
from pytest_bdd import parsers, then, when

from brim.compaction.policy import CompactionPolicy
from brim.errors import BrimError
from brim.models import ModelLimits
from brim.replay import candidates, replay
from brim.transcripts import read_transcript
from steps.vocabulary import phrase, tokens


def compare(file, thresholds=None, size=None, window=200_000):
    """The answer of a replay under these thresholds, each a policy of its name; under all policies without them."""
    named = [name for name in (thresholds or "").split(" and ") if name]
    policies = {name: CompactionPolicy(threshold=tokens(name)) for name in named if name[0].isdigit()}
    limits = ModelLimits(context_window=window, max_output_tokens=min(window, 32_000)) if window else None
    return replay(
        read_transcript(file),
        limits,
        candidates([name for name in named if name not in policies], policies),
        summary_tokens=size,
    ).answer()


@when(
    parsers.re(r"thresholds of (?P<thresholds>[\d, and]+) are compared, with summaries of (?P<size>[\d,]+) tokens"),
    target_fixture="answer",
)
def compare_with_summaries(file, thresholds, size):
    return compare(file, thresholds, tokens(size))


@when(
    phrase(
        "thresholds of {thresholds} are compared in a window of {window:Tokens} tokens, "
        "with summaries of {size:Tokens} tokens"
    ),
    target_fixture="answer",
)
def compare_in_a_window_with_summaries(file, thresholds, window, size):
    return compare(file, thresholds, size, window)


@when(parsers.re(r"thresholds of (?P<thresholds>[\d, and]+) are compared$"), target_fixture="answer")
def compare_thresholds(file, thresholds):
    return compare(file, thresholds)


@when("it is compared", target_fixture="answer")
def compare_all(file):
    return compare(file)


@when(phrase("it is compared in a window of {window:Tokens} tokens"), target_fixture="answer")
def compare_in_a_window(file, window):
    try:
        return compare(file, window=window)
    except BrimError as error:
        return error


def policy(answer, name):
    """The policy of a name."""
    return next(one for one in answer["policies"] if one["name"] == name)


@then(
    phrase(
        'the policy "{name:Quoted}" costs {cost:Number} dollars, {half:Number} with half and {double:Number} '
        "with twice the size"
    )
)
def check_sensitivity(answer, name, cost, half, double):
    found = policy(answer, name)
    costs = found["cost"], found["sensitivity"]["half"]["cost"], found["sensitivity"]["double"]["cost"]
    assert costs == pytest.approx([float(cost), float(half), float(double)], abs=1e-9)


@then(phrase('it states "{assumption:Quoted}"'))
def check_assumption(answer, assumption):
    assert assumption in answer["assumptions"]


@then(phrase('it notes "{note:Quoted}"'))
def check_note(answer, note):
    assert note in answer["notes"]


@then(phrase('the policy "{cheap:Quoted}" costs less than the policy "{name:Quoted}"'))
def check_cheaper(answer, cheap, name):
    assert policy(answer, cheap)["cost"] < policy(answer, name)["cost"]


@then(phrase('the policy "{name:Quoted}" keeps {kept:Count} of {facts:Count} facts, and lacks "{lost:Quoted}"'))
def check_facts(answer, name, kept, facts, lost):
    told = policy(answer, name)["facts"]
    assert (told["kept"], told["facts"]) == (kept, facts)
    (missing,) = told["missing"]
    assert (missing["kind"], missing["text"][-len(lost) :]) == ("read_file", lost)


@then(phrase("its summaries are taken to have {size:Tokens} tokens"))
def check_size(answer, size):
    assert answer["summary_tokens"] == size


@then(phrase('it recommends "{sentence:Quoted}"'))
def check_recommendation(answer, sentence):
    assert answer["recommendation"]["sentence"] == sentence


@then(phrase('compared are "{names:Quoted}"'))
def check_names(answer, names):
    assert [one["name"] for one in answer["policies"]] == names.split(", ")


@then(phrase('baselines are "{names:Quoted}"'))
def check_baselines(answer, names):
    assert [one["name"] for one in answer["policies"] if one["baseline"]] == names.split(", ")


@then(phrase('the policy "{name:Quoted}" is refused with "{reason:Quoted}"'))
def check_policy_refused(answer, name, reason):
    found = policy(answer, name)
    assert found["refusal"].startswith(reason)
    assert "cost" not in found


@then(phrase('it is refused with "{reason:Quoted}"'))
def check_refused(answer, reason):
    assert str(answer) == reason
