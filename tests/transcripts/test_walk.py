from time import process_time

import pytest

from brim.compaction.policy import CompactionPolicy
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.tokens.usage import TokenUsage
from brim.transcripts.inspection import inspect_transcript
from brim.transcripts.values import ResponseRecord
from brim.transcripts.window import HeldWindow, Walk, reported, window_of
from brim.trigger.profiles import PROFILES

FULL = {"input_tokens": 10, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 50}
LATER = {**FULL, "cache_read_input_tokens": 1_000}


@pytest.fixture
def two_turns(claude):
    """A call, its result of 400 characters, an answer, a request of 40 characters."""
    claude.user("Look.")
    claude.call("m1", "c1", stop="tool_use")
    claude.result("c1", "x" * 400)
    claude.text("m2", "It is fine.", usage=LATER, stop="end_turn")
    claude.user("y" * 40)
    return claude


def test_the_window_after_each_response(two_turns):
    """What a response reported, and the estimate of what came since: its results, or the next request."""
    assert list(Walk(two_turns.read()).held()) == [HeldWindow(0, 180 + 100), HeldWindow(1, 1_080 + 10)]


def test_a_profile_that_leaves_the_tail_out(two_turns):
    """A profile may count what was reported alone, and by its own measure."""
    transcript = two_turns.read()
    assert [held.tokens for held in Walk(transcript, "anthropic-sdk").held()] == [180, 1_080]
    assert [held.tokens for held in Walk(transcript, PROFILES["opencode-2025"]).held()] == [160 + 100, 1_060 + 10]


@pytest.mark.parametrize("name", PROFILES)
def test_a_conversation_has_one_size_whatever_the_profile(claude, name):
    """That of the inspection, by what was learned; a profile's own ratio measures what the window holds alone."""
    for number in range(6):
        read = {"input_tokens": 10, "cache_read_input_tokens": 4_000 * number + 3_990, "output_tokens": 0}
        claude.user("x" * 8_000)
        claude.text(f"m{number}", "", usage=read, stop="end_turn")
    claude.user("y" * 800)
    transcript = claude.read()
    window = window_of(transcript, policy=CompactionPolicy(profile=name))
    assert window.characters_per_token == inspect_transcript(transcript).characters_per_token == 2
    assert window.estimated == 6 * 4_000 + 400
    tail = {"claude-code-2.0": 200, "claude-code-2.1": 200}.get(name, 400)
    assert window.held == [*Walk(transcript, name).held()][-1].tokens
    if PROFILES[name].counts_appended:
        assert window.held == 24_000 + tail


def test_without_usage_everything_is_estimated(claude):
    """Where nothing is reported, the window is the estimate of all that was sent."""
    claude.user("x" * 40)
    claude.text("m1", "y" * 40, usage=None)
    assert list(Walk(claude.read()).held()) == [HeldWindow(0, 20)]


def test_a_compaction_begins_a_new_account(claude):
    """The window is measured before the boundary; after it there is the summary, until a response reports anew."""
    claude.user("Look.")
    claude.text("m1", "Seen.", stop="end_turn")
    claude.boundary()
    claude.summary("x" * 400)
    claude.user("y" * 40)
    claude.text("m2", "Go on.", usage=LATER, stop="end_turn")
    walk = Walk(claude.read())
    assert list(walk.held()) == [HeldWindow(0, 180, 0), HeldWindow(1, 1_080)]
    assert walk.account.reported > 0


def test_a_clearing_lightens_the_window(claude):
    """Results that a micro-compaction cleared no longer count, but for their placeholder of 33 characters."""
    claude.user("Look.")
    claude.call("m1", "c1", stop="tool_use")
    claude.result("c1", "x" * 4_033)
    claude.text("m2", "Seen.", usage={**LATER, "cache_read_input_tokens": 2_000}, stop="end_turn")
    claude.micro("c1")
    claude.user("Go on.")
    held = list(Walk(claude.read()).held())
    assert held[-1] == HeldWindow(1, 2_080, 0)
    walk = Walk(claude.read())
    walk.finish()
    assert walk.account.held == 2_080 + 2 - 1_000


def test_what_was_never_sent_counts_nothing(claude):
    """An error notice of the harness is in the file and not in the window."""
    claude.user("Look.")
    claude.text("m1", "Seen.", stop="end_turn")
    claude.text("m2", "API Error " * 100, model="<synthetic>", usage=None, isApiErrorMessage=True)
    claude.user("y" * 40)
    assert list(Walk(claude.read()).held())[-1].tokens == 190


RESPONSE = ResponseRecord(0, 0, 1, TokenUsage(input=10, output=1))


@pytest.mark.parametrize(
    ("changes", "output"),
    [
        ({}, 1),
        ({"characters": 400}, 1),
        ({"characters": 400, "finished": False}, 100),
        ({"characters": 2, "finished": False}, 1),
        ({"summary": True}, None),
        ({"usage": None}, None),
    ],
)
def test_what_a_response_reported(changes, output):
    """An output that streaming left unfinished is estimated; a summary call reports nothing of the window."""
    fields = {name: getattr(RESPONSE, name) for name in RESPONSE.__dataclass_fields__}
    usage = reported(ResponseRecord(**{**fields, **changes}))
    assert (usage and usage.output) == output


@pytest.mark.parametrize(("profile", "ratio"), [("usable", 2), ("claude-code-2.1", 4)])
def test_an_unfinished_output_is_part_of_what_was_appended(claude, profile, ratio):
    """10,000 characters, 8,000 of them an output that is reported as 3 tokens, add 5,000 tokens each time.

    A profile that reproduces a tool learns nothing.
    """
    for number in range(5):
        claude.user("x" * 2_000)
        usage = {**FULL, "cache_read_input_tokens": 1_000 + 5_000 * number, "output_tokens": 3}
        claude.text(f"m{number}", "y" * 8_000, usage=usage)
    walk = Walk(claude.read(), profile)
    walk.finish()
    assert walk.account.characters_per_token == ratio


def test_an_output_is_cleared_once(claude):
    """A second micro-compaction that names an output again makes no more room."""
    claude.user("Look.")
    claude.call("m1", "c1", stop="tool_use")
    claude.result("c1", "x" * 4_000)
    claude.micro("c1")
    claude.micro("c1")
    claude.user("Go on.")
    before, again = (held.tokens for held in Walk(claude.read()).held() if held.compaction is not None)
    assert again == before - (4_000 - len(PLACEHOLDER)) // 4
    walk = Walk(claude.read())
    walk.finish()
    assert walk.account.held == again + 1


def test_an_output_that_a_compaction_took_away_is_not_cleared(claude):
    """After a compaction the window holds no older output that a micro-compaction could clear."""
    claude.user("Look.")
    claude.call("m1", "c1", stop="tool_use")
    claude.result("c1", "x" * 4_000)
    claude.boundary()
    claude.summary("x" * 400)
    claude.micro("c1")
    claude.user("y" * 40)
    walk = Walk(claude.read())
    walk.finish()
    assert walk.account.held == (400 + 40) // 4


@pytest.mark.nightly
def test_micro_compactions_take_linear_time(claude):
    """Eight times the micro-compactions over eight times the messages take about eight times as long."""

    def seconds(calls):
        claude.lines.clear()
        for number in range(calls):
            claude.call(f"m{number}", f"t{number}", usage={**FULL, "cache_read_input_tokens": 1_000 + number})
            claude.result(f"t{number}", "x" * 300)
            if number % 10 == 9:
                claude.micro(*(f"t{one}" for one in range(number - 9, number + 1)))
        transcript = claude.read()
        begun = process_time()
        inspect_transcript(transcript)
        return process_time() - begun

    assert seconds(4_000) < 24 * min(seconds(500) for _ in range(3))
