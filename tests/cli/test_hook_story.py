"""What `brim hook install` says of the measured benefit is what docs/hooks.json has."""

from __future__ import annotations

import json
from pathlib import Path

from brim.cli.hook import MEASURED

DATA = Path(__file__).parents[2] / "docs/hooks.json"


def test_the_figures_are_those_of_the_data():
    """Typed, lost and given back are the sums over the recorded compactions of Claude Code, five of them."""
    rows = [row for row in json.loads(DATA.read_text(encoding="utf-8"))["rows"] if row["format"] == "claude-code"]
    held, left, back = (sum(row[what]["words"] for row in rows) for what in ("held", "left", "start"))
    assert len(rows) == 5
    assert (held, held - left, back - left) == MEASURED


def test_install_says_what_it_does_and_how_to_undo_it(brim):
    """Before anything is written, the page tells what is lost, what the hook gives back and how it is taken out."""
    page = brim("hook", "install", "--dry-run").out
    told = " ".join(page.split())
    assert told.startswith("A compaction of Claude Code leaves out most of what you wrote.")
    assert "brim hook uninstall takes it out again." in told
    assert told.index("uninstall") < told.index("---")
    assert "hooks.json" in brim("hook", "install", "codex", "--dry-run").out
