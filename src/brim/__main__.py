"""`python -m brim` is the command `brim`."""

import sys

from brim.cli import main

if __name__ == "__main__":
    sys.exit(main())
