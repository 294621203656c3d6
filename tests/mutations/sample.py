"""Makes the mutants, and names a seeded sample of them: `python -m tests.mutations.sample 150 [SEED [MODULE…]]`.

A module is named as `summary.facts`; without one, all that pyproject.toml lists.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sys
from pathlib import Path

from mutmut.__main__ import create_mutants
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.utils.file_utils import copy_also_copy_files, copy_src_dir


def main(count: str, seed: str = "brim", *modules: str) -> int:
    """Print the names, the same ones for the same code and seed."""
    make()
    made = (json.loads(path.read_text())["exit_code_by_key"] for path in Path("mutants/src").rglob("*.meta"))
    wanted = tuple(f"brim.{module}." for module in modules)
    names = sorted(name for file in made for name in file if not wanted or name.startswith(wanted))
    if not names:
        sys.exit("mutmut made no mutants")
    print(*random.Random(seed).sample(names, min(int(count), len(names))), sep="\n")  # noqa: S311 -- no secret
    return 0


def make() -> None:
    """Make the mutants as mutmut does before it runs any, of the code and the features as they are."""
    Path("mutants").mkdir(exist_ok=True)
    for folder in ("features", "steps"):
        shutil.rmtree(Path("mutants", folder), ignore_errors=True)
    set_mutant_under_test("mutant_generation")
    with contextlib.redirect_stdout(sys.stderr):
        copy_src_dir()
        copy_also_copy_files()
        create_mutants(os.cpu_count() or 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
