"""The portable features hold other programs to the rules: two worked adapters, a wrong one, and brim's own server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brim.portable.operations import OPERATIONS
from brim.trigger.profiles import PROFILES
from steps.implementation import Refusal, perform_directly
from steps.prerequisites import sized
from steps.program import Problem, Program
from steps.rulebook import read_features

ROOT = Path(__file__).parents[2]
ADAPTER = ROOT / "docs" / "implementers" / "adapter.mjs"
PYTHON_ADAPTER = ROOT / "docs" / "implementers" / "adapter.py"
PYTHON_ANSWERED = {"threshold", "usable_context"}
WRONG = ROOT / "docs" / "implementers" / "wrong-adapter.mjs"
WRONG_RULE = "TRG_08"
WRONG_PROFILE = "codelet-typescript"
EVERY = ("features",)
ROOMS_OF_THE_ADAPTER = sized(("features/tokens", "features/trigger"), nightly=EVERY)
HOME_OF_THE_RULE = sized(("features/trigger",), nightly=EVERY)
SMALL = ("features/tokens/usage.feature",)
SERVER = f"{sys.executable} -c 'from brim.cli import main; main()' portable"

ANSWERED = {
    "billing_equivalent",
    "estimate_tokens",
    "should_compact",
    "summarization_budget",
    "threshold",
    "token_total",
    "usable_context",
    "window_filled",
    "window_held",
}
"""The operations of the worked adapter."""
OPERATIONS_OF_TRIGGER = {one.name for one in OPERATIONS.values() if one.room == "trigger"}

KNOWS_NOTHING = """
import json, sys
for line in sys.stdin:
    error = {"kind": "unknown_operation", "message": "no"}
    print(json.dumps({"id": json.loads(line)["id"], "error": error}), flush=True)
"""

pytestmark = pytest.mark.timeout(600)


@dataclass(frozen=True, slots=True)
class Example:
    """What an example came to, by the JUnit file of its run."""

    name: str
    ids: tuple[str, ...]
    row: str
    verdict: str
    said: str


def run(command: str, folder: Path, features: tuple[str, ...]) -> list[Example]:
    """Run folders of features against a program."""
    report = folder / "report.xml"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": "200"}
    options = ["-q", "-n0", "-p", "no:cacheprovider", f"--junitxml={report}", "-o", "junit_family=xunit1"]
    asked = [sys.executable, "-m", "pytest", *features, "--implementation", command, *options]
    done = subprocess.run(asked, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert report.exists(), done.stdout + done.stderr
    assert done.returncode != pytest.ExitCode.INTERRUPTED, done.stdout
    return list(examples(report))


def examples(report: Path) -> Iterator[Example]:
    """The examples of a JUnit file."""
    for case in ET.parse(report).iter("testcase"):  # noqa: S314  pytest wrote it
        told = {one.get("name"): one.get("value", "") for one in case.iter("property")}
        ends = [one for one in case if one.tag in {"failure", "error", "skipped"}]
        said = " ".join(f"{one.get('message', '')} {one.text or ''}" for one in ends)
        name = f"{told['feature']}: {told['scenario']}"
        yield Example(name, tuple(told["ids"].split()), told["row"], ends[0].tag if ends else "passed", said)


def scenarios_that_name_the_rule() -> dict[str, str]:
    """Portable scenarios that bear its id, or ask for what its profile comes to: their names, and their steps.

    Where the user's own threshold stands in the profile's place, the rule is not asked.
    """
    found = {}
    for feature in read_features(ROOT / "features"):
        place = feature.path.relative_to(ROOT / "features").with_suffix("").as_posix()
        for rule in feature.rules:
            for scenario in rule.scenarios:
                tags = {*feature.tags, *rule.tags, *scenario.tags}
                steps = " ".join(step.text for step in (*scenario.background, *scenario.steps))
                cells = [cell for table in scenario.tables for _, row in table.rows for cell in row]
                asked = WRONG_PROFILE in [*steps.split(), *cells] and not re.search(r", threshold \d", steps)
                if "portable" in tags and (WRONG_RULE in tags or asked):
                    found[f"{place}: {scenario.name}"] = steps
    return found


@pytest.fixture(scope="module")
def adapters_run(tmp_path_factory):
    """The features against the worked adapter, once for this module."""
    return run(f"node {ADAPTER}", tmp_path_factory.mktemp("adapter"), ROOMS_OF_THE_ADAPTER)


@pytest.fixture(scope="module")
def python_adapters_run(tmp_path_factory):
    """The features against the adapter in Python, once for this module."""
    return run(f"{sys.executable} {PYTHON_ADAPTER}", tmp_path_factory.mktemp("python"), HOME_OF_THE_RULE)


@pytest.fixture(scope="module")
def wrong_run(tmp_path_factory):
    """The features against the wrong adapter, once for this module."""
    return run(f"node {WRONG}", tmp_path_factory.mktemp("wrong"), HOME_OF_THE_RULE)


@pytest.mark.node
def test_the_worked_adapter_passes_all_that_it_answers(adapters_run):
    """None fails, and a good part runs."""
    assert [one for one in adapters_run if one.verdict in {"failure", "error"}] == []
    assert len([one for one in adapters_run if one.verdict == "passed"]) > 150


@pytest.mark.node
def test_what_is_skipped_needs_an_operation_that_the_adapter_does_not_have(adapters_run):
    """A scenario is skipped for no other reason, and for none of the operations that the adapter answers."""
    reasons = [one.said for one in adapters_run if one.verdict == "skipped"]
    assert all("unknown operation: " in reason for reason in reasons)
    assert not [reason for reason in reasons if reason.split("unknown operation: ")[1].split()[0] in ANSWERED]


def test_the_adapter_in_python_passes_all_that_it_answers_and_lacks_the_rest(python_adapters_run):
    """None fails, a good part runs, and what is skipped needs an operation that it does not have."""
    verdicts = [one.verdict for one in python_adapters_run]
    assert {*verdicts} == {"passed", "skipped"}
    assert verdicts.count("passed") > 60
    reasons = [one.said for one in python_adapters_run if one.verdict == "skipped"]
    asked = {reason.split("unknown operation: ")[1].split()[0] for reason in reasons}
    assert asked == OPERATIONS_OF_TRIGGER - PYTHON_ANSWERED


@pytest.mark.node
def test_the_wrong_adapter_is_caught_by_exactly_the_scenarios_that_name_the_rule(wrong_run):
    """(window - 50,000) x 0.9 in place of 0.9 x window fails each scenario that names the rule, and no other."""
    caught = {one.name for one in wrong_run if one.verdict == "failure"}
    assert caught
    ran = {one.name for one in wrong_run}
    assert caught == ran & set(scenarios_that_name_the_rule())
    assert {one.verdict for one in wrong_run if one.name not in caught} <= {"passed", "skipped"}


@pytest.mark.node
def test_each_example_that_the_wrong_adapter_fails_names_the_rule(wrong_run):
    """Of an outline in which other profiles are named too, only the row of this one fails."""
    failed = [one for one in wrong_run if one.verdict == "failure"]
    named = scenarios_that_name_the_rule()
    assert [one for one in failed if not (WRONG_RULE in one.ids or WRONG_PROFILE in one.row + named[one.name])] == []


def test_brims_own_server_passes_every_portable_example(tmp_path):
    """Over the protocol, brim's answers are those of the direct call: nothing fails, nothing is skipped."""
    found = run(SERVER, tmp_path, sized(SMALL, nightly=EVERY))
    assert found
    assert [one for one in found if one.verdict != "passed"] == []


def test_every_portable_example_asks_the_implementation(tmp_path):
    """A program that knows nothing passes nothing: no portable scenario is satisfied by brim's own code."""
    program = tmp_path / "knows_nothing.py"
    program.write_text(KNOWS_NOTHING, encoding="utf-8")
    found = run(f"{sys.executable} {program}", tmp_path, sized(SMALL, nightly=EVERY))
    assert [one for one in found if one.verdict != "skipped"] == []


TOKENS = st.integers(0, 10) | st.integers(0, 300_000) | st.sampled_from([31_999, 32_001, 50_001, 2**53 + 1, 10**30])
RATIO = st.decimals("0.01", 9, places=2).map(float) | st.integers(1, 9)
USAGE = st.fixed_dictionaries(
    {"input": TOKENS}, optional={"cache_read": TOKENS, "output": TOKENS, "cache_write": TOKENS, "reasoning": TOKENS}
)
LIMITS = {"context_window": TOKENS}
LIMITS_OPTIONAL = {"max_output_tokens": TOKENS}
THRESHOLD_OPTIONAL = LIMITS_OPTIONAL | {
    "profile": st.sampled_from([*PROFILES, "no-such-profile"]),
    "share": st.decimals("-0.01", "1.01", places=2).map(float) | st.integers(0, 2),
    "basis": st.sampled_from(["usable", "window"]),
    "user_threshold": st.none()
    | st.fixed_dictionaries({"tokens": TOKENS})
    | st.fixed_dictionaries({"percent": st.integers(-1, 101) | st.decimals(0, 101, places=2).map(float)}),
}
HELD = st.fixed_dictionaries(
    {}, optional={"usage": USAGE, "held": TOKENS, "disabled": st.booleans(), "empty": st.booleans()}
)
QUESTIONS = st.one_of(
    st.tuples(st.just("token_total"), st.fixed_dictionaries({"usage": USAGE})),
    st.tuples(
        st.just("billing_equivalent"),
        st.fixed_dictionaries({"input_with_cache": TOKENS}, optional={"cache_read": TOKENS}),
    ),
    st.tuples(
        st.just("estimate_tokens"),
        st.fixed_dictionaries(
            {"text": st.text()},
            optional={"rounding": st.sampled_from(["up", "half_up", "down"]), "characters_per_token": RATIO},
        ),
    ),
    st.tuples(
        st.just("window_held"),
        st.fixed_dictionaries(
            {"last_usage": st.none() | USAGE}, optional={"appended_text": st.text(), "characters_per_token": RATIO}
        ),
    ),
    st.tuples(
        st.just("usable_context"), st.fixed_dictionaries(LIMITS, optional=LIMITS_OPTIONAL | {"output_cap": TOKENS})
    ),
    st.tuples(st.just("threshold"), st.fixed_dictionaries(LIMITS, optional=THRESHOLD_OPTIONAL)),
    st.tuples(
        st.just("should_compact"),
        st.builds(lambda one, two: one | two, st.fixed_dictionaries(LIMITS, optional=THRESHOLD_OPTIONAL), HELD),
    ),
    st.tuples(st.just("summarization_budget"), st.fixed_dictionaries(LIMITS, optional={"autocompact_buffer": TOKENS})),
    st.tuples(st.just("window_filled"), st.fixed_dictionaries({"held": TOKENS, "threshold": TOKENS})),
    st.tuples(
        st.sampled_from(sorted(ANSWERED)),
        st.dictionaries(
            st.sampled_from(["context_window", "usage", "held", "text", "odd"]), st.none() | st.text() | TOKENS
        ),
    ),
)


@pytest.fixture(scope="module")
def adapter():
    """The worked adapter, running."""
    program = Program(["node", str(ADAPTER)])
    yield program
    program.close()


@pytest.fixture(scope="module")
def python_adapter():
    """The adapter in Python, running."""
    program = Program([sys.executable, str(PYTHON_ADAPTER)])
    yield program
    program.close()


@pytest.mark.node
@settings(max_examples=sized(65, nightly=1_250), suppress_health_check=list(HealthCheck))
@given(question=QUESTIONS)
def test_the_worked_adapter_answers_as_brim_does(adapter, question):
    """Whatever is asked of both, the outputs are equal, and what one refuses the other refuses."""
    compare(adapter, *question)


@settings(max_examples=sized(65, nightly=1_250), suppress_health_check=list(HealthCheck))
@given(question=QUESTIONS.filter(lambda question: question[0] in PYTHON_ANSWERED))
def test_the_adapter_in_python_answers_as_brim_does(python_adapter, question):
    """The same of the shorter one."""
    compare(python_adapter, *question)


def compare(adapter, name, given_):
    """Ask both. Raises AssertionError where the answers differ."""
    ours, theirs = perform_directly(name, **given_), adapter.ask(name, given_)
    if isinstance(ours, Refusal) or isinstance(theirs, Problem):
        assert isinstance(theirs, Problem), f"brim: {ours}, the adapter: {theirs}"
        assert isinstance(ours, Refusal), f"brim: {ours}, the adapter: {theirs}"
        assert ours.kind == theirs.kind
    else:
        assert ours == theirs


@pytest.mark.node
def test_the_worked_adapter_has_the_operations_it_says(adapter):
    """Of all that brim declares it knows these and no others."""
    asked = {name: adapter.ask(name, None) for name in OPERATIONS}
    assert {name for name, answer in asked.items() if answer.kind != "unknown_operation"} == ANSWERED
