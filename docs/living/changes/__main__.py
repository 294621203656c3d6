"""`python -m living.changes OLD [NEW]`: what changed in the rulebook between two revisions; without NEW, until now."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from living.changes.differences import difference
from living.changes.history import History, UnreadableHistory, features_on_disk
from living.changes.telling import told

ROOT = Path(__file__).resolve().parents[3]
HERE = "this tree"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print it. Returns 1 where a revision cannot be read, which is said on standard error."""
    parser = ArgumentParser(prog="python -m living.changes", description="What changed in the rulebook.")
    parser.add_argument("old", help="a tag, or any other revision that git knows")
    parser.add_argument("new", nargs="?", help=f"another one; where it is not given, {HERE} as it is")
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder of the project")
    asked = parser.parse_args(arguments)
    history = History(asked.root)
    try:
        old = history.features(asked.old)
        new = history.features(asked.new) if asked.new else features_on_disk(asked.root)
    except UnreadableHistory as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(told(asked.old, asked.new or HERE, difference(old, new)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
