"""What `brim hook install` says before it writes."""

from __future__ import annotations

import json
import os

from brim.cli.hook import AT_WORK
from tests import hook_story


def test_install_says_what_it_does_and_how_to_undo_it(brim):
    """Before anything is written, the page tells what the hook does, what was measured and how it is undone."""
    page = brim("hook", "install", "--dry-run").out
    told = " ".join(page.split())
    assert told.startswith("After a compaction of Claude Code the hook gives back your words that it left")
    assert len(told[: told.index("---")].split()) < 75
    assert "brim hook uninstall takes it out again." in told
    assert told.index("uninstall") < told.index("---")
    assert "hooks.json" in brim("hook", "install", "codex", "--dry-run").out


def test_a_brim_that_may_go_is_not_installed(brim, tmp_path, monkeypatch):
    """`uvx` runs it from a cache: once that is emptied, the agent would call what is not there."""
    program = tmp_path / ".cache/uv/archive-v0/3et1/bin/brim"
    program.parent.mkdir(parents=True)
    program.touch(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    answer = brim("hook", "install")
    assert (answer.code, "uv tool install . in the clone" in answer.error) == (1, True)


def test_the_figures_are_those_of_the_data():
    """Each is counted without the hook; with it no request lacks the words."""
    rows = [row for row in json.loads(hook_story.DATA.read_text(encoding="utf-8")) if row["agent"] == "claude"]
    without = {row["summary"]: row for row in rows if not row["hook"]}
    version, requests, lacking, quoted = AT_WORK
    assert {(row["version"], row["requests"]) for row in rows} == {(version, requests)}
    assert (without["in other words"]["lacking"], without["quoting"]["lacking"]) == (lacking, quoted)
    assert [row["lacking"] for row in rows if row["hook"]] == [0] * len(hook_story.SUMMARIES)
