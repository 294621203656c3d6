"""Real sessions replayed: the compactions that the profile of their tool predicts, and those that they record."""

import pytest

from brim.cli.limits import limits_for
from brim.compaction.policy import CompactionPolicy
from brim.errors import InvalidInput
from brim.replay import Candidate, candidates, check, replay
from tests.real.conftest import FOLDER, sampled
from tests.real.test_transcripts import (
    CLINE_BASIC,
    CODEX,
    GEMINI,
    MINI,
    OPENCODE_AUTO,
    OPENCODE_PRUNED,
    PI,
    SWE,
    V1_LONG,
    V1_SIDECHAINS,
    V2_AUTO,
    V2_AUTO_LATER,
    V2_IMAGE,
    V2_MANUAL,
    V2_MICRO,
)

pytestmark = pytest.mark.transcripts


def checked(transcript):
    """The check of a transcript in the window that its tool uses."""
    return check(transcript, limits_for(transcript, None, None, None))


@pytest.mark.parametrize(
    ("name", "threshold", "predicted"),
    [
        (V2_AUTO, 155_000, [(122, 155_176), (206, 155_226)]),
        (V2_MICRO, 155_000, [(99, 157_692)]),
        (V2_AUTO_LATER, 167_000, [(73, 166_917)]),
    ],
)
def test_every_automatic_compaction_is_predicted(real, name, threshold, predicted):
    """None is missed, none is early, and the tokens held are within half a percent of those recorded."""
    found = checked(real(name))
    assert [(one.response, one.held) for one in found.predicted] == predicted
    assert (found.threshold, found.passed) == (threshold, True)
    assert all(abs(one.measured - one.held) * 200 <= one.held for one in found.recorded)


@pytest.mark.parametrize(
    ("name", "windows"),
    [
        (V2_AUTO, [(155_301, 44_664), (155_539, 51_805)]),
        (V2_MICRO, [(157_692, 34_866)]),
        (V2_AUTO_LATER, [(167_038, 73_445)]),
        (CODEX, [(88_246, 16_560), (95_808, 16_879)]),
        (PI, [(175_004, 25_739), (185_014, 28_617)]),
        (OPENCODE_AUTO, [(112_590, 16_303)]),
    ],
)
def test_the_windows_around_a_compaction(real, name, windows):
    """Tokens before and after; OpenCode records none, and brim estimates 11 more than are known."""
    assert [(one.held, one.after) for one in checked(real(name)).recorded] == windows


@pytest.mark.parametrize(
    ("name", "windows"),
    [
        (CODEX, {(53, 88_246, 16_560), (114, 95_808, 16_879)}),
        (PI, {(170, 175_004, 25_739), (293, 185_014, 28_617)}),
        (OPENCODE_AUTO, {(41, 112_579, 16_303)}),
        (OPENCODE_PRUNED, {(65, 125_343, 72_511)}),
    ],
)
def test_the_windows_that_tools_without_a_profile_report(real, name, windows):
    """What the last response before held and what the next one read; what came since is estimated besides.

    Before the clearing 125,292 tokens were read and 51 written.
    """
    found = checked(real(name))
    made = [*found.recorded, *found.cleared]
    reported = [real(name).responses[one.response].usage.total for one in made]
    assert {(one.response, held, one.after) for one, held in zip(made, reported, strict=True)} == windows
    assert all(0 <= one.measured - held <= held // 20 for one, held in zip(made, reported, strict=True))
    assert (found.profile, found.passed) == ("pi" if name == PI else None, True)


def test_the_compaction_of_pi_is_predicted(real):
    """The one that pi made by itself; the other was asked for by hand, below the threshold."""
    found = checked(real(PI))
    assert found.threshold == 183_616
    assert [(one.response, one.held) for one in found.predicted] == [(293, 185_014)]


def test_opencode_compacted_where_its_rule_says(real):
    """From the input limit of GitHub Copilot, 128,000 tokens, less 20,000 on; the file does not name the limit."""
    held = [one.usage.total for one in real(OPENCODE_AUTO).responses[:42]]
    assert next(index for index, tokens in enumerate(held) if tokens >= 128_000 - 20_000) == 41


def test_the_windows_around_a_clearing(real):
    """52 outputs of OpenCode, and 27 of Claude Code in two clearings."""
    assert [one.after for one in checked(real(OPENCODE_PRUNED)).cleared] == [72_511]
    assert [one.held for one in checked(real(V2_MICRO)).cleared] == [135_849, 152_326]


SIMULATED = [V2_AUTO, V2_MICRO, V2_AUTO_LATER, V2_IMAGE, V1_SIDECHAINS, CODEX, PI, OPENCODE_AUTO, OPENCODE_PRUNED, MINI]
NEVER = Candidate("never", CompactionPolicy(enabled=False))


def replayed(transcript, *names):
    """A transcript under some policies, and one that never compacts."""
    return replay(
        transcript, limits_for(transcript, None, None, None), [NEVER, *candidates(names)] if names else [NEVER]
    )


@pytest.mark.parametrize("name", [V1_SIDECHAINS, V2_IMAGE, MINI])
def test_a_session_without_a_compaction_costs_what_it_cost(real, name):
    """Replayed without a compaction it sends the tokens that it sent, and costs the same within 4%."""
    made = replayed(real(name))
    sent, recorded = made.results[0].outcome.traffic, made.recorded.traffic
    assert (sent.sent, sent.usage.output, sent.requests) == (recorded.sent, recorded.usage.output, recorded.requests)
    assert abs(sent.cost - recorded.cost) <= recorded.cost / 25


@pytest.mark.parametrize("name", [name for name in SIMULATED if sampled(FOLDER / name)])
def test_a_simulation_adds_up(real, name):
    """No more is read from the cache and written to it than sent; a policy with a lower threshold holds less."""
    made = replayed(real(name), "usable", "windowing", "masking")
    limit = made.limits.context_window
    for result in made.results:
        outcome, traffic = result.outcome, result.outcome.traffic
        assert len(outcome.window) == len(made.timeline.steps)
        assert traffic.usage.cache_read + traffic.usage.cache_write <= traffic.sent
        assert traffic.requests == len(outcome.window) + sum(one.summarizes for one in outcome.compactions)
        assert 0 <= outcome.facts.facts.present <= outcome.facts.facts.total
        assert all(0 < one.after <= one.held for one in outcome.compactions)
    totals = {(result.outcome.facts.facts.total, result.outcome.facts.words.total) for result in made.results}
    assert len(totals) == 1
    never, usable, windowing, _ = (result.outcome for result in made.results)
    assert windowing.peak <= usable.peak <= limit
    assert never.peak >= usable.peak
    assert windowing.traffic.sent <= never.traffic.sent


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (V1_LONG, "286,513 tokens before its first response"),
        (CLINE_BASIC, "no response tells its usage"),
        (SWE, "no response tells its usage"),
    ],
)
def test_a_session_that_tells_too_little_is_refused(real, name, reason):
    """The reason names what is lacking."""
    with pytest.raises(InvalidInput, match=reason):
        replay(real(name), limits_for(real(name), None, None, None), [NEVER])


def test_an_unknown_price_is_no_price(real):
    """The model of the Codex session has no listed price: its cost is unknown, not 0."""
    answer = replayed(real(CODEX)).answer()
    assert (answer["recorded"]["cost"], answer["recorded"]["costs"]) == ("unknown", None)
    assert "unknown for gpt-5.3-codex-spark" in answer["assumptions"][-1]


@pytest.mark.nightly
def test_summaries_have_the_size_of_the_recorded_ones(real):
    """Four sessions of Claude Code, one of OpenCode, one of pi; Codex encrypts its own."""
    names = (V2_AUTO, V2_MICRO, V2_AUTO_LATER, V2_MANUAL, OPENCODE_AUTO, PI, CODEX, GEMINI)
    sizes = [replayed(real(name)).summary_tokens for name in names]
    assert sizes == [4_195, 4_234, 6_266, 11_005, 2_328, 1_278, 3_500, 3_500]
