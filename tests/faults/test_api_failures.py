"""Every failure of the API under every policy, in a thread and in an event loop, through the real client."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from brim import testing
from brim.errors import BrimError, SummaryFailed, WrongKey
from steps.compaction_windows import raw_turns
from steps.providers import BREAKS, Run, in_a_thread, in_an_event_loop, serving

pytestmark = pytest.mark.faults

FAILURES = BREAKS | {
    "a rate limit for 3 seconds": testing.rate_limited(retry_after=3),
    "an internal error": testing.failed(),
    "an overload": testing.overloaded(),
    "a refusal": testing.refused(),
    "no content": testing.empty(),
    "only a tool call": testing.only_a_tool_call(),
    "words before a tool call": testing.Answer([testing.text_block("Let me look first."), testing.tool_call("bash")]),
    "an answer that is cut off": testing.cut_off("The task was"),
    "an error as its text": testing.error_text("Overloaded"),
    "a summary larger than its source": "It went on. " * 500,
    "a prompt that is too long": testing.too_long(),
    "a key that is not known": testing.rejected("invalid x-api-key", status=401, kind="authentication_error"),
}
ONCE = {"a key that is not known"}
"""Failures that waiting cannot cure."""
SHRINKS = {"a prompt that is too long"}
"""Failures that a smaller prompt may cure, at once."""
WORKS_ON = {"only a tool call", "words before a tool call"}
"""Failures that another form of the request may cure, at once: rendered, it offers no tools."""
WORDS = {
    "template": "What was done:",
    "truncate": "No summary could be made of the earlier conversation",
    "fallback": "no summary of it could be made",
}


@pytest.fixture(
    params=[in_a_thread, pytest.param(in_an_event_loop, marks=pytest.mark.nightly)],
    ids=["in_a_thread", "in_an_event_loop"],
)
def run(request: pytest.FixtureRequest) -> Any:
    """A compaction in a thread, or in an event loop."""
    return request.param


def waits(failure: str) -> list[int]:
    """Milliseconds before the attempts that a failure leads to, as the rules have it."""
    if failure in ONCE:
        return [0]
    if failure in SHRINKS:
        return [0, 0, 0]
    if failure in WORKS_ON:
        return [0, 0, 1_000, 2_000]
    return [0, 3_000, 3_000] if "rate limit" in failure else [0, 1_000, 2_000]


@pytest.mark.parametrize("policy", WORDS)
@pytest.mark.parametrize("failure", FAILURES)
def test_the_policy_stands_in(run: Any, failure: str, policy: str) -> None:
    """What was chosen stands for the history, after as many calls and waits as the rules say; nothing else changes."""
    messages = raw_turns(6, 200)
    before = deepcopy(messages)
    ran: Run = run(serving([FAILURES[failure]] * 9), messages, on_failure=policy, keep_share="0.9")
    assert messages == before
    assert [attempt.waited for attempt in ran.compaction.attempts] == ran.waits == waits(failure)
    assert len(ran.requests) == len(waits(failure))
    assert (ran.compaction.summary_source, WORDS[policy] in ran.compaction.summary) == (policy, True)
    assert ran.compaction.messages[-12:] == before[-12:]


@pytest.mark.parametrize("failure", FAILURES)
def test_an_error_is_brims_own(run: Any, failure: str) -> None:
    """Under the policy that raises, an error of brim's own kinds says what was met, and the messages are as before."""
    messages = raw_turns(6, 200)
    before = deepcopy(messages)
    ran: Run = run(serving([FAILURES[failure]] * 9), messages, on_failure="raise")
    assert isinstance(ran.compaction, WrongKey if failure in ONCE else BrimError)
    assert isinstance(ran.compaction, SummaryFailed) or failure in ONCE
    assert len(ran.requests) == len(waits(failure))
    assert messages == before


def test_what_goes_out_is_the_same_each_time(run: Any) -> None:
    """An attempt that is made again sends the very same request; a smaller prompt is another one."""
    again = run(serving([FAILURES["an overload"]] * 9), raw_turns(6, 200)).requests
    smaller = run(serving([FAILURES["a prompt that is too long"]] * 9), raw_turns(6, 200)).requests
    assert again[0] == again[1] == again[2]
    assert len({len(str(request["messages"])) for request in smaller}) == len(smaller)
