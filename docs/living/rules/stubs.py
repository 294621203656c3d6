"""Writes the page of every feature that has none: `python docs/living/rules/stubs.py`.

A page holds a directive and nothing else, so that what it shows comes from the feature alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def stubs(root: Path) -> dict[Path, str]:
    """The page of every feature, by the file that it belongs in."""
    features = sorted((root / "features").glob("*/*.feature"))
    names = (path.relative_to(root / "features").with_suffix("").as_posix() for path in features)
    return {root / "docs" / "rulebook" / f"{name}.md": f"```{{feature}} {name}\n```\n" for name in names}


def strays(root: Path) -> list[Path]:
    """Pages in the folders of packages that no feature has any more."""
    pages = (root / "docs" / "rulebook").glob("*/*.md")
    return sorted(page for page in pages if page.name != "index.md" and page not in stubs(root))


def stale(root: Path) -> list[Path]:
    """Pages that are missing, say something else, or have no feature."""
    wrong = [
        page for page, text in stubs(root).items() if not page.exists() or page.read_text(encoding="utf-8") != text
    ]
    return [*wrong, *strays(root)]


def write(root: Path) -> list[Path]:
    """Write what is missing or wrong, and remove what no feature has. Returns what was touched."""
    touched = stale(root)
    for page in strays(root):
        page.unlink()
    for page, text in stubs(root).items():
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    return touched


if __name__ == "__main__":
    for touched in write(ROOT):
        sys.stdout.write(f"{touched.relative_to(ROOT)}\n")
