"""Claude Code and Codex compact by themselves, and with the hook no later request lacks the user's words."""

from __future__ import annotations

import pytest

from tests.hook_story import SUMMARIES, worked

pytestmark = pytest.mark.nightly


@pytest.mark.claude_code
@pytest.mark.parametrize("summary", SUMMARIES)
def test_claude_code_loses_the_words_without_the_hook_alone(summary: str) -> None:
    """A first summary that quotes them has them until the second compaction; others lose them at once."""
    without, with_hook = (worked("claude", summary, hook=hook) for hook in (False, True))
    assert with_hook["lacking"] == 0
    assert min(without["compactions"], with_hook["compactions"]) >= 3
    assert 0 < without["lacking"] < without["requests"] or summary != "quoting"
    assert without["lacking"] == without["requests"] or summary == "quoting"


@pytest.mark.codex
@pytest.mark.parametrize("hook", [False, True])
def test_codex_keeps_the_words(*, hook: bool) -> None:
    """With the hook as without."""
    row = worked("codex", "terse", hook=hook)
    assert row["compactions"] >= 3
    assert row["lacking"] == 0
