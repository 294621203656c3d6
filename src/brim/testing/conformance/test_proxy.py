"""Checks of a proxy: an agent of the SDK works through it, behind it a server that refuses what the API refuses.

The proxy is started by whoever runs the kit: for a model with a window of 32,000 tokens, with 127.0.0.1 and
`--upstream-port` as its upstream.
"""

from __future__ import annotations

import itertools
from functools import partial

import pytest

from brim.testing.conformance import conversations as made
from brim.testing.conformance import judging
from brim.testing.conformance.kit import Tunnel
from brim.testing.conformance.proxied import THINKING
from brim.testing.conformance.subject import Summarize
from brim.testing.conformance.summaries import BAD, limited, overloaded
from brim.testing.conformance.test_compactor import REQUESTS_SHARE
from brim.testing.strictness import canonical

TURNS = 30
"""Requests of an agent: their messages come to two windows."""
CALLS_MAX = 30
"""Requests for a summary in so many turns: ten for each of the three compactions that the window asks for."""

CHANGES_MAX = 6
"""How often the prompt cache may be lost in so many turns: twice for each compaction."""


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_no_request_is_refused(tunnel: Tunnel, *, streamed: bool) -> None:
    """An agent that thinks and calls tools goes on beyond its window: in each request pairs, roles and thinking fit.

    Prevents: anthropics/claude-code#13012, thinking that is refused; langchain-ai/langchain#34282, orphans;
    anthropics/claude-code#26317, a session that ends at its window.
    """
    tunnel.work(TURNS, streamed=streamed)


def test_the_users_words_reach_the_model(tunnel: Tunnel) -> None:
    """Each request has what the user asked last, word for word, and the last one nine of ten of all that was asked.

    Prevents: anthropics/claude-code#22376, the last request is lost; anthropics/claude-code#3841, rules forgotten.
    """
    requests, bodies = tunnel.work(TURNS).requests, tunnel.upstream.bodies
    for number, (request, body) in enumerate(zip(requests, bodies, strict=True), 1):
        if not judging.has_words(body["messages"], request):
            tunnel.fail(f"request {number} lacks what was asked last: {request['content'][:80]}")
    share = judging.requests_left(requests, bodies[-1]["messages"])
    tunnel.note(words_left=round(share, 3))
    if share < REQUESTS_SHARE:
        tunnel.fail(f"{share:.0%} of what the user asked for reaches the model at turn {TURNS}")


def test_what_is_sent_beside_the_messages_is_passed_on(tunnel: Tunnel) -> None:
    """System prompt, tools and thinking reach the model as they are, and messages change where it compacts alone.

    Prevents: headroomlabs-ai/headroom#2438, a proxy that breaks the prompt cache, at 2 to 7 times the cost.
    """
    tunnel.work(TURNS)
    bodies = tunnel.upstream.bodies
    sent = {"system": made.SYSTEM, "tools": made.TOOLS, "thinking": THINKING}
    arrived = {name: {canonical(body.get(name)) for body in bodies} for name in sent}
    tunnel.refute(
        f"`{name}` does not arrive as it was sent" for name in sent if arrived[name] != {canonical(sent[name])}
    )
    pairs = [(one["messages"], after["messages"]) for one, after in itertools.pairwise(bodies)]
    changes = sum(after[: len(one)] != one for one, after in pairs)
    tunnel.note(prefix_changes=changes)
    if changes > CHANGES_MAX:
        tunnel.fail(f"the beginning of the conversation changed {changes} times in {TURNS} turns")


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_summary_is_refused(tunnel: Tunnel, kind: str) -> None:
    """Where no answer is a summary, the agent goes on, and no such answer is handed to it as one.

    Prevents: langchain-ai/langchain#38867, an error text as the summary; moonbitlang/openseek#443, a call as text;
    skorokithakis/stavrobot#28, reasoning alone; google-gemini/gemini-cli PR #7047, larger than what it replaces.
    """
    answer, trace = BAD[kind]
    tunnel.work(TURNS, summarize=answer)
    if trace and any(trace in str(body["messages"]) for body in tunnel.upstream.bodies):
        tunnel.fail(f"the answer was taken for a summary: {trace[:60]}")
    if tunnel.upstream.summary_calls > CALLS_MAX:
        tunnel.fail(f"{tunnel.upstream.summary_calls} requests for a summary")


@pytest.mark.parametrize(
    "summarize", [overloaded, partial(limited, made.WINDOW // 4)], ids=["always overloaded", "a smaller window"]
)
def test_a_summarizer_may_fail(tunnel: Tunnel, summarize: Summarize) -> None:
    """An agent goes on where its summaries fail, and they are not asked for in every turn.

    Prevents: anthropics/claude-code#24179, compaction after compaction; anthropics/claude-code#23047, a dead session.
    """
    tunnel.work(TURNS, summarize=summarize)
    if tunnel.upstream.summary_calls > CALLS_MAX:
        tunnel.fail(f"{tunnel.upstream.summary_calls} requests for a summary")
