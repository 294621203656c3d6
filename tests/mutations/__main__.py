"""Breaks every numeric constant of the pure rooms, one at a time, and sees whether a scenario notices.

`python -m tests.mutations` works on a copy and prints the survivors; it takes a while. Part of `make mutate`.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("conversation", "tokens", "trigger", "pruning", "selection", "summary", "compaction")
COPIED = ("src", "features", "steps", "docs", "pyproject.toml")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A constant, and the text that breaks it."""

    path: Path
    line: int
    name: str
    old: str
    new: str


def mutants(path: Path) -> Iterator[Mutant]:
    """Each number in the constants of a module, one larger; of a decimal, a hundredth."""
    source = path.read_text(encoding="utf-8")
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
            for node in ast.walk(statement.value):
                if isinstance(node, ast.Constant) and (broken := larger(node)):
                    old = ast.get_source_segment(source, node) or ""
                    yield Mutant(path, node.lineno, statement.target.id, old, broken)


def larger(node: ast.Constant) -> str | None:
    """A number that is a little more; None for what is no number."""
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        return str(node.value + 1)
    if isinstance(node.value, str) and node.value.replace(".", "", 1).isdigit() and "." in node.value:
        return f'"{float(node.value) + 0.01:.2f}"'
    return None


def survives(mutant: Mutant, copy: Path) -> bool:
    """Whether every scenario still passes with the constant broken."""
    place = copy / mutant.path.relative_to(ROOT)
    whole = place.read_text(encoding="utf-8")
    lines = whole.splitlines(keepends=True)
    lines[mutant.line - 1] = lines[mutant.line - 1].replace(mutant.old, mutant.new, 1)
    place.write_text("".join(lines), encoding="utf-8")
    room = f"features/{mutant.path.parent.name}"
    try:
        return all(passes(copy, folder) for folder in (room, "features"))
    finally:
        place.write_text(whole, encoding="utf-8")


def passes(copy: Path, folder: str) -> bool:
    """Whether the features of a folder pass."""
    command = [sys.executable, "-m", "pytest", folder, "-q", "-x", "-p", "no:cacheprovider"]
    return subprocess.run(command, cwd=copy, capture_output=True, check=False).returncode == 0


def main() -> int:
    """Break them all, and name the survivors."""
    found = [one for room in ROOMS for path in sorted((ROOT / "src/brim" / room).glob("*.py")) for one in mutants(path)]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in COPIED:
            (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, copy / name)
        survivors = [one for one in found if survives(one, copy)]
    for one in survivors:
        print(f"{one.path.relative_to(ROOT)}:{one.line} {one.name}: {one.old} -> {one.new} is not noticed")
    print(f"{len(found)} constants broken, {len(found) - len(survivors)} noticed by a scenario")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
