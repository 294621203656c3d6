"""Names a seeded sample of the mutants that mutmut can make: `python -m tests.mutations.sample 150 [SEED]`."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path


def main(count: str, seed: str = "brim") -> int:
    """Print the names, the same ones for the same code and seed."""
    command = [Path(sys.executable).with_name("mutmut"), "print-time-estimates"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = sorted(word for word in listed.split() if "__mutmut_" in word)
    print(*random.Random(seed).sample(names, min(int(count), len(names))), sep="\n")  # noqa: S311 -- no secret
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
