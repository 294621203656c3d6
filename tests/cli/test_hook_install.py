"""What `brim hook install` says before it writes."""

from __future__ import annotations

import os


def test_install_says_what_it_does_and_how_to_undo_it(brim):
    """Before anything is written, the page tells what is lost, what the hook gives back and how it is taken out."""
    page = brim("hook", "install", "--dry-run").out
    told = " ".join(page.split())
    assert told.startswith("A compaction of Claude Code leaves out most of what you wrote.")
    assert len(told[: told.index("---")].split()) < 45
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
