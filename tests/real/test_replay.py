"""Real sessions replayed: the compactions that the profile of their tool predicts, and those that they record."""

import pytest

from brim.cli.limits import limits_for
from brim.replay import check
from tests.real.test_transcripts import CODEX, OPENCODE_AUTO, OPENCODE_PRUNED, PI, V2_AUTO, V2_AUTO_LATER, V2_MICRO

pytestmark = pytest.mark.transcripts


def checked(transcript):
    """The check of a transcript in the window that its tool uses."""
    return check(transcript, limits_for(transcript, None, None, None))


@pytest.mark.parametrize(
    ("name", "predicted"),
    [
        (V2_AUTO, [(122, 155_176, 155_000), (206, 155_226, 155_000)]),
        (V2_MICRO, [(99, 157_692, 155_000)]),
        (V2_AUTO_LATER, [(73, 166_917, 167_000)]),
    ],
)
def test_every_automatic_compaction_is_predicted(real, name, predicted):
    """None is missed, none is early, and the tokens held are within half a percent of those recorded."""
    found = checked(real(name))
    assert [(one.response, one.held, one.threshold) for one in found.predicted] == predicted
    assert found.passed
    assert all(abs(one.measured - one.held) * 200 <= one.held for one in found.recorded)
    assert all(one.threshold <= one.held * 1.01 for one in found.predicted)


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


def test_the_windows_around_a_clearing(real):
    """52 outputs of OpenCode, and 27 of Claude Code in two clearings."""
    assert [one.after for one in checked(real(OPENCODE_PRUNED)).cleared] == [72_511]
    assert [one.held for one in checked(real(V2_MICRO)).cleared] == [135_849, 152_326]
