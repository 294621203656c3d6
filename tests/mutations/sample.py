"""Names a seeded sample of the mutants that mutmut can make: `python -m tests.mutations.sample 150 [SEED]`."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path


def main(count: str, seed: str = "brim") -> int:
    """Print the names, the same ones for the same code and seed.

    mutmut makes all mutants, and finds the tests of each, before it runs those that are named: of "none" there are
    none. Its own list of the mutants (`print-time-estimates`) forgets the tests again.
    """
    subprocess.run([Path(sys.executable).with_name("mutmut"), "run", "none"], capture_output=True, check=False)
    made = (json.loads(path.read_text())["exit_code_by_key"] for path in Path("mutants/src").rglob("*.meta"))
    names = sorted(name for file in made for name in file)
    if not names:
        sys.exit("mutmut made no mutants: `mutmut run` says why")
    print(*random.Random(seed).sample(names, min(int(count), len(names))), sep="\n")  # noqa: S311 -- no secret
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
