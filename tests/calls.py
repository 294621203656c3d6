"""How much work an act is, counted in calls: the same on every machine, however busy it is."""

import itertools
import sys


def calls_made(act):
    """How many functions are called meanwhile."""
    made = itertools.count()
    sys.setprofile(lambda *_: next(made))
    try:
        act()
    finally:
        sys.setprofile(None)
    return next(made)
